"""A command line that is being made, until it is a case."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from tools.campaign.case import Case

# What mutations may change in a file, by its role; the roles are kinds of the table, too.
ROLES = ("boards", "games", "maps", "records", "claims", "tournaments")

FORMATS = ("table", "markdown", "csv", "json")


@dataclass(slots=True)
class Command:
    """A command that is about to become a case.

    Attributes:
        game: The game whose rules it uses, for ``--rules``; empty where there are none.
        verb: The words before the options.
        words: The files and other words after the options.
        options: The options with their values.
        files: The files of the folder.
        roles: What each file is that mutations may change, one of `ROLES`.
        bot: The words after ``--``.
        writes: The files that may be made.
        recheck: The words of a command that reads what was written.
        given: What standard input has.
        has_format: Whether it takes ``--format``.
    """

    game: str
    verb: list[str]
    words: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    bot: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    recheck: list[str] = field(default_factory=list)
    given: bytes = b""
    has_format: bool = True

    def to_case(self, kind: str, rng: random.Random) -> Case:
        """Finish it: some format, options before or after the files."""
        options = [*self.options]
        if self.has_format and "--format" not in options and rng.random() < 0.6:
            options += ["--format", rng.choice(FORMATS)]
        words = [*options, *self.words] if rng.random() < 0.5 else [*self.words, *options]
        bot = ["--", *self.bot] if self.bot else []
        return Case(
            kind,
            (*self.verb, *words, *bot),
            self.files,
            given=self.given,
            writes=tuple(self.writes),
            recheck=tuple(self.recheck),
            real=rng.random() < 0.05,
        )
