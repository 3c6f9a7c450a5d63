"""Sessions, run logs and score tables against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name
from kb_score.errors import InputError
from kb_score.games.dialect import (
    ViolationRow,
    draw_picture,
    read_result,
    read_violations,
    write_sentence,
)
from kb_score.games.rabbits.maps import Station, read_map
from kb_score.games.rabbits.records import Frame, RunLog, ScoreTable, list_frames, read_record
from kb_score.games.rabbits.rules import (
    DERIVED,
    FRAMES,
    MAP,
    PRINTED,
    TABLE,
    BrokenOff,
    CountRow,
    CutOff,
    Left,
    Mistake,
    SoFar,
)
from kb_score.games.rabbits.run_log import check_run_log, count_through
from kb_score.games.rabbits.session import Run
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.shell.output import Table
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.engine.run import Answer, Asked, GameRules
    from kb_score.engine.terms import Facts
    from kb_score.shell.replay import Replay

# This many turns are grounded at once, since memory grows with them; few if a record is wrong.
_MANY, _FEW = 500, 8
_DIFFERENCE = "after the crushers' moves of turn {turn}; in brackets, where the record differs:"
_COUNTS = ("crushed", "squished", "collided", "spawned")
_KEYS = ("turns", "runs", "saved", "finished")


def read_station(text: str, name: str, rules: GameRules) -> tuple[Station, list[str]]:
    """Read a map and look it through.

    Returns:
        The station, and the places of the rabbit starts from which no exit can be reached.

    Raises:
        FormatError: It is no map.
        InputError: There is no start or no exit, or it is too large.
    """
    station = read_map(text, name)
    cut_off = sorted(rules.ask(MAP, station.facts()).read(CutOff))
    return station, [station.say(row.cell) for row in cut_off]


def check_files(rules: GameRules, *files: tuple[str, str]) -> Verdict:
    """Check a record, the second of two files, against a map, the first one.

    Args:
        rules: The rules of the game.
        files: A name and a text each.

    Raises:
        KbScoreError: One of the files cannot be read, or there are not two.
    """
    (name, text), *others = files
    if len(others) != 1:
        raise InputError(name, "a map and a record are two files, not more or fewer")
    ((record_name, record),) = others
    return check_record(record, read_map(text, name), rules, record_name)[0]


def check_record(
    text: str, station: Station, rules: GameRules, name: str, *, explain: bool = False
) -> tuple[Verdict, str]:
    """Check a record.

    Args:
        text: The record: a session, a run log or a score table.
        station: The map.
        rules: The rules of the game.
        name: What errors and the verdict call the record.
        explain: Whether an explanation is wanted, too, which only a run log can have.

    Returns:
        The verdict, turns counted through all runs; and an explanation as the text of a session,
        empty where none is wanted or none exists.

    Raises:
        FormatError: The record cannot be read.
        InputError: A run log lacks frames, or what is to be explained is none.
    """
    record = read_record(text, station, name)
    if isinstance(record, RunLog):
        return check_run_log(record, station, rules, name, explain=explain)
    if explain:
        raise InputError(name, "--explain is for run logs: other records leave nothing open")
    if isinstance(record, ScoreTable):
        return _check_table(record, rules, name), ""
    return _check_session(record, station, rules, name), ""


def follow_files(rules: GameRules, *files: tuple[str, str]) -> Replay:
    """Draw each turn of a record on its map, or a map alone: one or two files, the map first.

    Raises:
        KbScoreError: As for `check_files`, or the record shows no turns, as a score table.
    """
    (name, text), *others = files
    station = read_map(text, name)
    if not others:
        still = _draw_frames([Frame((), ())], station, rules, "before the first turn")
        return make_replay(Verdict("rabbits", name, {}, None), still)
    ((record_name, text),) = others
    record = read_record(text, station, record_name)
    if isinstance(record, ScoreTable):
        raise InputError(record_name, "a score table shows no turns: there is nothing to draw")
    if isinstance(record, RunLog):
        if not record.frames:
            raise InputError(record_name, "the log ends within its first frame: nothing to draw")
        verdict, _ = check_run_log(record, station, rules, record_name, explain=False)
        return make_replay(verdict, _draw_frames(record.frames, station, rules, "frame {turn}"))
    windows = list(_follow_runs(record, station.facts(), rules, REPLAY))
    pictured = [Window(before, answer, _say_run(run, record)) for run, before, answer in windows]
    return make_replay(_judge(windows, record, record_name), pictured, keep=True)


def _draw_frames(
    frames: Sequence[Frame], station: Station, rules: GameRules, caption: str
) -> Iterator[Window]:
    for start in range(0, len(frames), _MANY):
        facts = {**station.facts(), **list_frames(frames[start : start + _MANY])}
        yield Window(start, rules.ask(FRAMES.plus(REPLAY), facts), caption)


def _say_run(run: Run, runs: Sequence[Run]) -> str:
    where = f"run {run.number}, turn {{own}}" if len(runs) > 1 else "turn {turn}"
    return f"{where}, after the crushers' moves"


def _check_session(runs: Sequence[Run], station: Station, rules: GameRules, name: str) -> Verdict:
    return _judge(list(_follow_runs(runs, station.facts(), rules)), runs, name)


def _follow_runs(
    runs: Sequence[Run], base: Facts, rules: GameRules, more: str = ""
) -> Iterator[tuple[Run, int, Answer]]:
    """Follow runs window by window; yields the run, and how many turns came before it."""
    state, before = base, 0
    for run in runs:
        state = {**base, "before": state.get("before", ()), "opens": [(1,)]}
        turns = range(1, len(run.turns) + 1)
        for answer in follow_turns(run, turns, state, rules, more, is_last=run is runs[-1]):
            yield run, before, answer
            state = state_after(answer, state)
            if answer.read(BrokenOff):
                break
        before += len(run.turns)


def _judge(windows: Sequence[tuple[Run, int, Answer]], runs: Sequence[Run], name: str) -> Verdict:
    violations: list[Violation] = []
    picture = ""
    for run, before, answer in windows:
        found = read_violations(answer.read(ViolationRow))
        violations += count_through(found, before, run.number, several=len(runs) > 1)
        picture = picture or draw_picture(answer, _DIFFERENCE, before)
    numbers = {row.key: row.number for row in answer.read(CountRow)}
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
    run: Run, turns: range, state: Facts, rules: GameRules, more: str, *, is_last: bool
) -> Iterator[Answer]:
    """Follow some turns of a run, from the state before them."""
    if len(turns) <= _MANY:
        # Each turn is derived from the one before as printed: then nothing depends on itself, and
        # grounding alone decides all. Only where the two differ one must go on from the derived
        # one; that takes long unless the turns are few.
        facts = {**state, **run.facts(turns, is_last=is_last)}
        asked: list[Asked] = []
        answer = replace(rules, listener=asked.append).ask(PRINTED.plus(more), facts)
        if all(row.code != "wrong-rabbits" for row in answer.read(ViolationRow)):
            # A listener wants to hear of what counts, not of what is asked again.
            if rules.listener is not None:
                for one in asked:
                    rules.listener(one)
            yield answer
            return
        if len(turns) <= _FEW:
            yield rules.ask(DERIVED.plus(more), facts)
            return
    middle = len(turns) // 2
    for half in (turns[:middle], turns[middle:]):
        for answer in follow_turns(run, half, state, rules, more, is_last=is_last):
            yield answer
            state = state_after(answer, state)


def state_after(answer: Answer, before: Facts) -> Facts:
    """Make the facts of the state that some turns have led to, from those of the one before."""
    left = answer.read(Left)
    crushers = [row for row in left if row.what == "crusher"]
    return {
        **before,
        "opens": [],
        "before": [(Name(row.key), row.number) for row in answer.read(SoFar)],
        "remains": [(row.cell, row.turn) for row in left if row.what == "rabbit"],
        "ends": [(row.cell, row.turn) for row in crushers],
        "keeps": [(row.cell, row.heading, row.turn) for row in crushers],
    }


def _check_table(table: ScoreTable, rules: GameRules, name: str) -> Verdict:
    total = table.total
    answer = rules.ask(
        TABLE,
        {
            "row": [(line, *row) for line, row in enumerate(table.rows, 1)],
            "planned": table.planned,
            "planned_seed": [(seed,) for seed in table.seeds],
            "claimed_result": [] if total is None else [(Name("saved"), total)],
        },
    )
    return Verdict(
        game="rabbits",
        record=name,
        result=read_result(answer, *_KEYS),
        claimed=None if total is None else {"saved": total},
        violations=tuple(
            Violation(row.code, write_sentence(row.detail), who=f"run {row.run}" if row.run else "")
            for row in answer.read(Mistake)
        ),
        notes=("a score table shows no turns: only its sums have been checked",),
    )
