# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Of every module of this collection, not of ``connector`` alone: see plugin_routing in meta/runtime.yml."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action.normal import ActionModule as Normal
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import check_profiles
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._connection import ALIASES, OF_MODULES, PROFILES, VARIABLES, by_name, variables_of
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._in_process import execute
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._unfit import undecryptable


class ActionModule(Normal):
    """Takes the options that a task does not give from the host's variables, reads the file of profiles; runs the module with them."""

    #: option -> the variable of the host that supplies it, besides those of the connection
    variables = {}
    #: the function of a module that runs in this process; None: it gets one of its own, as Ansible gives it
    main = None

    def run(self, tmp=None, task_vars=None):
        try:
            self._take_variables(task_vars)
            self._read_profiles()
        except AnsibleActionFail as error:  # not raised: that would show the templates of Ansible, and end the run of this host without a summary
            return {"failed": True, "msg": unchanged(str(error))}
        return super().run(tmp, task_vars)

    def _execute_module(self, *args, **options):
        if self.main is None:
            return super()._execute_module(*args, **options)
        return execute(self, self.main, options["task_vars"])

    def _take_variables(self, task_vars):
        args = self._task.args = by_name(self._task.args, self._defaults())
        not_given = (None, "", [], task_vars.get("omit"))  # such as a field of a survey that was left empty
        sources = {option: variables_of(option, args, task_vars) for option in VARIABLES}
        sources.update((option, (variable,)) for option, variable in self.variables.items())
        sources.update((option, (option,)) for option, modules in OF_MODULES.items() if self._task.action.rsplit(".", 1)[-1] in modules)
        for option, names in sources.items():
            if {option, *ALIASES.get(option, ())}.isdisjoint(args):
                values = (self._value(name, task_vars) for name in names if name in task_vars)
                value = next((value for value in values if value not in not_given), None)
                if value is not None:
                    args[option] = value

    def _defaults(self) -> list:
        """Names of options in module_defaults of this module and of its groups, the more specific ones later."""
        layers = [(key, options) for layer in self._task.module_defaults or [] for key, options in layer.items() if isinstance(options, dict)]
        of_groups = [name for key, options in layers if key.startswith("group/streamops.kafka_connect.") for name in options]
        own = self._task.action, self._task.action.rsplit(".", 1)[-1]
        return of_groups + [name for key, options in layers if key in own for name in options]

    def _value(self, variable, task_vars):
        """None if it is omitted. Raises AnsibleActionFail for a template that cannot be evaluated."""
        try:
            # in a dictionary, as a template that is omitted is an error by itself
            return self._templar.template({variable: task_vars[variable]}).get(variable)
        except AnsibleError as error:
            host = task_vars["inventory_hostname"]
            reason = undecryptable(variable, task_vars[variable], host) or f"The variable {variable} of {host} cannot be evaluated: {error}"
            raise AnsibleActionFail(reason) from error

    def _read_profiles(self):
        """The file is on the controller. Raises AnsibleActionFail for one that cannot be read, or is none."""
        path = self._task.args.get(PROFILES)
        if not isinstance(path, str) or not path:
            return
        try:
            profiles = self._loader.load_from_file(self._find_needle("files", path))
            check_profiles(profiles, path)
        except (AnsibleError, DeclarationError) as error:
            raise AnsibleActionFail(f"The profiles {path} ({PROFILES}) cannot be used: {error}") from error
        self._task.args[PROFILES] = profiles
