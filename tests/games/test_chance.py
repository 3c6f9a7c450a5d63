"""Games that chance begins and goes on with: a small one, `pile`, and variations of it."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from kb_score.arena.contests.scoring import rank
from kb_score.engine.rules import GameRules
from kb_score.games import list_games
from tests.helpers import ROOT, run

PILE = ROOT / "tests" / "games" / "pile"
GAME = "players 2\nhas 1 4\nhas 2 6\np1 3 p2 1 at 1 p2 at 2 p1\ntake\ntake\np1 wins\n"


@pytest.fixture
def pile(tmp_path: Path) -> Path:
    """A copy of the game, which a test may change."""
    return Path(shutil.copytree(PILE, tmp_path / "pile"))


def change(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1))


def check(folder: Path, record: str) -> list[str]:
    path = folder.parent / "record.txt"
    path.write_text(record)
    (verdict,) = run("check", "pile", path, "--game-dir", folder, "--format", "json").json
    return [f"{one['turn']} {one['code']}: {one['detail']}" for one in verdict["violations"]]


def play(folder: Path, *words: object) -> str:
    ran = run("playouts", "pile", "--game-dir", folder, *words)
    return ran.out if ran.status == 0 else ran.err


@pytest.mark.parametrize("players", [2, 3, 4])
def test_random_games_are_consistent(pile: Path, players: int) -> None:
    games = pile.parent / "games"
    words = ("--players", players, "--games", 5, "-o", games)
    run("playouts", "pile", "--game-dir", pile, *words)

    verdicts = run("check", "pile", games, "--game-dir", pile, "--format", "json").json

    assert len(verdicts) == 5
    assert all(one["consistent"] and one["result"]["finished"] for one in verdicts)
    assert {len(one["result"]["scores"]) for one in verdicts} == {players}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("p2 1", "p2 7", "7 cannot be drawn for 2"),
        (" p2 1", "", "nothing is drawn for 2"),
        ("p2 1", "p2 1 p2 2", "two things are drawn for 2"),
        ("at 2 p1", "at 2 p7", "7 is not shuffled now"),
        (" at 2 p1", "", "1 is missing from what is shuffled"),
        ("at 2 p1", "at 2 p1 at 3 p1", "1 has two places"),
        ("at 2 p1", "at 1 p1", "two things have place 1"),
        ("at 2 p1", "at 5 p1", "there is no place 5"),
    ],
)
def test_what_a_record_says_of_chance_is_what_the_rules_let_it_decide(
    pile: Path, old: str, new: str, said: str
) -> None:
    assert check(pile, GAME) == []
    assert f"1 wrong-draw: {said}" in check(pile, GAME.replace(old, new))


def test_a_result_that_the_rules_do_not_derive_is_not_accepted(pile: Path) -> None:
    change(pile, "rules.lp", "best(P,t).", "best(P,t), P > 9.")

    assert check(pile, GAME) == [
        "3 wrong-result: the rules derive no winner, and the record claims 1"
    ]


def test_a_turn_of_a_player_who_does_not_play_is_told(pile: Path) -> None:
    change(
        pile,
        "rules.lp",
        "mover(P,t) :- before_waits(P,1,t).",
        "mover(4*P,t) :- before_waits(P,1,t).",
    )

    assert "turn 2: it belongs to player" in play(pile, "--players", 3, "--seed", 1)


def test_a_game_stops_after_the_most_turns(pile: Path) -> None:
    change(pile, "rules.lp", "terminal(t) :- take(t)", "terminal(t) :- take(t), t > 99")

    assert play(pile, "--players", 2, "--most-turns", 2).count("take") == 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("shuffle(1..9,t).", "shuffle(C,t) :- card(C).", "nothing gives card/1 here"),
        ("shuffle(1..9,t).", "shuffle(1..cards,t).", "nothing here says what cards is (#const)"),
        ("opening_line(", "opening_lines(", "setup.lp: nothing derives opening_line/3"),
    ],
)
def test_what_is_wrong_with_the_beginning_is_told(
    pile: Path, old: str, new: str, said: str
) -> None:
    (pile / "rules.lp").write_text(
        (pile / "rules.lp").read_text() + "\n#program base.\n#const cards = 9.\ncard(1..cards).\n"
    )
    text = (pile / "setup.lp").read_text()
    (pile / "setup.lp").write_text(text.replace(old, new))

    assert said in play(pile, "--players", 2)


def test_a_contest_by_wins_alone_is_refused(pile: Path) -> None:
    change(pile, "game.toml", '"scores", "wins"]\nmetrics = ["scores", "wins"]', '"wins"]')

    assert "wins counts those whose other figures are the best" in play(pile)


def test_the_best_of_some_players_win(pile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(pile))
    game = list_games()["pile"].type

    scores = game.score(GameRules("pile"), {"scores": [3, 5, 5]}, 3)

    assert [figures for figures, _ in scores] == [(3, 0), (5, 1), (5, 1)]


def test_a_game_without_pictures_is_refused_before_a_replay_is_played(pile: Path) -> None:
    page = pile.parent / "page.html"
    words = ("--bot", "human", "--bot", "human", "--replay", page)

    told = run("play", "pile", "--game-dir", pile, *words, given="take\n")

    assert "draw no picture: no told_cell/4 gives a grid" in told.err
    assert not page.exists()


def test_people_are_helped_in_a_game_without_pictures(pile: Path) -> None:
    words = ("--bot", "human", "--bot", "human")

    played = run("play", "pile", "--game-dir", pile, *words, given="help\ntake\ntake\n")

    assert "You may also type a command" in played.err
    assert played.status == 0


def test_games_whose_figures_do_not_count_do_not_rank_a_bot(
    pile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(
        pile,
        "game.toml",
        'figures = ["scores", "wins"]\nmetrics = ["scores", "wins"]',
        'figures = ["scores", "wins", "finished"]\nmetrics = ["scores", "wins"]\n'
        'counts_if = "finished"',
    )
    monkeypatch.setenv("KB_SCORE_GAMES", str(pile))
    game = list_games()["pile"].type
    # The first bot has the better score, but in a game that was not finished.
    tally = Counter[tuple[int, int, tuple[int, ...]]](
        {(0, 0, (9, 1, 0)): 1, (0, 0, (3, 0, 1)): 1, (1, 0, (4, 1, 1)): 1}
    )

    keys = rank(game, GameRules("pile"), 2, tally, 1, "scores")

    assert keys[0] < keys[1]
