# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which method a change uses, and why: REST where the worker can do it, else, where brokers are given, the offsets topic of a source
or the consumer group of a sink; the file of a standalone worker where that is given."""

from __future__ import annotations

import json
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_hash_order import order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.standalone_process import workers_with
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_config import SinkConfig
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.stream_files import check_positions
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.config_topic import configs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import SOURCE as MIRROR
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import Flow, configs_topic, dedicated_source, is_partition, role_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.source import Inert, MirrorSource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file_log import FileLog
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.log_source import KafkaLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.offset_logs import OffsetLogs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.sink_group import Sink, check_rest_sees, second_store, sink_left
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.strimzi import StrimziStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicStore, sink_shaped
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic_discovery import (
    check_exists,
    check_groups_are_shown,
    groups_with,
    may_share,
    topics_of,
    workers_at,
)

AUTO, REST, TOPIC, GROUP, FILE, STRIMZI = METHODS = ["auto", "rest", "topic", "group", "file", "strimzi"]

#: what makes ``auto`` turn from REST to another method
TURNS = (errors.EndpointMissing, errors.MethodError, errors.AmbiguousName)

_NO_WORDS = (
    "%s is a source, and reset_to is for sinks and for MirrorMaker's source connectors. The offsets of other sources are their own words for a "
    "place in another system, so nobody else knows which one is the first, the last, or of a time. Declare them in offsets, or remove them "
    "with state: absent to have it begin anew.")
_NO_NEXT = "%s is no MirrorSourceConnector, and next_offset is MirrorMaker's alone: say with offset what this connector stores."


class Router:
    """Finds the way to one connector's offsets."""

    def __init__(self, rest, name: str, kafka=None, method=AUTO, offset_topic=None, raw_keys=None, key_order=None, connect_group=None,
                 consumer_group=None, force=False, accept_duplicates=False, sources=None, offset_file=None, logs=None, sleep=None):
        """rest: ConnectClient or None; with StrimziClient the method is strimzi. kafka: KafkaClient or None. method: auto, rest, topic, group or file.

        consumer_group: of a sink, where neither its configuration nor its name tell. force: offsets of a sink or of MirrorMaker may be
        outside of the log. accept_duplicates: MirrorMaker may copy records again. sources: SourceClusters, for MirrorMaker.
        offset_file: path of a standalone worker's file.
        logs: OffsetLogs, where several connectors have them together.

        Raises DeclarationError where the method lacks what it needs.
        """
        self.rest = rest
        self.kafka = kafka
        self.name = name
        self.method = method
        #: why this method, as text; None before plan()
        self.reason = None
        self.warnings = []
        self._offset_topic = offset_topic
        self._raw_keys = raw_keys or []
        self._key_order = [field for field in key_order or [] if field.strip()] or None
        self.connect_group = connect_group
        self._consumer_group = consumer_group or None
        self.force = force
        self._accept_duplicates = accept_duplicates
        self._sources = sources or SourceClusters()
        self._sleep = {"sleep": sleep} if sleep else {}
        #: by whether there is the connector
        self._sink_configs, self._sinks = {}, {}
        #: source or sink, where only offsets are left and nothing but a look at them tells
        self._kind_left = None
        #: the brokers gave no answer about a sink that REST can change
        self._blind = False
        self._topic_store = None
        #: TopicStore that REST was compared with by the last plan(), or None
        self.compared = None
        self._logs = logs
        self._turned = False
        if getattr(rest, "method", REST) == STRIMZI:
            self.method = method = STRIMZI
        #: the store of those who are asked: the worker, or the operator
        self._asked = StrimziStore if self.method == STRIMZI else RestStore
        if offset_file and method == AUTO:
            self.method = FILE
        if self.method == FILE:
            self._open_file(offset_file)
            return
        if method in (TOPIC, GROUP) and kafka is None:
            raise errors.DeclarationError("method: %s needs bootstrap_servers (or the variable kafka_bootstrap_servers of the host)." % method)
        if method == REST and rest is None or rest is None and kafka is None:
            raise errors.DeclarationError("connect_url is missing (or the variable kafka_connect_url of the host)%s." % (
                "" if method == REST else "; without it method: topic needs bootstrap_servers"))
        if method in (REST, STRIMZI) and self._raw_keys:
            raise errors.DeclarationError("raw_keys needs method: topic: REST knows no keys.")

    def _open_file(self, path) -> None:
        if not path:
            raise errors.DeclarationError("method: file needs offset_file, or worker_config of a standalone worker.")
        self.kafka = None
        self._logs = self._logs or OffsetLogs(FileLog(path))
        self._offset_topic = self._logs.source.path

    @property
    def is_file(self) -> bool:
        """Only what a worker that starts will read is changed: none may run."""
        return self.method == FILE

    @property
    def topic_is_open(self) -> bool:
        """May a method be used that needs no worker?"""
        return self.is_file or self.kafka is not None and self.method not in (REST, STRIMZI)

    def prefer(self, change) -> None:
        """The method that a change (see _ledger.record) was made by is the one to put it back by, unless another one was asked for."""
        if change.method == FILE and self.method in (AUTO, TOPIC):
            raise errors.DeclarationError("The change %s of %s was made by method: file: give offset_file, or worker_config of the standalone worker."
                                          % (change.change_id, self.name))
        if change.method == TOPIC and self.is_file:
            raise errors.DeclarationError("The change %s of %s was made by method: topic, and is put back by that: leave offset_file out."
                                          % (change.change_id, self.name))
        if change.method == STRIMZI and self.method == AUTO:
            raise errors.DeclarationError("The change %s of %s was made by method: strimzi, and is put back by that: give the namespace of its resource."
                                          % (change.change_id, self.name))
        self._kind_left = change.kind
        self._consumer_group = self._consumer_group or (change.cluster or {}).get("consumer_group")
        if self.method == AUTO and (change.method == REST or self.kafka is not None):
            self.method = change.method
            self.reason = "the change was made by this method"

    def needs_no_word(self, desired) -> bool:
        """True where assume_stopped is not needed: Kafka itself refuses to change a group that has members."""
        return self.is_file or self.kafka is not None and (self.method == GROUP or self.method == AUTO and self._of_a_sink(desired))

    def kind(self, found, desired) -> str:
        """Source or sink. Where there is no connector, the declaration tells, or what is left of it. desired: None for one that is not known yet."""
        of_a_sink = self.method == GROUP or self._of_a_sink(desired)
        if found is not None:
            # Not known: the worker lacks the plugin, or it was deleted a moment ago.
            return SINK if of_a_sink and found.kind != SOURCE else found.kind
        if self._kind_left is None and desired is not None and desired.keyed is None and self.method == AUTO and not self._raw_keys:
            self._kind_left = self._look_what_is_left()
        if self._kind_left is None and of_a_sink:
            self._kind_left = SINK
        return self._kind_left or SOURCE

    def _of_a_sink(self, desired) -> bool:
        """Does it speak of the offsets of a sink? desired: None, for one that is not known yet, does not."""
        mirror = self.method in (TOPIC, FILE) or dedicated_source(self._offset_topic) is not None
        return desired is not None and (desired.reset is not None and not mirror or sink_shaped(desired))

    def _look_what_is_left(self) -> str:
        """Everything of a connector that is gone has to go: was it a sink?"""
        sink = Sink(self.kafka, SinkConfig(self.name, None, self._consumer_group))
        try:
            if not sink.live():
                return SOURCE
        except errors.BrokerError:  # to see groups is a permission of its own
            return SOURCE
        try:
            held = self._topic(None).read()
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic):
            return SINK
        if held.entries or held.unreadable:
            raise errors.DeclarationError(
                "There is no connector %s, but the offsets topic %s and the consumer group %s both have offsets of one. Say which ones are "
                "meant with method: topic or method: group." % (self.name, self._topic_store.topics[0], sink.group))
        self._topic_store = None
        return SINK

    def plan(self, found, desired):
        """(store, plan) of the method to use. found: the Connector, None where there is none (or nobody to ask).

        Raises the reason why REST cannot do it where there is no other method.
        """
        if self.kind(found, desired) == SINK:
            if desired.following:
                raise errors.DeclarationError(_NO_NEXT % self.name)
            return self._plan_sink(found, desired)
        if self.method == GROUP:
            raise errors.MethodError("%s is a source: its offsets are records of an offsets topic, not the commits of a consumer group."
                                     % self.name)
        if found is None or self.method in (TOPIC, FILE) or self._raw_keys or self._turned:
            return self._by_topic(found, desired)
        if self.topic_is_open and self._offset_topic:
            check_exists(self.kafka, self._offset_topic)
        try:
            store = self._asked(self.rest, self.name, found.kind, **self._sleep)
            plan = self._plan_of_source(store, found, desired)
            if plan.changed:
                store.check(plan)
            self.compared = self._ask_the_topic(found, plan)
            if self.compared is not None and self.compared.lost(plan.live.entries):
                store.compare_with(self.compared)
                plan = self._plan_of_source(store, found, desired)
                if plan.changed:
                    store.check(plan)
        except TURNS as error:
            if not self.topic_is_open:
                raise self._with_hint(error, found)
            self._turned = True
            self.reason = "REST cannot do it: " + error.message
            return self._by_topic(found, desired)
        self.reason = self.reason or self._why_asked()
        return store, plan

    def _why_asked(self) -> str:
        return "REST can do it" if self.method == AUTO else "method: %s" % self.method

    def _with_hint(self, error, found):
        if self.method == AUTO and not isinstance(error, errors.WrongGroup):
            error.also("The %s can be changed instead, if bootstrap_servers is given." % (
                "consumer group" if found.kind == SINK else "offsets topic"))
        return error

    # ---- sinks ---------------------------------------------------------------------------------------------------

    def _sink_config(self, found) -> SinkConfig:
        """found: the Connector, None where there is none."""
        exists = found is not None or True in self._sink_configs  # it is gone since we have read its configuration
        if exists not in self._sink_configs:
            config = self.rest.info(self.name)["config"] if exists else None
            self._sink_configs[exists] = SinkConfig(self.name, config, self._consumer_group)
        return self._sink_configs[exists]

    def sink(self, found):
        """What the brokers know of it; None without brokers. found: the Connector, None where there is none."""
        if self.kafka is None:
            return None
        settings = self._sink_config(found)
        exists = found is not None or True in self._sinks
        if exists not in self._sinks:
            self._sinks[exists] = Sink(self.kafka, settings, self.rest.root().get("kafka_cluster_id") if exists else None)
        return self._sinks[exists]

    def _plan_sink(self, found, desired):
        if self.method in (TOPIC, FILE) or self._raw_keys:
            raise errors.MethodError(
                "%s is a sink: its offsets are the commits of its consumer group %s, not records of an offsets topic or file. Use method: group%s."
                % (self.name, self._sink_config(found).group, "" if self.is_file else ", or auto"))
        if self.kafka is None and (desired.reset is not None or found is None):
            raise errors.DeclarationError("%s needs bootstrap_servers (or the variable kafka_bootstrap_servers of the host): only the brokers know the "
                                          "%s." % (("reset_to", "log") if found is not None else ("A sink that is gone", "group")))
        if found is None or self.method == GROUP or self._turned:
            if self.method == REST:
                self.reason = None
            return self._by_group(found, desired)
        try:
            self._check_rest_sees(found)
            store = self._asked(self.rest, self.name, SINK, **self._sleep)
            plan = self._plan_of_sink(store, found, desired)
            if plan.changed:
                store.check(plan)
        except TURNS as error:
            if self.kafka is None or self.method != AUTO:
                raise self._with_hint(error, found)
            self._turned = True
            self.reason = "REST cannot do it: " + error.message
            return self._by_group(found, desired)
        self.reason = self.reason or self._why_asked()
        return store, plan

    def _by_group(self, found, desired):
        if self.reason is None:
            self.reason = "method: group" if self.method == GROUP else self._why_topic(found)
        sink = self.sink(found)
        if sink.is_elsewhere:
            raise errors.MethodError("%s. Its consumer group is where it reads: give those as bootstrap_servers." % sink.why_elsewhere())
        if sink.settings.why_unknown():
            raise errors.MethodError(sink.settings.why_unknown())
        self.cluster()  # while the brokers answer
        store = GroupStore(sink, **self._sleep)
        plan = self._plan_of_sink(store, found, desired)
        if found is not None and plan.changed:
            self._check_group(sink, plan.live)
        return store, plan

    def _check_rest_sees(self, found) -> None:
        check_rest_sees(self._sink_config(found), self.sink(found))

    def _check_group(self, sink, live) -> None:
        """Connect from 3.5 on shows the commits of the group that it really uses. Raises MethodError."""
        if sink.settings.apart():
            return
        try:
            shown = RestStore(self.rest, self.name, SINK, **self._sleep).read().entries
        except TURNS:
            return
        missing = sorted(set(shown) - set(live.entries))
        if missing:
            raise errors.MethodError("REST shows %d offsets of %s that its consumer group %s does not have, first %s. The workers set consumer.group.id: "
                                     "give that group as consumer_group." % (len(missing), self.name, sink.group, missing[0]))

    def _plan_of_sink(self, store, found, desired):
        live, warnings = store.read(), []
        settings, sink = self._sink_config(found), self.sink(found)
        lenient = self.force or desired.exact  # what puts an earlier state back is not judged
        if desired.reset is not None:
            if sink.is_elsewhere:
                raise errors.DeclarationError("%s: reset_to would take its numbers from another log." % sink.why_elsewhere())
            resolved, warnings = sink.resolve(desired, live)
            plan = make_plan(live, resolved)
        else:
            plan = make_plan(live, desired)
            warnings = settings.check(plan, lenient)
            if plan.changed and sink is not None:
                warnings = warnings + self._check_the_log(sink, store, plan, lenient)
        if plan.changed and found is not None:
            lingers = None if found.stopped else settings.lingers()
            warnings = warnings + [text for text in (second_store(self.name, settings.config), lingers) if text]
        plan.warnings.extend(warnings)
        return plan

    def _check_the_log(self, sink, store, plan, lenient) -> list:
        """Is what was declared in the log? What puts an earlier state back may be outside of it by now."""
        def look():
            return ["%s: whether the offsets are in the log was not looked at." % sink.why_elsewhere()] if sink.is_elsewhere else sink.check(plan, lenient)

        return look() if store.method == GROUP else self._if_brokers_answer(look) or []

    def _if_brokers_answer(self, look):
        """REST can do without them."""
        if self._blind:
            return None
        try:
            return look()
        except errors.NoTopic:
            raise
        except errors.BrokerError as error:
            self._blind = True
            self._warn("What the brokers know of %s could not be looked at. %s" % (self.name, error.message))
            return None

    def warn_foreign_members(self, found) -> None:
        """Members of a running sink's group that will not leave it when it is stopped."""
        sink = self.sink(found)
        if sink is None:
            return
        foreign_members = self._if_brokers_answer(lambda: None if sink.is_elsewhere else sink.foreign_members(sink.members()))
        if foreign_members:
            self._warn("In the consumer group %s of %s is somebody beside its tasks, and Kafka takes no offsets as long as that is so: %s." % (
                sink.group, self.name, sink.told(foreign_members)))

    def await_free(self, found, store, seconds, sleep, clock) -> None:
        """Until nobody is in a sink's group any more, as far as the brokers are asked. Raises StateError, which says who is."""
        sink = self.sink(found)
        if store.method == GROUP:
            sink.await_free(seconds, sleep, clock)
        elif sink is not None:
            self._if_brokers_answer(lambda: None if sink.is_elsewhere else sink.await_free(seconds, sleep, clock))

    def _ask_the_topic(self, found, plan):
        """The TopicStore, as it was read; None where it is not asked, or gives no answer.

        Where another tool has changed a partition under other key bytes, REST shows what nobody reads, as if all was well.

        Tombstones tell as well: of the keys that the connector reads, and of topic partitions where a record may hide a new one.
        """
        if self.method != AUTO or self.kafka is None or found.kind == SINK:
            return None
        try:
            store = self._topic(found, may_be_empty=True)
            store.read()
        except errors.SharedTopic:
            raise
        except (errors.BrokerError, errors.MethodError, errors.NotOffsetsTopic) as error:
            self._warn("What REST shows of %s could not be compared with the offsets topic. %s" % (self.name, error.message))
            return None
        for text in store.forgets():
            self._warn(text)
        missed = store.beyond_rest(plan)
        if missed:
            raise errors.MethodError("On the offsets topic are records of %s that REST would not change: %s" % (self.name, " ".join(missed)))
        return store

    # ---- sources -------------------------------------------------------------------------------------------------

    def _plan_of_source(self, store, found, desired):
        live, warnings, mirror = store.read(), [], None
        if desired.reset is not None or desired.following:
            mirror = self._mirror(found, desired, live)
            if mirror is None:
                raise errors.DeclarationError(_NO_WORDS % self.name if desired.reset is not None else _NO_NEXT % self.name)
        if desired.reset is not None:
            desired, warnings = mirror.resolve(desired, live, self.force)
        if desired.ordered and store.method in (REST, STRIMZI):
            self._check_order(desired, live)
        plan = make_plan(live, desired)
        if plan.changed or desired.following:
            mirror = mirror or self._mirror(found, desired, live)
            if mirror is not None and not desired.exact:  # what puts an earlier state back is not judged
                warnings = warnings + mirror.check(plan, self.force)
            warnings = warnings + self._check_copied_again(mirror, found, plan, desired)
        plan.warnings.extend(warnings)
        return plan

    def _check_copied_again(self, mirror, found, plan, desired) -> list:
        """Warnings of records that MirrorMaker copies again. Raises DeclarationError where that is not accepted."""
        if found is None and self.rest is not None and not dedicated_source(self._offset_topic):
            return []  # there is no such connector
        if found is None and mirror is None:
            aliases = {action.partition["cluster"] for action in plan.changes if is_partition(action.partition)}
            mirrors = [self._mirror_without_worker(Flow({}, alias)) for alias in sorted(map(str, aliases))]
        else:
            mirrors = [mirror] if isinstance(mirror, MirrorSource) else []
        accepted = self._accept_duplicates or desired.exact
        return [text for one in mirrors for text in one.copied_again(self.kafka).check(plan, accepted, int(time.time() * 1000))]

    def _check_order(self, desired, live) -> None:
        """REST writes the fields of a new partition in a HashMap's order alone. Raises MethodError."""
        other = [entry.partition for key, entry in desired.keyed.items()
                 if key not in live.entries and entry.offset is not None and list(entry.partition) != order(entry.partition)]
        if other:
            raise errors.MethodError(
                "The fields of %d partitions, first %s, stand in another order there than the worker would write them by REST, and the connector would "
                "not find its offsets." % (len(other), json.dumps(other[0])))

    def _mirror(self, found, desired, live):
        """MirrorMaker's view of its own connectors (MirrorSource, Inert); None for any other source."""
        if found is not None:
            config = self.rest.info(self.name)["config"]
            role = role_of(config)
            if role != MIRROR:
                return role and Inert(self.name, role)
            return MirrorSource(self.name, Flow(config), self._sources, lambda: self.rest.root().get("kafka_cluster_id"))
        alias = dedicated_source(self._offset_topic)
        if alias:
            config = self._dedicated_config(alias, desired)
            role = role_of(config) or role_of({"connector.class": self.name})
            return Inert(self.name, role) if role not in (None, MIRROR) else self._mirror_without_worker(Flow(config, alias))
        pairs = list((desired.keyed or {}).values()) + list(live.entries.values())
        aliases = {entry.partition["cluster"] for entry in pairs if is_partition(entry.partition)}
        if not aliases and (pairs or desired.reset is None):
            return None
        known = aliases & set(self._sources.given) if aliases else set(self._sources.given)
        return self._mirror_without_worker(Flow({}, known.pop())) if len(known) == 1 else None

    def _mirror_without_worker(self, flow) -> MirrorSource:
        return MirrorSource(self.name, flow, self._sources, lambda: None if self.is_file else self.kafka.cluster_id)

    def _dedicated_config(self, alias, desired) -> dict:
        """A dedicated MirrorMaker keeps it beside the offsets, and has no REST to ask. Raises DeclarationError for a connector that it has not."""
        try:
            known = configs(self.kafka, configs_topic(alias))
            if known and self.name not in known and desired.sets and not (self.force or desired.exact):
                raise errors.DeclarationError("The dedicated MirrorMaker of %s has no connector %s; it has %s." % (
                    alias, self.name, ", ".join(sorted(known))))
            return known.get(self.name, {})
        except errors.BrokerError as error:
            self._warn("The configuration of %s could not be read from %s. %s" % (self.name, configs_topic(alias), error.message))
            return {}

    # ---- the offsets topic ---------------------------------------------------------------------------------------

    def _by_topic(self, found, desired):
        if sink_shaped(desired):
            raise errors.MethodError("%s is a source, but what is declared are offsets of a sink." % self.name)
        self.reason = self.reason or self._why_topic(found)
        store = self._topic(found)
        plan = self._plan_of_source(store, found, desired)
        if plan.live.undecoded and (plan.resets_all or desired.purge):
            plan.warnings.append(store.left_undecoded() + (
                " What is removed by its bytes is in no backup." if plan.resets_all else " It is left: state: absent without offsets removes it, or raw_keys."))
        if plan.changed:
            store.check(plan)
            if self.is_file:
                plan.warnings.extend(check_positions(plan, self.force or desired.exact))
        if found is None and self.method == TOPIC and not desired.exact:
            self._check_it_was_no_sink(store, plan, desired)
        return store, plan

    def _check_it_was_no_sink(self, store, plan, desired) -> None:
        """Nothing on the topic is no proof that nothing is left of a connector that is gone. Raises MethodError where offsets should be removed."""
        if plan.live.entries or plan.live.unreadable:
            return
        words = sink_left(Sink(self.kafka, SinkConfig(self.name, None, self._consumer_group)), store.topics[0])
        if words and not desired.sets and not plan.changed:
            raise errors.MethodError(words)
        if words:
            self._warn(words)

    def _why_topic(self, found) -> str:
        if self.method in (TOPIC, FILE):
            return "method: %s" % self.method
        if self._raw_keys:
            return "raw_keys are known to the offsets topic alone"
        return "no worker is asked" if self.rest is None else "there is no connector %s that REST could change" % self.name

    def _topic(self, found, may_be_empty=False) -> TopicStore:
        """may_be_empty: it may have lost what REST shows."""
        if self._topic_store is None:
            self._logs = self._logs or OffsetLogs(KafkaLogs(self.kafka))
            self.cluster()  # while the brokers answer: a backup may have to be written when they do not any more
            config = self.rest.info(self.name)["config"] if found is not None else None
            topics = topics_of(self.name, self.rest, self._logs, self._offset_topic, config, sure=self.force, group=self.connect_group,
                               may_be_empty=may_be_empty)
            kind = FileStore if self.is_file else TopicStore
            self._topic_store = kind(self._logs, self.name, topics, self._raw_keys, self._key_order)
        return self._topic_store

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def without_rest(self) -> None:
        """The workers cannot be reached, and need not be."""
        self.rest = None

    # ---- what is known besides -----------------------------------------------------------------------------------

    def running(self) -> list:
        """What the brokers know of workers that run this connector, in words. Raises BrokerError where they do not tell.

        If REST says that there is none, whoever has it counts: it may be another Connect cluster's. Those of another group than the one that
        is named do not, if they keep its offsets on another topic. Of a file: standalone workers on
        this machine that have it.
        """
        if self.is_file:
            return workers_with(self._offset_topic)
        found = workers_at(self.kafka, self.name, self._group_that_counts(), tasks_only=self.rest is None)
        if not found:  # or is only nothing shown?
            check_groups_are_shown(self.kafka, self.rest, self.connect_group)
        return found

    def _group_that_counts(self):
        """The one that is named, unless another one may have the connector's offsets on the same topic; None for all."""
        if not self.connect_group or self.force or self._topic_store is None:
            return self.connect_group
        others = groups_with(self.kafka, self.name)
        others.pop(self.connect_group, None)
        shared = others and may_share(self._topic_store.logs, self._topic_store.topics[0], others)
        return None if shared else self.connect_group

    def cluster(self) -> dict:
        """What tells the cluster of a backup apart; no credentials."""
        if self.is_file:
            return {"connect_url": None, "kafka_cluster_id": None, "offset_file": self._offset_topic}
        if self.method == STRIMZI:
            return dict({"connect_url": None, "kafka_cluster_id": None}, **self.rest.place(self.name))
        found = {"connect_url": self.rest.url if self.rest else None}
        if self.rest is not None:
            found["kafka_cluster_id"] = self.rest.root().get("kafka_cluster_id")
        else:
            found["kafka_cluster_id"] = self.kafka.cluster_id
        if self._topic_store is not None:
            found["bootstrap_servers"] = self.kafka.brokers
            found["offset_topic"] = self._topic_store.topics[0]
        if self._sinks:
            found["bootstrap_servers"] = self.kafka.brokers
            found["consumer_group"] = self._group()
        return found

    def _group(self):
        """The consumer group of a sink, as far as the brokers are asked for it."""
        sink = self._sinks.get(True) or self._sinks.get(False)
        return sink.group if sink is not None else None

    def result(self, store) -> dict:
        """How the change was made, for the module's result."""
        return {"method_reason": self.reason, "resource": self.rest.place(self.name)["resource"] if self.method == STRIMZI else None,
                "offset_topic": store.topics[0] if store.method == TOPIC else None,
                "offset_file": self._offset_topic if self.is_file else None,
                "consumer_group": self._group() if store.method not in (TOPIC, FILE) else None}
