"""The names of players and the title of a game, from options and from comments in records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any

import click

from kb_score.errors import FormatError, InputError, Place, describe_list, guess, visible
from kb_score.shell.options import OptionGroup, WholeNumber
from kb_score.shell.picture import Replay

_COMMENT = re.compile(r"[ \t]*%+[ \t]*(?:player[ \t]+([1-9])|title)[ \t]*:[ \t]*(\S.*)", re.I)
_PLAYER = re.compile(r"\bplayer ([1-9])\b")
_MOST_PLAYERS = 5
_LONGEST_NAME = 30  # fits above a column and in the legend of a picture
_LONGEST_TITLE = 120  # fits above a page
_REFUSED = "<>|`"  # would be markup in a page or a table


@dataclass(frozen=True, slots=True)
class Labels:
    """The title of a game, empty if there is none, and the names of players by their numbers."""

    title: str = ""
    names: Mapping[int, str] = field(default_factory=dict)

    def name(self, player: int) -> str:
        """Return the name of a player or, if the player has none, a phrase such as ``player 2``."""
        return self.names.get(player, f"player {player}")

    def find_player(self, player: int | str | None, source: str) -> int | None:
        """Return the number of a player who is given by number or by name, or None for no player.

        A name that no player has is an InputError, which names the source of the names.
        """
        if not isinstance(player, str):
            return player
        for number, name in self.names.items():
            if name.casefold() == player.casefold():
                return number
        hint = guess(player, self.names.values())
        expected = f"a number from 1 to {_MOST_PLAYERS}"
        if self.names:
            known = describe_list(list(self.names.values()))
            expected += f", or a name in {visible(source)} ({known})"
        raise InputError("--player", f"expected {expected}, not {visible(player)!r}{hint}")

    def put(self, value: Any) -> Any:
        """Return a value with names in place of ``player 1`` and so on.

        Parts of a mapping, tuple or dataclass are replaced, too; what is not text stays.
        """
        if isinstance(value, str):
            return _PLAYER.sub(self._put_name, value)
        if isinstance(value, Mapping):
            return {self.put(key): self.put(text) for key, text in value.items()}
        if isinstance(value, tuple):
            return tuple(map(self.put, value))
        if not is_dataclass(value) or isinstance(value, type):
            return value
        parts = {part.name: self.put(getattr(value, part.name)) for part in fields(value)}
        return replace(value, **parts)

    def _put_name(self, found: re.Match[str]) -> str:
        """Return the name of a player in place of a match of the pattern."""
        player = int(found[1])
        return self.name(player)

    def put_replay(self, replay: Replay) -> Replay:
        """Return a replay with the title and the names; the name of its record is kept."""
        named: Replay = self.put(replace(replay, windows=()))
        return replace(named, record=replay.record, title=self.title)

    def over(self, others: Labels) -> Labels:
        """Return these labels, completed by others where these have none.

        It is an InputError if two players then have the same name, or a name cannot be shown.
        """
        names = {**others.names, **self.names}
        for player in self.names:
            fault = _find_name_fault(names, player)
            if fault:
                raise InputError("--names", fault)
        title = self.title or others.title
        return Labels(title, names)

    def check_players(self, most: int) -> None:
        """Raise an InputError if a name is for a player beyond the last one."""
        last = max(self.names, default=0)
        if last > most:
            message = f"there are {last} names, but at most {most} players"
            raise InputError("--names", message)

    def describe_winners(self, winners: Sequence[int], gold: int) -> str:
        """Return a sentence about the winners, such as ``players 1 and 3 tie with 80 gold``."""
        names = [self.name(player) for player in winners]
        if not names:
            return "nobody wins"
        if len(names) == 1:
            return f"{names[0]} wins with {gold} gold"
        if names == [f"player {player}" for player in winners]:
            first, *others = winners
            names = [f"players {first}", *map(str, others)]
        *before, last = names
        listed = ", ".join(before)
        return f"{listed} and {last} tie with {gold} gold"


NO_LABELS = Labels()


class PlayerName(click.ParamType):  # type: ignore[type-arg]  # generic in new versions only
    """The number or the name of a player on the command line; a name is looked up in the file."""

    name = "player"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """Read a number, or keep a name."""
        text = str(value).strip()
        if not text or text.lstrip("-").isdigit():
            return WholeNumber(1, _MOST_PLAYERS).convert(text, param, ctx)
        return text


def _find_name_fault(names: Mapping[int, str], player: int) -> str:
    """Return why the name of a player cannot be used; empty if it can."""
    others = [name for other, name in names.items() if other != player]
    return _find_fault(names[player], _LONGEST_NAME, others)


def _find_fault(text: str, most: int, others: Sequence[str] = ()) -> str:
    """Return why a name or a title cannot be shown everywhere; empty if it can."""
    if len(text) > most:
        return f"it has {len(text)} characters, but at most {most} are allowed"
    for character in text:
        if not character.isprintable() or character in _REFUSED:
            return f"{character!r} cannot be shown in it"
    if text in others:
        return f"two players are called {text!r}"
    if _PLAYER.fullmatch(text):
        return f"{text!r} is the number of a player, not a name"
    return ""


def read_labels(lines: Sequence[str], first: int, name: str) -> Labels:
    """Return the labels in comments such as ``% player 1: Anna`` and ``% title: Friday``.

    The lines begin with the line ``first`` of the file. A name or a title that cannot be shown is a
    FormatError.
    """
    title = ""
    names: dict[int, str] = {}
    for number, line in enumerate(lines, first):
        if "%" not in line:
            continue
        found = _COMMENT.fullmatch(line.rstrip())
        if found is None:
            continue
        digit, text = found.groups()
        if digit:
            player = int(digit)
            names[player] = text
            kind = "name of a player"
            fault = _find_name_fault(names, player)
        else:
            title = text
            kind = "title"
            fault = _find_fault(title, _LONGEST_TITLE)
        if fault:
            column = found.start(2) + 1
            place = Place(name, number, column, line)
            raise FormatError(place, f"{kind}: {fault}")
    return Labels(title, names)


def make_labels(names: str | None, title: str | None = None) -> Labels:
    """Return the labels from the command line.

    The names of players 1, 2 and so on are separated by commas; some may be empty. A name or a
    title that cannot be shown, and two identical names, are an InputError.
    """
    title = (title or "").strip()
    fault = _find_fault(title, _LONGEST_TITLE)
    if fault:
        raise InputError("--title", fault)
    by_player: dict[int, str] = {}
    for player, name in enumerate((names or "").split(","), 1):
        stripped = name.strip()
        if stripped:
            by_player[player] = stripped
    labels = Labels(title, by_player)
    return labels.over(NO_LABELS)


_LABELS = OptionGroup("labels", make_labels)
# The options of a command that receives ``labels``.
names_option = _LABELS.option(
    "--names", metavar="NAMES", help="The names of players 1, 2 and so on, such as Anna,Ben."
)
title_option = _LABELS.option("--title", metavar="TEXT", help="The title to show.")
