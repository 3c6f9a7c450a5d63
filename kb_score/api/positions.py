"""Positions: what is legal before a turn, and why something else is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from kb_score.api.arguments import expect_text
from kb_score.api.questions import Questions
from kb_score.errors import InputError
from kb_score.games.game import Judged, Legal, Reason
from kb_score.games.game import Position as Asked
from kb_score.games.live import COUNTS_AS_PASS

if TYPE_CHECKING:
    from kb_score.games.game import File

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PositionSource:
    """Where a position is found: in a record, before a turn."""

    files: tuple[File, ...]
    turn: int | None
    options: Mapping[str, Any]

    def find(self, game: Questions) -> Asked:
        """Find the position."""
        files = list(self.files)
        return game.type.position(game.rules, files, self.turn, **self.options)


@dataclass(frozen=True, slots=True)
class Position:
    """A position of a game, in which somebody has the turn.

    Attributes:
        turn: The number of the turn, from 1.
        over: Why nothing is legal, as the game is over; empty if it goes on.
    """

    turn: int
    over: str
    _game: Questions = field(repr=False)
    # Without a limit of time it is found once, otherwise by the process of each question.
    _found: Asked | PositionSource = field(repr=False)

    @classmethod
    def open(cls, game: Questions, source: PositionSource | Asked) -> Position:
        """Find a position; a KbScoreError says that there is none."""
        if not isinstance(source, PositionSource) or game.limit_seconds is None:
            found = game.run(source.find) if isinstance(source, PositionSource) else source
            turn, over = game.run(_describe, found)
            return cls(turn, over, game, found)
        turn, over = _ask(game, source, _describe)
        return cls(turn, over, game, source)

    def legal_moves(self) -> tuple[str, ...]:
        """List the legal moves, as a record or a bot writes them.

        Where several people, rabbits or crushers move in one turn, these are the moves of all;
        `moves_by_player` has them one by one.

        Raises:
            RuleError: A rule of the caller's is wrong.
            LimitError: It has taken longer than the game's ``limit_seconds``.
        """
        return join_moves(self._ask(_list_moves))

    def moves_by_player(self) -> dict[int | str, tuple[str, ...]]:
        """List the legal moves of each who moves in this turn: a player, a person or a robot."""
        return group_moves(self._ask(_list_moves))

    def why_illegal(self, move: str) -> tuple[Reason, ...]:
        """Tell why a move is illegal.

        In Slime every answer counts as something: the reasons are those for which it is a pass.

        Args:
            move: The move, as a record or a bot writes it.

        Returns:
            The reasons; none if it is legal.

        Raises:
            FormatError: It cannot be read.
            InputError: The game is over, or what was done before it is not known.
        """
        found: list[Reason] = []
        for reason in self._judge(move).reasons:
            # In a match the code tells a pass from an illegal answer.
            code = reason.code.removeprefix(COUNTS_AS_PASS)
            found.append(replace(reason, code=code))
        return tuple(found)

    def is_legal(self, move: str) -> bool:
        """Return whether a move is legal; errors are those of `why_illegal`."""
        return not self.why_illegal(move)

    def counts_as(self, move: str) -> str:
        """Tell what a move counts as, such as ``"jump"``; empty in games without such kinds."""
        return self._judge(move).counts_as

    def _judge(self, move: str) -> Judged:
        expect_text(move, "move")
        if self.over:
            raise InputError("move", self.over)
        return self._ask(_judge, move)

    def _ask(self, function: Callable[..., T], *args: str) -> T:
        return _ask(self._game, self._found, function, *args)


def join_moves(found: Iterable[Legal]) -> tuple[str, ...]:
    """Join the moves of all who move."""
    moves: list[str] = []
    for legal in found:
        moves += legal.moves
    return tuple(moves)


def group_moves(found: Iterable[Legal]) -> dict[int | str, tuple[str, ...]]:
    """Group moves by who makes them: a robot may stand for a crusher and for a rabbit."""
    moves: dict[int | str, tuple[str, ...]] = {}
    for legal in found:
        before = moves.get(legal.player, ())
        moves[legal.player] = before + legal.moves
    return moves


def _ask(
    game: Questions, found: Asked | PositionSource, function: Callable[..., T], *args: str
) -> T:
    """Ask about a position, in a child process if it has to be found there."""
    if isinstance(found, PositionSource):
        return game.ask(_find_and_ask, found, function, args)
    return game.run(function, found, *args)


def _find_and_ask(
    game: Questions, source: PositionSource, function: Callable[..., T], args: tuple[str, ...]
) -> T:
    return function(game, source.find(game), *args)


def _describe(_game: Questions, found: Asked) -> tuple[int, str]:
    return found.turn, found.over


def _list_moves(_game: Questions, found: Asked) -> tuple[Legal, ...]:
    return () if found.over else tuple(found.moves())


def _judge(_game: Questions, found: Asked, move: str) -> Judged:
    return found.judge(move)
