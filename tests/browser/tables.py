"""Games at the table of a page: played by clicks at random, and held against the command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb_score.engine.rules import GameRules
from kb_score.games.kingdom_builder.records import load_names
from tests.browser.pages import follow, pack
from tests.helpers import run

if TYPE_CHECKING:
    from playwright.sync_api import Page

_NAMES = load_names(GameRules("kingdom_builder"))
# Plays a game to its end, by clicks on what the page marks. Returns the milliseconds from clicks to
# the marked hexes, and hexes that are not marked, with what is said of them: so many at the most,
# about one in each five clicks. Half of the clicks are beside nomad tiles, where they can be, and
# most of these are used: they are few, and last for a turn.
_PLAY = """async ([seed, most, nomadTiles]) => {
  let last = seed + 1;
  const random = () => {
    last = (Math.imul(last, 1103515245) + 12345) & 0x7fffffff;
    return (last >> 8) / 2 ** 23;
  };
  const all = (wanted) => [...document.querySelectorAll(wanted)];
  const pick = (from) => from[Math.floor(random() * from.length)];
  const click = (on) => on.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  const listNomads = ({ lying, nomads }) => lying.map(({ hex }) => String(hex))
    .filter((hex) => nomads.some(([space]) => String(space) === hex))
    .map((hex) => hex.split(","))
    .map(([row, column]) => all(`.hex[data-row="${row}"][data-column="${column}"]`)[0]);
  const isNear = (...hexes) => {
    const [one, other] = hexes.map((hex) => hex.getBoundingClientRect());
    return Math.hypot(one.x - other.x, one.y - other.y) < 1.2 * one.width;
  };
  const told = document.getElementById("told");
  const found = { clicks: [], refused: [] };
  for (let steps = 0; ; steps += 1) {
    await kb.settled();
    const state = kb.state;
    if (document.body.dataset.state === "over") return found;
    const isBroken = told.textContent.includes("cannot go on") || steps > 5000;
    if (isBroken) throw new Error(told.textContent);
    const hexes = all(".hex[aria-disabled=false]");
    const tiles = all("[data-tile][aria-disabled=false]");
    const [end] = all("#end-turn[aria-disabled=false]");
    const isPlain = !/^. \\S+\\//.test(state.now.said); // no further card was drawn
    if (isPlain && hexes.length && found.refused.length < most && random() < .2) {
      const hex = pick(all(".hex[aria-disabled=true]"));
      hex.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
      await kb.settled();
      const record = document.getElementById("record").textContent;
      const { said } = state.now;
      if (told.dataset.code) found.refused.push({ record, said, ...told.dataset });
      else if (!told.textContent.includes("another settlement")) throw new Error(told.textContent);
    }
    const isRare = tiles.some(({ dataset }) => nomadTiles.includes(dataset.tile));
    if (tiles.length && (random() < (isRare ? .8 : .3) || (!hexes.length && !end))) {
      click(pick(tiles));
    } else if (end && (!hexes.length || random() < .7)) {
      click(end);
    } else if (hexes.length) {
      const spaces = listNomads(state);
      const isDrawn = spaces.length && random() < .5;
      const beside = isDrawn ? hexes.filter((hex) => spaces.some((on) => isNear(hex, on))) : [];
      const begin = performance.now();
      click(pick(beside.length ? beside : hexes));
      if (kb.state.legal) continue;
      while (!kb.state.legal) await new Promise((done) => setTimeout(done));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      found.clicks.push(performance.now() - begin);
    } else {
      throw new Error(`nothing can be done: ${document.getElementById("turn").textContent}`);
    }
  }
}"""


def open_game(page: Page, state: Mapping[str, object]) -> None:
    """Open a game at the table, by a link."""
    kept = ("seed", "board", "players", "names", "queenies", "cards", "lines", "now")
    follow(page, f"#game={pack({key: state[key] for key in kept if key in state})}")


def play_at_random(page: Page, seed: int, most: int = 0) -> dict[str, Any]:
    """Play the game of a page to its end; see what the program above returns."""
    found: dict[str, Any] = page.evaluate(_PLAY, [seed, most, list(_NAMES.nomads)])
    return found


def list_used(record: str) -> list[str]:
    """List the tiles that are used in a record, as often as they are."""
    turns = (line.partition(": ")[2] for line in record.splitlines() if line[:1].isdigit())
    actions = (action.split(" ")[0] for turn in turns for action in turn.split("; "))
    return [word.replace("-", "_") for word in actions if word[:1].isalpha()]


def read_totals(page: Page) -> list[int]:
    """Read the gold of each player from the page's table."""
    cells = page.locator("#players tbody tr > :nth-child(2)").all_inner_texts()
    return list(map(int, cells))


def check_record(page: Page, folder: Path, options: Sequence[str] = ()) -> dict[str, Any]:
    """Check the record of a page by the command; returns the verdict."""
    path = folder / "record.txt"
    path.write_text(page.text_content("#record") or "", encoding="utf-8")
    ran = run("check", "kingdom-builder", path, *options, "--format", "json")
    assert ran.status == 0, ran.out
    verdict: dict[str, Any] = ran.json[0]
    return verdict


def ask_command(refused: Mapping[str, str], folder: Path, options: Sequence[str] = ()) -> str:
    """Ask ``legal --move`` about what the page has refused; returns the code."""
    path = folder / "before.txt"
    path.write_text(refused["record"], encoding="utf-8")
    (card, after), move = refused["said"][2:].split(":", 1), refused["move"]
    done, last = [part.strip() for part in after.split(";")], after.split(";")[-1].strip()
    if last and move.startswith(f"{last} ") and not last[0].isdigit():
        done.pop()  # the move goes on with it
    said = ["--after", "; ".join(done)] if any(done) else []
    words = ("--terrain", card, *said, "--move", move, *options)
    ran = run("legal", "kingdom-builder", path, *words, "--format", "json")
    found = json.loads(ran.out)
    return str(found.get("code", "legal"))
