"""Advice for a player: from a board and its rules to the placements that gain most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from typing import TYPE_CHECKING, Any

from kb_score.engine.aside import Deadline, TimeUp
from kb_score.engine.run import LimitError
from kb_score.errors import InputError
from kb_score.games.kingdom_builder.advise.pricing import Pricer
from kb_score.games.kingdom_builder.advise.search import Best, Search
from kb_score.games.kingdom_builder.advise.tables import Table, find_clusters
from kb_score.games.kingdom_builder.advise.turns import list_legal_placements
from kb_score.games.kingdom_builder.advise.views import read_view

if TYPE_CHECKING:
    from kb_score.games.kingdom_builder.advise.search import Gained
    from kb_score.games.kingdom_builder.advise.views import View
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.evidence import Hex
    from kb_score.games.kingdom_builder.rules import Card

# A mandatory action, and a placement on any board, has at most so many settlements.
MOST_SETTLEMENTS = 3
# So many placements are looked at one by one where the rules do not say what a card looks at.
_TRIED = 1000
# A larger board has more placements than anybody waits for.
_MOST_HEXES = 10_000
# A placement that has to be made may lose gold.
_ANY = -(10**5)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a player wants to know.

    Attributes:
        player: The player.
        cards: The cards of the game, without those that pay in every game; None for all cards.
        players: The number of players; None for everybody with a settlement.
        settlements: A placement has at most so many settlements.
        placements: So many placements are listed, the best first.
        terrains: The terrain of each card that is shown in the turn, or nothing for any hex.
    """

    player: int
    cards: tuple[str, ...] | None = None
    players: int | None = None
    settlements: int = MOST_SETTLEMENTS
    placements: int = 5
    terrains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement: its hexes, what it gains the player by card, and what others gain or lose."""

    hexes: tuple[Hex, ...]
    by_card: Mapping[str, int]
    others: Mapping[tuple[str, int], int] = field(default_factory=dict)

    @property
    def gain(self) -> int:
        """What it gains the player."""
        return sum(self.by_card.values())


@dataclass(frozen=True, slots=True)
class Advice:
    """The best placements that were found, and whether none is better."""

    board: str
    player: int
    proved: bool
    placements: tuple[Placement, ...]

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        listed = [
            {"hexes": [list(h) for h in p.hexes], "gain": p.gain, "by_card": dict(p.by_card)}
            for p in self.placements
        ]
        return {
            "board": self.board,
            "player": self.player,
            "proved": self.proved,
            "placements": listed,
        }


class Adviser:
    """Looks for the best placements; what it has found can be asked for at any time."""

    def __init__(self, board: Board, rules: Rules, wish: Wish, deadline: Deadline) -> None:
        """Look at a board; an InputError says why no advice can be given on it."""
        if board.height * board.width > _MOST_HEXES:
            size = f"{board.height} rows of {board.width} hexes"
            message = f"{size} are too many to look for placements: {_MOST_HEXES:,} is the limit"
            raise InputError(board.name, message)
        if wish.players is not None and wish.player > wish.players:
            message = f"there is no player {wish.player}, but --players is {wish.players}"
            raise InputError(board.name, message)
        self._board, self._rules, self._wish, self._deadline = board, rules, wish, deadline
        self._pricer = Pricer(board, wish.player, rules, wish.players, deadline)
        self._base: dict[tuple[str, int], int] = {}
        self._view: View | None = None
        self._search: Search | None = None
        self._found: tuple[Placement, ...] | None = None
        self.notes: list[str] = []

    def look(self) -> Advice:
        """Look for the best placements until the time is over."""
        proved = False
        try:
            proved = self._look()
        except (TimeUp, LimitError):
            # A single question may take all the time.
            if not self._deadline.is_over:
                raise
            self.notes.append("the time is over (--limit-seconds): there may be better placements")
        return self.tell(proved=proved)

    def tell(self, *, proved: bool = False) -> Advice:
        """Tell what is the best so far."""
        found = self._found
        if found is None:
            found = self._list_known()
        return Advice(self._board.name, self._wish.player, proved, found)

    def _look(self) -> bool:
        wish = self._wish
        cards = [card.name for card in self._rules.cards if self._counts(card)]
        (self._base,) = self._pricer.price(None, [()], alone=False)
        self._view = view = read_view(self._board, self._rules, wish.player, cards)
        self._tell_spare(view.spare)
        tables = [Table(sight, view.near) for sight in view.sights]
        guessed = self._is_guessed
        best = Best(
            max(_TRIED, wish.placements) if guessed else wish.placements,
            _ANY if guessed or wish.terrains else 1,
        )
        self._search = Search(tables, view.near, self._ask, self._deadline, best)
        number = self._look_through(self._search, view)
        self._found = self._list_true(best.list_all(), self._deadline)
        known = {self._name(numbers): gain for gain, numbers in best.list_all()}
        if not guessed and any(known[found.hexes] != found.gain for found in self._found):
            self.notes.append("a card looks at more than looks/3, joins/1, apart/2 and minds/1 say")
            return False
        if guessed and number > len(best.list_all()):
            self.notes.append(
                f"{number:,} placements are too many for cards of which the rules do not say what "
                f"they look at: only the {_TRIED:,} most promising ones were tried"
            )
            return False
        return True

    def _look_through(self, search: Search, view: View) -> int:
        """Look through all placements that are allowed, and count them."""
        wish = self._wish
        if not wish.terrains:
            search.look_through(wish.settlements)
            return sum(comb(len(view.hexes), size) for size in range(1, wish.settlements + 1))
        legal = list_legal_placements(
            self._board, self._rules, wish.player, wish.terrains, MOST_SETTLEMENTS, self._deadline
        )
        if (size := len(legal[0])) < MOST_SETTLEMENTS:
            self.notes.append(
                f"placements have {size} of {MOST_SETTLEMENTS} settlements: no more are left to "
                "build, or no more hexes are free by this card; then say the next one, too, as in "
                "--card grass/desert"
            )
        numbers = {hex_: number for number, hex_ in enumerate(view.hexes)}
        search.look_at([tuple(numbers[hex_] for hex_ in hexes) for hexes in legal])
        return len(legal)

    def _tell_spare(self, spare: int) -> None:
        needed = self._wish.settlements
        if spare < needed and not self._wish.terrains:
            left = "no settlement" if spare < 1 else f"only {spare} of these settlements"
            self.notes.append(
                f"player {self._wish.player} has {left} left to build (--const most_settlements)"
            )

    def _ask(self, table: Table, placements: Sequence[tuple[int, ...]]) -> Iterable[int]:
        assert self._view is not None
        hexes, me = self._view.hexes, (table.sight.card, self._wish.player)
        asked = [[hexes[number] for number in placement] for placement in placements]
        prices = self._pricer.price([me[0]], asked, alone=not table.sight.minds)
        return [gold.get(me, 0) - self._base.get(me, 0) for gold in prices]

    def _list_known(self) -> tuple[Placement, ...]:
        """List the best placements so far, without asking the cards again where that is enough."""
        if self._search is None:
            return ()
        best, tables = self._search.best.list_all()[: self._wish.placements], self._search.tables
        if self._is_guessed:
            return self._list_true(best, Deadline(None))
        listed = []
        for _, numbers in best:
            clusters = find_clusters(numbers, self._search.near)
            gains = {table.sight.card: table.gain(table.kinds_of(clusters)) for table in tables}
            by_card = {card: gain for card, gain in gains.items() if gain}
            listed.append(Placement(self._name(numbers), by_card))
        return tuple(listed)

    def _list_true(self, best: Sequence[Gained], deadline: Deadline) -> tuple[Placement, ...]:
        """List placements, with what all cards together pay everybody for them, the best first."""
        pricer, asked = (
            replace(self._pricer, deadline=deadline),
            [self._name(hexes) for _, hexes in best],
        )
        prices = pricer.price(None, asked, alone=False)
        found = map(self._compare, asked, prices)
        least = _ANY if self._wish.terrains else 1
        ranked = sorted(found, key=lambda p: (-p.gain, len(p.hexes), p.hexes))
        return tuple(p for p in ranked if p.gain >= least)[: self._wish.placements]

    @property
    def _is_guessed(self) -> bool:
        return self._view is not None and any(sight.guessed for sight in self._view.sights)

    def _name(self, numbers: Iterable[int]) -> tuple[Hex, ...]:
        assert self._view is not None
        return tuple(self._view.hexes[number] for number in numbers)

    def _compare(self, hexes: tuple[Hex, ...], gold: Mapping[tuple[str, int], int]) -> Placement:
        """Compare what everybody gets with what he has."""
        me, base = self._wish.player, self._base
        counted = [card.name for card in self._rules.cards if self._counts(card)]
        more = {key: n - base.get(key, 0) for key, n in gold.items() if key[0] in counted}
        mine = {card: more.get((card, me), 0) for card in counted}
        others = {key: n for key, n in more.items() if n and key[1] != me}
        return Placement(hexes, {card: n for card, n in mine.items() if n}, others)

    def _counts(self, card: Card) -> bool:
        """Whether a card is one of the game."""
        return self._wish.cards is None or not card.number or card.name in self._wish.cards
