"""Checks run logs: the rules look for moves that explain the frames."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TypeAlias

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

# The number of turns that are grounded at once; memory use grows with it.
_WINDOW = 20
# All answer sets that differ in what is shown.
_DIFFERENT = ("--enum-mode=record", "--project=show", "--models=0")
# The caption of the first frame that cannot follow from the frames before it.
_FAILURE = "the frame that cannot follow from those before, with what cannot be there in brackets:"
_MAX_BLAMED = 8

# The numbers of rabbits that one turn can save.
_Saves: TypeAlias = Set[int]
# The cells of some crushers, each with a heading.
_Headings: TypeAlias = tuple[tuple[int, int], ...]


def check_run_log(
    rules: GameRules, station: Station, log: RunLog, name: str, *, explain: bool = False
) -> tuple[Verdict, str]:
    """Return the verdict on a run log, and a session that explains it, if one is wanted.

    The session is text; it is empty if none explains the log.
    """
    search = LogSearch(station, rules, log)
    runs = search.find_runs()
    saves = []
    for run in runs:
        saves += run.saves
    least = sum(map(min, saves))
    most = sum(map(max, saves))
    total = _find_total(log, saves, range(least, most + 1))
    claimed: dict[str, int] | None = None
    claims = []
    reachable: list[Row] = []
    if total is None:
        saved = choose(saves, least)
    else:
        saved = choose(saves, total)
        claimed = {"saved": total}
        claims.append((Name("saved"), total))
    if saved is not None:
        reachable.append(())
    facts: Facts = {
        "planned": [(log.turns, log.runs)],
        "run_turns": [(number, run.turns) for number, run in enumerate(runs, 1)],
        "unexplained": [(number,) for number, run in enumerate(runs, 1) if run.failure],
        "saved_range": [(least, most)],
        "reachable": reachable,
        "claimed_result": claims,
    }
    answer = rules.ask(asp.TOTALS, facts)
    violations = list(_iter_failures(runs))
    violations += read_violations(answer.read(ViolationRow))
    result = dict.fromkeys(("turns", "runs", "saved"))
    result |= read_result(answer)
    result["saved_range"] = [least, most]
    verdict = Verdict(
        game="rabbits",
        record=name,
        result=result,
        claimed=claimed,
        violations=tuple(violations),
        picture=_draw_failure(runs),
    )
    if not explain or saved is None or violations:
        return verdict, ""
    session = list(_explain(search, runs, saved))
    return verdict, write_session(session, station)


def _find_total(log: RunLog, saves: Sequence[_Saves], possible: range) -> int | None:
    """Return the total that a log claims; None if it claims none, or if digits may be missing.

    Args:
        saves: The numbers of rabbits that each turn beside an exit can save.
        possible: The totals from the smallest to the largest.
    """
    total = log.total
    if total is None or not log.is_cut or choose(saves, total) is not None:
        return total
    # The number may be the first digits of another total.
    digits = str(total)
    if any(str(number).startswith(digits) for number in possible):
        return None
    return total


def _draw_failure(runs: Iterable[RunExplanation]) -> str:
    """Draw the first frame that cannot follow; empty if there is none."""
    for run in runs:
        if run.failure is None:
            continue
        picture = draw_picture(run.failure, _FAILURE)
        if picture:
            return picture
    return ""


def _iter_failures(runs: Sequence[RunExplanation]) -> Iterator[Violation]:
    """Yield the violations of unexplained runs, with turns counted from the start of the record."""
    several = len(runs) > 1
    turns = 0
    for number, run in enumerate(runs, 1):
        if run.failure:
            found = _read_failure(run.failure)
            yield from renumber_turns(found, turns, number, several=several)
        turns += len(run.frames)


def _read_failure(failure: Answer) -> list[Violation]:
    """Return the violations of a run; their details list what cannot be in the frame."""
    blamed = sorted((y, x, what) for what, x, y in failure["blamed"])
    names = [f"{what} {x},{y}" for y, x, what in blamed[:_MAX_BLAMED]]
    listed = ", ".join(names)
    found = []
    for violation in read_violations(failure.read(ViolationRow)):
        detail = f"{violation.detail}: {listed}"
        found.append(replace(violation, detail=detail))
    return found


def renumber_turns(
    found: Iterable[Violation], before: int, run: int, *, several: bool
) -> Iterator[Violation]:
    """Yield the violations of a run with their turns counted from the start of the record.

    There are some turns before the run. If the record has several runs, each detail names the run.
    """
    for violation in found:
        turn = violation.turn or 0
        detail = violation.detail
        if several:
            detail = f"run {run}, turn {turn}: {detail}"
        yield replace(violation, detail=detail, turn=before + turn)


def _explain(
    search: LogSearch, runs: Sequence[RunExplanation], saved: Sequence[int]
) -> Iterator[RabbitsRun]:
    """Yield the runs of a session that explains a log.

    The numbers of rabbits to save are in the order of the saves of all runs.
    """
    for number, run in enumerate(runs, 1):
        count = len(run.saves)
        own = saved[:count]
        saved = saved[count:]
        turns = search.explain(run, own)
        score: int | None = sum(own)
        if run.turns < search.log.turns:
            # The last turn of the run has no answer.
            turns[-1] = replace(turns[-1], requests=None)
            score = None
        yield RabbitsRun(number=number, seed=search.log.seed, turns=tuple(turns), score=score)


@dataclass(frozen=True, slots=True)
class LogWindow:
    """Some turns of a run that can be explained.

    Attributes:
        frames: The frames of the turns, and the next frame unless the run ends.
        given: Other facts about the turns.
        saves: The numbers of rabbits that each turn can save, by turn. Each number of one turn can
            be combined with each number of another.
    """

    turns: int
    frames: Sequence[Frame]
    given: Facts
    saves: Mapping[int, _Saves]


@dataclass(frozen=True, slots=True)
class RunExplanation:
    """How far one run can be explained.

    Attributes:
        frames: All frames of the run.
        windows: The turns that can be explained, in order.
        reach: The number of frames, from the first one, that can be explained.
        failure: The answer of the rules about the frame that cannot follow; None if all can.
    """

    frames: Sequence[Frame]
    windows: tuple[LogWindow, ...]
    reach: int
    failure: Answer | None

    @property
    def turns(self) -> int:
        """The number of turns that can be explained."""
        return sum(window.turns for window in self.windows)

    @property
    def saves(self) -> list[_Saves]:
        """The numbers of rabbits that each turn beside an exit can save, in order."""
        saves: list[_Saves] = []
        for window in self.windows:
            saves += window.saves.values()
        return saves


class LogSearch:
    """Uses the rules to find explanations of a run log, window by window."""

    def __init__(self, station: Station, rules: GameRules, log: RunLog) -> None:
        """Prepare the search; the rules are not asked anything yet."""
        self.log = log
        self._base = station.facts()
        self._rules = rules
        self._follow = cache(self._follow_frames)

    def find_runs(self) -> list[RunExplanation]:
        """Divide the frames into runs, and explain each as far as possible."""
        turns = self.log.turns
        count = len(self.log.frames)
        starts: Sequence[int] = range(0, count, turns)
        if self.log.late or count < turns * self.log.runs:
            starts = self._find_starts()
        found = []
        for start, end in pairwise([*starts, count]):
            run = self._follow(start, end)
            found.append(run)
        return found

    def _find_starts(self) -> list[int]:
        """Return the indices of the frames at which the runs begin, if frames are missing.

        A run in which an answer was late has fewer frames, and a log need not say which run that
        is. But all runs begin with the same frame. Each run is assumed to be as long as possible.
        If the log claims a total for more runs, further frames that look like the first one begin
        a run.
        """
        log = self.log
        frames = log.frames  # may be empty
        count = len(frames)
        begins = [index for index, frame in enumerate(frames) if frame == frames[0]]
        known_ends = {*begins, *log.late, count}
        starts = []
        end = 0
        while end < count:
            start = end
            starts.append(start)
            limits = (start + log.turns, *log.late, count)
            later = [limit for limit in limits if limit > start]
            end = min(later)
            run = self._follow(start, end)
            if run.failure or end not in known_ends:
                # The run ends where another one begins: at the last such frame among those that
                # can be explained, or at the next one.
                after = bisect_right(begins, start + run.reach)
                last = begins[after - 1]
                if last > start:
                    end = last
                elif after < len(begins):
                    end = min(end, begins[after])
        if log.total is not None:
            missing = max(0, log.runs - len(starts))
            unused = sorted(set(begins).difference(starts))
            starts += unused[:missing]
            starts.sort()
        return starts

    def _follow_frames(self, start: int, end: int) -> RunExplanation:
        """Explain the run whose frames are those from a start index up to an end index."""
        frames = self.log.frames[start:end]
        windows = []
        before: Facts = {"opens": [(1,)]}
        for first in range(0, len(frames), _WINDOW):
            # The last frame of a window is the first of the next one.
            shown = frames[first : first + _WINDOW + 1]
            rest = len(frames) - first
            is_last = rest <= _WINDOW
            # No turn of a window is the last of the run if another window follows.
            last_turn = rest if is_last else rest + 1
            given: dict[str, Sequence[Row]] = {
                **before,
                "last_turn": [(last_turn,)],
                "unanswered": [(last_turn,)] if len(frames) < self.log.turns else [],
            }
            facts = self._facts(shown, given)
            try:
                answer = self._rules.ask(asp.EXPLORE, facts)
            except AnswerSetError:
                failure = self._rules.ask(asp.BLAME, {**facts, "earlier": [(first,)]})
                ((fails,),) = failure["fails"]
                explained = shown[: fails - 1]
                if len(explained) > 1:
                    window = self._explore(explained, given)
                    windows.append(window)
                return RunExplanation(
                    frames=frames,
                    windows=tuple(windows),
                    reach=first + len(explained),
                    failure=failure,
                )
            window = LogWindow(
                turns=min(rest, _WINDOW), frames=shown, given=given, saves=_read_saves(answer)
            )
            windows.append(window)
            if not is_last:
                alternatives = self._list_alternatives(facts, answer)
                before = {"alternative": alternatives}
        return RunExplanation(
            frames=frames, windows=tuple(windows), reach=len(frames), failure=None
        )

    def _explore(self, frames: Sequence[Frame], given: Facts) -> LogWindow:
        """Return the window of some frames, all of which can be explained."""
        facts = self._facts(frames, given)
        answer = self._rules.ask(asp.EXPLORE, facts)
        saves = _read_saves(answer)
        return LogWindow(turns=len(frames) - 1, frames=frames, given=given, saves=saves)

    def explain(self, run: RunExplanation, saved: Sequence[int]) -> list[RunTurn]:
        """Return turns of a run that save given numbers of rabbits, in the order of its saves."""
        turns: list[RunTurn] = []
        after: Facts = {}
        left = self.log.turns - run.turns
        # The windows are explained from last to first: each has to end as the next one begins.
        for window in reversed(run.windows):
            before = len(saved) - len(window.saves)
            aim = list(zip(saved[before:], window.saves, strict=True))
            saved = saved[:before]
            known = self._facts(window.frames, window.given)
            facts = {**known, **after, "aim": aim}
            (answer,) = self._rules.search(asp.EXPLAIN, facts, "--models=1")
            left += window.turns
            window_turns = _read_turns(answer, window.turns, left)
            turns = [*window_turns, *turns]
            after = {"wanted_heading": answer["began"]}
        return turns

    def _facts(self, frames: Sequence[Frame], given: Facts) -> Facts:
        return {**self._base, **given, **list_frames(frames)}

    def _list_alternatives(self, facts: Facts, answer: Answer) -> list[Row]:
        """Return the headings after a window as rows (group, combination, cell, heading)."""
        possible = defaultdict[int, list[int]](list)
        for cell, heading in answer.read(asp.LastHeadingRow):
            possible[cell].append(heading)
        undecided = {cell for cell, headings in possible.items() if len(headings) > 1}
        bound = {pair for pair in answer["bound"] if undecided.issuperset(pair)}
        rows: list[Row] = []
        number = 0
        left = sorted(possible)
        # The headings of crushers of different groups do not depend on each other.
        while left:
            first, *others = left
            group = [first]
            left = []
            for cell in others:
                if (cell, first) in bound:
                    group.append(cell)
                else:
                    left.append(cell)
            if len(group) > 1:
                combinations = self._combine_headings(facts, group)
            else:
                combinations = [((first, heading),) for heading in possible[first]]
            for combination, headings in enumerate(combinations):
                for cell, heading in headings:
                    rows.append((number, combination, cell, heading))
            number += 1
        return rows

    def _combine_headings(self, facts: Facts, group: Iterable[int]) -> list[_Headings]:
        """Return the combinations of headings that some crushers can have after a window."""
        asked = {**facts, "in_question": [(cell,) for cell in group]}
        combinations: set[_Headings] = set()
        for answer in self._rules.search(asp.HEADINGS, asked, *_DIFFERENT):
            headings = sorted(answer.read(asp.LastHeadingRow))
            combinations.add(tuple(headings))
        return sorted(combinations)


def _read_saves(answer: Answer) -> dict[int, _Saves]:
    """Return the numbers of rabbits that each turn can save, by turn."""
    saves = defaultdict[int, set[int]](set)
    for number, turn in answer["saves"]:
        saves[turn].add(number)
    return dict(saves)


def _read_turns(answer: Answer, turns: int, left: int) -> list[RunTurn]:
    """Return the turns of a window; ``left`` turns of the run are left at the first of them."""
    action_rows = sorted(answer.read(asp.ActionRow))
    rabbit_rows = sorted(answer["reported"])
    move_rows = sorted(answer["leaves"])
    found = []
    for turn in range(1, turns + 1):
        actions = [(row.cell, row.verb, row.to) for row in action_rows if row.turn == turn]
        rabbits = [cell for cell, at in rabbit_rows if at == turn]
        requests = [(cell, to) for cell, to, at in move_rows if at == turn]
        run_turn = RunTurn(
            left=left + 1 - turn,
            actions=tuple(actions),
            rabbits=tuple(rabbits),
            requests=tuple(requests),
        )
        found.append(run_turn)
    return found


def choose(sets: Sequence[_Saves], total: int) -> list[int] | None:
    """Return a number from each set so that they add up to a total; None if no choice does.

    Most sets have no gap; with them, every sum from the smallest to the largest can be reached. The
    sums that sets with gaps can add to their smallest numbers are stored as bits of an integer.
    """
    picked = [min(numbers) for numbers in sets]
    spans = [max(numbers) - min(numbers) for numbers in sets]
    gapless = []
    gapped = []
    reached = [1]
    for index, numbers in enumerate(sets):
        # A set without a gap has one more number than its span.
        if spans[index] < len(numbers):
            gapless.append(index)
            continue
        gapped.append(index)
        bits = 0
        for number in numbers:
            bits |= reached[-1] << (number - picked[index])
        reached.append(bits)
    missing = total - sum(picked)
    # The sets with gaps add as little as possible: only what the others cannot add.
    flexible = sum(spans[index] for index in gapless)
    taken = max(0, missing - flexible)
    possible = reached.pop() >> taken
    lowest = possible & -possible
    taken += lowest.bit_length() - 1
    if not possible or taken > missing:
        return None
    missing -= taken
    for index in gapless:
        more = min(spans[index], missing)
        picked[index] += more
        missing -= more
    for index in reversed(gapped):
        bits = reached.pop()
        for number in sets[index]:
            rest = taken + picked[index] - number
            if rest >= 0 and bits >> rest & 1:
                picked[index] = number
                taken = rest
                break
    return picked
