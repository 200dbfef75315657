# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""probe.py [SPARK_HOME] < EXPECTATION.json: what this Python has for the job, and what is wrong with the document, as JSON.

It runs on any Python 3, so that one that is too old is named and does not break.
"""

import glob
import json
import os
import sys


def pyspark_of(home):
    """home: Spark's folder, if it is not that of pyspark."""
    if home:
        sys.path[1:1] = [os.path.join(home, "python"), *glob.glob(os.path.join(home, "python", "lib", "py4j-*.zip"))]
    try:
        import pyspark
    except Exception as error:  # whatever it is, this Python cannot run the job
        return {"error": f"{type(error).__name__}: {error}", "version": None, "home": home}
    return {"error": None, "version": pyspark.__version__, "home": home or os.path.dirname(pyspark.__file__)}


def fault_of(content):
    """What the job would say of the document; None: nothing. Needs no Spark."""
    from verify_replay import errors, expectation

    try:
        expectation.load(content)
    except errors.ExpectationError as error:
        return str(error)
    return None


if __name__ == "__main__":
    version = list(sys.version_info[:2])
    document = sys.stdin.read()
    found = dict(pyspark_of(sys.argv[1]), python=version, document=fault_of(document) if version >= [3, 11] else None)
    print(json.dumps(found))
