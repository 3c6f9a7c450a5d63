"""Sessions of the command line that have to stay as they are, and how one is run.

A session is some commands, one after another in a folder of their own, in which ``boards`` and the
files of `tests.golden.given` are. What is kept of them is told by `tests.golden.outputs`.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.golden.given import SCRIPTS, TEXTS
from tests.golden.outputs import keep_file, keep_output
from tests.helpers import ROOT, run

_SLIME = "boards/slime"
_PARTY = "boards/search_party"
_RABBITS = "boards/rabbits"
_KINGDOM = "boards/kingdom_builder"
_MEADOW = f"{_PARTY}/maps/meadow.txt"
_HOLLOW = f"{_PARTY}/maps/hollow.txt"
_LANE = f"{_PARTY}/why/lane.txt"
_STATION = f"{_RABBITS}/small.map"
_ROOM = f"{_RABBITS}/why/room.map"


@dataclass(frozen=True, slots=True)
class Session:
    """Some commands in one folder.

    Attributes:
        name: What it is called, and the file of what it has to do.
        commands: The words after ``kb-score`` of each command, as a shell has them.
        keep: Patterns of the files that are looked at afterwards.
        keys: Of objects that are printed, these keys alone; all of them if there are none.
    """

    name: str
    commands: tuple[str, ...]
    keep: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


def run_session(session: Session, folder: Path) -> dict[str, Any]:
    """Run a session in an empty folder; return what it did."""
    _furnish(folder)
    commands = []
    for command in session.commands:
        status, printed = _run_command(shlex.split(command), folder)
        output = keep_output(printed, session.keys, folder)
        commands.append({"command": command, "status": status, "output": output})
    found = chain.from_iterable(map(folder.glob, session.keep))
    paths = sorted(path for path in found if path.is_file())
    files = {str(path.relative_to(folder)): keep_file(path, folder) for path in paths}
    return {"commands": commands, "files": files}


def _run_command(words: list[str], folder: Path) -> tuple[int, str]:
    """Run a command in this process, which is faster; bots find the interpreter of this process."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    with contextlib.chdir(folder), patch.dict(os.environ, PATH=path):
        ran = run(*words)
    return ran.status, ran.out


def _furnish(folder: Path) -> None:
    """Put into a folder what a session needs; the modes of files are part of a bot."""
    (folder / "boards").symlink_to(ROOT / "boards")
    (folder / "kept").mkdir()
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    for name, text in TEXTS.items():
        (folder / name).write_text(text)


def _list_play() -> Iterator[Session]:
    yield Session(
        "play-slime",
        (
            "play slime --size 4 --timeout 60 --kill 120 --const last_turn=40 --bot ./pusher "
            f"--bot ./stumbler --bot 'python3 {_SLIME}/bots/greedy.py' --bot 'echo 0 0 0 0 #' "
            "--record game.txt --replay game.html --bot-log logs --format json",
            "check slime game.txt --format json",
        ),
        ("game.txt", "game.html", "logs/**/*"),
    )
    yield Session(
        "play-slime-persistent",
        (
            "play slime --size 4 --timeout 60 --kill 120 --const last_turn=40 --bot ./stumbler "
            f"--bot ./pusher --bot ./pusher --bot 'python3 {_SLIME}/bots/steady.py' "
            "--persistent 1 --persistent 2 --persistent 4 "
            "--record game.txt --bot-log logs --format json",
        ),
        ("game.txt", "logs/**/*"),
    )
    yield Session(
        "play-search-party",
        (
            f"play search-party {_HOLLOW} --record game.txt --replay game.html "
            "--format json -- ./walker",
            f"play search-party {_HOLLOW} --record east.txt --format json -- ./east",
            f"play search-party {_HOLLOW} --most-turns 3 --record few.txt --format json -- "
            "./walker 32164987",
            f"check search-party {_HOLLOW} game.txt east.txt few.txt --format json",
        ),
        ("*.txt", "game.html"),
    )
    times = "--start-time 60 --answer-time 60 --format json"
    yield Session(
        "play-rabbits",
        (
            f"play rabbits {_STATION} --turns 30 --runs 2 --seed 843 --record game.txt "
            f"--run-log game.log --replay game.html {times} -- ./leader",
            f"play rabbits {_STATION} --turns 6 --runs 2 --seed 7 --record quitter.txt "
            f"--run-log quitter.log {times} -- ./quitter",
            f"play rabbits {_STATION} --turns 6 --runs 1 --seed 7 --record dreamer.txt "
            f"{times} -- ./dreamer",
            f"check rabbits {_STATION} game.txt quitter.txt dreamer.txt game.log quitter.log "
            "--format json",
        ),
        ("*.txt", "*.log", "game.html"),
    )
    yield Session(
        "play-kingdom-builder-of-two",
        (
            "play kingdom-builder --bot ./builder --bot './builder last' --seed 7 --timeout 60 "
            "--const most_settlements=15 --record game.txt --replay game.html --format json",
            "check kingdom-builder game.txt --const most_settlements=15 --format json",
        ),
        ("game.txt", "game.html"),
    )
    yield Session(
        "play-kingdom-builder-of-three",
        (
            "play kingdom-builder --bot ./builder --bot ./grumbler --bot './builder last' "
            "--board 'quarry farm/180 village oracle' --cards fishermen,shepherds,lords --seed 3 "
            "--timeout 60 --const most_settlements=10 --record game.txt --bot-log logs "
            "--format json",
        ),
        ("game.txt", "logs/**/*"),
    )


def _list_playouts() -> Iterator[Session]:
    for game, words in (
        ("slime", "--size 3 --most-turns 30"),
        ("search-party", _MEADOW),
        ("rabbits", f"{_STATION} --turns 8"),
    ):
        command = f"playouts {game} {words} --seed 7 --games 2 -o games --format json"
        yield Session(f"playouts-{game}", (command,), ("games/*",))
    few = "--const most_settlements=5 --format json -o games"
    kingdom = (
        f"playouts kingdom-builder --players 2 --most-turns 6 --seed 7 {few}",
        f"playouts kingdom-builder --seed 3 {few}",
    )
    yield Session("playouts-kingdom-builder", kingdom, ("games/*",))


def _list_contests() -> Iterator[Session]:
    for game in ("slime", "search-party", "rabbits", "kingdom-builder"):
        commands = [
            f"contest {game}.toml --format json --jobs 1",
            f"contest status {game}.toml --format json",
        ]
        files = "contest.json", "results.jsonl", "games/*", "logs/*/*"
        keep = [f"{game}.results/{name}" for name in files]
        if game == "slime":
            commands.append(f"contest report {game}.toml -o page.html --replays all --jobs 1")
            keep += ["page.html", "page.games/1.html"]
        yield Session(f"contest-{game}", tuple(commands), tuple(keep))
    yield Session(
        "contest-search-party-sample",
        ("contest search-party.toml --jobs 1 --games 3 --results other --format json",),
        ("other/results.jsonl",),
    )
    yield Session(
        "tournament-slime",
        (
            "tournament slime tournament.toml --size 3 --timeout 60 --kill 120 --jobs 1 "
            "--const last_turn=12 --format json",
        ),
        ("tournament.results.jsonl",),
    )


def _list_why() -> Iterator[Session]:
    tree = "--depth 2 --width 1 --format json"
    claims = f"{_KINGDOM}/why/cards.txt {_KINGDOM}/why/wrong-claim.txt"
    yield Session(
        "why",
        (
            f"check search-party {_LANE} {_PARTY}/why/wrong-cell.txt --why wrong-cell {tree}",
            f"check slime {_SLIME}/why/no-explanation.txt --why no-explanation {tree}",
            f"legal rabbits {_ROOM} --turn 1 --move 'crusher 1,3 crushes 2,3' --why {tree}",
            f"check kingdom-builder {claims} --why {tree}",
            f"explain {_KINGDOM}/example.txt --why-not 'gold(lords,1,_,12)' {tree}",
        ),
    )


def _list_bots() -> Iterator[Session]:
    yield Session(
        "bot-slime-persistent",
        ("bot slime --size 4 --timeout 60 --persistent --end-time 60 --format json -- ./stumbler",),
        keys=("game", "case", "verdict"),
    )


def _list_pictures() -> Iterator[Session]:
    game, board = f"{_KINGDOM}/games/broken.txt", f"{_KINGDOM}/example.txt"
    yield Session(
        "draw",
        (
            f"draw slime {_SLIME}/wrong.txt -o slime.svg",
            f"draw search-party {_MEADOW} {_PARTY}/records/meadow/safe-session.txt -o party.svg",
            f"draw rabbits {_STATION} -o station.svg",
            f"draw rabbits {_STATION} {_RABBITS}/small.session --turn 5 -o rabbits.svg",
            f"draw {board} --card miners --player 3 -o board.svg",
            f"draw kingdom-builder {game} -o game.svg",
        ),
        ("*.svg",),
    )
    yield Session(
        "replay",
        (
            f"replay slime {_SLIME}/wrong.txt -o slime.html",
            f"replay slime {_SLIME}/frames.txt --first 2 -o frames.html",
            f"replay search-party {_HOLLOW} {_PARTY}/records/hollow/onto-obstacle-plan.txt "
            "-o party.html",
            f"replay rabbits {_ROOM} {_RABBITS}/why/wrong-rabbits.session -o rabbits.html",
            f"replay rabbits {_ROOM} {_RABBITS}/why/no-explanation.log -o log.html",
            f"replay kingdom-builder {_KINGDOM}/games/broken.txt -o game.html",
        ),
        ("*.html",),
    )
    yield Session(
        "playground",
        (
            f"playground slime {_SLIME}/why/wrong-board.txt -o slime.html",
            f"playground search-party {_LANE} {_PARTY}/why/onto-obstacle.txt -o party.html",
            f"playground rabbits {_ROOM} {_RABBITS}/why/wrong-rabbits.session -o rabbits.html",
            f"playground {_KINGDOM}/why/cards.txt -o board.html",
            f"playground {_KINGDOM}/why/not-adjacent.txt -o game.html",
        ),
        ("*.html",),
    )
    yield Session(
        "report",
        (f"report {_KINGDOM}/why/cards.txt {_KINGDOM}/example.txt --cards 1,3,7 -o report.html",),
        ("report.html",),
    )


def _list_boards() -> Iterator[Session]:
    """List what is asked about boards of Kingdom Builder, and the facts of all games."""
    example, cards = f"{_KINGDOM}/example.txt", f"{_KINGDOM}/why/cards.txt"
    yield Session(
        "board",
        (
            "board oracle farm/180 tavern paddock",
            f"score {example} {cards} --combinations --format json",
            f"score {_KINGDOM}/why/crowd.txt {_KINGDOM}/why/findings.txt --cards 1,3 --format json",
            f"explain {cards} --format json",
            f"explain {example} --card miners --player 3 --format json",
        ),
    )
    files = (f"{_SLIME}/why/session.txt", _LANE, _ROOM, cards, f"{_KINGDOM}/why/not-adjacent.txt")
    yield Session("facts", tuple(f"facts {file}" for file in files))


SESSIONS = {
    session.name: session
    for session in chain(
        _list_play(),
        _list_playouts(),
        _list_contests(),
        _list_why(),
        _list_bots(),
        _list_pictures(),
        _list_boards(),
    )
}
