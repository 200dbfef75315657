# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  kafka_connect_url:
    description:
      - Base URL of a worker of the Kafka Connect cluster, with a path prefix where a gateway needs one.
      - With several URLs the first one that can be reached, and can itself reach the leader of its cluster, is used. They must be workers of
        one and the same cluster, B(never) of different ones.
      - Credentials in the URL are refused.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_URL) (several separated by commas).
      - Required, except to work offline on the offsets topic, where a module supports that.
    type: list
    elements: str
    aliases: [connect_url, url]
  kafka_connect_username:
    description:
      - User for HTTP basic authentication, together with O(kafka_connect_password).
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_USERNAME).
    type: str
    aliases: [url_username]
  kafka_connect_password:
    description:
      - Password for HTTP basic authentication.
      - Ansible masks every value in a task's result that contains this text, so a very short password damages results.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_PASSWORD).
    type: str
    aliases: [url_password]
  kafka_connect_token:
    description:
      - Token to send as a bearer authorization. Giving O(kafka_connect_username) as well is refused.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_TOKEN).
    type: str
    aliases: [bearer_token]
  kafka_connect_validate_certs:
    description:
      - Whether to verify the TLS certificates of the workers.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_VALIDATE_CERTS).
    type: bool
    default: true
    aliases: [validate_certs]
  kafka_connect_ca_path:
    description:
      - PEM file (or folder) with the certificate authorities to trust instead of the public ones.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_CA_PATH).
    type: path
    aliases: [ca_path]
  kafka_connect_client_cert:
    description:
      - PEM file with the client's certificate; it may hold the key as well.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_CLIENT_CERT).
    type: path
    aliases: [client_cert]
  kafka_connect_client_key:
    description:
      - PEM file with the key of O(kafka_connect_client_cert), without a pass phrase. Has no effect without O(kafka_connect_client_cert).
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_CLIENT_KEY).
    type: path
    aliases: [client_key]
  kafka_connect_use_proxy:
    description:
      - Whether to use the proxy, if any, that the environment names.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_USE_PROXY).
    type: bool
    default: true
    aliases: [use_proxy]
  kafka_connect_timeout:
    description:
      - Seconds that one request may take.
      - A worker itself gives up after 90 seconds; a shorter limit here leaves the outcome of a slow request unknown.
      - While Connect is busy with a rebalance, requests are repeated for as long as the module's own C(wait_timeout) says, or for
        60 seconds in a module without one.
      - If not set, the variable of the host with this name is used, else the environment variable E(KAFKA_CONNECT_TIMEOUT).
    type: int
    default: 120
    aliases: [timeout]
requirements:
  - requests
"""
