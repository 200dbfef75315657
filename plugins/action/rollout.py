# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a rollout that look at a cluster and judge it, in one task each."""

from __future__ import annotations

from datetime import datetime, timezone

from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _hosts, _rollout
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._files import write
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._modules import run_module


class ActionModule(ActionBase):
    """step ready: before the first change. step look: after the last one."""

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(argument_spec={
            "step": {"type": "str", "required": True, "choices": ["ready", "look"]}, "settings": {"type": "dict", "required": True},
            **{name: {"type": "dict", "default": {}} for name in ("begin", "expect", "phases")}, "url": {"type": "str", "default": ""}})
        playbook, host = given["settings"]["playbook"], task_vars["inventory_hostname"]
        if given["step"] == "ready":
            return self._ready(given, host, task_vars)
        return self._look(_hosts.known(task_vars, playbook), given, host, task_vars)

    def _ready(self, given: dict, host: str, task_vars) -> dict:
        """Of several clusters, one that is refused is kept for the summary; one alone fails here and now."""
        begin, settings, phases = given["begin"], given["settings"], given["phases"]
        hosts, hostvars = task_vars["ansible_play_hosts_all"], task_vars["hostvars"]
        cluster = self._ask([], task_vars).get("cluster") if begin["identify"] else None
        begun = {"playbook": settings["playbook"], "empty": begin["empty"], "refused": begin["error"], "cluster": cluster}
        own = _hosts.known(dict(task_vars, fleet__begun=begun), settings["playbook"])
        # What others were asked for in this same task is not known here; it is when the hosts of the change are chosen.
        every = [_hosts.identity(hostvars[one], one, cluster if one == host else None) for one in hosts]
        error = _rollout.refusal(own, _rollout.conflicts(every, settings["playbook"], settings["allow_same_cluster"]).get(host, ""))
        expected = _hosts.expected(hostvars, hosts, task_vars["groups"]["all"], settings, given["expect"], host) if phases["changes"] else {}
        error = error or expected.get("error", "")
        if error and len(hosts) == 1:
            if settings["summary_file"]:
                now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                alone = {host: dict(own, refused=error, alive=True)}
                write(settings["summary_file"], _rollout.summary(alone, settings, now, self._task.check_mode, phases))
            return {"failed": True, "msg": error}
        return dict(begun, changed=False, hosts=hosts, refused=error, unapproved=bool(expected.get("error")), approved=expected.get("approved"),
                    warnings=expected.get("warnings", []))

    def _look(self, known: dict, given: dict, host: str, task_vars) -> dict:
        check_mode, phases = self._task.check_mode, given["phases"]
        names = _rollout.to_look_at(known, check_mode, phases)
        asks = _hosts.asks(given["url"])
        seen = self._ask(names, task_vars) if names and asks else None
        reason = _rollout.failed(dict(known, seen=seen, asks=asks, alive=True), host, check_mode, phases)
        return dict({"failed": True, "msg": reason} if reason else {}, changed=False, seen=_states(seen), asks=asks)

    def _ask(self, names: list, task_vars) -> dict:
        """The answer of connector_info, or its failure as ``msg``."""
        found = run_module(self, "connector_info", {"name": names} if names else {}, task_vars, self._task.check_mode)
        return {"msg": found.get("msg") or "no answer"} if found.get("failed") else found


def _states(seen):
    """Of an answer of connector_info what the summary needs: no configurations."""
    if not seen or "connectors" not in seen:
        return seen
    return {"connectors": [{"name": one["name"], "state": one["state"], "trace": one.get("trace"),
                            "tasks": [{"state": task["state"], "trace": task.get("trace")} for task in one["tasks"]]} for one in seen["connectors"]]}
