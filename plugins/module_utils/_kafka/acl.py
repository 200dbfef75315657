# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What the brokers say that our user may do (KIP-430), and what of it a change lacks. Pure: nothing here asks them.

They tell it of topics and of groups, with wildcards, prefixes, denials and super users worked in, and of no TransactionalId.
"""

from __future__ import annotations

import shlex
from collections import namedtuple

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import BrokerDenied

TOPIC, GROUP = "Topic", "Group"
CREATE, DELETE, READ, WRITE = "Create", "Delete", "Read", "Write"

_DESCRIBE = "DESCRIBE"
_SHOWN = 10

#: kind: TOPIC or GROUP. about: a sentence for whoever lacks it; empty text for none
Right = namedtuple("Right", ["operation", "kind", "name", "brokers", "about"])


def told(names):
    """The operations of an answer, by their names in capitals, as a set; None where it does not tell.

    Who may not Describe gets no answer at all, so one without that comes from brokers that do not work it out.
    """
    found = frozenset(names or ())
    return found if _DESCRIBE in found else None


def missing_acls(needed, known: dict, brokers: str) -> list:
    """The Rights that are certainly not there. needed: [(operation, kind, name)]; known: {(kind, name): what told() gives}."""
    found = []
    for operation, kind, name in needed:
        operations = known.get((kind, name))
        if operations is not None and operation.upper() not in operations:
            found.append(Right(operation, kind, name, brokers, ""))
    return found


def denied(connector: str, rights) -> BrokerDenied:
    """The refusal, which names each right that is lacking, and how to grant it."""
    brokers = rights[0].brokers
    about = sorted({one.about for one in rights if one.about})
    words = ["%s on %s %s" % one[:3] for one in rights]
    return BrokerDenied(
        "The brokers at %s do not allow the change of %s: the user needs the permission %s%s. %sTo grant it: %s "
        "(NAME: the user's name)." % (
            brokers, connector, ", ".join(words[:_SHOWN]), " and %d more" % (len(words) - _SHOWN) if len(words) > _SHOWN else "",
            "".join(text + " " for text in about), "; ".join(commands(rights[:_SHOWN]))),
        bootstrap_servers=brokers, missing_permissions=words)


def commands(rights) -> list:
    """What to type to grant them: one command for all topics, or groups, that need the same."""
    names = {}
    for one in rights:
        names.setdefault((one.brokers, one.operation, one.kind), []).append(one.name)
    return ["kafka-acls.sh --bootstrap-server %s --add --allow-principal User:NAME --operation %s %s" % (
        brokers, operation, " ".join("--%s %s" % (kind.lower(), shlex.quote(name)) for name in found))
        for (brokers, operation, kind), found in names.items()]
