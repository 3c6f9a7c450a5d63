"""Games played turn by turn, each from the position that the last left, against plain Python."""

from __future__ import annotations

from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.errors import InputError
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.check import check_game
from kb_score.games.kingdom_builder.records import read_record
from kb_score.games.match import MatchSetup
from kb_score.games.rules_match import RulesMatch
from tests.oracles import kingdom_builder_game as oracle
from tests.oracles.kingdom_builder_game_random import random_game
from tests.oracles.kingdom_builder_game_state import State

GAME = GameFolder("kingdom_builder").type


def play(text: str, *constants: tuple[str, str]) -> tuple[RulesMatch, tuple[int, str] | None]:
    """Play the turns of a game one by one; return the match, and what was refused."""
    rules = GameRules("kingdom_builder", Changes((), constants))
    game = read_record(text, rules)
    match = RulesMatch(GAME.files, rules, game.list_start(), ("the game", text))
    try:
        match.follow(game)
    except InputError as error:
        code = str(error).partition("(")[2].partition(")")[0]
        return match, (match.turn + 1, code)
    return match, None


def begin(board: str, seed: int) -> RulesMatch:
    setup = MatchSetup((), {"board": board, "cards": ""}, seed, 2)
    match = GAME.new_match(GameRules("kingdom_builder"), setup, Random(seed))
    assert isinstance(match, RulesMatch)
    return match


def seen(match: RulesMatch) -> object:
    """What a match says, in plain values."""
    facts = match.position().facts
    return (
        match.turn,
        tuple(number for _, number, _ in sorted(match.seen["supply_left"])),
        {(player, place) for player, place, _ in facts["before_stands"]},
        {
            (player, tile.replace("_", "-"), place)
            for player, tile, place, _ in match.seen["in_hand"]
        },
        {place: number for _, place, number, _ in match.seen["lies"]},
    )


def seen_plainly(state: State, turns: int) -> object:
    """What a position of the plain version says, in the same values."""
    width, board = state.board.width, state.board
    players = range(1, state.players + 1)

    def hex_of(place: int) -> tuple[int, int]:
        return divmod(place, width)

    held = {
        (player, tile.kind, hex_of(tile.place))
        for player in players
        for tile in state.tiles[player]
        if not tile.nomad or turns < tile.got + state.players
    }
    lying = {hex_of(place): left for place, left in state.left.items() if left}
    lying |= {hex_of(place): 1 for place in state.nomads}
    assert board.width == width
    return (
        turns,
        tuple(state.supply[player] for player in players),
        {(player, hex_of(place)) for player in players for place in state.own[player]},
        held,
        lying,
    )


# Two to five players; the game of seed 316 is a whole one.
@pytest.mark.slow
@pytest.mark.parametrize("seed", [300, 301, 302, 307, 316])
def test_a_game_played_turn_by_turn_leads_to_the_position_of_the_plain_version(seed: int) -> None:
    most = Random(seed).choice([None, 7, 12, 20])
    text = random_game(Random(seed), 2 + seed % 4, nomads=seed % 3 > 0, most_turns=most)
    expected = oracle.check_game(text)

    match, refused = play(text)

    assert refused is None
    assert match.finished == expected.finished
    assert seen(match) == seen_plainly(expected.position, expected.turns)


BOARDS = ["oracle farm/180 tavern harbor", "quarry garden/180 caravan village"]


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_a_random_answer_leads_to_the_position_that_judging_it_leads_to(board: str) -> None:
    match, other, random = begin(board, 5), begin(board, 5), Random(5)
    while match.turn < 8:
        answer = match.choose(random)

        assert match.answer(answer) == other.answer(answer)
        assert match.tell() == other.tell()
        assert match.picture() == other.picture()


def test_a_turn_that_is_taken_back_does_not_leave_its_gold() -> None:
    match = begin(BOARDS[0], 5)
    before = match.save()
    found = set()
    for seed in range(4):
        match.restore(before)
        match.answer(match.choose(Random(seed)))
        gold = match.result()["gold"]
        found.add(tuple(gold))

        assert gold == check_game(match.record, match.rules).result["gold"]
    assert len(found) > 1


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_a_match_lists_what_a_position_lists_and_it_may_end_where_the_rules_say(board: str) -> None:
    match, random = begin(board, 9), Random(9)
    tiles = 0
    while match.turn < 10:
        if 0 < match.turn < 6:  # some turns later there are tiles
            match.answer(match.choose(random))
            continue
        parts: list[str] = []
        while True:
            match.hold(parts)
            (found,) = match.position().moves()
            assert match.legal() == [found]
            assert match.can_end_turn() == ("may end" in found.note)
            if not found.moves:
                break
            tiles += not found.moves[-1][0].isdecimal()
            parts.append(random.choice(found.moves))
        answer = match.hold(parts)
        match.hold(())
        assert answer is not None
        match.answer(answer)
    assert tiles
