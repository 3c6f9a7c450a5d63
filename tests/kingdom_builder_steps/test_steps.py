"""Kingdom Builder step by step means what the rules of whole turns mean, for records and lists."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.program import parse_program
from kb_score.engine.rules import GameRules
from kb_score.engine.scan import Signature
from kb_score.engine.state import list_states
from kb_score.games.kingdom_builder.check import check_game
from kb_score.games.kingdom_builder.position import find_in_game
from kb_score.games.kingdom_builder.records import Action, GameRecord, load_names, read_game
from tests.helpers import ROOT, run
from tests.kingdom_builder_steps import changed, steps

GAMES = sorted((ROOT / "boards" / "kingdom_builder" / "games").glob("*.txt"))
RULINGS = {
    "no_hex": ["stop"],
    "tiles_between": ["1"],
    "buildable_nomad": ["1"],
    "move_lift": ["0"],
    "vacated": ["0"],
    "tile_again": ["1"],
    "tile_loss": ["end_of_turn"],
    "twin_tile": ["exact"],
    "sword_takes": ["each"],
    "tiles_on_hex": ["1", "3"],
    "mandatory_settlements": ["2", "4"],
    "most_settlements": ["12", "20"],
    "most_walls": ["1"],
}
FEW, MANY = range(6), range(6, 40)
each_seed = pytest.mark.parametrize(
    "seed", [*FEW, *(pytest.param(seed, marks=pytest.mark.slow) for seed in MANY)]
)


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Games of the documents, and random ones for one to five players, some with caves."""
    folder = tmp_path_factory.mktemp("games")
    for players in range(1, 6):
        more = ["--queenies", "caves"] if players % 2 else []
        words = ["--players", players, "--seed", 10 * players, "--games", 2, "-o", folder]
        ran = run("playouts", "kingdom-builder", *words, *more)
        assert ran.status == 0, ran.err
    return [*GAMES, *sorted(folder.iterdir())]


def draw_rulings(random: Random, most: int) -> Changes:
    """Return the values of up to some rulings; most are often the default."""
    chosen = random.sample(sorted(RULINGS), random.randint(0, most))
    return Changes(constants=tuple((name, random.choice(RULINGS[name])) for name in chosen))


@each_seed
def test_a_changed_game_is_judged_as_by_the_rules_of_whole_turns(
    seed: int, games: list[Path]
) -> None:
    random = Random(seed)
    rules = GameRules("kingdom_builder", draw_rulings(random, 2))
    names = load_names(rules)
    path = random.choice(games)
    game = read_game(path.read_text(), names, name=path.name)
    text = changed.write(changed.change(game, sorted(names.tiles), random), rules)

    verdict = check_game(text, rules, name="game")
    found = steps.judge(steps.load(dict(rules.changes.constants)), read_game(text, names))

    expected = [(one.turn, one.code, str(one.who), one.detail) for one in verdict.violations]
    assert [(found.turn, found.code, found.who, found.detail)] == (expected or [(0, "", "", "")])
    assert (found.turns, found.finished) == (verdict.result["turns"], verdict.result["finished"])
    assert found.gold == list(verdict.result["gold"])


@each_seed
def test_what_is_legal_is_listed_as_by_the_rules_of_whole_turns(
    seed: int, games: list[Path]
) -> None:
    random = Random(seed)
    rules = GameRules("kingdom_builder", draw_rulings(random, 1))
    names = load_names(rules)
    path = random.choice([path for path in games if path.name != "broken.txt"])
    game = read_game(path.read_text(), names, name=path.name)
    if check_game(changed.write(game, rules), rules, name="game").violations:
        rules = GameRules("kingdom_builder")
    turn = random.randint(1, len(game.lines))
    part = _begin_turn(game, turn, random)

    choices = find_in_game(rules, game, turn).after(part.lines[-1].actions).choices()
    played = steps.play(steps.load(dict(rules.changes.constants)), part, lists=True)
    last = sum(1 for _ in steps.list_steps(part.lines))

    assert not any(played.illegal[step] for step in range(1, last))
    assert played.begin[last] == set(map(_write, choices.moves))
    assert played.further[last] == set(map(_write, choices.further))
    may_end = not check_game(changed.write(part, rules), rules, name="game").violations
    assert (last in played.ends) == may_end


def _begin_turn(game: GameRecord, turn: int, random: Random) -> GameRecord:
    """Return a game up to a random step of a turn."""
    line = game.lines[turn - 1]
    number = random.randint(0, len(line.actions))
    actions = [replace(action, notes=()) for action in line.actions[:number]]
    if number < len(line.actions):
        begun = line.actions[number]
        targets = begun.targets[: random.randint(0, max(0, len(begun.targets) - 1))]
        if targets:
            actions.append(replace(begun, targets=targets, notes=()))
    now = replace(line, actions=tuple(actions))
    return replace(game, lines=(*game.lines[: turn - 1], now), claimed=None)


def _write(action: Action) -> tuple[str, str, str]:
    """Return the last target of an action as a list of the rules has it."""
    if not action.targets:
        return action.name, "none", "none"
    target = action.targets[-1]
    row, column = target.place
    start = "none"
    if target.start is not None:
        start = "({},{})".format(*target.start)
    return action.name, start, f"({row},{column})"


def test_no_predicate_depends_on_itself_through_negation() -> None:
    """So the grounder alone works out a whole game at once."""
    program = steps.load({})
    looking = [rule for state in list_states(program) for rule in state.look_back()]
    program += parse_program("\n".join(["#program back(t).", *looking]))
    needs = defaultdict[Signature, set[Signature]](set)
    negated = set[tuple[Signature, Signature]]()
    for statement in program.statements:
        for head in statement.heads:
            for atom in statement.atoms:
                if not atom.in_head:
                    needs[head].add(atom.signature)
                    if atom.sign or not atom.is_alone:
                        negated.add((head, atom.signature))

    def reaches(start: Signature) -> set[Signature]:
        known = set[Signature]()
        waiting = [start]
        while waiting:
            for other in needs[waiting.pop()] - known:
                known.add(other)
                waiting.append(other)
        return known

    assert [(head, body) for head, body in negated if head in reaches(body)] == []
