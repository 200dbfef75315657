# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The test connectors, a source and a sink: compiled once into the cache, for all worker versions."""

import hashlib
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

from stack import jars
from stack.errors import StackError
from stack.locks import file_lock
from stack.paths import PACKAGE, cache_dir
from stack.prerequisites import program

_SOURCES = PACKAGE / "connector" / "src"
#: entry of the archive -> the class that it names
_SERVICES = {f"META-INF/services/org.apache.kafka.connect.{kind.lower()}.{kind}Connector": f"streamops.test.Shaped{kind}Connector"
             for kind in ("Source", "Sink")}


def plugin_dir() -> Path:
    """The folder for plugin.path that holds the connector, or will hold it."""
    digest = hashlib.sha256(jars.API_VERSION.encode())
    for source in _sources():
        digest.update(source.read_bytes())
    return cache_dir() / "connector" / digest.hexdigest()[:12]


def is_built() -> bool:
    return _jar(plugin_dir()).is_file()


def ensure_connector() -> Path:
    """Build the connector if it is not there yet; returns the folder for plugin.path."""
    folder = plugin_dir()
    if is_built():
        return folder
    api = jars.ensure_connector_api()
    with file_lock(folder.with_suffix(".lock")):
        if not is_built():
            _jar(folder).parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as work:
                _compile(api, Path(work) / "classes")
                _pack(Path(work) / "classes", Path(work) / "connector.jar")
                shutil.move(Path(work) / "connector.jar", _jar(folder))
    return folder


def _sources() -> list[Path]:
    return sorted(_SOURCES.rglob("*.java"))


def _jar(folder: Path) -> Path:
    return folder / "shaped-source" / "shaped-source.jar"


def _compile(api: jars.Jars, classes: Path) -> None:
    command = [program("javac"), "--release", "11", "-Xlint:all", "-Xlint:-options", "-Xlint:-classfile"]
    command += ["-cp", f"{api.libs}/*", "-d", str(classes), *map(str, _sources())]
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        raise StackError(f"The test connector does not compile:\n{result.stdout}{result.stderr}")


def _pack(classes: Path, target: Path) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        # Workers with plugin.discovery=service_load find the connectors by these entries alone.
        for entry, name in _SERVICES.items():
            archive.writestr(entry, f"{name}\n")
        for path in sorted(classes.rglob("*.class")):
            archive.write(path, path.relative_to(classes))
