"""Slime: a session checked, a frame explained, a turn refereed, games of a tournament."""

import sys
import time
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from click.testing import CliRunner

from benchmarks.measure import Row, best_of, print_rows
from kb_score.arena.players import BotCommand
from kb_score.arena.referee import Listener, referee
from kb_score.cli import main as kb_score
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.game import Clock, MatchSetup
from tests.oracles.slime import explanations, random_game
from tests.oracles.slime_records import check_session as check_in_plain_python
from tests.oracles.slime_records import write_frames, write_session

GAME = GameFolder("slime").type
_RULES = GameRules("slime")
_BOT = "printf '0 0 1 1\\n' #"  # the shell itself answers: no bot starts faster
_TURNS = 200
_COMMAND = BotCommand("printf", _BOT, Clock(0.1, grace=5, kill=2))


def _check(text: str, first: int | None = None) -> None:
    assert GAME.check(_RULES, [("record", text)], first=first).consistent


def _run_bot(turns: int) -> float:
    player = _COMMAND.open(GAME)
    start = time.perf_counter()
    for _ in range(turns):
        player.ask("1," + ",".join(["........"] * 8))
    return (time.perf_counter() - start) / turns


def _play(turns: int) -> float:
    rules = GameRules("slime", Changes((), (("last_turn", str(turns)),)))
    start = time.perf_counter()
    match = GAME.arena.new_match(rules, MatchSetup(settings={"size": 8}, players=4), Random(0))
    referee(GAME, match, [_COMMAND.open(GAME)] * 4, None, Listener(lambda _: None))
    return (time.perf_counter() - start) / turns


def _hold_tournament(games: int, turns: int) -> float:
    """Return the seconds a turn of a tournament of six of these bots."""
    with TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        bots = Path(folder) / "bots.toml"
        bots.write_text(
            "".join(f'[[bot]]\nname = "{i}"\ncommand = """{_BOT}"""\n' for i in range(6))
        )
        options = ["--const", f"last_turn={turns}", "--jobs", "1"]
        start = time.perf_counter()
        result = CliRunner().invoke(kb_score, ["tournament", "slime", str(bots), *options])
        assert result.exit_code == 0
        return (time.perf_counter() - start) / (games * turns)


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

    def both() -> tuple[float, float]:
        return best_of(lambda: _check(session)), best_of(lambda: check_in_plain_python(session))

    ours, theirs = both()
    # In turns, so that a busy moment of the machine does not hit one of them alone.
    runs = [(_run_bot(_TURNS), _play(_TURNS), _hold_tournament(15, 20)) for _ in range(4)]
    bot, played, held = (min(times) for times in zip(*runs, strict=True))
    referee, tournament = played - bot, held - bot
    rows = [
        Row(
            "check a session of 2000 turns", ours, theirs, "ratio of 45 at most",
            f"{len(game) / ours:,.0f} turns/s",
        ),
        Row(
            "find the move of one frame",
            best_of(lambda: _check(frame, first=1)),
            None,
            "10 ms at most",
        ),
        Row(
            "find the moves of 60 frames",
            best_of(lambda: _check(frames)),
            best_of(explain_in_plain_python),
        ),
        Row("referee a turn, beyond the bot's run", referee, bot, "5 ms at most"),
        Row(
            "a turn of a tournament, beyond the bot's run", tournament, bot, "",
            f"{1 / (tournament * 120):.1f} games/s of 120 turns",
        ),
    ]  # fmt: skip
    print_rows("Slime (compared with: the plain-Python simulator; a bot's run)", rows)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
