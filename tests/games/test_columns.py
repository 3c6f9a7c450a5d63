"""Mistakes in lines of several words: each is reported at its own column, all of a file at once."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.rules import GameRules
from kb_score.errors import FormatError
from kb_score.games import GameFolder
from kb_score.grammar import parse
from tests.helpers import MEADOW, ROOT, SAFE, SESSION, run

MAP = "5 2 1 0\nS....\n.....\n"
STATION_MAP = "#####\n#s e#\n#####\n"
DASHES = "-" * 40


def list_places(text: str) -> list[str]:
    """List the mistakes of a message, each as line, column and the beginning of what is said."""
    return re.findall(
        r"^\S+?:(\d+:\d+: (?:unexpected (?:'[^']*'|\w+ \w+ \w+ \w+)|.{10}))", text, re.M
    )


def check(tmp_path: Path, game: str, *texts: str) -> list[str]:
    """Check files, the last of which cannot be read; list what is wrong with it."""
    paths = [tmp_path / f"{number}.txt" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    ran = run("check", game, *paths)
    assert (ran.status, ran.out) == (2, "")
    return list_places(ran.err)


def test_mistakes_in_a_plan(tmp_path: Path) -> None:
    plan = "@9 A2 a2 b2 c2x d2.\n@9 A2.\nA22.\n@4  A2\n3 1 x\n"

    assert check(tmp_path, "search-party", MAP, plan) == [
        "1:13: unexpected 'c2x'",
        "3:1: unexpected 'A22.'",
        "4:7: unexpected end of the line",
        "5:5: unexpected 'x'",
    ]


def test_mistakes_in_a_session_of_the_search_party(tmp_path: Path) -> None:
    session = (
        f"Turn 1\n@:0,0 A:0;0.\nooo..\nooo..\n{DASHES}\n@6 A51.\n"
        f"Turm 2\n@:1,0 A:1,0\noox..\nooo..\n{DASHES}\n@66 A5.\n"
        "Finished in x turns\n"
    )

    assert check(tmp_path, "search-party", MAP, session) == [
        "2:7: unexpected 'A:0;0.'",
        "6:4: unexpected 'A51.'",
        "7:1: unexpected 'Turm'",
        "8:12: unexpected end of the line",
        "9:3: unexpected 'x'",
        "12:1: unexpected '@66'",
        "13:13: unexpected 'x'",
    ]


def test_boards_of_another_size(tmp_path: Path) -> None:
    block = f"Turn 1\n@:0,0 A:0,0.\nooo..\nooo.\n{DASHES}\n"

    assert check(tmp_path, "search-party", MAP, block * 2) == ["4:5: this row h", "9:5: this row h"]
    boards = "1,1.2,...,3.4\n\n1,1.2,..,3.4\n\n2,12,34\n\n3,1.2,...,3.4,...\n\n"
    assert check(tmp_path, "slime", boards) == [
        "3:9: this row h",
        "5:5: this row h",
        "7:15: the grid h",
    ]


def test_mistakes_in_records_of_slime(tmp_path: Path) -> None:
    session = (
        "1,1.2,...,3.4\n0 0 1 1\n2,1.1,.x.,1.1\npass\n3,1.1,.1.,1.1\n% of a bot\n"
        "6,1.1,.1.,1.1\npass\n5 0 0 x\n"
    )

    assert check(tmp_path, "slime", session) == [
        "3:8: unexpected 'x'",
        "7:1: unexpected '6,1.1,.1.,1.1'",
        "9:7: unexpected 'x'",
    ]
    assert check(tmp_path, "slime", "1.2\n.y.\n3.4\n\n1.1\n.1x\n1.1\n") == [
        "2:2: unexpected 'y'",
        "6:3: unexpected 'x'",
    ]


def test_mistakes_in_records_of_rabbits(tmp_path: Path) -> None:
    session = (
        "run 1 seed 843\nturnsleft 2\ncrusher 2,3 crushes 1;3; 5,5 movesto 5,4\n"
        "rabbits 6,4 8,7x 7,3\nmov 6,4 to 7,4\nturnslft 1\ncrusher 2,3 moveto 1,3\nrabbits\n"
        "move\nscore x\n"
    )

    assert check(tmp_path, "rabbits", STATION_MAP, session) == [
        "3:21: unexpected '1;3;'",
        "4:13: unexpected '8,7x'",
        "5:1: unexpected 'mov'",
        "6:1: unexpected 'turnslft'",
        "7:13: unexpected 'moveto'",
        "10:7: unexpected 'x'",
    ]
    table = "Run Seed Score\n 1 2 x\n 1 y 3\n x 2 3\nTotal Score: x\n"
    assert check(tmp_path, "rabbits", STATION_MAP, table) == [
        "2:6: unexpected 'x'",
        "3:4: unexpected 'y'",
        "4:2: unexpected 'x'",
        "5:14: unexpected 'x'",
    ]


@pytest.mark.parametrize(
    ("game", "text", "places"),
    [
        ("search-party", "5 2 x\n..x..\nx....\n", ["1:5", "2:3", "3:1"]),
        ("rabbits", "####\n#sx#\n#ey#\n####\n", ["2:3", "3:3"]),
    ],
)
def test_mistakes_in_maps(tmp_path: Path, game: str, text: str, places: list[str]) -> None:
    found = check(tmp_path, game, text, "@5.\n")

    assert [":".join(place.split(":")[:2]) for place in found] == places


def test_of_many_mistakes_twenty_are_reported(tmp_path: Path) -> None:
    assert len(check(tmp_path, "search-party", MAP, "@5 x.\n" * 100)) == 20


@pytest.mark.parametrize(
    ("line", "column", "problem"),
    [
        ("@9  A2 a2 b2 c2x d2.", 14, "unexpected 'c2x'"),
        (" @6 A", 6, "unexpected end of the line"),
        ("", 1, "the text ends too early"),
    ],
)
def test_a_line_of_moves_is_echoed_as_it_was_typed(line: str, column: int, problem: str) -> None:
    ran = run("legal", "search-party", MEADOW, "--move", line)

    first, source, caret = ran.err.splitlines()
    assert ran.status == 2
    assert first.startswith(f"--move:1:{column}: {problem}: expected a person and a direction")
    assert source == f"    {line}"
    assert caret == f"    {' ' * (column - 1)}^"


def test_a_mistake_in_the_answer_of_a_bot_has_its_column(tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text("@6  A2x a2.\n")

    ran = run("play", "search-party", MEADOW, "--", "cat", answer)

    assert ran.status == 1
    assert "can be read: column 5: unexpected 'A2x': expected a person and a direction" in ran.err


def read(grammar: str, text: str, start: str) -> None:
    """Read a text; what a square may be is said beside the grammar of Slime."""
    if grammar == "slime":
        GameFolder("slime").type.check(GameRules("slime"), [("record", text)])
    else:
        parse(grammar, text, name="record", start=start)


@pytest.mark.parametrize(
    ("grammar", "path", "lines", "start"),
    [
        ("search_party", SAFE, r"Turn|[^.o#-]", "start"),
        ("rabbits_session", SESSION, r"turnsleft|crusher|rabbits", "start"),
        ("slime", ROOT / "boards" / "slime" / "session.txt", r"[1-4],", "start"),
        ("search_party", MEADOW, r"[0-9]", "map"),
    ],
)
def test_a_wrong_word_is_found_wherever_it_stands(
    grammar: str, path: Path, lines: str, start: str
) -> None:
    text = path.read_text()
    draw = Random(1)
    words = [
        (line.start() + word.start(), number)
        for number, line in enumerate(re.finditer(r"[^\n]+", text), 1)
        if re.match(lines, line[0])
        for word in re.finditer(r"[^\s,.;:#]+", line[0])
    ]

    for place, number in draw.sample(words, min(20, len(words))):
        with pytest.raises(FormatError) as failure:
            read(grammar, f"{text[:place]}~{text[place:]}", start)

        found = failure.value.place
        begin = text.rfind("\n", 0, place) + 1
        assert found.line == number
        # Words of several parts, such as A:0,0 and 3,4, are reported at their beginning.
        begun = re.search(r"\S*$", text[begin:place])
        assert begun is not None
        assert begin + found.column - 1 in range(place - len(begun[0]), place + 1)
