"""Actions that a user's rules forbid: each verb of each game refuses them alike."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards"
TEMPLATE = ROOT / "templates" / "game"


@dataclass(frozen=True)
class Forbidding:
    """A rule that forbids, and what is said of it.

    Attributes:
        game: The game.
        rule: The rule, whose code is ``house-rule``.
        files: A record that breaks it at its first turn in question, with the maps before it.
        turn: That turn.
        move: What is forbidden at turn ``at``, as an answer.
        other: Another answer, which is legal.
        at: The turn of a position before it.
        options: The options of random games.
        seed: The seed of a random game that breaks the rule if nobody knows it.
        own: The folder of the game, if it is none of ours.
    """

    game: str
    rule: str
    files: tuple[Path, ...]
    turn: int
    move: str
    other: str
    at: int
    options: tuple[object, ...] = ()
    seed: int = 1
    own: tuple[object, ...] = ()


GAMES = [
    Forbidding(
        "slime",
        'forbidden(T,go(R,C,R1,C1),"house-rule",("nobody goes north",)) :-\n'
        "    answer((R,C),(R1,C1),T), R1 < R.",
        (BOARDS / "slime" / "session.txt",),
        4,  # player 3 has gone north at turn 3, so the board printed for turn 4 is wrong
        "4 0 3 0",
        "4 0 4 1",
        3,
        ("--size", 4),
    ),
    Forbidding(
        "search-party",
        "#program step(t).\n"
        'forbidden(t,go(P,D),"house-rule",(P,"goes askew")) :- before_alive(P,t), D = (1;3;7;9).',
        tuple(
            BOARDS / "search_party" / path
            for path in ("maps/meadow.txt", "records/meadow/safe-plan.txt")
        ),
        1,
        "@9",
        "@6",
        1,
        ("--most-turns", 12),
    ),
    Forbidding(
        "kingdom-builder",
        'forbidden(T,build(mandatory,(0,C)),"house-rule",("nobody builds in row 0",)) :-\n'
        "    mover(_,T), hex(0,C).",
        (BOARDS / "kingdom_builder" / "games" / "base.txt",),
        12,
        "",
        "",
        1,
        ("--const", "most_settlements=8"),
        seed=5,
    ),
    Forbidding(
        "rabbits",
        'forbidden(T,move(C,C-1),"house-rule",("nobody goes west",)) :- turn(T), way(C,_,C-1).',
        (BOARDS / "rabbits" / "small.map", BOARDS / "rabbits" / "small.session"),
        0,
        "move 6,3 to 5,3",
        "move 6,3 to 7,3",
        4,
        ("--turns", 6),
    ),
    Forbidding(
        "three",
        'forbidden(T,place(1,1),"house-rule",("the middle is free",)) :- mover(_,T).',
        (TEMPLATE / "game.txt",),
        1,
        "place 1 1",
        "place 0 0",
        1,
        ("--most-turns", 6),
        own=("--game-dir",),
    ),
]
each = pytest.mark.parametrize("forbids", GAMES, ids=lambda forbids: str(forbids.game))


@pytest.fixture
def words(forbids: Forbidding, tmp_path: Path) -> tuple[object, ...]:
    """The options that name the rule, and the folder of a game that is none of ours."""
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "house.lp").write_text(f"{forbids.rule}\n")
    own: tuple[object, ...] = ()
    if forbids.own:
        (tmp_path / "three").mkdir()
        for path in TEMPLATE.iterdir():
            if path.is_file():
                (tmp_path / "three" / path.name).write_bytes(path.read_bytes())
        own = (*forbids.own, tmp_path / "three")
    return ("--rules", tmp_path / "rules", *own)


@each
def test_check_reports_what_is_forbidden(forbids: Forbidding, words: tuple[object, ...]) -> None:
    if forbids.game == "rabbits":
        pytest.skip("a controller skips such a move, so that later lists of rabbits are wrong")
    own = words[2:]
    ran = run("check", forbids.game, *forbids.files, *words, "--format", "csv")

    assert run("check", forbids.game, *forbids.files, *own).status == 0
    assert ran.status == 1
    first = ran.csv[0]
    code = "wrong-board" if forbids.game == "slime" else "house-rule"
    assert (first["turn"], first["code"]) == (str(forbids.turn), code)


@each
def test_legal_leaves_it_out_and_says_why(forbids: Forbidding, words: tuple[object, ...]) -> None:
    own = words[2:]
    command = ("legal", forbids.game, *forbids.files, "--turn", forbids.at, "--format", "json")
    moves = [move for line in run(*command, *own).json for move in line["moves"]]
    left = [move for line in run(*command, *words).json for move in line["moves"]]

    assert set(left) < set(moves)
    if not forbids.move:
        return
    refused = run(*command, *words, "--move", forbids.move)
    assert (refused.status, refused.json[0]["code"]) == (1, "house-rule")
    assert run(*command, *own, "--move", forbids.move).status == 0
    assert run(*command, *words, "--move", forbids.other).status == 0


@each
def test_each_move_that_legal_lists_is_accepted(
    forbids: Forbidding, words: tuple[object, ...]
) -> None:
    command = ("legal", forbids.game, *forbids.files, "--turn", forbids.at, "--format", "json")
    (line, *_) = run(*command, *words).json
    prefix = "move " if forbids.game == "rabbits" else ""

    for move in line["moves"][:12]:
        if " movesto " in move or " crushes " in move:
            continue
        assert run(*command, *words, "--move", f"{prefix}{move}").status == 0


@pytest.mark.slow
@each
def test_a_random_game_obeys_it(forbids: Forbidding, words: tuple[object, ...]) -> None:
    own = words[2:]
    maps = forbids.files[:-1]
    play = ("playouts", forbids.game, *maps, "--seed", forbids.seed, *forbids.options)
    judge = ("check", forbids.game, *maps, "-", *words)

    unaware = run(*play, *own)
    aware = run(*play, *words)

    assert (unaware.status, aware.status) == (0, 0)
    assert run(*judge, given=unaware.out).status == 1
    judged = run(*judge, given=aware.out)
    assert judged.status == 0, judged.out


@each
def test_a_bot_that_does_it_is_told_so(forbids: Forbidding, words: tuple[object, ...]) -> None:
    if forbids.game not in ("search-party", "three"):
        pytest.skip("a bot may pass, or the referee plays for it")
    script = f"while read -r line; do echo {shlex.quote(forbids.move)}; done"
    bot = f"sh -c {shlex.quote(script)}"
    bots = ("--bot", bot) * (2 if forbids.game == "three" else 1)

    ran = run("play", forbids.game, *forbids.files[:-1], *words, *bots)

    assert ran.status == 1
    assert "illegal move: house-rule" in ran.err


def test_a_plan_avoids_what_is_forbidden(tmp_path: Path) -> None:
    (forbids,) = (one for one in GAMES if one.game == "search-party")
    rules = tmp_path / "house.lp"
    rules.write_text(f"{forbids.rule}\n")
    map_, plan = forbids.files[0], tmp_path / "plan.txt"

    ran = run("solve", "search-party", map_, "--rules", rules, "--record", plan)

    assert ran.status == 0
    assert run("check", "search-party", map_, plan, "--rules", rules).status == 0
