# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of sinks from start to end, by REST and by the consumer group."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.groups import Member
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.file import FileLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils._change.test_item import FakeConnect
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import FakeKafka

GROUP = "connect-c"
STRANGER = Member("rdkafka", "10.0.0.9", [])


def part(number, topic="t"):
    return {"kafka_topic": topic, "kafka_partition": number}


def pairs(**offsets):
    return [{"partition": part(int(name[1:])), "offset": {"kafka_offset": offset}} for name, offset in offsets.items()]


class Worker:
    """The sink c, whose offsets are its group's. ``version``: before 3.5 it cannot stop, before 3.6 not change offsets."""

    url = "http://h:8083"
    urls = [url]

    def __init__(self, kafka, state="STOPPED", version="4.3.1", tasks=("RUNNING",), config=None, gone=False):
        self.kafka, self.state, self.version, self.gone = kafka, state, version, gone
        self.config = config or {"topics": "t"}
        self.tasks = [] if state == "STOPPED" else list(tasks)
        self.now, self.calls, self.on_stop, self.removes = 0.0, [], lambda: None, True
        self.join()

    def join(self):
        """A task that is not FAILED is in the group, paused or not."""
        self.kafka.members[GROUP] = [Member(f"connector-consumer-c-{number}", "10.0.0.7", [("t", number)])
                                     for number, state in enumerate(self.tasks) if state != "FAILED"]

    def similar(self, name):
        return ""

    def sleep(self, seconds):
        self.now += seconds

    def clock(self):
        return self.now

    def root(self):
        return {"version": self.version, "commit": "x", "kafka_cluster_id": "cluster-1"}

    def require(self, feature):
        if self.version < {"stop": "3.5", "offsets": "3.5", "alter": "3.6"}[feature]:
            raise errors.EndpointMissing(f"Connect {self.version} cannot {feature}.")

    def require_url(self, name):
        pass

    def info(self, name):
        return {"name": name, "config": self.config, "type": "sink"}

    def connectors(self):
        return {}

    def status(self, name):
        if self.gone:
            raise errors.NoConnector("There is no such connector")
        return {"name": name, "type": "sink", "connector": {"state": self.state, "worker_id": "w"},
                "tasks": [{"id": number, "state": state, "worker_id": "w"} for number, state in enumerate(self.tasks)]}

    def offsets(self, name):
        self.require("offsets")
        return [{"partition": part(number, topic), "offset": {"kafka_offset": offset}}
                for (topic, number), offset in self.kafka.commits.get(GROUP, {}).items()]

    def offsets_once(self, name):
        return self.offsets(name)

    def alter_offsets(self, name, given):
        self.calls.append("alter")
        for pair in given:
            place = pair["partition"]["kafka_topic"], pair["partition"]["kafka_partition"]
            if pair["offset"] is not None:
                self.kafka.commits.setdefault(GROUP, {})[place] = pair["offset"]["kafka_offset"]
            elif self.removes:
                del self.kafka.commits[GROUP][place]
        if not self.removes:  # the second of Connect's two requests
            self.removes = True
            raise errors.Refused("Failed to alter consumer group offsets for connector c.")
        return "The offsets for this connector have been altered successfully"

    def stop(self, name):
        self.calls.append("stop")
        self.require("stop")
        self.state, self.tasks = "STOPPED", []
        self.on_stop()
        self.join()

    def pause(self, name):
        self.calls.append("pause")
        self.state, self.tasks = "PAUSED", ["PAUSED"] * len(self.tasks)

    def resume(self, name):
        self.calls.append("resume")
        self.state, self.tasks = "RUNNING", self.tasks or ["RUNNING"]
        self.join()

    def restart_failed(self, name):
        self.calls.append("restart_failed")
        self.state, self.tasks = "RUNNING", ["RUNNING"] * len(self.tasks)
        self.join()


def kafka_with(**commits):
    kafka = FakeKafka().log_of("t", (0, 50, {100: 20}), (0, 50, {100: 30}), (0, 50))
    kafka.commits[GROUP] = {("t", int(name[1:])): offset for name, offset in commits.items()}
    return kafka


def words(reset_to, topics=None, **guards):
    desired = DesiredOffsets.words(read_reset(reset_to, topics))
    desired.guards = Guards(**guards) if guards else None
    return desired


def change(worker, kafka, desired, check_mode=False, method="auto", client=True, **options):
    router = Router(Access(worker if client else None, "c", kafka, method, sleep=worker.sleep))
    return run_alone(ChangeItem(worker if client else None, "c", desired, router, sleep=worker.sleep, clock=worker.clock, **options), check_mode)


def refused(worker, kafka, desired, **options):
    with pytest.raises(errors.ConnectError) as caught:
        change(worker, kafka, desired, **options)
    return caught.value


def live(kafka):
    return {f"p{number}": offset for (_topic, number), offset in sorted(kafka.commits.get(GROUP, {}).items())}


# ---- the plain course ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("version, method, route", [("4.3.1", "auto", "rest"), ("4.3.1", "group", "group"), ("3.5.2", "auto", "group")])
@pytest.mark.parametrize("state", ["STOPPED", "RUNNING", "PAUSED"])
@pytest.mark.parametrize("desired, offsets", [
    (DesiredOffsets.present(pairs(p0=5)), {"p0": 5, "p1": 40}), (words({"timestamp": "1970-01-01T00:00:00.050Z"}), {"p0": 20, "p1": 30, "p2": 50}),
    (words({"shift_by": -1}), {"p0": 39, "p1": 39}),
])
def test_check_mode_predicts_what_then_happens(version, method, route, state, desired, offsets):
    kafka = kafka_with(p0=40, p1=40)
    worker = Worker(kafka, state, version)
    dry = change(worker, kafka, desired, check_mode=True, method=method, stop=True)
    assert live(kafka) == {"p0": 40, "p1": 40} and worker.calls == []
    real = change(worker, kafka, desired, method=method, stop=True)
    assert live(kafka) == offsets and real["changed"] and (real["method"], real["consumer_group"]) == (route, GROUP)
    for name in ("diff", "actions", "counts", "offsets", "warnings", "method", "method_reason", "consumer_group"):
        assert dry[name] == real[name]
    assert worker.state == state if state != "RUNNING" else worker.tasks == ["RUNNING"]


def test_the_diff_tells_what_is_there():
    kafka = kafka_with(p0=40, p1=40)
    result = change(Worker(kafka), kafka, words({"timestamp": "1970-01-01T00:00:00.050Z"}, ["t"]))
    assert result["diff"][0]["prepared"].splitlines() == [
        '{"kafka_partition": 0, "kafka_topic": "t"}: backward by 20, to the record of 1970-01-01T00:00:00.100Z',
        '{"kafka_partition": 1, "kafka_topic": "t"}: backward by 10, to the record of 1970-01-01T00:00:00.100Z',
        '{"kafka_partition": 2, "kafka_topic": "t"}: new, to the end of the log: no record of that time or later']


@pytest.mark.parametrize("guards, says", [({"max_rewind": 15}, "max_rewind is 15, but 1 partition of c would go further backward"),
                                          ({"max_skip": 1}, None)])
def test_guards_work_with_the_numbers(guards, says):
    kafka = kafka_with(p0=40, p1=40)
    desired = words({"timestamp": "1970-01-01T00:00:00.050Z"}, [{"name": "t", "partitions": [0, 1]}], **guards)
    if says:
        assert refused(Worker(kafka), kafka, desired).message.startswith(says) and live(kafka) == {"p0": 40, "p1": 40}
    else:
        assert change(Worker(kafka), kafka, desired)["changed"]


def test_only_forward():
    kafka = kafka_with(p0=10, p1=40)
    change(Worker(kafka), kafka, words({"timestamp": "1970-01-01T00:00:00.050Z"}, [{"name": "t", "partitions": [0, 1]}], direction="forward"))
    assert live(kafka) == {"p0": 20, "p1": 40}


def test_words_mean_what_is_committed_once_it_is_stopped():
    kafka = kafka_with(p0=10)
    worker = Worker(kafka, "RUNNING", "3.5.2")
    worker.on_stop = lambda: kafka.commits[GROUP].update({("t", 0): 12})
    result = change(worker, kafka, words({"shift_by": -2}), stop=True)
    assert live(kafka) == {"p0": 10} and result["actions"][0]["from"] == {"kafka_offset": 12}


def test_what_was_declared_in_numbers():
    """For whoever compares a run with its dry run: the same digest for the same numbers, whatever is live."""
    declared = words({"timestamp": "1970-01-01T00:00:00.050Z"}, ["t"])
    found = [change(Worker(kafka), kafka, declared, check_mode=True)["declared"] for kafka in (kafka_with(p0=10, p1=40), kafka_with(p0=20))]
    assert found[0] == found[1] and found[0]["offsets"] == pairs(p0=20, p1=30, p2=50) and found[0]["more"] == 0
    other = change(Worker(kafka_with(p0=10)), kafka_with(p0=10), words("latest", ["t"]), check_mode=True)["declared"]
    assert other["offsets"] == pairs(p0=50, p1=50, p2=50) and other["digest"] != found[0]["digest"]


# ---- workers that are too old -------------------------------------------------------------------------------------

@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("state, tasks", [("RUNNING", ["RUNNING"]), ("PAUSED", ["PAUSED"]), ("RUNNING", ["FAILED", "RUNNING"])])
def test_old_a_task_that_is_in_the_group(state, tasks, check_mode):
    kafka = kafka_with(p0=10)
    worker = Worker(kafka, state, "3.4.1", tasks)
    error = refused(worker, kafka, DesiredOffsets.present(pairs(p0=5)), stop=True, check_mode=check_mode)
    assert error.message.startswith(f"The connector c is {state} with ") and worker.calls == [] and live(kafka) == {"p0": 10}
    assert f"connector-consumer-c-{len(tasks) - 1} at 10.0.0.7" in error.message
    assert "Either delete the connector" in error.message and error.message.endswith("assume_stopped: true.")


@pytest.mark.parametrize("tasks", [["RUNNING"], ["FAILED", "PAUSED"], ["UNASSIGNED"]])
def test_old_tasks_that_are_in_another_group(tasks):
    kafka = kafka_with(p0=10)
    worker = Worker(kafka, "RUNNING", "3.4.1", tasks)
    kafka.members.clear()
    error = refused(worker, kafka, DesiredOffsets.present(pairs(p0=5)), stop=True)
    assert "but the consumer group connect-c has no members." in error.message and live(kafka) == {"p0": 10} and worker.calls == []


@pytest.mark.parametrize("stop, calls", [(True, ["restart_failed"]), (False, [])])
def test_old_a_task_that_failed_has_left_the_group(stop, calls):
    kafka = kafka_with(p0=10)
    worker = Worker(kafka, "RUNNING", "3.4.1", ["FAILED"])
    result = change(worker, kafka, DesiredOffsets.present(pairs(p0=11)), stop=stop)
    assert live(kafka) == {"p0": 11} and worker.calls == calls and result["method"] == "group"
    assert any("its offsets are changed as it is" in warning for warning in result["warnings"]) is not stop


# ---- without a connector, without a worker ------------------------------------------------------------------------

@pytest.mark.parametrize("desired, offsets", [
    (DesiredOffsets.present(pairs(p0=5)), {"p0": 5, "p1": 40}), (words("latest"), {"p0": 50, "p1": 50, "p2": 50}), (DesiredOffsets.absent(None), {}),
])
def test_a_sink_that_is_gone(desired, offsets):
    kafka = kafka_with(p0=40, p1=40)
    result = change(Worker(kafka, gone=True), kafka, desired)
    assert live(kafka) == offsets and (result["method"], result["connector_exists"], result["connector"]) == ("group", False, None)
    again = change(Worker(kafka, gone=True), kafka, desired, method="group")
    assert again["changed"] is False


def test_the_tasks_of_a_sink_just_deleted_are_waited_for():
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, gone=True)
    kafka.members[GROUP] = [[STRANGER], [STRANGER], []]
    assert change(worker, kafka, DesiredOffsets.present(pairs(p0=5)))["changed"] and worker.now > 0.5


@pytest.mark.parametrize("desired, method", [
    (DesiredOffsets.present(pairs(p0=5)), "auto"), (words("latest"), "auto"), (DesiredOffsets.absent(None), "group")])
def test_without_a_worker_nobody_has_to_say_that_nothing_runs(desired, method):
    kafka = kafka_with(p0=40)
    result = change(Worker(kafka), kafka, desired, client=False, method=method)
    assert result["changed"] and result["connector_exists"] is None and live(kafka) != {"p0": 40}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("client, gone", [(False, False), (True, True), (True, False)])
@pytest.mark.parametrize("version", ["4.3.1", "3.5.2"])
def test_a_stranger_in_the_group_is_waited_for_and_then_named(client, gone, version, check_mode):
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, gone=gone, version=version)
    kafka.members[GROUP] = [STRANGER]
    error = refused(worker, kafka, DesiredOffsets.present(pairs(p0=5)), client=client, check_mode=check_mode, wait_timeout=4)
    assert "consumer group connect-c has 1 member" in error.message and "rdkafka at 10.0.0.9" in error.message
    assert live(kafka) == {"p0": 40} and worker.now > 3


def test_a_stranger_is_named_once_it_is_stopped_and_the_state_is_put_back():
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, "RUNNING")
    worker.join = lambda: kafka.members.update({GROUP: [STRANGER]})
    error = refused(worker, kafka, DesiredOffsets.present(pairs(p0=5)), stop=True, wait_timeout=4)
    assert "rdkafka at 10.0.0.9" in error.message and worker.calls == ["stop", "resume"] and live(kafka) == {"p0": 40}
    assert error.message.endswith("The connector was restored: it is RUNNING with 1 task (RUNNING).")


@pytest.mark.parametrize("version", ["4.3.1", "3.5.2"])
@pytest.mark.parametrize("beside, told", [([STRANGER], True), ([], False)])
def test_a_stranger_beside_the_tasks_is_a_warning_before_anything_is_stopped(version, beside, told):
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, "RUNNING", version)
    kafka.members[GROUP] += beside
    result = change(worker, kafka, DesiredOffsets.present(pairs(p0=5)), stop=True, check_mode=True)
    warning = ("The consumer group connect-c of c has members other than its tasks, and as long as it has any Kafka accepts no offsets: "
               "rdkafka at 10.0.0.9.")
    assert (warning in result["warnings"]) is told


def test_tasks_that_cannot_be_told_from_others():
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, "RUNNING")
    kafka.members[GROUP] = [STRANGER]  # consumer.override.client.id
    result = change(worker, kafka, DesiredOffsets.present(pairs(p0=5)), stop=True, check_mode=True)
    assert [warning for warning in result["warnings"] if "somebody" in warning] == []


# ---- failures -----------------------------------------------------------------------------------------------------

def test_half_of_a_change_by_rest_is_told_and_put_back():
    kafka = kafka_with(p0=40, p1=40)
    worker = Worker(kafka)
    worker.removes = False
    error = refused(worker, kafka, DesiredOffsets.document([*pairs(p0=5), {"partition": part(1), "offset": None}]))
    assert error.message == ("Failed to alter consumer group offsets for connector c. 1 partition had been changed, and was rolled back: "
                             "the offsets "
                             "are as they were.")
    assert live(kafka) == {"p0": 40, "p1": 40}


def test_half_of_a_change_of_the_group_is_put_back():
    kafka = kafka_with(p0=40, p1=40)

    def half(name, offsets):
        kafka.commits[name][("t", 0)] = offsets[("t", 0)]
        raise errors.BrokerError("The brokers do not take it.")

    kafka.faults = [half]
    error = refused(Worker(kafka, version="3.5.2"), kafka, DesiredOffsets.present(pairs(p0=5, p1=6)))
    assert error.message == "The brokers do not take it. 1 partition had been changed, and was rolled back: the offsets are as they were."
    assert live(kafka) == {"p0": 40, "p1": 40}


@pytest.mark.parametrize("version", ["4.3.1", "3.5.2"])
@pytest.mark.parametrize("desired", [DesiredOffsets.present(pairs(p0=50)), words("latest", [{"name": "t", "partitions": [0]}])])
def test_what_was_accepted_but_not_done_is_an_error(version, desired):
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, version=version)
    worker.alter_offsets = lambda name, given: "The offsets for this connector have been altered successfully"
    kafka.faults = [lambda name, offsets: None]
    error = refused(worker, kafka, desired)
    assert "a fresh read shows something else for 1 partition" in error.message and "instead of {\"kafka_offset\": 50}" in error.message
    assert error.message.endswith("The offsets are as they were.")


@pytest.mark.parametrize("version", ["4.3.1", "3.5.2"])
def test_words_that_were_written_over_while_they_settle_are_made_again(version):
    kafka = kafka_with(p0=40)
    worker = Worker(kafka, version=version)
    late = [41]
    sleep = worker.sleep

    def task_comes_back(seconds):
        sleep(seconds)
        if late:
            kafka.commits[GROUP][("t", 0)] = late.pop()

    worker.sleep = task_comes_back
    result = change(worker, kafka, words("earliest", [{"name": "t", "partitions": [0]}]), settle=3)
    assert live(kafka) == {"p0": 0} and any("over the change within 3 s" in warning for warning in result["warnings"])


def test_a_commit_that_nobody_answers_is_read_back_and_repeated():
    kafka = kafka_with(p0=40)
    kafka.faults = [errors.WriteOutcomeUnknown("No certain answer.")]
    assert change(Worker(kafka, version="3.5.2"), kafka, DesiredOffsets.present(pairs(p0=5)))["changed"] and live(kafka) == {"p0": 5}


def test_a_group_that_is_made_anew_leaves_a_backup(tmp_path):
    kafka = kafka_with(p0=40, p1=41)
    result = change(Worker(kafka, version="3.5.2"), kafka, DesiredOffsets.absent([{"partition": part(0)}]))
    assert live(kafka) == {"p1": 41}
    with open(result["backup_file"], encoding="utf-8") as file:
        document = json.load(file)
    assert document["connectors"]["c"] == pairs(p0=40,
                                                p1=41) and document["method"] == "group" and document["cluster"]["consumer_group"] == GROUP


def test_others_that_are_lost_are_put_back():
    kafka = kafka_with(p0=40, p1=41)
    kafka.faults = [None, errors.BrokerError("Refused.")]
    error = refused(Worker(kafka, version="3.5.2"), kafka, DesiredOffsets.absent([{"partition": part(0)}]))
    assert error.message == "Refused. 2 partitions had been changed, and were rolled back: the offsets are as they were."
    assert live(kafka) == {"p0": 40, "p1": 41}


# ---- once, and back -----------------------------------------------------------------------------------------------

def once(tmp_path, worker, change_id="CHG-1", **options):
    return TrackedChange(FileLedger(str(tmp_path / "changes.jsonl")), "c", change_id, sleep=worker.sleep, clock=worker.clock, **options)


@pytest.mark.parametrize("version, gone", [("4.3.1", False), ("3.5.2", False), ("4.3.1", True)])
@pytest.mark.parametrize("reset_to", ["latest", {"shift_by": -10}, {"duration": "PT1H"}, {"timestamp": "1970-01-01T00:00:00.050Z"}])
def test_words_are_made_once_and_can_be_undone(tmp_path, version, gone, reset_to):
    kafka = kafka_with(p0=40, p1=45)
    worker = Worker(kafka, version=version, gone=gone)
    first = change(worker, kafka, words(reset_to), once=once(tmp_path, worker))
    made = live(kafka)
    assert first["changed"] and made != {"p0": 40, "p1": 45} and first["change"]["type"] == "sink"
    kafka.logs["t"] = [(0, 70, {}), (0, 70, {}), (0, 70, {})]  # the world moves on
    kafka.commits[GROUP][("t", 0)] = 60
    again = change(worker, kafka, words(reset_to), once=once(tmp_path, worker))
    assert (again["changed"], again["already_applied"]) == (False, True)
    error = refused(worker, kafka, words("earliest"), once=once(tmp_path, worker))
    assert error.message.startswith("The change CHG-1 of c was applied on ")
    back = change(worker, kafka, None, once=once(tmp_path, worker, undo=True))
    assert back["changed"] and live(kafka) == {"p0": 40, "p1": 45} and back["method"] == first["method"]
    assert change(worker, kafka, None, once=once(tmp_path, worker, undo=True))["changed"] is False


@pytest.mark.parametrize("version", ["4.3.1", "3.5.2"])
def test_a_change_in_words_that_did_not_end_is_finished_in_its_numbers(tmp_path, version):
    kafka = kafka_with(p0=40, p1=45)
    worker = Worker(kafka, version=version)

    class Killed(BaseException):
        pass

    def die(*arguments):
        kafka.commits[GROUP][("t", 0)] = 30  # half of it
        raise Killed

    kafka.faults = [die]
    alter, worker.alter_offsets = worker.alter_offsets, die
    with pytest.raises(Killed):
        change(worker, kafka, words({"shift_by": -10}), once=once(tmp_path, worker, run="m/999999999-1/x"))
    worker.alter_offsets = alter
    result = change(worker, kafka, words({"shift_by": -10}), once=once(tmp_path, worker))
    assert live(kafka) == {"p0": 30, "p1": 35} and result["change"]["phase"] == "applied"
    assert change(worker, kafka, None, once=once(tmp_path, worker, undo=True))["changed"] and live(kafka) == {"p0": 40, "p1": 45}


def test_a_lost_answer_of_a_sink_that_shows_nothing_yet_may_still_be_carried_out():
    connect = FakeConnect("STOPPED", live=[({"kafka_topic": "t", "kafka_partition": 0}, {"kafka_offset": 9})], kind="sink")
    connect.faults = {"alter": [errors.ResponseLost("no answer within 1 s")] * 99}
    with pytest.raises(errors.ResponseLost) as caught:
        run_alone(ChangeItem(connect, "c", DesiredOffsets.present([{"partition": {"kafka_topic": "t", "kafka_partition": 0}, "offset": {"kafka_offset": 5}}]),
                             wait_timeout=2, sleep=connect.sleep, clock=connect.clock), False)
    assert caught.value.message == "no answer within 1 s. The offsets are as they were so far; look again before you go on."
