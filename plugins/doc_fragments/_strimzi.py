# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may use it, its content can change at any time.

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  k8s_namespace:
    description:
      - The Kubernetes namespace with the resources of Strimzi, by default that of the kubeconfig or of the pod.
      - All modules of the action group take the options of Kubernetes, so that they can be set once; they are used by those with an option
        O(ignore:resource), and for a ledger in a ConfigMap.
      - With it a connector is taken for one that Strimzi's operator owns, where a module has the choice. So the variable of the host with this name, which
        may be there for something else, is used only if the task has O(ignore:method=strimzi), O(ignore:ledger=configmap), O(ignore:resource) or
        O(k8s_connect_cluster), or the host has the variable C(k8s_connect_cluster).
      - The former variables of the host, C(kafka_connect_strimzi_namespace) and so on for each option C(k8s_*), and C(kafka_connect_strimzi_cluster) for
        O(k8s_connect_cluster), still count.
    type: str
    aliases: [namespace]
  k8s_connect_cluster:
    description:
      - The KafkaConnect that a KafkaConnector must belong to by its label C(strimzi.io/cluster). With another one the task fails.
      - If not set, the variable of the host with this name is used.
    type: str
    aliases: [connect_cluster]
  k8s_kubeconfig:
    description:
      - The kubeconfig to use, with whatever it names to log in, C(tls-server-name) and C(proxy-url). Other options that are given win over it.
      - Without it, and without O(k8s_host), a pod uses the login that is mounted there, and anybody else E(KUBECONFIG) or C(~/.kube/config).
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_KUBECONFIG) or E(K8S_AUTH_KUBECONFIG).
    type: path
    aliases: [kubeconfig]
  k8s_context:
    description:
      - The context in the kubeconfig.
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_CONTEXT) or E(K8S_AUTH_CONTEXT).
    type: str
    aliases: [context]
  k8s_host:
    description:
      - The URL of the Kubernetes API server.
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_HOST) or E(K8S_AUTH_HOST).
    type: str
    aliases: [host]
  k8s_api_key:
    description:
      - The token for the Kubernetes API server.
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_API_KEY) or E(K8S_AUTH_API_KEY).
    type: str
    aliases: [api_key]
  k8s_ca_cert:
    description:
      - PEM file with the certificate authority of the Kubernetes API server.
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_CA_CERT) or E(K8S_AUTH_SSL_CA_CERT).
    type: path
    aliases: [ca_cert, ssl_ca_cert]
  k8s_verify_ssl:
    description:
      - Whether to verify the TLS certificate of the Kubernetes API server. By default what the kubeconfig says, else V(true).
      - O(ignore:kafka_connect_validate_certs) is for the workers of Kafka Connect.
      - If not set, the variable of the host with this name is used, else the environment variable E(K8S_VERIFY_SSL) or E(K8S_AUTH_VERIFY_SSL).
    type: bool
    aliases: [verify_ssl]
"""
