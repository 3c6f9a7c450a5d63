"""The scanner of printed statements, judged by clingo's own syntax trees."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from random import Random

import pytest
from clingo.ast import AST, ASTType, Sign, parse_string

from kb_score.engine.scan import Signature, scan
from tests.helpers import ROOT

RULES = [
    path
    for folder in ("asp", "boards", "templates", "tests")
    for path in sorted((ROOT / folder).rglob("*.lp"))
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCUMENTS = sorted((ROOT / "docs").glob("*.md"))


def list_atoms(node: AST) -> list[Signature]:
    """List the predicates of all atoms below a syntax tree, in their order."""
    if node.ast_type == ASTType.SymbolicAtom:
        return list(unpool(node.symbol, ""))
    found: list[Signature] = []
    for key in node.child_keys:
        child = getattr(node, key)
        for inner in [child] if isinstance(child, AST) else (child or ()):
            found += list_atoms(inner)
    return found


def unpool(symbol: AST, sign: str) -> Iterator[Signature]:
    if symbol.ast_type == ASTType.Pool:
        for one in symbol.arguments:
            yield from unpool(one, sign)
    elif symbol.ast_type == ASTType.UnaryOperation:
        yield from unpool(symbol.argument, "-")
    else:
        yield f"{sign}{symbol.name}", len(symbol.arguments)


def list_derived(head: AST) -> list[Signature]:
    """List the predicates that a head derives, or may choose, without its conditions."""
    if head.ast_type == ASTType.Literal:
        return list_atoms(head)
    if head.ast_type == ASTType.TheoryAtom:
        return []
    found: list[Signature] = []
    for element in head.elements:
        literal = getattr(element, "condition", None)
        is_aggregate = head.ast_type == ASTType.HeadAggregate
        found += list_atoms(literal.literal if is_aggregate and literal else element.literal)
    return found


def is_plain(literal: AST) -> bool:
    return bool(
        literal.ast_type == ASTType.Literal
        and literal.sign == Sign.NoSign
        and literal.atom.ast_type == ASTType.SymbolicAtom
    )


def judge(text: str) -> None:
    """Compare what is scanned in each statement of a text, as clingo prints it."""
    nodes: list[AST] = []
    parse_string(text, nodes.append, logger=lambda *_: None)
    for printed in map(str, nodes):
        # An empty condition, as in `a: ;`, is not printed.
        again: list[AST] = []
        parse_string(printed, again.append, logger=lambda *_: None)
        node = again[-1]
        if node.ast_type in (ASTType.Rule, ASTType.Minimize):
            judge_statement(node, str(node))


def flatten(found: Iterable[list[Signature]]) -> list[Signature]:
    return list(chain.from_iterable(found))


def judge_statement(node: AST, text: str) -> None:
    atoms = scan(text)

    head = [node.head] if node.ast_type == ASTType.Rule else []
    body = [list_atoms(literal) for literal in node.body]
    assert [a.signature for a in atoms if not a.in_head] == flatten(body), text
    assert [a.signature for a in atoms if a.in_head] == flatten(map(list_atoms, head)), text
    derived = [a.signature for a in atoms if a.is_derived]
    assert derived == flatten(map(list_derived, head)), text
    plain = [
        signatures
        for literal, signatures in zip(node.body, body, strict=True)
        if is_plain(literal) and len(set(signatures)) == 1
    ]
    assert [a.signature for a in atoms if a.is_plain and not a.in_head] == flatten(plain), text
    is_one = bool(derived and head[0].ast_type == ASTType.Literal and head[0].sign == Sign.NoSign)
    assert any(a.is_plain for a in atoms if a.is_derived) == is_one, text
    for atom in atoms:
        assert text.startswith(",".join(atom.arguments), atom.inside), text
        # Before it stands its name, a bracket, or what else is in a pool.
        assert text[: atom.inside].endswith((atom.name, f"{atom.name}(", ";")), text


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_rules_of_a_file_are_scanned_as_clingo_reads_them(path: Path) -> None:
    try:
        judge(path.read_text(encoding="utf-8"))
    except (RuntimeError, UnicodeDecodeError):
        pytest.skip("clingo cannot read this file")


def test_the_rules_in_documents_are_scanned_as_clingo_reads_them() -> None:
    read = 0
    for path in DOCUMENTS:
        for kind, text in BLOCK.findall(path.read_text()):
            # A message of clingo may end within a letter, which its logger cannot read.
            if kind not in ("", "prolog", "text") or not text.isascii():
                continue
            try:
                judge(text)
                read += 1
            except RuntimeError:  # this is something else
                continue
    assert read > 20


class Generator:
    """Writes statements of all kinds, as people write them."""

    strings = ('"a"', '"; :- ( : { \\" %"', '"not p(X)"', '"\\\\"', '"é)"', '". ["')
    simple = ("X", "Y", "1", "-2", "a", "_", "#inf", "#sup", "()", "b'", *strings)
    names = ("p", "q", "_r", "s'", "-t", "nothing", "p2")
    compound = (
        "f({},{})", "({},{})", "({},)", "{}+{}", "-{}", "|{}|", "{}..{}", "({};{})",
    )  # fmt: skip

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def any(self, *writers: Callable[[], str]) -> str:
        return self.random.choice(writers)()

    def some(self, write: Callable[[], str], separator: str, least: int = 1) -> str:
        return separator.join(write() for _ in range(self.random.randint(least, 3)))

    def term(self, depth: int = 2) -> str:
        if not depth or self.random.random() < 0.6:
            return self.random.choice(self.simple)
        pattern = self.random.choice(self.compound)
        return pattern.format(self.term(depth - 1), self.term(depth - 1))

    def terms(self) -> str:
        return self.some(self.term, ",")

    def atom(self) -> str:
        name = self.random.choice(self.names)
        return self.any(
            lambda: name,
            lambda: f"{name}({self.terms()})",
            lambda: f"{name}({self.some(self.terms, ';')})",
        )

    def comparison(self) -> str:
        sign = self.random.choice(("=", "!=", "<", ">=", "<="))
        return f"{self.term()} {sign} {self.term()}"

    def literal(self) -> str:
        sign = self.random.choice(("", "", "not ", "not not "))
        return self.any(lambda: f"{sign}{self.atom()}", self.comparison, lambda: "#true")

    def conditional(self) -> str:
        return f"{self.literal()}: {self.some(self.literal, ', ')}"

    def element(self) -> str:
        return self.any(self.literal, self.conditional)

    def aggregate(self, element: Callable[[], str]) -> str:
        function = self.random.choice(("#count", "#sum", "#sum+", "#min", "#max"))
        left = self.random.choice(("", "", "1 <= ", "f(X,(Y;2)) != "))
        right = self.random.choice(("", "", " = X", " < 1..2"))
        choice = f"{{ {self.some(self.element, '; ', 0)} }}"
        return (
            left
            + self.any(lambda: choice, lambda: f"{function} {{ {self.some(element, '; ', 0)} }}")
            + right
        )

    def body_element(self) -> str:
        return self.any(self.terms, lambda: f"{self.terms()}: {self.some(self.literal, ', ')}")

    def condition(self) -> str:
        sign = self.random.choice(("", "not "))
        return self.any(
            self.literal,
            self.literal,
            self.conditional,
            lambda: f"{sign}{self.aggregate(self.body_element)}",
        )

    def head(self) -> str:
        return self.any(
            self.atom,
            self.atom,
            lambda: "",
            lambda: f"not {self.atom()}",
            lambda: self.some(self.element, "; "),
            lambda: self.aggregate(lambda: f"{self.terms()}: {self.element()}"),
        )

    def statement(self) -> str:
        body = self.some(self.condition, "; ")
        return self.any(
            lambda: f"{self.head()} :- {body}.",
            lambda: f"{self.head() or 'a'}.",
            lambda: f":~ {body}. [{self.term()}@1,{self.terms()}]",
        )


def test_any_statement_is_scanned_as_clingo_reads_it() -> None:
    unread = 0
    for seed in range(5000):
        text = Generator(seed).statement()
        try:
            judge(text)
        except RuntimeError:
            unread += 1
    assert unread < 100
