"""The uses of ``asp/kingdom_builder``, and the rows that are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from kb_score.engine.run import Use
from kb_score.errors import RuleError

if TYPE_CHECKING:
    from kb_score.engine.run import Answer, GameRules
    from kb_score.engine.terms import Value

CARDS = Use("uses/deck cards/*", guided=False)
PLAYERS = Use("board uses/deck")
EXPLAIN = Use("board score uses/explain cards/*")
CHECK = Use("board score uses/claims uses/check cards/*")
PICTURE = Use("board uses/picture")
MARKED = Use("board score uses/explain uses/picture cards/*")
# What a game may name, a whole game, and what is legal at a moment of one.
BOX = Use("board turn uses/box cards/* deeds/* tiles/*", guided=False)
TURNS = Use("board turn held judge score uses/total uses/worth uses/game tiles/*")
# The gold after each turn: the position that counts is another one after each of them.
SO_FAR = Use(
    "board turn held score uses/total uses/worth uses/so_far tiles/*",
    varying=("counts_at", 1),
)
LEGAL = Use("board turn held judge uses/legal tiles/*")
LIVE = TURNS.plus("uses/live")
# Where more settlements could stand, and where the rules of the turn let them stand.
ADVISE = Use("board uses/asks uses/advise")
ADVISE_TURN = Use(
    "board turn held judge uses/advise_turn tiles/*", options="--models=0 --project=show"
)
# All that the playground shows of a board, in one answer.
PLAYGROUND = Use("board score valid uses/deck uses/explain uses/picture uses/bounds cards/*")


def score_use(cards: Iterable[str] | None, *, total: bool, combinations: bool) -> Use:
    """Name the rules that score a board with all cards or some, and add what else is wanted."""
    extras = [*(["uses/total"] if total else []), *(["uses/combinations"] if combinations else [])]
    deck = ["cards/*"] if cards is None else [f"cards/{card}" for card in cards]
    return Use(" ".join(["board", "score", "valid", *extras, *deck]))


def restore_use(cards: Iterable[str] | None) -> Use:
    """Name the rules that restore a board from claims about all cards, or about some."""
    deck = ["cards/*"] if cards is None else [f"cards/{card}" for card in cards]
    return Use(" ".join(["board score uses/claims uses/restore", *deck]))


def bound(use: Use, game: GameRules) -> Use:
    """Add to a use what finds gold that cannot be counted, which only a user's cards can pay."""
    return replace(use, files=f"{use.files} uses/bounds") if game.changes.folders else use


def check_bounds(answer: Answer) -> Answer:
    """Check that all gold of an answer can be counted; a RuleError says whose cannot."""
    for row in answer.read(TooMuchRow):
        raise RuleError(f"the cards pay player {row.player} more gold than 32 bits can count")
    return answer


class StandsRow(NamedTuple):
    row: int
    column: int
    symbol: str


class PlayerRow(NamedTuple):
    player: int


class Card(NamedTuple):
    """A scoring card; its text says what it pays. A card with number 0 pays in every game."""

    name: str
    number: int
    text: str


class ScoreRow(NamedTuple):
    card: str
    player: int
    gold: int


class TooMuchRow(NamedTuple):
    player: int


class TotalRow(NamedTuple):
    player: int
    gold: int


class WinnerRow(NamedTuple):
    player: int


class GameTotalRow(NamedTuple):
    a: int
    b: int
    c: int
    player: int
    gold: int


class ViolationRow(NamedTuple):
    code: str
    detail: Value


class GoldRow(NamedTuple):
    card: str
    player: Value
    why: Value
    points: int


class MarkRow(NamedTuple):
    card: str
    player: Value
    why: Value
    row: Value
    column: Value


class WrongRow(NamedTuple):
    line: int
    player: int
    claimed: int
    derived: int


class AccountsForRow(NamedTuple):
    card: str
    player: int
    claimed: int
    derived: int


class TileRow(NamedTuple):
    name: str
    manner: str
    most: int
    text: Value


class DeedRow(NamedTuple):
    name: str
    text: str


class ChosenRow(NamedTuple):
    card: str


class CopiesRow(NamedTuple):
    tile: str
    number: int


class TerrainCardsRow(NamedTuple):
    terrain: str
    number: int


class CardsDealtRow(NamedTuple):
    number: int


class CarriedRow(NamedTuple):
    fact: Value


class SupplyLeftRow(NamedTuple):
    player: int
    number: int


class InHandRow(NamedTuple):
    player: int
    tile: str
    place: Value


class LiesRow(NamedTuple):
    tile: str
    place: Value
    number: int


class MovesNextRow(NamedTuple):
    player: int


class AwaitsCardRow(NamedTuple):
    pass


class MoverNowRow(NamedTuple):
    player: int


class NeedsCardRow(NamedTuple):
    pass


class LegalRow(NamedTuple):
    name: str
    start: Value
    place: Value


class GoesOnToRow(NamedTuple):
    name: str
    start: Value
    place: Value


class VacantRow(NamedTuple):
    row: int
    column: int


class AdjoinsRow(NamedTuple):
    row: int
    column: int
    row1: int
    column1: int


class SpareRow(NamedTuple):
    number: int


class LooksRow(NamedTuple):
    card: str
    place: Value
    what: Value


class JoinsRow(NamedTuple):
    card: str


class ApartRow(NamedTuple):
    card: str
    how: str


class MindsRow(NamedTuple):
    card: str


class BuiltOnRow(NamedTuple):
    place: Value
