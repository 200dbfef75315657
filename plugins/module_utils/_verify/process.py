# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Starts processes: small ones for their answer, spark-submit with a log and a time limit. None is left behind.

AnsibleModule.run_command knows no time limit, no log and no signals, and is not for pure code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess

#: seconds for Spark to end by itself
_GRACE = 10


def answer(command: list, **options):
    """What it printed, and its exit status. Raises OSError if it cannot be started."""
    return subprocess.run(  # pylint: disable=ansible-bad-function
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False, **options)


def run(command: list, log: str, folder: str, environment: dict, seconds: int):
    """Its exit status; None if it took too long. folder: in which it runs. What it prints goes to the new file ``log``."""
    with open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640), "wb") as output:
        process = subprocess.Popen(  # pylint: disable=ansible-bad-function
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=folder, env=environment, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            _end(process)


def _end(process) -> None:
    """With all that it has started: they have its session and group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
