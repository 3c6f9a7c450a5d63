"""Which rules, and which of their conditions, some boards, records and examples have used.

A rule is used if it has applied. A condition is used if it has decided: it was false once while all
others were true, and what the rule gives did not hold anyway, so that the rule without it would say
more. One that gives variables their values cannot be left out: it is used with its rule.
Constraints are not counted.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from clingo.ast import AST, ASTType

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import NO_EXAMPLE, Origin, Words, read_origin
from kb_score.engine.lift import lift_to_turns
from kb_score.engine.program import Program, read_program, read_statement
from kb_score.engine.rules import Asked, GameRules, LimitError, Use
from kb_score.engine.terms import BOARD, TURN, Facts, join_boards, shapes_of
from kb_score.engine.trace import (
    ROW,
    Clause,
    ClauseIndex,
    Reasons,
    Values,
    fill,
    find_bound,
    find_names,
    write_tuple,
)
from kb_score.errors import ANY_FILE, InputError, KbScoreError, visible
from kb_score.games import list_games, recognise
from kb_score.games.game import File, Game
from kb_score.resources import COMMON, is_folder, list_below, name_rule_file
from kb_score.shell.files import read_input
from kb_score.shell.output import Exit, Messages, Output, Table, Text
from kb_score.shell.pages import fill_page
from kb_score.workbench.examples import Example, find_examples, judge_examples

# A file, a line and a column, from 1.
Place: TypeAlias = tuple[str, int, int]

# Folders whose rules draw, search or serve the driver: they count where examples stand in them.
_APART = {"picture", "search", "driver", COMMON}
_RANGES = {BOARD: f"board({BOARD})", TURN: f"turn({TURN})"}
_KINDS = "condition", "rule"
_COLUMNS = ("game", "file", "rules", "used", "conditions", "decided")
# What boards and records in a folder are called.
_ENDINGS = {".txt", ".map", ".session", ".log", ".table"}


@dataclass
class Used:
    """A rule or a condition, and the first time that it was used."""

    node: AST
    conditions: dict[Place, Used] = field(default_factory=dict)  # those of a rule
    instance: str = ""  # the rule with values; empty if it was never used
    where: str = ""  # on which board, in which record or example

    @cached_property
    def origin(self) -> Origin:
        """Where it stands."""
        return read_origin(self.node.location)

    @property
    def unused(self) -> list[Used]:
        """The rule if it was never used, or those of its conditions that were not."""
        never = [one for one in self.conditions.values() if not one.instance]
        return never if self.instance else [self]


class Coverage:
    """What is used of the rules in some files."""

    def __init__(self, paths: Iterable[Path], *, all_count: bool = False) -> None:
        """Take rule files; some of ours count only once they are asked for, and some never."""
        self._rules = {str(p): _list_rules(p) for p in paths if all_count or _is_counted(p)}
        self._asked = {*self._rules} if all_count else set[str]()
        self._tests = dict[int, tuple[Program, Program, list[_Test]]]()

    @property
    def files(self) -> dict[str, list[Used]]:
        """The rules of each file that counts."""
        return {path: [*self._rules[path].values()] for path in self._rules if path in self._asked}

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked."""
        return not self._tests

    def add(self, program: Program, facts: Facts, names: Sequence[str], use: Use) -> None:
        """Add what was asked, with the name of each board; without an answer nothing is used.

        Raises:
            LimitError: The rules were stopped at a limit.
        """
        self._asked |= {place_of(s.node)[0] for s in program.statements if s.heads}
        # Programs that differ in rulings have the same rules. Lifted ones are read as they are now.
        key = id(program.statements)
        if key not in self._tests:
            read = tuple(
                replace(read_statement(s.node), is_users=s.is_users) for s in program.statements
            )
            self._tests[key] = program, replace(program, statements=read), []
            self._tests[key][2].extend(self._list_tests(self._tests[key][1]))
        _, as_read, known = self._tests[key]
        program = replace(program, statements=as_read.statements)
        tests = [test for test in known if not test[0].instance]
        constants = {name: str(node.value) for name, node in program.find_constants().items()}
        more = [f"#const {n} = {v}." for n, v in {**constants, **dict(program.constants)}.items()]
        more += [f"board({number})." for (number,) in facts.get("board", ())]
        try:
            reasons = Reasons(program, facts, Words(()), best=use.models == "best")
            for used, clause, values in _run(tests, reasons, more):
                board = values.get(BOARD)
                used.where = names[board.number if board and len(names) > 1 else 0]
                used.instance = _write(clause, values)
        except LimitError:
            raise
        except KbScoreError:
            pass

    def _list_tests(self, program: Program) -> Iterator[_Test]:
        index = ClauseIndex(program, lambda _: None)
        for clause in (clause for head in sorted(program.derived) for clause in index.giving(head)):
            place = place_of(clause.statement.node)
            if rule := self._rules.get(place[0], {}).get(place):
                yield from _list_tests(clause, rule)


def place_of(node: AST) -> Place:
    """Tell where a part of a rule begins."""
    begin = node.location.begin
    return begin.filename, begin.line, begin.column


def _is_counted(path: Path) -> bool:
    return path.parent.name not in _APART or "%*! Example" in path.read_text("utf-8")


def _list_rules(path: Path) -> dict[Place, Used]:
    """List the rules of a file, but for those that no example can use."""
    program, found = read_program([path]), dict[Place, Used]()
    parts = {node.name for node in program.nodes(ASTType.Program) if node.parameters}
    lifted = lift_to_turns(program, parts)
    index = ClauseIndex(lifted, lambda _: None)
    for clause in (c for head in sorted(lifted.derived) for c in index.giving(head)):
        node = clause.statement.node
        rule = found.setdefault(place_of(node), Used(node))
        own = (part.node for part in clause.parts if not part.is_added)
        rule.conditions |= {place_of(one): Used(one) for one in own}
    lines = path.read_bytes().split(b"\n")
    ends = {place: rule.node.location.end.line for place, rule in found.items()}
    return {p: found[p] for p in sorted(found) if not NO_EXAMPLE.match(lines[ends[p] - 1])}


# Rules that say when something was used, ``@`` for its number, and the variables that they name.
_Test: TypeAlias = tuple[Used, Clause, Sequence[str], Sequence[str]]


def _list_tests(clause: Clause, rule: Used) -> Iterator[_Test]:
    """List what finds out whether a rule is used, and each of its conditions."""
    row, why = write_tuple(clause.names), next(clause.trace())
    applies = f"why'({clause.number},_,{row},_)"
    yield rule, clause, clause.names, [why, f"used'(@,{row}) :- {applies}."]
    for part in clause.parts:
        if part.is_added or (used := rule.conditions.get(place_of(part.node))) is None:
            continue
        others = [other for other in clause.parts if other is not part]
        ranges = [name for name in _RANGES if name in {*clause.names} - find_bound(others)]
        bound = find_bound(others, [(frozenset(ranges), frozenset())])
        # A sum may name variables of the rule that it gives no values.
        texts = [*map(str, clause.terms), *(other.text for other in others)]
        asked = {name for text in texts for name in find_names(text)} & {*clause.names}
        if not bound >= asked.union(*(other.names for other in others)):
            yield used, clause, clause.names, [why, f"used'(@,{row}) :- {applies}."]
            continue
        names = [name for name in clause.names if name in bound]
        known = write_tuple(names)
        body = "; ".join([*(other.body for other in others), *(_RANGES[name] for name in ranges)])
        decides = f"{body or '#true'}; not with'(@,{known}); not {clause.head}"
        with_ = f"with'(@,{known}) :- {applies}."
        yield used, clause, names, [why, with_, f"used'(@,{known}) :- {decides}."]


def _run(
    tests: Sequence[_Test], reasons: Reasons, more: Iterable[str]
) -> Iterator[tuple[Used, Clause, Values]]:
    """Yield what was used for the first time, with the least values."""
    numbered = ((number, rule) for number, test in enumerate(tests) for rule in test[3])
    rules = [*more, *(rule.replace("'(@,", f"'({number},") for number, rule in numbered)]
    rules.append(f"{ROW}(N,X) :- used'(N,_); X = #min {{ Y : used'(N,Y) }}.")
    ranges = {(name, 1) for name in ("board", "turn")}
    about = {s for _, clause, _, _ in tests for s in (*clause.asks, clause.signature)}
    for number, row in reasons.query([*dict.fromkeys(rules)], about | ranges):
        used, clause, names, _ = tests[number]
        if not used.instance:
            yield used, clause, dict(zip(names, row.arguments, strict=True))


def _write(clause: Clause, values: Values) -> str:
    """Write a rule as it stands, with values, that of the turn included."""
    text = fill(clause.origin.text, values)
    if clause.parameter and TURN in values:
        text = re.sub(rf"\b{clause.parameter}\b", str(values[TURN]), text)
    return text


def add_examples(
    found: Coverage, rules: GameRules, paths: Iterable[Path], messages: Messages
) -> None:
    """Add the examples in rule files of a game, all of which are asked at once."""
    noted = dict[Any, tuple[str, GameRules, Asked]]()

    def note(one: Example, rules: GameRules, asked: Asked) -> None:
        name = f"{name_rule_file(str(one.path))}:{one.line}: {one.title}"
        key = asked.use, asked.program.constants, repr(asked.facts)
        noted.setdefault(key, (name, rules, asked))

    with messages.refusing():
        list(judge_examples(find_examples(rules.game, paths), rules, note))
    groups = defaultdict[tuple[GameRules, Use], list[tuple[str, Asked]]](list)
    for name, own, asked in noted.values():
        groups[own, asked.use].append((name, asked))
    # What most examples ask leaves the least to ask.
    for (own, use), some in sorted(groups.items(), key=lambda group: -len(group[1])):
        boards = [asked.facts for _, asked in some]
        if use.models == "only" and not use.varying:
            program = own.program(use, shapes_of(*boards))
            found.add(program, join_boards(boards), [name for name, _ in some], use)
        else:
            for name, asked in some:
                found.add(asked.program, asked.facts, [name], use)


def add_files(
    found: Coverage, rules: GameRules, inputs: Iterable[Sequence[File]], messages: Messages
) -> None:
    """Add boards and records, each perhaps after its map."""
    game = list_games()[rules.game.replace("_", "-")].type
    for files in inputs:
        asked = list[Asked]()
        with messages.refusing():
            game.check(replace(rules, listener=asked.append), files)
            messages.go_on()
        for one in asked:
            found.add(one.program, one.facts, [files[-1][0]], one.use)


def cover(
    rules: GameRules, inputs: Iterable[Sequence[File]] | None, messages: Messages
) -> dict[str, list[Used]]:
    """List the rules of each file, with what boards and records, or else the examples, have used.

    With a user's files, all is about these. Nothing is listed if no input could be used.
    """
    ours, users = list_rule_files(rules.game, rules.changes)
    found = Coverage(users or ours, all_count=bool(users))
    if inputs is None:
        add_examples(found, rules, users or ours, messages)
    else:
        add_files(found, rules, inputs, messages)
    if found.is_empty and messages.status != Exit.FINE:
        return {}
    return found.files


def read_files(
    paths: Iterable[str], wanted: str | None, messages: Messages
) -> Iterator[tuple[Game, list[File]]]:
    """Yield each board, and each record after its map: the one that was named last before it.

    In a folder it is the map whose name stands in the path of the record; what has none, or is no
    board and no record, is left out.
    """
    maps = list[tuple[Game, File]]()
    for path in paths:
        kinds, inside = list[tuple[Game | None, File]](), is_folder(path)
        with messages.refusing():
            for one in _list_folder(path) if inside else [path]:
                with messages.refusing():
                    kinds.append(_recognise(one, wanted))
        maps += [(game, file) for game, file in kinds if game is not None and game.maps]
        for game, file in kinds:
            near = [(own, m) for own, m in maps if not inside or Path(m[0]).stem in file[0]]
            if game is not None and not game.maps:
                yield game, [file]
            elif game is None and near:
                yield near[-1][0], [near[-1][1], file]
            elif game is None and not inside:
                hint = "this looks like no board and no record: a record comes after its map"
                hint = f"these are rules: say --rules {path}" if path.endswith(".lp") else hint
                messages.refuse(InputError(path, hint))


def _list_folder(path: str) -> Iterator[str]:
    """List what boards and records in a folder are called."""
    below = sorted(list_below(Path(path)))
    found = [p for p in below if p.suffix in _ENDINGS]
    if not found and any(p.suffix == ".lp" for p in below):
        raise InputError(path, f"these are rules: say --rules {path}")
    yield from map(str, found)


def _recognise(path: str, wanted: str | None) -> tuple[Game | None, File]:
    file = path, read_input(path, ANY_FILE)
    known = [game for game in recognise(file[1]) if wanted in (None, game)]
    known = [game for game in known if game.replace("-", "_") in Path(path).parts] or known
    if len(known) > 1:
        hint = f"this looks like a file of {' or '.join(known)}: say which with --game"
        raise InputError(path, hint)
    return (list_games()[known[0]].type if known else None), file


def report(names: Mapping[str, tuple[str, str]], files: Mapping[str, Sequence[Used]]) -> Output:
    """Lay out how much of each file is used, and what never was; files have a game and a name."""
    rows, told, lines = list[tuple[str | int, ...]](), list[str](), list[dict[str, Any]]()
    for path, rules in files.items():
        parts = [one for rule in rules for one in rule.conditions.values()]
        rows.append((*names[path], len(rules), _count(rules), len(parts), _count(parts)))
        never = [
            {"line": o.origin.line, "kind": _KINDS[o is rule], "text": o.origin.text}
            for rule in rules
            for o in rule.unused
        ]
        told += [f"{names[path][1]}:{o['line']}: {o['kind']} {o['text']}" for o in never]
        lines.append({**dict(zip(_COLUMNS, rows[-1], strict=True)), "never": never})
    table = Table("", _COLUMNS, tuple(rows))
    if len(rows) > 1:
        sums = map(sum, zip(*(row[2:] for row in rows), strict=True))
        rows.append(("", "all", *sums))
    summed = replace(table, rows=tuple(rows), footer_rows=len(rows) - len(table.rows))
    heading = Text("rules never used, and conditions that never decided", "heading")
    more = [heading, Text("\n".join(told))] if told else []
    return Output([summed, *more], lines, table)


def write_page(names: Mapping[str, tuple[str, str]], files: Mapping[str, Sequence[Used]]) -> str:
    """Write a page of the text of each file, with what is used beside each rule."""

    def tell(one: Used) -> dict[str, Any]:
        said = {"line": one.origin.line, "end": one.node.location.end.line, "text": one.origin.text}
        parts = [tell(part) for part in one.conditions.values()]
        return {**said, "instance": one.instance, "where": visible(one.where), "conditions": parts}

    listed = [
        {"game": game, "name": name, "text": Path(path).read_text("utf-8").split("\n"),
         "rules": [*map(tell, files[path])]}
        for path, (game, name) in names.items() if path in files
    ]  # fmt: skip
    return fill_page("coverage", "Which rules are used", {"files": listed})


def _count(found: Iterable[Used]) -> int:
    return sum(bool(one.instance) for one in found)
