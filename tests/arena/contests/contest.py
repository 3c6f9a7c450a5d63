"""Contests of Slime that nobody has to play: their results are written as tests want them."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from re import search
from typing import Any
from zlib import decompress

from kb_score.arena.contests.plan import Fixture, digest_rules, read_contest_file, read_plan
from kb_score.arena.contests.store import GameResult, PlayerResult
from kb_score.engine.changes import NO_CHANGES
from kb_score.engine.rules import GameRules
from tests.helpers import ROOT, Ran, run

RECORD = (ROOT / "boards" / "slime" / "session.txt").read_text()


@dataclass(frozen=True)
class Game:
    """A game that is said to have been played.

    Attributes:
        squares: What each player had at the end.
        faults: What went wrong for players, by their numbers from 0.
        record: What is kept of it; None for nothing.
        said: What players said on their error streams, by their numbers from 0.
    """

    squares: Sequence[int]
    faults: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    record: str | None = None
    said: Mapping[int, str] = field(default_factory=dict)


def write_contest(folder: Path, bots: Iterable[str], games: Sequence[Game], more: str = "") -> Path:
    """Write a contest and the results of its first games; return its file."""
    play = lambda fixture: games[fixture.number]  # noqa: E731
    return write_played(folder, bots, play, len(games), more)


def write_played(
    folder: Path, bots: Iterable[str], play: Callable[[Fixture], Game], count: int, more: str
) -> Path:
    """Write a contest and the results of so many games, which may depend on who plays."""
    path = folder / "contest.toml"
    folder.mkdir(parents=True, exist_ok=True)
    tables = [f"[[bot]]\nname = {json.dumps(bot)}\ncommand = 'echo'\n" for bot in bots]
    path.write_text(f'game = "slime"\n{more}\n' + "".join(tables))
    rules = GameRules("slime", NO_CHANGES)
    plan = read_plan(read_contest_file(path), path, rules)
    digest = digest_rules(rules)
    find_key = plan.identify(digest)
    kept = folder / "contest.results" / "games"
    kept.mkdir(parents=True)
    sign = {"contest": plan.name, "game": plan.game, "rules": digest}
    (kept.parent / "contest.json").write_text(json.dumps(sign))
    lines = []
    for number, fixture in enumerate(plan.schedule[:count]):
        game = play(fixture)
        name = f"{number + 1}.txt"
        if game.record is not None:
            (kept / name).write_text(game.record)
        for seat, words in game.said.items():
            log = kept.parent / "logs" / plan.bots[fixture.bots[seat]].name
            log.mkdir(parents=True, exist_ok=True)
            (log / name).write_text(words)
        players = tuple(
            PlayerResult(
                (squares,),
                (squares,),
                game.faults.get(seat, {}),
                f"turn {number + 1}: it stumbled" if seat in game.faults else "",
                (0.25, 0.5 + number),
            )
            for seat, squares in enumerate(game.squares)
        )
        names = tuple(plan.bots[bot].name for bot in fixture.bots)
        key = find_key(fixture)
        result = GameResult(
            key=key.key,
            number=number + 1,
            bots=names,
            map="",
            round=fixture.round,
            players=players,
            turns=60,
            record=f"games/{name}",
            ended="2026-01-02T03:04:05+00:00",
            parts=key.parts,
            digest=str(number),
        )
        lines.append(result.write())
    (kept.parent / "results.jsonl").write_text("".join(lines))
    return path


def report(contest: Path, *words: object) -> Ran:
    """Write the page of a contest beside it."""
    return run("contest", "report", contest, "-o", contest.with_suffix(".html"), *words)


def read_page(contest: Path) -> dict[str, Any]:
    """Read the data in the page of a contest."""
    text = contest.with_suffix(".html").read_text()
    found = search('id="data">([^<]*)<', text)
    assert found is not None
    read: dict[str, Any] = json.loads(decompress(b64decode(found[1])))
    return read
