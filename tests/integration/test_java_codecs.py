# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The codecs of the offsets topic against the Java code that they follow: Kafka's JsonConverter, HashMap, murmur2.

Random inputs from a seed, which STREAMOPS_CODECS_SEED sets to another; one JVM for each Kafka version and no stack.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
import os
import random
import struct
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import jackson, java_hash_order, murmur2
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

from stack import jars, java

SOURCE = Path(__file__).parents[1] / "java" / "streamops" / "test" / "Codecs.java"
SEED = int(os.environ.get("STREAMOPS_CODECS_SEED", "875"))
INT64 = 2**63
SEPARATOR = "\x1e"

#: from this version on, Java writes the shortest digits of a double
SHORTEST = 19

ALPHABETS = [
    [(0x20, 0x7E)],
    [(0x00, 0x1F), (0x22, 0x22), (0x2F, 0x2F), (0x5C, 0x5C), (0x7F, 0xA0)],
    [(0xA0, 0x24F), (0x2000, 0x206F), (0x4E00, 0x4E20), (0xD7F0, 0xD7FF), (0xE000, 0xE00F), (0xFEFF, 0xFFFF)],
    [(0x10000, 0x1000F), (0x1F600, 0x1F64F), (0x2FFFE, 0x3000F), (0x10FFF0, 0x10FFFF)],
]
NEGATIVE_ZERO = b'{"zero": -0.0}'
#: texts of one hash code: they share a bucket of every table
ALIKE = ["".join(pairs) for pairs in itertools.product(("Aa", "BB"), repeat=4)]
USUAL = ["topic", "partition", "cluster", "group", "server", "database", "name", "path", "inode", "hash", "ns", "filename", "table"]


class Samples:
    """Random inputs; the same ones for the same seed."""

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def text(self, longest: int = 12) -> str:
        size = self.random.randint(0, longest)
        alphabet = self.random.choice([*ALPHABETS, sum(ALPHABETS, [])])
        return "".join(chr(self.random.randint(*self.random.choice(alphabet))) for _number in range(size))

    def name(self) -> str:
        return self.random.choice([self.text, lambda: self.random.choice(USUAL), lambda: self.random.choice(ALIKE[:2])])()

    def names(self, most: int) -> list:
        size, found = self.random.randint(0, most), set()
        while len(found) < size:
            found.add(self.name())
        return self.random.sample(sorted(found), len(found))

    def neighbours(self) -> list:
        """Names that crowd one bucket of a table, among others."""
        capacity = self.random.choice([16, 32, 64, 128])
        found = {}
        while len(found) < self.random.randint(8, 12):
            name = f"n{self.random.randrange(100000)}"
            if java_hash_order._spread(name) % capacity == 3:
                found[name] = None
        names = [*found, *self.names(8)]
        return self.random.sample(names, len(names))

    def integer(self) -> int:
        edges = [0, -1, 2**31 - 1, -(2**31), 2**31, 2**53 + 1, INT64 - 1, -INT64]
        return self.random.choice([self.random.choice(edges), self.random.randint(-INT64, INT64 - 1), self.random.randint(-9, 9)])

    def double(self) -> float:
        """One that every Java writes with the shortest digits."""
        small = self.random.randint(-999999, 999999) / 10 ** self.random.randint(0, 8)
        return self.random.choice([small, float(self.random.randint(-(10**6), 10**6)), 1e7, 1e16, 1e-4, 1e-3, 0.0, -0.0])

    def any_double(self) -> float:
        """Any 64 bits that are a number."""
        while True:
            (value,) = struct.unpack(">d", struct.pack(">Q", self.random.getrandbits(64)))
            if math.isfinite(value):
                return value

    def scalar(self):
        kinds = [self.text, self.integer, self.double, lambda: None, lambda: True, lambda: False]
        return self.random.choice(kinds)()

    def value(self, depth: int = 0):
        kind = self.random.random() if depth < 3 else 1
        if kind < 0.15:
            return self.mapping(6, depth + 1)
        if kind < 0.25:
            return [self.value(depth + 1) for _number in range(self.random.randint(0, 4))]
        return self.scalar()

    def mapping(self, most: int, depth: int = 0) -> dict:
        return {name: self.value(depth) for name in self.names(most)}


class Kafka:
    """Java's answers, all from one run."""

    def __init__(self, version: str):
        self.version = version
        self.answers = {}
        self.java = 0

    def run(self, questions: list) -> None:
        questions = [("version", b""), *dict.fromkeys(questions)]
        lines = [f"{command} {base64.b64encode(argument).decode()}\n" for command, argument in questions]
        result = java.run_tool(str(SOURCE), version=self.version, stdin="".join(lines))
        assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
        answers = result.stdout.split("\n")[:-1]
        assert len(answers) == len(questions), result.stdout[:2000]
        self.answers = dict(zip(questions, answers, strict=True))
        self.java = int(answers[0])

    def rewritten(self, document: bytes) -> bytes:
        return base64.b64decode(self.answers["json", document])

    def order(self, names: list) -> list:
        return base64.b64decode(self.answers["order", _names(names)]).decode("utf-8", "surrogatepass").split(SEPARATOR)


def _names(names: list) -> bytes:
    return SEPARATOR.join(names).encode("utf-8")


def _as_sent(value) -> bytes:
    # Python's own writing, so that a fault of jackson cannot hide in the question.
    return json.dumps(value).encode("ascii")


def _bits(value: float) -> bytes:
    return struct.pack(">d", value).hex().encode("ascii")


def _deep(value):
    """The value as a worker holds it after reading: every map a HashMap."""
    if isinstance(value, dict):
        return {name: _deep(item) for name, item in java_hash_order.ordered(value).items()}
    return [_deep(item) for item in value] if isinstance(value, list) else value


def _orders(samples: Samples) -> list:
    lists = [samples.names(40) for _number in range(400)] + [samples.neighbours() for _number in range(400)]
    lists += [[*samples.names(30), *samples.random.sample(ALIKE, 9)] for _number in range(50)]
    for names in lists:
        names[:] = dict.fromkeys(name.replace(SEPARATOR, "") for name in names)
    # Up to ten of a bucket are in order always; a tree is refused, so there is nothing to compare.
    alike = [samples.random.sample(ALIKE, size) for size in range(1, 11)]
    return alike + [names for names in lists if names and _known(names)]


def _known(names: list) -> bool:
    try:
        java_hash_order.order(names)
    except DeclarationError:
        return False
    return True


class Inputs:
    """All that Java is asked about."""

    def __init__(self, samples: Samples):
        self.keys = [[samples.text(), samples.mapping(40 if number % 10 == 0 else 5)] for number in range(600)]
        self.keys += [["name", None], ["", {}], [samples.text(9000), {samples.text(9000): samples.text(9000)}]]
        self.keys += [["".join(map(chr, range(0x800))), {"".join(map(chr, range(0xD000, 0xD800))): None}]]
        # pairs of surrogates across the ends of Jackson's buffers
        self.keys += [["x" * size + "\U0001f600" * 3000, {}] for size in range(12)]
        self.documents = self.keys + [samples.mapping(12) for _number in range(300)]
        self.names = _orders(samples)
        self.hashed = [samples.random.randbytes(samples.random.randint(0, 90)) for _number in range(500)]
        self.hashed += [b"\xff" * size for size in range(9)] + [jackson.encode(_deep(key)) for key in self.keys]
        self.doubles = [samples.any_double() for _number in range(3000)] + [2.0**power for power in range(-1074, 1024)]
        self.doubles += [float(f"1e{power}") for power in range(-323, 309)] + [5e-324 * factor for factor in range(1, 400)]
        self.common_doubles = [samples.random.uniform(-1e7, 1e7) for _number in range(1000)] + [samples.double() for _number in range(500)]

    def questions(self) -> list:
        asked = [("json", _as_sent(value)) for value in self.documents]
        asked += [("json", NEGATIVE_ZERO), ("double", _bits(0.0))]
        asked += [("order", _names(names)) for names in self.names]
        asked += [("hash", data) for data in self.hashed]
        return asked + [("double", _bits(value)) for value in self.doubles + self.common_doubles]


@pytest.fixture(scope="module")
def inputs():
    # pytest shows it with every failure
    print(f"STREAMOPS_CODECS_SEED={SEED}")
    return Inputs(Samples(SEED))


@pytest.fixture(scope="module", params=[jars.BROKER_VERSION, jars.API_VERSION])
def kafka(request, inputs):
    kafka = Kafka(request.param)
    kafka.run(inputs.questions())
    return kafka


def test_bytes_of_keys_and_values(kafka, inputs):
    for value in inputs.documents:
        document = _as_sent(value)
        assert jackson.encode(_deep(value)) == kafka.rewritten(document), document[:2000]


def test_order_of_names(kafka, inputs):
    # nearly all are left of those that _orders() made, and enough of them are long
    assert len(inputs.names) > 600
    assert sum(len(names) > 24 for names in inputs.names) > 20
    for names in inputs.names:
        assert java_hash_order.order(names) == kafka.order(names), names


def test_murmur2_and_partitions(kafka, inputs):
    for data in inputs.hashed:
        mine = murmur2.murmur2(data), murmur2.partition_for(data, 5), murmur2.partition_for(data, 25)
        assert "{} {} {}".format(*mine) == kafka.answers["hash", data], data


def test_doubles_of_common_size(kafka, inputs):
    """The same in every Java, but for the sign of zero: that is gone when the worker reads it."""
    for value in inputs.common_doubles:
        assert jackson.encode(value).decode() == kafka.answers["double", _bits(value or 0.0)]
    assert kafka.rewritten(NEGATIVE_ZERO) == jackson.encode({"zero": -0.0})


def test_all_doubles(kafka, inputs):
    texts = [(value, jackson.encode(value).decode(), kafka.answers["double", _bits(value)]) for value in inputs.doubles]
    assert all(float(mine) == value == float(java) for value, mine, java in texts)
    other = [(value, mine, java) for value, mine, java in texts if mine != java]
    if kafka.java >= SHORTEST:
        assert not other
    # JDK-4511638
    assert all(not 1e-3 <= abs(value) < 1e7 for value, mine, java in other)
    assert len(other) < len(texts) / 10
