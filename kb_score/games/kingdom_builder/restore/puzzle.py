"""A board that is to be restored: what is known of it, and what may stand on its other hexes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING

from kb_score.engine.terms import Facts, Row
from kb_score.errors import InputError
from kb_score.games.kingdom_builder.board import Board
from kb_score.games.kingdom_builder.hexes import (
    HEX,
    HIDDEN,
    MAX_PLAYERS,
    MEANINGS,
    PLAYERS,
    SYMBOLS,
    WORDS,
    list_pairs,
    shorten,
)
from kb_score.games.kingdom_builder.records import claim_facts, read_claims
from kb_score.games.kingdom_builder.rules import PLAYERS as PRESENT
from kb_score.games.kingdom_builder.rules import PlayerRow

if TYPE_CHECKING:
    from collections.abc import Set

    from kb_score.games.kingdom_builder.cards import Rules
    from kb_score.games.kingdom_builder.records import Claim

Hex = tuple[int, int]

# More hidden hexes would take the rules hours, or all memory.
MOST_HIDDEN = 64
# What a file may hold whose board says nothing of its land: the challenge's symbols.
_CLASSIC = frozenset(".WMTC" + PLAYERS)


@dataclass(frozen=True)
class Puzzle:
    """A board, perhaps with hidden hexes, and claims that are right.

    Attributes:
        board: The board; a hidden hex is ``?``.
        claims: The claims.
        players: The players, in the order of the claims' figures.
        number: How many players there are, if that is given.
        symbols: What may stand on a hex that is not as the board has it; None for all that the
            board's notation knows.
    """

    board: Board
    claims: tuple[Claim, ...]
    players: tuple[int, ...]
    number: int | None
    symbols: tuple[str, ...] | None

    @property
    def hidden(self) -> tuple[Hex, ...]:
        """The hidden hexes, row by row."""
        return tuple(place for place in self.places if self.at(place) == HIDDEN)

    @property
    def places(self) -> list[Hex]:
        """All hexes of the board, row by row."""
        return [(r, c) for r in range(self.board.height) for c in range(self.board.width)]

    def at(self, place: Hex) -> str:
        """What the board has on a hex."""
        row, column = place
        return self.board.rows[row][column]

    def fill(self, symbols: Iterable[tuple[int, int, str]]) -> Board:
        """Make the board that has these symbols on some of its hexes."""
        changed: dict[int, list[str]] = {}
        for row, column, symbol in symbols:
            changed.setdefault(row, list(self.board.rows[row]))[column] = symbol
        texts = {row: _join(hexes) for row, hexes in changed.items()}
        whole = tuple(texts.get(row, hexes) for row, hexes in enumerate(self.board.rows))
        return Board(self.board.name, whole)

    def facts(self, opened: Sequence[Hex], changes: int, asked: Set[str]) -> Facts:
        """Make the facts of a search in which some hexes are open.

        Args:
            opened: The hexes, the hidden ones among them.
            changes: How many of those that are not hidden hold something else.
            asked: The predicates that the rules ask for: what nobody asks for is not tried.
        """
        masked = self.fill((row, column, HIDDEN) for row, column in opened)
        options = {place: self._options(place, asked) for place in opened}
        given = [(*place, self.at(place)) for place in opened if self.at(place) != HIDDEN]
        return {
            **masked.facts_for(self.number),
            **claim_facts(self.claims, self.players),
            **_tell_symbols({symbol for some in options.values() for symbol in some}),
            "restored": [()],
            "open": list(opened),
            "may_stand": [(*place, symbol) for place, some in options.items() for symbol in some],
            "given": given,
            "changes": [(changes,)],
        }

    def _options(self, place: Hex, asked: Set[str]) -> list[str]:
        """List what may stand on a hex: itself, and what the rules can tell from it."""
        here = self.at(place)
        listed = self.symbols or self._list_symbols()
        if here == HIDDEN and self.symbols:
            return list(listed)
        by_meaning = {} if here == HIDDEN else {_mean(here, asked): here}
        for symbol in listed:
            by_meaning.setdefault(_mean(symbol, asked), symbol)
        return list(by_meaning.values())

    def _list_symbols(self) -> list[str]:
        """List all that a hex may hold in the board's notation, for these players."""
        others = set(PLAYERS) - set(map(str, self.players))
        hexes = {hex_ for row in self.board.rows for hex_ in row} - {HIDDEN}
        symbols = [*SYMBOLS] if hexes <= _CLASSIC else [*SYMBOLS, *list_pairs()]
        known = [s for s in symbols if others.isdisjoint(s) and shorten(s) == s and s != ".#"]
        return [s for s in known if s in _CLASSIC] if hexes <= _CLASSIC else known


def make_puzzle(
    board: Board,
    claims_text: str,
    rules: Rules,
    *,
    name: str,
    players: int | None = None,
    symbols: Sequence[str] | None = None,
) -> Puzzle:
    """Put a board and claims together; an InputError says why they do not fit.

    Without a number of players they are those on the board. If the claims have more figures, the
    other players are hidden: they are taken to have the lowest numbers that are left.
    """
    present = rules.game.ask(PRESENT, board.facts_for(players)).read(PlayerRow)
    seen = sorted(row.player for row in present)
    claims = read_claims(claims_text, rules.cards, players, name=name)
    figures = len(claims[0].gold)
    if len(seen) > figures:
        message = f"a line has {figures} figures, but the board has {len(seen)} players"
        raise InputError(name, message)
    if figures > MAX_PLAYERS:
        raise InputError(name, f"a line has {figures} figures, for up to {MAX_PLAYERS} players")
    others = islice((p for p in count(1) if p not in seen), figures - len(seen))
    everybody = tuple(sorted([*seen, *others]))
    chosen = None if symbols is None else tuple(dict.fromkeys(map(shorten, symbols)))
    for symbol in chosen or ():
        _check_symbol(symbol, everybody)
    puzzle = Puzzle(board, claims, everybody, players, chosen)
    if len(puzzle.hidden) > MOST_HIDDEN:
        message = f"{len(puzzle.hidden)} hidden hexes are too many: {MOST_HIDDEN} is the limit"
        raise InputError(board.name, message)
    return puzzle


def _join(hexes: Sequence[str]) -> str | tuple[str, ...]:
    return "".join(hexes) if max(map(len, hexes)) == 1 else tuple(hexes)


def _check_symbol(symbol: str, players: Sequence[int]) -> None:
    if not HEX.fullmatch(symbol):
        raise InputError("--symbols", f"unexpected {symbol[:20]!r}: {WORDS}")
    if owner := set(symbol) & set(PLAYERS) - set(map(str, players)):
        numbers = ", ".join(map(str, players))
        raise InputError("--symbols", f"{symbol} is of player {min(owner)}: there are {numbers}")


def _mean(symbol: str, asked: Set[str]) -> frozenset[tuple[str, Row]]:
    """Say what a symbol means to rules that ask for some predicates."""
    return frozenset(MEANINGS[s] for s in symbol if s != "." and MEANINGS[s][0] in asked)


def _tell_symbols(symbols: Iterable[str]) -> Facts:
    facts: dict[str, list[Row]] = {}
    for symbol in sorted(symbols):
        for predicate, first in (MEANINGS[s] for s in symbol if s != "."):
            facts.setdefault(f"symbol_{predicate}", []).append((symbol, *first))
    return facts
