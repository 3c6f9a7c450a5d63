"""The rules of Kingdom Builder: their uses, the rows that are read, and the cards they hold."""

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
from kb_score.engine.program import Program, error_at, plain_head
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
_TURN = ("board", "notation", "turn", "held", "everywhere", "impossible", "tiles/*", "queenies/*")
_PAYS = ("score", "total", "worth", "cards/*", "deeds/*")
TURNS = Use((*_TURN, "judge", *_PAYS, "game", "places"))
LIVE = TURNS.plus("live")
# The gold after each turn: the position that counts is another one after each of them.
SO_FAR = Use((*_TURN, *_PAYS, "so_far"), varying=("counts_at", 1))
# What is legal at a moment of a game, and what is wrong with what was done before.
MOVES = Use((*_TURN, "judge", "legal"))
LEGAL = MOVES.plus("refused")
POSITIONS = MOVES.plus("positions")
# Where capitols and caves may be.
PLACES = Use(("board", "places"))
# Where more settlements could stand, and where the rules of the turn let them stand.
ADVISE = Use(("board", "asks", "advise"))
ADVISE_TURN = Use((*_TURN, "judge", "advise_turn"), options=("--models=0", "--project=show"))

# What only a user's rules need.
_FOR_USERS = ("everywhere", "impossible", "bounds")


def narrow(use: Use, game: GameRules, kept: Mapping[str, Iterable[str]]) -> Use:
    """Leave out the files of cards, tiles and small sets that are not in play.

    Live play, `advise` and `restore` ask the same rules hundreds of times: a playout takes half the
    time that it takes with all files (9.3 s instead of 18.4). A user's files may look at any card
    or tile: where there are some, nothing is left out.

    Args:
        use: The use that is narrowed.
        game: The rules.
        kept: By folder, or by file, the names that stay, such as ``{"cards": ["miners"]}``. Of a
            folder that is not named everything stays.
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
    return replace(use, files=tuple(files))


GroundSymbolRow = NamedTuple("GroundSymbolRow", [("kind", str), ("symbol", str)])
BuildableRow = NamedTuple("BuildableRow", [("kind", str)])
BearsRow = NamedTuple("BearsRow", [("kind", str)])
StandsRow = NamedTuple("StandsRow", [("row", int), ("column", int), ("symbol", str)])
PlayerRow = NamedTuple("PlayerRow", [("player", int)])
# A scoring card; its text says what it pays. A card with number 0 pays in every game.
Card = NamedTuple("Card", [("name", str), ("number", int), ("text", str)])
ClaimKindRow = NamedTuple("ClaimKindRow", [("word", str), ("cards", int)])
ScoreRow = NamedTuple("ScoreRow", [("card", str), ("player", int), ("gold", int)])
TotalRow = NamedTuple("TotalRow", [("player", int), ("gold", int)])
WinnerRow = NamedTuple("WinnerRow", [("player", int)])
WinsRow = NamedTuple("WinsRow", [("player", int)])
GameTotalRow = NamedTuple(
    "GameTotalRow", [("a", int), ("b", int), ("c", int), ("player", int), ("gold", int)]
)
ViolationRow = NamedTuple("ViolationRow", [("code", str), ("detail", Value)])
GoldRow = NamedTuple("GoldRow", [("card", str), ("player", Value), ("why", Value), ("points", int)])
MarkRow = NamedTuple(
    "MarkRow", [("card", str), ("player", Value), ("why", Value), ("row", Value), ("column", Value)]
)
SpanRow = NamedTuple(
    "SpanRow", [("why", Value), ("top", int), ("left", int), ("bottom", int), ("right", int)]
)
WrongRow = NamedTuple(
    "WrongRow", [("line", int), ("player", int), ("claimed", int), ("derived", int)]
)
AccountsForRow = NamedTuple(
    "AccountsForRow", [("card", str), ("player", int), ("claimed", int), ("derived", int)]
)
TileRow = NamedTuple("TileRow", [("name", str), ("manner", str), ("most", int), ("text", Value)])
DeedRow = NamedTuple("DeedRow", [("name", str), ("text", str)])
OffersRow = NamedTuple("OffersRow", [("kind", str), ("quadrant", int), ("place", Value)])
ChosenRow = NamedTuple("ChosenRow", [("card", str)])
CopiesRow = NamedTuple("CopiesRow", [("tile", str), ("number", int)])
TerrainCardsRow = NamedTuple("TerrainCardsRow", [("terrain", str), ("number", int)])
CardsDealtRow = NamedTuple("CardsDealtRow", [("number", int)])
CarriedRow = NamedTuple("CarriedRow", [("fact", Value)])
SupplyLeftRow = NamedTuple("SupplyLeftRow", [("player", int), ("number", int)])
InHandRow = NamedTuple("InHandRow", [("player", int), ("tile", str), ("place", Value)])
LiesRow = NamedTuple("LiesRow", [("tile", str), ("place", Value), ("number", int)])
MovesNextRow = NamedTuple("MovesNextRow", [("player", int)])
AwaitsCardRow = NamedTuple("AwaitsCardRow", [])
MoverNowRow = NamedTuple("MoverNowRow", [("player", int)])
NeedsCardRow = NamedTuple("NeedsCardRow", [])
EndsTurnRow = NamedTuple("EndsTurnRow", [])
LegalRow = NamedTuple("LegalRow", [("name", str), ("start", Value), ("place", Value)])
GoesOnToRow = NamedTuple("GoesOnToRow", [("name", str), ("start", Value), ("place", Value)])
TrialRow = NamedTuple("TrialRow", [("name", str), ("start", Value), ("place", Value)])
VacantRow = NamedTuple("VacantRow", [("row", int), ("column", int)])
AdjoinsRow = NamedTuple(
    "AdjoinsRow", [("row", int), ("column", int), ("row1", int), ("column1", int)]
)
SpareRow = NamedTuple("SpareRow", [("number", int)])
LooksRow = NamedTuple("LooksRow", [("card", str), ("place", Value), ("what", Value)])
JoinsRow = NamedTuple("JoinsRow", [("card", str)])
ApartRow = NamedTuple("ApartRow", [("card", str), ("how", str)])
MindsRow = NamedTuple("MindsRow", [("card", str)])
BuiltOnRow = NamedTuple("BuiltOnRow", [("place", Value)])

GAME = "kingdom_builder"

_WORD = re.compile(r"[a-z]\w*")
_GOLD, _CARD, _DEED = predicate_of(GoldRow), predicate_of(Card), predicate_of(DeedRow)
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
        """List the cards of a game, by number, with those that pay in every game; None for all."""
        return tuple(
            card.name
            for card in self.cards
            if chosen is None or not card.number or card.name in chosen
        )

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Find the names of a game's cards, by number, without those that pay in every game."""
        always = {card.name for card in self.cards if not card.number}
        wanted = set(self.find_different_cards(words)) - always
        return tuple(card.name for card in self.cards if card.name in wanted)

    def find_different_cards(self, words: Iterable[str]) -> tuple[str, ...]:
        """Find the names of cards in the order of the words; a RuleError if one comes twice."""
        found = list[str]()
        for word in words:
            name = self.find_card(word)
            if name in found:
                raise RuleError(f"the card {name} is there twice")
            found.append(name)
        return tuple(found)

    def find_card(self, word: str) -> str:
        """Find the name of the card with this name or number."""
        for card in self.cards:
            if word.lower() in (card.name.lower(), str(card.number)):
                return card.name
        raise RuleError(f"there is no card {shorten(word)!r}: {list_cards(self.cards, word)}")


def list_cards(cards: Iterable[Card], word: str) -> str:
    """List the cards that there are, and which one a word may mean."""
    names = {card.name: f"{card.number} {card.name}" for card in cards}
    return f"the cards are {', '.join(names.values())}{guess(word, names)}"


def load_rules(game: GameRules) -> Rules:
    """Load the cards of Kingdom Builder; a RuleError says what is wrong with one."""
    return Rules(game, *_read_deck(game))


@cache_by_rules
def _read_deck(game: GameRules) -> tuple[tuple[Card, ...], tuple[ClaimKindRow, ...]]:
    if game.has_user_files():
        ours, users = game.read_parts()
        _check_arguments(users)
        check_stated_once(game)
        _check_cards(ours, users)
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
    added = {_path_of(s.node) for s in users.statements} - replacing
    for signature in (_CARD, _DEED, _TILE):
        stated: dict[str, AST] = {}
        for head, _ in find_heads(signature, ours + users):
            name = head.arguments[0]
            if name.ast_type != ASTType.SymbolicTerm:
                continue  # this rule states several
            other = stated.setdefault(str(name), head)
            if _path_of(other) != _path_of(head) and _path_of(head) in added:
                begin = other.location.begin
                where = f"{visible(name_rule_file(begin.filename))}:{begin.line}"
                message = f"there are two {signature[0]}s with the name {name}"
                raise error_at(head.location, message, f"the other one stands in {where}")


def _path_of(node: AST) -> str:
    return str(node.location.begin.filename)


def _check_arguments(users: Program) -> None:
    """Check that a user's cards and payments have the arguments that the driver reads."""
    for head in filter(None, map(plain_head, users.statements)):
        given = len(head.arguments)
        for name, arity in (_GOLD, _CARD):
            if head.name == name and given != arity:
                hint = f"{name} has {arity} arguments, not {given}"
                raise error_at(head.location, f"{name}/{given} has no meaning here", hint)


def _check_cards(ours: Program, users: Program) -> None:
    stated = Counter(str(head.arguments[0]) for head, _ in find_heads(_CARD, ours + users))
    numbers = {str(h.arguments[1]): str(h.arguments[0]) for h, _ in find_heads(_CARD, ours)}
    for head, body in find_heads(_CARD, users):
        name = head.arguments[0]
        if not _WORD.fullmatch(str(name)):
            hint = "a word of small letters, such as shepherds"
            raise error_at(name.location, f"{name} cannot name a card", hint)
        if stated[str(name)] > 1:
            raise error_at(head.location, f"there are two cards with the name {name}")
        _check_card(head, numbers)
        if body and str(head.arguments[1]) != "0":  # what pays in every game may be a set's
            hint = "a card is stated as a fact; what it pays may depend on the board"
            raise error_at(head.location, f"card {name} has a condition", hint)
    deeds = {str(head.arguments[0]) for head, _ in find_heads(_DEED, ours + users)}
    constants = set((ours + users).find_constants())
    _check_gold(users, {*stated, *deeds}, constants, _find_free(numbers))


def _check_card(head: AST, numbers: dict[str, str]) -> None:
    name, number, text = head.arguments
    if _type_of(number) != SymbolType.Number:
        raise error_at(number.location, f"the number of card {name} must be a whole number")
    other = numbers.setdefault(str(number), str(name))
    if str(number) != "0" and other != str(name):
        message = f"the cards {other} and {name} have the same number, {number}"
        raise error_at(number.location, message, f"{_find_free(numbers)} is free")
    if _type_of(text) != SymbolType.String:
        raise error_at(text.location, f"card {name} has no text", 'write it in quotes: "..."')
    if not text.symbol.string.strip():
        raise error_at(text.location, f"the text of card {name} is empty", "say what it pays")


def _find_free(numbers: Iterable[str]) -> int:
    """Find the lowest number after those of the challenge that no card has."""
    return next(n for n in count(11) if str(n) not in numbers)


def _check_gold(users: Program, stated: set[str], constants: set[str], free: int) -> None:
    for head, _ in find_heads(_GOLD, users):
        card, points = head.arguments[0], head.arguments[3]
        is_open = _type_of(points) in (None, SymbolType.Number) or str(points) in constants
        if not is_open:
            raise error_at(points.location, f"the points of a payment are a number, not {points}")
        if card.ast_type != ASTType.Variable and str(card) not in stated:
            hint = f'state it: card({card}, {free}, "what it pays").'
            message = f"gold for {card}, but there is no card of that name"
            raise error_at(head.location, message, hint)


def _type_of(term: AST) -> SymbolType | None:
    """Tell the type of a term that is written out; None for any other."""
    return term.symbol.type if term.ast_type == ASTType.SymbolicTerm else None


def find_heads(signature: tuple[str, int], program: Program) -> Iterator[tuple[AST, Sequence[AST]]]:
    """Yield the head and the body of each rule that derives one atom of a predicate."""
    for statement in program.statements:
        # Looking into a syntax tree takes clingo long: this passes over most of them.
        if signature in statement.heads and (head := plain_head(statement)) is not None:
            yield head, statement.node.body
