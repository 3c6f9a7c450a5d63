"""Coverage of rules: which rules and conditions some boards, records and examples have used.

A rule is used if it has applied at least once.

A condition is used if it has decided at least once: it was false while all other conditions of the
rule were true, and the head of the rule did not hold for any other reason. Without the condition,
the rule would then derive something else. A condition that gives variables their values cannot be
left out; it is used as soon as its rule is. Constraints are not counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

from clingo.ast import AST, ASTType

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import NO_EXAMPLE, Origin, Words, read_origin
from kb_score.engine.lift import lift_turns
from kb_score.engine.program import Program, Statement, read_program
from kb_score.engine.rule_text import read_rule_text
from kb_score.engine.rules import Asked, GameRules, Use
from kb_score.engine.scan import BOARD, TURN, Signature
from kb_score.engine.solve import AnswerSetError
from kb_score.engine.terms import Facts, join_boards, shapes_of
from kb_score.errors import ANY_FILE, InputError, visible
from kb_score.games import GameFolder, list_games, recognise
from kb_score.games.game import Game
from kb_score.games.match import File
from kb_score.lab.examples import Example, find_examples, judge_examples
from kb_score.reasons.trace import (
    ROW,
    Binding,
    Clause,
    ClauseIndex,
    Part,
    Reasons,
    Values,
    find_bound,
    find_names,
    write_tuple,
)
from kb_score.resources import (
    COMMON,
    is_folder,
    list_below,
    list_rule_files_below,
    natural_order,
    rule_file_name,
    stem_of,
)
from kb_score.shell.files import read_input
from kb_score.shell.output import Block, Exit, Messages, Output, Table, Text
from kb_score.shell.pages import fill_page

# Rules in these folders draw, search or serve the driver. They count only if examples test them.
_UNTESTED_FOLDERS = {"picture", "search", "driver", COMMON}
# The conditions that give values to the variables which lifting has added to a rule.
_RANGES = {BOARD: f"board_id({BOARD})", TURN: f"turn({TURN})"}
_COLUMNS = ("game", "file", "rules", "used", "conditions", "decided")
# The file name extensions of the boards and records in a folder.
_ENDINGS = {".txt", ".map", ".session", ".log", ".table"}


class StatementPlace(NamedTuple):
    """A place in a rule file: line and column from 1."""

    file: str
    line: int
    column: int


@dataclass
class Used:
    """A rule or a condition, and where it was first used.

    A condition has no conditions of its own. ``where`` is the name of the board, record or example
    that used it first; empty if none did.
    """

    node: AST
    conditions: dict[StatementPlace, Used] = field(default_factory=dict)
    where: str = ""

    @cached_property
    def origin(self) -> Origin:
        """The place of the rule or condition, and its text."""
        return read_origin(self.node.location)

    @property
    def unused(self) -> list[Used]:
        """The rule itself if it was never used, otherwise its conditions that never decided."""
        if not self.where:
            return [self]
        return [condition for condition in self.conditions.values() if not condition.where]


@dataclass(frozen=True, slots=True)
class _Test:
    """Rules for clingo that find out whether a rule or a condition is used.

    They derive ``used'(@,VALUES)``, with the values of ``names``, where ``@`` stands for the number
    of the test.
    """

    used: Used
    clause: Clause
    names: Sequence[str]
    rules: Sequence[str]


class Coverage:
    """The rules in some files, and which of them have been used so far."""

    def __init__(self, paths: Iterable[Path], *, all_count: bool = False) -> None:
        """Read the rules.

        With ``all_count``, all files count from the start. Otherwise a file counts once a program
        contains it, and a file in some folders only if it has examples.
        """
        self._rules: dict[str, dict[StatementPlace, Used]] = {}
        for path in paths:
            if all_count or _is_tested(path):
                self._rules[str(path)] = _read_rules(path)
        # The files that count so far.
        self._counted: set[str] = set()
        if all_count:
            self._counted.update(self._rules)
        # By the statements of a program.
        self._tests: dict[tuple[Statement, ...], Sequence[_Test]] = {}

    @property
    def files(self) -> dict[str, list[Used]]:
        """The rules of each file that counts."""
        return {
            path: list(rules.values())
            for path, rules in self._rules.items()
            if path in self._counted
        }

    @property
    def is_empty(self) -> bool:
        """Whether no program has been added."""
        return not self._tests

    def add(self, program: Program, facts: Facts, names: Sequence[str], use: Use) -> None:
        """Record which rules one question to the rules has used.

        If the program has no answer set, nothing is used. There is one name for each board.
        """
        derived = [statement for statement in program.statements if statement.heads]
        self._counted.update(place_of(statement.tree).file for statement in derived)
        open_tests = [test for test in self._prepare_tests(program) if not test.used.where]
        settings = list(_write_settings(program, facts))
        try:
            reasons = Reasons(program, facts, Words(()), best=use.models == "best")
        except AnswerSetError:
            return
        for test, values in _run_tests(open_tests, reasons, settings):
            name = names[0]
            board = values.get(BOARD)
            if board is not None and len(names) > 1:
                name = names[board.number]
            test.used.where = name

    def _prepare_tests(self, program: Program) -> Sequence[_Test]:
        """Return the tests of a program, which are made once.

        Programs that differ only in their rulings share their statements, and so their tests.
        """
        if program.statements in self._tests:
            return self._tests[program.statements]
        tests: list[_Test] = []
        for clause in _list_clauses(program):
            place = place_of(clause.statement.tree)
            rules = self._rules.get(place.file, {})
            if place in rules:
                tests += _make_tests(clause, rules[place])
        self._tests[program.statements] = tests
        return tests


def place_of(node: AST) -> StatementPlace:
    """Return the place where a rule or a part of it begins."""
    begin = node.location.begin
    return StatementPlace(begin.filename, begin.line, begin.column)


def _is_tested(path: Path) -> bool:
    """Return whether examples are expected to use the rules of a file of ours."""
    if path.parent.name not in _UNTESTED_FOLDERS:
        return True
    return "%*! Example" in read_rule_text(path)


def _read_rules(path: Path) -> dict[StatementPlace, Used]:
    """Return the rules of a file in order of their places, without those marked "no example"."""
    program = read_program([path])
    parts = {node.name for node in program.nodes(ASTType.Program) if node.parameters}
    rules: dict[StatementPlace, Used] = {}
    lifted = lift_turns(program, parts)
    for clause in _list_clauses(lifted):
        node = clause.statement.node
        rule = rules.setdefault(place_of(node), Used(node))
        for part in clause.parts:
            if part.is_added:
                continue
            place = place_of(part.node)
            rule.conditions[place] = Used(part.node)
    lines = path.read_bytes().split(b"\n")
    counted = {}
    for place in sorted(rules):
        rule = rules[place]
        last = rule.node.location.end.line
        if not NO_EXAMPLE.match(lines[last - 1]):
            counted[place] = rule
    return counted


def _list_clauses(program: Program) -> Iterator[Clause]:
    """Yield a program's rules, grouped by the predicates that they derive; constants stay names."""
    index = ClauseIndex(program, lambda _: None)
    for predicate in sorted(program.derived):
        yield from index.giving(predicate)


def _write_settings(program: Program, facts: Facts) -> Iterator[str]:
    """Yield the constants of a program as ``#const`` lines, and the numbers of joined boards."""
    values: dict[str, str] = {}
    for name, node in program.definitions.items():
        values[name] = str(node.value)
    values.update(program.constants)
    for name, value in values.items():
        yield f"#const {name} = {value}."
    for (number,) in facts.get("board_id", ()):
        yield f"board_id({number})."


def _make_tests(clause: Clause, rule: Used) -> Iterator[_Test]:
    """Yield the test for a rule, and one for each of its conditions."""
    yield _make_rule_test(clause, rule)
    for part in clause.parts:
        if part.is_added:
            continue
        place = place_of(part.node)
        condition = rule.conditions.get(place)
        if condition is not None:
            yield _make_condition_test(clause, part, condition)


def _make_rule_test(clause: Clause, used: Used) -> _Test:
    """Return the test for whether a rule has applied."""
    trace = next(clause.trace())
    applied = f"used'(@,{write_tuple(clause.names)}) :- {_write_applies(clause)}."
    return _Test(used, clause, clause.names, [trace, applied])


def _make_condition_test(clause: Clause, part: Part, used: Used) -> _Test:
    """Return the test for whether a condition has decided.

    If the condition gives a variable its values, it is used with its rule.
    """
    others = [other for other in clause.parts if other is not part]
    # Without the condition, the board and the turn may be any that there are.
    unbound = set(clause.names) - find_bound(others)
    ranged = [name for name in _RANGES if name in unbound]
    bound = find_bound(others, [Binding(frozenset(ranged))])
    if not _find_needed(clause, others) <= bound:
        return _make_rule_test(clause, used)
    names = [name for name in clause.names if name in bound]
    row = write_tuple(names)
    conditions = [other.body for other in others]
    conditions += [_RANGES[name] for name in ranged]
    body = "; ".join(conditions) or "#true"
    trace = next(clause.trace())
    applied = f"with'(@,{row}) :- {_write_applies(clause)}."
    decided = f"used'(@,{row}) :- {body}; not with'(@,{row}); not {clause.head}."
    return _Test(used, clause, names, [trace, applied, decided])


def _write_applies(clause: Clause) -> str:
    """Return the condition that a traced rule has applied, with the values of its variables."""
    return f"why'({clause.number},_,{write_tuple(clause.names)},_)"


def _find_needed(clause: Clause, others: Sequence[Part]) -> set[str]:
    """Return the variables that need values in a rule with only some of its conditions."""
    texts = list(map(str, clause.terms))
    texts += [other.text for other in others]
    needed: set[str] = set()
    for text in texts:
        needed.update(find_names(text))
    # The text of a sum also has variables that occur only in the sum.
    needed &= set(clause.names)
    # A sum may also name variables of the rule that it gives no values.
    for other in others:
        needed.update(other.names)
    return needed


def _run_tests(
    tests: Sequence[_Test], reasons: Reasons, settings: Iterable[str]
) -> Iterator[tuple[_Test, Values]]:
    """Yield each test that is met for the first time, with the smallest values.

    The settings are rules that all tests need: constants and the numbers of boards.
    """
    # A dictionary keeps the order, and drops duplicate rules.
    rules = dict.fromkeys(settings)
    # The predicates in the bodies of the tests: those of the rules, and of boards and turns.
    predicates: set[Signature] = {(name, 1) for name in ("board_id", "turn")}
    for number, test in enumerate(tests):
        for rule in test.rules:
            numbered = rule.replace("'(@,", f"'({number},")
            rules[numbered] = None
        predicates.update(test.clause.asks)
        predicates.add(test.clause.signature)
    least = f"{ROW}(N,X) :- used'(N,_); X = #min {{ Y : used'(N,Y) }}."
    rules[least] = None
    for number, row in reasons.query(list(rules), predicates):
        test = tests[number]
        # Several tests may be about the same condition.
        if not test.used.where:
            values = zip(test.names, row.arguments, strict=True)
            yield test, dict(values)


@dataclass(frozen=True, slots=True)
class _NamedQuestion:
    """A question to the rules that an example has asked, named by the example."""

    name: str
    rules: GameRules
    asked: Asked


def add_examples(
    found: Coverage, rules: GameRules, paths: Iterable[Path], messages: Messages
) -> None:
    """Record which rules the examples in rule files have used."""
    # The first example that asked each question.
    questions: dict[object, _NamedQuestion] = {}

    def note(example: Example, rules: GameRules, asked: Asked) -> None:
        file = rule_file_name(example.path)
        name = f"{file}:{example.line}: {example.title}"
        key = (asked.use, asked.program.constants, repr(asked.facts))
        questions.setdefault(key, _NamedQuestion(name, rules, asked))

    with messages.refusing():
        examples = find_examples(rules.game, paths)
        # Only the questions matter here, not the failures.
        list(judge_examples(examples, rules, note))
    groups = defaultdict[tuple[GameRules, Use], list[_NamedQuestion]](list)
    for question in questions.values():
        groups[question.rules, question.asked.use].append(question)
    # The largest groups use the most rules, and leave fewer tests for the others.
    for group in sorted(groups.values(), key=len, reverse=True):
        _add_group(found, group)


def _add_group(found: Coverage, group: Sequence[_NamedQuestion]) -> None:
    """Record which rules some questions have used, all of one use and with the same rules."""
    rules = group[0].rules
    use = group[0].asked.use
    if use.models == "only" and not use.varying:
        # One grounding answers all of them.
        boards = [question.asked.facts for question in group]
        names = [question.name for question in group]
        program = rules.program(use, shapes_of(*boards))
        found.add(program, join_boards(boards), names, use)
        return
    for question in group:
        asked = question.asked
        found.add(asked.program, asked.facts, [question.name], use)


def add_files(
    found: Coverage, rules: GameRules, inputs: Iterable[Sequence[File]], messages: Messages
) -> None:
    """Record which rules the checks of boards and records have used.

    A map comes before its record.
    """
    game = GameFolder(rules.game).type
    for files in inputs:
        questions: list[Asked] = []
        listening = replace(rules, listener=questions.append)
        with messages.refusing():
            game.check(listening, files)
            messages.accept()
        name, _ = files[-1]
        for asked in questions:
            found.add(asked.program, asked.facts, [name], asked.use)


def cover(
    rules: GameRules,
    inputs: Iterable[Sequence[File]] | None,
    messages: Messages,
    named: Sequence[Path] = (),
) -> dict[str, list[Used]]:
    """Return the rules used by boards and records, or by the examples if ``inputs`` is None.

    They are grouped by the path of their file; there are none if no input could be read. Only the
    named files count, or the user's files, or ours.
    """
    ours, users = list_rule_files(rules.game, rules.changes)
    paths = named or users or ours
    found = Coverage(paths, all_count=bool(named or users))
    if inputs is None:
        add_examples(found, rules, paths, messages)
    else:
        add_files(found, rules, inputs, messages)
    if found.is_empty and messages.status != Exit.FINE:
        return {}
    return found.files


def read_files(
    paths: Iterable[str], wanted: str | None, messages: Messages
) -> Iterator[tuple[Game, list[File]]]:
    """Yield boards, and records after their maps.

    A record belongs to the last map that was named before it. In a folder, it belongs to the last
    map whose name occurs in the path of the record. A file in a folder that is neither a board nor
    a record, or has no map, is left out without a message.
    """
    maps: list[tuple[Game, File]] = []
    for path in paths:
        is_in_folder = is_folder(path)
        inputs = _read_path(path, wanted, messages)
        for game, file in inputs:
            if game is not None and game.maps:
                maps.append((game, file))
        for game, file in inputs:
            if game is not None:
                if not game.maps:
                    yield game, [file]
                continue
            own_map = _find_map(maps, file, by_name=is_in_folder)
            if own_map is not None:
                map_game, map_file = own_map
                yield map_game, [map_file, file]
            elif not is_in_folder:
                reason = "this is neither a board nor a record: put a record after its map"
                messages.refuse(InputError(path, reason))


def _find_map(
    maps: Sequence[tuple[Game, File]], record: File, *, by_name: bool
) -> tuple[Game, File] | None:
    """Return the last map, or with ``by_name`` the last whose name is in the path of a record."""
    record_path = normalize("NFC", record[0])
    for game, file in reversed(maps):
        if not by_name or stem_of(file[0]) in record_path:
            return game, file
    return None


def _read_path(path: str, wanted: str | None, messages: Messages) -> list[tuple[Game | None, File]]:
    """Return the game, None for a record, and the text of a file or of the files in a folder."""
    inputs: list[tuple[Game | None, File]] = []
    with messages.refusing():
        names = [path]
        if is_folder(path):
            names = _list_folder(path)
        for name in names:
            with messages.refusing():
                text = read_input(name, ANY_FILE)
                file = (name, text)
                inputs.append((_find_game(file, wanted), file))
    return inputs


def _list_folder(path: str) -> list[str]:
    """Return the files in a folder that are boards or records by the endings of their names."""
    found = [str(below) for below in list_below(Path(path)) if below.suffix in _ENDINGS]
    return sorted(found, key=natural_order)


def are_rules(path: str) -> bool:
    """Return whether a file or a folder has rules, not boards or records."""
    if is_folder(path):
        return bool(list_rule_files_below(Path(path))) and not _list_folder(path)
    return path.endswith(".lp")


def _find_game(file: File, wanted: str | None) -> Game | None:
    """Return the game whose boards or maps look like a file; None if there is none.

    If there are several games, those named by a folder in the path of the file are preferred.
    """
    path, text = file
    names = recognise(text)
    if wanted is not None:
        names = [name for name in names if name == wanted]
    folders = Path(path).parts
    preferred = [name for name in names if name.replace("-", "_") in folders]
    names = preferred or names
    if len(names) > 1:
        games = " or ".join(names)
        raise InputError(path, f"this looks like a file of {games}: say which with --game")
    if not names:
        return None
    (name,) = names
    return list_games()[name].type


def report(names: Mapping[str, tuple[str, str]], files: Mapping[str, Sequence[Used]]) -> Output:
    """Return a table of the rules and conditions used in each file, and a list of those never used.

    Both arguments are by the path of the file; a name is that of the game and that of the file.
    """
    rows: list[tuple[str | int, ...]] = []
    lines: list[dict[str, Any]] = []
    never_used: list[str] = []
    all_rules: list[Used] = []
    for path, rules in files.items():
        game, name = names[path]
        row: tuple[str | int, ...] = (game, name, *_count(rules))
        never = _list_never_used(rules)
        line: dict[str, Any] = dict(zip(_COLUMNS, row, strict=True))
        line["never"] = never
        rows.append(row)
        lines.append(line)
        all_rules += rules
        never_used += [f"{name}:{part['line']}: {part['kind']} {part['text']}" for part in never]
    table = Table("", _COLUMNS, tuple(rows))
    shown = table
    if len(rows) > 1:
        rows.append(("", "all", *_count(all_rules)))
        shown = replace(table, rows=tuple(rows), footer_rows=1)
    blocks: list[Block] = [shown]
    if never_used:
        heading = Text("rules never used, and conditions that never mattered", "heading")
        blocks += [heading, Text("\n".join(never_used))]
    return Output(blocks, lines, table)


def _count(rules: Sequence[Used]) -> list[int]:
    """Return the numbers of rules, used rules, conditions and used conditions."""
    conditions: list[Used] = []
    for rule in rules:
        conditions += rule.conditions.values()
    used = [rule for rule in rules if rule.where]
    decided = [condition for condition in conditions if condition.where]
    return [len(rules), len(used), len(conditions), len(decided)]


def _list_never_used(rules: Iterable[Used]) -> list[dict[str, Any]]:
    """Return the rules that were never used and the conditions that never decided, for JSON."""
    never: list[dict[str, Any]] = []
    for rule in rules:
        for part in rule.unused:
            kind = "rule" if part is rule else "condition"
            never.append({"line": part.origin.line, "kind": kind, "text": part.origin.text})
    return never


def write_page(names: Mapping[str, tuple[str, str]], files: Mapping[str, Sequence[Used]]) -> str:
    """Return a page with the table of `report` and the rules of each file."""
    table = _write_head(_COLUMNS)
    sections = ""
    all_rules: list[Used] = []
    for number, (path, rules) in enumerate(files.items(), 1):
        game, name = names[path]
        shown = escape(visible(name))
        link = f'<a href="#file-{number}">{shown}</a>'
        table += _write_row("", game, link, *_count(rules))
        sections += _write_file(f"file-{number}", shown, rules)
        all_rules += rules
    table += f"<tfoot>{_write_row('', '', 'all', *_count(all_rules))}"
    return fill_page("coverage", "Which rules are used", None, table=table, files=sections)


def _write_head(columns: Iterable[str]) -> str:
    heads = "".join(f'<th scope="col">{column}' for column in columns)
    return f"<thead><tr>{heads}<tbody>"


def _write_row(kind: str, *cells: str | int) -> str:
    return f'<tr class="{kind}">' + "".join(f"<td>{cell}" for cell in cells)


def _write_file(anchor: str, name: str, rules: Iterable[Used]) -> str:
    """Return a table of the rules of a file as markup; the name is markup, too."""
    table = _write_head(("line", "rule", "decided", "conditions that never decided", "first use"))
    for rule in rules:
        _, _, conditions, decided = _count([rule])
        kind = "all"
        if not rule.where:
            kind = "never"
        elif decided < conditions:
            kind = "some"
        never = "<br>".join(_write_code(part) for part in rule.unused if part is not rule)
        where = escape(visible(rule.where)) or "never used"
        count = f"{decided} of {conditions}"
        table += _write_row(kind, rule.origin.line, _write_code(rule), count, never, where)
    return f"""\
<section class="whole" aria-labelledby="{anchor}">
<h2 id="{anchor}">{name}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="rules of {name}">
<table class="rules">{table}</table>
</div>
</section>
"""


def _write_code(used: Used) -> str:
    text = escape(visible(used.origin.text, "\n"))
    return f"<code>{text}</code>"
