# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs as AWX 24.6 starts them: its private data directory, written for ansible-runner, which is what AWX runs, too.

AWX itself is in no registry. The command line that comes of this directory is, argument for argument, that of a real job.
"""

from __future__ import annotations

import copy
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.awx.rules import injected

#: what AWX sets for every job; and pipelining, an administrator's setting, which makes them faster
_ENVIRONMENT = {"ANSIBLE_PIPELINING": "True", "ANSIBLE_FORCE_COLOR": "True", "ANSIBLE_HOST_KEY_CHECKING": "False",
                "ANSIBLE_INVENTORY_UNPARSED_FAILED": "True", "ANSIBLE_RETRY_FILES_ENABLED": "False", "MAX_EVENT_RES": "700000",
                "AWX_HOST": "https://awx.example.com", "PROJECT_REVISION": "1" * 40}

_RUNNER = str(Path(sys.executable).with_name("ansible-runner"))


@dataclass
class Done:
    """A job that has ended."""

    rc: int
    stdout: str
    events: list[dict]
    folder: Path

    @property
    def artifacts(self) -> dict:
        """What AWX would pass on to the next node of a workflow."""
        stats = [event for event in self.events if event["event"] == "playbook_on_stats"]
        return stats[-1]["event_data"].get("artifact_data", {}) if stats else {}

    @property
    def changed(self) -> dict[str, int]:
        """Changed tasks by host."""
        return [event for event in self.events if event["event"] == "playbook_on_stats"][-1]["event_data"]["changed"]

    @property
    def command(self) -> list[str]:
        return json.loads((self.folder / "command").read_text())["command"]

    def failures(self) -> list[str]:
        found = [event["event_data"]["res"].get("msg", "") for event in self.events if event["event"] == "runner_on_failed"]
        return [str(text) for text in found]

    def __str__(self) -> str:
        return self.stdout


@dataclass
class Containers:
    """Jobs in containers of podman instead of in this machine's own environment."""

    image: str
    options: list[str]  #: of podman run
    pod: bool  #: whether ansible-runner is in the container, too, and gets the job sent, as on Kubernetes; else it starts the container
    environment: dict[str, str]  #: of podman

    def command(self, folder: Path, words: list[str]) -> list[str]:
        """What runs the job in that folder; words: arguments of ansible-runner."""
        options = ["--network=host", "--pull=never", f"--label=job={folder}", *self.options]
        if not self.pod:
            isolation = ["--process-isolation", "--process-isolation-executable", "podman", "--container-image", self.image]
            return [_RUNNER, "run", *words, "-q", *isolation, *(f"--container-option={option}" for option in options)]
        # Nobody but the image itself adds the user to /etc/passwd.
        pod = ["podman", "run", "--rm", "--interactive", "--passwd=false", *options, self.image]
        parts = ([_RUNNER, "transmit", *words], [*pod, "ansible-runner", "worker", "--private-data-dir=/runner"],
                 [_RUNNER, "process", str(folder), "-i", "job"])
        return ["bash", "-o", "pipefail", "-c", " | ".join(map(shlex.join, parts))]

    def kill(self, folder: Path) -> None:
        command, env = ["podman", "ps", "--quiet", "--filter", f"label=job={folder}"], {**os.environ, **self.environment}
        found = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()
        if found:
            subprocess.run(["podman", "kill", *found], env=env, check=False, capture_output=True)


@dataclass
class Template:
    """A job template: what the role awx_setup would make."""

    playbook: str
    job_type: str = "run"
    diff_mode: bool = False
    job_tags: str = ""
    survey: list[dict] = field(default_factory=list)

    @classmethod
    def of(cls, data: dict, name: str) -> Template:
        item = next(item for item in data["controller_templates"] if item["name"] == f"Kafka Connect: {name}")
        return cls(item["playbook"], item["job_type"], item.get("diff_mode", False), item.get("job_tags", ""), item["survey_spec"]["spec"])


class Awx:
    """Runs jobs. One inventory for all of them, and one copy of the project, as a project update makes it."""

    def __init__(self, folder: Path, project: Path, collections: Path, groups: dict, types: dict[str, dict],
                 containers: Containers | None = None) -> None:
        self.folder, self.project, self.collections, self.groups, self.types = folder, project, collections, groups, types
        self.containers = containers
        self.number, self.revision = 0, "1" * 40

    def answers(self, template: Template, given: dict) -> dict:
        """A survey's answers: an empty one is empty text, or for a number, and without a default, no variable; a wrong one is refused."""
        known = {question["variable"]: question for question in template.survey}
        assert not set(given) - set(known), "AWX ignores variables that nobody asks for"
        found = {}
        for name, question in known.items():
            if not given.get(name) and "default" not in question and not question["required"]:
                continue
            value = given.get(name, question.get("default", ""))
            if question["type"] == "integer":
                assert value == "" or value.__class__ is int and question["min"] <= value <= question["max"], name
                if value == "":
                    continue
            else:
                assert isinstance(value, str) and (not value or len(value) <= question.get("max", len(value))), name
                assert value in question.get("choices", [value]) or not value and not question["required"], name
                assert value or not question["required"], name
            found[name] = value
        return found

    def launch(self, template: Template, survey: dict | None = None, *, credentials: dict[str, dict] | None = None, **prompts: Any) -> Done:
        """A job by itself. prompts: limit, job_type. credentials: inputs by type; those of vaults are vaults: password by vault id."""
        return self._start(template, self.answers(template, survey or {}), credentials or {}, prompts).wait()

    def start(self, template: Template, survey: dict | None = None, *, credentials: dict[str, dict] | None = None, **prompts: Any) -> Job:
        return self._start(template, self.answers(template, survey or {}), credentials or {}, prompts)

    def _start(self, template: Template, variables: dict, credentials: dict, prompts: dict, more: dict | None = None) -> Job:
        self.number += 1
        folder = self.folder / f"awx_{self.number}"
        inside = "/runner" if self.containers else str(folder)
        for name in ("env", "inventory", "artifacts"):
            (folder / name).mkdir(parents=True)
        shutil.copytree(self.project, folder / "project")
        shutil.copytree(self.collections, folder / "requirements_collections")
        script = folder / "inventory" / "hosts"
        script.write_text(f"#! /usr/bin/env python3\n# -*- coding: utf-8 -*-\nprint({json.dumps(self._inventory())!r})\n")
        script.chmod(0o700)

        own = {"job_id": self.number, "job_launch_type": "manual", "job_template_id": 7, "user_id": 3, "user_name": "ops",
               "user_email": "ops@example.com", "inventory_id": 1, "inventory_name": "Kafka Connect", "project_revision": self.revision,
               **(more or {})}
        variables = {**variables, **{f"{prefix}_{name}": value for name, value in own.items() for prefix in ("awx", "tower")}}
        (folder / "env" / "extravars").write_text(unsafe(variables))

        environment = {**_ENVIRONMENT, "JOB_ID": str(self.number), "ANSIBLE_COLLECTIONS_PATH": f"{inside}/requirements_collections"}
        if not self.containers:  # which have a home of their own
            environment |= {"HOME": inside, "PWD": f"{inside}/project"}
        for kind, inputs in credentials.items():
            env, files = injected(self.types[kind], inputs, f"{inside}/env/tmp{kind.replace(' ', '')}-{{}}")
            environment.update(env)
            for path, content in files.items():
                file = folder / "env" / Path(path).name
                file.write_text(content)
                file.chmod(0o600)
        (folder / "env" / "envvars").write_text(yaml.safe_dump(environment))
        words = ["--check"] if prompts.get("job_type", template.job_type) == "check" else []
        words += ["-u", "root"] + (["--diff"] if template.diff_mode else [])
        vaults = prompts.get("vaults", {})
        words += [word for vault in vaults for word in ("--vault-id", f"{vault}@prompt")]
        # Ansible asks for them, and is answered. AWX hands them over without a file.
        answers = {rf"Vault password \({vault}\):\s*?$": password for vault, password in vaults.items()}
        (folder / "env" / "passwords").write_text(yaml.safe_dump(answers))
        words += ["-l", prompts["limit"]] if prompts.get("limit") else []
        words += ["-t", template.job_tags] if template.job_tags else []
        (folder / "env" / "cmdline").write_text(" ".join(f"'{word}'" for word in words))
        settings = {"job_timeout": 0, "suppress_ansible_output": True, "suppress_output_file": False}
        (folder / "env" / "settings").write_text(json.dumps(settings))
        return Job(folder, template.playbook, self.containers)

    def _inventory(self) -> dict:
        """As AWX writes it: each host has what tells it apart."""
        found = copy.deepcopy(self.groups)
        hosts = found["_meta"]["hostvars"]
        for number, variables in enumerate(hosts.values(), 1):
            for kind in ("tower", "host"):
                variables.update({f"remote_{kind}_enabled": "true", f"remote_{kind}_id": number})
        return found


class Job:
    """A job that runs."""

    def __init__(self, folder: Path, playbook: str, containers: Containers | None) -> None:
        self.folder, self.containers = folder, containers
        words = [str(folder), "-p", playbook, "-i", "job"]
        command = containers.command(folder, words) if containers else [_RUNNER, "run", *words, "-q"]
        env = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "KAFKA_", "PYTHONPATH"))}
        env.update(containers.environment if containers else {})
        env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), env["PATH"]])
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen(command, env=env, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def wait(self, seconds: float = 240) -> Done:
        try:
            self.process.wait(seconds)
        finally:
            self.kill()
        artifacts = self.folder / "artifacts" / "job"
        files = sorted((artifacts / "job_events").glob("[0-9]*.json"), key=lambda path: int(path.name.partition("-")[0]))
        stdout = (artifacts / "stdout").read_text() if (artifacts / "stdout").exists() else ""
        events = [json.loads(path.read_text()) for path in files]
        # What a pod sent is processed well, whatever became of the job.
        rc = self.process.returncode or int((artifacts / "rc").read_text())
        return Done(rc, stdout + (self.folder / "log").read_text(), events, artifacts)

    def kill(self) -> None:
        """As a cancelled job is: the container is killed, and neither rescue nor always runs."""
        if self.containers and self.process.poll() is None:
            self.containers.kill(self.folder)
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        # ansible-playbook is a session of its own below ansible-runner
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.folder).encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                    os.kill(int(path.parent.name), signal.SIGKILL)
            except (OSError, ProcessLookupError):
                pass
        self.process.wait(20)


class Workflow:
    """A workflow of the role awx_setup, as chained jobs: each node gets the survey, and the artifacts of the nodes before it."""

    def __init__(self, awx: Awx, data: dict, name: str, number: int, survey: dict, limit: str = "") -> None:
        self.awx, self.data, self.number, self.limit = awx, data, number, limit
        item = next(item for item in data["controller_workflows"] if item["name"] == f"Kafka Connect: {name} workflow")
        self.nodes = {node["identifier"]: node for node in item["workflow_nodes"]}
        assert not limit or item["ask_limit_on_launch"]
        self.survey = awx.answers(Template("", survey=item["survey_spec"]["spec"]), survey)
        self.done: dict[str, Done] = {}

    def run(self, approve: Callable[[str], bool] = lambda name: True) -> bool:
        """Runs it; True if it ends green. approve(node) answers for the people who are asked."""
        targets = {other["identifier"] for node in self.nodes.values() for others in node.get("related", {}).values() for other in others}
        waiting = [(next(name for name in self.nodes if name not in targets), {})]
        green = True
        while waiting:
            name, artifacts = waiting.pop(0)
            node = self.nodes[name]
            if node["unified_job_template"]["type"] == "workflow_approval":
                ok, passed = approve(name), artifacts
            else:
                self.done[name] = self.start(name, artifacts).wait()
                ok, passed = self.done[name].rc == 0, {**artifacts, **self.done[name].artifacts}
            following = node.get("related", {}).get("success_nodes" if ok else "failure_nodes", [])
            green = green and (ok or bool(following))
            waiting += [(other["identifier"], passed) for other in following]
        return green

    def start(self, name: str, artifacts: dict) -> Job:
        node = self.nodes[name]
        template = Template.of(self.data, node["unified_job_template"]["name"].removeprefix("Kafka Connect: "))
        # The template's own defaults, then what was passed on, then the answers given to the workflow.
        defaults = self.awx.answers(Template("", survey=[one for one in template.survey if not one["required"]]), {})
        variables = {**defaults, **artifacts, **self.survey, **node.get("extra_data", {})}
        prompts = {"limit": node.get("limit", self.limit), "job_type": node.get("job_type", template.job_type)}
        more = {"job_launch_type": "workflow", "workflow_job_launch_type": "manual", "workflow_job_id": self.number}
        return self.awx._start(template, variables, {}, prompts, more)


def unsafe(value: Any) -> str:
    """YAML as AWX writes extra variables that it does not trust: keys and strings are no templates."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{unsafe(str(name))}: {unsafe(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(unsafe, value)) + "]"
    if isinstance(value, str):
        return "!unsafe " + json.dumps(value)
    return json.dumps(value)
