"""A match refereed: its players are told texts and answer lines, and the rules judge these."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from kb_score.errors import Fault
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, render, show

if TYPE_CHECKING:
    from kb_score.games.game import Game, Match, MatchSetup
    from kb_score.shell.picture import TextBoard


class MatchLeft(Exception):
    """Somebody has ended the match; the text says who."""


class Player(Protocol):
    """Whoever answers for a player; the context ends what runs for it.

    Attributes:
        who: What messages call it.
        ahead: The number of lines that it had printed before it was asked for a second answer.
    """

    who: str = "the bot"
    ahead: int = 0

    def __enter__(self) -> Player:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what runs."""
        return

    def ask(self, text: str) -> str:
        """Tell a text and get the line that answers it; a Fault if there is none."""

    def retry(self, _fault: Fault) -> bool:
        """Whether to ask again after an answer that the rules refuse."""
        return False


@dataclass(slots=True)
class Played:
    """What came of a match."""

    # What went wrong, in order: the turn, the player and the fault.
    faults: list[tuple[int, int, Fault]] = field(default_factory=list)
    # How long each player took for each answer.
    seconds: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    problem: str = ""  # why the match stopped before its end; empty if it did not
    left: bool = False  # whether somebody has ended it


@dataclass(frozen=True, slots=True)
class Listener:
    """What hears of a match while it is played."""

    record: Callable[[str], object]  # takes the text of the record, piece by piece
    frames: Callable[[str], object] | None = None  # takes the board before each turn
    # Shows the state of the match, a line, and the board.
    show: Callable[[str, Callable[[], TextBoard]], object] = lambda *_: None
    # Told of the turn, the player and the fault of each answer that there is not.
    warn: Callable[[int, int, Fault], object] = lambda *_: None


def referee(
    game: Game, match: Match, players: Sequence[Player], most: int | None, listener: Listener
) -> Played:
    """Let players play a match to its end, or to the end of turn ``most``."""
    played = Played()
    listener.record(match.opening())
    while not match.finished and match.turn != most:
        listener.show(match.state(), match.picture)
        if listener.frames is not None:
            listener.frames(match.frame())
        try:
            if not _play(game, match, players[match.mover - 1], played, listener):
                break
        except MatchLeft as left:
            played.problem, played.left = f"the game is not over: {left}", True
            break
    else:
        listener.show(match.state(), match.picture)
        if not match.finished:
            played.problem = f"the game is not over after {most} turns"
    listener.record(match.closing())
    return played


def _play(game: Game, match: Match, player: Player, played: Played, listener: Listener) -> bool:
    """Have an answer played; tell whether the match goes on."""
    number, mover, told = match.turn + 1, match.mover, match.tell()
    if match.keeps_told:
        listener.record(told)

    def note(fault: Fault) -> None:
        played.faults.append((number, mover, fault))
        listener.warn(number, mover, fault)

    while True:
        start = monotonic()
        try:
            try:
                line = player.ask(told)
            finally:
                played.seconds[mover].append(monotonic() - start)
            turn = match.answer(line)
        except Fault as fault:
            if player.retry(fault):
                continue
            note(fault)
            if game.arena.bots.on_fault == "end":
                if fault.answer:
                    listener.record(f"{fault.answer}\n")
                played.problem = f"turn {number}: {player.who} {fault}"
                return False
            turn = match.answer(match.default(fault))
        listener.record(turn.record)
        if turn.fault is not None:
            note(turn.fault)
        return True


# What the game does where there is no answer.
_CONSEQUENCES = {"pass": "counted as a pass", "play for": "played by the referee"}
_SUMMARIES = {"pass": "counted as passes", "play for": "played by the referee"}


class Reporter:
    """Tells of the matches of a series while they are played, and of what came of them.

    A game may have one of its own, for the tables that people see.

    Attributes:
        game: The game.
        setup: What all matches of the series are set up with.
        bots: The commands of players 1 and so on.
        format_: One of `kb_score.shell.output.FORMATS`.
        faults: How often each player had which kind of fault.
        matches: The matches that are over, each with its setup and what came of it.
    """

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        """Begin a series; all bots have been found."""
        self.game, self.setup, self.bots, self.format_ = game, setup, bots, format_
        # What tables call the players.
        self.names = [setup.names.get(player, player) for player in range(1, len(bots) + 1)]
        self.faults = Counter[tuple[int, str]]()
        self.matches: list[tuple[MatchSetup, Match, Played]] = []

    def warn(self, turn: int, player: int, fault: Fault) -> None:
        """Tell of the first fault of a kind by a player that does not end the match."""
        self.faults[player, fault.kind] += 1
        if self.game.arena.bots.on_fault != "end" and self.faults[player, fault.kind] == 1:
            consequence = _CONSEQUENCES[self.game.arena.bots.on_fault]
            who = self.setup.names.get(player, f"player {player}")
            message = f"turn {turn}: {who} {fault.detail}: {consequence}{fault.words}"
            complain(message, kind="warning")

    def end_match(self, setup: MatchSetup, match: Match, played: Played) -> None:
        """Take in a match that is over."""
        self.matches.append((setup, match, played))
        if played.problem:
            complain(played.problem)

    def end(self) -> Exit:
        """Print what came of the series."""
        for (player, kind), number in sorted(self.faults.items()):
            if self.game.arena.bots.on_fault != "end":
                turns = f"{number} turn{'s' * (number > 1)}"
                summary = _SUMMARIES[self.game.arena.bots.on_fault]
                who = self.setup.names.get(player, f"player {player}")
                complain(f"{who}: {kind} in {turns}, {summary}", kind="warning")
        ((_, match, _),) = self.matches
        result = match.result()
        self.show(result, self.write_blocks(match, result))
        return Exit.FINE if match.finished else Exit.DIFFERS

    def show(
        self,
        result: dict[str, Any],
        blocks: Sequence[Block],
        runs: Sequence[dict[str, int]] | None = None,
    ) -> None:
        """Print the outcome, and that of each match if the game counts several as one."""
        line = {"game": self.game.title, "result": result, "runs": runs}
        show(Output(blocks, [line]), self.format_)

    def write_end(self, match: Match) -> Text:
        """Write after which turn a match was over, or left."""
        turns = f"{match.turn} turn{'s' * (match.turn != 1)}"
        return Text(f"{'finished' if match.finished else 'stopped'} after {turns}")

    def write_blocks(self, match: Match, result: dict[str, Any]) -> list[Block]:
        """Write what people see of a match."""
        names = [kind.words.split()[-1] for kind in self.game.arena.maps]
        files = tuple(path for path, _ in self.setup.files)
        return [Table("", (*names, *result), ((*files, *map(render, result.values())),))]

    def head(self) -> str:
        """Write what a log of frames begins with."""
        return ""

    def foot(self) -> str:
        """Write what a log of frames ends with."""
        return ""
