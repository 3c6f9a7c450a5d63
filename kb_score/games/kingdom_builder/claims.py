"""Claimed scores of a board: lines of a table, rows of gold alone, or what ``score`` prints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from kb_score.engine.terms import Facts, Name
from kb_score.errors import FileKind, FormatError, InputError, Mistakes
from kb_score.games.kingdom_builder.rules import Card, Rules, list_cards
from kb_score.grammar import MAX_NUMBER, parse_lines, place_at
from kb_score.shell.files import normalise

CLAIMS_FILE = FileKind("a file of claims", 4 << 20)

_WORD = re.compile(r"[^\s,:]+")
_SEPARATOR = re.compile(r"[ \t]*,?[ \t]*")
_NUMBER = re.compile(r"[0-9]{1,12}")
# Values in brackets, with what comes before them.
_BRACKETED = re.compile(r"([^()\[\]]*)[(\[][^()\[\]]*[)\]][ \t]*")
_UNBRACKETED = str.maketrans("()[]", "    ")


@dataclass(frozen=True, slots=True)
class Claim:
    """The claimed gold of each player for some cards, by their numbers."""

    line: int
    numbers: tuple[int, ...]
    gold: tuple[int, ...]
    # card, total (cards that pay in every game count too), or one that a user's rules add; empty
    # as long as only the order of the rows tells the cards.
    kind: str
    key: int = 0  # the line; if a line has several claims, they take the numbers that follow


class _Line(NamedTuple):
    """A line of claims, or a part of one that has a claim of its own, without its end."""

    text: str
    source: str  # the whole text, and what errors call it
    name: str
    number: int
    column: int  # where it begins, from 1
    # Where it is made of what ``score`` prints: the board, the players, and whether it is a total.
    printed: tuple[object, object, bool] | None = None

    def error(self, offset: int, message: str) -> FormatError:
        """Make an error at a place in it; a text made of another one has but one."""
        column = self.column + (0 if self.printed else offset)
        return FormatError(place_at(self.source, self.number, column, self.name), message)


def read_claims(
    text: str, rules: Rules, players: Sequence[int] | None, *, name: str
) -> tuple[Claim, ...]:
    """Read claimed scores of some players; None for as many as the first claim has figures.

    docs/file-formats.md tells the forms.
    """
    kinds = {row.word: row.cards for row in rules.kinds}
    mistakes = Mistakes()
    read = list[tuple[_Line, Claim]]()
    figures = None if players is None else len(players)
    for line, alone in _list_lines(normalise(text), name, players, mistakes):
        with mistakes.catch():
            claim = _read_line(line, rules.cards, kinds, alone)
            if figures is None:
                # No table is about nobody.
                figures = max(1, len(claim.gold))
            if len(claim.gold) != figures:
                kind = "3 cards and a total" if claim.kind == "total" else "gold"
                expected = f"expected {kind} for each of {figures} players"
                end = len(line.text.rstrip())
                raise line.error(end, f"{expected}, not {len(claim.gold)} values")
            read.append((line, claim))
    mistakes.raise_any()
    if not read:
        raise InputError(name, 'there is no claim in it, such as "1 3 7  52 46 43 62"')
    keyed, key = list[Claim](), 0
    for claim in _name_rows(read, rules):
        key = max(key + 1, claim.line)
        keyed.append(replace(claim, key=key))
    return tuple(keyed)


def _list_lines(
    text: str, name: str, players: Sequence[int] | None, mistakes: Mistakes
) -> Iterator[tuple[_Line, int | None]]:
    """List the lines, each with how many figures alone are a claim: 0 if any number is.

    Lines that cannot be read are left out, and reported as mistakes.
    """
    alone = None if players is None else len(players)
    tree = parse_lines("kingdom_builder_claims", text, name=name, mistakes=mistakes)
    tokens: list[Any] = tree.children if tree else []
    board = None
    for token in tokens:
        line = _Line(token.rstrip("\n"), text, name, token.line or 1, token.column or 1)
        if token.type not in ("OBJECT", "CELLS"):
            yield line, 0 if token.type == "ROW" else alone
            continue
        parts = list[_Line]()
        with mistakes.catch():
            parts += _load_object(line) if token.type == "OBJECT" else _load_cells(line)
        for part in parts:
            said, shown, _ = part.printed or (None, None, False)
            board = said if board is None else board
            if said != board:
                message = "claims about one board are expected: this is another one"
                mistakes.add(part.error(0, message))
            elif players is not None and shown not in (None, [*players]):
                names = " ".join(map(str, players))
                message = f"expected gold for each player of the board, {names}"
                mistakes.add(part.error(0, message))
            else:
                yield part, None


def claim_facts(claims: Sequence[Claim], players: Sequence[int]) -> Facts:
    """Make the facts of claims for check.lp."""
    return {
        "claim": [(c.key, Name(c.kind)) for c in claims],
        "claimed_card": [(c.key, number) for c in claims for number in c.numbers],
        "claimed_gold": [
            (c.key, player, gold)
            for c in claims
            for player, gold in zip(players, c.gold, strict=True)
        ],
    }


def _name_rows(read: Sequence[tuple[_Line, Claim]], rules: Rules) -> list[Claim]:
    """Give rows of gold alone the cards that their order tells."""
    claims = [claim for _, claim in read]
    alone = [line for line, claim in read if not claim.kind]
    if not alone:
        return claims
    games, cards = rules.list_games(), [(card.number,) for card in rules.cards]
    if len(alone) < len(claims) or (len(claims) == len(games)) == (len(claims) == len(cards)):
        wanted = f"{len(games)} (games, as score --combinations has them) or {len(cards)} (cards)"
        message = f"expected cards before each row, or rows without them: {wanted}"
        raise alone[0].error(0, f"{message}, not {len(alone)} of {len(claims)}")
    order: Sequence[tuple[int, ...]] = games if len(claims) == len(games) else cards
    kind = "total" if order is games else "card"
    named = zip(claims, order, strict=True)
    return [replace(c, numbers=numbers, kind=kind) for c, numbers in named]


def _read_line(
    line: _Line, cards: Sequence[Card], kinds: Mapping[str, int], alone: int | None
) -> Claim:
    """Read some cards and their gold, or gold alone, of which there are so many; 0 for any."""
    text, colon = line.text, line.text.find(":")
    divided, bracketed = colon, _BRACKETED.fullmatch(text)
    if bracketed or alone == 0:
        divided = bracketed.end(1) if bracketed and colon < 0 else colon
        text = text.translate(_UNBRACKETED)
    words = list(_WORD.finditer(text))
    added = words[0][0] if colon >= 0 and words and words[0][0] in kinds else ""
    if alone == 0 or (divided < 0 and len(words) == alone):
        heads, begin, text = 0, 0, text if alone else text.rstrip(" \t,")
    elif divided < 0:
        heads, begin = 3, words[:3][-1].end()
    elif (heads := sum(word.start() < divided for word in words)) and (
        added or line.printed or heads in (1, 3)
    ):
        begin = max(colon + 1, words[heads - 1].end())
    else:
        raise line.error(divided, "one card, or three, are expected before this")
    gold = _read_values(line, text, words[heads:], begin, is_first=begin == colon + 1)
    known = {w.lower(): c.number for c in cards for w in (c.name, str(c.number))}
    named = words[bool(added) : heads]
    if added and len(named) != kinds[added]:
        given = f"{kinds[added]} expected, not {len(named)}"
        raise line.error(colon, f"cards before the colon: {given}")
    for word in named:
        if word[0].lower() not in known:
            message = f"there is no card {word[0][:20]!r}: {list_cards(cards, word[0])}"
            raise line.error(word.start(), message)
    numbers = tuple(known[word[0].lower()] for word in named)
    if len(set(numbers)) < len(numbers):
        many = kinds[added] if added else "three"
        raise line.error(named[0].start(), f"{many} different cards are expected")
    is_total = line.printed[2] if line.printed else heads == 3
    kind = added or ("total" if is_total else "card" if heads else "")
    return Claim(line.number, numbers, gold, kind)


def _read_values(
    line: _Line, text: str, words: Sequence[re.Match[str]], begin: int, *, is_first: bool
) -> tuple[int, ...]:
    """Read values up to the end of a text, with blanks or a comma between two of them."""
    for word in words:
        between = text[begin : word.start()]
        if not _SEPARATOR.fullmatch(between) or (is_first and "," in between):
            raise line.error(begin, "blanks or one comma are expected between two values")
        if not _NUMBER.fullmatch(word[0]):
            raise line.error(word.start(), f"a number is expected, not {word[0][:20]!r}")
        if int(word[0]) > MAX_NUMBER:
            raise line.error(word.start(), f"{word[0][:20]} is more gold than there is")
        begin, is_first = word.end(), False
    if text[begin:].strip():
        raise line.error(begin, "nothing more is expected")
    return tuple(int(word[0]) for word in words)


def _load_object(line: _Line) -> Iterator[_Line]:
    """Load what ``score --format json`` prints of a board: lines of cards, a colon and gold."""
    try:
        found = json.loads(line.text)
        rows = [([card], gold, False) for card, gold in found["gold"].items()]
        games = [*(found.get("combinations") or ()), *[found] * (found.get("total") is not None)]
        rows += [(game["cards"], game["total"], True) for game in games]
        for cards, gold, is_total in rows:
            if [*cards, *gold] != cards + gold:  # which are lists
                raise TypeError
            printed = found.get("board"), found.get("players"), is_total
            text = f"{' '.join(map(str, cards))}: {' '.join(map(str, gold))}"
            yield line._replace(text=text, printed=printed)
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        offset = error.colno - 1 if isinstance(error, json.JSONDecodeError) else 0
        wanted = 'an object as score --format json prints it, such as {"gold": {"miners": [4]}}'
        raise line.error(offset, f"expected {wanted}") from error


def _load_cells(table: _Line) -> Iterator[_Line]:
    """Load what ``score --format csv`` prints, a row for each card and player, as such lines."""
    rows, summed = list[tuple[_Line, list[str]]](), list[str]()
    for number, text in enumerate(table.text.split("\n")[1:], start=table.number + 1):
        line, cells = table._replace(text=text, number=number), text.rsplit(",", 3)
        if text and (len(cells) != 4 or not _NUMBER.fullmatch(cells[2])):
            raise line.error(0, "expected board,card,player,gold, as score --format csv has it")
        rows += [(line, cells)] if text else []
    for (board, card), group in groupby(rows, key=lambda row: row[1][:2]):
        some = list(group)
        # A total is that of all cards before it.
        cards = summed if card == "total" else card.split()
        text = f"{' '.join(cards)}: {' '.join(cells[3] for _, cells in some)}"
        players, is_total = [int(cells[2]) for _, cells in some], card == "total" or len(cards) > 1
        yield some[0][0]._replace(text=text, printed=(board, players, is_total))
        summed += [] if is_total else cards
