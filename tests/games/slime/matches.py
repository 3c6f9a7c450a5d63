"""Matches of Slime whose answers and faults a test looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from random import Random

from kb_score.engine.rules import GameRules
from kb_score.games.game import MatchSetup
from kb_score.games.players import BotCommand
from kb_score.games.referee import Listener, referee
from kb_score.games.slime.game import GAME, SlimeMatch


@dataclass(frozen=True)
class PlayedSlime:
    """A match that was played: of each turn the player, the kind of fault or nothing, the line."""

    match: SlimeMatch
    answers: list[tuple[int, str, str]]
    problems: Counter[tuple[int, str]]
    details: dict[int, str]


def play_slime(
    bots: Sequence[BotCommand],
    size: int,
    rules: GameRules,
    wait: Callable[[], object] = lambda: None,
) -> PlayedSlime:
    match = GAME.new(rules, MatchSetup(settings={"size": size}, players=4), Random(0))
    assert isinstance(match, SlimeMatch)
    lines: list[str] = []
    with ExitStack() as stack:
        players = [stack.enter_context(bot.open(GAME, wait=wait)) for bot in bots]
        played = referee(GAME, match, players, None, Listener(lines.append))
    problems = Counter((player, str(fault.kind)) for _, player, fault in played.faults)
    kinds = {turn: fault.kind for turn, _, fault in played.faults}
    details: dict[int, str] = {}
    for _, player, fault in played.faults:
        details.setdefault(player, str(fault))
    turns = "".join(lines).split("\n")[:-2]  # the squares come last
    answers = [
        (int(told[0]), str(kinds.get(number, "")), line)
        for number, (told, line) in enumerate(zip(turns[::2], turns[1::2], strict=False), 1)
    ]
    return PlayedSlime(match, answers, problems, details)
