# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Text in the exposition format of Prometheus (version 0.0.4). Pure."""

from __future__ import annotations

_PLACE = ("source", "target", "connector", "topic", "partition")
_PAIR = ("source", "target")

#: name, what it is, its labels
_FAMILIES = [
    ("kafka_mirror_next_offset", "Offset of the next record that the mirror copies, as its stored position says", _PLACE),
    ("kafka_mirror_source_begin_offset", "Offset of the first record on the source", _PLACE),
    ("kafka_mirror_source_end_offset", "Offset after the last committed record on the source", _PLACE),
    ("kafka_mirror_lag_records", "Records that wait to be copied, at most", _PLACE),
    ("kafka_mirror_lag_seconds", "Age of the oldest record that waits to be copied", _PLACE),
    ("kafka_mirror_lost_records", "Records that were deleted on the source before they were copied, at most", _PLACE),
    ("kafka_mirror_heartbeat_age_seconds", "Age of the newest heartbeat", _PAIR),
]
_FIELDS = {"next_offset": "kafka_mirror_next_offset", "begin": "kafka_mirror_source_begin_offset", "end": "kafka_mirror_source_end_offset",
           "lag": "kafka_mirror_lag_records", "lag_ms": "kafka_mirror_lag_seconds", "lost": "kafka_mirror_lost_records"}


def mirror_metrics(flows) -> str:
    """flows: as mirror_info returns them, with all of their partitions."""
    samples = {name: {} for name, _words, _labels in _FAMILIES}
    for flow in flows:
        pair = (flow["source"], flow["target"] or "")
        for row in flow["partitions"]:
            place = pair + (flow["connector"], row["topic"], row["partition"])
            for field, name in _FIELDS.items():
                if row[field] is not None:
                    samples[name][place] = row[field] / 1000 if field == "lag_ms" else row[field]
        if flow["heartbeat"]:
            # Of two connectors for the same flow: a series must not come twice.
            samples["kafka_mirror_heartbeat_age_seconds"][pair] = flow["heartbeat"]["age_ms"] / 1000
    return "".join(_family(name, words, labels, samples[name]) for name, words, labels in _FAMILIES if samples[name])


def _family(name, words, labels, samples) -> str:
    lines = ["# HELP %s %s" % (name, words), "# TYPE %s gauge" % name]
    lines += ["%s{%s} %s" % (name, ",".join('%s="%s"' % pair for pair in zip(labels, map(_escaped, values))), number)
              for values, number in samples.items()]
    return "\n".join(lines) + "\n"


def _escaped(value) -> str:
    return str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
