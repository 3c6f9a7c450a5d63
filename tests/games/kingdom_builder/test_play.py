"""``kb-score play kingdom-builder``: bots play, the rules judge, and `check` accepts the record."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kb_score.arena.playouts import RandomPlayer
from kb_score.arena.referee import Listener, Player, referee
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import Fault, RuleError
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.check import check_game
from kb_score.games.kingdom_builder.deal import deal_game
from kb_score.games.kingdom_builder.records import load_names
from kb_score.games.rules_match import RulesMatch
from tests.helpers import ROOT, run
from tests.oracles import kingdom_builder_game as oracle
from tests.oracles.kingdom_builder_game_random import Habits, random_game

GAME = GameFolder("kingdom_builder").type

ANY_MOVE = f"{sys.executable} {ROOT / 'boards' / 'kingdom_builder' / 'bots' / 'any_move.py'}"
# A game of three settlements each is over after a round.
SHORT = ("--const", "most_settlements=3")
BOARD = "oracle farm/180 quarry village"
DIGITS = "0123456789"


class Builder(Player):
    """A random player who uses no tiles, and keeps what he is told."""

    def __init__(self, match: RulesMatch, random: Random) -> None:
        self.match, self.random = match, random
        self.told: list[dict[str, Any]] = []

    def ask(self, text: str) -> str:
        self.told.append(json.loads(text))
        parts: list[str] = []
        while moves := [
            move for one in self.match.legal() for move in one.moves if move[0] in DIGITS
        ]:
            parts.append(self.random.choice(moves))
            self.match.hold(parts)
        answer = self.match.hold(parts)
        self.match.hold(())
        return answer or ""


def begin(
    folder: Path, seed: int, cards: dict[str, int], text: str = ""
) -> tuple[RulesMatch, Builder]:
    """A match with some terrain cards, perhaps after a game, and who plays for both."""
    (folder / "driver").mkdir()
    box = " ".join(f"terrain_cards({terrain},{number})." for terrain, number in cards.items())
    (folder / "driver" / "cards.lp").write_text(f"{box} cards_dealt(3).\n")
    rules, random = GameRules("kingdom_builder", Changes((folder,))), Random(seed)
    match = GAME.go_on(
        rules, text or deal_game(load_names(rules), BOARD.split(), 2, random), random
    )
    return match, Builder(match, random)


def build_on_canyon(turns: int) -> str:
    """Play some turns by the plain rules in which canyon is built on; there are 59 hexes of it."""
    habits = Habits(extra=0, notes=0, terrains="N")
    return random_game(Random(0), 2, heading=BOARD, habits=habits, most_turns=turns)


def python(program: str) -> str:
    return shlex.join([sys.executable, "-uc", program])


@pytest.mark.slow
def test_a_record_says_the_cards_and_by_which_rulings_it_is_checked(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    words = ("play", "kingdom-builder", *SHORT, "--bot", ANY_MOVE, "--bot", ANY_MOVE)

    # Cards that always pay may be named.
    ran = run(*words, "--cards", "castles,fishermen", "--record", record)
    run("playouts", "kingdom-builder", "--players", 2, *SHORT, "-o", tmp_path / "random")

    assert (ran.status, ran.err) == (0, "")
    assert "cards fishermen\n" in record.read_text()
    for path in (record, tmp_path / "random" / "kingdom-builder-1.txt"):
        assert path.read_text().startswith("% const most_settlements=3\n")
        assert run("check", "kingdom-builder", path).status == 0


@pytest.mark.slow
def test_a_card_of_the_user_does_not_slow_a_game_down(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "rows.lp").write_text(
        'card(rows, 14, "gold by rows").\n'
        "gold(rows, P, row(R), N) :-"
        " player(P), hex(R,10), N = #count { C : settlement(P,R,C) }, N > 2.\n"
    )
    bots = ["--bot", "true"] * 5

    words = [*SHORT, *bots, "--rules", str(rules), "--limit-seconds", "3", "--seed", "5"]
    played = run("play", "kingdom-builder", *words, "--format", "json")

    assert played.status == 0
    assert played.json[0]["result"]["finished"] is True
    assert "player 5: crashed in 1 turn" in played.err


@pytest.mark.slow
def test_the_same_seed_deals_the_same_game(tmp_path: Path) -> None:
    records = []
    for number, seed in enumerate((5, 5, 6)):
        record = tmp_path / f"{number}.txt"
        bots = ["--bot", "true", "--bot", "true"]  # the referee plays for them
        run("play", "kingdom-builder", *SHORT, "--seed", seed, *bots, "--record", str(record))
        records.append(record.read_text())

    assert records[0] == records[1] != records[2]


@pytest.mark.slow
def test_what_a_bot_is_told_is_what_a_player_may_know(tmp_path: Path) -> None:
    heard = tmp_path / "heard.jsonl"
    program = f"import sys\nfor line in sys.stdin: open({str(heard)!r}, 'a').write(line); print()"
    bots = ["--bot", ANY_MOVE, "--bot", python(program)]

    played = run("play", "kingdom-builder", *SHORT, "--board", BOARD, *bots)
    (told,) = map(json.loads, heard.read_text().splitlines())

    assert played.status == 0
    assert set(told) == {
        *("game", "turn", "player", "players", "cards", "terrains", "done", "board"),
        *("supply", "tiles", "facts", "const"),
    }
    assert (told["turn"], told["player"], told["players"]) == (2, 2, 2)
    assert len(told["terrains"]) == 1
    assert told["supply"] == [0, 3]
    assert sum(row.count("1") for row in told["board"]) == 3
    assert len(told["facts"]["before_stands"]) == 3
    # The cards of others, and those of the pile, are in none of the facts.
    assert not {"shows", "terrain_cards", "copies"} & set(told["facts"])


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "players", "most", "rulings"), [
    (1, 2, 11, oracle.Rulings()),
    (4, 2, 8, oracle.Rulings(no_hex="stop")),
    (7, 4, 8, oracle.Rulings(tiles_between=1, tile_loss="end_of_turn")),
])  # fmt: skip
def test_games_by_chance_are_what_the_plain_version_accepts(
    seed: int, players: int, most: int, rulings: oracle.Rulings
) -> None:
    default = asdict(oracle.Rulings())
    changed = {name: str(v) for name, v in asdict(rulings).items() if v != default[name]}
    rules = GameRules("kingdom_builder", Changes((), tuple(changed.items())))
    random = Random(seed)
    names = load_names(rules)
    quadrants = random.sample(["oracle", "farm/180", "quarry", "village", "caravan/180"], 4)
    headings = deal_game(names, quadrants, players, random)
    match, pieces = GAME.go_on(rules, headings, random), list[str]()

    seats = [RandomPlayer(match, random)] * players
    played = referee(GAME, match, seats, most, Listener(pieces.append))
    text = "".join(pieces)
    plain = oracle.check_game(text, rulings)

    assert (plain.violations, played.faults) == ((), [])
    assert (plain.finished, plain.turns) == (False, most)
    assert check_game(text, rules).result["gold"] == list(plain.gold)


@pytest.mark.slow
def test_a_game_without_a_card_that_fits_ends_with_an_error(tmp_path: Path) -> None:
    match, builder = begin(tmp_path, 3, {"canyon": 8}, build_on_canyon(17))

    with pytest.raises(RuleError, match=r"turn \d+: chance decides without end"):
        referee(GAME, match, [builder, builder], None, Listener(lambda _: None))


class Sleeper(Player):
    """Never answers, and counts how often it is asked."""

    asked = 0

    def ask(self, _text: str) -> str:
        self.asked += 1
        raise Fault("late", "did not answer in time")


@pytest.mark.slow
def test_a_further_card_is_drawn_where_a_terrain_is_full_and_who_is_late_is_played_for(
    tmp_path: Path,
) -> None:
    begun = build_on_canyon(16)
    match, builder = begin(tmp_path, 6, {"canyon": 10, "desert": 3}, begun)
    sleeper, pieces = Sleeper(), list[str]()

    played = referee(GAME, match, [builder, sleeper], None, Listener(pieces.append))

    record = "".join(pieces).removeprefix(match.opening())
    drawn = re.findall(r"^(\d) .*canyon/desert", record, re.M)
    assert match.finished
    assert oracle.check_game(begun + record).violations == ()
    asked_again = [told for told in builder.told if len(told["terrains"]) > 1]
    assert any(told["done"] for told in asked_again)
    assert all(told["terrains"][-1] in ("canyon", "desert") for told in asked_again)
    assert "1" in drawn
    assert sleeper.asked == len(played.faults)
    assert {fault.kind for _, _, fault in played.faults} == {"late"}


def test_a_refused_answer_leaves_the_match_as_it_was(tmp_path: Path) -> None:
    match, builder = begin(tmp_path, 1, {"canyon": 10, "desert": 3})
    told = match.tell()

    for line, kind in (("north", "garbage"), ("farm 0,0", "illegal"), ("", "illegal")):
        with pytest.raises(Fault) as refused:
            match.answer(line)
        assert (refused.value.kind, match.tell()) == (kind, told)

    assert match.answer(builder.ask(told)).record.startswith("1 canyon: ")
    assert (match.turn, match.mover) == (1, 2)


@pytest.mark.slow
def test_a_person_plays_against_a_bot_and_is_played_for_after_giving_up(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    words = ["play", "kingdom-builder", *SHORT, "--bot", "human", "--bot", ANY_MOVE]

    ran = run(*words, "--record", record, given="?\nnorth\n0,0\n")
    checked = run("check", "kingdom-builder", *SHORT, record)

    assert (ran.status, checked.status) == (0, 0)
    asked = ran.err.split("player 1> ")
    assert len(asked) == 5
    assert all(len(line.split(",")) == 2 for line in asked[1].split())
    assert asked[2].startswith("no: there is no tile 'north': ")
    assert asked[3].startswith("no: ")
    assert "player 1 has left the game" in asked[4]
    assert "player 1: crashed in 1 turn, played by the referee" in ran.err


@pytest.mark.slow
def test_a_game_that_is_stopped_leaves_a_record_of_what_was_played(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    words = [sys.executable, "-m", "kb_score", "play", "kingdom-builder", "--record", str(record)]
    with subprocess.Popen([*words, "--bot", ANY_MOVE, "--bot", ANY_MOVE]) as process:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if record.exists() and record.read_text().count(":") > 3:
                break
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        status = process.wait(10)
    checked = run("check", "kingdom-builder", str(record), "--format", "json")

    assert status == 143
    verdict = json.loads(checked.out)
    assert verdict["consistent"] is True
    assert 3 < verdict["result"]["turns"] < 28
    assert verdict["result"]["finished"] is False


def test_the_pile_is_made_anew_from_what_was_discarded(tmp_path: Path) -> None:
    match, builder = begin(tmp_path, 1, {"grass": 1, "desert": 1, "canyon": 1})
    drawn = []
    for _ in range(6):
        told = match.tell()
        drawn += json.loads(told)["terrains"]
        match.answer(builder.ask(told))

    assert sorted(drawn[:3]) == sorted(drawn[3:]) == ["canyon", "desert", "grass"]


@pytest.mark.slow
def test_a_random_game_stops_where_it_is_told_to() -> None:
    words = ["--players", "3", "--most-turns", "4", "--board", BOARD, "--cards", "miners,hermits"]
    played = run("playouts", "kingdom-builder", *words)

    assert played.status == 0
    assert "the game is not over after turn 4" in played.err
    assert played.out.startswith(f"board {BOARD}\ncards miners hermits\nplayers 3\nstart 1\n")
    checked = run("check", "kingdom-builder", "-", "--format", "json", given=played.out)
    assert checked.json[0]["result"]["turns"] == 4
