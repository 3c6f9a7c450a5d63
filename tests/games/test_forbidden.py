"""Actions that a user's rules forbid: each verb of each game refuses them alike."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.helpers import ROOT, Ran, add_rules, run

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
        ("--size", 3),
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
        ("--const", "most_settlements=6"),
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
    ),
]


@dataclass(frozen=True)
class Case:
    """A game with the rule that forbids, and the folder of the game if it is none of ours."""

    forbids: Forbidding
    own: tuple[object, ...]
    rules: tuple[object, ...]

    def call(self, verb: object, *words: object, given: str | None = None) -> Ran:
        """Run a command for the game without the rule."""
        return run(verb, self.forbids.game, *words, *self.own, given=given)

    def call_with(self, verb: object, *words: object, given: str | None = None) -> Ran:
        """Run a command for the game with the rule."""
        return self.call(verb, *words, *self.rules, given=given)


@pytest.fixture
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    (forbids,) = (one for one in GAMES if one.game == request.param)
    rules = ("--rules", add_rules(tmp_path, forbids.rule))
    if forbids.game != "three":
        return Case(forbids, (), rules)
    folder = shutil.copytree(TEMPLATE, tmp_path / "three")
    return Case(forbids, ("--game-dir", folder), rules)


def each(*games: str) -> pytest.MarkDecorator:
    """Parametrize a test by all games, or by some."""
    return pytest.mark.parametrize("case", games or [one.game for one in GAMES], indirect=True)


# A controller of rabbits skips such a move, so that later lists of rabbits are wrong.
@each("slime", "search-party", "kingdom-builder", "three")
def test_check_reports_what_is_forbidden(case: Case) -> None:
    forbids = case.forbids

    ran = case.call_with("check", *forbids.files, "--format", "csv")

    assert case.call("check", *forbids.files).status == 0
    assert ran.status == 1
    code = "wrong-board" if forbids.game == "slime" else "house-rule"
    assert (ran.csv[0]["turn"], ran.csv[0]["code"]) == (str(forbids.turn), code)


@each()
def test_legal_leaves_it_out_says_why_and_accepts_what_is_left(case: Case) -> None:
    forbids = case.forbids
    words = ("legal", *forbids.files, "--turn", forbids.at, "--format", "json")
    moves = [move for line in case.call(*words).json for move in line["moves"]]
    lines = case.call_with(*words).json
    left = [move for line in lines for move in line["moves"]]

    assert set(left) < set(moves)
    prefix = "move " if forbids.game == "rabbits" else ""
    for move in lines[0]["moves"][:8]:
        if " movesto " not in move and " crushes " not in move:
            assert case.call_with(*words, "--move", f"{prefix}{move}").status == 0
    if forbids.move:
        refused = case.call_with(*words, "--move", forbids.move)
        assert (refused.status, refused.json[0]["code"]) == (1, "house-rule")
        assert case.call(*words, "--move", forbids.move).status == 0
        assert case.call_with(*words, "--move", forbids.other).status == 0


@pytest.mark.slow
@each()
def test_a_random_game_obeys_it(case: Case) -> None:
    forbids = case.forbids
    *maps, _ = forbids.files
    play = ("playouts", *maps, "--seed", forbids.seed, *forbids.options)

    unaware, aware = case.call(*play), case.call_with(*play)

    assert (unaware.status, aware.status) == (0, 0)
    assert case.call_with("check", *maps, "-", given=unaware.out).status == 1
    judged = case.call_with("check", *maps, "-", given=aware.out)
    assert judged.status == 0, judged.out


# Elsewhere a bot may pass, or the referee plays for it.
@each("search-party", "three")
def test_a_bot_that_does_it_loses_the_game_at_once(case: Case) -> None:
    script = f"while read -r line; do echo {shlex.quote(case.forbids.move)}; done"
    bots = ("--bot", f"sh -c {shlex.quote(script)}") * (2 if case.own else 1)

    ran = case.call_with("play", *case.forbids.files[:-1], *bots)

    assert ran.status == 1
    assert "illegal move: house-rule" in ran.err


@each("search-party")
def test_a_plan_avoids_what_is_forbidden(case: Case, tmp_path: Path) -> None:
    map_, plan = case.forbids.files[0], tmp_path / "plan.txt"

    assert case.call_with("solve", map_, "--record", plan).status == 0
    assert case.call_with("check", map_, plan).status == 0
