"""Text to games: the notation of docs/file-formats.md."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from lark import Token, Tree

from kb_score.errors import FileKind, FormatError, InputError, describe_list
from kb_score.games.kingdom_builder.board import HEADINGS, is_game
from kb_score.games.kingdom_builder.hexes import MAX_PLAYERS
from kb_score.games.kingdom_builder.play.game import Game, Hex, Line, Part
from kb_score.games.kingdom_builder.quadrants import Quadrant, join_quadrants, read_quadrants
from kb_score.grammar import parse, place_at, read_number
from kb_score.shell.files import normalise

GAME_FILE = FileKind("a game", 16 << 20)

_EVENTS = {"+": "got", "-": "lost"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a game may use, as the rules have them.

    Attributes:
        cards: All cards.
        deeds: Those of them that pay in the game.
        always: Those that pay in every game.
        tiles: The tiles.
        terrains: What a card may show, and what is refused in the rules' own words.
    """

    cards: frozenset[str]
    deeds: frozenset[str]
    always: frozenset[str]
    tiles: frozenset[str]
    terrains: frozenset[str]


def read_game(text: str, names: Names, *, name: str = "<game>") -> Game:
    """Read a game.

    Raises:
        FormatError: The text is no game; the error names the place.
    """
    return _Reader(normalise(text), names, name).read()


def read_actions(text: str, names: Names, *, name: str) -> tuple[Part, ...]:
    """Read actions of a turn, such as ``4,11 4,12; farm 6,12``; see `read_game`."""
    return _Reader(normalise(text), names, name).read_actions()


class _Reader:
    """Reads one text; it knows where a token stands in it."""

    def __init__(self, text: str, names: Names, name: str) -> None:
        self._text, self._names, self._name = text, names, name

    def read(self) -> Game:
        if not is_game(self._text):
            hint = "a board is scored by kb-score score, or checked together with its claims"
            self._fail_at(1, 1, f"this is no game: a heading or a turn is expected; {hint}")
        tree = parse("kingdom_builder_game", self._text, name=self._name)
        parts = [part for part in tree.children if isinstance(part, Tree)]
        given = self._sort_headings([part for part in parts if part.data in _RULES])
        quadrants = self._read_quadrants(_tokens(given["board"][0]))
        players = self._read_players(given)
        claims = [part for part in parts if part.data == "claim"]
        return Game(
            name=self._name,
            quadrants=quadrants,
            players=players,
            start=self._read_start(given, players),
            cards=self._read_cards(given),
            nomads=tuple(self._read_nomads(given.get("nomad", ()), quadrants)),
            lines=tuple(self._read_line(part) for part in parts if part.data == "turn"),
            claimed=self._read_claim(claims[0], players) if claims else None,
        )

    def read_actions(self) -> tuple[Part, ...]:
        tree = parse("kingdom_builder_game", self._text, name=self._name, start="actions")
        return tuple(self._read_part(part) for part in tree.children if isinstance(part, Tree))

    def _fail(self, token: Token, message: str) -> NoReturn:
        self._fail_at(token.line or 1, token.column or 1, message)

    def _fail_at(self, line: int, column: int, message: str) -> NoReturn:
        raise FormatError(place_at(self._text, line, column, self._name), message)

    def _sort_headings(self, parts: Sequence[Tree[Token]]) -> dict[str, list[Tree[Token]]]:
        given: dict[str, list[Tree[Token]]] = {}
        for part in parts:
            word = _RULES[part.data]
            if word in given and word != "nomad":
                line = _tokens(part)[0].line or 1
                column = self._text.split("\n")[line - 1].index(word) + 1
                self._fail_at(line, column, f"there is a second heading {word!r}")
            given.setdefault(word, []).append(part)
        for word in ("board", "players"):
            if word not in given:
                sample = f"such as {_SAMPLES[word]!r}"
                raise InputError(self._name, f"the heading {word!r} is missing, {sample}")
        return given

    def _read_quadrants(self, tokens: Sequence[Token]) -> tuple[Quadrant, ...]:
        known = {quadrant.name: quadrant for quadrant in read_quadrants()}
        found = list[Quadrant]()
        for token, after in zip(tokens, [*tokens[1:], None], strict=True):
            if token.type == "TURNED":
                continue
            self._check(token, known, "quadrant")
            quadrant = known[token]
            if any(other.name == quadrant.name for other in found):
                self._fail(token, f"the quadrant {token} is there twice")
            turned = after is not None and after.type == "TURNED"
            found.append(quadrant.turn() if turned else quadrant)
        return tuple(found)

    def _read_players(self, given: dict[str, list[Tree[Token]]]) -> int:
        (token,) = _tokens(given["players"][0])
        players = self._number(token)
        if not 1 <= players <= MAX_PLAYERS:
            self._fail(token, f"there are 1 to {MAX_PLAYERS} players, not {players}")
        return players

    def _read_start(self, given: dict[str, list[Tree[Token]]], players: int) -> int:
        if "start" not in given:
            return 1
        (token,) = _tokens(given["start"][0])
        start = self._number(token)
        if not 1 <= start <= players:
            self._fail(token, f"one of the players 1 to {players} starts, not {start}")
        return start

    def _read_cards(self, given: dict[str, list[Tree[Token]]]) -> tuple[str, ...]:
        found = list[str]()
        for token in _tokens(given["cards"][0]) if "cards" in given else ():
            self._check(token, self._names.cards, "card")
            if token in found:
                self._fail(token, f"the card {token} is there twice")
            found.append(str(token))
        return tuple(found)

    def _read_nomads(
        self, parts: Sequence[Tree[Token]], quadrants: Sequence[Quadrant]
    ) -> Iterator[tuple[Hex, str]]:
        rows, seen = join_quadrants(*quadrants), set[Hex]()
        spaces = {(r, c) for r, row in enumerate(rows) for c, at in enumerate(row) if at == "O"}
        for part in parts:
            place, tile = _tokens(part)
            at = self._hex(place)
            if at not in spaces:
                self._fail(place, f"{place} is no nomad space of this board")
            if at in seen:
                self._fail(place, f"a second nomad tile on {place}")
            seen.add(at)
            yield at, self._tile(tile)

    def _read_line(self, part: Tree[Any]) -> Line:
        # Where a turn has no action, Lark puts None.
        children: list[Any] = [child for child in part.children if child is not None]
        player, terrains, *actions = [child for child in children if not _is_end(child)]
        kinds = _tokens(terrains)
        for token in kinds:
            self._check(token, self._names.terrains, "terrain")
        parts = tuple(self._read_part(action) for action in actions)
        return Line(self._number(player), tuple(map(str, kinds)), parts)

    def _read_part(self, action: Tree[Any]) -> Part:
        trees = [child for child in action.children if isinstance(child, Tree)]
        notes = tuple(self._read_note(tree) for tree in trees if tree.data == "note")
        tokens = [child for child in action.children if isinstance(child, Token)]
        if action.data == "mandatory":
            return Part("mandatory", tuple((None, self._hex(token)) for token in tokens), notes)
        places = [_tokens(tree) for tree in trees if tree.data == "place"]
        targets = tuple(
            (self._hex(place[0]) if len(place) > 1 else None, self._hex(place[-1]))
            for place in places
        )
        return Part(self._tile(tokens[0]), targets, notes)

    def _read_note(self, note: Tree[Token]) -> tuple[str, str, Hex]:
        sign, tile, place = _tokens(note)
        return _EVENTS[sign], self._tile(tile), self._hex(place)

    def _read_claim(self, part: Tree[Token], players: int) -> tuple[int, ...]:
        tokens = _tokens(part)
        if len(tokens) != players:
            message = f"expected gold for each of {players} players, not {len(tokens)} values"
            self._fail(tokens[-1], message)
        return tuple(map(self._number, tokens))

    def _tile(self, token: Token) -> str:
        name = token.replace("-", "_")
        known = {tile.replace("_", "-") for tile in self._names.tiles}
        self._check(token, known, "tile")
        return name

    def _check(self, token: Token, known: Collection[str], what: str) -> None:
        if token not in known:
            self._fail(token, f"there is no {what} {str(token)!r}: {describe_list(sorted(known))}")

    def _hex(self, token: Token) -> Hex:
        row, column = (self._read_int(word, token) for word in token.split(","))
        return row, column

    def _number(self, token: Token) -> int:
        return self._read_int(token, token)

    def _read_int(self, word: str, token: Token) -> int:
        return read_number(word, token, self._text, self._name)


# The rules of the grammar, by the word that they begin with.
_RULES = {word if word != "start" else "first": word for word in HEADINGS}
_SAMPLES = {
    "board": "board oracle farm/180 tavern paddock",
    "players": "players 2",
}


def _tokens(tree: Tree[Any]) -> list[Token]:
    found = (value for value in tree.scan_values(lambda value: isinstance(value, Token)))
    return [token for token in found if not _is_end(token)]


def _is_end(child: object) -> bool:
    return isinstance(child, Token) and child.type == "_NL"
