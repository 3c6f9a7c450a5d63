"""Kingdom Builder files to facts, and back: boards and whole games."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules, cache_by_rules
from kb_score.engine.terms import Facts, Name, Row, Value
from kb_score.errors import (
    FileKind,
    FormatError,
    InputError,
    Mistakes,
    describe_list,
    guess,
    visible,
)
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    HEADINGS,
    MAX_PLAYERS,
    Board,
    Hex,
    Notation,
    Quadrant,
    is_game,
    is_like_rows,
    join_quadrants,
    load_notation,
    parse_board,
    read_quadrants,
)
from kb_score.games.kingdom_builder.rules import Card
from kb_score.games.labels import NO_LABELS, Labels, read_labels
from kb_score.grammar import parse, parse_lines, place_at, read_number
from kb_score.shell.files import normalise

if TYPE_CHECKING:
    from lark import Token, Tree

FACTS_OF = BOARD_FILE
_BARE = re.compile(r"[0-9.]+")


def recognises(text: str) -> bool:
    """Whether a text looks like a board, or like a game."""
    if is_game(text):
        return True
    lines = [line.strip() for line in text.splitlines()]
    rows = [line for line in lines if line and not line.startswith("%")]
    if not rows or not is_like_rows(rows):
        return False
    # A first line of numbers, such as "24 14 4 5", is no row: no hex has two digits.
    words = rows[0].split()
    if len(words) > 1 and all(map(str.isdigit, words)) and max(map(len, words)) > 1:
        return False
    return not _is_series(lines)


def _is_series(lines: Sequence[str]) -> bool:
    """Whether a text is a series of square drawings, all alike, of digits and points alone.

    A file of boards has letters, or blanks between the hexes.
    """
    drawings = [list(group) for is_row, group in groupby(lines, key=bool) if is_row]
    heights = {len(drawing) for drawing in drawings}
    rows = {row for drawing in drawings for row in drawing}
    is_bare = all(map(_BARE.fullmatch, rows))
    return len(drawings) > 1 and is_bare and heights == set(map(len, rows))


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a board or of a game."""
    if is_game(text):
        return read_game(text, load_names(GameRules("kingdom_builder")), name=name).facts
    return parse_board(text, name=name).facts


def read_hex(value: Value) -> Hex:
    """Read a hex of an answer, which is a pair."""
    assert isinstance(value, tuple)
    row, column = value
    assert isinstance(row, int)
    assert isinstance(column, int)
    return row, column


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a turn: ``mandatory``, or by a tile, whose name it has."""

    name: str
    targets: tuple[tuple[Hex | None, Hex], ...]  # the hexes; one that is left by a move before it
    notes: tuple[tuple[str, str, Hex], ...] = ()  # what it says: got or lost, the tile, the hex


@dataclass(frozen=True, slots=True)
class Line:
    """A turn: whose it is said to be, if it is, the terrains of its cards, and the actions."""

    player: int | None
    terrains: tuple[str, ...]
    actions: tuple[Action, ...]
    # While the turn is played: so many targets came before its newest card, if it is a further one.
    before_card: int | None = None

    def drawn_now(self) -> Line:
        """Make the line whose newest card has come after what is done by now, if it has several."""
        done = sum(max(1, len(action.targets)) for action in self.actions)
        return replace(self, before_card=done if len(self.terrains) > 1 else None)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it is written down."""

    name: str  # what errors call it, usually its path
    quadrants: tuple[Quadrant, ...]  # north-west, north-east, south-west and south-east
    players: int
    start: int  # the player who has the first turn
    cards: tuple[str, ...]  # without those that pay in every game
    nomads: tuple[tuple[Hex, str], ...]  # the tile that lies on each nomad space
    notation: Notation  # what the symbols of the quadrants mean
    queenies: Mapping[str, tuple[Hex, ...]] = field(default_factory=dict)  # capitols and caves
    lines: tuple[Line, ...] = ()
    claimed: tuple[int, ...] | None = None  # the gold of each player, if it is claimed
    labels: Labels = field(default=NO_LABELS, compare=False)  # what people call the players

    @property
    def facts(self) -> Facts:
        """The facts of the whole game, for asp/kingdom_builder/rules/turn.lp."""
        return {
            **board_facts(self.quadrants, self.notation),
            **line_facts(self.lines),
            "players": [(self.players,)],
            "starter": [(self.start,)],
            "chosen": [(Name(card),) for card in self.cards],
            "nomad": [(place, Name(tile)) for place, tile in self.nomads],
            "capitol": [(place,) for place in self.queenies.get("capitol", ())],
            "cave": [(place,) for place in self.queenies.get("caves", ())],
            "claimed_gold": list(enumerate(self.claimed or (), start=1)),
        }


def join_actions(actions: Iterable[Action]) -> Iterator[Action]:
    """Join pieces of a mandatory action that nothing divides; they are one action."""
    for is_mandatory, run in groupby(actions, key=lambda action: action.name == "mandatory"):
        if not is_mandatory:
            yield from run
            continue
        pieces = list(run)
        targets = tuple(target for piece in pieces for target in piece.targets)
        notes = tuple(note for piece in pieces for note in piece.notes)
        yield Action("mandatory", targets, notes)


def board_facts(quadrants: Sequence[Quadrant], notation: Notation) -> Facts:
    """Make the facts of the board that four quadrants make."""
    name = " ".join(quadrant.name for quadrant in quadrants)
    board = Board(name, join_quadrants(*quadrants), notation=notation)
    kinds = [quadrant.name.replace("-", "_") for quadrant in quadrants]
    yields: list[Row] = []
    for kind, row, column in board.facts["terrain"]:
        if kind == Name("town") and isinstance(row, int) and isinstance(column, int):
            place = 2 * row // board.height, 2 * column // board.width
            yields.append(((row, column), Name(kinds[2 * place[0] + place[1]])))
    return {**board.facts, "yields": yields}


def find_spaces(
    quadrants: Sequence[Quadrant], notation: Notation, kind: str = "nomad"
) -> list[Hex]:
    """List the hexes of a kind of terrain of a board, row by row."""
    rows, symbol = join_quadrants(*quadrants), notation.symbols.get(kind)
    return [(r, c) for r, row in enumerate(rows) for c, at in enumerate(row) if at == symbol]


def line_facts(lines: Sequence[Line], *, is_open: bool = False) -> Facts:
    """Make the facts of turns; of an open one there is more to come, and a moment to look at."""
    facts: dict[str, list[Row]] = {key: [] for key in _KEYS}
    moment = part_number = 0
    for turn, line in enumerate(lines, start=1):
        moment += 1
        if line.player is not None:
            facts["line"].append((turn, line.player))
        facts["opens"].append((turn, moment))
        cards = enumerate(line.terrains, start=1)
        facts["reveals"] += [(turn, number, Name(terrain)) for number, terrain in cards]
        if line.before_card is not None:
            facts["further_card"].append((turn, moment + 1 + line.before_card))
        for action in line.actions:
            part_number += 1
            facts["part"].append((part_number, turn, Name(action.name)))
            if not action.targets:
                moment += 1
                facts["step"].append((moment, part_number, 0))
            for number, (start, place) in enumerate(action.targets, start=1):
                moment += 1
                facts["step"].append((moment, part_number, number))
                facts["at"].append((moment, place))
                if start is not None:
                    facts["from"].append((moment, start))
            facts["noted"] += [
                (part_number, Name(event), Name(tile), place) for event, tile, place in action.notes
            ]
        moment += 1
        if is_open and turn == len(lines):
            facts["looks"].append((moment,))
            facts["unfinished"].append((turn,))
            moment += 1
        facts["closes"].append((turn, moment))
    return dict(facts)


_KEYS = (
    *("line", "opens", "closes", "reveals", "part", "step", "at", "from", "noted"),
    *("looks", "unfinished", "further_card"),
)

GAME_FILE = FileKind("a game", 16 << 20)

_EVENTS = {"+": "got", "-": "lost"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a game may use, and what the box holds, as the rules have it."""

    cards: frozenset[str]
    in_game: frozenset[str]  # the cards that pay in the game
    always: frozenset[str]  # the cards that pay in every game
    tiles: frozenset[str]
    terrains: frozenset[str]  # also those that the rules refuse in their own words
    chosen: tuple[str, ...]  # the cards that may be chosen, and pay at the end
    dealt: int  # with how many cards a game is played
    deck: tuple[str, ...]  # the terrain of each terrain card
    nomads: tuple[str, ...]  # the nomad tiles
    quadrants: tuple[Quadrant, ...]
    notation: Notation


@cache_by_rules
def load_names(rules: GameRules) -> Names:
    """List the names that a game may use."""
    if rules.has_user_files():
        asp.check_stated_once(rules)
    answer, notation = rules.ask(asp.BOX, {"players": [(2,)]}), load_notation(rules)
    cards = sorted(answer.read(Card))
    in_game = frozenset(row.name for row in answer.read(asp.DeedRow))
    terrains, tiles = sorted(answer.read(asp.TerrainCardsRow)), sorted(answer.read(asp.CopiesRow))
    kinds = frozenset(row.name for row in answer.read(asp.TileRow))
    return Names(
        cards=in_game.union(card.name for card in cards),
        in_game=in_game,
        tiles=kinds,
        terrains=frozenset(notation.kinds[symbol] for symbol in notation.settled[1:]),
        always=frozenset(row.card for row in answer.read(asp.ChosenRow)).union(
            card.name for card in cards if not card.number
        ),
        chosen=tuple(card.name for card in cards if card.number),
        dealt=max((row.number for row in answer.read(asp.CardsDealtRow)), default=0),
        deck=tuple(row.terrain for row in terrains for _ in range(row.number)),
        nomads=tuple(row.tile for row in tiles for _ in range(row.number)),
        quadrants=read_quadrants(rules, kinds),
        notation=notation,
    )


def tiles_of(lines: Iterable[Line]) -> set[str]:
    """Find the tiles that are used in some turns."""
    return {action.name for line in lines for action in line.actions} - {"mandatory"}


def write_headings(game: GameRecord, rules: GameRules) -> str:
    """Write the headings of a game; a comment has the changes of the rules, to check it by."""
    words, printed = rules.changes.words(), load_names(rules).quadrants
    lines = [f"% check with {visible(shlex.join(words))}"] if words else []
    lines.append(f"board {' '.join(q.name + '/180' * (q not in printed) for q in game.quadrants)}")
    if game.cards:
        lines.append(f"cards {' '.join(game.cards)}")
    lines += [f"players {game.players}", f"start {game.start}"]
    lines += [f"% player {player}: {name}" for player, name in sorted(game.labels.names.items())]
    lines += [f"nomad {_write_hex(place)} {_hyphen(tile)}" for place, tile in game.nomads]
    lines += [" ".join([word, *map(_write_hex, found)]) for word, found in game.queenies.items()]
    return "".join(f"{line}\n" for line in lines)


def write_line(player: int, line: Line) -> str:
    """Write the turn of a player as a line."""
    cards = _hyphen("/".join(line.terrains))
    return f"{player} {cards}: {write_actions(line.actions)}".rstrip() + "\n"


def write_actions(actions: Iterable[Action]) -> str:
    """Write actions: ``4,11 4,12; farm 6,12``."""
    return "; ".join(map(write_action, actions))


def write_action(action: Action) -> str:
    """Write an action: ``barn 3,15>4,2``."""
    places = [
        _write_hex(place) if start is None else f"{_write_hex(start)}>{_write_hex(place)}"
        for start, place in action.targets
    ]
    return " ".join([*([] if action.name == "mandatory" else [_hyphen(action.name)]), *places])


def _write_hex(place: Hex) -> str:
    return "{},{}".format(*place)


def _hyphen(name: str) -> str:
    return name.replace("_", "-")


def read_game(text: str, names: Names, *, name: str = "<game>") -> GameRecord:
    """Read a game; a FormatError or an InputError says where it is none."""
    return _NotationReader(normalise(text), names, name).read()


def read_actions(text: str, names: Names, *, name: str) -> tuple[Action, ...]:
    """Read actions of a turn, such as ``4,11 4,12; farm 6,12``; see `read_game`."""
    return _NotationReader(normalise(text), names, name).read_actions()


def read_answer(line: str, names: Names) -> tuple[Action, ...]:
    """Read the actions of a bot or a person; what they note about tiles is left out."""
    actions = read_actions(line, names, name="answer") if line.strip() else ()
    return tuple(replace(action, notes=()) for action in actions)


class _NotationReader:
    """Reads one text, and collects its mistakes; it knows where a token stands in it.

    A part with a mistake is read as something or other: it is refused at the end.
    """

    def __init__(self, text: str, names: Names, name: str) -> None:
        self._text, self._names, self._name = text, names, name
        self._mistakes = Mistakes()

    def read(self) -> GameRecord:
        if not is_game(self._text):
            hint = "a board is scored by kb-score score, or checked together with its claims"
            message = f"this is no game: a heading or a turn is expected; {hint}"
            raise FormatError(place_at(self._text, 1, 1, self._name), message)
        tree = parse_lines(
            "kingdom_builder_game", self._text, name=self._name, mistakes=self._mistakes, fold=True
        )
        # A line that is left out is not missing, nor does the next turn follow the one before.
        is_whole = not self._mistakes
        parts = [part for part in tree.children if not isinstance(part, str)] if tree else []
        given = self._sort_headings([part for part in parts if part.data in _RULES])
        if is_whole:
            self._check_headings(given)
        quadrants = self._read_quadrants(given.get("board", ()))
        players, start = self._read_players(given)
        nomads = given.get("nomad", [])
        queenies = {word: kind for word, kind in QUEENIES.items() if word in given}
        spots = dict[str, list[Hex]]()
        if len(quadrants) == _QUADRANTS:
            spots["nomad"] = self._find_spots(nomads[::2], quadrants, "nomad", "nomad tile")
            for word, kind in queenies.items():
                spots[word] = self._find_spots(given[word], quadrants, *kind)
        tiles = [self._tile(token) for token in nomads[1::2]]
        cards = self._read_cards(given.get("cards", ()))
        turns = [part for part in parts if part.data == "turn"]
        lines = tuple(
            self._read_line(turn, number if is_whole else None)
            for number, turn in enumerate(turns, 1)
        )
        claims = [part for part in parts if part.data == "claim"]
        claimed = self._read_claim(claims[0], players) if claims else None
        with self._mistakes.catch():
            labels = read_labels(self._text.split("\n"), 1, self._name)
        self._mistakes.raise_any()
        return GameRecord(
            name=self._name,
            quadrants=quadrants,
            players=players,
            start=start,
            cards=cards,
            nomads=tuple(zip(spots["nomad"], tiles, strict=True)),
            queenies={word: tuple(spots[word]) for word in queenies},
            lines=lines,
            notation=self._names.notation,
            claimed=claimed,
            labels=labels,
        )

    def read_actions(self) -> tuple[Action, ...]:
        name = self._name
        tree = parse("kingdom_builder_game", self._text, name=name, start="actions", fold=True)
        parts = [part for part in tree.children if not isinstance(part, str)]
        actions = tuple(map(self._read_action, parts))
        self._mistakes.raise_any()
        return actions

    def _report(self, token: Token, message: str) -> None:
        """Report a mistake at a token."""
        self._report_at(token.line or 1, token.column or 1, message)

    def _report_at(self, line: int, column: int, message: str) -> None:
        if self._mistakes.is_full:
            self._mistakes.count()
        else:
            place = place_at(self._text, line, column, self._name)
            self._mistakes.add(FormatError(place, message))

    def _sort_headings(self, parts: Sequence[Tree[Token]]) -> dict[str, list[Token]]:
        """Sort the tokens behind the headings by the word that they begin with."""
        given: dict[str, list[Token]] = {}
        for part in parts:
            word = _RULES[part.data]
            tokens = _tokens(part)
            if word in given and word != "nomad":
                line = tokens[0].line or 1
                column = self._text.lower().split("\n")[line - 1].index(word) + 1
                self._report_at(line, column, f"there is a second heading {word!r}")
            else:
                given.setdefault(word, []).extend(tokens)
        return given

    def _check_headings(self, given: Mapping[str, Sequence[Token]]) -> None:
        for word in ("board", "players"):
            if word not in given:
                message = f"the heading {word!r} is missing, such as {_SAMPLES[word]!r}"
                self._mistakes.add(InputError(self._name, message))

    def _read_players(self, given: Mapping[str, Sequence[Token]]) -> tuple[int, int]:
        """Read how many players there are, and who starts; 0 where that is not known."""
        players = start = 0
        for token in given.get("players", ()):
            players = self._number(token)
            if not 1 <= players <= MAX_PLAYERS:
                self._report(token, f"there are 1 to {MAX_PLAYERS} players, not {players}")
                players = 0
        for token in given.get("start", ()):
            start = self._number(token)
            if players and not 1 <= start <= players:
                self._report(token, f"one of the players 1 to {players} starts, not {start}")
        return players, start if "start" in given else 1

    def _read_quadrants(self, tokens: Sequence[Token]) -> tuple[Quadrant, ...]:
        """Read the quadrants that there are; those with mistakes are left out."""
        known = {quadrant.name: quadrant for quadrant in self._names.quadrants}
        found = list[Quadrant]()
        for token, after in zip(tokens, [*tokens[1:], None], strict=False):
            if token.type == "TURNED" or not self._check(token, known, "quadrant"):
                continue
            quadrant = known[token]
            if any(other.name == quadrant.name for other in found):
                self._report(token, f"the quadrant {token} is there twice")
                continue
            turned = after is not None and after.type == "TURNED"
            found.append(quadrant.turn() if turned else quadrant)
        return tuple(found)

    def _read_cards(self, tokens: Sequence[Token]) -> tuple[str, ...]:
        found = list[str]()
        for token in tokens:
            if self._check(token, self._names.cards, "card") and token in found:
                self._report(token, f"the card {token} is there twice")
            found.append(str(token))
        return tuple(found)

    def _find_spots(
        self, tokens: Sequence[Token], quadrants: Sequence[Quadrant], kind: str, thing: str
    ) -> list[Hex]:
        """Find different hexes of a kind of terrain, each of which gets such a thing."""
        spaces = find_spaces(quadrants, self._names.notation, kind)
        found = list[Hex]()
        ground = "nomad space" if kind == "nomad" else kind
        for place in tokens:
            at = self._hex(place)
            if at not in spaces:
                self._report(place, f"{place} is no {ground} of this board")
            elif at in found:
                self._report(place, f"a second {thing} on {place}")
            found.append(at)
        return found

    def _read_line(self, turn: Tree[Any], number: int | None) -> Line:
        """Read a turn, which has this number if that is known."""
        # Where a turn has no action, Lark puts None.
        children: list[Any] = [child for child in turn.children if child is not None]
        said = children.pop(0) if children[0].type == "NUMBER" else None
        if said and number is not None and said.lstrip("0") != f"{number}.":
            self._report(said, f"this is turn {number}, not {said[:-1]}")
        player, terrains, *actions = [child for child in children if not _is_end(child)]
        kinds = [
            token.update(value="flower") if token.type == "FIELD" else token
            for token in _tokens(terrains)
        ]
        for token in kinds:
            self._check(token, set(map(_hyphen, self._names.terrains)), "terrain")
        done = tuple(self._read_action(action) for action in actions)
        return Line(self._number(player), tuple(k.replace("-", "_") for k in kinds), done)

    def _read_action(self, action: Tree[Any]) -> Action:
        trees = [child for child in action.children if not isinstance(child, str)]
        notes = tuple(self._read_note(tree) for tree in trees if tree.data == "note")
        tokens: list[Any] = [child for child in action.children if isinstance(child, str)]
        if action.data == "mandatory":
            return Action("mandatory", tuple((None, self._hex(token)) for token in tokens), notes)
        places = [[*map(self._hex, _tokens(tree))] for tree in trees if tree.data == "place"]
        targets = tuple((p[0] if len(p) > 1 else None, p[-1]) for p in places)
        return Action(self._tile(tokens[0]), targets, notes)

    def _read_note(self, note: Tree[Token]) -> tuple[str, str, Hex]:
        sign, tile, place = _tokens(note)
        return _EVENTS[sign], self._tile(tile), self._hex(place)

    def _read_claim(self, part: Tree[Token], players: int) -> tuple[int, ...]:
        tokens = _tokens(part)
        if players and len(tokens) != players:
            message = f"expected gold for each of {players} players, not {len(tokens)} values"
            self._report(tokens[-1], message)
        return tuple(map(self._number, tokens))

    def _tile(self, token: Token) -> str:
        self._check(token, set(map(_hyphen, self._names.tiles)), "tile")
        return token.replace("-", "_")

    def _check(self, token: Token, known: Collection[str], what: str) -> bool:
        """Report a name that is not known; return whether it is."""
        if token in known:
            return True
        if self._mistakes.is_full:
            self._mistakes.count()
        else:
            listed = describe_list(sorted(known)) + guess(token, known)
            self._report(token, f"there is no {what} {str(token)!r}: {listed}")
        return False

    def _hex(self, token: Token) -> Hex:
        row, column = (self._number(token, word) for word in token.split(","))
        return row, column

    def _number(self, token: Token, word: str = "") -> int:
        """Read a number; one that is too large is reported, and read as 0."""
        try:
            return read_number(word.strip() or token, token, self._text, self._name)
        except FormatError as error:
            self._mistakes.add(error)
            return 0


# The rules of the grammar, by the word that they begin with.
_RULES = {word if word != "start" else "first": word for word in HEADINGS}
# The headings of small sets: the symbol of the hexes, and what these and what is there are called.
QUEENIES = {"capitol": ("castle", "capitol"), "caves": ("mountain", "cave")}
_QUADRANTS = 4  # make a board
_SAMPLES = {"board": "board oracle farm/180 tavern paddock", "players": "players 2"}


def _tokens(tree: Tree[Any]) -> list[Token]:
    found = (value for value in tree.scan_values(lambda value: isinstance(value, str)))
    return [token for token in found if not _is_end(token)]


def _is_end(child: object) -> bool:
    return getattr(child, "type", "") == "_NL"
