# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module in the process of its action: where it may run so, and that it returns what it would in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, is_trusted_as_template, trust_as_template
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import runner
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _in_process, _modules

SECRET = "hunter2hunter2"


class Action:
    def __init__(self, folder="", **args) -> None:
        self._task = SimpleNamespace(args=args, action="streamops.kafka_connect.connector_info", delegate_to=None, async_val=0, environment=[])
        self._connection = SimpleNamespace(transport="local", become=None)
        self._loader = SimpleNamespace(get_basedir=lambda: str(folder))
        self._templar = Templar(DataLoader(), variables={"ansible_playbook_python": sys.executable})

    def _update_module_args(self, module, arguments, task_vars):
        arguments.update({"_ansible_check_mode": True, "_ansible_diff": False, "_ansible_no_log": True, "_ansible_module_name": module})


HERE = {"ansible_python_interpreter": trust_as_template("{{ ansible_playbook_python }}")}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere modules have processes of their own")
@pytest.mark.parametrize(("task", "connection", "variables", "expected"), [
    ({}, {}, HERE, True),
    ({}, {}, {"ansible_python_interpreter": sys.executable}, True),
    ({}, {}, {"ansible_python_interpreter": "/usr/bin/other"}, False),
    ({}, {}, {}, False),
    ({"delegate_to": "bastion"}, {}, HERE, False),
    ({"async_val": 5}, {}, HERE, False),
    ({"environment": [{}]}, {}, HERE, True),
    ({"environment": [{"https_proxy": "p"}]}, {}, HERE, False),
    ({}, {"transport": "ssh"}, HERE, False),
    ({}, {"become": object()}, HERE, False),
])
def test_where_it_may_run(task, connection, variables, expected):
    action = Action()
    vars(action._task).update(task)
    vars(action._connection).update(connection)
    assert _in_process.can_run(action, variables) is expected


def test_macos_forbids_it(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not _in_process.can_run(Action(), HERE)


def main_of(action):
    return lambda: runner.run({"n": {"type": "int", "default": 5}, "where": {"type": "path"}}, action)


def test_a_result_is_what_another_process_would_print(tmp_path):
    def act(params, check_mode):
        return {"changed": False, "n": params["n"], "tuple": (1, 2), "check": check_mode, "where": os.getcwd(), "shown": f"x{SECRET}x", "text": params["where"],
                "warnings": [f"twice {SECRET}", f"twice {SECRET}"]}

    before = os.getcwd()
    action = Action(tmp_path, n="7", where=trust_as_template("{{ 1/0 }}"), kafka_connect_password=SECRET)
    found = _in_process.execute(action, main_of(act), {})
    assert {name: found[name] for name in ("n", "tuple", "check", "where", "shown", "warnings")} == {
        "n": 7, "tuple": [1, 2], "check": True, "where": str(tmp_path), "shown": "x********x", "warnings": ["twice ********"]}
    assert found["text"] == "{{ 1/0 }}" and not is_trusted_as_template(found["text"])
    assert SECRET not in str(found) and os.getcwd() == before and runner.Module.__module__ == runner.__name__
    assert action._task.args == {"n": "7", "where": "{{ 1/0 }}", "kafka_connect_password": SECRET}


def fails(params, check_mode):
    raise errors.StateError(f"It is {SECRET}.", connector="c")


def breaks(params, check_mode):
    raise ZeroDivisionError("a fault")


def ends(params, check_mode):
    print("of a library", file=sys.stderr)
    sys.exit(3)


@pytest.mark.parametrize(("act", "args", "message"), [
    (fails, {}, "It is ********."),
    (breaks, {}, "MODULE FAILURE: ZeroDivisionError('a fault')"),
    (ends, {}, "MODULE FAILURE: SystemExit(3)"),
    (breaks, {"n": "many"}, "argument 'n' is of type str and we were unable to convert to int: "),
    (breaks, {"m": 1}, "Unsupported parameters for (streamops.kafka_connect.connector_info) module: m. Supported parameters include: "),
])
def test_a_failure_is_a_result(act, args, message, capfd):
    found = _in_process.execute(Action(**{"kafka_connect_password": SECRET, **args}), main_of(act), {})
    assert found["failed"] is True and found["msg"].startswith(message) and SECRET not in found["msg"]
    assert found.get("connector") == ("c" if act is fails else None) and runner.Module.__module__ == runner.__name__
    assert capfd.readouterr() == ("", "")  # Ansible takes it for an error of its own


def test_only_what_changes_nothing(monkeypatch):
    """The change itself has a process of its own, which ends what it has begun whatever becomes of Ansible."""
    plugins = []

    def get(name, **given):
        plugins.append(SimpleNamespace(main=None, run=lambda task_vars: {}))
        return plugins[-1]

    action = Action()
    action._task.copy = SimpleNamespace
    action._play_context = action._templar
    action._shared_loader_obj = SimpleNamespace(action_loader=SimpleNamespace(get=get))
    asked = [("connector_info", False), ("connector_offsets_bulk", True), ("connector_offsets_bulk", False), ("verify_replay", True)]
    for possible in (True, False):
        monkeypatch.setattr(_modules, "can_run", lambda action, task_vars, possible=possible: possible)
        for module, check_mode in asked:
            _modules.run_module(action, module, {}, {}, check_mode)
    mains = [plugin.main and plugin.main.__module__.rsplit(".", 1)[-1] for plugin in plugins]
    assert mains == ["connector_info", "connector_offsets_bulk", None, None] + [None] * 4


def test_the_main_process_has_imported_it():
    """Once for all of its forks; the clients of what only some hosts have are imported where they are used."""
    code = ("import sys; from ansible.plugins.loader import init_plugin_loader; init_plugin_loader(); "
            "import ansible_collections.streamops.kafka_connect.plugins.action.rollout; "
            "print(*(name for name in sys.modules if name in ('requests', 'confluent_kafka', 'kubernetes') or name.endswith('_change.engine')))")
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert [name.rsplit(".", 1)[-1] for name in sorted(done.stdout.split())] == ["engine", "requests"]
