# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Connect cluster of 1,000 stopped connectors: how many requests our modules send, and what they take against the bare requests."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from confluent_kafka import Producer

from stack import ClusterSpec, Stack
from tests.benchmarks.measure import Row, timed
from tests.benchmarks.rest import MODULES, NUMBERS, module, module_cost, wait_for
from tests.integration.support.proxy import Proxy

COUNT, FEW = 1000, 10
NAMES = [f"bench-{number:04}" for number in range(COUNT)]
PARTITION = {"p": 0}


def rows(folder: Path) -> list[Row]:
    stack = Stack(folder / "many", say=lambda line: print(line, file=sys.stderr, flush=True))
    try:
        stack.up({"main": ClusterSpec("4.3.1", offset_partitions=25)})
        ends = stack.endpoints()
        url, topic = ends["clusters"]["main"]["urls"][0], ends["clusters"]["main"]["offset_topic"]
        create(url, ends["bootstrap_servers"], topic)
        return [*counted(url, ends["bootstrap_servers"]), *against_bare_requests(url)]
    finally:
        stack.purge()


def create(url: str, brokers: str, topic: str) -> None:
    """The offsets are written to the topic: a thousand changes by REST would take minutes."""
    producer = Producer({"bootstrap.servers": brokers, "partitioner": "murmur2"})
    for name in NAMES:
        producer.produce(topic, json.dumps({"n": 0}).encode(), json.dumps([name, PARTITION], separators=(",", ":")))
    producer.flush(60)

    def one(name: str) -> None:
        config = {"connector.class": "streamops.test.ShapedSourceConnector", "topic": name, "alter.offsets": "accept"}
        body = {"name": name, "config": config, "initial_state": "STOPPED"}
        requests.post(f"{url}/connectors", json=body, timeout=120).raise_for_status()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, NAMES))
    wait_for(lambda: len(requests.get(f"{url}/connectors?expand=status", timeout=120).json()) == COUNT)


def declared(names: list[str]) -> list[dict]:
    offset = {"n": next(NUMBERS)}
    return [{"name": name, "offsets": [{"partition": PARTITION, "offset": offset}]} for name in names]


def sent(url: str, which: str, **arguments: object) -> list[str]:
    """The requests of one module, by a proxy that writes them down."""
    proxy = Proxy(url)
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"ANSIBLE_MODULE_ARGS": {**arguments, "connect_url": [proxy.url]}}, file)
            file.flush()
            subprocess.run([sys.executable, "-m", f"{MODULES}.{which}", file.name], check=True, stdout=subprocess.DEVNULL)
        return [f"{request.verb} {request.path}" for request in proxy.requests]
    finally:
        proxy.close()


def counted(url: str, brokers: str) -> list[Row]:
    ours = {"bootstrap_servers": [brokers]}
    found = {
        "connector_info": (sent(url, "connector_info"), 2),
        "connector_offsets_info, which looks for the offsets topic": (sent(url, "connector_offsets_info", **ours), 10),
        f"a change of {FEW}, 3 for each": (sent(url, "connector_offsets_bulk", connectors=declared(NAMES[:FEW])), 3 * FEW + 8),
        f"a change of {COUNT}, 3 for each": (sent(url, "connector_offsets_bulk", connectors=declared(NAMES)), 3 * COUNT + 100),
    }
    listed = [one for one in found[f"a change of {COUNT}, 3 for each"][0] if one.startswith("GET /connectors?")]
    return [*(Row(f"(o) {COUNT} connectors: requests of {what}", len(asked), most, 1.0, "") for what, (asked, most) in found.items()),
            Row(f"(o) {COUNT} connectors: lists of all, for a change of {COUNT}", len(listed), 5, 1.0, "")]


def against_bare_requests(url: str) -> list[Row]:
    """The same change without looking at anything else: for each connector a GET, a PATCH, and a GET."""
    def bare() -> None:
        with requests.Session() as session:
            for one in declared(NAMES):
                path = f"{url}/connectors/{one['name']}/offsets"
                session.get(path, timeout=120).raise_for_status()
                session.patch(path, json={"offsets": one["offsets"]}, timeout=120).raise_for_status()
                session.get(path, timeout=120).raise_for_status()

    info, theirs = module("connector_info", connect_url=[url]), timed(bare)
    bulk = module_cost("connector_offsets_bulk", connect_url=[url], connectors=declared(NAMES))
    return [
        Row(f"(o) {COUNT} connectors: connector_info", info, 15, 1.0),
        Row(f"(o) {COUNT} connectors: a change of all, against the bare requests", bulk.seconds, theirs, 1.5),
        Row(f"(o) {COUNT} connectors: memory of that", bulk.mib, 200, 1.0, "MiB"),
    ]
