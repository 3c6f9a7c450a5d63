"""The rules of Kingdom Builder: their uses, the rows that are read, and their cards.

A row is named after its predicate, which `asp/README.md` documents.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from clingo import SymbolType
from clingo.ast import AST, ASTType

from kb_score.engine.changes import find_replaced
from kb_score.engine.program import Program, Signature, error_at, plain_head
from kb_score.engine.rules import GameRules, Use, cache_by_rules
from kb_score.engine.terms import Facts, Value, predicate_of
from kb_score.errors import RuleError, guess, shorten, visible
from kb_score.resources import name_rule_file

NOTATION = Use(("notation", "symbols"), guided=False)
CARDS = Use(("deck", "cards/*"), guided=False)
PLAYERS = Use(("board", "deck"))
# A board and its gold; bounds finds gold that cannot be counted, which only a user's card can pay.
SCORE = Use(("board", "score", "bounds", "cards/*"))
GAMES = Use(("board", "score", "combinations", "cards/*"))
EXPLAIN = SCORE.plus("explain")
CHECK = SCORE.plus("claims", "check")
PICTURE = Use(("board", "notation", "picture", "common/looks"))
MARKED = SCORE.plus("notation", "explain", "picture", "common/looks")
# All that the playground shows of a board, in one answer.
PLAYGROUND = MARKED.plus("total", "valid", "deck")
# What a game may name.
BOX = Use(
    ("board", "notation", "turn", "misuse", "box", "cards/*", "deeds/*", "tiles/*", "queenies/*"),
    guided=False,
)
# The turns of a game. A user's rules may ask for the neighbours of any hex (everywhere), and lead
# to positions that ours cannot (impossible).
_TURN = (
    "board",
    "notation",
    "turn",
    "held",
    "twin_exact",
    "everywhere",
    "impossible",
    "tiles/*",
    "queenies/*",
)
_PAYS = ("score", "total", "worth", "cards/*", "deeds/*")
TURNS = Use((*_TURN, "judge", "messages", *_PAYS, "game", "places"))
LIVE = TURNS.plus("live")
# The gold after each turn: the position that counts is another one after each of them.
SO_FAR = Use((*_TURN, *_PAYS, "so_far"), varying=("counts_at", 1))
# What is legal at a moment of a game, and what is wrong with what was done before.
MOVES = Use((*_TURN, "judge", "legal"))
LEGAL = MOVES.plus("messages", "refused")
# The same without the message about what was done, which is seldom illegal.
CHOICES = MOVES.plus("refused", "flawed")
POSITIONS = MOVES.plus("positions")
# Where capitols and caves may be.
PLACES = Use(("board", "places"))
# Where more settlements could stand, and where the rules of the turn let them stand.
ADVISE = Use(("board", "asks", "advise"))
ADVISE_TURN = Use((*_TURN, "judge", "advise_turn"), options=("--models=0", "--project=show"))

# What only a user's rules need.
_FOR_USERS = ("everywhere", "impossible", "bounds")


def narrow(
    use: Use, game: GameRules, kept: Mapping[str, Iterable[str]], facts: Facts | None = None
) -> Use:
    """Leave out the files of cards, tiles and small sets that are not in play, and idle rules.

    Live play, `advise` and `restore` ask the same rules hundreds of times: a playout takes half the
    time that it takes with all files (9.3 s instead of 18.4), and a turn two thirds of the time
    that it takes with the rules that need what no fact gives. A user's files may look at any card
    or tile: where there are some, nothing is left out.

    Args:
        use: The use that is narrowed.
        game: The rules.
        kept: By folder, or by file, the names that stay, such as ``{"cards": ["miners"]}``. Of a
            folder that is not named everything stays.
        facts: All facts that are given; None if they are not known yet.
    """
    if game.has_user_files():
        return use
    files = list[str]()
    for file in use.files:
        folder = file.partition("/")[0]
        if folder in kept:
            files += [f"{folder}/{name}" for name in kept[folder]]
        elif file not in _FOR_USERS:
            files.append(file)
    use = replace(use, files=tuple(files))
    if facts is None:
        return use
    given = frozenset(name for name, rows in facts.items() if rows)
    return replace(use, given=given)


class GroundSymbolRow(NamedTuple):
    """A kind of ground, and the symbol of a bare hex of it."""

    kind: str
    symbol: str


class BuildableRow(NamedTuple):
    """A kind of terrain that settlements are built on: land."""

    kind: str


class BearsRow(NamedTuple):
    """A kind of terrain that is no land, but may hold a settlement."""

    kind: str


class PutsRow(NamedTuple):
    """A symbol that a search has put on a hex."""

    row: int
    column: int
    symbol: str


class PlayerRow(NamedTuple):
    """A player of the game."""

    player: int


class Card(NamedTuple):
    """A scoring card; its text says what it pays. A card with number 0 pays in every game."""

    name: str
    number: int
    text: str


class ClaimKindRow(NamedTuple):
    """A word of a user that claims begin with, and how many cards follow it."""

    word: str
    cards: int


class ScoreRow(NamedTuple):
    """What a card pays a player in all."""

    card: str
    player: int
    gold: int


class TotalRow(NamedTuple):
    """What the chosen cards pay a player in all."""

    player: int
    gold: int


class WinnerRow(NamedTuple):
    """A player with the most gold."""

    player: int


class WinsRow(NamedTuple):
    """A player who has won a finished game."""

    player: int


class GameTotalRow(NamedTuple):
    """The gold of a player in the game with three cards, by their numbers."""

    a: int
    b: int
    c: int
    player: int
    gold: int


class ViolationRow(NamedTuple):
    """A rule that a board breaks."""

    code: str
    detail: Value


class GoldRow(NamedTuple):
    """A payment of a card to a player, and the reason for it."""

    card: str
    player: Value
    why: Value
    points: int


class MarkRow(NamedTuple):
    """A hex that shows why a card pays a player."""

    card: str
    player: Value
    why: Value
    row: Value
    column: Value


class SpanRow(NamedTuple):
    """The part of a board that a reason is about."""

    why: Value
    top: int
    left: int
    bottom: int
    right: int


class WrongRow(NamedTuple):
    """A wrong claim: the number that a line claims for a player, and the right one."""

    line: int
    player: int
    claimed: int
    derived: int


class AccountsForRow(NamedTuple):
    """The one card whose miscounting explains a player's wrong claims."""

    card: str
    player: int
    claimed: int
    derived: int


class TileRow(NamedTuple):
    """A kind of tile: how its action works, the most targets that it has, and what it allows."""

    name: str
    manner: str
    most: int
    text: Value


class ThingRow(NamedTuple):
    """A heading of a game: its word, what it places, and on which kind of terrain."""

    word: str
    kind: str
    terrain: str


class DeedRow(NamedTuple):
    """A card that pays in the game, not for the board at its end."""

    name: str
    text: str


class OffersRow(NamedTuple):
    """A hex of a quadrant where a capitol or a cave may be."""

    kind: str
    quadrant: int
    place: Value


class ChosenRow(NamedTuple):
    """A card of the game."""

    card: str


class CopiesRow(NamedTuple):
    """How many nomad tiles of a kind the box holds."""

    tile: str
    number: int


class TerrainCardsRow(NamedTuple):
    """How many cards of the box show a terrain."""

    terrain: str
    number: int


class CardsDealtRow(NamedTuple):
    """How many cards a game has, without those that pay in every game."""

    number: int


class CarriedRow(NamedTuple):
    """A fact that the next turn begins with."""

    fact: Value


class SupplyLeftRow(NamedTuple):
    """How many settlements a player has left to build."""

    player: int
    number: int


class InHandRow(NamedTuple):
    """A tile that a player may use next turn, and the hex that it comes from."""

    player: int
    tile: str
    place: Value


class LiesRow(NamedTuple):
    """How many tiles of a kind lie on a hex."""

    tile: str
    place: Value
    number: int


class MovesNextRow(NamedTuple):
    """The player of the next turn."""

    player: int


class AwaitsCardRow(NamedTuple):
    """The last turn needs another card: no hex is free by those that it shows."""


class FirstFlawRow(NamedTuple):
    """The first thing that is wrong: its moment, and the stage of judging that finds it."""

    moment: int
    stage: str


class MoverNowRow(NamedTuple):
    """The player of the turn that is being played."""

    player: int


class NeedsCardRow(NamedTuple):
    """The turn that is being played needs another card."""


class EndsTurnRow(NamedTuple):
    """One more mandatory settlement ends the turn."""


class LegalRow(NamedTuple):
    """A legal action; its start and its place may be the constant none."""

    name: str
    start: Value
    place: Value


class GoesOnToRow(NamedTuple):
    """A further target that the last action may have."""

    name: str
    start: Value
    place: Value


class TrialRow(NamedTuple):
    """An action that is tried."""

    name: str
    start: Value
    place: Value


class VacantRow(NamedTuple):
    """A hex that may be built on."""

    row: int
    column: int


class AdjoinsRow(NamedTuple):
    """Two vacant hexes that are neighbours."""

    row: int
    column: int
    row1: int
    column1: int


class SpareRow(NamedTuple):
    """How many settlements the advised player has left; negative if the board has too many."""

    number: int


class LooksRow(NamedTuple):
    """What a card looks at if a settlement is built on a vacant hex."""

    card: str
    place: Value
    what: Value


class JoinsRow(NamedTuple):
    """A card for which neighbouring new settlements count as one."""

    card: str


class ApartRow(NamedTuple):
    """How a card pays for new settlements that show it nothing in common: sum or most."""

    card: str
    how: str


class MindsRow(NamedTuple):
    """A card that depends on the settlements of other players."""

    card: str


class BuiltOnRow(NamedTuple):
    """A hex where a mandatory action builds."""

    place: Value


GAME = "kingdom_builder"

# What names a card.
_CARD_NAME = re.compile(r"[a-z]\w*")
_GOLD = predicate_of(GoldRow)
_CARD = predicate_of(Card)
_DEED = predicate_of(DeedRow)
_TILE = predicate_of(TileRow)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of Kingdom Builder with the cards that they hold, in order of their numbers."""

    game: GameRules
    cards: tuple[Card, ...]
    kinds: tuple[ClaimKindRow, ...] = ()  # the kinds of claims that a user adds

    def find_players(self, facts: Facts) -> list[int]:
        """List the players of a board, in ascending order."""
        return sorted(row.player for row in self.game.ask(PLAYERS, facts).read(PlayerRow))

    def list_games(self) -> tuple[tuple[int, ...], ...]:
        """List the challenge's games, each by the numbers of its cards, ascending."""
        return _list_games(self.game)

    def list_cards(self, chosen: Collection[str] | None) -> tuple[str, ...]:
        """List the cards of a game, by number, with those that pay in every game.

        Args:
            chosen: The names of the cards that are chosen; None for all.
        """
        return tuple(
            card.name
            for card in self.cards
            if chosen is None or not card.number or card.name in chosen
        )

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Find the cards of a game, by number, without those that pay in every game.

        Args:
            words: The names or numbers of the cards.

        Raises:
            RuleError: There is no such card, or a card is named twice.
        """
        chosen = self.find_different_cards(words)
        return tuple(card.name for card in self.cards if card.number and card.name in chosen)

    def find_different_cards(self, words: Iterable[str]) -> tuple[str, ...]:
        """Find the names of cards in the order of the words; see `find_cards`."""
        found: list[str] = []
        for word in words:
            name = self.find_card(word)
            if name in found:
                raise RuleError(f"the card {name} is named twice")
            found.append(name)
        return tuple(found)

    def find_card(self, word: str) -> str:
        """Find the name of the card with this name or number; a RuleError if there is none."""
        for card in self.cards:
            if word.lower() in (card.name.lower(), str(card.number)):
                return card.name
        raise RuleError(f"there is no card {shorten(word)!r}: {list_cards(self.cards, word)}")


def list_cards(cards: Iterable[Card], word: str) -> str:
    """List the cards for a message, and guess which one a word means."""
    names = [card.name for card in cards]
    shown = ", ".join(f"{card.number} {card.name}" for card in cards)
    return f"the cards are {shown}{guess(word, names)}"


def load_rules(game: GameRules) -> Rules:
    """Load the cards of Kingdom Builder; a RuleError if something is wrong with a user's card."""
    cards, kinds = _read_deck(game)
    return Rules(game, cards, kinds)


@cache_by_rules
def _read_deck(game: GameRules) -> tuple[tuple[Card, ...], tuple[ClaimKindRow, ...]]:
    if game.has_user_files():
        ours, users = game.read_parts()
        _check_arguments(users)
        check_stated_once(game)
        _CardChecker(ours, users).check()
    answer = game.ask(CARDS, {})
    cards = sorted(answer.read(Card), key=lambda card: (card.number, card.name))
    return tuple(cards), tuple(sorted(answer.read(ClaimKindRow)))


@cache_by_rules
def _list_games(game: GameRules) -> tuple[tuple[int, ...], ...]:
    # Every board has the same games, an empty one too.
    rows = game.ask(GAMES, {"size": [(2, 2)], "players": [(1,)]}).read(GameTotalRow)
    return tuple(sorted(row[:3] for row in rows))


def check_stated_once(game: GameRules) -> None:
    """Check that no file that a user adds states a card, deed or tile that another file states.

    Raises:
        RuleError: Two files state the same name, with both places.
    """
    ours, users = game.read_parts()
    replacing = set(map(str, find_replaced(game.game, game.changes)))
    added = {_path_of(statement.node) for statement in users.statements} - replacing
    for signature in (_CARD, _DEED, _TILE):
        stated: dict[str, AST] = {}
        for head in find_heads(signature, ours + users):
            if head.atom.arguments[0].ast_type != ASTType.SymbolicTerm:
                continue  # this rule states several
            other = stated.setdefault(head.name, head.atom)
            path = _path_of(head.atom)
            if path in added and path != _path_of(other):
                begin = other.location.begin
                where = f"{visible(name_rule_file(begin.filename))}:{begin.line}"
                message = f"there are two {signature[0]}s with the name {head.name}"
                raise error_at(head.atom.location, message, f"the other one stands in {where}")


def _path_of(node: AST) -> str:
    return str(node.location.begin.filename)


def _check_arguments(users: Program) -> None:
    """Check that a user's cards and payments have the arguments that the driver reads."""
    expected = dict((_GOLD, _CARD))
    for head in filter(None, map(plain_head, users.statements)):
        given = len(head.arguments)
        if given != expected.get(head.name, given):
            hint = f"{head.name} has {expected[head.name]} arguments, not {given}"
            raise error_at(head.location, f"{head.name}/{given} has no meaning here", hint)


class _CardChecker:
    """Checks the cards of a user, and what pays for them."""

    def __init__(self, ours: Program, users: Program) -> None:
        self._users = users
        self._rules = ours + users
        # How often each card is stated, and the first card of each number.
        self._stated = Counter(head.name for head in find_heads(_CARD, self._rules))
        self._numbers = {str(h.atom.arguments[1]): h.name for h in find_heads(_CARD, ours)}

    def check(self) -> None:
        """Check all cards, then all payments; a RuleError says what is wrong with the first."""
        for head in find_heads(_CARD, self._users):
            self._check_card(head)
        deeds = {head.name for head in find_heads(_DEED, self._rules)}
        stated = deeds.union(self._stated)
        constants = self._rules.find_constants()
        for head in find_heads(_GOLD, self._users):
            self._check_gold(head, stated, constants)

    def _check_card(self, head: Head) -> None:
        name, number, text = head.atom.arguments
        if not _CARD_NAME.fullmatch(head.name):
            hint = "a word of small letters, such as shepherds"
            raise error_at(name.location, f"{name} cannot name a card", hint)
        if self._stated[head.name] > 1:
            raise error_at(head.atom.location, f"there are two cards with the name {name}")
        if _type_of(number) != SymbolType.Number:
            raise error_at(number.location, f"the number of card {name} must be a whole number")
        other = self._numbers.setdefault(str(number), head.name)
        if str(number) != "0" and other != head.name:
            message = f"the cards {other} and {name} have the same number, {number}"
            raise error_at(number.location, message, f"{self._find_free()} is free")
        if _type_of(text) != SymbolType.String:
            raise error_at(text.location, f"card {name} has no text", 'write it in quotes: "..."')
        if not text.symbol.string.strip():
            raise error_at(text.location, f"the text of card {name} is empty", "say what it pays")
        if head.body and str(number) != "0":  # what pays in every game may be a set's
            hint = "a card is stated as a fact; what it pays may depend on the board"
            raise error_at(head.atom.location, f"card {name} has a condition", hint)

    def _find_free(self) -> int:
        """Find the lowest number after those of the challenge that no card has."""
        return next(number for number in count(11) if str(number) not in self._numbers)

    def _check_gold(self, head: Head, stated: Collection[str], constants: Collection[str]) -> None:
        card, _, _, points = head.atom.arguments
        may_be_number = _type_of(points) in (None, SymbolType.Number) or str(points) in constants
        if not may_be_number:
            raise error_at(points.location, f"the points of a payment are a number, not {points}")
        if card.ast_type != ASTType.Variable and head.name not in stated:
            hint = f'state it: card({card}, {self._find_free()}, "what it pays").'
            message = f"gold for {card}, but there is no card of that name"
            raise error_at(head.atom.location, message, hint)


def _type_of(term: AST) -> SymbolType | None:
    """Return the type of a constant, a number or a text; None for any other term."""
    return term.symbol.type if term.ast_type == ASTType.SymbolicTerm else None


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a rule that derives one atom.

    Attributes:
        atom: The atom, as a function term.
        body: The literals of the rule's body.
    """

    atom: AST
    body: Sequence[AST]

    @property
    def name(self) -> str:
        """The first argument, which is the name of a card, a deed or a tile, or a variable."""
        return str(self.atom.arguments[0])


def find_heads(signature: Signature, program: Program) -> Iterator[Head]:
    """Yield the head of each rule that derives one atom of a predicate."""
    for statement in program.statements:
        # Looking into a syntax tree takes clingo long: this passes over most of them.
        if signature in statement.heads:
            atom = plain_head(statement)
            if atom is not None:
                yield Head(atom, statement.node.body)
