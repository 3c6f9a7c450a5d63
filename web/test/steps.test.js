// Steps are counted as the command counts them: tests/test_web.py holds it against the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countTurns } from "../mirror/steps.ts";

const cases = JSON.parse(readFileSync(join(import.meta.dirname, "cases/steps.json"), "utf8"));
const sort = (rows) => rows.map((row) => JSON.stringify(row)).sort();

for (const { about, turnOf, rows, counted } of cases) {
  test(about, () => {
    const found = countTurns(rows, turnOf);
    for (const key of Object.keys(counted)) assert.deepEqual(sort(found[key]), sort(counted[key]));
  });
}
