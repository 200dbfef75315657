# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import clean, first_of, fit, table, unchanged, wrapped


def test_a_table():
    assert table([["NAME", "LAG", "WHERE"], ["orders", 12345, "eu"], ["café", None, "x" * 200]], right=(1,)) == [
        "NAME      LAG  WHERE",
        "orders  12345  eu",
        "café     None  " + "x" * 90 + "...",
    ]


def test_a_table_of_headings_alone():
    assert table([["A", "B"]]) == ["A  B"]


@pytest.mark.parametrize("text, room, shown", [("short", 5, "short"), ("longer", 5, "lo..."), ("longer", 2, "..."), ('a\n"b"\tc', 9, 'a "b" c')])
def test_fit(text, room, shown):
    assert fit(text, room) == shown


def test_clean_keeps_blanks():
    assert clean("a  b\r\n") == "a  b  "


@pytest.mark.parametrize("first, lines", [
    ("", ["word " * 20 + "word", "  word " + "word " * 8 + "word"]), ("  ", ["  " + "word " * 20 + "word", "  word word"])])
def test_wrapped(first, lines):
    found = wrapped("word " * (31 if not first else 23), first)
    assert found == lines and max(map(len, found)) <= 108


def test_a_path_stays_whole():
    path = "/tmp/" + "a-folder/" * 12 + "a file"
    assert wrapped("the file " + path) == ["the file", "  " + path.split()[0], "  file"]


def test_an_empty_paragraph():
    assert wrapped("") == [""]


@pytest.mark.parametrize("number, text", [(0, "0 keys"), (1, "1 key"), (2, "2 keys")])
def test_plural(number, text):
    assert plural(number, "key") == text


@pytest.mark.parametrize("most, lines", [(0, ["a", "b", "c"]), (3, ["a", "b", "c"]), (2, ["a", "b", "  ... and 1 more"])])
def test_first_of(most, lines):
    assert first_of(["a", "b", "c"], most) == lines


@pytest.mark.parametrize("problem, said", [
    ("", ""), ("It is empty", "It is empty. Nothing was changed."), ("It is empty.", "It is empty. Nothing was changed."),
    ("Did you mean a?", "Did you mean a? Nothing was changed.")])
def test_a_problem_before_the_first_change(problem, said):
    assert unchanged(problem) == said
