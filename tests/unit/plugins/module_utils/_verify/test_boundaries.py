# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.kafka_connect.plugins.filter.verify import replay_topics as replay_topics_filter
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.boundaries import replay_topics


def taken(*partitions, cluster="c-1", topic="t"):
    """What topic_offsets_info returns."""
    keys = ("partition", "begin", "end", "by_time")
    return {"cluster_id": cluster, "topics": [{"name": topic, "partitions": [dict(zip(keys, one, strict=True)) for one in partitions]}]}


MIDDLE = taken((0, 2, 10, None))
AFTER = taken((0, 4, 17, None))


def ranges(found):
    return {number: tuple(one[key] for key in ("start", "boundary", "end")) for number, one in found["topics"]["t"]["partitions"].items()}


@pytest.mark.parametrize("options, expected", [
    pytest.param({}, {"0": (2, 10, 17)}, id="plain"),
    pytest.param({"before": taken((0, 1, 8, None))}, {"0": (1, 10, 17)}, id="before"),
    pytest.param({"before": taken((0, 1, 8, None)), "start": "end"}, {"0": (8, 10, 17)}, id="from the end"),
    pytest.param({"before": taken((0, 1, 12, None)), "start": "end"}, {"0": (10, 10, 17)}, id="never behind the boundary"),
    pytest.param({"before": "", "start": "", "cluster": ""}, {"0": (2, 10, 17)}, id="empty texts are not given"),
])
def test_ranges(options, expected):
    found = replay_topics(MIDDLE, AFTER, **options)
    assert ranges(found) == expected
    assert found["topics"]["t"]["topic"] == "t" and found["topics"]["t"]["cluster"] == "main" and found["cluster_ids"] == {"main": "c-1"}


def test_new_partitions_and_times_without_a_record():
    found = replay_topics(taken((0, 2, 10, None), (1, 0, 3, None)), taken((0, 4, 17, None), (1, 0, 6, None), (2, 0, 4, None)),
                          taken((0, 1, 8, 5), (1, 0, 3, None)), "by_time", "west")
    assert ranges(found) == {"0": (5, 10, 17), "1": (3, 3, 6), "2": (0, 0, 4)}
    assert found["topics"]["t"]["cluster"] == "west" and found["cluster_ids"] == {"west": "c-1"}


def test_a_topic_that_was_emptied_meanwhile_keeps_its_boundary():
    assert ranges(replay_topics(MIDDLE, taken((0, 0, 0, None)))) == {"0": (2, 10, 10)}


@pytest.mark.parametrize("changed, words", [
    ({"after": taken((0, 2, 10, None), topic="other")}, "boundary has topics that after lacks: t. Take"),
    ({"before": taken((0, 2, 10, None), topic="other")}, "boundary has topics that before lacks: t. Take"),
    ({"after": taken((0, 4, 17, None), cluster="c-2")}, "from the Kafka cluster c-1, after from c-2"),
    ({"boundary": {"cluster_id": "c-1", "topics": []}}, "boundary has no topic"),
    ({"after": {"msg": "failed"}}, "after must be a result of topic_offsets_info"),
    ({"start": "middle"}, "start must be one of begin, end, by_time, not middle"),
])
def test_what_does_not_belong_together(changed, words):
    arguments = {"boundary": MIDDLE, "after": AFTER, **changed}
    with pytest.raises(DeclarationError, match=words):
        replay_topics(**arguments)
    with pytest.raises(AnsibleFilterError, match="replay_topics: .*" + words):
        replay_topics_filter(**arguments)
