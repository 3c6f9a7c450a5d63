/* Rules as questions: the body of a rule is put to clingo, with what holds as facts. */

import { allFit, compare, evaluate, settled, spell, takeIn } from "./shapes.js";
import { parseAtom } from "./terms.js";

const INSTANCE = "instance'";
const NONE = "none'";
// The level of what follows only from itself.
const NEVER = Infinity;

const tuple = (terms) => `(${terms.join(",")}${terms.length === 1 ? "," : ""})`;

/* What holds: atoms by predicate, and by the value at a place. */
class Whole {
  constructor(texts, given) {
    this.given = new Set(given);
    this.atoms = new Map();
    this.places = new Map();
    for (const atom of texts.map(takeIn)) {
      if (!this.atoms.has(atom.name)) this.atoms.set(atom.name, []);
      this.atoms.get(atom.name).push(atom);
    }
    this.texts = new Set(texts);
  }

  find({ name, args }, known) {
    let found = this.atoms.get(name) ?? [];
    args.forEach((shape, at) => {
      const value = evaluate(shape, known);
      if (value === undefined) return;
      const here = this.place(name, at).get(value) ?? [];
      if (here.length < found.length) found = here;
    });
    const values = args.map((shape) => evaluate(shape, known));
    return found.filter(({ spelt }) => values.every((value, at) => value === undefined || spelt[at] === value));
  }

  place(name, at) {
    const key = `${name} ${at}`;
    if (!this.places.has(key)) {
      this.places.set(key, Map.groupBy(this.atoms.get(name) ?? [], ({ spelt }) => spelt[at]));
    }
    return this.places.get(key);
  }
}

export class Inquiry {
  /* `solve` gives the atoms that a program shows; files with changes have no rules here. */
  constructor(prepared, changed, solve) {
    Object.assign(this, { prepared, changed, solve, chosen: new Map(), levels: new Map() });
    const kept = prepared.clauses.filter(({ file }) => !changed.has(file));
    this.clauses = Map.groupBy(kept, ({ head }) => head.name);
  }

  /* Take what holds: all atoms, and those that are facts. */
  take(atoms, given) {
    this.whole = new Whole(atoms, given);
  }

  /* The rule that gives an atom, the first, and its least instance; null for a fact. */
  async choose(atom) {
    if (!this.chosen.has(atom.text)) {
      this.chosen.set(atom.text, this.whole.given.has(atom.text) ? null : await this.firstWay(atom));
    }
    return this.chosen.get(atom.text);
  }

  async firstWay(atom) {
    for (const clause of this.clauses.get(atom.name) ?? []) {
      for (const instance of await this.ask(clause, atom)) {
        if (!(atom.name in this.prepared.loops) || (await this.leadsDown(atom, instance))) return { clause, instance };
      }
    }
    return { clause: null };
  }

  /* Where rules of changed files could give an atom; they are not taken apart. */
  findYours({ name }) {
    if (!this.changed.size) return { kind: "held" };
    const begin = new RegExp(`^\\s*\\{?\\s*${name.split("/")[0]}(?![\\w'])`);
    const places = [...this.changed].flatMap(([file, text]) => text.split("\n").flatMap((line, i) => (begin.test(line) ? [`${file}:${i + 1}`] : [])));
    const where = places.length > 1 ? `, one of ${places.join(", ")}` : places.map((place) => `: ${place}`).join("");
    return { kind: "yours", place: `a rule of yours gives this${where}` };
  }

  async ask(clause, atom) {
    const known = new Map();
    if (!allFit(clause.head.args, atom.args, known)) return [];
    const atoms = clause.parts.map(({ kind, bare }) => (kind === "atom" ? bare : NONE));
    const equations = clause.terms.map((term, at) => `${term} = ${atom.spelt[at]}`);
    const body = [...clause.parts.map(({ text }) => text), ...equations].join("; ") || "#true";
    const rows = await this.query(`${tuple(clause.names)},${tuple(atoms)}`, body, this.collect(clause.parts, known));
    return rows.map(([values, shown]) => readInstance(clause.names, values, shown));
  }

  /* What counts in an aggregate, in clingo's order of terms, each tuple once. */
  async askElements(part, values) {
    const found = new Map();
    for (const { terms, parts } of part.elements) {
      const given = new Map(part.all.filter((name) => values.has(name)).map((name) => [name, values.get(name)]));
      const bound = new Set([...findBound(parts), ...given.keys()]);
      const names = [...new Set(parts.flatMap((inner) => inner.names))].filter((name) => bound.has(name));
      const atoms = parts.map(({ kind, bare }) => (kind === "atom" ? bare : NONE));
      const equations = [...given].map(([name, value]) => `${name} = ${value}`);
      const body = [...parts.map(({ text }) => text), ...equations].join("; ") || "#true";
      const head = `${tuple(terms)},(${tuple(names)},${tuple(atoms)})`;
      for (const [key, row] of await this.query(head, body, this.collect(parts, given))) {
        const text = spell(key);
        if (!found.has(text)) found.set(text, { key, text, parts, instance: readInstance(names, ...row.args, values) });
      }
    }
    return [...found.values()].sort((a, b) => compare(a.key, b.key));
  }

  /* What holds of all that some conditions ask for, as far as it may matter. */
  collect(parts, given) {
    const known = new Map(given);
    let open = parts.filter(({ kind }) => kind === "atom").map(({ atoms }) => atoms[0]);
    for (let count = -1; open.length !== count;) {
      count = open.length;
      open = open.filter((shape) => {
        const found = this.whole.find(shape, known);
        if (found.length === 1) allFit(shape.args, found[0].args, known);
        return found.length !== 1;
      });
    }
    return new Set(parts.flatMap(({ atoms }) => atoms.flatMap((shape) => this.whole.find(shape, known).map(({ text }) => text))));
  }

  async query(wanted, body, facts) {
    const program = `${[...facts].map((fact) => `${fact}.`).join("")}\n${INSTANCE}(${wanted}) :- ${body}. #show ${INSTANCE}/2.\n`;
    const found = (await this.solve(program)).map((text) => parseAtom(text).args);
    return found.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  }

  /* A step of an explanation leads to what was there before, lest it goes in a circle. */
  async leadsDown(atom, { atoms }) {
    const loop = this.prepared.loops[atom.name];
    const levels = await this.levelsOf(loop);
    const asked = atoms.filter((other) => other && this.prepared.loops[other.name] === loop);
    const levelOf = ({ text }) => levels.get(text) ?? NEVER;
    return asked.every((other) => levelOf(other) < levelOf(atom));
  }

  async levelsOf(loop) {
    if (!this.levels.has(loop)) this.levels.set(loop, await this.findLevels(loop));
    return this.levels.get(loop);
  }

  /* Each atom follows as early as it can: count what its rules still wait for. */
  async findLevels(loop) {
    const waiting = [];
    const isOf = (name) => this.prepared.loops[name] === loop;
    for (const [name, clauses] of this.clauses) {
      for (const clause of isOf(name) ? clauses : []) {
        const asked = clause.parts.filter(({ kind, atoms }) => kind === "atom" && isOf(atoms[0].name));
        const body = clause.parts.map(({ text }) => text).join("; ") || "#true";
        const wanted = `${clause.text},${tuple(asked.map(({ bare }) => bare))}`;
        for (const [head, needed] of await this.query(wanted, body, this.collect(clause.parts, []))) {
          const text = spell(head);
          if (this.whole.texts.has(text)) waiting.push([text, new Set(needed.args.map(spell))]);
        }
      }
    }
    const asking = new Map();
    waiting.forEach(([, needed], number) => {
      for (const text of needed) asking.set(text, [...(asking.get(text) ?? []), number]);
    });
    const levels = new Map();
    let ready = waiting.filter(([, needed]) => !needed.size).map(([head]) => head);
    for (const [name, atoms] of this.whole.atoms) ready.push(...(isOf(name) ? atoms : []).map(({ text }) => text).filter((text) => this.whole.given.has(text)));
    for (let level = 0; ready.length; level += 1) {
      const now = [...new Set(ready)].filter((text) => !levels.has(text));
      for (const text of now) levels.set(text, level);
      ready = [];
      for (const number of now.flatMap((text) => (asking.get(text) ?? []).map((n) => [n, text]))) {
        const [head, needed] = waiting[number[0]];
        needed.delete(number[1]);
        if (!needed.size) ready.push(head);
      }
    }
    return levels;
  }
}

/* Values by variable, spelt, and the atoms of its conditions, null for conditions of other kinds. */
function readInstance(names, values, shown, more = new Map()) {
  const known = new Map([...more, ...names.map((name, at) => [name, spell(values.args[at])])]);
  return { values: known, atoms: shown.args.map((atom) => (atom.name === NONE ? null : takeIn(spell(atom)))) };
}

/* The variables that have values once some conditions count. */
function findBound(parts) {
  const bound = new Set();
  for (const { kind, atoms } of parts) if (kind === "atom") for (const name of atoms[0].args.flatMap(settled)) bound.add(name);
  const sides = parts.flatMap(({ sides: both }) => (both ? [both, ...(both[1] ? [[both[1], both[0]]] : [])] : []));
  for (let before = -1; bound.size > before;) {
    before = bound.size;
    for (const [side, other] of sides) {
      if (!other || other[3].every((name) => bound.has(name))) for (const name of settled(side)) bound.add(name);
    }
  }
  return bound;
}
