"""Questions to the rules as values, and batches of them that share a grounding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, ParamSpec, TypeVar

from kb_score.engine.rules import Answer, AnswerSetError, Asked, GameRules, LimitError, Use
from kb_score.engine.terms import Facts
from kb_score.errors import KbScoreError, RuleError, visible

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """A question to the rules of a game about one board or position.

    Attributes:
        read: A function that makes the result from the answer set.
        name: The name of the board or game in errors; empty for errors without a name.
    """

    rules: GameRules
    use: Use
    facts: Facts
    read: Callable[[Answer], T]
    name: str = ""

    def ask(self) -> T:
        """Ground and solve this question alone, and return its result."""
        try:
            answer = self.rules.ask(self.use, self.facts)
            return self.read(answer)
        except AnswerSetError as error:
            if not self.name:
                raise
            shown_name = visible(self.name)
            raise RuleError(f"{shown_name}: {error}") from error


def ask_many(queries: Sequence[Query[T] | KbScoreError]) -> list[T | KbScoreError]:
    """Return the results of queries in order, or the error in place of each that fails.

    Queries with the same rules and files share a grounding, which is faster. An error in place of a
    query is returned as is. A LimitError is raised: it ends all queries.
    """
    results = dict[int, T | KbScoreError]()
    groups = defaultdict[tuple[GameRules, Use], dict[int, Query[T]]](dict)
    for number, query in enumerate(queries):
        if isinstance(query, KbScoreError):
            results[number] = query
        else:
            rules = replace(query.rules, listener=None)
            group = groups[rules, query.use]
            group[number] = query
    for (rules, use), group in groups.items():
        asked = list(group.values())
        answers = _ask_together(rules, use, asked)
        for (number, query), answer in zip(group.items(), answers, strict=True):
            if answer is None:
                results[number] = catch(query.ask)
            else:
                results[number] = catch(query.read, answer)
    return [results[number] for number in range(len(queries))]


def _ask_together(
    rules: GameRules, use: Use, queries: Sequence[Query[T]]
) -> Sequence[Answer | None]:
    """Return the answers of queries that are grounded together.

    They are None if grounding fails, or if there is only one query.
    """
    alone = [None] * len(queries)
    if len(queries) == 1:
        return alone
    boards = [query.facts for query in queries]
    answers = catch(rules.ask_boards, use, boards)
    if isinstance(answers, KbScoreError):
        # Which query failed shows only when they are asked one by one.
        return alone
    for query, answer in zip(queries, answers, strict=True):
        listener = query.rules.listener
        if listener is not None:
            program = rules.program(use)
            asked = Asked(use, program, query.facts, answer)
            listener(asked)
    return answers


def catch(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | KbScoreError:
    """Call a function, and return its error instead of raising it.

    A LimitError is raised: the rules would reach the limit again for the next board.
    """
    try:
        return function(*args, **options)
    except LimitError:
        raise
    except KbScoreError as error:
        return error
