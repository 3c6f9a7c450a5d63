"""The set-up of a game: what the box holds, shuffled and dealt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from kb_score.errors import InputError, describe_list, visible
from kb_score.games.kingdom_builder.play.game import Game
from kb_score.games.kingdom_builder.quadrants import find_quadrants, join_quadrants
from kb_score.games.kingdom_builder.rules import (
    BOX,
    Card,
    CardsDealtRow,
    ChosenRow,
    CopiesRow,
    DeedRow,
    TerrainCardsRow,
)

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.games.kingdom_builder.play.reader import Names

_QUADRANTS = 4


@dataclass(frozen=True, slots=True)
class Box:
    """What the box holds.

    Attributes:
        terrains: The terrain of each terrain card.
        nomads: The nomad tiles.
        cards: The scoring cards that pay at the end and may be chosen.
        deeds: Those that pay in the game and may be chosen, which come with the nomads.
        dealt: With how many of them a game is played.
    """

    terrains: tuple[str, ...]
    nomads: tuple[str, ...]
    cards: tuple[str, ...]
    deeds: tuple[str, ...]
    dealt: int


def open_box(rules: GameRules) -> Box:
    """List what the box holds, as the rules have it.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    answer = rules.ask(BOX, {"players": [(2,)]})
    always = {row.card for row in answer.read(ChosenRow)}
    (dealt,) = answer.read(CardsDealtRow)
    terrains, tiles = answer.read(TerrainCardsRow), answer.read(CopiesRow)
    return Box(
        terrains=tuple(row.terrain for row in sorted(terrains) for _ in range(row.number)),
        nomads=tuple(row.tile for row in sorted(tiles) for _ in range(row.number)),
        cards=tuple(sorted(row.name for row in answer.read(Card) if row.number)),
        deeds=tuple(sorted({row.name for row in answer.read(DeedRow)} - always)),
        dealt=dealt.number,
    )


def choose_cards(words: str | None, box: Box, names: Names) -> list[str]:
    """Read which cards a game is played with, names with commas or blanks between them.

    Those that pay in every game may be among them.

    Raises:
        InputError: There is no such card.
    """
    known = [*box.cards, *box.deeds]
    chosen = [w for w in (words or "").replace(",", " ").split() if w not in names.always]
    for word in chosen:
        if word not in known:
            listed = describe_list(known)
            raise InputError("--cards", f"there is no card {visible(word)!r}: {listed}")
    return list(dict.fromkeys(chosen))


def deal_game(
    box: Box, words: Sequence[str], players: int, random: Random, cards: Sequence[str] = ()
) -> Game:
    """Set up a game on a board of four quadrants such as ``farm/180``; player 1 begins.

    Nomad tiles are drawn for all nomad spaces, and cards if none are given.

    Raises:
        InputError: There is no such quadrant, one is named twice, or there are not four.
    """
    quadrants = tuple(find_quadrants(words))
    if len(quadrants) != _QUADRANTS:
        sample = "such as oracle farm/180 tavern paddock"
        raise InputError("board", f"it has four quadrants, {sample}, not {len(quadrants)}")
    rows = join_quadrants(*quadrants)
    spaces = [(r, c) for r, row in enumerate(rows) for c, at in enumerate(row) if at == "O"]
    deck = [*box.cards, *(box.deeds if spaces else ())]
    chosen = cards or sorted(random.sample(deck, min(box.dealt, len(deck))))
    tiles = random.sample(box.nomads, len(box.nomads))
    return Game(
        name="live game",
        quadrants=quadrants,
        players=players,
        start=1,
        cards=tuple(chosen),
        nomads=tuple(zip(spaces, tiles, strict=False)),
        lines=(),
        claimed=None,
    )


class Deck:
    """The terrain cards: a pile to draw from, and what was discarded, which is the next pile."""

    def __init__(self, cards: Sequence[str], random: Random) -> None:
        """Shuffle the cards."""
        self._random, self._discarded = random, list(cards)
        self._pile: list[str] = []

    def __len__(self) -> int:
        """The number of cards that can be drawn."""
        return len(self._pile) + len(self._discarded)

    def draw(self) -> str:
        """Draw a card, of which there must be one."""
        if not self._pile:
            self._pile, self._discarded = self._discarded, []
            self._random.shuffle(self._pile)
        return self._pile.pop()

    def discard(self, card: str) -> None:
        """Take back a card that was shown."""
        self._discarded.append(card)
