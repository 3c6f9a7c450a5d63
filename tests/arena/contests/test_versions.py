"""The version of a game's rules, on which the results of contests depend."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from kb_score.arena.contests.versions import digest_rules
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games import list_games
from tests.games.contract import Example
from tests.games.examples import each_game
from tests.helpers import add_rules, run

RECORDED = Path(__file__).parent / "recorded_verdicts.json"


def digest_verdicts(game: Example) -> str:
    """Return a digest of what the rules say about the records in boards/."""
    verdicts = []
    for words, _ in game.expected:
        ran = run("check", game.game, *words, "--format", "json")
        verdict = json.loads(ran.out)
        verdicts.append([verdict["result"], [v["code"] for v in verdict["violations"]]])
    return sha256(json.dumps(verdicts).encode()).hexdigest()


@pytest.mark.slow
@each_game
def test_a_verdict_changes_only_with_a_new_version_of_the_rules(game: Example) -> None:
    recorded = json.loads(RECORDED.read_text())[game.game]
    version = list_games()[game.game].type.arena.scoring.rules_version
    now = {"version": version, "verdicts": digest_verdicts(game)}

    assert now == recorded, (
        "the rules judge records differently: raise Scoring.rules_version of the game, if games "
        f"of contests do not count any more, and note in {RECORDED.name}: {now}"
    )


def digest(game: str, *constants: tuple[str, str], rules: Path | None = None) -> str:
    changes = Changes(() if rules is None else (rules,), constants)
    return digest_rules(list_games()[game].type, GameRules(game.replace("-", "_"), changes))


@pytest.mark.parametrize(
    ("game", "constants", "start"),
    [
        ("rabbits", "", "8af4932fbe1dc14e6f826bc9"),
        ("search-party", "", "970ce368fe78a94748dbd71a"),
        ("slime", "", "b5a8ffdd25ba2464426671fc"),
        ("slime", "last_turn=12", "ed3cbd95df11a48e24b52dbe"),
        ("kingdom-builder", "", "94d668c9403179a86b58d9ea"),
        ("kingdom-builder", "most_settlements=6", "0345320bf536a1bfb1585fa8"),
        ("kingdom-builder", "lords_need_settlement=1", "810f9fac879b5a6883382c96"),
        (
            "kingdom-builder",
            "lords_need_settlement=1 most_settlements=6",
            "56fc945c79025c9f247c13c8",
        ),
    ],
)
def test_games_of_earlier_versions_whose_rules_judge_alike_still_count(
    game: str, constants: str, start: str
) -> None:
    pairs = (constant.partition("=") for constant in constants.split())

    assert digest(game, *((name, value) for name, _, value in pairs)).startswith(start)


def test_constants_and_rules_of_a_user_make_other_rules(tmp_path: Path) -> None:
    own = add_rules(tmp_path, "% none\nviolation(T,a,b,c) :- turn(T), T > 77.")
    plain = digest("slime")

    assert len({plain, digest("slime", ("last_turn", "9")), digest("slime", rules=own)}) == 3

    # Comments and blanks do not count, and a default is no change.
    before = digest("slime", rules=own)
    (own / "mine.lp").write_text("violation(T,a,b,c) :-\n  turn(T), T>77. % as agreed\n")
    assert digest("slime", rules=own) == before
    assert digest("kingdom-builder", ("most_settlements", "40")) == digest("kingdom-builder")


def test_a_new_version_is_other_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    scoring = list_games()["slime"].type.arena.scoring
    plain = digest("slime")

    monkeypatch.setattr(type(scoring), "rules_version", 2)

    assert digest("slime") != plain
