# Copyright (c) 2026 streamops contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sessions behind the Makefile. nox picks, times and reports them; the virtualenvs are ours (see `environment`)."""

from __future__ import annotations

import ast
import configparser
import fcntl
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent
WORK = ROOT / ".nox"
COLLECTION = Path("ansible_collections/streamops/kafka_connect")
CACHE = Path(
    os.environ.get("STREAMOPS_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "streamops-kafka-connect").expanduser()
)
MAIN_CORE = "2.19"  # the ansible-core of every session that does not say otherwise
# ansible-core versions and the Pythons that each may run on, best first; a version without an interpreter is left out
CORES = {
    "2.19": ("3.11", "3.12", "3.13"),
    "2.21": ("3.12", "3.13", "3.14"),
}

nox.options.default_venv_backend = "none"
nox.options.error_on_external_run = False
nox.options.sessions = []


# --- virtualenvs, interpreters, trees


def environment(session: nox.Session, *names: str, python: str = sys._base_executable) -> Path:
    """The bin folder of a virtualenv with tests/requirements/<name>.txt of each name.

    It lies outside the checkout, is named after what is in it, and is made once for all sessions and all clones:
    changed requirements give a new one, a clean clone finds the old one. (One of nox's own belongs to one session.)
    """
    files = [ROOT / "tests" / "requirements" / f"{name}.txt" for name in names]
    version = subprocess.run([python, "-VV"], check=True, capture_output=True, text=True).stdout
    key = hashlib.sha256("".join([python, version, *(file.read_text() for file in files)]).encode()).hexdigest()[:12]
    folder = CACHE / "venvs" / f"{'-'.join(names)}-{key}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            session.run(python, "-m", "venv", "--clear", str(folder))
            requirements = [word for file in files for word in ("--requirement", str(file))]
            session.run(str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *requirements)
            (folder / "complete").touch()
    return folder / "bin"


@functools.cache
def pythons() -> dict[str, str]:
    """Working interpreters by minor version. Those of pyenv are taken from its folders: its shims may refuse to run."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser()
    folders = [*sorted(pyenv.glob("versions/*/bin")), *map(Path, os.get_exec_path())]
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys._base_executable}
    for folder in folders:
        for path in sorted(folder.glob("python3.[0-9]*")):
            version = path.name.removeprefix("python")
            if version not in found and re.fullmatch(r"3\.\d+", version):
                check = subprocess.run([path, "-c", "import ensurepip, venv"], check=False, capture_output=True)
                if check.returncode == 0:
                    found[version] = str(path)
    return found


def core(session: nox.Session, version: str, *more: str) -> Path | None:
    """The bin folder of an environment with that ansible-core, None if no fitting Python is here."""
    for python in CORES[version]:
        if python in pythons():
            return environment(session, f"core-{version}", *more, python=pythons()[python])
    session.warn(f"ansible-core {version} is left out: needs one of Python {', '.join(CORES[version])}")
    return None


def main(session: nox.Session, *more: str) -> Path:
    return environment(session, f"core-{MAIN_CORE}", *more)


def variables(bin_folder: Path) -> dict[str, str]:
    """The environment in which this checkout, wherever it lies, is the collection for Ansible, pytest and molecule."""
    tree = WORK / "tree"
    link = tree / COLLECTION
    link.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{tree}.lock", "w") as lock:  # of two sessions at once one makes the link
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not link.is_symlink() or link.resolve() != ROOT:
            link.unlink(missing_ok=True)
            link.symlink_to(ROOT)
    path = [str(tree), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        "PATH": os.pathsep.join([str(bin_folder), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ANSIBLE_COLLECTIONS_PATH": str(tree),
        # not what discovery finds first on PATH: requests is here
        "ANSIBLE_PYTHON_INTERPRETER": str(bin_folder / "python"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "STREAMOPS_CACHE": str(CACHE),
    }


def git_files() -> list[str]:
    """What git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name and (ROOT / name).is_file()]


def real_folder(name: str) -> Path:
    """A copy of those files as a git repository at the place that ansible-test demands (it refuses a link)."""
    top = WORK / name
    shutil.rmtree(top, ignore_errors=True)
    folder = top / COLLECTION
    for file in git_files():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / file, folder / file, follow_symlinks=False)
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    return folder


# --- tests

SPARK_TESTS = "tests/integration/spark"  # need pyspark, which only one environment has
MIRROR_TESTS = "tests/integration/mirror"
FLEET_TESTS = "tests/integration/fleet"  # need six Connect clusters
STRIMZI_TESTS = "tests/integration/strimzi"


NO_TESTS = 5  # what pytest exits with where -k fits none


def pytest(session: nox.Session, *arguments: str, workers: int, more: tuple[str, ...] = (), reruns: int = 1,
           success_codes: tuple[int, ...] = (0,), **env: str) -> None:
    """workers: how many processes share out the files of tests. Each starts what its tests need for itself alone.

    reruns: how often a failed test is tried again. With real services on a slow machine one of thousands of tests fails for a reason of the
    machine's; what passes at a second attempt does not fail the session, but is named at its end, and by .ci/run.
    """
    bin_folder = main(session, "demo", "tests", *more)
    if os.environ.get("STREAMOPS_STACK_DIR"):
        workers = 0  # all tests on one stack that is kept
    options = ["-ra", "--durations=10", "--durations-min=1", f"--numprocesses={workers}", "--no-loadscope-reorder"]
    if reruns:
        options += [f"--reruns={reruns}", "--rerun-show-tracebacks"]
    command = [str(bin_folder / "python"), "-m", "pytest", *options, *arguments, *session.posargs]
    # After Ctrl-C the stacks are stopped first.
    session.run(*command, env=variables(bin_folder) | env, interrupt_timeout=60, terminate_timeout=60, success_codes=success_codes)


@nox.session(allow_parallel=True)
def unit(session: nox.Session) -> None:
    """The pure code, and the REST client against a stub that provokes faults."""
    pytest(session, "tests/unit", workers=2, more=("kubernetes",), reruns=0)


@nox.session(allow_parallel=True)
def integration(session: nox.Session) -> None:
    """The modules, the role and the playbook on a real broker and real Connect workers."""
    own_sessions = (SPARK_TESTS, MIRROR_TESTS, FLEET_TESTS, STRIMZI_TESTS)
    pytest(session, "tests/integration", *(f"--ignore={folder}" for folder in own_sessions), workers=3)


@nox.session
def faults(session: nox.Session) -> None:
    """Every fault at every phase of a change with every store; ends with a table. The tests of `integration` have a part of it."""
    pytest(session, "tests/integration/test_fault_matrix.py", workers=2, reruns=0, STREAMOPS_FAULTS="all")


@nox.session
def fuzz(session: nox.Session) -> None:
    """100,000 inputs for each reader of what comes from outside; STREAMOPS_FUZZ is another number. `unit` has some of them."""
    number = os.environ.get("STREAMOPS_FUZZ") or "100000"
    pytest(session, "tests/unit/plugins/fuzz", workers=2, more=("kubernetes",), reruns=0, STREAMOPS_FUZZ=number)


@nox.session(allow_parallel=True)
def mirror(session: nox.Session) -> None:
    """MirrorMaker between two Kafka clusters."""
    pytest(session, MIRROR_TESTS, workers=2)


@nox.session(allow_parallel=True)
def fleet(session: nox.Session) -> None:
    """Rollouts over six Connect clusters."""
    pytest(session, FLEET_TESTS, workers=1)


@nox.session(allow_parallel=True)
def strimzi(session: nox.Session) -> None:
    """Strimzi's resources on a real API server. At first that is built, for minutes; without Go or etcd all is skipped."""
    pytest(session, STRIMZI_TESTS, workers=2, more=("kubernetes", "strimzi"))


@nox.session(allow_parallel=True)
def verify(session: nox.Session) -> None:
    """The verification job, and the role and the playbook that run it: real Spark on real topics."""
    pytest(session, "tests/verify", SPARK_TESTS, workers=2, more=("spark",))


@nox.session(allow_parallel=True)
def awx(session: nox.Session) -> None:
    """Job templates and workflows as AWX runs them, its rules for surveys and credential types; with STREAMOPS_EE=1 in an image, too."""
    pytest(session, "tests/awx", workers=2, more=("awx",))


@nox.session(allow_parallel=True)
def cores(session: nox.Session) -> None:
    """The same answers with the newest supported ansible-core as with the oldest, MAIN_CORE, on which every other session runs."""
    found = {version: core(session, version) for version in CORES}
    commands = {version: str(bin_folder / "ansible-playbook") for version, bin_folder in found.items() if bin_folder}
    spark = main(session, "demo", "tests", "spark") / "python"  # for the role verify_replay
    pytest(session, "tests/cores", workers=2, STREAMOPS_CORES=json.dumps(commands), STREAMOPS_SPARK_PYTHON=str(spark))


@nox.session(allow_parallel=True)
def molecule(session: nox.Session) -> None:
    """Each molecule scenario with its idempotence step; ends with a line that says how many passed."""
    bin_folder = main(session, "demo", "tests")
    # In the root of the collection molecule finds extensions/molecule and its config.yml by itself.
    command = [bin_folder / "molecule", "test", *(session.posargs or ["--all"])]
    # Its state: of this checkout, and not what a killed run has left, which says that the stack is up.
    state = WORK / "molecule" / "work"
    shutil.rmtree(state, ignore_errors=True)
    env = os.environ | variables(bin_folder) | {"NO_COLOR": "1", "MOLECULE_EPHEMERAL_DIRECTORY": str(state)}
    passed: dict[str, bool] = {}
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, cwd=ROOT, env=env, text=True, **pipes) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            # the recap: "name : actions=3  successful=2  disabled=0  skipped=0  missing=1  failed=0"
            row = re.match(r"(\S+)\s*: actions=\d+ .* failed=(\d+)", line)
            # which does not count every failure: "ERROR    [name > idempotence] Executed: Failed"
            broken = re.search(r"\[(\S+) > \S+\] \S*Executed: Failed", line)
            if broken:
                passed[broken[1]] = False
            if row and row[1] != "default":  # that one only starts and stops what the others share
                passed[row[1]] = passed.get(row[1], True) and row[2] == "0"
    failed = list(passed.values()).count(False)
    print(f"molecule: {len(passed) - failed} passed, {failed} failed", flush=True)
    if process.returncode or failed or not passed:
        session.error(f"molecule ended with {process.returncode}")


# --- static checks: they work on copies, so that nothing is left in the checkout


@nox.session(allow_parallel=True)
def static(session: nox.Session) -> None:
    """Linters, documentation, changelog, metadata."""
    folder = real_folder("static")
    top = folder.parents[2]
    bin_folder = main(session, "lint")
    env = {
        "PATH": os.pathsep.join([str(bin_folder), os.environ["PATH"]]),
        "ANSIBLE_COLLECTIONS_PATH": str(top),
        "PYTHONPATH": str(top),
        "NO_COLOR": "1",
    }
    commands = [
        "yamllint --strict .",
        "ruff check --quiet --extend-exclude plugins .",
        "ruff check --quiet --line-length 160 --target-version py38 plugins",  # what a managed host may have
        "ruff check --quiet --line-length 160 tests/unit",  # a folder named plugins is excluded above
        "pycodestyle --max-line-length 160 --ignore E203,E402,E701,E704,E741,W503,W504 plugins tests",  # as ansible-test sanity calls it
        "python tests/lint/action_group.py",
        "python tests/lint/layers.py",
        "python tests/lint/payload.py",
        "python tests/lint/profiles_page.py",
        "python tests/lint/quoted_messages.py",
        "python tests/lint/text_only.py",
        "python tests/lint/workflow.py",
        "python -m tests.docs.links",
        "python -m tests.docs.pictures",
        "antsibull-changelog lint",
        "python tests/lint/collection_docs.py",
        "ansible-lint",
    ]
    session.chdir(folder)
    failed = []
    for command in commands:
        program, *arguments = command.split()
        try:
            session.run(str(bin_folder / program), *arguments, env=env)
        except CommandFailed:
            failed.append(command)
    builder = [str(bin_folder / "ansible-builder"), "introspect", "--sanitize", str(top)]
    found = str(session.run(*builder, env=env, silent=True))
    for package in ("requests", "confluent-kafka", "kubernetes"):
        if package not in found:
            failed.append(f"ansible-builder introspect: an execution environment would lack {package}")
    if failed:
        session.error("failed: " + "; ".join(failed))


@nox.session(allow_parallel=True)
@nox.parametrize("version", [MAIN_CORE, "2.21"])
def sanity(session: nox.Session, version: str) -> None:
    """ansible-test sanity, all tests, without an ignore file and without a container."""
    bin_folder = core(session, version)
    if bin_folder is None:
        session.skip(f"no Python for ansible-core {version}")
    folder = real_folder(f"sanity-{version}")
    ignored = [str(path.name) for path in folder.glob("tests/sanity/ignore-*.txt")]
    if ignored:
        session.error(f"ignore files are not wanted: {ignored}")
    home = ansible_test_home(version)
    folders = [str(Path(python).parent) for python in pythons().values()]
    env = {"PATH": os.pathsep.join([str(bin_folder), *folders, os.environ["PATH"]]), "HOME": str(home)}
    command = [str(bin_folder / "ansible-test"), "sanity", "--local", "--requirements", "--color", "no"]
    session.chdir(folder)
    session.run(*command, *session.posargs, env=env)


def ansible_test_home(version: str) -> Path:
    """A home for ansible-test: its caches, the user's pip settings, and a pip bootstrap that needs nothing but PyPI.

    ansible-test passes on next to no environment variables, so settings that live in some (PIP_CERT, PIP_INDEX_URL,
    ...) have to be in a file. Its own bootstrap script comes from a host that not every machine reaches.
    """
    home = CACHE / "ansible-test" / version
    settings = configparser.RawConfigParser()
    settings.read_dict({"global": {"quiet": "1"}})
    command = [sys.executable, "-m", "pip", "config", "list"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # global.cert='/etc/ca.pem', install.no-deps='true', and from the environment, which wins, :env:.cert='/etc/ca.pem'
    for key, value in (line.split("=", 1) for line in lines):
        section, name = key.rsplit(".", 1)
        settings.read_dict({section.replace(":env:", "global"): {name: ast.literal_eval(value)}})
    config = home / ".config" / "pip" / "pip.conf"
    config.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # an index URL may hold a password
    with open(config, "w") as file:
        settings.write(file)

    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for name in ("get_pip_24_2.py", "get_pip_25_2.py"):  # the names that ansible-core 2.19 and 2.21 look for
        (cache / name).write_text(GET_PIP)
    return home


# In a process of its own: ensurepip switches pip's configuration off for the process that it runs in.
GET_PIP = """\
import subprocess
import sys

words = [word for word in sys.argv[1:] if word not in ("--no-setuptools", "--no-wheel")]
subprocess.check_output([sys.executable, "-m", "ensurepip"])
subprocess.check_call([sys.executable, "-m", "pip", "install"] + words)
"""


@nox.session(allow_parallel=True)
def galaxy(session: nox.Session) -> None:
    """The artifact holds what it should, and Galaxy's importer has nothing to say about it."""
    bin_folder = main(session, "galaxy-importer")
    env = {"PATH": os.pathsep.join([str(bin_folder), os.environ["PATH"]])}
    target = WORK / "galaxy"
    shutil.rmtree(target, ignore_errors=True)
    build = [str(bin_folder / "ansible-galaxy"), "collection", "build"]
    session.run(*build, "--output-path", str(target), str(ROOT), env=env)
    (artifact,) = target.glob("*.tar.gz")
    with tarfile.open(artifact) as archive:
        names = {member.name for member in archive if member.isfile()} - {"MANIFEST.json", "FILES.json"}
    foreign_members = sorted(names - set(git_files()))
    if foreign_members:
        session.error(f"build_ignore in galaxy.yml lets through what git does not know: {foreign_members}")
    config = target / "importer.cfg"
    config.write_text("[galaxy-importer]\ncheck_required_tags = true\nrequire_v1_or_greater = true\n")
    env["GALAXY_IMPORTER_CONFIG"] = str(config)
    session.chdir(target)
    output = session.run(str(bin_folder / "python"), "-m", "galaxy_importer.main", str(artifact), env=env, silent=True)
    print(output)
    findings = re.findall(r"^(?:WARNING|ERROR).*", str(output), re.MULTILINE)
    if findings:
        session.error(f"galaxy-importer found {len(findings)} thing(s)")


# --- what a person looks at, or takes away

SPARK_JARS = "spark-sql-kafka-0-10_2.13,spark-avro_2.13,spark-token-provider-kafka-0-10_2.13,kafka-clients,commons-pool2,postgresql"


@nox.session
def demo(session: nox.Session) -> None:
    """A connector replays its input because a playbook said so, and Spark proves it."""
    bin_folder = main(session, "demo", "spark")
    session.run(str(bin_folder / "python"), "-m", "demo", *session.posargs, env=variables(bin_folder))


@nox.session(allow_parallel=True)
def docs(session: nox.Session) -> None:
    """The site: modules, roles, guides and a search, in .nox/site. A warning or a broken link inside of it is an error."""
    bin_folder, folder = main(session, "docs"), real_folder("docs")
    source, site = WORK / "docs" / "source", WORK / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(folder / "tests" / "docs" / "site", source)
    path = os.pathsep.join([str(bin_folder), os.environ["PATH"]])
    env = {"PATH": path, "ANSIBLE_COLLECTIONS_PATH": str(folder.parents[2]), "NO_COLOR": "1"}
    pages = ["collection", "--use-current", "--squash-hierarchy", "--fail-on-error", "--no-add-antsibull-docs-version"]
    session.run(str(bin_folder / "antsibull-docs"), *pages, "--dest-dir", str(source), "streamops.kafka_connect", env=env, silent=True)
    shutil.copytree(folder / "docs" / "images", source / "docsite" / "images")
    for page in (source / "docsite").glob("*.rst"):  # which are read on GitHub, too
        page.write_text(page.read_text(encoding="utf-8").replace(".. image:: ../../images/", ".. image:: images/"), encoding="utf-8")
    options = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(WORK / "docs" / "trees")]
    session.run(str(bin_folder / "sphinx-build"), *options, str(source), str(site), env=env)
    session.run(str(bin_folder / "python"), "-m", "tests.docs.links", str(site), env=env)
    session.log(f"The site is {site / 'index.html'}")


#: the tests that run the commands of pages, and the extras that they need
DOCS_OUTPUTS = {
    "tests/integration/test_docs_outputs.py": (),
    f"{MIRROR_TESTS}/test_docs_outputs.py": (),
    f"{STRIMZI_TESTS}/test_playbooks.py::test_docs_outputs": ("kubernetes", "strimzi"),
    f"{SPARK_TESTS}/test_reset_and_verify.py::test_docs_outputs": ("spark",),
}


@nox.session(name="docs-outputs")
def docs_outputs(session: nox.Session) -> None:
    """Runs the commands of the documentation and writes what they print into its pages; then draws the pictures.

    STREAMOPS_DOCS_OUTPUTS=all writes blocks anew that differ in numbers, times and paths alone, too.
    """
    how = os.environ.get("STREAMOPS_DOCS_OUTPUTS") or "changed"
    for tests, more in DOCS_OUTPUTS.items():
        pytest(session, tests, workers=0, more=more, reruns=0, success_codes=(0, NO_TESTS), STREAMOPS_DOCS_OUTPUTS=how)
    bin_folder = main(session, "demo", "tests")
    session.run(str(bin_folder / "python"), "-m", "tests.docs.pictures", "--write", env=variables(bin_folder))


@nox.session
def bench(session: nox.Session) -> None:
    """Time and size, as ratios measured in one run; STREAMOPS_BKKT is the tool that we are compared with."""
    bin_folder = main(session, "demo", "tests")
    spark = main(session, "demo", "spark") / "python"
    env = variables(bin_folder) | {"STREAMOPS_BKKT": str(environment(session, "bench") / "bkkt"), "STREAMOPS_SPARK": str(spark)}
    session.run(str(bin_folder / "python"), "-m", "tests.benchmarks", *session.posargs, env=env)


@nox.session
def image(session: nox.Session) -> None:
    """The execution environment of extensions/ee as an image. Its name may be given: registry.example.com/kafka-connect-ee:1.0.0."""
    runtime = next((name for name in ("podman", "docker") if shutil.which(name)), None)
    if not runtime:
        session.error("install podman or docker, which builds the image")
    name = session.posargs[0] if session.posargs else "kafka-connect-ee"
    bin_folder, folder = main(session, "demo", "tests", "awx"), real_folder("image")
    ee = folder / "extensions" / "ee"
    session.chdir(folder)
    session.run(str(bin_folder / "ansible-galaxy"), "collection", "build", "--output-path", str(ee))
    options = ["-DincludeScope=runtime", f"-DoutputDirectory={ee / 'jars'}", f"-DincludeArtifactIds={SPARK_JARS}"]
    session.run("mvn", "-B", "-q", "-f", "roles/verify_replay/files/jars/pom.xml", "dependency:copy-dependencies", *options)
    session.chdir(ee)
    options = ["-f", "execution-environment.yml", "-t", name, "--container-runtime", runtime]
    session.run(str(bin_folder / "ansible-builder"), "build", *options)
    session.log(f"The image is {name}. Push it where AWX can fetch it: {runtime} push {name}")
