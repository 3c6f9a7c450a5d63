"""Read Kingdom Builder records as facts, and write games as records."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby, repeat, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kb_score.engine.rules import Answer, GameRules, cache_by_rules
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
    FactRows,
    Hex,
    Notation,
    Quadrant,
    is_game,
    join_quadrants,
    load_notation,
    look_like_rows,
    parse_board,
    read_quadrants,
)
from kb_score.games.kingdom_builder.rules import Card
from kb_score.games.labels import NO_LABELS, Labels, read_labels
from kb_score.grammar import add_mistake, parse, parse_lines, place_at, read_number
from kb_score.shell.files import normalise

if TYPE_CHECKING:
    from lark import Token, Tree

# The tokens of the headings of a record, by the words that the headings begin with.
_HeadingTokens: TypeAlias = "Mapping[str, Sequence[Token]]"

FACTS_OF = BOARD_FILE
_BARE = re.compile(r"[0-9.]+")


def recognises(text: str) -> bool:
    """Return whether the text of a file looks like a board or a game."""
    if is_game(text):
        return True
    lines = [line.strip() for line in text.splitlines()]
    rows = [line for line in lines if line and not line.startswith("%")]
    if not rows or not look_like_rows(rows):
        return False
    # A first line of numbers, such as "24 14 4 5", is not a row: a hex has only one digit.
    words = rows[0].split()
    if len(words) > 1 and all(map(str.isdigit, words)):
        longest = max(map(len, words))
        if longest > 1:
            return False
    return not _is_series(lines)


def _is_series(lines: Sequence[str]) -> bool:
    """Return whether lines are a series of squares of one size with only digits and dots.

    Files of boards differ from this: they have letters, or blanks between the hexes.
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
    """Return the facts of a board or a game."""
    if is_game(text):
        names = load_names(GameRules("kingdom_builder"))
        return read_game(text, names, name=name).facts
    return parse_board(text, name=name).facts


def read_hex(value: Value) -> Hex:
    """Return a hex, which an answer gives as a pair of row and column."""
    assert isinstance(value, tuple)
    row, column = value
    assert isinstance(row, int)
    assert isinstance(column, int)
    return row, column


class ActionTarget(NamedTuple):
    """The hex on which an action puts a settlement or a wall.

    The start is the hex that the settlement leaves; None if the action does not move one.
    """

    start: Hex | None
    place: Hex


class Note(NamedTuple):
    """A remark in a record about a tile of a hex that a player "got" or "lost"."""

    event: str
    tile: str
    place: Hex


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a turn: ``mandatory``, or that of a tile.

    The targets are in the order of play. The notes are remarks about tiles.
    """

    name: str
    targets: tuple[ActionTarget, ...]
    notes: tuple[Note, ...] = ()


Actions: TypeAlias = tuple[Action, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A turn.

    Attributes:
        player: The player whose turn it is; None if the record does not name the player.
        terrains: The terrains of the cards.
        before_card: The number of targets before the newest card, in a turn with several cards
            that is still being played; otherwise None.
    """

    player: int | None
    terrains: tuple[str, ...]
    actions: Actions
    before_card: int | None = None

    def drawn_now(self) -> Line:
        """Return the turn with its newest card drawn after the actions so far."""
        if len(self.terrains) < 2:
            return replace(self, before_card=None)
        done = 0
        for action in self.actions:
            # An action without targets counts as one step.
            done += max(1, len(action.targets))
        return replace(self, before_card=done)


@dataclass(frozen=True, slots=True)
class Placed:
    """Pieces of one kind that lie on the board, such as capitols.

    Attributes:
        word: The word of their heading.
        kind: What the rules call them.
    """

    word: str
    kind: str
    places: tuple[Hex, ...]


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A record of a game.

    Attributes:
        name: The record's name in messages, usually its path.
        quadrants: The quadrants in the north-west, north-east, south-west and south-east.
        start: The player who has the first turn.
        cards: The cards, without those that pay in every game.
        nomads: The nomad spaces, each with the tile that lies on it.
        placed: The other pieces on the board, such as capitols and caves, by heading.
        lines: The turns.
        claimed: The gold of each player that the record claims; None if it claims none.
        labels: The names of the players.
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
        lies_on: list[Row] = []
        for pieces in self.placed:
            kind = Name(pieces.kind)
            for place in pieces.places:
                lies_on.append((kind, place))
        claimed_gold: list[Row] = list(enumerate(self.claimed or (), start=1))
        return {
            **board_facts(self.quadrants, self.notation),
            **line_facts(self.lines),
            "players": [(self.players,)],
            "starter": [(self.start,)],
            "chosen": [(Name(card),) for card in self.cards],
            "nomad": [(place, Name(tile)) for place, tile in self.nomads],
            "lies_on": lies_on,
            "claimed_gold": claimed_gold,
        }


def join_actions(actions: Iterable[Action]) -> Iterator[Action]:
    """Yield actions, with adjacent mandatory actions joined into one."""
    for is_mandatory, group in groupby(actions, key=_is_mandatory):
        if not is_mandatory:
            yield from group
            continue
        pieces = list(group)
        targets = chain.from_iterable(piece.targets for piece in pieces)
        notes = chain.from_iterable(piece.notes for piece in pieces)
        yield Action("mandatory", tuple(targets), tuple(notes))


def _is_mandatory(action: Action) -> bool:
    return action.name == "mandatory"


def board_facts(quadrants: Sequence[Quadrant], notation: Notation) -> Facts:
    """Return the facts of a board of quadrants, from the north-west to the south-east."""
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
    """Return the hexes of a kind of terrain on a board of four quadrants, row by row."""
    symbol = notation.symbols.get(kind)
    found: list[Hex] = []
    for row, symbols in enumerate(join_quadrants(*quadrants)):
        for column, drawn in enumerate(symbols):
            if drawn == symbol:
                found.append((row, column))
    return found


@dataclass(frozen=True, slots=True)
class Count:
    """How many turns and steps of a game come before some turns."""

    turns: int = 0
    steps: int = 0


START = Count()


def line_facts(
    lines: Sequence[Line], before: Count = START, *, is_open: bool = False, looks: bool = False
) -> FactRows:
    """Return the facts of turns: a step for each card, each target of an action, and each end.

    Args:
        before: What comes before the turns.
        is_open: Whether the last turn goes on.
        looks: Whether the question is what is legal in the last turn, which goes on.
    """
    facts = _StepFacts(before)
    for number, line in enumerate(lines, start=1):
        facts.add_turn(line)
        is_last = number == len(lines)
        if looks and is_last:
            facts.add_step("looks")
        elif not is_open or not is_last:
            facts.add_step("done")
    return facts.rows


def count_turns(answer: Answer, facts: Facts) -> Answer:
    """Return an answer whose violations are those of turns: the rules speak of steps."""
    signature = ("violation", 4)
    if signature not in answer.rows:
        return answer
    turn_of = {step: turn for turn, step in facts.get("step", ())}
    rows = [(turn_of.get(step, step), *rest) for step, *rest in answer.rows[signature]]
    return Answer({**answer.rows, signature: rows})


class _StepFacts:
    """Collects the facts of turns, step by step."""

    def __init__(self, before: Count) -> None:
        """Begin after some turns."""
        self.rows: FactRows = {name: [] for name in _LINE_FACTS}
        self._turn = before.turns
        self._step = before.steps
        self._until_card: int | None = None  # how many steps come before the newest card was drawn

    def add_turn(self, line: Line) -> None:
        """Add a turn, without its end."""
        self._turn += 1
        self._until_card = None
        for number, terrain in enumerate(line.terrains):
            self.add_step("shows", Name(terrain))
            if line.player is not None and not number:
                self._add("said", line.player)
        self._until_card = line.before_card
        for action in line.actions:
            first = self._step + 1
            for number, target in enumerate(action.targets or (None,)):
                self._add_target(action, target, number)
            for note in action.notes:
                row = (Name(note.event), Name(note.tile), note.place, first, self._step)
                self.rows["noted"].append(row)

    def _add_target(self, action: Action, target: ActionTarget | None, number: int) -> None:
        """Add the step of a target, counted from 0, or that of an action without targets."""
        self.add_step("")
        if action.name != "mandatory" and not number:
            self._add("uses_tile", Name(action.name))
        elif action.name != "mandatory":
            self._add("continues")
        if target is not None:
            self._add("on", target.place)
            if target.start is not None:
                self._add("from", target.start)

    def add_step(self, name: str, *values: Value) -> None:
        """Add a step with a fact about it, or without one if its name is empty."""
        self._step += 1
        self.rows["turn"].append((self._step,))
        self.rows["step"].append((self._turn, self._step))
        if self._until_card is not None:
            if not self._until_card:
                self._add("further")
            self._until_card -= 1
        if name:
            self._add(name, *values)

    def _add(self, name: str, *values: Value) -> None:
        """Add a fact about the last step."""
        self.rows[name].append((*values, self._step))


_LINE_FACTS = (
    "turn",
    "step",
    "shows",
    "said",
    "further",
    "on",
    "from",
    "uses_tile",
    "continues",
    "done",
    "looks",
    "noted",
)

GAME_FILE = FileKind("a game", 16 << 20)

_EVENTS = {"+": "got", "-": "lost"}


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a game may use, and the contents of the box, as the rules define them.

    Attributes:
        in_game: The cards that pay during the game.
        always: The cards that pay in every game.
        headings: The headings that place pieces: for the word of each, the kind of terrain and the
            kind of piece.
        terrains: The terrains that a turn may name; the rules refuse some of them with messages of
            their own.
        chosen: The cards that pay at the end and may be chosen.
        dealt: The number of cards that a game has, without those that pay in every game.
        deck: The terrain of each terrain card.
        nomads: The nomad tiles.
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
    """Return the names that a game may use; two files that declare the same one are a RuleError."""
    if rules.has_user_files():
        asp.check_defined_once(rules)
    answer = rules.ask(asp.BOX, {"players": [(2,)]})
    notation = load_notation(rules)
    in_game = frozenset(row.name for row in answer.read(asp.DeedRow))
    always = {card for (card,) in answer["chosen"]}
    cards = sorted(answer.read(Card))
    chosen: list[str] = []
    for card in cards:
        if card.number:
            chosen.append(card.name)
        else:
            always.add(card.name)
    tiles = frozenset(row.name for row in answer.read(asp.TileRow))
    dealt = [number for (number,) in answer["cards_dealt"]]
    things = sorted(answer.read(asp.ThingRow))
    headings = {thing.word: (thing.terrain, thing.kind) for thing in things}
    terrains = [notation.kinds[symbol] for symbol in notation.settled[1:]]
    return Names(
        cards=in_game.union(card.name for card in cards),
        in_game=in_game,
        tiles=tiles,
        headings=headings,
        terrains=frozenset(terrains),
        always=frozenset(always),
        chosen=tuple(chosen),
        dealt=max(dealt, default=0),
        deck=_repeat_names(answer["terrain_cards"]),
        nomads=_repeat_names(answer["copies"]),
        quadrants=read_quadrants(rules, tiles),
        notation=notation,
    )


def _repeat_names(rows: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    """Return each name as many times as its row says, in alphabetical order."""
    names: list[str] = []
    for name, number in sorted(rows):
        names += repeat(name, number)
    return tuple(names)


def tiles_of(lines: Iterable[Line]) -> set[str]:
    """Return the names of the tiles that some turns use."""
    actions = chain.from_iterable(line.actions for line in lines)
    return {action.name for action in actions} - {"mandatory"}


def write_headings(game: GameRecord, rules: GameRules) -> str:
    """Return the headings of a game as lines of a record.

    A comment lists the options with which the record is checked, if the rules were changed.
    """
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
        lines.append(f"nomad {_write_hex(place)} {_hyphenate(tile)}")
    for pieces in game.placed:
        places = map(_write_hex, pieces.places)
        lines.append(_join_words(_hyphenate(pieces.word), places))
    return "".join(f"{line}\n" for line in lines)


def _join_words(first: str, others: Iterable[str]) -> str:
    return " ".join([first, *others])


def _list_quadrants(game: GameRecord, rules: GameRules) -> list[str]:
    """Return the names of a game's quadrants; those of turned quadrants end in ``/180``."""
    printed = load_names(rules).quadrants
    return [
        quadrant.name if quadrant in printed else f"{quadrant.name}/180"
        for quadrant in game.quadrants
    ]


def write_line(player: int, line: Line) -> str:
    """Return a turn as a line of a record."""
    terrains = "/".join(line.terrains)
    cards = _hyphenate(terrains)
    actions = write_actions(line.actions)
    text = f"{player} {cards}: {actions}".rstrip()
    return f"{text}\n"


def write_actions(actions: Iterable[Action]) -> str:
    """Return actions as text, such as ``4,11 4,12; farm 6,12``."""
    return "; ".join(map(write_action, actions))


def write_action(action: Action) -> str:
    """Return an action as text, such as ``barn 3,15>4,2``."""
    words: list[str] = []
    if action.name != "mandatory":
        words.append(_hyphenate(action.name))
    for target in action.targets:
        word = _write_hex(target.place)
        if target.start is not None:
            start = _write_hex(target.start)
            word = f"{start}>{word}"
        words.append(word)
    return " ".join(words)


def _write_hex(place: Hex) -> str:
    row, column = place
    return f"{row},{column}"


def _hyphenate(name: str) -> str:
    return name.replace("_", "-")


def read_game(text: str, names: Names, *, name: str = "<game>") -> GameRecord:
    """Return the game of a record, which has a name in errors.

    A text that does not follow the format, or has an unknown name, is a FormatError; a missing
    heading is an InputError.
    """
    reader = _NotationReader(normalise(text), names, name)
    return reader.read()


def read_actions(text: str, names: Names, *, name: str) -> Actions:
    """Return the actions of text such as ``4,11 4,12; farm 6,12``, which has a name in errors."""
    reader = _NotationReader(normalise(text), names, name)
    return reader.read_actions()


def read_answer(line: str, names: Names) -> Actions:
    """Return the actions in the answer of a bot or a person, without remarks about tiles.

    The answer may be empty.
    """
    if not line.strip():
        return ()
    actions = read_actions(line, names, name="answer")
    return tuple(replace(action, notes=()) for action in actions)


class _NotationReader:
    """Reads the text of a record, or of actions, and collects its mistakes.

    A part with a mistake gets an arbitrary value, because the text is refused at the end.
    """

    def __init__(self, text: str, names: Names, name: str) -> None:
        self._text = text
        self._names = names
        self._name = name
        self._mistakes = Mistakes()

    def read(self) -> GameRecord:
        if not is_game(self._text):
            hint = "to score a board, run kb-score score; to check one, name its claims, too"
            message = f"this is not a game: expected a heading or a turn; {hint}"
            place = place_at(self._text, 1, 1, self._name)
            raise FormatError(place, message)
        tree = parse_lines(
            "kingdom_builder_game", self._text, name=self._name, mistakes=self._mistakes, fold=True
        )
        # A line that cannot be parsed may be the missing heading, or a turn.
        is_whole = not self._mistakes
        parts = [] if tree is None else _list_trees(tree)
        given = self._sort_headings(parts)
        if is_whole:
            self._check_headings(given)
        board_tokens = given.get("board", ())
        quadrants = self._read_quadrants(board_tokens)
        players, start = self._read_players(given)
        nomads = given.get("nomad", [])
        # The tokens of nomads are alternately a hex and a tile.
        nomad_hexes = nomads[::2]
        nomad_tiles = nomads[1::2]
        spots: list[Hex] = []
        placed: list[Placed] = []
        if len(quadrants) == _QUADRANTS:
            spots = self._find_spots(nomad_hexes, quadrants, "nomad", "nomad tile")
            placed = self._read_placed(given, quadrants)
        tiles = [self._tile(token) for token in nomad_tiles]
        card_tokens = given.get("cards", ())
        cards = self._read_cards(card_tokens)
        lines: list[Line] = []
        claimed = None
        for part in parts:
            if part.data == "turn":
                number = len(lines) + 1 if is_whole else None
                line = self._read_line(part, number)
                lines.append(line)
            elif part.data == "claim":
                claimed = self._read_claim(part, players)
        with self._mistakes.catch():
            text_lines = self._text.split("\n")
            labels = read_labels(text_lines, 1, self._name)
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

    def read_actions(self) -> Actions:
        name = self._name
        tree = parse("kingdom_builder_game", self._text, name=name, start="actions", fold=True)
        actions = tuple(map(self._read_action, _list_trees(tree)))
        self._mistakes.raise_any()
        return actions

    def _report(self, token: Token, message: str) -> None:
        """Report a mistake at a token."""
        line = token.line or 1
        column = token.column or 1
        self._report_at(line, column, message)

    def _report_at(self, line: int, column: int, message: str) -> None:
        add_mistake(self._mistakes, self._text, line, column, self._name, message)

    def _sort_headings(self, parts: Sequence[Tree[Token]]) -> dict[str, list[Token]]:
        """Return the tokens of the headings, by the words that the headings begin with."""
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
        """Return whether a heading exists; report one that does not."""
        known = self._names.headings
        if word in known:
            return True
        headings = [*HEADINGS, *known]
        listed = describe_list(headings) + guess(word, headings)
        self._report(token, f"there is no heading {str(token)!r}: choose {listed}")
        return False

    def _check_headings(self, given: _HeadingTokens) -> None:
        for word in ("board", "players"):
            if word not in given:
                message = f"the heading {word!r} is missing: add one such as {_SAMPLES[word]!r}"
                self._mistakes.add(InputError(self._name, message))

    def _read_players(self, given: _HeadingTokens) -> tuple[int, int]:
        """Return the number of players, 0 if it is not known, and the player who starts."""
        players = 0
        start = 1
        for token in given.get("players", ()):
            number = self._number(token)
            players = number if number is not None and 1 <= number <= MAX_PLAYERS else 0
            if number is not None and not players:
                self._report(token, f"expected 1 to {MAX_PLAYERS} players, not {number}")
        for token in given.get("start", ()):
            first = self._number(token)
            start = first or 0
            if players and first is not None and not 1 <= first <= players:
                self._report(token, f"start must be from 1 to {players}, not {first}")
        return players, start

    def _read_quadrants(self, tokens: Sequence[Token]) -> tuple[Quadrant, ...]:
        """Return the quadrants that have no mistakes."""
        known = {quadrant.name: quadrant for quadrant in self._names.quadrants}
        found: dict[str, Quadrant] = {}
        for token, following in zip_longest(tokens, tokens[1:]):
            if token.type == "TURNED" or not self._check(token, known, "quadrant"):
                continue
            if token in found:
                self._report(token, f"the quadrant {token} is named twice")
                continue
            quadrant = known[token]
            if following is not None and following.type == "TURNED":
                quadrant = quadrant.turn()
            found[token] = quadrant
        return tuple(found.values())

    def _read_cards(self, tokens: Sequence[Token]) -> tuple[str, ...]:
        found: list[str] = []
        for token in tokens:
            is_card = self._check(token, self._names.cards, "card")
            if is_card and token in found:
                self._report(token, f"the card {token} is named twice")
            found.append(str(token))
        return tuple(found)

    def _read_placed(self, given: _HeadingTokens, quadrants: Sequence[Quadrant]) -> list[Placed]:
        """Return the pieces that headings place, such as capitols."""
        placed: list[Placed] = []
        for word, heading in self._names.headings.items():
            if word in given:
                terrain, kind = heading
                places = self._find_spots(given[word], quadrants, terrain, kind)
                placed.append(Placed(word, kind, tuple(places)))
        return placed

    def _find_spots(
        self, tokens: Sequence[Token], quadrants: Sequence[Quadrant], kind: str, thing: str
    ) -> list[Hex]:
        """Return the hexes on which a thing lies; report repeated ones, and other terrain."""
        spaces = find_spaces(quadrants, self._names.notation, kind)
        ground = "nomad space" if kind == "nomad" else f"{kind} hex"
        found: list[Hex] = []
        for token in tokens:
            place = self._hex(token)
            if place not in spaces:
                self._report(token, f"{token} is not a {ground} of this board")
            elif place in found:
                self._report(token, f"a second {thing} on {token}")
            found.append(place)
        return found

    def _read_line(self, turn: Tree[Any], number: int | None) -> Line:
        """Return a turn; ``number`` is its number in the game, None if that is not known."""
        # Lark puts None in place of missing actions.
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
        return Line(self._number(player) or 0, tuple(terrains), done)

    def _read_action(self, action: Tree[Any]) -> Action:
        tokens: list[Any] = []
        notes: list[Note] = []
        moves: list[Tree[Any]] = []
        for child in action.children:
            if isinstance(child, str):
                tokens.append(child)
            elif child.data == "note":
                notes.append(self._read_note(child))
            elif child.data == "place":
                moves.append(child)
        if action.data == "mandatory":
            name = "mandatory"
            targets = [ActionTarget(None, self._hex(token)) for token in tokens]
        else:
            targets = [self._read_target(tree) for tree in moves]
            name = self._tile(tokens[0])
        return Action(name, tuple(targets), tuple(notes))

    def _read_target(self, tree: Tree[Token]) -> ActionTarget:
        hexes = list(map(self._hex, _tokens(tree)))
        if len(hexes) == 1:
            return ActionTarget(None, hexes[0])
        return ActionTarget(*hexes)

    def _read_note(self, note: Tree[Token]) -> Note:
        sign, tile_token, place_token = _tokens(note)
        tile = self._tile(tile_token)
        place = self._hex(place_token)
        return Note(_EVENTS[sign], tile, place)

    def _read_claim(self, part: Tree[Token], players: int) -> tuple[int, ...]:
        tokens = _tokens(part)
        if players and len(tokens) != players:
            message = f"expected gold for each of {players} players, not for {len(tokens)}"
            self._report(tokens[-1], message)
        return tuple(self._number(token) or 0 for token in tokens)

    def _tile(self, token: Token) -> str:
        return self._read_name(token, self._names.tiles, "tile")

    def _read_name(self, token: Token, known: Iterable[str], what: str) -> str:
        """Return a name as the rules spell it; report an unknown one. Records use hyphens."""
        spellings = set(map(_hyphenate, known))
        self._check(token, spellings, what)
        return token.replace("-", "_")

    def _check(self, token: Token, known: Collection[str], what: str) -> bool:
        """Return whether a name is known; report one that is not."""
        if token in known:
            return True
        if self._mistakes.is_full:
            self._mistakes.count()
            return False
        listed = describe_list(sorted(known)) + guess(token, known)
        self._report(token, f"there is no {what} {str(token)!r}: choose {listed}")
        return False

    def _hex(self, token: Token) -> Hex:
        row_word, column_word = token.split(",")
        row = self._number(token, row_word) or 0
        column = self._number(token, column_word.strip()) or 0
        return row, column

    def _number(self, token: Token, word: str = "") -> int | None:
        """Return the number of a token or of a word in it; report one that is too large."""
        try:
            return read_number(word or token, token, self._text, self._name)
        except FormatError as error:
            self._mistakes.add(error)
            return None


# The words that headings begin with, by the rules of the grammar. The rule for "start" is called
# "first", because the grammar has another rule "start".
_HEADING_RULES = {word: word for word in HEADINGS if word != "start"} | {"first": "start"}
_QUADRANTS = 4  # of a board
_SAMPLES = {"board": "board oracle farm/180 tavern paddock", "players": "players 2"}


def _list_trees(tree: Tree[Any]) -> list[Tree[Any]]:
    """List the children of a tree that are not tokens."""
    return [child for child in tree.children if not isinstance(child, str)]


def _tokens(tree: Tree[Any]) -> list[Token]:
    """Return all tokens of a tree, at any depth."""
    return list(tree.scan_values(lambda value: isinstance(value, str)))
