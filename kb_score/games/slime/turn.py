"""A game turn by turn: the rules say what a board becomes."""

from __future__ import annotations

from dataclasses import dataclass

from kb_score.games.slime.ask import Rows, Rulings, ask, load_rules
from kb_score.games.slime.facts import answer_fact, write_squares
from kb_score.games.slime.finding import as_int, read_board

_AFTER, _NEXT, _DID = ("after", 2), ("next", 1), ("did", 1)
_ENDED, _SQUARES = ("ended", 0), ("squares", 2)


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


def start_game(size: int, rulings: Rulings) -> State:
    """Set up a board of some rows and columns, at least 2.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    return _ask(size, 0, {}, rulings)


def play_turn(state: State, line: str, rulings: Rulings) -> State:
    """Play one turn.

    Args:
        state: The game before it.
        line: What the player answered.
        rulings: What the user changes about the rules.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    turn = state.turn + 1
    facts = {
        "holds": Rows(3, write_squares(state.board, turn)),
        "answer": Rows(3, answer_fact(line, state.size, turn)),
    }
    return _ask(state.size, turn, facts, rulings)


def _ask(size: int, turn: int, facts: dict[str, Rows], rulings: Rulings) -> State:
    program = load_rules(("rules", "play"), (), rulings)
    facts |= {"size": Rows(1, [f"({size},)"]), "now": Rows(1, [f"({turn},)"])}
    wanted = (_AFTER, _NEXT, _DID, _ENDED, _SQUARES)
    # Not lifted: where turns are numbers gringo sees that none hangs on a later one.
    parts = [(part, turn) for part in ("step", "order", "carry")]
    answer = ask(program, facts, wanted, [*parts, ("order", turn + 1), ("room", turn + 1)])
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
