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


def test_a_missing_file_in_a_use_is_an_error_of_ours() -> None:
    with pytest.raises(LookupError, match="kingdom_builder has no bored"):
        GameRules("kingdom_builder").program(Use(("bored",)))


def test_rows_are_of_the_types_that_their_named_tuple_says() -> None:
    answer = GameRules("kingdom_builder").ask(SCORE, FACTS)

    with pytest.raises(RuleError, match="score: the rules give 1 where a word is expected"):
        answer.read(Score)


def test_a_constraint_of_a_user_is_not_dropped(tmp_path: Path) -> None:
    with pytest.raises(AnswerSetError, match="the rules have no answer set"):
        with_rules(tmp_path, ":- player(1).").ask(SCORE, FACTS)


def test_a_listener_gets_the_whole_program() -> None:
    heard: list[Asked] = []
    rules = GameRules("kingdom_builder", listener=heard.append)
    one = rules.ask(SCORE, FACTS)

    (single,) = heard
    assert single.answer == one
    assert "settlement(1,0,0)." in str(single)
    assert "#show score/3." in str(single)
