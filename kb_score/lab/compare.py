"""Find the smallest board, or position and turn, on which two versions of rules differ.

For a card, its gold is compared, for a game the outcome of a turn. The rules in asp/*/search choose
what is on a board of a size. Sizes are tried in order of their areas; for cards, all sizes up to a
length come before longer ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, groupby, product, repeat
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from kb_score.engine.lift import pair_versions
from kb_score.engine.program import Program, Signature, plain_head
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts, Name, Value, predicate_of
from kb_score.errors import RuleError, visible
from kb_score.games import GameFolder, list_games
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import HIDDEN, PLAYERS, Board, Notation, load_notation
from kb_score.games.kingdom_builder.land import find_asked
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.kingdom_builder.rules import GAME, find_heads, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board, draw_hexes, explain, report_evidence
from kb_score.games.schema import write_sentence
from kb_score.lab.examples import (
    FINE,
    Example,
    Settings,
    judge_examples,
    read_example,
    write_example,
    write_items,
)
from kb_score.shell.output import Block, Output, Table, Text, render, show_progress

Size = tuple[int, int]  # rows and columns

_DEFAULT_SECONDS = 60.0  # of a search
# The configuration of clasp that was fastest on the trials of docs/compare.md.
_OPTIONS = ("--configuration=handy",)
_PUTS = predicate_of(asp.PutsRow)
_CARD = predicate_of(asp.Card)
_GOLD = predicate_of(asp.GoldRow)
_SCORE = predicate_of(asp.ScoreRow)
_VERSIONS = ("before", "after")
_OURS = "the rules of kb-score"


class TellsRow(NamedTuple):
    """What is compared; see search/positions.lp of a game."""

    what: Value


class WritesRow(NamedTuple):
    """A piece of an example; see search/positions.lp of a game."""

    line: int
    place: Value
    text: Value


def _area_first(size: Size) -> tuple[int, Size]:
    """Return the key that orders sizes by area."""
    rows, columns = size
    return rows * columns, size


def _fits(inner: Size, outer: Size) -> bool:
    """Return whether a board of one size is a part of a board of another size."""
    rows, columns = inner
    most_rows, most_columns = outer
    return rows <= most_rows and columns <= most_columns


def list_sizes(longest: int = 20) -> tuple[Size, ...]:
    """List the sizes of boards that can be halved; no game is played on a larger board than 20."""
    sides = range(2, longest + 1, 2)
    by_area = sorted(product(sides, sides), key=_area_first)
    return tuple(sorted(by_area, key=max))


def load_version(rules: GameRules, *, valid: bool = False) -> Program:
    """Load one version of the rules for a `CardComparer`."""
    use = Use(("board", "score", "open", "cards/*"))
    if valid:
        use = use.plus("valid")
    return rules.whole_program(use)


class _Compared(NamedTuple):
    """The values of both versions under a label of an example."""

    label: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        """Whether the versions disagree."""
        return self.before != self.after


@dataclass
class Comparer:
    """Searches for the smallest position, and a turn in it, on which two versions differ.

    Positions are of the given sizes, in this order, and of 1 player, 2 and so on. A RuleError of
    `is_same` or `run` says why the versions cannot be compared.
    """

    name: str  # of a card or a game
    before: Program
    after: Program
    players: int = 1
    sizes: Sequence[Size] = list_sizes()
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    game: str = GAME  # its folder
    at: Size | None = None  # the size of the position that is found
    example: Example | None = None  # of that position, with labels that expect nothing
    fewest: bool = False  # whether the versions agree on its size with fewer things
    proved: list[Size] = field(default_factory=list)  # the sizes on which the versions agree

    what: ClassVar[str] = "in any position"
    shown: ClassVar[Signature] = predicate_of(WritesRow)
    compared: ClassVar[Signature] = predicate_of(TellsRow)
    differ: ClassVar[Use] = Use(("common/differ",))

    @cached_property
    def is_same(self) -> bool:
        """Whether the same rules decide what is compared in both versions."""
        _, doubled = self._pair
        return self.compared not in doubled

    @property
    def reached(self) -> Size | None:
        """The largest size such that the versions agree on all sizes up to it."""
        for size in sorted(self.proved, key=_area_first, reverse=True):
            inner = {one for one in self.sizes if _fits(one, size)}
            if inner.issubset(self.proved):
                return size
        return None

    @property
    def files(self) -> list[str]:
        """The position that is found, as the texts of files."""
        if self.example is None:
            return []
        return [text for _, text in self.example.inputs]

    def run(self) -> None:
        """Search until a smallest position is found, or all sizes are done, or the time is over."""
        if self.is_same:
            return
        with suppress(TimeUp):
            for size in self.sizes:
                for players in range(1, self.players + 1):
                    if self._find(size, players):
                        self.fewest = True
                        return
                self.proved.append(size)

    @cached_property
    def _pair(self) -> tuple[Program, frozenset[Signature]]:
        before = self.narrow(self.before)
        after = self.narrow(self.after)
        both, doubled = pair_versions(before, after)
        differ = GameRules(self.game).whole_program(self.differ)
        program = both + differ
        return program.without_unused(), doubled

    def _find(self, size: Size, players: int) -> bool:
        """Search for the position with the fewest things; return whether there is one."""
        sought = self.describe(size, players)
        progress = sought
        if self.reached:
            progress += f"; {say_proved(self)}"
        show_progress(progress)
        program, _ = self._pair
        facts = self._make_facts(size, players)
        search = AnswerSearch(program, facts, self.shown, self.deadline, _OPTIONS)
        for answer in search.find():
            bare = Example(Path(self.name), self.game, "-", 0)
            lines = self._write_lines(answer, size)
            self.at = size
            self.example = read_example(bare, lines)
            show_progress(f"found: {sought}; looking for a simpler one")
        return self.at is not None

    def narrow(self, program: Program) -> Program:
        """Leave out what does not matter."""
        return program

    def describe(self, size: Size, players: int) -> str:
        """Return a size in words, with a number of players if that matters."""
        rows, columns = size
        return f"{rows} x {columns}"

    def _make_facts(self, size: Size, players: int) -> Facts:
        name = Name(self.name.replace("-", "_"))
        return {"size": [size], "about": [(name,)]}

    def _write_lines(self, answer: Answer, size: Size) -> list[str]:
        lines = []
        rows = sorted(answer.read(WritesRow))
        for _, pieces in groupby(rows, key=attrgetter("line")):
            line = "".join(write_sentence(piece.text) for piece in pieces)
            lines.append(line.rstrip())
        return lines

    def _judge(self, rules: GameRules) -> dict[str, str]:
        """Return the values that rules give to the labels of the position."""
        assert self.example is not None
        answers = {}
        for failure in judge_examples([self.example], rules):
            answers[failure.assertion.label] = write_items(failure.got)
        return answers

    def _compare(self, before: GameRules, after: GameRules) -> list[_Compared]:
        """Compare both versions on the position, label by label."""
        old = self._judge(before)
        new = self._judge(after)
        compared = []
        for label in old | new:
            before_words = old.get(label, FINE)
            after_words = new.get(label, FINE)
            compared.append(_Compared(label, before_words, after_words))
        return compared

    def write(
        self, before: GameRules, after: GameRules, ending: str = "", rulings: Settings = ()
    ) -> str:
        """Write an example that holds in the first version.

        Args:
            before: The first version.
            after: The second version; the title has what it says.
            ending: The end of the title.
            rulings: The rulings of both versions.

        Returns:
            The text of the example; empty if the versions differ only in what is not shown.
        """
        assert self.example is not None
        expected = {}
        wrong = []
        for one in self._compare(before, after):
            if one.differs:
                wrong.append(f"{one.label}: {one.after}")
            # An example has to name each turn that breaks a rule.
            is_wrong_turn = one.label.startswith("turn ") and one.before != FINE
            if one.differs or is_wrong_turn:
                expected[one.label] = one.before
        if not wrong:
            return ""
        answers = "; ".join(wrong)
        settings = (*rulings, *self.example.assertions[0].settings)
        return write_example(f"not {answers}{ending}", self.files, settings, expected)

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Return the position and what differs, as blocks and as fields for JSON."""
        text = self.write(before, after)
        differing = tuple(one for one in self._compare(before, after) if one.differs)
        shown: dict[str, Any] = {
            "before": {one.label: one.before for one in differing},
            "after": {one.label: one.after for one in differing},
            "example": text,
        }
        table = Table("", ("", *_VERSIONS), differing)
        return [Text(text, "picture"), table], shown


@dataclass
class CardComparer(Comparer):
    """Searches for the smallest board on which a card pays differently.

    All players have settlements on it.
    """

    valid: bool = False  # whether boards keep the rules of a game, except for their size
    notation: Notation = field(default_factory=load_notation)
    board: Board | None = None  # where the versions differ

    what = "on any board"
    shown = _PUTS
    compared = _SCORE
    differ = Use(("compare",))

    def narrow(self, program: Program) -> Program:
        """Leave out what other cards are and pay, as far as it does not matter."""
        return _leave_out_others(self.name, program)

    def describe(self, size: Size, players: int) -> str:
        """Return a size and a number of players in words."""
        words = super().describe(size, players)
        noun = "player" if players == 1 else "players"
        return f"{words} with {players} {noun}"

    def _make_facts(self, size: Size, players: int) -> Facts:
        empty = self._make_empty(size)
        program, _ = self._pair
        asked = find_asked(program, self.notation.land.values())
        symbols = self.notation.leave_out_alike(self._list_symbols(players), asked)
        places = list(product(range(empty.height), range(empty.width)))
        name = Name(self.name)
        may_stand = []
        for row, column in places:
            for symbol in symbols:
                may_stand.append((row, column, symbol))
        weights = []
        for symbol in symbols:
            pieces = symbol.strip(".")
            weights.append((symbol, len(pieces)))
        facts = {
            **empty.facts,
            **self.notation.open_facts(symbols),
            "open": places,
            "may_stand": may_stand,
            "weighs": weights,
            "card": [(name, 0, "")],
            "two_versions": [(name,)],
        }
        if self.valid:
            facts["sound"] = [()]
        return facts

    def _list_symbols(self, players: int) -> Iterator[str]:
        """Yield all that a hex may hold on a board of the first players."""
        absent = set(PLAYERS[players:])
        for symbol in self.notation.hexes:
            if absent.isdisjoint(symbol):
                yield symbol

    def _make_empty(self, size: Size) -> Board:
        rows, columns = size
        board_rows = repeat(HIDDEN * columns, rows)
        return Board(self.name, tuple(board_rows), notation=self.notation)

    def _write_lines(self, answer: Answer, size: Size) -> list[str]:
        empty = self._make_empty(size)
        self.board = empty.fill(answer.read(asp.PutsRow))
        lines = str(self.board).splitlines()
        return [*lines, f"{self.name}:"]

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Return the board and what pays on it, as blocks and as fields for JSON."""
        assert self.board is not None
        text = str(self.board)
        self.players = len(set(PLAYERS).intersection(text))
        before_rules = load_rules(before)
        after_rules = load_rules(after)
        drawing = draw_board(self.board, before_rules)
        old = explain(self.board, before_rules, cards=[self.name])
        new = explain(self.board, after_rules, cards=[self.name])
        differing = [one.gold != other.gold for one, other in zip(old, new, strict=True)]
        blocks: list[Block] = [draw_hexes(drawing)]
        shown: dict[str, Any] = {}
        for version, explanations in zip(_VERSIONS, (old, new), strict=True):
            shown[version] = [one.gold for one in explanations]
            title = f"{version}: {self.name}"
            titled = []
            for one in compress(explanations, differing):
                card = one.card._replace(name=title)
                titled.append(replace(one, card=card))
            evidence = report_evidence(titled, drawing, self.board.labels)
            blocks += evidence.blocks
        shown["board"] = text
        return blocks, shown


def _leave_out_others(card: str, program: Program) -> Program:
    """Leave out the rules that state other cards and, if only the sums use it, their gold."""
    statements = program.statements
    others = {head.name for head in find_heads(_CARD, program)}
    others.discard(card)
    if any(_GOLD in one.body and _SCORE not in one.heads for one in statements):
        others.clear()
    kept = []
    for statement in statements:
        is_others = False
        if _GOLD in statement.heads:
            pays = plain_head(statement)
            is_others = pays is not None and str(pays.arguments[0]) in others
        if _CARD not in statement.heads and not is_others:
            # A user's rule that does not bear on the card does not matter.
            kept.append(replace(statement, is_users=False))
    return replace(program, statements=tuple(kept))


def _has_card(rules: GameRules, name: str) -> bool:
    return any(name == card.name for card in load_rules(rules).cards)


def make_comparer(
    name: str,
    before: GameRules,
    after: GameRules,
    players: int,
    deadline: Deadline,
    *,
    valid: bool = False,
) -> Comparer | None:
    """Make the comparison of a card, a tile, or a game; None if its turns cannot be compared."""
    if before.game == GAME and _has_card(before, name):
        return CardComparer(
            name,
            load_version(before, valid=valid),
            load_version(after, valid=valid),
            players,
            deadline=deadline,
            valid=valid,
            notation=load_notation(after),
        )
    game = GameFolder(before.game).type
    if game.positions is None:
        return None
    # Other parts of lifted rules are not grounded.
    use = game.positions.use
    one = before.whole_program(use).base
    other = after.whole_program(use).base
    sizes = sorted(game.positions.sizes, key=_area_first)
    return Comparer(name, one, other, sizes=sizes, deadline=deadline, game=game.name)


def compare_rules(
    name: str, before: GameRules, after: GameRules, *, players: int, valid: bool
) -> Comparer:
    """Make the comparison of a card, a tile, or a game's turns in two versions of the rules.

    Args:
        name: The card, by name or number, the tile or the game.
        before: The first version.
        after: The second version, with a user's changes.
        players: The most players on a board.
        valid: Whether boards keep the rules of a game, except for their size.

    Raises:
        RuleError: There is no such card, or no change bears on it, or turns cannot be compared.
    """
    is_card = name not in list_games() and name not in load_names(before).tiles
    if is_card:
        name = load_rules(before).find_card(name)
        if not _has_card(after, name):
            raise RuleError(f"there is no card {name} in {_name(after)}")
    deadline = Deadline(after.changes.limits.seconds or _DEFAULT_SECONDS)
    found = make_comparer(name, before, after, players, deadline, valid=valid)
    if found is None:
        raise RuleError(f"turns of {name} cannot be compared")
    if found.is_same:
        used = found.narrow(found.after).without_unused()
        paths = {rule.node.location.begin.filename for rule in used.statements if rule.heads}
        if paths.isdisjoint(after.changes.paths):
            subject = f"the card {name}" if is_card else name
            raise RuleError(f"nothing in {_name(after)} bears on {subject}")
    return found


def _name(rules: GameRules) -> str:
    """Return the words for a version of the rules."""
    words = " ".join(rules.changes.words())
    if not words:
        return _OURS
    return f"{_OURS} with {visible(words)}"


def report_comparison(found: Comparer, before: GameRules, after: GameRules) -> Output:
    """Lay out the difference between the versions, or what is proved."""
    size = found.reached
    outcome = say_proved(found)
    colour: Literal["green", "red"] = "red"
    if outcome and found.at is None:
        colour = "green"
    blocks: list[Block] = []
    shown: dict[str, Any] = {}
    if found.at is not None:
        size = found.at
        blocks, shown = found.report(before, after)
        board = found.describe(size, found.players)
        outcome = f"the versions differ on a board of {board}"
        if not found.fewest:
            outcome += "; there may be a simpler one"
        blocks.insert(0, Text(f"before: {_name(before)}\nafter: {_name(after)}"))
    rows, columns = size or (None, None)
    line: dict[str, Any] = {
        "name": found.name,
        "differ": found.at is not None,
        "rows": rows,
        "columns": columns,
        "players": found.players,
    }
    for version in _VERSIONS:
        if version in shown:
            line[version] = shown.pop(version)
    row = tuple(map(render, line.values()))
    table = Table("", tuple(line), (row,))
    if found.at is not None:
        line |= {**shown, "fewest": found.fewest}
    heading = Text(f"{found.name}: ", outcome=outcome or "nothing was proved", colour=colour)
    return Output([heading, *blocks], [line], table)


def say_proved(found: Comparer) -> str:
    """Return up to which size the versions agree, in words; empty if no size is proved."""
    if found.is_same:
        return "the same rules decide what both versions tell"
    if found.reached is None:
        return ""
    size = found.describe(found.reached, found.players)
    return f"no difference {found.what} up to {size}: proved"
