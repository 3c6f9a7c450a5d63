"""Whole games as pictures: the board after each turn, with the tiles and the gold until then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.games.kingdom_builder.play.check import judge_game, load_names, use_of
from kb_score.games.kingdom_builder.play.reader import read_game
from kb_score.games.kingdom_builder.rules import SO_FAR
from kb_score.games.replay import REPLAY, Window, make_replay

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules
    from kb_score.shell.replay import Replay


def follow_game(rules: GameRules, *files: tuple[str, str]) -> Replay:
    """Draw each turn of a game, one file: a name and a text.

    Raises:
        KbScoreError: As for `check_game`.
    """
    ((name, text),) = files
    names = load_names(rules)
    game = read_game(text, names, name=name)
    answer = rules.ask(use_of(game.cards, rules).plus(f"uses/picture uses/{REPLAY}"), game.facts)
    verdict = judge_game(answer, game)
    # What a position is worth is asked as of a game that ends there, up to the first illegal turn.
    legal = replace(game, lines=game.lines[: verdict.result["turns"]])
    gold = rules.ask(use_of(game.cards, rules, SO_FAR), legal.facts)
    violations = (replace(v, who=v.who and f"player {v.who}") for v in verdict.violations)
    verdict = replace(verdict, violations=tuple(violations))
    window = Window(0, answer, "turn {turn}", gold)
    return make_replay(verdict, [window], hexes=True, keep=True)
