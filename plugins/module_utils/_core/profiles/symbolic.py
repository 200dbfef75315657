# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Symbolic positions (reset_to) of sources whose profile says what they mean: a time, and a new snapshot. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import Entry, canonical
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.reset_spec import RESNAPSHOT
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.timestamps import timestamp

_NO_RESET = (
    "%s is a source, and %s is for %s. The offsets of other sources are positions in another system, in a form of their own: which one "
    "is the first, the last, or of a time is not known here. Declare them in offsets, or remove them with state: absent to have it begin anew.")
_SINKS = "sinks and for MirrorMaker's source connectors"
_BEGINS = ("Without offsets %s begins with a snapshot of all of its tables: reset_to: resnapshot removes all of them, also those of earlier versions, from "
           "which it could go on. %s")

_MILLION = 1000000


def resolve(profile, config: dict, live, reset) -> tuple:
    """({canonical partition: Entry}, None for "remove all"; what each is, in words; warnings). profile: of the connector, or None. config: the connector's.
    live: Snapshot. reset: _core.reset_spec.Reset. Raises DeclarationError where that means nothing to such a connector.
    """
    means = profile.data.get("reset", {}) if profile is not None else {}
    if reset.word == RESNAPSHOT:
        known, words = means.get("resnapshot"), ("reset_to: resnapshot", "Debezium's connectors")
    else:
        known, words = means.get("time") if reset.time() is not None else None, ("reset_to", _SINKS)
    if known is None:
        raise DeclarationError(_NO_RESET % ((live.connector,) + words))
    if reset.topics is not None:
        raise DeclarationError("topics are those of a sink or of MirrorMaker, and %s is a source: leave them out." % live.connector)
    _check_setting(known["when"], config, live.connector, reset)
    return _removed(known, live) if reset.word == RESNAPSHOT else _at_time(known, live, reset)


def _check_setting(condition, config, name, reset) -> None:
    value = str(config.get(condition["setting"]) or condition.get("default", "not set")).strip()
    if value.lower() not in condition["values"]:
        raise DeclarationError("reset_to: %s cannot be used for %s, as its %s is %s: it has to be %s." % (
            reset, name, condition["setting"], value, " or ".join(condition["values"])))


def _removed(known, live) -> tuple:
    return None, {}, [_BEGINS % (live.connector, known["signal"])] if live.entries or live.unreadable else []


def _at_time(known, live, reset) -> tuple:
    """Of every partition that is live. Rows of the stored time itself are not read again, so it is the last moment before."""
    if not live.entries:
        raise DeclarationError("%s has no offsets yet, so it is not known which partitions to set to that time: declare partitions and offsets in offsets."
                               % live.connector)
    last, milliseconds, nanoseconds = reset.time() - 1, known["milliseconds"], known["nanoseconds"]
    keyed, notes = {}, {}
    for key, entry in live.entries.items():
        offset = dict(entry.offset, **{milliseconds: last})
        if nanoseconds in offset:
            offset[nanoseconds] = last % 1000 * _MILLION
        keyed[key], notes[canonical(entry.partition)] = Entry(entry.partition, offset), "rows of %s or later" % timestamp(last + 1)
    return keyed, notes, []
