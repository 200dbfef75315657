# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rollout with a cluster that fails, with the newest ansible-core: the rest is left out, the summary comes."""

from __future__ import annotations

import json

from tests.integration.support.configs import at, shaped


def test_a_rollout_stops_and_sums_up(core, make, worker, tmp_path):
    """Three hosts that are one cluster, each with its connector; texts as a survey sends them."""
    names = {"b": make(shaped(), offsets=[at(4)]), "a": make(shaped(alter_offsets="reject", alter_message="{{ 1/0 }}"), offsets=None),
             "c": make(shaped(), offsets=[at(4)])}
    local = {"kafka_connect_url": worker.url, "ansible_connection": "local", "kafka_connect_check_position": "none"}
    hosts = {host: {**local, "reset_offsets_connectors": [{"name": name, "offsets": [at(9)]}]} for host, name in names.items()}
    (tmp_path / "fleet.json").write_text(json.dumps({"fleet": {"hosts": hosts}, "canary": {"hosts": {"b": None}}}))
    given = {"reset_offsets_hosts": "fleet", "reset_offsets_serial": "[1, \"50%\"]", "reset_offsets_max_fail_percentage": "0",
             "reset_offsets_settle": "0", "reset_offsets_allow_same_cluster": "yes", "reset_offsets_summary_file": "out/summary.json",
             "reset_offsets_change": "", "reset_offsets_backup_dir": str(tmp_path / "backups")}

    def reset(*options: str, **more: str):
        inputs = ("-i", "fleet.json", "-e", json.dumps({**given, **more}))
        where = {"PWD": str(tmp_path), "ANSIBLE_SHOW_CUSTOM_STATS": "1"}
        return core.run(tmp_path, "streamops.kafka_connect.reset_offsets", *inputs, *options, **where)

    run = reset()
    assert run.rc == 2, run.text
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert {host: one["status"] for host, one in summary["clusters"].items()} == {"b": "changed", "a": "failed", "c": "not_reached"}
    assert summary["order"] == ["b", "a", "c"] and summary["stopped_by"] == ["a"] and summary["ok"] is False
    move = {"direction": "forward", "unit": "n", "distance": 5, "partitions": 1}
    assert summary["clusters"]["b"]["connectors"][0]["moves"] == [move] and summary["clusters"]["b"]["error"] is None
    assert "are as they were" in summary["clusters"]["a"]["error"] and "{{ 1/0 }}" in summary["clusters"]["a"]["error"]
    assert "reset_offsets: 1 changed, 1 failed, 1 not reached; 1 of 3 connectors changed" in run.text and "kafka_connect_apply" in run.text
    assert [worker.offsets(names[host]) for host in "bac"] == [[at(9)], [], [at(4)]]

    wrong = reset("--limit", "b,c", reset_offsets_serial="many")
    assert wrong.rc == 2 and "reset_offsets_serial is a number, a percentage, or a list" in wrong.flat, wrong.text
    assert worker.offsets(names["c"]) == [at(4)]
