# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Brings the program of the Spark job to the host of the task, and says what only the controller knows; shows progress and verdict as text."""

from __future__ import annotations

import contextlib
import glob
import os
import re
import tempfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

from ansible_collections.streamops.kafka_connect.plugins.action.connector import ActionModule as Connector
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.reports import DEFAULT_FOLDER, TIME, safe
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._follow import following
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._show import printable, show

#: a line of the job's log that says how far it is, and what is shown of it
_PROGRESS = re.compile(r"verify_replay: (\d+ s: .*)")
PROGRAM = Path(__file__).resolve().parents[2] / "roles" / "verify_replay" / "files"


_OPTIONS = ("master", "jars", "packages", "jars_dir", "spark_conf", "driver_memory", "python", "spark_home", "cluster", "jdbc_options",
            "registry_options", "report_dir", "report_url", "fail")


class ActionModule(Connector):
    """The module with its connection, its program, and the host's name for its reports. Its own options have variables, too."""

    variables = dict(client_options="verify_replay_kafka_options", job_timeout="verify_replay_timeout",
                     **{option: "verify_replay_" + option for option in _OPTIONS})

    def run(self, tmp=None, task_vars=None):
        self._take_variables(task_vars)
        args = self._task.args
        is_here = self._connection.transport == "local" and not self._connection.become
        args["program"] = str(PROGRAM) if is_here else self._sent()
        if args.get("report_name") in (None, "", task_vars.get("omit")):
            args["report_name"] = task_vars["inventory_hostname"] + "-{change_id}-{time}"
        if is_here and isinstance(args.get("report_dir"), str) and args["report_dir"]:
            # The module runs in the folder of the playbook, which can be that of a collection.
            args["report_dir"] = os.path.abspath(os.path.expanduser(args["report_dir"]))
        name = args["report_name"]
        with self._progress(task_vars["inventory_hostname"]) if is_here else contextlib.nullcontext():
            result = super().run(tmp, task_vars)
        args["report_name"] = name  # a task with until runs again, at another time
        if result.get("verdict"):
            show(printable("\n".join(result.get("summary") or [])))
        return result

    def _progress(self, host):
        """Shows how far the job is, out of its log. The name of the log is settled here for that, but for the change's id."""
        args = self._task.args
        folder, name = args.get("report_dir") or os.path.expanduser(DEFAULT_FOLDER), args["report_name"]
        if not isinstance(folder, str) or not isinstance(name, str):
            return contextlib.nullcontext()
        args["report_name"] = name = name.replace("{time}", datetime.now(timezone.utc).strftime(TIME))
        pattern = "*".join(glob.escape(safe(part)) for part in name.split("{change_id}")) + ".log"
        return following(os.path.join(glob.escape(folder), pattern), _PROGRESS, lambda line: show(printable(f"[{host}] {_PROGRESS.match(line)[1]}")))

    def _sent(self):
        """The path of the program on the host, in the folder of this task, which is removed after it."""
        if self._connection._shell.tmpdir is None:
            self._make_tmp_path()
        path = self._connection._shell.join_path(self._connection._shell.tmpdir, "verify_replay.zip")
        with tempfile.NamedTemporaryFile(suffix=".zip") as archive:
            _pack(archive)
            self._transfer_file(archive.name, path)
        self._fixup_perms2((self._connection._shell.tmpdir, path))
        return path


def _pack(archive):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(PROGRAM.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, path.relative_to(PROGRAM))
    archive.flush()
