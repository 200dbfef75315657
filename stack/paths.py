# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where things are: the cache outside the checkout, and the files of one stack directory."""

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def cache_dir() -> Path:
    """The cache shared by all stacks of this user: jars, the test connector, the default stack."""
    own = os.environ.get("STREAMOPS_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "streamops-kafka-connect"


def write_private(path: Path, text: str) -> None:
    """Write a file that nobody else may read, also not for a moment."""
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as handle:
        handle.write(text)


def default_dir() -> Path:
    return cache_dir() / "stacks" / "default"


class Layout:
    """The files of one stack."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.state = root / "stack.json"
        self.lock = root / "stack.lock"
        self.conf = root / "conf"
        self.data = root / "data"
        self.logs = root / "logs"
        self.secured = root / "secured"
        self.kubernetes = root / "kubernetes"

    def create(self) -> None:
        for folder in (self.conf, self.data, self.logs):
            folder.mkdir(parents=True, exist_ok=True)
