r"""Run the rules of grid games: score Kingdom Builder boards, check records and play matches.

    >>> import kb_score
    >>> scores = kb_score.score(". . C 1\n . 1 . W\n")
    >>> scores.gold["castles"], scores.gold["fishermen"]
    ((3,), (1,))
    >>> match = kb_score.game("slime").new_match(seed=1)
    >>> match.apply(match.legal_moves()[0])
    >>> match.turn, match.mover
    (1, 2)

docs/library.md documents all names. No function prints or exits; invalid input raises a
`KbScoreError`, whose text is the message for the user. A name is loaded when it is first used, so
that the command starts fast.
"""

TYPE_CHECKING = False  # importing the typing module takes a while
if TYPE_CHECKING:
    from kb_score.api.boards import (
        board,
        check_claims,
        explain,
        load_rules,
        parse_board,
        read_boards,
        score,
        score_many,
    )
    from kb_score.api.games import Game, game, list_games
    from kb_score.api.matches import Match
    from kb_score.api.positions import Position
    from kb_score.api.replays import Replay
    from kb_score.engine.docs import Ruling
    from kb_score.engine.supervisor import LimitError
    from kb_score.errors import FormatError, IllegalMoveError, InputError, KbScoreError, RuleError
    from kb_score.games.kingdom_builder.board import Board
    from kb_score.games.kingdom_builder.rules import Card, Rules
    from kb_score.games.kingdom_builder.scoring import (
        Combination,
        Evidence,
        Explanation,
        Finding,
        Scores,
    )
    from kb_score.games.match import Reason
    from kb_score.games.options import Option
    from kb_score.shell.verdict import Verdict, Violation
    from kb_score.version import __version__ as __version__

_NAMES_BY_MODULE = {
    "api.boards": "board check_claims explain load_rules parse_board read_boards score score_many",
    "api.games": "Game game list_games",
    "api.matches": "Match",
    "api.positions": "Position",
    "api.replays": "Replay",
    "engine.docs": "Ruling",
    "engine.supervisor": "LimitError",
    "games.kingdom_builder.board": "Board",
    "games.kingdom_builder.rules": "Card Rules",
    "errors": "FormatError IllegalMoveError InputError KbScoreError RuleError",
    "games.kingdom_builder.scoring": "Combination Evidence Explanation Finding Scores",
    "games.match": "Reason",
    "games.options": "Option",
    "shell.verdict": "Verdict Violation",
}
_MODULE_OF = {name: home for home, names in _NAMES_BY_MODULE.items() for name in names.split()}

__all__ = [
    "Board",
    "Card",
    "Combination",
    "Evidence",
    "Explanation",
    "Finding",
    "FormatError",
    "Game",
    "IllegalMoveError",
    "InputError",
    "KbScoreError",
    "LimitError",
    "Match",
    "Option",
    "Position",
    "Reason",
    "Replay",
    "RuleError",
    "Rules",
    "Ruling",
    "Scores",
    "Verdict",
    "Violation",
    "board",
    "check_claims",
    "explain",
    "game",
    "list_games",
    "load_rules",
    "parse_board",
    "read_boards",
    "score",
    "score_many",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    # The version is imported late, so that the command handles signals before it loads anything.
    if name == "__version__":
        from kb_score.version import __version__

        return __version__
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"kb_score.{_MODULE_OF[name]}"), name)
