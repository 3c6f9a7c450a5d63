"""Bots of Slime that run for a whole game: told a line a turn, ended and started anew if they fail.

The bots are shell scripts. Each notes its starts, and what it reads, in the file ``told``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from kb_score.arena.players import BotCommand
from kb_score.arena.referee import Listener, referee
from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.games.match import Clock, MatchSetup
from kb_score.games.rules_match import RulesMatch
from kb_score.games.rulings import strip_rulings
from kb_score.shell.bots import BotError
from tests.games.slime.games import GAME
from tests.helpers import new_seconds, runs

_PASS = "0 0 0 0"
# It answers its first line with a spread, and passes then.
_FAITHFUL = "tell; echo 0 0 1 1; while tell; do echo 0 0 0 0; done"
_PATIENT = Clock(20, kill=2)
_HASTY = Clock(0.2, kill=2)


@dataclass(frozen=True)
class PlayedSlime:
    """A match that was played: of each turn the player, the kind of fault or nothing, the line."""

    match: RulesMatch
    answers: list[tuple[int, str, str]]
    problems: Counter[tuple[int, str]]
    details: dict[int, str]


def play_slime(bots: Sequence[BotCommand], size: int, rules: GameRules) -> PlayedSlime:
    match = GAME.new_match(rules, MatchSetup(settings={"size": size}, players=4), Random(0))
    assert isinstance(match, RulesMatch)
    lines: list[str] = []
    with ExitStack() as stack:
        players = [stack.enter_context(bot.open(GAME)) for bot in bots]
        played = referee(GAME, match, players, None, Listener(lines.append))
    problems = Counter((player, str(fault.kind)) for _, player, fault in played.faults)
    kinds = {turn: fault.kind for turn, _, fault in played.faults}
    details: dict[int, str] = {}
    for _, player, fault in played.faults:
        details.setdefault(player, str(fault))
    turns = strip_rulings("".join(lines)).split("\n")[:-2]  # the squares come last
    answers = [
        (int(told[0]), str(kinds.get(number, "")), line)
        for number, (told, line) in enumerate(zip(turns[::2], turns[1::2], strict=False), 1)
    ]
    return PlayedSlime(match, answers, problems, details)


def write_bot(
    folder: Path, script: str, clock: Clock = _PATIENT, *, log: Path | None = None
) -> BotCommand:
    """A persistent bot: ``tell`` reads a line, notes it down and fails at the end of the input."""
    path = folder / "bot.sh"
    tell = 'tell() { read -r line || return 1; echo "$line" >> told; }'
    path.write_text(f"cd {folder}\n{tell}\necho start >> told\n{script}\n")
    return BotCommand("scripted", f"sh {path}", clock, log=log, persistent=True)


class Game:
    """A game on 3x3 squares of a persistent bot, as player 1, and of three that pass."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answers: list[tuple[str, str]] = []

    def play(
        self, script: str, turns: int = 8, clock: Clock = _PATIENT, *, log: Path | None = None
    ) -> PlayedSlime:
        rules = GameRules("slime", Changes((), (("last_turn", str(turns)),)))
        others = [BotCommand(f"{n}", f"echo {_PASS} #", clock) for n in (2, 3, 4)]
        bots = [write_bot(self.folder, script, clock, log=log), *others]
        played = play_slime(bots, 3, rules)
        self.answers = [(problem, line) for player, problem, line in played.answers if player == 1]
        return played

    @property
    def told(self) -> list[str]:
        return (self.folder / "told").read_text().splitlines()

    @property
    def starts(self) -> int:
        return self.told.count("start")


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return Game(tmp_path)


def test_a_persistent_bot_is_started_once_and_told_a_line_a_turn(game: Game) -> None:
    played = game.play(_FAITHFUL)

    # The spread to the middle takes all corners.
    assert game.told == ["start", "1,1.2,...,3.4", "1,1.1,.1.,1.1"]
    assert [line for _, line in game.answers] == ["0 0 1 1", _PASS]
    assert not played.problems


@pytest.mark.parametrize(
    ("script", "problem", "detail"),
    [
        pytest.param("tell; exit 3", "crashed", "exited with status 3", id="crash"),
        pytest.param("tell; kill -9 $$", "crashed", "was killed by signal 9", id="killed"),
        pytest.param("tell; exit 0", "crashed", "exited with status 0", id="leaves"),
        pytest.param("tell; exec >&-; sleep 60", "crashed", "closed its output", id="mute"),
        pytest.param("tell; echo hello; sleep 60", "garbage", "answered 'hello'", id="words"),
        pytest.param("tell; echo; sleep 60", "garbage", "answered ''", id="empty-line"),
        pytest.param("tell; printf '0 0 1 1'", "crashed", "exited with status 0", id="no-line-end"),
        pytest.param("tell; printf '\\377\\000\\n'; sleep 60", "garbage", "not four", id="binary"),
        pytest.param("tell; yes | tr -d '\\n'", "garbage", "without a line end", id="endless-line"),
        pytest.param("tell; sleep 60", "late", "was stopped after 2.", id="silent"),
        pytest.param("sleep 60", "late", "was stopped after 2.", id="deaf"),
        pytest.param("trap '' TERM; tell; sleep 60 & wait", "late", "was stopped", id="stubborn"),
        pytest.param(
            "tell; sleep 0.5; echo 0 0 1 1; tell", "late", "the limit is 0.20 s", id="late"
        ),
    ],
)
def test_a_turn_that_a_persistent_bot_spoils_is_a_pass(
    script: str, problem: str, detail: str, game: Game
) -> None:
    played = game.play(script, turns=4, clock=_HASTY if problem == "late" else _PATIENT)

    assert played.match.turn == 4
    assert played.match.counts["pass", 1] == 1
    assert dict(played.problems) == {(1, problem): 1}
    assert detail in played.details[1]


def test_a_bot_that_has_crashed_is_started_anew_at_its_next_turn(game: Game) -> None:
    script = f"if [ -e been ]; then {_FAITHFUL}; fi; tell; touch been"

    played = game.play(script, turns=12)

    assert game.starts == 2
    assert [problem for problem, _ in game.answers] == ["crashed", "", ""]
    assert [line for _, line in game.answers] == ["", "0 0 1 1", _PASS]
    assert played.match.counts["spread", 1] == 1


def test_a_bot_that_ends_after_its_answer_has_answered(game: Game) -> None:
    played = game.play("tell; echo 0 0 1 1")

    assert not played.problems
    assert game.starts == 2


def test_a_late_answer_is_never_taken_for_that_of_the_next_turn(game: Game) -> None:
    script = "tell; sleep 1.3; echo 0 0 0 1; while tell; do echo 0 0 1 1; done"

    game.play(script, clock=Clock(1, kill=20))

    # It was waited for, so the bot lives on, and its second answer is that to its second line.
    assert game.answers == [("late", ""), ("", "0 0 1 1")]
    assert game.starts == 1


def test_an_answer_after_the_bot_was_given_up_counts_for_no_turn(game: Game) -> None:
    first = "if ! [ -e been ]; then touch been; sleep 2.3; fi"
    script = f"trap '' TERM; tell; {first}; echo 0 0 0 $(grep -c start told)"

    game.play(script, clock=Clock(2, kill=2))

    assert game.answers == [("late", ""), ("", "0 0 0 2")]


@pytest.mark.parametrize(
    "first",
    [
        # In one write, so that the second line is there before the next turn is told.
        pytest.param("printf '0 0 0 1\\n0 0 0 2\\n'", id="two-lines"),
        pytest.param("printf '0 0 0 1\\n0 0 0 2\\n'; yes 0 0 0 2", id="lines-without-end"),
        pytest.param("printf '0 0 0 1\\n0 0'; sleep 60", id="a-line-and-a-half"),
    ],
)
def test_a_second_line_is_never_taken_for_the_answer_of_the_next_turn(
    first: str, game: Game
) -> None:
    script = f"if [ -e been ]; then {_FAITHFUL}; fi; touch been; tell; {first}; tell"

    played = game.play(script, turns=12)

    assert [line for _, line in game.answers] == ["0 0 0 1", "", "0 0 1 1"]
    assert "printed a line before it was asked" in played.details[1]
    assert game.starts == 2


def test_a_greeting_does_not_put_the_answers_out_of_step(game: Game) -> None:
    script = f"if ! [ -e been ]; then touch been; echo hello; fi; {_FAITHFUL}"

    played = game.play(script)

    assert game.answers[1][1] == "0 0 1 1"
    assert dict(played.problems) == {(1, "garbage"): 1}


@pytest.mark.parametrize("session", ["", "setsid "])
def test_a_persistent_bot_and_its_children_end_with_the_game(session: str, game: Game) -> None:
    seconds = new_seconds()

    game.play(f"{session}sleep {seconds} & {_FAITHFUL}; sleep {seconds}")

    assert not runs(f"sleep {seconds}")


def test_a_persistent_bot_ends_with_a_game_that_is_broken_off(tmp_path: Path) -> None:
    seconds = new_seconds()
    bot = write_bot(tmp_path, f"sleep {seconds} & {_FAITHFUL}; sleep {seconds}")

    with suppress(KeyboardInterrupt), bot.open(GAME) as player:
        assert player.ask("1,1.2,...,3.4\n") == "0 0 1 1"
        raise KeyboardInterrupt

    assert not runs(f"sleep {seconds}")


def test_persistent_bots_that_were_started_end_if_another_one_cannot_be(tmp_path: Path) -> None:
    seconds = new_seconds()
    good = write_bot(tmp_path, f"sleep {seconds}")
    bad = BotCommand("homeless", "true", _PATIENT, folder=tmp_path / "nowhere", persistent=True)

    with pytest.raises(BotError, match="cannot run bot 'homeless'"):
        play_slime([good, good, good, bad], 3, GameRules("slime"))

    assert not runs(f"sleep {seconds}")


def test_what_a_persistent_bot_says_goes_to_its_file(game: Game) -> None:
    log = game.folder / "bot.log"

    played = game.play("echo why >&2; tell; exit 1", log=log)

    assert log.read_text() == "why\nwhy\n"
    assert f"its error stream is in {log}" in played.details[1]


def test_what_a_persistent_bot_says_is_shown_only_when_it_fails(game: Game) -> None:
    played = game.play("echo why >&2; tell; exit 1", turns=4)

    assert played.details[1] == "exited with status 1\n    | why"
    assert not game.play(f"echo never >&2; {_FAITHFUL}").details
