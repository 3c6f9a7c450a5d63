"""Whole games, played to their end by their bots; each record is checked, of each kind it can be.

    python -m tools.long_games [FOLDER...]

Every map of the search party is played by the walker, every station of the rabbits by the
pathfinder, Slime by one greedy bot among three that pass, which takes long to fill its board. Every
board of Kingdom Builder is scored, explained, and checked against claims that are made of its
scores. Maps and boards are those of ``boards/`` and of ``../shared/data`` or of FOLDER; a folder
that is not there is skipped. This takes minutes. The exit status is 1 if a game fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb_score.games.rulings import strip_rulings
from kb_score.shell.output import Table, write_plain
from tests.helpers import ROOT, Ran, run_process

BOARDS = ROOT / "boards"
WALKER = BOARDS / "search_party" / "bots" / "walker.py"
PATHFINDER = BOARDS / "rabbits" / "pathfinder.py"
GREEDY = BOARDS / "slime" / "bots" / "greedy.py"
_DASHES = "-" * 40
_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Done:
    """Something that was done.

    Attributes:
        game: The game, as the command calls it.
        board: The map or board.
        did: What was done.
        turns: How many turns it has; empty where there are none.
        seconds: How long it took.
        failed: What is wrong; empty if nothing is.
    """

    game: str
    board: str
    did: str
    turns: int | str
    seconds: float
    failed: str


def do(game: str, board: Path | str, did: str, *words: object) -> tuple[Done, Ran]:
    """Run a command that prints JSON and is to succeed; say how that went."""
    begin = time.monotonic()
    ran = run_process(*words, timeout=_SECONDS)
    seconds = time.monotonic() - begin
    result = ran.json[0].get("result", {}) if ran.out else {}
    failed = f"status {ran.status} {ran.err[-300:] or ran.out[-300:]}" if ran.status else ""
    if did == "play" and not failed and not result["finished"]:
        failed = "it is not finished"
    name = board if isinstance(board, str) else board.name
    return Done(game, name, did, result.get("turns", ""), seconds, failed), ran


def play(
    game: str, board: Path | str, folder: Path, options: Sequence[object], *bot: object
) -> Iterator[Done]:
    """Play a game, and check its record of each kind; of one game, the turns are the same."""
    maps = [board] if isinstance(board, Path) else []
    record, log = folder / "session", folder / "log"
    logs = ["--run-log", log] if game == "rabbits" else []
    words = [*maps, *options, "--record", record, "--force", *logs, "--format", "json", *bot]
    played, _ = do(game, board, "play", "play", game, *words)
    yield played
    kinds = {"session": record, **({"run log": log} if logs else {})}
    if not played.failed:
        kinds |= dict(write_kinds(game, record))
    rules = [word for word in options if str(word).startswith(("--const", "last_turn"))]
    for kind, path in kinds.items():
        name = f"check {kind}"
        checked, _ = do(game, board, name, "check", game, *maps, path, *rules, "--format", "json")
        yield checked
        # Frames have no board after the last turn.
        turns = checked.turns if kind != "frames" else int(checked.turns or 0) + 1
        if not checked.failed and turns != played.turns:
            yield Done(game, checked.board, name, turns, 0.0, f"not {played.turns} turns")


def write_kinds(game: str, session: Path) -> Iterator[tuple[str, Path]]:
    """Turn a session into records of other kinds; yield the name and the file of each."""
    lines = strip_rulings(session.read_text()).splitlines()
    texts: dict[str, list[str]] = {}
    if game == "search-party":
        last = next(i for i, line in enumerate(lines) if line.startswith("Finished in "))
        moves = {i + 1 for i in range(last - 1) if lines[i] == _DASHES}
        texts["stream"] = [line for i, line in enumerate(lines) if i not in moves]
        texts["plan"] = [lines[i] for i in sorted(moves)] + lines[last + 1 :]
    if game == "slime":
        texts["frames"] = [line[2:].replace(",", "\n") + "\n" for line in lines[:-1:2]]
    for kind, text in texts.items():
        path = session.with_name(kind)
        path.write_text("\n".join(text) + "\n")
        yield kind, path


def score(board: Path, folder: Path) -> Iterator[Done]:
    """Score and explain a board, and check claims that are made of its scores."""
    game = "kingdom-builder"
    scored, ran = do(game, board, "score", "score", board, "--combinations", "--format", "json")
    yield scored
    yield do(game, board, "explain", "explain", board, "--format", "json")[0]
    if scored.failed:
        return
    claims = folder / "claims"
    with claims.open("w") as stream:
        for claim in ran.json[0]["combinations"]:
            stream.write(" ".join(map(str, [*claim["cards"], *claim["total"]])) + "\n")
    yield do(game, board, "check claims", "check", game, board, claims, "--format", "json")[0]


def play_all(folders: Sequence[Path], options: argparse.Namespace) -> Iterator[Done]:
    """Play the games of all maps and boards in folders, and one of Slime."""
    python = sys.executable
    with tempfile.TemporaryDirectory(prefix="long-games-") as name:
        work = Path(name)
        for path in find(folders, "search_party", "*.txt"):
            yield from play("search-party", path, work, (), "--", python, WALKER)
        for path in find(folders, "rabbits", "*.map"):
            limits = ("--turns", options.turns, "--runs", options.runs)
            yield from play("rabbits", path, work, limits, "--", python, PATHFINDER)
        for path in find(folders, "kingdom_builder", "*.txt"):
            yield from score(path, work)
        seated = ("--bot", f"{python} {GREEDY}", *("--bot", "true") * 3)
        last = ("--size", options.size, "--const", f"last_turn={options.slime_turns}")
        board = f"{options.size} x {options.size}"
        yield from play("slime", board, work, (*last, "--timeout", 60, "--grace", 1), *seated)


def find(folders: Sequence[Path], game: str, pattern: str) -> Iterator[Path]:
    """Find the maps and boards of a game; what begins with a comment is of another format."""
    for folder in folders:
        place = folder / game
        for path in sorted([*place.glob(pattern), *place.glob(f"maps/{pattern}")]):
            if path.name != "claims.txt" and not path.read_text().startswith("%"):
                yield path


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each game and a table of all; return 1 if one fails."""
    parser = argparse.ArgumentParser(prog="python -m tools.long_games", description=__doc__)
    shared = ROOT.parent / "shared" / "data"
    parser.add_argument("folders", nargs="*", type=Path, default=[BOARDS, shared])
    parser.add_argument("--turns", type=int, default=500, help="of a run of the rabbits")
    parser.add_argument("--runs", type=int, default=5, help="of the rabbits")
    parser.add_argument("--size", type=int, default=40, help="of the board of Slime")
    parser.add_argument("--slime-turns", type=int, default=2000, help="of the game of Slime")
    options = parser.parse_args(arguments)
    all_done = []
    for folder in options.folders:
        if not folder.is_dir():
            say(f"skipped: there is no folder {folder}")
    for done in play_all(options.folders, options):
        all_done.append(done)
        say(f"{done.game} {done.board}, {done.did}: {done.seconds:.1f} s, {done.failed or 'fine'}")
    rows = tuple((d.game, d.board, d.did, d.turns, f"{d.seconds:.1f}") for d in all_done)
    say("\n" + write_plain(Table("", ("game", "board", "what", "turns", "seconds"), rows)))
    failed = sum(bool(done.failed) for done in all_done)
    say(f"{len(all_done)} runs, {failed} failed")
    return min(failed, 1)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
