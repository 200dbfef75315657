# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook and its role, with the newest ansible-core: typed lists, text as AWX gives it, putting everything back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cores.support import RICH, Core, Run, typed
from tests.integration.support.configs import file_source, shaped
from tests.integration.support.worker import Worker, wait_until

PLAYBOOK = "streamops.kafka_connect.reset_offsets"
STORES_ANYTHING = shaped(alter_offsets="accept")


class Unsafe(str):
    """Text that AWX got from a person or from a survey: marked so that it never becomes a template."""


def entry(offset: dict, **partition) -> dict:
    return {"partition": partition or {"p": 0}, "offset": offset}


@dataclass
class Cluster:
    """A worker, and runs of the playbook against it."""

    core: Core
    worker: Worker
    folder: Path

    def reset(self, connectors, *options: str, **variables) -> Run:
        given = {
            "kafka_connect_url": self.worker.url,
            "kafka_connect_check_position_timeout": "2",
            "reset_offsets_backup_dir": str(self.folder / "backups"),
            "reset_offsets_connectors": connectors,
            **variables,
        }
        unsafe = {name: given.pop(name) for name, value in list(given.items()) if isinstance(value, Unsafe)}
        (self.folder / "typed.json").write_text(json.dumps(given))
        # as AWX does it
        lines = [f"{name}: !unsafe {json.dumps(text, ensure_ascii=False)}\n" for name, text in unsafe.items()]
        (self.folder / "unsafe.yml").write_text("".join(lines) or "{}")
        return self.core.run(self.folder, PLAYBOOK, "-e", "@typed.json", "-e", "@unsafe.yml", *options)

    def backups(self) -> list[Path]:
        return sorted((self.folder / "backups").glob("*.json"))

    def holds(self, name: str, *entries: dict) -> bool:
        return typed(self.worker.offsets(name)) == typed(list(entries))


@pytest.fixture
def cluster(core, worker, tmp_path) -> Cluster:
    return Cluster(core, worker, tmp_path)


def test_lists_and_texts_dry_real_and_again(cluster, make):
    """A dry run with lists, the real one with nothing but text, as from an AWX survey, then the lists once more."""
    worker, folder = cluster.worker, cluster.folder
    listed, text, file = (make(STORES_ANYTHING, offsets=[entry({"n": 1}), entry({"n": 2}, p=1)]) for dummy in range(3))
    (folder / "in.txt").write_text("one\ntwo\n")
    running = make(file_source(folder / "in.txt"), state="RUNNING")
    end = entry({"position": 8}, filename=str(folder / "in.txt"))
    wait_until(lambda: worker.offsets(running) == [end], reason="the end of the file")
    worker.await_state(running, "RUNNING", ["RUNNING"])
    (folder / "document.json").write_text(json.dumps({file: [entry(RICH)]}))
    connectors = [
        {"name": listed, "offsets": [entry(RICH)], "purge": True},
        # \/ is JSON, too: many programs write it
        {"name": text, "offsets": json.dumps([entry(RICH)]).replace("/", "\\/"), "purge": "no"},
        {"name": file, "src": str(folder / "document.json"), "purge": "yes", "offsets": "", "final_state": ""},
        {"name": running, "state": "absent", "src": "", "purge": "", "final_state": "stopped"},
    ]
    names = [connector["name"] for connector in connectors]
    before = worker.picture(*names)

    dry = cluster.reset(connectors, "--check", "--diff")
    assert dry.rc == 0, dry.text
    assert worker.picture(*names) == before
    assert cluster.backups() == []
    assert all(f" {name} would change " in dry.flat for name in names), dry.text
    assert str(RICH["max"]) in dry.text, "the diff rounds"

    empty = ("username", "password", "token", "ca_path", "client_cert", "client_key", "use_proxy")
    real = cluster.reset(
        Unsafe(json.dumps(connectors)),
        reset_offsets_wait_timeout=Unsafe("60"),
        reset_offsets_max_entries=Unsafe("10"),
        reset_offsets_final_state=Unsafe("found"),
        reset_offsets_serial=Unsafe(""),
        kafka_connect_timeout=Unsafe("100"),
        kafka_connect_validate_certs=Unsafe("true"),
        **{f"kafka_connect_{option}": Unsafe("") for option in empty},
    )
    assert real.rc == 0, real.text
    assert all(f" {name} changed " in real.flat for name in names), real.text
    assert cluster.holds(listed, entry(RICH))
    assert cluster.holds(text, entry(RICH), entry({"n": 2}, p=1))
    assert cluster.holds(file, entry(RICH))
    assert cluster.holds(running)
    assert [worker.state(name) for name in names] == [("STOPPED", [])] * 4
    (backup,) = cluster.backups()
    assert sorted(json.loads(backup.read_text())["connectors"]) == sorted(names)

    again = cluster.reset(connectors)
    assert again.rc == 0, again.text
    assert again.changed == 0, again.text
    assert all(f" {name} unchanged " in again.flat for name in names), again.text
    assert cluster.backups() == [backup]


def test_a_template_in_the_list(cluster, make):
    name = make(STORES_ANYTHING, offsets=[entry({"n": 42})])
    run = cluster.reset([{"name": name, "offsets": [entry({"n": "{{ pos + 1 }}"})]}], pos=42)
    assert run.rc == 0, run.text
    assert cluster.holds(name, entry({"n": 43}))


def test_text_from_a_person_is_no_template(cluster, make):
    listed, text = (make(STORES_ANYTHING, offsets=[entry({"n": "x"})]) for dummy in range(2))
    trap = cluster.folder / "trap"
    braces = f"{{{{ lookup('ansible.builtin.pipe', 'touch {trap}') }}}}"
    declared = [entry({"n": braces})]
    connectors = [{"name": listed, "offsets": declared}, {"name": text, "offsets": json.dumps(declared)}]
    run = cluster.reset(Unsafe(json.dumps(connectors)))
    assert not trap.exists(), "the text was run as a template"
    assert run.rc == 0, run.text
    assert cluster.holds(listed, *declared)
    assert cluster.holds(text, *declared)


def test_everything_is_put_back_under_a_short_password(cluster, make):
    """The connector fails when it is started after the change. All that the modules return is full of masks."""
    before = entry({"position": 1595, "s": "5"})
    name = make(shaped(alter_offsets="accept", fail_task="start"), offsets=[before])
    run = cluster.reset(
        [{"name": name, "offsets": [entry({"position": 5, "s": "5"})], "final_state": "started"}],
        kafka_connect_username="ops",
        kafka_connect_password="5",
    )
    assert run.rc != 0, run.text
    assert f"The change of {name} failed: " in run.flat, run.text
    assert "the offsets are as they were, and the connector is STOPPED" in run.flat, run.text
    assert cluster.holds(name, before)
    assert cluster.worker.state(name) == ("STOPPED", [])
    (backup,) = cluster.backups()
    assert typed(json.loads(backup.read_text())["connectors"][name]) == typed([before])
