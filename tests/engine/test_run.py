"""Questions to the rules: which files they take, what is read, what a user can do to them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kb_score.engine.idle import Sketch
from kb_score.engine.program import parse_program
from kb_score.engine.rules import AnswerSetError, Asked, Changes, GameRules, Use
from kb_score.engine.solve import solve_each
from kb_score.engine.terms import Facts, Name, Value
from kb_score.errors import RuleError

SCORE = Use("board score cards/miners")
FACTS: Facts = {"size": [(2, 2)], "settlement": [(1, 0, 0)], "terrain": []}


class ScoreRow(NamedTuple):
    card: str
    player: int
    gold: int


class Score(NamedTuple):
    card: str
    player: str
    gold: Value


def with_rules(folder: Path, text: str) -> GameRules:
    (folder / "mine.lp").write_text(text + "\n")
    return GameRules("kingdom_builder", Changes((folder,)))


def test_the_files_of_a_use_are_asked_and_no_others() -> None:
    answer = GameRules("kingdom_builder").ask(SCORE, FACTS)

    assert answer.read(ScoreRow) == [("miners", 1, 0)]
    assert [name for name, _ in answer.rows] == ["score"]


def test_a_use_of_a_file_that_there_is_not_is_a_slip_of_ours() -> None:
    with pytest.raises(LookupError, match="kingdom_builder has no bored"):
        GameRules("kingdom_builder").program(Use("bored"))


def test_rows_are_of_the_types_that_their_named_tuple_says() -> None:
    answer = GameRules("kingdom_builder").ask(SCORE, FACTS)

    with pytest.raises(RuleError, match="score: the rules give 1 where a word is expected"):
        answer.read(Score)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("a :- not a.", "the rules have no answer set"),
        ("a :- not b. b :- not a.", "the rules have more than one answer set"),
        ("{ a }.", "the rules have more than one answer set"),
        (":- player(1).", "the rules have no answer set"),
    ],
)
def test_no_statement_of_a_user_is_dropped(rules: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(AnswerSetError, match=message):
        with_rules(tmp_path, rules).ask(SCORE, FACTS)


def test_a_rule_that_has_changed_on_disk_is_read_again(tmp_path: Path) -> None:
    rule = "gold(miners,P,luck,{}) :- player(P)."
    for gold in (3, 45):
        rules = with_rules(tmp_path, rule.format(gold))
        assert rules.ask(SCORE, FACTS).read(ScoreRow) == [("miners", 1, gold)]


def test_whoever_listens_is_told_the_whole_program() -> None:
    heard: list[Asked] = []
    rules = GameRules("kingdom_builder", listener=heard.append)
    one = rules.ask(SCORE, FACTS)
    many = rules.ask_boards(SCORE, [FACTS, {**FACTS, "settlement": [(2, 1, 1)]}])

    single, lifted = heard
    assert single.answer == one
    assert "settlement(1,0,0)." in str(single)
    assert "#show score/3." in str(single)
    assert [answer.read(ScoreRow) for answer in many] == [[("miners", 1, 0)], [("miners", 2, 0)]]
    assert "settlement(0,1,0,0). settlement(1,2,1,1)." in str(lifted)
    assert "#show score/4." in str(lifted)


def test_rules_that_can_derive_nothing_are_left_out_and_not_missed() -> None:
    rules = "a(X) :- b(X), not c(X). d :- a(1), e. f :- d. g :- not d. {h}."
    whole = parse_program(f"{rules} #show a/1. #show f/0. #show g/0.")
    program = Sketch(whole).without_idle(((("b", 1), (None,)),))
    assert {s.heads for s in whole.statements} - {s.heads for s in program.statements} == {
        frozenset({("d", 0)}),
        frozenset({("f", 0)}),
    }
    assert ("d", 0) in program.defined
    assert ("e", 0) not in program.defined


_WORDS = """
#const ruling = fast. #const step = -1.
tile(farm,build,"a, (b"). tile(X,move) :- held(X). tile(barn,move,1).
moves(X,f(X)) :- played(_,X), tile(X,move,_).
builds(X) :- played(T,X), tile(X,build,_), X != barn.
slow(X) :- ruling = slow, builds(X). fast :- ruling = fast.
second(K) :- shown(2,K). first(K) :- shown(1,K). back(X) :- shown(step,X).
walled(X) :- played(_,X), X = (quarry;farm). pool((quarry;farm),X) :- played(_,X).
none :- pool(quarry,f). some :- pool(quarry,farm). deep :- moves(barn,f(barn)).
also :- also(farm), not slow(_). also(X) :- builds(X), played(1..3,X).
"""
_HEADS = (
    "moves/2 builds/1 slow/1 fast/0 second/1 first/1 back/1 walled/1 none/0 some/0 deep/0 also/0"
)


@pytest.mark.parametrize(
    ("facts", "idle"),
    [
        ({"played": [(2, "farm")], "shown": [(1, "grass")]}, {"slow", "second", "deep"}),
        ({"played": [(2, "barn")], "shown": [(1, "a"), (2, "b")]}, {"builds", "slow", "also"}),
        ({"played": [(1, "farm"), (1, "barn")], "shown": [(-1, "a")]}, {"slow"}),
        ({"shown": [(n, "a") for n in range(9)]}, {"moves", "builds", "slow", "deep", "also"}),
    ],
)
def test_what_facts_say_of_words_leaves_rules_out_but_no_atom(
    facts: dict[str, list[tuple[int, str]]], idle: set[str]
) -> None:
    shows = "".join(f"#show {head}." for head in _HEADS.split())
    open_ = "#defined held/1. #defined played/2. #defined shown/2."
    whole = parse_program(f"{_WORDS}{shows}{open_}")
    given: Facts = {n: [(number, Name(w)) for number, w in rows] for n, rows in facts.items()}
    sketch = Sketch(whole)
    program = sketch.without_idle(sketch.look_at(given))

    assert solve_each(program, given) == solve_each(whole, given)
    left = {name for name, _ in whole.derived - program.derived}
    assert idle <= left
