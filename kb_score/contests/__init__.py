"""Contests: many bots or many records, and who comes first.

The command ``contest`` is of any game that has a module ``contest`` with an arena, see
`kb_score.games.arena`. A module ``kb_score/contests/some_game.py`` adds verbs to one game: its
``COMMANDS``, as in the game's own module ``commands``.
"""
