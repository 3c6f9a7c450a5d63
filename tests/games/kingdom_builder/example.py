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
QUADRANTS = (
    "barn, caravan, farm, garden, harbor, oasis, oracle, paddock, quarry, tavern, tower or village"
)
A_TURN = 'a turn, such as "1 grass: 4,11 4,12 5,11"'
NO_GAME = "this is not a game: a heading or a turn is expected"

UNREADABLE = {
    "quadrant": (
        "board oracle farm inn paddock\nplayers 2\n",
        f":1:19: there is no quadrant 'inn': {QUADRANTS}",
    ),
    "quadrant-twice": (
        "board oracle farm oracle/180 paddock\nplayers 2\n",
        ":1:19: the quadrant oracle is named twice",
    ),
    "three-quadrants": (
        "board oracle farm paddock\nplayers 2\n",
        ":1:26: unexpected end of the line: expected a name, such as farm",
    ),
    "five-quadrants": (
        "board oracle farm paddock tavern tower\nplayers 2\n",
        ":1:34: unexpected 'tower': expected the end of the line",
    ),
    "turned-by-90": (
        "board oracle/90 farm paddock tavern\nplayers 2\n",
        ":1:13: unexpected '/': expected a name, such as farm; or \"/180\" behind a quadrant",
    ),
    "tile": (f"{HEADS}{TURN[:-1]}; inn 6,12\n", ":3:26: there is no tile 'inn': barn, cara"),
    "noted-tile": (f"{HEADS}1 grass: 4,11 +inn@5,12\n", ":3:16: there is no tile 'inn': ba"),
    "card": (
        f"{HEADS}cards miners cooks\n",
        ":3:14: there is no card 'cooks': ambassadors, castles, citizens, ",
    ),
    "card-twice": (f"{HEADS}cards miners miners\n", ":3:14: the card miners is named twice"),
    "terrain": (
        f"{HEADS}1 gras: 4,11\n",
        ":3:3: there is no terrain 'gras': canyon, desert, flower, forest, grass, mountain or",
    ),
    "two-boards": (f"{HEADS}{BOARD}", ":3:1: there is a second heading 'board'"),
    "twice": (f"{HEADS}  players 2\n", ":3:3: there is a second heading 'pl"),
    "no-board": (
        f"players 2\n{TURN}",
        ": the heading 'board' is missing, such as 'board oracle farm/180 tavern paddock'",
    ),
    "no-players": (BOARD + TURN, ": the heading 'players' is missing, such as 'players 2'"),
    "heading-after-a-turn": (
        f"{HEADS}{TURN}cards miners\n",
        ":4:1: unexpected 'cards': expected the claimed result, such as \"gold 52 46\"; " + A_TURN,
    ),
    "unknown-heading": (
        f"{HEADS}colour red\n",
        ":3:1: unexpected 'colour': expected the board, such as \"board oracle farm/180 tav",
    ),
    "nomad": (f"{QUARRY}nomad 0,0 sword\n", ":3:7: 0,0 is not a nomad space of this board"),
    "nomad-far-off": (f"{QUARRY}nomad 99,0 sword\n", ":3:7: 99,0 is not a nomad space of thi"),
    "nomad-twice": (
        f"{QUARRY}nomad 5,2 sword\nnomad 5,2 treasure\n",
        ":4:7: a second nomad tile on 5,2",
    ),
    "players-0": (f"{BOARD}players 0\n", ":2:9: there are 1 to 5 players, not 0"),
    "players-6": (f"{BOARD}players 6\n", ":2:9: there are 1 to 5 players, not 6"),
    "start-0": (f"{HEADS}start 0\n", ":3:7: one of the players 1 to 2 starts"),
    "start-3": (f"{HEADS}start 3\n", ":3:7: one of the players 1 to 2 starts"),
    "gold-for-one": (
        f"{HEADS}{TURN}gold 5\n",
        ":4:6: expected gold for each of 2 players, not 1 values",
    ),
    "gold-for-three": (
        f"{HEADS}gold 5 6 7\n",
        ":3:10: expected gold for each of 2 players, not 3 values",
    ),
    "gold-for-nobody": (
        f"{HEADS}gold\n",
        ":3:5: unexpected end of the line: expected a whole number",
    ),
    "gold-first": (f"{HEADS}gold 1 2\n{TURN}", ":4:1: unexpected '1': expected"),
    "huge-players": (
        f"{BOARD}players {'9' * 5000}\n",
        f":2:9: {'9' * 20} is too large: numbers here go up to 2147483647",
    ),
    "huge-hex": (f"{HEADS}1 grass: 0,99999999999\n", ":3:12: 99999999999 is too large"),
    "huge-gold": (f"{HEADS}gold 1 99999999999\n", ":3:8: 99999999999 is too"),
    "no-colon": (
        f"{HEADS}1 grass 4,11\n",
        ':3:9: unexpected \'4,11\': expected ":" behind the terrain of the card or "/" and',
    ),
    "half-a-hex": (
        f"{HEADS}1 grass: 4\n",
        ":3:10: unexpected '4': expected a hex, row and column, such as 4,11; a name",
    ),
    "minus": (f"{HEADS}1 grass: -1,4\n", ":3:10: unexpected '-': expected a hex"),
    "note-without-a-hex": (
        f"{HEADS}1 grass: 4,11 +farm\n",
        ':3:20: unexpected end of the line: expected "@" and the hex that a tile is from',
    ),
    "brackets": (
        f"{HEADS}1 grass: (6,8)\n",
        ":3:10: unexpected '(': expected a hex, row and column, such as 4,11; a name",
    ),
    "comment": ("% nothing\n", f":1:1: {NO_GAME}"),
    "board": ("G W\n . 1\n", f":1:1: {NO_GAME}; a board is scored by kb-score score"),
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
    illegal=("16,10 17,9 0,0", "wrong-terrain", "0,0 is grass, the card is canyon"),
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
