# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The jars that Spark lacks: given, fetched by Spark itself, or fetched with Maven once."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, StateError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.process import answer

_CONNECTOR = "org.apache.spark:spark-sql-kafka-0-10_2.13:%s"
#: what the pom fetches; pyspark has the rest, some of it newer
_ARTIFACTS = "spark-sql-kafka-0-10_2.13,spark-avro_2.13,spark-token-provider-kafka-0-10_2.13,kafka-clients,commons-pool2,postgresql"
_SPARK_PROPERTIES = ("spark.jars", "spark.jars.packages")


def find(params: dict, version: str, program: str, fetch: bool) -> tuple:
    """(the files for --jars, where all jars come from). version: of Spark. fetch: may they be fetched? Raises DeclarationError, StateError."""
    given = [path.strip() for path in params["jars"] or [] if path.strip()]
    packages = given_packages(params)
    if given:
        found = _given(given, version)
        return found, ", ".join(found + packages)
    if packages or any(name in params["spark_conf"] for name in _SPARK_PROPERTIES):
        return [], ", ".join(packages) or "Spark properties"
    return _by_maven(os.path.join(program, "jars", "pom.xml"), params["jars_dir"], version, fetch)


def given_packages(params: dict) -> list:
    return [package.strip() for package in params["packages"] or [] if package.strip()]


def _given(paths: list, version: str) -> list:
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise DeclarationError("There is no %s, which jars names." % missing[0])
    found = [path for path in paths if not os.path.isdir(path)]
    found += sorted(jar for path in paths if os.path.isdir(path) for jar in glob.glob(os.path.join(glob.escape(path), "*.jar")))
    if not found:
        raise DeclarationError("There is no jar in %s; Spark needs %s." % (", ".join(paths), _CONNECTOR % version))
    return found


def _by_maven(pom: str, jars_dir: str, version: str, fetch: bool) -> tuple:
    with open(pom, "rb") as file:
        folder = os.path.join(jars_dir, "%s-%s" % (version, hashlib.sha256(file.read()).hexdigest()[:12]))
    complete = os.path.join(folder, "complete")
    if not os.path.exists(complete):
        if shutil.which("mvn") is None:
            raise StateError("Spark lacks %s, and there is no Maven (mvn) to fetch it: give the jars of roles/verify_replay/files/jars/pom.xml in jars, or the "
                             "coordinate in packages." % (_CONNECTOR % version))
        if not fetch:
            return [os.path.join(folder, "*.jar")], "%s, to which Maven would fetch them" % folder
        _fetch(pom, folder, version)
        with open(complete, "w"):
            pass
    found = sorted(glob.glob(os.path.join(glob.escape(folder), "*.jar")))
    return found, folder


def _fetch(pom: str, folder: str, version: str) -> None:
    command = ["mvn", "-B", "-q", "-f", pom, "dependency:copy-dependencies", "-DincludeScope=runtime", "-DoutputDirectory=" + folder,
               "-DincludeArtifactIds=" + _ARTIFACTS, "-Dspark.version=" + version]
    done = answer(command, input="")
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines() or ["no output"]
        raise StateError("Maven cannot fetch %s and what goes with it: give the jars in the option jars. %s" % (
            _CONNECTOR % version, next((line for line in lines if "ERROR" in line), lines[-1])))
