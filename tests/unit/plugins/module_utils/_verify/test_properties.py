# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import properties
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.properties import spark_properties, text

ODD = "\\\"' #=:!$;,\tend\nof line\r"


def test_what_is_written_is_read_by_java():
    found = text({"spark.b": True, "spark.a b:c=d": ODD}, {
        "kafka": {"main": {"bootstrap.servers": "x:1", "sasl.jaas.config": ODD, "retries": 3}}, "jdbc": {"orders": {"user": "u", "password": ODD}},
        "registry": {"schemas": {"token": "t"}}})
    assert properties(found) == {
        "spark.b": "true", "spark.a b:c=d": ODD, "spark.verify_replay.kafka.main.sasl.jaas.config": ODD, "spark.verify_replay.kafka.main.retries": "3",
        "spark.verify_replay.jdbc.orders.user": "u", "spark.verify_replay.jdbc.orders.password": ODD, "spark.verify_replay.registry.schemas.token": "t"}
    assert found.count("\n") == 7


def test_spark():
    found = spark_properties({"spark.ui.enabled": "true", "spark.driver.extraJavaOptions": "-Dx=y"}, "2g", True, "/f/log4j2.properties")
    assert found["spark.driver.memory"] == "2g" and found["spark.ui.enabled"] == "true" and found["spark.driver.host"] == "127.0.0.1"
    assert found["spark.driver.extraJavaOptions"] == '"-Dlog4j2.configurationFile=/f/log4j2.properties" -Duser.timezone=UTC -Dx=y'
    assert found["spark.executor.extraJavaOptions"] == "-Duser.timezone=UTC"
    assert "password" in found["spark.redaction.regex"]
    remote = spark_properties({}, "1g", False, "/l")
    assert "spark.driver.host" not in remote and remote["spark.driver.extraJavaOptions"] == '"-Dlog4j2.configurationFile=/l" -Duser.timezone=UTC'


def test_where_the_client_may_get_tokens():
    found = spark_properties({"spark.executor.extraJavaOptions": "-Da=b"}, "1g", False, "/l", ["https://a/token", "https://b/token"])
    option = '"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=https://a/token,https://b/token"'
    assert found["spark.executor.extraJavaOptions"] == f"-Duser.timezone=UTC {option} -Da=b"
    assert found["spark.driver.extraJavaOptions"].endswith(f" -Duser.timezone=UTC {option}")


@pytest.mark.parametrize("given, java", [("Europe/Berlin", "Europe/Berlin"), ("+02:00", "GMT+02:00"), ("", "UTC")])
def test_the_zone_of_the_session_is_that_of_drivers_of_databases(given, java):
    found = spark_properties({"spark.sql.session.timeZone": given, "spark.executor.extraJavaOptions": "-Da=b"}, "1g", False, "/l")
    assert found["spark.executor.extraJavaOptions"] == f"-Duser.timezone={java} -Da=b"
    assert found["spark.driver.extraJavaOptions"].endswith(f" -Duser.timezone={java}")
