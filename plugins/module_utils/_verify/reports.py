# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The files that a run leaves, and what is shown of a report."""

from __future__ import annotations

import json
import os
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import StateError

PASS = "pass"
#: where they are by default
DEFAULT_FOLDER = "~/.local/share/streamops-kafka-connect/reports"
#: how a report's name has the time
TIME = "%Y%m%dT%H%M%S.%fZ"
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")
#: lines of the log that say why the job broke
_REASON = re.compile(r"verify_replay: ERROR|.*(?:Exception|Error):")


def name_of(pattern: str, change_id, now) -> str:
    """now: UTC"""
    return safe(pattern.replace("{time}", now.strftime(TIME)).replace("{change_id}", str(change_id or "verify")))


def safe(name: str) -> str:
    """Without what has a meaning in a path."""
    return _FOREIGN.sub("_", name)


def files_of(folder: str, name: str) -> dict:
    stem = os.path.join(folder, name)
    return {"report": stem + ".json", "page": stem + ".html", "log": stem + ".log", "expectation": stem + ".expectation.json"}


def check_folder(folder: str) -> None:
    """Raises StateError for a folder that cannot be written to, or not be made. Nothing is made."""
    there = folder
    while not os.path.lexists(there) and os.path.dirname(there) != there:
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise StateError("The report folder %s cannot be written to: %s is no folder." % (folder, there))
    if not os.access(there, os.W_OK | os.X_OK):
        raise StateError("The report folder %s cannot be written to: no permission for %s." % (folder, there))


def make_folder(folder: str) -> None:
    """Raises StateError."""
    try:
        os.makedirs(folder, 0o750, exist_ok=True)
    except OSError as error:
        raise StateError("The report folder %s cannot be made: %s." % (folder, error.strerror)) from error


def read(path: str):
    """The report; None if there is none that can be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def reason(log: str) -> str:
    """Why the job broke, in the words of its log."""
    with open(log, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file.read().splitlines() if line]
    return next((line for line in reversed(lines) if _REASON.match(line)), lines[-1] if lines else "no output")


def summary(report: dict, page: str) -> list:
    """Lines for people."""
    lines = ["%s: %s: %s" % (check["verdict"], check["name"], check["sentence"]) for check in report["checks"]]
    return lines + ["verdict: %s, after %s s" % (report["verdict"], report["seconds"]["total"]), "page: %s" % page]


def failures(report: dict, page: str) -> str:
    """One line."""
    bad = [check for check in report["checks"] if check["verdict"] != PASS]
    said = ["[%s] %s: %s%s" % (check["verdict"], check["name"], check["sentence"], "" if check["sentence"].endswith(".") else ".") for check in bad]
    return "%d of %d checks did not pass: %s More is in %s" % (len(bad), len(report["checks"]), " ".join(said), page)
