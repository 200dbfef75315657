# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible_collections.streamops.kafka_connect.plugins.plugin_utils import _unfit

ADVICE = ("The image of extensions/ee has all of it: build it (make image), and select it as the execution environment of the template "
          "(awx_setup_execution_environment_image).")
CIPHERTEXT = "$ANSIBLE_VAULT;1.2;AES256;eu\n3938\n"


class Variables(dict):
    """As Ansible has those of all hosts."""

    raw_get = dict.__getitem__


class Encrypted:
    """A value of an inventory; plain: None if no password of the run fits."""

    def __init__(self, plain, ciphertext=CIPHERTEXT):
        self.plain, self.ciphertext = plain, ciphertext

    def __str__(self):
        if self.plain is None:
            raise ValueError("Attempting to decrypt but no vault secrets found.")
        return self.plain


@pytest.fixture(autouse=True)
def ciphertexts(monkeypatch):
    monkeypatch.setattr(_unfit.vault.VaultHelper, "get_ciphertext", lambda value, with_tags: getattr(value, "ciphertext", None))


@pytest.mark.parametrize(("version", "said"), [
    ("2.15.13", f"This runs in an image with ansible-core 2.15.13, and this collection needs 2.19 or newer. {ADVICE}"),
    ("2.9", f"This runs in an image with ansible-core 2.9, and this collection needs 2.19 or newer. {ADVICE}"),
    ("2.19.0rc1", ""), ("2.21.1", ""), ("3.0.0", "")])
def test_an_old_ansible_core(monkeypatch, version, said):
    monkeypatch.setenv("AWX_HOST", "https://awx.example.com")
    assert _unfit.old_core(version) == said
    monkeypatch.delenv("AWX_HOST")
    assert _unfit.old_core(version) == said.replace("an image with", "an environment with")


def test_an_image_without_a_library(monkeypatch):
    monkeypatch.setattr(_unfit, "find_spec", lambda name: None if name == "confluent_kafka" else name)
    job = {"AWX_HOST": "https://awx.example.com"}
    both = {"kafka_connect_url": "http://c", "kafka_bootstrap_servers": ["b"]}
    assert _unfit.lacking_library(both, job) == f"This runs in an image without confluent-kafka, which these clusters need. {ADVICE}"
    assert _unfit.lacking_library({"kafka_connect_url": "http://c"}, job) == ""
    assert _unfit.lacking_library(both, {}) == ""  # modules may run elsewhere, and say it themselves
    monkeypatch.setattr(_unfit, "find_spec", lambda name: None)
    assert "without requests and confluent-kafka," in _unfit.lacking_library(both, job)


@pytest.mark.parametrize("value", [Encrypted(None), ["http://c", Encrypted(None)]])
def test_a_variable_that_no_password_decrypts(value):
    said = ("kafka_connect_url of eu is encrypted with the vault id eu, and no password of this run decrypts it. Give the template a credential of the type "
            "Vault with that vault id and its password; on the command line, --vault-id eu@prompt.")
    hosts = Variables(eu={"ansible_host": "x", "kafka_connect_url": value}, us={"kafka_connect_url": Encrypted("http://c")})
    assert _unfit.unfit(hosts, "eu") == said
    assert _unfit.unfit(hosts, "us") == ""


def test_what_is_not_ours():
    assert _unfit.unfit(Variables(eu={"other": Encrypted(None)}), "eu") == ""


def test_no_vault_id():
    assert "with the vault id default, and" in _unfit.undecryptable("kafka_x", Encrypted(None, "$ANSIBLE_VAULT;1.1;AES256\n39\n"), "eu")
