# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The properties file of the job: Spark's own, then of each cluster, table and registry what the job must not have in its document. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import line
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.client import SECRET
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.document import SERVERS

_DRIVER, _EXECUTOR = "spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions"
#: since Kafka 3.9.1 the client's JVM has to be told where it may get tokens
_TOKEN_URLS = "org.apache.kafka.sasl.oauthbearer.allowed.urls"
_ZONE = "spark.sql.session.timeZone"


def text(spark: dict, named_options: dict) -> str:
    """named_options: kafka, jdbc and registry -> name -> options of the Java client, of the JDBC source, of the schema registry."""
    named = [(name, spark[name]) for name in sorted(spark)]
    for kind, groups in named_options.items():
        named += _of(kind, {name: {key: value for key, value in options.items() if key != SERVERS} for name, options in groups.items()})
    return "".join(line(name, _value(value)) + "\n" for name, value in named)


def spark_properties(conf: dict, driver_memory: str, is_local: bool, log4j: str, token_urls=()) -> dict:
    """conf: what the user gives, which wins. log4j: the file with the settings of the log. token_urls: where Kafka's client may get tokens."""
    ours = {
        "spark.driver.memory": driver_memory,
        "spark.ui.enabled": "false",
        "spark.redaction.regex": SECRET,
        "spark.ui.showConsoleProgress": "false",
    }
    if is_local:
        ours.update({"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"})
    ours.update(conf)
    common = [_zone(ours)] + ['"-D%s=%s"' % (_TOKEN_URLS, ",".join(token_urls))] * bool(token_urls)
    options = {_DRIVER: ['"-Dlog4j2.configurationFile=%s"' % log4j, *common], _EXECUTOR: common}
    for name, values in options.items():
        # Before what the user gives: of two options Java takes the last one.
        ours[name] = " ".join([*values, *filter(None, [ours.get(name)])])
    return ours


def _zone(conf: dict) -> str:
    """The JVM's zone, in which a JDBC driver reads times that have none: that of the session, not that of the machine."""
    zone = str(conf.get(_ZONE) or "UTC")
    # Spark takes +02:00, Java knows it with GMT only, and takes GMT alone for whatever it does not know.
    return "-Duser.timezone=%s" % ("GMT" + zone if zone[0] in "+-" else zone)


def _of(kind: str, groups: dict) -> list:
    return [("spark.verify_replay.%s.%s.%s" % (kind, name, key), groups[name][key]) for name in sorted(groups) for key in sorted(groups[name])]


def _value(value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
