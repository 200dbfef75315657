# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What others could see of a run while it lasts."""

from __future__ import annotations

import stat
import threading
from pathlib import Path


class Watch:
    """Looks for secrets in arguments and environments of all processes, and at the modes of the job's private files, ten times a second."""

    def __init__(self, secrets: list[str], folder: Path) -> None:
        """folder: for temporary files."""
        self.found, self.modes, self.rounds = set(), set(), 0
        self._secrets, self._folder = [secret.encode() for secret in secrets], folder
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_error) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self.rounds += 1
            for path in [*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")]:
                try:
                    content = path.read_bytes()
                except OSError:
                    continue
                self.found.update((str(path), content) for secret in self._secrets if secret in content)
            for folder in self._folder.glob("verify_replay.*"):
                try:
                    self.modes |= {(path.name if path != folder else "folder", oct(stat.S_IMODE(path.stat().st_mode)))
                                   for path in (folder, *folder.glob("job.conf"), *folder.glob("keystore.pem"), *folder.glob("token"))}
                except OSError:
                    pass
