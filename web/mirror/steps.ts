/* Steps counted as turns, as people do: what rules derive of the steps of a record. */

import type { Row, Rows, Signature } from "./terms.ts";

/**
 * The rows of an answer with turns in place of steps; `turnOf` has the turn of each step, if the rules count steps.
 * Of what the steps of one turn draw at a place, or say under a label, the last counts.
 */
export function countTurns(rows: Rows, turnOf: number[]): Rows {
  if (!turnOf.length) return rows;
  const last = turnOf[turnOf.length - 1];
  const count = (step: number) => (step > turnOf.length ? last + 1 : step && turnOf[step - 1]);
  const map = (key: Signature, change: (found: Row[]) => Row[]) => {
    if (rows[key]) counted[key] = change(rows[key]);
  };
  const counted: Rows = { ...rows };
  map("pictures/2", (found) => found.map((row) => row.map(count) as Row));
  for (const key of ["violation/4", "pictured/1", "caption/2", "points/3"] as const) {
    map(key, (found) =>
      found.map((row) => {
        const [step, ...rest] = row;
        return Object.assign([count(step), ...rest], { text: row.text });
      }),
    );
  }
  for (const key of ["paints/4", "tally/3"] as const) map(key, (found) => keepLast(found, count));
  return counted;
}

/** Of the rows of each turn and place, those of the last step. */
function keepLast(found: Row[], count: (step: number) => number): Row[] {
  const kept: Map<string, { step: number; rows: Row[] }> = new Map();
  for (const [step, ...rest] of found) {
    const place = JSON.stringify([count(step), ...rest.slice(0, -1)]);
    const known = kept.get(place) ?? { step, rows: [] };
    if (step < known.step) continue;
    const before = known.step === step ? known.rows : [];
    kept.set(place, { step, rows: [...before, [count(step), ...rest] as Row] });
  }
  return [...kept.values()].flatMap(({ rows }) => rows);
}
