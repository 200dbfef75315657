# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where slim rows lie between the scan and the checks."""

from __future__ import annotations

import shutil
import tempfile
import uuid

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession

from verify_replay.errors import JobError, root_cause


class Scratch:
    """A folder that goes away at the end.

    The property scratch names its parent. Without it: a temporary folder on a local master; on a cluster, where driver and
    executors may share none, the local disks of the executors.
    """

    def __init__(self, spark: SparkSession, parent: str | None) -> None:
        self._spark = spark
        self._local: str | None = None
        self._folder: str | None = None
        self._kept: list[DataFrame] = []
        if parent:
            self._folder = f"{parent.rstrip('/')}/verify-replay-{uuid.uuid4().hex}"
        elif spark.sparkContext.master.startswith("local"):
            self._local = tempfile.mkdtemp(prefix="verify-replay-")
            self._folder = f"file://{self._local}"

    def keep(self, rows: DataFrame, name: str) -> DataFrame:
        """The rows, written down; reading them again costs no second look at their source."""
        if self._folder is None:
            kept = rows.persist(StorageLevel.DISK_ONLY)
            self._kept.append(kept)
            return kept
        path = f"{self._folder}/{name}"
        rows.write.option("compression", "lz4_raw").parquet(path)
        return self._spark.read.schema(rows.schema).parquet(path)

    def remove(self) -> None:
        for rows in self._kept:
            rows.unpersist()
        if self._local:
            shutil.rmtree(self._local, ignore_errors=True)
        elif self._folder:
            path = self._spark._jvm.org.apache.hadoop.fs.Path(self._folder)
            try:
                path.getFileSystem(self._spark._jsc.hadoopConfiguration()).delete(path, True)
            except Exception as error:
                raise JobError(f"the scratch folder {self._folder} could not be removed: {root_cause(error)}") from error
