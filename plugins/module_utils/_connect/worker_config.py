# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a worker's property file says of its offsets and its brokers, as the options of our modules. Pure."""

from __future__ import annotations

import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import properties
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

#: option -> property
_PLAIN = {
    "offset_file": "offset.storage.file.filename", "offset_topic": "offset.storage.topic", "kafka_connect_group": "group.id",
    "kafka_security_protocol": "security.protocol", "kafka_sasl_mechanism": "sasl.mechanism", "kafka_ssl_key_password": "ssl.key.password",
}
_LOGIN = re.compile(r"""\b(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))""", re.DOTALL)
#: PEM files, which Java and librdkafka both read
_STORES = (("ssl.truststore", ("kafka_ssl_ca_path",)), ("ssl.keystore", ("kafka_ssl_cert_path", "kafka_ssl_key_path")))

#: the options of which some may come from such a file
OPTIONS = (*_PLAIN, "kafka_bootstrap_servers", "kafka_sasl_username", "kafka_sasl_password", "kafka_ssl_ca_path", "kafka_ssl_cert_path", "kafka_ssl_key_path")


def options_of(text: str, path: str, given=(), brokers=True) -> dict:
    """{option: value} of a worker's properties. path: for messages. given: options that the user gives, and that are not looked at.
    brokers: False where those of a standalone worker are not needed, so that nothing about them can be wrong.

    Raises DeclarationError where the file tells something that cannot be used here.
    """
    found = properties(text)
    distributed, standalone = bool(found.get(_PLAIN["offset_topic"])), bool(found.get(_PLAIN["offset_file"]))
    if not distributed and not standalone:
        raise DeclarationError("%s is no property file of a worker: it has neither %s nor %s." % (
            path, _PLAIN["offset_topic"], _PLAIN["offset_file"]))
    if not distributed and not brokers:
        found = {_PLAIN["offset_file"]: found[_PLAIN["offset_file"]]}
    # Some keep lines of both kinds.
    found.pop(_PLAIN["offset_file"] if distributed else _PLAIN["kafka_connect_group"], None)
    offered = {option: found[name] for option, name in _PLAIN.items() if found.get(name)}
    if found.get("bootstrap.servers"):
        offered["kafka_bootstrap_servers"] = [server.strip() for server in found["bootstrap.servers"].split(",") if server.strip()]
    offered.update(("kafka_sasl_" + name, re.sub(r"\\(.)", r"\1", quoted) or plain)
                   for name, quoted, plain in _LOGIN.findall(found.get("sasl.jaas.config", "")))
    for store, options in _STORES:
        location, kind = found.get(store + ".location"), found.get(store + ".type", "JKS").upper()
        if location and kind != "PEM" and not set(options) <= set(given):
            raise DeclarationError("%s: %s.location is a %s store, which only Java reads. Give %s as PEM files." % (
                path, store, kind, " and ".join(options)))
        if location:
            offered.update(dict.fromkeys(options, location))
    offered = {option: value for option, value in offered.items() if option not in given}
    for option, value in offered.items():
        if "${" in str(value):
            raise DeclarationError("%s: the value for %s is a reference to a config provider, which only the worker can follow: give the option "
                                   "itself." % (path, option))
    if not offered.get("offset_file", "/").startswith("/"):
        raise DeclarationError("%s: offset.storage.file.filename is %s, which is relative to the folder where the worker was started: give offset_file."
                               % (path, offered["offset_file"]))
    return offered
