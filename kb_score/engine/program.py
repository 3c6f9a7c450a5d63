"""Rules as statements, and rule files as programs."""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from clingo.ast import AST, ASTType, Location, Position, Transformer, parse_files, parse_string

from kb_score.engine.arithmetic import guard_terms
from kb_score.engine.messages import DRIVER, collected_messages
from kb_score.engine.rule_text import (
    NUMBER,
    check_text,
    find_position,
    is_number,
    is_too_large,
    read_rule_text,
    read_unchanged,
)
from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.engine.scan import STRING, Atom, Signature, find_condition, scan
from kb_score.errors import RuleError, guess

# The values that --const may set.
_CONSTANT = re.compile(r"_*[a-z]\w*'*|0|-?[1-9][0-9]*", re.ASCII)
# A name, a variable, a number or a string.
_WORD = re.compile(rf"{STRING}|\w[\w']*|.")

# Where a statement comes from.
Origin: TypeAlias = Literal["shipped", "game", "user"]

# Programs are shared, and clingo counts references to their syntax trees without a lock: threads
# that play games at the same time would corrupt them.
SYNTAX = threading.Lock()

# Syntax trees without atoms.
TERMS = {
    ASTType.Variable,
    ASTType.SymbolicTerm,
    ASTType.Function,
    ASTType.UnaryOperation,
    ASTType.BinaryOperation,
    ASTType.Interval,
    ASTType.Comparison,
    ASTType.BooleanConstant,
    ASTType.Guard,
}

# Turn t reads before_at(P,C,t): what held before it. If rules derive asks_at(P,t), it reads only
# the rows of these P. See `kb_score.engine.state`.
BEFORE = "before_"
ASKS = "asks_"
# The part of what holds at all times, and the one that holds before the answer of a turn.
BASE = "base"
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one question to the rules: seconds, and MiB of the process.

    Without seconds, rules that may have no end are stopped after 8 s of processor time. Without
    memory, no rule is ever stopped, since stopping rules limits the memory of the process.
    """

    seconds: float | None = None
    memory: int | None = 4096


DEFAULT = Limits()
# For a program that imports kb-score: stopping rules limits the memory of its whole process.
UNLIMITED = Limits(None, None)


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement of a rule file.

    Attributes:
        text: The statement as clingo prints it, rewritten if it has been lifted.
        kind: The type of its syntax tree.
        tree: Its syntax tree as the file has it, with file, line and column.
        path: Its file.
        allowed: The values of a ruling; None if the file does not list them.
        origin: Whether it ships with kb-score, so that clingo can compute all its terms; is part of
            a game of the user's own; or is a user's addition to a game, which is never left out.
        part: The name of the part of the program that it is in.
        turn: The parameter of that part; empty for the base part.
        is_rewritten: Whether the text differs from the tree.
    """

    text: str
    kind: ASTType
    tree: AST
    path: Path = Path(DRIVER)
    allowed: AllowedValues | None = None
    origin: Origin = "shipped"
    part: str = BASE
    turn: str = ""
    is_rewritten: bool = False

    def rewrite(self, change: Callable[[str], str]) -> Statement:
        """Return the statement with another text, at the same place."""
        text = change(self.text)
        return self if text == self.text else replace(self, text=text, is_rewritten=True)

    @property
    def location(self) -> Location:
        """Where it stands in its file."""
        location: Location = self.tree.location
        return location

    def find_place(self, column: int) -> Position:
        """Return the place in its file of what stands in a column of its text, from 1."""
        location = self.tree.location
        if self.kind == ASTType.Rule:
            number = find_condition(self.safe_text, column - 1)
            if number is None:
                location = self.tree.head.location
            elif number < len(self.tree.body):
                location = self.tree.body[number].location
        begin: Position = location.begin
        return begin

    def error(self, message: str, hint: str = "", offset: int | None = None) -> RuleError:
        """Return an error at its place in its file, or where that has what is at an offset."""
        begin = self.location.begin
        text = read_rule_text(self.path)
        lines = text.split("\n")
        # clingo counts columns in bytes.
        before = lines[begin.line - 1].encode()[: begin.column - 1].decode()
        start = sum(len(line) + 1 for line in lines[: begin.line - 1]) + len(before)
        if offset is not None:
            start = self._find_in_file(text, start, offset)
        place = find_position(text[:start], self.path)
        return RuleError.at(replace(place, source=lines[place.line - 1]), message, hint)

    def _find_in_file(self, text: str, start: int, offset: int) -> int:
        """Return where its file has what its text has at an offset: clingo keeps the order."""
        found = _WORD.match(self.text, offset)
        assert found is not None
        word = re.escape(found[0])
        if found[0][0] not in '"@':
            word = rf"(?<![\w'#]){word}(?![\w'])"
        pattern = re.compile(rf"({word})|{STRING}|%\*.*?\*%|%[^\n]*", re.DOTALL)
        number = sum(1 for one in pattern.finditer(self.text, 0, offset) if one[1])
        places = (one.start() for one in pattern.finditer(text, start) if one[1])
        return next(islice(places, number, None), start)

    @cached_property
    def node(self) -> AST:
        """The syntax tree of its text, with the places of its file."""
        if not self.is_rewritten:
            return self.tree
        nodes: list[AST] = []
        parse_string(self.text, nodes.append)
        # clingo begins each text with the base part.
        return _put_locations(nodes[1], self.tree)

    @cached_property
    def safe_text(self) -> str:
        """The text for clingo, with no term that crashes it."""
        if self.origin == "shipped" or self.kind != ASTType.Rule:
            return self.text
        begin = self.location.begin
        return guard_terms(self.text, (begin.filename, begin.line, begin.column))

    @property
    def is_as_in_file(self) -> bool:
        """Whether clingo gets the tree that it has read."""
        return not self.is_rewritten and self.safe_text == self.text

    @cached_property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms of a rule or a weak constraint."""
        if self.kind not in (ASTType.Rule, ASTType.Minimize):
            return ()
        return tuple(scan(self.text))

    @cached_property
    def heads(self) -> frozenset[Signature]:
        """The predicates that it derives or may choose, without those in conditions of its head."""
        return frozenset(atom.signature for atom in self.atoms if atom.is_derived)

    @cached_property
    def body(self) -> frozenset[Signature]:
        """The predicates that it reads; for a choice, all of its predicates."""
        is_all = self.guides
        return frozenset(atom.signature for atom in self.atoms if is_all or not atom.is_derived)

    @cached_property
    def head(self) -> Atom | None:
        """The only atom that a rule derives; None for other statements."""
        heads = [atom for atom in self.atoms if atom.in_head]
        if len(heads) == 1 and heads[0].is_derived and heads[0].is_plain:
            return heads[0]
        return None

    @cached_property
    def guides(self) -> bool:
        """Whether it is a constraint, a choice or a preference: it matters whatever is shown."""
        if self.kind == ASTType.Minimize:
            return True
        return self.kind == ASTType.Rule and not any(
            a.is_derived and a.is_plain for a in self.atoms
        )

    @cached_property
    def needs(self) -> frozenset[Signature]:
        """The predicates that must have atoms for the statement to derive anything."""
        if self.kind != ASTType.Rule:
            return frozenset()
        needed = (atom for atom in self.atoms if atom.is_plain and not atom.in_head)
        return frozenset(atom.signature for atom in needed)


@dataclass(frozen=True)
class Program:
    """The statements of some rule files, in the order of the files.

    Attributes:
        constants: The names and values of constants that are set.
        limits: The limits of grounding and solving; None for no limits.
    """

    statements: tuple[Statement, ...]
    constants: tuple[tuple[str, str], ...] = ()
    limits: Limits | None = None

    def __add__(self, other: Program) -> Program:
        """Join two programs; the limits are those of the first one that has any."""
        return Program(
            statements=self.statements + other.statements,
            constants=self.constants + other.constants,
            limits=self.limits or other.limits,
        )

    def __str__(self) -> str:
        """Return the program as text for clingo, with the values of constants that are set."""
        constants = dict(self.constants)
        lines: list[str] = []
        for statement in self.statements:
            if statement.kind == ASTType.Defined:
                continue
            line = statement.text
            if statement.kind == ASTType.Definition and statement.node.name in constants:
                name = statement.node.name
                line = f"#const {name} = {constants[name]}."
            lines.append(line)
        return "".join(f"{line}\n" for line in lines)

    @property
    def declarations(self) -> str:
        """The ``#defined`` lines without which plain clingo warns of predicates without rules."""
        return _declare(self.inputs | self.defined)

    def nodes(self, kind: ASTType) -> Iterator[AST]:
        """Yield the syntax trees of the statements of one kind."""
        return (s.node for s in self.statements if s.kind == kind)

    @cached_property
    def definitions(self) -> dict[str, AST]:
        """The ``#const`` statements by the names of the constants."""
        return {node.name: node for node in self.nodes(ASTType.Definition)}

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The predicates that its rules derive."""
        return frozenset().union(*(statement.heads for statement in self.statements))

    @cached_property
    def used(self) -> frozenset[Signature]:
        """The predicates that its rules use in their bodies."""
        return frozenset().union(*(statement.body for statement in self.statements))

    @cached_property
    def defined(self) -> frozenset[Signature]:
        """The predicates that its files declare as ``#defined``."""
        return frozenset((node.name, node.arity) for node in self.nodes(ASTType.Defined))

    @cached_property
    def inputs(self) -> frozenset[Signature]:
        """The predicates that its rules use, or declare as ``#defined``, and do not derive."""
        known = self.defined | self.used
        return known - self.derived

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of predicates that its rules use or that it shows."""
        predicates = self.used.union(self.shown)
        return frozenset(name for name, _ in predicates)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The texts of its ``#program`` lines."""
        parts = map(str, self.nodes(ASTType.Program))
        return frozenset(parts)

    def has_part(self, name: str) -> bool:
        """Return whether the program has a part with a given name."""
        return any(node.name == name for node in self.nodes(ASTType.Program))

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters of its parts, which stand for the turn."""
        names = set[str]()
        for node in self.nodes(ASTType.Program):
            names.update(parameter.name for parameter in node.parameters)
        return frozenset(names)

    @property
    def shown(self) -> tuple[Signature, ...]:
        """The predicates that its ``#show`` lines name, which are read from answer sets."""
        found = dict[Signature, None]()
        for node in self.nodes(ASTType.ShowSignature):
            signature = (node.name, node.arity)
            found[signature] = None
        return tuple(found)

    def find_dependents(self, signatures: Iterable[Signature]) -> frozenset[Signature]:
        """Return the predicates that depend on some predicates, including those themselves."""
        known = set(signatures)
        size = -1
        while len(known) > size:
            size = len(known)
            for statement in self.statements:
                if not known.isdisjoint(statement.body):
                    known |= statement.heads
        return frozenset(known)

    def find_needed(self, signatures: Iterable[Signature]) -> frozenset[Signature]:
        """Return the predicates that some predicates depend on, including those themselves.

        The state before a turn, if no rule gives it, depends on what turns derive and ask about.
        """
        deriving = defaultdict[Signature, list[Statement]](list)
        for statement in self.statements:
            for head in statement.heads:
                deriving[head].append(statement)
        asking = {name: (name, arity) for name, arity in deriving if name.startswith(ASKS)}
        needed = set[Signature]()
        waiting = list(signatures)
        while waiting:
            signature = waiting.pop()
            if signature in needed:
                continue
            needed.add(signature)
            for statement in deriving[signature]:
                waiting += statement.body
            name, arity = signature
            if name.startswith(BEFORE) and not deriving[signature]:
                # Live play supplies it.
                state = name.removeprefix(BEFORE)
                waiting.append((state, arity))
                asks = asking.get(f"{ASKS}{state}")
                if asks is not None:
                    waiting.append(asks)
        return frozenset(needed)

    @property
    def base(self) -> Program:
        """A copy without the rules of parts other than ``base``."""
        kept = [s for s in self.statements if s.part == BASE or s.kind != ASTType.Rule]
        return replace(self, statements=tuple(kept))

    def without(self, predicates: Sequence[str]) -> Program:
        """Return a copy without the rules that derive the given predicates, such as ``mark/1``."""
        left_out = {
            (name, arity) for name, arity in self.derived if f"{name}/{arity}" in predicates
        }
        kept = [statement for statement in self.statements if left_out.isdisjoint(statement.heads)]
        return replace(self, statements=tuple(kept))

    def without_idle(self, given: Collection[str]) -> Program:
        """Return a copy without the rules that need a predicate which has no atoms.

        All predicates that have facts are given by their names.
        """
        known: set[Signature] = set()
        for statement in self.statements:
            for signature in statement.needs:
                name, _ = signature
                if name in given:
                    known.add(signature)
        waiting = set(self.statements)
        active = {statement for statement in waiting if statement.needs <= known}
        while active:
            waiting -= active
            for statement in active:
                known |= statement.heads
            active = {statement for statement in waiting if statement.needs <= known}
        idle = {statement for statement in waiting if statement.origin != "user"}
        kept = tuple(statement for statement in self.statements if statement not in idle)
        left_out = frozenset().union(*(statement.heads for statement in idle))
        declared = parse_program(_declare(left_out & replace(self, statements=kept).used))
        # The first statement begins the base part, as in every program.
        return replace(self, statements=kept + declared.statements[1:])

    def without_unused(self) -> Program:
        """Return a copy without the rules on which no answer depends.

        It keeps the rules that shown atoms depend on, constraints, choices and a user's rules.
        """
        rules = list[Statement]()
        waiting = list(self.shown)
        for statement in self.statements:
            if statement.guides or statement.origin == "user" or statement.kind != ASTType.Rule:
                # No kept rule may read a predicate whose rules are left out.
                waiting += statement.body | statement.heads
            else:
                rules.append(statement)
        needed = Program(tuple(rules)).find_needed(waiting)
        unused = {rule for rule in rules if needed.isdisjoint(rule.heads)}
        kept = [statement for statement in self.statements if statement not in unused]
        return replace(self, statements=tuple(kept))

    def check_constants(self, values: Mapping[str, str]) -> None:
        """Raise a RuleError for an unknown constant, and for a value that it cannot have."""
        known: dict[str, Statement] = {}
        for statement in self.statements:
            if statement.kind == ASTType.Definition:
                known[statement.node.name] = statement
        for name, value in values.items():
            if name not in known:
                names = "none"
                if known:
                    names = ", ".join(sorted(known))
                hint = guess(name, known)
                message = f"there is no ruling or constant {name!r}: choose from {names}{hint}"
                raise RuleError(message)
            _check_value(known[name], value)

    def with_constants(self, values: Mapping[str, str]) -> Program:
        """Return a copy with constants set, as ``-c name=value`` does, if they can be."""
        self.check_constants(values)
        return replace(self, constants=(*self.constants, *values.items()))


def _declare(signatures: Iterable[Signature]) -> str:
    """Return the ``#defined`` lines of predicates."""
    return "".join(f"#defined {name}/{arity}.\n" for name, arity in sorted(signatures))


def _check_value(definition: Statement, value: str) -> None:
    """Raise a RuleError that describes the values of a constant unless it can have a value."""
    name = definition.node.name
    default = str(definition.node.value)
    if definition.allowed is not None:
        if value not in definition.allowed:
            raise RuleError(f"{name} must be {definition.allowed}, not {value!r}")
    elif not _CONSTANT.fullmatch(value) or is_too_large(value):
        message = f"{name} cannot be {value!r}"
        raise RuleError(f"{message}: a constant is a word of lowercase letters or a 32-bit number")
    elif NUMBER.fullmatch(default) and not is_number(value):
        raise RuleError(f"{name} must be a number such as {default}, not {value!r}")


def read_program(paths: Iterable[Path], origin: Origin = "game") -> Program:
    """Read rule files, in the order given.

    In files that are shipped no term is nested too deeply. A file that cannot be read or parsed is
    a RuleError with the place.
    """
    program = Program(())
    for path in paths:
        program += _join(parse_file(path, is_shipped=origin == "shipped"), path, origin)
    return program


def parse_file(path: Path, *, is_shipped: bool) -> Sequence[AST]:
    """Return the syntax trees of the statements and comments of a rule file.

    The errors are those of `read_program`. Files that are shipped do not change: they are parsed
    once.
    """
    return _parse_shipped(path) if is_shipped else _parse_file(path, is_shipped=False)


@lru_cache(maxsize=256)
def _parse_shipped(path: Path) -> Sequence[AST]:
    return _parse_file(path, is_shipped=True)


def _parse_file(path: Path, *, is_shipped: bool) -> Sequence[AST]:
    """Parse a rule file."""
    text = read_rule_text(path)
    check_text(text, path, is_shipped=is_shipped)
    nodes: list[AST] = []
    with collected_messages(path=path) as log:
        if text == read_unchanged(path):
            parse_files([str(path)], nodes.append, logger=log)
            return nodes
        parse_string(text, nodes.append, logger=log)
    return list(map(_Mover(path).visit, nodes))


def parse_program(text: str) -> Program:
    """Parse rules that do not come from a file, such as those that take in facts."""
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_string(text, nodes.append, logger=log)
    return _join(nodes, Path(DRIVER), "shipped")


class _Mover(Transformer):
    """Puts places in a file into syntax trees whose text was read from it."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def visit(self, node: AST) -> AST:
        changes = self.visit_children(node)
        if "location" in node.keys():  # noqa: SIM118, a syntax tree is no mapping
            begin, end = node.location
            begin = begin._replace(filename=self._path)
            changes["location"] = Location(begin, end._replace(filename=self._path))
        return node.update(**changes)


def _join(nodes: Iterable[AST], path: Path, origin: Origin) -> Program:
    """Return the program of some syntax trees."""
    statements = list[Statement]()
    comment: AST | None = None
    part = BASE
    turn = ""
    for node in nodes:
        if node.ast_type == ASTType.Program:
            part = node.name
            turn = node.parameters[0].name if node.parameters else ""
        statement = Statement(
            str(node), node.ast_type, node, path, origin=origin, part=part, turn=turn
        )
        if statement.kind != ASTType.Comment:
            if statement.kind == ASTType.Definition and comment is not None:
                statement = replace(statement, allowed=_read_values(comment, node))
            statements.append(statement)
        comment = node if statement.kind == ASTType.Comment else None
    return Program(tuple(statements))


def _read_values(comment: AST, definition: AST) -> AllowedValues | None:
    """Return the values that the comment above a ruling lists; None if it lists none.

    A wrong comment, and one that does not list the default, are a RuleError.
    """
    if not comment.value.startswith(VALUES):
        return None
    allowed = read_allowed_values(comment.value.removeprefix(VALUES))
    if allowed is None:
        hint = "write '% values: 0, 1', '% values: early, late' or '% values: 1 to 40'"
        raise statement_of(comment).error("this lists no values of a ruling", hint)
    default = str(definition.value)
    if default not in allowed:
        message = f"{definition.name} is {default}, which is not one of its values"
        raise statement_of(definition).error(message, f"the values are {allowed.short}")
    return allowed


def statement_of(node: AST) -> Statement:
    """Return the statement of a syntax tree."""
    path = Path(node.location.begin.filename)
    return Statement(str(node), node.ast_type, node, path)


# Keyed by the statements: each question to a program hands them to clingo again.
@lru_cache(maxsize=64)
def parse_rewritten(statements: tuple[Statement, ...]) -> tuple[AST, ...]:
    """Parse the texts of statements that have been rewritten; each stands on a line of its own."""
    text = "".join(f"{statement.safe_text}\n" for statement in statements)
    nodes: list[AST] = []
    parse_string(text, nodes.append)
    # clingo begins each text with the base part.
    return tuple(nodes[1:])


def _put_locations(node: AST, old: AST) -> AST:
    """Return a tree with the places of the one from which it was rewritten; not those of terms."""
    if node.ast_type != old.ast_type:
        return node
    changes: dict[str, Any] = {}
    if "location" in node.keys():  # noqa: SIM118, a syntax tree is no mapping
        changes["location"] = old.location
    if node.ast_type not in TERMS:
        for key in node.child_keys:
            child = getattr(node, key)
            before = getattr(old, key)
            if isinstance(child, AST) and isinstance(before, AST):
                changes[key] = _put_locations(child, before)
            elif isinstance(child, Sequence):
                # What has been added comes last, and has the place of the whole.
                added = [one.update(location=old.location) for one in child[len(before) :]]
                changes[key] = [*map(_put_locations, child, before), *added]
    return node.update(**changes)
