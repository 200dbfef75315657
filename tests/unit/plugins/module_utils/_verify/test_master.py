# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import socket

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.master import check, check_answer, is_local

HADOOP = {"YARN_CONF_DIR": "/etc/hadoop"}


@pytest.mark.parametrize("master, conf, environ, good", [
    ("local", {}, {}, True),
    ("local[*]", {"spark.submit.deployMode": "client"}, {}, True),
    ("local[2, 3]", {}, {}, True),
    ("spark://a:7077,b:7077", {}, {}, True),
    ("yarn", {}, HADOOP, True),
    ("k8s://https://k:6443", {}, {}, True),
    ("locl[2]", {}, {}, False),
    ("local[2]x", {}, {}, False),
    ("spark://a", {}, {}, False),
    ("yarn", {}, {"HADOOP_CONF_DIR": ""}, False),
    ("local[*]", {"spark.submit.deployMode": "cluster"}, {}, False),
])
def test_addresses(master, conf, environ, good):
    if good:
        check(master, conf, environ)
    else:
        with pytest.raises(DeclarationError, match="cannot be used: it is local"):
            check(master, conf, environ)


def test_one_of_several_masters_is_enough():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        dead = f"127.0.0.1:{one.getsockname()[1]}"
        with pytest.raises(DeclarationError, match=f"No Spark master answers at spark://{dead}"):
            check_answer("spark://" + dead)
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            check_answer(f"spark://{dead},127.0.0.1:{other.getsockname()[1]}")
    check_answer("local[*]")
    assert is_local("local[2]") and not is_local("yarn")
