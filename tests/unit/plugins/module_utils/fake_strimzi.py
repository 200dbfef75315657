# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An API server in memory, and an operator that looks whenever time passes, for faults that real ones cannot be made to show."""

from __future__ import annotations

import copy
import json

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors

BASE = "/apis/kafka.strimzi.io"
MAPS = "/api/v1/namespaces/kafka/configmaps"
SECTIONS = {"listOffsets": {"toConfigMap": {"name": "listed"}}, "alterOffsets": {"fromConfigMap": {"name": "wanted"}}}


class FakeKube:
    """Kubernetes of _kubernetes. A clock that runs only in sleep(); ``operator``: what looks at everything then, or None."""

    host, namespace = "https://kube:6443", None

    def __init__(self, versions=("v1",)):
        self.now, self.objects, self.version, self.calls = 0.0, {}, 0, []
        self.group = {"versions": [{"version": one} for one in versions]}
        self.operator = self.before_patch = None
        self.denied = {}

    def close(self):
        pass

    def clock(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        if self.operator:
            self.operator(self)

    def put(self, path, found):
        self.version += 1
        old = self.objects.get(path)
        found["metadata"]["resourceVersion"] = str(self.version)
        generation = found["metadata"].get("generation", 1)
        found["metadata"]["generation"] = generation + 1 if old and old.get("spec") != found.get("spec") else generation
        self.objects[path] = copy.deepcopy(found)

    def get(self, path):
        self.calls.append(("get", path))
        if "get" in self.denied and self.denied["get"] in path:
            raise errors.KubeDenied("denied to get")
        if path == BASE:
            return self.group
        if path.rsplit("/", 1)[-1] in ("kafkaconnectors", "kafkamirrormaker2s"):
            return {"items": [copy.deepcopy(one) for name, one in sorted(self.objects.items()) if name.startswith(path + "/")]}
        if path not in self.objects:
            raise errors.KubeNotFound(f"{path} not found")
        return copy.deepcopy(self.objects[path])

    def create(self, path, body):
        self.calls.append(("create", path))
        name = "{}/{}".format(path, body["metadata"]["name"])
        if name in self.objects:
            raise errors.KubeConflict("exists")
        self.put(name, copy.deepcopy(body))
        return self.get(name)

    def update(self, path, change):
        for _time in range(20):
            found = self.get(path)
            operations = change(found)
            if not operations:
                return found
            if self.before_patch:
                self.before_patch(self, path)
            if self.objects[path]["metadata"]["resourceVersion"] == found["metadata"]["resourceVersion"]:
                self.calls.append(("patch", path))
                self.put(path, patched(self.objects[path], operations))
                return self.get(path)
        raise errors.KubeConflict("again and again")

    def patches(self):
        return [path.rsplit("/", 1)[-1] for verb, path in self.calls if verb == "patch"]


def patched(found, operations):
    """JSON patch (RFC 6902): test, add, remove."""
    found = copy.deepcopy(found)
    for one in operations:
        *way, last = [step.replace("~1", "/").replace("~0", "~") for step in one["path"].split("/")[1:]]
        at = found
        for step in way:
            at = at[int(step)] if isinstance(at, list) else at[step]
        last = int(last) if isinstance(at, list) else last
        if one["op"] == "test":
            if at[last] != one["value"]:
                raise errors.KubeConflict("a test failed")
        elif one["op"] == "add":
            at[last] = copy.deepcopy(one["value"])
        else:
            del at[last]
    return found


def connector(**spec):
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnector",
            "metadata": {"name": "orders", "namespace": "kafka", "uid": "u1", "labels": {"strimzi.io/cluster": "connect"}},
            "spec": {"class": "FileStreamSource", "config": {"topic": "t", "batch.size": 5}, **SECTIONS, **spec}}


def mirror(shape="new", **source):
    """east->west and north->west."""
    section = {**SECTIONS, **source}
    mirrors = [{"sourceConnector": {}, "checkpointConnector": {}}, {"sourceConnector": section, "topicsPattern": "orders.*"}]
    spec = {"mirrors": mirrors}
    for one, alias in zip(mirrors, ("north", "east"), strict=True):
        one.update({"source": {"alias": alias, "bootstrapServers": alias + ":9092"}} if shape == "new" else
                   {"sourceCluster": alias, "targetCluster": "west"})
    if shape == "new":
        spec["target"] = {"alias": "west", "bootstrapServers": "west:9092"}
    else:
        spec.update(connectCluster="west", clusters=[{"alias": "east", "bootstrapServers": "east:9092", "tls": {}}, {"alias": "north"}])
    return {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaMirrorMaker2",
            "metadata": {"name": "mirror", "namespace": "kafka", "uid": "u2"}, "spec": spec}


class Operator:
    """Follows spec.state, and carries out what the annotation says. ``says``: a Warning instead of carrying out; ``deaf``: does nothing.

    What fails is tried once more, and then not before the next event. ``refusal(state)``: (reason, message) if Connect does not carry that
    state out now: NotReady. ``broken``: connector and restarts fail; ``refuses_restarts``: these alone.
    """

    def __init__(self, name="orders", plural="kafkaconnectors", version="v1", live=None):
        self.path = f"{BASE}/{version}/namespaces/kafka/{plural}/{name}"
        self.live = live if live is not None else [{"partition": {"f": "a"}, "offset": {"p": 2**53 + 1}}]
        self.says, self.deaf, self.seen, self.done = None, False, None, []
        self.only_once = self.broken = self.refuses_restarts = False
        self.refusal, self.reached, self.tried = (lambda state: None), None, []

    def __call__(self, kube):
        found = kube.objects.get(self.path)
        if found is None or self.deaf or found["metadata"].get("annotations", {}).get("strimzi.io/pause-reconciliation") == "true":
            return
        if found["metadata"]["resourceVersion"] == self.seen:
            return  # no event
        before = copy.deepcopy(found)
        self.look(kube, found)
        if found != before:
            kube.put(self.path, found)
            found = kube.objects[self.path]
        again = False
        if self.report(found):
            kube.put(self.path, found)
            again = len(found["status"]["conditions"]) > 1 or found["status"]["conditions"][0]["type"] == "NotReady"
        self.seen = None if again else found["metadata"]["resourceVersion"]

    def section(self, found):
        return found["spec"]

    def look(self, kube, found):
        there = found["metadata"].get("annotations") or {}
        word = there.get("strimzi.io/connector-offsets")
        self.warning = None
        for name in {"strimzi.io/restart", "strimzi.io/restart-task"} & set(there):
            self.done.append(name)
            if (self.broken or self.refuses_restarts) and name == "strimzi.io/restart":
                self.warning = ("RestartConnector", "POST /connectors/orders/restart returned 500 (500)")
            else:
                del there[name]
        if word is None:
            return
        if self.says:
            self.warning = self.says
            if self.only_once:
                self.says = None
            return
        if word == "list":
            path = "{}/{}".format(MAPS, self.section(found)["listOffsets"]["toConfigMap"]["name"])
            listed = kube.objects.get(path) or {"kind": "ConfigMap", "metadata": {"name": "listed", "namespace": "kafka"}}
            listed.setdefault("data", {})[self.key] = json.dumps({"offsets": self.live})
            kube.put(path, listed)
        elif self.state(found) != "STOPPED":
            self.warning = ("AlterOffsets", "Connector is not in STOPPED state")
            return
        elif word == "alter":
            path = "{}/{}".format(MAPS, self.section(found)["alterOffsets"]["fromConfigMap"]["name"])
            merged = {json.dumps(one["partition"]): one for one in self.live}
            for one in json.loads(kube.objects[path]["data"][self.key])["offsets"]:
                merged[json.dumps(one["partition"])] = one
            self.live = [one for one in merged.values() if one["offset"] is not None]
        else:
            self.live = []
        self.done.append(word)
        for name in ("strimzi.io/connector-offsets", "strimzi.io/mirrormaker-connector"):
            there.pop(name, None)

    key, connector = "offsets.json", "orders"

    def state(self, found):
        section = self.section(found)
        return {"running": "RUNNING", "paused": "PAUSED", "stopped": "STOPPED"}[
            section.get("state") or ("paused" if section.get("pause") else "running")]

    def report(self, found):
        state = self.state(found)
        refusal = None
        if state != self.reached:
            self.tried.append(state)
            refusal = self.refusal(state)
        if refusal:
            new = {"observedGeneration": found["metadata"]["generation"],
                   "conditions": [{"type": "NotReady", "status": "True", "reason": refusal[0], "message": refusal[1]}]}
            if found.get("status") == new:
                return False
            found["status"] = new
            return True
        self.reached = state
        if self.broken and state == "RUNNING":
            state = "FAILED"
        # as it is: the list of tasks is from before
        status = {"name": self.connector, "type": "source", "connector": {"state": state, "worker_id": "w"},
                  "tasks": [{"id": 0, "state": "RUNNING" if state == "STOPPED" else state, "worker_id": "w"}]}
        new = self.place(status)
        new["observedGeneration"] = found["metadata"]["generation"]
        new["conditions"] = [{"type": "Ready", "status": "True"}]
        if self.warning:
            new["conditions"].append({"type": "Warning", "status": "True", "reason": self.warning[0], "message": self.warning[1]})
        if found.get("status") == new:
            return False
        found["status"] = new
        return True

    def place(self, status):
        return {"connectorStatus": status}


class SlowOperator(Operator):
    """A pass takes that many seconds. At its end the annotation goes from the very resource that it began with, or not at all."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds, self.pass_of = seconds, None

    def __call__(self, kube):
        found = kube.objects[self.path]
        version = found["metadata"]["resourceVersion"]
        if self.pass_of is None:
            self.pass_of = (version, kube.now + self.seconds) if version != self.seen else None
        elif kube.now >= self.pass_of[1]:
            began, self.pass_of = self.pass_of[0], None
            if began == version:
                super().__call__(kube)
            else:
                self.look(kube, copy.deepcopy(found))


class MirrorOperator(Operator):
    """Of the connector east->west.MirrorSourceConnector."""

    connector = "east->west.MirrorSourceConnector"
    key = "east--west.MirrorSourceConnector.json"

    def __init__(self, version="v1", live=None):
        super().__init__("mirror", "kafkamirrormaker2s", version, live)

    def section(self, found):
        return found["spec"]["mirrors"][1]["sourceConnector"]

    def place(self, status):
        return {"connectors": [status]}
