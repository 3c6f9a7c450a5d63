/* Terms of rules as values see them, and values as clingo writes and orders them. */

import { parseAtom } from "./terms.js";

const RANKS = { "#inf": 0, "#sup": 9 };
const ESCAPES = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };
const VARIABLE = /"(?:\\.|[^"\\])*"|(?<![\w'])_*[A-Z]\w*'*/g;
const SIGNS = /\s*(\d+|\*\*|[-+*/\\|()])/y;

/* A value as clingo writes it: what tells values apart. */
export function spell(value) {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `"${value.replace(/[\\\n"]/g, (sign) => ESCAPES[sign])}"`;
  const { name, args } = value;
  const comma = !name && args.length === 1 ? "," : "";
  return args.length || !name ? `${name}(${args.map(spell).join(",")}${comma})` : name;
}

/* An atom with its text and the name of its predicate, as p/2. */
export function takeIn(text) {
  const { name, args } = parseAtom(text);
  return { text, name: `${name}/${args.length}`, args, spelt: args.map(spell) };
}

/* Constants come before texts, and both before functions and tuples. */
function rank(value) {
  if (typeof value === "number") return 1;
  if (typeof value === "string") return 3;
  return RANKS[value.name] ?? (value.name && !value.args.length ? 2 : 4);
}

const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/* Clingo's order of terms. */
export function compare(a, b) {
  const [one, other] = [rank(a), rank(b)];
  if (one !== other) return one - other;
  if (one === 1) return a - b;
  if (one === 3) return order(a, b);
  const bare = [a, b].map(({ name }) => name.replace(/^-/, ""));
  const found = a.name.startsWith("-") - b.name.startsWith("-") || a.args.length - b.args.length || order(...bare);
  return found || a.args.reduce((before, arg, i) => before || compare(arg, b.args[i]), 0);
}

/* Write a text of a rule with the values of its variables, which are spelt. */
export function fill(text, known) {
  return text.replace(VARIABLE, (name) => known.get(name) ?? name);
}

/* The value of a sum, spelt; nothing if it has none. Clingo writes brackets around every part. */
export function calculate(text) {
  let token;
  SIGNS.lastIndex = 0;
  const next = () => { [, token] = SIGNS.exec(text) ?? []; };
  function part() {
    const sign = token;
    next();
    if (/^\d/.test(sign)) return Number(sign);
    if (sign === "-") return -part();
    const value = sum();
    next();
    return sign === "|" ? Math.abs(value) : sign === "(" ? value : NaN;
  }
  function sum() {
    let value = part();
    while (["+", "-", "*", "/", "\\", "**"].includes(token)) {
      const sign = token;
      next();
      const other = part();
      if (sign === "+") value += other;
      else if (sign === "-") value -= other;
      else if (sign === "*") value *= other;
      else if (sign === "**") value **= other;
      else value = other ? (sign === "/" ? Math.trunc(value / other) : value % other) : NaN;
    }
    return value;
  }
  next();
  const value = sum();
  return Number.isInteger(value) && token === undefined ? String(value + 0) : undefined;
}

/* The value of a shape, spelt; nothing if it is not known. */
export function evaluate([kind, text, inner, names], known) {
  if (kind === "value") return text;
  if (kind === "variable" || (kind === "sum" && known.has(text))) return known.get(text);
  if (kind === "sum" && names.every((name) => known.has(name))) return calculate(fill(text, known));
  if (kind !== "function") return undefined;
  const values = inner.map((shape) => evaluate(shape, known));
  const comma = !text && values.length === 1 ? "," : "";
  return values.includes(undefined) ? undefined : `${text}(${values.join(",")}${comma})`;
}

/* Whether a shape may have a value; what that tells of its variables becomes known. */
export function fits([kind, text, inner], value, known) {
  if (kind === "value") return spell(value) === text;
  if (kind === "variable" || kind === "sum") {
    if (!known.has(text)) known.set(text, spell(value));
    return known.get(text) === spell(value);
  }
  if (kind !== "function") return true;
  return value.name === text && value.args?.length === inner.length && allFit(inner, value.args, known);
}

export const allFit = (shapes, values, known) => shapes.every((shape, i) => fits(shape, values[i], known));

/* The variables that the value of a shape settles. */
export function settled([kind, , inner, names]) {
  const own = kind === "variable" || (kind === "sum" && names.length === 1) ? names : [];
  return [...own, ...inner.flatMap(settled)];
}
