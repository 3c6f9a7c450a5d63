"""Searches for the smallest board, or position and turn, on which two versions of rules differ.

For a card its gold is compared, for a game the outcome of a turn. The rules in asp/*/search choose
what stands on a board of a given size. Sizes are tried in order of their areas; for cards, all
sizes with sides up to a length come before longer ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress, groupby, product
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from kb_score.engine.lift import pair_versions
from kb_score.engine.program import Program
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.scan import Signature
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts, Name
from kb_score.errors import RuleError, visible, write_count
from kb_score.games import GameFolder, list_games
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

# The length of a search, unless --limit-seconds sets it.
_DEFAULT_SECONDS = 60.0
# The configuration of clasp that was fastest in the trials in docs/compare.md.
_OPTIONS = ("--configuration=handy",)
_PUTS = ("puts", 3)
_CARD = ("card", 3)
_GOLD = ("gold", 4)
_SCORE = ("score", 3)
_VERSIONS = ("before", "after")
_OURS = "the rules of kb-score"


def _area_first(size: Size) -> tuple[int, Size]:
    """Return the key that orders sizes by area."""
    rows, columns = size
    return rows * columns, size


def _fits(inner: Size, outer: Size) -> bool:
    """Return whether a board of one size fits into a board of another size."""
    rows, columns = inner
    most_rows, most_columns = outer
    return rows <= most_rows and columns <= most_columns


def list_sizes(longest: int = 20) -> tuple[Size, ...]:
    """Return the sizes of boards whose sides are even, by their longer side, then by area.

    No game is played on a board with more than 20 rows or columns.
    """
    sides = range(2, longest + 1, 2)
    by_area = sorted(product(sides, sides), key=_area_first)
    return tuple(sorted(by_area, key=max))


def load_version(rules: GameRules, *, valid: bool = False) -> Program:
    """Return one version of the rules for a `CardComparer`.

    With ``valid``, boards obey the rules of a game, except for their size.
    """
    use = Use(("board", "score", "open", "cards/*"))
    if valid:
        use = use.plus("valid")
    return rules.whole_program(use)


class _Compared(NamedTuple):
    """The values of both versions for a label of an example."""

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

    The sizes are searched in the given order, each with 1 player, then 2 and so on. `is_same` and
    `run` raise a RuleError if the versions cannot be compared.

    Attributes:
        name: The name of a card, a tile or a game.
        game: The folder of the game.
        at: The size of the position that was found; None if there is none so far.
        example: That position as an example, in which nothing is expected for the labels.
        fewest: Whether the versions agree on all positions of its size with fewer things.
        proved: The sizes on which the versions agree.
    """

    name: str
    before: Program
    after: Program
    players: int = 1
    sizes: Sequence[Size] = list_sizes()
    deadline: Deadline = field(default_factory=lambda: Deadline(None))
    game: str = GAME
    at: Size | None = None
    example: Example | None = None
    fewest: bool = False
    proved: list[Size] = field(default_factory=list)

    what: ClassVar[str] = "in any position"
    shown: ClassVar[Signature] = ("writes", 3)
    compared: ClassVar[Signature] = ("tells", 1)
    differ: ClassVar[Use] = Use(("common/differ",))

    @cached_property
    def is_same(self) -> bool:
        """Whether both versions derive what is compared by the same rules."""
        _, doubled = self._pair
        return self.compared not in doubled

    @property
    def reached(self) -> Size | None:
        """The largest size such that the versions agree on all sizes up to it."""
        largest_first = sorted(self.proved, key=_area_first, reverse=True)
        for size in largest_first:
            inner = {one for one in self.sizes if _fits(one, size)}
            if inner.issubset(self.proved):
                return size
        return None

    @property
    def files(self) -> list[str]:
        """The position that was found, as the texts of files."""
        if self.example is None:
            return []
        return [text for _, text in self.example.inputs]

    def run(self) -> None:
        """Search until the smallest position is found, all sizes are done, or the time is up."""
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
        """The program with both versions, and the predicates that it has twice."""
        both, doubled = pair_versions(self.narrow(self.before), self.narrow(self.after))
        differ = GameRules(self.game).whole_program(self.differ)
        return (both + differ).without_unused(), doubled

    def _find(self, size: Size, players: int) -> bool:
        """Search for the position with the fewest things; return whether there is one."""
        sought = self.describe(size, players)
        progress = sought
        if self.reached:
            progress += f"; {describe_agreement(self)}"
        show_progress(progress)
        program, _ = self._pair
        facts = self._make_facts(size, players)
        search = AnswerSearch(program, facts, self.shown, self.deadline, _OPTIONS)
        for answer in search.find():
            bare = Example(Path(self.name), self.game, "-", 0)
            self.example = read_example(bare, self._write_lines(answer, size))
            self.at = size
            show_progress(f"found: {sought}; looking for a simpler one")
        return self.at is not None

    def narrow(self, program: Program) -> Program:
        """Return a version without the rules that do not matter here."""
        return program

    def describe(self, size: Size, players: int) -> str:
        """Return a size in words, with the number of players if that matters."""
        rows, columns = size
        return f"{rows} x {columns}"

    def _make_facts(self, size: Size, players: int) -> Facts:
        name = Name(self.name.replace("-", "_"))
        return {"size": [size], "about": [(name,)]}

    def _write_lines(self, answer: Answer, size: Size) -> list[str]:
        lines = []
        # The rows have the number of a line, a place in it, and the text there.
        for _, pieces in groupby(sorted(answer["writes"]), key=itemgetter(0)):
            line = "".join(write_sentence(text) for _, _, text in pieces)
            lines.append(line.rstrip())
        return lines

    def _judge(self, rules: GameRules) -> dict[str, str]:
        """Return the values that rules give to the labels of the position."""
        assert self.example is not None
        answers = {}
        # Each label fails, since nothing is expected for it.
        for failure in judge_examples([self.example], rules):
            answers[failure.assertion.label] = write_items(failure.got)
        return answers

    def _compare(self, before: GameRules, after: GameRules) -> list[_Compared]:
        """Return the values of both versions on the position, label by label."""
        old = self._judge(before)
        new = self._judge(after)
        return [_Compared(label, old.get(label, FINE), new.get(label, FINE)) for label in old | new]

    def write(
        self, before: GameRules, after: GameRules, ending: str = "", rulings: Settings = ()
    ) -> str:
        """Return an example that holds in the first version.

        Its title has the values of the second. The text is empty if the versions differ only in
        what is not shown.
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
        title = f"not {'; '.join(wrong)}{ending}"
        settings = (*rulings, *self.example.assertions[0].settings)
        return write_example(title, self.files, settings, expected)

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Return the position and the differences, as blocks to print and as fields for JSON."""
        text = self.write(before, after)
        differing = tuple(one for one in self._compare(before, after) if one.differs)
        shown: dict[str, Any] = {
            "before": {one.label: one.before for one in differing},
            "after": {one.label: one.after for one in differing},
            "example": text,
        }
        return [Text(text, "picture"), Table("", ("", *_VERSIONS), differing)], shown


@dataclass
class CardComparer(Comparer):
    """Searches for the smallest board on which a card pays differently.

    All players have settlements on it. With ``valid``, boards obey the rules of a game, except for
    their size. There is a ``board`` once one is found.
    """

    valid: bool = False
    notation: Notation = field(default_factory=load_notation)
    board: Board | None = None

    what = "on any board"
    shown = _PUTS
    compared = _SCORE
    differ = Use(("compare",))

    def narrow(self, program: Program) -> Program:
        """Return a version without the rules of other cards that do not matter here."""
        return _drop_others(self.name, program)

    def describe(self, size: Size, players: int) -> str:
        """Return a size and a number of players in words."""
        return f"{super().describe(size, players)} with {write_count(players, 'player')}"

    def _make_facts(self, size: Size, players: int) -> Facts:
        empty = self._make_empty(size)
        program, _ = self._pair
        asked = find_asked(program, self.notation.land.values())
        symbols = self.notation.drop_equivalent(self._list_symbols(players), asked)
        rows = range(empty.height)
        columns = range(empty.width)
        places = list(product(rows, columns))
        name = Name(self.name)
        facts = {
            **empty.facts,
            **self.notation.open_facts(symbols),
            "open": places,
            "may_stand": list(product(rows, columns, symbols)),
            "weighs": [(symbol, len(symbol.strip("."))) for symbol in symbols],
            "card": [(name, 0, "")],
            "two_versions": [(name,)],
        }
        if self.valid:
            facts["sound"] = [()]
        return facts

    def _list_symbols(self, players: int) -> Iterator[str]:
        """Return the symbols that a hex may have on a board with this number of players."""
        absent = set(PLAYERS[players:])
        return (symbol for symbol in self.notation.hexes if absent.isdisjoint(symbol))

    def _make_empty(self, size: Size) -> Board:
        rows, columns = size
        return Board(self.name, (HIDDEN * columns,) * rows, notation=self.notation)

    def _write_lines(self, answer: Answer, size: Size) -> list[str]:
        empty = self._make_empty(size)
        self.board = empty.fill(answer["puts"])
        lines = str(self.board).splitlines()
        return [*lines, f"{self.name}:"]

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Return the board and what pays on it, as blocks to print and as fields for JSON."""
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
            titled = [
                replace(one, card=one.card._replace(name=title))
                for one in compress(explanations, differing)
            ]
            evidence = report_evidence(titled, drawing, self.board.labels)
            blocks += evidence.blocks
        shown["board"] = text
        return blocks, shown


def _drop_others(card: str, program: Program) -> Program:
    """Return a program without other cards.

    The rules that declare cards are left out; if only the sums use gold, so are the rules that pay
    for other cards.
    """
    statements = program.statements
    others = {head.arguments[0] for _, head in find_heads(_CARD, program)}
    others.discard(card)
    if any(_GOLD in rule.body and _SCORE not in rule.heads for rule in statements):
        others.clear()
    kept = []
    for statement in statements:
        if _CARD in statement.heads:
            continue
        if _GOLD in statement.heads:
            pays = statement.head
            if pays is not None and pays.arguments[0] in others:
                continue
        # The checks of users' rules do not matter for what is compared.
        kept.append(replace(statement, origin="game"))
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
    """Return the comparer for a card, a tile or a game; None if turns cannot be compared.

    Only cards use ``players`` and ``valid``.
    """
    if before.game == GAME and _has_card(before, name):
        return CardComparer(
            name=name,
            before=load_version(before, valid=valid),
            after=load_version(after, valid=valid),
            players=players,
            deadline=deadline,
            valid=valid,
            notation=load_notation(after),
        )
    game = GameFolder(before.game).type
    if game.positions is None:
        return None
    # Only the base part of the lifted rules is grounded.
    use = game.positions.use
    return Comparer(
        name,
        before.whole_program(use).base,
        after.whole_program(use).base,
        sizes=sorted(game.positions.sizes, key=_area_first),
        deadline=deadline,
        game=game.name,
    )


def compare_rules(
    name: str, before: GameRules, after: GameRules, *, players: int, valid: bool
) -> Comparer:
    """Return the comparer for a card, a tile, or the turns of a game in two versions of the rules.

    It raises a RuleError if there is no such card, if no change affects it, or if turns cannot be
    compared. A card may also be named by its number.
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
        paths = {str(rule.path) for rule in used.statements if rule.heads}
        if paths.isdisjoint(after.changes.paths):
            subject = f"the card {name}" if is_card else name
            raise RuleError(f"nothing in {_name(after)} affects {subject}")
    return found


def _name(rules: GameRules) -> str:
    """Return a phrase for a version of the rules."""
    words = " ".join(rules.changes.words())
    if not words:
        return _OURS
    return f"{_OURS} with {visible(words)}"


def report_comparison(found: Comparer, before: GameRules, after: GameRules) -> Output:
    """Return the difference between the versions, or what is proved."""
    size = found.reached
    outcome = describe_agreement(found)
    colour: Literal["green", "red"] = "green" if outcome and found.at is None else "red"
    blocks: list[Block] = []
    shown: dict[str, Any] = {}
    if found.at is not None:
        size = found.at
        blocks, shown = found.report(before, after)
        board = found.describe(size, found.players)
        outcome = f"the versions differ on a board of {board}"
        if not found.fewest:
            outcome += "; there may be a simpler one"
        versions = Text(f"before: {_name(before)}\nafter: {_name(after)}")
        blocks.insert(0, versions)
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
    table = Table("", tuple(line), (tuple(map(render, line.values())),))
    if found.at is not None:
        line |= {**shown, "fewest": found.fewest}
    heading = Text(f"{found.name}: ", outcome=outcome or "nothing was proved", colour=colour)
    return Output([heading, *blocks], [line], table)


def describe_agreement(found: Comparer) -> str:
    """Return a sentence with the size up to which the versions agree; empty if none is proved."""
    if found.is_same:
        return "both versions use the same rules here"
    if found.reached is None:
        return ""
    size = found.describe(found.reached, found.players)
    return f"no difference {found.what} up to {size}: proved"
