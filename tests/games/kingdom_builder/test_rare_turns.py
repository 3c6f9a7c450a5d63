"""Turns that hardly ever come: they were judged wrongly, or ``legal`` and ``check`` disagreed.

tests/transcripts/kingdom_builder/rare-turns.md has those that are a command or two.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.errors import Fault
from kb_score.games import GameFolder
from tests.helpers import Ran, run
from tests.oracles.kingdom_builder_game_examples import E1

# All desert but 19,9 is full.
FULL = """\
board harbor tower caravan farm
players 2
cards miners
1 desert: 3,8 3,9 3,10
2 desert: 4,6 4,7 4,8
1 desert: 4,9 4,10 4,11
2 desert: 5,8 5,9 5,10
1 desert: 4,12 4,13 5,12
2 desert: 6,8 6,7 6,6
1 desert: 5,13 5,14 6,13
2 desert: 6,10 6,11 6,14
1 desert: 7,13 8,1 9,1
2 desert: 8,10 9,10 10,10
1 desert: 9,2 10,11 11,10
2 desert: 12,7 12,8 13,6
1 desert: 13,15 13,16 14,16
2 desert: 14,6 14,7 15,5
1 desert: 14,17 15,17 15,18
2 desert: 16,18 16,19 17,18
1 desert: 17,7 17,8 18,8
2 desert: 18,9 19,8 19,7
"""


def write(folder: Path, text: str, name: str = "game.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def look(folder: Path, text: str, *options: object) -> Ran:
    return run("legal", write(folder, text), *options, "--format", "json")


@pytest.mark.slow
@pytest.mark.parametrize("tile", ["mandatory", "oracle", "barn"])
def test_what_is_listed_with_a_further_card_is_legal(tmp_path: Path, tile: str) -> None:
    given = ("--player", 1, "--card", "canyon/grass")
    lent = () if tile == "mandatory" else ("--tile", tile)

    for after in ((), ("--after", "3,0 3,1")):
        moves = look(tmp_path, E1, *given, *lent, *after).json[0]["moves"]
        assert moves
        for move in moves:
            ran = look(tmp_path, E1, *given, *lent, *after, "--move", move)
            assert (move, ran.json[0]["legal"]) == (move, True)


# No desert is left.
NO_DESERT = f"{FULL}1 desert/grass: 19,9 8,3 10,2\n"


@pytest.mark.slow
def test_once_a_further_card_is_drawn_a_settlement_is_due_and_no_tile_is_used(
    tmp_path: Path,
) -> None:
    game = write(tmp_path, NO_DESERT)
    (before,) = run("legal", game, "--card", "desert", "--format", "json").json
    (after,) = run("legal", game, "--card", "desert/flower", "--format", "json").json

    assert before["moves"][0].startswith("harbor")
    assert after["moves"][0][0].isdecimal()
    assert [move for move in after["moves"] if not move[0].isdecimal()] == []
    for move in before["moves"][:2]:
        words = ("legal", game, "--move", move, "--format", "json", "--card")
        assert run(*words, "desert").json[0]["legal"] is True
        assert run(*words, "desert/flower").json[0]["code"] == "too-few"
    # After the action tiles may be used.
    done: list[str] = []
    for _ in range(3):
        given = ("--card", "desert/flower", "--after", " ".join(done), "--format", "json")
        done.append(run("legal", game, *given).json[0]["moves"][0])
    given = ("--card", "desert/flower", "--after", " ".join(done), "--format", "json")
    assert run("legal", game, *given).json[0]["moves"][0].startswith("harbor")


def test_a_bot_uses_no_tile_once_a_further_card_is_drawn() -> None:
    game = GameFolder("kingdom_builder").type
    match = game.go_on(GameRules("kingdom_builder"), NO_DESERT, Random(1), "desert")
    (legal,) = match.position().moves()
    tile = legal.moves[0]

    assert tile.startswith("harbor")
    assert match.answer("").record == ""
    with pytest.raises(Fault, match="the mandatory action must still build 3 more"):
        match.answer(tile)
