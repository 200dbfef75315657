# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Free ports on loopback."""

import random
import socket
import time
from pathlib import Path

HOST = "127.0.0.1"
_FIRST = 20000
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


def is_free(port: int) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket() as probe:
        # As Java servers do; without it a port that a server has just left counts as taken for a minute.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def wait_free(port: int, seconds: float) -> bool:
    """Wait until a dying server has left the port; False if it is still taken after so many seconds."""
    deadline = time.monotonic() + seconds
    while not is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def find_free(taken: set[int]) -> int:
    """A free port that is not in taken.

    It lies below the ephemeral ports: while a broker is down its clients keep connecting, and on loopback the kernel
    may give such a connection the broker's own port as source, which then blocks the broker's restart.
    """
    last = min(_lowest_ephemeral(), 65536) - 1
    candidates = range(_FIRST, last) if last - _FIRST > 1000 else range(_FIRST, 65000)
    for port in random.sample(candidates, len(candidates)):
        if port not in taken and is_free(port):
            return port
    raise OSError("no free port on loopback")


def _lowest_ephemeral() -> int:
    try:
        return int(_EPHEMERAL.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 32768
