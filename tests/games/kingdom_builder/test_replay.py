"""Replays of whole games: each picture against the plain rules, and what a picture points at."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import FormatError
from kb_score.games.kingdom_builder.check import follow_game
from kb_score.shell.picture import Replay
from tests.helpers import ROOT, add_rules, tally_at
from tests.oracles.kingdom_builder_game import check_game, open_record, play_line
from tests.oracles.kingdom_builder_game_examples import EXAMPLE
from tests.oracles.kingdom_builder_game_gold import score
from tests.oracles.kingdom_builder_game_play import begin_turn
from tests.oracles.kingdom_builder_game_random import Habits, random_game
from tests.oracles.kingdom_builder_game_record import Line, read_record
from tests.oracles.kingdom_builder_game_state import FREE, WALL, Rulings, State
from tests.oracles.kingdom_builder_game_targets import MANDATORY, is_free_terrain, legal_targets

GAMES = ROOT / "boards" / "kingdom_builder" / "games"
Cells = dict[tuple[int, int], str]


def follow(text: str, **constants: str) -> Replay:
    changes = Changes(constants=tuple(constants.items()))
    return follow_game(GameRules("kingdom_builder", changes), ("game.txt", text))


def find_starts(before: State, line: Line) -> set[int]:
    """Find the hexes on which the mandatory action of a turn may begin, by the plain rules."""
    state = before.copy()
    if begin_turn(state, line.drawn) or not state.supply[state.player]:
        return set()
    if state.rulings.no_hex != "stop":
        free = [n for n, kind in enumerate(line.drawn, 1) if is_free_terrain(state, kind)]
        state.shown = free[0] if free else 1
    return {place for (place,) in legal_targets(state, MANDATORY)}


def draw_plainly(state: State, starts: set[int]) -> Cells:
    """Draw a position: the ground, and what stands on it or could begin there."""
    cells: Cells = {}
    for place, ground in enumerate(state.board.terrain):
        owner = state.owner[place]
        more = "#" if owner == WALL else str(owner)
        if owner == FREE:
            more = "+" if place in starts else ""
        cells[divmod(place, state.board.width)] = ground + more
    return cells


def tell_plainly(state: State, turn: int) -> dict[str, str]:
    """Tell what stands beside the board after a turn, without the line of the turn itself."""
    told: dict[str, str] = {}
    for player, gold in enumerate(score(state), 1):
        told[f"player {player} gold so far"] = str(gold)
        told[f"player {player} settlements left"] = str(state.supply[player])
        kinds = Counter(
            (tile.kind, "new" if tile.got == turn else "used" if tile.used == turn else "")
            for tile in state.tiles[player]
            if not tile.nomad or turn < tile.got + state.players
        )
        tiles = [
            f"{f'{n} ' if n > 1 else ''}{kind.replace('-', '_')}{f' ({how})' if how else ''}"
            for (kind, how), n in kinds.items()
        ]
        told[f"player {player} tiles"] = ", ".join(sorted(tiles)).replace("_", "-") or "none"
    return told


def check_pictures(text: str, rulings: Rulings | None = None, **constants: str) -> int:
    """Compare each picture with the plain rules; give the number of turns."""
    record = read_record(text)
    state = open_record(record, rulings)
    replay = follow(text, **constants)

    assert replay.violations == ()
    assert (replay.first, replay.last) == (0, len(record.lines))
    assert replay.at(0).cells == draw_plainly(state, set())
    for turn, line in enumerate(record.lines, 1):
        starts = find_starts(state, line)
        assert play_line(state, line) == (None, 0)
        picture, told = replay.at(turn), tally_at(replay, turn)
        assert picture.cells == draw_plainly(state, starts), turn
        named = {place for part in line.actions for target in part.targets for place in target}
        assert picture.highlights == {divmod(place, state.board.width) for place in named}
        assert told.pop("in this turn").startswith(f"player {line.player} plays ")
        assert told == tell_plainly(state, turn), turn
    return len(record.lines)


@pytest.mark.parametrize("name", ["base", "nomads", "example"])
def test_each_picture_of_a_game_to_try_is_that_of_the_plain_rules(name: str) -> None:
    assert check_pictures((GAMES / f"{name}.txt").read_text()) >= 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_each_picture_of_a_random_game_is_that_of_the_plain_rules(seed: int) -> None:
    text = random_game(Random(seed), 1 + seed % 5, nomads=seed % 3 > 0)

    assert check_pictures(text) > 5


@pytest.mark.parametrize(
    "ruling",
    [
        ("tile_loss", "end_of_turn"),
        ("twin_tile", "exact"),
        ("no_hex", "stop"),
        ("tiles_between", "1"),
        ("move_counts_as_build", "1"),
    ],
    ids=lambda ruling: ruling[0],
)
def test_pictures_follow_a_ruling(ruling: tuple[str, str]) -> None:
    name, value = ruling
    rulings = Rulings(**{name: int(value) if value.isdigit() else value})  # type: ignore[arg-type]
    text = random_game(Random(31), 2, nomads=True, rulings=rulings)

    assert check_pictures(text, rulings, **{name: value}) > 10


def test_what_is_illegal_is_pointed_at_on_the_board_just_before_it() -> None:
    text = (GAMES / "broken.txt").read_text()
    before = check_game(text).position

    replay = follow(text)

    assert (replay.last, replay.choose(None)) == (37, 37)
    drawing = replay.at(37)
    assert drawing.highlights == {(14, 18)}
    # The settlements that the turn builds before it stand there.
    built = [place for place, symbol in drawing.cells.items() if symbol.endswith("2")]
    assert len(built) == len(before.own[2]) + 2
    assert tally_at(replay, 37)["in this turn"] == "player 2 plays desert against the rules"
    assert str(replay.violations[0]).startswith("turn 37: not-adjacent (player 2): 14,18 is not")


@pytest.mark.parametrize(
    ("line", "points"),
    [
        pytest.param("2 grass: 3,15 3,16 4,16", {(3, 15), (3, 16), (4, 16)}, id="wrong-player"),
        pytest.param("1 desert: 3,15 3,16", {(3, 15), (3, 16)}, id="too-few"),
        pytest.param("1 desert: 3,15 3,16 99,4", set(), id="off-the-board"),
        pytest.param("1 desert: barn 4,11>3,15; 3,16", {(4, 11), (3, 15)}, id="no-tile"),
        pytest.param("1 desert: 3,15 3,16 4,16 +barn@5,12", {(5, 12)}, id="note"),
    ],
)
def test_a_fault_points_at_the_hexes_that_it_is_about(
    line: str, points: set[tuple[int, int]]
) -> None:
    text = "".join(EXAMPLE.splitlines(keepends=True)[:6]) + f"{line}\n"
    assert [violation[0] for violation in check_game(text).violations] == [3]

    replay = follow(text)

    found = replay.at(3).highlights
    assert found == points if "+barn" not in line else points < found


@pytest.mark.slow
def test_a_second_card_is_named_and_its_hexes_are_where_the_turn_could_begin() -> None:
    # Cards of two terrains alone fill one of them long before the end.
    habits = Habits(terrains="GD")
    texts = (random_game(Random(s), 5, habits=habits, most_turns=45) for s in range(20))
    text = next(text for text in texts if re.search(r" (grass/desert|desert/grass): \d", text))

    assert check_pictures(text) > 5
    replay = follow(text)
    told = [tally_at(replay, turn)["in this turn"] for turn in range(1, replay.last + 1)]
    cards = [line.drawn for line in read_record(text).lines]
    assert [" then " in words for words in told] == [len(drawn) > 1 for drawn in cards]


def test_a_game_without_a_turn_is_its_board() -> None:
    replay = follow("".join(EXAMPLE.splitlines(keepends=True)[:4]))

    assert (replay.first, replay.last) == (0, 0)
    assert len(replay.at(0).cells) == 400
    assert tally_at(replay, 0)["in this turn"] == "the start"


def test_a_board_cannot_be_replayed() -> None:
    with pytest.raises(FormatError, match="this is not a game"):
        follow(". . .\n . . .\n")


@pytest.mark.slow
def test_a_card_of_a_user_counts_in_the_gold_after_each_turn(tmp_path: Path) -> None:
    rules = add_rules(
        tmp_path,
        'deed(firsts, "1 gold for each settlement").\n'
        "chosen(firsts). gold(firsts,P,built(H,T),1) :- built(P,H,S,T).",
    )
    text = (GAMES / "example.txt").read_text()
    changed = GameRules("kingdom_builder", Changes(folders=(rules,)))

    ours, theirs = follow(text), follow_game(changed, ("game.txt", text))

    for turn, built in enumerate([(0, 0), (3, 0), (3, 3), (7, 3), (7, 7)]):
        for player, more in enumerate(built, 1):
            label = f"player {player} gold so far"
            gold = int(tally_at(ours, turn)[label])
            assert tally_at(theirs, turn)[label] == str(gold + more)
