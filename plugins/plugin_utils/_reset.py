# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The role reset_offsets between its variables and the module connector_offsets_bulk: what is declared, what was predicted, what became of it.

An entry is what is declared of one connector: the options of the module, with ``seed``, ``final_state`` (found, started, paused or stopped) and
``verify`` (None, or topics, checks, since, quiet, wait, expectation and put_back). States are those of ``final_state``; a connector that does not
exist is ``gone``, and where no worker can be asked ``unknown``.
No decision rests on a number or a path in a result: a short password would be masked inside it.
"""

from __future__ import annotations

import json
import re
from urllib.parse import quote

import yaml
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position_check import BAD
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._given import is_true

FINAL_STATES = ("found", "started", "paused", "stopped")
FIELDS = ("name", "state", "offsets", "src", "reset_to", "topics", "consumer_group", "purge", "raw_keys", "key_order", "seed", "final_state", "verify",
          "change_id", "max_rewind", "max_skip", "direction", "force", "accept_duplicates")
#: former name of a field -> its name
_FORMER = {"only": "direction"}
VERIFY_FIELDS = ("topics", "checks", "since", "quiet", "wait", "expectation", "put_back")

_EXAMPLE = ('[{"name": "orders-sink", "offsets": [{"partition": {"kafka_topic": "orders", "kafka_partition": 3}, "offset": {"kafka_offset": 1043}}]}]')
_NOTHING = ("File of the change (reset_offsets_change) and Connectors (reset_offsets_connectors) are both empty: one of them says what to change.")
_NO_LIST = ("Connectors (reset_offsets_connectors) is no list of connectors, each a dictionary with its own name, such as %s" % _EXAMPLE)
_UNREADABLE = "Line %d, column %d of Connectors (reset_offsets_connectors) cannot be read: %s. It is a list as JSON or YAML, such as %s"
_UNUSABLE = (
    "This entry of reset_offsets_connectors cannot be used: %s. It needs a name, its fields are " + ", ".join(FIELDS) +
    ", state present needs offsets, src or reset_to, raw_keys is a list, change_id is text, state restored needs one, and final_state is one of " +
    ", ".join(FINAL_STATES) + ". To reset a connector wholly leave the fields offsets and raw_keys out.")
_UNVERIFIABLE = ("verify of %s cannot be used: %s. Its fields are " + ", ".join(VERIFY_FIELDS) +
                 "; topics (names) and checks are lists that are needed, quiet and wait are seconds.")
_IN_COMMON = ("method", "method_reason", "offset_topic", "offset_file", "consumer_group", "counts", "already_applied", "change", "position")
_STATES = {"STOPPED": "stopped", "PAUSED": "paused"}
_SHOWN_STATES = ("RUNNING", "PAUSED", "STOPPED", "FAILED", "UNASSIGNED", "RESTARTING", None)


# ---- what is declared ----------------------------------------------------------------------------------------------------


def declared(given, change_id: str = "", final_state: str = "found") -> dict:
    """``connectors``, the entries, and ``error``, empty if they can be used. given: a list, or its JSON or YAML text; empty text means "not given".

    change_id, final_state: of entries without their own.
    """
    try:
        listed = _parsed(given) if isinstance(given, str) else given
    except (ValueError, yaml.YAMLError) as error:
        return {"connectors": [], "error": _UNREADABLE % (*_place(error), _EXAMPLE)}
    if listed in (None, "", []):
        return {"connectors": [], "error": _NOTHING}
    if not _is_list(listed):
        return {"connectors": [], "error": _NO_LIST}
    listed = [_by_name(one) for one in listed]
    found = [_problem(one, change_id, final_state) for one in listed]
    errors = [text for text in found if text]
    return {"connectors": [] if errors else [_entry(one, change_id, final_state) for one in listed], "error": " ".join(errors)}


def _parsed(text: str):
    """JSON is read as JSON: YAML 1.1 takes some of its numbers and escapes for something else."""
    return json.loads(text) if re.match(r'\s*\[\s*\{\s*"', text) else yaml.safe_load(text)


def _place(error) -> tuple:
    """Line, column and what is wrong there, without the text itself, as a template in it would be shown as one. error: of JSON or of YAML."""
    if isinstance(error, json.JSONDecodeError):
        return error.lineno, error.colno, error.msg
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark else 1, mark.column + 1 if mark else 1, getattr(error, "problem", None) or getattr(error, "reason", None) or "no YAML"


def _is_list(listed) -> bool:
    if not isinstance(listed, (list, tuple)) or not listed or not all(isinstance(one, dict) and "name" in one for one in listed):
        return False
    return len({str(one["name"]) for one in listed}) == len(listed)


def _by_name(one: dict) -> dict:
    """The same entry, each field by its name; of two names for one field the former one is as unknown as a typing mistake."""
    return {name if _FORMER.get(name, name) in one else _FORMER.get(name, name): value for name, value in one.items()}


def _problem(one: dict, change_id, final_state) -> str:
    """A typing mistake in a field's name must not be taken for "not given"."""
    if not _is_usable(one, change_id, final_state):
        return _UNUSABLE % _shown(one)
    return "" if _is_verifiable(one.get("verify")) else _UNVERIFIABLE % (one["name"], _shown(one["verify"]))


def _is_usable(one: dict, change_id, final_state) -> bool:
    state, own_id, text = one.get("state") or "present", one.get("change_id") or "", one.get("offsets")
    if not (isinstance(one["name"], str) and one["name"]) or set(one) - set(FIELDS) or not isinstance(own_id, str):
        return False
    if (one.get("final_state") or final_state) not in FINAL_STATES or isinstance(one.get("raw_keys") or [], str):  # a key holds commas
        return False
    if state == "absent":  # an empty value is more likely a mistake than the declaration to reset everything
        return all(name not in one or one[name] for name in ("offsets", "raw_keys"))
    if state == "restored":
        return bool(own_id or change_id)
    has_offsets = text is not None and (not isinstance(text, str) or bool(text.strip()))
    return bool(state != "present" or has_offsets or one.get("src") or one.get("reset_to"))


def _is_verifiable(given) -> bool:
    if not given:
        return True
    if not isinstance(given, dict) or set(given) - set(VERIFY_FIELDS) or not given.get("topics") or not isinstance(given.get("expectation") or {}, dict):
        return False
    checks = given.get("checks")
    return isinstance(checks, (list, tuple)) and bool(checks) and all(_seconds(given.get(name), 1) > 0 for name in ("quiet", "wait"))


def _shown(given) -> str:
    return json.dumps(given, default=str)


def _seconds(given, default: int) -> int:
    try:
        return default if given in (None, "") else int(given)
    except (TypeError, ValueError):
        return 0


def _entry(one: dict, change_id, final_state) -> dict:
    offsets = one.get("offsets")
    text = isinstance(offsets, str)
    return {
        "name": one["name"],
        "state": one.get("state") or "present",
        "offsets": None if text else offsets,
        "content": offsets if text and offsets.strip() else None,
        **{name: one.get(name) or None for name in ("src", "reset_to", "topics", "direction", "consumer_group", "raw_keys", "key_order")},
        **{name: one.get(name) for name in ("max_rewind", "max_skip")},
        **{name: is_true(one.get(name)) for name in ("purge", "force", "accept_duplicates", "seed")},
        "change_id": one.get("change_id") or change_id or None,
        "final_state": one.get("final_state") or final_state,
        "verify": _verify(one["verify"]) if one.get("verify") else None,
    }


def _verify(given: dict) -> dict:
    topics = given["topics"]
    return {
        "topics": topics.split(",") if isinstance(topics, str) else list(topics),
        "checks": list(given["checks"]),
        "since": str(given["since"]) if given.get("since") else None,
        "quiet": _seconds(given.get("quiet"), 10),
        "wait": _seconds(given.get("wait"), 600),
        "expectation": given.get("expectation") or {},
        "put_back": is_true(given.get("put_back")),
    }


# ---- what the module is asked for ----------------------------------------------------------------------------------------


def options(entries: list, predicted: list | None = None) -> list:
    """The option ``connectors`` of the module. predicted: then a state that is the one found is put back as such, so that the ledger knows it."""
    return [_options(one, (predicted or [None] * len(entries))[number]) for number, one in enumerate(entries)]


def _options(one: dict, seen) -> dict:
    found = {name: value for name, value in one.items() if name not in ("seed", "verify") and value is not None}
    if seen and seen["state"] == seen["state_before"]:
        found["final_state"] = "found"
    if one["verify"]:
        found["boundaries"] = {name: one["verify"][name] for name in ("topics", "since", "quiet", "wait") if one["verify"][name] is not None}
    return found


# ---- what was predicted --------------------------------------------------------------------------------------------------


def predicted(seen: list, entries: list) -> dict:
    """``connectors``, in the shape of the role's results, with ``todo`` (is there anything to do, be it a note in the ledger?); ``label``, for the name
    of a file with what is replaced; and ``error``, why connectors cannot be changed. seen: the connectors that the module has returned in check mode.
    """
    errors = [_unfit(one, entry) for one, entry in zip(seen, entries)]
    found = [_predicted(one, entry) for one, entry in zip(seen, entries)]
    names = [one["connector"] for one in found if one["todo"]]
    label = quote(names[0], safe="")[:100] if len(names) == 1 else "%d-connectors" % len(names)
    return {"connectors": found, "label": label, "error": " ".join(dict.fromkeys(filter(None, errors)))}


def _found(one: dict) -> str:
    if one["connector"] is None:
        return "unknown" if one["connector_exists"] is None else "gone"
    return _STATES.get(one["state_before"], "started")


def _has_changes(one: dict) -> bool:
    return bool(one["actions"]) and one["actions"][0]["action"] != "keep"


def _predicted(one: dict, entry: dict) -> dict:
    found, change = _found(one), one["change"]
    final = found if entry["final_state"] == "found" else entry["final_state"]
    is_over = one["already_applied"] or entry["state"] == "restored" and change is not None and change["phase"] == "restored"
    noted = not entry["change_id"] or change is not None and change["state_to_restore"] is None and is_over
    return dict(_result(one), connector=entry["name"], changed=one["changed"], todo=one["changed"] or not noted, state_before=found, state=final,
                change_id=entry["change_id"], backup_file=None, verification=None)


def _result(one: dict) -> dict:
    """What a prediction and a change have in common."""
    return {
        **{name: one[name] for name in _IN_COMMON},
        "actions": [action for action in one["actions"] if action["action"] != "keep"],
    }


def _unfit(one: dict, entry: dict) -> str:
    state = one["connector"]["state"] if one["connector"] is not None else None
    if state not in _SHOWN_STATES or one["state_before"] not in _SHOWN_STATES or {action["action"] for action in one["actions"]} - {"set", "remove", "keep"}:
        return ("Ansible masks words such as STOPPED in what the modules return, because a password or token is a part of them. Choose a longer secret.")
    name, final, unknown = entry["name"], entry["final_state"], one["connector_exists"] is None
    if one["connector"] is None and (final != "found" or not (unknown or entry["state"] in ("absent", "restored") or entry["seed"])):
        return "%s %s. If the name is right, its offsets alone can be changed: with final_state: found%s." % (
            "There is no worker to query for the connector" if unknown else "There is no connector", name,
            "" if unknown else ", and, to set them for one that is created later, seed: true")
    if entry["verify"] and (one["connector"] is None or final in ("paused", "stopped") or final == "found" and one["state_before"] in _STATES):
        return ("verify of %s looks at what the connector delivers after the change, but it will not run then: it is %s, and final_state is %s."
                % (name, one["state_before"] or "not there", final))
    return ""


# ---- the verification ----------------------------------------------------------------------------------------------------


def proof(made: dict, entries: list, replay_topics, predicts: bool) -> dict:
    """What the Spark job is to prove of all of them: ``expectation``, its document; ``connectors``, {name: the numbers of its checks}, empty if there is
    nothing to prove; ``unread``, {name: why the ends of its topics are not known}; ``error``, why that cannot be one document.

    made: what the module has returned. predicts: it has changed nothing, so that there is no end after the change yet. replay_topics(boundary, after,
    start): topics and cluster_ids.
    """
    document: dict = {"version": 1, "topics": {}, "checks": []}
    found: dict = {"connectors": {}, "unread": {}, "error": ""}
    owners: dict = {}
    for one, entry in zip(made.get("connectors") or [], entries):
        bounds = (one or {}).get("boundaries")
        if not entry["verify"] or not bounds or entry["name"] in (made.get("failed_connectors") or {}):
            continue
        try:
            if bounds["after"] is None and not predicts:
                raise DeclarationError("The ends of its topics after the change could not be read, see the warnings.")
            expectation = _expectation(entry["verify"], bounds, replay_topics)
        except DeclarationError as error:
            found["unread"][entry["name"]] = error.message
            continue
        found["error"] = found["error"] or _obstacle(document, expectation, entry["name"], owners, bool(found["connectors"]))
        first = len(document["checks"])
        _take(document, expectation)
        found["connectors"][entry["name"]] = list(range(first, len(document["checks"])))
    names = list(found["connectors"])
    if len(names) > 1:
        document["connectors"] = found["connectors"]
    document.setdefault("change_id", _report_id(names, entries))
    return dict(found, expectation=document)


def _report_id(names: list, entries: list) -> str:
    """What the report is about: the change, if all of these connectors have the same change_id; else the connector, or how many there are."""
    ids = {entry["change_id"] for entry in entries if entry["name"] in names}
    if len(ids) == 1 and None not in ids:
        return ids.pop()
    return names[0] if len(names) == 1 else "%d-connectors" % len(names)


def _obstacle(document: dict, expectation: dict, name: str, owners: dict, has_others: bool) -> str:
    """Why a connector cannot be verified together with others. owners: {(cluster, topic): the connector that delivers to it}, completed here."""
    for topic in _delivers_to(expectation):
        other = owners.setdefault(topic, name)
        if other != name:
            return ("verify of %s and of %s look at the same topic, %s, where the records of one cannot be distinguished from those of the other. "
                    "Change them in two runs." % (other, name, topic[1]))
    field = _contradicted(document, expectation) if has_others else ""
    return ("verify of %s and of another connector contradict each other in %s, which is one for the whole job. Change them in two runs." % (
        name, field)) if field else ""


def _delivers_to(expectation: dict) -> set:
    """(cluster, topic) that its checks look at; progress tells the connectors on a topic apart by itself."""
    topics = [expectation["topics"].get(check.get("topic")) for check in expectation["checks"] if isinstance(check, dict) and check.get("type") != "progress"]
    return {(topic.get("cluster"), topic.get("topic")) for topic in topics if isinstance(topic, dict)}


def _expectation(verify: dict, bounds: dict, replay_topics) -> dict:
    """In check mode, and where the ends after the change could not be read, those at the stop are all that there is."""
    made = replay_topics(bounds["stopped"], bounds["after"] or bounds["stopped"], start="by_time" if verify["since"] else "begin")
    return _merged(dict(made, checks=verify["checks"]), verify["expectation"])


def _merged(one: dict, other: dict) -> dict:
    merged = dict(one)
    for name, value in other.items():
        both = isinstance(merged.get(name), dict) and isinstance(value, dict)
        merged[name] = _merged(merged[name], value) if both else value
    return merged


def _contradicted(document: dict, expectation: dict) -> str:
    """The field that two connectors need to be different; what is not said has its default."""
    for field in sorted((set(document) | set(expectation)) - {"topics", "checks"}):
        one, other = document.get(field), expectation.get(field)
        if isinstance(one or {}, dict) and isinstance(other or {}, dict):
            one, other = one or {}, other or {}
            if any(one[key] != other[key] for key in set(one) & set(other)):
                return field
        elif field != "version" and one != other:
            return field
    return ""


def _take(document: dict, expectation: dict) -> None:
    """A topic of which two connectors expect different things, such as another start, gets a second name."""
    names = {}
    for name, topic in expectation["topics"].items():
        alias, number = name, 1
        while document["topics"].get(alias, topic) != topic:
            number += 1
            alias = "%s-%d" % (name, number)
        names[name] = alias
        document["topics"][alias] = topic
    for field, value in expectation.items():
        if field not in ("topics", "checks"):
            document[field] = _merged(document.get(field) or {}, value) if isinstance(value, dict) else value
    document["checks"] = document["checks"] + [_renamed(check, names) for check in expectation["checks"]]


def _renamed(check, names: dict):
    """topic and source are the fields of a check that name topics of the document."""
    if not isinstance(check, dict):
        return check  # which the job refuses
    return {field: names.get(value, value) if field in ("topic", "source") else value for field, value in check.items()}


def verdicts(asked: dict, job: dict) -> dict:
    """{connector: ``verdict``, ``page`` and ``report``, and ``error``, why it is not proven; empty if it is}. asked: as of proof().

    job: what the module verify_replay has returned, also where it has failed; empty if it has not run.
    """
    broke = not job or job.get("verdict") in (None, "error")
    by_number = [] if broke else [check["verdict"] for check in job.get("checks") or (job.get("report") or {}).get("checks") or []]
    files, error = job.get("files") or {}, job.get("msg") or ""
    enough = ("pass", "cannot_tell") if asked["expectation"].get("cannot_tell") == "pass" else ("pass",)
    found = {name: {"verdict": "error", "page": None, "report": None, "error": reason} for name, reason in asked["unread"].items()}
    for name, numbers in asked["connectors"].items():
        verdict = _verdict([by_number[number] for number in numbers if number < len(by_number)], len(numbers))
        found[name] = {"verdict": verdict, "page": files.get("page"), "report": files.get("report"), "error": "" if verdict in enough else error}
    return found


def _verdict(words: list, count: int) -> str:
    """Nothing that is unclear becomes a pass."""
    if len(words) < count or not set(words) <= {"pass", "fail", "cannot_tell"}:
        return "error"
    return next((word for word in ("fail", "cannot_tell") if word in words), "pass")


def undo(entries: list, made: dict, found: dict, backup_file: str) -> list:
    """What the option ``connectors`` of the module holds for each that is changed, and has to be put back: it is not proven, or has failed after the change.
    found: as verdicts() has made it.

    By the ledger where it knows the change, else by the backup; what was there before may be outside of a sink's log. What another run has taken over is left.
    """
    listed = []
    for one, entry in zip(made.get("connectors") or [], entries):
        name = entry["name"]
        failed = name in (made.get("failed_connectors") or {}) and name not in (made.get("left_alone") or []) and not _is_elsewhere(one)
        if not one or not _puts_back(entry) or not (failed or found.get(name, {}).get("error")) or not _has_changes(one):
            continue
        by_ledger = entry["change_id"] and one["change"] is not None and not one["already_applied"]
        way = {"state": "restored", "change_id": entry["change_id"]} if by_ledger else {"src": backup_file, "purge": True, "accept_duplicates": True}
        listed.append(dict({"name": name, "force": True, "final_state": _found(one)},
                           **way, **({"consumer_group": entry["consumer_group"]} if entry["consumer_group"] else {})))
    return listed


def _is_elsewhere(one) -> bool:
    """Has it failed because it does not go on from the declared offsets? Old ones would change nothing of that."""
    return bool(one and one["position"] and one["position"]["verdict"] in BAD)


def _puts_back(entry: dict) -> bool:
    """An undo is not undone."""
    return bool(entry["verify"] and entry["verify"]["put_back"] and entry["state"] != "restored")


# ---- what became of it ---------------------------------------------------------------------------------------------------


def results(seen: list) -> list:
    """Where nothing was to do, the prediction is the result. seen: as predicted() has made them."""
    return [{name: value for name, value in one.items() if name != "todo"} for one in seen]


def outcome(made: dict, seen: list, entries: list, asked: dict, found: dict, undone: dict, backup_file: str) -> dict:
    """``results``, in the order of the list, and ``error``, empty if all is as declared.

    made: what the module has returned for the change. seen: as predicted() has made them. asked, found: as proof() and verdicts() have made them.
    undone: {connector: what the module has returned when it was put back}.
    """
    failed, done = made.get("failed_connectors") or {}, made.get("connectors") or []
    errors = ["The change of %s failed: %s" % (name, message) + _put_back_after(name, undone, made, backup_file) for name, message in failed.items()]
    if made.get("msg") and not failed:
        errors.append("%s The offsets before are in %s, if the module has come as far as to change them." % (made["msg"], backup_file))
    listed = []
    for number, (before, entry) in enumerate(zip(results(seen), entries)):
        one, name = done[number] if number < len(done) else None, entry["name"]
        if not one or name in failed:
            continue
        known = dict(before, **_result(one), changed=one["changed"], backup_file=backup_file if one["backup_file"] is not None else None,
                     state_before=_found(one), state=_found(one) if entry["final_state"] == "found" else entry["final_state"])
        proven = found.get(name)
        if proven:
            known["verification"] = {field: proven[field] for field in ("verdict", "page", "report")}
        if proven and proven["error"]:
            errors.append(_unproven(entry, known, proven["error"], undone.get(name), backup_file))
        if name not in undone:
            listed.append(known)
    return {"results": listed, "error": " ".join(errors + [asked["error"]] * bool(asked["error"]))}


def _unproven(entry: dict, known: dict, error: str, undone, backup_file: str) -> str:
    """undone: None: the change stays."""
    name, before = entry["name"], _where_before(entry, backup_file)
    if undone is None:
        return ("The offsets of %s were changed as declared and stay so, it is %s, but the verification did not succeed: %s The offsets before the change are "
                "in %s." % (name, known["state"], error, before))
    if _is_undone(undone):
        return "The change of %s failed, and offsets and state (%s) are as they were: %s" % (name, known["state_before"], error)
    return ("The change of %s failed (%s), and rolling it back failed as well (%s). The offsets before the change are in %s; the playbook restore_offsets "
            "restores them." % (name, error, undone.get("msg"), before))


def _where_before(entry: dict, backup_file: str) -> str:
    return "the ledger, as those of the change %s" % entry["change_id"] if entry["change_id"] else backup_file


def _is_undone(undone: dict) -> bool:
    """Also where the connector fails again with its old offsets, as it may have done before."""
    return not undone.get("failed") or any(undone.get("connectors") or [])


def _put_back_after(name: str, undone: dict, made: dict, backup_file: str) -> str:
    """What has become of a connector that failed after its change, and kept it."""
    if name in undone:
        return " It was rolled back: its offsets are as they were." if _is_undone(undone[name]) else (
            " Rolling it back failed as well (%s). The offsets before the change are in %s." % (undone[name].get("msg"), backup_file))
    kept = any(one and one["name"] == name and _has_changes(one) for one in made.get("connectors") or [])
    return " The offsets before the change are in %s." % backup_file if kept else ""
