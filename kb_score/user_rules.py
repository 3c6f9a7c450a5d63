"""Rule files that users write: looked through before they are used, so that messages can help."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from clingo.ast import AST, ASTType, Location, Transformer

from kb_score.errors import Place, RuleError
from kb_score.messages import collected_messages
from kb_score.program import Program, Signature, atoms_in, find_constants, plain_head
from kb_score.solve import interruptible, open_control

_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Program}
_SHOWING = {ASTType.ShowSignature, ASTType.ShowTerm}
_ALLOWED_IN_COPIES = _ALLOWED | {ASTType.ShowSignature, ASTType.Minimize}


def check_user_rules(
    shipped: Program, ours: Program, users: Program, names: frozenset[str]
) -> None:
    """Check the rules of a user.

    Args:
        shipped: All our rules of the game.
        ours: Those of them that no file of the user stands in for.
        users: The user's rules.
        names: The names of all our files; a user's file of such a name stands in for ours.

    Raises:
        RuleError: A statement that rules here cannot have, a predicate that nothing defines or
            nothing asks for, or an unsafe variable; all with file, line and column.
    """
    for statement in users.statements:
        _check_kind(statement.node, shipped.parts, names)
        _check_calls(statement.node)
    _check_constants(shipped, users)
    known = shipped.inputs | ours.derived | users.derived | users.defined
    _check_defined(known, users)
    _check_complete(known, ours, users)
    _check_asked_for(shipped.inputs | shipped.derived, users)
    _check_alone(users)


def _check_kind(node: AST, parts: frozenset[str], names: frozenset[str]) -> None:
    if node.ast_type == ASTType.Program and str(node) not in parts:
        others = ", ".join(sorted(parts - {"#program base."}))
        hint = f"the parts of this game are {others}" if others else "the rules here have no parts"
        raise error_at(node.location, f"nobody asks for the part {node}", hint)
    is_copy = Path(node.location.begin.filename).name in names
    if node.ast_type not in (_ALLOWED_IN_COPIES if is_copy else _ALLOWED):
        kind = str(node).split(maxsplit=1)[0]
        shows = node.ast_type in _SHOWING
        raise error_at(
            node.location,
            f"a line {kind} cannot stand in a user's rules",
            "what is shown is the driver's affair"
            if shows
            else "rules, facts and #const statements can",
        )


def _check_constants(shipped: Program, users: Program) -> None:
    """Check that no constant is a word of our rules, which it would change."""
    ours = {name for name, _, _ in find_constants(shipped)}
    mine = [(name, node) for name, _, node in find_constants(users) if name not in ours]
    if not mine:
        return
    words = _WordFinder()
    for statement in shipped.statements:
        words.visit(statement.node)
    for name, node in mine:
        if name in words.found:
            hint = "call the constant otherwise"
            raise error_at(node.location, f"our rules use {name} as a word", hint)


class _WordFinder(Transformer):
    """Finds the words that stand for themselves, such as water, and the parameters of parts."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.found.add(str(node.symbol))
        return node

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if not node.arguments:
            self.found.add(node.name)
        self.visit_children(node)
        return node

    def visit_Id(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.found.add(node.name)
        return node


def _check_calls(node: AST) -> None:
    finder = _CallFinder()
    finder.visit(node)
    for call in finder.found[:1]:
        raise error_at(call.location, f"@{call.name} calls a function", "rules here can call none")


class _CallFinder(Transformer):
    """Finds the terms that call functions of a script."""

    def __init__(self) -> None:
        self.found: list[AST] = []

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.external:
            self.found.append(node)
        self.visit_children(node)
        return node


def _check_defined(known: frozenset[Signature], users: Program) -> None:
    for statement in users.statements:
        for signature, location in atoms_in(statement.node):
            if signature not in known:
                name, arity = signature
                raise error_at(
                    location, f"nothing defines {name}/{arity}", _suggest(signature, known)
                )


def _suggest(signature: Signature, known: frozenset[Signature]) -> str:
    name, arity = signature
    same = sorted(n for known_name, n in known if known_name == name)
    if same:
        counts = " or ".join(map(str, same))
        return f"{name} has {counts} arguments, here it has {arity}"
    close = get_close_matches(name, sorted({known_name for known_name, _ in known}), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}`kb-score rules list` shows all predicates"


def _check_asked_for(known: frozenset[Signature], users: Program) -> None:
    """Check that what a rule derives is asked for, or read by the driver as ours of that name."""
    asked = known | users.defined.union(*(statement.body for statement in users.statements))
    for statement in users.statements:
        for signature in sorted(statement.heads - asked):
            head = plain_head(statement)
            place = statement.node.location if head is None else head.location
            name, arity = signature
            raise error_at(place, f"nothing asks for {name}/{arity}", _suggest(signature, known))


def _check_complete(known: frozenset[Signature], ours: Program, users: Program) -> None:
    """Check that files which stand in for ours still derive what our other files ask for."""
    for statement in ours.statements:
        for name, arity in sorted(statement.body - known - ours.defined):
            place = statement.node.location.begin
            close = get_close_matches(name, sorted({n for n, _ in users.derived}), n=1)
            hint = f": did you mean it by {close[0]}?" if close else ""
            raise RuleError(
                f"your rules stand in for ours, but do not derive {name}/{arity}, "
                f"which {Path(place.filename).name}:{place.line} asks for{hint}"
            )


def _check_alone(users: Program) -> None:
    # Without facts nothing is derived, but clingo finds what is unsafe, in the user's words.
    asked = frozenset(b for statement in users.statements for b in statement.body)
    alone = Program(users.statements, users.defined | asked)
    with collected_messages() as log, interruptible():
        open_control(alone, (), log).ground()


def error_at(location: Location, message: str, hint: str = "") -> RuleError:
    """Make the error that a message about a place in a rule file is."""
    begin = location.begin
    lines = Path(begin.filename).read_text(encoding="utf-8").splitlines()
    place = Place(begin.filename, begin.line, begin.column, lines[begin.line - 1])
    text = [f"{place}: {message}", place.pointer(), f"    hint: {hint}" if hint else ""]
    return RuleError("\n".join(filter(None, text)))
