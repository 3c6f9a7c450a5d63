"""A game is rules, a grammar and a manifest: proved by one that is put beside ours."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import ROOT, Ran, run

GAME = ROOT / "tests" / "fifth_game"
# The folder of the game, as a user has it.
LIGHTS = GAME / "lights"
FOLDERS = ("asp", "parsers", "kb_score", "boards", "tests", "tools", "benchmarks", "docs")

# The game's own tests, tests that look at all games, and what holds forevery game.
TESTS = (
    "tests/games/lights/test_lights.py",
    "tests/test_house.py",
    "tests/rules/test_rule_files.py",
    *(f"tests/games/test_{verb}.py" for verb in ("check", "legal", "play", "rules")),
)


def call(folder: Path, *words: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, **more},
        timeout=200,
        check=False,
    )


def test_the_game_is_rules_a_grammar_and_a_manifest() -> None:
    assert {path.suffix for path in LIGHTS.rglob("*")} == {".lp", ".lark", ".toml"}


@pytest.mark.slow
def test_what_holds_for_all_games_holds_for_it(tmp_path: Path) -> None:
    leave = shutil.ignore_patterns("__pycache__", "fifth_game")
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=leave)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    # A game of ours has its files where all of them have theirs.
    for name in ("boards", "tests"):
        shutil.copytree(GAME / name, tmp_path / name, dirs_exist_ok=True, ignore=leave)
    home = shutil.copytree(LIGHTS, tmp_path / "asp" / "lights")
    (home / "texts.lark").rename(tmp_path / "parsers" / "lights.lark")
    page = ("rules", "list", "--game", "lights", "--format", "markdown")
    listed = call(tmp_path, "kb_score", *page, PYTHONPATH=str(tmp_path))
    with (tmp_path / "asp" / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(f"\n## lights\n\n{listed.stdout}")

    chosen = ("-k", "lights or test_house or share")
    words = ("-q", "-p", "no:cacheprovider", *chosen, *TESTS)
    ran = call(tmp_path, "pytest", *words, PYTHONPATH=str(tmp_path))

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " passed" in ran.stdout


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the game and its files, far from the package."""
    folder = tmp_path_factory.mktemp("outside")
    shutil.copytree(LIGHTS, folder / "games" / "lights")
    shutil.copytree(GAME / "boards" / "lights", folder / "boards")
    shutil.copy(ROOT / "boards" / "kingdom_builder" / "example.txt", folder)
    bots = {"bad": "echo hello; cat >/dev/null", "good": BOT}
    tables = (
        f'[[bot]]\nname = "{name}"\ncommand = """sh -c \'{bot}\'"""\n' for name, bot in bots.items()
    )
    contest = ['game = "lights"', 'maps = ["boards/cross.txt"]', *tables]
    (folder / "lights.toml").write_text("\n".join(contest))
    return folder


def command(outside: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return call(outside, "kb_score", *words, PYTHONPATH=str(ROOT), KB_SCORE_GAMES=HOME)


# Runs the commands that it reads, in one process.
RUNS = """
import json, shlex, sys
from tests.helpers import run
print(json.dumps([vars(run(*shlex.split(words))) for words in json.load(sys.stdin)]))
"""


# What KB_SCORE_GAMES names.
HOME = "games/lights"
# A bot that presses the middle of the cross whenever a grid has ended.
BOT = 'while read -r l; do [ "$l" ] || echo press 1 1; done'
REASON = r"at turn 2, wrong-grid: (.*\n)+├─ .* \[.*; \w+\.lp:[0-9]+\]\n"


VERBS = [
    ("check lights boards/solved.txt", 0, "consistent with the rules"),
    ("check lights boards/wrong.txt --why --depth 1", 1, REASON),
    ("legal lights boards/wrong.txt --turn 1", 0, "press"),
    ("playouts lights boards/cross.txt --most-turns 3", 0, "press"),
    (f"play lights boards/cross.txt --watch -- sh -c '{BOT}'", 0, "finished"),
    (f"bot lights -- sh -c '{BOT}'", 0, "4 of 4 cases fine"),
    ("draw lights boards/solved.txt --turn 1", 0, "<svg"),
    ("replay lights boards/solved.txt", 0, "<html"),
    ("playground lights boards/solved.txt", 0, "<html"),
    ("rules list rulings --game lights", 0, "wrap_around"),
    ("rules show reached --game lights", 0, "lights/rules.lp"),
    ("facts boards/solved.txt", 0, r"(start|board)_cell\(0,1,\"\*\"\)\."),
    ("check --help", 0, "  lights "),
    ("contest lights.toml --jobs 2 --format csv", 0, "\n1,good,.*\n2,bad,"),
    ("score example.txt --cards 1", 0, "discoverers"),
]


@pytest.mark.slow
def test_the_game_has_all_verbs_from_outside_the_package(outside: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUNS],
        input=json.dumps([words for words, _, _ in VERBS]),
        capture_output=True,
        text=True,
        cwd=outside,
        env={**os.environ, "PYTHONPATH": str(ROOT), "KB_SCORE_GAMES": HOME},
        timeout=200,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    for (words, status, shown), told in zip(VERBS, json.loads(done.stdout), strict=True):
        ran = Ran(**told)
        assert ran.status == status, (words, ran.err)
        assert re.search(shown, ran.out), words


@pytest.mark.parametrize("code", ["game.py", "kb_score/games/mine/game.py"])
def test_a_folder_with_python_alone_is_no_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str
) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(tmp_path))
    path = tmp_path / code
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("raise SystemExit(7)\n")

    ran = run("rules", "list", "cards")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{tmp_path}: there is no game here: no file game.toml\n"


@pytest.mark.slow
def test_python_in_the_folder_of_a_game_is_not_run(outside: Path) -> None:
    home = shutil.copytree(LIGHTS, outside / "with_python")
    for name in ("__init__", "game", "records"):
        for folder in (home, home / "kb_score" / "games" / "with_python"):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.py").write_text("raise SystemExit(7)\n")

    words = ("check", "with-python", "boards/solved.txt", "--game-dir", "with_python")
    ran = call(outside, "kb_score", *words, PYTHONPATH=str(ROOT))

    assert (ran.returncode, ran.stderr) == (0, "")


def test_plain_clingo_checks_the_records_of_the_game(outside: Path) -> None:
    program = command(outside, "facts", "--program", "boards/wrong.txt")
    clingo = [sys.executable, "-m", "clingo", "-"]
    done = subprocess.run(clingo, input=program.stdout, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert 'violation(2,"wrong-grid"' in done.stdout
