/* What rests on what: traced rules say with which values they apply, and what their sums count. */

import { compare, parseAtom, spell, takeIn } from "./terms.js";

const NONE = "none'";
// The level of what follows only from itself.
const NEVER = Infinity;

export class Inquiry {
  /* `solve` gives the atoms that a program shows. */
  constructor(clauses, solve) {
    this.clauses = Map.groupBy(clauses, ({ name }) => name);
    this.solve = solve;
    this.traced = new Set();
    this.steps = new Map();
    this.counted = new Map();
    this.chosen = new Map();
    this.rings = new Map();
    this.levels = new Map();
  }

  /* Take what holds: all atoms, and those that are facts. */
  take(atoms, given) {
    this.given = new Set(given);
    this.atoms = Map.groupBy(atoms, (text) => takeIn(text).name);
  }

  /* The first rule that gives an atom, with its least values; null for a fact. */
  async choose(atom) {
    if (!this.traced.has(atom.name)) await this.trace(atom.name);
    if (this.given.has(atom.text)) return null;
    if (!this.chosen.has(atom.text)) {
      const found = this.list(atom.text).find((step) => this.leadsDown(atom.text, step));
      this.chosen.set(atom.text, found ?? { clause: null });
    }
    return this.chosen.get(atom.text);
  }

  /* What counts in the sum at a place of a rule, in clingo's order of terms, each tuple once. */
  count({ clause, values, row }, at) {
    const found = new Map();
    for (const [key, number, own, terms] of (this.counted.get(`${clause.number} ${at} ${row}`) ?? []).sort(compareAll)) {
      const text = spell(key);
      const { names, parts } = clause.parts[at].elements[number];
      const known = new Map([...values, ...names.map((name, i) => [name, spell(own.args[i])])]);
      if (!found.has(text)) found.set(text, { text, parts, values: known, terms: terms.args });
    }
    return [...found.values()];
  }

  /* Let the rules say their reasons that lead to a predicate. */
  async trace(name) {
    const clauses = [];
    for (const open = [name]; open.length;) {
      const one = open.pop();
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
      if (kind === "why'") this.add(this.steps, spell(said[0]), makeStep(numbered.get(number), said[1], said[2]));
      else this.add(this.counted, `${number} ${said[0]} ${spell(said[1])}`, said.slice(2));
    }
    for (const steps of this.steps.values()) {
      steps.sort((a, b) => a.clause.number - b.clause.number || compare(a.own, b.own) || compare(a.said, b.said));
    }
  }

  add(found, key, value) {
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(value);
  }

  list(text) { return this.given.has(text) ? [] : this.steps.get(text) ?? []; }

  /* A step of an explanation leads to what was there before, lest it goes in a circle. */
  leadsDown(text, step) {
    if (!this.rings.has(text)) this.findRings(text);
    const level = this.levels.get(text) ?? NEVER;
    const others = step.restsOn.filter((other) => this.rings.get(other) === this.rings.get(text));
    return others.every((other) => (this.levels.get(other) ?? NEVER) < level);
  }

  /* Find which atoms rest on each other, from one down, by Tarjan's algorithm. */
  findRings(start) {
    const [order, low, stack, open] = [new Map(), new Map(), [], []];
    for (let entering = start; entering || open.length;) {
      if (entering) {
        low.set(entering, order.size);
        order.set(entering, order.size);
        stack.push(entering);
        open.push([entering, this.list(entering).flatMap(({ restsOn }) => restsOn)]);
      }
      const [text, others] = open.at(-1);
      let other = others.pop();
      while (other && this.rings.has(other)) other = others.pop();
      entering = other && !order.has(other) ? other : null;
      if (entering) continue;
      if (other) {
        low.set(text, Math.min(low.get(text), order.get(other)));
        continue;
      }
      open.pop();
      if (open.length) low.set(open.at(-1)[0], Math.min(low.get(open.at(-1)[0]), low.get(text)));
      if (low.get(text) === order.get(text)) this.setLevels(stack.splice(stack.lastIndexOf(text)));
    }
  }

  /* Each atom of a ring follows as early as it can: count what its rules still wait for. */
  setLevels(ring) {
    const number = this.rings.size;
    for (const text of ring) this.rings.set(text, number);
    const asking = new Map();
    const waiting = ring.flatMap((text) => this.list(text).map(({ restsOn }) => [text, new Set(restsOn.filter((other) => this.rings.get(other) === number))]));
    for (const rule of waiting) for (const other of rule[1]) this.add(asking, other, rule);
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

const compareAll = (a, b) => a.reduce((before, value, i) => before || compare(value, b[i]), 0);

/* A rule with values: those of its variables, spelt, and what its conditions say. */
function makeStep(clause, own, said) {
  const terms = said.args.map((term) => (term.name === NONE ? null : term));
  const restsOn = clause.parts.flatMap(({ kind }, i) => (kind === "atom" ? [spell(terms[i])] : []));
  const values = new Map(clause.names.map((name, i) => [name, spell(own.args[i])]));
  return { clause, own, said, row: spell(own), values, terms, restsOn };
}
