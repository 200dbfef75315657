# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The job on the path, one Spark session for tests of single checks, jars, and how spark-submit is called."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.verify.apicurio import Apicurio
from tests.verify.driver import java_options
from tests.verify.jars import spark_jars

FILES = Path(__file__).resolve().parents[2] / "roles" / "verify_replay" / "files"
sys.path.insert(0, str(FILES))


def _quick() -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": java_options(),
    }


def pytest_configure() -> None:
    pyspark = pytest.importorskip("pyspark")
    # spark-submit would look for Spark with the first python3 of the PATH.
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


@pytest.fixture(scope="session")
def spark(jars):
    """A session for the tests of single checks; it needs no broker."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("test")
    # To compile code for each query takes longer than the query; the tests of the whole job do it.
    quicker = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    for name, value in {**_quick(), **quicker, "spark.sql.shuffle.partitions": "1"}.items():
        builder = builder.config(name, value)
    session = builder.config("spark.driver.memory", "512m").config("spark.jars", jars).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def jars() -> str:
    return spark_jars()


@pytest.fixture(scope="session")
def submit(jars, tmp_path_factory):
    """Runs the job as the role does; gives (exit status, report, what it printed, page)."""

    def run(document, properties: dict[str, str] | None = None, jars: str = jars):
        folder = tmp_path_factory.mktemp("job")
        expectation, report, page, conf = (folder / name for name in ("expectation.json", "report.json", "report.html", "job.conf"))
        expectation.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        conf.touch(0o600)
        scratch = folder / "scratch"
        settings = {**_quick(), "spark.verify_replay.scratch": f"file://{scratch}", **(properties or {})}
        conf.write_text("".join(f"{name} {value}\n" for name, value in settings.items()), encoding="utf-8")
        command = [f"{os.environ['SPARK_HOME']}/bin/spark-submit", "--master", "local[2]", "--driver-memory", "768m"]
        command += [
            "--properties-file",
            str(conf),
            *(["--jars", jars] if jars else []),
            str(FILES / "main.py"),
            str(expectation),
            str(report),
            str(page),
        ]
        # spark-submit makes one stream of what Python prints.
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, check=False)
        assert not scratch.exists() or not any(scratch.iterdir()), "the scratch folder was left behind"
        content = json.loads(report.read_text(encoding="utf-8")) if report.exists() else None
        return done.returncode, content, done.stdout, page.read_text(encoding="utf-8") if page.exists() else ""

    return run


@pytest.fixture(scope="session")
def apicurio():
    registry = Apicurio()
    yield registry
    registry.stop()
