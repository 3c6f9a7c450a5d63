"""Queries: one by one and many in one grounding give the same results and errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import Answer, Asked, GameRules, Use, catch
from kb_score.engine.terms import Facts
from kb_score.errors import InputError, KbScoreError, RuleError
from kb_score.games.query import Query, ask_all

SCORE = Use(("board", "score", "cards/*"))


def make_facts(column: int) -> Facts:
    """Make a board of one row with a settlement beside a mountain or not."""
    return {"size": [(2, 4)], "hex": [], "terrain": [], "settlement": [(1, 0, column)], "wall": []}


def read_gold(answer: Answer) -> dict[str, int]:
    return {card: gold for card, _, gold in answer["score"]}


def make_queries(rules: GameRules, columns: range) -> list[Query[dict[str, int]]]:
    return [Query(rules, SCORE, make_facts(column), read_gold) for column in columns]


def test_many_queries_have_the_results_of_each_alone() -> None:
    queries = make_queries(GameRules("kingdom_builder"), range(4))

    assert ask_all(queries) == [query.ask() for query in queries]


def test_queries_of_other_rules_and_errors_keep_their_places() -> None:
    plain = GameRules("kingdom_builder")
    changed = replace(plain, changes=Changes(constants=(("lords_need_settlement", "1"),)))
    (first,) = make_queries(plain, range(1))
    (second,) = make_queries(changed, range(1))
    error = InputError("a.txt", "it is empty")

    asked: list[Query[dict[str, int]] | KbScoreError] = [first, error, second, first]
    results = ask_all(asked)

    assert results == [first.ask(), error, second.ask(), first.ask()]
    assert first.ask() != second.ask()


def test_one_query_without_an_answer_costs_no_other_its_result(tmp_path: Path) -> None:
    (tmp_path / "strict.lp").write_text(
        'card(strict, 12, "1 gold").\n'
        "gold(strict, P, hex(R,C), V) :- settlement(P,R,C), C != 3, V = 1.\n"
        'gold(strict, P, hex(R,C), "much") :- settlement(P,R,C), C = 3.\n'
    )
    rules = GameRules("kingdom_builder", Changes(folders=(tmp_path,)))
    queries = make_queries(rules, range(4))

    results = ask_all([replace(query, name="b.txt") for query in queries])

    assert [isinstance(result, KbScoreError) for result in results] == [False, False, False, True]
    assert results[:3] == [query.ask() for query in queries[:3]]


def test_a_listener_hears_of_each_query_with_its_own_facts() -> None:
    heard: list[Asked] = []
    rules = GameRules("kingdom_builder", listener=heard.append)

    ask_all(make_queries(rules, range(3)))

    assert [asked.facts["settlement"] for asked in heard] == [[(1, 0, c)] for c in range(3)]


def test_catch_returns_errors_of_ours_alone() -> None:
    def fail(kind: type[Exception]) -> None:
        raise kind("no")

    assert isinstance(catch(fail, RuleError), RuleError)
    with pytest.raises(ValueError, match="no"):
        catch(fail, ValueError)
