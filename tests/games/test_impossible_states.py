"""Rules of a user that lead to an impossible state: the message names the rule, in every verb."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.helpers import ASP, ROOT, run, write_copy

BOARD = "G1 W\nG  2\n"
SLIME = "slime boards/slime/session.txt"
FIELD = "search-party boards/search_party/maps/field.txt"
PLAN = f"{FIELD} boards/search_party/records/field/safe-plan.txt"
STATION = "rabbits boards/rabbits/small.map"
GAME = "kingdom-builder boards/kingdom_builder/games/base.txt"

# A rule at the end of a copy of one of our files, what is wrong with it, and what is run.
CASES = [
    (
        "slime/rules/rules.lp",
        "#program step(t).\nbecomes(From,P,t) :- move(jump,From,_,t), mover(P,t).",
        "a turn gives the square in row",
        [
            f"check {SLIME}",
            "play slime --size 4" + 4 * " --bot 'echo 0 0 0 2 #'",
            f"legal {SLIME} --turn 3",
            f"legal {SLIME} --turn 3 --move '4 0 2 0'",
            f"replay {SLIME}",
        ],
    ),
    (
        "search_party/rules/rules.lp",
        "#program step(t).\nat(P,C,t) :- at(P,C,t-1), move(P,_,t), t = 1.",
        "to two cells, in row",
        [
            f"check {PLAN}",
            f"play {FIELD} --bot 'echo @2.'",
            f"legal {PLAN} --turn 2",
            f"legal {PLAN} --turn 1 --move @2",
        ],
    ),
    (
        "rabbits/rules/rules.lp",
        "#program answer(t).\nleaves(C,To,t) :- stands(C,t), way(C,_,To).",
        "goes to two cells",
        [
            f"check {STATION} boards/rabbits/small.session",
            f"legal {STATION} boards/rabbits/small.session --turn 5",
            f"playouts {STATION} --turns 20",
        ],
    ),
    (
        "rabbits/rules/order.lp",
        "#program decide(t).\nchooses(C,H,t) :- option(C,H,t).",
        "has two headings",
        [f"playouts {STATION} --turns 40"],
    ),
    (
        "kingdom_builder/rules/turn.lp",
        "stands(1,H,T) :- mover(2,T), builds(T), on(H,T).",
        "two settlements are on the hex in row",
        [f"check {GAME}", f"legal {GAME} --turn 3", "playouts kingdom-builder --players 2"],
    ),
    *(
        ("kingdom_builder/board.lp", rule, said, ["score board.txt"])
        for rule, said in (
            ("settlement(3,R,C) :- settlement(2,R,C).", ", one of player 2 and one of player 3"),
            ("land(grass,R,C) :- terrain(water,R,C).", "the hex in row 0 column 1 is also water"),
            ("land(forest,R,C) :- land(grass,R,C), R = 1.", "is also"),
            ("terrain(mountain,R,C) :- terrain(water,R,C).", "is also"),
        )
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "rule", "said", "command"),
    [(*case, command) for *case, commands in CASES for command in commands],
)
def test_the_rule_that_leads_there_is_named(
    file: str, rule: str, said: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("boards").symlink_to(ROOT / "boards")
    Path("board.txt").write_text(BOARD)
    copy = write_copy(tmp_path / "mine", file, f"{(ASP / file).read_text()}\n{rule}\n")

    ran = run(*shlex.split(command), "--rules", tmp_path / "mine")

    predicate = rule.splitlines()[-1].partition("(")[0]
    assert (ran.status, ran.out) == (2, "")
    assert f"{copy}:" in ran.err
    assert f"    {predicate}(" in ran.err
    assert said in ran.err
