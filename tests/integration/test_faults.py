# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that are wrong, gateways in between, answers that get lost: a clear error and nothing changed, or the right outcome."""

from __future__ import annotations

import base64
import json
import socket
import time

import pytest

from tests.integration.support.configs import at, shaped
from tests.integration.support.proxy import LOSE, Answer
from tests.integration.support.worker import wait_until

ALL = {
    "connector": {"config": shaped(topic="x")},
    "connector_info": {},
    "connector_offsets": {"offsets": [at(1)]},
    "connector_offsets_info": {},
    "connector_state": {"state": "started"},
}
HTML = b"<html><head><title>Welcome to our portal</title></head><body>hello</body></html>"
PASSWORD = "p@ss:w/rd-Tr0ub4dor"


def free_url() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"


def named(module: str, name: str):
    return [name] if module == "connector_info" else name


@pytest.fixture
def kept(make, worker):
    """A stopped connector, which has to be the same at the end of the test."""
    name = make(shaped(), offsets=[at(4)])
    before = worker.picture(name)
    yield name
    assert worker.picture(name) == before


@pytest.fixture
def all_fail(run, kept):
    """all_fail(message..., **options): every module, dry and real, fails with these words, soon."""

    def all_fail(*messages: str, check_modes=(True, False), within: float = 30, **options) -> list[dict]:
        results = []
        for module, arguments in ALL.items():
            for check in check_modes:
                started = time.monotonic()
                result = run(module, check=check, name=named(module, kept), **{**arguments, **options})
                assert time.monotonic() - started < within, module
                assert result["failed"] and not result.get("changed"), module
                for message in messages:
                    assert message in result["msg"], f"{module}: {result['msg']}"
                results.append(result)
        return results

    return all_fail


# -- addresses


def test_unreachable(all_fail):
    url = free_url()
    all_fail(url, "no connection", "refused", connect_url=[url])


def test_unreachable_all_of_several(all_fail):
    urls = [free_url(), free_url()]
    all_fail("None of the 2", *urls, connect_url=urls)


def test_unknown_host(all_fail):
    all_fail("no-such-host.invalid", connect_url=["http://no-such-host.invalid:8083"], use_proxy=False)


@pytest.mark.parametrize(
    ("url", "message"),
    [("localhost:8083", "must look like"), ("ftp://h", "must look like"), ("http://u:secretpw@h:1", "must not hold credentials"),
     ("http://h:99999", "connect_url"), ("http://h/?a=b", "connect_url"), ("", "connect_url is empty")])
def test_url_that_is_none(url, message, all_fail):
    for result in all_fail(message, connect_url=[url]):
        assert "secretpw" not in result["msg"]


def test_two_urls_of_which_one_is_dead(make, run, worker, main):
    name = make(shaped())
    for urls in ([free_url(), main.url], [main.url, free_url()]):
        options = {"connect_url": urls}
        assert run("connector_offsets_info", name=name, **options)["connector_exists"] is True
        assert run("connector_info", name=[name], **options)["exists"] is True
        assert run("connector_offsets", name=name, offsets=[at(6)], **options)["changed"] is True
        assert run("connector_state", name=name, state="started", **options)["changed"] is True
        assert run("connector_state", name=name, state="stopped", **options)["changed"] is True
        assert run("connector_offsets", name=name, state="absent", **options)["changed"] is True
        assert worker.offsets(name) == [] and worker.state(name) == ("STOPPED", [])


# -- what is not Connect


@pytest.mark.parametrize("status", [200, 404, 400, 500])
def test_html_answers(status, proxy_to, all_fail):
    stub = proxy_to(None, lambda request: Answer(status, HTML, "text/html"))
    all_fail("not the root of a Connect REST API", "Welcome to our portal", stub.url, connect_url=[stub.url])
    assert stub.verbs == {"GET"}


def test_other_json(proxy_to, all_fail):
    stub = proxy_to(None, lambda request: Answer(200, b'{"hello": "world"}'))
    all_fail("not the root of a Connect REST API", connect_url=[stub.url])
    assert stub.verbs == {"GET"}


def test_redirect_to_a_login_page(proxy_to, all_fail):
    stub = proxy_to(None, lambda request: Answer(302, b"", "text/html"))
    all_fail("redirect", connect_url=[stub.url])


def test_wrong_prefix_of_a_real_worker(all_fail, main):
    all_fail("not the root of a Connect REST API", connect_url=[f"{main.url}/kc"])


def test_broker_in_place_of_a_worker(kept, run, live_stack):
    """A port that is open, but does not speak HTTP."""
    url = f"http://{live_stack.endpoints()['bootstrap_servers']}"
    result = run("connector_offsets", name=kept, offsets=[at(1)], connect_url=[url], wait_timeout=2)
    assert result["failed"] and url in result["msg"] and "connection" in result["msg"]


@pytest.mark.parametrize("slash", ["", "/"])
def test_c22_prefix_of_a_gateway_is_kept(slash, kept, proxy_to, run, main):
    gateway = proxy_to(main.url, lambda request: None, prefix="/kc/eu")
    info = run("connector_offsets_info", name=kept, connect_url=[gateway.url + slash])
    assert info["offsets"] == [at(4)]
    assert gateway.requests[0].path == f"/connectors/{kept}/status"


# -- credentials


@pytest.fixture
def guarded(proxy_to, main):
    """The main cluster behind a gate that wants the user ops or a bearer token."""
    good = {"Basic " + base64.b64encode(f"ops:{PASSWORD}".encode()).decode(), "Bearer t0ken-Tr0ub4dor"}

    def gate(request):
        if request.headers.get("Authorization") in good:
            return None
        return Answer(401, b'{"error_code":401,"message":"HTTP 401 Unauthorized"}')

    return proxy_to(main.url, gate)


@pytest.mark.parametrize(
    "options",
    [{}, {"url_username": "ops"}, {"url_username": "ops", "url_password": "wrong-Tr0ub4dor"}, {"bearer_token": "wrong-Tr0ub4dor"}])
def test_wrong_credentials(options, guarded, all_fail):
    for result in all_fail("401", "denied", connect_url=[guarded.url], **options):
        assert "Tr0ub4dor" not in json.dumps(result)
    assert guarded.verbs == {"GET"}


def test_forbidden(proxy_to, all_fail):
    stub = proxy_to(None, lambda request: Answer(403, b"RBAC: access denied", "text/plain"))
    all_fail("403", "RBAC: access denied", connect_url=[stub.url])


@pytest.mark.parametrize("options", [{"url_username": "ops", "url_password": PASSWORD}, {"bearer_token": "t0ken-Tr0ub4dor"}])
def test_right_credentials(options, make, guarded, run, worker):
    name = make(shaped(), offsets=[at(4)])
    result = run("connector_offsets", name=name, offsets=[at(2)], connect_url=[guarded.url], **options)
    assert result["changed"] is True and worker.offsets(name) == [at(2)]
    assert "Tr0ub4dor" not in json.dumps(result)


def test_writes_are_denied(make, proxy_to, run, worker, main):
    """A read-only user: the stop is refused, so nothing is changed."""
    name = make(shaped(), state="RUNNING")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    wait_until(lambda: worker.offsets(name) == [at(4)])
    gate = proxy_to(main.url, lambda request: None if request.verb == "GET" else Answer(403, b"read only", "text/plain"))
    for module, arguments in (("connector_offsets", {"offsets": [at(1)], "stop": True}), ("connector_state", {"state": "stopped"}),
                              ("connector", {"state": "absent"})):
        result = run(module, name=name, connect_url=[gate.url], **arguments)
        assert result["failed"] and "403" in result["msg"] and "read only" in result["msg"]
    assert worker.state(name) == ("RUNNING", ["RUNNING"]) and worker.offsets(name) == [at(4)]


# -- time


def test_time_out_too_small(proxy_to, all_fail, main):
    """The message names the limit that has to be larger than the worker's own."""
    slow = proxy_to(main.url, lambda request: time.sleep(2.5))
    all_fail("no answer within 1 s", "timeout", connect_url=[slow.url], timeout=1, check_modes=(True,), within=30)


def test_time_out_during_the_change_is_read_back(make, run, worker):
    """The plugin needs longer than we wait: the change arrives all the same, once, and is seen."""
    name = make(shaped(alter_delay_ms=3000))
    result = run("connector_offsets", name=name, offsets=[at(2)], timeout=1)
    assert not result["failed"], result["msg"]
    assert result["changed"] is True
    assert worker.offsets(name) == [at(2)]


# -- answers that get lost, and a cluster that is busy


@pytest.mark.parametrize("desired", [{"offsets": [at(9)]}, {"state": "absent"}], ids=["patch", "delete"])
def test_lost_answer_of_a_change(desired, make, proxy_to, run, worker, main):
    """It was carried out: read back, and not sent again."""
    name = make(shaped(), offsets=[at(4)])
    lossy = proxy_to(main.url, lambda request: LOSE if request.verb in ("PATCH", "DELETE") else None)
    result = run("connector_offsets", name=name, connect_url=[lossy.url], **desired)
    assert not result["failed"], result["msg"]
    assert result["changed"] is True and len(lossy.writes()) == 1
    assert worker.offsets(name) == desired.get("offsets", [])


def test_lost_answer_of_a_creation(name, proxy_to, run, worker, main):
    lossy = proxy_to(main.url, lambda request: LOSE if request.verb == "POST" else None)
    result = run("connector", name=name, config=shaped(topic=name), initial_state="stopped", connect_url=[lossy.url])
    assert not result["failed"], result["msg"]
    assert result["created"] is True and lossy.writes() == [("POST", "/connectors")]
    assert any("though the answer was" in text and "broke" in text for text in result["warnings"])
    assert worker.state(name) == ("STOPPED", [])


TIMED_OUT = b'{"error_code":500,"message":"Request timed out. The worker is currently flushing updates to its config topic."}'


def test_a_stop_that_is_answered_with_500_and_yet_took(make, proxy_to, run, worker, main):
    """Sent once: each stop rebalances the whole Connect cluster."""
    name = make(shaped(), state="RUNNING")
    worker.await_state(name, "RUNNING", ["RUNNING"])

    def late(request):
        if request.path.endswith("/stop"):
            worker.must("PUT", f"connectors/{name}/stop")
            return Answer(500, TIMED_OUT)
        return None

    unsure = proxy_to(main.url, late)
    result = run("connector_state", name=name, state="stopped", connect_url=[unsure.url])
    assert not result["failed"], result["msg"]
    assert result["changed"] is True and len(unsure.writes()) == 1 and worker.state(name) == ("STOPPED", [])
    assert result["warnings"] == [f"{name} is STOPPED as requested, though the answer was: PUT {unsure.url}/connectors/{name}/stop "
                                  "failed with 500: Request timed out. The worker is currently flushing updates to its config topic."]


def busy_once(verb: str, answers: list[Answer]):
    def trick(request):
        return answers.pop(0) if request.verb == verb and answers else None
    return trick


REBALANCE = b'{"error_code":409,"message":"Cannot complete request because of a conflicting operation (e.g. worker rebalance)"}'
EXPECTED = b'{"error_code":500,"message":"Request cannot be completed because a rebalance is expected"}'


@pytest.mark.parametrize("verb", ["GET", "PATCH", "PUT", "POST"])
def test_c18_rebalance_is_waited_for(verb, name, make, proxy_to, run, worker, main):
    answers = [Answer(409, REBALANCE), Answer(500, EXPECTED), Answer(409, REBALANCE)]
    busy = proxy_to(main.url, busy_once(verb, answers))
    url = {"connect_url": [busy.url], "name": name}
    assert run("connector", config=shaped(topic=name), initial_state="stopped", **url)["created"] is True
    assert run("connector_offsets", offsets=[at(2)], **url)["changed"] is True
    assert run("connector_state", state="paused", **url)["changed"] is True
    assert answers == []
    assert worker.offsets(name) == [at(2)] and worker.state(name)[0] == "PAUSED"


def test_c18_limit_is_kept_and_quotes_the_server(kept, proxy_to, run, main):
    busy = proxy_to(main.url, lambda request: Answer(409, REBALANCE) if request.verb == "PATCH" else None)
    started = time.monotonic()
    result = run("connector_offsets", name=kept, offsets=[at(2)], connect_url=[busy.url], wait_timeout=3)
    assert time.monotonic() - started < 30
    assert result["failed"] and "409" in result["msg"] and "conflicting operation" in result["msg"]
    assert len(busy.writes()) > 2


def test_c18_already_exists_is_not_tried_again(name, proxy_to, run, worker, main):
    """Created by somebody else in between."""
    other = proxy_to(main.url, lambda request: Answer(409, json.dumps(
        {"error_code": 409, "message": f"Connector {name} already exists"}).encode()) if request.verb == "POST" else None)
    result = run("connector", name=name, config=shaped(topic=name), connect_url=[other.url])
    assert result["failed"] and "already exists" in result["msg"]
    assert len(other.writes()) == 1
    assert not worker.exists(name)


def test_listing_while_the_connector_adds_partitions(make, proxy_to, run, main):
    """A worker's 500 when its list grows while it walks through it (a ConcurrentModificationException, seen on 4.3.1)."""
    name = make(shaped(), offsets=[at(4)])
    text = json.dumps({"error_code": 500, "message": f"Failed to retrieve offsets for source connector {name}"}).encode()
    growing = proxy_to(main.url, lambda request: answers.pop() if request.path.endswith("/offsets") and answers else None)
    answers = [Answer(500, text)]
    info = run("connector_offsets_info", name=name, connect_url=[growing.url])
    assert not info["failed"], info["msg"]
    assert info["offsets"] == [at(4)]


@pytest.mark.parametrize("body", [b"", b"upstream connect error", HTML])
def test_gateway_that_is_down_for_a_moment(body, kept, proxy_to, run, main):
    gateway = proxy_to(main.url, busy_once("GET", [Answer(503, body, "text/html")]))
    assert run("connector_offsets_info", name=kept, connect_url=[gateway.url])["offsets"] == [at(4)]


def test_gateway_that_stays_down(kept, proxy_to, run):
    down = proxy_to(None, lambda request: Answer(503, b"upstream connect error", "text/plain"))
    result = run("connector_offsets", name=kept, offsets=[at(1)], connect_url=[down.url], wait_timeout=2)
    assert result["failed"] and "503" in result["msg"] and "upstream connect error" in result["msg"]
