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
        if self._asked is None or self._clock() - self._asked > _MOMENT:
            try:
                self._answer = getattr(self._client, self.question)()
            except errors.ConnectError as error:  # who does not answer is not waited for once more by each change
                self._answer = error
            self._asked = self._clock()
        if isinstance(self._answer, errors.ConnectError):
            raise self._answer.copy()
        return self._answer


class SharedWorker(Shared):
    """ConnectClient: the status and the configuration of a connector come from the list of all of them, one request."""

    question = "connectors"
    #: verb -> {connector that was asked for it: None, or the error that leaves in doubt whether it took}
    _ahead = {}

    def connectors(self) -> dict:
        return self._kept()

    def status(self, name: str) -> dict:
        return self._kept().get(name, {}).get("status") or self._client.status(name)

    def info(self, name: str) -> dict:
        return self._kept().get(name, {}).get("info") or self._client.info(name)

    def ask_ahead(self, verb: str, names) -> None:
        """stop, pause or resume all of them before anybody waits for the first one: so the Connect cluster rebalances once, not for each.

        Who asks for it next need not send it again; but if it failed here, the request is sent then, and fails there. One whose answer left
        in doubt whether it took is not sent again unseen: whoever asks next gets that answer.
        """
        self._ahead = {verb: {}}
        try:
            self._client.require("stop")
        except errors.ConnectError:
            return
        for name in names:
            try:
                getattr(self._client, verb)(name)
                self._ahead[verb][name] = None
            except errors.ConnectError as error:
                if errors.in_doubt(error):
                    self._ahead[verb][name] = error
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


class SharedGroups(Shared):
    """ConsumerGroups: who runs which connectors, as the groups of the workers show."""

    question = "connect_groups"

    def connect_groups(self) -> list:
        return self._kept()


class SharedBrokers:
    """KafkaClient with SharedGroups."""

    def __init__(self, client):
        self._client = client
        self.groups = SharedGroups(client.groups)
        self.renew = self.groups.renew

    def __getattr__(self, name):
        return getattr(self._client, name)
