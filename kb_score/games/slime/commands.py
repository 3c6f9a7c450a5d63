"""The commands of Slime: ``check``, ``play``, ``legal`` and those that draw."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from kb_score.games.bot_command import make_bot
from kb_score.games.checks import Teller, find_records, tell_all
from kb_score.games.command import game_options, make_verb
from kb_score.games.crews import Opener, crew_options
from kb_score.games.legal import Reason, legal_options, show_legal, show_reasons
from kb_score.games.pictures import make_pictures
from kb_score.games.playouts import make_playouts, most_turns_option
from kb_score.games.slime.bots import BotSpec, check_program
from kb_score.games.slime.check import check_record, follow_files
from kb_score.games.slime.compliance import list_cases
from kb_score.games.slime.legal import find_state, judge_answer, list_legal
from kb_score.games.slime.options import live_options, size_option
from kb_score.games.slime.play import play_game
from kb_score.games.slime.playouts import play_randomly
from kb_score.games.slime.records import RECORD_FILE
from kb_score.games.slime.rules import KINDS, PLAY, PLAYERS
from kb_score.games.stage import Stage, stage_options
from kb_score.games.why import why_options
from kb_score.shell.files import read_input
from kb_score.shell.options import bot_log_option
from kb_score.shell.output import Exit, Table, Text, complain
from kb_score.shell.verdict import show_played

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.engine.run import GameRules
    from kb_score.games.slime.bots import Patience, Reply
    from kb_score.games.slime.play import PlayedGame, State
    from kb_score.shell.output import Block
    from kb_score.shell.verdict import Verdict


# A session of a game that has no turns.
_BLANK = "1 1 1 1"

_first_option = click.option(
    "--first",
    type=click.IntRange(1, 4),
    metavar="PLAYER",
    help="Of frames that are an excerpt of a game: who moves first.",
)


@click.command(
    "slime", short_help="A session or frames.", epilog="Example: kb-score check slime game.txt"
)
@click.argument("records", nargs=-1, required=True, metavar="RECORD...")
@click.option(
    "--all", "list_all", is_flag=True, help="Of frames: list all moves that explain each turn."
)
@_first_option
@crew_options
@game_options("slime")
@why_options(("violation", "result"))
def check(
    records: tuple[str, ...],
    list_all: bool,
    first: int | None,
    crew: Opener,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Cross-check records of Slime.

    RECORD is a session (what bots were given and answered) or frames (boards alone); which of them
    is recognised from its contents. A folder is all its .txt files; "-" is standard input.
    """
    judge = partial(_check_text, rules, first, list_all)
    teller = Teller(rules, format_, options=[] if first is None else ["--first", str(first)])
    return tell_all(find_records(records, RECORD_FILE), judge, teller, crew)


def _check_text(
    rules: GameRules, first: int | None, list_all: bool, name: str, text: str
) -> Verdict:
    return check_record(rules, text, name, first=first, list_all=list_all)


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
@click.option(
    "--persistent",
    type=click.IntRange(1, 4),
    multiple=True,
    metavar="PLAYER",
    help="This player's bot runs for the whole game, and reads a line a turn. Repeatable.",
)
@stage_options()
@bot_log_option
@live_options
@game_options("slime")
def play(
    commands: tuple[str, ...],
    persistent: tuple[int, ...],
    stage: Stage,
    bot_log: Path | None,
    size: int,
    patience: Patience,
    format_: str,
    rules: GameRules,
) -> Exit:
    """Referee a game of Slime of four bots.

    A bot is a shell command that runs in the present folder, anew each turn; if it fails, its turn
    is a pass. With --persistent it is started once, without the board line, reads that from its
    standard input each turn, and answers with a line.
    """
    bots = _list_bots(commands, persistent, bot_log)
    rules.program(PLAY)  # What is wrong with the rules is told before a bot is looked for.
    for bot in bots:
        check_program(bot)
    told = set[tuple[int, str]]()
    follow = partial(follow_files, rules)
    session = stage.open_session(follow, rules.changes.paths)
    with session as write, stage.open_watch(follow, ("", _BLANK)) as show:

        def witness(line: str, reply: Reply, state: State) -> None:
            write(f"{line}\n{reply.answer}\n")
            show(state.describe(), state.draw)
            problem = int(line[0]), reply.problem
            if reply.problem and problem not in told:
                told.add(problem)
                complain(_say_problem(reply, line[0], state.turn), kind="warning")

        game = play_game(bots, size, patience, rules, witness)
        write(" ".join(map(str, game.state.squares)) + "\n")
    _show_game(game, commands, format_)
    return Exit.FINE


@make_verb(
    "legal",
    "slime",
    """All moves of a player, or what an answer counts as.

    RECORD is a session, or boards alone, perhaps a single one; "-" is standard input. An answer
    that is no legal move counts as a pass: with --move the reason is told.
    """,
    "slime game.txt --turn 7 --move '0 0 1 1'",
)
@click.argument("record")
@legal_options("'0 0 1 1'")
@click.option(
    "--player", type=click.IntRange(1, 4), metavar="N", help="Of boards alone: whose turn it is."
)
@game_options("slime")
@why_options(lambda given: ("passes", "counts") if given["move"] else ("permitted",))
def legal(
    record: str,
    turn: int | None,
    move: str | None,
    player: int | None,
    format_: str,
    rules: GameRules,
) -> Exit:
    """List the legal moves, or judge one."""
    state = find_state(read_input(record, RECORD_FILE), record, turn, player, rules)
    if state.ended:
        over = f"the game is over after turn {state.turn}"
        turn = turn or state.turn + 1
        if move is None:
            return show_legal("slime", turn, [], format_, why=over)
        return show_reasons(move, [Reason("after-end", over)], format_, {"counts_as": None})
    if move is None:
        found = list_legal(state, rules)
        why = "" if found.moves else "every answer counts as a pass"
        return show_legal("slime", state.turn + 1, [found], format_, why=why)
    judged = judge_answer(state, move, rules)
    kind = judged.counts_as
    return show_reasons(
        move, judged.reasons, format_, {"counts_as": kind}, word=f"counts as a {kind}"
    )


def _list_bots(
    commands: Sequence[str], persistent: Sequence[int], log: Path | None
) -> list[BotSpec]:
    if len(commands) != len(PLAYERS):
        raise click.UsageError(f"four bots play: give --bot 4 times, not {len(commands)} times")
    return [
        BotSpec(
            f"player {seat}",
            command,
            log=log and log / f"player-{seat}.log",
            persistent=seat in persistent,
        )
        for seat, command in enumerate(commands, 1)
    ]


def _say_problem(reply: Reply, seat: str, turn: int) -> str:
    return f"turn {turn}: player {seat} {reply.detail}: counted as a pass{reply.words}"


def _show_game(game: PlayedGame, commands: Sequence[str], format_: str) -> None:
    for (seat, problem), number in sorted(game.problems.items()):
        message = f"player {seat}: {problem} in {number} turns, counted as passes"
        complain(message, kind="warning")
    state = game.state
    rows: tuple[tuple[str | int, ...], ...] = tuple(
        (seat, command, squares, *(game.counts[kind, seat] for kind in KINDS))
        for seat, command, squares in zip(PLAYERS, commands, state.squares, strict=True)
    )
    blocks: list[Block] = [
        Text(f"finished after {state.turn} turns"),
        Text(state.board.replace(",", "\n"), "picture"),
        Table("", ("player", "bot", "squares", *KINDS), rows),
    ]
    result = {"turns": state.turn, "squares": list(state.squares), "finished": state.ended}
    show_played("slime", result, blocks, format_)


COMMANDS = {
    "check": check,
    "play": play,
    "legal": legal,
    "bot": make_bot(
        "slime",
        list_cases,
        click.option(
            "--persistent",
            is_flag=True,
            help="The bot runs for a whole game, and reads a line a turn.",
        ),
        live_options,
        help_="""A bot of one player.

        COMMAND is run anew for each turn, with the board line added to it, as `kb-score play slime`
        does; if it is one word, it is a command for the shell. A pass of a player who has a legal
        move counts as illegal.
        """,
        example="slime -- python3 bot.py",
    ),
    "playouts": make_playouts(
        "slime",
        play_randomly,
        options=(size_option, most_turns_option),
        help_="""Random games of Slime.

        At each turn one of the legal moves is drawn; a player without any passes. The records are
        sessions, which `kb-score check` accepts.
        """,
        example="slime --size 5 --seed 7 --games 10 -o games",
    ),
    **make_pictures(
        "slime",
        follow_files,
        RECORD_FILE,
        example="game.txt",
        options=(_first_option,),
        who="player {}",
    ),
}
