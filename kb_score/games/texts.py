"""Converts texts to facts with nothing but a grammar: its rules and terminals give the facts.

T is the number of turns that have begun so far. A turn begins with a rule called ``turn``, or with
``begun`` if players were told the turn but did not answer. In a grammar with a rule ``step``, a
turn may have several steps. Then T is the number of steps so far; a step gives ``turn(T)``, and
``step(N,T)`` with the number of its turn.

* A rule ``name`` gives ``name(T)``.
* A terminal ``NAME`` gives ``name(X,...,T)``, with a value for each named group of its regular
  expression. A value that looks like an integer is a number; any other value is a string, or a
  constant if the manifest lists the terminal under ``names``. A name that begins with ``_`` gives
  nothing. If the manifest lists the terminal under ``places``, its groups ``row`` and ``column``
  give one value: the place ``(Row,Column)``.
* If the rules derive ``known(kind,Word)``, a group called ``kind`` is one of these words.
* A terminal that is a grid gives ``name(T)``, and ``name_cell(Row,Column,Symbol)`` for each cell.
  If it belongs to a series, it gives ``name_cell(Row,Column,Symbol,First,Last)``: the cell has
  Symbol in the grids of the turns First to Last.
* For an ordered terminal, the argument before T is its number among the ordered terminals of the
  turn, counting from 1.
* A terminal with the groups ``rows`` and ``columns`` gives ``size(Rows,Columns)``; without one,
  the first grid does. All grids must have this size.
* A text whose last line has no line ending gives ``cut``. In a game whose rules ask for ``cut``,
  such a line is left out if it cannot be read, because it was probably still being written.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from kb_score.engine.terms import Name, Term
from kb_score.errors import FormatError, InputError, Mistakes, RuleError, describe_list, guess
from kb_score.games.labels import NO_LABELS, Labels
from kb_score.games.schema import count_turn
from kb_score.grammar import (
    has_rule,
    list_names,
    list_reachable,
    name_terminal,
    parse_with_mistakes,
    place_in,
    read_cells,
    read_number,
    read_templates,
    read_terminals,
)
from kb_score.resources import find_grammar

if TYPE_CHECKING:
    from lark import Token, Tree

    from kb_score.engine.scan import Signature
    from kb_score.engine.terms import Facts, Row, Value

# Rows and columns.
Size: TypeAlias = tuple[int, int]


class Report(Protocol):
    """Reports a mistake in a terminal of a text, by its fact, perhaps at one of its groups."""

    def __call__(self, predicate: str, row: Row, message: str, group: str = "") -> None:
        """Report a message about the terminal of a fact."""


# Makes the facts of a game from those of its text. The last argument says whether every line could
# be read; a part with a mistake has some value or other.
Complete: TypeAlias = "Callable[[Facts, Report, bool], Facts]"
# The row and the column of a cell, from 0.
_Cell: TypeAlias = tuple[int, int]

# The rules of the grammar for an answer of a player, and for what chance decides.
ANSWER = "answer"
CHANCE = "chance"
_TURN = "turn"
_BEGUN = "begun"
_STEP = "step"
_SIZE = "size"
# The predicate for a text whose last line has no line ending.
CUT = "cut"
# The groups of a terminal that gives the size of the grids.
_HEADER = {"rows", "columns"}
_NUMBER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_CONSTANT = re.compile(r"_*[a-z]\w*", re.ASCII)
_LARGEST = 10**9  # a rule may add two such numbers: the rules use 32 bits
_ROW = re.compile(r"[^,\s]+")
_LINE = re.compile(r"[^ \t\n](?:[^\n]*[^ \t\n])?")
# The signs after which an action goes on without a blank.
_OPENING = "(>=/:"
# The groups of a terminal that make a place.
_PLACE = ("row", "column")


@dataclass(frozen=True, slots=True)
class Words:
    """The words that the rules of a game know.

    Attributes:
        known: The constants of each kind of words, such as ``tile``.
        aliases: Other ways to write them, each with its constant, for each kind.
    """

    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    aliases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def find(self, kind: str, text: str) -> Name | None:
        """Return the constant that a text stands for; None if it is no word of its kind."""
        words = " ".join(text.lower().split())
        name = self.aliases.get(kind, {}).get(words, words.replace("-", "_"))
        return Name(name) if name in self.known[kind] and "_" not in words else None

    def refuse(self, kind: str, text: str) -> str:
        """Return the message about a text that is no word of its kind."""
        spelt = sorted(word.replace("_", "-") for word in self.known[kind])
        listed = describe_list(spelt) + guess(text, spelt)
        return f"there is no {kind} {text!r}: choose {listed}"


NO_WORDS = Words()


@dataclass(frozen=True)
class TextFormat:
    """The format of the texts of a game.

    Attributes:
        grammar: The name of the grammar in parsers/.
        grids: The lowercase names of the terminals that are grids.
        series: The grids that are repeated turn after turn.
        ordered: The terminals that may occur several times in a turn, in an order that matters.
        names: The terminals whose words are constants; a hyphen in a word becomes ``_``.
        places: The terminals whose groups ``row`` and ``column`` are one value, a place.
        has_lines: Whether no line goes on with the one before it, so that a wrong one is skipped.
        side: The smallest and the largest number of rows and columns of a grid.
        is_square: Whether a grid has as many rows as columns.
    """

    grammar: str
    grids: frozenset[str] = frozenset()
    series: frozenset[str] = frozenset()
    ordered: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    places: frozenset[str] = frozenset()
    has_lines: bool = False
    side: tuple[int, int] = (1, 256)
    is_square: bool = False

    def read(
        self,
        text: str,
        name: str,
        *,
        start: str = "start",
        size: Size | None = None,
        may_be_cut: bool = False,
        words: Words = NO_WORDS,
        complete: Complete | None = None,
    ) -> ReadText:
        """Return the facts of a text, and its kind; a FormatError reports all mistakes.

        Args:
            text: The text, with line endings as `kb_score.shell.files.decode` normalises them.
            name: The name of the text in messages.
            start: The rule of the grammar for the whole text.
            size: The rows and columns of its grids; None if its first grid decides.
            may_be_cut: Whether to drop a last line without a line ending if it is unreadable.
            words: The words that the rules know.
            complete: Makes the facts of the game from those of the text, and reports mistakes.
        """

        def read(text: str) -> ReadText:
            return self._read(text, name, start, size, words, complete)

        if text.endswith("\n"):
            return read(text)
        whole_lines = text[: text.rfind("\n") + 1]
        try:
            found = read(f"{text}\n")
        except FormatError as error:
            # If a text has only one line, at least its beginning must be readable.
            is_only_line = not whole_lines.strip() and error.place.column == 1
            is_above = error.place.line <= whole_lines.count("\n")
            if not may_be_cut or is_only_line or is_above:
                raise
            try:
                found = read(whole_lines)
            except FormatError:
                raise error from None  # the rest is too short
        return replace(found, facts={**found.facts, CUT: [()]})

    def list_predicates(self) -> dict[Signature, str]:
        """Return the predicates that texts give, each with a phrase for its rule or terminal.

        The rules for a whole text, ``start`` and ``answer``, give nothing.
        """
        found = {(_SIZE, 2): "grids", (CUT, 0): "a last line that may be cut off"}
        terminals = read_terminals(self.grammar)
        for name in list_names(self.grammar):
            predicate = name.lower()
            if predicate.startswith("_") or predicate in ("start", ANSWER, CHANCE):
                continue
            kind = "terminal" if name.isupper() else "rule"
            arity = 1  # the turn
            if name == _STEP:
                arity = 2
            if predicate in self.grids:
                cell_arity = 5 if predicate in self.series else 3
                found[f"{predicate}_cell", cell_arity] = f"the grid {name}"
            elif name in terminals:
                arity += len(terminals[name].groupindex)
                if predicate in self.places:
                    arity -= 1
                if predicate in self.ordered:
                    arity += 1
            found[predicate, arity] = f"the {kind} {name}"
        return found

    @cached_property
    def actions(self) -> Mapping[Signature, str]:
        """The actions of players and of chance, such as ``jump(row,column)``, by name and arity."""
        found: dict[Signature, str] = {}
        for name in sorted(self.list_terminals(ANSWER) | self.list_terminals(CHANCE)):
            action = name.lower()
            values = self._values[name]
            found[action, len(values)] = f"{action}({','.join(values)})" if values else action
        return found

    def list_terminals(self, start: str) -> frozenset[str]:
        """Return the terminals that give facts of what follows a rule, without grids."""
        found = list_reachable(self.grammar, start)
        named = {name for name in found if name == name.upper() and not name.startswith("_")}
        return frozenset(name for name in named if name.lower() not in self.grids)

    @cached_property
    def _values(self) -> Mapping[str, Sequence[str]]:
        """The names of the values of each terminal."""
        patterns = read_terminals(self.grammar)
        found = defaultdict[str, Sequence[str]](tuple)
        for name, pattern in patterns.items():
            groups = list(pattern.groupindex)
            if name.lower() in self.places:
                groups[groups.index("row")] = "place"
                groups.remove("column")
            found[name] = groups
        return found

    @cached_property
    def _templates(self) -> Mapping[str, str]:
        """The templates of terminals."""
        return read_templates(self.grammar)

    @cached_property
    def has_steps(self) -> bool:
        """Whether a turn may have several steps."""
        return has_rule(self.grammar, _STEP)

    @cached_property
    def end(self) -> str:
        """The action that ends a turn and is written as nothing, such as ``done``; or empty."""
        templates = self._templates
        empty = [name for name in self.list_terminals(ANSWER) if templates.get(name) == ""]
        return min(empty, default="").lower()

    @cached_property
    def has_chance(self) -> bool:
        """Whether records contain what chance decides."""
        return has_rule(self.grammar, CHANCE)

    def write_action(self, action: Value) -> str:
        """Return an action of an answer as text; a tuple is one of several terminals.

        It is a RuleError if no answer has such an action, or if the grammar cannot write it.
        """
        if not isinstance(action, tuple):
            return self._write_terminal(action)
        text = ""
        for part in action:
            blank = " " if text and text[-1] not in _OPENING else ""
            text += f"{blank}{self._write_terminal(part)}"
        return text

    def _write_terminal(self, action: Value) -> str:
        """Return a terminal of an answer as text; see `write_action`."""
        term = action if isinstance(action, Term) else Term(str(action), ())
        if (term.name, len(term.arguments)) not in self.actions:
            listed = describe_list(list(self.actions.values()))
            raise RuleError(f"no answer has an action {term}: the actions are {listed}")
        terminal = term.name.upper()
        names = self._values[terminal]
        template = self._templates.get(terminal)
        if template is None:
            hint = " ".join([f"//: {terminal} ...", *(f"{{{name}}}" for name in names)])
            message = f"the grammar does not say how {terminal} is written"
            raise RuleError(f"{message}: add a line {hint}")
        fields: dict[str, str] = {}
        for field_name, value in zip(names, term.arguments, strict=True):
            if isinstance(value, tuple):
                fields |= zip(_PLACE, map(str, value), strict=True)
            elif term.name in self.names:
                fields[field_name] = str(value).replace("_", "-")
            else:
                fields[field_name] = str(value)
        return template.format_map(fields)

    def _read(
        self,
        text: str,
        name: str,
        start: str,
        size: Size | None,
        words: Words,
        complete: Complete | None,
    ) -> ReadText:
        """Read a text whose last line has a line ending; the parameters are those of `read`."""
        # Lines with rulings at the top of a record have already been blanked.
        mistakes = Mistakes()
        tree = parse_with_mistakes(
            self.grammar,
            text,
            name=name,
            mistakes=mistakes,
            start=start,
            below_blanks=start not in (ANSWER, CHANCE),
            has_lines=self.has_lines,
        )
        if tree is None:
            mistakes.raise_any()
        assert tree is not None
        # A text that follows the grammar may have other mistakes.
        is_whole = not mistakes
        reader = _TextReader(
            self, text, name, size, mistakes, words, keeps_places=complete is not None
        )
        reader.read(tree)
        reader.check_steps()
        facts: Facts = reader.list_facts()
        if complete is not None:
            facts = complete(facts, reader.report, is_whole)
        reader.mistakes.raise_any()
        return ReadText(
            facts=facts,
            numbered=reader.list_numbered() & facts.keys(),
            turn_of=tuple(reader.turn_of),
            kind=_find_kind(tree),
            size=reader.size,
        )


def _find_kind(tree: Tree[Any]) -> str:
    """Return the name of the first rule below the top of a tree; empty if there is none."""
    for child in tree.children:
        if child is not None and not isinstance(child, str):
            kind: str = child.data
            return kind
    return ""


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text as facts.

    Attributes:
        numbered: The predicates whose last value is the turn.
        turn_of: The number of the turn of each step, if the game has steps.
        kind: The first rule below the one for the whole text. It is the kind of the record if a
            game has several kinds.
        size: The rows and columns of its grids; None if it has none.
        map_name: The name of the text with its map; empty if it has none.
        labels: The names of players, from its comments.
    """

    facts: Mapping[str, Sequence[Row]]
    numbered: frozenset[str]
    kind: str
    size: Size | None
    map_name: str = ""
    turn_of: tuple[int, ...] = ()
    labels: Labels = NO_LABELS

    @property
    def turns(self) -> int:
        """The number of turns in the text."""
        return self.count_turn(len(self.facts.get(_TURN, ())))

    def count_turn(self, step: int) -> int:
        """Return the number of the turn of a step, as people count; see `count_turn`."""
        return count_turn(step, self.turn_of)

    def find_step(self, turn: int) -> int:
        """Return the first step of a turn, or the step after the last one."""
        if not self.turn_of:
            return turn
        return 1 + sum(other < turn for other in self.turn_of)

    def cut(self, turns: int) -> ReadText:
        """Return the beginning of the text, without the facts of later turns."""
        steps = self.find_step(turns + 1) - 1
        facts = dict(self.facts)
        for name in self.numbered:
            rows: Sequence[tuple[Any, ...]] = self.facts[name]
            facts[name] = [row for row in rows if row[-1] <= steps]
        return replace(self, facts=facts, turn_of=self.turn_of[:steps])

    def list_turns(self) -> list[dict[str, list[Row]]]:
        """Return each turn's facts, without the turn; index 0 has those before the first turn."""
        turns: list[dict[str, list[Row]]] = [{}]
        for name in sorted(self.numbered):
            for numbered_row in self.facts[name]:
                *row, turn = numbered_row
                assert isinstance(turn, int)
                while turn >= len(turns):
                    turns.append({})
                facts = turns[turn]
                rows = facts.setdefault(name, [])
                rows.append(tuple(row))
        return turns

    def list_start(self) -> dict[str, Sequence[Row]]:
        """Return the facts without a turn, and those of turn 0."""
        start: dict[str, Sequence[Row]] = {}
        for name, rows in self.facts.items():
            if name in self.numbered:
                start[name] = [row for row in rows if row[-1] == 0]
            else:
                start[name] = rows
        return start


@dataclass(slots=True)
class _GridSeries:
    """The grids of a series as intervals: each cell has a symbol from one turn to another.

    Attributes:
        rows: The rows of the last grid.
        since: The symbol of each cell, and the turn since which the cell has had it.
        ended: The symbols that were replaced, with their first and last turns.
    """

    rows: Sequence[str] = ()
    since: dict[_Cell, tuple[str, int]] = field(default_factory=dict)
    ended: list[Row] = field(default_factory=list)

    def add(self, rows: Sequence[str], turn: int) -> None:
        """Add the grid of a turn, which must have the same size as the others."""
        is_first = not self.rows
        for r, row in enumerate(rows):
            if is_first:
                self._begin(r, row, turn)
            elif row != self.rows[r]:
                self._replace(r, row, turn)
        self.rows = rows

    def _begin(self, r: int, row: str, turn: int) -> None:
        """Record the symbols of a row of the first grid."""
        for c, symbol in enumerate(row):
            self.since[r, c] = symbol, turn

    def _replace(self, r: int, row: str, turn: int) -> None:
        """Record the symbols of a row that differ from the previous ones."""
        for c, symbol in enumerate(row):
            before, first = self.since[r, c]
            if symbol == before:
                continue
            last = turn - 1
            interval = (r, c, read_symbol(before), first, last)
            self.ended.append(interval)
            self.since[r, c] = symbol, turn

    def list_rows(self, last: int) -> list[Row]:
        """Return the intervals; the open ones end at the last turn."""
        found = list(self.ended)
        for (r, c), (symbol, first) in self.since.items():
            interval = (r, c, read_symbol(symbol), first, last)
            found.append(interval)
        return found


class _Misfit(NamedTuple):
    """A place where a grid differs in size from the others."""

    row: int  # the number of the row, from 0
    column: int  # the number of the cell, from 0
    problem: str


class _TextReader:
    """Reads the tree of a text, and collects its facts."""

    def __init__(
        self,
        format_: TextFormat,
        text: str,
        name: str,
        size: Size | None,
        mistakes: Mistakes,
        words: Words,
        *,
        keeps_places: bool,
    ) -> None:
        self.size = size
        self.mistakes = mistakes
        self._words = words
        # The token of each fact, if somebody may report a mistake in it.
        self._tokens: dict[tuple[str, Row], Token] | None = {} if keeps_places else None
        self._format = format_
        self._text = text
        self._name = name
        self._patterns = read_terminals(format_.grammar)
        self._cells = read_cells(format_.grammar)
        self._turn = 0
        self._number = 0  # of the turn, as people count
        self.turn_of: list[int] = []
        self._turns: set[int] = set()  # the turns that need a step, in a game that has steps
        self._facts: dict[str, list[Row]] = {}
        self._numbered: dict[str, list[Row]] = {}  # the turn is their last value
        self._series: dict[str, _GridSeries] = {}
        self._grid_turns: dict[str, int] = {}  # the turn of the last grid of each kind
        self._counts = Counter[int]()  # of ordered terminals so far, by turn
        # Which actions the turn has so far, if their order does not matter.
        self._watched = {name for name, _ in format_.actions} - format_.ordered
        self._said: set[tuple[str, Row]] = set()

    def list_facts(self) -> dict[str, list[Row]]:
        """Return the facts that have been read."""
        facts = {**self._facts, **self._numbered}
        for kind, series in self._series.items():
            predicate = f"{kind}_cell"
            facts[predicate] = series.list_rows(self._turn)
        return facts

    def list_numbered(self) -> frozenset[str]:
        """Return the predicates whose last value is the turn."""
        return frozenset(self._numbered)

    def read(self, tree: Tree[Any]) -> None:
        """Read the tree below a rule, without recursion: it may be as deep as the text is long."""
        waiting = list(reversed(tree.children))
        while waiting:
            child = waiting.pop()
            # Lark puts None where brackets in the grammar match nothing.
            if child is None:
                continue
            if isinstance(child, str):
                self._read_terminal(child)
                continue
            self._read_rule(child.data)
            waiting += reversed(child.children)

    def check_steps(self) -> None:
        """Raise an InputError if a turn has no step in a game that has steps."""
        missing = self._turns.difference(self.turn_of)
        if missing:
            path = str(find_grammar(self._format.grammar))
            message = f"turn {min(missing)} of {self._name} has no step"
            raise InputError(path, f"{message}: each alternative of turn needs one (-> step)")

    def _read_rule(self, rule: str) -> None:
        """Add the fact of a rule, which may begin a turn or a step."""
        has_steps = self._format.has_steps
        if rule in (_TURN, _BEGUN):
            self._number += 1
            if has_steps:
                if rule == _TURN:
                    self._turns.add(self._number)
                return
            self._turn += 1
            self._said.clear()
        elif rule == _STEP and has_steps:
            self._turn += 1
            self._said.clear()
            self.turn_of.append(self._number)
            self._add_numbered(_STEP, self._number)
            rule = _TURN
        if not rule.startswith("_"):
            self._add_numbered(rule)

    def _add(self, predicate: str, *row: Value) -> None:
        rows = self._facts.setdefault(predicate, [])
        rows.append(row)

    def _add_numbered(self, predicate: str, *row: Value) -> None:
        """Add a fact of the current turn."""
        rows = self._numbered.setdefault(predicate, [])
        rows.append((*row, self._turn))

    def _read_terminal(self, token: Any) -> None:
        kind = token.type.lower()
        if kind.startswith("_"):
            return
        if kind in self._format.grids:
            self._add_numbered(kind)
            self._read_grid(kind, token)
            return
        pattern = self._patterns.get(token.type)
        if not token and pattern is not None and pattern.groupindex:
            return  # a mistake that has been reported
        values = self._read_values(token)
        if self.size is None and values.keys() >= _HEADER:
            self._read_header(token, values)
        row = list(values.values())
        if kind in self._format.ordered:
            self._counts[self._turn] += 1
            row.append(self._counts[self._turn])
        elif kind in self._watched:
            # Two facts that are the same are one: the rules would not see the second.
            if (kind, tuple(row)) in self._said:
                self._add_mistake(token, 0, "this is said twice")
            self._said.add((kind, tuple(row)))
        self._add_numbered(kind, *row)
        if self._tokens is not None:
            self._tokens[kind, (*row, self._turn)] = token

    def report(self, predicate: str, row: Row, message: str, group: str = "") -> None:
        """Report a mistake in a terminal, by its fact, at its beginning or at one of its groups.

        An empty predicate stands for the whole text.
        """
        if not predicate:
            self.mistakes.add(InputError(self._name, message))
            return
        assert self._tokens is not None
        token = self._tokens[predicate, row]
        offset = 0
        found = self._match(token)
        if group and found is not None:
            offset = found.start(group) - found.start()
        self._add_at(token, offset, message)

    def _match(self, token: Token) -> re.Match[str] | None:
        """Return the match of the expression of a terminal; None if it has none, or a mistake."""
        pattern = self._patterns.get(token.type)
        if pattern is None or not token:
            return None
        return pattern.match(self._text, token.start_pos or 0)

    def _read_values(self, token: Token) -> dict[str, Value]:
        """Return the values of a terminal, by the names of its groups."""
        found = self._match(token)
        if found is None:
            return {}
        kind = token.type.lower()
        values: dict[str, Value] = {}
        for name, word in found.groupdict(default="").items():
            values[name] = word
            if word and name in self._words.known:
                values[name] = self._read_word(name, word, token, found)
            elif kind in self._format.names:
                values[name] = _read_name(word)
            if _NUMBER.fullmatch(word):
                with self.mistakes.catch():
                    values[name] = read_number(
                        word,
                        token,
                        self._text,
                        self._name,
                        largest=_LARGEST,
                        offset=found.start(name) - found.start(),
                    )
        if kind in self._format.places:
            place = tuple(values[name] for name in _PLACE)
            values = {name: value for name, value in values.items() if name != "column"}
            values["row"] = place
        return values

    def _read_word(self, kind: str, word: str, token: Token, found: re.Match[str]) -> Value:
        """Return the constant of a word that the rules know; report one that they do not."""
        name = self._words.find(kind, word)
        if name is not None:
            return name
        if self.mistakes.is_full:
            self.mistakes.count()
        else:
            offset = found.start(kind) - found.start()
            self._add_at(token, offset, self._words.refuse(kind, word))
        return word

    def _add_at(self, token: Token, offset: int, message: str) -> None:
        """Add a mistake at an offset in a token."""
        if self.mistakes.is_full:
            self.mistakes.count()
            return
        self.mistakes.add(FormatError(place_in(token, offset, self._text, self._name), message))

    def _read_header(self, token: Token, values: Mapping[str, Value]) -> None:
        """Read the size of all grids from a terminal that has it."""
        height = values["rows"]
        width = values["columns"]
        if isinstance(height, int) and isinstance(width, int):
            self._set_size(token, height, width)

    def _read_grid(self, kind: str, token: Token) -> None:
        """Read a grid; rows that do not fit are mistakes."""
        if not token:
            return  # a mistake that has been reported
        places = list(self._choose_pattern(token.type).finditer(token))
        rows = [place[0] for place in places]
        problem = self._check_allowed(kind, rows)
        if problem:
            self._add_mistake(token, 0, problem)
            return
        if self.size is None:
            self._set_size(token, len(rows), len(rows[0]))
        assert self.size is not None
        misfits = list(self._find_wrong_cells(kind, token.type, rows))
        misfits += _find_misfits(rows, self.size)
        for misfit in misfits:
            place = places[misfit.row]
            offset = place.start() + misfit.column
            self._add_mistake(token, offset, misfit.problem)
        if self.mistakes:
            return
        if kind in self._format.series:
            series = self._series.setdefault(kind, _GridSeries())
            series.add(rows, self._turn)
        else:
            self._add_cells(f"{kind}_cell", rows)

    def _choose_pattern(self, terminal: str) -> re.Pattern[str]:
        """Return the pattern of a row of a grid.

        A row ends at a comma or whitespace. If the grammar lists the symbols of a cell and no comma
        separates the rows, a row is a whole line, in which all other symbols are mistakes.
        """
        has_commas = "," in self._patterns[terminal].pattern
        if terminal in self._cells and not has_commas:
            return _LINE
        return _ROW

    def _find_wrong_cells(self, kind: str, terminal: str, rows: Sequence[str]) -> Iterator[_Misfit]:
        """For each row, yield the first cell that the terminal does not allow, if any."""
        cell = self._cells.get(terminal)
        if cell is None:
            return
        words = name_terminal(self._format.grammar, terminal)
        right = re.compile(f"(?:{cell.pattern})*")
        known: Sequence[str] = ()
        if kind in self._series:
            known = self._series[kind].rows
        for number, row in enumerate(rows):
            # In a series most rows do not change.
            if number < len(known) and row == known[number]:
                continue
            found = right.match(row)
            column = found.end() if found else 0
            if column < len(row):
                problem = f"unexpected {row[column]!r}: expected {words}"
                yield _Misfit(number, column, problem)

    def _check_allowed(self, kind: str, rows: Sequence[str]) -> str:
        """Return why a grid is not allowed here; empty if it is allowed."""
        before = self._grid_turns.get(kind)
        self._grid_turns[kind] = self._turn
        if not rows:
            return "this grid has no rows"
        if before == self._turn:
            return "this turn already has such a grid"
        if before is not None and kind not in self._format.series:
            return "the record already has this grid: only grids of a series may be repeated"
        return ""

    def _set_size(self, token: Token, height: int, width: int) -> None:
        """Set the size of all grids from the first terminal that has it."""
        self.size = height, width
        self._add(_SIZE, height, width)
        problem = self._check_size(height, width)
        if problem:
            self._add_mistake(token, 0, problem)

    def _check_size(self, height: int, width: int) -> str:
        """Return what is wrong with the size of the grids; empty if nothing is."""
        least, most = self._format.side
        for side in (height, width):
            if not least <= side <= most:
                expected = f"a grid has {least} to {most} rows and columns"
                return f"{expected}, but this one has {height} and {width}"
        if self._format.is_square and height != width:
            return f"a grid must have as many rows as columns, not {height} and {width}"
        return ""

    def _add_cells(self, predicate: str, rows: Sequence[str]) -> None:
        """Add the cells of a grid that is not part of a series."""
        for r, row in enumerate(rows):
            for c, symbol in enumerate(row):
                value = read_symbol(symbol)
                self._add(predicate, r, c, value)

    def _add_mistake(self, token: Token, offset: int, message: str) -> None:
        """Add a mistake at an offset in a token, unless its line already has one."""
        if self.mistakes.is_full:
            self.mistakes.count()
            return
        place = place_in(token, offset, self._text, self._name)
        if place.line not in self.mistakes.lines:
            self.mistakes.add(FormatError(place, message))


def _find_misfits(rows: Sequence[str], size: Size) -> Iterator[_Misfit]:
    """Yield the places where a grid differs from the expected size."""
    height, width = size
    for number, row in enumerate(rows):
        if len(row) != width:
            problem = f"this row has {len(row)} cells: expected {width}"
            yield _Misfit(number, min(len(row), width), problem)
    if len(rows) != height:
        number = max(min(len(rows) - 1, height), 0)
        problem = f"the grid has {len(rows)} rows: expected {height}"
        yield _Misfit(number, 0, problem)


def _read_name(word: str) -> str:
    """Return the constant for a word; a string if it cannot be one."""
    name = word.lower().replace("-", "_")
    if _CONSTANT.fullmatch(name):
        return Name(name)
    return word


@cache
def read_symbol(symbol: str) -> Value:
    """Return the value of a symbol in a cell: a number for a digit, otherwise a string."""
    if symbol in "0123456789":
        return int(symbol)
    return symbol
