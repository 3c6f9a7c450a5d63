"""Trees of reasons, on programs of a few lines."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from textwrap import indent

import pytest
from clingo import Symbol, SymbolType, parse_term

from kb_score.engine.docs import Words, read_rule_files
from kb_score.engine.lift import lift_turns
from kb_score.engine.program import parse_program
from kb_score.engine.terms import Facts, Name, Value
from kb_score.reasons.trace import Pattern, Reasons
from kb_score.reasons.trees import Tree, WhyNode, describe, write_tree
from kb_score.reasons.why_not import WhyNot
from tests.helpers import ASP, ROOT

PATHS = """
edge(X,Y) :- link(X,Y).
edge(Y,X) :- link(X,Y).
reach(X) :- start(X).
reach(Y) :- reach(X), edge(X,Y).
"""
# Of each case a heading, rules, facts and questions, each above the tree that answers it. The page
# answers them, too: web/test/tree.test.js.
CASES = (ROOT / "web" / "test" / "cases" / "trees.txt").read_text().strip().split("\n\n")


def open_reasons(
    text: str, facts: Facts, required: Symbol | None = None, words: Words | None = None
) -> Reasons:
    return Reasons(parse_program(text), facts, words or Words([]), required=required)


def list_steps(reason: WhyNode) -> list[str]:
    return [f"{node.kind} {node.atom}" for node in reason.walk()]


def read_facts(text: str) -> Facts:
    """Read facts, each of which ends with a full stop."""
    facts: dict[str, list[tuple[Value, ...]]] = {}
    for fact in filter(str.strip, text.split(".")):
        atom = parse_term(fact)
        values = (a.number if a.type is SymbolType.Number else Name(a.name) for a in atom.arguments)
        facts.setdefault(atom.name, []).append(tuple(values))
    return facts


def answer_case(case: str, path: Path) -> str:
    """Write a case of trees.txt with the answers of now; its rules are written to a path."""
    facts: Facts = {}
    rules, required, limits, lines = "", None, {"depth": 9, "width": 9}, []
    for line in case.splitlines(keepends=True):
        word, _, rest = line.partition(" ")
        match word:
            case "given":
                facts = read_facts(rest)
            case "required":
                required = parse_term(rest)
            case "depth" | "width":
                limits[word] = int(rest)
            case "why":
                path.write_text(rules)
                reasons = open_reasons(rules, facts, required, Words([path]))
                line += answer(reasons, rest, limits)
            case "":
                continue
            case _ if word != "%":
                rules += line
        lines.append(line)
    return "".join(lines)


def answer(reasons: Reasons, asked: str, limits: Mapping[str, int]) -> str:
    atom = parse_term(asked.removeprefix("not "))
    if asked.startswith("not "):
        arguments = tuple(None if str(a) == "any" else a for a in atom.arguments)
        pattern = Pattern((atom.name, len(arguments)), arguments)
        tree = WhyNot(reasons, **limits).explain(pattern)
    else:
        tree = Tree(reasons, **limits).explain(atom)
    return indent(write_tree(tree, 0).replace("<string>:", "line "), "  ") + "\n"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.splitlines()[0])
def test_the_trees_of_a_case_are_as_it_shows(case: str, tmp_path: Path) -> None:
    assert answer_case(case + "\n", tmp_path / "rules.lp") == case + "\n"


def test_a_step_names_its_rule_its_values_and_what_it_rests_on() -> None:
    reasons = open_reasons("\npaid(P,N+1) :- has(P,N), N > 1.", {"has": [(Name("a"), 2)]})

    reason = Tree(reasons, depth=9, width=9).explain(parse_term("paid(a,3)"))

    assert list_steps(reason) == ["follows paid(a,3)", "given has(a,2)", "compared 2 > 1"]
    assert reason.origin is not None
    assert reason.origin.line == 2
    assert reason.values == {"P": "a", "N": "2"}


def test_rings_of_any_form_are_explained_without_a_circle() -> None:
    random = Random(5)
    for _ in range(20):
        links = [(random.randrange(9), random.randrange(9)) for _ in range(14)]
        reasons = open_reasons(PATHS, {"link": links, "start": [(0,), (7,)]})
        for atom in reasons.atoms(("reach", 1)):
            reason = Tree(reasons, depth=30, width=9).explain(atom)
            assert not find_circles(reason, ())
            assert all(node.kind != "given" or "reach" not in node.atom for node in reason.walk())


def find_circles(reason: WhyNode, above: tuple[str, ...]) -> list[str]:
    found = [reason.atom] if reason.atom in above else []
    return found + [c for r in reason.because for c in find_circles(r, (*above, reason.atom))]


def test_what_stays_the_same_for_many_turns_is_one_line() -> None:
    program = parse_program(
        "on(X,0) :- lamp(X). "
        "#program step(t). kept(X,t) :- on(X,t-1). on(X,t) :- kept(X,t), not pressed(X,t)."
    )
    facts: Facts = {"lamp": [(5,)], "turn": [(t,) for t in range(1, 101)], "pressed": [(6, 3)]}
    lifted = lift_turns(program, ["step"])
    reasons = Reasons(lifted, facts, Words([]))

    reason = Tree(reasons, depth=9, width=9).explain(parse_term("on(5,100)"))

    assert list_steps(reason) == [
        "follows on(5,100)",
        "follows kept(5,100)",
        "steps on(5,99)",
        "follows on(5,0)",
        "given lamp(5)",
        "absent not pressed(5,100)",
    ]
    assert "2 rules 99 more times" in reason.because[0].because[0].says


def test_what_is_lacking_again_is_not_denied_twice() -> None:
    assert describe(WhyNode("again", "not p(1)", "1 plays")) == "missing: 1 plays [p(1); see above]"


DOCUMENTED = """
%*! p(P,N): player {P} has {N:settlement} in {N:row}, whatever {X} is. Not told: {P}. *%
%*! hex(R,C,P): Input of a test: The hex ({R},{C}) belongs to player {P}, or to player; {R}. *%
%*! pays(Who,Text): Pays {Text} to {Who}. *%
%*! plain(N): N has no braces. *%
"""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("p(1,1)", "player 1 has 1 settlement in 1 row, whatever X is"),
        ("p(1,2)", "player 1 has 2 settlements in 2 rows, whatever X is"),
        ("p(any,any)", "player P has N settlements in N rows, whatever X is"),
        ("hex(any,2,3)", "The hex (R,2) belongs to player 3, or to player"),
        ('pays(#sup,("all of",(1,2)))', "Pays all of 1,2 to none"),
        ("plain(1)", "N has no braces"),
        ("unknown(1)", ""),
    ],
)
def test_an_atom_is_said_by_the_template_of_its_predicate(
    given: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "rules.lp").write_text(DOCUMENTED)
    atom = parse_term(given)
    arguments = [None if str(value) == "any" else value for value in atom.arguments]

    said = Words([tmp_path / "rules.lp"]).say((atom.name, len(arguments)), arguments)

    assert said == says


def test_the_templates_of_our_rules_name_their_arguments() -> None:
    for path in sorted(ASP.rglob("*.lp")):
        (file,) = read_rule_files([path])
        for predicate in file.predicates:
            named = re.findall(r"[{](\w+)", predicate.template)
            assert set(named) <= set(predicate.arguments), (path, predicate)
            assert not predicate.arguments or named, (path, predicate)
