"""Records of each game, drawn as ``replay`` draws them."""

from __future__ import annotations

from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.games import list_games
from kb_score.shell.picture import Replay


def _follow(
    game: str, rules: GameRules, files: tuple[tuple[str, str], ...], **given: Any
) -> Replay:
    return list_games()[game].type.replay(rules, files, **given)


def follow_rabbits(rules: GameRules, *files: tuple[str, str]) -> Replay:
    return _follow("rabbits", rules, files)


def follow_party(rules: GameRules, *files: tuple[str, str]) -> Replay:
    return _follow("search-party", rules, files)


def follow_slime(rules: GameRules, *files: tuple[str, str], **given: Any) -> Replay:
    return _follow("slime", rules, files, **given)
