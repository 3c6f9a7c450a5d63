"""Random changes to games of Kingdom Builder, most of which make them illegal."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.records import (
    Action,
    ActionTarget,
    GameRecord,
    Line,
    write_headings,
    write_line,
)

_KINDS = ("hex", "drop", "short", "tile", "card", "player", "order", "twice", "more")
_TERRAINS = ("grass", "canyon", "desert", "flower", "forest")


def write(game: GameRecord, rules: GameRules) -> str:
    """Return a game as a record without a claim, remarks and comments."""
    headings = write_headings(game, rules).splitlines(keepends=True)
    kept = [line for line in headings if not line.startswith("%")]
    lines = [write_line(line.player or 0, line) for line in game.lines]
    return "".join([*kept, *lines])


def change(game: GameRecord, tiles: list[str], random: Random) -> GameRecord:
    """Return the beginning of a game with some of its last turns changed."""
    lines = list(game.lines[: random.randint(1, len(game.lines))])
    for _ in range(random.randint(1, 2)):
        number = random.randrange(max(0, len(lines) - 4), len(lines))
        lines[number] = _change_line(lines, number, game.players, tiles, random)
    return replace(game, lines=tuple(lines), claimed=None)


def _change_line(
    lines: list[Line], number: int, players: int, tiles: list[str], random: Random
) -> Line:
    line = lines[number]
    actions = list(line.actions)
    kind = random.choice(
        ("hex", "drop", "short", "tile", "card", "player", "order", "twice", "more")
    )
    if kind == "card":
        kept = line.terrains[random.randrange(2) :]
        return replace(line, terrains=(random.choice(_TERRAINS), *kept))
    if kind == "player":
        return replace(line, player=random.randint(1, players))
    if kind == "tile":
        place = random.randint(0, len(actions))
        actions.insert(place, _use_tile(lines[: number + 1], random.choice(tiles), random))
    elif kind == "order":
        random.shuffle(actions)
    elif actions:
        place = random.randrange(len(actions))
        actions[place : place + 1] = _change_action(actions[place], kind, random)
    return replace(line, actions=tuple(actions))


def _change_action(action: Action, kind: str, random: Random) -> list[Action]:
    targets = list(action.targets)
    if kind == "drop":
        return []
    if kind == "twice":
        return [action, action]
    if kind == "short" and len(targets) > 1:
        targets.pop()
    elif kind == "more" and targets:
        targets.append(random.choice(targets))
    elif kind == "hex" and targets:
        number = random.randrange(len(targets))
        targets[number] = targets[number]._replace(place=_near(targets[number].place, random))
    return [replace(action, targets=tuple(targets))]


def _use_tile(lines: list[Line], tile: str, random: Random) -> Action:
    """Return an action of a tile, often near settlements of the player."""
    own = []
    for line in lines:
        if line.player == lines[-1].player:
            own += [target.place for action in line.actions for target in action.targets]
    place = (random.randrange(20), random.randrange(20))
    start = None
    if own and random.random() < 0.5:
        place = _near(random.choice(own), random)
    if own and random.random() < 0.5:
        start = random.choice(own)
    targets = (ActionTarget(start, place),) if random.random() < 0.8 else ()
    return Action(tile, targets)


def _near(place: tuple[int, int], random: Random) -> tuple[int, int]:
    row, column = place
    return max(0, row + random.randint(-1, 1)), max(0, column + random.randint(-1, 1))
