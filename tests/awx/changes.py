# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs in an environment of this machine and jobs in containers are both looked at for."""

from __future__ import annotations

import shutil

from tests.integration.support.modules import run_module
from tests.integration.support.proxy import Answer
from tests.integration.support.runs import sends


def forget(done) -> None:
    """The disk of a job is gone when it ends."""
    shutil.rmtree(done.folder.parents[1])


def statuses(artifact: dict) -> dict[str, str]:
    return {host: one["status"] for host, one in artifact["clusters"].items()}


def ledger(fleet, host: str, name: str | None = None) -> dict:
    """The one change of a connector that its cluster has on the topic of changes."""
    found = run_module("connector_changes_info", {
        "connect_url": fleet.workers[host].url, "connector": name or fleet.name,
        "bootstrap_servers": fleet.groups["all"]["vars"]["kafka_bootstrap_servers"],
        "connect_group": fleet.groups["_meta"]["hostvars"][host]["kafka_connect_group"]})
    change, = found["changes"]
    return change


def check_cancelled(awx, fleet, template, proxy_to) -> None:
    """A job that is cancelled in the middle of its change is finished by the next one.

    AWX kills the container: no rescue runs, and the connector stays stopped in the middle of its change.
    """
    worker = fleet.workers["us-1"]
    worker.put(fleet.name, "resume")
    worker.await_state(fleet.name, "RUNNING", ["RUNNING"])
    survey = {"reset_offsets_connectors": fleet.desired(1), "reset_offsets_change_id": "CHG-7"}
    jobs, wanted = [], sends("PATCH", "offsets")

    def cancel(request):
        if jobs and wanted(request):
            jobs.pop().kill()
            return Answer(503)
        return None

    proxy = proxy_to(worker.url, cancel)
    fleet.route("us-1", proxy.url)
    jobs.append(awx.start(template, survey, job_type="run", limit="us-1"))
    killed = jobs[0].wait()
    assert killed.rc < 0 and not jobs, killed
    assert fleet.states()["us-1"] == "STOPPED" and ledger(fleet, "us-1")["phase"] == "started"
    forget(killed)

    done = awx.launch(template, survey, job_type="run", limit="us-1")
    assert done.rc == 0, done
    assert ledger(fleet, "us-1")["phase"] == "applied"
    worker.await_state(fleet.name, "RUNNING", ["RUNNING"])
    done = awx.launch(template, survey, job_type="run", limit="us-1")
    assert statuses(done.artifacts["kafka_connect_apply"]) == {"us-1": "already_applied"} and not any(done.changed.values())
