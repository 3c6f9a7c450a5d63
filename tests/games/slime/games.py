"""Games of Slime for tests: a short one, and those of the independent simulator."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.match import Match, MatchSetup
from kb_score.games.position import RulesPosition
from tests.helpers import run
from tests.oracles.slime import Style, Turn, random_game

GAME = GameFolder("slime").type
RULES = GameRules("slime")
STYLES: list[Style] = ["random", "greedy", "mixed", "long"]
# A whole game on 3 x 3: a spread that converts all, passes, a merge, a spread that fills.
SHORT = (
    "1,1.2,...,3.4\n0 0 1 1\n2,1.1,.1.,1.1\n0 2 1 2\n3,1.1,.1.,1.1\n\n4,1.1,.1.,1.1\n0 0 0 0\n"
    "1,1.1,.1.,1.1\n0 0 1 1\n2,.11,111,111\nno\n3,.11,111,111\nno\n4,.11,111,111\nno\n"
    "1,.11,111,111\n0 1 0 0\n"
)


def begin(size: int) -> Match:
    """Begin a match on a board of some rows and columns."""
    return GAME.new_match(RULES, MatchSetup(settings={"size": size}, players=4), Random(0))


def find_position(text: str, turn: int, player: int | None = None) -> tuple[str, RulesPosition]:
    """Find the board before a turn of a record, its rows joined by commas, and the position."""
    position = GAME.position(RULES, [("game", text)], turn, player=player)
    assert isinstance(position, RulesPosition)
    squares: list[Any] = sorted(position.facts["kept_holds"])
    rows: dict[int, str] = {}
    for (row, _), owner, _ in squares:
        rows[row] = rows.get(row, "") + ".1234"[owner]
    return ",".join(rows.values()), position


def check(text: str, *options: object) -> dict[str, Any]:
    """Check a record; return the verdict."""
    ran = run("check", "slime", "-", "--format", "json", *options, given=text)
    verdict: dict[str, Any] = ran.json[0]
    assert ran.status == (0 if verdict["consistent"] else 1)
    return verdict


@st.composite
def games(draw: st.DrawFn) -> list[Turn]:
    """Draw a game of up to 60 turns."""
    size = draw(st.integers(3, 9))
    style = draw(st.sampled_from(STYLES))
    return random_game(Random(draw(st.integers(0, 10**6))), size, 60, style)
