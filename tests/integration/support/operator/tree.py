# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the operator writes Connect's answer anew: through a generic tree of Java values (facts 3.2).

Keys keep their order, integers of any size are exact, other numbers are doubles, text is as it is.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any


class _Double(str):
    """A number as Java writes it."""


def rewritten(body: str) -> str:
    return _text(json.loads(body, parse_float=java_double), "")


def java_double(number: str) -> str:
    """A decimal number as Double.toString() has it: 1e22 is 1.0E22."""
    value = float(number)
    exact = Decimal(repr(value))
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        plain = f"{exact:f}"
        return _Double(plain if "." in plain else plain + ".0")
    sign, digits, exponent = exact.as_tuple()
    figures = "".join(map(str, digits)).rstrip("0")
    power = len(digits) - 1 + exponent
    return _Double(f"{'-' if sign else ''}{figures[0]}.{figures[1:] or '0'}E{power}")


def _text(value: Any, margin: str) -> str:
    if isinstance(value, dict):
        inner = margin + "  "
        members = [f"{inner}{json.dumps(key, ensure_ascii=False)} : {_text(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(members) + f"\n{margin}}}" if members else "{ }"
    if isinstance(value, list):
        return "[ " + ", ".join(_text(item, margin) for item in value) + " ]" if value else "[ ]"
    return value if isinstance(value, _Double) else json.dumps(value, ensure_ascii=False)
