# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of many connectors from one document, declared in one pass (KIP-199)."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.declarations import of_document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.execute import execute
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.session import Session
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connectors import choose
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents, errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.declaration import from_document, read_document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import check_name
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import KEEP
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean


def declare(client, kafka, sources, params: dict, check_mode: bool) -> dict:
    """The module's result. client, kafka: None if there is none. Raises ConnectError, which says what was changed and what was not."""
    declared = desired_by_name(params)
    session = Session(client, kafka, sources, params)
    declarations = [of_document(params, name, declared[name]) for name in sorted(declared)]
    if session.worker is not None and not params["seed"]:
        _check_connectors(session, declarations)
    return execute(session, declarations, check_mode, _one)


def desired_by_name(params: dict) -> dict:
    """{connector: DesiredOffsets} of the options src or content, connectors, purge and force. Raises DeclarationError for a document that cannot be meant."""
    document, source = read_document(params["src"], params["content"])
    patterns = [pattern for pattern in params["connectors"] or [] if pattern.strip()]
    names = documents.connectors_in(document, source)
    if names is None:
        if len(patterns) != 1:
            raise errors.DeclarationError("%s does not say of which connector it is: name that one, and no other, in connectors." % source)
        names = patterns
    chosen, missing = choose(names, patterns)
    if missing:
        raise errors.DeclarationError("%s holds no connector that fits %s; it has %s." % (
            source, ", ".join(missing), ", ".join(names[:10]) or "no connector at all"))
    # A connector without offsets declares something only if others have to go.
    chosen = [name for name in chosen if params["purge"] or documents.items_for(document, name, source)]
    if not chosen:
        raise errors.DeclarationError("%s holds no offsets of any connector." % source)
    found = {}
    for name in chosen:
        check_name(name, source)
        with errors.about(name):
            found[name] = from_document(document, name, source, params["purge"], params["force"])
    return found


def _check_connectors(session, declarations) -> None:
    """A name with a typing mistake looks like a connector that is created later, unless its offsets are there as declared. Raises DeclarationError."""
    there = session.worker.connectors()
    missing = [one for one in declarations if one.name not in there]
    if not missing:
        return
    as_declared = _as_declared(session, missing)
    names = [one.name for one in missing if one.name not in as_declared]
    hint = did_you_mean(names[0], there) if len(names) == 1 else ""
    if names:
        raise errors.DeclarationError(
            "There %s no connector %s.%s If that is right, their offsets alone can be declared, for connectors that are created later: with seed: "
            "true." % ("is" if len(names) == 1 else "are", ", ".join(names[:10]), hint), missing=names)


def _as_declared(session, declarations) -> set:
    """Names of those of which nothing would be changed, as of connectors that are gone in an export that is imported again."""
    try:
        found = execute(session, declarations, True, _one)["connectors"]
    except errors.ConnectError as error:
        found = error.facts.get("connectors", [])
    return {one["name"] for one in found if not one["changed"]}


def _one(name, result) -> dict:
    connector = result["connector"] or {}
    return {
        "name": name,
        "changed": result["changed"],
        "already_applied": result["already_applied"],
        "actions": [action for action in result["actions"] if action["action"] != KEEP],
        "counts": result["counts"],
        "method": result["method"],
        "connector_exists": result["connector_exists"],
        "state_before": result["state_before"],
        "position": result["position"],
        "state": connector.get("state"),
        "type": connector.get("type"),
        "failed_tasks": [task["id"] for task in connector.get("tasks", []) if task.get("state") == "FAILED"],
    }
