# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The ledger in a file of JSON lines on the machine where the module runs. Runs on one machine wait for each other, runs on several do not."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import itertools
import json
import os
import time
from collections import namedtuple
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import json_value
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.base import Ledger
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.journal import Journal
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ledger.record import Unreadable, check_known, decode, encode, same

FORMAT = "streamops.kafka_connect/ledger"
VERSION = 2
#: the first line; each of the others is one writing of a change, of which the last one counts, or says that the change is forgotten
_HEAD = json.dumps({"format": FORMAT, "version": VERSION})
FORGOTTEN = "forgotten"

#: lines, and bytes, from which on writings that do not count any more are removed
_LINES, _BYTES = 200, 2**20
_PATIENCE = 30.0
_PAUSE = 0.05

#: the last writing of a change: where its line begins, its bytes, the Change where this run has written it; what was read is read again when it is
#: asked for, as a ledger can be larger than what fits into memory
_Held = namedtuple("_Held", ["start", "length", "change"])


def default_path(kafka_cluster_id: str, connect_group=None) -> str:
    """In the state directory of the user (XDG Base Directory Specification), which ignores a relative one."""
    state = os.environ.get("XDG_STATE_HOME") or ""
    folder = state if os.path.isabs(state) else os.path.expanduser("~/.local/state")
    names = [quote(name, safe="") for name in (kafka_cluster_id, connect_group) if name]
    return os.path.join(folder, "streamops.kafka_connect", *names, "changes.jsonl")


class FileLedger(Ledger):
    kind = "file"

    def __init__(self, path: str, of_the_job=False, many=False, sleep=time.sleep, clock=time.monotonic):
        """of_the_job: a job of AWX looks for it on its own disk, which is gone when the job ends.

        many: changes of many connectors are written together, and whoever does so calls sync().
        """
        super().__init__()
        self._of_the_job = of_the_job
        self._many = many
        self.path = path
        self._sleep = sleep
        self._clock = clock
        # A link stays a link.
        self._real = os.path.realpath(os.path.expanduser(path))
        self._journal = Journal(self._real)
        #: connectors of which something was written since sync(); how many writings of a change there may be on average
        self._unsafe, self._factor = set(), 2
        self._clear()

    def _clear(self) -> None:
        #: connector -> change id -> _Held, as read so far; of how many lines
        self._held, self._lines = {}, 0

    @property
    def where(self) -> str:
        return "the file %s" % self.path

    def warn_of_the_disk(self) -> None:
        if self._of_the_job:
            self._warn("The ledger is %s. This is a job of AWX, whose disk is gone when it ends, and the ledger with it: no other job finds the changes "
                       "of this one, nor can undo them. Use ledger: topic, which needs kafka_bootstrap_servers, or kafka_connect_ledger_file on a volume." % (
                           self.where))

    def changes(self, connector=None) -> list:
        self._read()
        names = list(self._held) if connector is None else [connector]
        return self._decode_all(((self._line(one), self._what) for name in names for one in self._held.get(name, {}).values()), connector)

    def _line(self, held) -> bytes:
        try:
            return self._journal.line(held.start, held.length)
        except OSError as error:
            raise self._failure("read", error)

    def put(self, change, known, expired=()) -> None:
        self.warn_of_the_disk()
        with self._alone():
            self._read()
            held = self._held.get(change.connector, {}).get(change.change_id)
            actual = None if held is None else held.change or decode(self._line(held), self._what)
            if same(actual, change):
                return
            check_known(actual, change, known, "in " + self.where)
            self._append(change, expired)
            self._factor = 4 if change.busy else 2
            if not self._many:
                self._compact()

    def _append(self, change, expired) -> None:
        forgotten = [{"connector": one.connector, "change_id": one.change_id, FORGOTTEN: True} for one in expired]
        head = [] if self._lines else [_HEAD]
        try:
            places = self._journal.append(head + [encode(change)] + [_encode(one) for one in forgotten], safe=not self._many)
        except OSError as error:
            raise self._failure("written", error)
        self._lines += len(head)
        self._hold(change._asdict(), _Held(*places[len(head)], change))
        for one in forgotten:
            self._hold(one, None)
        if self._many:
            self._unsafe.add(change.connector)

    def sync(self) -> dict:
        names, self._unsafe = self._unsafe, set()
        if not names:
            return {}
        try:
            self._journal.sync()
        except OSError as error:
            return {name: self._failure("written", error) for name in names}
        with contextlib.suppress(ConnectError), self._alone():  # the changes are recorded; the next one tries it again
            self._read()
            self._compact()
        return {}

    def _compact(self) -> None:
        if self._lines < _LINES and self._journal.size < _BYTES or self._lines <= self._factor * sum(map(len, self._held.values())) + 1:
            return
        kept = (self._line(one) for changes in self._held.values() for one in changes.values())
        with contextlib.suppress(OSError):  # the change is recorded; the next one tries it again
            self._journal.replace(itertools.chain([_HEAD], kept))

    @property
    def _what(self) -> str:
        return "The file %s" % self.path

    def _read(self) -> None:
        """What has come since the last time. Raises Unreadable: a file that is broken is kept, somebody may mend it."""
        try:
            lines, is_another = self._journal.read()
        except OSError as error:
            raise self._failure("read", error)
        if is_another:
            self._clear()
        try:
            for start, line in lines:
                self._take(line, start)
            # What is left of a run that was killed while it wrote the first line is overwritten, and nothing else.
            if not self._lines and not _HEAD.encode().startswith(self._journal.torn):
                raise self._broken("is something else than a ledger of this collection")
        except Unreadable:
            self._journal = Journal(self._real)  # it is read from its beginning again
            raise

    def _take(self, line: bytes, start: int) -> None:
        try:
            found = json_value(line)
        except ValueError as error:
            raise self._broken("has a line %d that is not JSON (%s)" % (self._lines + 1, error))
        if not self._lines:
            self._lines = 1
            return self._check_head(found)
        if not isinstance(found, dict) or not all(isinstance(found.get(name), str) for name in ("connector", "change_id")):
            raise self._broken("has a line %d that is no change of a connector" % (self._lines + 1))
        self._hold(found, _Held(start, len(line), None))

    def _check_head(self, found) -> None:
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise self._broken("is something else than a ledger of this collection")
        if found.get("version") != VERSION:
            raise self._broken("has version %s of its format; this collection reads version %d" % (json.dumps(found.get("version")), VERSION))

    def _hold(self, document, held) -> None:
        """held: None for what says that a change is forgotten."""
        self._lines += 1
        if document.get(FORGOTTEN):
            self._held.get(document["connector"], {}).pop(document["change_id"], None)
        else:
            self._held.setdefault(document["connector"], {})[document["change_id"]] = held

    def _broken(self, why):
        return Unreadable("The ledger file %s %s. So whether a change was made is not known; the file is left as it is. "
                          "Fix it, or move it away." % (self.path, why))

    @contextlib.contextmanager
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


def _encode(document) -> str:
    return json.dumps(document, ensure_ascii=False, allow_nan=False)
