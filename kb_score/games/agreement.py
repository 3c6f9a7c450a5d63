"""Whether the rules, the grammar and the manifest of a game without Python fit together.

Each check is about a mistake that would otherwise show far from its cause, or not at all: such as a
move that stays legal for ever, as the rule that says so leaves out the turn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from clingo.ast import AST, ASTType

from kb_score.engine.docs import find_extension_points
from kb_score.engine.lift import list_last_terms
from kb_score.engine.lint import find_game_faults
from kb_score.engine.loading import read_ours
from kb_score.engine.program import (
    ASKS,
    BEFORE,
    OPEN,
    Program,
    Signature,
    atoms_in,
    error_at,
    read_program,
)
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
from kb_score.games.schema import CellRow, HighlightRow, MoverRow
from kb_score.games.texts import TextFormat
from kb_score.grammar import check_grammar, list_names, list_reachable
from kb_score.resources import COMMON, find_folder

# The files that are used with the rules of any game, and the one for games without pictures.
SHARED = (
    "common/record",
    "common/live",
    "common/position",
    "common/looks",
    "common/pictured",
    "common/replayed",
)
GRID = "common/grid"
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

_ALWAYS_SAID = ("turn", "mover", "grid")


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
    paths = sorted(folder.rglob("*.lp"))
    if not any(path.stem == "rules" for path in paths):
        raise InputError(str(folder), "a game has a file rules.lp")
    _check_names(paths)
    program = read_program(paths)
    mistakes = Mistakes()
    for mistake in _find_alike(format_, manifest):
        mistakes.add(mistake)
    for mistake in _find_mistakes(program, format_, manifest):
        mistakes.add(mistake)
    mistakes.raise_any()


def _check_names(paths: Sequence[Path]) -> None:
    """Check that each rule file has a name of its own; an InputError names one that has not."""
    names = {path.name for path in (find_folder("asp") / COMMON).iterdir()}
    for path in paths:
        if path.name in names:
            message = "another rule file, perhaps one of all games, has this name: rename the file"
            raise InputError(str(path), message)
        names.add(path.name)


def _find_alike(format_: TextFormat, manifest: GameManifest) -> Iterator[KbScoreError]:
    """Find names of the grammar that give the same predicate, and grids that it does not have."""
    grammar = format_.grammar
    names = list_names(grammar)
    known: dict[str, Place] = {}
    for name, place in names.items():
        other = known.setdefault(name.lower(), place)
        if other != place:
            message = f"{name} gives the same facts as line {other.line}: take another name"
            yield FormatError(place, message)
    for grid in manifest.texts.grids:
        if grid.upper() not in names:
            message = f"the grammar has no terminal {grid.upper()}"
            yield manifest.error(message, "texts", "grids")
    in_records = list_reachable(grammar, RECORD)
    if MAP not in names or MAP in in_records:
        return
    for name in sorted(in_records & list_reachable(grammar, MAP) & set(names)):
        if not name.startswith("_"):
            message = f"{name} stands in maps and in records, so that their facts would mix"
            yield FormatError(names[name], message)


def _list_shared(program: Program) -> list[Path]:
    """List the files in common/ that are used with the rules of a game."""
    names = [*SHARED]
    if not any(name == "paints" for name, _ in program.derived):
        names.append(GRID)
    home = find_folder("asp")
    return [home / f"{name}.lp" for name in names]


def _find_mistakes(
    program: Program, format_: TextFormat, manifest: GameManifest
) -> Iterator[KbScoreError]:
    given = format_.list_predicates()
    shared = _list_shared(program)
    pictured = {predicate_of(CellRow), predicate_of(HighlightRow)}
    points = find_extension_points(shared) - pictured
    yield from find_game_faults(program, read_ours(tuple(shared)), points)
    yield from _find_double(program, given)
    yield from _find_underived(program, read_ours(tuple(shared)), given)
    yield from _find_misshapen(program, read_ours(tuple(shared)))
    yield from _find_timeless(program, given)
    yield from _find_looking_back(program)
    yield from _find_late_questions(program)
    yield from _find_unsaid(program, manifest)


def _find_double(program: Program, given: Mapping[Signature, str]) -> Iterator[KbScoreError]:
    """Find rules that derive what the grammar gives."""
    sources: dict[str, str] = {}
    for (name, _), source in given.items():
        sources[name] = source
    for statement in program.statements:
        for name, _ in sorted(statement.heads):
            if name in sources:
                message = f"{name} comes from the texts: the grammar has {sources[name]}"
                hint = "take another name for what the rules derive"
                yield error_at(statement.node.location, message, hint)


def _find_underived(
    program: Program, shared: Program, given: Mapping[Signature, str]
) -> Iterator[KbScoreError]:
    """Find conditions that never hold, as nothing gives their predicates."""
    merit = read_ours((find_folder("asp") / f"{MERIT}.lp",))
    known = {*given, *program.derived, *shared.derived, *shared.inputs, *merit.inputs}
    by_name = defaultdict[str, list[int]](list)
    for name, arity in sorted(known):
        by_name[name].append(arity)
    for statement in program.statements:
        for part in getattr(statement.node, "body", ()):
            for (name, arity), location in atoms_in(part):
                state = name.removeprefix(BEFORE)
                if (name, arity) in known or (state != name and (state, arity) in program.derived):
                    continue
                if name in by_name:
                    arities = " or ".join(map(str, by_name[name]))
                    hint = f"{name} has {arities} values, not {arity}"
                elif state != name:
                    hint = f"no rule derives {state}/{arity}, whose state before a turn it is"
                else:
                    hint = guess(name, by_name, "").strip()
                yield error_at(location, f"nothing gives {name}/{arity}", hint)


def _find_misshapen(program: Program, shared: Program) -> Iterator[KbScoreError]:
    """Find rules that derive what all games may say, but with another number of values."""
    arities = defaultdict[str, list[int]](list)
    for name, arity in sorted(shared.inputs):
        arities[name].append(arity)
    for statement in program.statements:
        for name, arity in sorted(statement.heads):
            if name in arities and arity not in arities[name]:
                wanted = " or ".join(map(str, arities[name]))
                message = f"{name} has {wanted} values, not {arity}"
                yield error_at(statement.node.location, message)


def _find_late_questions(program: Program) -> Iterator[KbScoreError]:
    """Find rules that ask for the state before a turn when it has been handed in already."""
    if not program.has_part(OPEN):
        return
    part = ""
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            part = statement.node.name
        asks = [name for name, _ in statement.heads if name.startswith(ASKS)]
        if asks and part == STEP:
            message = f"{asks[0]} comes too late: the state is handed in with part {OPEN}"
            yield error_at(statement.node.location, message, f"move the rule to part {OPEN}")


def _find_looking_back(program: Program) -> Iterator[KbScoreError]:
    """Find rules of a part that ask for the turn before, other than those that give its state."""
    turn = ""
    states = _find_of_turns(program)
    for statement in program.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            turn = node.parameters[0].name if node.parameters else ""
        is_state = all(name.startswith(BEFORE) for name, _ in statement.heads)
        if not turn or statement.kind != ASTType.Rule or is_state:
            continue
        for (name, _), last in list_last_terms(node.head):
            if str(last).strip("()") == f"{turn}+1":
                hint = f"say it of turn {turn}, and ask for {BEFORE}{name}"
                yield error_at(node.location, f"{name} is said of turn {turn}+1", hint)
        for part in node.body:
            for (name, _), last in list_last_terms(part):
                if str(last).strip("()") == f"{turn}-1" and name in states:
                    message = f"{name} of turn {turn}-1 is the state before turn {turn}"
                    hint = f"write {BEFORE}{name} with {turn} as its last value"
                    yield error_at(node.location, message, hint)


def _find_timeless(program: Program, given: Mapping[Signature, str]) -> Iterator[KbScoreError]:
    """Find rules of a part that leave out its turn, and parts that are never used."""
    part = "base"
    turn = ""
    of_turns = _find_of_turns(program)
    of_turns.update(name for name, _ in given)
    for statement in program.statements:
        node = statement.node
        if statement.kind == ASTType.Program:
            part = node.name
            turn = node.parameters[0].name if len(node.parameters) == 1 else ""
            if part != "base" and (part not in (OPEN, STEP, LEGAL) or not turn):
                message = f"no part is called {part}, or it has not one parameter"
                parts = [f"{name}(t)" for name in (OPEN, STEP, LEGAL)]
                hint = f"the parts are {describe_list(parts)}"
                yield error_at(node.location, message, hint)
        if not turn or statement.kind != ASTType.Rule or not statement.heads:
            continue
        if not _names(node.head, turn):
            message = f"what this rule of part {part} derives lasts for ever: its head lacks {turn}"
            hint = f"make the turn {turn} the last value of what it derives"
            yield error_at(node.location, message, hint)
        elif _asks_for_turns(node, of_turns) and not any(_names(one, turn) for one in node.body):
            message = f"this rule of part {part} asks for other turns, and not for {turn}"
            hint = f"write {turn} for the turn, or move the rule above the part"
            yield error_at(node.location, message, hint)


def _find_of_turns(program: Program) -> set[str]:
    """Find the names of the predicates whose last value is the turn of a part."""
    found: set[str] = set()
    turn = ""
    for statement in program.statements:
        if statement.kind == ASTType.Program:
            parameters = statement.node.parameters
            turn = parameters[0].name if parameters else ""
        elif turn and statement.kind == ASTType.Rule:
            for (name, _), last in list_last_terms(statement.node.head):
                if str(last) == turn:
                    found.add(name)
    return found


def _asks_for_turns(node: AST, of_turns: set[str]) -> bool:
    """Return whether the body of a rule asks for what is about a turn."""
    for part in node.body:
        for (name, _), _ in list_last_terms(part):
            if name in of_turns:
                return True
    return False


def _names(node: AST, word: str) -> bool:
    """Return whether a word stands in a part of a rule."""
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
            message = f"a rule says claimed_result({key},...), and none figure({key},...)"
            yield manifest.error(message, "figures")
    yield from _find_unsaid_fields(figures, told, manifest)


def _find_unsaid_fields(
    figures: set[str], told: set[str], manifest: GameManifest
) -> Iterator[KbScoreError]:
    """Find the fields of templates that no rule says."""
    known = {*_ALWAYS_SAID, *figures, *manifest.figures}
    for name in list_fields(manifest.play.tell):
        if name not in known | told:
            message = f"tell: no rule says told({name},...) or figure({name},...)"
            yield manifest.error(message, "play", "tell")
    for name in list_fields(manifest.play.end):
        if name not in known:
            message = f"end: no rule says figure({name},...)"
            if name in told:
                message += ", and told/3 says nothing at the end"
            yield manifest.error(message, "play", "end")


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
