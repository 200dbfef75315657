# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Java, Python and pyspark on this machine, and what the job's own code says of the document. Nothing is changed."""

from __future__ import annotations

import json
import os
import pwd
import re

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, StateError
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify.process import answer

_JAVA, _PYTHON, _PYSPARK = 17, (3, 11), "4.2.0"
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)')


class Spark:
    """A pyspark that can run the job."""

    def __init__(self, python: str, home: str, version: str):
        self.python, self.home, self.version = python, home, version
        self.submit = os.path.join(home, "bin", "spark-submit")

    def environment(self, is_local: bool, environ) -> dict:
        """For spark-submit, which would look for Spark with the first python3 of the PATH."""
        found = dict(environ, SPARK_HOME=self.home, PYSPARK_PYTHON=self.python, PYSPARK_DRIVER_PYTHON=self.python, PYTHONDONTWRITEBYTECODE="1")
        if is_local:
            found.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        return found


def java_version(environ) -> int:
    """Raises StateError if there is none, or it is too old."""
    home = environ.get("JAVA_HOME")
    try:
        done = answer([os.path.join(home, "bin", "java") if home else "java", "-version"])
        found = _VERSION.search(done.stderr + done.stdout)
    except OSError:
        found = None
    if found is None:
        raise StateError("Spark needs Java %d or newer, and there is none: neither JAVA_HOME nor the PATH leads to one that runs." % _JAVA)
    if int(found.group(1)) < _JAVA:
        raise StateError("Spark needs Java %d or newer, and this is Java %s." % (_JAVA, found.group(1)))
    return int(found.group(1))


def check_user() -> None:
    """Raises StateError. In a container a user can have no name; Java then has no home folder for it either, and Hadoop's login fails."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise StateError("User id %d has no name on this machine (no line in /etc/passwd), and Spark does not start without one. In an image made by "
                         "ansible-builder whoever is in group 0 gets one: run the job as any user with group 0, or add the line." % os.geteuid()) from None


def find_spark(python: str, home, program: str, document: dict) -> Spark:
    """home: Spark's folder, if it is not that of pyspark. Raises StateError for what is missing, DeclarationError for a document that is wrong."""
    found = _probe(python, home or "", program, document)
    if tuple(found["python"]) < _PYTHON:
        raise _lacking(python, "is older than Python %d.%d" % _PYTHON)
    if found["document"]:
        raise DeclarationError(found["document"])
    if found["error"]:
        raise _lacking(python, "has no pyspark (%s)" % found["error"])
    spark = Spark(python, found["home"], found["version"])
    if not os.access(spark.submit, os.X_OK):
        raise _lacking(python, "has a pyspark, but there is no spark-submit in %s" % spark.home)
    return spark


def _probe(python: str, home: str, program: str, document: dict) -> dict:
    """What probe.py of the job prints. The document on standard input, as it can be long."""
    try:
        done = answer([python, os.path.join(program, "probe.py"), home], input=json.dumps(document), env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        return json.loads(done.stdout)
    except OSError as error:
        raise _lacking(python, "cannot be run (%s)" % error.strerror) from error
    except ValueError as error:
        said = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise _lacking(python, "is no Python that can run the job (exit status %d: %s)" % (done.returncode, said)) from error


def _lacking(python: str, what: str) -> StateError:
    return StateError("%s %s. Install pyspark with: %s -m pip install pyspark==%s (or give another Python in the option python)." % (
        python, what, python, _PYSPARK))
