# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The reset of a mirror: everything is looked at, then its connectors are stopped, positions set, topics deleted or emptied, the connectors started.

What fails before a topic was deleted is undone. After that nothing is, as records would be missing in the copies: the same run again finishes it.
"""

from __future__ import annotations

import os
import time
import traceback
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connector_state import declare_state
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.topic_readers import check_readers
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.interrupts import INTERRUPTS
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topic_offsets import topic_offsets
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topics import ABSENT, declare_topics
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.topics import EMPTIED as RECORDS_REMOVED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror import boundary
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.flow import SOURCE, dedicated_source
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.report import MirrorInfo
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import (
    EMPTIED,
    KEEP,
    RECREATED,
    Choice,
    check_names,
    check_nodes,
    check_topics,
    choose,
    members,
    share,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_plan import Due, Plan, choose_copies, judge, may_delete

_PLAINTEXT = "PLAINTEXT"
_STOPPED = "stopped"
#: how much of a connector's name is in that of a file
_NAME_LENGTH = 100


class Clusters:
    """Connect, or None; the brokers of the target; those of the sources; and what the options of both phases say of them."""

    def __init__(self, connect, kafka, sources, params: dict):
        self.connect, self.kafka, self.sources = connect, kafka, sources
        self.wait_timeout = params["wait_timeout"]
        self.is_dedicated = dedicated_source(params["offset_topic"]) is not None
        self._offset_topic = params["offset_topic"] or None

    def flows(self, names, warnings: list, topics=None, lag_time=False) -> list:
        """What mirror_info shows of the connectors. Raises errors of ours."""
        found = []
        for name in names:
            result = MirrorInfo(self.connect, self.kafka, self.sources, self._offset_topic, topics, lag_time, max_entries=0).result(name)
            found += result["flows"]
            _add(warnings, result["warnings"])
        return found

    def start(self, due, warnings: list) -> bool:
        """Restores the state of a connector. Whether that changed it. One that was FAILED when it was found may fail again. Raises ConnectError."""
        try:
            result = declare_state(self.connect, due.name, due.state, self.wait_timeout, False)
        except errors.ConnectError as error:
            if not due.failed:
                raise
            _add(warnings, [error.message])
            return False
        _add(warnings, result["warnings"])
        return result["changed"]


class MirrorReset:
    """To be run once."""

    def __init__(self, clusters: Clusters, params: dict, declare_offsets):
        """declare_offsets(check_mode, **options) -> the result of connector_offsets with these options. params: those of the module."""
        self._clusters = clusters
        self._kafka = clusters.kafka
        self._params = params
        self._declare_offsets = declare_offsets
        self._target = params["target"]
        self._whole = params["all"]
        self._change_id = params["change_id"] or None
        self._warnings = []
        self._choice = self._flows = self._shares = self._plan = None
        self._predicted, self._made, self._diff = {}, {}, []
        #: [(KafkaClient, names, state)] of topics, in the order in which they go
        self._batches = []
        #: topics that are deleted or emptied, or may be
        self._lost = []

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError, which says what state things are in."""
        try:
            check_topics(self._params["topics"], self._whole)
            self._look()
            self._preview()
            found = self._boundary(self._flows)
            if self._plan.needed and not check_mode:
                found = self._change()
        except errors.ConnectError as error:
            error.warnings = self._warnings + [text for text in error.warnings if text not in self._warnings]
            raise
        return self._result(found, check_mode)

    # ---- look --------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        names = self._params["connectors"]
        if self._clusters.is_dedicated:
            self._choice = Choice([], [])
            names = names or [SOURCE]
        elif self._clusters.connect is None:
            raise errors.DeclarationError("kafka_connect_url is missing: give the URL of a worker that runs the mirror, or for a dedicated MirrorMaker the "
                                          "offset_topic mm2-offsets.ALIAS.internal.")
        else:
            self._choice = choose(members(self._clusters.connect.connectors()), names, self._target == RECREATED or self._params["offset_syncs"])
            names = [one.name for one in self._choice.sources]
        self._flows = self._clusters.flows(names, self._warnings)
        if self._clusters.is_dedicated:
            check_nodes(self._flows)
        self._shares = share(self._flows, self._params["topics"], self._whole)
        check_names(self._shares, self._flows[0], self._target, self._params["offset_syncs"])

    @property
    def _copies(self) -> list:
        return sorted({copy for one in self._shares for copy in one.copies.values() if copy})

    # ---- preview: everything that can be known before the first stop ------------------------------------------------

    def _preview(self) -> None:
        statuses = []
        for one in self._shares:
            predicted = self._predicted[one.connector] = self._declare(one, True, max_entries=0)
            statuses.append(judge(one.connector, predicted, self._clusters.is_dedicated))
        copies, internal = self._preview_topics(statuses) if may_delete(statuses) else ([], [])
        self._plan = Plan(self._flows[0], self._target, self._change_id, statuses, self._choice.others, copies, internal)
        _add(self._warnings, self._plan.warnings)
        if self._plan.needed:
            for other in self._plan.others:
                _add(self._warnings, declare_state(self._clusters.connect, other.name, _STOPPED, self._clusters.wait_timeout, True)["warnings"])

    def _preview_topics(self, statuses) -> tuple:
        """(the copies that go, names of MirrorMaker's own topics that go)"""
        flow, copies, internal, batches = self._flows[0], [], [], []
        if self._target != KEEP and self._copies:
            # Whether they can go in this way is previewed below.
            there = declare_topics(self._kafka, self._copies, ABSENT, self._clusters.wait_timeout, True)
            copies = choose_copies(there["topics"], self._target)
        # Checkpoints stall only where a copy begins anew.
        if self._target == RECREATED and (copies or any(one.begun for one in statuses)):
            batches.append((self._kafka, [flow["checkpoints"]["topic"]], ABSENT))
        if self._params["offset_syncs"]:
            batches.append((self._syncs_cluster(), [flow["offset_syncs"]["topic"]], ABSENT))
        # They go before the copies: should this run be killed, the copies show the next one that they have to go as well.
        for batch in batches:
            found = self._topics(batch, True)
            self._diff += found["diff"]
            if found["changed"]:
                self._batches.append(batch)
                internal += batch[1]
        if copies:
            self._batches.append((self._kafka, [one["name"] for one in copies], RECORDS_REMOVED if self._target == EMPTIED else ABSENT))
            self._diff += self._topics(self._batches[-1], True)["diff"]
        return copies, internal

    def _syncs_cluster(self):
        if self._flows[0]["offset_syncs"]["at"] == "target":
            return self._kafka
        sources = self._clusters.sources
        return sources.client(self._choice.sources[0].flow) if self._choice.sources else sources.named(self._flows[0]["source"])

    # ---- change ------------------------------------------------------------------------------------------------

    def _change(self) -> dict:
        """The boundary. Raises ConnectError after everything was undone, or with what is left to do."""
        try:
            with INTERRUPTS.held():
                return self._stop_and_change()
        except Exception as found:  # a fault of our own must not leave the mirror stopped, either
            error = _readable(found)
            with INTERRUPTS.held():
                raise self._left_to_do(error) if self._lost else self._undone(error)

    def _stop_and_change(self) -> dict:
        for other in self._plan.others:
            self._stop(other)
        for one in self._shares:
            INTERRUPTS.check()
            self._made[one.connector] = self._declare(one, False)
            _add(self._warnings, self._made[one.connector]["warnings"])
        # Where no position changes, the connector still runs.
        for source in self._plan.sources:
            INTERRUPTS.check()
            self._stop(source)
        found = self._boundary([flow for one in self._shares for flow in self._clusters.flows([one.connector], self._warnings, topics=one.topics)])
        if self._params["boundary_file"]:
            boundary.write(self._params["boundary_file"], found)
        INTERRUPTS.check()
        self._delete()
        self._restore_states()
        return found

    def _stop(self, due) -> None:
        _add(self._warnings, declare_state(self._clusters.connect, due.name, _STOPPED, self._clusters.wait_timeout, False)["warnings"])

    def _delete(self) -> None:
        for batch in self._batches:
            self._topics(batch, True)  # what is refused now, has deleted nothing
            self._lost += batch[1]
            self._topics(batch, False)

    def _restore_states(self) -> None:
        # The ledger knows the state found, so that a run that is killed before this is finished by the next one.
        for one in self._shares if self._change_id else []:
            self._declare(one, False, final_state="found", backup=False)
        # Also where the ledger has none, as no position had to change.
        for due in self._plan.sources + ([] if self._plan.deferred else self._plan.others):
            self._clusters.start(due, self._warnings)

    # ---- a failure ---------------------------------------------------------------------------------------------

    def _left_to_do(self, error):
        plan = self._plan
        return _instead(error, (
            "The reset of %s failed after %s %s %s (or may have been), which cannot be had back: %s Positions and states are left as they are now, so that "
            "nothing is missing in the copies afterwards. What finishes this, when the reason is gone: the same run again%s. Until then these may be "
            "stopped: %s. The positions before are in %s." % (
                plan.mirror, ", ".join(self._lost), "was" if len(self._lost) == 1 else "were", "emptied" if plan.emptied else "deleted",
                _sentence(error), ", with the same change_id" if self._change_id else "", self._states(), self._backups())))

    def _undone(self, error):
        plan, left = self._plan, self._undo()
        if left:
            return _instead(error, "The reset of %s failed, no topic was deleted or emptied, but not everything could be undone: %s %s%s" % (
                plan.mirror, _sentence(error), " ".join(left), self._others_are_restored(len(left))))
        return _instead(error, "The reset of %s failed, no topic was deleted or emptied, and positions and states are as they were: %s" % (
            plan.mirror, _sentence(error)))

    def _undo(self) -> list:
        """Positions first, then the states, of every connector, whatever fails for another one. For each that is left, what to do.

        What a killed run has begun is undone as well: the mirror must not run on with half of it.
        """
        failed = dict(_each(self._made, self._restore_positions))
        left = [self._positions_left(name, error) for name, error in failed.items()]
        # With the new positions a connector would copy what it should not.
        restorable = [due for due in self._plan.sources + self._plan.others if due.name not in failed]
        return left + ["%s could not be brought back to its state, %s: %s Bring it to that state." % (
            due.name, due.state, _sentence(self._noted(error))) for due, error in _each(restorable, lambda due: self._clusters.start(due, self._warnings))]

    def _restore_positions(self, name: str) -> None:
        result = self._made[name]
        if self._change_id and (result["changed"] or any(one.begun for one in self._plan.statuses if one.connector == name)):
            self._declare_offsets(False, name=name, state="restored", final_state="leave")
        elif result["changed"]:
            self._declare_offsets(False, name=name, src=result["backup_file"], purge=True, force=True, accept_duplicates=True, final_state="leave")

    def _positions_left(self, name: str, error) -> str:
        path, (state,) = self._made[name]["backup_file"], [one.due for one in self._plan.statuses if one.connector == name]
        return "The positions of %s could not be restored%s: %s Restore them with the playbook streamops.kafka_connect.restore_offsets from the %s%s." % (
            name, ", so it was not brought back to its state" if state else "", _sentence(self._noted(error)),
            "backup " + path if path else "change " + self._change_id, ", then bring it to the state %s" % state if state else "")

    def _others_are_restored(self, left: int) -> str:
        dues = self._plan.sources + self._plan.others
        return " Positions and states of the other connectors are as they were." if len(dues) > left else ""

    def _noted(self, error):
        _add(self._warnings, error.warnings)
        return error

    def _states(self) -> str:
        return ", ".join("%s (%s)" % (due.name, due.state) for due in self._plan.sources + self._plan.others) or "no connector"

    def _backups(self) -> str:
        files = [result["backup_file"] for result in self._made.values() if result.get("backup_file")]
        return ", ".join(files) or "no file, as none was changed"

    # ---- parts -------------------------------------------------------------------------------------------------

    def _declare(self, one, check_mode: bool, **more) -> dict:
        options = {"name": one.connector, "reset_to": self._params["reset_to"], "topics": None if self._whole else one.topics,
                   "final_state": "found_later" if self._change_id else "leave", "backup": True, "backup_file": self._backup_of(one.connector)}
        return self._declare_offsets(check_mode, **dict(options, **more))

    def _backup_of(self, connector: str):
        """Beside the file of the boundary; None for a file of its own in the default folder."""
        path = self._params["boundary_file"]
        return path and "%s.%s.backup.json" % (os.path.splitext(path)[0], quote(connector, safe=" ")[:_NAME_LENGTH])

    def _topics(self, batch, check_mode: bool) -> dict:
        kafka, names, state = batch
        found = declare_topics(kafka, names, state, self._clusters.wait_timeout, check_mode, lambda there: check_readers(
            self._clusters.connect, kafka, there, self._params["force"]))
        _add(self._warnings, found["warnings"])
        return found

    def _boundary(self, flows) -> dict:
        topics = boundary.topics_of(self._shares, flows, self._ends_of_copies())
        return boundary.document(self._plan.mirror, self._flows[0]["source"], self._change_id, self._source_cluster(), topics, self._plan.deferred)

    def _ends_of_copies(self) -> dict:
        if self._target == RECREATED or not self._copies:
            return {}
        there = [name for name, topic in self._kafka.admin.look_for(self._copies).items() if topic is not None]
        found = topic_offsets(self._kafka, there)["topics"] if there else []
        return {topic["name"]: {one["partition"]: one["end"] for one in topic["partitions"]} for topic in found}

    def _source_cluster(self):
        """How others can reach it, without secrets; None where nobody says."""
        given, flow = self._clusters.sources.given.get(self._flows[0]["source"]), self._choice.sources[0].flow if self._choice.sources else None
        if given is not None:
            return {"bootstrap_servers": given["bootstrap.servers"], "security_protocol": given.get("security.protocol") or _PLAINTEXT}
        servers = flow.config.get("source.cluster.bootstrap.servers") if flow is not None else None
        return servers and {"bootstrap_servers": servers, "security_protocol": flow.config.get("source.cluster.security.protocol") or _PLAINTEXT}

    def _result(self, found: dict, check_mode: bool) -> dict:
        plan, results = self._plan, self._made or self._predicted
        diffs = [part for result in results.values() if result["changed"] for part in result["diff"]]
        for result in self._predicted.values():
            _add(self._warnings, result["warnings"])
        due = {one.connector: one for one in plan.statuses}
        return {
            "changed": plan.needed, "mirror": plan.mirror, "needed": plan.needed, "plan": plan.lines, "runs": plan.runs,
            "connectors": [dict(
                {what: result[what] for what in ("changed", "counts", "method", "backup_file")},
                connector=name, actions=[action for action in result["actions"] if action["action"] != "keep"], state=due[name].due,
                change_id=self._change_id, already_applied=due[name].done) for name, result in results.items()],
            "topics": [topic for one in self._shares for topic in one.topics], "deleted": plan.deleted, "emptied": plan.emptied, "boundary": found,
            "boundary_file": self._params["boundary_file"] if plan.needed and not check_mode else None,
            "left": None, "diff": diffs + self._diff, "warnings": self._warnings,
        }


class Finish:
    """After a reset, whose mirror runs: waits until everything is copied that the source had then, and starts the connectors that wait for it."""

    def __init__(self, clusters: Clusters, params: dict, sleep=time.sleep, clock=time.monotonic):
        self._clusters = clusters
        self._path = params["boundary_file"]
        self._patience = params["catch_up_timeout"]
        self._sleep = sleep
        self._clock = clock
        self._warnings = []

    def run(self, check_mode: bool) -> dict:
        """The module's result. Raises ConnectError."""
        if not self._path:
            raise errors.DeclarationError("phase: finish needs boundary_file, the file that the reset has written, which says where source and target ended.")
        found = boundary.read(self._path)
        changed, left = (False, None) if check_mode else self._finish(found)
        return {"changed": changed, "mirror": found["mirror"], "needed": False, "plan": [], "runs": True, "connectors": [], "topics": list(found["topics"]),
                "deleted": [], "emptied": [], "boundary": found, "boundary_file": self._path, "left": left, "warnings": self._warnings}

    def _finish(self, found) -> tuple:
        """(whether a connector that waited was started, what is left). These are started also where the wait fails. Raises ConnectError."""
        errors.WRITES.note()  # the phase reset has changed what a failure says of this one
        left = error = None
        try:
            left = self._caught_up(found) if self._patience else None
        except errors.ConnectError as caught:
            error = caught
        changed, failures = self._start(found)
        if error is None and not failures:
            return changed, left
        raise self._unfinished(found, error, failures)

    def _start(self, found) -> tuple:
        """Connectors that waited for the mirror to catch up: (whether that changed any, [(Due, error)])."""
        changed = []
        failures = _each([Due(**one) for one in found["deferred"]], lambda due: changed.append(self._clusters.start(due, self._warnings)))
        return any(changed), failures

    def _unfinished(self, found, error, failures):
        """The error of the wait, or else of a start, with the state of things."""
        stands = ["%s was reset as declared; this is kept." % found["mirror"]]
        for due, one in failures:
            stands.append("%s, which waited for the end of copying, could not be brought back to its state, %s: %s" % (due.name, due.state, _sentence(one)))
            _add(self._warnings, one.warnings)
        if not failures:
            stands.append("Its connectors were brought back to the states in which they were found.")
        stands.append("To %s use phase: finish with boundary_file: %s." % ("wait again" if error else "try again", self._path))
        if error is None:
            error = _instead(failures[0][1], "%s has caught up." % found["mirror"] if self._patience else "%s was not waited for." % found["mirror"])
        _add(self._warnings, error.warnings)
        error.warnings = self._warnings
        return error.also(" ".join(stands))

    def _caught_up(self, found) -> dict:
        """Raises WaitError."""
        began = self._clock()
        while True:
            del self._warnings[:]
            left = boundary.left(found, self._clusters.flows(boundary.connectors_in(found), self._warnings, topics=list(found["topics"]), lag_time=True))
            elapsed = self._clock() - began
            if not left["records"]:
                return left
            if elapsed >= self._patience:
                raise errors.WaitError(
                    "After %d s there are still to be copied: %s of %s." % (
                        self._patience, plural(left["records"], "record"), plural(left["partitions"], "partition")), left=left)
            # The longer it takes, the less often it is asked.
            self._sleep(min(max(2.0, min(elapsed / 10, 60.0)), max(1.0, self._patience - elapsed)))


def _add(warnings: list, more: list) -> None:
    warnings += [text for text in dict.fromkeys(more) if text not in warnings]


def _each(items, act) -> list:
    """[(item, ConnectError)] of those for which it failed. It is done for all of them."""
    failures = []
    for one in items:
        try:
            act(one)
        except Exception as error:  # a fault of our own must not leave the rest undone, either
            failures.append((one, _readable(error)))
    return failures


def _readable(error):
    """A fault of our own as an error that can say what state things are in."""
    if isinstance(error, errors.ConnectError):
        return error
    return errors.ConnectError("Unexpected error, %s: %s." % (type(error).__name__, error), exception=traceback.format_exc())


def _instead(error, message: str):
    """The same error in other words."""
    error.message = message
    error.args = (message,)
    return error


def _sentence(error) -> str:
    message = error.message
    return message if message.endswith((".", "!", "?")) else message + "."
