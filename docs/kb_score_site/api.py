"""A page with the docstring of everything that ``import kb_score`` offers."""

from __future__ import annotations

import inspect

import kb_score
from kb_score_site.links import REFERENCE

API = f"{REFERENCE}/api"
_INTRODUCTION = """# The Python interface

This page lists everything that `import kb_score` offers, with arguments, results and errors.
[kb-score in Python](../library.md) has examples.
"""
_PARTS = {
    "Games": ("game", "list_games", "Game", "Position", "Match", "Replay"),
    "Results": ("Verdict", "Violation", "Reason", "Option", "Ruling"),
    "Boards of Kingdom Builder": (
        *("score", "score_many", "explain", "check_claims", "board", "parse_board", "read_boards"),
        *("load_rules", "Board", "Rules", "Card"),
        *("Scores", "Combination", "Evidence", "Explanation", "Finding"),
    ),
    "Errors": (
        *("KbScoreError", "InputError", "FormatError", "RuleError"),
        *("IllegalMoveError", "LimitError"),
    ),
}


def write_api() -> dict[str, str | bytes]:
    """Write the page; it names all that ``kb_score.__all__`` does."""
    listed = [name for names in _PARTS.values() for name in names]
    if sorted(listed) != sorted(kb_score.__all__):
        raise ValueError(f"{set(listed) ^ set(kb_score.__all__)} stand in one place alone")
    parts = [_INTRODUCTION]
    for title, names in _PARTS.items():
        entries = "\n".join(_write_entry(name) for name in names)
        parts.append(
            f"\n## {title}\n\n```{{eval-rst}}\n.. currentmodule:: kb_score\n\n{entries}```\n"
        )
    return {f"{API}.md": "".join(parts)}


def _write_entry(name: str) -> str:
    value = getattr(kb_score, name)
    if not inspect.isclass(value):
        return f".. autofunction:: kb_score.{name}\n"
    return (
        f".. autoclass:: kb_score.{name}\n   :members:\n   :inherited-members: Exception, tuple\n"
    )
