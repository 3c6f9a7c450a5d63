"""Boards as they are played on: the rules say what a turn makes of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb_score.engine.rules import GameRules
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts
from kb_score.games.schema import TerminalRow
from kb_score.games.slime import rules as asp
from kb_score.games.slime.records import SYMBOLS, alter, list_answer, list_seen, list_squares

_PARTS = ("board", "step", "carry", "end", "score")
# So many turns share a grounding: it takes longer the more there are, but to begin costs time, too.
_STRETCH = 50


@dataclass(frozen=True, slots=True)
class State:
    """A game after some turns."""

    size: int  # rows and columns of the board
    turn: int  # the number of turns played
    board: str  # the rows, joined by commas
    mover: int  # whose turn it is next
    kind: str  # what the last turn was: spread, jump, merge or pass
    ended: bool  # whether the game is over
    squares: tuple[int, ...]  # the squares of players 1 to 4


def start_game(size: int, rules: GameRules) -> State:
    """Set up a board of some rows and columns, at least 2."""
    return _ask(size, 0, {}, ("start", *_PARTS), rules)


def resume_game(size: int, turn: int, board: str, rules: GameRules) -> State:
    """Go on from a board, its rows joined by commas, after some turns of a game."""
    holds: Facts = {"holds": [(*row, turn) for row in list_squares(board)]}
    return _ask(size, turn, holds, _PARTS, rules)


class BoardStepper:
    """A game of which turns are played one after another; its state is that after the last."""

    def __init__(self, state: State, rules: GameRules) -> None:
        """Go on with a game, or begin one; a RuleError if the user's rules cannot be used."""
        self.state, self._rules = state, rules
        # A user's rules may look at any square.
        self._live = (
            None if rules.changes.folders else Stepper(rules.program(asp.SIGHT), {}, renewal=None)
        )

    def play(self, line: str) -> State:
        """Play a turn by what the player has answered."""
        if self._live is not None:
            self.state = self._play_in_sight(self._live, line)
            return self.state
        state = self.state
        facts: Facts = {
            "holds": [(*row, state.turn) for row in list_squares(state.board)],
            "answer": [(*row, state.turn + 1) for row in list_answer(line, state.size)],
        }
        self.state = _ask(state.size, state.turn + 1, facts, ("order", *_PARTS), self._rules)
        return self.state

    def _play_in_sight(self, live: Stepper, line: str) -> State:
        """Play a turn that is worked out on the squares that its move looks at."""
        state, size = self.state, self.state.size
        if live.turn in (0, _STRETCH + 1):
            # clingo keeps each term that it has ever made. As the turns of each stretch count from
            # 1, the terms of one come again in the next.
            amounts = [(o, state.board.count(s), 0) for o, s in enumerate(SYMBOLS)]
            live.restart({"turns_before": [(state.turn,)], "amount": amounts})
            live.end_turn((), {}, ["order"])
        seen = {"before": list_seen(state.board, line, size), "answer": list_answer(line, size)}
        live.end_turn(["step", "count", "end"], seen, ["order"])
        changes = [(row.square, row.owner) for row in live.news(asp.BecomesRow)]
        counted = live.news(asp.AmountRow)
        after = {row.owner: row.number for row in counted if row.turn == live.turn - 1}
        return State(
            size=size,
            turn=state.turn + 1,
            board=alter(state.board, size, changes),
            mover=max(live.news(asp.MoverRow), key=lambda row: row.turn).player,
            kind=live.news(asp.DidRow)[-1].kind,
            ended=bool(live.news(TerminalRow)),
            squares=tuple(after[player] for player in asp.PLAYERS),
        )


def _ask(size: int, turn: int, known: Facts, parts: Sequence[str], rules: GameRules) -> State:
    # Part `order` of the next turn says whose it is.
    grounded = [*((part, turn) for part in parts), ("order", turn + 1)]
    answer = rules.ask(asp.PLAY, {"size": [(size, size)], **known}, parts=grounded)
    owners = {row.square: row.owner for row in answer.read(asp.HoldsRow) if row.turn == turn}
    lines = ("".join(SYMBOLS[owners[r, c]] for c in range(size)) for r in range(size))
    return State(
        size=size,
        turn=turn,
        board=",".join(lines),
        mover=next(row.player for row in answer.read(asp.MoverRow) if row.turn > turn),
        kind=next((row.kind for row in answer.read(asp.DidRow)), "pass"),
        ended=any(row.turn == turn for row in answer.read(TerminalRow)),
        squares=tuple(row.number for row in sorted(answer.read(asp.SquaresRow))),
    )
