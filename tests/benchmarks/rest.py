# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The REST method."""

from __future__ import annotations

import gc
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

import requests
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.engine import run_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.item import ChangeItem
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets

from tests.benchmarks.measure import Cost, Row, alternate, cost, run, timed
from tests.benchmarks.peers import Bkkt, curl_patch

MODULES = "ansible_collections.streamops.kafka_connect.plugins.modules"
NUMBERS = itertools.count(1)
#: the least that a module can be which uses requests
BARE_MODULE = """
import requests
from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule(dict(url=dict(type="str", required=True)))
module.exit_json(changed=False, offsets=requests.get(module.params["url"], timeout=120).json()["offsets"])
"""


def partition(number: int) -> dict[str, str]:
    return {"filename": f"dir/f{number}"}


def pairs(count: int, offset: int) -> list[dict[str, object]]:
    return [{"partition": partition(number), "offset": {"n": offset}} for number in range(count)]


def stopped_connector(url: str, name: str, count: int) -> None:
    """A test connector that never runs, with so many partitions at offset 0."""
    config = {"connector.class": "streamops.test.ShapedSourceConnector", "topic": name, "alter.offsets": "accept"}
    body = {"name": name, "config": config, "initial_state": "STOPPED"}
    wait_for(lambda: requests.post(f"{url}/connectors", json=body, timeout=120).ok)  # 409: a rebalance of a worker that has just started
    wait_for(lambda: requests.get(f"{url}/connectors/{name}/status", timeout=120).ok)
    body = {"offsets": pairs(count, 0)}
    requests.patch(f"{url}/connectors/{name}/offsets", json=body, timeout=120).raise_for_status()


def wait_for(condition, patience: float = 60) -> None:
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise SystemExit("waited in vain")
        time.sleep(0.2)


def module(which: str, **arguments: object) -> float:
    """Seconds of a module as a process of its own, without Ansible around it."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"ANSIBLE_MODULE_ARGS": arguments}, file)
        file.flush()
        return timed(lambda: run([sys.executable, "-m", f"{MODULES}.{which}", file.name]))


def module_cost(which: str, **arguments: object) -> Cost:
    """What such a process takes."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"ANSIBLE_MODULE_ARGS": arguments}, file)
        file.flush()
        return cost([sys.executable, "-m", f"{MODULES}.{which}", file.name])


def module_peak_mib(which: str, **arguments: object) -> float:
    """The largest resident set of such a process, in MiB."""
    return module_cost(which, **arguments).mib


def no_op_task_against_uri(url: str, folder: Path) -> list[Row]:
    """A whole task of a playbook; what is counted is the growth from 1 task to 1 + TASKS."""
    tasks, name = 15, "noop"
    stopped_connector(url, name, 1)
    ours = {"streamops.kafka_connect.connector_offsets": {"connect_url": url, "name": name, "offsets": pairs(1, 0)}}
    bare = {"bare_get": {"url": f"{url}/connectors/{name}/offsets"}}
    theirs = {"ansible.builtin.uri": {"url": f"{url}/connectors/{name}/offsets"}}
    (folder / "bare_get.py").write_text(BARE_MODULE)

    def play(task: dict[str, object], count: int) -> float:
        file = folder / "play.json"
        file.write_text(json.dumps([{"hosts": "localhost", "gather_facts": False, "tasks": [task] * count}]))
        playbook = str(Path(sys.executable).with_name("ansible-playbook"))
        env = {"ANSIBLE_PYTHON_INTERPRETER": sys.executable, "ANSIBLE_LIBRARY": str(folder)}
        return timed(lambda: run([playbook, "-c", "local", "-i", "localhost,", str(file)], env))

    plays = [lambda task=task, count=count: play(task, count) for task in (ours, bare, theirs) for count in (1, 1 + tasks)]
    times = alternate(3, *plays)
    mine, least, uri = ((many - one) / tasks for one, many in zip(times[::2], times[1::2], strict=True))
    return [
        Row("(a) a no-op connector_offsets task against a uri GET task", mine, uri, 1.9),
        Row("(a) a GET by requests in a module that does nothing else", least, uri, 1.5),
    ]


def patch_against_curl(url: str, count: int, folder: Path) -> list[Row]:
    """Read, plan, patch and read back, against the bare request of the same body."""
    name, body = "patch", folder / "patch.json"
    stopped_connector(url, name, count)
    client = ConnectClient(Transport([url]))
    gc.disable()  # as the modules do, see _ansible.runner.run

    def ours() -> float:
        desired = DesiredOffsets.present(pairs(count, next(NUMBERS)))
        return timed(lambda: run_alone(ChangeItem(client, name, desired), check_mode=False))

    def theirs() -> float:
        body.write_text(json.dumps({"offsets": pairs(count, next(NUMBERS))}))
        return curl_patch(url, name, body)

    session = requests.Session()

    def least() -> float:
        """The same requests, and nothing done with what they answer."""
        data, offsets = json.dumps({"offsets": pairs(count, next(NUMBERS))}), f"{url}/connectors/{name}/offsets"
        calls = [("GET", None), ("GET", None), ("PATCH", data), ("GET", None)]
        headers = {"Content-Type": "application/json"}
        return timed(lambda: [session.request(verb, offsets, data=one, headers=headers, timeout=120).content for verb, one in calls])

    mine, curl, bare = alternate(7, ours, theirs, least)
    gc.enable()
    return [
        Row(f"(b) changing {count} partitions against one curl PATCH", mine, curl, 4.5),
        Row("(b) the same against the same requests by requests alone", mine, bare, 2),
    ]


def list_and_patch_against_bkkt(url: str, bkkt: Bkkt, counts: tuple[int, ...], folder: Path) -> list[Row]:
    """A process each: one that also reads back and compares (ours), and one that does not."""
    rows = []
    for count in counts:
        name, body = f"bkkt{count}", folder / "bkkt.json"
        stopped_connector(url, name, count)

        def ours(name=name, count=count) -> float:
            return module("connector_offsets", connect_url=[url], name=name, offsets=pairs(count, next(NUMBERS)))

        def theirs(name=name, count=count, body=body) -> float:
            body.write_text(json.dumps({"offsets": pairs(count, next(NUMBERS))}))
            return bkkt.patch(name, body)

        mine, other = alternate(7, lambda n=name: module("connector_offsets_info", connect_url=[url], name=n),
                                lambda n=name: bkkt.get(n))  # fmt: skip
        rows.append(Row(f"(c) listing {count} partition(s) against bkkt get", mine, other, 1.0))
        mine, other = alternate(7, ours, theirs)
        rows.append(Row(f"(c) changing {count} partition(s) against bkkt patch", mine, other, 1.0))
    return rows


def hundred_thousand(url: str) -> list[Row]:
    """Limits, no peer: seconds and MiB of the module's process, with the record in the ledger."""
    name, count = "many", 100_000
    stopped_connector(url, name, count)
    info = module("connector_offsets_info", connect_url=[url], name=name)
    reset = module("connector_offsets", connect_url=[url], name=name, state="absent")
    left = requests.get(f"{url}/connectors/{name}/offsets", timeout=120).json()["offsets"]
    if left:
        raise SystemExit(f"{len(left)} offsets left after the reset")
    requests.patch(f"{url}/connectors/{name}/offsets", json={"offsets": pairs(count, 0)}, timeout=120).raise_for_status()
    peak = module_peak_mib("connector_offsets", connect_url=[url], name=name, state="absent")
    return [
        Row("(d) info of 100,000 partitions against the limit", info, 60, 1.0),
        Row("(d) reset of 100,000 partitions against the limit", reset, 60, 1.0),
        Row("(d) memory of the reset against the limit", peak, 477, 1.0, "MiB"),
    ]
