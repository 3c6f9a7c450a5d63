"""Games without Python: a folder of rules, a grammar and a manifest, and what is made of them.

docs/write-a-game.md has the contract: which files the folder has, and which predicates the rules
derive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from kb_score.engine.loading import read_ours
from kb_score.engine.program import OPEN
from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.state import Remembered, list_remembered
from kb_score.engine.stepper import Stepper
from kb_score.engine.terms import Facts, Row, Value
from kb_score.errors import Fault, FileKind, FormatError, InputError, RuleError
from kb_score.games.agreement import ANSWER, LEGAL, MAP, MERIT, RECORD, STEP, TURN, check_agreement
from kb_score.games.game import (
    MOST_TURNS,
    TIMEOUT,
    Arena,
    BotProtocol,
    File,
    Game,
    Legal,
    Match,
    MatchSetup,
    Position,
    Score,
    Scoring,
    Turn,
    Wording,
    find_turn,
    refuse,
)
from kb_score.games.live import RulesPosition, refuse_misuse
from kb_score.games.manifest import GameManifest, read_manifest
from kb_score.games.record import RecordKind, check, follow
from kb_score.games.rulings import apply_rulings, read_below_rulings, write_rulings
from kb_score.games.schema import (
    IllegalRow,
    MoverRow,
    ResultRow,
    TerminalRow,
    judge,
    read_violations,
    to_json,
)
from kb_score.games.texts import ReadText, TextFormat
from kb_score.grammar import fits, has_rule, rule_contains
from kb_score.resources import is_shipped
from kb_score.shell.picture import TextBoard

if TYPE_CHECKING:
    from kb_score.shell.picture import Replay
    from kb_score.shell.verdict import Verdict

_LARGEST = 256 << 20  # bytes of a file
_RENEWAL = 50  # turns of a match after which the rules begin anew, to stay fast


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


class ClaimedResultRow(NamedTuple):
    """A figure that a record claims."""

    key: str
    value: Value


class FigureRow(NamedTuple):
    """A figure of the result after a turn."""

    key: str
    value: Value
    turn: int


def join_parts(parts: Value) -> str:
    """Join the parts of a text, written one after another."""
    return "".join(map(str, parts)) if isinstance(parts, tuple) else str(parts)


@dataclass(frozen=True)
class GameTexts:
    """The texts of a game without Python: what its grammar and its manifest say of them.

    Attributes:
        folder: The game's folder in asp/.
        format: How a text becomes facts.
    """

    folder: str
    format: TextFormat

    @cached_property
    def has_map(self) -> bool:
        """Whether a record is played on a map, which is another text or the record's beginning."""
        return has_rule(self.folder, MAP)

    @cached_property
    def is_map_in_record(self) -> bool:
        """Whether a record begins with its map."""
        return self.has_map and rule_contains(self.folder, RECORD, MAP)

    @cached_property
    def kinds(self) -> tuple[FileKind, ...]:
        """The kinds of the files of a check before the record."""
        return (FileKind("a map", _LARGEST),) if self.has_map and not self.is_map_in_record else ()

    @property
    def record(self) -> FileKind:
        """The kind of a record."""
        words = "a map or a record" if self.is_map_in_record else "a record"
        return FileKind(words, _LARGEST)

    def read(self, files: Sequence[File]) -> ReadText:
        """Read the files of a check: a map, if the game has maps of their own, and a record.

        Raises:
            FormatError: A text does not follow the grammar.
            InputError: There are too many files, or too few.
        """
        wanted = [str(kind) for kind in (*self.kinds, self.record)]
        if len(files) != len(wanted):
            raise InputError(files[-1][0], f"expected {' and '.join(wanted)}")
        *maps, (name, text) = files
        size = None
        facts: dict[str, Sequence[Row]] = {}
        for map_name, map_text in maps:
            map_ = self.format.read(map_text, map_name, start=MAP)
            facts |= map_.facts
            size = map_.size
        if not text.strip() and not self.is_map_in_record:
            return ReadText(facts, frozenset(), "", size)
        found = read_below_rulings(lambda text: self.format.read(text, name, size=size), text)
        return replace(found, facts={**facts, **found.facts})

    def read_start(self, files: Sequence[File]) -> Facts:
        """Read what a match is played on, a map or nothing, as the facts of its start."""
        if not files:
            return {}
        ((name, text),) = files
        return self.format.read(text, name, start=MAP).list_start()

    def read_answer(self, line: str, name: str) -> dict[str, list[Row]]:
        """Read an answer as facts without the turn.

        Raises:
            FormatError: It does not follow the rule ``answer`` of the grammar.
        """
        found = self.format.read(f"{line}\n", name, start=ANSWER)
        given: dict[str, list[Row]] = {}
        for facts in found.list_turns():
            for predicate, rows in facts.items():
                # An answer may be written as a turn.
                if predicate != TURN:
                    given.setdefault(predicate, []).extend(rows)
        return given

    # What `kb-score facts` asks for.

    @property
    def FACTS_OF(self) -> FileKind:  # noqa: N802, the name is that of a module's constant
        """The kind of file whose facts can be printed."""
        return self.kinds[0] if self.kinds else self.record

    def read_facts(self, text: str, name: str) -> Facts:
        """Read the facts of such a file."""
        start = MAP if self.kinds else RECORD
        found = read_below_rulings(lambda text: self.format.read(text, name, start=start), text)
        return found.facts

    def recognises(self, text: str) -> bool:
        """Return whether a text follows the grammar."""
        start = MAP if self.kinds else RECORD
        try:
            return read_below_rulings(lambda text: fits(self.folder, text, start=start), text)
        except FormatError:
            return False


@dataclass(frozen=True, slots=True)
class GameUses:
    """The uses of the rules of a game.

    Attributes:
        check: Judges a record.
        play: Plays turn after turn.
        legal: Lists what may be answered in a position.
        judge: Judges an answer in a position.
    """

    check: Use
    play: Use
    legal: Use
    judge: Use


def list_uses(folder: Path) -> GameUses:
    """List the uses of the rules in a folder, of which some files may be missing."""
    paths = tuple(sorted(folder.rglob("*.lp")))
    stems = {path.stem for path in paths}
    paints = "paints" in {name for name, _ in read_ours(paths).derived}

    known = {"rules", "chain", "check", "play", "legal", "picture", "merit"}
    others = sorted(stems - known)

    def choose(*files: str) -> tuple[str, ...]:
        """List those of some files that the game has; a file of any other name is as rules.lp."""
        found = [file for file in files if "/" in file or file in stems]
        return (*found, *others) if "rules" in files else tuple(found)

    picture = choose("picture", "common/looks", "common/pictured")
    if not paints:
        picture += ("common/grid",)
    turns = (OPEN, STEP)
    checked = ("rules", "chain", "check", "common/record")
    return GameUses(
        check=Use((*choose(*checked), *picture), lifted=turns),
        play=Use(choose("rules", "play", "legal", "common/live")),
        legal=Use(choose("rules", "legal", "common/position"), (*turns, LEGAL), state="kept"),
        judge=Use(choose("rules", "common/position"), turns, state="kept"),
    )


class DeclaredRecord(RecordKind[ReadText]):
    """The records of a game without Python."""

    type = ReadText

    def __init__(self, game: DeclaredGame) -> None:
        manifest = game.manifest
        self._declared = game
        self.game = game.name
        self.keys = ("turns", *manifest.figures, "finished")
        self.caption = manifest.check.caption
        self.who = game.wording.who
        self._uses = game.uses

    def ask(self, rules: GameRules, record: ReadText, *more: str) -> Answer:
        """Ask about all turns of the record side by side.

        The state before a turn, where neither the record nor the rules give it, is found by playing
        the record turn by turn. To explain a reason, or to change rules in a page, takes a program
        in which it follows from the turn before: there rules look back.
        """
        use = self._uses.check.plus(*more)
        if rules.listener is not None:
            return rules.ask(replace(use, state="chained"), record.facts)
        remembered = list_remembered(rules.program(use))
        states = self._find_states(rules, record, remembered) if remembered else {}
        return rules.ask(use, {**record.facts, **states})

    def make_verdict(self, answer: Answer, record: ReadText, name: str) -> Verdict:
        """Make the verdict; a figure that no rule says is None."""
        said = {row.key for row in answer.read(ResultRow)}
        keys = [key for key in self.keys if key in said]
        claimed = {row.key: to_json(row.value) for row in answer.read(ClaimedResultRow)}
        verdict = judge(
            self.game,
            name,
            answer,
            *keys,
            claimed=claimed or None,
            caption=self.caption,
            who=self.who,
        )
        if not verdict.violations:
            self._check_movers(answer, verdict)
        result = {**dict.fromkeys(self.keys), **verdict.result}
        return replace(verdict, result=result)

    def _check_movers(self, answer: Answer, verdict: Verdict) -> None:
        """Check that the rules say of each turn that can be played whose it is."""
        movers = defaultdict[int, set[int]](set)
        for row in answer.read(MoverRow):
            movers[row.turn].add(row.player)
        last = verdict.result["turns"] + (0 if verdict.result["finished"] else 1)
        for turn in range(1, last + 1):
            check_movers(self._declared, turn, movers[turn])

    def _find_states(
        self, rules: GameRules, record: ReadText, remembered: Sequence[Remembered]
    ) -> Facts:
        """Find the state before each turn and after the last, as far as the game goes."""
        states = defaultdict[str, list[Row]](list)
        program = rules.program(self._uses.play)
        start = record.list_start()
        live = Stepper(program, start, renewal=_RENEWAL, remembered=remembered)
        has_open = program.has_part(OPEN)
        _, *turns = record.list_turns()
        for turn, given in enumerate((*turns, None), start=1):
            live.next_turn()
            if has_open:
                live.play([OPEN])
            is_over = bool(live.news(TerminalRow))
            if not is_over and given is not None:
                live.play([STEP], given)
            for name, rows in live.list_handed().items():
                states[name] += [(*row, turn) for row in rows]
            if is_over or live.news(IllegalRow):
                break
        return states


def check_movers(game: DeclaredGame, turn: int, movers: Set[int]) -> None:
    """Check that exactly one player, and one of the game, has a turn.

    Raises:
        RuleError: The rules say something else.
    """
    players = game.manifest.players
    if players == 1 and not movers:
        return
    if len(movers) != 1:
        listed = " and ".join(map(str, sorted(movers)))
        problem = f"the players {listed} have it" if movers else "no rule says whose it is"
    elif min(movers) not in range(1, players + 1):
        problem = f"player {min(movers)} has it, but there are the players 1 to {players}"
    else:
        return
    raise RuleError(f"the rules of {game.title}: turn {turn}: {problem} (mover/2)")


class DeclaredMatch(Match):
    """A match of a game without Python."""

    turn = 0
    mover = 1
    finished = False

    def __init__(
        self, game: DeclaredGame, rules: GameRules, start: Facts, map_text: str = ""
    ) -> None:
        """Begin a match.

        Args:
            game: The game.
            rules: The rules; a RuleError if one is wrong.
            start: The facts of the start.
            map_text: The map as it was read, if there is one.
        """
        self.keeps_told = game.manifest.play.record_told
        self._game = game
        self._rules = rules
        self._start = start
        self._map = map_text
        program = rules.program(game.uses.play)
        self._has_open = program.has_part(OPEN)
        self._live = Stepper(program, start, renewal=_RENEWAL)
        # What players are told of the grid: a symbol for each cell, by rows and columns.
        self._grid: dict[int, dict[int, str]] = {}
        self._told: dict[str, list[str]] = {}
        self._movers = defaultdict[int, set[int]](set)
        self._figures: dict[str, Any] = dict.fromkeys(game.manifest.figures)
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
        symbols: dict[tuple[int, int, int], str] = {}
        for cell in live.news(ToldCellRow):
            row = self._grid.setdefault(cell.row, {})
            row[cell.column] = str(cell.symbol)
            other = symbols.setdefault((cell.row, cell.column, cell.turn), row[cell.column])
            if other != row[cell.column]:
                both = " and ".join(sorted((other, row[cell.column])))
                message = f"told_cell/4 gives {both} to row {cell.row} and column {cell.column}"
                raise RuleError(f"the rules of {self._game.title}: {message}")
        for figure in live.news(FigureRow):
            self._figures[figure.key] = to_json(figure.value)
        told = defaultdict[str, list[str]](list)
        for said in sorted(live.news(ToldRow), key=str):
            told[said.key].append(join_parts(said.parts))
        self._told = dict(told)
        for mover in live.news(MoverRow):
            self._movers[mover.turn].add(mover.player)
        self.finished = self.finished or bool(live.news(TerminalRow))

    def _check_movers(self) -> None:
        """Find whose turn it is; a RuleError if the rules do not say it, or name several."""
        movers = self._movers.pop(self.turn + 1, set())
        check_movers(self._game, self.turn + 1, movers)
        self.mover = max(movers, default=1)

    def answer(self, line: str) -> Turn:
        """Play an answer.

        Raises:
            Fault: It cannot be read, or is illegal.
        """
        try:
            given = self._game.texts.read_answer(line, "the answer")
        except FormatError as error:
            reason = f"column {error.place.column}: {error.message}"
            raise Fault("garbage", f"gave no answer that can be read: {reason}") from error
        illegal = read_violations(self.play(given))
        if illegal:
            reasons = "; ".join(str(violation).partition(": ")[2] for violation in illegal)
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
        return self._write(self._game.manifest.play.tell)

    def _write(self, template: str) -> str:
        said = {key: " ".join(texts) for key, texts in self._told.items()}
        figures = {key: _write_figure(value) for key, value in self._figures.items()}
        grid = _Grid("\n".join(self._list_rows()))
        known = {"turn": self.turn + 1, "mover": self.mover, "grid": grid}
        return template.format_map(defaultdict(str, {**known, **figures, **said}))

    def _list_rows(self) -> list[str]:
        rows = []
        width = max(map(len, self._grid.values()), default=0)
        for row in range(len(self._grid)):
            cells = self._grid.get(row, {})
            for column in range(width):
                if column not in cells:
                    message = f"told_cell/4 leaves out the cell in row {row} and column {column}"
                    raise RuleError(f"the rules of {self._game.title}: {message}")
            rows.append("".join(cells[column] for column in range(width)))
        return rows

    def position(self) -> Position:
        facts = {**self._start}
        for name, rows in self._live.list_kept().items():
            facts[name] = [(*row, self.turn + 1) for row in rows]
        over = f"the game is over after turn {self.turn}" if self.finished else ""
        uses = self._game.uses
        return RulesPosition(
            rules=self._rules,
            facts=facts,
            turn=self.turn + 1,
            over=over,
            list_moves=self._list_moves,
            read=lambda line: self._game.texts.read_answer(line, "the answer"),
            listing=uses.legal,
            judging=uses.judge,
        )

    def _list_moves(self, answer: Answer) -> list[Legal]:
        """List the legal answers, in the order of their parts."""
        found = answer.read(LegalTextRow)
        found.sort(key=_order_answers)
        legal = []
        for who, rows in groupby(found, key=lambda row: row.who):
            moves = tuple(join_parts(row.parts) for row in rows)
            legal.append(Legal(str(who) or self.mover, moves))
        return legal

    def choose(self, random: Random) -> str:
        moves = self.position().moves()
        if not moves:
            message = f"turn {self.turn + 1}: no answer is legal (legal_text/3)"
            raise RuleError(f"the rules of {self._game.title}: {message}, and the game goes on")
        return " ".join(random.choice(one.moves) for one in moves)

    def picture(self) -> TextBoard:
        return TextBoard(self._list_rows())

    def result(self) -> dict[str, Any]:
        return {"turns": self.turn, **self._figures, "finished": self.finished}

    def opening(self) -> str:
        rulings = write_rulings(self._rules)
        is_map_told = self.keeps_told or not self._game.texts.is_map_in_record
        return rulings if is_map_told else rulings + self._map

    def closing(self) -> str:
        return self._write(self._game.manifest.play.end) if self.finished else ""

    def blank(self) -> str:
        return self._map if self._game.texts.is_map_in_record else "\n"


def _write_figure(value: Any) -> str:
    """Write a figure as a record has it: those of several players with blanks between them."""
    if value is None:
        return ""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


class _Grid(str):
    """A grid in a template, whose format is what stands between its rows: ``{grid:,}``."""

    def __format__(self, separator: str) -> str:
        return self.replace("\n", separator) if separator else str(self)


def _order_answers(row: LegalTextRow) -> tuple[Any, ...]:
    """Return what answers are sorted by: who, then the parts, numbers by their value."""
    parts = row.parts if isinstance(row.parts, tuple) else (row.parts,)
    key: list[tuple[int, str]] = []
    for part in parts:
        key.append((part, "") if isinstance(part, int) else (0, str(part)))
    return str(row.who), key


class DeclaredScoring(Scoring):
    """What contests compare, as the manifest says."""

    def __init__(self, manifest: GameManifest, folder: Path) -> None:
        if not any(folder.rglob("merit.lp")):
            self.score_key = Use((MERIT,))
        self.figures = manifest.contest.figures
        self.metrics = manifest.contest.metrics
        self.counts_if = manifest.contest.counts_if

    def score(self, rules: GameRules, result: Mapping[str, Any], players: int) -> list[Score]:
        """Find the figures of each player; one that no rule has said is 0."""
        said = {key: 0 if value is None else value for key, value in result.items()}
        for figure in self.figures:
            value = said[figure]
            values: list[Any] = value if isinstance(value, list) else [value] * players
            if len(values) != players or not all(isinstance(one, int) for one in values):
                message = f"figure/3 gives {value} for {figure}, which contests compare"
                raise RuleError(f"{message}: a number is expected, or one for each player")
        return super().score(rules, said, players)


class DeclaredBots(BotProtocol):
    """How a program plays, as the manifest says."""

    def __init__(self, manifest: GameManifest) -> None:
        self.times = (replace(TIMEOUT, default=manifest.play.timeout),)
        self.case_map = manifest.bot.map


class DeclaredArena(Arena):
    """How bots play a game without Python."""

    settings = (MOST_TURNS,)

    def __init__(self, game: DeclaredGame, folder: Path) -> None:
        self.players = (game.manifest.players, game.manifest.players)
        self.bots = DeclaredBots(game.manifest)
        self.scoring = DeclaredScoring(game.manifest, folder)
        self.maps = (FileKind("a map", _LARGEST),) if game.texts.has_map else ()
        self._game = game

    def new_match(self, rules: GameRules, setup: MatchSetup, _random: Random) -> Match:
        start = self._game.texts.read_start(setup.files)
        map_text = "".join(text for _, text in setup.files)
        if self.maps and not map_text:
            raise self._game.manifest.error("[bot] map is missing: the map of the cases", "bot")
        if map_text and not map_text.endswith("\n"):
            map_text += "\n"
        return DeclaredMatch(self._game, rules, start, map_text)


class DeclaredGame(Game):
    """A game without Python.

    Attributes:
        manifest: What the game says of itself.
        texts: How its texts are read.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Make the game of a folder.

        Args:
            name: The game's name in asp/.
            folder: The folder of its rules and its manifest.

        Raises:
            FormatError: The manifest is wrong.
        """
        self.name = name
        self.manifest = read_manifest(folder)
        texts = self.manifest.texts
        side = (texts.least_side, texts.most_side)
        grids = frozenset(texts.grids)
        series = frozenset(texts.series)
        self.texts = GameTexts(name, TextFormat(name, grids, series, side, texts.square))
        self.record = self.texts.record
        self.maps = self.texts.kinds
        self.sample = "map.txt game.txt" if self.maps else "game.txt"
        self.wording = Wording(who="{}" if self.manifest.players == 1 else "player {}")
        self.arena = DeclaredArena(self, folder)
        self._folder = folder

    @cached_property
    def uses(self) -> GameUses:
        """The uses of its rules, whose files have been checked.

        Raises:
            KbScoreError: A file is wrong, or two do not fit together.
        """
        # Tests hold this of our own games.
        if not is_shipped(self._folder):
            check_agreement(self._folder, self.texts.format, self.manifest)
        return list_uses(self._folder)

    def check(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Verdict:
        return check(self._read, [DeclaredRecord(self)], rules, files)

    def replay(self, rules: GameRules, files: Sequence[File], **_options: Any) -> Replay:
        return follow(self._read, [DeclaredRecord(self)], rules, files)

    def _read(self, _rules: GameRules, files: Sequence[File]) -> ReadText:
        return self.texts.read(files)

    def position(
        self, rules: GameRules, files: Sequence[File], turn: int | None, **_options: Any
    ) -> Position:
        rules = apply_rulings(rules, *files)
        record = self.texts.read(files)
        name, _ = files[-1]
        _, *turns = record.list_turns()
        turn = find_turn(turn, len(turns), name)
        match = DeclaredMatch(self, rules, record.list_start())
        for given in turns[: turn - 1]:
            if match.finished:
                break
            for row in sorted(match.play(given), key=str):
                raise refuse(name, row)
        return match.position()
