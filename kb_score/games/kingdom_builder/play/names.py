"""The names that a game may use, and the rules that a game with some cards needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kb_score.games.kingdom_builder.hexes import LAND, SETTLED, TERRAIN
from kb_score.games.kingdom_builder.play.reader import Names
from kb_score.games.kingdom_builder.rules import BOX, TURNS, Card, ChosenRow, DeedRow, TileRow

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules, Use


def load_names(rules: GameRules) -> Names:
    """List the names that a game may use."""
    # A listener wants to hear of questions about games, not of the one about the box.
    return _list_names(replace(rules, listener=None), rules.changes.stamps)


@lru_cache(maxsize=16)
def _list_names(rules: GameRules, _stamps: object) -> Names:
    answer = rules.ask(BOX, {"players": [(2,)]})
    deeds = frozenset(row.name for row in answer.read(DeedRow))
    return Names(
        cards=deeds.union(row.name for row in answer.read(Card)),
        deeds=deeds,
        tiles=frozenset(row.name for row in answer.read(TileRow)),
        terrains=frozenset({**LAND, **TERRAIN}[symbol] for symbol in SETTLED if symbol != "."),
        always=frozenset(row.name for row in answer.read(Card) if not row.number).union(
            row.card for row in answer.read(ChosenRow)
        ),
    )


def widen(use: Use, rules: GameRules) -> Use:
    """Let a user's rules ask for the neighbours of any hex; ours ask for those of settlements."""
    return use.plus("uses/everywhere") if rules.changes.folders else use


def use_of(cards: Sequence[str], rules: GameRules, use: Use = TURNS, *, at_end: bool = True) -> Use:
    """Add the cards of a game to a use of the rules, and those that pay in every game.

    Those that pay for the board at its end are left out if they are not wanted.
    """
    if rules.changes.folders:
        # A user's rules may look at any card.
        return widen(use.plus("cards/* deeds/*"), rules)
    names = load_names(rules)
    chosen = sorted({*names.always, *cards})
    # The files of cards that pay in the game have longer names, which leave their own to users.
    words = [f"deeds/{card}*" for card in chosen if card in names.deeds]
    if at_end:
        words += [f"cards/{card}" for card in chosen if card not in names.deeds]
    return use.plus(" ".join(words))
