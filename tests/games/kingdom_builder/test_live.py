"""Games played turn by turn, each from the position that the last left, against plain Python."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from kb_score.engine.changes import Changes
from kb_score.engine.rules import GameRules
from kb_score.engine.terms import Name
from kb_score.games import GameFolder
from kb_score.games.kingdom_builder.match import KingdomBuilderMatch
from kb_score.games.kingdom_builder.position import (
    GameState,
    Refusal,
    TurnPosition,
    begin_game,
    play_record,
    play_turn,
)
from kb_score.games.kingdom_builder.records import Action, read_record, write_actions
from kb_score.games.match import MatchSetup
from tests.games.kingdom_builder.turns import read_line, split_game
from tests.oracles import kingdom_builder_game as oracle
from tests.oracles.kingdom_builder_game_random import random_game
from tests.oracles.kingdom_builder_game_state import State

Played = tuple[GameState, tuple[int, str] | None]


GAME = GameFolder("kingdom_builder").type


def play(text: str, *constants: tuple[str, str], last: int = 1000) -> Played:
    """Play the turns of a game; return the last position, and what was refused.

    The last turns are played one by one, those before them, which are to be legal, at once.
    """
    rules = GameRules("kingdom_builder", Changes((), constants))
    game = read_record(text, rules)
    position = begin_game(game, rules)
    _, lines = split_game(text)
    before = max(0, len(lines) - last)
    if before:
        after = play_record(position, game.cut(before), rules)
        assert isinstance(after, GameState)
        position = after
    for line in lines[before:]:
        after = play_turn(position, read_line(line), rules)
        if isinstance(after, Refusal):
            return position, (position.turns + 1, after.code)
        position = after
    return position, None


def seen(state: GameState, cards: tuple[str, ...]) -> object:
    """What a state says, in plain values."""
    gold = [0] * len(state.left)
    for card, player, paid in state.facts.get("gold_before", ()):
        if card in [Name("treasure"), *map(Name, cards)]:
            assert isinstance(player, int)
            assert isinstance(paid, int)
            gold[player - 1] += paid
    tiles = {(tile.player, tile.kind.replace("_", "-"), tile.place) for tile in state.tiles}
    return (
        state.turns,
        state.left,
        {(player, place) for player, place, _ in state.facts.get("before_stands", ())},
        {tile for tile in tiles if tile[0]},
        {place: tile.number for tile in state.tiles if not tile.player for place in [tile.place]},
        tuple(gold),
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
        tuple(state.gold[1:]),
    )


# Two to five players; the game of seed 316 is a whole one.
@pytest.mark.slow
@pytest.mark.parametrize("seed", [300, 301, 302, 307, 316])
def test_a_game_played_turn_by_turn_leads_to_the_position_of_the_plain_version(seed: int) -> None:
    most = Random(seed).choice([None, 7, 12, 20])
    text = random_game(Random(seed), 2 + seed % 4, nomads=seed % 3 > 0, most_turns=most)
    expected = oracle.check_game(text)
    cards = next((line.split()[1:] for line in text.splitlines() if line.startswith("cards")), [])

    position, refused = play(text)

    assert refused is None
    assert position.finished == expected.finished
    assert seen(position, tuple(cards)) == seen_plainly(expected.position, expected.turns)


@pytest.mark.slow
def test_a_turn_that_is_known_to_be_legal_leads_to_the_position_that_judging_it_leads_to() -> None:
    rules, random = GameRules("kingdom_builder"), Random(5)
    board = "quarry garden/180 caravan village"
    match = GAME.new_match(rules, MatchSetup((), {"board": board, "cards": ""}, 5, 2), random)
    assert isinstance(match, KingdomBuilderMatch)
    begun = begin_game(match._read(), rules)
    while match.turn < 4:
        match.answer(match.choose(random))
        line = read_line(match._lines[-1])
        known = play_turn(begun, line, rules, is_legal=True)
        assert known == play_turn(begun, line, rules)
        assert isinstance(known, GameState)
        begun = known
    assert match._state == begun


@pytest.mark.slow
@pytest.mark.parametrize(
    "board", ["oracle farm/180 tavern harbor", "quarry garden/180 caravan village"]
)
def test_a_match_lists_what_all_rules_together_list(board: str) -> None:
    rules, random = GameRules("kingdom_builder"), Random(9)
    match = GAME.new_match(rules, MatchSetup((), {"board": board, "cards": ""}, 7, 2), random)
    assert isinstance(match, KingdomBuilderMatch)
    ends = tiles = 0
    while match.turn < 10:
        if 0 < match.turn < 6:  # some turns later there are tiles
            match.answer(match.choose(random))
            continue
        actions: list[Action] = []
        while True:
            position = match.position()
            assert isinstance(position, TurnPosition)
            position = replace(position.after(actions), is_legal=True)
            found = position.choices()
            whole = replace(position, hand=None, is_legal=False)
            assert replace(found, ends_turn=False) == whole.choices()
            owed = [move for move in found.moves if move.name == "mandatory"]
            if found.ends_turn and owed:
                ends += 1
                assert not whole.after(owed[:1]).choices().moves
            tiles += len(found.moves) > len(owed)
            if found.moves:
                actions.append(random.choice(found.moves))
            elif found.further:
                actions[-1] = random.choice(found.further)
            else:
                break
        match.answer(write_actions(actions))
    assert ends
    assert tiles
