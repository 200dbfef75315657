# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Who works on which connectors, as the consumer groups of the Connect workers show."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.connect_assignment import CONNECTOR, address, running
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

#: seconds between two looks at groups that rebalance, and in all: it takes a healthy Connect cluster one or two
_PAUSE, _PATIENCE = 0.1, 10.0


def workers_at(kafka, name: str, group=None, tasks_only=True) -> list:
    """["task 0 in the group G on the worker W"] of the connector, as the brokers know it; only of one group if it is named.

    tasks_only: the connector itself does not count; it stays with a worker while it is STOPPED. Raises BrokerError where the groups
    cannot be seen, or rebalance all the time.
    """
    found = []
    for group_id, client_id, work in _members(kafka, group):
        found += ["%s in the group %s on the worker %s" % ("the connector" if task == CONNECTOR else "task %d" % task, group_id, client_id)
                  for connector, task in sorted(work) if connector == name and not (tasks_only and task == CONNECTOR)]
    return found


def check_groups_are_shown(kafka, rest, group=None) -> None:
    """Raises BrokerError where the brokers do not show the workers' group: they leave out, without an error, what the user may not see.

    rest: ConnectClient, None without a worker to ask. group: the workers' group.id, if it is known. Without both nothing can be told.
    """
    shown = _stable(kafka, group)
    if group:
        missing = "workers of the group %s" % group if group not in {one[0] for one in shown} else None
    else:
        missing = "group of the worker at %s" % rest.url if rest is not None and not _shows_workers_of(rest, shown) else None
    if missing:
        raise errors.BrokerDenied(
            "The brokers at %s show no %s. Grant the user Describe on Group %s%s." % (
                kafka.brokers, missing, group or "(the workers' group.id)", "" if group else
                "; if the user has it, the workers are known by other addresses: give their group.id as kafka_connect_group"),
            bootstrap_servers=kafka.brokers)


def _shows_workers_of(rest, shown) -> bool:
    here = {address(metadata) for _group, _client_id, metadata, _assignment in shown}
    if urlsplit(rest.url).netloc in here:
        return True
    statuses = [parts.get("status") or {} for parts in rest.connectors().values()]
    return bool(here & {part.get("worker_id") for one in statuses for part in [one.get("connector") or {}] + (one.get("tasks") or [])})


def groups_with(kafka, name: str) -> dict:
    """group -> its connectors, of those groups that have this one. Raises BrokerError."""
    found = {}
    for group, _client_id, has in _members(kafka):
        found.setdefault(group, set()).update(connector for connector, _task in has)
    return {group: work for group, work in found.items() if name in work}


def groups_of_workers(kafka) -> tuple:
    """({group of Connect workers: (its connectors, its workers as host:port)}, groups of which this is not shown, as they rebalance all the time).

    Empty where the brokers show no groups.
    """
    found = {}
    try:
        shown, rebalancing = _await_stable(kafka)
    except errors.BrokerError:
        return {}, []
    for group, _client_id, metadata, has in _decoded(shown):
        work, addresses = found.setdefault(group, (set(), set()))
        work.update(connector for connector, _task in has)
        addresses.add(address(metadata))
    return found, rebalancing


def _members(kafka, group=None):
    """(group, client id, {(connector, task)}) of each Connect worker, only of one group if it is named. Raises BrokerError."""
    return [(group_id, client_id, has) for group_id, client_id, _metadata, has in _decoded(_stable(kafka, group))]


def _decoded(shown):
    """(group, client id, metadata, {(connector, task)}) of each whose protocol can be read."""
    for group, client_id, metadata, assignment in shown:
        try:
            yield group, client_id, metadata, running(metadata, assignment)
        except ValueError:
            continue


def _stable(kafka, group=None) -> list:
    """What ConsumerGroups.connect_groups() gives, of one group if it is named. Raises BrokerError, also where a group rebalances all the time."""
    shown, rebalancing = _await_stable(kafka, group)
    if rebalancing:
        raise errors.BrokerError(
            "The brokers at %s do not show which connectors the workers of the group %s run, as it has been rebalancing for more than %g s. Run this again "
            "when it is stable%s." % (
                kafka.brokers, " and of the group ".join(rebalancing), _patience(kafka), "" if group else
                ". If that is another Connect cluster, give the group.id of yours as kafka_connect_group"), bootstrap_servers=kafka.brokers)
    return shown


def _await_stable(kafka, group=None) -> tuple:
    """(members of the groups that do not rebalance, names of those that do). While a group does, the brokers show no metadata of its members: neither the
    address of a worker nor what it had before. One that was waited for in vain is not waited for again.

    See org.apache.kafka.coordinator.group.classic.ClassicGroupMember#describeNoMetadata.
    """
    end, in_vain = time.monotonic() + _patience(kafka), kafka.groups.unstable
    while True:
        shown = [one for one in kafka.groups.connect_groups() if not group or one[0] == group]
        rebalancing = {one[0] for one in shown if not one[2]}
        if rebalancing <= in_vain or time.monotonic() > end:
            in_vain -= {one[0] for one in shown}
            in_vain |= rebalancing
            return [one for one in shown if one[0] not in rebalancing], sorted(rebalancing)
        time.sleep(_PAUSE)


def _patience(kafka) -> float:
    return min(kafka.timeout, _PATIENCE)


def groups_asked(rest, groups, group) -> set:
    """Those of the workers that are asked, by their addresses; where none fits, the one that is named. groups: the first of groups_of_workers()."""
    workers = {((parts.get("status") or {}).get("connector") or {}).get("worker_id") for parts in rest.connectors().values()}
    workers.add(urlsplit(rest.url).netloc)
    return {name for name, (_work, addresses) in groups.items() if addresses & workers} or {group} & set(groups)
