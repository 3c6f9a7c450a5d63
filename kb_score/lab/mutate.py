"""Mutation testing of rules: change a rule a little, and see whether an example fails.

A mutant is the text of a rule file with one small change. If no example fails with it, a `Comparer`
searches for a board or a turn where the change makes a difference: this is the missing example.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from pathlib import Path
from random import Random

from clingo import SymbolType
from clingo.ast import AST, ASTType, Position, Sign

from kb_score.engine.changes import find_replaced
from kb_score.engine.docs import NO_EXAMPLE, read_rule_files
from kb_score.engine.program import Program, read_program
from kb_score.engine.rules import GameRules, LimitError
from kb_score.engine.supervisor import Deadline
from kb_score.errors import KbScoreError, RuleError
from kb_score.games import GameFolder
from kb_score.games.blame import blame_rules
from kb_score.games.kingdom_builder.rules import load_rules
from kb_score.lab.compare import CardComparer, Comparer, describe_agreement, make_comparer
from kb_score.lab.examples import (
    Example,
    Settings,
    choose_affected,
    find_named,
    judge_examples,
    set_rulings,
)
from kb_score.resources import place_in_game, rule_file_name
from kb_score.shell.files import open_scratch_folder
from kb_score.shell.output import Block, Output, Table, Text, show_progress

# The length of one search for an example, unless --limit-seconds sets it.
_DEFAULT_SECONDS = 5.0
# Boards are searched with up to this many players.
_MAX_PLAYERS = 3
# A comparison operator is group 1. The braces of an aggregate, and strings, match as a whole and
# have no group 1, so that operators inside them are skipped.
_OPERATOR = re.compile(rb'\{.*\}|"[^"]*"|([<>!]?=|[<>])', re.DOTALL)
_OTHER_OPERATOR = {b"<": "<=", b"<=": "<", b">": ">=", b">=": ">", b"=": "!=", b"!=": "="}
# The comment above a ruling names its other values like this: "with none: ...".
_RULING_VALUE = re.compile(r"\bwith (\w+)[,:]")

_COLUMNS = ("game", "file", "mutants", "noticed", "same", "survivors")
# The fields of a mutant that JSON shows.
_SHOWN_FIELDS = ("line", "before", "after", "example", "proved")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A rule file with one change.

    Attributes:
        line: The line of the change, from 1.
        after: The condition or rule after the change; empty if it is removed.
        example: An example that would notice the change, as text for a rule file; empty if none was
            found.
        proved: A sentence with the size up to which the change makes no difference; empty if
            nothing was proved.
    """

    path: Path
    line: int
    before: str
    after: str
    text: str
    example: str = ""
    proved: str = ""

    def __str__(self) -> str:
        file = rule_file_name(self.path)
        change = f"without {self.before}"
        if self.after:
            change = f"{self.before} -> {self.after}"
        return f"{file}:{self.line}: {_join_lines(change)}"


def find_mutants(path: Path) -> list[Mutant]:
    """Return the mutants of a rule file, in the order of its rules and constants.

    Facts that define a card, and rules marked "no example", are not changed.
    """
    program = read_program([path])
    source = _Source(path)
    # A dictionary keeps the order, and drops mutants that are equal to an earlier one.
    mutants: dict[Mutant, None] = {}
    for statement in program.statements:
        if _is_changed(statement.node, source):
            changer = _StatementChanger(source, statement.node)
            mutants |= dict.fromkeys(changer.list_mutants())
    return list(mutants)


def draw_mutants(
    paths: Iterable[Path], count: int | None, seed: int
) -> Mapping[Path, list[Mutant]]:
    """Return a sample of the mutants of some rule files, or all of them if ``count`` is None.

    They are grouped by file; in each file they keep the order of `find_mutants`.
    """
    mutants: list[Mutant] = []
    for path in paths:
        mutants += find_mutants(path)
    if count is not None and count < len(mutants):
        drawn = Random(seed).sample(range(len(mutants)), count)
        mutants = [mutants[number] for number in sorted(drawn)]
    by_path: dict[Path, list[Mutant]] = {}
    for mutant in mutants:
        by_path.setdefault(mutant.path, []).append(mutant)
    return by_path


@dataclass(frozen=True, slots=True)
class _Span:
    """A range of bytes in a rule file; the end is not included."""

    begin: int
    end: int


class _Source:
    """The bytes of a rule file, from which mutants are made."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        self._path = path
        self._line_starts = [0]
        for newline in re.finditer(b"\n", self.data):
            self._line_starts.append(newline.end())

    def find_span(self, node: AST) -> _Span:
        """Return where a syntax tree is in the file."""
        # clingo counts lines and columns from 1, and a column is a byte.
        location = node.location
        return _Span(self._find_byte(location.begin), self._find_byte(location.end))

    def _find_byte(self, position: Position) -> int:
        """Return the index of the byte at a clingo position."""
        return self._line_starts[position.line - 1] + position.column - 1

    def read(self, begin: int, end: int) -> str:
        """Return the text of a range of bytes, from 0; the end is not included."""
        return self.data[begin:end].decode()

    def change(self, shown: _Span, begin: int, end: int, new: str = "") -> Mutant:
        """Return the mutant with another text, or none, in place of a range of bytes.

        A condition is removed together with a comma, which lies outside the span that is shown; in
        that case, the mutant's ``after`` is empty. ``shown`` is the condition or rule whose text is
        shown before and after.
        """
        after = ""
        if shown.begin <= begin and end <= shown.end:
            after = self.read(shown.begin, begin) + new + self.read(end, shown.end)
        # A comma that is removed may be on an earlier line than the condition.
        first_change = max(shown.begin, begin)
        lines_above = self.data.count(b"\n", 0, first_change)
        return Mutant(
            path=self._path,
            line=lines_above + 1,
            before=self.read(shown.begin, shown.end),
            after=after,
            text=self.read(0, begin) + new + self.read(end, len(self.data)),
        )


def _is_changed(statement: AST, source: _Source) -> bool:
    """Return whether a statement has mutants."""
    if statement.ast_type not in (ASTType.Rule, ASTType.Definition):
        return False
    if str(statement).startswith("card("):
        return False
    return NO_EXAMPLE.match(source.data, source.find_span(statement).end) is None


class _StatementChanger:
    """Makes the mutants of one rule or constant.

    Each mutant shows the innermost literal around its change, or the whole statement if the change
    is outside all literals.
    """

    def __init__(self, source: _Source, statement: AST) -> None:
        self._source = source
        self._statement = statement
        self._span = source.find_span(statement)
        text = source.read(self._span.begin, self._span.end)
        self._word_counts = Counter(re.findall(r"\w+", text))

    def list_mutants(self) -> Iterator[Mutant]:
        """Yield the mutants, those of a syntax tree before those of the trees inside it."""
        return self._change_tree(self._statement, self._span)

    def _change_tree(self, node: AST, shown: _Span) -> Iterator[Mutant]:
        """Yield the mutants of a syntax tree and of all trees inside it."""
        yield from self._change_node(node, shown)
        if "body" in node.child_keys:
            yield from self._change_conditions(node.body, node.head)
        elif "condition" in node.child_keys:
            yield from self._change_conditions(node.condition, None)
        for child in _list_children(node):
            shown_for_child = shown
            if child.ast_type == ASTType.Literal:
                shown_for_child = self._source.find_span(child)
            yield from self._change_tree(child, shown_for_child)

    def _change_node(self, node: AST, shown: _Span) -> Iterator[Mutant]:
        """Yield the mutants of a syntax tree itself."""
        source = self._source
        match node.ast_type:
            case ASTType.Rule:
                yield source.change(shown, shown.begin, shown.end)
            case ASTType.BodyAggregateElement:
                if len(node.terms) > 1:
                    yield self._remove_last_term(node.terms, shown)
            case ASTType.Literal:
                if node.sign == Sign.Negation:
                    end_of_not = shown.begin + len("not ")
                    yield source.change(shown, shown.begin, end_of_not)
            case ASTType.Comparison | ASTType.BodyAggregate:
                yield from self._change_operators(shown)
            case ASTType.SymbolicTerm:
                if node.symbol.type == SymbolType.Number:
                    number = source.find_span(node)
                    next_number = str(node.symbol.number + 1)
                    yield source.change(shown, number.begin, number.end, next_number)
            case ASTType.Function:
                yield from self._swap_variables(node.arguments, shown)

    def _remove_last_term(self, terms: Sequence[AST], shown: _Span) -> Mutant:
        """Return the mutant without the last term of a tuple, and without the comma before it."""
        source = self._source
        *_, kept, removed = terms
        return source.change(shown, source.find_span(kept).end, source.find_span(removed).end)

    def _change_operators(self, shown: _Span) -> Iterator[Mutant]:
        """Yield mutants with other comparison operators, but none inside an aggregate's braces."""
        source = self._source
        for found in _OPERATOR.finditer(source.data, shown.begin, shown.end):
            operator = found[1]
            if operator is not None:
                other = _OTHER_OPERATOR[operator]
                yield source.change(shown, found.start(), found.end(), other)

    def _change_conditions(self, conditions: Sequence[AST], head: AST | None) -> Iterator[Mutant]:
        """Yield mutants without each condition, and with ``not`` before each plain atom.

        The conditions are those of a rule, or of a conditional literal or an aggregate's element,
        which have no head.
        """
        source = self._source
        spans = [source.find_span(condition) for condition in conditions]
        for position, span in enumerate(spans):
            if position > 0:
                before_comma = spans[position - 1].end
                yield source.change(span, before_comma, span.end)
            elif len(spans) > 1:
                after_comma = spans[1].begin
                yield source.change(span, span.begin, after_comma)
            elif head is not None and str(head) != "#false":
                # A rule without conditions is a fact; a constraint without them never holds.
                yield source.change(span, source.find_span(head).end, span.end)
            if _is_plain_atom(conditions[position]):
                yield source.change(span, span.begin, span.begin, "not ")

    def _swap_variables(self, arguments: Sequence[AST], shown: _Span) -> Iterator[Mutant]:
        """Yield mutants in which two variables that are neighbouring arguments are swapped."""
        source = self._source
        for left, right in pairwise(arguments):
            if not left.ast_type == right.ast_type == ASTType.Variable or left.name == right.name:
                continue
            # If neither variable occurs anywhere else in the rule, their names do not matter.
            if max(self._word_counts[left.name], self._word_counts[right.name]) <= 1:
                continue
            left_span = source.find_span(left)
            right_span = source.find_span(right)
            between = source.read(left_span.end, right_span.begin)
            swapped = f"{right.name}{between}{left.name}"
            yield source.change(shown, left_span.begin, right_span.end, swapped)


def _list_children(node: AST) -> Iterator[AST]:
    """Yield the syntax trees directly inside a syntax tree."""
    for key in node.child_keys:
        child = getattr(node, key)
        if isinstance(child, AST):
            yield child
        elif child is not None:
            yield from child


def _is_plain_atom(condition: AST) -> bool:
    """Return whether a condition is an atom without ``not``."""
    return (
        condition.ast_type == ASTType.Literal
        and condition.sign == Sign.NoSign
        and condition.atom.ast_type == ASTType.SymbolicAtom
    )


def try_mutants(
    mutants: Sequence[Mutant], examples: Sequence[Example], rules: GameRules
) -> Iterator[Mutant | None]:
    """Run a game's examples with each mutant of one file, and search for missing examples.

    Yields None for a mutant that an example notices, otherwise the mutant, with an example that
    would notice it or with what is proved, if the search found either. Mutants that clingo refuses
    are skipped. An example in the file that fails without any mutant is an error.
    """
    path = mutants[0].path
    program = read_program([path])
    affected = _choose_examples(path, examples, rules)
    compared = _list_compared(program, rules)
    installer = _MutantInstaller(path, program, rules)
    seconds = rules.changes.limits.seconds or _DEFAULT_SECONDS
    # One example from each folder is enough to find out whether the rules never terminate.
    samples = list({example.path.parent: example for example in examples}.values())
    for number, mutant in enumerate(mutants, 1):
        show_progress(f"{number} of {len(mutants)}: {mutant}")
        with open_scratch_folder() as folder:
            changed = installer.install(mutant, folder)
            try:
                changed.read_parts()
            except RuleError:
                continue
            survivor = None
            if not _has_failure(affected, changed):
                survivor = _search(mutant, compared, rules, changed, seconds)
        found_nothing = survivor is not None and not survivor.example and not survivor.proved
        if samples and found_nothing:
            # If the search found nothing because the rules never end, this raises a LimitError.
            list(judge_examples(samples, rules))
            samples = []
        yield survivor


def find_place(path: Path, rules: GameRules) -> str:
    """Return the path below a user's folder at which a copy of a rule file replaces that file."""
    replaced = find_replaced(rules.game, rules.changes)
    if path in replaced:
        return place_in_game(replaced[path])
    if path in rules.changes.files:
        return path.name
    return place_in_game(path)


class _MutantInstaller:
    """Writes mutants of one rule file where they replace the file."""

    def __init__(self, path: Path, program: Program, rules: GameRules) -> None:
        users_files = (*rules.changes.files, *rules.changes.tables)
        self._rules = rules
        self._place = find_place(path, rules)
        self._other_files = [file for file in users_files if file != path]
        self._declarations = _declare_predicates(program)

    def install(self, mutant: Mutant, folder: Path) -> GameRules:
        """Write a mutant into an empty folder, and return the rules with it."""
        copy = folder / self._place
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(f"{mutant.text}\n{self._declarations}", encoding="utf-8")
        changes = replace(self._rules.changes, folders=(*self._other_files, folder))
        return replace(self._rules, changes=changes, warn=None)


def _declare_predicates(program: Program) -> str:
    """Return ``#defined`` lines for all predicates of a rule file.

    A mutant may lack the only rule that derives a predicate. Examples decide whether that matters;
    the check of users' rules must not refuse the mutant because the predicate is undefined.
    """
    predicates = sorted(program.derived | program.inputs)
    return "".join(f"#defined {name}/{arity}.\n" for name, arity in predicates)


def _list_compared(program: Program, rules: GameRules) -> list[str]:
    """Return the names to compare: the cards and tiles that a file defines, or only the game."""
    stated = find_named(program)
    if not stated:
        return [GameFolder(rules.game).name]
    compared = []
    if any(kind == "card" for kind, _ in stated):
        # Cards that score only in games, such as the capitol, are not among these.
        cards = load_rules(rules).cards
        compared += [card.name for card in cards if ("card", card.name) in stated]
    compared += [name for kind, name in sorted(stated) if kind == "tile"]
    return compared


def _choose_examples(path: Path, examples: Iterable[Example], rules: GameRules) -> list[Example]:
    """Return the examples that can notice a mutant of a file, those in the file first.

    Examples in other files that fail without a mutant are left out; an example in the file that
    does so is an error.
    """
    affected = choose_affected(examples, [path])
    failing = {failure.question.example for failure in judge_examples(affected, rules)}
    for example in affected:
        if example.path == path and example in failing:
            example.fail(example.line, "this example fails: see kb-score rules test")

    def order(example: Example) -> tuple[bool, Path, int]:
        return example.path != path, example.path, example.line

    return sorted(set(affected) - failing, key=order)


def _has_failure(examples: Sequence[Example], rules: GameRules) -> bool:
    """Return whether some example fails with these rules, or cannot be run with them."""
    # Examples are run file by file: most mutants fail in the first file, which is their own.
    files = groupby(examples, key=lambda example: example.path)
    try:
        with blame_rules(rules):  # a mutant may leave out an atom that the driver needs
            for _, group in files:
                for _ in judge_examples(list(group), rules):
                    return True
    except KbScoreError:
        return True
    return False


def _search(
    mutant: Mutant, names: Sequence[str], before: GameRules, after: GameRules, seconds: float
) -> Mutant:
    """Search for a board or a turn where a mutant that no example notices makes a difference.

    The search, of ``seconds`` at most, is repeated with each other value of the rulings in the
    mutant's file. The mutant is returned with an example that notices it, or with what every search
    proved. It is unchanged if a search reached a limit, or proved nothing.
    """
    proofs = []
    rulings_of_file = _list_rulings(mutant.path)
    for name in names:
        for rulings in rulings_of_file:
            one = set_rulings(before, rulings)
            other = set_rulings(after, rulings)
            try:
                comparer = _run_comparer(name, one, other, seconds)
                if comparer is None:
                    return mutant
                if comparer.at is not None:
                    example = comparer.write(one, other, _describe_cause(mutant), rulings)
                    return replace(mutant, example=example)
                proofs.append(_describe_proof(comparer, rulings))
            except LimitError:
                return mutant
    if "" in proofs:
        return mutant
    return replace(mutant, proved="\n".join(proofs))


def _list_rulings(path: Path) -> list[Settings]:
    """Return the rulings to search with: first the defaults, then each other value by itself."""
    choices: list[Settings] = [()]
    (file,) = read_rule_files([path])
    for ruling in file.rulings:
        values = _RULING_VALUE.findall(ruling.text)
        choices += [((ruling.name, value),) for value in values]
    return choices


def _run_comparer(
    name: str, before: GameRules, after: GameRules, seconds: float
) -> Comparer | None:
    """Return the comparer after a search for a difference between two versions of the rules.

    There is none if the versions cannot be compared, or if the mutant does not affect what is
    compared.
    """
    try:
        comparer = make_comparer(name, before, after, _MAX_PLAYERS, Deadline(seconds))
        if comparer is None:
            return None
        if comparer.is_same and not isinstance(comparer, CardComparer):
            return None
        comparer.run()
    except LimitError:
        raise
    except RuleError:
        # Some rules cannot be compared, such as constraints.
        return None
    return comparer


def _describe_cause(mutant: Mutant) -> str:
    """Return the end of the title of an example, which names the change that it notices."""
    change = f"without {mutant.before}"
    if mutant.after:
        change = f"with {mutant.after}"
    return f", as {_join_lines(change)}"


def _describe_proof(comparer: Comparer, rulings: Settings) -> str:
    """Return what a search proved, and under which rulings; empty if it proved nothing."""
    proved = describe_agreement(comparer)
    if not proved:
        return ""
    return "".join(f"with {name} = {value}\n" for name, value in rulings) + proved


def _join_lines(text: str) -> str:
    """Return a text as a single line, with single spaces."""
    return " ".join(text.split())


def report_mutants(found: Mapping[tuple[str, str], Sequence[Mutant | None]]) -> Output:
    """Return a table of the mutants noticed in each file, and a list of those that were not.

    The results of `try_mutants` are by the name of the game and of the file.
    """
    rows: list[tuple[str | int, ...]] = []
    lines: list[dict[str, object]] = []
    blocks: list[Block] = []
    for (game, file), results in found.items():
        survivors = [mutant for mutant in results if mutant is not None]
        survivors.sort(key=_rank)
        not_noticed = []
        for mutant in survivors:
            not_noticed.append({name: getattr(mutant, name) for name in _SHOWN_FIELDS})
            blocks += _show_survivor(mutant)
        noticed = len(results) - len(survivors)
        same = sum(bool(mutant.proved) for mutant in survivors)
        row = (game, file, len(results), noticed, same, len(survivors) - same)
        line: dict[str, object] = dict(zip(_COLUMNS, row, strict=True))
        line["not_noticed"] = not_noticed
        rows.append(row)
        lines.append(line)
    table = Table("", _COLUMNS, tuple(rows))
    return Output([table, *blocks], lines, table)


def _rank(mutant: Mutant) -> tuple[bool, bool]:
    """Return the rank of a survivor: those with an example first, those that are proved last."""
    return bool(mutant.proved), not mutant.example


def _show_survivor(mutant: Mutant) -> Iterator[Block]:
    """Yield the change as a heading, and what the search found."""
    yield Text(str(mutant), "heading")
    if mutant.example:
        yield Text(mutant.example)
    if mutant.proved:
        yield Text(mutant.proved)
