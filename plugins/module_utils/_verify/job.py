# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What verify_replay does: everything that can be known to be wrong is found out before Spark starts; then it runs, and is judged by its report."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from datetime import datetime, timezone

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._kafka.login import TOKEN_ENDPOINT
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import (
    client,
    document,
    jars,
    keystore,
    master,
    process,
    properties,
    reports,
    runtime,
    upload,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.private import private_folder, write
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.program import unpacked

#: exit statuses of a job that came to its end
_PASSED, _NOT_PASSED = 0, 3


def verify(params: dict, check_mode: bool) -> dict:
    """The module's result. Raises ConnectError."""
    params = _completed(params)
    with _private_to_group(), private_folder() as private:
        try:
            job = Job(params, private, fetch=not check_mode)
        except errors.ConnectError as error:
            raise error.also("Nothing was run.")
        if check_mode or not params["run"]:
            return job.planned(check_mode)
        return job.run()


def _completed(params: dict) -> dict:
    """Empty texts are not given; an empty one of a Kafka client can mean something."""
    found = dict(params, **{option: params[option] or {} for option in (*document.NAMED, "spark_conf")},
                 python=params["python"] or sys.executable, kafka_brokers=[one for one in params["kafka_bootstrap_servers"] or [] if one.strip()])
    for name, default in (("master", "local[*]"), ("cluster", "main"), ("driver_memory", "1g")):
        found[name] = (params[name] or "").strip() or default
    found["registry_options"] = {name: _filled(options) for name, options in found["registry_options"].items()}
    return found


def _filled(options):
    return {name: value for name, value in options.items() if value not in (None, "")} if isinstance(options, dict) else options


@contextlib.contextmanager
def _private_to_group():
    """What a run leaves can be read by the group, and not by others."""
    before = os.umask(0o027)
    try:
        yield
    finally:
        os.umask(before)


class Job:
    """One run, whose needs are there. Raises ConnectError for what is missing; only jars are fetched, and the report folder is made."""

    def __init__(self, params: dict, private: str, fetch: bool):
        self.params, self.private = params, private
        self.is_local = master.is_local(params["master"])
        self.document, self.inherits = self._read()
        self.java = runtime.java_version(os.environ)
        runtime.check_user()
        self.program = unpacked(params["program"], private)
        self.spark = runtime.find_spark(params["python"], params["spark_home"], self.program, self.document)
        document.check_names(self.document, params)
        self.keystore = self._keystore()
        master.check_answer(params["master"])
        self.jars, self.jars_from = jars.find(params, self.spark.version, self.program, fetch)
        self.name = reports.name_of(params["report_name"], self.document.get("change_id"), datetime.now(timezone.utc))
        self.files = reports.files_of(params["report_dir"], self.name)
        reports.check_folder(params["report_dir"])
        if fetch:
            reports.make_folder(params["report_dir"])

    def _read(self) -> tuple:
        """(the completed document, whether the connection options are those of its own cluster). What can be checked without this machine is checked."""
        params = self.params
        for option, (what, _key) in document.NAMED.items():
            if any(not isinstance(options, dict) for options in params[option].values()):
                raise errors.DeclarationError("%s must be a dictionary of dictionaries, by %s." % (option, what))
        if params["job_timeout"] < 1:
            raise errors.DeclarationError("job_timeout must be at least 1 second, it is %d." % params["job_timeout"])
        found, inherits = document.complete(document.read(params["expectation"]), params["cluster"], params["kafka_brokers"], params["client_options"])
        if inherits:
            client.check(params, params["client_options"].get(params["cluster"]) or {}, self.is_local)
        upload.check(params["report_url"] or "")
        master.check(params["master"], params["spark_conf"], os.environ)
        return found, inherits

    def _keystore(self):
        """Key and certificate as the Java client wants them; None without."""
        paths = [self.params[name] for name in ("kafka_ssl_ca_path", "kafka_ssl_cert_path", "kafka_ssl_key_path") if self.inherits and self.params[name]]
        paths += [path for options in self.params["registry_options"].values() for name, path in options.items() if name.endswith("_path")]
        missing = [path for path in paths if not os.path.isfile(path)]
        if missing:
            raise errors.DeclarationError("There is no file %s." % missing[0])
        certificate = self.params["kafka_ssl_cert_path"]
        if not self.inherits or not certificate:
            return None
        return keystore.pem(certificate, self.params["kafka_ssl_key_path"] or certificate, self.params["kafka_ssl_key_password"])

    def command(self, private: str) -> list:
        """Without secrets, which are in the properties file."""
        found = [self.spark.submit, "--master", self.params["master"], "--deploy-mode", "client", "--name", "verify_replay",
                 "--properties-file", os.path.join(private, "job.conf")]
        packages = jars.given_packages(self.params)
        found += ["--jars", ",".join(self.jars)] if self.jars else []
        found += ["--packages", ",".join(packages)] if packages else []
        program = self.program.replace(self.private, private)
        return found + [os.path.join(program, "main.py"), self.files["expectation"], self.files["report"], self.files["page"]]

    def planned(self, check_mode: bool) -> dict:
        """The result of a run that has checked everything and does not start Spark."""
        if not check_mode:
            return self._result(["Everything that the job needs is there. Its progress: tail -f %s" % self.files["log"]])
        command = self.command("PRIVATE")
        return self._result([
            "Would run, with %d checks, and change nothing: %s" % (len(self.document["checks"]), " ".join(map(shlex.quote, command))),
            "Jars: %s" % self.jars_from,
            "SPARK_HOME=%s PYSPARK_PYTHON=%s" % (self.spark.home, self.spark.python),
            "Spark %s, Java %d" % (self.spark.version, self.java),
            "Kafka options and secrets would be in the properties file, mode 0600, which is removed afterwards.",
        ])

    def run(self) -> dict:
        """Raises JobFailed, NotVerified."""
        self._write()
        status = process.run(self.command(self.private), self.files["log"], self.private, self.spark.environment(self.is_local, os.environ),
                             self.params["job_timeout"])
        report = reports.read(self.files["report"])
        if status not in (_PASSED, _NOT_PASSED) or report is None or report["verdict"] == "error":
            raise errors.JobFailed(self._failure(status, report), files=self.files, report=report or {}, verdict="error")
        warnings = self._upload()
        passed = status == _PASSED
        message = None if passed else reports.failures(report, self.files["page"])
        summary = reports.summary(report, self.files["page"])
        if message and self.params["fail"]:
            checks = [{key: check[key] for key in ("name", "verdict", "sentence")} for check in report["checks"]]
            error = errors.NotVerified(message, files=self.files, verdict=report["verdict"], checks=checks, summary=summary)
            error.warnings = warnings
            raise error
        return dict(self._result(summary), verdict=report["verdict"], passed=passed, message=message, report=report, warnings=warnings)

    def _write(self) -> None:
        """The expectation, without secrets, stays beside the report, so that the same can be verified again."""
        write(self.files["expectation"], (json.dumps(self.document, indent=4, ensure_ascii=False) + "\n").encode("utf-8"), 0o640)
        write(os.path.join(self.private, "job.conf"), self._properties().encode("utf-8"), 0o600)
        if self.keystore:
            write(self._private("keystore.pem"), self.keystore, 0o600)
        if self.inherits and self.params["kafka_sasl_token"]:
            write(self._private("token"), self.params["kafka_sasl_token"].strip().encode("utf-8"), 0o600)

    def _private(self, name: str) -> str:
        return os.path.join(self.private, name)

    def _properties(self) -> str:
        params = self.params
        clusters = {name: dict(params["client_options"].get(name) or {}) for name in self.document["clusters"]}
        if self.inherits:
            own = clusters[params["cluster"]]
            found = client.inherited(params, self._private("keystore.pem"), self._private("token"), "sasl.jaas.config" in own)
            clusters[params["cluster"]] = dict(found, **own)
        token_urls = sorted({str(options[TOKEN_ENDPOINT]) for options in clusters.values() if options.get(TOKEN_ENDPOINT)})
        spark = properties.spark_properties(
            params["spark_conf"], params["driver_memory"], self.is_local, os.path.join(self.program, "log4j2.properties"), token_urls)
        return properties.text(spark, {"kafka": clusters, "jdbc": params["jdbc_options"], "registry": params["registry_options"]})

    def _failure(self, status, report) -> str:
        if status is None:
            what, how = "it was not done within %d s and was ended" % self.params["job_timeout"], "no exit status"
        else:
            what, how = (report or {}).get("error") or reports.reason(self.files["log"]), "exit status %d" % status
        return "The verification could not be made: %s (%s, log %s)." % (what, how, self.files["log"])

    def _upload(self) -> list:
        """Warnings. Files that are elsewhere by now are named by their URLs."""
        params = self.params
        if not params["report_url"]:
            return []
        self.files, warnings = upload.upload(self.files, params["report_url"], params["report_token"], params["report_username"], params["report_password"])
        return warnings

    def _result(self, summary: list) -> dict:
        return {"changed": False, "verdict": None, "passed": None, "message": None, "report": {}, "files": self.files, "report_name": self.name,
                "command": self.command("PRIVATE"), "jars": self.jars_from, "summary": summary,
                "versions": {"spark": self.spark.version, "java": self.java}}
