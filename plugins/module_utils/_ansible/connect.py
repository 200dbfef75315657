# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The workers of a Connect cluster, as the options say how to reach them."""

from __future__ import annotations

import contextlib

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import given
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import REQUESTS_TRACEBACK, Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest import ConnectClient
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import LibraryMissing

#: seconds for which a request is repeated during a rebalance, where a module has no wait_timeout
_RETRY_FOR = 60


@contextlib.contextmanager
def connect(module):
    """A ConnectClient; None without kafka_connect_url."""
    urls = given(module.params["kafka_connect_url"])
    if not urls:
        yield None
        return
    if REQUESTS_TRACEBACK:
        raise LibraryMissing("requests", REQUESTS_TRACEBACK)
    with contextlib.closing(_transport(urls, module.params)) as transport:
        if transport.exposes_credentials:
            module.warn("Credentials for Kafka Connect are sent over plain HTTP; use an https URL.")
        yield ConnectClient(transport)


def _transport(urls, params):
    return Transport(urls, retry_for=params.get("wait_timeout", _RETRY_FOR), **{name: params["kafka_connect_" + name] for name in (
        "username", "password", "token", "validate_certs", "ca_path", "client_cert", "client_key", "use_proxy", "timeout")})
