# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A worker's own configuration in place of options."""

from __future__ import annotations

import os

from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import takes_file_alone
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.worker_config import OPTIONS, options_of
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError


def read_worker_config(module) -> None:
    """What the user does not say, the worker's own configuration says. Raises DeclarationError."""
    path = module.params.get("worker_config")
    if not path:
        return
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise DeclarationError("worker_config %s is no file." % path)
        with open(path, encoding="latin-1") as file:
            text = file.read()
    except OSError as error:
        raise DeclarationError("worker_config %s cannot be read: %s." % (path, error.strerror))
    given = [name for name in OPTIONS if module.params.get(name) not in (None, "", [])]
    found = options_of(text, path, given, brokers=not takes_file_alone(module.params))
    module.no_log_values.update(value for name, value in found.items() if name in ("kafka_sasl_password", "kafka_ssl_key_password"))
    module.params.update((name, value) for name, value in found.items() if name in module.params)
