# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on the offsets topic without a worker; what dry runs tell; backups."""

from __future__ import annotations

import json
import os
import stat

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.modules import PREDICTED
from tests.integration.support.topic_method import key_of
from tests.integration.support.worker import wait_until

# ---- without a worker ------------------------------------------------------------------------------------------------------

OFFLINE = {"connect_url": None}


def test_offline_needs_the_word_of_the_operator(name, method, kafka):
    """Nobody can tell whether a task runs: assume_stopped is demanded before any write, also for a dry run."""
    ends = kafka.ends(method.topic)
    for check in (True, False):
        result = method.change(name, check=check, offsets=[at(1)], **OFFLINE)
        assert result["failed"] and "assume_stopped" in result["msg"] and "connect_url" in result["msg"]
    assert kafka.ends(method.topic) == ends
    nothing = method.change(name, offsets=[at(1)], connect_url=None, bootstrap_servers=None, method="auto")
    assert nothing["failed"] and "connect_url" in nothing["msg"] and "bootstrap_servers" in nothing["msg"]


@pytest.mark.parametrize("state", ["RUNNING", "PAUSED"])
def test_offline_a_task_that_runs_is_seen_by_the_brokers(state, make_on, main, method, kafka):
    """The message names group and task, whatever group is said to be ours: with force alone they are believed to have another topic."""
    name = make_on(main, state)
    ends = kafka.ends(method.topic)
    for check in (True, False):
        result = method.change(name, check=check, offsets=[at(1)], assume_stopped=True, **OFFLINE)
        assert result["failed"] and "task 0 in the group connect-main" in result["msg"] and name in result["msg"]
    mine = method.change(name, check=True, offsets=[at(1)], assume_stopped=True, connect_group="connect-main", **OFFLINE)
    assert mine["failed"] and "connect-main" in mine["msg"]
    assert kafka.ends(method.topic) == ends
    other = {"check": True, "offsets": [at(1)], "assume_stopped": True, "connect_group": "connect-wide", **OFFLINE}
    refused = method.change(name, **other)
    assert refused["failed"] and "task 0 in the group connect-main" in refused["msg"]
    assert method.change(name, force=True, **other).get("changed") is True


def test_offline_a_connector_with_a_topic_of_its_own_proves_nothing(name, make, make_on, main, method):
    """Its worker writes the offsets to both topics, so the own one is not where the worker keeps those of other connectors."""
    make(shaped(offsets_storage_topic=f"{name}-offsets"), state="RUNNING", name=f"{name}-own")
    wait_until(lambda: main.worker.offsets(f"{name}-own") == [at(4)])
    running = make_on(main, "RUNNING")
    refused = method.change(running, check=True, offsets=[at(1)], assume_stopped=True, connect_group="connect-wide", **OFFLINE)
    assert refused["failed"] and "task 0 in the group connect-main" in refused["msg"]


@pytest.mark.parametrize("desired", [{"state": "absent"}, {"offsets": [at(1)]}])
def test_gone_here_but_alive_elsewhere(desired, make_on, main, v34, method, kafka):
    """A wrong connect_url, or offset_topic, makes a STOPPED connector of another Connect cluster look like one that is gone."""
    name = make_on(main, "STOPPED")
    ends = kafka.ends(method.topic)
    for group in (None, v34.group_id):
        result = method.change(name, connect_url=[v34.url], wait_timeout=2, connect_group=group, **desired)
        assert result["failed"] and "Nothing was changed" in result["msg"] and "connect-main" in result["msg"]
    assert kafka.ends(method.topic) == ends and main.worker.offsets(name) == [at(4)]


def test_namesakes_on_two_clusters(make_on, main, v34, method, kafka):
    """Connect 3.4 shows no offsets, so the topic of the other cluster looks as good as its own."""
    name = make_on(main, "RUNNING")
    v34.worker.create(name, main.worker.config(name), None)
    v34.worker.await_state(name, "RUNNING", ["RUNNING"])
    try:
        ends = kafka.ends(method.topic)
        wrong = method.change(name, connect_url=[v34.url], offsets=[at(1)], stop=True)
        assert wrong["failed"] and method.topic in wrong["msg"] and "Nothing was changed" in wrong["msg"]
        assert kafka.ends(method.topic) == ends
        right = method.on(v34).change(name, offsets=[at(1)], stop=True, connect_group=v34.group_id)
        assert right["changed"] is True and main.worker.offsets(name) == [at(4)]
    finally:
        v34.worker.delete(name)


def test_offline_stopped(make_on, main, method, kafka):
    """STOPPED has no task: done, and read by the worker that is there after all."""
    name = make_on(main, "STOPPED")
    real = method.done(name, offsets=[at(1)], assume_stopped=True, method="auto", **OFFLINE)
    assert (real["method"], real["method_reason"]) == ("topic", "no worker is queried")
    assert real["connector_exists"] is real["connector"] is None
    assert method.look(name, **OFFLINE)["connector_exists"] is None
    main.worker.put(name, "resume")
    wait_until(lambda: kafka.values(name)[5:] == ['{"p":0}#2', '{"p":0}#3', '{"p":0}#4'])


# ---- dry runs, diffs, backups ----------------------------------------------------------------------------------------------


def test_c51_dry_run_tells_what_the_real_run_does(make_on, main, method):
    """Step by step; both sides of the diff have one shape."""
    name = make_on(main, "STOPPED", partitions='[{"p":0},{"p":1}]')
    steps = [
        ({"offsets": [at(4)]}, False, {'{"p": 0}': {"n": 4}, '{"p": 1}': {"n": 4}}),
        ({"offsets": [at(2, p=1)]}, True, {'{"p": 0}': {"n": 4}, '{"p": 1}': {"n": 2}}),
        ({"offsets": [at(2, p=1)], "purge": True}, True, {'{"p": 1}': {"n": 2}}),
        ({"state": "absent"}, True, {}), ({"state": "absent"}, False, {}),
    ]
    for desired, changed, after in steps:
        ends = method.kafka.ends(method.topic)
        dry = method.change(name, check=True, **desired)
        assert method.kafka.ends(method.topic) == ends, "a dry run wrote"
        real = method.change(name, **desired)
        assert {key: dry[key] for key in PREDICTED} == {key: real[key] for key in PREDICTED}
        assert real["changed"] is changed and (method.kafka.ends(method.topic) != ends) is changed
        diff, = real["diff"]
        assert diff["before"] == {json.dumps(one["partition"]): one["offset"] for one in real["offsets_before"]}
        assert diff["after"] == after and diff["before_header"] == diff["after_header"] == f"{name} (offsets)"
    assert "diff" not in method.change(name, state="absent", diff=False)


def test_backup_of_the_topic_road_restores(name, method, lone, tmp_path):
    """Readable by its owner only, with what tells the cluster; src and purge put back exactly what was there."""
    method, file = method.at(lone()), tmp_path / "backup.json"
    method.put((0, key_of(name), b'{"n":4,"t":"x"}'), (1, key_of(name, '{"p":1}'), b'{"n":1547863325117001729,"z":null}'))
    before = method.look(name)["offsets"]
    dry = method.change(name, check=True, state="absent", backup=True, backup_file=str(file))
    assert dry["backup_file"] == str(file) and not file.exists()
    real = method.change(name, offsets=[at(9, p=2)], purge=True, backup=True, backup_file=str(file))
    assert real["changed"] is True and real["backup_file"] == str(file) and stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert method.topic in file.read_text() and "1547863325117001729" in file.read_text() and json.loads(file.read_text())
    assert method.look(name)["offsets"] == [at(9, p=2)]
    again = method.change(name, state="absent", backup=True, backup_file=str(file))
    assert again["failed"] and "exists already" in again["msg"]
    back = method.done(name, src=str(file), purge=True)
    assert back["offsets"] == before == method.look(name)["offsets"]
    assert {key for _place, key in method.live(name)} == {key_of(name), key_of(name, '{"p":1}')}
