"""Steps of trees of reasons, each looked at by plain clingo; tools/trees.py does that at length."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from clingo import parse_term

from kb_score.reasons.trees import Tree, WhyNode
from tools.trees import EXAMPLE, RECORDS, Case, check_lacks, check_tree, check_trees, open_case

# A record of each game, and one whose rules choose.
SOME = (RECORDS[0], RECORDS[3], RECORDS[5], RECORDS[9], RECORDS[12])


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [open_case(*record) for record in SOME]


@pytest.mark.slow
def test_each_step_of_random_trees_follows_by_its_rule(cases: list[Case]) -> None:
    faults, steps = check_trees(cases, 12, Random(11))

    assert steps > 100
    assert faults == []


def test_what_each_card_pays_follows_by_its_rules(cases: list[Case]) -> None:
    board = next(case for case in cases if case.name == EXAMPLE)
    cards = {str(atom.arguments[0]): atom for atom in board.atoms["card"]}
    paid = {str(atom.arguments[0]): atom for atom in board.atoms["gold"]}

    assert paid.keys() == cards.keys()
    for card, atom in paid.items():
        tree = Tree(board.reasons, depth=3, width=2).explain(atom)
        assert tree.origin is not None
        assert tree.origin.file == f"asp/kingdom_builder/cards/{card}.lp"
        assert check_tree(tree, board) == []


@pytest.mark.slow
def test_what_atoms_are_told_to_lack_does_not_hold(cases: list[Case]) -> None:
    faults, conditions = check_lacks(cases, 20, Random(12))

    assert conditions > 20
    assert faults == []


def test_a_step_that_does_not_follow_is_found(cases: list[Case]) -> None:
    board = next(case for case in cases if case.name == EXAMPLE)
    tree = Tree(board.reasons, depth=2, width=3).explain(parse_term("gold(lords,1,quadrant(1),6)"))
    wrong: dict[str, WhyNode] = {
        "another-atom": replace(tree, atom="gold(lords,1,quadrant(1),7)"),
        "another-value": replace(tree, values={**tree.values, "N": "3"}),
        "a-condition-less": replace(tree, because=tree.because[1:]),
        "a-false-condition": replace(
            tree, because=(*tree.because, WhyNode("absent", "not in_quadrant(1,1,9)"))
        ),
        "no-fact": replace(tree, because=(*tree.because, WhyNode("given", "settlement(1,0,0)"))),
        "a-circle": replace(tree, because=(*tree.because, replace(tree, kind="again"))),
    }

    assert check_tree(tree, board) == []
    for name, other in wrong.items():
        assert check_tree(other, board) != [], name


def test_a_step_names_a_statement_that_stands_there(cases: list[Case]) -> None:
    board = next(case for case in cases if case.name == EXAMPLE)
    tree = Tree(board.reasons, depth=2, width=3).explain(parse_term("gold(lords,1,quadrant(1),6)"))
    assert tree.origin is not None

    with pytest.raises(LookupError, match="does not say"):
        check_tree(replace(tree, origin=replace(tree.origin, line=tree.origin.line + 1)), board)
