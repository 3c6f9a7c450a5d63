"""Slime: a session checked, and frames explained.

Run: ``python -m benchmarks.slime``.

The rules of one turn are lifted to all turns of a record, so that one grounding covers them.
"""

from random import Random

from benchmarks.measure import Row, best_of, print_rows
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from tests.oracles.slime import explanations, random_game
from tests.oracles.slime_records import check_session as check_in_plain_python
from tests.oracles.slime_records import write_frames, write_session

GAME = GameFolder("slime").type
_RULES = GameRules("slime")


def _check(text: str, first: int | None = None) -> None:
    assert GAME.check(_RULES, [("record", text)], first=first).consistent


def main() -> None:
    """Print the table."""
    game = random_game(Random(1), style="long")
    session = write_session(game)
    mixed = random_game(Random(3), 8, 60, "mixed")
    frame = write_frames(random_game(Random(1), style="greedy")[60:61])
    frames = write_frames(mixed)

    def explain_in_plain_python() -> None:
        for turn in mixed:
            explanations(turn.before, turn.after, turn.player)

    ours = best_of(lambda: _check(session))
    theirs = best_of(lambda: check_in_plain_python(session))
    speed = f"{len(game) / ours:,.0f} turns/s"
    one = best_of(lambda: _check(frame, first=1))
    many = best_of(lambda: _check(frames))
    rows = [
        Row("check a session of 2000 turns", ours, theirs, "ratio of 45 at most", speed),
        Row("find the move of one frame", one, None, "10 ms at most"),
        Row("find the moves of 60 frames", many, best_of(explain_in_plain_python)),
    ]
    print_rows("Slime (compared with: the plain-Python simulator)", rows)


if __name__ == "__main__":
    main()
