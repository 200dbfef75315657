# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.jars import find

#: stands in for Maven, which takes minutes and a network: it writes down how it was called, and fetches one jar
MAVEN = """#!/bin/sh
echo "$@" >> "$MAVEN_CALLS"
[ -z "$MAVEN_BREAKS" ] || { echo "first line"; echo "[ERROR] no route to the repository"; exit 1; }
for word in "$@"; do case "$word" in -DoutputDirectory=*) mkdir -p "${word#*=}"; touch "${word#*=}/b.jar" "${word#*=}/a.jar";; esac; done
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    for folder in ("bin", "jars", "given", "empty"):
        (tmp_path / folder).mkdir()
    for name in ("given/z.jar", "given/y.jar", "given/notes.txt", "one.jar", "jars/pom.xml"):
        (tmp_path / name).write_text(name)
    (tmp_path / "bin" / "mvn").write_text(MAVEN)
    (tmp_path / "bin" / "mvn").chmod(0o755)
    monkeypatch.setenv("PATH", "{}:{}".format(tmp_path / "bin", os.environ["PATH"]))
    monkeypatch.setenv("MAVEN_CALLS", str(tmp_path / "calls"))
    return tmp_path


def look(place, fetch=True, **given):
    params = {"jars": None, "packages": None, "spark_conf": {}, "jars_dir": str(place / "kept"), **given}
    return find(params, "4.2.0", str(place), fetch)


def test_given(place):
    one, folder = str(place / "one.jar"), str(place / "given")
    found = [one, folder + "/y.jar", folder + "/z.jar"]
    assert look(place, jars=[folder, " " + one + " ", ""], packages=["g:a:1"]) == (found, ", ".join([*found, "g:a:1"]))
    assert look(place, packages=[" g:a:1 ", ""]) == ([], "g:a:1")
    assert look(place, spark_conf={"spark.jars": "x"}) == look(place, spark_conf={"spark.jars.packages": "x"}) == ([], "Spark properties")
    assert not (place / "calls").exists()


@pytest.mark.parametrize("jars, words", [("gone.jar", "There is no .*gone.jar, which jars names"), ("empty", "no jar in .*empty; Spark needs org.apache")])
def test_given_and_missing(place, jars, words):
    with pytest.raises(ConnectError, match=words):
        look(place, jars=[str(place / jars)])


def test_maven_fetches_once(place):
    found, where = look(place, fetch=False)
    assert found[0].endswith("/*.jar") and "Maven would fetch" in where and not (place / "kept").exists()
    found, folder = look(place)
    assert [os.path.basename(jar) for jar in found] == ["a.jar", "b.jar"] and os.path.dirname(folder) == str(place / "kept")
    assert os.path.basename(folder).startswith("4.2.0-")
    assert look(place) == look(place, fetch=False) == (found, folder)
    (call,) = (place / "calls").read_text().splitlines()
    assert f"-f {place}/jars/pom.xml dependency:copy-dependencies" in call and call.endswith("-Dspark.version=4.2.0")


def test_maven_fails(place, monkeypatch):
    monkeypatch.setenv("MAVEN_BREAKS", "yes")
    with pytest.raises(ConnectError, match="Maven cannot fetch .* in the option jars. \\[ERROR\\] no route"):
        look(place)
    monkeypatch.setenv("PATH", str(place / "empty"))
    with pytest.raises(ConnectError, match="Spark lacks org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0, and there is no Maven"):
        look(place, fetch=False)
