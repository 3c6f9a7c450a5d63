"""The words of pictures: the rules and what draws them know the same."""

from __future__ import annotations

from kb_score.shell.svg import COLOURS, MARKS
from tests.helpers import derive


def test_the_rules_know_the_colours_and_the_marks_that_can_be_drawn() -> None:
    assert derive("slime", "common/looks", "", "colour/1") == {(name,) for name in COLOURS}
    assert derive("slime", "common/looks", "", "mark/1") == {(name,) for name in (*MARKS, "text")}
