"""The verbs of the command line, as data: the module of a verb is loaded when it is called.

The parts of the package, ``reasons``, ``arena``, ``lab``, ``search`` and ``web``, are named here
and imported nowhere in the core.
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
        name: The verb.
        group: The heading that it stands under in the help.
        about: What it does, in one line.
        module: The module that has it: a function ``make_NAME`` of a game, or, where the verb
            belongs to no game, a command called NAME. Empty if only some games have it.
        own: The modules of games with a command of their own, by the games' names; each has a table
            ``COMMANDS`` of commands by verb.
        of: ``games`` if the name of a game follows the verb, ``game`` if it belongs to one game
            alone, ``none`` if it belongs to no game.
        game: The game that is meant where none is named.
        files_tell: Whether the game may be left out where the files tell it.
        needs_files: Whether it needs a file or an option.
        suits: Whether a game has what the verb is about.
    """

    name: str
    group: str
    about: str
    module: str = ""
    own: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    of: Literal["games", "game", "none"] = "games"
    game: str = ""
    files_tell: bool = False
    needs_files: bool = True
    suits: Callable[[GameFolder], bool] = lambda _: True

    def is_of(self, game: GameFolder) -> bool:
        """Return whether a game has the verb."""
        if self._find_own(game):
            return True
        return bool(self.module) and self.suits(game)

    def has_own(self, game: GameFolder) -> bool:
        """Return whether a game has a command of its own for it."""
        return bool(self._find_own(game))

    def _find_own(self, game: GameFolder) -> str:
        """Find the module of the game's own command; empty if it has none."""
        return game.own_verbs.get(self.name) or self.own.get(game.name, "")

    def load(self, game: GameFolder | None = None) -> Command:
        """Load its command, or that of a game."""
        if game is None:
            return cast("Command", getattr(import_module(self.module), self.name))
        own = self._find_own(game)
        if own:
            return cast("Command", import_module(own).COMMANDS[self.name])
        return cast("Command", getattr(import_module(self.module), f"make_{self.name}")(game.type))


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
        "Put together a Kingdom Builder board of four quadrants.",
        own=_of_kingdom_builder(_SCORE),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "sheet",
        "Score",
        "Score a finished game of Kingdom Builder on a phone, in a page of the browser.",
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
        files_tell=True,
    ),
    Verb(
        "rank",
        "Check",
        "Rank entries by their records on a set of maps.",
        module="kb_score.arena.contests.rank",
        suits=lambda game: game.ranks_records,
    ),
    Verb("play", "Play", "Referee bots live.", module="kb_score.arena.play"),
    Verb(
        "bot",
        "Play",
        "Put one bot through the odd cases of its protocol.",
        module="kb_score.arena.bot",
    ),
    Verb(
        "contest",
        "Play",
        "Let many bots play any game, and rank them with ratings.",
        module="kb_score.arena.contest",
        of="none",
    ),
    Verb(
        "tournament",
        "Play",
        "Let bots of Slime play each other in all combinations.",
        own=MappingProxyType({"slime": "kb_score.arena.contests.tournament"}),
    ),
    Verb(
        "playouts",
        "Play",
        "Play random legal games to their ends.",
        module="kb_score.arena.playouts",
    ),
    Verb(
        "tabletop",
        "Play",
        "Play the published game of Kingdom Builder in a page of the browser.",
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
        files_tell=True,
    ),
    Verb(
        "replay",
        "See",
        "Show a whole game as a page or an animation.",
        module="kb_score.cli.draw",
        files_tell=True,
    ),
    Verb(
        "report",
        "See",
        "Show the scores of Kingdom Builder boards as a page.",
        own=_of_kingdom_builder("kb_score.web.kingdom_builder"),
        of="game",
        game=KINGDOM_BUILDER,
    ),
    Verb(
        "playground",
        "See",
        "Put the rules into a page of the browser, to change them there.",
        module="kb_score.web.records",
        own=_of_kingdom_builder("kb_score.web.kingdom_builder"),
        game=KINGDOM_BUILDER,
        files_tell=True,
        needs_files=False,
    ),
    Verb(
        "legal",
        "Ask",
        "List the legal moves of a player, or say why one is not.",
        module="kb_score.cli.legal",
        game=KINGDOM_BUILDER,
        files_tell=True,
    ),
    Verb(
        "advise",
        "Ask",
        "Find the placements that gain a player of Kingdom Builder most.",
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
        "Find the fewest turns of a game, with a proof.",
        own=MappingProxyType({"search-party": "kb_score.search.solve"}),
        files_tell=True,
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
        "Write a start for a card, a board, a game, a contest, a bot or rules.",
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
        "Print what makes a shell complete verbs, options, cards and more.",
        module="kb_score.cli.completion",
        of="none",
    ),
)

# By name, in the order of the documentation.
VERBS = {verb.name: verb for verb in _ALL}
