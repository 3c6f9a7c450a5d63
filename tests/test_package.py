"""The wheel and its version; ``python -m tools.release`` tries it as a user does."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest

from kb_score.version import __version__
from tests.helpers import ASP, ROOT

WITHOUT_INDEX = ("No matching distribution", "Could not find a version", "Connection", "resolve")


def build_wheel(folder: Path) -> None:
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    done = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", *isolation, "--outdir", str(folder), str(ROOT)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and any(word in done.stdout + done.stderr for word in WITHOUT_INDEX):
        pytest.skip(f"no package index to install from: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build_wheel(folder)
    (built,) = folder.glob("*.whl")
    return built


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


def test_all_places_name_the_same_version() -> None:
    citation = (ROOT / "CITATION.cff").read_text()
    changes = (ROOT / "CHANGELOG.md").read_text()
    (number, day), *_ = re.findall(r"^## \[(\d.*)\] - (.*)$", changes, re.MULTILINE)

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
