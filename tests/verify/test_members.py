# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of JSON objects that are decoded in one pass are what get_json_object() says, whatever the text is."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as F
from verify_replay.members import Members, split

TEXTS = [
    '{"a":1}', '{"a":1.10}', '{"a":12345678901234567.89}', '{"a":123456789012345678901234567890}', '{"a":1e3}', '{"a":-0.0}', '{"a":1e400}',
    '{"a":true}', '{"a":""}', '{"a":null}', "{}", '  {"a" : 1 }  ', "{'a':1}", '{"A":1}', '{"":1,"a":2}', '{"a":"\xe9","b":"\U0001f600"}',
    # members that stand twice: the first one that is not null
    '{"a":1,"a":2}', '{"a":null,"a":2}', '{"a":2,"a":null}', '{"a":null,"a":null}', '{"a":{"b":null,"b":3}}', '{"a":{"b":1,"b":2}}',
    '{"a":{"b":1},"a":{"b":2}}', '{"a":{"c":1},"a":{"b":2}}', '{"a":5,"a":{"b":2}}', '{"a":{"b":2},"a":5}',
    '{"a" :{"b":1},"a" :{"b":2}}', '{"a":{"b":1},"a" :{}}', '{"a":{"b":1},"\\u0061":{"b":2}}', '{"a":{"b":"a"},"c":"a"}',
    # no objects
    "", "null", "5", '"x"', "[]", '[{"a":1}]', '"{\\"a\\":1}"',
    # objects in which others are, or texts that look like one
    '{"a":{"b":1.10,"c":[1,2.50]}}', '{"a":[1,2.50]}', '{"a":[{"b":1},{"b":2}]}', '{"a":{}}', '{"a":"{\\"b\\":1}"}', '{"x":{"a":5}}',
    # no JSON, in what is asked for and elsewhere
    '{"a":1', '{"a":1,}', '{"a":01}', '{"a":+1}', '{"a":1.}', "{a:1}", '{"a":NaN}', '{"x":NaN,"a":{"b":1}}', '{"a":{"b":1},"x":Infinity}',
    '{"a":"\\x"}', '{"a":/*c*/1}', '{"a":1} x', '{"a":1}{"a":2}', '{"a":' + "1" * 1100 + "}", '{"a":' + "[" * 1200 + "]" * 1200 + "}",
    # characters
    '{"a":"x\ty"}', '{"a":"x\\ty\\u0041"}', '{"a":"\\ud800"}', '{"a":"\\uD83D","b":1}', '{"a":{"b":"\\ud83d\\ude00"}}', '{"a":"b"}\x00',
]  # fmt: skip


@pytest.mark.parametrize("path", ["$.a", "$.a.b"])
def test_what_one_pass_says(spark, path):
    names, name = split(path)
    text = F.col("text")
    one = Members(text, names, "o")
    rows = spark.createDataFrame([(text,) for text in TEXTS], "text string").coalesce(1)
    found = rows.select("text", one.parsed().alias("o")).select(
        "text", one.get(name).alias("got"), F.get_json_object(text, path).alias("wanted"),
        one.reached(0).alias("parsed"), F.get_json_object(text, "$").isNotNull().alias("valid"))  # fmt: skip
    found = [row.asDict() for row in found.collect()]
    assert len(found) == len(TEXTS) and [row for row in found if row["got"] != row["wanted"]] == []
    # What was parsed is JSON; most of what is JSON was parsed, so that get_json_object() is left with few.
    assert [row for row in found if row["parsed"] and not row["valid"]] == []
    assert found[0]["parsed"] is (path == "$.a") and sum(row["parsed"] for row in found) > 5


def test_paths_that_are_names_alone():
    assert split("$.a") == ((), "a") and split("$.payload.after.item-id") == (("payload", "after"), "item-id")
    for path in ("$", "$.a[0]", "$.a.*", "$.", "$.a..b", "$.a b", "$.'a'"):
        assert split(path) is None, path
