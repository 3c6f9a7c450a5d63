"""What a game brings to the tests of all games: its folder here has it in ``example``.

The tests are those of the modules beside this one, which ``examples`` makes its parameters.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.helpers import ROOT, Ran, run

Words = tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Example:
    """A game's files, bots and moves, of which the tests say what has to come of them."""

    game: str  # its name on the command line
    starts: tuple[Path, ...] = ()  # what stands before each record, such as a map

    # Records. `whole` is a game to its end, and says of how many turns; `expected` are records to
    # try with the verdict that each gets; `cut` is a game that stops before its end.
    whole: Path
    turns: int
    cut: str
    expected: Sequence[tuple[Words, dict[str, Any]]]
    # A record that breaks the rules: its first violation, and what people are shown of it.
    broken: str
    violation: tuple[int, str, object]
    shown: Sequence[str]
    # Files that cannot be read, by what is wrong with them: those of a record, as far as they are
    # not the usual ones, and what the message has to say, which names the last of them.
    unreadable: Mapping[str, tuple[Sequence[str | bytes], str]]

    # Moves. At this turn of `whole` each player has so many; one line is legal, another one is
    # illegal with a code and a reason, and so is any line after the end.
    turn: int
    moves: Mapping[object, int]
    legal: str
    illegal: tuple[str, str, str]
    over: str
    next_turn: Words = ()  # options that a turn needs which is not in the record
    reads_all: bool = False  # what cannot be read is a move, too

    # Bots. `bot` plays a short game to its end by the options `short`, of which the record needs
    # `const`; with `patient` no bot is late, with `hasty` soon. So many `seats` there are. A game
    # may begin with a map that no record needs.
    play_starts: tuple[Path, ...] = ()
    bot: str
    seats: int = 1
    patient: Words = ("--timeout", 60)
    short: Words = ()
    const: Words = ()
    hasty: Words = ("--timeout", 0.5)
    # Lines that a bot must not answer in its first turn, with what is said of them; what is said of
    # a bot that is late; and the exit status after a bot's fault.
    answers: Mapping[str, str] = field(default_factory=dict)
    late: str = "did not answer in time"
    fault: int = 0

    # Rules. A condition that holds in every record; the part of the rules that is of each turn, if
    # there is one; a file of rules, and a predicate that its copy has to derive.
    holds: str
    part: str = "step"
    derived: tuple[str, str]

    @property
    def folder(self) -> str:
        """The name of its folder in ``asp/``."""
        return self.game.replace("-", "_")

    @property
    def options(self) -> Words:
        """Options of a short game in which no bot is late."""
        return *self.patient, *self.short, *self.const

    def check(self, record: object, *options: object, given: bytes | str | None = None) -> Ran:
        """Check a record, as JSON; "-" is what is given."""
        words = (*self.starts, record, "--format", "json", *options)
        return run("check", self.game, *words, given=given)

    def verdict(self, text: str, *options: object) -> dict[str, Any]:
        """Check the text of a record, which has to be readable."""
        ran = self.check("-", *options, given=text)
        (found,) = ran.json
        assert ran.status == (0 if found["consistent"] else 1)
        assert found["consistent"] is not found["violations"]
        assert isinstance(found, dict)
        return found

    def look(self, record: object, *options: object, given: str | None = None) -> Ran:
        """Ask what is legal, as JSON."""
        words = (*self.starts, record, "--format", "json", *options)
        return run("legal", self.game, *words, given=given)

    def play(self, *options: object, bot: str | None = None) -> Ran:
        """Let bots play a short game."""
        bots = ("--bot", self.bot if bot is None else bot) * self.seats
        words = (*self.starts, *self.play_starts, *self.options)
        return run("play", self.game, *words, *options, *bots)


def read_expected(
    path: Path, words: Callable[[Path], Words] = lambda record: (record,)
) -> list[tuple[Words, dict[str, Any]]]:
    """Read the verdicts of a folder's records, each with the words by which it is checked."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(words(ROOT / line["record"]), line) for line in lines]
