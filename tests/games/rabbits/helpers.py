"""What the tests of rabbits and crusher-bots share: records written to files, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.helpers import ROOT, run

BOARDS = ROOT / "boards" / "rabbits"

MAP = """\
; a crusher in a room of its own
#########
#s     e#
#########
#c      #
#########
"""
# From 1,3 only the way east is free, whatever the crusher's heading.
SESSION = """\
turnsleft 3
crusher 1,3 movesto 2,3
rabbits 1,1
move 1,1 to 2,1
turnsleft 2
crusher 2,3 movesto 3,3
rabbits 1,1 2,1
move 2,1 to 3,1; 1,1 to 2,1
turnsleft 1
crusher 3,3 movesto 4,3
rabbits 1,1 2,1 3,1
move
score 0
"""
# In a run log the crusher is in a hall of its own, where it can only walk round.
HALL = """\
##########
#s      e#
##########
#c       #
# ###### #
#        #
##########
"""
GOOD = ("o1,1 X1,3", "o1,1 o2,1 X2,3", "o1,1 o2,1 o3,1 X3,3")


def check(folder: Path, station: str, record: str) -> dict[str, Any]:
    """Check a record; return its verdict."""
    paths = folder / "station.map", folder / "record.txt"
    for path, text in zip(paths, (station, record), strict=True):
        path.write_text(text)
    ran = run("check", "rabbits", *paths, "--format", "json")
    (answer,) = ran.json
    assert isinstance(answer, dict)
    assert ran.status == (0 if answer["consistent"] else 1)
    return answer


def log(*frames: str, total: int = 0, station: str = HALL) -> str:
    """Write a run log; a frame is told by its changes: ``o1,1 X1,3``."""
    head = f"Running: controller.py station.map {len(frames)} 1 1 python bot.py\n"
    body = "".join(f"{draw_frame(station, frame)}\n\n\n" for frame in frames)
    return f"{head}{body}Total Score: {total}\n"


def draw_frame(station: str, frame: str) -> str:
    """Draw a frame."""
    rows = [list(row) for row in station.splitlines()]
    for robot in frame.split():
        x, y = robot[1:].split(",")
        rows[int(y)][int(x)] = robot[0]
    return "\n".join("".join(row) for row in rows)
