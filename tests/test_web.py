"""The sources of the pages in ``web/``: what is committed is what is built from them."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kb_score.shell.pages import fill_page
from tests.helpers import ROOT

WEB = ROOT / "web"
PAGES = ("contest", "coverage", "playground", "replay", "report", "sheet", "tabletop")
PAGE = ROOT / "kb_score" / "shell" / "page"
BUILT = tuple(f"{name}.js" for name in PAGES)
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT")
_NPM = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")


def read(folder: Path) -> dict[str, bytes]:
    """Read what is built; of what is gzipped only the contents count, for packers differ."""
    built = {name: (folder / name).read_bytes() for name in (*BUILT, "playground.licences.txt")}
    return {**built, "wasm": gzip.decompress((folder / "clingo.wasm.gz").read_bytes())}


@pytest.mark.slow
def test_what_is_committed_is_what_is_built(tmp_path: Path) -> None:
    if not all(map(shutil.which, ("npm", "node"))):
        pytest.skip("there is no npm: the page is built with it, and tested without")
    web = tmp_path / "web"
    shutil.copytree(WEB, web, ignore=shutil.ignore_patterns("node_modules"))
    environment = {**os.environ, "npm_config_cache": str(tmp_path / "cache")}
    ran = subprocess.run(
        _NPM, cwd=web, capture_output=True, text=True, env=environment, check=False
    )
    if any(word in ran.stderr for word in _OFFLINE):
        pytest.skip(f"npm reaches no registry: {ran.stderr[-200:]}")
    assert ran.returncode == 0, ran.stderr

    checked = subprocess.run(
        ("npm", "run", "check"), cwd=web, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    subprocess.run(("node", "build.js", str(tmp_path / "page")), cwd=web, check=True)

    assert read(tmp_path / "page") == read(PAGE), "run `npm ci && npm run build` in web/"


def test_what_needs_no_page_is_tested_without_one() -> None:
    if not shutil.which("node"):
        pytest.skip("there is no node: the tests in web/test/ need it, and nothing else")
    files = sorted((WEB / "test").glob("*.test.js"))

    ran = subprocess.run(
        ("node", "--test", *files), cwd=WEB, capture_output=True, text=True, check=False
    )

    assert len(files) > 1
    assert ran.returncode == 0, ran.stdout


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reaches_nothing_and_only_three_run_wasm(name: str) -> None:
    text = fill_page(name, "", {}, board="", gold="")
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="(.*?)">', text)
    runs_clingo = name in ("playground", "sheet", "tabletop")
    more = " 'wasm-unsafe-eval' blob:; worker-src blob:" if runs_clingo else ""

    assert policy == (
        f"default-src 'none'; script-src 'unsafe-inline'{more}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@pytest.mark.parametrize("name", BUILT)
def test_the_script_can_stand_in_a_page(name: str) -> None:
    script = (PAGE / name).read_text(encoding="utf-8")

    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert "clingo-mt" not in script
    assert "settlement(P" not in script
