# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Connectors through Strimzi's operator, where that is asked for, else through their workers."""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.connect import connect
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kubernetes.operator_guard import by_operator, check_owner, open_operator


def connect_or_operator(make=None):
    """What opens a StrimziClient, or what make() returns, or else what connect() gives.

    Raises DeclarationError where a resource owns the connector that would be changed past it.
    """
    @contextlib.contextmanager
    def opened(module):
        with contextlib.ExitStack() as stack:
            client = stack.enter_context(connect(module))
            if by_operator(module.params):
                operator = open_operator(module.params, client, module.check_mode, make)
                stack.callback(_close, module, operator)
                yield operator
            else:
                check_owner(module.params, module.warn)
                yield client

    return opened


def _close(module, operator) -> None:
    operator.close()
    for warning in operator.warnings:
        module.warn(warning)
