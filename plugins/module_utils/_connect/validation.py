# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Has a worker the class of a connector, and does that take the configuration? Asked before anything is changed, in check mode, too."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._connect.rest_errors import lacks_class
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.text import did_you_mean, plural

#: whoever may not ask this, or gets no answer in time, may still be able to change the configuration
_NOT_ASKED = (errors.AccessDenied, errors.NotConnect, errors.EndpointMissing, errors.OutcomeUnknown, errors.ResponseLost)


def check_config(client, name: str, config: dict) -> list:
    """Warnings. config: as Connect keeps it, with connector.class. Raises DeclarationError with one line for each field that is refused."""
    try:
        found = client.validate(config)
    except _NOT_ASKED as error:
        return ["The configuration of %s was not validated: %s" % (name, error.message)]
    except errors.Refused as error:
        if not lacks_class(error.facts.get("server_message")):
            raise
        raise _no_class(client, name, config["connector.class"])
    if not found:
        return []
    lines = ["- %s: %s" % (field, "; ".join(_on_one_line(one) for one in found[field])) for field in sorted(found)]
    raise errors.DeclarationError("The worker at %s refuses the configuration of %s, %s of it.\n%s" % (
        client.url, name, plural(len(found), "field"), "\n".join(lines)), config_errors=found)


def _no_class(client, name, wanted):
    try:
        known = {one.get("class") or "" for one in client.plugins()}
    except errors.RestError:
        known = set()
    short = {one.rpartition(".")[2]: one for one in known}
    hint = did_you_mean(wanted, known) or did_you_mean(wanted.rpartition(".")[2], short)
    return errors.DeclarationError(
        "The worker at %s has no class %s, which connector.class of %s names.%s %s/connector-plugins lists what it has. Correct "
        "the name, or install the plugin on every worker." % (client.url, wanted, name, hint, client.url))


def _on_one_line(text) -> str:
    return " ".join(str(text).split())
