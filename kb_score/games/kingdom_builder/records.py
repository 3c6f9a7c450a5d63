"""Kingdom Builder files as facts, and back: boards and whole games."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, repeat, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

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
from kb_score.grammar import add_mistake, parse, parse_lines, place_at, read_number
from kb_score.shell.files import normalise

if TYPE_CHECKING:
    from lark import Token, Tree

FACTS_OF = BOARD_FILE
_BARE = re.compile(r"[0-9.]+")


def recognises(text: str) -> bool:
    """Return whether a text looks like a board, or like a game."""
    if is_game(text):
        return True
    lines = [line.strip() for line in text.splitlines()]
    rows = [line for line in lines if line and not line.startswith("%")]
    if not rows or not is_like_rows(rows):
        return False
    # A first line of numbers, such as "24 14 4 5", is no row: a hex has only one digit.
    words = rows[0].split()
    are_numbers = all(map(str.isdigit, words))
    if are_numbers and len(words) > 1 and max(map(len, words)) > 1:
        return False
    return not _is_series(lines)


def _is_series(lines: Sequence[str]) -> bool:
    """Return whether a text is a series of squares of one size that hold only digits and points.

    A file of boards has letters, or blanks between the hexes.
    """
    drawings = [list(group) for is_row, group in groupby(lines, key=bool) if is_row]
    if len(drawings) < 2:
        return False
    rows = set(chain.from_iterable(drawings))
    if not all(map(_BARE.fullmatch, rows)):
        return False
    heights = set(map(len, drawings))
    widths = set(map(len, rows))
    return len(heights) == 1 and heights == widths


def read_facts(text: str, name: str) -> Facts:
    """Read the facts of a board or of a game."""
    if is_game(text):
        names = load_names(GameRules("kingdom_builder"))
        return read_game(text, names, name=name).facts
    return parse_board(text, name=name).facts


def read_hex(value: Value) -> Hex:
    """Read a hex of an answer, which is a pair."""
    assert isinstance(value, tuple)
    row, column = value
    assert isinstance(row, int)
    assert isinstance(column, int)
    return row, column


class ActionTarget(NamedTuple):
    """A hex where an action puts a settlement or a wall."""

    start: Hex | None  # the hex that a move leaves; None if the action is not a move
    place: Hex


class Note(NamedTuple):
    """A remark of a record: a tile is got or lost."""

    event: str  # "got" or "lost"
    tile: str
    place: Hex


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a turn.

    Attributes:
        name: ``mandatory``, or the name of a tile.
        targets: The hexes, in the order of play.
        notes: The remarks about tiles.
    """

    name: str
    targets: tuple[ActionTarget, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """A turn.

    Attributes:
        player: The player whose turn it is, if the record says so.
        terrains: The terrains of the cards.
        actions: The actions.
        before_card: While the turn is played, the number of targets before the newest card, if
            there are several cards.
    """

    player: int | None
    terrains: tuple[str, ...]
    actions: tuple[Action, ...]
    before_card: int | None = None

    def drawn_now(self) -> Line:
        """Return the turn with its newest card drawn after the actions so far."""
        if len(self.terrains) < 2:
            return replace(self, before_card=None)
        done = sum(max(1, len(action.targets)) for action in self.actions)
        return replace(self, before_card=done)


@dataclass(frozen=True, slots=True)
class Placed:
    """Things that lie on the board, such as capitols."""

    word: str  # of their heading
    kind: str
    places: tuple[Hex, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A record of a game.

    Attributes:
        name: The record's name in messages, usually its path.
        quadrants: The quadrants in the north-west, north-east, south-west and south-east.
        players: The number of players.
        start: The player who has the first turn.
        cards: The cards, without those that pay in every game.
        nomads: The nomad spaces, each with the tile that lies on it.
        notation: The meaning of the symbols of the quadrants.
        placed: What else lies on the board, such as capitols and caves, a heading each.
        lines: The turns.
        claimed: The gold of each player, if the record claims it.
        labels: What people call the players.
    """

    name: str
    quadrants: tuple[Quadrant, ...]
    players: int
    start: int
    cards: tuple[str, ...]
    nomads: tuple[tuple[Hex, str], ...]
    notation: Notation
    placed: tuple[Placed, ...] = ()
    lines: tuple[Line, ...] = ()
    claimed: tuple[int, ...] | None = None
    labels: Labels = field(default=NO_LABELS, compare=False)

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
            "lies_on": [(Name(what.kind), place) for what in self.placed for place in what.places],
            "claimed_gold": list(enumerate(self.claimed or (), start=1)),
        }


def join_actions(actions: Iterable[Action]) -> Iterator[Action]:
    """Join pieces of a mandatory action with nothing between them: they are one action."""
    for is_mandatory, run in groupby(actions, key=lambda action: action.name == "mandatory"):
        if not is_mandatory:
            yield from run
            continue
        pieces = list(run)
        targets = chain.from_iterable(piece.targets for piece in pieces)
        notes = chain.from_iterable(piece.notes for piece in pieces)
        yield Action("mandatory", tuple(targets), tuple(notes))


def board_facts(quadrants: Sequence[Quadrant], notation: Notation) -> Facts:
    """Return the facts of a board of four quadrants."""
    name = " ".join(quadrant.name for quadrant in quadrants)
    board = Board(name, join_quadrants(*quadrants), notation=notation)
    yields: list[Row] = []
    for kind, *numbers in board.facts["terrain"]:
        if kind != Name("town"):
            continue
        place = read_hex(tuple(numbers))
        row, column = place
        is_south = 2 * row // board.height
        is_east = 2 * column // board.width
        quadrant = quadrants[2 * is_south + is_east]
        tile = quadrant.name.replace("-", "_")
        yields.append((place, Name(tile)))
    return {**board.facts, "yields": yields}


def find_spaces(
    quadrants: Sequence[Quadrant], notation: Notation, kind: str = "nomad"
) -> list[Hex]:
    """List the hexes of a kind of terrain of a board, row by row."""
    symbol = notation.symbols.get(kind)
    found: list[Hex] = []
    for row, symbols in enumerate(join_quadrants(*quadrants)):
        for column, drawn in enumerate(symbols):
            if drawn == symbol:
                found.append((row, column))
    return found


def line_facts(lines: Sequence[Line], *, is_open: bool = False) -> Facts:
    """Return the facts of turns, whose steps are at moments from 1 on.

    Args:
        lines: The turns.
        is_open: Whether the last turn goes on; the rules then look at the moment after its steps.
    """
    facts: dict[str, list[Row]] = {name: [] for name in _LINE_FACTS}
    moment = 0
    part = 0
    for turn, line in enumerate(lines, start=1):
        moment += 1
        if line.player is not None:
            facts["line"].append((turn, line.player))
        facts["opens"].append((turn, moment))
        for number, terrain in enumerate(line.terrains, start=1):
            facts["reveals"].append((turn, number, Name(terrain)))
        if line.before_card is not None:
            facts["further_card"].append((turn, moment + 1 + line.before_card))
        for action in line.actions:
            part += 1
            facts["part"].append((part, turn, Name(action.name)))
            moment = _add_steps(facts, action, part, moment)
            for note in action.notes:
                facts["noted"].append((part, Name(note.event), Name(note.tile), note.place))
        moment += 1
        if is_open and turn == len(lines):
            facts["looks"].append((moment,))
            facts["unfinished"].append((turn,))
            moment += 1
        facts["closes"].append((turn, moment))
    return facts


def _add_steps(facts: dict[str, list[Row]], action: Action, part: int, moment: int) -> int:
    """Add the facts of an action's steps after a moment, and return the moment of the last one."""
    if not action.targets:
        moment += 1
        facts["step"].append((moment, part, 0))
    for number, target in enumerate(action.targets, start=1):
        moment += 1
        facts["step"].append((moment, part, number))
        facts["at"].append((moment, target.place))
        if target.start is not None:
            facts["from"].append((moment, target.start))
    return moment


_LINE_FACTS = (
    "line",
    "opens",
    "closes",
    "reveals",
    "part",
    "step",
    "at",
    "from",
    "noted",
    "looks",
    "unfinished",
    "further_card",
)

GAME_FILE = FileKind("a game", 16 << 20)

_EVENTS = {"+": "got", "-": "lost"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a game may use, and the contents of the box, by the rules.

    Attributes:
        cards: The cards.
        in_game: The cards that pay during the game.
        always: The cards that pay in every game.
        tiles: The tiles.
        headings: The headings that place something, by their words: the kind of terrain, and of
            what is there.
        terrains: The terrains, also those that the rules refuse in their own words.
        chosen: The cards that may be chosen, and pay at the end.
        dealt: The number of cards of a game.
        deck: The terrain of each terrain card.
        nomads: The nomad tiles.
        quadrants: The quadrants.
        notation: The meaning of their symbols.
    """

    cards: frozenset[str]
    in_game: frozenset[str]
    always: frozenset[str]
    tiles: frozenset[str]
    headings: Mapping[str, tuple[str, str]]
    terrains: frozenset[str]
    chosen: tuple[str, ...]
    dealt: int
    deck: tuple[str, ...]
    nomads: tuple[str, ...]
    quadrants: tuple[Quadrant, ...]
    notation: Notation


@cache_by_rules
def load_names(rules: GameRules) -> Names:
    """Return the names that a game may use."""
    if rules.has_user_files():
        asp.check_stated_once(rules)
    answer = rules.ask(asp.BOX, {"players": [(2,)]})
    notation = load_notation(rules)
    in_game = frozenset(row.name for row in answer.read(asp.DeedRow))
    always = {row.card for row in answer.read(asp.ChosenRow)}
    cards = sorted(answer.read(Card))
    chosen: list[str] = []
    for card in cards:
        if card.number:
            chosen.append(card.name)
        else:
            always.add(card.name)
    tiles = frozenset(row.name for row in answer.read(asp.TileRow))
    dealt = [row.number for row in answer.read(asp.CardsDealtRow)]
    headings: dict[str, tuple[str, str]] = {}
    for thing in sorted(answer.read(asp.ThingRow)):
        headings[thing.word] = (thing.terrain, thing.kind)
    return Names(
        cards=in_game.union(card.name for card in cards),
        in_game=in_game,
        tiles=tiles,
        headings=headings,
        terrains=frozenset(notation.kinds[symbol] for symbol in notation.settled[1:]),
        always=frozenset(always),
        chosen=tuple(chosen),
        dealt=max(dealt, default=0),
        deck=_repeat_names(answer.read(asp.TerrainCardsRow)),
        nomads=_repeat_names(answer.read(asp.CopiesRow)),
        quadrants=read_quadrants(rules, tiles),
        notation=notation,
    )


def _repeat_names(rows: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return each name as many times as the number in its row says."""
    names: list[str] = []
    for name, number in sorted(rows):
        names += repeat(name, number)
    return tuple(names)


def tiles_of(lines: Iterable[Line]) -> set[str]:
    """Return the tiles that are used in some turns."""
    names: set[str] = set()
    for line in lines:
        names.update(action.name for action in line.actions)
    return names - {"mandatory"}


def write_headings(game: GameRecord, rules: GameRules) -> str:
    """Write the headings of a game; a comment has the changes of the rules, to check it by."""
    lines: list[str] = []
    options = rules.changes.words()
    if options:
        lines.append(f"% check with {visible(shlex.join(options))}")
    lines.append(_join_words("board", _list_quadrants(game, rules)))
    if game.cards:
        lines.append(_join_words("cards", game.cards))
    lines.append(f"players {game.players}")
    lines.append(f"start {game.start}")
    for player, name in sorted(game.labels.names.items()):
        lines.append(f"% player {player}: {name}")
    for place, tile in game.nomads:
        lines.append(f"nomad {_write_hex(place)} {_hyphen(tile)}")
    for what in game.placed:
        lines.append(_join_words(_hyphen(what.word), map(_write_hex, what.places)))
    return "".join(f"{line}\n" for line in lines)


def _join_words(first: str, others: Iterable[str]) -> str:
    return " ".join([first, *others])


def _list_quadrants(game: GameRecord, rules: GameRules) -> list[str]:
    """List the names of a game's quadrants; those that are turned end in ``/180``."""
    printed = load_names(rules).quadrants
    return [
        quadrant.name if quadrant in printed else f"{quadrant.name}/180"
        for quadrant in game.quadrants
    ]


def write_line(player: int, line: Line) -> str:
    """Write a player's turn as a line."""
    cards = _hyphen("/".join(line.terrains))
    actions = write_actions(line.actions)
    return f"{player} {cards}: {actions}".rstrip() + "\n"


def write_actions(actions: Iterable[Action]) -> str:
    """Write actions: ``4,11 4,12; farm 6,12``."""
    return "; ".join(map(write_action, actions))


def write_action(action: Action) -> str:
    """Write an action: ``barn 3,15>4,2``."""
    words: list[str] = []
    if action.name != "mandatory":
        words.append(_hyphen(action.name))
    for target in action.targets:
        word = _write_hex(target.place)
        if target.start is not None:
            word = f"{_write_hex(target.start)}>{word}"
        words.append(word)
    return " ".join(words)


def _write_hex(place: Hex) -> str:
    row, column = place
    return f"{row},{column}"


def _hyphen(name: str) -> str:
    return name.replace("_", "-")


def read_game(text: str, names: Names, *, name: str = "<game>") -> GameRecord:
    """Read a game.

    Raises:
        FormatError: The text does not follow the format, or has an unknown name.
        InputError: A heading is missing.
    """
    return _NotationReader(normalise(text), names, name).read()


def read_actions(text: str, names: Names, *, name: str) -> tuple[Action, ...]:
    """Read actions of a turn, such as ``4,11 4,12; farm 6,12``; see `read_game`."""
    return _NotationReader(normalise(text), names, name).read_actions()


def read_answer(line: str, names: Names) -> tuple[Action, ...]:
    """Read the actions of a bot or a person, without remarks about tiles."""
    if not line.strip():
        return ()
    actions = read_actions(line, names, name="answer")
    return tuple(replace(action, notes=()) for action in actions)


class _NotationReader:
    """Reads one text, and collects its mistakes.

    A part with a mistake gets some value, as the text is refused at the end.
    """

    def __init__(self, text: str, names: Names, name: str) -> None:
        self._text = text
        self._names = names
        self._name = name
        self._mistakes = Mistakes()

    def read(self) -> GameRecord:
        if not is_game(self._text):
            hint = "a board is scored by kb-score score, or checked together with its claims"
            message = f"this is no game: a heading or a turn is expected; {hint}"
            raise FormatError(place_at(self._text, 1, 1, self._name), message)
        tree = parse_lines(
            "kingdom_builder_game", self._text, name=self._name, mistakes=self._mistakes, fold=True
        )
        # After a line with a mistake nothing is missing, and turns have no known numbers.
        is_whole = not self._mistakes
        parts = _list_trees(tree) if tree else []
        given = self._sort_headings(parts)
        if is_whole:
            self._check_headings(given)
        quadrants = self._read_quadrants(given.get("board", ()))
        players, start = self._read_players(given)
        nomads = given.get("nomad", [])  # alternately a hex and a tile
        spots: list[Hex] = []
        placed: list[Placed] = []
        if len(quadrants) == _QUADRANTS:
            spots = self._find_spots(nomads[::2], quadrants, "nomad", "nomad tile")
            for word, heading in self._names.headings.items():
                if word in given:
                    terrain, kind = heading
                    places = self._find_spots(given[word], quadrants, terrain, kind)
                    placed.append(Placed(word, kind, tuple(places)))
        tiles = [self._tile(token) for token in nomads[1::2]]
        cards = self._read_cards(given.get("cards", ()))
        lines: list[Line] = []
        claimed = None
        for part in parts:
            if part.data == "turn":
                number = len(lines) + 1
                lines.append(self._read_line(part, number if is_whole else None))
            elif part.data == "claim":
                claimed = self._read_claim(part, players)
        with self._mistakes.catch():
            labels = read_labels(self._text.split("\n"), 1, self._name)
        self._mistakes.raise_any()
        return GameRecord(
            name=self._name,
            quadrants=quadrants,
            players=players,
            start=start,
            cards=cards,
            nomads=tuple(zip(spots, tiles, strict=True)),
            placed=tuple(placed),
            lines=tuple(lines),
            notation=self._names.notation,
            claimed=claimed,
            labels=labels,
        )

    def read_actions(self) -> tuple[Action, ...]:
        name = self._name
        tree = parse("kingdom_builder_game", self._text, name=name, start="actions", fold=True)
        actions = tuple(map(self._read_action, _list_trees(tree)))
        self._mistakes.raise_any()
        return actions

    def _report(self, token: Token, message: str) -> None:
        """Report a mistake at a token."""
        self._report_at(token.line or 1, token.column or 1, message)

    def _report_at(self, line: int, column: int, message: str) -> None:
        add_mistake(self._mistakes, self._text, line, column, self._name, message)

    def _sort_headings(self, parts: Sequence[Tree[Token]]) -> dict[str, list[Token]]:
        """Return the tokens of the headings by the word that these begin with."""
        given: dict[str, list[Token]] = {}
        for part in parts:
            word = _HEADING_RULES.get(part.data)
            tokens = _tokens(part)
            if part.data == "placed":
                thing = tokens.pop(0)
                word = thing.replace("-", "_")
                if not self._check_heading(thing, word):
                    continue
            if word is None:
                continue
            if word in given and word != "nomad":
                number = tokens[0].line or 1
                line = self._text.lower().split("\n")[number - 1]
                column = len(line) - len(line.lstrip()) + 1
                self._report_at(number, column, f"there is a second heading {word!r}")
            else:
                given.setdefault(word, []).extend(tokens)
        return given

    def _check_heading(self, token: Token, word: str) -> bool:
        """Report a heading that places nothing known; return whether it places something."""
        known = self._names.headings
        if word in known:
            return True
        listed = describe_list([*HEADINGS, *known]) + guess(word, [*HEADINGS, *known])
        self._report(token, f"there is no heading {str(token)!r}: {listed}")
        return False

    def _check_headings(self, given: Mapping[str, Sequence[Token]]) -> None:
        for word in ("board", "players"):
            if word not in given:
                message = f"the heading {word!r} is missing, such as {_SAMPLES[word]!r}"
                self._mistakes.add(InputError(self._name, message))

    def _read_players(self, given: Mapping[str, Sequence[Token]]) -> tuple[int, int]:
        """Return the number of players, and who starts; 0 where that is not known."""
        players = 0
        start = 1
        for token in given.get("players", ()):
            players = self._number(token)
            if not 1 <= players <= MAX_PLAYERS:
                self._report(token, f"there are 1 to {MAX_PLAYERS} players, not {players}")
                players = 0
        for token in given.get("start", ()):
            start = self._number(token)
            if players and not 1 <= start <= players:
                self._report(token, f"one of the players 1 to {players} starts, not {start}")
        return players, start

    def _read_quadrants(self, tokens: Sequence[Token]) -> tuple[Quadrant, ...]:
        """Return the quadrants without those that have mistakes."""
        known = {quadrant.name: quadrant for quadrant in self._names.quadrants}
        found: dict[str, Quadrant] = {}
        for token, following in zip_longest(tokens, tokens[1:]):
            if token.type == "TURNED" or not self._check(token, known, "quadrant"):
                continue
            if token in found:
                self._report(token, f"the quadrant {token} is there twice")
                continue
            quadrant = known[token]
            if following is not None and following.type == "TURNED":
                quadrant = quadrant.turn()
            found[token] = quadrant
        return tuple(found.values())

    def _read_cards(self, tokens: Sequence[Token]) -> tuple[str, ...]:
        found: list[str] = []
        for token in tokens:
            if self._check(token, self._names.cards, "card") and token in found:
                self._report(token, f"the card {token} is there twice")
            found.append(str(token))
        return tuple(found)

    def _find_spots(
        self, tokens: Sequence[Token], quadrants: Sequence[Quadrant], kind: str, thing: str
    ) -> list[Hex]:
        """Return different hexes of a kind of terrain, each of which gets such a thing."""
        spaces = find_spaces(quadrants, self._names.notation, kind)
        ground = "nomad space" if kind == "nomad" else kind
        found: list[Hex] = []
        for token in tokens:
            place = self._hex(token)
            if place not in spaces:
                self._report(token, f"{token} is no {ground} of this board")
            elif place in found:
                self._report(token, f"a second {thing} on {token}")
            found.append(place)
        return found

    def _read_line(self, turn: Tree[Any], number: int | None) -> Line:
        """Read a turn; ``number`` is its number in the game, if that is known."""
        # Where a turn has no action, Lark puts None.
        children: list[Any] = [child for child in turn.children if child is not None]
        if children[0].type == "NUMBER":
            said = children.pop(0)
            if number is not None and said.lstrip("0") != f"{number}.":
                self._report(said, f"this is turn {number}, not {said[:-1]}")
        player, cards, *actions = children
        terrains: list[str] = []
        for token in _tokens(cards):
            if token.type == "FIELD":
                token = token.update(value="flower")
            terrains.append(self._read_name(token, self._names.terrains, "terrain"))
        done = tuple(map(self._read_action, actions))
        return Line(self._number(player), tuple(terrains), done)

    def _read_action(self, action: Tree[Any]) -> Action:
        trees = _list_trees(action)
        tokens: list[Any] = [child for child in action.children if isinstance(child, str)]
        notes = tuple(self._read_note(tree) for tree in trees if tree.data == "note")
        if action.data == "mandatory":
            places = map(self._hex, tokens)
            return Action("mandatory", tuple(ActionTarget(None, place) for place in places), notes)
        targets = tuple(self._read_target(tree) for tree in trees if tree.data == "place")
        return Action(self._tile(tokens[0]), targets, notes)

    def _read_target(self, tree: Tree[Token]) -> ActionTarget:
        hexes = list(map(self._hex, _tokens(tree)))
        if len(hexes) == 1:
            return ActionTarget(None, hexes[0])
        return ActionTarget(*hexes)

    def _read_note(self, note: Tree[Token]) -> Note:
        sign, tile, place = _tokens(note)
        return Note(_EVENTS[sign], self._tile(tile), self._hex(place))

    def _read_claim(self, part: Tree[Token], players: int) -> tuple[int, ...]:
        tokens = _tokens(part)
        if players and len(tokens) != players:
            message = f"expected gold for each of {players} players, not {len(tokens)} values"
            self._report(tokens[-1], message)
        return tuple(map(self._number, tokens))

    def _tile(self, token: Token) -> str:
        return self._read_name(token, self._names.tiles, "tile")

    def _read_name(self, token: Token, known: Iterable[str], what: str) -> str:
        """Read a name of the rules, which a record may write with hyphens."""
        self._check(token, set(map(_hyphen, known)), what)
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
        row, column = token.split(",")
        return self._number(token, row), self._number(token, column.strip())

    def _number(self, token: Token, word: str = "") -> int:
        """Read a number; one that is too large is reported, and read as 0."""
        try:
            return read_number(word or token, token, self._text, self._name)
        except FormatError as error:
            self._mistakes.add(error)
            return 0


# The words that headings begin with, by the rules of the grammar: "start" has a meaning of its own.
_HEADING_RULES = {word: word for word in HEADINGS if word != "start"} | {"first": "start"}
_QUADRANTS = 4  # make a board
_SAMPLES = {"board": "board oracle farm/180 tavern paddock", "players": "players 2"}


def _list_trees(tree: Tree[Any]) -> list[Tree[Any]]:
    """List the children of a tree that are not tokens."""
    return [child for child in tree.children if not isinstance(child, str)]


def _tokens(tree: Tree[Any]) -> list[Token]:
    """Return the tokens of a tree, also those further down."""
    return list(tree.scan_values(lambda value: isinstance(value, str)))
