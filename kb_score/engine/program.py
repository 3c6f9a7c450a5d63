"""Rule files to programs: read, checked and put together; and clingo's messages to errors.

What clingo only informs about is an error in the rules here.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from clingo import MessageCode
from clingo.ast import AST, ASTType, Location, Sign, parse_files, parse_string

from kb_score.engine.rulings import VALUES, AllowedValues, read_allowed_values
from kb_score.errors import FileKind, Place, RuleError, guess, say_failure, visible

_MESSAGE = re.compile(
    r"(?P<name>.+?):(?P<line>\d+):(?P<column>\d+)(?:-[\d:]+)?: "
    r"(?:error|info|warning|note): (?P<text>.*)",
    re.DOTALL,
)
_CAPITAL = re.compile(r"[A-Z]\w*\s*$")
_HINTS = {
    "unexpected EOF": "the last rule lacks its full stop",
    "syntax error": "a rule ends with a full stop, and variables begin with a capital letter",
    "unsafe variables": "every variable must stand in a positive condition of the rule's body",
    "function": "rules here cannot call functions of Python or Lua",
    "operation undefined": "a sum or a product needs numbers; #max of nothing is #inf, and #min of "
    "nothing is #sup",
    "global variable in tuple of aggregate element": "this variable has a value outside of the "
    "braces: take another name for it inside",
    "atom does not occur in any rule head": "no rule and no fact defines this predicate",
    "tuple ignored": "the first term of a #sum must be a number",
    "redefinition of constant": "a ruling is set with --const NAME=VALUE",
}

_NO_ATOMS = "no atoms over signature occur in program"

# The file name in messages for statements that do not come from a file.
DRIVER = "<driver>"

Logger = Callable[[MessageCode, str], None]


@contextmanager
def collected_messages() -> Iterator[Logger]:
    """Collect clingo's messages by the logger that this yields; any of them is a RuleError."""
    messages: list[str] = []
    try:
        yield lambda _, message: messages.append(message)
    except RuntimeError as error:
        raise RuleError(_explain(messages or [f"clingo: {error}"])) from error
    mistakes: list[str] = []
    for message in messages:
        # A shown predicate without atoms is not a mistake.
        if _NO_ATOMS not in message and not message.startswith(DRIVER):
            mistakes.append(message)
    if mistakes:
        raise RuleError(_explain(mistakes))


def error_at(location: Location, message: str, hint: str = "") -> RuleError:
    """Make the error with a message about a place in a rule file."""
    begin = location.begin
    lines = split_lines(Path(begin.filename).read_text(encoding="utf-8"))
    place = Place(begin.filename, begin.line, begin.column, lines[begin.line - 1])
    return RuleError.at(place, message, hint)


def split_lines(text: str) -> list[str]:
    """Split a rule file into the lines that clingo counts: only a line feed ends one."""
    return text.replace("\r\n", "\n").split("\n")


def _explain(messages: list[str]) -> str:
    """Write clingo's first messages for a user."""
    # An error stops clingo; earlier information is most often a consequence of it.
    errors = [message for message in messages if ": error: " in message] or messages
    explained = map(_explain_one, errors[:3])
    return "\n".join(dict.fromkeys(explained))


def _explain_one(message: str) -> str:
    """Write a message of clingo with its place, the line of the file, and a hint."""
    found = _MESSAGE.match(message.strip())
    if found is None:
        return message.strip()
    text, *more = found["text"].split("\n")
    detail = " ".join(line.strip() for line in more)
    # For an unsafe rule clingo prints the rule, then a note that points at each unsafe variable.
    variables: list[str] = []
    for line in more:
        note = _MESSAGE.match(line)
        if note is not None and "is unsafe" in note["text"]:
            if not variables:
                found = note
            variables.append(note["text"].removesuffix(" is unsafe"))
    if variables:
        detail = ", ".join(variables)
    place = _find_place(found["name"], int(found["line"]), int(found["column"]))
    problem = text.rstrip(":")
    if detail:
        problem = f"{problem}: {detail}"
    hint = _find_hint(f"{text} {detail}")
    if text.endswith("unexpected (") and place.source is not None:
        before = place.source[: place.column - 1]
        if _CAPITAL.search(before):
            hint = "a predicate begins with a small letter, variables begin with a capital letter"
    return str(RuleError.at(place, problem, hint))


def _find_hint(message: str) -> str:
    """Return the first hint for a message of clingo; empty if there is none."""
    for part, hint in _HINTS.items():
        if part in message:
            return hint
    return ""


def _find_place(name: str, line: int, column: int) -> Place:
    """Return a place in a file, or the place where its text ends if it is behind that."""
    path = Path(name)
    if not path.is_file():
        return Place(name, line, column)
    lines = split_lines(path.read_text(encoding="utf-8", errors="replace").rstrip())
    if line > len(lines):
        # The end of the file does not help the user; the text before it does.
        line = len(lines)
        column = len(lines[-1]) + 1
    return Place(name, line, column, lines[line - 1])


# Programs are shared, and clingo counts references to their syntax trees without a lock: games
# that are played side by side would corrupt them.
SYNTAX = threading.Lock()

# A predicate: its name and its number of arguments.
Signature = tuple[str, int]

# A literal without pools, texts, relations and classical negation: its commas can be counted.
_SIMPLE_LITERAL = re.compile(r"(?:not )?([a-z_]\w*)(?:\(([^;\"=<>!:]*)\))?")
_INNERMOST = re.compile(r"\([^()]*\)")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"')
# A relation of terms has no braces, and no condition behind a colon.
_RELATION = re.compile(r"[^\"{:&]*[<>=][^\"{:&]*")

_WITHOUT_ATOMS = {
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

# Turn t reads before_at(P,C,t): what held before it. Where rules derive asks_at(P,t), it reads that
# of these P alone. See `kb_score.engine.state`.
BEFORE = "before_"
ASKS = "asks_"
# The part that holds before the answer of a turn.
OPEN = "open"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one question to the rules may take.

    Attributes:
        seconds: The time; None for any.
        memory: The memory of the process, in MiB; None if no rule is ever stopped.
    """

    seconds: float | None = None
    memory: int | None = 4096


DEFAULT = Limits()
# For a program that imports kb-score: to stop rules is to limit the memory of its whole process.
UNLIMITED = Limits(None, None)


@dataclass(frozen=True, eq=False)
class Statement:
    """One statement of a rule file."""

    node: AST  # its syntax tree, with file, line and column
    kind: ASTType  # that of the syntax tree, which takes longer to ask for
    heads: frozenset[Signature] = frozenset()  # the predicates that it derives
    body: frozenset[Signature] = frozenset()  # those it asks for, also in conditions of its head
    guides: bool = False  # a constraint or a choice: it matters whatever atoms are shown
    is_users: bool = False  # a user wrote it, so that it is never left out
    allowed: AllowedValues | None = None  # the values of a ruling; None if it does not list any

    @cached_property
    def needs(self) -> frozenset[Signature]:
        """The predicates without atoms of which it derives nothing."""
        if self.kind != ASTType.Rule:
            return frozenset()
        found = set[Signature]()
        for literal in self.node.body:
            if _is_positive(literal):
                signatures = set(signatures_in(literal))
                # One of a pool is enough.
                if len(signatures) == 1:
                    found |= signatures
        return frozenset(found)


@dataclass(frozen=True)
class Program:
    """The statements of some rule files, in the order of the files."""

    statements: tuple[Statement, ...]
    defined: frozenset[Signature] = frozenset()  # predicates that may be absent without a message
    constants: tuple[tuple[str, str], ...] = ()  # names and values that -c sets
    limits: Limits | None = None  # what grounding and solving may take

    def __add__(self, other: Program) -> Program:
        return Program(
            self.statements + other.statements,
            self.defined | other.defined,
            self.constants + other.constants,
            self.limits or other.limits,
        )

    def __str__(self) -> str:
        """The program as text for clingo, constants decided."""
        constants = dict(self.constants)
        lines = [f"#defined {name}/{arity}." for name, arity in sorted(self.defined)]
        for statement in self.statements:
            node = statement.node
            if statement.kind == ASTType.Definition and node.name in constants:
                lines.append(f"#const {node.name} = {constants[node.name]}.")
            else:
                lines.append(str(node))
        return "".join(f"{line}\n" for line in lines)

    def nodes(self, kind: ASTType) -> Iterator[AST]:
        """Yield the statements of a kind."""
        return (s.node for s in self.statements if s.kind == kind)

    def find_constants(self) -> dict[str, AST]:
        """Find the ``#const`` statements by the names of the constants."""
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
    def inputs(self) -> frozenset[Signature]:
        """The predicates that its rules use, or let be absent, and do not derive."""
        return (self.defined | self.used) - self.derived

    @cached_property
    def asked(self) -> frozenset[str]:
        """The names of predicates that its rules use, or that it shows."""
        return frozenset(name for name, _ in self.used.union(self.shown))

    @cached_property
    def with_open_inputs(self) -> Program:
        """The program whose inputs may be absent without a message."""
        return replace(self, defined=self.defined | self.inputs)

    @cached_property
    def with_open_predicates(self) -> Program:
        """The program whose predicates may be absent without a message.

        In parts, clingo also misses what no part before has derived.
        """
        return replace(self, defined=self.defined | self.inputs | self.derived)

    @cached_property
    def parts(self) -> frozenset[str]:
        """The parts that its ``#program`` lines begin, as they are written."""
        return frozenset(map(str, self.nodes(ASTType.Program)))

    def has_part(self, name: str) -> bool:
        """Return whether it has a part of this name."""
        return any(node.name == name for node in self.nodes(ASTType.Program))

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of the parameters of its parts, which are their turn."""
        names = set[str]()
        for node in self.nodes(ASTType.Program):
            names.update(parameter.name for parameter in node.parameters)
        return frozenset(names)

    @property
    def shown(self) -> tuple[Signature, ...]:
        """The predicates that its ``#show`` lines name: those that are read from answer sets."""
        found = ((node.name, node.arity) for node in self.nodes(ASTType.ShowSignature))
        return tuple(dict.fromkeys(found))

    def find_dependents(self, signatures: Iterable[Signature]) -> frozenset[Signature]:
        """Find what depends on some predicates, those themselves included."""
        known = set(signatures)
        size = -1
        while len(known) > size:
            size = len(known)
            for statement in self.statements:
                if not known.isdisjoint(statement.body):
                    known |= statement.heads
        return frozenset(known)

    def find_needed(self, signatures: Iterable[Signature]) -> frozenset[Signature]:
        """Find what some predicates depend on, those themselves included.

        The state before a turn, if no rule gives it, depends on what a turn says and asks about it.
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
                # Live play hands it in.
                state = name.removeprefix(BEFORE)
                waiting.append((state, arity))
                asks = asking.get(f"{ASKS}{state}")
                if asks is not None:
                    waiting.append(asks)
        return frozenset(needed)

    @property
    def base(self) -> Program:
        """The program without the rules of other parts than ``base``."""
        kept = list[Statement]()
        is_base = True
        for statement in self.statements:
            if statement.kind == ASTType.Program:
                is_base = statement.node.name == "base"
            if is_base or statement.kind != ASTType.Rule:
                kept.append(statement)
        return replace(self, statements=tuple(kept))

    def without(self, names: Sequence[str]) -> Program:
        """Leave out the rules that derive predicates of some names."""
        left_out = {(name, arity) for name, arity in self.derived if name in names}
        kept = [statement for statement in self.statements if left_out.isdisjoint(statement.heads)]
        return replace(self, statements=tuple(kept), defined=self.defined | left_out)

    def without_idle(self, given: Collection[str]) -> Program:
        """Leave out the rules that derive nothing because a predicate that they need has no atoms.

        Args:
            given: The names of all predicates that have facts.
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
        idle = {statement for statement in waiting if not statement.is_users}
        kept = tuple(statement for statement in self.statements if statement not in idle)
        left = replace(self, statements=kept)
        return replace(left, defined=left.used & (self.defined | self.derived))

    def without_unused(self) -> Program:
        """Keep what the shown atoms depend on, all constraints and choices, and a user's rules."""
        rules = list[Statement]()
        waiting = list(self.shown)
        for statement in self.statements:
            if statement.guides or statement.is_users or statement.kind != ASTType.Rule:
                # No kept rule may ask for a predicate whose rules are left out.
                waiting += statement.body | statement.heads
            else:
                rules.append(statement)
        needed = Program(tuple(rules)).find_needed(waiting)
        unused = {rule for rule in rules if needed.isdisjoint(rule.heads)}
        kept = [statement for statement in self.statements if statement not in unused]
        return replace(self, statements=tuple(kept))

    def with_constants(self, values: Mapping[str, str]) -> Program:
        """Set constants, as ``-c name=value`` does.

        Raises:
            RuleError: There is no such constant, or it cannot have such a value.
        """
        known: dict[str, Statement] = {}
        for statement in self.statements:
            if statement.kind == ASTType.Definition:
                known[statement.node.name] = statement
        for name, value in values.items():
            if name not in known:
                names = ", ".join(sorted(known)) or "none"
                hint = guess(name, known)
                message = f"there is no ruling or constant {name!r}: known are {names}{hint}"
                raise RuleError(message)
            _check_value(known[name], value)
        return replace(self, constants=(*self.constants, *values.items()))


def _check_value(definition: Statement, value: str) -> None:
    """Check that a constant can have a value; a RuleError lists the values that it can have."""
    name = definition.node.name
    default = str(definition.node.value)
    if definition.allowed is not None:
        if value not in definition.allowed:
            raise RuleError(f"{name} is {definition.allowed}, not {value!r}")
    elif not _CONSTANT.fullmatch(value) or _is_too_large(value):
        message = f"{name} cannot be {value!r}"
        raise RuleError(f"{message}: a constant is a word of small letters or a number of 32 bits")
    elif NUMBER.fullmatch(default) and not is_number(value):
        raise RuleError(f"{name} is a number such as {default}, not {value!r}")


def read_program(paths: Iterable[Path], *, ours: bool = False) -> Program:
    """Read rule files, in this order; a RuleError says where one cannot be parsed."""
    program = Program(())
    for path in paths:
        check_readable(path, ours=ours)
        program += _parse(parse_files, [str(path)])
    return program


def parse_program(text: str) -> Program:
    """Parse rules that do not come from a file, such as those that take in facts."""
    return _parse(parse_string, text)


def _parse(parse: Callable[..., None], source: object) -> Program:
    """Parse rules by a function of clingo."""
    nodes: list[AST] = []
    with collected_messages() as log:
        parse(source, nodes.append, logger=log)
    statements = list[Statement]()
    defined = set[Signature]()
    comment: AST | None = None
    for node in nodes:
        statement = read_statement(node)
        if statement.kind == ASTType.Defined:
            defined.add((node.name, node.arity))
        elif statement.kind != ASTType.Comment:
            if statement.kind == ASTType.Definition and comment is not None:
                statement = replace(statement, allowed=_read_values(comment, node))
            statements.append(statement)
        comment = node if statement.kind == ASTType.Comment else None
    return Program(tuple(statements), frozenset(defined))


def _read_values(comment: AST, definition: AST) -> AllowedValues | None:
    """Read the comment above a ruling, which may list its values; None if it does not."""
    if not comment.value.startswith(VALUES):
        return None
    allowed = read_allowed_values(comment.value.removeprefix(VALUES))
    if allowed is None:
        hint = "write '% values: 0, 1', '% values: early, late' or '% values: 1 to 40'"
        raise error_at(comment.location, "this lists no values of a ruling", hint)
    default = str(definition.value)
    if default not in allowed:
        message = f"{definition.name} is {default}, which its values leave out"
        raise error_at(definition.location, message, f"the values are {allowed.short}")
    return allowed


def plain_head(statement: Statement) -> AST | None:
    """Find the head of a rule that derives one atom, as a function term; None for other heads."""
    if not statement.heads or statement.guides:
        return None
    symbol = statement.node.head.atom.symbol
    if symbol.ast_type != ASTType.Function:
        return None
    assert isinstance(symbol, AST)
    return symbol


def read_statement(node: AST) -> Statement:
    """Find which predicates a statement derives and asks for."""
    kind = node.ast_type
    if kind not in (ASTType.Rule, ASTType.Minimize):
        return Statement(node, kind)
    body = frozenset(chain.from_iterable(map(signatures_in, node.body)))
    if kind == ASTType.Minimize:
        return Statement(node, kind, body=body, guides=True)
    head = node.head
    heads = frozenset(signatures_in(head))
    if heads and head.ast_type == ASTType.Literal and head.sign == Sign.NoSign:
        return Statement(node, kind, heads, body)
    # A choice does not separate the atoms that it may derive from those it asks for: both count.
    return Statement(node, kind, heads, heads | body, guides=True)


def _is_positive(node: AST) -> bool:
    """Return whether a part of a body asks for an atom that holds."""
    if node.ast_type != ASTType.Literal or node.sign != Sign.NoSign:
        return False
    kind: ASTType = node.atom.ast_type
    return kind == ASTType.SymbolicAtom


def signatures_in(node: AST) -> Iterator[Signature]:
    """Yield the predicates of a syntax tree, those of classical negation as ``-name``."""
    # Reading the text is many times faster than walking the tree, and enough for most literals.
    text = _TEXT.sub("_", str(node))
    simple = _SIMPLE_LITERAL.fullmatch(text)
    if simple is not None:
        arguments = simple[2]
        if not arguments:
            yield simple[1], 0
            return
        nested = 1
        while nested:
            arguments, nested = _INNERMOST.subn("_", arguments)
        yield simple[1], arguments.count(",") + 1
    elif not _RELATION.fullmatch(text):
        yield from (signature for signature, _ in atoms_in(node))


def atoms_in(node: AST) -> Iterator[tuple[Signature, Location]]:
    """Yield the predicate of each atom in a syntax tree, and where it stands."""
    for sign, atom in functions_in(node):
        yield (sign + atom.name, len(atom.arguments)), atom.location


def functions_in(node: AST) -> Iterator[tuple[str, AST]]:
    """Yield the sign ("" or "-") and the function term of each atom in a syntax tree."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield from _functions_of(node.symbol, "")
        return
    for child in _children(node):
        yield from functions_in(child)


def _functions_of(symbol: AST, sign: str) -> Iterator[tuple[str, AST]]:
    """Yield the function terms of an atom's symbol, which may be a pool or have a minus."""
    if symbol.ast_type == ASTType.Pool:
        for argument in symbol.arguments:
            yield from _functions_of(argument, sign)
    elif symbol.ast_type == ASTType.UnaryOperation:
        yield from _functions_of(symbol.argument, "-")
    else:
        yield sign, symbol


def _children(node: AST) -> Iterator[AST]:
    """Yield the parts of a syntax tree that may hold atoms; terms cannot."""
    if node.ast_type == ASTType.Literal:
        yield node.atom
        return
    if node.ast_type in _WITHOUT_ATOMS:
        return
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif isinstance(child, Sequence):
            yield from child


# Syntax trees are walked by recursion, here and in clingo, which dies of a very deep one.
DEEPEST = 100

RULE_FILE = FileKind("a rule file", 1 << 20)
_SAVE = "save it as plain UTF-8 with line feeds"
_ESCAPES = r"clingo knows \n, \\ and \""

# Comments and texts, which may hold anything but other escapes than clingo's three: clingo cannot
# even report one before a letter beyond ASCII. Then what is wrong outside of them.
_FORBIDDEN = (
    r'"(?:\\["\\n]|[^"\\\n])*(?:"|(?P<escape>\\[^\n]))'
    r"|(?P<block>%\*)|%[^\n]*|(?P<letter>[^\x00-\x7f])|(?P<include>#include)"
    r"|(?<!\w)(?P<number>0[xob]\w+|[0-9]+)"
)
_TOKENS = re.compile(_FORBIDDEN, re.DOTALL)
_SIGNS = re.compile(rf"{_FORBIDDEN}|\*\*|\.\.|[][(){{}}.,;:=<>!|&?^~+*/\\-]", re.DOTALL)
# What matters in a block comment: such comments nest, and a line comment in one hides its end.
_IN_BLOCK = re.compile(r"(?P<begin>%\*)|(?P<end>\*%)|%[^\n]*")

NUMBER = re.compile(r"-?[0-9]{1,12}")
# What --const may set a constant to.
_CONSTANT = re.compile(r"_*[a-z]\w*'*|0|-?[1-9][0-9]*", re.ASCII)


def check_readable(path: Path, *, ours: bool = False) -> None:
    """Check that clingo's parser can take a rule file; in files of ours no term is too deep."""
    # clingo would report wrong syntax for a folder or a binary file. It chokes on letters beyond
    # ASCII in rules, and wraps numbers at 32 bits without a message.
    try:
        size = path.stat().st_size
        if size > RULE_FILE.most:
            raise RuleError(str(RULE_FILE.refuse(str(path), size)))
        data = path.read_bytes()
    except OSError as error:
        raise RuleError(f"{visible(str(path))}: {say_failure(error)}") from error
    text = _decode(data, path)
    # clingo reads the file as it is: a comment would go on to the next line feed.
    old_end = text.find("\r")
    if old_end >= 0:
        message = f"a rule file cannot have line ends of old Macs: {_SAVE}"
        raise RuleError.at(_find_position(text[:old_end], path), message)
    if text.startswith("\ufeff"):
        message = f"a rule file cannot have a byte order mark: {_SAVE}"
        raise RuleError.at(_find_position("", path), message)
    fault = find_fault(text, ours=ours)
    if fault is not None:
        start, message = fault
        place = _find_position(text[:start], path)
        source = split_lines(text)[place.line - 1]
        raise RuleError.at(replace(place, source=source), message)


def _decode(data: bytes, path: Path) -> str:
    """Return the text of a rule file; a RuleError if it is not UTF-8."""
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        # A file that PowerShell writes by ">" begins with such a mark.
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            message = f"a rule file cannot be UTF-16: {_SAVE}"
            raise RuleError.at(_find_position("", path), message) from error
        message = f"byte {data[error.start]:#04x} is not text: a rule file is plain UTF-8"
        before = data[: error.start].decode()
        raise RuleError.at(_find_position(before, path), message) from error


def _find_position(before: str, path: Path) -> Place:
    """Return the place behind the beginning of a rule file's text."""
    line = before.count("\n") + 1
    column = len(before) - before.rfind("\n")
    return Place(str(path), line, column)


def find_fault(text: str, *, ours: bool = False) -> tuple[int, str] | None:
    """Find what clingo's parser would choke on: the offset where it begins, and a message."""
    depth = _Depth()
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
            message = f"unexpected {found['escape']} in a text: {_ESCAPES}"
        elif found["letter"]:
            message = f"unexpected {found[0]!r} in a rule"
        elif found["include"]:
            message = "a rule file cannot include another one: put that into a folder of --rules"
        elif found["number"] and not _is_small(found["number"]):
            message = f"{found[0][:12]} is beyond 32 bits"
        elif depth.exceeds(found[0]):
            message = f"a term is nested deeper than {DEEPEST} levels"
        if message:
            return start, message
        found = pattern.search(text, end)
    return None


def _skip_block(text: str, start: int) -> int:
    """Return the offset behind a block comment, whose text begins at an offset."""
    open_ = 1
    for found in _IN_BLOCK.finditer(text, start):
        if found["begin"]:
            open_ += 1
        elif found["end"]:
            open_ -= 1
            if not open_:
                return found.end()
    return len(text)


def _is_too_large(value: str) -> bool:
    """Return whether the value of a constant is a number that has more than 32 bits."""
    return value.lstrip("-").isdecimal() and not is_number(value)


def _is_small(number: str) -> bool:
    """Return whether a number without a sign, perhaps with a base, has 32 bits."""
    if number.isdecimal():
        return is_number(number)
    try:
        return int(number, 0) < 2**31
    except ValueError:
        return True  # clingo reports what is wrong


def is_number(text: str) -> bool:
    """Return whether a text is a whole number that fits clingo's 32 bits."""
    return NUMBER.fullmatch(text) is not None and abs(int(text)) < 2**31


@dataclass(slots=True)
class _Bracket:
    """An open bracket in a term.

    Attributes:
        operators: The operators of the last term in it.
        deepest: The depth of the deepest bracket in it.
    """

    operators: int = 0
    deepest: int = 0

    @property
    def depth(self) -> int:
        return self.operators + self.deepest


class _Depth:
    """How deep the syntax tree of a term can be: one level a bracket, one an operator beside it."""

    def __init__(self) -> None:
        # The first one stands for the statement.
        self._open = [_Bracket()]

    def exceeds(self, sign: str) -> bool:
        """Read a sign, and return whether the term is then too deep."""
        if sign[0].isalnum() or sign[0] in '"%':
            return False
        last = self._open[-1]
        if sign in "([{":
            self._open.append(_Bracket())
        elif sign in ")]}" and len(self._open) > 1:
            self._open.pop()
            outer = self._open[-1]
            outer.deepest = max(outer.deepest, last.depth + 1)
        elif sign == ".":
            self._open = [_Bracket()]
        elif sign in ",;:=<>!":
            # A list of terms is as deep as the deepest of them.
            last.deepest = last.depth if len(self._open) > 1 else 0
            last.operators = 0
        else:
            last.operators += 1
        return len(self._open) + self._open[-1].depth > DEEPEST + 1
