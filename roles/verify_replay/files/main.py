# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spark-submit main.py EXPECTATION.json REPORT.json REPORT.html"""

from __future__ import annotations

import sys

from verify_replay.job import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
