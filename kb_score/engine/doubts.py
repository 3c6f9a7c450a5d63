"""What in a user's rules can be run but is hardly meant: words nobody says, variables used once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
from difflib import get_close_matches

from clingo import SymbolType
from clingo.ast import AST, ASTType, Location, Transformer

from kb_score.engine.program import Program, Signature, functions_in
from kb_score.engine.rulebook import RuleFile
from kb_score.engine.user_rules import error_at

# How the documentation of an argument tells its range.
_RANGE = re.compile(r"\b([A-Z]\w*)(?:,| is) a number from (\d+) to (\d+)")
# A text or a word in what clingo writes of a syntax tree. The name of a predicate is none, whether
# its arguments follow, or their number, or it is a whole literal.
_SAID = re.compile(
    r'("(?:[^"\\]|\\.)*")|(?:^|; |:- |: |not )_*[a-z]\w*(?=[;.:]|$| :-)'
    r"|(?<![#\w])(?!not\b)(_*[a-z]\w*)\b(?![(/])"
)


def find_doubts(ours: Program, users: Program, files: Iterable[RuleFile]) -> list[str]:
    """Find what can hardly be meant in the rules of a user, each as a message with its place.

    Args:
        ours: All our rules of the game, whose words are known.
        users: The rules of the user that stand in for none of ours.
        files: What our files say of themselves, for the ranges of numbers.
    """
    words = {*ours.find_constants(), *users.find_constants()}
    texts = set[str]()
    for node in _find_said(ours, users):
        # Reading the text is many times faster than walking the tree.
        for text, word in _SAID.findall(str(node)):
            if text or word:
                (texts if text else words).add(text[1:-1] or word)
    ranges = _find_ranges(files)
    doubts = []
    for statement in users.statements:
        if statement.node.ast_type == ASTType.Rule:
            found = [
                *_doubt_variables(statement.node, words),
                *(d for part in statement.node.body for d in _doubt_words(part, words, texts)),
                *_doubt_numbers(statement.node, ranges),
            ]
            doubts += [str(error_at(*doubt)) for doubt in found]
    return doubts


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
    """The words, texts and variables in a syntax tree, and where each stands."""

    def __init__(self, node: AST) -> None:
        self.words: dict[str, Location] = {}
        self.texts: dict[str, Location] = {}
        self.variables: dict[str, list[Location]] = {}
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
        if not node.arguments and node.name:
            self.words.setdefault(node.name, node.location)
        self.visit_children(node)
        return node

    def visit_Variable(self, node: AST) -> AST:  # noqa: N802, the name is clingo's
        self.variables.setdefault(node.name, []).append(node.location)
        return node


def _doubt_variables(rule: AST, words: Set[str]) -> Iterator[_Doubt]:
    # Single letters are the usual names of what does not matter, such as R and C.
    for name, places in _Values(rule).variables.items():
        if len(places) == 1 and len(name.rstrip("0123456789")) > 1 and name[0] != "_":
            close = _suggest(name.lower(), words)
            yield places[0], f"the variable {name} is used once", close or "write _ for any value"


def _doubt_words(part: AST, words: Set[str], texts: Set[str]) -> Iterator[_Doubt]:
    values = _Values(part)
    for word, location in values.words.items():
        if word not in words:
            message = f"no fact and no rule says {word}: this can never hold"
            yield location, message, _suggest(word, words | texts)
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


def _suggest(word: str, words: Set[str]) -> str:
    close = get_close_matches(word, sorted(words), n=1, cutoff=0.7)
    return f"did you mean {close[0]}?" if close else ""
