"""Kingdom Builder for the tests of all games: the games to try, and games that cannot be read."""

from __future__ import annotations

import sys

from tests.games.contract import Example, read_expected
from tests.helpers import ROOT
from tests.oracles.kingdom_builder_game_examples import EXAMPLE as GAME

BOARDS = ROOT / "boards" / "kingdom_builder"
GAMES = BOARDS / "games"
HEADS = "board oracle farm tavern paddock\nplayers 2\n"
BOARD = HEADS.splitlines(keepends=True)[0]
QUARRY = "board quarry farm tavern paddock\nplayers 2\n"
TURN = "1 grass: 4,11 4,12 5,11\n"
NO_GAME = "this is not a game: expected a heading or a turn"

# tests/transcripts/kingdom_builder/games.md has the others.
UNREADABLE = {
    "nomad": (f"{QUARRY}nomad 0,0 sword\n", ":3:7: 0,0 is not a nomad space of this board"),
    "huge-players": (
        f"{BOARD}players {'9' * 5000}\n",
        f":2:9: {'9' * 20} is too large: numbers here go up to 1000000000",
    ),
    "comment": ("% nothing\n", f":1:1: {NO_GAME}"),
    "board": ("G W\n . 1\n", f":1:1: {NO_GAME}; to score a board, run kb-score score"),
}

EXAMPLE = Example(
    game="kingdom-builder",
    whole=GAMES / "base.txt",
    turns=39,
    cut=GAME,
    expected=read_expected(GAMES / "expected.jsonl"),
    broken=GAME.replace("farm 6,12", "farm 0,0"),
    violation=(3, "not-adjacent", 1),
    shown=("0,0 is not beside a settlement of player 1: choose a hex that is, such as 5,10",),
    unreadable={name: ((text,), message) for name, (text, message) in UNREADABLE.items()},
    turn=3,
    moves={1: 54},
    legal="16,10 17,9 18,9",
    illegal=("16,10 17,9 0,0", "wrong-terrain", "0,0 is grass, but the card is canyon"),
    over="the game is over after turn 39",
    next_turn=("--card", "grass"),
    bot=f"{sys.executable} {BOARDS / 'bots' / 'any_move.py'}",
    seats=2,
    const=("--const", "most_settlements=3"),
    answers={
        "north": "player 1: garbage in 1 turn, played by the referee",
        "farm 0,0": "player 1: illegal in 1 turn, played by the referee",
    },
    late="warning: turn 1: player 1 did not answer in time: played by the referee",
    holds="hex(_,_)",
    part="",
    derived=("turn.lp", "mover"),
)
