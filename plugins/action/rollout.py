# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of a rollout that look at a cluster and judge it, in one task each."""

from __future__ import annotations

from collections import ChainMap
from datetime import datetime, timezone

from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _hosts, _rollout
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._files import write
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._modules import run_module


class ActionModule(ActionBase):
    """step ready: of one cluster, before the first change. step compare: of all of them together, once. step look: of one cluster, after the last change."""

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(argument_spec={
            "step": {"type": "str", "required": True, "choices": ["ready", "compare", "look"]}, "settings": {"type": "dict", "required": True},
            **{name: {"type": "dict", "default": {}} for name in ("begin", "expect", "phases")}, "url": {"type": "str", "default": ""}})
        if given["step"] == "ready":
            return self._ready(given, task_vars)
        if given["step"] == "compare":
            return dict(self._compare(given, task_vars), changed=False)
        return self._look(given, task_vars["inventory_hostname"], task_vars)

    def _ready(self, given: dict, task_vars) -> dict:
        """Of several clusters, one that is refused is kept for the summary; one alone is compared with its dry run here and now, and fails here."""
        begin, settings, host = given["begin"], given["settings"], task_vars["inventory_hostname"]
        cluster = self._ask([], task_vars).get("cluster") if begin["identify"] else None
        begun = {"playbook": settings["playbook"], "empty": begin["empty"], "refused": begin["error"], "cluster": cluster}
        if len(task_vars["ansible_play_hosts_all"]) > 1:
            return dict(begun, changed=False)
        own = ChainMap({"fleet__begun": begun, "fleet__compared": None}, task_vars["hostvars"][host])
        compared = self._compare(given, dict(task_vars, hostvars={host: own}))
        error = compared["refused"].get(host)
        if error:
            if settings["summary_file"]:
                now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                alone = {host: dict(_hosts.known(own, settings["playbook"], host), refused=error, alive=True)}
                write(settings["summary_file"], _rollout.summary(alone, settings, now, self._task.check_mode, given["phases"]))
            return {"failed": True, "msg": error}
        return dict(begun, changed=False, compared=compared, warnings=compared["warnings"])

    def _compare(self, given: dict, task_vars) -> dict:
        return _hosts.compared(task_vars["hostvars"], task_vars["ansible_play_hosts_all"], task_vars["groups"]["all"], given["settings"], given["expect"],
                               given["phases"]["changes"])

    def _look(self, given: dict, host: str, task_vars) -> dict:
        check_mode, phases = self._task.check_mode, given["phases"]
        known = _hosts.known(task_vars, given["settings"]["playbook"], host)
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
