# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a rollout reads of the variables of its hosts: ``reset_offsets__plan`` and ``reset_offsets__change``, registered by the role reset_offsets;
``fleet__begun`` and ``fleet__looked``, registered by the action rollout.
"""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _approval, _diffs, _rollout
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged


def known(variables, playbook: str) -> dict:
    """What is known of a host, see _rollout."""
    begun = variables.get("fleet__begun") or {}
    begun = begun if begun.get("playbook") == playbook else {}  # else of another playbook in the same run
    plan, done, looked = variables.get("reset_offsets__plan") or {}, _done(variables), variables.get("fleet__looked")
    empty = begun.get("empty")
    return {
        "refused": begun.get("refused") or plan.get("msg") or "", "unapproved": bool(begun.get("unapproved")),
        "predicted": [] if empty else plan.get("predicted"),
        "results": [] if empty else done.get("results"), "failure": _rollout.failure(done) if "msg" in done else None,
        "cluster": begun.get("cluster") or plan.get("cluster"), "missing": list(plan.get("failed_connectors") or {}),
        "seen": (looked or {}).get("seen"), "asks": bool((looked or {}).get("asks")), "alive": looked is not None,
    }


def _done(variables) -> dict:
    """What the role has returned of its change; empty if that is of another plan."""
    plan, done = variables.get("reset_offsets__plan") or {}, variables.get("reset_offsets__change") or {}
    return done if done.get("run", plan.get("run")) == plan.get("run") else {}


def identity(variables, host: str, cluster) -> dict:
    """What tells a host's cluster apart, see _rollout.conflicts(). cluster: of itself, where its preflight does not say it."""
    plan = variables.get("reset_offsets__plan") or {}
    changes = [[ledger, declared["name"], declared["change_id"]] for ledger, declared in zip(plan.get("ledgers") or [], plan.get("entries") or [])
               if ledger and declared["change_id"]]
    return {"host": host, "cluster": cluster or plan.get("cluster"), "group": variables.get("kafka_connect_group") or "", "changes": changes}


def approval(hostvars, hosts, canary: list) -> dict:
    """See _approval.document(). hosts: of this run; those that cannot be changed are not in it. canary: members of the group."""
    plans = {host: hostvars[host].get("reset_offsets__plan") or {} for host in hosts}
    clusters = {host: approved_cluster(plan, hostvars[host]) for host, plan in plans.items() if plan.get("declared") is not None}
    return _approval.document(clusters, canary, revision(hostvars[hosts[0]]))


def expected(hostvars, hosts: list, inventory: list, settings: dict, given: dict, host: str) -> dict:
    """Whether this run is what its dry run has shown: ``error``, why a host is not changed, ``warnings`` about it, and ``approved``, for the role: ``cluster``
    and ``tolerance``; None if nothing is expected.

    hosts: of this run; inventory: all there are. given: ``given`` and ``artifact``, see _approval.expected(): what this run was given, and what a job before
    has passed on.
    """
    hosts = [one for one in settings["order"] if one in hosts]
    found, listed, approved = None, [], None
    for document in (given.get("given"), _of_reset(given.get("artifact"))):
        try:
            wanted = _approval.expected(document)
        except ValueError as error:
            listed.append(_approval.Difference(None, "reset_offsets_expect cannot be used: %s" % error))
            continue
        if wanted is not None:
            found = found or approval(hostvars, hosts, settings["canary"])
            listed += _approval.differences(wanted, found, {"hosts": inventory, "canary": settings["canary"]}, settings["expect_tolerance"])
            approved = {"cluster": (found if isinstance(wanted, str) else wanted)["clusters"].get(host), "tolerance": settings["expect_tolerance"]}
    return {"error": unchanged(_approval.messages(listed, hosts).get(host, "")), "approved": approved,
            "warnings": ["%s: %s." % (host, one.text) for one in listed if one.is_allowed and one.host == host]}


def _of_reset(artifact):
    """None if it is of an undo."""
    return artifact if isinstance(artifact, dict) and artifact.get("playbook") == "reset_offsets" else None


def approved_cluster(plan: dict, variables) -> dict:
    """A cluster as an approval has it. plan: of the role reset_offsets; variables: of the host."""
    return dict(_approval.identity(plan["cluster"] or {}, variables), connectors=plan["declared"])


def revision(variables) -> str:
    """Of the project that a job of AWX has; empty elsewhere."""
    return variables.get("awx_project_revision") or variables.get("tower_project_revision") or ""


def asks(url) -> bool:
    return bool(url or os.environ.get("KAFKA_CONNECT_URL"))


def begun(hostvars, playbook: str, hosts) -> list:
    """The hosts of this run: each of them has noted all that were looked at, so that one that was given up is among them."""
    for host in hosts if hostvars else ():
        found = hostvars[host].get("fleet__begun") or {}
        if found.get("playbook") == playbook:
            return [one for one in hosts if one in found["hosts"]]
    return []


def due(hostvars, settings) -> list:
    """The hosts that are changed, in the order in which they are: none if one stops the rollout before its first change."""
    if not settings:
        return []
    found, playbook = [], settings["playbook"]
    hosts = begun(hostvars, playbook, settings["order"])
    every = {host: known(hostvars[host], playbook) for host in hosts}
    if any(one["unapproved"] for one in every.values()):
        return []
    conflicts = _rollout.conflicts([identity(hostvars[host], host, one["cluster"]) for host, one in every.items()], playbook, settings["allow_same_cluster"])
    for host, one in every.items():
        if _rollout.refusal(one, conflicts.get(host, "")):
            if not settings["skip_unready"]:
                return []
        elif _rollout.is_due(one):
            found.append(host)
    return found


def goes(hostvars, hosts, alive, batch, settings) -> bool:
    """Whether a batch is changed. hosts: all that are; alive: those of them on which Ansible still runs."""
    failed, given_up = {}, []
    for host in set(hosts) - set(batch):
        done = _done(hostvars[host])
        if "msg" in done:
            failed[host] = _rollout.failure(done)
        elif host not in alive:
            given_up.append(host)
    return not _rollout.stopped_by(failed, settings["max_fail_percentage"], given_up)


def summary(hostvars, hosts, settings, phases, check_mode: bool, time: str) -> dict:
    """The ``document`` of _rollout.summary(), its ``text``, and ``artifacts``. hosts: in any order."""
    order = [host for host in settings["order"] if host in hosts]
    found = {host: known(hostvars[host], settings["playbook"]) for host in order + sorted(set(hosts) - set(order))}
    document = _rollout.summary(found, settings, time, check_mode, phases)
    if settings["playbook"] == "reset_offsets" and document["ok"] and _rollout.is_dry(document):
        document["approval"] = approval(hostvars, hosts, settings["canary"])
    approved = check_mode and os.environ.get("AWX_HOST")
    diffs = _diffs.lines({host: _done(hostvars[host]).get("diff") for host in found}) if approved else []
    return {"document": document, "text": "\n".join([*diffs, _rollout.summary_text(document)]), "artifacts": _rollout.artifacts(document)}


def undo_known(hostvars, hosts) -> bool:
    """Whether there is anything to put back, or to say, on a cluster."""
    found = [hostvars[host].get("restore_offsets__undo") or {"error": "it has failed before"} for host in hosts]
    return any(one["error"] or one["declaration"] for one in found)
