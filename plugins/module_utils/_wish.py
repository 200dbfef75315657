# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From the options of connector_offsets to a Wish. Everything that is wrong with them is said here, before any request."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import whole
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish
from ansible_collections.streamops.kafka_connect.plugins.module_utils._reset import read_reset
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rewrite import check_rules, rewrite


def read_wish(params: dict, copy=None) -> Wish:
    """params: name, state, change_id, offsets, src, content, copy_from, rewrite, reset_to, topics, purge, raw_keys, max_rewind, max_skip, only, force.

    copy: _copy.Copy for copy_from without a document. Raises WishError.
    """
    if params["state"] == "restored":
        return _nothing_else(params)
    guards = _guards(params)
    absent = params["state"] == "absent"
    if params["raw_keys"] and not absent:
        raise WishError("raw_keys belongs to state: absent: it removes records. Nothing was changed.")
    if absent and params["purge"]:
        raise WishError("purge belongs to state: present; state: absent without offsets removes everything. Nothing was changed.")
    if any(not key for key in params["raw_keys"] or []):
        raise WishError("raw_keys holds an empty key; nothing was changed. If there is such a record, its key is \"base64:\".")
    if params["reset_to"] not in (None, ""):
        return _in_words(params, guards)
    if params["topics"]:
        raise WishError("topics belongs to reset_to; partitions with numbers go into offsets. Nothing was changed.")
    wish = _from_another(params, copy) if params["copy_from"] and not _has_document(params) else _declared(params, absent)
    wish.guards = guards
    return wish


def _has_document(params: dict) -> bool:
    return params["src"] is not None or params["content"] is not None


def _declared(params: dict, absent: bool) -> Wish:
    if _has_document(params):
        document, source = read_document(params["src"], params["content"])
        return from_document(document, params["copy_from"] or params["name"], source, params["purge"], params["force"], absent, params)
    if params["rewrite"]:
        raise WishError("rewrite belongs to src, content or copy_from: it says under which partitions their offsets are declared. Nothing was changed.")
    return Wish.absent(params["offsets"], params["raw_keys"]) if absent else Wish.present(params["offsets"], params["purge"])


def from_document(document, name: str, source: str, purge=False, force=False, absent=False, params=None) -> Wish:
    """What a document declares for the connector that it calls ``name``. params: rewrite and raw_keys, if there are any. Raises WishError."""
    items = _document.items_for(document, name, source)
    if params is not None:
        items = rewrite(items, params["rewrite"])
    wish = Wish.absent(items, params["raw_keys"]) if absent else Wish.document(items, purge)
    wish.origin = None if force else _document.origin_of(document, name, source)
    wish.ordered = _document.is_ordered(document, name)
    return wish


def _from_another(params: dict, copy) -> Wish:
    """What it has is known only when it is looked at."""
    if params["state"] != "present":
        raise WishError("copy_from declares offsets, and does not go with state: %s. Nothing was changed." % params["state"])
    if params["copy_from"] == params["name"]:
        raise WishError("copy_from is %s itself: without src or content it must be another connector. Nothing was changed." % params["name"])
    check_rules(params["rewrite"])
    return Wish.copied(copy)


def _in_words(params: dict, guards) -> Wish:
    """What the words mean is known only when the topics are looked at."""
    given = [name for name in ("offsets", "src", "content", "copy_from", "rewrite", "purge", "raw_keys", "key_order")
             if params[name] not in (None, False, "")]
    if params["state"] != "present":
        given.append("state: " + params["state"])
    if given:
        raise WishError("reset_to says it all in words, and takes no %s: use one task for each. Nothing was changed." % " or ".join(given))
    wish = Wish.words(read_reset(params["reset_to"], params["topics"] or None))
    wish.guards = guards
    return wish


def _nothing_else(params: dict) -> None:
    """What is to be undone is in the ledger: no Wish. Raises WishError for what would declare something besides, and without a name."""
    given = [name for name in ("offsets", "src", "content", "copy_from", "rewrite", "reset_to", "topics", "purge", "raw_keys", "key_order",
                               "max_rewind", "max_skip", "only")
             if params[name] not in (None, False, "")]
    if given:
        raise WishError("state: restored puts back what the change_id has replaced, and takes no %s. Nothing was changed." % " or ".join(given))
    if not params["change_id"]:
        raise WishError("change_id is empty: state: restored needs the name of the change to undo. Nothing was changed.")


def _guards(params: dict):
    """None where no guard is given. Text that is empty is not given, as surveys leave it."""
    limits = {name: _limit(params[name], name) for name in ("max_rewind", "max_skip")}
    if params["only"] is None and set(limits.values()) == {None}:
        return None
    return Guards(only=params["only"], **limits)


def _limit(value, name: str):
    if isinstance(value, str):
        value = value.strip() or None
    try:
        return None if value is None else whole(value, name)
    except WishError as error:
        raise error.also("Nothing was changed.")


def read_document(src, content) -> tuple:
    """(the document, what it is called in messages) of the options src and content. Raises WishError."""
    if src is not None:
        return _document.parse(_read(src), src), src
    return (_document.parse(content, "content") if isinstance(content, str) else content), "content"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise WishError("The document %s cannot be read: %s." % (path, getattr(error, "strerror", None) or error))
