"""Evidence: what on a board each card pays for, by rules that no card had to write."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kb_score.board import Board
from kb_score.cards import Card, Rules
from kb_score.errors import BoardError
from kb_score.findings import as_int
from kb_score.program import Signature
from kb_score.solve import solve_unique
from kb_score.terms import Row, Term, Value

_PLAYER: Signature = ("player", 1)
_SCORE: Signature = ("score", 3)
_GOLD: Signature = ("gold", 4)
_MARK: Signature = ("mark", 5)

Hex = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One payment.

    Attributes:
        why: What it is for, in words, such as ``row 3``.
        gold: What it pays.
        hexes: The hexes that show it, row and column from 0, ascending; perhaps none.
    """

    why: str
    gold: int
    hexes: tuple[Hex, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a card pays a player what it pays.

    Attributes:
        board: The board's name.
        card: The card.
        player: The player.
        gold: What the card pays in all.
        evidence: The payments that it is made of.
    """

    board: str
    card: Card
    player: int
    gold: int
    evidence: tuple[Evidence, ...]

    @property
    def hexes(self) -> frozenset[Hex]:
        """All hexes that show some of the evidence."""
        return frozenset(hex_ for piece in self.evidence for hex_ in piece.hexes)

    def to_json(self) -> dict[str, Any]:
        """Make the object that ``--format json`` prints on one line."""
        return {
            "board": self.board,
            "card": self.card.name,
            "player": self.player,
            "gold": self.gold,
            "evidence": [
                {"why": e.why, "gold": e.gold, "hexes": [list(h) for h in e.hexes]}
                for e in self.evidence
            ],
        }


def explain(
    board: Board,
    rules: Rules,
    *,
    cards: Iterable[str] | None = None,
    player: int | None = None,
    players: int | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a board.

    Args:
        board: The board.
        rules: The rules.
        cards: The names of the cards to explain, or None for all.
        player: The only player to explain, or None for all.
        players: The number of players, or None for everybody with a settlement.

    Returns:
        An explanation for each card and player, in order of the cards' numbers, then of players.

    Raises:
        BoardError: The player is not in the game, or somebody is who should not be.
        RuleError: The rules fail on the board.
    """
    wanted = (_PLAYER, _SCORE, _GOLD, _MARK)
    facts = board.facts_for(players)
    answer = solve_unique(rules.program.asked_for(wanted), facts, wanted)
    score = {(str(card), p): gold for card, p, gold in answer[_SCORE]}
    present = sorted(as_int(p) for (p,) in answer[_PLAYER])
    if player is not None and player not in present:
        raise BoardError(board.name, f"player {player} has no settlement on it")
    shown = None if cards is None else set(cards)
    return tuple(
        Explanation(
            board.name,
            card,
            p,
            as_int(score[card.name, p]),
            _gather(card.name, p, answer[_GOLD], answer[_MARK]),
        )
        for card in rules.cards
        if shown is None or card.name in shown
        for p in present
        if player in (None, p)
    )


def draw(board: Board, hexes: Iterable[Hex], *, width: int = 4) -> str:
    """Draw a board with some hexes in brackets.

    Args:
        board: The board.
        hexes: The hexes to mark, row and column from 0.
        width: How many characters wide a hex is, at least 3.

    Returns:
        The board as a file shows it, with the numbers of rows and columns, every second row half
        a hex to the right.
    """
    marked = set(hexes)
    digits = len(str(board.height - 1))
    heads = "".join(f"{column:^{width}}" for column in range(board.width))
    lines = [f"{'':{digits}}  {heads}".rstrip()]
    for row, symbols in enumerate(board.rows):
        cells = (
            f"[{symbol}]" if (row, column) in marked else f" {symbol} "
            for column, symbol in enumerate(symbols)
        )
        shift = " " * (width // 2 * (row % 2))
        drawn = "".join(f"{cell:{width}}" for cell in cells)
        lines.append(f"{row:>{digits}} {shift}{drawn}".rstrip())
    return "\n".join(lines) + "\n"


def _gather(
    card: str, player: int, gold: Iterable[Row], marks: Iterable[Row]
) -> tuple[Evidence, ...]:
    hexes: dict[Value, list[Hex]] = {}
    for marked_card, p, why, row, column in marks:
        # A card may name a hex that is none: there is nothing to mark then.
        is_hex = isinstance(row, int) and isinstance(column, int)
        if (marked_card, p) == (card, player) and is_hex:
            hexes.setdefault(why, []).append((as_int(row), as_int(column)))
    pieces = [(why, points) for name, p, why, points in gold if (name, p) == (card, player)]
    return tuple(
        Evidence(_say_why(why), as_int(points), tuple(sorted(hexes.get(why, ()))))
        for why, points in sorted(pieces, key=lambda piece: _sort_key(piece[0]))
    )


def _say_why(why: Value) -> str:
    """Say a reason in words: hex(3,4) is "hex 3,4", a group is named by its first hex."""
    match why:
        case Term("area", ((row, column),)):
            return f"group from hex {row},{column}"
        case Term(name, arguments):
            return f"{name} {','.join(map(str, arguments))}"
        case _:
            return str(why)


def _sort_key(why: Value) -> tuple[str, tuple[int, ...], str]:
    # Numbers in order of size, whatever term they stand in.
    if isinstance(why, Term):
        flat = tuple(_numbers(why.arguments))
        return why.name, flat, str(why)
    return "", (), str(why)


def _numbers(values: Iterable[Value]) -> Iterable[int]:
    for value in values:
        if isinstance(value, int):
            yield value
        elif isinstance(value, tuple):
            yield from _numbers(value)
