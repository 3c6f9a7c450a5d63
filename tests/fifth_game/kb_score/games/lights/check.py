"""A record of Lights against the rules."""

from kb_score.engine.run import GameRules
from kb_score.games.dialect import judge
from kb_score.games.lights.records import read_facts
from kb_score.games.lights.rules import CHECK, GAME
from kb_score.shell.verdict import Verdict


def check_files(rules: GameRules, *files: tuple[str, str]) -> Verdict:
    """Check a record, its name and its text."""
    ((name, text),) = files
    answer = rules.ask(CHECK, read_facts(text, name))
    caption = "after turn {turn}, as the rules derive it:"
    return judge(GAME, name, answer, "turns", "lights", "finished", caption=caption)
