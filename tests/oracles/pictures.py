"""What pictures have to show, from the plain versions of the rules: rows of symbols, and figures.

A figure is what stands beside the board under a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.oracles import rabbits, search_party, slime
from tests.oracles.rabbits_records import Retrace

COUNTS = ("collided", "crushed", "saved", "spawned", "squished")


class Picture(NamedTuple):
    """A board, and the figures beside it."""

    rows: tuple[str, ...]
    figures: dict[str, str]


def picture_slime(turns: Sequence[slime.Turn]) -> list[Picture]:
    """Picture the start of a game and the board after each turn."""
    return [
        Picture(turns[0].before, {}),
        *(Picture(t.after, {"last turn": f"player {t.player} {t.kind}"}) for t in turns),
    ]


def picture_party(map_: search_party.Map, turns: Sequence[search_party.Moves]) -> Iterator[Picture]:
    """Picture the start of a game and the board after each turn: who shares a cell hides others."""
    game = search_party.Game(map_)
    yield _picture_cast(game)
    for moves in turns:
        game.step(moves)
        yield _picture_cast(game)


def _picture_cast(game: search_party.Game) -> Picture:
    rows = [list(row) for row in game.picture]
    figures = {"searched": str(len(game.searched)), **dict.fromkeys(game.map.cast, "dead")}
    for who, (x, y) in reversed(game.alive.items()):
        rows[y][x] = who
        figures[who] = f"{x},{y}"
    return Picture(tuple(map("".join, rows)), figures)


class Watch:
    """Pictures runs of the rabbits as they are played, after the crushers' moves of each turn."""

    def __init__(self, policy: rabbits.Policy) -> None:
        self.policy = policy
        self.pictures: list[Picture] = []
        self.ended: list[rabbits.Run] = []
        self.latest: rabbits.Run | None = None

    def __call__(self, run: rabbits.Run) -> str:
        """Answer as the policy does, after a look at the run."""
        if self.latest not in (None, run):
            self.ended.append(self.latest)
        self.latest = run
        self.pictures.append(_picture_run(run, self.ended))
        return self.policy(run)


def _picture_run(run: rabbits.Run, before: Sequence[rabbits.Run] = ()) -> Picture:
    sums = {c: sum(getattr(one, c) for one in (*before, run)) for c in COUNTS}
    return Picture(tuple(run.frame().split("\n")), {c: str(n) for c, n in sums.items()})


def picture_session(station: rabbits.Map, session: str) -> Iterator[Picture]:
    """Picture a session of one run, as it says."""
    lines = [line for line in session.splitlines() if line and not line.startswith("score")]
    retrace = Retrace(station, collide_in_pairs=True)
    for at in range(0, len(lines), 4):
        *told, answer = lines[at : at + 4]
        retrace.turn(told)
        yield _picture_run(retrace.run)
        retrace.run.answer(answer)
