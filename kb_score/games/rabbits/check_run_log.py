"""Run logs against the rules: some turns at a time, and all totals that they allow together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb_score.games.rabbits.picture import draw
from kb_score.games.rabbits.run_log import Frame, RunLog
from kb_score.games.rabbits.search import Alternatives, Choices, Findings, Headings, Search, Window
from kb_score.games.rabbits.session import Run, Turn
from kb_score.games.rabbits.station import Station
from kb_score.games.rabbits.totals import Totals
from kb_score.rules import Changes
from kb_score.verdict import Verdict, Violation

# So many turns are grounded at once; memory grows with it.
_WINDOW = 20


@dataclass(frozen=True, slots=True)
class _Failure:
    """Why a run has no explanation: the turn, from 1 in the run, and who cannot be there."""

    turn: int
    detail: str
    who: str
    picture: str


@dataclass(frozen=True, slots=True)
class _Course:
    """What is known of one run: its windows in order, and where it fails, if it does."""

    windows: tuple[tuple[Window, Findings], ...]
    failure: _Failure | None

    @property
    def turns(self) -> int:
        return sum(window.turns for window, _ in self.windows)


def check_run_log(
    log: RunLog, station: Station, changes: Changes, record: str, *, explain: bool = False
) -> tuple[Verdict, tuple[Run, ...]]:
    """Look for choices that explain a run log.

    Args:
        log: The run log.
        station: The map.
        changes: What the user changes about the rules.
        record: What the verdict calls the log.
        explain: Whether an explanation is wanted, too.

    Returns:
        The verdict, turns counted through all runs; and an explanation as a session, empty where
        none is wanted or none exists.
    """
    search = Search(station, changes)
    courses = [_follow(frames, search, station) for frames in log.runs]
    totals = Totals(tuple(s for c in courses for _, f in c.windows for s in f.saves.values()))
    broken = any(course.failure for course in courses)
    aims = None if broken else totals.choose(log.total)
    violations = list(_say_failures(log, courses))
    if not broken and aims is None:
        violations.append(_say_total(log, totals))
    verdict = Verdict(
        game="rabbits",
        record=record,
        result={
            "turns": sum(course.turns for course in courses),
            "runs": len(log.runs),
            "saved": None if aims is None else log.total,
            "finished": not broken,
            "saved_range": [totals.least, totals.most],
        },
        claimed={"saved": log.total},
        violations=tuple(violations),
        picture=next((c.failure.picture for c in courses if c.failure), ""),
    )
    if not explain or aims is None:
        return verdict, ()
    wanted = iter(aims)
    return verdict, tuple(
        _explain(number, log.seed, course, search, wanted)
        for number, course in enumerate(courses, 1)
    )


def _follow(frames: Sequence[Frame], search: Search, station: Station) -> _Course:
    windows: list[tuple[Window, Findings]] = []
    before: Alternatives | None = None
    for first in range(0, len(frames), _WINDOW):
        closes = first + _WINDOW >= len(frames)
        shown = tuple(frames[first : first + _WINDOW + (not closes)])
        window = Window(first + 1, shown, closes, before)
        drawn = next((i for i, frame in enumerate(shown) if frame.strange), len(shown))
        findings = search.explore(window) if drawn == len(shown) else None
        if findings is None:
            good, failure = _narrow_down(window, drawn, search, station)
            return _Course((*windows, *good), failure)
        windows.append((window, findings))
        before = findings.after
    return _Course(tuple(windows), None)


def _narrow_down(
    window: Window, drawn: int, search: Search, station: Station
) -> tuple[list[tuple[Window, Findings]], _Failure]:
    """Split a window without an explanation into one that has one and the turn that fails.

    ``drawn`` is the number of its frames before one that is no drawing of the map.
    """
    good: tuple[Window, Findings] | None = None
    low, high = 0, drawn  # so many frames have an explanation, so many more may have
    while low < high:
        middle = (low + high + 1) // 2
        part = replace(window, frames=window.frames[:middle], closes=False)
        findings = search.explore(part)
        if findings is None:
            high = middle - 1
        else:
            low, good = middle, (part, findings)
    if low == drawn and drawn < len(window.frames):
        cells = window.frames[drawn].strange
        failure = _say_strange(window.first + drawn, cells, window.frames[drawn], station)
    elif good is None:
        failure = _blame(replace(window, frames=window.frames[:1], closes=False), search, station)
    else:
        pair = window.frames[low - 1 : low + 1]
        turn = window.first + low - 1
        failure = _blame(Window(turn, pair, False, good[1].after), search, station)
    return [good] if good is not None else [], failure


def _blame(window: Window, search: Search, station: Station) -> _Failure:
    robots = search.blame(window)
    who = ", ".join(f"{kind} {station.say(cell)}" for kind, cell in robots[:8])
    cells = [cell for _, cell in robots]
    frame = window.frames[-1]
    if window.turns:
        legend = f"the frame after turn {window.first}; ! cannot follow from the turns before:\n"
        detail = f"no choices lead from frame {window.first} to frame {window.first + 1}: {who}"
    else:
        legend = "the first frame; ! is not as a run begins:\n"
        detail = f"a run does not begin so: {who}"
    drawing = draw(station, frame.rabbits, frame.crushers, cells)
    return _Failure(
        window.first,
        detail,
        station.say(cells[0]) if len(cells) == 1 else "",
        legend + drawing,
    )


def _say_strange(turn: int, cells: Sequence[int], frame: Frame, station: Station) -> _Failure:
    places = " ".join(map(station.say, cells[:8]))
    drawing = draw(station, frame.rabbits, frame.crushers, cells)
    return _Failure(
        turn,
        f"frame {turn} does not show the map at {places}",
        station.say(cells[0]) if len(cells) == 1 else "",
        f"the frame of turn {turn}; ! is not as on the map:\n{drawing}",
    )


def _say_failures(log: RunLog, courses: Sequence[_Course]) -> Iterator[Violation]:
    for number, (frames, course) in enumerate(zip(log.runs, courses, strict=True)):
        if failure := course.failure:
            where = f"run {number + 1}, turn {failure.turn}: " if len(log.runs) > 1 else ""
            turn = number * len(frames) + failure.turn
            yield Violation("no-explanation", where + failure.detail, turn, failure.who)


def _say_total(log: RunLog, totals: Totals) -> Violation:
    least, most = totals.least, totals.most
    detail = f"a total of {log.total} cannot be reached: the frames allow {least} to {most}"
    if least < log.total < most:
        detail += ", but not every number between"
    return Violation("wrong-score", detail, sum(map(len, log.runs)))


def _explain(number: int, seed: int, course: _Course, search: Search, aims: Iterator[int]) -> Run:
    wanted = [dict(zip(findings.saves, aims, strict=False)) for _, findings in course.windows]
    turns: list[Turn] = []
    after: Headings | None = None
    # From the last window to the first: each has to end as the one after it begins.
    for (window, _), aim in zip(reversed(course.windows), reversed(wanted), strict=True):
        choices = search.explain(window, aim, after)
        left = course.turns - window.first + 1
        turns[:0] = _write(choices, left, window.turns)
        after = choices.began
    return Run(number, seed, tuple(turns), sum(sum(aim.values()) for aim in wanted))


def _write(choices: Choices, left: int, turns: int) -> Iterator[Turn]:
    for t in range(1, turns + 1):
        yield Turn(
            left - t + 1,
            choices.actions.get(t, ()),
            choices.rabbits.get(t, ()),
            choices.requests.get(t, ()),
        )
