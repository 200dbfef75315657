# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The only file that knows AnsibleModule: options in, clients opened and closed, results, errors and warnings out."""

from __future__ import annotations

import contextlib
import gc
import re

from ansible.module_utils.basic import AnsibleModule, missing_required_lib
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import connection_options
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.display import shown, shown_text
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import (
    WRITES,
    ConnectError,
    DeclarationError,
    LibraryMissing,
    NoConnector,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import check_name

#: below this, Ansible's masking of a secret hits unrelated values too
_SHORT_SECRET = 6

#: options that hold a connector's name, a list of names or patterns, or a list of entries with a name
_NAMES = ("name", "connector", "connectors", "copy_from")

#: settings of librdkafka whose values are secrets
_SECRET_SETTING = re.compile(r"password|passphrase|private\.key|secret|token(?![._]endpoint)|\bpem$|jaas|oauthbearer\.config", re.IGNORECASE)

#: options that are numbers: the least that they may be, and what is said of less
_LEAST = {
    "wait_timeout": (1, "wait_timeout must be at least 1 second, it is %d."),
    "catch_up_timeout": (0, "catch_up_timeout must be 0 or more seconds, it is %d."),
    "check_position_timeout": (1, "check_position_timeout must be at least 1 second, it is %d."),
    "settle": (0, "settle must be 0 or more seconds, it is %d."),
    "max_entries": (0, "max_entries must be 0 or more, it is %d."),
}

_SECRETS = tuple(name for name, spec in connection_options().items() if spec.get("no_log"))


class Module(AnsibleModule):
    """Secrets inside of offsets, partitions and URLs leave it masked, to the system's log too, and long texts cut (see _core.display)."""

    #: results that are meant to be written somewhere
    exact = ()

    def __init__(self, secrets=None, **spec):
        """secrets: see run()."""
        self._secret_texts = secrets
        super().__init__(**spec)
        self._hide()

    def _hide(self) -> None:
        """Secret texts inside options that are no secret as a whole are masked wherever the module's arguments are shown."""
        params = dict(dict.fromkeys(self.argument_spec), **self.params)
        self.no_log_values.update(_secrets(params), self._secret_texts(params) if self._secret_texts else ())

    def _log_invocation(self):
        """To the system's log, while the module is made."""
        self._hide()
        super()._log_invocation()

    def log(self, msg, log_args=None):
        super().log(shown_text(msg) if isinstance(msg, str) else msg, log_args=shown(log_args))

    def warn(self, warning, **more):
        super().warn(shown_text(warning), **more)

    def fail_json(self, msg, **facts):
        self._hide()  # not done yet where the arguments themselves are wrong
        super().fail_json(shown_text(msg), **self._shown(facts))

    def exit_json(self, **result):
        super().exit_json(**self._shown(result))

    def _shown(self, result) -> dict:
        found = dict(shown(result), **{name: result[name] for name in self.exact if name in result})
        arguments = shown(self.params)
        if arguments != self.params:
            found["invocation"] = {"module_args": arguments}
        return found


def run(options: dict, action, connect=None, brokers=None, sources=None, prepare=None, secrets=None, exact=(), of_topics=False,
        changes=False, **rules) -> None:
    """A module's whole main(): ``action(*clients, params, check_mode) -> result`` between argument spec and exit.

    connect, brokers, sources: what the module needs, each ``open(module) -> context manager`` of a client; the action gets them in this order.
    One that is not given is None, but a module with ``connect`` has a worker, brokers or a file to work with.
    The result's ``diff`` is returned only when asked for; its ``warnings`` become the task's warnings.
    changes: it can change something, so that a failure says if nothing was changed.
    of_topics: it is about topics, so that its names are those of topics, and a worker is asked only where there is one.
    prepare(module): completes the options. secrets(params): the secret texts inside options that are no secret as a whole. exact: results in which
    no secret is masked, as they are there to be written.
    """
    WRITES.made = False
    gc.disable()  # a short life, and maybe a hundred thousand offsets
    module = Module(secrets, argument_spec=dict(connection_options(), **options), supports_check_mode=True, **rules)
    module.exact = exact
    try:
        if prepare:
            prepare(module)
        _check(module.params, () if of_topics else _NAMES)
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(opened(module)) for opened in (connect, brokers, sources) if opened]
            if connect and not of_topics:
                _check_clients(module.params, clients[0], clients[1] if brokers else None, bool(brokers))
            _warn_of_short_secrets(module)
            result = _act(action, clients, module)
    except LibraryMissing as error:
        module.fail_json(msg=missing_required_lib(error.library), exception=error.traceback)
    except ConnectError as error:
        for warning in error.warnings:
            module.warn(warning)
        if changes and not WRITES.made:
            error.also("Nothing was changed.")
        module.fail_json(msg=error.message, **error.facts)
    finally:
        gc.enable()
    for warning in result.pop("warnings", []):
        module.warn(warning)
    if not module._diff:
        result.pop("diff", None)
    module.exit_json(**result)


def _act(action, clients, module) -> dict:
    try:
        return action(*clients, module.params, module.check_mode)
    except NoConnector as error:  # so there is a worker, or an operator, that was asked
        raise clients[0].explained(error)


def _secrets(params) -> set:
    """Secret texts among the further settings of librdkafka. All of a text that could not be read as settings."""
    clusters, found = params["kafka_connect_source_clusters"] or [], set()
    for one in [params] + (clusters if isinstance(clusters, list) else [{"kafka_options": clusters}]):
        options = one.get("kafka_options") if isinstance(one, dict) else one
        if isinstance(options, dict):
            found.update(str(value) for name, value in options.items() if value and _SECRET_SETTING.search(str(name)))
        elif options:
            found.add(str(options))
    return found


def _check(params, names) -> None:
    """Raises DeclarationError for a number that is too small, and for the name of a connector that cannot be meant."""
    for option, (least, text) in _LEAST.items():
        if params.get(option, least) < least:
            raise DeclarationError(text % params[option])
    for option in names:
        given = params.get(option)
        for one in given if isinstance(given, list) else [given]:
            check_name(one["name"] if isinstance(one, dict) else one, option)


def _check_clients(params, client, kafka, brokers: bool) -> None:
    """Raises DeclarationError where nothing is given to work with. brokers: would they do?"""
    if client is None and kafka is None and not params.get("offset_file") and not params.get("ledger_file"):
        raise DeclarationError("kafka_connect_url is %s: give the URL of at least one worker of the Connect cluster%s." % (
            "missing" if params["kafka_connect_url"] is None else "empty",
            ", or kafka_bootstrap_servers to work on the offsets topic alone" if brokers else ""))


def _warn_of_short_secrets(module) -> None:
    for name in _SECRETS:
        if module.params[name] and len(module.params[name]) < _SHORT_SECRET:
            module.warn("%s is so short that Ansible masks parts of unrelated values in what this task returns: offsets in the "
                        "result may be unreadable. Use a longer secret." % name)
