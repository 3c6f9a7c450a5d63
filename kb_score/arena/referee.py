"""The referee of a match: it passes texts to players, and their answers to the rules."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kb_score.errors import Fault, write_count
from kb_score.games.record import order_kinds
from kb_score.games.rules_match import RulesMatch
from kb_score.shell.output import Block, Exit, Output, Table, Text, complain, render, show

if TYPE_CHECKING:
    from kb_score.games.game import Game
    from kb_score.games.match import Match, MatchSetup
    from kb_score.shell.picture import TextBoard


class MatchLeft(Exception):
    """A player has ended the match; the text names the player."""


class Player(Protocol):
    """A player of a match; its context starts and ends the programs that run for it.

    Attributes:
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
        """Return the player's answer to a text, as one line.

        It is a Fault if the player does not answer, or if the answer cannot be used.
        """

    def retry(self, _fault: Fault) -> bool:
        """Return whether to ask again after a fault."""
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
        seconds: The seconds that each player took for each answer, by player.
        problem: Why the match stopped before its end; empty if it did not.
        left: Whether a player has ended the match.
        pieces: The pieces of the record, each with what wrote it: see `Match.check_record`.
    """

    faults: list[MatchFault] = field(default_factory=list)
    seconds: defaultdict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    problem: str = ""
    left: bool = False
    pieces: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Listener:
    """Functions that are called while a match is played.

    Attributes:
        record: Receives the text of the record, piece by piece.
        frames: Receives the board before each turn, as a frame of a log.
        show: Receives the state of the match as one line, and a function that returns the board.
        warn: Receives the turn, the player and the fault for each fault of a player.
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

    def record(source: str, text: str) -> None:
        played.pieces.append((source, text))
        listener.record(text)

    record("opening", match.opening())
    while not match.finished and (most is None or match.turn < most):
        listener.show(match.state(), match.picture)
        if listener.frames is not None:
            listener.frames(match.frame())
        player = players[match.mover - 1]
        try:
            if not _play(game, match, player, played, listener, record):
                break
        except MatchLeft as left:
            played.problem = f"the game was not finished: {left}"
            played.left = True
            break
    else:
        listener.show(match.state(), match.picture)
        if not match.finished:
            played.problem = f"the game is not over after turn {most}"
    record("end", match.closing())
    return played


def _play(
    game: Game,
    match: Match,
    player: Player,
    played: Played,
    listener: Listener,
    record: Callable[[str, str], object],
) -> bool:
    """Play one turn of a player; return whether the match goes on."""
    number = match.turn + 1
    mover = match.mover
    seconds = played.seconds[mover]
    text = match.tell()
    if match.keeps_told:
        record("tell", text)

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
            if game.on_fault == "end":
                if fault.answer:
                    record("line", f"{fault.answer}\n")
                _, most = game.players
                who = player.who
                if most > 1 and who == Player.who:
                    who = f"player {mover}"
                played.problem = f"turn {number}: {who} {fault}"
                return False
            default = match.default(fault)
            turn = match.answer(default)
        record("line", turn.record)
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


# The consequence of a fault, by `Game.on_fault`, in a warning and in the summary.
_CONSEQUENCES = {"pass": "counted as a pass", "play for": "played by the referee"}
_SUMMARIES = {"pass": "counted as passes", "play for": "played by the referee"}


class Reporter:
    """Reports the matches of a series while they are played, and their results at the end.

    A game may have a subclass for the tables that people see.

    Attributes:
        bots: The commands of players 1 and so on.
        names: The names of the players in tables, or their numbers.
        faults: The number of faults, by player and kind.
        match: The last match that is over.
    """

    def __init__(self, game: Game, setup: MatchSetup, bots: Sequence[str], format_: str) -> None:
        """Begin a series, after all bots have been checked."""
        self.game = game
        self.setup = setup
        self.bots = bots
        self.format_ = format_
        players = range(1, len(bots) + 1)
        self.names: list[str | int] = [setup.names.get(player, player) for player in players]
        self.faults = Counter[tuple[int, str]]()
        self.match: Match | None = None

    def warn(self, turn: int, player: int, fault: Fault) -> None:
        """Count a fault, and print a warning if it is the player's first fault of its kind.

        No warning is printed for a fault that ends the match.
        """
        key = (player, fault.kind)
        self.faults[key] += 1
        on_fault = self.game.on_fault
        is_first = self.faults[key] == 1
        if is_first and on_fault != "end":
            who = self._describe_player(player)
            consequence = _CONSEQUENCES[on_fault]
            message = f"turn {turn}: {who} {fault.detail}: {consequence}{fault.words}"
            complain(message, kind="warning")

    def _describe_player(self, player: int) -> object:
        return self.setup.names.get(player, f"player {player}")

    def end_match(self, _setup: MatchSetup, match: Match, played: Played) -> None:
        """Add a match that is over, and print why it stopped before its end, if it did."""
        self.match = match
        if played.problem:
            complain(played.problem)

    def end(self) -> Exit:
        """Print the results of the series, and return the exit status."""
        on_fault = self.game.on_fault
        if on_fault != "end":
            summary = _SUMMARIES[on_fault]
            for (player, kind), number in sorted(self.faults.items()):
                who = self._describe_player(player)
                turns = write_count(number, "turn")
                complain(f"{who}: {kind} in {turns}, {summary}", kind="warning")
        match = self.match
        assert match is not None
        result = match.result()
        blocks = self.write_blocks(match, result)
        self.show(result, blocks)
        if match.finished:
            return Exit.FINE
        return Exit.DIFFERS

    def show(
        self,
        result: dict[str, Any],
        blocks: Sequence[Block],
        runs: Sequence[dict[str, int]] | None = None,
    ) -> None:
        """Print a result, which has the keys of ``check``, and the blocks that people see.

        There are runs if the game counts several matches as one.
        """
        line = {"game": self.game.title, "result": result, "runs": runs}
        output = Output(blocks, [line])
        show(output, self.format_)

    def list_faults(self) -> dict[str, list[int]]:
        """Return a column for each kind of fault that happened: its number of turns, by player."""
        counts = Counter[tuple[int, str]]()
        for (player, kind), number in self.faults.items():
            counts[player, "illegal" if kind == "garbage" else kind] += number
        players = range(1, len(self.bots) + 1)
        columns = {}
        for kind in sorted({kind for _, kind in counts}):
            columns[kind] = [counts[player, kind] for player in players]
        return columns

    def write_end(self, match: Match) -> Text:
        """Return a line with the number of turns after which a match was over, or stopped."""
        ended = "finished" if match.finished else "stopped"
        turns = write_count(match.turn, "turn")
        return Text(f"{ended} after {turns}")

    def write_blocks(self, match: Match, result: dict[str, Any]) -> list[Block]:
        """Return the blocks of text that people see: a table with the maps and the result."""
        columns = [kind.words.split()[-1] for kind in self.game.match_maps]
        columns.extend(result)
        row: list[str | int] = [path for path, _ in self.setup.files]
        row.extend(map(render, result.values()))
        return [Table("", tuple(columns), (tuple(row),))]

    def head(self) -> str:
        """Return the first lines of a log of frames."""
        return ""

    def foot(self) -> str:
        """Return the last lines of a log of frames."""
        return ""


class CountReporter(Reporter):
    """Prints the board at the end, and the number of answers of each kind by each player."""

    def write_blocks(self, match: Match, result: Mapping[str, Any]) -> list[Block]:
        """Return the last line, the board and the table of a match."""
        assert isinstance(match, RulesMatch)
        found = [kind for kind, _ in match.counts]
        kinds = order_kinds(found, match.kinds)
        figures = []
        for key, value in result.items():
            if isinstance(value, list):
                figures.append(key)
        faults = self.list_faults()
        rows = []
        for player, bot in enumerate(self.bots, start=1):
            seat = player - 1
            row: list[str | int] = [self.names[seat], bot]
            for key in figures:
                value = result[key][seat]
                row.append(value)
            for kind in kinds:
                number = match.counts[kind, player]
                row.append(number)
            row.extend(turns[seat] for turns in faults.values())
            rows.append(tuple(row))
        columns = ("player", "bot", *figures, *kinds, *faults)
        board = "\n".join(match.picture().rows)
        picture = Text(board, "picture")
        table = Table("", columns, tuple(rows))
        return [self.write_end(match), picture, table]


def find_reporter(game: Game) -> type[Reporter]:
    """Return the class that reports the matches of a game."""
    own: type[Reporter] | None = game.files.find_function("reporter")
    if own is not None:
        return own
    return CountReporter if game.counts_as else Reporter
