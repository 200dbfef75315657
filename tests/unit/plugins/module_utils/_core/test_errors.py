# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


@pytest.mark.parametrize("end, made", [
    (None, True),
    (errors.Refused("no", http_status=400), False), (errors.AccessDenied("no", http_status=403), False), (errors.NoConnector("no", http_status=404), False),
    (errors.NotStopped("no", http_status=409), False), (errors.Rebalancing("no", http_status=409), False), (errors.Unreachable("no"), False),
    (errors.Fenced("no"), False), (errors.GroupInUse("no"), False), (errors.StateError("no"), False),
    (errors.Refused("no", http_status=500), True), (errors.OutcomeUnknown("no", http_status=504), True), (errors.ResponseLost("no"), True),
    (errors.WriteOutcomeUnknown("no"), True), (errors.NotConnect("no", http_status=200), True), (KeyboardInterrupt(), True), (KeyError("ours"), True),
])
def test_what_may_have_been_changed(end, made):
    writes = errors.Writes()
    with contextlib.suppress(BaseException), writes.sending():
        if end is not None:
            raise end
    assert writes.made is made


def test_a_refusal_after_a_change_does_not_hide_it():
    writes = errors.Writes()
    for note_inside in (False, True):
        writes.made = not note_inside
        with contextlib.suppress(errors.ConnectError), writes.sending():
            if note_inside:
                writes.note()
            raise errors.Refused("no", http_status=400)
        assert writes.made
