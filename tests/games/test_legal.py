"""What ``kb-score legal`` promises of the moves of every game."""

from __future__ import annotations

import re
from pathlib import Path

from tests.games.contract import Example
from tests.games.examples import each_game, some_games
from tests.helpers import run


@each_game
def test_each_player_has_a_line_with_the_legal_moves(game: Example) -> None:
    ran = game.look(game.whole, "--turn", game.turn)

    assert (ran.status, ran.err) == (0, "")
    assert {(line["game"], line["turn"]) for line in ran.json} == {(game.game, game.turn)}
    assert {line["player"]: len(set(line["moves"])) for line in ran.json} == game.moves
    for_people = run("legal", game.game, *game.starts, game.whole, "--turn", game.turn).out
    assert for_people.startswith(f"turn {game.turn}")
    assert f": {sum(game.moves.values())} legal moves\n" in for_people


@some_games(lambda game: game.starts)
def test_without_a_record_the_first_turn_is_meant(game: Example) -> None:
    ran = run("legal", game.game, *game.starts, "--format", "json")

    assert ran.status == 0
    assert {line["turn"] for line in ran.json} == {1}
    assert all(line["moves"] for line in ran.json)


@each_game
def test_a_legal_line_is_told_as_such(game: Example) -> None:
    ran = game.look(game.whole, "--turn", game.turn, "--move", game.legal)

    (line,) = ran.json
    assert (ran.status, ran.err) == (0, "")
    assert (line["move"], line["legal"], line["code"]) == (game.legal, True, None)
    assert (line["detail"], line.get("reasons", [])) == (None, [])


@each_game
def test_an_illegal_line_is_told_with_code_and_reason(game: Example) -> None:
    move, *expected = game.illegal

    ran = game.look(game.whole, "--turn", game.turn, "--move", move)

    (line,) = ran.json
    assert (ran.status, ran.err) == (1, "")
    assert (line["move"], line["legal"]) == (move, False)
    assert [line["code"], line["detail"]] == expected
    for reason in line.get("reasons", [line])[:1]:
        assert [reason["code"], reason["detail"]] == expected


@each_game
def test_after_the_end_nothing_is_legal(game: Example) -> None:
    listed = game.look(game.whole)
    judged = game.look(game.whole, "--move", game.legal, *game.next_turn)

    # Kingdom Builder asks for a card where the game goes on, so it says why there is no need.
    end = f"{game.whole}: no move is legal: the game is over after turn {game.turns}\n"
    line = {"game": game.game, "turn": game.turns + 1, "player": None, "moves": []}
    if game.next_turn:
        assert (listed.status, listed.out, listed.err) == (2, "", end)
    else:
        assert (listed.status, [{**found, **line} for found in listed.json]) == (0, listed.json)
    assert (judged.status, judged.json[0]["code"]) == (1, "after-end")
    assert judged.json[0]["detail"] == game.over


@each_game
def test_a_turn_that_there_is_not_is_told(game: Example) -> None:
    ran = game.look(game.whole, "--turn", 999)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{game.whole}: there is no turn 999: the record has {game.turns} turns\n"


@each_game
def test_after_an_illegal_turn_nothing_is_known(game: Example, tmp_path: Path) -> None:
    path = tmp_path / "record.txt"
    path.write_text(game.broken)
    turn, code, _ = game.violation

    at, after = (game.look(path, "--turn", number) for number in (turn, turn + 1))

    assert (at.status, at.err) == (0, "")
    assert {line["turn"] for line in at.json} == {turn}
    if code.startswith("wrong-"):  # what the record shows is wrong, and not what is done
        assert after.status == 0
    else:
        assert (after.status, after.out) == (2, "")
        assert f"no move is legal: turn {turn} is wrong ({code}): " in after.err


@each_game
def test_what_is_no_move_is_told_with_its_place(game: Example) -> None:
    ran = game.look(game.whole, "--turn", game.turn, "--move", "%")

    if game.reads_all:
        assert (ran.status, ran.json[0]["code"]) == (1, "no-answer")
    elif game.game == "kingdom-builder":  # a comment: the turn ends
        assert (ran.status, ran.json[0]["code"]) == (1, "too-few")
    else:
        assert (ran.status, ran.out) == (2, "")
        assert re.match(r"(--move|the answer):1:[12]: ", ran.err)
