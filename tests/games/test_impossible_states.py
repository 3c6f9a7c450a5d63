"""Rules of a user that lead to an impossible state: the message names the rule, in every verb."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards"
ASP = ROOT / "asp"
FIELD = BOARDS / "search_party" / "maps" / "field.txt"
PLAN = BOARDS / "search_party" / "records" / "field" / "safe-plan.txt"
STATION = BOARDS / "rabbits" / "small.map"
SESSION = BOARDS / "rabbits" / "small.session"
GAME = BOARDS / "kingdom_builder" / "games" / "base.txt"
SLIME = BOARDS / "slime" / "session.txt"
BOTS = [word for _ in range(4) for word in ("--bot", "echo 0 0 0 2 #")]
BOARD = "G1 W\nG  2\n"

# A copy of one of our files with a rule at its end, what is run, and what is wrong.
CASES = [
    pytest.param(
        "slime/rules/rules.lp",
        "#program step(t).\nbecomes(From,P,t) :- move(jump,From,_,t), mover(P,t).",
        command,
        "a turn gives the square in row",
        id=f"slime-{command[0]}",
    )
    for command in (
        ("check", "slime", SLIME),
        ("play", "slime", "--size", "4", *BOTS),
        ("legal", "slime", SLIME, "--turn", "3"),
        ("legal", "slime", SLIME, "--turn", "3", "--move", "4 0 2 0"),
        ("replay", "slime", SLIME),
    )
]
CASES += [
    pytest.param(
        "search_party/rules/rules.lp",
        "#program step(t).\nat(P,C,t) :- at(P,C,t-1), move(P,_,t), t = 1.",
        command,
        "to two cells, in row",
        id=f"search-party-{'-'.join(command[:1] + command[4:5])}",
    )
    for command in (
        ("check", "search-party", FIELD, PLAN),
        ("play", "search-party", FIELD, "--", "echo", "@2."),
        ("legal", "search-party", FIELD, PLAN, "--turn", "2"),
        ("legal", "search-party", FIELD, PLAN, "--turn", "1", "--move", "@2"),
    )
]
CASES += [
    pytest.param(
        "rabbits/rules/rules.lp",
        "#program answer(t).\nleaves(C,To,t) :- stands(C,t), way(C,_,To).",
        command,
        "goes to two cells",
        id=f"rabbits-{command[0]}",
    )
    for command in (
        ("check", "rabbits", STATION, SESSION),
        ("legal", "rabbits", STATION, SESSION, "--turn", "5"),
        ("playouts", "rabbits", STATION, "--turns", "20"),
    )
]
CASES.append(
    pytest.param(
        "rabbits/rules/order.lp",
        "#program decide(t).\nchooses(C,H,t) :- option(C,H,t).",
        ("playouts", "rabbits", STATION, "--turns", "40"),
        "has two headings",
        id="rabbits-crushers",
    )
)
CASES += [
    pytest.param(
        "kingdom_builder/rules/turn.lp",
        "comes(1,H,S) :- does(S,mandatory,2,_), at(S,H).",
        command,
        "two settlements are on the hex in row",
        id=f"kingdom-builder-{command[0]}",
    )
    for command in (
        ("check", "kingdom-builder", GAME),
        ("legal", "kingdom-builder", GAME, "--turn", "3"),
        ("playouts", "kingdom-builder", "--players", "2"),
    )
]
CASES += [
    pytest.param(
        "kingdom_builder/board.lp",
        rule,
        ("score", "board.txt"),
        said,
        id=f"board-{rule.partition('(')[0]}",
    )
    for rule, said in (
        ("settlement(3,R,C) :- settlement(2,R,C).", ", of player 2 and of player 3"),
        ("land(grass,R,C) :- terrain(water,R,C).", "the hex in row 0 column 1 is also water"),
        ("land(forest,R,C) :- land(grass,R,C), R = 1.", "is also"),
        ("terrain(mountain,R,C) :- terrain(water,R,C).", "is also"),
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "rule", "command", "said"), CASES)
def test_the_rule_that_leads_there_is_named(
    file: str,
    rule: str,
    command: tuple[object, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "board.txt").write_text(BOARD)
    ours = (ASP / file).read_text(encoding="utf-8")
    copy = tmp_path / "mine" / Path(*Path(file).parts[1:])
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(f"{ours}\n{rule}\n", encoding="utf-8")
    words = list(command)
    place = words.index("--") if "--" in words else len(words)
    words[place:place] = ["--rules", tmp_path / "mine"]

    ran = run(*words)

    predicate = rule.splitlines()[-1].partition("(")[0]
    assert (ran.status, ran.out) == (2, "")
    assert f"{copy}:" in ran.err
    assert f"    {predicate}(" in ran.err
    assert said in ran.err


def test_shipped_rules_lead_to_no_impossible_state(tmp_path: Path) -> None:
    copy = tmp_path / "rules" / "rules.lp"
    copy.parent.mkdir()
    copy.write_text((ASP / "slime/rules/rules.lp").read_text(encoding="utf-8"), encoding="utf-8")

    assert run("check", "slime", SLIME, "--rules", tmp_path).status == 0
