# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The style sheet of the page."""

from __future__ import annotations

CSS = """
:root { color-scheme: light dark;
  --page: #f5f6f8; --card: #fff; --ink: #1c2330; --soft: #5d6778; --line: #dfe3ea;
  --before: #9fb3cc; --after: #2f74c0; --gap: #d6293e; --gone: #6b7280;
  --pass: #1a7f4b; --fail: #c2293b; --cannot_tell: #a66a00; --error: #7a1f8f; }
@media (prefers-color-scheme: dark) { :root {
  --page: #12161d; --card: #1b212b; --ink: #e6eaf1; --soft: #98a3b5; --line: #2d3644;
  --before: #55677f; --after: #5aa2ee; --gap: #ff5d6e; --gone: #8b93a1;
  --pass: #2f9e68; --fail: #e0485a; --cannot_tell: #c98a1b; --error: #a855c0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 28px 20px 48px; }
header { color: #fff; border-radius: 12px; padding: 22px 26px; margin-bottom: 20px; }
header h1 { margin: 0; font-size: 28px; line-height: 1.2; }
header p { margin: 6px 0 0; opacity: .94; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 30px 0 10px; }
h3 { font-size: 12px; margin: 22px 0 8px; color: var(--soft); text-transform: uppercase; letter-spacing: .05em; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 6px 22px 18px; margin-bottom: 18px; }
section > h2 { margin-top: 14px; overflow-wrap: anywhere; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); gap: 12px; margin: 10px 0 4px; }
.cards div { border: 1px solid var(--line); border-radius: 10px; padding: 9px 13px; }
.cards b { display: block; font-size: 21px; font-variant-numeric: tabular-nums; }
.cards span, small, .soft { color: var(--soft); font-size: 13px; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-size: 12px; color: var(--soft); font-weight: 600;
  padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); }
td { padding: 10px 14px 10px 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
tr:last-child > td { border-bottom: 0; }
td.n, th.n { text-align: right; white-space: nowrap; overflow-wrap: normal; }
td td, td th { padding: 3px 14px 3px 0; }
table.numbers td { padding: 4px 14px 4px 0; }
.sortable th { cursor: pointer; } th[aria-sort="ascending"]::after { content: " ▲"; } th[aria-sort="descending"]::after { content: " ▼"; }
.sortable td { padding: 5px 14px 5px 0; } a { color: var(--after); }
.badge { display: inline-block; color: #fff; border-radius: 999px; padding: 1px 11px;
  font-size: 12.5px; font-weight: 600; white-space: nowrap; }
.pass { background: var(--pass); } .fail { background: var(--fail); }
.cannot_tell { background: var(--cannot_tell); } .error { background: var(--error); }
.name { white-space: nowrap; } .name small { display: block; }
details { margin-top: 6px; } summary { cursor: pointer; color: var(--soft); font-size: 13px; }
.figures { list-style: none; padding: 0; margin: 8px 0; display: flex; flex-wrap: wrap; gap: 3px 18px; font-size: 13.5px; }
.figures span { color: var(--soft); }
svg { display: block; width: 100%; height: auto; } svg.strip { height: 22px; border-radius: 6px; }
rect.before, .key.before { fill: var(--before); background: var(--before); }
rect.after, .key.after { fill: var(--after); background: var(--after); }
rect.both, .key.both { fill: var(--pass); background: var(--pass); }
rect.gap, .key.gap { fill: var(--gap); background: var(--gap); }
rect.gone, .key.gone { fill: var(--gone); background: var(--gone); }
line.edge { stroke: var(--ink); stroke-width: 1.5; } line.base { stroke: var(--line); }
text.axis { fill: var(--soft); font: 12px system-ui, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
.legend { list-style: none; padding: 0; margin: 8px 0 0; display: flex; flex-wrap: wrap; gap: 2px 20px; font-size: 13.5px; }
.key { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 7px; }
.key.edge { width: 2px; border-radius: 0; background: var(--ink); }
footer { color: var(--soft); font-size: 13px; margin-top: 22px; overflow-wrap: anywhere; }
@media print { body { background: #fff; } section { break-inside: avoid; } }
"""
