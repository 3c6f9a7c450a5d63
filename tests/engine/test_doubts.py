"""What can be run but is hardly meant is warned of, and changes nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from kb_score.engine.program import Program, read_program
from tests.helpers import EXAMPLE, add_rules, run

CARD = 'card(frontier,12,"x").\n'
RULE = "gold(frontier,P,hex(R,C),1) :- settlement(P,R,C), {}.\n"
NEVER = ": this can never hold"


@pytest.mark.parametrize(
    ("condition", "place", "said", "meant"),
    [
        pytest.param(
            "beside(R,C,montain)", "2:62", f"no fact and no rule gives montain{NEVER}",
            "did you mean mountain?", id="misspelt",
        ),
        pytest.param(
            "beside(R,C,Water)", "2:62", "the variable Water is used once",
            "did you mean water?", id="capital",
        ),
        pytest.param(
            "near(R,C,South,C1)", "2:60", "the variable South is used once",
            "", id="variable",
        ),
        pytest.param(
            'beside(R,C,"water")', "2:62", f'"water" is a text, not a word{NEVER}',
            "did you mean water?", id="text",
        ),
        pytest.param(
            "not terrain(lake,R,C)", "2:63", f"no fact and no rule gives lake{NEVER}",
            "", id="no-terrain",
        ),
        pytest.param("P = two", "2:55", f"no fact and no rule gives two{NEVER}", "", id="number"),
        pytest.param(
            "quadrant(R,C,5)", "2:64", f"5 is not from 1 to 4{NEVER}", "", id="quadrant"
        ),
        pytest.param(
            "settlement(7,R,C)", "2:62", f"7 is not from 1 to 5{NEVER}", "", id="player"
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["score", "explain", "rules"])
def test_a_doubt_is_told_with_its_place_and_what_was_meant(
    tmp_path: Path, verb: str, condition: str, place: str, said: str, meant: str
) -> None:
    folder = add_rules(tmp_path, CARD + RULE.format(condition))

    ran = run(verb, EXAMPLE if verb != "rules" else "list", "--rules", folder)

    first, *others = ran.err.splitlines()
    assert ran.status == 0
    assert "frontier" in ran.out
    assert first == f"warning: {folder / 'mine.lp'}:{place}: {said}"
    assert meant in others[-1]


def test_gold_for_a_player_who_cannot_be_is_told(tmp_path: Path) -> None:
    rules = CARD + "gold(frontier,7,hex(R,C),1) :- settlement(P,R,C).\n"

    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, rules))

    assert ran.status == 0
    assert f"2:15: 7 is not from 1 to 5{NEVER}" in ran.err


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(RULE.format("beside(R,C,water)"), id="water"),
        pytest.param(RULE.format("near(R,C,R1,C1), R1 + C1 > 2"), id="coordinates"),
        pytest.param(RULE.format("near(R,C,_,_Column)"), id="underscores"),
        pytest.param(RULE.format("kind(P,wet)") + "kind(1,wet).\n", id="own-word"),
        pytest.param("#const much = 2.\n" + RULE.format("P < much"), id="constant"),
        pytest.param(RULE.format("P = 1..4, R > 7"), id="numbers"),
    ],
)
def test_what_is_meant_is_not_doubted(tmp_path: Path, rules: str) -> None:
    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, CARD + rules))

    assert (ran.status, ran.err) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["kingdom_builder", "rabbits", "search_party", "slime"])
def test_copies_of_our_rules_are_not_doubted(tmp_path: Path, game: str) -> None:
    run("rules", "export", tmp_path / "mine")

    ran = run(
        "rules", "list", "cards", "--game", game.replace("_", "-"),
        "--rules", tmp_path / "mine" / game,
    )  # fmt: skip

    assert (ran.status, ran.err) == (0, "")


ONCE = "this counts once, however often its condition holds"


@pytest.mark.parametrize(
    ("condition", "place", "cure"),
    [
        pytest.param("N = #sum { 1 : settlement(P,R,C) }", "2:49", "write 1,R,C : ...", id="sum"),
        pytest.param("N = #sum+ { 2 : near(R,_,_,_) }", "2:50", "name what is", id="any"),
        pytest.param("N = #count { 0 : settlement(P,R,C) }", "2:51", "write 0,R,C", id="count"),
        pytest.param(
            "N = #sum { 1,R,C : wall(R,C); 2 : land(K,R,C) }", "2:68", "write 2,K,R,C", id="second"
        ),
    ],
)
def test_a_sum_that_counts_once_is_told(
    tmp_path: Path, condition: str, place: str, cure: str
) -> None:
    rule = f"gold(frontier,P,all,N) :- player(P), {condition}.\n"
    folder = add_rules(tmp_path, CARD + rule)

    ran = run("score", EXAMPLE, "--rules", folder)

    first, *_, hint = ran.err.splitlines()
    assert (ran.status, "frontier" in ran.out) == (0, True)
    assert first == f"warning: {folder / 'mine.lp'}:{place}: {ONCE}"
    assert hint.startswith(f"    hint: {cure}")


@pytest.mark.parametrize(
    "condition",
    [
        "N = #sum { 1,R,C : settlement(P,R,C) }",
        "N = #count { R,C : settlement(P,R,C) }",
        "N = #sum { M,Q : in_quadrant(P,Q,M) }",
        "N = #sum { 5 : in_quadrant(P,1,0) }",
        "N = #max { 1 : settlement(P,_,_) }, N != #inf",
    ],
)
def test_a_sum_that_is_meant_is_not_doubted(tmp_path: Path, condition: str) -> None:
    rule = f"gold(frontier,P,all,N) :- player(P), {condition}.\n"

    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, CARD + rule))

    assert (ran.status, ran.err) == (0, "")


def test_a_card_that_no_rule_pays_for_is_told(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, CARD + 'deed(herders,"x").\n')

    ran = run("score", EXAMPLE, "--rules", folder)

    assert ran.status == 0
    assert f"warning: {folder / 'mine.lp'}:1:6: no rule gives gold(frontier,...)\n" in ran.err
    assert f"warning: {folder / 'mine.lp'}:2:6: no rule gives gold(herders,...)\n" in ran.err


def test_rules_that_pay_any_card_leave_no_card_without_gold(tmp_path: Path) -> None:
    rule = "gold(Card,P,all,1) :- player(P), card(Card,12,_).\n"

    ran = run("score", EXAMPLE, "--rules", add_rules(tmp_path, CARD + rule))

    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("verb", ["score", "explain"])
def test_gold_for_somebody_who_is_no_player_is_told_once(tmp_path: Path, verb: str) -> None:
    folder = add_rules(tmp_path, CARD + "gold(frontier,R,hex(P,C),1) :- settlement(P,R,C).\n")
    boards = [EXAMPLE, EXAMPLE] if verb == "score" else [EXAMPLE]

    ran = run(verb, *boards, "--rules", folder)

    place = f"{folder / 'mine.lp'}:2:1"
    assert ran.status == 0
    assert ran.err.splitlines()[0] == f"warning: {place}: this pays somebody who is no player"
    assert ran.err.count("warning") == 1


def test_thousands_of_facts_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[Path]()

    def note(paths: Iterable[Path], **more: bool) -> Program:
        read.extend(paths := list(paths))
        return read_program(paths, **more)

    monkeypatch.setattr("kb_score.engine.loading.read_program", note)
    facts = "".join(f"gold(zz,1,x{n},1). " for n in range(20))
    folder = add_rules(tmp_path, f'card(zz,12,"x"). {facts}')
    assert run("score", EXAMPLE, "--rules", folder).status == 0
    assert [path.name for path in read if path.name == "mine.lp"] == ["mine.lp"]
