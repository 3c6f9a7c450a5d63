"""The folder of results of a contest: the results, the records, and what the bots said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score import __version__
from kb_score.contests.book import Numbers
from kb_score.contests.results import GameResult, ResultsFile, open_results, utc_now
from kb_score.errors import InputError, say_failure
from kb_score.shell.files import is_scratch, make_folder, write_whole
from kb_score.shell.output import complain

if TYPE_CHECKING:
    from kb_score.contests.plan import Plan
    from kb_score.contests.task import Played, Task

_SIGN = "contest.json"
_NAMED = re.compile(rb'"record": "games/([0-9]{1,18})\.txt"')
_RECORD = re.compile(r"[0-9]+(-[0-9a-f]+)?\.txt")
_LONGEST = 60  # letters of a bot's name in the name of a folder


@dataclass(frozen=True, slots=True)
class Folder:
    """The folder of a contest's results, open to be added to.

    Attributes:
        path: Where it is.
        results: The file of results in it.
        taken: The numbers of records that some result names, whether it counts now or not: they
            stay. When a contest changes, its games get other numbers, or are played again.
    """

    path: Path
    results: ResultsFile
    taken: Numbers

    def keep(self, task: Task, played: Played, key: str) -> list[Path]:
        """Keep a game: its record and the bots' words first, its result when they are there.

        Returns:
            The files of the bots' words.

        Raises:
            InputError: Something cannot be written; the game is played again some time.
        """
        number, outcome = task.match.number + 1, played.outcome
        record = f"games/{number}.txt"
        if number in self.taken:
            record = f"games/{number}-{key}.txt"
        _write(self.path / record, outcome.record.encode(errors="replace"))
        logs = []
        for bot, said in zip(task.bots, played.logs, strict=True):
            log = find_logs(self.path, bot.name) / Path(record).name
            logs.append(log)
            if said:
                make_folder(log.parent)
                _write(log, said)
            else:
                log.unlink(missing_ok=True)  # of an earlier try
        self.results.add(make_result(task, played, key, record))
        self.taken.add(number)
        return logs


def make_result(task: Task, played: Played, key: str, record: str = "") -> GameResult:
    """Make the result of a game."""
    return GameResult(
        key=key,
        number=task.match.number + 1,
        bots=tuple(bot.name for bot in task.bots),
        field=task.field.name,
        round=task.match.round,
        added=task.match.added,
        stays=played.outcome.stays,
        turns=played.outcome.turns,
        record=record,
        ended=utc_now(),
    )


def list_own(path: Path) -> list[str]:
    """List the files in a folder of results that say what it has."""
    return [str(find_results(path)), str(path / _SIGN)]


def find_record(result: GameResult) -> str:
    """Find the name of a game's record in the folder ``games``; empty if it was not kept there."""
    folder, _, name = result.record.partition("/")
    return name if folder == "games" and _RECORD.fullmatch(name) else ""


def find_logs(path: Path, bot: str) -> Path:
    """Find the folder of what a bot said, a file a game, each named as the game's record."""
    return path / "logs" / name_file(bot)


def find_results(path: Path) -> Path:
    """Find the file of results in a folder."""
    return path / "results.jsonl"


@contextmanager
def open_folder(path: Path, plan: Plan, rules: str) -> Iterator[Folder]:
    """Open or make the folder of a contest's results; only one can have it open.

    Args:
        path: Where it is.
        plan: The contest.
        rules: What tells the rules apart.

    Raises:
        InputError: It cannot be used, is something else, or is that of another contest.
    """
    sign = read_sign(path)
    if sign is None and not _is_free(path):
        raise InputError(str(path), "this is no folder of results, and it is not empty")
    check_sign(path, plan, sign)
    if sign is None:
        # What is there without a sign would be refused from now on.
        _write_sign(make_folder(path), plan, rules)
    make_folder(path / "games")
    with open_results(find_results(path)) as results:
        if sign is not None and sign.get("rules") != rules:
            said = "by other rules: only games that were played by those of now count"
            complain(f"{path}: it was last played {said}", kind="warning")
            _write_sign(path, plan, rules)
        yield Folder(path, results, _find_taken(results.path))


def _find_taken(path: Path) -> Numbers:
    """Find the numbers of the records that results name, quickly."""
    taken = Numbers()
    try:
        with path.open("rb") as stream:
            for line in stream:
                if found := _NAMED.search(line):
                    taken.add(int(found[1]))
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error
    return taken


def _is_free(path: Path) -> bool:
    """Whether there is nothing, but for what a writer that was killed has left."""
    try:
        return all(is_scratch(found) for found in path.iterdir())
    except FileNotFoundError:
        return True
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error


def _write_sign(path: Path, plan: Plan, rules: str) -> None:
    now = {"contest": plan.name, "game": plan.game, "rules": rules, "kb-score": __version__}
    write_whole(str(path / _SIGN), (json.dumps(now) + "\n").encode())


def read_sign(path: Path) -> dict[str, Any] | None:
    """Read which contest a folder is of; None if it does not say it.

    Raises:
        InputError: It cannot be read.
    """
    try:
        if path.exists() and not path.is_dir():
            raise InputError(str(path), "results are kept in a folder, and this is none")
        read = json.loads((path / _SIGN).read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error
    except (ValueError, RecursionError) as error:
        raise InputError(str(path / _SIGN), "it does not say which contest it is of") from error
    return read if isinstance(read, dict) else {}


def check_sign(path: Path, plan: Plan, sign: dict[str, Any] | None) -> None:
    """Check that a folder is of this contest, if it is of any.

    Raises:
        InputError: It is not.
    """
    if sign is None and find_results(path).exists():
        raise InputError(
            str(path), f"it has no {_SIGN}, which says of which contest the results are"
        )
    if sign is not None and (sign.get("contest"), sign.get("game")) != (plan.name, plan.game):
        other, game = sign.get("contest"), str(sign.get("game")).replace("_", "-")
        message = f"it has the results of another contest, {other!r} of {game}: name another folder"
        raise InputError(str(path), message)


def name_file(name: str) -> str:
    """Make a name of a file of the name of a bot, which may be none, or too long."""
    plain = re.sub(r"[^\w.+-]", "_", name)[:_LONGEST]
    mark = sha256(name.encode()).hexdigest()[:8]
    return plain if plain == name and name.strip(".") else f"{plain}-{mark}"


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise InputError(str(path), say_failure(error)) from error
