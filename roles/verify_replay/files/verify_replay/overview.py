# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many connectors in one job: what became of each. Pure."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from typing import Any

from verify_replay.charts import number

_ORDER = ("fail", "cannot_tell", "pass")
_BADGES = {"pass": "pass", "fail": "fail", "cannot_tell": "cannot tell"}
#: the columns of numbers -> their headings
_NUMBERS = {"checks": "checks", "failed": "failed", "cannot_tell": "cannot tell", "before": "records before", "after": "records after"}
#: sorts the rows by the heading that is clicked, the other way round at the second click
SCRIPT = """
document.querySelectorAll("table.sortable th").forEach(function (head, column) {
  head.addEventListener("click", function () {
    var body = head.closest("table").tBodies[0], up = head.getAttribute("aria-sort") !== "ascending";
    head.parentNode.querySelectorAll("th").forEach(function (other) { other.removeAttribute("aria-sort"); });
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    Array.from(body.rows).sort(function (one, other) {
      var a = one.cells[column].dataset.sort, b = other.cells[column].dataset.sort;
      return (up ? 1 : -1) * (isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b);
    }).forEach(function (row) { body.appendChild(row); });
  });
});
"""
#: what the page's policy has to allow for it
POLICY = f"script-src 'sha256-{base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()}'"


def connectors(named: dict[str, list[int]], checks: list[dict[str, Any]], topics: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each connector, the worst verdict first. named: the numbers of its checks in the document."""
    rows = []
    for name, numbers in named.items():
        own = [checks[at] for at in numbers]
        verdicts = [check["verdict"] for check in own]
        mine = list(dict.fromkeys(check["topic"] for check in own))
        rows.append(
            {
                "name": name,
                "verdict": next(verdict for verdict in _ORDER if verdict in verdicts),
                "checks": len(own),
                "failed": verdicts.count("fail"),
                "cannot_tell": verdicts.count("cannot_tell"),
                "topics": mine,
                "before": sum(topics[topic]["before"] for topic in mine),
                "after": sum(topics[topic]["after"] for topic in mine),
            }
        )
    return sorted(rows, key=lambda row: _ORDER.index(row["verdict"]))


def table(rows: list[dict[str, Any]]) -> str:
    """The rows, with links to the parts of their topics. Nothing for one connector, or none."""
    if len(rows) < 2:
        return ""
    heads = "".join(f'<th class="n">{label}</th>' for label in _NUMBERS.values())
    body = "".join(_row(row) for row in rows)
    return (
        f"<section><h2>{number(len(rows))} connectors</h2>"
        f'<div class="wide"><table class="sortable"><thead><tr><th>Verdict</th><th>Connector</th>{heads}<th>Topics</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div></section>"
    )


def script(rows: list[dict[str, Any]]) -> str:
    return f"<script>{SCRIPT}</script>" if len(rows) > 1 else ""


def _row(row: dict[str, Any]) -> str:
    verdict, name = row["verdict"], escape(row["name"])
    numbers = "".join(f'<td class="n" data-sort="{row[key]}">{number(row[key])}</td>' for key in _NUMBERS)
    links = ", ".join(f'<a href="#topic-{escape(topic)}">{escape(topic)}</a>' for topic in row["topics"])
    return (
        f'<tr><td data-sort="{_ORDER.index(verdict)}"><span class="badge {verdict}">{_BADGES[verdict]}</span></td>'
        f'<td class="name" data-sort="{name}">{name}</td>{numbers}<td data-sort="{escape(row["topics"][0])}">{links}</td></tr>'
    )
