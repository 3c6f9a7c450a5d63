"""Random trees of reasons: does every step follow by its rule, as that stands in its file?

    python -m tools.trees [--trees 200] [--seed 1]

From records of all games atoms are drawn, of all predicates that rules give, and a tree is made of
each. Plain clingo then looks at each step alone. It gets the statement that stands at the file and
the line which the step names, with the step's values, and as facts the atoms that the step names
below itself; for what a rule denies or counts it gets all atoms of those predicates. It must derive
the atom of the step. What is compared or counted it has to find true, what is denied must not be
among the atoms, and what is given must be a fact of the record. No step may rest on itself.

As many atoms that do not hold are made of those that do, by another value for one argument. Of what
such an atom is told to lack nothing may hold, and what is told to fail must be false.
The exit status is 1 if anything of that is not so.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

from clingo import Control, Function, Number, Symbol
from clingo.ast import AST, ASTType, parse_files

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import Words
from kb_score.engine.rules import Asked, GameRules
from kb_score.engine.terms import write_facts
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.board import parse_board
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.kingdom_builder.scoring import explain
from kb_score.reasons.trace import Pattern, Reasons
from kb_score.reasons.trees import Tree, WhyNode
from kb_score.reasons.why import open_reasons
from kb_score.reasons.why_not import WhyNot
from tests.helpers import ROOT

BOARDS = ROOT / "boards"
EXAMPLE = "kingdom_builder/example.txt"
PARTY = "search_party/maps/meadow.txt", "search_party/maps/hollow.txt"
SMALL = "rabbits/small.map"
# The game, and the files of a record below boards/.
RECORDS = (
    ("kingdom_builder", EXAMPLE),
    ("kingdom_builder", EXAMPLE, "kingdom_builder/claims.txt"),
    ("kingdom_builder", "kingdom_builder/games/base.txt"),
    ("kingdom_builder", "kingdom_builder/games/broken.txt"),
    ("kingdom_builder", "kingdom_builder/games/nomads.txt"),
    ("search_party", PARTY[0], "search_party/records/meadow/sample-plan.txt"),
    ("search_party", PARTY[0], "search_party/records/meadow/reckless-stream.txt"),
    ("search_party", PARTY[1], "search_party/records/hollow/wrong-position-session.txt"),
    ("slime", "slime/session.txt"),
    ("slime", "slime/wrong.txt"),
    ("slime", "slime/frames.txt"),
    ("rabbits", SMALL, "rabbits/small.session"),
    ("rabbits", SMALL, "rabbits/small-displaced.log"),
    ("rabbits", SMALL, "rabbits/small-total.log"),
    ("rabbits", SMALL, "rabbits/small.table"),
)
_OTHERS = ("element", "again")


@dataclass
class Case:
    """A question to the rules about a record, with all that holds."""

    name: str
    asked: Asked
    reasons: Reasons
    atoms: dict[str, list[Symbol]] = field(default_factory=dict)  # by the name of the predicate

    def __post_init__(self) -> None:
        program = self.asked.program
        for signature in sorted(program.derived | program.inputs):
            found = self.reasons.atoms(signature)
            self.atoms.setdefault(signature[0], []).extend(found)

    def draw(self, random: Random) -> Symbol:
        """Draw an atom: first a predicate that rules give, then one of its atoms."""
        names = sorted({name for name, _ in self.asked.program.derived if self.atoms.get(name)})
        return random.choice(self.atoms[random.choice(names)])

    def draw_absent(self, random: Random) -> Symbol | None:
        """Draw an atom and change an argument of it; None if the other one holds, too."""
        atom = self.draw(random)
        arguments = list(atom.arguments)
        if not arguments:
            return None
        at = random.randrange(len(arguments))
        alike = [a for a in self.atoms[atom.name] if len(a.arguments) == len(arguments)]
        arguments[at] = random.choice([random.choice(alike).arguments[at], Number(77)])
        other = Function(atom.name, arguments)
        return None if self.reasons.holds(other) else other


def open_case(game: str, *paths: str) -> Case:
    """Put a record to the rules as `check` does, or a board as `explain` does."""
    asked: list[Asked] = []
    rules = GameRules(game, listener=asked.append)
    files = [(path, (BOARDS / path).read_text()) for path in paths]
    if paths == (EXAMPLE,):
        explain(parse_board(files[0][1]), load_rules(rules))
    else:
        GameFolder(game).type.check(rules, files)
    words = Words(list_rule_files(game)[0])
    return Case(" ".join(paths), asked[-1], open_reasons(asked[-1], words))


def check_tree(tree: WhyNode, case: Case) -> list[str]:
    """List what is wrong with a tree."""
    given = set(_read_facts(case.asked))
    found = [f"{node.atom}: {fault}" for node in tree.walk() for fault in _check(node, case, given)]
    return [*found, *_find_circles(tree, ())]


def _check(node: WhyNode, case: Case, given: set[str]) -> Iterator[str]:
    match node.kind:
        case "given":
            if node.atom not in given:
                yield "is no fact of the record"
        case "follows" | "stated" | "chosen":
            yield from _check_step(node, case)
        case "absent" | "compared" | "counted" | "all":
            if not _is_true(node.atom, case):
                yield "is not true"
        case "steps":
            if not node.because or node.because[0].atom == node.atom:
                yield "leads nowhere"
        case kind if kind not in _OTHERS:
            yield f"is of an unknown kind, {kind}"


def _check_step(node: WhyNode, case: Case) -> Iterator[str]:
    if node.left_out:
        return
    if not _derives(node, case):
        yield f"does not follow by {node.origin}"
    if (node.kind == "stated") != (not node.because):
        yield "rests on nothing" if node.kind != "stated" else "rests on something"


def _find_circles(node: WhyNode, above: tuple[str, ...]) -> Iterator[str]:
    if node.kind in ("follows", "chosen", "again") and node.atom in above:
        yield f"{node.atom}: rests on itself"
    for reason in node.because:
        yield from _find_circles(reason, (*above, node.atom))


def _derives(node: WhyNode, case: Case) -> bool:
    """Whether plain clingo derives the atom of a step by the statement that the step names."""
    assert node.origin is not None
    if node.origin.file == "<string>":
        return _looks_back(node)
    text = find_statement(ROOT / node.origin.file, node.origin.line, node.origin.text)
    values = dict(node.values)
    head, _, body = text.rstrip(".").partition(":-")
    turns = [name for name in values if name.islower()]
    constants = [f"#const {name} = {values.pop(name)}." for name in turns]
    bound = ", ".join([*filter(None, [body.strip()]), *(f"{n} = {v}" for n, v in values.items())])
    rule = f"{head.strip()}{' :- ' if bound else ''}{bound}."
    facts = {below.atom for below in _rests_on(node)}
    facts |= {str(atom) for name in _names_denied(rule) for atom in case.atoms.get(name, ())}
    program = [*constants, *_constants(case, turns), rule, *(f"{fact}." for fact in facts)]
    is_known = node.atom in facts
    return not is_known and _holds(node.atom, "\n".join(program))


def _looks_back(node: WhyNode) -> bool:
    """Whether a step by a rule of the engine's is about the state that the turn before derives."""
    found = re.fullmatch(r"before_(.*\D)(\d+)\)", node.atom)
    assert found is not None
    return [below.atom for below in node.because] == [f"{found[1]}{int(found[2]) - 1})"]


def _rests_on(node: WhyNode) -> Iterator[WhyNode]:
    """Yield the atoms that a step names right below itself."""
    for below in node.because:
        if below.kind in ("element", "counted"):
            yield from _rests_on(below)
        elif below.kind in ("follows", "stated", "chosen", "given", "again", "steps"):
            yield below


def _names_denied(rule: str) -> set[str]:
    """List the predicates that a rule denies or counts, from its text alone."""
    _, _, body = rule.partition(":-")
    braced = " ".join(re.findall(r"\{[^{}]*\}", body))
    denied = re.findall(r"\bnot\s+(-?[a-z_]\w*)", body)
    return {*denied, *re.findall(r"(-?[a-z_]\w*)\s*(?=\(|[,;}])", braced)}


def _is_true(condition: str, case: Case) -> bool:
    names = set(re.findall(r"[a-z_]\w*", condition))
    facts = [f"{atom}." for name in names for atom in case.atoms.get(name, ())]
    program = "\n".join([*facts, *_constants(case, ()), f"true' :- {condition}."])
    return _holds("true'", program)


def _holds(atom: str, program: str) -> bool:
    control = Control(["--warn=none"])
    control.add("base", [], f"{program}\n:- not {atom}.")
    control.ground([("base", [])])
    return bool(control.solve().satisfiable)


def _constants(case: Case, but: Iterable[str]) -> list[str]:
    definitions = case.asked.program.definitions
    return [str(node) for name, node in definitions.items() if name not in but]


@cache
def _statements(path: Path) -> dict[int, list[str]]:
    """Read the statements of a rule file by their lines, as clingo writes them."""
    nodes: list[AST] = []
    parse_files([str(path)], nodes.append)
    lines = path.read_text().split("\n")
    found: dict[int, list[str]] = {}
    for node in nodes:
        if node.ast_type == ASTType.Rule:
            begin, end = node.location.begin, node.location.end
            text = lines[begin.line - 1 : end.line]
            text[-1] = text[-1][: end.column - 1]
            text[0] = text[0][begin.column - 1 :]
            found.setdefault(begin.line, []).append(" ".join(" ".join(text).split()))
    return found


def find_statement(path: Path, line: int, text: str) -> str:
    """Find a statement in its file; a LookupError says that it does not stand there."""
    if text not in _statements(path).get(line, []):
        raise LookupError(f"{path}:{line} does not say {text!r}")
    return text


def _read_facts(asked: Asked) -> list[str]:
    control = Control(["--warn=none"])
    control.add("base", [], write_facts(asked.facts))
    control.ground([("base", [])])
    return [str(atom.symbol) for atom in control.symbolic_atoms]


def check_trees(cases: Sequence[Case], trees: int, random: Random) -> tuple[list[str], int]:
    """Make trees of atoms drawn by chance; return what is wrong, and how many steps there are."""
    faults, steps = list[str](), 0
    for number in range(trees):
        case = cases[number % len(cases)]
        atom = case.draw(random)
        tree = Tree(case.reasons, depth=random.randint(1, 6), width=random.choice([2, 1000]))
        reason = tree.explain(atom)
        steps += sum(1 for _ in reason.walk())
        faults += [f"{case.name}: {atom}: {fault}" for fault in check_tree(reason, case)]
    return faults, steps


def check_lacks(cases: Sequence[Case], trees: int, random: Random) -> tuple[list[str], int]:
    """Make trees of what atoms lack; return what is wrong, and how many conditions there are."""
    faults, steps = list[str](), 0
    for number in range(trees):
        case = cases[number % len(cases)]
        if (atom := case.draw_absent(random)) is None:
            continue
        pattern = Pattern((atom.name, len(atom.arguments)), tuple(atom.arguments))
        reason = WhyNot(case.reasons, depth=3, width=3).explain(pattern)
        nodes = [node for node in reason.walk() if node.kind in ("lacking", "missing", "fails")]
        steps += len(nodes)
        for node in nodes:
            # What holds with other values, or tells why it fails, is no plain condition.
            if node.says and node.kind == "fails":
                continue
            if _is_true(node.atom, case):
                faults.append(f"{case.name}: {atom}: {node.atom}: is true")
    return faults, steps


def main() -> int:
    """Print what is wrong, and how much was looked at."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cases = [open_case(*record) for record in RECORDS]
    faults, steps = check_trees(cases, options.trees, Random(options.seed))
    wrong, failing = check_lacks(cases, options.trees, Random(options.seed))
    faults += wrong
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    done = f"{options.trees} trees, {steps} nodes, {failing} conditions that fail"
    sys.stdout.write(f"{done}: {len(faults)} faults\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
