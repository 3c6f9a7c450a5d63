"""``kb-score rules``: the rules to list, to read, and to take away and edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import ASP, CARDS, EXAMPLE, ROOT, SMALL, Ran, run

RULINGS = {"lords_need_settlement": "0", "merchants_need_settlement": "1"}


def listed(ran: Ran, kind: str) -> list[dict[str, object]]:
    return [row for row in ran.json if row["kind"] == kind]


def test_list_has_the_cards_in_order_of_number() -> None:
    cards = listed(run("rules", "list", "--format", "json"), "cards")

    assert [(row["number"], row["card"]) for row in cards] == list(enumerate(CARDS))
    assert all(row["pays"] for row in cards)


def test_list_has_the_rulings_with_their_values() -> None:
    found = listed(run("rules", "list", "--format", "json"), "rulings")
    values = {row["ruling"]: str(row["value"]) for row in found}
    assert {name: values[name] for name in RULINGS} == RULINGS

    set_ = listed(
        run("rules", "list", "--const", "lords_need_settlement=1", "--format", "json"), "rulings"
    )
    assert {row["ruling"]: str(row["value"]) for row in set_}["lords_need_settlement"] == "1"


def test_list_has_the_predicates_that_cards_are_made_of() -> None:
    found = listed(run("rules", "list", "--format", "json"), "predicates")
    predicates = {str(row["predicate"]) for row in found if row["game"] == "kingdom-builder"}

    assert predicates >= {
        "card(Card,Number,Text)",
        "gold(Card,P,Why,Points)",
        "settlement(P,R,C)",
        "terrain(K,R,C)",
        "near(R,C,R1,C1)",
        "beside(R,C,K)",
        "quadrant(R,C,Q)",
        "area(P,R,C,A)",
        "player(P)",
        "hex(R,C)",
    }
    assert all(row["means"] for row in found)


@pytest.mark.parametrize("format_", ["table", "markdown", "csv"])
def test_list_is_for_people_too(format_: str) -> None:
    ran = run("rules", "list", "--format", format_)

    assert (ran.status, ran.err) == (0, "")
    for word in ("miners", "lords_need_settlement", "beside"):
        assert word in ran.out


def test_list_has_the_users_cards(tmp_path: Path) -> None:
    (tmp_path / "barons.lp").write_text('card(barons, 11, "2 gold for three in a row").\n')

    ran = run("rules", "list", "--rules", tmp_path, "--format", "json")

    assert listed(ran, "cards")[-1] == {
        "kind": "cards",
        "number": 11,
        "card": "barons",
        "pays": "2 gold for three in a row",
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param("miners", "cards/miners.lp", id="card"),
        pytest.param("near", "board.lp", id="predicate"),
        pytest.param("near/4", "board.lp", id="predicate-with-arity"),
        pytest.param("lords_need_settlement", "cards/lords.lp", id="ruling"),
        pytest.param("valid.lp", "valid.lp", id="file"),
    ],
)
def test_show_prints_the_file_of_a_name(name: str, path: str) -> None:
    file = ASP / "kingdom_builder" / path

    ran = run("rules", "show", name)

    assert (ran.status, ran.err) == (0, "")
    assert f"% {file}\n{file.read_text()}" in ran.out


def test_show_knows_the_users_files(tmp_path: Path) -> None:
    path = tmp_path / "families.lp"
    path.write_text('card(families, 11, "2 gold").\n')

    ran = run("rules", "show", "families", "--rules", tmp_path)

    assert ran.out == f"% {path}\n{path.read_text()}"


def test_show_of_an_unknown_name_ends_with_status_2() -> None:
    ran = run("rules", "show", "chess")

    assert (ran.status, ran.out) == (2, "")
    assert "no card, predicate, ruling or rule file 'chess'" in ran.err


def test_export_copies_every_rule_file(tmp_path: Path) -> None:
    folder = tmp_path / "mine"

    ran = run("rules", "export", folder)

    assert ran.status == 0
    ours = {path.relative_to(ASP): path.read_text() for path in ASP.rglob("*.lp")}
    copies = {path.relative_to(folder): path.read_text() for path in folder.rglob("*.lp")}
    assert copies == ours


@pytest.mark.slow
def test_exported_rules_as_they_are_change_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    run("rules", "export", folder)

    same = run("score", EXAMPLE, "--rules", folder / "kingdom_builder", "--format", "json")

    assert (same.status, same.err) == (0, "")
    assert same.out == run("score", EXAMPLE, "--format", "json").out


@pytest.mark.slow
def test_an_exported_rule_that_is_edited_takes_the_place_of_ours(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    run("rules", "export", folder)
    card = folder / "kingdom_builder" / "cards" / "miners.lp"
    card.write_text(card.read_text().replace("hex(R,C), 1)", "hex(R,C), 5)"))

    (scores,) = run(
        "score", EXAMPLE, "--rules", folder / "kingdom_builder", "--format", "json"
    ).json

    (ours,) = run("score", EXAMPLE, "--format", "json").json
    assert scores["gold"].pop("miners") == [5 * gold for gold in ours["gold"].pop("miners")]
    assert scores["gold"] == ours["gold"]


def test_one_edited_file_in_a_folder_of_its_own_is_enough(tmp_path: Path) -> None:
    text = (ASP / "kingdom_builder" / "cards" / "miners.lp").read_text()
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "miners.lp").write_text(text.replace("mountain)", "water)"))

    (scores,) = run("score", "-", "--rules", tmp_path, "--format", "json", given=SMALL).json

    assert scores["gold"]["miners"] == scores["gold"]["fishermen"] == [2, 0]


def test_list_of_one_game_leaves_out_the_others() -> None:
    ran = run("rules", "list", "--game", "slime", "--format", "json")

    assert {row["game"] for row in ran.json} == {"slime"}
    assert {row["kind"] for row in ran.json} == {"rulings", "extension-points", "predicates"}


@pytest.mark.parametrize("section", ["cards", "rulings", "extension-points", "predicates"])
def test_list_of_one_section_leaves_out_the_others(section: str) -> None:
    ran = run("rules", "list", section, "--format", "json")

    assert {row["kind"] for row in ran.json} == {section}


def test_list_knows_the_rulings_of_every_game() -> None:
    ran = run("rules", "list", "rulings", "--const", "last_turn=9", "--format", "json")

    values = {row["ruling"]: row["value"] for row in ran.json}
    assert values["last_turn"] == "9"
    assert values["sight"] == "8"


def test_list_shows_what_a_user_adds_to_any_game(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text(
        "%*! Dull games. *%\n%*! dull(T)\nTurn T is dull. *%\ndull(T) :- turn(T).\n"
        'violation(T,"dull","","dull") :- dull(T).\n'
    )

    ran = run("rules", "list", "--game", "slime", "--rules", tmp_path, "--format", "json")

    assert [row["means"] for row in ran.json if row.get("predicate") == "dull(T)"] == [
        "Turn T is dull."
    ]


def test_show_takes_names_as_they_are_listed() -> None:
    ran = run("rules", "show", "area(P,R,C,A)")

    assert ran.status == 0
    assert ran.out.startswith(f"% {ASP / 'kingdom_builder' / 'board.lp'}\n")


def test_show_of_a_slip_of_the_pen_suggests_a_name() -> None:
    assert "did you mean miners?" in run("rules", "show", "minres").err


@pytest.mark.slow
def test_a_game_may_be_named_beside_rules_for_it(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("#defined move/3.\n")

    named = run("rules", "test", "search-party", "--rules", tmp_path, "--format", "csv")
    told = run("rules", "test", "--game", "search-party", "search-party", "--rules", tmp_path)
    both = run("rules", "test", "search-party", "rabbits", "--rules", tmp_path)

    assert (named.status, named.err) == (0, "")
    assert {line.split(",")[0] for line in named.out.splitlines()[1:]} == {"search-party"}
    assert told.status == 0
    assert both.status == 2
    assert "one game: name one of rabbits or search-party" in both.err


@pytest.mark.slow
def test_the_folder_of_the_rules_of_a_game_is_the_game() -> None:
    folder, named = run("rules", "test", ASP / "slime"), run("rules", "test", "slime")

    assert (folder.status, folder.err) == (0, "")
    assert folder.out == named.out


def test_the_folder_of_a_game_that_is_not_known_says_how_to_name_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = ROOT / "tests" / "fifth_game"
    (folder,) = (home / "asp").iterdir()

    ran = run("rules", "test", folder)

    assert (ran.status, ran.out) == (2, "")
    assert f"set KB_SCORE_GAMES={home}, and name the game: {folder.name}\n" in ran.err
    monkeypatch.setenv("KB_SCORE_GAMES", str(home))
    assert "KB_SCORE_GAMES" not in run("rules", "test", folder).err
