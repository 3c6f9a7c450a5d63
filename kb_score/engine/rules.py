"""Questions of all games to their rules: load, lift, ground, solve, read."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from clingo.ast import ASTType

from kb_score.engine.lift import lift_to_boards, lift_to_turns
from kb_score.engine.program import DEFAULT, Limits, Program, Signature, read_program
from kb_score.engine.solve import (
    AnswerSetError,
    check_alone,
    find_conflict,
    find_origin,
    only_one,
    solve_each,
)
from kb_score.engine.supervisor import LimitError
from kb_score.engine.terms import (
    Answer,
    Facts,
    Numbered,
    Value,
    join_boards,
    join_turns,
    shapes_of,
    write_facts,
)
from kb_score.errors import InputError, RuleError, visible
from kb_score.resources import (
    COMMON,
    find_folder,
    find_home,
    is_folder,
    is_there,
    list_below,
    list_folders,
    name_rule_file,
)

if TYPE_CHECKING:
    from kb_score.engine.idle import Given, Sketch


@dataclass(frozen=True, slots=True)
class Changes:
    """A user's changes to the rules of a game: folders of rule files, and rulings by name.

    A file at the path of one of ours below the game's folder, such as ``cards/miners.lp``, replaces
    that file; all others are added. The limits are for rules that have no end.
    """

    folders: tuple[Path, ...] = ()
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits = DEFAULT

    @property
    def files(self) -> tuple[Path, ...]:
        """The rule files in the folders, in order of their paths."""
        return tuple(path for folder in self.folders for path in find_rule_files(folder))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables in the folders, in order of their paths."""
        return tuple(path for folder in self.folders for path in find_rule_files(folder, TABLE))

    @property
    def stamps(self) -> tuple[tuple[str, int], ...]:
        """The files with the times of their last changes: while these stay, so do the rules."""
        return tuple((str(path), path.stat().st_mtime_ns) for path in (*self.files, *self.tables))

    @property
    def paths(self) -> list[str]:
        """Their paths; no output may be written to them."""
        return list(map(str, (*self.files, *self.tables)))

    @property
    def check(self) -> Callable[[], None]:
        """What checks, on another machine, that the same rules are in the folders there."""
        return partial(_check_folders, self.folders, _digest_folders(self.folders))

    def words(self) -> list[str]:
        """Write them as options of a command."""
        folders = (word for folder in self.folders for word in ("--rules", str(folder)))
        return [
            *folders,
            *(word for pair in self.constants for word in ("--const", "=".join(pair))),
        ]


NO_CHANGES = Changes()

# What a game reads besides its rules, and users may add to.
TABLE = "quadrants.txt"


def find_rule_files(folder: Path, names: str = "*.lp") -> list[Path]:
    """Find the rule files in a folder and below it, in order of their paths, or a single one."""
    # Editors leave links there that lead nowhere; of a name too long pathlib makes an OSError.
    alone = [folder] if folder.match(names) else []
    below = (path for path in list_below(folder) if path.match(names))
    found = below if is_folder(folder) else alone
    files = sorted(path for path in found if is_there(str(path)))
    for path in files:
        if not path.is_file():
            # What stands in it may have no end.
            raise RuleError(f"{visible(str(path))}: a rule file is a plain file, but this is none")
    return files


def _digest_folders(folders: tuple[Path, ...]) -> str:
    from hashlib import sha256  # loads OpenSSL

    hashed = sha256()
    for folder in folders:
        for path in (*find_rule_files(folder), *find_rule_files(folder, TABLE)):
            data = path.read_bytes()
            hashed.update(f"{path.relative_to(folder)} {len(data)}\n".encode() + data)
        hashed.update(b"\0")
    return hashed.hexdigest()


def _check_folders(folders: tuple[Path, ...], digest: str) -> None:
    if _digest_folders(folders) != digest:
        names = ", ".join(visible(str(folder)) for folder in folders)
        raise InputError(names, "the rules there are not those of the machine of the command")


_Found = TypeVar("_Found")


# A fact that rules may not say, as a term, and the words of a sentence that tells why.
class MisuseRow(NamedTuple):
    fact: Value
    detail: Value


# A fact that is hardly meant, likewise.
class DoubtRow(NamedTuple):
    fact: Value
    detail: Value


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a game's rules: the files to load, and the answer sets to look for.

    The ``#show`` lines of the files say which atoms are read.
    """

    # The stems of the rule files, wherever in asp/<game>/, with blanks between them; cards/* is all
    # files of a folder, common/means a file that games share.
    files: str
    # The parts that hold for all turns of a record at once, with blanks between them.
    lifted: str = ""
    # Only, for rules that decide everything; best, the answer set with the lowest cost by `:~`; or
    # last, the last one that clingo gives: with --enum-mode it sums up the earlier ones.
    models: Literal["only", "best", "last"] = "only"
    options: str = ""  # more of clingo's options, with blanks between them
    guided: bool = True  # whether constraints and choices count; they do not if no board is given
    # The predicate that is another one on each board, if the rules themselves say which boards
    # there are; what depends on it is lifted.
    varying: Signature | None = None
    absent: str = ""  # predicates that are known to have no atoms, with blanks between them

    def plus(self, files: str) -> Use:
        """Load more rule files."""
        return replace(self, files=f"{self.files} {files}") if files else self


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to the rules, with the program that was grounded, and the answer."""

    use: Use
    program: Program
    facts: Facts
    answer: Answer

    def __str__(self) -> str:
        """The whole program, as text for clingo."""
        return f"{write_facts(self.facts)}{self.program}"


@dataclass(frozen=True, slots=True)
class GameRules:
    """The rules of a game, with the changes of a user.

    All questions raise `AnswerSetError` if there is no answer set, or more than one although the
    rules should decide everything, and `RuleError` if something is wrong with the user's rules.
    """

    game: str  # the game's folder in asp/
    changes: Changes = NO_CHANGES  # the user's changes
    # Called with each question and its answer; None if nobody listens.
    listener: Callable[[Asked], object] | None = None
    # Called with what the rules find doubtful in those of the user.
    warn: Callable[[str], object] | None = field(default=None, compare=False)
    absent: str = ""  # predicates that nobody reads, with blanks between them

    def ask(
        self,
        use: Use,
        facts: Facts,
        *,
        turns: Numbered | None = None,
        parts: Sequence[tuple[str, int]] = (),
    ) -> Answer:
        """Put a question to the rules, about facts without a turn.

        The facts of turn T are rows at index T of ``turns``. Each of ``parts`` of the program is
        grounded for one turn.
        """
        program, best = self.program(use), use.models == "best"
        active = program if turns or parts else self._leave_out_idle(use, facts)
        facts = join_turns(facts, turns or {})
        options = use.options.split() or [f"--models={0 if best else 2}"]

        def solve(program: Program) -> list[Answer]:
            return solve_each(program, facts, options, parts=parts, best=best)

        found = solve(active)
        if use.models == "only" and len(found) != 1:
            raise find_conflict(program, solve, several=bool(found))
        answer = self.accept(only_one(found[-1:]))
        # What is grounded part by part is no program that plain clingo runs.
        if self.listener is not None and not parts:
            self.listener(Asked(use, program, facts, answer))
        return answer

    def ask_each(self, use: Use, facts: Facts) -> list[Answer]:
        """List the answer sets that clingo gives with the options of a use."""
        return solve_each(self.program(use), facts, use.options.split())

    def ask_boards(self, use: Use, boards: Sequence[Facts]) -> list[Answer]:
        """Put a question that is about one board to the rules, for several boards at once."""
        names = frozenset[str]().union(*boards)
        joined = {n: [row for facts in boards for row in facts.get(n, ())] for n in names}
        active = self._leave_out_idle(use, joined)
        program = _lift(active, frozenset(shapes_of(joined)))
        facts = join_boards(boards)
        answer = only_one(solve_each(program, facts, ["--models=2"]))
        if self.listener is not None:
            self.listener(Asked(use, program, facts, answer))
        shared = {*active.shown} & {*program.shown}
        return list(map(self.accept, answer.split(len(boards), shared)))

    def _leave_out_idle(self, use: Use, facts: Facts) -> Program:
        """Leave out rules that derive nothing: clingo takes a while for each.

        What a rule needs is known as it was written, not as it was lifted.
        """
        if use.lifted or use.varying:
            return self.program(use)
        sketch = _sketch(*self._bare(use), self.changes.constants)
        return _leave_out_idle(sketch, sketch.look_at(facts))

    def accept(self, answer: Answer) -> Answer:
        """Check that the rules find no misuse; the error names the rule that says the fact."""
        if misuses := answer.read(MisuseRow):
            raise self._find_origin(*min(misuses, key=str))
        if self.warn is not None:
            for doubt in sorted(answer.read(DoubtRow), key=str):
                self.warn(str(self._find_origin(*doubt)))
        return answer

    def _find_origin(self, fact: Value, detail: Value) -> RuleError:
        message = " ".join(map(str, detail if isinstance(detail, tuple) else (detail,)))
        return find_origin(self.read_parts()[1], fact, message)

    def program(self, use: Use, boards: Collection[Signature] | None = None) -> Program:
        """Load and lift the rules of a use, perhaps for boards with such facts."""
        program = _load(*self._bare(use))
        program = program if boards is None else _lift(program, frozenset(boards))
        return _decide(self.game, program, self.changes)

    def _bare(self, use: Use) -> tuple[str, Use, Changes, object]:
        use = replace(use, absent=f"{use.absent} {self.absent}") if self.absent else use
        # Rulings change nothing about how rules are lifted.
        return self.game, use, replace(self.changes, constants=()), self.changes.stamps

    def whole_program(self, use: Use) -> Program:
        """Load and lift the rules of a use, those on which no answer depends included."""
        return _load_whole(self.game, use, self.changes)

    def find_warnings(self) -> list[str]:
        """List what in a user's rules can be run but is hardly meant; what is wrong is raised."""
        if not self.changes.folders:
            return []
        # What only a user's rules need is loaded for them.
        from kb_score.engine.docs import read_rule_files
        from kb_score.engine.lint import find_unused, find_warnings

        self.read_parts()
        ours, users = list_rule_files(self.game, self.changes.folders)
        all_ours = _list_shipped(self.game)
        copies = find_replaced(self.game, self.changes.folders)
        stamps = self.changes.stamps
        new = _read_users(tuple(path for path in users if path not in copies), stamps)
        copied = _read_users(tuple(copies), stamps)
        # What reads the looks of all games says nothing of words.
        own = tuple(path for path in ours if path.parent.name != COMMON)
        decided = dict(self.changes.constants)
        unused = find_unused(_read_ours(all_ours), copied + new)
        files = read_rule_files(all_ours)
        return [*unused, *find_warnings(_read_ours(own) + copied, new, files, decided)]

    def find_notes(self) -> list[str]:
        """List which of our files a user's files replace, as messages; not unchanged copies."""
        copies = find_replaced(self.game, self.changes.folders) if self.changes.folders else {}
        return [
            f"{visible(str(path))} replaces {name_rule_file(ours)}"
            for path, ours in copies.items()
            if path.read_bytes() != ours.read_bytes()
        ]

    def read_parts(self) -> tuple[Program, Program]:
        """Read all our rules, and the user's, and check them; no ruling is set yet."""
        return _read_parts(self.game, None, self.changes)


def keep(ask: Callable[[GameRules], _Found]) -> Callable[[GameRules], _Found]:
    """Keep what a function finds out about rules, as long as a user's files stay as they are.

    A listener wants to hear of questions about boards and games, and not of what this asks.
    """
    kept = lru_cache(maxsize=64)(lambda rules, _stamps: ask(rules))
    return lambda rules: kept(replace(rules, listener=None), rules.changes.stamps)


def list_rule_files(game: str, folders: Sequence[Path] = ()) -> tuple[list[Path], list[Path]]:
    """List our rule files of a game that no file of the user replaces, and the user's.

    Raises:
        RuleError: A folder is missing or has no rules of the game, two files have the same name, or
            a file has the name of one of ours and does not lie where it would replace that file.
    """
    ours = {path.name: path for path in _list_shipped(game)}
    users: dict[str, Path] = {}
    for folder in folders:
        found = find_rule_files(folder)
        here = [path for path in found if not _is_of_other_game(path, folder, game)]
        if not here and (found or not find_rule_files(folder, TABLE)):
            raise RuleError(f"--rules: {visible(str(folder))} {_say_empty(folder, game, found)}")
        for path in here:
            if path.name in ours:
                _check_replaces(path, folder, game, ours[path.name])
            other = users.setdefault(path.name, path)
            if other != path:
                twice, once = visible(str(path)), visible(str(other))
                raise RuleError(f"--rules: {twice} has the name of {once}: rename one of them")
    return [path for path in ours.values() if path.name not in users], list(users.values())


def find_replaced(game: str, folders: Sequence[Path]) -> dict[Path, Path]:
    """Find the files of a user that replace ours: each with the file that it replaces."""
    ours = {path.name: path for path in _list_shipped(game)}
    _, users = list_rule_files(game, folders)
    return {path: ours[path.name] for path in users if path.name in ours}


def place_in_game(path: Path) -> str:
    """Return where a rule file of ours lies below its game's folder, such as ``cards/miners.lp``.

    What games share lies in ``common``, beside the folders of the games: ``common/means.lp``.
    """
    for home in list_folders("asp"):
        if path.is_relative_to(home):
            game, *place = path.relative_to(home).parts
            return "/".join([game, *place] if game == COMMON else place)
    raise LookupError(f"{path} is not a rule file of ours")


def _is_of_other_game(path: Path, folder: Path, game: str) -> bool:
    """Return whether a file lies below a folder named after another game, as in a full export."""
    first, *below = path.relative_to(folder).parts or [""]
    if not below or first == game:
        return False
    return any((home / first).is_dir() for home in list_folders("asp")) and first != COMMON


def _say_empty(folder: Path, game: str, found: Sequence[Path]) -> str:
    if found:
        return f"has rules of other games, but none of {game.replace('_', '-')}"
    return "has no .lp file" if is_folder(folder) else "is not a folder"


def _check_replaces(path: Path, folder: Path, game: str, ours: Path) -> None:
    """Check that a file with the name of one of ours lies where it replaces that file."""
    place = place_in_game(ours)
    full_place = place if place.startswith(f"{COMMON}/") else f"{game}/{place}"
    below = path.relative_to(folder).as_posix()
    if path == folder:
        # A file that is named by itself shows where it lies by the end of its path.
        below = "/".join(path.absolute().parts[-len(Path(place).parts) :])
    if below in (place, full_place):
        return
    name = visible(str(path))
    if path.absolute().as_posix().endswith(f"/{place}"):
        top = path.absolute().parents[len(Path(place).parts) - 1]
        cure = f"name {visible(os.path.relpath(top))} with --rules to replace that file"
    else:
        home = folder if is_folder(folder) else folder.parent
        cure = f"move it to {visible(str(home / place))} to replace that file, or rename it"
    raise RuleError(f"--rules: {name} has the name of {name_rule_file(ours)}: {cure}")


def _list_shipped(game: str) -> tuple[Path, ...]:
    """List all our rule files of a game, and those that games share."""
    return _list_ours("*.lp", find_home("asp", game) / game, find_folder("asp") / COMMON)


def list_wanted(game: str, files: str) -> frozenset[str]:
    """List the names of our files of a game that words such as ``"board cards/*"`` mean."""
    names = set[str]()
    for word in files.split():
        shared = word.startswith(f"{COMMON}/")
        home = find_folder("asp") if shared else find_home("asp", game) / game
        found = {path.name for path in _list_ours(f"{word}.lp", home)}
        if not found:
            raise LookupError(f"asp/{game} has no {word}.lp")
        names |= found
    return frozenset(names)


@lru_cache(maxsize=256)
def _list_ours(names: str, *folders: Path) -> tuple[Path, ...]:
    """List our rule files of such names; they are looked for and read once, unlike a user's."""
    return tuple(sorted({path for folder in folders for path in folder.rglob(names)}))


@lru_cache(maxsize=64)
def _read_ours(paths: tuple[Path, ...]) -> Program:
    """Read our own rule files, once."""
    return sum(map(_read_our, paths), Program(()))


_read_our = lru_cache(maxsize=256)(lambda path: read_program([path], ours=True))


def check_constants(games: Iterable[str], changes: Changes) -> None:
    """Check that each constant that a user sets belongs to these games or to the user's rules."""
    whole = sum((GameRules(game).read_parts()[0] for game in games), read_program(changes.files))
    whole.with_constants(dict(changes.constants))


def _read_parts(game: str, files: str | None, changes: Changes) -> tuple[Program, Program]:
    ours, users = list_rule_files(game, changes.folders)
    all_ours = _list_shipped(game)
    shipped = frozenset(path.name for path in all_ours)
    wanted = shipped if files is None else list_wanted(game, files)
    program = _read_ours(tuple(path for path in ours if path.name in wanted))
    if not users:
        return program, Program(())
    whole = _read_ours(tuple(all_ours))
    left = _read_ours(tuple(ours))
    _check_users(game, changes, changes.stamps)
    # A copy of one of our files stands in for it wherever that is wanted, and only there.
    here = tuple(p for p in users if p.name in wanted or p.name not in shipped)
    added = _read_users(here, changes.stamps)
    # A user's rule may count with any constant of the game, whichever file sets it.
    everything = left + _read_users(tuple(users), changes.stamps)
    program += _find_missing_constants(everything, program + added)
    # A predicate that only other files of the game give is not a mistake: it has no atoms here. Nor
    # is one that only a part gives which a question leaves out.
    known = left.derived | whole.inputs
    absent = known - program.derived - program.inputs
    asked = known & frozenset(b for statement in added.statements for b in statement.body)
    return program, replace(added, defined=added.defined | absent | asked)


def _find_missing_constants(everything: Program, program: Program) -> Program:
    """Find the ``#const`` statements of a game that a part of its rules lacks."""
    present = program.find_constants()
    missing = [
        statement
        for statement in everything.statements
        if statement.kind == ASTType.Definition and statement.node.name not in present
    ]
    return Program(tuple(missing))


@lru_cache(maxsize=64)
def _read_users(paths: tuple[Path, ...], _stamps: object) -> Program:
    """Read rule files of a user, once as long as they stay as they are."""
    read = read_program(paths)
    return replace(read, statements=tuple(replace(s, is_users=True) for s in read.statements))


@lru_cache(maxsize=64)
def _check_users(game: str, changes: Changes, _stamps: object) -> None:
    """Check a user's rules, once as long as their files stay as they are."""
    from kb_score.engine.docs import find_documented, find_extension_points
    from kb_score.engine.lint import check_user_rules

    ours, users = list_rule_files(game, changes.folders)
    all_ours = _list_shipped(game)
    whole = _read_ours(all_ours)
    left = _read_ours(tuple(ours))
    theirs = _read_users(tuple(users), _stamps)
    places = {path.name: place_in_game(path) for path in all_ours}
    points = find_extension_points(all_ours)
    documented = find_documented(all_ours)
    check_user_rules(whole, left, theirs, places, points, documented, dict(changes.constants))
    asked = frozenset(b for statement in theirs.statements for b in statement.body)
    alone = replace(theirs, defined=theirs.defined | asked, limits=changes.limits)
    alone += _find_missing_constants(left, theirs)
    known = alone.find_constants()
    alone = alone.with_constants({n: v for n, v in changes.constants if n in known})
    # Where our rules choose, a user's may.
    chooses = any(s.guides and s.heads for s in whole.statements)
    ask = partial(solve_each, facts={}, options=["--models=2"])
    check_alone(alone, ask, choices=chooses)


@lru_cache(maxsize=64)
def _load(game: str, use: Use, changes: Changes, _stamps: object) -> Program:
    program = _load_whole(game, use, changes)
    # Of what is lifted no other part is ever grounded.
    program = (program.base if use.lifted else program).without(use.absent.split())
    program = program.without_unused()
    return lift_to_boards(program, {use.varying}) if use.varying else program


def _lift(program: Program, given: frozenset[Signature]) -> Program:
    # What rules ask for and do not derive is lifted anyway.
    return _lift_known(program, given & program.derived.union(program.shown))


@lru_cache(maxsize=64)
def _lift_known(program: Program, given: frozenset[Signature]) -> Program:
    return lift_to_boards(program, given | program.inputs)


@lru_cache(maxsize=64)
def _sketch(
    game: str, use: Use, changes: Changes, stamps: object, constants: tuple[tuple[str, str], ...]
) -> Sketch:
    from kb_score.engine.idle import Sketch  # a Tab for options is to be quick

    program = _load(game, use, changes, stamps)
    return Sketch(_decide(game, program, replace(changes, constants=constants)))


@lru_cache(maxsize=256)
def _leave_out_idle(sketch: Sketch, given: Given) -> Program:
    return sketch.without_idle(given)


def _decide(game: str, program: Program, changes: Changes) -> Program:
    """Set the rulings that a user has changed.

    Raises:
        RuleError: A ruling is unknown in the game, or cannot have its value.
    """
    if not changes.constants:
        return program
    given = dict(changes.constants)
    everything = _list_constants(game, replace(changes, constants=()), changes.stamps)
    everything.with_constants(given)
    # Constants of other files of the game do not matter here.
    here = program.find_constants()
    return program.with_constants({n: v for n, v in given.items() if n in here})


@lru_cache(maxsize=64)
def _list_constants(game: str, changes: Changes, _stamps: object) -> Program:
    """List the ``#const`` statements of a game and of a user's rules."""
    ours, users = _read_parts(game, None, changes)
    return _find_missing_constants(ours + users, Program(()))


def _load_whole(game: str, use: Use, changes: Changes) -> Program:
    ours, users = _read_parts(game, use.files, changes)
    program = _decide(game, ours + users, changes)
    if not use.guided:
        unguided = tuple(s for s in program.statements if not s.guides)
        program = replace(program, statements=unguided, defined=program.inputs | program.derived)
    if use.lifted:
        program = lift_to_turns(program, use.lifted.split())
    # What a user has not touched comes to an end by itself.
    if users.statements or changes.limits != DEFAULT:
        program = replace(program, limits=changes.limits)
    return program


__all__ = ["NO_CHANGES", "Answer", "AnswerSetError", "Asked", "Changes", "GameRules"]
__all__ += ["LimitError", "Limits", "Use"]
