"""The library: boards, games, positions, matches and replays for other programs.

`kb_score` lists the public names, and docs/library.md describes them. Nothing here prints, exits
or changes the process: there are no signal handlers, no limits and no files.
"""
