"""Small changes of rules, one at a time: which of them the examples notice, and what would.

A mutant is the text of a rule file with one small cut. If no example fails by it, and the file is
about cards, `Comparer` looks for a board that the mutant pays differently: the missing example.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

from kb_score.engine.docs import name_file, read_rule_files
from kb_score.engine.program import read_program
from kb_score.engine.rules import GameRules
from kb_score.engine.supervisor import Deadline
from kb_score.engine.terms import predicate_of
from kb_score.errors import KbScoreError, RuleError
from kb_score.games.kingdom_builder import rules as asp
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.games.kingdom_builder.scoring import explain
from kb_score.shell.output import Block, Output, Table, Text, show_progress
from kb_score.workbench.compare import Comparer, load_version, say_proved
from kb_score.workbench.examples import Example, judge_examples

_SECONDS = 5.0  # of the search for a board, if nothing else is said
_PLAYERS = 3
_TOGETHER = 25  # examples that are run at a time
_CARD = predicate_of(asp.Card)
_CHANGED = {ASTType.Rule, ASTType.Definition}
_WITH_CONDITION = {
    ASTType.ConditionalLiteral,
    ASTType.BodyAggregateElement,
    ASTType.HeadAggregateElement,
}
_TURNED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": "!=", "!=": "="}
_OPERATOR = re.compile(b"[<>!]?=|[<>]")
# How the comment of a ruling tells of its other values.
_WITH = re.compile(r"\bwith (\w+)[,:]")

_Span = tuple[int, int]  # of bytes


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed rule file."""

    path: Path
    line: int  # of the change, from 1
    before: str  # the condition that is changed, or the rule
    after: str  # empty if it is left out
    text: str  # the whole file

    def __str__(self) -> str:
        what = f"{self.before}  ->  {self.after}" if self.after else f"without  {self.before}"
        return f"{name_file(str(self.path))}:{self.line}: {' '.join(what.split())}"


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no example notices."""

    mutant: Mutant
    example: str = ""  # one that would, as it stands in a rule file
    proved: str = ""  # that there is none, and up to which size


def find_mutants(path: Path) -> list[Mutant]:
    """List the mutants of a rule file; what states a card is left as it is."""
    source, found = _Source(path), set[Mutant]()
    for statement in read_program([path]).statements:
        if statement.node.ast_type in _CHANGED and _CARD not in statement.heads:
            found |= {*source.change(statement.node, source.span(statement.node))}
    return sorted(found, key=lambda mutant: (mutant.line, mutant.before, mutant.after, mutant.text))


def draw_mutants(
    paths: Iterable[Path], count: int | None, seed: int
) -> Mapping[Path, list[Mutant]]:
    """Draw so many mutants of some files, or take all of them; by their files."""
    found = [mutant for path in paths for mutant in find_mutants(path)]
    if count is not None and count < len(found):
        drawn = sorted(Random(seed).sample(range(len(found)), count))
        found = [found[number] for number in drawn]
    return {path: list(some) for path, some in groupby(found, key=lambda mutant: mutant.path)}


class _Source:
    """The text of a rule file, which its syntax trees are cut out of."""

    def __init__(self, path: Path) -> None:
        self.path, self.data = path, path.read_bytes()
        self._lines = [0, *(found.end() for found in re.finditer(b"\n", self.data))]

    def span(self, node: AST) -> _Span:
        """Tell where a syntax tree stands."""
        begin, end = (
            self._lines[place.line - 1] + place.column - 1
            for place in (node.location.begin, node.location.end)
        )
        return begin, end

    def change(self, node: AST, shown: _Span) -> Iterator[Mutant]:
        """Change a syntax tree and all below it; what is shown is the condition around."""
        cuts = list[tuple[int, int, str]]()
        if node.ast_type == ASTType.Rule:
            cuts.append((*shown, ""))
            yield from self._drop(node.body, node.head)
        elif node.ast_type in _WITH_CONDITION:
            yield from self._drop(node.condition)
            if node.ast_type == ASTType.BodyAggregateElement and len(node.terms) > 1:
                (_, begin), (_, end) = map(self.span, node.terms[-2:])
                cuts.append((begin, end, ""))
        elif node.ast_type == ASTType.Literal and node.sign == Sign.Negation:
            cuts.append((shown[0], shown[0] + len("not "), ""))
        elif node.ast_type in (ASTType.Comparison, ASTType.BodyAggregate):
            cuts += self._turn(node)
        elif node.ast_type == ASTType.SymbolicTerm and node.symbol.type == SymbolType.Number:
            cuts.append((*self.span(node), str(node.symbol.number + 1)))
        elif node.ast_type == ASTType.Function:
            cuts += self._exchange(node)
        yield from (self._cut(shown, *cut) for cut in cuts)
        for key in node.child_keys:
            child = getattr(node, key)
            for one in [child] if isinstance(child, AST) else child or ():
                is_literal = one.ast_type == ASTType.Literal
                yield from self.change(one, self.span(one) if is_literal else shown)

    def _cut(self, shown: _Span, begin: int, end: int, new: str) -> Mutant:
        (first, last), data, is_inside = shown, self.data, shown[0] <= begin and end <= shown[1]
        after = data[first:begin] + new.encode() + data[end:last] if is_inside else b""
        text = data[:begin] + new.encode() + data[end:]
        line = data.count(b"\n", 0, max(first, begin)) + 1
        before = data[first:last].decode()
        return Mutant(self.path, line, before, after.decode(), text.decode())

    def _drop(self, conditions: Sequence[AST], head: AST | None = None) -> Iterator[Mutant]:
        """Drop each of some conditions, and negate it; the only one, if a head is left."""
        spans = list(map(self.span, conditions))
        for at, (condition, span) in enumerate(zip(conditions, spans, strict=True)):
            if at:
                yield self._cut(span, spans[at - 1][1], span[1], "")
            elif len(spans) > 1:
                yield self._cut(span, span[0], spans[1][0], "")
            elif head and str(head) != "#false":
                yield self._cut(span, self.span(head)[1], span[1], "")
            if (
                condition.ast_type == ASTType.Literal
                and condition.sign == Sign.NoSign
                and condition.atom.ast_type == ASTType.SymbolicAtom
            ):
                yield self._cut(span, span[0], span[0], "not ")

    def _turn(self, node: AST) -> Iterator[tuple[int, int, str]]:
        """Turn each operator of a comparison, or of a sum or the like."""
        if node.ast_type == ASTType.Comparison:
            terms = map(self.span, (node.term, *(guard.term for guard in node.guards)))
            between = [(one[1], other[0]) for one, other in pairwise(terms)]
        else:
            guards = filter(None, (node.left_guard, node.right_guard))
            spans = [self.span(guard.term) for guard in guards]
            inner = (
                self.data.index(b"#", *self.span(node)),
                self.data.rindex(b"}", *self.span(node)),
            )
            between = [(e, inner[0]) if b < inner[0] else (inner[1], b) for b, e in spans]
        for part in between:
            if found := _OPERATOR.search(self.data, *part):
                yield *found.span(), _TURNED[found[0].decode()]

    def _exchange(self, node: AST) -> Iterator[tuple[int, int, str]]:
        """Exchange variables that are arguments side by side."""
        for one, other in pairwise(node.arguments):
            are_variables = {one.ast_type, other.ast_type} == {ASTType.Variable}
            if are_variables and one.name != other.name:
                (begin, left), (right, end) = self.span(one), self.span(other)
                yield begin, end, f"{other.name}{self.data[left:right].decode()}{one.name}"


def try_mutants(
    mutants: Sequence[Mutant], examples: Sequence[Example], rules: GameRules
) -> Iterator[Survivor | None]:
    """Try mutants of one file, by those of a game's examples that can notice.

    Yields None for one that is noticed, else the survivor; nothing for one that clingo refuses.
    """
    path, program = mutants[0].path, read_program([mutants[0].path])
    cards = [str(head.arguments[0]) for head, _ in asp.find_heads(_CARD, program)]
    # What a card pays shows only where it is named; of other rules any example may be about.
    words = re.compile(rf"\b({'|'.join(cards)})\b" if cards else "")
    own = [example for example in examples if example.path == path]
    others = [e for e in examples if e.path != path and words.search(f"{e.inputs}{e.assertions}")]
    wrong = {failure.question.example for failure in judge_examples([*own, *others], rules)}
    for example in (one for one in own if one in wrong):
        example.fail(example.line, "this example is not true: see kb-score rules test")
    others = [example for example in others if example not in wrong]
    some = [own, *(others[at : at + _TOGETHER] for at in range(0, len(others), _TOGETHER))]
    asked = program.derived.union(*(s.body for s in program.statements))
    # What is derived or asked for only where the mutant has nothing is no mistake of its own.
    defined = "".join(f"#defined {name}/{arity}.\n" for name, arity in sorted(asked))
    kept = (one for one in (*rules.changes.files, *rules.changes.tables) if one != path)
    for number, mutant in enumerate(mutants, 1):
        show_progress(f"{number} of {len(mutants)}: {mutant}")
        with TemporaryDirectory() as folder:
            (Path(folder) / path.name).write_text(f"{mutant.text}\n{defined}", encoding="utf-8")
            changes = replace(rules.changes, folders=(*kept, Path(folder)))
            changed = replace(rules, changes=changes, warn=None)
            try:
                changed.read_parts()
            except RuleError:
                continue
            is_noticed = any(_fails(part, changed) for part in some if part)
            yield None if is_noticed else _search(mutant, cards, rules, changed)


def _fails(examples: Sequence[Example], rules: GameRules) -> bool:
    """Whether some example is not true with these rules, or cannot be run."""
    try:
        return next(judge_examples(examples, rules), None) is not None
    except (KbScoreError, LookupError, TypeError, ValueError, AssertionError):
        return True  # as for `kb_score.games.verbs.command.use_rules`


def _search(mutant: Mutant, cards: Iterable[str], before: GameRules, after: GameRules) -> Survivor:
    """Look for a board that a mutant pays differently, also with other rulings of its file."""
    proved = list[str]()
    (file,) = read_rule_files([mutant.path])
    rulings = [(r.name, value) for r in file.rulings for value in _WITH.findall(r.text)]
    for card, ruling in product(cards, [(), *((pair,) for pair in rulings)]):
        one, other = (
            replace(
                rules, changes=replace(rules.changes, constants=rules.changes.constants + ruling)
            )
            for rules in (before, after)
        )
        deadline = Deadline(before.changes.limits.seconds or _SECONDS)
        found = Comparer(card, load_version(one), load_version(other), _PLAYERS, deadline=deadline)
        try:
            found.run()
        except RuleError:  # a constraint, for instance
            return Survivor(mutant)
        holds = "".join(f"with {name} = {value}\n" for name, value in ruling)
        if found.board is not None:
            paid = " ".join(
                str(s.gold) for s in explain(found.board, load_rules(one), cards=[card])
            )
            title = (
                f"unlike {f'with {mutant.after}' if mutant.after else f'without {mutant.before}'}"
            )
            text = f"%*! Example: {' '.join(title.split())}\n{found.board}{holds}{card}: {paid} *%"
            return Survivor(mutant, text)
        proved.append(f"{holds}{say_proved(found)}")
    return Survivor(mutant, proved="" if "" in proved else "\n".join(proved))


def report_mutants(found: Mapping[tuple[str, str], Sequence[Survivor | None]]) -> Output:
    """Lay out how many mutants were noticed, by game and file, and those that were not."""
    rows, blocks, lines = list[tuple[str | int, ...]](), list[Block](), list[dict[str, Any]]()
    columns = "game", "file", "mutants", "noticed", "same", "survivors"
    for key, tried in found.items():
        left = sorted(filter(None, tried), key=lambda one: bool(one.proved))
        same = sum(bool(one.proved) for one in left)
        rows.append((*key, len(tried), tried.count(None), same, len(left) - same))
        told = [
            {
                **{name: getattr(one.mutant, name) for name in ("line", "before", "after")},
                "example": one.example or None,
                "proved": one.proved or None,
            }
            for one in left
        ]
        lines.append({**dict(zip(columns, rows[-1], strict=True)), "not_noticed": told})
        for one in left:
            said = filter(None, (one.example, one.proved))
            blocks += [Text(str(one.mutant), "heading"), *map(Text, said)]
    table = Table("", columns, tuple(rows))
    return Output([table, *blocks], lines, table)
