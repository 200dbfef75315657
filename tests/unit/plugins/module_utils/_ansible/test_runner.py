# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import importlib
import json

import pytest
from ansible.module_utils import basic
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible import connect, runner
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

try:
    from ansible.module_utils.testing import patch_module_args
except ImportError:  # before ansible-core 2.19
    @contextlib.contextmanager
    def patch_module_args(args):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(basic, "_ANSIBLE_ARGS", json.dumps({"ANSIBLE_MODULE_ARGS": args}).encode("utf-8"))
            yield

URL = "http://127.0.0.1:8083"
NAMES = ("URL", "USERNAME", "PASSWORD", "TOKEN", "VALIDATE_CERTS", "CA_PATH", "CLIENT_CERT", "CLIENT_KEY", "USE_PROXY",
         "TIMEOUT")


class Outcome:
    """What a run returned, and what it was given: the transport's options, the action's arguments, the warnings."""


@pytest.fixture
def run(monkeypatch, capsys):
    for name in NAMES:
        monkeypatch.delenv("KAFKA_CONNECT_" + name, raising=False)

    def run(args, action=None, options=None, **rules):
        outcome = Outcome()
        outcome.warnings, outcome.closed, outcome.transport = [], 0, None
        real = connect.Transport

        class Recording(real):
            def __init__(self, urls, **given):
                outcome.transport = dict(given, urls=urls)
                super().__init__(urls, **given)

            def close(self):
                outcome.closed += 1
                super().close()

        def record(client, params, check_mode):
            outcome.client, outcome.params, outcome.check_mode = client, params, check_mode
            return action(client, params) if action else {"changed": False}

        with pytest.MonkeyPatch.context() as patch, patch_module_args(args):
            patch.setattr(connect, "Transport", Recording)
            patch.setattr(basic.AnsibleModule, "warn", lambda module, text, **more: outcome.warnings.append(text))
            with pytest.raises(SystemExit) as ended:
                runner.run(options or {}, record, connect=connect.connect, **rules)
        outcome.code = ended.value.code
        outcome.result = json.loads(capsys.readouterr().out)
        outcome.invocation = outcome.result.pop("invocation", None)
        return outcome

    return run


def raising(error):
    def action(client, params):
        raise error
    return action


def test_defaults(run):
    done = run({"kafka_connect_url": URL})
    assert (done.code, done.result, done.warnings, done.closed) == (0, {"changed": False}, [], 1)
    assert done.client.url == URL and done.check_mode is False
    assert done.transport == {
        "urls": [URL], "username": None, "password": None, "token": None, "validate_certs": True,
        "ca_path": None,
        "client_cert": None, "client_key": None, "use_proxy": True, "timeout": 120, "retry_for": 60}


@pytest.mark.parametrize("names", [
    ("kafka_connect_url", "kafka_connect_username", "kafka_connect_password", "kafka_connect_timeout", "kafka_connect_validate_certs",
     "kafka_connect_use_proxy", "kafka_connect_ca_path", "kafka_connect_client_cert", "kafka_connect_client_key"),
    ("connect_url", "url_username", "url_password", "timeout", "validate_certs", "use_proxy", "ca_path", "client_cert", "client_key"),
    ("url", "url_username", "url_password", "timeout", "validate_certs", "use_proxy", "ca_path", "client_cert", "client_key"),
])
def test_options_by_all_of_their_names(run, names):
    values = (f"{URL},http://127.0.0.1:8084/kc/", "ops", "p@ss:w/rd", "30", "no", False, "/ca", "/c", "/k")
    done = run({**dict(zip(names, values, strict=True)), "_ansible_check_mode": True})
    assert done.check_mode is True and done.client.url == URL
    assert done.transport == {
        "urls": [URL, "http://127.0.0.1:8084/kc/"], "username": "ops", "password": "p@ss:w/rd", "token": None,
        "validate_certs": False, "ca_path": "/ca", "client_cert": "/c", "client_key": "/k", "use_proxy": False,
        "timeout": 30,
        "retry_for": 60}


ENVIRONMENT = {"URL": URL + ",http://127.0.0.1:8084", "USERNAME": "ops", "PASSWORD": "p@ss:w/rd",
               "VALIDATE_CERTS": "False",
               "CA_PATH": "/ca", "CLIENT_CERT": "/c", "CLIENT_KEY": "/k", "USE_PROXY": "False", "TIMEOUT": "30"}


def test_environment(run, monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv("KAFKA_CONNECT_" + name, value)
    assert run({}).transport == {
        "urls": [URL, "http://127.0.0.1:8084"], "username": "ops", "password": "p@ss:w/rd", "token": None,
        "validate_certs": False, "ca_path": "/ca", "client_cert": "/c", "client_key": "/k", "use_proxy": False,
        "timeout": 30,
        "retry_for": 60}
    given = run({"kafka_connect_url": "http://127.0.0.1:9", "kafka_connect_validate_certs": True, "kafka_connect_timeout": 40}).transport
    assert (given["urls"], given["validate_certs"], given["timeout"]) == (["http://127.0.0.1:9"], True, 40)


def test_token_of_the_environment(run, monkeypatch):
    monkeypatch.setenv("KAFKA_CONNECT_TOKEN", "s3cret-token")
    done = run({"kafka_connect_url": URL}, lambda client, params: {"seen": "x s3cret-token x"})
    assert done.transport["token"] == "s3cret-token" and "s3cret" not in json.dumps(done.result)


def test_the_login_to_kubernetes_of_the_environment(run, monkeypatch):
    monkeypatch.setenv("K8S_AUTH_HOST", "https://awx")
    monkeypatch.setenv("K8S_AUTH_SSL_CA_CERT", "/awx.pem")
    monkeypatch.setenv("K8S_CA_CERT", "/ca.pem")
    for name in ("K8S_NAMESPACE", "K8S_CONNECT_CLUSTER"):  # they would make every connector one of Strimzi
        monkeypatch.setenv(name, "kafka")
    found = run({"kafka_connect_url": URL}).params
    assert (found["k8s_host"], found["k8s_ca_cert"], found["k8s_namespace"], found["k8s_connect_cluster"]) == ("https://awx", "/ca.pem", None, None)


def test_an_empty_variable_is_unset(run, monkeypatch):
    for name in NAMES:
        monkeypatch.setenv("KAFKA_CONNECT_" + name, "")
    done = run({"kafka_connect_url": URL})
    assert done.transport == {
        "urls": [URL], "username": None, "password": None, "token": None, "validate_certs": True,
        "ca_path": None,
        "client_cert": None, "client_key": None, "use_proxy": True, "timeout": 120, "retry_for": 60}
    missing = run({})
    assert missing.code == 1 and missing.result["msg"].startswith("kafka_connect_url is missing: give the URL")


@pytest.mark.parametrize("args, options, words", [
    ({"kafka_connect_url": ""}, {}, "kafka_connect_url is empty: give the URL"),
    ({"kafka_connect_url": ["", " "]}, {}, "kafka_connect_url is empty: give the URL"),
    ({"kafka_connect_url": URL, "kafka_connect_timeout": 0}, {}, "kafka_connect_timeout must be a positive number of seconds, it is 0."),
    ({"kafka_connect_url": URL, "wait_timeout": 0}, {"wait_timeout": {"type": "int", "default": 120}},
     "wait_timeout must be at least 1 second, it is 0."),
    ({"kafka_connect_url": URL, "wait_timeout": -5}, {"wait_timeout": {"type": "int"}},
     "wait_timeout must be at least 1 second"),
    ({"kafka_connect_url": URL, "check_position_timeout": 0}, {"check_position_timeout": {"type": "int"}},
     "check_position_timeout must be at least 1 second, it is 0."),
    ({"kafka_connect_url": URL, "kafka_connect_username": "u", "kafka_connect_token": "s3cret-token"}, {},
     "Give kafka_connect_username or kafka_connect_token, not both."),
    ({"kafka_connect_url": URL, "max_entries": -1}, {"max_entries": {"type": "int"}}, "max_entries must be 0 or more, it is -1."),
    ({"kafka_connect_url": "http://ops:s3cret@h"}, {}, "must not hold credentials"),
])
def test_options_that_are_refused(run, args, options, words):
    done = run(args, options=options)
    assert done.code == 1 and done.result["failed"] is True and words in done.result["msg"]
    assert "s3cret" not in done.result["msg"] and not hasattr(done, "client")


@pytest.mark.parametrize("module, args", [
    ("connector", {"name": "orders\n", "state": "absent"}),
    ("connector_changes_info", {"connector": "orders\n", "ledger_file": "/nowhere"}),
    ("connector_info", {"name": ["a", "orders\n"]}),
    ("connector_offsets", {"name": "orders\n", "state": "absent"}),
    ("connector_offsets", {"name": "a", "copy_from": "orders\n"}),
    ("connector_offsets_bulk", {"connectors": [{"name": "a", "state": "absent"}, {"name": "orders\n", "state": "absent"}]}),
    ("connector_offsets_export", {"connectors": ["orders\n"], "dest": "/nowhere/a.json"}),
    ("connector_offsets_import", {"connectors": ["orders\n"], "content": {"a": []}}),
    ("connector_offsets_info", {"name": "orders\n"}),
    ("connector_state", {"name": "orders\n", "state": "stopped"}),
    ("mirror_info", {"name": "orders\n"}),
])
def test_every_module_refuses_names_with_what_nobody_sees(module, args, stub, capsys):
    stub.reply(200, {})
    main = importlib.import_module(f"ansible_collections.streamops.kafka_connect.plugins.modules.{module}").main
    with patch_module_args({"kafka_connect_url": stub.url, **args}), pytest.raises(SystemExit):
        main()
    result = json.loads(capsys.readouterr().out)
    assert result["failed"] and "the connector's name 'orders\\n' begins or ends with a blank" in result["msg"]
    assert len(stub) == 0


@pytest.mark.parametrize("module, args", [
    ("connector_changes_info", {}),
    ("connector_offsets", {"name": "a", "state": "absent"}),
    ("connector_offsets_bulk", {"connectors": [{"name": "a", "state": "absent"}]}),
    ("connector_offsets_export", {"dest": "/nowhere/a.json"}),
    ("connector_offsets_import", {"content": {"a": []}}),
    ("connector_offsets_info", {}),
])
def test_every_module_that_takes_a_worker_config_reads_it(module, args, stub, capsys):
    main = importlib.import_module(f"ansible_collections.streamops.kafka_connect.plugins.modules.{module}").main
    with patch_module_args({"kafka_connect_url": stub.url, "worker_config": "/nowhere/w.properties", **args}), pytest.raises(SystemExit):
        main()
    result = json.loads(capsys.readouterr().out)
    assert result["failed"] and "worker_config /nowhere/w.properties cannot be read" in result["msg"] and len(stub) == 0


def test_wait_timeout_is_the_time_for_a_rebalance(run):
    assert run({"kafka_connect_url": URL, "wait_timeout": 7},
               options={"wait_timeout": {"type": "int"}}).transport["retry_for"] == 7


def test_without_the_requests_library(run, monkeypatch):
    monkeypatch.setattr(connect, "REQUESTS_TRACEBACK", "ImportError: requests")
    done = run({"kafka_connect_url": URL})
    assert done.code == 1 and "Failed to import the required Python library (requests)" in done.result["msg"]
    assert done.transport is None


def test_errors_become_failures(run):
    done = run({"kafka_connect_url": URL}, raising(errors.Refused("no: 50 %", url=URL, http_status=500)))
    assert (done.code, done.closed) == (1, 1)
    assert {name: done.result[name] for name in ("failed", "msg", "url", "http_status")} == {
        "failed": True, "msg": "no: 50 %", "url": URL, "http_status": 500}


@pytest.mark.parametrize("message, made, changes, says", [
    ("no", False, True, "no. Nothing was changed."), ("Stop it!", False, True, "Stop it! Nothing was changed."),
    ("Two are wrong:\n- a: b", False, True, "Two are wrong:\n- a: b\nNothing was changed."),
    ("no", True, True, "no"), ("no", False, False, "no")])
def test_a_failure_says_if_nothing_was_changed(run, message, made, changes, says):
    errors.WRITES.made = True  # by another module that this process has run

    def action(client, params):
        if made:
            errors.WRITES.note()
        raise errors.StateError(message)
    assert run({"kafka_connect_url": URL}, action, changes=changes).result["msg"] == says


@pytest.mark.parametrize("asked", [True, False])
def test_diff_only_when_asked_for(run, asked):
    done = run({"kafka_connect_url": URL, "_ansible_diff": asked}, lambda client,
               params: {"changed": True, "diff": [{"before": {}, "after": {}}]})
    assert ("diff" in done.result) is asked


def test_warnings(run):
    done = run({"kafka_connect_url": "http://connect.example:8083", "kafka_connect_username": "ops", "kafka_connect_password": "12345"},
               lambda client, params: {"changed": True, "warnings": ["look"]})
    assert "warnings" not in done.result and len(done.warnings) == 3 and done.warnings[2] == "look"
    assert done.warnings[0] == "Credentials for Kafka Connect are sent over plain HTTP; use an https URL."
    assert done.warnings[1].startswith("kafka_connect_password is so short that Ansible masks parts of unrelated values")
    assert run({"kafka_connect_url": URL, "kafka_connect_username": "ops", "kafka_connect_password": "123456"}).warnings == []


def test_secrets_inside_options_are_masked(run):
    done = run({"kafka_connect_url": URL, "config": {"database.password": "s3cret-word"}},
               lambda client, params: {"seen": "x s3cret-word x", "text": "word"}, {"config": {"type": "dict"}},
               secrets=lambda params: set(params["config"].values()))
    assert done.result["seen"] == "x ******** x" and done.result["text"] == "word"
    assert done.params["config"] == {"database.password": "s3cret-word"}


URLS = ["jdbc:x://h?password=s3cret-word", "a://u:s3cret-word@h/x", "https://h/b?sig=s3cret-word&n=1"]


@pytest.mark.parametrize("url", URLS)
def test_secrets_inside_offsets_are_masked_wherever_they_leave(run, url):
    pairs = [{"partition": {"url": url}, "offset": {"next": url, "n": 1}}]
    result = {"changed": True, "offsets": pairs, "diff": [{"before": {json.dumps({"url": url}): 1}, "after": {}}], "warnings": [f"look at {url}"],
              "manifests": [{"data": json.dumps(pairs)}]}
    options = {"offsets": {"type": "list", "elements": "dict"}}
    given = {"kafka_connect_url": URL, "offsets": pairs, "_ansible_diff": True}
    done = run(given, lambda client, params: dict(result), options, exact=("manifests",))
    assert done.params["offsets"] == pairs and done.result.pop("manifests") == result["manifests"]
    assert "s3cret" not in json.dumps([done.result, done.invocation]) and done.result["offsets"][0]["offset"]["n"] == 1
    failed = run(given, raising(errors.DeclarationError(f'{{"url": "{url}"}} is not live', offsets_before=pairs)), options)
    assert failed.code == 1 and "s3cret" not in json.dumps([failed.result, failed.invocation]) and "is not live" in failed.result["msg"]


def test_secrets_inside_offsets_are_masked_in_warnings_and_the_log(run, monkeypatch):
    logged, warned = [], []
    monkeypatch.setattr(basic.AnsibleModule, "log", lambda module, text, log_args=None: logged.append((text, log_args)))
    options = {"offsets": {"type": "list", "elements": "dict"}}
    for url in URLS:
        done = run({"kafka_connect_url": URL, "offsets": [{"partition": {"url": url}}]}, lambda client, params, url=url: {"warnings": [url]}, options)
        warned += done.warnings
    assert len(warned) == len(logged) == len(URLS) and "offsets" in logged[0][1] and "s3cret" not in json.dumps([logged, warned])


def test_secrets_inside_options_are_masked_in_the_log(run, monkeypatch):
    """The log is written while the module is made."""
    logged = []
    monkeypatch.setattr(basic.AnsibleModule, "log", lambda module, text, log_args=None: logged.append((text, log_args)))
    options = {"registry_options": {"type": "dict"}}
    given = {"kafka_connect_url": URL, "registry_options": {"r": {"token": "tok1234567"}}, "kafka_options": {"sasl.password": "s3cret-word"}}
    run(given, lambda client, params: {}, options, secrets=lambda params: {params["registry_options"]["r"]["token"]})
    assert "registry_options" in logged[0][1] and "tok1234567" not in json.dumps(logged) and "s3cret" not in json.dumps(logged)


def test_integers_are_exact(run):
    done = run({"kafka_connect_url": URL,
                "offsets": [{"offset": {"o": 9223372036854775807, "s": "5", "f": 4.0, "n": None, "t": True}}]},
               lambda client, params: {"offsets": params["offsets"]}, {"offsets": {"type": "list", "elements": "dict"}})
    assert json.dumps(done.result["offsets"]) == (
        '[{"offset": {"o": 9223372036854775807, "s": "5", "f": 4.0, "n": null, "t": true}}]')
