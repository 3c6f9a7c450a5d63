"""Sessions, run logs and score tables against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.engine.terms import Facts, Name
from kb_score.errors import InputError
from kb_score.games.rabbits import rules as asp
from kb_score.games.rabbits.records import (
    Frame,
    RabbitsRecord,
    Run,
    RunLog,
    ScoreTable,
    Station,
    list_frames,
    read_map,
    read_record,
    recognises,
)
from kb_score.games.rabbits.search import check_run_log, count_through
from kb_score.games.replay import REPLAY, Window, make_replay
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
    from kb_score.engine.rules import Answer, Asked, GameRules
    from kb_score.games.game import File
    from kb_score.shell.replay import Replay

# This many turns are grounded at once, since memory grows with them; few if a record is wrong.
_MANY, _FEW = 500, 8
_DIFFERENCE = "after the crushers' moves of turn {turn}; in brackets, where the record differs:"
_IN_RECORD = "turn {turn}, after the crushers' moves"
_IN_RUN = "run {}, turn {{own}}, after the crushers' moves"
_COUNTS = ("crushed", "squished", "collided", "spawned")
_KEYS = ("turns", "runs", "saved", "finished")


def check_record(rules: GameRules, *files: File) -> Verdict:
    """Check a record on its map: two files; turns are counted through all runs."""
    station, record = read_files(*files)
    name, _ = files[-1]
    if isinstance(record, RunLog):
        return check_run_log(rules, station, record, name)[0]
    if isinstance(record, ScoreTable):
        return _check_table(rules, record, name)
    return _judge(list(_follow_runs(rules, station, record)), record, name)


def explain_record(rules: GameRules, *files: File) -> tuple[Verdict, str]:
    """Check a run log on its map, and write a session that explains it; empty if none does."""
    station, record = read_files(*files)
    name, _ = files[-1]
    if not isinstance(record, RunLog):
        raise InputError(name, "--explain is for run logs: other records leave nothing open")
    return check_run_log(rules, station, record, name, explain=True)


def read_files(*files: File, alone: bool = False) -> tuple[Station, RabbitsRecord]:
    """Read a map and a record on it; a map that may stand alone is a session without a run."""
    (map_name, map_text), *others = files
    if alone and not others:
        return read_map(map_text, map_name), ()
    if len(others) != 1:
        raise InputError(map_name, "two files are needed: a map and a record")
    ((name, text),) = others
    with in_order(swapped=recognises(text)):
        station = read_map(map_text, map_name)
    return station, read_record(text, station, name)


def list_warnings(rules: GameRules, *maps: File) -> list[str]:
    """List the rabbit starts of a map from which no exit can be reached."""
    ((name, text),) = maps
    station = read_map(text, name)
    found = sorted(rules.ask(asp.MAP, station.facts()).read(asp.CutOff))
    places = [station.say(row.cell) for row in found]
    return [f"{name}: no exit can be reached from the rabbit start at {place}" for place in places]


def follow_record(rules: GameRules, *files: File) -> Replay:
    """Draw each turn of a record on its map, or a map alone: one or two files, the map first."""
    station, record = read_files(*files, alone=True)
    name, _ = files[-1]
    if not record:
        still = _draw_frames([Frame((), ())], station, rules, "before the first turn")
        return make_replay(Verdict("rabbits", name, {}, None), still)
    if isinstance(record, ScoreTable):
        raise InputError(name, "a score table shows no turns: there is nothing to draw")
    if isinstance(record, RunLog):
        if not record.frames:
            raise InputError(name, "the log ends within its first frame: nothing to draw")
        verdict, _ = check_run_log(rules, station, record, name)
        return make_replay(verdict, _draw_frames(record.frames, station, rules, "frame {turn}"))
    windows = list(_follow_runs(rules, station, record, REPLAY))
    several = len(record) > 1
    pictured = [
        Window(before, answer, _IN_RUN.format(run.number) if several else _IN_RECORD)
        for run, before, answer in windows
    ]
    return make_replay(_judge(windows, record, name), pictured, keep=True)


def _draw_frames(
    frames: Sequence[Frame], station: Station, rules: GameRules, caption: str
) -> Iterator[Window]:
    for start in range(0, len(frames), _MANY):
        facts = {**station.facts(), **list_frames(frames[start : start + _MANY])}
        yield Window(start, rules.ask(asp.FRAMES.plus(REPLAY), facts), caption)


def _follow_runs(
    rules: GameRules, station: Station, runs: Sequence[Run], more: str = ""
) -> Iterator[tuple[Run, int, Answer]]:
    """Follow runs window by window; yields the run, and how many turns came before it."""
    base = station.facts()
    state, before = base, 0
    for run in runs:
        state = {**base, "before": state.get("before", ()), "opens": [(1,)]}
        turns = range(1, len(run.turns) + 1)
        for answer in follow_turns(rules, run, turns, state, more, is_last=run is runs[-1]):
            yield run, before, answer
            state = state_after(answer, state)
            if answer.read(asp.BrokenOff):
                break
        before += len(run.turns)


def _judge(windows: Sequence[tuple[Run, int, Answer]], runs: Sequence[Run], name: str) -> Verdict:
    violations: list[Violation] = []
    picture = ""
    for run, before, answer in windows:
        found = read_violations(answer.read(ViolationRow))
        violations += count_through(found, before, run.number, several=len(runs) > 1)
        picture = picture or draw_picture(answer, _DIFFERENCE, before)
    numbers = {row.key: row.number for row in answer.read(asp.CountRow)}
    counts = {count: numbers[count] for count in _COUNTS}
    scores = [run.score for run in runs if run.score is not None]
    return Verdict(
        game="rabbits",
        record=name,
        result=read_result(answer, *_KEYS),
        claimed={"saved": sum(scores)} if scores else None,
        violations=tuple(violations),
        picture=picture,
        tables=(Table("", ("rabbits", "number"), tuple(counts.items())),),
        more={"counts": counts},
    )


def follow_turns(
    rules: GameRules, run: Run, turns: range, state: Facts, more: str = "", *, is_last: bool
) -> Iterator[Answer]:
    """Follow some turns of a run, from the state before them."""
    if len(turns) <= _MANY:
        # Each turn is derived from the one before as printed: then nothing depends on itself, and
        # grounding alone decides all. Only where the two differ one must go on from the derived
        # one; that takes long unless the turns are few.
        facts = {**state, **run.facts(turns, is_last=is_last)}
        asked: list[Asked] = []
        answer = replace(rules, listener=asked.append).ask(asp.PRINTED.plus(more), facts)
        if all(row.code != "wrong-rabbits" for row in answer.read(ViolationRow)):
            # A listener wants to hear of what counts, not of what is asked again.
            if rules.listener is not None:
                for one in asked:
                    rules.listener(one)
            yield answer
            return
        if len(turns) <= _FEW:
            yield rules.ask(asp.DERIVED.plus(more), facts)
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


def _check_table(rules: GameRules, table: ScoreTable, name: str) -> Verdict:
    total = table.total
    facts: Facts = {
        "row": [(line, *row) for line, row in enumerate(table.rows, 1)],
        "planned": table.planned,
        "planned_seed": [(seed,) for seed in table.seeds],
        "claimed_result": [] if total is None else [(Name("saved"), total)],
    }
    answer = rules.ask(asp.TABLE, facts)
    return Verdict(
        game="rabbits",
        record=name,
        result=read_result(answer, *_KEYS),
        claimed=None if total is None else {"saved": total},
        violations=tuple(
            Violation(row.code, write_sentence(row.detail), who=f"run {row.run}" if row.run else "")
            for row in answer.read(asp.Mistake)
        ),
        notes=("a score table shows no turns: only its sums have been checked",),
    )
