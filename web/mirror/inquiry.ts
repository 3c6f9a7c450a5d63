/* What rests on what: traced rules say with which values they apply, and what their sums count. */

import { groupBy } from "../kernel/dom.ts";
import type { ClauseData, ElementPart } from "../data.d.ts";
import type { Term, Compound } from "./terms.ts";
import { compare, parseAtom, spell, takeIn } from "./terms.ts";

/** A rule with the values of its variables, as a tuple, as texts, and by name, and with the terms of its conditions; null for a
 * condition without a term. */
export type Step = {
  clause: ClauseData;
  own: Compound;
  said: Compound;
  row: string;
  values: Map<string, string>;
  terms: (Term | null)[];
  restsOn: string[];
};

/** An element that counts in a sum: the tuple, the conditions, the values of their variables, and their terms. */
type Counted = {
  text: string;
  parts: ElementPart[];
  values: Map<string, string>;
  terms: Term[];
};

const NONE = "none'";
// The level of an atom that follows only from itself.
const NEVER = Infinity;

/** Atoms as facts, in which numbers that follow each other at the end are an interval: what stands through many steps is one
 * line. A program of more than some 1 MB is more than the solver can be given. */
function pool(atoms: string[]): string[] {
  const numbers: Map<string, number[]> = new Map();
  const facts: string[] = [];
  for (const text of atoms) {
    const [, begin, last] = /^(.*[(,])(\d+)\)$/s.exec(text) ?? [];
    if (begin === undefined) facts.push(`${text}.`);
    else add(numbers, begin, Number(last));
  }
  for (const [begin, all] of numbers) {
    all.sort((a, b) => a - b);
    for (let at = 0; at < all.length;) {
      const from = all[at];
      while (all[at + 1] === all[at] + 1) at += 1;
      facts.push(`${begin}${from === all[at] ? from : `${from}..${all[at]}`}).`);
      at += 1;
    }
  }
  return facts;
}

export class Inquiry {
  clauses: Map<string, ClauseData[]>;
  solve: (program: string) => Promise<string[]>;
  /** The predicates whose rules have said their reasons. */
  traced: Set<string> = new Set();
  /** All steps that give an atom. */
  steps: Map<string, Step[]> = new Map();
  /** What counts, by rule, place in it, and values. */
  counted: Map<string, Term[][]> = new Map();
  /** The step to tell of each atom, null if it depends on itself. */
  chosen: Map<string, Step | { clause: null }> = new Map();
  /** In how few steps an atom follows. */
  levels: Map<string, number> = new Map();
  given: Set<string> = new Set();
  atoms: Map<string, string[]> = new Map();

  /** `solve` gives the atoms that a program shows. */
  constructor(clauses: ClauseData[], solve: (program: string) => Promise<string[]>) {
    this.clauses = groupBy(clauses, ({ name }) => name);
    this.solve = solve;
  }

  /** Take what holds: all atoms, and those that are facts. */
  take(atoms: string[], given: string[]) {
    this.given = new Set(given);
    this.atoms = groupBy(atoms, (text) => takeIn(text).name);
  }

  /** The first rule that gives an atom, with its least values; null for a fact. */
  async choose(atom: { name: string; text: string }) {
    if (!this.traced.has(atom.name)) await this.trace(atom.name);
    if (this.given.has(atom.text)) return null;
    const chosen = this.chosen.get(atom.text) ??
      this.list(atom.text).find((step) => this.leadsDown(atom.text, step)) ?? { clause: null };
    this.chosen.set(atom.text, chosen);
    return chosen;
  }

  /** What counts in the sum at a place of a rule, in clingo's order of terms, each tuple once. */
  count({ clause, values, row }: Step, at: number) {
    const found: Map<string, Counted> = new Map();
    for (const [key, number, own, terms] of (
      this.counted.get(`${clause.number} ${at} ${row}`) ?? []
    ).sort(compareAll)) {
      const text = spell(key);
      const { names, parts } = clause.parts[at].elements[Number(number)];
      const known = new Map(values);
      names.forEach((name, i) => known.set(name, spell(argsOf(own)[i])));
      if (!found.has(text)) found.set(text, { text, parts, values: known, terms: argsOf(terms) });
    }
    return [...found.values()];
  }

  /** Let the rules say their reasons that lead to a predicate. */
  async trace(name: string) {
    const clauses: ClauseData[] = [];
    const open = [name];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (this.traced.has(one)) continue;
      this.traced.add(one);
      clauses.push(...(this.clauses.get(one) ?? []));
      open.push(...(this.clauses.get(one) ?? []).flatMap(({ asks }) => asks));
    }
    const about = new Set(clauses.flatMap(({ asks }) => asks));
    const facts = [...about].flatMap((asked) => pool(this.atoms.get(asked) ?? []));
    const rules = clauses.flatMap((clause) => clause.rules);
    const numbered = new Map(clauses.map((clause) => [clause.number, clause]));
    for (const text of await this.solve(
      [...facts, ...rules, "#show why'/4. #show counts'/7.\n"].join("\n"),
    )) {
      const {
        name: kind,
        args: [number, ...said],
      } = parseAtom(text);
      const clause = numbered.get(Number(number));
      if (kind !== "why'")
        add(this.counted, `${number} ${said[0]} ${spell(said[1])}`, said.slice(2));
      else if (clause)
        add(this.steps, spell(said[0]), makeStep(clause, toTuple(said[1]), toTuple(said[2])));
    }
    for (const steps of this.steps.values()) {
      steps.sort(
        (a, b) =>
          a.clause.number - b.clause.number || compare(a.own, b.own) || compare(a.said, b.said),
      );
    }
  }

  /** The steps that give an atom. */
  list(text: string) {
    return this.given.has(text) ? [] : (this.steps.get(text) ?? []);
  }

  /** Whether a step that gives an atom does not rest on the atom itself: its atoms follow in fewer steps, or do not rest on it. */
  leadsDown(text: string, step: Step) {
    if (!this.levels.has(text)) this.setLevels(text);
    const level = this.levels.get(text) ?? NEVER;
    return step.restsOn.every(
      (other) => (this.levels.get(other) ?? NEVER) < level || !this.mayRestOn(other, text),
    );
  }

  /** Whether an atom may rest on another one, by any of its rules. */
  mayRestOn(start: string, text: string) {
    const found = new Set([start]);
    for (const one of found) {
      if (one === text) return true;
      for (const { restsOn } of this.list(one)) for (const other of restsOn) found.add(other);
    }
    return false;
  }

  /** Compute the fewest steps in which each atom follows that an atom may rest on. */
  setLevels(start: string) {
    /** The atoms that follow, by their levels. */
    const ready: string[][] = [];
    const put = (level: number, text: string) => (ready[level] ??= []).push(text);
    /** By an atom: the steps that wait for it. */
    const waiting: Map<string, [string, Set<string>][]> = new Map();
    const found = new Set([start]);
    for (const text of found) {
      const level = this.given.has(text) ? 0 : this.levels.get(text);
      if (level !== undefined) {
        put(level, text);
        continue;
      }
      for (const { restsOn } of this.list(text)) {
        const step: [string, Set<string>] = [text, new Set(restsOn)];
        if (!restsOn.length) put(1, text);
        for (const other of step[1]) {
          add(waiting, other, step);
          found.add(other);
        }
      }
    }
    const done = new Set();
    for (let level = 0; level < ready.length; level += 1) {
      for (const text of ready[level] ?? []) {
        if (done.has(text)) continue;
        done.add(text);
        this.levels.set(text, level);
        for (const [head, needed] of waiting.get(text) ?? []) {
          needed.delete(text);
          if (!needed.size) put(level + 1, head);
        }
      }
    }
  }
}

function add<T>(found: Map<string, T[]>, key: string, value: T) {
  const values = found.get(key);
  if (values) values.push(value);
  else found.set(key, [value]);
}

const toTuple = (term: Term) => (typeof term === "object" ? term : { name: "", args: [] });
const argsOf = (term: Term) => toTuple(term).args;

const compareAll = (a: Term[], b: Term[]) =>
  a.reduce((before: number, value, i) => before || compare(value, b[i]), 0);

function makeStep(clause: ClauseData, own: Compound, said: Compound): Step {
  const terms = said.args.map((term) =>
    typeof term === "object" && term.name === NONE ? null : term,
  );
  const restsOn = clause.parts.flatMap(({ kind }, i) =>
    kind === "atom" ? [spell(said.args[i])] : [],
  );
  const values = new Map(clause.names.map((name, i) => [name, spell(own.args[i])]));
  return { clause, own, said, row: spell(own), values, terms, restsOn };
}
