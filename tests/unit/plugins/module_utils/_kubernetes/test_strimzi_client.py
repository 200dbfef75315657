# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hand-shake with the operator, with whatever can go wrong in it."""

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.routing import Router
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import connector_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import Lifecycle
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_manifests import manifests
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.strimzi_offsets import StrimziOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.configmap import ConfigMapLedger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import ConcurrentUpdate
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.select import open_ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.tracked_change import TrackedChange
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import Access
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.changes import change as ledger_change
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_strimzi import (
    MAPS,
    FakeKube,
    MirrorOperator,
    Operator,
    SlowOperator,
    connector,
    mirror,
)

EAST = MirrorOperator.connector
STATE_BEFORE, LOOK = "streamops.kafka-connect/state-before", "streamops.kafka-connect/look-again"
BIG = 2**53 + 1
AT_9 = [{"partition": {"f": "a"}, "offset": {"p": 9}}]


class Bench:
    def __init__(self, operator=None, resource=None, versions=("v1",), **options):
        self.kube = FakeKube(versions)
        self.operator = operator or Operator()
        self.kube.put(self.operator.path, resource or connector())
        self.kube.operator = self.operator
        self.operator.warning = None
        self.kube.sleep(0)  # it reports on what is there
        del self.kube.calls[:]
        self.client = StrimziOffsets(self.kube, "kafka", **options)

    @property
    def resource(self):
        return self.kube.objects[self.operator.path]

    @property
    def annotations(self):
        return self.resource["metadata"].get("annotations") or {}

    def annotate(self, **wanted):
        """As somebody else does: these are there then, and no others."""
        found = dict(self.resource, metadata=dict(self.resource["metadata"], annotations={
            "strimzi.io/" + name.replace("_", "-"): value for name, value in wanted.items()}))
        self.kube.put(self.operator.path, found)

    def data(self, name):
        return self.kube.objects[f"{MAPS}/{name}"]["data"]

    def change(self, desired, stop=True, name=None, check=False, once=None, **options):
        name = name or self.operator.connector
        time = {"sleep": self.kube.sleep, "clock": self.kube.clock}
        router = Router(Access(self.client, name, sleep=self.kube.sleep))
        return run_alone(ChangeItem(self.client, name, desired, router, stop=stop, once=once, **time, **options), check)


@pytest.fixture
def bench():
    return Bench()


# ---- list ---------------------------------------------------------------------------------------------------------

def test_list_is_fresh_and_exact(bench):
    """And no change, though it needs an annotation."""
    bench.kube.put(MAPS + "/listed", {"metadata": {"name": "listed"}, "data": {"offsets.json": '{"offsets": []}', "notes.txt": "mine"}})
    assert bench.client.offsets("orders") == [{"partition": {"f": "a"}, "offset": {"p": BIG}}]
    assert bench.data("listed")["notes.txt"] == "mine" and bench.annotations == {} and bench.operator.done == ["list"]
    # the old entry is gone before the annotation is set
    assert bench.kube.patches() == ["listed", "orders"] and not errors.WRITES.made


def test_only_the_entry_that_came_after_the_annotation_counts(bench):
    bench.kube.put(MAPS + "/listed", {"metadata": {"name": "listed"}, "data": {"offsets.json": '{"offsets": []}'}})

    def pretend(kube):  # somebody takes the annotation away
        bench.resource["metadata"].get("annotations", {}).pop("strimzi.io/connector-offsets", None)

    bench.kube.operator = pretend
    with pytest.raises(errors.WaitError, match="the ConfigMap listed has no entry offsets.json"):
        bench.client.offsets("orders")


def test_v1beta2_is_used_where_it_is_served():
    bench = Bench(Operator(version="v1beta2"), connector(pause=True), versions=("v1", "v1beta2"))
    assert bench.client.offsets("orders") and bench.client.status("orders")["connector"]["state"] == "PAUSED"
    assert bench.resource["spec"]["pause"] is True


def test_an_owner_that_is_gone_would_take_the_config_map_with_it(bench):
    owners = [{"kind": "KafkaConnector", "name": "orders", "uid": "old"}, {"kind": "KafkaConnector", "name": "orders", "uid": "u1"},
              {"kind": "Other", "name": "orders", "uid": "x"}]
    bench.kube.put(MAPS + "/listed", {"metadata": {"name": "listed", "ownerReferences": owners}, "data": {}})
    assert bench.client.offsets("orders")
    assert [one["uid"] for one in bench.kube.objects[MAPS + "/listed"]["metadata"]["ownerReferences"]] == ["u1", "x"]


def test_without_the_lines_the_message_has_them():
    bare = connector()
    del bare["spec"]["listOffsets"]
    with pytest.raises(errors.MethodError, match=r"listOffsets: \{toConfigMap: \{name: orders-offsets\}\}, under spec"):
        Bench(resource=bare).client.offsets("orders")
    lost = mirror()
    del lost["spec"]["mirrors"][1]["sourceConnector"]["alterOffsets"]
    lost["spec"]["mirrors"][1]["sourceConnector"]["state"] = "stopped"
    bench = Bench(MirrorOperator(live=AT_9 + [{"partition": {"f": "b"}, "offset": {"p": 1}}]), lost)
    with pytest.raises(errors.MethodError, match=r"alterOffsets: .* under spec.mirrors.1.sourceConnector"):
        bench.change(DesiredOffsets.absent([{"partition": {"f": "a"}}]))
    assert bench.operator.done == ["list"]


# ---- what is not there --------------------------------------------------------------------------------------------

def test_no_such_resource(bench):
    with pytest.raises(errors.NoConnector, match="There is no KafkaConnector other in the namespace kafka") as caught:
        bench.client.status("other")
    assert bench.client.explained(caught.value) is caught.value


@pytest.mark.parametrize("resource, name, words", [
    ("KafkaMirrorMaker2/mirror", "orders", "orders is no connector of a KafkaMirrorMaker2"),
    ("KafkaConnector/orders", EAST, "The KafkaConnector orders is the connector orders, not east"),
    ("other", "orders", "The KafkaConnector other is the connector other, not orders"),
])
def test_wrong_kind(resource, name, words):
    with pytest.raises(errors.DeclarationError, match=words):
        StrimziOffsets(FakeKube(), "kafka", resource).status(name)


def test_another_connect_cluster():
    with pytest.raises(errors.DeclarationError, match="belongs to the Connect cluster connect, not to other"):
        Bench(connect_cluster="other").client.status("orders")
    assert Bench(connect_cluster="connect").client.connectors().keys() == {"orders"}
    assert Bench(connect_cluster="other").client.connectors() == {}
    assert Bench(MirrorOperator(), mirror(), connect_cluster="other").client.status(EAST)["connector"]["state"] == "RUNNING"


def test_no_operator_has_reported(bench):
    bench.operator.deaf = True
    fresh = connector()
    fresh["metadata"]["name"] = "new"
    bench.kube.put(bench.operator.path.replace("orders", "new"), fresh)
    with pytest.raises(errors.StateError, match="No operator has reported on the connector new .*Connect cluster connect"):
        bench.client.status("new")


def test_why_it_is_not_ready(bench):
    bench.operator.deaf = True
    bench.resource["status"] = {"conditions": [
        {"type": "NotReady", "status": "True", "reason": "NoSuchResourceException", "message": "KafkaConnect connect does not exist"}]}
    with pytest.raises(errors.StateError, match="is not ready.*KafkaConnect connect does not exist."):
        bench.client.offsets("orders")


@pytest.mark.parametrize("call", ["status", "offsets"])
def test_reconciliation_is_paused(bench, call):
    bench.resource["metadata"]["annotations"] = {"strimzi.io/pause-reconciliation": "true"}
    with pytest.raises(errors.StateError, match="told to leave KafkaConnector/orders alone"):
        getattr(bench.client, call)("orders")
    assert bench.kube.patches() == []


def test_somebody_elses_operation_is_waited_for_then_refused(bench):
    bench.operator.deaf = True
    bench.annotate(connector_offsets="alter")
    with pytest.raises(errors.StateError, match="has the annotation strimzi.io/connector-offsets: alter already, which is not ours"):
        bench.client.offsets("orders")
    assert bench.kube.patches() == [] and bench.annotations == {"strimzi.io/connector-offsets": "alter"}
    bench.operator.deaf = False
    bench.annotate(connector_offsets="list")
    assert bench.client.offsets("orders") and bench.operator.done == ["list", "list"]


# ---- failures of an operation -------------------------------------------------------------------------------------

def test_an_operator_that_does_not_answer(bench):
    bench.operator.deaf = True
    with pytest.raises(errors.WaitError, match="Waited 120 s for the operator to list .*says nothing.*taken away again."):
        bench.client.offsets("orders")
    assert bench.annotations == {}  # it would be carried out some day


def test_a_failure_is_a_verdict_only_when_it_comes_again(bench):
    bench.operator.says = ("ListOffsets", "PATCH /connectors/orders/offsets returned 400")
    with pytest.raises(errors.Refused, match="cannot list .*returned 400. Its annotation was taken away again"):
        bench.client.offsets("orders")
    assert bench.annotations == {} and 4 <= bench.kube.now < 10


def test_a_warning_that_goes_away(bench):
    bench.operator.says, bench.operator.only_once = ("ListOffsets", "the object was modified"), True
    assert bench.client.offsets("orders")[0]["offset"] == {"p": BIG}
    assert bench.annotations == {} and bench.kube.now < 5  # made to look again, not waited for its timer


def test_what_may_pass_is_waited_for(bench):
    bench.operator.says = ("ListOffsets", "GET /connectors/orders/offsets returned 409")
    sleep, kube = bench.kube.sleep, bench.kube

    def later(seconds):
        if kube.now > 40:
            bench.operator.says = None
        sleep(seconds)

    kube.sleep = later
    assert bench.client.offsets("orders") and 40 < kube.now < 80


def test_what_is_doubtful_is_a_verdict_after_a_while(bench):
    bench.operator.says = ("ListOffsets", "GET /connectors/orders/offsets returned 500")
    with pytest.raises(errors.Refused, match="returned 500"):
        bench.client.offsets("orders")
    assert bench.annotations == {} and 14 <= bench.kube.now < 30


def test_the_warning_of_an_earlier_failure_is_no_verdict(bench):
    bench.annotate(connector_offsets="alter")  # of a connector that runs
    bench.kube.sleep(0)
    assert bench.resource["status"]["conditions"][1]["reason"] == "AlterOffsets"
    bench.annotate()
    assert bench.client.offsets("orders") and bench.operator.done == ["list"]


def test_an_annotation_that_cannot_be_taken_back_is_told(bench):
    bench.operator.deaf = True
    calls = []

    def deny(kube, path):
        calls.append(path)
        if len(calls) > 1:
            raise errors.KubeDenied("denied to patch")

    bench.kube.before_patch = deny
    with pytest.raises(errors.ConnectError, match=r"may still be there.*denied to patch.*kubectl annotate -n kafka KafkaConnector/orders"):
        bench.client.offsets("orders")


@pytest.mark.parametrize("word", ["alter", "reset"])
def test_not_stopped_is_known_before_anything_is_armed(bench, word):
    with pytest.raises(errors.NotStopped, match="orders is RUNNING, and its resource KafkaConnector/orders asks for running"):
        bench.client.alter_offsets("orders", AT_9) if word == "alter" else bench.client.reset_offsets("orders")
    assert bench.kube.patches() == []


def test_a_conflict_has_the_patch_made_anew(bench):
    edits = []

    def edit(kube, path):
        if len(edits) < 2:
            edits.append(path)
            kube.put(path, dict(kube.objects[path]))

    bench.kube.before_patch = edit
    assert bench.client.offsets("orders") and len(edits) == 2


# ---- alter --------------------------------------------------------------------------------------------------------

def test_alter_keeps_foreign_entries_and_exact_numbers():
    bench = Bench(resource=connector(state="stopped"))
    bench.kube.put(MAPS + "/wanted", {"metadata": {"name": "wanted"}, "data": {"notes.txt": "mine"}})
    bench.client.alter_offsets("orders", [{"partition": {"f": "a"}, "offset": {"p": BIG + 2}}])
    assert bench.operator.live == [{"partition": {"f": "a"}, "offset": {"p": BIG + 2}}]
    assert bench.data("wanted")["notes.txt"] == "mine" and str(BIG + 2) in bench.data("wanted")["offsets.json"]


def test_too_much_for_a_config_map_is_refused_before_anything_is_written():
    bench = Bench(resource=connector(state="stopped"))
    many = [{"partition": {"f": f"{'x' * 200}{number}"}, "offset": {"p": 1}} for number in range(6000)]
    with pytest.raises(errors.MethodError, match=r"would have \d+ bytes, but Kubernetes allows 1 MiB"):
        bench.change(DesiredOffsets.present(many))
    assert MAPS + "/wanted" not in bench.kube.objects and bench.operator.done == ["list"]


def test_a_config_map_that_others_have_filled_meanwhile():
    bench = Bench(resource=connector(state="stopped"))
    bench.kube.put(MAPS + "/wanted", {"metadata": {"name": "wanted"}, "data": {"notes.txt": "x" * (1024 * 1024 - 50)}})
    with pytest.raises(errors.MethodError, match="Kubernetes allows 1 MiB"):
        bench.client.alter_offsets("orders", AT_9)
    assert bench.annotations == {} and list(bench.data("wanted")) == ["notes.txt"]


# ---- the whole change ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("spec", [{}, {"state": "running"}, {"state": "paused"}, {"state": "stopped"}])
def test_a_change_from_start_to_end(spec):
    bench = Bench(resource=connector(**spec))
    result = bench.change(DesiredOffsets.present(AT_9))
    assert result["changed"] and result["method"] == "strimzi" and result["method_reason"] == "method: strimzi"
    assert result["resource"] == "KafkaConnector/orders" and result["state_before"] == (spec.get("state") or "running").upper()
    assert bench.operator.live == AT_9 and bench.resource["spec"] == connector(**spec)["spec"] and bench.annotations == {}
    assert bench.operator.done == (["list", "alter", "list"] if spec.get("state") == "stopped" else ["list", "list", "alter", "list"])
    again = bench.change(DesiredOffsets.present(AT_9))
    assert not again["changed"] and bench.operator.done[-1] == "list" and bench.operator.done.count("alter") == 1


def test_removal_and_reset(bench):
    bench.operator.live = AT_9 + [{"partition": {"f": "b"}, "offset": {"p": 1}}]
    bench.change(DesiredOffsets.absent([{"partition": {"f": "b"}}]))
    assert bench.operator.live == AT_9 and bench.operator.done.count("alter") == 1
    bench.change(DesiredOffsets.absent(None))
    assert bench.operator.live == [] and bench.operator.done.count("reset") == 1 and "state" not in bench.resource["spec"]


def test_without_stop_a_running_connector_is_refused(bench):
    with pytest.raises(errors.StateError, match="The connector orders is RUNNING"):
        bench.change(DesiredOffsets.present(AT_9), stop=False)
    assert bench.operator.done == ["list"] and bench.resource["spec"] == connector()["spec"]


def test_after_a_failure_the_state_is_put_back(bench):
    look = bench.operator.look

    def refuse(kube, found):
        altering = found["metadata"].get("annotations", {}).get("strimzi.io/connector-offsets") == "alter"
        bench.operator.says = ("AlterOffsets", "PATCH returned 400") if altering else None
        look(kube, found)

    bench.operator.look = refuse
    with pytest.raises(errors.Refused, match="PATCH returned 400.*The offsets are as they were.*The connector was restored: it is RUNNING"):
        bench.change(DesiredOffsets.present(AT_9))
    assert bench.annotations == {} and bench.resource["spec"] == connector()["spec"] and "alter" not in bench.operator.done


def test_an_operation_whose_end_was_not_seen_is_read_back(bench):
    """The operator alters, and cannot take the annotation away in time."""
    look = bench.operator.look

    def slow(kube, found):
        look(kube, found)
        if bench.operator.done[-1:] == ["alter"]:
            found["metadata"]["annotations"]["strimzi.io/connector-offsets"] = "alter"

    bench.operator.look = slow
    with pytest.raises(errors.ResponseLost, match="Waited 120 s for the operator to alter"):
        bench.client.stop("orders")
        bench.kube.sleep(1)
        bench.client.alter_offsets("orders", AT_9)
    assert bench.annotations.get("strimzi.io/connector-offsets") is None and bench.operator.live == AT_9


@pytest.mark.parametrize("shape", ["new", "old"])
def test_a_mirror(shape):
    live = [{"partition": {"cluster": "east", "partition": 0, "topic": "t"}, "offset": {"offset": 7}}]
    bench = Bench(MirrorOperator(live=live), mirror(shape))
    desired = DesiredOffsets.absent([{"partition": live[0]["partition"]}])
    result = bench.change(desired)
    assert result["changed"] and result["resource"] == "KafkaMirrorMaker2/mirror" and bench.operator.live == []
    assert bench.resource["spec"] == mirror(shape)["spec"] and bench.annotations == {}
    assert "east--west.MirrorSourceConnector.json" in bench.data("listed")


def test_a_mirror_that_nobody_has_and_one_that_two_have():
    bench = Bench(MirrorOperator(), mirror())
    with pytest.raises(errors.NoConnector, match="No KafkaMirrorMaker2 has the connector x->west.MirrorSourceConnector in"):
        bench.client.status("x->west.MirrorSourceConnector")
    other = mirror()
    other["metadata"]["name"] = "second"
    bench.kube.put(bench.operator.path.replace("/mirror", "/second"), other)
    with pytest.raises(errors.NoConnector, match="Several KafkaMirrorMaker2 have .*mirror, second. Say which one"):
        bench.client.status(EAST)
    named = StrimziOffsets(bench.kube, "kafka", "mirror")
    assert named.status(EAST)["connector"]["state"] == "RUNNING"
    with pytest.raises(errors.DeclarationError, match="KafkaMirrorMaker2/mirror has no connector x->west"):
        named.status("x->west.MirrorSourceConnector")


def test_all_connectors_of_a_mirror():
    bench = Bench(MirrorOperator(), mirror())
    assert list(StrimziOffsets(bench.kube, "kafka", "mirror").connectors()) == [EAST]
    assert list(StrimziOffsets(bench.kube, "kafka").connectors()) == [EAST]


def test_those_without_the_lines_are_left_out_of_all():
    bench = Bench()
    bare = connector()
    bare["metadata"]["name"] = "bare"
    del bare["spec"]["listOffsets"]
    bare["status"] = bench.resource["status"]
    bench.kube.put(bench.operator.path.replace("orders", "bare"), bare)
    found = OffsetsInfo(bench.client, None).all()
    assert [(one["name"], one["offsets_count"]) for one in found["connectors"]] == [("orders", 1)] and found["method"] == "strimzi"
    assert any("bare is left out: KafkaConnector/bare does not say where" in text for text in found["warnings"])


# ---- check mode ---------------------------------------------------------------------------------------------------

class Reader:
    def __init__(self, error=None):
        self.error = error

    def offsets(self, name):
        if self.error:
            raise self.error
        return [{"partition": {"f": "a"}, "offset": {"p": BIG}}]


def test_check_mode_writes_nothing(bench):
    bench.client = StrimziOffsets(bench.kube, "kafka", reader=Reader(), check_mode=True)
    predicted = bench.change(DesiredOffsets.present(AT_9), check=True)
    assert bench.kube.patches() == [] and predicted["changed"]
    bench.client = StrimziOffsets(bench.kube, "kafka")
    real = bench.change(DesiredOffsets.present(AT_9))
    assert {key: predicted[key] for key in ("diff", "actions", "offsets", "counts")} == {
        key: real[key] for key in ("diff", "actions", "offsets", "counts")}


@pytest.mark.parametrize("reader", [None, Reader(errors.Unreachable("nobody there"))])
def test_check_mode_without_a_worker_has_the_operator_list(bench, reader):
    bench.client = StrimziOffsets(bench.kube, "kafka", reader=reader, check_mode=True)
    assert bench.change(DesiredOffsets.present(AT_9), check=True)["changed"] and bench.operator.done == ["list"]
    assert set(bench.kube.patches()) == {"orders"} and bench.resource["spec"] == connector()["spec"] and bench.annotations == {}


@pytest.mark.parametrize("check_mode", [True, False])
def test_check_mode_of_what_lists_nothing_does_not_have_the_operator_look_again(bench, check_mode):
    bench.client = StrimziOffsets(bench.kube, "kafka", check_mode=check_mode)
    bench.operator.reached = bench.operator.seen = None
    bench.operator.refusal = lost
    bench.kube.sleep(0)
    with pytest.raises(errors.StateError, match="is not ready"):
        bench.client.status("orders")
    assert bool(bench.kube.patches()) is not check_mode


def test_check_mode_tells_what_would_have_to_be_applied(bench):
    bench.client = StrimziOffsets(bench.kube, "kafka", reader=Reader(), check_mode=True)
    found = bench.change(DesiredOffsets.present(AT_9), check=True)
    requests = list(bench.kube.calls)
    told = manifests(bench.client, "orders", found)
    assert json.loads(told["manifests"][0]["data"]["offsets.json"]) == {"offsets": AT_9}
    assert [one["description"].split(";")[0] for one in told["patches"]][0] == "Stop orders"
    assert bench.kube.calls == requests
    reset = bench.change(DesiredOffsets.absent(None), check=True)
    assert manifests(bench.client, "orders", reset)["manifests"] == []
    as_it_is = bench.change(DesiredOffsets.present([{"partition": {"f": "a"}, "offset": {"p": BIG}}]), check=True)
    assert manifests(bench.client, "orders", as_it_is) == {"manifests": [], "patches": []}


@pytest.mark.parametrize("entries, options", [
    (AT_9 + [{"partition": {"f": "b"}, "offset": {"p": 1}}], {"max_entries": 1}),
    ([{"partition": {"f": "https://user:s3cret@host/x"}, "offset": {"p": 1}}], {}),
])
def test_what_a_result_does_not_show_whole_is_not_there_to_be_applied(bench, entries, options):
    bench.client = StrimziOffsets(bench.kube, "kafka", reader=Reader(), check_mode=True)
    found = bench.change(DesiredOffsets.present(entries), check=True, **options)
    assert found["changed"] and manifests(bench.client, "orders", found) == {"manifests": None, "patches": None}


# ---- state --------------------------------------------------------------------------------------------------------

def lifecycle(bench):
    return Lifecycle(bench.client, "orders", 120, bench.kube.sleep, bench.kube.clock)


@pytest.mark.parametrize("spec", [{}, {"state": "running"}, {"pause": True}])
def test_stop_and_put_back(spec):
    bench = Bench(resource=connector(**spec))
    cycle = lifecycle(bench)
    found = cycle.read()
    assert cycle.stop(found).stopped and bench.resource["spec"]["state"] == "stopped"
    after = cycle.reach(found.state, cycle.read())
    assert after.state == found.state and bench.resource["spec"] == connector(**spec)["spec"]


def test_an_operator_that_missed_the_change_is_made_to_look(bench):
    """A lock on the Connect cluster can make it drop an event without a trace."""
    sleep = bench.kube.sleep

    def miss(seconds):
        if bench.kube.patches() and len(bench.kube.patches()) < 2:
            bench.operator.seen = bench.resource["metadata"]["resourceVersion"]
        sleep(seconds)

    bench.kube.sleep = miss
    assert lifecycle(bench).stop(lifecycle(bench).read()).stopped
    assert 20 <= bench.kube.now < 25 and bench.annotations == {STATE_BEFORE: '{"orders": null}'}


def test_a_stop_by_rest_does_not_last(bench):
    bench.operator.deaf = True
    bench.resource["status"]["connectorStatus"]["connector"]["state"] = "STOPPED"
    assert bench.client.status("orders")["connector"]["state"] == "UNASSIGNED"


# ---- what passes --------------------------------------------------------------------------------------------------

def refused(state, status):
    verb = {"STOPPED": "stop", "PAUSED": "pause", "RUNNING": "resume"}[state]
    call = f"PUT /connectors/orders/{verb} returned {status} ({status}): Unexpected status code"
    return "CompletionException", f"x.ConnectRestException: {call}"


def lost(state):
    return "IOException", "HTTP/1.1 header parser received no bytes"


def some(state, times, refusal):
    """A refusal for Operator: so many times for that state, then no more."""
    left = [None] * times
    return lambda wanted: left.pop() or refusal(wanted) if wanted == state and left else None


@pytest.mark.parametrize("spec", [{}, {"state": "running"}, {"state": "paused"}])
@pytest.mark.parametrize("at", ["stop", "restore"])
@pytest.mark.parametrize("times", [1, 2, 5])
@pytest.mark.parametrize("refusal", [lambda state: refused(state, 409), lambda state: refused(state, 500), lost])
def test_a_failure_that_passes_does_not_end_the_change(spec, at, times, refusal):
    bench = Bench(resource=connector(**spec))
    state = "STOPPED" if at == "stop" else (spec.get("state") or "running").upper()
    bench.operator.refusal = some(state, times, refusal)
    del bench.operator.tried[:]
    result = bench.change(DesiredOffsets.present(AT_9))
    assert result["changed"] and bench.client.warnings == [] and bench.operator.live == AT_9
    assert bench.resource["spec"] == connector(**spec)["spec"] and bench.annotations == {}
    assert bench.operator.tried.count(state) == times + 1 and bench.operator.done.count("alter") == 1
    assert result["connector"]["state"] == (spec.get("state") or "running").upper() == bench.operator.reached


@pytest.mark.parametrize("at", ["STOPPED", "RUNNING"])
def test_a_worker_that_is_away_for_8_seconds(bench, at):
    begun = []

    def away(state):
        if state != at:
            return None
        begun.append(bench.kube.now)
        return lost(state) if bench.kube.now < begun[0] + 8 else None

    bench.operator.refusal = away
    assert bench.change(DesiredOffsets.present(AT_9))["changed"] and bench.operator.live == AT_9
    assert bench.resource["spec"] == connector()["spec"] and bench.annotations == {} and bench.operator.reached == "RUNNING"
    assert 3 <= len(begun) <= 6  # asked to look again now and then


def test_a_worker_that_is_away_at_first(bench):
    bench.operator.reached = None
    bench.operator.refusal = lambda state: lost(state) if bench.kube.now < 8 else None
    bench.operator.seen = None
    bench.kube.sleep(0)
    assert "connectorStatus" not in bench.resource["status"]
    assert bench.change(DesiredOffsets.present(AT_9))["changed"] and bench.operator.live == AT_9 and bench.annotations == {}


def test_a_stop_that_is_given_up_is_taken_back(bench):
    bench.operator.refusal = lambda state: refused(state, 409) if state == "STOPPED" else None
    with pytest.raises(errors.WaitError) as caught:
        bench.change(DesiredOffsets.present(AT_9))
    assert "Waited 120 s for the operator to have orders stopped. KafkaConnector/orders is not ready" in caught.value.message
    assert "PUT /connectors/orders/stop returned 409" in caught.value.message and errors.WRITES.made
    assert "restored: it is RUNNING" in caught.value.message and 120 <= bench.kube.now < 150
    assert bench.resource["spec"] == connector()["spec"] and bench.annotations == {} and "alter" not in bench.operator.done
    bench.operator.refusal, tried = (lambda state: None), len(bench.operator.tried)
    bench.annotate(other="x")
    bench.kube.sleep(300)
    assert bench.operator.reached == "RUNNING" and "STOPPED" not in bench.operator.tried[tried:]


@pytest.mark.parametrize("spec", [{}, {"state": "paused"}])
def test_a_worker_that_does_not_come_back(spec):
    """Nothing can be seen any more: what the resource asks for is as before all the same."""
    bench = Bench(resource=connector(**spec))

    def away(state):
        bench.operator.reached = None  # nobody knows
        return lost(state)

    bench.operator.refusal = away
    with pytest.raises(errors.WaitError) as caught:
        bench.change(DesiredOffsets.present(AT_9))
    word = spec.get("state") or "running"
    assert f"The operator does it as soon as it can: KafkaConnector/orders asks for {word} again" in caught.value.message
    assert caught.value.message.count("header parser received no bytes") == 2 and errors.WRITES.made
    bench.client.close()
    assert bench.resource["spec"] == connector(**spec)["spec"] and bench.annotations == {} and 240 <= bench.kube.now < 300


def test_a_configuration_that_connect_refuses_ends_the_change_at_once(bench):
    text = "x.ConnectRestException: PUT /connectors/orders/config returned 400 (400): 1 error(s): Missing topics"
    bench.operator.refusal = lambda state: ("CompletionException", text) if state == "STOPPED" else None
    words = "Connect refuses the configuration of orders.*Missing topics.*restored: it is RUNNING"
    with pytest.raises(errors.StateError, match=words):
        bench.change(DesiredOffsets.present(AT_9))
    assert bench.kube.now < 5 and bench.resource["spec"] == connector()["spec"] and errors.WRITES.made


@pytest.mark.parametrize("spec", [{}, {"state": "running"}, {"state": "paused"}])
def test_a_declared_stop_that_does_not_come_about_is_taken_back(monkeypatch, spec):
    bench = Bench(resource=connector(**spec))
    monkeypatch.setattr(connector_state, "Lifecycle", lambda *_arguments: lifecycle(bench))
    bench.operator.refusal = lambda state: refused(state, 409) if state == "STOPPED" else None
    with pytest.raises(errors.WaitError, match="returned 409.*The stop was taken back: its resource asks for"):
        connector_state.declare_state(bench.client, "orders", "stopped", 120, False)
    assert errors.WRITES.made and bench.resource["spec"] == connector(**spec)["spec"]
    assert STATE_BEFORE not in bench.annotations


def test_a_stop_that_somebody_else_has_declared_is_left_alone(bench):
    bench.operator.refusal = lambda state: refused(state, 409) if state == "STOPPED" else None
    found = lifecycle(bench).read()
    bench.resource["spec"]["state"] = "stopped"
    bench.kube.put(bench.operator.path, bench.resource)
    bench.client.stop("orders")
    error = lifecycle(bench).take_stop_back(found, errors.WaitError("x."))
    assert error.message == "x." and bench.resource["spec"]["state"] == "stopped"


def test_a_slow_operator_gets_one_alter():
    """1.2 s a call of Connect: 8 s a pass. Each patch of the resource would void its end, and have the alter made once more."""
    bench = Bench(SlowOperator(0))
    bench.operator.seconds = 8
    result = bench.change(DesiredOffsets.present(AT_9))
    assert result["changed"] and bench.operator.done.count("alter") == 1 and bench.operator.live == AT_9, bench.operator.done
    assert bench.resource["spec"] == connector()["spec"] and bench.annotations == {} and bench.client._looking == set()
    assert bench.operator.done == ["list", "list", "alter", "list"]


def test_a_slow_operator_that_fails_once_gets_no_alter_too_many():
    """The pass that tries again must not be voided, either."""
    bench = Bench(SlowOperator(0), connector(state="stopped"))
    bench.operator.seconds = 8
    assert bench.client.offsets("orders")
    bench.operator.says, bench.operator.only_once = ("AlterOffsets", "PATCH /connectors/orders/offsets returned 409"), True
    bench.client.alter_offsets("orders", AT_9)
    assert bench.operator.done == ["list", "alter"] and bench.operator.live == AT_9


@pytest.mark.parametrize("call", ["stop", "offsets"])
def test_what_a_killed_run_has_left_goes_with_the_next_patch(bench, call):
    bench.resource["metadata"]["annotations"] = {LOOK: "1"}
    getattr(bench.client, call)("orders")
    assert LOOK not in bench.annotations


# ---- others -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("word", ["list", "alter"])
def test_a_listing_that_somebody_else_begins_at_the_same_moment_is_waited_for(word):
    bench = Bench(resource=connector(state="stopped"))
    begun = []

    def begin(kube, path):
        if path == bench.operator.path and not begun:
            begun.append(path)
            kube.sleep(0)
            bench.annotate(connector_offsets="list")

    bench.kube.before_patch = begin
    if word == "list":
        assert bench.client.offsets("orders")
        assert bench.operator.done == ["list"]  # the same for both
    else:
        bench.client.alter_offsets("orders", AT_9)
        assert bench.operator.done == ["list", "alter"] and bench.operator.live == AT_9
    assert begun and bench.annotations == {}


def test_a_listing_whose_entry_somebody_else_has_removed_is_made_again(bench):
    """Who lists at the same time removes it, to see a fresh one."""
    look, removed = bench.operator.look, []

    def remove(kube, found):
        look(kube, found)
        if bench.operator.done and not removed:
            removed.append(bench.data("listed").pop("offsets.json"))

    bench.operator.look = remove
    assert bench.client.offsets("orders") and removed and bench.operator.done == ["list", "list"]


def test_listings_of_others_without_end(bench):
    bench.operator.deaf = True
    bench.annotate(connector_offsets="list")
    with pytest.raises(errors.StateError, match="has the annotation strimzi.io/connector-offsets: list already"):
        bench.client.offsets("orders")
    assert bench.kube.now > 120 and bench.annotations == {"strimzi.io/connector-offsets": "list"}


# ---- restarts -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("broken", [True, False])
def test_a_restart_is_asked_for_once(bench, broken):
    bench.operator.broken, bench.operator.seen, bench.operator.reached = True, None, None
    bench.kube.sleep(0)
    cycle = lifecycle(bench)
    found = cycle.read()
    assert found.failed
    bench.operator.broken = broken
    after = cycle.start(found)
    assert after.failed is broken and bench.annotations == {}
    restarts = bench.operator.done.count("strimzi.io/restart")
    assert restarts == (2 if broken else 1) and bench.kube.now < 10  # its status is an event, too
    warnings = [text for text in bench.client.warnings if "did not restart orders" in text and "returned 500" in text]
    assert len(warnings) == broken
    bench.annotate(other="x")
    bench.kube.sleep(1)
    assert bench.operator.done.count("strimzi.io/restart") == restarts


def restarted(bench, monkeypatch, tasks, check_mode=False):
    monkeypatch.setattr(connector_state, "Lifecycle", lambda *given: lifecycle(bench))
    return connector_state.declare_restarted(bench.client, "orders", tasks, 60, check_mode)


@pytest.mark.parametrize("tasks, asked", [(["all"], ["strimzi.io/restart", "strimzi.io/restart-task"]), (["0"], ["strimzi.io/restart-task"])])
def test_parts_are_restarted_by_annotations(bench, monkeypatch, tasks, asked):
    assert restarted(bench, monkeypatch, tasks, check_mode=True)["changed"] and bench.operator.done == []
    assert restarted(bench, monkeypatch, tasks)["changed"]
    assert [name for name in bench.operator.done if "restart" in name] == asked and bench.annotations == {}
    assert not restarted(bench, monkeypatch, ["failed"])["changed"]


def test_what_the_operator_does_not_restart_is_a_failure(bench, monkeypatch):
    """What runs on is not FAILED, so that nothing else shows it."""
    bench.operator.refuses_restarts = True
    with pytest.raises(errors.StateError, match="The operator did not restart orders as asked for by the annotation strimzi.io/restart: .*"
                                                "returned 500 .*The annotation was taken away again"):
        restarted(bench, monkeypatch, ["all"])
    assert bench.annotations == {} and bench.client.warnings == []


# ---- ledger -------------------------------------------------------------------------------------------------------

def once(bench, change_id="CHG-1", undo=False):
    return TrackedChange(open_ledger({"ledger": "auto"}, bench.client, None), "orders", change_id, undo=undo, sleep=bench.kube.sleep,
                         clock=bench.kube.clock)


def test_a_change_is_made_once_and_can_be_undone(bench):
    first = bench.change(DesiredOffsets.present(AT_9), once=once(bench))
    assert first["changed"] and first["ledger"] == "the ConfigMap kafka/connect-offset-changes"
    bench.operator.live = [{"partition": {"f": "a"}, "offset": {"p": 77}}]
    again = bench.change(DesiredOffsets.present(AT_9), once=once(bench))
    assert again["already_applied"] and not again["changed"] and bench.operator.live[0]["offset"] == {"p": 77}
    undone = bench.change(None, once=once(bench, undo=True))
    assert undone["changed"] and bench.operator.live == [{"partition": {"f": "a"}, "offset": {"p": BIG}}]
    assert undone["change"]["phase"] == "restored" and undone["change"]["method"] == "strimzi"
    assert undone["change"]["cluster"]["resource"] == "KafkaConnector/orders"


def test_ledger_compares_and_sets(bench):
    one, other = ConfigMapLedger(bench.client), ConfigMapLedger(bench.client)
    first = ledger_change("A", connector="orders")
    one.put(first, None)
    one.put(first, None)  # an answer that got lost
    with pytest.raises(ConcurrentUpdate):
        other.put(ledger_change("A", connector="orders", run="x", revision=2), None)
    assert [found.change_id for found in other.changes("orders")] == ["A"] and other.changes("x") == []
    labels = bench.kube.objects[MAPS + "/connect-offset-changes"]["metadata"]["labels"]
    assert labels == {"app.kubernetes.io/managed-by": "streamops.kafka_connect"}


def test_a_full_ledger_makes_room_with_what_is_over(bench):
    kept = ConfigMapLedger(bench.client)
    rows = [{"partition": {"f": "x" * 1000}, "offset": None}] * 290
    for number in range(3):
        kept.put(ledger_change(f"C{number}", connector="orders", phase="applied" if number else "started", before=rows,
                               begun=f"2026-01-0{number + 1}T00:00:00.000Z"), None)
    kept.put(ledger_change("new", connector="orders", before=rows, begun="2026-02-01T00:00:00.000Z"), None)
    assert [one.change_id for one in kept.changes("orders")] == ["C0", "C2", "new"] and "1 oldest changes" in kept.warnings[0]
    with pytest.raises(errors.ConnectError, match="has no room for this change"):
        kept.put(ledger_change("huge", connector="orders", before=rows * 5), None)


def test_two_mirrors_with_connectors_of_one_name_have_changes_of_their_own():
    bench = Bench(MirrorOperator(), mirror())
    other = mirror()
    other["metadata"]["name"] = "second"
    bench.kube.put(bench.operator.path.replace("/mirror", "/second"), other)
    one, two = (ConfigMapLedger(StrimziOffsets(bench.kube, "kafka", name)) for name in ("mirror", "second"))
    one.put(ledger_change("A", connector=EAST), None)
    assert two.changes(EAST) == [] and len(one.changes(EAST)) == 1 and len(ConfigMapLedger(bench.client).changes()) == 1


def test_changes_of_a_connector_that_is_gone_are_still_there(bench):
    kept = ConfigMapLedger(bench.client)
    kept.put(ledger_change("A", connector="orders"), None)
    del bench.kube.objects[bench.operator.path]
    assert [one.change_id for one in ConfigMapLedger(StrimziOffsets(bench.kube, "kafka")).changes("orders")] == ["A"]
