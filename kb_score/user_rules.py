"""Rule files that users write: looked through before they are used, so that messages can help."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from clingo import SymbolType
from clingo.ast import AST, ASTType, Location, Transformer

from kb_score.errors import Place, RuleError
from kb_score.messages import collected_messages
from kb_score.program import Program, Signature, atoms_in, find_constants, plain_head
from kb_score.solve import open_control

_WORD = re.compile(r"[a-z]\w*")

_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Program}
_GOLD: Signature = ("gold", 4)
_CARD: Signature = ("card", 3)
_SUMS: set[Signature] = {("score", 3), ("total", 2), ("total", 5)}


def check_user_rules(
    ours: Program,
    users: Program,
    inputs: frozenset[Signature],
    shipped: frozenset[str] = frozenset(),
) -> None:
    """Check rules that a user adds.

    Args:
        ours: The rules that they are added to.
        users: The user's rules.
        inputs: The predicates that the driver gives.
        shipped: The names of all our files; a user's file of such a name stands in for ours.

    Raises:
        RuleError: A statement that rules here cannot have, a predicate that nothing defines, an
            unsafe variable, or a card that is not stated properly; all with file, line and column.
    """
    for statement in users.statements:
        _check_kind(statement.node, shipped)
        _check_calls(statement.node)
    _check_derived(ours, users)
    _check_defined(ours, users, inputs)
    _check_alone(users)
    _check_cards(ours, users)


def _check_kind(node: AST, shipped: frozenset[str]) -> None:
    is_copy = Path(node.location.begin.filename).name in shipped
    if is_copy and node.ast_type == ASTType.ShowSignature:
        return
    if node.ast_type not in _ALLOWED or (node.ast_type == ASTType.Program and node.name != "base"):
        kind = node.ast_type.name
        raise _error(
            node.location,
            f"a {kind} statement cannot stand in rules that are added",
            "rules, facts and #const statements can; what is shown is the driver's affair",
        )


def _check_calls(node: AST) -> None:
    finder = _CallFinder()
    finder.visit(node)
    for call in finder.found[:1]:
        raise _error(call.location, f"@{call.name} calls a function", "rules here can call none")


class _CallFinder(Transformer):
    """Finds the terms that call functions of a script."""

    def __init__(self) -> None:
        self.found: list[AST] = []

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.external:
            self.found.append(node)
        self.visit_children(node)
        return node


def _check_derived(ours: Program, users: Program) -> None:
    """Check that what the driver reads is derived by our rules, or by a copy in their place."""
    sums = {head for s in ours.statements for head in s.heads} & _SUMS
    for statement in users.statements:
        head = plain_head(statement)
        if head is None:
            continue
        signature = head.name, len(head.arguments)
        if signature in sums:
            hint = "a card states gold(Card,Player,Why,Points), and score.lp sums it"
            raise _error(head.location, f"{head.name} is derived by our rules alone", hint)
        for name, arity in (_GOLD, _CARD):
            if head.name == name and len(head.arguments) != arity:
                hint = f"{name} has {arity} arguments, here it has {len(head.arguments)}"
                raise _error(head.location, f"{name}/{len(head.arguments)} says nothing", hint)


def _check_defined(ours: Program, users: Program, inputs: frozenset[Signature]) -> None:
    both = ours + users
    known = {head for statement in both.statements for head in statement.heads}
    known |= inputs | both.defined
    for statement in users.statements:
        for signature, location in atoms_in(statement.node):
            if signature not in known:
                raise _error(location, *_explain_unknown(signature, known))


def _explain_unknown(signature: Signature, known: set[Signature]) -> tuple[str, str]:
    name, arity = signature
    message = f"nothing defines {name}/{arity}"
    same = sorted(n for known_name, n in known if known_name == name)
    if same:
        counts = " or ".join(map(str, same))
        return message, f"{name} has {counts} arguments, here it has {arity}"
    close = get_close_matches(name, sorted({known_name for known_name, _ in known}), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return message, f"{hint}`kb-score rules list` shows all predicates"


def _check_alone(users: Program) -> None:
    # Without facts nothing is derived, but clingo finds what is unsafe, in the user's words.
    asked = frozenset(b for statement in users.statements for b in statement.body)
    alone = Program(users.statements, users.defined | asked)
    with collected_messages() as log:
        open_control(alone, (), log).ground()


def _check_cards(ours: Program, users: Program) -> None:
    stated = Counter(name for name, _ in _stated_cards(ours + users))
    numbers = {str(head.arguments[1]): name for name, head in _stated_cards(ours)}
    for name, head in _stated_cards(users):
        if not _WORD.fullmatch(name):
            hint = "a word of small letters, such as shepherds"
            raise _error(head.arguments[0].location, f"{name} cannot name a card", hint)
        if stated[name] > 1:
            raise _error(head.location, f"there are two cards with the name {name}")
        number, text = head.arguments[1:]
        _check_number(name, number, numbers)
        _check_text(name, text)
    _check_conditions(users)
    constants = {name for name, _, _ in find_constants(ours + users)}
    _check_gold(users, stated, constants)


def _check_conditions(users: Program) -> None:
    for statement in users.statements:
        head = plain_head(statement)
        if head is not None and head.name == "card" and statement.node.body:
            message = f"card {head.arguments[0]} has a condition"
            hint = "a card is stated as a fact; what it pays may depend on the board"
            raise _error(head.location, message, hint)


def _check_number(name: str, number: AST, numbers: dict[str, str]) -> None:
    if number.ast_type != ASTType.SymbolicTerm or number.symbol.type != SymbolType.Number:
        raise _error(number.location, f"the number of card {name} must be a whole number")
    if numbers.setdefault(str(number), name) != name:
        other = numbers[str(number)]
        raise _error(number.location, f"the cards {other} and {name} have one number, {number}")


def _check_text(name: str, text: AST) -> None:
    if text.ast_type != ASTType.SymbolicTerm or text.symbol.type != SymbolType.String:
        raise _error(text.location, f"card {name} has no text", 'write it in quotes: "..."')
    if not text.symbol.string.strip():
        raise _error(text.location, f"the text of card {name} is empty", "say what it pays")


def _check_gold(users: Program, stated: Mapping[str, int], constants: set[str]) -> None:
    for head in _heads(users, _GOLD):
        name, points = str(head.arguments[0]), head.arguments[3]
        is_term = points.ast_type == ASTType.SymbolicTerm and str(points) not in constants
        if is_term and points.symbol.type != SymbolType.Number:
            raise _error(points.location, f"the points of a payment are a number, not {points}")
        if head.arguments[0].ast_type != ASTType.Variable and name not in stated:
            hint = f'state it: card({name}, 11, "what it pays").'
            raise _error(head.location, f"gold for {name}, but there is no card of that name", hint)


def _stated_cards(program: Program) -> Iterator[tuple[str, AST]]:
    for head in _heads(program, _CARD):
        yield str(head.arguments[0]), head


def _heads(program: Program, signature: Signature) -> Iterator[AST]:
    for statement in program.statements:
        head = plain_head(statement)
        if head is not None and (head.name, len(head.arguments)) == signature:
            yield head


def _error(location: Location, message: str, hint: str = "") -> RuleError:
    begin = location.begin
    lines = Path(begin.filename).read_text(encoding="utf-8").splitlines()
    place = Place(begin.filename, begin.line, begin.column, lines[begin.line - 1])
    text = [f"{place}: {message}", place.pointer(), f"    hint: {hint}" if hint else ""]
    return RuleError("\n".join(filter(None, text)))
