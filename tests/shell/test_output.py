"""One function for each format of output."""

from __future__ import annotations

import pytest

from kb_score.shell.output import Output, Table, Text, render, show

TABLE = Table("gold", ("card", "player 1"), (("lords", 12), ("total", 12)), 1, code=("card",))
OUTPUT = Output([Text("a board", "heading"), TABLE, Text("x y\n", "picture")], [{"a": [1]}])


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (
            "table",
            "a board\n\ngold\n\ncard   player 1\n---------------\nlords        12\n"
            "---------------\ntotal        12\n\nx y\n",
        ),
        (
            "markdown",
            "### a board\n\n**gold**\n\n| card | player 1 |\n| --- | ---: |\n| `lords` | 12 |\n"
            "| `total` | 12 |\n\n```\nx y\n```\n",
        ),
        ("csv", "card,player 1\nlords,12\ntotal,12\n"),
        ("json", '{"a": [1]}\n'),
    ],
)
def test_every_format_shows_the_same(
    format_: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show(OUTPUT, format_)

    assert capsys.readouterr().out == expected


def test_what_follows_has_no_second_line_of_headings(capsys: pytest.CaptureFixture[str]) -> None:
    show(OUTPUT, "csv", is_first=False)

    assert capsys.readouterr().out == "lords,12\ntotal,12\n"


def test_a_column_is_numeric_if_all_that_it_holds_are_numbers() -> None:
    table = Table("", ("a", "b", "c"), ((1, "", "x"), ("", "", 2)))

    assert table.find_numeric() == [True, False, False]


@pytest.mark.parametrize(
    ("value", "said"), [(True, "yes"), (None, "-"), ([1, 2], "1 2"), (3, 3), ("a", "a")]
)
def test_values_are_said_in_words(value: object, said: object) -> None:
    assert render(value) == said
