# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A module of this collection that changes nothing, run in the process of its action (ansible.netcommon does it, too).

Of the half second that a module takes in a process of its own, nine tenths are the start of Python and the compilation of what Ansible ships to it. Here
the main process of Ansible has imported it once, and each task is a fork of that one. What changes something has a process of its own, which
finishes or rolls back when Ansible is ended, and a crash of librdkafka there is not one of Ansible.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import traceback

from ansible.module_utils.common.json import Direction, get_module_decoder, get_module_encoder
from ansible.module_utils.common.parameters import remove_values
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import runner
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown_text

_PROFILE = "legacy"


class _Ended(BaseException):
    """The module has its result."""


def can_run(action, task_vars) -> bool:
    """Whether a module would run on this machine, with this Python, as this user and in this environment anyway. action: ActionBase."""
    task, connection = action._task, action._connection
    if connection.transport != "local" or connection.become or task.delegate_to or task.async_val or any(task.environment or ()):
        return False
    # macOS forbids much of its network library to a process that was forked.
    if not sys.platform.startswith("linux"):
        return False
    return action._templar.template(task_vars.get("ansible_python_interpreter")) == sys.executable


def execute(action, main, task_vars) -> dict:
    """What the module returns, also where it has failed. action: of its task, with all options; main: the module's function."""
    arguments = dict(action._task.args)
    action._update_module_args(action._task.action, arguments, task_vars)
    # What libraries print there is shown nowhere if a module has a process of its own.
    with _working_in(action._loader.get_basedir()), contextlib.redirect_stderr(io.StringIO()):
        return _result_of(main, _as_sent(arguments, Direction.CONTROLLER_TO_MODULE))


def _result_of(main, arguments: dict) -> dict:
    warnings: list = []

    class Module(runner.Module):  # the names are those of AnsibleModule
        def _load_params(self):
            self.params = arguments

        def warn(self, warning, **more):
            warnings.append(shown_text(warning))

        def _return_formatted(self, kwargs):
            flags = {name: value for name, value in kwargs.items() if value is None or isinstance(value, bool)}
            found = dict(kwargs, warnings=list(dict.fromkeys(warnings)))
            raise _Ended(dict(remove_values(found, self.no_log_values), **flags))

    original, runner.Module = runner.Module, Module
    try:
        main()
    except _Ended as ended:
        return _as_sent(ended.args[0], Direction.MODULE_TO_CONTROLLER)
    except (Exception, SystemExit) as fault:  # of the module itself: the task fails, as it does where a process ends with a traceback
        return {"failed": True, "msg": "MODULE FAILURE: %r" % fault, "exception": traceback.format_exc()}
    finally:
        runner.Module = original
    return {"failed": True, "msg": "MODULE FAILURE: it has ended without a result"}


def _as_sent(value, direction):
    """As it arrives in another process: a copy, in which no text is a template."""
    decoder = get_module_decoder(_PROFILE, direction)
    return json.loads(json.dumps(value, cls=get_module_encoder(_PROFILE, direction)), cls=decoder)


@contextlib.contextmanager
def _working_in(folder: str):
    """Relative paths are those of the playbook, as for any module that runs on this machine."""
    before = os.getcwd()
    os.chdir(folder or before)
    try:
        yield
    finally:
        os.chdir(before)
