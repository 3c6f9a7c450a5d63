"""Plain clingo judges every board and record of ``boards/`` as kb-score does.

``kb-score facts --program FILE`` prints a program; here clingo runs its text alone, without the
engine of kb-score. Its answer has to be what ``score`` or ``check`` prints as JSON.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from clingo import Control, MessageCode, Symbol, SymbolType

from kb_score.engine.rules import Asked, GameRules
from kb_score.games import list_games
from tests.helpers import SHARED, run
from tests.rules.records import UNREADABLE, Judged, list_judged, list_texts

JUDGED = list(list_judged())

# A run log has a program for each of its windows and one for its sums. Those of the windows have
# many answer sets: what some explanation saves is in the union of all.
WINDOW = "#show saves/2."
# Of blamed robots the fewest are meant, so that the last answer set counts.
BEST = ":~"


# These take clingo some seconds, such as to look for the fewest robots to blame.
SLOW = {"rabbits:small-displaced.log", "search-party:plans/map5.txt"}


def as_parameter(judged: Judged) -> ParameterSet:
    """Return the parameter of a test about a board or a record."""
    marks = [pytest.mark.slow] if judged.name in SLOW else []
    if judged.is_shared:
        marks.append(pytest.mark.shared)
    return pytest.param(judged, id=judged.name, marks=marks)


def run_clingo(program: str) -> list[Symbol]:
    """Return the atoms that plain clingo shows of a program, in its last answer set."""
    is_window = WINDOW in program
    mode = "--enum-mode=brave" if is_window else "--enum-mode=record"
    messages: list[str] = []

    def log(_: MessageCode, message: str) -> None:
        messages.append(message)

    control = Control(["--models=0", "--warn=no-atom-undefined", mode], logger=log)
    control.add("base", [], program)
    control.ground([("base", [])])
    shown: list[list[Symbol]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            shown.append(list(model.symbols(shown=True)))
    assert messages == []
    if not is_window and BEST not in program:
        assert len(shown) == 1, "the rules have to decide everything"
    return shown[-1]


def read_term(symbol: Symbol) -> Any:
    """Read a term as the JSON has it: yes and no are true and false, a tuple is a list."""
    if symbol.type == SymbolType.Number:
        return symbol.number
    if symbol.type == SymbolType.String:
        return symbol.string
    if not symbol.name:
        return [read_term(argument) for argument in symbol.arguments]
    return {"yes": True, "no": False}.get(symbol.name, symbol.name)


def rows(atoms: Iterable[Symbol], name: str, arity: int) -> list[list[Any]]:
    """Return the arguments of the atoms of a predicate, sorted."""
    found = (atom for atom in atoms if atom.match(name, arity))
    read = [[read_term(argument) for argument in atom.arguments] for atom in found]
    return sorted(read, key=str)


def list_programs(judged: Judged) -> list[str]:
    """Return all programs that are asked about a record, as ``facts --part K`` prints them."""
    heard: list[Asked] = []
    texts = [(str(path), path.read_text()) for path in judged.files]
    game = list_games()[judged.game]
    game.type.check(GameRules(game.folder, listener=heard.append), texts)
    return [str(asked) for asked in heard]


def print_program(judged: Judged) -> str:
    """Return the program that ``facts`` prints where no part is named."""
    ran = run("facts", "--program", *judged.files)
    assert ran.status == 0, ran.err
    return ran.out


@dataclass(frozen=True, slots=True)
class PlainVerdict:
    """What plain clingo says of a board or a record.

    Attributes:
        atoms: The atoms that it shows.
        saved_range: How many rabbits the explanations of a run log save, at least and at most;
            None of what is no run log.
    """

    atoms: list[Symbol]
    saved_range: list[int] | None = None


def judge(judged: Judged) -> PlainVerdict:
    """Let plain clingo judge a board or a record."""
    if judged.files[-1].suffix == ".log":
        return judge_log(list_programs(judged))
    return PlainVerdict(run_clingo(print_program(judged)))


def judge_log(programs: list[str]) -> PlainVerdict:
    """Let plain clingo judge the windows of a run log, and its sums, which come last."""
    *windows, sums = programs
    atoms = run_clingo(sums)
    least = most = 0
    for window in windows:
        found = run_clingo(window)
        atoms += [atom for atom in found if atom.match("violation", 4)]
        numbers = defaultdict[int, list[int]](list)
        for number, turn in rows(found, "saves", 2):
            numbers[turn].append(number)
        least += sum(map(min, numbers.values()))
        most += sum(map(max, numbers.values()))
    return PlainVerdict(atoms, [least, most])


def print_verdict(judged: Judged) -> dict[str, Any]:
    """Return what kb-score prints as JSON."""
    ran = run(*judged.verdict_command)
    assert ran.status in (0, 1), ran.err
    (verdict,) = ran.json
    assert isinstance(verdict, dict)
    return verdict


def test_no_board_and_no_record_is_left_out() -> None:
    used = {path for judged in JUDGED for path in judged.files}

    assert list_texts() - UNREADABLE == {path for path in used if SHARED not in path.parents}
    assert len({judged.name for judged in JUDGED}) == len(JUDGED)


@pytest.mark.parametrize("judged", [as_parameter(each) for each in JUDGED if each.is_board])
def test_plain_clingo_scores_a_board_as_score_does(judged: Judged) -> None:
    printed = print_verdict(judged)

    atoms = judge(judged).atoms

    gold = {
        card: {player: paid for name, player, paid in rows(atoms, "score", 3) if name == card}
        for card in printed["gold"]
    }
    assert {name for name, _, _ in rows(atoms, "score", 3)} == printed["gold"].keys()
    assert gold == {
        card: dict(zip(printed["players"], paid, strict=True))
        for card, paid in printed["gold"].items()
    }
    codes = [code for code, _ in rows(atoms, "violation", 2)]
    assert codes == sorted(found["code"] for found in printed["violations"])


@pytest.mark.parametrize("judged", [as_parameter(each) for each in JUDGED if not each.is_board])
def test_plain_clingo_judges_a_record_as_check_does(judged: Judged) -> None:
    printed = print_verdict(judged)

    plain = judge(judged)

    result = dict(rows(plain.atoms, "result", 2))
    if plain.saved_range is not None:
        result["saved_range"] = plain.saved_range
    # Of a key that the rules leave out the JSON says null.
    assert result == {k: value for k, value in printed["result"].items() if k in result}
    assert [value for k, value in printed["result"].items() if k not in result and value] == []
    assert list_violations(plain.atoms) == sorted(
        ([found["turn"], found["code"]] for found in printed["violations"]), key=str
    )


def list_violations(atoms: Iterable[Symbol]) -> list[list[Any]]:
    """Return turn and code of each violation, sorted; of a claim that is wrong there is no turn."""
    atoms = list(atoms)
    turn_of = dict(rows(atoms, "turn_of", 2))
    violations = rows(atoms, "violation", 4)
    if turn_of:
        # The step after the last one belongs to the next turn.
        turn_of |= {0: 0, max(turn_of) + 1: max(turn_of.values()) + 1}
    turns = [[turn_of.get(turn, turn), code] for turn, code, _, _ in violations]
    claims = [[None, "wrong-claim"] for _ in rows(atoms, "wrong", 4)]
    return sorted([*turns, *claims], key=str)
