"""Checks that the rules, the grammar and the manifest of a game fit together.

Each check finds a mistake that would otherwise surface far from its cause, or never. An example is
a move that stays legal for ever because the rule that derives it leaves out the turn.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path

from clingo.ast import ASTType

from kb_score.engine.check import find_game_faults, find_unknown_actions
from kb_score.engine.docs import find_extension_points, read_contract
from kb_score.engine.loading import read_game_files
from kb_score.engine.program import ASKS, BASE, BEFORE, OPEN, Program, Statement, read_program
from kb_score.engine.scan import Signature, is_symbol, split_rule
from kb_score.engine.state import find_asking_parts, is_tried
from kb_score.engine.turns import find_other_turns_in_parts, find_turn_indices, find_unknown_in_open
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
from kb_score.games.texts import ANSWER, TextFormat
from kb_score.grammar import check_grammar, list_alternatives, list_names, list_reachable
from kb_score.resources import COMMON, find_folder, list_rule_files_below

# The files that are used with the rules of any game, and the one for games without pictures.
SHARED = (
    "common/record",
    "common/claimed",
    "common/live",
    "common/position",
    "common/valid",
    "common/forbid",
    "common/looks",
    "common/pictured",
    "common/replayed",
)
GRID = "common/grid"
# The file that finds maps on which no game can be played.
VALID = "common/valid"
# The file for actions that rules forbid.
FORBID = "common/forbid"
# The file for games in which a turn has several steps.
STEPS = "common/numbered"
# The files that judge what records say of chance, by the predicates of the grammar.
CHANCES = {("drawn", 2): "common/judge_drawn", ("shuffled", 2): "common/judge_shuffled"}
# The folder of rules for search and comparison, which no record needs.
SEARCH = "search"
# The file for games without rules of their own that compare figures.
MERIT = "common/larger"
# The parts of the rules besides `open`: for a turn, for its legal answers, and for what both need.
STEP = "step"
LEGAL = "legal"
WAYS = "ways"
# What is wrong with a step, which nobody asks about an action that the rules have listed.
JUDGE = "judge"
# What chance may decide, where the part for legal answers does not list it.
CHANCE_PART = "chance"
_PARTS = (OPEN, WAYS, STEP, JUDGE, LEGAL, CHANCE_PART)
# The rules of the grammar that this package looks up by name.
MAP = "map"
TURN = "turn"
RECORD = "start"

# Names of rule files that have a use of their own.
RESERVED = frozenset(
    [
        "rules",
        "chain",
        "check",
        "record",
        "play",
        "legal",
        "picture",
        "merit",
        "rank",
        "setup",
        "texts",
    ]
)
# The file with the words of texts.
TEXTS = "texts"
WORDS = "common/words"
# The file that draws the beginning of a record.
SETUP = "setup"
STARTED = "common/started"
# The file that judges a record, and replaces the shared one.
RECORD_RULES = "record"
_RECORD_FILE = f"{RECORD_RULES}.lp"
# The predicates that have an action of an answer, and its place among their arguments.
_ACTIONS = {("legal", 3): 1, ("weight", 4): 1, ("legal_kind", 3): 0, ("forbidden", 4): 1}
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# The fields that every template may have.
_ALWAYS_SAID = ("turn", "turns", "mover", "grid", "drawn")


def check_agreement(folder: Path, format_: TextFormat, manifest: GameManifest) -> None:
    """Raise an error that reports all mistakes in the files of a game.

    A file cannot be used, or two files do not fit together.
    """
    names = list_names(format_.grammar)
    starts = [RECORD, ANSWER]
    if MAP in names:
        starts.append(MAP)
    check_grammar(format_.grammar, starts)
    paths = list_own_rules(folder)
    stems = {path.stem for path in paths}
    if "rules" not in stems:
        raise InputError(str(folder), "this game has no file rules.lp")
    _check_names(paths)
    program = read_program(paths)
    _check_record(paths, program)
    shared_paths = _list_shared(program, paths, format_)
    mistakes = Mistakes()
    for mistake in _find_misnamed(format_, manifest):
        mistakes.add(mistake)
    for mistake in _find_alike(format_):
        mistakes.add(mistake)
    for mistake in _find_mistakes(program, shared_paths, format_, manifest):
        mistakes.add(mistake)
    mistakes.raise_any()


def list_chances(format_: TextFormat) -> list[str]:
    """List the shared files that judge what records of a game say of chance."""
    return [file for signature, file in CHANCES.items() if signature in format_.actions]


def name_check(kind: str) -> str:
    """Return the name of the rule file that only checks of one kind of record use."""
    return f"{kind}_check"


def list_own_rules(folder: Path) -> list[Path]:
    """Return the rule files of a game without those for search, sorted by path."""
    paths = list_rule_files_below(folder)
    return [path for path in paths if SEARCH not in path.relative_to(folder).parts]


def has_name(signatures: Iterable[Signature], name: str) -> bool:
    """Return whether any of the given predicates has a name, whatever its arity."""
    return any(known_name == name for known_name, _ in signatures)


def _check_names(paths: Sequence[Path]) -> None:
    """Raise an InputError if two rule files share a name."""
    names = {path.name for path in (find_folder("asp") / COMMON).iterdir()}
    names.discard(_RECORD_FILE)  # a game may replace this file
    for path in paths:
        if path.name in names:
            message = "another rule file, perhaps a shared one, has this name: rename the file"
            raise InputError(str(path), message)
        names.add(path.name)


def _check_record(paths: Sequence[Path], program: Program) -> None:
    """Check the file that replaces the shared record.lp, if the game has one."""
    for path in paths:
        if path.name == _RECORD_FILE:
            _check_record_file(path, program)


def _check_record_file(path: Path, program: Program) -> None:
    """Raise an InputError unless a record.lp derives and shows what the shared one does."""
    own = read_game_files((path,))
    missing = _list_missing(own.derived)
    if program.has_part(OPEN) and not has_name(program.derived, "opened"):
        missing.append("opened/1")
    problem = "a file with this name replaces common/record.lp, so it must"
    if missing:
        listed = " and ".join(missing)
        raise InputError(str(path), f"{problem} derive {listed}; otherwise, rename it")
    hidden = _list_missing(own.shown)
    if hidden:
        listed = " and ".join(hidden)
        raise InputError(str(path), f"{problem} show {listed} (#show)")


def _list_missing(signatures: Collection[Signature]) -> list[str]:
    """List the predicates of a verdict that are not among the given ones."""
    missing = []
    for required in (("result", 2), ("violation", 4)):
        if required not in signatures:
            name, arity = required
            missing.append(f"{name}/{arity}")
    return missing


def _find_misnamed(format_: TextFormat, manifest: GameManifest) -> Iterator[KbScoreError]:
    """Find kinds of records named like rule files, and terminals that the grammar lacks."""
    names = list_names(format_.grammar)
    for kind in list_alternatives(format_.grammar, RECORD):
        if kind in RESERVED:
            message = f"{kind} is the name of a rule file, so a kind of record cannot have it"
            yield FormatError(names[kind], message)
    for key in ("grids", "ordered"):
        listed: Sequence[str] = getattr(manifest.texts, key)
        for name in listed:
            terminal = name.upper()
            if terminal not in names:
                message = f"the grammar has no terminal {terminal}"
                yield manifest.error(message, "texts", key)


def _find_alike(format_: TextFormat) -> Iterator[KbScoreError]:
    """Find names in the grammar that give the same predicate."""
    grammar = format_.grammar
    names = list_names(grammar)
    in_records = list_reachable(grammar, RECORD)
    # The rules that match a whole text give no facts.
    without_facts = {RECORD, ANSWER}
    has_separate_map = MAP in names and MAP not in in_records
    if has_separate_map:
        without_facts.add(MAP)
    known: dict[str, tuple[str, Place]] = {}
    for name, place in names.items():
        if name in without_facts:
            continue
        other, first = known.setdefault(name.lower(), (name, place))
        if first != place:
            message = f"{name} gives the same facts as {other} in line {first.line}"
            yield FormatError(place, f"{message}: choose another name")
    if not has_separate_map:
        return
    in_both = in_records & list_reachable(grammar, MAP)
    for name in sorted(in_both & set(names)):
        if not name.startswith("_"):
            message = f"{name} is used in maps and in records: their facts would be mixed up"
            yield FormatError(names[name], message)


def _list_shared(program: Program, paths: Sequence[Path], format_: TextFormat) -> list[Path]:
    """List the files of common/ that are used with the rules of a game."""
    names = [*SHARED]
    if format_.has_steps:
        names.append(STEPS)
    names += list_chances(format_)
    if any(path.stem == SETUP for path in paths):
        names.append(STARTED)
    if any(path.stem == TEXTS for path in paths):
        names.append(WORDS)
    if any(path.name == _RECORD_FILE for path in paths):
        names.remove("common/record")
        names.remove("common/claimed")
    if not has_name(program.derived, "paints"):
        names.append(GRID)
    home = find_folder("asp")
    return [home / f"{name}.lp" for name in names]


def _list_part_rules(program: Program) -> list[Statement]:
    """List the rules in the parts that have a turn."""
    return [s for s in program.statements if s.turn and s.kind == ASTType.Rule and s.heads]


def _find_mistakes(
    program: Program, shared_paths: Sequence[Path], format_: TextFormat, manifest: GameManifest
) -> Iterator[KbScoreError]:
    """Find the mistakes in the rules of a game."""
    given = format_.list_predicates()
    shared = read_game_files(tuple(shared_paths))
    # The shared rules make the cells of a picture from what a game paints.
    made = {("cell", 3), ("highlight", 2)}
    agreed = read_contract().path
    points = find_extension_points([*shared_paths, agreed]) | {("misuse", 2)}
    points -= made
    record = find_folder("asp") / COMMON / _RECORD_FILE
    if record not in shared_paths:
        # The game has its own record.lp, which derives the same predicates.
        points |= read_game_files((record,)).derived
    kinds = set(list_alternatives(format_.grammar, RECORD))
    # Rules for moves that are tried out are not about turns of the record: they may derive
    # predicates that turns have.
    kept = tuple(statement for statement in program.statements if not _is_tried(statement))
    without_tried = replace(program, statements=kept)
    yield from find_game_faults(without_tried, shared, points, kinds)
    yield from find_unknown_actions(program, format_.actions, _ACTIONS)
    yield from _find_double(without_tried, given)
    yield from _find_underived(program, shared, given, _list_ranked(manifest))
    yield from _find_misshapen(program, shared, points)
    yield from _find_setup_faults(program)
    yield from _find_unknown_parts(program)
    yield from _find_timeless(program)
    yield from _find_early_lists(program)
    yield from _find_negated_pools(program)
    answers = _list_answers(format_, given)
    indices = find_turn_indices(shared, program, ())
    for signature in answers:
        _, arity = signature
        indices.setdefault(signature, {arity - 1})
    yield from find_unknown_in_open(shared, without_tried, indices, answers)
    # A kind of record may print what turns have led to, which rules outside the parts read.
    of_turns = set(answers)
    for rule in _list_part_rules(program):
        of_turns |= rule.heads
    of_turns |= {signature for signature in indices if signature[0].startswith(BEFORE)}
    played = {signature: indices[signature] for signature in of_turns & indices.keys()}
    yield from find_other_turns_in_parts(without_tried, played)
    yield from _find_late_questions(program)
    yield from _find_unsaid(program, manifest)
    yield from _find_illegal(program)
    yield from _find_unseen_pieces(program)
    yield from _find_other_kinds(program, kinds)


def _list_answers(format_: TextFormat, given: Iterable[Signature]) -> set[Signature]:
    """List the predicates of the facts of answers."""
    names = {name.lower() for name in list_reachable(format_.grammar, ANSWER)} - {TURN}
    return {signature for signature in given if signature[0] in names and signature[1]}


def _find_illegal(program: Program) -> Iterator[KbScoreError]:
    """Find rules that call an answer illegal in a game in which every answer counts."""
    if not has_name(program.derived, "counts_as"):
        return
    for statement in program.statements:
        if has_name(statement.heads, "illegal"):
            message = "with counts_as/2 every answer counts: leave out illegal/4"
            hint = "use passes/4 to say why an answer is a pass"
            yield statement.error(message, hint)


def _find_unseen_pieces(program: Program) -> Iterator[KbScoreError]:
    """Find pieces on symbols without a look, which pictures would not draw."""
    looks = _list_keys(program, "look")
    for statement in program.statements:
        if not has_name(statement.heads, "piece") or looks is None:
            continue
        for symbol in sorted(_list_keys(replace(program, statements=(statement,)), "piece") or ()):
            if symbol not in looks:
                message = f"the place below the piece {symbol} has no look, so it is not drawn"
                hint = f'add look({symbol},white,none,"")'
                yield statement.error(message, hint)


def _find_other_kinds(program: Program, kinds: Set[str]) -> Iterator[KbScoreError]:
    """Find files named like checks of a kind of record that the grammar lacks."""
    suffix = name_check("")
    known = {name_check(kind) for kind in kinds}
    files = {str(statement.path) for statement in program.statements}
    for name in sorted(files):
        stem = Path(name).stem
        if stem.endswith(suffix) and stem not in known:
            kind = stem.removesuffix(suffix)
            yield InputError(name, f"the grammar has no kind of record named {kind}")


def _find_setup_faults(program: Program) -> Iterator[KbScoreError]:
    """Find what setup.lp takes from the other files, without which it is used."""
    own = tuple(statement for statement in program.statements if statement.path.stem == SETUP)
    setup = replace(program, statements=own)
    given = setup.derived | {("option", 2), ("drawn", 3), ("shuffled", 3)}
    hint = f"{SETUP}.lp is used without the other files of the game"
    for statement in own:
        for atom in statement.atoms:
            name, arity = atom.signature
            if not atom.in_head and atom.signature not in given:
                yield statement.error(f"nothing gives {name}/{arity} here", hint, atom.begin)
        for name in sorted(program.definitions.keys() - setup.definitions.keys()):
            if re.search(rf"(?<![\w'\"]){name}(?![\w'(])", statement.text):
                yield statement.error(f"nothing here says what {name} is (#const)", hint)


def _is_tried(statement: Statement) -> bool:
    """Return whether a rule is only about moves that are tried out."""
    heads = [atom for atom in statement.atoms if atom.in_head]
    return bool(heads) and all(map(is_tried, heads))


def _find_double(program: Program, given: Mapping[Signature, str]) -> Iterator[KbScoreError]:
    """Find rules that derive a predicate of the grammar."""
    sources: dict[str, str] = {}
    for (name, _), source in given.items():
        sources[name] = source
    for statement in program.statements:
        for name, _ in sorted(statement.heads):
            if name in sources:
                message = f"{name} comes from the input files: the grammar has {sources[name]}"
                hint = "choose another name for what the rules derive"
                yield statement.error(message, hint)


def _find_underived(
    program: Program, shared: Program, given: Mapping[Signature, str], ranked: Set[Signature]
) -> Iterator[KbScoreError]:
    """Yield errors at conditions that never hold because nothing gives their predicates.

    The texts give some of the predicates, and a ranking by maps gives others.
    """
    merit = read_game_files((find_folder("asp") / f"{MERIT}.lp",))
    derived = program.derived | shared.derived
    known = {*given, *ranked, *derived, *shared.inputs, *merit.inputs}
    # Checks and play add the state before a turn.
    for name, arity in program.derived:
        known.add((f"{BEFORE}{name}", arity))
    for statement in program.statements:
        for atom in statement.atoms:
            if atom.in_head or atom.signature in known:
                continue
            name, arity = atom.signature
            hint = _explain_unknown(name, arity, known)
            yield statement.error(f"nothing gives {name}/{arity}", hint, atom.begin)


def _list_ranked(manifest: GameManifest) -> set[Signature]:
    """List the input predicates of a ranking by maps, as `list_attempts` gives them."""
    contest = manifest.contest
    given: set[Signature] = set()
    for name in ("entry", "map", "incomplete", "inconsistent"):
        given.add((name, 1))
    figures = [figure for figure in contest.figures if figure != contest.counts_if]
    given.add(("attempt", 3 + len(figures)))
    return given


def _explain_unknown(name: str, arity: int, known: Iterable[Signature]) -> str:
    """Return a hint about an unknown predicate; empty if no known one is like it."""
    arities = [other for known_name, other in known if known_name == name]
    if arities:
        expected = _join_arities(sorted(arities))
        return f"the arity of {name} is {expected}, not {arity}"
    if name.startswith(BEFORE):
        state = name.removeprefix(BEFORE)
        return f"no rule derives {state}/{arity}, so it has no state before a turn"
    names = {known_name for known_name, _ in known}
    return guess(name, names, "").strip()


def _join_arities(arities: Iterable[int]) -> str:
    return " or ".join(map(str, arities))


def _find_misshapen(
    program: Program, shared: Program, points: Set[Signature]
) -> Iterator[KbScoreError]:
    """Find rules that derive a predicate of the contract with a wrong arity."""
    arities = defaultdict[str, list[int]](list)
    for name, arity in sorted(shared.inputs | points):
        arities[name].append(arity)
    for statement in program.statements:
        for name, arity in sorted(statement.heads):
            if name not in arities or arity in arities[name]:
                continue
            expected = _join_arities(arities[name])
            message = f"{name} has {expected} arguments, not {arity}"
            yield statement.error(message)


def _find_unknown_parts(program: Program) -> Iterator[KbScoreError]:
    """Find parts of the program that no use grounds, and parts with wrong parameters."""
    known = [f"{name}(t)" for name in _PARTS]
    hint = f"the parts are {describe_list(known)}"
    for statement in program.statements:
        part = statement.part
        if statement.kind != ASTType.Program or part == BASE:
            continue
        if part not in _PARTS:
            yield statement.error(f"there is no part {part}", hint)
        elif statement.text != f"#program {part}({statement.turn}).":
            yield statement.error(f"part {part} has one parameter", hint)


def _find_timeless(program: Program) -> Iterator[KbScoreError]:
    """Find rules of a part whose heads leave out its turn."""
    for rule in _list_part_rules(program):
        head, _ = split_rule(rule.text)
        if re.search(rf"\b{rule.turn}\b", head) is None:
            problem = f"what this rule of part {rule.part} derives holds forever"
            message = f"{problem}: its head lacks {rule.turn}"
            hint = f"make the turn {rule.turn} the last value of what it derives"
            yield rule.error(message, hint)


def _find_early_lists(program: Program) -> Iterator[KbScoreError]:
    """Find rules that list legal actions whenever a turn is judged, which takes long."""
    for rule in _list_part_rules(program):
        if rule.part not in (LEGAL, CHANCE_PART) and has_name(rule.heads, "legal"):
            message = f"part {rule.part} lists legal actions for each turn that is judged"
            yield rule.error(message, f"move the rule to part {LEGAL}")


def _find_negated_pools(program: Program) -> Iterator[KbScoreError]:
    """Find conditions such as ``not at(1;2)``, which hold as soon as one value is missing."""
    for statement in program.statements:
        places: set[int] = set()
        for atom in statement.atoms:
            has_pool = atom.begin in places or any(map(_has_pool, atom.arguments))
            places.add(atom.begin)
            if atom.sign == "not" and not atom.in_head and has_pool:
                message = "a pool in a negated condition: the rule holds for each value apart"
                hint = (
                    f"write a condition for each value: not {atom.name}(...), not {atom.name}(...)"
                )
                yield statement.error(message, hint, atom.begin)
                break


def _has_pool(argument: str) -> bool:
    """Return whether an argument contains a pool, such as ``(1;2)``."""
    return ";" in _STRING.sub("", argument)


def _find_late_questions(program: Program) -> Iterator[KbScoreError]:
    """Find questions about the state before a turn that come after it has been given."""
    if OPEN not in find_asking_parts(program):
        return
    for rule in _list_part_rules(program):
        if rule.part != STEP:
            continue
        for name, _ in rule.heads:
            if name.startswith(ASKS):
                message = f"{name} comes too late: part {OPEN} has already asked about the state"
                hint = f"move the rule to part {OPEN}"
                yield rule.error(message, hint)


def _find_unsaid(program: Program, manifest: GameManifest) -> Iterator[KbScoreError]:
    """Find figures and players that the manifest has and no rule derives."""
    if manifest.players > 1 and ("mover", 2) not in program.derived:
        yield manifest.error("no rule says whose turn it is: mover(P,T)", "players")
    figures = _list_keys(program, "figure")
    told = _list_keys(program, "told")
    told_to = _list_keys(program, "told_to", 1)
    if figures is not None:
        for key in manifest.figures:
            if key not in figures:
                yield manifest.error(f"no rule derives figure({key},...)", "figures")
    if figures is None or told is None or told_to is None:
        return
    for key in sorted(_list_keys(program, "claimed_result") or ()):
        if key not in {*figures, "turns", "finished"}:
            message = f"rules derive claimed_result({key},...), but not figure({key},...)"
            yield manifest.error(message, "figures")
    yield from _find_unsaid_fields(figures, told | told_to, manifest)


def _find_unsaid_fields(
    figures: set[str], told: set[str], manifest: GameManifest
) -> Iterator[KbScoreError]:
    """Yield errors about the fields of templates that no rule fills.

    The keys are those of figure/3 and told/3.
    """
    known = {*_ALWAYS_SAID, *figures, *manifest.figures}
    for key in ("tell", "state"):
        template: str = getattr(manifest.play, key)
        for name in list_fields(template):
            if name not in known | told:
                message = f"{key}: no rule derives told({name},...) or figure({name},...)"
                yield manifest.error(message, "play", key)
    for name in list_fields(manifest.play.end):
        if name not in known:
            message = f"end: no rule derives figure({name},...)"
            if name in told:
                message += ", and told/3 has no values at the end"
            yield manifest.error(message, "play", "end")


def list_meetings(folder: Path) -> set[str] | None:
    """Return the cases that the rules recognise in a position; None if they cannot be listed."""
    program = read_game_files(tuple(list_own_rules(folder)))
    if not has_name(program.derived, "meets"):
        return set()
    return _list_keys(program, "meets")


def _list_keys(program: Program, predicate: str, place: int = 0) -> set[str] | None:
    """Return the first arguments of a predicate in heads, or those in another place.

    It is None if one is not a constant.
    """
    found: set[str] = set()
    for statement in program.statements:
        if not has_name(statement.heads, predicate):
            continue
        head = statement.head
        if head is None or len(head.arguments) <= place or not is_symbol(head.arguments[place]):
            return None
        found.add(head.arguments[place])
    return found
