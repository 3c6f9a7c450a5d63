"""The odd cases of the search party's protocol, on small maps of this module or on one map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from kb_score.games.compliance import Case, Exam, NotAsked, Times
from kb_score.games.search_party.play import SearchParty
from kb_score.games.search_party.playouts import Wanderers
from kb_score.games.search_party.records import FACTS_OF
from kb_score.games.ways import ask_turns, ask_twice, close_after, tell_end
from kb_score.shell.bots import Bot
from kb_score.shell.files import read_input

if TYPE_CHECKING:
    from kb_score.engine.run import GameRules

_PARK = "12 9 2 3\n" + "\n".join(
    (
        *("............", "..##....#...", "..##....#...", "........#...", "....S......."),
        *("......##....", ".#....##....", ".#........#.", "............\n"),
    )
)
# The only way out of the start leads along walls, and back.
_LANE = "9 3 1 2\n#########\nS.......#\n########.\n"
_ROOM = "3 3 1 1\n...\n.S.\n...\n"  # everything is in sight at once
_YARD = "7 5 1 1\n.......\n.......\nS..#...\n.......\n.......\n"

_SEED = 1
_PATIENCE = 400  # turns in which a position has to come about
_TRIES = 5  # random games in which it is looked for
_MOST = 60  # turns of a whole game, which a bot need not know how to end
_FEW = 3  # cells that are left to be searched


def list_cases(
    rules: GameRules, command: Sequence[str], *, end: float, timeout: float, map_path: str | None
) -> tuple[Sequence[Case], Times]:
    """List the cases; see `kb_score.games.bot_command`.

    Raises:
        KbScoreError: The map or the rules cannot be used.
    """
    park = (_PARK, "the park") if map_path is None else (read_input(map_path, FACTS_OF), map_path)
    SearchParty(rules, *park)  # What is wrong with the map is told before a bot is started.
    start, lead = partial(Bot, command), partial(_lead, rules, park)

    def on(text: str, name: str) -> Callable[[], Exam]:
        return partial(SearchParty, rules, text, name)

    cases = [
        Case("first-turn", "the first turn of a game", ask_turns(), start, on(*park)),
        Case("middle", "a game in which half the map is searched", ask_turns(3), start,
             partial(lead, lambda game: 2 * game.unsearched <= game.open_cells)),
        Case("walls", "a lane between walls, in which hardly any move is legal", ask_turns(3),
             start, on(_LANE, "the lane")),
        Case("people-dead", "nobody but the star is alive", ask_turns(3), start,
             partial(lead, lambda game: len(game.places()) == 1)),
        Case("almost-searched", "hardly a cell is left to be searched", ask_turns(3), start,
             partial(lead, lambda game: game.unsearched <= _FEW)),
        Case("nothing-to-do", "everything is in sight before the first turn: no answer is wanted",
             tell_end(0), start, on(_ROOM, "the room")),
        Case("end-of-game", "the end is told after an answer", tell_end(1, _wander_to_end), start,
             partial(lead, lambda game: game.unsearched <= _FEW)),
        Case("input-closed", "the input is closed after an answer", close_after(), start,
             on(*park)),
        Case("same-twice", "the first turns, twice", ask_twice(3), start, on(*park)),
        Case("whole-game", "a small map, to the end", ask_turns(_MOST, whole=True), start,
             on(_YARD, "the yard")),
    ]  # fmt: skip
    return cases, Times(timeout, timeout, end)


def _lead(
    rules: GameRules, map_: tuple[str, str], reached: Callable[[SearchParty], bool]
) -> SearchParty:
    """Play random legal turns until a position is reached."""
    for number in range(_TRIES):
        game = SearchParty(rules, *map_)
        wanderers = Wanderers(game, Random(_SEED + number))
        while not game.finished and game.turn < _PATIENCE:
            if game.turn and reached(game):
                return game
            game.answer(wanderers.ask("", 0))
    raise NotAsked(f"no random game on {map_[1]} comes to that")


def _wander_to_end(exam: Exam) -> None:
    """Play random legal turns to the end of a game."""
    assert isinstance(exam, SearchParty)
    wanderers = Wanderers(exam, Random(_SEED))
    while not exam.finished and exam.turn < 3 * _PATIENCE:
        exam.answer(wanderers.ask("", 0))
