# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records that came more than once after the boundary."""

from __future__ import annotations

from pyspark.sql import functions as F

from verify_replay.checks.base import BaseCheck, verdict
from verify_replay.data import Result, Scanned, number, plural
from verify_replay.expectation import AFTER


class Duplicates(BaseCheck):
    """Exact, by a hash of 64 bits: over five million records a false hit is to be expected in one of a million runs."""

    def hashes(self) -> set[str]:
        return {self.parameters["by"]}

    def ask(self, scans: dict[str, Scanned]) -> None:
        groups, twice = self.scanned(scans).groups(self.parameters["by"]), F.col("after_") > 1
        groups.ask({}, {self.own("twice"): F.count_if(twice)})
        groups.ask_positions(self.own("at"), twice, "last_after", self.limit)

    def judge(self, scans: dict[str, Scanned]) -> Result:
        scanned, most = self.scanned(scans), self.parameters["max"]
        groups = scanned.groups(self.parameters["by"])
        found, kinds, after = groups.total("repeated_after"), groups.total(self.own("twice")), scanned.facts.count(after=True)
        sentence = f"{plural(found, 'duplicate')} among {number(after)} records after the boundary; {number(most)} may be."
        figures = {"after": after, "duplicates": found, "repeated": kinds, "max": most}
        samples = []
        if found > most:
            samples = [scanned.sample(at, "the last of several that are equal") for at in groups.positions(self.own("at"))]
        nothing = None if after else "no record came after the boundary"
        return verdict(found > most, sentence, figures, samples, [(scanned, scanned.gone(AFTER))], nothing)
