// Turns are read as the command reads them: tests/test_web.py holds it against the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readTurns } from "../mirror/turns.ts";

const cases = JSON.parse(readFileSync(join(import.meta.dirname, "cases/turns.json"), "utf8"));
const terrains = ["canyon", "desert", "flower", "forest", "grass", "mountain", "water"];

test("the turns of a record become the facts that the command makes of it", () => {
  for (const { players, turns, atoms } of cases) {
    const { facts } = readTurns(turns, { terrains, players });
    const found = [...new Set(facts.split(/\.(?: |$)/).filter(Boolean))].sort();
    assert.deepEqual(found, atoms.split(" ").sort());
  }
});
