// @ts-check
/* What rests on what: traced rules say with which values they apply, and what their sums count. */

import { compare, parseAtom, spell, takeIn } from "./terms.js";

/**
 * @typedef {import("./data.js").Clause} Clause
 * @typedef {import("./terms.js").Term} Term
 * @typedef {import("./terms.js").Compound} Compound
 *
 * A rule with values: those of its variables, as a tuple, spelt, and by name; and what its conditions say, null for what
 * says nothing.
 * @typedef {{clause: Clause, own: Compound, said: Compound, row: string, values: Map<string, string>,
 *   terms: (Term | null)[], restsOn: string[]}} Step
 *
 * What counts in a sum: the tuple, the conditions, the values of their variables, and what they say.
 * @typedef {{text: string, parts: import("./data.js").ElementPart[], values: Map<string, string>, terms: Term[]}} Counted
 */

const NONE = "none'";
// The level of what follows only from itself.
const NEVER = Infinity;

export class Inquiry {
  /** @param {Clause[]} clauses @param {(program: string) => Promise<string[]>} solve gives the atoms that a program shows */
  constructor(clauses, solve) {
    this.clauses = Map.groupBy(clauses, ({ name }) => name);
    this.solve = solve;
    /** The predicates whose rules have said their reasons. @type {Set<string>} */
    this.traced = new Set();
    /** All steps that give an atom. @type {Map<string, Step[]>} */
    this.steps = new Map();
    /** What counts, by rule, place in it, and values. @type {Map<string, Term[][]>} */
    this.counted = new Map();
    /** The step to tell of each atom, null if it holds only together with itself. @type {Map<string, Step | {clause: null}>} */
    this.chosen = new Map();
    /** Which ring of atoms that rest on each other an atom is in. @type {Map<string, number>} */
    this.rings = new Map();
    /** How early an atom of a ring follows. @type {Map<string, number>} */
    this.levels = new Map();
    /** @type {Set<string>} */
    this.given = new Set();
    /** @type {Map<string, string[]>} */
    this.atoms = new Map();
  }

  /** Take what holds: all atoms, and those that are facts. @param {string[]} atoms @param {string[]} given */
  take(atoms, given) {
    this.given = new Set(given);
    this.atoms = Map.groupBy(atoms, (text) => takeIn(text).name);
  }

  /** The first rule that gives an atom, with its least values; null for a fact. @param {{name: string, text: string}} atom */
  async choose(atom) {
    if (!this.traced.has(atom.name)) await this.trace(atom.name);
    if (this.given.has(atom.text)) return null;
    const chosen = this.chosen.get(atom.text) ?? this.list(atom.text).find((step) => this.leadsDown(atom.text, step)) ?? { clause: null };
    this.chosen.set(atom.text, chosen);
    return chosen;
  }

  /** What counts in the sum at a place of a rule, in clingo's order of terms, each tuple once. @param {Step} step @param {number} at */
  count({ clause, values, row }, at) {
    /** @type {Map<string, Counted>} */
    const found = new Map();
    for (const [key, number, own, terms] of (this.counted.get(`${clause.number} ${at} ${row}`) ?? []).sort(compareAll)) {
      const text = spell(key);
      const { names, parts } = clause.parts[at].elements[Number(number)];
      const known = new Map(values);
      names.forEach((name, i) => known.set(name, spell(argsOf(own)[i])));
      if (!found.has(text)) found.set(text, { text, parts, values: known, terms: argsOf(terms) });
    }
    return [...found.values()];
  }

  /** Let the rules say their reasons that lead to a predicate. @param {string} name */
  async trace(name) {
    /** @type {Clause[]} */
    const clauses = [];
    const open = [name];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (this.traced.has(one)) continue;
      this.traced.add(one);
      clauses.push(...(this.clauses.get(one) ?? []));
      open.push(...(this.clauses.get(one) ?? []).flatMap(({ asks }) => asks));
    }
    const about = new Set(clauses.flatMap(({ asks }) => asks));
    const facts = [...about].flatMap((asked) => (this.atoms.get(asked) ?? []).map((text) => `${text}.`));
    const rules = clauses.flatMap((clause) => clause.rules);
    const numbered = new Map(clauses.map((clause) => [clause.number, clause]));
    for (const text of await this.solve([...facts, ...rules, "#show why'/4. #show counts'/7.\n"].join("\n"))) {
      const { name: kind, args: [number, ...said] } = parseAtom(text);
      const clause = numbered.get(Number(number));
      if (kind !== "why'") add(this.counted, `${number} ${said[0]} ${spell(said[1])}`, said.slice(2));
      else if (clause) add(this.steps, spell(said[0]), makeStep(clause, toTuple(said[1]), toTuple(said[2])));
    }
    for (const steps of this.steps.values()) {
      steps.sort((a, b) => a.clause.number - b.clause.number || compare(a.own, b.own) || compare(a.said, b.said));
    }
  }

  /** The steps that give an atom. @param {string} text */
  list(text) { return this.given.has(text) ? [] : this.steps.get(text) ?? []; }

  /** A step of an explanation leads to what was there before, lest it goes in a circle. @param {string} text @param {Step} step */
  leadsDown(text, step) {
    if (!this.rings.has(text)) this.findRings(text);
    const level = this.levels.get(text) ?? NEVER;
    const others = step.restsOn.filter((other) => this.rings.get(other) === this.rings.get(text));
    return others.every((other) => (this.levels.get(other) ?? NEVER) < level);
  }

  /** Find which atoms rest on each other, from one down, by Tarjan's algorithm. @param {string} start */
  findRings(start) {
    /** @type {Map<string, number>} */
    const order = new Map();
    /** @type {Map<string, number>} */
    const low = new Map();
    /** @param {string} text */
    const lowOf = (text) => low.get(text) ?? NEVER;
    /** @type {string[]} */
    const stack = [];
    /** @type {[string, string[]][]} */
    const open = [];
    /** @type {string | null} */
    let entering = start;
    for (;;) {
      if (entering) {
        low.set(entering, order.size);
        order.set(entering, order.size);
        stack.push(entering);
        open.push([entering, this.list(entering).flatMap(({ restsOn }) => restsOn)]);
      }
      const [text, others] = open.at(-1) ?? [];
      if (text === undefined || !others) return;
      let other = others.pop();
      while (other && this.rings.has(other)) other = others.pop();
      entering = other && !order.has(other) ? other : null;
      if (entering) continue;
      if (other) {
        low.set(text, Math.min(lowOf(text), order.get(other) ?? NEVER));
        continue;
      }
      open.pop();
      const [above] = open.at(-1) ?? [];
      if (above !== undefined) low.set(above, Math.min(lowOf(above), lowOf(text)));
      if (low.get(text) === order.get(text)) this.setLevels(stack.splice(stack.lastIndexOf(text)));
    }
  }

  /** Each atom of a ring follows as early as it can: count what its rules still wait for. @param {string[]} ring */
  setLevels(ring) {
    const number = this.rings.size;
    for (const text of ring) this.rings.set(text, number);
    /** @param {string} text @param {Step} step @returns {[string, Set<string>]} */
    const wait = (text, { restsOn }) => [text, new Set(restsOn.filter((other) => this.rings.get(other) === number))];
    const waiting = ring.flatMap((text) => this.list(text).map((step) => wait(text, step)));
    /** @type {Map<string, [string, Set<string>][]>} */
    const asking = new Map();
    for (const rule of waiting) for (const other of rule[1]) add(asking, other, rule);
    let ready = waiting.filter(([, needed]) => !needed.size).map(([head]) => head);
    for (let level = 0; ready.length; level += 1) {
      const now = [...new Set(ready)].filter((text) => !this.levels.has(text));
      for (const text of now) this.levels.set(text, level);
      ready = [];
      for (const text of now) {
        for (const [head, needed] of asking.get(text) ?? []) {
          needed.delete(text);
          if (!needed.size) ready.push(head);
        }
      }
    }
  }
}

/** @template T @param {Map<string, T[]>} found @param {string} key @param {T} value */
function add(found, key, value) {
  const values = found.get(key);
  if (values) values.push(value);
  else found.set(key, [value]);
}

/** @param {Term} term */
const toTuple = (term) => (typeof term === "object" ? term : { name: "", args: [] });
/** @param {Term} term */
const argsOf = (term) => toTuple(term).args;

/** @param {Term[]} a @param {Term[]} b */
const compareAll = (a, b) => a.reduce((/** @type {number} */ before, value, i) => before || compare(value, b[i]), 0);

/** @param {Clause} clause @param {Compound} own @param {Compound} said @returns {Step} */
function makeStep(clause, own, said) {
  const terms = said.args.map((term) => (typeof term === "object" && term.name === NONE ? null : term));
  const restsOn = clause.parts.flatMap(({ kind }, i) => (kind === "atom" ? [spell(said.args[i])] : []));
  const values = new Map(clause.names.map((name, i) => [name, spell(own.args[i])]));
  return { clause, own, said, row: spell(own), values, terms, restsOn };
}
