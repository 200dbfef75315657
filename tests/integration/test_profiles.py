# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What connectors store, as the collection knows it: on a real worker, with FileStream and the test connector."""

from __future__ import annotations

import json

import pytest
import yaml
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.offset_records import new_key
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import FAMILIES, Shape

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.modules import PREDICTED
from tests.integration.support.worker import ordered, wait_until

SHAPES = [Shape(shape) for _title, profiles in FAMILIES for one in profiles for shape in one.get("shapes", [])]
#: of the test connector
OWN = {
    "name": "shaped", "classes": ["streamops.test.ShapedSourceConnector"],
    "shapes": [{
        "partition": {"zone": {"type": "string"}, "app": {"type": "int32"}}, "order": "listed",
        "offset": {"n": {"type": "int64", "required": True, "unit": "record"}, "token": {"type": "string"}},
        "position": {"fields": ["n"], "compare": "number", "means": "last"},
        "example": {"partition": {"zone": "eu", "app": 1}, "offset": {"n": 4}},
    }],
    "stores": [{"where": "its own notebook"}],
    "overrides": [{"setting": "fail.task", "values": ["start"], "effect": "it does not start at all"}],
}
ZONE = {"zone": "eu", "app": 1}


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("alpha\nbeta\ngamma\n")
    return path


def test_every_example_goes_through_a_real_worker(make, run, worker, kafka, main):
    """By REST, and then as the records of the worker: the keys are those that the profile foretells."""
    left = [shape.example for shape in SHAPES]
    while left:  # some have the same partition
        pairs = list({json.dumps(pair["partition"]): pair for pair in left}.values())
        left = [pair for pair in left if pair not in pairs]
        name = make(shaped())
        done = run("connector_offsets", name=name, offsets=pairs)
        assert not done["failed"] and done["method"] == "rest", done
        assert json.dumps(worker.offsets(name), sort_keys=True) == json.dumps(ordered(pairs), sort_keys=True)
        assert set(kafka.live_offsets(main.offset_topic, name)) == {new_key(name, pair["partition"]).decode() for pair in pairs}


def test_a_new_key_has_the_connectors_order(make, run, kafka, main, worker):
    name = make(shaped(partitions=json.dumps([ZONE]), partition_map="linked"))
    options = {"name": name, "offsets": [entry(ZONE, {"n": 2})], "profiles": [OWN]}
    refused = run("connector_offsets", **options, method="rest")
    assert refused["failed"] and "stand in another order" in refused["msg"], refused
    more = {"bootstrap_servers": kafka.bootstrap_servers, "offset_topic": main.offset_topic}
    done = run("connector_offsets", **options, **more)
    assert not done["failed"] and done["method"] == "topic", done
    assert f"{name} also keeps its place elsewhere: its own notebook. A change of its offsets alone may have no effect." in done["warnings"]
    assert list(kafka.live_offsets(main.offset_topic, name)) == [f'["{name}",{{"zone":"eu","app":1}}]']
    worker.put(name, "resume")
    wait_until(lambda: [value.split("#")[1] for value in kafka.values(name)] == ["3", "4"], reason="records 3 and 4 alone")


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("pair, says", [
    (entry(ZONE, {"n": "2"}), 'n is the text "2", and has to be a whole number'),
    (entry(ZONE, {"token": "x"}), "it lacks n"),
    (entry({"zone": "eu", "ap": 1}, {"n": 2}),
     "its partition has the fields ap, zone, while that of the connector has zone, app. Did you mean app?"),
    (entry({"zone": "eu", "app": "1"}, {"n": 2}), 'app is the text "1", and has to be a whole number of 32 bits'),
])
def test_what_does_not_fit_is_refused_before_anything_is_stopped(make, run, worker, pair, says, check):
    name = make(shaped(partitions=json.dumps([ZONE]), records_per_partition=-1), state="RUNNING")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    refused = run("connector_offsets", check=check, name=name, offsets=[pair], stop=True, profiles=[OWN])
    assert refused["failed"] and says in refused["msg"] and "use force: true" in refused["msg"], refused
    assert ("is declared like this: offsets: " in refused["msg"]) is check
    assert worker.state(name) == ("RUNNING", ["RUNNING"])


def test_force_is_the_way_out(make, run, worker):
    name = make(shaped())
    done = run("connector_offsets", name=name, offsets=[entry({"p": 7}, {"n": "x"})], profiles=[OWN], force=True)
    assert done["changed"] and worker.offsets(name) == [entry({"p": 7}, {"n": "x"})], done
    assert any("does not store offsets in this form (shaped)" in text for text in done["warnings"])


@pytest.mark.parametrize("by_topic", [True, False])
def test_offsets_of_an_earlier_version_are_moved(make, run, worker, kafka, main, by_topic):
    """The connector goes on under the new partition where it was under the old one (case N19)."""
    new, more = {"server": "inv", "database": "shop"}, {}
    if by_topic:
        more = {"bootstrap_servers": kafka.bootstrap_servers, "offset_topic": main.offset_topic, "method": "topic"}
    shape = {**OWN["shapes"][0], "order": "hash", "example": entry(new, {"n": 4}), "partition": {name: {"type": "string"} for name in new}}
    older = {**shape, "partition": {"server": {"type": "string"}}, "example": entry({"server": "inv"}, {"n": 4}), "until": "1.9",
             "migrate": {"name": "shaped-2", "add": ["database"]}}
    profiles = [{"name": "shaped", "classes": OWN["classes"], "shapes": [shape, older]}]
    name = make(shaped(partitions=json.dumps([new])), offsets=[entry({"server": "inv"}, {"n": 2})])
    options = {"name": name, "profiles": profiles, "rewrite": [{"migrate": "shaped-2", "values": {"database": "shop"}}], **more}
    checked = run("connector_offsets", check=True, **options)
    assert worker.offsets(name) == [entry({"server": "inv"}, {"n": 2})]
    done = run("connector_offsets", **options)
    predicted = [word for word in PREDICTED if word != "warnings"]  # Connect has one of its own
    assert not done["failed"] and [done[word] for word in predicted] == [checked[word] for word in predicted], done
    assert {one["action"] for one in done["actions"]} == {"set", "remove"} and done["changed"]
    assert worker.offsets(name) == [entry(new, {"n": 2})]
    assert not run("connector_offsets", **options)["changed"]
    worker.put(name, "resume")
    wait_until(lambda: [value.split("#")[1] for value in kafka.values(name)] == ["3", "4"], reason="records 3 and 4 alone")
    worker.await_state(name, "RUNNING", ["RUNNING"])
    refused = run("connector_offsets", **options, stop=True)
    assert refused["failed"] and "Stop it first" in refused["msg"], refused


@pytest.mark.parametrize("empty", [True, False])
def test_an_example_with_the_live_partition(make, run, lines, empty):
    live = entry({"filename": str(lines)}, {"position": 6})
    name = make(file_source(lines), offsets=[live])
    declared = [] if empty else [entry(live["partition"], {"position": "6"})]
    refused = run("connector_offsets", check=True, name=name, offsets=declared)
    assert refused["failed"] and refused["example"] == live, refused
    assert f"An offset of {name} is declared like this: offsets: [{json.dumps(live, sort_keys=True)}]" in refused["msg"]
    assert "example" not in run("connector_offsets", name=name, offsets=declared)


def test_an_example_of_one_that_never_ran(make, run, lines):
    name = make(file_source(lines))
    refused = run("connector_offsets", check=True, name=name, offsets=[entry({"file": str(lines)}, {"position": 6})])
    assert refused["failed"] and refused["example"] == entry({"filename": "/var/lib/orders.txt"}, {"position": 4096}), refused
    assert "its partition has the field file, while that of the connector has filename" in refused["msg"]


def test_a_connector_is_described(make, run, lines):
    live = entry({"filename": str(lines)}, {"position": 6})
    found = run("connector_offsets_info", name=make(file_source(lines), offsets=[live]))["profile"]
    assert (found["name"], found["verified"], found["example"], found["stores"]) == ("filestream-source", True, live, [])
    assert found["shapes"][0]["offset"][0]["type"] == "int64" and found["shapes"][0]["position"]["means"] == "next"
    other = make(shaped(fail_task="start"), offsets=[at(4)])
    assert run("connector_offsets_info", name=other)["profile"] is None
    described = run("connector_offsets_info", name=other, profiles=[OWN])["profile"]
    assert described["stores"] == ["its own notebook"] and described["overrides"] == ["fail.task is start: it does not start at all."]


def test_a_users_profiles_by_a_variable(make, main, playbooks, tmp_path):
    """The path is one on the controller. What is wrong with the file is said before anything else."""
    name = make(shaped(partitions=json.dumps([ZONE])))
    file = tmp_path / "profiles.yml"
    play = [{"hosts": "all", "gather_facts": False, "tasks": [
        {"name": "Describe it", "streamops.kafka_connect.connector_offsets_info": {"name": name}, "register": "found"},
        {"ansible.builtin.debug": {"msg": "it is {{ found.profile.name }}"}}]}]
    book = tmp_path / "describe.yml"
    book.write_text(yaml.safe_dump(play))
    host = {"kafka_connect_url": main.url, "kafka_connect_profiles": str(file), "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}"}
    file.write_text(yaml.safe_dump([OWN]))
    done = playbooks.run(str(book), {"eu": host})
    assert done.rc == 0 and "it is shaped" in done.text, done
    file.write_text(yaml.safe_dump([{**OWN, "clases": []}]))
    failed = playbooks.run(str(book), {"eu": host})
    assert failed.rc != 0 and "profiles.yml[0] has the unknown key clases. Did you mean classes" in failed.text.replace("\n", " "), failed
    file.unlink()
    missing = playbooks.run(str(book), {"eu": host})
    assert missing.rc != 0 and "(kafka_connect_profiles) cannot be used" in missing.text, missing
