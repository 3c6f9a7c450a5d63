"""The lifting of rules, each rewrite as a pair of programs: before and after."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet
from clingo.ast import ASTType

from kb_score.engine.lift import lift_to_boards, lift_to_turns
from kb_score.engine.program import Program, parse_program

# The predicates that facts give; what depends on them depends on the board.
FACTS = [("size", 2), ("terrain", 3), ("settlement", 3), ("lucky", 0)]


def written(program: Program) -> list[str]:
    nodes = (s.node for s in program.statements)
    return [str(node) for node in nodes if node.ast_type != ASTType.Program]


def lines(text: str) -> list[str]:
    return [str(s.node) for s in parse_program(text).statements if "#program" not in str(s.node)]


def pairs(text: str) -> list[ParameterSet]:
    """Read pairs of programs, each below a comment that names it."""
    found = []
    for part in text.strip().removeprefix("% ").split("\n% "):
        name, _, programs = part.partition("\n")
        before, _, after = programs.partition("\n=> ")
        found.append(pytest.param(before, before if after == "the same" else after, id=name))
    return found


BOARDS = pairs(r"""
% rule
beside(R,C) :- terrain(water,R,C), R > 0.
=> beside(Board',R,C) :- terrain(Board',water,R,C), R > 0.
% no arguments
any :- settlement(1,_,_). all :- any.
=> any(Board') :- settlement(Board',1,_,_). all(Board') :- any(Board').
% facts of no board
step(0,1). step(1,0).
=> the same
% mixed with what is of no board
step(0,1). next(R+D) :- settlement(_,R,_), step(D,_).
=> step(0,1). next(Board',R+D) :- settlement(Board',_,R,_), step(D,_).
% a fact of a predicate that depends elsewhere
far(D) :- step(D). step(1). step(2) :- terrain(water,0,0).
=> far(Board',D) :- step(Board',D). step(Board',1) :- board_id(Board').
step(Board',2) :- terrain(Board',water,0,0).
% negation does not bind
dry(R,C) :- R = 0..1, C = 0..1, not terrain(water,R,C).
=> dry(Board',R,C) :- R = 0..1, C = 0..1, not terrain(Board',water,R,C), board_id(Board').
% double negation
wet :- not not terrain(water,0,0).
=> wet(Board') :- not not terrain(Board',water,0,0), board_id(Board').
% aggregate
many(N) :- N = #count { R,C : settlement(1,R,C), not terrain(water,R,C) }.
=> many(Board',N) :- N = #count { R,C : settlement(Board',1,R,C), not terrain(Board',water,R,C) },
board_id(Board').
% aggregate of two elements
many(P,N) :- settlement(P,_,_), N = #sum { 2,R : settlement(P,R,_); 1,x : step(1) }. step(1).
=> many(Board',P,N) :- settlement(Board',P,_,_),
N = #sum { 2,R : settlement(Board',P,R,_); 1,x : step(1) }. step(1).
% set in a body
few(P) :- settlement(P,_,_), { settlement(P,R,C) : terrain(water,R,C) } 3.
=> few(Board',P) :- settlement(Board',P,_,_),
{ settlement(Board',P,R,C) : terrain(Board',water,R,C) } 3.
% conditional literal
bare :- size(_,_), settlement(1,R,C) : terrain(water,R,C).
=> bare(Board') :- size(Board',_,_), settlement(Board',1,R,C) : terrain(Board',water,R,C).
% conditional literal does not bind
bare :- settlement(1,R,C) : terrain(water,R,C).
=> bare(Board') :- settlement(Board',1,R,C) : terrain(Board',water,R,C); board_id(Board').
% pool in an argument
shore(K) :- terrain((K;K),0,0).
=> shore(Board',K) :- terrain(Board',(K;K),0,0).
% pool of arguments
corner :- settlement(1,0,0;2,0,1).
=> corner(Board') :- settlement(Board',1,0,0;Board',2,0,1).
% classical negation
-dry(R,C) :- terrain(water,R,C). wet(R,C) :- -dry(R,C).
=> -dry(Board',R,C) :- terrain(Board',water,R,C). wet(Board',R,C) :- -dry(Board',R,C).
% choice
{ pick(P,R) : settlement(P,R,_) } = 1 :- size(Rows,_), Rows > 2.
=> { pick(Board',P,R) : settlement(Board',P,R,_) } = 1 :- size(Board',Rows,_), Rows > 2.
% choice of no board
{ pick(R) } :- R = 1..2. got(R) :- pick(R), lucky.
=> { pick(R) } :- R = 1..2. got(Board',R) :- pick(R), lucky(Board').
% disjunction
odd(R) ; even(R) :- settlement(_,R,_).
=> odd(Board',R) ; even(Board',R) :- settlement(Board',_,R,_).
% constraint
:- settlement(P,R,C), terrain(_,R,C).
=> #false :- settlement(Board',P,R,C), terrain(Board',_,R,C).
% constraint that binds nothing
:- not lucky, "lucky" != "lucky(1)".
=> #false :- not lucky(Board'), "lucky" != "lucky(1)", board_id(Board').
% a term that is called like a predicate
gold(miners,P,terrain(water,R,C),1) :- settlement(P,R,C).
=> gold(Board',miners,P,terrain(water,R,C),1) :- settlement(Board',P,R,C).
% dependence in an aggregate of an earlier rule
best(N) :- N = #max { M : low(M) }. low(M) :- settlement(M,_,_), M < 3.
=> best(Board',N) :- N = #max { M : low(Board',M) }, board_id(Board').
low(Board',M) :- settlement(Board',M,_,_), M < 3.
% constant
#const limit = 3.
=> the same
""")


@pytest.mark.parametrize(("before", "after"), BOARDS)
def test_a_board_is_put_in_front_of_what_depends_on_it(before: str, after: str) -> None:
    assert written(lift_to_boards(parse_program(before), FACTS)) == lines(after)


def test_what_may_be_absent_is_lifted_too() -> None:
    program = parse_program(
        "#defined terrain/3.\n#defined step/2.\nwet :- terrain(water,0,0).\nfar :- step(1,2).\n"
    )

    lifted = lift_to_boards(program, FACTS)

    assert lifted.defined == {("terrain", 4), ("step", 2)}


def test_a_lifted_rule_keeps_its_place_for_messages() -> None:
    program = parse_program("a.\n\n  wet(R) :- terrain(water,R,_).\n")

    lifted = lift_to_boards(program, FACTS)

    begin = lifted.statements[-1].node.location.begin
    assert (begin.line, begin.column) == (3, 3)


TURNS = pairs("""
% rule
at(P,C,t) :- at(P,C,t-1), not moves(P,t).
=> at(P,C,Turn') :- at(P,C,Turn'-1), not moves(P,Turn'), turn(Turn').
% fact
begins(t).
=> begins(Turn') :- turn(Turn').
% fact without a turn
far(1..3).
=> the same
% rule without a turn
near(D) :- far(D), D < 2.
=> the same
% aggregate
seen(C,t) :- at(P,C,t), 1 <= #count { D : look(P,D,t) }.
=> seen(C,Turn') :- at(P,C,Turn'), 1 <= #count { D : look(P,D,Turn') }, turn(Turn').
% choice
{ goes(P,C,t) : near(C) } = 1 :- at(P,_,t-1).
=> { goes(P,C,Turn') : near(C) } = 1 :- at(P,_,Turn'-1), turn(Turn').
% constraint
:- goes(P,C,t), wall(C).
=> #false :- goes(P,C,Turn'), wall(C), turn(Turn').
% conditional literal
kept(t) :- p(C,t) : q(C,t-1).
=> kept(Turn') :- p(C,Turn') : q(C,Turn'-1); turn(Turn').
% classical negation
-at(P,t) :- gone(P,t).
=> -at(P,Turn') :- gone(P,Turn'), turn(Turn').
% pool
at(t;t+1) :- q(t).
=> at(Turn';Turn'+1) :- q(Turn'), turn(Turn').
% inside terms
at((P,t),f(t)) :- q(P,g(h(t),2)).
=> at((P,Turn'),f(Turn')) :- q(P,g(h(Turn'),2)), turn(Turn').
% comparisons
old :- age(t), t > 3, X = t+1, X != 2.
=> old :- age(Turn'), Turn' > 3, X = Turn'+1, X != 2, turn(Turn').
% other ts
t(P,1) :- word("t",P), tt(P), t1(P).
=> the same
""")


@pytest.mark.parametrize(("before", "after"), TURNS)
def test_the_turn_of_a_step_becomes_a_variable(before: str, after: str) -> None:
    lifted = lift_to_turns(parse_program(f"#program step(t).\n{before}\n"), ["step"])

    assert written(lifted) == lines(after)


def test_only_the_part_of_that_name_is_lifted() -> None:
    program = parse_program(
        "a(t) :- b(t).\n"
        "#program step(t).\n"
        "c(t) :- d(t).\n"
        "#program base.\n"
        "e(t) :- f(t).\n"
        "#program step(t).\n"
        "g(t).\n"
    )

    lifted = lift_to_turns(program, ["step"])

    assert written(lifted) == lines(
        "a(t) :- b(t). c(Turn') :- d(Turn'), turn(Turn'). e(t) :- f(t). g(Turn') :- turn(Turn')."
    )
    # What was another part is in the base part now.
    parts = {s.node.name for s in lifted.statements if s.node.ast_type == ASTType.Program}
    assert parts <= {"base"}


def test_part_and_parameter_may_have_other_names() -> None:
    lifted = lift_to_turns(parse_program("#program frame(k).\na(k) :- t(k-1).\n"), ["frame"])

    assert written(lifted) == lines("a(Turn') :- t(Turn'-1), turn(Turn').")


def test_lifting_one_part_leaves_the_rules_of_others_where_they_are() -> None:
    program = parse_program(
        "#program step(t). at(t) :- at(t-1). #program other(t). at(t) :- here(t). "
        "#program base. at(0)."
    )
    lifted = [str(statement.node) for statement in lift_to_turns(program, ["step"]).statements]

    assert lifted == [
        "#program base.",
        "#program base.",
        "at(Turn') :- at((Turn'-1)); turn(Turn').",
        "#program other(t).",
        "at(t) :- here(t).",
        "#program base.",
        "at(0).",
    ]


def test_a_weak_constraint_about_a_turn_is_lifted() -> None:
    program = parse_program("#program step(t). :~ late(X,t). [1,X,t]")
    lifted = [str(statement.node) for statement in lift_to_turns(program, ["step"]).statements]

    assert lifted[-1] == ":~ late(X,Turn'); turn(Turn'). [1@0,X,Turn']"
