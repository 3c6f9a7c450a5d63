"""The placements that the rules of the turn allow: mandatory actions by a terrain card."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kb_score.engine.terms import Name
from kb_score.errors import InputError
from kb_score.games.kingdom_builder.play.game import read_hex
from kb_score.games.kingdom_builder.play.legal import moment_of_board
from kb_score.games.kingdom_builder.play.names import widen
from kb_score.games.kingdom_builder.rules import ADVISE_TURN, BuiltOnRow

if TYPE_CHECKING:
    from kb_score.engine.aside import Deadline
    from kb_score.engine.terms import Facts
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.evidence import Hex


def list_legal_placements(
    board: Board, rules: Rules, player: int, terrains: Sequence[str], most: int, deadline: Deadline
) -> list[tuple[Hex, ...]]:
    """List what the mandatory action of a turn may build, with as many settlements as it can.

    Args:
        board: The board; it says of what terrain its hexes are.
        rules: The rules.
        player: The player whose turn it is.
        terrains: The terrain of each card that is shown, in the order of the cards.
        most: An action has at most so many settlements.
        deadline: When to stop.

    Raises:
        InputError: Nothing is legal.
        TimeUp: The time is over.
    """
    if not any(kind == Name(terrain) for kind, *_ in board.facts["land"] for terrain in terrains):
        words = "/".join(terrains)
        message = f"no hex of it is {words}: --card needs a board with the letters of its terrain"
        raise InputError(board.name, message)
    moment = moment_of_board(board, player, terrains)
    for number in range(most, 0, -1):
        facts: Facts = {**moment.facts, **_make_turn(player, terrains, number)}
        found = set(_list(rules, facts, deadline))
        if found:
            return sorted(found)
    words = "/".join(terrains)
    raise InputError(board.name, f"player {player} can build nothing by the card {words}")


def _list(rules: Rules, facts: Facts, deadline: Deadline) -> Iterator[tuple[Hex, ...]]:
    for answer in rules.game.ask_each(widen(ADVISE_TURN, rules.game), facts):
        deadline.check()
        yield tuple(sorted(read_hex(row.place) for row in answer.read(BuiltOnRow)))


def _make_turn(player: int, terrains: Sequence[str], number: int) -> Facts:
    """Make the facts of a turn with so many settlements, of which nothing more is said."""
    moments = range(2, number + 2)
    return {
        "line": [(1, player)],
        "opens": [(1, 1)],
        "closes": [(1, number + 2)],
        "reveals": [(1, i, Name(terrain)) for i, terrain in enumerate(terrains, 1)],
        "part": [(1, 1, Name("mandatory"))],
        "step": [(moment, 1, moment - 1) for moment in moments],
        "undecided": [(moment,) for moment in moments],
        "unfinished": [(1,)],
    }
