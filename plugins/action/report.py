# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Shows text as it is, not as JSON, and writes what it is about to files."""

from __future__ import annotations

import os
from urllib.parse import quote

from ansible.plugins.action import ActionBase
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._files import write
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._show import printable, show


class ActionModule(ActionBase):
    """Runs on the machine that runs Ansible."""

    _requires_connection = False

    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        _validation, given = self.validate_argument_spec(argument_spec={
            "text": {"type": "str", "default": ""}, "document": {"type": "raw"}, "file": {"type": "path", "default": ""},
            "documents": {"type": "dict", "default": {}}, "folder": {"type": "path", "default": ""}, "stats": {"type": "dict", "default": {}}})
        text = printable(given["text"])
        show(text)
        files = {}
        if given["file"]:
            files[given["file"]] = given["document"]
        if given["folder"]:
            files.update({os.path.join(given["folder"], quote(name, safe="") + ".json"): one for name, one in given["documents"].items()})
        for path, document in files.items():
            if self._task.check_mode:
                break
            write(path, document)
        # It is no change of what the run is about.
        result = {"changed": False, "text": text, "files": list(files)}
        if given["stats"]:
            # Whole: Ansible would add up the numbers of several hosts.
            result["ansible_stats"] = {"data": given["stats"], "per_host": False, "aggregate": False}
        return result
