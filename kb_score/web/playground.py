"""The playground, a page on which rules can be edited: the data for the scripts in ``web/src``."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kb_score.engine.changes import list_rule_files, list_wanted
from kb_score.engine.docs import Words, find_extension_points
from kb_score.engine.lift import write_lifted
from kb_score.engine.lint import find_heads
from kb_score.engine.program import Program, Signature, collected_messages, read_program
from kb_score.engine.rules import Asked, GameRules, Use
from kb_score.engine.solve import open_control
from kb_score.engine.terms import Facts, Value, to_symbol
from kb_score.errors import InputError
from kb_score.reasons.trace import Clause, ClauseIndex, Part, own_names
from kb_score.resources import place_in_game
from kb_score.shell.options import DEPTH, WIDTH
from kb_score.shell.pages import fill_page, list_styles, make_title

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from kb_score.games.replay import Window
    from kb_score.shell.picture import Replay

# The maximum number of places on a board, which the page draws one by one.
_MAX_PLACES = 20_000
# The maximum length of the facts: clingo on a page can read a megabyte, including the rules.
_MAX_TEXT = 800_000
# Milliseconds after which rules are assumed never to terminate.
BOARD_LIMIT = 5_000
RECORD_LIMIT = 20_000

_NEW_FILE = """\
% The rules in this file are added to the others. They apply to all turns: turn(Turn) binds a Turn.
"""


def list_files(
    game: GameRules, wanted: Collection[str], parts: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return rule files for the page.

    They are those of ours that are wanted, and all of a user's, with the given parts lifted. Each
    has its folder on the page, its place in a folder of ``--rules``, its text, and the shipped
    text, None for a user's new file.
    """
    shipped_paths, _ = list_rule_files(game.game)
    _, user_paths = list_rule_files(game.game, game.changes)
    shipped = {path.name: path for path in shipped_paths}
    changed = {path.name: path for path in user_paths}
    files: list[dict[str, Any]] = []
    for name, path in {**shipped, **changed}.items():
        if name not in wanted and name not in changed:
            continue
        folder = "new"
        place = name
        shipped_text: str | None = None
        ours = shipped.get(name)
        if ours is not None:
            folder = _name_folder(ours)
            place = place_in_game(ours)
            shipped_text = write_lifted(ours, parts)
        files.append(
            {
                "name": name,
                "folder": folder,
                "place": place,
                "text": write_lifted(path, parts),
                "shipped": shipped_text,
            }
        )
    return files


def list_derived(game: GameRules, wanted: Collection[str]) -> dict[str, str]:
    """Return the predicates that only our rule files may derive, each with its file.

    A new file that derives one of them would change the meaning of our rules.
    """
    paths, _ = list_rule_files(game.game)
    points = find_extension_points(paths)
    files = {}
    for path in paths:
        if path.name not in wanted:
            continue
        for statement in read_program([path], ours=True).statements:
            for signature in find_heads(statement) - points:
                files[_name(signature)] = path.name
    return files


def _name_folder(path: Path) -> str:
    """Return the folder in which the page shows one of our rule files."""
    below, _, _ = place_in_game(path).rpartition("/")
    return below or "rules"


def write_record(
    replay: Replay,
    asked: Sequence[Asked],
    game: GameRules,
    who: str,
    more: Mapping[str, Any] = MappingProxyType({}),
    left_out: Collection[str] = (),
) -> str:
    """Return the page of a record, from its replay and the queries that this has asked.

    ``who`` is the pattern of a player's name, such as ``player {}``. ``left_out`` has the names of
    facts that the page does not need. Rules that have to choose are an InputError, and so is a
    record that is too large for a page.
    """
    parts = list(_write_parts(replay, asked, left_out))
    # Rules that are lifted for windows with violations work for the other windows, too.
    use = max((use for use, _ in parts), key=lambda use: len(use.lifted))
    wanted = list_wanted(game.game, use.files)
    data = {
        "kind": "record",
        "parts": [part for _, part in parts],
        "limit": RECORD_LIMIT,
        "who": who,
        "size": replay.size,
        "open": "rules.lp",
        "template": _NEW_FILE,
        "styles": list_styles(hexes=replay.hexes),
        "files": list_files(game, wanted, use.lifted),
        "ours": list_derived(game, wanted),
        "lifted": list(use.lifted),
        "uses": {"record": sorted(wanted)},
        "why": list_reasons(game, {"record": use}),
        "constants": dict(game.changes.constants),
        **more,
    }
    title = make_title(replay.record, replay.game)
    return fill_page("playground", title, data, board="", gold="")


def _write_parts(
    replay: Replay, asked: Sequence[Asked], left_out: Collection[str]
) -> Iterator[tuple[Use, dict[str, Any]]]:
    """Yield the parts of a record, each with the use of the rules that judges it."""
    for window, query in _find_parts(replay, asked):
        facts = {name: rows for name, rows in query.facts.items() if name not in left_out}
        text = write_pooled(facts)
        if len(text) > _MAX_TEXT:
            length = f"its facts are {len(text)} characters"
            reason = f"{length}, too many for a page: {_MAX_TEXT} is the limit"
            raise InputError(replay.record, reason)
        yield query.use, {"facts": text, "before": window.before, "caption": window.caption}


def list_reasons(game: GameRules, uses: Mapping[str, Use]) -> dict[str, Any]:
    """Return the data with which the page explains why an atom holds."""
    ours, users = list_rule_files(game.game, game.changes)
    words = Words([*ours, *users])
    says: dict[str, list[Any]] = {}
    for predicate in words.documented():
        signature = predicate.signature
        says[_name(signature)] = [predicate.arguments, words.sentence(signature)]
    rules = {name: list_traced(game.whole_program(use)) for name, use in uses.items()}
    return {"depth": DEPTH, "width": WIDTH, "says": says, "rules": rules}


def list_traced(program: Program) -> dict[str, Any]:
    """Return the traced rules of a program as the page reads them, and what they explain."""
    with collected_messages() as log:
        rules = ClauseIndex(program, open_control(program, log).get_const)
    clauses: list[dict[str, Any]] = []
    for signature in sorted(program.derived):
        clauses += map(_list_clause, rules.giving(signature))
    shown = sorted(map(_name, program.derived | program.inputs))
    return {"clauses": clauses, "shown": shown}


def _list_clause(clause: Clause) -> dict[str, Any]:
    origin = clause.origin
    parts = []
    for part in clause.parts:
        elements: list[dict[str, Any]] = []
        for _, inner in part.elements:
            names = own_names(clause, inner)
            elements.append({"names": names, "parts": list(map(_list_part, inner))})
        parts.append({**_list_part(part), "added": part.is_added, "elements": elements})
    return {
        "number": clause.number,
        "name": _name(clause.signature),
        "rules": list(clause.trace()),
        "asks": sorted(map(_name, clause.asks)),
        "file": PurePath(origin.file).name,
        "line": origin.line,
        "rule": origin.text,
        "note": origin.note,
        "names": clause.names,
        "parts": parts,
        "chosen": clause.is_chosen,
    }


def _list_part(part: Part) -> dict[str, Any]:
    return {"kind": part.kind, "text": part.text, "operator": part.operator}


def _name(signature: Signature) -> str:
    name, arity = signature
    return f"{name}/{arity}"


def write_pooled(facts: Facts) -> str:
    """Return facts as a short text: facts that differ only in their last argument become one pool.

    For example, p(x,1). p(x,2). p(x,7). become p(x,(1..2;7)).
    """
    # The last arguments, keyed by the predicate and the text of the other arguments.
    pools: defaultdict[tuple[str, str], list[Value]] = defaultdict(list)
    for name, rows in facts.items():
        for row in rows:
            others = "".join(f"{to_symbol(value)}," for value in row[:-1])
            pools[name, others] += row[-1:]
    written = []
    for (name, others), last in pools.items():
        fact = name
        if last:
            values = ";".join(_iter_values(last))
            fact += f"({others}({values}))"
        written.append(f"{fact}.")
    return " ".join(written)


def _iter_values(values: Sequence[Value]) -> Iterator[str]:
    """Yield the members of a pool; consecutive numbers become an interval."""
    numbers = set()
    for value in values:
        if isinstance(value, int):
            numbers.add(value)
        else:
            yield str(to_symbol(value))
    for _, pairs in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        if len(run) == 1:
            yield str(run[0])
        else:
            yield f"{run[0]}..{run[-1]}"


def _find_parts(replay: Replay, asked: Sequence[Asked]) -> list[tuple[Window, Asked]]:
    """Return the windows of a replay with the queries of their answers.

    Rules that have to choose are an InputError, and so is a board that is too large.
    """
    parts: list[tuple[Window, Asked]] = []
    for window in replay.windows:
        parts += [(window, query) for query in asked if query.answer is window.answer]
    has_choice = any(query.use.models != "only" for _, query in parts)
    if has_choice or not parts:
        message = "a playground accepts only records that leave the rules no choice"
        raise InputError(replay.record, message)
    rows, columns = replay.size
    if rows * columns > _MAX_PLACES:
        size = f"{rows} rows of {columns} places"
        message = f"{size} are too many for a page: {_MAX_PLACES} is the limit"
        raise InputError(replay.record, message)
    return parts
