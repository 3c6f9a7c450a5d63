"""Run logs against the rules: which frames make a run, and what explains them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name
from kb_score.games.dialect import (
    ResultRow,
    ViolationRow,
    draw_picture,
    read_result,
    read_violations,
)
from kb_score.games.rabbits.rules import TOTALS, Blamed
from kb_score.games.rabbits.search import Course, Search, Totals
from kb_score.games.rabbits.session import Run, Turn, write_session
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.rabbits.maps import Station
    from kb_score.games.rabbits.records import RunLog

_FAILURE = "the frame that cannot follow from those before, with what cannot be there in brackets:"
_MAX_BLAMED = 8


def check_run_log(
    log: RunLog, station: Station, rules: GameRules, name: str, *, explain: bool
) -> tuple[Verdict, str]:
    """Check a run log; see `kb_score.games.rabbits.check.check_record`."""
    search = Search(station, rules)
    courses = _find_courses(log, search)
    totals = Totals([numbers for course in courses for numbers in course.saves])
    total = _total(log, totals)
    aims = totals.choose(totals.least if total is None else total)
    answer = rules.ask(
        TOTALS,
        {
            "planned": [(log.turns, log.runs)],
            "run_turns": [(number, course.turns) for number, course in enumerate(courses, 1)],
            "unexplained": [(n,) for n, course in enumerate(courses, 1) if course.failure],
            "saved_range": [(totals.least, totals.most)],
            "reachable": [()] if aims is not None else [],
            "claimed_result": [] if total is None else [(Name("saved"), total)],
        },
    )
    violations = (*_say_failures(courses), *read_violations(answer.read(ViolationRow)))
    pictures = (draw_picture(course.failure, _FAILURE) for course in courses if course.failure)
    saved = {row.value for row in answer.read(ResultRow) if row.key == "saved"}
    verdict = Verdict(
        game="rabbits",
        record=name,
        result={
            **read_result(answer, "turns", "runs"),
            "saved": total if saved else None,
            **read_result(answer, "finished"),
            "saved_range": [totals.least, totals.most],
        },
        claimed=None if total is None else {"saved": total},
        violations=violations,
        picture=next(pictures, ""),
    )
    if not explain or aims is None or violations:
        return verdict, ""
    return verdict, write_session(list(_explain(log, courses, search, aims)), station)


def _total(log: RunLog, totals: Totals) -> int | None:
    """Tell the total that a log claims; none if it may be only the first digits of another."""
    if log.total is None or not log.is_cut or totals.choose(log.total) is not None:
        return log.total
    possible = map(str, range(totals.least, totals.most + 1))
    return None if any(n.startswith(str(log.total)) for n in possible) else log.total


def _find_courses(log: RunLog, search: Search) -> list[Course]:
    """Find out which frames make a run, and what explains them.

    A run in which an answer came too late has fewer frames, and a log need not say which run that
    is. But every run begins with the same frame. Each run is taken to be as long as it can be;
    where a total of more runs is claimed, more of the frames that look like a beginning are one.
    """

    @cache
    def follow(start: int, end: int) -> Course:
        return search.follow(log.frames[start:end], log.turns)

    count = len(log.frames)
    starts = list(range(0, count, log.turns))
    if log.late or count < log.turns * log.runs:
        begins = [i for i, frame in enumerate(log.frames) if frame == log.frames[0]]
        ends = {*begins, *log.late, count}
        starts, at = [], 0
        while at < count:
            starts.append(at)
            most = min(end for end in (at + log.turns, *log.late, count) if end > at)
            at = _find_end(follow(at, most), at, begins, is_end=most in ends)
        missing = 0 if log.total is None else max(0, log.runs - len(starts))
        spare = sorted(set(begins).difference(starts))[:missing]
        starts = sorted([*starts, *spare])
    return [follow(start, end) for start, end in pairwise([*starts, count])]


def _find_end(course: Course, start: int, begins: Sequence[int], *, is_end: bool) -> int:
    """Find where a run ends that begins at a frame and may be as long as a course.

    Args:
        course: What is known of the run if it is that long.
        start: Its first frame.
        begins: The frames that look like a beginning, in order, the first of the log among them.
        is_end: Whether a run may end with the course.
    """
    most = start + len(course.frames)
    if is_end and course.failure is None:
        return most
    after = bisect_right(begins, start + course.reach)
    if begins[after - 1] > start:
        return begins[after - 1]
    return min([most, *begins[after : after + 1]])


def _say_failures(courses: Sequence[Course]) -> Iterator[Violation]:
    turns = 0
    for number, course in enumerate(courses, 1):
        if course.failure:
            found = read_violations(course.failure.read(ViolationRow))
            blamed = sorted(course.failure.read(Blamed), key=lambda row: (row.y, row.x, row.what))
            robots = ", ".join(f"{row.what} {row.x},{row.y}" for row in blamed[:_MAX_BLAMED])
            named = (
                replace(violation, detail=f"{violation.detail}: {robots}") for violation in found
            )
            yield from count_through(named, turns, number, several=len(courses) > 1)
        turns += len(course.frames)


def count_through(
    found: Iterable[Violation], before: int, run: int, *, several: bool
) -> Iterator[Violation]:
    """Count the turns of a run's violations through the record, in which others come before."""
    for violation in found:
        turn = violation.turn or 0
        where = f"run {run}, turn {turn}: " if several else ""
        yield replace(violation, detail=where + violation.detail, turn=before + turn)


def _explain(
    log: RunLog, courses: Sequence[Course], search: Search, aims: Sequence[int]
) -> Iterator[Run]:
    for number, course in enumerate(courses, 1):
        own, aims = aims[: len(course.saves)], aims[len(course.saves) :]
        turns = [Turn(log.turns - i, *t) for i, t in enumerate(search.explain(course, own))]
        score = None
        if course.turns == log.turns:
            score = sum(own)
        else:
            turns[-1] = replace(turns[-1], requests=None)
        yield Run(number, log.seed, tuple(turns), score)
