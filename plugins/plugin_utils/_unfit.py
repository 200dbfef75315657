# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Why a run cannot work whatever it is asked for: its image, or a variable that it cannot decrypt."""

from __future__ import annotations

import os
from importlib.util import find_spec

from ansible import release
from ansible.parsing import vault

#: the oldest ansible-core that this collection runs with, see meta/runtime.yml
_OLDEST = (2, 19)
_ADVICE = ("The image of extensions/ee has all of it: build it (make image), and select it as the execution environment of the template "
           "(awx_setup_execution_environment_image).")
#: variable of the host that needs it -> library
_LIBRARIES = {"kafka_connect_url": ("requests", "requests"), "kafka_bootstrap_servers": ("confluent_kafka", "confluent-kafka")}


def unfit(hostvars, host: str) -> str:
    """A sentence; empty if nothing is in the way."""
    variables = hostvars.raw_get(host)
    return old_core(release.__version__) or lacking_library(variables, os.environ) or next(filter(None, (
        undecryptable(name, value, host) for name, value in variables.items() if str(name).startswith("kafka_"))), "")


def old_core(version: str) -> str:
    """version: of ansible-core."""
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers >= _OLDEST:
        return ""
    return "This runs in %s with ansible-core %s, and this collection needs %d.%d or newer. %s" % (_image(os.environ), version, *_OLDEST, _ADVICE)


def lacking_library(variables, environment) -> str:
    """In a job of AWX, where modules run in the image. Elsewhere each module says it of the machine where it runs."""
    missing = [package for variable, (name, package) in _LIBRARIES.items() if variables.get(variable) is not None and not find_spec(name)]
    if not missing or not environment.get("AWX_HOST"):
        return ""
    return "This runs in %s without %s, which these clusters need. %s" % (_image(environment), " and ".join(missing), _ADVICE)


def _image(environment) -> str:
    """AWX does not tell a job which image it runs in; podman does where it may."""
    if not environment.get("AWX_HOST"):
        return "an environment"
    try:
        with open("/run/.containerenv", encoding="utf-8") as file:
            names = [line.partition("=")[2].strip().strip('"') for line in file if line.startswith("image=")]
    except OSError:
        names = []
    return "the image %s" % names[0] if names and names[0] else "an image"


def undecryptable(name: str, value, host: str) -> str:
    """name: of a variable; value: as the inventory has it, encrypted or not."""
    if isinstance(value, (list, tuple)):
        return next(filter(None, (undecryptable(name, one, host) for one in value)), "")
    ciphertext = vault.VaultHelper.get_ciphertext(value, with_tags=False)
    if not ciphertext:
        return ""
    try:
        str(value)
        return ""
    except Exception:  # of the vault, of its texts in another encoding
        header = ciphertext.splitlines()[0].split(";")
        label = header[3].strip() if len(header) > 3 else "default"
        return ("%s of %s is encrypted with the vault id %s, and no password of this run decrypts it. Give the template a credential of the type Vault with "
                "that vault id and its password; on the command line, --vault-id %s@prompt." % (name, host, label, label))
