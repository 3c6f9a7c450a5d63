"""The lifting of rules, each rewrite as a pair of programs: before and after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from clingo.ast import ASTType

from kb_score.engine.lift import lift_boards, lift_turns
from kb_score.engine.program import Program, parse_program, read_program
from kb_score.engine.solve import solve_each
from kb_score.errors import RuleError

# The predicates that facts give; what depends on them depends on the board.
FACTS = [("size", 2), ("terrain", 3), ("settlement", 3), ("lucky", 0)]


def written(program: Program) -> list[str]:
    nodes = (s.node for s in program.statements)
    return [str(node) for node in nodes if node.ast_type != ASTType.Program]


def lines(text: str) -> list[str]:
    return [str(s.node) for s in parse_program(text).statements if "#program" not in str(s.node)]


def read_pairs(name: str) -> Iterator[ParameterSet]:
    """Read pairs of programs, each below a comment that names it."""
    _, *parts = (Path(__file__).parent / name).read_text().split("\n% ")
    for part in parts:
        case, _, programs = part.partition("\n")
        before, _, after = programs.partition("\n%=>")
        yield pytest.param(before, before if after == " the same\n" else after, id=case)


BOARDS = list(read_pairs("lifted_to_boards.lp"))


@pytest.mark.parametrize(("before", "after"), BOARDS)
def test_a_board_is_put_in_front_of_what_depends_on_it(before: str, after: str) -> None:
    assert written(lift_boards(parse_program(before), FACTS)) == lines(after)


def test_a_lifted_rule_keeps_its_place_for_messages() -> None:
    program = parse_program("a.\n\n  wet(R) :- terrain(water,R,_).\n")

    lifted = lift_boards(program, FACTS)

    begin = lifted.statements[-1].node.location.begin
    assert (begin.line, begin.column) == (3, 3)


def test_a_message_about_a_lifted_rule_names_the_line_of_its_condition(tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    path.write_text(
        "turn(1). word(a).\n#program step(t).\n"
        "sum(S,t) :-\n  turn(t), word(W),\n  S = #sum { X : word(X) ; 2 }.\n"
    )
    program = lift_turns(read_program([path]), ["step"])

    with pytest.raises(RuleError) as raised:
        solve_each(program, {})

    assert str(raised.value).startswith(f"{path}:5:3: tuple ignored")


TURNS = list(read_pairs("lifted_to_turns.lp"))


@pytest.mark.parametrize(("before", "after"), TURNS)
def test_the_turn_of_a_step_becomes_a_variable(before: str, after: str) -> None:
    lifted = lift_turns(parse_program(f"#program step(t).\n{before}\n"), ["step"])

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

    lifted = lift_turns(program, ["step"])

    assert written(lifted) == lines(
        "a(t) :- b(t). c(Turn') :- d(Turn'), turn(Turn'). e(t) :- f(t). g(Turn') :- turn(Turn')."
    )
    # What was another part is in the base part now.
    parts = {s.node.name for s in lifted.statements if s.node.ast_type == ASTType.Program}
    assert parts <= {"base"}


def test_part_and_parameter_may_have_other_names() -> None:
    lifted = lift_turns(parse_program("#program frame(k).\na(k) :- t(k-1).\n"), ["frame"])

    assert written(lifted) == lines("a(Turn') :- t(Turn'-1), turn(Turn').")


def test_lifting_one_part_leaves_the_rules_of_others_where_they_are() -> None:
    program = parse_program(
        "#program step(t). at(t) :- at(t-1). #program other(t). at(t) :- here(t). "
        "#program base. at(0)."
    )
    lifted = [str(statement.node) for statement in lift_turns(program, ["step"]).statements]

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
    lifted = [str(statement.node) for statement in lift_turns(program, ["step"]).statements]

    assert lifted[-1] == ":~ late(X,Turn'); turn(Turn'). [1@0,X,Turn']"
