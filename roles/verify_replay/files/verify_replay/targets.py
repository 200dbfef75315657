# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where data arrives: the entries `tables` and `registries` of the expectation document. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from verify_replay.errors import ExpectationError
from verify_replay.parameters import mapping, text

JDBC = "jdbc"
#: formats whose tables are files under a path; the others are asked for a table by its catalogue name, or for a path
FILES = ("parquet", "avro", "orc", "json", "csv", "text")
LAKES = ("iceberg", "delta")
#: as the S3, GCS, Azure and HDFS sinks of Confluent name files: topic+partition+first offset, and HDFS the last one, too
FILE_NAME = r"(?P<topic>[^+/]+)\+(?P<partition>\d+)\+(?P<start>\d+)(?:\+(?P<end>\d+))?\.[^/]*"
# The document is kept and shown; what these name belongs into Spark properties. A reference such as ${file:...} is no secret.
# The modules of the collection have the same pattern; sas: a shared access signature, not sasl.
SECRET = re.compile(
    "(?i)secret|password|passwd|token(?![._]endpoint)|(access|account|private)[._]?key|(?<![a-z])sas(?![a-z])|jaas|keystore[.]key|credential"
)
_REGISTRY = ("url", "username", "ca_path", "cert_path", "key_path")


@dataclass(frozen=True)
class Target:
    """A table of the document. options: of Spark's source; table: its name in JDBC or in a catalogue, or path: of files."""

    name: str
    format: str
    options: dict[str, str] = field(default_factory=dict)
    table: str | None = None
    path: str | None = None
    #: columns and types as Spark's DDL; None: as the files say, or as Spark infers it
    schema: str | None = None
    #: names of files hold topic, partition and offsets; None: they are not looked at
    file_name: re.Pattern | None = None

    @property
    def place(self) -> str:
        """What people call it."""
        return self.path or self.table or self.name


def options(entry: dict[str, Any], path: str, hint: str) -> dict[str, str]:
    """Texts of what an entry gives. hint: the Spark property under which secrets may be given."""
    found = {}
    for name, value in entry.items():
        if isinstance(value, bool):
            value = str(value).lower()
        if not isinstance(value, str | int | float):
            raise ExpectationError(f"{path}.{name}", "must be a text or a number")
        if SECRET.search(name) and not str(value).startswith("${"):
            raise ExpectationError(
                f"{path}.{name}", f"a secret must not stand in the document; give it as the Spark property {hint}.{name}"
            )
        found[name] = str(value)
    return found


def target(name: str, entry: Any, path: str) -> Target:
    """A table of the document; ExpectationError says what is wrong."""
    kind = mapping(entry, path).get("format", JDBC)
    if kind == JDBC:
        return _jdbc(name, {key: value for key, value in entry.items() if key != "format"}, path)
    if kind not in FILES + LAKES:
        raise ExpectationError(f"{path}.format", f"must be one of {', '.join((JDBC, *FILES, *LAKES))}, not {kind!r}")
    known = ("format", "path", "schema", "options", *(("file_name",) if kind in FILES else ("table",)))
    for key in entry:
        if key not in known:
            raise ExpectationError(f"{path}.{key}", f"is not known to the format {kind}; {', '.join(known)} are")
    given = {key: text(entry[key], f"{path}.{key}") for key in ("path", "table", "schema") if entry.get(key) is not None}
    if "path" not in given and "table" not in given:
        raise ExpectationError(path, "needs a path" if kind in FILES else "needs a table (its name in a catalogue) or a path")
    if {"path", "table"} <= set(given):
        raise ExpectationError(path, "has both a table and a path")
    more = options(mapping(entry.get("options") or {}, f"{path}.options"), f"{path}.options", "spark.hadoop")
    return Target(name, kind, more, file_name=_file_name(entry, path) if kind in FILES else None, **given)


def _jdbc(name: str, entry: dict[str, Any], path: str) -> Target:
    found = options(entry, path, f"spark.verify_replay.jdbc.{name}")
    if not text(found.get("url"), f"{path}.url").startswith("jdbc:"):
        raise ExpectationError(f"{path}.url", "must begin with jdbc:")
    if re.search(r"[?&;](password|sslpassword)=", found["url"], re.IGNORECASE):
        raise ExpectationError(f"{path}.url", "a password must not stand in the document")
    return Target(name, JDBC, found, table=text(found.get("table"), f"{path}.table"))


def _file_name(entry: dict[str, Any], path: str) -> re.Pattern | None:
    """false: names say nothing."""
    given = entry.get("file_name")
    if given is False:
        return None
    if given is None or given is True:
        return re.compile(FILE_NAME)
    try:
        found = re.compile(text(given, f"{path}.file_name"))
    except re.error as error:
        raise ExpectationError(f"{path}.file_name", f"is no regular expression: {error}") from error
    missing = [group for group in ("topic", "partition", "start") if group not in found.groupindex]
    if missing:
        raise ExpectationError(f"{path}.file_name", f"lacks the group (?P<{missing[0]}>...)")
    return found


def registry(name: str, entry: Any, path: str) -> dict[str, str]:
    """A schema registry of the document: url, and how to reach it. Secrets are Spark properties."""
    found = options(mapping(entry, path), path, f"spark.verify_replay.registry.{name}")
    for key in found:
        if key not in _REGISTRY:
            raise ExpectationError(f"{path}.{key}", f"is not known to a registry; {', '.join(_REGISTRY)} are")
    if not re.fullmatch(r"https?://[^/?#@\s]+(/[^?#\s]*)?", text(found.get("url"), f"{path}.url")):
        raise ExpectationError(f"{path}.url", "must be an http or https URL without login, query and fragment")
    if "key_path" in found and "cert_path" not in found:
        raise ExpectationError(f"{path}.key_path", "needs cert_path")
    return found
