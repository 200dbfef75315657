# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""The profile of a connector, found by its class, and what it says. Pure."""

from __future__ import annotations

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles import (
    databases,
    debezium,
    debezium_text,
    files,
    jdbc,
    kafka,
    queues,
    sinks,
)
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.position import movement, stays, unmoved
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.schema import LISTED, VARIES, check_profiles

#: (title of a group, its profiles)
FAMILIES = [
    ("Kafka's own connectors", kafka.PROFILES), ("Debezium", debezium.PROFILES + debezium_text.PROFILES), ("JDBC", jdbc.PROFILES),
    ("Other databases", databases.PROFILES), ("Files and objects", files.PROFILES), ("Queues, streams and generated data", queues.PROFILES),
    ("Sinks", sinks.PROFILES),
]


class Shape:
    """One form of partition and offset that a connector has."""

    def __init__(self, data: dict):
        self.data = data
        self.partition, self.offset, self.example = data["partition"], data["offset"], data["example"]
        #: only an earlier version writes it
        self.is_older = "until" in data
        self._names, self._needed = frozenset(self.partition), frozenset(name for name, field in self.partition.items() if not field.get("optional"))
        self.required = [name for name, field in self.offset.items() if field.get("required")]

    def has(self, partition: dict) -> bool:
        """Does a partition have the fields of this shape?"""
        return self._needed <= partition.keys() <= self._names

    def order(self, partition: dict):
        """Its fields as the connector writes them; None where that is a HashMap's order, or changes."""
        return [name for name in self.partition if name in partition] if self.data.get("order") == LISTED else None

    @property
    def varies(self) -> bool:
        return self.data.get("order") == VARIES

    def field(self, name: str):
        """The field of an offset; None where there is no such field. A name that ends in * stands for all that begin so."""
        return self.offset.get(name) or next((field for known, field in self.offset.items() if known.endswith("*") and name.startswith(known[:-1])), None)

    @property
    def has_position(self) -> bool:
        return "position" in self.data

    def movement(self, before: dict, after: dict) -> tuple:
        """(direction, distance), see _core.profiles.position.movement."""
        return movement(self.data["position"], before, after)[:2]

    def unmoved(self, before: dict, after: dict):
        """The field that decides, and stays as it is while others of the position change; None where there is none."""
        return unmoved(self.data["position"], before, after) if self.has_position else None

    def stays(self, before: dict, after: dict) -> bool:
        """Is the position of two offsets the same one, whatever else differs?"""
        return self.has_position and stays(self.data["position"], before, after)

    def unit(self, before: dict, after: dict) -> str:
        """What the distance counts; empty where that is not known."""
        field = movement(self.data["position"], before, after)[2] if self.has_position else None
        return self.offset[field].get("unit", "") if field else ""


class Profile:
    """What one family of connectors stores."""

    def __init__(self, data: dict):
        self.data = data
        self.name, self.title = data["name"], data.get("title", data["name"])
        #: was it read from the source of the connector? Else what it says is worth warnings alone
        self.verified = data.get("verified", True)
        self.shapes = [Shape(one) for one in data.get("shapes", [])]

    def shape_of(self, partition):
        """The Shape of a partition, None where it has none of them."""
        return next((shape for shape in self.shapes if shape.has(partition)), None) if isinstance(partition, dict) else None

    def order(self, partition):
        """The fields of a partition in the order in which the connector writes them; None where that is a HashMap's, or not known."""
        shape = self.shape_of(partition)
        return shape and shape.order(partition)

    @property
    def shape(self):
        """The first one that is not an older version's, None where there is none."""
        return next((shape for shape in self.shapes if not shape.is_older), None)

    def stores(self, config: dict, name: str, backward=True) -> list:
        """Where else the connector keeps its place, in words. config: the connector's. name: of the connector. backward: does it go back?"""
        return [one["where"].replace("{name}", name) for one in self.data.get("stores", [])
                if _holds(one.get("when"), config) and (backward or "only" not in one)]

    def own_position(self, config: dict, name: str, backward: bool) -> str:
        """Of these places the first one from which the connector goes on whatever its offset is; empty where there is none."""
        found = [one for one in self.data.get("stores", []) if "seeks" in one and _holds(one.get("when"), config)
                 and (backward or "only" not in one) and not ("unless" in one["seeks"] and _holds(one["seeks"]["unless"], config))]
        return found[0]["where"].replace("{name}", name) if found else ""

    def overrides(self, config: dict) -> list:
        """Sentences of settings by which the connector does not start from its offsets."""
        return ["%s is %s: %s." % (one["setting"], config[one["setting"]], one["effect"]) for one in self.data.get("overrides", []) if _holds(one, config)]

    def example(self, live=()) -> dict:
        """A pair {partition, offset} of this connector, with a live partition (of entries) where there is one; None without an example."""
        for entry in live:
            shape = self.shape_of(entry.partition)
            if shape is not None and entry.offset:
                return {"partition": entry.partition, "offset": entry.offset}
        return self.shape and self.shape.example


def _holds(condition, config) -> bool:
    """Does a condition of a profile hold? Without values: is the setting set?"""
    if condition is None:
        return True
    value = config.get(condition["setting"])
    return bool(value) and ("values" not in condition or str(value).strip().lower() in [one.lower() for one in condition["values"]])


class Catalog:
    """All profiles, a user's own before those of this collection."""

    def __init__(self, own=None, where: str = "profiles"):
        """own: list of profiles as data. where: what it is called in messages. Raises DeclarationError for what is no profile."""
        if own:
            check_profiles(own, where)
        self._by_class, self._by_alias = {}, {}
        for data in list(own or []) + [one for _title, profiles in FAMILIES for one in profiles]:
            profile = Profile(data)
            for name in data["classes"]:
                if self._by_class.setdefault(name, profile) is profile:
                    self._by_alias.setdefault(_alias(name), []).append(profile)

    @property
    def profiles(self) -> list:
        return list(dict.fromkeys(self._by_class.values()))

    def find(self, config):
        """The Profile of a connector, None where there is none. config: its configuration, or None."""
        name = (config or {}).get("connector.class") or ""
        if name in self._by_class or "." in name:
            return self._by_class.get(name)
        found = self._by_alias.get(_alias(name), [])  # Connect takes the name without its package, too
        return found[0] if found and all(one is found[0] for one in found) else None


def _alias(name: str) -> str:
    name = name.rsplit(".", 1)[-1]
    return name[:-len("Connector")] if name.endswith("Connector") else name


#: the profiles of this collection
BUILT_IN = Catalog()
_SHAPES = [Shape(one) for _title, profiles in FAMILIES for profile in profiles for one in profile.get("shapes", [])]


def recognised(partition, offset):
    """The only Shape of this collection that has such fields, None where there is none, or more than one. For what is said, where the class of the
    connector is not known: nothing is decided by it.
    """
    if not isinstance(partition, dict) or not offset:
        return None
    found = [shape for shape in _SHAPES if shape.has(partition) and all(shape.field(name) for name in offset)]
    return found[0] if len(found) == 1 else None
