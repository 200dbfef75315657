# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connector configurations: Connect keeps every value as text. Pure."""

from __future__ import annotations

import json
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import MASK, REFERENCE, is_cut, is_masked, mask, secrets_in
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import describe

#: where earlier releases have kept the changes of a connector's offsets (see _ledger.marker); no business of who declares the rest
MARKER = "streamops.kafka_connect.changes"
_MARKER_WORDS = "(changes of its offsets, by an earlier release)"

_SECRET_NAME = re.compile(
    r"password|passwd|\bpwd\b|passphrase|secret|token|credential|private.?key|access.?key|api.?key|sas.?key|keystore.key|jaas"
    r"|basic\.auth\.user\.info", re.IGNORECASE)
#: names that match above, but say only where or how
_HARMLESS_NAME = re.compile(
    r"(location|path|files?|type|class|name|algorithm|url|enabled?|ms|max|min|size|interval|required|provider|source|key\.id)$",
    re.IGNORECASE)


def as_text(config: dict) -> dict:
    """A declared configuration the way Connect keeps it. A null leaves the name out. Raises DeclarationError on structures."""
    texts = {}
    for name, value in config.items():
        if value is None:
            continue
        if isinstance(value, (dict, list)):
            raise DeclarationError("config.%s is %s; Connect takes only text there: a list is written with commas, a map as its connector "
                                   "expects it." % (name, describe(value)))
        if is_masked(value):
            raise DeclarationError("config.%s holds %s, which stands for a secret where a module has returned or shown it: it would be written in place of the "
                                   "secret. Give the secret itself, or a reference to a config provider." % (name, MASK))
        if is_cut(value):
            raise DeclarationError("config.%s ends with what a module shows of a text that is too long for its result: give the whole text."
                                   % name)
        texts[str(name)] = value if isinstance(value, str) else json.dumps(value)
    return texts


def is_secret(name: str, value) -> bool:
    """A value that has to be hidden. References to a config provider are shown."""
    return (bool(value) and _SECRET_NAME.search(name) is not None and _HARMLESS_NAME.search(name) is None
            and REFERENCE.fullmatch(str(value)) is None)


def secrets(config: dict) -> set:
    """The secret texts in a configuration, those inside URLs as well. One that is no dictionary is hidden as a whole."""
    if not isinstance(config, dict):
        return {str(config)}
    found = set()
    for name, value in config.items():
        if is_secret(name, value):
            found.add(str(value))
        elif isinstance(value, str):
            found.update(secrets_in(value))
    return found


def masked(config: dict) -> dict:
    """The configuration fit to be shown."""
    return {name: MASK if is_secret(name, value) else _MARKER_WORDS if name == MARKER else mask(value)
            for name, value in sorted(config.items())}


def diff(name: str, before, after) -> list:
    """Ansible's diff of two configurations (None: no connector), secrets masked but their change visible."""
    header = "%s (configuration)" % name
    old, new = masked(before or {}), masked(after or {})
    for key in set(old) & set(new):
        if before[key] != after[key] and old[key] == new[key]:
            old[key], new[key] = "%s (old)" % old[key], "%s (new)" % new[key]
    return [{"before_header": header, "after_header": header, "before": old, "after": new}]
