# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debezium reads the binlog of a real MariaDB again from where a change has set it back: file and position, not a single number."""

from __future__ import annotations

import json
import uuid

import pytest

from stack import ClusterSpec
from stack.mariadb import PASSWORD, USER, MariaDb
from tests.integration.conftest import cluster_of
from tests.integration.support.configs import entry
from tests.integration.support.worker import wait_until

SERVER = f"shop_{uuid.uuid4().hex[:8]}"
NAME, TOPIC, PART = f"cdc-{SERVER}", f"{SERVER}.shop.orders", {"server": SERVER}
#: rows of the first binlog file, and of the second one
FIRST, SECOND = (2, 3, 4), (5, 6)


class Shop:
    """A connector that has read row 1 in its snapshot, and the others as changes."""

    def __init__(self, cluster, kafka, database: MariaDb) -> None:
        self.worker, self._kafka, self.database = cluster.worker, kafka, database
        #: row -> the offset that was stored when it had been read
        self.stored: dict[int, dict] = {}

    def begin(self) -> None:
        self.database.sql("CREATE DATABASE shop; CREATE TABLE shop.orders (id INT PRIMARY KEY, item VARCHAR(20));"
                          "INSERT INTO shop.orders VALUES (1, 'figs')")
        plain = {f"{side}.converter{key}": value for side in ("key", "value")
                 for key, value in (("", "org.apache.kafka.connect.json.JsonConverter"), (".schemas.enable", "false"))}
        history = {"schema.history.internal.kafka.bootstrap.servers": self._kafka.bootstrap_servers,
                   "schema.history.internal.kafka.topic": f"{SERVER}.history"}
        self.worker.create(NAME, {
            "connector.class": "io.debezium.connector.mariadb.MariaDbConnector", "tasks.max": "1", "database.hostname": "127.0.0.1",
            "database.port": str(self.database.port), "database.user": USER, "database.password": PASSWORD, "database.server.id": "5400",
            "database.ssl.mode": "disable", "topic.prefix": SERVER, "table.include.list": "shop.orders", **history, **plain}, "RUNNING")
        wait_until(lambda: self.events() == [("r", 1)] and self.live(), reason="the snapshot")
        self.insert(*FIRST)
        self.database.sql("FLUSH BINARY LOGS")
        self.insert(*SECOND)

    def insert(self, *rows: int) -> None:
        for row in rows:
            # the offset of a row names the transactions before its own; an older offset may be stored late, at the next flush
            read = self.database.sql("SELECT @@gtid_binlog_pos").strip()
            self.database.sql(f"INSERT INTO shop.orders VALUES ({row}, 'crate {row}')")
            wait_until(lambda row=row, read=read: self.events()[-1] == ("c", row) and self.live()["gtids"] == read, reason=f"row {row}")
            self.stored[row] = self.live()

    def live(self) -> dict:
        found = self.worker.offsets(NAME)
        return found[0]["offset"] if found else {}

    def events(self) -> list[tuple[str, int]]:
        if not self._kafka.exists(TOPIC):
            return [("", 0)]
        return [(event["op"], event["after"]["id"]) for event in map(json.loads, filter(None, self._kafka.values(TOPIC)))] or [("", 0)]


@pytest.fixture(scope="module")
def shop(live_stack, kafka, tmp_path_factory):
    live_stack.up({"mariadb": ClusterSpec(plugins=("debezium-mariadb",))})
    database = MariaDb(tmp_path_factory.mktemp("mariadb"))
    made = Shop(cluster_of(live_stack, "mariadb"), kafka, database)
    try:
        database.start()
        made.begin()
        yield made
    finally:
        made.worker.delete(NAME)
        database.stop()


@pytest.fixture
def change(shop, run):
    """change(module="connector_offsets", **options) -> result, of this connector."""
    def change(module: str = "connector_offsets", **options) -> dict:
        return run(module, name=NAME, connect_url=[shop.worker.url], **options)
    return change


def test_shown_with_its_profile(shop, change):
    found = change("connector_offsets_info")
    assert found["offsets"] == [entry(PART, shop.stored[6])] and found["profile"]["name"] == "debezium-binlog"
    assert shop.stored[4]["file"] < shop.stored[6]["file"] and shop.stored[4]["pos"] > shop.stored[6]["pos"], shop.stored


@pytest.mark.parametrize(("row", "again"), [(5, [6]), (3, [4, 5, 6])], ids=["the same file", "the file before, at a greater position"])
def test_set_back(shop, change, row, again):
    before = shop.events()
    distance = shop.stored[6]["pos"] - shop.stored[5]["pos"] if row == 5 else None  # bytes of a file
    declared = {"offsets": [entry(PART, shop.stored[row])], "stop": True}
    dry = change(check=True, **declared)
    assert not dry["failed"] and shop.live() == shop.stored[6] and shop.worker.state(NAME) == ("RUNNING", ["RUNNING"])
    done = change(check_position="warn", check_position_timeout=30, **declared)
    assert not done["failed"] and done["actions"] == dry["actions"], done
    assert (done["actions"][0]["direction"], done["actions"][0]["distance"]) == ("backward", distance)
    assert done["position"]["verdict"] == "taken", done["position"]
    wait_until(lambda: len(shop.events()) >= len(before) + len(again), reason="the rows once more")
    assert shop.events()[len(before):] == [("c", one) for one in again]
    wait_until(lambda: shop.live() == shop.stored[6], reason="the end")


def test_guards_compare_file_and_position(shop, change):
    """Forward by file, though the position is a smaller number."""
    shop.worker.put(NAME, "stop")
    shop.worker.await_state(NAME, "STOPPED", [])
    try:
        assert change(offsets=[entry(PART, shop.stored[4])])["changed"]
        ahead = change(check=True, offsets=[entry(PART, shop.stored[6])])
        assert ahead["actions"][0]["direction"] == "forward"
        assert change(direction="forward", offsets=[entry(PART, shop.stored[3])])["changed"] is False
        assert change(direction="forward", offsets=[entry(PART, shop.stored[6])])["changed"] is True
    finally:
        shop.worker.put(NAME, "resume")
        shop.worker.await_state(NAME, "RUNNING", ["RUNNING"])


def test_a_lost_type_is_refused(shop, change):
    for check in (True, False):
        refused = change(check=check, stop=True, offsets=[entry(PART, {**shop.live(), "pos": "4"})])
        assert refused["failed"] and "pos" in refused["msg"] and "Nothing was changed" in refused["msg"], refused["msg"]
    assert shop.worker.state(NAME) == ("RUNNING", ["RUNNING"])


def test_a_new_snapshot(shop, change):
    before = shop.events()
    done = change(reset_to="resnapshot", stop=True)
    assert not done["failed"] and done["changed"] and done["offsets"] == [], done
    wait_until(lambda: len(shop.events()) >= len(before) + 6, reason="all rows")
    assert sorted(shop.events()[len(before):]) == [("r", row) for row in range(1, 7)]
