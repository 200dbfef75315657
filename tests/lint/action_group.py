# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module is in the action group and takes all the options of the group, else module_defaults of a play fail."""

import ast
import sys
from pathlib import Path

import yaml

GROUP = "connect"
FRAGMENTS = {f"streamops.kafka_connect.{name}" for name in ("_connect", "_kafka", "_strimzi", f"_attributes.actiongroup_{GROUP}")}


def documentation(path: Path) -> dict:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "DOCUMENTATION":
            return yaml.safe_load(node.value.value)
    return {}


def problems() -> list[str]:
    group = yaml.safe_load(Path("meta/runtime.yml").read_text())["action_groups"][GROUP]
    modules = {path.stem: path for path in Path("plugins/modules").glob("*.py")}
    found = [f"no module, but in action group {GROUP}: {name}" for name in sorted(set(group) - set(modules))]
    found += [f"not in action group {GROUP} of meta/runtime.yml: {name}" for name in sorted(set(modules) - set(group))]
    for path in sorted(modules.values()):
        missing = FRAGMENTS - set(documentation(path).get("extends_documentation_fragment", []))
        found += [f"{path}: does not extend {fragment}" for fragment in sorted(missing)]
    return found if modules else ["there is no module"]


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or None)
