# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the job says when it cannot do its work."""

from __future__ import annotations

import re

_TRACE = re.compile(r"\s+at (?:[\w$]+\.)+[\w$<>]+\(")
_CLASSES = re.compile(r"^(?:(?:[a-z_]\w*\.)+[A-Z][\w$]*: )+")


class JobError(Exception):
    """One readable line for a person; the job ends with status 1."""


class ExpectationError(JobError):
    """The expectation document is wrong; the line begins with the path of what is wrong."""

    def __init__(self, path: str, text: str) -> None:
        super().__init__(f"expectation document: {path}: {text}" if path else f"expectation document: {text}")
        self.path = path


def root_cause(error: BaseException) -> str:
    """The innermost message of an error that came out of the JVM, on one line."""
    java = getattr(error, "java_exception", None)
    if java is None:
        origin = getattr(error, "_origin", None)
        java = getattr(origin, "java_exception", None) or origin
    text = ""
    # What a KDC refuses is said by the KrbException; its cause is about the bytes of the answer.
    while java is not None and java.getClass().getSimpleName() != "Asn1Exception":
        # Some of Java's messages hold those of their causes, with class names and stack traces.
        message = _CLASSES.sub("", _TRACE.split(str(java.getMessage()), maxsplit=1)[0])
        text = f"{java.getClass().getSimpleName()}: {message}"
        java = java.getCause()
    text = text or f"{type(error).__name__}: {error}"
    return " ".join(text.split())[:600]
