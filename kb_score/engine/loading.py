"""Loads the rule files of a use as a program: reads, checks, lifts and caches them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clingo.ast import ASTType

from kb_score.engine.changes import (
    Changes,
    has_no_python,
    list_own_files,
    list_rule_files,
    list_shipped,
    list_wanted,
)
from kb_score.engine.lift import lift_boards, lift_turns
from kb_score.engine.program import BEFORE, DEFAULT, Program, Statement, parse_program, read_program
from kb_score.engine.scan import Signature
from kb_score.engine.solve import ground_alone
from kb_score.engine.state import ASKS_ALL, list_states, reads_anywhere, write_part
from kb_score.resources import find_folder, is_shipped

if TYPE_CHECKING:
    from kb_score.engine.check import UsersRules

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
            lowest cost by ``:~``; ``brave`` for all atoms that hold in some answer set; ``free``
            for what follows without constraints and choices, which are about a board or a record.
        varying: The predicate that is different on each board, if the rules themselves derive the
            boards; predicates that depend on it are lifted.
        absent: Predicates that are known to have no atoms, such as ``mark/1``.
        given: The names of all predicates that have facts; None if they are not known.
        state: The source of the state before a turn, if no rule gives it (see
            `kb_score.engine.state`): ``given`` for facts with the rows that the turn asks about,
            and for `Live`, which adds rules of its own; ``kept`` for facts with the whole state;
            ``chained`` for what the turn before derives.
        exact: Additional predicates to read, in whose rows constants and strings differ. Where
            the state is chained, ``carried_at/3`` is that after the ``last`` turn, for the next.
    """

    files: tuple[str, ...]
    lifted: tuple[str, ...] = ()
    models: Literal["only", "best", "brave", "free"] = "only"
    varying: Signature | None = None
    absent: tuple[str, ...] = ()
    given: frozenset[str] | None = None
    state: Literal["given", "kept", "chained"] = "given"
    exact: tuple[Signature, ...] = ()

    def plus(self, *files: str) -> Use:
        """Return a use that loads more rule files, named by their stems."""
        return replace(self, files=(*self.files, *files))


class Rulebook:
    """The rules of a game with a user's files, each of which is read and checked once.

    Files that change later are not read again. Rulings are set by `decide` alone. The modules
    ``check``, ``docs`` and ``turns`` are only needed, and loaded, for a user's rules.
    """

    def __init__(self, game: str, folders: tuple[Path, ...] = ()) -> None:
        """Open the book of a game, by its folder in asp/; files are read when they are needed."""
        self.game = game
        self.folders = folders
        self._read: dict[Path, Program] = {}
        self._checked: set[Changes] = set()

    @cached_property
    def all_ours(self) -> tuple[Path, ...]:
        """The paths of all rule files of the game, those that the user replaces too."""
        return list_shipped(self.game)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of these files; a user's file of such a name replaces one of them."""
        return frozenset(path.name for path in self.all_ours)

    @cached_property
    def own(self) -> tuple[Path, ...]:
        """The paths of the rule files of a user's own game; none if the game is one of ours."""
        return list_own_files(self.game)

    @cached_property
    def files(self) -> tuple[list[Path], list[Path]]:
        """The paths of our files that the user does not replace, and of the user's files."""
        return list_rule_files(self.game, Changes(self.folders))

    def read_ours(self, paths: Iterable[Path]) -> Program:
        """Read some of the game's rule files, in the order given."""
        program = Program(())
        for path in paths:
            if is_shipped(path):
                program += _read_shipped(path)
                continue
            if path not in self._read:
                self._read[path] = read_program([path])
            program += self._read[path]
        return program

    def read_users(self, paths: Iterable[Path]) -> Program:
        """Read some of the user's rule files."""
        program = Program(())
        for path in paths:
            if path not in self._read:
                self._read[path] = read_program([path], "user")
            program += self._read[path]
        return program

    def assemble(self, use: Use) -> Program:
        """Load all rules of a use, including those on which no answer depends."""
        ours, users = self.read_parts(use.files)
        program = ours + users
        if use.models == "free":
            free = tuple(s for s in program.statements if not s.guides)
            program = replace(program, statements=free)
        if reads_anywhere(program):
            program += _ASKS_ALL
        states = list_states(program) if use.state != "given" else []
        if use.exact:
            shows = [f"#show {name}/{arity}." for name, arity in use.exact]
            carried = [s.carry() for s in states if (s.carried, s.arity) in use.exact]
            program += _parse("\n".join([*carried, *shows]))
        if use.state == "chained":
            rules = [rule for state in states for rule in state.look_back()]
            program += _parse(write_part(rules))
        elif use.state == "kept":
            rules = [rule for state in states for rule in state.choose()]
            program += _parse(write_part(rules))
        if use.lifted:
            program = lift_turns(program, use.lifted)
        # Where turn after turn is grounded, each is its own number.
        is_stepped = program.parameters and not use.lifted
        if users.statements and not is_stepped:
            program = self._count_turns(program)
        return program

    def _count_turns(self, program: Program) -> Program:
        """Let a user's rules count turns as people do, if the rules of the game say how."""
        from kb_score.engine.turns import compare_turn_numbers, gives_turn_numbers

        if not gives_turn_numbers(program):
            return program
        return compare_turn_numbers(program, self._turn_indices, self.names)

    def read_parts(self, files: Sequence[str] | None = None) -> tuple[Program, Program]:
        """Return our rules that the user does not replace, and the user's.

        Of our files, those of the patterns are read, as in a `Use`; None stands for all.
        """
        ours, users = self.files
        wanted = self.names if files is None else list_wanted(self.game, files)
        program = self.read_ours(path for path in ours if path.name in wanted)
        if not users:
            return program, Program(())
        not_replaced = self.read_ours(ours)
        # A copy of one of our files is loaded only by the uses that load that file.
        chosen = [path for path in users if path.name in wanted or path.name not in self.names]
        added = self.read_users(chosen)
        # A user's rule may use any constant of the game, whichever file sets it.
        everything = not_replaced + self.read_users(users)
        program += _find_missing_constants(everything, program + added)
        return program, added

    def check(self, changes: Changes) -> None:
        """Raise a RuleError with its place if a user's rule is wrong, with some rulings."""
        _, users = self.files
        if users and changes not in self._checked:
            self._check_users(changes)
            self._checked.add(changes)

    def _check_users(self, changes: Changes) -> None:
        from kb_score.engine.turns import check_turns

        rules = self.users_rules
        rules.check()
        _, users = self.files
        copies = [path for path in users if path.name in self.names]
        new = [path for path in users if path.name not in self.names]
        ours_now = rules.ours + self.read_users(copies)
        check_turns(ours_now, self.read_users(new), self._turn_indices)
        alone = replace(rules.users, limits=changes.limits)
        alone += _find_missing_constants(rules.ours, rules.users)
        ground_alone(_set_constants(alone, dict(changes.constants)))

    @cached_property
    def users_rules(self) -> UsersRules:
        """The user's rules beside those of the game, for checks."""
        from kb_score.engine.check import UsersRules
        from kb_score.engine.docs import (
            find_documented,
            find_extension_points,
            find_inputs,
            read_former,
        )

        ours, users = self.files
        whole = self.read_ours(self.all_ours)
        theirs = self.read_users(users)
        points = find_extension_points(self.all_ours)
        if not any(name == "illegal" for name, _ in whole.used):
            # In this game no answer is illegal: the rules never read that predicate.
            points = frozenset((name, arity) for name, arity in points if name != "illegal")
        return UsersRules(
            shipped=whole,
            ours=self.read_ours(ours),
            users=theirs,
            given=find_inputs(users) | list_given(self.game, whole, theirs),
            names=self.names,
            points=points,
            documented=find_documented(self.all_ours),
            former=read_former(self.game),
        )

    @cached_property
    def _turn_indices(self) -> dict[Signature, set[int]]:
        """The arguments that are turns, in the rules of the game and in the user's."""
        from kb_score.engine.docs import list_predicates
        from kb_score.engine.turns import find_turn_indices

        _, users = self.files
        theirs = self.read_users(users)
        documented = list_predicates(self.all_ours)
        return find_turn_indices(self.read_ours(self.all_ours), theirs, documented)

    def decide(self, program: Program, changes: Changes) -> Program:
        """Return a program of the book with the rulings and the limits of a user's changes.

        A ruling that the game does not have, and a value that is not allowed, are a RuleError.
        """
        given = dict(changes.constants)
        if given:
            self._all_constants.check_constants(given)
            program = _set_constants(program, given)
        # Shipped rules terminate; only changed rules, and those of a user's game, need limits.
        _, users = self.files
        if users or self.own or changes.limits != DEFAULT:
            program = replace(program, limits=changes.limits)
        return program

    @cached_property
    def _all_constants(self) -> Program:
        """The ``#const`` statements of the game and of the user's rules."""
        ours, users = self.read_parts()
        return _find_missing_constants(ours + users, Program(()))


@lru_cache(maxsize=256)
def _parse(text: str) -> Program:
    """Parse rules of the engine; cached, since many programs have the same ones."""
    return parse_program(text)


def open_book(game: str, folders: tuple[Path, ...]) -> Rulebook:
    """Return the book of a game with a user's folders; without any, our games' books are shared."""
    is_ours = (find_folder("asp") / game).is_dir()
    if folders or not is_ours:
        return Rulebook(game, folders)
    return _open_shipped(game)


@cache
def _open_shipped(game: str) -> Rulebook:
    return Rulebook(game)


@lru_cache(maxsize=64)
def load(book: Rulebook, use: Use, changes: Changes) -> Program:
    """Load the rules of a use on which an answer depends, lifted to turns and boards."""
    return book.decide(_load_undecided(book, use), changes)


@lru_cache(maxsize=64)
def load_for_boards(
    book: Rulebook, use: Use, changes: Changes, given: frozenset[Signature]
) -> Program:
    """Load the rules of a use, lifted to many boards with facts for the given predicates."""
    program = _load_undecided(book, use)
    # Predicates that rules ask for but do not derive are lifted anyway.
    known = given & program.derived.union(program.shown)
    return book.decide(lift_boards(program, known | program.inputs), changes)


@lru_cache(maxsize=64)
def _load_undecided(book: Rulebook, use: Use) -> Program:
    """Load the rules of a use without rulings, which change nothing about how rules are lifted."""
    program = book.assemble(use)
    if use.lifted:
        # The other parts are never grounded.
        program = program.base
    program = program.without(use.absent)
    if use.given is not None:
        program = program.without_idle(use.given)
    program = program.without_unused()
    if use.varying:
        program = lift_boards(program, {use.varying})
    return program


def _set_constants(program: Program, given: Mapping[str, str]) -> Program:
    """Set the given constants that a program has; the others belong to other files."""
    known = program.definitions
    values = {name: value for name, value in given.items() if name in known}
    return program.with_constants(values)


def check_constants(games: Iterable[str], changes: Changes) -> None:
    """Raise a RuleError unless each ruling that a user sets belongs to one of the games.

    A constant of the user's rules may be set as well. The value has to be allowed.
    """
    whole = read_program(changes.files)
    for game in games:
        shipped = read_game_files(list_shipped(game))
        whole = shipped + whole
    whole.check_constants(dict(changes.constants))


def list_given(game: str, ours: Program, program: Program) -> set[Signature]:
    """List the predicates for the state before a turn that a game gives for those of a program."""
    if not has_no_python(game) and not list_states(ours):
        return set()
    return {(f"{BEFORE}{name}", arity) for name, arity in program.derived}


def _find_missing_constants(everything: Program, program: Program) -> Program:
    """Find the ``#const`` statements of a whole game that are missing from some of its rules."""
    present = program.definitions
    missing: list[Statement] = []
    for statement in everything.statements:
        if statement.kind == ASTType.Definition and statement.node.name not in present:
            missing.append(statement)
    return Program(tuple(missing))


def read_game_files(paths: Iterable[Path]) -> Program:
    """Read rule files of games; those that ship with kb-score are read once."""
    program = Program(())
    for path in paths:
        program += _read_shipped(path) if is_shipped(path) else read_program([path])
    return program


@lru_cache(maxsize=256)
def _read_shipped(path: Path) -> Program:
    """Read a rule file that ships with kb-score, which does not change; cached by its path."""
    return read_program([path], "shipped")
