# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debezium reads a real PostgreSQL again from where a run of ours has set it back, by a secured listener.

With ``lsn.flush.mode=manual`` Debezium does not confirm to the replication slot what it has read. By default it does, and
PostgreSQL then starts at the confirmed place, whatever the stored offset says.
"""

from __future__ import annotations

import json
import tempfile
import uuid

import pytest

from stack.postgres import Postgres
from tests.integration.support.configs import entry
from tests.integration.support.modules import PREDICTED, run_module
from tests.integration.support.secured import login
from tests.integration.support.topics import Kafka
from tests.integration.support.worker import Worker, wait_until

# New ones, so that a stack that is kept can be used again.
SERVER = f"inv_{uuid.uuid4().hex[:8]}"
NAME = f"pg-cdc-{SERVER}"
PART = {"server": SERVER}
TOPIC = f"{SERVER}.public.orders"
KEY = f'["{NAME}",{{"server":"{SERVER}"}}]'
ROWS = 5

#: case C30
C30 = {"transaction_id": None, "lsn_proc": 25565696, "messageType": "INSERT", "lsn_commit": 25565640, "lsn": 25565696, "txId": 491,
       "ts_usec": 1711929600000000}
HUGE = {**C30, "lsn": 9007199254740993, "lsn_proc": 9223372036854775807, "lsn_commit": -9223372036854775808}


class Inventory:
    """A connector that has read row 1 in its snapshot and rows 2 to 5 as changes."""

    def __init__(self, endpoints: dict, postgres: Postgres) -> None:
        cluster = endpoints["clusters"]["main"]
        self.worker = Worker(cluster["urls"][0])
        self.kafka = Kafka(endpoints["bootstrap_servers"])
        self.offset_topic = cluster["offset_topic"]
        self._options = login(endpoints["secured"], "SCRAM-SHA-512", "admin")
        self._postgres = postgres
        #: row -> the offset that was stored when it had been read
        self.stored = {}
        #: further changes behind these rows, by which tests know the end
        self.updates = 0

    def begin(self) -> None:
        self._postgres.psql("CREATE TABLE orders (id int PRIMARY KEY, item text); INSERT INTO orders VALUES (1, 'figs')")
        self.worker.create(NAME, {
            "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
            "tasks.max": "1",
            "plugin.name": "pgoutput",
            "database.hostname": "127.0.0.1",
            "database.port": str(self._postgres.port),
            "database.user": "postgres",
            "database.dbname": "postgres",
            "topic.prefix": SERVER,
            "table.include.list": "public.orders",
            "publication.autocreate.mode": "filtered",
            "slot.name": SERVER,
            "lsn.flush.mode": "manual",
            "key.converter": "org.apache.kafka.connect.json.JsonConverter",
            "key.converter.schemas.enable": "false",
            "value.converter": "org.apache.kafka.connect.json.JsonConverter",
            "value.converter.schemas.enable": "false",
        }, "RUNNING")
        wait_until(self.live, reason="the offset of the snapshot")
        for row in range(2, ROWS + 1):
            self._postgres.psql(f"INSERT INTO orders VALUES ({row}, 'crate {row}')")
            wait_until(lambda row=row: self.events()[-1] == ("c", row), reason=f"row {row}")
            self.await_end()
            self.stored[row] = self.live()
        assert self.events() == [("r", 1), *[("c", row) for row in range(2, ROWS + 1)]]

    def live(self) -> dict:
        """The offset as it lies on the topic."""
        return json.loads(self.raw() or "{}")

    def raw(self) -> str | None:
        return self.kafka.live_offsets(self.offset_topic, NAME).get(KEY)

    def events(self) -> list[tuple[str, int]]:
        """(r for a row of a snapshot, c for a new row, u for a changed one; its id) in their order."""
        return [(event["op"], event["after"]["id"]) for event in self._events()]

    def _events(self) -> list[dict]:
        return [json.loads(value) for value in self.kafka.values(TOPIC) if value]

    def await_end(self) -> None:
        """Until the stored offset is that of the last event."""
        wait_until(lambda: self.live().get("lsn") == self._events()[-1]["source"]["lsn"], reason="the offset of the last event")

    def run(self, check: bool = False, **options) -> dict:
        return run_module("connector_offsets", {
            "connect_url": [self.worker.url], "name": NAME, "method": "topic", "offset_topic": self.offset_topic, "wait_timeout": 60,
            **self._options, **options}, check=check)

    def info(self, **options) -> dict:
        return run_module("connector_offsets_info", {
            "connect_url": [self.worker.url], "name": NAME, "method": "topic", "offset_topic": self.offset_topic, **self._options,
            **options})

    def set(self, offset: dict, force: bool = True, **options) -> dict:
        """force: what it has stored has other fields at each kind of event."""
        return self.run(offsets=[entry(PART, offset)], force=force, **options)

    def stop(self) -> None:
        self.worker.put(NAME, "stop")
        self.worker.await_state(NAME, "STOPPED", [])

    def change(self) -> None:
        """One more event behind all others."""
        self._postgres.psql("UPDATE orders SET item = item || '!' WHERE id = 1")
        self.updates += 1

    def slot(self, column: str) -> int:
        """An LSN of the replication slot."""
        return int(self._postgres.psql(f"SELECT {column} - '0/0' FROM pg_replication_slots WHERE slot_name = '{SERVER}'"))

    def reads_again(self, before: list, rows: list[int]) -> None:
        """It runs, and writes exactly these rows besides the events before, and what tests have changed since."""
        self.worker.await_state(NAME, "RUNNING", ["RUNNING"])
        # Whatever else it wants to repeat comes before a change that is made now.
        self.change()
        expected = [*before, *[("c", row) for row in rows], *[("u", 1)] * self.updates]
        wait_until(lambda: len(self.events()) >= len(expected), reason=f"{expected}")
        assert self.events() == expected


@pytest.fixture(scope="module")
def inventory(secured_stack):
    # Not below pytest's folder: under root the server runs as another user, who may not enter it.
    with tempfile.TemporaryDirectory(prefix="streamops-postgres-") as folder:
        postgres = Postgres(folder)
        made = Inventory(secured_stack.endpoints(), postgres)
        try:
            postgres.start()
            made.begin()
            yield made
        finally:
            # First: a task that looks for its database is slow to stop.
            made.worker.delete(NAME)
            postgres.stop()


@pytest.fixture
def running(inventory) -> Inventory:
    if inventory.worker.state(NAME)[0] == "STOPPED":
        inventory.worker.put(NAME, "resume")
    inventory.worker.await_state(NAME, "RUNNING", ["RUNNING"])
    inventory.await_end()
    return inventory


@pytest.fixture
def stopped(inventory):
    """STOPPED for the test, and at the offset of the end after it if it is still STOPPED then."""
    inventory.stop()
    before = inventory.live()
    yield inventory
    if inventory.worker.state(NAME)[0] == "STOPPED" and inventory.live() != before:
        assert not inventory.set(before)["failed"]


def _same(checked: dict, done: dict) -> None:
    assert not done["failed"], done
    assert [done[word] for word in PREDICTED] == [checked[word] for word in PREDICTED]


def test_shown_as_it_is(running):
    live = running.live()
    found = running.info(history=True)
    assert found["offsets"] == [entry(PART, live)] == running.worker.offsets(NAME)
    assert found["warnings"] == []
    printed = json.dumps(found)
    assert all(json.dumps(offset["lsn"]) in printed for offset in running.stored.values())


def test_set_back_while_it_is_stopped(stopped):
    target = stopped.stored[2]
    before, live = stopped.events(), stopped.live()
    checked = stopped.set(target, check=True)
    assert stopped.live() == live
    done = stopped.set(target)
    _same(checked, done)
    assert (done["changed"], done["method"]) == (True, "topic")
    assert all("would lose fields" in one or "also keeps its place elsewhere: the replication slot" in one for one in done["warnings"])
    assert done["offsets_before"] == [entry(PART, live)]
    assert done["offsets"] == [entry(PART, target)] == stopped.worker.offsets(NAME)
    assert stopped.live() == target
    assert not stopped.set(target)["changed"]
    stopped.worker.put(NAME, "resume")
    stopped.reads_again(before, [3, 4, 5])


def test_set_back_with_stop(running, tmp_path):
    target = running.stored[4]
    before, live = running.events(), running.live()
    backup = str(tmp_path / "before.json")
    checked = running.set(target, stop=True, check=True)
    assert running.worker.state(NAME) == ("RUNNING", ["RUNNING"])
    assert running.live() == live
    done = running.set(target, stop=True, backup=True, backup_file=backup, check_position="warn", check_position_timeout=20)
    _same(checked, done)
    assert done["changed"]
    assert done["connector"]["state"] == "RUNNING"
    assert done["position"]["verdict"] == "taken" and done["position"]["partitions"][0]["committed"]["lsn"] > target["lsn"]
    assert done["backup_file"] == backup
    running.reads_again(before, [5])


def test_running_is_refused_without_stop(running):
    before, live = running.events(), running.live()
    refused = running.set(running.stored[2])
    assert refused["failed"]
    assert "stop: true" in refused["msg"]
    assert running.live() == live
    assert running.events() == before


@pytest.mark.parametrize("offset", [C30, HUGE], ids=["as found", "beyond 53 bits"])
def test_nulls_and_great_numbers(stopped, offset):
    """By a list of the play and by JSON text, in another order of fields."""
    _same(stopped.set(offset, check=True), stopped.set(offset))
    assert stopped.live() == offset
    assert '"transaction_id":null' in stopped.raw()
    for name in ("lsn", "lsn_proc", "lsn_commit"):
        assert f'"{name}":{offset[name]}' in stopped.raw()
    assert stopped.info()["offsets"] == [entry(PART, offset)] == stopped.worker.offsets(NAME)
    again = dict(reversed(offset.items()))
    assert not stopped.set(again)["changed"]
    assert not stopped.run(content=json.dumps([entry(PART, again)]))["changed"]


def test_null_field_does_no_harm_to_debezium(stopped):
    before = stopped.events()
    target = {"transaction_id": None, **stopped.stored[3]}
    assert stopped.set(target)["changed"]
    assert stopped.live() == target
    stopped.worker.put(NAME, "resume")
    stopped.reads_again(before, [4, 5])


def test_part_of_the_map_removes_the_rest(stopped):
    live = stopped.live()
    partial = {name: stopped.stored[3][name] for name in ("lsn", "lsn_proc", "lsn_commit")}
    for check in (True, False):
        refused = stopped.set(partial, force=False, check=check)
        assert refused["failed"] and "would lose fields that the live offset has" in refused["msg"] and stopped.live() == live
    checked = stopped.set(partial, check=True)
    done = stopped.set(partial)
    _same(checked, done)
    [action] = done["actions"]
    assert (action["action"], action["from"], action["to"]) == ("set", live, partial)
    diff = json.dumps(done["diff"])
    for gone in ("txId", "messageType", "ts_usec"):
        assert gone in diff
    before, after = (json.dumps([part[side] for part in done["diff"]]) for side in ("before", "after"))
    assert "messageType" in before and "messageType" not in after
    assert stopped.live() == partial
    assert stopped.set(live)["changed"]
    assert stopped.live() == live


def test_lsn_alone_is_no_change_of_the_others(stopped):
    """Moving one of three positions is what people do wrong; it is done as declared, and a warning names the one that decides."""
    live = stopped.live()
    wished = {**live, "lsn": stopped.stored[2]["lsn"]}
    done = stopped.set(wished, check=True)
    assert (done["actions"][0]["direction"], done["actions"][0]["distance"]) == ("unknown", None)
    assert any("may have no effect: lsn_proc decides where" in one for one in done["warnings"]), done["warnings"]
    assert stopped.live() == live


def test_a_new_snapshot(stopped):
    """Of all rows as they are now."""
    before, live = stopped.events(), stopped.live()
    checked = stopped.run(reset_to="resnapshot", check=True)
    assert stopped.live() == live and any("an execute-snapshot signal reads tables once more" in one for one in checked["warnings"])
    done = stopped.run(reset_to="resnapshot")
    _same(checked, done)
    assert done["changed"]
    assert done["offsets"] == []
    assert stopped.raw() is None
    assert stopped.worker.offsets(NAME) == []
    assert not stopped.run(state="absent")["changed"] and not stopped.run(reset_to="resnapshot")["changed"]
    stopped.worker.put(NAME, "resume")
    stopped.worker.await_state(NAME, "RUNNING", ["RUNNING"])
    wait_until(lambda: stopped.live().get("snapshot_completed"), reason="the snapshot's offset")
    wait_until(lambda: len(stopped.events()) == len(before) + ROWS, reason="all rows")
    assert sorted(stopped.events()[len(before):]) == [("r", row) for row in range(1, ROWS + 1)]


def test_a_slot_that_has_gone_on(running):
    """By default Debezium confirms to the replication slot what it has read. What is before that does not come again, whatever its
    offset is.

    Before restart_lsn of the slot its task fails instead.
    """
    running.worker.must("PUT", f"connectors/{NAME}/config", {**running.worker.config(NAME), "lsn.flush.mode": "connector"})
    running.worker.await_state(NAME, "RUNNING", ["RUNNING"])
    target = None
    while target is None or running.slot("restart_lsn") > target["lsn"]:
        target = running.live()
        for _time in range(2):
            running.change()
            running.await_end()
        wait_until(lambda: running.slot("confirmed_flush_lsn") >= running.live()["lsn"], reason="the slot to go on")
    before = running.events()
    done = running.set(target, stop=True, check_position="warn", check_position_timeout=4)
    assert not done["failed"] and done["position"]["verdict"] == "own_position", done.get("msg") or done["position"]
    assert any("It goes on from there whatever its offset is: the replication slot in the database" in one for one in done["warnings"])
    assert len(running.events()) - len(before) < 2, "at most the last event, which the slot had not confirmed"
    assert running.worker.state(NAME) == ("RUNNING", ["RUNNING"])
