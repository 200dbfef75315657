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

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _diffs, _rollout


def known(variables, playbook: str) -> dict:
    """What is known of a host, see _rollout."""
    begun = variables.get("fleet__begun") or {}
    begun = begun if begun.get("playbook") == playbook else {}  # else of another playbook in the same run
    plan, done, looked = variables.get("reset_offsets__plan") or {}, _done(variables), variables.get("fleet__looked")
    empty = begun.get("empty")
    return {
        "refused": begun.get("refused") or plan.get("msg") or "", "predicted": [] if empty else plan.get("predicted"),
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
    approved = check_mode and os.environ.get("AWX_HOST")
    diffs = _diffs.lines({host: _done(hostvars[host]).get("diff") for host in found}) if approved else []
    return {"document": document, "text": "\n".join([*diffs, _rollout.summary_text(document)]), "artifacts": _rollout.artifacts(document)}


def undo_known(hostvars, hosts) -> bool:
    """Whether there is anything to put back, or to say, on a cluster."""
    found = [hostvars[host].get("restore_offsets__undo") or {"error": "it has failed before"} for host in hosts]
    return any(one["error"] or one["declaration"] for one in found)
