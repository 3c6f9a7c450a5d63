"""What a larger game without Python may have: kinds of records, actors, cases, a ranking."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.arena.contests.versions import digest_rules
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder, list_games
from kb_score.games.agreement import check_agreement
from kb_score.games.declared import DeclaredGame
from kb_score.games.declared_match import DeclaredMatch
from kb_score.games.game import MatchSetup
from kb_score.resources import MANIFEST, list_rule_folders
from tests.helpers import MEADOW, ROOT, run

TEMPLATE = ROOT / "templates" / "game"
RULES = GameRules("search_party")
FIELD = ROOT / "boards" / "search_party" / "maps" / "field.txt"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A copy of the game of `new game`."""
    return Path(shutil.copytree(TEMPLATE, tmp_path / "three"))


def search_party() -> DeclaredGame:
    game = GameFolder("search_party").type
    assert isinstance(game, DeclaredGame)
    return game


def begin(path: Path) -> DeclaredMatch:
    setup = MatchSetup(((path.name, path.read_text()),))
    match = search_party().arena.new_match(RULES, setup, Random(1))
    assert isinstance(match, DeclaredMatch)
    return match


@pytest.mark.parametrize(
    "name", [name for name, home in list_rule_folders().items() if (home / MANIFEST).is_file()]
)
def test_the_files_of_our_own_games_fit_together(name: str) -> None:
    game = GameFolder(name).type
    assert isinstance(game, DeclaredGame)

    check_agreement(game.files.folder, game.files.texts.format, game.files.manifest)


@pytest.mark.parametrize("seed", range(4))
def test_a_random_game_is_judged_as_it_was_played(seed: int) -> None:
    """What a turn asks about is handed in although random players look at the turn before."""
    match, random, record = begin(FIELD), Random(seed), ""
    while not match.finished and match.turn < 60:
        record += match.tell() + match.answer(match.choose(random)).record
    record += match.closing()

    verdict = search_party().check(
        RULES, [("map", FIELD.read_text()), ("record", record or match.tell())]
    )

    assert verdict.violations == ()
    assert verdict.result == match.result()


def test_an_answer_is_written_as_a_record_has_it() -> None:
    match = begin(MEADOW)

    assert match.answer("  @4 ..").record == "@4.\n"
    assert match.answer(" . ").record == ".\n"


def test_random_players_mostly_go_on_as_they_went() -> None:
    match, random, same = begin(FIELD), Random(3), []
    before = ""
    while not match.finished and match.turn < 40:
        answer = match.choose(random)
        same.append(answer[:2] == before)
        before = answer[:2]
        match.answer(answer)

    assert sum(same) > len(same) / 2


def test_people_at_the_table_see_who_stands_where() -> None:
    rows = begin(MEADOW).picture().rows

    assert (rows[2][2], begin(MEADOW).tell().splitlines()[4][2]) == ("@", "o")


def test_a_position_in_a_record_has_what_its_rules_have_derived() -> None:
    plan = "@4.\n@6.\n"
    files = [("map", MEADOW.read_text()), ("plan", plan)]
    match = begin(MEADOW)
    for line in plan.splitlines():
        match.answer(line)

    assert search_party().position(RULES, files, None).moves() == match.position().moves()


@pytest.mark.parametrize("more", [(), ("--move", "place 0 0"), ("--turn", 2)])
def test_a_position_is_the_same_where_rules_chain_the_state(
    three: Path, more: tuple[object, ...]
) -> None:
    record = three / "record.txt"
    record.write_text("place 0 0\nplace 1 0\nplace 0 1\n")
    asked = ("legal", "three", record, *more, "--game-dir", three, "--format", "json")
    found = run(*asked)

    (three / "chain.lp").write_text(
        "#program step(t).\nbefore_taken(R,C,P,t) :- taken(R,C,P,t-1).\n"
    )

    assert run(*asked) == found
    assert found.json[0].get("player", 2) == 2


def test_a_game_that_is_ranked_by_maps_needs_maps(three: Path) -> None:
    (three / "rank.lp").write_text("standing(E,0) :- entry(E).\n#show standing/2.\n")

    ran = run("rank", "three", three, "--maps", three, "--game-dir", three)

    assert ran.status == 2
    assert "rank has no game 'three', but search-party" in ran.err


CASES = """
[[case]]
name = "{name}"
about = "a few stones"
{more}
"""


def try_case(three: Path, more: str, name: str = "few") -> str:
    (three / "cases.toml").write_text(CASES.format(name=name, more=more))
    bot = f"python3 {three / 'bot.py'}"
    ran = run("bot", "three", "--bot", bot, "--game-dir", three)
    return ran.out if ran.status in (0, 1) else ran.err.replace(f"{three}/", "")


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('ask = "turns"\nturns = 2', "fine"),
        ('meets = "three_stones"\nturns = 2', "fine"),
        ('meets = "no_stones"', "cases.toml:5:1: no rule derives meets(no_stones,...)"),
        ('meets = "ten_stones"', "no random game comes to that"),
        ('ask = "close"', "ended by itself"),
        ('map = "park"', "cases.toml:5:1: there is no map 'park' in [maps]"),
        ('ask = "nothing"', "cases.toml:5:1: ask is turns, twice, end or close"),
        ("maps = 3", "cases.toml:5:1: "),
    ],
)
def test_a_game_has_cases_of_its_own(three: Path, more: str, told: str) -> None:
    rules = three / "rules.lp"
    rules.write_text(
        rules.read_text() + "\n#program step(t).\nmeets(three_stones,t) :- t = 3.\n"
        "meets(ten_stones,t) :- t = 10.\n"
    )

    assert told in try_case(three, more)


def test_our_games_are_found_with_and_without_python() -> None:
    assert {"search-party", "slime", "rabbits", "kingdom-builder"} <= list_games().keys()


# Steps along a line: records list what is answered, or what a program has printed of it.
KIN = {
    "game.toml": 'figures = ["sum"]\n',
    "texts.lark": """
start: listed | stream
listed: turn*
stream: HEAD _NL shown*
turn: GO _NL
shown: STEP _NL -> turn
answer: GO _NL
GO: /go (?P<n>[0-9]+)/
HEAD: "stream"
STEP: /step (?P<n>[0-9]+)/
_NL: /(?:[ \\t]*\\n)+/
""",
    "rules.lp": """
#defined go/2.
#defined before_pos/2.
pos(0,0).
told_cell(0,0,"o",0).
figure(sum,0,0).
#program step(t).
pos(P+N,t) :- does(N,t), before_pos(P,t).
illegal(t,"beyond-ten","",("it goes beyond ten from",P)) :- does(N,t), before_pos(P,t), P+N > 10.
terminal(t) :- pos(10,t).
figure(sum,P,t) :- pos(P,t).
#program legal(t).
legal_text("",("go ",1..3),t).
""",
    "listed.lp": "#program step(t).\ndoes(N,t) :- go(N,t).\n",
    "stream.lp": "#defined step/2.\n#program step(t).\ndoes(N,t) :- step(N,t).\n",
}


@pytest.fixture
def kin(tmp_path: Path) -> Path:
    folder = tmp_path / "kin"
    folder.mkdir()
    for name, text in KIN.items():
        (folder / name).write_text(text)
    return folder


def codes(folder: Path, record: str) -> str:
    path = folder.parent / "record.txt"
    path.write_text(record)
    ran = run("check", folder.name, path, "--game-dir", folder, "--format", "json")
    if not ran.out:
        return ran.err.replace(f"{folder}/", "")
    violations = ran.json[0]["violations"]
    found = [f"{one['turn']} {one['code']}" for one in violations]
    return " ".join([*found, str(ran.json[0]["result"]["sum"])])


@pytest.mark.parametrize("chain", ["", "#program step(t).\nbefore_pos(P,t) :- pos(P,t-1).\n"])
@pytest.mark.parametrize("record", ["go 3\n" * 4, "stream\n" + "step 3\n" * 4])
def test_each_kind_of_record_is_judged_by_its_own_rules(kin: Path, record: str, chain: str) -> None:
    if chain:
        (kin / "chain.lp").write_text(chain)
    path = kin / "record.txt"
    path.write_text(record)

    assert codes(kin, record) == "4 beyond-ten 9"
    legal = run("legal", "kin", path, "--game-dir", kin)
    assert (legal.status, "no move is legal: turn 4" in legal.err) == (2, True)


def test_what_a_record_leaves_open_is_chosen_if_the_state_is_chained(kin: Path) -> None:
    (kin / "stream.lp").write_text(
        "#defined step/2.\n#program step(t).\n1 { does(1..4,t) } 1 :- step(_,t).\n"
        "#program base.\n:~ step(N,T), not does(N+1,T). [1@1,T]\n"
    )
    record = "stream\nstep 1\nstep 3\n"

    assert "records of the kind stream leave something open" in codes(kin, record)
    (kin / "chain.lp").write_text("#program step(t).\nbefore_pos(P,t) :- pos(P,t-1).\n")
    assert codes(kin, record) == "6"


def test_a_kind_without_a_file_of_its_own_is_the_kind_that_play_writes(kin: Path) -> None:
    (kin / "listed.lp").unlink()
    rules = kin / "rules.lp"
    rules.write_text(rules.read_text() + "#program step(t).\ndoes(N,t) :- go(N,t).\n")
    stream = kin / "stream.lp"
    stream.write_text(stream.read_text() + 'illegal(t,"odd","",("odd",)) :- step(_,t).\n')

    assert codes(kin, "go 3\n") == "3"
    assert codes(kin, "stream\nstep 3\n") == "1 odd 0"


@pytest.mark.parametrize("name", ["turn", "shown", "answer"])
def test_a_file_with_the_name_of_a_rule_that_is_no_kind_is_used_like_any(
    kin: Path, name: str
) -> None:
    (kin / f"{name}.lp").write_text('#program step(t).\nillegal(t,"odd","",("odd",)) :- go(1,t).\n')

    assert codes(kin, "go 1\n") == "1 odd 0"


def test_a_kind_is_not_called_as_a_rule_file_is(kin: Path) -> None:
    grammar = kin / "texts.lark"
    grammar.write_text(grammar.read_text().replace("listed", "check"))
    (kin / "listed.lp").rename(kin / "check.lp")

    assert "check is the name of a rule file" in codes(kin, "go 1\n")


def test_several_who_move_have_weights_of_their_own(three: Path) -> None:
    """Both may answer the same texts; each has another one that random games prefer."""
    (three / "rules.lp").write_text(
        """
#defined place/3.
#defined wins/2.
told_cell(0,0,".",0).
#program open(t).
mover(1,t).
#program step(t).
figure(winner,"X",t).
figure(points,(1,1),t).
claimed_result(winner,t) :- wins(t,t).
terminal(t) :- t = 4.
told(name,"X",t) :- place(_,_,t).
#program legal(t).
legal_text(1..2,("place ",0," ",0..1),t).
weight(1,("place ",0," ",0),1000,t). weight(1,("place ",0," ",1),0,t).
weight(2,("place ",0," ",1),1000,t). weight(2,("place ",0," ",0),0,t).
"""
    )
    grammar = three / "texts.lark"
    text = grammar.read_text().replace("answer: PLACE _NL", "answer: PLACE (_BLANK PLACE)* _NL")
    text = text.replace("turn: PLACE _NL", "turn: PLACE (_BLANK PLACE)* _NL")
    grammar.write_text(text + "\n_BLANK: / /\n")

    ran = run("playouts", "three", "--seed", 1, "--game-dir", three, "-o", three / "games")

    assert ran.status == 0, ran.err
    (record,) = (three / "games").iterdir()
    assert record.read_text().startswith("place 0 0 place 0 1\n" * 4)


@pytest.mark.parametrize(
    ("weight", "told"),
    [
        ("-1", "weight/4 is -1"),
        ("0", "weight/4 is 0 for all that 1 may answer"),
        ("1..2", "weight/4 is 1 and 2"),
    ],
)
def test_weights_that_cannot_be_used_are_told(three: Path, weight: str, told: str) -> None:
    rules = three / "rules.lp"
    rules.write_text(
        rules.read_text().partition("%*! Example")[0]
        + f'weight("",("place ",R," ",C),{weight},t) :- square(R,C), t > 0.\n'
    )

    ran = run("playouts", "three", "--seed", 1, "--game-dir", three, "-o", three / "games")

    assert ran.status == 2
    assert told in ran.err


def test_who_has_two_values_of_a_figure_is_told_in_play(three: Path) -> None:
    rules = three / "rules.lp"
    more = '#program step(t).\nfigure(winner,"Z",t) :- complete(_,t).\n'
    rules.write_text(rules.read_text() + more)

    ran = run("playouts", "three", "--seed", 1, "--game-dir", three, "-o", three / "games")

    assert (ran.status, "figure/3 gives winner two values" in ran.err) == (2, True)


OWN_RECORD = """\
result(turns,0).
violation(0,a,b,c) :- turn(0).
opened(1).
opened(T+1) :- turn(T).
"""


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("help.toml", "x = 1\n", "help.toml:1:1"),
        ("help.toml", '[check]\ntext = "What."\n', "help.toml:1:1"),
        ("help.toml", "[check\n", "help.toml:1"),
        ("record.lp", "result(turns,0).\n", "has to derive violation/4 and opened/1"),
        ("record.lp", OWN_RECORD, "has to show"),
        (
            "record.lp",
            f"{OWN_RECORD}#show result/2.\n#show violation/4.\n",
            "gives no result(finished,...)",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_told(three: Path, name: str, text: str, told: str) -> None:
    (three / name).write_text(text)
    record = three / "game.txt"
    record.write_text("place 0 0\n")

    ran = run("check", "three", record, "--game-dir", three)

    assert ran.status == 2
    assert told in ran.err


@pytest.mark.parametrize("comment", ["//= PLACE [ab", "//? PLACE (", "//< NOWHERE a"])
def test_a_comment_of_a_grammar_that_cannot_be_used_is_told(three: Path, comment: str) -> None:
    grammar = three / "texts.lark"
    grammar.write_text(f"{comment}\n{grammar.read_text()}")
    record = three / "game.txt"
    record.write_text("place 0 0\n")

    ran = run("check", "three", record, "--game-dir", three)

    assert ran.status == 2
    assert "texts.lark" in ran.err


def test_a_changed_game_is_another_one_for_a_contest(three: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(three))

    def digest() -> str:
        return digest_rules(GameFolder("three").type, GameRules("three"))

    before = digest()
    assert digest() == before
    for name in ("rules.lp", "texts.lark", "game.toml"):
        path = three / name
        mark = "//" if name == "texts.lark" else "%" if name == "rules.lp" else "#"
        path.write_text(f"{path.read_text()}\n{mark} changed\n")
        assert digest() != before
        before = digest()


def test_a_game_that_chooses_what_is_legal_is_played_at_random(kin: Path) -> None:
    rules = kin / "rules.lp"
    rules.write_text(rules.read_text().partition("#program legal")[0])
    (kin / "legal.lp").write_text(
        "#program legal(t).\n"
        "1 { does(1..3,t) } 1 :- undecided.\n"
        ":- undecided, illegal(t,_,_,_).\n"
        'legal_text("",("go ",N),t) :- undecided, does(N,t).\n'
    )

    given = ("--seed", 1, "-o", kin.parent / "games", "--format", "json")
    ran = run("playouts", "kin", *given, "--game-dir", kin)

    assert (ran.status, ran.json[0]["result"]["sum"]) == (0, 10)
