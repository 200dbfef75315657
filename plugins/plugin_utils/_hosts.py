# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a rollout reads of the variables of its hosts: ``reset_offsets__plan`` and ``reset_offsets__change``, registered by the role reset_offsets;
``fleet__begun``, ``fleet__compared`` and ``fleet__looked``, registered by the action rollout.

What reads the variables of all hosts is done once in a run: a fleet can have a thousand of them. Only goes() is asked by each host of a batch, and reads
those of the batch before.
"""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _approval, _diffs, _rollout
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._rollout_text import summary_text
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged


def known(variables, playbook: str, host: str) -> dict:
    """What is known of a host, see _rollout."""
    begun, compared = _begun(variables, playbook), _compared(variables, playbook)
    plan, done, looked = variables.get("reset_offsets__plan") or {}, _done(variables), variables.get("fleet__looked")
    empty = begun.get("empty")
    return {
        "refused": begun.get("refused") or plan.get("msg") or (compared.get("refused") or {}).get(host, ""),
        "unapproved": host in (compared.get("unapproved") or ()),
        "predicted": [] if empty else plan.get("predicted"),
        "results": [] if empty else done.get("results"), "failure": _rollout.failure(done) if "msg" in done else None,
        "cluster": begun.get("cluster") or plan.get("cluster"), "missing": list(plan.get("failed_connectors") or {}),
        "seen": (looked or {}).get("seen"), "asks": bool((looked or {}).get("asks")), "alive": looked is not None,
    }


def _begun(variables, playbook: str) -> dict:
    """Empty if it is of another playbook in the same run."""
    found = variables.get("fleet__begun") or {}
    return found if found.get("playbook") == playbook else {}


def _compared(variables, playbook: str) -> dict:
    """See compared(). One host alone was compared when it was looked at."""
    alone, found = _begun(variables, playbook).get("compared"), variables.get("fleet__compared") or {}
    return alone or (found if found.get("playbook") == playbook else {})


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


def compared(hostvars, hosts: list, inventory: list, settings: dict, expect: dict, changes: bool) -> dict:
    """What only all clusters together show: ``refused``, {host: why it is not changed}; ``unapproved``, the hosts of a run that is not what its dry run has
    shown; ``approved``, {host: see expected()}; ``warnings``; ``hosts``, those of this run, so that one that is given up is known to be among them; and
    ``playbook``.

    hosts: of this run; inventory: all there are; expect: see expected(); changes: whether anything is changed in this run.
    """
    playbook = settings["playbook"]
    every = {host: known(hostvars[host], playbook, host) for host in hosts}
    conflicts = _conflicts(hostvars, every, settings)
    found = expected(hostvars, hosts, inventory, settings, expect) if changes else {"errors": {}, "approved": {}, "warnings": []}
    refused = {host: _rollout.refusal(one, conflicts.get(host, "")) or found["errors"].get(host, "") for host, one in every.items()}
    return {"playbook": playbook, "hosts": list(hosts), "refused": {host: reason for host, reason in refused.items() if reason},
            "unapproved": sorted(found["errors"]), "approved": found["approved"], "warnings": found["warnings"]}


def approved(variables, playbook: str, host: str) -> dict:
    """What the dry run has shown of a host, see expected(); empty if nothing is expected."""
    return (_compared(variables, playbook).get("approved") or {}).get(host) or {}


def _conflicts(hostvars, every: dict, settings: dict) -> dict:
    clusters = [identity(hostvars[host], host, one["cluster"]) for host, one in every.items()]
    return _rollout.conflicts(clusters, settings["playbook"], settings["allow_same_cluster"])


def expected(hostvars, hosts: list, inventory: list, settings: dict, given: dict) -> dict:
    """Whether this run is what its dry run has shown: ``errors``, {host: why it is not changed}; ``warnings``; and ``approved``, for the role:
    {host: {``cluster``, ``tolerance``}}, empty if nothing is expected.

    hosts: of this run; inventory: all there are. given: ``given`` and ``artifact``, see _approval.expected(): what this run was given, and what a job before
    has passed on.
    """
    hosts = [one for one in settings["order"] if one in set(hosts)]
    found, listed, shown = None, [], {}
    for document in (given.get("given"), _of_reset(given.get("artifact"))):
        try:
            wanted = _approval.expected(document)
        except ValueError as error:
            listed.append(_approval.Difference(None, "reset_offsets_expect cannot be used: %s" % error))
            continue
        if wanted is not None:
            found = found or approval(hostvars, hosts, settings["canary"])
            listed += _approval.differences(wanted, found, {"hosts": inventory, "canary": settings["canary"]}, settings["expect_tolerance"])
            clusters = (found if isinstance(wanted, str) else wanted)["clusters"]
            shown = {host: {"cluster": clusters.get(host), "tolerance": settings["expect_tolerance"]} for host in hosts}
    errors = {host: unchanged(text) for host, text in _approval.messages(listed, hosts).items() if text}
    return {"errors": errors, "approved": shown, "warnings": ["%s: %s." % (one.host, one.text) for one in listed if one.is_allowed and one.host in hosts]}


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
    """The hosts of this run."""
    for host in hosts if hostvars else ():
        found = _compared(hostvars[host], playbook)
        if found:
            there = set(found["hosts"])
            return [one for one in hosts if one in there]
    return []


def due(hostvars, settings) -> list:
    """The hosts that are changed, in the order in which they are: none if one stops the rollout before its first change."""
    if not settings:
        return []
    found, playbook = [], settings["playbook"]
    every = {host: known(hostvars[host], playbook, host) for host in begun(hostvars, playbook, settings["order"])}
    if any(one["unapproved"] for one in every.values()):
        return []
    for host, one in every.items():
        if _rollout.refusal(one):
            if not settings["skip_unready"]:
                return []
        elif _rollout.is_due(one):
            found.append(host)
    return found


def goes(hostvars, hosts, alive, batch, settings) -> bool:
    """Whether a batch is changed. The batch before was asked, too: if it was left out, so is this one, and else those before that one have passed.

    hosts: all that are changed, in that order; alive: those of them on which Ansible still runs.
    """
    before = hosts[:hosts.index(batch[0])][-_largest(settings["serial"], len(hosts)):]
    failed = {}
    for host in reversed(before):
        done = _done(hostvars[host])
        if done.get("skipped"):
            return False
        if "msg" in done:
            failed[host] = _rollout.failure(done)
    given_up = set(hosts) - set(alive) - set(batch) - set(failed)
    return not _rollout.stopped_by(failed, settings["max_fail_percentage"], given_up)


def _largest(serial: list, count: int) -> int:
    """How many of so many hosts a batch has at most."""
    return max(count * int(size[:-1]) // 100 or 1 if size.endswith("%") else int(size) for size in map(str, serial))


def summary(hostvars, hosts, settings, phases, check_mode: bool, time: str) -> dict:
    """The ``document`` of _rollout.summary(), its ``text``, and ``artifacts``. hosts: in any order."""
    there = set(hosts)
    order = [host for host in settings["order"] if host in there]
    found = {host: known(hostvars[host], settings["playbook"], host) for host in order + sorted(there - set(order))}
    document = _rollout.summary(found, settings, time, check_mode, phases)
    if settings["playbook"] == "reset_offsets" and document["ok"] and _rollout.is_dry(document):
        document["approval"] = approval(hostvars, hosts, settings["canary"])
    approved = check_mode and os.environ.get("AWX_HOST")
    diffs = _diffs.lines({host: _done(hostvars[host]).get("diff") for host in found}) if approved else []
    return {"document": document, "text": "\n".join([*diffs, summary_text(document)]), "artifacts": _rollout.artifacts(document)}


def undo_known(hostvars, hosts) -> bool:
    """Whether there is anything to put back, or to say, on a cluster."""
    found = [hostvars[host].get("restore_offsets__undo") or {"error": "it has failed before"} for host in hosts]
    return any(one["error"] or one["declaration"] for one in found)
