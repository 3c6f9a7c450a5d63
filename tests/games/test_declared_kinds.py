"""What a larger game without Python may have: actors, weights, cases."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.arena.contests.plan import digest_rules
from kb_score.engine.rules import GameRules
from kb_score.games import GameFolder
from kb_score.games.agreement import check_agreement
from kb_score.games.game import Game
from kb_score.games.match import MatchSetup
from kb_score.games.rules_match import RulesMatch
from kb_score.resources import list_rule_folders
from tests.helpers import MEADOW, ROOT, run

TEMPLATE = ROOT / "templates" / "game"
RULES = GameRules("search_party")
FIELD = ROOT / "boards" / "search_party" / "maps" / "field.txt"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A copy of the game of `new game`."""
    return Path(shutil.copytree(TEMPLATE, tmp_path / "three"))


def search_party() -> Game:
    return GameFolder("search_party").type


def begin(path: Path) -> RulesMatch:
    setup = MatchSetup(((path.name, path.read_text()),))
    match = search_party().new_match(RULES, setup, Random(1))
    assert isinstance(match, RulesMatch)
    return match


@pytest.mark.parametrize(
    "name",
    [
        name
        for name in list_rule_folders()
        if not GameFolder(name).type.files.manifest.functions.uses
        and not GameFolder(name).type.files.is_coded
    ],
)
def test_the_files_of_our_own_games_fit_together(name: str) -> None:
    game = GameFolder(name).type

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


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('ask = "turns"\nturns = 2', "fine"),
        ('meets = "three_stones"\nturns = 2', "fine"),
        ('meets = "no_stones"', "cases.toml:5:1: no rule derives meets(no_stones,...)"),
        ('meets = "ten_stones"', "no random game reached this position"),
        ('ask = "close"', "exited on its own"),
        ('map = "park"', "cases.toml:5:1: there is no map 'park' in [maps]"),
        ('ask = "nothing"', "cases.toml:5:1: ask must be turns, twice, end or close"),
        ("maps = 3", "cases.toml:5:1: "),
    ],
)
def test_a_game_has_cases_of_its_own(three: Path, more: str, told: str) -> None:
    rules = three / "rules.lp"
    rules.write_text(
        rules.read_text() + "\n#program step(t).\nmeets(three_stones,t) :- t = 3.\n"
        "meets(ten_stones,t) :- t = 10.\n"
    )

    (three / "cases.toml").write_text(f'[[case]]\nname = "few"\nabout = "a few stones"\n\n{more}\n')

    ran = run("bot", "three", "--bot", f"python3 {three / 'bot.py'}", "--game-dir", three)

    assert told in ran.out + ran.err.replace(f"{three}/", "")


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
legal(1..2,place(0,0..1),t).
weight(1,place(0,0),1000,t). weight(1,place(0,1),0,t).
weight(2,place(0,1),1000,t). weight(2,place(0,0),0,t).
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


def test_a_changed_game_is_another_one_for_a_contest(three: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("KB_SCORE_GAMES", str(three))

    def digest() -> str:
        return digest_rules(GameRules("three"))

    before = digest()
    assert digest() == before
    for name, more in (
        ("rules.lp", "changed."),
        ("texts.lark", "// changed"),
        ("game.toml", "# changed"),
    ):
        path = three / name
        path.write_text(f"{path.read_text()}\n{more}\n")
        assert digest() != before
        before = digest()
