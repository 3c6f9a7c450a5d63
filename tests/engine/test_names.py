"""Names of users' rules: no file and no helper changes our rules without a word."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb_score.engine.changes import list_rule_files
from kb_score.engine.docs import find_documented, find_extension_points, find_renamed
from kb_score.engine.lint import find_heads
from kb_score.engine.program import Signature, read_program
from tests.helpers import ASP, EXAMPLE, MEADOW, SAFE, SESSION, STATION, run, write_copy

SCORE = ("score", EXAMPLE)
SLIME = ("check", "slime", ASP.parent / "boards/slime/session.txt")
RABBITS = ("check", "rabbits", STATION, SESSION)
PARTY = ("check", "search-party", MEADOW, SAFE)
COMMANDS = {"kingdom_builder": SCORE, "slime": SLIME, "rabbits": RABBITS, "search_party": PARTY}
CARD = 'card(rim, 40, "1 gold for each settlement that is not at the edge").\n'


@pytest.mark.parametrize(
    ("command", "rule", "place", "ours"),
    [
        pytest.param(SCORE, CARD + "inner(R,C) :- hex(R,C).", "2:1", "board.lp", id="helper"),
        pytest.param(SCORE, CARD + "score(rim,1,100).", "2:1", "kingdom_builder/", id="sum"),
        pytest.param(SLIME, "square((9,9)).", "1:1", "slime/rules/rules.lp", id="slime"),
        pytest.param(
            SLIME, "#program step(t).\nfar(3,t) :- turn(t).", "2:1", "slime/rules/", id="part"
        ),
        pytest.param(RABBITS, "option(0,0,0). ahead(1,2,3).", "1:16", "rabbits/", id="rabbits"),
        pytest.param(PARTY, "open(5).", "1:1", "search_party/", id="search-party"),
    ],
)  # fmt: skip
def test_a_rule_that_derives_a_predicate_of_ours_is_refused_with_both_places(
    command: tuple[object, ...], rule: str, place: str, ours: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.lp").write_text(rule + "\n")

    ran = run(*command, "--rules", tmp_path)

    first, *_, hint = ran.err.splitlines()
    assert (ran.status, ran.out) == (2, "")
    assert first.startswith(f"{tmp_path}/mine.lp:{place}: our rules derive ")
    assert "already, in asp/" in first
    assert ours in first
    assert "choose another name, such as my_" in hint


def test_an_input_of_our_rules_is_not_derived_either(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text(CARD + "size(9,9).\n")

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert "mine.lp:2:1: size/2 is an input of our rules" in ran.err


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("inner(R,C) :- hex(R,C).", "our rules derive inner/2 already, in asp/"),
        ("size(9,9).", "size/2 is an input of our rules"),
    ],
)
def test_a_copy_may_not_derive_what_is_no_matter_of_its_file(
    rule: str, message: str, tmp_path: Path
) -> None:
    name = "kingdom_builder/cards/miners.lp"
    copy = write_copy(tmp_path, name, f"{rule}\n{(ASP / name).read_text()}")

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert f"{copy}:1:1: {message}" in ran.err


def test_a_copy_may_derive_an_input_that_its_file_documents(tmp_path: Path) -> None:
    name = "kingdom_builder/board.lp"
    rule = "settlement(2,0,0) :- not settlement(1,0,0)."
    write_copy(tmp_path, name, f"{rule}\n{(ASP / name).read_text()}")

    ran = run("score", "-", "--rules", tmp_path, "--format", "json", given=". 1\n . .\n")

    assert ran.json[0]["players"] == [1, 2]


def test_the_condition_of_a_choice_is_not_its_head(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("{ hex(R,C) : hex(R,C), R > 5 }.\n")

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert "our rules derive hex/2 already" in ran.err
    (tmp_path / "mine.lp").write_text("1 { chosen(R,C) : hex(R,C), R = 0, C = 0 } 1.\n")
    assert "our rules derive" not in run("score", EXAMPLE, "--rules", tmp_path).err


@pytest.mark.parametrize("game", ["kingdom_builder", "rabbits", "search_party", "slime"])
def test_what_users_may_add_to_is_listed(game: str) -> None:
    listed = run(
        "rules", "list", "extension-points", "--game", game.replace("_", "-"), "--format", "json"
    ).json
    ours, _ = list_rule_files(game)

    names = {row["predicate"].partition("(")[0] for row in listed}

    # What games share is listed by itself.
    points = {name for name, _ in find_extension_points(ours)}
    assert {"violation", "result", "look"} <= names <= points
    only_elsewhere = {"illegal", "figure", "terminal"}
    assert points - names <= {"cell", "highlight", "redraw", *only_elsewhere}


def test_the_extension_points_that_documents_name_are_there() -> None:
    rows = run("rules", "list", "extension-points", "--format", "json").json
    names = {row["predicate"].partition("(")[0] for row in rows}

    assert {
        *(
            "gold",
            "card",
            "tile",
            "ground",
            "close",
            "move",
            "offset",
            "option",
            "illegal",
            "forbidden",
        ),
        *("violation", "result", "terminal", "allots", "buildable", "ground_symbol", "look"),
        "claim_kind",
    } <= names


@pytest.mark.parametrize("below", ["cards", "kingdom_builder/cards"])
def test_a_file_at_the_path_of_one_of_ours_replaces_it_and_a_note_says_so(
    below: str, tmp_path: Path
) -> None:
    text = (ASP / "kingdom_builder/cards/miners.lp").read_text()
    copy = tmp_path / below / "miners.lp"
    copy.parent.mkdir(parents=True)
    copy.write_text(text.replace("hex(R,C), 1)", "hex(R,C), 2)"))

    ran = run("score", EXAMPLE, "--rules", tmp_path, "--format", "json")

    assert ran.json[0]["gold"]["miners"] == [8, 24, 22, 8]
    assert ran.err == f"note: {copy} replaces asp/kingdom_builder/cards/miners.lp\n"
    copy.write_text(text)
    assert run("score", EXAMPLE, "--rules", tmp_path).err == ""


@pytest.mark.parametrize(
    ("name", "command", "place"),
    [
        ("miners.lp", ("score", EXAMPLE), "cards/miners.lp"),
        ("tiles/miners.lp", ("score", EXAMPLE), "cards/miners.lp"),
        ("treasures.lp", ("score", EXAMPLE), "deeds/treasures.lp"),
        ("legal.lp", SLIME, "driver/legal.lp"),
        ("means.lp", SLIME, "common/means.lp"),
        ("scout.lp", PARTY, "search/scout.lp"),
    ],
)
def test_a_file_with_the_name_of_one_of_ours_elsewhere_is_refused(
    name: str, command: tuple[object, ...], place: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine_alone(1).\n")

    ran = run(*command, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert f"{file} has the same name as asp/" in ran.err
    assert f"move it to {tmp_path / place} to replace that file" in ran.err


def test_the_folder_of_a_copy_alone_is_refused_with_the_folder_to_name(tmp_path: Path) -> None:
    shutil.copytree(ASP / "kingdom_builder/cards", tmp_path / "mine/cards")

    ran = run("score", EXAMPLE, "--rules", tmp_path / "mine/cards")

    assert (ran.status, ran.out) == (2, "")
    assert "mine with --rules to replace that file" in ran.err


@pytest.mark.parametrize(
    ("text", "command", "what"),
    [
        ('card(miners, 41, "again").\n', ("score", EXAMPLE), "cards with the name miners"),
        (
            'tile(farm, build, 1, "build 1"). ground(farm, grass).\n',
            ("legal", "kingdom-builder", EXAMPLE, "--player", "1", "--terrain", "grass"),
            "tiles with the name farm",
        ),
        (
            'deed(treasure, "again").\n',
            ("legal", "kingdom-builder", EXAMPLE, "--player", "1", "--terrain", "grass"),
            "deeds with the name treasure",
        ),
    ],
    ids=["card", "tile", "deed"],
)
def test_what_two_files_state_is_refused_with_both_places(
    text: str, command: tuple[object, ...], what: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.lp").write_text(text)

    ran = run(*command, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert f"mine.lp:1:1: there are two {what}" in ran.err
    assert "the other one stands in asp/kingdom_builder/" in ran.err


def test_a_variable_that_occurs_once_is_reported_whatever_its_name(tmp_path: Path) -> None:
    rule = "gold(rim,P,hex(R,C),1) :- settlement(P,R,C), near(R,C,R1,D), terrain(water,R1,_Any).\n"
    (tmp_path / "mine.lp").write_text(CARD + rule)

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert ran.status == 0
    assert "mine.lp:2:58: the variable D is used once" in ran.err
    assert ran.err.count("is used once") == 1


@pytest.mark.slow
def test_a_word_that_only_a_constant_says_is_not_doubted(tmp_path: Path) -> None:
    rules = "#const mode = slow.\ngold(rim,P,row(R),1) :- settlement(P,R,_), mode = slow.\n"
    (tmp_path / "mine.lp").write_text(CARD + rules)
    other = tmp_path / "mine.lp"

    assert run("score", EXAMPLE, "--rules", tmp_path).err == ""
    other.write_text(CARD + rules.replace("mode = slow.\ngold", "mode = fast.\ngold"))
    assert "no fact and no rule gives slow" in run("score", EXAMPLE, "--rules", tmp_path).err
    assert run("score", EXAMPLE, "--rules", tmp_path, "--const", "mode=slow").err == ""


def test_a_users_rule_counts_with_constants_of_ours(tmp_path: Path) -> None:
    rule = "gold(rim,P,hex(R,C),1) :- settlement(P,R,C), R < official_rows/2.\n"
    (tmp_path / "mine.lp").write_text(CARD + rule)

    half = run("score", EXAMPLE, "--rules", tmp_path, "--format", "json")
    none = run(
        "score", EXAMPLE, "--rules", tmp_path, "--format", "json", "--const", "official_rows=1"
    )

    north = [line for line in EXAMPLE.read_text().splitlines() if line.strip()][:10]
    assert half.json[0]["gold"]["rim"] == ["".join(north).count(player) for player in "1234"]
    assert none.json[0]["gold"]["rim"] == [0, 0, 0, 0]


def test_a_file_modelled_on_a_card_or_tile_may_derive_what_that_one_adds_to() -> None:
    home = ASP / "kingdom_builder"
    files = sorted(home.rglob("*.lp"))
    places = dict[Signature, set[Path]]()
    for path in files:
        for statement in read_program([path], ours=True).statements:
            for head in find_heads(statement):
                places.setdefault(head, set()).add(path)
    models = {"cards", "deeds", "queenies", "tiles"}

    added_to = {
        head
        for head, paths in places.items()
        if len(paths) > 1 and any(path.parent.name in models for path in paths)
    }

    assert ("gold", 4) in added_to
    assert added_to <= find_extension_points(files)


@pytest.mark.parametrize("game", sorted(path.parent.name for path in ASP.glob("*/renamed.csv")))
def test_a_documented_name_that_is_no_more_is_refused_with_the_new_one(
    game: str, tmp_path: Path
) -> None:
    files, _ = list_rule_files(game)
    known = {
        f"{name}/{arity}" for names in find_documented(files).values() for name, arity in names
    }
    renamed = find_renamed(ASP / game)
    assert renamed

    for (name, arity), now in renamed.items():
        assert now in known
        assert f"{name}/{arity}" not in known
        arguments = ",".join(str(number) for number in range(arity))
        atom = f"{name}({arguments})" if arity else name
        for rule, column in ((f"{atom}.", 1), (f"mine :- {atom}.", 9)):
            (tmp_path / "mine.lp").write_text(rule)

            ran = run(*COMMANDS[game], "--rules", tmp_path)

            assert ran.status == 2
            assert f"mine.lp:1:{column}: there is no {name}/{arity} any more: use {now}" in ran.err


def test_where_no_answer_is_illegal_a_rule_that_calls_one_so_is_refused(tmp_path: Path) -> None:
    rule = '#program step(t).\nillegal(t,"north","",("no",)) :- answer((R,_),(R1,_),t), R1 < R.\n'
    (tmp_path / "mine.lp").write_text(rule)

    for words in (SLIME, ("playouts", "slime", "--size", 4), ("legal", *SLIME[1:], "--turn", 3)):
        ran = run(*words, "--rules", tmp_path)

        assert (ran.status, ran.out) == (2, "")
        assert "mine.lp:2:1: our rules derive illegal/4 already" in ran.err
        assert "forbidden/4 says what is not allowed" in ran.err


def test_a_helper_may_have_a_name_that_one_of_ours_had(tmp_path: Path) -> None:
    rules = "first_fault(P,R) :- settlement(P,R,_). gold(rim,P,row(R),1) :- first_fault(P,R)."
    (tmp_path / "mine.lp").write_text(CARD + rules + "\n")

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize("break_", ["\f", "\u2028", "\x0b", "\x85"])
def test_a_message_is_for_the_right_line(break_: str, tmp_path: Path) -> None:
    rule = "gold(rim,P,hex(R,C),1) :- settlment(P,R,C)."
    (tmp_path / "mine.lp").write_text(f"% a{break_}% b\n{CARD}{rule}\n", encoding="utf-8")

    ran = run("score", EXAMPLE, "--rules", tmp_path)

    assert "mine.lp:3:27: nothing defines settlment/3" in ran.err
    assert ran.err.splitlines()[1].strip() == rule


def test_comments_in_comments_are_comments(tmp_path: Path) -> None:
    text = '%* a %* b *% #include "x". é *%\n' + CARD + "gold(rim,P,row(R),1) :- settlement(P,R,_)."
    (tmp_path / "mine.lp").write_text(text + "\n", encoding="utf-8")

    assert run("score", EXAMPLE, "--rules", tmp_path).status == 0


def test_a_negated_term_is_another_value(tmp_path: Path) -> None:
    rules = "gold(rim,P,-hex(R,C),1) :- settlement(P,R,C).\n"
    rules += "gold(rim,P,hex(R,C),1) :- settlement(P,R,C).\n"
    (tmp_path / "mine.lp").write_text(CARD + rules)

    ran = run("explain", EXAMPLE, "--rules", tmp_path, "--card", "rim", "--player", "3")

    assert ran.status == 0
    kinds = [line.split()[4] for line in ran.out.splitlines() if " x 1 " in line]
    assert sorted(kinds) == ["-hex", "hex"]
