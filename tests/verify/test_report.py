# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Report and page: verdicts, exit status, limits; what the page shows and what it must never do."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from verify_replay import overview
from verify_replay import report as reports
from verify_replay.errors import JobError
from verify_replay.html import page

EVIL = "<script src='https://evil.example/x.js'></script>\"'&"


def example(**changes) -> dict:
    part = {
        "start": 100,
        "boundary": 300,
        "end": 450,
        "log_start": 150,
        "log_end": 460,
        "before": 140,
        "after": 148,
        "bytes": 4096,
        "null_keys": 1,
        "tombstones": 2,
        "first_offset": 150,
        "last_offset": 449,
        "first_time": 0,
        "last_time": 9,
        "holes": 12,
        "gaps": [[200, 210], [350, 351], [352, 353]],
        "unreadable": [{"start": 100, "end": 150, "reason": "no longer in the log"}],
    }
    topic = {
        "cluster": "main",
        "cluster_id": "id",
        "topic": "shop.orders",
        "compacted": False,
        "before": 140,
        "after": 148,
        "bytes": 4096,
        "payloads": {"distinct": 160, "both": 128, "only_before": 12, "only_after": 20, "repeated_before": 0, "repeated_after": 0},
        "times": {"first": 0, "last": 9999, "width_ms": 5000, "before": [140, 0], "after": [0, 148]},
        "gaps_cut": False,
        "partitions": {"0": part},
    }
    checks = [
        {"name": "all again", "type": "replayed", "topic": "orders", "verdict": "fail", "sentence": "128 of 140.", "seconds": 1.0}
        | {"figures": {"missing": 12, "partitions": {"0": {"missing": 12}}}}
        | {"samples": [{"topic": "orders", "partition": 0, "offset": 177, "what": "missing after the boundary"}]},
    ]
    return {**reports.build("c1", checks, {"orders": topic}, {"total": 1.234}, {"spark": "4.2.0"}), **changes}


@pytest.mark.parametrize(
    ("verdicts", "overall"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "cannot_tell"], "cannot_tell"),
        (["cannot_tell", "fail", "pass"], "fail"),
    ],
)
def test_overall(verdicts, overall):
    assert reports.overall(verdicts) == overall


@pytest.mark.parametrize(
    ("verdict", "desired", "status"),
    [
        ("pass", "fail", 0),
        ("fail", "pass", 3),
        ("cannot_tell", "fail", 3),
        ("cannot_tell", "pass", 0),
        ("error", "pass", 1),
    ],
)
def test_exit_status(verdict, desired, status):
    assert reports.exit_status(verdict, desired) == status


def test_gaps_are_limited_but_no_partition_is_forgotten():
    listed, cut = reports.gaps({n: [(i, i + 1) for i in range(0, 4000, 2)] for n in range(10)})
    assert cut and {len(ranges) for ranges in listed.values()} == {100}
    assert reports.gaps({0: [(1, 2)]}) == ({0: [[1, 2]]}, False)


def test_report_that_cannot_be_written(tmp_path):
    with pytest.raises(JobError, match="cannot be written"):
        reports.writable(str(tmp_path / "absent" / "report.json"))
    with pytest.raises(JobError, match="is a folder"):
        reports.writable(str(tmp_path))
    reports.write(reports.writable(str(tmp_path / "r.json")), "x")
    assert [path.name for path in tmp_path.iterdir()] == ["r.json"]


class _Tags(HTMLParser):
    """Tags that are open at the end, and all attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.attributes += attrs


def test_page_is_sound_and_stands_alone():
    tags = _Tags()
    content = page(example())
    tags.feed(content)
    assert tags.open == []
    assert not tags.tags & {"script", "link", "img", "iframe", "object"}
    assert not [name for name, _value in tags.attributes if name in ("src", "href", "xlink:href") or name.startswith("on")]
    assert not re.search(r"https?://|url\(|@import", content)


def test_page_shows_verdict_samples_and_offsets():
    content = page(example())
    assert "The data is not as declared" in content and "128 of 140." in content
    assert "<td>177</td>" in content
    # 350 and 352 touch on the picture of 350 offsets? No: one offset is more than two pixels here.
    assert content.count('<rect class="gap"') == 3
    assert content.count('<rect class="gone"') == 1


def test_samples_are_shown_as_ranges():
    report = example()
    sample = report["checks"][0]["samples"][0]
    report["checks"][0]["samples"] = [{**sample, "offset": offset} for offset in (7, 8, 9, 1200, 5)]
    assert "<td>5, 7\u20139, 1\u202f200</td>" in page(report)
    report["checks"][0]["samples"] = [{**sample, "file": "s3a://b/orders/orders+0+7.parquet", "what": "in two files"}]
    assert "<td>in two files (orders+0+7.parquet)</td>" in page(report)


def test_overview_of_many_connectors():
    verdicts = ("pass", "cannot_tell", "fail", "pass")
    topics = {name: {**example()["topics"]["orders"], "before": at} for at, name in enumerate("abc")}
    checks = [{**example()["checks"][0], "verdict": verdict, "topic": "abcc"[at]} for at, verdict in enumerate(verdicts)]
    named = {"good": [0], "unclear": [1], EVIL: [2, 3]}
    report = reports.build("c1", checks, topics, {}, {}, named)
    assert [(row["name"], row["verdict"], row["failed"], row["before"]) for row in report["connectors"]] == [
        (EVIL, "fail", 1, 2),
        ("unclear", "cannot_tell", 0, 1),
        ("good", "pass", 0, 0),
    ]
    content = page(report)
    assert 'href="#topic-c"' in content and 'id="topic-c"' in content and content.count("<script>") == 1 and EVIL not in content
    assert content.index("cannot tell</span>") < content.index(">good<")
    assert "sortable" not in page({**report, "connectors": report["connectors"][:1]}).partition("</style>")[2]


def test_bars_are_drawn_from_offsets():
    content = page(example())
    boxes = {kind: float(re.search(rf'<rect class="{kind}" x="[^"]+" y="4" width="([^"]+)"', content)[1]) for kind in ("before", "after")}
    assert boxes["before"] / boxes["after"] == pytest.approx(200 / 150, rel=0.01)


def test_everything_is_escaped():
    report = example(change_id=EVIL, error=EVIL)
    report["topics"] = {EVIL: {**report["topics"]["orders"], "topic": EVIL + "2", "cluster": EVIL, "cluster_id": EVIL}}
    report["checks"][0].update({"name": EVIL, "topic": EVIL, "sentence": EVIL, "figures": {EVIL: EVIL, "x": {EVIL: {EVIL: EVIL}}}})
    report["checks"][0]["samples"] = [{"topic": EVIL, "partition": 0, "offset": 1, "what": EVIL, "key": EVIL}]
    report["versions"] = {EVIL: EVIL}
    tags = _Tags()
    tags.feed(page(report))
    assert "script" not in tags.tags and tags.open == []


def test_page_of_a_broken_job():
    content = page(reports.broken("brokers cannot be reached", "c9"))
    assert "could not be done" in content and "brokers cannot be reached" in content and "c9" in content


def test_many_markers_are_few_boxes():
    report = example()
    part = report["topics"]["orders"]["partitions"]["0"]
    part.update({"start": 0, "boundary": 500_000, "end": 1_000_000, "gaps": [[n * 1000, n * 1000 + 1] for n in range(1, 1000)]})
    assert page(report).count('<rect class="gap"') < 1000
    assert len(page(report)) < 200_000


@pytest.fixture
def browse(tmp_path):
    """Chromium with arguments, on a page; what it prints and what it says."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert browser, "Chromium is missing. .ci/prerequisites installs it, or says what to type."

    def run(content: str, *arguments: str):
        target = tmp_path / "report.html"
        target.write_text(content, encoding="utf-8")
        # Without a sandbox for root; without /dev/shm, as it is small in containers.
        command = [browser, "--headless", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
        command += [*arguments, "--enable-logging=stderr", target.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


def test_renders_in_a_browser(browse, tmp_path):
    picture = tmp_path / "report.png"
    done = browse(page(example()), "--window-size=1100,1200", f"--screenshot={picture}")
    assert picture.stat().st_size > 10_000
    assert "CONSOLE" not in done.stderr


def test_overview_is_sorted_by_a_click(browse, monkeypatch):
    topics = {name: {**example()["topics"]["orders"], "before": before} for name, before in (("a", 9), ("b", 100), ("c", 20))}
    checks = [{**example()["checks"][0], "topic": name} for name in topics]
    script = overview.SCRIPT + 'document.querySelectorAll("table.sortable th")[5].click();'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    monkeypatch.setattr(overview, "SCRIPT", script)
    content = page(reports.build("c1", checks, topics, {}, {}, {"one": [0], "two": [1], "three": [2]}))
    # The policy of the page lets no other script run than the one it has been made for.
    for policy, order in ((overview.POLICY, ["one", "two", "three"]), (f"script-src 'sha256-{digest}'", ["one", "three", "two"])):
        found = browse(content.replace(overview.POLICY, policy), "--dump-dom").stdout
        assert re.findall('<td class="name" data-sort="(.*?)"', found) == order
