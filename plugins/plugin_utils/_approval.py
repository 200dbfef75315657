# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a dry run has shown binds the real run: the declaration of each connector in numbers, the clusters, the canary, the source revision. Not what is live.

An approval is a document: ``digest`` of all of it; ``revision`` of the source, empty where it is not known; ``canary``, its members among the clusters;
``clusters``, by host: ``kafka_cluster_id``, ``group`` and ``address`` (a digest) tell it apart; ``connectors``, by name: ``fields``, what is declared besides
offsets, ``digest`` of the offsets, ``offsets`` (canonical partition -> offset, None where it is removed), ``more``, how many of them are not listed, and
``is_begun``, whether a run before has made the change, or has begun it, which this one finishes as it was meant then.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.plan import movement
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import and_more, plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._connection import ADDRESS
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import fit

#: how many offsets a document lists in all, as AWX keeps it in its database; the digests have all of them
LISTED = 1000
#: differences that are said
_SHOWN = 5
#: fields of an entry whose meaning is in its offsets, and those that are not there unless they say something
_RESOLVED = ("name", "offsets", "content", "src")
_SILENT = (None, False, "", [])

#: What differs from the dry run. host: None for what is about all of them. is_allowed: by the tolerance
Difference = namedtuple("Difference", ["host", "text", "is_allowed"], defaults=[False])

_AGAIN = "Make a new dry run, in AWX by launching the workflow again."


# ---- what binds ----------------------------------------------------------------------------------------------------------


def declared(seen: list, entries: list) -> dict:
    """``connectors`` of a cluster in an approval, all offsets listed. seen: the connectors that the module has returned in check mode."""
    found = {}
    for one, entry in zip(seen, entries):
        numbers = one.get("declared") or {"digest": "", "offsets": [], "more": 0}
        found[entry["name"]] = {
            "fields": _plain({name: value for name, value in entry.items() if name not in _RESOLVED and value not in _SILENT}), "digest": numbers["digest"],
            "offsets": {canonical(pair["partition"]): pair["offset"] for pair in numbers["offsets"]}, "more": numbers["more"],
            "is_begun": bool(one["already_applied"] or one["change"] and one["change"]["phase"] == "started")}
    return found


def identity(cluster: dict, variables) -> dict:
    """What tells a cluster apart. cluster: what its workers say of it; variables: of the host. An address may be a secret of the inventory."""
    group, kafka = variables.get("kafka_connect_group") or None, cluster.get("kafka_cluster_id")
    address = None if group and kafka else digest([variables.get(name) or None for name in ADDRESS])
    return {"kafka_cluster_id": kafka, "group": group, "address": address}


def _plain(value):
    """As it comes out of a file, or of AWX's database."""
    return json.loads(json.dumps(value, default=str))


def document(clusters: dict, canary: list, revision: str) -> dict:
    """The approval. clusters: by host, with all offsets. canary: members of the group in the inventory."""
    connectors = sum(len(one["connectors"]) for one in clusters.values())
    share = LISTED // max(connectors, 1)
    found = {"revision": revision or "", "canary": sorted(set(canary) & set(clusters)),
             "clusters": {host: _cut(clusters[host], share) for host in sorted(clusters)}}
    return dict(found, digest=_digest(found))


def _cut(cluster: dict, share: int) -> dict:
    def cut(one: dict) -> dict:
        offsets = dict(sorted(one["offsets"].items())[:share])
        return dict(one, offsets=offsets, more=one["more"] + len(one["offsets"]) - len(offsets))
    return dict(cluster, connectors={name: cut(one) for name, one in sorted(cluster["connectors"].items())})


def _digest(found: dict) -> str:
    """The offsets are in digests of their own."""
    clusters = {host: dict(one, connectors={name: [each["fields"], each["digest"]] for name, each in one["connectors"].items()})
                for host, one in found["clusters"].items()}
    return digest(dict(found, clusters=clusters))


def digest(value) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# ---- what is expected ----------------------------------------------------------------------------------------------------


def expected(given):
    """A digest, an approval, or None where nothing is expected. given: a digest; the file of a dry run's summary, or what is in it; an approval.

    Raises ValueError, which says what is wrong with it.
    """
    if given in (None, "", {}):
        return None
    if isinstance(given, str):
        text = given.strip()
        if re.fullmatch(r"[0-9a-f]{16}", text):
            return text
        try:
            with open(text, encoding="utf-8") as file:
                given = json.load(file)
        except (OSError, ValueError) as error:
            raise ValueError("%s is neither the digest that a dry run prints nor the file of its summary: %s." % (text, error)) from error
    found = given.get("approval", given) if isinstance(given, dict) else None
    if found is None or not isinstance(found, dict) or not isinstance(found.get("clusters"), dict) or "digest" not in found:
        raise ValueError("it holds nothing that a dry run has shown, as that one has failed, or was none.")
    return found


def alone(wanted, host: str):
    """Of one cluster, whatever others were in the same dry run. wanted: of expected()."""
    if not isinstance(wanted, dict):
        return wanted
    return dict(wanted, canary=[], clusters={name: one for name, one in wanted["clusters"].items() if name == host})


def differences(wanted, found: dict, inventory: dict, tolerance: int) -> list:
    """What differs, see Difference. wanted: of expected(). found: the approval of this run.

    inventory: ``hosts``, and ``canary``, the members of the group, whatever this run is limited to. tolerance: how many records the offset of a partition may
    be elsewhere where the declaration is symbolic (reset_to).
    """
    if isinstance(wanted, str):
        return [] if wanted == found["digest"] else [Difference(None, (
            "the digest is %s, but %s is expected; the file of the dry run's summary (reset_offsets_summary_file), given as reset_offsets_expect, shows what "
            "differs" % (found["digest"], wanted)))]
    listed = []
    if wanted.get("revision", "") != found["revision"]:
        listed.append(_said("the source revision", found["revision"], wanted.get("revision")))
    canary = sorted(set(inventory["canary"]) & set(wanted["clusters"]))
    if canary != wanted["canary"]:
        listed.append(_said("the canary", ", ".join(canary), ", ".join(wanted["canary"])))
    lost = sorted(set(wanted["clusters"]) - set(inventory["hosts"]))
    if lost:
        listed.append("%s %s not in the inventory any more" % (", ".join(lost), "is" if len(lost) == 1 else "are"))
    listed = [Difference(None, text) for text in listed]
    for host, cluster in found["clusters"].items():
        listed += of_cluster(host, wanted["clusters"].get(host), cluster, tolerance)
    return listed


def of_cluster(host: str, wanted, found: dict, tolerance: int) -> list:
    """Of one cluster alone. wanted: None if the dry run has not seen it."""
    if wanted is None:
        return [Difference(host, "it was not among the clusters of the dry run")]
    names = {"kafka_cluster_id": "its Kafka cluster", "group": "its kafka_connect_group"}
    listed = [Difference(host, _said(word, found[name], wanted[name])) for name, word in names.items() if wanted[name] != found[name]]
    if not listed and wanted["address"] != found["address"]:
        listed.append(Difference(host, "its address is another one than in the dry run"))
    for name in sorted(set(wanted["connectors"]) | set(found["connectors"])):
        one, other = wanted["connectors"].get(name), found["connectors"].get(name)
        if one is None or other is None:
            listed.append(Difference(host, "%s is declared %s" % (name, "now, and was not" if one is None else "no more")))
        else:
            listed += [Difference(host, "%s: %s" % (name, text), is_allowed) for text, is_allowed in _of_connector(one, other, tolerance)]
    return listed


def _of_connector(wanted: dict, found: dict, tolerance: int) -> list:
    """Pairs: what differs, and whether that is allowed."""
    fields = [name for name in sorted(set(wanted["fields"]) | set(found["fields"])) if wanted["fields"].get(name) != found["fields"].get(name)]
    listed = [(_said(name, found["fields"].get(name), wanted["fields"].get(name)), False) for name in fields]
    if wanted["digest"] == found["digest"] or found["is_begun"]:
        return listed
    is_symbolic = "reset_to" in wanted["fields"] and not fields
    here, there, is_cut = found["offsets"], wanted["offsets"], bool(found["more"] or wanted["more"])
    moved = [place for place in sorted(set(here) & set(there) if is_cut else set(here) | set(there)) if _offset(here, place) != _offset(there, place)]
    far = {place: movement(there.get(place), here.get(place))[1] for place in moved}
    beyond = [place for place in moved if not is_symbolic or far[place] is None or far[place] > tolerance]
    limit = "; reset_offsets_expect_tolerance allows %s" % plural(tolerance, "record") if is_symbolic else ""
    listed += [(_said("the offset declared for %s" % place, _offset(here, place), _offset(there, place)) + limit, False) for place in beyond]
    if not beyond and (is_cut or not moved):
        listed.append(("its offsets differ where they are not listed", False))
    elif not beyond:
        listed.append(("its reset_to means other offsets than in the dry run, by up to %s" % plural(max(far.values()), "record"), True))
    return listed


def _offset(offsets: dict, place: str) -> str:
    return "not declared" if place not in offsets else "removed" if offsets[place] is None else canonical(offsets[place])


def _said(name: str, found, wanted) -> str:
    found, wanted = ("not given" if value in _SILENT or value == "" else fit(value if isinstance(value, str) else json.dumps(value, default=str), 80)
                     for value in (found, wanted))
    return "%s is %s, but the dry run showed %s" % (name, found, wanted)


def messages(listed: list, hosts: list) -> dict:
    """Why each host is not changed, by host; empty if nothing differs but what is allowed. One that differs keeps all others from being changed.

    listed: of differences(). hosts: in the order of the run. What is about all of them is said of the first one.
    """
    refused = [one for one in listed if not one.is_allowed]
    if not refused:
        return {}
    own = {host: [one.text for one in refused if one.host == host or one.host is None and host == hosts[0]] for host in hosts}
    named = [host for host in hosts if own[host]]
    return {host: "This run differs from the dry run: %s. %s" % (and_more(own[host], _SHOWN), _AGAIN) if own[host] else
            "This run differs from the dry run on %s; see there." % fit(", ".join(named), 60) for host in hosts}
