"""Slime, the territory war: records checked, bots refereed, tournaments held."""

from __future__ import annotations

from kb_score.games.slime.check import check
from kb_score.games.slime.facts import FACTS_OF, read_facts, recognises
from kb_score.games.slime.play import play
from kb_score.games.slime.tournament import tournament

COMMANDS = {"check": check, "play": play, "tournament": tournament}

__all__ = ["COMMANDS", "FACTS_OF", "read_facts", "recognises"]
