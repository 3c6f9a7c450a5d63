"""What is wrong in rule files that users write, or hardly meant, told before they are used."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from clingo import SymbolType
from clingo.ast import (
    AST,
    AggregateFunction,
    ASTType,
    BinaryOperator,
    Location,
    Transformer,
    UnaryOperator,
)

from kb_score.engine.docs import RuleFile
from kb_score.engine.program import (
    Program,
    Signature,
    Statement,
    atoms_in,
    error_at,
    functions_in,
    is_number,
    plain_head,
)
from kb_score.errors import RuleError, guess, visible
from kb_score.resources import name_rule_file

_MOST_FAULTS = 20
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_VARIABLE = re.compile(r"\b[A-Z]\w*'*")
# What a rule has where terms are counted out, or functions are called.
_COUNTING_SIGNS = re.compile(r"[-+*^@]")
_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Program}
_SHOWING = {ASTType.ShowSignature, ASTType.ShowTerm}
_ALLOWED_IN_COPIES = _ALLOWED | {ASTType.ShowSignature, ASTType.Minimize}


def check_user_rules(
    shipped: Program,
    ours: Program,
    users: Program,
    places: Mapping[str, str],
    points: Set[Signature],
    documented: Mapping[str, Set[Signature]],
    decided: Mapping[str, str],
) -> None:
    """Check a user's rules, copies of ours too.

    Args:
        shipped: All our rules of the game.
        ours: Those of them that no file of the user replaces.
        users: The user's rules.
        places: Where our files lie below the game's folder, by the names of the files.
        points: The extension points: predicates of ours that users' rules may derive.
        documented: The predicates that our files document, by the names of the files.
        decided: The constants that the user sets.

    Raises:
        RuleError: The first faults of one kind, with their places.
    """
    known = shipped.inputs | ours.derived | users.derived | users.defined
    for faults in (
        _find_copies(shipped, users, places),
        _find_forbidden(shipped, users, places, _find_numbers(shipped + users, decided)),
        _check_constants(shipped, users, places),
        _check_parts(shipped, users),
        _find_clashes(shipped, ours, users, points, _find_replaceable(shipped, documented)),
        _check_defined(known, users),
        _check_complete(known, ours, users),
    ):
        if found := list(dict.fromkeys(map(str, islice(faults, _MOST_FAULTS)))):
            raise RuleError("\n".join(found))


def _find_copies(
    shipped: Program, users: Program, places: Mapping[str, str]
) -> Iterator[RuleError]:
    """Find files that have most rules of one of ours, but another name."""
    ours = _group_rules(shipped)
    theirs = _group_rules(users)
    for path, rules in theirs.items():
        if Path(path).name in places:
            continue
        for other, others in ours.items():
            if len(others) > 1 and 2 * len(others & rules) > len(others):
                place = places[Path(other).name]
                cure = f"to replace that file, give it the path {place} below the folder"
                yield RuleError(f"{visible(path)} repeats {name_rule_file(other)}: {cure}")


def _find_clashes(
    shipped: Program,
    ours: Program,
    users: Program,
    points: Set[Signature],
    replaceable: Mapping[str, Set[Signature]],
) -> Iterator[RuleError]:
    """Find rules of a user that derive a predicate of ours, which is no extension point.

    A helper that happens to have the name of one of ours would change what our rules derive. A file
    that replaces one of ours may derive what that file derives, and its documented inputs.
    """
    derived = {
        head: statement for statement in reversed(ours.statements) for head in find_heads(statement)
    }
    inputs = shipped.inputs - shipped.derived
    for statement in users.statements:
        name = Path(statement.node.location.begin.filename).name
        allowed = replaceable.get(name, frozenset())
        for signature in sorted(find_heads(statement) - points - allowed):
            place = (plain_head(statement) or statement.node).location
            predicate = f"{signature[0]}/{signature[1]}"
            cure = f"choose another name, such as my_{signature[0]}"
            if signature in derived:
                other = derived[signature].node.location.begin
                where = f"{name_rule_file(other.filename)}:{other.line}"
                message = f"our rules derive {predicate} already, in {where}"
                yield error_at(place, message, f"{cure}: yours would change our rules")
            elif signature in inputs:
                message = f"{predicate} is an input of our rules, which a file or a bot gives"
                yield error_at(place, message, f"{cure}: yours would change our rules")


def find_heads(statement: Statement) -> frozenset[Signature]:
    """Find the predicates that a rule derives: of a choice, without its conditions."""
    node = statement.node
    if not statement.heads or node.ast_type != ASTType.Rule or not statement.guides:
        return statement.heads
    elements = getattr(node.head, "elements", None)
    if elements is None:
        return statement.heads
    literals = []
    for element in elements:
        inner = element.condition if hasattr(element, "terms") else element
        literals.append(inner.literal)
    return frozenset(found for literal in literals for found, _ in atoms_in(literal))


def _find_replaceable(
    shipped: Program, documented: Mapping[str, Set[Signature]]
) -> Mapping[str, Set[Signature]]:
    """Find what a copy of each of our files may derive, by the names of the files."""
    derived = _find_heads_by_file(shipped)
    return {
        name: derived.get(name, frozenset()) | signatures for name, signatures in documented.items()
    }


@lru_cache(maxsize=16)
def _find_heads_by_file(program: Program) -> Mapping[str, frozenset[Signature]]:
    """Find which predicates each file derives, by the names of the files."""
    found: dict[str, frozenset[Signature]] = {}
    for statement in program.statements:
        if statement.heads:
            name = Path(statement.node.location.begin.filename).name
            found[name] = found.get(name, frozenset()) | find_heads(statement)
    return found


@lru_cache(maxsize=16)
def _group_rules(program: Program) -> Mapping[str, Set[str]]:
    grouped: dict[str, set[str]] = {}
    for node in program.nodes(ASTType.Rule):
        grouped.setdefault(node.location.begin.filename, set()).add(str(node))
    return grouped


def _find_forbidden(
    shipped: Program, users: Program, places: Mapping[str, str], numbers: Mapping[str, int]
) -> Iterator[RuleError]:
    for statement in users.statements:
        yield from _check_kind(statement.node, shipped.parts, places)
        # Reading the text is many times faster than walking the tree.
        if not _COUNTING_SIGNS.search(_STRING.sub('""', str(statement.node)).replace(":-", ":")):
            continue
        values = _Values(statement.node)
        for call in values.calls:
            hint = "rules here cannot call functions"
            yield error_at(call.location, f"@{call.name} calls a function", hint)
        for term in values.operations:
            if abs(_multiply(term, numbers)) >= 2**31:
                yield error_at(term.location, f"{term} is beyond 32 bits")


def _check_parts(shipped: Program, users: Program) -> Iterator[RuleError]:
    """Check that no rule outside the parts speaks of a part's turn, which would be a mere word."""
    part = ""
    known = sorted(p for p in shipped.parts if p != "#program base.")
    above = next((p for p in known if "step(" in p or "turn(" in p), " or ".join(known))
    for node in (statement.node for statement in users.statements if known):
        if node.ast_type == ASTType.Program:
            part = "" if not node.parameters else str(node)
        elif node.ast_type == ASTType.Rule and not part:
            for turn, place in _Values(node).words.items():
                if turn in shipped.parameters:
                    message = f"{turn} stands in a rule outside any part"
                    yield error_at(place, message, f"write {above} above the rule")


def _check_kind(node: AST, parts: frozenset[str], places: Mapping[str, str]) -> Iterator[RuleError]:
    if node.ast_type == ASTType.Program and str(node) not in parts:
        others = ", ".join(sorted(parts - {"#program base."}))
        hint = f"the parts of this game are {others}" if others else "the rules here have no parts"
        yield error_at(node.location, f"no file of this game has a part {node}", hint)
    is_copy = Path(node.location.begin.filename).name in places
    if node.ast_type not in (_ALLOWED_IN_COPIES if is_copy else _ALLOWED):
        kind = str(node).split(maxsplit=1)[0]
        shows = node.ast_type in _SHOWING
        allowed = "only rules, facts and #const statements are allowed"
        hint = "kb-score decides what is shown" if shows else allowed
        yield error_at(node.location, f"{kind} is not allowed in your rules", hint)


def _check_constants(
    shipped: Program, users: Program, places: Mapping[str, str]
) -> Iterator[RuleError]:
    """Check that a user's constants change no constant and no word of our rules."""
    mine = dict(users.find_constants())
    for name in shipped.find_constants():
        node = mine.pop(name, None)
        if node is not None and Path(node.location.begin.filename).name not in places:
            hint = "a ruling is set with --const NAME=VALUE"
            yield error_at(node.location, f"redefinition of constant {name}", hint)
    if not mine:
        return
    words = _find_words(shipped)
    for name, node in mine.items():
        if name in words:
            hint = "rename the constant"
            yield error_at(node.location, f"our rules use {name} as a word", hint)


@lru_cache(maxsize=16)
def _find_words(program: Program) -> frozenset[str]:
    """Find the words that rules say."""
    return frozenset(word for s in program.statements for word in _Values(s.node).words)


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
    if term.operator_type == BinaryOperator.Power and right >= 0:
        # One that is far beyond 32 bits need not be known.
        return int(left ** min(right, 2**8))
    operate = _OPERATIONS.get(term.operator_type)
    return None if operate is None else operate(left, right)


_OPERATIONS = {
    BinaryOperator.Plus: operator.add,
    BinaryOperator.Minus: operator.sub,
    BinaryOperator.Multiplication: operator.mul,
}


def _check_defined(known: frozenset[Signature], users: Program) -> Iterator[RuleError]:
    for statement in users.statements:
        for (name, arity), location in atoms_in(statement.node):
            if (name, arity) not in known:
                hint = _suggest((name, arity), known)
                yield error_at(location, f"nothing defines {name}/{arity}", hint)


def _suggest(signature: Signature, known: frozenset[Signature]) -> str:
    name, arity = signature
    same = sorted(n for known_name, n in known if known_name == name)
    if same:
        counts = " or ".join(map(str, same))
        return f"{name} has {counts} arguments, not {arity}"
    hint = guess(name, sorted({known_name for known_name, _ in known}), "")
    return f"{hint} `kb-score rules list` shows all predicates".strip()


def find_unused(shipped: Program, users: Program) -> list[str]:
    """List the predicates that a user's rules derive and nothing reads, as messages."""
    known = shipped.inputs | shipped.derived
    asked = known | users.defined.union(*(statement.body for statement in users.statements))
    found = dict[str, None]()
    for statement in users.statements:
        for name, arity in sorted(find_heads(statement) - asked):
            place = (plain_head(statement) or statement.node).location
            hint = _suggest((name, arity), known)
            found[str(error_at(place, f"nothing asks for {name}/{arity}", hint))] = None
        if len(found) >= _MOST_FAULTS:
            break
    return list(found)


def _check_complete(
    known: frozenset[Signature], ours: Program, users: Program
) -> Iterator[RuleError]:
    """Check that files which replace ours still derive what our other files ask for."""
    for statement in ours.statements:
        for name, arity in sorted(statement.body - known - ours.defined):
            place = statement.node.location.begin
            hint = guess(name, sorted({n for n, _ in users.derived}), ": ")
            yield RuleError(
                f"your rules stand in for ours, but do not derive {name}/{arity}, "
                f"which {Path(place.filename).name}:{place.line} asks for{hint}"
            )


# How the documentation of an argument tells its range.
_RANGE = re.compile(r"\b([A-Z]\w*)(?:,| is) a number from (\d+) to (\d+)")
# A text or a word in what clingo writes of a syntax tree. The name of a predicate is none, whether
# its arguments follow, or their number, or it is a whole literal.
_SAID = re.compile(
    r'("(?:[^"\\]|\\.)*")|(?:^|; |:- |: |not )_*[a-z]\w*(?=[;.:]|$| :-)'
    r"|(?<![#\w])(?!not\b)(_*[a-z]\w*)\b(?![(/])"
)


def find_warnings(
    ours: Program, users: Program, files: Iterable[RuleFile], decided: Mapping[str, str]
) -> list[str]:
    """Find what can hardly be meant in the rules of a user, each as a message with its place."""
    constants = {**ours.find_constants(), **users.find_constants()}
    # A rule may ask for a word that only a constant says: `mode = slow`.
    words = {*constants, *decided.values(), *(str(node.value) for node in constants.values())}
    for statement in (*ours.statements, *users.statements):
        if statement.allowed is not None:
            words.update(statement.allowed.words)
    texts = set[str]()
    for node in _find_said(ours, users):
        # Reading the text is many times faster than walking the tree.
        for text, word in _SAID.findall(str(node)):
            if text or word:
                (texts if text else words).add(text[1:-1] or word)
    doubts = _doubt_statements(users, words, texts, _find_ranges(files))
    found = islice(chain(_doubt_empty(ours, users, files), doubts), _MOST_FAULTS + 1)
    messages = [str(error_at(*doubt)) for doubt in found]
    if len(messages) > _MOST_FAULTS:
        messages[-1] = f"there are more warnings than {_MOST_FAULTS}: these are the first"
    return messages


def _doubt_statements(
    users: Program, words: Set[str], texts: Set[str], ranges: dict[tuple[Signature, int], range]
) -> Iterator[_Doubt]:
    """Doubt the rules of a user one by one."""
    for statement in users.statements:
        rule = statement.node
        if rule.ast_type != ASTType.Rule:
            continue
        yield from _doubt_numbers(rule, ranges)
        # A fact has no variables, and asks for no word: there may be thousands.
        if rule.body or statement.guides:
            sums = list(_doubt_sums(rule))
            yield from sums
            # A variable that a sum leaves out of its tuple often occurs once: that is one mistake.
            if not sums:
                yield from _doubt_variables(rule, words)
            for part in rule.body:
                yield from _doubt_words(part, words, texts)


def _find_said(ours: Program, users: Program) -> Iterator[AST]:
    """Find where words are said that may hold in a body: not in heads that no body reads."""
    statements = (*ours.statements, *users.statements)
    # What only itself asks for is not read either.
    read = frozenset(b for s in statements for b in s.body if b not in s.heads)
    for statement in ours.statements:
        if not statement.heads or not read.isdisjoint(statement.heads):
            yield statement.node
        else:
            yield from statement.node.body
    for statement in users.statements:
        if statement.node.ast_type == ASTType.Rule:
            yield statement.node.head


_Doubt = tuple[Location, str, str]


class _Values(Transformer):
    """What stands in a syntax tree, and where: words, texts, variables, calls and operations."""

    def __init__(self, node: AST) -> None:
        self.words: dict[str, Location] = {}
        self.texts: dict[str, Location] = {}
        self.variables: dict[str, list[Location]] = {}
        self.calls: list[AST] = []
        self.operations: list[AST] = []
        self.visit(node)

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.symbol.type == SymbolType.String:
            self.texts.setdefault(node.symbol.string, node.location)
        elif node.symbol.type == SymbolType.Function:
            self.words.setdefault(str(node.symbol), node.location)
        return node

    def visit_SymbolicAtom(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        for _, atom in functions_in(node):
            self.visit_children(atom)
        return node

    def visit_Function(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        if node.external:
            self.calls.append(node)
        elif not node.arguments and node.name:
            self.words.setdefault(node.name, node.location)
        self.visit_children(node)
        return node

    def visit_BinaryOperation(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.visit_children(node)
        self.operations.append(node)
        return node

    def visit_Id(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.words.setdefault(node.name, node.location)
        return node

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.variables.setdefault(node.name, []).append(node.location)
        return node


def _doubt_variables(rule: AST, words: Set[str]) -> Iterator[_Doubt]:
    # Reading the text is many times faster than walking the tree.
    counts = Counter(_VARIABLE.findall(_STRING.sub('""', str(rule))))
    if 1 not in counts.values():
        return
    for name, places in _Values(rule).variables.items():
        if len(places) == 1 and name[0] != "_":
            close = guess(name, sorted(words), "", cutoff=0.7) if len(name) > 2 else ""
            yield places[0], f"the variable {name} is used once", close or "write _ for any value"


def _doubt_words(part: AST, words: Set[str], texts: Set[str]) -> Iterator[_Doubt]:
    values = _Values(part)
    for word, location in values.words.items():
        if word not in words:
            message = f"no fact and no rule says {word}: this can never hold"
            yield location, message, guess(word, sorted(words | texts), "", cutoff=0.7)
    for text, location in values.texts.items():
        if text in words and text not in texts:
            message = f'"{text}" is a text, which is no word: this can never hold'
            yield location, message, f"did you mean {text}?"


def _doubt_numbers(rule: AST, ranges: dict[tuple[Signature, int], range]) -> Iterator[_Doubt]:
    for node in (rule.head, *rule.body):
        for _, atom in functions_in(node):
            for i, argument in enumerate(atom.arguments):
                allowed = ranges.get(((atom.name, len(atom.arguments)), i))
                if allowed is None or not str(argument).isdecimal():
                    continue
                if int(str(argument)) not in allowed:
                    message = f"{argument} is none of {allowed[0]} to {allowed[-1]}"
                    yield argument.location, f"{message}: this can never hold", ""


_COUNTING = {AggregateFunction.Count, AggregateFunction.Sum, AggregateFunction.SumPlus}


def _doubt_sums(rule: AST) -> Iterator[_Doubt]:
    """Doubt sums and counts whose condition tells apart what their tuple does not."""
    sums = [
        literal.atom
        for literal in rule.body
        if literal.ast_type == ASTType.Literal and literal.atom.ast_type == ASTType.BodyAggregate
    ]
    if not sums:
        return
    outside = [rule.head, *(part for part in rule.body if getattr(part, "atom", None) not in sums)]
    outside += [guard for sum_ in sums for guard in (sum_.left_guard, sum_.right_guard) if guard]
    known = set[str]().union(*(_Values(part).variables for part in outside)) - {"_"}
    for sum_ in (sum_ for sum_ in sums if sum_.function in _COUNTING):
        for element in sum_.elements:
            told = set[str]().union(*(_Values(term).variables for term in element.terms))
            asked = [name for part in element.condition for name in _Values(part).variables]
            free = [name for name in dict.fromkeys(asked) if name not in known]
            if free and told.isdisjoint(free):
                whole = ",".join([*map(str, element.terms), *(n for n in free if n != "_")])
                place = element.terms[0] if element.terms else sum_
                cure = f"write {whole} : ..." if "_" not in free else "name what is counted there"
                message = "this counts once, however often its condition holds"
                yield place.location, message, f"{cure}, so that each counts"


# How the documentation of a predicate tells that rules say more of its first argument.
_GIVES = re.compile(r"\bIts rules give (\w+)/(\d+)")


def _doubt_empty(ours: Program, users: Program, files: Iterable[RuleFile]) -> Iterator[_Doubt]:
    """Doubt facts, such as cards, about which no rule gives what the documentation says."""
    for predicate in (predicate for file in files for predicate in file.predicates):
        for name, arity in _GIVES.findall(predicate.text):
            theirs = _list_first(users, (name, int(arity)))
            given = _list_first(ours, (name, int(arity))) | theirs
            # What is no word may stand for any.
            if all(term.ast_type == ASTType.SymbolicTerm for term in theirs.values()):
                for word, term in _list_first(users, predicate.signature).items():
                    if word not in given:
                        yield term.location, f"no rule gives {name}({word},...)", ""


def _list_first(program: Program, signature: Signature) -> dict[str, AST]:
    """List the first arguments of a predicate where a program derives it."""
    return {
        str(atom.arguments[0]): atom.arguments[0]
        for statement in program.statements
        if signature in statement.heads
        for _, atom in functions_in(statement.node.head)
        if (atom.name, len(atom.arguments)) == signature
    }


def _find_ranges(files: Iterable[RuleFile]) -> dict[tuple[Signature, int], range]:
    """Find the arguments whose range is told: a name means the same wherever it stands."""
    predicates = [predicate for file in files for predicate in file.predicates]
    named = {
        name: range(int(least), int(most) + 1)
        for predicate in predicates
        for name, least, most in _RANGE.findall(predicate.text)
    }
    return {
        (predicate.signature, i): named[argument]
        for predicate in predicates
        for i, argument in enumerate(predicate.arguments)
        if argument in named
    }
