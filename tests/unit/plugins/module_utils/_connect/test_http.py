# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import ssl
import subprocess

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.http import Transport
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

REBALANCE = "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"
PASSWORD = "p@ss:w/rd"


class Time:
    """A clock that runs only in sleep()."""

    def __init__(self):
        self.now, self.pauses = 0.0, []

    def sleep(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds

    def clock(self):
        return self.now


@pytest.fixture
def time():
    return Time()


@pytest.fixture
def transport(time):
    made = []

    def make(*urls, **options):
        made.append(Transport(urls, sleep=time.sleep, clock=time.clock, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def fails(kind, transport, verb="GET", path="connectors", body=None):
    with pytest.raises(errors.ConnectError) as caught:
        transport.call(verb, path, body)
    assert caught.value.__class__ is kind, caught.value.message
    return caught.value


# ---- busy ---------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("verb", ["GET", "PUT", "POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("status, message",
                         [(409, REBALANCE), (500, "Request cannot be completed because a rebalance is expected")])
def test_a_rebalance_is_waited_for(stub, transport, time, verb, status, message):
    stub.error(status, message, times=2).reply(200, {"a": 1})
    assert transport(stub.url).call(verb, "connectors", {"b": 2}) == {"a": 1}
    assert stub.lines == [f"{verb} /connectors"] * 3 and [request[3] for request in stub.requests] == [b'{"b": 2}'] * 3
    assert len(time.pauses) == 2 and 0.1 <= time.pauses[0] <= 0.2 <= time.pauses[1] <= 0.4


def test_waiting_for_a_rebalance_has_an_end(stub, transport, time):
    stub.error(409, REBALANCE)
    error = fails(errors.Rebalancing, transport(stub.url, retry_for=30), "PATCH", body={})
    assert error.message == f"PATCH {stub.url}/connectors failed with 409: {REBALANCE}. Tried again for 30 s."
    assert 25 <= time.now <= 30 and max(time.pauses) <= 5 and len(stub) == len(time.pauses) + 1
    assert (error.facts["http_status"], error.facts["server_message"]) == (409, REBALANCE)


def test_that_a_connector_exists_is_final(stub, transport, time):
    stub.error(409, "Connector c already exists")
    error = fails(errors.Exists, transport(stub.url), "POST", body={})
    assert error.facts["server_message"] == "Connector c already exists"
    assert len(stub) == 1 and time.pauses == []


@pytest.mark.parametrize("verb, path, status, message, made", [
    ("PATCH", "connectors/c/offsets", 200, "done", True), ("PUT", "connectors/c/stop", 204, None, True), ("GET", "connectors", 200, "c", False),
    ("PATCH", "connectors/c/offsets", 400, "no such partition", False), ("PATCH", "connectors/c/offsets", 403, "no", False),
    ("DELETE", "connectors/c", 404, "Connector c not found", False), ("POST", "connectors", 409, "Connector c already exists", False),
    ("PATCH", "connectors/c/offsets", 500, "Failed to alter", True), ("PUT", "connectors/c/stop", 500, "Request timed out", True),
    ("PUT", "connector-plugins/C/config/validate", 200, "ok", False),
])
def test_what_is_noted_as_a_change(stub, transport, verb, path, status, message, made):
    stub.reply(status, {"error_code": status, "message": message})
    with contextlib.suppress(errors.RestError):
        transport(stub.url).call(verb, path, {})
    assert errors.WRITES.made is made and len(stub) == 1


def test_what_was_not_sent_changes_nothing(transport, refused):
    fails(errors.Unreachable, transport(refused), "PATCH", body={})
    assert not errors.WRITES.made


# ---- who answers? -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("status, body, headers, kind, once, words", [
    (200, "<html><title>Welcome</title></html>", {}, errors.NotConnect, True,
     "answered 200 with something that is not JSON (Welcome)"),
    (404, "<html><title>404 Not Found</title></html>", {}, errors.NotConnect, True,
     "answered 404 with something that is not Connect's"),
    (404, '{"error_code": 404, "message": "Connector c not found"}', {}, errors.NoConnector, True,
     "There is no such connector"),
    (502, "<html><title>502 Bad Gateway</title></html>", {}, errors.OutcomeUnknown, False, "failed with 502: 502 Bad Gateway"),
    (503, "upstream connect error", {}, errors.OutcomeUnknown, False, "failed with 503: upstream connect error"),
    (302, "", {"Location": "https://login.example/?s3cret"}, errors.NotConnect, True,
     "answered 302, a redirect to https://login.example/."),
    (400, "<title>Error 400 Ambiguous URI path encoding</title>", {}, errors.AmbiguousName, True,
     "Connect 4.0 or later"),
    (405, '{"error_code": 405, "message": "HTTP 405 Method Not Allowed"}', {}, errors.EndpointMissing, True,
     "HTTP 405"),
    (500, '{"error_code": 500, "message": "Bad \u00e9 offset"}', {}, errors.Refused, True,
     "failed with 500: Bad é offset"),
])
def test_answers(stub, transport, status, body, headers, kind, once, words):
    stub.reply(status, body, **headers)
    error = fails(kind, transport(stub.url))
    assert words in error.message and error.message.count(stub.url + "/connectors") == 1
    assert (len(stub) == 1) is once and error.facts["http_status"] == status


STARTING = "<html><head><title>Error 404 Not Found</title></head><body><h2>HTTP ERROR 404 Not Found</h2></body></html>"


@pytest.mark.parametrize("verb", ["GET", "PUT"])
def test_a_worker_that_is_restarted_is_not_mistaken_for_something_else(stub, transport, verb):
    stub.reply(200, {}).reply(404, STARTING)
    made = transport(stub.url)
    made.call("GET", "connectors")
    error = fails(errors.Unreachable, made, verb, "connectors/c/resume")
    assert error.message == f"{verb} {stub.url}/connectors/c/resume: the worker, which has answered before, is starting."
    assert not errors.WRITES.made and len(stub) == 2


def test_while_one_worker_is_restarted_another_one_is_asked(stub, make_stub, transport):
    other = make_stub().reply(200, {"a": 1})
    stub.reply(200, {}).reply(404, STARTING)
    made = transport(stub.url, other.url)
    made.call("GET", "connectors")
    assert made.call("GET", "connectors") == {"a": 1} and made.url == other.url


@pytest.mark.parametrize("page", ["<title>404 Not Found</title>", STARTING])
def test_what_has_never_answered_or_is_no_worker_is_not_waited_for(stub, transport, page):
    stub.reply(404, page) if page == STARTING else stub.reply(200, {}).reply(404, page)
    made = transport(stub.url)
    if page != STARTING:
        made.call("GET", "connectors")
    fails(errors.NotConnect, made)


def test_a_redirect_is_not_followed(stub, make_stub, transport):
    other = make_stub().reply(200, {})
    stub.reply(307, "", Location=other.url + "/connectors")
    fails(errors.NotConnect, transport(stub.url, username="ops", password=PASSWORD))
    assert len(other) == 0


@pytest.mark.parametrize("prefix", ["/kc/eu", "/kc/eu/", "/kc/eu//", "", "/"])
def test_a_prefix_is_kept(stub, transport, prefix):
    stub.reply(200, {})
    made = transport(stub.url + prefix)
    made.call("GET", "connectors/c/offsets")
    made.call("GET", "")
    kept = prefix.rstrip("/")
    assert stub.lines == [f"GET {kept}/connectors/c/offsets", f"GET {kept}/"] and made.url == stub.url + kept


@pytest.mark.parametrize("body, result",
                         [("", None), ("  \n", None), ("null", None), ("[]", []), ('{"a": 4.0}', {"a": 4.0})])
def test_bodies(stub, transport, body, result):
    stub.reply(200, body)
    assert transport(stub.url).call("GET", "connectors") == result


def test_integers_are_exact_both_ways(stub, transport):
    value = {"max": 9223372036854775807, "min": -9223372036854775808, "id": 1547863325117001729,
             "over": 18446744073709551615,
             "float": 4.0, "text": "4", "é": "🚚"}
    stub.reply(200, value)
    assert json.dumps(transport(stub.url).call("PATCH", "connectors/c/offsets", value)) == json.dumps(value)
    assert json.loads(stub.requests[0][3]) == value and "9223372036854775807" in stub.requests[0][3].decode("utf-8")
    assert stub.requests[0][2]["Content-Type"] == "application/json"


# ---- credentials --------------------------------------------------------------------------------------------------

def test_basic_authentication(stub, transport):
    stub.reply(200, {}).error(401, "User cannot access the resource.")
    made = transport(stub.url, username="ops", password=PASSWORD)
    made.call("GET", "connectors")
    assert stub.requests[0][2]["Authorization"] == "Basic " + base64.b64encode(b"ops:p@ss:w/rd").decode("ascii")
    error = fails(errors.AccessDenied, made)
    assert "denied with 401 (User cannot access the resource.). Check the user ops and its password." in error.message
    assert PASSWORD not in error.message + str(error.facts) and len(stub) == 2


def test_basic_authentication_beyond_latin_1(stub, transport):
    stub.reply(200, {})
    transport(stub.url, username="öps", password="пароль").call("GET", "connectors")
    assert stub.requests[0][2]["Authorization"] == "Basic " + base64.b64encode("öps:пароль".encode()).decode("ascii")


def test_bearer_token(stub, transport):
    stub.reply(200, {}).error(401, "")
    made = transport(stub.url, token="s3cret-token")
    made.call("GET", "connectors")
    assert stub.requests[0][2]["Authorization"] == "Bearer s3cret-token"
    error = fails(errors.AccessDenied, made)
    assert "Check kafka_connect_token." in error.message and "s3cret" not in error.message + str(error.facts)


@pytest.mark.parametrize("token", ["s3cret-token\n", "s3cret\r\nX-Other: 1", "s3cret-тoken"])
def test_a_token_that_no_header_can_hold(stub, transport, token):
    stub.reply(200, {})
    try:
        transport(stub.url, token=token).call("GET", "connectors")
    except errors.ConnectError as error:
        assert "s3cret" not in error.message
    else:  # a line end at the end of a file is no part of the token
        assert stub.requests[0][2]["Authorization"] == "Bearer " + token.strip()


def test_netrc_is_not_used(stub, transport, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login other password other\n", encoding="utf-8")
    stub.reply(200, {})
    transport(stub.url).call("GET", "connectors")
    assert "Authorization" not in stub.requests[0][2]


def test_a_proxy_of_the_environment(stub, make_stub, transport, monkeypatch):
    proxy = make_stub().reply(200, {"by": "proxy"})
    stub.reply(200, {"by": "worker"})
    monkeypatch.setenv("http_proxy", proxy.url)
    assert transport(stub.url).call("GET", "connectors") == {"by": "proxy"}
    assert transport(stub.url, use_proxy=False).call("GET", "connectors") == {"by": "worker"}


def test_a_dead_proxy(stub, transport, monkeypatch, refused):
    monkeypatch.setenv("http_proxy", refused)
    assert "kafka_connect_use_proxy: false goes around it." in fails(errors.Unreachable, transport(stub.url)).message


@pytest.mark.parametrize("url, credentials, exposed", [
    ("http://h:8083", {"username": "u"}, True), ("http://h:8083", {"token": "t"}, True),
    ("http://h:8083", {}, False),
    ("https://h", {"username": "u"}, False), ("http://localhost:8083", {"username": "u"}, False),
    ("http://127.0.0.1:1", {"username": "u"}, False), ("http://[::1]:1", {"username": "u"}, False),
])
def test_exposes_credentials(transport, url, credentials, exposed):
    assert transport("https://i", url, **credentials).exposes_credentials is exposed


# ---- options ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("url, words", [
    ("http://ops:s3cret@h:8083", "must not hold credentials"),
    ("http://ops@h:8083", "must not hold credentials"),
    ("http://ops:p@s3cret:w/rd@h:8083", "must not hold credentials"),
    # not understood, and just for that not to be quoted
    ("ops:s3cret@h:8083", ""), ("http://ops:s3cret@h:99999", ""), ("http://ops:s3cret/x@h:8083", ""),
    ("http:/ops:s3cret@h", ""),
    ("http://ops:s3cret?x@h:8083", ""), ("https://h:8083/?token=s3cret", ""), ("http://h:8083/#s3cret", ""),
])
def test_credentials_in_a_url_are_refused_and_not_quoted(url, words):
    with pytest.raises(errors.DeclarationError) as caught:
        Transport([url])
    assert "s3cret" not in caught.value.message
    assert words in caught.value.message and "kafka_connect_url" in caught.value.message


@pytest.mark.parametrize("url, words", [
    ("https://api.confluent.cloud/connect/v1/environments/env-1/clusters/lkc-1", "Confluent Cloud"),
    ("https://kafkaconnect.eu-west-1.amazonaws.com/v1", "Amazon MSK Connect"), ("https://b-1.x.kafka.us-east-1.amazonaws.com:9098", "Amazon MSK")])
def test_clouds_without_workers_are_refused_before_any_request(url, words):
    with pytest.raises(errors.DeclarationError) as caught:
        Transport(["http://h:8083", url])
    assert caught.value.message.startswith(f"kafka_connect_url {url}: this is not a Connect worker, but ") and words in caught.value.message


@pytest.mark.parametrize("url",
                         ["h:8083", "ftp://h", "http://", "http:///x", "http://h:x", "http://h:0", "http://[::1",
                          "http://h?x", "h", ""])
def test_other_urls_are_refused(url):
    with pytest.raises(errors.DeclarationError, match="^kafka_connect_url"):
        Transport(["http://h:8083", url])


@pytest.mark.parametrize("options, words", [
    ({"urls": []}, "kafka_connect_url is empty"),
    ({"timeout": 0}, "timeout must be a positive number of seconds, it is 0."),
    ({"password": "p"}, "kafka_connect_password is given without kafka_connect_username."),
    ({"username": "u", "token": "t"}, "Give kafka_connect_username or kafka_connect_token, not both."),
])
def test_options_that_are_refused(options, words):
    with pytest.raises(errors.DeclarationError) as caught:
        Transport(**dict({"urls": ["http://h:8083"]}, **options))
    assert words in caught.value.message


# ---- connections --------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("verb", ["GET", "PATCH"])
def test_the_second_worker_is_tried(stub, transport, time, refused, verb):
    stub.reply(200, {"a": 1})
    made = transport(refused, stub.url)
    assert made.call(verb, "connectors", {}) == {"a": 1} and made.url == stub.url
    made.call(verb, "connectors", {})
    assert len(stub) == 2 and time.pauses == []


def test_all_workers_are_down(transport, refused):
    error = fails(errors.Unreachable, transport(refused, refused + "/x"), "PATCH", body={})
    assert error.message.startswith(f"None of the 2 Connect workers can be reached: PATCH {refused}/connectors: no "
                                    f"connection")
    assert f"{refused}/x/connectors: no connection to this worker: " in error.message
    assert "refused" in error.message and "object at 0x" not in error.message


def test_one_worker_is_down(transport, refused):
    error = fails(errors.Unreachable, transport(refused))
    assert error.message.startswith(f"GET {refused}/connectors: no connection to this worker: ")


def test_a_host_that_does_not_exist(transport):
    error = fails(errors.Unreachable, transport("http://no-such-host.invalid:8083"))
    assert "no connection to this worker" in error.message and "object at 0x" not in error.message


NO_LEADER = "IO Error trying to forward REST request: java.net.ConnectException: Connection refused"


@pytest.mark.parametrize("verb", ["GET", "PUT", "POST", "PATCH", "DELETE"])
def test_a_worker_that_cannot_reach_its_leader_has_done_nothing(stub, make_stub, transport, time, verb):
    other = make_stub().reply(200, {"a": 1})
    stub.error(500, NO_LEADER)
    made = transport(stub.url, other.url)
    assert made.call(verb, "connectors/c/stop", {}) == {"a": 1}
    assert (len(stub), len(other), made.url, time.pauses) == (1, 1, other.url, [])


@pytest.mark.parametrize("verb", ["PUT", "PATCH"])
def test_a_new_leader_is_waited_for(stub, transport, time, verb):
    stub.error(500, NO_LEADER, times=3).reply(200, {"a": 1})
    assert transport(stub.url).call(verb, "connectors/c/stop", {}) == {"a": 1}
    assert len(stub) == 4 and len(time.pauses) == 3


def test_no_worker_reaches_the_leader(stub, transport, time, refused):
    stub.error(500, NO_LEADER)
    error = fails(errors.NoLeader, transport(stub.url, refused, retry_for=30), "PUT", "connectors/c/stop")
    assert error.message.startswith(
        f"None of the 2 Connect workers can carry out the request: PUT {stub.url}/connectors/c/stop answered 500: this worker does not reach the "
        f"leader of its Connect cluster, so nothing was done ({NO_LEADER}). Check the address that the leader advertises")
    assert f"PUT {refused}/connectors/c/stop: no connection" in error.message and error.message.endswith("Tried again for 30 s.")
    assert 20 <= time.now <= 30
    assert errors.NoLeader not in errors.UNSURE


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "DELETE"])
def test_after_an_answer_in_doubt_another_worker_is_asked(stub, make_stub, transport, verb):
    other = make_stub().reply(200, {"a": 1})
    stub.error(500, "IO Error trying to forward REST request: java.io.EOFException")
    made = transport(stub.url, other.url)
    fails(errors.OutcomeUnknown, made, verb, body={})
    assert made.call("GET", "connectors") == {"a": 1} and (len(stub), len(other)) == (1, 1)


@pytest.mark.parametrize("verb, doubt", [("GET", ""), ("PATCH", "; a change may still be carried out"), ("PUT", "; a change may still be carried out")])
def test_an_answer_that_does_not_come(stub, transport, verb, doubt):
    stub.breaks(stub.HANG)
    error = fails(errors.ResponseLost, transport(stub.url, timeout=0.2), verb, body={})
    assert error.message == (
        f"{verb} {stub.url}/connectors: no answer within 0.2 s{doubt}. This time limit is below the worker's own of "
        "90 s: raise kafka_connect_timeout.")
    assert stub.came.wait(10)  # a client that gives up can be ahead of the stub on a busy machine
    assert len(stub) == 1 and error.facts["timed_out"] is True


@pytest.mark.parametrize("verb", ["PATCH", "PUT", "POST", "DELETE"])
@pytest.mark.parametrize("how", ["RESET", "CLOSE"])
def test_a_write_is_sent_once_when_the_connection_breaks(stub, make_stub, transport, time, verb, how):
    other = make_stub().reply(200, {})
    stub.breaks(getattr(stub, how))
    error = fails(errors.ResponseLost, transport(stub.url, other.url), verb, body={})
    assert "the connection broke before an answer came" in error.message
    assert (len(stub), len(other), time.pauses) == (1, 0, [])


def test_a_read_is_repeated_when_the_connection_breaks(stub, make_stub, transport):
    other = make_stub().reply(200, {"a": 1})
    stub.breaks(stub.RESET)
    assert transport(stub.url, other.url).call("GET", "connectors") == {"a": 1}
    assert (len(stub), len(other)) == (1, 1)


def test_a_read_that_took_the_workers_whole_time_is_not_repeated(stub, transport, time):
    """A topic that is gone: the worker gives up after 90 s, each time."""
    stub.error(500, "Request timed out. The worker is currently reading its offsets topic.")
    made = transport(stub.url)
    send = made._send
    made._send = lambda *args: (time.sleep(90), send(*args))[1]
    error = fails(errors.OutcomeUnknown, made)
    assert len(stub) == 1 and error.message.endswith("failed with 500: Request timed out. The worker is currently reading its offsets topic.")


def test_repeated_reads_have_an_end(stub, transport, time):
    stub.breaks(stub.RESET)
    fails(errors.ResponseLost, transport(stub.url))
    assert len(stub) == len(time.pauses) + 1 > 2 and time.now <= 10


@pytest.mark.parametrize("status, body",
                         [(504, "<title>Gateway Time-out</title>"),
                          (500, '{"error_code": 500, "message": "Request timed out"}')])
def test_an_unsure_write_is_not_repeated(stub, transport, status, body):
    stub.reply(status, body)
    fails(errors.OutcomeUnknown, transport(stub.url), "PATCH", body={})
    assert len(stub) == 1


@pytest.mark.parametrize("headers",
                         [{"Content-Length": "100"}, {"Content-Length": "1, 2"}, {"Content-Encoding": "gzip"}])
def test_an_answer_that_cannot_be_read_is_lost(stub, transport, headers):
    stub.reply(200, "{}", **headers)
    fails(errors.ResponseLost, transport(stub.url), "PATCH", body={})
    assert len(stub) == 1


# ---- TLS ----------------------------------------------------------------------------------------------------------

@pytest.fixture
def pem(tmp_path):
    """A function that makes a self-signed certificate with its key, in one file."""
    if not shutil.which("openssl"):
        pytest.skip("needs the command openssl")

    def make(name):
        path = str(tmp_path / name)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2",
             "-subj", "/CN=" + name, "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", path + ".key", "-out",
             path + ".crt"],
            check=True, capture_output=True)
        with open(path, "w", encoding="ascii") as both:
            for part in (".crt", ".key"):
                with open(path + part, encoding="ascii") as file:
                    both.write(file.read())
        return path

    return make


def server_context(path, client=None):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    if client:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client)
    return context


def test_certificates_are_verified(pem, make_stub, transport, monkeypatch):
    server = pem("server")
    stub = make_stub(server_context(server)).reply(200, {"a": 1})
    error = fails(errors.ConnectError, transport(stub.url))
    assert "TLS failed: " in error.message and "self-signed certificate" in error.message.replace("self signed",
                                                                                                  "self-signed")
    assert "name its file in kafka_connect_ca_path" in error.message
    fails(errors.ConnectError, transport(stub.url, ca_path=pem("other") + ".crt"))
    assert len(stub) == 0
    assert transport(stub.url, ca_path=server + ".crt").call("GET", "connectors") == {"a": 1}
    assert transport(stub.url, validate_certs=False).call("GET", "connectors") == {"a": 1}
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", pem("third") + ".crt")
    assert transport(stub.url, validate_certs=False).call("GET", "connectors") == {"a": 1}
    assert transport(stub.url, ca_path=server + ".crt").call("GET", "connectors") == {"a": 1}


@pytest.mark.parametrize("how", ["RESET", "CLOSE"])
def test_a_connection_that_breaks_under_tls(pem, make_stub, transport, how):
    server = pem("server")
    stub = make_stub(server_context(server))
    stub.breaks(getattr(stub, how))
    fails(errors.ResponseLost, transport(stub.url, ca_path=server + ".crt"), "PATCH", body={})
    assert len(stub) == 1


def test_client_certificates(pem, make_stub, transport):
    server, client = pem("server"), pem("client")
    stub = make_stub(server_context(server, client + ".crt")).reply(200, {"a": 1})
    ca_path = server + ".crt"
    with pytest.raises(errors.ConnectError) as caught:
        transport(stub.url, ca_path=ca_path).call("GET", "connectors")
    assert "kafka_connect_client_cert" in caught.value.message and len(stub) == 0
    assert transport(stub.url, ca_path=ca_path, client_cert=client).call("GET", "connectors") == {"a": 1}
    assert transport(stub.url, ca_path=ca_path, client_cert=client + ".crt", client_key=client + ".key").call(
        "GET", "connectors") == {"a": 1}


@pytest.mark.parametrize("options", [
    {"ca_path": "/no/such.pem"}, {"client_cert": "/no/such.pem"}, {"ca_path": __file__}, {"client_cert": __file__},
])
def test_files_that_are_no_certificates(pem, make_stub, transport, options):
    server = pem("server")
    stub = make_stub(server_context(server)).reply(200, {})
    with pytest.raises(errors.ConnectError) as caught:
        transport(stub.url, **dict({"ca_path": server + ".crt"}, **options)).call("PATCH", "connectors", {})
    assert stub.url in caught.value.message and len(stub) == 0


def test_plain_http_on_a_tls_port_and_the_reverse(pem, make_stub, stub, transport):
    secure = make_stub(server_context(pem("server"))).reply(200, {})
    stub.reply(200, {})
    for url in (secure.url.replace("https", "http"), stub.url.replace("http", "https")):
        with pytest.raises(errors.ConnectError) as caught:
            transport(url).call("PATCH", "connectors", {})
        assert url in caught.value.message
