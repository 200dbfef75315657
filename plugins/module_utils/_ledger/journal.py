# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A file of JSON lines that is appended to, so that a write costs as much as its own lines, however many there are. Private to its owner."""

from __future__ import annotations

import contextlib
import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value


class Journal:
    """Reading needs no lock; append() and replace() need one that keeps other writers away, and a read() under it. All raise OSError."""

    def __init__(self, path: str):
        self.path = path
        self._file = None
        self._forget()

    def _forget(self) -> None:
        if self._file is not None:
            self._file.close()
        #: the file that was read, open so that no other one gets its number; bytes of it so far; what follows them, cut short
        self._file, self.size, self.torn = None, 0, b""
        #: when it was changed last; whether its last line has an end
        self._time, self._ended = None, True

    def read(self) -> tuple:
        """([(where it begins, line)], whether they are all of another file): those that have come since the last call, without blank ones.

        A last line that is cut short is none: its writer was killed, or is still writing.
        """
        try:
            found = os.stat(self.path)
            same = self._file is not None and os.path.samestat(found, os.fstat(self._file.fileno())) and (
                found.st_size > self.size or found.st_size == self.size and found.st_mtime_ns == self._time)
            if not same:
                self._forget()
                self._file = open(self.path, "rb", buffering=0)  # pylint: disable=consider-using-with
                found = os.fstat(self._file.fileno())
            self._file.seek(self.size)
            text = self._file.read()
        except FileNotFoundError:
            was_there = self._file is not None
            self._forget()
            return [], was_there
        start, kept = self.size, []
        whole, newline, rest = text.rpartition(b"\n")
        lines = whole.split(b"\n") if newline else []
        self._ended = self._ended if not text else not rest
        self.torn = b""
        if rest and _is_json(rest):
            lines.append(rest)
        elif rest:
            text, self._ended, self.torn = whole + newline, True, rest
        self._time, self.size = found.st_mtime_ns, self.size + len(text)
        for line in lines:
            if line.strip():
                kept.append((start, line))
            start += len(line) + 1
        return kept, not same

    def line(self, start: int, length: int) -> bytes:
        """One that was read or appended, of so many bytes, once more."""
        return os.pread(self._file.fileno(), length, start)

    def append(self, lines: list, safe=True) -> list:
        """[(where it begins, its bytes)] of each. After an error the file is as it was. lines: texts. Removes what was cut short.

        safe: it is on the disk when it returns, so that it outlives a crash of the machine; else after sync().
        """
        new, start, places = self._file is None, self.size + (not self._ended), []
        encoded = [_encoded(line) for line in lines]
        for line in encoded:
            places.append((start, len(line) - 1))
            start += len(line)
        text = (b"" if self._ended else b"\n") + b"".join(encoded)
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.ftruncate(handle, self.size)
            os.lseek(handle, self.size, os.SEEK_SET)
            try:
                _write(handle, text)
                if safe:
                    os.fsync(handle)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle, self.size)
                raise
            found = os.fstat(handle)
        finally:
            os.close(handle)
        self._time, self.size, self._ended = found.st_mtime_ns, found.st_size, True
        if new:
            self._sync_folder()
            self._file = open(self.path, "rb", buffering=0)  # pylint: disable=consider-using-with
        return places

    def sync(self) -> None:
        """What was appended so far is on the disk when it returns."""
        handle = os.open(self.path, os.O_WRONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def replace(self, lines) -> None:
        """All of it, in one step, and on the disk when it returns. lines: texts or bytes. The next read() begins with the first line."""
        part = "%s.part-%d" % (self.path, os.getpid())
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(handle, "wb") as file:
                file.writelines(_encoded(line) for line in lines)
                file.flush()
                os.fsync(handle)
            os.replace(part, self.path)
        except BaseException:
            os.unlink(part)
            raise
        self._sync_folder()

    def _sync_folder(self) -> None:
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _write(handle, text: bytes) -> None:
    left = memoryview(text)
    while left:
        left = left[os.write(handle, left):]


def _encoded(line) -> bytes:
    return (line if isinstance(line, bytes) else line.encode("utf-8", "surrogatepass")) + b"\n"


def _is_json(line: bytes) -> bool:
    try:
        json_value(line)
    except ValueError:
        return False
    return True
