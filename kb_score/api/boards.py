"""Boards of Kingdom Builder: they are read, scored and explained, and claims about them judged."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

from kb_score.api.arguments import (
    LARGEST,
    Constants,
    Folders,
    Text,
    expect,
    expect_text,
    make_changes,
    read_text,
    wrong,
)
from kb_score.api.limits import call, check_seconds
from kb_score.engine.rules import GameRules
from kb_score.errors import KbScoreError
from kb_score.games.blame import blame_rules
from kb_score.games.kingdom_builder.board import (
    BOARD_FILE,
    MAX_PLAYERS,
    Board,
    check_board,
    find_quadrants,
    join_quadrants,
    read_quadrants,
)
from kb_score.games.kingdom_builder.board import parse_board as parse_one_board
from kb_score.games.kingdom_builder.board import read_boards as read_all_boards
from kb_score.games.kingdom_builder.check import check_claims as check_board_claims
from kb_score.games.kingdom_builder.claims import CLAIMS_FILE
from kb_score.games.kingdom_builder.rules import GAME, Rules
from kb_score.games.kingdom_builder.rules import load_rules as load_card_rules
from kb_score.games.kingdom_builder.scoring import Explanation, Scorer, Scores, score_boards
from kb_score.games.kingdom_builder.scoring import explain as explain_board
from kb_score.shell.verdict import Verdict

if TYPE_CHECKING:
    from concurrent.futures import Executor

# A board, its text, or the path of a file with one board.
AnyBoard: TypeAlias = "Board | Text"


def parse_board(text: str, *, name: str = "<text>", rules: Folders = ()) -> Board:
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
    expect_text(text, "text")
    expect_text(name, "name")
    return parse_one_board(text, load_rules(rules).game if rules else None, name=name)


def read_boards(
    text: str, *, name: str = "<text>", rules: Folders = ()
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
    expect_text(text, "text")
    expect_text(name, "name")
    return read_all_boards(text, load_rules(rules).game if rules else None, name=name)


def score(
    board: AnyBoard,
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Folders = (),
    constants: Constants | None = None,
    limit_seconds: float | None = None,
) -> Scores:
    """Score one Kingdom Builder board.

    Args:
        board: The board, its text, or the path of its file.
        cards: The cards of the game by name or number; None for all cards and no total.
        combinations: Whether to add the challenge's 16 games of three cards.
        players: The number of players, from 1 to 5; None for everybody with a settlement.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"lords_need_settlement": 1}``; a value is a
            number or a word, as for ``--const``.
        limit_seconds: How long it may take, in a process of its own; None: the caller waits.

    Returns:
        The gold of each card and player, totals where cards are chosen, and what the board does
        not satisfy.

    Raises:
        FormatError: The text is no board; it holds line and column.
        BoardError: The board cannot be scored, for instance with an odd number of rows, or an
            argument is none that there can be.
        RuleError: Something is wrong with a rule file, a constant or a card.
        LimitError: It has taken longer than ``limit_seconds``.
    """
    expect(combinations, "combinations", (bool,), "True or False")
    _player("players", players)
    seconds = check_seconds(limit_seconds)
    if cards is not None:
        expect(cards, "cards", (Iterable,), "a list of cards")
        cards = list(cards)
    return call(seconds, _score, board, cards, combinations, players, rules, constants)


def _score(
    board: AnyBoard,
    cards: Sequence[str | int] | None,
    combinations: bool,
    players: int | None,
    rules: Folders,
    constants: Constants | None,
) -> Scores:
    loaded = load_rules(rules, constants)
    read = _read(board, loaded)
    chosen = _find(cards, loaded)
    scorer = Scorer(loaded, chosen, combinations, players)
    with blame_rules(loaded.game):
        return scorer.query(read).ask()


def score_many(
    boards: Iterable[Board | KbScoreError],
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Folders = (),
    constants: Constants | None = None,
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
    expect(combinations, "combinations", (bool,), "True or False")
    scorer = Scorer(loaded, _find(cards, loaded), combinations, _player("players", players))
    expect(boards, "boards", (Iterable,), "a list of boards, see read_boards,")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise wrong("executor", "an Executor of concurrent.futures", executor)
    return _score_in_order(boards, loaded, scorer, executor)


def _score_in_order(
    boards: Iterable[Board | KbScoreError], rules: Rules, scorer: Scorer, executor: Executor | None
) -> Iterator[Scores | KbScoreError]:
    """Score boards; an error that stands for a board, as from `read_boards`, stays in its place."""
    # For each board taken so far, the error that stands for it, or None.
    drawn: deque[KbScoreError | None] = deque()

    def list_good() -> Iterator[Board]:
        for board in boards:
            if isinstance(board, KbScoreError):
                drawn.append(board)
            else:
                drawn.append(None)
                yield _take_board(rules, board)

    for scores in score_boards(list_good(), scorer, executor):
        error = drawn.popleft()
        while error is not None:
            yield error
            error = drawn.popleft()
        yield scores
    yield from filter(None, drawn)


def explain(
    board: AnyBoard,
    *,
    card: str | int | None = None,
    player: int | None = None,
    players: int | None = None,
    rules: Folders = (),
    constants: Constants | None = None,
    limit_seconds: float | None = None,
) -> tuple[Explanation, ...]:
    """Explain the scores of a Kingdom Builder board.

    Args:
        board: The board, its text, or the path of its file.
        card: The only card to explain, by name or number; None for all.
        player: The only player to explain; None for all.
        players: As for `score`, like the arguments after it.
        rules: As for `score`.
        constants: As for `score`.
        limit_seconds: As for `score`.

    Returns:
        For each card and player the evidence for each payment, with the hexes that show it.

    Raises:
        KbScoreError: As for `score`.
    """
    _player("player", player)
    _player("players", players)
    seconds = check_seconds(limit_seconds)
    return call(seconds, _explain, board, card, player, players, rules, constants)


def _explain(
    board: AnyBoard,
    card: str | int | None,
    player: int | None,
    players: int | None,
    rules: Folders,
    constants: Constants | None,
) -> tuple[Explanation, ...]:
    loaded = load_rules(rules, constants)
    read = _read(board, loaded)
    cards = None if card is None else (loaded.find_card(_card("card", card)),)
    with blame_rules(loaded.game):
        return explain_board(read, loaded, cards=cards, player=player, players=players)


def check_claims(
    board: AnyBoard,
    claims: Text,
    *,
    players: int | None = None,
    rules: Folders = (),
    constants: Constants | None = None,
    limit_seconds: float | None = None,
) -> Verdict:
    """Check claimed scores of a Kingdom Builder board against the rules.

    Args:
        board: The board, its text, or the path of its file.
        claims: Lines such as ``1 3 7  52 46 43 62`` or ``miners: 4, 12, 11, 4``; or the path of
            their file.
        players: As for `score`, like the arguments after it.
        rules: As for `score`.
        constants: As for `score`.
        limit_seconds: As for `score`.

    Returns:
        The verdict, with a violation for each claim and player that differs.

    Raises:
        KbScoreError: As for `score`, and where the claims cannot be read.
    """
    _player("players", players)
    seconds = check_seconds(limit_seconds)
    file = read_text(claims, CLAIMS_FILE, "claims", "<claims>")
    return call(seconds, _check_claims, board, file, players, rules, constants)


def _check_claims(
    board: AnyBoard,
    claims: tuple[str, str],
    players: int | None,
    rules: Folders,
    constants: Constants | None,
) -> Verdict:
    loaded = load_rules(rules, constants)
    read = _read(board, loaded)
    name, text = claims
    with blame_rules(loaded.game):
        return check_board_claims(read, text, loaded, name=name, players=players)


def load_rules(rules: Folders = (), constants: Constants | None = None) -> Rules:
    """Load the rules of Kingdom Builder, with the cards that they hold.

    Args:
        rules: As for `score`.
        constants: As for `score`.

    Raises:
        RuleError: Something is wrong with a rule file, a constant or a card.
    """
    changes = make_changes(rules, constants)
    return load_card_rules(GameRules(GAME, changes))


def board(
    north_west: str, north_east: str, south_west: str, south_east: str, *, rules: Folders = ()
) -> Board:
    """Put together the empty board of four quadrants of the published game, or of your own.

    Args:
        north_west: The name of a quadrant, such as ``farm``; ``farm/180`` if it is turned by half.
        north_east: Likewise, as the arguments after it.
        south_west: Likewise.
        south_east: Likewise.
        rules: Folders with more rules, of which ``quadrants.txt`` adds quadrants.

    Raises:
        InputError: There is no such quadrant; the message names those that there are.
        RuleError: Something is wrong with a rule file.
    """
    words = (north_west, north_east, south_west, south_east)
    for word in words:
        expect_text(word, "board")
    known = read_quadrants(load_rules(rules).game)
    return Board("board", join_quadrants(*find_quadrants(words, known)))


def _read(board: AnyBoard, rules: Rules) -> Board:
    if isinstance(board, str | PathLike):
        name, text = read_text(board, BOARD_FILE, "board")
        return parse_one_board(text, rules.game, name=name)
    return _take_board(rules, board)


def _take_board(rules: Rules, board: object) -> Board:
    """Check a board that may have been made by hand; an error in its place is raised."""
    if isinstance(board, KbScoreError):
        raise board
    if not isinstance(board, Board):
        raise wrong("board", "a Board or, for one board alone, its text", board)
    return check_board(board, rules.game)


def _find(cards: Sequence[str | int] | None, rules: Rules) -> tuple[str, ...] | None:
    """Find the names of cards; None for all cards."""
    if cards is None:
        return None
    expect(cards, "cards", (Iterable,), "a list of cards")
    return rules.find_cards([_card("cards", card) for card in cards])


def _card(name: str, card: object) -> str:
    """Return the name or the number of a card as text."""
    is_number = type(card) is int and abs(card) < LARGEST
    if not is_number and not isinstance(card, str):
        raise wrong(name, "the name or the number of a card", card)
    return str(card)


def _player(name: str, value: int | None) -> int | None:
    """Return the number of a player or of players; an InputError for any other value."""
    if value is not None and (type(value) is not int or not 1 <= value <= MAX_PLAYERS):
        raise wrong(name, f"a number from 1 to {MAX_PLAYERS}", value)
    return value
