# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How tests are shared out over the workers of pytest-xdist: whole files, as the tests of a file share what it has started."""

from __future__ import annotations

import pytest

#: files that go to one worker together, because they use one stack
TOGETHER = dict.fromkeys(("integration/test_secured.py", "integration/test_secured_groups.py", "integration/test_secured_running.py",
                          "integration/test_secured_oauth.py", "integration/test_secured_secrets.py",
                          "integration/test_debezium.py", "integration/test_ledger.py"), "secured")
#: files whose tests are shared out one by one, because each takes long and none needs the others
ONE_BY_ONE = {"integration/test_playbook.py", "integration/test_restore.py", "integration/test_docs_outputs.py",
              "integration/test_fault_matrix.py", "fuzz/test_fuzz.py", "fleet/test_rollout.py", "mirror/test_mirror_reset.py",
              "awx/test_jobs.py", "awx/test_approval.py", "awx/test_playbooks.py"}
#: the files that take longest come first, so that no worker is left with one of them at the end
LONGEST = ["integration/test_standalone.py", "integration/test_once.py", "integration/test_kill.py", "integration/test_export_import.py",
           "integration/test_secured_running.py", "integration/test_together.py", "integration/test_sinks.py", "integration/test_report.py",
           "integration/test_sink_expiry.py", "integration/test_stack.py", "spark/test_verify_replay.py", "spark/test_reset_and_verify.py",
           "spark/test_reset_a_mirror.py", "spark/test_sink_table.py", "verify/test_job.py", "mirror/test_mirror_reset.py",
           "awx/test_jobs.py", "awx/test_approval.py", "fleet/test_rollout.py"]


def _short(path: str) -> str:
    """The last folder of a path, and the file."""
    return "/".join(path.rsplit("/", 2)[-2:])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    rank = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(_short(item.path.as_posix()), len(rank)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """xdist's own marks of groups do not work with pytest 9.2, which is why this is done by a class."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            path = nodeid.partition("::")[0]
            return nodeid if _short(path) in ONE_BY_ONE else TOGETHER.get(_short(path), path)

    return ByFile(config, log)
