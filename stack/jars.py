# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jars of Kafka and of connectors, resolved by Maven into the cache."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stack.errors import StackError
from stack.locks import file_lock
from stack.paths import PACKAGE, cache_dir
from stack.prerequisites import program

BROKER_VERSION = "4.3.1"
API_VERSION = "3.4.1"
# Connectors that a cluster can be given; each is a profile of the pom, here with the version.
PLUGINS = {"debezium-postgres": "3.6.1.Final", "debezium-mariadb": "3.5.0.Final", "debezium-jdbc": "3.6.0.Final"}
_POM = PACKAGE / "pom.xml"
_MARKER = "complete"
# Part of the digest: raise it when what is made of the resolved jars changes.
_LAYOUT = "1"
# As in a Kafka release, these are off the worker's class path and found through plugin.path.
_OFF_CLASS_PATH = ("connect-file", "connect-mirror")
_MIRROR_VERSIONS = {"3.5.2": "3.5.1"}


@dataclass(frozen=True)
class Jars:
    """The jars of one version: a folder for the class path and one for plugin.path."""

    root: Path

    @property
    def libs(self) -> Path:
        return self.root / "libs"

    @property
    def plugins(self) -> Path:
        return self.root / "plugins"

    @property
    def complete(self) -> bool:
        return (self.root / _MARKER).is_file()


def kafka(version: str) -> Jars:
    """Where the jars of a Kafka version are, or will be."""
    return _place(version, f"kafka{version.partition('.')[0]}")


def plugin(name: str) -> Jars:
    """Where the jars of one of PLUGINS are, or will be; its root is for plugin.path. StackError if there is no such plugin."""
    return _place(_plugin_version(name), name)


def connector_api() -> Jars:
    """Where the jars that the test connector is compiled against are, or will be."""
    return _place(API_VERSION, "connector-api")


def ensure_kafka(version: str) -> Jars:
    """The jars of a Kafka version, resolved if they are not there yet."""
    return _ensure(version, f"kafka{version.partition('.')[0]}")


def ensure_plugin(name: str) -> Jars:
    """The jars of one of PLUGINS, resolved if they are not there yet."""
    return _ensure(_plugin_version(name), name)


def ensure_connector_api() -> Jars:
    return _ensure(API_VERSION, "connector-api")


def _plugin_version(name: str) -> str:
    if name not in PLUGINS:
        raise StackError(f"there is no plugin {name}; there are: {', '.join(PLUGINS)}")
    return PLUGINS[name]


def _place(version: str, profile: str) -> Jars:
    # The digest is part of the path, so a changed pom never removes jars that a running stack has open.
    digest = hashlib.sha256(_POM.read_bytes() + _LAYOUT.encode()).hexdigest()[:12]
    return Jars(cache_dir() / "jars" / version / f"{profile}-{digest}")


def _ensure(version: str, profile: str) -> Jars:
    jars = _place(version, profile)
    if jars.complete:
        return jars
    with file_lock(jars.root.with_suffix(".lock")):
        if not jars.complete:
            for leftover in jars.root.parent.glob(f"{jars.root.name}.partial-*"):
                shutil.rmtree(leftover, ignore_errors=True)
            shutil.rmtree(jars.root, ignore_errors=True)
            # A folder of its own: the Maven of an earlier run that was killed may still be writing.
            partial = Jars(Path(tempfile.mkdtemp(prefix=f"{jars.root.name}.partial-", dir=jars.root.parent)))
            _resolve(version, profile, partial)
            if profile not in PLUGINS:
                _move_plugins(partial)
            (partial.root / _MARKER).touch()
            partial.root.rename(jars.root)
    return jars


def _resolve(version: str, profile: str, jars: Jars) -> None:
    copy_dependencies(_POM, [f"--activate-profiles={profile}", *_versions(version, profile)], jars.libs, f"{profile} {version}")


def copy_dependencies(pom: Path, words: list[str], folder: Path, what: str) -> None:
    """Copy the jars that a pom asks for to the folder; words: more of Maven's command line. StackError, with what as their name."""
    command = [
        program("mvn"),
        "--batch-mode",
        "--quiet",
        # A failed look-up is otherwise remembered for a day.
        "--update-snapshots",
        "-Dstyle.color=never",
        f"--file={pom}",
        *words,
        "-DincludeScope=runtime",
        f"-DoutputDirectory={folder}",
        "dependency:copy-dependencies",
    ]
    environment = {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", **os.environ}
    result = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
    if result.returncode:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        raise StackError("\n".join([f"Maven could not resolve {what}:", *lines[:15]]))


def _versions(version: str, profile: str) -> list[str]:
    if profile in PLUGINS:
        return [f"-Dplugin.version={version}"]
    return [f"-Dkafka.version={version}", f"-Dmirror.version={_MIRROR_VERSIONS.get(version, version)}"]


def _move_plugins(jars: Jars) -> None:
    for name in _OFF_CLASS_PATH:
        folder = jars.plugins / name
        folder.mkdir(parents=True)
        for jar in jars.libs.glob(f"{name}-*.jar"):
            jar.rename(folder / jar.name)
