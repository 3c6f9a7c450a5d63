"""The library over all games: what a program checks, asks, draws and plays, and its errors."""

from __future__ import annotations

import copy
import re
import resource
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

import kb_score
from kb_score import FormatError, IllegalMoveError, InputError, KbScoreError, LimitError, RuleError
from kb_score.games.rules_match import RulesMatch
from tests.games.test_declared import TEMPLATE
from tests.helpers import EXAMPLE, ROOT, run, slow_for
from tests.matches import SETUPS, STATION, judge, look, play_randomly

GAMES = sorted(SETUPS)
MEADOW = SETUPS["search-party"].map
SESSION = ROOT / "boards" / "slime" / "session.txt"
NUMBER = cast("Any", 7)
ENDLESS = "number(0). number(N+1) :- number(N).\n"
USELESS = "forbidden(T,go(N,0,0,0),no,N) :- turn(T), number(N), N < 0.\n"
UNPAID = "gold(castles,P,N,N) :- player(P), number(N), N < 0.\n"


@pytest.fixture(autouse=True)
def nothing_printed(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


def begin(name: str, seed: int = 3) -> kb_score.Match:
    return kb_score.game(name).new_match(map=SETUPS[name].map, seed=seed)


def play(match: kb_score.Match, moves: int) -> kb_score.Match:
    for _ in range(moves):
        match.apply(match.random_move())
    return match


# --- boards ---------------------------------------------------------------------------------------


def test_boards_are_read_from_texts_and_paths_alike(tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text("1 W\n . 2\n\n3 .\n M .\n")
    first, second = map(str, kb_score.read_boards(path))
    single = tmp_path / "one.txt"
    single.write_text(first)

    assert [first, second] == list(map(str, kb_score.read_boards(path.read_text())))
    assert str(kb_score.parse_board(single)) == first
    assert kb_score.parse_board(single).name == str(single)
    assert kb_score.parse_board(single, name="mine").name == "mine"
    given: list[Any] = [
        single,
        first,
        kb_score.parse_board(single),
        tmp_path / "none.txt",
        path,
        "x",
    ]
    *scores, missing, double, wrong = kb_score.score_many(given, cards=["fishermen"])
    assert [found.total for found in scores if not isinstance(found, KbScoreError)] == [(1, 1)] * 3
    assert "no such file" in str(missing)
    assert "but there are 2" in str(double)
    assert isinstance(wrong, FormatError)


def test_a_string_that_is_a_file_name_is_refused() -> None:
    for ask in (kb_score.score, kb_score.parse_board, kb_score.read_boards):
        with pytest.raises(
            InputError, match=r"'my game.txt' looks like the name of a file: use Path"
        ):
            ask("my game.txt")


def test_a_board_and_an_explanation_are_pictures_and_a_game_is_short() -> None:
    (miners,) = kb_score.explain(EXAMPLE, card="miners", player=3)

    assert kb_score.parse_board(EXAMPLE).svg().startswith("<svg")
    assert "</svg>" in (miners.svg() or "")
    assert repr(kb_score.game("slime")) == "<Game slime>"


# --- matches --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", slow_for(GAMES, "kingdom-builder"))
def test_a_random_match_is_what_the_oracle_makes_of_it(name: str) -> None:
    setup = SETUPS[name]._replace(most=20 if name == "kingdom-builder" else 60)

    judge(setup, play_randomly(setup, 11))


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_move_leaves_the_match_as_it_was(name: str) -> None:
    match = play(begin(name), 3)
    before = look(match)
    # In Slime any answer is a turn.
    if name == "slime":
        match.apply("nonsense")
        assert match.turn == 4
        return

    with pytest.raises(IllegalMoveError) as caught:
        match.apply("1 2 3 nonsense")

    assert caught.value.kind == "garbage"
    assert look(match) == before
    match.apply(match.random_move())
    assert len(match.moves) == 4


@pytest.mark.parametrize("name", GAMES)
def test_a_match_is_that_of_its_seed_and_moves_and_a_copy_is_another_one(name: str) -> None:
    match = play(begin(name), 5)
    again = begin(name)
    for move in match.moves:
        again.observation()
        again.apply(move)
    before = look(match)
    copy = match.copy()

    assert look(again) == look(copy) == before
    assert str(again) == str(match)
    play(copy, 3)
    assert look(match) == before
    copy.undo(3)
    assert look(copy) == before


def test_moves_are_taken_back_where_a_game_cannot_be_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RulesMatch, "save", lambda _: None)
    match = play(begin("slime"), 20)
    record = match.record()
    match.undo(15)
    middle = match.record()
    match.undo(5)
    assert match.record() == begin("slime").record()
    match.redo(5)
    assert match.record() == middle
    match.redo(15)
    assert match.record() == record


def test_few_states_of_a_long_match_are_kept() -> None:
    match = play(begin("rabbits"), 200)

    assert len(match._saved) < 50
    match.undo(200)
    assert look(match) == look(begin("rabbits"))


def test_a_move_of_kingdom_builder_has_parts() -> None:
    match = begin("kingdom-builder")
    first, *_ = moves = match.legal_moves()
    then = match.legal_moves(first)

    assert first not in then
    assert match.legal_moves() == moves
    assert not match.can_end_turn(first)
    assert match.position().is_legal(first)
    assert match.position().why_illegal("0,0")
    for held in (["19,19"], ["farm 0,0"], [first, first]):
        with pytest.raises(InputError, match="held: "):
            match.legal_moves(*held)
    with pytest.raises(IllegalMoveError, match="turn 1: player 1 made an illegal move") as caught:
        match.apply("0,0")
    assert caught.value.kind == "illegal"
    match.apply(f"{first}; {then[0]}; {match.legal_moves(first, then[0])[0]}")
    assert match.turn == 1


def test_a_match_that_is_over_has_no_moves() -> None:
    match = kb_score.game("slime", constants={"last_turn": 3}).new_match(size=4)
    match.apply("0 0 0 1\n")
    play(match, 2)

    assert match.finished
    assert match.legal_moves() == ()
    with pytest.raises(IllegalMoveError, match="the game is over after turn 3"):
        match.apply("0 0 0 1")
    with pytest.raises(InputError, match="the game is over after turn 3"):
        match.random_move()
    assert kb_score.game("slime").check(match.record()).result == match.result()


def test_eight_threads_play_what_one_plays() -> None:
    def play_one(seed: int) -> str:
        name = GAMES[seed % len(GAMES)]
        return play(begin(name, seed), 4).record()

    alone = [play_one(seed) for seed in range(16)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(play_one, range(16))) == alone


def test_a_match_ends_where_its_setting_says() -> None:
    match = kb_score.game("search-party").new_match(map=MEADOW, most_turns=1)
    match.apply(match.random_move())

    assert (match.finished, match.legal_moves()) == (True, ())
    assert kb_score.game("search-party").check(match.record(), map=MEADOW).consistent


def test_a_question_changes_nothing_of_a_match() -> None:
    match = play(begin("rabbits"), 4)

    assert len({match.random_move() for _ in range(5)}) == 1
    assert copy.deepcopy(match).record() == copy.copy(match).record() == match.record()


def test_rules_that_fail_leave_the_match_as_it_was(tmp_path: Path) -> None:
    shutil.copytree(TEMPLATE, tmp_path / "three")
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "stop.lp").write_text("#program step(t).\n:- t = 2.\n")
    match = kb_score.game(tmp_path / "three", rules=[tmp_path / "rules"]).new_match()
    match.apply("place 1 1")
    with pytest.raises(RuleError):
        match.apply("place 0 1")

    assert (match.turn, len(match.legal_moves())) == (1, 8)


# --- records --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_a_record_is_judged_and_drawn(name: str) -> None:
    game = kb_score.game(name)
    map_ = SETUPS[name].map
    match = play(begin(name), 4)
    record = match.record()
    verdict = game.check(record, map=map_)

    assert verdict.consistent
    assert verdict.result == match.result()
    replay = game.replay(record, map=map_)
    assert replay.turns[-1] >= 3
    assert replay.svg(2) == match.replay().svg(2)
    assert replay.svg(2).startswith("<svg")
    assert "<html" in replay.html()
    assert replay.text()
    (program,) = game.programs(record, map=map_)
    assert "#show" in program
    position = game.position(record, map=map_, turn=2)
    assert position.turn == 2
    assert position.legal_moves()


def test_a_file_is_named_by_its_path_in_errors(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    lines = SESSION.read_text().split("\n")
    lines[2] = lines[2][:5] + "7" + lines[2][6:]
    path.write_text("\n".join(lines))
    slime = kb_score.game("slime")

    with pytest.raises(FormatError) as caught:
        slime.check(path)
    assert caught.value.path == str(path)
    assert (caught.value.line, caught.value.column) == (3, 6)
    with pytest.raises(FormatError) as caught:
        slime.check(path.read_text())
    assert (caught.value.path, caught.value.line) == ("<text>", 3)
    with pytest.raises(InputError, match="no such file") as missing:
        slime.check(tmp_path / "none.txt")
    assert missing.value.path == str(tmp_path / "none.txt")


def test_why_a_move_is_illegal() -> None:
    position = kb_score.game("slime").position(SESSION, turn=1)
    (reason,) = position.why_illegal("0 0 3 3")

    assert reason.code
    assert position.counts_as("0 0 3 3") == "pass"
    assert position.counts_as("0 0 1 1") == "spread"
    assert position.is_legal("0 0 1 1")


def test_the_rules_of_a_user_are_listed_and_count(tmp_path: Path) -> None:
    path = tmp_path / "mine.lp"
    path.write_text("% ruling: whether mine counts\n#const mine = 1.\nunused(1).\n")
    game = kb_score.game("slime", rules=[tmp_path])

    assert game.rule_files()[-1] == path
    assert {"last_turn", "mine"} <= {ruling.name for ruling in game.rulings()}
    assert game.list_warnings()
    path.write_text("foo(X :- bar.\n")
    with pytest.raises(RuleError) as caught:
        kb_score.game("slime", rules=[tmp_path])
    assert (caught.value.path, caught.value.line) == (str(path), 1)


def test_what_a_record_leaves_out_is_found() -> None:
    rabbits = kb_score.game("rabbits")

    session = rabbits.find_explanation(STATION.with_suffix(".log"), map=STATION)

    assert rabbits.check(session, map=STATION).consistent


def test_claims_about_a_board_are_judged_from_files() -> None:
    claims = EXAMPLE.parent / "claims.txt"
    verdict = kb_score.check_claims(EXAMPLE, claims)

    assert verdict.record == str(claims)
    assert verdict.result == kb_score.check_claims(EXAMPLE.read_text(), claims.read_text()).result
    assert kb_score.score(EXAMPLE).board == str(EXAMPLE)


def test_a_board_of_four_quadrants_is_that_of_the_command() -> None:
    quadrants = ("oracle", "farm/180", "tavern", "paddock")

    assert str(kb_score.board(*quadrants)) == run("board", *quadrants).out
    odd = " . .\n. 1\n . .\n. .\n"
    assert kb_score.game("kingdom-builder").position(odd, player=1, card="grass").turn == 1


# A call for a game, what it is called with, and what is said of it.
REFUSED: list[tuple[str, Callable[[kb_score.Game], object], str]] = [
    ("slime", lambda game: game.check(NUMBER), "expected a string or the path of a file"),
    ("slime", lambda game: game.check("1,1", map="x"), "slime takes no map here"),
    ("slime", lambda game: game.check("1,1", lost=1), "check of slime has no such option"),
    (
        "slime",
        lambda game: game.position(SESSION, turn=0),
        "expected a turn number that is at least 1, not 0",
    ),
    ("slime", lambda game: game.position(SESSION, turn=999), "there is no turn 999"),
    ("slime", lambda game: game.replay(SESSION).svg(999), "no picture of turn 999"),
    ("slime", lambda game: game.replay(), "a record is missing"),
    (
        "slime",
        lambda game: game.new_match(siz=4),
        "no such option: its options are players, seed, size; did you mean size?",
    ),
    ("slime", lambda game: game.new_match(size=1), "expected a number from 2 to 256"),
    ("slime", lambda game: game.new_match(size="4"), "expected a number from 2 to 256, not '4'"),
    ("slime", lambda game: game.new_match(players=3), "players: expected 4, not 3"),
    ("slime", lambda game: game.new_match(seed=-1), "expected a number that is at least 0, not -1"),
    ("slime", lambda game: play(game.new_match(), 2).undo(3), "to take back, from 0 to 2"),
    ("slime", lambda game: undo_and_go_on(game).redo(), "to play again, from 0 to 0"),
    ("slime", lambda game: game.new_match().legal_moves("0 0 0 1"), "a move of slime has no parts"),
    ("slime", lambda game: game.new_match().apply("0 0 0 1\n0 0 1 1"), "single line"),
    (
        "slime",
        lambda game: game.new_match(size=2).position().is_legal("0 0 0 0"),
        "the game is over after turn 0",
    ),
    ("rabbits", lambda game: game.check("move"), "a map is missing"),
    ("rabbits", lambda game: game.new_match(), "a map is missing"),
    (
        "search-party",
        lambda game: game.find_explanation("x", map=MEADOW),
        "leave nothing open to explain",
    ),
    ("kingdom-builder", lambda game: game.check(EXAMPLE), "this is a board, not a game"),
    ("kingdom-builder", lambda game: game.new_match(cards="x"), "there is no card 'x'"),
    (
        "kingdom-builder",
        lambda game: game.position(EXAMPLE),
        "a board needs --player and --terrain",
    ),
    ("kingdom-builder", lambda game: game.position(EXAMPLE, player=1, card="x"), "there is no 'x'"),
]


def undo_and_go_on(game: kb_score.Game) -> kb_score.Match:
    match = play(game.new_match(), 2)
    match.undo()
    return play(match, 1)


@pytest.mark.parametrize(("name", "call", "message"), REFUSED)
def test_what_a_game_cannot_do_is_an_error(
    name: str, call: Callable[[kb_score.Game], object], message: str
) -> None:
    with pytest.raises(KbScoreError, match=re.escape(message)):
        call(kb_score.game(name))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("slim", {}, "slime; did you mean slime?"),
        (7, {}, "expected the name of a game, or a folder, not 7"),
        ("slime", {"limit_seconds": -1}, "limit_seconds"),
        ("slime", {"rules": ["nowhere"]}, "nowhere"),
        ("slime", {"constants": {"nope": 1}}, "nope"),
        ("slime", {"constants": {"last_turn": -1}}, "last_turn"),
    ],
)
def test_a_game_that_there_is_not_is_an_error(
    name: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(KbScoreError, match=re.escape(message)):
        kb_score.game(name, **options)


# --- rules of users -------------------------------------------------------------------------------


def test_a_game_in_a_folder_is_played_by_threads_at_once(tmp_path: Path) -> None:
    folders = []
    for name in ("one", "two"):
        folder = tmp_path / name / "three"
        shutil.copytree(TEMPLATE, folder)
        folders.append(folder)
    rules = folders[1] / "rules.lp"
    rules.write_text(rules.read_text() + "#program step(t).\nterminal(t) :- t > 2.\n")

    def count(folder: Path) -> int:
        match = kb_score.game(folder).new_match()
        while not match.finished:
            match.apply(match.random_move())
        return match.turn

    with ThreadPoolExecutor(4) as threads:
        turns = list(threads.map(count, folders * 4))
    assert turns[1::2] == [3] * 4
    assert turns[::2] == [turns[0]] * 4
    assert turns[0] > 3
    assert "three" not in kb_score.list_games()


# --- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", slow_for(["kingdom-builder", "slime"], "kingdom-builder"))
def test_a_process_with_a_limit_answers_the_same(name: str) -> None:
    record = play(begin(name), 3).record()
    waiting = kb_score.game(name)
    limited = kb_score.game(name, limit_seconds=100)
    map_ = SETUPS[name].map

    assert limited.check(record, map=map_) == waiting.check(record, map=map_)
    position = limited.position(record, map=map_, turn=2)
    assert position.legal_moves() == waiting.position(record, map=map_, turn=2).legal_moves()
    with pytest.raises(FormatError):
        limited.check("nothing of the kind\n" * 2, map=map_)


def test_rules_without_end_are_stopped_and_the_process_stays_as_it_was(tmp_path: Path) -> None:
    for game, rule in (("slime", USELESS), ("board", UNPAID)):
        (tmp_path / game).mkdir()
        (tmp_path / game / "endless.lp").write_text(ENDLESS + rule)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    with pytest.raises(LimitError, match="stopped after 1 s"):
        kb_score.game("slime", rules=[tmp_path / "slime"], limit_seconds=1).check(SESSION)
    with pytest.raises(LimitError, match="stopped after 1 s"):
        kb_score.score(EXAMPLE, rules=[tmp_path / "board"], limit_seconds=1)

    assert resource.getrlimit(resource.RLIMIT_AS) == limits
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers
    assert kb_score.score(EXAMPLE, limit_seconds=100) == kb_score.score(EXAMPLE)
