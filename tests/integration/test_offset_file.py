# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The codecs of a standalone worker's files against the class that reads and writes them, Kafka's FileOffsetBackingStore. No stack."""

from __future__ import annotations

import base64
import os
import random
import tempfile
from pathlib import Path

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs import java_map
from ansible_collections.streamops.kafka_connect.plugins.module_utils._codecs.java_properties import properties

from stack import java

SOURCE = Path(__file__).parents[1] / "java" / "streamops" / "test" / "OffsetFiles.java"
SEED = int(os.environ.get("STREAMOPS_CODECS_SEED", "875"))


def asked(*lines: str) -> list[str]:
    """Java's answers."""
    ran = java.run_tool(str(SOURCE), stdin="".join(f"{line}\n" for line in lines))
    assert ran.returncode == 0, ran.stderr
    answers = ran.stdout.splitlines()
    assert len(answers) == len(lines), ran
    return answers


def word(data: bytes | None) -> str:
    return "-" if data is None else "=" + base64.b64encode(data).decode()


def words(entries) -> str:
    return " ".join(sorted(f"{word(key)}:{word(value)}" for key, value in entries))


def maps(noise: random.Random) -> list[dict]:
    def some() -> dict:
        return {b'["c",{"f":"%s"}]' % noise.randbytes(noise.choice([0, 1, 5, 300])).hex().encode():
                noise.choice([None, noise.randbytes(noise.choice([0, 3, 70_000]))])
                for _number in range(noise.choice([1, 2, 12, 13, 25, 100]))}
    return [{}, {b'["c",{}]': None}, *(some() for _number in range(30))]


@pytest.fixture(scope="module")
def samples() -> list[dict]:
    return maps(random.Random(SEED))


def test_we_read_what_a_worker_wrote_and_write_the_same(samples, tmp_path):
    paths = [tmp_path / str(number) for number in range(len(samples))]
    asked(*(f"write {path} {words(sample.items())}".strip() for path, sample in zip(paths, samples, strict=True)))
    for path, sample in zip(paths, samples, strict=True):
        data = path.read_bytes()
        found = java_map.decode(data)
        assert dict(found.entries) == sample
        assert java_map.encode(found) == data
        anew = java_map.decode(java_map.encode(java_map.empty()._replace(entries=found.entries)))
        assert anew.buckets == found.buckets and anew.threshold == found.threshold, "as much room as Java takes"


def test_a_worker_reads_what_we_wrote(samples, tmp_path):
    for number, sample in enumerate(samples):
        (tmp_path / str(number)).write_bytes(java_map.encode(java_map.empty()._replace(entries=list(sample.items()))))
    answers = asked(*(f"read {tmp_path / str(number)}" for number in range(len(samples))))
    assert answers == [words(sample.items()) for sample in samples]


def test_grown_and_shrunk_by_us(tmp_path):
    """With the room of a file that Java made before."""
    path, entries = tmp_path / "offsets", [(b'["c",{"f":%d}]' % number, b"v") for number in range(10)]
    asked(f"write {path} {words(entries)}")
    lines, wanted = [], []
    for count in (0, 5, 12, 13, 200, 10_000):
        target = tmp_path / str(count)
        more = [(b'["c",{"f":%d}]' % number, b"w") for number in range(count)]
        target.write_bytes(java_map.encode(java_map.decode(path.read_bytes())._replace(entries=more)))
        lines.append(f"read {target}")
        wanted.append(words(more))
    assert asked(*lines) == wanted


def test_a_cut_file_is_no_offsets_for_a_worker_and_an_error_for_us(tmp_path):
    """It starts as if there was none, and would write over it."""
    whole = java_map.encode(java_map.empty()._replace(entries=[(b'["c",{}]', b"value"), (b'["d",{}]', None)]))
    lines = []
    for length in range(1, len(whole)):
        (tmp_path / str(length)).write_bytes(whole[:length])
        lines.append(f"read {tmp_path / str(length)}")
        with pytest.raises(ValueError):
            java_map.decode(whole[:length])
    assert set(asked(*lines)[:-1]) <= {"", "error"}


PIECES = ["a", "b.c", "=", ":", " ", "\t", "\f", "\\", "\\\\", "\n", "\r", "\r\n", "#", "!", "\\u00e9", "\\u0041", "\\n", "\\t", "\xe9",
          "\\=", "\\:", "\\ ", "\\#", "key=value\n", "\\\n", "\\\r\n", "  "]


def test_properties_as_java_reads_them():
    noise = random.Random(SEED)
    texts = ["".join(noise.choices(PIECES, k=noise.randint(0, 14))) for _number in range(3000)]
    # A continuation without a line that follows is an empty key for Java.
    texts = [text for text in texts if not text.rstrip().endswith("\\")]
    answers = asked(*(f"properties {word(text.encode('latin-1'))}" for text in texts))
    for text, answer in zip(texts, answers, strict=True):
        pairs = [(key.encode("utf-16-be"), value.encode("utf-16-be")) for key, value in properties(text).items()]
        assert words(pairs) == answer, repr(text)


def test_the_judge_can_say_no():
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"{}" * 100)
        file.flush()
        assert asked(f"read {file.name}") == ["error"]
