"""The playground, a page on which rules can be edited: the data for the scripts in ``web/src``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, TypeAlias, TypedDict

from kb_score.engine.changes import list_rule_files, list_wanted
from kb_score.engine.docs import Words, find_extension_points
from kb_score.engine.lift import lift_turns, write_lifted
from kb_score.engine.messages import collected_messages
from kb_score.engine.program import Program, parse_program, read_program
from kb_score.engine.rules import Asked, GameRules, Use
from kb_score.engine.scan import Signature
from kb_score.engine.solve import open_control
from kb_score.engine.state import list_states, write_part
from kb_score.engine.terms import Facts, Value, to_symbol
from kb_score.errors import InputError
from kb_score.reasons.trace import Clause, ClauseIndex, Part, own_names
from kb_score.resources import place_in_game
from kb_score.shell.options import DEPTH, WIDTH
from kb_score.shell.pages import Styles, fill_page, list_styles, make_title

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
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


class RuleFile(TypedDict):
    """A rule file."""

    name: str
    folder: str  # the heading below which it is listed, such as "cards"
    place: str  # its path in a folder of --rules
    text: str
    shipped: str | None  # the text as shipped; none for a new file of the user


class ElementPart(TypedDict):
    """A condition of an element of a sum."""

    kind: Literal["atom", "absent", "comparison", "aggregate", "all"]
    text: str
    operator: str  # the operator of a comparison of two sides; empty for other conditions


class ClauseElement(TypedDict):
    """An element of a sum."""

    names: Sequence[str]  # the variables that do not occur outside the element
    parts: Sequence[ElementPart]


class ClausePart(ElementPart):
    """A condition of a rule."""

    added: bool  # whether it was added by lifting the rule
    elements: Sequence[ClauseElement]  # the elements of a sum


class ClauseData(TypedDict):
    """A rule, with the traced rules that find the values with which it applies."""

    number: int
    name: str  # the predicate that it derives, such as "gold/4"
    rules: Sequence[str]  # the rules that derive why'/4 and counts'/7
    asks: Sequence[str]  # the predicates that they ask for
    file: str
    line: int
    rule: str  # its text, on one line
    note: str  # the comment above it
    names: Sequence[str]  # its variables
    parts: Sequence[ClausePart]
    chosen: bool  # whether it is a choice


class TracedRules(TypedDict):
    """The rules of a use."""

    clauses: Sequence[ClauseData]
    shown: Sequence[str]  # the predicates that can be asked about


class ReasonsData(TypedDict):
    """The data to explain why an atom holds."""

    depth: int  # the most levels of a tree of reasons
    width: int  # the most parts of a sum that are shown
    # The names of each predicate's arguments, and a sentence that says what it means.
    says: Mapping[str, tuple[Sequence[str], str]]
    rules: Mapping[str, TracedRules]  # the rules of each use


class PlaygroundBase(TypedDict):
    """What all playgrounds have."""

    limit: int  # milliseconds after which changed rules are assumed not to end
    open: str  # the name of the file that is open at first
    template: str  # the text of a new file
    styles: Styles
    files: Sequence[RuleFile]
    # The predicates that only our rules may derive, such as "gold/4", each with its file.
    ours: Mapping[str, str]
    why: ReasonsData
    constants: Mapping[str, str]  # the values of rulings that the user has set


# A symbol of a board's text, with the predicate and the first arguments of its fact; "." has none.
Meaning: TypeAlias = tuple[str, Sequence[str] | None]


class TableQuadrant(TypedDict):
    """A quadrant of the published game, ten rows of ten symbols."""

    name: str
    rows: Sequence[str]  # as printed
    turned: Sequence[str]  # turned by 180 degrees


class QuadrantData(TableQuadrant):
    """A quadrant with its origin."""

    expansion: str  # the expansion that it comes from; empty for the game itself


class CardFile(TypedDict):
    """A rule file of a card."""

    name: str
    text: str


BoardUse: TypeAlias = Literal["scores", "gold"]


class BoardData(PlaygroundBase):
    """The data of a playground of a Kingdom Builder board."""

    kind: Literal["board"]
    board: str  # the text of the board
    symbols: Sequence[Meaning]
    pairs: Sequence[str]  # the hexes of two symbols that there are, such as "G2"
    drawn: str  # the facts that say how hexes are drawn
    names: Mapping[int, str]  # the names of players, by their numbers
    # The atoms that hold at first; none if the page has rules of the user, which it has to ask
    # itself.
    answer: Sequence[str] | None
    quadrants: Sequence[QuadrantData]
    most: int  # the longest side of a board that the page accepts
    # The files that answer each question of the page, by name.
    uses: Mapping[BoardUse, Sequence[str]]
    card: CardFile  # a card in one line, to begin with


class RecordPart(TypedDict):
    """Some turns of a record that are asked about together."""

    facts: str
    before: int  # the number of turns before these
    # The caption of a picture: {turn} is its turn in the record, {own} its turn in these facts.
    caption: str
    turnOf: Sequence[int]  # the turn of each step, if the rules count steps


class RecordBase(PlaygroundBase):
    """What all playgrounds of records have."""

    parts: Sequence[RecordPart]
    size: tuple[int, int]  # the numbers of rows and columns
    lifted: Sequence[str]  # the program parts that are lifted from a turn to all of them
    uses: Mapping[Literal["record"], Sequence[str]]


class RecordData(RecordBase):
    """The data of a playground of a record."""

    kind: Literal["record"]


# The name of the file with the rules that look back at the turn before.
_LOOKING_BACK = "before.lp"


class GameData(RecordBase):
    """The data of a playground of a game of Kingdom Builder."""

    kind: Literal["game"]
    turns: str  # the text of the turns, after the headings
    players: int  # the number of players
    terrains: Sequence[str]


PlaygroundData: TypeAlias = BoardData | GameData | RecordData


def list_files(
    game: GameRules, wanted: Collection[str], parts: Sequence[str] = ()
) -> list[RuleFile]:
    """Return the rule files of ours that are wanted, and all of a user's, with parts lifted."""
    shipped_paths, _ = list_rule_files(game.game)
    _, user_paths = list_rule_files(game.game, game.changes)
    shipped = {path.name: path for path in shipped_paths}
    changed = {path.name: path for path in user_paths}
    files: list[RuleFile] = []
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
        for statement in read_program([path], "shipped").statements:
            for signature in statement.heads - points:
                files[_name(signature)] = path.name
    return files


def _name_folder(path: Path) -> str:
    """Return the folder in which the page shows one of our rule files."""
    below, _, _ = place_in_game(path).rpartition("/")
    return below or "rules"


def list_record(
    replay: Replay, asked: Sequence[Asked], game: GameRules, left_out: Collection[str] = ()
) -> RecordBase:
    """Return the data of a record, from its replay and the queries that this has asked.

    ``left_out`` has the names of facts that the page does not need. Rules that have to choose are
    an InputError, and so is a record that is too large for a page.
    """
    parts = list(_write_parts(replay, asked, left_out))
    # Rules that are lifted for windows with violations work for the other windows, too.
    use = max((use for use, _ in parts), key=lambda use: len(use.lifted))
    wanted = list_wanted(game.game, use.files)
    looking_back = list(_write_looking_back(game, use))
    names = {*wanted, *(file["name"] for file in looking_back)}
    return {
        "parts": [part for _, part in parts],
        "limit": RECORD_LIMIT,
        "size": replay.size,
        "open": "rules.lp",
        "template": _NEW_FILE,
        "styles": list_styles(hexes=replay.hexes),
        "files": [*list_files(game, wanted, use.lifted), *looking_back],
        "ours": list_derived(game, wanted),
        "lifted": list(use.lifted),
        "uses": {"record": sorted(names)},
        "why": list_reasons(game, {"record": use}),
        "constants": dict(game.changes.constants),
    }


def _write_looking_back(game: GameRules, use: Use) -> Iterator[RuleFile]:
    """Yield the file with the rules that the engine makes: what stood before a turn."""
    if use.state != "chained":
        return
    states = list_states(game.program(replace(use, state="given", given=None)))
    rules = [rule for state in states for rule in state.look_back()]
    lifted = lift_turns(parse_program(write_part(rules)), use.lifted)
    written = [statement.text for statement in lifted.statements if statement.heads]
    says = "%*! What stood before a turn: what the turn before derives. *%"
    text = "\n".join([says, "", *written, ""])
    yield {
        "name": _LOOKING_BACK,
        "folder": "common",
        "place": _LOOKING_BACK,
        "text": text,
        "shipped": text,
    }


def write_record(replay: Replay, data: RecordData | GameData) -> str:
    """Return the page of a record."""
    title = make_title(replay.record, replay.game)
    return fill_page("playground", title, data, board="", gold="")


def _write_parts(
    replay: Replay, asked: Sequence[Asked], left_out: Collection[str]
) -> Iterator[tuple[Use, RecordPart]]:
    """Yield the parts of a record, each with the use of the rules that judges it."""
    for window, query in _find_parts(replay, asked):
        facts = {name: rows for name, rows in query.facts.items() if name not in left_out}
        text = write_pooled(facts)
        if len(text) > _MAX_TEXT:
            length = f"its facts are {len(text)} characters"
            reason = f"{length}, too many for a page: {_MAX_TEXT} is the limit"
            raise InputError(replay.record, reason)
        part: RecordPart = {
            "facts": text,
            "before": window.before,
            "caption": window.caption,
            "turnOf": window.turn_of,
        }
        yield query.use, part


def list_reasons(game: GameRules, uses: Mapping[str, Use]) -> ReasonsData:
    """Return the data with which the page explains why an atom holds."""
    ours, users = list_rule_files(game.game, game.changes)
    words = Words([*ours, *users])
    says: dict[str, tuple[tuple[str, ...], str]] = {}
    for predicate in words.documented():
        signature = predicate.signature
        says[_name(signature)] = (predicate.arguments, words.sentence(signature))
    rules = {name: list_traced(game.whole_program(use)) for name, use in uses.items()}
    return {"depth": DEPTH, "width": WIDTH, "says": says, "rules": rules}


def list_traced(program: Program) -> TracedRules:
    """Return the traced rules of a program, and the predicates that they explain."""
    with collected_messages(program.statements) as log:
        rules = ClauseIndex(program, open_control(program, log).get_const)
    clauses: list[ClauseData] = []
    for signature in sorted(program.derived):
        clauses += map(_list_clause, rules.giving(signature))
    shown = sorted(map(_name, program.derived | program.inputs))
    return {"clauses": clauses, "shown": shown}


def _list_clause(clause: Clause) -> ClauseData:
    origin = clause.origin
    parts: list[ClausePart] = []
    for part in clause.parts:
        elements: list[ClauseElement] = []
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


def _list_part(part: Part) -> ElementPart:
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
