"""Questions to the rules as values, answered one by one or many in one grounding."""

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
        rules: The rules that answer it.
        use: Which of their files are loaded.
        facts: What the question is about.
        read: Makes the result from the answer set.
        name: What an error calls the board or game; empty if errors name nothing.
    """

    rules: GameRules
    use: Use
    facts: Facts
    read: Callable[[Answer], T]
    name: str = ""

    def ask(self) -> T:
        """Ground and solve this question alone.

        Raises:
            RuleError: The user's rules have no answer set, several, or another mistake.
            LimitError: The rules take more time or memory than they may.
        """
        try:
            return self.read(self.rules.ask(self.use, self.facts))
        except AnswerSetError as error:
            if not self.name:
                raise
            raise RuleError(f"{visible(self.name)}: {error}") from error


def ask_many(queries: Sequence[Query[T] | KbScoreError]) -> list[T | KbScoreError]:
    """Answer queries; those with the same rules and files share a grounding, which is faster.

    Args:
        queries: The queries; an error in the place of one is returned as it is.

    Returns:
        The result of each query, or the error for which it has none, in their order.

    Raises:
        LimitError: The rules take more time or memory than they may.
    """
    results = dict[int, T | KbScoreError]()
    groups = defaultdict[tuple[GameRules, Use], dict[int, Query[T]]](dict)
    for number, query in enumerate(queries):
        if isinstance(query, KbScoreError):
            results[number] = query
        else:
            group = groups[replace(query.rules, listener=None), query.use]
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
    """Ground queries once; None for each of them if that fails, or if there is only one."""
    alone = [None] * len(queries)
    if len(queries) == 1:
        return alone
    answers = catch(rules.ask_boards, use, [query.facts for query in queries])
    if isinstance(answers, KbScoreError):
        # Only asking one by one shows which of them is to blame.
        return alone
    for query, answer in zip(queries, answers, strict=True):
        if query.rules.listener is not None:
            query.rules.listener(Asked(use, rules.program(use), query.facts, answer))
    return answers


def catch(function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | KbScoreError:
    """Call a function, and return its error instead of raising it.

    Raises:
        LimitError: What has no end for one board would have none for the next.
    """
    try:
        return function(*args, **options)
    except LimitError:
        raise
    except KbScoreError as error:
        return error
