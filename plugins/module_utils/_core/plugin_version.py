# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Class and version of a connector: another one can have other partitions and other fields in its offsets."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core import errors


def plugin_of(client, config, version=None):
    """{"class", "version"} of a connector; version None where nobody tells.

    config: the connector's. version: as its status shows it, from Connect 4.1 on; else it is that of the only plugin of this class.
    """
    name = (config or {}).get("connector.class")
    if not name:
        return None
    return {"class": name, "version": version or _listed(client, name)}


def _listed(client, name):
    try:
        found = {one.get("version") for one in client.plugins() if _same_class(one.get("class"), name)}
    except errors.ConnectError:
        return None
    return found.pop() if len(found) == 1 else None


def differs(there, here) -> str:
    """In words, what differs between the plugin of a document and that of the connector; empty where nothing does or one side does not tell."""
    if not there or not here or not isinstance(there.get("class"), str):
        return ""
    if not _same_class(there["class"], here["class"]):
        return "%s there and %s here" % (there["class"], here["class"])
    versions = there.get("version"), here["version"]
    if None in versions or versions[0] == versions[1]:
        return ""
    return "%s of version %s there and %s here" % (here["class"], versions[0], versions[1])


def _same_class(one, other) -> bool:
    """Connect takes the name without its package, and without "Connector" at its end."""
    return isinstance(one, str) and (one == other or _simple(one) == _simple(other) and not ("." in one and "." in other))


def _simple(name) -> str:
    name = name.rsplit(".", 1)[-1]
    return name[:-len("Connector")] if name.endswith("Connector") else name
