"""Wrong words in lines of several words are found at their places, wherever they stand."""

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


def test_of_many_mistakes_twenty_are_reported(tmp_path: Path) -> None:
    plan = tmp_path / "plan.txt"
    plan.write_text("@5 x.\n" * 100)

    assert run("check", "search-party", MEADOW, plan).err.count(": unexpected 'x") == 20
