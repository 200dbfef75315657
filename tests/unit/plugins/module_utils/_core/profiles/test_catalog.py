# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import CONNECT, decode_key, decode_value, new_key, new_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, check_map, same
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import schema
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN, FAMILIES, Catalog, recognised

EVERY = [one for _title, profiles in FAMILIES for one in profiles]
SHAPES = [pytest.param(one, number, id=f"{one['name']}-{number}") for one in EVERY for number in range(len(one.get("shapes", [])))]
POSTGRES = "io.debezium.connector.postgresql.PostgresConnector"


def shape_of(connector_class, partition):
    return BUILT_IN.find({"connector.class": connector_class}).shape_of(partition)


def test_all_profiles_are_what_a_user_may_write():
    assert list(schema.problems_of(EVERY, "profiles")) == []
    assert json.loads(json.dumps(EVERY)) == EVERY


def test_what_was_not_read_from_its_source_says_so():
    assert {one["name"] for one in EVERY if not one["verified"]} == {"confluent-s3-source", "confluent-kinesis-source", "object-store-sink"}
    assert all(one["source"] for one in EVERY)


def test_data_is_literal():
    """Constants, and no code that runs."""
    allowed = (ast.Assign, ast.ImportFrom, ast.Expr)
    found = [path for path in Path("plugins/module_utils/_core/profiles").glob("*.py") if "\nPROFILES = [" in path.read_text()]
    assert len(found) == 8
    for path in found:
        assert all(isinstance(node, allowed) for node in ast.parse(path.read_text()).body), path


@pytest.mark.parametrize("profile, number", SHAPES)
def test_an_example_goes_through_the_codec(profile, number):
    shape = BUILT_IN.find({"connector.class": profile["classes"][0]}).shapes[number]
    partition, offset = (check_map(shape.example[part], part) for part in ("partition", "offset"))
    names = shape.order(partition)
    name, read, form, _canonical = decode_key(new_key("c", partition, names))
    assert (name, form) == ("c", CONNECT) and same(read, partition) and same(decode_value(new_value(offset))[0], offset)
    assert names is None or list(read) == names
    assert BUILT_IN.find({"connector.class": profile["classes"][0]}).shape_of(partition) is shape


@pytest.mark.parametrize("config, name", [
    ({"connector.class": POSTGRES}, "debezium-postgresql"), ({"connector.class": "PostgresConnector"}, "debezium-postgresql"),
    ({"connector.class": "Postgres"}, "debezium-postgresql"), ({"connector.class": "JdbcSource"}, "jdbc-source"),
    ({"connector.class": "IcebergSinkConnector"}, None), ({"connector.class": "com.example.PostgresConnector"}, None),
    ({"connector.class": ""}, None), ({}, None), (None, None),
])
def test_a_profile_is_found_by_the_class(config, name):
    found = BUILT_IN.find(config)
    assert (found and found.name) == name


@pytest.mark.parametrize("connector_class, partition, fields", [
    ("io.debezium.connector.sqlserver.SqlServerConnector", {"server": "a", "database": "b"}, ["server", "database"]),
    ("io.debezium.connector.sqlserver.SqlServerConnector", {"server": "a"}, ["server"]),
    ("com.couchbase.connect.kafka.CouchbaseSourceConnector", {"bucket": "a", "partition": "1", "connector": "c"}, ["bucket", "partition", "connector"]),
    ("io.confluent.connect.jdbc.JdbcSourceConnector", {"table": "t", "protocol": "1"}, ["protocol", "table"]),
    ("io.confluent.connect.jdbc.JdbcSourceConnector", {"tables": "t"}, None),
])
def test_the_shape_follows_from_the_fields(connector_class, partition, fields):
    shape = shape_of(connector_class, partition)
    assert (shape and list(shape.partition)) == fields


def test_older_shapes_are_known_as_such():
    older = {shape.data["name"] for one in EVERY for shape in BUILT_IN.find({"connector.class": one["classes"][0]}).shapes if shape.is_older}
    assert older == {"debezium-sqlserver-1", "debezium-mongodb-2", "jdbc-source-protocol-0"}


def test_filepulse_keeps_its_own_order():
    shape = shape_of("io.streamthoughts.kafka.connect.filepulse.source.FilePulseSourceConnector", {"path": "landing", "name": "a.csv"})
    assert shape.order({"path": "landing", "name": "a.csv"}) == ["name", "path"]


@pytest.mark.parametrize("config, stores", [
    ({}, []), ({"exactlyOnce": "false"}, []), ({"exactlyOnce": "TRUE"}, ["a table of its own (connect_state by default)"]),
])
def test_a_store_can_depend_on_a_setting(config, stores):
    profile = BUILT_IN.find({"connector.class": "com.clickhouse.kafka.connect.ClickHouseSinkConnector"})
    assert [text.split(", if")[0] for text in profile.stores(config, "c")] == stores


def test_a_setting_that_wins_over_the_offset():
    profile = BUILT_IN.find({"connector.class": "org.neo4j.connectors.kafka.source.Neo4jConnector"})
    assert profile.overrides({"neo4j.ignore-stored-offset": "true"}) == ["neo4j.ignore-stored-offset is true: each start begins where neo4j.start-from says."]
    assert profile.overrides({"neo4j.ignore-stored-offset": "false"}) == [] == profile.overrides({})


def test_an_example_has_the_live_partition():
    profile = BUILT_IN.find({"connector.class": POSTGRES})
    assert profile.example() == EVERY[[one["name"] for one in EVERY].index("debezium-postgresql")]["shapes"][0]["example"]
    live = [Entry({"odd": "x"}, {"a": 1}), Entry({"server": "inv"}, {"lsn": 5})]
    assert profile.example(live) == {"partition": {"server": "inv"}, "offset": {"lsn": 5}}


# ---- profiles of a user -----------------------------------------------------------------------------------------------

OWN = {"name": "ours", "classes": ["com.example.OrdersSourceConnector"], "shapes": [{
    "partition": {"p": {"type": "string"}}, "offset": {"n": {"type": "int64", "required": True}}, "position": {"fields": ["n"], "compare": "number"},
    "example": {"partition": {"p": "a"}, "offset": {"n": 1}}}]}


def test_a_users_own_profile_wins():
    own = dict(OWN, classes=OWN["classes"] + [POSTGRES])
    catalog = Catalog([own])
    assert catalog.find({"connector.class": "com.example.OrdersSourceConnector"}).name == "ours" == catalog.find({"connector.class": POSTGRES}).name
    assert BUILT_IN.find({"connector.class": "com.example.OrdersSourceConnector"}) is None
    assert catalog.find({"connector.class": "OrdersSource"}).title == "ours"


def changed(**shape):
    return [dict(OWN, shapes=[dict(OWN["shapes"][0], **shape)])]


@pytest.mark.parametrize("profiles, says", [
    ({}, "own must be a list of profiles, it is the dictionary {}"),
    ([], "own must be a list of profiles, it is the list []"),
    (["x"], 'own[0] must be a dictionary, it is the text "x"'),
    ([{"name": "a"}], "own[0] lacks classes"),
    ([{"name": 5, "classes": []}], "own[0].name must be a text, it is the integer 5"),
    ([dict(OWN, clases=[])], "own[0] has the unknown key clases. Did you mean classes"),
    ([OWN, OWN], "own has the name ours twice. own has the class com.example.OrdersSourceConnector twice"),
    (changed(offset={"n": {"type": "long"}}), "own[0].shapes[0].offset.n.type must be one of string, int32, int64, double, boolean, it is the text \"long\""),
    (changed(position={"fields": ["m"], "compare": "number"}), "own[0].shapes[0].position names m, which is no field of its offset"),
    (changed(position={"fields": ["n"], "compare": "file"}), "position.fields must be two for compare: file"),
    (changed(example={"partition": {"p": 1}, "offset": {"n": 1}}), "own[0].shapes[0].example.partition.p is the integer 1, but its type is string"),
    (changed(example={"partition": {"p": "1"}, "offset": {}}), "own[0].shapes[0].example lacks n"),
    (changed(example={"partition": {"q": "1"}, "offset": {"n": 1}}), "own[0].shapes[0].example.partition has the field q, which is not in partition"),
])
def test_what_is_wrong_with_a_profile_is_said(profiles, says):
    with pytest.raises(schema.DeclarationError) as caught:
        schema.check_profiles(profiles, "own")
    assert says in caught.value.message


@pytest.mark.parametrize("type_, good, bad", [
    ("string", ["", "1", None], [1, True, 1.0]), ("int32", [0, -2**31, 2**31 - 1], [2**31, "1", True, 1.0]),
    ("int64", [2**63 - 1, -2**63], [2**63, "5", False, 5.0]), ("double", [1.5, 0.0], [1, "1.5"]), ("boolean", [True, False], [0, 1, "true"]),
])
def test_types(type_, good, bad):
    assert all(schema.fits(value, {"type": type_}) for value in good) and not any(schema.fits(value, {"type": type_}) for value in bad)


def test_a_type_of_an_earlier_version_fits_too():
    scn = shape_of("io.debezium.connector.oracle.OracleConnector", {"server": "a"}).field("scn")
    assert schema.fits("28815377", scn) and schema.fits(28815377, scn) and not schema.fits(True, scn)


def test_fields_that_begin_alike():
    shape = shape_of(POSTGRES, {"server": "a"})
    assert shape.field("transaction_data_collection_order_shop.orders")["type"] == "int64" and shape.field("lsn_x") is None


@pytest.mark.parametrize("partition, offset, unit", [
    ({"filename": "a"}, {"position": 1}, "byte"), ({"cluster": "e", "topic": "t", "partition": 0}, {"offset": 1}, "record"),
    ({"server": "inv"}, {"lsn": 5, "txId": 7}, "WAL byte"), ({"server": "inv"}, {"file": "bin.1", "pos": 7}, "byte"),
    ({"server": "inv"}, {"commit_lsn": "1"}, None),  # SQL Server before 2.0, and Db2
    ({"server": "inv"}, {"n": 1}, None), ({"filename": "a"}, {"position": 1, "line": 2}, None), ({"filename": "a"}, None, None), ("raw key", {"n": 1}, None),
])
def test_a_form_that_only_one_connector_has(partition, offset, unit):
    shape = recognised(partition, offset)
    before = {name: 0 if isinstance(value, int) else value for name, value in (offset or {}).items()}
    assert (shape and shape.unit(before, offset)) == unit
