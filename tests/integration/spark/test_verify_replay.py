# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and the playbook verify_replay: real Spark jobs about a connector that replayed for real. Needs pyspark."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import uuid
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)

from tests.integration.spark.conftest import JARS_DIR, quick
from tests.integration.support.configs import file_source
from tests.integration.support.playbook import Play
from tests.integration.support.token_endpoint import TokenEndpoint, new_token
from tests.integration.support.watch import Watch
from tests.integration.support.worker import Worker, wait_until
from tests.verify.driver import java_options

pyspark = pytest.importorskip("pyspark")

VERIFY = "streamops.kafka_connect.verify_replay"
LINES = 60
#: A replay with its proof, as the guide shows it.
PLAYBOOK = """
- name: Replay a file, and prove it
  hosts: all
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  tasks:
    - name: Reset it, and leave it stopped
      ansible.builtin.include_role:
        name: streamops.kafka_connect.reset_offsets
      vars:
        reset_offsets_connectors:
          - {name: "{{ connector }}", state: absent, final_state: stopped}

    - name: Read the ends of the topics while it is stopped
      streamops.kafka_connect.topic_offsets_info:
        topics: ["{{ connector }}", "{{ kafka_connect_offset_topic }}"]
      register: boundary

    - name: Start it
      streamops.kafka_connect.connector_state:
        name: "{{ connector }}"
        state: started

    - name: Wait until it has delivered everything again, and has committed that
      streamops.kafka_connect.connector_offsets_info:
        name: "{{ connector }}"
        method: rest
      register: live
      until: live.offsets | map(attribute='offset.position') | first | default(0) == size
      retries: 60
      delay: 0.5

    - name: Where do the topics end now?
      streamops.kafka_connect.topic_offsets_info:
        topics: ["{{ connector }}", "{{ kafka_connect_offset_topic }}"]
      register: after

    - name: Prove it
      ansible.builtin.include_role:
        name: streamops.kafka_connect.verify_replay
      vars:
        verify_replay_expectation: "{{ {'version': 1, 'change_id': connector, 'checks': checks}
          | combine(boundary | streamops.kafka_connect.replay_topics(after)) }}"
        checks:
          - {type: replayed, topic: "{{ connector }}"}
          - {type: duplicates, topic: "{{ connector }}"}
          - {type: count, topic: "{{ connector }}", min: 60, max: 60}
          - {type: progress, topic: "{{ kafka_connect_offset_topic }}", connector: "{{ connector }}"}
"""


@pytest.fixture(scope="module")
def secured(live_stack) -> dict:
    return live_stack.endpoints()["secured"]


class Source:
    """A FileStream source that has delivered its file to a topic of three partitions."""

    def __init__(self, worker: Worker, kafka, folder: Path) -> None:
        self.name = f"t-{uuid.uuid4().hex[:8]}"
        self.worker = worker
        file = folder / "orders.txt"
        file.write_text("".join(f"order {number}\n" for number in range(LINES)))
        self.size = file.stat().st_size
        kafka.create(self.name, 3, "delete")
        worker.create(self.name, file_source(file, topic=self.name), "RUNNING")
        wait_until(lambda: self.position() == self.size, 60, "the first delivery")
        assert len(kafka.values(self.name)) == LINES

    def position(self) -> int | None:
        pairs = self.worker.offsets(self.name)
        return pairs[0]["offset"]["position"] if pairs else None

    def picture(self) -> list:
        return self.worker.picture(self.name)


@pytest.fixture(scope="module")
def source(main, kafka, tmp_path_factory):
    source = Source(main.worker, kafka, tmp_path_factory.mktemp("source"))
    yield source
    main.worker.delete(source.name)
    kafka.drop(source.name)


class Runs:
    """Runs the playbook with what every run here has in common."""

    def __init__(self, playbooks, folder: Path) -> None:
        self.playbooks = playbooks
        self.reports = folder / "reports"
        self.common = {"verify_replay_report_dir": str(self.reports), "verify_replay_jars_dir": JARS_DIR,
                       "verify_replay_spark_conf": quick(), "verify_replay_master": "local[2]", "verify_replay_driver_memory": "600m"}

    def __call__(self, hosts: dict[str, dict], *options: str, playbook: str = VERIFY, env: dict | None = None, **variables) -> Play:
        return self.playbooks.run(playbook, {name: {**self.common, **own} for name, own in hosts.items()}, *options, env=env, **variables)

    def report(self) -> dict:
        """The one report; it and what lies beside it can be read by the group, and not by others."""
        files = {path.suffixes[-2:][-1] if "expectation" not in path.name else "expectation": path for path in self.reports.iterdir()}
        assert sorted(files) == [".html", ".json", ".log", "expectation"] and len(list(self.reports.iterdir())) == 4
        assert {stat.S_IMODE(path.stat().st_mode) for path in files.values()} == {0o640}
        assert stat.S_IMODE(self.reports.stat().st_mode) == 0o750
        self.page = files[".html"]
        return json.loads(files[".json"].read_text())


@pytest.fixture
def verify(playbooks, tmp_path) -> Runs:
    return Runs(playbooks, tmp_path)


def document(kafka, topic: str, boundary: dict[int, int] | None = None, **changed) -> dict:
    """Of one topic: all of it is before the boundary, unless told otherwise."""
    ends = kafka.ends(topic)
    partitions = {str(number): {"start": 0, "boundary": (boundary or ends)[number], "end": end} for number, end in ends.items()}
    return {"version": 1, "change_id": "c-1", "topics": {"t": {"cluster": "main", "topic": topic, "partitions": partitions}},
            "checks": [{"type": "replayed", "topic": "t"}], **changed}


@pytest.fixture(scope="module")
def twice(kafka):
    """A topic whose records came twice, and its document."""
    topic = kafka.create(f"t-{uuid.uuid4().hex[:8]}-twice", 2, "delete")
    records = [(number % 2, b"k%d" % number, b"v%d" % number) for number in range(20)]
    kafka.raw(topic, records)
    boundary = kafka.ends(topic)
    kafka.raw(topic, records)
    yield document(kafka, topic, boundary)
    kafka.drop(topic)


def test_a_full_replay_passes(source, main, kafka, verify, tmp_path):
    """All in one play, with the boundary taken while the connector is stopped."""
    (tmp_path / "replay.yml").write_text(PLAYBOOK)
    host = {"kafka_connect_url": main.url, "kafka_bootstrap_servers": [kafka.bootstrap_servers],
            "kafka_connect_offset_topic": main.offset_topic, "connector": source.name, "size": source.size}
    play = verify({"eu": host}, playbook=str(tmp_path / "replay.yml"))
    assert play.rc == 0, str(play)
    assert len(kafka.values(source.name)) == 2 * LINES
    report = verify.report()
    assert report["verdict"] == "pass" and [check["verdict"] for check in report["checks"]] == ["pass"] * 4
    assert report["change_id"] == source.name
    assert report["topics"][source.name]["before"] == report["topics"][source.name]["after"] == LINES
    assert f"pass: replayed {source.name}: {LINES} of {LINES} earlier records" in play.stdout
    assert str(verify.page) in play.stdout and f"Its progress: tail -f {verify.page.with_suffix('.log')}" in play.stdout
    assert source.worker.state(source.name) == ("RUNNING", ["RUNNING"])


@contextmanager
def store(token: str):
    """A folder for pages on a server: (its URL, what was put there by name)."""
    put: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            good = self.headers["Authorization"] == f"Bearer {token}"
            if good:
                put[self.path] = body
            self.send_response(201 if good else 401)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/reports/", put
    finally:
        server.shutdown()
        server.server_close()


def test_nothing_replayed_fails(source, kafka, verify):
    """The check is named, and the connector is left alone. Page and report are put where they last: the URL takes the place of the path,
    and the token is nowhere."""
    before, token = source.picture(), "planted-token-31"
    with store(token) as (url, put):
        play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, "-v", env={"VERIFY_REPLAY_REPORT_TOKEN": token},
                      verify_replay_expectation=document(kafka, source.name, cluster_ids={}), verify_replay_report_url=url)
    assert play.rc == 2 and play.recap["eu"]["failed"] == 1 and play.recap["eu"]["changed"] == 0, play
    report = verify.report()
    assert report["verdict"] == "fail" and report["checks"][0]["verdict"] == "fail"
    failure = play.failure("eu")
    assert "1 of 1 checks did not pass: [fail] replayed t: " in failure and f"{url}{verify.page.name}" in failure
    assert source.picture() == before
    assert {name: json.loads(body) for name, body in put.items() if name.endswith(".json")} == {
        f"/reports/{verify.page.with_suffix('.json').name}": report}
    assert put[f"/reports/{verify.page.name}"] == verify.page.read_bytes()
    assert f"page: {url}{verify.page.name}" in play.stdout and "planted-token" not in play.text


def test_a_failed_check_can_be_a_warning(source, kafka, verify):
    """And so is a page that could not be put where it lasts. Everything is text, as a survey sends it."""
    empty = ("hosts", "jars", "packages", "cluster", "python", "spark_home", "jars_dir", "report_url")
    texts = {"verify_replay_expectation": json.dumps(document(kafka, source.name)), "verify_replay_fail": "false",
             "verify_replay_timeout": "600", "verify_replay_spark_conf": json.dumps(quick()),
             **{f"verify_replay_{name}": "" for name in empty}}
    with store("another token") as (url, _put):
        play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, **{**texts, "verify_replay_report_url": url})
    assert play.rc == 0, str(play)
    assert "WARNING: 1 of 1 checks did not pass: [fail] replayed t: " in play.stdout
    assert verify.report()["verdict"] == "fail"
    warning = f"Page and report could not be uploaded to {url.rstrip('/')} (401, 401); they are in {verify.reports} on"
    assert warning in " ".join(play.text.split())
    assert f"page: {verify.page}" in play.stdout


def test_check_mode_explains(twice, kafka, verify, tmp_path):
    secret = "geheim-4711"
    play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, "--check", "--diff", "-v", verify_replay_expectation=twice,
                  verify_replay_kafka_options={"main": {"ssl.key.password": secret}})
    assert play.rc == 0, str(play)
    assert "Would run, with 1 checks" in play.stdout and "bin/spark-submit --master" in play.stdout and "main.py" in play.stdout
    assert secret not in play.text and not verify.reports.exists()
    assert play.recap["eu"]["changed"] == 0


def test_bad_input(twice, kafka, secured, verify, tmp_path):
    """Each is one sentence, before Spark starts."""
    user = secured["users"]["operator"]
    (tmp_path / "file").write_text("")
    (tmp_path / "empty").mkdir()
    good = {"kafka_bootstrap_servers": kafka.bootstrap_servers, "verify_replay_expectation": twice}
    twisted = {**twice, "topics": {"t": {**twice["topics"]["t"], "partitions": {"0": {"start": 5, "boundary": 4, "end": 9}}}}}
    cases = {
        "word": ({"verify_replay_expectation": {**twice, "chekcs": []}}, "expectation document: chekcs: is not known"),
        "range": ({"verify_replay_expectation": twisted}, "must be start <= boundary <= end, not 5, 4, 9"),
        "text": ({"verify_replay_expectation": "{oops"}, "expectation is a text that is not JSON: Expecting property name"),
        "list": ({"verify_replay_expectation": [1]}, "expectation must be a dictionary or its JSON text, not a list"),
        "secret": ({"verify_replay_expectation": {**twice, "clusters": {"main": {"sasl.jaas.config": "geheim-4711"}}}},
                   "secret must not stand"),
        "nowhere": ({"kafka_bootstrap_servers": ""}, "clusters"),
        "stranger": ({"verify_replay_kafka_options": {"mian": {}}}, "name mian, but the expectation document has no such cluster"),
        "gssapi": ({"kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": "GSSAPI"}, "For GSSAPI give sasl.jaas.config"),
        "master": ({"verify_replay_master": "locl[2]"}, "master locl[2] cannot be used"),
        "yarn": ({"verify_replay_master": "yarn"}, "HADOOP_CONF_DIR"),
        "cluster": ({"verify_replay_spark_conf": {"spark.submit.deployMode": "cluster"}}, "in client mode"),
        "dead": ({"verify_replay_master": "spark://127.0.0.1:9,127.0.0.1:10"}, "No Spark master answers at spark://127.0.0.1:9,127.0.0.1:10"),
        "jar": ({"verify_replay_jars": [str(tmp_path / "gone.jar")]}, f"There is no {tmp_path}/gone.jar, which jars names"),
        "jars": ({"verify_replay_jars": str(tmp_path / "empty")}, "Spark needs org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0"),
        "python": ({"verify_replay_python": "/bin/false"}, "/bin/false -m pip install pyspark==4.2.0"),
        "spark": ({"verify_replay_spark_home": str(tmp_path / "empty")}, f"there is no spark-submit in {tmp_path}/empty"),
        "folder": ({"verify_replay_report_dir": str(tmp_path / "file" / "reports")}, "cannot be written to"),
        "file": ({"verify_replay_report_dir": str(tmp_path / "file")}, "cannot be written to"),
        "phrase": ({"kafka_ssl_cert_path": user["certificate"], "kafka_ssl_key_path": user["encrypted_key"],
                    "kafka_ssl_key_password": "geheim-4711"}, "maybe its pass phrase is wrong"),
        "ca": ({"kafka_ssl_ca_path": str(tmp_path / "ca.pem")}, f"There is no file {tmp_path}/ca.pem"),
    }
    clean = dict.fromkeys(("HADOOP_CONF_DIR", "YARN_CONF_DIR"), "")
    play = verify({name: {**good, **wrong} for name, (wrong, _words) in cases.items()}, env=clean)
    for name, (_wrong, words) in cases.items():
        failure = play.failure(name)
        assert words in failure, f"{name}: {failure}"
        assert "Traceback" not in failure
    assert play.rc == 2 and "geheim-4711" not in play.text and "Its progress: tail" not in play.stdout
    assert not verify.reports.exists() or not list(verify.reports.iterdir())


def test_without_java_or_maven(twice, kafka, verify, tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in ("sh", "sleep", "rm", "mkdir", "chmod", "ls", "id", "uname", "touch", "test", "echo"):
        (folder / program).symlink_to(shutil.which(program))
    host = {"kafka_bootstrap_servers": kafka.bootstrap_servers, "verify_replay_expectation": twice,
            "verify_replay_jars_dir": str(tmp_path / "none")}
    play = verify({"eu": host}, "--check", env={"PATH": str(folder), "JAVA_HOME": ""})
    assert "Spark needs Java 17 or newer, and there is none" in play.failure("eu")
    (folder / "java").symlink_to(os.path.realpath(shutil.which("java")))
    play = verify({"eu": host}, "--check", env={"PATH": str(folder), "JAVA_HOME": ""})
    assert "Spark lacks org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0, and there is no Maven" in play.failure("eu")


def test_brokers_that_do_not_answer(twice, verify):
    """The job itself finds it out, soon, and says it in one line."""
    soon = {"main": {"default.api.timeout.ms": 4000, "request.timeout.ms": 2000}}
    play = verify({"eu": {"kafka_bootstrap_servers": "127.0.0.1:9"}}, verify_replay_expectation=twice, verify_replay_kafka_options=soon)
    assert play.rc == 2
    failure = play.failure("eu")
    assert "The verification could not be made: " in failure and "exit status 1" in failure and "Traceback" not in failure
    report = verify.report()
    assert report["verdict"] == "error" and report["error"] in failure.replace('\\"', '"')
    assert "cluster main (127.0.0.1:9) did not return" in report["error"] and "could not be done" in verify.page.read_text()
    assert "Traceback" not in verify.page.with_suffix(".log").read_text()
    (began,) = verify.reports.glob("*expectation*")
    assert verify.page.stat().st_mtime - began.stat().st_mtime < 60


#: what properties files and JAAS lines have a meaning for
SPECIAL = "\\\"' #=:!$;,"


@pytest.fixture
def allowed(live_stack, twice):
    """The users may read the topic, as the job's documentation says, and no more; gives the password of the new user odd."""
    password = uuid.uuid4().hex
    admin = AdminClient({"bootstrap.servers": live_stack.endpoints()["bootstrap_servers"]})
    topic = twice["topics"]["t"]["topic"]
    rules = [(ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, AclOperation.READ),
             (ResourceType.TOPIC, topic, ResourcePatternType.LITERAL, AclOperation.DESCRIBE),
             (ResourceType.GROUP, "verify-replay", ResourcePatternType.PREFIXED, AclOperation.READ)]
    desired = UserScramCredentialUpsertion("odd", ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), (SPECIAL + password).encode())
    acls = [AclBinding(kind, name, pattern, f"User:{user}", "*", operation, AclPermissionType.ALLOW)
            for kind, name, pattern, operation in rules for user in ("odd", "operator")]
    for future in [*admin.alter_user_scram_credentials([desired]).values(), *admin.create_acls(acls).values()]:
        future.result(20)
    return password


@pytest.fixture
def endpoint(secured):
    with TokenEndpoint(secured, {"operator": f"client-{uuid.uuid4().hex}"}) as endpoint:
        yield endpoint


def by_client(secured: dict, endpoint: TokenEndpoint, secret: str) -> dict:
    """A host's variables."""
    return {"kafka_bootstrap_servers": [secured["sasl_ssl"]], "kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": "OAUTHBEARER",
            "kafka_ssl_ca_path": secured["ca"], "kafka_options": {
                "sasl.oauthbearer.method": "oidc", "sasl.oauthbearer.client.id": "operator", "sasl.oauthbearer.client.secret": secret,
                "sasl.oauthbearer.token.endpoint.url": endpoint.url, "https.ca.location": secured["ca"]}}


@pytest.mark.parametrize("way", ["SCRAM-SHA-512", "client credentials", "token", "certificate"])
def test_secured_topics(way, twice, secured, allowed, endpoint, verify, tmp_path):
    """The secret is in no argument, environment, output or file that stays."""
    user = secured["users"]["operator"]
    if way == "client credentials":
        secret = endpoint.clients["operator"]
        host = by_client(secured, endpoint, secret)
    elif way == "token":
        secret = new_token(secured, "operator")
        host = {**by_client(secured, endpoint, ""), "kafka_options": {}, "kafka_sasl_token": secret}
    elif way == "certificate":
        secret = user["key_password"]
        host = {"kafka_bootstrap_servers": [secured["ssl"]], "kafka_security_protocol": "SSL", "kafka_ssl_cert_path": user["certificate"],
                "kafka_ssl_key_path": user["encrypted_key"], "kafka_ssl_key_password": secret}
    else:
        secret = allowed
        host = {"kafka_bootstrap_servers": [secured["sasl_ssl"]], "kafka_security_protocol": "SASL_SSL", "kafka_sasl_mechanism": way,
                "kafka_sasl_username": "odd", "kafka_sasl_password": SPECIAL + secret}
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    env = {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    with Watch([secret], tmp_path / "tmp") as watch:
        play = verify({"eu": {**host, "kafka_ssl_ca_path": secured["ca"]}}, "-vvv", "--diff", env=env,
                      verify_replay_expectation={**twice, "registries": {"schemas": {"url": "https://registry.example.com"}}},
                      verify_replay_registry_options={"schemas": {"username": "auditor", "password": secret}})
    assert play.rc == 0, str(play)
    assert verify.report()["verdict"] == "pass" and "The data is as declared" in verify.page.read_text()
    assert not watch.found
    more = {"certificate": {("keystore.pem", "0o600")}, "token": {("token", "0o600")}}
    assert watch.modes == {("folder", "0o700"), ("job.conf", "0o600")} | more.get(way, set())
    assert secret not in play.text and "PRIVATE KEY" not in play.text
    assert not list((tmp_path / "tmp").glob("verify_replay.*"))
    own = {tmp_path / "inventory.json", tmp_path / "extra.json"}
    holders = [path for path in tmp_path.rglob("*") if path.is_file() and path not in own and secret.encode() in path.read_bytes()]
    assert not holders


def test_a_client_that_the_login_server_refuses(twice, secured, endpoint, verify):
    play = verify({"eu": by_client(secured, endpoint, "planted-and-wrong")}, verify_replay_expectation=twice)
    failure = play.failure("eu")
    assert play.rc != 0 and "planted" not in play.text and "Traceback" not in failure
    words = f"the login server {endpoint.url} gave no token for the cluster main ({secured['sasl_ssl']}): LoginException: The response "
    assert f"The verification could not be made: {words}code 401 and error response {{" in failure, failure
    assert "Invalid client or client credentials" in failure and "org.apache.kafka" not in failure


#: the local connection under another name, so that nothing may be taken for being on this machine
FARAWAY = """
from ansible.plugins.connection import local

DOCUMENTATION = local.DOCUMENTATION.replace("name: local", "name: faraway")


class Connection(local.Connection):
    transport = "faraway"
"""


def test_a_remote_host(twice, kafka, verify, tmp_path):
    """The program comes with the task, and is gone afterwards."""
    (tmp_path / "connections").mkdir()
    (tmp_path / "connections" / "faraway.py").write_text(FARAWAY)
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    env = {"ANSIBLE_CONNECTION_PLUGINS": str(tmp_path / "connections"), "HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers, "ansible_connection": "faraway"}}, "-v", env=env,
                  verify_replay_expectation=twice)
    assert play.rc == 0 and verify.report()["verdict"] == "pass", str(play)
    assert "PRIVATE/program/main.py" in play.stdout
    assert not list((tmp_path / "tmp").glob("verify_replay*")) and not list((tmp_path / "home").rglob("verify_replay*"))


class Spark:
    """The processes of a run, by their folder, which is private to it."""

    def __init__(self, temporary: Path) -> None:
        self._prefix = str(temporary / "verify_replay.")

    def parents(self) -> dict[int, int]:
        """process -> its parent"""
        found = {}
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(path / "cwd").startswith(self._prefix):
                    found[int(path.name)] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                pass
        return found

    def stop(self) -> None:
        """A signal to the module, which has started the first of them."""
        wait_until(lambda: len(self.parents()) > 1, 120, "Spark's driver")
        running = self.parents()
        (module,) = {parent for parent in running.values() if parent not in running}
        os.kill(module, signal.SIGTERM)


def test_an_interrupted_run_leaves_nothing(twice, kafka, verify, tmp_path):
    (tmp_path / "tmp").mkdir()
    spark = Spark(tmp_path / "tmp")
    thread = threading.Thread(target=spark.stop)
    thread.start()
    play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, env={"TMPDIR": str(tmp_path / "tmp")},
                  verify_replay_expectation=twice)
    thread.join()
    assert play.rc == 2 and "The run was interrupted (SIGTERM). Spark, if it ran, was ended" in play.failure("eu"), play
    assert not list((tmp_path / "tmp").glob("verify_replay.*")) and not spark.parents()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextmanager
def standalone(folder: Path):
    """A master and two workers on loopback; yields the master's URL."""
    home = Path(pyspark.__file__).parent
    env = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m",
           "SPARK_DAEMON_JAVA_OPTS": java_options()}
    port, running = free_port(), []

    def start(name: str, *arguments: str) -> Path:
        log = folder / f"{name}.log"
        with log.open("w") as file:
            command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{arguments[0]}", *arguments[1:]]
            running.append(subprocess.Popen(command, env=env, stdout=file, stderr=subprocess.STDOUT, cwd=folder))
        return log

    url = f"spark://127.0.0.1:{port}"
    try:
        log = start("master", "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        wait_until(lambda: "I have been elected leader" in log.read_text(), 180, "Spark's master")
        for number in (1, 2):
            start(f"worker-{number}", "worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "-c", "1", "-m", "700m", "-d",
                  str(folder / f"work-{number}"), url)
        wait_until(lambda: log.read_text().count("Registering worker") == 2, 180, "Spark's workers")
        yield url
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(20)


def test_a_standalone_cluster(twice, kafka, verify, tmp_path):
    """A master and two workers: both do a part of the work."""
    conf = {**quick(), "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.executor.memory": "500m",
            "spark.executor.extraJavaOptions": quick()["spark.driver.extraJavaOptions"]}
    with standalone(tmp_path) as url:
        play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, verify_replay_master=url, verify_replay_spark_conf=conf,
                      verify_replay_expectation=twice)
    assert play.rc == 0, str(play)
    report = verify.report()
    assert report["verdict"] == "pass" and report["versions"]["master"] == url
    assert [len(list((tmp_path / f"work-{number}").glob("app-*/*/stderr"))) for number in (1, 2)] == [1, 1]


def test_a_login_in_the_address_of_the_pages_is_refused(twice, kafka, verify):
    play = verify({"eu": {"kafka_bootstrap_servers": kafka.bootstrap_servers}}, verify_replay_expectation=twice,
                  verify_replay_report_url="https://ops:planted@pages.example.com/")
    assert play.rc == 2 and "report_url is no URL of a folder" in play.failure("eu") and "planted" not in play.failure("eu")
