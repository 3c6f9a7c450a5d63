"""The cards of Kingdom Builder: the rules that state them, ours and the user's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clingo import SymbolType
from clingo.ast import AST, ASTType

from kb_score.errors import RuleError
from kb_score.program import Program, Signature, find_constants, plain_head
from kb_score.rules import NO_CHANGES, Changes, read_parts
from kb_score.solve import solve_unique
from kb_score.user_rules import error_at

# The driver gives these of a board.
INPUTS: frozenset[Signature] = frozenset(
    {("size", 2), ("terrain", 3), ("settlement", 3), ("players", 1), ("chosen", 1)}
)
_WORD = re.compile(r"[a-z]\w*")
_GOLD: Signature = ("gold", 4)
_CARD: Signature = ("card", 3)
_SUMS: set[Signature] = {("score", 3), ("total", 2), ("total", 5)}


@dataclass(frozen=True, slots=True)
class Card:
    """A scoring card.

    Attributes:
        name: Its name in the rules and in every table.
        number: Its number; 0 for what pays in every game.
        text: What it pays, in a sentence.
    """

    name: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of Kingdom Builder with the cards that they hold.

    Attributes:
        program: All statements.
        cards: The cards, in order of their numbers.
    """

    program: Program
    cards: tuple[Card, ...]

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Find the cards of a game by name or number.

        Returns:
            Their names, in order of their numbers, each once. What pays in every game is left out.

        Raises:
            RuleError: There is no such card.
        """
        always = {card.name for card in self.cards if not card.number}
        wanted = set(map(self.find_card, words)) - always
        return tuple(card.name for card in self.cards if card.name in wanted)

    def find_card(self, word: str) -> str:
        """Find the name of the card of a name or a number.

        Raises:
            RuleError: There is no such card.
        """
        for card in self.cards:
            if word in (card.name, str(card.number)):
                return card.name
        names = ", ".join(f"{card.number} {card.name}" for card in self.cards)
        raise RuleError(f"there is no card {word!r}: the cards are {names}")


def load_rules(changes: Changes = NO_CHANGES) -> Rules:
    """Load the rules of Kingdom Builder.

    Args:
        changes: What a user adds and decides.

    Returns:
        The rules.

    Raises:
        RuleError: Something is wrong with a rule file, a folder, a constant or a card.
    """
    ours, users = read_parts("kingdom_builder", changes)
    if users.statements:
        _check_sums(ours, users)
        _check_cards(ours, users)
    program = (ours + users).with_constants(dict(changes.constants))
    # Which cards there are depends on no board, so neither do choices and constraints matter.
    stating = replace(program, statements=tuple(s for s in program.statements if not s.guides))
    answer = solve_unique(stating.asked_for([_CARD]), {}, [_CARD])
    cards = [Card(str(name), int(str(number)), str(text)) for name, number, text in answer[_CARD]]
    return Rules(program, tuple(sorted(cards, key=lambda card: (card.number, card.name))))


def _check_sums(ours: Program, users: Program) -> None:
    """Check that what the driver reads is derived by our rules, or by a copy in their place."""
    sums = {head for s in ours.statements for head in s.heads} & _SUMS
    for statement in users.statements:
        head = plain_head(statement)
        if head is None:
            continue
        signature = head.name, len(head.arguments)
        if signature in sums:
            hint = "a card states gold(Card,Player,Why,Points), and score.lp sums it"
            raise error_at(head.location, f"{head.name} is derived by our rules alone", hint)
        for name, arity in (_GOLD, _CARD):
            if head.name == name and len(head.arguments) != arity:
                hint = f"{name} has {arity} arguments, here it has {len(head.arguments)}"
                raise error_at(head.location, f"{name}/{len(head.arguments)} says nothing", hint)


def _check_cards(ours: Program, users: Program) -> None:
    stated = Counter(name for name, _ in _stated_cards(ours + users))
    numbers = {str(head.arguments[1]): name for name, head in _stated_cards(ours)}
    for name, head in _stated_cards(users):
        if not _WORD.fullmatch(name):
            hint = "a word of small letters, such as shepherds"
            raise error_at(head.arguments[0].location, f"{name} cannot name a card", hint)
        if stated[name] > 1:
            raise error_at(head.location, f"there are two cards with the name {name}")
        number, text = head.arguments[1:]
        _check_number(name, number, numbers)
        _check_text(name, text)
    _check_conditions(users)
    constants = {name for name, _, _ in find_constants(ours + users)}
    _check_gold(users, stated, constants)


def _check_conditions(users: Program) -> None:
    for statement in users.statements:
        head = plain_head(statement)
        if head is not None and head.name == "card" and statement.node.body:
            message = f"card {head.arguments[0]} has a condition"
            hint = "a card is stated as a fact; what it pays may depend on the board"
            raise error_at(head.location, message, hint)


def _check_number(name: str, number: AST, numbers: dict[str, str]) -> None:
    if number.ast_type != ASTType.SymbolicTerm or number.symbol.type != SymbolType.Number:
        raise error_at(number.location, f"the number of card {name} must be a whole number")
    if numbers.setdefault(str(number), name) != name:
        other = numbers[str(number)]
        raise error_at(number.location, f"the cards {other} and {name} have one number, {number}")


def _check_text(name: str, text: AST) -> None:
    if text.ast_type != ASTType.SymbolicTerm or text.symbol.type != SymbolType.String:
        raise error_at(text.location, f"card {name} has no text", 'write it in quotes: "..."')
    if not text.symbol.string.strip():
        raise error_at(text.location, f"the text of card {name} is empty", "say what it pays")


def _check_gold(users: Program, stated: Mapping[str, int], constants: set[str]) -> None:
    for head in _heads(users, _GOLD):
        name, points = str(head.arguments[0]), head.arguments[3]
        is_term = points.ast_type == ASTType.SymbolicTerm and str(points) not in constants
        if is_term and points.symbol.type != SymbolType.Number:
            raise error_at(points.location, f"the points of a payment are a number, not {points}")
        if head.arguments[0].ast_type != ASTType.Variable and name not in stated:
            hint = f'state it: card({name}, 11, "what it pays").'
            raise error_at(
                head.location, f"gold for {name}, but there is no card of that name", hint
            )


def _stated_cards(program: Program) -> Iterator[tuple[str, AST]]:
    for head in _heads(program, _CARD):
        yield str(head.arguments[0]), head


def _heads(program: Program, signature: Signature) -> Iterator[AST]:
    for statement in program.statements:
        head = plain_head(statement)
        if head is not None and (head.name, len(head.arguments)) == signature:
            yield head
