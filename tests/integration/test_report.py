# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook offsets_report by its FQCN: the table that it prints and the JSON that it writes, of real topics."""

from __future__ import annotations

import json
import re

import pytest
from confluent_kafka import Producer

from stack import ClusterSpec
from tests.integration.support.configs import at, entry, shaped
from tests.integration.support.playbook import Play
from tests.integration.support.worker import Worker, wait_until

REPORT = "streamops.kafka_connect.offsets_report"
CLUSTER = "report"
DEAD = "http://127.0.0.1:9"
HOSTILE = "e {{ 1/0 }}"


@pytest.fixture(scope="module")
def cluster(live_stack) -> dict:
    """A cluster of its own: other tests leave offsets of deleted connectors behind."""
    return live_stack.up({CLUSTER: ClusterSpec()})["clusters"][CLUSTER]


@pytest.fixture(scope="module")
def place(cluster, kafka) -> dict:
    """Connectors of all kinds, and records that no worker would write; raw key -> its topic partition."""
    worker, topic = Worker(cluster["urls"][0]), cluster["offset_topic"]
    plans = {"a-plain": [at(4), at(5, p=1)], "b-odd": [at(1), at(2, p=1), at(3, p=2)], "c-gone": [at(7)], "d-reset": [at(8)],
             "f-empty": None}
    for name, offsets in plans.items():
        if not worker.exists(name):
            worker.create(name, shaped(topic=name))
        for pair in offsets or []:  # one after the other: the last one is the newest
            worker.set_offsets(name, [pair])
    worker.must("DELETE", "connectors/d-reset/offsets")
    wait_until(lambda: not worker.offsets("d-reset"), reason="the reset")
    for name in ("c-gone", "d-reset"):
        worker.delete(name)
        wait_until(lambda name=name: not worker.exists(name), reason=f"{name} to be gone")
    places = {record.key: record.partition for record in kafka.records(topic)}
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})

    def put(key: str, value: str | None, partition: int) -> None:
        producer.produce(topic, key=key, value=value, partition=partition)

    split, stray = '["b-odd",{"p":0}]', '["b-odd",{"p":2}]'
    put(split, '{"n":99}', (places[split] + 1) % 5)
    put('["b-odd", {"p": 1}]', '{"n":98}', 0)
    put(stray, None, (places[stray] + 1) % 5)
    put('["b-odd",{"b":"x","a":"y"}]', '{"n":9007199254740993}', 1)
    put('["b-odd",{"p":9}]', "oops", 2)
    put('["b-odd",{"p":[1]}]', '{"n":1}', 3)
    put("gibberish", '{"n":1}', 4)
    put(json.dumps([HOSTILE, {"{{ q }}": "two\nlines"}], separators=(",", ":")), '{"n":"{{ 2/0 }}"}', 4)
    assert producer.flush(20) == 0
    return places


def reported(playbooks, hosts: dict, *options: str, **variables) -> Play:
    return playbooks.run(REPORT, hosts, *options, **variables)


def host(cluster: dict, kafka, **variables) -> dict:
    return {"kafka_connect_url": cluster["urls"][0], "kafka_bootstrap_servers": [kafka.bootstrap_servers],
            "kafka_connect_offset_topic": cluster["offset_topic"], **variables}


def test_what_is_there(cluster, place, kafka, playbooks, tmp_path):
    """Beside a cluster that is down: named, and no end to the others; the same in check mode, but no file."""
    hosts = {"eu": host(cluster, kafka), "us": host(cluster, kafka, kafka_connect_url=DEAD)}
    folder = tmp_path / "reports"
    before = sorted(kafka.records(cluster["offset_topic"]), key=str)
    dry = reported(playbooks, hosts, "--check", "--diff", offsets_report_dir=str(folder))
    assert not folder.exists()
    play = reported(playbooks, hosts, "--diff", offsets_report_dir=str(folder))
    assert sorted(kafka.records(cluster["offset_topic"]), key=str) == before
    for one in (dry, play):
        assert one.rc == 2 and "Traceback" not in one.text
        assert one.recap["eu"]["failed"] == 0 and one.recap["us"]["failed"] == 1
        assert one.recap["eu"]["changed"] == one.recap["us"]["changed"] == 0
        assert "No report of us: " in one.failure("us") and "no connection" in one.failure("us")
        assert one.report("us")[0] == "us: NO REPORT" and "no connection" in one.report("us")[1]
    assert dry.report("eu") == play.report("eu")

    lines = play.report("eu")
    assert lines[0] == f"eu: topic {cluster['offset_topic']}, 5 partitions, {len(before)} records, 15 keys; 5 connectors, 2 gone"
    assert lines[2:8] == [
        "CONNECTOR    STATE           PARTITIONS  ANOMALIES                       NEWEST OFFSET",
        "a-plain      source STOPPED           2  -                               p=1 -> n=5",
        "b-odd        source STOPPED           4  1 split, 1 encodings, 1 for...  b=x a=y -> n=9007199254740993",
        "c-gone       gone                     1  -                               p=0 -> n=7",
        "e {{ 1/0 }}  gone                     1  -                               {{ q }}=two lines -> n={{ 2/0 }}",
        "f-empty      source STOPPED           0  -                               -",
    ]
    text = "\n".join(lines)
    assert "GONE: 2 connectors do not exist" in text and "\n  c-gone: 1 partition\n  e {{ 1/0 }}: 1 partition\n" in text
    assert "d-reset" not in text
    split, stray = place['["b-odd",{"p":0}]'], place['["b-odd",{"p":2}]']
    sections = {section.split(":")[0]: section.splitlines() for section in text.split("\n\n")}
    assert sections["SPLIT"][0] == "SPLIT: 1 partition, the same key on several topic partitions."
    copies = sorted(re.sub(r"@\d+", "", copy) for copy in sections["SPLIT"][-1].strip().split(", "))
    assert sections["SPLIT"][-2] == "  b-odd p=0" and copies == sorted([f"{split}* n=1", f"{(split + 1) % 5} n=99"])
    assert sections["ENCODINGS"][-2] == "  b-odd p=1" and sections["FOREIGN"][-1] == "  b-odd p=1 (see above)"
    assert "* n=2" in sections["ENCODINGS"][-1] and " n=98" in sections["ENCODINGS"][-1]
    assert sections["ORDER"][-2] == "  b-odd b=x a=y"
    assert sections["STRAY_TOMBSTONE"][-2] == "  b-odd p=2" and "tombstone" in sections["STRAY_TOMBSTONE"][-1]
    assert f"{stray}@" in sections["STRAY_TOMBSTONE"][-1]
    assert sections["UNREADABLE"][-1] == "  b-odd p=9"
    bad = [re.sub(r"@\d+", "", line) for line in sections["BAD KEYS"][-2:]]
    assert bad == ['  b-odd, 3, the partition holds a map or a list: ["b-odd",{"p":[1]}]',
                   "  no connector, 4, the key is not JSON: gibberish"]

    report = json.loads((folder / "eu.json").read_text())
    assert (report["host"], report["error"], report["method"]) == ("eu", None, "topic")
    assert report["orphans"] == ["c-gone", HOSTILE]
    assert {name: report["topic"][name] for name in (
        "name", "partitions", "cleanup_policy", "records", "key_count", "unreadable_count")} == {
        "name": cluster["offset_topic"], "partitions": 5, "cleanup_policy": "compact", "records": len(before), "key_count": 15,
        "unreadable_count": 2}
    found = {one["name"]: one for one in report["connectors"]}
    assert list(found) == ["a-plain", "b-odd", "c-gone", HOSTILE, "f-empty"]
    assert found["a-plain"]["offsets"] == [at(4), at(5, p=1)] and found["a-plain"]["connector"]["state"] == "STOPPED"
    assert found["b-odd"]["offsets"] == [entry({"b": "x", "a": "y"}, {"n": 9007199254740993}), at(1), at(2, p=1), at(3, p=2)]
    assert [(odd["partition"], odd["kinds"]) for odd in found["b-odd"]["anomalies"]] == [
        ({"b": "x", "a": "y"}, ["order"]), ({"p": 0}, ["split"]), ({"p": 1}, ["encodings", "foreign"]), ({"p": 2}, ["stray_tombstone"])]
    assert found["b-odd"]["unreadable"] == [{"p": 9}]
    assert [one["key"] for one in found["b-odd"]["unreadable_records"]] == ['["b-odd",{"p":[1]}]']
    assert found[HOSTILE]["offsets"] == [entry({"{{ q }}": "two\nlines"}, {"n": "{{ 2/0 }}"})]
    assert found["c-gone"]["connector_exists"] is False and found["c-gone"]["connector"] is None
    down = json.loads((folder / "us.json").read_text())
    assert "no connection" in down["error"] and down["connectors"] == down["orphans"] == [] and down["topic"] is None


def test_long_lists_are_cut(cluster, place, kafka, playbooks, tmp_path):
    """Texts as a survey sends them; the counts are of all."""
    play = reported(playbooks, {"eu": host(cluster, kafka)}, offsets_report_lines="1", offsets_report_max_entries="1",
                    offsets_report_dir="a/b", offsets_report_hosts="", env={"PWD": str(tmp_path)})
    assert play.rc == 0, play
    lines = play.report("eu")
    assert lines[3].startswith("a-plain ") and lines[3].split()[3] == "2" and lines[4] == "  ... and 4 more"
    gone = lines.index(next(line for line in lines if line.startswith("GONE: 2 connectors")))
    assert lines[gone + 2:gone + 5] == ["  c-gone: 1 partition", "  ... and 1 more", ""]
    plain = json.loads((tmp_path / "a" / "b" / "eu.json").read_text())["connectors"][0]
    assert plain["offsets"] == [at(4)] and plain["offsets_count"] == 2 and plain["truncated"] is True


def test_an_old_worker(v34, kafka, name, playbooks, tmp_path):
    """Connect 3.4.1 shows no offsets by REST: with brokers they are there, without it says what is missing."""
    v34.worker.create(name, shaped(topic=name, records_per_partition=3), None)
    try:
        wait_until(lambda: kafka.live_offsets(v34.offset_topic, name) == {f'["{name}",{{"p":0}}]': '{"n":2}'})
        bare = {"kafka_connect_url": v34.url}
        given = {"kafka_bootstrap_servers": kafka.bootstrap_servers, "kafka_connect_offset_topic": v34.offset_topic}
        hosts = {"bare": bare, "old": {**bare, **given}}
        play = reported(playbooks, hosts, offsets_report_dir=str(tmp_path), offsets_report_lines=0)
        assert play.rc == 2 and "3.5" in play.failure("bare")
        assert play.recap["old"]["failed"] == 0
        row = next(line for line in play.report("old") if line.startswith(name))
        assert row.split() == [name, "source", "RUNNING", "1", "-", "p=0", "->", "n=2"]
        found = {one["name"]: one for one in json.loads((tmp_path / "old.json").read_text())["connectors"]}
        assert found[name]["offsets"] == [at(2)] and found[name]["connector_exists"] is True
    finally:
        v34.worker.delete(name)


def test_without_brokers_or_without_a_worker(cluster, place, kafka, playbooks, tmp_path):
    """By REST it is a shorter report; from the topic alone nobody knows which connectors are gone."""
    hosts = {"rest": {"kafka_connect_url": cluster["urls"]},
             "topic": {"kafka_bootstrap_servers": kafka.bootstrap_servers, "kafka_connect_offset_topic": cluster["offset_topic"]}}
    play = reported(playbooks, hosts, offsets_report_dir=str(tmp_path))
    assert play.rc == 0, play
    rest, topic = play.report("rest"), play.report("topic")
    assert rest[0].startswith("rest: by REST, as no brokers are given")
    assert any(line.split()[:4] == ["a-plain", "source", "STOPPED", "2"] for line in rest)
    assert not any("c-gone" in line for line in rest)
    assert any(line.split()[:3] == ["c-gone", "unknown", "1"] for line in topic)
    assert not any(line.startswith("GONE") or "d-reset" in line for line in topic)
    assert json.loads((tmp_path / "topic.json").read_text())["orphans"] == []


def test_addresses_of_the_environment_are_for_one_host(cluster, kafka, playbooks):
    """With several hosts each would be the same cluster."""
    url, brokers = {"KAFKA_CONNECT_URL": cluster["urls"][0]}, {"KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers}
    whole = host(cluster, kafka)
    alone = {name: value for name, value in whole.items() if name != "kafka_connect_url"}
    bare = {name: value for name, value in whole.items() if name != "kafka_bootstrap_servers"}
    for env, hosts, missing in (
            ({}, {"a": whole, "b": {}}, "kafka_connect_url"), (url, {"a": whole, "b": alone}, "kafka_connect_url"),
            (brokers, {"a": whole, "b": bare}, "kafka_bootstrap_servers")):
        play = playbooks.run(REPORT, hosts, env=env)
        assert play.rc == 2 and f"b has no {missing}" in play.failure("b")
        assert play.recap["a"]["failed"] == 0 and play.report("a")
    play = playbooks.run(REPORT, {"a": {}}, env={**url, **brokers}, kafka_connect_offset_topic=cluster["offset_topic"])
    assert play.rc == 0 and play.report("a")[0].startswith(f"a: topic {cluster['offset_topic']}, ")
