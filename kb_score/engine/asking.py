"""What asks the rules, side by side: many questions are answered in few groundings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from typing import Any, TypeAlias, TypeVar

from kb_score.engine.rules import Answer, Asked, GameRules, LimitError, Use
from kb_score.engine.terms import Facts
from kb_score.errors import KbScoreError

_Found = TypeVar("_Found")

Question: TypeAlias = tuple[GameRules, Use, Facts]
Answers: TypeAlias = Sequence[Answer | KbScoreError]
# Yields questions, is sent their answers, and returns what it finds by them.
Asking: TypeAlias = Generator[Sequence[Question], Answers, _Found]


def ask_alone(asking: Asking[_Found]) -> _Found:
    """Answer each question by itself."""
    return _answer(asking, lambda questions: [r.ask(use, facts) for r, use, facts in questions])


def ask_together(askings: Iterable[Asking[_Found]]) -> list[_Found]:
    """Answer at once what several ask, each of which asks once or not at all."""
    return _answer(gather(askings), _ask_all)


def gather(askings: Iterable[Asking[_Found]]) -> Asking[list[_Found]]:
    """Ask together what each of several asks once, or not at all; return what they find."""
    found = dict[int, _Found]()

    def note(number: int, asking: Asking[_Found]) -> Asking[None]:
        found[number] = yield from asking

    noted = [note(number, asking) for number, asking in enumerate(askings)]
    asked = [next(one, ()) for one in noted]
    answers = iter((yield [*chain(*asked)]))
    for one, questions in zip(noted, asked, strict=True):
        with suppress(StopIteration):
            one.send([next(answers) for _ in questions])
    return [found[number] for number in range(len(noted))]


def _answer(asking: Asking[_Found], ask: Callable[[Sequence[Question]], Answers]) -> _Found:
    try:
        questions = next(asking)
        while True:
            questions = asking.send(ask(questions))
    except StopIteration as done:
        found: _Found = done.value
        return found


def _ask_all(questions: Sequence[Question]) -> Answers:
    """Answer questions, or tell why one cannot be answered; those of like rules together."""
    groups = defaultdict[tuple[GameRules, Use], list[int]](list)
    for number, (rules, use, _) in enumerate(questions):
        groups[replace(rules, listener=None), use].append(number)
    found = dict[int, Answer | KbScoreError]()
    for (rules, use), numbers in groups.items():
        boards = [questions[number][2] for number in numbers]
        together = attempt(rules.ask_boards, use, boards)
        if isinstance(together, KbScoreError):  # who is to blame shows one by one
            found |= {n: attempt(questions[n][0].ask, *questions[n][1:]) for n in numbers}
            continue
        for number, answer in zip(numbers, together, strict=True):
            found[number] = answer
            own, _, facts = questions[number]
            if own.listener is not None:
                own.listener(Asked(use, rules.program(use), facts, answer))
    return [found[number] for number in range(len(questions))]


def attempt(function: Callable[..., _Found], *values: Any) -> _Found | KbScoreError:
    """Call a function; return its error, or the first value that is one."""
    for value in values:
        if isinstance(value, KbScoreError):
            return value
    try:
        return function(*values)
    except LimitError:
        raise
    except KbScoreError as error:
        return error
