# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The execution environment of extensions/ee: its build context, and with podman an image of it, on a Debian that is made here."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.awx.data import ROOT, tool
from tests.verify.jars import spark_jars

EE = ROOT / "extensions" / "ee"
BASE = "localhost/streamops-ee-base:bookworm"
_PYTHON = "/opt/ansible/bin"
_CONTAINERS = """\
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""


def context(folder: Path, jars: list[str]) -> Path:
    """The build context, made as README.md beside the definition says."""
    shutil.copytree(EE, folder / "ee", ignore=shutil.ignore_patterns("jars", "context", "*.tar.gz"))
    tool("ansible-galaxy", "collection", "build", "--output-path", str(folder / "ee"))
    (folder / "ee" / "jars").mkdir()
    for jar in jars:
        shutil.copy(jar, folder / "ee" / "jars")
    tool("ansible-builder", "create", "-f", "execution-environment.yml", "-c", str(folder / "context"),
         "--output-filename", "Containerfile", folder=folder / "ee")  # without podman its name is that of docker
    return folder / "context"


class Podman:
    """podman as it can run here: with runc and without rights to raise limits."""

    def __init__(self, folder: Path) -> None:
        config = folder / "containers.conf"
        config.write_text(_CONTAINERS)
        self.environment = {"CONTAINERS_CONF": str(config)}

    def __call__(self, *arguments: str, stdin: object = subprocess.DEVNULL) -> subprocess.CompletedProcess:
        env = {**os.environ, **self.environment}
        return subprocess.run(["podman", *arguments], env=env, text=True, capture_output=True, check=False, stdin=stdin)

    def missing(self) -> str:
        """Why no image can be made here; empty if one can."""
        for program in ("podman", "runc", "debootstrap"):
            if not shutil.which(program):
                return f"there is no {program}"
        if os.geteuid():
            return "debootstrap needs root"
        done = self("info")
        return "" if done.returncode == 0 else f"podman does not start: {done.stderr.strip()}"

    def base(self, folder: Path) -> None:
        """A Debian with Java and a Python of its own, in place of an image that would be fetched."""
        if self("image", "exists", BASE).returncode == 0:
            return
        root = folder / "root"
        packages = "python3,python3-venv,openjdk-17-jre-headless,ca-certificates"
        for command in (["debootstrap", "--variant=minbase", f"--include={packages}", "bookworm", str(root)],
                        ["chroot", str(root), "python3", "-m", "venv", "/opt/ansible"]):
            done = subprocess.run(command, text=True, capture_output=True, check=False)
            assert done.returncode == 0, done.stdout[-2000:] + done.stderr
        with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
            path = f"{_PYTHON}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            done = self("import", "--change", f"ENV PATH={path}", "-", BASE, stdin=tar.stdout)
        assert done.returncode == 0, done.stderr
        shutil.rmtree(root)

    def image(self, folder: Path) -> str:
        """Name of the image, built if what goes into it is new."""
        made = context(folder, spark_jars().split(","))
        files = sorted(path for path in made.rglob("*") if path.is_file() and path.suffix != ".gz")
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in files) + b"".join(
            (ROOT / name).read_bytes() for name in ("meta/ee-requirements.txt", "meta/ee-bindep.txt"))).hexdigest()[:12]
        name = f"localhost/streamops-ee:{digest}"
        if self("image", "exists", name).returncode:
            self.base(folder)
            arguments = {"EE_BASE_IMAGE": BASE, "PKGMGR": "/usr/bin/apt-get", "PYCMD": f"{_PYTHON}/python3", "PYPKG": "python3"}
            mounts = [path for path in ("/etc/ssl/certs", "/etc/pip.conf") if Path(path).exists()]
            done = self("build", "--network=host", "-t", name, "-f", "Containerfile",
                        *(word for key, value in arguments.items() for word in ("--build-arg", f"{key}={value}")),
                        *(word for path in mounts for word in ("--volume", f"{path}:{path}:ro")), str(made))
            assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
        return name
