"""Frames against the rules: the moves that explain them, or where none does."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from kb_score.findings import as_int, read_violations
from kb_score.games.slime.facts import frames_facts
from kb_score.games.slime.finding import (
    KINDS,
    Explanation,
    Finding,
    read_counts,
    read_result,
    say_player,
)
from kb_score.games.slime.picture import draw_difference
from kb_score.games.slime.read import Frames
from kb_score.rules import Changes, read_rules_for_turns
from kb_score.solve import Answer, solve_unique
from kb_score.terms import Facts, Value

_EXPLAINS, _CHOSEN = ("explains", 5), ("chosen", 3)
_MOVER_OF, _POSSIBLE = ("mover_of", 2), ("possible", 1)
_RESULT, _MADE, _VIOLATION = ("result", 2), ("made", 3), ("violation", 4)
_WANTED = (_RESULT, _MADE, _VIOLATION, _EXPLAINS, _CHOSEN, _MOVER_OF, _POSSIBLE)


def check_frames(frames: Frames, first: int | None, changes: Changes) -> Finding:
    """Check frames.

    Args:
        frames: The record.
        first: Who moves first; None to leave it to the rules.
        changes: What the user changes about the rules.

    Returns:
        What the rules make of it.

    Raises:
        RuleError: The user's rules cannot be used.
    """
    facts: Facts = {
        "size": [(frames.size,)],
        "boards": [(len(frames.boards),)],
        "first": [] if first is None else [(first,)],
    }
    program = read_rules_for_turns("slime", ["rules", "frames"], ["step"], changes)
    answer = solve_unique(program, facts, _WANTED, turns=frames_facts(frames))
    violations = read_violations(answer[_VIOLATION], say_player)
    unexplained = [v.turn for v in violations if v.code == "no-explanation" and v.turn]
    return Finding(
        result=read_result(answer),
        counts=read_counts(answer),
        violations=violations,
        picture=_draw_turn(frames, unexplained[0]) if unexplained else "",
        explanations=_read_explanations(answer),
        notes=_tell_of_doubt(answer),
    )


def _read_explanations(answer: Answer) -> tuple[Explanation, ...]:
    """Read the moves of the players whose turn it is, for each turn that has any, in order."""
    last = as_int(read_result(answer)["turns"])
    chosen = {(turn, player): kind for turn, player, kind in answer[_CHOSEN]}
    moves: dict[tuple[Value, Value], list[tuple[str, str]]] = defaultdict(list)
    for turn, player, kind, source, target in answer[_EXPLAINS]:
        squares = source + target if isinstance(source, tuple) and isinstance(target, tuple) else ()
        moves[turn, player].append((str(kind), " ".join(map(str, squares))))

    def rank(turn: int, player: int, move: tuple[str, str]) -> tuple[bool, int, str]:
        # The kind that counts comes first.
        kind, line = move
        return kind != chosen.get((turn, player)), KINDS.index(kind), line

    turns = sorted((as_int(turn), as_int(player)) for player, turn in answer[_MOVER_OF])
    return tuple(
        Explanation(turn, player, tuple(sorted(found, key=partial(rank, turn, player))))
        for turn, player in turns
        if turn <= last and (found := moves.get((turn, player)))
    )


def _tell_of_doubt(answer: Answer) -> tuple[str, ...]:
    players = sorted(as_int(player) for (player,) in answer[_POSSIBLE])
    if len(players) < 2:
        return ()
    others = " or ".join(f"player {player}" for player in players[1:])
    return (f"taken as begun by player {players[0]}; {others} explains it as well (--first)",)


def _draw_turn(frames: Frames, turn: int) -> str:
    before, after = frames.boards[turn - 1 : turn + 1]
    return draw_difference((f"before turn {turn}", before), ("after it", after))
