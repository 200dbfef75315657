# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A change as the ledger remembers it."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Change


def change(change_id="CHG-1", connector="c", revision=1, run="r1", phase="started", begun="2026-01-31T12:00:00.000Z", **more):
    values = {
        "connector": connector, "change_id": change_id, "digest": "sha256:1", "phase": phase, "revision": revision, "run": run,
        "times": {"started": begun, phase: begun}, "who": {"user": "ops"}, "method": "rest", "offset_topic": None,
        "cluster": {"connect_url": "http://w:8083"}, "kind": "source", "state_to_restore": None,
        "before": [{"partition": {"p": 0}, "offset": None}], "after": [{"partition": {"p": 0}, "offset": {"n": 1}}], "records": None}
    return Change(**{**values, **more})
