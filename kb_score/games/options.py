"""Options of games: settings of a match, time limits for bots, and options of verbs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a game: a setting of a match, a time limit for bots, or an option of a verb.

    Attributes:
        name: The name in contest files and of the parameter, such as ``some_name``; the command
            line has ``--some-name``.
        default: The default value, whose type is that of the values; False for a flag.
        help: The help text of the command line.
        least: The smallest number.
        most: The largest number; None for no limit.
        unit: The name of the value on the command line. A number of SECONDS must be more than 0,
            unless ``least`` is 0.
        also: An alternative name on the command line, which other games use for the option; empty
            for none.
        flag: The name on the command line, if it is not derived from ``name``.
        is_repeatable: Whether the option may be given several times.
    """

    name: str
    default: int | float | str | bool | None
    help: str
    least: float = 0
    most: float | None = None
    unit: str = "N"
    also: str = ""
    flag: str = ""
    is_repeatable: bool = False

    @property
    def kind(self) -> Literal["flag", "fraction", "whole", "text"]:
        """The kind of its values: booleans, numbers with or without a fraction, or strings."""
        if self.default is False:
            return "flag"
        if isinstance(self.default, float) or self.unit == "SECONDS":
            return "fraction"
        if isinstance(self.default, int) or self.most is not None:
            return "whole"
        return "text"


TIMEOUT = Option(
    name="timeout",
    default=10.0,
    help="Time that a bot has for an answer.",
    least=0.001,
    most=3600,
    unit="SECONDS",
)
MAP = Option(
    name="map",
    default=None,
    help="The map for most cases  [default: small maps that come with kb-score].",
    unit="MAP",
)
MAX_TURNS = Option(
    name="most_turns",
    default=10_000,
    help="The game stops after this many turns.",
    least=1,
    most=10**9,
)
AFTER = Option(name="after", default="", help="Actions already done in the turn.", unit="ACTIONS")
