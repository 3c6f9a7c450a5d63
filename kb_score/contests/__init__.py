"""Contests: many bots or many records of one game, and who comes first.

A module ``kb_score/contests/some_game.py`` adds verbs to the game ``some-game``: its ``COMMANDS``,
as in the game's own module ``commands``.
"""
