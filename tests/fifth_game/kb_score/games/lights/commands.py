"""The commands ``check lights`` and ``play lights``."""

from kb_score.games.command import make_check
from kb_score.games.lights.check import check_files
from kb_score.games.lights.play import LightsGame
from kb_score.games.lights.rules import GAME
from kb_score.games.referee import make_play

COMMANDS = {
    "check": make_check(GAME, check_files, "RECORD", help_="A record.", example="lights game.txt"),
    "play": make_play(
        GAME,
        LightsGame,
        timeout=10,
        help_="A bot that presses cells.",
        example="lights map.txt -- python3 bot.py",
    ),
}
