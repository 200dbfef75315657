# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the role awx_setup has to change in AWX: objects as declared against objects as AWX's API returns them.

A declared object is a kind, which is the name of a module of awx.awx, and the arguments of that module. The collection awx.awx reports some objects as changed
at every run: the template of an approval is sent fields that it does not have. So its modules are called only where something differs.
"""

from __future__ import annotations

from collections import namedtuple

from ansible.module_utils.parsing.convert_bool import boolean

#: path: of the list in the API; title: for people; refs, lists: field -> path of the list that has the object, or the objects, that it names;
#: scope: parameter of a search -> field, for names that are unique only within another object
Kind = namedtuple("Kind", "path title refs lists scope")

_IN_ORGANIZATION = {"organization__name": "organization"}
_NOTIFIED = {"notification_templates_%s" % event: "notification_templates" for event in ("started", "success", "error")}

#: in the order in which they are made: what others refer to comes first
KINDS = {
    "organization": Kind("organizations", "organization", {}, {"galaxy_credentials": "credentials"}, {}),
    "credential_type": Kind("credential_types", "credential type", {}, {}, {}),
    "execution_environment": Kind("execution_environments", "execution environment", {"organization": "organizations", "credential": "credentials"}, {}, {}),
    "project": Kind("projects", "project", {"organization": "organizations", "credential": "credentials"}, {}, _IN_ORGANIZATION),
    "inventory": Kind("inventories", "inventory", {"organization": "organizations"}, {}, _IN_ORGANIZATION),
    "inventory_source": Kind("inventory_sources", "inventory source", {"source_project": "projects"}, {},
                             {"inventory__name": "inventory", "inventory__organization__name": "organization"}),
    "notification_template": Kind("notification_templates", "notification", {"organization": "organizations"}, {}, _IN_ORGANIZATION),
    "job_template": Kind("job_templates", "job template", {
        "organization": "organizations", "project": "projects", "inventory": "inventories", "execution_environment": "execution_environments"},
        dict(_NOTIFIED, credentials="credentials"), _IN_ORGANIZATION),
    "workflow_job_template": Kind("workflow_job_templates", "workflow", {"organization": "organizations", "inventory": "inventories"},
                                  dict(_NOTIFIED, notification_templates_approvals="notification_templates"), _IN_ORGANIZATION),
}

#: what a declaration that does not say it means: a launch that could give variables, an inventory or credentials could send secrets anywhere
_OFF = {
    "job_template": dict({"ask_%s_on_launch" % field: False for field in (
        "variables", "inventory", "credential", "execution_environment", "job_type", "limit", "job_slice_count", "scm_branch", "tags", "skip_tags")},
        job_tags="", diff_mode=False, forks=0),
    "workflow_job_template": {"ask_%s_on_launch" % field: False for field in ("variables", "inventory", "limit", "scm_branch", "tags", "skip_tags")},
}
_ENCRYPTED = "$encrypted$"
_LINKS = ("success_nodes", "failure_nodes", "always_nodes")
_PROMPTS = ("job_type", "limit", "job_tags", "skip_tags", "scm_branch", "diff_mode", "verbosity", "forks", "job_slice_count", "timeout",
            "all_parents_must_converge")
#: type of a node in a declaration -> in the API
_NODE_TYPES = {"job_template": "job", "workflow_job_template": "workflow_job", "project": "project_update", "inventory_source": "inventory_update"}
#: of a project that has no content
_NO_CONTENT = ("failed", "error", "canceled", "never updated")
#: may hold a secret, in a header or in the address itself
_NOT_SHOWN = ("notification_configuration",)


def declared(objects: dict, reverse: bool = False) -> list:
    """(kind, arguments) of each object, in the order in which they are made, or removed. objects: kind -> list of arguments."""
    listed = [(kind, dict(_OFF.get(kind, {}), **values)) for kind in KINDS for values in objects.get(kind) or []]
    return listed[::-1] if reverse else listed


def search(kind: str, values: dict) -> dict:
    """The parameters of a request that finds it."""
    return dict({name: values[field] for name, field in KINDS[kind].scope.items()}, name=values["name"])


def references(listed: list) -> dict:
    """What they name and none of them is: (path, name) -> field."""
    own = {(KINDS[kind].path, values["name"]) for kind, values in listed}
    found = {}
    for kind, values in listed:
        for field, path in KINDS[kind].refs.items():
            found.setdefault((path, values.get(field)), field)
        for field, path in KINDS[kind].lists.items():
            found.update({(path, name): field for name in values.get(field) or [] if (path, name) not in found})
    return {key: field for key, field in found.items() if key[1] and key not in own}


def wanted(kind: str, values: dict) -> dict:
    """The fields that are compared. A name or a list of names that is empty leaves alone what AWX has."""
    spec = KINDS[kind]
    skipped = {"name"} | (set(spec.scope.values()) - set(spec.refs))
    if kind == "project":
        manual = values.get("scm_type") == "manual"
        skipped |= {name for name in values if name.startswith("scm_") and name != "scm_type"} if manual else {"local_path"}
    skipped |= {field for field in [*spec.refs, *spec.lists] if not values.get(field)}
    found = {field: value for field, value in values.items() if field not in skipped}
    if found.get("scm_type") == "manual":
        found["scm_type"] = ""
    if "workflow_nodes" in found:
        found["workflow_nodes"] = _declared_nodes(found["workflow_nodes"])
    return found


def differences(kind: str, values: dict, found: dict) -> dict:
    """{field: (in AWX, declared)} where they differ. found: the object as the API returns it, see live()."""
    changed = {}
    for field, after in wanted(kind, values).items():
        before = live(kind, field, found)
        if not _same(before, after):
            changed[field] = (before, after)
    if kind == "project" and values.get("scm_type") != "manual" and found.get("status") in _NO_CONTENT:
        changed["status"] = (found["status"], "successful")
    return changed


def live(kind: str, field: str, found: dict):
    """One field of an object as the API returns it, with ``survey_spec``, ``workflow_nodes`` and the names in each list besides."""
    if field in KINDS[kind].refs:
        return found["summary_fields"].get(field, {}).get("name", "")
    if field == "workflow_nodes":
        return _live_nodes(found.get(field) or [])
    return found.get(field)


def arguments(kind: str, values: dict, found, changed: dict) -> dict:
    """For the module of awx.awx. found: None if there is none yet. changed: see differences()."""
    given = {field: values[field] for field in [*KINDS[kind].scope.values(), *wanted(kind, values)]}
    given["name"] = values["name"]
    if "status" in changed:
        given["update_project"] = True
    if kind == "workflow_job_template" and found:
        if "workflow_nodes" in changed:
            # The module takes away neither nodes nor links that are not declared.
            given["destroy_current_nodes"] = True
        else:
            del given["workflow_nodes"]
    return given


def _same(before, after, nested: bool = False) -> bool:
    """Within a container types count, as in the default of a question; AWX shows no secret."""
    if before == _ENCRYPTED:
        return after not in ("", None)
    if isinstance(before, dict) and isinstance(after, dict):
        return set(before) == set(after) and all(_same(before[key], after[key], True) for key in after)
    if isinstance(before, list) and isinstance(after, (list, tuple)):
        return len(before) == len(after) and all(_same(one, other, True) for one, other in zip(before, after))
    if nested or isinstance(before, (dict, list)) or isinstance(after, (dict, list)):
        return before == after and isinstance(before, bool) == isinstance(after, bool)
    if isinstance(before, bool):
        return before == boolean(after, strict=False)
    return str("" if before is None else before).strip() == str("" if after is None else after).strip()


# ---- nodes of a workflow -------------------------------------------------------------------------------------------------


def _declared_nodes(nodes: list) -> dict:
    found = {}
    for node in nodes:
        template, related = node["unified_job_template"], node.get("related") or {}
        links = {kind: sorted(other["identifier"] for other in related.get(kind) or []) for kind in _LINKS}
        found[node["identifier"]] = _node(node, _NODE_TYPES.get(template["type"], template["type"]), template, links)
    return found


def _live_nodes(nodes: list) -> dict:
    names = {node["id"]: node["identifier"] for node in nodes}
    found = {}
    for node in nodes:
        template = node["summary_fields"].get("unified_job_template") or {}
        links = {kind: sorted(names.get(number, "") for number in node.get(kind) or []) for kind in _LINKS}
        found[node["identifier"]] = _node(node, template.get("unified_job_type"), template, links)
    return found


def _node(node: dict, kind, template: dict, links: dict) -> dict:
    """Whatever says nothing is left out, as None, empty and 0 mean the same here."""
    found = dict({field: node.get(field) for field in _PROMPTS}, extra_data=node.get("extra_data"), type=kind, template=template.get("name"), **links)
    if kind == "workflow_approval":
        found.update(description=template.get("description"), approval_timeout=template.get("timeout"))
    return {field: value for field, value in found.items() if value}


# ---- for people ----------------------------------------------------------------------------------------------------------


def diff(kind: str, name: str, changed: dict, made: bool) -> dict:
    """As Ansible shows it. changed: see differences(); made: there was none before."""
    header = "%s %s" % (KINDS[kind].title, name)
    sides = [{field: "(not shown)" if field in _NOT_SHOWN and pair[side] else pair[side] for field, pair in changed.items()} for side in (0, 1)]
    return {"before_header": header, "after_header": header, "before": {} if made else sides[0], "after": sides[1]}


def line(kind: str, name: str, action: str, changed: dict, check_mode: bool) -> str:
    """What is done with one object. action: make, change or remove."""
    done = {"make": "made", "change": "changed", "remove": "removed"}[action]
    text = "%s %s: %s%s" % (KINDS[kind].title.capitalize(), name, "would be " if check_mode else "", done)
    return text + (" (%s)" % ", ".join(sorted(changed)) if action == "change" else "")
