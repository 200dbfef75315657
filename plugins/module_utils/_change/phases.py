# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The phases of a change, and how a connector came to stand still for it."""

from __future__ import annotations

#: the phase that is due, in order
PREPARE, BEGIN, STOP, WRITE, RESTORE_STATE, FINAL_STATE, WATCH, ROLL_BACK, END = (
    "prepare", "begin", "stop", "write", "restore_state", "final_state", "watch", "roll_back", "end")

#: HALTED: it was stopped already. TRIED: it has no tasks, though it is not known to be stopped: the write comes first, and the stop if Connect refuses
HALTED, TRIED = "halted", "tried"
