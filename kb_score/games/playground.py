"""The rules in a page of the browser, to be changed there: what ``web/src`` reads of any game."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from kb_score.engine.changes import list_rule_files, list_wanted, place_in_game
from kb_score.engine.docs import Words, find_extension_points
from kb_score.engine.lift import write_lifted
from kb_score.engine.lint import find_heads
from kb_score.engine.program import Program, Signature, collected_messages, read_program
from kb_score.engine.rules import Asked, GameRules, Use
from kb_score.engine.solve import open_control
from kb_score.engine.terms import Facts, Value, to_symbol
from kb_score.engine.trace import Clause, ClauseIndex, Part, own_names
from kb_score.errors import InputError
from kb_score.resources import COMMON, list_folders
from kb_score.shell.options import DEPTH, WIDTH
from kb_score.shell.pages import fill_page, list_styles, name_page

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from kb_score.games.replay import Window
    from kb_score.shell.picture import Replay

# A page draws places one by one.
_MOST_PLACES = 20_000
# clingo in a page takes no text of more than a megabyte, with the rules.
_MOST_TEXT = 800_000
# After so many milliseconds rules are taken to have no end.
LIMIT_BOARD, LIMIT_RECORD = 5_000, 20_000

_NEW_FILE = """\
% Rules of this file are added to the others. They speak of all turns, each a Turn of turn(Turn).
"""


def list_files(
    game: GameRules, wanted: Collection[str], parts: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """List the wanted rule files and a user's, some parts lifted, each with the text as shipped."""
    shipped = {path.name: path for path in list_rule_files(game.game)[0]}
    _, users = list_rule_files(game.game, game.changes)
    changed = {path.name: path for path in users}

    def write(path: Path) -> str:
        return write_lifted(path, parts)

    return [
        {
            "name": name,
            "folder": _name_folder(shipped[name]) if name in shipped else "new",
            # Where the file lies in a folder of --rules.
            "place": place_in_game(shipped[name]) if name in shipped else name,
            "text": write(changed.get(name) or shipped[name]),
            "shipped": write(shipped[name]) if name in shipped else None,
        }
        for name in [*shipped, *(name for name in changed if name not in shipped)]
        if name in wanted or name in changed
    ]


def list_derived(game: GameRules, wanted: Collection[str]) -> dict[str, str]:
    """List the predicates that only the wanted rule files of ours may derive, each with its file.

    A new file that derives one of them would change what our rules say.
    """
    paths = list_rule_files(game.game)[0]
    points = find_extension_points(paths)
    return {
        _name(signature): path.name
        for path in paths
        if path.name in wanted
        for statement in read_program([path], ours=True).statements
        for signature in find_heads(statement) - points
    }


def _name_folder(path: Path) -> str:
    home = next(home for home in list_folders("asp") if path.is_relative_to(home))
    first, *more = path.parent.relative_to(home).parts
    return "/".join(more) or (COMMON if first == COMMON else "rules")


def write_record(
    replay: Replay,
    asked: Sequence[Asked],
    game: GameRules,
    who: str,
    more: Mapping[str, Any] = MappingProxyType({}),
    left_out: Collection[str] = (),
) -> str:
    """Write the page of a record, whose replay has kept the answers that it was made of."""
    parts = list(_write_parts(replay, asked, left_out))
    # What holds for windows that go astray holds for the others too, and lifts more.
    use = max((use for use, _ in parts), key=lambda use: len(use.lifted))
    wanted = list_wanted(game.game, use.files)
    data = {
        "kind": "record",
        "parts": [part for _, part in parts],
        "limit": LIMIT_RECORD,
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
    title = name_page(replay.record, replay.game)
    return fill_page("playground", title, data, board="", gold="")


def _write_parts(
    replay: Replay, asked: Sequence[Asked], left_out: Collection[str]
) -> Iterator[tuple[Use, dict[str, Any]]]:
    for window, question in _find_parts(replay, asked):
        facts = {name: rows for name, rows in question.facts.items() if name not in left_out}
        if (size := len(text := write_pooled(facts))) > _MOST_TEXT:
            reason = f"its facts are {size} letters, too many for a page: {_MOST_TEXT} is the limit"
            raise InputError(replay.record, reason)
        yield question.use, {"facts": text, "before": window.before, "caption": window.caption}


def list_reasons(game: GameRules, uses: Mapping[str, Use]) -> dict[str, Any]:
    """List what the page needs to tell why something holds, for each use of the rules there."""
    ours, users = list_rule_files(game.game, game.changes)
    words = Words([*ours, *users])
    says = {
        _name(predicate.signature): [predicate.arguments, words.sentence(predicate.signature)]
        for predicate in words.documented()
    }
    rules = {name: _list_traced(game.whole_program(use)) for name, use in uses.items()}
    return {"depth": DEPTH, "width": WIDTH, "says": says, "rules": rules}


def _list_traced(program: Program) -> dict[str, Any]:
    """List the traced rules of a program, and the predicates that they may be asked about."""
    with collected_messages() as log:
        constant = open_control(program, log).get_const
        rules = ClauseIndex(program, constant)
    given = sorted(program.derived)
    return {
        "clauses": [_list_clause(clause) for one in given for clause in rules.giving(one)],
        "shown": sorted(map(_name, program.derived | program.inputs)),
    }


def _list_clause(clause: Clause) -> dict[str, Any]:
    origin = clause.origin
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
        "parts": [
            _list_part(part)
            | {
                "added": part.is_added,
                "elements": [
                    {"names": own_names(clause, parts), "parts": list(map(_list_part, parts))}
                    for _, parts in part.elements
                ],
            }
            for part in clause.parts
        ],
        "chosen": clause.is_chosen,
    }


def _list_part(part: Part) -> dict[str, Any]:
    return {"kind": part.kind, "text": part.text, "operator": part.operator}


def _name(signature: Signature) -> str:
    name, arity = signature
    return f"{name}/{arity}"


def write_pooled(facts: Facts) -> str:
    """Write facts on a line, in few letters: those that differ in their last argument as one pool.

    What is p(x,1). p(x,2). p(x,7). elsewhere is p(x,(1..2;7)). here.
    """
    pools: defaultdict[tuple[str, str], list[Value]] = defaultdict(list)
    for name, rows in facts.items():
        for row in rows:
            pools[name, "".join(f"{to_symbol(v)}," for v in row[:-1])] += row[-1:]
    return " ".join(
        f"{name}({others}({';'.join(_list_values(last))}))." if last else f"{name}."
        for (name, others), last in pools.items()
    )


def _list_values(values: Sequence[Value]) -> Iterator[str]:
    """List values as the members of a pool, numbers that follow each other as an interval."""
    yield from (str(to_symbol(v)) for v in values if not isinstance(v, int))
    numbers = sorted({v for v in values if isinstance(v, int)})
    for _, pairs in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in pairs]
        yield str(run[0]) if len(run) == 1 else f"{run[0]}..{run[-1]}"


def _find_parts(replay: Replay, asked: Sequence[Asked]) -> list[tuple[Window, Asked]]:
    """Find the questions whose answers a replay is made of, if a page can ask them again."""
    name, (rows, columns) = replay.record, replay.size
    parts = [(w, a) for w in replay.windows for a in asked if a.answer is w.answer]
    if not parts or any(a.use.models != "only" for _, a in parts):
        raise InputError(name, "a playground takes sessions: here the rules have to choose")
    if rows * columns > _MOST_PLACES:
        size = f"{rows} rows of {columns} places"
        raise InputError(name, f"{size} are too many for a page: {_MOST_PLACES} is the limit")
    return parts
