"""What people call the players and a game: names and titles, from options and from comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

from kb_score.errors import FormatError, InputError, Place
from kb_score.games.game import Option
from kb_score.shell.options import OptionGroup
from kb_score.shell.picture import Replay

_COMMENT = re.compile(r"[ \t]*%+[ \t]*(?:player[ \t]+([1-9])|title)[ \t]*:[ \t]*(\S.*)", re.I)
_PLAYER = re.compile(r"\bplayer ([1-9])\b")
# A name stands above a column and in the legend of a picture, a title above a page.
_LONGEST_NAME, _LONGEST_TITLE = 30, 120
# These would be markup somewhere.
_REFUSED = "<>|`"


@dataclass(frozen=True, slots=True)
class Labels:
    """A title, empty if there is none, and the names of players, by number."""

    title: str = ""
    names: Mapping[int, str] = field(default_factory=dict)

    def name(self, player: int) -> str:
        """Name a player; without a name by the number."""
        return self.names.get(player, f"player {player}")

    def put(self, value: Any) -> Any:
        """Put the names into the texts of a value: all that it holds, whatever it is."""
        if isinstance(value, str):
            return _PLAYER.sub(lambda found: self.name(int(found[1])), value)
        if isinstance(value, Mapping):
            return {self.put(key): self.put(text) for key, text in value.items()}
        if isinstance(value, tuple):
            return tuple(map(self.put, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        return replace(value, **{f.name: self.put(getattr(value, f.name)) for f in fields(value)})

    def put_replay(self, replay: Replay) -> Replay:
        """Put the title and the names into the pictures of a game, but not into its file's name."""
        named: Replay = self.put(replace(replay, windows=()))
        return replace(named, record=replay.record, title=self.title)

    def over(self, others: Labels) -> Labels:
        """Add what others have, as far as it is not there; an InputError if two names are equal."""
        names = {**others.names, **self.names}
        for player, name in self.names.items():
            if fault := _find_fault(name, (names[p] for p in names if p != player)):
                raise InputError("--names", fault)
        return Labels(self.title or others.title, names)

    def check_players(self, most: int) -> None:
        """Check that no name is for a player beyond the last; an InputError if one is.

        A player without settlements may have a name.
        """
        last = max(self.names, default=0)
        if last > most:
            raise InputError("--names", f"there are {last} names, but {most} players at most")

    def say_winners(self, winners: Sequence[int], gold: int) -> str:
        """Write the sentence that tells who has won: ``players 1 and 3 tie with 80 gold``."""
        names = [self.name(player) for player in winners]
        if not names:
            return "nobody wins"
        if len(names) == 1:
            return f"{names[0]} wins with {gold} gold"
        if names == [f"player {player}" for player in winners]:
            names = ["players " + str(winners[0]), *map(str, winners[1:])]
        return f"{', '.join(names[:-1])} and {names[-1]} tie with {gold} gold"


NO_LABELS = Labels()


def _find_fault(name: str, others: Iterable[str], most: int = _LONGEST_NAME) -> str:
    """Find what is wrong with a name or a title; empty if it can be shown everywhere."""
    if len(name) > most:
        return f"it has {len(name)} characters, {most} at most are shown"
    if bad := next((c for c in name if not c.isprintable() or c in _REFUSED), ""):
        return f"{bad!r} cannot be shown in it"
    if name in others:
        return f"two players are called {name!r}"
    return f"{name!r} is the number of a player, and no name" * bool(_PLAYER.fullmatch(name))


def read_labels(lines: Sequence[str], first: int, name: str) -> Labels:
    """Read comments such as ``% player 1: Anna`` and ``% title: Friday`` from the lines of a file.

    The first of them has this number. A FormatError says what cannot be shown.
    """
    title, names = "", dict[int, str]()
    for number, line in enumerate(lines, first):
        if "%" not in line or not (found := _COMMENT.fullmatch(line.rstrip())):
            continue
        player, text = int(found[1] or 0), found[2]
        others = [names[other] for other in names if other != player]
        fault = _find_fault(text, others) if player else _find_fault(text, (), _LONGEST_TITLE)
        if fault:
            kind = "name of a player" if player else "title"
            raise FormatError(Place(name, number, found.start(2) + 1, line), f"{kind}: {fault}")
        if player:
            names[player] = text
        else:
            title = text
    return Labels(title, names)


def make_labels(names: str | None, title: str | None = None) -> Labels:
    """Make labels of what the command line says; a player may be left without a name."""
    given = enumerate((names or "").split(","), 1)
    title = (title or "").strip()
    if fault := _find_fault(title, (), _LONGEST_TITLE):
        raise InputError("--title", fault)
    return Labels(title, {player: name.strip() for player, name in given if name.strip()}).over(
        NO_LABELS
    )


# The options of what is drawn.
TITLE = Option("title", None, "What is shown as the title.", unit="TEXT")
NAMES = Option(
    "names", None, "The names of players 1, 2 and so on, such as Anna,Ben.", unit="NAMES"
)
_LABELS = OptionGroup("labels", make_labels)
# ``--names`` and ``--title``, which a command receives as ``labels``.
names_option = _LABELS.option("--names", metavar=NAMES.unit, help=NAMES.help)
title_option = _LABELS.option("--title", metavar=TITLE.unit, help=TITLE.help)
