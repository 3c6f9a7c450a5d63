// The game that the sheet puts together, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bare, SheetGame, title } from "../src/sheet_game.js";

const SYMBOLS = [[".", null], ["G", ["terrain", "grass"]], ["W", ["terrain", "water"]], ["L", ["terrain", "town"]], ["1", ["settlement", "1"]], ["2", ["settlement", "2"]], ["#", ["wall"]]];
const ROWS = ["GGGGGGGGGW", ...Array(8).fill("GGGGGGGGGG"), "LGGGGGGGGG"];
const turn = (rows) => rows.map((row) => [...row].reverse().join("")).reverse();
const data = {
  symbols: SYMBOLS, pairs: ["G1", "G2"], town: "L", dealt: 3, land: ["G"], players: [2, 5], most: 3,
  looks: ["grass", "water", "town"].map((name) => ({ name })), numbers: { G: 1, W: 2, L: 3 },
  quadrants: ["a", "b", "c", "d", "e"].map((name) => ({ name, expansion: "", rows: ROWS, turned: turn(ROWS) })),
  cards: ["x", "y", "z", "w"].map((name, i) => ({ name, number: i + 1, text: "" })),
};

test("a settlement stands where the rules let it", () => {
  const game = new SheetGame(data);
  assert.equal(game.put(0, 1), "");
  assert.equal(game.put(9, 1), "You can\u2019t build on water.");
  assert.equal(game.put(180, 1), "You can\u2019t build on a town.");
  assert.equal(game.count(1), 1);
  assert.equal(game.rows[0][0], "G1");
});

test("nobody has more settlements than there are", () => {
  const game = new SheetGame(data);
  for (const place of [0, 1, 2]) game.put(place, 1);
  assert.equal(game.put(3, 1), "Player 1 has all 3 houses on the board.");
  assert.equal(game.put(2, 1), ""); // it stands there already
  assert.equal(game.put(2, 0), "");
  assert.equal(game.put(3, 1), "");
});

test("what was done is undone stroke by stroke", () => {
  const game = new SheetGame(data);
  for (const place of [0, 1]) {
    game.remember();
    game.put(place, 2);
  }
  game.undo();
  assert.equal(game.count(2), 1);
  game.undo();
  game.undo();
  assert.equal(game.count(2), 0);
});

test("a quadrant that is turned takes away what can no longer stand", () => {
  const game = new SheetGame(data);
  game.put(90 * 2 + 9, 1); // where the town's corner is when it is turned
  game.put(0, 2);
  game.turn(0);
  assert.equal(game.state.quadrants[0], "a/180");
  assert.equal(game.at(9), 0);
  assert.equal(game.grounds[9], "L");
  game.put(5, 1);
  game.turn(0);
  assert.equal(game.state.quadrants[0], "a");
  assert.equal(game.at(5), 1);
});

test("quadrants change places, and towns have the names of theirs", () => {
  const game = new SheetGame(data);
  game.lay(0, "c");
  assert.deepEqual(game.state.quadrants, ["c", "b", "a", "d"]);
  assert.deepEqual(Object.values(game.titles), ["c", "b", "a", "d"]);
});

test("three cards are chosen, and no fourth one", () => {
  const game = new SheetGame(data);
  for (const name of ["x", "y", "z"]) assert.equal(game.choose(name), "");
  assert.match(game.choose("w"), /^You have picked 3 cards/);
  game.choose("x");
  assert.equal(game.choose("w"), "");
  assert.match(game.facts, / players\(2\)\. chosen\(y\)\. chosen\(z\)\. chosen\(w\)\.$/);
});

test("the text has names and a title as comments", () => {
  const game = new SheetGame(data);
  game.rename(1, "Anna\n<b>");
  game.state.title = "Friday";
  game.state.date = "2026-11-26";
  assert.deepEqual(game.text.split("\n").slice(0, 2), ["% title: Friday, 2026-11-26", "% player 1: Annab"]);
  assert.deepEqual(game.findTwins(), []);
  game.rename(2, "Annab ");
  assert.deepEqual(game.findTwins(), ["Annab"]);
});

test("what was kept comes back, and nothing else does", () => {
  const game = new SheetGame(data);
  game.put(0, 1);
  const kept = JSON.parse(JSON.stringify(game.state));
  const other = new SheetGame(data);
  other.take(kept);
  assert.deepEqual(other.state, kept);
  for (const wrong of [null, 3, {}, { ...kept, names: [] }, { ...kept, houses: "9".repeat(400) }, { ...kept, cards: ["x", "y", "z", "w"] }]) {
    assert.throws(() => other.take(wrong), /it does not contain a game for this page/);
  }
});

test("names are written as people write them", () => {
  assert.deepEqual([title("my-quadrant"), title("oasis"), bare("farm/180")], ["My quadrant", "Oasis", "farm"]);
});
