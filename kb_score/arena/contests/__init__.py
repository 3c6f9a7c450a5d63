"""Contests, which rank many bots or many records.

The command ``contest`` works for every game whose manifest has figures to compare. The modules
``tournament`` and ``rank`` each add a verb to one game, which `kb_score.cli` names.
"""
