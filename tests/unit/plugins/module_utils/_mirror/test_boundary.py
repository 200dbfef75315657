# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The document that says where source and copies ended, and what is left to copy by it."""

from __future__ import annotations

import json
import stat

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import boundary
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import Share
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_plan import Due


def row(number=0, topic="a", following=3, begin=0, end=10, lag=7) -> dict:
    return {"topic": topic, "partition": number, "next_offset": following, "begin": begin, "end": end, "lag": lag}


def flow(*rows, connector="s1") -> dict:
    return {"connector": connector, "partitions": list(rows)}


@pytest.mark.parametrize("one, following", [
    (row(), 3), (row(following=None), 0), (row(following=None, begin=2), 2), (row(following=3, begin=5), 5),
    # no position, of a mirror that begins at the end
    (row(following=None, lag=0), 10),
])
def test_the_next_record(one, following):
    found = boundary.topics_of([Share("s1", ["a"], {"a": "east.a"})], [flow(one)], {"east.a": {0: 4}})
    assert found == {"a": {"target": "east.a", "connector": "s1", "partitions": {"0": {"next": following, "end": 10, "boundary": 4}}}}


def test_topics():
    shares = [Share("s1", ["a"], {"a": "east.a"}), Share("s2", ["a", "b"], {"b": None})]
    flows = [flow(row(1), row(topic="other"), row(2, end=None)), flow(row(topic="b"), connector="s2")]
    found = boundary.topics_of(shares, flows, {})
    assert {topic: (one["target"], one["connector"], sorted(one["partitions"])) for topic, one in found.items()} == {
        "a": ("east.a", "s1", ["1"]), "b": (None, "s2", ["0"])}
    assert found["a"]["partitions"]["1"]["boundary"] == 0
    assert boundary.connectors_in({"topics": found}) == ["s1", "s2"]


@pytest.mark.parametrize("rows, records, partitions", [
    ([row(following=3, end=20)], 7, 1), ([row(following=10)], 0, 0), ([row(following=12)], 0, 0), ([row(following=None)], 10, 1),
    ([row(following=None, begin=4)], 6, 1),
    # nothing but markers; a position beyond the end
    ([row(following=3, lag=0)], 0, 0), ([row(following=30, lag=None)], 1, 1),
    # what the document does not have
    ([row(7), row(topic="b")], 0, 0), ([row(0), row(1, following=9)], 8, 2),
])
def test_what_is_left(rows, records, partitions):
    document = {"topics": {"a": {"connector": "s1", "partitions": {"0": {"end": 10}, "1": {"end": 10}}}}}
    assert boundary.left(document, [flow(*rows)]) == {"records": records, "partitions": partitions}
    assert boundary.left(document, [flow(*rows, connector="s2")]) == {"records": 0, "partitions": 0}


def test_the_file(tmp_path):
    document = boundary.document("east->west", "east", None, None, {"a": {"partitions": {}}}, [Due("c1", "started", True)])
    path = tmp_path / "new" / "b.json"
    boundary.write(str(path), document)
    assert boundary.read(str(path)) == document
    assert document["deferred"] == [{"name": "c1", "state": "started", "failed": True}]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    with pytest.raises(ConnectError, match="b.json/c cannot be written: File exists"):
        boundary.write(f"{path}/c", document)


@pytest.mark.parametrize("text", ["", "[1]", '{"version": 2, "topics": {"a": {}}}', '{"version": 1, "topics": {}}', "no json"])
def test_another_file(tmp_path, text):
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(DeclarationError, match="is no file that a reset of a mirror has written"):
        boundary.read(str(tmp_path / "b.json"))
    with pytest.raises(DeclarationError, match="none.json, which says where source and target ended, cannot be read: No such file"):
        boundary.read(str(tmp_path / "none.json"))


def test_it_is_json(tmp_path):
    boundary.write(str(tmp_path / "b"), {"version": 1})
    assert json.loads((tmp_path / "b").read_text()) == {"version": 1}
