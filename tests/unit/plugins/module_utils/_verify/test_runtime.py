# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, StateError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import runtime

PROGRAM = str(Path(__file__).resolve().parents[5] / "roles" / "verify_replay" / "files")
DOCUMENT = {
    "version": 1, "clusters": {"main": {"bootstrap.servers": "a:1"}},
    "topics": {"t": {"cluster": "main", "topic": "t", "partitions": {"0": {"start": 0, "boundary": 1, "end": 2}}}},
    "checks": [{"type": "replayed", "topic": "t"}],
}


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("said, version", [('openjdk version "21.0.4" 2024-07-16', 21), ('java version "17"', 17)])
def test_java(tmp_path, said, version):
    script(tmp_path / "bin" / "java", f"echo '{said}' >&2")
    assert runtime.java_version({"JAVA_HOME": str(tmp_path)}) == version


@pytest.mark.parametrize("said, words", [('openjdk version "1.8.0_392"', "this is Java 8"), ('openjdk version "11.0.2"', "this is Java 11"),
                                         ("no such thing", "there is none"), (None, "there is none")])
def test_no_java_that_will_do(tmp_path, said, words):
    if said:
        script(tmp_path / "bin" / "java", f"echo '{said}' >&2")
    with pytest.raises(StateError, match="Spark needs Java 17 or newer, and " + words):
        runtime.java_version({"JAVA_HOME": str(tmp_path)})


def test_a_user_without_a_name(monkeypatch):
    runtime.check_user()
    monkeypatch.setattr(runtime.os, "geteuid", lambda: 4711001)
    with pytest.raises(StateError, match="User id 4711001 has no name on this machine"):
        runtime.check_user()


@pytest.fixture
def home(tmp_path):
    """A folder of Spark whose pyspark is nothing but its version."""
    script(tmp_path / "bin" / "spark-submit", "exit 0")
    (tmp_path / "python" / "pyspark").mkdir(parents=True)
    (tmp_path / "python" / "pyspark" / "__init__.py").write_text("__version__ = '4.2.7'\n")
    return tmp_path


def test_spark(home):
    found = runtime.find_spark(sys.executable, str(home), PROGRAM, DOCUMENT)
    assert (found.home, found.version, found.submit) == (str(home), "4.2.7", str(home / "bin" / "spark-submit"))
    environment = found.environment(True, {"PATH": "/bin"})
    assert environment == {"PATH": "/bin", "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
                           "PYTHONDONTWRITEBYTECODE": "1", "SPARK_LOCAL_IP": "127.0.0.1"}
    assert found.environment(True, {"SPARK_LOCAL_IP": "10.0.0.1"})["SPARK_LOCAL_IP"] == "10.0.0.1"
    assert "SPARK_LOCAL_IP" not in found.environment(False, {})


def test_the_job_itself_reads_the_document(home):
    with pytest.raises(DeclarationError, match="expectation document: chekcs: is not known"):
        runtime.find_spark(sys.executable, str(home), PROGRAM, {**DOCUMENT, "chekcs": []})


def test_what_is_missing(home, tmp_path):
    (home / "bin" / "spark-submit").chmod(0o644)
    with pytest.raises(StateError, match=f"there is no spark-submit in {home}"):
        runtime.find_spark(sys.executable, str(home), PROGRAM, DOCUMENT)
    (home / "python" / "pyspark" / "__init__.py").write_text("raise OSError('broken')\n")
    with pytest.raises(StateError, match="has no pyspark \\(OSError: broken\\)"):
        runtime.find_spark(sys.executable, str(home), PROGRAM, DOCUMENT)
    with pytest.raises(StateError, match="/nowhere/python cannot be run .* /nowhere/python -m pip install pyspark==4.2.0"):
        runtime.find_spark("/nowhere/python", str(home), PROGRAM, DOCUMENT)
    false = script(tmp_path / "false", "echo first >&2; echo why >&2; exit 3")
    with pytest.raises(StateError, match="no Python that can run the job \\(exit status 3: why\\)"):
        runtime.find_spark(str(false), str(home), PROGRAM, DOCUMENT)
    old = {"python": [3, 9], "document": None, "error": None, "version": "4.2.0", "home": str(home)}
    with pytest.raises(StateError, match="is older than Python 3.11"):
        runtime.find_spark(str(script(tmp_path / "old", f"cat > /dev/null; echo '{json.dumps(old)}'")), None, PROGRAM, DOCUMENT)
