"""Live play: the challenge's controller, its turns stepped by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

from lark import Token

from kb_score.bots import BotFailure
from kb_score.errors import FormatError
from kb_score.findings import as_int, read_violations
from kb_score.games.search_party.boards import SEARCHED, blank_board
from kb_score.games.search_party.check import raise_faults_of_map
from kb_score.games.search_party.maps import Map
from kb_score.games.search_party.records import GRAMMAR, read_moves
from kb_score.grammar import parse
from kb_score.live import LivePlay
from kb_score.program import Program
from kb_score.terms import Row
from kb_score.verdict import Violation

_AT, _ALIVE, _NEWLY = ("at", 3), ("alive", 2), ("newly", 2)
_LEFT, _TALLY = ("left", 2), ("tally", 3)
_FAULT, _FAULT_OF_MAP = ("fault", 4), ("fault_of_map", 1)
_WANTED = (_AT, _ALIVE, _NEWLY, _LEFT, _TALLY, _FAULT, _FAULT_OF_MAP)
_DASHES = "-" * 40
_ANSWER = "the bot's answer"


class Player(Protocol):
    """Whoever is told blocks and answers lines, such as a `kb_score.bots.Bot`."""

    def ask(self, text: str, timeout: float) -> str:
        """Tell a text and get a line within so many seconds."""


@dataclass(frozen=True, slots=True)
class State:
    """The game as it stands.

    Attributes:
        turn: Turns played.
        people: Everybody alive to x and y, in the order ``@ A.. a..``.
        costars: How many of them are costars.
        extras: How many of them are extras.
        board: The rows of the map with ``o`` for what is searched.
        left: How many open cells are not searched.
    """

    turn: int
    people: dict[str, tuple[int, int]]
    costars: int
    extras: int
    board: tuple[str, ...]
    left: int

    def result(self) -> dict[str, int | bool]:
        """Make the result, with the keys that ``check`` uses."""
        return {
            "turns": self.turn,
            "costars": self.costars,
            "extras": self.extras,
            "finished": self.left == 0,
        }


class Game:
    """One game, its turns stepped by the rules."""

    def __init__(self, map_: Map, program: Program) -> None:
        """Set everybody on the start.

        Raises:
            BoardError: The rules say that the map is none of the game.
            RuleError: Something is wrong with the rules.
        """
        self.map = map_
        self._play = LivePlay(
            program,
            map_.facts(),
            given=(("move", 3), ("repeated", 2)),
            wanted=_WANTED,
            carried=(_AT, _ALIVE, _LEFT),
            kept=(("searched", 1),),
            renewal=100,
        )
        self._play.play(["done"])
        raise_faults_of_map(map_, self._play.news(_FAULT_OF_MAP))
        self._board = blank_board(map_).split()
        self.state = self._read_state()

    def step(self, moves: list[Row], repeated: list[Row]) -> tuple[Violation, ...]:
        """Play a turn; an illegal one leaves the state as it is.

        Returns:
            What is illegal.
        """
        self._play.next_turn()
        self._play.play(["step"], {"move": moves, "repeated": repeated})
        self._play.play(["done"])
        faults = read_violations(self._play.news(_FAULT))
        if not faults:
            self.state = self._read_state()
        return faults

    def _read_state(self) -> State:
        news = self._play.news
        alive = {str(who) for who, _ in news(_ALIVE)}
        people = {
            str(who): self.map.place(as_int(cell))
            for who, cell, _ in news(_AT)
            if str(who) in alive
        }
        self._search(self.map.place(as_int(cell)) for cell, _ in news(_NEWLY))
        ((costars, extras, turn),) = news(_TALLY)
        ((left, _),) = news(_LEFT)
        return State(
            turn=as_int(turn),
            people=dict(sorted(people.items())),
            costars=as_int(costars),
            extras=as_int(extras),
            board=tuple(self._board),
            left=as_int(left),
        )

    def _search(self, places: Iterable[tuple[int, int]]) -> None:
        for y, group in groupby(sorted((y, x) for x, y in places), key=lambda place: place[0]):
            row = list(self._board[y])
            for _, x in group:
                row[x] = SEARCHED
            self._board[y] = "".join(row)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended.

    Attributes:
        state: The game after the last legal turn.
        violations: What was illegal in the turn after it.
        failure: What the bot did instead of answering; empty if it always answered.
    """

    state: State
    violations: tuple[Violation, ...] = ()
    failure: str = ""


def referee(
    game: Game,
    player: Player,
    timeout: float,
    record: Callable[[str], object],
    progress: Callable[[State], None],
) -> Outcome:
    """Let a bot play a game to its end, or until it does something illegal.

    Args:
        game: A game that has not begun.
        player: The bot.
        timeout: How many seconds it has for a turn.
        record: What writes a piece of the session.
        progress: What hears of each turn.
    """
    while game.state.left:
        progress(game.state)
        block = write_block(game.state)
        record(block)
        try:
            line = player.ask(block, timeout)
            moves, repeated = read_answer(line)
        except BotFailure as failure:
            return Outcome(game.state, failure=str(failure))
        except FormatError as error:
            return Outcome(game.state, failure=f"printed no line of moves: {error.message}")
        record(f"{line}\n")
        if violations := game.step(moves, repeated):
            return Outcome(game.state, violations)
    record(write_end(game.state))
    return Outcome(game.state)


def write_block(state: State) -> str:
    """Write what the controller says before a turn."""
    people = " ".join(f"{who}:{x},{y}" for who, (x, y) in state.people.items())
    return "\n".join((f"Turn {state.turn + 1}", f"{people}.", *state.board, _DASHES, ""))


def write_end(state: State) -> str:
    """Write what the controller says when all is searched."""
    return f"Finished in {state.turn} turns\n{state.turn} {state.costars} {state.extras}\n"


def read_answer(line: str) -> tuple[list[Row], list[Row]]:
    """Read what a bot answers.

    Returns:
        The moves, and whoever is named more than once.

    Raises:
        FormatError: It is no line of moves.
    """
    (moves,) = parse(GRAMMAR, f"{line}\n", name=_ANSWER, start="answer").children
    assert isinstance(moves, Token)
    return read_moves(moves)
