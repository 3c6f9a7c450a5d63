"""The library: boards, games, positions, matches and replays for other programs.

What is public is named in `kb_score` and described in docs/library.md. Nothing here prints, exits
or changes the process: no signal handlers, no limits, no files.
"""
