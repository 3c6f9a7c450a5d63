"""``kb-score check kingdom-builder``: somebody's table against the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, EXAMPLE_GOLD, Ran, add_rules, run, run_process


def check(claims: str, folder: Path, *options: object) -> Ran:
    path = folder / "claims.txt"
    path.write_text(claims)
    return run("check", "kingdom-builder", EXAMPLE, path, *options)


def corrected() -> str:
    """The challenge's table with 3 gold more for player 3 in the four rows with card 4."""
    return re.sub(
        r"^(\d 4 \d +\d+ \d+) (\d+)",
        lambda found: f"{found[1]} {int(found[2]) + 3}",
        CLAIMS.read_text(),
        flags=re.MULTILINE,
    )


@pytest.mark.slow
def test_the_challenges_table_has_four_wrong_rows_all_for_one_card() -> None:
    ran = run_process("check", "kingdom-builder", EXAMPLE, CLAIMS, "--format", "json")

    (verdict,) = ran.json
    details = [violation.pop("detail") for violation in verdict["violations"]]
    assert (ran.status, ran.err) == (1, "")
    assert verdict == {
        "game": "kingdom-builder",
        "record": str(CLAIMS),
        "consistent": False,
        "result": {"claims": 16, "wrong": 4},
        "claimed": None,
        "violations": [{"turn": None, "code": "wrong-claim", "who": "player 3"}] * 4,
    }
    for detail, cards in zip(details, ("1 4 7", "1 4 8", "2 4 7", "2 4 8"), strict=True):
        assert detail.startswith("card 4 (miners), player 3: 8 claimed, 11 derived; ")
        assert f"cards {cards}: " in detail


def test_the_table_for_people_names_the_card_the_player_and_both_numbers() -> None:
    ran = run("check", "kingdom-builder", EXAMPLE, CLAIMS)

    assert ran.status == 1
    assert ran.out.splitlines()[0] == f"{CLAIMS}: not consistent with the rules"
    assert ran.out.count("card 4 (miners), player 3: 8 claimed, 11 derived") == 4
    assert re.search(r"^wrong +4$", ran.out, re.MULTILINE)


def test_the_corrected_table_is_consistent(tmp_path: Path) -> None:
    assert corrected() != CLAIMS.read_text()

    ran = check(corrected(), tmp_path, "--format", "json")

    assert ran.status == 0
    assert ran.json[0]["consistent"] is True
    assert ran.json[0]["result"] == {"claims": 16, "wrong": 0}
    assert ran.json[0]["violations"] == []


@pytest.mark.parametrize(
    "variant",
    [
        pytest.param(lambda text: text.split("\n", 1)[1], id="without-header"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: "\ufeff" + text, id="byte-order-mark"),
        pytest.param(
            lambda text: "% mine\n\n" + text.rstrip("\n"), id="comment-and-no-last-newline"
        ),
        pytest.param(lambda text: text.replace(" ", "\t"), id="tabs"),
        pytest.param(lambda text: re.sub("(?m)^", "   ", text), id="indented"),
    ],
)
def test_harmless_variants_of_the_table_are_read(tmp_path: Path, variant: object) -> None:
    assert callable(variant)

    ran = check(variant(corrected()), tmp_path, "--format", "json")

    assert (ran.status, ran.json[0]["result"]["claims"]) == (0, 16)


CARD_LINES = "".join(f"{card}: {', '.join(map(str, g))}\n" for card, g in EXAMPLE_GOLD.items())


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param(CARD_LINES, id="all-cards-by-name"),
        pytest.param("4: 4, 12, 11, 4\n", id="card-by-number"),
        pytest.param("miners: 4 12 11 4\n", id="without-commas"),
        pytest.param("  miners :4,12,11,4", id="other-blanks"),
        pytest.param("1 3 7 52 46 43 62\nminers: 4, 12, 11, 4\n", id="both-forms"),
    ],
)
def test_lines_of_a_card_are_read_and_right(tmp_path: Path, claims: str) -> None:
    assert check(claims, tmp_path).status == 0


def test_a_wrong_line_of_a_card_names_player_and_numbers(tmp_path: Path) -> None:
    ran = check("castles: 18, 0, 15, 12\nminers: 4, 12, 8, 4\n", tmp_path, "--format", "json")

    assert ran.status == 1
    assert ran.json[0]["result"] == {"claims": 2, "wrong": 1}
    assert ran.json[0]["violations"] == [
        {
            "turn": None,
            "code": "wrong-claim",
            "who": "player 3",
            "detail": "card 4 (miners), player 3: 8 claimed, 11 derived",
        }
    ]


def test_each_player_of_a_line_that_differs_is_a_violation(tmp_path: Path) -> None:
    ran = check("1 3 7  53 46 43 60\n", tmp_path, "--format", "csv")

    assert [(row["code"], row["who"]) for row in ran.csv] == [
        ("wrong-claim", "player 1"),
        ("wrong-claim", "player 4"),
    ]
    # One row alone cannot tell which of its cards is to blame.
    assert [row["detail"] for row in ran.csv] == [
        "cards 1 3 7, player 1: 53 claimed, 52 derived",
        "cards 1 3 7, player 4: 60 claimed, 62 derived",
    ]


def test_no_card_is_blamed_where_none_explains_all_differences(tmp_path: Path) -> None:
    claims = corrected().replace("52 46 43 62", "52 46 45 62").replace("54 66 47 48", "54 66 40 48")

    ran = check(claims, tmp_path, "--format", "csv")

    assert [row["detail"] for row in ran.csv] == [
        "cards 1 3 7, player 3: 45 claimed, 43 derived",
        "cards 1 5 8, player 3: 40 claimed, 47 derived",
    ]


def test_a_card_is_not_blamed_where_a_claim_without_it_is_wrong_as_well(tmp_path: Path) -> None:
    # For player 3 both rows are short by 3, and the right rows clear every card but the miners.
    claims = (
        "1 4 7  43 37 41 61\n2 3 8  49 39 58 29\n"
        "1 3 7  52 46 43 62\n2 3 7  52 34 59 56\n1 3 8  49 51 45 35\n"
    )

    ran = check(claims, tmp_path, "--format", "csv")

    assert [row["detail"] for row in ran.csv] == [
        "cards 1 4 7, player 3: 41 claimed, 44 derived",
        "cards 2 3 8, player 3: 58 claimed, 61 derived",
    ]


def test_two_players_can_each_have_a_card_to_blame(tmp_path: Path) -> None:
    # Besides the miners of player 3, everything with card 8 pays player 1 one too many.
    claims = re.sub(
        r"^(\d \d 8 +)(\d+)",
        lambda found: f"{found[1]}{int(found[2]) + 1}",
        CLAIMS.read_text(),
        flags=re.MULTILINE,
    )

    ran = check(claims, tmp_path, "--format", "csv")

    blamed = [row["detail"].split(";")[0] for row in ran.csv]
    assert ran.status == 1
    assert len(blamed) == 8 + 4
    assert set(blamed) == {
        "card 4 (miners), player 3: 8 claimed, 11 derived",
        "card 8 (citizens), player 1: 5 claimed, 4 derived",
    }


CARDS_ARE = "the cards are 0 castles, 1 discoverers, "


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        pytest.param("foo: 1, 2, 3, 4\n", f":1:1: there is no card 'foo': {CARDS_ARE}", id="card"),
        pytest.param("1 3 99  1 2 3 4\n", f":1:5: there is no card '99': {CARDS_ARE}", id="number"),
        pytest.param(
            "\n1 3 7  52 46 43\n",
            ":2:16: expected 3 cards and a total for each of 4 players",
            id="short",
        ),
        pytest.param("miners: 4, 12\n", ":1:14: expected gold for each of 4 players", id="two"),
        pytest.param("miners:\n", ":1:8: expected gold for each of 4 players", id="none"),
        pytest.param("miners: 1,2,3,4,5\n", "not 5 values", id="five"),
        pytest.param("miners: four\n", ":1:9: a number is expected, not 'four'", id="words"),
        pytest.param("1 3 7  52 46 x 62\n", ":1:14: a number is expected, not 'x'", id="letter"),
        pytest.param("miners: 4, -12, 11, 4\n", ":1:12: a number is expected", id="negative"),
        pytest.param("miners: 9999999999, 1, 1, 1\n", ":1:9: 9999999999 is more", id="huge"),
        pytest.param(
            "castles: 18, 0, 15, 12\nminers 4 12 8 4\n", ":2:1: unexpected 'm'", id="no-colon"
        ),
        pytest.param("Chosen Scores\n", ": there is no claim in it, such as", id="header-only"),
        pytest.param("", ": the file is empty", id="empty"),
        pytest.param("% nothing\n", ": there is no claim in it", id="comment-only"),
        pytest.param("1 3 7 \0\n", ":1:7: byte 0x00 is not text", id="nul"),
    ],
)
def test_claims_that_cannot_be_read_end_with_status_2(
    tmp_path: Path, claims: str, message: str
) -> None:
    ran = check(claims, tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{tmp_path / 'claims.txt'}:")
    assert message in ran.err


@pytest.mark.parametrize("kind", ["folder", "missing"])
def test_claims_that_are_no_file_end_with_status_2(tmp_path: Path, kind: str) -> None:
    path = tmp_path if kind == "folder" else tmp_path / "missing"

    ran = run("check", "kingdom-builder", EXAMPLE, path)

    message = {"folder": "the folder has no file", "missing": "no such file or directory"}[kind]
    assert (ran.status, ran.out, ran.err) == (2, "", f"{path}: {message}\n")


def test_a_bad_board_is_told_before_the_claims(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(". x\n . .\n")

    ran = run("check", "kingdom-builder", path, CLAIMS)

    assert (ran.status, ran.out) == (2, "")
    assert f"{path}:1:3: unexpected 'x'" in ran.err


def test_a_card_of_the_user_can_be_claimed(tmp_path: Path) -> None:
    (tmp_path / "barons.lp").write_text(
        'card(barons, 11, "1 gold each").\ngold(barons, P, P, 1) :- player(P).\n'
    )

    right = check("barons: 1, 1, 1, 1\n11 1 3  0 0 0 0", tmp_path, "--rules", tmp_path)

    # 18 + 1 + 14 + 13 for player 1.
    assert right.status == 1
    assert "cards 11 1 3, player 1: 0 claimed, 46 derived" in right.out
    assert "barons" not in right.out


def test_rulings_count_in_a_check(tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text("1.\n.2\n")
    claims = tmp_path / "claims.txt"
    # North-west 12 and 6, south-east 6 and 12, both empty quadrants 12 for everybody.
    claims.write_text("lords: 42, 42\n")

    by_default = run("check", "kingdom-builder", board, claims)
    ruled = run("check", "kingdom-builder", board, claims, "--const", "lords_need_settlement=1")

    assert (by_default.status, ruled.status) == (0, 1)
    assert "card 5 (lords), player 1: 42 claimed, 12 derived" in ruled.out


KINDS = """claim_kind(pair,2). claim_kind(settled,0).
derived(Line,P,N) :- claim(Line,settled), player(P), N = #count { R,C : settlement(P,R,C) }."""


def test_rules_add_kinds_of_claims(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, KINDS)
    lines = "pair miners 5: 22 48 23 22\nsettled: 40 39 37 41\nminers: 4 12 11 4\n"

    ran = check(lines, tmp_path, "--rules", folder, "--format", "csv")

    details = [row["detail"] for row in ran.csv]
    assert details == ["settled, player 4: 41 claimed, 40 derived"]
    assert ran.status == 1


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pair miners: 1 2 3 4", ":1:12: cards before the colon: 2 expected, not 1"),
        ("settled 3: 1 2 3 4", ":1:10: cards before the colon: 0 expected, not 1"),
        ("miners lords: 1 2 3 4", ":1:13: one card, or three, are expected before this"),
        ("pair lords lords: 1 2 3 4", ":1:6: 2 different cards are expected"),
        ("pear lords miners: 1 2 3 4", ":1:1: there is no card 'pear'"),
        ("settled: 1 2 3", ":1:15: expected gold for each of 4 players, not 3 values"),
    ],
)
def test_a_line_that_is_not_of_its_kind_is_told(tmp_path: Path, line: str, said: str) -> None:
    ran = check(line, tmp_path, "--rules", add_rules(tmp_path, KINDS))

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("claim_kind(miners,2).", "mine.lp:1:1: there is a card or another kind of claims called"),
        ("claim_kind(a,2). claim_kind(a,1).", "mine.lp:1:1: there is a card or another kind"),
        ("claim_kind(total,2).", "mine.lp:1:1: there is a card or another kind of claims called"),
        ("claim_kind(pair,two).", "claim_kind: the rules give two where a number is expected"),
        ("claim_kind(settled,0).", "mine.lp:1:1: no rule gives derived for a claim of the kind"),
    ],
)
def test_a_kind_of_claims_that_cannot_be_is_told(tmp_path: Path, rule: str, said: str) -> None:
    ran = check("settled: 1 2 3 4", tmp_path, "--rules", add_rules(tmp_path, rule))

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
