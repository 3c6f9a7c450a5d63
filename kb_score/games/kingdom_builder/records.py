"""Read Kingdom Builder records as facts, and write games as records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, repeat
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kb_score.engine.rules import GameRules, cache_by_rules
from kb_score.engine.terms import Facts, Name, Row, Value
from kb_score.errors import FileKind, FormatError, describe_list, guess
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    MAX_PLAYERS,
    Board,
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
from kb_score.games.texts import ANSWER
from kb_score.grammar import place_at
from kb_score.shell.files import normalise

if TYPE_CHECKING:
    from kb_score.games.files import GameFiles
    from kb_score.games.texts import ReadText, Report

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
        return read_record(text, GameRules(asp.GAME), name).facts
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


@dataclass(frozen=True, slots=True)
class Action:
    """An action of a turn: ``mandatory``, or that of a tile, with its targets in order.

    More targets of the tile before have the name ``also``.
    """

    name: str
    targets: tuple[ActionTarget, ...]


Actions: TypeAlias = tuple[Action, ...]


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


# The facts of the steps of a record.
_STEP_FACTS = (
    "turn",
    "step",
    "shows",
    "said",
    "on",
    "from",
    "uses_tile",
    "continues",
    "done",
    "noted",
)

# The word before a target that stands apart from those before it.
_ALSO = "also"

GAME_FILE = FileKind("a game", 16 << 20)


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
    answer = rules.ask(asp.BOX, {})
    notation = load_notation(rules)
    in_game = frozenset(row.name for row in answer.read(asp.DeedRow))
    always = {card for (card,) in (*answer["chosen"], *answer["pays_always"])}
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


def write_actions(actions: Iterable[Action]) -> str:
    """Return actions as text, such as ``4,11 4,12; farm 6,12``."""
    return "; ".join(map(write_action, actions))


def write_action(action: Action) -> str:
    """Return an action as text, such as ``barn 3,15>4,2``."""
    words: list[str] = []
    if action.name != "mandatory":
        words.append(hyphenate(action.name))
    for target in action.targets:
        word = write_hex(target.place)
        if target.start is not None:
            start = write_hex(target.start)
            word = f"{start}>{word}"
        words.append(word)
    return " ".join(words)


def write_hex(place: Hex) -> str:
    """Return a hex as records have it."""
    row, column = place
    return f"{row},{column}"


def hyphenate(name: str) -> str:
    """Return a name of the rules as records have it."""
    return name.replace("_", "-")


def read_record(text: str, rules: GameRules, name: str = "<game>") -> ReadText:
    """Return the record of a game, which has a name in errors.

    A text that does not follow the format, or has an unknown name, is a FormatError; a missing
    heading is an InputError.
    """
    text = normalise(text)
    refuse_others(text, name)
    return find_files().read(rules, [(name, text)])


def refuse_others(text: str, name: str) -> None:
    """Raise a FormatError if a text is not a game; it has a name in errors."""
    if not is_game(text):
        hint = "to score a board, run kb-score score; to check one, name its claims, too"
        message = f"this is not a game: expected a heading or a turn; {hint}"
        raise FormatError(place_at(text, 1, 1, name), message)


def find_files() -> GameFiles:
    """Return the folder of the game."""
    return GameFolder(asp.GAME).type.files


def read_actions(text: str, rules: GameRules, name: str) -> Actions:
    """Return the actions of text such as ``4,11 4,12; farm 6,12``, which has a name in errors.

    What it says of tiles that are got and lost is left out.
    """
    files = find_files()
    words = files.find_words(rules)
    read = files.texts.format.read(f"{normalise(text)}\n", name, start=ANSWER, words=words)
    _, *steps = read.list_turns()
    return tuple(_join_steps(steps))


def _join_steps(steps: Iterable[Facts]) -> Iterator[Action]:
    """Yield the actions that some steps make."""
    name = ""
    targets: list[ActionTarget] = []
    for facts in steps:
        if "done" in facts:
            continue
        tiles = [str(tile) for (tile,) in facts.get("uses_tile", ())]
        begun = tiles[0] if tiles else "mandatory"
        if "continues" in facts:
            begun = name or _ALSO
        if name and (tiles or begun != name):
            yield Action(name, tuple(targets))
            targets = []
        name = begun
        starts = [read_hex(place) for (place,) in facts.get("from", ())]
        for (place,) in facts.get("on", ()):
            targets.append(ActionTarget(starts[0] if starts else None, read_hex(place)))
    if name:
        yield Action(name, tuple(targets))


def complete(rules: GameRules, facts: Facts, report: Report, is_whole: bool) -> Facts:
    """Return the facts of a game from those of its text; see `kb_score.games.texts.Complete`."""
    return _Headings(load_names(rules), facts, report).complete(is_whole=is_whole)


class _Headings:
    """Lays out what the headings of a game say, and reports the mistakes in them."""

    def __init__(self, names: Names, facts: Facts, report: Report) -> None:
        self._names = names
        self._facts = facts
        self._report = report

    def complete(self, *, is_whole: bool) -> Facts:
        """Return the facts of the game; those of a text with mistakes do not matter."""
        self._check_repeated()
        if is_whole:
            # A line that cannot be read may be the missing heading, or a turn.
            self._check_missing()
            self._check_numbers()
        quadrants = self._find_quadrants()
        players, start = self._find_players()
        found: dict[str, Sequence[Row]] = {}
        nomads: list[Hex] = []
        lies_on: list[Row] = []
        if len(quadrants) == _QUADRANTS:
            found |= board_facts(quadrants, self._names.notation)
            nomads = self._find_spots("space", self._list("space"), quadrants, "nomad")
            lies_on = self._find_placed(quadrants)
        tiles = [tile for tile, *_ in self._list("lies")]
        return {
            **found,
            **{name: self._facts.get(name, []) for name in _STEP_FACTS},
            "noted": self._list_notes(),
            "players": [(players,)],
            "starter": [(start,)],
            "chosen": self._list_cards(),
            "nomad": list(zip(nomads, tiles, strict=False)),
            "lies_on": lies_on,
            "claimed_gold": self._list_claims(players),
        }

    def _list(self, predicate: str) -> list[Row]:
        """Return the rows of a terminal in the order of the text."""
        return sorted(self._facts.get(predicate, ()), key=lambda row: row[-2:][::-1])

    def _check_repeated(self) -> None:
        """Report headings that are there already; there may be several nomad tiles."""
        for predicate, word in _HEADING_WORDS.items():
            for row in self._list(predicate)[1:]:
                self._report(predicate, row, f"there is a second heading {word!r}")
        seen = set[Value]()
        for row in self._list("heading"):
            if row[0] in seen:
                self._report("heading", row, f"there is a second heading {str(row[0])!r}")
            seen.add(row[0])
        for row in self._list("other"):
            *_, heading = [
                one for one in self._list("heading") if _is_between(one[1], row[0], None)
            ]
            if heading[0] in self._names.headings:
                self._report("other", row, "expected a hex, row and column, such as 4,11")

    def _check_missing(self) -> None:
        if "other" in self._facts:
            return  # one may be misspelt
        for predicate, sample in _SAMPLES.items():
            if predicate not in self._facts:
                word = _HEADING_WORDS[predicate]
                self._report("", (), f"the heading {word!r} is missing: add one such as {sample!r}")

    def _check_numbers(self) -> None:
        """Check the numbers in front of turns."""
        turn_of = {step: turn for turn, step in self._facts.get("step", ())}
        for row in self._facts.get("number", ()):
            said, step = row
            if said != turn_of[step]:
                self._report("number", row, f"this is turn {turn_of[step]}, not {said}")

    def _find_players(self) -> tuple[int, int]:
        """Return the number of players, 0 if it is not known, and the player who starts."""
        players = 0
        start = 1
        for row in self._list("playing")[:1]:
            if isinstance(row[0], int):
                players = row[0]
                if not 1 <= players <= MAX_PLAYERS:
                    message = f"expected 1 to {MAX_PLAYERS} players, not {players}"
                    self._report("playing", row, message, "number")
                    players = 0
        for row in self._list("start")[:1]:
            if isinstance(row[0], int):
                start = row[0]
                if players and not 1 <= start <= players:
                    message = f"start must be from 1 to {players}, not {start}"
                    self._report("start", row, message, "player")
        return players, start

    def _find_quadrants(self) -> tuple[Quadrant, ...]:
        """Return the quadrants that have no mistakes."""
        known = {quadrant.name: quadrant for quadrant in self._names.quadrants}
        found: dict[str, Quadrant] = {}
        for row in self._list("quadrant")[:_QUADRANTS]:
            name = str(row[0]).lower()
            if name not in known:
                listed = describe_list(sorted(known)) + guess(name, known)
                self._report("quadrant", row, f"there is no quadrant {name!r}: choose {listed}")
            elif name in found:
                self._report("quadrant", row, f"the quadrant {name} is named twice")
            else:
                found[name] = known[name].turn() if row[1] else known[name]
        return tuple(found.values())

    def _list_cards(self) -> list[Row]:
        found: list[Row] = []
        for row in self._list("card"):
            card = row[0]
            if (card,) in found:
                self._report("card", row, f"the card {hyphenate(str(card))} is named twice")
            found.append((card,))
        return found

    def _find_placed(self, quadrants: Sequence[Quadrant]) -> list[Row]:
        """Return the pieces that headings place, such as capitols, each with its kind."""
        found: list[Row] = []
        places = self._list("place")
        headings = self._list("heading")
        for number, row in enumerate(headings):
            word = str(row[0])
            if word not in self._names.headings:
                continue
            behind = headings[number + 1][1] if number + 1 < len(headings) else None
            own = [at for at in places if _is_between(row[1], at[1], behind)]
            terrain, kind = self._names.headings[word]
            spots = self._find_spots("place", own, quadrants, terrain, kind)
            found += [(Name(kind), spot) for spot in spots]
        return found

    def _find_spots(
        self,
        predicate: str,
        rows: Sequence[Row],
        quadrants: Sequence[Quadrant],
        terrain: str,
        thing: str = "nomad tile",
    ) -> list[Hex]:
        """Return the hexes on which things lie; report repeated ones, and other terrain."""
        spaces = find_spaces(quadrants, self._names.notation, terrain)
        ground = "nomad space" if terrain == "nomad" else f"{terrain} hex"
        found: list[Hex] = []
        for row in rows:
            place = read_hex(row[0])
            if place not in spaces:
                message = f"{write_hex(place)} is not a {ground} of this board"
                self._report(predicate, row, message)
            elif place in found:
                self._report(predicate, row, f"a second {thing} on {write_hex(place)}")
            found.append(place)
        return found

    def _list_notes(self) -> list[Row]:
        """Return what the record says of tiles, each with the steps of the action before it."""
        begun = [step for (step,) in self._facts.get("begins", ()) if isinstance(step, int)]
        found: list[Row] = []
        for sign, tile, place, last in self._facts.get("noted", ()):
            assert isinstance(last, int)
            before = max((step for step in begun if step < last), default=0)
            found.append((_EVENTS[str(sign)], tile, place, before + 1, last))
        return found

    def _list_claims(self, players: int) -> list[Row]:
        rows = self._list("claimed")
        if rows and players and len(rows) != players:
            message = f"expected gold for each of {players} players, not for {len(rows)}"
            self._report("claimed", rows[-1], message)
        return [(player, row[0]) for player, row in enumerate(rows, start=1)]


def _is_between(first: Value, number: Value, last: Value | None) -> bool:
    """Return whether a number of the text follows one, and precedes another, if there is one."""
    assert isinstance(first, int)
    assert isinstance(number, int)
    return first < number and (not isinstance(last, int) or number < last)


_EVENTS = {"+": Name("got"), "-": Name("lost")}
_QUADRANTS = 4  # of a board
# The words of headings that may be there once, by the terminals of the grammar.
_HEADING_WORDS = {"board": "board", "cards": "cards", "playing": "players", "start": "start"}
_SAMPLES = {"board": "board oracle farm/180 tavern paddock", "playing": "players 2"}
