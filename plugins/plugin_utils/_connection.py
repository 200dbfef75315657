# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The options of the connection by whatever name a task has for them, and the variables of the host that supply them."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import connection_options

NAMESPACE, CLUSTER = "k8s_namespace", "k8s_connect_cluster"
#: the variable of the option ``resource``
RESOURCE = "kafka_connect_strimzi_resource"
#: the variables of before, each for the option k8s_* with the same end
_FORMER = "kafka_connect_strimzi_"
_FORMER_NAMESPACE, _FORMER_CLUSTER = _FORMER + "namespace", _FORMER + "cluster"

#: options that some modules have besides: its other names, and those modules
_GROUP, PROFILES = "kafka_connect_group", "kafka_connect_profiles"
_CHANGES = ("connector_offsets", "connector_offsets_bulk", "connector_offsets_import")
OF_MODULES = {_GROUP: (*_CHANGES, "connector_changes_info", "mirror_reset"), PROFILES: (*_CHANGES, "connector_offsets_info")}
#: option -> its other names
ALIASES = {name: tuple(spec.get("aliases", ())) for name, spec in connection_options().items()}
#: option -> the variables of the host that supply it; the first one that is given counts. One for Kubernetes may be there for something else: the former
#: name, which is ours alone, comes first
VARIABLES = {name: (name,) for name in ALIASES}
VARIABLES.update((name, (name.replace("k8s_", _FORMER), name)) for name in ALIASES if name.startswith("k8s_"))
VARIABLES[CLUSTER] = (_FORMER_CLUSTER, CLUSTER)
ALIASES.update({_GROUP: ("connect_group",), PROFILES: ("profiles",)})
#: variables that say where the cluster of a host is
ADDRESS = ("kafka_connect_url", "kafka_bootstrap_servers", "kafka_connect_worker_config", "kafka_connect_offset_file", _FORMER_NAMESPACE, _FORMER_CLUSTER,
           NAMESPACE, CLUSTER)


def by_name(args: dict, defaults) -> dict:
    """The same options, each by its name, as a module cannot see which of two names is the task's.

    args: of a task, with what module_defaults add. defaults: names of options in module_defaults, over which the task wins; of two of them, the last.
    """
    found, rank = dict(args), {name: number for number, name in enumerate(defaults)}
    for option, aliases in ALIASES.items():
        given = [name for name in (option, *aliases) if name in args]
        of_task = [name for name in given if name not in rank]
        if given and len(of_task) < 2:  # of two names in a task the module warns
            found[option] = args[of_task[0] if of_task else max(given, key=rank.get)]
            for name in aliases:
                found.pop(name, None)
    return found


def is_strimzi(variables: dict) -> bool:
    """Do the variables of a host say that Strimzi's operator makes its cluster? A namespace alone may be there for something else."""
    return bool(variables.get(_FORMER_NAMESPACE) or variables.get(NAMESPACE) and (variables.get(CLUSTER) or variables.get(RESOURCE)))


def variables_of(option: str, args: dict, variables: dict) -> tuple:
    """The variables of a host that may supply an option. args: of the task, by their names.

    Modules take a connector for one of Strimzi's operator by the option k8s_namespace. So the variable of this name counts only where the task or the host
    says that such a one is meant.
    """
    names = VARIABLES[option]
    meant = (args.get("method") == "strimzi" or args.get("ledger") == "configmap" or args.get("resource") or args.get(CLUSTER) or variables.get(CLUSTER))
    return names[:1] if option == NAMESPACE and not meant else names
