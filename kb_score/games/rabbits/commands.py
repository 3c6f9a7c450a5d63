"""The commands of the rabbits: ``check``, ``play``, ``legal`` and those that draw."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from kb_score.errors import KbScoreError, visible
from kb_score.games.bot_command import make_bot
from kb_score.games.checks import Teller, find_records, tell_all
from kb_score.games.command import game_options
from kb_score.games.crews import Opener, crew_options
from kb_score.games.legal import make_legal
from kb_score.games.pictures import make_pictures
from kb_score.games.playouts import make_playouts
from kb_score.games.rabbits.check import check_record, follow_files, read_station
from kb_score.games.rabbits.compliance import list_cases
from kb_score.games.rabbits.legal import look_at
from kb_score.games.rabbits.play import PlayedRun, Series, play_series
from kb_score.games.rabbits.playouts import play_randomly
from kb_score.games.rabbits.records import FACTS_OF, RECORD_FILE, recognises
from kb_score.games.stage import Stage, stage_options
from kb_score.games.why import why_options
from kb_score.shell.files import in_order, open_output, read_input
from kb_score.shell.options import (
    Seconds,
    bot_log_option,
    map_option,
    number_option,
    timeout_option,
)
from kb_score.shell.output import Exit, Table, complain
from kb_score.shell.verdict import show_played

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.engine.run import GameRules
    from kb_score.games.rabbits.maps import Station
    from kb_score.shell.verdict import Verdict


@click.command(
    "rabbits",
    short_help="A session, a run log or a score table.",
    epilog="Example: kb-score check rabbits station.map run.log --explain session.txt",
)
@click.argument("map_path", metavar="MAP")
@click.argument("record_paths", metavar="RECORD...", nargs=-1, required=True)
@click.option(
    "--explain",
    metavar="FILE",
    help="Write choices that explain a run log to FILE, as a session; - is standard output.",
)
@crew_options
@game_options("rabbits")
@why_options(("violation", "mistake", "result"))
def check(
    map_path: str,
    record_paths: tuple[str, ...],
    explain: str | None,
    crew: Opener,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Cross-check records of Rabbits and crusher-bots.

    MAP is the drawing of the station. RECORD is a session, a run log or a score table; its kind is
    recognised from its contents. A folder is all its .txt files. One of the files may be "-",
    standard input.
    """
    records = find_records(record_paths, RECORD_FILE, map_path)
    map_text = read_input(map_path, FACTS_OF)
    texts = iter(records)
    name, text = next(texts)
    if isinstance(text, KbScoreError) and records.alone:
        raise text
    with in_order(swapped=isinstance(text, str) and recognises(text)):
        station = _read_map(map_text, map_path, rules)
    teller = Teller(rules, format_, [map_path])
    if explain is not None:
        if not records.alone or isinstance(text, KbScoreError):
            raise click.UsageError("--explain is about one run log: name one record")
        return _explain(explain, text, name, station, teller)
    judge = partial(_check_text, rules, station)
    return tell_all(records, judge, teller, crew, chain([(name, text)], texts))


def _explain(path: str, text: str, name: str, station: Station, teller: Teller) -> Exit:
    """Check a run log, and write choices that explain it to a file."""
    rules = teller.rules
    verdict, session = check_record(text, station, rules, name, explain=True)
    if path == "-" and session:
        # If the session goes to standard output, nothing else does.
        click.echo(session, nl=False)
        return Exit.FINE
    if session:
        with open_output(path, [*teller.before, name, *rules.changes.paths]) as write:
            write(session)
    else:
        reason = "not written, because nothing explains this log"
        complain(f"{visible(path)}: {reason}", kind="note")
    return teller.tell(verdict, name)


def _check_text(rules: GameRules, station: Station, name: str, text: str) -> Verdict:
    return check_record(text, station, rules, name)[0]


def _read_map(text: str, path: str, rules: GameRules) -> Station:
    station, cut_off = read_station(text, path, rules)
    for place in cut_off:
        message = f"no exit can be reached from the rabbit start at {place}"
        complain(f"{visible(path)}: {message}", kind="warning")
    return station


_start_option = click.option(
    "--start-time",
    type=Seconds(zero=True),
    default=2,
    show_default=True,
    metavar="SECONDS",
    help="How long the bot may take to get ready.",
)
_answer_option = timeout_option(
    0.5, "How long the bot may take for each answer; a late one ends the run.", "--answer-time"
)
turns_option = number_option("--turns", 1, 10**6, 500, "The turns of a run.")


@click.command(
    "rabbits",
    short_help="A bot that moves the rabbits.",
    epilog="Example: kb-score play rabbits station.map -- python3 bot.py",
)
@click.argument("map_path", metavar="MAP")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@turns_option
@number_option("--seed", 0, 10**9, 0, "Seed of every run; 0: a new one from 1 to 1000 for each.")
@number_option("--runs", 1, 10**6, 5, "How many runs are played.")
@_start_option
@_answer_option
@stage_options()
@bot_log_option
@click.option("--run-log", metavar="FILE", help="Write frames, as the controller does, to FILE.")
@game_options("rabbits")
def play(
    map_path: str,
    command: tuple[str, ...],
    stage: Stage,
    run_log: str | None,
    bot_log: Path | None,
    format_: str,
    rules: GameRules,
    **numbers: Any,
) -> Exit:
    """Referee a bot of Rabbits and crusher-bots live, as the challenge's controller does.

    COMMAND starts the bot; the map's path and the run's seed are added to it. A late answer, or the
    end of the bot, ends a run, and the points until then count.
    """
    if map_path == "-":
        raise click.UsageError("the bot is given the path of the map: name a file")
    map_text = read_input(map_path, FACTS_OF)
    station = _read_map(map_text, map_path, rules)
    follow = partial(follow_files, rules, (map_path, map_text))
    series = Series(station, rules, command, logs=bot_log, **numbers)
    inputs = [map_path, *command, *rules.changes.paths]

    with (
        stage.open_session(follow, inputs) as session,
        open_output(run_log, [*inputs, *stage.outputs]) as frames,
        stage.open_watch(follow) as show,
    ):
        played = play_series(series, session, frames, show, lambda run: _tell(run, series, format_))
    _show(played, format_)
    return Exit.FINE


def _tell(run: PlayedRun, series: Series, format_: str) -> None:
    """Print what came of a run: its row of the challenge's table, and what its bot did not do."""
    if run.failure:
        complain(f"run {run.number}, turn {run.turns + 1}: {run.failure}", kind="note")
    if run.unusable:
        complain(
            f"run {run.number}: {run.unusable} of {run.turns} answers contain no readable move; "
            "expected, for example: move 3,4 to 3,5; 7,2 to 6,2",
            kind="note",
        )
    if format_ == "table":
        # The widths of the challenge's controller.
        rows = [("Run", "Seed", "Score")] if run.number == 1 else []
        lines = [series.headline()] if run.number == 1 else []
        for number, seed, score in (*rows, (run.number, run.seed, run.saved)):
            lines.append(f"{number:>10} {seed:>20} {score:>10}")
        click.echo("\n".join(lines))


def _show(played: Sequence[PlayedRun], format_: str) -> None:
    """Print what all runs come to."""
    total = sum(run.saved for run in played)
    if format_ == "table":
        click.echo(f"Total Score: {total}")
        return
    result = {
        "turns": sum(run.turns for run in played),
        "runs": len(played),
        "saved": total,
        "finished": not any(run.failure for run in played),
    }
    rows = [(run.number, run.seed, run.saved) for run in played]
    sums = [] if format_ == "csv" else [("Total Score", "", total)]
    table = Table("", ("Run", "Seed", "Score"), (*rows, *sums), len(sums))
    runs = [
        {"run": run.number, "seed": run.seed, "saved": run.saved, "turns": run.turns}
        for run in played
    ]
    show_played("rabbits", result, [table], format_, runs)


COMMANDS = {
    "check": check,
    "play": play,
    "bot": make_bot(
        "rabbits",
        list_cases,
        map_option,
        _start_option,
        _answer_option,
        help_="""A bot that moves the rabbits.

        COMMAND starts the bot anew for each case, with the path of a map and a seed added to it, as
        `kb-score play rabbits` does. A move that the controller would skip counts as illegal.
        """,
        example="rabbits -- python3 bot.py",
    ),
    "playouts": make_playouts(
        "rabbits",
        play_randomly,
        FACTS_OF,
        options=(turns_option,),
        help_="""Random runs of rabbits and crusher-bots.

        Each rabbit stays where it is or makes one of its legal moves, and all of these are equally
        likely. The records are sessions, which `kb-score check` accepts.
        """,
        example="rabbits station.map --turns 60 --seed 7 --games 10 -o runs",
    ),
    "legal": make_legal(
        "rabbits",
        look_at,
        FACTS_OF,
        RECORD_FILE,
        help_="""What crushers and rabbits may do, or why a move is skipped.

        RECORD is a session; without it, the first turn is meant. One of the two files may be "-",
        standard input. Rabbits are listed where the record has what the crushers did in the turn.
        With --move a whole line is judged, of rabbits or of crushers.
        """,
        move="'move 3,4 to 3,5; 7,2 to 6,2'",
        example="rabbits station.map game.txt --turn 3 --move 'move 3,4 to 3,5'",
    ),
    **make_pictures(
        "rabbits", follow_files, FACTS_OF, RECORD_FILE, example="station.map session.txt"
    ),
}
