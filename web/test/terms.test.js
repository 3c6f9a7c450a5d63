// Atoms as clingo prints them, and links: what needs no page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pack, unpack } from "../kernel/link.ts";
import { checkFile } from "../mirror/program.ts";
import { listHeads } from "../mirror/rules.ts";
import { joinNames } from "../kernel/kb.ts";
import { sayWinners } from "../parts/scores.ts";
import { parseAtom, readAtoms, write, writeSentence } from "../mirror/terms.ts";

test("an atom is read and written again", () => {
  for (const text of ["gold(miners,1,hex(0,2),1)", "p", "-q(-3)", "t((1,2))", "why(#sup,#inf)"])
    assert.equal(write(parseAtom(text)), text);
  assert.deepEqual(
    readAtoms(["a(1,x)", "a(2,y)"])["a/2"].map(([number, word]) => [number, word]),
    [
      [1, "x"],
      [2, "y"],
    ],
  );
  assert.throws(() => parseAtom("p(1"), /not an atom/);
});

test("a detail becomes a sentence", () => {
  assert.equal(
    writeSentence(parseAtom('(player,2,"has built",3,"more than allowed",at,(1,2))')),
    "player 2 has built 3 more than allowed at 1,2",
  );
});

test("a link holds any state, and a cut one is told", async () => {
  const state = { board: "1 .\n", names: ["Ä", "\u{1F3E0}"] };
  const text = await pack(state);
  assert.match(text, /^[\w-]+$/);
  assert.deepEqual(await unpack(text), state);
  await assert.rejects(unpack(text.slice(0, -4)), /incomplete/);
});

test("a rule without its full stop is told before clingo is asked", () => {
  assert.deepEqual(
    checkFile({ name: "a.lp", text: "p :- q", isNew: true }).map(({ text }) => text),
    ["the last rule is missing its full stop"],
  );
  assert.deepEqual(checkFile({ name: "a.lp", text: "% p\np. %* c *%", isNew: true }), []);
});

test("the heads of rules are found as by the command: tests/test_web.py has the same cases", () => {
  const file = join(import.meta.dirname, "cases/heads.json");
  for (const [text, heads] of JSON.parse(readFileSync(file, "utf8"))) {
    const found = new Set([...listHeads(text)].map(([predicate]) => predicate));
    assert.equal([...found].sort().join(" "), heads);
  }
  // What is being written may be no rule yet.
  for (const text of ["; .", "{ . a", "a( :- b.", "}.", "#count."]) assert.ok([...listHeads(text)]);
});

test("a head of one of our rules is refused in a new file", () => {
  const file = { name: "mine.lp", text: "p(1).\ninner(R,C) :- hex(R,C).\n", isNew: true };
  const [refused] = checkFile(file, { "inner/2": "board.lp" });
  assert.match(refused.text, /^our rules already derive inner\/2, in board.lp/);
  assert.deepEqual([refused.line, refused.column], [2, 0]);
  assert.deepEqual(checkFile({ ...file, isNew: false }, { "inner/2": "board.lp" }), []);
});

test("who has won is told in one sentence", () => {
  assert.equal(joinNames(["Anna", "Ben", "Cleo"]), "Anna, Ben and Cleo");
  assert.equal(sayWinners(["player 1", "player 2"], 29), "Player 1 and player 2 tie with 29 gold.");
  assert.equal(sayWinners(["Ben"], 7), "Ben wins with 7 gold.");
});
