"""The front page of the site: what one can do, and a game to try the rules on."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from pathlib import Path

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.check import follow_game
from kb_score_site.links import REFERENCE

_GAME = Path("boards/kingdom_builder/games/base.txt")
_DOORS = (
    ("sheet", "Score a game", "At the table, on a phone: tap the houses, and see who won."),
    ("tabletop", "Play", "Against people or bots; the rules show where you may build."),
    ("playground", "Change a rule", "Edit a card, and watch the gold of every player follow."),
)


def write_front(root: Path) -> str:
    """Return the beginning of the front page; ``root`` is the project's folder."""
    doors = "\n".join(
        f'<a class="door" href="{REFERENCE}/{page}.html">'
        f'<img src="_static/{page}.png" alt="" width="640" height="400">'
        f"<b>{title}</b> <span>{text}</span></a>"
        for page, title, text in _DOORS
    )
    return f"""# Who won?

<p class="lead">Score Kingdom Builder in five minutes, with the reason for every point.</p>

<div class="doors">
{doors}
</div>

<iframe class="playground" src="{REFERENCE}/playground.html?compact#kb1={_pack(root)}" \
title="A board to change, its gold and a rule" loading="lazy"></iframe>

<p>Click on the board, or change the rule: the gold follows.</p>"""


def _pack(root: Path) -> str:
    """Write the last board of a game as a link of the playground holds it."""
    text = (root / _GAME).read_text(encoding="utf-8")
    replay = follow_game(GameRules("kingdom_builder"), (_GAME.name, text))
    # A plus is where one could have built.
    (rows, columns), cells = replay.size, replay.at(replay.last).cells
    board = "".join(
        " " * (row % 2)
        + " ".join(f"{cells[row, column].rstrip('+'):2}" for column in range(columns)).rstrip()
        + "\n"
        for row in range(rows)
    )
    state = {"board": board, "files": {}, "cards": ["lords", "miners", "knights"]}
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return urlsafe_b64encode(packed).decode().rstrip("=")
