"""Whole games of Horror Movie Search Party: random maps, bots to play them, records to tell them.

A game is a list of turns, each of them the moves of that turn; every bot plays by the rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from random import Random
from string import ascii_lowercase, ascii_uppercase

from tests.oracles.search_party import (
    OBSTACLE,
    STAR,
    STEPS,
    UNSEARCHED,
    Game,
    Map,
    Moves,
    write_moves,
)

STAND = "5"


def safe_game(map_: Map, rng: Random) -> list[dict[str, str]]:
    """Search all of a map without a loss.

    The cast splits into groups in which everybody is safe; a group moves in unison to the nearest
    unsearched cell.

    Source: the idea of the Ruby answer "Safety First + BFS + Randomness" to the challenge.
    """
    return _explore(map_, rng, _safe_groups(map_), None)


def reckless_game(map_: Map, rng: Random, max_turns: int) -> list[dict[str, str]]:
    """Search with everybody on their own, so that most of them die; stop after ``max_turns``."""
    return _explore(map_, rng, map_.cast, max_turns)


def random_game(map_: Map, rng: Random, turns: int) -> list[dict[str, str]]:
    """Walk about at random until ``turns`` are played or all is searched.

    People are listed in any order, stand still or are left out.
    """
    game = Game(map_)
    played: list[dict[str, str]] = []
    while not game.finished and len(played) < turns:
        moves: dict[str, str] = {}
        for who in rng.sample(list(game.cells), rng.randint(0, len(game.cells))):
            here = game.cells[who]
            moves[who] = rng.choice(
                [digit for digit, step in game.steps.items() if game.board[here + step] != OBSTACLE]
            )
        game.step(moves)
        played.append(moves)
    return played


def _safe_groups(map_: Map) -> list[str]:
    """Split the cast so that nobody dies who stays with the group; the star may be on its own."""
    pairs = min(map_.costars, map_.extras)
    costars = ascii_uppercase[: map_.costars]
    extras = ascii_lowercase[: map_.extras]
    groups = [costar + extra for costar, extra in zip(costars, extras, strict=False)]
    # Only one of these has anybody left: two costars are safe together, and three extras are.
    groups += [costars[at : at + 2] for at in range(pairs, map_.costars, 2)]
    groups += [extras[at : at + 3] for at in range(pairs, map_.extras, 3)]
    too_small = groups and len(groups[-1]) < (3 if map_.extras > pairs else 2)
    if too_small:
        groups[-1] += STAR
    else:
        groups.append(STAR)
    return groups


def _explore(
    map_: Map, rng: Random, groups: Collection[str], max_turns: int | None
) -> list[dict[str, str]]:
    """Send each group, for as long as it lives, to one nearest unsearched cell after the other."""
    game = Game(map_)
    played: list[dict[str, str]] = []
    routes: dict[str, list[tuple[str, int]]] = {}
    while not game.finished and (max_turns is None or len(played) < max_turns):
        moves: dict[str, str] = {}
        for group in groups:
            members = [who for who in group if who in game.cells]
            if not members:
                continue
            # The cell that was nearest when the group set out stays so until somebody sees it.
            route = routes.get(group)
            if not route or game.board[route[0][1]] != UNSEARCHED:
                route = routes[group] = _route(game, game.cells[members[0]], rng)
            digit, _ = route.pop()
            moves.update(dict.fromkeys(members, digit))
        game.step(moves)
        played.append(moves)
    return played


def _route(game: Game, begin: int, rng: Random) -> list[tuple[str, int]]:
    """Find a way to one of the nearest unsearched cells, of which there must be one.

    Returns:
        Direction and the cell it leads to, the last step first.
    """
    board = game.board
    # In random order, for groups that stand together should not all take the same way.
    steps = [(digit, step) for digit, step in game.steps.items() if step]
    rng.shuffle(steps)
    came: dict[int, tuple[str, int]] = {begin: (STAND, begin)}
    ring = [begin]
    goals: list[int] = []
    while not goals:
        ring, inner = [], ring
        for cell in inner:
            for digit, step in steps:
                beside = cell + step
                if board[beside] != OBSTACLE and beside not in came:
                    came[beside] = digit, cell
                    ring.append(beside)
        goals = [cell for cell in ring if board[cell] == UNSEARCHED]
    route: list[tuple[str, int]] = []
    cell = rng.choice(goals)
    while cell != begin:
        digit, before = came[cell]
        route.append((digit, cell))
        cell = before
    return route


def random_map(
    rng: Random, width: int, height: int, costars: int, extras: int, density: float
) -> Map:
    """Make a connected map with an obstacle on about ``density`` of its cells.

    Open cells outside the largest connected area become obstacles too; one cell is always open.
    """
    cells = [(x, y) for y in range(height) for x in range(width)]
    unclaimed = {cell for cell in cells if rng.random() >= density} or {rng.choice(cells)}
    largest: list[tuple[int, int]] = []
    # In the order of cells, not of the set, so that a seed means the same map everywhere.
    for cell in cells:
        if cell in unclaimed:
            largest = max(largest, _take_area(unclaimed, cell), key=len)
    start, area = rng.choice(largest), set(largest)
    rows = tuple(
        "".join("S" if (x, y) == start else "." if (x, y) in area else "#" for x in range(width))
        for y in range(height)
    )
    return Map(width, height, costars, extras, rows)


def _take_area(cells: set[tuple[int, int]], begin: tuple[int, int]) -> list[tuple[int, int]]:
    """Take from ``cells`` all those that king moves connect with ``begin``."""
    cells.discard(begin)
    area = [begin]
    for x, y in area:
        for dx, dy in STEPS.values():
            if (x + dx, y + dy) in cells:
                cells.discard((x + dx, y + dy))
                area.append((x + dx, y + dy))
    return area


def write_plan(map_: Map, turns: Sequence[Moves], *, claim: bool = True) -> str:
    """Write a plan: a line a turn and, with ``claim``, the result (even of an unfinished game).

    Raises:
        IllegalMove: A result is to be claimed and a turn is illegal.
    """
    lines = [write_moves(moves) for moves in turns]
    if claim:
        game = Game(map_)
        for moves in turns:
            game.step(moves)
        lines.append("{} {} {}".format(*game.result()))
    return "".join(line + "\n" for line in lines)


def write_stream(map_: Map, turns: Sequence[Moves]) -> str:
    """Write what the controller sends; a game that stops early ends with the block it stops at.

    Raises:
        IllegalMove: A turn is illegal.
    """
    return "".join(block for block, _ in _record(map_, turns))


def write_session(map_: Map, turns: Sequence[Moves]) -> str:
    """Write a stream with the line of moves after each block that has one.

    Raises:
        IllegalMove: A turn is illegal.
    """
    return "".join(block + answer for block, answer in _record(map_, turns))


def _record(map_: Map, turns: Sequence[Moves]) -> Iterator[tuple[str, str]]:
    """Yield what the controller says and, ``""`` at the end, what the bot answers."""
    game = Game(map_)
    for moves in turns:
        yield _block(game), write_moves(moves) + "\n"
        game.step(moves)
    yield _block(game), ""


def _block(game: Game) -> str:
    """What the controller says about a game as it stands."""
    if game.finished:
        turns, costars, extras = game.result()
        return f"Finished in {turns} turns\n{turns} {costars} {extras}\n"
    people = " ".join(f"{who}:{x},{y}" for who, (x, y) in game.alive.items())
    return "\n".join((f"Turn {game.turn + 1}", f"{people}.", *game.picture, "-" * 40, ""))
