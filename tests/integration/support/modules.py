# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection's modules, run in this process: arguments in, the JSON they print out."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.common import warnings
from ansible.module_utils.testing import patch_module_args

PACKAGE = "ansible_collections.streamops.kafka_connect.plugins.modules"

#: what a check run of connector_offsets has to tell exactly as the real run then does
PREDICTED = ("changed", "diff", "actions", "counts", "offsets", "offsets_before", "truncated", "method", "warnings",
             "method_reason", "offset_topic", "connector_exists")


def run_module(name: str, arguments: Mapping[str, Any], *, check: bool = False, diff: bool = True) -> dict[str, Any]:
    """The module's result, failed or not; arguments that are None are left out."""
    given = {key: value for key, value in arguments.items() if value is not None}
    module = importlib.import_module(f"{PACKAGE}.{name}")
    # Ansible runs each module in a process of its own, so it never empties these.
    warnings._global_warnings.clear()
    warnings._global_deprecations.clear()
    printed = io.StringIO()
    with patch_module_args({**given, "_ansible_check_mode": check, "_ansible_diff": diff}):
        with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
            module.main()
    lines = printed.getvalue().strip().splitlines()
    assert len(lines) == 1, f"{name} printed {printed.getvalue()!r}"
    result = json.loads(lines[0])
    result.setdefault("failed", False)
    result["warnings"] = [_text(warning) for warning in result.get("warnings", [])]
    assert "Traceback" not in json.dumps(result.get("exception", "")), result
    return result


def _text(warning: Any) -> str:
    """ansible-core has made structures of warnings."""
    return warning["event"]["msg"] if isinstance(warning, dict) else warning
