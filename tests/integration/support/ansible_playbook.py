# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of ansible-playbook without the cost of its start: a process that has imported it is forked for each run.

What runs is Ansible's own code with the arguments, folder and environment of the run. Tests that kill ansible-playbook, the jobs of
AWX, molecule and the demo start the command itself.
"""

from __future__ import annotations

import gc
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from pathlib import Path

#: variables that count when Ansible is imported: runs that differ in one of them have a process of their own
_AT_IMPORT = ("ANSIBLE_", "PYTHON", "HOME", "LANG", "LC_", "PATH", "TMPDIR")
#: how many of these processes are kept
_KEPT = 3

_prepared: dict[tuple, _Prepared] = {}


def ansible_playbook(
    program: str | Path, *arguments: str, folder: Path, env: dict[str, str], seconds: float = 900, merged: bool = False
) -> subprocess.CompletedProcess:
    """The run of that command, with what it printed as text; subprocess.TimeoutExpired if it takes too long.

    merged: warnings and errors are in stdout, where a terminal shows them.
    """
    key = (str(program), *sorted((name, value) for name, value in env.items() if name.startswith(_AT_IMPORT)))
    if key not in _prepared:
        if len(_prepared) == _KEPT:
            _prepared.pop(next(iter(_prepared))).end()
        _prepared[key] = _Prepared(Path(program).with_name("python"), env)
    try:
        return _prepared[key].run([str(program), *arguments], folder, env, seconds, merged)
    except BaseException:
        _prepared.pop(key).end()
        raise


class _Prepared:
    """A process that has imported ansible-playbook and waits for runs, one at a time. It ends with this one."""

    def __init__(self, python: Path, env: dict[str, str]) -> None:
        # -P: the names of the files beside this one are not for Ansible. In a folder without an ansible.cfg.
        self._process = subprocess.Popen([python, "-P", __file__], env=env, cwd=tempfile.gettempdir(), text=True,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._one_run = threading.Lock()

    def run(self, command: list[str], folder: Path, env: dict[str, str], seconds: float, merged: bool) -> subprocess.CompletedProcess:
        with self._one_run, tempfile.TemporaryDirectory() as output:
            files = [f"{output}/stdout", f"{output}/{'stdout' if merged else 'stderr'}"]
            job = {"command": command, "folder": str(folder), "env": env, "seconds": math.ceil(seconds), "output": files}
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
            printed = [Path(path).read_text() if Path(path).exists() else "" for path in dict.fromkeys(files)] + [""] * merged
        if not answer:
            raise RuntimeError(f"the process that runs {command[0]} has ended with {self._process.wait()}")
        if int(answer) == -signal.SIGALRM:
            raise subprocess.TimeoutExpired(command, seconds, *printed)
        return subprocess.CompletedProcess(command, int(answer), *printed)

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def _serve() -> None:
    """Runs what comes, a line of JSON each, and answers with its exit code."""
    from ansible.cli.playbook import PlaybookCLI

    gc.freeze()  # what is there is not looked at again, so that forks share it
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if not child:
            _run(PlaybookCLI, **json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(program, command: list[str], folder: str, env: dict[str, str], seconds: int, output: list[str]) -> None:
    """Never returns: what this process does when it ends is for the one that it is a fork of."""
    code = 1
    try:
        signal.alarm(seconds)  # it ends this process
        for number, path in enumerate([os.devnull, *output]):
            opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND if number else os.O_RDONLY, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = command
        program.cli_executor(command)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


if __name__ == "__main__":
    _serve()
