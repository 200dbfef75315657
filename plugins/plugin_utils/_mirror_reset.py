# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the role mirror_reset makes of its variables, and what of a reset verify_replay has to compare."""

from __future__ import annotations

import json

from ansible.module_utils.parsing.convert_bool import boolean

#: the parameters of a verification, and what they are where they are not given
_VERIFY = {"quiet": 10, "wait": 600, "by": "payload", "same_partitions": True, "max_missing": 0, "max_extra": 0, "max_repeated": 0}
#: more records than there can be
_ANY = 2 ** 53 - 1


def names(given) -> list:
    """A list, or its JSON text, or text with commas; each name once."""
    found = given or []
    if isinstance(found, str):
        found = json.loads(found) if found.strip().startswith("[") else found.split(",")
    stripped = [str(name).strip() for name in found]
    return list(dict.fromkeys(name for name in stripped if name))


def settings(verify, offset_syncs, phase: str, boundary_file: str) -> dict:
    """``verify`` (the parameters of a verification, None if there is to be none) and ``problem`` (why this cannot be, or None)."""
    try:
        parameters = _verify(verify)
    except (TypeError, ValueError):
        return {"verify": None, "problem": "mirror_reset_verify is true, false or a dictionary with %s, not %s." % (", ".join(_VERIFY), verify)}
    return {"verify": parameters, "problem": _problem(offset_syncs, phase, boundary_file)}


def _verify(given):
    """Raises TypeError, ValueError."""
    if isinstance(given, str) and given.strip().startswith("{"):
        given = json.loads(given)
    if not isinstance(given, dict):
        return dict(_VERIFY) if boolean(given or False) else None
    if set(given) - set(_VERIFY):
        raise ValueError
    found = dict(_VERIFY, **given)
    numbers = {name: int(found[name]) for name, value in _VERIFY.items() if isinstance(value, int) and not isinstance(value, bool)}
    return dict(found, same_partitions=boolean(found["same_partitions"]), **numbers)


def _problem(offset_syncs, phase, boundary_file):
    try:
        deletes = boolean(offset_syncs or False)
    except TypeError:
        # Recipes that are to be found on the web, and do harm: see the guide "Resetting a mirror".
        return ("mirror_reset_offset_syncs is true or false, not %s: the topic is deleted while the mirror is stopped, or it stays. Tombstones on it stop the "
                "translation of consumer groups, as MirrorMaker cannot read them, and no broker removes records of a compacted topic." % offset_syncs)
    if phase == "finish" and deletes:
        return ("mirror_reset_offset_syncs cannot go with mirror_reset_phase: finish, which is for a mirror that runs: it would write on into a topic that is "
                "gone.")
    if phase == "finish" and not boundary_file:
        return ("mirror_reset_phase: finish needs mirror_reset_boundary_file, the file that the reset has written, which says where source and target ended.")
    return None


def obstacle(boundary: dict, kafka_options) -> str | None:
    """Why the copies cannot be compared with the source; None if they can. kafka_options: of verify_replay, by cluster."""
    source, cluster = boundary["source"], boundary["source_cluster"]
    if not all(topic["target"] for topic in boundary["topics"].values()):
        return ("How %s calls its copies is not known: its replication.policy.class is not Kafka's own, or its configuration cannot be read. So "
                "mirror_reset_verify has to be false." % boundary["mirror"])
    if not cluster:
        return ("For mirror_reset_verify it has to be known how to reach the source %s: name it in mirror_reset_source_clusters (or "
                "kafka_connect_source_clusters)." % source)
    if cluster["security_protocol"] != "PLAINTEXT" and source not in (kafka_options or {}):
        return ("The source %s requires a login or TLS: give the same to Spark as options of Kafka's Java client, in verify_replay_kafka_options.%s." % (
            source, source))
    return None


def expectation(boundary: dict, verify: dict, own: str, flows: list, copies: list) -> dict:
    """What verify_replay has to compare: each copy, from its boundary on, with the source from the new position on.

    own: the name of the target among the clusters of verify_replay. flows: of mirror_info, after the copies became quiet; copies: the topics of
    topic_offsets_info then. Both are empty where the reset is only predicted.

    Nothing is compared with a moving end. Where the source went on since it was stopped, all that was there then has to be in the copy, and the copy may
    have nothing that is not there by now.
    """
    ends = {(row["topic"], str(row["partition"])): row["end"] for flow in flows for row in flow["partitions"] if row["end"] is not None}
    after = {topic["name"]: topic["partitions"] for topic in copies}
    topics, checks = {}, []
    for name, topic in sorted(boundary["topics"].items()):
        known = topic["partitions"]
        until = {number: max(one["end"], one["next"]) for number, one in known.items()}
        now = {number: max(ends.get((name, number), 0), until[number]) for number in known}
        if not any(now[number] > one["next"] for number, one in known.items()):
            continue  # nothing was to be copied
        copy = {number: _bounds(one["boundary"], one["boundary"]) for number, one in known.items()}
        for one in after.get(topic["target"], []):
            begin = known.get(str(one["partition"]), {"boundary": 0})["boundary"]
            copy[str(one["partition"])] = _bounds(begin, max(begin, one["end"]))
        cluster = boundary["source"]
        topics["source." + name] = {"cluster": cluster, "topic": name, "partitions": {n: _bounds(one["next"], now[n]) for n, one in known.items()}}
        topics["copy." + name] = {"cluster": own, "topic": topic["target"], "partitions": copy}
        check = dict({what: verify[what] for what in ("same_partitions", "by", "max_missing", "max_extra", "max_repeated")},
                     type="mirror", topic="copy." + name, source="source." + name)
        if now == until:
            checks.append(check)
            continue
        topics["until." + name] = {"cluster": cluster, "topic": name, "partitions": {n: _bounds(one["next"], until[n]) for n, one in known.items()}}
        checks += [dict(check, max_missing=_ANY), dict(check, source="until." + name, max_extra=_ANY, max_repeated=_ANY)]
    return {"version": 1, "change_id": boundary["change_id"] or boundary["mirror"],
            "clusters": {boundary["source"]: {"bootstrap.servers": boundary["source_cluster"]["bootstrap_servers"]}}, "topics": topics, "checks": checks}


def _bounds(start: int, end: int) -> dict:
    return {"start": start, "boundary": start, "end": end}


def next_step(made: dict) -> str:
    """How to go on with a mirror that does not run. made: of the module mirror_reset."""
    dedicated = all(one["state"] is None for one in made["connectors"])
    return ("%s %s. To wait until it has caught up, and to verify if mirror_reset_verify is set, run this again with mirror_reset_phase: finish and "
            "mirror_reset_boundary_file: %s" % (
                made["mirror"], "has no node that runs: start all of them" if dedicated else "was not running, and was left so: start it",
                made["boundary_file"]))


def result(preview: dict, made: dict, finished: dict, job: dict) -> dict:
    """What the role returns. preview, made, finished: of the module mirror_reset, job: of verify_replay. A task that was skipped has nothing of it."""
    of = next(one for one in (made, preview, finished) if "mirror" in one)
    found = {name: of[name] for name in ("mirror", "changed", "connectors", "topics", "deleted", "emptied", "runs", "boundary_file")}
    files = job.get("files") or {}
    verification = {"verdict": job["verdict"], "page": files.get("page"), "report": files.get("report")} if job.get("verdict") else None
    return dict(found, left=finished.get("left"), verification=verification)
