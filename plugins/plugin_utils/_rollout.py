# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the playbooks that change a fleet say of their clusters. One host is one cluster.

An outcome is what is kept of a cluster: ``status`` (ready, unchanged, already_applied, would_change, changed, failed), ``error``, ``version``,
``kafka_cluster_id``, and ``connectors``, a dictionary for each.
"""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import WIDTH, fit, table, wrapped

#: status of a cluster in the summary -> as people read it
_WORDS = {"changed": "changed", "would_change": "would change", "already_applied": "already applied", "unchanged": "unchanged", "failed": "failed",
          "not_reached": "not reached"}
_UNDONE = {"changed": "put back", "would_change": "would be put back"}

_GIVEN_UP = {"status": "failed", "error": "Ansible has given this host up; see above.", "connectors": []}


def outcome(results: list, stage: str, error: str = "", check_mode: bool = False, cluster: dict | None = None) -> dict:
    """Of one cluster. results: as the role returns or predicts them; stage: preflight or change."""
    connectors = [_of_connector(one) for one in results]
    nothing = "already_applied" if any(one["already_applied"] for one in connectors) else "unchanged"
    if error:
        status = "failed"
    elif stage == "preflight":
        status = "ready" if any(one["todo"] for one in results) else nothing
    elif any(one["changed"] for one in connectors):
        status = "would_change" if check_mode else "changed"
    else:
        status = nothing
    known = cluster or {}
    return {"status": status, "error": error or None, "version": known.get("version"), "kafka_cluster_id": known.get("kafka_cluster_id"),
            "connectors": connectors}


def _of_connector(one: dict) -> dict:
    return {
        "connector": one["connector"], "changed": one["changed"], "already_applied": one["already_applied"], "change_id": one["change_id"],
        "method": one["method"], "set": one["counts"]["set"], "removed": one["counts"]["remove"], "kept": one["counts"]["keep"],
        "backward": _distance(one, "backward"), "forward": _distance(one, "forward"),
        "state_before": one["state_before"], "state": one["state"], "verdict": (one["verification"] or {}).get("verdict"),
    }


def _distance(one: dict, direction: str):
    """The sum of the distances that are known. One that contains a short password is a masked text."""
    return sum(action["distance"] for action in one["actions"] if action["direction"] == direction and isinstance(action["distance"], (int, float)))


def conflicts(clusters: list, playbook: str, same_allowed: bool) -> dict:
    """host -> what is wrong with it, of hosts that are the same Connect cluster as another one, or share a ledger with it though they are not.

    clusters: for each host ``host``, ``kafka_cluster_id``, ``workers``, ``group`` (may be empty), ``changes``: a list of (ledger, connector, change
    id). A worker belongs to one Connect cluster alone; where both hosts say their group, that decides.
    """
    found: dict = {}
    for number, one in enumerate(clusters):
        for other in clusters[:number]:
            message = _conflict((other, one), playbook, same_allowed)
            if message:
                found.setdefault(other["host"], message)
                found.setdefault(one["host"], message)
    return found


def _conflict(pair: tuple, playbook: str, same_allowed: bool) -> str | None:
    one, other = pair
    both = "%s and %s" % (one["host"], other["host"])
    one_kafka = one["kafka_cluster_id"] is not None and one["kafka_cluster_id"] == other["kafka_cluster_id"]
    one_group = one["group"] and one["group"] == other["group"]
    workers = [worker for worker in one["workers"] if worker in other["workers"]]
    if one_kafka and (one_group or workers and not (one["group"] and other["group"])):
        if same_allowed:
            return None
        return ("%s are the same Connect cluster: Kafka cluster %s, %s. Take one of them out of the inventory or the limit, or allow it with "
                "%s_allow_same_cluster; nothing was changed." % (
                    both, one["kafka_cluster_id"], "group " + one["group"] if one_group else "worker " + workers[0], playbook))
    for ledger, connector, change_id in one["changes"]:
        by_file = ledger.startswith("the file")
        by_topic = ledger.startswith("the topic") and one_kafka and one["group"] == other["group"]
        if (by_file or by_topic) and [ledger, connector, change_id] in [list(change) for change in other["changes"]]:
            return ("%s are two Connect clusters, each with a connector %s, that share a ledger (%s): once the change %s is made on one of them, it "
                    "would count as made on both. %s; nothing was changed." % (
                        both, connector, ledger, change_id, "Give each its own kafka_connect_ledger_file, or none and its kafka_connect_group" if by_file else
                        "Give each its kafka_connect_group, the group.id of its workers, or its own kafka_connect_ledger_topic"))
    return None


def health(of: dict, seen: list | None, only_verifies: bool = False) -> dict:
    """``verdict`` (pass, fail, cannot_tell) and ``reason`` of an outcome, after a last look at its connectors (of connector_info; None: no worker can be
    asked).
    """
    bad = []
    by_name = {one["name"]: one for one in seen or []}
    for one in of["connectors"]:
        now = by_name.get(one["connector"])
        if now is not None and "FAILED" in [now["state"], *(task["state"] for task in now["tasks"])]:
            traces = [now.get("trace"), *(task.get("trace") for task in now["tasks"])]
            bad.append("%s has failed: %s" % (one["connector"], "; ".join(trace.split("\n")[0] for trace in traces if trace)))
        if only_verifies and one["changed"]:
            bad.append("%s %s: %s offsets to set, %s to remove, state %s" % (
                one["connector"], "lacks the change %s" % one["change_id"] if one["change_id"] else "is not as declared",
                one["set"], one["removed"], one["state_before"]))
    verdict = "fail" if bad else _verdict(one["verdict"] for one in of["connectors"])
    if seen is None and verdict == "pass":
        return {"verdict": "cannot_tell", "reason": "There is no worker to ask."}
    return {"verdict": verdict, "reason": " ".join(bad) or None}


def _verdict(verdicts) -> str:
    verdicts = list(verdicts)
    return next((word for word in ("fail", "cannot_tell") if word in verdicts), "pass")


def summary(hosts: dict, playbook: str, time: str, check_mode: bool, changes: bool, verifies: bool) -> dict:
    """Of the whole fleet. hosts: in the order in which they are changed, each with ``outcome`` (None: Ansible has given it up), ``goes`` (its turn
    has come), ``verdict``, ``stopped_by`` and ``missing`` (connectors that are not there).
    """
    clusters = {host: _of_cluster(one, changes) for host, one in hosts.items()}
    found = list(clusters.values())
    counts = {status: sum(one["status"] == status for one in found) for status in _WORDS}
    done = [connector for one in found for connector in one["connectors"]]
    missing = [set(one.get("missing") or []) for one in hosts.values()]
    ids = [connector["change_id"] for one in found for connector in one["connectors"] + one["planned"] if connector["change_id"]]
    stopped = [name for one in hosts.values() for name in one.get("stopped_by") or []]
    return {
        "playbook": playbook, "change_id": ids[0] if ids else None, "time": time, "check_mode": check_mode, "changes": changes, "verifies": verifies,
        "ok": not counts["failed"] and not counts["not_reached"] and all(one["verdict"] != "fail" for one in found),
        "counts": counts,
        "partitions": {"set": sum(one["set"] for one in done), "removed": sum(one["removed"] for one in done)},
        "order": list(clusters), "stopped_by": list(dict.fromkeys(stopped)),
        "nowhere": sorted(set.intersection(*missing)) if missing else [],
        "clusters": clusters,
    }


def _of_cluster(one: dict, changes: bool) -> dict:
    known = one.get("outcome") or _GIVEN_UP
    status = known["status"]
    if status == "ready":
        if not changes:
            status = "would_change" if any(connector["changed"] for connector in known["connectors"]) else "unchanged"
        else:
            status = "failed" if one.get("goes") else "not_reached"
    verdict = one.get("verdict") or {}
    # What was only predicted and never begun is no count of what was done.
    begun = status != "not_reached"
    return dict(known, status=status, verdict=verdict.get("verdict"), reason=verdict.get("reason"),
                methods=list(dict.fromkeys(connector["method"] for connector in known["connectors"])),
                connectors=known["connectors"] if begun else [], planned=[] if begun else known["connectors"])


def verification(of: dict) -> dict:
    """What the last look has shown, of a summary."""
    clusters = {host: {"verdict": one["verdict"], "reason": one["reason"]} for host, one in of["clusters"].items() if one["verdict"]}
    verdict = _verdict(one["verdict"] for one in clusters.values())
    return {"change_id": of["change_id"], "time": of["time"], "verdict": verdict if of["ok"] else "fail", "clusters": clusters}


def summary_lines(of: dict) -> list[str]:
    """A summary for people."""
    words = dict(_WORDS, **(_UNDONE if of["playbook"] == "restore_offsets" else {}))
    counted = ", ".join("%d %s" % (of["counts"][status], word) for status, word in words.items() if of["counts"][status])
    rows = [["CLUSTER", "STATUS", "CONNECTORS", "METHOD", "SET", "REMOVED", "BACKWARD", "FORWARD", "VERDICT"]]
    for host, one in of["clusters"].items():
        every = one["connectors"]
        numbers = [sum(connector[what] for connector in every) for what in ("set", "removed", "backward", "forward")]
        rows.append([fit(host, 30), words[one["status"]], "%d of %d" % (sum(map(_changed, every)), len(every) + len(one["planned"])),
                     ",".join(one["methods"]) or "-", *numbers, one["verdict"] or "-"])
    lines = ["%s: %s" % (of["change_id"] or of["playbook"], counted), "", *table(rows, right=(4, 5, 6, 7))]
    for host, one in of["clusters"].items():
        if one["error"] or one["verdict"] == "fail":
            lines += ["", host + ":", *wrapped(fit(" ".join((one["error"] or one["reason"]).split()), 600), first="  ")]
    if of["nowhere"]:
        lines += ["", "On none of these clusters: " + fit(", ".join(of["nowhere"]), WIDTH)]
    if of["stopped_by"]:
        lines += ["", "Stopped by %s. Run it again%s when that is fixed: it goes on where it has stopped." % (
            fit(", ".join(of["stopped_by"]), 60), " with the same change_id" if of["change_id"] else "")]
    if not of["changes"]:
        lines += ["", "Nothing was changed, as the tag change is not among those of this run."]
    elif not of["verifies"] and not of["check_mode"]:
        lines += ["", "Nothing was looked at afterwards, as the tag verify is not among those of this run."]
    return lines


def _changed(connector: dict) -> bool:
    return connector["changed"]


def change_lines(results: list, undo: bool = False, check_mode: bool = False) -> list[str]:
    """What was done with each connector of a cluster, a line each. results: as the role returns them."""
    return [_change_line(one, undo, check_mode) for one in results]


def _change_line(one: dict, undo: bool, check_mode: bool) -> str:
    if one["changed"]:
        status = "changed" if not check_mode else "would_change"
        did = (_UNDONE if undo else _WORDS)[status]
    elif undo:
        did = "nothing to put back"
    else:
        did = "%s was made before" % one["change_id"] if one["already_applied"] else "nothing to change"
    parts = ["offsets %(set)s set, %(remove)s removed, %(keep)s kept" % one["counts"]]
    if undo:
        parts.append("%s now" % one["state"])
        return "%s: %s, %s" % (one["connector"], did, ", ".join(parts))
    parts += ["%s before" % one["state_before"], "%s after" % one["state"]]
    parts += ["on the topic %s" % one["offset_topic"]] * bool(one.get("offset_topic"))
    parts += ["in the file %s" % one["offset_file"]] * bool(one.get("offset_file"))
    parts += ["by the consumer group %s" % one.get("consumer_group")] * (one["method"] == "group")
    parts += ["backup in %s" % one["backup_file"]] * bool(one.get("backup_file") and not check_mode)
    if one.get("verification"):
        parts.append("verification: %(verdict)s, %(page)s" % one["verification"])
    return "%s: %s, %s" % (one["connector"], did, ", ".join(parts))
