/* Atoms as clingo prints them, to values. */

import type { ReasonsData } from "../data.d.ts";
/** A value: a number, a text, or a function with a name and arguments; a tuple has the name "". */
export type Compound = { name: string; args: Term[] };

export type Term = number | string | Compound;

/** The values of an atom, with its text; constants are texts. The caller knows the types of a predicate's values. */
export type Row = any[] & { text?: string };

/** A question to the rules: the name of the use, and the facts. */
export type Asked = { names: string; facts: string };

/** The rows of each predicate, and the question that they answer. */
export type Signature = `${string}/${number}`;

export type Rows = { [signature: Signature]: Row[]; asked?: Asked };

const TOKEN = /\s*(?:(-?\d+)|"((?:\\.|[^"\\])*)"|(-?[a-z_][\w']*)|(#inf|#sup)|([(),]))/y;
const RANKS: Record<string, number> = { "#inf": 0, "#sup": 9 };
const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };
const VARIABLE = /"(?:\\.|[^"\\])*"|(?<![\w'])_*[A-Z]\w*'*/g;

function parseTerm(text: string): Term {
  TOKEN.lastIndex = 0;
  let token = next();
  function next() {
    return TOKEN.exec(text) ?? [];
  }
  function args() {
    const list: Term[] = [];
    token = next(); // the bracket
    while (token[5] !== ")") {
      if (token[5] === ",") token = next();
      else if (token.length) list.push(term());
      else throw new Error(`not an atom: ${text}`);
    }
    token = next();
    return list;
  }
  function term(): Term {
    const [, number, string, name, special, sign] = token;
    if (sign === "(") return { name: "", args: args() };
    if (number === undefined && string === undefined && !name && !special)
      throw new Error(`not an atom: ${text}`);
    token = next();
    if (number !== undefined) return Number(number);
    if (string !== undefined) return string.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    if (special) return { name: special, args: [] };
    return { name, args: token[5] === "(" ? args() : [] };
  }
  return term();
}

export const parseAtom = (text: string) => parseTerm(text) as Compound;

/** The rows of each predicate, such as rows["score/3"], each with its atom. */
export function readAtoms(atoms: string[]) {
  const rows: Rows = {};
  for (const text of atoms) {
    const { name, args } = parseAtom(text);
    const row = args.map((arg) =>
      typeof arg === "object" && arg.name && !arg.args.length ? arg.name : arg,
    );
    (rows[`${name}/${args.length}`] ??= []).push(Object.assign(row, { text }));
  }
  return rows;
}

export function write(value: Term): string {
  if (typeof value !== "object") return String(value);
  const { name, args } = value;
  return args.length || !name ? `${name}(${args.map(write).join(",")})` : name;
}

const isTuple = (value: Term): value is Compound => typeof value === "object" && value.name === "";

/** The sentence that a tuple of words and numbers makes; a tuple in it is a place, or a part. */
export function writeSentence(detail: Term): string {
  const word = (part: Term): string => {
    if (!isTuple(part))
      return write(part).replace(/^[a-z]+(_[a-z]+)+$/, (name) => name.replaceAll("_", "-"));
    return part.args.some((arg) => typeof arg === "string" && arg.includes(" "))
      ? writeSentence(part)
      : part.args.map(word).join(",");
  };
  return (isTuple(detail) ? detail.args : [detail])
    .map(word)
    .join(" ")
    .replace(/ (?=[,:])/g, "");
}

/** A reason in words: hex(3,4) is "hex 3,4", a group is named by its first hex. */
export function sayWhy(why: Term) {
  if (typeof why !== "object" || !why.name || !why.args.length) return write(why);
  const [first] = why.args;
  if (why.name === "area" && why.args.length === 1 && isTuple(first) && first.args.length === 2) {
    return `group from hex ${first.args.map(write).join(",")}`;
  }
  if (why.name === "built" && why.args.length === 3 && isTuple(first))
    return `built ${first.args.map(write).join(",")} in turn ${write(why.args[1])}`;
  if (why.name === "turn") return `turn ${write(first)}`;
  return `${why.name} ${why.args.map(write).join(",")}`;
}

/** A value as clingo writes it: what tells values apart. */
export function spell(value: Term): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `"${value.replace(/[\\\n"]/g, (sign) => ESCAPES[sign])}"`;
  const { name, args } = value;
  const comma = !name && args.length === 1 ? "," : "";
  return args.length || !name ? `${name}(${args.map(spell).join(",")}${comma})` : name;
}

/** An atom with its text and the name of its predicate, as p/2. */
export function takeIn(text: string) {
  const { name, args } = parseAtom(text);
  return { text, name: `${name}/${args.length}`, args, spelt: args.map(spell) };
}

/** Constants come before texts, and both before functions and tuples. */
function rank(value: Term) {
  if (typeof value === "number") return 1;
  if (typeof value === "string") return 3;
  return RANKS[value.name] ?? (value.name && !value.args.length ? 2 : 4);
}

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Clingo's order of terms. */
export function compare(a: Term, b: Term): number {
  const [one, other] = [rank(a), rank(b)];
  if (one !== other) return one - other;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return order(a, b);
  if (typeof a !== "object" || typeof b !== "object") return 0; // never so for values of the same rank
  const [own, its] = [a, b].map(({ name }) => name.replace(/^-/, ""));
  const found =
    Number(a.name.startsWith("-")) - Number(b.name.startsWith("-")) ||
    a.args.length - b.args.length ||
    order(own, its);
  return found || a.args.reduce((before: number, arg, i) => before || compare(arg, b.args[i]), 0);
}

/** Write a text of a rule with the values of its variables, which are spelt. */
export function fill(text: string, known: Map<string, string>) {
  return text.replace(VARIABLE, (name) => known.get(name) ?? name);
}

// An argument in a template, perhaps with the noun that it counts.
const PLACE = /\{(\w+)(?::(\w+))?\}/g;

/** Say an atom, whose arguments are spelt, or undefined if they are open and keep their names. */
export function say(says: ReasonsData["says"], name: string, args: (string | undefined)[]): string {
  const state = name.replace(/^before_/, "");
  // What stood before a turn is what stands after the turn before.
  if (!says[name] && says[state] && Number(args.at(-1)))
    return say(says, state, [...args.slice(0, -1), String(Number(args.at(-1)) - 1)]);
  const [names, template] = says[name] ?? [[], ""];
  return template.replace(PLACE, (_, key, noun) => {
    const value = args[names.indexOf(key)];
    const shown = value === undefined ? key : sayValue(parseTerm(value));
    if (!noun) return shown;
    return shown === "1" || shown === "-1" ? `${shown} ${noun}` : `${shown} ${noun}s`;
  });
}

const isSentence = ({ name, args }: Compound) =>
  !name && args.some((part) => typeof part === "string");

/** A text without its quotes; a tuple that holds one is a sentence; a constant as records write it. */
function sayValue(value: Term): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (value.name.startsWith("#")) return "none";
  if (isSentence(value))
    return value.args
      .map(sayPart)
      .join(" ")
      .replace(/ (?=[,:])/g, "");
  return value.name && !value.args.length ? value.name.replaceAll("_", "-") : spell(value);
}

const sayPart = (part: Term) =>
  isTuple(part) && !isSentence(part) ? part.args.map(sayValue).join(",") : sayValue(part);
