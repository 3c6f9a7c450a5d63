"""The files of a game without Python: how its texts are read, and how its rules are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from clingo.ast import ASTType

from kb_score.engine.loading import read_ours
from kb_score.engine.program import OPEN, Program
from kb_score.engine.rules import Use
from kb_score.engine.terms import Facts, Row, Term, predicate_of
from kb_score.errors import FileKind, FormatError, InputError, describe_list
from kb_score.games.agreement import (
    ANSWER,
    FORBID,
    GRID,
    LEGAL,
    MAP,
    RECORD,
    RESERVED,
    SEARCH,
    STEP,
    TURN,
    VALID,
    check_agreement,
    list_own_rules,
    name_check,
)
from kb_score.games.game import File
from kb_score.games.live import CountsAsRow, calls_illegal
from kb_score.games.manifest import read_manifest
from kb_score.games.rulings import read_below_rulings
from kb_score.games.texts import CUT, ReadText, TextFormat
from kb_score.grammar import (
    fits,
    has_rule,
    list_alternatives,
    list_reachable,
    name_terminal,
    parse,
    read_terminals,
    rule_contains,
)
from kb_score.resources import is_shipped
from kb_score.shell.files import in_order

# The largest grid has 1,024 rows and columns.
MAP_FILE = FileKind("a map", 2 << 20)
# The search party's stream of 4,000 turns on a map of 256 rows and columns.
RECORD_FILE = FileKind("a record", 256 << 20)
# What rules say of actions that are not allowed, and the actions of answers that they ask for.
_FORBIDDEN = "forbidden"
_ANSWERS = "answers"
# What rules say of an answer that is judged.
_OF_ANSWERS = ("counts_as", "passes")
# The parts of the rules that are used for each turn of a record.
_TURN_PARTS = (OPEN, STEP)


@dataclass(frozen=True)
class GameTexts:
    """The texts of a game without Python: what its grammar and its manifest say of them.

    Attributes:
        folder: The game's folder in asp/.
        rules: The path of that folder, or of the folder of a user's game.
        format: How a text becomes facts.
    """

    folder: str
    rules: Path
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
    def _may_be_cut(self) -> bool:
        """Whether the rules ask for records whose last line has no end."""
        program = read_ours(tuple(list_own_rules(self.rules)))
        return (CUT, 0) in program.used

    @cached_property
    def kinds(self) -> tuple[FileKind, ...]:
        """The kinds of the files of a check before the record."""
        if self.has_map and not self.is_map_in_record:
            return (self.map,)
        return ()

    @property
    def map(self) -> FileKind:
        """The kind of a map."""
        return MAP_FILE

    @property
    def record(self) -> FileKind:
        """The kind of a record."""
        if self.is_map_in_record:
            return FileKind("a map or a record", RECORD_FILE.most)
        return RECORD_FILE

    def read(self, files: Sequence[File]) -> ReadText:
        """Read the files of a check: a map, if the game has maps of their own, and a record.

        A map alone is a game without a turn, and so is an empty record of a game without maps.

        Raises:
            FormatError: A text does not follow the grammar.
            InputError: There are too many files, or too few.
        """
        wanted = [str(kind) for kind in (*self.kinds, self.record)]
        is_map_alone = len(files) == len(self.kinds) == 1
        if is_map_alone:
            files = (*files, (files[0][0], ""))
        if len(files) != len(wanted):
            name, _ = files[-1]
            expected = " and ".join(wanted)
            raise InputError(name, f"expected {expected}")
        *maps, (name, text) = files
        size = None
        map_name = ""
        facts: dict[str, Sequence[Row]] = {}
        for map_name, map_text in maps:
            with in_order(swapped=not is_map_alone and self.recognises(text)):
                map_ = self.format.read(map_text, map_name, start=MAP)
            facts |= map_.list_start()
            facts.pop(CUT, None)  # a record may be cut off
            size = map_.size
        if self.is_map_in_record:
            map_name = name
        if is_map_alone or not (text.strip() or self.has_map):
            return ReadText(facts, frozenset(), "", size, map_name=map_name)
        found = read_below_rulings(
            lambda text: self.format.read(text, name, size=size, may_be_cut=self._may_be_cut), text
        )
        return replace(found, facts={**facts, **found.facts}, map_name=map_name)

    def describe_answer(self) -> str:
        """Describe what an answer is, as messages call the terminals of the rule ``answer``."""
        reachable = list_reachable(self.folder, ANSWER)
        names = sorted(name for name in reachable if name.isupper() and name.strip("_") == name)
        words = dict.fromkeys(name_terminal(self.folder, name) for name in names)
        return describe_list(list(words))

    @cached_property
    def _actions(self) -> frozenset[str]:
        """The predicates of the actions of an answer."""
        names = list_reachable(self.folder, ANSWER) & read_terminals(self.folder).keys()
        found = {name.lower() for name in names if not name.startswith("_")}
        return frozenset(found - self.format.grids)

    def list_actions(self, facts: Facts, *, has_turn: bool) -> list[Row]:
        """List the actions of answers, as terms.

        Args:
            facts: What the answers give.
            has_turn: Whether the last value is the turn; it is then the last value of each row.
        """
        rows: list[Row] = []
        for predicate in sorted(self._actions & facts.keys()):
            is_ordered = predicate in self.format.ordered
            for row in facts[predicate]:
                values = list(row)
                turn = [values.pop()] if has_turn else []
                if is_ordered:
                    values.pop()
                action = Term(predicate, tuple(values))
                rows.append((action, *turn))
        return rows

    def fits_answer(self, line: str) -> bool:
        """Return whether a line is an answer."""
        return fits(self.folder, f"{line}\n", start=ANSWER)

    def list_kinds(self) -> list[str]:
        """List the kinds of records, if there are several; the first is that of play."""
        return list_alternatives(self.folder, RECORD)

    def write_answer(self, line: str) -> str:
        """Write what an answer says: its terminals, with blanks between them."""
        tree = parse(self.folder, f"{line}\n", name="the answer", start=ANSWER)
        words = map(str.strip, tree.scan_values(lambda _: True))
        return " ".join(words)

    def read_start(self, files: Sequence[File]) -> Facts:
        """Read what a match is played on, a map or nothing, as the facts of its start."""
        if not files:
            return {}
        ((name, text),) = files
        start = self.format.read(text, name, start=MAP).list_start()
        start.pop(CUT, None)
        return start

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
                    known = given.setdefault(predicate, [])
                    known.extend(rows)
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

    def fits_record(self, text: str) -> bool:
        """Return whether some answers, and nothing else, are a record."""
        return bool(text) and fits(self.folder, text, start=RECORD)

    def recognises(self, text: str) -> bool:
        """Return whether a text follows the grammar."""
        start = MAP if self.kinds else RECORD
        if not text.strip():
            return False
        try:
            return read_below_rulings(lambda text: fits(self.folder, text, start=start), text)
        except FormatError:
            return False


@dataclass(frozen=True, slots=True)
class GameUses:
    """The uses of the rules of a game.

    Attributes:
        check: Judges a record, by its kind; the first kind is that of records of play.
        play: Plays turn after turn, as records of a kind are judged.
        legal: Lists what may be answered in a position.
        judge: Judges an answer in a position.
        positions: Chooses small positions and what is done in them; None if the game has no
            search/positions.lp.
    """

    check: Mapping[str, Use]
    play: Mapping[str, Use]
    legal: Use
    judge: Use
    positions: Use | None

    def find_check(self, kind: str) -> Use:
        """Find what judges records of a kind; one that is empty is the kind of play."""
        first = next(iter(self.check.values()))
        return self.check.get(kind, first)

    def find_play(self, kind: str) -> Use:
        """Find what plays turns as records of a kind have them; see `find_check`."""
        first = next(iter(self.play.values()))
        return self.play.get(kind, first)


def list_uses(folder: Path, kinds: Sequence[str]) -> GameUses:
    """List the uses of the rules in a folder, of which some files may be missing.

    Args:
        folder: The folder.
        kinds: The kinds of records, at least one, the one of play first.
    """
    rules = _RuleFiles(folder, kinds)
    played = kinds[0]
    return GameUses(
        check={kind: rules.make_check(kind) for kind in kinds},
        play={kind: rules.make_play(kind) for kind in kinds},
        legal=rules.make_legal(played),
        judge=rules.make_judge(played),
        positions=rules.make_positions(played),
    )


class _RuleFiles:
    """The rule files of a game, of which each use needs some."""

    def __init__(self, folder: Path, kinds: Sequence[str]) -> None:
        self._folder = folder
        self._paths = {path.stem: path for path in list_own_rules(folder)}
        special = {*kinds, *map(name_check, kinds)}
        self._others = sorted(self._paths.keys() - RESERVED - special)
        self._record = "record" if "record" in self._paths else "common/record"
        used = read_ours(tuple(self._paths.values())).used
        # A game may say itself what comes of an action that is forbidden.
        asks_for_forbidden = any(name == _FORBIDDEN for name, _ in used)
        self._shared = (VALID,) if asks_for_forbidden else (VALID, FORBID)

    def make_check(self, kind: str) -> Use:
        """Make the use that judges records of a kind."""
        files = self._choose("rules", kind, "chain", "check", name_check(kind), self._record)
        files += self._shared
        picture = self._choose("picture", "common/looks", "common/pictured")
        derived = read_ours(tuple(self._paths.values())).derived
        if not any(name == "paints" for name, _ in derived):
            picture += (GRID,)
        # Weak constraints choose what a record of this kind leaves open.
        has_choice = any(self._read(kind).nodes(ASTType.Minimize))
        models: Literal["only", "best"] = "best" if has_choice else "only"
        return Use((*files, *picture), lifted=_TURN_PARTS, models=models)

    def make_play(self, kind: str) -> Use:
        """Make the use that plays turns as records of a kind have them."""
        has_own_list = self._read("play").has_part(LEGAL)
        # What legal.lp tries out or chooses to find out what is legal is no state of a game.
        has_part = self._read("legal").has_part(LEGAL)
        can_list = has_part and not (has_own_list or self._chooses_legal)
        listing = ("legal",) if can_list else ()
        files = self._choose("rules", kind, "play", *listing, "common/live")
        return Use(files + self._shared)

    def make_legal(self, kind: str) -> Use:
        """Make the use that lists what is legal in a position."""
        files = self._choose("rules", kind, "legal", "common/position") + self._shared
        # What an answer counts as is not asked here.
        use = Use(files, lifted=(*_TURN_PARTS, LEGAL), absent=_OF_ANSWERS)
        if self._chooses_legal:
            # Whatever some choice has is legal.
            use = replace(use, models="last", options=("--enum-mode=brave", "--models=0"))
        return use

    def make_judge(self, kind: str) -> Use:
        """Make the use that judges an answer in a position."""
        files = self._choose("rules", kind, "common/position") + self._shared
        return Use(files, lifted=_TURN_PARTS, state="kept")

    def make_positions(self, kind: str) -> Use | None:
        """Make the use that chooses small positions; None if the game has no file for that."""
        if not (self._folder / SEARCH / "positions.lp").is_file():
            return None
        files = self._choose("rules", kind, "chain", "check", self._record)
        return Use((*files, "positions"), lifted=_TURN_PARTS)

    @cached_property
    def _chooses_legal(self) -> bool:
        """Whether legal.lp chooses what is answered."""
        return any(statement.guides for statement in self._read("legal").statements)

    def _choose(self, *files: str) -> tuple[str, ...]:
        """List those of some files that the game has; files with names of their own are rules."""
        found = [file for file in files if "/" in file or file in self._paths]
        if "rules" in files:
            found += self._others
        return tuple(found)

    def _read(self, stem: str) -> Program:
        """Read a file; a program without rules if the game does not have it."""
        paths = (self._paths[stem],) if stem in self._paths else ()
        return read_ours(paths)


def forbids(program: Program) -> bool:
    """Return whether rules forbid actions."""
    return any(name == _FORBIDDEN for name, _ in program.derived)


def restricts(program: Program) -> bool:
    """Return whether rules forbid actions, or a user's rules call some illegal."""
    return forbids(program) or calls_illegal(program)


class GameFiles:
    """The folder of a game without Python.

    Attributes:
        name: The game's name in asp/.
        title: Its name on the command line.
        folder: The folder of its rules and its manifest.
        manifest: What the game says of itself.
        texts: How its texts are read.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Read the manifest.

        Args:
            name: The game's name in asp/.
            folder: The folder of its rules and its manifest.

        Raises:
            FormatError: The manifest is wrong.
            InputError: It cannot be read.
        """
        self.name = name
        self.title = name.replace("_", "-")
        self.folder = folder
        self.manifest = read_manifest(folder)
        texts = self.manifest.texts
        format_ = TextFormat(
            grammar=name,
            grids=frozenset(texts.grids),
            series=frozenset(texts.series),
            ordered=frozenset(texts.ordered),
            side=texts.side,
            is_square=texts.square,
        )
        self.texts = GameTexts(name, folder, format_)

    def check(self) -> None:
        """Check the files before a text is read by them; the errors are those of `uses`."""
        assert self.uses

    @cached_property
    def uses(self) -> GameUses:
        """The uses of its rules, whose files have been checked.

        Raises:
            KbScoreError: A file is wrong, or two do not fit together.
        """
        # Tests hold this of our own games.
        if not is_shipped(self.folder):
            check_agreement(self.folder, self.texts.format, self.manifest)
        return list_uses(self.folder, self.texts.list_kinds() or [""])

    @cached_property
    def counts_answers(self) -> bool:
        """Whether rules say as what each answer counts, so that none is illegal."""
        program = read_ours(tuple(list_own_rules(self.folder)))
        return predicate_of(CountsAsRow) in program.derived

    def read_answer(self, line: str, name: str) -> dict[str, list[Row]]:
        """Read an answer as facts without the turn; there are none if it counts as a pass.

        Raises:
            FormatError: It does not follow the grammar, and is nothing in this game.
        """
        try:
            return self.texts.read_answer(line, name)
        except FormatError:
            if not self.counts_answers:
                raise
        return {}

    def add_actions(self, program: Program, facts: Facts, *, has_turn: bool) -> Facts:
        """Add the actions of answers to what they give, where rules forbid some.

        Args:
            program: The rules.
            facts: What the answers give.
            has_turn: Whether the last value of what they give is the turn.
        """
        asks_for_actions = any(name == _ANSWERS for name, _ in program.used)
        if not (forbids(program) and asks_for_actions):
            return facts
        return {**facts, _ANSWERS: self.texts.list_actions(facts, has_turn=has_turn)}

    def has_file(self, stem: str) -> bool:
        """Return whether the game has a rule file of a name, without its ending."""
        return any(self.folder.rglob(f"{stem}.lp"))
