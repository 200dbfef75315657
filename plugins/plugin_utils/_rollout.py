# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the playbooks that change a fleet decide and say. One host is one cluster.

What is known of a host: ``refused`` (why it is not changed, found before the first change), ``predicted`` and ``results`` of the role (None before it was
run), ``unapproved`` (whether this run is not what its dry run has shown), ``failure`` (see failure()), ``cluster`` (what tells the Connect cluster apart),
``missing`` (names of connectors that were refused), ``seen`` (the answer of connector_info to the last look), ``asks`` (whether a worker can be asked), and
``alive`` (whether Ansible still runs on it).
"""

from __future__ import annotations

import json
import os
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import recognised
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _change_file, _given
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._connection import is_strimzi
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged

#: status of a cluster in the summary
STATUSES = ("changed", "would_change", "already_applied", "unchanged", "failed", "not_reached")

RESTORE = "restore_offsets"

_NOT_LOOKED_AT = ("It was not looked at before the change, as the tag always or preflight is skipped, or the run was started at a later task; nothing was "
                  "changed.")
_GIVEN_UP = "Ansible has given this host up; see above."


# --- settings


def settings(given: dict, playbook: str, named: list, canary: list, variables: dict) -> dict:
    """The settings of a rollout, and ``error``, empty if they can be used. given: as a survey gives them, texts for everything, empty for what was left open.

    named: the hosts; those of canary come first, then by name. variables: those of the file of the change, which count where something was left open.
    """
    given = _change_file.filled(given, variables, playbook + "_")
    skip_unready = _given.is_true(given.get("skip_unready"))
    most = given.get("max_fail_percentage")
    if most in (None, ""):
        most = 100 if skip_unready and playbook == RESTORE else 0  # else a cluster that fails would keep others from being undone
    serial, most = _serial(given.get("serial")), str(most).strip().rstrip("%")
    errors = []
    if not serial:
        errors.append('%s_serial is a number, a percentage, or a list of them such as [1, "25%%", "100%%"] or 1,25%%,100%%, and is %s' % (
            playbook, json.dumps(given.get("serial"), default=str)))
    tolerance = str(given.get("expect_tolerance") or 0).strip()
    if not re.fullmatch(r"\d+", tolerance):
        errors.append("%s_expect_tolerance is a whole number of records, and is %s" % (playbook, json.dumps(given["expect_tolerance"], default=str)))
    if not re.fullmatch(r"\d+(\.\d+)?", most):
        errors.append("%s_max_fail_percentage is a number, and is %s" % (playbook, json.dumps(given.get("max_fail_percentage"), default=str)))
    return {
        "playbook": playbook, "serial": serial or [1], "max_fail_percentage": 0.0 if errors else float(most),
        "skip_unready": skip_unready, "allow_same_cluster": _given.is_true(given.get("allow_same_cluster")),
        "summary_file": _given.path(given.get("summary_file")), "canary": list(canary), "expect_tolerance": 0 if errors else int(tolerance),
        "order": sorted(named, key=lambda host: (host not in canary, host)),
        "error": "; ".join(errors),
    }


def _serial(given) -> list:
    """Empty if it is none."""
    if given in (None, ""):
        given = 1
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip().startswith("[") else given.split(",")
        except ValueError:
            return []
    listed = [str(one).strip() for one in (given if isinstance(given, (list, tuple)) else [given])]
    listed = [one for one in listed if one]
    return listed if all(re.fullmatch(r"0*[1-9]\d*|0*([1-9]\d?|100)%", one) for one in listed) else []


def phases(run_tags: list, skip_tags: list) -> dict:
    """Which phases this run has: ``changes``, ``verifies``."""
    def has(tag: str) -> bool:
        return tag not in skip_tags and bool({"all", "tagged", tag} & (set(run_tags) - set(skip_tags)))
    return {"changes": has("change"), "verifies": has("verify")}


def begin(address: dict, host: str, alone: bool, config: dict, picked: dict, refusal: str = "", elsewhere="", empty: bool = False,
          unfit: str = "") -> dict:
    """Before a cluster is looked at: ``error``, why it cannot be, ``go``, whether it is, and ``identify``, whether it has to be asked which one it is, as its
    preflight does not say it.

    address: variables that say where it is; alone: whether it is the only one; config: see settings(); picked: see _change_file.change();
    refusal: another reason; elsewhere: a list of connectors that is given beside the change that is picked; empty: whether there are no connectors;
    unfit: see _unfit.unfit().
    """
    lacking = _given.lacking(address, alone)
    error = unfit or config["error"] or picked["error"] or (_change_file.UNUSABLE % picked["path"] if picked["variables"] and elsewhere else "") or (
        "%s has no %s." % (host, lacking) if lacking else "") or refusal
    asks = address.get("kafka_connect_url") or os.environ.get("KAFKA_CONNECT_URL")
    identify = bool(not error and asks and not address.get("kafka_connect_offset_file") and (empty or is_strimzi(address)))
    return {"error": unchanged(error), "identify": identify, "go": not error and not empty, "empty": empty}


# --- an undo


def undo_of(given: dict) -> dict:
    """``change_id`` and ``backup_file`` of what is put back. In a workflow of AWX it is the workflow's change, unless another one is named.

    given: ``change_id``, ``backup_file``; ``workflow``, its number; ``applied`` and ``checked``, what jobs before have passed on; ``asked``, the change id that
    they were given.
    """
    change_id, file = given["change_id"], _given.path(given["backup_file"])
    if not change_id and given["workflow"] and not file:
        change_id = (given["applied"] or given["checked"] or {}).get("change_id") or given["asked"] or "awx-%s" % given["workflow"]
    return {"change_id": change_id, "backup_file": file}


def undo(what: dict, named: list, seen: dict, force, final_state: str) -> dict:
    """What restore_offsets puts back: ``declaration``, a list as the role takes it, and ``error``, empty if that is known. what: see undo_of().

    named: the connectors, empty for all; seen: the answer of connector_changes_info, which is asked where they are not named.
    """
    change_id, backup_file = what["change_id"], what["backup_file"]
    force = _given.is_true(force)
    if bool(change_id) == bool(backup_file):
        return _no_undo("Give either restore_offsets_change_id or restore_offsets_backup_file")
    if change_id:
        if not named and "changes" not in seen:
            return _no_undo(seen.get("msg") or "The ledger cannot be read")
        names = named or [one["connector"] for one in seen["changes"]]
        return {"error": "", "declaration": [
            {"name": name, "state": "restored", "change_id": change_id, "force": force, "final_state": final_state or "found"} for name in names]}
    if not os.path.isfile(backup_file):
        return _no_undo("There is no file %s" % backup_file)
    try:
        with open(backup_file, encoding="utf-8") as file:
            names = named or list(json.load(file)["connectors"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return _no_undo("%s is no backup of this collection, or was cut short: %s" % (backup_file, error))
    if not names:
        return _no_undo("%s holds no connector" % backup_file)
    return {"error": "", "declaration": [{"name": name, "src": backup_file, "purge": True, "force": force, "accept_duplicates": True} for name in names]}


def _no_undo(message: str) -> dict:
    return {"declaration": [], "error": message}


# --- what goes on


def failure(done: dict) -> dict:
    """What is kept of a change that has failed: ``reason``, and ``batch``, the hosts that are changed together with it. done: as the role has returned it."""
    return {"batch": list(done.get("batch") or []), "reason": done["msg"]}


def stopped_by(failed: dict, most: float, given_up: list = ()) -> list:
    """The hosts that stop a rollout, as more of their batch have failed than may. failed: host -> failure() of its change; most: percent; given_up: hosts that
    Ansible does not run on any more; nobody knows their batch.
    """
    if most >= 100:
        return []
    batches: dict = {}
    for host, one in failed.items():
        batches.setdefault(tuple(one["batch"]), []).append(host)
    found = [host for batch, hosts in batches.items() if len(hosts) * 100 > most * len(batch) for host in hosts]
    return found + list(given_up)


def refusal(known: dict, conflict: str = "") -> str:
    """Why a cluster stops the rollout before its first change; empty if it does not."""
    if known["failure"]:
        return known["failure"]["reason"]
    return known["refused"] or (_NOT_LOOKED_AT if known["predicted"] is None else conflict)


def outcome(known: dict, check_mode: bool) -> dict:
    """Of one cluster: ``status``, ``stage`` (how far it came: preflight or change), ``error``, ``connectors`` and ``planned``, one dictionary each."""
    failed, results = known["failure"], known["results"] or []
    predicted = known["predicted"] or []
    stage = "change" if failed or results else "preflight"
    error = refusal(known)
    if not known["alive"] and (not error or known["predicted"] is None and not known["refused"]):
        error = _GIVEN_UP
        stage = "change" if _is_due(predicted) else stage
    entries = [_connector(one, check_mode, True) for one in results]
    planned = [_connector(one, check_mode, False) for one in predicted if one["connector"] not in {entry["connector"] for entry in entries}]
    if error and stage == "change":
        due = {one["connector"] for one in predicted if one["todo"]}
        entries += [dict(one, status="failed", changed=False, set=0, removed=0, moves=[]) if one["connector"] in due else one for one in planned]
        planned = []
    elif error and not planned:
        planned = [_unknown(name) for name in known["missing"]]
    cluster = known["cluster"] or {}
    return {"status": "failed" if error else _status(entries, predicted, results, check_mode), "stage": stage, "error": error or None,
            "version": cluster.get("version"), "kafka_cluster_id": cluster.get("kafka_cluster_id"), "connectors": entries, "planned": planned}


def _is_due(predicted: list) -> bool:
    return any(one["todo"] for one in predicted)


def _status(entries: list, predicted: list, results: list, check_mode: bool) -> str:
    if not results and _is_due(predicted):
        return "ready"
    if results and any(one["changed"] for one in entries):
        return "would_change" if check_mode else "changed"
    return "already_applied" if any(one["already_applied"] for one in predicted) else "unchanged"


def _connector(one: dict, check_mode: bool, done: bool) -> dict:
    """In the summary. one: an entry of the role's results, or of what it has predicted."""
    if one["changed"]:
        status = "changed" if done and not check_mode else "would_change"
    else:
        status = "already_applied" if one["already_applied"] else "unchanged"
    proof = one["verification"] or {}
    return {
        "connector": one["connector"], "status": status, "changed": one["changed"], "already_applied": one["already_applied"],
        "change_id": one["change_id"], "method": one["method"], "set": one["counts"]["set"], "removed": one["counts"]["remove"],
        "kept": one["counts"]["keep"], "moves": moves(one["actions"]), "state_before": one["state_before"], "state": one["state"],
        "verdict": proof.get("verdict"), "page": proof.get("page"), "backup_file": None if check_mode else one.get("backup_file"),
        "position": (one["position"] or {}).get("verdict"), "where": _where(one),
        "unfinished": done and not check_mode and (one.get("change") or {}).get("phase") == "started",
    }


def _where(one: dict) -> str | None:
    """What is written to, if it is not the REST API."""
    if one["method"] == "group":
        return "by the consumer group %s" % one.get("consumer_group")
    return "on the topic %s" % one["offset_topic"] if one.get("offset_topic") else "in the file %s" % one["offset_file"] if one.get("offset_file") else None


def _unknown(name: str) -> dict:
    return {"connector": name, "status": "failed", "changed": False, "already_applied": False, "change_id": None, "method": None, "set": 0, "removed": 0,
            "kept": 0, "moves": [], "state_before": None, "state": None, "verdict": None, "page": None, "backup_file": None, "position": None,
            "where": None, "unfinished": False}


def moves(actions: list) -> list:
    """How far partitions move, by direction and unit: ``direction``, ``unit``, ``distance`` (their sum), ``partitions``. Where it can be told; a distance that
    contains a short password is a masked text.
    """
    found: dict = {}
    for one in actions:
        if one["direction"] in ("backward", "forward") and isinstance(one["distance"], int):
            entry = found.setdefault((one["direction"], unit(one)), {"distance": 0, "partitions": 0})
            entry["distance"] += one["distance"]
            entry["partitions"] += 1
    return [dict({"direction": direction, "unit": name}, **entry) for (direction, name), entry in found.items()]


def unit(action: dict) -> str:
    """What the number counts that moves, as far as it is known: records of a topic, bytes of a file; else the name of the field."""
    before, after = action["from"] or {}, action["to"] or {}
    if "kafka_offset" in before:
        return "records"
    shape = recognised(action["partition"], after)
    known = shape.unit(before, after) if shape is not None else ""
    return known + "s" if known else next((name for name in before if before[name] != after.get(name)), "")


# --- the same cluster twice


def conflicts(clusters: list, playbook: str, same_allowed: bool) -> dict:
    """host -> what is wrong with it, of hosts that are the same Connect cluster as another one, or share a ledger with it though they are not.

    clusters: for each host ``host``, ``cluster`` (``kafka_cluster_id``, ``workers``), ``group`` (may be empty), ``changes``: a list of (ledger, connector,
    change id). A worker belongs to one Connect cluster alone; where both hosts say their group, that decides.
    """
    found: dict = {}
    alike: dict = {}
    for number, one in enumerate(clusters):
        marks = _marks(one)
        for other in sorted({before for mark in marks for before in alike.get(mark, ())}):
            message = _conflict((clusters[other], one), playbook, same_allowed)
            if message:
                found.setdefault(clusters[other]["host"], unchanged(message))
                found.setdefault(one["host"], unchanged(message))
        for mark in marks:
            alike.setdefault(mark, []).append(number)
    return found


def _marks(one: dict) -> set:
    """Two clusters that have none of these in common cannot be in conflict, so that not every pair of a large fleet is looked at."""
    kafka, group, cluster = (one["cluster"] or {}).get("kafka_cluster_id"), one["group"], one["cluster"] or {}
    marks = {tuple(change) if change[0].startswith("the file") else (kafka, group, *change) for change in one["changes"]}
    if kafka is not None:
        marks |= {(kafka, "worker", worker) for worker in cluster.get("workers") or []} | ({(kafka, "group", group)} if group else set())
    return marks


def _conflict(pair: tuple, playbook: str, same_allowed: bool) -> str | None:
    one, other = pair
    both = "%s and %s" % (one["host"], other["host"])
    ids = [(side["cluster"] or {}).get("kafka_cluster_id") for side in pair]
    one_kafka = ids[0] is not None and ids[0] == ids[1]
    one_group = one["group"] and one["group"] == other["group"]
    workers = [worker for worker in (one["cluster"] or {}).get("workers") or [] if worker in ((other["cluster"] or {}).get("workers") or [])]
    if one_kafka and (one_group or workers and not (one["group"] and other["group"])):
        if same_allowed:
            return None
        return ("%s are the same Connect cluster: Kafka cluster %s, %s. Take one of them out of the inventory or the limit, or allow it with "
                "%s_allow_same_cluster." % (
                    both, ids[0], "group " + one["group"] if one_group else "worker " + workers[0], playbook))
    for ledger, connector, change_id in one["changes"]:
        by_file = ledger.startswith("the file")
        by_topic = ledger.startswith("the topic") and one_kafka and one["group"] == other["group"]
        if (by_file or by_topic) and [ledger, connector, change_id] in [list(change) for change in other["changes"]]:
            return ("%s are two Connect clusters, each with a connector %s, that share a ledger (%s): once the change %s is made on one of them, it "
                    "would count as made on both. %s." % (
                        both, connector, ledger, change_id, "Give each its own kafka_connect_ledger_file, or none and its kafka_connect_group" if by_file else
                        "Give each its kafka_connect_group, the group.id of its workers, or its own kafka_connect_ledger_topic"))
    return None


# --- the last look


def to_look_at(known: dict, check_mode: bool, has: dict) -> list:
    """The connectors of a cluster that are looked at once more after all changes; of a run that only verifies all that are fine."""
    found = outcome(dict(known, alive=True), check_mode)
    if not _is_worth(found["status"], check_mode, has):
        return []
    return [one["connector"] for one in found["connectors"] + found["planned"]]


def _is_worth(status: str, check_mode: bool, has: dict) -> bool:
    """Of what is looked at once more."""
    if not has["verifies"] or check_mode and has["changes"]:
        return False
    return status == "changed" if has["changes"] else status in ("ready", "would_change", "unchanged", "already_applied")


def failed(known: dict, host: str, check_mode: bool, has: dict) -> str:
    """Why a cluster has failed after all changes; empty if it has not."""
    return reason_of(_summed(host, known, outcome(known, check_mode), check_mode, has))


def reason_of(one: dict) -> str:
    """one: a cluster of the summary."""
    if one["status"] == "failed" or one["verdict"] == "fail":
        return one["error"] or one["reason"] or "The verification has failed; see above."
    return ""


def is_due(known: dict) -> bool:
    """Whether there is anything to change on a cluster."""
    return outcome(dict(known, alive=True), False)["status"] == "ready"


def health(connectors: list, seen, asks: bool, only_verifies: bool, host: str) -> dict:
    """``verdict`` (pass, fail, cannot_tell) and ``reason``, of connectors as in the summary. seen: the answer to the last look. A cluster that does not answer
    any more has failed.
    """
    bad = []
    by_name = {one["name"]: one for one in (seen or {}).get("connectors") or []}
    if asks and (seen is None or "connectors" not in seen):
        bad.append("The connectors of %s could not be looked at after the change: %s" % (host, (seen or {}).get("msg") or "no answer"))
    for one in connectors:
        now = by_name.get(one["connector"])
        if now is not None and "FAILED" in [now["state"], *(task["state"] for task in now["tasks"])]:
            traces = [now.get("trace"), *(task.get("trace") for task in now["tasks"])]
            bad.append("%s has failed: %s" % (one["connector"], "; ".join(trace.split("\n")[0] for trace in traces if trace)))
        if only_verifies and one["changed"]:
            bad.append("%s %s: %s to set, %s to remove, state %s" % (
                one["connector"], "lacks the change %s" % one["change_id"] if one["change_id"] else "is not as declared",
                plural(one["set"], "offset"), one["removed"], one["state_before"]))
    verdict = "fail" if bad else _verdict(one["verdict"] for one in connectors)
    if not asks and verdict == "pass":
        return {"verdict": "cannot_tell", "reason": "There is no worker to ask."}
    return {"verdict": verdict, "reason": " ".join(bad) or None}


def _verdict(verdicts) -> str:
    verdicts = list(verdicts)
    return next((word for word in ("fail", "cannot_tell") if word in verdicts), "pass")


# --- the summary


def summary(hosts: dict, config: dict, time: str, check_mode: bool, has: dict) -> dict:
    """Of the whole fleet. hosts: what is known of each, in the order in which they are changed."""
    clusters = {host: _summed(host, one, outcome(one, check_mode), check_mode, has) for host, one in hosts.items()}
    every = list(clusters.values())
    counts = {status: sum(one["status"] == status for one in every) for status in STATUSES}
    done = [connector for one in every for connector in one["connectors"]]
    missing = [set(one["missing"]) for one in hosts.values()]
    failed = {host: one["failure"] for host, one in hosts.items() if one["failure"]}
    given_up = [host for host, one in clusters.items() if one["error"] == _GIVEN_UP]
    ids = [connector["change_id"] for one in every for connector in one["connectors"] + one["planned"] if connector["change_id"]]
    return {
        "playbook": config["playbook"], "change_id": ids[0] if ids else None, "time": time, "check_mode": check_mode, "changes": has["changes"],
        "verifies": has["verifies"],
        "ok": not counts["failed"] and not counts["not_reached"] and all(one["verdict"] != "fail" for one in every),
        "counts": counts,
        "partitions": {"set": sum(one["set"] for one in done), "removed": sum(one["removed"] for one in done)},
        "order": list(clusters), "stopped_by": stopped_by(failed, config["max_fail_percentage"], given_up),
        "nowhere": sorted(set.intersection(*missing)) if missing else [],
        "clusters": clusters,
    }


def is_dry(of: dict) -> bool:
    """Whether a run has only shown what would change. of: its summary."""
    return of["check_mode"] or not of["changes"] and not of["verifies"]


def _summed(host: str, known: dict, one: dict, check_mode: bool, has: dict) -> dict:
    status, connectors, planned = one["status"], one["connectors"], one["planned"]
    if status == "ready" and has["changes"]:
        status = "not_reached"
        planned = [dict(entry, status="not_reached" if entry["changed"] else entry["status"]) for entry in planned]  # what was never begun is no count
    elif status == "ready":
        status = "would_change" if any(entry["changed"] for entry in planned) else "unchanged"
    elif status == "failed":
        planned = [dict(entry, status="failed") for entry in planned]
    if status in ("would_change", "unchanged", "already_applied"):
        # what was predicted is what there is to say
        connectors, planned = connectors + planned, []
    found = {"verdict": None, "reason": None}
    if _is_worth(status, check_mode, has):
        found = health(connectors, known["seen"], known["asks"], not has["changes"], host)
    return dict(one, status=status, connectors=connectors, planned=planned, verdict=found["verdict"], reason=found["reason"],
                methods=list(dict.fromkeys(entry["method"] for entry in connectors + planned if entry["method"])))


def artifacts(of: dict) -> dict:
    """What is passed on to the next job of a workflow, a name for each phase."""
    found = {}
    if is_dry(of):
        found["kafka_connect_check"] = of
    elif of["changes"]:
        found["kafka_connect_apply"] = of
    clusters = {host: {"verdict": one["verdict"], "reason": one["reason"]} for host, one in of["clusters"].items() if one["verdict"]}
    if clusters:
        verdict = _verdict(one["verdict"] for one in clusters.values())
        found["kafka_connect_verify"] = {
            "change_id": of["change_id"], "time": of["time"], "verdict": verdict if of["ok"] else "fail", "clusters": clusters}
    return found
