# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module options with which a user of the secured stack comes in."""

from __future__ import annotations

from tests.integration.support.token_endpoint import new_token


def login(secured: dict, way: str, user: str, **changed) -> dict:
    """Options of a module; None as a changed one takes it away."""
    known = secured["users"][user]
    options = {"ssl_ca_path": secured["ca"], "kafka_timeout": 20}
    if way.startswith("SSL"):
        options |= {"bootstrap_servers": [secured["ssl"]], "security_protocol": "SSL", "ssl_cert_path": known["certificate"],
                    "ssl_key_path": known["key"]}
        if way != "SSL":
            options |= {"ssl_key_path": known["encrypted_key"], "ssl_key_password": known["key_password"]}
    elif way == "OAUTHBEARER":
        options |= {"bootstrap_servers": [secured["sasl_ssl"]], "security_protocol": "SASL_SSL", "sasl_mechanism": way,
                    "sasl_token": new_token(secured, user)}
    else:
        options |= {"bootstrap_servers": [secured["sasl_ssl"]], "security_protocol": "SASL_SSL", "sasl_mechanism": way,
                    "sasl_username": user, "sasl_password": known["password"]}
    return {**options, **changed}
