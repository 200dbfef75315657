# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The only file that knows AnsibleModule: shared options, the client behind them, errors -> fail_json, diff."""

from __future__ import annotations

import os

from ansible.module_utils.basic import AnsibleFallbackNotFound, AnsibleModule, missing_required_lib
from ansible_collections.streamops.kafka_connect.plugins.module_utils._errors import ConnectError, WishError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._http import REQUESTS_TRACEBACK, Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._rest import ConnectClient

#: below this, Ansible's masking of a secret hits unrelated values too
_SHORT_SECRET = 6

_RETRY_FOR = 60


def _from_environment(name):
    """Fallback to an environment variable. An empty one counts as unset, as AWX sets those of empty fields."""
    value = os.environ.get(name)
    if not value:
        raise AnsibleFallbackNotFound
    return value


def _option(env, **spec):
    return dict(spec, fallback=(_from_environment, [env]))


def connection_options() -> dict:
    """The options of the action group ``connect``, documented in doc_fragments/_connect.py."""
    return dict(
        connect_url=_option("KAFKA_CONNECT_URL", type="list", elements="str", aliases=["url"], required=True),
        url_username=_option("KAFKA_CONNECT_USERNAME", type="str"),
        url_password=_option("KAFKA_CONNECT_PASSWORD", type="str", no_log=True),
        bearer_token=_option("KAFKA_CONNECT_TOKEN", type="str", no_log=True),
        validate_certs=_option("KAFKA_CONNECT_VALIDATE_CERTS", type="bool", default=True),
        ca_path=_option("KAFKA_CONNECT_CA_PATH", type="path"),
        client_cert=_option("KAFKA_CONNECT_CLIENT_CERT", type="path"),
        client_key=_option("KAFKA_CONNECT_CLIENT_KEY", type="path"),
        use_proxy=_option("KAFKA_CONNECT_USE_PROXY", type="bool", default=True),
        timeout=_option("KAFKA_CONNECT_TIMEOUT", type="int", default=120),
    )


def run(options: dict, action, secrets=None, **rules) -> None:
    """A module's whole main(): ``action(client, params, check_mode) -> result`` between argument spec and exit.

    The result's ``diff`` is returned only when asked for; its ``warnings`` become the task's warnings.
    ``secrets(params)`` gives the secret texts inside options that are no secret as a whole.
    """
    module = AnsibleModule(argument_spec=dict(connection_options(), **options), supports_check_mode=True, **rules)
    if REQUESTS_TRACEBACK:
        module.fail_json(msg=missing_required_lib("requests"), exception=REQUESTS_TRACEBACK)
    if secrets:
        module.no_log_values.update(secrets(module.params))
    transport = None
    try:
        if module.params.get("wait_timeout", 1) < 1:
            raise WishError("wait_timeout must be at least 1 second, it is %d." % module.params["wait_timeout"])
        if module.params.get("max_entries", 0) < 0:
            raise WishError("max_entries must be 0 or more, it is %d." % module.params["max_entries"])
        transport = Transport(
            _given(module.params["connect_url"]), retry_for=module.params.get("wait_timeout", _RETRY_FOR),
            username=module.params["url_username"], password=module.params["url_password"],
            **{name: module.params[name] for name in (
                "bearer_token", "validate_certs", "ca_path", "client_cert", "client_key", "use_proxy", "timeout")})
        _warn(module, transport)
        result = action(ConnectClient(transport), module.params, module.check_mode)
    except ConnectError as error:
        for warning in error.warnings:
            module.warn(warning)
        module.fail_json(msg=error.message, **error.facts)
    finally:
        if transport is not None:
            transport.close()
    for warning in result.pop("warnings", []):
        module.warn(warning)
    if not module._diff:
        result.pop("diff", None)
    module.exit_json(**result)


def _given(values) -> list:
    return [value for value in values or [] if value and value.strip()]


def _warn(module, transport) -> None:
    if transport.exposes_credentials:
        module.warn("Credentials for Kafka Connect are sent over plain HTTP; use an https URL.")
    for name in ("url_password", "bearer_token"):
        if module.params[name] and len(module.params[name]) < _SHORT_SECRET:
            module.warn("%s is so short that Ansible masks parts of unrelated values in what this task returns: offsets in the "
                        "result may be unreadable. Use a longer secret." % name)
