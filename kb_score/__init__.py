"""The rules of grid games, run: scores of Kingdom Builder boards, cross-checks of game records."""

__version__ = "0.1.0"
