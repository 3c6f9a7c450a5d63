"""What may be said in several ways: games, cards, letters, options, and files of other programs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kb_score.errors import guess
from tests.helpers import CLAIMS, EXAMPLE, MEADOW, ROOT, SAFE, SESSION, STATION, run

BASE = ROOT / "boards" / "kingdom_builder" / "games" / "base.txt"
SLIME = ROOT / "boards" / "slime" / "session.txt"
SMALL = "1 2\n . .\n"
RECORD = """\
Board Oracle FARM tavern paddock
CARDS Fishermen, merchants knights
Players 2
1 Grass: 4,11 4,12 5,11 +Farm@5,12
2 forest: 0,15 0,16 0,17
1 Desert: 3,15 3,16 4,16; FARM 6,12
"""


@pytest.mark.parametrize(
    ("game", "files"),
    [
        pytest.param("kingdom-builder", [BASE], id="game"),
        pytest.param("kingdom-builder", [EXAMPLE, CLAIMS], id="claims"),
        pytest.param("slime", [SLIME.parent / "why"], id="folder"),
        pytest.param("search-party", [MEADOW, SAFE], id="search-party"),
        pytest.param("rabbits", [STATION, SESSION], id="rabbits"),
        pytest.param("slime", [SLIME], id="slime"),
    ],
)
def test_check_knows_the_game_from_its_files(game: str, files: list[Path]) -> None:
    named = run("check", game, *files)

    assert run("check", *files) == named
    assert run("check", game.upper(), *files) == named
    before = run("check", "-f", "json", *files)
    assert before == run("check", game, *files, "--format", "json")


@pytest.mark.parametrize("verb", ["replay", "draw", "legal"])
def test_other_verbs_know_the_game_from_its_files(verb: str) -> None:
    for game, files in (("slime", [SLIME]), ("rabbits", [STATION])):
        assert run(verb, *files) == run(verb, game, *files)
    assert run(verb, BASE) == run(verb, "kingdom-builder", BASE)


def test_a_file_of_two_games_has_to_be_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.txt"
    path.write_text("1.2.\n.3.4\n")

    ran = run("check", path)

    assert ran.status == 2
    assert "looks like a file of kingdom-builder or slime: name the game before it" in ran.err


def test_a_game_that_is_misspelt_is_still_guessed() -> None:
    assert "did you mean slime?" in run("check", "slim", SLIME).err
    assert run("check", "no-such-file.txt").status == 2
    assert run("check", "x" * 5000).status == 2


def test_card_and_cards_mean_the_same() -> None:
    for verb, more in (("score", []), ("explain", []), ("draw", ["--player", "3"])):
        one = run(verb, EXAMPLE, "--card", "miners", *more)
        assert (one.status, one) == (0, run(verb, EXAMPLE, "--cards", "MINERS", *more))
    made = run("report", EXAMPLE, "--card", "3")
    assert (made.status, made) == (0, run("report", EXAMPLE, "--cards", "Fishermen"))


def test_the_card_of_a_turn_is_a_terrain() -> None:
    old = run("legal", BASE.with_name("example.txt"), "--card", "desert")
    assert (old.status, old) == (
        0, run("legal", BASE.with_name("example.txt"), "--terrain", "Desert")
    )  # fmt: skip
    board = "G G\n 1 G\n"
    old = run("advise", "-", "--player", "1", "--card", "grass", given=board)
    new = run("advise", "-", "--player", "1", "--terrain", "GRASS", given=board)
    assert old.status == 0
    assert new.out == old.out.replace("card grass", "card grass")
    wrong = run("advise", "-", "--player", "1", "--terrain", "gras", given=board)
    assert "did you mean grass?" in wrong.err


def test_score_shows_one_player_and_the_winner_of_all() -> None:
    ran = run("score", EXAMPLE, "--cards", "1,3,7", "--player", "3", "--combinations")

    lines = ran.out.splitlines()
    assert lines[2] == "card         player 3"
    assert "total              43" in lines
    assert "player 4 wins with 62 gold" in lines
    (found,) = run("score", EXAMPLE, "--cards", "1,3,7", "--player", "3", "--format", "json").json
    assert (found["players"], found["total"], found["winners"]) == ([3], [43], [4])
    absent = run("score", EXAMPLE, "--player", "5")
    assert (absent.status, absent.out) == (2, "")
    assert "player 5 has no settlement on it" in absent.err


def test_letters_of_boards_and_records_may_be_small_or_large() -> None:
    small = run("score", "-", given=EXAMPLE.read_text().lower())
    assert small == run("score", "-", given=EXAMPLE.read_text())
    assert run("board", "Oracle", "FARM/180", "tavern", "Paddock").out == (
        run("board", "oracle", "farm/180", "tavern", "paddock").out
    )
    ran = run("check", "kingdom-builder", "-", "-f", "json", given=RECORD)
    assert (ran.status, ran.json[0]["result"]["turns"]) == (0, 3)
    plain = RECORD.lower().replace(",", " ", 1)
    assert ran == run("check", "kingdom-builder", "-", "-f", "json", given=plain)


@pytest.mark.parametrize(
    ("old", "new", "meant"),
    [
        pytest.param("Grass", "flowr", "flower", id="terrain"),
        pytest.param("merchants", "merchant", "merchants", id="card"),
        pytest.param("FARM 6", "frm 6", "farm", id="tile"),
        pytest.param("tavern", "taverne", "tavern", id="quadrant"),
    ],
)
def test_what_is_misspelt_in_a_record_is_guessed(old: str, new: str, meant: str) -> None:
    ran = run("check", "kingdom-builder", "-", given=RECORD.replace(old, new))

    assert ran.status == 2
    assert f"'{new.removesuffix(' 6')}'" in ran.err
    assert f"; did you mean {meant}?" in ran.err


def test_a_flower_field_is_a_terrain() -> None:
    given = (RECORD.replace("Grass", word) for word in ("flower", "Flower Field"))
    flower, field = (run("check", "kingdom-builder", "-", given=text) for text in given)

    assert (field.status, field) == (1, flower)


def test_what_is_misspelt_on_the_command_line_is_guessed() -> None:
    assert "; did you mean miners?" in run("score", EXAMPLE, "--cards", "miner").err
    assert "did you mean farm?" in run("board", "farme", "oracle", "tavern", "barn").err
    bots = ("--bot", "true", "--bot", "true")
    ran = run("play", "kingdom-builder", *bots, "--cards", "miner")
    assert "; did you mean miners?" in ran.err


@pytest.mark.slow
def test_results_go_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"

    ran = run("score", EXAMPLE, "-f", "csv", "-o", path)

    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert path.read_text() == run("score", EXAMPLE, "--format", "csv").out
    # The file is written over, as kb-score wrote it.
    verdict = run("check", BASE.with_name("broken.txt"), "--why", "-f", "json", "-o", path)
    assert (verdict.status, verdict.out) == (1, "")
    first, *trees = map(json.loads, path.read_text().splitlines())
    assert (first["consistent"], [*trees[0]]) == (False, ["why"])


def test_rules_may_be_one_file(tmp_path: Path) -> None:
    path = tmp_path / "frontier.lp"
    path.write_text(
        'card(frontier, 12, "1 gold").\ngold(frontier,P,hex(R,C),1) :- settlement(P,R,C).\n'
    )

    one, folder = (run("score", EXAMPLE, "--rules", given) for given in (path, tmp_path))

    assert (one.status, one) == (0, folder)
    assert one.out.splitlines()[-1].startswith("frontier ")
    assert run("score", EXAMPLE, "--rules", tmp_path / "no.lp").status == 2


def test_a_board_with_empty_lines_between_its_rows_is_one_board() -> None:
    apart = EXAMPLE.read_text().replace("\n", "\n\n")

    assert run("score", "-", given=apart) == run("score", "-", given=EXAMPLE.read_text())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_board_in_utf_16_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "board.txt"
    path.write_bytes(f"\ufeff{EXAMPLE.read_text()}".encode(encoding))

    assert run("score", path, "-f", "csv").out.count("\n") > 40
    path.write_bytes(path.read_bytes()[:-1])
    broken = run("score", path)
    assert broken.status == 2
    assert "UTF-16 that cannot be decoded: save it as UTF-8" in broken.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("1,3\n .,.\n", "-:1:2: unexpected ',': ", id="comma"),
        pytest.param("1,3\n .,.\n", "put blanks in place of commas", id="comma-hint"),
        pytest.param("# mine\n1 .\n . .\n", "; a comment begins with %", id="comment-hint"),
        pytest.param("G2 2G\n . .\n", "-:1:5: a blank is missing between two hexes", id="swapped"),
        pytest.param("G2 2G\n . .\n", "; did you mean G2?", id="swapped-hint"),
        pytest.param("1 w W .\n . . . .\n", "or G#; did you mean W?", id="small-letter"),
        pytest.param("1 2 3\n", "1 row of 3 hexes cannot be halved", id="one-row"),
    ],
)
def test_a_slip_in_a_board_is_named(text: str, message: str) -> None:
    ran = run("score", "-", given=text)

    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_all_turns_of_a_game_that_cannot_be_read_are_told() -> None:
    wrong = RECORD.replace("forest", "florest").replace("FARM 6", "frm 6")

    ran = run("check", "kingdom-builder", "-", given=wrong)

    assert ran.status == 2
    assert "-:5:3: there is no terrain 'florest'" in ran.err
    assert "-:6:27: there is no tile 'frm'" in ran.err


def test_bots_are_named_by_either_spelling() -> None:
    bot = f"{sys.executable} -c pass"
    short = ("--case", "first-turn", "-f", "json")
    ran = run("bot", "slime", "--bot", bot, *short)
    assert (ran.status, ran.json[0]["bot"]) == (1, bot)
    ran = run("bot", "slime", *short)
    assert "Missing argument: name it by --bot COMMAND or -- COMMAND..." in ran.err
    both = run("bot", "slime", "--bot", bot, *short, "--", "true")
    assert both.status == 2
    bots = [word for _ in range(3) for word in ("--bot", "true")]
    played = run("play", "slime", *bots, "--const", "last_turn=12", "-f", "json", "--", "true")
    assert (played.status, played.json[0]["result"]["turns"]) == (0, 12)


def test_strict_ends_with_1_where_a_board_has_findings() -> None:
    assert run("score", "-", given=SMALL).status == 0
    ran = run("score", "-", "--strict", given=SMALL)
    assert (ran.status, "unofficial-size" in ran.err) == (1, True)
    assert run("score", EXAMPLE, "--strict").status == 0
    both = run("score", "-", "--strict", given=f"{SMALL}\n1 2 3\n 4 . .\n . . .\n")
    assert both.status == 1


def test_quiet_leaves_errors_alone(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text(SMALL)

    assert run("score", path).err != ""
    for words in (("score", path), ("report", path), ("check", SLIME)):
        ran = run(*words, "-q")
        assert (ran.status, ran.err) == (0, "")
    ran = run("score", path, "--quiet", "--cards", "99")
    assert (ran.status, "there is no card" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("word", "known", "said"),
    [
        pytest.param("settlment", "settlement", "; did you mean settlement?", id="slip"),
        pytest.param("frm", "farm", "; did you mean farm?", id="short"),
        pytest.param("helper", "held", "", id="another-word"),
    ],
)
def test_a_word_is_guessed_only_where_it_is_a_slip(word: str, known: str, said: str) -> None:
    assert guess(word, [known]) == said
