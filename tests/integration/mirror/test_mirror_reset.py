# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook mirror_reset against real mirrors from east to west: every record, every position, and what is left alone."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from tests.integration.support.mirror import IDENTITY, Mirror, await_records, by_partition, commit, committed, fill
from tests.integration.support.playbook import Play
from tests.integration.support.proxy import Answer
from tests.integration.support.topics import Record
from tests.integration.support.worker import wait_until

PLAYBOOK = "streamops.kafka_connect.mirror_reset"

#: of each partition: records 0 and 1, then 2 and 3 in a transaction, whose marker is at offset 4
COPIED, LAST = 16, 3


class Three(NamedTuple):
    """A mirror that has copied three topics."""

    flow: Mirror
    topics: list[str]
    records: dict[str, list[Record]]

    def copies(self, side) -> dict[str, list[Record]]:
        return {topic: by_partition(side.kafka.records(self.flow.copy_of(topic))) for topic in self.topics}

    def positions(self) -> dict[str, dict[int, int]]:
        found = {}
        for pair in self.flow.worker.offsets(self.flow.source):
            found.setdefault(pair["partition"]["topic"], {})[pair["partition"]["partition"]] = pair["offset"]["offset"]
        return found

    def states(self) -> list[str]:
        return [self.flow.worker.state(name)[0] for name in self.flow.names]


def written(side, topics) -> dict[str, list[Record]]:
    return {topic: by_partition(fill(side, topic, 0, 1) + fill(side, topic, 2, 3, transaction="committed")) for topic in topics}


@pytest.fixture
def three(mirror, topic, east, west):
    """three(policy=None, **config) -> Three that is at rest: all is copied, and the positions are stored."""

    def three(policy: str | None = None, **config) -> Three:
        topics = sorted(topic() for _number in range(3))
        records = written(east, topics)
        found = Three(mirror(topics, policy, **config), topics, records)
        for name in topics:
            assert await_records(west, found.flow.copy_of(name), COPIED) == records[name]
        wait_until(lambda: found.positions() == {name: dict.fromkeys(range(4), LAST) for name in topics}, reason="the positions")
        return found

    return three


@pytest.fixture
def reset(playbooks, west, east):
    """reset(flow or None, *options, fine=True, **variables) -> Play; without a flow no worker is given."""

    def reset(flow: Mirror | None, *options: str, fine: bool = True, url: str | None = None, **variables) -> Play:
        host = {**common(west, playbooks)}
        if flow is None:
            host["kafka_connect_source_clusters"] = [{"alias": "east", "bootstrap_servers": [east.bootstrap_servers]}]
        else:
            host["kafka_connect_url"] = url or flow.worker.url
        play = playbooks.run(PLAYBOOK, {"eu": host}, "-v", *options, **{f"mirror_reset_{name}": value for name, value in variables.items()})
        assert (play.rc == 0) is fine, play.text
        return play

    return reset


def common(west, playbooks) -> dict:
    return {"kafka_bootstrap_servers": west.bootstrap_servers, "mirror_reset_settle": 0, "mirror_reset_backup_dir": str(playbooks.backups)}


def boundary_of(play: Play) -> dict:
    """What the run has written of where source and copies ended."""
    (path,) = set(re.findall(r'"boundary_file": "([^"]+)"', play.stdout)) - {""}
    return json.loads(Path(path).read_text())


def results_in(play: Play) -> str:
    """mirror_reset_results as they were noted last."""
    return play.stdout.split('"mirror_reset_results": [')[-1].split("TASK [")[0]


def result(play: Play) -> str:
    """The lines that say what was done, as one."""
    (text,) = re.findall(r"^TASK \[Show what was done\] \**\n(.*?)^ok: \[", play.stdout, re.MULTILINE | re.DOTALL)
    return ", ".join(line.strip() for line in text.splitlines())


def test_one_topic_of_three(reset, three, west):
    """Refused without a word on duplicates; predicted; done once under its name; the other two are left alone."""
    found = three()
    one, others = found.topics[1], [found.topics[0], found.topics[2]]
    before, desired = found.positions(), {"topics": [one], "change_id": "CHG-1"}

    refused = reset(found.flow, fine=False, **desired).failure("eu")
    for words in (f"4 partitions of {found.flow.source} go back, first {one}-0 from 4 to 0, altogether by up to 16 records",
                  "mirror_reset_accept_duplicates"):
        assert words in refused
    dry = reset(found.flow, "--check", "--diff", accept_duplicates="true", **desired)
    for line in (f"--- before: {found.flow.source} (offsets)", "0 positions are set, 4 removed, 8 stay",
                 "would change, 0 positions set, 4 removed"):
        assert line in dry.stdout, dry
    assert found.positions() == before and found.copies(west) == found.records and found.states() == ["RUNNING"] * 3

    real = reset(found.flow, "--diff", accept_duplicates=True, **desired)
    assert real.recap["eu"]["changed"] == dry.recap["eu"]["changed"] == 1
    assert found.states() == ["RUNNING"] * 3 and found.positions() == before
    doubled = by_partition(found.records[one] * 2)
    assert await_records(west, found.flow.copy_of(one), 2 * COPIED) == doubled
    assert found.copies(west) == {**{name: found.records[name] for name in others}, one: doubled}
    assert "0 positions set, 4 removed, 0 records left to copy" in result(real)

    again = reset(found.flow, accept_duplicates=True, **desired)
    assert again.recap["eu"]["changed"] == 0 and "the change CHG-1 was made before" in again.stdout
    other = reset(found.flow, fine=False, accept_duplicates=True, change_id="CHG-1", topics=others).failure("eu")
    assert "An id stands for one change" in other
    assert found.copies(west)[one] == doubled and found.states() == ["RUNNING"] * 3


def test_recreated(reset, three, east, west):
    """The copy has exactly the source's records again, from offset 0 on; consumer groups are translated again, also of the other topics."""
    found = three(**{"sync.group.offsets.enabled": "true"})
    one, other = found.topics[0], found.topics[2]
    copy, group = found.flow.copy_of(one), f"g-{one}"
    for topic in (one, other):
        commit(east, group, topic, 5)
    wait_until(lambda: committed(west, group, copy), reason="the group on the target")
    ends = west.kafka.ends(found.flow.copy_of(other))
    desired = {"topics": one, "target": "recreated", "change_id": "CHG-2"}

    dry = reset(found.flow, "--check", "--diff", **desired)
    assert found.copies(west) == found.records and found.flow.checkpoints in west.topics() and found.states() == ["RUNNING"] * 3
    for line in (f"--- before: {copy} (topic)", f"--- before: {found.flow.checkpoints} (topic)",
                 f"The copy {copy} is deleted, and created again by MirrorMaker: it has up to 16 records.", "so they would stall"):
        assert line in dry.stdout, dry

    real = reset(found.flow, **desired)
    # The wait starts the checkpoint connector.
    assert (dry.recap["eu"]["changed"], real.recap["eu"]["changed"]) == (1, 2)
    assert found.copies(west) == found.records and west.kafka.ends(copy) == dict.fromkeys(range(4), 4)
    assert west.kafka.ends(found.flow.copy_of(other)) == ends and found.states() == ["RUNNING"] * 3
    wait_until(lambda: found.flow.checkpoints in west.topics(), reason="the topic of checkpoints")
    # 5 is the end of the source, and 4 that of the copy, which has no marker.
    fill(east, one, 4)
    wait_until(lambda: len(west.kafka.records(copy)) == 20, reason="new records")
    commit(east, group, one, 6)
    wait_until(lambda: committed(west, group, copy) == dict.fromkeys(range(4), 5), reason="the group, translated")
    wait_until(lambda: set(committed(west, group, found.flow.copy_of(other))) == set(range(4)), reason="the other topic of the group")

    again = reset(found.flow, **desired)
    assert again.recap["eu"]["changed"] == 0 and len(west.kafka.records(copy)) == 20


def test_emptied(reset, three, west):
    """By a survey's texts. Offsets of the copy go on, so the ends tell that all came once more; and nothing else was touched."""
    found = three()
    names = found.topics[:2]
    empty = dict.fromkeys(("to", "accept_duplicates", "offset_syncs", "verify", "change_id", "phase", "boundary_file",
                           "source_clusters"), "")
    play = reset(found.flow, **empty, topics=", ".join(names), target="emptied", all="false", wait_timeout="60", catch_up_timeout="60",
                 connectors=found.flow.source)
    assert f"emptied {', '.join(sorted(found.flow.copy_of(name) for name in names))}" in result(play)
    assert found.copies(west) == found.records
    for name, end in zip(found.topics, [8, 8, 4], strict=True):
        assert west.kafka.ends(found.flow.copy_of(name)) == dict.fromkeys(range(4), end)
    assert found.states() == ["RUNNING"] * 3


def test_the_whole_mirror_of_the_same_names(reset, three, west, east):
    """Identity policy, everything deleted, offset-syncs as well, of a mirror that does not run: it is left so, and finished later."""
    found = three(IDENTITY)
    worker = found.flow.worker
    worker.put(found.flow.checkpoint, "pause")
    worker.put(found.flow.source, "stop")
    worker.await_state(found.flow.source, "STOPPED", [])
    wait_until(lambda: found.states() == ["STOPPED", "PAUSED", "RUNNING"], reason="the states")
    syncs = found.flow.offset_syncs
    play = reset(found.flow, all=True, target="recreated", offset_syncs=True, change_id="CHG-3")
    assert found.states() == ["STOPPED", "PAUSED", "RUNNING"]
    assert not set(found.topics) & west.topics() and syncs not in east.topics()
    assert "it is not known whether all of their records came by this mirror" in " ".join(play.text.split())
    assert found.positions() == {}
    (path,) = set(re.findall(r"mirror_reset_boundary_file: (\S+\.json)", play.stdout))
    assert reset(found.flow, all=True, target="recreated", offset_syncs=True, change_id="CHG-3").recap["eu"]["changed"] == 0

    worker.put(found.flow.source, "resume")
    late = reset(found.flow, phase="finish", boundary_file=path)
    assert "0 records left to copy" in result(late) and found.copies(west) == found.records and syncs in east.topics()
    # It has run since, so that a second run of the same change must not delete anything.
    worker.put(found.flow.source, "stop")
    worker.await_state(found.flow.source, "STOPPED", [])
    assert reset(found.flow, all=True, target="recreated", offset_syncs=True, change_id="CHG-3").recap["eu"]["changed"] == 0
    assert found.copies(west) == found.records


def test_several_connectors_of_one_mirror(reset, mirror, topic, east, west):
    """Each has a topic. One that is not reset is stopped along where a topic of both is deleted. Without a name both are meant."""
    topics = [topic(), topic()]
    records = written(east, topics)
    flows = [mirror([name]) for name in topics]
    copies = [flow.copy_of(name) for flow, name in zip(flows, topics, strict=True)]
    for copy, name in zip(copies, topics, strict=True):
        assert await_records(west, copy, COPIED) == records[name]
    wait_until(lambda: all(len(flow.worker.offsets(flow.source)) == 4 for flow in flows), reason="the positions")

    play = reset(flows[0], topics=topics[:1], connectors=[flows[0].source], target="recreated")
    stopped = {one["name"] for one in boundary_of(play)["deferred"]}
    assert {flows[1].source, flows[0].checkpoint} <= stopped and flows[0].source not in stopped
    assert [west.kafka.ends(copy) for copy in copies] == [dict.fromkeys(range(4), 4)] * 2
    both = reset(flows[0], topics=topics, accept_duplicates=True)
    assert "0 positions set, 8 removed" in result(both)
    assert [west.kafka.ends(copy) for copy in copies] == [dict.fromkeys(range(4), 8)] * 2
    assert [flow.worker.state(name)[0] for flow in flows for name in flow.names] == ["RUNNING"] * 6


def test_latest_and_by_time(reset, three, east, west):
    """Forward there is nothing to be accepted, and what is skipped does not come. By time it goes back, and is refused."""
    found = three()
    one = found.topics[0]
    worker = found.flow.worker
    worker.put(found.flow.source, "stop")
    worker.await_state(found.flow.source, "STOPPED", [])
    fill(east, one, 4, 5)
    real = reset(found.flow, topics=[one], to="latest")
    assert "4 positions set" in result(real) and found.positions()[one] == dict.fromkeys(range(4), 6)
    worker.put(found.flow.source, "resume")
    new = fill(east, one, 6)
    assert await_records(west, found.flow.copy_of(one), 20) == by_partition(found.records[one] + new)
    assert [record.value[-1] for record in west.kafka.records(found.flow.copy_of(one)) if record.value[-1] in "45"] == []
    wait_until(lambda: found.positions()[one] == dict.fromkeys(range(4), 7), reason="the positions")
    back = reset(found.flow, fine=False, topics=[one], to='{"duration": "P1D"}').failure("eu")
    assert f"4 partitions of {found.flow.source} go back, first {one}-0 from 8 to 0, altogether by up to 32 records" in back


REFUSED = [
    ({"offset_syncs": "tombstones", "all": True}, "Tombstones on it stop the translation"),
    ({"offset_syncs": "emptied", "all": True}, "no broker removes records of a compacted topic"),
    ({"topics": ["mm2-offset-syncs.west.internal"], "target": "emptied"}, "They must neither be emptied nor get tombstones"),
    ({"topics": ["east.checkpoints.internal"]}, "which MirrorMaker or Connect keep for themselves"),
    ({"phase": "finish", "offset_syncs": True}, "it would write on into a topic that is gone"),
    ({"phase": "finish"}, "needs mirror_reset_boundary_file"),
    ({}, "Say which topics of the source are meant"),
    ({"all": True, "topics": ["orders"]}, "and not both"),
    ({"topics": ["orders"], "connectors": ["no-such"]}, "no-such cannot be used"),
    ({"all": True, "target": "deleted"}, "value of mirror_reset_target must be one of"),
    ({"all": True, "verify": {"speed": 1}}, "mirror_reset_verify is true, false or a dictionary with"),
    ({"topics": ["no-such-topic"]}, "There is no topic no-such-topic on the source cluster east"),
    ({"topics": ["no-such-topic"], "target": "recreated"}, "There is no topic no-such-topic on the source cluster east"),
    ({"all": True, "to": "yesterday"}, "reset_to must be earliest, latest"),
]


def test_what_is_refused(playbooks, three, topic, east, west):
    """Each with its reason, and the mirror is as it was. All in one run, each as a host of its own."""
    found = three()
    outside, one = topic(), found.topics[0]
    before = found.positions(), found.copies(west), found.states()
    cases = [*REFUSED, ({"topics": [outside]}, "does not replicate the topic"),
             ({"topics": [one], "connectors": [found.flow.heartbeat]}, "cannot be used")]
    same = {**common(west, playbooks), "kafka_connect_url": found.flow.worker.url, "mirror_reset_accept_duplicates": True}
    hosts = {f"case{number}": {**same, **{f"mirror_reset_{name}": value for name, value in desired.items()}}
             for number, (desired, _words) in enumerate(cases)}
    play = playbooks.run(PLAYBOOK, hosts, mirror_reset_serial="100%")
    for number, (desired, words) in enumerate(cases):
        assert words in play.failure(f"case{number}"), (desired, play.failure(f"case{number}"))
        assert play.recap[f"case{number}"]["failed"] == 1
    assert (found.positions(), found.copies(west), found.states()) == before
    assert found.flow.checkpoints in west.topics() and found.flow.offset_syncs in east.topics()


def refuses(words: str, times: int = 1):
    """A trick of the proxy: so many requests to resume the MirrorSource connector are refused."""
    left = [times]

    def trick(request):
        if request.path.endswith("MirrorSourceConnector/resume") and left[0]:
            left[0] -= 1
            return Answer(400, f'{{"error_code":400,"message":"{words}"}}'.encode())
        return None

    return trick


@pytest.mark.parametrize("change_id", ["CHG-4", ""])
def test_a_failure_before_a_deletion(reset, three, west, proxy_to, change_id):
    """The worker does not start the connector: positions and states are put back, by the ledger or by the backup."""
    found = three()
    before = found.positions(), found.copies(west)
    proxy = proxy_to(found.flow.worker.url, refuses("not today"))
    desired = {"topics": found.topics[:1], "accept_duplicates": True, "change_id": change_id}
    failure = reset(found.flow, fine=False, url=proxy.url, **desired).failure("eu")
    assert "no topic was deleted or emptied, and positions and states are as they were" in failure and "not today" in failure
    assert found.states() == ["RUNNING"] * 3 and (found.positions(), found.copies(west)) == before


def test_a_failure_that_is_undone_for_one_of_two_connectors(reset, mirror, topic, east, west, proxy_to):
    """The worker never starts the first one again: that does not keep the other one from its positions and its state."""
    topics = [topic(), topic()]
    written(east, topics)
    flows = sorted((mirror([name]) for name in topics), key=lambda flow: flow.source)
    wait_until(lambda: all(len(flow.worker.offsets(flow.source)) == 4 for flow in flows), reason="the positions")
    before = [flow.worker.offsets(flow.source) for flow in flows]

    def trick(request):
        refused = unquote(request.path).endswith(f"/{flows[0].source}/resume")
        return Answer(400, b'{"error_code":400,"message":"not today"}') if refused else None

    proxy = proxy_to(flows[0].worker.url, trick)
    failure = reset(flows[0], fine=False, url=proxy.url, topics=topics, accept_duplicates=True, change_id="CHG-8").failure("eu")
    assert "but not everything could be undone: " in failure
    assert f"{flows[0].source} could not be brought back to its state, started: " in failure
    assert "Positions and states of the other connectors are as they were." in failure and flows[1].source not in failure
    assert [flow.worker.offsets(flow.source) for flow in flows] == before
    assert [flow.worker.state(name)[0] for flow in flows for name in flow.names] == ["STOPPED"] + ["RUNNING"] * 5


def test_a_failure_after_a_deletion(reset, three, west, proxy_to):
    """It says what is gone and that the same run again finishes it; and that is so."""
    found = three()
    desired = {"topics": found.topics[:1], "target": "recreated", "change_id": "CHG-5"}
    copy = found.flow.copy_of(found.topics[0])
    proxy = proxy_to(found.flow.worker.url, refuses("not today"))
    failure = reset(found.flow, fine=False, url=proxy.url, **desired).failure("eu")
    assert f"failed after {found.flow.checkpoints}, {copy} were deleted" in failure and "not today" in failure
    assert "the same run again, with the same change_id" in failure
    assert found.states() == ["STOPPED", "STOPPED", "RUNNING"] and copy not in west.topics()
    reset(found.flow, **desired)
    assert found.states() == ["RUNNING"] * 3 and found.copies(west) == found.records


def test_a_failure_after_the_reset(reset, three, west, proxy_to, playbooks):
    """The worker refuses to list connectors when the last one runs again. It says that the reset was made, and the results are noted."""
    found = three()
    resumed = []

    def trick(request):
        if request.path.endswith("MirrorCheckpointConnector/resume"):
            resumed.append(request)
        return Answer(403, b'{"error_code":403,"message":"not today"}') if resumed and request.path.startswith("/connectors?") else None

    desired = {"topics": found.topics[:1], "accept_duplicates": True, "change_id": "CHG-7"}
    play = reset(found.flow, fine=False, url=proxy_to(found.flow.worker.url, trick).url, **desired)
    failure = play.failure("eu")
    (path,) = playbooks.backups.glob("eu-mirror-*Z.json")
    assert "not today" in failure and "was reset as declared; this is kept. Its connectors were brought back to the states" in failure
    assert f"To wait again use phase: finish with boundary_file: {path}" in failure
    noted = results_in(play)
    assert f'"boundary_file": "{path}"' in noted and '"changed": true' in noted and '"left": null' in noted
    assert found.states() == ["RUNNING"] * 3

    # The wait succeeds, but the copies cannot be compared: what is noted says how far the mirror is.
    late = reset(found.flow, fine=False, phase="finish", boundary_file=str(path), verify={"quiet": -1})
    assert "and the reset stays as it is: quiet must be 0 or more seconds, it is -1." in late.failure("eu")
    assert f"mirror_reset_boundary_file: {path}" in late.failure("eu")
    assert '"records": 0' in results_in(late)


def test_a_run_that_was_killed_is_finished(reset, three, west, run):
    """It had set the positions, and had deleted nothing: the next run deletes the copies, and starts everything."""
    found = three()
    desired = {"topics": found.topics[:2], "target": "recreated", "change_id": "CHG-6"}
    worker = found.flow.worker
    worker.put(found.flow.checkpoint, "stop")
    worker.await_state(found.flow.checkpoint, "STOPPED", [])
    half = run("connector_offsets", connect_url=[worker.url], bootstrap_servers=[west.bootstrap_servers], name=found.flow.source,
               stop=True, reset_to="earliest", topics=desired["topics"], change_id="CHG-6", final_state="found_later",
               accept_duplicates=True)
    assert half["changed"], half
    assert found.states() == ["STOPPED", "STOPPED", "RUNNING"]
    reset(found.flow, **desired)
    assert found.states() == ["RUNNING"] * 3 and found.copies(west) == found.records
    assert west.kafka.ends(found.flow.copy_of(found.topics[0])) == dict.fromkeys(range(4), 4)


def test_dedicated(reset, dedicated, topic, east, west):
    """Nodes up: refused. Down: changed once. Started: exactly the records of one topic come once more, and the end is waited for."""
    topics = sorted(topic() for _number in range(3))
    records = written(east, topics)
    node = dedicated(topics)
    for name in topics:
        assert await_records(west, f"east.{name}", COPIED) == records[name]
    store = "mm2-offsets.east.internal"
    wait_until(lambda: len(west.kafka.live_offsets(store, "MirrorSourceConnector")) >= 12, reason="the positions")
    # The connector has the same name in every run.
    desired = {"topics": topics[:1], "offset_topic": store, "change_id": f"CHG-{topics[0]}", "accept_duplicates": True}

    up = reset(None, fine=False, **desired).failure("eu")
    assert "Nodes of MirrorMaker run, and would write their own positions over the change" in up
    node.stop()
    live = west.kafka.live_offsets(store, "MirrorSourceConnector")
    # The brokers notice after a moment.
    dry = wait_until(lambda: reset_or_none(reset, desired, "--check"), 60, "the group to be empty")
    assert "0 positions are set, 4 removed" in dry.stdout and west.kafka.live_offsets(store, "MirrorSourceConnector") == live
    real = reset(None, **desired)
    assert real.recap["eu"]["changed"] == dry.recap["eu"]["changed"] == 1
    assert len(west.kafka.live_offsets(store, "MirrorSourceConnector")) == len(live) - 4
    (path,) = set(re.findall(r"mirror_reset_boundary_file: (\S+\.json)", real.stdout))
    assert "has no node that runs: start all of them" in real.stdout
    assert reset(None, **desired).recap["eu"]["changed"] == 0

    node.start()
    late = reset(None, phase="finish", boundary_file=path, offset_topic=store)
    assert "0 records left to copy" in result(late)
    assert by_partition(west.kafka.records(f"east.{topics[0]}")) == by_partition(records[topics[0]] * 2)
    for name in topics[1:]:
        assert by_partition(west.kafka.records(f"east.{name}")) == records[name]


def reset_or_none(reset, desired, *options):
    """The play as soon as the brokers no longer know a node."""
    try:
        return reset(None, *options, **desired)
    except AssertionError as error:
        if "Nodes of MirrorMaker run" in str(error):
            return None
        raise
