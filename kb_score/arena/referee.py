"""The referee of a match: it passes texts to players, and their answers to the rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kb_score.errors import Fault
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, render, show

if TYPE_CHECKING:
    from kb_score.games.game import Game, Match, MatchSetup
    from kb_score.shell.picture import TextBoard


class MatchLeft(Exception):
    """A player has ended the match; the text says which one."""


class Player(Protocol):
    """A player of a match; its context ends the programs that run for it.

    Attributes:
        who: The player's name in messages.
        ahead: The number of lines that it had printed before it was asked for a second answer.
    """

    who: str = "the bot"
    ahead: int = 0

    def __enter__(self) -> Player:
        """Start what runs for the player."""
        return self

    def __exit__(self, *_: object) -> None:
        """End what runs for the player."""
        return

    def ask(self, text: str) -> str:
        """Return the line that answers a text.

        Raises:
            Fault: There is none.
        """

    def retry(self, _fault: Fault) -> bool:
        """Return whether to ask again after an answer that the rules refuse."""
        return False


class MatchFault(NamedTuple):
    """A fault of a player, and the turn in which it happened."""

    turn: int
    player: int
    fault: Fault


@dataclass(slots=True)
class Played:
    """The course of a match.

    Attributes:
        faults: The faults in order.
        seconds: How long each player took for each answer.
        problem: Why the match stopped before its end; empty if it did not.
        left: Whether a player has ended it.
    """

    faults: list[MatchFault] = field(default_factory=list)
    seconds: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    problem: str = ""
    left: bool = False


@dataclass(frozen=True, slots=True)
class Listener:
    """Functions that receive the events of a match while it is played.

    Attributes:
        record: Takes the text of the record, piece by piece.
        frames: Takes the board before each turn.
        show: Takes the state of the match, a line, and a function that returns the board.
        warn: Takes the turn, the player and the fault of each answer with one.
    """

    record: Callable[[str], object]
    frames: Callable[[str], object] | None = None
    show: Callable[[str, Callable[[], TextBoard]], object] = lambda *_: None
    warn: Callable[[int, int, Fault], object] = lambda *_: None


def referee(
    game: Game, match: Match, players: Sequence[Player], most: int | None, listener: Listener
) -> Played:
    """Play a match to its end, or to the end of turn ``most``."""
    played = Played()
    listener.record(match.opening())
    while not match.finished and match.turn != most:
        listener.show(match.state(), match.picture)
        if listener.frames is not None:
            listener.frames(match.frame())
        player = players[match.mover - 1]
        try:
            if not _play(game, match, player, played, listener):
                break
        except MatchLeft as left:
            played.problem = f"the game is not over: {left}"
            played.left = True
            break
    else:
        listener.show(match.state(), match.picture)
        if not match.finished:
            played.problem = f"the game is not over after {most} turns"
    listener.record(match.closing())
    return played


def _play(game: Game, match: Match, player: Player, played: Played, listener: Listener) -> bool:
    """Play one turn of a player; return whether the match goes on."""
    number = match.turn + 1
    mover = match.mover
    seconds = played.seconds[mover]
    text = match.tell()
    if match.keeps_told:
        listener.record(text)

    def note(fault: Fault) -> None:
        played.faults.append(MatchFault(number, mover, fault))
        listener.warn(number, mover, fault)

    while True:
        try:
            line = _ask(player, text, seconds)
            turn = match.answer(line)
        except Fault as fault:
            if player.retry(fault):
                continue
            note(fault)
            if game.arena.bots.on_fault == "end":
                if fault.answer:
                    listener.record(f"{fault.answer}\n")
                _, most = game.arena.players
                who = player.who
                if most > 1 and who == Player.who:
                    who = f"player {mover}"
                played.problem = f"turn {number}: {who} {fault}"
                return False
            turn = match.answer(match.default(fault))
        listener.record(turn.record)
        if turn.fault is not None:
            note(turn.fault)
        return True


def _ask(player: Player, text: str, seconds: list[float]) -> str:
    """Return a player's answer, and add the time that it took to a list."""
    start = monotonic()
    try:
        return player.ask(text)
    finally:
        seconds.append(monotonic() - start)


# What the game does where an answer is missing.
_CONSEQUENCES = {"pass": "counted as a pass", "play for": "played by the referee"}
_SUMMARIES = {"pass": "counted as passes", "play for": "played by the referee"}


class Reporter:
    """Reports the matches of a series while they are played, and their results at the end.

    A game may have one of its own, for the tables that people see.

    Attributes:
        game: The game.
        setup: The setup that all matches of the series share.
        bots: The commands of players 1 and so on.
        format_: One of `kb_score.shell.output.FORMATS`.
        names: The names of the players in tables, or their numbers.
        faults: How often each player had which kind of fault.
        match: The last match that is over.
    """

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        """Begin a series; all bots have been found."""
        self.game = game
        self.setup = setup
        self.bots = bots
        self.format_ = format_
        players = range(1, len(bots) + 1)
        self.names = [setup.names.get(player, player) for player in players]
        self.faults = Counter[tuple[int, str]]()
        self.match: Match | None = None

    def warn(self, turn: int, player: int, fault: Fault) -> None:
        """Warn of a player's first fault of a kind, if it does not end the match."""
        self.faults[player, fault.kind] += 1
        on_fault = self.game.arena.bots.on_fault
        is_first = self.faults[player, fault.kind] == 1
        if is_first and on_fault != "end":
            who = self._describe_player(player)
            consequence = _CONSEQUENCES[on_fault]
            message = f"turn {turn}: {who} {fault.detail}: {consequence}{fault.words}"
            complain(message, kind="warning")

    def _describe_player(self, player: int) -> object:
        return self.setup.names.get(player, f"player {player}")

    def end_match(self, _setup: MatchSetup, match: Match, played: Played) -> None:
        """Add a match that is over."""
        self.match = match
        if played.problem:
            complain(played.problem)

    def end(self) -> Exit:
        """Print the results of the series."""
        on_fault = self.game.arena.bots.on_fault
        if on_fault != "end":
            for (player, kind), number in sorted(self.faults.items()):
                who = self._describe_player(player)
                noun = "turn" if number == 1 else "turns"
                message = f"{who}: {kind} in {number} {noun}, {_SUMMARIES[on_fault]}"
                complain(message, kind="warning")
        assert self.match is not None
        result = self.match.result()
        blocks = self.write_blocks(self.match, result)
        self.show(result, blocks)
        return Exit.FINE if self.match.finished else Exit.DIFFERS

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
        """Return a line with the number of turns after which a match was over, or stopped."""
        ended = "finished" if match.finished else "stopped"
        noun = "turn" if match.turn == 1 else "turns"
        return Text(f"{ended} after {match.turn} {noun}")

    def write_blocks(self, match: Match, result: dict[str, Any]) -> list[Block]:
        """Return a table with the maps and the result of a match."""
        names = [kind.words.split()[-1] for kind in self.game.arena.maps]
        files = [path for path, _ in self.setup.files]
        values = map(render, result.values())
        return [Table("", (*names, *result), ((*files, *values),))]

    def head(self) -> str:
        """Return the first lines of a log of frames."""
        return ""

    def foot(self) -> str:
        """Return the last lines of a log of frames."""
        return ""
