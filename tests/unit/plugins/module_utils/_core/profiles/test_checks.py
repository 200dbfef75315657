# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, OffsetsError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets, make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import told
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN, Catalog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.result import change_result, delivered_again

POSTGRES = "io.debezium.connector.postgresql.PostgresConnector"
MYSQL = "io.debezium.connector.mysql.MySqlConnector"
SQLSERVER = "io.debezium.connector.sqlserver.SqlServerConnector"
DATAGEN = "io.confluent.kafka.connect.datagen.DatagenConnector"
SERVER = {"server": "inv"}


def planned(connector_class, declared, live=(), force=False, is_own=False, guards=None):
    """declared: [(partition, offset)]; live: the same."""
    items = [{"partition": partition, "offset": offset} for partition, offset in declared]
    desired = DesiredOffsets.document(items) if is_own else DesiredOffsets.present(items)
    desired.force, desired.is_own, desired.guards = force, is_own, guards
    snapshot = Snapshot("c", "source", [Entry(*one) for one in live])
    snapshot.profile = BUILT_IN.find({"connector.class": connector_class})
    plan = make_plan(snapshot, desired)
    desired.check_guards(plan)
    return plan


@pytest.mark.parametrize("connector_class, partition, offset, says", [
    (POSTGRES, SERVER, {"lsn": "25565696"}, 'lsn is the text "25565696", and has to be a whole number'),  # N26
    (POSTGRES, SERVER, {"lsn_proc": 5}, "it lacks lsn"),
    (POSTGRES, SERVER, {"lsn": 5, "last_snapshot_record": "true"}, 'last_snapshot_record is the text "true", and has to be a boolean'),
    (POSTGRES, {"srv": "inv"}, {"lsn": 5}, "its partition has the field srv, while that of the connector has server."),
    (POSTGRES, {"server": 5}, {"lsn": 5}, "server is the integer 5, and has to be a text"),
    ("io.debezium.connector.oracle.OracleConnector", SERVER, {"scn": True}, "scn is the boolean true, and has to be a text"),
    (MYSQL, SERVER, {"file": "bin.000001"}, "it lacks pos"),
    (DATAGEN, {"task.id": 0}, {"current.iteration": 100}, "it lacks task.generation, random.seed"),  # N21
    (DATAGEN, {"task.id": "0"}, {"task.generation": 1, "current.iteration": 1, "random.seed": 1},
     'task.id is the text "0", and has to be a whole number of 32 bits'),
    ("com.couchbase.connect.kafka.CouchbaseSourceConnector", {"bucket": "b", "partition": 17}, {"bySeqno": 1},
     "partition is the integer 17, and has to be a text"),
    ("com.ibm.eventstreams.connect.mqsource.MQSourceConnector", {"source": "QM1/Q"}, {"sequence-id": "42"},
     'sequence-id is the text "42", and has to be a whole number'),  # N36
])
def test_what_a_connector_would_not_find_or_read_is_refused(connector_class, partition, offset, says):
    with pytest.raises(OffsetsError) as caught:
        planned(connector_class, [(partition, offset)])
    assert says in caught.value.message and "use force: true" in caught.value.message
    warnings = planned(connector_class, [(partition, offset)], force=True).warnings
    assert len(warnings) == 1 and says in warnings[0]
    assert planned(connector_class, [(partition, offset)], is_own=True).changed


@pytest.mark.parametrize("connector_class, partition, offset", [
    (POSTGRES, SERVER, {"lsn": 2**60, "transaction_id": None, "snapshot": "INITIAL", "incremental_snapshot_collections": "[]"}),
    (POSTGRES, SERVER, {"lsn": 5, "snapshot": True}),  # before Debezium 3.0
    ("io.debezium.connector.oracle.OracleConnector", SERVER, {"scn": 28815377}),
    ("com.mongodb.kafka.connect.MongoSourceConnector", {"ns": "mongodb://a/b"}, {"_id": '{"_data": "82"}', "copy": "true"}),
])
def test_what_it_reads_is_accepted(connector_class, partition, offset):
    assert planned(connector_class, [(partition, offset)]).warnings == []


def test_what_is_live_is_right():
    live = [({"srv": 1}, {"lsn": "7"})]
    plan = planned(POSTGRES, [({"srv": 2}, {"lsn": "8"})], live)
    assert plan.changed and not any("does not store" in text for text in plan.warnings)
    assert planned(POSTGRES, [({"srv": 1}, {"lsn": "8"})], live).warnings == []


def test_a_field_that_a_newer_version_may_have_is_a_warning():
    plan = planned(POSTGRES, [(SERVER, {"lsn": 5, "lsn_prok": 5})])
    assert plan.warnings == ['The offset of the partition {"server": "inv"} has fields that Debezium PostgreSQL is not known to have: lsn_prok. '
                             "Did you mean lsn_proc?"]


def test_a_field_that_nothing_live_has_is_of_the_profiles_type():
    with pytest.raises(OffsetsError) as caught:
        planned(POSTGRES, [(SERVER, {"lsn": 6, "lsn_commit": "5"})], [(SERVER, {"lsn": 5})])
    assert 'lsn_commit is the text "5"' in caught.value.message


def test_what_was_not_verified_is_a_warning():
    own = {"name": "ours", "classes": ["x.Y"], "verified": False, "shapes": [{
        "partition": {"p": {"type": "string"}}, "offset": {"n": {"type": "int64"}}, "example": {"partition": {"p": "a"}, "offset": {"n": 1}}}]}
    live = Snapshot("c", "source")
    live.profile = Catalog([own]).find({"connector.class": "x.Y"})
    plan = make_plan(live, DesiredOffsets.present([{"partition": {"p": "a"}, "offset": {"n": "1"}}]))
    assert plan.changed and len(plan.warnings) == 1 and 'n is the text "1"' in plan.warnings[0]


def test_an_older_form_is_told():
    plan = planned(SQLSERVER, [(SERVER, {"commit_lsn": "00000027:00000758:0005"})])  # N19
    assert plan.warnings == ['The partition {"server": "inv"} has the form of Debezium 1.9 and earlier. A connector with one database still finds it, '
                             "if it has no offset under server and database. One with several does not."]
    live = [Entry(SERVER, {"commit_lsn": "1"}), Entry(dict(SERVER, database="shop"), {"commit_lsn": "2"})]
    profile = BUILT_IN.find({"connector.class": SQLSERVER})
    assert [text.split(",")[0] for text in told.older_beside(profile, live)] == ["1 of the partitions"]
    assert told.older_beside(profile, live[:1]) == [] == told.older_beside(profile, live[1:])


# ---- guards and distances ---------------------------------------------------------------------------------------------

BINLOG = {"file": "bin.000009", "pos": 400, "row": 1, "event": 2}


@pytest.mark.parametrize("after, guards, says", [
    (dict(BINLOG, pos=150, row=0, event=0), Guards(max_rewind=250), None),
    (dict(BINLOG, pos=150, row=0, event=0), Guards(max_rewind=249), "by 250"),
    (dict(BINLOG, file="bin.000008", row=0), Guards(max_rewind=10**9), "by a distance that is not known"),
    (dict(BINLOG, file="bin.000008", row=0), Guards(max_skip=5), None),
    (dict(BINLOG, file="bin.000008", row=0), Guards(direction="backward"), None),
    (dict(BINLOG, row=0), Guards(max_skip=5), "its position says nothing of how far"),
])
def test_guards_of_a_binlog(after, guards, says):
    def run():
        return planned(MYSQL, [(SERVER, after)], [(SERVER, BINLOG)], guards=guards)

    if says is None:
        assert run().changed
        return
    with pytest.raises(DeclarationError) as caught:
        run()
    assert says in caught.value.message


def test_only_forward_leaves_a_binlog_that_is_beyond():
    plan = planned(MYSQL, [(SERVER, dict(BINLOG, file="bin.000008"))], [(SERVER, BINLOG)], guards=Guards(direction="forward"))
    assert not plan.changed


def test_text_without_an_order_is_never_compared():
    plan = planned("com.mongodb.kafka.connect.MongoSourceConnector", [({"ns": "a"}, {"_id": "9"})], [({"ns": "a"}, {"_id": "8"})])
    assert plan.changes[0].moved == ("unknown", None)


@pytest.mark.parametrize("after, says", [
    ({"lsn": 90, "txId": 4}, ["c goes back: 1 partition by 10 WAL bytes. What it has delivered in between is delivered again."]),
    ({"lsn": 110, "txId": 6}, []),
])
def test_how_far_it_goes_back_is_told_in_its_unit(after, says):
    assert delivered_again(planned(POSTGRES, [(SERVER, after)], [(SERVER, {"lsn": 100, "txId": 5})])) == says


def test_a_direction_without_a_distance():
    plan = planned(MYSQL, [(SERVER, dict(BINLOG, file="bin.000008"))], [(SERVER, BINLOG)])
    assert delivered_again(plan) == ["How far c goes back is not known of 1 partition. What it has delivered in between is delivered again."]
    result = change_result(plan, "rest", 0)
    assert (result["actions"][0]["direction"], result["actions"][0]["distance"]) == ("backward", None)
    assert result["diff"][0]["prepared"] == '{"server": "inv"}: backward\n'


# ---- what is told besides ---------------------------------------------------------------------------------------------

def test_the_slot_matters_only_on_the_way_back():
    profile = BUILT_IN.find({"connector.class": POSTGRES})
    back = planned(POSTGRES, [(SERVER, {"lsn": 90})], [(SERVER, {"lsn": 100})])
    ahead = planned(POSTGRES, [(SERVER, {"lsn": 110})], [(SERVER, {"lsn": 100})])
    assert [text.split(":")[0] for text in told.of_a_change(profile, {}, back)] == ["c also keeps its place elsewhere"]
    assert told.of_a_change(profile, {}, ahead) == []
    assert told.of_a_change(profile, {"snapshot.mode": "always"}, ahead) == [
        "c does not start from its offset: snapshot.mode is always: each start begins with a snapshot, whatever the offset says."]


@pytest.mark.parametrize("connector_class, before, after, field", [
    (POSTGRES, {"lsn": 100, "lsn_proc": 100}, {"lsn": 90, "lsn_proc": 100}, "lsn_proc"),
    (MYSQL, dict(BINLOG, gtids="u:1-9"), dict(BINLOG, gtids="u:1-9", pos=4), "gtids"),
    (MYSQL, dict(BINLOG, gtids="u:1-9"), dict(BINLOG, gtids="u:1-5", pos=4), None),
    (MYSQL, BINLOG, dict(BINLOG, pos=500), None),
    (POSTGRES, {"lsn": 100, "txId": 5}, {"lsn": 100, "txId": 6}, None),
])
def test_a_field_that_decides_and_stays(connector_class, before, after, field):
    plan = planned(connector_class, [(SERVER, after)], [(SERVER, before)])
    warnings = [text for text in told.of_a_change(plan.live.profile, {}, plan) if "may have no effect: " in text]
    assert warnings == ([f'The offset of the partition {{"server": "inv"}} may have no effect: {field} decides where c goes on, and it stays as it is.']
                        if field else [])


def test_bulk_mode_keeps_no_offsets():  # N11
    profile = BUILT_IN.find({"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector"})
    plan = planned("io.confluent.connect.jdbc.JdbcSourceConnector", [({"protocol": "1", "table": "orders"}, {"incrementing": 5})])
    assert "the mode bulk keeps no offsets" in told.of_a_change(profile, {"mode": "bulk"}, plan)[0]


def test_what_is_shown():
    profile = BUILT_IN.find({"connector.class": MYSQL})
    found = told.shown(profile, {"snapshot.mode": "always"}, "c", [Entry(SERVER, BINLOG)])
    assert found["example"] == {"partition": SERVER, "offset": BINLOG}
    assert found["shapes"][0]["partition"] == [{"name": "server", "type": "string", "meaning": "topic.prefix; before Debezium 2.0 database.server.name"}]
    assert [field["name"] for field in found["shapes"][0]["offset"]][:3] == ["file", "pos", "gtids"]
    assert found["overrides"] and found["verified"] is True and found["source"]
    assert told.shown(None, {}, "c") is None
    assert told.shown(BUILT_IN.find({"connector.class": "io.confluent.connect.s3.source.S3SourceConnector"}), {}, "c")["example"] is None
