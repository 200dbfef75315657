# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What pyspark lacks to run the job."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

from stack.locks import file_lock
from stack.paths import cache_dir
from stack.prerequisites import program

POM = Path(__file__).resolve().parents[2] / "roles" / "verify_replay" / "files" / "jars" / "pom.xml"
_ARTIFACTS = "spark-sql-kafka-0-10_2.13,spark-avro_2.13,spark-token-provider-kafka-0-10_2.13,kafka-clients,commons-pool2,postgresql"


def spark_jars() -> str:
    """The jars of the pom, resolved once into the cache; comma-separated."""
    target = cache_dir() / "verify-jars" / hashlib.sha256(POM.read_bytes()).hexdigest()[:16]
    target.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(target.parent / "lock"):
        if not (target / "complete").exists():
            goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={target}"]
            subprocess.run([program("mvn"), "-B", "-q", "-f", str(POM), *goal, f"-DincludeArtifactIds={_ARTIFACTS}"], check=True)
            (target / "complete").touch()
    return ",".join(map(str, sorted(target.glob("*.jar"))))
