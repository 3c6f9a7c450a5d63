"""Games without Python: Konane, as docs/write-a-game.md builds it, and the game of `new game`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb_score.engine.changes import list_shipped
from kb_score.engine.rules import GameRules
from kb_score.games import list_games
from kb_score.games.agreement import GRID, MERIT, SHARED
from kb_score.games.game import Game
from kb_score.games.match import MatchSetup
from kb_score.games.rules_match import RulesMatch
from kb_score.grammar import write_template
from tests.environments import copy_konane
from tests.helpers import ROOT, run
from tests.oracles import konane
from tests.transcripts import read_cases

TEMPLATE = ROOT / "templates" / "game"


@pytest.fixture(scope="module")
def konane_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_konane(tmp_path_factory.mktemp("home") / "konane")


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """A copy of the game of `new game`."""
    return Path(shutil.copytree(TEMPLATE, tmp_path / "three"))


def load(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Game, GameRules]:
    monkeypatch.setenv("KB_SCORE_GAMES", str(folder))
    game = list_games()[folder.name].type
    return game, GameRules(folder.name)


def begin(game: Game, rules: GameRules) -> RulesMatch:
    match = game.new_match(rules, MatchSetup(players=2), Random(1))
    assert isinstance(match, RulesMatch)
    return match


def check(folder: Path, record: str) -> dict[str, Any]:
    path = folder.parent / "record.txt"
    path.write_text(record)
    ran = run("check", folder.name, path, "--game-dir", folder, "--format", "json")
    assert ran.err == ""
    verdict: dict[str, Any] = ran.json[0]
    return verdict


def refuse(folder: Path, record: str = "") -> str:
    """Check a record with files that cannot be used; return the message."""
    path = folder.parent / "record.txt"
    path.write_text(record or "place 0 0\n")
    ran = run("check", folder.name, path, "--game-dir", folder)
    assert (ran.status, ran.out) == (2, "")
    return ran.err.replace(f"{folder}/", "")


def test_what_games_without_python_share_is_no_part_of_other_games() -> None:
    shared = {path.stem for path in list_shipped("common")}
    of_slime = {path.stem for path in list_shipped("slime") if path.parent.name == "common"}
    used = {name.removeprefix("common/") for name in (*SHARED, GRID, MERIT)}

    assert shared - of_slime == used - of_slime
    assert {"looks", "means"} <= of_slime


@pytest.mark.parametrize(
    ("pattern", "template"),
    [
        (r"jump +(?P<from>[a-h][1-8])-(?P<to>[a-h][1-8])", "jump {from}-{to}"),
        (r"(?P<person>[^\s.])(?P<way>[^\s.])(?=[\s.])[ \t]*", "{person}{way}"),
        (r"[ \t]*(?P<row>[0-9]+)[ \t]+(?P<column>[0-9]+)[ \t]*\n", "{row} {column}"),
        (r"\{(?P<name>\w+)\}\.", "{{{name}}}."),
        (r"pass", "pass"),
        (r"pass|skip", ""),
        (r"(?:pass)?(?P<row>[0-9])", ""),
        (r"[Pp]ass", ""),
        (r"pass!*", ""),
        (r"[^\n]+", ""),
    ],
)
def test_a_terminal_in_which_only_groups_and_blanks_vary_says_how_it_is_written(
    pattern: str, template: str
) -> None:
    assert write_template(pattern) == template


def test_konane_is_small(konane_folder: Path) -> None:
    lines = []
    for path in konane_folder.iterdir():
        code = re.sub(r"%\*.*?\*%", "", path.read_text(), flags=re.DOTALL)
        lines += [line for line in code.splitlines() if line.strip()]
    comments = {"%", "//", "# "}
    written = [line for line in lines if not any(map(line.lstrip().startswith, comments))]

    assert 40 < len(written) <= 170


@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 20))]
)
def test_random_games_of_konane_are_those_of_plain_python(
    seed: int, konane_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, rules = load(konane_folder, monkeypatch)
    match, random, stones, record = begin(game, rules), Random(seed), konane.begin(), ""

    while moves := konane.list_moves(stones, match.turn + 1):
        name = "XO"[match.turn % 2]
        assert not match.finished
        assert match.tell() == f"{name} {konane.write_board(stones)}\n"
        (legal,) = match.position().moves()
        assert sorted(legal.moves) == sorted(moves)
        move = random.choice(moves)
        record += match.answer(move).record
        stones = konane.play(stones, move)

    winner = "OX"[match.turn % 2]
    result = {
        "turns": match.turn,
        "winner": winner,
        "won": [int(winner == "X"), int(winner == "O")],
    }
    assert match.finished
    assert match.result() == {**result, "finished": True}
    assert match.closing() == f"{winner} wins\n"
    verdict = game.check(rules, [("record", record + match.closing())])
    assert verdict.consistent
    assert verdict.result == {**result, "finished": True}


def test_an_illegal_jump_ends_the_check(konane_folder: Path) -> None:
    record = "remove 3 3\nremove 3 4\njump 3 1 3 3\njump 3 7 3 4\njump 0 0 0 2\nX wins\n"

    verdict = check(konane_folder, record)

    detail = "nothing jumps from 3,7 to 3,4"
    assert verdict["violations"] == [
        {"turn": 4, "code": "no-such-move", "who": 2, "detail": detail}
    ]
    assert verdict["result"] == {"turns": 3, "winner": None, "won": None, "finished": False}


def test_what_is_found_by_playing_is_what_follows_from_the_turn_before(
    konane_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program that people look into has other rules for the state: they give the same."""
    game, rules = load(konane_folder, monkeypatch)
    match, random, record = begin(game, rules), Random(5), ""
    while not match.finished:
        record += match.answer(match.choose(random)).record
    heard = GameRules(rules.game, listener=lambda _: None)

    for text in (record, record + "jump 0 0 0 2\n", record.replace("remove 3", "remove 7")):
        assert game.check(rules, [("r", text)]) == game.check(heard, [("r", text)])


def ask_clingo(record: Path, folder: Path) -> str:
    """Print the program of a record, and let plain clingo solve it."""
    ran = run("facts", "--program", record, "--game-dir", folder)
    clingo = [sys.executable, "-m", "clingo", "-"]
    done = subprocess.run(clingo, input=ran.out, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout


def test_plain_clingo_judges_records(konane_folder: Path, tmp_path: Path) -> None:
    path = konane_folder.parent / "record.txt"
    path.write_text("remove 3 3\nremove 3 4\njump 3 1 3 3\njump 3 7 3 4\n")
    # Of spots it knows what was said last.
    spots, *_ = read_cases(ROOT / "tests/transcripts/games/state-and-texts.md")
    spots.prepare(tmp_path)

    assert 'violation(4,"no-such-move",2,' in ask_clingo(path, konane_folder)
    said = ask_clingo(tmp_path / "good.txt", tmp_path / "spots")
    assert ("result(turns,4)" in said, "violation" in said) == (True, False)
    assert "violation(3," in ask_clingo(tmp_path / "bad.txt", tmp_path / "spots")


MISTAKES = [
    ("game.toml", "players = 2", "playerz = 2", "4:1: unknown key 'playerz': "),
    ("game.toml", "players = 2", "players = 0", "4:1: players must be one or two numbers"),
    ("game.toml", '["winner", ', '["loser", ', "no rule derives figure(loser,...)"),
    ("game.toml", "{name}", "{nam}", "tell: no rule derives told(nam,...) or figure(nam,...)"),
    ("game.toml", "{name}", "{", "10:1: tell is not a template: "),
    ("game.toml", "[play]", "[play", "this is not a TOML file"),
    ("game.toml", 'figures = ["points"]', 'figures = ["gold"]', "gold is not one of the figures"),
    ("texts.lark", "turn: PLACE _NL", "turn: PLACES _NL", "11:1: Rule "),
    ("texts.lark", "turn: PLACE _NL", "turn: (PLACE _NL", ": this is not a grammar rule"),
    ("texts.lark", "answer:", "reply:", "1:1: the grammar has no rule 'answer'"),
    ("texts.lark", "/place +(?P", '"place" /(?P', ": a terminal with named groups must be one"),
    ("texts.lark", "[ \\t]*\\n)+", "[ \\t]*\\n)*", "_NL"),
    ("rules.lp", "square(0..2,0..2).", "square(0..2,0..2)", ": syntax error"),
    ("rules.lp", "square(0..2,0..2).", "square(R,0..2).", "unsafe variables"),
    ("rules.lp", "mover(2-t\\2,t).", "place(0,0,t).", "place comes from the"),
    ("rules.lp", "full(t) :-", "full :-", "derives holds forever: its head lacks t"),
    ("rules.lp", "#program open", "#program opens", "there is no part opens"),
    ("rules.lp", "place(R,C,t), mover(P,t), square", "place(R,C,T), mover(P,T), square",
     "place is about another turn than t"),
    ("game.toml", 'end = "{winner}', 'end = "{name}', "and told/3 has no values at the end"),
    ("texts.lark", "(?P<column>", "(?P<row>", "PLACE is not a regular expression: redefinition"),
    ("rules.lp", "claimed_result(winner,", "claimed_result(winer,", "claimed_result(winer,"),
    ("rules.lp", "mover(2-t\\2,t).", "moves(2-t\\2,t).", "no rule says whose turn it is"),
    ("rules.lp", "before_taken(R,C,_,t).", "before_token(R,C,_,t).", "gives before_token/4"),
    ("rules.lp", "before_taken(R,C,_,t).", "taken(R,C,_,t-1).", "is the state before turn t"),
    ("rules.lp", "name(1,", "told_cell(0,0,1). name(1,", "told_cell has 4 arguments, not 3"),
    ("rules.lp", "complete(P,t), name(P,Name)", "complete(t), name(P,Name)", "gives complete/1"),
    ("rules.lp", "taken(R,C,P,t) :- b", "taken(R,C,P,t+1) :- b", "derived for another turn than t"),
    ("rules.lp", "taken(R,C,P,t) :- b",
     "#program open(t).\nasks_taken(P,t) :- mover(P,t).\n"
     "#program step(t).\nasks_taken(R,t) :- place(R,_,t).\ntaken(R,C,P,t) :- b",
     "asks_taken comes too late"),
    ("rules.lp", "name(1,", "cell(1). cell(1,2,3). name(1,", "cell/3 is derived by the rules that"),
    ("texts.lark", "turn: PLACE _NL", "?turn: PLACE _NL", "turn must stay in the tree"),
    ("texts.lark", "turn: PLACE _NL", "turn: place _NL\nplace: PLACE", "gives the same facts as"),
    ("texts.lark", "turn: PLACE _NL", "turn: not _NL\nnot: PLACE", "no predicate can be called"),
    ("game.toml", "[play]", "[texts]\nside = [3, 2]\n[play]", "side has a minimum of 3"),
    ("game.toml", "[play]", "[option.Big]\nof = ['play']\n[play]", "'Big' is not an option"),
    ("game.toml", "[play]", "[option.turn]\nof = ['play']\nhelp = 'x'\n[play]", "an option turn"),
    ("game.toml", "[play]", "[option.big]\nof = ['paint']\nhelp = 'x'\n[play]", "of must be a"),
    ("game.toml", "[play]", "[option.big]\nof = ['play']\n[play]", "[option.big] needs the key"),
    ("game.toml", "[play]", "[option.sandbox]\nof = ['play']\nhelp = 'x'\n[play]", "already"),
    ("game.toml", "[play]", "[option.big]\nof = ['play']\nhelp = 'x'\nleast = 3\nmost = 2\n[play]",
     "least (3) is greater than most (2)"),
    ("game.toml", "[play]",
     "[option.big]\nof = ['play']\nhelp = 'x'\nmost = 2\ndefault = 3\n[play]",
     "the default 3 is not between least and most"),
    ("game.toml", "{name}", "{grid:{x}}", "is not a plain name"),
    ("rules.lp", "#program step(t).", "#program step(t).\ncounts_as(placed,t) :- place(_,_,t).",
     "with counts_as/2 every answer counts: leave out illegal/4"),
    ("game.toml", "{name}", "{name:>5}", "{name} is not a plain name"),
    ("game.toml", "[play]", "[texts]\ngrids = ['x']\n[play]", "has no terminal X"),
    ("rules.lp", "name(1,", "last(1). name(1,", "last/1 is derived by the rules that all games"),
    ("rules.lp", "name(1,", "name(@f(),", "@f calls a function"),
    ("rules.lp", "name(1,", "#script (python)\n#end.\nname(1,", "#script is not allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "message"), MISTAKES)
def test_a_mistake_in_a_file_of_a_game_is_told_with_its_place(
    file: str, old: str, new: str, message: str, three: Path
) -> None:
    path = three / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    told = refuse(three)

    assert re.match(r"[\w.]+:\d+:\d+: ", told), told
    assert message in told


def test_rules_without_an_end_are_stopped(three: Path) -> None:
    path = three / "rules.lp"
    endless = "n(0). n(N+1) :- n(N).\nsquare(N,9) :- n(N), N < 0.\n#program open(t)."
    path.write_text(path.read_text().replace("#program open(t).", endless))
    (three / "record.txt").write_text("place 0 0\n")

    words = ("check", "three", three / "record.txt", "--game-dir", three, "--limit-seconds", 1)
    ran = run(*words)

    assert ran.status == 2
    assert "the rules were stopped at 1 s" in ran.err


PLAYED = [
    ("rules.lp", "mover(2-t\\2,t).", "mover(1-t\\2,t).", "player 0 is chance, but"),
    ("rules.lp", "mover(2-t\\2,t).", "mover(1..2,t).", "turn 1: it belongs to players 1 and 2"),
    (
        "rules.lp",
        "mover(2-t\\2,t).",
        "mover(1,t) :- t = 1.",
        "turn 2: no rule says whose turn it is",
    ),
    ("game.toml", "players = 2", "players = 1", "turn 2: it belongs to player 2"),
    ("rules.lp", 'told_cell(R,C,".",0)', 'told_cell(R+1,C,".",0)', "leaves out the cell in row 0"),
    (
        "rules.lp",
        "told_cell(R,C,Name,t) :-",
        'told_cell(R,C,("?";Name),t) :-',
        "told_cell/4 gives ? and X",
    ),
    ("rules.lp", "terminal(t) :- full(t).", "", "turn 10: no answer is legal (legal/3)"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), PLAYED)
def test_what_rules_say_too_often_or_not_at_all_is_told_in_play(
    file: str, old: str, new: str, message: str, three: Path
) -> None:
    path = three / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))

    told = (run("playouts", "three", "--game-dir", three, "--seed", n).err for n in range(8))

    assert any(message in one for one in told)


def test_a_grammar_may_nest_as_deep_as_a_record_is_long(three: Path) -> None:
    grammar = three / "texts.lark"
    text = grammar.read_text().replace("start: _NL? turn* (WINS", "start: _NL? turns (WINS")
    grammar.write_text(text.replace("turn: PLACE", "turns: turn turns |\nturn: PLACE [WINS]"))

    assert check(three, "place 0 0\n" * 1500)["violations"] == [
        {"turn": 2, "code": "taken", "who": 2, "detail": "the square 0,0 is taken"}
    ]


LETTERS = st.sampled_from(
    ["(", ")", "{", "}", '"', "t", "T", "1", ",", ".", "\n", "/", "+", "#", "é"]
)


@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    name=st.sampled_from(["game.toml", "texts.lark", "rules.lp"]),
    place=st.floats(0, 1),
    letter=LETTERS,
)
def test_no_letter_in_a_file_of_a_game_is_a_failure_of_kb_score(
    name: str, place: float, letter: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("home") / "three"
    shutil.copytree(TEMPLATE, folder)
    text = (folder / name).read_text()
    offset = int(place * len(text))
    (folder / name).write_text(text[:offset] + letter + text[offset + 1 :])

    ran = run("check", "three", folder / "game.txt", "--game-dir", folder, "--limit-seconds", 2)

    assert ran.status in (0, 1, 2)
    assert ran.status != 2 or ran.err


@pytest.mark.slow
def test_a_grammar_for_which_lark_needs_too_long_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "three"
    assert run("new", "game", folder).status == 0
    grammar = folder / "texts.lark"
    optional = " ".join(f"W{n}?" for n in range(24))  # Lark writes out 2**24 alternatives
    words = "".join(f"W{n}: /w{n}x/\n" for n in range(24))
    turn = f"turn: PLACE {optional} _NL"
    grammar.write_text(grammar.read_text().replace("turn: PLACE _NL", turn) + words)

    ran = run("check", "three", folder / "game.txt", "--game-dir", folder)

    assert ran.status == 2
    assert ran.err.startswith(f"{grammar}: Lark needs more than 8 s for this grammar: ")
