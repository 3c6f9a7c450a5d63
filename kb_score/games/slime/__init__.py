"""Slime, the territory war: records checked, bots refereed, tournaments held."""

from __future__ import annotations

from kb_score.games.slime.check import check
from kb_score.games.slime.play import play
from kb_score.games.slime.read import read_facts, recognises

COMMANDS = {"check": check, "play": play}

__all__ = ["COMMANDS", "read_facts", "recognises"]
