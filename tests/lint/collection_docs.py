# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""antsibull-docs lint-collection-docs, of this collection.

The name of its temporary folder gets into the texts that it checks. One that ends with an underscore, as one in 37 does, is a reference
in RST, to a target that does not exist.
"""

from __future__ import annotations

import sys
import tempfile

from antsibull_docs.cli.antsibull_docs import main

if __name__ == "__main__":
    tempfile._RandomNameSequence.characters = tempfile._RandomNameSequence.characters.replace("_", "")
    sys.argv = ["antsibull-docs", "lint-collection-docs", "--plugin-docs", "."]
    sys.exit(main())
