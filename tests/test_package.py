"""The wheel, installed and used far from the checkout; this is the slowest file of the tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from kb_score.version import __version__
from tests.helpers import ASP, CLAIMS, EXAMPLE, ROOT
from tools.release import FILES, run_trials

WITHOUT_INDEX = ("No matching distribution", "Could not find a version", "Connection", "resolve")
BIN = "Scripts" if os.name == "nt" else "bin"


def call(*command: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    # What points at the checkout must not help.
    environment = {name: value for name, value in os.environ.items() if "PYTHON" not in name}
    return subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def must(*command: object) -> None:
    done = call(*command)
    if done.returncode and any(word in done.stdout + done.stderr for word in WITHOUT_INDEX):
        pytest.skip(f"no package index to install from: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stdout + done.stderr


@dataclass(frozen=True)
class Installed:
    """An installed package and a folder to work in, with a copy of the example."""

    python: Path
    folder: Path

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        return call(self.python.parent / "kb-score", *arguments, folder=self.folder)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    must(sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    environment = tmp_path_factory.mktemp("environment")
    must(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / BIN / "python"
    must(
        sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", wheel
    )
    folder = tmp_path_factory.mktemp("elsewhere")
    (folder / "board.txt").write_bytes(EXAMPLE.read_bytes())
    (folder / "claims.txt").write_bytes(CLAIMS.read_bytes())
    return Installed(python, folder)


def list_data() -> Iterator[Path]:
    yield from (ROOT / "parsers").glob("*.lark")
    yield from (ROOT / "docs").glob("*.md")
    yield from (path for path in (ROOT / "templates").rglob("*") if path.is_file())


@pytest.mark.slow
def test_the_wheel_holds_the_documents_the_rules_and_the_grammars(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    for path in (*ASP.rglob("*.lp"), *ASP.rglob("*.txt"), *list_data()):
        assert f"kb_score/{path.relative_to(ROOT).as_posix()}" in names
    for path in (ROOT / "kb_score" / "shell" / "page").iterdir():
        assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks", "web"))]


@pytest.mark.slow
def test_nothing_of_it_is_the_checkout(installed: Installed) -> None:
    where = "import kb_score; print(kb_score.__file__)"

    done = call(installed.python, "-c", where, folder=installed.folder)

    assert Path(done.stdout.strip()).is_relative_to(installed.python.parents[1])


@pytest.mark.slow
def test_what_people_try_first_works(installed: Installed, tmp_path: Path) -> None:
    for name, path in FILES.items():
        (tmp_path / name).write_bytes(path.read_bytes())
    (tmp_path / "mycards").mkdir()

    assert list(run_trials(installed.python.parent, tmp_path)) == []


@pytest.mark.slow
def test_two_processes_score_too(installed: Installed) -> None:
    two = installed.run("score", "board.txt", "board.txt", "--jobs", "2", "--format", "csv")

    assert (two.returncode, two.stderr) == (0, "")
    one = installed.run("score", "board.txt", "board.txt", "--format", "csv")
    assert two.stdout == one.stdout


@pytest.mark.slow
def test_it_lists_and_exports_its_rules(installed: Installed) -> None:
    listed = installed.run("rules", "list")
    exported = installed.run("rules", "export", "mine")
    edited = installed.run("score", "board.txt", "--rules", "mine/kingdom_builder")

    assert (listed.returncode, exported.returncode, edited.returncode) == (0, 0, 0)
    assert "lords_need_settlement" in listed.stdout
    assert (installed.folder / "mine" / "kingdom_builder" / "cards" / "miners.lp").is_file()


def test_it_shows_a_page(installed: Installed) -> None:
    done = installed.run("docs", "contests")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (ROOT / "docs" / "contests.md").read_text()


@pytest.mark.slow
def test_its_facts_and_exported_rules_go_through_plain_clingo(installed: Installed) -> None:
    installed.run("rules", "export", "plain")
    (installed.folder / "facts.lp").write_text(installed.run("facts", "board.txt").stdout)
    plain = installed.folder / "plain"
    files = [*sorted((plain / "kingdom_builder").rglob("*.lp")), plain / "common" / "looks.lp"]

    done = call(installed.python, "-m", "clingo", "facts.lp", *files, "0", folder=installed.folder)

    assert done.stderr == ""
    assert "Models       : 1\n" in done.stdout
    assert "score(miners,3,11)" in done.stdout


def test_all_places_name_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    number, day = re.findall(r"^## \[(\d.*)\] - (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[
        0
    ]

    assert number == __version__
    assert f"\nversion: {number}\ndate-released: {day}\n" in citation


def test_the_package_is_typed() -> None:
    assert (ROOT / "kb_score" / "py.typed").is_file()


def test_the_constraints_name_all_that_is_required() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    pinned = re.findall(r"^([\w.-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE)

    names = {re.split("[>=]", one)[0].replace("_", "-").lower() for one in asked}
    assert names <= {name.replace("_", "-").lower() for name in pinned}
