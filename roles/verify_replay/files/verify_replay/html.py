# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as one page that needs nothing else. Pure."""

from __future__ import annotations

from html import escape
from typing import Any

from verify_replay import charts, overview
from verify_replay.charts import number
from verify_replay.style import CSS

_TITLES = {
    "pass": "The data is as declared",
    "fail": "The data is not as declared",
    "cannot_tell": "Whether the data is as declared cannot be determined",
    "error": "The verification could not be done",
}
_BADGES = {"pass": "pass", "fail": "fail", "cannot_tell": "cannot tell"}
_ORDER = {"fail": 0, "cannot_tell": 1, "pass": 2}
# No font, no picture, nothing from anywhere, and no script but the one that sorts: the browser is told to refuse it, too.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(report: dict[str, Any]) -> str:
    """The whole page. Everything that comes from the report is escaped."""
    title = _TITLES[report["verdict"]]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}; {overview.POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{CSS}</style></head><body><main>\n"
        f"{_banner(report, title)}\n{overview.table(report['connectors'])}\n{_checks(report['checks'])}\n"
        + "\n".join(_topic(name, topic) for name, topic in report["topics"].items())
        + f"\n{_footer(report)}\n</main>{overview.script(report['connectors'])}</body></html>\n"
    )


def _banner(report: dict[str, Any], title: str) -> str:
    lines = []
    if report["error"]:
        lines.append(escape(report["error"]))
    counts = {verdict: sum(check["verdict"] == verdict for check in report["checks"]) for verdict in _ORDER}
    words = (("fail", "failed"), ("cannot_tell", "cannot tell"), ("pass", "passed"))
    told = ", ".join(f"{counts[verdict]} {word}" for verdict, word in words if counts[verdict])
    if told:
        lines.append(f"{len(report['checks'])} check{'s' if len(report['checks']) != 1 else ''}: {told}")
    if report["change_id"]:
        lines.append(f"Change {escape(report['change_id'])}")
    lines.append(escape(report["finished"].replace("T", " ").replace("+00:00", " UTC")))
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    return f'<header class="{report["verdict"]}"><h1>{escape(title)}</h1>{paragraphs}</header>'


def _checks(checks: list[dict[str, Any]]) -> str:
    if not checks:
        return ""
    rows = "".join(_check(check) for check in sorted(checks, key=lambda one: _ORDER[one["verdict"]]))
    head = "<tr><th>Verdict</th><th>Check</th><th>What was found</th></tr>"
    return f'<section><h2>Checks</h2><div class="wide"><table>{head}{rows}</table></div></section>'


def _check(check: dict[str, Any]) -> str:
    flat = {name: value for name, value in check["figures"].items() if not isinstance(value, dict)}
    nested = {name: value for name, value in check["figures"].items() if isinstance(value, dict)}
    figures = "".join(f"<li><span>{escape(name.replace('_', ' '))}</span> <b>{_value(value)}</b></li>" for name, value in flat.items())
    inner = f'<ul class="figures">{figures}</ul>' + "".join(_nested(value) for value in nested.values()) + _samples(check["samples"])
    shown = " open" if check["verdict"] == "fail" else ""
    label = f"figures, {len(check['samples'])} samples" if check["samples"] else "figures"
    return (
        f'<tr><td><span class="badge {check["verdict"]}">{_BADGES[check["verdict"]]}</span></td>'
        f'<td class="name">{escape(check["name"])}<small>{escape(check["type"])}, {escape(check["topic"])}</small></td>'
        f"<td>{escape(check['sentence'])}<details{shown}><summary>{label}</summary>{inner}</details></td></tr>"
    )


def _value(value: Any) -> str:
    return escape(number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value))


def _nested(figures: dict[str, dict[str, Any]]) -> str:
    """A table of partitions."""
    if not figures:
        return ""
    names = list(next(iter(figures.values())))
    head = "".join(f'<th class="n">{escape(name)}</th>' for name in ("partition", *names))
    rows = "".join(
        f'<tr><td class="n">{escape(key)}</td>{"".join(f"<td class=n>{_value(found.get(name))}</td>" for name in names)}</tr>'
        for key, found in figures.items()
    )
    return f"<table class=numbers><tr>{head}</tr>{rows}</table>"


def _samples(samples: list[dict[str, Any]]) -> str:
    """A line for each partition and kind: people read ranges, programs have the report."""
    lines: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for sample in samples:
        what = f"{sample['what']}: {sample['key']}" if "key" in sample else sample["what"]
        where = sample.get("topic") or f"table {sample.get('table')}"
        if "file" in sample:
            what = f"{what} ({sample['file'].rsplit('/', 1)[-1]})"
        # The length of a gap is in its range already.
        what = "nothing visible, unexplained" if what.endswith("offsets missing") else what
        offset = sample.get("offset")
        found = lines.setdefault((where, number(sample.get("partition")), what), [])
        if offset is not None:
            found.append((offset, sample.get("end", offset + 1)))
    if not lines:
        return ""
    rows = "".join(
        f'<tr><td>{escape(where)}</td><td class="n">{part}</td><td>{_runs(found)}</td><td>{escape(what)}</td></tr>'
        for (where, part, what), found in lines.items()
    )
    return f'<table class="numbers"><tr><th>topic</th><th class="n">partition</th><th>offsets</th><th>what</th></tr>{rows}</table>'


def _runs(offsets: list[tuple[int, int]]) -> str:
    """0–9, 12, 15–17; at most 40 of them."""
    runs: list[list[int]] = []
    for start, end in sorted(offsets):
        if runs and runs[-1][1] == start:
            runs[-1][1] = end
        else:
            runs.append([start, end])
    shown = [number(start) if end - start == 1 else f"{number(start)}–{number(end - 1)}" for start, end in runs[:40]]
    return ", ".join(shown) + (f" and {len(runs) - 40} more" if len(runs) > 40 else "")


def _topic(name: str, topic: dict[str, Any]) -> str:
    parts = topic["partitions"].values()
    holes, lost = sum(part["holes"] for part in parts), sum(one["end"] - one["start"] for part in parts for one in part["unreadable"])
    cards = [
        (number(topic["before"]), "records before"),
        (number(topic["after"]), "records after"),
        (number(len(topic["partitions"])), "partitions"),
        (_size(topic["bytes"]), "of keys and values"),
        (number(holes), "holes"),
    ]
    if lost:
        cards.append((number(lost), "offsets cannot be read"))
    shown = "".join(f"<div><b>{escape(value)}</b><span>{escape(label)}</span></div>" for value, label in cards)
    called = f" <small>{escape(topic['topic'])}</small>" if topic["topic"] != name else ""
    kind = ", compacted" if topic["compacted"] else ""
    where = f'<p class="soft">cluster {escape(topic["cluster"])} ({escape(topic["cluster_id"])}){kind}</p>'
    head = f'<section id="topic-{escape(name)}"><h2>{escape(name)}{called}</h2>{where}'
    return f'{head}<div class="cards">{shown}</div>{_plots(topic)}{_table(topic)}</section>'


def _plots(topic: dict[str, Any]) -> str:
    plots = []
    found = topic["payloads"]
    if found:
        strip = charts.shares(
            [
                ("both", "delivered again", found["both"]),
                ("before", "only before, not delivered again", found["only_before"]),
                ("after", "only after, new", found["only_after"]),
            ]
        )
        within = f"before: {number(found['repeated_before'])}, within after: {number(found['repeated_after'])}"
        again = f'<p class="soft">Repeated within {within}.</p>'
        plots.append(f"<h3>Different records</h3>{strip}{again}")
    legend = [("before", "before"), ("after", "after"), ("gap", "nothing visible"), ("gone", "cannot be read"), ("edge", "boundary")]
    keys = "".join(f'<li><span class="key {kind}"></span>{label}</li>' for kind, label in legend)
    cut = '<p class="soft">There are more gaps than are drawn.</p>' if topic["gaps_cut"] else ""
    plots.append(f'<h3>Offsets by partition</h3>{charts.partitions(topic)}<ul class="legend">{keys}</ul>{cut}')
    if topic["times"]:
        plots.append(f"<h3>Records by their timestamp</h3>{charts.times(topic['times'])}")
    return "".join(plots)


def _table(topic: dict[str, Any]) -> str:
    names = ("start", "boundary", "end", "before", "after", "holes", "null_keys", "tombstones", "log_start", "log_end")
    head = "".join(f'<th class="n">{name.replace("_", " ")}</th>' for name in ("partition", *names))
    rows = "".join(
        f'<tr><td class="n">{escape(key)}</td>{"".join(f"<td class=n>{number(part[name])}</td>" for name in names)}</tr>'
        for key, part in topic["partitions"].items()
    )
    table = f'<div class="wide"><table class="numbers"><tr>{head}</tr>{rows}</table></div>'
    return f"<details><summary>numbers of each partition</summary>{table}</details>"


def _size(value: int) -> str:
    size = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def _footer(report: dict[str, Any]) -> str:
    versions = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in report["versions"].items())
    took = ", ".join(f"{name} {value:.1f} s" for name, value in report["seconds"].items())
    notes = (
        "Records are compared by hashes; neither keys nor values are kept."
        " A boundary is an offset that was taken while the connector was stopped."
    )
    return f"<footer><p>{notes}</p><p>{escape(took)}</p><p>{escape(versions)}</p></footer>"
