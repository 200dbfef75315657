# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Java's property files; the same text goes through Java itself in tests/integration/test_offset_file.py."""

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import properties


@pytest.mark.parametrize("text, found", [
    ("", {}),
    ("a=b", {"a": "b"}),
    ("a=b\nc=d\r\ne=f\rg=h", {"a": "b", "c": "d", "e": "f", "g": "h"}),
    ("  a  =  b  ", {"a": "b  "}),
    ("a:b", {"a": "b"}),
    ("a b", {"a": "b"}),
    ("a\t:\fb", {"a": "b"}),
    ("a = = b", {"a": "= b"}),
    ("a==b", {"a": "=b"}),
    ("a", {"a": ""}),
    ("a=", {"a": ""}),
    ("=b", {"": "b"}),
    ("# a=b\n! c=d\n \t#e=f\n\n  \ng=h # not a comment", {"g": "h # not a comment"}),
    ("a=1\na=2", {"a": "2"}),
    ("a=b\\\n  c\\\n\td", {"a": "bcd"}),
    ("a=b\\\r\n  c", {"a": "bc"}),
    ("a=b\\\\\nc=d", {"a": "b\\", "c": "d"}),
    ("a=b\\\\\\\nc", {"a": "b\\c"}),
    ("a=b\\\n#c", {"a": "b#c"}),
    ("\\\n#a=b\n\\\n\nc=d", {"c": "d"}),
    ("a=b\\\n\nc=d", {"a": "b", "c": "d"}),
    ("a=b\\", {"a": "b"}),
    ("\\ a\\=\\:\\ b=c", {" a=: b": "c"}),
    ("a=\\t\\n\\r\\f\\q\\\"", {"a": "\t\n\r\fq\""}),
    ("a=\\u0041\\u00e9\\uD83D\\uDE00", {"a": "A\u00e9\ud83d\ude00"}),
    ("\\u0061=b", {"a": "b"}),
    ("C\\:\\\\x=D:\\\\y", {"C:\\x": "D:\\y"}),
    ("offset.storage.file.filename=/tmp/connect.offsets", {"offset.storage.file.filename": "/tmp/connect.offsets"}),
])
def test_as_java_reads_it(text, found):
    assert properties(text) == found


def test_a_long_line_takes_no_time():
    assert properties("a=" + "\\\\" * 200_000 + " " * 200_000 + "x")["a"].endswith("x")
    assert properties(" " * 500_000) == {} and len(properties("\\\n" * 100_000 + "a=b")) == 1
