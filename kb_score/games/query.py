"""Questions about boards and games as values, many of which share a grounding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kb_score.engine.rules import Answer, AnswerSetError, GameRules, Use, catch
from kb_score.engine.terms import Facts
from kb_score.errors import KbScoreError, RuleError, visible

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Query(Generic[T]):
    """A question to the rules about one board or position.

    Attributes:
        make: A function that makes the result from the answer set.
        name: The name of the board or game in errors; empty for errors without a name.
    """

    rules: GameRules
    use: Use
    facts: Facts
    make: Callable[[Answer], T]
    name: str = ""

    def ask(self) -> T:
        """Ground and solve this question alone, and return its result."""
        (result,) = ask_all([self])
        if isinstance(result, KbScoreError):
            raise result
        return result

    def read(self, answer: Answer | KbScoreError) -> T | KbScoreError:
        """Return the result for an answer, or the error."""
        if isinstance(answer, AnswerSetError) and self.name:
            return RuleError(f"{visible(self.name)}: {answer}")
        if isinstance(answer, KbScoreError):
            return answer
        return catch(self.make, answer)


def ask_all(queries: Sequence[Query[T] | KbScoreError]) -> list[T | KbScoreError]:
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
            groups[query.rules, query.use][number] = query
    for (rules, use), group in groups.items():
        answers = rules.ask_boards(use, [query.facts for query in group.values()])
        for (number, query), answer in zip(group.items(), answers, strict=True):
            results[number] = query.read(answer)
    return [results[number] for number in range(len(queries))]
