"""The functions for other programs: text or boards in, values out; none of them prints or exits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb_score.engine.changes import Changes
from kb_score.engine.program import UNLIMITED
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError, KbScoreError
from kb_score.games.kingdom_builder.board import MAX_PLAYERS, Board, check_board
from kb_score.games.kingdom_builder.board import parse_board as parse_one_board
from kb_score.games.kingdom_builder.board import read_boards as read_all_boards
from kb_score.games.kingdom_builder.check import check_claims as check_board_claims
from kb_score.games.kingdom_builder.rules import GAME, Rules
from kb_score.games.kingdom_builder.rules import load_rules as load_card_rules
from kb_score.games.kingdom_builder.scoring import Explanation, Scorer, Scores, score_boards
from kb_score.games.kingdom_builder.scoring import explain as explain_board
from kb_score.shell.verdict import Verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor


def parse_board(text: str, *, name: str = "<text>", rules: Sequence[Path | str] = ()) -> Board:
    """Read a text that holds one board, with a line for each row of hex symbols.

    Every second row lies half a hex to the right, which a blank before it may show; where blanks
    show something else, the board has a note that says so. Blanks between the hexes may be missing
    if all rows lack them. Lines that begin with ``%`` are comments.

    Args:
        text: The text.
        name: What errors and the scores call the board, usually its path.
        rules: Folders with more ``.lp`` files, which may add symbols.

    Raises:
        FormatError: A line is not a row of the board; the place is its line and column.
        BoardError: There is no board, or more than one, or it has an odd number of rows or columns.
    """
    _expect_text(text, "text")
    _expect_text(name, "name")
    return parse_one_board(text, load_rules(rules).game if rules else None, name=name)


def read_boards(
    text: str, *, name: str = "<text>", rules: Sequence[Path | str] = ()
) -> Iterator[Board | KbScoreError]:
    """Read a text that holds boards, separated by empty lines.

    Args:
        text: As for `parse_board`.
        name: As for `parse_board`; where there are several boards each has its number, too.
        rules: As for `parse_board`.

    Yields:
        Each board, or the error in it; one bad board does not affect the others.

    Raises:
        BoardError: An argument is no text.
    """
    _expect_text(text, "text")
    _expect_text(name, "name")
    return read_all_boards(text, load_rules(rules).game if rules else None, name=name)


def score(
    board: str | Board,
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int | str] | None = None,
) -> Scores:
    """Score one Kingdom Builder board.

    Args:
        board: The board, or its text.
        cards: The cards of the game by name or number; None for all cards and no total.
        combinations: Whether to add the challenge's 16 games of three cards.
        players: The number of players, from 1 to 5; None for everybody with a settlement.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"lords_need_settlement": 1}``; a value is a
            number or a word, as for ``--const``.

    Returns:
        The gold of each card and player, totals where cards are chosen, and what the board does
        not satisfy.

    Raises:
        FormatError: The text is no board; it holds line and column.
        BoardError: The board cannot be scored, for instance with an odd number of rows, or an
            argument is none that there can be.
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    loaded = load_rules(rules, constants)
    read = _read(board, loaded)
    chosen = _find(cards, loaded)
    _expect(combinations, "combinations", (bool,), "True or False")
    scorer = Scorer(loaded, chosen, combinations, _player("players", players))
    return scorer.query(read).ask()


def score_many(
    boards: Iterable[Board],
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int | str] | None = None,
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
    _expect(combinations, "combinations", (bool,), "True or False")
    scorer = Scorer(loaded, _find(cards, loaded), combinations, _player("players", players))
    _expect(boards, "boards", (Iterable,), "a list of boards, see read_boards,")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise _wrong("executor", "an Executor of concurrent.futures", executor)
    return score_boards(map(partial(_take_board, loaded), boards), scorer, executor)


def explain(
    board: str | Board,
    *,
    card: str | int | None = None,
    player: int | None = None,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int | str] | None = None,
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
    read = _read(board, loaded)
    cards = None if card is None else (loaded.find_card(_card("card", card)),)
    _player("player", player)
    _player("players", players)
    return explain_board(read, loaded, cards=cards, player=player, players=players)


def check_claims(
    board: str | Board,
    claims: str,
    *,
    players: int | None = None,
    rules: Sequence[Path | str] = (),
    constants: Mapping[str, int | str] | None = None,
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
    _expect_text(claims, "claims")
    loaded = load_rules(rules, constants)
    read = _read(board, loaded)
    return check_board_claims(read, claims, loaded, players=_player("players", players))


def load_rules(
    rules: Sequence[Path | str] = (), constants: Mapping[str, int | str] | None = None
) -> Rules:
    """Load the rules of Kingdom Builder, with the cards that they hold.

    Args:
        rules: As for `score`.
        constants: As for `score`.

    Raises:
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    _expect(rules, "rules", (Sequence,), "a list of folders")
    for folder in rules:
        _expect(folder, "rules", (str, Path), "a list of folders")
    given = {} if constants is None else constants
    _expect(given, "constants", (Mapping,), "a mapping of names to numbers or words")
    decided = sorted((str(name), _value(name, value)) for name, value in given.items())
    changes = Changes(tuple(map(Path, rules)), tuple(decided), UNLIMITED)
    return load_card_rules(GameRules(GAME, changes))


def _read(board: str | Board, rules: Rules) -> Board:
    if isinstance(board, str):
        return parse_one_board(board, rules.game)
    return _take_board(rules, board)


def _take_board(rules: Rules, board: object) -> Board:
    """Check a board that may have been made by hand; an error in its place is raised."""
    if isinstance(board, KbScoreError):
        raise board
    if not isinstance(board, Board):
        raise _wrong("board", "a Board or, for one board alone, its text", board)
    return check_board(board, rules.game)


def _find(cards: Sequence[str | int] | None, rules: Rules) -> tuple[str, ...] | None:
    """Find the names of cards; None for all cards."""
    if cards is None:
        return None
    _expect(cards, "cards", (Iterable,), "a list of cards")
    return rules.find_cards([_card("cards", card) for card in cards])


def _card(name: str, card: object) -> str:
    """Return the name or the number of a card as text."""
    if isinstance(card, bool) or not isinstance(card, str | int):
        raise _wrong(name, "the name or the number of a card", card)
    return str(card)


def _player(name: str, value: int | None) -> int | None:
    """Return the number of a player or of players; an InputError for any other value."""
    if value is not None and (type(value) is not int or not 1 <= value <= MAX_PLAYERS):
        raise _wrong(name, f"a number from 1 to {MAX_PLAYERS}", value)
    return value


_LARGEST = 10**20  # numbers that are shown in messages are smaller


def _value(name: object, value: object) -> str:
    """Return the value of a constant, a number or a word, as --const has it."""
    if not (isinstance(name, str) and name.isidentifier()):
        raise _wrong("constants", "the name of a ruling", name)
    # The rules check which values a ruling has; Python itself cannot write a huge number.
    is_number = type(value) is int and abs(value) < _LARGEST
    if not is_number and not isinstance(value, str):
        raise _wrong(f"constants, {name}", "a number or a word", value)
    return str(value)


def _expect(value: object, name: str, kinds: tuple[type, ...], what: str) -> None:
    """Check that a value is of some kinds; a text is not a list of its letters."""
    if not isinstance(value, kinds) or (isinstance(value, str) and str not in kinds):
        raise _wrong(name, what, value)


def _expect_text(value: object, name: str) -> None:
    _expect(value, name, (str,), "a text")


def _wrong(name: str, what: str, value: object) -> InputError:
    """Make the error for an argument that is not what is expected."""
    # A whole board or a huge number would drown the message.
    is_short = isinstance(value, str) and len(value) <= 40
    is_small = isinstance(value, int) and abs(value) < _LARGEST
    is_shown = is_short or is_small or value is None
    shown = repr(value) if is_shown else type(value).__name__
    return InputError(name, f"{what} is expected, not {shown}")
