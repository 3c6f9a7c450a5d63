"""How a contest ranks bots: by their average figures, or by the best game on each map."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from kb_score.engine.rules import Answer, GameRules, Use
from kb_score.engine.terms import Row
from kb_score.errors import RuleError
from kb_score.games.game import Game

# How often each bot had each score on each map; bots and maps are given by number.
Tally: TypeAlias = Counter[tuple[int, int, tuple[int, ...]]]
# The uses of the rules that rank bots by one figure, by two, or by the best game on each map.
_ONE = Use(("common/means", "common/points"))
_TWO = Use(("common/means", "common/figures"))
_MAPS = Use(("rank",))


def rank(
    game: Game, rules: GameRules, bots: int, tally: Tally, maps: int, metric: str
) -> Mapping[int, tuple[Any, ...]]:
    """Return the key by which each bot is ranked for a metric: larger keys come first."""
    if game.ranks_maps:
        facts = list_attempts(game, bots, maps, sorted(tally))
        return read_standing(rank_maps(rules, facts), bots)
    contest = game.contest
    metrics = contest.metrics
    counted = Counter[tuple[int, ...]]()
    for (bot, _, score), games in tally.items():
        figures = dict(zip(contest.figures, score, strict=True))
        if not figures.get(contest.counts_if, 1):
            continue
        counted[bot, *score[: len(metrics)]] += games
    use, name = (_ONE, "scored") if len(metrics) == 1 else (_TWO, "achieved")
    given: dict[str, Sequence[Row]] = {
        "bot": [(bot,) for bot in range(bots)],
        name: [(*key, games) for key, games in sorted(counted.items())],
    }
    if metric != metrics[0]:
        given["by_second"] = [()]
    return dict(rules.ask(use, given)["standing"])


def rank_maps(rules: GameRules, facts: Mapping[str, Sequence[Row]]) -> Answer:
    """Return the answer of a game's rules that rank attempts on maps."""
    return rules.ask(_MAPS, facts)


def list_attempts(
    game: Game, entries: int, maps: int, found: Iterable[tuple[int, int, tuple[int, ...]]]
) -> dict[str, Sequence[Row]]:
    """Return the facts of attempts, each given as its entry, map and figures.

    The figure that says whether the others count is left out.
    """
    contest = game.contest
    attempts: list[Row] = []
    incomplete: list[Row] = []
    for number, (entry, map_, figures) in enumerate(found):
        values = dict(zip(contest.figures, figures, strict=True))
        if not values.pop(contest.counts_if, True):
            incomplete.append((number,))
        attempts.append((entry, map_, number, *values.values()))
    return {
        "entry": [(entry,) for entry in range(entries)],
        "map": [(map_,) for map_ in range(maps)],
        "attempt": attempts,
        "incomplete": incomplete,
    }


def read_standing(answer: Answer, entries: int) -> dict[int, tuple[Any, ...]]:
    """Return the key by which each entry is ranked: larger keys come first.

    It is a RuleError if an entry has no key or several, or if the keys are of different types.
    """
    rows: Sequence[tuple[Any, ...]] = answer.rows.get(("standing", 2), ())
    keys = dict(rows)
    if len(rows) != entries or keys.keys() != set(range(entries)):
        raise RuleError("rank.lp must derive and show one standing/2 for each entry/1")
    if len(set(map(type, keys.values()))) > 1:
        raise RuleError("rank.lp gives keys of several kinds in standing/2: tuples are expected")
    return keys
