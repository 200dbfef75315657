# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  namespace:
    description:
      - The Kubernetes namespace with the resources of Strimzi, by default that of the kubeconfig or of the pod.
      - All modules of the action group take the options of Kubernetes, so that they can be set once; they are used by those with an option
        O(ignore:resource), and for a ledger in a ConfigMap.
      - If not set, the variable C(kafka_connect_strimzi_namespace) of the host is used.
    type: str
  connect_cluster:
    description:
      - The KafkaConnect that a KafkaConnector must belong to by its label C(strimzi.io/cluster). With another one the task fails.
      - If not set, the variable C(kafka_connect_strimzi_cluster) of the host is used.
    type: str
  kubeconfig:
    description:
      - The kubeconfig to use, with whatever it names to log in, C(tls-server-name) and C(proxy-url). Other options that are given win over it.
      - Without it, and without O(host), a pod uses the login that is mounted there, and anybody else E(KUBECONFIG) or C(~/.kube/config).
      - If not set, the variable C(kafka_connect_strimzi_kubeconfig) of the host is used, else the environment variable E(K8S_AUTH_KUBECONFIG).
    type: path
  context:
    description:
      - The context in the kubeconfig.
      - If not set, the variable C(kafka_connect_strimzi_context) of the host is used, else the environment variable E(K8S_AUTH_CONTEXT).
    type: str
  host:
    description:
      - The URL of the Kubernetes API server.
      - If not set, the variable C(kafka_connect_strimzi_host) of the host is used, else the environment variable E(K8S_AUTH_HOST).
    type: str
  api_key:
    description:
      - The token for the Kubernetes API server.
      - If not set, the variable C(kafka_connect_strimzi_api_key) of the host is used, else the environment variable E(K8S_AUTH_API_KEY).
    type: str
  ca_cert:
    description:
      - PEM file with the certificate authority of the Kubernetes API server.
      - If not set, the variable C(kafka_connect_strimzi_ca_cert) of the host is used, else the environment variable E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ssl_ca_cert]
  verify_ssl:
    description:
      - Whether to verify the TLS certificate of the Kubernetes API server. By default what the kubeconfig says, else V(true).
      - O(ignore:validate_certs) is for the workers of Kafka Connect.
      - If not set, the variable C(kafka_connect_strimzi_verify_ssl) of the host is used, else the environment variable E(K8S_AUTH_VERIFY_SSL).
    type: bool
"""
