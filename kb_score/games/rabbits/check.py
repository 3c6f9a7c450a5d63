"""Checks of sessions, run logs and score tables against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Facts, Name, Row
from kb_score.errors import InputError
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.records import (
    Frame,
    RabbitsRun,
    RunLog,
    ScoreTable,
    Station,
    list_frames,
    read_map,
    read_record,
    recognises,
)
from kb_score.games.rabbits.run_logs import check_run_log, renumber_turns
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.rulings import apply_rulings
from kb_score.games.schema import (
    ViolationRow,
    draw_picture,
    read_result,
    read_violations,
    write_sentence,
)
from kb_score.shell.files import hint_if_swapped
from kb_score.shell.output import Table
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.engine.rules import Asked, Use
    from kb_score.games.match import File
    from kb_score.shell.picture import Replay

# The number of turns that are grounded at once, which memory use grows with: many, or few once the
# record is known to be wrong.
_LARGE_WINDOW = 500
_SMALL_WINDOW = 8
_DIFFERENCE = "after the crushers' moves of turn {turn}; in brackets, where the record differs:"
_IN_RECORD = "turn {turn}, after the crushers' moves"
_IN_RUN = "run {}, turn {{own}}, after the crushers' moves"
# The keys of the counts of rabbits.
_COUNTS = ("crushed", "squished", "collided", "spawned")


def explain_record(rules: GameRules, files: Sequence[File]) -> tuple[Verdict, str]:
    """Return the verdict on a run log, and a session that explains it; empty if none does.

    The files are the map and the run log. Any other record is an InputError.
    """
    rules = apply_rulings(rules, *files)
    mapped = read_files(rules, files)
    name, _ = files[-1]
    if not isinstance(mapped.record, RunLog):
        raise InputError(name, "--explain works only on run logs: other records leave nothing open")
    return check_run_log(rules, mapped.station, mapped.record, name, explain=True)


@dataclass(frozen=True, slots=True)
class StationRecord:
    """A record on its map; a map alone has a session without runs."""

    station: Station
    record: Any  # a `RabbitsRecord`; each kind of record knows its type


def read_files(_rules: GameRules, files: Sequence[File]) -> StationRecord:
    """Return a map with a record on it, or with no runs if the map is alone."""
    (map_name, map_text), *others = files
    if not others:
        return StationRecord(read_map(map_text, map_name), ())
    ((name, text),) = others
    with hint_if_swapped(swapped=recognises(text)):
        station = read_map(map_text, map_name)
    return StationRecord(station, read_record(text, station, name))


def list_warnings(rules: GameRules, maps: Sequence[File]) -> list[str]:
    """Return warnings about the rabbit starts of a map from which no exit can be reached."""
    ((name, text),) = maps
    station = read_map(text, name)
    answer = rules.ask(asp.MAP, station.facts())
    warnings = []
    for (cell,) in sorted(answer["cut_off"]):
        place = station.write_cell(cell)
        warnings.append(f"{name}: no exit can be reached from the rabbit start at {place}")
    return warnings


class _RabbitsKind(RecordKind[StationRecord]):
    """A kind of record on a map."""

    game = "rabbits"
    keys = ("turns", "runs", "saved", "finished")

    def recognises(self, record: object) -> bool:
        return isinstance(record, StationRecord) and isinstance(record.record, self.type)


class RunsKind(_RabbitsKind):
    """Sessions, which show all moves; turns are numbered consecutively across all runs."""

    type = tuple

    def judge(self, rules: GameRules, record: StationRecord, name: str) -> Verdict:
        """Judge the runs window by window."""
        windows = list(_follow_runs(rules, record))
        return self._make_verdict(windows, record.record, name)

    def follow(self, rules: GameRules, record: StationRecord, name: str) -> Replay:
        """Draw each turn of the runs; for a map alone, draw the map before the first turn."""
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
        return make_replay(verdict, pictured)

    def _make_verdict(
        self, windows: Sequence[_RunWindow], runs: Sequence[RabbitsRun], name: str
    ) -> Verdict:
        """Return the verdict on runs from the answers about their windows."""
        violations: list[Violation] = []
        picture = ""
        several = len(runs) > 1
        for window in windows:
            found = read_violations(window.answer.read(ViolationRow))
            violations += renumber_turns(found, window.before, window.run.number, several=several)
            if not picture:
                picture = draw_picture(window.answer, _DIFFERENCE, window.before)
        answer = windows[-1].answer
        numbers = dict(answer["count"])
        counts = {count: numbers[count] for count in _COUNTS}
        table = Table("", ("rabbits", "number"), tuple(counts.items()))
        scores = [run.score for run in runs if run.score is not None]
        claimed = {"saved": sum(scores)} if scores else None
        return Verdict(
            game=self.game,
            record=name,
            result=read_result(answer, *self.keys),
            claimed=claimed,
            violations=tuple(violations),
            picture=picture,
            tables=(table,),
            more={"counts": counts},
        )


class RunLogKind(_RabbitsKind):
    """Run logs, which show frames: the rules look for moves that explain them."""

    type = RunLog

    def judge(self, rules: GameRules, record: StationRecord, name: str) -> Verdict:
        """Judge a run log."""
        verdict, _ = check_run_log(rules, record.station, record.record, name)
        return verdict

    def follow(self, rules: GameRules, record: StationRecord, name: str) -> Replay:
        """Draw the frames of a run log."""
        frames = record.record.frames
        if not frames:
            raise InputError(name, "the log ends within its first frame: nothing to draw")
        verdict = self.judge(rules, record, name)
        pictures = _draw_frames(frames, record.station, rules, "frame {turn}")
        return make_replay(verdict, pictures)


class ScoreTableKind(_RabbitsKind):
    """Score tables: only their sums can be checked."""

    type = ScoreTable

    def use(self, _record: StationRecord) -> Use:
        return asp.TABLE

    def facts(self, record: StationRecord) -> Facts:
        table: ScoreTable = record.record
        facts: dict[str, Sequence[Row]] = {
            "row": [(line, *row) for line, row in enumerate(table.rows, 1)],
            "planned": table.planned,
            "planned_seed": [(seed,) for seed in table.seeds],
            "claimed_result": [],
        }
        if table.total is not None:
            facts["claimed_result"] = [(Name("saved"), table.total)]
        return facts

    def claimed(self, record: StationRecord, _answer: Answer) -> Mapping[str, Any] | None:
        total = record.record.total
        if total is None:
            return None
        return {"saved": total}

    def make_verdict(self, answer: Answer, record: StationRecord, name: str) -> Verdict:
        """Return the verdict; its violations are about runs, not about turns."""
        violations = []
        for code, run, detail in answer["mistake"]:
            who = f"run {run}" if run else ""
            violations.append(Violation(code, write_sentence(detail), who=who))
        note = "a score table shows no turns: only its sums have been checked"
        verdict = super().make_verdict(answer, record, name)
        return replace(verdict, violations=tuple(violations), picture="", notes=(note,))

    def follow(self, _rules: GameRules, _record: StationRecord, name: str) -> Replay:
        """Refuse to draw a score table."""
        raise InputError(name, "a score table shows no turns: there is nothing to draw")


_KINDS = (RunsKind(), RunLogKind(), ScoreTableKind())


def check_files(rules: GameRules, files: Sequence[File]) -> Verdict:
    """Return the verdict on a session, a run log or a score table; the map comes first."""
    if len(files) != 2:
        name, _ = files[0]
        raise InputError(name, "two files are needed: a map and a record")
    return check(read_files, _KINDS, rules, files)


def replay_files(rules: GameRules, files: Sequence[File]) -> Replay:
    """Draw each turn of a session or each frame of a run log, or a map alone."""
    return follow(read_files, _KINDS, rules, files)


def _draw_frames(
    frames: Sequence[Frame], station: Station, rules: GameRules, caption: str
) -> Iterator[Window]:
    """Yield the pictures of frames, window by window."""
    for start in range(0, len(frames), _LARGE_WINDOW):
        shown = frames[start : start + _LARGE_WINDOW]
        facts = {**station.facts(), **list_frames(shown)}
        answer = rules.ask(asp.FRAMES.plus(REPLAY), facts)
        yield Window(start, answer, caption)


@dataclass(frozen=True, slots=True)
class _RunWindow:
    """Some turns of a run that the rules judge together."""

    run: RabbitsRun
    before: int  # the number of turns of the record before the run
    answer: Answer


def _follow_runs(rules: GameRules, record: StationRecord, *more: str) -> Iterator[_RunWindow]:
    """Yield the answers about all runs, window by window."""
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
            if answer["broken_off"]:
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
    """Yield the answers about some turns of a run, which count from 1 in the run.

    Args:
        state: The facts of the map, and of the state before the turns.
        more: More rule files, such as those for pictures.
        is_last: Whether the record has no later run.
    """
    if len(turns) <= _LARGE_WINDOW:
        # Each turn is derived from the state before it as the record prints it. Then no turn
        # depends on a derived one, and grounding alone decides everything. Only if the record is
        # wrong must turns follow from derived states, which is slow unless there are few turns.
        facts = {**state, **run.facts(turns, is_last=is_last)}
        asked: list[Asked] = []
        answer = replace(rules, listener=asked.append).ask(asp.PRINTED.plus(*more), facts)
        if all(row.code != "wrong-rabbits" for row in answer.read(ViolationRow)):
            # A listener receives the question that counts, not one that is asked again.
            if rules.listener is not None:
                for one in asked:
                    rules.listener(one)
            yield answer
            return
        if len(turns) <= _SMALL_WINDOW:
            yield rules.ask(asp.DERIVED.plus(*more), facts)
            return
    middle = len(turns) // 2
    for half in (turns[:middle], turns[middle:]):
        for answer in follow_turns(rules, run, half, state, more, is_last=is_last):
            yield answer
            state = state_after(answer, state)


def state_after(answer: Answer, before: Facts) -> Facts:
    """Return the facts of the state after some turns, from those of the state before them."""
    rabbits = []
    crushers = []
    headings = []
    for row in answer.read(asp.Left):
        if row.what == "rabbit":
            rabbits.append((row.cell, row.turn))
        elif row.what == "crusher":
            crushers.append((row.cell, row.turn))
            headings.append((row.cell, row.heading, row.turn))
    return {
        **before,
        "opens": [],
        "before": [(Name(key), number) for key, number in answer["so_far"]],
        "remains": rabbits,
        "ends": crushers,
        "heading": headings,
    }
