"""Positions: the legal moves before a turn, and the reasons why other moves are illegal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kb_score.api.arguments import expect_text
from kb_score.api.questions import Questions
from kb_score.errors import InputError
from kb_score.games.match import Judged, Legal, Reason
from kb_score.games.match import Position as Asked
from kb_score.games.position import COUNTS_AS_PASS

if TYPE_CHECKING:
    from kb_score.games.match import File

T = TypeVar("T")
# Moves by player, person or robot: by a number, a name or a place.
MovesByPlayer: TypeAlias = dict[int | str, tuple[str, ...]]
# A position, or its place in a record.
_Place: TypeAlias = "Asked | PositionSource"


@dataclass(frozen=True, slots=True)
class PositionSource:
    """The place of a position: before a turn of a record.

    Attributes:
        files: The map, if the game has maps, and the record.
        turn: The number of the turn, from 1; None for the one after the last.
        options: The options of ``kb-score legal``, by name.
    """

    files: tuple[File, ...]
    turn: int | None
    options: Mapping[str, Any]

    def find(self, game: Questions) -> Asked:
        """Return the position in a record of a game."""
        files = list(self.files)
        return game.type.position(game.rules, files, self.turn, **self.options)


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game before or within a turn.

    Attributes:
        turn: The number of the turn, from 1.
        over: Why no move is legal, if the game is over; otherwise empty.
    """

    turn: int
    over: str
    _game: Questions = field(repr=False)
    # With a time limit, the process for each question finds the position again.
    _found: _Place = field(repr=False)

    @classmethod
    def open(cls, game: Questions, source: _Place) -> Position:
        """Return a position, which is given or has a place in a record."""
        place = source
        if isinstance(source, PositionSource) and game.limit_seconds is None:
            place = game.run(source.find)
        turn, over = _ask(game, place, _describe)
        return cls(turn, over, game, place)

    def legal_moves(self) -> tuple[str, ...]:
        """Return the legal moves, as a record or a bot writes them.

        If several people, rabbits or crushers move in one turn, these are the moves of all of
        them; `moves_by_player` separates them.

        Raises:
            RuleError: A rule of the caller is wrong.
            LimitError: The answer took longer than the game's ``limit_seconds``.
        """
        return join_moves(self._ask(_list_moves))

    def moves_by_player(self) -> MovesByPlayer:
        """Return the legal moves of each player, person or robot that moves in this turn.

        Raises:
            RuleError: A rule of the caller is wrong.
            LimitError: The answer took longer than the game's ``limit_seconds``.
        """
        return group_moves(self._ask(_list_moves))

    def why_illegal(self, move: str) -> tuple[Reason, ...]:
        """Return the reasons why a move is illegal; an empty tuple if it is legal.

        In Slime, no answer is illegal: the reasons explain why an answer counts as a pass.

        Args:
            move: The move, as a record or a bot writes it.

        Raises:
            FormatError: The move cannot be read.
            InputError: The game is over, or the actions before the move are not known.
        """
        # The prefix marks the reasons for a pass in a match.
        return tuple(
            replace(reason, code=reason.code.removeprefix(COUNTS_AS_PASS))
            for reason in self._judge(move).reasons
        )

    def is_legal(self, move: str) -> bool:
        """Return whether a move is legal; the move and the errors are those of `why_illegal`."""
        return not self.why_illegal(move)

    def counts_as(self, move: str) -> str:
        """Return the kind of a move, such as ``"jump"``; empty in games without such kinds.

        The move and the errors are those of `why_illegal`.
        """
        return self._judge(move).counts_as

    def _judge(self, move: str) -> Judged:
        expect_text(move, "move")
        if self.over:
            raise InputError("move", self.over)
        return self._ask(_judge, move)

    def _ask(self, function: Callable[..., T], *args: str) -> T:
        return _ask(self._game, self._found, function, *args)


def join_moves(found: Iterable[Legal]) -> tuple[str, ...]:
    """Return the moves of all players, people or robots in one list."""
    return tuple(chain.from_iterable(legal.moves for legal in found))


def group_moves(found: Iterable[Legal]) -> MovesByPlayer:
    """Return the moves of each player, person or robot.

    A robot that is both a crusher and a rabbit occurs twice in what is found.
    """
    moves: MovesByPlayer = {}
    for legal in found:
        moves[legal.player] = moves.get(legal.player, ()) + legal.moves
    return moves


def _ask(game: Questions, found: _Place, function: Callable[..., T], *args: str) -> T:
    """Call a function with a position, in a child process if it has to be found there."""
    if isinstance(found, PositionSource):
        return game.ask(_find_and_ask, found, function, args)
    return game.run(function, found, *args)


def _find_and_ask(
    game: Questions, source: PositionSource, function: Callable[..., T], args: tuple[str, ...]
) -> T:
    """Find a position and call a function with it."""
    return function(game, source.find(game), *args)


def _describe(_game: Questions, found: Asked) -> tuple[int, str]:
    return found.turn, found.over


def _list_moves(_game: Questions, found: Asked) -> tuple[Legal, ...]:
    if found.over:
        return ()
    return tuple(found.moves())


def _judge(_game: Questions, found: Asked, move: str) -> Judged:
    return found.judge(move)
