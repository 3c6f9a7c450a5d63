"""Sessions against the rules, run by run, some hundred turns at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kb_score.findings import as_int, read_violations
from kb_score.games.rabbits.picture import draw
from kb_score.games.rabbits.rules import TURN
from kb_score.games.rabbits.session import Run, Turn
from kb_score.games.rabbits.station import Station, station_facts
from kb_score.program import Program, Signature
from kb_score.report import Table
from kb_score.rules import Changes, read_rules_for_turns
from kb_score.solve import Answer, solve_unique
from kb_score.terms import Facts, Name, Row
from kb_score.verdict import Verdict, Violation

# So many turns are grounded at once; memory grows with it.
_WINDOW = 500

_WANTED: tuple[Signature, ...] = (
    ("violation", 4),
    ("tally", 2),
    ("left", 3),
    ("over", 0),
    ("finished", 0),
)
_DRAWN: tuple[Signature, ...] = (("drawn", 2),)
# Where a turn goes on from: the state as printed, or as the rules have it.
_PRINTED, _DERIVED = ("printed",), ("derived", "settled")
_COUNTS = ("crushed", "squished", "collided", "spawned")


@dataclass(slots=True)
class Course:
    """What is known of one run after some of its turns.

    Attributes:
        tally: How many turns were derived, rabbits saved and so on.
        violations: What breaks the rules, turns counted within the run.
        over: Whether the run cannot have gone on.
        finished: Whether it has come to its end.
        picture: The turn of the first violation, drawn.
    """

    tally: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    over: bool = False
    finished: bool = False
    picture: str = ""


class _Rules:
    """The rules for each of their uses: lifting them takes longer than a short run does."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    @cached_property
    def printed(self) -> Program:
        return self._read(_PRINTED, _WANTED)

    @cached_property
    def derived(self) -> Program:
        return self._read(_DERIVED, _WANTED)

    @cached_property
    def drawn(self) -> Program:
        return self._read(_DERIVED, _DRAWN)

    def _read(self, joints: Sequence[str], wanted: Sequence[Signature]) -> Program:
        parts = (*TURN, "check", *joints)
        lifted = read_rules_for_turns("rabbits", ["rules", "check"], parts, self._changes)
        return lifted.asked_for(wanted)


def check_session(runs: Sequence[Run], station: Station, changes: Changes, record: str) -> Verdict:
    """Follow a session.

    Args:
        runs: The session, at least one run.
        station: The map.
        changes: What the user changes about the rules.
        record: What the verdict calls the session.

    Returns:
        The verdict; turns count through all runs.
    """
    rules = _Rules(changes)
    courses = [_follow_run(run, station, rules, run is runs[-1]) for run in runs]
    total = sum((course.tally for course in courses), Counter[str]())
    scores = [run.score for run in runs if run.score is not None]
    return Verdict(
        game="rabbits",
        record=record,
        result={
            "turns": total["turns"],
            "runs": len(runs),
            "saved": total["saved"],
            "finished": all(course.finished for course in courses),
        },
        claimed={"saved": sum(scores)} if scores else None,
        violations=tuple(_say_violations(runs, courses)),
        picture=next((course.picture for course in courses if course.picture), ""),
        tables=(Table("", ("rabbits", "number"), tuple((c, total[c]) for c in _COUNTS)),),
        more={"counts": {count: total[count] for count in _COUNTS}},
    )


def _say_violations(runs: Sequence[Run], courses: Sequence[Course]) -> Iterator[Violation]:
    before = 0
    for run, course in zip(runs, courses, strict=True):
        for found in course.violations:
            turn = found.turn or 0
            where = f"run {run.number}, turn {turn}: " if len(runs) > 1 else ""
            yield replace(found, detail=where + found.detail, turn=before + turn)
        before += len(run.turns)


def _follow_run(run: Run, station: Station, rules: _Rules, is_last: bool) -> Course:
    course = Course()
    base = station_facts(station)
    state: Facts = {"opens": [(1,)]}
    end = len(run.turns)
    for first in range(1, end + 1, _WINDOW):
        turns = run.turns[first - 1 : first - 1 + _WINDOW]
        last = first + len(turns) - 1
        is_end = last == end
        facts: Facts = {
            **base,
            **_turn_facts(turns, first),
            "answered": [(last,)] if is_end and turns[-1].requests is not None else [],
            "followed": [(last,)] if is_end and not is_last else [],
            **state,
            "expected": [(run.turns[0].left - first + 1, first)],
            "last": [(last,)],
            "saved_before": [(course.tally["saved"],)],
            "scored": [(score, last) for score in (run.score,) if score is not None and is_end],
        }
        answer = _solve(rules, facts)
        _take(answer, course, station)
        if not course.picture and course.violations:
            course.picture = _draw(rules, facts, station, answer)
        if course.over:
            break
        state = _state(answer, last)
    return course


def _solve(rules: _Rules, facts: Facts) -> Answer:
    # Each turn is derived from the one before as printed: then nothing depends on itself, and
    # grounding alone decides all. Only where the two differ one must go on from the derived one.
    answer = solve_unique(rules.printed, facts, _WANTED)
    if any(code == "wrong-rabbits" for _, code, *_ in answer["violation", 4]):
        answer = solve_unique(rules.derived, facts, _WANTED)
    return answer


def _take(answer: Answer, course: Course, station: Station) -> None:
    course.tally.update({str(what): as_int(n) for what, n in answer["tally", 2]})
    course.violations += read_violations(answer["violation", 4], station.say_value)
    course.over = bool(answer["over", 0])
    course.finished = bool(answer["finished", 0])


def _state(answer: Answer, last: int) -> Facts:
    rows = answer["left", 3]
    return {
        "remains": [(cell, last) for what, cell, _ in rows if what == "rabbit"],
        "ends": sorted({(cell, last) for what, cell, _ in rows if what == "crusher"}),
        "keeps": [(cell, heading, last) for what, cell, heading in rows if what == "crusher"],
    }


def _draw(rules: _Rules, facts: Facts, station: Station, answer: Answer) -> str:
    rows = answer["violation", 4]
    turn = min(as_int(at) for at, *_ in rows)
    marked = [cell for at, _, cell, _ in rows if at == turn and isinstance(cell, int)]
    drawn = solve_unique(rules.drawn, {**facts, "draw": [(turn,)]}, _DRAWN)["drawn", 2]
    rabbits = [as_int(cell) for what, cell in drawn if what == "rabbit"]
    crushers = [as_int(cell) for what, cell in drawn if what == "crusher"]
    legend = f"turn {turn} after the crushers' moves, as derived; ! where the record differs:\n"
    return legend + draw(station, rabbits, crushers, marked)


def _turn_facts(turns: Sequence[Turn], first: int) -> dict[str, list[Row]]:
    names = ("turn", "turnsleft", "act", "listed", "listed_twice", "request")
    facts: dict[str, list[Row]] = {name: [] for name in names}
    for t, turn in enumerate(turns, first):
        facts["turn"].append((t,))
        facts["turnsleft"].append((turn.left, t))
        facts["act"] += [(n, a, Name(verb), b, t) for n, (a, verb, b) in enumerate(turn.actions)]
        facts["listed"] += [(cell, t) for cell in turn.rabbits]
        if len(set(turn.rabbits)) < len(turn.rabbits):
            repeated = Counter(turn.rabbits) - Counter(set(turn.rabbits))
            facts["listed_twice"] += [(cell, t) for cell in repeated]
        facts["request"] += [(n, a, b, t) for n, (a, b) in enumerate(turn.requests or ())]
    return facts
