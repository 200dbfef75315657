# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _diffs

DIFF = {"before_header": "a (offsets)", "after_header": "a (offsets)", "before": {"p": {"n": 4}}, "after": {"p": {"n": 1}},
        "prepared": "a (moves)\np: backward by 3\n"}


def test_the_diffs_of_several_clusters():
    assert _diffs.lines({"eu": [DIFF], "us": [], "xx": None}) == [
        "--- before: eu, a (offsets)", "+++ after: eu, a (offsets)", "@@ -1,5 +1,5 @@", " {", '     "p": {', '-        "n": 4', '+        "n": 1', "     }",
        " }", "a (moves)", "p: backward by 3", ""]
    assert _diffs.lines({"eu": []}) == []


def test_the_diff_of_a_text():
    assert _diffs.lines({"eu": [{"before": "a\n", "after": "b\n"}]})[-3:] == ["-a", "+b", ""]


def test_a_long_one_is_cut():
    found = _diffs.lines({"eu": [{"before": {}, "after": {str(number): number for number in range(300)}}]})
    assert len(found) == 202 and found[200].endswith("more") and found[201] == ""
