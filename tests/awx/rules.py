# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What AWX 24.6 demands of surveys, credential types and templates, and what this collection demands of its own besides.

Each function takes one item as data and returns what is wrong with it, as sentences. AWX itself is in no registry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment

_TEXT = ("text", "textarea", "password")
_CHOICES = ("multiplechoice", "multiselect")
_NUMBERS = {"integer": (int,), "float": (int, float)}
_ITEM = {"type", "question_name", "question_description", "variable", "required", "default", "min", "max", "choices"}
_FIELD = {"id", "type", "label", "help_text", "secret", "multiline", "choices", "format", "default", "ask_at_runtime"}
_RESERVED = re.compile(r"ANSIBLE_.*|PATH|PYTHONPATH|JOB_ID|AWX_HOST|VIRTUAL_ENV|INVENTORY_ID|INVENTORY_SOURCE_ID|INVENTORY_UPDATE_ID|"
                       r"AD_HOC_COMMAND_ID|REST_API_URL|REST_API_TOKEN|MAX_EVENT_RES|CALLBACK_QUEUE|CALLBACK_CONNECTION|CACHE|LD_.*|HOME")


def survey_problems(survey: dict) -> list[str]:
    """Of a whole survey."""
    found = [f"{key} is no text" for key in ("name", "description") if not isinstance(survey.get(key), str)]
    spec = survey.get("spec")
    if not isinstance(spec, list) or not spec:
        return [*found, "spec is no list with questions"]
    names = [item.get("variable") for item in spec]
    found += [f"variable {name} is asked for twice" for name in {name for name in names if names.count(name) > 1}]
    questions = [item.get("question_name") for item in spec]
    found += [f"two questions are called {name}" for name in {name for name in questions if questions.count(name) > 1}]
    return found + [f"{item.get('variable')}: {text}" for item in spec for text in _question(item)]


def _question(item: dict) -> Iterator[str]:
    for key in ("type", "question_name", "variable"):
        if not isinstance(item.get(key), str) or not item[key]:
            yield f"{key} is no text"
    if not isinstance(item.get("required"), bool):
        yield "required is no boolean"
    yield from (f"AWX knows no {key}" for key in sorted(set(item) - _ITEM))  # AWX itself says nothing
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(item.get("variable"))):
        yield "no name of a variable"  # AWX itself says nothing
    kind, default = item.get("type"), item.get("default")
    if kind not in (*_TEXT, *_CHOICES, *_NUMBERS):
        yield f"unknown type {kind}"
    for key in ("min", "max"):
        if item.get(key) is not None and item[key].__class__ is not int:
            yield f"{key} is no whole number"
    low, high = item.get("min"), item.get("max")
    if low.__class__ is int and high.__class__ is int and low > high:
        yield "min is more than max"
    if kind in _CHOICES:
        choices = item.get("choices")
        if not isinstance(choices, list) or not choices or not all(isinstance(choice, str) for choice in choices):
            yield "choices is no list of texts"  # booleans would be sent as booleans, and refused
        elif isinstance(default, str) and default and not set(default.split("\n") if kind == "multiselect" else [default]) <= set(choices):
            yield f"default {default} is not among the choices"
    elif "choices" in item:
        yield "choices, but nothing to choose from"
    if default is None:
        return
    if kind in _NUMBERS:
        if type(default) not in _NUMBERS[kind]:
            yield "default is no number"
        elif (low is not None and default < low) or (high is not None and default > high):
            yield "default is out of range"
    elif not isinstance(default, str):
        yield "default is no text"
    elif kind in _TEXT and default and not (low or 0) <= len(default) <= (high or len(default)):
        yield "default is too long or too short"  # AWX itself says nothing
    elif kind in _TEXT and not default and item.get("required"):
        yield "an empty default of what is required"


def credential_type_problems(item: dict) -> list[str]:
    """Of a custom credential type."""
    return [f"{item.get('name')}: {text}" for text in _credential_type(item)]


def _credential_type(item: dict) -> Iterator[str]:
    if item.get("kind") not in ("cloud", "net"):
        yield "kind is neither cloud nor net"
    fields = item["inputs"]["fields"]
    names = [field.get("id") for field in fields]
    yield from (f"field {name} is there twice" for name in {name for name in names if names.count(name) > 1})
    yield from (f"required, but no field: {name}" for name in set(item["inputs"].get("required", [])) - set(names))
    for field in fields:
        if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]*", str(field.get("id"))) or field.get("id") in ("tower", "awx"):
            yield f"{field.get('id')} can be no name of a field"
        if not isinstance(field.get("label"), str):
            yield f"{field['id']} has no label"
        yield from (f"{field['id']}: AWX knows no {key}" for key in sorted(set(field) - _FIELD))
        if field.get("type", "string") == "boolean":
            yield from (f"{field['id']}: {key} of a boolean" for key in ("secret", "multiline", "choices", "format") if key in field)
            if field.get("default"):
                yield f"{field['id']} is false if nobody touches it, whatever its default says"
        elif field.get("type", "string") != "string":
            yield f"{field['id']}: type {field['type']}"
        if field.get("format", "url") not in ("ssh_private_key", "url"):
            yield f"{field['id']}: format {field['format']}"
    files = item["injectors"].get("file", {})
    if "template" in files and len(files) > 1:
        yield "template and template.NAME are mixed"
    yield from (f"file {key}" for key in files if not re.fullmatch(r"template(\.[a-zA-Z_][a-zA-Z0-9_]*)?", key))
    for name in item["injectors"].get("env", {}):
        if _RESERVED.fullmatch(name) or not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            yield f"{name} cannot be set"
    if set(item["injectors"]) - {"env", "file", "extra_vars"}:
        yield "an injector that AWX does not know"
    if item["injectors"].get("extra_vars"):
        yield "extra variables, which a launch can override and a log can show"
    given = {field["id"]: field.get("type") == "boolean" or "x" for field in fields}
    try:
        injected(item, given)
    except Exception as error:  # whatever a template does, AWX refuses it
        yield f"an injector fails: {error}"
    for name, text in item["injectors"].get("env", {}).items():
        if "filename" in text and " if " not in text:
            yield f"{name} names a file that AWX makes of an empty field, too"


def injected(item: dict, inputs: dict, path: str = "/file/{}") -> tuple[dict[str, str], dict[str, str]]:
    """(environment, content by path) of a job that has this credential. AWX takes empty text or False for what is not given."""
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined)
    values = {field["id"]: inputs.get(field["id"], False if field.get("type") == "boolean" else "") for field in item["inputs"]["fields"]}
    files, names = {}, {}
    for key, text in item["injectors"].get("file", {}).items():
        name = key.partition(".")[2]
        names[name] = path.format(name)
        files[names[name]] = environment.from_string(text).render(**values)
    values["tower"] = {"filename": names}
    return {key: environment.from_string(text).render(**values) for key, text in item["injectors"].get("env", {}).items()}, files


def template_problems(item: dict) -> list[str]:
    """Of a job template: what a launch must not be able to do."""
    found = []
    if item.get("ask_variables_on_launch") or item.get("ask_inventory_on_launch") or item.get("ask_credential_on_launch"):
        found.append("a launch can send the secrets anywhere")
    if item.get("timeout"):
        found.append("a time-out kills what changes something")
    if item["job_type"] == "check" and item.get("ask_job_slice_count_on_launch"):
        found.append("slices of something that changes")
    if item["job_type"] == "check" and not item.get("ask_job_type_on_launch"):
        found.append("it can only check")
    if item.get("ask_job_type_on_launch") and item["job_type"] != "check":
        found.append("it changes something before anybody has said Run")
    return [f"{item['name']}: {text}" for text in found]


def workflow_problems(item: dict, templates: dict[str, dict]) -> list[str]:
    """Of a workflow: are its nodes connected, and may they say what they say?"""
    nodes = {node["identifier"]: node for node in item["workflow_nodes"]}
    found = ["two nodes with one identifier"] if len(nodes) < len(item["workflow_nodes"]) else []
    targets = set()
    for name, node in nodes.items():
        for kind, others in node.get("related", {}).items():
            if kind not in ("success_nodes", "failure_nodes", "always_nodes"):
                found.append(f"{name}: {kind}")
            targets |= {other["identifier"] for other in others}
        template = node["unified_job_template"]
        if template["type"] == "workflow_approval":
            continue
        known = templates.get(template["name"])
        if known is None:
            found.append(f"{name}: there is no template {template['name']}")
            continue
        found += [f"{name}: the template does not ask for {key}" for key in ("limit", "job_type")
                  if key in node and not known.get(f"ask_{key}_on_launch")]
        if "limit" in node and item.get("ask_limit_on_launch"):
            found.append(f"{name}: the workflow's limit would override its own")
        asked = {question["variable"] for question in known["survey_spec"]["spec"]}
        found += [f"{name}: {key} is in no survey" for key in set(node.get("extra_data", {})) - asked]
        needed = {question["variable"] for question in known["survey_spec"]["spec"] if question["required"]}
        given = {question["variable"] for question in item["survey_spec"]["spec"]} | set(node.get("extra_data", {}))
        found += [f"{name}: nobody answers {key}" for key in needed - given]
    found += [f"there is no node {name}" for name in targets - set(nodes)]
    if len(set(nodes) - targets) != 1:
        found.append(f"it begins with {sorted(set(nodes) - targets)}")
    return [f"{item['name']}: {text}" for text in found]
