"""Matches and positions of games, and what verbs and bots are told about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from kb_score.errors import Fault, InputError, write_count
from kb_score.games.schema import IllegalRow, ViolationRow, write_sentence

if TYPE_CHECKING:
    from random import Random

    from kb_score.engine.terms import Value
    from kb_score.shell.picture import TextBoard

# The name and the text of a file.
File: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Clock:
    """The times of a bot, in seconds.

    Attributes:
        answer: The time for an answer.
        start: The time to get ready, in addition to the time for the first answer.
        grace: The factor by which an answer may exceed its time, as the machine may be busy.
        kill: The time after which a late bot is killed; never before its answer is late.
    """

    answer: float
    start: float = 0.0
    grace: float = 1.0
    kill: float = 0.0

    @property
    def late(self) -> float:
        """The seconds after which an answer does not count."""
        return self.answer * self.grace


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The setup of a match.

    Attributes:
        files: The map, if the game has maps.
        settings: The values of `Game.settings`, by name.
        run: The number of the match in a series, from 1.
        runs: The number of matches in the series.
        names: The names of players, by their numbers.
    """

    files: tuple[File, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    players: int = 1
    run: int = 1
    runs: int = 1
    names: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Legal:
    """The legal moves of one player, person or robot, in the notation of records.

    Attributes:
        player: The player or robot: a number, a name or a place.
        counts_as: The kind that each move counts as, in games that have kinds of moves.
        note: A remark about the moves.
    """

    player: int | str
    moves: tuple[str, ...]
    counts_as: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason why a move is illegal.

    Attributes:
        code: The code, as docs/file-formats.md lists it.
        detail: A sentence.
        who: The number of the player, or the person or robot, if a line has the moves of several.
        places: The places in the reason, such as (3, 4).
    """

    code: str
    detail: str
    who: str | int = ""
    places: tuple[tuple[int, ...], ...] = ()

    @property
    def subject(self) -> str:
        """Whom it concerns, in words."""
        if isinstance(self.who, int):
            return f"player {self.who}"
        return self.who

    def __str__(self) -> str:
        code = self.code
        if self.who:
            code = f"{code} ({self.subject})"
        return f"{code}: {self.detail}"


def read_reason(code: str, who: Value, detail: Value) -> Reason:
    """Return a reason from the values that the rules derive.

    The player or robot is a place if it is a tuple, and so is a tuple among the words of the
    detail.
    """
    parts = [who]
    if isinstance(detail, tuple):
        parts += detail
    places = [
        tuple(number for number in part if isinstance(number, int))
        for part in parts
        if isinstance(part, tuple)
    ]
    subject = who if isinstance(who, int) else write_sentence((who,))
    return Reason(code=code, detail=write_sentence(detail), who=subject, places=tuple(places))


def resolve_turn(turn: int | None, played: int, name: str) -> int:
    """Return the number of an existing turn of a record, from 1, or of the turn after its last one.

    None stands for the turn after the last one. A record that is too short is an InputError.
    """
    if turn is None:
        turn = played + 1
    if not 1 <= turn <= played + 1:
        turns = write_count(played, "turn")
        raise InputError(name, f"there is no turn {turn}: the record has {turns}")
    return turn


def refuse(name: str, row: IllegalRow | ViolationRow) -> InputError:
    """Return the error for a record that breaks the rules before the turn in question."""
    detail = write_sentence(row.detail)
    return InputError(name, f"no move is legal: turn {row.turn} is wrong ({row.code}): {detail}")


@dataclass(frozen=True, slots=True)
class Judged:
    """The reasons why a move is illegal, none if it is legal, and the kind that it counts as.

    The kind is empty in games in which not every answer counts as one.
    """

    reasons: Sequence[Reason]
    counts_as: str = ""


class Position(Protocol):
    """A position of a game in which it is a player's turn."""

    @property
    def turn(self) -> int:
        """The number of the turn, from 1."""

    @property
    def over(self) -> str:
        """Why no move is legal, if the game is over; empty if it is not."""

    def moves(self) -> Sequence[Legal]:
        """Return the legal moves of each player, person or robot that moves."""

    def judge(self, line: str) -> Judged:
        """Judge an answer, without playing it; an unreadable one is an error."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The text in a record of an answer after which the game goes on, despite a fault in it."""

    record: str
    fault: Fault | None = None


class Match(Protocol):
    """A game that is being played."""

    keeps_told: bool = True  # whether a record contains the texts for players

    @property
    def mover(self) -> int:
        """The player whose turn it is, from 1."""
        return 1

    @property
    def turn(self) -> int:
        """The number of turns played."""

    @property
    def finished(self) -> bool:
        """Whether the game is over."""

    def tell(self) -> str:
        """Return the text that the mover receives before an answer."""

    def answer(self, line: str) -> Turn:
        """Play the mover's answer.

        Raises:
            Fault: The answer is illegal or cannot be read, and the game does not count that as a
                turn.
        """

    def position(self) -> Position:
        """Return the current position."""

    def choose(self, random: Random) -> str:
        """Choose a legal answer for the mover at random."""

    def picture(self) -> TextBoard:
        """Return the board as people see it."""

    def check_record(self, _pieces: Sequence[tuple[str, str]]) -> None:
        """Raise an error if a record of this match cannot be read.

        Each piece of the record comes with what wrote it: ``opening``, ``tell``, ``line`` or
        ``end``. Only a user's game may write a record that it cannot read.
        """
        return

    def legal(self) -> Sequence[Legal]:
        """Return the legal moves of each player, person or robot that moves."""
        position = self.position()
        if position.over:
            return ()
        return position.moves()

    def save(self) -> object | None:
        """Return the state of the match between two answers, for `restore`.

        It is the state before the mover is told about the turn, and None if a match can return to
        an earlier turn only by replaying all answers before it.
        """
        return None

    def restore(self, saved: object) -> None:
        """Return to a state that `save` returned, for this match or one with the same setup."""
        raise NotImplementedError

    def hold(self, _parts: Sequence[str]) -> str | None:
        """Hold parts of the mover's answer, which may still be taken back, and return them joined.

        The position and the picture reflect the held parts until other parts are held. In a game in
        which an answer has no parts, nothing is held and None is returned.
        """
        return None

    def can_end_turn(self) -> bool:
        """Return whether the held parts may be the whole answer."""
        return True

    def notes(self) -> str:
        """Return additional text to show to a person at the table before each answer."""
        return ""

    def help(self) -> str:
        """Return help for a person at the table."""
        return ""

    def result(self) -> dict[str, Any]:
        """Return the result, with the keys that ``check`` uses."""

    def default(self, _fault: Fault) -> str:
        """Return the answer that replaces a missing one, if the game has one."""
        return ""

    def opening(self) -> str:
        """Return the text at the beginning of a record."""
        return ""

    def closing(self) -> str:
        """Return the text at the end of a record."""
        return ""

    def blank(self) -> str:
        """Return a record without turns, from which the board can be drawn."""
        return self.opening()

    def frame(self) -> str:
        """Return the board before a turn, for a log of frames."""
        return ""

    def state(self) -> str:
        """Return the state of the game in a few words."""
        if self.finished:
            return f"finished after {self.turn} turns"
        return f"turn {self.turn + 1}"
