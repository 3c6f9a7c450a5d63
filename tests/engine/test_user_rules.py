"""Rules that a user adds with --rules: a card is three lines, a mistake is told with its place."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import kb_score
from tests.helpers import CARDS, EXAMPLE, SMALL, Ran, add_rules, run

CARD = 'card(scouts, 11, "2 gold for each of your settlements in the first row").\n'
GOLD = "gold(scouts, P, hex(R,C), 2) :- settlement(P,R,C), R = 0.\n"

FORESTERS = """\
card(foresters, 11, "1 gold for each of your settlements with three empty hexes around it").
empty(R,C) :- hex(R,C), not terrain(_,R,C), not settlement(_,R,C).
gold(foresters, P, hex(R,C), 1) :- settlement(P,R,C), 3 <= { near(R,C,R1,C1) : empty(R1,C1) }.
"""


def use(folder: Path, text: str, verb: str = "score", *options: object) -> Ran:
    (folder / "scouts.lp").write_text(text, newline="")
    return run(verb, folder.parent / "board.txt", "--rules", folder, *options)


@pytest.mark.slow
def test_a_card_of_two_lines_is_a_row_of_every_table(folder: Path) -> None:
    (scores,) = use(folder, CARD + GOLD, "score", "--format", "json").json

    assert list(scores["gold"]) == [*CARDS, "scouts"]
    assert scores["gold"]["scouts"] == [2, 0]
    for format_ in ("table", "markdown"):
        last = use(folder, CARD + GOLD, "score", "--format", format_).out.splitlines()[-1]
        assert last.replace("|", "").split() == ["scouts", "2", "0"]
    rows = use(folder, CARD + GOLD, "score", "--format", "csv").csv
    assert [(r["player"], r["gold"]) for r in rows if r["card"] == "scouts"] == [
        ("1", "2"),
        ("2", "0"),
    ]


def test_a_card_of_three_lines_may_have_predicates_of_its_own(folder: Path) -> None:
    # Empty around player 1: (1,0) and (1,0), (0,2); around player 2: (0,2), (0,3), (1,3).
    (scores,) = use(folder, FORESTERS, "score", "--format", "json").json
    assert scores["gold"]["foresters"] == [0, 1]

    board = folder.parent / "board.txt"
    board.write_text(". . . .\n . 1 . .\n. . 1 .\n . . . .\n")
    (scores,) = use(folder, FORESTERS, "score", "--format", "json").json
    assert scores["gold"]["foresters"] == [2]


def test_explain_explains_it_by_itself(folder: Path) -> None:
    ran = use(folder, CARD + GOLD, "explain", "--card", "scouts", "--player", "1")

    assert ran.out.splitlines() == [
        "scouts, player 1: 2 gold (2 gold for each of your settlements in the first row)",
        "",
        "gold    for  which",
        "------------------",
        "   2    hex  0,0",
        "",
        "    0   1   2   3",
        "0 [1]  W   .   .",
        "1    .   1   2   .",
    ]


@pytest.mark.parametrize(
    ("why", "said", "hexes"),
    [
        pytest.param("hex(R,C)", "hex 0,0", [[0, 0]], id="hex"),
        pytest.param("row(R)", "row 0", [[0, 0]], id="row"),
        pytest.param("quadrant(1)", "quadrant 1", [[0, 0]], id="quadrant"),
        pytest.param("area((R,C))", "group from hex 0,0", [[0, 0]], id="group"),
        pytest.param("luck", "luck", [], id="word"),
        pytest.param('"pure luck"', "pure luck", [], id="text"),
        pytest.param("luck(R,7)", "luck 0,7", [], id="term"),
        pytest.param("7", "7", [], id="number"),
        pytest.param("(R,C)", "(0, 0)", [], id="pair"),
    ],
)
def test_a_reason_may_be_any_term(
    folder: Path, why: str, said: str, hexes: list[list[int]]
) -> None:
    rule = f"gold(scouts, P, {why}, 2) :- settlement(P,R,C), R = 0.\n"

    found = use(folder, CARD + rule, "explain", "--card", "11", "--player", "1", "--format", "json")

    assert found.json[0]["evidence"] == [{"why": said, "gold": 2, "hexes": hexes}]


def test_a_head_may_have_an_empty_condition(folder: Path) -> None:
    ran = use(folder, f"{CARD}gold(scouts, 1, all, 3) :.\n", "score", "--format", "json")

    assert ran.status == 0, ran.err
    assert ran.json[0]["gold"]["scouts"] == [3, 0]


def test_it_can_be_chosen_and_adds_to_the_total(folder: Path) -> None:
    (scores,) = use(folder, CARD + GOLD, "score", "--cards", "scouts,1", "--format", "json").json

    assert list(scores["gold"]) == ["castles", "discoverers", "scouts"]
    assert scores["total"] == [0 + 2 + 2, 0 + 1 + 0]


@pytest.mark.slow
def test_a_ruling_of_a_users_file_can_be_set(folder: Path) -> None:
    text = CARD + "#const prize = 2.\n" + GOLD.replace(", 2)", ", prize)")

    (default,) = use(folder, text, "score", "--format", "json").json
    (ruled,) = use(folder, text, "score", "--const", "prize=7", "--format", "json").json

    assert (default["gold"]["scouts"], ruled["gold"]["scouts"]) == ([2, 0], [7, 0])


def test_several_folders_and_folders_below_are_read(folder: Path, tmp_path: Path) -> None:
    below = tmp_path / "more" / "below"
    below.mkdir(parents=True)
    (below / "misers.lp").write_text(
        'card(misers, 12, "always 1 gold").\ngold(misers,P,P,1) :- player(P).\n'
    )

    (scores,) = use(folder, CARD + GOLD, "score", "--rules", below.parent, "--format", "json").json

    assert list(scores["gold"].items())[-2:] == [("scouts", [2, 0]), ("misers", [1, 1])]


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        pytest.param("\ufeff" + CARD, "1:1", "a byte order mark", id="byte-order-mark"),
        pytest.param(f"{CARD}% a\r{GOLD}", "2:4", "line ends of old Macs", id="old-mac"),
    ],
)
def test_what_clingo_would_misread_is_told(text: str, place: str, said: str, folder: Path) -> None:
    path = folder / "x.lp"
    path.write_bytes(text.encode())

    ran = run("score", "-", "--rules", folder, given=SMALL)

    assert (ran.status, ran.out) == (2, "")
    hint = "save it as plain UTF-8 with line feeds"
    assert ran.err == f"{path}:{place}: a rule file cannot have {said}: {hint}\n"


LUCK = "gold(scouts,P,luck,1) :- lucky(P).\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param((CARD + GOLD).replace("\n", "\r\n"), id="crlf"),
        pytest.param(CARD + GOLD.replace(" ", "\t"), id="tabs"),
        pytest.param("% Die Späher ✓\n" + CARD + GOLD, id="comment-in-unicode"),
        pytest.param("%*! Scouts.\nThey scout. *%\n" + CARD + GOLD, id="block-comment"),
        pytest.param(CARD + GOLD.rstrip("\n"), id="no-last-newline"),
        pytest.param("#program base.\n" + CARD + GOLD, id="program-base"),
        pytest.param(
            "#defined lucky/1.\n" + CARD + GOLD + "gold(scouts,P,luck,1) :- lucky(P).\n",
            id="defined",
        ),
    ],
)
def test_harmless_variants_of_a_file_pay_the_same(folder: Path, text: str) -> None:
    ran = use(folder, text, "score", "--format", "json")

    assert (ran.status, ran.json[0]["gold"]["scouts"]) == (0, [2, 0])


def test_the_card_pays_the_same_for_many_boards_at_once(folder: Path) -> None:
    board = folder.parent / "board.txt"
    board.write_text(f"{SMALL}\n" * 20)

    rows = use(folder, CARD + GOLD, "score", "--format", "json").json

    assert [row["gold"]["scouts"] for row in rows] == [[2, 0]] * 20


LIST = "`kb-score rules list` shows all predicates"

# What a file says, where the message points, what it says and what it hints at.
MISTAKES = [
    pytest.param(
        CARD + "gold(scouts, P, 1, 2) :- player(P) settlement(P,0,_).\n",
        "2:36",
        "syntax error",
        "a rule ends with a full stop",
        id="syntax",
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, 2) :- Player(P).\n",
        "2:32",
        "syntax error",
        "a predicate begins with a small letter, variables begin with a capital letter",
        id="capital",
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, 2) :- player(P)\n",
        "2:35",
        "syntax error",
        "the last rule lacks its full stop",
        id="no-full-stop",
    ),
    pytest.param(
        CARD + "gold(scouts, P, hex(R,C), Points) :- settlement(P,R,C).\n",
        "2:27",
        "unsafe variables in: 'Points'",
        "every variable must stand in a positive condition",
        id="unsafe",
    ),
    pytest.param(
        CARD + "gold(scouts, P, hex(R,C), 2) :- setlement(P,R,C).\n",
        "2:33",
        "nothing defines setlement/3",
        f"did you mean settlement? {LIST}",
        id="undefined-with-a-suggestion",
    ),
    pytest.param(
        CARD + GOLD + "a :- not besides(0,0,water).\n",
        "3:10",
        "nothing defines besides/3",
        f"did you mean beside? {LIST}",
        id="undefined-in-a-negation",
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, N) :- player(P), N = #count { R : xyzzy(R) }.\n",
        "2:54",
        "nothing defines xyzzy/1",
        f"hint: {LIST}",
        id="undefined-in-an-aggregate",
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, 2) :- settlement(P,0).\n",
        "2:26",
        "nothing defines settlement/2",
        "settlement has 3 arguments, not 2",
        id="wrong-arity",
    ),
    pytest.param(
        "card(scouts, 11, gold).\n" + GOLD,
        "1:18",
        "card scouts has no text",
        'write it in quotes: "..."',
        id="no-text",
    ),
    pytest.param(
        'card(scouts, 11, "").\n' + GOLD,
        "1:18",
        "the text of card scouts is empty",
        "say what it pays",
        id="empty-text",
    ),
    pytest.param(
        'card(scouts, 11, " ").\n' + GOLD,
        "1:18",
        "the text of card scouts is empty",
        "say what it pays",
        id="blank-text",
    ),
    pytest.param(
        CARD + GOLD + CARD.replace("11", "12"),
        "1:1",
        "there are two cards with the name scouts",
        "",
        id="one-name-twice",
    ),
    pytest.param(
        'card(miners, 11, "2 gold").\n',
        "1:1",
        "there are two cards with the name miners",
        "",
        id="name-of-ours",
    ),
    pytest.param(
        CARD + GOLD + 'card(spies, 11, "nothing").\n',
        "3:13",
        "the cards scouts and spies have the same number, 11",
        "",
        id="one-number-twice",
    ),
    pytest.param(
        CARD.replace("11", "4") + GOLD,
        "1:14",
        "the cards miners and scouts have the same number, 4",
        "",
        id="number-of-ours",
    ),
    pytest.param(
        CARD.replace("11", "eleven") + GOLD,
        "1:14",
        "the number of card scouts must be a whole number",
        "",
        id="number-in-words",
    ),
    pytest.param(
        GOLD,
        "1:1",
        "gold for scouts, but there is no card of that name",
        "state it: card(scouts",
        id="unstated",
    ),
    pytest.param(
        CARD + "#script (python)\nimport os\n#end.\n" + GOLD,
        "2:1",
        "#script is not allowed in your rules",
        "only rules, facts and #const statements are allowed",
        id="script",
    ),
    pytest.param(
        CARD + GOLD + "#show P : settlement(P,_,_).\n",
        "3:1",
        "#show is not allowed in your rules",
        "kb-score decides what is shown",
        id="show-term",
    ),
    pytest.param(
        CARD + GOLD + "#minimize { 1,P : settlement(P,_,_) }.\n",
        "3:",
        ":~ is not allowed in your rules",
        "only rules, facts and #const statements are allowed",
        id="minimize",
    ),
    pytest.param(
        CARD + GOLD + "#external lucky(P) : player(P).\n",
        "3:1",
        "#external is not allowed in your rules",
        "only rules, facts and #const statements are allowed",
        id="external",
    ),
    pytest.param(
        CARD + "#program step(t).\n" + GOLD,
        "2:1",
        "no file of this game has a part #program step(t).",
        "the rules here have no parts",
        id="program",
    ),
    pytest.param(
        CARD + GOLD + '#include "elsewhere.lp".\n',
        "3:1",
        "a rule file cannot include another one: put that into a folder of --rules",
        "",
        id="include",
    ),
    pytest.param(
        CARD + GOLD + "#const lords_need_settlement = 0.\n",
        "3:1",
        "redefinition of constant",
        "a ruling is set with --const NAME=VALUE",
        id="constant-of-ours",
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, K+1) :- player(P), terrain(K,_,_).\n",
        "2:20",
        "operation undefined: (K+1)",
        "a sum or a product needs numbers",
        id="word-plus-1",
    ),
    pytest.param(
        CARD + "gold(scouts,P,x,B-A) :- player(P), A = #min { R : settlement(P,R,_) }, "
        "B = #max { R : settlement(P,R,_), R > 90 }.\n",
        "2:17",
        "operation undefined: (B-A)",
        "#max of nothing is #inf",
        id="max-of-nothing",
    ),
    pytest.param(
        CARD
        + "gold(scouts,P,x,1) :- settlement(P,R,C), 3 <= #count { R,C : settlement(P,R,C) }.\n",
        "2:",
        "global variable in tuple of aggregate element: ",
        "this variable has a value outside of the braces: use another name inside them",
        id="global-variable",
    ),
    pytest.param(CARD + GOLD + "#show gold/4.\n", "3:1: ", "is not allowed", "", id="show"),
    pytest.param(CARD + GOLD + "#show.\n", "3:1: ", "is not allowed", "", id="show-nothing"),
    pytest.param(CARD + "gold(scouts, P, 1, @f(P)) :- player(P).\n", "2:", "", "", id="function"),
    pytest.param(CARD + GOLD + "a :- player(P), é.\n", "3:17: ", "", "", id="not-ascii"),
    pytest.param(
        CARD + GOLD + 'a("\\z é").\n', "3:4: unexpected \\z", "", "", id="escape-before-not-ascii"
    ),
    pytest.param(CARD + "gold(scouts, P, 2) :- player(P).\n", "2:1: ", "", "", id="gold-arity"),
    pytest.param("card(scouts, 11).\n" + GOLD, "1:1: ", "", "", id="card-arity"),
    pytest.param(
        'card(scouts, 11, "x") :- settlement(1,R,C).\n' + GOLD, "1:", "", "", id="card-with-body"
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, two) :- player(P).\n", "2:", "", "", id="gold-in-words"
    ),
    pytest.param(
        CARD + "gold(scouts, P, 1, 3000000000) :- player(P).\n", "2:", "", "", id="gold-that-wraps"
    ),
    pytest.param(CARD + GOLD + "score(scouts, 1, 100).\n", "3:1: ", "", "", id="second-score"),
]


@pytest.mark.parametrize(("text", "place", "message", "hint"), MISTAKES)
def test_a_mistake_is_told_with_its_place_and_a_hint(
    folder: Path, text: str, place: str, message: str, hint: str
) -> None:
    ran = use(folder, text)

    assert (ran.status, ran.out) == (2, "")
    first, *others = ran.err.splitlines()
    assert first.startswith(f"{folder / 'scouts.lp'}:{place}")
    assert message in first
    assert hint in (others[-1] if others else "")


def test_a_mistake_is_shown_with_a_caret_below_it(folder: Path) -> None:
    rule = "gold(scouts,P,1,2) :- setlement(P,0,C).\n"

    lines = use(folder, CARD + rule).err.splitlines()

    assert lines[1] == "    " + rule.rstrip("\n")
    assert lines[2] == "    " + " " * rule.index("setlement") + "^"


@pytest.mark.parametrize(
    "words", [("rules", "list"), ("rules", "show", "scouts"), ("explain", EXAMPLE)], ids=str
)
def test_rules_are_checked_before_they_are_used(folder: Path, words: tuple[object, ...]) -> None:
    (folder / "scouts.lp").write_text(CARD + "gold(scouts, P, 1, 2) :- plaier(P).\n")

    ran = run(*words, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert "nothing defines plaier/1" in ran.err


def test_an_input_that_is_documented_may_be_absent(folder: Path) -> None:
    block = "%*! pond(R,C): Input: there is a pond on (R,C). *%\n"
    rule = "gold(scouts,P,hex(R,C),1) :- settlement(P,R,C), pond(R,C).\n"

    ran = use(folder, CARD + block + rule)
    without = use(folder, CARD + rule)

    assert ran.status == 0
    assert "pond" not in ran.err
    assert "nothing defines pond/2" in without.err


_SEVERAL = "more than one answer set: everything must follow from the facts"
_NONE = "no answer set: they contradict themselves or the facts"


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        pytest.param("{ lucky(P) : player(P) }.\n", _SEVERAL, id="choice"),
        pytest.param("lucky(1) ; lucky(2).\n", _SEVERAL, id="disjunction"),
        pytest.param(
            "lucky(P) :- player(P), not sad(P).\nsad(P) :- player(P), not lucky(P).\n",
            _SEVERAL,
            id="even-loop",
        ),
        pytest.param("lucky(1). :- settlement(1,R,C).\n", _NONE, id="constraint"),
        pytest.param("lucky(1) :- not lucky(1).\n", _NONE, id="odd-loop"),
    ],
)
def test_rules_that_leave_the_score_open_are_refused(folder: Path, rule: str, message: str) -> None:
    pay = "gold(scouts, P, luck, 2) :- lucky(P).\n"

    ran = use(folder, CARD + rule + pay)

    assert (ran.status, ran.out) == (2, "")
    assert f"the rules have {message}" in ran.err


def test_rules_that_fail_on_one_board_keep_the_scores_of_the_others(folder: Path) -> None:
    board = folder.parent / "board.txt"
    board.write_text(f"{SMALL}\n. . . 3\n . . . .\n\n{SMALL}")

    ran = use(folder, CARD + GOLD + ":- settlement(3,R,C).\n", "score", "--format", "json")

    assert ran.status == 2
    assert [row["board"] for row in ran.json] == [f"{board}#1", f"{board}#3"]
    assert "no answer set" in ran.err


def test_a_board_whose_players_are_no_numbers_leaves_the_others_alone(folder: Path) -> None:
    board = folder.parent / "board.txt"
    board.write_text(f"{SMALL}\n. . . 3\n . . . .\n\n{SMALL}")
    rules = CARD + GOLD + "gold(scouts,many,row(R),1) :- settlement(3,R,_).\n"

    ran = use(folder, rules, "score", "--format", "json")

    assert ran.status == 2
    assert [row["board"] for row in ran.json] == [f"{board}#1", f"{board}#3"]
    assert ran.err.count("scouts.lp:3:1: a player is a number, not many") == 1


@pytest.mark.slow
def test_unknown_constants_are_told_with_the_known_ones(folder: Path) -> None:
    ran = use(folder, CARD + "#const prize = 2.\n" + GOLD, "score", "--const", "price=3")

    assert (ran.status, ran.out) == (2, "")
    assert "there is no ruling or constant 'price': known are " in ran.err
    assert "prize" in ran.err


def test_a_binary_file_is_no_rule_file(folder: Path) -> None:
    (folder / "scouts.lp").write_bytes(b"\xff\0card")

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    said = "1:1: byte 0xff is not text: a rule file is plain UTF-8"
    assert ran.err == f"{folder / 'scouts.lp'}:{said}\n"


def test_utf_16_is_told_by_its_name(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD, encoding="utf-16")

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    said = "1:1: a rule file cannot be UTF-16: save it as plain UTF-8 with line feeds"
    assert ran.err == f"{folder / 'scouts.lp'}:{said}\n"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        pytest.param(b"% a\n% caf\xe9\n", "2:6: byte 0xe9 is not text", id="latin-1"),
        pytest.param("% caf\u00e9 ".encode() + b"\xe9", "1:8: byte 0xe9 is not text", id="mixed"),
        pytest.param(b"\xff\xfea\0b", "1:1: a rule file cannot be UTF-16", id="cut-utf-16"),
        pytest.param(b"a.\n% b\rc.\n", "2:4: a rule file cannot have line ends", id="old-mac"),
        pytest.param(b"\xef\xbb\xbfa.\n", "1:1: a rule file cannot have a byte order", id="mark"),
    ],
)
def test_where_a_rule_file_is_no_plain_text(folder: Path, data: bytes, said: str) -> None:
    (folder / "scouts.lp").write_bytes(data)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"{folder / 'scouts.lp'}:{said}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param("missing", "is not a folder", id="missing"),
        pytest.param("file", "is not a folder", id="file"),
        pytest.param("empty", "has no .lp file", id="empty"),
    ],
)
def test_a_folder_without_rules_is_told(tmp_path: Path, make: str, message: str) -> None:
    path = tmp_path / "rules"
    if make == "file":
        path.write_text(CARD)
    elif make == "empty":
        path.mkdir()

    ran = run("score", EXAMPLE, "--rules", path)

    assert (ran.status, ran.out, ran.err) == (2, "", f"--rules: {path} {message}\n")


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


def test_two_rule_files_of_one_name_are_told(folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "scouts.lp").write_text(CARD + GOLD)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert "rename one of them" in ran.err


def test_a_card_may_pay_for_what_a_card_pays_that_is_not_in_the_game(folder: Path) -> None:
    (folder / "bonus.lp").write_text(
        'card(bonus, 12, "1 gold for whoever is paid by the miners").\n'
        "gold(bonus,P,miners,1) :- gold(miners,P,_,_).\n"
    )
    command = ("score", EXAMPLE, "--rules", folder, "--format", "json")

    all_cards = run(*command).json[0]["gold"]["bonus"]
    of_a_game = run(*command, "--cards", "bonus,knights").json[0]["gold"]["bonus"]

    assert all_cards == of_a_game == [1, 1, 1, 1]


def test_what_fails_on_one_board_names_that_board(folder: Path) -> None:
    (folder / "scouts.lp").write_text(CARD + GOLD + ":- settlement(1,R,C).\n")
    ran = run("score", folder.parent / "board.txt", "--rules", folder)
    assert "board.txt" in ran.err


def test_a_link_that_leads_nowhere_is_no_rule_file(tmp_path: Path) -> None:
    folder = add_rules(
        tmp_path, 'card(scouts, 11, "1 gold"). gold(scouts, P, all, 1) :- player(P).'
    )
    (folder / ".#mine.lp").symlink_to("nowhere")

    assert run("score", EXAMPLE, "--rules", folder).status == 0


@pytest.mark.slow
@pytest.mark.parametrize("value", ["Ä", "9999999999999", "1.5"])
def test_a_constant_is_a_word_or_a_number(value: str, tmp_path: Path) -> None:
    folder = add_rules(tmp_path, "#const prize = gold.")

    assert run("score", EXAMPLE, "--rules", folder, "--const", f"prize={value}").status == 2


def test_a_hexadecimal_number_is_no_way_around_32_bits(tmp_path: Path) -> None:
    folder = add_rules(tmp_path, 'card(a, 11, "much"). gold(a, P, all, 0xFFFFFFFFFF) :- player(P).')

    ran = run("score", EXAMPLE, "--rules", folder)

    assert ran.status == 2
    assert "beyond 32 bits" in ran.err


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


@pytest.mark.parametrize("depth", [120, 30000])
@pytest.mark.parametrize("kind", KINDS)
def test_a_term_that_is_too_deep_is_refused_before_it_is_parsed(
    folder: Path, kind: str, depth: int
) -> None:
    ran = use(folder, DEEP.format(nest(depth, kind)))

    assert (ran.status, ran.out) == (2, "")
    first, shown, caret = ran.err.splitlines()
    assert first.startswith(f"{folder / 'scouts.lp'}:2:")
    assert first.endswith("a term is nested deeper than 100 levels")
    assert (shown.count("..."), caret.strip()) == (2, "^")


@pytest.mark.parametrize("kind", ["brackets", "signs", "sums", "pairs"])
def test_a_term_that_is_not_too_deep_is_a_reason(folder: Path, kind: str) -> None:
    text = DEEP.format(nest(95, kind)).replace("player(P)", "f(x) = f(x), " * 200 + "player(P)")

    assert use(folder, text, "explain", "--format", "json").status == 0


def test_a_term_that_rules_build_too_deep_ends_in_one_message(folder: Path) -> None:
    text = "d(x,0). d(f(X),N+1) :- d(X,N), N < 900.\ngold(scouts,P,X,1) :- player(P), d(X,900).\n"

    assert use(folder, CARD + text, "score").status == 0
    ran = use(folder, CARD + text, "explain")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "the rules build a term that is nested deeper than 100 levels, in gold/4\n"


PAYMENT = "gold(scouts,P,{},{}) :- player(P).\n"


@pytest.mark.parametrize("words", [("score", "--cards", "4,11"), ("explain",)])
@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(PAYMENT.format("x", 2147483647) + PAYMENT.format("y", 1), id="two"),
        pytest.param(PAYMENT.format("(x,1..330)", 6553600), id="many"),
        pytest.param(PAYMENT.format("(x,1..330)", -6553600), id="debts"),
        pytest.param(
            PAYMENT.format("x", 2147483647) + "gold(miners,P,y,1) :- player(P).\n", id="two-cards"
        ),
    ],
)
def test_gold_that_leaves_32_bits_is_an_error(
    folder: Path, words: tuple[str, ...], rules: str
) -> None:
    ran = use(folder, CARD + rules, *words)

    assert (ran.status, ran.out) == (2, "")
    assert "the cards pay player " in ran.err
    assert "more gold than 32 bits can count" in ran.err


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ("65536*65536+7", "(65536*65536) is beyond 32 bits"),
        ("2147483647+1", "(2147483647+1) is beyond 32 bits"),
        ("2**31", "(2**31) is beyond 32 bits"),
        ("-2147483647-1-1", "is beyond 32 bits"),
        ("2**999999999", "(2**999999999) is beyond 32 bits"),
        ("P*65536*65536", "((P*65536)*65536) is beyond 32 bits"),
        ("65536*(P*-65536)", "(65536*(P*-65536)) is beyond 32 bits"),
        ("large*large", "(large*large) is beyond 32 bits"),
        ("large*P*squared", "((large*P)*squared) is beyond 32 bits"),
    ],
)
def test_a_sum_of_numbers_that_leaves_32_bits_is_an_error(
    folder: Path, points: str, said: str
) -> None:
    constants = "#const large = 65536. #const squared = large*16384.\n"
    ran = use(folder, CARD + PAYMENT.format("x", points) + constants)

    assert (ran.status, ran.out) == (2, "")
    assert f"{folder / 'scouts.lp'}:2:17: " in ran.err
    assert said in ran.err


@pytest.mark.slow
def test_a_constant_counts_as_it_is_set(folder: Path) -> None:
    rules = CARD + PAYMENT.format("x", "pay*65536*P") + "#const pay = 2.\n"

    assert use(folder, rules).status == 0
    ran = use(folder, rules, "score", "--const", "pay=65536")
    assert (ran.status, ran.out) == (2, "")
    assert "((pay*65536)*P) is beyond 32 bits" in ran.err or "(pay*65536) is beyond" in ran.err


def test_gold_within_32_bits_is_counted(folder: Path) -> None:
    (scores,) = use(
        folder, CARD + PAYMENT.format("x", 2**31 - 2**16), "score", "--format", "json"
    ).json

    assert scores["gold"]["scouts"] == [2**31 - 2**16] * 2


def make_folder(path: Path) -> None:
    path.mkdir()


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [make_folder, os.mkfifo, make_socket, link_to_device])
def test_a_rule_file_that_is_no_plain_file_is_told(
    make: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)  # the path of a socket has to be short
    make(Path("x.lp"))
    (folder / "y.lp").write_text(CARD + GOLD)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"{folder / 'x.lp'}: a rule file must be a regular file\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read anything")
def test_a_rule_file_that_may_not_be_read_is_told(folder: Path) -> None:
    (folder / "x.lp").write_text(CARD + GOLD)
    (folder / "x.lp").chmod(0)

    ran = run("score", EXAMPLE, "--rules", folder)

    assert (ran.status, ran.err) == (2, f"{folder / 'x.lp'}: permission denied\n")
