"""Horror Movie Search Party: maps, records and live play around ``asp/search_party``."""

from __future__ import annotations

from kb_score.games.search_party.commands import COMMANDS
from kb_score.games.search_party.facts import FACTS_OF, read_facts, recognises

__all__ = ["COMMANDS", "FACTS_OF", "read_facts", "recognises"]
