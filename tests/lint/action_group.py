# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every module takes the same connection, from the variables of the host or from module_defaults: it is in the action group, has the
options of the group, and the action plugin that fills them in."""

import ast
import sys
from pathlib import Path

import yaml
from ansible_collections.streamops.kafka_connect.plugins.module_utils._ansible.options import connection_options
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils._connection import OF_MODULES

GROUP = "connect"
CONNECTION = ("_connect", "_kafka", "_strimzi")
FRAGMENTS = {f"streamops.kafka_connect.{name}" for name in (*CONNECTION, f"_attributes.actiongroup_{GROUP}")}
HOST = "the variable of the host with this name"
PLUGIN = Path("plugins/action/connector.py")
#: actions without a module of their own, which pass their connection options on to the modules that they run
STEPS = {"reset_offsets"}


def assigned(path: Path, name: str):
    """What a file assigns to that name, as a literal."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    return None


def documentation(path: Path) -> dict:
    return yaml.safe_load(assigned(path, "DOCUMENTATION") or "{}")


def undocumented() -> list[str]:
    """Connection options that the documentation describes otherwise: their other names, and the variables that supply them."""
    described, options = {}, connection_options()
    for fragment in CONNECTION:
        described |= documentation(Path(f"plugins/doc_fragments/{fragment}.py"))["options"]
    found = [f"only one of the documentation and connection_options() has {option}" for option in sorted(set(described) ^ set(options))]
    for option in sorted(set(described) & set(options)):
        text = " ".join(described[option]["description"])
        variables = [f"E({name})" for name in options[option].get("fallback", (None, []))[1]]
        found += [f"the description of {option} does not name {text_of}" for text_of in (HOST, *variables) if text_of not in text]
        if described[option].get("aliases", []) != options[option].get("aliases", []):
            found.append(f"the documentation of {option} has other aliases")
    return found


def options_of(path: Path) -> set[str]:
    """Those in a module's documentation, and in the fragments that it extends."""
    found = documentation(path)
    names = set(found.get("options", {}))
    for fragment in found.get("extends_documentation_fragment", []):
        name, _dot, part = fragment.removeprefix("streamops.kafka_connect.").partition(".")
        text = assigned(Path(f"plugins/doc_fragments/{name}.py"), (part or "documentation").upper())
        names |= set(yaml.safe_load(text).get("options", {}))
    return names


def action_plugin(name: str) -> dict:
    return {"action_plugin": f"streamops.kafka_connect.{name}"}


def extended(name: str) -> list[str]:
    """The module's name, if it has an action plugin of its own that is one of those, too."""
    path = PLUGIN.with_name(f"{name}.py")
    wanted = f"from ansible_collections.streamops.kafka_connect.plugins.action.{PLUGIN.stem} import ActionModule as Connector"
    return [name] if path.is_file() and wanted in path.read_text() and "class ActionModule(Connector):" in path.read_text() else []


def problems() -> list[str]:
    runtime = yaml.safe_load(Path("meta/runtime.yml").read_text())
    group = runtime["action_groups"][GROUP]
    routed = {name for name, route in runtime["plugin_routing"]["modules"].items()
              if route in map(action_plugin, (PLUGIN.stem, *extended(name)))}
    modules = {path.stem: path for path in Path("plugins/modules").glob("*.py")}
    found = [f"no module, but in action group {GROUP}: {name}" for name in sorted(set(group) - set(modules) - STEPS)]
    found += [f"not in action group {GROUP} of meta/runtime.yml: {name}" for name in sorted(set(modules) - set(group))]
    found += [f"plugin_routing of meta/runtime.yml lists no such module, or lacks it: {name}" for name in sorted(routed ^ set(modules))]
    found += undocumented()
    for option, names in OF_MODULES.items():
        having = {name for name, path in modules.items() if option in options_of(path)}
        found += [f"{PLUGIN} gives {option} to {name}, or not, other than its documentation says" for name in sorted(having ^ set(names))]
    for path in sorted(modules.values()):
        missing = FRAGMENTS - set(documentation(path).get("extends_documentation_fragment", []))
        found += [f"{path}: does not extend {fragment}" for fragment in sorted(missing)]
    return found if modules else ["there is no module"]


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or None)
