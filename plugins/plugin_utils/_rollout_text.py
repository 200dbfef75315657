# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The summary of a rollout for people: what has failed is listed, and of a large fleet what went well is counted."""

from __future__ import annotations

import os
from collections import Counter

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._rollout import RESTORE, reason_of
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import WIDTH, first_of, fit, table, wrapped

#: status of a cluster or a connector in the summary -> as people read it
_WORDS = {"changed": "changed", "would_change": "would change", "already_applied": "already applied", "unchanged": "unchanged", "failed": "failed",
          "not_reached": "not reached"}
_UNDONE = {"changed": "restored", "would_change": "would be restored"}

#: up to so many connectors each has a line of its own; beyond that those with the same outcome have one together
_LINES = 60
#: of how many clusters the reasons of a failure are shown, how many failed connectors are listed, and how many paths
_REASONS, _FAILED, _PATHS = 50, 100, 10

_UNNAMED = ("This change has no name (Name of the change, reset_offsets_change_id): every launch makes it again, undo does not find it, and the backup of what "
            "it replaces ends with the job. Give it one before it is made.")


def summary_text(of: dict) -> str:
    """of: the document of _rollout.summary(). A line for each connector; beyond _LINES of them only for those that have failed."""
    words = dict(_WORDS, **(_UNDONE if of["playbook"] == RESTORE else {}))
    every = [(host, one, entry) for host, one in of["clusters"].items() for entry in one["connectors"] + one["planned"]]
    counted = ", ".join("%d %s" % (of["counts"][status], word) for status, word in words.items() if of["counts"][status])
    done = words["would_change" if of["check_mode"] or not of["changes"] else "changed"]
    lines = ["%s: %s; %d of %s %s" % (of["change_id"] or of["playbook"], counted, sum(map(_is_changed, of["clusters"].values())),
                                      plural(len(every), "connector"), done)]
    rows, failed, unlisted = [], [], []
    for host, one in of["clusters"].items():
        for entry in one["connectors"] + one["planned"] or [None]:
            row = [host, *_row(entry, one, words)] if entry else [host, "-", words[one["status"]], *["-"] * 7]
            has_failed = bool(reason_of(one)) or entry and (entry["unfinished"] or entry["verdict"] == "fail")
            (failed if has_failed else rows).append(row)
    if len(rows) + len(failed) > _LINES:
        rows, unlisted = _alike(rows) + failed[:_FAILED], failed[_FAILED:]
    else:
        order = {host: number for number, host in enumerate(of["clusters"])}
        rows = sorted(rows + failed, key=lambda row: order[row[0]])
    lines += _table(rows)
    lines += ["... and %s that failed" % plural(len(unlisted), "more connector")] if unlisted else []
    return "\n".join(lines + _paths(every) + _errors(of) + _notes(of) + _expect(of))


def _alike(rows: list) -> list:
    """A row for all of those that differ in their clusters and connectors alone, with the sums of what was set and removed."""
    groups: dict = {}
    for row in rows:
        groups.setdefault(tuple(row[2:4] + row[7:]), []).append(row)
    return [_together(same) for same in groups.values()]


def _together(rows: list) -> list:
    if len(rows) == 1:
        return rows[0]
    hosts, connectors, moved = ({row[number] for row in rows} for number in (0, 1, 6))
    sums = ["-" if "-" in column else sum(column) for column in ([row[number] for row in rows] for number in (4, 5))]
    return ["%d clusters" % len(hosts) if len(hosts) > 1 else rows[0][0], "%d connectors" % len(connectors) if len(connectors) > 1 else rows[0][1],
            *rows[0][2:4], *sums, "various" if len(moved) > 1 else rows[0][6], *rows[0][7:]]


def _paths(every: list) -> list[str]:
    """What was written to, backups, and pages of verifications. every: (host, cluster, connector)."""
    places, pages = {}, {}
    for host, _one, entry in every:
        if entry["where"] and entry["changed"]:
            places.setdefault("%s, %s" % (host, entry["where"]), []).append(entry["connector"])
        if entry["page"]:
            pages[entry["page"]] = entry["verdict"]
    written = ["%s: %s" % (place, fit(", ".join(names), 60)) for place, names in places.items()]
    backups = list(dict.fromkeys(entry["backup_file"] for _host, _one, entry in every if entry["backup_file"]))
    lines = first_of(written, _PATHS)
    if len(backups) > _PATHS:
        folders = Counter(os.path.dirname(path) for path in backups)
        lines += ["Backups: %s in %s" % (plural(count, "file"), folder) for folder, count in folders.items()]
    else:
        lines += ["Backup: " + path for path in backups]
    if len(pages) > _PATHS:
        lines += ["Verifications: " + ", ".join("%d %s" % (count, verdict) for verdict, count in sorted(Counter(pages.values()).items()))]
        pages = {page: verdict for page, verdict in pages.items() if verdict != "pass"}
    return lines + ["Verification: %s, %s" % (verdict, page) for page, verdict in pages.items()]


def _expect(of: dict) -> list[str]:
    """How to make exactly what a dry run has shown."""
    approval = of.get("approval")
    return ["To make exactly this: -e reset_offsets_expect=%s" % approval["digest"]] if approval else []


def _is_changed(one: dict) -> int:
    return sum(entry["changed"] and entry["status"] in ("changed", "would_change") for entry in one["connectors"])


def _table(rows: list) -> list[str]:
    """Without columns that say nothing; where it is too wide, names of connectors are cut."""
    head = ["CLUSTER", "CONNECTOR", "RESULT", "STATE", "SET", "REMOVED", "MOVES", "POSITION", "VERDICT", "CHANGE"]
    shown = [number for number in range(len(head)) if number < 6 or any(row[number] != "-" for row in rows)]
    rows = [[head[number] for number in shown]] + [[str(row[number]) for number in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    room = max(WIDTH - sum(widths) - 2 * (len(widths) - 1) + widths[1], 12)
    return table([[row[0], fit(row[1], room), *row[2:]] for row in rows], right=(4, 5))


def _row(entry: dict, one: dict, words: dict) -> list:
    """Without the cluster. A cluster that has failed to answer afterwards has failed with all of its connectors."""
    begun = entry["status"] != "not_reached"
    state = entry["state_before"] or "-"
    if entry["state"] != entry["state_before"]:
        state += " -> %s" % entry["state"]
    far = ["%s %s" % ("back" if move["direction"] == "backward" else "ahead", counted(move["distance"], move["unit"]))
           for move in entry["moves"]] if begun else []
    verdict = "fail" if one["verdict"] == "fail" else entry["verdict"] or one["verdict"] or "-"
    return [entry["connector"], words[entry["status"]] + (", UNFINISHED" if entry["unfinished"] else ""), state, entry["set"] if begun else 0,
            entry["removed"] if begun else 0, ", ".join(far) or "-", (entry["position"] or "-").replace("_", " "), verdict, fit(entry["change_id"] or "-", 24)]


def counted(distance: int, unit: str | None) -> str:
    """A unit can be the name of a field, too, which has no plural."""
    if unit in ("records", "bytes"):
        return plural(distance, unit[:-1])
    return "%d %s" % (distance, unit) if unit else str(distance)


def _errors(of: dict) -> list[str]:
    """Of several clusters: of one alone it is said where it fails."""
    lines, failed = [], {host: one for host, one in of["clusters"].items() if len(of["clusters"]) > 1 and reason_of(one)}
    for host, one in list(failed.items())[:_REASONS]:
        every = one["connectors"] + one["planned"]
        lines += ["", "%s: %d of %s changed" % (host, _is_changed(one), plural(len(every), "connector")) if every else host + ":"]
        lines += wrapped(fit(" ".join(reason_of(one).split()), 600), first="  ")
    if len(failed) > _REASONS:
        lines += ["", *wrapped("%d more clusters have failed: %s. The summary file (%s_summary_file) has the reasons of all." % (
            len(failed) - _REASONS, fit(", ".join(list(failed)[_REASONS:]), 400), of["playbook"]))]
    return lines


def _notes(of: dict) -> list[str]:
    lines: list = []
    named = of["change_id"] or of["playbook"] != "reset_offsets" or not any(map(_is_changed, of["clusters"].values()))
    if of["check_mode"] and not named and os.environ.get("AWX_HOST"):
        lines += ["", *wrapped(_UNNAMED)]
    if of["nowhere"] and len(of["clusters"]) > 1:
        lines += ["", "On none of these clusters: " + fit(", ".join(of["nowhere"]), WIDTH)]
    if of["stopped_by"] and of["counts"]["not_reached"]:
        lines += ["", "Stopped by %s. Run it again%s when that is fixed: it goes on where it has stopped." % (
            fit(", ".join(of["stopped_by"]), 60), " with the same change_id" if of["change_id"] else "")]
    if not of["changes"]:
        lines += ["", "Nothing was changed, as the tag change is not among those of this run."]
    elif not of["verifies"] and not of["check_mode"]:
        lines += ["", "Nothing was looked at afterwards, as the tag verify is not among those of this run."]
    return lines
