# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The offsets of many connectors as one document in a file (KIP-199)."""

from __future__ import annotations

import os
from datetime import datetime, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.backups import write_file
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.connectors import fits
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import documents, errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import SINK, SOURCE
from ansible_collections.streamops.kafka_connect.plugins.module_utils._stores.access import FILE, TOPIC


def export(info, cluster: dict, dest: str, patterns=None, history=False, partial=False, check_mode=False, now=None) -> dict:
    """The module's result. info: OffsetsInfo without a limit of entries. cluster: what tells it apart, see documents.write.
    patterns: names or globs, None for all. history: whether info has it.
    partial: what cannot be read may be missing. now: a datetime.

    Raises DeclarationError where a name or a glob fits no connector that has offsets, and if the file cannot be written; MethodError where something
    would be missing in it.
    """
    found = info.all()
    _check_complete(found, info.left_out, patterns, partial)
    chosen = _chosen(found["connectors"], patterns)
    parts = [_part(one) for one in chosen]
    more = {"ordered": sorted(one["name"] for one in chosen if one["method"] in (TOPIC, FILE)), "methods": {one["name"]: one["method"] for one in chosen}}
    plugins = info.plugins()
    more["plugins"] = {one["name"]: plugins[one["name"]] for one in chosen if one["name"] in plugins}
    if history:
        more["history"] = {one["name"]: one["history"] for one in chosen}
    stamp = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = documents.write(parts, cluster, found["method"], stamp, **more)
    dest = os.path.abspath(os.path.expanduser(dest))
    there = _read(dest)
    changed = there is None or not documents.same_but_for_the_time(text, there)
    if changed and not check_mode:
        try:
            write_file(dest, text, replace=True)
        except OSError as error:
            raise errors.ConnectError("The file %s cannot be written: %s." % (dest, error.strerror))
    counts = {part.connector: len(part.pairs) for part in parts}
    return {"changed": changed, "dest": dest, "connectors": counts, "partitions": sum(counts.values()), "method": found["method"],
            "warnings": found["warnings"], "diff": [_diff(dest, there, counts)]}


def _check_complete(found, left_out, patterns, partial) -> None:
    """A file that lacks something would be taken for the whole: an import with purge would remove what is missing."""
    missing = dict(left_out)
    for one in found["connectors"]:
        count = one["unreadable_count"] + len(one["unreadable_records"])
        if count:
            missing[one["name"]] = "%d of its offsets cannot be read by this method (%s)" % (count, one["method"])
    missing = {name: reason for name, reason in missing.items() if patterns is None or any(fits(name, pattern) for pattern in patterns)}
    if missing and not partial:
        name = sorted(missing)[0]
        raise errors.MethodError(
            "The export would lack offsets of %d connector%s, first %s: %s No file was written. Give kafka_bootstrap_servers, as the offsets topic shows what "
            "REST does not; or leave them out with partial: true." % (
                len(missing), "" if len(missing) == 1 else "s", name, missing[name].rstrip(".") + "."), connectors=sorted(missing))


def _chosen(connectors, patterns) -> list:
    """Of those that have offsets. Raises DeclarationError."""
    with_offsets = [one for one in connectors if one["offsets"]]
    if patterns is None:
        return with_offsets
    by_pattern = {pattern: [one["name"] for one in with_offsets if fits(one["name"], pattern)] for pattern in patterns}
    missing = sorted(pattern for pattern, names in by_pattern.items() if not names)
    if missing or not patterns:
        raise errors.DeclarationError("No connector that has offsets fits %s; there are %s. No file was written." % (
            ", ".join(missing) or "an empty list", ", ".join(one["name"] for one in with_offsets[:10]) or "none"))
    wanted = {name for names in by_pattern.values() for name in names}
    return [one for one in with_offsets if one["name"] in wanted]


def _part(one) -> documents.Part:
    kind = SINK if one["method"] == "group" or (one["connector"] or {}).get("type") == SINK else SOURCE
    return documents.Part(one["name"], kind, one["offsets"])


def _diff(dest, there, counts) -> dict:
    """Names and numbers: the offsets themselves are in the file."""
    header = "%s (partitions of each connector)" % dest
    return {"before_header": header, "after_header": header, "before": documents.counts(there) if there else {}, "after": counts}


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise errors.DeclarationError("The file %s is there and cannot be read: %s. It was not replaced." % (path, getattr(error, "strerror", None) or error))
