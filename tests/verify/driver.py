# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JVM of Spark's driver. Small data on a machine that others use: what takes the time is starting, and the compiler."""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from stack.locks import file_lock
from stack.paths import cache_dir
from stack.prerequisites import program

_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
#: loads what the job needs of Spark
_JOB = """
import sys
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
key = F.xxhash64(F.col("id").cast("string").cast("binary"))
rows = spark.range(40).select(F.col("id") % 5, key, F.current_timestamp()).toDF("p", "k", "t")
rows.write.mode("overwrite").option("compression", "lz4_raw").parquet(sys.argv[1])
for codegen in ("true", "false"):
    spark.conf.set("spark.sql.codegen.wholeStage", codegen)
    kept = spark.read.schema(rows.schema).parquet(sys.argv[1])
    groups = kept.groupBy("p", "k").agg(F.sum(F.when(F.col("p") == 1, 1)), F.max("t"), F.count_if(F.col("p") > 1).alias("n"))
    kept.union(kept).where("p > 0").orderBy("p").limit(3).collect()
    groups.join(kept, "k").where("n > 0").groupBy().agg(F.countDistinct("n")).collect()
spark.stop()
"""


@functools.cache
def java_options() -> str:
    """With Spark's classes loaded and verified once for all starts on this machine (class data sharing)."""
    import pyspark

    home = Path(pyspark.__file__).parent
    java = subprocess.run([program("java"), "-version"], check=True, capture_output=True, text=True).stderr
    key = hashlib.sha256("".join([java, pyspark.__version__, str(home), _OPTIONS, _JOB]).encode()).hexdigest()[:16]
    folder = cache_dir() / "spark-classes" / key
    archive = folder / "spark.jsa"
    folder.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / "lock"):
        if not archive.exists():
            (folder / "job.py").write_text(_JOB)
            env = {**os.environ, "SPARK_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
            options = f"{_OPTIONS} -XX:ArchiveClassesAtExit={archive}.new"
            command = [home / "bin" / "spark-submit", "--master", "local[1]", "--driver-java-options", options]
            command += ["--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1", folder / "job.py", folder / "rows"]
            subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            Path(f"{archive}.new").rename(archive)
    # A JVM that cannot use it starts without it, and is not to say so.
    return f"{_OPTIONS} -XX:SharedArchiveFile={archive} -Xlog:cds=off -Xlog:cds+dynamic=off"
