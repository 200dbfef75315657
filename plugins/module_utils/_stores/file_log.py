# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The file where a standalone worker keeps offsets (offset.storage.file.filename), as a log with one partition.

The worker reads it when it starts, and writes the whole of it at each commit (org.apache.kafka.connect.storage.FileOffsetBackingStore), so it
is changed while no worker runs. Here it is replaced in one step: a reader sees the old file or the new one.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import tempfile
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import Topic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import LogSource

_GONE = object()

#: so often a file that seems damaged or empty is read again: a worker that runs may be writing it, and not in one step
_READS, _PAUSE = 10, 0.2
#: seconds for another run of a module to be done with its file in the same folder
_PATIENCE = 10.0
_HEAD = 64
#: what a file system says that has no extended attributes, or not these
_NO_XATTR = (errno.ENOTSUP, errno.ENODATA, errno.EINVAL)


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


class FileLog(LogSource):
    """One log, whose name is the file's path: what has changed in the file since it was read last is added to its end."""

    def __init__(self, path: str, sleep=time.sleep, clock=time.monotonic):
        """Raises DeclarationError for a path that cannot be meant."""
        path = os.path.expanduser(path)
        if not os.path.isabs(path):
            raise errors.DeclarationError("offset_file %s is relative, and from which folder a module runs is not certain: give its whole path."
                                          % path)
        #: without links, so that a change that was made by one name is known by the other; a link stays a link
        self.path = self._real = os.path.realpath(path)
        self._sleep, self._clock = sleep, clock
        self._data = None
        self._map = java_map.empty()
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

    def check(self, log) -> list:
        if not log.is_of_offsets():
            raise errors.NotOffsetsTopic(
                "The file %s is no offsets file: none of its %d entries has a key such as [\"connector\",{...}]." % (
                    self.path, log.records))
        return [] if self.exists else ["There is no file %s so far. A worker without one has no offsets; one that keeps them elsewhere will not see "
                                       "what is written there." % self.path]

    def write(self, records, transactional_id=None, finishes=False) -> None:
        """A value None stays as a null, as after a reset by the worker."""
        seen = self._data
        changed = {key: value for topic, number, key, value in records}
        known = {key for key, value in self._map.entries}
        entries = [(key, changed.get(key, value) if key in changed else value) for key, value in self._map.entries]
        entries += [(key, value) for key, value in changed.items() if key not in known]
        data = java_map.encode(self._map._replace(entries=entries))
        try:
            self._replace(data, seen)
        except OSError as error:
            raise self._unwritable(error.strerror)

    def check_writable(self) -> None:
        folder = os.path.dirname(self._real)
        if not os.access(folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise self._unwritable("this user may not write into its folder, where the new file is made before it takes the place of the old "
                                   "one. Run the task as the worker's user (become)")
        if self.exists and os.geteuid() not in (0, os.stat(self._real).st_uid):
            raise self._unwritable("it belongs to another user, and would not any more. Run the task as that user (become)")

    # ---- private -----------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        data, found = self._whole()
        if data == self._data:
            return
        last = {message.key(): message.value() for message in self._messages}
        entries = dict(found.entries)
        for key in last:
            entries.setdefault(key, None)
        for key, value in entries.items():
            if last.get(key, _GONE) != value:
                self._messages.append(Message(key, value, len(self._messages)))
        self._data, self._map = data, found

    def _whole(self) -> tuple:
        """(its bytes, the map)"""
        for attempt in range(1, _READS + 1):
            data, problem = self._load(), None
            try:
                found = java_map.decode(data) if data else java_map.empty()
            except ValueError as error:
                problem = error
            if data == self._data or problem is None and (data or not self.exists):
                return data, found
            if attempt < _READS:
                self._sleep(_PAUSE)
        if problem is None:
            return data, found
        raise errors.NotOffsetsTopic("%s is no file of a standalone worker's offsets, or was cut short: %s." % (
            self.path, problem))

    def _load(self) -> bytes:
        """Empty where there is no file: for a worker that is the same."""
        try:
            # Not one that waits, such as a pipe.
            with open(os.open(self._real, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise errors.NotOffsetsTopic("%s is no regular file." % self.path)
                head = file.read(_HEAD)
                # What is something else may be large.
                return head + file.read() if java_map.begins(head) else head
        except FileNotFoundError:
            if not os.path.isdir(os.path.dirname(self._real)):
                raise errors.DeclarationError("There is no folder %s, so %s is no worker's file." % (
                    os.path.dirname(self._real), self.path))
            return b""
        except IsADirectoryError:
            raise errors.NotOffsetsTopic("%s is a folder, not a file." % self.path)
        except OSError as error:
            raise errors.ConnectError("The file %s cannot be read: %s." % (self.path, error.strerror))

    def _replace(self, data: bytes, seen) -> None:
        """With the owner, the mode and the labels of the file that is there."""
        folder = os.open(os.path.dirname(self._real), os.O_RDONLY)
        try:
            handle, part = tempfile.mkstemp(prefix=os.path.basename(self._real) + ".part-", dir=os.path.dirname(self._real))
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    self._liken(file.fileno())
                    os.fsync(file.fileno())
                self._lock(folder)
                if self._load() != (seen or b""):
                    raise errors.StateError("The file %s was changed by somebody else in this moment: a worker that runs writes it at each commit."
                                            % self.path)
                os.rename(part, self._real)
                errors.WRITES.note()
            except BaseException:
                os.unlink(part)
                raise
            with contextlib.suppress(OSError):  # it is done, and is read back
                os.fsync(folder)
        finally:
            os.close(folder)

    def _lock(self, folder) -> None:
        """Against other runs of our modules, between the last look and the step. Let go with the handle."""
        end = self._clock() + _PATIENCE
        while True:
            try:
                return fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                    return  # a file system without locks
            if self._clock() > end:
                raise errors.StateError("The folder of %s has been locked by somebody else for more than %g s." % (
                    self.path, _PATIENCE))
            self._sleep(_PAUSE)

    def _liken(self, handle) -> None:
        if not self.exists:
            return os.fchmod(handle, 0o644 & ~_umask())
        there, new = os.stat(self._real), os.fstat(handle)
        if (there.st_uid, there.st_gid) != (new.st_uid, new.st_gid):
            os.fchown(handle, there.st_uid, there.st_gid)
        os.fchmod(handle, stat.S_IMODE(there.st_mode))
        for name, value in _xattrs(self._real).items():  # SELinux's, and ACLs
            if _xattrs(handle).get(name) != value:
                os.setxattr(handle, name, value)

    def _unwritable(self, why):
        return errors.ConnectError("The file %s cannot be written: %s." % (self.path, why))


def _xattrs(file) -> dict:
    """{} where there are none, or the system knows no such thing."""
    try:
        return {name: os.getxattr(file, name) for name in os.listxattr(file)} if hasattr(os, "listxattr") else {}
    except OSError as error:
        if error.errno in _NO_XATTR:
            return {}
        raise


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
