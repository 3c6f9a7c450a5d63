"""Positions: the legal moves before a turn, and the reasons why other moves are illegal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kb_score.api.arguments import expect_text
from kb_score.api.questions import Questions
from kb_score.errors import InputError
from kb_score.games.game import Judged, Legal, Reason
from kb_score.games.game import Position as Asked
from kb_score.games.live import COUNTS_AS_PASS

if TYPE_CHECKING:
    from kb_score.games.game import File

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
        """Return the position.

        Args:
            game: The game of the record.

        Raises:
            KbScoreError: A file cannot be used, there is no such turn, or the record breaks the
                rules before it.
        """
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
        """Return a position.

        Args:
            game: The game.
            source: The position itself, or its place in a record.

        Raises:
            KbScoreError: There is no such position.
        """
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
        """Return the reasons why a move is illegal.

        In Slime, no answer is illegal: the reasons explain why an answer counts as a pass.

        Args:
            move: The move, as a record or a bot writes it.

        Returns:
            The reasons; an empty tuple if the move is legal.

        Raises:
            FormatError: The move cannot be read.
            InputError: The game is over, or the actions before the move are not known.
        """
        found: list[Reason] = []
        for reason in self._judge(move).reasons:
            # The prefix marks the reasons for a pass in a match.
            code = reason.code.removeprefix(COUNTS_AS_PASS)
            plain = replace(reason, code=code)
            found.append(plain)
        return tuple(found)

    def is_legal(self, move: str) -> bool:
        """Return whether a move is legal.

        Args:
            move: As for `why_illegal`, which raises the same errors.
        """
        return not self.why_illegal(move)

    def counts_as(self, move: str) -> str:
        """Return the kind of a move, such as ``"jump"``; empty in games without such kinds.

        Args:
            move: As for `why_illegal`, which raises the same errors.
        """
        verdict = self._judge(move)
        return verdict.counts_as

    def _judge(self, move: str) -> Judged:
        expect_text(move, "move")
        if self.over:
            raise InputError("move", self.over)
        return self._ask(_judge, move)

    def _ask(self, function: Callable[..., T], *args: str) -> T:
        return _ask(self._game, self._found, function, *args)


def join_moves(found: Iterable[Legal]) -> tuple[str, ...]:
    """Return the moves of all players, people or robots in one list.

    Args:
        found: The moves of each of them.
    """
    moves: list[str] = []
    for legal in found:
        moves += legal.moves
    return tuple(moves)


def group_moves(found: Iterable[Legal]) -> MovesByPlayer:
    """Return the moves of each player, person or robot.

    Args:
        found: The moves, in several parts for a robot that is both a crusher and a rabbit.
    """
    moves: MovesByPlayer = {}
    for legal in found:
        before = moves.get(legal.player, ())
        moves[legal.player] = before + legal.moves
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
    found = source.find(game)
    return function(game, found, *args)


def _describe(_game: Questions, found: Asked) -> tuple[int, str]:
    return found.turn, found.over


def _list_moves(_game: Questions, found: Asked) -> tuple[Legal, ...]:
    if found.over:
        return ()
    return tuple(found.moves())


def _judge(_game: Questions, found: Asked, move: str) -> Judged:
    return found.judge(move)
