// A game on the sheet: what can be done to it, and what is told of it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { bare, clean, findNameFault, sayResult, title } from "../kernel/kb.ts";
import { readGame } from "../sheet/read.ts";
import { makeSheet } from "./sheet.js";

const sheet = makeSheet();

/** Do things to a game, one after the other; returns the game, and what was told last. */
function play(state, ...deeds) {
  let said = "";
  for (const act of deeds) {
    const deed = act(state);
    said = typeof deed === "string" ? deed : (deed.said ?? "");
    if (typeof deed !== "string") state = { ...state, ...deed.change };
  }
  return [state, said];
}
const tap = (place, player) => (state) => sheet.tap(state, place, player);
const stroke = (places, player) => (state) => sheet.stroke(state, places, player);
const begin = () => sheet.begin(["Anna", "Ben"]);

test("a house stands where the rules let it", () => {
  assert.equal(play(begin(), tap(9, 1))[1], "You can’t build on water.");
  assert.equal(play(begin(), tap(180, 1))[1], "You can’t build on a town.");
  const [state, said] = play(begin(), tap(0, 1));
  assert.equal(said, "");
  assert.equal(sheet.symbolsOf(state)[0], "G1");
});

test("nobody has more houses than there are", () => {
  const [full] = play(begin(), tap(0, 1), tap(1, 1), tap(3, 1));
  assert.equal(play(full, tap(4, 1))[1], "Anna has all 3 houses on the board.");
  const [state] = play(full, tap(3, 1), tap(4, 1));
  assert.equal(state.houses.slice(0, 5), "11..1");
});

test("a tap takes a house away, or gives it to another player, who is told", () => {
  const [taken] = play(begin(), tap(0, 1), tap(0, 1));
  assert.equal(taken.houses[0], ".");
  const [state, said] = play(begin(), tap(0, 1), tap(0, 2));
  assert.equal(state.houses[0], "2");
  assert.equal(said, "Anna’s house is now Ben’s.");
});

test("a stroke fills empty hexes alone, and never those of others", () => {
  const [state] = play(begin(), tap(1, 2), stroke([0, 1, 3, 9], 1));
  assert.equal(state.houses.slice(0, 5), "12.1.");
  const [full, said] = play(begin(), stroke([0, 1, 3, 4, 5], 1));
  assert.equal(full.houses.slice(0, 6), "11.1..");
  assert.equal(said, "Anna has all 3 houses on the board.");
  const [other] = play(state, stroke([1, 3, 4], 1));
  assert.equal(other.houses.slice(0, 6), "12.11.");
});

test("a stroke that begins on a house of the player takes away", () => {
  const [state] = play(begin(), tap(0, 1), tap(1, 2), tap(3, 1), stroke([0, 1, 3, 4], 1));
  assert.equal(state.houses.slice(0, 4), ".2..");
});

test("a quadrant that is turned takes away what can no longer stand, and says so", () => {
  const [state, said] = play(begin(), tap(0, 1), tap(187, 2), (now) => sheet.turn(now, 0));
  assert.deepEqual([state.quadrants[0], state.houses[0], state.houses[187]], ["a/180", "1", "."]);
  assert.equal(said, "1 house could not stay there.");
});

test("quadrants change places, and towns have the names of theirs", () => {
  const [state] = play(begin(), (now) => sheet.lay(now, 0, "c"));
  assert.deepEqual(state.quadrants, ["c", "b", "a", "d"]);
  assert.deepEqual(Object.values(sheet.titlesOf(state)), ["c", "b", "a", "d"]);
});

test("three cards are chosen, and no fourth one", () => {
  const choose = (name) => (state) => sheet.choose(state, name);
  const [three, said] = play(begin(), ...["x", "y", "z", "w"].map(choose));
  assert.match(said, /^You have picked 3 cards/);
  const [state] = play(three, choose("x"), choose("w"));
  assert.match(sheet.factsOf(state), / players\(2\)\. chosen\(y\)\. chosen\(z\)\. chosen\(w\)\.$/);
});

test("names are those that kb-score reads: tests/test_web.py has the same cases", () => {
  const file = join(import.meta.dirname, "cases/names.json");
  for (const [typed, shown] of JSON.parse(readFileSync(file, "utf8")))
    assert.equal(clean(typed), shown);
  assert.equal(findNameFault(["Anna", "Anna "]), "Two players are called Anna.");
  assert.equal(findNameFault(["Player 2", ""]), "Two players are called Player 2.");
  assert.match(findNameFault(["player 2", ""]), /is the number of a player/);
  assert.equal(findNameFault(["", ""]), "");
});

test("the text has names and a title as comments", () => {
  const state = { ...sheet.begin(["Anna", ""]), title: "Friday", date: "2026-11-26" };
  assert.deepEqual(sheet.textOf(state).split("\n").slice(0, 2), [
    "% title: Friday, 2026-11-26",
    "% player 1: Anna",
  ]);
});

/** Draw some of a list, in any order. */
const draw = (list, count) =>
  list
    .map((one) => [Math.random(), one])
    .sort()
    .slice(0, count)
    .map(([, one]) => one);

/** Draw a number below another one. */
const pick = (most) => Math.floor(Math.random() * most);

function drawGame() {
  const names = draw(["Anna", "", "Ben: 2", "Zoë", "% x"], 2 + pick(4));
  const quadrants = draw(["a", "b", "c", "d", "e"], 4).map((name) => name + draw(["", "/180"], 1));
  const houses = Array.from({ length: 400 }, () => (pick(20) ? "." : String(1 + pick(3))));
  return sheet.check({
    names,
    title: draw(["", "Friday", "Friday, 2026-11-26, at home", "1: 2% = 3"], 1)[0],
    date: draw(["", "2026-11-26"], 1)[0],
    quadrants,
    cards: draw(["x", "y", "z", "w"], pick(4)),
    houses: houses.join(""),
  });
}

test("a game is read from its text as it was", () => {
  for (let i = 0; i < 200; i += 1) {
    const game = drawGame();
    const text = sheet.textOf(game);
    assert.deepEqual(readGame(sheet, text), game, text);
    assert.deepEqual(readGame(sheet, text.replaceAll("\n", "\r\n")), game);
  }
});

test("a board without comments has as many players as houses, and may be in lowercase", () => {
  const game = { ...play(begin(), tap(0, 1), tap(1, 3))[0], names: ["", "", ""] };
  const board = sheet.textOf(game).replace(/^%.*\n/gm, "");
  assert.deepEqual(readGame(sheet, board.toLowerCase()), { ...game, cards: [] });
  assert.deepEqual(
    readGame(sheet, sheet.textOf({ ...game, houses: begin().houses })).names.length,
    3,
  );
});

test("what can be no game on the sheet is told at its place", () => {
  const text = sheet.textOf({ ...begin(), cards: ["x"] });
  for (const [wrong, says] of [
    [text.replace("player 2", "player 7"), /^line 2, column 10: a game has at most 5 players/],
    [text.replace("players 2", "players 9"), /^line 3, column 38: a game has at most 5 players/],
    [text.replace("cards x", "cards x,q"), /^line 3, column 48: this page has no card q$/],
    [text.replace("cards x", "cards x,y,z,w"), /: a game is played with 3 cards$/],
    [text.replace("G", "Q"), /^line 4, column 1: unexpected 'Q'/],
    [text.replace("G", "W"), /^its top left part is no quadrant that this page knows$/],
    [
      sheet.textOf({ ...begin(), quadrants: ["a", "b", "c", "a/180"] }),
      /^it has the quadrant A twice$/,
    ],
    ["GG\nGG", /^it has 2 rows of 2 hexes, but four quadrants have 20 rows of 20$/],
    ["", /^there is no board here/],
  ])
    assert.throws(() => readGame(sheet, wrong), { message: says });
});

test("what can be no game is refused", () => {
  const kept = begin();
  assert.deepEqual(sheet.check(structuredClone(kept)), kept);
  for (const change of [
    { names: [] },
    { houses: "9".repeat(400) },
    { cards: ["x", "y", "z", "w"] },
    { quadrants: ["a", "a/180", "b", "c"] },
    { date: "today" },
  ])
    assert.throws(() => sheet.check({ ...kept, ...change }), /does not contain a game/);
  for (const wrong of [null, 3, {}]) assert.throws(() => sheet.check(wrong), /does not contain/);
});

test("who has won is told in one sentence", () => {
  assert.deepEqual(sayResult(["Anna"], [51, 40]), ["Anna wins", "by 11 gold"]);
  assert.deepEqual(sayResult(["A", "B", "C"], [4, 4, 4]), ["A, B and C tie", "with 4 gold"]);
  assert.deepEqual(
    [title("my-quadrant"), title("oasis"), bare("farm/180")],
    ["My quadrant", "Oasis", "farm"],
  );
});
