# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import Entry
from ansible_collections.streamops.kafka_connect.plugins.module_utils._wish import read_wish

PAIR = {"partition": {"p": 1}, "offset": {"o": 9223372036854775807}}
NULL = {"partition": {"p": 1}, "offset": None}
SET, REMOVE = [Entry({"p": 1}, {"o": 9223372036854775807})], [Entry({"p": 1}, None)]


def params(state="present", **given):
    return dict({"name": "c", "state": state, "offsets": None, "src": None, "content": None, "purge": False,
                 "raw_keys": None}, **given)


@pytest.mark.parametrize("given, entries, purge", [
    ({"offsets": [PAIR]}, SET, False),
    ({"offsets": [PAIR], "purge": True}, SET, True),
    ({"content": [PAIR]}, SET, False),
    ({"content": {"c": [PAIR], "d": []}, "purge": True}, SET, True),
    ({"content": {"offsets": [NULL]}}, REMOVE, False),
    ({"content": json.dumps({"c": [PAIR]})}, SET, False),
    ({"content": "[]", "purge": True}, [], True),
    ({"state": "absent"}, None, False),
    ({"state": "absent", "offsets": [PAIR]}, REMOVE, False),
    ({"state": "absent", "content": {"c": [PAIR]}}, REMOVE, False),
])
def test_read_wish(given, entries, purge):
    wish = read_wish(params(**given))
    assert (wish.entries, wish.purge) == (entries, purge)


@pytest.mark.parametrize("given, says", [
    ({"state": "absent", "purge": True}, "purge belongs to state: present"),
    ({"offsets": []}, "The list offsets is empty, so nothing is declared"),
    ({"offsets": [], "purge": True}, "The list offsets is empty, so nothing is declared"),
    ({"offsets": [NULL]}, "offsets[0].offset is null."),
    ({"state": "absent", "offsets": []}, "The list offsets is empty, so nothing was changed."),
    ({"state": "absent", "content": []}, "The list offsets is empty, so nothing was changed."),
    ({"content": {"d": [PAIR]}}, "content holds nothing for the connector c; it has d"),
    ({"content": "{"}, "content is not JSON: "),
    ({"content": ""}, "content is not JSON: "),
    ({"content": 7}, "content must be a JSON object or list, it is the integer 7."),
    ({"content": []}, "The document lists no offsets for this connector"),
    ({"content": [{"partition": {"p": 1}}]}, "document[0] has no offset."),
    ({"content": {"c": [PAIR, PAIR]}}, 'document[1] is a second entry for the partition {"p": 1}.'),
])
def test_read_wish_refuses(given, says):
    with pytest.raises(WishError) as caught:
        read_wish(params(**given))
    assert caught.value.message.startswith(says)


def test_src(tmp_path):
    path = tmp_path / "o.json"
    path.write_text(json.dumps({"c": [PAIR]}), encoding="utf-8")
    assert read_wish(params(src=str(path))).entries == SET
    assert read_wish(params("absent", src=str(path))).entries == REMOVE


@pytest.mark.parametrize("data, says", [
    (None, "The document PATH cannot be read: No such file or directory."),
    (b"\xff\xfe", "The document PATH cannot be read: 'utf-8' codec"),
    (b"{", "PATH is not JSON: "),
    (b'{"d": []}', "PATH holds nothing for the connector c; it has d"),
    (b'[{"partition": {"p": 1}, "offset": {"o": 1e400}}]', "document[0].offset.o is inf, which has no JSON form."),
])
def test_src_refuses(tmp_path, data, says):
    path = tmp_path / "o.json"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(WishError) as caught:
        read_wish(params(src=str(path)))
    assert caught.value.message.startswith(says.replace("PATH", str(path)))
