# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Filters of the role reset_offsets. What they do is in plugin_utils/_reset.py."""

from __future__ import annotations

import functools

from ansible.errors import AnsibleFilterError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.boundaries import replay_topics
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _reset


def reset_proof(made, entries, cluster: str = "main") -> dict:
    """See _reset.proof(). made: what the module has returned, or a task that was skipped. cluster: the name that the document has for the cluster."""
    try:
        return _reset.proof(_returned(made).get("connectors") or [], entries, functools.partial(replay_topics, cluster=cluster))
    except DeclarationError as error:
        raise AnsibleFilterError("reset_proof: %s" % error.message) from error


def reset_undo(made, entries, proof, job, backup_file: str) -> list:
    """See _reset.undo(). job: what the module verify_replay has returned, empty or skipped if it has not run."""
    return _reset.undo(entries, _returned(made).get("connectors") or [], _reset.verdicts(proof, _returned(job)), backup_file)


def reset_outcome(made, predicted, entries, proof, job, undone, backup_file: str) -> dict:
    """See _reset.outcome(). job: as of reset_undo()."""
    return _reset.outcome(_returned(made), predicted, entries, _reset.verdicts(proof, _returned(job)), _returned(undone), backup_file)


def _returned(task) -> dict:
    return {} if task.get("skipped") else task


class FilterModule:
    def filters(self) -> dict:
        return {
            "reset_declared": _reset.declared,
            "reset_options": _reset.options,
            "reset_predicted": _reset.predicted,
            "reset_proof": reset_proof,
            "reset_undo": reset_undo,
            "reset_outcome": reset_outcome,
        }
