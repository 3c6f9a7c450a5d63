// Rules of a changed file are traced as the command traces them: tests/test_web.py holds it against the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { traceFile } from "../mirror/trace.ts";
import { squeeze } from "./clingo.js";

const cases = JSON.parse(readFileSync(join(import.meta.dirname, "cases/traces.json"), "utf8"));

const write = ({ kind, operator, text }) => [kind, operator, text].filter(Boolean).join(" ");

/** The conditions of a traced rule, each with those of its elements below it. */
const listParts = ({ parts }) =>
  parts.flatMap((part) => {
    const inner = part.elements.flatMap((element) => element.parts);
    return [write(part), ...inner.map((one) => `- ${write(one)}`)];
  });

for (const { about, text, clauses } of cases) {
  test(`what is traced: ${about}`, () => {
    const traced = traceFile({ name: "x.lp", text: text.join("\n") }, 0).map((clause) => {
      const { name, line, rule, note, chosen, asks, rules } = clause;
      return {
        ...{ name, line, rule, note, chosen },
        asks: asks.toSorted().join(" "),
        parts: listParts(clause).map(squeeze),
        rules: rules.map(squeeze),
      };
    });
    const usual = { line: 1, rule: text[0], note: "", chosen: false };
    const expected = clauses.map((clause) => ({
      ...{ ...usual, ...clause },
      parts: clause.parts.map(squeeze),
      rules: clause.rules.map(squeeze),
    }));
    assert.deepEqual(traced, expected);
  });
}

test("a condition that lifting a rule to all turns has added is marked", () => {
  const text = "a(Turn') :- b(Turn'); turn(Turn').\nc(Turn') :- d(Turn'); opened(Turn').\n";
  const found = traceFile({ name: "x.lp", text }, 0).map(({ parts }) =>
    parts.map(({ added }) => added),
  );
  assert.deepEqual(found, [
    [false, true],
    [false, true],
  ]);
});
