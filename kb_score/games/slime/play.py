"""Games as they are played: the rules say what a turn makes of a board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.engine.incremental import Live
from kb_score.games.dialect import TerminalRow
from kb_score.games.slime.answers import list_answer
from kb_score.games.slime.bots import Seat
from kb_score.games.slime.records import SYMBOLS, alter, list_seen, list_squares
from kb_score.games.slime.rules import (
    PLAY,
    PLAYERS,
    SIGHT,
    AmountRow,
    BecomesRow,
    DidRow,
    HoldsRow,
    MoverRow,
    SquaresRow,
)
from kb_score.shell.watch import Board

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.engine.terms import Facts
    from kb_score.games.slime.bots import BotSpec, Patience, Reply

_PARTS = ("step", "carry", "end", "score")
# So many turns share a grounding: it takes longer the more there are, but to begin costs time, too.
_STRETCH = 50


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


class LiveBoard:
    """A game of which turns are played one after another.

    Attributes:
        state: The game as it stands.
    """

    def __init__(self, state: State, rules: GameRules) -> None:
        """Go on with a game, or begin one; a RuleError if the user's rules cannot be used."""
        self.state, self._rules = state, rules
        # A user's rules may look at any square.
        self._live = None if rules.changes.folders else Live(rules.program(SIGHT), {}, renewal=None)

    def play(self, line: str) -> State:
        """Play a turn by what the player has answered.

        Raises:
            RuleError: The user's rules cannot be used.
        """
        if self._live is None:
            self.state = _play_on_the_whole_board(self.state, line, self._rules)
        else:
            self.state = self._play_in_sight(self._live, line)
        return self.state

    def _play_in_sight(self, live: Live, line: str) -> State:
        """Play a turn that is worked out on the squares that its move looks at."""
        state, size = self.state, self.state.size
        if live.turn in (0, _STRETCH):
            # clingo keeps each term that it has ever made. As the turns of each stretch count from
            # 1, the terms of one come again in the next.
            amounts = [(o, state.board.count(s), 0) for o, s in enumerate(SYMBOLS)]
            live.restart({"turns_before": [(state.turn,)], "amount": amounts})
            live.play((), then=["order"])
        live.next_turn()
        seen = {"before": list_seen(state.board, line, size), "answer": list_answer(line, size)}
        live.play(["step", "count", "end"], seen, then=["order"])
        changes = [(row.square, row.owner) for row in live.news(BecomesRow)]
        after = {row.owner: row.number for row in live.news(AmountRow) if row.turn == live.turn}
        return State(
            size=size,
            turn=state.turn + 1,
            board=alter(state.board, size, changes),
            mover=max(live.news(MoverRow), key=lambda row: row.turn).player,
            kind=live.news(DidRow)[-1].kind,
            ended=bool(live.news(TerminalRow)),
            squares=tuple(after[player] for player in PLAYERS),
        )


def play_turn(state: State, line: str, rules: GameRules) -> State:
    """Play a single turn; a `LiveBoard` is faster for more.

    Args:
        state: The game before it.
        line: What the player answered.
        rules: The rules.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return LiveBoard(state, rules).play(line)


def _play_on_the_whole_board(state: State, line: str, rules: GameRules) -> State:
    facts: Facts = {
        "holds": [(*row, state.turn) for row in list_squares(state.board)],
        "answer": [(*row, state.turn + 1) for row in list_answer(line, state.size)],
    }
    return _ask(state.size, state.turn + 1, facts, ("order", *_PARTS), rules)


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
        patience: How long a bot may take for a turn, if it does not say so itself.
        rules: The rules.
        witness: Told of each turn; what it raises ends the game.
        look: Called now and then while a bot is waited for; what it raises ends bot and game.

    Raises:
        BotError: No process can be started.
        RuleError: The user's rules cannot be used.
    """
    live = LiveBoard(start_game(size, rules), rules)
    counts: Counter[tuple[str, int]] = Counter()
    problems: Counter[tuple[int, str]] = Counter()
    details: dict[int, str] = {}
    with ExitStack() as stack:
        seats = [stack.enter_context(Seat(bot, bot.patience or patience, look)) for bot in bots]
        while not live.state.ended:
            player = live.state.mover
            line = f"{player},{live.state.board}"
            reply = seats[player - 1].ask(line)
            state = live.play(reply.answer)
            counts[state.kind, player] += 1
            if reply.problem:
                problems[player, reply.problem] += 1
                details.setdefault(player, f"{reply.detail}{reply.words}")
            witness(line, reply, state)
    return PlayedGame(live.state, counts, problems, details)


def _ask(size: int, turn: int, known: Facts, parts: Sequence[str], rules: GameRules) -> State:
    # Part `order` of the next turn says whose it is.
    grounded = [*((part, turn) for part in parts), ("order", turn + 1)]
    answer = rules.ask(PLAY, {"size": [(size, size)], **known}, parts=grounded)
    owners = {row.square: row.owner for row in answer.read(HoldsRow) if row.turn == turn}
    lines = ("".join(SYMBOLS[owners[r, c]] for c in range(size)) for r in range(size))
    return State(
        size=size,
        turn=turn,
        board=",".join(lines),
        mover=next(row.player for row in answer.read(MoverRow) if row.turn > turn),
        kind=next((row.kind for row in answer.read(DidRow)), "pass"),
        ended=any(row.turn == turn for row in answer.read(TerminalRow)),
        squares=tuple(row.number for row in sorted(answer.read(SquaresRow))),
    )
