# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import StateError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import reports

NOW = datetime.datetime(2026, 11, 28, 5, 12, 33, 406057)


@pytest.mark.parametrize("pattern, change_id, name", [
    ("eu-{change_id}-{time}", "CHG-1", "eu-CHG-1-20261128T051233.406057Z"),
    ("eu-{change_id}", None, "eu-verify"),
    ("{change_id}", "../../a b/{time}", ".._.._a_b_time_"),
    ("fixed", "CHG-1", "fixed"),
])
def test_names(pattern, change_id, name):
    assert reports.name_of(pattern, change_id, NOW) == name


def test_folders(tmp_path):
    (tmp_path / "file").write_text("")
    reports.check_folder(str(tmp_path / "new" / "er"))
    assert not (tmp_path / "new").exists()
    reports.make_folder(str(tmp_path / "new" / "er"))
    reports.check_folder(str(tmp_path / "new" / "er"))
    for place in ("file", "file/reports"):
        with pytest.raises(StateError, match="cannot be written to: %s is no folder" % (tmp_path / "file")):
            reports.check_folder(str(tmp_path / place))
    with pytest.raises(StateError, match="cannot be made: "):
        reports.make_folder(str(tmp_path / "file" / "reports"))


def test_a_folder_without_permission(tmp_path, monkeypatch):
    monkeypatch.setattr(reports.os, "access", lambda path, mode: False)  # root may do everything
    with pytest.raises(StateError, match=f"{tmp_path}/r cannot be written to: no permission for {tmp_path}"):
        reports.check_folder(str(tmp_path / "r"))


@pytest.mark.parametrize("log, why", [
    ("INFO a\nverify_replay: ERROR: first\njava.io.IOException: second\nlast\n\n", "java.io.IOException: second"),
    ("one\ntwo\n", "two"),
    ("\n", "no output"),
])
def test_reason(tmp_path, log, why):
    (tmp_path / "log").write_text(log)
    assert reports.reason(str(tmp_path / "log")) == why


def test_what_is_shown():
    report = {"verdict": "fail", "seconds": {"total": 12.5}, "checks": [
        {"verdict": "pass", "name": "a", "sentence": "All there."}, {"verdict": "fail", "name": "b", "sentence": "2 are missing"},
        {"verdict": "cannot_tell", "name": "c", "sentence": "Nothing to check."}]}
    assert reports.summary(report, "/r/p.html") == ["pass: a: All there.", "fail: b: 2 are missing", "cannot_tell: c: Nothing to check.",
                                                    "verdict: fail, after 12.5 s", "page: /r/p.html"]
    assert reports.failures(report, "/r/p.html") == (
        "2 of 3 checks did not pass: [fail] b: 2 are missing. [cannot_tell] c: Nothing to check. More is in /r/p.html")


def test_read(tmp_path):
    (tmp_path / "good").write_text('{"verdict": "pass"}')
    (tmp_path / "half").write_text('{"verdict": ')
    assert reports.read(str(tmp_path / "good")) == {"verdict": "pass"}
    assert reports.read(str(tmp_path / "half")) is None and reports.read(str(tmp_path / "none")) is None
