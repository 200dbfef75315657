# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Progress of a job that logs to a file of this machine, in the output of a run that otherwise waits in silence."""

from __future__ import annotations

import contextlib
import glob
import threading
import time

#: seconds between two looks at the log
_LOOK = 1.0
#: seconds between two lines: the first ones come quickly, those of a long job do not fill the terminal
_LEAST, _MOST, _SHARE = 5.0, 60.0, 0.05


@contextlib.contextmanager
def following(pattern: str, marks, say):
    """While it lasts, the newest line of the log that marks (a compiled expression) matches is said. pattern: of glob, for a file that comes to be."""
    done = threading.Event()
    thread = threading.Thread(target=_follow, args=(pattern, marks, say, done), daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(5)


def pause(elapsed: float) -> float:
    """Seconds from one line to the next after so many seconds."""
    return max(_LEAST, min(_MOST, _SHARE * elapsed))


def newest(text: str, marks):
    """(the last complete line that matches, or None; what follows the last complete line)"""
    *lines, rest = text.split("\n")
    return next((line for line in reversed(lines) if marks.match(line)), None), rest


def _follow(pattern, marks, say, done) -> None:
    """Ends silently if the log cannot be read: the job does not depend on it."""
    began = shown = time.monotonic()
    rest, line, log = "", None, None
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        while not done.wait(_LOOK):
            if log is None:
                found = glob.glob(pattern)
                log = stack.enter_context(open(found[0], encoding="utf-8", errors="replace")) if found else None
            if log is not None:
                last, rest = newest(rest + log.read(), marks)
                line, now = last or line, time.monotonic()
                if line and now - shown >= pause(now - began):
                    say(line)
                    line, shown = None, now
