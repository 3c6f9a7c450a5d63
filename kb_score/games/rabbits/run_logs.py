"""Run logs against the rules: moves are found that explain the frames."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from kb_score.engine.rules import Answer, AnswerSetError, GameRules
from kb_score.engine.terms import Facts, Name, Row
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.records import (
    Frame,
    RabbitsRun,
    RunLog,
    RunTurn,
    Station,
    list_frames,
    write_session,
)
from kb_score.games.schema import ViolationRow, draw_picture, read_result, read_violations
from kb_score.shell.verdict import Verdict, Violation

# The number of turns that are grounded at once; memory grows with it.
_WINDOW = 20
_FAILURE = "the frame that cannot follow from those before, with what cannot be there in brackets:"
_MAX_BLAMED = 8


def check_run_log(
    rules: GameRules, station: Station, log: RunLog, name: str, *, explain: bool = False
) -> tuple[Verdict, str]:
    """Check a run log.

    Args:
        rules: The rules.
        station: The map.
        log: The log.
        name: The name of the log's file.
        explain: Whether to look for a session that explains the log.

    Returns:
        The verdict, and the session as text; empty if none was looked for, or none explains it.
    """
    search = LogSearch(station, rules)
    courses = _find_courses(log, search)
    saves: list[Set[int]] = []
    for course in courses:
        saves += course.saves
    least = sum(map(min, saves))
    most = sum(map(max, saves))
    total = log.total
    if total is not None and log.is_cut and choose(saves, total) is None:
        # It may be only the first digits of another total.
        digits = str(total)
        if any(str(number).startswith(digits) for number in range(least, most + 1)):
            total = None
    aims = choose(saves, least if total is None else total)
    facts: dict[str, list[Row]] = {
        "planned": [(log.turns, log.runs)],
        "run_turns": [],
        "unexplained": [],
        "saved_range": [(least, most)],
        "reachable": [],
        "claimed_result": [],
    }
    picture = ""
    for number, course in enumerate(courses, 1):
        facts["run_turns"].append((number, course.turns))
        if course.failure:
            facts["unexplained"].append((number,))
            picture = picture or draw_picture(course.failure, _FAILURE)
    if aims is not None:
        facts["reachable"].append(())
    if total is not None:
        facts["claimed_result"].append((Name("saved"), total))
    answer = rules.ask(asp.TOTALS, facts)
    violations = [*_list_failures(courses), *read_violations(answer.read(ViolationRow))]
    result = dict.fromkeys(("turns", "runs", "saved")) | read_result(answer)
    verdict = Verdict(
        game="rabbits",
        record=name,
        result={**result, "saved_range": [least, most]},
        claimed=None if total is None else {"saved": total},
        violations=tuple(violations),
        picture=picture,
    )
    if not explain or aims is None or violations:
        return verdict, ""
    runs = list(_explain(log, courses, search, aims))
    return verdict, write_session(runs, station)


def _find_courses(log: RunLog, search: LogSearch) -> list[RunExplanation]:
    """Divide the frames into runs, and explain each.

    A run in which an answer was late has fewer frames, and a log need not say which run that is.
    But every run begins with the same frame. Each run is taken to be as long as possible; if the
    log claims a total of more runs, more of the frames that look like a beginning begin a run.
    """

    @cache
    def follow(start: int, end: int) -> RunExplanation:
        return search.follow(log.frames[start:end], log.turns)

    count = len(log.frames)
    starts = list(range(0, count, log.turns))
    if log.late or count < log.turns * log.runs:
        frames = log.frames  # perhaps none
        begins = [number for number, frame in enumerate(frames) if frame == frames[0]]
        ends = {*begins, *log.late, count}
        starts = []
        at = 0
        while at < count:
            starts.append(at)
            limits = (at + log.turns, *log.late, count)
            end = min(limit for limit in limits if limit > at)
            course = follow(at, end)
            if course.failure or end not in ends:
                # The run ends where another one begins: at the last place up to which it can be
                # explained, or at the next one.
                after = bisect_right(begins, at + course.reach)
                last = begins[after - 1]
                if last > at:
                    end = last
                elif after < len(begins):
                    end = min(end, begins[after])
            at = end
        missing = 0 if log.total is None else max(0, log.runs - len(starts))
        spare = sorted(set(begins).difference(starts))[:missing]
        starts = sorted([*starts, *spare])
    return [follow(start, end) for start, end in pairwise([*starts, count])]


def _list_failures(courses: Sequence[RunExplanation]) -> Iterator[Violation]:
    turns = 0
    for number, course in enumerate(courses, 1):
        if course.failure:
            found = read_violations(course.failure.read(ViolationRow))
            robots = course.failure.read(asp.Blamed)
            blamed = sorted(robots, key=lambda row: (row.y, row.x, row.what))
            words = [f"{row.what} {row.x},{row.y}" for row in blamed[:_MAX_BLAMED]]
            listed = ", ".join(words)
            named = [replace(one, detail=f"{one.detail}: {listed}") for one in found]
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
    log: RunLog, courses: Sequence[RunExplanation], search: LogSearch, aims: Sequence[int]
) -> Iterator[RabbitsRun]:
    for number, course in enumerate(courses, 1):
        count = len(course.saves)
        own = aims[:count]
        aims = aims[count:]
        turns = search.explain(course, own, log.turns)
        if course.turns == log.turns:
            yield RabbitsRun(number, log.seed, tuple(turns), sum(own))
        else:
            turns[-1] = replace(turns[-1], requests=None)
            yield RabbitsRun(number, log.seed, tuple(turns), None)


@dataclass(frozen=True, slots=True)
class LogWindow:
    """Some turns of a run that can be explained, and how many rabbits each can save."""

    turns: int
    frames: Sequence[Frame]  # with the one after them, unless the run ends
    given: Facts  # what else the rules are told of them
    saves: Mapping[int, Set[int]]  # each turn's number goes with every other turn's


@dataclass(frozen=True, slots=True)
class RunExplanation:
    """What is known of one run."""

    frames: Sequence[Frame]  # all that the log has of it
    windows: tuple[LogWindow, ...]  # what can be explained of it, in order
    reach: int  # how many of the frames, from the first, can be explained
    failure: Answer | None = None  # says where it fails

    @property
    def turns(self) -> int:
        """How many turns can be explained."""
        return sum(window.turns for window in self.windows)

    @property
    def saves(self) -> list[Set[int]]:
        """The numbers of rabbits that some turns can save: any of the first, any of the next."""
        saves: list[Set[int]] = []
        for window in self.windows:
            saves += window.saves.values()
        return saves


class LogSearch:
    """Looks for explanations by the rules for one map, some turns at a time."""

    def __init__(self, station: Station, rules: GameRules) -> None:
        self._base = station.facts()
        self._rules = rules

    def follow(self, frames: Sequence[Frame], planned: int) -> RunExplanation:
        """Find the possible outcomes of a run.

        Args:
            frames: Its frames.
            planned: The number of turns that it was to have.
        """
        windows: list[LogWindow] = []
        before: Facts = {"opens": [(1,)]}
        for first in range(0, len(frames), _WINDOW):
            # The last frame of a window is the first of the next one.
            shown = frames[first : first + _WINDOW + 1]
            rest = len(frames) - first
            is_last = rest <= _WINDOW
            # No turn of a window is the last of the run if another window follows.
            last = [(rest if is_last else rest + 1,)]
            given: dict[str, Sequence[Row]] = {**before, "last_turn": last, "unanswered": []}
            if len(frames) < planned:
                given["unanswered"] = last
            facts = self._facts(shown, given)
            try:
                answer = self._rules.ask(asp.EXPLORE, facts)
            except AnswerSetError:
                failure = self._rules.ask(asp.BLAME, {**facts, "earlier": [(first,)]})
                ((fails,),) = failure.read(asp.Fails)
                good = shown[: fails - 1]
                if len(good) > 1:
                    answer = self._rules.ask(asp.EXPLORE, self._facts(good, given))
                    saves = _read_saves(answer)
                    windows.append(LogWindow(len(good) - 1, good, given, saves))
                return RunExplanation(frames, tuple(windows), first + fails - 1, failure)
            turns = rest if is_last else _WINDOW
            saves = _read_saves(answer)
            windows.append(LogWindow(turns, shown, given, saves))
            if not is_last:
                before = {"alternative": self._list_alternatives(facts, answer)}
        return RunExplanation(frames, tuple(windows), len(frames))

    def explain(self, course: RunExplanation, aims: Iterable[int], planned: int) -> list[RunTurn]:
        """Find turns of a run that save given numbers of rabbits.

        Args:
            course: What is known of the run.
            aims: The numbers, in the order of `RunExplanation.saves`.
            planned: The number of turns that the run was to have.
        """
        wanted = iter(aims)
        by_window: list[list[Row]] = []
        for window in course.windows:
            by_window.append([(next(wanted), turn) for turn in window.saves])
        turns: list[RunTurn] = []
        after: Facts = {}
        left = planned - course.turns
        # From the last window to the first: each has to end as the one after it begins.
        for window, aim in zip(reversed(course.windows), reversed(by_window), strict=True):
            facts = {**self._facts(window.frames, window.given), **after, "aim": aim}
            answer = self._rules.ask(asp.EXPLAIN, facts)
            left += window.turns
            turns[:0] = _read_turns(answer, window.turns, left)
            after = {"must_face": [tuple(row) for row in answer.read(asp.Began)]}
        return turns

    def _facts(self, frames: Sequence[Frame], given: Facts) -> Facts:
        return {**self._base, **given, **list_frames(frames)}

    def _list_alternatives(self, facts: Facts, answer: Answer) -> list[tuple[int, ...]]:
        """List the headings after a window, as rows (group, combination, cell, heading)."""
        # The headings of crushers of different groups do not depend on each other.
        possible = defaultdict[int, list[int]](list)
        for cell, heading in answer.read(asp.Facing):
            possible[cell].append(heading)
        is_open = {cell for cell, headings in possible.items() if len(headings) > 1}
        bound = {(a, b) for a, b in answer.read(asp.Bound) if {a, b} <= is_open}
        groups: list[Sequence[Sequence[tuple[int, int]]]] = []
        left = sorted(possible)
        while left:
            first = left[0]
            group = [cell for cell in left if cell == first or (cell, first) in bound]
            if len(group) > 1:
                asked = {**facts, "in_question": [(cell,) for cell in group]}
                answers = self._rules.ask_each(asp.HEADINGS, asked)
                together = {tuple(sorted(answer.read(asp.Facing))) for answer in answers}
                groups.append(sorted(together))
            else:
                groups.append([[(first, heading)] for heading in possible[first]])
            left = [cell for cell in left if cell not in group]
        rows: list[tuple[int, ...]] = []
        for number, combinations in enumerate(groups):
            for combination, headings in enumerate(combinations):
                rows += [(number, combination, *row) for row in headings]
        return rows


def _read_saves(answer: Answer) -> dict[int, Set[int]]:
    saves = defaultdict[int, set[int]](set)
    for number, turn in answer.read(asp.Saves):
        saves[turn].add(number)
    return dict(saves)


def _read_turns(answer: Answer, turns: int, left: int) -> list[RunTurn]:
    actions = sorted(answer.read(asp.ActionRow))
    rabbits = sorted(answer.read(asp.ToldRow))
    moves = sorted(answer.read(asp.Leaves))
    found: list[RunTurn] = []
    for turn in range(1, turns + 1):
        own_actions = [(row.cell, row.verb, row.to) for row in actions if row.turn == turn]
        own_rabbits = [row.cell for row in rabbits if row.turn == turn]
        own_moves = [(row.cell, row.to) for row in moves if row.turn == turn]
        turns_left = left + 1 - turn
        found.append(RunTurn(turns_left, tuple(own_actions), tuple(own_rabbits), tuple(own_moves)))
    return found


def choose(sets: Sequence[Set[int]], total: int) -> list[int] | None:
    """Pick a number out of each set, in order, that add up to a total; None if none do.

    Most sets have no gap; then any sum between the smallest and the largest can be reached. What
    those with gaps can add to their smallest numbers is kept as the bits of an integer.
    """
    picked = [min(some) for some in sets]
    spans = [max(some) - least for some, least in zip(sets, picked, strict=True)]
    gapped = [i for i, some in enumerate(sets) if spans[i] >= len(some)]
    even = sorted(set(range(len(sets))).difference(gapped))
    reached = [1]
    for i in gapped:
        bits = 0
        for number in sets[i]:
            bits |= reached[-1] << (number - picked[i])
        reached.append(bits)
    missing = total - sum(picked)
    # Those with gaps take as little as they can, if the others can take the rest.
    taken = max(0, missing - sum(spans[i] for i in even))
    window = reached[-1] >> taken
    taken += (window & -window).bit_length() - 1
    if not window or taken > missing:
        return None
    missing -= taken
    for i in even:
        more = min(spans[i], missing)
        picked[i] += more
        missing -= more
    for i, before in zip(reversed(gapped), reversed(reached[:-1]), strict=True):
        steps = (number - picked[i] for number in sets[i])
        more = next(step for step in steps if step <= taken and before >> (taken - step) & 1)
        picked[i] += more
        taken -= more
    return picked
