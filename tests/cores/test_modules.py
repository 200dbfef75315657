# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that pass through templates: the right one is written, or nothing is, with the oldest and the newest ansible-core."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from tests.cores.support import RICH, typed
from tests.integration.support.configs import shaped

MAX = 9223372036854775807
TOO_LARGE = 18446744073709551615
TOKEN = RICH["_id"]
VARIABLES = {
    "pos": 42,
    "digits": "43",
    "token": TOKEN,
    "list_text": "[1,2]",
    "maximum": MAX,
    "too_large": TOO_LARGE,
    "flag": True,
}


class Refused:
    """The task fails with these words, and nothing changes."""

    def __init__(self, *words: str) -> None:
        self.words = words


@dataclass(frozen=True)
class Case:
    """One declaration, in a partition of its own. right: the offset afterwards."""

    offset: dict | None
    live: dict
    right: dict | Refused
    #: more options, or others in place of `offsets`
    options: dict = field(default_factory=dict)
    #: more fields of the partition, as declared and as they are live
    partition: dict = field(default_factory=dict)
    live_partition: dict = field(default_factory=dict)
    #: dry before, and once more after (C51)
    thrice: bool = False


WAY_OUT = ("Nothing was changed.", 'offsets: "{{ my_offsets }}"', "content")
SAME_43 = Refused('is declared as the text "43", but its live value is the integer 43', *WAY_OUT)
NUMBER_43 = Refused('is declared as the integer 43, but its live value is the text "42"', *WAY_OUT)
BEYOND = Refused(str(TOO_LARGE), "does not fit into the 64 bits")

CASES = {
    # C47
    "a number in a variable": Case({"n": "{{ pos }}"}, {"n": 41}, {"n": 42}, thrice=True),
    "a sum": Case({"n": "{{ pos + 1 }}"}, {"n": 42}, {"n": 43}, thrice=True),
    "a sum that is live already": Case({"n": "{{ pos + 0 }}"}, {"n": 42}, {"n": 42}),
    "a converted text": Case({"n": "{{ '43' | int }}"}, {"n": 42}, {"n": 43}),
    "a text of digits": Case({"n": "{{ digits }}"}, {"n": 43}, SAME_43),
    "a text of digits for a text": Case({"n": "{{ digits }}"}, {"n": "42"}, {"n": "43"}),
    "a number for a text of digits": Case({"n": 43}, {"n": "42"}, NUMBER_43),
    "a sum in the partition": Case(
        {"n": 2}, {"n": 1}, {"n": 2},
        partition={"number": "{{ pos - 42 }}"}, live_partition={"number": 0}),
    "a boolean": Case({"n": "{{ not flag }}"}, {"n": True}, {"n": False}),
    # whole numbers
    "the largest number": Case({"n": MAX}, {"n": 1}, {"n": MAX}),
    "the largest number in a variable": Case({"n": "{{ maximum }}"}, {"n": 1}, {"n": MAX}),
    "a number that is too large": Case({"n": TOO_LARGE}, {"n": 1}, BEYOND),
    "a variable that is too large": Case({"n": "{{ too_large }}"}, {"n": 1}, BEYOND),
    # C46
    "JSON text": Case({"_id": TOKEN}, {"_id": "x"}, {"_id": TOKEN}),
    "JSON text in a variable": Case({"_id": "{{ token }}"}, {"_id": "x"}, {"_id": TOKEN}, thrice=True),
    "JSON text of a list": Case({"_id": "{{ list_text }}"}, {"_id": "x"}, {"_id": "[1,2]"}),
    "JSON text kept by a filter": Case({"_id": "{{ token | string }}"}, {"_id": "x"}, {"_id": TOKEN}),
    # the ways out that the messages name
    "the whole list in a variable": Case(
        None, {"n": 42}, RICH, options={"offsets": "{{ whole_list }}"}, thrice=True),
    "a text as content": Case(None, {"n": 42}, RICH, options={"content": "{{ whole_text }}"}),
    "a structure as content": Case(None, {"n": 42}, RICH, options={"content": "{{ whole_list }}"}),
    "a list made text": Case(None, {"n": 42}, RICH, options={"content": "{{ whole_list | to_json }}"}),
    "a file": Case(None, {"n": 42}, RICH, options={"src": "{{ whole_file }}"}),
    "a file that was looked up": Case(
        None, {"n": 42}, RICH, options={"content": "{{ lookup('ansible.builtin.file', whole_file) }}"}),
    # C50: what is masked in the result is whole in the decision and on the wire
    "a short password": Case(
        {"n": 5, "s": "5"}, {"n": 1595, "s": "5"}, {"n": 5, "s": "5"}, options={"url_password": "5"}, thrice=True),
    "a short password and nothing to do": Case(
        {"n": 1595, "s": "5"}, {"n": 1595, "s": "5"}, {"n": 1595, "s": "5"}, options={"url_password": "5"}),
}
STEPS = ("check", "real", "again")
#: what a dry run has to tell exactly as the real one
PREDICTED = ("changed", "diff", "actions", "counts", "offsets", "offsets_before")


@dataclass
class Outcome:
    """What the dry run, the real one and its repetition of a case gave, and what REST then shows."""

    check: dict | None
    real: dict
    again: dict | None
    live: dict | None


@pytest.fixture(scope="session")
def outcomes(core, worker, make, tmp_path_factory) -> dict[str, Outcome]:
    """All cases, in one run for each ansible-core."""
    folder = tmp_path_factory.mktemp("modules")
    before = [
        {"partition": {"case": title, **case.live_partition}, "offset": case.live} for title, case in CASES.items()
    ]
    name = make(shaped(alter_offsets="accept"), offsets=before)
    tasks, registered = [], []
    for number, (title, case) in enumerate(CASES.items()):
        whole = [{"partition": {"case": title}, "offset": RICH}]
        file = folder / f"{number}.json"
        file.write_text(json.dumps(whole))
        offsets = [{"partition": {"case": title, **case.partition}, "offset": case.offset}]
        for step in STEPS if case.thrice else ("real",):
            registered.append(f"case{number}_{step}")
            tasks.append({
                "name": f"{title}: {step}",
                "streamops.kafka_connect.connector_offsets": {
                    "name": name, **({"offsets": offsets} if case.offset else {}), **case.options},
                "vars": {"whole_list": whole, "whole_text": file.read_text(), "whole_file": str(file)},
                "check_mode": step == "check",
                "diff": True,
                "register": registered[-1],
                "ignore_errors": True,
            })
    # By a template file: text in the argument of a task would itself become a structure.
    lines = ",\n".join(f'"{result}": {{{{ {result} | to_json }}}}' for result in registered)
    (folder / "results.j2").write_text(f"{{{lines}}}")
    tasks.append({
        "name": "Write the results down",
        "ansible.builtin.template": {"src": "results.j2", "dest": f"{folder}/results.json", "mode": "0600"},
    })
    connection = {
        "kafka_connect_username": "ops",
        "kafka_connect_timeout": "{{ '95' }}",
        "kafka_connect_validate_certs": "{{ 'yes' }}",
        # nothing is given by these
        "kafka_connect_token": "{{ omit }}",
        "kafka_connect_client_cert": "{{ '' | default(omit, true) }}",
        "kafka_connect_ca_path": "",
    }
    play = {
        "name": "Types",
        "hosts": "all",
        "gather_facts": False,
        "vars": {**VARIABLES, **connection, "ansible_python_interpreter": "{{ ansible_playbook_python }}"},
        "module_defaults": {"group/streamops.kafka_connect.connect": {"connect_url": worker.url}},
        "tasks": tasks,
    }
    (folder / "types.json").write_text(json.dumps([play]))
    empty = dict.fromkeys(("KAFKA_CONNECT_TOKEN", "KAFKA_CONNECT_USE_PROXY", "KAFKA_CONNECT_CLIENT_KEY"), "")
    run = core.run(folder, "types.json", **empty)
    assert run.rc == 0, run.text
    results = json.loads((folder / "results.json").read_text())
    live = {pair["partition"]["case"]: pair["offset"] for pair in worker.offsets(name)}
    return {
        title: Outcome(*(results.get(f"case{number}_{step}") for step in STEPS), live=live.get(title))
        for number, title in enumerate(CASES)
    }


@pytest.mark.parametrize("title", CASES)
def test_the_right_value_or_none(outcomes, title):
    case, outcome = CASES[title], outcomes[title]
    if isinstance(case.right, Refused):
        for result in filter(None, (outcome.check, outcome.real, outcome.again)):
            assert result["failed"], result
            assert [words for words in case.right.words if words not in result["msg"]] == [], result["msg"]
        assert typed(outcome.live) == typed(case.live)
        return
    assert typed(outcome.live) == typed(case.right), outcome
    assert not outcome.real["failed"], outcome.real
    assert outcome.real["changed"] == (typed(case.live) != typed(case.right))
    if case.thrice:
        assert [outcome.check[key] for key in PREDICTED] == [outcome.real[key] for key in PREDICTED]
        assert not outcome.again["failed"] and not outcome.again["changed"], outcome.again


def test_a_short_password_damages_nothing_but_the_result(outcomes):
    result = outcomes["a short password"].real
    assert "1595" not in json.dumps(result), "Ansible does not mask any more: the case proves nothing"
    assert any("kafka_connect_password is so short" in warning for warning in result["warnings"])
