"""Rule files to programs: read, looked through and put together, before anything is grounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clingo.ast import AST, ASTType, Location, parse_files, parse_string

from kb_score.errors import Place, RuleError
from kb_score.messages import collected_messages

# A predicate: its name and its number of arguments.
Signature = tuple[str, int]

# The variable that stands for the board in rules for many boards; the prime keeps it apart from
# the variables of rules for one board.
BOARD = "Board'"

# Texts and comments, which may hold anything, then what is wrong outside of them.
_TOKENS = re.compile(
    r'"(?:\\.|[^"\\\n])*"|%\*.*?\*%|%[^\n]*|(?P<letter>[^\x00-\x7f])|(?P<include>#include)'
    r"|(?<!\w)(?P<number>0[xob]\w+|[0-9]+)",
    re.DOTALL,
)

_NUMBER = re.compile(r"-?[0-9]{1,12}")

# A literal without pools, texts, relations and classical negation: its commas can be counted.
_SIMPLE_LITERAL = re.compile(r"(?:not )?([a-z_]\w*)(?:\(([^;\"=<>!:]*)\))?")

WITHOUT_ATOMS = {
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


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a rule file.

    Attributes:
        node: The statement as clingo's syntax tree, which knows file, line and column.
        heads: The predicates that it derives.
        body: The predicates that it asks for, conditions in the head included.
        guides: Whether it shapes the answer sets whatever is asked: a constraint or a choice.
    """

    node: AST
    heads: frozenset[Signature] = frozenset()
    body: frozenset[Signature] = frozenset()
    guides: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """The statements of some rule files, in the order of the files.

    Attributes:
        statements: Rules, #const, #program and #show lines; what is shown is for plain clingo.
        defined: The predicates that may be absent without a message (#defined).
        constants: The values that -c sets, by name.
    """

    statements: tuple[Statement, ...]
    defined: frozenset[Signature] = frozenset()
    constants: tuple[tuple[str, str], ...] = ()

    def __add__(self, other: Program) -> Program:
        return Program(
            self.statements + other.statements,
            self.defined | other.defined,
            self.constants + other.constants,
        )

    @property
    def derived(self) -> frozenset[Signature]:
        """The predicates that its rules derive."""
        return frozenset[Signature]().union(*(s.heads for s in self.statements))

    @property
    def inputs(self) -> frozenset[Signature]:
        """The predicates that its rules ask for, or let be absent, and do not derive."""
        asked = self.defined.union(*(s.body for s in self.statements))
        return asked - self.derived

    @property
    def parts(self) -> frozenset[str]:
        """The parts that its ``#program`` lines begin, as they are written."""
        nodes = (s.node for s in self.statements)
        return frozenset(str(node) for node in nodes if node.ast_type == ASTType.Program)

    def asked_for(self, wanted: Iterable[Signature]) -> Program:
        """Keep what the wanted predicates depend on, and all constraints and choices.

        A rule that is left out can change no wanted atom: nothing that is kept asks for its head.
        """
        deriving: dict[Signature, list[Statement]] = {}
        for statement in self.statements:
            for head in statement.heads:
                deriving.setdefault(head, []).append(statement)
        guiding = [s for s in self.statements if s.guides]
        open_ = [*wanted, *(b for s in guiding for b in s.body | s.heads)]
        needed = set[Signature]()
        while open_:
            signature = open_.pop()
            if signature not in needed:
                needed.add(signature)
                open_.extend(b for s in deriving.get(signature, ()) for b in s.body)
        kept = (
            s
            for s in self.statements
            if s.guides or s.node.ast_type != ASTType.Rule or not needed.isdisjoint(s.heads)
        )
        return replace(self, statements=tuple(kept))

    def with_constants(self, values: Mapping[str, str]) -> Program:
        """Set constants, as ``-c name=value`` does.

        Raises:
            RuleError: No ``#const`` statement has such a name, which clingo would ignore without a
                word, or the value is no number where the default is one.
        """
        known = {name: default for name, default, _ in find_constants(self)}
        for name, value in values.items():
            if name not in known:
                names = ", ".join(sorted(known)) or "none"
                raise RuleError(f"there is no ruling or constant {name!r}: known are {names}")
            if not value.isascii() or (value.lstrip("-").isdecimal() and not is_number(value)):
                raise RuleError(f"{name} cannot be {value!r}: a word or a number of 32 bits can")
            if _NUMBER.fullmatch(known[name]) and not is_number(value):
                raise RuleError(f"{name} is a number such as {known[name]}, not {value!r}")
        return replace(self, constants=(*self.constants, *values.items()))


def read_program(paths: Iterable[Path]) -> Program:
    """Read rule files.

    Args:
        paths: The files, in the order in which their statements shall stand.

    Returns:
        The program, comments left out.

    Raises:
        RuleError: A file cannot be read, or clingo cannot parse it; says file, line and column.
    """
    program = Program(())
    for path in paths:
        _check_readable(path)
        nodes: list[AST] = []
        with collected_messages() as log:
            parse_files([str(path)], nodes.append, logger=log)
        program += _make_program(nodes)
    return program


def parse_program(text: str) -> Program:
    """Parse rules of the driver's own, such as those that take in facts."""
    nodes: list[AST] = []
    with collected_messages() as log:
        parse_string(text, nodes.append, logger=log)
    return _make_program(nodes)


def _check_readable(path: Path) -> None:
    # clingo would say of a folder or of a binary file that its syntax is wrong. It chokes on
    # letters beyond ASCII in rules, and wraps numbers at 32 bits without a word.
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RuleError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RuleError(f"{path}: a rule file is plain text, this is not") from error
    for found in _TOKENS.finditer(text):
        if found["letter"]:
            raise _error_at(path, text, found.start(), f"unexpected {found[0]!r} in a rule")
        if found["include"]:
            message = "a rule file includes no other: put it into a folder of --rules"
            raise _error_at(path, text, found.start(), message)
        if found["number"] and not _is_small(found["number"]):
            raise _error_at(path, text, found.start(), f"{found[0][:12]} is beyond 32 bits")


def _error_at(path: Path, text: str, start: int, message: str) -> RuleError:
    line = text.count("\n", 0, start)
    column = start - text.rfind("\n", 0, start)
    place = Place(str(path), line + 1, column, text.splitlines()[line])
    return RuleError(f"{place}: {message}\n{place.pointer()}")


def _make_program(nodes: Iterable[AST]) -> Program:
    kept: list[Statement] = []
    defined = set[Signature]()
    for node in nodes:
        if node.ast_type == ASTType.Defined:
            defined.add((node.name, node.arity))
        elif node.ast_type != ASTType.Comment:
            kept.append(_look_through(node))
    return Program(tuple(kept), frozenset(defined))


def _is_small(number: str) -> bool:
    try:
        return is_number(number) if number.isdecimal() else int(number, 0) < 2**31
    except ValueError:
        return True  # clingo will say what is wrong


def is_number(text: str) -> bool:
    """Whether a text is a whole number that clingo can count with: it has 32 bits, and wraps."""
    return _NUMBER.fullmatch(text) is not None and abs(int(text)) < 2**31


def find_constants(program: Program) -> Iterator[tuple[str, str, AST]]:
    """Yield the name, the default and the statement of every ``#const``, in order."""
    for statement in program.statements:
        node = statement.node
        if node.ast_type == ASTType.Definition:
            yield node.name, str(node.value), node


def signatures_in(node: AST) -> Iterator[Signature]:
    """Yield the predicates of a syntax tree, those of classical negation as ``-name``."""
    # Reading the text is many times faster than walking the tree, and enough for most literals.
    simple = _SIMPLE_LITERAL.fullmatch(str(node))
    if simple is not None:
        yield simple[1], _count_arguments(simple[2] or "")
        return
    yield from (signature for signature, _ in atoms_in(node))


def atoms_in(node: AST) -> Iterator[tuple[Signature, Location]]:
    """Yield the predicate of each atom in a syntax tree, and where it stands."""
    if node.ast_type == ASTType.SymbolicAtom:
        yield from _signatures_of(node.symbol)
        return
    for child in _children(node):
        yield from atoms_in(child)


def _children(node: AST) -> Iterator[AST]:
    """Yield the parts of a syntax tree that may hold atoms; terms cannot."""
    if node.ast_type == ASTType.Literal:
        yield node.atom
        return
    if node.ast_type in WITHOUT_ATOMS:
        return
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif isinstance(child, Sequence):
            yield from child


def _count_arguments(text: str) -> int:
    depth, count = 0, 1 if text else 0
    for character in text:
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == "," and not depth:
            count += 1
    return count


def _signatures_of(symbol: AST, sign: str = "") -> Iterator[tuple[Signature, Location]]:
    if symbol.ast_type == ASTType.Pool:
        for argument in symbol.arguments:
            yield from _signatures_of(argument, sign)
    elif symbol.ast_type == ASTType.UnaryOperation:
        yield from _signatures_of(symbol.argument, "-")
    else:
        yield (sign + symbol.name, len(symbol.arguments)), symbol.location


def plain_head(statement: Statement) -> AST | None:
    """Find the head of a rule that derives one atom, as a function term; None for other heads."""
    head = statement.node.head if statement.heads and not statement.guides else None
    if head is None or head.atom.symbol.ast_type != ASTType.Function:
        return None
    assert isinstance(head.atom.symbol, AST)
    return head.atom.symbol


def _look_through(node: AST) -> Statement:
    if node.ast_type != ASTType.Rule:
        return Statement(node)
    body = {s for literal in node.body for s in signatures_in(literal)}
    head = node.head
    if head.ast_type == ASTType.Literal and head.atom.ast_type == ASTType.SymbolicAtom:
        return Statement(node, frozenset(signatures_in(head)), frozenset(body))
    # What a choice may derive and what it asks for are not told apart: both are kept.
    heads = frozenset(signatures_in(head))
    return Statement(node, heads, frozenset(body | heads), guides=True)
