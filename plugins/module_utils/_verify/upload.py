# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Puts page and report where they outlive this machine, such as the container of a job."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError

try:
    import requests
except ImportError:
    requests = None

_FOLDER = re.compile(r"https?://[^/?#@\s]+(/[^?#\s]*)?")
_DONE = (200, 201, 202, 204)
_TYPES = {"page": "text/html; charset=utf-8", "report": "application/json"}
_PATIENCE = 60


def check(url: str) -> None:
    """Raises DeclarationError for what is no URL of a folder. A login in it would show in everything that names the page."""
    if url and _FOLDER.fullmatch(url) is None:
        raise DeclarationError("report_url is no URL of a folder: http or https, without login, query and fragment. The login belongs in report_token, or in "
                               "report_username and report_password (VERIFY_REPLAY_REPORT_TOKEN, ... in the environment).")


def upload(files: dict, url: str, token, username, password) -> tuple:
    """(files with the URLs of page and report, warnings). The verdict counts more than the page: an upload that fails is a warning."""
    url = url.rstrip("/")
    places = {name: "%s/%s" % (url, quote(os.path.basename(files[name]))) for name in _TYPES}
    if requests is None:
        answers = ["the Python library requests is missing"]
    else:
        answers = [_put(files[name], places[name], kind, _login(token, username, password)) for name, kind in _TYPES.items()]
    if all(answer in _DONE for answer in answers):
        return dict(files, **places), []
    return files, ["Page and report could not be uploaded to %s (%s); they are in %s on the machine that ran the job." % (
        url, ", ".join(str(answer) for answer in answers), os.path.dirname(files["page"]))]


def _put(path: str, url: str, kind: str, login):
    """The status of the answer; why there is none."""
    try:
        with open(path, "rb") as file:
            return requests.put(url, data=file.read(), headers={"Content-Type": kind}, auth=login, allow_redirects=False, timeout=_PATIENCE).status_code
    except OSError as error:  # those of requests are among them
        return type(error).__name__


def _login(token, username, password):
    """What requests wants as ``auth``; without one it would take a login from a .netrc file."""
    if not token and username:
        return requests.auth.HTTPBasicAuth(username.encode("utf-8"), (password or "").encode("utf-8"))

    def add(request):
        if token:
            request.headers["Authorization"] = "Bearer " + token
        return request

    return add
