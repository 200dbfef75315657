# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connector configurations: Connect keeps every value as text. Pure."""

from __future__ import annotations

import json
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import describe

MASK = "********"

#: where a connector's own configuration holds the ledger of its offset changes (_ledgers/config.py); no business of who declares the rest
LEDGER = "streamops.kafka_connect.changes"
_LEDGER_WORDS = "(changes of its offsets, see connector_changes_info)"

_SECRET_NAME = re.compile(
    r"password|passwd|\bpwd\b|passphrase|secret|token|credential|private.?key|access.?key|api.?key|sas.?key|keystore.key|jaas"
    r"|basic\.auth\.user\.info", re.IGNORECASE)
#: names that match above, but say only where or how
_HARMLESS_NAME = re.compile(
    r"(location|path|files?|type|class|name|algorithm|url|enabled?|ms|max|min|size|interval|required|provider|source|key\.id)$",
    re.IGNORECASE)
#: ${file:/run/secrets/db:password} and its like point to a secret, they are none (KIP-297)
_REFERENCE = re.compile(r"\$\{[^{}]+\}")
_IN_URL = re.compile(r"(://[^/\s:@,]*:)([^/\s,]+)(@)")
_IN_QUERY = re.compile(r"((?:password|passwd|pwd|secret|token|accountkey|accesskey|\bsig)=)([^&;\s]+)", re.IGNORECASE)
_IN_ORACLE = re.compile(r"(:thin:[^/@:]+/)([^@]+)(@)")
_INSIDE = (_IN_URL, _IN_QUERY, _IN_ORACLE)


def as_text(config: dict) -> dict:
    """A declared configuration the way Connect keeps it. A null leaves the name out. Raises WishError on structures."""
    texts = {}
    for name, value in config.items():
        if value is None:
            continue
        if isinstance(value, (dict, list)):
            raise WishError("config.%s is %s; Connect takes only text there: a list is written with commas, a map as its connector "
                            "wants it." % (name, describe(value)))
        texts[str(name)] = value if isinstance(value, str) else json.dumps(value)
    return texts


def is_secret(name: str, value) -> bool:
    """A value that has to be hidden. References to a config provider are shown."""
    return (bool(value) and _SECRET_NAME.search(name) is not None and _HARMLESS_NAME.search(name) is None
            and _REFERENCE.fullmatch(str(value)) is None)


def secrets(config: dict) -> set:
    """The secret texts in a configuration, those inside URLs as well."""
    found = set()
    for name, value in config.items():
        if is_secret(name, value):
            found.add(str(value))
        elif isinstance(value, str):
            found.update(match.group(2) for pattern in _INSIDE for match in pattern.finditer(value)
                         if not _REFERENCE.fullmatch(match.group(2)))
    return found


def masked(config: dict) -> dict:
    """The configuration fit to be shown."""
    return {name: MASK if is_secret(name, value) else _LEDGER_WORDS if name == LEDGER else _mask_inside(value)
            for name, value in sorted(config.items())}


def _mask_inside(value):
    if not isinstance(value, str):
        return value
    for pattern in _INSIDE:
        value = pattern.sub(_hide, value)
    return value


def _hide(match) -> str:
    hidden = match.group(2) if _REFERENCE.fullmatch(match.group(2)) else MASK
    return match.group(1) + hidden + "".join(match.groups()[2:])


def diff(name: str, before, after) -> list:
    """Ansible's diff of two configurations (None: no connector), secrets masked but their change visible."""
    header = "%s (configuration)" % name
    old, new = masked(before or {}), masked(after or {})
    for key in set(old) & set(new):
        if before[key] != after[key] and old[key] == new[key]:
            old[key], new[key] = "%s (old)" % old[key], "%s (new)" % new[key]
    return [{"before_header": header, "after_header": header, "before": old, "after": new}]
