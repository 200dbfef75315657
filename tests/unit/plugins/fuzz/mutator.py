# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs that nobody should send: valid ones with a few things changed, and some that are nothing at all. The same seed gives the same inputs.

Not hypothesis: most of these are bytes, a hundred thousand of them take a minute here, and no requirement comes on top.
"""

from __future__ import annotations

import copy
import json
import random

#: scalars and structures at which readers stumble
VALUES = [None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**40, 0.0, -0.0, 1.5, 1e308, float("inf"), float("nan"), "", " ", "0", "-1",
          "5", "null", "\x00", "\x7f", "\ud800", "é", "😀", "a" * 300, "********", "x ... (cut, 7 characters)", "base64:", "base64:AA==", "base64:!",
          "9" * 30, "1e5", "2026-01-01T00:00:00.000Z", "2026-13-41", [], {}, [[]], {"": None}, [None], {"a": {"b": []}}, {"p": 0}, {"n": 4},
          ["c", {"p": 0}], {"schema": None, "payload": ["c", {"p": 0}]}, {"partition": {"p": 0}, "offset": {"n": 1}}]
NAMES = ["partition", "offset", "offsets", "connectors", "format", "version", "counts", "types", "cluster", "plugins", "ordered", "kafka_topic",
         "kafka_partition", "kafka_offset", "schema", "payload", "", "\x00", "\ud800", "name", "connector", "tasks", "state", "id", "trace", "next_offset"]
_TOKENS = [b"", b"\x00", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\\u", b"\\ud800", b"null", b"NaN",
           b"Infinity", b"-", b"1e400", b"9" * 25, b"9" * 5000, b"[" * 3000, b'{"a":' * 1500, b"\n", b"\xac\xed\x00\x05", b"\x7f\xff\xff\xff",
           b"\xff\xff\xff\xff", b"\x80\x00\x00\x00", b"ur", b"p", b"x", b"w\x08"]


class Mutator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, samples: list) -> bytes:
        """JSON, mostly of one of these values, which is valid."""
        kind = self.random.random()
        sample = self.random.choice(samples)
        if kind < 0.45:
            return dumped(self.value(sample))
        if kind < 0.9:
            return self.bytes([dumped(self.value(sample) if kind < 0.6 else sample)])
        return dumped(self.random.choice(VALUES)) if kind < 0.95 else self.noise()

    def bytes(self, samples: list[bytes]) -> bytes:
        """One of these with up to four places changed."""
        data = self.random.choice(samples)
        for _change in range(self.random.randint(1, 4)):
            begin = self.random.randint(0, len(data))
            end = min(len(data), begin + self.random.choice([0, 0, 1, 1, 2, 4, 8, 40]))
            middle = self.random.choice([
                b"", self.random.choice(_TOKENS), bytes([self.random.randrange(256)]), data[begin:end] * 2, data[:self.random.randint(0, len(data))][-20:]])
            data = data[:begin] if self.random.random() < 0.04 else data[:begin] + middle + data[end:]
        return data

    def noise(self) -> bytes:
        return self.random.randbytes(self.random.randint(0, 60))

    def value(self, sample):
        """A copy with up to three nodes replaced, removed, doubled or renamed."""
        found = copy.deepcopy(sample)
        for _change in range(self.random.randint(0, 3)):
            found = self._changed(found)
        return found

    def _changed(self, value, depth: int = 0):
        pick = self.random
        if not isinstance(value, (dict, list)) or not value or pick.random() < 0.1 + 0.05 * depth:
            return copy.deepcopy(pick.choice(VALUES))
        if isinstance(value, list):
            place = pick.randrange(len(value))
            how = pick.random()
            if how < 0.7:
                value[place] = self._changed(value[place], depth + 1)
            elif how < 0.85:
                del value[place]
            else:
                value.append(copy.deepcopy(value[place]))
            return value
        name = pick.choice(sorted(value, key=repr))
        how = pick.random()
        if how < 0.7:
            value[name] = self._changed(value[name], depth + 1)
        elif how < 0.8:
            del value[name]
        elif how < 0.9:
            value[pick.choice(NAMES)] = value.pop(name)
        else:
            value[pick.choice(NAMES)] = copy.deepcopy(pick.choice(VALUES))
        return value


def dumped(value) -> bytes:
    """JSON with what JSON has not: NaN, infinity, halves of surrogate pairs."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
