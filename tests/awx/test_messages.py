# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job says that cannot work, before it asks any cluster: one sentence, whole, and no trace of Ansible's own."""

from __future__ import annotations

import json

import pytest

from tests.awx.data import ROOT, tool
from tests.awx.jobs import Awx

EXAMPLE = ('[{"name": "orders-sink", "offsets": [{"partition": {"kafka_topic": "orders", "kafka_partition": 3}, '
           '"offset": {"kafka_offset": 1043}}]}]')


@pytest.fixture
def awx(project, data, tmp_path) -> Awx:
    """Clusters whose workers nobody asks."""
    hosts = {"eu-1": {"kafka_connect_url": "http://127.0.0.1:9"}, "eu-2": {"kafka_connect_url": "http://127.0.0.1:10"}}
    groups = {"all": {"hosts": list(hosts)}, "_meta": {"hostvars": hosts}}
    return Awx(tmp_path, *project, groups, {one["name"]: one for one in data["controller_credential_types"]})


@pytest.mark.parametrize(("connectors", "said"), [
    ("", "File of the change (reset_offsets_change) and Connectors (reset_offsets_connectors) are both empty: "
         "one of them says what to change. Nothing was changed."),
    ('[{"name": "{{ secret }}" "offsets": []}]',
     "Line 1, column 26 of Connectors (reset_offsets_connectors) cannot be read: Expecting ',' delimiter. "
     f"It is a list as JSON or YAML, such as {EXAMPLE}. Nothing was changed.")])
def test_answers_that_cannot_be_used(awx, template, connectors, said):
    done = awx.launch(template("reset"), {"reset_offsets_connectors": connectors}, limit="eu-1")
    assert done.rc != 0 and done.failures() == [said], done
    assert "secret" not in str(done)


@pytest.mark.parametrize("vaults", [{}, {"eu": "wrong"}])
@pytest.mark.parametrize("variable", ["kafka_connect_password", "kafka_connect_url"])
def test_what_the_inventory_has_encrypted_with_something_else(awx, template, vaults, variable):
    text = tool("ansible-inventory", "-i", "inventory/hosts.yml", "--list", "--export", folder=ROOT / "examples" / "awx_project")
    encrypted = json.loads(text)["_meta"]["hostvars"]["eu-1"]["kafka_connect_password"]
    awx.groups["_meta"]["hostvars"]["eu-1"][variable] = encrypted
    survey = {"reset_offsets_connectors": EXAMPLE}
    done = awx.launch(template("reset"), survey, vaults=vaults)
    said = (f"{variable} of eu-1 is encrypted with the vault id eu, and no password of this run decrypts it. "
            "Give the template a credential of the type Vault with that vault id and its password; on the command line, "
            "--vault-id eu@prompt. Nothing was changed.")
    assert done.rc != 0 and said in done.failures(), done
    assert done.artifacts["kafka_connect_check"]["clusters"]["eu-1"]["error"] == said
    assert "rendering" not in str(done) and "caused by" not in str(done)
    report = awx.launch(template("report"), limit="eu-1", vaults=vaults)
    assert report.rc != 0 and said in report.failures()[0], report


@pytest.mark.parametrize(("name", "question"), [("export", "export_offsets_dest"), ("report", "offsets_report_dir")])
def test_a_folder_that_ends_with_the_job(awx, template, name, question):
    done = awx.launch(template(name), {question: "exports"}, limit="eu-1")
    folder = done.folder.parents[1] / "project" / "exports"
    assert done.rc != 0 and done.failures() == [
        f"{folder} is on the disk of this job, which AWX removes when the job ends. Give a folder on a volume that outlives it: "
        "Settings, Jobs, Paths to expose to isolated jobs. Nothing was changed."], done
    assert not folder.exists()
