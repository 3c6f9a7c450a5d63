"""The library: values in and out, typed errors, nothing printed."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import FrozenInstanceError
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

import pytest

import kb_score
from kb_score import Board, FormatError, InputError, KbScoreError, RuleError, Scores
from kb_score.errors import Place
from tests.helpers import CARDS, CLAIMS, EXAMPLE, EXAMPLE_GOLD, ROOT, SMALL, SMALL_GOLD, run

TEXT = EXAMPLE.read_text()


@pytest.fixture(autouse=True)
def nothing_printed(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


def test_score_of_a_text_has_the_gold_of_every_card_and_player() -> None:
    scores = kb_score.score(TEXT)

    assert isinstance(scores, Scores)
    assert scores.board == "<text>"
    assert scores.players == (1, 2, 3, 4)
    assert tuple(scores.gold) == CARDS
    assert {card: scores.gold[card] for card in EXAMPLE_GOLD} == EXAMPLE_GOLD
    assert (scores.cards, scores.total, scores.combinations) == (None, None, None)
    assert scores.violations == ()


def test_score_of_a_board_is_that_of_its_text() -> None:
    board = kb_score.parse_board(SMALL)

    assert kb_score.score(board) == kb_score.score(SMALL)
    assert kb_score.score(board).gold == SMALL_GOLD


@pytest.mark.parametrize(
    ("cards", "names", "total"),
    [
        (["hermits", 1, "3"], ("discoverers", "fishermen", "hermits"), (52, 46, 43, 62)),
        ([], (), EXAMPLE_GOLD["castles"]),
    ],
)
def test_score_takes_names_and_numbers_of_cards(
    cards: list[int | str], names: tuple[str, ...], total: tuple[int, ...]
) -> None:
    scores = kb_score.score(TEXT, cards=cards)

    assert (scores.cards, scores.total) == (names, total)


def test_combinations_are_the_16_games_of_the_challenge() -> None:
    games = kb_score.score(TEXT, combinations=True).combinations

    assert games is not None
    assert [game.cards for game in games] == [
        (a, b, c) for a in (1, 2) for b in (3, 4, 5, 6) for c in (7, 8)
    ]
    assert games[0].total == (52, 46, 43, 62)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lords_need_settlement", "0. a.", "lords_need_settlement must be a number from 0 to 40"),
        (
            "lords_need_settlement",
            41,
            "lords_need_settlement must be a number from 0 to 40, not '41'",
        ),
        ("lords_need_settlement", 2**31, "a number from 0 to 40, not '2147483648'"),
        ("miners_on_mountain", 2, "miners_on_mountain must be 0 or 1, not '2'"),
        ("tile_loss", "later", "tile_loss must be immediate or end_of_turn, not 'later'"),
    ],
)
def test_a_ruling_has_only_its_own_values(name: str, value: int | str, message: str) -> None:
    with pytest.raises(kb_score.RuleError, match=message):
        kb_score.score("1.\n.1\n", constants={name: value})


def test_players_constants_and_rules_of_a_user_are_taken(tmp_path: Path) -> None:
    (tmp_path / "moody.lp").write_text(
        "#const mode = slow_one.\n"
        'card(moody, 31, "1 gold for each settlement, but not in a hurry").\n'
        "gold(moody, P, hex(R,C), 1) :- settlement(P,R,C), mode = slow_one.\n"
    )
    scores = kb_score.score("1.\n.2\n", players=3, constants={"lords_need_settlement": 1})
    slow, fast = (
        kb_score.score("1.\n.1\n", cards=["moody"], rules=[folder], constants={"mode": mode})
        for mode, folder in (("slow_one", tmp_path), ("fast_one", str(tmp_path)))
    )

    # One of four quadrants each; with 0, player 3 would be paid for all four.
    assert scores.players == (1, 2, 3)
    assert scores.gold["lords"] == (12, 12, 0)
    assert "no-settlement" in {violation.code for violation in scores.violations}
    assert (slow.gold["moody"], fast.gold["moody"]) == ((2,), (0,))
    assert kb_score.score(SMALL, players=5).players == (1, 2, 3, 4, 5)
    with pytest.raises(FrozenInstanceError):
        scores.players = ()  # type: ignore[misc]


def test_the_library_stops_no_rules_and_limits_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counts.lp").write_text(
        "n(0). n(X+1) :- n(X), X < 50000.\n"
        'card(counts, 31, "1 gold for each player").\n'
        "gold(counts, P, P, 1) :- player(P), n(50000).\n"
    )
    board = tmp_path / "board.txt"
    board.write_text(SMALL)
    limits = list[object]()
    monkeypatch.setattr("kb_score.engine.supervisor._GROWING", 0.0)
    monkeypatch.setattr("kb_score.engine.supervisor._PERIOD", 0.001)
    monkeypatch.setattr("resource.setrlimit", lambda *given: limits.append(given))

    assert kb_score.score(SMALL, rules=[tmp_path]).gold["counts"] == (1, 1)
    assert limits == []
    # The command does both.
    assert "n/1 is still growing" in run("score", board, "--rules", tmp_path).err
    assert limits


def test_rules_that_have_changed_on_disk_are_read_again_by_load_rules(tmp_path: Path) -> None:
    path = tmp_path / "misers.lp"
    path.write_text('card(misers, 11, "always 1 gold").\n')
    assert kb_score.load_rules([tmp_path]).cards[-1].text == "always 1 gold"

    path.write_text('card(misers, 12, "always 2 gold").\n')

    assert kb_score.load_rules([tmp_path]).cards[-1] == kb_score.Card("misers", 12, "always 2 gold")


def many() -> list[Board]:
    texts = ["1 .\n . W\n", SMALL, TEXT] * 15
    return [kb_score.parse_board(text, name=str(n)) for n, text in enumerate(texts)]


def test_score_many_gives_the_scores_of_each_in_order() -> None:
    boards = many()

    found = list(kb_score.score_many(boards, cards=[1, 3, 7]))

    assert [scores.board for scores in found if isinstance(scores, Scores)] == [
        board.name for board in boards
    ]
    assert found[:3] == [kb_score.score(board, cards=[1, 3, 7]) for board in boards[:3]]


def in_processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.slow
@pytest.mark.parametrize("make", [None, lambda: ThreadPoolExecutor(2), in_processes])
def test_score_many_takes_any_executor(make: Callable[[], Executor] | None) -> None:
    one, four = kb_score.parse_board(SMALL), kb_score.parse_board("..\n.4\n", name="four")

    boards = [one, *(board for board in many() if "4" not in str(board))]

    with make() if make else nullcontext() as executor:
        wrong, *others = kb_score.score_many([four, *boards], players=3, executor=executor)

    assert others == [kb_score.score(board, players=3) for board in boards]
    assert (type(wrong), str(wrong)) == (
        InputError,
        "four: it has settlements of player 4, but --players is 3",
    )


@pytest.mark.parametrize(
    "error",
    [
        FormatError(Place("a", 1, 2, "xyz"), "is wrong"),
        InputError("a", "is wrong"),
        RuleError("is wrong"),
    ],
)
def test_errors_can_be_sent_to_another_process(error: KbScoreError) -> None:
    copy = pickle.loads(pickle.dumps(error))

    assert (type(copy), str(copy), copy.__dict__) == (type(error), str(error), error.__dict__)


def test_score_many_reports_the_boards_of_an_executor_that_is_broken() -> None:
    with in_processes() as executor:
        with pytest.raises(BrokenExecutor):
            executor.submit(os._exit, 1).result()
        found = list(kb_score.score_many(many()[:3], executor=executor))

    assert [str(error) for error in found] == [
        f"{n}: the board has no scores: the process that scored it was killed" for n in range(3)
    ]


def test_score_many_draws_boards_as_it_needs_them() -> None:
    drawn: list[int] = []

    def endless() -> Iterator[Board]:
        while True:
            drawn.append(1)
            yield kb_score.parse_board(SMALL)

    scores = next(iter(kb_score.score_many(endless())))

    assert isinstance(scores, Scores)
    assert len(drawn) < 100


def test_score_many_tells_wrong_settings_at_once() -> None:
    with pytest.raises(RuleError, match="there is no card '99'"):
        kb_score.score_many([], cards=[99])


def test_explain_gives_the_evidence_of_each_score() -> None:
    (found,) = kb_score.explain(SMALL, card="fishermen", player=1)

    assert found.card.name == "fishermen"
    assert (found.player, found.gold) == (1, 2)
    assert [(e.why, e.gold, e.hexes) for e in found.evidence] == [
        ("hex 0,0", 1, ((0, 0),)),
        ("hex 1,1", 1, ((1, 1),)),
    ]
    assert found.hexes == {(0, 0), (1, 1)}
    by_number = kb_score.explain(SMALL, card=3, players=3)
    assert [(each.card.name, each.player, each.gold) for each in by_number] == [
        ("fishermen", 1, 2), ("fishermen", 2, 0), ("fishermen", 3, 0)
    ]  # fmt: skip


def test_check_claims_gives_a_verdict_and_raises_nothing_where_claims_differ() -> None:
    verdict = kb_score.check_claims(TEXT, CLAIMS.read_text())

    assert not verdict.consistent
    assert verdict.result == {"claims": 16, "wrong": 4}
    assert {violation.who for violation in verdict.violations} == {3}
    assert kb_score.check_claims(TEXT, "miners: 4, 12, 11, 4").consistent
    (wrong,) = kb_score.check_claims(TEXT, "miners: 4, 12, 11, 5").violations
    assert str(wrong) == "wrong-claim (player 4): card 4 (miners), player 4: 5 claimed, 4 derived"


def test_parse_board_gives_rows_without_blanks() -> None:
    board = kb_score.parse_board("1 W\n . 2\n", name="here")

    assert (board.name, board.rows) == ("here", ("1W", ".2"))
    assert (board.height, board.width) == (2, 2)
    assert str(board) == "1 W\n . 2\n"


def test_read_boards_gives_boards_and_errors_in_order() -> None:
    good, bad, odd = kb_score.read_boards("1 .\n . .\n\n1 x\n . .\n\n1\n", name="f")

    assert isinstance(good, Board)
    assert good.name == "f#1"
    assert isinstance(bad, FormatError)
    assert (bad.place.name, bad.place.line, bad.place.column) == ("f", 4, 3)
    assert isinstance(odd, InputError)


# Arguments of score and score_many, and what is said of them.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"players": 0}, "players: expected a number from 1 to 5, not 0"),
    ({"players": 6}, "players: expected a number from 1 to 5, not 6"),
    ({"players": 2**31 - 1}, "players: expected a number from 1 to 5, not 2147483647"),
    ({"players": 2**400}, "players: expected a number from 1 to 5, not int"),
    ({"players": "2"}, "players: expected a number from 1 to 5, not '2'"),
    ({"players": True}, "players: expected a number from 1 to 5, not True"),
    ({"cards": "miners"}, "cards: expected a list of cards, not 'miners'"),
    ({"cards": 3}, "cards: expected a list of cards, not 3"),
    ({"cards": [None]}, "cards: expected the name or the number of a card, not None"),
    ({"cards": ["chess"]}, "there is no card 'chess'"),
    ({"rules": "mine"}, "rules: expected a list of folders, not 'mine'"),
    ({"rules": [3]}, "rules: expected a list of folders, not 3"),
    ({"rules": None}, "rules: expected a list of folders, not None"),
    *(({"rules": [name]}, "does not exist") for name in ("\0", "x" * 5000, "\udcff", "no/such")),
    ({"constants": [1]}, "constants: expected a mapping of names to numbers or words, not list"),
    ({"constants": {3: 1}}, "constants: expected the name of a ruling, not 3"),
    ({"constants": {"chess": 1}}, "there is no ruling or constant 'chess'"),
    (
        {"constants": {"lords_need_settlement": 10**20}},
        "constants, lords_need_settlement: expected a number or a word, not int",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
@pytest.mark.parametrize("call", [kb_score.score, lambda board, **more: score_all([board], more)])
def test_an_argument_that_cannot_be_used_is_an_error(
    options: dict[str, Any], message: str, call: Callable[..., object]
) -> None:
    with pytest.raises((InputError, RuleError), match=re.escape(message)) as raised:
        call(kb_score.parse_board(SMALL), **options)

    assert isinstance(raised.value, RuleError) is ("expected" not in message)


def score_all(boards: list[Board], options: dict[str, Any]) -> object:
    return kb_score.score_many(boards, **options)


# Boards, and what is said of them.
NO_BOARDS: list[tuple[Any, str]] = [
    (b"1 .", "board: expected a Board, the text of a single board, or its path, not bytes"),
    (Board("b", ()), "board: a board needs a name (a string) and rows (a tuple of strings)"),
    (Board("b", ("1", ".")), "b: 2 rows of 1 hex: even numbers up to 1000 are expected"),
    (Board("b", ("1." * 501,) * 2), "b: 2 rows of 1002 hexes: even numbers"),
    (Board("b", ("1.", "...")), "b: the rows of a board must have the same number of hexes"),
    (Board("b", ("1.", "x.")), "b: a row of a board is a string without blanks"),
    (Board("b", ("1.", cast("Any", 2))), "b: a row of a board is a string without blanks"),
]


@pytest.mark.parametrize(("board", "message"), NO_BOARDS)
@pytest.mark.parametrize(
    "call",
    [
        kb_score.score,
        kb_score.explain,
        lambda board: kb_score.check_claims(board, "miners: 1"),
        lambda board: list(kb_score.score_many([board])),
    ],
)
def test_a_board_that_cannot_be_used_is_an_error(
    board: Any, message: str, call: Callable[[Any], object]
) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}"):
        call(board)


lib = cast("Any", kb_score)
CALLS: list[tuple[Callable[[], object], type[KbScoreError], str]] = [
    (lambda: lib.score("1 x\n . .\n"), FormatError, "unexpected 'x'"),
    (lambda: lib.score("1 .\n .\n"), FormatError, "this row has 1 hex"),
    (lambda: lib.score(""), InputError, "the file has no board"),
    (lambda: lib.score("1 . .\n . . .\n"), InputError, "both numbers must be even"),
    (lambda: lib.score(f"{SMALL}\n{SMALL}"), InputError, "but there are 2"),
    (lambda: lib.score(SMALL, players=1), InputError, "but --players is 1"),
    (
        lambda: lib.score(SMALL, combinations="no"),
        InputError,
        "combinations: expected True or False",
    ),
    (lambda: lib.explain(SMALL, card="chess"), RuleError, "no card 'chess'"),
    (lambda: lib.explain(SMALL, player=6), InputError, "player: expected a number from 1 to 5"),
    (
        lambda: lib.explain(SMALL, card=1.5),
        InputError,
        "card: expected the name or the number of a card",
    ),
    (lambda: lib.check_claims(SMALL, "chess: 1"), FormatError, "no card 'chess'"),
    (lambda: lib.check_claims(SMALL, "%"), InputError, "the file has no claim"),
    (
        lambda: lib.check_claims(SMALL, b""),
        InputError,
        "claims: expected a string or the path of a file",
    ),
    (
        lambda: lib.load_rules(constants=0),
        InputError,
        "constants: expected a mapping of names to numbers",
    ),
    (
        lambda: lib.parse_board({1}),
        InputError,
        "text: expected a string or the path of a file, not set",
    ),
    (lambda: lib.parse_board(SMALL, name=None), InputError, "name: expected a string, not None"),
    (
        lambda: lib.read_boards(3),
        InputError,
        "text: expected a string or the path of a file, not 3",
    ),
    (lambda: lib.read_boards("", name=b"x"), InputError, "name: expected a string, not bytes"),
    (
        lambda: lib.score_many(SMALL),
        InputError,
        "boards: expected a list of boards, such as paths (see read_boards), not",
    ),
    (
        lambda: lib.score_many([], executor=2),
        InputError,
        "executor: expected an Executor of concurrent",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), CALLS)
def test_what_cannot_be_used_raises_the_error_of_its_kind(
    call: Callable[[], object], kind: type[KbScoreError], message: str
) -> None:
    with pytest.raises(KbScoreError, match=re.escape(message)) as raised:
        call()

    assert type(raised.value) is kind
    assert str(raised.value)


def test_every_public_name_can_be_imported_and_says_what_it_is() -> None:
    for name in kb_score.__all__:
        assert getattr(kb_score, name).__doc__, f"{name} is not documented"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        _ = kb_score.chess


def test_the_example_of_the_packages_documentation_is_right() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doctest", "kb_score/__init__.py"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "")
