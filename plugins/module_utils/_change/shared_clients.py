# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Clients whose answers serve many changes that are made together: what all of them ask is asked once in a moment."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

#: seconds for which an answer is taken as of now
_MOMENT = 0.5
#: seconds for which the states of all connectors are taken as of now by who asks for the first time
_RECENT = 5.0


class Shared:
    """A client of which one question is asked at most once in a moment."""

    #: the method whose answer is kept
    question = None

    def __init__(self, client, clock=time.monotonic):
        self._client = client
        self._clock = clock
        self._answer = None
        self._asked = None

    def __getattr__(self, name):
        return getattr(self._client, name)

    def renew(self) -> None:
        """What is asked from here on is as of now."""
        self._asked = None

    def _kept(self):
        if self._asked is None or self._is_old():
            self._answer = self._ask(self.question)
            self._asked = self._clock()
        if isinstance(self._answer, errors.ConnectError):
            raise self._answer.copy()
        return self._answer

    def _is_old(self) -> bool:
        return self._clock() - self._asked > _MOMENT

    def _ask(self, question):
        """The answer, or the ConnectError: who does not answer is not waited for once more by each change."""
        try:
            return getattr(self._client, question)()
        except errors.ConnectError as error:
            return error


class SharedWorker(Shared):
    """ConnectClient: the status and the configuration of a connector come from the list of all of them, one request for each phase (see renew()).

    Who waits for a connector asks for its status again, and gets it from a list of the statuses alone, one request in a moment for all that wait: it is a
    tenth of the size, and takes the worker a thirtieth of the time.
    """

    question = "connectors"
    #: requests after which what is asked is to be as of now
    _CHANGES = ("restart", "restart_task", "restart_failed", "restart_all", "put_config", "create", "delete")
    #: after these, offsets are asked for twice again
    _WRITES = ("alter_offsets", "reset_offsets")

    def __init__(self, client, clock=time.monotonic):
        super().__init__(client, clock)
        #: verb -> {connector that was asked for it: None, or the error that leaves in doubt whether it took}
        self._ahead = {}
        #: the statuses alone, None as long as nobody waits; connector -> when it was asked for
        self._statuses, self._told = None, {}
        #: (worker, when it has read its offsets topic to the end), or None
        self._has_read = None

    def __getattr__(self, name):
        if name in self._CHANGES:
            self.renew()
        if name in self._WRITES:
            self._has_read = None
        return super().__getattr__(name)

    def renew(self) -> None:
        super().renew()
        self._statuses, self._told, self._has_read = None, {}, None

    def _is_old(self) -> bool:
        return isinstance(self._answer, errors.ConnectError) and super()._is_old()

    def connectors(self) -> dict:
        return self._kept()

    def status(self, name: str) -> dict:
        listed, now = self._kept(), self._clock()
        if now - self._told.setdefault(name, now) > _MOMENT or now - self._asked > _RECENT:
            self._poll(name)
        return (listed if self._statuses is None else self._statuses).get(name, {}).get("status") or self._client.status(name)

    def _poll(self, name) -> None:
        """name: the connector that is waited for."""
        found = self._ask("statuses")
        self._asked = self._clock()
        self._told = {name: self._asked}
        if isinstance(found, errors.ConnectError):
            self._answer = found
            raise found.copy()
        self._statuses = found

    def info(self, name: str) -> dict:
        return self._kept().get(name, {}).get("info") or self._client.info(name)

    def offsets(self, name: str) -> list:
        """Asked once where another connector was asked for a moment ago: the worker has read its topic to the end for that."""
        worker, read = self._has_read or (None, 0.0)
        if worker == self._client.url and self._clock() - read <= _MOMENT:
            return self.offsets_once(name)
        return self._note_read(name, self._client.offsets(name))

    def offsets_once(self, name: str) -> list:
        return self._note_read(name, self._client.offsets_once(name))

    def _note_read(self, name, found) -> list:
        """A sink's offsets are in its group, and a connector can have a topic of its own."""
        info = {} if isinstance(self._answer, errors.ConnectError) else (self._answer or {}).get(name, {}).get("info") or {}
        if found and info.get("type") == "source" and not (info.get("config") or {}).get("offsets.storage.topic"):
            self._has_read = (self._client.url, self._clock())
        return found

    def ask_ahead(self, verb: str, names) -> None:
        """stop, pause or resume all of them before anybody waits for the first one: so the Connect cluster rebalances once, not for each.

        Who asks for it next need not send it again; but if it failed here, the request is sent then, and fails there. One whose answer left
        in doubt whether it took is not sent again unseen: whoever asks next gets that answer.
        """
        asked = self._ahead[verb] = {}
        try:
            self._client.require("stop")
        except errors.ConnectError:
            return
        for name in names:
            try:
                getattr(self._client, verb)(name)
                asked[name] = None
            except errors.ConnectError as error:
                if errors.in_doubt(error):
                    asked[name] = error
        self.renew()

    def stop(self, name: str) -> None:
        self._unless_asked("stop", name)

    def pause(self, name: str) -> None:
        self._unless_asked("pause", name)

    def resume(self, name: str) -> None:
        self._unless_asked("resume", name)

    def _unless_asked(self, verb, name) -> None:
        asked = self._ahead.get(verb, {})
        doubt = asked.pop(name) if name in asked else getattr(self._client, verb)(name)
        self.renew()
        if doubt is not None:
            raise doubt


class SharedOperator(SharedWorker):
    """StrimziClient: it has to look at the resource itself, to see whether the operator is still at work."""

    def status(self, name: str) -> dict:
        return self._client.status(name)

    def info(self, name: str) -> dict:
        return self._client.info(name)

    def offsets(self, name: str) -> list:
        return self._client.offsets(name)

    offsets_once = offsets


class SharedGroups(Shared):
    """ConsumerGroups: who runs which connectors, as the groups of the workers show; which groups there are at all."""

    question = "connect_groups"

    def __init__(self, client, clock=time.monotonic):
        super().__init__(client, clock)
        self._names = _GroupNames(client, clock)

    def renew(self) -> None:
        super().renew()
        self._names.renew()

    def connect_groups(self) -> list:
        return self._kept()

    def listed(self, name: str) -> bool:
        """Is there such a group, or may there be one? Of many connectors that are gone most have none, and each question would be a request."""
        try:
            return name in self._names.all()
        except errors.BrokerError:
            return True


class _GroupNames(Shared):
    question = "names"

    def all(self) -> list:
        return self._kept()


class SharedBrokers:
    """KafkaClient with SharedGroups."""

    def __init__(self, client):
        self._client = client
        self.groups = SharedGroups(client.groups)
        self.renew = self.groups.renew

    def __getattr__(self, name):
        return getattr(self._client, name)
