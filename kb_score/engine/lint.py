"""Errors and warnings about rule files that users write, reported before the files are used."""

from __future__ import annotations

import operator
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

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

from kb_score.engine.arithmetic import may_crash
from kb_score.engine.docs import Predicate, RuleFile
from kb_score.engine.program import (
    BEFORE,
    Program,
    Statement,
    atoms_in,
    error_at,
    functions_in,
    is_number,
    plain_head,
    split_lines,
)
from kb_score.engine.scan import Signature
from kb_score.engine.turns import (
    Places,
    find_other_turns,
    find_other_turns_in_parts,
    find_unknown_in_open,
)
from kb_score.errors import RuleError, describe_list, guess, visible
from kb_score.resources import COMMON, rule_file_name

_MAX_FAULTS = 20
_STRING = re.compile(r'"(?:\\.|[^"\\])*"')
_OPTIMIZING = re.compile(r":~|#minimi[sz]e|#maximi[sz]e")
_VARIABLE = re.compile(r"\b[A-Z]\w*'*")
# A sign in a rule that does arithmetic or calls functions.
_COUNTING_SIGNS = re.compile(r"[-+*^@]")
# The numbers that arguments may have, by predicate and index from 0.
_Ranges: TypeAlias = dict[tuple[Signature, int], range]

_ALLOWED = {ASTType.Rule, ASTType.Definition, ASTType.Defined, ASTType.Program}
_SHOWING = {ASTType.ShowSignature, ASTType.ShowTerm}
_BASE = "#program base."
# The predicate of forbidden actions.
_FORBIDDEN = "forbidden"
_ALLOWED_IN_GAMES = _ALLOWED | {ASTType.ShowSignature}
_ALLOWED_IN_COPIES = _ALLOWED | {ASTType.ShowSignature, ASTType.Minimize}


def check_user_rules(
    shipped: Program,
    ours: Program,
    users: Program,
    given: Set[Signature],
    places: Mapping[str, str],
    points: Set[Signature],
    documented: Mapping[str, Set[Signature]],
    decided: Mapping[str, str],
) -> None:
    """Raise a RuleError that lists the first faults of one kind in a user's rules.

    Args:
        shipped: All our rules of the game.
        ours: Our rules without those that the user's files replace.
        users: The user's rules, including copies of ours.
        given: The predicates that the user's rules may read although no rule derives them.
        places: The paths of our files below the game's folder, by the names of the files.
        points: The extension points: predicates of ours that users' rules may derive.
        documented: The predicates that our files document, by the names of the files.
        decided: The constants that the user sets.
    """
    known = shipped.inputs | ours.derived | users.derived | users.defined | given
    numbers = _find_numbers(shipped + users, decided)
    replaceable = _find_replaceable(shipped, documented)
    for faults in (
        _find_copies(shipped, users, places),
        _find_forbidden(shipped, users, places, numbers),
        _check_constants(shipped, users, places),
        _check_parts(shipped, users),
        _find_clashes(shipped, ours, users, points, replaceable),
        _check_actions(shipped, users),
        _check_defined(known, users),
        _check_complete(known, ours, users),
    ):
        first_faults = islice(faults, _MAX_FAULTS)
        messages = dict.fromkeys(map(str, first_faults))
        if messages:
            raise RuleError("\n".join(messages))


def check_turns(ours: Program, users: Program, places: Places) -> None:
    """Raise a RuleError unless a user's rules read only their own turn, and what is known then.

    Our rules include the user's copies of our files. The places are the arguments that are turns.
    """
    faults = chain(
        find_unknown_in_open(ours, users, places, frozenset()),
        find_other_turns_in_parts(users, places),
        find_other_turns(ours, users, places),
    )
    messages = dict.fromkeys(map(str, islice(faults, _MAX_FAULTS)))
    if messages:
        raise RuleError("\n".join(messages))


def _find_copies(
    shipped: Program, users: Program, places: Mapping[str, str]
) -> Iterator[RuleError]:
    """Find files that contain most rules of one of ours under another file name."""
    for path, rules in _group_rules(users).items():
        if Path(path).name in places:
            continue
        shipped_rules = _group_rules(shipped)
        for original, original_rules in shipped_rules.items():
            number = len(original_rules)
            repeated = original_rules & rules
            if number > 1 and len(repeated) > number / 2:
                place = places[Path(original).name]
                cure = f"to replace that file, name yours {place} inside the folder"
                message = f"{visible(path)} repeats {rule_file_name(original)}"
                yield RuleError(f"{message}: {cure}")


def _find_clashes(
    shipped: Program,
    ours: Program,
    users: Program,
    points: Set[Signature],
    replaceable: Mapping[str, Set[Signature]],
) -> Iterator[RuleError]:
    """Find rules of a user that derive a predicate of ours that is not an extension point.

    A user's predicate that happens to have the same name as one of ours would change what our rules
    derive. A file that replaces one of ours may derive what that file derives, and its documented
    inputs.
    """
    derived = dict[Signature, Statement]()
    for statement in ours.statements:
        for head in statement.derives:
            derived.setdefault(head, statement)
    inputs = shipped.inputs - shipped.derived
    for statement in users.statements:
        file_name = _name_file(statement.node)
        allowed = replaceable.get(file_name, frozenset())
        heads = statement.derives - points - allowed
        for signature in sorted(heads):
            name, arity = signature
            if signature in derived:
                place = derived[signature].location.begin
                file = rule_file_name(place.filename)
                message = f"our rules already derive {name}/{arity}, in {file}:{place.line}"
            elif signature in inputs:
                message = f"{name}/{arity} is an input of our rules, provided by a file or a bot"
            else:
                continue
            cure = f"choose another name, such as my_{name}: yours would change our rules"
            if name == "illegal":
                cure = "derive forbidden/4 instead, to say what is not allowed in this game"
            yield error_at(_locate_head(statement), message, cure)


def find_unknown_actions(users: Program, actions: Mapping[Signature, str]) -> Iterator[RuleError]:
    """Yield errors at rules that forbid an action which no answer can have.

    The actions of answers are text, such as ``go(P,D)``, by name and arity.
    """
    for statement in users.statements:
        for action in _list_actions(statement.node.head) if statement.heads else ():
            is_term = action.ast_type in (ASTType.Function, ASTType.SymbolicTerm)
            name, arity = _read_signature(action)
            if is_term and (name, arity) not in actions:
                message = f"no answer has an action {name}/{arity}"
                hint = f"the actions are {describe_list(list(actions.values()))}"
                yield error_at(action.location, message, hint)


def _list_actions(node: AST) -> Iterator[AST]:
    """Yield the terms for actions in the atoms of forbidden/4; each alternative of a pool."""
    for _, atom in functions_in(node):
        if atom.name == _FORBIDDEN and len(atom.arguments) > 1:
            action = atom.arguments[1]
            if action.ast_type == ASTType.Pool:
                yield from action.arguments
            else:
                yield action


def _read_signature(term: AST) -> Signature:
    """Return the name of a term, and the number of its arguments."""
    return getattr(term, "name", str(term)), len(getattr(term, "arguments", ()))


def _check_actions(shipped: Program, users: Program) -> Iterator[RuleError]:
    """Check that a user forbids actions of the game, if our rules name them."""
    actions = _find_own_actions(shipped)
    if actions:
        yield from find_unknown_actions(users, actions)


def _find_own_actions(shipped: Program) -> dict[Signature, str]:
    """Find the actions that our rules read from forbidden/4; none if they read any term."""
    found: dict[Signature, str] = {}
    for statement in shipped.statements:
        if not any(name == _FORBIDDEN for name, _ in statement.body):
            continue
        for literal in statement.node.body:
            for action in _list_actions(literal):
                if action.ast_type == ASTType.Function and action.arguments:
                    found.setdefault(_read_signature(action), str(action))
    return found


def _name_file(node: AST) -> str:
    """Return the name of the file that contains a statement."""
    path = Path(node.location.begin.filename)
    return path.name


def _locate_head(statement: Statement) -> Location:
    """Return the location of a rule's head if it derives one atom, otherwise that of the rule."""
    node = plain_head(statement) or statement.node
    assert isinstance(node.location, Location)
    return node.location


def _find_replaceable(
    shipped: Program, documented: Mapping[str, Set[Signature]]
) -> Mapping[str, Set[Signature]]:
    """Return the predicates that a copy of each of our files may derive, by file name."""
    derived = _find_heads_by_file(shipped)
    return {
        file: signatures | derived.get(file, frozenset()) for file, signatures in documented.items()
    }


@lru_cache(maxsize=16)
def _find_heads_by_file(program: Program) -> Mapping[str, Set[Signature]]:
    """Return the predicates that each file derives, by the names of the files."""
    found = defaultdict[str, set[Signature]](set)
    for statement in program.statements:
        if statement.heads:
            file = _name_file(statement.node)
            found[file] |= statement.derives
    return found


@lru_cache(maxsize=16)
def _group_rules(program: Program) -> Mapping[str, Set[str]]:
    """Group the texts of rules by the paths of their files."""
    grouped = defaultdict[str, set[str]](set)
    for node in program.nodes(ASTType.Rule):
        path = node.location.begin.filename
        grouped[path].add(str(node))
    return grouped


def _find_forbidden(
    shipped: Program, users: Program, places: Mapping[str, str], numbers: Mapping[str, int]
) -> Iterator[RuleError]:
    """Find statements that are not allowed, calls of functions, and numbers beyond 32 bits."""
    parts = _list_parts(shipped)
    for statement in users.statements:
        node = statement.node
        # A copy of a file that all games share may have the parts of any game.
        known = shipped.parts if _is_shared(node) else parts
        yield from _check_kind(node, known, places)
        yield from _find_calls(node, numbers)


def _find_calls(node: AST, numbers: Mapping[str, int]) -> Iterator[RuleError]:
    """Find calls of functions, numbers beyond 32 bits, and doubtful divisions in a statement."""
    if node.ast_type == ASTType.Definition:
        for term in filter(may_crash, _Values(node).operations):
            yield error_at(term.location, "a #const can only be divided by a number above 0")
    # Reading the text is many times faster than walking the tree.
    text = _write_without_strings(node).replace(":-", ":")
    if not _COUNTING_SIGNS.search(text):
        return
    values = _Values(node)
    for call in values.calls:
        hint = "rules here cannot call functions"
        yield error_at(call.location, f"@{call.name} calls a function", hint)
    for term in values.operations:
        if abs(_multiply(term, numbers)) >= 2**31:
            yield error_at(term.location, f"{term} does not fit in 32 bits")


def find_game_faults(
    program: Program, shared: Program, points: Set[Signature], kinds: Set[str]
) -> Iterator[RuleError]:
    """Yield the faults in the rules of a user's game: what such rules cannot contain.

    Args:
        shared: The rules that such games share.
        points: The predicates of the shared rules that the rules of a game may add to.
        kinds: The stems of the files that may prefer one answer set to another.
    """
    numbers = _find_numbers(program, {})
    derived = shared.derived - points
    for statement in program.statements:
        node = statement.node
        prefers = node.ast_type == ASTType.Minimize
        is_allowed = node.ast_type in _ALLOWED_IN_GAMES
        if prefers:
            path = Path(node.location.begin.filename)
            is_allowed = path.stem in kinds
        if not is_allowed:
            kind = _first_word(node)
            hint = "only rules, facts, parts, #const and #show statements are allowed"
            if prefers:
                hint = "only the rule file for a kind of record may rank explanations"
            yield error_at(node.location, f"{kind} is not allowed in the rules of a game", hint)
            continue
        yield from _find_calls(node, numbers)
        if node.ast_type == ASTType.Rule:
            yield from _warn_about_globals(node, plain=False)
        clashes = statement.derives & derived
        for name, arity in sorted(clashes):
            message = f"{name}/{arity} is derived by the rules that all games share"
            yield error_at(node.location, message, "choose another name")
    yield from _check_parts(program, program)


def _first_word(node: AST) -> str:
    """Return the first word of a statement as the file has it, such as ``#show``."""
    if node.ast_type == ASTType.Minimize:
        # clingo writes each element of a #minimize or a #maximize as a statement of its own.
        begin = node.location.begin
        lines = split_lines(Path(begin.filename).read_text(encoding="utf-8"))
        before = "\n".join([*lines[: begin.line - 1], lines[begin.line - 1][: begin.column + 1]])
        *_, word = _OPTIMIZING.findall(before)
        return str(word)
    word, *_ = str(node).split(maxsplit=1)
    return word


def _write_without_strings(node: AST) -> str:
    """Write a syntax tree as text, with all strings emptied."""
    return _STRING.sub('""', str(node))


def _list_parts(program: Program) -> frozenset[str]:
    """List the parts of a game, without those that only the files shared by all games have."""
    nodes = program.nodes(ASTType.Program)
    return frozenset(str(node) for node in nodes if not _is_shared(node))


def _is_shared(node: AST) -> bool:
    """Return whether a statement is in a file that all games share, or in a copy of one."""
    path = Path(node.location.begin.filename)
    return path.parent.name == COMMON


def _check_parts(shipped: Program, users: Program) -> Iterator[RuleError]:
    """Check that no rule outside the parts uses a part's parameter: there it is just a word."""
    known = sorted(_list_parts(shipped) - {_BASE})
    if not known:
        return
    of_turns = [part for part in known if "step(" in part or "turn(" in part]
    above = of_turns[0] if of_turns else " or ".join(known)
    is_outside = True
    for statement in users.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            is_outside = not node.parameters
        elif statement.kind == ASTType.Rule and is_outside:
            for word, place in _Values(node).words.items():
                if word in shipped.parameters:
                    message = f"{word} is used in a rule outside any part"
                    yield error_at(place, message, f"write {above} above the rule")


def _check_kind(node: AST, parts: frozenset[str], places: Mapping[str, str]) -> Iterator[RuleError]:
    """Check that a statement is allowed, and that a part is one of the game's."""
    if node.ast_type == ASTType.Program and str(node) not in parts:
        others = ", ".join(sorted(parts - {_BASE}))
        hint = f"the parts of this game are {others}" if others else "the rules here have no parts"
        yield error_at(node.location, f"no file of this game has a part {node}", hint)
    allowed = _ALLOWED_IN_COPIES if _name_file(node) in places else _ALLOWED
    if node.ast_type not in allowed:
        kind = _first_word(node)
        hint = "only rules, facts and #const statements are allowed"
        if node.ast_type in _SHOWING:
            hint = "kb-score decides what is shown"
        yield error_at(node.location, f"{kind} is not allowed in your rules", hint)


def _check_constants(
    shipped: Program, users: Program, places: Mapping[str, str]
) -> Iterator[RuleError]:
    """Check that a user's constants change no constant and no word of our rules."""
    new = dict(users.find_constants())
    for name in shipped.find_constants():
        node = new.pop(name, None)
        if node is not None and _name_file(node) not in places:
            hint = "a ruling is set with --const NAME=VALUE"
            yield error_at(node.location, f"redefinition of constant {name}", hint)
    if not new:
        return
    words = _find_words(shipped)
    for name, node in new.items():
        if name in words:
            hint = "rename the constant"
            yield error_at(node.location, f"our rules use {name} as a word", hint)


@lru_cache(maxsize=16)
def _find_words(program: Program) -> frozenset[str]:
    """Find the words in rules."""
    words = set[str]()
    for statement in program.statements:
        values = _Values(statement.node)
        words.update(values.words)
    return frozenset(words)


def _find_numbers(program: Program, decided: Mapping[str, str]) -> dict[str, int]:
    """Return the constants that are numbers, with their values from the files or the user."""
    numbers = {name: int(value) for name, value in decided.items() if is_number(value)}
    for name, node in program.find_constants().items():
        if name in decided:
            continue
        number = _evaluate(node.value, numbers)
        if number is not None:
            numbers[name] = number
    return numbers


def _multiply(term: AST, numbers: Mapping[str, int]) -> int:
    """Return the value of a term; for a product with variables, that of its numeric factors.

    It is 1 for any other term with variables. The numbers are the values of constants.
    """
    number = _evaluate(term, numbers)
    if number is not None:
        return number
    if term.ast_type != ASTType.BinaryOperation:
        return 1
    if term.operator_type != BinaryOperator.Multiplication:
        return 1
    left = _multiply(term.left, numbers)
    right = _multiply(term.right, numbers)
    return left * right


def _evaluate(term: AST, numbers: Mapping[str, int]) -> int | None:
    """Return the value of a numeric term.

    It is None if the term has variables or other operations, or an operand has more than 32 bits.
    """
    if term.ast_type == ASTType.SymbolicTerm:
        symbol = term.symbol
        if symbol.type == SymbolType.Number:
            return int(symbol.number)
        return numbers.get(str(symbol))
    if term.ast_type == ASTType.UnaryOperation and term.operator_type == UnaryOperator.Minus:
        number = _evaluate(term.argument, numbers)
        if number is None:
            return None
        return -number
    if term.ast_type != ASTType.BinaryOperation:
        return None
    left = _evaluate(term.left, numbers)
    right = _evaluate(term.right, numbers)
    if left is None or right is None:
        return None
    if max(abs(left), abs(right)) >= 2**31:
        return None
    if term.operator_type == BinaryOperator.Power and right >= 0:
        # A power that is far beyond 32 bits need not be exact.
        exponent = min(right, 2**8)
        return int(left**exponent)
    operate = _OPERATIONS.get(term.operator_type)
    if operate is None:
        return None
    result: int = operate(left, right)
    return result


_OPERATIONS = {
    BinaryOperator.Plus: operator.add,
    BinaryOperator.Minus: operator.sub,
    BinaryOperator.Multiplication: operator.mul,
}


def _check_defined(known: frozenset[Signature], users: Program) -> Iterator[RuleError]:
    """Check that something defines each predicate in a user's rules."""
    for statement in users.statements:
        for signature, location in atoms_in(statement.node):
            if signature not in known:
                name, arity = signature
                hint = _suggest(signature, known)
                yield error_at(location, f"nothing defines {name}/{arity}", hint)


def _suggest(signature: Signature, known: frozenset[Signature]) -> str:
    """Return a hint that names predicates similar to an unknown one."""
    name, arity = signature
    arities = sorted(n for known_name, n in known if known_name == name)
    if arities:
        counts = " or ".join(map(str, arities))
        noun = "argument" if arities == [1] else "arguments"
        return f"{name} has {counts} {noun}, not {arity}"
    names = _list_names(known)
    hint = guess(name, names, "")
    return f"{hint} `kb-score rules list` shows all predicates".strip()


def _list_names(signatures: Iterable[Signature]) -> list[str]:
    """List the names of predicates, sorted."""
    names = {name for name, _ in signatures}
    return sorted(names)


def find_unused(shipped: Program, users: Program) -> list[str]:
    """Return a message for each predicate that a user's rules derive and no rule reads."""
    known = shipped.inputs | shipped.derived
    asked = known | users.defined | users.used
    for name, arity in users.used:
        asked |= {(name.removeprefix(BEFORE), arity)}
    found = dict[str, None]()
    for statement in users.statements:
        unused = statement.derives - asked
        for signature in sorted(unused):
            name, arity = signature
            hint = _suggest(signature, known)
            place = _locate_head(statement)
            error = error_at(place, f"nothing uses {name}/{arity}", hint)
            found[str(error)] = None
        if len(found) >= _MAX_FAULTS:
            break
    return list(found)


def _list_open(ours: Program) -> frozenset[Signature]:
    """List the predicates that a game's own files declare as ``#defined``."""
    own = tuple(statement for statement in ours.statements if not _is_shared(statement.tree))
    return Program(own).defined


def _check_complete(
    known: frozenset[Signature], ours: Program, users: Program
) -> Iterator[RuleError]:
    """Check that files which replace ours still derive what our other files read."""
    asking = [statement for statement in ours.statements if not statement.body <= known]
    if not asking:
        return
    open_in_own = _list_open(ours)
    names = _list_names(users.derived)
    for statement in asking:
        node = statement.node
        # A predicate that only files shared by all games declare as #defined must still be derived.
        optional = ours.defined if _is_shared(node) else open_in_own
        missing = statement.body - known - optional
        for name, arity in sorted(missing):
            file = _name_file(node)
            line = node.location.begin.line
            hint = guess(name, names, ": ")
            yield RuleError(
                f"your rules replace ours, but do not derive {name}/{arity}, "
                f"which {file}:{line} uses{hint}"
            )


# The range of an argument in the documentation.
_RANGE = re.compile(r"\b([A-Z]\w*)(?:,| is) a number from (\d+) to (\d+)")
# A string or a word in a syntax tree, as clingo writes it. The name of a predicate is not a word:
# its arguments or their number follow, or it is a whole literal.
_OCCURRENCE = re.compile(
    r'("(?:[^"\\]|\\.)*")|(?:^|; |:- |: |not )_*[a-z]\w*(?=[;.:]|$| :-)'
    r"|(?<![#\w])(?!not\b)(_*[a-z]\w*)\b(?![(/])"
)


def find_warnings(
    ours: Program, users: Program, files: Iterable[RuleFile], decided: Mapping[str, str]
) -> list[str]:
    """Return a message with its place for each probable mistake in a user's rules.

    Many mistakes are cut to the first messages and one about the others. Our rules include the
    user's copies of them.
    """
    words = _find_constant_words(ours + users)
    words.update(decided.values())
    texts = set[str]()
    for node in _find_occurrences(ours, users):
        # Reading the text is many times faster than walking the tree.
        for text, word in _OCCURRENCE.findall(str(node)):
            if text:
                texts.add(text[1:-1])
            elif word:
                words.add(word)
    predicates = list[Predicate]()
    for file in files:
        predicates += file.predicates
    ranges = _find_ranges(predicates)
    doubts = chain(
        _warn_about_empty(ours, users, predicates),
        _warn_about_statements(users, words, texts, ranges),
    )
    first_doubts = islice(doubts, _MAX_FAULTS + 1)
    messages = list(map(str, first_doubts))
    if len(messages) > _MAX_FAULTS:
        messages[-1] = f"there are more than {_MAX_FAULTS} warnings: these are the first"
    return messages


def _find_constant_words(program: Program) -> set[str]:
    """Find the names and values of constants: a rule may compare them, as in `mode = slow`."""
    words = set[str]()
    for name, node in program.find_constants().items():
        words.add(name)
        words.add(str(node.value))
    for statement in program.statements:
        if statement.allowed is not None:
            words.update(statement.allowed.words)
    return words


def _warn_about_statements(
    users: Program, words: Set[str], texts: Set[str], ranges: _Ranges
) -> Iterator[RuleError]:
    """Yield the probable mistakes in single rules of a user."""
    for statement in users.statements:
        rule = statement.node
        if rule.ast_type != ASTType.Rule:
            continue
        yield from _warn_about_numbers(rule, ranges)
        # A fact has no variables and no conditions, and there may be thousands of facts.
        if not rule.body and not statement.guides:
            continue
        sums = list(_warn_about_globals(rule)) or list(_warn_about_sums(rule))
        yield from sums
        # A variable missing from the tuple of a sum often occurs only once: report one mistake.
        if not sums:
            yield from _warn_about_variables(rule, words)
        for part in rule.body:
            yield from _warn_about_words(part, words, texts)


def _find_occurrences(ours: Program, users: Program) -> Iterator[AST]:
    """Yield the syntax trees whose words and strings may occur in atoms that some body reads.

    Heads of our rules that no body reads are left out.
    """
    read = set[Signature]()
    for statement in ours.statements:
        # A predicate that only its own rules read does not count.
        read |= statement.body - statement.heads
    for statement in users.statements:
        read |= statement.body
    for statement in ours.statements:
        if not statement.heads or not read.isdisjoint(statement.heads):
            yield statement.node
        else:
            yield from statement.node.body
    for statement in users.statements:
        if statement.node.ast_type == ASTType.Rule:
            yield statement.node.head


class _Values(Transformer):
    """The words, strings, variables, calls and operations in a syntax tree, and their locations."""

    def __init__(self, node: AST) -> None:
        self.words: dict[str, Location] = {}
        self.texts: dict[str, Location] = {}
        self.variables = defaultdict[str, list[Location]](list)
        self.calls: list[AST] = []
        self.operations: list[AST] = []
        self.visit(node)

    def visit_SymbolicTerm(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        symbol = node.symbol
        if symbol.type == SymbolType.String:
            self.texts.setdefault(symbol.string, node.location)
        elif symbol.type == SymbolType.Function:
            self.words.setdefault(str(symbol), node.location)
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
        self.variables[node.name].append(node.location)
        return node


def _warn_about_variables(rule: AST, words: Set[str]) -> Iterator[RuleError]:
    """Yield a warning for each variable that occurs once."""
    # Reading the text is many times faster than walking the tree.
    text = _write_without_strings(rule)
    counts = Counter(_VARIABLE.findall(text))
    if 1 not in counts.values():
        return
    values = _Values(rule)
    for name, places in values.variables.items():
        if len(places) > 1 or name[0] == "_":
            continue
        hint = ""
        if len(name) > 2:
            hint = guess(name, sorted(words), "", cutoff=0.7)
        if not hint:
            hint = "write _ for any value"
        yield error_at(places[0], f"the variable {name} is used only once", hint)


def _warn_about_words(part: AST, words: Set[str], texts: Set[str]) -> Iterator[RuleError]:
    """Yield a warning for each word and string in a condition that occurs nowhere else."""
    values = _Values(part)
    for word, location in values.words.items():
        if word not in words:
            message = f"no fact or rule gives {word}: this can never hold"
            hint = guess(word, sorted(words | texts), "", cutoff=0.7)
            yield error_at(location, message, hint)
    for text, location in values.texts.items():
        if text in words and text not in texts:
            message = f'"{text}" is a string, not a word: this can never hold'
            yield error_at(location, message, f"did you mean {text}?")


def _warn_about_numbers(rule: AST, ranges: _Ranges) -> Iterator[RuleError]:
    """Yield a warning for each number outside the documented range of its argument."""
    for node in (rule.head, *rule.body):
        for _, atom in functions_in(node):
            arguments = atom.arguments
            signature = (atom.name, len(arguments))
            for index, argument in enumerate(arguments):
                allowed = ranges.get((signature, index))
                if allowed is None:
                    continue
                text = str(argument)
                if text.isdecimal() and int(text) not in allowed:
                    message = f"{text} is not from {allowed[0]} to {allowed[-1]}"
                    yield error_at(argument.location, f"{message}: this can never hold")


_COUNTING = {AggregateFunction.Count, AggregateFunction.Sum, AggregateFunction.SumPlus}


def _find_aggregates(rule: AST) -> tuple[list[AST], set[str]]:
    """Return the aggregates of a rule's body, and the variables that have a value outside."""
    aggregates = list[AST]()
    outside = list[AST]()
    if rule.head.ast_type == ASTType.Literal:
        outside.append(rule.head)
    for literal in rule.body:
        # The variables of a conditional literal have values only there.
        if literal.ast_type != ASTType.Literal:
            continue
        atom = literal.atom
        if atom.ast_type == ASTType.BodyAggregate:
            aggregates.append(atom)
            outside += filter(None, [atom.left_guard, atom.right_guard])
        else:
            outside.append(literal)
    if not aggregates:
        return [], set()
    return aggregates, set(_list_variables(outside)) - {"_"}


def _warn_about_sums(rule: AST) -> Iterator[RuleError]:
    """Yield a warning for each sum or count whose tuple lacks the variables of its condition."""
    aggregates, known = _find_aggregates(rule)
    for aggregate in aggregates:
        if aggregate.function not in _COUNTING:
            continue
        for element in aggregate.elements:
            cure = _find_fix(element, known)
            if cure:
                terms = element.terms
                place = terms[0] if terms else aggregate
                message = "this counts once, however often its condition holds"
                yield error_at(place.location, message, f"{cure}, so that each counts")


def _warn_about_globals(rule: AST, *, plain: bool = True) -> Iterator[RuleError]:
    """Yield a warning for each aggregate with a tuple whose variables all have one value.

    If ``plain`` is set, this includes tuples without a condition, where that may be meant.
    """
    aggregates, known = _find_aggregates(rule)
    for aggregate in aggregates:
        for element in aggregate.elements:
            in_tuple = _list_variables(element.terms)
            if not in_tuple or not known.issuperset(in_tuple):
                continue
            cure = "use another name inside them, unless that value is meant"
            if not element.condition:
                if not plain:
                    continue
                cure = "give the terms names outside of the braces, as in D = |R-R1|, E = |C-C1|, "
                cure += "M = #max { X : X = (D;E) }"
            message = f"{in_tuple[0]} has a value outside of the braces"
            yield error_at(element.terms[0].location, message, cure)
            break


def _find_fix(element: AST, known: Set[str]) -> str:
    """Return how to count everything that meets a condition; empty if all of it is counted.

    The known variables are those that occur outside of the aggregate.
    """
    variables = _list_variables(element.condition)
    free = [name for name in variables if name not in known]
    in_tuple = _list_variables(element.terms)
    if not free or not set(free).isdisjoint(in_tuple):
        return ""
    if "_" in free:
        return "name what is counted there"
    terms = map(str, element.terms)
    longer = ",".join([*terms, *free])
    return f"write {longer} : ..."


def _list_variables(nodes: Iterable[AST]) -> list[str]:
    """List the variables in syntax trees, each once."""
    found = dict[str, None]()
    for node in nodes:
        values = _Values(node)
        found.update(dict.fromkeys(values.variables))
    return list(found)


# In the documentation of a predicate: another predicate has rules for each first argument.
_GIVES = re.compile(r"\bIts rules give (\w+)/(\d+)")


def _warn_about_empty(
    ours: Program, users: Program, predicates: Iterable[Predicate]
) -> Iterator[RuleError]:
    """Yield a warning for each fact, such as a card, whose documented rules do not exist."""
    for predicate in predicates:
        for name, arity in _GIVES.findall(predicate.text):
            signature = (name, int(arity))
            theirs = _list_first(users, signature)
            given = _list_first(ours, signature) | theirs
            # A term that is not a word may have any value.
            types = {term.ast_type for term in theirs.values()}
            if not types <= {ASTType.SymbolicTerm}:
                continue
            facts = _list_first(users, predicate.signature)
            for word, term in facts.items():
                if word not in given:
                    yield error_at(term.location, f"no rule gives {name}({word},...)")


def _list_first(program: Program, signature: Signature) -> dict[str, AST]:
    """Return the first arguments of a predicate where a program derives it, by their text."""
    found: dict[str, AST] = {}
    for statement in program.statements:
        if signature not in statement.heads:
            continue
        for _, atom in functions_in(statement.node.head):
            if (atom.name, len(atom.arguments)) == signature:
                first = atom.arguments[0]
                found[str(first)] = first
    return found


def _find_ranges(predicates: Iterable[Predicate]) -> _Ranges:
    """Return the documented ranges of arguments; those of the same name have the same range."""
    named: dict[str, range] = {}
    for predicate in predicates:
        for name, least, most in _RANGE.findall(predicate.text):
            named[name] = range(int(least), int(most) + 1)
    found: _Ranges = {}
    for predicate in predicates:
        for index, argument in enumerate(predicate.arguments):
            if argument in named:
                found[predicate.signature, index] = named[argument]
    return found
