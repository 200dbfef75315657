# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role and the playbook reset_offsets by their FQCN, with real ansible-playbook runs against real workers."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from confluent_kafka import Producer

from tests.integration.support.configs import at, entry, file_source, shaped
from tests.integration.support.playbook import RESET
from tests.integration.support.proxy import Answer
from tests.integration.support.worker import wait_until

STATES = {"started": ("RUNNING", ["RUNNING"]), "paused": ("PAUSED", ["PAUSED"]), "stopped": ("STOPPED", [])}
UNHEALTHY = {"n": "poison"}


def host(url: str, **variables) -> dict:
    return {"kafka_connect_url": url, **variables}


def gate(password: str):
    good = "Basic " + base64.b64encode(f"ops:{password}".encode()).decode()

    def trick(request):
        return None if request.headers.get("Authorization") == good else Answer(401, b'{"error_code":401,"message":"no"}')

    return trick, good


def saved(folder: Path) -> dict:
    """connector -> offsets in the one backup of it."""
    found = {}
    for file in folder.glob("*.json"):
        assert file.stat().st_mode & 0o777 == 0o600
        for name, pairs in json.loads(file.read_text())["connectors"].items():
            assert name not in found, f"two backups of {name}"
            found[name] = pairs
    return found


def test_dry_real_and_again(make, worker, kafka, playbooks, proxy_to, main, tmp_path):
    """Behind a password: two connectors, the records re-delivered, a second run that does nothing, and nothing secret said."""
    file = tmp_path / "orders.txt"
    file.write_text("one\ntwo\nthree\n")
    partition = {"filename": str(file)}
    running = make(file_source(file), state="RUNNING")
    stopped = make(shaped(), offsets=[at(4), at(5, p=1)])
    wait_until(lambda: worker.offsets(running) == [entry(partition, {"position": 14})])
    trick, header = gate("Tr0ub4dor&3")
    proxy = proxy_to(main.url, trick)
    hosts = {"eu": host(proxy.url, kafka_connect_username="ops", kafka_connect_password="Tr0ub4dor&3")}
    desired = [{"name": running, "offsets": [entry(partition, {"position": 4})]},
               {"name": stopped, "offsets": [at(1)], "purge": True}]

    dry = playbooks.reset(hosts, desired, "--check", "--diff", "-v")
    assert dry.rc == 0, dry
    assert proxy.verbs == {"GET"}
    assert worker.offsets(running) == [entry(partition, {"position": 14})] and worker.state(running) == STATES["started"]
    assert worker.offsets(stopped) == [at(4), at(5, p=1)]
    assert not playbooks.backups.exists()
    for line in (f"--- before: {running} (offsets)", '"position": 14', '"position": 4'):
        assert line in dry.stdout, dry
    both = {"CLUSTER": "eu", "RESULT": "would change", "SET": "1"}
    assert dry.rows == {running: {**both, "CONNECTOR": running, "STATE": "started", "REMOVED": "0", "MOVES": "back 10 bytes"},
                        stopped: {**both, "CONNECTOR": stopped, "STATE": "stopped", "REMOVED": "1", "MOVES": "back 3 n"}}

    real = playbooks.reset(hosts, desired, "--diff", "-v")
    assert real.rc == 0, real
    assert real.recap["eu"]["changed"] == dry.recap["eu"]["changed"] == 1
    wait_until(lambda: kafka.values(running) == ["one", "two", "three", "two", "three"], reason="the replay")
    assert worker.state(running) == STATES["started"]
    assert worker.offsets(stopped) == [at(1)] and worker.state(stopped) == STATES["stopped"]
    assert saved(playbooks.backups) == {running: [entry(partition, {"position": 14})], stopped: [at(4), at(5, p=1)]}
    assert real.rows[stopped] == {**dry.rows[stopped], "RESULT": "changed", "VERDICT": "pass"}
    backup, = playbooks.backups.glob("*.json")
    assert f"Backup: {backup}" in real.shown("Sum up")

    proxy.requests.clear()
    again = playbooks.reset(hosts, [desired[1]], "-v")
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0, again
    assert again.rows[stopped]["RESULT"] == "unchanged"
    assert proxy.verbs == {"GET"}
    assert len(saved(playbooks.backups)) == 2
    for play in (dry, real, again):
        assert "Tr0ub4dor" not in play.text and header.split()[1] not in play.text


def test_every_final_state_from_every_state_found(make, worker, playbooks, main):
    """All in one list: check and real tell the same of each connector."""
    ways = [(found, final) for found in STATES for final in STATES if found != final] + [("started", "started")]
    cases = {f"{found}-{final}": (make(shaped(), state=STATES[found][0], offsets=[at(4)]), found, final) for found, final in ways}
    for name, found, _final in cases.values():
        worker.await_state(name, *STATES[found])
    desired = {case: {"name": name, "offsets": [at(9)], "final_state": final} for case, (name, _found, final) in cases.items()}
    hosts = {"eu": host(main.url)}
    dry = playbooks.reset(hosts, list(desired.values()), "--check")
    assert dry.rc == 0, dry
    for name, found, _final in cases.values():
        assert worker.state(name) == STATES[found] and worker.offsets(name) == [at(4)]
        assert (dry.rows[name]["RESULT"], dry.rows[name]["SET"]) == ("would change", "1"), dry
    real = playbooks.reset(hosts, list(desired.values()))
    assert real.rc == 0 and real.recap["eu"]["changed"] == dry.recap["eu"]["changed"] == 1, real
    for case, (name, found, final) in cases.items():
        assert worker.offsets(name) == [at(9)], case
        state, tasks = worker.state(name)
        # Paused from STOPPED, Connect makes no tasks.
        assert state == STATES[final][0] and (tasks == STATES[final][1] or final == "paused" and tasks == []), case
        row = real.rows[name]
        assert (row["RESULT"], row["SET"], row["REMOVED"]) == ("changed", "1", "0"), real
        assert row["STATE"] == (f"{found} -> {final}" if found != final else found), real
    same = [desired[case] for case in ("stopped-paused", "started-stopped", "paused-started")]
    again = playbooks.reset(hosts, same)
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0, again
    assert {row["RESULT"] for row in again.rows.values()} == {"unchanged"} and len(again.rows) == len(same), again


TEXT_PLAY = """
- hosts: all
  connection: local
  gather_facts: false
  vars:
    ansible_python_interpreter: "{{ ansible_playbook_python }}"
  roles:
    - streamops.kafka_connect.reset_offsets
  post_tasks:
    - ansible.builtin.copy:
        content: "{{ reset_offsets_results | to_json }}"
        dest: "{{ playbook_dir }}/results.json"
        mode: "0600"
"""


def test_texts_and_empty_values_as_awx_sends_them(make, worker, playbooks, main, tmp_path):
    """Offsets are JSON text, what is not filled in is ""; the role alone, the connection from the environment."""
    big = 9007199254740993
    first, second, third = (make(shaped(), offsets=[at(4)]) for dummy in range(3))
    document = tmp_path / "offsets.json"
    document.write_text(json.dumps({third: [at(3), entry({"p": 1}, {"token": '{"_data": "826500AB"}', "n": 7})]}))
    desired = [
        {"name": first, "offsets": json.dumps([at(big)]), "state": "", "src": "", "final_state": ""},
        {"name": second, "offsets": "", "state": "present", "src": "", "purge": "true", "final_state": "paused"},
        {"name": third, "src": str(document), "offsets": ""},
    ]
    desired[1]["offsets"] = json.dumps({"offsets": [at(5, p=1)]})
    (tmp_path / "play.yml").write_text(TEXT_PLAY)
    texts = {"connectors": desired, "final_state": "", "wait_timeout": "60", "max_entries": ""}
    play = playbooks.run("play.yml", {"eu": {}}, env={"KAFKA_CONNECT_URL": main.url, "KAFKA_CONNECT_TOKEN": ""},
                         **{f"reset_offsets_{option}": text for option, text in texts.items()})
    assert play.rc == 0, play
    assert worker.offsets(first) == [at(big)] and worker.state(first) == STATES["stopped"]
    assert worker.offsets(second) == [at(5, p=1)] and worker.state(second)[0] == "PAUSED"
    assert worker.offsets(third) == [at(3), entry({"p": 1}, {"token": '{"_data": "826500AB"}', "n": 7})]
    results = json.loads((tmp_path / "results.json").read_text())
    assert [(result["connector"], result["changed"], result["state_before"], result["state"]) for result in results] == [
        (first, True, "stopped", "stopped"), (second, True, "stopped", "paused"), (third, True, "stopped", "stopped")]
    assert results[0]["actions"] == [{"partition": {"p": 0}, "action": "set", "from": {"n": 4}, "to": {"n": big},
                                      "direction": "forward", "distance": big - 4}]
    assert results[1]["counts"] == {"set": 1, "remove": 1, "keep": 0, "before": 1, "after": 1}
    assert all(Path(result["backup_file"]).exists() for result in results)


EXPECT_PLAY = TEXT_PLAY.split("  post_tasks:", 1)[0]


def expected(play) -> str:
    """The digest that a dry run prints."""
    found = re.findall(r"^To make exactly this: -e reset_offsets_expect=([0-9a-f]{16})$", play.stdout, re.MULTILINE)
    assert play.rc == 0 and len(found) == 1, play
    return found[0]


@pytest.mark.parametrize("alone", [False, True], ids=["playbook", "role"])
def test_the_real_run_is_what_the_dry_run_has_shown(alone, make, worker, playbooks, proxy_to, main, tmp_path):
    """By its digest. What is live does not count; by the file of its summary, what differs is said."""
    name = make(shaped(), offsets=[at(4)])
    (tmp_path / "play.yml").write_text(EXPECT_PLAY)
    proxy, file = proxy_to(main.url), tmp_path / "summary.json"

    def run(n: int, *options: str, **variables):
        return playbooks.run("play.yml" if alone else RESET, {"eu": host(proxy.url)}, *options,
                             reset_offsets_connectors=[{"name": name, "offsets": [at(n)]}], **variables)

    wanted = expected(run(1, "--check", **({} if alone else {"reset_offsets_summary_file": str(file)})))
    worker.set_offsets(name, [at(7)])
    proxy.requests.clear()
    for play in (run(2, reset_offsets_expect=wanted), run(1, reset_offsets_expect="0" * 16),
                 run(1, reset_offsets_expect=wanted, reset_offsets_final_state="paused")):
        assert play.rc == 2 and "This run differs from the dry run: the digest is" in play.failure("eu"), play
    if not alone:
        play = run(2, reset_offsets_expect=str(file))
        said = play.failure("eu").replace("\\", "")
        assert f'{name}: the offset declared for {{"p": 0}} is {{"n": 2}}, but the dry run showed {{"n": 1}}' in said, play
    assert proxy.verbs == {"GET"} and worker.offsets(name) == [at(7)]
    made = run(1, reset_offsets_expect=wanted)
    assert made.rc == 0 and worker.offsets(name) == [at(1)], made


def test_bad_input_changes_nothing(make, worker, playbooks, proxy_to, main):
    """One run, one host for each mistake; every host also has a connector whose change would be fine."""
    good = make(shaped(), state="RUNNING", offsets=[at(9)])
    worker.await_state(good, "RUNNING", ["RUNNING"])
    before = worker.picture(good)
    fine = {"name": good, "offsets": [at(1)]}
    gate_url = proxy_to(main.url, gate("right")[0]).url
    html = proxy_to(None, lambda request: Answer(200, b"<title>Portal</title>", "text/html"))
    recorder = proxy_to(main.url)
    mistakes = {
        "unknown-field": ([fine, {**fine, "name": "x", "ofsets": []}], "ofsets"),
        "no-such-connector": ([fine, {"name": "no-such", "state": "absent"}], "no such connector"),
        "listed-twice": ([fine, fine], "own name"),
        "no-name": ([fine, {"offsets": [at(1)]}], "own name"),
        "not-a-list": (fine, "is no list of connectors"),
        "empty-list": ([], "are both empty"),
        "gibberish": ("oops", "is no list of connectors"),
        "empty-text": ("", "are both empty"),
        "bad-final-state": ([fine, {"name": "x", "final_state": "restarted"}], "final_state"),
        "bad-state": ([fine, {"name": "x", "offsets": [at(1)], "state": "gone"}], "gone"),
        "no-offset": ([fine, {"name": good + "x", "offsets": [{"partition": {"p": 0}}]}], "no offset"),
        "nothing-declared": ([fine, {"name": good + "x", "offsets": ""}], "offsets"),
        "reset-by-an-empty-value": ([{"name": good, "state": "absent", "offsets": ""}], "leave the fields offsets and raw_keys out"),
        "no-json": ([fine, {"name": good + "x", "offsets": "position 4"}], "not JSON"),
        "no-file": ([fine, {"name": good + "x", "src": "/nowhere.json"}], "/nowhere.json"),
    }
    hosts = {case: host(recorder.url, reset_offsets_connectors=desired) for case, (desired, _words) in mistakes.items()}
    addresses = {
        "unreachable": (host("http://127.0.0.1:9"), "no connection"),
        "no-url": ({}, "connect_url"),
        "wrong-password": (host(gate_url, kafka_connect_username="ops", kafka_connect_password="wrong-Tr0ub4dor"), "401"),
        "portal": (host(html.url), "not the root of a Connect REST API"),
        "wrong-prefix": (host(main.url + "/kc"), "not the root of a Connect REST API"),
    }
    for case, (variables, _words) in addresses.items():
        hosts[case] = {**variables, "reset_offsets_connectors": [fine]}
    play = playbooks.reset(hosts, None, reset_offsets_serial="100%", reset_offsets_wait_timeout=5)
    assert play.rc != 0
    for case, (_input, words) in {**mistakes, **addresses}.items():
        assert play.recap[case]["failed"] == 1 and play.recap[case]["changed"] == 0, case
        assert words in play.failure(case), f"{case}: {play.failure(case)}"
    assert recorder.verbs == {"GET"} and html.verbs <= {"GET"}
    assert worker.picture(good) == before
    assert not playbooks.backups.exists()
    assert "Tr0ub4dor" not in play.text and "Traceback" not in play.text


@pytest.mark.parametrize("one_by_one", [False, True])
def test_failure_in_the_middle_is_put_back(make, worker, playbooks, main, kafka, one_by_one):
    """The second of three cannot live with its new offset: it gets its own back, and runs; the third is made too, or not begun."""
    first, third = (make(shaped(), offsets=[at(4)]) for dummy in range(2))
    before = [at(3), entry({"p": 1}, {"n": 9007199254740993, "t": None})]
    second = make(shaped(records_per_partition=4), state="RUNNING", offsets=before)
    worker.await_state(second, "RUNNING", ["RUNNING"])
    desired = [{"name": first, "offsets": [at(9)]}, {"name": second, "offsets": [entry({"p": 0}, UNHEALTHY)], "purge": True},
               {"name": third, "offsets": [at(9)]}]
    play = playbooks.reset({"eu": host(main.url)}, desired, reset_offsets_one_by_one=str(one_by_one))
    assert play.rc != 0
    assert worker.offsets(second) == before
    worker.await_state(second, "RUNNING", ["RUNNING"])
    assert worker.offsets(third) == [at(4 if one_by_one else 9)] and worker.state(third) == STATES["stopped"]
    assert worker.offsets(first) == [at(9)]
    assert saved(playbooks.backups) == {first: [at(4)], second: before, **({} if one_by_one else {third: [at(4)]})}
    said = play.failure("eu")
    assert second in said and "are as they were" in said and "Cannot start" in said and "poison" in said
    assert kafka.values(second) == []


def test_refused_change_leaves_every_state_as_it_was(make, worker, playbooks, main):
    """Refused by the plugin after the stop; the final state that was asked for does not come either."""
    names = {found: make(shaped(), state=STATES[found][0], offsets=[at(4)]) for found in STATES}
    for found, name in names.items():
        worker.must("PUT", f"connectors/{name}/config", shaped(topic=name, alter_offsets="reject", alter_message="lsn 77 is gone"))
        worker.await_state(name, *STATES[found])
    finals = {"started": "stopped", "paused": "stopped", "stopped": "started"}
    hosts = {found: host(main.url, reset_offsets_connectors=[{"name": name, "offsets": [at(9)], "final_state": finals[found]}])
             for found, name in names.items()}
    play = playbooks.reset(hosts, None, reset_offsets_serial="100%")
    assert play.rc != 0
    for found, name in names.items():
        assert worker.offsets(name) == [at(4)]
        assert worker.state(name)[0] == STATES[found][0]
        assert "lsn 77 is gone" in play.failure(found) and "are as they were" in play.failure(found)


def test_one_bad_cluster_stops_all_before_the_first_write(make, worker, playbooks, main, v35, name):
    """One that is 3.5.2 cannot be changed by REST: the others are not touched, unless it is said to leave it out."""
    first, last = make(shaped(), offsets=[at(4)]), make(shaped(), state="RUNNING", offsets=[at(4)])
    worker.await_state(last, "RUNNING", ["RUNNING"])
    v35.worker.create(name, shaped(topic=name, records_per_partition=3), None)
    try:
        v35.worker.await_state(name, "RUNNING", ["RUNNING"])
        wait_until(lambda: v35.worker.offsets(name) == [at(2)])
        hosts = {
            "c-rest": host(main.url, reset_offsets_connectors=[{"name": last, "offsets": [at(9)]}]),
            "a-good": host(main.url, reset_offsets_connectors=[{"name": first, "offsets": [at(9)]}]),
            "b-old": host(v35.url, reset_offsets_connectors=[{"name": name, "offsets": [at(9)]}]),
        }
        play = playbooks.reset(hosts)
        assert play.rc != 0
        assert "3.6" in play.failure("b-old") and "3.5.2" in play.failure("b-old")
        assert worker.offsets(first) == worker.offsets(last) == [at(4)] and worker.state(last) == STATES["started"]
        assert v35.worker.offsets(name) == [at(2)] and v35.worker.state(name) == ("RUNNING", ["RUNNING"])

        rest = playbooks.reset(hosts, reset_offsets_skip_unready="yes")
        assert rest.rc != 0 and "3.5.2" in rest.failure("b-old")
        assert worker.offsets(first) == worker.offsets(last) == [at(9)]
        assert v35.worker.offsets(name) == [at(2)] and v35.worker.state(name) == ("RUNNING", ["RUNNING"])
    finally:
        v35.worker.delete(name)


def test_a_cluster_that_is_away_after_its_change_fails_the_run(make, worker, playbooks, main):
    name = make(shaped(), offsets=[at(4)])
    away = "http://127.0.0.1:1"
    url = f"{{{{ '{away}' if reset_offsets__change is defined else '{main.url}' }}}}"
    run = playbooks.reset({"eu": host(url)}, [{"name": name, "offsets": [at(1)]}])
    assert run.rc == 2, run
    assert worker.offsets(name) == [at(1)] and worker.state(name) == STATES["stopped"]
    assert f"The connectors of eu could not be looked at after the change: GET {away}/connectors" in run.failure("eu"), run
    row = run.rows[name]
    assert [row[cell] for cell in ("RESULT", "STATE", "SET", "MOVES", "VERDICT")] == ["changed", "stopped", "1", "back 3 n", "fail"], run


def test_c50_short_password_and_a_position_that_holds_it(make, worker, playbooks, proxy_to, main):
    """With the password 5 Ansible masks parts of 1595; what is put back must not come from there."""
    before = [entry({"file": "file5"}, {"n": 1595, "s": "5"})]
    partition = json.dumps([{"file": "file5"}])
    name = make(shaped(partitions=partition), state="RUNNING", offsets=before)
    worker.await_state(name, "RUNNING", ["RUNNING"])
    trick, header = gate("5")
    hosts = {"eu": host(proxy_to(main.url, trick).url, kafka_connect_username="ops", kafka_connect_password="5")}
    failed = playbooks.reset(hosts, [{"name": name, "offsets": [entry({"file": "file5"}, {**UNHEALTHY, "s": "5"})]}], "-vvv")
    assert failed.rc != 0
    assert worker.offsets(name) == before, "the rollback put something else back"
    worker.await_state(name, "RUNNING", ["RUNNING"])
    assert "are as they were" in failed.failure("eu")
    assert header.split()[1] not in failed.text
    assert "so short that Ansible masks" in failed.text

    changed = playbooks.reset(hosts, [{"name": name, "offsets": [entry({"file": "file5"}, {"n": 55, "s": "5"})]}])
    assert changed.rc == 0, changed
    assert worker.offsets(name) == [entry({"file": "file5"}, {"n": 55, "s": "5"})]
    assert worker.state(name) == STATES["started"]


def test_c50_masked_state_is_not_acted_on(make, worker, playbooks, main):
    """With the password TOP the word STOPPED cannot be read: the stopped connector must not be started for it."""
    name = make(shaped(), offsets=[at(4)])
    hosts = {"eu": host(main.url, kafka_connect_username="ops", kafka_connect_password="TOP")}
    failed = playbooks.reset(hosts, [{"name": name, "offsets": [at(1)]}])
    assert failed.rc != 0 and "Ansible masks words such as" in failed.failure("eu")
    assert worker.state(name) == STATES["stopped"] and worker.offsets(name) == [at(4)]


def brokers(url: str | None, cluster, kafka, **variables) -> dict:
    """A host with the offsets topic's method as well; without a URL with that alone."""
    given = {"kafka_bootstrap_servers": kafka.bootstrap_servers, "kafka_connect_offset_topic": cluster.offset_topic, **variables}
    return {"kafka_connect_url": url, **given} if url else given


def test_c08_old_worker_with_brokers(v34, kafka, playbooks, name):
    """Connect 3.4.1 knows neither offsets nor STOPPED by REST: every state but stopped works, the records come again."""
    names = {final: f"{name}-{final}" for final in ("found", "paused", "started")}
    key = {final: f'["{one}",{{"p":0}}]' for final, one in names.items()}
    live = {final: lambda one=one: kafka.live_offsets(v34.offset_topic, one) for final, one in names.items()}
    try:
        for final, one in names.items():
            v34.worker.create(one, shaped(topic=one, records_per_partition=3), None)
            wait_until(lambda final=final: live[final]() == {key[final]: '{"n":2}'})
        v34.worker.put(names["started"], "pause")
        v34.worker.await_state(names["started"], "PAUSED", ["PAUSED"])
        desired = [{"name": one, "offsets": [at(0)], "final_state": final} for final, one in names.items()]
        hosts = {"old": brokers(v34.url, v34, kafka)}

        refused = playbooks.reset(hosts, [*desired[:2], {**desired[2], "final_state": "stopped"}])
        assert refused.rc != 0 and "3.5" in refused.failure("old") and "3.4.1" in refused.failure("old")
        dry = playbooks.reset(hosts, desired, "--check")
        assert dry.rc == 0, dry
        assert [len(kafka.values(one)) for one in names.values()] == [3, 3, 3]
        assert not playbooks.backups.exists()
        assert v34.worker.state(names["found"]) == STATES["started"] and v34.worker.state(names["started"]) == STATES["paused"]

        real = playbooks.reset(hosts, desired)
        assert real.rc == 0, real
        assert f"on the topic {v34.offset_topic}" in real.stdout
        for final in ("found", "started"):
            wait_until(lambda final=final: len(kafka.values(names[final])) == 5, reason=f"the replay of {final}")
            v34.worker.await_state(names[final], "RUNNING", ["RUNNING"])
        assert v34.worker.state(names["paused"]) == STATES["paused"]
        assert live["paused"]() == {key["paused"]: '{"n":0}'} and len(kafka.values(names["paused"])) == 3
        assert saved(playbooks.backups) == {one: [at(2)] for one in names.values()}
        v34.worker.put(names["paused"], "resume")
        wait_until(lambda: len(kafka.values(names["paused"])) == 5, reason="the replay of the paused one")
    finally:
        for one in names.values():
            v34.worker.delete(one)


def test_what_a_deleted_connector_has_left(make, worker, playbooks, main, kafka, name):
    """Cleaned up by the role, where brokers are given; a name with a typing mistake is not seeded by it."""
    other = make(shaped(), offsets=[at(4)])
    worker.create(name, shaped(topic=name))
    worker.set_offsets(name, [at(1), at(2, p=1)])
    worker.delete(name)
    wait_until(lambda: not worker.exists(name))
    hosts = {"eu": brokers(main.url, main, kafka)}
    desired = [{"name": name, "state": "absent"}, {"name": other, "offsets": [at(9)]}]
    left = {f'["{name}",{{"p":0}}]': '{"n":1}', f'["{name}",{{"p":1}}]': '{"n":2}'}

    refused = {
        "without-brokers": (desired[0], "no such connector"),
        "not-seeded": ({"name": name, "offsets": [at(5)]}, "seed: true"),
        "started": ({**desired[0], "final_state": "started"}, "final_state: found"),
        "empty-keys": ({**desired[0], "raw_keys": []}, "cannot be used"),
        "keys-as-text": ({**desired[0], "raw_keys": "a,b"}, "raw_keys is a list"),
    }
    bad = {case: {**hosts["eu"], "reset_offsets_connectors": [desired[1], mistake]} for case, (mistake, _words) in refused.items()}
    bad["without-brokers"] = host(main.url, reset_offsets_connectors=desired)
    play = playbooks.reset(bad, None, reset_offsets_serial="100%")
    assert play.rc != 0
    for case, (_mistake, words) in refused.items():
        assert play.recap[case]["failed"] == 1 and words in play.failure(case), f"{case}: {play}"
    dry = playbooks.reset(hosts, desired, "--check", "--diff")
    assert dry.rc == 0 and dry.recap["eu"]["changed"] == 1, dry
    assert kafka.live_offsets(main.offset_topic, name) == left and worker.offsets(other) == [at(4)]

    real = playbooks.reset(hosts, desired)
    assert real.rc == 0 and real.recap["eu"]["changed"] == 1, real
    assert [real.rows[name][cell] for cell in ("RESULT", "STATE", "SET", "REMOVED")] == ["changed", "gone", "0", "2"]
    assert f"eu, on the topic {main.offset_topic}: {name}" in real.shown("Sum up")
    assert kafka.live_offsets(main.offset_topic, name) == {} and worker.offsets(other) == [at(9)]
    assert saved(playbooks.backups) == {name: [at(1), at(2, p=1)], other: [at(4)]}
    again = playbooks.reset(hosts, desired)
    assert again.rc == 0 and again.recap["eu"]["changed"] == 0, again

    seeded = playbooks.reset(hosts, [{"name": name, "offsets": [entry({"z": 1, "a": 2}, {"n": 3})], "key_order": ["z", "a"], "seed": True}])
    assert seeded.rc == 0, seeded
    assert kafka.live_offsets(main.offset_topic, name) == {f'["{name}",{{"z":1,"a":2}}]': '{"n":3}'}
    blank = f'["{name}", {{"z":1,"a":2}}]'
    producer = Producer({"bootstrap.servers": kafka.bootstrap_servers})
    producer.produce(main.offset_topic, key=blank, value='{"n":8}', partition=0)
    assert producer.flush(20) == 0
    gone = playbooks.reset(hosts, [{"name": name, "state": "absent", "raw_keys": [blank]}])
    assert gone.rc == 0, gone.text
    assert kafka.live_offsets(main.offset_topic, name) == {f'["{name}",{{"z":1,"a":2}}]': '{"n":3}'}


def test_a_host_with_brokers_alone(make, worker, playbooks, main, kafka, name):
    """No worker to ask: only if told that nothing runs, and not if the brokers know better; a URL of the environment is not meant."""
    worker.create(name, shaped(topic=name))
    worker.set_offsets(name, [at(4)])
    worker.delete(name)
    running = make(shaped(), state="RUNNING", offsets=[at(4)])
    worker.await_state(running, "RUNNING", ["RUNNING"])
    alone = brokers(None, main, kafka, kafka_connect_group="connect-main")
    desired = [{"name": name, "offsets": [at(9)]}]
    key = f'["{name}",{{"p":0}}]'
    timid = playbooks.reset({"eu": alone}, desired)
    assert timid.rc != 0 and "assume_stopped" in timid.failure("eu")
    for refused, words in (([*desired, {"name": running, "offsets": [at(9)]}], "the brokers show"),
                           ([{**desired[0], "final_state": "started"}], "There is no worker to query")):
        play = playbooks.reset({"eu": alone}, refused, reset_offsets_assume_stopped="true")
        assert play.rc != 0 and words in play.failure("eu"), play.text
    mixed = playbooks.run(RESET, {"a": alone, "b": brokers(main.url, main, kafka)}, reset_offsets_connectors=desired,
                          reset_offsets_assume_stopped=True, env={"KAFKA_CONNECT_URL": main.url})
    assert mixed.rc != 0 and "a has no kafka_connect_url" in mixed.failure("a")
    assert kafka.live_offsets(main.offset_topic, name) == {key: '{"n":4}'}
    play = playbooks.reset({"eu": alone}, desired, reset_offsets_assume_stopped=True)
    assert play.rc == 0 and play.rows[name]["STATE"] == "unknown", play.text
    assert kafka.live_offsets(main.offset_topic, name) == {key: '{"n":9}'}
