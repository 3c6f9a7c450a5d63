"""Rules taken apart as JSON, for a page that asks why: what `web/src/inquiry.js` reads.

A page has clingo, but not its syntax trees. So each rule comes with the texts of which its queries
are made, and each predicate with the sentence that its documentation says.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from kb_score.engine.levels import Levels
from kb_score.engine.messages import collected_messages
from kb_score.engine.solve import open_control
from kb_score.engine.terms import TURN
from kb_score.engine.why import list_clauses
from kb_score.engine.words import read_origin

if TYPE_CHECKING:
    from kb_score.engine.clauses import Clause, Part
    from kb_score.engine.program import Program, Signature
    from kb_score.engine.shapes import AtomShape, Shape
    from kb_score.engine.words import Words


def prepare_rules(program: Program, words: Words) -> dict[str, Any]:
    """Prepare the rules of a program for questions why.

    Returns:
        ``clauses``, in the order in which they are tried; ``loops``, the predicates that depend on
        themselves, each with the number of its loop; ``shown``, all predicates, as ``p/2``;
        ``says``, for each documented one its arguments and its sentence; ``turn``, the variable
        that a lifted rule has for its turn.
    """
    with collected_messages() as log:
        control = open_control(program, log)
    clauses = list_clauses(program, control.get_const)
    loops = Levels(clauses).loops
    numbers = {loop: number for number, loop in enumerate(dict.fromkeys(loops.values()))}
    return {
        "clauses": [_list_clause(clause) for found in clauses.values() for clause in found],
        "loops": {_name(signature): numbers[loop] for signature, loop in loops.items()},
        "shown": sorted(map(_name, program.derived | program.inputs)),
        "says": {
            _name(predicate.signature): [predicate.arguments, words.sentence(predicate.signature)]
            for predicate in words.documented()
        },
        "turn": TURN,
    }


def _list_clause(clause: Clause) -> dict[str, Any]:
    origin = read_origin(clause.location)
    return {
        "file": PurePath(origin.file).name,
        "line": origin.line,
        "rule": origin.text,
        "note": origin.note,
        "head": _list_atom(clause.head),
        "text": clause.text,
        "terms": clause.terms,
        "names": clause.names,
        "parts": [_list_part(part) for part in clause.parts],
        "chosen": clause.chosen,
        "parameter": clause.parameter,
    }


def _list_part(part: Part) -> dict[str, Any]:
    is_sum = part.kind == "aggregate"
    return {
        "kind": part.kind,
        "text": part.text,
        "bare": part.bare,
        "atoms": [_list_atom(atom) for atom in part.atoms],
        "names": part.names,
        "all": part.all_names,
        "sides": part.equation and [side and _list_shape(side) for side in part.equation],
        "elements": [
            {"terms": terms, "parts": [_list_part(inner) for inner in parts]}
            for terms, parts in (part.elements if is_sum else ())
        ],
        "added": part.added,
    }


def _list_atom(atom: AtomShape) -> dict[str, Any]:
    return {"name": _name(atom.signature), "args": [_list_shape(arg) for arg in atom.arguments]}


def _list_shape(shape: Shape) -> list[Any]:
    return [
        shape.kind,
        shape.text,
        [_list_shape(inner) for inner in shape.inner],
        [*sorted(shape.names)],
    ]


def _name(signature: Signature) -> str:
    name, arity = signature
    return f"{name}/{arity}"
