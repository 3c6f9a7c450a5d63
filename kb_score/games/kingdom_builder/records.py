"""Kingdom Builder files to facts: boards, and claimed scores of a board."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lark import Token

from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Facts, Name
from kb_score.errors import FileKind, FormatError, InputError, Place
from kb_score.games.kingdom_builder.board import BOARD_FILE, is_game, is_like_rows, parse_board
from kb_score.games.kingdom_builder.play.records import load_names, read_game
from kb_score.games.kingdom_builder.rules import Card
from kb_score.grammar import MAX_NUMBER, parse
from kb_score.shell.files import normalise

_WORD = re.compile(r"[^\s,:]+")
_SEPARATOR = re.compile(r"[ \t]*,?[ \t]*")
_NUMBER = re.compile(r"[0-9]{1,12}")

FACTS_OF = BOARD_FILE
CLAIMS_FILE = FileKind("a file of claims", 4 << 20)


def recognises(text: str) -> bool:
    """Whether a text looks like a board, or like a game."""
    if is_game(text):
        return True
    lines = (line.strip() for line in text.splitlines())
    rows = [line for line in lines if line and not line.startswith("%")]
    return bool(rows) and is_like_rows(rows)


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a board or of a game."""
    if is_game(text):
        return read_game(text, load_names(GameRules("kingdom_builder")), name=name).facts
    return parse_board(text, name=name).facts


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of claims: the claimed gold of each player for some cards, by their numbers."""

    place: Place
    numbers: tuple[int, ...]
    gold: tuple[int, ...]
    is_total: bool  # cards that pay in every game count too


def read_claims(
    text: str, cards: Sequence[Card], players: int | None, *, name: str
) -> tuple[Claim, ...]:
    """Read claimed scores, line by line; None for as many players as the first line has figures.

    A line is like ``1 3 7  52 46 43 62`` (three cards, a total for each player) or
    ``miners: 4, 12, 11, 4`` (a card by name or number, its gold for each player).
    """
    tree = parse("kingdom_builder_claims", normalise(text), name=name)
    tokens = (child for child in tree.children if isinstance(child, Token))
    claims: list[Claim] = []
    for token in tokens:
        claim = _read(token, cards, name)
        # No table is about nobody.
        players = max(1, len(claim.gold)) if players is None else players
        _check_figures(claim, players)
        claims.append(claim)
    if not claims:
        raise InputError(name, 'there is no claim in it, such as "1 3 7  52 46 43 62"')
    return tuple(claims)


def claim_facts(claims: Sequence[Claim], players: Sequence[int]) -> Facts:
    """Make the facts of claims for check.lp."""
    return {
        "claim": [(c.place.line, Name("total" if c.is_total else "card")) for c in claims],
        "claimed_card": [(c.place.line, number) for c in claims for number in c.numbers],
        "claimed_gold": [
            (c.place.line, player, gold)
            for c in claims
            for player, gold in zip(players, c.gold, strict=True)
        ],
    }


def _read(token: Token, cards: Sequence[Card], name: str) -> Claim:
    line = token.rstrip("\n")
    # "4: 4 12 11 4" begins with a digit too.
    is_total = token.type == "TOTALS" and ":" not in line

    def error(column: int, message: str) -> FormatError:
        return FormatError(Place(name, token.line or 1, column + 1, line), message)

    heads, values = _split(line, is_total, error)
    known = {card.name: card.number for card in cards}
    known |= {str(card.number): card.number for card in cards}
    for word in heads:
        if word[0] not in known:
            names = ", ".join(f"{card.number} {card.name}" for card in cards)
            raise error(word.start(), f"there is no card {word[0][:20]!r}: the cards are {names}")
    numbers = tuple(known[word[0]] for word in heads)
    if len(set(numbers)) < len(numbers):
        raise error(heads[0].start(), "three different cards are expected")
    gold = tuple(int(word[0]) for word in values)
    return Claim(Place(name, token.line or 1, 1, line), numbers, gold, is_total)


def _check_figures(claim: Claim, players: int) -> None:
    if len(claim.gold) != players:
        line = claim.place.source or ""
        kind = "3 cards and a total" if claim.is_total else "gold"
        message = f"expected {kind} for each of {players} players, not {len(claim.gold)} values"
        raise FormatError(replace(claim.place, column=len(line.rstrip()) + 1), message)


def _split(
    line: str, is_total: bool, error: Callable[[int, str], FormatError]
) -> tuple[list[re.Match[str]], list[re.Match[str]]]:
    """Split a line into the words that name its cards and the words that are values."""
    colon = line.find(":")
    words = list(_WORD.finditer(line))
    heads, values = (words[:3], words[3:]) if is_total else (words[:1], words[1:])
    begin = heads[-1].end() if is_total else colon + 1
    for word in values:
        if not _SEPARATOR.fullmatch(line, begin, word.start()) or (
            begin == colon + 1 and "," in line[begin : word.start()]
        ):
            raise error(begin, "blanks or one comma are expected between two values")
        if not _NUMBER.fullmatch(word[0]):
            raise error(word.start(), f"a number is expected, not {word[0][:20]!r}")
        if int(word[0]) > MAX_NUMBER:
            raise error(word.start(), f"{word[0][:20]} is more gold than there is")
        begin = word.end()
    if line[begin:].strip():
        raise error(begin, "nothing more is expected")
    return heads, values
