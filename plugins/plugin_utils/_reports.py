# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The reports of clusters for people. ``most``: how many lines each list has, 0 for all of them."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatchcase

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean, plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import WIDTH, clean, first_of, fit, more, table, wrapped

_NOTHING = ["(nothing)"]

#: what is reported -> the fields of a module's answer that the report of a cluster has, by what they are without an answer
_FIELDS = {
    "offsets": {"method": None, "method_reason": None, "topic": None, "lag": None, "connectors": [], "orphaned_groups": None,
                "orphaned_groups_count": None},
    "changes": {"ledger": None, "where": None, "counts": {}, "changes": []},
    "mirrors": {"flows": []},
}
#: the field that only an answer has
_ANSWERED = {"offsets": "connectors", "changes": "changes", "mirrors": "flows"}

#: kind of oddity on the offsets topic -> what it is, what to do
_ODDITIES = {
    "split": ("the same key on several topic partitions",
              "Which one a worker loads after a restart is not certain. Set the offset (connector_offsets, method: topic): it is written to all of them."),
    "encodings": ("several spellings of a key; the connector reads one, * is the likely one",
                  "Set the offset (connector_offsets writes all of them), or remove the others by raw_keys."),
    "foreign": ("a spelling of the key that no worker of today uses (written by hand, by another tool, or an old worker)",
                "A worker that spells it otherwise does not find it. Remove it by raw_keys; if no other spelling is there, list the partition with state: "
                "absent."),
    "order": ("fields in another order than that which REST builds",
              "Nothing is wrong for the connector. Do not change it by REST; connector_offsets takes the topic by itself."),
    "stray_tombstone": ("a tombstone for the same key on another topic partition",
                        "A worker that restarts may find no offset until compaction has removed the tombstone. Set the offset (connector_offsets, "
                        "method: topic): it is written over the tombstone as well."),
}


def report(answers: dict, kind: str, time: str, most: int, asked: list | None = None) -> dict:
    """Of all clusters: ``text`` for people, ``documents`` by host, one ``document`` of all, ``errors`` of those that have not answered, by host.

    answers: host -> what the module has returned, or its failure; kind: offsets, connectors, changes, mirrors; asked: names of connectors.
    """
    if kind == "connectors":
        document = connectors(answers, asked or [], time)
        lines, clusters = connectors_lines(document, most), document["clusters"]
    else:
        clusters = {host: _of_host(host, answer, kind, time) for host, answer in answers.items()}
        document = offsets_total(clusters, time) if kind == "offsets" else {"time": time, "clusters": clusters}
        show = {"offsets": offsets, "changes": changes, "mirrors": mirrors}[kind]
        lines = _joined([show(one, most) for one in clusters.values()])
        if kind == "offsets" and len(clusters) > 1:
            lines += ["", *offsets_total_lines(document)]
    return {"text": "\n".join(lines), "document": document, "documents": clusters,
            "errors": {host: one["error"] for host, one in clusters.items() if one["error"] is not None}}


def _of_host(host: str, answer: dict, kind: str, time: str) -> dict:
    fields = _FIELDS[kind]
    found = {"host": host, "time": time, "error": None if _ANSWERED[kind] in answer else answer.get("msg") or "no answer"}
    found.update({name: answer.get(name, empty) for name, empty in fields.items()})
    if kind == "offsets":
        found["orphans"] = [one["name"] for one in found["connectors"] if one["connector_exists"] is False]
    return found


def _joined(blocks: list) -> list[str]:
    """With an empty line in between."""
    lines: list = []
    for block in blocks:
        lines += [""] * bool(lines) + block
    return lines


def _no_report(report: dict) -> list[str]:
    return [report["host"] + ": NO REPORT", *wrapped(report["error"], first="  ")]


def _flat(value) -> str:
    """A partition or an offset on one line: name=value name=value."""
    if not value or not isinstance(value, dict):
        return clean(value if isinstance(value, str) and value else json.dumps(value))
    return " ".join(clean("%s=%s" % (name, item if isinstance(item, str) else json.dumps(item))) for name, item in value.items())


# --- the offsets of a cluster


def offsets(report: dict, most: int) -> list[str]:
    """Of one cluster: what connector_offsets_info gives of all connectors, with ``host``, ``error`` and ``orphans``."""
    if report["error"] is not None:
        return _no_report(report)
    connectors, topic = report["connectors"], report["topic"]
    bad = topic["unreadable_records"] if topic else []
    rows = [["CONNECTOR", "STATE", "PARTITIONS", "ANOMALIES", "NEWEST OFFSET" + (", OR LAG" if report["lag"] is not None else "")]]
    rows += [[fit(one["name"], 36), _state(one), one["offsets_count"], fit(_odd(one), 30), _sample(one)] for one in connectors[:most or None]]
    lines = [*wrapped(_headline(report)), "", *table(rows, right=(2,)), *more(len(connectors), most), *([] if connectors else _NOTHING)]
    lines += _idle(connectors, most) + _orphans(report, most) + _groups(report, most)
    for kind in _ODDITIES:
        lines += _of_kind(connectors, kind, most)
    lines += _unreadable(connectors, bool(topic), most) + _bad_keys(topic, bad, most)
    odd = any(one["anomalies"] for one in connectors)
    if odd or bad:
        lines += ["", "0@812 is record 812 of topic partition 0%s." % (", * the one that counts" if odd else "")]
    return lines


def _headline(report: dict) -> str:
    topic, connectors = report["topic"], report["connectors"]
    if report["method"] == "file":
        where = "file %s, %s" % (topic["name"], plural(topic["key_count"], "key"))
    elif topic:
        where = "topic %s, %s" % (topic["name"], ", ".join(
            plural(topic[number], word) for number, word in (("partitions", "partition"), ("records", "record"), ("key_count", "key"))))
    else:
        where = "by REST, as no brokers are given: nothing is known of gone connectors and of anomalies"
    return "".join([
        "%s: %s; %s" % (report["host"], where, plural(len(connectors), "connector")),
        ", %d gone" % len(report["orphans"]) if report["orphans"] else "",
        ", sinks have %s to read" % plural(report["lag"], "record") if report["lag"] is not None else "",
        " (no worker was queried, so whether they exist is not known)" if any(one["connector_exists"] is None for one in connectors) else "",
    ])


def _state(one: dict) -> str:
    if one["connector"]:
        return "%(type)s %(state)s" % one["connector"]
    return "unknown" if one["connector_exists"] is None else "gone"


def _odd(one: dict) -> str:
    counts = {kind: sum(kind in oddity["kinds"] for oddity in one["anomalies"]) for kind in _ODDITIES}
    found = ["%d %s" % (number, kind) for kind, number in counts.items() if number]
    if one["unreadable_count"]:
        found.append("%d unreadable" % one["unreadable_count"])
    if one["unreadable_records"]:
        found.append(plural(len(one["unreadable_records"]), "bad key"))
    return ", ".join(found) or "-"


def _sample(one: dict) -> str:
    if _group_is_seen(one):
        group = one["group"]
        return "%s, group %s %s with %s" % ("lag %d" % one["lag"] if one["offsets_count"] else "no offset", group["name"], group["state"] or "not known",
                                            plural(len(group["members"]), "member"))
    newest = one["newest"] or next(iter(one["offsets"]), None)
    return "%s -> %s" % (_flat(newest["partition"]), _flat(newest["offset"])) if newest else "-"


def _group_is_seen(one: dict) -> bool:
    """Of a sink, if brokers are asked."""
    return one["group"] is not None and one["group"]["members"] is not None


def _idle(connectors: list, most: int) -> list[str]:
    idle = [one for one in connectors if _group_is_seen(one) and one["connector"] and one["connector"]["state"] == "STOPPED"]
    if not idle:
        return []
    lines = ["  %s: %s" % (fit(one["name"], 50), "%s, lag %d" % (plural(one["offsets_count"], "partition"), one["lag"]) if one["offsets_count"]
                           else "no offset (any more), it begins where auto.offset.reset says") for one in idle]
    return ["", "STOPPED: %s. The brokers delete the offsets of a group without members after offsets.retention.minutes." % plural(len(idle), "sink"),
            "  Start %s in time, or begin anew where auto.offset.reset says; a backup keeps the numbers." % ("it" if len(idle) == 1 else "them"),
            *first_of(lines, most)]


def _orphans(report: dict, most: int) -> list[str]:
    gone = [one for one in report["connectors"] if one["name"] in report["orphans"]]
    if not gone:
        return []
    return ["", "GONE: %s %s not exist, but the offsets do. A new connector of such a name goes on from them." % (
                plural(len(gone), "connector"), "does" if len(gone) == 1 else "do"),
            "  Where none will come: reset_offsets with state: absent for that name.",
            *first_of(["  %s: %s" % (fit(one["name"], 70), plural(one["offsets_count"], "partition")) for one in gone], most)]


def _groups(report: dict, most: int) -> list[str]:
    groups = report["orphaned_groups"]
    if not groups:
        return []
    count = report["orphaned_groups_count"]
    lines = ["  %s: %s, lag %s" % (fit(one["group"], 70), plural(one["offsets_count"], "partition"), one["lag"]) for one in groups]
    return ["", *wrapped("GROUPS: %s with offsets and without members, named as if of a sink that is not here." % plural(count, "consumer group")),
            *wrapped("A guess by the name: another Connect cluster on the same brokers may have that sink. Where none has, and none will: reset_offsets "
                     "with state: absent and reset_offsets_method: group.", first="  "),
            *lines[:most or None], *more(count, most)]


def _of_kind(connectors: list, kind: str, most: int) -> list[str]:
    hits = [(one, oddity) for one in connectors for oddity in one["anomalies"] if kind in oddity["kinds"]]
    if not hits:
        return []
    what, to_do = _ODDITIES[kind]
    lines = ["", *wrapped("%s: %s, %s." % (kind.upper(), plural(len(hits), "partition"), what)), *wrapped(to_do, first="  ")]
    for one, oddity in hits[:most or None]:
        shown = next(other for other in _ODDITIES if other in oddity["kinds"]) == kind
        lines.append("  " + fit("%s %s%s" % (one["name"], _flat(oddity["partition"]), "" if shown else " (see above)"), WIDTH - 2))
        if shown:
            places = ", ".join(map(_place, oddity["records"][:5]))
            lines.append("    " + fit(places + (", ..." if len(oddity["records"]) > 5 else ""), WIDTH - 4))
    return lines + more(len(hits), most)


def _place(record: dict) -> str:
    what = "tombstone" if record["tombstone"] else _flat(record["offset"]) if record["offset"] else "unreadable"
    return "%s@%s%s %s" % (record["topic_partition"], record["record_offset"], "*" if record["shown"] else "", what)


def _unreadable(connectors: list, by_topic: bool, most: int) -> list[str]:
    count = sum(one["unreadable_count"] for one in connectors)
    if not count:
        return []
    lines = ["  " + fit("%s %s" % (one["name"], _flat(partition)), WIDTH - 2) for one in connectors for partition in one["unreadable"]]
    return ["", "UNREADABLE: %s %s." % (plural(count, "partition"), "whose value is no offset" if by_topic else "that REST lists without a value"),
            "  Set it, or remove it with state: absent." if by_topic else "  Only the offsets topic shows what is there: give kafka_bootstrap_servers.",
            *lines[:most or None], *more(count, most)]


def _bad_keys(topic, bad: list, most: int) -> list[str]:
    if not bad:
        return []
    count = topic["unreadable_count"]
    lines = ["  " + fit("%s, %s@%s, %s: %s" % (
        one["connector"] or "no connector", one["topic_partition"], one["record_offset"], one["reason"], "-" if one["key"] is None else one["key"]),
        WIDTH - 2) for one in bad]
    return ["", *wrapped("BAD KEYS: %s with a key that is no partition; no connector reads such a record." % plural(count, "record")),
            *wrapped("Remove them with state: absent and raw_keys (under any name if the key names no connector). The exact keys are in the JSON of this "
                     "report.", first="  "),
            *lines[:most or None], *more(count, most)]


def offsets_total(reports: dict, time: str) -> dict:
    """All clusters in one document. reports: host -> report of its offsets. The lag is None where it is not known of any cluster."""
    lags = {host: one["lag"] for host, one in reports.items()}
    known = [lag for lag in lags.values() if lag is not None]
    return {
        "time": time, "clusters": reports,
        "connectors_count": sum(len(one["connectors"]) for one in reports.values()), "orphans_count": sum(len(one["orphans"]) for one in reports.values()),
        "lag": sum(known) if known else None, "lag_unknown": [host for host, lag in lags.items() if lag is None],
    }


def offsets_total_lines(total: dict) -> list[str]:
    """All clusters at a glance."""
    rows = [["CLUSTER", "CONNECTORS", "GONE", "ODD", "SINKS", "LAG"]]
    for host, one in total["clusters"].items():
        every = one["connectors"]
        rows.append([host, "-", "-", "-", "-", "no answer"] if one["error"] is not None else [
            host, len(every), len(one["orphans"]), sum(len(other["anomalies"]) for other in every), sum(other["group"] is not None for other in every),
            "not known" if one["lag"] is None else one["lag"]])
    lag = "no lag is known"
    if total["lag"] is not None:
        lag = "sinks have %s to read" % plural(total["lag"], "record")
        if total["lag_unknown"]:
            lag += " (not known of %s)" % ", ".join(total["lag_unknown"])
    head = "%d clusters: %d connectors, %d gone, %s" % (len(total["clusters"]), total["connectors_count"], total["orphans_count"], lag)
    return [head, "", *table(rows, right=(1, 2, 3, 4, 5))]


# --- connectors, and where they live


def connectors(answers: dict, asked: list, time: str) -> dict:
    """answers: host -> the answer of connector_info, or its failure."""
    clusters, places = {}, {}
    for host, answer in answers.items():
        cluster, found = answer.get("cluster") or {}, answer.get("connectors")
        clusters[host] = {
            "error": answer.get("msg") or "no answer" if found is None else None, "url": cluster.get("url"), "version": cluster.get("version"),
            "kafka_cluster_id": cluster.get("kafka_cluster_id"), "workers": cluster.get("workers") or [], "connectors": len(found or []),
        }
        for one in found or []:
            places.setdefault(one["name"], []).append({
                "name": one["name"], "cluster": host, "type": one["type"], "state": one["state"], "class": one["config"].get("connector.class"),
                "version": one["version"], "tasks": len(one["tasks"]), "failed_tasks": sum(task["state"] == "FAILED" for task in one["tasks"])})
    read = [host for host, cluster in clusters.items() if cluster["error"] is None]
    return {"time": time, "asked": asked, "clusters": clusters, "connectors": [
        {"name": name, "types": list(dict.fromkeys(one["type"] for one in found)), "clusters": found,
         "not_on": sorted(set(read) - {one["cluster"] for one in found})} for name, found in sorted(places.items())]}


def connectors_lines(report: dict, most: int) -> list[str]:
    clusters, found = report["clusters"], report["connectors"]
    answered = [one for one in clusters.values() if one["error"] is None]
    head = "%s%s on %s%s" % (
        plural(len(found), "connector"), " matching " + fit(", ".join(report["asked"]), 50) if report["asked"] else "", plural(len(answered), "cluster"),
        ", %d without an answer" % (len(clusters) - len(answered)) if len(answered) < len(clusters) else "")
    rows = [["CONNECTOR", "TYPE", "CLUSTERS", "WHERE"]]
    for one in found[:most or None]:
        where = ["%s %s%s" % (place["cluster"], place["state"], " (%d of %d tasks FAILED)" % (place["failed_tasks"], place["tasks"])
                              if place["failed_tasks"] else "") for place in one["clusters"]]
        rows.append([fit(one["name"], 40), ",".join(one["types"]), "%d of %d" % (len(one["clusters"]), len(answered)), ", ".join(where)])
    lines = [head, "", *table(rows), *more(len(found), most), *([] if found else _NOTHING), ""]
    for host, one in clusters.items():
        lines.append("%s: %s" % (host, fit(one["error"], WIDTH - 4 - len(host)) if one["error"] is not None else "Connect %s, %d here, %s at work" % (
            one["version"], one["connectors"], plural(len(one["workers"]), "worker"))))
    return lines


# --- changes


def changes(report: dict, most: int) -> list[str]:
    """Of one cluster: what connector_changes_info gives, with ``host`` and ``error``."""
    if report["error"] is not None:
        return _no_report(report)
    found, counts = report["changes"], report["counts"]
    rows = [["WHEN (UTC)", "CONNECTOR", "CHANGE", "PHASE", "METHOD", "PARTITIONS", "BY"]]
    for one in found[-most:] if most else found:  # the newest ones
        when = one["times"].get(one["phase"]) or one["times"]["started"]
        by = " ".join("%s=%s" % item for item in one["who"].items()) or "-"
        rows.append([when[:19].replace("T", " "), fit(one["connector"], 24), fit(one["change_id"], 26), one["phase"], one["method"], one["partitions"], by])
    numbers = ": %(applied)d applied, %(restored)d restored, %(started)d started and not ended" % counts if found else ""
    lines = [*wrapped("%s: %s, %s%s" % (report["host"], report["where"], plural(len(found), "change"), numbers)), "", *table(rows, right=(5,))]
    if most and len(found) > most:
        lines.append("  ... and %d older" % (len(found) - most))
    if not found:
        lines += _NOTHING
    if counts.get("started"):
        lines += ["", *wrapped("STARTED: %s whose end is not recorded. Either the run goes on, or it was killed: then the same task, "
                               "run again with the same change_id, finishes it." % plural(counts["started"], "change"))]
    return lines


# --- mirrors


def mirrors(report: dict, most: int) -> list[str]:
    """Of one cluster: what mirror_info gives, with ``host`` and ``error``."""
    if report["error"] is not None:
        return _no_report(report)
    lines = wrapped("%s: %s" % (report["host"], plural(len(report["flows"]), "mirror")))
    for flow in report["flows"]:
        lines += ["", *_mirror(flow, most)]
    return lines


def _mirror(flow: dict, most: int) -> list[str]:
    lines = wrapped(_mirror_headline(flow))
    if flow["error"] is not None:
        lines += wrapped("NO ANSWER OF THE SOURCE: " + flow["error"], first="  ")
    # Those with the largest lag are of interest, and those of which it is not known.
    topics = sorted(flow["topics"], key=lambda one: (one["lag"] is not None, -(one["lag"] or 0)))
    rows = [["TOPIC", "COPY", "PARTITIONS", "LAG", "OLDEST WAITS", "LOST", "STATUS"]]
    for one in topics[:most or None]:
        states = ", ".join("%d %s" % (count, status) for status, count in one["statuses"].items()) or "not known"
        rows.append([fit(one["topic"], 30), fit(one["copy"] or "?", 30), one["partitions"], _number(one["lag"]), age(one["lag_ms"]),
                     _number(one["lost"]), states])
    lines += ["", *table(rows, right=(2, 3, 4, 5)), *more(len(topics), most), *([] if topics else _NOTHING)]
    source = flow["source"]
    lines += _partitions(
        flow, "lost", most, "LOST: records went away on %s before they were copied. Nothing brings them back; a longer retention there keeps it from "
        "happening again." % source,
        lambda row: "%s at most, was to go on at %s, begins at %s" % (plural(row["lost"], "record"), row["next_offset"], row["begin"]))
    lines += _partitions(
        flow, "beyond", most, "BEYOND: the log on %s ends before the position. The topic was deleted and made again, or cut off. By default MirrorMaker then "
        "begins at the beginning; but if new records reach the position first, all before it is left out. Reset the position to be sure." % source,
        lambda row: "would go on at %s, ends at %s" % (row["next_offset"], row["end"]))
    if flow["orphans"]:
        lines += ["", *wrapped("ORPHANS: %s of what is not copied. They do no harm; if such a topic comes back, the mirror goes on from there."
                               % plural(flow["orphans_count"], "stored offset")),
                  *["  " + fit(_orphan(one), WIDTH - 2) for one in flow["orphans"][:most or None]], *more(flow["orphans_count"], most)]
    for inner in (flow["offset_syncs"], flow["checkpoints"]):
        if inner["tombstones"] or inner["unreadable"]:
            lines += ["", *wrapped("BROKEN: %s has %s without a value and %s that cannot be decoded. Offsets of consumer groups are not translated any "
                                   "more. Stop the connectors, delete the topic, and start them." % (
                                       inner["topic"], plural(inner["tombstones"], "record"), plural(inner["unreadable"], "record")))]
    return lines


def _mirror_headline(flow: dict) -> str:
    state = " %s" % flow["state"] if flow["state"] else " (dedicated)" if flow["mode"] == "dedicated" else ""
    if flow["lag"] is None:
        lag = "lag not known"
    else:
        lag = "%s at most to copy, the oldest for %s" % (plural(flow["lag"], "record"), age(flow["lag_ms"])) if flow["lag"] else "nothing waits"
    positions = "none"
    if flow["stored_at"]:
        positions = "as of %s UTC" % flow["stored_at"][:19].replace("T", " ")
    elif flow["method"] == "rest":
        positions = "by REST"
    return "%s -> %s: %s%s, %s, heartbeat %s; %s%s; positions %s" % (
        flow["source"], flow["target"] or "?", flow["connector"], state, "%s names" % flow["policy"] if flow["policy"] else "names not known",
        "%s ago" % age(flow["heartbeat"]["age_ms"]) if flow["heartbeat"] else "none", lag,
        ", %s LOST" % plural(flow["lost"], "record") if flow["lost"] else "", positions)


def _partitions(flow: dict, status: str, most: int, head: str, line) -> list[str]:
    found = [row for row in flow["partitions"] if row["status"] == status]
    if not found:
        return []
    lines = ["  " + fit("%s-%s: %s" % (row["topic"], row["partition"], line(row)), WIDTH - 2) for row in found]
    return ["", *wrapped(head), *first_of(lines, most)]


def _orphan(one: dict) -> str:
    partition, offset = one["partition"], one["offset"]
    if isinstance(partition, dict) and "topic" in partition:
        partition = "%s %s-%s" % (partition.get("cluster"), partition["topic"], partition.get("partition"))
    if isinstance(offset, dict) and "offset" in offset:
        offset = offset["offset"]
    return "%s at %s: %s" % (partition, offset, one["detail"])


def _number(value) -> str:
    return "-" if value is None else str(value)


def age(milliseconds) -> str:
    """In the two largest units."""
    if milliseconds is None:
        return "-"
    seconds = milliseconds // 1000
    if seconds < 60:
        return "%d s" % max(seconds, 0)
    if seconds < 3600:
        return "%d min %d s" % divmod(seconds, 60)
    if seconds < 86400:
        return "%d h %d min" % (seconds // 3600, seconds % 3600 // 60)
    return "%d d %d h" % (seconds // 86400, seconds % 86400 // 3600)


# --- export, import, purge, mirror, verification


def done(results: list, kind: str, check_mode: bool = False, change_id: str = "") -> str:
    """What a playbook has done on a cluster, as a table with a line for each thing. kind: export, import, purge, mirror."""
    return "\n".join({"export": _exported, "import": _imported, "purge": _purged, "mirror": _mirrored}[kind](results, check_mode, change_id))


def _did(one: dict, check_mode: bool, change_id: str = "") -> str:
    if one["changed"]:
        return "would change" if check_mode else "changed"
    return "%s was made before" % change_id if change_id and one.get("already_applied") else "nothing to change"


def _exported(results: list, check_mode: bool, change_id: str) -> list[str]:
    result, = results
    did = ("would be written" if check_mode else "written") if result["changed"] else "as before"
    return ["%s, %s, %s: %s" % (plural(len(result["connectors"]), "connector"), plural(result["partitions"], "partition"), did, result["dest"])]


def _imported(results: list, check_mode: bool, change_id: str) -> list[str]:
    result, = results
    if "msg" in result:  # it has failed
        return []
    rows = [["CONNECTOR", "RESULT", "SET", "REMOVED", "KEPT", "STATE"]]
    rows += [[fit(one["name"], 40), _did(one, check_mode, change_id), *_numbers(one), one["state"] or "-"] for one in result["connectors"]]
    lines = [*table(rows, right=(2, 3, 4)), "%s, offsets %s set, %s removed, %s kept" % (
        plural(len(result["connectors"]), "connector"), *_numbers(result))]
    return lines + ["Backup: %s" % result["backup_file"]] * bool(result["backup_file"] and not check_mode)


def _numbers(one: dict) -> list:
    return [one["counts"][what] for what in ("set", "remove", "keep")]


def _purged(results: list, check_mode: bool, change_id: str) -> list[str]:
    if not results:
        return []
    rows = [["CONNECTOR", "OFFSETS TO REMOVE" if check_mode else "OFFSETS REMOVED"]]
    lines = table(rows + [[fit(one["item"], 60), one["counts"]["remove"]] for one in results], right=(1,))
    backups = [] if check_mode else ["  " + one["backup_file"] for one in results if one["backup_file"]]
    return lines + ["Backups:"] * bool(backups) + backups


def purgeable(connectors: list, asked: list, topic: str) -> dict:
    """``names`` of connectors that are gone and have offsets, of those that fit the names or globs, and ``notes`` on what was asked for without effect."""
    have = [one for one in connectors if one["offsets_count"]]
    gone = [one["name"] for one in have if one["connector_exists"] is False]
    live = {one["name"]: (one["connector"] or {}).get("state", "there") for one in connectors if one["connector_exists"]}
    chosen = [name for name in gone if any(fnmatchcase(name, pattern) for pattern in asked)]
    notes = []
    for pattern in asked:
        if any(fnmatchcase(name, pattern) for name in chosen):
            continue
        if pattern in live:
            notes.append("%s is not gone: it is %s. Its offsets are left alone; reset_offsets with state: absent removes them." % (pattern, live[pattern]))
        else:
            notes.append("No connector that is gone and fits %s has offsets on %s.%s" % (pattern, topic, did_you_mean(pattern, [*gone, *live])))
    return {"names": chosen, "notes": notes}


def _mirrored(results: list, check_mode: bool, change_id: str) -> list[str]:
    lines = []
    for one in results:
        sums = [sum(connector["counts"][what] for connector in one["connectors"]) for what in ("set", "remove")]
        lines.append("%s: %s, %s positions set, %s removed" % (one["mirror"], _did(one, check_mode), *sums))
        lines += ["  deleted " + ", ".join(one["deleted"])] * bool(one["deleted"])
        lines += ["  emptied " + ", ".join(one["emptied"])] * bool(one["emptied"])
        lines += ["  %s left to copy" % plural(one["left"]["records"], "record")] if one["left"] else []
        lines += ["  verification: %(verdict)s, %(page)s" % one["verification"]] if one["verification"] else []
    return lines


def import_failure(result: dict, options: list, prefix: str) -> str:
    """Why an import counts as failed, in the playbook's own variables; empty if it does not."""
    if "msg" in result:
        return own_names(result["msg"], options, prefix)
    failed = [one["name"] for one in result["connectors"] if one["changed"] and (one["state"] == "FAILED" or one["failed_tasks"])]
    if not failed:
        return ""
    return "The offsets are as declared, but %s failed after that, first %s. The offsets before are in %s." % (
        plural(len(failed), "connector"), failed[0], result["backup_file"])


def own_names(text: str, options: list, prefix: str) -> str:
    """A message of a module, with its options by the names that the playbook has for them: in ``name: value`` and, of two words, anywhere."""
    for option in options:
        text = re.sub(r"(?<![\w.])%s(?=%s)" % (option, r"\b" if "_" in option else r": "), prefix + option, text)
    return text


def failure_reason(failed: dict) -> str:
    """What the result of a task says of its failure: of a loop each item has its own, of many connectors each one."""
    items = [one.get("msg", "") for one in failed.get("results") or [] if one.get("failed")]
    items = items or list((failed.get("failed_connectors") or {}).values())[:10]
    return " ".join(dict.fromkeys(filter(None, items))) or str(failed.get("msg") or "see above")


def replay_verdicts(clusters: dict, time: str) -> dict:
    """What the data of each cluster have shown. clusters: host -> ``report`` of the Spark job, ``failure``, ``page``. In check mode nothing is run."""
    found = {}
    for host, one in clusters.items():
        report = one["report"] or {}
        checks: dict = {}
        for check in report.get("checks", []):
            checks[check["verdict"]] = checks.get(check["verdict"], 0) + 1
        found[host] = {"verdict": report.get("verdict") or ("error" if one["failure"] else "not run"), "reason": one["failure"], "checks": checks,
                       "page": one["page"] if report else None}
    verdicts = [one["verdict"] for one in found.values()]
    worst = next((word for word in ("error", "fail", "cannot_tell", "not run") if word in verdicts), "pass")
    return {"verdict": worst, "time": time, "clusters": found}
