# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of plugins/module_utils import each other in one direction only, and no private names of each other; only the last one
knows Ansible; CONTRIBUTING says what each is for."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("plugins/module_utils")
PREFIX = "ansible_collections.streamops.kafka_connect.plugins.module_utils"
#: a package imports itself and those to its left
ORDER = ["_core", "_codecs", "_kafka", "_connect", "_kubernetes", "_stores", "_mirror", "_semantics", "_ledger", "_change", "_verify",
         "_ansible"]


def imports(tree: ast.AST) -> Iterator[tuple[int, str, str, str]]:
    """(line, package, module or "", imported name) of each import of a private package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PREFIX):
            package, _dot, module = node.module[len(PREFIX):].lstrip(".").partition(".")
            yield from ((node.lineno, package, module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, "", "") for alias in node.names if alias.name.startswith(PREFIX))


def private_attributes(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """(line, module._name) where ``module`` is imported from another package."""
    modules = {name for _line, where, module, name in imports(tree) if where != package and not module}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules and node.attr.startswith("_"):
            yield node.lineno, f"{node.value.id}.{node.attr}"


def problems_of(path: Path, package: str, allowed: list[str], ansible: bool) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    for line, where, module, name in imports(tree):
        if where not in allowed:
            yield f"{path}:{line}: {package} must not import {where or name}"
        elif where != package and name.startswith("_"):
            yield f"{path}:{line}: {name} is private to {where}.{module}"
    for line, name in private_attributes(tree, package):
        yield f"{path}:{line}: {name} is private to another package"
    if not ansible:
        yield from (f"{path}:{node.lineno}: only _ansible knows Ansible" for node in ast.walk(tree)
                    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ansible.")
                    or isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "ansible" for alias in node.names))


def problems() -> list[str]:
    found = [f"{path}: belongs into a package" for path in ROOT.glob("*.py")]
    packages = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name != "__pycache__"}
    found += [f"{ROOT}/{name}: has no place in ORDER, or is not there" for name in sorted(packages ^ set(ORDER))]
    text = Path("CONTRIBUTING.md").read_text()
    found += [f"CONTRIBUTING.md: says nothing of {name}/" for name in ORDER if f"{name}/" not in text]
    for number, package in enumerate(ORDER):
        for path in sorted((ROOT / package).rglob("*.py")):
            found += problems_of(path, package, ORDER[:number + 1], package == "_ansible")
    for folder in ("modules", "plugin_utils", "filter", "action"):
        for path in sorted(Path("plugins", folder).glob("*.py")):
            found += problems_of(path, folder, ORDER, True)
    return found


if __name__ == "__main__":
    found = problems()
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
