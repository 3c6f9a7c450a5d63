"""Rabbits and crusher-bots: sessions, run logs and score tables checked, programs refereed live."""

from kb_score.games.rabbits.commands import COMMANDS
from kb_score.games.rabbits.facts import FACTS_OF, read_facts, recognises

__all__ = ["COMMANDS", "FACTS_OF", "read_facts", "recognises"]
