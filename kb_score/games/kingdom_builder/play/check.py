"""Whole games against the rules: how far they are legal, and what they are worth."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from kb_score.games.dialect import ViolationRow, read_result, write_sentence
from kb_score.games.kingdom_builder.hexes import LAND, SETTLED, TERRAIN
from kb_score.games.kingdom_builder.play.reader import Names, read_game
from kb_score.games.kingdom_builder.rules import BOX, TURNS, Card, DeedRow, TileRow, TotalRow
from kb_score.shell.verdict import Verdict, Violation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb_score.engine.run import Answer, GameRules, Use
    from kb_score.engine.terms import Value


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
    answer = rules.ask(use_of(game.cards, rules), game.facts)
    claimed = None if game.claimed is None else {"gold": list(game.claimed)}
    return Verdict(
        game="kingdom-builder",
        record=name,
        result=read_outcome(answer),
        claimed=claimed,
        violations=tuple(_list_violations(answer)),
    )


def use_of(cards: Sequence[str], rules: GameRules) -> Use:
    """Name the rules of a game with some cards, and with those that pay in every game."""
    # A user's rules may look at any card, so none may be left out.
    if rules.changes.folders:
        return TURNS.plus("cards/*")
    names = load_names(rules)
    chosen = [card for card in cards if card not in names.deeds]
    return TURNS.plus(" ".join(f"cards/{card}" for card in [*sorted(names.always), *chosen]))


def read_outcome(answer: Answer) -> dict[str, object]:
    """Read the outcome as the JSON has it."""
    result = read_result(answer, "turns", "players", "finished")
    finished = result.pop("finished")
    gold = [row.gold for row in sorted(answer.read(TotalRow))]
    return {**result, "gold": gold, "finished": finished}


def _list_violations(answer: Answer) -> list[Violation]:
    found = [
        Violation(row.code, write_sentence(row.detail), row.turn, _name(row.who))
        for row in answer.read(ViolationRow)
    ]
    return sorted(found, key=lambda v: (v.turn or 0, v.code, str(v.who), v.detail))


def _name(who: Value) -> str | int:
    return who if isinstance(who, int) else write_sentence(who)
