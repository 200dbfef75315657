# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Offsets that are refused in check mode: how those of this connector are declared."""

from __future__ import annotations

from contextlib import contextmanager

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import ConnectError, OffsetsError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.model import canonical


@contextmanager
def with_example(worker, name: str, profiles, check_mode: bool, fact=None):
    """In check mode an OffsetsError gets an example: in its message, and as the fact ``example``; or as {name: example} in the fact of that name.

    worker: ConnectClient, or None. profiles: Catalog.
    """
    try:
        yield
    except OffsetsError as error:
        example = add_example(error, worker, name, profiles) if check_mode else None
        if example is not None:
            error.facts[fact or "example"] = {name: example} if fact else example
        raise


def add_example(error, worker, name: str, profiles):
    """Of an OffsetsError, in its message: a live pair of the connector, else that of its profile. Returns it; None where there is none."""
    example = _example(worker, name, profiles) if isinstance(error, OffsetsError) else None
    if example is not None:
        error.also("An offset of %s is declared like this: offsets: [%s]" % (name, canonical(example)))
    return example


def _example(worker, name, profiles):
    from ansible_collections.streamops.kafka_connect.plugins.module_utils._change.offsets_info import OffsetsInfo
    try:
        found = OffsetsInfo(worker, None, max_entries=1, profiles=profiles).one(name)
    except ConnectError:
        return None
    return (found["profile"] or {}).get("example") or (found["offsets"] or [None])[0]
