"""Read claimed scores of a board: lines of a table, rows of gold, or the output of ``score``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeAlias

from kb_score.engine.terms import Facts, Name
from kb_score.errors import FileKind, FormatError, InputError, Mistakes
from kb_score.games.kingdom_builder.rules import Card, Rules, list_cards
from kb_score.grammar import MAX_NUMBER, parse_with_mistakes, place_at
from kb_score.shell.files import normalise

CLAIMS_FILE = FileKind("a claims file", 4 << 20)

# Numbers of cards, or the gold of each player.
Numbers: TypeAlias = tuple[int, ...]
_Words: TypeAlias = Sequence[re.Match[str]]

_WORD = re.compile(r"[^\s,:]+")
_SEPARATOR = re.compile(r"[ \t]*,?[ \t]*")
_NUMBER = re.compile(r"-?[0-9]{1,12}")
# Values in brackets at the end of a line; the group is the text before them.
_BRACKETED = re.compile(r"([^()\[\]]*)[(\[][^()\[\]]*[)\]][ \t]*")
_BRACKETS_TO_BLANKS = str.maketrans("()[]", "    ")

# The number of cards in one game of the challenge.
_CARDS_OF_GAME = 3

# Rows in brackets are claims without cards, however many values they have.
_ANY_NUMBER = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """The gold that a file claims for each player, for one card or for several cards together.

    Attributes:
        line: The line, from 1.
        numbers: The numbers of the cards.
        gold: The gold, in the order of the players.
        kind: "card", "total" (which includes the cards that pay in every game), or a kind that a
            user's rules add; empty while the cards follow only from the order of the rows.
        key: The line, or the next free number if an earlier claim has it.
    """

    line: int
    numbers: Numbers
    gold: Numbers
    kind: str
    key: int = 0


@dataclass(frozen=True, slots=True)
class _Printed:
    """A claim in the output of ``score``."""

    line: int  # from 1
    text: str  # the claim in the form "cards: gold"
    # JSON may hold anything in place of the next two.
    board: object  # the name of the board; None if there is none
    players: object  # a list of the players' numbers; None if there is none
    is_total: bool  # whether it is the total of a game


@dataclass(frozen=True, slots=True)
class _Line:
    """One claim of a text: a line, or a part of a line or of the output of ``score``."""

    text: str  # without its line ending
    source: str  # the text that the claim is part of
    name: str  # what errors call that text
    number: int  # the line, from 1
    column: int  # the column in which the claim begins, from 1
    # A line with this many values is a claim without cards; None if cards are required.
    values_alone: int | None
    printed: _Printed | None = None  # None unless the claim is from the output of ``score``

    def make_error(self, offset: int, message: str) -> FormatError:
        """Return an error that points at an offset in the claim, from 0."""
        column = self.column
        # The text of a printed claim is not in the source, so the offset means nothing there.
        if self.printed is None:
            column += offset
        place = place_at(self.source, self.number, column, self.name)
        return FormatError(place, message)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A claim divided into cards and values."""

    text: str  # with blanks in place of brackets
    colon: int  # the offset of the colon, -1 if there is none
    values: _Words
    values_start: int  # the offset of the text after the cards and the colon
    kind: str = ""  # as in Claim
    cards: _Words = ()
    cards_required: int | None = None  # for a kind that a user's rules add


@dataclass(frozen=True, slots=True)
class _CsvRow:
    line: int
    board: str
    card: str  # the name of a card, the numbers of several, or "total"
    player: int
    gold: str


class _Vocabulary:
    """The words that may precede the gold in a claim."""

    def __init__(self, rules: Rules) -> None:
        self.cards: Sequence[Card] = rules.cards
        # Kinds that a user's rules add, each with the number of cards that it names.
        self.kinds: dict[str, int] = {}
        for row in rules.kinds:
            self.kinds[row.word] = row.cards
        # The numbers of cards, by lowercase name and by number.
        self.card_numbers: dict[str, int] = {}
        for card in rules.cards:
            self.card_numbers[card.name.lower()] = card.number
            self.card_numbers[str(card.number)] = card.number


def read_claims(
    text: str, rules: Rules, players: Sequence[int] | None, *, name: str
) -> tuple[Claim, ...]:
    """Return the claims of a text in order, which has a name in errors.

    docs/file-formats.md describes the forms that claims may have. The players are in the order of
    the values; if they are None, each claim must have as many values as the first one.

    Raises:
        FormatError: Some lines are not claims, claims are about another board or other players,
            or rows without cards are neither one for each game nor one for each card. The error
            reports all wrong lines.
        InputError: There is no claim.
    """
    vocabulary = _Vocabulary(rules)
    mistakes = Mistakes()
    read: list[tuple[_Line, Claim]] = []
    number_of_values = None if players is None else len(players)
    for line in _list_lines(normalise(text), name, players, mistakes):
        with mistakes.catch():
            claim = _read_line(line, vocabulary)
            if number_of_values is None:
                # A board has at least one player.
                number_of_values = max(1, len(claim.gold))
            _check_number_of_values(line, claim, number_of_values)
            read.append((line, claim))
    mistakes.raise_any()
    if not read:
        raise InputError(name, 'the file has no claim, such as "1 3 7  52 46 43 62"')
    return _number_claims(_name_rows(read, rules))


def claim_facts(claims: Sequence[Claim], players: Sequence[int]) -> Facts:
    """Return the facts about claims that check.lp uses.

    A claim has one value for each player, in the order of the players.
    """
    kinds = []
    cards = []
    gold = []
    for claim in claims:
        kinds.append((claim.key, Name(claim.kind)))
        for number in claim.numbers:
            cards.append((claim.key, number))
        for player, value in zip(players, claim.gold, strict=True):
            gold.append((claim.key, player, value))
    return {"claim": kinds, "claimed_card": cards, "claimed_gold": gold}


def _check_number_of_values(line: _Line, claim: Claim, expected: int) -> None:
    """Raise a FormatError if a claim does not have one value for each player."""
    if len(claim.gold) == expected:
        return
    form = "gold"
    if claim.kind == "total":
        form = "3 cards and a total"
    end = len(line.text.rstrip())
    given = len(claim.gold)
    message = f"expected {form} for each of {expected} players, not for {given}"
    raise line.make_error(end, message)


def _name_rows(read: Sequence[tuple[_Line, Claim]], rules: Rules) -> list[Claim]:
    """Return the claims with cards: rows without cards are about all games, or all cards, in order.

    It is a FormatError if only some rows name cards, or if the number of rows does not decide
    between games and cards.
    """
    claims = [claim for _, claim in read]
    lines_without_cards = [line for line, claim in read if not claim.kind]
    if not lines_without_cards:
        return claims
    games = rules.list_games()
    cards = [(card.number,) for card in rules.cards]
    fits_games = len(claims) == len(games)
    fits_cards = len(claims) == len(cards)
    is_mixed = len(lines_without_cards) < len(claims)
    if is_mixed or fits_games == fits_cards:
        numbers = f"{len(games)} (games, as in score --combinations) or {len(cards)} (cards)"
        message = f"expected cards before each row, or rows without them: {numbers}"
        message += f"; here, {len(lines_without_cards)} of {len(claims)} rows have no cards"
        first = lines_without_cards[0]
        raise first.make_error(0, message)
    if fits_games:
        return _name_in_order(claims, games, "total")
    return _name_in_order(claims, cards, "card")


def _name_in_order(claims: Sequence[Claim], order: Sequence[Numbers], kind: str) -> list[Claim]:
    """Return claims with the cards that their order implies."""
    return [
        replace(claim, numbers=numbers, kind=kind)
        for claim, numbers in zip(claims, order, strict=True)
    ]


def _number_claims(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """Return the claims with ascending keys.

    The key of a claim is its line, or the next number if an earlier claim has that key.
    """
    numbered = []
    key = 0
    for claim in claims:
        key = max(key + 1, claim.line)
        with_key = replace(claim, key=key)
        numbered.append(with_key)
    return tuple(numbered)


def _list_lines(
    text: str, name: str, players: Sequence[int] | None, mistakes: Mistakes
) -> Iterator[_Line]:
    """Yield the text of each claim, without reading its cards and values.

    Lines that cannot be parsed, and printed claims about another board or other players, are
    skipped and added to the mistakes.
    """
    number_of_players = None if players is None else len(players)
    tree = parse_with_mistakes(
        "kingdom_builder_claims", text, name=name, mistakes=mistakes, has_lines=True
    )
    tokens: list[Any] = [] if tree is None else tree.children
    board: object = None
    for token in tokens:
        values_alone = number_of_players
        if token.type == "ROW":
            values_alone = _ANY_NUMBER
        line = _Line(
            text=token.rstrip("\n"),
            source=text,
            name=name,
            number=token.line or 1,
            column=token.column or 1,
            values_alone=values_alone,
        )
        if token.type not in ("OBJECT", "CELLS"):
            yield line
            continue
        is_json = token.type == "OBJECT"
        for printed in _load_printed(line, mistakes, is_json=is_json):
            part = replace(
                line, text=printed.text, number=printed.line, values_alone=None, printed=printed
            )
            if board is None:
                board = printed.board
            problem = _find_problem(printed, board, players)
            if problem:
                mistakes.add(part.make_error(0, problem))
            else:
                yield part


def _find_problem(printed: _Printed, board: object, players: Sequence[int] | None) -> str:
    """Return the reason why a claim is not about a board and its players; empty if it is."""
    if printed.board != board:
        return "all claims must be about the same board: this one is about another"
    if players is None or printed.players is None:
        return ""
    if printed.players == list(players):
        return ""
    names = " ".join(map(str, players))
    return f"expected gold for each player of the board, {names}"


def _load_printed(line: _Line, mistakes: Mistakes, *, is_json: bool) -> list[_Printed]:
    """Return the claims in the output of ``score``, up to the first that cannot be read."""
    load = _load_object if is_json else _load_cells
    claims = []
    with mistakes.catch():
        for claim in load(line):
            claims.append(claim)
    return claims


def _load_object(line: _Line) -> Iterator[_Printed]:
    """Yield the claims that ``score --format json`` prints on one line."""
    try:
        found = json.loads(line.text)
        for cards, gold, is_total in _list_rows_of_object(found):
            if not isinstance(cards, list) or not isinstance(gold, list):
                raise TypeError
            yield _Printed(
                line=line.number,
                text=_write_claim(cards, gold),
                board=found.get("board"),
                players=found.get("players"),
                is_total=is_total,
            )
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        offset = 0
        if isinstance(error, json.JSONDecodeError):
            offset = error.colno - 1
        sample = 'an object that score --format json prints, such as {"gold": {"miners": [4]}}'
        raise line.make_error(offset, f"expected {sample}") from error


def _list_rows_of_object(found: Any) -> list[tuple[Any, Any, bool]]:
    """Return the cards and the gold of each claim in an object, and whether it is a total.

    An object of a different form raises one of the errors that `_load_object` catches.
    """
    rows: list[tuple[Any, Any, bool]] = []
    for card, gold in found["gold"].items():
        rows.append(([card], gold, False))
    for game in found.get("combinations") or ():
        rows.append((game["cards"], game["total"], True))
    if found.get("total") is not None:
        rows.append((found["cards"], found["total"], True))
    return rows


def _load_cells(table: _Line) -> Iterator[_Printed]:
    """Yield the claims that ``score --format csv`` prints, with a row for each player.

    A row has four columns.
    """
    cards_so_far: list[str] = []
    for (board, card), group in groupby(_read_csv_rows(table), attrgetter("board", "card")):
        rows = list(group)
        if card == "total":
            # A total is about all cards above it.
            cards = cards_so_far
            is_total = True
        else:
            cards = card.split()
            is_total = len(cards) > 1
        gold = [row.gold for row in rows]
        yield _Printed(
            line=rows[0].line,
            text=_write_claim(cards, gold),
            board=board,
            players=[row.player for row in rows],
            is_total=is_total,
        )
        if not is_total:
            cards_so_far.extend(cards)


def _read_csv_rows(table: _Line) -> list[_CsvRow]:
    """Return the rows below the headings; empty lines are skipped."""
    rows = []
    _, *lines = table.text.split("\n")
    for number, text in enumerate(lines, start=table.number + 1):
        if not text:
            continue
        # The name of a board may contain commas.
        cells = text.rsplit(",", 3)
        if len(cells) != 4 or not _NUMBER.fullmatch(cells[2]):
            line = replace(table, text=text, number=number)
            message = "expected board,card,player,gold, as score --format csv prints it"
            raise line.make_error(0, message)
        board, card, player, gold = cells
        row = _CsvRow(number, board, card, int(player), gold)
        rows.append(row)
    return rows


def _write_claim(cards: Iterable[object], gold: Iterable[object]) -> str:
    """Return a claim as a line of text, such as ``miners: 4 12 11 4``."""
    card_words = " ".join(map(str, cards))
    gold_words = " ".join(map(str, gold))
    return f"{card_words}: {gold_words}"


def _read_line(line: _Line, vocabulary: _Vocabulary) -> Claim:
    """Return the claim of a line; a FormatError if it is none, or names cards that do not exist."""
    parts = _split_line(line, vocabulary.kinds)
    gold = _read_values(line, parts)
    numbers = _read_cards(line, parts, vocabulary)
    return Claim(line.number, numbers, gold, parts.kind)


def _split_line(line: _Line, kinds: Mapping[str, int]) -> _Parts:
    """Divide a line into cards and values.

    The cards end at the colon, at the bracket of the values, or after three words. The kinds of
    claims that a user's rules add each have a number of cards. A line without a card, and a number
    of cards that a claim cannot have, are a FormatError.
    """
    text = line.text
    colon = text.find(":")
    cards_end = colon
    bracketed = _BRACKETED.fullmatch(text)
    if bracketed and colon < 0:
        cards_end = bracketed.end(1)
    if bracketed or line.values_alone == _ANY_NUMBER:
        text = text.translate(_BRACKETS_TO_BLANKS)
    words = list(_WORD.finditer(text))

    if line.values_alone == _ANY_NUMBER:
        # A comma may separate a row in brackets from the next one.
        return _Parts(text.rstrip(" \t,"), colon, values=words, values_start=0)
    if cards_end < 0 and len(words) == line.values_alone:
        return _Parts(text, colon, values=words, values_start=0)
    if cards_end < 0:
        cards = words[:_CARDS_OF_GAME]
        return _Parts(
            text,
            colon,
            values=words[_CARDS_OF_GAME:],
            values_start=cards[-1].end(),
            kind="total",
            cards=cards,
        )

    cards = [word for word in words if word.start() < cards_end]
    values = words[len(cards) :]
    has_user_kind = colon >= 0 and bool(cards) and cards[0][0] in kinds
    if has_user_kind or line.printed:
        is_right_number = bool(cards)
    else:
        is_right_number = len(cards) in (1, _CARDS_OF_GAME)
    if not is_right_number:
        raise line.make_error(cards_end, "expected one card, or three, before this")
    values_start = max(colon + 1, cards[-1].end())
    if has_user_kind:
        kind = cards[0][0]
        return _Parts(
            text,
            colon,
            values=values,
            values_start=values_start,
            kind=kind,
            cards=cards[1:],
            cards_required=kinds[kind],
        )
    is_total = len(cards) == _CARDS_OF_GAME
    if line.printed is not None:
        is_total = line.printed.is_total
    return _Parts(
        text,
        colon,
        values=values,
        values_start=values_start,
        kind="total" if is_total else "card",
        cards=cards,
    )


def _read_values(line: _Line, parts: _Parts) -> Numbers:
    """Return the gold of each player: numbers separated by blanks or single commas."""
    text = parts.text
    gold = []
    end = parts.values_start
    # A comma may follow the cards but not a colon, and a row may not begin with one.
    may_follow_comma = parts.values_start != parts.colon + 1
    for word in parts.values:
        between = text[end : word.start()]
        is_separator = _SEPARATOR.fullmatch(between) is not None
        if not is_separator or ("," in between and not may_follow_comma):
            raise line.make_error(end, "expected spaces or one comma between two values")
        if not _NUMBER.fullmatch(word[0]):
            shown = word[0][:20]
            raise line.make_error(word.start(), f"a number is expected, not {shown!r}")
        value = int(word[0])
        if abs(value) > MAX_NUMBER:
            limits = f"from -{MAX_NUMBER} to {MAX_NUMBER}"
            raise line.make_error(word.start(), f"the gold must be a number {limits}")
        gold.append(value)
        end = word.end()
        may_follow_comma = True
    if text[end:].strip():
        raise line.make_error(end, "expected the end of the line")
    return tuple(gold)


def _read_cards(line: _Line, parts: _Parts, vocabulary: _Vocabulary) -> Numbers:
    """Return the numbers of the cards that a line names.

    It is a FormatError if a card does not exist or is named twice, or if a kind that a user's rules
    add requires a different number of cards.
    """
    cards = parts.cards
    required = parts.cards_required
    if required is not None and len(cards) != required:
        message = f"cards before the colon: {required} expected, not {len(cards)}"
        raise line.make_error(parts.colon, message)
    numbers = []
    for word in cards:
        number = vocabulary.card_numbers.get(word[0].lower())
        if number is None:
            known_cards = list_cards(vocabulary.cards, word[0])
            message = f"there is no card {word[0][:20]!r}: {known_cards}"
            raise line.make_error(word.start(), message)
        numbers.append(number)
    if len(set(numbers)) < len(numbers):
        expected = "three" if required is None else str(required)
        raise line.make_error(cards[0].start(), f"{expected} different cards are expected")
    return tuple(numbers)
