# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Where Spark runs."""

from __future__ import annotations

import contextlib
import re
import socket

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

_ADDRESS = re.compile(r"local(\[([*]|[0-9]+)(, ?[0-9]+)?\])?|spark://[^/,\s]+:[0-9]+(,[^/,\s]+:[0-9]+)*|yarn|k8s://\S+")
_STANDALONE = "spark://"
#: seconds for a connection to a master; Spark itself would try for more than a minute
_PATIENCE = 3


def is_local(master: str) -> bool:
    return master.startswith("local")


def check(master: str, conf: dict, environ) -> None:
    """Raises DeclarationError for an address or a mode that the job cannot use."""
    has_hadoop = bool(environ.get("HADOOP_CONF_DIR") or environ.get("YARN_CONF_DIR"))
    if _ADDRESS.fullmatch(master) is None or conf.get("spark.submit.deployMode", "client") != "client" or master == "yarn" and not has_hadoop:
        raise DeclarationError("master %s cannot be used: it is local[*], local[N], spark://HOST:PORT, yarn (with HADOOP_CONF_DIR or YARN_CONF_DIR in the "
                               "environment) or k8s://URL, in client mode." % master)


def check_answer(master: str) -> None:
    """Raises DeclarationError if it is a standalone cluster, and no master of it can be connected to."""
    if master.startswith(_STANDALONE) and not any(_answers(address) for address in master[len(_STANDALONE):].split(",")):
        raise DeclarationError("No Spark master answers at %s." % master)


def _answers(address: str) -> bool:
    host, _colon, port = address.rpartition(":")
    try:
        with contextlib.closing(socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE)):
            return True
    except (OSError, OverflowError):
        return False
