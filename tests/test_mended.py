"""What has been wrong once: each test failed before its fault was mended."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import kb_score
from kb_score.live import LivePlay
from kb_score.program import parse_program
from tests.helpers import ASP, CARDS, EXAMPLE, ROOT, SMALL, run, run_on_terminal, run_process

CARD = 'card(scouts, 11, "2 gold for each own settlement in the first row").\n'
GOLD = "gold(scouts, P, hex(R,C), 2) :- settlement(P,R,C), R = 0.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "board.txt").write_text(SMALL)
    rules = tmp_path / "rules"
    rules.mkdir()
    return rules


def test_results_go_to_the_file_and_progress_to_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(f"{EXAMPLE.read_text()}\n" * 40)
    results = tmp_path / "results.csv"
    with results.open("wb") as stream:
        shown = run_on_terminal("score", path, "--format", "csv", out=stream)
    assert "boards" in shown
    assert len(results.read_text().splitlines()) == 1 + 40 * len(CARDS) * 4


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        pytest.param(CARD + GOLD + "#show gold/4.\n", ":3:1: ", "cannot stand", id="show"),
        pytest.param(CARD + GOLD + "#show.\n", ":3:1: ", "cannot stand", id="show-nothing"),
        pytest.param(CARD + "gold(scouts, P, 1, @f(P)) :- player(P).\n", ":2:", "", id="function"),
        pytest.param(CARD + GOLD + "a :- player(P), é.\n", ":3:17: ", "", id="not-ascii"),
        pytest.param(CARD + "gold(scouts, P, 2) :- player(P).\n", ":2:1: ", "", id="gold-arity"),
        pytest.param("card(scouts, 11).\n" + GOLD, ":1:1: ", "", id="card-arity"),
        pytest.param(
            'card(scouts, 11, "x") :- settlement(1,R,C).\n' + GOLD, ":1:", "", id="card-with-body"
        ),
        pytest.param(
            CARD + "gold(scouts, P, 1, two) :- player(P).\n", ":2:", "", id="gold-in-words"
        ),
        pytest.param(
            CARD + "gold(scouts, P, 1, 3000000000) :- player(P).\n", ":2:", "", id="gold-that-wraps"
        ),
        pytest.param(CARD + GOLD + "score(scouts, 1, 100).\n", ":3:1: ", "", id="second-score"),
    ],
)
@pytest.mark.parametrize("verb", ["score", "explain"])
def test_more_mistakes(folder: Path, verb: str, text: str, place: str, message: str) -> None:
    (folder / "scouts.lp").write_text(text)
    ran = run_process(verb, folder.parent / "board.txt", "--rules", folder)
    assert (ran.status, ran.out) == (2, "")
    assert "Traceback" not in ran.err
    assert ran.err.startswith(f"{folder / 'scouts.lp'}{place}")
    assert message in ran.err


def test_evidence_on_no_hex_is_explained_or_refused(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD + "gold(scouts, P, hex(a,b), 2) :- player(P).\n")
    ran = run_process("explain", folder.parent / "board.txt", "--rules", folder)
    assert "Traceback" not in ran.err


def test_a_variable_called_board_is_a_variable_like_any_other(folder: Path) -> None:
    rule = "gold(scouts, P, Board, 1) :- settlement(P,R,C), terrain(Board,R,C1).\n"
    (folder / "scouts.lp").write_text(CARD + rule)
    board = kb_score.parse_board(SMALL)
    (one, two) = kb_score.score_many([board, board], rules=[folder])
    assert one == two == kb_score.score(board, rules=[folder])


def test_what_fails_on_one_board_names_that_board(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD + GOLD + ":- settlement(1,R,C).\n")
    ran = run("score", folder.parent / "board.txt", "--rules", folder)
    assert "board.txt" in ran.err


@pytest.mark.parametrize("value", ["abc", "99999999999"])
def test_the_value_of_a_ruling_is_a_number_that_clingo_can_hold(value: str) -> None:
    ran = run("score", EXAMPLE, "--const", f"lords_need_settlement={value}")
    assert (ran.status, ran.out) == (2, "")


#    test_what_is_no_board_is_refused_with_its_place (with --game kingdom-builder)
def test_facts_of_a_bad_board_print_nothing(tmp_path: Path) -> None:
    path = tmp_path / "board.txt"
    path.write_text("1 x\n . .\n")
    assert run("facts", path, "--game", "kingdom-builder").out == ""


@pytest.mark.parametrize("verb", ["explain", "check"])
def test_fewer_players_than_settlements_are_refused_everywhere(tmp_path: Path, verb: str) -> None:
    board, claims = tmp_path / "b.txt", tmp_path / "c.txt"
    board.write_text(SMALL)
    claims.write_text("miners: 0\n")
    words = ["explain", board] if verb == "explain" else ["check", "kingdom-builder", board, claims]
    ran = run(*words, "--players", "1")
    assert (ran.status, ran.out) == (2, "")


def test_a_player_who_does_not_play_is_told(tmp_path: Path) -> None:
    board = tmp_path / "b.txt"
    board.write_text(SMALL)
    ran = run("explain", board, "--player", "4")
    assert ran.out + ran.err != ""


def test_a_line_of_words_and_numbers_is_no_heading(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("castles: 18, 0, 15, 12\nminers 4 12 8 4\n")
    ran = run("check", "kingdom-builder", EXAMPLE, path)
    assert ran.status != 0


def test_a_letter_among_numbers_is_pointed_at(tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_text("1 3 7  52 46 x 62\n")
    assert (
        f"{path}:1:14: a number is expected, not 'x'"
        in run("check", "kingdom-builder", EXAMPLE, path).err
    )


def test_no_line_of_a_rule_file_is_too_long() -> None:
    long = [
        f"{path.name}:{i}"
        for path in ASP.rglob("*.lp")
        for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 110
    ]
    assert long == []


def test_the_package_is_typed() -> None:
    assert (ROOT / "kb_score" / "py.typed").is_file()


def test_score_reads_rules_that_have_changed_on_disk(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD + GOLD)
    assert kb_score.score(SMALL, rules=[folder]).gold["scouts"] == (2, 0)
    (folder / "scouts.lp").write_text(CARD + GOLD.replace(", 2)", ", 5)"))
    assert kb_score.score(SMALL, rules=[folder]).gold["scouts"] == (5, 0)


def test_millions_of_short_rows_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_bytes(b". . . .\n" * 3_750_000)

    ran = run_process("score", path, timeout=30)

    assert (ran.status, ran.out) == (2, "")
    assert "3750000 lines are too many" in ran.err


def test_a_card_may_pay_for_what_a_card_pays_that_is_not_in_the_game(folder: Path) -> None:
    (folder / "bonus.lp").write_text(
        'card(bonus, 12, "1 gold for whoever is paid by the miners").\n'
        "gold(bonus,P,miners,1) :- gold(miners,P,_,_).\n"
    )
    command = ("score", EXAMPLE, "--rules", folder, "--format", "json")

    all_cards = run(*command).json[0]["gold"]["bonus"]
    of_a_game = run(*command, "--cards", "bonus,knights").json[0]["gold"]["bonus"]

    assert all_cards == of_a_game == [1, 1, 1, 1]


def test_two_rule_files_of_one_name_are_told(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "scouts.lp").write_text(CARD + GOLD)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert "rename one of them" in ran.err


def test_a_score_table_whose_first_line_is_short_is_read(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    table.write_text(
        "Running: controller.py map.txt\nRun Seed Score\n1 5000000 3\nTotal Score: 3\n"
    )

    ran = run("check", "rabbits", ROOT / "boards/rabbits/small.map", table, "--format", "json")

    assert (ran.status, ran.json[0]["result"]["saved"]) == (0, 3)


def test_a_plan_leaves_nothing_to_choose(folder: Path) -> None:
    (folder / "luck.lp").write_text('{ luck }.\nviolation(1,"unlucky","","") :- not luck.\n')
    boards = ROOT / "boards" / "search_party"

    ran = run(
        "check", "search-party", boards / "maps/meadow.txt",
        boards / "records/meadow/sample-plan.txt", "--rules", folder,
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "more than one answer set" in ran.err


def test_rules_that_contradict_a_live_game_are_told(folder: Path) -> None:
    (folder / "no.lp").write_text("#program step(t).\n:- at(P,C,t), star(P), t > 0.\n")
    boards = ROOT / "boards" / "search_party"

    ran = run(
        "play", "search-party", boards / "maps/meadow.txt", "--rules", folder,
        "--", sys.executable, boards / "bots/walker.py",
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "the rules contradict themselves" in ran.err


def test_the_two_records_of_a_game_are_not_written_into_one_file(tmp_path: Path) -> None:
    path = tmp_path / "both.txt"

    ran = run(
        "play", "rabbits", ROOT / "boards/rabbits/small.map", "--record", path, "--run-log", path,
        "--", sys.executable, "-c", "",
    )  # fmt: skip

    assert (ran.status, ran.out) == (2, "")
    assert "this file has another use here" in ran.err


def test_a_constant_of_a_users_copy_that_is_not_asked_is_known(folder: Path) -> None:
    text = (ASP / "slime" / "frames.lp").read_text()
    (folder / "frames.lp").write_text(text + "#const spare = 1.\n")
    command = ("--rules", folder, "--const", "spare=2", "--format", "json")

    for record in ("session.txt", "frames.txt"):
        assert run("check", "slime", ROOT / "boards/slime" / record, *command).status == 0


def test_the_kind_of_move_that_counts_is_the_one_that_is_listed(folder: Path) -> None:
    # Both a jump and a merge lead from the first board to the second.
    frames = folder.parent / "frames.txt"
    frames.write_text("11.\n111\n234\n\n.11\n111\n234\n")
    text = (ASP / "slime" / "frames.lp").read_text()
    begin = text.index("chosen(T,P,spread) :-")
    merges_first = (
        "chosen(T,P,merge) :- mover_of(P,T), explains(T,P,merge,From,To).\n"
        "chosen(T,P,jump) :- mover_of(P,T), explains(T,P,jump,From,To), not chosen(T,P,merge).\n"
    )
    rest = text[text.index("%*! made(P,Kind,N)") :]
    (folder / "frames.lp").write_text(text[:begin] + merges_first + rest)
    command = ("check", "slime", frames, "--first", 1, "--format", "json")

    for kind, options in (("jump", []), ("merge", ["--rules", folder])):
        found = run(*command, *options).json[0]
        assert found["counts"][kind] == [1, 0, 0, 0]
        assert [move["kind"] for move in found["explanations"]] == [kind]


def test_a_tournament_is_played_again_when_its_rules_change(folder: Path) -> None:
    bots = folder.parent / "bots.toml"
    bots.write_text("".join(f'[[bot]]\nname = "{i}"\ncommand = "true"\n' for i in range(4)))
    text = (ASP / "slime" / "rules.lp").read_text()
    command = ("tournament", "slime", bots, "--rules", folder, "--size", 3, "--format", "csv")
    copy = folder / "rules.lp"
    copy.write_text(text.replace("last_turn = 2000", "last_turn = 8"))
    first = run(*command)
    copy.write_text(text.replace("last_turn = 2000", "last_turn = 4"))

    second = run(*command)

    assert first.out.splitlines()[0] == "Name,Avg Score,Last Updated (UTC)"
    assert "after 8 turns" in first.err
    assert "after 4 turns" in second.err
    assert "were played before" in run(*command).err


def test_a_live_game_keeps_its_constants_when_all_is_begun_anew() -> None:
    rules = (
        "mode(on,0).\n#program step(t).\nmode(off,t) :- mode(on,t-1). mode(on,t) :- mode(off,t-1)."
    )
    live = LivePlay(
        parse_program(rules), {}, given=(), wanted=(("mode", 2),), carried=(("mode", 2),), renewal=1
    )
    for _ in range(4):
        live.next_turn()
        live.play(["step"])

    assert [mode for mode, _ in live.news(("mode", 2))] == ["on", "off", "on", "off", "on"]
