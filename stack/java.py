# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Command lines for Kafka's Java programs."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from stack import jars
from stack.paths import PACKAGE
from stack.prerequisites import program

# A small heap and a quick start matter here, peak throughput does not.
_QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.awt.headless=true")
BROKER_CLASS = "kafka.Kafka"
FORMAT_CLASS = "kafka.tools.StorageTool"
WORKER_CLASS = "org.apache.kafka.connect.cli.ConnectDistributed"
STANDALONE_CLASS = "org.apache.kafka.connect.cli.ConnectStandalone"


def command(version: str, main_class: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
    """The argv that runs a main class of a Kafka version; its jars must be there. Logs go to standard output."""
    place = jars.kafka(version)
    class_path = [f"{place.libs}/*", *(f"{folder}/*" for folder in sorted(place.plugins.glob("*")))]
    if main_class in (WORKER_CLASS, STANDALONE_CLASS):
        class_path = class_path[:1]
    return [
        program("java"),
        *_QUICK,
        f"-Dlog4j2.configurationFile={PACKAGE / 'log4j2.properties'}",
        f"-Dlog4j.configuration={(PACKAGE / 'log4j.properties').as_uri()}",
        *options,
        "-cp",
        ":".join(class_path),
        main_class,
        *arguments,
    ]


def run_tool(
    main_class: str, *arguments: str, version: str = jars.BROKER_VERSION, stdin: str = "", timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's command line tools to its end; the caller looks at returncode, stdout and stderr.

    Example: run_tool("org.apache.kafka.tools.TopicCommand", "--bootstrap-server", servers, "--list").
    subprocess.TimeoutExpired after timeout seconds.
    """
    jars.ensure_kafka(version)
    options = ["-Xmx256m", "-Dstreamops.log.level=ERROR"]
    return subprocess.run(
        command(version, main_class, *arguments, options=options),
        input=stdin,
        text=True,
        capture_output=True,
        timeout=timeout,
        check=False,
    )


def environment() -> dict[str, str]:
    """The environment of a long-running JVM: without options that were meant for other programs."""
    return {name: value for name, value in os.environ.items() if name not in ("CLASSPATH", "JDK_JAVA_OPTIONS")}


def crash_options(logs: Path) -> list[str]:
    """End at the first OutOfMemoryError, and leave crash reports beside the logs."""
    return ["-XX:+ExitOnOutOfMemoryError", f"-XX:ErrorFile={logs}/hs_err_%p.log"]
