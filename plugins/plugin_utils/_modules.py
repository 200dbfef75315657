# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A module of this collection as a part of an action."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.modules import connector_info, connector_offsets_bulk
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._in_process import can_run

_NAMESPACE = "streamops.kafka_connect."
#: modules with an action plugin of their own; that of the others is ``connector`` (plugin_routing in meta/runtime.yml)
_OWN = ("verify_replay",)
#: modules that run in the process of the action where that is possible: imported here, which the main process of Ansible does once for all of its forks
_READS = {"connector_info": connector_info.main}
_READS_IN_CHECK_MODE = {"connector_offsets_bulk": connector_offsets_bulk.main}


def run_module(action, module: str, options: dict, task_vars, check_mode: bool) -> dict:
    """What it returns, also where it has failed. It takes the connection from the host's variables. action: ActionBase whose task this is a part of."""
    task = action._task.copy()
    task.action, task.args, task.check_mode = _NAMESPACE + module, options, check_mode
    plugin = action._shared_loader_obj.action_loader.get(
        _NAMESPACE + (module if module in _OWN else "connector"), task=task, connection=action._connection, play_context=action._play_context,
        loader=action._loader, templar=action._templar, shared_loader_obj=action._shared_loader_obj)
    main = _READS.get(module) or check_mode and _READS_IN_CHECK_MODE.get(module)
    if main and can_run(action, task_vars):
        plugin.main = main
    return plugin.run(task_vars=task_vars)
