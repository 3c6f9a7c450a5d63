"""Two versions of rules: the smallest board, or position and turn, that tells them apart.

A card is asked what it pays, a game what comes of a turn; the rules in asp/*/search choose what is
on a board of a size. Sizes are tried in order of their area, for cards of their longer side first.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from kb_score.engine.lift import pair_versions
from kb_score.engine.program import Program, Signature, Statement, plain_head
from kb_score.engine.rules import GameRules, Use
from kb_score.engine.solve import AnswerSearch
from kb_score.engine.supervisor import Deadline, TimeUp
from kb_score.engine.terms import Answer, Facts, Name, Value, predicate_of
from kb_score.errors import RuleError, visible
from kb_score.games import list_games
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.board import HIDDEN, PLAYERS, Board, Notation, load_notation
from kb_score.games.kingdom_builder.land import find_asked
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.kingdom_builder.rules import GAME, find_heads, load_rules
from kb_score.games.kingdom_builder.scoring import draw_board, draw_hexes, explain, report_evidence
from kb_score.games.schema import write_sentence
from kb_score.shell.output import Block, Output, Table, Text, render, show_progress
from kb_score.workbench.examples import (
    FINE,
    Example,
    judge_examples,
    read_example,
    write_example,
    write_items,
)

Size = tuple[int, int]  # rows and columns
Pair = tuple[str, str]  # a ruling or an option, and its value

_SECONDS = 60.0  # of a search, if nothing else is said
# clasp's way to search that was fastest on the trials of docs/compare.md.
_OPTIONS = ("--configuration=handy",)
_STANDS = predicate_of(asp.StandsRow)
_CARD, _GOLD = map(predicate_of, (asp.Card, asp.GoldRow))
_SCORE = predicate_of(asp.ScoreRow)
_VERSIONS, _OURS = ("before", "after"), "the rules of kb-score"


# What is compared, and a piece of an example: see search/positions.lp of a game.
TellsRow = NamedTuple("TellsRow", [("what", Value)])  # noqa: UP014
WritesRow = NamedTuple("WritesRow", [("line", int), ("place", Value), ("text", Value)])  # noqa: UP014


def list_sizes(longest: int = 20) -> tuple[Size, ...]:
    """List the sizes of boards that can be halved; no game is played on a larger board than 20."""
    sides = range(2, longest + 1, 2)
    return tuple(sorted(product(sides, sides), key=lambda s: (max(s), s[0] * s[1], s)))


def load_version(rules: GameRules, *, valid: bool = False) -> Program:
    """Load one version of the rules for a `CardComparer`; a changed copy of it is another one."""
    return rules.whole_program(
        Use(("board", "score", "open", "cards/*", *(["valid"] if valid else [])))
    )


@dataclass
class Comparer:
    """Looks for the smallest position and turn in it of which two versions tell something else.

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
    example: Example | None = None  # of that position, with labels that want nothing
    fewest: bool = False  # no position of its size with as few players holds fewer things
    proved: list[Size] = field(default_factory=list)  # the versions tell the same in all of these

    what: ClassVar[str] = "in any position"
    shown: ClassVar[Signature] = predicate_of(WritesRow)
    compared: ClassVar[Signature] = predicate_of(TellsRow)
    differ: ClassVar[Use] = Use(("common/differ",))

    @cached_property
    def is_same(self) -> bool:
        """Whether the same rules decide what both versions tell."""
        return self.compared not in self._pair[1]

    @property
    def reached(self) -> Size | None:
        """The largest size up to which the versions tell the same in any position."""
        done = set(self.proved)
        inner = {s: {t for t in self.sizes if t[0] <= s[0] and t[1] <= s[1]} for s in done}
        return max(
            (s for s in done if inner[s] <= done), key=lambda s: (s[0] * s[1], s), default=None
        )

    @property
    def files(self) -> list[str]:
        """What was found, as files."""
        return [text for _, text in self.example.inputs] if self.example else []

    def run(self) -> None:
        """Search until a smallest position is found, or all sizes are done, or the time is over."""
        with suppress(TimeUp):
            for size in () if self.is_same else self.sizes:
                for players in range(1, self.players + 1):
                    if self._find(size, players):
                        self.fewest = True
                        return
                self.proved.append(size)

    @cached_property
    def _pair(self) -> tuple[Program, frozenset[Signature]]:
        both, doubled = pair_versions(*map(self.narrow, (self.before, self.after)))
        differ = GameRules(self.game).whole_program(self.differ)
        return (both + differ).without_unused(), doubled

    def _find(self, size: Size, players: int) -> bool:
        """Look for the position with the fewest things; tell whether there is one."""
        proved = f"; {say_proved(self)}" if self.reached else ""
        show_progress(f"{self.say(size, players)}{proved}")
        facts = self._make_facts(size, players)
        search = AnswerSearch(self._pair[0], facts, self.shown, self.deadline, _OPTIONS)
        for answer in search.find():
            bare = Example(Path(self.name), self.game, "-", 0, (), ())
            self.at, self.example = size, read_example(bare, self._write_lines(answer, size))
            show_progress(f"found: {self.say(size, players)}; looking for a simpler one")
        return self.at is not None

    def narrow(self, program: Program) -> Program:
        """Leave out what does not matter."""
        return program

    def say(self, size: Size, _players: int) -> str:
        """Name a size."""
        return f"{size[0]} x {size[1]}"

    def _make_facts(self, size: Size, _players: int) -> Facts:
        return {"size": [size], "about": [(Name(self.name.replace("-", "_")),)]}

    def _write_lines(self, answer: Answer, _size: Size) -> list[str]:
        rows = groupby(sorted(answer.read(WritesRow)), key=lambda row: row.line)
        return ["".join(write_sentence(row.text) for row in some).rstrip() for _, some in rows]

    def tell(self, *versions: GameRules) -> list[tuple[str, ...]]:
        """Tell what the versions say of what was found: rows of a label and what each says."""
        judged = (judge_examples([self.example] if self.example else [], one) for one in versions)
        told = [{f.assertion.label: write_items(f.got) for f in failures} for failures in judged]
        labels = dict.fromkeys(label for one in told for label in one)
        return [(label, *(one.get(label, FINE) for one in told)) for label in labels]

    def write(self, before: GameRules, after: GameRules, what: str = "", *rulings: Pair) -> str:
        """Write an example that is true of the first version; its title has what the other says."""
        assert self.example is not None
        rows = self.tell(before, after)
        wrong = "; ".join(f"{label}: {other}" for label, one, other in rows if one != other)
        if not wrong:
            return ""  # they differ in what is never told
        # What breaks a rule has to be said.
        kept = (r for r in rows if r[1] != r[2] or (r[0].startswith("turn ") and r[1] != FINE))
        settings = [*rulings, *self.example.assertions[0].settings]
        said = {label: one for label, one, _ in kept}
        return write_example(f"not {wrong}{what}", self.files, settings, said)

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Lay out what was found, and what JSON says of it."""
        text = self.write(before, after)
        rows = tuple(row for row in self.tell(before, after) if row[1] != row[2])
        told = {v: {row[0]: row[at] for row in rows} for at, v in enumerate(_VERSIONS, 1)}
        return [Text(text, "picture"), Table("", ("", *_VERSIONS), rows)], {**told, "example": text}


@dataclass
class CardComparer(Comparer):
    """Looks for the smallest board on which a card pays differently; all players have settled."""

    valid: bool = False  # only boards that a game can have, but for their size
    notation: Notation = field(default_factory=load_notation)
    board: Board | None = None  # where the versions differ

    what, shown, compared, differ = "on any board", _STANDS, _SCORE, Use(("compare",))

    def narrow(self, program: Program) -> Program:
        """Leave out what other cards are and pay, as far as it does not matter."""
        return _only(self.name, program)

    def say(self, size: Size, players: int) -> str:
        """Name a size, and a number of players."""
        return f"{super().say(size, players)} with {players} player{'s' * (players != 1)}"

    def _make_facts(self, size: Size, players: int) -> Facts:
        empty, absent = self._empty(size), set(PLAYERS[players:])
        program, notation, card = self._pair[0], self.notation, Name(self.name)
        known = (s for s in (*notation.alone, *notation.pairs) if absent.isdisjoint(s))
        asked = find_asked(program, [kind for _, kind in notation.land])
        symbols = notation.leave_out_alike((s for s in known if s[0] != "." or s == "."), asked)
        places = [(r, c) for r in range(empty.height) for c in range(empty.width)]
        return {
            **empty.facts,
            **notation.open_facts(symbols),
            "open": places,
            "may_stand": [(*place, symbol) for place in places for symbol in symbols],
            "weighs": [(symbol, len(symbol.strip("."))) for symbol in symbols],
            "card": [(card, 0, "")],
            "two_versions": [(card,)],
            **({"sound": [()]} if self.valid else {}),
        }

    def _empty(self, size: Size) -> Board:
        return Board(self.name, ((HIDDEN,) * size[1],) * size[0], notation=self.notation)

    def _write_lines(self, answer: Answer, size: Size) -> list[str]:
        self.board = self._empty(size).fill(answer.read(asp.StandsRow))
        return [*str(self.board).splitlines(), f"{self.name}:"]

    def report(self, before: GameRules, after: GameRules) -> tuple[list[Block], dict[str, Any]]:
        """Lay out the board and what pays on it."""
        assert self.board is not None
        self.players = len({*PLAYERS} & {*str(self.board)})
        drawing = draw_board(self.board, load_rules(before))
        told = {
            version: explain(self.board, load_rules(rules), cards=[self.name])
            for version, rules in zip(_VERSIONS, (before, after), strict=True)
        }
        paid = {version: [one.gold for one in some] for version, some in told.items()}
        pairs = zip(*paid.values(), strict=True)
        differing = [at for at, (one, other) in enumerate(pairs) if one != other]
        blocks: list[Block] = [draw_hexes(drawing)]
        for version, some in told.items():
            card = some[0].card._replace(name=f"{version}: {self.name}")
            shown = [replace(some[at], card=card) for at in differing]
            blocks += report_evidence(shown, drawing, self.board.labels).blocks
        return blocks, {**paid, "board": str(self.board)}


def _only(card: str, program: Program) -> Program:
    """Leave out what cards say, and what others pay, unless not only the sums ask for that."""
    others = {head.name for head in find_heads(_CARD, program)} - {card}
    if any(_GOLD in s.body and _SCORE not in s.heads for s in program.statements):
        others = set()

    def stays(statement: Statement) -> bool:
        head = plain_head(statement) if _GOLD in statement.heads else None
        return _CARD not in statement.heads and not (head and str(head.arguments[0]) in others)

    # A user's rule that does not bear on the card does not matter.
    kept = (replace(s, is_users=False) for s in program.statements if stays(s))
    return replace(program, statements=tuple(kept))


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
    if before.game == GAME and any(name == card.name for card in load_rules(before).cards):
        one, other = (load_version(rules, valid=valid) for rules in (before, after))
        notation = load_notation(after)
        return CardComparer(
            name, one, other, players, deadline=deadline, valid=valid, notation=notation
        )
    game = list_games()[before.game.replace("_", "-")].type
    if game.positions is None:
        return None
    # Of what is lifted no other part is grounded.
    one, other = (rules.whole_program(game.positions.use).base for rules in (before, after))
    sizes = sorted(game.positions.sizes, key=lambda size: (size[0] * size[1], size))
    return Comparer(name, one, other, sizes=sizes, deadline=deadline, game=game.name)


def compare_rules(
    name: str, before: GameRules, after: GameRules, *, players: int, valid: bool
) -> Comparer:
    """Make the comparison of a card, a tile, or a game's turns in two versions of the rules.

    A RuleError says that one of them has no such card, or that no change bears on it.
    """
    is_card = name not in list_games() and name not in load_names(before).tiles
    if is_card:
        name = load_rules(before).find_card(name)
        if all(name != card.name for card in load_rules(after).cards):
            raise RuleError(f"there is no card {name} in {_name(after)}")
    deadline = Deadline(after.changes.limits.seconds or _SECONDS)
    found = make_comparer(name, before, after, players, deadline, valid=valid)
    if found is None:
        raise RuleError(f"turns of {name} cannot be compared")
    kept = (s for s in found.narrow(found.after).without_unused().statements if s.heads)
    if found.is_same and {*after.changes.paths}.isdisjoint(
        s.node.location.begin.filename for s in kept
    ):
        raise RuleError(f"nothing in {_name(after)} bears on {'the card ' * is_card}{name}")
    return found


def _name(rules: GameRules) -> str:
    """Name a version of the rules."""
    words = visible(" ".join(rules.changes.words()))
    return f"{_OURS} with {words}" if words else _OURS


def report_comparison(found: Comparer, before: GameRules, after: GameRules) -> Output:
    """Lay out where the versions differ and what both tell there, or what is proved."""
    size, said = found.at or found.reached, say_proved(found)
    blocks, told = found.report(before, after) if found.at else ([], {})
    if found.at is not None:
        said = f"the versions differ on a board of {found.say(found.at, found.players)}"
        said += "" if found.fewest else "; there may be a simpler one"
        blocks.insert(0, Text(f"before: {_name(before)}\nafter: {_name(after)}"))
    colour: Literal["green", "red"] = "green" if found.at is None and said else "red"
    first = Text(f"{found.name}: ", outcome=said or "nothing was proved", colour=colour)
    rows, columns = size or (None, None)
    line: dict[str, Any] = {"name": found.name, "differ": found.at is not None}
    line |= {"rows": rows, "columns": columns, "players": found.players}
    line |= {version: told.pop(version) for version in _VERSIONS if told}
    table = Table("", tuple(line), (tuple(map(render, line.values())),))
    line |= {**told, "fewest": found.fewest} if told else {}
    return Output([first, *blocks], [line], table)


def say_proved(found: Comparer) -> str:
    """Say up to which size the versions tell the same; empty if that is not known of any."""
    if found.is_same:
        return "the same rules decide what both versions tell"
    upto = found.reached and found.say(found.reached, found.players)
    return f"no difference {found.what} up to {upto}: proved" if upto else ""
