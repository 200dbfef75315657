# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import reset_spec
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import Found, Reset, new_offsets, read_reset

#: 2026-01-31T12:00:00Z
NOON = 1769860800000
NOW = NOON / 1000 + 3600
HOUR = 3600000


@pytest.mark.parametrize("given, word, value", [
    ("earliest", "earliest", None), (" latest ", "latest", None), ({"earliest": None}, "earliest", None), ({"latest": True}, "latest",
                                                                                                           None),
    ({"timestamp": NOON}, "timestamp", NOON), ({"timestamp": str(NOON)}, "timestamp", NOON),
    ({"timestamp": "2026-01-31T12:00:00Z"}, "timestamp", NOON), ({"timestamp": "2026-01-31 13:00:00+01:00"}, "timestamp", NOON),
    ({"timestamp": "-2h"}, "duration", 2 * HOUR), ({"timestamp": "P1D"}, "duration", 24 * HOUR), ({"duration": "2h"}, "duration", 2 * HOUR),
    ('{"timestamp": "2026-01-31T12:00:00Z"}', "timestamp", NOON), ('{"shift_by": -2}', "shift_by", -2),
    ({"duration": "PT2H"}, "duration", 2 * HOUR), ({"duration": "P1DT12H"}, "duration", 36 * HOUR), ({"duration": "P2W"}, "duration",
                                                                                                     336 * HOUR),
    ({"duration": "pt90m"}, "duration", 90 * 60000), ({"duration": "PT1.5S"}, "duration", 1500), ({"duration": "P3D"}, "duration",
                                                                                                  72 * HOUR),
    ({"shift_by": -10}, "shift_by", -10), ({"shift_by": "+10"}, "shift_by", 10),
])
def test_what_it_can_be(given, word, value):
    reset = read_reset(given, now=NOW)
    assert (reset.word, reset.value, reset.topics) == (word, value, None)


@pytest.mark.parametrize("given, says", [
    ("first", 'reset_to must be earliest, latest, {timestamp: 2026-01-31T12:00:00Z}, {duration: PT2H}, {shift_by: -10} or resnapshot; it is the text '
              '"first".'),
    (5, "reset_to must be exactly one of earliest, "), ([], "reset_to must be exactly one of"), ({}, "reset_to must be exactly one of"),
    ({"timestamp": 1, "shift_by": 2}, "reset_to must be exactly one of"), ({"offset": 5}, "reset_to must be earliest, "),
    ({"earliest": 3}, "reset_to must be earliest, "), ("{", "reset_to is not JSON: "),
    ({"timestamp": "2026-01-31T12:00:00"}, "timestamp 2026-01-31T12:00:00 cannot be used: give milliseconds since the epoch, or a time such as "
                                           "2026-01-31T12:00:00Z, with its time zone (Z, +01:00, Europe/Berlin), or a length of time back from now such "
                                           "as 2h or P1D."),
    ({"timestamp": NOON // 1000}, "timestamp 1769860800 is 1970-01-21T11:37:40.800Z, as digits are milliseconds since the epoch. Most likely these are "
                                  "seconds, of 2026-01-31T12:00:00.000Z: give 1769860800000."),
    ({"timestamp": "yesterday"}, "timestamp yesterday cannot be used"), ({"timestamp": 1.5}, "reset_to: timestamp must be"),
    ({"timestamp": None}, "reset_to: timestamp must be milliseconds since the epoch or a time with its zone, it is null."),
    ({"timestamp": True}, "reset_to: timestamp must be"), ({"timestamp": -1}, "timestamp -1 cannot be used"),
    ({"timestamp": "2026-01-31T13:00:01Z"}, "reset_to: timestamp 2026-01-31T13:00:01Z is in the future (it is 2026-01-31T13:00:00.000Z "
                                            "now). To go "
                                            "to the end use reset_to: latest."),
    ({"duration": "two hours"}, "reset_to: duration must be weeks, days, hours, minutes and seconds back from now, such as 2h, 1d12h or PT2H; it is the "
                                'text "two hours".'),
    ({"duration": 7200}, "reset_to: duration must be"), ({"duration": "P1M"}, "reset_to: duration must be"),
    ({"duration": "P90000D"}, "reset_to: duration P90000D goes back to before 1970."),
    ({"shift_by": 1.0}, "reset_to: shift_by must be a whole number of records, negative to go back, it is the float 1.0."),
    ({"shift_by": "x"}, "reset_to: shift_by must be"), ({"shift_by": True}, "reset_to: shift_by must be"),
    ({"shift_by": 2**63}, "reset_to: shift_by must be"), ({"shift_by": 0}, "reset_to: shift_by is 0, which moves nothing."),
])
def test_what_it_cannot_be(given, says):
    with pytest.raises(DeclarationError) as caught:
        read_reset(given, now=NOW)
    assert caught.value.message.startswith(says)


@pytest.mark.parametrize("given, topics", [
    (["orders"], {"orders": None}), ([{"name": "orders"}], {"orders": None}),
    (["a", {"name": "b", "partitions": [0, "3"]}], {"a": None, "b": {0, 3}}), (['{"name": "b", "partitions": [1]}'], {"b": {1}}),
])
def test_topics(given, topics):
    assert read_reset("latest", given).topics == topics


@pytest.mark.parametrize("given, says", [
    ([], "topics must be a list of names, or of {name, partitions}, it is the list []."), ("t", "topics must be a list"),
    ([""], "topics[0] must be a topic's name, or a dictionary with name and partitions"), ([5], "topics[0] must be a topic's name"),
    ([{"topic": "t"}], "topics[0] must be a topic's name"), ([{"name": "t", "partition": 1}], "topics[0] must be a topic's name"),
    ([{"name": ""}], "topics[0].name must be a topic's name"), (["{"], "topics[0] is not JSON"),
    ([{"name": "t", "partitions": []}], "topics[0].partitions must be a list of numbers, it is the list []. Leave it out for all of them."),
    ([{"name": "t", "partitions": 3}], "topics[0].partitions must be a list of numbers, it is the integer 3."),
    ([{"name": "t", "partitions": [-1]}], "topics[0].partitions[0] must be a whole number from 0 on, it is the integer -1."),
    ([{"name": "t", "partitions": [2.0]}], "topics[0].partitions[0] must be a whole number from 0 on, it is the float 2.0."),
    ([{"name": "t", "partitions": [1, "1"]}], "topics[0].partitions lists a number twice"), (["t", {"name": "t"}], "topics lists t twice."),
])
def test_topics_refuse(given, says):
    with pytest.raises(DeclarationError) as caught:
        read_reset("latest", given)
    assert caught.value.message.startswith(says)


def test_equal_declarations_are_equal_whatever_they_mean_today():
    one = read_reset({"duration": "PT60M"}, ["b", {"name": "a", "partitions": [3, 1]}], now=1e9)
    other = read_reset('{"duration": "PT1H"}', [{"name": "a", "partitions": ["1", "3"]}, "b"], now=2e9)
    assert one.declared() == other.declared() == {"reset_to": "duration", "value": HOUR, "topics": {"a": [1, 3], "b": None}}
    assert read_reset("latest").declared() != read_reset("latest", ["a"]).declared() != read_reset("earliest", ["a"]).declared()


@pytest.mark.parametrize("reset, time", [(Reset("timestamp", 5), 5), (Reset("duration", 1000), 9000), (Reset("latest"), None)])
def test_time(reset, time):
    assert reset.time(now=10) == time


@pytest.mark.parametrize("reset, text", [
    (Reset("latest"), "latest"), (Reset("shift_by", -3), "shift_by: -3"), (Reset("timestamp", NOON), "timestamp: 2026-01-31T12:00:00.000Z"),
    (Reset("duration", 1500), "duration: 1.5 s")])
def test_text(reset, text):
    assert str(reset) == text


P = ("t", 0)


@pytest.mark.parametrize("reset, at_time, live, found", [
    (Reset("earliest"), None, 50, Found(10, "the beginning of the log", False)),
    (Reset("latest"), None, 50, Found(90, "the end of the log", False)),
    (Reset("timestamp", NOON), (40, NOON + 5), None, Found(40, "the record of 2026-01-31T12:00:00.005Z", False)),
    (Reset("duration", HOUR), (None, None), 3, Found(90, "the end of the log: no record of that time or later", False)),
    (Reset("shift_by", -10), None, 50, Found(40, "-10", False)), (Reset("shift_by", 40), None, 50, Found(90, "+40", False)),
    (Reset("shift_by", -40), None, 50, Found(10, "-40", False)),
    (Reset("shift_by", -41), None, 50, Found(10, "the beginning of the log, which holds fewer records", True)),
    (Reset("shift_by", 41), None, 50, Found(90, "the end of the log, which holds fewer records", True)),
    (Reset("shift_by", -1), None, 3, Found(10, "the beginning of the log, which holds fewer records", True)),
])
def test_new_offsets(reset, at_time, live, found):
    assert new_offsets(reset, [P], {P: (10, None)}, {P: (90, None)}, {P: at_time}, {P: live}) == {P: found}


@pytest.mark.parametrize("word, needs", [
    ("earliest", (True, False, False)), ("latest", (False, True, False)), ("timestamp", (True, True, True)), ("duration", (True, True, True)),
    ("shift_by", (True, True, False))])
def test_needs(word, needs):
    assert reset_spec.needs(Reset(word, 1)) == needs
