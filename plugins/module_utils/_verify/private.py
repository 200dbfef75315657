# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""A folder for secrets, which is removed in any case, and the signals that would prevent it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import tempfile

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def private_folder():
    """Path of a new folder that only this user can enter. Inside a signal raises Interrupted, so that it is removed then, too."""
    with _signals_raise():
        folder = tempfile.mkdtemp(prefix="verify_replay.")
        try:
            yield folder
        finally:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise ConnectError("The private folder %s, which can hold secrets, cannot be removed: %s. Remove it." % (folder, error)) from error


def write(path: str, content: bytes, mode: int) -> None:
    """A new file, which nobody can read before it has its mode."""
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)


@contextlib.contextmanager
def _signals_raise():
    """Of the first one; what is done then is not interrupted again."""
    handlers = {}

    def stop(number, frame):
        for one in handlers:
            signal.signal(one, signal.SIG_IGN)
        raise Interrupted("The run was interrupted (%s). Spark, if it ran, was ended, and the private files are removed." % signal.Signals(number).name)

    try:
        for number in _SIGNALS:
            if signal.getsignal(number) != signal.SIG_IGN:
                handlers[number] = signal.signal(number, stop)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
