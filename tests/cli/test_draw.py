"""Pictures from the command line: boards read back out of them, and animations.

tests/transcripts/cli/draw.md has what cannot be drawn.
"""

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
    SHARED,
    STATION,
    add_rules,
    need_pictures,
    run,
    write_copy,
)

SVG = "{http://www.w3.org/2000/svg}"
SLIME = ROOT / "boards" / "slime"
GAME = ROOT / "boards" / "kingdom_builder" / "games" / "example.txt"
HOSTILE = "<script>alert(1)</script> \"'&\u202e"

Cells = dict[tuple[int, int], str]

# Files of all kinds, each with a symbol that its picture has.
FILES: dict[str, tuple[tuple[object, ...], str]] = {
    "board": (("kingdom-builder", EXAMPLE), "W"),
    "game": (("kingdom-builder", GAME), "G1"),
    "rabbits": (("rabbits", STATION, SESSION), "X"),
    "run-log": (("rabbits", STATION, LOG), " "),
    "search-party": (("search-party", MEADOW, SAFE), "@"),
    "slime": (("slime", SLIME / "session.txt"), "1"),
    "frames": (("slime", SLIME / "frames.txt"), "."),
}
EVERY_FILE = pytest.mark.parametrize("words", [words for words, _ in FILES.values()], ids=FILES)


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


def count_rings(text: str) -> int:
    return sum(g.get("class") == "highlight" for g in read_svg(text).iter(f"{SVG}g"))


@pytest.mark.parametrize(
    "path",
    [
        EXAMPLE,
        pytest.param(SHARED / "kingdom_builder" / "always20.txt", marks=pytest.mark.shared),
        pytest.param(SHARED / "kingdom_builder" / "fourways20.txt", marks=pytest.mark.shared),
    ],
    ids=lambda path: path.stem,
)
def test_the_picture_of_a_board_is_the_board(path: Path) -> None:
    ran = run("draw", "kingdom-builder", path)

    assert (ran.status, ran.err) == (0, "")
    assert read_cells(ran.out) == split_board(path.read_text())


@pytest.mark.parametrize(("document", "name"), [("README.md", "game")])
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


def test_a_turn_of_a_slime_session_is_the_board_line() -> None:
    lines = (SLIME / "session.txt").read_text().splitlines()

    for turn in (1, 7, 20):
        _, *rows = lines[2 * (turn - 1)].split(",")
        ran = run("draw", "slime", SLIME / "session.txt", "--turn", turn)
        assert read_cells(ran.out) == split_board("\n".join(map(" ".join, rows)))


@EVERY_FILE
def test_a_picture_says_what_it_shows(words: tuple[object, ...]) -> None:
    picture = read_svg(run("draw", *words).out)

    title, description = picture.find(f"{SVG}title"), picture.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert description.text
    assert Path(str(words[-1])).name in (title.text or "")
    assert str(ROOT) not in f"{title.text}{description.text}"  # people send pictures to others
    assert picture.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


@EVERY_FILE
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


@pytest.mark.parametrize("name", ["game", "rabbits", "search-party", "slime"])
def test_an_animation_has_a_frame_for_each_turn(name: str, tmp_path: Path) -> None:
    need_pictures()
    words, _ = FILES[name]
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


@pytest.mark.parametrize("ending", ["png", "gif"])
def test_a_missing_library_for_pixels_is_named(
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


@EVERY_FILE
def test_the_name_of_a_file_is_not_markup(words: tuple[object, ...], tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("words", "old"), FILES.values(), ids=FILES)
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


@EVERY_FILE
def test_rules_that_draw_nothing_are_refused(words: tuple[object, ...], tmp_path: Path) -> None:
    folder = ROOT / "asp" / str(words[0]).replace("-", "_")
    name = "replay.lp" if GAME in words else "picture.lp"
    source = folder / "picture" / name
    # Rules that paint if something is false paint nothing.
    text = re.sub(
        r"^((?:paints|cell)\(.*\)\s+:-)", r"\1 #false,", source.read_text(), flags=re.MULTILINE
    )
    write_copy(tmp_path, f"{folder.name}/picture/{name}", text)

    ran = run("draw", *words, "--rules", tmp_path)

    assert (ran.status, ran.out) == (2, "")
    assert "draw no picture" in ran.err
    assert ran.err.endswith(("picture.lp gives no cell\n", "picture.lp paints nothing\n"))
