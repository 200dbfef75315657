# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Reads AWX's API, with the address and the login that the modules of awx.awx take (environment, ~/.tower_cli.cfg). It writes nothing."""

from __future__ import annotations

import json
import os
import re
from importlib import import_module
from urllib.error import HTTPError

from ansible.module_utils.parsing.convert_bool import boolean
from ansible.module_utils.urls import open_url
from ansible.plugins.loader import module_loader
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _awx

_LOGIN = "CONTROLLER_OAUTH_TOKEN, or CONTROLLER_USERNAME and CONTROLLER_PASSWORD"


class AwxError(Exception):
    """What is wrong, as a sentence for people. Reading changes nothing."""


class Api:
    """One AWX. config: what awx.awx knows of its address and login."""

    def __init__(self, config) -> None:
        self._config = config

    def get(self, path: str, **query):
        """The JSON of one address, below /api/v2/ or from the root."""
        config = self._config
        url = config.build_url(path, query_params=query).geturl()
        login = {"headers": {"Authorization": "Bearer %s" % config.oauth_token}} if config.oauth_token else {
            "url_username": config.username, "url_password": config.password, "force_basic_auth": True}
        try:
            answer = open_url(url, timeout=config.request_timeout, validate_certs=config.verify_ssl, **login)
            return json.loads(answer.read())
        except HTTPError as error:
            raise AwxError(self._refused(error, path)) from error
        except ValueError as error:
            raise AwxError("%s answers, but not as AWX's API does: is CONTROLLER_HOST the address of AWX?" % config.host) from error
        except Exception as error:  # of sockets, of TLS, of Ansible
            raise AwxError(_unreachable(config.host, getattr(error, "reason", None) or error)) from error

    def _refused(self, error: HTTPError, path: str) -> str:
        host = self._config.host
        if error.code == 401:
            wrong = "the token (CONTROLLER_OAUTH_TOKEN) is wrong or has expired" if self._config.oauth_token else (
                "the user or the password (CONTROLLER_USERNAME, CONTROLLER_PASSWORD) is wrong")
            return "AWX at %s does not accept the login: %s. Give another one, and run this again." % (host, wrong)
        if error.code == 404:
            return "%s has no %s of AWX's API: is CONTROLLER_HOST the address of AWX?" % (host, path)
        return "AWX at %s answers a request for %s with HTTP %d. Its log says why." % (host, path, error.code)

    def all(self, path: str, **query) -> list:
        """All objects of a list."""
        answer = self.get(path, page_size=200, **query)
        found = answer["results"]
        while answer.get("next"):
            answer = self.get(answer["next"])
            found += answer["results"]
        return found

    def check_administrator(self) -> None:
        user = self.all("me")[0]
        if not user["is_superuser"]:
            raise AwxError("The user %s of AWX at %s is no system administrator, and AWX lets only those create credential types. Give the login of a system "
                           "administrator (%s), and run this again." % (user["username"], self._config.host, _LOGIN))

    def find(self, kind: str, values: dict, whole: bool = True):
        """The object, None if there is none. whole: with all that is compared."""
        found = self.all(_awx.KINDS[kind].path, **_awx.search(kind, values))
        if not found:
            return None
        one = found[0]
        for field in _awx.wanted(kind, values) if whole else ():
            if field in _awx.KINDS[kind].lists:
                names = [other["name"] for other in self.all(one["url"] + field + "/")]
                # In the order of the declaration: that of AWX counts for Galaxy credentials alone.
                same = field != "galaxy_credentials" and set(names) == set(values[field])
                one[field] = list(values[field]) if same else names
            elif field == "survey_spec":
                one[field] = self.get(one["url"] + "survey_spec/")
            elif field == "workflow_nodes":
                one[field] = self.all(one["url"] + "workflow_nodes/")
        return one

    def check_references(self, listed: list) -> None:
        """Everything that is named and not made is there, once."""
        for (path, name), field in _awx.references(listed).items():
            count = len(self.all(path, name=name))
            if count != 1:
                raise AwxError("AWX has %s %s, which %s names. %s" % (
                    ("no " if not count else "%d " % count) + path.replace("_", " ").rstrip("s" if not count else ""), name, _variable(field),
                    "Correct the name, or create it." if not count else "Rename all but one of them."))

    def check_unused(self, listed: list) -> None:
        """AWX keeps a credential type that has credentials, and says only that it may not be deleted."""
        used = {}
        for kind, values in listed:
            found = self.find(kind, values, whole=False) if kind == "credential_type" else None
            names = [one["name"] for one in self.all("credentials", credential_type=found["id"])] if found else []
            if names:
                used[values["name"]] = ", ".join(sorted(names))
        if used:
            raise AwxError("These credential types have credentials, and AWX keeps them as long: %s. Delete these credentials, and run this again." %
                           "; ".join("%s has %s" % pair for pair in used.items()))

    def update_failure(self, values: dict) -> str:
        """Why the last update of a project has failed, in the words of git; empty if it has not."""
        project = self.find("project", values, whole=False) or {}
        last = project.get("summary_fields", {}).get("last_update") or {}
        if last.get("status") not in ("failed", "error"):
            return ""
        events = self.all("project_updates/%d/events/" % last["id"], event="runner_on_failed")
        result = events[-1].get("event_data", {}).get("res", {}) if events else {}
        text = str(result.get("stderr") or result.get("msg") or "")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return next((line for line in lines if re.match(r"(fatal|error|ssh):", line, re.IGNORECASE)), lines[0] if lines else (
            "see the output of its update %d in AWX" % last["id"]))


def _variable(field: str) -> str:
    """The variable of the role that a field comes from."""
    return {"galaxy_credentials": "awx_setup_galaxy_credentials", "credentials": "awx_setup_credentials",
            "execution_environment": "awx_setup_execution_environment", "source_project": "awx_setup_inventory_project",
            "credential": "awx_setup_project_scm_credential or awx_setup_execution_environment_credential"}.get(field, field)


def _unreachable(host, reason) -> str:
    return "AWX at %s cannot be reached: %s. Check CONTROLLER_HOST, and whether AWX runs." % (host, str(reason).rstrip("."))


def connect() -> Api:
    """With the address and the login of the environment."""
    if not module_loader.find_plugin_with_context("awx.awx.credential_type").resolved:
        raise AwxError('The collection awx.awx is not there: install it with "ansible-galaxy collection install awx.awx", or run this in an execution '
                       "environment that has it.")
    known = import_module("ansible_collections.awx.awx.plugins.module_utils.controller_api").ControllerAPIModule
    given = {name: _environment(spec) for name, spec in known.AUTH_ARGSPEC.items()}

    def fail(**result):
        raise AwxError(_unreachable(given["controller_host"], result.get("msg")))

    config = known(argument_spec={}, direct_params=given, error_callback=fail, warn_callback=str)
    if config.host.rpartition("/")[2] == known.host:
        raise AwxError("Set CONTROLLER_HOST, and %s, in the environment; in AWX a credential of the type Red Hat Ansible Automation Platform does it." % _LOGIN)
    if not config.oauth_token and not (config.username and config.password):
        raise AwxError("Set %s, in the environment: AWX at %s wants a login." % (_LOGIN, config.host))
    return Api(config)


def _environment(spec: dict):
    """The value of a connection option of awx.awx that the environment has; None if it is empty, too."""
    names = spec["fallback"][1] if "fallback" in spec else []
    text = next(filter(None, map(os.environ.get, names)), None)
    kinds = {"bool": boolean, "float": float}
    return kinds[spec["type"]](text) if text is not None and spec.get("type") in kinds else text
