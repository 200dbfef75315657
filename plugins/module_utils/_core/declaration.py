# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From the options of connector_offsets to a Declaration. Everything that is wrong with them is said here, before any request."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import MASK, is_masked
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.guards import Guards
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import whole
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.partition_rewrite import check_rules, rewrite
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.migration import is_migration
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import read_reset


def read_declaration(params: dict, copy=None) -> DesiredOffsets:
    """params: name, state, change_id, offsets, src, content, copy_from, rewrite, reset_to, topics, purge, raw_keys, max_rewind, max_skip, direction,
    force.

    copy: _change.copy_offsets.Copy for copy_from without a document. Raises DeclarationError.
    """
    if params["state"] == "restored":
        return _nothing_else(params)
    guards = _guards(params)
    absent = params["state"] == "absent"
    if params["raw_keys"] and not absent:
        raise DeclarationError("raw_keys belongs to state: absent: it removes records.")
    if absent and params["purge"]:
        raise DeclarationError("purge belongs to state: present; state: absent without offsets removes everything.")
    if any(not key for key in params["raw_keys"] or []):
        raise DeclarationError("raw_keys holds an empty key. If there is such a record, its key is \"base64:\".")
    if is_masked(params["raw_keys"]):
        raise DeclarationError("raw_keys has a key with %s, which stands for a secret where a module has returned or shown it: give the key itself."
                               % MASK)
    if params["reset_to"] not in (None, ""):
        return _symbolic(params, guards)
    if params["topics"]:
        raise DeclarationError("topics belongs to reset_to; partitions with numbers go into offsets.")
    from_another = (params["copy_from"] or is_migration(params["rewrite"])) and not _has_document(params)
    desired = _from_another(params, copy) if from_another else _declared(params, absent)
    desired.guards = guards
    desired.force = params["force"]
    return desired


def _has_document(params: dict) -> bool:
    return params["src"] is not None or params["content"] is not None


def _declared(params: dict, absent: bool) -> DesiredOffsets:
    if _has_document(params):
        document, source = read_document(params["src"], params["content"])
        return from_document(document, params["copy_from"] or params["name"], source, params["purge"], params["force"], absent, params)
    if params["rewrite"]:
        raise DeclarationError("rewrite belongs to src, content or copy_from: it says under which partitions their offsets are declared.")
    return DesiredOffsets.absent(params["offsets"], params["raw_keys"]) if absent else DesiredOffsets.present(params["offsets"], params["purge"])


def from_document(document, name: str, source: str, purge=False, force=False, absent=False, params=None) -> DesiredOffsets:
    """What a document declares for the connector that it calls ``name``. params: rewrite and raw_keys, if there are any. Raises DeclarationError."""
    items = documents.items_for(document, name, source)
    if params is not None:
        items = rewrite(items, params["rewrite"])
    desired = DesiredOffsets.absent(items, params["raw_keys"]) if absent else DesiredOffsets.document(items, purge)
    desired.origin = None if force else documents.origin_of(document, name, source)
    desired.ordered = documents.is_ordered(document, name)
    desired.force = force
    desired.is_own = documents.is_our_own(document)
    desired.plugin = documents.plugin_in(document, name)
    return desired


def _from_another(params: dict, copy) -> DesiredOffsets:
    """What it has is known only when it is looked at."""
    if params["state"] != "present":
        raise DeclarationError("%s declares offsets, and does not go with state: %s." % ("copy_from" if params["copy_from"] else "migrate", params["state"]))
    if is_migration(params["rewrite"]):
        if params["copy_from"] or params["offsets"] or params["purge"]:
            raise DeclarationError("migrate moves the offsets of the connector itself, and takes no offsets, copy_from or purge.")
        return DesiredOffsets.copied(copy)
    if params["copy_from"] == params["name"]:
        raise DeclarationError("copy_from is %s itself: without src or content it must be another connector." % params["name"])
    check_rules(params["rewrite"])
    return DesiredOffsets.copied(copy)


def _symbolic(params: dict, guards) -> DesiredOffsets:
    """What the words mean is known only when the topics are looked at."""
    given = [name for name in ("offsets", "src", "content", "copy_from", "rewrite", "purge", "raw_keys", "key_order")
             if params[name] not in (None, False, "")]
    if params["state"] != "present":
        given.append("state: " + params["state"])
    if given:
        raise DeclarationError("reset_to is the whole declaration, and takes no %s: use one task for each." % " or ".join(given))
    desired = DesiredOffsets.words(read_reset(params["reset_to"], params["topics"] or None))
    desired.guards = guards
    return desired


def _nothing_else(params: dict) -> None:
    """What is to be undone is in the ledger: no Declaration. Raises DeclarationError for what would declare something besides, and without a name."""
    given = [name for name in ("offsets", "src", "content", "copy_from", "rewrite", "reset_to", "topics", "purge", "raw_keys", "key_order",
                               "max_rewind", "max_skip", "direction")
             if params[name] not in (None, False, "")]
    if given:
        raise DeclarationError("state: restored restores what the change_id has replaced, and takes no %s." % " or ".join(given))
    if not params["change_id"]:
        raise DeclarationError("change_id is empty: state: restored needs the name of the change to undo.")


def _guards(params: dict):
    """None where no guard is given. Text that is empty is not given, as surveys leave it."""
    limits = {name: _limit(params[name], name) for name in ("max_rewind", "max_skip")}
    if params["direction"] is None and set(limits.values()) == {None}:
        return None
    return Guards(direction=params["direction"], **limits)


def _limit(value, name: str):
    if isinstance(value, str):
        value = value.strip() or None
    return None if value is None else whole(value, name)


def read_document(src, content) -> tuple:
    """(the document, what it is called in messages) of the options src and content. Raises DeclarationError."""
    if src is not None:
        return documents.parse(_read(src), src), src
    return (documents.parse(content, "content") if isinstance(content, str) else content), "content"


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError("The document %s cannot be read: %s." % (path, getattr(error, "strerror", None) or error))
