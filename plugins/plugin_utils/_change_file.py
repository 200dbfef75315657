# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A change in version control: a file of variables ``reset_offsets_*``, which somebody has reviewed. What is given besides must not contradict it."""

from __future__ import annotations

import json
import os
import re

import yaml
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _given

#: a file of variables without any
_NO_VARIABLES = os.path.join(os.path.dirname(__file__), "..", "..", "playbooks", "private", "no_variables.yml")

CONNECTORS, CHANGE_ID = "reset_offsets_connectors", "reset_offsets_change_id"

UNUSABLE = ("%s must hold reset_offsets_connectors, and nothing but variables reset_offsets_*, and the list must not be given elsewhere as well.")
_CONTRADICTED = ("%s of %s is %s, but %s is given on the command line or in the survey. Leave it empty there, so that the file counts, or change the file.")


def change(name, folder: str, answers: dict) -> dict:
    """A change that is picked by its name: ``path``, its file, ``variables`` in it, by name, and ``error``, empty if it can be used.

    answers: variables that win over those of the file, as they are given on the command line, which is also how AWX sends the answers of a survey.
    """
    nothing = {"path": _NO_VARIABLES, "variables": {}, "error": ""}
    if not name:
        return nothing
    folder = _given.path(folder or "changes")
    found = sorted(os.path.splitext(one)[0] for one in (os.listdir(folder) if os.path.isdir(folder) else []) if one.endswith(".yml"))
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        return dict(nothing, error="reset_offsets_change %s is no name of a change: letters, digits, dot, dash, underscore." % (
            json.dumps(name)))
    if name not in found:
        return dict(nothing, error="There is no change %s in %s, %s." % (
            name, folder, "there are " + ", ".join(found) if found else "nor any other"))
    path = os.path.join(folder, name + ".yml")
    try:
        with open(path, encoding="utf-8") as file:
            content = yaml.safe_load(file)
    except (OSError, ValueError, yaml.YAMLError) as error:
        return dict(nothing, error="%s cannot be read: %s" % (path, " ".join(str(error).split())))
    if not isinstance(content, dict) or not content.get(CONNECTORS) or not all(
            isinstance(one, str) and re.match("reset_offsets_[a-z]", one) for one in content):
        return dict(nothing, error=UNUSABLE % path)
    return {"path": path, "variables": dict(content, **{CHANGE_ID: content.get(CHANGE_ID) or name}), "error": _contradictions(content, answers, path)}


def _contradictions(content: dict, answers: dict, path: str) -> str:
    """What the file says and somebody else says otherwise; empty text and nothing are no answer."""
    found = [name for name in sorted(set(content) & set(answers) - {CONNECTORS}) if not _is_open(content[name]) and not _is_open(answers[name])]
    return " ".join(_CONTRADICTED % (name, path, _shown(content[name]), _shown(answers[name])) for name in found if not _same(content[name], answers[name]))


def _is_open(value) -> bool:
    return value is None or value == ""


def _same(one, other) -> bool:
    """A survey sends text for everything."""
    return one == other or not isinstance(one, (dict, list)) and str(one).strip().lower() == str(other).strip().lower()


def _shown(value) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def filled(given: dict, variables: dict, prefix: str) -> dict:
    """given, with what is open in it from the file. variables: those of the file; prefix: how their names begin there."""
    return {name: variables.get(prefix + name, value) if _is_open(value) else value for name, value in given.items()}
