"""Contests: many bots or many records, and who comes first.

The command ``contest`` is of any game whose `kb_score.games.game.Game` has figures to compare.
The modules ``tournament`` and ``rank`` each add a verb to one game, which `kb_score.cli` names.
"""
