# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import stat

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._change import backups


def no_link(*_paths):
    """As on CIFS, exFAT and some FUSE file systems."""
    raise PermissionError(1, "Operation not permitted")


@pytest.fixture(autouse=True, params=[os.link, no_link])
def file_system(request, monkeypatch):
    monkeypatch.setattr(os, "link", request.param)


def test_a_new_file_is_whole_private_and_alone(tmp_path):
    backups.write_file(str(tmp_path / "b.json"), "é\n", replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["b.json"]
    assert (tmp_path / "b.json").read_bytes() == b"\xc3\xa9\n" and stat.S_IMODE((tmp_path / "b.json").stat().st_mode) == 0o600


def test_a_file_that_is_there_stays_as_it_is(tmp_path):
    (tmp_path / "b.json").write_text("old")
    with pytest.raises(FileExistsError):
        backups.write_file(str(tmp_path / "b.json"), "new", replace=False)
    assert (tmp_path / "b.json").read_text() == "old" and len(list(tmp_path.iterdir())) == 1
    backups.write_file(str(tmp_path / "b.json"), "new", replace=True)
    assert (tmp_path / "b.json").read_text() == "new"


def test_a_name_that_could_not_be_given_is_free_again(tmp_path, monkeypatch):
    """Or every later run would be refused because of an empty backup."""
    def replace(*_paths):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "link", no_link)
    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(OSError, match="Input/output error"):
        backups.write_file(str(tmp_path / "b.json"), "new", replace=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("connector, begin", [
    ("orders", "orders-2"), ("a/b c", "a%2Fb c-2"), ("c" * 249, "c" * 100 + "-2"), ("受注" * 13, "%E5%8F%97%E6%B3%A8" * 5 + "%E5%8F%97%-2")])
def test_the_name_fits_into_a_folder_whatever_the_connector_is_called(tmp_path, monkeypatch, connector, begin):
    monkeypatch.setattr(backups, "DEFAULT_FOLDER", str(tmp_path / "backups"))
    path = backups.default_path(connector)
    assert os.path.basename(path).startswith(begin) and len(os.path.basename(path).encode()) < 150
    os.mkdir(os.path.dirname(path))
    backups.write_file(path, "{}", replace=False)
    assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
