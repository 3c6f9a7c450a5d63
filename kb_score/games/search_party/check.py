"""A record against the rules: facts in, verdict out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kb_score.errors import BoardError
from kb_score.findings import as_int, read_violations, write_sentence
from kb_score.games.search_party.maps import Map
from kb_score.games.search_party.picture import draw_cutout
from kb_score.games.search_party.records import Record
from kb_score.program import Program
from kb_score.rules import NO_CHANGES, Changes, read_rules_for_turns
from kb_score.solve import Answer, solve_best, solve_unique
from kb_score.terms import Row, Value
from kb_score.verdict import Verdict

GAME = "search-party"
# A plan and a session list moves, from a stream they are inferred.
_FILES = {
    "plan": ("map", "rules", "orders", "check"),
    "session": ("map", "rules", "orders", "check"),
    "stream": ("map", "rules", "stream", "check"),
}
_FAULTS_OF_MAP = ("fault_of_map", 1)
_RESULT = ("result", 2)
_VIOLATION = ("violation", 4)
_STANDING = ("standing", 2)
_SEARCHED = ("searched", 1)
_SPOT = ("spot", 1)
_WANTED = (_FAULTS_OF_MAP, _RESULT, _VIOLATION, _STANDING, _SEARCHED, _SPOT)


def check_record(
    map_: Map,
    record: Record,
    name: str,
    changes: Changes = NO_CHANGES,
) -> Verdict:
    """Hold a record against the rules.

    Args:
        map_: The map that the game was played on.
        record: The record.
        name: What the verdict calls it, usually its path.
        changes: What the user changes about the rules.

    Returns:
        The verdict, all violations in the order of turns.

    Raises:
        BoardError: The map is none of the game.
        RuleError: Something is wrong with the user's rules.
    """
    program = read_rules_for_turns("search_party", _FILES[record.kind], ["step"], changes)
    answer = _solve(program, map_, record)
    violations = read_violations(answer[_VIOLATION])
    values = {str(key): value for key, value in answer[_RESULT]}
    return Verdict(
        game=GAME,
        record=name,
        result=_make_result(values),
        claimed=_make_claim(record),
        violations=violations,
        picture=_draw(map_, violations[0].turn or 0, answer) if violations else "",
    )


def raise_faults_of_map(map_: Map, faults: Iterable[Row]) -> None:
    """Raise what the rules say against a map, if they do.

    Raises:
        BoardError: They do.
    """
    for (detail,) in sorted(faults, key=str):
        raise BoardError(map_.name, write_sentence(detail))


def _solve(program: Program, map_: Map, record: Record) -> Answer:
    facts = {**map_.facts(), **record.facts}
    # Only what a stream leaves out is chosen; else all follows, also from what a user adds.
    solve = solve_best if record.kind == "stream" else solve_unique
    answer = solve(program, facts, _WANTED, turns=record.turn_facts)
    raise_faults_of_map(map_, answer[_FAULTS_OF_MAP])
    return answer


def _make_result(values: Mapping[str, Value]) -> dict[str, Value | bool]:
    counts = {key: values[key] for key in ("turns", "costars", "extras")}
    return {**counts, "finished": bool(values["finished"])}


def _make_claim(record: Record) -> dict[str, int | bool] | None:
    if record.claimed is None:
        return None
    turns, costars, extras = record.claimed
    return {"turns": turns, "costars": costars, "extras": extras, "finished": True}


def _draw(map_: Map, turn: int, answer: Answer) -> str:
    spots = sorted(map_.place(cell) for cell in _cells(answer[_SPOT]))
    if not spots:
        return ""
    searched = {map_.place(cell) for cell in _cells(answer[_SEARCHED])}
    people = sorted((str(who), cell) for who, cell in answer[_STANDING])
    standing = {who: map_.place(as_int(cell)) for who, cell in people}
    return draw_cutout(map_, turn, searched, standing, spots)


def _cells(rows: Iterable[Row]) -> Iterator[int]:
    return (as_int(cell) for (cell,) in rows)
