"""Games as they are played: the rules say what a turn makes of a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb_score.games.dialect import TerminalRow
from kb_score.games.slime.answers import list_answer
from kb_score.games.slime.bots import Seat
from kb_score.games.slime.records import list_squares
from kb_score.games.slime.rules import PLAY, DidRow, HoldsRow, MoverRow, SquaresRow
from kb_score.shell.watch import Board

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.games.slime.bots import BotSpec, Patience, Reply

_PARTS = ("step", "carry", "end", "score")


@dataclass(frozen=True, slots=True)
class State:
    """A game after some turns.

    Attributes:
        size: Rows and columns of the board.
        turn: The number of turns played.
        board: The rows, joined by commas.
        mover: Whose turn it is next.
        kind: What the last turn was: spread, jump, merge or pass.
        ended: Whether the game is over.
        squares: The squares of players 1 to 4.
    """

    size: int
    turn: int
    board: str
    mover: int
    kind: str
    ended: bool
    squares: tuple[int, ...]

    def describe(self) -> str:
        """Describe the state of the game in a few words."""
        turn = f"turn {self.turn + 1}, player {self.mover}"
        now = f"finished after {self.turn} turns" if self.ended else turn
        return f"{now}; squares of players 1 to 4: {' '.join(map(str, self.squares))}"

    def draw(self) -> Board:
        """Make the board as ``--watch`` draws it."""
        return Board(self.board.split(","))


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that was played.

    Attributes:
        state: The game at its end.
        counts: How many turns of each kind each player made, by kind and player.
        problems: How often each player was late, crashed or printed garbage, by player and kind.
        details: What went wrong first, in words, by player.
    """

    state: State
    counts: Counter[tuple[str, int]]
    problems: Counter[tuple[int, str]]
    details: dict[int, str]


# What hears of each turn: the line given, the reply, and the game after it.
Witness = Callable[[str, "Reply", State], None]


def start_game(size: int, rules: GameRules) -> State:
    """Set up a board of some rows and columns, at least 2.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return _ask(size, 0, {}, ("start", *_PARTS), rules)


def resume_game(size: int, turn: int, board: str, rules: GameRules) -> State:
    """Go on from a board, its rows joined by commas, after some turns of a game.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    holds: Facts = {"holds": [(*row, turn) for row in list_squares(board)]}
    return _ask(size, turn, holds, _PARTS, rules)


def play_turn(state: State, line: str, rules: GameRules) -> State:
    """Play one turn.

    Args:
        state: The game before it.
        line: What the player answered.
        rules: The rules.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    # clingo keeps each term that it has ever made. If each turn counts as turn 1, the terms of one
    # come again in the next; a user's rules see the turns as they are.
    before = 0 if rules.changes.folders else state.turn
    turn = state.turn - before
    facts: Facts = {
        "holds": [(*row, turn) for row in list_squares(state.board)],
        "answer": [(*row, turn + 1) for row in list_answer(line, state.size)],
        "turns_before": [(before,)],
    }
    after = _ask(state.size, turn + 1, facts, ("order", *_PARTS), rules)
    return replace(after, turn=before + after.turn)


def play_game(
    bots: Sequence[BotSpec],
    size: int,
    patience: Patience,
    rules: GameRules,
    witness: Witness = lambda *_: None,
    look: Callable[[], object] = lambda: None,
) -> PlayedGame:
    """Let four bots play.

    Args:
        bots: The bots of players 1 to 4.
        size: Rows and columns of the board.
        patience: How long a bot may take for a turn.
        rules: The rules.
        witness: Told of each turn; what it raises ends the game.
        look: Called now and then while a bot is waited for; what it raises ends bot and game.

    Raises:
        BotError: No process can be started.
        RuleError: The user's rules cannot be used.
    """
    state = start_game(size, rules)
    counts: Counter[tuple[str, int]] = Counter()
    problems: Counter[tuple[int, str]] = Counter()
    details: dict[int, str] = {}
    with ExitStack() as stack:
        seats = [stack.enter_context(Seat(bot, patience, look)) for bot in bots]
        while not state.ended:
            player = state.mover
            line = f"{player},{state.board}"
            reply = seats[player - 1].ask(line)
            state = play_turn(state, reply.answer, rules)
            counts[state.kind, player] += 1
            if reply.problem:
                problems[player, reply.problem] += 1
                details.setdefault(player, f"{reply.detail}{reply.words}")
            witness(line, reply, state)
    return PlayedGame(state, counts, problems, details)


def _ask(size: int, turn: int, known: Facts, parts: Sequence[str], rules: GameRules) -> State:
    # Part `order` of the next turn says whose it is.
    grounded = [*((part, turn) for part in parts), ("order", turn + 1)]
    answer = rules.ask(PLAY, {"size": [(size, size)], **known}, parts=grounded)
    owners = {row.square: row.owner or "." for row in answer.read(HoldsRow) if row.turn == turn}
    lines = ("".join(str(owners[r, c]) for c in range(size)) for r in range(size))
    return State(
        size=size,
        turn=turn,
        board=",".join(lines),
        mover=next(row.player for row in answer.read(MoverRow) if row.turn > turn),
        kind=next((row.kind for row in answer.read(DidRow)), "pass"),
        ended=any(row.turn == turn for row in answer.read(TerminalRow)),
        squares=tuple(row.number for row in sorted(answer.read(SquaresRow))),
    )
