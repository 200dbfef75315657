# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a sink's own configuration says of its consumer: its group, its brokers, its topics, and where it begins without an offset. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import sink_topics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, TOPIC, canonical, counted
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import BACKWARD, KEEP, REMOVE, SET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.sink_topics import PROVIDER, addresses

#: what Connect calls the group of a sink, before its name
PREFIX = "connect-"

_GROUP_ID = "consumer.override.group.id"
_INSTANCE_ID = "consumer.override.group.instance.id"
_SESSION = "consumer.override.session.timeout.ms"
_ISOLATION = "consumer.override.isolation.level"
_RESET = "consumer.override.auto.offset.reset"
_CONSUMER, _ADMIN = "consumer.override.bootstrap.servers", "admin.override.bootstrap.servers"

#: of Kafka's consumer
_SESSION_MS = "45000"
_SHOWN = 10

#: classes of transforms that give a record the name of another topic
_RENAMES = re.compile(r"(Router|(Extract|Set|Rename)Topic\w*)(\$\w+)?$")
_REGEX_ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"
#: in the replacement of a RegexRouter, as of java.util.regex.Matcher#replaceFirst
_REFERENCE = re.compile(r"\\(.)|\$(\d)|\$\{(\w+)\}")

EARLIEST = "earliest"
#: auto.offset.reset -> where a consumer begins in a partition without an offset
_BEGINNINGS = {EARLIEST: "the beginning of the log", "latest": "the end of the log", "none": "no record, so that its tasks fail"}
#: from Kafka 4.0 on, with an ISO 8601 duration behind it
_DURATION = "by_duration:"


class SinkConfig:
    """One sink's."""

    def __init__(self, name: str, config=None, consumer_group=None):
        """config: the connector's, None where there is none. consumer_group: the group's name, if the user says it."""
        self.name = name
        self.config = config or {}
        self.group = consumer_group or self.config.get(_GROUP_ID) or PREFIX + name
        #: the user or the connector's configuration names it; else it is the worker's rule, which consumer.group.id can change
        self.is_named = bool(consumer_group or self.config.get(_GROUP_ID))
        self.reads_committed = (self.config.get(_ISOLATION) or "").lower() == "read_committed"
        #: addresses host:port that the connector's consumer, and Connect's admin client for it, have instead of the workers'; none of their own: empty
        self.consumer_brokers = addresses(self.config.get(_CONSUMER))
        self.admin_brokers = addresses(self.config.get(_ADMIN))

    # ---- a plan ------------------------------------------------------------------------------------------------------

    def check(self, plan, lenient: bool) -> list:
        """Does the plan have the effect that it is meant to have? Returns warnings, and notes in the plan where the sink begins.

        lenient: what is declared for a topic that it does not read is a warning. Raises DeclarationError.
        """
        return self._check_topics(plan, lenient) + self._check_removals(plan)

    def _check_topics(self, plan, lenient) -> list:
        wrong = self.unread(action.partition[TOPIC] for action in plan.changes if action.verb == SET)
        words = "%s An offset for another topic has no effect."
        if wrong and not lenient:
            raise DeclarationError((words + " Declare offsets for what it reads, or use force: true if that is meant.")
                                   % self.why_unread(wrong))
        if not plan.desired.exact:
            declared = plan.desired.for_kind(SINK) or {}
            wrong = self.unread({action.partition[TOPIC] for action in plan.actions if action.verb == KEEP and action.after is not None
                                 and canonical(action.partition) in declared} | set(wrong))
        return [words % self.why_unread(wrong)] if wrong else []

    def _check_removals(self, plan) -> list:
        removed = [action for action in plan.changes if action.verb == REMOVE and not self.unread([action.partition[TOPIC]])]
        plan.desired.notes = dict(plan.desired.notes, **{canonical(action.partition): self.beginning() for action in removed})
        if not removed or self.begins_anew:
            return []
        if self._policy() == "none":
            words = "%s will have no offset for %s, and its tasks fail there (%s). Use reset_to or declare offsets." % (
                self.name, counted(removed), self.beginning())
        else:
            words = ("%s will have no offset for %s, and begins there at %s: records before that are not delivered again. To have them delivered use "
                     "reset_to or declare offsets." % (self.name, counted(removed), self.beginning()))
        if plan.desired.guards is not None and plan.desired.guards.direction == BACKWARD:
            raise DeclarationError("direction is backward. " + words)
        return [words]

    # ---- topics ------------------------------------------------------------------------------------------------------

    @property
    def listed(self) -> set:
        """Empty where topics.regex or a config provider says what it reads."""
        return sink_topics.listed(self.config)

    def pattern(self):
        """topics.regex, None where it is not used, or is not known. Raises DeclarationError where only Java can read it."""
        try:
            return sink_topics.pattern(self.config)
        except re.error as error:
            raise DeclarationError("topics.regex of %s (%s) cannot be read here (%s): say with the option topics which ones are meant."
                                   % (self.name, self.config["topics.regex"], error))

    def unread(self, topics) -> list:
        """Those of these topics that it certainly does not read."""
        if self.listed:
            return sorted(set(topics) - self.listed)
        try:
            pattern = self.pattern()
        except DeclarationError:
            return []
        return [] if pattern is None else sorted(topic for topic in set(topics) if not pattern.fullmatch(topic))

    def why_unread(self, topics) -> str:
        """Sentences for topics that unread() has found."""
        listed = sorted(self.listed)
        reads = "%s%s" % (", ".join(listed[:_SHOWN]), ", ..." if len(listed) > _SHOWN else "") if listed else (
            "what matches its topics.regex, %s" % self.config["topics.regex"])
        renaming = ["%s (%s)" % one for one in self._transforms() if _RENAMES.search(one[1])]
        words = "%s does not read %s; it reads %s." % (self.name, ", ".join(topics), reads)
        if not renaming:
            return words
        known = [(topic, self._name_when_read(topic)) for topic in topics]
        return "%s Its transform %s renames topics after they are read, and offsets are kept under the name that is read%s." % (
            words, " and ".join(renaming), "".join(": %s for %s" % (read, topic) for topic, read in known if read))

    def _transforms(self) -> list:
        """[(alias, class)], in order"""
        aliases = [alias.strip() for alias in (self.config.get("transforms") or "").split(",") if alias.strip()]
        return [(alias, self.config.get("transforms.%s.type" % alias) or "") for alias in aliases]

    def _name_when_read(self, topic):
        """Which listed topic becomes this one; None where that is not known."""
        return next((name for name in sorted(self.listed) if self._renamed(name) == topic), None)

    def _renamed(self, topic: str) -> str:
        """As far as RegexRouters rename it."""
        for alias, kind in self._transforms():
            if kind == _REGEX_ROUTER:
                topic = _routed(topic, *(self.config.get("transforms.%s.%s" % (alias, option)) or "" for option in ("regex", "replacement")))
        return topic

    # ---- a partition without an offset -------------------------------------------------------------------------------

    @property
    def begins_anew(self) -> bool:
        """Is all that the log holds delivered once more after offsets are removed, as far as the configuration tells?"""
        return self._policy() == EARLIEST

    def _policy(self) -> str:
        return (self.config.get(_RESET) or EARLIEST).strip().lower()

    def beginning(self) -> str:
        """Where the sink begins in a partition without an offset, and what says so."""
        policy = self._policy()
        where = _BEGINNINGS.get(policy)
        if where is None:
            where = "the first record of the last %s" % policy[len(_DURATION):].upper() if policy.startswith(_DURATION) else "a place that is not known here"
        return "%s (%s)" % (where, "%s: %s" % (_RESET, policy) if self.config.get(_RESET) else
                            "auto.offset.reset is earliest by default; consumer.auto.offset.reset of the workers can say otherwise")

    # ---- the group ---------------------------------------------------------------------------------------------------

    def why_unknown(self):
        """Why the name of the group is not known here; None if it is."""
        return None if PROVIDER not in self.group else (
            "The consumer group of %s is a reference to a config provider, which only the worker can follow (%s: %s): give it as consumer_group." % (
                self.name, _GROUP_ID, self.group))

    def apart(self):
        """Why REST may see and change a group elsewhere than where the sink reads; None if its consumer and Connect's admin client go to one place."""
        if self.consumer_brokers == self.admin_brokers or self.consumer_brokers & self.admin_brokers:
            return None
        consumer = "%s (%s)" % (self.config[_CONSUMER], _CONSUMER) if self.consumer_brokers else "the workers' brokers (it has no %s)" % _CONSUMER
        admin = "%s (%s)" % (self.config[_ADMIN], _ADMIN) if self.admin_brokers else "the workers' brokers (it has no %s)" % _ADMIN
        return ("%s reads from %s, but for its offsets Connect goes to %s: REST shows and changes those of another consumer group there. Set both to the "
                "same brokers" % (self.name, consumer, admin))

    @property
    def session_timeout(self) -> str:
        return "%s ms" % self.config[_SESSION] if self.config.get(_SESSION) else "%s ms by default" % _SESSION_MS

    def lingers(self):
        """That a task of it stays in its group after a stop; None if it leaves at once."""
        instance = self.config.get(_INSTANCE_ID)
        return instance and (
            "%s is a static member of its consumer group %s (%s: %s). It stays there after a stop until its session time-out is over (session.timeout.ms, "
            "%s), and Kafka takes no offsets before: wait_timeout has to be longer." % (
                self.name, self.group, _INSTANCE_ID, instance, self.session_timeout))


def _routed(topic: str, regex: str, replacement: str) -> str:
    """org.apache.kafka.connect.transforms.RegexRouter#apply; the topic as it is where that cannot be told."""
    try:
        match = re.fullmatch(regex, topic)
        return topic if match is None else _REFERENCE.sub(
            lambda one: one.group(1) or match.group(int(one.group(2)) if one.group(2) else one.group(3)) or "", replacement)
    except (re.error, IndexError):
        return topic
