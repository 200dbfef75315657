# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook restore_offsets, and the fields of the role's list that belong to named changes, on real workers."""

from __future__ import annotations

import json
import uuid

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.worker import Worker

RESTORE = "streamops.kafka_connect.restore_offsets"


@pytest.fixture
def hosts(main, kafka) -> dict:
    """With a ledger of its own on a topic that does not exist yet."""
    topic = f"t-{uuid.uuid4().hex[:8]}-changes"
    yield {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers, "kafka_connect_ledger_topic": topic}}
    if kafka.exists(topic):
        kafka.drop(topic)


@pytest.fixture
def pair(make) -> list[str]:
    return [make(shaped(), offsets=[at(4), at(5, p=1)]) for _number in range(2)]


def live(worker: Worker, *names: str) -> list:
    return [worker.offsets(name) for name in names]


def test_undo_by_id_of_all_connectors(worker, playbooks, hosts, pair):
    """One id for two connectors: made, undone by the id alone, and after that used up. A third change is not touched."""
    before = live(worker, *pair)
    desired = [{"name": name, "offsets": [at(1)], "purge": True} for name in pair]
    made = playbooks.reset(hosts, desired, reset_offsets_change_id="CHG-1", reset_offsets_requested_by="jane")
    assert made.rc == 0 and live(worker, *pair) == [[at(1)], [at(1)]], made
    dry = playbooks.run(RESTORE, hosts, "--check", "--diff", restore_offsets_change_id="CHG-1")
    assert dry.rc == 0 and dry.recap["eu"]["changed"] == 1 and live(worker, *pair) == [[at(1)], [at(1)]], dry
    undone = playbooks.run(RESTORE, hosts, restore_offsets_change_id="CHG-1")
    assert undone.rc == 0 and undone.recap["eu"]["changed"] == 1 and live(worker, *pair) == before, undone
    row = undone.rows[pair[0]]
    assert [row[name] for name in ("RESULT", "STATE", "SET", "REMOVED", "CHANGE")] == ["restored", "stopped", "2", "0", "CHG-1"]
    again = playbooks.run(RESTORE, hosts, restore_offsets_change_id="CHG-1")
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0 and again.rows[pair[0]]["RESULT"] == "unchanged"
    used_up = playbooks.reset(hosts, desired, reset_offsets_change_id="CHG-1")
    assert used_up.rc == 0 and used_up.recap["eu"]["changed"] == 0 and live(worker, *pair) == before
    assert "and is not made again. To make it again, give it another change_id." in used_up.text
    report = playbooks.run("streamops.kafka_connect.changes_report", hosts)
    assert "2 changes: 0 applied, 2 restored" in report.stdout and "requested_by=jane" in report.stdout, report


def test_undo_of_one_and_what_is_refused(worker, playbooks, hosts, pair):
    """A later change stands in the way; names as a survey gives them; ids and files that are not there."""
    one, other = pair
    for change_id, number in (("CHG-1", 1), ("CHG-2", 2)):
        made = playbooks.reset(hosts, [{"name": name, "offsets": [at(number)]} for name in pair], reset_offsets_change_id=change_id)
        assert made.rc == 0, made
    refused = playbooks.run(RESTORE, hosts, restore_offsets_change_id="CHG-1", restore_offsets_connectors=one)
    assert f"{one} was changed by CHG-2 since CHG-1 was made." in refused.failure("eu")
    assert live(worker, one, other) == [[at(2), at(5, p=1)]] * 2
    forced = playbooks.run(RESTORE, hosts, restore_offsets_change_id="CHG-1", restore_offsets_connectors=f" {one},",
                           restore_offsets_force="true")
    assert forced.rc == 0 and live(worker, one, other) == [[at(4), at(5, p=1)], [at(2), at(5, p=1)]], forced
    for variables, words in (
        ({"restore_offsets_change_id": "CHG-9"}, "has no change CHG-9. Nothing was changed."),
        ({"restore_offsets_change_id": "CHG-9", "restore_offsets_connectors": one}, "has no change CHG-9 of " + one),
        ({"restore_offsets_backup_file": "/nowhere.json"}, "There is no file /nowhere.json. Nothing was changed."),
        ({"restore_offsets_change_id": "", "restore_offsets_backup_file": ""}, "Give either restore_offsets_change_id or"),
    ):
        play = playbooks.run(RESTORE, hosts, **variables)
        assert play.rc == 2 and words in play.failure("eu"), play


def test_backups(worker, playbooks, hosts, pair, tmp_path):
    """One of two connectors from its backup, by the file alone; one of another cluster, of another type, cut short, edited."""
    one, other = pair
    before = live(worker, *pair)
    made = playbooks.reset(hosts, [{"name": one, "offsets": [at(1), at(9, p=2)]}])
    assert made.rc == 0 and live(worker, one) == [[at(1), at(5, p=1), at(9, p=2)]], made
    (backup,) = playbooks.backups.glob("*.json")
    document = json.loads(backup.read_text())
    bad = {
        "elsewhere": ({**document, "cluster": {**document["cluster"], "kafka_cluster_id": "another"}}, "on the Kafka cluster another, but"),
        "sink": ({**document, "types": {one: "sink"}}, "as a sink connector, but it is a source connector here"),
        "edited": ({**document, "connectors": {one: document["connectors"][one][:1]}}, "was cut short or edited: it holds 1 pair of"),
    }
    for name, (content, words) in bad.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        play = playbooks.run(RESTORE, hosts, restore_offsets_backup_file=str(tmp_path / f"{name}.json"))
        assert play.rc == 2 and words in play.failure("eu"), play
    (tmp_path / "short.json").write_text(backup.read_text()[:-40])
    play = playbooks.run(RESTORE, hosts, restore_offsets_backup_file=str(tmp_path / "short.json"))
    failure = play.failure("eu")
    assert "is no backup of this collection, or was cut short: " in failure and ". Nothing was changed." in failure
    assert live(worker, one) == [[at(1), at(5, p=1), at(9, p=2)]]
    good = playbooks.run(RESTORE, hosts, restore_offsets_backup_file=str(tmp_path / "elsewhere.json"), restore_offsets_force=True)
    assert good.rc == 0 and live(worker, *pair) == before, good


def test_guards_of_the_list(worker, playbooks, hosts, pair):
    """As a survey gives them, too; a guard that refuses stops the run before any connector is changed."""
    one, other = pair
    before = live(worker, *pair)
    for guard, words in (
        ({"max_rewind": "2"}, "max_rewind is 2, but 1 partition of"),
        ({"only": "forward", "purge": True}, "its offset would be removed"),
        ({"max_skip": "two"}, "max_skip must be a whole number"),
    ):
        desired = [{"name": other, "offsets": [at(3)]}, {"name": one, "offsets": [at(1)], **guard}]
        play = playbooks.reset(hosts, desired)
        assert play.rc == 2 and words in play.failure("eu"), play
    assert live(worker, *pair) == before
    beyond = playbooks.reset(hosts, [{"name": one, "offsets": [at(1), at(7, p=1)], "only": "forward", "max_skip": 2, "max_rewind": ""}])
    assert beyond.rc == 0 and live(worker, one) == [[at(4), at(7, p=1)]], beyond
