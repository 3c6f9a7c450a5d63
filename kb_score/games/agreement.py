"""Whether the rules, the grammar and the manifest of a game without Python fit together.

Each check is about a mistake that would otherwise show far from its cause, or not at all: such as a
move that stays legal for ever, as the rule that says so leaves out the turn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from clingo.ast import AST, ASTType, Location

from kb_score.engine.docs import find_extension_points, read_contract
from kb_score.engine.lift import list_last_terms
from kb_score.engine.lint import find_game_faults
from kb_score.engine.loading import read_ours
from kb_score.engine.program import (
    ASKS,
    BEFORE,
    OPEN,
    Program,
    Signature,
    Statement,
    atoms_in,
    error_at,
    read_program,
)
from kb_score.engine.rules import MisuseRow
from kb_score.engine.state import find_asking_parts, is_tried
from kb_score.engine.terms import predicate_of
from kb_score.errors import (
    FormatError,
    InputError,
    KbScoreError,
    Mistakes,
    Place,
    describe_list,
    guess,
)
from kb_score.games.manifest import GameManifest, list_fields
from kb_score.games.schema import CellRow, HighlightRow, MoverRow, ResultRow, ViolationRow
from kb_score.games.texts import TextFormat
from kb_score.grammar import check_grammar, list_alternatives, list_names, list_reachable
from kb_score.resources import COMMON, find_folder

# The files that are used with the rules of any game, and the one for games without pictures.
SHARED = (
    "common/record",
    "common/live",
    "common/position",
    "common/valid",
    "common/forbid",
    "common/looks",
    "common/pictured",
    "common/replayed",
)
GRID = "common/grid"
# The file for maps that no game can be played on.
VALID = "common/valid"
# The file for what rules forbid.
FORBID = "common/forbid"
# The folder of rules for search and comparison, which no record needs.
SEARCH = "search"
# The file for games that do not say how figures are compared.
MERIT = "common/larger"
# The other parts of the rules: the turn, and what may be answered.
STEP = "step"
LEGAL = "legal"
# The rules of the grammar that are asked for by name.
MAP = "map"
TURN = "turn"
ANSWER = "answer"
RECORD = "start"

# The names of rule files that have a use of their own.
RESERVED = frozenset(
    ["rules", "chain", "check", "record", "play", "legal", "picture", "merit", "rank"]
)
# The file that judges a record, and stands in for the one of all games.
RECORD_RULES = "record"
_RECORD_FILE = f"{RECORD_RULES}.lp"
_ALWAYS_SAID = ("turn", "turns", "mover", "grid")


def check_agreement(folder: Path, format_: TextFormat, manifest: GameManifest) -> None:
    """Check the files of a game.

    Args:
        folder: The folder of the rules and the manifest.
        format_: How its texts are read.
        manifest: Its manifest.

    Raises:
        KbScoreError: A file cannot be used, or two of them do not fit together. All mistakes are
            reported.
    """
    names = list_names(format_.grammar)
    starts = [RECORD, ANSWER]
    if MAP in names:
        starts.append(MAP)
    check_grammar(format_.grammar, starts)
    paths = list_own_rules(folder)
    if not any(path.stem == "rules" for path in paths):
        raise InputError(str(folder), "this game has no file rules.lp")
    _check_names(paths)
    program = read_program(paths)
    _check_record(paths, program)
    mistakes = Mistakes()
    for mistake in (*_find_misnamed(format_, manifest), *_find_alike(format_)):
        mistakes.add(mistake)
    for mistake in _find_mistakes(program, _list_shared(program, paths), format_, manifest):
        mistakes.add(mistake)
    mistakes.raise_any()


def name_check(kind: str) -> str:
    """Name the rule file that only checks of one kind of records need."""
    return f"{kind}_check"


def list_own_rules(folder: Path) -> list[Path]:
    """List the rule files of a game that records and play need."""
    paths = sorted(folder.rglob("*.lp"))
    return [path for path in paths if SEARCH not in path.relative_to(folder).parts]


def _check_names(paths: Sequence[Path]) -> None:
    """Check that each rule file has a name of its own; an InputError names one that has not."""
    names = {path.name for path in (find_folder("asp") / COMMON).iterdir()}
    names.discard(_RECORD_FILE)  # a game may have one of its own in its place
    for path in paths:
        if path.name in names:
            message = "another rule file, perhaps a shared one, has this name: rename the file"
            raise InputError(str(path), message)
        names.add(path.name)


def _check_record(paths: Sequence[Path], program: Program) -> None:
    """Check that a file that stands in for the shared record.lp does so."""
    for path in paths:
        if path.name != _RECORD_FILE:
            continue
        derived = read_ours((path,)).derived
        wanted = [predicate_of(ResultRow), predicate_of(ViolationRow)]
        missing = [f"{name}/{arity}" for name, arity in wanted if (name, arity) not in derived]
        is_opened = any(name == "opened" for name, _ in program.derived)
        if program.has_part(OPEN) and not is_opened:
            missing.append("opened/1")
        problem = "a file of this name stands in for common/record.lp, and has to"
        if missing:
            message = f"{problem} derive {' and '.join(missing)}; or rename it"
            raise InputError(str(path), message)
        shown = read_ours((path,)).shown
        hidden = [f"{name}/{arity}" for name, arity in wanted if (name, arity) not in shown]
        if hidden:
            raise InputError(str(path), f"{problem} show {' and '.join(hidden)} (#show)")


def _find_misnamed(format_: TextFormat, manifest: GameManifest) -> Iterator[KbScoreError]:
    """Find kinds of records with names of rule files, and terminals that there are not."""
    names = list_names(format_.grammar)
    for kind in list_alternatives(format_.grammar, RECORD):
        if kind in RESERVED:
            message = f"{kind} is the name of a rule file, and cannot be that of a kind of records"
            yield FormatError(names[kind], message)
    for key in ("grids", "ordered"):
        for terminal in getattr(manifest.texts, key):
            if terminal.upper() not in names:
                message = f"the grammar has no terminal {terminal.upper()}"
                yield manifest.error(message, "texts", key)


def _find_alike(format_: TextFormat) -> Iterator[KbScoreError]:
    """Find names of the grammar that give the same predicate."""
    grammar = format_.grammar
    names = list_names(grammar)
    known: dict[str, Place] = {}
    in_records = list_reachable(grammar, RECORD)
    for name, place in names.items():
        # What a text as a whole follows gives nothing.
        if name in (RECORD, ANSWER) or (name == MAP and MAP not in in_records):
            continue
        other = known.setdefault(name.lower(), place)
        if other != place:
            message = f"{name} gives the same facts as line {other.line}: choose another name"
            yield FormatError(place, message)
    if MAP not in names or MAP in in_records:
        return
    for name in sorted(in_records & list_reachable(grammar, MAP) & set(names)):
        if not name.startswith("_"):
            message = f"{name} is used in maps and in records: their facts would be mixed up"
            yield FormatError(names[name], message)


def _list_shared(program: Program, paths: Sequence[Path]) -> list[Path]:
    """List the files in common/ that are used with the rules of a game."""
    names = [*SHARED]
    if any(path.name == _RECORD_FILE for path in paths):
        names.remove("common/record")
    if not any(name == "paints" for name, _ in program.derived):
        names.append(GRID)
    home = find_folder("asp")
    return [home / f"{name}.lp" for name in names]


@dataclass(frozen=True, slots=True)
class _PartRule:
    """A rule in a part of a program.

    Attributes:
        part: The name of the part.
        turn: The parameter of the part, which stands for its turn.
        statement: The rule.
    """

    part: str
    turn: str
    statement: Statement

    @property
    def location(self) -> Location:
        """The place of the rule."""
        location: Location = self.statement.node.location
        return location


def _list_part_rules(program: Program) -> Iterator[_PartRule]:
    """Yield the rules in the parts that have a turn."""
    part = ""
    turn = ""
    for statement in program.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            part = node.name
            turn = node.parameters[0].name if node.parameters else ""
        elif turn and statement.kind == ASTType.Rule and statement.heads:
            yield _PartRule(part, turn, statement)


def _find_mistakes(
    program: Program, shared_paths: Sequence[Path], format_: TextFormat, manifest: GameManifest
) -> Iterator[KbScoreError]:
    """Find the mistakes in the rules of a game, given its grammar and its manifest."""
    given = format_.list_predicates()
    shared = read_ours(tuple(shared_paths))
    # The shared rules make the cells of a picture from what a game paints.
    made = {predicate_of(CellRow), predicate_of(HighlightRow)}
    agreed = read_contract().path
    points = find_extension_points([*shared_paths, agreed]) | {predicate_of(MisuseRow)}
    points -= made
    record = find_folder("asp") / COMMON / _RECORD_FILE
    if record not in shared_paths:
        # The game has one of its own, which derives the same.
        points |= read_ours((record,)).derived
    kinds = set(list_alternatives(format_.grammar, RECORD))
    # What is tried out is no turn of the record, and may have all that turns have.
    kept = tuple(statement for statement in program.statements if not _is_tried(statement))
    yield from find_game_faults(replace(program, statements=kept), shared, points, kinds)
    yield from _find_double(replace(program, statements=kept), given)
    yield from _find_underived(program, shared, given, _list_ranked(manifest))
    yield from _find_misshapen(program, shared)
    yield from _find_unknown_parts(program)
    yield from _find_timeless(program)
    yield from _find_other_turns(program, given)
    yield from _find_looking_ahead(program)
    yield from _find_looking_back(program)
    yield from _find_late_questions(program)
    yield from _find_unsaid(program, manifest)
    yield from _find_illegal(program)
    yield from _find_other_kinds(program, kinds)


def _find_illegal(program: Program) -> Iterator[KbScoreError]:
    """Find rules by which an answer is illegal in a game in which each counts as something."""
    if not any(name == "counts_as" for name, _ in program.derived):
        return
    for statement in program.statements:
        if any(name == "illegal" for name, _ in statement.heads):
            message = "no answer is illegal where each counts as something (counts_as/2)"
            yield error_at(statement.node.location, message, "say why it is a pass by passes/4")


def _find_other_kinds(program: Program, kinds: Set[str]) -> Iterator[KbScoreError]:
    """Find files that are named as the checks of a kind of records which there is not."""
    suffix = name_check("")
    known = {name_check(kind) for kind in kinds}
    files = {statement.node.location.begin.filename for statement in program.statements}
    for name in sorted(files):
        stem = Path(name).stem
        if stem.endswith(suffix) and stem not in known:
            message = f"the grammar has no kind of records {stem.removesuffix(suffix)}"
            yield InputError(name, message)


def _is_tried(statement: Statement) -> bool:
    """Return whether a rule derives something about moves that are tried out."""
    if not statement.heads:
        return False
    lasts = [last for _, last in list_last_terms(statement.node.head)]
    return all(last is not None and is_tried(last) for last in lasts)


def _find_double(program: Program, given: Mapping[Signature, str]) -> Iterator[KbScoreError]:
    """Find rules that derive what the grammar gives."""
    sources: dict[str, str] = {}
    for (name, _), source in given.items():
        sources[name] = source
    for statement in program.statements:
        for name, _ in sorted(statement.heads):
            if name in sources:
                message = f"{name} comes from the texts: the grammar has {sources[name]}"
                hint = "choose another name for what the rules derive"
                yield error_at(statement.node.location, message, hint)


def _find_underived(
    program: Program, shared: Program, given: Mapping[Signature, str], ranked: Set[Signature]
) -> Iterator[KbScoreError]:
    """Find conditions that never hold because nothing gives their predicates."""
    merit = read_ours((find_folder("asp") / f"{MERIT}.lp",))
    known = {*given, *ranked, *program.derived, *shared.derived, *shared.inputs, *merit.inputs}
    # Checks and play hand in the state before a turn.
    for name, arity in program.derived:
        known.add((f"{BEFORE}{name}", arity))
    for statement in program.statements:
        for part in getattr(statement.node, "body", ()):
            for signature, location in atoms_in(part):
                if signature not in known:
                    name, arity = signature
                    hint = _explain_unknown(name, arity, known)
                    yield error_at(location, f"nothing gives {name}/{arity}", hint)


def _list_ranked(manifest: GameManifest) -> set[Signature]:
    """List what a ranking by maps is about: see `kb_score.games.declared.DeclaredScoring`."""
    contest = manifest.contest
    figures = [figure for figure in contest.figures if figure != contest.counts_if]
    numbers = ("entry", "map", "incomplete", "inconsistent")
    return {("attempt", 3 + len(figures)), *((name, 1) for name in numbers)}


def _explain_unknown(name: str, arity: int, known: Iterable[Signature]) -> str:
    """Explain why a predicate is not known; empty if nothing is like it."""
    arities = sorted(other for known_name, other in known if known_name == name)
    if arities:
        return f"{name} has {_join_arities(arities)} values, not {arity}"
    if name.startswith(BEFORE):
        state = name.removeprefix(BEFORE)
        return f"no rule derives {state}/{arity}, so it has no state before a turn"
    names = {known_name for known_name, _ in known}
    return guess(name, names, "").strip()


def _join_arities(arities: Iterable[int]) -> str:
    return " or ".join(map(str, arities))


def _find_misshapen(program: Program, shared: Program) -> Iterator[KbScoreError]:
    """Find rules that derive a predicate of the contract with a wrong number of values."""
    arities = defaultdict[str, list[int]](list)
    for name, arity in sorted(shared.inputs):
        arities[name].append(arity)
    for statement in program.statements:
        for name, arity in sorted(statement.heads):
            if name in arities and arity not in arities[name]:
                message = f"{name} has {_join_arities(arities[name])} values, not {arity}"
                yield error_at(statement.node.location, message)


def _find_unknown_parts(program: Program) -> Iterator[KbScoreError]:
    """Find parts that are never used."""
    known = [f"{name}(t)" for name in (OPEN, STEP, LEGAL)]
    hint = f"the parts are {describe_list(known)}"
    for node in program.nodes(ASTType.Program):
        has_turn = len(node.parameters) == 1
        if node.name in (OPEN, STEP, LEGAL):
            if not has_turn:
                yield error_at(node.location, f"part {node.name} has one parameter", hint)
        elif node.name != "base":
            yield error_at(node.location, f"there is no part {node.name}", hint)


def _find_timeless(program: Program) -> Iterator[KbScoreError]:
    """Find rules of a part whose heads leave out its turn."""
    for rule in _list_part_rules(program):
        if not _mentions(rule.statement.node.head, rule.turn):
            problem = f"what this rule of part {rule.part} derives holds for ever"
            message = f"{problem}: its head lacks {rule.turn}"
            hint = f"make the turn {rule.turn} the last value of what it derives"
            yield error_at(rule.location, message, hint)


def _find_other_turns(program: Program, given: Mapping[Signature, str]) -> Iterator[KbScoreError]:
    """Find rules of a part that ask for what is about a turn, but not for their own turn."""
    of_turns = _find_of_turns(program)
    of_turns.update(name for name, _ in given)
    for rule in _list_part_rules(program):
        body = rule.statement.node.body
        asks_for_turns = any(name in of_turns for name, _ in rule.statement.body)
        if rule.statement.guides:
            # A choice asks for what it derives.
            body = (*body, rule.statement.node.head)
        if asks_for_turns and not any(_mentions(part, rule.turn) for part in body):
            message = f"this rule of part {rule.part} asks for other turns, and not for {rule.turn}"
            hint = f"write {rule.turn} for the turn, or move the rule above the part"
            yield error_at(rule.location, message, hint)


def _find_looking_ahead(program: Program) -> Iterator[KbScoreError]:
    """Find rules of a part that derive something about the next turn."""
    for rule in _list_part_rules(program):
        for (name, _), last in list_last_terms(rule.statement.node.head):
            if _write_term(last) == f"{rule.turn}+1":
                message = f"{name} is derived for turn {rule.turn}+1"
                hint = f"derive it for turn {rule.turn}, and ask for {BEFORE}{name}"
                yield error_at(rule.location, message, hint)


def _find_looking_back(program: Program) -> Iterator[KbScoreError]:
    """Find rules of a part that ask for the turn before, other than those that give its state."""
    states = _find_of_turns(program)
    for rule in _list_part_rules(program):
        if all(name.startswith(BEFORE) for name, _ in rule.statement.heads):
            continue
        for part in rule.statement.node.body:
            for (name, _), last in list_last_terms(part):
                if name in states and _write_term(last) == f"{rule.turn}-1":
                    message = f"{name} of turn {rule.turn}-1 is the state before turn {rule.turn}"
                    hint = f"write {BEFORE}{name} with {rule.turn} as its last value"
                    yield error_at(rule.location, message, hint)


def _find_late_questions(program: Program) -> Iterator[KbScoreError]:
    """Find rules that ask for the state before a turn after it has been handed in."""
    if OPEN not in find_asking_parts(program):
        return
    for rule in _list_part_rules(program):
        for name, _ in rule.statement.heads:
            if name.startswith(ASKS) and rule.part == STEP:
                message = f"{name} comes too late: part {OPEN} has asked about the state already"
                yield error_at(rule.location, message, f"move the rule to part {OPEN}")


def _find_of_turns(program: Program) -> set[str]:
    """Find the names of the predicates whose last value is the turn of a part."""
    found: set[str] = set()
    for rule in _list_part_rules(program):
        for (name, _), last in list_last_terms(rule.statement.node.head):
            if _write_term(last) == rule.turn:
                found.add(name)
    return found


def _write_term(term: AST | None) -> str:
    """Write a term without the brackets around a sum; empty if there is none."""
    return "" if term is None else str(term).strip("()")


def _mentions(node: AST, word: str) -> bool:
    """Return whether a word occurs in a part of a rule."""
    return re.search(rf"\b{word}\b", str(node)) is not None


def _find_unsaid(program: Program, manifest: GameManifest) -> Iterator[KbScoreError]:
    """Find what the manifest names and no rule says."""
    if manifest.players > 1 and predicate_of(MoverRow) not in program.derived:
        yield manifest.error("no rule says whose turn it is: mover(P,T)", "players")
    figures = _list_keys(program, "figure")
    told = _list_keys(program, "told")
    if figures is not None:
        for key in manifest.figures:
            if key not in figures:
                yield manifest.error(f"no rule says figure({key},...)", "figures")
    if figures is None or told is None:
        return
    for key in sorted(_list_keys(program, "claimed_result") or ()):
        if key not in figures | {"turns", "finished"}:
            message = f"a rule says claimed_result({key},...), but none says figure({key},...)"
            yield manifest.error(message, "figures")
    yield from _find_unsaid_fields(figures, told, manifest)


def _find_unsaid_fields(
    figures: set[str], told: set[str], manifest: GameManifest
) -> Iterator[KbScoreError]:
    """Find the fields of templates that no rule says."""
    known = {*_ALWAYS_SAID, *figures, *manifest.figures}
    for key in ("tell", "state"):
        for name in list_fields(getattr(manifest.play, key)):
            if name not in known | told:
                message = f"{key}: no rule says told({name},...) or figure({name},...)"
                yield manifest.error(message, "play", key)
    for name in list_fields(manifest.play.end):
        if name not in known:
            message = f"end: no rule says figure({name},...)"
            if name in told:
                message += ", and told/3 says nothing at the end"
            yield manifest.error(message, "play", "end")


def list_meetings(folder: Path) -> set[str] | None:
    """List the positions of cases that the rules know; None if they cannot be listed."""
    program = read_ours(tuple(list_own_rules(folder)))
    if not any(name == "meets" for name, _ in program.derived):
        return set()
    return _list_keys(program, "meets")


def _list_keys(program: Program, predicate: str) -> set[str] | None:
    """List the first arguments of a predicate that rules derive; None if one is no constant."""
    found: set[str] = set()
    for statement in program.statements:
        if predicate not in {name for name, _ in statement.heads}:
            continue
        head = statement.node.head
        if head.ast_type != ASTType.Literal:
            return None
        symbol = head.atom.symbol
        if symbol.ast_type != ASTType.Function or not symbol.arguments:
            return None
        first = symbol.arguments[0]
        if first.ast_type != ASTType.SymbolicTerm:
            return None
        found.add(str(first))
    return found
