# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is it really up? Asked over the wire and in the log, never by an open port alone."""

import re
import socket
import ssl
import struct
import urllib.error
import urllib.request
from pathlib import Path

from stack.ports import HOST
from stack.state import Cluster, Node

_JOINED = re.compile(r"Joined group at generation (\d+) .*leaderUrl='([^']*)'")
_UNVERIFIED = ssl.create_default_context()
_UNVERIFIED.check_hostname = False
_UNVERIFIED.verify_mode = ssl.CERT_NONE
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=_UNVERIFIED))


def broker_ready(port: int) -> bool:
    """Whether a metadata request is answered with at least one live broker."""
    try:
        return _live_brokers(port) > 0
    except (OSError, struct.error):
        return False


def cluster_ready(cluster: Cluster) -> bool:
    """Whether all live workers of the cluster answer and belong to the same generation of the group.

    A worker answers GET /connectors while it is still alone or about to rebalance; then changes would get 409.
    """
    workers = [worker for worker in cluster.workers if worker.alive()]
    generations = {joined_generation(read_log(worker)) for worker in workers}
    if None in generations or len(generations) != 1:
        return False
    return all(rest_answers(cluster.url(worker)) for worker in workers)


def joined_generation(log: str) -> int | None:
    """The generation of the last successful join in a worker's log; None before the first one."""
    joins = _JOINED.findall(log)
    if not joins or joins[-1][1] in ("", "null"):
        return None
    return int(joins[-1][0])


def rest_answers(url: str) -> bool:
    """Whether GET /connectors is answered by the worker's herder, or refused for want of credentials."""
    try:
        with _OPENER.open(f"{url}/connectors", timeout=3):
            return True
    except urllib.error.HTTPError as error:
        with error:
            return error.code in (401, 403)
    except urllib.error.URLError as error:
        # A listener that wants a client certificate breaks off the handshake.
        return isinstance(error.reason, ssl.SSLError)
    except ssl.SSLError:
        return True
    except OSError:
        return False


def read_log(node: Node) -> str:
    """What the node has logged since it was last started."""
    path = Path(node.log)
    if not path.exists():
        return ""
    with path.open("rb") as handle:
        handle.seek(node.log_start)
        return handle.read().decode(errors="replace")


def _live_brokers(port: int) -> int:
    client = b"stack"
    no_topics = struct.pack(">i", 0)
    body = struct.pack(">hhih", 3, 1, 1, len(client)) + client + no_topics
    with socket.create_connection((HOST, port), timeout=2) as connection:
        connection.sendall(struct.pack(">i", len(body)) + body)
        with connection.makefile("rb") as answer:
            _size, _correlation, brokers = struct.unpack(">iii", answer.read(12))
    return brokers
