"""Plays games of Kingdom Builder by rules of single steps, to compare them with those of turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from clingo import Control, Number, Symbol
from clingo.ast import ASTType

from kb_score.engine.program import Program, parse_program, read_program
from kb_score.engine.state import list_states
from kb_score.engine.terms import Facts, Name, Row, read_rows, to_value, write_facts
from kb_score.games.kingdom_builder.records import Action, GameRecord, Line
from kb_score.games.schema import IllegalRow, write_sentence
from kb_score.resources import find_folder

_HERE = Path(__file__).parent
_FACTS = {"tile", "ground", "close", "shaped", "fewest", "frees", "copies", "donation", "deed"}
# The facts of a game that its steps begin with.
_BEGINNING = (
    "terrain",
    "land",
    "yields",
    "nomad",
    "players",
    "starter",
    "size",
    "lies_on",
    "chosen",
)


class Outcome(NamedTuple):
    """What rules say of a game: the first turn that is illegal, 0 for none, and why."""

    turn: int
    code: str
    who: str
    detail: str
    turns: int
    finished: bool
    gold: list[int]


@dataclass(frozen=True)
class Step:
    """A step of a turn: its facts without the step."""

    turn: int
    given: Facts
    ends_turn: bool = False


def _take(files: str) -> str:
    """Return the facts of rule files that do not depend on moments, and their constants."""
    paths = sorted((find_folder("asp") / "kingdom_builder").glob(files))
    kept = []
    for statement in read_program(paths).statements:
        heads = {name for name, _ in statement.heads}
        if statement.kind == ASTType.Definition or (heads and heads <= _FACTS):
            kept.append(statement.text)
    return "\n".join(kept)


def load(constants: Mapping[str, Any]) -> Program:
    """Return the rules of single steps with the values of some rulings."""
    asp = find_folder("asp")
    whole = [
        *(asp / "kingdom_builder" / name for name in ("board.lp", "notation.lp", "score.lp")),
        asp / "kingdom_builder" / "rules" / "total.lp",
        *sorted((asp / "kingdom_builder" / "cards").glob("*.lp")),
        asp / "kingdom_builder" / "queenies" / "capitol.lp",
        asp / "common" / "record.lp",
        *sorted(_HERE.glob("*.lp")),
    ]
    text = "\n".join(
        [
            *(_take(files) for files in ("tiles/*.lp", "queenies/caves.lp", "deeds/*.lp")),
            *(f"{path.read_text(encoding='utf-8')}\n#program base." for path in whole),
            "board_hex((R,C)) :- terrain(_,R,C). made_of((R,C),K) :- terrain(K,R,C).",
        ]
    )
    lines = []
    for line in text.splitlines():
        for name, value in constants.items():
            if line.startswith(f"#const {name}"):
                line = f"#const {name} = {value}."
        lines.append(line)
    return parse_program("\n".join(lines))


def list_steps(lines: Sequence[Line]) -> Iterator[Step]:
    """Yield the steps of turns."""
    for turn, line in enumerate(lines, start=1):
        for number, terrain in enumerate(line.terrains):
            given: dict[str, Any] = {"shows": [(Name(terrain),)]}
            if line.player is not None and not number:
                given["said"] = [(line.player,)]
            yield Step(turn, given)
        for action in line.actions:
            yield from list_action(turn, action)
        yield Step(turn, {"done": [()]}, ends_turn=True)


def list_action(turn: int, action: Action) -> Iterator[Step]:
    """Yield the steps of an action."""
    is_tile = action.name != "mandatory"
    if not action.targets:
        yield Step(turn, {"uses_tile": [(Name(action.name),)]})
    for number, target in enumerate(action.targets):
        given: dict[str, Any] = {"on": [(target.place,)]}
        if target.start is not None:
            given["from"] = [(target.start,)]
        if is_tile and number:
            given["continues"] = [()]
        elif is_tile:
            given["uses_tile"] = [(Name(action.name),)]
        yield Step(turn, given)


@dataclass(frozen=True)
class Played:
    """What the rules say about each step of a game; steps count from 1, and a list may be empty.

    Attributes:
        illegal: What is wrong, by step.
        terminal: The steps with which the game ends.
        begin: What may begin before a step: the name of an action, and where it leads.
        further: How the action of the step before may go on.
        ends: The steps before which the turn may end.
        gold: The gold of each player at the end of the last legal turn.
    """

    illegal: Mapping[int, list[IllegalRow]]
    terminal: set[int]
    begin: Mapping[int, set[tuple[str, ...]]]
    further: Mapping[int, set[tuple[str, ...]]]
    ends: set[int]
    gold: dict[int, int]


def play(program: Program, game: GameRecord, *, lists: bool = False) -> Played:
    """Play the steps of a game in one grounding, and list what is legal before each if asked to."""
    facts = dict(replace(game, lines=(), claimed=None).facts)
    given: dict[str, list[Row]] = {name: list(facts[name]) for name in _BEGINNING}
    steps = list(list_steps(game.lines))
    for number, step in enumerate(steps, start=1):
        for name, rows in {**step.given, "step": [(step.turn,)], "turn": [()]}.items():
            given.setdefault(name, []).extend((*row, number) for row in rows)
    looking = [rule for state in list_states(program) for rule in state.look_back()]
    control = Control(["--warn=none"])
    control.add("base", [], "\n".join(statement.text for statement in program.statements))
    control.add("back", ["t"], "\n".join(looking))
    control.add("base", [], write_facts(given))
    parts = ["back", "open", "ways", "step"]
    if lists:
        parts.append("legal")
    numbers = range(1, len(steps) + 1)
    grounded = [(part, [Number(number)]) for number in numbers for part in parts]
    control.ground([("base", []), *grounded])
    played = Played(defaultdict(list), set(), defaultdict(set), defaultdict(set), set(), {})
    for atom in control.symbolic_atoms:
        _read(atom.symbol, played)
    return played


def _read(atom: Symbol, played: Played) -> None:
    """Add what an atom says about a step, if it says something."""
    arguments = atom.arguments
    match atom.name:
        case "illegal":
            (row,) = read_rows(IllegalRow, [tuple(map(to_value, arguments))])
            played.illegal[row.turn].append(row)
        case "terminal":
            played.terminal.add(arguments[0].number)
        case "can":
            played.begin[arguments[-1].number].add(tuple(map(str, arguments[:-1])))
        case "can_go_on":
            played.further[arguments[-1].number].add(tuple(map(str, arguments[:-1])))
        case "can_end":
            played.ends.add(arguments[0].number)
        case "total":
            played.gold[arguments[0].number] = arguments[1].number


def judge(program: Program, game: GameRecord) -> Outcome:
    """Judge a game step by step."""
    played = play(program, game)
    gold = [gold for _, gold in sorted(played.gold.items())]
    turns = 0
    finished = False
    for number, step in enumerate(list_steps(game.lines), start=1):
        for row in played.illegal[number]:
            detail = write_sentence(row.detail)
            return Outcome(step.turn, row.code, str(row.who), detail, turns, finished, gold)
        if step.ends_turn:
            turns += 1
            finished = number in played.terminal
    return Outcome(0, "", "", "", turns, finished, gold)
