# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Who works on which connectors, as the consumer groups of the Connect workers show."""

from __future__ import annotations

from urllib.parse import urlsplit

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.connect_assignment import CONNECTOR, address, running
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def workers_at(kafka, name: str, group=None, tasks_only=True) -> list:
    """["task 0 in the group G on the worker W"] of the connector, as the brokers know it; only of one group if it is named.

    tasks_only: the connector itself does not count; it stays with a worker while it is STOPPED. Raises BrokerError where the groups
    cannot be seen.
    """
    found = []
    for group_id, client_id, _metadata, work in _members(kafka):
        if group and group != group_id:
            continue
        found += ["%s in the group %s on the worker %s" % ("the connector" if task == CONNECTOR else "task %d" % task, group_id, client_id)
                  for connector, task in sorted(work) if connector == name and not (tasks_only and task == CONNECTOR)]
    return found


def check_groups_are_shown(kafka, rest, group=None) -> None:
    """Raises BrokerError where the brokers do not show the workers' group: they leave out, without an error, what the user may not see.

    rest: ConnectClient, None without a worker to ask. group: the workers' group.id, if it is known. Without both nothing can be told.
    """
    shown = kafka.groups.connect_groups()
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
    for group, _client_id, _metadata, has in _members(kafka):
        found.setdefault(group, set()).update(connector for connector, _task in has)
    return {group: work for group, work in found.items() if name in work}


def groups_of_workers(kafka) -> dict:
    """group of Connect workers -> (its connectors, its workers as host:port); empty where the brokers do not tell."""
    found = {}
    try:
        for group, _client_id, metadata, has in _members(kafka):
            work, addresses = found.setdefault(group, (set(), set()))
            work.update(connector for connector, _task in has)
            addresses.add(address(metadata))
    except errors.BrokerError:
        return {}
    return found


def _members(kafka):
    """(group, client id, metadata, {(connector, task)}) of each Connect worker whose protocol can be read. Raises BrokerError."""
    for group, client_id, metadata, assignment in kafka.groups.connect_groups():
        try:
            yield group, client_id, metadata, running(metadata, assignment)
        except ValueError:
            continue


def groups_asked(rest, groups, group) -> set:
    """Those of the workers that are asked, by their addresses; where none fits, the one that is named. groups: see groups_of_workers()."""
    workers = {((parts.get("status") or {}).get("connector") or {}).get("worker_id") for parts in rest.connectors().values()}
    workers.add(urlsplit(rest.url).netloc)
    return {name for name, (_work, addresses) in groups.items() if addresses & workers} or {group} & set(groups)
