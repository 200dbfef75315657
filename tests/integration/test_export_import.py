# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Offsets to a file and back: the module connector_offsets_export, and the playbooks export_offsets, import_offsets, purge_offsets."""

from __future__ import annotations

import json
import os
import stat
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.integration.support.configs import at, file_sink, shaped, sink_at
from tests.integration.support.worker import Worker, ordered, wait_until

EXPORT, IMPORT, PURGE = (f"streamops.kafka_connect.{name}_offsets" for name in ("export", "import", "purge"))
LARGE = 2**63 - 1


@pytest.fixture
def hosts(main, kafka) -> dict:
    return {"eu": {"kafka_connect_url": main.url, "kafka_bootstrap_servers": kafka.bootstrap_servers,
                   "kafka_connect_offset_topic": main.offset_topic}}


@pytest.fixture
def three(make, kafka, tmp_path) -> list[str]:
    """Two sources, one with what is hard to keep, and a sink."""
    stem = f"x-{uuid.uuid4().hex[:8]}"
    odd = [{"partition": {"a\"b": "ä\n", "b": 1}, "offset": {"n": LARGE, "t": '{"x": [1]}', "z": None, "f": 0.1}}]
    names = [make(shaped(), offsets=[at(4), at(7, p=1)], name=f"{stem}-0"), make(shaped(), offsets=odd, name=f"{stem}-1")]
    topic = kafka.create(f"{stem}-topic", 2, "delete")
    kafka.raw(topic, [(number, b"k", b"v") for number in (0, 0, 1)])
    names.append(make(file_sink(topic, tmp_path / "out"), offsets=[sink_at(topic, 2), sink_at(topic, 1, 1)], name=f"{stem}-sink"))
    yield names
    kafka.drop(topic)


def live(worker, names):
    return {name: worker.offsets(name) for name in names}


def test_out_and_in_again(three, hosts, worker, playbooks, tmp_path):
    before = live(worker, three)
    stem = three[0][:-2]
    options = {"export_offsets_dest": str(tmp_path), "export_offsets_connectors": f"{stem}-*"}
    path = tmp_path / "eu.json"
    dry = playbooks.run(EXPORT, hosts, "--check", "--diff", **options)
    assert dry.rc == 0 and dry.recap["eu"]["changed"] == 1 and not path.exists(), dry
    assert "3 connectors, 5 partitions, would be written" in dry.stdout, dry
    done = playbooks.run(EXPORT, hosts, **options)
    assert done.rc == 0 and done.recap["eu"]["changed"] == 1 and stat.S_IMODE(path.stat().st_mode) == 0o600, done
    again = playbooks.run(EXPORT, hosts, **options)
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0 and "as before" in again.stdout, again
    document = json.loads(path.read_text())
    assert sorted(document["connectors"]) == sorted(three) and document["types"][three[2]] == "sink"
    assert document["plugins"][three[0]] == {"class": "streamops.test.ShapedSourceConnector", "version": "1.0.0"}
    assert document["plugins"].keys() == document["connectors"].keys()
    assert document["connectors"][three[1]][0]["offset"] == {"n": LARGE, "t": '{"x": [1]}', "z": None, "f": 0.1}

    for name in three:
        worker.must("DELETE", f"connectors/{name}/offsets")
    assert live(worker, three) == dict.fromkeys(three, [])
    dry = playbooks.run(IMPORT, hosts, "--check", "--diff", import_offsets_src=str(path))
    assert dry.rc == 0 and dry.recap["eu"]["changed"] == 1 and live(worker, three) == dict.fromkeys(three, []), dry
    assert str(LARGE) in dry.stdout
    done = playbooks.run(IMPORT, hosts, import_offsets_src=str(path), import_offsets_change_id=f"{stem}-move")
    assert done.rc == 0 and live(worker, three) == before, done
    for change in ({}, {"import_offsets_change_id": f"{stem}-move"}):
        again = playbooks.run(IMPORT, hosts, import_offsets_src=str(path), **change)
        assert again.rc == 0 and again.recap["eu"]["changed"] == 0, again
    undone = playbooks.run("streamops.kafka_connect.restore_offsets", hosts, restore_offsets_change_id=f"{stem}-move")
    assert undone.rc == 0 and live(worker, three) == dict.fromkeys(three, []), undone


@pytest.mark.parametrize("form", ["KIP-199", "REST"])
def test_other_forms(make, hosts, worker, playbooks, tmp_path, form):
    """What is not mentioned stays; null removes."""
    name = make(shaped(), offsets=[at(4), at(5, p=1), at(6, p=2)])
    pairs = [at(1), {"partition": {"p": 1}, "offset": None}]
    path = tmp_path / "in.json"
    path.write_text(json.dumps({name: pairs, "another": []} if form == "KIP-199" else {"offsets": pairs}))
    # Relative to where the playbook is started.
    done = playbooks.run(IMPORT, hosts, import_offsets_src=os.path.relpath(path, playbooks.folder), import_offsets_connectors=name,
                         env={"PWD": str(playbooks.folder)})
    assert done.rc == 0 and worker.offsets(name) == [at(1), at(6, p=2)], done


def test_documents_that_are_refused(make, hosts, worker, playbooks, tmp_path, kafka):
    name = make(shaped(), offsets=[at(4)])
    sink = make(file_sink(name, tmp_path / "out"))
    header = {"format": "streamops.kafka_connect/offsets", "version": 1}
    good = json.dumps({name: [at(1)]})
    for text, words, more in (
        (good[:-9], "seems to be cut short", {}),
        (json.dumps({name: [at(1), at(2)]}), "is a second entry for the partition", {}),
        (json.dumps({name: [at(LARGE + 1)]}), "does not fit into the 64 bits", {}),
        (json.dumps({**header, "format": "other/1", "connectors": {name: [at(1)]}}), "has the unknown format", {}),
        (json.dumps({**header, "cluster": {"kafka_cluster_id": "elsewhere"}, "connectors": {name: [at(1)]}}),
         "on the Kafka cluster elsewhere", {}),
        (json.dumps({**header, "types": {sink: "source"}, "connectors": {sink: [sink_at(name, 1)]}}), "it is a sink connector here", {}),
        (good, "holds no connector that fits nobdy", {"import_offsets_connectors": f"{name}, nobdy"}),
        (json.dumps({"offsets": [at(1)]}), "does not say of which connector it is", {}),
    ):
        path = tmp_path / "in.json"
        path.write_text(text)
        play = playbooks.run(IMPORT, hosts, import_offsets_src=str(path), **more)
        assert play.rc != 0 and words in play.failure("eu"), play
    nothing = playbooks.run(IMPORT, hosts, import_offsets_src=str(tmp_path / "no.json"))
    assert nothing.rc != 0 and "There is no file" in nothing.failure("eu")
    assert worker.offsets(name) == [at(4)] and worker.offsets(sink) == []


def test_export_refuses(run, main, kafka, tmp_path):
    options = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    for more, words in (({"dest": str(tmp_path / "no" / "x.json")}, "cannot be written"),
                        ({"dest": str(tmp_path / "x.json"), "connectors": ["no-such-*"]}, "No connector that has offsets fits no-such-*"),
                        ({"dest": str(tmp_path)}, "cannot be read")):
        result = run("connector_offsets_export", **options, **more)
        assert result["failed"] and words in result["msg"], result["msg"]
    assert list(tmp_path.iterdir()) == []


def test_history(make, run, main, kafka, worker, tmp_path):
    name = make(shaped(), offsets=[at(4)])
    worker.set_offsets(name, [at(9)])
    result = run("connector_offsets_export", dest=str(tmp_path / "x.json"), connectors=[name], history=True,
                 bootstrap_servers=[kafka.bootstrap_servers], offset_topic=main.offset_topic)
    assert not result["failed"], result["msg"]
    document = json.loads((tmp_path / "x.json").read_text())
    assert [record["offset"] for record in document["history"][name][0]["records"]] == [{"n": 9}, {"n": 4}]
    assert document["connectors"][name] == [at(9)]


def test_purge_of_those_that_are_gone(make, hosts, main, worker, playbooks, kafka):
    stem = f"gone-{uuid.uuid4().hex[:6]}"
    names = [make(shaped(), offsets=[at(4)], name=f"{stem}-{number}") for number in range(4)]
    for name in names[:3]:
        worker.delete(name)
    desired = {"purge_offsets_connectors": f"{stem}-0, {stem}-[1], {stem}-2, {stem}-3, nobody-here"}
    dry = playbooks.run(PURGE, hosts, "--check", "--diff", **desired)
    assert dry.rc == 0 and f"{names[0]}                  1" in dry.stdout, dry
    assert f"{names[3]} is not gone: it is STOPPED. Its offsets are left alone" in dry.stdout and "nobody-here" in dry.stdout

    def left():
        return [name for name in names if kafka.live_offsets(main.offset_topic, name)]

    assert left() == names
    done = playbooks.run(PURGE, hosts, **desired, purge_offsets_change_id=f"{stem}-id")
    assert done.rc == 0 and left() == [names[3]], done
    again = playbooks.run(PURGE, hosts, purge_offsets_connectors=f"{stem}-*")
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0 and "No connector that is gone and fits" in again.stdout
    for more in ({}, {"purge_offsets_connectors": "*", "kafka_bootstrap_servers": ""}):
        refused = playbooks.run(PURGE, hosts, **more)
        assert refused.rc != 0 and "Give purge_offsets_connectors" in refused.failure("eu"), refused
    wait_until(lambda: worker.offsets(names[3]) == [at(4)])


def test_a_cluster_of_two_hundred(request, run, main, kafka, worker, tmp_path):
    """Exported, wiped, imported in one transaction: every connector goes on where it was."""
    stem, options = f"m-{uuid.uuid4().hex[:6]}", {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    topic = kafka.create(f"{stem}-out", 1, "delete")
    places = {f"{stem}-{number:03d}": number % 5 for number in range(200)}
    request.addfinalizer(lambda: each(lambda own, name: own.delete(name)))

    def each(action) -> list:
        """Of all connectors, many at once: what the worker does for each, it does for all that have come meanwhile."""
        def some(names):
            own = Worker(worker.url)
            return [action(own, name) for name in names]

        names = list(places)
        with ThreadPoolExecutor(20) as pool:
            return [one for found in pool.map(some, (names[number::20] for number in range(20))) for one in found]

    each(lambda own, name: own.create(name, shaped(topic=topic)))
    each(lambda own, name: own.must("PATCH", f"connectors/{name}/offsets", {"offsets": [at(places[name])]}))
    path = tmp_path / "all.json"
    exported = run("connector_offsets_export", dest=str(path), connectors=[f"{stem}-*"], method="topic", **options)
    assert not exported["failed"] and exported["connectors"] == dict.fromkeys(places, 1), exported.get("msg")
    each(lambda own, name: own.must("DELETE", f"connectors/{name}/offsets"))
    assert not any(kafka.live_offsets(main.offset_topic, name) for name in list(places)[::50])

    desired = {"src": str(path), "method": "topic", "stop": True, **options}
    before = sum(kafka.ends(main.offset_topic).values())
    dry = run("connector_offsets_import", check=True, **desired)
    assert dry["counts"] == {"set": 200, "remove": 0, "keep": 0} and sum(kafka.ends(main.offset_topic).values()) == before, dry
    done = run("connector_offsets_import", **desired)
    assert done["changed"] and done["counts"]["set"] == 200 and {one["state"] for one in done["connectors"]} == {"STOPPED"}, done
    # One transaction: besides the records one marker for each partition of the topic that has some.
    assert sum(kafka.ends(main.offset_topic).values()) == before + 200 + len(kafka.ends(main.offset_topic))
    assert dict(each(lambda own, name: (name, own.offsets(name)))) == {name: [at(place)] for name, place in places.items()}
    again = run("connector_offsets_import", **desired)
    assert not again["changed"] and again["counts"]["keep"] == 200, again

    started = run("connector_offsets_import", final_state="started", wait_timeout=300, **desired)
    assert started["changed"] and {(one["state"], *one["failed_tasks"]) for one in started["connectors"]} == {("RUNNING",)}, started
    left = Counter(f'{{"p":0}}#{number}' for place in places.values() for number in range(place + 1, 5))
    wait_until(lambda: len(kafka.values(topic)) >= left.total(), 60, "all records")
    assert Counter(kafka.values(topic)) == left
    stopped = run("connector_offsets_import", final_state="stopped", wait_timeout=300, src=str(path), stop=True, purge=True, **options)
    assert stopped["changed"] and {one["state"] for one in stopped["connectors"]} == {"STOPPED"}, stopped
    kafka.drop(topic)


@pytest.mark.parametrize("method", ["auto", "topic"])
def test_to_an_offsets_topic_of_its_own(make, run, main, kafka, worker, tmp_path, method):
    """A connector that gets one finds nothing there: what it had on the workers' topic is exported before, and imported then."""
    two = {"partition": {"a": "x", "b": 2}, "offset": {"n": LARGE}}
    name = make(shaped(), offsets=[at(2), two])
    brokers = {"bootstrap_servers": [kafka.bootstrap_servers], "offset_topic": main.offset_topic}
    exported = run("connector_offsets_export", dest=str(tmp_path / "x.json"), connectors=[name], **brokers)
    assert exported["connectors"] == {name: 2}
    worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, name=name, offsets_storage_topic=f"{name}-offsets"))
    wait_until(lambda: [pair["offset"] for pair in worker.offsets(name)] == [None, None])
    # Of two fields REST cannot tell a value that is missing from one under another key: with the brokers the topic is taken.
    done = run("connector_offsets_import", src=str(tmp_path / "x.json"), method=method, **brokers)
    assert done["changed"] and done["connectors"][0]["method"] == "topic" and worker.offsets(name) == ordered([at(2), two]), done
    assert len(kafka.live_offsets(f"{name}-offsets", name)) == 2
    assert not run("connector_offsets_import", src=str(tmp_path / "x.json"), **brokers)["changed"]
    assert run("connector_state", name=name, state="started")["changed"] is True
    wait_until(lambda: kafka.values(name) == ['{"p":0}#3', '{"p":0}#4'])


def test_an_export_with_orphans_changes_nothing_when_it_is_imported(make, worker, hosts, playbooks, tmp_path):
    stem = f"o-{uuid.uuid4().hex[:6]}"
    names = [make(shaped(), offsets=[at(4)], name=f"{stem}-{number}") for number in range(3)]
    worker.delete(names[0])
    options = {"export_offsets_dest": str(tmp_path), "export_offsets_connectors": f"{stem}-*"}
    assert playbooks.run(EXPORT, hosts, **options).rc == 0
    path = tmp_path / "eu.json"
    assert sorted(json.loads(path.read_text())["connectors"]) == names
    done = playbooks.run(IMPORT, hosts, import_offsets_src=str(path))
    assert done.rc == 0 and done.recap["eu"]["changed"] == 0, done
    document = json.loads(path.read_text())
    document["connectors"][names[0]][0]["offset"]["n"] = 1
    path.write_text(json.dumps(document))
    refused = playbooks.run(IMPORT, hosts, import_offsets_src=str(path))
    assert refused.rc != 0 and f"There is no connector {names[0]}. Did you mean {stem}-" in refused.failure("eu"), refused


def test_the_recipe_of_a_clone_twice(make, run, worker, request):
    """As in the guide. In between the new one is started and goes on."""
    old, new = make(shaped(), offsets=[at(2)]), f"clone-{uuid.uuid4().hex[:6]}"
    request.addfinalizer(lambda: worker.delete(new))
    for changed in (True, False):
        created = run("connector", name=new, initial_state="stopped", config=shaped(topic=new))
        copied = run("connector_offsets", name=new, copy_from=old, change_id=f"clone-{new}")
        deleted = run("connector", name=old, state="absent", purge_offsets=True)
        assert [one["changed"] for one in (created, copied, deleted)] == [changed] * 3, (created, copied, deleted)
        if changed:
            assert worker.offsets(new) == [at(2)]
            assert run("connector_state", name=new, state="started")["changed"]
            wait_until(lambda: worker.offsets(new) == [at(4)])
    assert worker.offsets(new) == [at(4)] and worker.state(new) == ("RUNNING", ["RUNNING"]) and not worker.exists(old)
