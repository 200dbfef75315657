# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect import rest_errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

# Connect's own errors: facts of Kafka 3.5 to 4.3
CONNECT = [
    (400,
     "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the specified "
     "connector by issuing a 'PUT' request to the '/connectors/c/stop' endpoint", errors.NotStopped),
    (400, "Partitions / offsets need to be provided for an alter offsets request", errors.Refused),
    (404, "Connector c not found", errors.NoConnector),
    (404, "Unknown connector c", errors.NoConnector),
    (404, "Unknown connector: c", errors.NoConnector),
    (404, "No status found for connector c", errors.NoConnector),
    (404, "HTTP 404 Not Found", errors.EndpointMissing),
    (405, "HTTP 405 Method Not Allowed", errors.EndpointMissing),
    (409, "Connector c already exists", errors.Exists),
    (409,
     "Cannot complete request momentarily due to stale configuration (typically caused by a concurrent config change)",
     errors.Rebalancing),
    (409, "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.",
     errors.Rebalancing),
    (409, "Cannot complete request because of a conflicting operation (e.g. worker rebalance)", errors.Rebalancing),
    (500, "Request cannot be completed because a rebalance is expected", errors.Rebalancing),
    (500, "Request timed out", errors.OutcomeUnknown),
    (500, "Request timed out. The last operation the worker completed was reading the config topic", errors.OutcomeUnknown),
    (500, "Request timed out. The worker is currently flushing updates to the status topic", errors.OutcomeUnknown),
    (500, "Failed to modify offsets for connector c because it doesn't support external modification of offsets",
     errors.Refused),
    (500, "The value for the 'position' key in the offset is expected to be a Long value", errors.Refused),
    (500, "Failed to modify offsets for source connector c", errors.Refused),
    (500, "Failed to modify offsets for sink connector c", errors.Refused),
    (500, "Offsets may only contain primitive types as values, but field p contains MAP", errors.Refused),
    (500, "Offsets may only contain primitive types as values, but field p contains class java.math.BigInteger",
     errors.Refused),
    (500,
     'Unrecognized field "x" (class org.apache.kafka.connect.runtime.rest.entities.ConnectorOffset), not marked as '
     "ignorable (2 known properties: \"partition\", \"offset\"])", errors.Refused),
    (500, "Unexpected end-of-input: expected close marker for Object", errors.Refused),
    (500,
     'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets.offsets()" because it is null',
     errors.Refused),
    (500,
     'Unrecognized field "initial_state" (class org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest)',
     errors.EndpointMissing),
    (500, "Failed to write to config topic; this may be due to a transient error and the request can be safely retried",
     errors.OutcomeUnknown),
    (500, "IO Error trying to forward REST request: java.net.ConnectException: Connection refused", errors.NoLeader),
    (500, "IO Error trying to forward REST request: java.net.SocketTimeoutException: Connect Timeout", errors.NoLeader),
    (500, "IO Error trying to forward REST request: java.net.NoRouteToHostException: No route to host", errors.NoLeader),
    (500, "IO Error trying to forward REST request: java.net.UnknownHostException: connect-0", errors.NoLeader),
    (500, "IO Error trying to forward REST request: java.nio.channels.UnresolvedAddressException", errors.NoLeader),
    (500, "IO Error trying to forward REST request: javax.net.ssl.SSLHandshakeException: PKIX path building failed", errors.NoLeader),
    # these can come after the leader has got the request
    (500, "IO Error trying to forward REST request: java.io.EOFException: HttpConnectionOverHTTP", errors.OutcomeUnknown),
    (500, "IO Error trying to forward REST request: java.util.concurrent.TimeoutException: Idle timeout expired: 30000/30000 ms", errors.OutcomeUnknown),
    (500, "IO Error trying to forward REST request: java.nio.channels.ClosedChannelException", errors.OutcomeUnknown),
    (500, "IO Error trying to forward REST request: Unexpected character ('<' (code 60))", errors.OutcomeUnknown),
    (500, "Worker is shutting down", errors.OutcomeUnknown),
    (500, "Error writing target state to Kafka", errors.OutcomeUnknown),
    (500, "Failed to write connector configuration to Kafka", errors.OutcomeUnknown),
    (500, "Failed to write orders to Kafka or S3", errors.Refused),
    (500, "Failed to read to end of config topic before modifying connector offsets", errors.Refused),
    (500, "Failed to perform zombie fencing for source connector prior to modifying offsets", errors.Refused),
    (500, "Failed to retrieve offsets for connector c", errors.OutcomeUnknown),
    (503, "The worker is starting", errors.OutcomeUnknown),
    # sinks
    (400, "The partition for a sink connector offset cannot be null or missing", errors.Refused),
    (400,
     "Failed to parse the following Kafka offset value in the provided offsets: 'X'. Offset values for sink connectors "
     "need to be integers.", errors.Refused),
    (500, "Failed to alter consumer group offsets for connector c", errors.Refused),
    (500, "Failed to alter consumer group offsets for connector c either because its tasks haven't stopped completely "
     "yet or the connector was resumed before the request to alter its offsets could be successfully completed.",
     errors.Rebalancing),
    (500, "Failed to reset consumer group offsets for connector c either because its tasks haven't stopped completely "
     "yet or the connector was resumed", errors.Rebalancing),
    (500, "Failed to list offsets prior to resetting offsets for sink connector c", errors.Refused),
    # standalone
    (500, "No connector `c` configured", errors.NoConnector),
    # a connector's name is not what the message is about
    (500, "Failed to modify offsets for source connector rebalance-audit", errors.Refused),
    (500,
     "Failed to modify offsets for connector timed out because it doesn't support external modification of offsets",
     errors.Refused),
    # access
    (401, "User cannot access the resource.", errors.AccessDenied),
    (403, "no", errors.AccessDenied),
]


@pytest.mark.parametrize("status, message, kind", CONNECT)
def test_classify_connect(status, message, kind):
    assert rest_errors.classify(status, json.dumps({"error_code": status, "message": message})) == (kind, message)


AMBIGUOUS = ('<html>\n<head>\n<meta http-equiv="Content-Type" content="text/html;charset=ISO-8859-1"/>\n'
             "<title>Error 400 Ambiguous URI path encoding</title>\n</head>\n<body><h2>HTTP ERROR "
             "400</h2></body></html>")


@pytest.mark.parametrize("status, text, kind, words", [
    (400, AMBIGUOUS, errors.AmbiguousName, "Error 400 Ambiguous URI path encoding"),
    (400, "<html><title>Error 400 Suspicious Path Character</title></html>", errors.AmbiguousName,
     "Error 400 Suspicious Path Character"),
    (400, "<html><title>Bad\n  Request</title></html>", errors.NotConnect, "Bad Request"),
    (404, "<html><head><title>404 Not Found</title></head><body>nginx</body></html>", errors.NotConnect,
     "404 Not Found"),
    (404, "", errors.NotConnect, ""),
    (404, '{"error": "not found", "status": 404}', errors.NotConnect, '{"error": "not found", "status": 404}'),
    (404, '{"error_code": "404", "message": "x"}', errors.NotConnect, '{"error_code": "404", "message": "x"}'),
    (404, "[]", errors.NotConnect, "[]"),
    (405, "<h1>Method  Not\nAllowed</h1>", errors.NotConnect, "Method Not Allowed"),
    (500, "<TITLE lang=en>oops</TITLE>", errors.NotConnect, "oops"),
    (502, "<html><title>502 Bad Gateway</title></html>", errors.OutcomeUnknown, "502 Bad Gateway"),
    (503, "upstream connect error", errors.OutcomeUnknown, "upstream connect error"),
    (504, "x" * 201, errors.OutcomeUnknown, "x" * 197 + "..."),
    (401, "", errors.AccessDenied, ""),
    (401, "<html><title>Login</title></html>", errors.AccessDenied, "Login"),
    (407, "proxy", errors.AccessDenied, "proxy"),
    (429, "slow down", errors.Rebalancing, "slow down"),
    (408, "too slow", errors.OutcomeUnknown, "too slow"),
    (404, '{"error_code": 40403, "message": "no"}', errors.NotConnect, '{"error_code": 40403, "message": "no"}'),
])
def test_classify_others(status, text, kind, words):
    assert rest_errors.classify(status, text) == (kind, words)


@pytest.mark.parametrize("text, message", [
    ('{"error_code": 500, "message": null}', ""), ('{"error_code": 500}', None), ("", None), ("null", None),
    ('{"error_code": 50001, "message": "a schema registry counts on"}', None),
])
def test_read_error(text, message):
    assert rest_errors.read_error(500, text) == message


URL = "http://h:8083/connectors/c/offsets"


@pytest.mark.parametrize("status, text, location, kind, words", [
    (302, "", "https://login.example/x?token=s3cret", errors.NotConnect,
     f"GET {URL} answered 302, a redirect to https://login.example/x. Connect never redirects"),
    (301, "", None, errors.NotConnect, f"GET {URL} answered 301, a redirect to nowhere."),
    (401, "", None, errors.AccessDenied, f"GET {URL} was denied with 401. Check kafka_connect_username."),
    (403, '{"error_code": 403, "message": "no"}', None, errors.AccessDenied,
     "was denied with 403 (no). Check kafka_connect_username."),
    (400, AMBIGUOUS, None, errors.AmbiguousName, 'does not take a connector name with "/", "%" or "\\" in a URL'),
    (404, "<title>Not Found</title>", None, errors.NotConnect,
     f"GET {URL} answered 404 with something that is not Connect's (Not Found): this is not the root of a Connect "
     f"REST API."),
    (404, "", None, errors.NotConnect, "(an empty body)"),
    (404, '{"error_code": 404, "message": "Connector c not found"}', None, errors.NoConnector,
     f"There is no such connector: GET {URL} answered 404: Connector c not found"),
    (500, '{"error_code": 500, "message": "too % late"}', None, errors.Refused,
     f"GET {URL} failed with 500: too % late"),
    (500, '{"error_code": 500, "message": null}', None, errors.Refused, f"GET {URL} failed with 500: no reason given"),
])
def test_failure(status, text, location, kind, words):
    error = rest_errors.failure({"url": URL, "method": "GET", "http_status": status}, text, location, "kafka_connect_username")
    assert error.__class__ is kind
    assert words in error.message
    assert "s3cret" not in error.message
    assert (error.facts["url"], error.facts["method"], error.facts["http_status"]) == (URL, "GET", status)


@pytest.mark.parametrize("text, version", [
    ("4.3.1", (4, 3)), ("3.4.1", (3, 4)), ("2.0.0", (2, 0)), ("3.10.0-SNAPSHOT", (3, 10)),
    ("3.6.1.redhat-00001", (3, 6)),
    ("7.5.0-ccs", (3, 5)), ("7.6.0-ce", (3, 6)), ("7.9.1-0-ccs", (3, 9)), ("6.2.4-ccs", (2, 8)), ("5.5.0-ce", (2, 5)),
    ("8.0.0-ce", (4, 0)), ("8.1.0-ccs", (4, 1)), ("9.0.0-ccs", None), ("4.1.2-ccs", None),
    ("", None), (None, None), (36, None), ("unknown", None), ("4", None), ("v3.6.0", None),
])
def test_kafka_version(text, version):
    assert rest_errors.kafka_version(text) == version


@pytest.mark.parametrize("verb", ["GET", "PUT"])
def test_a_class_that_is_not_there_is_final_and_named_without_all_the_others(verb):
    text = ("Failed to find any class that implements Connector and which name matches x.Gone, available connectors are: "
            + ", ".join(f"PluginDesc{{klass=class x.C{number}}}" for number in range(500)))
    error = rest_errors.failure({"url": "http://h/connectors/c/offsets", "method": verb, "http_status": 500},
                                json.dumps({"error_code": 500, "message": text}), None, "x")
    short = "Failed to find any class that implements Connector and which name matches x.Gone"
    assert error.__class__ is errors.Refused and error.facts["server_message"] == short
    assert error.message == f"{verb} http://h/connectors/c/offsets failed with 500: {short}"


@pytest.mark.parametrize("host, words", [
    ("api.confluent.cloud", "Confluent Cloud"), ("pkc-1a2b3.eu-central-1.aws.confluent.cloud", "Confluent Cloud"),
    ("API.Confluent.Cloud", "Confluent Cloud"), ("kafkaconnect.eu-west-1.amazonaws.com", "Amazon MSK Connect"),
    ("vpce-0a1.kafkaconnect.us-east-1.vpce.amazonaws.com", "Amazon MSK Connect"),
    ("kafkaconnect.cn-north-1.amazonaws.com.cn", "Amazon MSK Connect"),
    ("b-1.demo.abcde.c2.kafka.us-east-1.amazonaws.com", "a broker of Amazon MSK"),
    ("boot-1.c1.kafka-serverless.eu-west-1.amazonaws.com", "a broker of Amazon MSK"),
    # workers of one's own in these clouds
    ("connect-1.elb.eu-west-1.amazonaws.com", None), ("ec2-1-2-3-4.compute-1.amazonaws.com", None), ("kafkaconnect.example.com", None),
    ("confluent.cloud.example.com", None), ("myconfluent.cloudy", None), ("connect", None), ("127.0.0.1", None),
])
def test_hosts_that_are_no_workers(host, words):
    found = rest_errors.not_a_worker(host)
    assert found is None if words is None else words in found


@pytest.mark.parametrize("text, words", [
    ('{"errors":[{"id":"1","status":"401","detail":"Unauthorized"}]}', "an API like Confluent Cloud's (Unauthorized)"),
    ('{"message":"Missing Authentication Token"}', "an API like those of Amazon (Missing Authentication Token)"),
    ('{"bridge_version":"0.31.1"}', "Strimzi's Kafka Bridge"),
    ('{"KsqlServerInfo":{"version":"7.6.0"}}', "a ksqlDB server"),
    ('{"paths":["/api"]}', "an API server of Kubernetes"),
    ("# HELP jvm_info VM version info\n", "a page for metrics (Prometheus)"),
    ("<html>Welcome</html>", None), ("", None), ("[]", None), ("{}", None), ("7", None), ("null", None),
    ('{"version":"4.3.1","commit":"x","kafka_cluster_id":"y"}', None), ('{"error_code":500,"message":"x"}', None),
])
def test_what_an_answer_shows_to_be_there(text, words):
    assert rest_errors.something_else(text) == words


@pytest.mark.parametrize("status, text, kind", [
    (401, '{"errors":[{"status":"401","detail":"Unauthorized"}]}', errors.NotConnect),
    (403, '{"message":"Missing Authentication Token"}', errors.NotConnect),
    (404, '{"errors":[{"status":"404","detail":"not found"}]}', errors.NotConnect),
    (403, '{"error_code":403,"message":"no"}', errors.AccessDenied), (401, "", errors.AccessDenied), (403, "read only", errors.AccessDenied),
])
def test_a_denial_of_somebody_else_is_no_matter_of_credentials(status, text, kind):
    error = rest_errors.failure({"url": "http://h/", "method": "GET", "http_status": status}, text, None, "the password")
    assert error.__class__ is kind and ("this is not a Connect worker, but an API like" in error.message) is (kind is errors.NotConnect)
