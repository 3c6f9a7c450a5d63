"""What games take along to other machines: the folders of bots and of a user's rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.contests.entrants import find_programs
from kb_score.shell.parcels import Parcel, pack_files, pack_folder

if TYPE_CHECKING:
    from kb_score.contests.plan import Plan
    from kb_score.engine.run import Changes


class Luggage(Mapping[Path, Parcel]):
    """The folders of a contest, each packed when it is first asked for.

    Of the folder of the contest's file only those files go along that the commands of bots name.
    """

    def __init__(self, plan: Plan, changes: Changes) -> None:
        self._plan = plan
        folders = {bot.folder for bot in plan.bots if bot.folder is not None}
        self._folders = frozenset({plan.home, *folders, *changes.folders})
        self._packed: dict[Path, Parcel] = {}

    def __getitem__(self, folder: Path) -> Parcel:
        """Pack a folder.

        Raises:
            InputError: It cannot be read, is too large, or something in it cannot travel.
        """
        if folder not in self._folders:
            raise KeyError(folder)
        if folder not in self._packed:
            self._packed[folder] = self._pack(folder)
        return self._packed[folder]

    def __iter__(self) -> Iterator[Path]:
        """List the folders."""
        return iter(self._folders)

    def __len__(self) -> int:
        """Count the folders."""
        return len(self._folders)

    def _pack(self, folder: Path) -> Parcel:
        home = self._plan.home
        if folder != home:
            return pack_folder(folder)
        bots = (bot for bot in self._plan.bots if bot.folder is None)
        files = {path for bot in bots for path in find_programs(bot, home)}
        return pack_files(home, [path for path in files if path.is_relative_to(home)])
