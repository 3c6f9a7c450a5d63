"""Rules that a user adds with --rules: what transcripts in tests/transcripts/engine cannot hold."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import kb_score
from tests.helpers import EXAMPLE, SMALL, Ran, run

CARD = 'card(scouts, 11, "2 gold for each of your settlements in the first row").\n'
GOLD = "gold(scouts, P, hex(R,C), 2) :- settlement(P,R,C), R = 0.\n"


def use(folder: Path, text: str, verb: str = "score", *options: object) -> Ran:
    (folder / "scouts.lp").write_text(text, newline="")
    return run(verb, folder.parent / "board.txt", "--rules", folder, *options)


def test_a_variable_called_board_is_a_variable_like_any_other(folder: Path) -> None:
    rule = "gold(scouts, P, Board, 1) :- settlement(P,R,C), terrain(Board,R,C1).\n"
    (folder / "scouts.lp").write_text(CARD + rule)
    board = kb_score.parse_board(SMALL)
    (one, two) = kb_score.score_many([board, board], rules=[folder])
    assert one == two == kb_score.score(board, rules=[folder])


def test_score_reads_rules_that_have_changed_on_disk(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD + GOLD)
    assert kb_score.score(SMALL, rules=[folder]).gold["scouts"] == (2, 0)
    (folder / "scouts.lp").write_text(CARD + GOLD.replace(", 2)", ", 5)"))
    assert kb_score.score(SMALL, rules=[folder]).gold["scouts"] == (5, 0)


def nest(depth: int, kind: str) -> str:
    """Write a term of some depth."""
    match kind:
        case "brackets":
            return "f(" * depth + "x" + ")" * depth
        case "signs":
            return "-" * depth + "1"
        case "sums":
            return "1" + "+1" * depth
        case "bars":
            return "|(" * depth + "1" + ")|" * depth
    return "(1+2," * depth + "1" + ")" * depth


DEEP = CARD + "gold(scouts,P,{},1) :- player(P).\n"
KINDS = ["brackets", "signs", "sums", "bars", "pairs"]


@pytest.mark.parametrize("depth", [2100, 30000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_term_that_is_too_deep_is_refused_before_it_is_parsed(
    folder: Path, kind: str, depth: int
) -> None:
    ran = use(folder, DEEP.format(nest(depth, kind)))

    assert (ran.status, ran.out) == (2, "")
    first, shown, caret = ran.err.splitlines()
    assert first.startswith(f"{folder / 'scouts.lp'}:2:")
    assert first.endswith("a term is nested deeper than 1000 levels")
    assert (shown.count("..."), caret.strip()) == (2, "^")


@pytest.mark.parametrize(
    ("depth", "kind"), [(95, "brackets"), (450, "signs"), (450, "sums"), (95, "pairs")]
)
def test_a_term_that_is_not_too_deep_is_a_reason(folder: Path, depth: int, kind: str) -> None:
    text = DEEP.format(nest(depth, kind)).replace("player(P)", "f(x) = f(x), " * 200 + "player(P)")

    assert use(folder, text, "explain", "--format", "json").status == 0


def make_folder(path: Path) -> None:
    path.mkdir()


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_folder, os.mkfifo, make_socket, link_to_device])
def test_a_rule_file_has_to_be_a_regular_file(
    make: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)  # the path of a socket has to be short
    make(Path("x.lp"))
    (folder / "y.lp").write_text(CARD + GOLD)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{folder / 'x.lp'}: a rule file must be a regular file\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_rule_file_has_to_be_readable(folder: Path) -> None:
    (folder / "x.lp").write_text(CARD + GOLD)
    (folder / "x.lp").chmod(0)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.err) == (2, f"{folder / 'x.lp'}: permission denied\n")
