# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Topics that have to go, or to be empty. What Kafka and Connect live on is refused.

All topics are looked at before the first one is touched.
"""

from __future__ import annotations

import re
import time

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import EARLIEST, LATEST
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.admin import Topic

ABSENT, EMPTIED = "absent", "emptied"

_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")
_CONNECTS_BY_NAME = re.compile(r"mm2-(offsets|configs|status)[._-].+|.*connect.*(offset|config|status).*", re.IGNORECASE)
#: keys of records on a worker's topics for offsets (the ledger's look alike), configurations and states
_CONNECTS_BY_KEY = re.compile(
    rb'\["(?:[^"\\]|\\.)*",\s*[{"].*\]|status-(?:connector|task|topic)-.+|session-key'
    rb'|(?:connector|task|commit|target-state|tasks-fencing|restart-connector|logger-cluster)-.+', re.DOTALL)
_MIRRORS = re.compile(r"mm2-offset-syncs[^A-Za-z0-9].+|.+[^A-Za-z0-9]checkpoints[^A-Za-z0-9]internal")
#: of each partition so many records are looked at
_PEEK = 20
_PAUSE = 0.2


def declare_topics(kafka, names, state, wait_timeout=120, check_mode=False, check_readers=lambda names: [], sleep=time.sleep, clock=time.monotonic) -> dict:
    """The module's result. check_readers(names of topics that are to be deleted): warnings; it raises StateError where somebody reads them.

    Raises DeclarationError, NoTopic, BrokerDenied, BrokerError, WaitError.
    """
    names = _checked(names)
    found = kafka.admin.look_for(names)
    _check_there(kafka, found, state)
    there = sorted(name for name in names if found[name] is not None)
    _check_owner(kafka, there, found, state)
    _check_permission(kafka, there, found)
    warnings = check_readers(there) if state == ABSENT else []
    log = _Log(kafka, {name: found[name].partitions for name in there})
    todo = [name for name in there if state == ABSENT or log.records(name)]
    result = {
        "changed": bool(todo), "cluster_id": kafka.cluster_id, "warnings": warnings,
        "topics": [{"name": name, "exists": name in there, "changed": name in todo,
                    "partitions": found[name].partitions if name in there else None,
                    "records_at_most": log.records(name) if name in there else None} for name in names],
        "diff": [_diff(name, found[name], log, state) for name in todo],
    }
    if todo and not check_mode:
        act = _delete if state == ABSENT else _empty
        act(kafka, {name: found[name] for name in todo}, log, wait_timeout, result["warnings"], sleep, clock)
    return result


class _Log:
    """Where the topics begin and end now."""

    def __init__(self, kafka, counts: dict):
        """counts: {topic: how many partitions}."""
        self._counts = counts
        places = [(topic, number) for topic, count in counts.items() for number in range(count)]
        self.begins, self.ends = ({place: offset for place, (offset, of_time) in kafka.offsets.of(places, where).items()} for where in (EARLIEST, LATEST))

    def records(self, topic) -> int:
        """At most; markers of transactions and what was compacted count, too."""
        return sum(self.ends[topic, number] - self.begins[topic, number] for number in range(self._counts[topic]))


def _diff(name, found, log, state) -> dict:
    before = {"partitions": found.partitions, "records_at_most": log.records(name)}
    return {"before_header": "%s (topic)" % name, "after_header": "%s (topic)" % name, "before": before,
            "after": {} if state == ABSENT else dict(before, records_at_most=0)}


# ---- before the first change -------------------------------------------------------------------------------------


def _checked(names) -> list:
    names = sorted({name.strip() for name in names if name.strip()})
    if not names:
        raise errors.DeclarationError("name is empty: give names of topics.")
    for name in names:
        if not _NAME.fullmatch(name) or name in (".", ".."):
            raise errors.DeclarationError("%s is no name of a topic; globs are not taken here." % name)
        if name.startswith("__"):
            raise errors.DeclarationError("%s is one of Kafka's own topics." % name)
    return names


def _check_there(kafka, found, state) -> None:
    missing = sorted(name for name in found if found[name] is None)
    if missing and state == EMPTIED:
        raise errors.NoTopic("There is no topic %s on the Kafka cluster at %s that could be emptied." % (
            ", ".join(missing), kafka.brokers), bootstrap_servers=kafka.brokers)


def _check_owner(kafka, names, found, state) -> None:
    """Raises DeclarationError for topics of Connect's workers, and for those that no broker empties."""
    policies = kafka.admin.cleanup_policies(names)
    for name in names:
        if policies[name] is not None and "compact" not in policies[name]:
            continue
        if _is_connects(kafka, Topic(name, found[name].partitions, policies[name])):
            raise errors.DeclarationError(
                "%s seems to be an internal topic of Connect workers, or of the ledger of this collection, by its %s. To change offsets use "
                "connector_offsets." % (name, "name" if _CONNECTS_BY_NAME.fullmatch(name) else "records"))
        if state == EMPTIED and policies[name] == "compact":
            raise errors.DeclarationError(
                "%s has cleanup.policy=compact, and no broker removes records of such a topic (POLICY_VIOLATION): delete it, with state: absent.%s" % (
                    name, " MirrorMaker creates this one again when its connectors start; they have to be STOPPED until then. Tombstones are no way "
                    "out, as MirrorMaker does not read them." if _MIRRORS.fullmatch(name) else ""))


def _is_connects(kafka, topic) -> bool:
    if _MIRRORS.fullmatch(topic.name):
        return False
    if _CONNECTS_BY_NAME.fullmatch(topic.name):
        return True
    try:
        starts = kafka.offsets.starts(topic)
        ends = {number: min(end, starts[number] + _PEEK) for number, end in kafka.offsets.ends(topic)[1].items()}
        keys = [message.key() for batch in kafka.reader.read(topic, starts, ends) for message in batch]
    except errors.BrokerDenied:  # to read is a permission of its own
        return False
    return bool(keys) and all(key is not None and _CONNECTS_BY_KEY.fullmatch(key) for key in keys)


def _check_permission(kafka, names, found) -> None:
    denied = [name for name in names if found[name].may_delete is False]
    if denied:
        raise errors.BrokerDenied("The user lacks the permission Delete on Topic %s of the Kafka cluster at %s." % (
            ", ".join(denied), kafka.brokers), bootstrap_servers=kafka.brokers)


# ---- the change --------------------------------------------------------------------------------------------------


def _delete(kafka, found, log, wait_timeout, warnings, sleep, clock) -> None:
    kafka.admin.delete_topics(found)
    end, left = clock() + wait_timeout, dict(found)
    while left:
        now = kafka.admin.look_for(left)
        for name in sorted(now):
            if now[name] is None or now[name].id != left[name].id:
                del left[name]
                if now[name] is not None:
                    warnings.append("%s was deleted, and somebody has created it again at once." % name)
        if left:
            if clock() > end:
                raise errors.WaitError("The brokers at %s have accepted the deletion of %s, but still list %s after %g s." % (
                    kafka.brokers, ", ".join(sorted(found)), ", ".join(sorted(left)), wait_timeout), deleted=sorted(set(found) - set(left)))
            sleep(_PAUSE)


def _empty(kafka, found, log, wait_timeout, warnings, sleep, clock) -> None:
    """Up to the ends that were seen; what has come since stays."""
    wanted = {place: end for place, end in log.ends.items() if place[0] in found and end > log.begins[place]}
    kafka.admin.delete_records(wanted)
    end = clock() + wait_timeout
    while True:
        begins = kafka.offsets.of(wanted, EARLIEST)
        left = sorted(place for place in wanted if begins[place][0] < wanted[place])
        if not left:
            return
        if clock() > end:
            raise errors.ReadBackError("The brokers at %s have accepted the removal of records, but %s-%d still begins at %d instead of %d." % (
                (kafka.brokers,) + left[0] + (begins[left[0]][0], wanted[left[0]])))
        sleep(_PAUSE)
