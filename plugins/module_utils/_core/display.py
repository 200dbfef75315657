# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What is shown of values: secrets inside texts, such as a password in a URL, are masked, and long texts are cut. Pure.

Only what leaves a module is treated so (see _ansible.runner). What is compared, written, exported or kept in a ledger is exact.
"""

from __future__ import annotations

import json
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value

MASK = "********"
#: characters of a text that are shown in results, in diffs, of a value in a message, and of a message
_LONGEST, _LONGEST_IN_DIFF, _LONGEST_IN_MESSAGE, _LONGEST_MESSAGE = 65536, 2000, 200, 8000
_CUT = re.compile(r" \.\.\. \(cut, [0-9]+ characters in all\)( \((old|new)\))?$")

#: ${file:/run/secrets/db:password} and its like point to a secret, they are none (KIP-297)
REFERENCE = re.compile(r"\$\{[^{}]+\}")

_WORDS = r"(?:password|passwd|pwd|passphrase|secret|token|signature|credential|(?:access|account|api|private|shared|sas)[_.-]?key(?:[_.-]?id)?)"
#: names of places in a stream, which happen to be called tokens
_PLACE = re.compile(r"(page|continuation|resume|next|sync|delta|cursor|change)[_.-]?token=$", re.IGNORECASE)
#: names of fields whose text is a secret; "token" alone is more often a place in a stream
_FIELD = re.compile(r"(password|passwd|\bpwd|passphrase|secret|(access|auth|bearer|refresh|session|security|sas)[_.-]?token"
                    r"|(access|account|api|private|shared|sas)[_.-]?key)$", re.IGNORECASE)

#: each with three groups: before, secret, after
_PATTERNS = (
    # user:password@ in a URL; a port in the place of the password is followed by the path
    re.compile(r"(://[^/\s:@,]*:)(?!\d{1,5}(?:[/?#,]|$))([^/\s]{1,1000}(?=@)|[^\s@]{1,100}(?=@))(@)"),
    # a long word alone in front of the host is a token
    re.compile(r"(://)([a-z0-9_~.-]{20,})(@)", re.IGNORECASE),
    re.compile(r"((?:" + _WORDS + r"|\bsig)=)(\"[^\"]*\"|'[^']*'|[^&;\s]+)()", re.IGNORECASE),
    re.compile(r"(:thin:[^/@:]{1,100}/)([^@]{1,1000})(@)"),
    re.compile(r"(\bbearer\s+)([a-z0-9+/=_.~-]{16,})()", re.IGNORECASE),
)
#: a field of JSON text inside of a sentence
_JSON_FIELD = re.compile(r"([\"']([^\"'\\]+)\\*[\"']\s*:\s*\\*[\"'])((?:[^\"'\\]|\\.)+)()")
#: what ends a text in JSON or a sentence, and is no part of the secret before it
_END = re.compile(r"(?:[\"'}\])]+[,.:;]?|[,.:;])$")
#: whatever holds a secret has one of these
_SUSPECT = ("://", "=", ":thin:", "bearer", "pass", "pwd", "secret", "token", "key")
_SCALARS = {int, float, bool, type(None)}
#: short names of fields that were found to need no treatment
_plain = set()
_SHORT = 40


def mask(value, name=""):
    """The value fit to be shown: the same JSON value with the secrets inside its texts masked, also in keys. name: of the field that has it."""
    return _treated(value, name, None)


def _treated(value, name, longest):
    """Masked, and cut where ``longest`` says so: in one walk, as results can have a hundred thousand partitions."""
    if isinstance(value, dict):
        found = {}
        for key, item in value.items():
            label = key if key in _plain else _label(key, found, longest)
            found[label] = item if item.__class__ in _SCALARS else _treated(item, key, longest)
        return found
    if isinstance(value, (list, tuple)):
        return [_treated(item, name, longest) for item in value]
    if not isinstance(value, str):
        return value
    return _shortened(_masked(value, name), longest)


def _label(key, taken, longest):
    label = _treated(key, "", longest)
    if label == key:
        if isinstance(key, str) and len(key) <= _SHORT:
            _plain.add(key)
        return key
    return _another(label, taken)


def _masked(value: str, name) -> str:
    if value and isinstance(name, str) and _FIELD.search(name) and MASK not in value and not REFERENCE.fullmatch(value):
        return MASK
    if not _is_suspect(value):
        return value
    if value[0] in "{[":
        try:
            inner = json_value(value)
        except ValueError:
            return mask_text(value)
        outer = mask(inner)
        return value if outer == inner else json.dumps(outer, ensure_ascii=False)
    return _hidden(value, _PATTERNS, False)


def mask_text(text: str) -> str:
    """The same of a sentence, which may hold JSON."""
    if not _is_suspect(text):
        return text
    text = _JSON_FIELD.sub(lambda match: match.group(1) + MASK if _FIELD.search(match.group(2)) and not REFERENCE.fullmatch(match.group(3))
                           else match.group(), text)
    return _hidden(text, _PATTERNS, True)


def secrets_in(text: str) -> set:
    """The secrets inside a text."""
    return {match.group(2) for pattern in _PATTERNS for match in pattern.finditer(text) if _is_secret(match)}


def shown(value):
    """The value for a result: secrets masked and long texts cut."""
    return _treated(value, "", _LONGEST)


def shown_text(text: str) -> str:
    """The same of a message, of which the end is kept, too: it says what is left to do."""
    text = mask_text(text)
    if len(text) <= _LONGEST_MESSAGE:
        return text
    half = _LONGEST_MESSAGE // 2
    return "%s ... (cut, %d characters in all) ... %s" % (text[:half], len(text), text[-half:])


def shown_in_diff(value):
    """The same for a diff, which people read."""
    return _treated(value, "", _LONGEST_IN_DIFF)


def shown_in_message(text: str) -> str:
    """One of several values in a message."""
    return _treated(text, "", _LONGEST_IN_MESSAGE)


def _shortened(text: str, longest) -> str:
    if longest is None or len(text) <= longest or is_cut(text):
        return text
    return "%s ... (cut, %d characters in all)" % (text[:longest], len(text))


def _is_suspect(text: str) -> bool:
    text = text.lower()
    return any(word in text for word in _SUSPECT)


def is_cut(value) -> bool:
    """Is it a text of which a result shows the beginning alone?"""
    return isinstance(value, str) and _CUT.search(value) is not None


def is_masked(value) -> bool:
    """Does it hold what stands for a secret in a result?"""
    if isinstance(value, dict):
        return any(is_masked(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple)):
        return any(is_masked(item) for item in value)
    return isinstance(value, str) and MASK in value


def labels(keys) -> dict:
    """{key: as a diff shows it}, different for different keys."""
    found, taken = {}, set()
    for key in keys:
        found[key] = _another(shown_in_diff(key), taken)
        taken.add(found[key])
    return found


def sides(before, after) -> tuple:
    """Both sides of a diff, which stays visible where they differ in what is not shown."""
    old, new = shown_in_diff(before), shown_in_diff(after)
    if before == after or old != new:
        return old, new
    return _marked(old, " (old)"), _marked(new, " (new)")


def _marked(value, word):
    if isinstance(value, dict):
        return {name: _marked(item, word) for name, item in value.items()}
    if isinstance(value, list):
        return [_marked(item, word) for item in value]
    return value + word if is_masked(value) or is_cut(value) else value


def _another(label, taken):
    found, number = label, 1
    while found in taken:
        number += 1
        found = "%s (%d)" % (label, number)
    return found


def _hidden(text: str, patterns, in_a_sentence: bool) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda match: _replacement(match, in_a_sentence), text)
    return text


def _is_secret(match) -> bool:
    name = match.string[max(0, match.start() - 20):match.end(1)]
    return REFERENCE.fullmatch(match.group(2)) is None and MASK not in match.group(2) and _PLACE.search(name) is None


def _replacement(match, in_a_sentence: bool) -> str:
    if not _is_secret(match):
        return match.group()
    end = _END.search(match.group(2)) if in_a_sentence and not match.group(3) else None
    return match.group(1) + MASK + (end.group() if end else "") + match.group(3)
