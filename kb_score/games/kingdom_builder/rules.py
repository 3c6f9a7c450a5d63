"""The rules of Kingdom Builder: their uses, the rows of their answers, and their cards.

Each row type is named after its predicate, which `asp/README.md` documents. Predicates of fewer
than four arguments have one only if users may derive them and wrong values would do harm.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kb_score.engine.changes import find_replaced
from kb_score.engine.program import Program, Statement
from kb_score.engine.rules import GameRules, Use, cache_by_rules
from kb_score.engine.scan import Atom, Signature, is_symbol, is_variable
from kb_score.engine.terms import Facts, Value, predicate_of
from kb_score.errors import RuleError, guess, shorten, visible
from kb_score.games.files import GameUses
from kb_score.resources import rule_file_name

NOTATION = Use(("notation", "symbols"), models="free")
CARDS = Use(("deck", "cards/*"), models="free")
PLAYERS = Use(("board", "deck"))
# A board and its gold. The file bounds.lp finds payments that are too large, which only a user's
# cards can make.
SCORE = Use(("board", "score", "bounds", "cards/*"))
GAMES = Use(("board", "score", "combinations", "cards/*"))
EXPLAIN = SCORE.plus("explain")
# What the cards pay for one hex of a board, or of a game at its end.
HEX = SCORE.plus("explain", "hex")
CHECK = SCORE.plus("claims", "check")
PICTURE = Use(("board", "notation", "picture", "common/looks"))
MARKED = SCORE.plus("notation", "explain", "picture", "common/looks")
# Everything that the playground shows of a board, in one answer.
PLAYGROUND = MARKED.plus("total", "valid", "deck")
# The names that a game may use.
BOX = Use(
    (
        "board",
        "notation",
        "turn",
        "misuse",
        "cards",
        "box",
        "texts",
        "common/words",
        "cards/*",
        "deeds/*",
        "tiles/*",
        "queenies/*",
    ),
    models="free",
)
# The steps of a game, all in one grounding. A user's rules may use the neighbours of any hex
# (everywhere), and lead to positions that ours never reach (impossible).
STEPS = Use(
    (
        "board",
        "notation",
        "turn",
        "held",
        "judge",
        "common/numbered",
        "common/record",
        "everywhere",
        "impossible",
        "tiles/*",
        "queenies/*",
    ),
    lifted=("open", "ways", "step", "judge"),
    state="chained",
)
_PAYS = ("score", "bounds", "total", "worth", "cards/*", "deeds/*")
TURNS = STEPS.plus("messages", *_PAYS, "game", "places")
# What the table shows after some turns.
SEEN = TURNS.plus("seen")
# The gold after each turn, computed from the position after that turn.
SO_FAR = replace(STEPS.plus(*_PAYS, "so_far"), varying=("counts_at", 1))
# The legal actions at a step of a game, and what is wrong with the steps before it.
MOVES = replace(STEPS.plus("legal", "common/position"), lifted=(*STEPS.lifted, "legal"))
USES = GameUses(
    check={"": TURNS},
    play={
        "": Use(
            (
                "board",
                "notation",
                "turn",
                "held",
                "judge",
                "messages",
                "seen",
                "cards",
                "legal",
                "play",
                "everywhere",
                "common/numbered",
                "tiles/*",
                "queenies/*",
            )
        )
    },
    legal=MOVES.plus("messages"),
    judge=STEPS.plus("messages", "common/position"),
    positions=MOVES.plus("positions"),
    texts=BOX,
)
# The places of capitols and caves.
PLACES = Use(("board", "places"))
# The hexes for further settlements: all of a board, and those that the rules of the turn allow.
ADVISE = Use(("board", "asks", "advise"))
ADVISE_TURN = STEPS.plus("advise_turn")

# Files that only a user's rules need.
_FOR_USERS = ("everywhere", "impossible", "bounds")


def narrow(
    use: Use, game: GameRules, kept: Mapping[str, Iterable[str]], facts: Facts | None = None
) -> Use:
    """Return a use without the files and the rules that do not matter for a query.

    The files are those of cards, tiles and small sets that are not in play. The rules are those
    that need a predicate for which there are no facts. If the user has added files, which may use
    any card or tile, nothing is left out.

    Live play, `advise` and `restore` ask the same rules hundreds of times. Without the files a
    playout takes half the time (9.3 s instead of 18.4), and without the rules a turn takes two
    thirds of the time.

    Args:
        kept: The names of the files to keep, by folder or file, such as ``{"cards": ["miners"]}``.
            Folders that are not named keep all their files.
        facts: All facts of the query; None if they are not known yet.
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
    """A kind of ground, and the symbol of an empty hex of it.

    Users may add kinds. The kind must be a word, since it becomes a constant of facts.
    """

    kind: str
    symbol: str


class Card(NamedTuple):
    """A scoring card; its text describes what it pays. A card with number 0 pays in every game."""

    name: str
    number: int
    text: str


class ClaimKindRow(NamedTuple):
    """A word that a user's rules let claims begin with, and the number of cards after it.

    A value of a wrong type is found here, when the rules are loaded, not where claims are read.
    """

    word: str
    cards: int


class GameTotalRow(NamedTuple):
    """The gold of a player in the game with three cards, by their numbers."""

    a: int
    b: int
    c: int
    player: int
    gold: int


class ViolationRow(NamedTuple):
    """A rule that a board breaks. Users may add rules; the code must be a word in all outputs."""

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
    """The card that alone explains a player's wrong claims if it was miscounted."""

    card: str
    player: int
    claimed: int
    derived: int


class TileRow(NamedTuple):
    """A kind of tile: how its action works, how many targets it may have, and what it allows."""

    name: str
    manner: str
    most: int
    text: Value


class ThingRow(NamedTuple):
    """A heading of a game: its word, the kind of piece that it places, and the terrain for it.

    Users may add headings. The kind must be a word, since it becomes a constant of facts.
    """

    word: str
    kind: str
    terrain: str


class DeedRow(NamedTuple):
    """A card that pays during the game, not for the board at its end.

    Users may add such cards. The name must be a word: tables and records list it among the others.
    """

    name: str
    text: str


class AdjoinsRow(NamedTuple):
    """Two vacant hexes that are neighbours."""

    row: int
    column: int
    row1: int
    column1: int


GAME = "kingdom_builder"

# The form of a card's name.
_CARD_NAME = re.compile(r"[a-z]\w*")
_GOLD = predicate_of(GoldRow)
_CARD = predicate_of(Card)
_DEED = predicate_of(DeedRow)
_TILE = predicate_of(TileRow)
# The words of tables, claims and examples that may stand where the name of a card does.
_RESERVED = ("card", "cards", "gold", "total", "violations")
# The number after those of the challenge's cards.
_FIRST_FREE = 11


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of Kingdom Builder and their cards.

    Attributes:
        game: The rules, as those of any game.
        cards: The cards, sorted by their numbers.
        kinds: The kinds of claims that a user's rules add.
    """

    game: GameRules
    cards: tuple[Card, ...]
    kinds: tuple[ClaimKindRow, ...] = ()

    def find_players(self, facts: Facts) -> list[int]:
        """Return the players of a board, ascending, from the facts of the board."""
        answer = self.game.ask(PLAYERS, facts)
        return sorted(player for (player,) in answer["player"])

    def list_games(self) -> tuple[tuple[int, ...], ...]:
        """Return the challenge's games, each as the numbers of its cards, ascending."""
        return _list_games(self.game)

    def list_cards(self, chosen: Collection[str] | None) -> tuple[str, ...]:
        """Return the names of the cards of a game, by number, with those that pay in every game.

        Args:
            chosen: The names of the chosen cards; None for all cards.
        """
        names: list[str] = []
        for card in self.cards:
            if chosen is None or not card.number or card.name in chosen:
                names.append(card.name)
        return tuple(names)

    def find_cards(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return the names of cards, by number, without those that pay in every game.

        Args:
            words: The names or numbers of the cards.

        Raises:
            RuleError: There is no such card, or a card is named twice.
        """
        chosen = self.find_different_cards(words)
        names: list[str] = []
        for card in self.cards:
            if card.number and card.name in chosen:
                names.append(card.name)
        return tuple(names)

    def find_different_cards(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the names of cards, in the order of the words, as `find_cards` does by number.

        Raises:
            RuleError: There is no such card, or a card is named twice.
        """
        found: list[str] = []
        for word in words:
            name = self.find_card(word)
            if name in found:
                raise RuleError(f"the card {name} is named twice")
            found.append(name)
        return tuple(found)

    def find_card(self, word: str) -> str:
        """Return the name of a card.

        Args:
            word: The name, in lower or upper case, or the number of the card.

        Raises:
            RuleError: There is no such card.
        """
        for card in self.cards:
            if word.lower() in (card.name.lower(), str(card.number)):
                return card.name
        listed = list_cards(self.cards, word)
        raise RuleError(f"there is no card {shorten(word)!r}: {listed}")


def list_cards(cards: Iterable[Card], word: str) -> str:
    """Return the end of a message about a wrong card: all cards, and the likeliest one."""
    names: list[str] = []
    entries: list[str] = []
    for card in cards:
        names.append(card.name)
        entries.append(f"{card.number} {card.name}")
    shown = ", ".join(entries)
    return f"the cards are {shown}{guess(word, names)}"


def load_rules(game: GameRules) -> Rules:
    """Return the rules of Kingdom Builder with their cards; a wrong card is a RuleError."""
    cards, kinds = _read_deck(game)
    return Rules(game, cards, kinds)


@cache_by_rules
def _read_deck(game: GameRules) -> tuple[tuple[Card, ...], tuple[ClaimKindRow, ...]]:
    if game.has_user_files():
        ours, users = game.read_parts()
        _check_arguments(users)
        check_defined_once(game)
        _CardChecker(ours, users).check()
    answer = game.ask(CARDS, {})
    cards = sorted(answer.read(Card), key=lambda card: (card.number, card.name))
    return tuple(cards), tuple(sorted(answer.read(ClaimKindRow)))


@cache_by_rules
def _list_games(game: GameRules) -> tuple[tuple[int, ...], ...]:
    # All boards have the same games, so an empty one is enough.
    facts: Facts = {"size": [(2, 2)], "players": [(1,)]}
    answer = game.ask(GAMES, facts)
    rows = answer.read(GameTotalRow)
    return tuple(sorted(row[:3] for row in rows))


def check_defined_once(game: GameRules) -> None:
    """Raise a RuleError if a user's files define cards, deeds or tiles that other files define.

    The error names both places.
    """
    ours, users = game.read_parts()
    replaced = find_replaced(game.game, game.changes)
    replacing = set(map(str, replaced))
    added = set(map(_path_of, users.statements)) - replacing
    for signature in (_CARD, _DEED, _TILE):
        stated: dict[str, Statement] = {}
        for rule, head in find_heads(signature, ours + users):
            name = head.arguments[0]
            if not is_symbol(name):
                continue  # such a rule defines several names
            other = stated.setdefault(name, rule)
            if _path_of(rule) in added and _path_of(rule) != _path_of(other):
                begin = other.location.begin
                file = rule_file_name(other.path)
                hint = f"the other one is in {visible(file)}:{begin.line}"
                message = f"there are two {head.name}s with the name {name}"
                raise rule.error(message, hint, head.begin)


def _path_of(statement: Statement) -> str:
    return str(statement.path)


def _check_arguments(users: Program) -> None:
    """Check that a user's cards and payments have the arguments that the driver reads."""
    expected = dict((_GOLD, _CARD))
    for rule in users.statements:
        for head in rule.atoms:
            given = len(head.arguments)
            required = expected.get(head.name, given)
            if head.is_derived and given != required:
                hint = f"{head.name} has {required} arguments, not {given}"
                message = f"{head.name}/{given} has no meaning here"
                raise rule.error(message, hint, head.begin)


class _CardChecker:
    """Checks a user's cards and their payments."""

    def __init__(self, ours: Program, users: Program) -> None:
        self._users = users
        self._rules = ours + users
        # How often each card is defined.
        self._stated = Counter(head.arguments[0] for _, head in find_heads(_CARD, self._rules))
        # The name of the first card with each number.
        self._numbers: dict[str, str] = {}
        for _, head in find_heads(_CARD, ours):
            name, number, _ = head.arguments
            self._numbers[number] = name

    def check(self) -> None:
        """Check all cards, then all payments; a RuleError reports the first mistake."""
        for rule, head in find_heads(_CARD, self._users):
            self._check_card(rule, head)
        for rule, head in find_heads(_DEED, self._users):
            _refuse_reserved(rule, head)
        deeds = {head.arguments[0] for _, head in find_heads(_DEED, self._rules)}
        stated = deeds.union(self._stated)
        constants = self._rules.definitions
        for rule, head in find_heads(_GOLD, self._users):
            self._check_gold(rule, head, stated, constants)

    def _check_card(self, rule: Statement, head: Atom) -> None:
        name, number, text = head.arguments
        if not _CARD_NAME.fullmatch(name):
            hint = "use a word of lowercase letters, such as shepherds"
            raise rule.error(f"{name} cannot name a card", hint, head.begin_of(0))
        _refuse_reserved(rule, head)
        if self._stated[name] > 1:
            raise rule.error(f"there are two cards with the name {name}", offset=head.begin)
        at_number, at_text = head.begin_of(1), head.begin_of(2)
        if not number.isdecimal():
            message = f"the number of card {name} must be a whole number"
            raise rule.error(message, offset=at_number)
        other = self._numbers.setdefault(number, name)
        if number != "0" and other != name:
            message = f"the cards {other} and {name} have the same number, {number}"
            raise rule.error(message, f"{self._find_free()} is free", at_number)
        if not text.startswith('"'):
            raise rule.error(f"card {name} has no text", 'write it in quotes: "..."', at_text)
        if not text.strip('"').strip():
            raise rule.error(f"the text of card {name} is empty", "say what it pays", at_text)
        # A card that pays in every game may have a condition, because it may belong to a small set.
        if rule.text[head.end :] != "." and number != "0":
            hint = "a card must be a fact; what it pays may depend on the board"
            raise rule.error(f"card {name} has a condition", hint, head.begin)

    def _find_free(self) -> int:
        """Return the lowest number after those of the challenge that no card has."""
        number = _FIRST_FREE
        while str(number) in self._numbers:
            number += 1
        return number

    def _check_gold(
        self, rule: Statement, head: Atom, stated: Collection[str], constants: Collection[str]
    ) -> None:
        card, _, _, points = head.arguments
        if points not in constants and is_symbol(points) and not points.isdecimal():
            message = f"the points of a payment must be a number, not {points}"
            raise rule.error(message, offset=head.begin_of(3))
        if card not in stated and not is_variable(card) and card != "_":
            hint = f'declare it: card({card}, {self._find_free()}, "what it pays").'
            message = f"gold for {card}, but there is no card of that name"
            raise rule.error(message, hint, head.begin)


def _refuse_reserved(rule: Statement, head: Atom) -> None:
    """Raise a RuleError if a card has the name of another row of scores, claims or examples."""
    name = head.arguments[0]
    if name in _RESERVED:
        hint = "choose another name: tables and claims have rows with this one"
        raise rule.error(f"{name} cannot name a card", hint, head.begin_of(0))


def find_heads(signature: Signature, program: Program) -> Iterator[tuple[Statement, Atom]]:
    """Yield the rules that derive one atom of a predicate, with that atom."""
    for rule in program.statements:
        if rule.head is not None and rule.head.signature == signature:
            yield rule, rule.head
