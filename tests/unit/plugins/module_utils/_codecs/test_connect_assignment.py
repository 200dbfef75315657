# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.connect_assignment import CONNECTOR, running
from ansible_collections.streamops.kafka_connect.tests.unit.plugins.module_utils.fake_kafka import assignment, metadata

#: seen on a cluster of 4.3.1
REAL = (b"\x00\x02\x00\x00\x00<connect-127.0.0.1:21002-b70f8fb3-b805-481f-9984-78e066d93b41\x00\x17http://127.0.0.1:21002/"
        b"\x00\x00\x00\x00\x00\x00\x00\x05\x00\x00\x00\x01\x00\x04a/\xc3\xbc\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x01"
        b"\x00\x00\x00\x00\x00\x00\x00\x00")


def test_real_bytes():
    assert running(b"", REAL) == {("a/ü", 0), ("a/ü", 1)}
    assert running(metadata(2), REAL) == {("a/ü", 0), ("a/ü", 1)}


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("tasks, found", [
    ({}, set()), ({"c": []}, set()), ({"c": [0]}, {("c", 0)}),
    ({"c": [CONNECTOR, 0, 5], "d": [CONNECTOR]}, {("c", -1), ("c", 0), ("c", 5), ("d", -1)}),
    ({"café 🚚": [1]}, {("café 🚚", 1)}),
])
def test_assigned(version, tasks, found):
    assert running(metadata(version), assignment(version, tasks)) == found
    assert running(b"", assignment(version, tasks, {})) == found


@pytest.mark.parametrize("had, given, revoked, found", [
    ({"c": [-1, 0]}, {}, {}, {("c", -1), ("c", 0)}),
    ({"c": [-1, 0]}, {"d": [1]}, {}, {("c", -1), ("c", 0), ("d", 1)}),
    ({"c": [-1, 0]}, {}, {"c": [0]}, {("c", -1)}),
    ({"c": [-1, 0]}, {"d": [0]}, {"c": [-1, 0]}, {("d", 0)}),
    ({"c": [0]}, {"c": [1]}, {"c": [0], "x": [3]}, {("c", 1)}),
])
@pytest.mark.parametrize("version", [1, 2])
def test_an_incremental_assignment_adds_to_what_was_there(version, had, given, revoked, found):
    assert running(metadata(version, assignment(version, had)), assignment(version, given, revoked)) == found


@pytest.mark.parametrize("version", [1, 2])
def test_in_the_middle_of_a_rebalance_a_worker_has_what_it_had(version):
    assert running(metadata(version, assignment(version, {"c": [0]})), b"") == {("c", 0)}
    assert running(metadata(version, b""), assignment(version, {})) == set()


def test_nobody_has_anything():
    assert running(b"", b"") == running(metadata(0), b"") == running(metadata(2), b"") == set()


@pytest.mark.parametrize("data", [assignment(0, {"c": [0, 1], "d": [2]}), REAL[:-4]])
def test_bytes_that_are_cut_off(data):
    assert len(running(b"", data)) >= 2
    for size in range(1, len(data)):
        with pytest.raises(ValueError, match="no Connect protocol: "):
            running(b"", data[:size])


def test_metadata_that_is_cut_off():
    data = metadata(2, assignment(2, {"c": [0]}, {}))
    for size in range(1, len(data) - 8):  # what is revoked is not looked at there, nor is the delay
        with pytest.raises(ValueError, match="no Connect protocol: "):
            running(data[:size], b"")


@pytest.mark.parametrize("data", [
    b"\xff", b"garbage" * 9, b"\x00\x01\x00\x00\x00\x02\xff\xfe" + bytes(40), assignment(0, {})[:-4] + b"\x7f\xff\xff\xff",
    assignment(0, {"c": []})[:-4] + b"\x7f\xff\xff\xff",
])
def test_bytes_of_another_kind(data):
    with pytest.raises(ValueError, match="no Connect protocol: "):
        running(b"", data)


def test_the_same_bytes_are_read_once():
    """They name all connectors of a worker, and with a thousand of them they are looked at for each."""
    data = assignment(2, {f"c{number}": [0] for number in range(1000)}, {})
    assert running(metadata(2), data) is running(bytes(bytearray(metadata(2))), bytes(bytearray(data)))
