"""Pictures from the command line: boards read back out of them, and what cannot be drawn."""

from __future__ import annotations

import re
import struct
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from tests.helpers import (
    EXAMPLE,
    LOG,
    MEADOW,
    ROOT,
    SAFE,
    SESSION,
    STATION,
    add_rules,
    need_pictures,
    run,
    write_copy,
)

SVG = "{http://www.w3.org/2000/svg}"
SHARED = ROOT / ".." / "shared" / "data"
HOLLOW = ROOT / "boards" / "search_party" / "maps" / "hollow.txt"
BLOCKED = ROOT / "boards" / "search_party" / "records" / "hollow" / "onto-obstacle-plan.txt"
SLIME = ROOT / "boards" / "slime"
GAMES = ROOT / "boards" / "kingdom_builder" / "games"
GAME, SHORT, BROKEN = (GAMES / f"{name}.txt" for name in ("base", "example", "broken"))
HOSTILE = "<script>alert(1)</script> \"'&\u202e"

Cells = dict[tuple[int, int], str]

EVERY_GAME = pytest.mark.parametrize(
    "words",
    [
        ("kingdom-builder", EXAMPLE),
        ("kingdom-builder", SHORT),
        ("rabbits", STATION, SESSION),
        ("rabbits", STATION, LOG),
        ("search-party", MEADOW, SAFE),
        ("slime", SLIME / "session.txt"),
        ("slime", SLIME / "frames.txt"),
    ],
    ids=["board", "game", "rabbits", "run-log", "search-party", "slime", "frames"],
)
IN_TURNS = pytest.mark.parametrize(
    "words",
    [
        ("kingdom-builder", SHORT),
        ("rabbits", STATION, SESSION),
        ("search-party", MEADOW, SAFE),
        ("slime", SLIME / "session.txt"),
    ],
    ids=["game", "rabbits", "search-party", "slime"],
)


def read_svg(text: str) -> ET.Element:
    return ET.fromstring(text)


def read_cells(text: str) -> Cells:
    """Read the symbols of a picture by row and column."""
    places = [g for g in read_svg(text).iter(f"{SVG}g") if g.get("data-row") is not None]
    cells = {
        (int(g.get("data-row", "")), int(g.get("data-column", ""))): g.get("data-symbol", "")
        for g in places
    }
    assert len(cells) == len(places)
    return cells


def split_board(text: str) -> Cells:
    """Read a board of hexes the plain way."""
    lines = enumerate(text.splitlines())
    return {(r, c): symbol for r, line in lines for c, symbol in enumerate(line.split())}


def split_rows(rows: list[str]) -> Cells:
    return {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}


def count_rings(text: str) -> int:
    return sum(g.get("class") == "highlight" for g in read_svg(text).iter(f"{SVG}g"))


@pytest.mark.parametrize(
    "path",
    [
        EXAMPLE,
        *(SHARED / "kingdom_builder" / f"{name}.txt" for name in ("example", "always20")),
        SHARED / "kingdom_builder" / "fourways20.txt",
    ],
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_the_picture_of_a_board_is_the_board(path: Path) -> None:
    if not path.exists():
        pytest.skip(f"there is no {path}")

    ran = run("draw", "kingdom-builder", path)

    assert (ran.status, ran.err) == (0, "")
    assert read_cells(ran.out) == split_board(path.read_text())


@pytest.mark.parametrize(("document", "name"), [("README.md", "game"), ("docs/tour.md", "example")])
def test_the_picture_that_a_document_begins_with_is_made_by_the_command_below_it(
    document: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / f"{name}.svg"
    head, _, rest = (ROOT / document).read_text().partition(f"{name}.svg)")
    (command,) = re.findall(rf"kb-score (draw .*) -o docs/{name}.svg\n", rest)
    monkeypatch.chdir(ROOT)

    ran = run(*command.split(), "-o", made, "--force")

    assert len(head.splitlines()) <= 6
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert made.stat().st_size <= 150_000
    assert made.read_bytes() == (ROOT / "docs" / f"{name}.svg").read_bytes()


def test_a_board_without_quadrants_is_drawn_and_its_players_come_last() -> None:
    text = ". 2 W\n"

    drawn = run("draw", "-", given=text)

    assert drawn.status == 0
    legend = ET.fromstring(drawn.out).findall(f"{SVG}g[@class='legend']/{SVG}text")
    assert [entry.text for entry in legend] == ["empty", "water", "player 2"]
    # The board is so small that the legend stands beside it.
    assert {float(entry.attrib["x"]) for entry in legend} == {214.0}
    assert run("draw", "-", "--card", "miners", "--player", 2, given=text).status == 2


def test_hexes_that_pay_are_marked_with_the_gold() -> None:
    card = ("--card", "miners", "--player", "3")
    (line,) = run("explain", EXAMPLE, *card, "--format", "json").json
    hexes = {tuple(hex_) for evidence in line["evidence"] for hex_ in evidence["hexes"]}
    assert len(hexes) == 11

    picture = run("draw", "kingdom-builder", EXAMPLE, *card).out

    groups = read_svg(picture).iter(f"{SVG}g")
    labels = [g.findtext(f"{SVG}text") for g in groups if g.get("class") == "label"]
    assert count_rings(picture) == 11
    assert labels == ["1"] * 11


def test_a_card_alone_marks_what_it_pays_all_players() -> None:
    lines = run("explain", EXAMPLE, "--card", "castles", "--format", "json").json
    paid = Counter[tuple[int, int]]()
    for piece in (piece for line in lines for piece in line["evidence"]):
        paid.update(dict.fromkeys(map(tuple, piece["hexes"]), piece["gold"]))

    picture = run("draw", EXAMPLE, "--card", "castles").out

    groups = read_svg(picture).iter(f"{SVG}g")
    labels = [g.findtext(f"{SVG}text") for g in groups if g.get("class") == "label"]
    assert labels == [str(paid[place]) for place in sorted(paid)]
    alone = run("draw", EXAMPLE, "--player", 1)
    assert (alone.status, "name a card" in alone.err) == (2, True)


def test_a_legend_has_land_and_locations_first_and_players_behind_them() -> None:
    drawn = run("draw", "boards/kingdom_builder/games/base.txt")

    legend = ET.fromstring(drawn.out).findall(f"{SVG}g[@class='legend']/{SVG}text")
    names = [entry.text or "" for entry in legend]
    (first, *_) = (i for i, name in enumerate(names) if name.startswith("player"))
    assert {"barn", "water", "grass"} <= {*names[:first]}
    assert all(name.startswith("player") for name in names[first:])


def test_a_turn_of_a_stream_is_the_block_that_is_printed() -> None:
    blocks = SAFE.read_text().split("Turn ")[1:]

    for turn, block in enumerate(blocks, 1):
        _, people, *rows = block.split("-----")[0].splitlines()
        expected = split_rows(rows)
        for person in reversed(people.rstrip(".").split()):
            name, _, place = person.partition(":")
            column, row = map(int, place.split(","))
            expected[row, column] = name
        ran = run("draw", "search-party", MEADOW, SAFE, "--turn", turn)
        assert read_cells(ran.out) == expected


def test_a_turn_of_a_slime_session_is_the_board_line() -> None:
    lines = (SLIME / "session.txt").read_text().splitlines()

    for turn in (1, 7, 20):
        rows = lines[2 * (turn - 1)].split(",")[1:]
        ran = run("draw", "slime", SLIME / "session.txt", "--turn", turn)
        assert read_cells(ran.out) == split_rows(rows)


@pytest.mark.slow
def test_a_frame_of_a_run_log_is_the_picture_of_its_number() -> None:
    height = len([row for row in STATION.read_text().splitlines() if row.startswith("#")])
    rows = [line for line in LOG.read_text().splitlines() if line.startswith("#")]

    for turn in (1, 2, 9):
        frame = rows[(turn - 1) * height : turn * height]
        ran = run("draw", "rabbits", STATION, LOG, "--turn", turn)
        assert read_cells(ran.out) == split_rows(frame)


@pytest.mark.parametrize(
    ("words", "turn", "rings"),
    [
        (("search-party", HOLLOW, BLOCKED), 3, 1),
        (("slime", SLIME / "wrong.txt"), 10, 1),
        (("search-party", MEADOW, SAFE), 7, 1),
        (("slime", SLIME / "session.txt"), 53, 1),
        (("kingdom-builder", BROKEN), 37, 1),
        (("kingdom-builder", GAME), 39, 1),
    ],
    ids=["violation", "wrong-board", "end", "end-of-slime", "illegal", "end-of-game"],
)
def test_without_a_turn_it_is_the_first_wrong_one_or_the_last(
    words: tuple[object, ...], turn: int, rings: int
) -> None:
    chosen, asked = run("draw", *words), run("draw", *words, "--turn", turn)

    assert chosen.status == 0
    assert chosen.out == asked.out
    assert count_rings(chosen.out) == rings
    assert run("draw", *words, "--turn", turn - 1).out != chosen.out


@pytest.mark.parametrize("words", [("search-party", HOLLOW), ("rabbits", STATION)])
def test_a_map_alone_is_drawn(words: tuple[object, ...]) -> None:
    ran = run("draw", *words)

    assert ran.status == 0
    assert read_cells(ran.out)


@EVERY_GAME
def test_a_picture_says_what_it_shows(words: tuple[object, ...]) -> None:
    picture = read_svg(run("draw", *words).out)

    title, description = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert description.text
    assert Path(str(words[-1])).name in (title.text or "")
    assert str(ROOT) not in f"{title.text}{description.text}"  # people send pictures to others
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


@EVERY_GAME
def test_a_png_is_the_size_of_two_svgs(words: tuple[object, ...], tmp_path: Path) -> None:
    need_pictures()
    made = tmp_path / "picture.png"
    picture = read_svg(run("draw", *words).out)

    ran = run("draw", *words, "-o", made, "--force")

    assert (ran.status, ran.out, ran.err) == (0, "", "")
    data = made.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == (2 * int(picture.get("width", 0)), 2 * int(picture.get("height", 0)))


@IN_TURNS
def test_an_animation_has_a_frame_for_each_turn(words: tuple[object, ...], tmp_path: Path) -> None:
    need_pictures()
    from PIL import GifImagePlugin

    made = tmp_path / "game.gif"
    turns = run("check", *words, "--format", "json").json[0]["result"]["turns"]

    ran = run("replay", *words, "-o", made, "--force")

    assert (ran.status, ran.out, ran.err) == (0, "", "")
    with GifImagePlugin.GifImageFile(made) as animation:
        # Turns that look alike may be one frame, which is shown for longer.
        assert turns / 2 < animation.n_frames <= turns + 1


def test_an_animation_says_the_turn_and_has_its_rings(tmp_path: Path) -> None:
    need_pictures()
    from PIL import Image

    made = tmp_path / "game.gif"
    assert run("replay", "slime", SLIME / "session.txt", "-o", made).status == 0

    with Image.open(made) as animation:
        assert animation.info["duration"] == 600
        frames = []
        for number in range(3):
            animation.seek(number)
            frames.append(animation.convert("L"))
    width, height = frames[0].size
    captions = {frame.crop((0, height - 24, width, height)).tobytes() for frame in frames}
    assert len(captions) == 3
    # Behind the turn stands what was done in it, where that is known.
    far = [frame.crop((150, height - 24, width, height)).histogram() for frame in frames]
    assert [sum(dots[:60]) > 0 for dots in far] == [False, True, True]
    # A ring is black, and squares are not, but for the marks on them.
    dark = [sum(frame.crop((0, 0, width, height - 24)).histogram()[:20]) for frame in frames]
    assert dark[1] > 1.3 * dark[0]
    # A line goes around the board.
    assert max(frames[0].crop((1, 8, 2, height - 32)).tobytes()) < 128
    # A speed is that of an animation alone.
    words = ("replay", "slime", SLIME / "session.txt", "--speed", 4, "-o")
    assert run(*words, made).status == 0
    with Image.open(made) as animation:
        assert animation.info["duration"] == 250
    ran = run(*words, tmp_path / "game.html")
    assert ran.status == 2
    assert "use this option with an animation (.gif)" in ran.err


@pytest.mark.parametrize("ending", ["png", "gif"])
def test_what_is_missing_for_dots_is_told(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("resvg_py", "font_roboto", "PIL.Image"):
        monkeypatch.setitem(sys.modules, module, None)
    made = tmp_path / f"picture.{ending}"
    verb = {"png": "draw", "gif": "replay"}[ending]

    ran = run(verb, "slime", SLIME / "session.txt", "-o", made, "--force")

    assert (ran.status, ran.out) == (2, "")
    assert "pip install 'kb-score[pictures]'" in ran.err
    assert list(tmp_path.iterdir()) == []


@EVERY_GAME
def test_names_of_files_are_no_markup(words: tuple[object, ...], tmp_path: Path) -> None:
    # A file's name has no slash.
    named = tmp_path / HOSTILE.replace("/", "\\")
    named.write_bytes(Path(str(words[-1])).read_bytes())

    ran = run("draw", *words[:-1], named)

    assert ran.status == 0
    assert "<script" not in ran.out
    assert "\u202e" not in ran.out
    title = read_svg(ran.out).findtext(f"{SVG}title") or ""
    assert "<script>alert(1)<\\script> \"'&\\u202e" in title
    if EXAMPLE not in words:
        page = run("replay", *words[:-1], named).out
        assert "<script>alert" not in page
        assert "\u202e" not in page


BAD_OUTPUTS = [
    ("draw", "picture.pdf", "must end in .svg or .png"),
    ("draw", "picture", "must end in .svg or .png"),
    ("draw", "nowhere/picture.svg", "no such file or directory"),
    ("replay", "page.svg", "must end in .html or .gif"),
    ("replay", "nowhere/page.html", "no such file or directory"),
]


@pytest.mark.parametrize(("verb", "output", "said"), BAD_OUTPUTS)
def test_a_file_that_cannot_be_written_is_told(
    verb: str, output: str, said: str, tmp_path: Path
) -> None:
    ran = run(verb, "slime", SLIME / "session.txt", "-o", tmp_path / output)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.splitlines() == [f"{tmp_path / output}: {ran.err.split(': ', 1)[1].rstrip()}"]
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_record_is_not_overwritten_by_its_picture(tmp_path: Path) -> None:
    record = tmp_path / "record.svg"
    record.write_bytes((SLIME / "session.txt").read_bytes())

    ran = run("draw", "slime", record, "-o", record)

    assert ran.status == 2
    assert "already uses this file" in ran.err
    assert record.read_bytes() == (SLIME / "session.txt").read_bytes()


def test_a_turn_of_a_game_is_the_board_after_it() -> None:
    rows = run("board", "oracle", "farm", "tavern", "paddock").out
    empty = split_board(rows)

    start = read_cells(run("draw", SHORT, "--turn", 0).out)
    first = read_cells(run("draw", "kingdom-builder", SHORT, "--turn", 1).out)

    assert start == empty
    settled = {place for place, symbol in first.items() if symbol.endswith("1")}
    assert settled == {(4, 11), (4, 12), (5, 11)}
    # Anywhere on grass the turn could have begun; there are no settlements yet.
    begun = {place for place, symbol in first.items() if symbol == "G+"}
    assert begun | settled == {place for place, symbol in empty.items() if symbol == "G"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("draw", GAME, "--card", "miners", "--player", "1"), "--card goes with a board"),
        (("draw", EXAMPLE, "--turn", "1"), "--turn goes with a game: a board has no turns"),
        (
            ("replay", "kingdom-builder", EXAMPLE),
            "this is not a game: a heading or a turn is expected",
        ),
        (("draw", GAME, "--turn", "40"), "there are pictures of the turns 0 to 39"),
    ],
    ids=["card", "turn", "replay", "later"],
)
def test_what_boards_and_games_do_not_share_is_told(words: tuple[object, ...], said: str) -> None:
    ran = run(*words)

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize("verb", ["score", "report"])
def test_a_game_is_no_board_to_score(verb: str) -> None:
    ran = run(verb, GAME)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == (
        f"{GAME}: this is a game, not a board: kb-score check kingdom-builder checks it, "
        "kb-score replay kingdom-builder shows it\n"
    )


@pytest.mark.parametrize("turn", [-1, 0, 54, 10**9])
def test_a_turn_that_there_is_not_is_told(turn: int) -> None:
    ran = run("draw", "slime", SLIME / "session.txt", "--turn", turn)

    assert (ran.status, ran.out) == (2, "")
    assert f"no picture of turn {turn}: there are pictures of the turns 1 to 53" in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ("kingdom-builder", "{}"),
        ("rabbits", "{}"),
        ("rabbits", STATION, "{}"),
        ("search-party", "{}"),
        ("search-party", MEADOW, "{}"),
        ("slime", "{}"),
    ],
)
@pytest.mark.parametrize("verb", ["draw", "replay"])
def test_what_is_no_record_is_told_and_nothing_is_written(
    verb: str, words: tuple[object, ...], tmp_path: Path
) -> None:
    broken, made = tmp_path / "broken.txt", tmp_path / ("a.svg" if verb == "draw" else "a.html")
    broken.write_text("Once upon a time\n")
    made.write_text("as it was")

    ran = run(verb, *(broken if word == "{}" else word for word in words), "-o", made, "--force")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{broken}:")
    assert made.read_text() == "as it was"
    assert sorted(tmp_path.iterdir()) == sorted([broken, made])


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ('paints(0..1,0,0,"Q") :- replayed.', "mine.lp:1:1: the rules draw both "),
        ('look("Z",pink,none,"z").', "mine.lp:1:1: no colour is called pink\n"),
        ('look("Z",white,star,"z").', "mine.lp:1:1: no mark is called star\n"),
        ('look("Z",white,dot,"z"). look("Z",black,dot,"z").', "mine.lp:1:1: the rules give two"),
    ],
    ids=["cell", "colour", "mark", "looks"],
)
@pytest.mark.parametrize(
    "words", [("kingdom-builder", EXAMPLE), ("rabbits", STATION, SESSION)], ids=["board", "rabbits"]
)
def test_pictures_that_rules_make_impossible_are_told(
    words: tuple[object, ...], rule: str, said: str, tmp_path: Path
) -> None:
    made = tmp_path / "made.svg"
    made.write_text("as it was")
    if EXAMPLE in words and "paints" in rule:
        rule = 'cell(0,0,"Q").'

    ran = run("draw", *words, "--rules", add_rules(tmp_path, rule), "-o", made, "--force")

    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ("'Q'" in ran.err) == ("draw both" in said)
    assert len(ran.err.splitlines()) == 3
    assert made.read_text() == "as it was"


@pytest.mark.parametrize(
    ("words", "old"),
    [
        (("kingdom-builder", EXAMPLE), "W"),
        (("kingdom-builder", SHORT), "G1"),
        (("rabbits", STATION, SESSION), "X"),
        (("rabbits", STATION, LOG), " "),
        (("search-party", MEADOW, SAFE), "@"),
        (("slime", SLIME / "session.txt"), "1"),
        (("slime", SLIME / "frames.txt"), "."),
    ],
    ids=["board", "game", "rabbits", "run-log", "search-party", "slime", "frames"],
)
def test_a_rule_file_puts_another_symbol_in_place_of_one(
    words: tuple[object, ...], old: str, tmp_path: Path
) -> None:
    folder = add_rules(tmp_path, f'redraw("{old}","~"). look("~",sky,text,"mine").')

    ours, theirs = run("draw", *words), run("draw", *words, "--rules", folder)

    assert (theirs.status, theirs.err) == (0, "")
    cells = read_cells(ours.out)
    assert old in cells.values()
    assert read_cells(theirs.out) == {at: "~" if s == old else s for at, s in cells.items()}
    assert ": mine</title>" in theirs.out


@EVERY_GAME
def test_rules_that_draw_nothing_are_told(words: tuple[object, ...], tmp_path: Path) -> None:
    folder = ROOT / "asp" / str(words[0]).replace("-", "_")
    name = "replay.lp" if SHORT in words else "picture.lp"
    source = folder / "picture" / name
    # Rules that paint if something is false paint nothing.
    text = re.sub(
        r"^((?:paints|cell)\(.*\)\s+:-)", r"\1 #false,", source.read_text(), flags=re.MULTILINE
    )
    write_copy(tmp_path, f"{folder.name}/picture/{name}", text)

    ran = run("draw", *words, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert "draw no picture" in ran.err
    assert ran.err.endswith((": picture.lp gives no cell\n", ": picture.lp paints nothing\n"))
