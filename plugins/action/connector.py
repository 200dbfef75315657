# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Of every module of this collection, not of ``connector`` alone: see plugin_routing in meta/runtime.yml."""

from __future__ import annotations

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action.normal import ActionModule as Normal
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import check_profiles
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._text import unchanged
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._unfit import undecryptable

#: connection option -> (the host's variable that supplies it, other names of the option)
VARIABLES = {
    "connect_url": ("kafka_connect_url", "url"),
    "url_username": ("kafka_connect_username",),
    "url_password": ("kafka_connect_password",),
    "bearer_token": ("kafka_connect_token",),
    "validate_certs": ("kafka_connect_validate_certs",),
    "ca_path": ("kafka_connect_ca_path",),
    "client_cert": ("kafka_connect_client_cert",),
    "client_key": ("kafka_connect_client_key",),
    "use_proxy": ("kafka_connect_use_proxy",),
    "timeout": ("kafka_connect_timeout",),
    "bootstrap_servers": ("kafka_bootstrap_servers",),
    "security_protocol": ("kafka_security_protocol",),
    "sasl_mechanism": ("kafka_sasl_mechanism",),
    "sasl_username": ("kafka_sasl_username",),
    "sasl_password": ("kafka_sasl_password",),
    "ssl_ca_path": ("kafka_ssl_ca_path",),
    "ssl_cert_path": ("kafka_ssl_cert_path",),
    "ssl_key_path": ("kafka_ssl_key_path",),
    "ssl_key_password": ("kafka_ssl_key_password",),
    "kafka_options": ("kafka_options",),
    "kafka_timeout": ("kafka_timeout",),
    "source_clusters": ("kafka_connect_source_clusters",),
    "namespace": ("kafka_connect_strimzi_namespace",),
    "connect_cluster": ("kafka_connect_strimzi_cluster",),
    "kubeconfig": ("kafka_connect_strimzi_kubeconfig",),
    "context": ("kafka_connect_strimzi_context",),
    "host": ("kafka_connect_strimzi_host",),
    "api_key": ("kafka_connect_strimzi_api_key",),
    "ca_cert": ("kafka_connect_strimzi_ca_cert", "ssl_ca_cert"),
    "verify_ssl": ("kafka_connect_strimzi_verify_ssl",),
}
#: the same of the modules that know what connectors store
PROFILES = {"profiles": ("kafka_connect_profiles",)}
PROFILED = ("connector_offsets", "connector_offsets_bulk", "connector_offsets_import", "connector_offsets_info")


class ActionModule(Normal):
    """Takes the options that a task does not give from the host's variables, reads the file of profiles; runs the module with them."""

    #: see VARIABLES
    variables = VARIABLES

    def run(self, tmp=None, task_vars=None):
        try:
            self._take_variables(task_vars)
            self._read_profiles()
        except AnsibleActionFail as error:  # not raised: that would show the templates of Ansible, and end the run of this host without a summary
            return {"failed": True, "msg": unchanged(str(error))}
        return super().run(tmp, task_vars)

    def _take_variables(self, task_vars):
        not_given = (None, "", [], task_vars.get("omit"))  # such as a field of a survey that was left empty
        more = PROFILES if self._task.action.rsplit(".", 1)[-1] in PROFILED else {}
        for option, (variable, *aliases) in {**self.variables, **more}.items():
            if variable in task_vars and {option, *aliases}.isdisjoint(self._task.args):
                value = self._value(variable, task_vars)
                if value not in not_given:
                    self._task.args[option] = value

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
        path = self._task.args.get("profiles")
        if not isinstance(path, str) or not path:
            return
        try:
            profiles = self._loader.load_from_file(self._find_needle("files", path))
            check_profiles(profiles, path)
        except (AnsibleError, DeclarationError) as error:
            raise AnsibleActionFail(f"The profiles {path} (option profiles, or the variable kafka_connect_profiles) cannot be used: {error}") from error
        self._task.args["profiles"] = profiles
