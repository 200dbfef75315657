# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for AWX 24.6.1 that keeps objects as its API does, and against which the real modules of awx.awx run. AWX is in no registry.

Taken from the source of AWX 24.6.1:
- awx/api/serializers.py: fields and their defaults, summary_fields (SUMMARIZABLE_FK_FIELDS), links; the template of an approval has no
  identifier; what a node shows of its template (unified_job_type, timeout of an approval); "Playbook not found for project."
- awx/api/views/__init__.py: the survey at survey_spec/, {} where there is none; create_approval_template/; 403 for a credential type in use
- awx/api/generics.py: lists (count, next, results), POST {"id", "disassociate"} to a list of related objects, 204
- awx/main/models/notifications.py, credential/__init__.py: a secret is shown as $encrypted$, empty text as it is
- awx/main/models/projects.py: a new project, and one whose source changes, is updated at once; its status is that of its last update
- awx/playbooks/project_update.yml: that is a run of Ansible, whose events hold what git has said
What it says of permissions is only that: an administrator may do everything, everybody else nothing.
"""

from __future__ import annotations

import base64
import copy
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

_TOKEN, _LOGIN = "planted-token-77", ("admin", "planted-password-77")
_ENCRYPTED = "$encrypted$"
#: fields that hold the id of another object -> its list
_REFERENCES = {
    "organization": "organizations", "credential": "credentials", "credential_type": "credential_types", "project": "projects",
    "source_project": "projects", "inventory": "inventories", "execution_environment": "execution_environments",
    "unified_job_template": "unified_job_templates", "workflow_job_template": "workflow_job_templates", "last_update": "project_updates",
    "current_update": "project_updates"}
_TEMPLATES = ("job_templates", "workflow_job_templates", "projects", "inventory_sources", "workflow_approval_templates")
_OWNED = {("workflow_job_templates", "workflow_job_template_nodes"): "workflow_job_template",
          ("inventories", "inventory_sources"): "inventory"}
_RUNS = {"job_templates": "job", "workflow_job_templates": "workflow_job", "projects": "project_update",
         "inventory_sources": "inventory_update", "workflow_approval_templates": "workflow_approval"}
_PROMPTS = ("scm_branch", "job_type", "job_tags", "limit", "skip_tags", "diff_mode", "verbosity", "forks", "job_slice_count", "timeout")
_ASKS = {f"ask_{name}_on_launch": False for name in (
    "variables", "limit", "tags", "skip_tags", "job_type", "inventory", "credential", "job_slice_count", "scm_branch", "diff_mode",
    "verbosity", "forks", "timeout", "labels", "execution_environment")}
_NOTIFIED = [f"notification_templates_{event}" for event in ("started", "success", "error")]
_LINKS = ["success_nodes", "failure_nodes", "always_nodes"]
#: list -> fields that can be written, with their defaults
_FIELDS = {name: {"name": "", "description": "", **more} for name, more in {
    "organizations": {"max_hosts": 0},
    "credential_types": {"kind": "", "inputs": {}, "injectors": {}, "managed": False, "namespace": None},
    "credentials": {"organization": None, "credential_type": None, "inputs": {}},
    "execution_environments": {"organization": None, "image": "", "credential": None, "pull": ""},
    "projects": {"organization": None, "local_path": "", "scm_type": "", "scm_url": "", "scm_branch": "", "scm_refspec": "",
                 "credential": None, "scm_update_on_launch": False, "scm_update_cache_timeout": 0},
    "inventories": {"organization": None, "kind": "", "host_filter": None, "variables": ""},
    "inventory_sources": {"inventory": None, "source": "", "source_path": "", "source_vars": "", "source_project": None, "overwrite": False,
                          "overwrite_vars": False, "update_on_launch": False, "update_cache_timeout": 0},
    "notification_templates": {"organization": None, "notification_type": "", "notification_configuration": {}, "messages": None},
    "job_templates": {"organization": None, "job_type": "run", "inventory": None, "project": None, "playbook": "", "forks": 0, "limit": "",
                      "job_tags": "", "timeout": 0, "diff_mode": False, "allow_simultaneous": False, "survey_enabled": False,
                      "execution_environment": None, **_ASKS},
    "workflow_job_templates": {"organization": None, "inventory": None, "limit": None, "allow_simultaneous": False,
                               "survey_enabled": False, **_ASKS},
    "workflow_approval_templates": {"timeout": 0},
    "project_updates": {"status": "", "failed": False, "finished": None, "scm_revision": ""},
}.items()} | {"workflow_job_template_nodes": {
    "identifier": "", "extra_data": {}, "workflow_job_template": None, "unified_job_template": None, "all_parents_must_converge": False,
    **dict.fromkeys(_PROMPTS)}}
#: list -> lists of other objects that each of its objects has
_LISTS = {"organizations": ["galaxy_credentials"], "job_templates": ["credentials", *_NOTIFIED],
          "workflow_job_templates": [*_NOTIFIED, "notification_templates_approvals"], "workflow_job_template_nodes": _LINKS}


class Refused(Exception):
    """status, answer."""


class Controller:
    """Keeps the objects. broken: URL of a repository -> what git says of it."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[int, dict]] = {name: {} for name in _FIELDS}
        self.numbers, self.written, self.broken = iter(range(1, 10**6)), [], {}
        self.administrator = True
        galaxy = self.add("credential_types", name="Ansible Galaxy/Automation Hub API Token", kind="galaxy", managed=True)
        self.add("credentials", name="Ansible Galaxy", credential_type=galaxy["id"])

    # ---- objects

    def add(self, table: str, **given) -> dict:
        lists = {name: [] for name in _LISTS.get(table, ())}
        one = {**copy.deepcopy(_FIELDS[table]), **given, "id": next(self.numbers), "lists": lists, "survey": {}}
        self.tables[table][one["id"]] = one
        return one

    def find(self, table: str, name: str) -> dict:
        """By its name, or identifier."""
        return next(one for one in self.tables[table].values() if one.get("name", one.get("identifier")) == name)

    def _table(self, path: str, number: int) -> str:
        return next(table for table in _TEMPLATES if number in self.tables[table]) if path == "unified_job_templates" else path

    def shown(self, table: str, one: dict) -> dict:
        found = {name: copy.deepcopy(one[name]) for name in _FIELDS[table]}
        url = f"/api/v2/{table}/{one['id']}/"
        links = [*_LISTS.get(table, ()), "survey_spec", "create_approval_template", "workflow_nodes", "update"]
        related = {name: f"{url}{name}/" for name in links}
        summary = {}
        for field, path in _REFERENCES.items():
            if one.get(field):
                other_table = self._table(path, one[field])
                other = self.tables[other_table][one[field]]
                summary[field] = {name: other[name] for name in ("id", "name", "description", "status") if name in other}
                related[field] = f"/api/v2/{other_table}/{one[field]}/"
                if field == "unified_job_template":
                    summary[field]["unified_job_type"] = _RUNS[other_table]
                    summary[field] |= {"timeout": other["timeout"]} if other_table == "workflow_approval_templates" else {}
        if table == "workflow_job_template_nodes":
            found |= one["lists"]
        if table == "projects":
            found |= {"status": one.get("status", "ok"), "scm_revision": one.get("scm_revision", "")}
        if table == "workflow_approval_templates":
            found["unified_job_type"] = "workflow_approval"
        for container in (found.get("notification_configuration"), found.get("inputs") if table == "credentials" else None):
            if container and container.get("password"):
                container["password"] = _ENCRYPTED
        kind = re.sub("ies$", "y", table).removesuffix("s")
        return {"id": one["id"], "type": kind, "url": url, "related": related, "summary_fields": summary, **found}

    # ---- requests

    def get(self, path: list[str], query: dict) -> dict:
        table, *rest = path
        if table == "me":
            return listed([{"id": 1, "username": "admin" if self.administrator else "ops", "is_superuser": self.administrator}])
        if not rest:
            tables = _TEMPLATES if table == "unified_job_templates" else [table]
            every = [self.shown(name, one) for name in tables for one in self.tables[name].values()]
            return listed([one for one in every if all(self._fits(one, *pair) for pair in query.items())])
        one = self._one(table, rest[0])
        if len(rest) == 1:
            return self.shown(table, one)
        if rest[1] == "survey_spec":
            return copy.deepcopy(one["survey"])
        if rest[1] == "workflow_nodes":
            return self.get(["workflow_job_template_nodes"], {"workflow_job_template": str(one["id"])})
        if rest[1] == "events":
            result = {"msg": "Failed to download remote objects and refs", "stderr": one["said"]}
            return listed([{"event": "runner_on_failed", "event_data": {"res": result}}])
        kinds = {"nodes": "workflow_job_template_nodes", "credentials": "credentials"}
        target = kinds.get(rest[1].rpartition("_")[2], "notification_templates")
        return listed([self.shown(target, self.tables[target][number]) for number in one["lists"][rest[1]]])

    def _one(self, table: str, number: str) -> dict:
        try:
            return self.tables[table][int(number)]
        except (KeyError, ValueError):
            raise Refused(404, {"detail": "Not found."}) from None

    def _fits(self, one: dict, name: str, value: str) -> bool:
        """As FieldLookupBackend filters a list: by a field, or one of an object that it refers to."""
        field, *deeper = name.split("__")
        if not deeper:
            return str(one.get(field)) == value
        table, number = _REFERENCES[field], one.get(field)
        return bool(number) and self._fits(self.shown(table, self.tables[table][number]), "__".join(deeper), value)

    def post(self, path: list[str], given: dict) -> tuple[int, dict]:
        table, *rest = path
        if table == "tokens":
            return 201, {"id": 1, "token": _TOKEN}
        if not rest:
            same = [(one.get(name) for name in ("name", "organization")) for one in self.tables[table].values() if "name" in one]
            if (given.get("name"), given.get("organization")) in map(tuple, same):
                raise Refused(400, {"__all__": [f"{table} with this Name and Organization already exists."]})
            one = self.add(table)
            return 201, self._write(table, one, given)
        one = self._one(table, rest[0])
        if rest[1] == "survey_spec":
            one["survey"] = given
            return 200, {}
        if rest[1] == "create_approval_template":
            known = {name: given[name] for name in _FIELDS["workflow_approval_templates"] if name in given}
            approval = self.add("workflow_approval_templates", **known)
            one["unified_job_template"] = approval["id"]
            return 201, self.shown("workflow_approval_templates", approval)
        if rest[1] == "update":
            return 202, self.shown("project_updates", self._update(one))
        numbers = one["lists"][rest[1]]
        if given.get("disassociate"):
            numbers.remove(given["id"])
        else:
            numbers.append(given["id"])
        return 204, {}

    def _write(self, table: str, one: dict, given: dict) -> dict:
        before = {name: one[name] for name in ("scm_type", "scm_url", "scm_branch") if name in one}
        for name, value in given.items():
            if name in _FIELDS[table]:  # whatever it does not know, it ignores
                one[name] = copy.deepcopy(value)
        if table == "job_templates" and one["project"]:
            project = self.tables["projects"][one["project"]]
            if project["scm_type"] and project.get("status") != "successful":
                raise Refused(400, {"playbook": ["Playbook not found for project."]})
        if table == "projects" and one["scm_type"] and before != {name: one[name] for name in before}:
            one["current_update"] = self._update(one)["id"]
        found = self.shown(table, one)
        one.pop("current_update", None)  # it is over
        return found

    def _update(self, project: dict) -> dict:
        said = self.broken.get(project["scm_url"], "")
        status = "failed" if said else "successful"
        update = self.add("project_updates", name=project["name"], status=status, failed=bool(said), said=said, scm_revision="1" * 40,
                          finished="2026-11-30T12:00:00Z")
        project.update(last_update=update["id"], status=status, scm_revision="" if said else "1" * 40)
        return update

    def patch(self, path: list[str], given: dict) -> dict:
        one = self._one(*path[:2])
        return self._write(path[0], one, given)

    def delete(self, path: list[str]) -> None:
        table, number = path[:2]
        if table == "tokens":
            return
        one = self._one(table, number)
        if table == "credential_types" and any(other["credential_type"] == one["id"] for other in self.tables["credentials"].values()):
            raise Refused(403, {"detail": "Credential types that are in use cannot be deleted"})
        del self.tables[table][one["id"]]
        for (owner, owned), field in _OWNED.items():
            for other in [other for other in self.tables[owned].values() if owner == table and other[field] == one["id"]]:
                self.delete([owned, str(other["id"])])
        self.tables["workflow_approval_templates"].pop(one.get("unified_job_template"), None)
        for other in [other for others in self.tables.values() for other in others.values()]:  # which forgets it; no id is used twice
            other.update({field: None for field in _REFERENCES if other.get(field) == one["id"]})
            for numbers in other["lists"].values():
                numbers[:] = [number for number in numbers if number != one["id"]]


def listed(results: list) -> dict:
    return {"count": len(results), "next": None, "previous": None, "results": results}


def serve(controller: Controller) -> tuple[ThreadingHTTPServer, str]:
    """The server, which runs, and its URL."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            split = urlsplit(self.path)
            path = split.path.removeprefix("/api/v2/").strip("/").split("/")
            query = {name: values[0] for name, values in parse_qs(split.query).items() if name not in ("page_size", "page")}
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            given = json.loads(body) if body else {}
            login = "Basic " + base64.b64encode(":".join(_LOGIN).encode()).decode()
            if self.headers.get("Authorization") not in (f"Bearer {_TOKEN}", login):
                return 401, {"detail": "Authentication credentials were not provided."}
            if not split.path.startswith("/api/v2/"):
                return 404, {"detail": "Not found."}
            try:
                if self.command == "GET":
                    return 200, controller.get(path, query)
                if not controller.administrator:
                    return 403, {"detail": "You do not have permission to perform this action."}
                if path[0] != "tokens":
                    controller.written.append((self.command, "/".join(path)))
                if self.command == "POST":
                    return controller.post(path, given)
                return (200, controller.patch(path, given)) if self.command == "PATCH" else (204, controller.delete(path) or {})
            except Refused as refused:
                return refused.args

        def do_GET(self):
            status, content = self.answer()
            body = b"" if status == 204 else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", "Content-Length": len(body), "X-API-Product-Name": "AWX",
                                "X-API-Product-Version": "24.6.1"}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

        def log_message(self, *_arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}"
