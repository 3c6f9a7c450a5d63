"""Read, score and explain boards of Kingdom Builder, and check claims about them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike
from typing import TYPE_CHECKING, TypeAlias

from kb_score.api.arguments import (
    LARGEST,
    TEXT_NAME,
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


def parse_board(text: Text, *, name: str = TEXT_NAME, rules: Folders = ()) -> Board:
    """Parse a text or a file with one line of hex symbols for each row, and return its board.

    Every second row is shifted half a hex to the right, which a leading blank may indicate; if
    blanks indicate anything else, the board has a note about it. Blanks between the hexes may be
    omitted, but only in all rows at once. Lines that begin with ``%`` are comments.

    Args:
        text: The text, or the path of the file.
        name: The name of the board in errors and scores; by default the path of the file.
        rules: Folders with more ``.lp`` files, which may add symbols.

    Raises:
        FormatError: A line is not a row of the board; the error has its line and column.
        InputError: There is no board, or more than one, or it has an odd number of rows or columns.
    """
    name, content = _read_text(text, name)
    return parse_one_board(content, _find_rules(rules), name=name)


def read_boards(
    text: Text, *, name: str = TEXT_NAME, rules: Folders = ()
) -> Iterator[Board | KbScoreError]:
    """Yield the boards in a text or a file, which are separated by empty lines.

    A bad board does not affect the others: its error is yielded in its place.

    Args:
        text: The text, or the path of the file.
        name: As for `parse_board`; if there are several boards, each name includes its number.
        rules: As for `parse_board`.

    Raises:
        InputError: The text is neither a string nor a path, or the file cannot be read.
    """
    name, content = _read_text(text, name)
    return read_all_boards(content, _find_rules(rules), name=name)


def _read_text(text: Text, name: str) -> tuple[str, str]:
    """Return the name and the text of boards that are given as text or as a path."""
    expect_text(name, "name")
    path, content = read_text(text, BOARD_FILE, "text")
    return (path if name == TEXT_NAME else name), content


def _find_rules(folders: Folders) -> GameRules | None:
    """Return the rules with the files of some folders; None if there are no folders."""
    if not folders:
        return None
    return load_rules(folders).game


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
    """Return the gold of each card and player, and totals if cards are chosen.

    The scores also list the rules for finished boards that the board breaks.

    Args:
        board: The board, its text, or the path of its file.
        cards: The cards of the game by name or number; None for all cards and no total.
        combinations: Whether to add the challenge's 16 games of three cards.
        players: The number of players, from 1 to 5; None for all players with settlements.
        rules: Folders with more ``.lp`` files.
        constants: The rulings to set, such as ``{"lords_need_settlement": 1}``; a value is a
            number or a word, as for ``--const``.
        limit_seconds: The time limit; with one, a separate process scores the board. None for no
            limit.

    Raises:
        FormatError: The text is not a board; the error has its line and column.
        InputError: The board cannot be scored, for instance because it has an odd number of rows;
            or an argument has an invalid value.
        RuleError: A rule file, a constant or a card is wrong.
        LimitError: Scoring took longer than ``limit_seconds``.
    """
    expect(combinations, "combinations", (bool,), "True or False")
    _check_player("players", players)
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
    chosen = _find_cards(cards, loaded)
    scorer = Scorer(loaded, chosen, combinations, players)
    with blame_rules(loaded.game):
        return scorer.query(read).ask()


def score_many(
    boards: Iterable[AnyBoard | KbScoreError],
    *,
    cards: Sequence[str | int] | None = None,
    combinations: bool = False,
    players: int | None = None,
    rules: Folders = (),
    constants: Constants | None = None,
    executor: Executor | None = None,
) -> Iterator[Scores | KbScoreError]:
    """Yield the scores of many boards, which is faster than scoring them one by one.

    The order is that of the boards; the error of a board is yielded in its place. The other
    arguments are those of `score`.

    Args:
        boards: Boards as for `score`, which are read as they are needed, or what `read_boards`
            yields.
        executor: An executor that does the work, such as a ProcessPoolExecutor; None to work in
            this process.

    Raises:
        InputError: An argument has an invalid value.
        RuleError: A rule file, a constant or a card is invalid.
    """
    loaded = load_rules(rules, constants)
    expect(combinations, "combinations", (bool,), "True or False")
    chosen = _find_cards(cards, loaded)
    _check_player("players", players)
    scorer = Scorer(loaded, chosen, combinations, players)
    expect(boards, "boards", (Iterable,), "a list of boards, such as paths (see read_boards)")
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise wrong("executor", "an Executor of concurrent.futures", executor)
    return _score_in_order(boards, loaded, scorer, executor)


def _score_in_order(
    boards: Iterable[AnyBoard | KbScoreError],
    rules: Rules,
    scorer: Scorer,
    executor: Executor | None,
) -> Iterator[Scores | KbScoreError]:
    """Yield scores of boards; an error given in place of a board is yielded in the same place."""
    # For each board that has been read so far, the error in its place, or None.
    taken: deque[KbScoreError | None] = deque()

    def good_boards() -> Iterator[Board]:
        for board in boards:
            if isinstance(board, KbScoreError):
                taken.append(board)
                continue
            if isinstance(board, str | PathLike):
                try:
                    read = _read(board, rules)
                except KbScoreError as error:
                    taken.append(error)
                    continue
            else:
                read = _check_board(rules, board)
            taken.append(None)
            yield read

    for scores in score_boards(good_boards(), scorer, executor):
        error = taken.popleft()
        while error is not None:
            yield error
            error = taken.popleft()
        yield scores
    yield from filter(None, taken)


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
    """Return an explanation for each card and player, with the hexes of each payment.

    The other arguments, and the errors, are those of `score`.

    Args:
        card: The one card to explain, by name or number; None for all cards.
        player: The player whose scores are explained; None for all players.
    """
    _check_player("player", player)
    _check_player("players", players)
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
    cards: tuple[str, ...] | None = None
    if card is not None:
        cards = (loaded.find_card(_write_card("card", card)),)
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
    """Return the verdict on claimed scores of a board, with a violation for each that differs.

    The other arguments, and the errors, are those of `score`; claims that cannot be read are a
    KbScoreError, too.

    Args:
        claims: Lines such as ``1 3 7  52 46 43 62`` or ``miners: 4, 12, 11, 4``, or the path of a
            file with such lines.
    """
    _check_player("players", players)
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
    """Return the rules of Kingdom Builder with their cards; the arguments are those of `score`.

    Raises:
        InputError: An argument has an invalid value.
        RuleError: A rule file, a constant or a card is invalid.
    """
    return load_card_rules(GameRules(GAME, make_changes(rules, constants)))


def board(
    north_west: str, north_east: str, south_west: str, south_east: str, *, rules: Folders = ()
) -> Board:
    """Return an empty board of four quadrants of the published game or of your own.

    A quadrant is named as ``farm``, or as ``farm/180`` if it is turned by 180 degrees.

    Args:
        north_west: The first quadrant.
        north_east: The quadrant to its right.
        south_west: The quadrant below it.
        south_east: The last quadrant.
        rules: Folders with more rules, whose ``quadrants.txt`` files add quadrants.

    Raises:
        InputError: There is no such quadrant (the message lists them all), or one is named twice.
        RuleError: A rule file is invalid.
    """
    words = (north_west, north_east, south_west, south_east)
    for word in words:
        expect_text(word, "board")
    loaded = load_rules(rules)
    quadrants = find_quadrants(words, read_quadrants(loaded.game))
    return Board("board", join_quadrants(*quadrants))


def _read(board: AnyBoard, rules: Rules) -> Board:
    if isinstance(board, str | PathLike):
        name, text = read_text(board, BOARD_FILE, "board")
        return parse_one_board(text, rules.game, name=name)
    return _check_board(rules, board)


def _check_board(rules: Rules, board: object) -> Board:
    """Check a board, which a caller may have built, and return it; if it is an error, raise it."""
    if isinstance(board, KbScoreError):
        raise board
    if not isinstance(board, Board):
        raise wrong("board", "a Board, the text of a single board, or its path", board)
    return check_board(board, rules.game)


def _find_cards(cards: Sequence[str | int] | None, rules: Rules) -> tuple[str, ...] | None:
    """Return the names of cards; None for all cards."""
    if cards is None:
        return None
    expect(cards, "cards", (Iterable,), "a list of cards")
    return rules.find_cards([_write_card("cards", card) for card in cards])


def _write_card(name: str, card: object) -> str:
    """Return the name or the number of a card as text."""
    is_number = type(card) is int and abs(card) < LARGEST
    if not is_number and not isinstance(card, str):
        raise wrong(name, "the name or the number of a card", card)
    return str(card)


def _check_player(name: str, value: int | None) -> None:
    """Raise an InputError unless an argument is a player's number or a number of players."""
    if value is not None and (type(value) is not int or not 1 <= value <= MAX_PLAYERS):
        raise wrong(name, f"a number from 1 to {MAX_PLAYERS}", value)
