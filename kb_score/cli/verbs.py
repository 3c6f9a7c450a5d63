"""The verbs of the command line, as data: the module of a verb is loaded when it is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KINGDOM_BUILDER = "kingdom-builder"


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb of the command line.

    Attributes:
        name: The verb.
        group: The heading that it stands under in the help.
        about: What it does, in one line.
        of: ``games`` if the name of a game follows the verb, ``game`` if it belongs to one game
            alone, ``none`` if it belongs to no game: its command is in ``kb_score/cli/NAME.py``.
        game: The game that it belongs to, or that is meant where none is named.
        module: The module that adds a verb to its game, if the game's folder does not.
        files_tell: Whether the game may be left out where the files tell it.
        needs_files: Whether it needs a file or an option.
    """

    name: str
    group: str
    about: str
    of: Literal["games", "game", "none"]
    game: str = ""
    module: str = ""
    files_tell: bool = False
    needs_files: bool = True


_ALL = (
    Verb("score", "Score", "Score Kingdom Builder boards.", "game", KINGDOM_BUILDER),
    Verb(
        "explain",
        "Score",
        "Show the evidence for every score of a Kingdom Builder board.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "board",
        "Score",
        "Put together a Kingdom Builder board of four quadrants.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "sheet",
        "Score",
        "Score a finished game of Kingdom Builder on a phone, in a page of the browser.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "check",
        "Check",
        "Cross-check a record or a claim against the rules.",
        "games",
        files_tell=True,
    ),
    Verb("rank", "Check", "Rank entries by their records on a set of maps.", "games"),
    Verb("play", "Play", "Referee bots live.", "games"),
    Verb("bot", "Play", "Put one bot through the odd cases of its protocol.", "games"),
    Verb("contest", "Play", "Let many bots play any game, and rank them with ratings.", "none"),
    Verb(
        "tournament",
        "Play",
        "Let bots of Slime play each other in all combinations.",
        "games",
        "slime",
        "kb_score.contests.tournament",
    ),
    Verb("playouts", "Play", "Play random legal games to their ends.", "games"),
    Verb(
        "tabletop",
        "Play",
        "Play the published game of Kingdom Builder in a page of the browser.",
        "games",
        KINGDOM_BUILDER,
        needs_files=False,
    ),
    Verb(
        "draw",
        "See",
        "Draw a board or a turn of a game.",
        "games",
        KINGDOM_BUILDER,
        files_tell=True,
    ),
    Verb("replay", "See", "Show a whole game as a page or an animation.", "games", files_tell=True),
    Verb(
        "report",
        "See",
        "Show the scores of Kingdom Builder boards as a page.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "playground",
        "See",
        "Put the rules into a page of the browser, to change them there.",
        "games",
        KINGDOM_BUILDER,
        files_tell=True,
        needs_files=False,
    ),
    Verb(
        "legal",
        "Ask",
        "List the legal moves of a player, or say why one is not.",
        "games",
        KINGDOM_BUILDER,
        files_tell=True,
    ),
    Verb(
        "advise",
        "Ask",
        "Find the placements that gain a player of Kingdom Builder most.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "restore",
        "Ask",
        "Find the Kingdom Builder boards that explain claimed scores.",
        "game",
        KINGDOM_BUILDER,
    ),
    Verb(
        "solve",
        "Ask",
        "Find the fewest turns of a game, with a proof.",
        "games",
        "search-party",
        module="kb_score.search.solve",
        files_tell=True,
    ),
    Verb("rules", "Rules", "List, show, test and export the rules.", "none"),
    Verb("facts", "Rules", "Print the facts of a file, for clingo.", "none"),
    Verb(
        "new",
        "Help",
        "Write a start for a card, a board, a game, a contest, a bot or rules.",
        "none",
    ),
    Verb("docs", "Help", "Show the pages of the documentation.", "none"),
    Verb(
        "completion",
        "Help",
        "Print what makes a shell complete verbs, options, cards and more.",
        "none",
    ),
)

# By name, in the order of the documentation.
VERBS = {verb.name: verb for verb in _ALL}
