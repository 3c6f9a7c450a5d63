"""``kb-score check kingdom-builder`` of many boards: with claims, and with a program.

tests/transcripts/kingdom_builder/claims.md has claims about one board.
"""

from __future__ import annotations

import random
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.golf.test_golf import draw_board
from tests.helpers import EXAMPLE, ROOT, Ran, run, run_process

BOARDS = 10
PYTHON = shlex.quote(sys.executable)
TABLE = f"{PYTHON} -W ignore {shlex.quote(str(ROOT / 'golf' / 'table.py'))}"
MINERS = "miners: 4, 12, 11, 4\n"


@pytest.fixture(scope="module")
def right_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with folders of boards and of right claims about them."""
    folder, rng = tmp_path_factory.mktemp("pairs"), random.Random(3)
    boards, claims = folder / "boards", folder / "claims"
    boards.mkdir()
    claims.mkdir()
    for number in range(BOARDS):
        (boards / f"b{number}.txt").write_text(f"{draw_board(rng)}\n")
    for scores in run("score", boards, "--combinations", "--format", "json").json:
        lines = (
            f"{' '.join(map(str, game['cards']))}  {' '.join(map(str, game['total']))}\n"
            for game in scores["combinations"]
        )
        (claims / f"{Path(scores['board']).stem}.out").write_text("".join(lines))
    return folder


@pytest.fixture
def pairs(right_pairs: Path, tmp_path: Path) -> tuple[Path, Path]:
    """Copies of these folders."""
    shutil.copytree(right_pairs, tmp_path, dirs_exist_ok=True)
    return tmp_path / "boards", tmp_path / "claims"


def leave(folder: Path, number: int) -> None:
    """Leave the first boards in a folder: each is a process of a program."""
    for path in sorted(folder.iterdir())[number:]:
        path.unlink()


def check(*words: object, given: str = "") -> Ran:
    return run("check", "kingdom-builder", *words, given=given)


def break_claims(path: Path) -> None:
    lines = path.read_text().splitlines()
    path.write_text("\n".join([f"{lines[0]}9", *lines[1:]]))


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_folders_are_paired_by_name_and_each_pair_is_judged(
    pairs: tuple[Path, Path], jobs: int
) -> None:
    boards, claims = pairs
    break_claims(claims / "b4.out")
    words = ("check", "kingdom-builder", boards, claims, "--format", "json", "--jobs", jobs)
    # A process that has threads, as this one has, cannot be forked.
    run_it = run if jobs == 1 else run_process

    wrong = run_it(*words)
    (claims / "b7.out").write_text("what is this 1\n")
    broken = run_it(*words)
    (claims / "b4.out").unlink()
    (boards / "b4.txt").unlink()
    unusable = run_it(*words)

    assert (wrong.status, wrong.err) == (1, "")
    assert [verdict["record"] for verdict in wrong.json] == [
        str(claims / f"b{number}.out") for number in range(BOARDS)
    ]
    assert [v["record"] for v in wrong.json if not v["consistent"]] == [str(claims / "b4.out")]
    assert {verdict["result"]["claims"] for verdict in wrong.json} == {16}
    assert broken.status == 1
    assert broken.err.startswith(f"{claims / 'b7.out'}:1:1: unexpected 'w'")
    assert unusable.status == 2
    assert broken.json == [v for v in wrong.json if v["record"] != str(claims / "b7.out")]


def test_a_board_without_claims_and_claims_without_a_board_are_reported(
    pairs: tuple[Path, Path],
) -> None:
    boards, claims = pairs
    (boards / "b2.txt").unlink()
    (claims / "b5.out").unlink()

    ran = check(boards, claims, "--format", "json")

    assert (ran.status, len(ran.json)) == (2, BOARDS - 2)
    assert ran.err.splitlines() == [
        f"{boards / 'b5.txt'}: no claims file has the same name as this board",
        f"{claims / 'b2.out'}: no board has the same name as this claims file",
    ]


def test_folders_that_share_no_name_are_reported_in_one_line(pairs: tuple[Path, Path]) -> None:
    boards, claims = pairs
    for path in claims.iterdir():
        path.rename(path.with_name(f"of-{path.name}"))

    ran = check(boards, claims)

    reason = "no claims file has the same name as a board, such as b0"
    assert (ran.status, ran.out, ran.err) == (2, "", f"{claims}: {reason}\n")


ONE = '{"gold": {"miners": [4, 12, 11, 4]}}'
HEAD = "board,card,player,gold\n"


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        pytest.param("(5, 4, 4, 6)\n" * 15, ":1:1: expected cards before each", id="15"),
        pytest.param(f"(1, 2, 3, 4)\n{MINERS}", "or 11 (cards); here, 1 of 2", id="mixed"),
        pytest.param("(1, 2, 3, 4) (1, 2, 3)", "expected gold for each of 4 players", id="short"),
        pytest.param("(1, 2, x, 4)", ":1:8: a number is expected, not 'x'", id="letter"),
        pytest.param("(1, 2, 3, 4) x 5", ":1:14: unexpected 'x'", id="behind"),
        pytest.param("((((", ":1:1: unexpected '('", id="brackets"),
        pytest.param("1 3: 1 2 3 4", ":1:4: expected one card, or three,", id="two-cards"),
        pytest.param("1 3 7 [1, 2, 3]", "not for 3", id="three-values"),
        pytest.param(f"{MINERS}{ONE}", ":2:1: unexpected '{", id="lines-and-json"),
        pytest.param(
            f"{ONE[:-2]}", ":1:35: expected an object that score --format json", id="json"
        ),
        pytest.param('{"gold": 3}', ":1:1: expected an object that score", id="other-json"),
        pytest.param("{" + "[" * 100_000, ": expected an object that score", id="deep-json"),
        pytest.param('{"gold": {"miner": [1, 2, 3, 4]}}', "there is no card 'miner'", id="card"),
        pytest.param('{"gold": {"miners": [1, 2, 3]}}', "not for 3", id="json-short"),
        pytest.param('{"gold": {"miners": [1.5, 2, 3, 4]}}', "not '1.5'", id="json-fraction"),
        pytest.param('{"gold": {"miners": "1234"}}', ":1:1: expected an object", id="json-text"),
        pytest.param(
            '{"gold": {"": [1, 2, 3, 4]}}', "expected one card, or three,", id="json-nobody"
        ),
        pytest.param('{"gold": {"miners": [4, 12, 11, "-"]}}', "not '-'", id="json-sign"),
        pytest.param(f'{{"gold": {"9" * 5000}}}', ":1:1: expected an object", id="json-digits"),
        pytest.param(f"{HEAD}-,miners,{'9' * 5000},4\n", ":2:1: expected board,card", id="digits"),
        pytest.param(f"{HEAD}{'-' * 200_000},miners,4\n", ":2:1: expected board,card", id="long"),
        pytest.param('{"gold": {}}', ": the file has no claim", id="json-empty"),
        pytest.param(
            f'{ONE[:-1]}, "players": [1, 2, 3, 5]}}', "each player of the board, 1 2 3 4", id="who"
        ),
        pytest.param(
            f'{ONE[:-1]}, "board": "a"}}\n{ONE[:-1]}, "board": "b"}}',
            ":2:1: all claims must be about the same board",
            id="json-boards",
        ),
        pytest.param(f"{HEAD}-,miners,1,4\n-,miners,2,12\n", ":2:1: expected gold for", id="rows"),
        pytest.param(f"{HEAD}-,miners,1,4\nfoo\n", ":3:1: expected board,card,player", id="cells"),
        pytest.param(f"{HEAD}-,miners,one,4\n", ":2:1: expected board,card,player", id="player"),
        pytest.param(f"{HEAD}", ": the file has no claim", id="csv-empty"),
    ],
)
def test_forms_of_claims_that_cannot_be_read_end_with_status_2(claims: str, message: str) -> None:
    ran = check(EXAMPLE, "-", given=f"{claims}\n")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("-:")
    assert message in ran.err


@pytest.mark.slow
def test_a_program_that_is_right_agrees_on_all_boards(pairs: tuple[Path, Path]) -> None:
    leave(pairs[0], 4)
    words = (pairs[0], EXAMPLE, "--program", TABLE, "--timeout", 300, "--format", "json")

    ran = check(*words)

    assert (ran.status, ran.err, len(ran.json)) == (0, "", 4 + 1)
    assert all(v["consistent"] and v["result"]["claims"] == 16 for v in ran.json)
    assert ran.json[-1]["record"] == str(EXAMPLE)
    assert run_process("check", "kingdom-builder", *words, "--jobs", 2).out == ran.out


def write_program(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(f"import pathlib, subprocess, sys, time\n{text}")
    return f"{PYTHON} {shlex.quote(str(path))}"


@pytest.mark.slow
def test_a_program_that_is_wrong_on_three_boards_is_caught_there(
    tmp_path: Path, pairs: tuple[Path, Path]
) -> None:
    # On some boards, the first total of the first player begins with a 9 too much.
    mine = write_program(
        tmp_path,
        "name = pathlib.Path(sys.argv[1])\n"
        f"rows = subprocess.check_output({TABLE!r}, shell=True, stdin=name.open())\n"
        "wrong = name.stem in ('b1', 'b2', 'b4')\n"
        "print(rows.decode().replace('(', '(9', int(wrong)))\n",
    )
    leave(pairs[0], 5)

    ran = check(pairs[0], "--program", f"{mine} {{}}", "--timeout", 300, "--format", "csv")

    assert (ran.status, ran.err) == (1, "")
    wrong = [str(pairs[0] / f"{name}.txt") for name in ("b1", "b2", "b4")]
    assert [row["record"] for row in ran.csv] == wrong
    assert {row["who"] for row in ran.csv} == {"player 1"}


@pytest.mark.slow
def test_a_program_that_fails_is_reported_by_board_and_the_others_are_judged(
    tmp_path: Path, pairs: tuple[Path, Path]
) -> None:
    # A crash, silence, other words, a hang and a flood; a shell begins soon on a busy machine, too.
    mine = tmp_path / "mine.sh"
    mine.write_text(
        "name=${1##*/}\n"
        "case $name in\n"
        f"b1.txt) echo {'mine' * 90} >&2; exit 3;;\n"
        "b3.txt) exit;;\n"
        "b5.txt) echo some words 7; exit;;\n"
        "b7.txt) sleep 600;;\n"
        "b8.txt) head -c 70000 /dev/zero | tr '\\0' 7; exit;;\n"
        "esac\n"
        f"cat {shlex.quote(str(pairs[1]))}/${{name%.txt}}.out\n"
    )
    command = f"sh {shlex.quote(str(mine))} {{}}"

    ran = check(pairs[0], "--program", command, "--timeout", 5, "--format", "json")

    assert ran.status == 2
    assert f"{pairs[0] / 'b1.txt'}: the program exited with status 3\n    | minemine" in ran.err
    assert "mine" * 41 not in ran.err
    assert f"{pairs[0] / 'b3.txt'}: the program printed nothing\n" in ran.err
    assert f"what it printed for {pairs[0] / 'b5.txt'}:1:1: unexpected 's'" in ran.err
    assert f"{pairs[0] / 'b7.txt'}: the program did not end within 5 s\n" in ran.err
    assert f"{pairs[0] / 'b8.txt'}: the program printed over 64 KiB\n" in ran.err
    assert [Path(v["record"]).stem for v in ran.json] == ["b0", "b2", "b4", "b6", "b9"]
    assert all(verdict["consistent"] for verdict in ran.json)


@pytest.mark.slow
def test_a_program_reads_a_board_from_standard_input_or_by_its_name(tmp_path: Path) -> None:
    board = tmp_path / "it's a board.txt"
    shutil.copy(EXAMPLE, board)
    by_name = check(board, "--program", f"{TABLE} < {{}}", "--timeout", 300)
    constant = check(board, "--program", f"echo '{MINERS.strip()}'", "--timeout", 300)
    piped = check("-", "--program", TABLE, "--timeout", 300, given=EXAMPLE.read_text())
    nameless = check("-", "--program", f"{TABLE} < {{}}", given=EXAMPLE.read_text())

    assert (by_name.status, constant.status, piped.status) == (0, 0, 0)
    assert nameless.status == 2
    assert "standard input has no file name" in nameless.err


@pytest.mark.slow
def test_a_program_that_always_fails_is_reported_once(pairs: tuple[Path, Path]) -> None:
    ran = check(pairs[0], "--program", "no-such-program", "--timeout", 300)

    first, said, rest = ran.err.splitlines()
    assert (ran.status, ran.out) == (2, "")
    assert first == f"{pairs[0] / 'b0.txt'}: the program exited with status 127"
    assert "no-such-program" in said
    assert rest == "9 more cannot be used, for the same reason"


def test_files_that_all_fail_for_one_reason_are_reported_in_one_message(
    pairs: tuple[Path, Path],
) -> None:
    as_games = check(pairs[0])
    for path in sorted(pairs[1].iterdir()):
        path.rename(path.with_suffix(".txt"))
    as_boards = run("score", pairs[1])
    with_a_good_one = run("score", pairs[1], EXAMPLE)

    for ran in (as_boards, as_games):
        assert (ran.status, ran.out) == (2, "")
        assert len(ran.err.splitlines()) == 4
        assert ran.err.endswith("\n9 more cannot be used, for the same reason\n")
    assert "this is not a game" in as_games.err
    assert with_a_good_one.err.count(": unexpected '7'") == BOARDS


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["score", "report"])
def test_warnings_of_many_boards_are_summed_up(tmp_path: Path, verb: str) -> None:
    for number in range(40):
        (tmp_path / f"{number:02}.txt").write_text(" 1 .\n. 2\n")
    output = ["-o", tmp_path / "page.html"] if verb == "report" else []

    ran = run(verb, tmp_path, *output)

    names = ", ".join(str(tmp_path / f"{number:02}.txt") for number in range(3, 13))
    lines = ran.err.splitlines()
    assert ran.status == 0
    assert len(lines) == 3 * 6 + 3
    for code in ("quadrant-locations", "unofficial-size", "indentation"):
        assert f"warning: {code}: 37 more, {names}, ..." in lines


def test_only_the_first_warnings_of_a_kind_about_a_board_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "towns.txt"
    path.write_text("".join(" " * (row % 2) + "T . " * 5 + "\n" for row in range(10)))

    told = [line for line in run("score", path).err.splitlines() if "crowded" in line]

    assert len(told) == 11
    assert told[-1].startswith(f"{path}: warning: crowded-locations: ")
    assert told[-1].endswith(" more")
