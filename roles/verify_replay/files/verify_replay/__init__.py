# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prove what a change of offsets did to the data. README.md, one folder up, says what goes in and what comes out."""

from __future__ import annotations

#: of the job; the report says it
VERSION = "1.0.0"
