"""Lifting of one program part among several."""

from kb_score.lift import lift_to_turns
from kb_score.program import parse_program


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
