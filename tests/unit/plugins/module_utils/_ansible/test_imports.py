# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that needs the workers alone imports nothing of brokers, Kubernetes and the offsets topic: it would be a third of its time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

COLLECTION = "ansible_collections.streamops.kafka_connect.plugins"
UNUSED = {"confluent_kafka", "kubernetes", *(f"{COLLECTION}.module_utils.{name}" for name in (
    "_kafka.client", "_kubernetes.api", "_kubernetes.strimzi_client", "_stores.topic", "_stores.file_log", "_ledger.topic", "_semantics.mirror",
    "_codecs.offset_records"))}
PROGRAM = f"""
import json, sys
from importlib import import_module
import_module("{COLLECTION}.modules." + sys.argv[1])
print(json.dumps(sorted(set(json.loads(sys.argv[2])) & set(sys.modules))))
"""


@pytest.mark.parametrize("module", ["connector_offsets", "connector_offsets_bulk", "connector_offsets_import", "connector_state", "connector_info"])
def test_what_rest_does_not_need(module):
    done = subprocess.run([sys.executable, "-c", PROGRAM, module, json.dumps(sorted(UNUSED))], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == []
