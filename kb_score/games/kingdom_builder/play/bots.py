"""Bots that play Kingdom Builder: each turn a bot is sent a line, JSON, and answers with a line.

docs/kingdom_builder_bots.md has the protocol.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kb_score.engine.terms import Name
from kb_score.errors import KbScoreError
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.hexes import LAND, TERRAIN
from kb_score.games.kingdom_builder.play.game import Line
from kb_score.games.kingdom_builder.play.legal import Moment
from kb_score.games.kingdom_builder.play.reader import read_actions
from kb_score.games.kingdom_builder.play.referee import NoTurn
from kb_score.games.kingdom_builder.play.text import write_parts
from kb_score.shell.bots import Bot, BotFailure

if TYPE_CHECKING:
    from pathlib import Path

    from kb_score.engine.terms import Facts, Row, Value
    from kb_score.games.kingdom_builder.play.game import Part
    from kb_score.games.kingdom_builder.play.reader import Names
    from kb_score.games.kingdom_builder.play.referee import Request

_SYMBOLS = {kind: symbol for symbol, kind in {**LAND, **TERRAIN}.items()}


class BotPlayer:
    """A bot as a player: a program that is started anew after it has failed."""

    def __init__(
        self,
        command: Sequence[str],
        names: Names,
        timeout: float,
        log: Path | None = None,
        *,
        folder: Path | None = None,
    ) -> None:
        """Start it; a BotError if that cannot be. It has ``timeout`` seconds for an answer."""
        self._command, self._names, self._timeout = tuple(command), names, timeout
        self._log, self._folder = log, folder
        self._bot: Bot | None = self._start()

    def __enter__(self) -> BotPlayer:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def __call__(self, request: Request) -> Sequence[Part]:
        """Have a turn played; a NoTurn tells why there is none."""
        self._bot = self._bot or self._start()
        try:
            answer = self._bot.ask(write_request(request), self._timeout)
        except BotFailure as failure:
            self._end()
            raise NoTurn(failure.kind, str(failure)) from failure
        return read_answer(answer, self._names)

    def _start(self) -> Bot:
        return Bot(self._command, folder=self._folder, logs=self._log)

    def _end(self) -> None:
        if self._bot is not None:
            self._bot.end()
            self._bot = None


def read_answer(line: str, names: Names) -> tuple[Part, ...]:
    """Read an answer: actions, as a game has them. What it notes about tiles is left out.

    Raises:
        NoTurn: It has no actions that could be read.
    """
    if not line.strip():
        return ()
    try:
        parts = read_actions(line, names, name="answer")
    except KbScoreError as error:
        reason = getattr(error, "message", str(error))
        raise NoTurn("garbage", f"gave no answer that can be read: {reason}") from error
    return tuple(replace(part, notes=()) for part in parts)


def write_request(request: Request) -> str:
    """Write what a bot is told: a line, JSON, with all that a player may know."""
    game, position = request.game, request.position
    told = {
        "game": "kingdom-builder",
        "turn": position.turns + 1,
        "player": position.mover,
        "players": game.players,
        "cards": list(game.cards),
        "terrains": list(request.terrains),
        "done": write_parts(request.done),
        "board": str(draw_position(position.board, position.state)).splitlines(),
        "supply": list(position.left),
        "tiles": [
            {"tile": tile.kind.replace("_", "-"), "hex": list(tile.place)}
            | ({"player": tile.player} if tile.player else {"number": tile.number})
            for tile in position.tiles
        ],
        "facts": {**position.board, **position.state},
    }
    return json.dumps(told, separators=(",", ":")) + "\n"


def draw_position(board: Facts, state: Facts) -> Board:
    """Draw the board of a position, as a file of a board has it."""
    ((height, width),) = board["size"]
    assert isinstance(height, int)
    assert isinstance(width, int)
    hexes: dict[Value, str] = {}
    for kind, row, column in [*board.get("land", ()), *board.get("terrain", ())]:
        hexes[row, column] = _SYMBOLS[str(kind)]
    for player, place in state.get("stood", ()):
        hexes[place] += str(player)
    for (place,) in state.get("walled", ()):
        hexes[place] += "#"
    rows = (tuple(hexes[r, c] for c in range(width)) for r in range(height))
    return Board("position", tuple(rows))


@dataclass(frozen=True, slots=True)
class Told:
    """What a bot was told: the moment at which it is to act, and the JSON as it is."""

    moment: Moment
    json: Mapping[str, Any]


def read_request(line: str, names: Names) -> Told:
    """Read what a bot is told, for bots in Python that ask the rules."""
    told = json.loads(line)
    facts = {name: [_to_row(row) for row in rows] for name, rows in told["facts"].items()}
    done = read_answer(told["done"], names)
    now = Line(None, tuple(told["terrains"]), done)
    return Told(Moment(facts, (now,), before=told["turn"] - 1), told)


def _to_row(values: Sequence[Any]) -> Row:
    return tuple(_to_value(value) for value in values)


def _to_value(value: Any) -> Value:
    """Make a value of the rules: a JSON array is a tuple, a string a constant."""
    if isinstance(value, list):
        return _to_row(value)
    return Name(value) if isinstance(value, str) else int(value)
