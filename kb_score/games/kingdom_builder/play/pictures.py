"""Whole games as pictures: the board after each turn, with the tiles and the gold until then."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.games.kingdom_builder.board import HEADINGS
from kb_score.games.kingdom_builder.play.check import cut_tail, judge_game
from kb_score.games.kingdom_builder.play.game import line_facts
from kb_score.games.kingdom_builder.play.names import load_names, use_of
from kb_score.games.kingdom_builder.play.reader import read_game
from kb_score.games.kingdom_builder.rules import SO_FAR
from kb_score.games.playground import write_record
from kb_score.games.replay import REPLAY, Window, make_replay
from kb_score.shell.files import normalise

if TYPE_CHECKING:
    from kb_score.engine.run import Asked, GameRules
    from kb_score.shell.replay import Replay


def follow_game(rules: GameRules, *files: tuple[str, str]) -> Replay:
    """Draw each turn of a game, one file: a name and a text.

    Raises:
        KbScoreError: As for `check_game`.
    """
    ((name, text),) = files
    names = load_names(rules)
    game = cut_tail(read_game(text, names, name=name), rules)
    answer = rules.ask(use_of(game.cards, rules).plus(f"uses/picture uses/{REPLAY}"), game.facts)
    verdict = judge_game(answer, game)
    # What a position is worth is asked as of a game that ends there, up to the first illegal turn.
    legal = replace(game, lines=game.lines[: verdict.result["turns"]])
    gold = rules.ask(use_of(game.cards, rules, SO_FAR), legal.facts)
    violations = (replace(v, who=v.who and f"player {v.who}") for v in verdict.violations)
    verdict = replace(verdict, violations=tuple(violations))
    window = Window(0, answer, "turn {turn}", gold)
    return make_replay(verdict, [window], hexes=True, keep=True)


def write_game(rules: GameRules, name: str, text: str) -> str:
    """Write a page where the turns of a game, and the rules that judge them, can be changed.

    Raises:
        KbScoreError: As for `check_game`, and if the game is too large for a page.
    """
    asked: list[Asked] = []
    replay = follow_game(replace(rules, listener=asked.append), (name, text))
    names = load_names(rules)
    game = read_game(text, names, name=name)
    more = {
        "kind": "game",
        "open": "judge.lp",
        "template": _NEW_FILE,
        "turns": _find_turns(text),
        "players": game.players,
        "terrains": sorted(names.terrains),
    }
    said = {*line_facts(game.lines), "claimed_gold"}
    return write_record(replay, asked, rules, "player {}", more, said)


def _find_turns(text: str) -> str:
    """Find the part of a game behind its headings."""
    lines = normalise(text).split("\n")
    heads = [n for n, line in enumerate(lines) if line.split()[:1] and line.split()[0] in HEADINGS]
    return "\n".join(lines[max(heads) + 1 :]).strip("\n") + "\n"


_NEW_FILE = """\
% A tile states itself, what it may do and where:
% tile(name, build, 1, "what it may do"). ground(name, grass). close(name, possible).
"""
