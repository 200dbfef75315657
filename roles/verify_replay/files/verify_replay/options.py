# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of clusters and tables: those of the document and, over them, those of the Spark properties. Pure."""

from __future__ import annotations

from collections.abc import Iterable

PREFIX = "spark.verify_replay."
#: A broker that does not answer has to become a message, not half an hour of waiting.
_TIMEOUTS = {"request.timeout.ms": "10000", "default.api.timeout.ms": "15000", "socket.connection.setup.timeout.ms": "5000"}


class Properties:
    """The Spark properties that are meant for this job."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values = {name[len(PREFIX) :]: value for name, value in pairs if name.startswith(PREFIX)}

    def get(self, name: str) -> str | None:
        """One property, named without spark.verify_replay."""
        return self._values.get(name)

    def under(self, prefix: str) -> dict[str, str]:
        """What stands under a prefix, named by what follows it."""
        return {name[len(prefix) + 1 :]: value for name, value in self._values.items() if name.startswith(prefix + ".")}


def kafka_options(document: dict[str, str], properties: Properties, cluster: str) -> dict[str, str]:
    """Options of the Java client for a cluster."""
    return {**_TIMEOUTS, **document, **properties.under(f"kafka.{cluster}")}


def source_options(client: dict[str, str], isolation: str) -> dict[str, str]:
    """The same for Spark's Kafka source."""
    options = {f"kafka.{name}": value for name, value in client.items()}
    options.update(
        {
            "kafka.isolation.level": isolation,
            "failOnDataLoss": "true",
            "fetchOffset.numRetries": "1",
            "kafkaConsumer.pollTimeoutMs": "60000",
            "groupIdPrefix": "verify-replay",
        }
    )
    return options


def jdbc_options(document: dict[str, str], properties: Properties, table: str) -> dict[str, str]:
    """Options of Spark's JDBC source for a table."""
    options = {"fetchsize": "10000", **document, **properties.under(f"jdbc.{table}")}
    options["dbtable"] = options.pop("table")
    if options["url"].startswith("jdbc:postgresql:"):
        for name, value in (("driver", "org.postgresql.Driver"), ("connectTimeout", "10"), ("loginTimeout", "15")):
            options.setdefault(name, value)
    return options
