# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Documents on the machine that runs Ansible."""

from __future__ import annotations

import json
import os
import tempfile

from ansible.errors import AnsibleActionFail


def write(path: str, document) -> None:
    """As JSON, whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, mode=0o750, exist_ok=True)
        number, name = tempfile.mkstemp(dir=folder)
        try:
            with os.fdopen(number, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=4, sort_keys=True)
                os.fchmod(file.fileno(), 0o640)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise AnsibleActionFail("%s cannot be written: %s" % (path, error.strerror)) from error
