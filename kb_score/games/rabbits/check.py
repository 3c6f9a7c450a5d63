"""Checks of sessions, run logs and score tables against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.terms import Facts, Name
from kb_score.errors import InputError
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.records import (
    Frame,
    RabbitsRecord,
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
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.games.rulings import apply_rulings, check_with_rulings
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
    from kb_score.engine.rules import Asked
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


class StationRecord(NamedTuple):
    """A record on its map; a map alone has a session without runs."""

    station: Station
    record: RabbitsRecord


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


_GAME = "rabbits"
# The keys of the result.
_KEYS = ("turns", "runs", "saved", "finished")


def check_files(rules: GameRules, files: Sequence[File]) -> Verdict:
    """Return the verdict on a session, a run log or a score table; the map comes first."""
    if len(files) != 2:
        name, _ = files[0]
        raise InputError(name, "two files are needed: a map and a record")
    name, _ = files[1]

    def judge_record(rules: GameRules) -> Verdict:
        station, record = read_files(rules, files)
        if isinstance(record, RunLog):
            verdict, _ = check_run_log(rules, station, record, name)
            return verdict
        if isinstance(record, ScoreTable):
            return _judge_table(rules, record, name)
        windows = list(_follow_runs(rules, station, record))
        return _make_verdict(windows, record, name)

    return check_with_rulings(judge_record, rules, files)


def replay_files(rules: GameRules, files: Sequence[File]) -> Replay:
    """Draw each turn of a session, each frame of a run log, or a map before the first turn."""
    rules = apply_rulings(rules, *files)
    station, record = read_files(rules, files)
    name, _ = files[-1]
    if isinstance(record, ScoreTable):
        raise InputError(name, "a score table shows no turns: there is nothing to draw")
    if isinstance(record, RunLog):
        if not record.frames:
            raise InputError(name, "the log ends within its first frame: nothing to draw")
        verdict, _ = check_run_log(rules, station, record, name)
        return make_replay(verdict, _draw_frames(record.frames, station, rules, "frame {turn}"))
    if not record:
        still = _draw_frames([Frame((), ())], station, rules, "before the first turn")
        return make_replay(Verdict(_GAME, name, {}, None), still)
    windows = list(_follow_runs(rules, station, record, REPLAY))
    several = len(record) > 1
    pictured = []
    for window in windows:
        caption = _IN_RUN.format(window.run.number) if several else _IN_RECORD
        pictured.append(Window(window.before, window.answer, caption))
    return make_replay(_make_verdict(windows, record, name), pictured)


def _make_verdict(windows: Sequence[_RunWindow], runs: Sequence[RabbitsRun], name: str) -> Verdict:
    """Return the verdict on the runs of a session from the answers about their windows.

    Turns are numbered consecutively across all runs.
    """
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
        game=_GAME,
        record=name,
        result=read_result(answer, *_KEYS),
        claimed=claimed,
        violations=tuple(violations),
        picture=picture,
        tables=(table,),
        more={"counts": counts},
    )


def _judge_table(rules: GameRules, table: ScoreTable, name: str) -> Verdict:
    """Return the verdict on a score table: only its sums can be checked, run by run."""
    total = [] if table.total is None else [(Name("saved"), table.total)]
    facts: Facts = {
        "row": [(line, *row) for line, row in enumerate(table.rows, 1)],
        "planned": table.planned,
        "planned_seed": [(seed,) for seed in table.seeds],
        "claimed_result": total,
    }
    answer = rules.ask(asp.TABLE, facts)
    violations = []
    for code, run, detail in answer["mistake"]:
        who = f"run {run}" if run else ""
        violations.append(Violation(code, write_sentence(detail), who=who))
    return Verdict(
        game=_GAME,
        record=name,
        result=read_result(answer, *_KEYS),
        claimed=None if table.total is None else {"saved": table.total},
        violations=tuple(violations),
        notes=("a score table shows no turns: only its sums have been checked",),
    )


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


def _follow_runs(
    rules: GameRules, station: Station, runs: Sequence[RabbitsRun], *more: str
) -> Iterator[_RunWindow]:
    """Yield the answers about all runs, window by window."""
    base = station.facts()
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
