"""The core stands alone: its parts are loaded by name, when they are asked."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.helpers import ROOT

PARTS = ("reasons", "arena", "lab", "search", "web")
# What the library needs to know nothing of before it is asked.
HEAVY = ("rich", "click", "psutil", "distributed", "numpy", "lark", "clingo", "msgspec")

_LOADED = """
import sys
found = [name for name in sys.modules if name.split(".")[0] in {heavy!r}
         or name.startswith(tuple(f"kb_score.{{part}}" for part in {parts!r}))]
print(*sorted(found))
"""
_CHECKS = """
from pathlib import Path
import kb_score
boards = Path("boards")
kb_score.score(boards / "kingdom_builder/example.txt")
kb_score.explain(boards / "kingdom_builder/example.txt", card="miners")
kb_score.check_claims(boards / "kingdom_builder/example.txt", boards / "kingdom_builder/claims.txt")
party = boards / "search_party"
for game, map_, record in (
    ("kingdom-builder", None, boards / "kingdom_builder/games/base.txt"),
    ("slime", None, boards / "slime/session.txt"),
    ("rabbits", boards / "rabbits/small.map", boards / "rabbits/small.session"),
    ("search-party", party / "maps/meadow.txt", party / "records/meadow/safe-session.txt"),
):
    loaded = kb_score.game(game)
    loaded.check(record, map=map_)
    loaded.position(record, map=map_, turn=2).legal_moves()
    loaded.replay(record, map=map_).svg()
"""


def loads(program: str, heavy: tuple[str, ...] = ()) -> str:
    program += _LOADED.format(heavy=heavy, parts=PARTS)
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ran.stdout.strip()


def test_the_library_alone_loads_nothing() -> None:
    assert loads("import kb_score\n", HEAVY) == ""


@pytest.mark.slow
def test_what_scores_checks_asks_and_draws_loads_no_part() -> None:
    assert loads(_CHECKS) == ""


@pytest.mark.parametrize(("asked", "part"), [("from kb_score.arena import env", "kb_score.arena")])
def test_a_part_is_loaded_when_it_is_asked(asked: str, part: str) -> None:
    assert part in loads(f"import kb_score\n{asked}\n").split()
    assert "kb_score.lab" not in loads(f"import kb_score\n{asked}\n")


@pytest.mark.parametrize(
    "words",
    [
        ("score", "boards/kingdom_builder/example.txt"),
        ("check", "slime", "boards/slime/session.txt"),
        ("legal", "slime", "boards/slime/session.txt"),
        ("draw", "boards/kingdom_builder/example.txt", "-o", "/dev/null"),
        ("rules", "list", "cards"),
        ("facts", "boards/slime/session.txt"),
        ("--help",),
    ],
)
def test_a_command_of_the_core_loads_no_part(words: tuple[str, ...]) -> None:
    program = (
        "import sys, contextlib, io\n"
        "from kb_score.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(words)!r})\n"
    )
    assert loads(program) == ""


@pytest.mark.parametrize(
    ("words", "complete", "says"),
    [
        pytest.param(("check", "slimy"), {}, "did you mean slime?", id="guessed"),
        pytest.param(
            (),
            {
                "_KB_SCORE_COMPLETE": "bash_complete",
                "COMP_WORDS": "kb-score check sl",
                "COMP_CWORD": "2",
            },
            "plain,slime",
            id="completed",
        ),
    ],
)
def test_the_name_of_a_game_is_known_before_any_game_is_loaded(
    words: tuple[str, ...], complete: dict[str, str], says: str
) -> None:
    start = "import sys; sys.argv[0] = 'kb-score'; from kb_score.__main__ import main; main()"
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", start, *words],
        cwd=ROOT,
        env={**os.environ, **complete},
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = re.findall(r"^import time:.*\| +([\w.]+)$", ran.stderr, re.MULTILINE)

    assert says in f"{ran.stdout}{ran.stderr}"
    assert "click" in loaded
    assert {"lark", "clingo", "msgspec"}.isdisjoint(loaded)
