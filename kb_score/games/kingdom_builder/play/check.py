"""Whole games against the rules: how far they are legal, and what they are worth."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kb_score.games.dialect import ViolationRow, read_result, write_sentence
from kb_score.games.kingdom_builder.hexes import LAND, SETTLED, TERRAIN
from kb_score.games.kingdom_builder.play.reader import Names, read_game
from kb_score.games.kingdom_builder.rules import BOX, TURNS, Card, DeedRow, TileRow
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import Answer, GameRules, Use
    from kb_score.engine.terms import Value
    from kb_score.games.kingdom_builder.play.game import Game


def load_names(rules: GameRules) -> Names:
    """List the names that a game may use."""
    # A listener wants to hear of questions about games, not of the one about the box.
    return _list_names(replace(rules, listener=None), rules.changes.stamps)


@lru_cache(maxsize=16)
def _list_names(rules: GameRules, _stamps: object) -> Names:
    answer = rules.ask(BOX, {"players": [(2,)]})
    deeds = frozenset(row.name for row in answer.read(DeedRow))
    return Names(
        cards=deeds.union(row.name for row in answer.read(Card)),
        deeds=deeds,
        tiles=frozenset(row.name for row in answer.read(TileRow)),
        terrains=frozenset({**LAND, **TERRAIN}[symbol] for symbol in SETTLED if symbol != "."),
        always=frozenset(row.name for row in answer.read(Card) if not row.number),
    )


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
    game = read_game(text, load_names(rules), name=name)
    return judge_game(rules.ask(use_of(game.cards, rules), game.facts), game)


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


def use_of(cards: Sequence[str], rules: GameRules, use: Use = TURNS) -> Use:
    """Add the cards of a game to a use of the rules, and those that pay in every game."""
    # A user's rules may look at any card, so none may be left out.
    if rules.changes.folders:
        return use.plus("cards/*")
    names = load_names(rules)
    chosen = [card for card in cards if card not in names.deeds]
    return use.plus(" ".join(f"cards/{card}" for card in [*sorted(names.always), *chosen]))


def _list_violations(answer: Answer) -> list[Violation]:
    found = [
        Violation(row.code, write_sentence(row.detail), row.turn, _name(row.who))
        for row in answer.read(ViolationRow)
    ]
    return sorted(found, key=lambda v: (v.turn or 0, v.code, str(v.who), v.detail))


def _name(who: Value) -> str | int:
    return who if isinstance(who, int) else write_sentence(who)
