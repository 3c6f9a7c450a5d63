"""Contests that an earlier version began: their games count, and rulings keep their defaults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kb_score.arena.contests.versions import digest_rules
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from tests.golden.given import SCRIPTS
from tests.helpers import run

LORDS, FEW = ("lords_need_settlement", "1"), ("most_settlements", "6")
# A game, constants, and what told these rules from others when they were written first.
DIGESTS = [
    ("rabbits", (), "8af4932fbe1dc14e6f826bc913e4c6db1073f40afa915c6ee7a1a6824296bc47"),
    ("search_party", (), "970ce368fe78a94748dbd71a6acc9b2cc485e925dd41641dbbd9c13fe307703f"),
    ("slime", (), "b5a8ffdd25ba2464426671fcc851e294b0e685a92e67bbff19b516aed5aab51a"),
    (
        "slime",
        (("last_turn", "12"),),
        "ed3cbd95df11a48e24b52dbe3cab208ff03205615606a0f6a7517889771fea9c",
    ),
    (
        "kingdom_builder",
        (LORDS,),
        "810f9fac879b5a6883382c960965016bec85ed7abd2c9656867bcea6e8c9c0e1",
    ),
    (
        "kingdom_builder",
        (LORDS, FEW),
        "56fc945c79025c9f247c13c8c26ed95264e0a6c355b882a4ab9b76521986dd3b",
    ),
    ("kingdom_builder", (), "94d668c9403179a86b58d9ead902de0e69fdf3010a5fb989e08287de27964b89"),
    ("kingdom_builder", (FEW,), "0345320bf536a1bfb1585fa86745f99717c8450809f99d7a5b71c981401bf3c5"),
]

CONTEST = """game = "kingdom-builder"
boards = ["oracle farm/180 tavern paddock"]
players = 2
[settings]
cards = "knights hermits lords"
[limits]
timeout = 60
[rules]
const = { most_settlements = 3 }
[[bot]]
name = "First"
command = "./builder"
[[bot]]
name = "Last"
command = "./builder last"
"""


@pytest.mark.parametrize(("game", "constants", "digest"), DIGESTS)
def test_games_that_were_played_by_rules_that_judge_alike_count(
    game: str, constants: tuple[tuple[str, str], ...], digest: str
) -> None:
    found = digest_rules(GameFolder(game).type, GameRules(game, Changes(constants=constants)))

    assert found == digest


@pytest.fixture
def contest(tmp_path: Path) -> Path:
    """The file of a contest of one game, in which the lords pay."""
    (tmp_path / "builder").write_text(SCRIPTS["builder"])
    (tmp_path / "builder").chmod(0o755)
    path = tmp_path / "kingdoms.toml"
    path.write_text(CONTEST)
    return path


def forget_defaults(contest: Path) -> None:
    """Make the folder one of a version that noted no defaults."""
    path = contest.with_suffix(".results") / "contest.json"
    manifest = json.loads(path.read_text())
    del manifest["defaults"]
    path.write_text(json.dumps(manifest))


def list_gold(contest: Path, *words: str) -> list[int]:
    rows: list[dict[str, Any]] = run("contest", "table", contest, "--format", "json", *words).json
    return [row["gold"] for row in rows if row["games"]]


@pytest.mark.slow
def test_a_contest_goes_on_with_the_default_that_it_was_begun_with(contest: Path) -> None:
    ruling = "--const", "lords_need_settlement=1"
    assert run("contest", contest, *ruling).status == 0
    forget_defaults(contest)
    contest.write_text(CONTEST.replace("players = 2", "players = 2\nrounds = 2"))

    ran = run("contest", contest)

    note = "it goes on with lords_need_settlement=1, the default when it was started"
    assert (ran.status, note in ran.err) == (0, True)
    assert "1 of 2 games were played before" in ran.err
    assert "other rules" not in ran.err
    assert list_gold(contest) == list_gold(contest, *ruling)
    assert "0 of them differ" in run("contest", "check", contest).out
    record = contest.with_suffix(".results") / "games" / "2.txt"
    assert "--const lords_need_settlement=1" in record.read_text()


@pytest.mark.slow
def test_a_new_contest_has_the_default_of_now(contest: Path) -> None:
    ran = run("contest", contest)

    assert (ran.status, "goes on with" in ran.err) == (0, False)
    manifest = json.loads((contest.with_suffix(".results") / "contest.json").read_text())
    assert manifest["defaults"] == {"lords_need_settlement": "0"}
    assert run("contest", "status", contest).err == ""
    # Both are paid for the quadrants in which nobody has settlements.
    assert min(list_gold(contest)) > 24


@pytest.mark.slow
def test_a_ruling_that_is_set_decides_in_an_old_contest_too(contest: Path) -> None:
    assert run("contest", contest, "--const", "lords_need_settlement=1").status == 0
    forget_defaults(contest)

    ran = run("contest", contest, "--const", "lords_need_settlement=0")

    assert "goes on with" not in ran.err
    assert "it was last played by other rules" in ran.err
    # What it was begun with stays.
    assert "goes on with lords_need_settlement=1" in run("contest", "status", contest).err


@pytest.mark.slow
def test_a_ruling_of_a_card_is_part_of_the_rules_of_a_contest(contest: Path) -> None:
    assert run("contest", contest).status == 0

    ran = run("contest", contest, "--const", "merchants_need_settlement=0")

    assert "it was last played by other rules" in ran.err
