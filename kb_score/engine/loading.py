"""Loads the rule files of a use as a program: reads, checks, lifts and caches them.

A file that has changed is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Literal

from clingo.ast import ASTType

from kb_score.engine.changes import (
    Changes,
    StampedFile,
    has_no_python,
    list_rule_files,
    list_shipped,
    list_wanted,
    stamp_game_file,
    stamp_own,
)
from kb_score.engine.lift import lift_to_boards, lift_to_turns
from kb_score.engine.program import BEFORE, DEFAULT, Program, Statement, parse_program, read_program
from kb_score.engine.scan import Signature
from kb_score.engine.solve import check_alone, solve_each
from kb_score.engine.state import ASKS_ALL, reads_anywhere, write_chain, write_choice
from kb_score.engine.turns import count_turns, counts_turns, find_turn_places
from kb_score.resources import is_shipped, place_in_game

_ASKS_ALL = parse_program(f"#program base. {ASKS_ALL}.")


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a game's rules: the files to load, and the answer sets to look for.

    The ``#show`` lines of the files determine which atoms are read.

    Attributes:
        files: The stems of the rule files, anywhere below asp/<game>/; ``cards/*`` means all files
            of a folder, ``common/means`` a file that games share.
        lifted: The names of the parts that are grounded for all turns of a record together.
        models: ``only`` for rules that decide everything; ``best`` for the answer set with the
            lowest cost by ``:~``; ``last`` for the last one that clingo finds, which sums up the
            earlier ones with ``--enum-mode``.
        options: Additional clingo options.
        guided: Whether to keep constraints and choices; they are left out if no board is given.
        varying: The predicate that is different on each board, if the rules themselves derive the
            boards; predicates that depend on it are lifted.
        absent: Predicates that are known to have no atoms, such as ``mark/1``.
        given: The names of all predicates that have facts; None if they are not known.
        state: The source of the state before a turn, if no rule gives it (see
            `kb_score.engine.state`): ``given`` for facts with the rows that the turn asks about,
            ``kept`` for facts with the whole state, ``chained`` for what the turn before derives.
        exact: Additional predicates to read, in whose rows constants and strings differ.
    """

    files: tuple[str, ...]
    lifted: tuple[str, ...] = ()
    models: Literal["only", "best", "last"] = "only"
    options: tuple[str, ...] = ()
    guided: bool = True
    varying: Signature | None = None
    absent: tuple[str, ...] = ()
    given: frozenset[str] | None = None
    state: Literal["given", "kept", "chained"] = "given"
    exact: tuple[Signature, ...] = ()

    def plus(self, *files: str) -> Use:
        """Return a use that loads more rule files, named by their stems."""
        return replace(self, files=(*self.files, *files))


@dataclass(frozen=True, slots=True)
class Source:
    """The rules of a game with a user's files as they are now: equal sources have equal rules.

    The files ``own`` are those of a user's own game.
    """

    game: str
    changes: Changes
    files: tuple[StampedFile, ...]
    own: tuple[StampedFile, ...] = ()

    @property
    def undecided(self) -> Source:
        """The source without the user's rulings."""
        changes = replace(self.changes, constants=())
        return replace(self, changes=changes)

    def split(self) -> tuple[list[Path], list[Path]]:
        """Return our files that the user does not replace, and the user's files."""
        found = [file.path for file in self.files]
        return list_rule_files(self.game, self.changes, found)

    def read_user_files(self, paths: Iterable[Path]) -> Program:
        """Read some of the user's rule files."""
        stamped = {file.path: file for file in self.files}
        chosen = [stamped[path] for path in paths]
        return _read_user_files(tuple(chosen))


def find_source(game: str, changes: Changes) -> Source:
    """Return the rules of a game, with the user's files as they are now."""
    files = changes.stamp()
    own = stamp_own(game)
    return Source(game, changes, files, own)


def load(source: Source, use: Use) -> Program:
    """Load the rules of a use on which an answer depends, lifted to turns and boards."""
    # Rulings change nothing about how rules are lifted.
    program = _load_undecided(source.undecided, use)
    return decide(source, program)


def lift(source: Source, use: Use, given: frozenset[Signature]) -> Program:
    """Load the rules of a use, lifted to many boards with facts for the given predicates."""
    program = _load_undecided(source.undecided, use)
    # Predicates that rules ask for but do not derive are lifted anyway.
    derived_or_shown = program.derived.union(program.shown)
    known = given & derived_or_shown
    lifted = _lift(program, known)
    return decide(source, lifted)


def load_whole(source: Source, use: Use) -> Program:
    """Load all rules of a use, including those on which no answer depends."""
    ours, users = read_parts(source, use.files)
    whole = ours + users
    program = decide(source, whole)
    if source.own:
        # Before a user's game is used, it is checked for inputs that nothing gives.
        program = program.with_open_inputs
    if not use.guided:
        unguided = tuple(s for s in program.statements if not s.guides)
        defined = program.inputs | program.derived
        program = replace(program, statements=unguided, defined=defined)
    if reads_anywhere(program):
        program += _ASKS_ALL
    if use.exact:
        shows = [f"#show {name}/{arity}." for name, arity in use.exact]
        program += parse_program("\n".join(shows))
    if use.state == "chained":
        program += parse_program(write_chain(program))
    elif use.state == "kept":
        program += parse_program(write_choice(program))
    if use.lifted:
        program = lift_to_turns(program, use.lifted)
    # Where turn after turn is grounded, each is its own number.
    is_stepped = program.parameters and not use.lifted
    if users.statements and counts_turns(program) and not is_stepped:
        copied = {path.name for path in list_shipped(source.game)}
        program = count_turns(program, _find_turn_places(source), copied)
    # Shipped rules terminate; only changed rules, and those of a user's game, need limits.
    limits = source.changes.limits
    if users.statements or source.own or limits != DEFAULT:
        program = replace(program, limits=limits)
    return program


@lru_cache(maxsize=64)
def _load_undecided(source: Source, use: Use) -> Program:
    """Load the rules of a use on which an answer depends, with the default rulings."""
    program = load_whole(source, use)
    if use.lifted:
        # The other parts are never grounded.
        program = program.base
    program = program.without(use.absent)
    if use.given is not None:
        program = program.without_idle(use.given)
    program = program.without_unused()
    if use.varying:
        program = lift_to_boards(program, {use.varying})
    return program


@lru_cache(maxsize=64)
def _lift(program: Program, given: frozenset[Signature]) -> Program:
    """Lift rules to many boards that have facts of some predicates; cached."""
    return lift_to_boards(program, given | program.inputs)


def decide(source: Source, program: Program) -> Program:
    """Return a program with the rulings that a user has changed.

    The program has all or some of the rules of the source. A ruling that the game does not have,
    and a value that is not allowed, are a RuleError.
    """
    given = dict(source.changes.constants)
    if not given:
        return program
    _list_constants(source.undecided).with_constants(given)
    return _set_constants(program, given)


def _set_constants(program: Program, given: Mapping[str, str]) -> Program:
    """Set the given constants that a program has; the others belong to other files."""
    known = program.find_constants()
    values = {name: value for name, value in given.items() if name in known}
    return program.with_constants(values)


@lru_cache(maxsize=64)
def _list_constants(source: Source) -> Program:
    """List the ``#const`` statements of a game and of a user's rules."""
    ours, users = read_parts(source)
    return _find_missing_constants(ours + users, Program(()))


def check_constants(games: Iterable[str], changes: Changes) -> None:
    """Raise a RuleError unless each ruling that a user sets belongs to one of the games.

    A constant of the user's rules may be set as well. The value has to be allowed.
    """
    whole = read_program(changes.files)
    for game in games:
        shipped = read_ours(list_shipped(game))
        whole = shipped + whole
    whole.with_constants(dict(changes.constants))


def read_parts(source: Source, files: Sequence[str] | None = None) -> tuple[Program, Program]:
    """Return our rules that the user does not replace, and the user's, which are checked.

    No ruling is set. Of our files, those of the patterns are read, as in a `Use`; None stands for
    all.
    """
    ours, users = source.split()
    all_ours = list_shipped(source.game)
    shipped = frozenset(path.name for path in all_ours)
    wanted = shipped if files is None else list_wanted(source.game, files)
    program = read_ours(tuple(path for path in ours if path.name in wanted))
    if not users:
        return program, Program(())
    whole = read_ours(all_ours)
    not_replaced = read_ours(tuple(ours))
    _check_users(source)
    # A copy of one of our files is loaded only by the uses that load that file.
    chosen = [path for path in users if path.name in wanted or path.name not in shipped]
    added = source.read_user_files(chosen)
    # A user's rule may use any constant of the game, whichever file sets it.
    everything = not_replaced + source.read_user_files(users)
    program += _find_missing_constants(everything, program + added)
    # A predicate that only other files of the game derive is not a mistake: it has no atoms here.
    # The same is true of one that only an omitted part derives.
    known = not_replaced.derived | whole.inputs
    absent = known - program.derived - program.inputs
    asked = known & added.used
    defined = added.defined | absent | asked | list_states(source.game, added)
    return program, replace(added, defined=defined)


def list_states(game: str, program: Program) -> set[Signature]:
    """List the predicates for the state before a turn that a game gives for those of a program."""
    if not has_no_python(game):
        return set()
    return {(f"{BEFORE}{name}", arity) for name, arity in program.derived}


def _find_missing_constants(everything: Program, program: Program) -> Program:
    """Find the ``#const`` statements of a whole game that are missing from some of its rules."""
    present = program.find_constants()
    missing: list[Statement] = []
    for statement in everything.statements:
        if statement.kind == ASTType.Definition and statement.node.name not in present:
            missing.append(statement)
    return Program(tuple(missing))


def read_ours(paths: tuple[Path, ...]) -> Program:
    """Read the rule files of a game; cached until a file of a user's game changes."""
    stamped = map(stamp_game_file, paths)
    return _read_ours(tuple(stamped))


@lru_cache(maxsize=64)
def _read_ours(files: tuple[StampedFile, ...]) -> Program:
    """Read the rule files of a game in this order; cached."""
    program = Program(())
    for file in files:
        program += _read_our_file(file)
    return program


@lru_cache(maxsize=256)
def _read_our_file(file: StampedFile) -> Program:
    """Read a rule file of a game; cached."""
    path = file.path
    return read_program([path], ours=is_shipped(path))


@lru_cache(maxsize=64)
def _read_user_files(files: tuple[StampedFile, ...]) -> Program:
    """Read rule files, and mark their statements as the user's; documented inputs may be absent."""
    from kb_score.engine.docs import find_inputs

    paths = [file.path for file in files]
    program = read_program(paths)
    statements = [replace(statement, is_from_user=True) for statement in program.statements]
    defined = program.defined | find_inputs(paths)
    return replace(program, statements=tuple(statements), defined=defined)


@lru_cache(maxsize=64)
def _find_turn_places(source: Source) -> dict[Signature, set[int]]:
    """Find the arguments that are turns, in the rules of a game and in a user's."""
    from kb_score.engine.docs import list_predicates

    _, users = source.split()
    all_ours = list_shipped(source.game)
    theirs = source.read_user_files(users)
    return find_turn_places(read_ours(all_ours), theirs, list_predicates(all_ours))


@lru_cache(maxsize=64)
def _check_users(source: Source) -> None:
    """Raise a RuleError with its place if a user's rule is wrong."""
    from kb_score.engine.docs import find_documented, find_extension_points
    from kb_score.engine.lint import check_turns, check_user_rules

    ours, users = source.split()
    all_ours = list_shipped(source.game)
    whole = read_ours(all_ours)
    not_replaced = read_ours(tuple(ours))
    theirs = source.read_user_files(users)
    theirs = replace(theirs, defined=theirs.defined | list_states(source.game, theirs))
    places = {path.name: place_in_game(path) for path in all_ours}
    points = find_extension_points(all_ours)
    if not any(name == "illegal" for name, _ in whole.used):
        # In this game no answer is illegal: the rules never read that predicate.
        points = frozenset((name, arity) for name, arity in points if name != "illegal")
    documented = find_documented(all_ours)
    constants = dict(source.changes.constants)
    check_user_rules(whole, not_replaced, theirs, places, points, documented, constants)
    copies = [path for path in users if path.name in places]
    new = [path for path in users if path.name not in places]
    ours_now = not_replaced + source.read_user_files(copies)
    check_turns(ours_now, source.read_user_files(new), _find_turn_places(source))
    defined = theirs.defined | theirs.used
    alone = replace(theirs, defined=defined, limits=source.changes.limits)
    alone += _find_missing_constants(not_replaced, theirs)
    alone = _set_constants(alone, constants)
    # The user's rules may leave a choice if our rules do.
    chooses = any(s.guides and s.heads for s in whole.statements)
    ask = partial(solve_each, facts={}, options=["--models=2"])
    check_alone(alone, ask, choices=chooses)
