"""``--why`` and ``--why-not`` of explain, check and legal: what people read, and what fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers import CLAIMS, EXAMPLE, LOG, ROOT, STATION, add_rules, run, run_on_terminal

BOARDS = ROOT / "boards"
GAME = BOARDS / "kingdom_builder" / "games" / "base.txt"
HOLLOW = BOARDS / "search_party" / "maps" / "hollow.txt"
BLOCKED = BOARDS / "search_party" / "records" / "hollow" / "onto-obstacle-plan.txt"
SESSION = BOARDS / "slime" / "session.txt"
WRONG = BOARDS / "slime" / "wrong.txt"
ROOM = BOARDS / "rabbits" / "why" / "room.map"
UNEXPLAINED = ROOM.with_name("no-explanation.log")
_BARE = str.maketrans("│├└─", "    ")
LORDS = "gold(lords,1,quadrant(1),6)"
LORDS_FILE = "asp/kingdom_builder/cards/lords.lp"


def find_line(name: str, start: str) -> int:
    """Return the line of one of our files, from 1, where its only rule with a certain start is."""
    lines = (ROOT / name).read_text().splitlines()
    (found,) = (number for number, line in enumerate(lines, 1) if line.startswith(start))
    return found


@pytest.mark.slow
def test_a_payment_is_explained_down_to_the_settlements() -> None:
    ran = run("explain", EXAMPLE, "--card", "lords", "--player", 1, "--why", "--width", 1)

    first, note, rule, *branches = ran.out.splitlines()
    line = find_line(LORDS_FILE, "gold(lords, P, quadrant(Q), 6) :-")
    assert ran.status == 0
    assert first == (
        f"Card lords pays 6 gold to player 1 on account of quadrant(1) [{LORDS}; lords.lp:{line}]"
    )
    assert note.strip().startswith("Tied players are all paid in full")
    assert rule.strip().startswith("gold(lords, P, quadrant(Q), 6) :- in_quadrant(P,Q,N)")
    line = find_line("asp/kingdom_builder/board.lp", "in_quadrant(P,1+2*South+East,N) :-")
    number = "Player 2 has 10 settlements in quadrant 1"
    place = f"[in_quadrant(2,1,10); board.lp:{line}]"
    assert any(branch.endswith(f"{number} {place}") for branch in branches)
    assert any("[settlement(1,1,5); given]" in branch for branch in branches)
    assert ran.err == "note: 1 of 3 atoms are explained: see more with --width, or name one\n"


def test_what_an_atom_lacks_is_explained() -> None:
    ran = run("explain", EXAMPLE, "--why-not", "gold(lords,1,_,12)", "--depth", 2)

    lines = ran.out.splitlines()
    line = find_line(LORDS_FILE, "gold(lords, P, quadrant(Q), 12) :-")
    assert ran.status == 0
    assert lines[:3] == [
        "lacking: Card lords pays 12 gold to player 1 on account of Why [gold(lords,1,_,12)]",
        f"└─ lords.lp:{line} gives gold(lords,1,quadrant(1),12), but this condition fails",
        "   └─ fails: not lords_lower(1,9)",
    ]
    assert "In quadrant 1 one player has 9 settlements, and another player has more" in lines[3]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("check", "search-party", HOLLOW, BLOCKED), 'violation(3,"onto-obstacle",'),
        (("check", "rabbits", ROOM, UNEXPLAINED), 'violation(1,"no-explanation",""'),
        (("check", "slime", WRONG), 'violation(10,"wrong-board"'),
        (("check", "slime", WRONG, "--jobs", 2), 'violation(10,"wrong-board"'),
        (("check", "kingdom-builder", EXAMPLE, CLAIMS), "wrong(4,3,41,44)"),
        (("check", "slime", SESSION), "result(finished,yes)"),
        (("legal", GAME, "--turn", 12, "--move", "0,0"), 'illegal(12,"wrong-terrain",1,'),
        (("legal", GAME, "--turn", 12), "legal("),
        (("legal", "slime", SESSION, "--turn", 7, "--move", "0 0 1 1"), 'passes(7,"no-own-slime"'),
        (("legal", "slime", SESSION, "--turn", 7), 'legal_text('),
        (("legal", "search-party", HOLLOW, "--move", "Z2"), 'illegal(1,"unknown-person"'),
        (("legal", "search-party", HOLLOW), 'legal_text("@"'),
        (("legal", "rabbits", STATION), "may_roll("),
    ],
)  # fmt: skip
def test_each_command_explains_what_it_has_found(words: tuple[object, ...], expected: str) -> None:
    plain, ran = run(*words), run(*words, "--why", "--depth", 1, "--width", 1)

    _, _, told = ran.out.partition(plain.out)
    assert ran.status == plain.status
    assert expected in told.splitlines()[1]


def test_the_rabbit_of_a_frame_that_cannot_follow_is_named(tmp_path: Path) -> None:
    frames = (
        "#########\n#o     e#\n#########\n#X      #\n#########\n\n\n"
        "#########\n#o  o  e#\n#########\n#cX     #\n#########\n"
    )
    (tmp_path / "run.log").write_text(f"Running: controller.py room.map 2 1 1 true\n{frames}")

    ran = run("check", "rabbits", ROOM, tmp_path / "run.log", "--why", "--depth", 1, "--width", 1)

    assert ran.status == 1
    assert 'violation(1,"no-explanation",(4,1)' in ran.out


def test_a_legal_move_lacks_what_would_make_it_illegal() -> None:
    ran = run("legal", "search-party", HOLLOW, "--move", "@5", "--why", "--depth", 1)

    assert ran.status == 0
    assert "lacking: An action at turn T is illegal, Code: Detail" in ran.out


def test_a_code_names_the_violations_with_it() -> None:
    ran = run("check", "slime", WRONG, "--why", "wrong-result", "--depth", 1)

    assert ran.out.count("The record breaks the rules at turn 52, wrong-result: player") == 2


@pytest.mark.parametrize(
    ("atom", "message"),
    [
        (
            "gold(",
            "'gold(' is not an atom: expected an atom of the rules, such as gold(lords,1,_,_)",
        ),
        ("not gold(a,1,b,2)", "is not an atom"),
        ("player(1), player(2)", "is not an atom"),
        ("player(1) :- x", "is not an atom"),
        ("P", "'P' is not an atom"),
        ("gold(lords,1)", "no rule gives gold/2 here: did you mean gold/4?"),
        ("glod(lords,1,a,2)", "no rule gives glod/4 here: did you mean gold/4?"),
        ("wrong-cell", "'wrong-cell' is asked for, but nothing here has this code"),
        ("gold(lords,1,quadrant(1),12)", "does not hold: ask --why-not"),
        ("gold(lordz,1,_,_)", "does not hold: did you mean lords?"),
        ("@f(1)", "is not an atom"),
        ("a(1/0)", "is not an atom"),
        ("player(99999999999)", "99999999999 is beyond 32 bits"),
        ("player(é)", "cannot be read: unexpected 'é' in a rule"),
        ("player(" * 200 + ")" * 200, "nested deeper than 100 levels"),
    ],
)
def test_an_atom_that_no_rule_gives_is_refused_in_a_line(atom: str, message: str) -> None:
    ran = run("explain", EXAMPLE, f"--why={atom}")

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("--why: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_a_file_that_stands_behind_why_is_no_atom() -> None:
    ran = run("explain", "--why", EXAMPLE)
    assert ran.status == 2
    assert f"--why has taken the file '{EXAMPLE}' for an atom: put --why last" in ran.err


def test_what_holds_is_not_asked_for_as_lacking() -> None:
    ran = run("explain", EXAMPLE, "--why-not", "gold(lords,_,_,_)")

    assert ran.status == 2
    assert ran.err == (
        "--why-not: 'gold(lords,_,_,_)' holds, as gold(lords,1,quadrant(1),6) does: ask --why\n"
    )


def test_trees_are_of_one_record() -> None:
    ran = run("check", "slime", BOARDS / "slime", "--why")

    assert ran.status == 2
    assert "--why works on one record" in ran.err


@pytest.mark.slow
def test_a_terminal_gets_lines_that_fit() -> None:
    words = "explain", EXAMPLE, "--why", LORDS, "--depth", 2
    shown = run_on_terminal(*words, width=70).splitlines()
    plain = run(*words).out.splitlines()

    assert all(len(line) < 70 for line in shown)
    assert len(shown) > len(plain)
    assert [line.lstrip("│├└─ ") for line in shown] != shown
    assert "".join("".join(shown).translate(_BARE).split()) == (
        "".join("".join(plain).translate(_BARE).split())
    )


def test_a_record_that_cannot_be_read_has_no_tree(tmp_path: Path) -> None:
    (tmp_path / "record.txt").write_text("1 2 3\n")
    plain = run("check", "slime", tmp_path / "record.txt")

    assert plain.status == 2
    assert run("check", "slime", tmp_path / "record.txt", "--why") == plain


@pytest.mark.slow
def test_a_violation_has_a_tree_and_nothing_else_has(tmp_path: Path) -> None:
    lines = (BOARDS / "rabbits" / "small.session").read_text().splitlines()
    lines[15] = lines[15].replace(" 8,3", "")  # one of turn 4, and one of turn 23
    lines[91] = lines[91].replace("rabbits 6,1", "rabbits")
    (tmp_path / "record.txt").write_text("\n".join(lines) + "\n")

    ran = run(
        *("check", "rabbits", STATION, tmp_path / "record.txt", "--format", "json"),
        *("--why", "--width", 9, "--depth", 1),
    )

    verdict, *trees = ran.json
    assert [violation["turn"] for violation in verdict["violations"]] == [4, 23]
    assert [tree["why"]["atom"].partition(",")[0] for tree in trees] == [
        "violation(4", "violation(23"
    ]  # fmt: skip


def test_json_has_a_tree_a_line() -> None:
    ran = run("explain", EXAMPLE, "--why", LORDS, "--depth", 1, "--format", "json")

    (line,) = ran.out.splitlines()
    why = json.loads(line)["why"]
    assert (why["kind"], why["atom"], why["file"]) == ("follows", LORDS, LORDS_FILE)
    assert why["line"] == find_line(LORDS_FILE, "gold(lords, P, quadrant(Q), 6) :-")
    assert why["rule"].startswith("gold(lords, P, quadrant(Q), 6) :-")
    assert why["values"] == {"P": "1", "Q": "1", "N": "9"}
    assert [reason["kind"] for reason in why["because"]] == [
        "follows", "compared", "follows", "absent"
    ]  # fmt: skip
    assert all(reason["because"] == [] for reason in why["because"])
    assert [reason["left_out"] for reason in why["because"]] == [4, 0, 3, 0]


def test_markdown_has_a_list_in_lists() -> None:
    ran = run("explain", EXAMPLE, "--why", LORDS, "--depth", 1, "--format", "markdown")

    first, second, third, *_ = ran.out.splitlines()
    assert first.startswith("- Card lords pays 6 gold to player 1")
    assert second.startswith("  - Player 1 has 9 settlements")
    assert third == "    - … 4 conditions"
    assert "in\\_quadrant" in second


def test_a_table_of_values_is_no_place_for_trees() -> None:
    ran = run("explain", EXAMPLE, "--why", LORDS, "--format", "csv")

    assert ran.status == 2
    assert "use --format json with --why" in ran.err


def test_rules_of_a_user_take_part(tmp_path: Path) -> None:
    folder = add_rules(
        tmp_path,
        'card(shepherds, 11, "1 gold for each settlement").\n\n'
        "% A flock grazes where it stands.\n"
        "gold(shepherds, P, hex(R,C), 1) :- settlement(P,R,C).\n",
    )
    ran = run("explain", EXAMPLE, "--rules", folder, "--card", 11, "--why", "--width", 1)

    lines = ran.out.splitlines()
    assert lines[0].endswith(".lp:4]")
    assert lines[1] == "  A flock grazes where it stands."
    assert "given]" in lines[3]


def test_a_ruling_shows_in_what_is_compared() -> None:
    words = "explain", EXAMPLE, "--why", LORDS, "--depth", 1
    ran = run(*words, "--const", "lords_need_settlement=4")

    assert "├─ 9 >= 4" in ran.out


def test_a_run_log_is_explained_by_what_the_rules_choose() -> None:
    ran = run("check", "rabbits", STATION, LOG, "--why", "--depth", 2, "--width", 1)

    assert ran.status == 0
    assert "[result(" in ran.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "wanted", "unwanted"),
    [
        # Another settlement would do, and no town becomes a castle.
        pytest.param("castles,2,_,_", "settlement(2,16,0)", "terrain(castle", id="settlement"),
        # No row lies elsewhere.
        pytest.param(
            "fishermen,1,hex(1,5),_",
            "any of 6, such as: The hex (0,5)",
            "row(2,1,_)",
            id="geometry",
        ),
    ],
)
def test_what_is_lacking_is_what_can_be(asked: str, wanted: str, unwanted: str) -> None:
    ran = run("explain", EXAMPLE, "--why-not", f"gold({asked})")

    assert ran.status == 0
    assert wanted in ran.out
    assert unwanted not in ran.out


def test_one_rabbit_is_told_in_the_singular() -> None:
    check = "check", "rabbits", STATION, STATION.with_suffix(".session")

    ran = run(*check, "--why", "result(saved,_)")

    assert "Turn 16 counts 1 rabbit as saved, all on account of 55" in ran.out
    assert "1 rabbit were" not in ran.out


@pytest.mark.slow
def test_the_outcome_of_a_record_in_windows_is_that_of_the_last() -> None:
    check = "check", "rabbits", STATION, STATION.with_suffix(".session")

    ran = run(*check, "--why", "result(saved,_)", "--depth", 1)

    assert "In the outcome the value of saved is 54" in ran.out
    assert "saved is 27" not in ran.out
    lacking = run(*check, "--why-not", "result(saved,27)").out
    assert "In the outcome the value of saved is 27" in lacking
    assert "does not hold" in run(*check, "--why", "result(saved,27)").err


@pytest.mark.parametrize("option", ["--why", "--why-not"])
@pytest.mark.parametrize(
    "atom",
    [
        pytest.param("f(" * 10_000 + ")" * 10_000, id="deep"),
        pytest.param(f"f({'a,' * 10_000}b)", id="wide"),
        pytest.param("g" * 10_000, id="name"),
    ],
)
def test_the_message_about_a_huge_atom_is_cut(option: str, atom: str) -> None:
    ran = run("explain", EXAMPLE, option, atom)

    assert (ran.status, ran.out) == (2, "")
    assert len(ran.err) < 500
