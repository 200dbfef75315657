# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""From the options of connector_offsets to a Wish. Everything that is wrong with them is said here, before any request."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _document
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import Wish


def read_wish(params: dict) -> Wish:
    """params: name, state, offsets, src, content, purge, raw_keys. Raises WishError."""
    absent = params["state"] == "absent"
    if params["raw_keys"] and not absent:
        raise WishError("raw_keys belongs to state: absent: it removes records. Nothing was changed.")
    if absent and params["purge"]:
        raise WishError("purge belongs to state: present; state: absent without offsets removes everything. Nothing was changed.")
    if any(not key for key in params["raw_keys"] or []):
        raise WishError("raw_keys holds an empty key; nothing was changed. If there is such a record, its key is \"base64:\".")
    items = params["offsets"]
    if params["src"] is not None or params["content"] is not None:
        items = _document_items(params)
        if not absent:
            return Wish.document(items, params["purge"])
    return Wish.absent(items, params["raw_keys"]) if absent else Wish.present(items, params["purge"])


def _document_items(params: dict) -> list:
    if params["src"] is not None:
        source = params["src"]
        document = _document.parse(_read(source), source)
    else:
        source = "content"
        document = params["content"]
        if isinstance(document, str):
            document = _document.parse(document, source)
    return _document.items_for(document, params["name"], source)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise WishError("The document %s cannot be read: %s." % (path, getattr(error, "strerror", None) or error))
