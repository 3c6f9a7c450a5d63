"""Lights: a press switches a cell and its four neighbours; the game is over when all are off."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import click
from lark import Token, Tree

from kb_score.bots import Bot, BotFailure
from kb_score.command import (
    DIFFERS,
    FINE,
    Seconds,
    complain,
    format_option,
    open_output,
    print_played,
    print_verdict,
    read_input,
    record_option,
    rules_options,
)
from kb_score.errors import BoardError, FormatError, KbScoreError
from kb_score.findings import as_int, read_violations
from kb_score.grammar import parse, place_at, read_number
from kb_score.live import LivePlay
from kb_score.report import Table
from kb_score.rules import Changes, read_rules, read_rules_for_turns
from kb_score.solve import solve_unique
from kb_score.terms import Facts, Row
from kb_score.verdict import Verdict, Violation

GAME = "lights"
FACTS_OF = "a map or a record"
Grid = tuple[str, ...]

_LIT, _OVER, _FAULT = ("lit", 3), ("over", 1), ("fault", 4)
_RESULT, _VIOLATION, _DRAWN, _SPOT = ("result", 2), ("violation", 4), ("drawn", 2), ("spot", 2)


@dataclass(frozen=True, slots=True)
class Record:
    """A record, or a map, which is a record without turns.

    Attributes:
        grid: The rows before the first turn, with ``*`` where a light is on.
        presses: The row and the column that each turn presses.
        shown: The rows that are shown after each turn; empty where none are.
    """

    grid: Grid
    presses: tuple[Row, ...]
    shown: tuple[Grid, ...]

    def facts(self) -> Facts:
        """Make the facts that ``asp/lights`` takes; the turn is the last value."""
        turns = list(enumerate(zip(self.presses, self.shown, strict=True), 1))
        return {
            "size": [(len(self.grid), len(self.grid[0]))],
            "starts": list_lights(self.grid),
            "turns": [(len(self.presses),)],
            "press": [(*press, turn) for turn, (press, _) in turns],
            "shown": [(turn,) for turn, (_, grid) in turns if grid],
            "shines": [(*cell, turn) for turn, (_, grid) in turns for cell in list_lights(grid)],
        }


def list_lights(grid: Grid) -> list[Row]:
    """List the cells whose light is on."""
    return [(r, c) for r, row in enumerate(grid) for c, light in enumerate(row) if light == "*"]


def draw(like: Grid, lights: Collection[Row], marked: Collection[Row] = ()) -> str:
    """Draw a grid as large as another one, with ``!`` on the marked cells."""
    cells = [[(r, c) for c in range(len(row))] for r, row in enumerate(like)]
    return "".join(
        "".join("!" if at in marked else "*" if at in lights else "." for at in row) + "\n"
        for row in cells
    )


def read_record(text: str, name: str) -> Record:
    """Read a record or a map.

    Raises:
        FormatError: It is none; says where, and what was expected.
    """
    first, *turns = parse(GAME, text, name=name).children
    grid = _read_grid(first, None, text, name)
    presses, shown = [], []
    for turn in turns:
        assert isinstance(turn, Tree)
        press, *after = turn.children
        presses.append(_read_press(press, text, name))
        shown.append(_read_grid(after[0], grid, text, name) if after else ())
    return Record(grid, tuple(presses), tuple(shown))


def recognises(text: str) -> bool:
    """Whether a text looks like a map or a record."""
    words = text.split()
    return bool(words) and "*" in text and not set(words[0]) - {".", "*"}


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a map or a record."""
    return read_record(text, name).facts()


def _read_grid(token: object, like: Grid | None, text: str, name: str) -> Grid:
    assert isinstance(token, Token)
    rows = tuple(token.split())
    expected = like or rows
    if len(rows) != len(expected) or any(len(row) != len(expected[0]) for row in rows):
        message = f"a grid of {len(expected)} rows of {len(expected[0])} cells is expected"
        raise FormatError(place_at(text, token.line or 1, 1, name), message)
    return rows


def _read_press(token: object, text: str, name: str) -> Row:
    assert isinstance(token, Token)
    return tuple(read_number(word, token, text, name) for word in token.split()[1:])


def check_record(record: Record, name: str, changes: Changes) -> Verdict:
    """Hold a record against the rules."""
    program = read_rules_for_turns(GAME, ["rules", "check"], ["step"], changes)
    wanted = (_RESULT, _VIOLATION, _DRAWN, _SPOT)
    answer = solve_unique(program, record.facts(), wanted)
    values = {str(key): as_int(value) for key, value in answer[_RESULT]}
    counts = {key: values[key] for key in ("turns", "lights")}
    drawing = draw(record.grid, answer[_DRAWN], answer[_SPOT])
    return Verdict(
        game=GAME,
        record=name,
        result={**counts, "finished": bool(values["finished"])},
        claimed=None,
        violations=read_violations(answer[_VIOLATION]),
        picture=f"as derived; ! where the record differs:\n{drawing}" if answer[_SPOT] else "",
    )


@click.command(GAME, short_help="A record.", epilog="Example: kb-score check lights record.txt")
@click.argument("record")
@format_option
@rules_options
@click.pass_context
def check(context: click.Context, record: str, format_: str, changes: Changes) -> None:
    """Cross-check a record of Lights; "-" is standard input."""
    verdict = check_record(read_record(read_input(record), record), record, changes)
    context.exit(print_verdict(verdict, format_))


class Game:
    """A game as it is played.

    Attributes:
        grid: The rows as they are now.
        turn: The turns that were played.
        over: Whether all lights are off.
    """

    def __init__(self, grid: Grid, changes: Changes) -> None:
        """Begin with a grid."""
        self.grid, self.turn, self.over = grid, 0, False
        self._play = LivePlay(
            read_rules(GAME, ["rules"], changes),
            Record(grid, (), ()).facts(),
            given=(("press", 3),),
            wanted=(_LIT, _OVER, _FAULT),
            carried=(_LIT,),
            renewal=20,
        )
        self._look()

    def press(self, cell: Row) -> Sequence[Violation]:
        """Press a cell; return what is illegal about it, so that it was no turn."""
        self._play.next_turn()
        self._play.play(["step"], {"press": [cell]})
        faults = read_violations(self._play.news(_FAULT))
        if not faults:
            self.turn += 1
            self._look()
        return faults

    def _look(self) -> None:
        lights = [(row, column) for row, column, _ in self._play.news(_LIT)]
        self.grid = tuple(draw(self.grid, lights).split())
        self.over = bool(self._play.news(_OVER))


def play_turn(game: Game, bot: Bot, timeout: float) -> str:
    """Play a turn; return what goes to the record.

    Raises:
        BotFailure: The bot is late, or has ended.
        FormatError: It does not answer with a press.
        BoardError: The press is illegal.
    """
    line = bot.ask("\n".join(game.grid) + "\n\n", timeout)
    (press,) = parse(GAME, line, name="the bot's answer", start="answer").children
    for fault in game.press(_read_press(press, line, "the bot's answer")):
        raise BoardError("the bot's answer", f"{fault.code}: {fault.detail}")
    return f"{line.strip()}\n" + "\n".join(game.grid) + "\n"


@click.command(
    GAME,
    short_help="A bot that presses cells.",
    epilog="Example: kb-score play lights map.txt -- python3 bot.py",
)
@click.argument("map_", metavar="MAP")
@click.argument("command", nargs=-1, required=True, metavar="-- COMMAND...")
@click.option(
    "--turns", type=click.IntRange(1), default=100, show_default=True, metavar="N",
    help="The turns that the bot has.",
)  # fmt: skip
@click.option(
    "--timeout", type=Seconds(), default=10.0, show_default=True,
    metavar="SECONDS", help="How long the bot may take for a turn.",
)  # fmt: skip
@record_option
@format_option
@rules_options
@click.pass_context
def play(
    context: click.Context,
    map_: str,
    command: tuple[str, ...],
    turns: int,
    timeout: float,
    record: str | None,
    format_: str,
    changes: Changes,
) -> None:
    """Referee a bot of Lights live.

    COMMAND starts the bot; it is told the grid and an empty line every turn, and answers with a
    line such as "press 1 2".
    """
    game = Game(read_record(read_input(map_), map_).grid, changes)
    with ExitStack() as stack:
        write = stack.enter_context(open_output(record, [map_, *command, *changes.paths]))
        bot = stack.enter_context(Bot(command))
        write("\n".join(game.grid) + "\n")
        try:
            while not game.over and game.turn < turns:
                write(play_turn(game, bot, timeout))
        except BotFailure as failure:
            complain(f"turn {game.turn + 1}: the bot {failure}")
        except KbScoreError as error:
            complain(f"turn {game.turn + 1}: {error}")
    lights = len(list_lights(game.grid))
    result = {"turns": game.turn, "lights": lights, "finished": game.over}
    row = (map_, game.turn, lights, "yes" if game.over else "no")
    print_played(GAME, result, [Table("", ("map", *result), (row,))], format_)
    context.exit(FINE if game.over else DIFFERS)


COMMANDS = {"check": check, "play": play}
