"""Whole games against the rules: how far they are legal, and what they are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kb_score.games.dialect import ViolationRow, read_result, write_sentence
from kb_score.games.kingdom_builder.play.names import load_names, use_of
from kb_score.games.kingdom_builder.play.reader import read_game
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from kb_score.engine.run import Answer, GameRules
    from kb_score.engine.terms import Value
    from kb_score.games.kingdom_builder.play.game import Game

# Hardly any game has as many turns: it is checked at once.
_AT_ONCE = 250


def check_game(text: str, rules: GameRules, *, name: str = "<game>") -> Verdict:
    """Check a game, turn by turn.

    Args:
        text: The game, as docs/file-formats.md has it.
        rules: The rules.
        name: What errors and the verdict call it, usually its path.

    Raises:
        FormatError: The text is no game.
        RuleError: The user's rules cannot be used.
    """
    game = cut_tail(read_game(text, load_names(rules), name=name), rules)
    return judge_game(rules.ask(use_of(game.cards, rules), game.facts), game)


def cut_tail(game: Game, rules: GameRules) -> Game:
    """Leave out what comes long after the first illegal turn, which ends a game.

    What many turns claim of the same few hexes takes the rules time by the square of their number.
    """
    size = _AT_ONCE
    # A listener wants to hear of the check, not of what is asked to make it short.
    rules = replace(rules, listener=None)
    while size < len(game.lines):
        part = replace(game, lines=game.lines[:size])
        answer = rules.ask(use_of(game.cards, rules), part.facts)
        if read_result(answer, "turns")["turns"] < size:
            return part
        size *= 2
    return game


def judge_game(answer: Answer, game: Game) -> Verdict:
    """Turn the answer of the rules about a game into a verdict."""
    claimed = None if game.claimed is None else {"gold": list(game.claimed)}
    return Verdict(
        game="kingdom-builder",
        record=game.name,
        result=read_result(answer, "turns", "players", "gold", "finished"),
        claimed=claimed,
        violations=tuple(_list_violations(answer)),
    )


def _list_violations(answer: Answer) -> list[Violation]:
    found = [
        Violation(row.code, write_sentence(row.detail), row.turn, _name(row.who))
        for row in answer.read(ViolationRow)
    ]
    return sorted(found, key=lambda v: (v.turn or 0, v.code, str(v.who), v.detail))


def _name(who: Value) -> str | int:
    return who if isinstance(who, int) else write_sentence(who)
