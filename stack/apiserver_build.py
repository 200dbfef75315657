# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kubernetes' API server: built once into the cache, from the modules that stack/apiserver/go.sum vouches for."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from stack.errors import StackError
from stack.locks import file_lock
from stack.paths import PACKAGE, cache_dir

VERSION = "1.31.4"
_SOURCES = PACKAGE / "apiserver"
# Go's own installer puts it there, and leaves the PATH to its user.
_USUAL = "/usr/local/go/bin"
_LEAST = (1, 22)


def apiserver() -> Path:
    """Where the program is, or will be."""
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.iterdir()):
        digest.update(source.read_bytes())
    return cache_dir() / "kubernetes" / f"{VERSION}-{digest.hexdigest()[:12]}" / "kube-apiserver"


def ensure_apiserver() -> Path:
    """Build it if it is not there yet, which takes about seven minutes on two cores; returns its path."""
    target = apiserver()
    if target.is_file():
        return target
    with file_lock(Path(f"{target.parent}.lock")):
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent) as work:
                _build(Path(work) / target.name)
                os.replace(Path(work) / target.name, target)
    return target


def missing() -> str:
    """Why it can neither be found nor be built here; "" if it can."""
    if apiserver().is_file() or _go():
        return ""
    return f"Go {_LEAST[0]}.{_LEAST[1]} or later is missing (kube-apiserver is built with it): neither on the PATH nor in {_USUAL}"


def _go() -> str:
    """The first Go that is new enough; "" if there is none."""
    found = [shutil.which("go"), shutil.which("go", path=_USUAL)]
    return next((go for go in found if go and _version(go) >= _LEAST), "")


def _version(go: str) -> tuple[int, ...]:
    """Of a program that answers "go1.24.3"; () if it says none."""
    answer = subprocess.run([go, "env", "GOVERSION"], env=_environment(), text=True, capture_output=True, check=False).stdout
    return tuple(map(int, re.findall(r"\d+", answer)[:2]))


def _environment() -> dict[str, str]:
    # A build for this machine alone, by this Go: no other one is fetched, and no C compiler needed.
    return {**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": "", "CGO_ENABLED": "0"}


def _build(target: Path) -> None:
    problem = missing()
    if problem:
        raise StackError(problem)
    package = "k8s.io/component-base/version"
    major, minor, _patch = VERSION.split(".")
    # Without them it calls itself v0.0.0, and clients that look at the version refuse it.
    values = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor}
    flags = " ".join(["-s", "-w", *(f"-X {package}.{name}={value}" for name, value in values.items())])
    command = [_go(), "build", "-mod=readonly", "-buildvcs=false", "-trimpath", f"-ldflags={flags}", "-o", str(target), "."]
    # All cores for minutes: what runs beside it, such as tests, goes first.
    polite = [nice, "-n", "10"] if (nice := shutil.which("nice")) else []
    result = subprocess.run([*polite, *command], cwd=_SOURCES, env=_environment(), text=True, capture_output=True, check=False)
    if result.returncode:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        raise StackError("\n".join([f"kube-apiserver {VERSION} could not be built:", *lines[-15:]]))
