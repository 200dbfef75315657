# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Private to this collection: no other collection may import it, its content can change at any time.

"""Certificate and key of the client in one text, as Kafka's Java client wants them: the key as PKCS #8, without its pass phrase.

Java 17 cannot read every encrypted key, and beside its pass phrase in the properties file it would be no safer.
"""

from __future__ import annotations

import re
import traceback

from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, LibraryMissing

try:
    from cryptography.hazmat.primitives import serialization
except ImportError:
    serialization = None
    CRYPTOGRAPHY_TRACEBACK = traceback.format_exc()
else:
    CRYPTOGRAPHY_TRACEBACK = None

_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def pem(certificate: str, key: str, password) -> bytes:
    """certificate, key: paths. Raises DeclarationError, LibraryMissing."""
    if serialization is None:
        raise LibraryMissing("cryptography", CRYPTOGRAPHY_TRACEBACK)
    chain = _CERTIFICATE.findall(_content(certificate))
    if not chain:
        raise DeclarationError("%s holds no certificate." % certificate)
    return b"\n".join([_plain_key(key, password), *chain, b""])


def _plain_key(path: str, password) -> bytes:
    found = _KEY.search(_content(path))
    if found is None:
        raise DeclarationError("%s holds no private key." % path)
    phrase = (password or "").encode("utf-8") if b"ENCRYPTED" in found.group() else None
    try:
        key = serialization.load_pem_private_key(found.group() + b"\n", phrase)
    except (TypeError, ValueError) as error:
        raise DeclarationError("%s cannot be read, maybe its pass phrase is wrong: %s." % (path, str(error).split(".", 1)[0])) from error
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).strip()


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise DeclarationError("%s cannot be read: %s." % (path, error.strerror)) from error
