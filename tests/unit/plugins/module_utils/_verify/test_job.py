# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""With a stand-in for spark-submit, as the faults of Spark cannot be provoked. tests/integration/spark runs the real one."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import job, runtime

PROGRAM = Path(__file__).resolve().parents[5] / "roles" / "verify_replay" / "files"
DOCUMENT = {
    "version": 1, "change_id": "CHG-1",
    "topics": {"t": {"cluster": "main", "topic": "t", "partitions": {"0": {"start": 0, "boundary": 1, "end": 2}}}},
    "checks": [{"type": "replayed", "topic": "t"}],
}
#: notes what it sees, and leaves the report that it finds
SUBMIT = """#!/bin/sh
printf '%%s\\n' "$@" > %(here)s/arguments
while [ "$1" != --properties-file ]; do shift; done
cp "$2" %(here)s/job.conf
stat -c %%a "$2" > %(here)s/mode
while [ $# -gt 2 ]; do shift; done
[ ! -f %(here)s/report ] || cp %(here)s/report "$1"
echo "verify_replay: ERROR: why"
exec sh %(here)s/end
"""
OPTIONS = dict.fromkeys((
    "kafka_bootstrap_servers", "kafka_security_protocol", "kafka_sasl_mechanism", "kafka_sasl_username", "kafka_sasl_password", "kafka_sasl_token",
    "kafka_ssl_ca_path", "kafka_ssl_cert_path", "kafka_ssl_key_path", "kafka_ssl_key_password", "kafka_options", "client_options",
    "jdbc_options", "registry_options", "jars", "packages", "spark_conf", "python", "spark_home", "report_url", "report_token", "report_username",
    "report_password"))


@pytest.fixture
def spark(tmp_path, monkeypatch):
    """run(check_mode, **options) with Spark as ``end`` and ``report`` say."""
    class Spark:
        here = tmp_path / "spark"
        temporary = tmp_path / "tmp"
        reports = tmp_path / "reports"

        def ends(self, status, report=None, script=None):
            (self.here / "end").write_text(script or f"exit {status}")
            if report:
                (self.here / "report").write_text(json.dumps(report))

        def run(self, check_mode=False, **given):
            params = dict(OPTIONS, expectation=DOCUMENT, kafka_bootstrap_servers=["a:1"], cluster="main", master="local[2]", driver_memory="1g", run=True,
                          fail=True, jars=[str(self.here / "one.jar")], report_dir=str(self.reports), report_name="eu-{change_id}", job_timeout=60,
                          program=str(PROGRAM))
            return job.verify(dict(params, **given), check_mode)

    spark = Spark()
    (spark.here / "bin").mkdir(parents=True)
    spark.temporary.mkdir()
    (spark.here / "one.jar").write_text("")
    (spark.here / "bin" / "spark-submit").write_text(SUBMIT % {"here": spark.here})
    (spark.here / "bin" / "spark-submit").chmod(0o755)
    (spark.here / "python" / "pyspark").mkdir(parents=True)
    (spark.here / "python" / "pyspark" / "__init__.py").write_text("__version__ = '4.2.0'\n")
    monkeypatch.setattr("tempfile.tempdir", str(spark.temporary))
    monkeypatch.setattr(runtime, "java_version", lambda environ: 21)
    monkeypatch.setitem(OPTIONS, "spark_home", str(spark.here))
    yield spark
    assert not list(spark.temporary.iterdir())


def report(*verdicts, verdict="pass", **more):
    checks = [{"verdict": one, "name": "n", "sentence": "s.", "samples": []} for one in verdicts]
    return dict({"verdict": verdict, "error": None, "seconds": {"total": 1.5}, "checks": checks}, **more)


def test_passed(spark):
    spark.ends(0, report("pass"))
    found = spark.run(client_options={"main": {"ssl.key.password": "geheim", "bootstrap.servers": "b:2"}}, jdbc_options=None, packages=["g:a:1"])
    assert (found["verdict"], found["passed"], found["message"], found["changed"]) == ("pass", True, None, False)
    assert found["report"]["verdict"] == "pass" and found["summary"] == ["pass: n: s.", "verdict: pass, after 1.5 s", "page: {}".format(found["files"]["page"])]
    assert found["files"] == {kind: f"{spark.reports}/eu-CHG-1{end}"
                              for kind, end in (("report", ".json"), ("page", ".html"), ("log", ".log"), ("expectation", ".expectation.json"))}
    arguments = (spark.here / "arguments").read_text().splitlines()
    private = arguments[7].rpartition("/")[0]
    assert arguments == [word.replace("PRIVATE", private) for word in found["command"][1:]]
    assert "geheim" not in str(found) and "geheim" not in str(arguments)
    conf = (spark.here / "job.conf").read_text().splitlines()
    assert "spark.verify_replay.kafka.main.ssl.key.password=geheim" in conf and not [line for line in conf if "bootstrap" in line]
    assert (spark.here / "mode").read_text() == "600\n" and not Path(private).exists()
    assert json.loads((spark.reports / "eu-CHG-1.expectation.json").read_text())["clusters"] == {"main": {"bootstrap.servers": "b:2"}}
    modes = {stat.S_IMODE(path.stat().st_mode) for path in spark.reports.iterdir()}
    assert modes == {0o640} and stat.S_IMODE(spark.reports.stat().st_mode) == 0o750


def test_what_is_empty_in_a_login_of_a_registry_is_not_given(spark):
    spark.ends(0, report("pass"))
    spark.run(False, expectation=dict(DOCUMENT, registries={"r": {"url": "https://r"}}),
              registry_options={"r": {"ca_path": None, "key_path": "", "username": None, "password": "s3cret-word"}})
    text = (spark.here / "job.conf").read_text()
    assert "s3cret-word" in text and "None" not in text and "ca_path" not in text and "username" not in text


def test_failed_checks(spark):
    spark.ends(3, report("fail", "pass", verdict="fail"))
    with pytest.raises(errors.NotVerified, match="1 of 2 checks did not pass: \\[fail\\] n: s. More is in .*eu-CHG-1.html") as caught:
        spark.run()
    assert caught.value.facts["verdict"] == "fail" and "report" not in caught.value.facts
    assert caught.value.facts["checks"] == [{"name": "n", "verdict": verdict, "sentence": "s."} for verdict in ("fail", "pass")]
    found = spark.run(fail=False, report_name="again", report_url="http://127.0.0.1:9/")
    assert (found["verdict"], found["passed"], found["message"][:27]) == ("fail", False, "1 of 2 checks did not pass:")
    assert "could not be uploaded" in found["warnings"][0]


def test_a_document_can_accept_what_cannot_be_told(spark):
    spark.ends(0, report("cannot_tell", verdict="cannot_tell"))
    found = spark.run()
    assert (found["verdict"], found["passed"], found["message"]) == ("cannot_tell", True, None)


@pytest.mark.parametrize("status, found, script, words", [
    (1, None, None, "could not be made: verify_replay: ERROR: why \\(exit status 1, log .*eu-CHG-1.log\\)."),
    (0, None, None, "exit status 0"),
    (1, report(verdict="error", error="brokers"), None, "could not be made: brokers \\(exit status 1"),
    (3, report(verdict="error", error="brokers"), None, "could not be made: brokers"),
    (1, report("fail", verdict="fail"), None, "ERROR: why \\(exit status 1"),
    (0, None, "kill -9 $$", "exit status -9"),
    (0, None, "sleep 100", "it was not done within 1 s and was ended \\(no exit status"),
])
def test_a_job_that_breaks(spark, status, found, script, words):
    spark.ends(status, found, script)
    with pytest.raises(errors.JobFailed, match=words) as caught:
        spark.run(fail=False, job_timeout=1)
    assert caught.value.facts["verdict"] == "error" and caught.value.facts["report"] == (found or {})


def test_check_mode_changes_nothing(spark):
    found = spark.run(True, client_options={"main": {"ssl.key.password": "geheim"}})
    assert found["summary"][0].startswith(f"Would run, with 1 checks, and change nothing: {spark.here}/bin/spark-submit --master 'local[2]'")
    assert found["command"][8] == "PRIVATE/job.conf" and found["versions"] == {"spark": "4.2.0", "java": 21} and found["jars"].endswith("one.jar")
    assert (found["verdict"], found["passed"], found["report"]) == (None, None, {}) and "geheim" not in str(found)
    assert not spark.reports.exists() and not (spark.here / "arguments").exists()


def test_without_a_run_all_is_made_ready(spark):
    found = spark.run(run=False)
    assert found["summary"] == [f"Everything that the job needs is there. Its progress: tail -f {spark.reports}/eu-CHG-1.log"]
    assert spark.reports.is_dir() and not (spark.here / "arguments").exists()


def test_a_program_that_was_sent(spark, tmp_path):
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        for path in [PROGRAM / "probe.py", *(PROGRAM / "verify_replay").rglob("*.py")]:
            archive.write(path, path.relative_to(PROGRAM))
    found = spark.run(True, program=str(tmp_path / "p.zip"))
    assert found["command"][-4] == "PRIVATE/program/main.py"


@pytest.mark.parametrize("given, words", [
    ({"expectation": "[]"}, "expectation must be a dictionary"),
    ({"client_options": {"main": "x"}}, "client_options must be a dictionary of dictionaries, by cluster"),
    ({"jdbc_options": {"t": 1}}, "jdbc_options must be a dictionary of dictionaries, by table"),
    ({"registry_options": {"r": 1}}, "registry_options must be a dictionary of dictionaries, by registry"),
    ({"registry_options": {"r": {"ca_path": "/gone/ca.pem"}}, "expectation": dict(DOCUMENT, registries={"r": {"url": "https://r"}})}, "There is no file /gone"),
    ({"job_timeout": 0}, "job_timeout must be at least 1 second, it is 0"),
    ({"kafka_bootstrap_servers": [""]}, "expectation document: clusters: is missing"),
    ({"jdbc_options": {"t": {}}}, "jdbc_options name t"),
    ({"kafka_sasl_mechanism": "GSSAPI"}, "For GSSAPI"),
    ({"master": "yarnn"}, "master yarnn cannot be used"),
    ({"master": "spark://127.0.0.1:9"}, "No Spark master answers"),
    ({"report_url": "x"}, "report_url is no URL"),
    ({"jars": ["/gone.jar"]}, "There is no /gone.jar"),
    ({"kafka_ssl_ca_path": "/gone/ca.pem"}, "There is no file /gone/ca.pem"),
    ({"program": None}, "There is no program of the Spark job. The action plugin"),
    ({"report_dir": "/dev/null/x"}, "/dev/null is no folder"),
])
@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_is_run(spark, check_mode, given, words):
    with pytest.raises(errors.ConnectError, match=f"{words}.* Nothing was run.$"):
        spark.run(check_mode, **given)
    assert not (spark.here / "arguments").exists() and not spark.reports.exists()
