# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The file where a standalone worker keeps offsets (offset.storage.file.filename), told as an offsets topic with one partition.

The worker reads it when it starts, and writes the whole of it at each commit (org.apache.kafka.connect.storage.FileOffsetBackingStore), so it
is changed while no worker runs. Here it is replaced in one step: a reader sees the old file or the new one.
"""

from __future__ import annotations

import os
import stat

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils import _java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka import Topic

_GONE = object()


class Message:
    """An entry of the file as confluent-kafka would give a record; nobody knows its time."""

    __slots__ = ("_key", "_value", "_offset")

    def __init__(self, key, value, offset):
        self._key, self._value, self._offset = key, value, offset

    def key(self):
        return self._key

    def value(self):
        return self._value

    def partition(self):
        return 0

    def offset(self):
        return self._offset

    def timestamp(self):
        return (0, -1)


class OffsetFile:
    """What TopicReader and TopicStore want of a KafkaClient. Methods raise NotOffsetsTopic for what is no such file, ConnectError."""

    timeout = 0
    cluster_id = None

    def __init__(self, path: str):
        self.path = path
        self.brokers = path
        # A link stays a link.
        self._real = os.path.realpath(os.path.expanduser(path))
        self._data = None
        self._map = _java_map.empty()
        self._messages = []

    @property
    def exists(self) -> bool:
        return os.path.exists(self._real)

    def topic(self, name: str) -> Topic:
        return Topic(name, 1, "compact")

    def starts(self, topic) -> dict:
        return {0: 0}

    def ends(self, topic) -> tuple:
        self._refresh()
        return {0: len(self._messages)}, {0: len(self._messages)}

    def read(self, topic, starts: dict, ends: dict):
        yield self._messages[starts[0]:ends[0]]

    def write(self, records, transactional_id=None, ready=None) -> None:
        """records: [(topic, 0, key, value or None)]; None stays as a null, as after a reset by the worker."""
        seen = self._data
        changed = {key: value for topic, number, key, value in records}
        known = {key for key, value in self._map.entries}
        entries = [(key, changed.get(key, value) if key in changed else value) for key, value in self._map.entries]
        entries += [(key, value) for key, value in changed.items() if key not in known]
        data = _java_map.encode(self._map._replace(entries=entries))
        try:
            self._replace(data, seen)
        except OSError as error:
            raise errors.ConnectError("The file %s cannot be written: %s. Nothing was changed." % (self.path, error.strerror))

    # ---- private -----------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        data = self._load()
        if data == self._data:
            return
        try:
            found = _java_map.decode(data) if data else _java_map.empty()
        except ValueError as error:
            raise errors.NotOffsetsTopic(
                "%s is no file of a standalone worker's offsets: %s. A worker would not start with it, either. Nothing was changed." % (
                    self.path, error))
        last = {message.key(): message.value() for message in self._messages}
        entries = dict(found.entries)
        for key in last:
            entries.setdefault(key, None)
        for key, value in entries.items():
            if last.get(key, _GONE) != value:
                self._messages.append(Message(key, value, len(self._messages)))
        self._data, self._map = data, found

    def _load(self) -> bytes:
        """Empty where there is no file: for a worker that is the same."""
        try:
            with open(self._real, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise errors.ConnectError("The file %s cannot be read: %s. Nothing was changed." % (self.path, error.strerror))

    def _replace(self, data: bytes, seen) -> None:
        """With the owner, the mode and the labels of the file that is there."""
        part = "%s.part-%d" % (self._real, os.getpid())
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                self._liken(file.fileno())
                os.fsync(file.fileno())
            if self._load() != (seen or b""):
                raise errors.StateError("The file %s was changed by somebody else in this moment: a worker that runs writes it at each commit. "
                                        "Nothing was changed." % self.path)
            os.rename(part, self._real)
        except BaseException:
            os.unlink(part)
            raise
        folder = os.open(os.path.dirname(self._real), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _liken(self, handle) -> None:
        if not self.exists:
            return os.fchmod(handle, 0o644 & ~_umask())
        there = os.stat(self._real)
        if (there.st_uid, there.st_gid) != (os.geteuid(), os.getegid()):
            os.fchown(handle, there.st_uid, there.st_gid)
        os.fchmod(handle, stat.S_IMODE(there.st_mode))
        for name in os.listxattr(self._real):  # SELinux's, and ACLs
            os.setxattr(handle, name, os.getxattr(self._real, name))


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
