"""The commands ``check lights`` and ``play lights``."""

from kb_score.games.command import make_check
from kb_score.games.lights.check import check_files
from kb_score.games.lights.play import LightsGame
from kb_score.games.lights.records import FACTS_OF
from kb_score.games.lights.rules import GAME
from kb_score.games.referee import make_play

COMMANDS = {
    "check": make_check(GAME, check_files, FACTS_OF, help_="A record.", example="lights game.txt"),
    "play": make_play(
        GAME, LightsGame, FACTS_OF, timeout=10, help_="A bot.", example="lights map.txt -- ./bot"
    ),
}
