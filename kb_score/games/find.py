"""Positions in records: before a turn, or after some of its steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kb_score.engine.rules import GameRules
from kb_score.games.files import GameFiles
from kb_score.games.match import File, Position, refuse, resolve_turn
from kb_score.games.options import AFTER
from kb_score.games.position import RulesPosition
from kb_score.games.record import RecordJudge, list_given
from kb_score.games.rules_match import RulesMatch
from kb_score.games.rulings import apply_rulings
from kb_score.games.texts import ReadText

# The name of a judged answer in messages.
MOVE = "--move"


def find_position(
    game: GameFiles,
    rules: GameRules,
    files: Sequence[File],
    turn: int | None,
    options: Mapping[str, Any],
) -> Position:
    """Return the position before a turn of a record; see `kb_score.games.game.Game.position`."""
    rules = apply_rulings(rules, *files)
    record = game.read(rules, files)
    name, _ = files[-1]
    turn = resolve_turn(turn, record.turns, name)
    if game.texts.format.has_steps:
        return _find_step(game, rules, record, name, turn, options)
    state = RecordJudge(game, options).find_state(rules, record, name, turn)
    if state is not None:
        return RulesPosition(
            files=game,
            rules=rules,
            facts=state.facts,
            step=turn,
            turn=turn,
            name=MOVE,
            mover=state.mover,
            end=state.end,
        )
    start = {**record.list_start(), **list_given(options)}
    match = RulesMatch(game, rules, start, kind=record.kind)
    for given in record.list_turns()[1:turn]:
        if match.finished:
            break
        for row in sorted(match.play(given), key=str):
            raise refuse(name, row)
    return replace(match.position(), name=MOVE, is_live=False)


def _find_step(
    game: GameFiles,
    rules: GameRules,
    record: ReadText,
    name: str,
    turn: int,
    options: Mapping[str, Any],
) -> Position:
    """Return the position before the first step of a turn, or after some of its steps."""
    given_options = dict(options)
    after: str = given_options.pop(AFTER.name, "")
    earlier = record.cut(turn - 1)
    step = len(earlier.turn_of) + 1
    position = RulesPosition(
        files=game,
        rules=rules,
        facts={**earlier.facts, **list_given(given_options)},
        step=step,
        turn=turn,
        name=MOVE,
        record=name,
        begun=step,
    )
    if after:
        return position.after(position.read_parts(after, f"--{AFTER.name}"))
    return position
