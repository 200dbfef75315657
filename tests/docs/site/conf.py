# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx's settings for the site. `make docs` lays the pages that antsibull-docs writes beside this file."""

import re

from docutils import nodes

project = html_title = "streamops.kafka_connect"
author = "streamops contributors"
extensions = ["sphinx_antsibull_ext"]
highlight_language = "yaml"
html_theme = "furo"
html_show_sphinx = html_show_copyright = False
html_theme_options = {"source_repository": "https://github.com/streamops/ansible-kafka-connect/", "source_branch": "main"}

#: pages of Ansible's own documentation that antsibull-docs refers to; Sphinx would fetch its inventory to find them
ANSIBLE = "https://docs.ansible.com/ansible/latest/"
LABELS = {
    "action_plugins": "plugins/action.html",
    "ansible_configuration_settings": "reference_appendices/config.html",
    "common_return_values": "reference_appendices/common_return_values.html",
}


def ansible_page(_app, _env, node, content):
    page = LABELS.get(node.get("reftarget", ""))
    return nodes.reference("", "", content, refuri=ANSIBLE + page) if page else None


def without_contents(_app, _name, source):
    """The theme has the sections of a page at its side."""
    source[0] = re.sub(r"^\.\. contents::\n(?: +:.*\n)*", "", source[0], flags=re.MULTILINE)


def setup(app):
    app.connect("source-read", without_contents)
    app.connect("missing-reference", ansible_page)
