"""Matches of games without Python, which their rules play."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, NoReturn

from kb_score.engine.program import OPEN
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.state import find_asking_parts
from kb_score.engine.stepper import SavedGame, Stepper
from kb_score.engine.terms import Facts, Value
from kb_score.errors import Fault, FormatError, InputError, RuleError
from kb_score.games.agreement import LEGAL, STEP
from kb_score.games.declared_files import GameFiles, restricts
from kb_score.games.game import File, Legal, Match, Position, Turn
from kb_score.games.live import CountsAsRow, RulesPosition, refuse_misuse
from kb_score.games.rulings import write_rulings
from kb_score.games.schema import (
    IllegalRow,
    MoverRow,
    TerminalRow,
    read_violations,
    to_json,
    write_sentence,
)
from kb_score.shell.picture import TextBoard

# The turns of a match after which the rules begin anew, to stay fast.
RENEWAL = 200
# What a player answers who has no move, where every answer counts as something.
_PASS = "pass"


class LegalTextRow(NamedTuple):
    """A legal answer, or a part of one, as a text in parts."""

    who: Value
    parts: Value
    turn: int


class WeightRow(NamedTuple):
    """How often random games choose an answer, where another one has 1."""

    who: Value
    parts: Value
    weight: int
    turn: int


class MeetsRow(NamedTuple):
    """A case of the game's cases that the position after a turn meets."""

    case: str
    turn: int


class LegalKindRow(NamedTuple):
    """What a legal answer counts as."""

    parts: Value
    kind: str
    turn: int


class ForbiddenRow(NamedTuple):
    """An action that is not allowed at a turn."""

    turn: int
    action: Value
    code: str
    detail: Value


class KindRow(NamedTuple):
    """A kind of answers that is counted, and its place among them."""

    place: int
    kind: str


class UnusableRow(NamedTuple):
    """Why a map, a record or an option cannot be used."""

    detail: Value


class ToldCellRow(NamedTuple):
    """The symbol that a cell of the grid has from the end of a turn on, as players are told."""

    row: int
    column: int
    symbol: Value
    turn: int


class LiesOnRow(NamedTuple):
    """What people at the table see on a cell of the grid after a turn."""

    row: int
    column: int
    symbol: Value
    turn: int


class ToldRow(NamedTuple):
    """What players are told before a turn, by a key of the template."""

    key: str
    parts: Value
    turn: int


class FigureRow(NamedTuple):
    """A figure of the result after a turn."""

    key: str
    value: Value
    turn: int


def check_usable(name: str, found: Iterable[UnusableRow]) -> None:
    """Check that the rules can use what they are given; an InputError if they cannot."""
    details = sorted(write_sentence(row.detail) for row in found)
    if details:
        raise InputError(name, "; ".join(details))


def join_parts(parts: Value) -> str:
    """Join the parts of a text, written one after another."""
    if isinstance(parts, tuple):
        return "".join(map(str, parts))
    return str(parts)


def check_movers(files: GameFiles, turn: int, movers: Set[int]) -> None:
    """Check that exactly one player, and one of the game, has a turn.

    Raises:
        RuleError: The rules say something else.
    """
    players = files.manifest.players
    if players == 1 and not movers:
        return
    if len(movers) != 1:
        listed = " and ".join(map(str, sorted(movers)))
        problem = f"it belongs to players {listed}" if movers else "no rule says whose it is"
    elif min(movers) not in range(1, players + 1):
        problem = f"it belongs to player {min(movers)}, but the last player is {players}"
    else:
        return
    raise RuleError(f"the rules of {files.title}: turn {turn}: {problem} (mover/2)")


class DeclaredMatch(Match):
    """A match of a game without Python.

    Attributes:
        map_name: The name of its map; empty if it has none.
        met: The cases that the present position meets.
        counts: How many answers of each kind each player gave, by kind and player.
        kinds: The kinds of answers, with their places.
    """

    turn = 0
    mover = 1
    finished = False

    def __init__(
        self,
        files: GameFiles,
        rules: GameRules,
        start: Facts,
        map_: File = ("", ""),
        *,
        kind: str = "",
    ) -> None:
        """Begin a match.

        Args:
            files: The game.
            rules: The rules; a RuleError if one is wrong.
            start: The facts of the start.
            map_: The name and the text of the map, if there is one.
            kind: The kind of records of which turns are played; empty for that of play.

        Raises:
            InputError: The game cannot be played on this map.
        """
        self.keeps_told = files.manifest.play.record_told
        self._files = files
        self._rules = rules
        self._start = start
        self.map_name, self._map = map_
        self.met: set[str] = set()
        self.counts = Counter[tuple[str, int]]()
        use = files.uses.find_play(kind)
        program = rules.program(use)
        self._program = program
        self._has_open = program.has_part(OPEN)
        # What part legal asks about is not handed in once more for the turn.
        # What is forbidden may not be known before the answer.
        can_list = program.has_part(LEGAL) and not restricts(program)
        self._has_legal = can_list and LEGAL not in find_asking_parts(program)
        self._options: list[Legal] = []  # of the present turn, once they have been asked for
        self._weights: dict[tuple[Value, str], int] = {}
        self._live = Stepper(program, start, renewal=RENEWAL)
        # What players are told of the grid: a symbol for each cell, by rows and columns.
        self._grid: dict[int, dict[int, str]] = {}
        # The rows that no saved state has; others are copied before they change.
        self._own_rows: set[int] = set()
        self._rows: dict[int, str] = {}  # those rows of it that have been written
        self._width = 0
        self._told: dict[str, list[str]] = {}
        self._pieces: Sequence[LiesOnRow] = ()
        self._movers = defaultdict[int, set[int]](set)
        self._figures: dict[str, Any] = dict.fromkeys(files.manifest.figures)
        self.kinds = self._live.news(KindRow)
        self._go_on()

    def _go_on(self) -> None:
        """Take in what the last turn has said, and open the next turn if there is one."""
        self.met = {row.case for row in self._live.news(MeetsRow)}
        self._take_in()
        if not self.finished:
            self._live.next_turn()
            if self._has_open:
                self._live.play([OPEN])
                self._take_in()
            if not self.finished:
                self._check_movers()
        self._options = []

    def _take_in(self) -> None:
        live = self._live
        check_usable(self.map_name or "the game", live.news(UnusableRow))
        refuse_misuse(self._rules, live)
        self._take_in_cells(live.news(ToldCellRow))
        self._take_in_figures(live.news(FigureRow))
        told = defaultdict[str, list[str]](list)
        for said in sorted(live.news(ToldRow), key=str):
            text = join_parts(said.parts)
            told[said.key].append(text)
        self._told = dict(told)
        self._pieces = live.news(LiesOnRow)
        for mover in live.news(MoverRow):
            self._movers[mover.turn].add(mover.player)
        self.finished = self.finished or bool(live.news(TerminalRow))

    def _take_in_figures(self, figures: Sequence[FigureRow]) -> None:
        """Take in the figures of the result; a RuleError if one is two things at once."""
        said: dict[tuple[str, int], Value] = {}
        for figure in figures:
            other = said.setdefault((figure.key, figure.turn), figure.value)
            if other != figure.value:
                self._refuse(f"figure/3 gives {figure.key} two values after turn {figure.turn}")
            self._figures[figure.key] = to_json(figure.value)

    def _take_in_cells(self, cells: Sequence[ToldCellRow]) -> None:
        """Take in what players are told of the grid; a RuleError if it is two things at once."""
        symbols: dict[tuple[int, int, int], str] = {}
        for cell in cells:
            symbol = str(cell.symbol)
            place = (cell.row, cell.column, cell.turn)
            other = symbols.setdefault(place, symbol)
            if other != symbol:
                both = " and ".join(sorted((other, symbol)))
                self._refuse(f"told_cell/4 gives {both} to row {cell.row} and column {cell.column}")
            if cell.row not in self._own_rows:
                self._own_rows.add(cell.row)
                self._grid[cell.row] = dict(self._grid.get(cell.row, {}))
            self._grid[cell.row][cell.column] = symbol
            self._rows.pop(cell.row, None)

    def _refuse(self, message: str) -> NoReturn:
        """Raise the error that something is wrong with the rules."""
        raise RuleError(f"the rules of {self._files.title}: {message}")

    def _check_movers(self) -> None:
        """Find whose turn it is; a RuleError if the rules do not say it, or name several."""
        movers = self._movers.pop(self.turn + 1, set())
        check_movers(self._files, self.turn + 1, movers)
        # The rules of a game for one player need not say it.
        for mover in movers:
            self.mover = mover

    def answer(self, line: str) -> Turn:
        """Play an answer; if each counts as something, one that cannot be read is a pass.

        Raises:
            Fault: It cannot be read, or is illegal.
        """
        try:
            given = self._files.read_answer(line, "the answer")
        except FormatError as error:
            reason = f"column {error.place.column}: {error.message}"
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        said = self._repeat(line)
        illegal = read_violations(self.play(given))
        if illegal:
            words = [str(violation) for violation in illegal]
            reasons = "; ".join(word.partition(": ")[2] for word in words)
            raise Fault("illegal", f"made an illegal move: {reasons}", answer=said)
        return Turn(f"{said}\n")

    def save(self) -> object:
        self._own_rows.clear()
        return _SavedMatch(
            game=self._live.save(),
            turn=self.turn,
            mover=self.mover,
            finished=self.finished,
            met=self.met,
            told=self._told,
            pieces=self._pieces,
            counts=self.counts.copy(),
            figures=dict(self._figures),
            grid=dict(self._grid),
            movers={turn: set(movers) for turn, movers in self._movers.items()},
        )

    def restore(self, saved: object) -> None:
        assert isinstance(saved, _SavedMatch)
        self.turn = saved.turn
        self.mover = saved.mover
        self.finished = saved.finished
        self.met = saved.met
        self._told = saved.told
        self._pieces = saved.pieces
        self.counts = saved.counts.copy()
        self._figures = dict(saved.figures)
        self._grid = dict(saved.grid)
        self._own_rows.clear()
        self._rows = {}
        self._movers.clear()
        for turn, movers in saved.movers.items():
            self._movers[turn] = set(movers)
        self._options = []
        self._weights = {}
        is_opened = self._has_open and not self.finished
        self._live.restore(saved.game, [OPEN] if is_opened else [])

    def _repeat(self, line: str) -> str:
        """Write an answer as a record has it."""
        template = self._files.manifest.play.line
        if not (template and self._files.texts.fits_answer(line)):
            return line
        return template.format(answer=self._files.texts.write_answer(line))

    def play(self, given: Facts) -> list[IllegalRow]:
        """Play a turn by the facts of its answer; return why it is illegal, if it is."""
        given = self._files.add_actions(self._program, given, has_turn=False)
        self._live.play([STEP], given)
        illegal = self._live.news(IllegalRow)
        if not illegal:
            self.turn += 1
            for row in self._live.news(CountsAsRow):
                self.counts[row.kind, self.mover] += 1
            self._go_on()
        return illegal

    def tell(self) -> str:
        """Write what the mover is told: the template, with what the rules say."""
        return self.closing() if self.finished else self._write(self._files.manifest.play.tell)

    def _write(self, template: str) -> str:
        said = {key: " ".join(texts) for key, texts in self._told.items()}
        figures = {key: _write_figure(value) for key, value in self._figures.items()}
        rows = self._list_rows()
        fields = defaultdict[str, Any](str)
        fields["turn"] = self.turn + 1
        fields["turns"] = self.turn
        fields["mover"] = self.mover
        fields["grid"] = _Grid("\n".join(rows))
        fields.update(figures)
        fields.update(said)
        return template.format_map(fields)

    def _list_rows(self) -> list[str]:
        width = max(map(len, self._grid.values()), default=0)
        if width != self._width:
            self._rows.clear()
            self._width = width
        for row in range(len(self._grid)):
            if row in self._rows:
                continue
            cells = self._grid.get(row, {})
            for column in range(width):
                if column not in cells:
                    where = f"row {row} and column {column}"
                    self._refuse(f"told_cell/4 leaves out the cell in {where}")
            symbols = [cells[column] for column in range(width)]
            self._rows[row] = "".join(symbols)
        return [self._rows[row] for row in range(len(self._grid))]

    def default(self, fault: Fault) -> str:
        """Write what was said where every answer counts as something; it is no move."""
        return fault.answer

    def position(self) -> Position:
        return self.make_position("the answer", is_live=True)

    def make_position(self, name: str, *, is_live: bool = False) -> Position:
        """Make the position as it is now; errors call an answer by the name."""
        facts = {**self._start}
        for state, rows in self._live.list_kept().items():
            facts[state] = [(*row, self.turn + 1) for row in rows]
        end = self.turn if self.finished else None
        return make_position(
            self._files,
            self._rules,
            facts,
            self.turn + 1,
            end,
            mover=self.mover,
            name=name,
            is_live=is_live,
        )

    def choose(self, random: Random) -> str:
        moves = self._list_options()
        if self._files.counts_answers and not any(one.moves for one in moves):
            return _PASS
        if not moves:
            problem = "no answer is legal (legal_text/3), and the game goes on"
            self._refuse(f"turn {self.turn + 1}: {problem}")
        chosen = []
        for one in moves:
            if self._weights:
                weights = [self._weights.get((one.player, move), 1) for move in one.moves]
                if not any(weights):
                    self._refuse(f"weight/4 is 0 for all that {one.player} may answer")
                chosen += random.choices(one.moves, weights)
            else:
                chosen.append(random.choice(one.moves))
        return " ".join(chosen)

    def legal(self) -> Sequence[Legal]:
        return () if self.finished else self._list_options()

    def _list_options(self) -> Sequence[Legal]:
        """List the legal answers of this turn, and how often random games choose each."""
        if not self._has_legal:
            return self.position().moves()
        if not self._options:
            self._live.play([LEGAL])
            legal = self._live.news(LegalTextRow)
            self._options = list_legal(legal, (), self.mover)
            self._weights = {}
            for row in self._live.news(WeightRow):
                key = str(row.who) or self.mover, join_parts(row.parts)
                other = self._weights.setdefault(key, row.weight)
                if row.weight < 0 or other != row.weight:
                    found = " and ".join(map(str, sorted({other, row.weight})))
                    self._refuse(f"weight/4 is {found}: it is one number, at least 0")
        return self._options

    def picture(self) -> TextBoard:
        """Return the grid as players know it, with what lies on it.

        The smallest of these symbols is in the middle, where the grid is wide.
        """
        rows = list(map(list, self._list_rows()))
        middle = (0, 0)
        pieces = sorted(self._pieces, key=lambda piece: order_value(piece.symbol))
        for piece in reversed(pieces):
            middle = (piece.row, piece.column)
            if piece.column not in self._grid.get(piece.row, {}):
                where = f"row {piece.row} and column {piece.column}"
                self._refuse(f"lies_on/4 puts {piece.symbol} in {where}, beside the grid")
            if len(str(piece.symbol)) != 1:
                self._refuse(f"lies_on/4 has {piece.symbol!r}, where one character is expected")
            rows[piece.row][piece.column] = str(piece.symbol)
        return TextBoard(["".join(row) for row in rows], middle)

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, **self._figures, "finished": self.finished}

    def state(self) -> str:
        template = self._files.manifest.play.state
        said = super().state()
        if self._files.manifest.players > 1 and not self.finished:
            said += f", player {self.mover}"
        return f"{said}, {self._write(template)}" if template else said

    def opening(self) -> str:
        rulings = write_rulings(self._rules)
        is_map_told = self.keeps_told or not self._files.texts.is_map_in_record
        return rulings if is_map_told else rulings + self._map

    def closing(self) -> str:
        return self._write(self._files.manifest.play.end) if self.finished else ""

    def blank(self) -> str:
        if self._files.texts.is_map_in_record:
            return self._map
        if self._files.texts.has_map:
            return ""
        return self.tell() if self.keeps_told else "\n"


@dataclass(frozen=True, slots=True)
class _SavedMatch:
    """What `DeclaredMatch.save` returns: the game, and what the match has taken in of it."""

    game: SavedGame
    turn: int
    mover: int
    finished: bool
    met: set[str]
    told: dict[str, list[str]]
    pieces: Sequence[LiesOnRow]
    counts: Counter[tuple[str, int]]
    figures: Mapping[str, Any]
    grid: Mapping[int, dict[int, str]]
    movers: Mapping[int, Set[int]]


def make_position(
    files: GameFiles,
    rules: GameRules,
    facts: Facts,
    turn: int,
    end: int | None,
    *,
    mover: int,
    name: str,
    is_live: bool = False,
) -> Position:
    """Make a position.

    Args:
        files: The game.
        rules: The rules.
        facts: The facts of the start, and the state before the turn.
        turn: The number of the turn.
        end: The turn after which the game was over; None if it goes on.
        mover: The player who has the turn.
        name: What errors call an answer.
        is_live: Whether the game is being played.
    """
    uses = files.uses

    def read(line: str) -> Facts:
        given = files.read_answer(line, name)
        return files.add_actions(rules.program(uses.judge), given, has_turn=False)

    def list_moves(answer: Answer) -> Sequence[Legal]:
        kinds = answer.read(LegalKindRow)
        found = leave_out(files, answer.read(LegalTextRow), answer.read(ForbiddenRow))
        moves = list_legal(found, kinds, mover)
        return moves or ([Legal(mover, ())] if files.counts_answers else [])

    return RulesPosition(
        rules=rules,
        facts=facts,
        turn=turn,
        over="" if end is None else f"the game is over after turn {end}",
        list_moves=list_moves,
        read=read,
        listing=uses.legal,
        judging=uses.judge,
        is_live=is_live,
        counts=files.counts_answers,
    )


def leave_out(
    files: GameFiles, found: list[LegalTextRow], forbidden: Sequence[ForbiddenRow]
) -> list[LegalTextRow]:
    """Leave out the answers that have a forbidden action."""
    actions = {row.action for row in forbidden}
    if not actions:
        return found
    kept: list[LegalTextRow] = []
    for row in found:
        text = join_parts(row.parts)
        given = files.read_answer(text, "legal_text/3")
        rows = files.texts.list_actions(given, has_turn=False)
        answered = {action for (action,) in rows}
        if actions.isdisjoint(answered):
            kept.append(row)
    return kept


def list_legal(found: list[LegalTextRow], kinds: Iterable[LegalKindRow], mover: int) -> list[Legal]:
    """List the legal answers of each who moves, in the order of their parts, with their kinds."""
    found.sort(key=order_value)
    known = {row.parts: row.kind for row in kinds}
    legal = []
    for who, group in groupby(found, key=lambda row: row.who):
        rows = list(group)
        moves = tuple(join_parts(row.parts) for row in rows)
        player = str(who) or mover
        counts_as = tuple(known.get(row.parts, "") for row in rows) if known else ()
        legal.append(Legal(player, moves, counts_as))
    return legal


def _write_figure(value: Any) -> str:
    """Write a figure as a record has it: those of several players with blanks between them."""
    if value is None:
        return ""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


class _Grid(str):
    """A grid in a template, whose format is what stands between its rows: ``{grid:,}``."""

    def __format__(self, separator: str) -> str:
        return self.replace("\n", separator) if separator else str(self)


def order_value(value: Value) -> tuple[Any, ...]:
    """Return what values are sorted by: numbers by size, then texts, then tuples."""
    if isinstance(value, tuple):
        return 2, tuple(map(order_value, value))
    return (0, value) if isinstance(value, int) else (1, str(value))
