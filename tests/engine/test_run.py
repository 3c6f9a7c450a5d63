"""Questions to the rules: which files they take, what is read, what a user can do to them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import AnswerSetError, Asked, GameRules, Use
from kb_score.engine.terms import Facts, Value
from kb_score.errors import RuleError

SCORE = Use(("board", "score", "cards/miners"))
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
        GameRules("kingdom_builder").program(Use(("bored",)))


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

    (single,) = heard
    assert single.answer == one
    assert "settlement(1,0,0)." in str(single)
    assert "#show score/3." in str(single)
