"""The files in the folder of a game: how its texts are read and its rules are used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from clingo.ast import ASTType

from kb_score.engine.loading import read_game_files
from kb_score.engine.program import OPEN, Program
from kb_score.engine.rules import GameRules, Rulebook, Use
from kb_score.engine.terms import Facts, Row, Term
from kb_score.errors import FileKind, FormatError, InputError, Mistakes, describe_list
from kb_score.games.agreement import (
    FORBID,
    GRID,
    JUDGE,
    LEGAL,
    MAP,
    RECORD,
    RECORD_RULES,
    RESERVED,
    SEARCH,
    STEP,
    STEPS,
    TEXTS,
    TURN,
    VALID,
    WAYS,
    WORDS,
    check_agreement,
    has_name,
    list_chances,
    list_own_rules,
    name_check,
)
from kb_score.games.labels import NO_LABELS, read_labels
from kb_score.games.manifest import read_manifest
from kb_score.games.match import File
from kb_score.games.rulings import read_below_rulings
from kb_score.games.schema import calls_illegal
from kb_score.games.texts import ANSWER, CUT, NO_WORDS, Complete, ReadText, TextFormat, Words
from kb_score.grammar import (
    fits,
    has_rule,
    list_alternatives,
    list_reachable,
    name_terminal,
    parse,
    rule_contains,
)
from kb_score.resources import is_shipped, list_rule_files_below
from kb_score.shell.files import hint_if_swapped

# The largest grid has 1,024 rows and columns.
MAP_FILE = FileKind("a map", 2 << 20)
# The edge cases of bots.
CASES = "cases.toml"
# The predicates of forbidden actions, and of the actions of answers that rules may ask for.
_FORBIDDEN = "forbidden"
_ANSWERS = "answers"
# The predicates about an answer that is judged.
_OF_ANSWERS = ("counts_as/2", "passes/4")
# The parts of the rules that are used for each turn of a record.
_TURN_PARTS = (OPEN, WAYS, STEP, JUDGE)


@dataclass(frozen=True)
class GameTexts:
    """The texts of a game, as its grammar and its manifest describe them.

    Attributes:
        folder: The game's folder in asp/.
        rules: The path of that folder, or of the folder of a user's game.
        kind: The kind of a record without its map.
    """

    folder: str
    rules: Path
    format: TextFormat
    kind: FileKind

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
        """Whether the rules ask whether a record's last line has no line ending."""
        program = read_game_files(tuple(list_own_rules(self.rules)))
        return (CUT, 0) in program.used

    @cached_property
    def kinds(self) -> tuple[FileKind, ...]:
        """The kinds of the files that precede the record in a check."""
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
            return FileKind("a map or a record", self.kind.most)
        return self.kind

    def read(
        self, files: Sequence[File], words: Words = NO_WORDS, complete: Complete | None = None
    ) -> ReadText:
        """Return the record of a check, with the facts of the map.

        The map, if maps are files of their own, comes first. A map alone is a game without a turn.
        So is an empty record if the game has no maps. The words are those that the rules know; the
        facts of the record may have to be completed.
        """
        wanted = [str(kind) for kind in (*self.kinds, self.record)]
        is_map_alone = len(files) == len(self.kinds) == 1
        if is_map_alone:
            ((name, _),) = files
            files = (*files, (name, ""))
        if len(files) != len(wanted):
            name, _ = files[-1]
            expected = " and ".join(wanted)
            raise InputError(name, f"expected {expected}")
        *maps, (name, text) = files
        size = None
        map_name = ""
        facts: dict[str, Sequence[Row]] = {}
        for map_name, map_text in maps:
            with hint_if_swapped(swapped=not is_map_alone and self.recognises(text)):
                map_ = self.format.read(map_text, map_name, start=MAP, words=words)
            facts |= map_.list_start()
            facts.pop(CUT, None)  # only the record may be cut off
            size = map_.size
        if self.is_map_in_record:
            map_name = name
        if is_map_alone or not (text.strip() or self.has_map):
            return ReadText(facts, frozenset(), "", size, map_name=map_name)
        may_be_cut = self._may_be_cut

        def read(text: str) -> ReadText:
            return self.format.read(
                text, name, size=size, may_be_cut=may_be_cut, words=words, complete=complete
            )

        found = read_below_rulings(read, text)
        return replace(found, facts={**facts, **found.facts}, map_name=map_name)

    def describe_answer(self) -> str:
        """Return the names that messages use for the terminals of an answer, as a list."""
        words = []
        for name in sorted(list_reachable(self.folder, ANSWER)):
            if name.isupper() and not (name.startswith("_") or name.endswith("_")):
                words.append(name_terminal(self.folder, name))
        return describe_list(list(dict.fromkeys(words)))

    def list_actions(self, facts: Facts, *, has_turn: bool) -> list[Row]:
        """Return the actions of answers, as terms.

        If the last value of a fact is its turn, it is the last value of each row as well.
        """
        rows = []
        for predicate in sorted({name for name, _ in self.format.actions} & facts.keys()):
            is_ordered = predicate in self.format.ordered
            for row in facts[predicate]:
                values = list(row)
                turn = []
                if has_turn:
                    turn.append(values.pop())
                if is_ordered:
                    values.pop()
                action = Term(predicate, tuple(values))
                rows.append((action, *turn))
        return rows

    def fits_answer(self, line: str, start: str = ANSWER) -> bool:
        """Return whether a line is an answer, or what chance decides."""
        return fits(self.folder, f"{line}\n", start=start, below_blanks=False)

    def list_kinds(self) -> list[str]:
        """Return the kinds of records if there are several; the first is that of play."""
        return list_alternatives(self.folder, RECORD)

    def write_answer(self, line: str) -> str:
        """Return an answer without what the grammar ignores."""
        tree = parse(self.folder, f"{line}\n", name="the answer", start=ANSWER)
        words = [token for token in tree.scan_values(bool) if token.strip()]
        if self.format.has_steps and words:
            # What stands between actions is no terminal that gives anything.
            text = line[words[0].start_pos : words[-1].end_pos]
            return " ".join(text.split())
        return " ".join(map(str.strip, words))

    def read_start(self, files: Sequence[File], words: Words = NO_WORDS) -> Facts:
        """Return the facts of the start of a match, which has a map or no file."""
        if not files:
            return {}
        ((name, text),) = files
        start = self.format.read(text, name, start=MAP, words=words).list_start()
        start.pop(CUT, None)
        return start

    def read_steps(
        self, line: str, name: str, start: str = ANSWER, words: Words = NO_WORDS
    ) -> Sequence[dict[str, list[Row]]]:
        """Return the facts of each step of an answer without the turn; at least one step."""
        before, *steps = self.format.read(f"{line}\n", name, start=start, words=words).list_turns()
        if not (self.format.has_steps and steps):
            steps = [_join_facts([before, *steps])]
        for facts in steps:
            # An answer may be written as a turn.
            facts.pop(TURN, None)
            if self.format.has_steps:
                facts.pop(STEP, None)
        return steps

    # The functions for `kb-score facts`.

    @property
    def FACTS_OF(self) -> FileKind:  # noqa: N802, the name is that of a module's constant
        """The kind of file whose facts can be printed."""
        if self.kinds:
            return self.kinds[0]
        return self.record

    def read_facts(self, text: str, name: str) -> Facts:
        """Return the facts of a map, or of a record if maps are not files of their own."""
        start = self._first_rule
        found = read_below_rulings(lambda text: self.format.read(text, name, start=start), text)
        return found.facts

    @property
    def _first_rule(self) -> str:
        """The rule of the grammar for the first file of a check."""
        if self.kinds:
            return MAP
        return RECORD

    def fits_record(self, text: str) -> bool:
        """Return whether a text of answers alone is a record."""
        return bool(text) and fits(self.folder, text, start=RECORD)

    def recognises(self, text: str) -> bool:
        """Return whether a text follows the grammar."""
        if not text.strip():
            return False
        start = self._first_rule
        try:
            return read_below_rulings(lambda text: fits(self.folder, text, start=start), text)
        except FormatError:
            return False


def _join_facts(parts: Iterable[Mapping[str, Sequence[Row]]]) -> dict[str, list[Row]]:
    """Return all facts of some parts of a text."""
    joined: dict[str, list[Row]] = {}
    for facts in parts:
        for predicate, rows in facts.items():
            joined.setdefault(predicate, []).extend(rows)
    return joined


@dataclass(frozen=True, slots=True)
class GameUses:
    """The uses of the rules of a game.

    Attributes:
        check: The use that judges records of each kind; the first kind is that of play.
        play: The use that plays turn by turn, by the kind of record.
        legal: The use that lists the legal answers in a position.
        judge: The use that judges an answer in a position.
        positions: The use that chooses small positions and actions in them; None if the game has
            no search/positions.lp.
        texts: The use that lists the words of texts; None if the game has no texts.lp.
    """

    check: Mapping[str, Use]
    play: Mapping[str, Use]
    legal: Use
    judge: Use
    positions: Use | None = None
    texts: Use | None = None

    def find_check(self, kind: str) -> Use:
        """Return the use that judges records of a kind; an empty kind is that of play."""
        first = next(iter(self.check.values()))
        return self.check.get(kind, first)

    def find_play(self, kind: str) -> Use:
        """Return the use that plays the turns of records of a kind; see `find_check`."""
        first = next(iter(self.play.values()))
        return self.play.get(kind, first)


def list_uses(folder: Path, kinds: Sequence[str], shared: Sequence[str] = ()) -> GameUses:
    """Return the uses of the rules in a folder, of which some files may be missing.

    There is at least one kind of records; the first is that of play. The shared files are those for
    what the grammar of the game has.
    """
    rules = _RuleFiles(folder, kinds, shared)
    played = kinds[0]
    return GameUses(
        check={kind: rules.make_check(kind) for kind in kinds},
        play={kind: rules.make_play(kind) for kind in kinds},
        legal=rules.make_legal(played),
        judge=rules.make_judge(played),
        positions=rules.make_positions(played),
        texts=rules.make_texts(),
    )


class _RuleFiles:
    """The rule files of a game, from which each use chooses some."""

    def __init__(self, folder: Path, kinds: Sequence[str], shared: Sequence[str]) -> None:
        self._folder = folder
        # A position in the middle of a turn has steps, each of which follows the one before.
        self._has_steps = STEPS in shared
        self._paths = {path.stem: path for path in list_own_rules(folder)}
        special = {*kinds, *map(name_check, kinds)}
        self._others = sorted(self._paths.keys() - RESERVED - special)
        self._record: tuple[str, ...] = ("common/record", "common/claimed")
        if RECORD_RULES in self._paths:
            self._record = (RECORD_RULES,)
        # A game may itself decide what a forbidden action leads to.
        self._shared: tuple[str, ...] = (VALID,)
        if not has_name(self._read_all().used, _FORBIDDEN):
            self._shared = (VALID, FORBID)
        self._shared += tuple(shared)

    def _read_all(self) -> Program:
        """Read all files."""
        return read_game_files(tuple(self._paths.values()))

    def make_check(self, kind: str) -> Use:
        """Return the use that judges records of a kind."""
        files = self._choose("rules", kind, "chain", "check", name_check(kind), *self._record)
        files += self._shared
        picture = self._choose("picture", "common/looks", "common/pictured")
        if not has_name(self._read_all().derived, "paints"):
            picture += (GRID,)
        # Weak constraints choose what a record of this kind leaves open.
        models: Literal["only", "best"] = "only"
        if any(self._read(kind).nodes(ASTType.Minimize)):
            models = "best"
        return Use((*files, *picture), lifted=_TURN_PARTS, models=models)

    def make_play(self, kind: str) -> Use:
        """Return the use that plays the turns of records of a kind."""
        has_own_list = self._read("play").has_part(LEGAL)
        # What legal.lp tries out or chooses for its list of legal answers is no state of the game.
        has_part = self._read("legal").has_part(LEGAL)
        listing: tuple[str, ...] = ()
        if has_part and not (has_own_list or self._chooses_legal):
            listing = ("legal",)
        files = self._choose("rules", kind, "play", *listing, "common/live")
        return Use(files + self._shared)

    def make_legal(self, kind: str) -> Use:
        """Return the use that lists the legal answers in a position."""
        files = self._choose("rules", kind, "legal", "common/position") + self._shared
        # A list does not need the kind that an answer counts as.
        use = Use(files, lifted=(*_TURN_PARTS, LEGAL), absent=_OF_ANSWERS)
        if self._has_steps:
            use = replace(use, state="chained")
        if self._chooses_legal:
            # Every answer in some answer set is legal.
            use = replace(use, models="brave")
        return use

    def make_judge(self, kind: str) -> Use:
        """Return the use that judges an answer in a position."""
        files = self._choose("rules", kind, "common/position") + self._shared
        state: Literal["chained", "kept"] = "chained" if self._has_steps else "kept"
        return Use(files, lifted=_TURN_PARTS, state=state)

    def make_positions(self, kind: str) -> Use | None:
        """Return the use that chooses small positions; None if the game has no rules for that."""
        if not (self._folder / SEARCH / "positions.lp").is_file():
            return None
        files = self._choose("rules", kind, "chain", "check", *self._record)
        return Use((*files, "positions"), lifted=_TURN_PARTS)

    def make_texts(self) -> Use | None:
        """Return the use that lists the words of texts; None if the game has no rules for that."""
        if TEXTS not in self._paths:
            return None
        return Use(self._choose("rules", TEXTS, WORDS))

    @cached_property
    def _chooses_legal(self) -> bool:
        """Whether legal.lp chooses an answer."""
        return any(statement.guides for statement in self._read("legal").statements)

    def _choose(self, *files: str) -> tuple[str, ...]:
        """Return the given files that exist; files with names of their own belong to the rules."""
        found = [file for file in files if "/" in file or file in self._paths]
        if "rules" in files:
            found += self._others
        return tuple(found)

    def _read(self, stem: str) -> Program:
        """Read a file; return a program without rules if the game does not have it."""
        if stem not in self._paths:
            return read_game_files(())
        return read_game_files((self._paths[stem],))


def forbids(program: Program) -> bool:
    """Return whether rules forbid actions."""
    return has_name(program.derived, _FORBIDDEN)


@lru_cache(maxsize=16)
def check_actions(program: Program, format_: TextFormat) -> None:
    """Raise a RuleError if rules forbid an action that no answer can have; cached."""
    from kb_score.engine.check import find_unknown_actions  # only needed for users' rules

    for error in find_unknown_actions(program, format_.actions):
        raise error


def restricts(program: Program) -> bool:
    """Return whether rules forbid actions, or a user's rules call some illegal."""
    return forbids(program) or calls_illegal(program)


@lru_cache(maxsize=64)
def _list_words(rules: GameRules, use: Use, _book: Rulebook) -> Words:
    """Return the words that texts may have by the rules; cached."""
    answer = rules.ask(use, {})
    known = defaultdict[str, set[str]](set)
    for kind, word in answer["word"]:
        known[str(kind)].add(str(word))
    aliases = defaultdict[str, dict[str, str]](dict)
    for kind, text, word in answer["spelling"]:
        aliases[str(kind)][str(text)] = str(word)
    return Words({kind: frozenset(words) for kind, words in known.items()}, aliases)


class GameFiles:
    """The folder of a game: its manifest, its texts and its rules.

    Attributes:
        name: The game's name in asp/.
        title: The game's name on the command line.
        folder: The folder of its rules and its manifest.
    """

    def __init__(self, name: str, folder: Path) -> None:
        """Read the manifest in the folder of a game, which has a name in asp/."""
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
            names=frozenset(texts.names),
            places=frozenset(texts.places),
            has_lines=texts.lines,
            side=texts.side,
            is_square=texts.square,
        )
        # The default is enough for 4,000 turns of the search party on a map of 256 x 256 cells.
        kind = FileKind(texts.record, texts.megabytes << 20)
        self.texts = GameTexts(name, folder, format_, kind)

    @property
    def is_coded(self) -> bool:
        """Whether Python functions, not the rules alone, play the game."""
        return bool(self.manifest.functions.match)

    @property
    def has_cases(self) -> bool:
        """Whether the game has edge cases of its own for bots."""
        return (self.folder / CASES).is_file()

    def find_function(self, what: str) -> Any:
        """Return the Python function that a game of ours has for something; None if it has none."""
        word: str = getattr(self.manifest.functions, what)
        if not word:
            return None
        path, _, name = word.partition(":")
        module = import_module(f"kb_score.{path}")
        return getattr(module, name) if name else module

    def check(self) -> None:
        """Check the files before they are used to read a text; raises the errors of `uses`."""
        assert self.uses

    def read(self, rules: GameRules, files: Sequence[File]) -> ReadText:
        """Return the record of a check; see `GameTexts.read`."""
        self.check()
        complete = self.find_function("complete")
        if complete is not None:
            complete = partial(complete, rules)
        if not self.manifest.texts.comments:
            return self.texts.read(files, self.find_words(rules), complete)
        name, text = files[-1]
        labels = NO_LABELS
        mistakes = Mistakes()
        with mistakes.catch():
            labels = read_labels(text.split("\n"), 1, name)
        with mistakes.catch():
            found = self.texts.read(files, self.find_words(rules), complete)
        mistakes.raise_any()
        return replace(found, labels=labels)

    def find_words(self, rules: GameRules) -> Words:
        """Return the words that texts may have by the rules."""
        use = self.uses.texts
        if use is None:
            return NO_WORDS
        return _list_words(replace(rules, listener=None), use, rules.book)

    @cached_property
    def uses(self) -> GameUses:
        """The uses of the rules, whose files have been checked; mistakes in them are raised."""
        given: GameUses | None = self.find_function("uses")
        if given is not None:
            return given
        # Tests have checked the games that come with the package.
        if not is_shipped(self.folder):
            check_agreement(self.folder, self.texts.format, self.manifest)
        kinds = self.texts.list_kinds() or [""]
        shared = [STEPS] if self.texts.format.has_steps else []
        return list_uses(self.folder, kinds, [*shared, *list_chances(self.texts.format)])

    @cached_property
    def counts_answers(self) -> bool:
        """Whether rules derive the kind that each answer counts as, so that none is illegal."""
        if self.manifest.functions.uses or self.is_coded:
            return False
        program = read_game_files(tuple(list_own_rules(self.folder)))
        return ("counts_as", 2) in program.derived

    def read_answer(
        self, rules: GameRules, line: str, name: str, start: str = ANSWER
    ) -> dict[str, list[Row]]:
        """Return the facts of an answer of one step; see `read_steps`."""
        first, *others = self.read_steps(rules, line, name, start)
        if others:
            raise InputError(name, f"expected one action, not {len(others) + 1}")
        return first

    def read_steps(
        self, rules: GameRules, line: str, name: str, start: str = ANSWER
    ) -> Sequence[dict[str, list[Row]]]:
        """Return the facts of each step of an answer without the turn; at least one step.

        If every answer counts as something, an unreadable one has no facts.
        """
        try:
            return self.texts.read_steps(line, name, start, self.find_words(rules))
        except FormatError:
            if not self.counts_answers:
                raise
        return [{}]

    @cached_property
    def has_chance(self) -> bool:
        """Whether chance decides something: player 0 then has turns."""
        if self.manifest.functions.uses or self.is_coded:
            return self.texts.format.has_chance
        program = read_game_files(tuple(list_own_rules(self.folder)))
        draws = {("draw", 3), ("shuffle", 2)} & program.derived
        return self.texts.format.has_chance or bool(draws)

    def add_actions(self, program: Program, facts: Facts, *, has_turn: bool) -> Facts:
        """Return the facts of answers with their actions added, if rules forbid some actions.

        The last value of each fact may be the turn.
        """
        asks_for_actions = has_name(program.used, _ANSWERS)
        if not (forbids(program) and asks_for_actions):
            return facts
        check_actions(program, self.texts.format)
        actions = self.texts.list_actions(facts, has_turn=has_turn)
        return {**facts, _ANSWERS: actions}

    @property
    def paths(self) -> list[Path]:
        """The paths of the rule files."""
        return list_rule_files_below(self.folder)

    def has_file(self, stem: str) -> bool:
        """Return whether the game has a rule file with a name, given without its extension."""
        return any(path.stem == stem for path in self.paths)
