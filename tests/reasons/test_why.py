"""Trees of reasons, on programs of a few lines."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from clingo import Symbol, parse_term

from kb_score.engine.docs import Words, read_rule_files
from kb_score.engine.lift import lift_to_turns
from kb_score.engine.program import parse_program
from kb_score.engine.terms import Facts, Name
from kb_score.reasons.trace import Pattern, Reasons
from kb_score.reasons.trees import Tree, WhyNode, describe
from kb_score.reasons.why_not import WhyNot
from tests.helpers import ASP

PATHS = """
edge(X,Y) :- link(X,Y).
edge(Y,X) :- link(X,Y).
reach(X) :- start(X).
reach(Y) :- reach(X), edge(X,Y).
"""
RING: Facts = {"link": [(1, 2), (2, 3), (3, 4), (4, 1)], "start": [(3,)]}


def open_reasons(text: str, facts: Facts, required: Symbol | None = None) -> Reasons:
    return Reasons(parse_program(text), facts, Words([]), required=required)


def explain(
    text: str, atom: str, facts: Facts | None = None, *, depth: int = 9, width: int = 9
) -> WhyNode:
    return Tree(open_reasons(text, facts or {}), depth=depth, width=width).explain(parse_term(atom))


def lack(
    text: str, atom: str, facts: Facts | None = None, *, depth: int = 9, width: int = 9
) -> WhyNode:
    symbol = parse_term(atom)
    arguments = tuple(None if str(a) == "any" else a for a in symbol.arguments)
    reasons = open_reasons(text, facts or {})
    pattern = Pattern((symbol.name, len(arguments)), arguments)
    return WhyNot(reasons, depth=depth, width=width).explain(pattern)


def sketch(reason: WhyNode) -> str:
    """Write a tree as one line."""
    inner = ", ".join(map(sketch, reason.because))
    more = f" +{reason.left_out}" if reason.left_out else ""
    return f"{reason.kind} {reason.atom}{more}" + (f" ({inner})" if inner else "")


def test_a_step_names_its_rule_its_values_and_what_it_rests_on() -> None:
    reason = explain("\npaid(P,N+1) :- has(P,N), N > 1.", "paid(a,3)", {"has": [(Name("a"), 2)]})

    assert sketch(reason) == "follows paid(a,3) (given has(a,2), compared 2 > 1)"
    assert reason.origin is not None
    assert reason.origin.line == 2
    assert reason.values == {"P": "a", "N": "2"}


def test_the_first_rule_that_gives_an_atom_explains_it() -> None:
    text = "a(X) :- c(X). a(X) :- b(X). a(X) :- b(X), b(X)."

    assert sketch(explain(text, "a(1)", {"b": [(1,)], "c": [(2,)]})) == "follows a(1) (given b(1))"


@pytest.mark.parametrize("place", range(1, 5))
def test_nothing_rests_on_itself_where_predicates_do(place: int) -> None:
    reason = explain(PATHS, f"reach({place})", RING)

    assert reason.to_json()["because"]
    assert "given start(3)" in sketch(reason)
    assert not find_circles(reason, ())


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


def test_a_fact_may_stand_among_what_depends_on_itself() -> None:
    reason = explain(PATHS, "reach(2)", {**RING, "reach": [(1,)], "start": [(9,)]})

    assert (
        sketch(reason) == "follows reach(2) (given reach(1), follows edge(1,2) (given link(1,2)))"
    )


def test_what_holds_only_together_with_itself_is_told_so() -> None:
    text = "#defined p/1. p(1) :- 1 <= #count { X : p(X) }. { p(2) }. p(2) :- p(1)."
    reasons = open_reasons(text, {}, parse_term("p(1)"))

    reason = Tree(reasons, depth=9, width=9).explain(parse_term("p(1)"))

    assert "held p(1)" in sketch(reason)
    assert "again" not in sketch(reason)


def test_what_stays_the_same_for_many_turns_is_one_line() -> None:
    program = parse_program(
        "on(X,0) :- lamp(X). "
        "#program step(t). kept(X,t) :- on(X,t-1). on(X,t) :- kept(X,t), not pressed(X,t)."
    )
    facts: Facts = {"lamp": [(5,)], "turn": [(t,) for t in range(1, 101)], "pressed": [(6, 3)]}
    lifted = lift_to_turns(program, ["step"])
    reasons = Reasons(lifted, facts, Words([]))

    reason = Tree(reasons, depth=9, width=9).explain(parse_term("on(5,100)"))

    assert sketch(reason) == (
        "follows on(5,100) (follows kept(5,100) (steps on(5,99) (stated on(5,0) (given lamp(5)))), "
        "absent not pressed(5,100))"
    ).replace("stated on(5,0)", "follows on(5,0)")
    assert "2 rules 99 more times" in reason.because[0].because[0].says


def test_many_turns_before_something_ended_are_one_line() -> None:
    text = "on(1,0). on(X,T) :- on(X,T-1), turn(T), not off(X,T)."
    facts: Facts = {"turn": [(t,) for t in range(1, 91)], "off": [(1, 40)]}

    reason = lack(text, "on(1,90)", facts)

    (nearly, *_) = reason.because
    (steps,) = nearly.because
    assert (steps.kind, steps.atom, steps.says) == (
        "steps", "on(1,89)", "so it has been from 40 on"
    )  # fmt: skip
    assert "fails not off(1,40) (given off(1,40))" in sketch(steps)


def test_what_ended_a_turn_ago_is_no_row_of_turns() -> None:
    text = "on(1,0). on(X,T) :- on(X,T-1), turn(T), not off(X,T)."

    reason = lack(text, "on(1,3)", {"turn": [(1,), (2,), (3,)], "off": [(1, 2)]})

    assert "fails not off(1,2) (given off(1,2))" in sketch(reason)


def test_a_choice_is_told_from_a_consequence() -> None:
    text = "{ pick(X) : item(X) } = 1 :- go. won :- pick(2)."
    facts: Facts = {"item": [(1,), (2,)], "go": [()]}
    reasons = open_reasons(text, facts, parse_term("won"))

    reason = Tree(reasons, depth=9, width=9).explain(parse_term("won"))

    assert sketch(reason) == "follows won (chosen pick(2) (given item(2), given go))"


def test_a_sum_shows_as_many_parts_as_it_may() -> None:
    text = "total(N) :- N = #sum { V,X : coin(X,V) }."
    facts: Facts = {"coin": [(x, 10) for x in range(7)]}

    (counted,) = explain(text, "total(70)", facts, width=3).because

    assert counted.atom == "70 = #sum { V,X: coin(X,V) }"
    assert [r.atom for r in counted.because] == ["coin(0,10)", "coin(1,10)", "coin(2,10)"]
    assert counted.left_out == 4


def test_a_least_value_shows_where_it_comes_from() -> None:
    text = "low(N) :- N = #min { V : coin(X,V), good(X) }."
    facts: Facts = {"coin": [(1, 7), (2, 3), (3, 2)], "good": [(1,), (2,)]}

    (counted,) = explain(text, "low(3)", facts).because

    assert sketch(counted).startswith(
        "counted 3 = #min { V: coin(X,V), good(X) } +1 (element (3,) ("
    )
    assert "given coin(2,3), given good(2)" in sketch(counted)


@pytest.mark.parametrize(
    ("text", "atom", "expected"),
    [
        ("a(1;2) :- b.", "a(2)", "follows a(2) (given b)"),
        ("a(X+1) :- c((X;5)), d(X).", "a(4)", "follows a(4) (given c(5), given d(3))"),
        ("a(1..3) :- b.", "a(2)", "follows a(2) (given b)"),
        ("a :- c(_), d(1..3).", "a", "follows a (given c(5), given d(3))"),
        ("-a(1) :- b.", "-a(1)", "follows -a(1) (given b)"),
        ("a(-X) :- d(X).", "a(-3)", "follows a(-3) (given d(3))"),
        ("#const k = 4. a(k) :- d(k-1).", "a(4)", "follows a(4) (given d(3))"),
        ('a("x,y",(3,)) :- b.', 'a("x,y",(3,))', 'follows a("x,y",(3,)) (given b)'),
        ("a(f(X)) :- d(X), X = 3.", "a(f(3))", "follows a(f(3)) (given d(3), compared 3 = 3)"),
        ("a :- c(X) : d(X+2).", "a", "all c(X): d((X+2))"),
        ("a :- not not b.", "a", "follows a (compared not not b)"),
        ("a(|X|) :- d(X).", "a(3)", "follows a(3) (given d(3))"),
    ],
)
def test_any_kind_of_rule_is_explained(text: str, atom: str, expected: str) -> None:
    facts: Facts = {"b": [()], "c": [(5,), (1,)], "d": [(3,)]}
    facts = {**facts, "c": [(5,)]} if "_" in text or ";5" in text else facts

    assert expected in sketch(
        explain(f"#defined b/0. #defined c/1. #defined d/1. {text}", atom, facts)
    )


def test_what_is_left_out_is_counted() -> None:
    text = "a :- b, c. b :- d, e, f."
    facts: Facts = {name: [()] for name in "cdef"}

    assert sketch(explain(text, "a", facts, depth=1)) == "follows a (follows b +3, given c)"


def test_what_was_explained_is_not_explained_again() -> None:
    text = "a :- b, c. c :- b. b :- d."

    assert sketch(explain(text, "a", {"d": [()]})) == (
        "follows a (follows b (given d), follows c (again b))"
    )


def test_of_each_rule_the_first_condition_that_fails_is_told() -> None:
    text = "a :- b, c, d. a :- b, d, e. a :- f, g."
    facts: Facts = {"b": [()], "e": [()]}
    defined = "".join(f"#defined {name}/0. " for name in "bcdefg")

    reason = lack(defined + text, "a", facts)

    assert [sketch(r) for r in reason.because] == [
        "nearly a (missing c)",
        "nearly a (missing d)",
        "nearly a (missing f)",
    ]


def test_what_fails_is_followed_down() -> None:
    text = "a(X) :- b(X), not c(X). b(X) :- d(X), X > 2. c(X) :- e(X)."

    assert sketch(lack(text, "a(3)", {"d": [(3,)], "e": [(3,)]})) == (
        "lacking a(3) (nearly a(3) (fails not c(3) (follows c(3) (given e(3)))))"
    )
    assert sketch(lack(text, "a(1)", {"d": [(1,)], "e": [(3,)]})) == (
        "lacking a(1) (nearly a(1) (lacking b(1) (nearly b(1) (fails 1 > 2))))"
    )


def test_a_condition_is_asked_once_its_variables_have_values() -> None:
    text = "#defined p/1. a :- X > 3, not q(X), p(X). q(4)."

    assert sketch(lack(text, "a")) == "lacking a (nearly a (missing p(_)))"
    assert sketch(lack(text, "a", {"p": [(2,)]})) == "lacking a (nearly a (fails 2 > 3))"
    assert sketch(lack(text, "a", {"p": [(4,)]})) == (
        "lacking a (nearly a (fails not q(4) (stated q(4))))"
    )


def test_a_choice_that_was_not_made_is_told() -> None:
    reason = lack("{ a(X) } :- b(X). :- a(1).", "a(1)", {"b": [(1,)]})

    assert describe(reason.because[0]).endswith("but the rules may choose it, and have not")


def test_a_count_that_fails_tells_its_value() -> None:
    text = "a :- 3 <= #count { X : b(X) }."

    assert "fails 3 <= #count { X: b(X) }" in sketch(lack(text, "a", {"b": [(1,), (2,)]}))
    (nearly,) = lack(text, "a", {"b": [(1,), (2,)]}).because
    assert nearly.because[0].says == "it is 2"


def test_an_atom_that_may_have_any_argument_is_asked_for() -> None:
    text = "a(X,Y) :- b(X), c(Y)."
    facts: Facts = {"b": [(1,)], "c": [(7,)]}

    assert sketch(lack(text, "a(2,any)", facts)) == (
        "lacking a(2,_) (nearly a(2,_) (missing b(2)))"
    )


@pytest.mark.parametrize(
    ("text", "atom", "expected"),
    [
        pytest.param(
            *("#defined p/1. a(X+D) :- d(D), p(X). d(-1). d(1).", "a(5)"),
            "any of 2, such as: p(6)",
            id="any-of-some",
        ),
        pytest.param(*("a(N/2) :- N = #max { X : b(X) }. b(3).", "a(9)"), "it is 3", id="halves"),
        pytest.param(
            *("#defined b/1. a :- 1 = #max { X : b(X) }.", "a"), "nothing counts", id="none"
        ),
        pytest.param("a :- b(X), X > 2. b(1).", "a", "X > 2", id="comparison"),
    ],
)
def test_what_fails_is_told_in_words(text: str, atom: str, expected: str) -> None:
    (nearly,) = lack(text, atom).because

    assert [reason.says for reason in nearly.because] == [expected]


def test_a_head_without_a_value_is_written_as_it_stands() -> None:
    text = "#defined b/1. a((1,C/2)) :- C = #min { X : b(X) }, C < #sup."

    assert sketch(lack(text, "a(any)")) == (
        "lacking a(_) (nearly a((1,(#sup/2))) (fails C < #sup))"
    )


def test_an_open_argument_of_a_comparison_is_no_value() -> None:
    text = "a(X) :- b(Y), Y = f((X,_),_). b(f((5,6),7))."

    assert sketch(explain(text, "a(5)")) == (
        "follows a(5) (stated b(f((5,6),7)), compared f((5,6),7) = f((5,6),7))"
    )
    assert sketch(lack(text, "a(3)")) == (
        "lacking a(3) (nearly a(3) (fails f((5,6),7) = f((3,_),_)))"
    )


def test_what_is_lacking_again_is_not_denied_twice() -> None:
    assert describe(WhyNode("again", "not p(1)", "1 plays")) == "lacking: 1 plays [p(1); see above]"


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


def test_what_a_hex_is_stands_below_what_it_is_not() -> None:
    facts: Facts = {"terrain": [(Name("town"), 1, 2), (Name("castle"), 3, 4)]}

    reason = lack("pay(R,C) :- terrain(castle,R,C).", "pay(1,2)", facts)

    lacking = "missing terrain(castle,1,2) (given terrain(town,1,2))"
    assert sketch(reason) == f"lacking pay(1,2) (nearly pay(1,2) ({lacking}))"


def test_a_least_value_of_nothing_is_told_in_words() -> None:
    text = "#defined has/1. least(N) :- N = #min { M : has(M) }. some :- least(N), N < #sup."

    tree = Tree(open_reasons(text, {"has": []}), depth=9, width=9).explain(
        parse_term("least(#sup)")
    )
    lacking = lack(text, "some", {"has": []})

    assert [describe(reason) for reason in tree.because] == ["none = #min { M: has(M) }"]
    assert "#sup" not in "".join(map(describe, lacking.walk()))
    assert "fails: N < none (nothing counts)" in map(describe, lacking.walk())
