# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file of the repository is text: a wheel, a jar or an archive that came in by chance would be in every release."""

import subprocess
import sys


def problems() -> list[str]:
    done = subprocess.run(["git", "ls-files", "--eol"], check=True, capture_output=True, text=True)
    return [f"not text: {line.split(maxsplit=3)[-1]}" for line in done.stdout.splitlines() if line.startswith("i/-text")]


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or None)
