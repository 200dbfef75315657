# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What playbooks are given: a survey sends text for everything, and an empty text for what was left open."""

from __future__ import annotations

import os
import re

from ansible.errors import AnsibleFilterError
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.dataloader import DataLoader
from ansible.utils.vars import load_extra_vars
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._connection import is_strimzi


def names(given) -> list:
    """A list, or names with commas between them."""
    if isinstance(given, str):
        return [name.strip() for name in given.split(",") if name.strip()]
    return list(given or [])


def number(given, default: int) -> int:
    """A whole number; 0 is one."""
    if given is None or given == "":
        return default
    if isinstance(given, bool) or not re.fullmatch(r"\s*\d+\s*", str(given)):
        raise AnsibleFilterError("%r is no whole number" % (given,))
    return int(given)


def is_true(given) -> bool:
    """A boolean, or its text."""
    return boolean(given, strict=False) if given not in (None, "") else False


def path(given) -> str:
    """Below the folder where the command was run, not beside the playbook, which is in the folder of the collection. Empty if it is empty."""
    return os.path.join(os.environ.get("PWD") or os.getcwd(), os.path.expanduser(str(given))) if given else ""


def answers() -> dict:
    """The variables of the command line (``-e``), which win over all others. AWX hands over the answers of a survey as such."""
    return load_extra_vars(DataLoader())


def lacking(variables: dict, alone: bool, needs: str = "any") -> str:
    """The name of the variable that a host lacks, or an empty text. variables: those of the host that say where its cluster is; alone: whether it is the only
    host. One address in the environment would make all hosts the same cluster.

    needs: ``any`` (REST, brokers, a file, a worker's configuration, Strimzi), ``cluster`` (REST or brokers), ``brokers``.
    """
    if alone:
        return ""
    brokers = bool(variables.get("kafka_bootstrap_servers"))
    if not brokers and os.environ.get("KAFKA_BOOTSTRAP_SERVERS") and needs == "brokers":
        return "kafka_bootstrap_servers"
    if needs == "brokers":
        return ""
    elsewhere = needs == "any" and bool(variables.get("kafka_connect_offset_file") or is_strimzi(variables))
    configured = needs == "any" and bool(variables.get("kafka_connect_worker_config"))
    if not (variables.get("kafka_connect_url") or elsewhere or (brokers or configured) and not os.environ.get("KAFKA_CONNECT_URL")):
        return "kafka_connect_url"
    return "kafka_bootstrap_servers" if os.environ.get("KAFKA_BOOTSTRAP_SERVERS") and not (brokers or elsewhere) else ""
