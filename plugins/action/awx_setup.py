# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes objects in AWX what they are declared as, or removes them: reads all of them, and calls the modules of awx.awx for those that differ."""

from __future__ import annotations

from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import plural
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _awx
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._awx_api import AwxError, connect
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._show import printable, show

_NO_IMAGE = (
    "No execution environment is given, and AWX's own image cannot run these jobs: it has ansible-core 2.15 and no confluent-kafka. Build that of "
    "extensions/ee (make image) and give its name as awx_setup_execution_environment_image, or name an execution environment that AWX has as "
    "awx_setup_execution_environment. If AWX's default is an image of your own that has all of it, set awx_setup_default_image.")
_UNCHANGED = " Nothing was changed in AWX."


class ActionModule(ActionBase):
    """Runs on the machine that runs Ansible."""

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(argument_spec={
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"}, "objects": {"type": "dict", "required": True},
            "default_image": {"type": "bool", "default": False}})
        self._vars, self._warnings = task_vars, []
        try:
            result = self._make(given) if given["state"] == "present" else self._remove(given)
        except AwxError as error:
            result = {"failed": True, "msg": str(error) + _UNCHANGED}
        return dict(result, warnings=self._warnings)

    def _make(self, given: dict) -> dict:
        listed = _awx.declared(given["objects"])
        if not given["default_image"] and any(kind == "job_template" and not values.get("execution_environment") for kind, values in listed):
            raise AwxError(_NO_IMAGE)
        self._api = connect()
        self._api.check_administrator()
        self._api.check_references(listed)
        steps = []
        for kind, values in listed:
            found = self._api.find(kind, values)
            changed = _awx.differences(kind, values, found) if found else {
                field: (None, value) for field, value in _awx.wanted(kind, values).items()}
            if changed or not found:
                steps.append((kind, values, "change" if found else "make", changed, _awx.arguments(kind, values, found, changed)))
        return self._done(steps, len(listed))

    def _remove(self, given: dict) -> dict:
        listed = _awx.declared(given["objects"], reverse=True)
        self._api = connect()
        self._api.check_administrator()
        self._api.check_unused(listed)
        steps = []
        for kind, values in listed:
            if self._api.find(kind, values, whole=False):
                scope = {field: values[field] for field in _awx.KINDS[kind].scope.values()}
                steps.append((kind, values, "remove", {"name": (values["name"], None)}, dict(scope, name=values["name"], state="absent")))
        return self._done(steps, len(listed))

    def _done(self, steps: list, count: int) -> dict:
        """Walks the steps. One that fails ends it: what comes after refers to what comes before."""
        check_mode, lines, diffs = self._task.check_mode, [], []
        for kind, values, action, changed, arguments in steps:
            reason = "" if check_mode else self._call(kind, arguments)
            if reason:
                show(printable("\n".join(lines)))
                return {"failed": True, "changed": bool(lines), "diff": diffs, "msg": "The %s %s could not be %s: %s%s" % (
                    _awx.KINDS[kind].title, values["name"], {"make": "made", "change": "changed", "remove": "removed"}[action], reason,
                    " Changed before it: %s. Correct it and run this again: it goes on from there." % plural(len(lines), "object") if lines else _UNCHANGED)}
            lines.append(_awx.line(kind, values["name"], action, changed, check_mode))
            diffs.append(_awx.diff(kind, values["name"], changed, action == "make"))
        lines.append("%s of AWX: %d %s, %d as declared" % (
            plural(count, "object"), len(steps), "would change" if check_mode else "changed", count - len(steps)))
        show(printable("\n".join(lines)))
        return {"changed": bool(steps), "diff": diffs, "text": "\n".join(lines)}

    def _update_failure(self, project: dict) -> str:
        try:
            return self._api.update_failure(project)
        except AwxError:
            return ""  # the message of the module remains

    def _call(self, kind: str, arguments: dict) -> str:
        """Why it has failed; empty if it has not."""
        done = self._execute_module(module_name="awx.awx." + kind, module_args=arguments, task_vars=self._vars)
        self._warnings += [text for text in done.get("warnings") or [] if text not in self._warnings]
        if not done.get("failed"):
            return ""
        reason = self._update_failure(arguments) if kind == "project" and arguments.get("state") != "absent" else ""
        if reason:
            return "AWX cannot fetch %s: %s. Correct awx_setup_project_scm_url, or give the login that it needs as awx_setup_project_scm_credential." % (
                arguments.get("scm_url"), reason.rstrip("."))
        return str(done.get("msg") or "the module awx.awx.%s failed without a message" % kind).rstrip(".") + "."
