# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page on what connectors store is made from their profiles: it has to be what the data says. With --write it is written."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.profiles.catalog import FAMILIES

PAGE = Path("docs/docsite/rst/guide_connectors.rst")
HEAD = """..
  Copyright (c) 2026 streamops contributors
  GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
  SPDX-License-Identifier: GPL-3.0-or-later

.. _ansible_collections.streamops.kafka_connect.docsite.guide_connectors:

What connectors store
=====================

Connect accepts nearly every offset. Which of them a connector can use is in the connector's source code alone. For the classes of this page
(``connector.class``) the collection has it as a *profile*, with these effects:

- A new partition or field with a wrong type, or that lacks what the connector needs, is refused before anything is stopped
  (``force: true``: a warning). What is live counts as right, whatever this page says.
- A new record on the offsets topic has its fields in the order in which the connector looks for it.
- Directions and distances are in the connector's own unit, so ``max_rewind``, ``max_skip`` and ``direction`` work for binlogs and
  LSNs, too. Text without an order is never compared.
- ``reset_to`` takes a time, or ``resnapshot``, where the connector's offsets allow it.
- The first commit after a change shows whether the connector continues from the declared offset (``check_position``).
- Warnings name what else decides where the connector continues: another place where it keeps its position, or a setting.
- :ansplugin:`streamops.kafka_connect.connector_offsets_info#module` returns the ``profile``, and a declaration that is refused in check
  mode shows an example.

A type ``int32`` or ``int64`` is a whole number, ``string`` a text, also where it holds digits. *next* means that the position is the next
thing to read, *last* that it is the last one that was read. "Not verified" is what could not be read in the source: it leads to warnings
only.

Connectors of your own
----------------------

A file on the controller, in YAML or JSON, adds profiles, or replaces those of this page for a class. The option, or variable of the host,
``kafka_connect_profiles`` is its path. It is a list of dictionaries in the form of this example; what is wrong with it
is said before anything else:

.. code-block:: yaml

    - name: orders-source
      classes: [com.example.OrdersSourceConnector]
      shapes:
        - partition:
            region: {type: string, meaning: where the orders are from}
          order: hash            # listed: in the order given here; varies: another one at each start
          offset:
            order_id: {type: int64, required: true, unit: order, meaning: the last order that was read}
            token: {type: string, since: "2.0"}
          position: {fields: [order_id], compare: number, means: last}   # first, file, text, opaque
          example:
            partition: {region: eu}
            offset: {order_id: 4711}
      absent: all orders are read
      stores:                    # where else it keeps its position
        - where: its table of checkpoints
          when: {setting: checkpoints, values: ["true"]}
          seeks: {}              # it goes on from there, whatever its offset is
      overrides:                 # settings by which it does not start from its offset
        - {setting: start.from, values: [beginning], effect: each start reads all orders}
      hints: [Orders are numbered from 1.]

``compare`` is ``number`` (the first of the fields that differs, which can be digits as text), ``first`` (the first of the fields that
both offsets have), ``file`` (a file with a number at the end of its name, and a place in it), ``text`` (the fields in turn, hex text of
one length) or ``opaque``."""


def page() -> str:
    lines = [HEAD, ""]
    for title, profiles in FAMILIES:
        lines += [title, "-" * len(title), ""]
        for profile in profiles:
            lines += [*_section(profile), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(profile: dict) -> Iterator[str]:
    yield from (profile["title"], "^" * len(profile["title"]), "")
    yield ", ".join(f"``{name}``" for name in profile["classes"]) + ("" if profile["verified"] else " (not verified)")
    for shape in profile.get("shapes", []):
        yield ""
        if "until" in shape:
            yield f"{shape['until']} and earlier. {shape.get('now', '')}"
            if "migrate" in shape:
                yield f"``rewrite: [{{migrate: {shape['migrate']['name']}}}]`` moves it to the current form."
            yield ""
        yield from _table(shape)
        yield from ("", "In the order of this table.", "") if shape.get("order") == "listed" else ("",)
        yield from (".. code-block:: json", "", "    " + json.dumps(shape["example"], ensure_ascii=False))
    facts = list(_facts(profile))
    if facts:
        yield ""
        yield from (f"- {fact}" for fact in facts)


def _table(shape: dict) -> Iterator[str]:
    yield from (".. list-table::", "   :header-rows: 1", "", "   * - Part", "     - Field", "     - Type", "     - Meaning")
    for part in ("partition", "offset"):
        for name, field in shape[part].items():
            told = [field.get("meaning", "").replace("*", r"\*"), f"since {field['since']}" if "since" in field else "",
                    "can be missing" if field.get("optional") else "", "has to be there" if field.get("required") else ""]
            kind = field["type"] + (f", in {field['unit']}s" if "unit" in field else "")
            meaning = "; ".join(filter(None, told))
            yield from (f"   * - {part}", f"     - ``{name}``", f"     - {kind}", f"     - {meaning}".rstrip())
    position = shape.get("position")
    if position:
        way = f"the *{position['means']}* one" if "means" in position else ""
        way = "never compared" if position["compare"] == "opaque" else way
        fields = ", ".join(f"``{name}``" for name in position["fields"])
        yield from ("   * - position", f"     - {fields}", "     -", f"     - {way}".rstrip())


def _facts(profile: dict) -> Iterator[str]:
    if "absent" in profile:
        yield f"Without an offset: {profile['absent']}."
    yield from _reset(profile.get("reset", {}))
    for one in profile.get("stores", []):
        unless = one.get("seeks", {}).get("unless")
        but = f", unless ``{unless['setting']}`` is ``{unless['values'][0]}``" if unless else ""
        counts = f" It goes on from there, whatever its offset is{but}." if "seeks" in one else ""
        yield f"It also keeps its place elsewhere: {one['where'].replace('{name}', 'NAME')}.{counts}"
    for one in profile.get("overrides", []):
        yield f"``{one['setting']}`` {' or '.join(f'``{value}``' for value in one['values'])}: {one['effect']}."
    yield from profile.get("hints", [])
    yield f"Source: {profile['source']}."


def _reset(means: dict) -> Iterator[str]:
    words = {"time": ("timestamp: ...", "sets all partitions back to that time"), "resnapshot": ("resnapshot", "removes all offsets")}
    for name, one in means.items():
        values = " or ".join(f"``{value}``" for value in one["when"]["values"])
        yield f"``reset_to: {words[name][0]}`` {words[name][1]}, where ``{one['when']['setting']}`` is {values}."


def main() -> int:
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        print(f"{PAGE} is not what the profiles say: write it with python tests/lint/profiles_page.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
