"""What a program can call: text or boards in, values out; nothing here prints or exits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.engine.run import Changes, GameRules
from kb_score.games.kingdom_builder.board import Board, parse_board
from kb_score.games.kingdom_builder.cards import GAME, Rules
from kb_score.games.kingdom_builder.cards import load_rules as load_card_rules
from kb_score.games.kingdom_builder.check import check_claims as check_board_claims
from kb_score.games.kingdom_builder.evidence import Explanation
from kb_score.games.kingdom_builder.evidence import explain as explain_board
from kb_score.games.kingdom_builder.scoring import Scorer, Scores, score_boards

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from kb_score.errors import KbScoreError
    from kb_score.shell.verdict import Verdict


def score(
    board: str | Board,
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int] | None = None,
) -> Scores:
    """Score one Kingdom Builder board.

    Args:
        board: The board, or its text.
        cards: The cards of the game by name or number; None for all cards and no total.
        combinations: Whether to add the challenge's 16 games of three cards.
        players: The number of players; None for everybody with a settlement.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"lords_need_settlement": 0}``.

    Returns:
        The gold of each card and player, totals where cards are chosen, and what the board does
        not satisfy.

    Raises:
        FormatError: The text is no board; it holds line and column.
        BoardError: The board cannot be scored, for instance with an odd number of rows.
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    loaded = load_rules(rules, constants)
    return Scorer(loaded, _find(cards, loaded), combinations, players).score(_read(board))


def score_many(
    boards: Iterable[Board],
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int] | None = None,
    executor: Executor | None = None,
) -> Iterator[Scores | KbScoreError]:
    """Score many boards, which is faster than one by one.

    Args:
        boards: The boards, drawn as they are needed; see `read_boards`.
        cards: As for `score`, like the arguments after it.
        combinations: As for `score`.
        players: As for `score`.
        rules: As for `score`.
        constants: As for `score`.
        executor: Where to work, such as a ProcessPoolExecutor; None for this process.

    Yields:
        For each board in turn its scores, or what is wrong with it.

    Raises:
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    loaded = load_rules(rules, constants)
    scorer = Scorer(loaded, _find(cards, loaded), combinations, players)
    return score_boards(boards, scorer, executor)


def explain(
    board: str | Board,
    *,
    card: str | int | None = None,
    player: int | None = None,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int] | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a Kingdom Builder board.

    Args:
        board: The board, or its text.
        card: The only card to explain, by name or number; None for all.
        player: The only player to explain; None for all.
        players: As for `score`, like the arguments after it.
        rules: As for `score`.
        constants: As for `score`.

    Returns:
        For each card and player the evidence for each payment, with the hexes that show it.

    Raises:
        KbScoreError: As for `score`.
    """
    loaded = load_rules(rules, constants)
    cards = None if card is None else (loaded.find_card(str(card)),)
    return explain_board(_read(board), loaded, cards=cards, player=player, players=players)


def check_claims(
    board: str | Board,
    claims: str,
    *,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int] | None = None,
) -> Verdict:
    """Check claimed scores of a Kingdom Builder board against the rules.

    Args:
        board: The board, or its text.
        claims: Lines such as ``1 3 7  52 46 43 62`` or ``miners: 4, 12, 11, 4``.
        players: As for `score`, like the arguments after it.
        rules: As for `score`.
        constants: As for `score`.

    Returns:
        The verdict, with a violation for each claim and player that differs.

    Raises:
        KbScoreError: As for `score`, and where the claims cannot be read.
    """
    loaded = load_rules(rules, constants)
    return check_board_claims(_read(board), claims, loaded, players=players)


def load_rules(
    rules: Sequence[Path | str] = (), constants: Mapping[str, int] | None = None
) -> Rules:
    """Load the rules of Kingdom Builder, with the cards that they hold.

    Args:
        rules: As for `score`.
        constants: As for `score`.

    Raises:
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    decided = sorted((name, str(value)) for name, value in (constants or {}).items())
    changes = Changes(tuple(Path(folder) for folder in rules), tuple(decided))
    return load_card_rules(GameRules(GAME, changes))


def _read(board: str | Board) -> Board:
    return parse_board(board) if isinstance(board, str) else board


def _find(cards: Sequence[str | int] | None, rules: Rules) -> tuple[str, ...] | None:
    return None if cards is None else rules.find_cards([str(card) for card in cards])
