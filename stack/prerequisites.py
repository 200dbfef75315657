# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that the stack needs and does not bring."""

import os
import shutil

from stack.errors import StackError

INSTALL = "apt-get install -y default-jdk-headless maven"


def program(name: str) -> str:
    """The path of java, javac, mvn or openssl; StackError with the line to type if it is missing."""
    home = os.environ.get("JAVA_HOME")
    if home and name in ("java", "javac"):
        candidate = os.path.join(home, "bin", name)
        if os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which(name)
    if not found and name == "openssl":
        raise StackError("openssl is missing (needed for a secured listener). Type: apt-get install -y openssl")
    if not found:
        raise StackError(f"{name} is missing (Java 17 or later and Maven are needed). Type: {INSTALL}")
    return found


def check(*names: str) -> None:
    for name in names:
        program(name)
