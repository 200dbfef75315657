# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where topics end while connectors are stopped for a change, and once they have delivered again: what the verification of the data needs."""

from __future__ import annotations

import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topic_offsets import topic_offsets


class Boundaries:
    """Of the connectors of a list."""

    def __init__(self, client, kafka, asked: dict, sleep=time.sleep, clock=time.monotonic):
        """client, kafka: None if there is none. asked: {connector: ``topics``, ``since``, ``quiet``, ``wait`` and
        ``consumer_group``}, of those whose topics count.

        Raises DeclarationError without brokers to ask.
        """
        if asked and kafka is None:
            raise errors.DeclarationError("boundaries of %s: the ends of topics need kafka_bootstrap_servers." % ", ".join(sorted(asked)))
        self._client, self._kafka, self._asked = client, kafka, asked
        self._sleep, self._clock = sleep, clock
        self.warnings = []
        #: {connector: ``stopped`` and ``after``, each as the module topic_offsets_info returns it}
        self.found = {}

    def note(self, names) -> None:
        """The ends now, while the connectors are stopped. Raises ConnectError; of a connector whose ends are known already nothing is asked."""
        for name in names:
            one = self._asked.get(name)
            if one is None or name in self.found:
                continue
            with errors.about("boundaries of " + name):
                ends = topic_offsets(self._kafka, one["topics"], one["since"] or None)
                if not ends["topics"]:
                    raise errors.DeclarationError("No topic fits %s." % ", ".join(one["topics"]))
            self.found[name] = {"stopped": _kept(ends), "after": None}
            self.warnings.extend(text for text in ends["warnings"] if text not in self.warnings)

    def finish(self, kinds: dict) -> None:
        """The ends once the connectors, which run again, have delivered. kinds: {connector: source or sink}. What cannot be read is a warning."""
        names = [name for name in kinds if name in self.found]
        if not names:
            return
        try:
            for name in names:
                if kinds[name] == SINK:
                    self._await_sink(name, **self._asked[name])
            self._finish(names)
        except errors.Interrupted:
            return  # whoever holds the signals says so
        except errors.ConnectError as error:
            self.warnings.append("Where the topics of %s end after the change could not be read. %s" % (", ".join(names), error.message))

    def _finish(self, names) -> None:
        asked = [self._asked[name] for name in names]
        wait = max(one["wait"] for one in asked)
        topics = sorted({topic["name"] for name in names for topic in self.found[name]["stopped"]["topics"]})
        ends = topic_offsets(self._kafka, topics, quiet=max(one["quiet"] for one in asked), wait_timeout=wait, sleep=self._pause)
        if ends["quiet"] is False:
            self.warnings.append("Records of %s were still coming after %d s; what came until then counts." % (", ".join(names), wait))
        by_name = {topic["name"]: topic for topic in ends["topics"]}
        for name in names:
            found = self.found[name]
            found["after"] = dict(_kept(ends), topics=[by_name[topic["name"]] for topic in found["stopped"]["topics"]])

    def _await_sink(self, name, wait, consumer_group, **_more) -> None:
        """The topics of a sink are quiet at once: what it does shows in its commits."""
        from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
        end = self._clock() + wait
        while True:
            found = OffsetsInfo(self._client, self._kafka, max_entries=0, consumer_group=consumer_group).one(name)
            unread = sum(one["end"] is not None and one["lag"] != 0 for one in found.get("positions") or [])
            failed = any(task["state"] == "FAILED" for task in (found["connector"] or {}).get("tasks", []))
            if not unread:
                return
            if failed or self._clock() >= end:
                self.warnings.append("%s %s: %s had not been read to the end; what came until then counts." % (
                    name, "has failed" if failed else "has not read everything within %d s" % wait, plural(unread, "partition")))
                return
            self._pause(1.0)

    def _pause(self, seconds) -> None:
        INTERRUPTS.check()
        self._sleep(seconds)


def _kept(ends) -> dict:
    return {key: ends[key] for key in ("cluster_id", "topics", "quiet")}
