"""What is kept of the outputs of a session: nothing that cannot be the same twice."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import decompress

_MOST = 12_000  # letters of a text that is kept as it is
_DATA = re.compile(r'id="data"[^>]*>([^<]*)<')

# Times and dates, the version, digests of rules, and numbers of lines in rule files.
_CHANGING = {"seconds", "seconds_median", "seconds_worst", "seconds_left", "ended"}
_CHANGING |= {"kb-score", "key", "parts", "rules", "line"}
# Of a page, what is drawn, what is written for people, and what is kept elsewhere.
_DRAWN = {"shape", "looks", "legend", "svg", "outline", "styles", "template", "text", "shipped"}
# Of the playground, what repeats rule files.
_RULES = {"answer", "compare", "files", "lifted", "ours", "uses", "why"}

# Of the page of a contest, what is neither a time nor written for people.
_CONTEST = (
    *("bots", "order", "seats", "field", "fields", "figures", "faults", "ratings", "compared"),
    *("left", "replays", "records", "logs", "said"),
)


def normalise(value: Any, folder: Path) -> Any:
    """Return a value of JSON without what changes: times, digests, the folder, lines of rules."""
    if isinstance(value, dict):
        if "merit" in value:
            # What is said of a fault begins with its turn; the words may change.
            value = {**value, "detail": value["detail"].partition(":")[0]}
        return {
            normalise(key, folder): normalise(one, folder)
            for key, one in value.items()
            if key not in _CHANGING
        }
    if isinstance(value, list):
        return [normalise(one, folder) for one in value]
    if isinstance(value, str):
        for path in (folder.resolve(), folder):
            value = value.replace(str(path), "FOLDER")
    return value


def keep_output(text: str, keys: Collection[str], folder: Path) -> Any:
    """Keep what a command printed: objects of JSON, one a line, or text."""
    lines = text.splitlines()
    if not lines or not all(line.startswith("{") for line in lines):
        return _keep_text(text)
    read = [normalise(json.loads(line), folder) for line in lines]
    return [{key: one[key] for key in one if not keys or key in keys} for one in read]


def keep_file(path: Path, folder: Path) -> Any:
    """Keep a file: the data of a page, the values of JSON, or all of a text, such as a record."""
    text = path.read_bytes().decode()
    if path.suffix == ".html":
        return _cut(normalise(_read_page(text), folder))
    if path.suffix == ".jsonl":
        return [normalise(json.loads(line), folder) for line in text.splitlines()]
    if path.suffix == ".json":
        return normalise(json.loads(text), folder)
    return _keep_text(text)


def _keep_text(text: str) -> Any:
    """Keep a text as its lines, which joined by line ends are the same bytes, or as a digest."""
    return text.split("\n") if len(text) <= _MOST else _digest(text)


def _digest(text: str) -> dict[str, Any]:
    return {"sha256": sha256(text.encode()).hexdigest(), "letters": len(text)}


def _read_page(text: str) -> dict[str, Any]:
    found = _DATA.search(text)
    assert found is not None, "a page without data"
    read: dict[str, Any] = json.loads(decompress(b64decode(found[1])))
    if "steps" in read:
        wanted = "rows", "columns", "first", "start", "steps", "violations"
        return {key: read[key] for key in wanted}
    if "compared" in read:
        # Of each game: its number, round and turns, then who was there, by place, with its figures.
        games = [[*game[:3], [seat[:4] for seat in game[3]], *game[4:]] for game in read["games"]]
        return {**{key: read[key] for key in _CONTEST}, "games": games}
    return {key: one for key, one in read.items() if key not in _DRAWN | _RULES}


def _cut(value: Any) -> Any:
    """Take the drawings out of the data of a page, and long parts as digests."""
    if isinstance(value, dict):
        kept = {key: _cut(one) for key, one in value.items() if key not in _DRAWN}
        text = json.dumps(kept)
        return kept if len(text) <= _MOST else {key: _shorten(one) for key, one in kept.items()}
    return [_cut(one) for one in value] if isinstance(value, list) else value


def _shorten(value: Any) -> Any:
    text = json.dumps(value)
    return value if len(text) <= _MOST else _digest(text)
