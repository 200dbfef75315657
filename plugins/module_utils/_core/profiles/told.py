# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""What a profile tells people: the result of connector_offsets_info, warnings. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical

BACKWARD = "backward"


def shown(profile, config: dict, name: str, live=()):
    """The value ``profile`` of connector_offsets_info; None without a profile. config: the connector's. name: of the connector. live: its entries."""
    if profile is None:
        return None
    data = profile.data
    return {
        "name": profile.name, "title": profile.title, "verified": profile.verified, "source": data.get("source", ""), "absent": data.get("absent"),
        "shapes": [_shape(shape) for shape in profile.shapes], "stores": profile.stores(config, name), "overrides": profile.overrides(config),
        "hints": data.get("hints", []), "example": profile.example(live),
    }


def _shape(shape) -> dict:
    parts = (("partition", shape.partition), ("offset", shape.offset))
    found = {part: [dict({"name": name}, **field) for name, field in fields.items()] for part, fields in parts}
    position = shape.data.get("position")
    return dict(found, order=shape.data.get("order", "hash"), position=position and dict(position), until=shape.data.get("until"), now=shape.data.get("now"))


def of_a_change(profile, config: dict, plan) -> list:
    """Warnings of why a change of a source's offsets may have another effect than the one that is meant. config: the connector's."""
    name = plan.live.connector
    backward = any(action.moved[0] == BACKWARD for action in plan.changes)
    found = ["%s does not start from its offset: %s" % (name, text) for text in profile.overrides(config)]
    for action in plan.changes:
        field = action.shape and action.before and action.after and action.shape.unmoved(action.before, action.after)
        if field:
            found.append("The offset of the partition %s may have no effect: %s decides where %s goes on, and it stays as it is." % (
                canonical(action.partition), field, name))
            break
    stores = profile.stores(config, name, backward)
    if stores:
        found.append("%s also keeps its place elsewhere: %s. A change of its offsets alone may have no effect." % (name, "; ".join(stores)))
    return found


def older_beside(profile, live) -> list:
    """Warnings of live partitions in the form of an earlier version, beside those of now."""
    entries = [(entry, profile.shape_of(entry.partition)) for entry in live]
    older = [(entry, shape) for entry, shape in entries if shape is not None and shape.is_older]
    if not older or len(older) == len([shape for _entry, shape in entries if shape is not None]):
        return []
    entry, shape = older[0]
    return ["%d of the partitions, such as %s, have the form of %s and earlier, beside others. %s"
            % (len(older), canonical(entry.partition), shape.data["until"], shape.data.get("now", ""))]
