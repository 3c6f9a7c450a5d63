"""The files of a game without Python: how its texts are read, and how its rules are used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from kb_score.engine.loading import read_ours
from kb_score.engine.program import OPEN
from kb_score.engine.rules import Use
from kb_score.engine.terms import Facts, Row
from kb_score.errors import FileKind, FormatError, InputError
from kb_score.games.agreement import ANSWER, GRID, LEGAL, MAP, RECORD, STEP, TURN, check_agreement
from kb_score.games.game import File
from kb_score.games.manifest import read_manifest
from kb_score.games.rulings import read_below_rulings
from kb_score.games.texts import ReadText, TextFormat
from kb_score.grammar import fits, has_rule, rule_contains
from kb_score.resources import is_shipped

_LARGEST = 256 << 20  # bytes of a file
# The rule files of which each has a use of its own; one of another name is used as rules.lp.
_NAMED = frozenset(["rules", "chain", "check", "play", "legal", "picture", "merit"])


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
        if self.has_map and not self.is_map_in_record:
            return (self.map,)
        return ()

    @property
    def map(self) -> FileKind:
        """The kind of a map."""
        return FileKind("a map", _LARGEST)

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
            name, _ = files[-1]
            expected = " and ".join(wanted)
            raise InputError(name, f"expected {expected}")
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
    program = read_ours(paths)
    stems = {path.stem for path in paths}
    others = sorted(stems - _NAMED)

    def choose(*files: str) -> tuple[str, ...]:
        """List those of some files that the game has."""
        found = [file for file in files if "/" in file or file in stems]
        if "rules" in files:
            found += others
        return tuple(found)

    picture = choose("picture", "common/looks", "common/pictured")
    if "paints" not in {name for name, _ in program.derived}:
        picture += (GRID,)
    turns = (OPEN, STEP)
    checked = ("rules", "chain", "check", "common/record")
    return GameUses(
        check=Use((*choose(*checked), *picture), lifted=turns),
        play=Use(choose("rules", "play", "legal", "common/live")),
        legal=Use(
            choose("rules", "legal", "common/position"), lifted=(*turns, LEGAL), state="kept"
        ),
        judge=Use(choose("rules", "common/position"), lifted=turns, state="kept"),
    )


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
            side=(texts.least_side, texts.most_side),
            is_square=texts.square,
        )
        self.texts = GameTexts(name, format_)

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
        return list_uses(self.folder)

    def has_file(self, stem: str) -> bool:
        """Return whether the game has a rule file of a name, without its ending."""
        return any(self.folder.rglob(f"{stem}.lp"))
