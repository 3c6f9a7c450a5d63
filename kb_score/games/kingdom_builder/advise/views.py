"""What the rules say of a board to the search: vacant hexes, and what each card looks at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb_score.engine.program import plain_head
from kb_score.engine.run import GameRules
from kb_score.engine.terms import Value, predicate_of
from kb_score.games.kingdom_builder.advise.tables import Sight
from kb_score.games.kingdom_builder.rules import (
    ADVISE,
    AdjoinsRow,
    ApartRow,
    Card,
    GoldRow,
    JoinsRow,
    LooksRow,
    MindsRow,
    SpareRow,
    VacantRow,
)

if TYPE_CHECKING:
    from kb_score.engine.program import Program
    from kb_score.engine.run import Answer
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.evidence import Hex


@dataclass(frozen=True, slots=True)
class View:
    """A board for the search.

    Attributes:
        hexes: The vacant hexes, in reading order; others refer to them by number.
        near: The vacant neighbours of each.
        spare: How many settlements the player has left to build.
        sights: What each card looks at.
    """

    hexes: tuple[Hex, ...]
    near: tuple[frozenset[int], ...]
    spare: int
    sights: tuple[Sight, ...]


def read_view(board: Board, rules: Rules, player: int, cards: Sequence[str]) -> View:
    """Ask the rules what there is to be known of a board before one of some cards is asked."""
    answer = rules.game.ask(ADVISE, {**board.facts, "advised": [(player,)]})
    hexes = tuple(sorted((row.row, row.column) for row in answer.read(VacantRow)))
    numbers = {hex_: number for number, hex_ in enumerate(hexes)}
    near: list[set[int]] = [set() for _ in hexes]
    for row in answer.read(AdjoinsRow):
        one, other = numbers[row.row, row.column], numbers[row.row1, row.column1]
        near[one].add(other)
        near[other].add(one)
    (spare,) = answer.read(SpareRow)
    sights = _read_sights(answer, hexes, cards, find_unknown(rules))
    return View(hexes, tuple(map(frozenset, near)), spare.number, tuple(sights))


def _read_sights(
    answer: Answer, hexes: Sequence[Hex], cards: Iterable[str], unknown: frozenset[str]
) -> Iterator[Sight]:
    shown = defaultdict[tuple[str, Value], set[Value]](set)
    for row in answer.read(LooksRow):
        shown[row.card, row.place].add(row.what)
    joins = {row.card for row in answer.read(JoinsRow)}
    apart = {row.card: row.how for row in answer.read(ApartRow)}
    minds = {row.card for row in answer.read(MindsRow)}
    for card in cards:
        if card in unknown:
            # Each hex is of a kind of its own, and what they gain is taken to add up.
            alone = tuple(frozenset[Value]({hex_}) for hex_ in hexes)
            yield Sight(card, alone, joins=False, apart="sum", minds=True, guessed=True)
            continue
        looks = tuple(frozenset(shown[card, hex_]) for hex_ in hexes)
        yield Sight(card, looks, card in joins, apart.get(card, ""), card in minds)


def find_unknown(rules: Rules) -> frozenset[str]:
    """Find the cards of which nobody says what they look at: those that a user has changed.

    A user's card is known if his rules say it with looks/3. What ours say of the others holds as
    long as he derives nothing that ours derive, but cards of his own.
    """
    _, users = rules.game.read_parts()
    ours, _ = GameRules(rules.game.game).read_parts()
    if not users.statements:
        return frozenset()
    told = _cards_in(users, predicate_of(LooksRow))
    cards = frozenset(card.name for card in rules.cards)
    may = {predicate_of(row) for row in (Card, GoldRow, LooksRow, JoinsRow, ApartRow, MindsRow)}
    if users.derived & ours.derived - may:
        return cards - told
    changed = _cards_in(users, predicate_of(GoldRow)) | _cards_in(users, predicate_of(Card))
    # Where a variable stands for the card, it may be any.
    return (changed if changed <= cards else cards) - told


def _cards_in(program: Program, signature: tuple[str, int]) -> frozenset[str]:
    """List the cards, or variables for them, that stand first in the heads of a predicate."""
    heads = filter(None, map(plain_head, program.statements))
    named = (head for head in heads if (head.name, len(head.arguments)) == signature)
    return frozenset(str(head.arguments[0]) for head in named)
