# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which store the offsets of a connector are read and changed by, and why: REST where the worker can do it, else, where brokers are given, the offsets
topic of a source or the consumer group of a sink; the file of a standalone worker where that is given.
"""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import DesiredOffsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import RESNAPSHOT
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import dedicated_source
from ansible_collections.streamops.kafka_connect.plugins.module_utils._semantics.select import semantics_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import AUTO, FILE, GROUP, REST, STRIMZI, TOPIC
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import Sink, check_rest_sees, sink_left

#: what makes ``auto`` turn from REST to another method
TURNS = (errors.EndpointMissing, errors.MethodError, errors.AmbiguousName)

#: store      Store that the offsets are read and changed by
#: semantics  Semantics of the connector
#: reason     why this store, as text
#: plan       what is to be changed by it, with its warnings
Route = namedtuple("Route", ["store", "semantics", "reason", "plan"])


class Router:
    """Of one connector. Every ``found`` is the Connector, None where there is none (or nobody to ask)."""

    def __init__(self, access, reason=None):
        """access: Access of the connector. reason: why it is this method, where the caller has chosen it."""
        self.access = access
        self.name = access.name
        self._reason = reason
        #: source or sink, where only offsets are left and nothing but a look at them tells
        self._kind_left = None
        #: why REST cannot do it; then it is not asked again
        self._refused = None
        #: TopicStore that REST was compared with by the last route, or None
        self.compared = None

    # ---- source or sink --------------------------------------------------------------------------------------------

    def prefer(self, change) -> None:
        """The method that a change (see _ledger.record) was made by is the one to put it back by, unless another one was asked for."""
        access, begin = self.access, "The change %s of %s was made by method: %s" % (change.change_id, self.name, change.method)
        if change.method == FILE and access.method in (AUTO, TOPIC):
            raise errors.DeclarationError("%s: give offset_file, or worker_config of the standalone worker." % begin)
        if change.method == TOPIC and access.is_file:
            raise errors.DeclarationError("%s, and is restored by that: leave offset_file out." % begin)
        if change.method == STRIMZI and access.method == AUTO:
            raise errors.DeclarationError("%s, and is restored by that: give the namespace of its resource as k8s_namespace." % begin)
        self._kind_left = change.kind
        access.consumer_group = access.consumer_group or (change.cluster or {}).get("consumer_group")
        if access.method == AUTO and (change.method == REST or access.kafka is not None):
            access.method = change.method
            self._reason = "the change was made by this method"

    def needs_no_word(self, desired) -> bool:
        """True where assume_stopped is not needed: Kafka itself refuses to change a group that has members."""
        access = self.access
        return access.is_file or access.kafka is not None and (access.method == GROUP or access.method == AUTO and self._of_a_sink(desired))

    def kind(self, found, desired) -> str:
        """Source or sink. Where there is no connector, the declaration tells, or what is left of it. desired: None for one that is not known yet."""
        of_a_sink = self.access.method == GROUP or self._of_a_sink(desired)
        if found is not None:
            # Not known: the worker lacks the plugin, or it was deleted a moment ago.
            return SINK if of_a_sink and found.kind != SOURCE else found.kind
        if desired is not None and desired.keyed is None:
            self._look_what_is_left()
        if self._kind_left is None and of_a_sink:
            self._kind_left = SINK
        return self._kind_left or SOURCE

    def _of_a_sink(self, desired) -> bool:
        """Does it speak of the offsets of a sink? desired: None, for one that is not known yet, does not."""
        mirror = self.access.method in (TOPIC, FILE) or dedicated_source(self.access.offset_topic) is not None
        return desired is not None and (
            desired.reset is not None and desired.reset.word != RESNAPSHOT and not mirror or desired.is_of_a_sink)

    def _look_what_is_left(self) -> None:
        """All of a connector that is gone is meant: was it a sink?"""
        if self._kind_left is None and self.access.method == AUTO and not self.access.raw_keys:
            self._kind_left = self._what_is_left()

    def _what_is_left(self) -> str:
        access = self.access
        sink = self._sink_that_was()
        try:
            if not (sink.may_have_a_group() and sink.live()):
                return SOURCE
        except errors.BrokerError:  # to see groups is a permission of its own
            return SOURCE
        try:
            store = access.topic_store(None)
            held = store.read()
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic):
            return SINK
        if not held.entries and not held.unreadable:
            access.close_topic()
            return SINK
        if not access.for_change:
            return SOURCE
        raise errors.DeclarationError(
            "There is no connector %s, but the offsets topic %s and the consumer group %s both have offsets of one. Say which ones are "
            "meant with method: topic or method: group." % (self.name, store.topics[0], sink.group))

    def _sink_that_was(self) -> Sink:
        return Sink(self.access.kafka, SinkConfig(self.name, None, self.access.consumer_group))

    # ---- the store -------------------------------------------------------------------------------------------------

    def look(self, found) -> Route:
        """To show the offsets: the store by which they would be changed. Nothing is to be changed."""
        if found is None:
            self._look_what_is_left()
        return self.route(found, DesiredOffsets.nothing())

    def route(self, found, desired) -> Route:
        """To change them. Raises the reason why REST cannot do it where there is no other method."""
        access, kind = self.access, self.kind(found, desired)
        self._check_method(kind, found, desired)
        if found is not None and access.asks_worker and self._refused is None:
            if kind != SINK and access.for_change and access.topic_is_open and access.offset_topic:
                from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import check_exists
                check_exists(access.kafka, access.offset_topic)
            try:
                return self._by_worker(kind, found, desired)
            except TURNS as error:
                if access.kafka is None or access.method != AUTO:
                    raise self._with_hint(error, kind)
                self._refused = error.message
        return self._by_group(found, desired) if kind == SINK else self._by_topic(found, desired)

    def _check_method(self, kind, found, desired) -> None:
        """Raises MethodError, DeclarationError where the method that is asked for cannot do it."""
        access = self.access
        if kind != SINK:
            if access.method == GROUP:
                raise errors.MethodError("%s is a source: its offsets are records of an offsets topic, not the commits of a consumer group." % self.name)
        elif access.method in (TOPIC, FILE) or access.raw_keys:
            raise errors.MethodError(
                "%s is a sink: its offsets are the commits of its consumer group %s, not records of an offsets topic or file. Use method: group%s." % (
                    self.name, access.sink_config(found).group, "" if access.is_file else ", or auto"))
        elif access.kafka is None and (desired.reset is not None or found is None):
            raise errors.DeclarationError("%s needs kafka_bootstrap_servers: only the brokers have the "
                                          "%s." % (("reset_to", "log") if found is not None else ("A sink that is gone", "group")))

    def _with_hint(self, error, kind):
        if self.access.method == AUTO and self.access.for_change and not isinstance(error, errors.WrongGroup):
            error.also("The %s can be changed instead, if kafka_bootstrap_servers is given." % ("consumer group" if kind == SINK else "offsets topic"))
        return error

    def _planned(self, store, kind, found, desired, reason) -> Route:
        semantics = semantics_of(kind, self.access, found)
        plan = semantics.plan(store, desired)
        if plan.changed:
            store.check(plan)
        return Route(store, semantics, reason, plan)

    # ---- REST, or the operator -------------------------------------------------------------------------------------

    def _by_worker(self, kind, found, desired) -> Route:
        access = self.access
        if kind == SINK:
            check_rest_sees(access.sink_config(found), access.sink(found))
        reason = self._reason or ("REST can do it" if access.method == AUTO else "method: %s" % access.method)
        store = access.worker_store(kind)
        route = self._planned(store, kind, found, desired, reason)
        self.compared = None if kind == SINK else self._compare(found, route.plan)
        if self.compared is not None and self.compared.lost(route.plan.live.entries):
            store.compare_with(self.compared)
            route = self._planned(store, kind, found, desired, reason)
        return route

    def _compare(self, found, plan):
        """The TopicStore, as it was read; None where it is not asked, or gives no answer.

        Where another tool has changed a partition under other key bytes, REST shows what nobody reads, as if all was well.

        Tombstones tell as well: of the keys that the connector reads, and of topic partitions where a record may hide a new one.
        """
        access = self.access
        if access.method != AUTO or access.kafka is None:
            return None
        try:
            store = access.topic_store(found, may_be_empty=True)
            store.read()
        except errors.SharedTopic:
            raise
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic) as error:
            access.warn("What REST shows of %s could not be compared with the offsets topic. %s" % (self.name, error.message))
            return None
        for text in store.forgets():
            access.warn(text)
        missed = store.beyond_rest(plan)
        if missed:
            raise errors.MethodError("On the offsets topic are records of %s that REST %s: %s" % (
                self.name, "would not change" if access.for_change else "does not show as they are", " ".join(missed)))
        return store

    # ---- the brokers, or a file ------------------------------------------------------------------------------------

    def _why_not_rest(self) -> str:
        access = self.access
        verb = "change" if access.for_change else "show"
        if self._refused is not None:
            return "REST cannot %s it: %s" % ("do" if access.for_change else verb, self._refused)
        if self._reason is not None and access.method != REST:
            return self._reason
        if access.method in (TOPIC, FILE, GROUP):
            return "method: %s" % access.method
        if access.raw_keys:
            return "raw_keys are known to the offsets topic alone"
        return "no worker is queried" if access.rest is None else "there is no connector %s that REST could %s" % (self.name, verb)

    def _by_group(self, found, desired) -> Route:
        store = self.access.group_store(found)
        route = self._planned(store, SINK, found, desired, self._why_not_rest())
        if found is not None and route.plan.changed:
            self._check_group(store, route.plan.live)
        return route

    def _check_group(self, store, live) -> None:
        """Connect from 3.5 on shows the commits of the group that it really uses. Raises MethodError."""
        if store.sink.settings.apart():
            return
        try:
            shown = self.access.worker_store(SINK).read().entries
        except TURNS:
            return
        missing = sorted(set(shown) - set(live.entries))
        if missing:
            raise errors.MethodError("REST shows %d offsets of %s that its consumer group %s does not have, first %s. The workers set consumer.group.id: "
                                     "give that group as consumer_group." % (len(missing), self.name, store.sink.group, missing[0]))

    def _by_topic(self, found, desired) -> Route:
        if desired.is_of_a_sink:
            raise errors.MethodError("%s is a source, but what is declared are offsets of a sink." % self.name)
        store = self.access.topic_store(found)
        route = self._planned(store, SOURCE, found, desired, self._why_not_rest())
        route.plan.warnings.extend(store.undecoded(route.plan))
        if found is None and self.access.method == TOPIC and not desired.exact:
            self._check_it_was_no_sink(store, route.plan, desired)
        return route

    def _check_it_was_no_sink(self, store, plan, desired) -> None:
        """Nothing on the topic is no proof that nothing is left of a connector that is gone. Raises MethodError where offsets should be removed."""
        if plan.live.entries or plan.live.unreadable:
            return
        words = sink_left(self._sink_that_was(), store.topics[0])
        if words and not desired.sets and not plan.changed:
            raise errors.MethodError(words)
        if words:
            self.access.warn(words)
