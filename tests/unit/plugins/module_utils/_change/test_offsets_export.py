# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_export import export
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
PAIR = {"partition": {"b": 1, "a": 2**62}, "offset": {"o": 2**63 - 1}}


PLUGIN = {"class": "com.example.Files", "version": "1.2"}


class Info:
    """What OffsetsInfo has read."""

    def __init__(self, *connectors, left_out=None):
        self.connectors, self.left_out = connectors, left_out or {}

    def plugins(self):
        return {"c": PLUGIN, "left out": PLUGIN}

    def all(self):
        return {"connectors": list(self.connectors), "method": "topic", "warnings": ["a warning"]}


def one(name, *pairs, method="topic", kind="source", unreadable=0, history=()):
    return {"name": name, "offsets": list(pairs), "method": method, "connector": {"type": kind}, "unreadable_count": unreadable,
            "unreadable_records": [], "history": list(history)}


def exported(tmp_path, info, patterns=None, **options):
    path = tmp_path / "out.json"
    result = export(info, {"kafka_cluster_id": "k"}, str(path), patterns, now=NOON, **options)
    return result, json.loads(path.read_text()) if path.exists() else None


def test_the_document(tmp_path):
    info = Info(one("c", PAIR), one("empty"), one("s", PAIR, method="group"), one("r", PAIR, method="rest", kind="sink"))
    result, document = exported(tmp_path, info)
    assert (result["changed"], result["connectors"], result["partitions"]) == (True, {"c": 1, "r": 1, "s": 1}, 3)
    assert result["warnings"] == ["a warning"] and result["diff"][0]["after"] == {"c": 1, "r": 1, "s": 1}
    assert document == {
        "format": "streamops.kafka_connect/offsets", "version": 1, "time": "2026-01-31T12:00:00Z", "method": "topic",
        "cluster": {"kafka_cluster_id": "k"}, "types": {"c": "source", "s": "sink", "r": "sink"}, "counts": {"c": 1, "s": 1, "r": 1},
        "ordered": ["c"], "methods": {"c": "topic", "s": "group", "r": "rest"}, "plugins": {"c": PLUGIN}, "connectors": dict.fromkeys("csr", [PAIR])}
    assert list(document["connectors"]["c"][0]["partition"]) == ["b", "a"]


def test_only_another_content_is_a_change(tmp_path):
    assert exported(tmp_path, Info(one("c", PAIR)), check_mode=True)[1] is None
    exported(tmp_path, Info(one("c", PAIR)))
    result = export(Info(one("c", PAIR)), {"kafka_cluster_id": "k"}, str(tmp_path / "out.json"))
    assert result["changed"] is False  # at another time
    result, document = exported(tmp_path, Info(one("c", PAIR), one("d", PAIR)), check_mode=True)
    assert result["changed"] and result["diff"][0]["before"] == {"c": 1} and list(document["connectors"]) == ["c"]


def test_patterns(tmp_path):
    info = Info(one("a-1", PAIR), one("a-2", PAIR), one("b*", PAIR), one("empty"))
    assert exported(tmp_path, info, ["a-*", "b*"])[0]["connectors"] == {"a-1": 1, "a-2": 1, "b*": 1}
    assert exported(tmp_path, info, ["a-[1]"])[0]["connectors"] == {"a-1": 1}
    for patterns in (["empty"], ["a-1", "c"], []):
        with pytest.raises(errors.DeclarationError, match="No connector that has offsets fits .* No file was written"):
            exported(tmp_path, info, patterns)


@pytest.mark.parametrize("info, words", [
    (Info(one("c", PAIR), one("d", PAIR, method="rest", unreadable=2)), "first d: 2 of its offsets cannot be read by this method (rest)."),
    (Info(one("c", PAIR), one("d", unreadable=1)), "first d: 1 of its offsets cannot be read by this method (topic)."),
    (Info(one("c", PAIR), left_out={"d": "no permission"}), "first d: no permission."),
])
def test_what_would_be_missing(tmp_path, info, words):
    """The file of yesterday is worth more than one that lacks something."""
    exported(tmp_path, Info(one("c", PAIR), one("d", PAIR)))
    with pytest.raises(errors.MethodError) as caught:
        exported(tmp_path, info)
    assert "The export would lack offsets of 1 connector, " + words in caught.value.message and caught.value.facts["connectors"] == ["d"]
    assert list(json.loads((tmp_path / "out.json").read_text())["connectors"]) == ["c", "d"]
    assert exported(tmp_path, info, ["c"])[0]["connectors"] == {"c": 1}
    assert "c" in exported(tmp_path, info, partial=True)[0]["connectors"]


def test_history(tmp_path):
    document = exported(tmp_path, Info(one("c", PAIR, history=["old"])), history=True)[1]
    assert document["history"] == {"c": ["old"]}


def test_files_that_cannot_be_written(tmp_path):
    for path, kind in ((tmp_path / "no" / "x.json", errors.ConnectError), (tmp_path, errors.DeclarationError)):
        with pytest.raises(kind):
            export(Info(one("c", PAIR)), {}, str(path))
    (tmp_path / "x.json").write_text("no document")
    assert export(Info(one("c", PAIR)), {}, str(tmp_path / "x.json"))["diff"][0]["before"] == {}


def test_one_that_cannot_be_asked_matters_only_where_it_is_wanted(tmp_path):
    info = Info(one("a", PAIR), left_out={"b": "Request timed out"})
    with pytest.raises(errors.MethodError, match="first b: Request timed out. No file was written"):
        exported(tmp_path, info)
    assert exported(tmp_path, info, patterns=["a"])[0]["connectors"] == {"a": 1}
    assert exported(tmp_path, info, partial=True)[0]["connectors"] == {"a": 1}
