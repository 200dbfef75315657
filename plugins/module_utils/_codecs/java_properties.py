# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Java's property files, such as a worker's. Pure. See java.util.Properties#load."""

from __future__ import annotations

import re

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
#: the key ends at the first blank, = or : that no backslash escapes
_LINE = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*(.*)", re.DOTALL)


def properties(text: str) -> dict:
    """{key: value}; of a key that is there twice the last one, as for Java."""
    found = {}
    for line in _logical_lines(text):
        key, value = _LINE.fullmatch(line).groups()
        found[_unescape(key)] = _unescape(value)
    return found


def line(key: str, value: str) -> str:
    """What Java reads as this key with this value."""
    return "%s=%s" % (re.sub("([ :=])", r"\\\1", _escape(key)), _escape(value))


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")


def _logical_lines(text: str):
    """Without comments and blank lines; a line that ends with an odd number of backslashes goes on in the next one."""
    line = ""
    for part in re.split(r"\r\n|\r|\n", text):
        part = part.lstrip(" \t\f")
        if not line and (not part or part[0] in "#!"):
            continue
        if (len(part) - len(part.rstrip("\\"))) % 2:
            line += part[:-1]
            continue
        yield line + part
        line = ""
    if line:
        yield line


def _unescape(text: str) -> str:
    return _ESCAPE.sub(_escaped, text)


def _escaped(match) -> str:
    code = match.group(1)
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, code)
