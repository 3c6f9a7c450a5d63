"""The command ``play slime``: four bots, one game."""

from __future__ import annotations

from collections.abc import Sequence

import click

from kb_score.command import (
    complain,
    format_option,
    open_output,
    print_played,
    record_option,
    rules_options,
)
from kb_score.games.slime.bot import Patience, Player, Reply, find_program
from kb_score.games.slime.finding import KINDS
from kb_score.games.slime.match import Match, play_match
from kb_score.games.slime.options import patience_options, size_option
from kb_score.games.slime.turn import State, load_rules
from kb_score.report import Table
from kb_score.rules import Changes


@click.command(
    "slime",
    short_help="Four bots, one game.",
    epilog="Example: kb-score play slime --bot ./a --bot ./b --bot ./c --bot ./d",
)
@click.option(
    "--bot",
    "commands",
    multiple=True,
    required=True,
    metavar="COMMAND",
    help="A bot's shell command; four times, for players 1 to 4. The board line is added to it.",
)
@record_option
@size_option
@patience_options
@format_option
@rules_options
def play(
    commands: tuple[str, ...],
    record: str | None,
    size: int,
    patience: Patience,
    format_: str,
    changes: Changes,
) -> None:
    """Referee a game of Slime of four bots.

    A bot is a shell command that runs in the present folder, anew each turn; what it cannot do is a
    pass.
    """
    if len(commands) != 4:
        raise click.UsageError(f"four bots play: give --bot 4 times, not {len(commands)} times")
    players = [Player(f"player {seat}", command) for seat, command in enumerate(commands, 1)]
    program = load_rules(changes)
    for player in players:
        find_program(player)
    with open_output(record, changes.paths) as write:
        told = set[tuple[int, str]]()

        def witness(line: str, reply: Reply, state: State) -> None:
            write(f"{line}\n{reply.answer}\n")
            seat = int(line[0])
            if reply.problem and (seat, reply.problem) not in told:
                told.add((seat, reply.problem))
                complain(f"turn {state.turn}: player {seat} {reply.detail}: a pass", kind="warning")

        match = play_match(players, size, patience, program, witness)
        write(" ".join(map(str, match.state.squares)) + "\n")
    _print_match(match, commands, format_)


def tell_problems(match: Match, names: Sequence[str]) -> list[str]:
    """Say how often each bot was late, crashed or printed garbage."""
    return [
        f"{names[seat - 1]}: {problem} in {number} turns, which are passes"
        for (seat, problem), number in sorted(match.problems.items())
    ]


def _print_match(match: Match, commands: Sequence[str], format_: str) -> None:
    names = [f"player {seat}" for seat in range(1, len(commands) + 1)]
    for problem in tell_problems(match, names):
        complain(problem, kind="warning")
    state = match.state
    if format_ == "table":
        click.echo(f"finished after {state.turn} turns\n")
        click.echo(state.board.replace(",", "\n") + "\n")
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (seat, command, state.squares[seat - 1], *(match.counts[kind, seat] for kind in KINDS))
        for seat, command in enumerate(commands, 1)
    )
    columns = ("player", "bot", "squares", *KINDS)
    result = {"turns": state.turn, "squares": list(state.squares), "finished": state.ended}
    print_played("slime", result, [Table("", columns, rows)], format_)
