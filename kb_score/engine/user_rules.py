"""Rule files that users write: checked before they are used, so that messages can help."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from clingo import SymbolType
from clingo.ast import AST, ASTType, BinaryOperator, Location, Transformer, UnaryOperator

from kb_score.engine.program import Program, Signature, atoms_in, plain_head
from kb_score.engine.source import is_number
from kb_score.errors import Place, RuleError

_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Program}
_SHOWING = {ASTType.ShowSignature, ASTType.ShowTerm}
_ALLOWED_IN_COPIES = _ALLOWED | {ASTType.ShowSignature, ASTType.Minimize}


def check_user_rules(
    shipped: Program,
    ours: Program,
    users: Program,
    names: frozenset[str],
    decided: Mapping[str, str],
) -> None:
    """Check a user's rules, which may replace files of ours by files with the same names.

    Args:
        shipped: All our rules of the game.
        ours: Those of them that no file of the user replaces.
        users: The user's rules.
        names: The names of our files.
        decided: The constants that the user sets.

    Raises:
        RuleError: There is a statement that rules here cannot have, a predicate that nothing
            defines or that nothing asks for, or an unsafe variable, at this line and column.
    """
    numbers = _find_numbers(shipped + users, decided)
    for statement in users.statements:
        _check_kind(statement.node, shipped.parts, names)
        terms = _Terms(statement.node, numbers)
        for call in terms.calls[:1]:
            hint = "rules here cannot call functions"
            raise error_at(call.location, f"@{call.name} calls a function", hint)
        for sum_ in terms.large[:1]:
            raise error_at(sum_.location, f"{sum_} is beyond 32 bits")
    _check_constants(shipped, users)
    known = shipped.inputs | ours.derived | users.derived | users.defined
    _check_defined(known, users)
    _check_complete(known, ours, users)
    _check_asked_for(shipped.inputs | shipped.derived, users)


def _check_kind(node: AST, parts: frozenset[str], names: frozenset[str]) -> None:
    if node.ast_type == ASTType.Program and str(node) not in parts:
        others = ", ".join(sorted(parts - {"#program base."}))
        hint = f"the parts of this game are {others}" if others else "the rules here have no parts"
        raise error_at(node.location, f"no file of this game has a part {node}", hint)
    is_copy = Path(node.location.begin.filename).name in names
    if node.ast_type not in (_ALLOWED_IN_COPIES if is_copy else _ALLOWED):
        kind = str(node).split(maxsplit=1)[0]
        shows = node.ast_type in _SHOWING
        allowed = "only rules, facts and #const statements are allowed"
        hint = "kb-score decides what is shown" if shows else allowed
        raise error_at(node.location, f"{kind} is not allowed in your rules", hint)


def _check_constants(shipped: Program, users: Program) -> None:
    """Check that no constant has the name of a word in our rules: it would change the word."""
    mine = users.find_constants()
    for name in shipped.find_constants():
        mine.pop(name, None)
    if not mine:
        return
    words = set[str]().union(*(_Terms(statement.node).words for statement in shipped.statements))
    for name, node in mine.items():
        if name in words:
            hint = "rename the constant"
            raise error_at(node.location, f"our rules use {name} as a word", hint)


class _Terms(Transformer):
    """Words that stand for themselves, such as water, or name parts, and calls of a script."""

    def __init__(self, statement: AST, numbers: Mapping[str, int] | None = None) -> None:
        self._numbers = numbers or {}  # the constants
        self.words: set[str] = set()
        self.calls: list[AST] = []
        self.large: list[AST] = []  # sums and products of numbers that leave 32 bits
        self.visit(statement)

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.words.add(str(node.symbol))
        return node

    def visit_BinaryOperation(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.visit_children(node)
        if abs(_multiply(node, self._numbers)) >= 2**31:
            self.large.append(node)
        return node

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.external:
            self.calls.append(node)
        elif not node.arguments:
            self.words.add(node.name)
        self.visit_children(node)
        return node

    def visit_Id(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.words.add(node.name)
        return node


def _find_numbers(program: Program, decided: Mapping[str, str]) -> dict[str, int]:
    """Find the constants that are numbers, as they are in the files or as a user decides them."""
    numbers = {name: int(value) for name, value in decided.items() if is_number(value)}
    for name, node in program.find_constants().items():
        number = None if name in decided else _count(node.value, numbers)
        if number is not None:
            numbers[name] = number
    return numbers


def _multiply(term: AST, numbers: Mapping[str, int]) -> int:
    """Count out a term, or multiply the numbers in a product with variables; 1 if it has none."""
    if (number := _count(term, numbers)) is not None:
        return number
    is_product = term.ast_type == ASTType.BinaryOperation
    if is_product and term.operator_type == BinaryOperator.Multiplication:
        return _multiply(term.left, numbers) * _multiply(term.right, numbers)
    return 1


def _count(term: AST, numbers: Mapping[str, int]) -> int | None:
    """Count out a term of numbers; None where it has variables or other operations, or wraps."""
    if term.ast_type == ASTType.SymbolicTerm:
        if term.symbol.type == SymbolType.Number:
            return int(term.symbol.number)
        return numbers.get(str(term.symbol))
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        number = _count(term.argument, numbers)
        return None if number is None else -number
    if term.ast_type != ASTType.BinaryOperation:
        return None
    left, right = _count(term.left, numbers), _count(term.right, numbers)
    if left is None or right is None or max(abs(left), abs(right)) >= 2**31:
        return None
    return _operate(term.operator_type, left, right)


def _operate(operator: int, left: int, right: int) -> int | None:
    match operator:
        case BinaryOperator.Plus:
            return left + right
        case BinaryOperator.Minus:
            return left - right
        case BinaryOperator.Multiplication:
            return left * right
        case BinaryOperator.Power if 0 <= right < 2**8:
            return int(left**right)
        case BinaryOperator.Power if right > 0:
            return 2**31 if abs(left) > 1 else left
    return None


def _check_defined(known: frozenset[Signature], users: Program) -> None:
    for statement in users.statements:
        for (name, arity), location in atoms_in(statement.node):
            if (name, arity) not in known:
                hint = _suggest((name, arity), known)
                raise error_at(location, f"nothing defines {name}/{arity}", hint)


def _suggest(signature: Signature, known: frozenset[Signature]) -> str:
    name, arity = signature
    same = sorted(n for known_name, n in known if known_name == name)
    if same:
        counts = " or ".join(map(str, same))
        return f"{name} has {counts} arguments, not {arity}"
    close = get_close_matches(name, sorted({known_name for known_name, _ in known}), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}`kb-score rules list` shows all predicates"


def _check_asked_for(known: frozenset[Signature], users: Program) -> None:
    """Check that rules ask for each derived predicate, or that the driver reads it like ours."""
    asked = known | users.defined.union(*(statement.body for statement in users.statements))
    for statement in users.statements:
        for name, arity in sorted(statement.heads - asked):
            place = (plain_head(statement) or statement.node).location
            hint = _suggest((name, arity), known)
            raise error_at(place, f"nothing asks for {name}/{arity}", hint)


def _check_complete(known: frozenset[Signature], ours: Program, users: Program) -> None:
    """Check that files which replace ours still derive what our other files ask for."""
    for statement in ours.statements:
        for name, arity in sorted(statement.body - known - ours.defined):
            place = statement.node.location.begin
            close = get_close_matches(name, sorted({n for n, _ in users.derived}), n=1)
            hint = f": did you mean {close[0]}?" if close else ""
            raise RuleError(
                f"your rules stand in for ours, but do not derive {name}/{arity}, "
                f"which {Path(place.filename).name}:{place.line} asks for{hint}"
            )


def error_at(location: Location, message: str, hint: str = "") -> RuleError:
    """Make the error that a message about a place in a rule file is."""
    begin = location.begin
    lines = Path(begin.filename).read_text(encoding="utf-8").splitlines()
    place = Place(begin.filename, begin.line, begin.column, lines[begin.line - 1])
    return RuleError.at(place, message, hint)
