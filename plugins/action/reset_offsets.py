# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The steps of the role reset_offsets: what it asks of the modules, in which order. What is decided on the way is in plugin_utils/_reset.py."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import time
import uuid
from datetime import datetime, timezone
from urllib.parse import quote

from ansible.errors import AnsibleFilterError
from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.backups import DEFAULT_FOLDER
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.boundaries import replay_topics
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _approval, _hosts, _reset, _variables
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._change_file import filled
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._given import number
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._modules import run_module
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._reports import failure_reason, own_names
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._show import show
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged

_BULK = "connector_offsets_bulk"
_VERIFY = "verify_replay"
#: options of the step; all others are those of the connection
_OWN = ("step", "declared", "change_id", "workflow", "final_state", "backup_dir", "file", "expect", "approved", "plan", "options", "cluster")
#: options that the file of a change can say, besides those of the module
_OF_FILE = ("change_id", "final_state", "backup_dir")
_DEFAULTS = {"settle": 5, "stop": True, "check_position": "warn", "check_position_timeout": 75}
#: seconds after which states that were seen may be others
_RECENT = 60

_NO_MESSAGE = "The module failed without a message."


class ActionModule(ActionBase):
    """step plan: look at everything, before the first change. step change: change what the plan says, verify it, put back what is not proven."""

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        args, self._vars, self._warnings = self._task.args, task_vars, []
        self._connection_options = {name: value for name, value in args.items() if name not in _OWN}
        file = args.get("file") or {}
        self._asked = filled(dict({name: args.get(name) for name in _OF_FILE}, connectors=args.get("declared")), file, "reset_offsets_")
        given = {name: value for name, value in filled(args["options"], file, "reset_offsets_").items() if value not in ("", None)}
        self._options = dict(_DEFAULTS, **given, **self._connection_options)
        self._cluster = args.get("cluster") or "main"
        result = self._plan() if args["step"] == "plan" else self._change(args["plan"])
        return dict(result, changed=result.get("changed", False), warnings=list(dict.fromkeys(self._warnings)))

    # ---- the plan --------------------------------------------------------------------------------------------

    def _plan(self) -> dict:
        asked, workflow = self._asked, self._task.args.get("workflow")
        # In a workflow of AWX every launch is a change of its own, with the same name in all of its jobs.
        change_id = asked["change_id"] or ("awx-%s" % workflow if workflow else "")
        found = _reset.declared(asked["connectors"], change_id, asked["final_state"] or "found")
        problem = _variables.unknown([name for name in self._vars if isinstance(name, str)], "reset_offsets", "verify_replay") or found["error"]
        plan = _refused(problem) if problem else self._look(found["connectors"])
        expect = self._task.args.get("expect")
        return self._approval(plan, expect) if expect and not plan.get("failed") else plan

    def _approval(self, plan: dict, expect: dict) -> dict:
        """Of this cluster alone."""
        host, variables = self._vars["inventory_hostname"], self._variables()
        found = _approval.document({host: _hosts.approved_cluster(plan, variables)}, [], _hosts.revision(variables))
        try:
            wanted = _approval.alone(_approval.expected(expect["given"]), host)
            listed = _approval.differences(wanted, found, {"hosts": [host], "canary": []}, number(expect["tolerance"], 0)) if wanted else []
        except (ValueError, AnsibleFilterError) as error:
            listed = [_approval.Difference(None, "reset_offsets_expect cannot be used: %s" % error)]
        return dict(plan, approval=found, **self._not_approved(listed))

    def _not_approved(self, listed: list) -> dict:
        host = self._vars["inventory_hostname"]
        self._warnings.extend("%s: %s." % (host, one.text) for one in listed if one.is_allowed)
        problem = _approval.messages(listed, [host]).get(host)
        return _refused(problem) if problem else {}

    def _variables(self):
        return self._vars["hostvars"][self._vars["inventory_hostname"]]

    def _look(self, entries: list) -> dict:
        seen = self._run(_BULK, {"connectors": _reset.options(entries)}, check_mode=True)
        kept = {name: seen[name] for name in ("cluster", "failed_connectors") if name in seen}
        if seen.get("failed"):
            several = len(seen.get("failed_connectors") or {}) > 1
            return dict(kept, **_refused(failure_reason(seen)) if several else {"failed": True, "msg": seen.get("msg") or _NO_MESSAGE})
        prediction, proof = _reset.predicted(seen["connectors"], entries), self._proof(seen, entries)
        problem = prediction["error"] or proof["error"]
        if not problem and proof["connectors"]:
            checked = self._run(_VERIFY, {"expectation": proof["expectation"], "run": False})
            problem = (checked.get("msg") or _NO_MESSAGE) if checked.get("failed") else ""
        if problem:
            return dict(kept, **_refused(problem))
        return dict(kept, run=uuid.uuid4().hex, looked=time.time(), entries=entries, predicted=prediction["connectors"], label=prediction["label"],
                    declared=_approval.declared(seen["connectors"], entries), ledgers=[one["ledger"] for one in seen["connectors"]])

    def _proof(self, made: dict, entries: list) -> dict:
        return _reset.proof(made, entries, functools.partial(replay_topics, cluster=self._cluster), self._task.check_mode or self._task.args["step"] == "plan")

    # ---- the change ------------------------------------------------------------------------------------------

    def _change(self, plan: dict) -> dict:
        more, batch = {"run": plan["run"]}, {"batch": self._vars.get("ansible_play_batch") or []}
        if self._task.check_mode and plan.get("approval"):
            show("To make exactly this: -e reset_offsets_expect=%s" % plan["approval"]["digest"])
        if not any(one["todo"] for one in plan["predicted"]):
            return dict(more, results=_reset.results(plan["predicted"]))
        if time.time() - plan["looked"] > _RECENT:  # a batch of a rollout may have waited for hours
            plan = self._look_again(plan)
            if plan.get("failed"):
                return dict(plan, results=[], **more, **batch)
        entries, backup = plan["entries"], self._backup(plan["label"])
        made = self._run(_BULK, {"connectors": _reset.options(entries, plan["predicted"]), "backup": True, "backup_file": backup})
        proof = self._proof(made, entries)
        found, undone = self._verify(proof), {}
        for one in _reset.undo(entries, made, found, backup):
            # of each by itself, so that one that cannot be put back does not keep others from it; and that again is not rolled back
            undone[one["name"]] = self._run(_BULK, {"connectors": [one], "one_by_one": False, "rollback": False, "check_position": "none"})
        outcome = _reset.outcome(made, plan["predicted"], entries, proof, found, undone, backup)
        result = dict(more, results=outcome["results"], diff=made.get("diff", []), failed_connectors=made.get("failed_connectors") or {},
                      changed=bool(made.get("changed")))
        return dict(result, failed=True, msg=outcome["error"], **batch) if outcome["error"] else result

    def _look_again(self, plan: dict) -> dict:
        plan, approved = self._look(plan["entries"]), self._task.args.get("approved")
        if not approved or plan.get("failed"):
            return plan
        found = _hosts.approved_cluster(plan, self._variables())
        return dict(plan, **self._not_approved(_approval.of_cluster(self._vars["inventory_hostname"], approved["cluster"], found, approved["tolerance"])))

    def _backup(self, label: str) -> str:
        folder = os.path.expanduser(self._asked["backup_dir"] or DEFAULT_FOLDER)
        host = quote(self._vars["inventory_hostname"], safe="")
        return os.path.join(folder, "%s-%s-%s.json" % (host, label, datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%fZ")))

    def _verify(self, proof: dict) -> dict:
        if self._task.check_mode:
            return {}
        job = {}
        if proof["connectors"]:
            with _alone():
                job = self._run(_VERIFY, {"expectation": proof["expectation"]})
        return _reset.verdicts(proof, job)

    # ---- the modules -----------------------------------------------------------------------------------------

    def _run(self, module: str, options: dict, check_mode=False) -> dict:
        """What the module returns. It takes the connection from the host's variables, or from the options of this task."""
        given = self._options if module == _BULK else self._connection_options
        found = run_module(self, module, dict(given, **options), self._vars, self._task.check_mode or check_mode)
        self._warnings.extend(found.get("warnings") or [])
        return self._by_own_names(found) if module == _BULK and found.get("failed") else found

    def _by_own_names(self, failed: dict) -> dict:
        """The same result; its messages name options by the variables of the role."""
        options = [name for name in self._task.args["options"] if not name.startswith("kafka_")]  # these have the names of the host's variables
        found = dict(failed)
        if found.get("msg"):
            found["msg"] = own_names(found["msg"], options, "reset_offsets_")
        if found.get("failed_connectors"):
            found["failed_connectors"] = {name: own_names(text, options, "reset_offsets_") for name, text in found["failed_connectors"].items()}
        return found


def _refused(problem: str) -> dict:
    return {"failed": True, "msg": unchanged(problem)}


@contextlib.contextmanager
def _alone():
    """One Spark job of this user at a time: each wants all cores."""
    folder = os.path.expanduser("~/.cache/streamops-kafka-connect")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    with open(os.path.join(folder, "verify_replay.lock"), "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
