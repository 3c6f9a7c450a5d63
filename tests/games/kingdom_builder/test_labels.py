"""Who wins, and what people call the players and the game."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.kingdom_builder.test_report import read_page
from tests.helpers import EXAMPLE, ROOT, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
# Players 1 and 2 have as many settlements, and player 3 has none.
TIE = "1 2\n . .\n"
NAMED = "% Player 1: Anna\n%player 3 : Cleo & Co\n% title: Friday \u00e0 trois\n"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game whose comments name its players."""
    path = tmp_path / "game.txt"
    path.write_text(NAMED + BASE.read_text())
    return path


@pytest.mark.parametrize(
    ("board", "said", "winners"),
    [
        pytest.param(EXAMPLE.read_text(), "player 4 wins with 61 gold", [4], id="one"),
        pytest.param(TIE, "players 1 and 2 tie with 1 gold", [1, 2], id="two"),
        pytest.param("1 2\n 3 .\n", "players 1, 2 and 3 tie with 1 gold", [1, 2, 3], id="three"),
        pytest.param(". .\n . .\n", "nobody wins", [], id="nobody"),
    ],
)
def test_score_tells_who_wins(board: str, said: str, winners: list[int]) -> None:
    cards = ("miners", "hermits", "discoverers") if winners == [4] else ("hermits",)
    chosen = ("--cards", ",".join(cards))

    assert said in run("score", "-", *chosen, given=board).out.splitlines()
    (found,) = run("score", "-", *chosen, "--format", "json", given=board).json
    assert found["winners"] == winners
    assert said not in run("score", "-", *chosen, "--format", "csv", given=board).out


def test_without_chosen_cards_nobody_is_said_to_win() -> None:
    assert " win" not in run("score", EXAMPLE).out
    assert "winners" not in run("score", EXAMPLE, "--format", "json").json[0]


def test_check_has_a_table_of_gold_and_the_winners_of_a_game_that_is_over() -> None:
    ran = run("check", "kingdom-builder", BASE)

    lines = [line.split() for line in ran.out.splitlines()]
    assert ["card", "player", "1", "player", "2", "player", "3"] in lines
    assert ["castles", "0", "12", "3"] in lines
    assert ["total", "22", "50", "19"] in lines
    assert ["winners", "2"] in lines
    (found,) = run("check", "kingdom-builder", BASE, "--format", "json").json
    assert found["result"]["winners"] == [2]


def test_a_game_that_goes_on_has_no_winner() -> None:
    (found,) = run(
        "check", "kingdom-builder", BASE.with_name("example.txt"), "--format", "json"
    ).json

    assert found["result"]["winners"] is None


def test_names_and_a_title_stand_in_the_table_of_scores() -> None:
    ran = run(
        "score", EXAMPLE, "--cards", "1,3,7", "--names", "Anna,Ben,,Zo\u00eb", "--title", "Friday"
    )

    lines = ran.out.splitlines()
    assert lines[0] == "Friday"
    assert "card         Anna  Ben  player 3  Zo\u00eb" in lines
    assert lines[-1] == "Zo\u00eb wins with 62 gold"


def test_comments_of_each_board_of_a_file_name_its_players() -> None:
    boards = f"% player 1: Anna\n% title: first\n{TIE}\n% player 1: Ben\n{TIE}\n{TIE}"

    ran = run("score", "-", "--cards", "hermits", "--names", ",Cleo", given=boards)

    lines = ran.out.splitlines()
    said = [line for line in lines if " tie " in line]
    assert said == [
        "Anna and Cleo tie with 1 gold",
        "Ben and Cleo tie with 1 gold",
        "player 1 and Cleo tie with 1 gold",
    ]
    assert [line for line in lines if line in ("first", "-#2", "-#3")] == ["first", "-#2", "-#3"]


def test_the_names_of_a_bad_board_are_not_those_of_the_next() -> None:
    ran = run("score", "-", "--cards", "hermits", given=f"% player 1: Anna\n1 x\n . .\n\n{TIE}")

    assert ran.status == 2
    assert "players 1 and 2 tie with 1 gold" in ran.out


def test_names_go_along_to_other_processes(tmp_path: Path) -> None:
    for name in ("Anna", "Ben"):
        (tmp_path / f"{name}.txt").write_text(f"% player 1: {name}\n{TIE}")

    one, two = (run("score", tmp_path, "--cards", "1", "--jobs", n) for n in ("1", "2"))

    assert one == two
    assert "Ben and player 2 tie" in one.out


@pytest.mark.slow
def test_names_stand_in_check_and_in_pictures_of_a_game(game: Path, tmp_path: Path) -> None:
    svg, page = tmp_path / "turn.svg", tmp_path / "game.html"

    assert "Anna  player 2  Cleo & Co" in run("check", "kingdom-builder", game).out
    assert run("draw", game, "--names", ",Ben", "-o", svg).status == 0
    assert run("replay", "kingdom-builder", game, "--title", "A & B", "-o", page).status == 0

    drawn = svg.read_text()
    assert '<title id="p-t">Friday \u00e0 trois: turn 39</title>' in drawn
    assert ">Cleo &amp; Co</text>" in drawn
    assert ">Ben</text>" in drawn
    assert "player" not in drawn
    data = read_page(page.read_text())
    assert "<title>A &amp; B</title>" in page.read_text()
    assert {entry["name"] for entry in data["legend"]} >= {"Anna", "player 2", "Cleo & Co"}
    said = [word for _, _, tally, _ in data["steps"] for pair in tally for word in pair]
    assert "Anna gold so far" in said
    assert "player 2 plays canyon" in said
    assert "player 1" not in " ".join(said)


def test_names_and_a_title_stand_in_a_report(tmp_path: Path) -> None:
    board, page = tmp_path / "board.txt", tmp_path / "report.html"
    board.write_text(f"% player 1: Anna\n{TIE}")

    ran = run("report", board, "--cards", "hermits", "--title", "Friday", "-o", page)

    assert ran.status == 0
    assert "<title>Friday</title>" in page.read_text()
    data = read_page(page.read_text())
    assert data["players"] == [[1, "Anna"], [2, "player 2"]]
    (shown,) = data["boards"]
    assert shown["names"] == ["Anna", "player 2"]
    assert shown["saying"] == "Anna and player 2 tie with 1 gold."
    assert "Anna" in [entry["name"] for entry in shown["legend"]]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("<b>", "'<' cannot be shown", id="html"),
        pytest.param("a|b", "'|' cannot be shown", id="table"),
        pytest.param("a\x1b[31m", r"'\x1b' cannot be shown", id="escape"),
        pytest.param("a\u202eb", r"'\u202e' cannot be shown", id="direction"),
        pytest.param("x" * 31, "it has 31 characters", id="long"),
        pytest.param("player 2", "is the number of a player", id="number"),
    ],
)
def test_a_hostile_name_is_refused(name: str, message: str) -> None:
    ran = run("score", EXAMPLE, "--names", name)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err

    ran = run("score", "-", given=f"% player 1: {name}\n{TIE}")
    assert (ran.status, ran.out) == (2, "")
    assert f"-:1:13: name of a player: {message}" in ran.err or message in ran.err
    assert "^" in ran.err


def test_two_players_have_two_names() -> None:
    assert "two players are called 'x'" in run("score", EXAMPLE, "--names", "x,x").err
    ran = run("score", "-", "--names", "x", given=f"% player 2: x\n{TIE}")
    assert (ran.status, "two players are called 'x'" in ran.err) == (2, True)


def test_a_hostile_title_is_refused() -> None:
    ran = run("score", EXAMPLE, "--title", "<script>")
    assert (ran.status, ran.out) == (2, "")
    assert "--title: '<' cannot be shown in it" in ran.err
    ran = run("score", "-", given=f"% title: {'x' * 121}\n{TIE}")
    assert "-:1:10: title: it has 121 characters, 120 at most" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["score", EXAMPLE, "--names", "a,b,c,d,e,f"], id="score"),
        pytest.param(["score", EXAMPLE, "--names", "a,b,c,d,e", "--players", "4"], id="players"),
        pytest.param(["report", EXAMPLE, "--names", ",,,,,f"], id="report"),
        pytest.param(["draw", EXAMPLE, "--names", "a,b,c,d,e,f"], id="draw"),
        pytest.param(["draw", BASE, "--names", "a,b,c,d,e"], id="draw-game"),
        pytest.param(["replay", BASE, "--names", "a,b,c,d,e"], id="replay"),
        pytest.param(["play", "slime", *(["--bot", "x"] * 4), "--names", "a,b,c,d,e"], id="play"),
    ],
)
def test_names_of_more_players_than_there_are_are_refused(words: list[str | Path]) -> None:
    ran = run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert "--names: there are " in ran.err
    assert ran.err.endswith(" players at most\n")
