"""The pages of the documentation, shown by the command."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.games.contract import Example
from tests.games.examples import each_game
from tests.helpers import ROOT, run

DOCS = ROOT / "docs"


def test_the_pages_are_listed_with_their_titles() -> None:
    ran = run("docs")

    assert (ran.status, ran.err) == (0, "")
    listed = dict(re.findall(r"^(\S+) +(.+)$", ran.out, re.M))
    assert listed["contests"] == "Contests"
    assert listed.keys() == {path.stem for path in DOCS.glob("*.md")} - {"index"}


@pytest.mark.parametrize("name", ["why", "why.md", "docs/why.md"])
def test_a_page_is_shown_as_it_is(name: str) -> None:
    ran = run("docs", name)

    assert (ran.status, ran.out, ran.err) == (0, (DOCS / "why.md").read_text(), "")


@each_game
def test_the_page_of_a_game_begins_with_its_rules_and_a_picture(game: Example) -> None:
    ran = run("docs", game.game)

    assert (ran.status, ran.err) == (0, "")
    _, first, *_ = re.split(r"^## ", ran.out, flags=re.MULTILINE)
    assert first.startswith("Rules\n")
    (picture,) = re.findall(r"^!\[[^\]]+\]\((\w+\.svg)\)$", first, re.MULTILINE)
    assert (DOCS / picture).is_file()


def test_the_boards_of_the_rules_of_slime_follow_from_the_rules() -> None:
    """The columns are a board, then the board after each move, below the move and its kind."""
    rules = (DOCS / "slime.md").read_text()
    (diagram,) = re.findall(r"```text\nbefore(.*?)```", rules, re.DOTALL)
    moves, kinds, *rows = diagram.strip().splitlines()
    before, *boards = zip(*(row.split() for row in rows if row), strict=True)
    answers = re.findall(r"\d \d \d \d", moves)
    assert kinds.split() == ["spread", "jump", "merge"]
    for answer, kind, board in zip(answers, kinds.split(), boards, strict=True):
        frames = "\n".join([*before, "", *board, ""])

        found = run("check", "slime", "-", "--first", 1, given=frames)

        assert found.status == 0
        assert found.out.splitlines()[-1].split() == ["1", "1", kind, *answer.split()]


def test_the_name_of_a_page_that_does_not_exist_is_made_visible() -> None:
    ran = run("docs", "zzz\x1b")

    assert (ran.status, "\x1b" in ran.err) == (2, False)


def test_every_page_that_messages_and_help_name_is_there() -> None:
    texts = (path.read_text() for path in (ROOT / "kb_score").rglob("*.py"))
    named = {name for text in texts for name in re.findall(r"\bdocs/([\w-]+)\.md", text)}

    assert named
    assert {name for name in named if run("docs", name).status} == set()


def test_a_terminal_gets_a_pager() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "kb_score", "docs", "contests"],
        env={**os.environ, "PAGER": "head -n 1"},
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        assert process.wait(60) == 0
    shown = os.read(ours, 1000).decode()
    os.close(theirs)
    os.close(ours)
    assert shown == "# Contests\r\n"
