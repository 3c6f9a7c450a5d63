"""Reads and checks rule files, joins them into programs, and turns clingo's messages into errors.

Even messages that clingo marks as information are errors here.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from clingo import MessageCode
from clingo.ast import AST, ASTType, Location, Position, Transformer, parse_files, parse_string

from kb_score.engine.arithmetic import ArithmeticFault, guard_terms, unguard
from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.engine.scan import STRING, Atom, Signature, find_condition, scan
from kb_score.errors import FileKind, Place, RuleError, describe_failure, guess, visible

_MESSAGE = re.compile(
    r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: "
    r"(?:error|info|warning|note): (?P<text>.*)",
    re.DOTALL,
)
_CAPITAL = re.compile(r"[A-Z]\w*\s*$")
_HINTS = {
    "unexpected EOF": "the last rule is missing its full stop",
    "syntax error": "a rule ends with a full stop, and variables begin with a capital letter",
    "unsafe variables": "every variable must occur in a positive condition of the rule's body",
    "function": "rules here cannot call Python or Lua functions",
    "operation undefined": "a sum or a product needs numbers; #max of nothing is #inf, and #min of "
    "nothing is #sup",
    "tuple ignored": "the first term of a #sum must be a number; #max of nothing is #inf, and "
    "#min of nothing is #sup",
    "redefinition of constant": "a ruling is set with --const NAME=VALUE",
}

# What is no mistake: a shown predicate without atoms, and a variable that is meant.
_FINE = ("no atoms over signature occur in program", "global variable in tuple of aggregate")

# The number of mistakes that are reported together.
_MAX_ERRORS = 20
# A name, a variable, a number or a string.
_WORD = re.compile(rf"{STRING}|\w[\w']*|.")

# The file name in messages for statements that do not come from a file.
DRIVER = "<driver>"
# The file name in messages for statements that have been rewritten, one a line.
_REWRITTEN = "<string>"

Logger = Callable[[MessageCode, str], None]


@contextmanager
def collected_messages(
    statements: Sequence[Statement] = (), path: Path | None = None
) -> Iterator[Logger]:
    """Yield a logger for clingo, and raise what it reports as a RuleError at the end of the block.

    A RuntimeError of clingo becomes such an error, too. A message about a statement that has been
    rewritten names its place in its file. A path is that of the file whose text is parsed.
    """
    messages: list[str] = []

    def log(code: MessageCode, message: str) -> None:
        # A predicate may well be without atoms; those that nobody knows are found by other checks.
        if code != MessageCode.AtomUndefined:
            if path is not None:
                message = message.replace(_REWRITTEN, str(path))
            messages.append(message)

    try:
        yield log
    except ArithmeticFault as error:
        raise RuleError(_explain([str(error)], statements)) from error
    except RuntimeError as error:
        raise RuleError(_explain(messages or [f"clingo: {error}"], statements)) from error
    mistakes: list[str] = []
    for message in messages:
        is_fine = any(words in message for words in _FINE)
        if not is_fine and not message.startswith(DRIVER):
            mistakes.append(message)
    if mistakes:
        raise RuleError(_explain(mistakes, statements))


def raise_all(errors: Iterable[RuleError]) -> None:
    """Raise a RuleError with the first different messages, if there are any."""
    messages = dict.fromkeys(map(str, islice(errors, _MAX_ERRORS)))
    if messages:
        raise RuleError("\n".join(messages))


def split_lines(text: str) -> list[str]:
    """Split the text of a rule file into lines as clingo counts them: only a line feed ends one."""
    unified = text.replace("\r\n", "\n")
    return unified.split("\n")


def _explain(messages: list[str], statements: Sequence[Statement]) -> str:
    """Return the text of an error for clingo's first messages."""
    rewritten = [statement for statement in statements if not statement.is_as_in_file]
    # An error stops clingo; earlier info messages are usually consequences of it.
    errors = [message for message in messages if ": error: " in message]
    if not errors:
        errors = messages
    different = dict.fromkeys(_explain_one(message, rewritten) for message in errors[:3])
    return "\n".join(different)


def _explain_one(message: str, rewritten: Sequence[Statement]) -> str:
    """Return one of clingo's messages with its place, the line of the file, and a hint."""
    message = message.strip()
    found = _MESSAGE.match(message)
    if found is None:
        return message
    text, *more = found["text"].split("\n")
    detail = " ".join(line.strip() for line in more)
    # For an unsafe rule clingo prints the rule, then a note that points at each unsafe variable.
    variables: list[str] = []
    for line in more:
        note = _MESSAGE.match(line)
        if note is not None and "is unsafe" in note["text"]:
            if not variables:
                found = note
            variable = note["text"].removesuffix(" is unsafe")
            variables.append(variable)
    if variables:
        detail = ", ".join(variables)
    place = _find_place(found["name"], int(found["line"]), int(found["column"]), rewritten)
    problem = text.rstrip(":")
    if detail:
        problem = f"{problem}: {detail}"
    # The variable of a lifted rule stands for the parameter of its part.
    problem = unguard(problem.replace("Turn'", "t"))
    hint = _find_hint(f"{text} {detail}")
    if text.endswith("unexpected (") and place.source is not None:
        before = place.source[: place.column - 1]
        if _CAPITAL.search(before):
            hint = "predicates begin with a lowercase letter, variables with a capital letter"
    return str(RuleError.at(place, problem, hint))


def _find_hint(message: str) -> str:
    """Return the first hint for one of clingo's messages; empty if there is none."""
    for part, hint in _HINTS.items():
        if part in message:
            return hint
    return ""


def _find_place(name: str, line: int, column: int, rewritten: Sequence[Statement]) -> Place:
    """Return a place in a file; a place beyond its text becomes the end of that text."""
    if name == _REWRITTEN and line <= len(rewritten):
        begin = rewritten[line - 1].find_place(column)
        name, line, column = begin.filename, begin.line, begin.column
    path = Path(name)
    if not path.is_file():
        return Place(name, line, column)
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = split_lines(text.rstrip())
    if line > len(lines):
        # The end of the file does not help the user; the last text does.
        line = len(lines)
        column = len(lines[-1]) + 1
    return Place(name, line, column, lines[line - 1])


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

    None stands for no limit; without a limit of memory, no rule is ever stopped.
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
        is_from_user: Whether a user wrote it, so that it is never left out.
        allowed: The values of a ruling; None if the file does not list them.
        is_ours: Whether it ships with kb-score, so that clingo can compute all its terms.
        part: The name of the part of the program that it is in.
        turn: The parameter of that part; empty for the base part.
        is_rewritten: Whether the text differs from the tree.
    """

    text: str
    kind: ASTType
    tree: AST
    path: Path = Path(DRIVER)
    is_from_user: bool = False
    allowed: AllowedValues | None = None
    is_ours: bool = True
    part: str = BASE
    turn: str = ""
    is_rewritten: bool = False

    def rewrite(self, change: Callable[[str], str]) -> Statement:
        """Return the statement with another text, at the same place."""
        return replace(self, text=change(self.text), is_rewritten=True)

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
        lines = split_lines(text)
        # clingo counts columns in bytes.
        before = lines[begin.line - 1].encode()[: begin.column - 1].decode()
        start = sum(len(line) + 1 for line in lines[: begin.line - 1]) + len(before)
        if offset is not None:
            start = self._find_in_file(text, start, offset)
        place = _find_position(text[:start], self.path)
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
        if self.is_ours or self.kind != ASTType.Rule:
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
        """The predicates that it derives, and those in the conditions of a choice."""
        return frozenset(atom.signature for atom in self.atoms if atom.in_head)

    @cached_property
    def derives(self) -> frozenset[Signature]:
        """The predicates that it derives or may choose, without those in conditions of its head."""
        return frozenset(atom.signature for atom in self.atoms if atom.is_head)

    @cached_property
    def body(self) -> frozenset[Signature]:
        """The predicates that it reads; for a choice, all of its predicates."""
        is_all = self.guides
        return frozenset(atom.signature for atom in self.atoms if is_all or not atom.in_head)

    @cached_property
    def head(self) -> Atom | None:
        """The only atom that a rule derives; None for other statements."""
        heads = [atom for atom in self.atoms if atom.in_head]
        if len(heads) == 1 and heads[0].is_head and heads[0].is_plain:
            return heads[0]
        return None

    @cached_property
    def guides(self) -> bool:
        """Whether it is a constraint, a choice or a preference: it matters whatever is shown."""
        if self.kind == ASTType.Minimize:
            return True
        return self.kind == ASTType.Rule and not any(a.is_head and a.is_plain for a in self.atoms)

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

    def find_constants(self) -> dict[str, AST]:
        """Return the ``#const`` statements by the names of the constants."""
        return self._constants

    @cached_property
    def derived(self) -> frozenset[Signature]:
        """The predicates that its rules derive."""
        return frozenset().union(*(statement.heads for statement in self.statements))

    @cached_property
    def used(self) -> frozenset[Signature]:
        """The predicates that its rules use in their bodies."""
        return frozenset().union(*(statement.body for statement in self.statements))

    @cached_property
    def _constants(self) -> dict[str, AST]:
        return {node.name: node for node in self.nodes(ASTType.Definition)}

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
        idle = {statement for statement in waiting if not statement.is_from_user}
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
            if statement.guides or statement.is_from_user or statement.kind != ASTType.Rule:
                # No kept rule may read a predicate whose rules are left out.
                waiting += statement.body | statement.heads
            else:
                rules.append(statement)
        needed = Program(tuple(rules)).find_needed(waiting)
        unused = {rule for rule in rules if needed.isdisjoint(rule.heads)}
        kept = [statement for statement in self.statements if statement not in unused]
        return replace(self, statements=tuple(kept))

    def with_constants(self, values: Mapping[str, str]) -> Program:
        """Return a copy with constants set, as ``-c name=value`` does.

        An unknown constant, and a value that it cannot have, are a RuleError.
        """
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
    elif not _CONSTANT.fullmatch(value) or _is_too_large(value):
        message = f"{name} cannot be {value!r}"
        raise RuleError(f"{message}: a constant is a word of lowercase letters or a 32-bit number")
    elif NUMBER.fullmatch(default) and not is_number(value):
        raise RuleError(f"{name} must be a number such as {default}, not {value!r}")


def read_program(paths: Iterable[Path], *, ours: bool = False) -> Program:
    """Read rule files, in the order given.

    In files of ours no term is nested too deeply. A file that cannot be read or parsed is a
    RuleError with the place.
    """
    program = Program(())
    for path in paths:
        program += _join(parse_file(path, ours=ours), path, ours=ours)
    return program


def parse_file(path: Path, *, ours: bool = False) -> Sequence[AST]:
    """Return the syntax trees of the statements and comments of a rule file.

    The errors are those of `read_program`. Files of ours do not change: they are parsed once.
    """
    return _parse_ours(path) if ours else _parse_file(path, ours=False)


@lru_cache(maxsize=256)
def _parse_ours(path: Path) -> Sequence[AST]:
    return _parse_file(path, ours=True)


def _parse_file(path: Path, *, ours: bool) -> Sequence[AST]:
    """Parse a rule file."""
    text = read_rule_text(path)
    _check_text(text, path, ours=ours)
    nodes: list[AST] = []
    with collected_messages(path=path) as log:
        if text == _read_text(path):
            parse_files([str(path)], nodes.append, logger=log)
            return nodes
        parse_string(text, nodes.append, logger=log)
    return list(map(_Mover(path).visit, nodes))


def parse_program(text: str) -> Program:
    """Parse rules that do not come from a file, such as those that take in facts."""
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_string(text, nodes.append, logger=log)
    return _join(nodes, Path(DRIVER), ours=True)


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


def _join(nodes: Iterable[AST], path: Path, *, ours: bool) -> Program:
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
            str(node), node.ast_type, node, path, is_ours=ours, part=part, turn=turn
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
        raise read_statement(comment).error("this lists no values of a ruling", hint)
    default = str(definition.value)
    if default not in allowed:
        message = f"{definition.name} is {default}, which is not one of its values"
        raise read_statement(definition).error(message, f"the values are {allowed.short}")
    return allowed


def read_statement(node: AST) -> Statement:
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


# The deepest nesting of terms in files: clingo crashes on much deeper ones.
DEEPEST = 1000

RULE_FILE = FileKind("a rule file", 1 << 20)
_ESCAPES = r"clingo knows \n, \\ and \""

# Comments and strings, and what is forbidden outside of them. They may contain anything but escapes
# other than clingo's three: clingo cannot even report one before a non-ASCII letter.
_FORBIDDEN = (
    r'"(?:\\["\\n]|[^"\\\n])*(?:"|(?P<escape>\\[^\n]))'
    r"|(?P<block>%\*)|%[^\n]*|(?P<letter>[^\x00-\x7f])|(?P<include>#include)"
    r"|(?<!\w)(?P<number>0[xob]\w+|[0-9]+)"
)
_TOKENS = re.compile(_FORBIDDEN, re.DOTALL)
_SIGNS = re.compile(rf"{_FORBIDDEN}|\*\*|\.\.|[][(){{}}.,;:=<>!|&?^~+*/\\-]", re.DOTALL)
# The tokens that matter in a block comment: such comments nest, and a line comment in one hides its
# end.
_IN_BLOCK = re.compile(r"(?P<begin>%\*)|(?P<end>\*%)|%[^\n]*")

NUMBER = re.compile(r"-?[0-9]{1,12}")
# The values that --const may set.
_CONSTANT = re.compile(r"_*[a-z]\w*'*|0|-?[1-9][0-9]*", re.ASCII)


def _check_text(text: str, path: Path, *, ours: bool) -> None:
    """Raise a RuleError unless clingo's parser can read the text of a rule file."""
    # clingo chokes on non-ASCII letters in rules, and wraps numbers at 32 bits without a message.
    fault = find_fault(text, ours=ours)
    if fault is not None:
        start, message = fault
        place = _find_position(text[:start], path)
        lines = split_lines(text)
        raise RuleError.at(replace(place, source=lines[place.line - 1]), message)


def read_rule_text(path: Path) -> str:
    """Return the text of a rule file, with line feeds as line endings and no byte order mark.

    A file that cannot be read, is too large, or is not plain UTF-8 is a RuleError.
    """
    return _read_text(path).removeprefix("\ufeff").replace("\r", "\n")


def _read_text(path: Path) -> str:
    """Return the text of a rule file as clingo reads it; the errors are those above."""
    # clingo would report a syntax error for a folder or a binary file.
    try:
        size = path.stat().st_size
        if size > RULE_FILE.most:
            too_large = RULE_FILE.refuse(str(path), size)
            raise RuleError(str(too_large))
        data = path.read_bytes()
    except OSError as error:
        raise RuleError(f"{visible(str(path))}: {describe_failure(error)}") from error
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A file that PowerShell writes with ">" begins with such a mark.
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            place = _find_position("", path)
            message = "a rule file cannot be UTF-16: save it as plain UTF-8"
        else:
            before = data[: error.start].decode()
            place = _find_position(before, path)
            byte = data[error.start]
            message = f"byte {byte:#04x} is not text: a rule file must be plain UTF-8"
        raise RuleError.at(place, message) from error
    return text.replace("\r\n", "\n")


def _find_position(before: str, path: Path) -> Place:
    """Return the place in a rule file that follows the first part of its text."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Place(str(path), line, column)


def find_fault(text: str, *, ours: bool = False) -> tuple[int, str] | None:
    """Return the offset and the message of the first thing that clingo's parser would choke on.

    It is None if nothing is wrong. In rules of ours no term is nested too deeply.
    """
    terms = _Depth()
    pattern = _TOKENS if ours else _SIGNS
    found = pattern.search(text)
    while found is not None:
        message = ""
        start = found.start()
        end = found.end()
        if found["block"]:
            end = _skip_block(text, end)
        elif found["escape"]:
            start = found.start("escape")
            message = f"unexpected {found['escape']} in a string: {_ESCAPES}"
        elif found["letter"]:
            message = f"unexpected {found[0]!r} in a rule"
        elif found["include"]:
            message = "a rule file cannot include another one: put that in a --rules folder instead"
        elif found["number"] and not _is_small(found["number"]):
            message = f"{found[0][:12]} does not fit in 32 bits"
        elif terms.add(found[0]) > DEEPEST:
            message = f"a term is nested deeper than {DEEPEST} levels"
        if message:
            return start, message
        found = pattern.search(text, end)
    return None


def _skip_block(text: str, start: int) -> int:
    """Return the offset of the end of a block comment, given the offset where its text begins."""
    depth = 1
    for found in _IN_BLOCK.finditer(text, start):
        if found["begin"]:
            depth += 1
        elif found["end"]:
            depth -= 1
            if not depth:
                return found.end()
    return len(text)


def _is_too_large(value: str) -> bool:
    """Return whether the value of a constant is a number that does not fit into 32 bits."""
    digits = value.lstrip("-")
    return digits.isdecimal() and not is_number(value)


def _is_small(number: str) -> bool:
    """Return whether a number without a sign, perhaps with a base prefix, fits into 32 bits."""
    if number.isdecimal():
        return is_number(number)
    try:
        return int(number, 0) < 2**31
    except ValueError:
        return True  # clingo reports what is wrong


def is_number(text: str) -> bool:
    """Return whether a string is a whole number that fits into clingo's 32 bits."""
    if NUMBER.fullmatch(text) is None:
        return False
    return abs(int(text)) < 2**31


class _Depth:
    """The depth of terms, at most twice what it is: each bracket and each operator adds a level."""

    def __init__(self) -> None:
        # For each open bracket, the depth of the last term in it and that of the deepest one.
        self._open = [(0, 0)]

    def add(self, sign: str) -> int:
        """Read the next token, and return the depth of the brackets and the term around it."""
        last, deepest = self._open.pop()
        if sign in "([{":
            self._open += [(last, deepest), (0, 0)]
        elif sign in ")]}" and self._open:
            outer, of_outer = self._open.pop()
            self._open.append((max(outer, last + 1, deepest + 1), of_outer))
        elif sign == ".":
            self._open = [(0, 0)]
        elif sign in ",;:=<>!":
            self._open.append((0, max(last, deepest) if self._open else 0))
        elif sign[0].isalnum() or sign[0] in '"%':
            self._open.append((last, deepest))
        else:
            self._open.append((last + 1, deepest))
        return len(self._open) + self._open[-1][0]
