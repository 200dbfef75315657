# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _volumes

#: of a container that podman runs for AWX, with the paths /exports and "/my exports" exposed
MOUNTS = """\
700 600 0:50 / / rw,relatime - overlay overlay rw,lowerdir=x
701 700 0:51 / /proc rw,nosuid - proc proc rw
702 700 0:52 / /dev/shm rw - tmpfs shm rw
703 700 8:1 /tmp/awx_7 /runner rw,relatime shared:1 - ext4 /dev/sda1 rw
704 700 8:1 /srv/exports /exports rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw
705 700 8:1 /srv/more /my\\040exports rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(("path", "lasts"), [
    ("/exports", True), ("/exports/eu/a", True), ("/my exports/a", True), ("/exportsmore", False), ("/", False), ("/tmp/a", False), ("/dev/shm/a", False),
    ("/runner", False), ("/runner/project/a", False)])
def test_what_outlives_a_job(path, lasts):
    assert _volumes.lasts(path, MOUNTS, "/runner/project") is lasts


def test_a_job_without_a_container():
    assert not _volumes.lasts("/home/awx/exports", "30 1 8:1 / / rw - ext4 /dev/sda1 rw\n", "/home/awx/project")
    assert not _volumes.lasts("/home/awx/exports", "", "/home/awx/project")


def test_outside_of_awx_everything_is_as_it_is(monkeypatch):
    monkeypatch.delenv("AWX_HOST", raising=False)
    assert _volumes.vanishing("/tmp") == ""


def test_what_is_said(monkeypatch):
    monkeypatch.setenv("AWX_HOST", "https://awx.example.com")
    assert _volumes.vanishing("") == ""
    assert _volumes.vanishing("/no-volume/exports") == (
        "/no-volume/exports is on the disk of this job, which AWX removes when the job ends. Give a folder on a volume that outlives it: Settings, Jobs, "
        "Paths to expose to isolated jobs.")
