"""Properties of scores on random boards; the oracle is written from the rules alone.

A quick run draws a few boards. For 1,000 of each property:

    KB_SCORE_EXAMPLES=1000 pytest tests/test_properties_kingdom_builder.py
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import kb_score
from kb_score import Board, KbScoreError
from kb_score.games.kingdom_builder.board import load_notation, shorten
from kb_score.games.kingdom_builder.claims import Claim, read_claims
from kb_score.shell.files import decode
from tests.helpers import EXAMPLE, half_turned, run
from tests.oracles import kingdom_builder as oracle

EXAMPLES = int(os.environ.get("KB_SCORE_EXAMPLES", "12"))
RULINGS = {
    "lords_need_settlement": 0,
    "merchants_need_settlement": True,
    "fishermen_on_water": False,
    "miners_on_mountain": False,
    "nomads_are_locations": True,
}
PAIRS = load_notation().pairs
LARGEST = 24
RULES = kb_score.load_rules()

run_examples = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def boards(draw: st.DrawFn, largest: int = LARGEST) -> Board:
    """Draw a board of any even size and shape, from sparse to full, with any symbols."""
    height = 2 * draw(st.integers(1, largest // 2))
    width = 2 * draw(st.integers(1, largest // 2))
    kinds = draw(st.sampled_from(["WMTC1234", "WMTC1234", [*"WMTCOGNDLF12345", *PAIRS]]))
    symbols = draw(st.sets(st.sampled_from(kinds), min_size=1).map(sorted))
    empty = draw(st.sampled_from([0, 1, 4, 20]))
    random = draw(st.randoms(use_true_random=False))
    pool = [*symbols, *"." * (empty * len(symbols))]
    # Runs make groups, which single hexes seldom do.
    longest = draw(st.sampled_from([1, 1, 4]))
    hexes: list[str] = []
    while len(hexes) < height * width:
        hexes += [random.choice(pool)] * random.randint(1, longest)
    return Board("drawn", make_rows(hexes[: height * width], width))


def make_rows(hexes: list[str], width: int) -> tuple[str | tuple[str, ...], ...]:
    """Make rows as boards that are read have them: a text, or a tuple where a hex needs it."""
    rows = [tuple(map(shorten, hexes[at : at + width])) for at in range(0, len(hexes), width)]
    return tuple("".join(row) if max(map(len, row)) == 1 else row for row in rows)


def number_of_players(board: Board) -> st.SearchStrategy[int | None]:
    return st.none() | st.integers(max(list_settled(board), default=1), 5)


def list_settled(board: Board) -> list[int]:
    """List the players that have settlements."""
    return sorted({int(hex_[-1]) for row in board.rows for hex_ in row if hex_[-1].isdigit()})


@pytest.mark.slow
@run_examples
@given(
    board=boards(),
    rulings=st.fixed_dictionaries(
        dict.fromkeys(RULINGS, st.booleans()) | {"lords_need_settlement": st.integers(0, 40)}
    ),
    data=st.data(),
)
def test_every_card_pays_what_the_oracle_pays(
    board: Board, rulings: dict[str, Any], data: st.DataObject
) -> None:
    players = data.draw(number_of_players(board))

    constants = {name: int(value) for name, value in rulings.items() if value != RULINGS[name]}
    scores = kb_score.score(board, players=players, constants=constants)

    assert scores.gold == oracle.score(board.rows, players, **rulings)
    # What crowds a hex is told by the usual rulings there, and by the given one here.
    if not rulings["nomads_are_locations"]:
        return
    assert {v.code for v in scores.violations} == oracle.violations(board.rows, players)


@pytest.mark.slow
@run_examples
@given(board=boards(), data=st.data())
def test_totals_are_the_sums_of_the_cards(board: Board, data: st.DataObject) -> None:
    numbers = sorted(data.draw(st.sets(st.integers(1, 10), max_size=4)))

    scores = kb_score.score(board, cards=numbers, combinations=True)

    gold = list(oracle.score(board.rows).values())
    assert scores.total is not None
    assert scores.combinations is not None
    for cards, total in [
        (numbers, scores.total),
        *((game.cards, game.total) for game in scores.combinations),
    ]:
        assert list(total) == [
            sum(paid) for paid in zip(gold[0], *(gold[n] for n in cards), strict=True)
        ]


@pytest.mark.slow
@run_examples
@given(board=boards())
def test_half_a_turn_of_the_board_changes_no_score(board: Board) -> None:
    turned = Board(board.name, half_turned(board.rows))

    assert kb_score.score(turned).gold == kb_score.score(board).gold


@pytest.mark.slow
@run_examples
@given(board=boards(), swap=st.permutations("12345"))
def test_renaming_the_players_moves_their_gold(board: Board, swap: list[str]) -> None:
    renaming = str.maketrans("12345", "".join(swap))
    rows = [[hex_.translate(renaming) for hex_ in row] for row in board.rows]
    renamed = Board(board.name, tuple(map(tuple, rows)))

    before = kb_score.score(board, players=5).gold
    after = kb_score.score(renamed, players=5).gold

    for card, paid in before.items():
        assert [after[card][int(name) - 1] for name in swap] == list(paid)


@run_examples
@given(board=boards(), compact=st.booleans())
def test_a_printed_board_parses_back_to_itself(board: Board, compact: bool) -> None:
    plain = [row for row in board.rows if isinstance(row, str)]
    text = "\n".join(plain) if compact and len(plain) == board.height else str(board)

    assert kb_score.parse_board(text, name=board.name) == board


@pytest.mark.slow
@run_examples
@given(drawn=st.lists(boards(), max_size=10))
def test_scores_of_many_are_the_scores_of_each(drawn: list[Board]) -> None:
    assert list(kb_score.score_many(drawn)) == [kb_score.score(board) for board in drawn]


@pytest.mark.slow
@run_examples
@given(drawn=st.lists(boards(), max_size=4))
def test_boards_in_one_file_are_read_in_order(drawn: list[Board]) -> None:
    found = list(kb_score.read_boards("\n".join(map(str, drawn)), name="file"))

    rows = [board.rows for board in found if isinstance(board, Board)]
    assert rows == [board.rows for board in drawn]
    if len(drawn) > 1:
        assert [board.name for board in found if isinstance(board, Board)] == [
            f"file#{number}" for number in range(1, len(drawn) + 1)
        ]


@pytest.mark.slow
@run_examples
@given(board=boards())
def test_the_evidence_sums_to_the_scores(board: Board) -> None:
    gold = oracle.score(board.rows)
    players = list_settled(board)

    found = kb_score.explain(board)

    assert {(e.card.name, e.player): e.gold for e in found} == {
        (card, player): paid
        for card, all_paid in gold.items()
        for player, paid in zip(players, all_paid, strict=True)
    }
    for explanation in found:
        assert sum(piece.gold for piece in explanation.evidence) == explanation.gold
        for row, column in explanation.hexes:
            assert 0 <= row < board.height
            assert 0 <= column < board.width


# Text near the format finds more than text of any kind.
nearly_boards = st.text(alphabet=".WMTCOGNDLF12345# \t\n%x6\r", max_size=80)
texts = st.one_of(nearly_boards, st.text(max_size=80))


def read(text: str) -> Iterator[Board | KbScoreError]:
    return kb_score.read_boards(text, name="file")


@pytest.mark.slow
@settings(run_examples, max_examples=20 * EXAMPLES)
@example(text="")
@example(text=" \t")
@example(text="\r")
@example(text="%")
@example(text="\x0b.\n")
@example(text="..\x85..")
@example(text="\ufeff")
@given(text=texts)
def test_any_text_is_boards_or_errors(text: str) -> None:
    for found in read(text):
        if isinstance(found, Board):
            assert found.height % 2 == found.width % 2 == 0
            hexes = {hex_ for row in found.rows for hex_ in row}
            assert hexes <= {*".WMTCOGNDLF12345", *PAIRS}
            assert kb_score.parse_board(str(found)).rows == found.rows
        else:
            assert str(found).startswith("file")


@settings(run_examples, max_examples=20 * EXAMPLES)
@given(data=st.binary(max_size=80))
def test_any_bytes_are_text_or_an_error(data: bytes) -> None:
    found: list[Board | KbScoreError]
    try:
        found = list(read(decode(data, "file")))
    except KbScoreError as error:
        found = [error]

    assert found
    assert all(isinstance(f, Board) or str(f).startswith("file") for f in found)


@pytest.mark.slow
@settings(run_examples, max_examples=20 * EXAMPLES)
@given(
    text=st.one_of(
        st.text(alphabet="0123456789 :,mines\n\tx%-([)]", max_size=60),
        st.text(alphabet='123:,"miners\n{[]}', max_size=60).map(lambda t: f'{{"gold": {t}'),
        st.text(alphabet='123,"miners\n', max_size=60).map("board,card,player,gold\n{}".format),
        st.text(max_size=60),
    )
)
def test_any_text_is_claims_or_an_error(text: str) -> None:
    message = "file"
    claims: tuple[Claim, ...] = ()
    try:
        claims = read_claims(text, RULES, (1, 2), name="file")
    except KbScoreError as error:
        message = str(error)

    assert message.startswith("file")
    assert bool(claims) == (message == "file")
    assert all(len(claim.gold) == 2 for claim in claims)


@run_examples
@given(board=boards(), data=st.data())
def test_claims_are_refuted_where_the_oracle_differs(board: Board, data: st.DataObject) -> None:
    gold = oracle.score(board.rows)
    players = len(gold["castles"])
    wrong = {
        card: data.draw(st.lists(st.integers(0, 3), min_size=players, max_size=players))
        for card in data.draw(st.sets(st.sampled_from(sorted(gold)), min_size=1))
    }
    lines = [
        f"{card}: " + ", ".join(str(paid + more) for paid, more in zip(gold[card], by, strict=True))
        for card, by in wrong.items()
    ]
    if not players:
        return

    verdict = kb_score.check_claims(board, "\n".join(lines))

    assert verdict.consistent == (not any(map(any, wrong.values())))
    assert len(verdict.violations) == sum(more > 0 for by in wrong.values() for more in by)


def test_the_example_turned_by_half_pays_the_same() -> None:
    board = kb_score.parse_board(EXAMPLE.read_text())
    turned = Board(board.name, half_turned(board.rows))

    assert turned.rows != board.rows
    assert kb_score.score(turned).gold == kb_score.score(board).gold
    # A mirror image is another board: the shift of the rows stays where it was.
    mirrored = Board(board.name, tuple(row[::-1] for row in board.rows))
    assert kb_score.score(mirrored).gold != kb_score.score(board).gold


# Payments of a user's card: none, some that cancel out, and many or large ones of either sign.
PAYMENTS = st.sampled_from([0, 1, -1, 7, -300]) | st.integers(-5_000_000, 5_000_000)
run_few = settings(run_examples, max_examples=EXAMPLES // 2)


def write_card(folder: Path, each: int, once: int) -> Path:
    """Write a card that pays for each settlement, and once."""
    rules = folder / "mine.lp"
    rules.write_text(
        'card(mine, 11, "what a test draws").\n'
        f"gold(mine,P,hex(R,C),{each}) :- settlement(P,R,C).\n"
        f"gold(mine,P,once,{once}) :- player(P).\n"
    )
    return rules


@run_few
@given(
    board=boards(largest=8),
    name=st.sampled_from(["board.txt", "a, b.txt", "total.txt", 'q"1,2.txt', "gr\u00fcn 1.txt"]),
    form=st.sampled_from(["json", "csv"]),
    scope=st.sampled_from([(), ("--combinations",), ("--cards", "1,3,mine"), ("--cards", "mine")]),
    each=PAYMENTS,
    once=PAYMENTS,
)
def test_what_score_prints_is_read_back_as_claims(
    board: Board, name: str, form: str, scope: tuple[str, ...], each: int, once: int
) -> None:
    if not list_settled(board):
        return
    with TemporaryDirectory() as folder:
        rules = write_card(Path(folder), each, once)
        path = Path(folder) / name
        path.write_text("\n".join(" ".join(row) for row in board.rows) + "\n", encoding="utf-8")
        printed = run("score", path, "--rules", rules, "-q", "--format", form, *scope).out

        checked = run("check", "kingdom-builder", path, "-", "--rules", rules, given=printed)

    assert (checked.status, checked.err) == (0, "")


@pytest.mark.slow
@run_few
@given(seed=st.integers(1, 10**6), players=st.integers(1, 5), each=PAYMENTS, once=PAYMENTS)
def test_what_playouts_write_is_read_back_as_a_game(
    seed: int, players: int, each: int, once: int
) -> None:
    with TemporaryDirectory() as folder:
        rules = write_card(Path(folder), each, once)
        words = ("--seed", seed, "--players", players, "--cards", "mine", "--rules", rules)
        # Such a game ends after two turns of each player.
        record = run("playouts", "kingdom-builder", *words, "--const", "most_settlements=6").out

        checked = run("check", "kingdom-builder", "-q", "-", "--rules", rules, given=record)

    assert (checked.status, checked.err) == (0, "")
    assert "\ngold " in record


@pytest.mark.parametrize("each", [2_000_000_000, -2_000_000_000])
def test_gold_that_cannot_be_counted_has_no_ranks(tmp_path: Path, each: int) -> None:
    rules = write_card(tmp_path, each, 0)
    game = kb_score.game("kingdom-builder", rules=[rules])
    match = game.new_match(players=2, cards="mine", board="oracle farm tavern paddock")

    def play() -> None:
        for _ in range(6):
            match.apply(match.random_move())
            match.ranks()

    with pytest.raises(kb_score.RuleError, match=r"mine.lp:2:1: the cards pay player 1 more gold"):
        play()
