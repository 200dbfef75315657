# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the reset of a mirror has to do, from what was found and predicted: connectors, topics, states. Pure."""

from __future__ import annotations

from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.lifecycle import FAILED, STATES, STOPPED
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._mirror.reset_choice import EMPTIED, KEEP, RECREATED, mirror_of

#: What the prediction of connector_offsets says of one MirrorSource connector.
#:
#: done    an earlier run has made this change to its end; undone: it was undone since
#: intact  after that nothing was copied: the positions are those that were set, and it is stopped
#: begun   an earlier run that was killed has begun it; resumed: somebody has started the connector since
#: due     the state to restore; None where there is no worker to ask
Status = namedtuple("Status", ["connector", "changes", "counts", "done", "undone", "intact", "begun", "resumed", "due", "failed"])

#: a connector, and the state to restore; failed: it was FAILED when it was found, and may fail again
Due = namedtuple("Due", ["name", "state", "failed"])

_WORDS = {state: word for word, state in STATES.items()}
_RESTORED = "restored"


def judge(connector: str, predicted: dict, dedicated: bool) -> Status:
    """predicted: the result of connector_offsets in check mode, with all of its entries."""
    change, found = predicted.get("change") or {}, predicted["connector"]
    undone = change.get("phase") == _RESTORED
    done = undone or predicted["already_applied"] and not change.get("state_to_restore")
    stopped = dedicated if found is None else found["state"] == STOPPED
    states = [] if found is None else [found["state"]] + [task["state"] for task in found["tasks"]]
    begun = bool(change) and not done
    return Status(
        connector=connector, changes=any(action["action"] != "keep" for action in predicted["actions"]), counts=predicted["counts"],
        done=done, undone=undone, intact=done and not undone and stopped and _is_as_set(change, predicted["offsets"]),
        begun=begun, resumed=begun and predicted["already_applied"] and found is not None and not stopped,
        due=None if found is None else _WORDS.get(predicted["state_before"], "started"), failed=FAILED in states)


def _is_as_set(change: dict, offsets: list) -> bool:
    live = {canonical(pair["partition"]): pair["offset"] for pair in offsets}
    return all(live.get(canonical(pair["partition"])) == pair["offset"] for pair in change.get("after") or [])


def may_delete(statuses: list) -> bool:
    """Of a change that an earlier run has made, nothing is deleted any more where the mirror may have run since: the copies have new records."""
    return not any(one.done and not one.intact or one.resumed for one in statuses)


class Plan:
    """The whole reset."""

    def __init__(self, flow: dict, target: str, change_id: str, statuses: list, others: list, copies: list, internal: list):
        """flow: of mirror_info. others: [Member]. copies: [{name, records_at_most}] that go; internal: names of MirrorMaker's own topics that go."""
        self.mirror = mirror_of(flow)
        self.statuses = statuses
        self.copies = [one["name"] for one in copies]
        self.internal = internal
        self.emptied = self.copies if target == EMPTIED else []
        self.deleted = internal + (self.copies if target == RECREATED else [])
        begun = any(one.begun for one in statuses)
        self.needed = begun or any(one.changes for one in statuses) or bool(self.copies or internal)
        #: whether the mirror runs afterwards
        self.runs = all(one.due == "started" for one in statuses)
        # Of a run that was killed, nobody knows in what state the others were.
        killed = any(one.begun and one.due == "started" for one in statuses)
        self.others = [Due(one.name, "started" if killed and one.state == "stopped" else one.state, one.failed) for one in others]
        self.sources = [Due(one.connector, one.due, one.failed) for one in statuses if one.due is not None]
        #: By the old offset-syncs the offsets of consumer groups would be translated to places of the old copy: these wait for the new ones.
        self.deferred = self.others if target == RECREATED and self.runs else []
        self.lines = self._lines(flow, target, change_id, copies)
        self.warnings = []
        if copies and flow["policy"] == "identity":
            self.warnings.append("With the IdentityReplicationPolicy the copies have the names of their sources, and it is not known whether all of their "
                                 "records came by this mirror: %s." % ", ".join(self.copies))

    def _lines(self, flow, target, change_id, copies) -> list:
        """For people."""
        lines = ["%s (%s): %s" % (one.connector, self.mirror, _words(one, change_id)) for one in self.statuses]
        fate = "is emptied" if target == EMPTIED else "is deleted, and created again by MirrorMaker"
        lines += ["The copy %s %s: it has up to %d records." % (one["name"], fate, one["records_at_most"]) for one in copies]
        for name in self.internal:
            lines.append("%s is deleted: %s" % (name, (
                "checkpoints are only ever raised, so they would stall until the new copies are as long as the old ones. Those of other topics are written "
                "again by the connector." if name == flow["checkpoints"]["topic"] else "consumer groups are translated again when new records are copied.")))
        return lines if self.needed else lines + ["Nothing has to be changed."]


def _words(one: Status, change_id: str) -> str:
    if one.undone:
        return "the change %s was undone, and is not made again" % change_id
    if one.done:
        return "the change %s was made before" % change_id
    return "%(set)d positions are set, %(remove)d removed, %(keep)d stay" % one.counts


def choose_copies(found: list, target: str) -> list:
    """Of the copies, as the module topic shows them, those that go."""
    return [] if target == KEEP else [one for one in found if one["exists"] and (target == RECREATED or one["records_at_most"])]
