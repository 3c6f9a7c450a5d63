"""Sessions, run logs and score tables against the rules."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import Answer, AnswerSetError, GameRules
from kb_score.engine.terms import Facts, Name
from kb_score.errors import InputError
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.records import (
    Frame,
    RabbitsRun,
    RunLog,
    RunTurn,
    ScoreTable,
    Station,
    list_frames,
    read_map,
    read_record,
    recognises,
    write_session,
)
from kb_score.games.record import RecordKind
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import (
    ViolationRow,
    draw_picture,
    read_result,
    read_violations,
    write_sentence,
)
from kb_score.shell.files import in_order
from kb_score.shell.output import Table
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, Use
    from kb_score.games.game import File
    from kb_score.shell.picture import Replay

# This many turns are grounded at once, since memory grows with them; few if a record is wrong.
_MANY, _FEW = 500, 8
_DIFFERENCE = "after the crushers' moves of turn {turn}; in brackets, where the record differs:"
_IN_RECORD = "turn {turn}, after the crushers' moves"
_IN_RUN = "run {}, turn {{own}}, after the crushers' moves"
_COUNTS = ("crushed", "squished", "collided", "spawned")


def explain_record(rules: GameRules, *files: File) -> tuple[Verdict, str]:
    """Check a run log on its map, and write a session that explains it; empty if none does."""
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    name, _ = files[-1]
    if not isinstance(mapped.record, RunLog):
        raise InputError(name, "--explain is for run logs: other records leave nothing open")
    return check_run_log(rules, mapped.station, mapped.record, name, explain=True)


@dataclass(frozen=True, slots=True)
class MappedRecord:
    """A record on its map; a map alone has a session without a run."""

    station: Station
    record: Any  # a `RabbitsRecord`, as its kind knows


def read_files(_rules: GameRules, files: Sequence[File]) -> MappedRecord:
    """Read a map and a record on it, or a map alone."""
    (map_name, map_text), *others = files
    if not others:
        return MappedRecord(read_map(map_text, map_name), ())
    ((name, text),) = others
    with in_order(swapped=recognises(text)):
        station = read_map(map_text, map_name)
    return MappedRecord(station, read_record(text, station, name))


def check_files(files: Sequence[File]) -> None:
    """Check that there are a map and a record; an InputError says that there are not."""
    if len(files) != 2:
        raise InputError(files[0][0], "two files are needed: a map and a record")


def list_warnings(rules: GameRules, *maps: File) -> list[str]:
    """List the rabbit starts of a map from which no exit can be reached."""
    ((name, text),) = maps
    station = read_map(text, name)
    found = sorted(rules.ask(asp.MAP, station.facts()).read(asp.CutOff))
    places = [station.say(row.cell) for row in found]
    return [f"{name}: no exit can be reached from the rabbit start at {place}" for place in places]


class _RabbitsKind(RecordKind[MappedRecord]):
    """A kind of record on a map."""

    game = "rabbits"
    keys = ("turns", "runs", "saved", "finished")

    def recognises(self, record: object) -> bool:
        return isinstance(record, MappedRecord) and isinstance(record.record, self.type)


class SessionKind(_RabbitsKind):
    """Sessions, which show all moves; turns are counted through all runs."""

    type = tuple

    def judge(self, rules: GameRules, record: MappedRecord, name: str) -> Verdict:
        """Judge the runs window by window."""
        windows = list(_follow_runs(rules, record))
        return self._make_verdict(windows, record.record, name)

    def follow(self, rules: GameRules, record: MappedRecord, name: str) -> Replay:
        """Draw each turn of the runs; of a map alone, how it begins."""
        if not record.record:
            still = _draw_frames([Frame((), ())], record.station, rules, "before the first turn")
            return make_replay(Verdict(self.game, name, {}, None), still)
        windows = list(_follow_runs(rules, record, REPLAY))
        verdict = self._make_verdict(windows, record.record, name)
        several = len(record.record) > 1
        pictured = []
        for window in windows:
            caption = _IN_RUN.format(window.run.number) if several else _IN_RECORD
            pictured.append(Window(window.before, window.answer, caption))
        return make_replay(verdict, pictured, keep=True)

    def _make_verdict(
        self, windows: Sequence[_RunWindow], runs: Sequence[RabbitsRun], name: str
    ) -> Verdict:
        violations: list[Violation] = []
        picture = ""
        for window in windows:
            found = read_violations(window.answer.read(ViolationRow))
            several = len(runs) > 1
            violations += count_through(found, window.before, window.run.number, several=several)
            picture = picture or draw_picture(window.answer, _DIFFERENCE, window.before)
        answer = windows[-1].answer
        numbers = {row.key: row.number for row in answer.read(asp.CountRow)}
        counts = {count: numbers[count] for count in _COUNTS}
        scores = [run.score for run in runs if run.score is not None]
        return Verdict(
            game=self.game,
            record=name,
            result=read_result(answer, *self.keys),
            claimed={"saved": sum(scores)} if scores else None,
            violations=tuple(violations),
            picture=picture,
            tables=(Table("", ("rabbits", "number"), tuple(counts.items())),),
            more={"counts": counts},
        )


class RunLogKind(_RabbitsKind):
    """Run logs, which show frames: moves are found that explain them."""

    type = RunLog

    def judge(self, rules: GameRules, record: MappedRecord, name: str) -> Verdict:
        """Judge a run log."""
        verdict, _ = check_run_log(rules, record.station, record.record, name)
        return verdict

    def follow(self, rules: GameRules, record: MappedRecord, name: str) -> Replay:
        """Draw the frames of a run log."""
        frames = record.record.frames
        if not frames:
            raise InputError(name, "the log ends within its first frame: nothing to draw")
        verdict = self.judge(rules, record, name)
        pictures = _draw_frames(frames, record.station, rules, "frame {turn}")
        return make_replay(verdict, pictures)


class ScoreTableKind(_RabbitsKind):
    """Score tables, of which only the sums can be checked."""

    type = ScoreTable

    def use(self, _record: MappedRecord) -> Use:
        return asp.TABLE

    def facts(self, record: MappedRecord) -> Facts:
        table: ScoreTable = record.record
        total = table.total
        return {
            "row": [(line, *row) for line, row in enumerate(table.rows, 1)],
            "planned": table.planned,
            "planned_seed": [(seed,) for seed in table.seeds],
            "claimed_result": [] if total is None else [(Name("saved"), total)],
        }

    def claimed(self, record: MappedRecord, _answer: Answer) -> Mapping[str, Any] | None:
        total = record.record.total
        return None if total is None else {"saved": total}

    def make_verdict(self, answer: Answer, record: MappedRecord, name: str) -> Verdict:
        """Make the verdict; its violations are about runs, and not about turns."""
        violations = tuple(
            Violation(row.code, write_sentence(row.detail), who=f"run {row.run}" if row.run else "")
            for row in answer.read(asp.Mistake)
        )
        note = "a score table shows no turns: only its sums have been checked"
        verdict = super().make_verdict(answer, record, name)
        return replace(verdict, violations=violations, picture="", notes=(note,))

    def follow(self, _rules: GameRules, _record: MappedRecord, name: str) -> Replay:
        """Refuse to draw a score table."""
        raise InputError(name, "a score table shows no turns: there is nothing to draw")


KINDS = (SessionKind(), RunLogKind(), ScoreTableKind())


def _draw_frames(
    frames: Sequence[Frame], station: Station, rules: GameRules, caption: str
) -> Iterator[Window]:
    for start in range(0, len(frames), _MANY):
        facts = {**station.facts(), **list_frames(frames[start : start + _MANY])}
        yield Window(start, rules.ask(asp.FRAMES.plus(REPLAY), facts), caption)


@dataclass(frozen=True, slots=True)
class _RunWindow:
    """Some turns of a run that the rules were asked about together."""

    run: RabbitsRun
    before: int  # the number of turns of the record before the run
    answer: Answer


def _follow_runs(rules: GameRules, record: MappedRecord, *more: str) -> Iterator[_RunWindow]:
    """Follow runs window by window."""
    runs: Sequence[RabbitsRun] = record.record
    base = record.station.facts()
    state = base
    before = 0
    for run in runs:
        state = {**base, "before": state.get("before", ()), "opens": [(1,)]}
        turns = range(1, len(run.turns) + 1)
        for answer in follow_turns(rules, run, turns, state, more, is_last=run is runs[-1]):
            yield _RunWindow(run, before, answer)
            state = state_after(answer, state)
            if answer.read(asp.BrokenOff):
                break
        before += len(run.turns)


def follow_turns(
    rules: GameRules,
    run: RabbitsRun,
    turns: range,
    state: Facts,
    more: Sequence[str] = (),
    *,
    is_last: bool,
) -> Iterator[Answer]:
    """Follow some turns of a run, from the state before them."""
    if len(turns) <= _MANY:
        # Each turn is derived from the one before as printed: then nothing depends on itself, and
        # grounding alone decides all. Only where the two differ one must go on from the derived
        # one; that takes long unless the turns are few.
        facts = {**state, **run.facts(turns, is_last=is_last)}
        asked: list[Asked] = []
        answer = replace(rules, listener=asked.append).ask(asp.PRINTED.plus(*more), facts)
        if all(row.code != "wrong-rabbits" for row in answer.read(ViolationRow)):
            # A listener wants to hear of what counts, not of what is asked again.
            if rules.listener is not None:
                for one in asked:
                    rules.listener(one)
            yield answer
            return
        if len(turns) <= _FEW:
            yield rules.ask(asp.DERIVED.plus(*more), facts)
            return
    middle = len(turns) // 2
    for half in (turns[:middle], turns[middle:]):
        for answer in follow_turns(rules, run, half, state, more, is_last=is_last):
            yield answer
            state = state_after(answer, state)


def state_after(answer: Answer, before: Facts) -> Facts:
    """Make the facts of the state that some turns have led to, from those of the one before."""
    left = answer.read(asp.Left)
    crushers = [row for row in left if row.what == "crusher"]
    return {
        **before,
        "opens": [],
        "before": [(Name(row.key), row.number) for row in answer.read(asp.SoFar)],
        "remains": [(row.cell, row.turn) for row in left if row.what == "rabbit"],
        "ends": [(row.cell, row.turn) for row in crushers],
        "keeps": [(row.cell, row.heading, row.turn) for row in crushers],
    }


# This many turns are grounded at once; memory grows with it.
_WINDOW = 20
_FAILURE = "the frame that cannot follow from those before, with what cannot be there in brackets:"
_MAX_BLAMED = 8


def check_run_log(
    rules: GameRules, station: Station, log: RunLog, name: str, *, explain: bool = False
) -> tuple[Verdict, str]:
    """Check a run log; if that is wanted, write a session that explains it, where one does."""
    search = LogSearch(station, rules)
    courses = _find_courses(log, search)
    saves = [numbers for course in courses for numbers in course.saves]
    least, most = sum(map(min, saves)), sum(map(max, saves))
    total = log.total
    if total is not None and log.is_cut and choose(saves, total) is None:
        # It may be only the first digits of another total.
        longer = any(str(n).startswith(str(total)) for n in range(least, most + 1))
        total = None if longer else total
    aims = choose(saves, least if total is None else total)
    facts: Facts = {
        "planned": [(log.turns, log.runs)],
        "run_turns": [(number, course.turns) for number, course in enumerate(courses, 1)],
        "unexplained": [(n,) for n, course in enumerate(courses, 1) if course.failure],
        "saved_range": [(least, most)],
        "reachable": [()] if aims is not None else [],
        "claimed_result": [] if total is None else [(Name("saved"), total)],
    }
    answer = rules.ask(asp.TOTALS, facts)
    violations = (*_list_failures(courses), *read_violations(answer.read(ViolationRow)))
    pictures = (draw_picture(course.failure, _FAILURE) for course in courses if course.failure)
    result = dict.fromkeys(("turns", "runs", "saved")) | read_result(answer)
    verdict = Verdict(
        game="rabbits",
        record=name,
        result={**result, "saved_range": [least, most]},
        claimed=None if total is None else {"saved": total},
        violations=violations,
        picture=next(pictures, ""),
    )
    if not explain or aims is None or violations:
        return verdict, ""
    return verdict, write_session(list(_explain(log, courses, search, aims)), station)


def _find_courses(log: RunLog, search: LogSearch) -> list[Course]:
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
            course = follow(at, most)
            if course.failure or most not in ends:
                # The run ends where another one begins: at the last place up to which it can be
                # explained, or at the next one.
                after = bisect_right(begins, at + course.reach)
                most = min([most, *begins[after : after + 1]])
                most = begins[after - 1] if begins[after - 1] > at else most
            at = most
        missing = 0 if log.total is None else max(0, log.runs - len(starts))
        spare = sorted(set(begins).difference(starts))[:missing]
        starts = sorted([*starts, *spare])
    return [follow(start, end) for start, end in pairwise([*starts, count])]


def _list_failures(courses: Sequence[Course]) -> Iterator[Violation]:
    turns = 0
    for number, course in enumerate(courses, 1):
        if course.failure:
            found = read_violations(course.failure.read(ViolationRow))
            robots = course.failure.read(asp.Blamed)
            blamed = sorted(robots, key=lambda row: (row.y, row.x, row.what))
            listed = ", ".join(f"{row.what} {row.x},{row.y}" for row in blamed[:_MAX_BLAMED])
            named = (replace(v, detail=f"{v.detail}: {listed}") for v in found)
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
    log: RunLog, courses: Sequence[Course], search: LogSearch, aims: Sequence[int]
) -> Iterator[RabbitsRun]:
    for number, course in enumerate(courses, 1):
        own, aims = aims[: len(course.saves)], aims[len(course.saves) :]
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
class Course:
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
        return [numbers for window in self.windows for numbers in window.saves.values()]


class LogSearch:
    """Looks for explanations by the rules for one map, some turns at a time."""

    def __init__(self, station: Station, rules: GameRules) -> None:
        self._base, self._rules = station.facts(), rules

    def follow(self, frames: Sequence[Frame], planned: int) -> Course:
        """Find out what the explanations of a run can come to that was to have so many turns."""
        windows: list[LogWindow] = []
        before: Facts = {"opens": [(1,)]}
        for first in range(0, len(frames), _WINDOW):
            # The last frame of a window is the first of the next one.
            shown = frames[first : first + _WINDOW + 1]
            rest = len(frames) - first
            # No turn of a window is the last of the run if another window follows.
            last = [(rest if rest <= _WINDOW else rest + 1,)]
            unanswered = last if len(frames) < planned else []
            given: Facts = {**before, "last_turn": last, "unanswered": unanswered}
            facts = self._facts(shown, given)
            try:
                answer = self._rules.ask(asp.EXPLORE, facts)
            except AnswerSetError:
                failure = self._rules.ask(asp.BLAME, {**facts, "earlier": [(first,)]})
                ((fails,),) = failure.read(asp.Fails)
                good = shown[: fails - 1]
                if len(good) > 1:
                    answer = self._rules.ask(asp.EXPLORE, self._facts(good, given))
                    windows.append(LogWindow(len(good) - 1, good, given, _read_saves(answer)))
                return Course(frames, tuple(windows), first + fails - 1, failure)
            windows.append(LogWindow(min(_WINDOW, rest), shown, given, _read_saves(answer)))
            if rest > _WINDOW:
                before = {"alternative": self._list_alternatives(facts, answer)}
        return Course(frames, tuple(windows), len(frames))

    def explain(self, course: Course, aims: Iterable[int], planned: int) -> list[RunTurn]:
        """Find turns of a run that save so many rabbits, in the order of `Course.saves`."""
        wanted = iter(aims)
        by_window = [[(next(wanted), turn) for turn in w.saves] for w in course.windows]
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
                groups.append(sorted({tuple(sorted(a.read(asp.Facing))) for a in answers}))
            else:
                groups.append([[(first, heading)] for heading in possible[first]])
            left = [cell for cell in left if cell not in group]
        return [
            (group, number, *row)
            for group, combinations in enumerate(groups)
            for number, headings in enumerate(combinations)
            for row in headings
        ]


def _read_saves(answer: Answer) -> dict[int, Set[int]]:
    saves = defaultdict[int, set[int]](set)
    for number, turn in answer.read(asp.Saves):
        saves[turn].add(number)
    return dict(saves)


def _read_turns(answer: Answer, turns: int, left: int) -> list[RunTurn]:
    actions = sorted(answer.read(asp.ActionRow))
    rabbits, moves = sorted(answer.read(asp.ToldRow)), sorted(answer.read(asp.Leaves))
    return [
        RunTurn(
            left + 1 - t,
            tuple((a.cell, a.verb, a.to) for a in actions if a.turn == t),
            tuple(row.cell for row in rabbits if row.turn == t),
            tuple((row.cell, row.to) for row in moves if row.turn == t),
        )
        for t in range(1, turns + 1)
    ]


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
        picked[i], missing = picked[i] + more, missing - more
    for i, before in zip(reversed(gapped), reversed(reached[:-1]), strict=True):
        steps = (number - picked[i] for number in sets[i])
        more = next(step for step in steps if step <= taken and before >> (taken - step) & 1)
        picked[i], taken = picked[i] + more, taken - more
    return picked
