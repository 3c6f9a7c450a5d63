"""Games of Kingdom Builder as text: what `kb_score.games.kingdom_builder.play.reader` reads."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from kb_score.engine.run import NO_CHANGES, Changes
from kb_score.errors import visible
from kb_score.games.kingdom_builder.play.game import Game, Hex, Line, Part


def write_headings(game: Game, quadrants: Sequence[str], changes: Changes = NO_CHANGES) -> str:
    """Write the headings of a game, on a board of quadrants such as ``farm/180``.

    Whoever checks it needs the changes of the rules that it is played by: a comment tells them.
    """
    lines = [f"% check with {visible(shlex.join(changes.words()))}"] if changes.words() else []
    lines.append(f"board {' '.join(quadrants)}")
    if game.cards:
        lines.append(f"cards {' '.join(game.cards)}")
    lines += [f"players {game.players}", f"start {game.start}"]
    lines += [f"nomad {write_hex(place)} {_hyphen(tile)}" for place, tile in game.nomads]
    return "".join(f"{line}\n" for line in lines)


def write_line(player: int, line: Line) -> str:
    """Write the turn of a player as a line."""
    return f"{player} {'/'.join(line.terrains)}: {write_parts(line.parts)}".rstrip() + "\n"


def write_parts(parts: Iterable[Part]) -> str:
    """Write actions: ``4,11 4,12; farm 6,12``."""
    return "; ".join(map(write_part, parts))


def write_part(part: Part) -> str:
    """Write an action: ``barn 3,15>4,2``."""
    return " ".join(_write_words(part))


def write_hex(place: Hex) -> str:
    """Write a hex: ``4,11``."""
    return "{},{}".format(*place)


def _write_words(part: Part) -> Iterator[str]:
    if part.name != "mandatory":
        yield _hyphen(part.name)
    for start, place in part.targets:
        yield write_hex(place) if start is None else f"{write_hex(start)}>{write_hex(place)}"


def _hyphen(name: str) -> str:
    return name.replace("_", "-")
