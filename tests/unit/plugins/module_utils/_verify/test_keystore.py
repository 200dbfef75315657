# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.module_utils._core.errors import DeclarationError, LibraryMissing
from ansible_collections.streamops.kafka_connect.plugins.module_utils._verify import keystore

rsa = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.rsa")
from cryptography.hazmat.primitives import serialization  # noqa: E402

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(65537, 2048)


@pytest.fixture
def files(tmp_path, key):
    """Paths of a certificate with its chain, and of its key, encrypted with the pass phrase "geheim"."""
    certificate, encrypted = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_text(f"of the user\n{CERTIFICATE}\nof the CA\n{CERTIFICATE}\n")
    encrypted.write_bytes(b"Bag Attributes\n" + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.BestAvailableEncryption(b"geheim")))
    return str(certificate), str(encrypted)


def test_key_as_pkcs8_and_chain(files, key):
    found = keystore.pem(*files, "geheim").decode()
    plain, end, chain = found.partition("-----END PRIVATE KEY-----\n")
    assert plain.startswith("-----BEGIN PRIVATE KEY-----") and chain == f"{CERTIFICATE}\n{CERTIFICATE}\n"
    assert serialization.load_pem_private_key((plain + end).encode(), None).private_numbers() == key.private_numbers()


def test_faults(files, tmp_path):
    certificate, encrypted = files
    for phrase in ("wrong", "", None):
        with pytest.raises(DeclarationError, match="key.pem cannot be read, maybe its pass phrase is wrong"):
            keystore.pem(certificate, encrypted, phrase)
    with pytest.raises(DeclarationError, match="cert.pem holds no private key"):
        keystore.pem(certificate, certificate, None)
    with pytest.raises(DeclarationError, match="key.pem holds no certificate"):
        keystore.pem(encrypted, encrypted, "geheim")
    with pytest.raises(DeclarationError, match="gone.pem cannot be read: No such file"):
        keystore.pem(str(tmp_path / "gone.pem"), encrypted, "geheim")


def test_without_the_library(files, monkeypatch):
    monkeypatch.setattr(keystore, "serialization", None)
    with pytest.raises(LibraryMissing, match="cryptography"):
        keystore.pem(*files, "geheim")
