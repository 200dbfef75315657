# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger in a JSON file on the machine where the module runs. Runs on one machine wait for each other, runs on several do not."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from contextlib import contextmanager
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import Ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, check_known, decode, encode, same

FORMAT = "streamops.kafka_connect/ledger"
VERSION = 1

_PATIENCE = 30.0
_PAUSE = 0.05


def default_path(kafka_cluster_id: str, connect_group=None) -> str:
    """In the state directory of the user (XDG Base Directory Specification), which ignores a relative one."""
    state = os.environ.get("XDG_STATE_HOME") or ""
    folder = state if os.path.isabs(state) else os.path.expanduser("~/.local/state")
    names = [quote(name, safe="") for name in (kafka_cluster_id, connect_group) if name]
    return os.path.join(folder, "streamops.kafka_connect", *names, "changes.json")


class FileLedger(Ledger):
    kind = "file"

    def __init__(self, path: str, of_the_job=False, sleep=time.sleep, clock=time.monotonic):
        """of_the_job: a job of AWX looks for it on its own disk, which is gone when the job ends."""
        super().__init__()
        self._of_the_job = of_the_job
        self.path = path
        self._sleep = sleep
        self._clock = clock
        # A link stays a link.
        self._real = os.path.realpath(os.path.expanduser(path))

    @property
    def where(self) -> str:
        return "the file %s" % self.path

    def warn_of_the_disk(self) -> None:
        if self._of_the_job:
            self._warn("The ledger is %s. This is a job of AWX, whose disk is gone when it ends, and the ledger with it: no other job finds the changes "
                       "of this one, nor can undo them. Use ledger: topic, which needs kafka_bootstrap_servers, or kafka_connect_ledger_file on a volume." % (
                           self.where))

    def changes(self, connector=None) -> list:
        return self._decode_all(((one, self._what) for one in self._read() if connector in (None, one.get("connector"))), connector)

    def put(self, change, known, expired=()) -> None:
        self.warn_of_the_disk()
        with self._alone():
            documents = self._read()
            places = [number for number, one in enumerate(documents)
                      if (one.get("connector"), one.get("change_id")) == (change.connector, change.change_id)]
            actual = decode(documents[places[0]], self._what) if places else None
            if same(actual, change):
                return
            check_known(actual, change, known, "in " + self.where)
            document = json.loads(encode(change))
            if places:
                documents[places[0]] = document
            else:
                documents.append(document)
            forgotten = {(one.connector, one.change_id) for one in expired}
            self._write([one for one in documents if (one.get("connector"), one.get("change_id")) not in forgotten])

    @property
    def _what(self) -> str:
        return "The file %s" % self.path

    def _read(self) -> list:
        """The changes as they lie there. Raises Unreadable: a file that is broken is kept, somebody may mend it."""
        try:
            with open(self._real, "rb") as file:
                text = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._failure("read", error)
        try:
            found = json.loads(text)
        except ValueError as error:
            raise self._broken("is not JSON (%s), or was cut short" % error)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._broken("is something else than a ledger of this collection")
        if found.get("version") != VERSION:
            raise self._broken("has version %s of its format; this collection reads version %d" % (json.dumps(found.get("version")), VERSION))
        changes = found.get("changes")
        if not isinstance(changes, list) or not all(isinstance(one, dict) for one in changes):
            raise self._broken("has no list of changes")
        return changes

    def _broken(self, why):
        return Unreadable("The ledger file %s %s. So whether a change was made is not known; the file is left as it is. "
                          "Fix it, or move it away." % (self.path, why))

    def _write(self, documents) -> None:
        """In one step, on the disk when it returns, readable for its owner alone."""
        text = json.dumps({"format": FORMAT, "version": VERSION, "changes": documents}, indent=1, ensure_ascii=False, allow_nan=False)
        part = "%s.part-%d" % (self._real, os.getpid())
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text.encode("utf-8", "surrogatepass") + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, self._real)
            except BaseException:
                os.unlink(part)
                raise
            folder = os.open(os.path.dirname(self._real), os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        except OSError as error:
            raise self._failure("written", error)

    @contextmanager
    def _alone(self):
        """The lock is a file of its own, as the ledger is replaced by another one."""
        try:
            os.makedirs(os.path.dirname(self._real), mode=0o700, exist_ok=True)
            handle = os.open(self._real + ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise self._failure("locked", error)
        try:
            self._lock(handle)
            yield
        finally:
            os.close(handle)

    def _lock(self, handle) -> None:
        end = self._clock() + _PATIENCE
        while True:
            try:
                return fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                if error.errno not in (errno.EWOULDBLOCK, errno.EINTR):
                    raise self._failure("locked", error)
            if self._clock() > end:
                raise ConnectError("The ledger file %s has been locked by another run for more than %g s (%s.lock)."
                                   % (self.path, _PATIENCE, self.path))
            self._sleep(_PAUSE)

    def _failure(self, what, error):
        return ConnectError("The ledger file %s cannot be %s: %s." % (self.path, what, error.strerror))
