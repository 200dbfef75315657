# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Backups: the offsets before a change, as a document in a file that only its owner can read."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, DeclarationError

DEFAULT_FOLDER = "~/.local/share/streamops-kafka-connect/backups"
#: how much of a connector's name is in that of a file, in bytes: most file systems take 255, and time and ending come on top
_NAME_LENGTH = 100


def default_path(connector: str) -> str:
    """A new name for each run: connector and time in UTC."""
    stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%fZ")
    return os.path.join(os.path.expanduser(DEFAULT_FOLDER), "%s-%s.json" % (quote(connector, safe=" ")[:_NAME_LENGTH], stamp))


def check(path: str) -> None:
    """Raises DeclarationError if the file exists: the only copy of the true beginning may be in it."""
    if os.path.lexists(path):
        raise DeclarationError("The backup file %s exists already and is never overwritten." % path)


def write(path: str, snapshots: list, cluster: dict, method: str, replace=False, **more) -> None:
    """Mode 0600, on the disk before the first write. cluster: what tells it apart. more: see documents.write. Raises ConnectError.

    replace: the file is this run's own, which goes on with it.
    """
    parts, now = [documents.part_of(snapshot) for snapshot in snapshots], datetime.now(timezone.utc)
    text = documents.write(parts, cluster, method, now.strftime("%Y-%m-%dT%H:%M:%SZ"), **more)
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        write_file(path, text, replace)
    except OSError as error:
        raise ConnectError("The backup file %s cannot be written: %s." % (path, error.strerror))


def write_file(path: str, text: str, replace: bool) -> None:
    """In one step, readable by its owner alone: offsets can hold names of files and tables. Raises OSError, without ``replace`` if it is there."""
    part = "%s.part-%d" % (path, os.getpid())
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(part, path)
        else:
            _give_new_name(part, path)
    finally:
        if os.path.lexists(part):
            os.unlink(part)


def _give_new_name(part: str, path: str) -> None:
    """Unlike a rename it fails if there is a file of that name. Raises OSError."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise
    except OSError:
        # Without hard links (CIFS, exFAT, some FUSE) the name is taken by an empty file first.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            os.replace(part, path)
        except OSError:
            os.unlink(path)
            raise
