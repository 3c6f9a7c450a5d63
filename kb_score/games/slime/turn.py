"""A game turn by turn: the rules say what a board becomes."""

from __future__ import annotations

from dataclasses import dataclass

from kb_score.findings import as_int
from kb_score.games.slime.facts import list_answer, list_squares
from kb_score.games.slime.finding import read_board
from kb_score.program import Program
from kb_score.rules import NO_CHANGES, Changes, read_rules
from kb_score.solve import solve_unique
from kb_score.terms import Facts

_AFTER, _NEXT, _DID = ("after", 2), ("next", 1), ("did", 1)
_ENDED, _SQUARES = ("ended", 0), ("squares", 2)
_WANTED = (_AFTER, _NEXT, _DID, _ENDED, _SQUARES)


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


def load_rules(changes: Changes = NO_CHANGES) -> Program:
    """Load the rules of one turn.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return read_rules("slime", ["rules", "play"], changes)


def start_game(size: int, program: Program) -> State:
    """Set up a board of some rows and columns, at least 2.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return _ask(size, 0, {}, program)


def play_turn(state: State, line: str, program: Program) -> State:
    """Play one turn.

    Args:
        state: The game before it.
        line: What the player answered.
        program: The rules, see `load_rules`.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    facts = {"board": list_squares(state.board), "goes": list_answer(line, state.size)}
    return _ask(state.size, state.turn + 1, facts, program)


def _ask(size: int, turn: int, known: Facts, program: Program) -> State:
    facts: Facts = {"size": [(size,)], "now": [(turn,)], **known}
    # Not lifted: where turns are numbers gringo sees that none hangs on a later one.
    parts = [(part, turn) for part in ("step", "order", "carry")]
    parts += [("order", turn + 1), ("room", turn + 1)]
    answer = solve_unique(program, facts, _WANTED, parts=parts)
    squares = {as_int(player): as_int(number) for player, number in answer[_SQUARES]}
    return State(
        size=size,
        turn=turn,
        board=read_board(answer[_AFTER], size),
        mover=as_int(answer[_NEXT][0][0]),
        kind=str(answer[_DID][0][0]),
        ended=bool(answer[_ENDED]),
        squares=tuple(squares[player] for player in sorted(squares)),
    )
