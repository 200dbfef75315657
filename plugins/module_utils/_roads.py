# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Which road a change takes, and why: REST where the worker can do it, else, where brokers are given, the offsets topic of a source
or the consumer group of a sink; the file of a standalone worker where that is given."""

from __future__ import annotations

import json

from ansible_collections.streamops.kafka_connect.plugins.module_utils import _errors as errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._config_topic import configs
from ansible_collections.streamops.kafka_connect.plugins.module_utils._flow import SOURCE as MIRROR
from ansible_collections.streamops.kafka_connect.plugins.module_utils._flow import (
    Flow,
    configs_topic,
    dedicated_source,
    is_partition,
    role_of,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._hashmap import order
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror_source import Inert, MirrorSource
from ansible_collections.streamops.kafka_connect.plugins.module_utils._model import SINK, SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_file import OffsetFile
from ansible_collections.streamops.kafka_connect.plugins.module_utils._offset_topic import topics_of, workers_at
from ansible_collections.streamops.kafka_connect.plugins.module_utils._plan import make_plan
from ansible_collections.streamops.kafka_connect.plugins.module_utils._sinks import Sink, second_store
from ansible_collections.streamops.kafka_connect.plugins.module_utils._source_clusters import SourceClusters
from ansible_collections.streamops.kafka_connect.plugins.module_utils._standalone import worker_of, workers_with
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.file import FileReader, FileStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.group import GroupStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.rest import RestStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.strimzi import StrimziStore
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.topic import TopicReader, TopicStore, sink_shaped

AUTO, REST, TOPIC, GROUP, FILE, STRIMZI = METHODS = ["auto", "rest", "topic", "group", "file", "strimzi"]

#: what makes ``auto`` turn from REST to another road
TURNS = (errors.EndpointMissing, errors.RoadError, errors.AmbiguousName)

_NO_WORDS = (
    "%s is a source, and reset_to is for sinks and for MirrorMaker's source connectors. The offsets of other sources are their own words for a "
    "place in another system, so nobody else knows which one is the first, the last, or of a time. Declare them in offsets, or remove them "
    "with state: absent to have it begin anew. Nothing was changed.")
_NO_NEXT = ("%s is no MirrorSourceConnector, and next_offset is MirrorMaker's alone: say with offset what this connector stores. Nothing was "
            "changed.")


class Roads:
    """The roads to one connector's offsets."""

    def __init__(self, rest, name: str, kafka=None, method=AUTO, offset_topic=None, raw_keys=None, key_order=None, connect_group=None,
                 consumer_group=None, force=False, sources=None, offset_file=None, worker_pid=None, reader=None, sleep=None):
        """rest: ConnectClient or None; with StrimziClient the method is strimzi. kafka: KafkaClient or None. method: auto, rest, topic, group or file.

        consumer_group: of a sink, where neither its configuration nor its name tell. force: offsets of a sink or of MirrorMaker may be
        outside of the log. sources: SourceClusters, for MirrorMaker. offset_file: path of a standalone worker's file. worker_pid: of that worker, see
        _standalone.worker_of.
        reader: TopicReader or FileReader, where several connectors have one together.

        Raises WishError where the method lacks what it needs.
        """
        self.rest = rest
        self.kafka = kafka
        self.name = name
        self.method = method
        #: in words, why this road; None before plan()
        self.reason = None
        self.warnings = []
        self._offset_topic = offset_topic
        self._raw_keys = raw_keys or []
        self._key_order = [field for field in key_order or [] if field.strip()] or None
        self._connect_group = connect_group
        self._consumer_group = consumer_group or None
        self.force = force
        self._sources = sources or SourceClusters()
        self._sleep = {"sleep": sleep} if sleep else {}
        self._sinks = {}
        #: source or sink, where only offsets are left and nothing but a look at them tells
        self._kind_left = None
        #: the brokers gave no answer about a sink that REST can change
        self._blind = False
        self._topic_store = None
        self._reader = reader
        self._worker_pid = worker_pid
        self._turned = False
        if getattr(rest, "road", REST) == STRIMZI:
            self.method = method = STRIMZI
        #: the store of those who are asked: the worker, or the operator
        self._asked = StrimziStore if self.method == STRIMZI else RestStore
        if offset_file and method == AUTO:
            self.method = FILE
        if self.method == FILE:
            self._open_file(offset_file)
            return
        if method in (TOPIC, GROUP) and kafka is None:
            raise errors.WishError("method: %s needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS)." % method)
        if method == REST and rest is None or rest is None and kafka is None:
            raise errors.WishError("connect_url is missing (or the environment variable KAFKA_CONNECT_URL)%s." % (
                "" if method == REST else "; without it method: topic needs bootstrap_servers"))
        if method in (REST, STRIMZI) and self._raw_keys:
            raise errors.WishError("raw_keys needs method: topic: REST knows no keys.")

    def _open_file(self, path) -> None:
        if not path:
            raise errors.WishError("method: file needs offset_file, or worker_config of a standalone worker; nothing was changed.")
        self.kafka = OffsetFile(path) if self._reader is None else self._reader.kafka
        self._offset_topic = self.kafka.path

    @property
    def is_file(self) -> bool:
        """Only what a worker that starts will read is changed: none may run."""
        return self.method == FILE

    @property
    def topic_is_open(self) -> bool:
        """May a road be taken that needs no worker?"""
        return self.kafka is not None and self.method not in (REST, STRIMZI)

    def prefer(self, change) -> None:
        """The road that a change (see _ledger) was made by is the one to put it back by, unless another one was asked for."""
        if change.road == FILE and self.method in (AUTO, TOPIC):
            raise errors.WishError("The change %s of %s was made by method: file: give offset_file, or worker_config of the standalone worker. Nothing "
                                   "was changed." % (change.change_id, self.name))
        if change.road == TOPIC and self.is_file:
            raise errors.WishError("The change %s of %s was made by method: topic, and is put back by that: leave offset_file out. Nothing was changed."
                                   % (change.change_id, self.name))
        if change.road == STRIMZI and self.method == AUTO:
            raise errors.WishError("The change %s of %s was made by method: strimzi, and is put back by that: give the namespace of its resource. Nothing "
                                   "was changed." % (change.change_id, self.name))
        self._kind_left = change.kind
        self._consumer_group = self._consumer_group or (change.cluster or {}).get("consumer_group")
        if self.method == AUTO and (change.road == REST or self.kafka is not None):
            self.method = change.road
            self.reason = "the change was made by this road"

    def needs_no_word(self, wish) -> bool:
        """Will nobody's word be needed that nothing runs? Kafka itself refuses to change a group that has members."""
        return self.kafka is not None and (self.method in (GROUP, FILE) or self.method == AUTO and self._of_a_sink(wish))

    def kind(self, found, wish) -> str:
        """Source or sink. Where there is no connector, the wish tells, or what is left of it. wish: None for one that is not known yet."""
        of_a_sink = self.method == GROUP or self._of_a_sink(wish)
        if found is not None:
            # Not known: the worker lacks the plugin, or it was deleted a moment ago.
            return SINK if of_a_sink and found.kind != SOURCE else found.kind
        if self._kind_left is None and wish is not None and wish.keyed is None and self.method == AUTO and not self._raw_keys:
            self._kind_left = self._look_what_is_left()
        if self._kind_left is None and of_a_sink:
            self._kind_left = SINK
        return self._kind_left or SOURCE

    def _of_a_sink(self, wish) -> bool:
        """Does it speak of the offsets of a sink? None, a wish that is not known yet, does not."""
        mirror = self.method in (TOPIC, FILE) or dedicated_source(self._offset_topic) is not None
        return wish is not None and (wish.reset is not None and not mirror or sink_shaped(wish))

    def _look_what_is_left(self) -> str:
        """Everything of a connector that is gone has to go: was it a sink?"""
        sink = Sink(self.kafka, self.name, None, self._consumer_group)
        try:
            if not sink.live():
                return SOURCE
        except errors.BrokerError:  # to see groups is a permission of its own
            return SOURCE
        try:
            held = self._topic(None).read()
        except (errors.BrokerError, errors.RoadError, errors.NotOffsetsTopic):
            return SINK
        if held.entries or held.unreadable:
            raise errors.WishError(
                "There is no connector %s, but the offsets topic %s and the consumer group %s both have offsets of one. Say which ones are "
                "meant with method: topic or method: group. Nothing was changed." % (self.name, self._topic_store.topics[0], sink.group))
        self._topic_store = None
        return SINK

    def plan(self, found, wish):
        """(store, plan) by the road to take. found: the Connector, None where there is none (or nobody to ask).

        Raises the reason why REST cannot do it where there is no other road.
        """
        if self.kind(found, wish) == SINK:
            if wish.following:
                raise errors.WishError(_NO_NEXT % self.name)
            return self._plan_sink(found, wish)
        if self.method == GROUP:
            raise errors.RoadError("%s is a source: its offsets are records of an offsets topic, not the commits of a consumer group. Nothing "
                                   "was changed." % self.name)
        if found is None or self.method in (TOPIC, FILE) or self._raw_keys or self._turned:
            return self._by_topic(found, wish)
        try:
            store = self._asked(self.rest, self.name, found.kind, **self._sleep)
            plan = self._plan_of_source(store, found, wish)
            if plan.changed:
                store.check(plan)
            self._ask_the_topic(found)
        except TURNS as error:
            if not self.topic_is_open:
                raise self._with_hint(error, found)
            self._turned = True
            self.reason = "REST cannot do it: " + error.message
            return self._by_topic(found, wish)
        self.reason = self.reason or self._why_asked()
        return store, plan

    def _why_asked(self) -> str:
        return "REST can do it" if self.method == AUTO else "method: %s" % self.method

    def _with_hint(self, error, found):
        if self.method == AUTO:
            error.also("The %s can be changed instead, if bootstrap_servers is given." % (
                "consumer group" if found.kind == SINK else "offsets topic"))
        return error

    # ---- sinks ---------------------------------------------------------------------------------------------------

    def sink(self, found):
        """What the brokers know of it; None without brokers. found: the Connector, None where there is none."""
        if self.kafka is None:
            return None
        if found is None and True in self._sinks:
            return self._sinks[True]  # it is gone since we have read its configuration
        exists = found is not None
        if exists not in self._sinks:
            config = self.rest.info(self.name)["config"] if exists else None
            self._sinks[exists] = Sink(self.kafka, self.name, config, self._consumer_group)
        return self._sinks[exists]

    def _plan_sink(self, found, wish):
        if self.method in (TOPIC, FILE) or self._raw_keys:
            raise errors.RoadError(
                "%s is a sink: its offsets are the commits of its consumer group, not records of an offsets topic or file. Use method: group%s. "
                "Nothing was changed." % (self.name, "" if self.is_file else ", or auto"))
        if self.kafka is None and (wish.reset is not None or found is None):
            raise errors.WishError("%s needs bootstrap_servers (or the environment variable KAFKA_BOOTSTRAP_SERVERS): only the brokers know the "
                                   "%s. Nothing was changed." % (("reset_to", "log") if found is not None else ("A sink that is gone", "group")))
        if found is None or self.method == GROUP or self._turned:
            if self.method == REST:
                self.reason = None
            return self._by_group(found, wish)
        try:
            store = self._asked(self.rest, self.name, SINK, **self._sleep)
            plan = self._plan_of_sink(store, found, wish)
            if plan.changed:
                store.check(plan)
        except TURNS as error:
            if self.kafka is None or self.method != AUTO:
                raise self._with_hint(error, found)
            self._turned = True
            self.reason = "REST cannot do it: " + error.message
            return self._by_group(found, wish)
        self.reason = self.reason or self._why_asked()
        return store, plan

    def _by_group(self, found, wish):
        if self.reason is None:
            self.reason = "method: group" if self.method == GROUP else self._why_topic(found)
        sink = self.sink(found)
        if sink.is_elsewhere:
            raise errors.RoadError("%s reads from other brokers than its workers (consumer.override.bootstrap.servers), where its consumer group is, "
                                   "too: leave connect_url out, and give those brokers and consumer_group. Nothing was changed." % self.name)
        self.cluster()  # while the brokers answer
        store = GroupStore(sink, **self._sleep)
        plan = self._plan_of_sink(store, found, wish)
        if found is not None and plan.changed:
            self._check_group(sink, plan.live)
        return store, plan

    def _check_group(self, sink, live) -> None:
        """Connect from 3.5 on shows the commits of the group that it really uses. Raises RoadError."""
        try:
            shown = RestStore(self.rest, self.name, SINK, **self._sleep).read().entries
        except TURNS:
            return
        missing = sorted(set(shown) - set(live.entries))
        if missing:
            raise errors.RoadError("REST shows %d offsets of %s that its consumer group %s does not have, first %s. The workers set consumer.group.id: "
                                   "give that group as consumer_group. Nothing was changed." % (len(missing), self.name, sink.group, missing[0]))

    def _plan_of_sink(self, store, found, wish):
        live, warnings = store.read(), []
        sink = self.sink(found)
        if wish.reset is not None:
            if sink.is_elsewhere:
                raise errors.WishError("%s reads from other brokers than its workers (consumer.override.bootstrap.servers): reset_to would take its "
                                       "numbers from another log. Nothing was changed." % self.name)
            resolved, warnings = sink.resolve(wish, live)
            plan = make_plan(live, resolved)
        else:
            plan = make_plan(live, wish)
            if plan.changed and sink is not None:
                warnings = self._check_the_log(sink, store, plan, wish)
        if plan.changed and found is not None:
            config = sink.config if sink is not None else self.rest.info(self.name)["config"]
            warnings = warnings + [text for text in [second_store(self.name, config)] if text]
        plan.warnings.extend(warnings)
        return plan

    def _check_the_log(self, sink, store, plan, wish) -> list:
        """Is what was declared in the log? What puts an earlier state back may be outside of it by now."""
        def look():
            if sink.is_elsewhere:
                return ["%s reads from other brokers than its workers (consumer.override.bootstrap.servers): whether the offsets are in the log "
                        "was not looked at." % self.name]
            return sink.check(plan, lenient=self.force or wish.exact) + sink.strays(plan)

        return look() if store.road == GROUP else self._if_brokers_answer(look) or []

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

    def warn_strangers(self, found) -> None:
        """Members of a running sink's group that will not leave it when it is stopped."""
        sink = self.sink(found)
        if sink is None or sink.is_elsewhere:
            return
        strangers = self._if_brokers_answer(lambda: sink.strangers(sink.members()))
        if strangers:
            self._warn("In the consumer group %s of %s is somebody beside its tasks, and Kafka takes no offsets as long as that is so: %s." % (
                sink.group, self.name, sink.told(strangers)))

    def await_free(self, found, store, seconds, sleep, clock) -> None:
        """Until nobody is in a sink's group any more, as far as the brokers are asked. Raises StateError, which says who is."""
        sink = self.sink(found)
        if store.road == GROUP:
            sink.await_free(seconds, sleep, clock)
        elif sink is not None and not sink.is_elsewhere:
            self._if_brokers_answer(lambda: sink.await_free(seconds, sleep, clock))

    def _ask_the_topic(self, found) -> None:
        """Where another tool has changed a partition under other key bytes, REST shows what nobody reads, as if all was well."""
        if self.method != AUTO or self.kafka is None or found.kind == SINK:
            return
        try:
            store = self._topic(found)
            store.read()
        except (errors.BrokerError, errors.RoadError, errors.NotOffsetsTopic) as error:
            self._warn("What REST shows of %s could not be compared with the offsets topic. %s" % (self.name, error.message))
            return
        if not store.agrees_with_rest():
            raise errors.RoadError(
                "On the offsets topic are records of %s that REST would not change: %s" % (self.name, " ".join(store.told())))

    # ---- sources -------------------------------------------------------------------------------------------------

    def _plan_of_source(self, store, found, wish):
        live, warnings, mirror = store.read(), [], None
        if wish.reset is not None or wish.following:
            mirror = self._mirror(found, wish, live)
            if mirror is None:
                raise errors.WishError(_NO_WORDS % self.name if wish.reset is not None else _NO_NEXT % self.name)
        if wish.reset is not None:
            wish, warnings = mirror.resolve(wish, live, self.force)
        if wish.ordered and store.road in (REST, STRIMZI):
            self._check_order(wish, live)
        plan = make_plan(live, wish)
        if (plan.changed or wish.following) and not wish.exact:  # what puts an earlier state back is not judged
            mirror = mirror or self._mirror(found, wish, live)
            if mirror is not None:
                warnings = warnings + mirror.check(plan, self.force)
        plan.warnings.extend(warnings)
        return plan

    def _check_order(self, wish, live) -> None:
        """REST writes the fields of a new partition in a HashMap's order alone. Raises RoadError."""
        other = [entry.partition for key, entry in wish.keyed.items()
                 if key not in live.entries and entry.offset is not None and list(entry.partition) != order(entry.partition)]
        if other:
            raise errors.RoadError(
                "The fields of %d partitions, first %s, stand in another order there than the worker would write them by REST, and the connector would "
                "not find its offsets." % (len(other), json.dumps(other[0])))

    def _mirror(self, found, wish, live):
        """MirrorMaker's view of its own connectors (MirrorSource, Inert); None for any other source."""
        if found is not None:
            config = self.rest.info(self.name)["config"]
            role = role_of(config)
            if role != MIRROR:
                return role and Inert(self.name, role)
            return MirrorSource(self.name, Flow(config), self._sources, lambda: self.rest.root().get("kafka_cluster_id"))
        alias = dedicated_source(self._offset_topic)
        if alias:
            config = self._dedicated_config(alias, wish)
            role = role_of(config) or role_of({"connector.class": self.name})
            return Inert(self.name, role) if role not in (None, MIRROR) else self._mirror_without_worker(Flow(config, alias))
        pairs = list((wish.keyed or {}).values()) + list(live.entries.values())
        aliases = {entry.partition["cluster"] for entry in pairs if is_partition(entry.partition)}
        if not aliases and (pairs or wish.reset is None):
            return None
        known = aliases & set(self._sources.given) if aliases else set(self._sources.given)
        return self._mirror_without_worker(Flow({}, known.pop())) if len(known) == 1 else None

    def _mirror_without_worker(self, flow) -> MirrorSource:
        return MirrorSource(self.name, flow, self._sources, lambda: self.kafka.cluster_id)

    def _dedicated_config(self, alias, wish) -> dict:
        """A dedicated MirrorMaker keeps it beside the offsets, and has no REST to ask. Raises WishError for a connector that it has not."""
        try:
            known = configs(self.kafka, configs_topic(alias))
            if known and self.name not in known and wish.sets and not self.force:
                raise errors.WishError("The dedicated MirrorMaker of %s has no connector %s; it has %s. Nothing was changed." % (
                    alias, self.name, ", ".join(sorted(known))))
            return known.get(self.name, {})
        except errors.BrokerError as error:
            self._warn("The configuration of %s could not be read from %s. %s" % (self.name, configs_topic(alias), error.message))
            return {}

    # ---- the offsets topic ---------------------------------------------------------------------------------------

    def _by_topic(self, found, wish):
        if sink_shaped(wish):
            raise errors.RoadError("%s is a source, but what is declared are offsets of a sink. Nothing was changed." % self.name)
        self.reason = self.reason or self._why_topic(found)
        store = self._topic(found)
        plan = self._plan_of_source(store, found, wish)
        if plan.changed:
            store.check(plan)
        return store, plan

    def _why_topic(self, found) -> str:
        if self.method in (TOPIC, FILE):
            return "method: %s" % self.method
        if self._raw_keys:
            return "raw_keys are known to the offsets topic alone"
        return "no worker is asked" if self.rest is None else "there is no connector %s that REST could change" % self.name

    def _topic(self, found) -> TopicStore:
        if self._topic_store is None:
            reader = self._reader or (FileReader(self.kafka) if self.is_file else TopicReader(self.kafka))
            self.cluster()  # while the brokers answer: a backup may have to be written when they do not any more
            config = self.rest.info(self.name)["config"] if found is not None else None
            topics = topics_of(self.name, self.rest, reader, self._offset_topic, config, sure=bool(self._connect_group))
            kind = FileStore if self.is_file else TopicStore
            self._topic_store = kind(reader, self.name, topics, self._raw_keys, self._key_order)
        return self._topic_store

    def _warn(self, text) -> None:
        if text not in self.warnings:
            self.warnings.append(text)

    def without_rest(self) -> None:
        """The workers cannot be reached, and need not be."""
        self.rest = None

    # ---- what is known besides -----------------------------------------------------------------------------------

    def running(self) -> list:
        """What the brokers know of workers that run this connector, in words; [] where they do not tell.

        If REST says that there is none, whoever has it counts: it may be another Connect cluster's. Of a file: standalone workers on
        this machine that have it.
        """
        if self.is_file:
            return workers_with(self._offset_topic) or worker_of(self._worker_pid)
        try:
            if self._connect_group and self._connect_group not in {found[0] for found in self.kafka.connect_groups()}:
                self._warn("The brokers know no Connect workers of the group %s, so whether they run %s is not known."
                           % (self._connect_group, self.name))
            return workers_at(self.kafka, self.name, self._connect_group, tasks_only=self.rest is None)
        except errors.BrokerError as error:
            self._warn("Whether a worker runs %s could not be seen from the brokers. %s" % (self.name, error.message))
            return []

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
                "offset_topic": store.topics[0] if store.road == TOPIC else None,
                "offset_file": self._offset_topic if self.is_file else None,
                "consumer_group": self._group() if store.road not in (TOPIC, FILE) else None}
