# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, Snapshot
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import BUILT_IN
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.migration import is_migration, migrated

SQLSERVER = BUILT_IN.find({"connector.class": "io.debezium.connector.sqlserver.SqlServerConnector"})
MONGODB = BUILT_IN.find({"connector.class": "io.debezium.connector.mongodb.MongoDbConnector"})
OLD, NEW = {"server": "inv"}, {"server": "inv", "database": "shop"}
LSN = {"commit_lsn": "00000027:00000758:0005", "change_lsn": None, "event_serial_no": 1}
TOKEN = {"sec": 0, "ord": -1, "resume_token": "8266A1B2C3000000012B0429296E1404"}
RS0, RS1 = {"rs": "rs0", "server_id": "inv"}, {"rs": "rs1", "server_id": "inv"}
TO_2 = {"migrate": "debezium-sqlserver-2", "values": {"database": "shop"}}
TO_3 = {"migrate": "debezium-mongodb-3"}


def live(*pairs):
    return Snapshot("c", "source", [Entry(*pair) for pair in pairs])


@pytest.mark.parametrize("profile, rule, before, after", [
    (SQLSERVER, TO_2, [(OLD, LSN)], [(NEW, LSN), (OLD, None)]),
    (SQLSERVER, TO_2, [(OLD, LSN), (NEW, LSN)], [(NEW, LSN), (OLD, None)]),
    (SQLSERVER, TO_2, [(NEW, LSN)], []),
    (SQLSERVER, TO_2, [], []),
    (MONGODB, TO_3, [(RS0, TOKEN)], [({"server_id": "inv"}, TOKEN), (RS0, None)]),
    (MONGODB, {**TO_3, "from": {"rs": "rs1"}}, [(RS0, TOKEN), (RS1, dict(TOKEN, sec=5))],
     [({"server_id": "inv"}, dict(TOKEN, sec=5)), (RS1, None)]),
])
def test_what_is_moved(profile, rule, before, after):
    found = migrated(profile, live(*before), rule)
    assert [(pair["partition"], pair["offset"]) for pair in found] == after
    assert [list(pair["partition"]) for pair in found[::2]] == [list(profile.shape.partition)] * (len(found) // 2)


@pytest.mark.parametrize("profile, rule, before, says", [
    (SQLSERVER, TO_2, [(OLD, LSN), (NEW, dict(LSN, event_serial_no=2))], 'c has another offset under the new partition {"database": "shop", "server": "inv"}'),
    (MONGODB, TO_3, [(RS0, TOKEN), (RS1, TOKEN)], '2 partitions of c would become the same, {"server_id": "inv"}: '),
    (MONGODB, TO_2, [], 'rewrite[0].migrate is the text "debezium-sqlserver-2", but for c there is debezium-mongodb-3.'),
    (None, TO_2, [], "but for c there is no such move"),
    (SQLSERVER, {"migrate": "debezium-sqlserver-2"}, [], "rewrite[0].values must have database, it has none."),
    (SQLSERVER, dict(TO_2, values={"database": 5}), [], "rewrite[0].values.database is the integer 5, but its type is string."),
    (SQLSERVER, dict(TO_2, values="shop"), [], "rewrite[0].values must be a dictionary"),
    (SQLSERVER, dict(TO_2, to="x"), [], "rewrite[0] has to, but a rule with migrate has values and from besides."),
])
def test_what_cannot_be_moved(profile, rule, before, says):
    with pytest.raises(DeclarationError) as caught:
        migrated(profile, live(*before), rule)
    assert says in caught.value.message


@pytest.mark.parametrize("rules, is_one", [([TO_2], True), ([TO_2, TO_2], False), ([{"field": "a", "to": 1}], False), (None, False), ([], False)])
def test_is_it_a_migration(rules, is_one):
    assert is_migration(rules) is is_one
