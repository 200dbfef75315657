# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is there before the commands of a page are run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.docs.bench import Bench
from tests.integration.support.configs import file_sink, file_source

GUIDES = "docs/docsite/rst"


@dataclass(frozen=True)
class Scenario:
    """page: its blocks are run. prepare: None where a test with another stack does so. clusters: of the stack; hosts: their names in the
    inventory. brokers: whether the inventory that the page does not show has them; then the ledger is a topic. first: commands whose
    output no page shows, with files of their own."""

    page: str
    prepare: Callable[[Bench], None] | None = None
    clusters: tuple[str, ...] = ("main",)
    hosts: tuple[str, ...] = ("eu",)
    brokers: bool = True
    first: tuple[str, ...] = ()


def _source(bench: Bench) -> None:
    bench.source("orders-source", "orders")


def _nothing_yet(bench: Bench) -> None:
    bench.expect("orders-source", file_source(Path(bench.here("/tmp/orders.txt"))), "orders")
    bench.expect("orders-copy", file_sink("orders", Path(bench.here("/tmp/orders-copy.txt"))), "orders")


def _poisoned(bench: Bench) -> None:
    """A sink that has stored its first three records and fails on the fourth."""
    bench.topic("orders")
    bench.kafka.produce("orders", [json.dumps({"order": number}) for number in range(3)])
    bench.sink("orders-sink", "orders", **{"value.converter": "org.apache.kafka.connect.json.JsonConverter",
                                           "value.converter.schemas.enable": "false"})
    bench.settled()
    bench.kafka.produce("orders", ["not JSON", *(json.dumps({"order": number}) for number in (4, 5))])
    bench.failed("orders-sink")


def _delivered_for_two_days(bench: Bench) -> None:
    """Two partitions with a record an hour; nothing of the second one is of the second day."""
    bench.topic("orders", partitions=2)
    begin = datetime(2026, 1, 30, tzinfo=UTC).timestamp()
    bench.produce_at("orders", [(0, f"order {hour}", begin + hour * 3600 + 412 / 1000) for hour in range(30)]
                     + [(1, f"return {hour}", begin + hour * 3600) for hour in range(10)])
    bench.sink("orders-sink", "orders")


def _declared(bench: Bench) -> None:
    _source(bench)
    bench.write("replay.yml", """
        reset_offsets_change_id: CHG-1245
        reset_offsets_connectors:
          - name: orders-source
            offsets:
              - partition: {filename: /tmp/orders.txt}
                offset: {position: 0}
    """)


def _changed(bench: Bench) -> None:
    _source(bench)
    offsets = [{"partition": {"filename": "/tmp/orders.txt"}, "offset": {"position": 16}}]
    bench.write("changed.yml", json.dumps({
        "reset_offsets_change_id": "CHG-1244", "reset_offsets_requested_by": "jane",
        "reset_offsets_connectors": [{"name": "orders-source", "offsets": offsets, "final_state": "stopped"}]}))


def _to_be_moved(bench: Bench) -> None:
    """A source that is stopped on the old cluster, and is not on the new one."""
    bench.source("orders-source", "orders", "old")
    bench.stop("orders-source", "old")
    config = file_source(Path(bench.here("/tmp/orders.txt")), topic="orders")
    bench.write("group_vars/kafka_connect.yml", json.dumps({"orders_source_config": config}))


def _deleted(bench: Bench) -> None:
    """A source that was deleted, whose offset stays."""
    bench.source("orders-old", "orders")
    bench.delete("orders-old")


_RESET = "ansible-playbook -i inventory.yml streamops.kafka_connect.reset_offsets -e @"

SCENARIOS = {
    "readme": Scenario("README.md", _source, brokers=False),
    "first-reset": Scenario(f"{GUIDES}/guide_first_reset.rst", _nothing_yet, brokers=False),
    "skip-record": Scenario(f"{GUIDES}/guide_skip_record.rst", _poisoned),
    "replay-since": Scenario(f"{GUIDES}/guide_replay_since.rst", _delivered_for_two_days),
    "undo": Scenario(f"{GUIDES}/guide_undo.rst", _changed, first=(f"{_RESET}changed.yml",)),
    "fleet": Scenario(f"{GUIDES}/guide_fleets.rst", _source, clusters=("main", "wide"), hosts=("eu", "us"), brokers=False),
    "old-workers": Scenario(f"{GUIDES}/guide_old_workers.rst", _source, clusters=("v34",), hosts=("old",)),
    "migrate": Scenario(f"{GUIDES}/guide_migrate.rst", _to_be_moved, clusters=("main", "wide"), hosts=("old", "new")),
    "dry-run": Scenario(f"{GUIDES}/guide_dry_run.rst", _declared),
    "purge": Scenario(f"{GUIDES}/guide_export_import.rst", _deleted),
    "verify": Scenario(f"{GUIDES}/guide_verify_replay.rst", _source),
    "mirror": Scenario(f"{GUIDES}/guide_mirror.rst"),
    "mirror-reset": Scenario(f"{GUIDES}/guide_mirror_reset.rst"),
    "strimzi": Scenario(f"{GUIDES}/guide_strimzi.rst"),
}
