"""The cards of Kingdom Builder: the rules that state them, ours and the user's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from clingo import SymbolType
from clingo.ast import AST, ASTType

from kb_score.engine.program import Program, plain_head
from kb_score.engine.terms import predicate_of
from kb_score.engine.user_rules import error_at
from kb_score.errors import RuleError
from kb_score.games.kingdom_builder.rules import (
    CARDS,
    Card,
    DeedRow,
    GameTotalRow,
    GoldRow,
    ScoreRow,
    TotalRow,
    WinnerRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

GAME = "kingdom_builder"

_WORD = re.compile(r"[a-z]\w*")
_GOLD, _CARD, _DEED = predicate_of(GoldRow), predicate_of(Card), predicate_of(DeedRow)
_SUMS = {predicate_of(row) for row in (ScoreRow, TotalRow, WinnerRow, GameTotalRow)}


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of Kingdom Builder with the cards that they hold, in order of their numbers."""

    game: GameRules
    cards: tuple[Card, ...]

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Find the names of a game's cards, by number, without those that pay in every game."""
        always = {card.name for card in self.cards if not card.number}
        wanted = set(map(self.find_card, words)) - always
        return tuple(card.name for card in self.cards if card.name in wanted)

    def find_card(self, word: str) -> str:
        """Find the name of the card with this name or number."""
        for card in self.cards:
            if word in (card.name, str(card.number)):
                return card.name
        names = ", ".join(f"{card.number} {card.name}" for card in self.cards)
        raise RuleError(f"there is no card {word!r}: the cards are {names}")


def load_rules(game: GameRules) -> Rules:
    """Load the cards of Kingdom Builder; a RuleError says what is wrong with one."""
    # A listener wants to hear of questions about boards, not of the one about the cards.
    return Rules(game, _list_cards(replace(game, listener=None), game.changes.stamps))


@lru_cache(maxsize=16)
def _list_cards(game: GameRules, _stamps: object) -> tuple[Card, ...]:
    ours, users = game.read_parts()
    if users.statements:
        _check_sums(ours, users)
        _check_cards(ours, users)
    return tuple(sorted(game.ask(CARDS, {}).read(Card), key=lambda c: (c.number, c.name)))


def _check_sums(ours: Program, users: Program) -> None:
    """Check that only our rules, or a copy in their place, derive what the driver reads."""
    sums = ours.derived & _SUMS
    for head in filter(None, map(plain_head, users.statements)):
        given = len(head.arguments)
        if (head.name, given) in sums:
            hint = "a card states gold(Card,Player,Why,Points), and score.lp sums it"
            raise error_at(head.location, f"{head.name} is derived by our rules alone", hint)
        for name, arity in (_GOLD, _CARD):
            if head.name == name and given != arity:
                hint = f"{name} has {arity} arguments, not {given}"
                raise error_at(head.location, f"{name}/{given} has no meaning here", hint)


def _check_cards(ours: Program, users: Program) -> None:
    stated = Counter(str(head.arguments[0]) for head, _ in _find(_CARD, ours + users))
    numbers = {str(h.arguments[1]): str(h.arguments[0]) for h, _ in _find(_CARD, ours)}
    for head, body in _find(_CARD, users):
        name = head.arguments[0]
        if not _WORD.fullmatch(str(name)):
            hint = "a word of small letters, such as shepherds"
            raise error_at(name.location, f"{name} cannot name a card", hint)
        if stated[str(name)] > 1:
            raise error_at(head.location, f"there are two cards with the name {name}")
        _check_card(head, numbers)
        if body:
            hint = "a card is stated as a fact; what it pays may depend on the board"
            raise error_at(head.location, f"card {name} has a condition", hint)
    deeds = {str(head.arguments[0]) for head, _ in _find(_DEED, ours + users)}
    _check_gold(users, {*stated, *deeds}, set((ours + users).find_constants()))


def _check_card(head: AST, numbers: dict[str, str]) -> None:
    name, number, text = head.arguments
    if not _is_symbol(number) or number.symbol.type != SymbolType.Number:
        raise error_at(number.location, f"the number of card {name} must be a whole number")
    if (other := numbers.setdefault(str(number), str(name))) != str(name):
        message = f"the cards {other} and {name} have the same number, {number}"
        raise error_at(number.location, message)
    if not _is_symbol(text) or text.symbol.type != SymbolType.String:
        raise error_at(text.location, f"card {name} has no text", 'write it in quotes: "..."')
    if not text.symbol.string.strip():
        raise error_at(text.location, f"the text of card {name} is empty", "say what it pays")


def _check_gold(users: Program, stated: set[str], constants: set[str]) -> None:
    for head, _ in _find(_GOLD, users):
        card, points = head.arguments[0], head.arguments[3]
        is_fixed = _is_symbol(points) and str(points) not in constants
        if is_fixed and points.symbol.type != SymbolType.Number:
            raise error_at(points.location, f"the points of a payment are a number, not {points}")
        if card.ast_type != ASTType.Variable and str(card) not in stated:
            hint = f'state it: card({card}, 11, "what it pays").'
            message = f"gold for {card}, but there is no card of that name"
            raise error_at(head.location, message, hint)


def _is_symbol(term: AST) -> bool:
    return term.ast_type == ASTType.SymbolicTerm


def _find(signature: tuple[str, int], program: Program) -> Iterator[tuple[AST, Sequence[AST]]]:
    """Yield the head and the body of each rule that derives one atom of a predicate."""
    for statement in program.statements:
        head = plain_head(statement)
        if head is not None and (head.name, len(head.arguments)) == signature:
            yield head, statement.node.body
