"""Matches of games without Python, which their rules play."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from itertools import groupby
from random import Random
from typing import Any, NamedTuple, NoReturn

from kb_score.engine.program import OPEN
from kb_score.engine.rules import Answer, GameRules
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Value
from kb_score.errors import Fault, FormatError, RuleError
from kb_score.games.agreement import STEP
from kb_score.games.declared_files import GameFiles
from kb_score.games.game import Legal, Match, Position, Turn
from kb_score.games.live import RulesPosition, refuse_misuse
from kb_score.games.rulings import write_rulings
from kb_score.games.schema import IllegalRow, MoverRow, TerminalRow, read_violations, to_json
from kb_score.shell.picture import TextBoard

# The turns of a match after which the rules begin anew, to stay fast.
RENEWAL = 50


class LegalTextRow(NamedTuple):
    """A legal answer, or a part of one, as a text in parts."""

    who: Value
    parts: Value
    turn: int


class ToldCellRow(NamedTuple):
    """The symbol that a cell of the grid has from the end of a turn on, as players are told."""

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
    """A match of a game without Python."""

    turn = 0
    mover = 1
    finished = False

    def __init__(
        self, files: GameFiles, rules: GameRules, start: Facts, map_text: str = ""
    ) -> None:
        """Begin a match.

        Args:
            files: The game.
            rules: The rules; a RuleError if one is wrong.
            start: The facts of the start.
            map_text: The map as it was read, if there is one.
        """
        self.keeps_told = files.manifest.play.record_told
        self._files = files
        self._rules = rules
        self._start = start
        self._map = map_text
        program = rules.program(files.uses.play)
        self._has_open = program.has_part(OPEN)
        self._live = Stepper(program, start, renewal=RENEWAL)
        # What players are told of the grid: a symbol for each cell, by rows and columns.
        self._grid: dict[int, dict[int, str]] = {}
        self._told: dict[str, list[str]] = {}
        self._movers = defaultdict[int, set[int]](set)
        self._figures: dict[str, Any] = dict.fromkeys(files.manifest.figures)
        self._go_on()

    def _go_on(self) -> None:
        """Take in what the last turn has said, and open the next turn if there is one."""
        self._take_in()
        if not self.finished:
            self._live.next_turn()
            if self._has_open:
                self._live.play([OPEN])
                self._take_in()
            if not self.finished:
                self._check_movers()

    def _take_in(self) -> None:
        live = self._live
        refuse_misuse(self._rules, live)
        self._take_in_cells(live.news(ToldCellRow))
        for figure in live.news(FigureRow):
            self._figures[figure.key] = to_json(figure.value)
        told = defaultdict[str, list[str]](list)
        for said in sorted(live.news(ToldRow), key=str):
            text = join_parts(said.parts)
            told[said.key].append(text)
        self._told = dict(told)
        for mover in live.news(MoverRow):
            self._movers[mover.turn].add(mover.player)
        self.finished = self.finished or bool(live.news(TerminalRow))

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
            row = self._grid.setdefault(cell.row, {})
            row[cell.column] = symbol

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
        """Play an answer.

        Raises:
            Fault: It cannot be read, or is illegal.
        """
        try:
            given = self._files.texts.read_answer(line, "the answer")
        except FormatError as error:
            reason = f"column {error.place.column}: {error.message}"
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        illegal = read_violations(self.play(given))
        if illegal:
            words = [str(violation) for violation in illegal]
            reasons = "; ".join(word.partition(": ")[2] for word in words)
            raise Fault("illegal", f"made an illegal move: {reasons}", answer=line)
        return Turn(f"{line}\n")

    def play(self, given: Facts) -> list[IllegalRow]:
        """Play a turn by the facts of its answer; return why it is illegal, if it is."""
        self._live.play([STEP], given)
        illegal = self._live.news(IllegalRow)
        if not illegal:
            self.turn += 1
            self._go_on()
        return illegal

    def tell(self) -> str:
        """Write what the mover is told: the template, with what the rules say."""
        return self._write(self._files.manifest.play.tell)

    def _write(self, template: str) -> str:
        said = {key: " ".join(texts) for key, texts in self._told.items()}
        figures = {key: _write_figure(value) for key, value in self._figures.items()}
        rows = self._list_rows()
        fields = defaultdict[str, Any](str)
        fields["turn"] = self.turn + 1
        fields["mover"] = self.mover
        fields["grid"] = _Grid("\n".join(rows))
        fields.update(figures)
        fields.update(said)
        return template.format_map(fields)

    def _list_rows(self) -> list[str]:
        rows: list[str] = []
        width = max(map(len, self._grid.values()), default=0)
        for row in range(len(self._grid)):
            cells = self._grid.get(row, {})
            for column in range(width):
                if column not in cells:
                    where = f"row {row} and column {column}"
                    self._refuse(f"told_cell/4 leaves out the cell in {where}")
            symbols = [cells[column] for column in range(width)]
            rows.append("".join(symbols))
        return rows

    def position(self) -> Position:
        facts = {**self._start}
        for name, rows in self._live.list_kept().items():
            facts[name] = [(*row, self.turn + 1) for row in rows]
        over = f"the game is over after turn {self.turn}" if self.finished else ""
        uses = self._files.uses
        return RulesPosition(
            rules=self._rules,
            facts=facts,
            turn=self.turn + 1,
            over=over,
            list_moves=self._list_moves,
            read=lambda line: self._files.texts.read_answer(line, "the answer"),
            listing=uses.legal,
            judging=uses.judge,
        )

    def _list_moves(self, answer: Answer) -> list[Legal]:
        """List the legal answers, in the order of their parts."""
        found = answer.read(LegalTextRow)
        found.sort(key=_order_answers)
        legal = []
        for who, rows in groupby(found, key=lambda row: row.who):
            moves = [join_parts(row.parts) for row in rows]
            player = str(who) or self.mover
            legal.append(Legal(player, tuple(moves)))
        return legal

    def choose(self, random: Random) -> str:
        moves = self.position().moves()
        if not moves:
            problem = "no answer is legal (legal_text/3), and the game goes on"
            self._refuse(f"turn {self.turn + 1}: {problem}")
        return " ".join(random.choice(one.moves) for one in moves)

    def picture(self) -> TextBoard:
        return TextBoard(self._list_rows())

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, **self._figures, "finished": self.finished}

    def opening(self) -> str:
        rulings = write_rulings(self._rules)
        is_map_told = self.keeps_told or not self._files.texts.is_map_in_record
        return rulings if is_map_told else rulings + self._map

    def closing(self) -> str:
        return self._write(self._files.manifest.play.end) if self.finished else ""

    def blank(self) -> str:
        return self._map if self._files.texts.is_map_in_record else "\n"


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


def _order_answers(row: LegalTextRow) -> tuple[Any, ...]:
    """Return what answers are sorted by: who, then the parts, numbers by their value."""
    parts = row.parts if isinstance(row.parts, tuple) else (row.parts,)
    key: list[tuple[int, str]] = []
    for part in parts:
        if isinstance(part, int):
            key.append((part, ""))
        else:
            key.append((0, str(part)))
    return str(row.who), key
