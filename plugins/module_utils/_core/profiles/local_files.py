# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Positions in files that can be seen from here, as beside a standalone worker: of connectors whose profile says that they are bytes of a file."""

from __future__ import annotations

import os
import stat

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import is_int
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import recognised


def check_positions(plan, lenient: bool) -> list:
    """Warnings about the positions that a plan sets. A task that starts behind the end of its file reads nothing, at full load.

    Raises DeclarationError for one behind the end, unless ``lenient``.
    """
    warnings = []
    for action in plan.changes:
        path, position = _place(action.shape, action.partition, action.after)
        size = _size(path)
        if size is None:
            continue
        if not 0 <= position <= size:
            text = "The position %d of %s in %s is not in the file, which has %d bytes" % (position, plan.live.connector, path, size)
            if not lenient:
                raise DeclarationError("%s: its task would read nothing until the file has grown beyond that. Declare a position from 0 to %d, or use "
                                       "force: true." % (text, size))
            warnings.append(text + ".")
        elif not _begins_a_line(path, position):
            warnings.append("The position %d of %s in %s is inside of a line: the first record is the rest of that line." % (
                position, plan.live.connector, path))
    return warnings


def behind_the_end(snapshot) -> list:
    """Warnings about live positions that their files do not have any more."""
    found = []
    for entry in snapshot.sorted():
        path, position = _place(snapshot.profile and snapshot.profile.shape_of(entry.partition), entry.partition, entry.offset)
        size = _size(path)
        if size is not None and position > size:
            found.append("%s is at %d in %s, which has %d bytes: the file was truncated or replaced, and nothing of it is read until it has grown "
                         "beyond that." % (snapshot.connector, position, path, size))
    return found


def _place(shape, partition, offset) -> tuple:
    """(path, position), (None, None) of what is no place in a file. A relative path only the worker can follow. shape: None where it is not known."""
    known = shape or recognised(partition, offset)
    file = known.data.get("file") if known is not None else None
    if not file or not offset or set(offset) != {file["position"]}:
        return None, None
    path, position = partition[file["path"]], offset[file["position"]]
    return (path, position) if isinstance(path, str) and os.path.isabs(path) and is_int(position) else (None, None)


def _size(path):
    """None where it cannot be seen, or is no regular file."""
    try:
        found = os.stat(path) if path is not None else None
    except (OSError, ValueError):
        return None
    return found.st_size if found is not None and stat.S_ISREG(found.st_mode) else None


def _begins_a_line(path, position: int) -> bool:
    if position == 0:
        return True
    try:
        with open(path, "rb") as file:
            file.seek(position - 1)
            return file.read(1) in (b"\n", b"\r")
    except OSError:  # it may be seen, but not read
        return True
