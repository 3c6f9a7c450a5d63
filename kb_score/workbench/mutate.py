"""Small changes of rules, one at a time: which of them the examples notice, and what would.

A mutant is the text of a rule file with one small cut. If no example fails by it, a `Comparer`
looks for a board or a turn to which it makes a difference: the missing example.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, product
from pathlib import Path
from random import Random

from clingo import SymbolType
from clingo.ast import AST, ASTType, Sign

from kb_score.engine.changes import find_replaced, place_in_game
from kb_score.engine.docs import NO_EXAMPLE, read_rule_files
from kb_score.engine.program import read_program
from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.supervisor import Deadline
from kb_score.errors import KbScoreError, RuleError
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.resources import name_rule_file
from kb_score.shell.files import open_scratch_folder
from kb_score.shell.output import Block, Output, Table, Text, show_progress
from kb_score.workbench.compare import CardComparer, make_comparer, say_proved
from kb_score.workbench.examples import Example, choose_affected, find_named, judge_examples

_SECONDS = 5.0  # of the search for a board, if nothing else is said
_PLAYERS = 3
# Signs between terms, but not in the braces of a sum or in a text.
_OPERATOR = re.compile(rb'\{.*\}|"[^"]*"|([<>!]?=|[<>])', re.DOTALL)
_TURNED = {b"<": "<=", b"<=": "<", b">": ">=", b">=": ">", b"=": "!=", b"!=": "="}
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
    example: str = ""  # one that would notice it, as it stands in a rule file
    proved: str = ""  # that there is none, and up to which size

    def __str__(self) -> str:
        what = f"{self.before}  ->  {self.after}" if self.after else f"without  {self.before}"
        return f"{name_rule_file(str(self.path))}:{self.line}: {' '.join(what.split())}"


def find_mutants(path: Path) -> list[Mutant]:
    """List the mutants of a rule file, but for what states a card or what no example can use."""
    source, found = _Source(path), dict[Mutant, None]()
    for node in (statement.node for statement in read_program([path]).statements):
        is_rule = node.ast_type == ASTType.Rule and not str(node).startswith("card(")
        is_changed, shown = is_rule or node.ast_type == ASTType.Definition, source.span(node)
        if is_changed and not NO_EXAMPLE.match(source.data, shown[1]):
            source.words = Counter(re.findall(r"\w+", source.data[slice(*shown)].decode()))
            found |= dict.fromkeys(source.change(node, shown))
    return list(found)


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
        self.words = Counter[str]()  # of the present rule
        self._lines = [0, *(found.end() for found in re.finditer(b"\n", self.data))]

    def span(self, node: AST) -> _Span:
        """Tell where a syntax tree stands."""
        begin, end = node.location.begin, node.location.end
        first, last = self._lines[begin.line - 1], self._lines[end.line - 1]
        return first + begin.column - 1, last + end.column - 1

    def change(self, node: AST, shown: _Span) -> Iterator[Mutant]:
        """Change a syntax tree and all below it; what is shown is the condition around."""
        yield from self._change_alone(node, shown)
        if "body" in node.child_keys:
            yield from self._drop(node.body, node.head)
        elif "condition" in node.child_keys:
            yield from self._drop(node.condition)
        for key in node.child_keys:
            child = getattr(node, key)
            for one in [child] if isinstance(child, AST) else child or ():
                is_literal = one.ast_type == ASTType.Literal
                yield from self.change(one, self.span(one) if is_literal else shown)

    def _change_alone(self, node: AST, shown: _Span) -> Iterator[Mutant]:
        kind = node.ast_type
        if kind == ASTType.Rule:
            yield self._cut(shown, *shown)
        elif kind == ASTType.BodyAggregateElement and len(node.terms) > 1:
            (_, begin), (_, end) = map(self.span, node.terms[-2:])
            yield self._cut(shown, begin, end)
        elif kind == ASTType.Literal and node.sign == Sign.Negation:
            yield self._cut(shown, shown[0], shown[0] + len("not "))
        elif kind in (ASTType.Comparison, ASTType.BodyAggregate):
            for found in _OPERATOR.finditer(self.data, *shown):
                if found[1]:
                    yield self._cut(shown, *found.span(), _TURNED[found[1]])
        elif kind == ASTType.SymbolicTerm and node.symbol.type == SymbolType.Number:
            yield self._cut(shown, *self.span(node), str(node.symbol.number + 1))
        elif kind == ASTType.Function:
            yield from self._exchange(node.arguments, shown)

    def _cut(self, shown: _Span, begin: int, end: int, new: str = "") -> Mutant:
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
                yield self._cut(span, spans[at - 1][1], span[1])
            elif len(spans) > 1:
                yield self._cut(span, span[0], spans[1][0])
            elif head and str(head) != "#false":
                yield self._cut(span, self.span(head)[1], span[1])
            is_plain = condition.ast_type == ASTType.Literal and condition.sign == Sign.NoSign
            if is_plain and condition.atom.ast_type == ASTType.SymbolicAtom:
                yield self._cut(span, span[0], span[0], "not ")

    def _exchange(self, arguments: Sequence[AST], shown: _Span) -> Iterator[Mutant]:
        """Exchange variables that are arguments side by side."""
        for one, other in pairwise(arguments):
            are_variables = {one.ast_type, other.ast_type} == {ASTType.Variable}
            if not are_variables or one.name == other.name:
                continue
            # The names of variables that stand nowhere else do not matter.
            if max(self.words[one.name], self.words[other.name]) > 1:
                (begin, left), (right, end) = self.span(one), self.span(other)
                between = self.data[left:right].decode()
                yield self._cut(shown, begin, end, f"{other.name}{between}{one.name}")


def try_mutants(
    mutants: Sequence[Mutant], examples: Iterable[Example], rules: GameRules
) -> Iterator[Mutant | None]:
    """Try mutants of one file, by those of a game's examples that can notice.

    Yields None for one that is noticed, else the mutant, perhaps with an example that would notice
    it; nothing for one that clingo refuses.

    Raises:
        RuleError: An example is not true as it is, or the rules were stopped at a limit.
    """
    seconds = rules.changes.limits.seconds or _SECONDS
    path, program = mutants[0].path, read_program([mutants[0].path])
    examples = list(examples)
    samples = list({example.path.parent: example for example in examples}.values())
    names = find_named(program)
    found = _choose_examples(path, examples, rules)
    asked = program.derived.union(*(s.body for s in program.statements))
    # What is derived or asked for only where the mutant has nothing is no mistake of its own.
    defined = "".join(f"#defined {name}/{arity}.\n" for name, arity in sorted(asked))
    # A capitol pays in games alone.
    known = load_rules(rules).cards if "card" in dict(names) else ()
    compared = [card.name for card in known if ("card", card.name) in names]
    compared += [name for kind, name in sorted(names) if kind == "tile"]
    compared += [] if names else [rules.game.replace("_", "-")]
    kept = [one for one in (*rules.changes.files, *rules.changes.tables) if one != path]
    place = find_place(path, rules)
    for number, mutant in enumerate(mutants, 1):
        show_progress(f"{number} of {len(mutants)}: {mutant}")
        with open_scratch_folder() as folder:
            copy = folder / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(f"{mutant.text}\n{defined}", encoding="utf-8")
            changes = replace(rules.changes, folders=(*kept, folder))
            changed = replace(rules, changes=changes, warn=None)
            try:
                changed.read_parts()
            except RuleError:
                continue
            is_noticed = _fails(found, changed)
            if is_noticed:
                yield None
                continue
            try:
                survivor = _search(mutant, compared, rules, changed, seconds)
            except LimitError:
                survivor = mutant
            if samples and not (survivor.example or survivor.proved):
                # If the search did not end because the rules have no end, this raises a LimitError.
                list(judge_examples(samples, rules))
                samples = []
            yield survivor


def find_place(path: Path, rules: GameRules) -> str:
    """Return the path below a user's folder at which a copy of a rule file replaces that file."""
    replaced = find_replaced(rules.game, rules.changes)
    if path in replaced:
        return place_in_game(replaced[path])
    return path.name if path in rules.changes.files else place_in_game(path)


def _choose_examples(path: Path, examples: Iterable[Example], rules: GameRules) -> list[Example]:
    """Choose the examples that can notice a mutant of a file, its own first."""
    found = choose_affected(examples, [path])
    wrong = {failure.question.example for failure in judge_examples(found, rules)}
    for example in (one for one in found if one.path == path and one in wrong):
        example.fail(example.line, "this example is not true: see kb-score rules test")
    return sorted({*found} - wrong, key=lambda one: (one.path != path, one.path, one.line))


def _fails(examples: Sequence[Example], rules: GameRules) -> bool:
    """Whether some example is not true with these rules, or cannot be run."""
    parts = groupby(examples, key=lambda one: one.path)  # those of the file come first
    try:
        return any(next(judge_examples([*some], rules), None) for _, some in parts)
    except (KbScoreError, LookupError, TypeError, ValueError, AssertionError, RuntimeError):
        return True  # a driver that lacks an atom, as in `kb_score.games.verbs.command.use_rules`


def _search(
    mutant: Mutant, names: Sequence[str], before: GameRules, after: GameRules, seconds: float
) -> Mutant:
    """Look for what a mutant makes a difference to, also with other rulings of its file."""
    (file,), proved = read_rule_files([mutant.path]), list[str]()
    rulings = [(r.name, value) for r in file.rulings for value in _WITH.findall(r.text)]
    what = f"with {mutant.after}" if mutant.after else f"without {mutant.before}"
    title = f", as {' '.join(what.split())}"
    for name, ruling in product(names, [(), *((pair,) for pair in rulings)]):
        one, other = (
            replace(r, changes=replace(r.changes, constants=(*r.changes.constants, *ruling)))
            for r in (before, after)
        )
        try:
            found = make_comparer(name, one, other, _PLAYERS, Deadline(seconds))
            if found is None or (found.is_same and not isinstance(found, CardComparer)):
                return mutant  # it is about something else
            found.run()
        except LimitError:
            raise
        except RuleError:  # a constraint, for instance
            return mutant
        if found.at is not None:
            return replace(mutant, example=found.write(one, other, title, *ruling))
        holds = "".join(f"with {name} = {value}\n" for name, value in ruling)
        proved.append(f"{holds}{said}" if (said := say_proved(found)) else "")
    return replace(mutant, proved="" if "" in proved else "\n".join(proved))


def report_mutants(found: Mapping[tuple[str, str], Sequence[Mutant | None]]) -> Output:
    """Lay out how many mutants were noticed, by game and file, and those that were not."""
    columns = "game", "file", "mutants", "noticed", "same", "survivors"
    told = "line", "before", "after", "example", "proved"
    rows, blocks, lines = list[tuple[str | int, ...]](), list[Block](), list[dict[str, object]]()
    for key, tried in found.items():
        left = sorted(filter(None, tried), key=lambda one: (bool(one.proved), not one.example))
        same = sum(bool(one.proved) for one in left)
        rows.append((*key, len(tried), tried.count(None), same, len(left) - same))
        lines.append(dict(zip(columns, rows[-1], strict=True)))
        lines[-1]["not_noticed"] = [{name: getattr(one, name) for name in told} for one in left]
        for one in left:
            said = filter(None, (one.example, one.proved))
            blocks += [Text(str(one), "heading"), *map(Text, said)]
    table = Table("", columns, tuple(rows))
    return Output([table, *blocks], lines, table)
