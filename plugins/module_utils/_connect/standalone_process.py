# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Standalone workers that run on this machine, by what Linux tells of its processes."""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import properties

_CLASS = b"org.apache.kafka.connect.cli.ConnectStandalone"
FILE = "offset.storage.file.filename"


def workers_with(path: str) -> list:
    """["process 4711 (/etc/kafka/worker.properties)"] of those that keep offsets in this file, or do so for all that can be seen."""
    wanted = os.path.realpath(os.path.expanduser(path))
    found = []
    for pid in sorted((name for name in _names("/proc") if name.isdigit()), key=int):
        words = _command(pid)
        if _CLASS not in words:
            continue
        config = next((word.decode("utf-8", "surrogateescape") for word in words[words.index(_CLASS) + 1:] if not word.startswith(b"-")), "")
        if _has(pid, config, wanted):
            found.append("process %s (%s)" % (pid, config or "its configuration cannot be seen"))
    return found


def _names(folder) -> list:
    try:
        return os.listdir(folder)
    except OSError:  # no Linux, or hidden
        return []


def _command(pid) -> list:
    try:
        with open("/proc/%s/cmdline" % pid, "rb") as file:
            return file.read().split(b"\0")
    except OSError:  # it has just ended, or is somebody else's
        return []


def _has(pid, config, wanted) -> bool:
    """Does this worker keep its offsets there? Yes, where it cannot be seen."""
    try:
        root = "/proc/%s/root" % pid
        with open(_seen(pid, root, config), encoding="latin-1") as file:
            name = properties(file.read()).get(FILE)
        if not name or "${" in name:  # only the worker can follow a reference
            return True
        path = _seen(pid, root, name)
        if os.path.exists(path):
            return os.path.exists(wanted) and os.path.samefile(path, wanted)
        # In a container only the worker itself could follow links.
        return os.path.realpath(path[len(root):]) == wanted or not os.path.samefile(root, "/")
    except (OSError, ValueError):
        return True


def _seen(pid, root, path) -> str:
    """Where a worker's path is for us: it may run in a container."""
    return root + (path if path.startswith("/") else os.path.join(os.readlink("/proc/%s/cwd" % pid), path))
