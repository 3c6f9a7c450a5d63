// @ts-check
/* Atoms as clingo prints them, to values. */

/**
 * A value: a number, a text, or a function with a name and arguments; a tuple has the name "".
 * @typedef {{name: string, args: Term[]}} Compound
 * @typedef {number | string | Compound} Term
 *
 * The values of an atom, with its text; constants are texts. The caller knows the types of a predicate's values.
 * @typedef {any[] & {text?: string}} Row
 *
 * A question to the rules: the name of the use, and the facts.
 * @typedef {{names: string, facts: string}} Asked
 *
 * The rows of each predicate, and the question that they answer.
 * @typedef {`${string}/${number}`} Signature
 * @typedef {{[signature: Signature]: Row[], asked?: Asked}} Rows
 */

const TOKEN = /\s*(?:(-?\d+)|"((?:\\.|[^"\\])*)"|(-?[a-z_][\w']*)|(#inf|#sup)|([(),]))/y;
/** @type {Record<string, number>} */
const RANKS = { "#inf": 0, "#sup": 9 };
/** @type {Record<string, string>} */
const ESCAPES = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };
const VARIABLE = /"(?:\\.|[^"\\])*"|(?<![\w'])_*[A-Z]\w*'*/g;

/** @param {string} text @returns {Term} */
export function parseTerm(text) {
  TOKEN.lastIndex = 0;
  let token = next();
  function next() { return TOKEN.exec(text) ?? []; }
  function args() {
    /** @type {Term[]} */
    const list = [];
    token = next(); // the bracket
    while (token[5] !== ")") {
      if (token[5] === ",") token = next();
      else if (token.length) list.push(term());
      else throw new Error(`not an atom: ${text}`);
    }
    token = next();
    return list;
  }
  /** @returns {Term} */
  function term() {
    const [, number, string, name, special, sign] = token;
    if (sign === "(") return { name: "", args: args() };
    if (number === undefined && string === undefined && !name && !special) throw new Error(`not an atom: ${text}`);
    token = next();
    if (number !== undefined) return Number(number);
    if (string !== undefined) return string.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    if (special) return { name: special, args: [] };
    return { name, args: token[5] === "(" ? args() : [] };
  }
  return term();
}

/** @param {string} text */
export const parseAtom = (text) => /** @type {Compound} */ (parseTerm(text));

/** The rows of each predicate, such as rows["score/3"], each with its atom. @param {string[]} atoms */
export function readAtoms(atoms) {
  /** @type {Rows} */
  const rows = {};
  for (const text of atoms) {
    const { name, args } = parseAtom(text);
    const row = args.map((arg) => (typeof arg === "object" && arg.name && !arg.args.length ? arg.name : arg));
    (rows[`${name}/${args.length}`] ??= []).push(Object.assign(row, { text }));
  }
  return rows;
}

/** @param {Term} value @returns {string} */
export function write(value) {
  if (typeof value !== "object") return String(value);
  const { name, args } = value;
  return args.length || !name ? `${name}(${args.map(write).join(",")})` : name;
}

/** @param {Term} value @returns {value is Compound} */
const isTuple = (value) => typeof value === "object" && value.name === "";

/** The sentence that a tuple of words and numbers makes; a tuple in it is a place, or a part. @param {Term} detail @returns {string} */
export function writeSentence(detail) {
  /** @param {Term} part @returns {string} */
  const word = (part) => {
    if (!isTuple(part)) return write(part).replace(/^[a-z]+(_[a-z]+)+$/, (name) => name.replaceAll("_", "-"));
    return part.args.some((arg) => typeof arg === "string" && arg.includes(" ")) ? writeSentence(part) : part.args.map(word).join(",");
  };
  return (isTuple(detail) ? detail.args : [detail]).map(word).join(" ").replace(/ (?=[,:])/g, "");
}

/** A reason in words: hex(3,4) is "hex 3,4", a group is named by its first hex. @param {Term} why */
export function sayWhy(why) {
  if (typeof why !== "object" || !why.name || !why.args.length) return write(why);
  const [first] = why.args;
  if (why.name === "area" && why.args.length === 1 && isTuple(first) && first.args.length === 2) {
    return `group from hex ${first.args.map(write).join(",")}`;
  }
  if (why.name === "built" && why.args.length === 3 && isTuple(first)) return `built ${first.args.map(write).join(",")} in turn ${write(why.args[1])}`;
  if (why.name === "turn") return `turn ${write(first)}`;
  return `${why.name} ${why.args.map(write).join(",")}`;
}

/** A value as clingo writes it: what tells values apart. @param {Term} value @returns {string} */
export function spell(value) {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `"${value.replace(/[\\\n"]/g, (sign) => ESCAPES[sign])}"`;
  const { name, args } = value;
  const comma = !name && args.length === 1 ? "," : "";
  return args.length || !name ? `${name}(${args.map(spell).join(",")}${comma})` : name;
}

/** An atom with its text and the name of its predicate, as p/2. @param {string} text */
export function takeIn(text) {
  const { name, args } = parseAtom(text);
  return { text, name: `${name}/${args.length}`, args, spelt: args.map(spell) };
}

/** Constants come before texts, and both before functions and tuples. @param {Term} value */
function rank(value) {
  if (typeof value === "number") return 1;
  if (typeof value === "string") return 3;
  return RANKS[value.name] ?? (value.name && !value.args.length ? 2 : 4);
}

/** @param {string} a @param {string} b */
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Clingo's order of terms. @param {Term} a @param {Term} b @returns {number} */
export function compare(a, b) {
  const [one, other] = [rank(a), rank(b)];
  if (one !== other) return one - other;
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return order(a, b);
  if (typeof a !== "object" || typeof b !== "object") return 0; // never so for values of the same rank
  const [own, its] = [a, b].map(({ name }) => name.replace(/^-/, ""));
  const found = Number(a.name.startsWith("-")) - Number(b.name.startsWith("-")) || a.args.length - b.args.length || order(own, its);
  return found || a.args.reduce((/** @type {number} */ before, arg, i) => before || compare(arg, b.args[i]), 0);
}

/** Write a text of a rule with the values of its variables, which are spelt. @param {string} text @param {Map<string, string>} known */
export function fill(text, known) { return text.replace(VARIABLE, (name) => known.get(name) ?? name); }

// An argument in a template, perhaps with the noun that it counts.
const PLACE = /\{(\w+)(?::(\w+))?\}/g;

/**
 * Say an atom, whose arguments are spelt, or undefined if they are open and keep their names.
 * @param {import("./data.js").ReasonsData["says"]} says
 * @param {string} name
 * @param {(string | undefined)[]} args
 */
export function say(says, name, args) {
  const [names, template] = says[name] ?? [[], ""];
  return template.replace(PLACE, (_, key, noun) => {
    const value = args[names.indexOf(key)];
    const shown = value === undefined ? key : sayValue(parseTerm(value));
    if (!noun) return shown;
    return shown === "1" || shown === "-1" ? `${shown} ${noun}` : `${shown} ${noun}s`;
  });
}

/** A text without its quotes; a tuple that holds one is a sentence. @param {Term} value @returns {string} */
function sayValue(value) {
  if (typeof value === "string") return value;
  if (typeof value === "object" && value.name.startsWith("#")) return "none";
  const isSentence = isTuple(value) && value.args.some((part) => typeof part === "string");
  return isSentence ? value.args.map(sayPart).join(" ").replace(/ (?=[,:])/g, "") : spell(value);
}

/** @param {Term} part */
const sayPart = (part) => (isTuple(part) ? part.args.map(sayValue).join(",") : sayValue(part));
