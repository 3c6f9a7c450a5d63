// Rules of a changed file, traced in the page: they are to be those that the command writes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { traceFile } from "../mirror/trace.ts";

const trace = (text) => traceFile({ name: "x.lp", text }, 1);

test("a rule says with which values it applies", () => {
  const [clause] = trace("gold(miners,P,hex(R,C),1) :- settlement(P,R,C), not wet(R,C).\n");
  assert.deepEqual(clause.rules, [
    "why'(1,gold(miners,P,hex(R,C),1),(P,R,C),(settlement(P,R,C),wet(R,C))) :- settlement(P,R,C); not wet(R,C).",
  ]);
  assert.deepEqual(clause.asks, ["settlement/3", "wet/2"]);
  assert.equal(clause.chosen, false);
});

test("of a choice only what was chosen is traced", () => {
  const clauses = trace("{ a(X) : b(X) } = 1 :- c(Y).\nd(X) ; e(X) :- f(X).\n");
  assert.deepEqual(
    clauses.map(({ rules }) => rules[0]),
    [
      "why'(1,a(X),(X,Y),(b(X),c(Y))) :- b(X); c(Y); a(X).",
      "why'(2,d(X),(X,),(f(X),)) :- f(X); d(X).",
      "why'(3,e(X),(X,),(f(X),)) :- f(X); e(X).",
    ],
  );
  assert.ok(clauses.every(({ chosen }) => chosen));
  assert.deepEqual(clauses[0].asks, ["b/1", "c/1", "a/1"]);
});
