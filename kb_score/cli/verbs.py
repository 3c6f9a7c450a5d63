"""The verbs of the command line as data; the module of a verb is loaded when it is called.

The parts of the package, ``reasons``, ``arena``, ``lab``, ``search`` and ``web``, are only named
here: the core imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    from click import Command

    from kb_score.games import GameFolder

KINGDOM_BUILDER = "kingdom-builder"
_SCORE = "kb_score.cli.kingdom_builder.score"


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line.

    Attributes:
        group: The heading above it in the help.
        about: A description in one line.
        module: The module of its command. It has a function ``make_NAME`` that takes a game or, if
            the verb belongs to no game, a command NAME. Empty if each game that has the verb has
            its own command.
        own: The modules of games with their own command, by the games' names; each has a dictionary
            ``COMMANDS`` of commands by verb.
        of: ``games`` if the name of a game follows the verb, ``game`` if the verb belongs to a
            single game, ``none`` if it belongs to no game.
        game: The default game; empty if there is none.
        files_show_game: Whether the game may be omitted if the files show it.
        needs_files: Whether the verb needs a file or an option.
        suits: Returns whether the shared command of ``module`` works for a game.
    """

    name: str
    group: str
    about: str
    module: str = ""
    own: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    of: Literal["games", "game", "none"] = "games"
    game: str = ""
    files_show_game: bool = False
    needs_files: bool = True
    suits: Callable[[GameFolder], bool] = lambda _: True

    def is_of(self, game: GameFolder) -> bool:
        """Return whether a game has the verb."""
        return self.has_own(game) or (bool(self.module) and self.suits(game))

    def has_own(self, game: GameFolder) -> bool:
        """Return whether a game has its own command for the verb."""
        return game.name in self.own

    def load(self, game: GameFolder | None = None) -> Command:
        """Load the command of the verb for a game; None stands for no game."""
        if game is None:
            return cast("Command", getattr(import_module(self.module), self.name))
        if self.has_own(game):
            own = import_module(self.own[game.name])
            return cast("Command", own.COMMANDS[self.name])
        make = getattr(import_module(self.module), f"make_{self.name}")
        return cast("Command", make(game.type))


def _of_kingdom_builder(module: str) -> Mapping[str, str]:
    return MappingProxyType({KINGDOM_BUILDER: module})


_ALL = (
    Verb(
        "score",
        "Score",
        "Score Kingdom Builder boards.",
        own=_of_kingdom_builder(_SCORE),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "explain",
        "Score",
        "Show the evidence for every score of a Kingdom Builder board.",
        own=_of_kingdom_builder(_SCORE),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "board",
        "Score",
        "Assemble a Kingdom Builder board from four quadrants.",
        own=_of_kingdom_builder(_SCORE),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "sheet",
        "Score",
        "Write a web page to score finished games of Kingdom Builder on a phone.",
        own=_of_kingdom_builder("kb_score.web.sheet"),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "check",
        "Check",
        "Cross-check a record or a claim against the rules.",
        module="kb_score.cli.check",
        own=_of_kingdom_builder("kb_score.cli.kingdom_builder.check"),
        files_show_game=True,
    ),
    Verb(
        "rank",
        "Check",
        "Rank entries by their records on a set of maps.",
        module="kb_score.arena.contests.rank",
        suits=lambda game: game.ranks_records,
    ),
    Verb(
        "play", "Play", "Referee a live game between bots or people.", module="kb_score.arena.play"
    ),
    Verb(
        "bot",
        "Play",
        "Test one bot on the edge cases of its protocol.",
        module="kb_score.arena.bot",
    ),
    Verb(
        "contest",
        "Play",
        "Run a contest of many bots, and rank them with ratings.",
        module="kb_score.arena.contest",
        of="none",
    ),
    Verb(
        "tournament",
        "Play",
        "Run a tournament of Slime bots in all combinations.",
        own=MappingProxyType({"slime": "kb_score.arena.contests.tournament"}),
    ),
    Verb(
        "playouts", "Play", "Play random legal games to the end.", module="kb_score.arena.playouts"
    ),
    Verb(
        "tabletop",
        "Play",
        "Write a web page to play the published game of Kingdom Builder.",
        own=_of_kingdom_builder("kb_score.web.tabletop"),
        game=KINGDOM_BUILDER,
        needs_files=False,
    ),
    Verb(
        "draw",
        "See",
        "Draw a board or a turn of a game.",
        module="kb_score.cli.draw",
        own=_of_kingdom_builder("kb_score.cli.kingdom_builder.draw"),
        game=KINGDOM_BUILDER,
        files_show_game=True,
    ),
    Verb(
        "replay",
        "See",
        "Show a whole game as a web page or an animation.",
        module="kb_score.cli.draw",
        files_show_game=True,
    ),
    Verb(
        "report",
        "See",
        "Show the scores of Kingdom Builder boards as a web page.",
        own=_of_kingdom_builder("kb_score.web.kingdom_builder"),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "playground",
        "See",
        "Write a web page in which the rules can be edited.",
        module="kb_score.web.records",
        own=_of_kingdom_builder("kb_score.web.kingdom_builder"),
        game=KINGDOM_BUILDER,
        files_show_game=True,
        needs_files=False,
    ),
    Verb(
        "legal",
        "Ask",
        "List the legal moves, or explain why a move is not legal.",
        module="kb_score.cli.legal",
        game=KINGDOM_BUILDER,
        files_show_game=True,
    ),
    Verb(
        "advise",
        "Ask",
        "Find the placements that gain a Kingdom Builder player the most gold.",
        own=_of_kingdom_builder("kb_score.search.advise"),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "restore",
        "Ask",
        "Find the Kingdom Builder boards that explain claimed scores.",
        own=_of_kingdom_builder("kb_score.search.restore"),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "solve",
        "Ask",
        "Find the fewest turns in which a game can be finished, with a proof.",
        own=MappingProxyType({"search-party": "kb_score.search.solve"}),
        files_show_game=True,
    ),
    Verb(
        "rules",
        "Rules",
        "List, show, test and export the rules.",
        module="kb_score.cli.rules",
        of="none",
    ),
    Verb(
        "facts",
        "Rules",
        "Print the facts of a file, for clingo.",
        module="kb_score.cli.facts",
        of="none",
    ),
    Verb(
        "new",
        "Help",
        "Write a template for a card, a board, a game, a contest, a bot or rules.",
        module="kb_score.cli.new",
        of="none",
    ),
    Verb(
        "docs",
        "Help",
        "Show the pages of the documentation.",
        module="kb_score.cli.docs",
        of="none",
    ),
    Verb(
        "completion",
        "Help",
        "Print the script that completes verbs, options and values in a shell.",
        module="kb_score.cli.completion",
        of="none",
    ),
)

# By name, in the order of the documentation.
VERBS = {verb.name: verb for verb in _ALL}
