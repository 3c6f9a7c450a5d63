"""The runs that meet the faults: one table, and what of each must be the same in the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tools.campaign import seeds

Stock = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Run:
    """A run.

    Attributes:
        name: What it is called in the list of defects.
        operations: How many operations on files it has, or more.
        arguments: The words after ``kb-score``.
        files: The files that it reads.
        recheck: A command that must accept what is there after a fault, if it is there and is not
            what an undisturbed run writes; empty if nothing but that is right.
        scratch: How the names begin of what a killed run may leave.
        grows: Whether what is there may be a part, which another run goes on from.
        normal: What is compared of the files that it makes.
    """

    name: str
    operations: int
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    recheck: tuple[str, ...] = ()
    scratch: str = ""
    grows: bool = False
    normal: Callable[[Stock], Stock] = dict


def without_times(stock: Stock) -> Stock:
    """Take the times out of files of results."""
    found = {name: data for name, data in stock.items() if name.endswith("results.jsonl")}
    for name, data in found.items():
        games = [json.loads(line) for line in data.splitlines()]
        for game in games:
            players = [{**player, "seconds": 0} for player in game["players"]]
            game |= {"ended": "", "players": players}
        # A game that is played again may end after others.
        games.sort(key=lambda game: game["number"])
        found[name] = json.dumps(games).encode()
    return {**stock, **found}


_BOT = '[[bot]]\nname = "{name}"\ncommand = "{command}"\n'
_BOTS = {"a": "echo 0 0 0 1 #", "b": "true", "c": "echo 2 0 1 0 #", "d": "exit 1 #", "e": "cat f #"}
_SMALL = ("--size", "3", "--const", "last_turn=4", "--timeout", "5")
_CONTEST = """game = "slime"
[settings]
size = 3
[limits]
timeout = 5
[rules]
const = { last_turn = 4 }
"""
_PLAYERS = (*("--bot", "echo 0 0 1 1 #"), *("--bot", "true") * 3)


def _write_bots() -> str:
    return "".join(_BOT.format(name=n, command=c) for n, c in _BOTS.items())


RUNS = (
    Run(
        "tournament",
        40,
        ("tournament", "slime", "bots.toml", *_SMALL, "--jobs", "1", "--format", "json"),
        {"bots.toml": f'{_write_bots()}folder = "keeps"\n'.encode(), "keeps/f": b"0 0 1 1\n"},
        grows=True,
        normal=without_times,
    ),
    Run(
        "contest",
        60,
        ("contest", "bots.toml", "--jobs", "1", "--format", "markdown"),
        {
            "bots.toml": f'{_CONTEST}{_write_bots()}folder = "keeps"\n'.encode(),
            "keeps/f": b"0 0 1 1\n",
        },
        scratch=".kb-score-file-",
        grows=True,
        normal=without_times,
    ),
    Run(
        "batch",
        10,
        ("score", "batch.txt", "--cards", "1,4,7", "--format", "csv"),
        {"batch.txt": b"\n".join([seeds.read("kingdom_builder/example.txt")] * 8)},
    ),
    Run(
        "record",
        8,
        (
            "play",
            "slime",
            *_SMALL,
            *_PLAYERS,
            "--record",
            "record.txt",
            "--force",
            "--format",
            "csv",
        ),
        recheck=("check", "slime", "record.txt", "--const", "last_turn=4"),
    ),
    Run(
        "report",
        6,
        ("report", "board.txt", "-o", "page.html"),
        {"board.txt": seeds.read("kingdom_builder/example.txt")},
        scratch=".kb-score-file-",
    ),
    Run(
        "playground",
        6,
        ("playground", "board.txt", "-o", "page.html"),
        {"board.txt": seeds.read("kingdom_builder/example.txt")},
        scratch=".kb-score-file-",
    ),
    Run("export", 149, ("rules", "export", "copy"), grows=True),
    Run("new-card", 2, ("new", "card", "mine.lp"), scratch=".kb-score-file-"),
    Run("new-rules", 8, ("new", "rules", "mine"), grows=True),
)
