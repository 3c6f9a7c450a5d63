"""What a player may do at a moment of a game, and why something else is illegal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name
from kb_score.errors import InputError
from kb_score.games.dialect import IllegalRow
from kb_score.games.kingdom_builder.play.game import Line, Part, line_facts, read_hex
from kb_score.games.kingdom_builder.play.names import widen
from kb_score.games.kingdom_builder.rules import (
    LEGAL,
    GoesOnToRow,
    LegalRow,
    MoverNowRow,
    NeedsCardRow,
)
from kb_score.games.legal import Reason, find_turn, read_reason, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts, Row, Value
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.play.game import Game, Hex


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment of a game at which a player is to act.

    Attributes:
        facts: The board, the players, and the state that the lines begin with.
        lines: The turns before, and last what is said already of the turn itself.
        name: What errors call the game or the board, usually its path.
        before: The number of turns before those of the lines.
    """

    facts: Facts
    lines: tuple[Line, ...]
    name: str = "<game>"
    before: int = 0

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""
        return self.before + len(self.lines)

    def after(self, parts: Sequence[Part]) -> Moment:
        """Make the moment after some actions of the same turn."""
        *before, now = self.lines
        return replace(self, lines=(*before, replace(now, parts=(*now.parts, *parts))))


@dataclass(frozen=True, slots=True)
class Choices:
    """The player whose turn it is, and all that he may do.

    Attributes:
        player: The player.
        moves: Actions of one target each, or of none.
        further: The last action that is said, each with one target more.
        needs_card: Whether a further card is to be drawn for what is due.
    """

    player: int
    moves: tuple[Part, ...]
    further: tuple[Part, ...] = ()
    needs_card: bool = False


def moment_of_game(game: Game, turn: int | None, cards: Sequence[str] = ()) -> Moment:
    """Make the moment at which a turn of a game opens; None is the one after the last.

    The cards are those that are shown so far, by default all that the turn shows.

    Raises:
        InputError: The game has no such turn, or nobody knows which card is played in it.
    """
    turn = find_turn(turn, len(game.lines), game.name)
    if not cards and turn > len(game.lines):
        raise InputError(game.name, f"turn {turn} is not there yet: say its card with --card")
    cards = cards or game.lines[turn - 1].terrains
    # Whose turn it is, the rules know.
    return Moment(game.facts, (*game.lines[: turn - 1], Line(None, tuple(cards), ())), game.name)


def moment_of_board(board: Board, player: int, cards: Sequence[str]) -> Moment:
    """Make the moment at which a turn opens on a board, whoever may hold which tiles."""
    given = board.facts_for(max(player, 2, *(row[0] for row in _settled(board))))
    facts = {key: given[key] for key in ("size", "terrain", "land", "players")}
    stood = [(who, (row, column)) for who, row, column in given["settlement"]]
    walled = [((row, column),) for row, column in given["wall"]]
    state: Facts = {"starter": [(player,)], "stood": stood, "walled": walled}
    return Moment({**facts, **state}, (Line(player, tuple(cards), ()),), board.name)


def _settled(board: Board) -> list[tuple[int, ...]]:
    return [(who,) for who, _, _ in board.facts["settlement"] if isinstance(who, int)]


def list_legal(moment: Moment, rules: GameRules, *, lent: Sequence[str] = ()) -> Choices:
    """List all legal moves.

    Args:
        moment: The moment.
        rules: The rules.
        lent: Tiles that the player may use besides those that he holds, each once.

    Raises:
        InputError: The game breaks the rules before this moment.
    """
    facts = line_facts(moment.lines, is_open=True)
    answer = rules.ask(widen(LEGAL, rules), {**moment.facts, **facts, "lent": _lend(lent)})
    for row in answer.read(IllegalRow):
        raise refuse(moment.name, row)
    rows = sorted(answer.read(LegalRow), key=lambda row: (row.name != "mandatory", row))
    moves = tuple(Part(row.name, _targets(row.start, row.place)) for row in rows)
    further: tuple[Part, ...] = ()
    if more := sorted(answer.read(GoesOnToRow)):
        last = moment.lines[-1].parts[-1]
        further = tuple(
            Part(last.name, last.targets + _targets(row.start, row.place)) for row in more
        )
    (mover,) = answer.read(MoverNowRow)
    return Choices(mover.player, moves, further, bool(answer.read(NeedsCardRow)))


def find_reason(
    moment: Moment, parts: Sequence[Part], rules: GameRules, *, lent: Sequence[str] = ()
) -> Reason | None:
    """Find why actions are illegal at a moment; None if they are legal. See `list_legal`."""
    lines = moment.after(parts).lines
    facts = {**line_facts(lines), "unfinished": [(len(lines),)], "lent": _lend(lent)}
    answer = rules.ask(widen(LEGAL, rules), {**moment.facts, **facts})
    for row in answer.read(IllegalRow):
        if row.turn < moment.turn:
            raise refuse(moment.name, row)
        return read_reason(row.code, "", row.detail)
    return None


def _lend(tiles: Sequence[str]) -> list[Row]:
    return [(Name(tile), number) for tile, number in Counter(tiles).items()]


def _targets(start: Value, place: Value) -> tuple[tuple[Hex | None, Hex], ...]:
    """Make the targets of an action that leads from one hex to another; each may be ``none``."""
    if not isinstance(place, tuple):
        return ()
    return ((read_hex(start) if isinstance(start, tuple) else None, read_hex(place)),)
