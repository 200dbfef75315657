# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.declaration import read_declaration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry

PAIR = {"partition": {"p": 1}, "offset": {"o": 9223372036854775807}}
NULL = {"partition": {"p": 1}, "offset": None}
SET, REMOVE = [Entry({"p": 1}, {"o": 9223372036854775807})], [Entry({"p": 1}, None)]


def params(state="present", **given):
    return dict({"name": "c", "state": state, "offsets": None, "src": None, "content": None, "purge": False,
                 "raw_keys": None, "key_order": None, "copy_from": None, "rewrite": None, "reset_to": None, "topics": None,
                 "max_rewind": None, "max_skip": None, "direction": None, "force": False}, **given)


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
    desired = read_declaration(params(**given))
    assert (desired.entries, desired.purge) == (entries, purge)


@pytest.mark.parametrize("given, says", [
    ({"state": "absent", "purge": True}, "purge belongs to state: present"),
    ({"offsets": []}, "The list offsets is empty, so nothing is declared"),
    ({"offsets": [], "purge": True}, "The list offsets is empty, so nothing is declared"),
    ({"offsets": [NULL]}, "offsets[0].offset is null."),
    ({"state": "absent", "offsets": []}, "The list offsets is empty."),
    ({"state": "absent", "content": []}, "The list offsets is empty."),
    ({"content": {"d": [PAIR]}}, "content holds nothing for the connector c; it has d"),
    ({"content": "{"}, "content is not JSON: "),
    ({"content": ""}, "content is not JSON: "),
    ({"content": 7}, "content must be a JSON object or list, it is the integer 7."),
    ({"content": []}, "The document lists no offsets for this connector"),
    ({"content": [{"partition": {"p": 1}}]}, "document[0] has no offset."),
    ({"content": {"c": [PAIR, PAIR]}}, 'document[1] is a second entry for the partition {"p": 1}.'),
])
def test_read_wish_refuses(given, says):
    with pytest.raises(DeclarationError) as caught:
        read_declaration(params(**given))
    assert caught.value.message.startswith(says)


# ---- guards -------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("given, expected", [
    ({"max_rewind": 5}, (5, None, None)),
    ({"max_rewind": 0}, (0, None, None)),
    ({"max_skip": "5"}, (None, 5, None)),
    ({"max_rewind": " 5\n", "max_skip": ""}, (5, None, None)),
    ({"max_rewind": "007", "max_skip": 9223372036854775807}, (7, 9223372036854775807, None)),
    ({"direction": "forward"}, (None, None, "forward")),
    ({"max_rewind": " ", "direction": "backward"}, (None, None, "backward")),
])
@pytest.mark.parametrize("how", [{"offsets": [PAIR]}, {"content": [PAIR]}, {"state": "absent"}])
def test_guards(given, expected, how):
    guards = read_declaration(params(**how, **given)).guards
    assert (guards.max_rewind, guards.max_skip, guards.direction) == expected


@pytest.mark.parametrize("given", [{}, {"max_rewind": "", "max_skip": "  "}])
def test_no_guards(given):
    assert read_declaration(params(offsets=[PAIR], **given)).guards is None


@pytest.mark.parametrize("name", ["max_rewind", "max_skip"])
@pytest.mark.parametrize("value, said", [
    ("many", 'the text "many"'), ("5.0", 'the text "5.0"'), ("1 000", 'the text "1 000"'), (-1, "the integer -1"),
    ("-1", "the integer -1"), (5.0, "the float 5.0"), (True, "the boolean true"), (False, "the boolean false"), ([5], "the list [5]"),
    ({}, "the dictionary {}"), (2**63, "the integer 9223372036854775808"), ("5" * 25, f'the text "{"5" * 25}"'),
    ("\u0665", 'the text "\u0665"'),
])
def test_guards_that_are_no_whole_numbers(name, value, said):
    with pytest.raises(DeclarationError) as caught:
        read_declaration(params(offsets=[PAIR], **{name: value}))
    assert caught.value.message == f"{name} must be a whole number from 0 on, it is {said}."


def test_a_masked_key_is_refused():
    with pytest.raises(DeclarationError, match=r"^raw_keys has a key with \*{8}, which stands for a secret"):
        read_declaration(params("absent", raw_keys=['["c",{"url":"a://u:********@h"}]']))


# ---- where a document belongs -------------------------------------------------------------------------------------

BACKUP = {"format": "streamops.kafka_connect/offsets", "version": 1, "cluster": {"kafka_cluster_id": "one"}, "types": {"c": "source"},
          "counts": {"c": 1}, "connectors": {"c": [PAIR]}}


@pytest.mark.parametrize("state", ["present", "absent"])
def test_a_backup_of_elsewhere_is_refused_unless_forced(state):
    desired = read_declaration(params(state, content=BACKUP))
    desired.check_origin("source", "one")
    for kind, cluster in (("sink", "one"), ("source", "two")):
        with pytest.raises(DeclarationError, match="^content holds the offsets of c"):
            desired.check_origin(kind, cluster)
        read_declaration(params(state, content=BACKUP, force=True)).check_origin(kind, cluster)


@pytest.mark.parametrize("given", [{"offsets": [PAIR]}, {"content": [PAIR]}, {"content": {"c": [PAIR]}}, {"content": {"offsets": [PAIR]}}])
def test_what_does_not_tell_where_it_belongs_is_taken(given):
    desired = read_declaration(params(**given))
    assert desired.origin is None
    desired.check_origin("sink", "two")


def test_force_allows_no_edited_backup():
    with pytest.raises(DeclarationError, match="content was cut short or edited"):
        read_declaration(params(content=dict(BACKUP, counts={"c": 2}), force=True))


# ---- files --------------------------------------------------------------------------------------------------------

def test_src(tmp_path):
    path = tmp_path / "o.json"
    path.write_text(json.dumps({"c": [PAIR]}), encoding="utf-8")
    assert read_declaration(params(src=str(path))).entries == SET
    assert read_declaration(params("absent", src=str(path))).entries == REMOVE


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
    with pytest.raises(DeclarationError) as caught:
        read_declaration(params(src=str(path)))
    assert caught.value.message.startswith(says.replace("PATH", str(path)))


# ---- in words -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("given, declared", [
    ({"reset_to": "latest"}, {"reset_to": "latest", "value": None, "topics": None}),
    ({"reset_to": {"shift_by": "-3"}, "topics": ["t"]}, {"reset_to": "shift_by", "value": -3, "topics": {"t": None}}),
    ({"reset_to": "earliest", "topics": []}, {"reset_to": "earliest", "value": None, "topics": None}),
])
def test_words(given, declared):
    desired = read_declaration(params(max_skip=5, **given))
    assert desired.reset.declared() == declared and desired.guards.max_skip == 5 and desired.sets and desired.entries == []


@pytest.mark.parametrize("given, says", [
    ({"reset_to": "latest", "offsets": [PAIR]}, "reset_to is the whole declaration, and takes no offsets: use one task for each."),
    ({"reset_to": "latest", "src": "x", "purge": True}, "reset_to is the whole declaration, and takes no src or purge"),
    ({"reset_to": "latest", "content": "x"}, "reset_to is the whole declaration, and takes no content"),
    ({"reset_to": "latest", "state": "absent"}, "reset_to is the whole declaration, and takes no state: absent"),
    ({"reset_to": "latest", "state": "restored"}, "state: restored restores what the change_id has replaced, and takes no reset_to."),
    ({"topics": ["t"], "offsets": [PAIR]}, "topics belongs to reset_to; partitions with numbers go into offsets."),
    ({"reset_to": "first"}, "reset_to must be earliest, latest, "),
])
def test_words_refuse(given, says):
    with pytest.raises(DeclarationError) as caught:
        read_declaration(params(**given))
    assert caught.value.message.startswith(says)


# ---- from another connector ------------------------------------------------------------------------------------------------


DOCUMENT = {"old": [{"partition": {"server": "a", "n": 1}, "offset": {"o": 1}}]}
TO_B = [{"field": "server", "to": "b"}]


def test_another_connector_of_a_document():
    desired = read_declaration(params(content=DOCUMENT, copy_from="old", rewrite=TO_B))
    assert desired.entries == [Entry({"server": "b", "n": 1}, {"o": 1})] and not desired.is_symbolic


def test_another_connector_as_it_is():
    desired = read_declaration(params(copy_from="old", rewrite=TO_B), copy="a Copy")
    assert (desired.copy, desired.entries, desired.is_symbolic, desired.sets) == ("a Copy", [], True, True)


@pytest.mark.parametrize("given, words", [
    ({"copy_from": "c"}, "copy_from is c itself: without src or content it must be another connector."),
    ({"copy_from": "old", "state": "absent"}, "copy_from declares offsets, and does not go with state: absent."),
    ({"copy_from": "old", "rewrite": [{"field": "x"}]}, "rewrite[0] must have either to, another value, or name, another name."),
    ({"offsets": [PAIR], "rewrite": TO_B}, "rewrite belongs to src, content or copy_from"),
    ({"content": DOCUMENT, "copy_from": "new"}, "content holds nothing for the connector new; it has old."),
    ({"content": DOCUMENT, "copy_from": "old", "rewrite": [{"field": "x", "to": 1}]},
     "rewrite[0] fits none of the 1 partitions: none has x."),
    ({"reset_to": "latest", "rewrite": TO_B}, "reset_to is the whole declaration, and takes no rewrite"),
    ({"state": "restored", "copy_from": "old"}, "state: restored restores what the change_id has replaced, and takes no copy_from"),
])
def test_what_does_not_go_with_another_connector(given, words):
    with pytest.raises(DeclarationError) as caught:
        read_declaration(params(**given))
    assert words in caught.value.message
