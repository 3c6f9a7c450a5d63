"""The rules in a page of the browser, to be changed there: what ``web/src`` reads of any game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kb_score.engine.run import list_rule_files, list_wanted
from kb_score.engine.terms import write_facts
from kb_score.engine.written import write_lifted
from kb_score.errors import InputError, visible
from kb_score.resources import find_folder
from kb_score.shell.pages import list_styles, write_playground

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kb_score.engine.run import Asked, GameRules
    from kb_score.games.replay import Window
    from kb_score.shell.replay import Replay

# A page draws places one by one.
_MOST_PLACES = 20_000
# After so many milliseconds rules are taken to have no end.
LIMIT_BOARD, LIMIT_RECORD = 5_000, 20_000

_NEW_FILE = """\
% Rules of this file are added to the others. They speak of all turns, each a Turn of turn(Turn).
"""


def list_files(game: GameRules, parts: str = "") -> list[dict[str, Any]]:
    """List the rule files, ours and the user's, each with the text that is shipped, if any is.

    Parts that are named, with blanks between them, are lifted to all turns.
    """
    home = find_folder("asp") / game.game
    shipped = {path.name: path for path in list_rule_files(game.game)[0]}
    _, users = list_rule_files(game.game, game.changes.folders)
    changed = {path.name: path for path in users}

    def write(path: Path) -> str:
        return write_lifted(path, parts.split())

    return [
        {
            "name": name,
            "folder": _name_folder(shipped[name].relative_to(home)) if name in shipped else "new",
            "text": write(changed.get(name) or shipped[name]),
            "shipped": write(shipped[name]) if name in shipped else None,
        }
        for name in [*shipped, *(name for name in changed if name not in shipped)]
    ]


def _name_folder(path: Path) -> str:
    return str(path.parent) if len(path.parts) > 1 else "rules"


def write_record(replay: Replay, asked: Sequence[Asked], game: GameRules, who: str) -> str:
    """Write the page of a record, whose replay has kept the answers that it was made of.

    Args:
        replay: The replay.
        asked: All questions to the rules about the record, and their answers.
        game: The rules.
        who: What a number is called in a violation, such as "player {}".

    Raises:
        InputError: The rules choose for such a record, or it is too large for a page.
    """
    parts = _find_parts(replay, asked)
    # What holds for windows that go astray holds for the others too, and lifts more.
    use = max((a.use for _, a in parts), key=lambda use: len(use.lifted.split()))
    wanted = list_wanted(game.game, use.files)
    data = {
        "kind": "record",
        "parts": [
            {"facts": write_facts(a.facts), "before": w.before, "caption": w.caption}
            for w, a in parts
        ],
        "limit": LIMIT_RECORD,
        "who": who,
        "size": replay.size,
        "files": [
            f for f in list_files(game, use.lifted) if f["name"] in wanted or not f["shipped"]
        ],
        "open": "rules.lp",
        "lifted": use.lifted.split(),
        "uses": {"record": sorted(wanted)},
        "constants": dict(game.changes.constants),
        "template": _NEW_FILE,
        "styles": list_styles(hexes=replay.hexes),
    }
    return write_playground(f"{replay.game}: {visible(replay.record)}", data)


def _find_parts(replay: Replay, asked: Sequence[Asked]) -> list[tuple[Window, Asked]]:
    """Find the questions whose answers a replay is made of, if a page can ask them again."""
    name, (rows, columns) = replay.record, replay.size
    parts = [(w, a) for w in replay.windows for a in asked if a.answer is w.answer]
    if not parts or any(a.use.models != "only" for _, a in parts):
        raise InputError(name, "a playground takes sessions: here the rules have to choose")
    if rows * columns > _MOST_PLACES:
        size = f"{rows} rows of {columns} places"
        raise InputError(name, f"{size} are too many for a page: {_MOST_PLACES} is the limit")
    return parts
