// Trees of reasons are those of the command: tests/reasons/test_why.py holds it against the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Inquiry } from "../mirror/inquiry.ts";
import { traceFile } from "../mirror/trace.ts";
import { describe, listShown, sayLeftOut, Tree } from "../mirror/tree.ts";
import { squeeze, startClingo } from "./clingo.js";

const cases = readFileSync(join(import.meta.dirname, "cases/trees.txt"), "utf8");
const solve = await startClingo();

/** The rules, facts and limits of a case, and its questions, each with the lines of its tree. */
function readCase(text) {
  const [heading, ...lines] = text.trim().split("\n");
  const found = { heading, rules: [], facts: "", required: "", depth: 9, width: 9, asked: [] };
  for (const line of lines) {
    const [, word, rest] = line.match(/^(\S*) ?(.*)$/s);
    if (word === "given") found.facts = rest;
    else if (word === "required") found.required = `:- not ${rest}.`;
    else if (word === "depth" || word === "width") found[word] = Number(rest);
    else if (word === "why") found.asked.push({ atom: rest, facts: found.facts, tree: [] });
    else if (word === "") found.asked.at(-1).tree.push(line.slice(2));
    else found.rules.push(line);
  }
  return found;
}

/** What atoms mean, by the documentation in the rules. */
function readMeanings(rules) {
  const blocks = rules.matchAll(/%\*! (\w+)(?:\((.*?)\))?: (.*?)[.;] /g);
  return Object.fromEntries(
    [...blocks].map(([, name, inner, sentence]) => {
      const names = inner ? inner.split(",") : [];
      return [`${name}/${names.length}`, [names, sentence]];
    }),
  );
}

/** A tree as the command prints one. */
function write(node) {
  const below = listShown(node).map(write);
  if (node.leftOut) below.push([sayLeftOut(node)]);
  const branches = below.flatMap((lines, i) => {
    const [first, others] = i < below.length - 1 ? ["├─ ", "│  "] : ["└─ ", "   "];
    return lines.map((line, j) => (j ? others : first) + line);
  });
  return [describe(node), ...branches];
}

for (const text of cases.split("\n\n")) {
  const { heading, rules, required, depth, width, asked } = readCase(text);
  // The page does not say why an atom does not hold.
  const answered = asked.filter(({ atom }) => !atom.startsWith("not "));
  if (!answered.length) continue;
  test(`a tree: ${heading.slice(2)}`, async () => {
    const program = rules.join("\n");
    const constants = program.match(/^#const .*$/gm)?.join("\n") ?? "";
    const clauses = traceFile({ name: "line", text: program }, 0);
    for (const { atom, facts, tree } of answered) {
      const inquiry = new Inquiry(clauses, (traced) => solve(`${constants}\n${traced}`));
      inquiry.take(await solve(`${facts}\n${program}\n${required}`), await solve(facts));
      const reasons = new Tree(inquiry, { depth, width, says: readMeanings(program) });
      const lines = write(await reasons.explain(atom));
      const written = lines.map((line) => line.replace(/\bline:/g, "line "));
      assert.deepEqual(written.map(squeeze), tree.map(squeeze));
    }
  });
}
