# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The offsets-topic method with the oldest and the newest ansible-core: types and texts arrive on the topic as they were declared."""

from __future__ import annotations

import json

from tests.cores.support import RICH, typed
from tests.integration.support.configs import shaped

STEPS = {"check": True, "real": True, "again": False}


def test_the_topic_road(core, worker, make, endpoints, tmp_path):
    partition = {"name": "café-🚚", "n": 5, "text": "5"}
    name = make(shaped())
    wanted = [{"partition": partition, "offset": RICH}]
    options = {"name": name, "method": "topic", "offset_topic": endpoints["clusters"]["main"]["offset_topic"]}
    tasks = [{
        "name": f"Declare, {step}",
        "streamops.kafka_connect.connector_offsets": {**options, "offsets": "{{ wanted }}"},
        "check_mode": step == "check",
        "register": "done",
        "failed_when": f"done.changed != {changed} or done.method != 'topic' or done.offsets[0].offset.max | string != '{RICH['max']}'",
    } for step, changed in STEPS.items()]
    tasks.append({"streamops.kafka_connect.connector_offsets_info": options, "register": "live"})
    tasks.append({
        "name": "Give back what was shown",
        "streamops.kafka_connect.connector_offsets": {**options, "offsets": "{{ live.offsets }}"},
        "register": "done",
        "failed_when": "done.changed",
    })
    connection = {"kafka_connect_url": worker.url, "kafka_bootstrap_servers": endpoints["bootstrap_servers"]}
    (tmp_path / "play.json").write_text(json.dumps([{
        "hosts": "all", "gather_facts": False, "tasks": tasks,
        "vars": {"wanted": wanted, **connection, "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
    }]))
    done = core.run(tmp_path, "play.json")
    assert done.rc == 0, done.text
    (live,) = worker.offsets(name)
    assert typed(live) == typed(wanted[0])
