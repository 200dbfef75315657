# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The expectation document: read, checked, and completed. Pure: no Spark here."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from verify_replay.errors import ExpectationError
from verify_replay.parameters import AFTER, ALL, BEFORE, PARAMETERS, integer, mapping, partition, read_parameters, text
from verify_replay.targets import Target, options, registry, target

VERSION = 1
_NAME = re.compile(r"[A-Za-z0-9_-]+")
# What the job has to decide itself.
_OURS = {"isolation.level", "group.id", "auto.offset.reset", "enable.auto.commit", "key.deserializer", "value.deserializer"}
_MAX_SAMPLES = 1000
_KNOWN = (
    "version",
    "change_id",
    "clusters",
    "cluster_ids",
    "registries",
    "topics",
    "tables",
    "checks",
    "connectors",
    "cannot_tell",
    "samples",
)


@dataclass(frozen=True)
class Range:
    """Offsets of one partition: [start, boundary) was there before the change, [boundary, end) came after it."""

    start: int
    boundary: int
    end: int

    def part(self, which: str) -> tuple[int, int]:
        """The half-open range that before, after or all stands for."""
        low = self.boundary if which == AFTER else self.start
        return low, self.boundary if which == BEFORE else self.end


@dataclass(frozen=True)
class Topic:
    name: str
    cluster: str
    topic: str
    partitions: dict[int, Range]


@dataclass(frozen=True)
class Check:
    """One declared check. index is its place in the document, name what people read."""

    index: int
    type: str
    topic: str
    name: str
    parameters: dict[str, Any]


@dataclass(frozen=True)
class Expectation:
    change_id: str | None
    clusters: dict[str, dict[str, str]]
    cluster_ids: dict[str, str]
    topics: dict[str, Topic]
    tables: dict[str, Target]
    checks: list[Check]
    cannot_tell: str = "fail"
    samples: int = 20
    #: names of the topics that a check speaks of; no other one is read
    used: frozenset[str] = field(default_factory=frozenset)
    #: connectors -> the numbers of their checks; for the overview alone
    connectors: dict[str, list[int]] = field(default_factory=dict)
    #: schema registries -> url and how to reach it
    registries: dict[str, dict[str, str]] = field(default_factory=dict)


def load(content: str) -> Expectation:
    """The document from its JSON text; ExpectationError says what is wrong, and where."""
    try:
        document = json.loads(content, object_pairs_hook=_once)
    except ValueError as error:
        raise ExpectationError("", f"is not JSON: {error}") from error
    return parse(document)


def parse(document: Any) -> Expectation:
    """The document from what JSON became."""
    if not isinstance(document, dict):
        raise ExpectationError("", "must be a JSON object")
    _refuse_unknown(document, _KNOWN, "")
    if document.get("version") != VERSION or isinstance(document["version"], bool):
        raise ExpectationError("version", f"must be {VERSION}, not {document.get('version')!r}")
    change_id = document.get("change_id")
    if change_id is not None and not isinstance(change_id, str):
        raise ExpectationError("change_id", "must be a text or null")
    clusters = {name: _cluster(entry, f"clusters.{name}") for name, entry in _named(document, "clusters").items()}
    ids = {name: text(value, f"cluster_ids.{name}") for name, value in _named(document, "cluster_ids", False).items()}
    for name in ids:
        _known(name, clusters, f"cluster_ids.{name}", "cluster")
    topics = {name: _topic(name, entry, clusters) for name, entry in _named(document, "topics", dotted=True).items()}
    tables = {name: target(name, entry, f"tables.{name}") for name, entry in _named(document, "tables", False).items()}
    registries = {name: registry(name, entry, f"registries.{name}") for name, entry in _named(document, "registries", False).items()}
    cannot_tell = document.get("cannot_tell", "fail")
    if cannot_tell not in ("fail", "pass"):
        raise ExpectationError("cannot_tell", f"must be fail or pass, not {cannot_tell!r}")
    samples = integer(document.get("samples", 20), "samples")
    if samples > _MAX_SAMPLES:
        raise ExpectationError("samples", f"must be {_MAX_SAMPLES} or less, not {samples}")
    checks = _checks(document.get("checks"), topics, {"table": tables, "registry": registries})
    used = frozenset(c.topic for c in checks) | {c.parameters["source"] for c in checks if c.type == "mirror"}
    connectors = _connectors(document, len(checks))
    return Expectation(change_id, clusters, ids, topics, tables, checks, cannot_tell, samples, used, connectors, registries)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        twice = next(name for name, _value in pairs if sum(name == other for other, _ignored in pairs) > 1)
        raise ValueError(f"the name {twice!r} stands twice in one object")
    return result


def _refuse_unknown(entry: dict[str, Any], known: tuple[str, ...], path: str) -> None:
    for name in entry:
        if name not in known:
            raise ExpectationError(f"{path}.{name}".lstrip("."), f"is not known; {', '.join(known)} are")


def _named(document: dict[str, Any], key: str, required: bool = True, dotted: bool = False) -> dict[str, Any]:
    entries = mapping(document.get(key) if document.get(key) is not None else {}, key)
    if required and not entries:
        raise ExpectationError(key, "is missing or empty")
    for name in entries:
        if not (_NAME.fullmatch(name.replace(".", "_") if dotted else name)):
            raise ExpectationError(f"{key}.{name}", "a name may have letters, digits, - and _ only")
    return entries


def _known(name: Any, names: dict[str, Any], path: str, what: str) -> str:
    if not isinstance(name, str) or name not in names:
        raise ExpectationError(path, f"there is no {what} {name!r} in the document; {', '.join(names) or 'none'} is")
    return name


def _cluster(entry: Any, path: str) -> dict[str, str]:
    found = options(mapping(entry, path), path, f"spark.verify_replay.kafka.{path.partition('.')[2]}")
    text(found.get("bootstrap.servers"), f"{path}.bootstrap.servers")
    for name in _OURS & set(found):
        raise ExpectationError(f"{path}.{name}", "is set by the job itself")
    return found


def _topic(name: str, entry: Any, clusters: dict[str, Any]) -> Topic:
    path = f"topics.{name}"
    _refuse_unknown(mapping(entry, path), ("cluster", "topic", "partitions"), path)
    cluster = _known(entry.get("cluster"), clusters, f"{path}.cluster", "cluster")
    partitions = {}
    for number, numbers in mapping(entry.get("partitions"), f"{path}.partitions").items():
        here = f"{path}.partitions.{number}"
        _refuse_unknown(mapping(numbers, here), ("start", "boundary", "end"), here)
        for key in ("start", "boundary", "end"):
            if key not in numbers:
                raise ExpectationError(here, f"{key} is missing")
        found = Range(*(integer(numbers[key], f"{here}.{key}") for key in ("start", "boundary", "end")))
        if not found.start <= found.boundary <= found.end:
            raise ExpectationError(here, f"must be start <= boundary <= end, not {found.start}, {found.boundary}, {found.end}")
        partitions[partition(number, here)] = found
    if not partitions:
        raise ExpectationError(f"{path}.partitions", "is empty")
    return Topic(name, cluster, text(entry.get("topic"), f"{path}.topic"), dict(sorted(partitions.items())))


def _connectors(document: dict[str, Any], checks: int) -> dict[str, list[int]]:
    found = {}
    for name, numbers in mapping(document.get("connectors") or {}, "connectors").items():
        path = f"connectors.{name}"
        if not isinstance(numbers, list) or not numbers:
            raise ExpectationError(path, "must be a list of the numbers of its checks that is not empty")
        found[name] = [integer(number, path) for number in numbers]
        if max(found[name]) >= checks:
            raise ExpectationError(path, f"there is no check {max(found[name])}; the first one is 0, the last one {checks - 1}")
    return found


def _checks(entries: Any, topics: dict[str, Topic], named: dict[str, dict[str, Any]]) -> list[Check]:
    """named: what a check of a sink may name, by parameter."""
    if not isinstance(entries, list) or not entries:
        raise ExpectationError("checks", "must be a list that is not empty: nothing to check is no proof")
    return [_check(index, entry, topics, named) for index, entry in enumerate(entries)]


def _check(index: int, entry: Any, topics: dict[str, Topic], named: dict[str, dict[str, Any]]) -> Check:
    path = f"checks[{index}]"
    mapping(entry, path)
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in PARAMETERS:
        raise ExpectationError(f"{path}.type", f"there is no type {kind!r}; {', '.join(PARAMETERS)} are")
    topic = _known(entry.get("topic"), topics, f"{path}.topic", "topic")
    name = text(entry["name"], f"{path}.name") if entry.get("name") is not None else f"{kind} {topic}"
    given = {key: value for key, value in entry.items() if key not in ("type", "topic", "name")}
    values = read_parameters(kind, given, path)
    check = Check(index, kind, topic, name, values)
    if kind == "sink":
        for what, entries in named.items():
            if values[what] is not None:
                _known(values[what], entries, f"{path}.{what}", what)
    if kind == "mirror":
        _known(values["source"], topics, f"{path}.source", "topic")
        if values["source"] == topic:
            raise ExpectationError(f"{path}.source", "is the topic itself")
    _inside(check, topics[topic], path)
    return check


def _inside(check: Check, topic: Topic, path: str) -> None:
    """Ranges and offsets of a check must lie in what was there before the change."""
    for number, (start, end) in (check.parameters.get("ranges") or {}).items():
        here = f"{path}.ranges.{number}"
        limits = _limits(topic, number, here)
        if start < limits.start or end > limits.boundary:
            raise ExpectationError(here, f"[{start}, {end}) is not inside before, [{limits.start}, {limits.boundary})")
    for number, offsets in (check.parameters.get("offsets") or {}).items():
        here = f"{path}.offsets.{number}"
        limits = _limits(topic, number, here)
        for offset in offsets:
            if not limits.start <= offset < limits.boundary:
                raise ExpectationError(here, f"{offset} is not inside before, [{limits.start}, {limits.boundary})")


def _limits(topic: Topic, number: int, path: str) -> Range:
    if number not in topic.partitions:
        raise ExpectationError(path, f"the topic {topic.name} names no partition {number}")
    return topic.partitions[number]


__all__ = ["ALL", "AFTER", "BEFORE", "Check", "Expectation", "Range", "Topic", "load", "parse"]
