// @ts-check
/* Atoms as clingo prints them, to values: numbers, texts, {name, args}; a tuple has the name "". */

const TOKEN = /\s*(?:(-?\d+)|"((?:\\.|[^"\\])*)"|(-?[a-z_][\w']*)|(#inf|#sup)|([(),]))/y;
const RANKS = { "#inf": 0, "#sup": 9 };
const ESCAPES = { "\\": "\\\\", "\n": "\\n", '"': '\\"' };
const VARIABLE = /"(?:\\.|[^"\\])*"|(?<![\w'])_*[A-Z]\w*'*/g;

export function parseAtom(text) {
  TOKEN.lastIndex = 0;
  let token = next();
  function next() { return TOKEN.exec(text) ?? []; }
  function args() {
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

/** The rows of each predicate, such as rows["score/3"], each with its atom; constants are texts. @param {string[]} atoms @returns {Record<string, any[][]>} */
export function readAtoms(atoms) {
  /** @type {Record<string, any[][]>} */
  const rows = {};
  for (const text of atoms) {
    const { name, args } = parseAtom(text);
    const row = args.map((arg) => (arg.name && !arg.args.length ? arg.name : arg));
    (rows[`${name}/${args.length}`] ??= []).push(Object.assign(row, { text }));
  }
  return rows;
}

export function write(value) {
  if (typeof value !== "object") return String(value);
  const { name, args } = value;
  return args.length || !name ? `${name}(${args.map(write).join(",")})` : name;
}

/* The sentence that a tuple of words and numbers makes; a tuple in it is a place, or a part. */
export function writeSentence(detail) {
  const isTuple = (value) => typeof value === "object" && value.name === "";
  const word = (part) => {
    if (!isTuple(part)) return write(part).replace(/^[a-z]+(_[a-z]+)+$/, (name) => name.replaceAll("_", "-"));
    return part.args.some((arg) => typeof arg === "string" && arg.includes(" ")) ? writeSentence(part) : part.args.map(word).join(",");
  };
  return (isTuple(detail) ? detail.args : [detail]).map(word).join(" ").replace(/ (?=[,:])/g, "");
}

/* A reason in words: hex(3,4) is "hex 3,4", a group is named by its first hex. */
export function sayWhy(why) {
  if (typeof why !== "object" || !why.name || !why.args.length) return write(why);
  const [first] = why.args;
  if (why.name === "area" && why.args.length === 1 && first.name === "" && first.args.length === 2) {
    return `group from hex ${first.args.map(write).join(",")}`;
  }
  if (why.name === "built" && why.args.length === 3 && first.name === "") return `built ${first.args.map(write).join(",")} in turn ${write(why.args[1])}`;
  if (why.name === "turn") return `turn ${write(first)}`;
  return `${why.name} ${why.args.map(write).join(",")}`;
}

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
export function fill(text, known) { return text.replace(VARIABLE, (name) => known.get(name) ?? name); }

// A noun that a number may count.
const COUNTED = "( (?!(?:is|has|was|as|this|times)\\b)[a-z]+s\\b)?";

// What stands before a variable is a noun that it names, but for these words and what ends in s.
const NO_NOUN = "[Aa]|about|[Aa]fter|along|[Aa]nd?|are|[Aa]t|[Bb]efore|behind|beside|bring|but|by|called|each|first|for|[Ff]rom|got|if|[Ii]n|it|made|many|most|much|not|of|[Oo]n|or|over|print|save|see|show|than|that|[Tt]he|these|took|to|under|were|when|where|[Ww]ith";
const NOUN = `(?:\\b(?:[Tt]his much|[Tt]hese|[Tt]his|[Tt]he|an?) )?(?:\\b(?!(?:${NO_NOUN})\\b)([A-Za-z][a-z]*[a-rt-z]) )?`;
const QUESTIONS = { Who: "somebody", Why: "something", How: "something" };
const longestFirst = (names) => [...names].sort((a, b) => b.length - a.length).join("|");

/* Say "some player" for "player P", and the like, where a variable has no value. */
function leaveOpen(text, names) {
  if (!names.length) return text;
  const any = longestFirst(names);
  const pattern = new RegExp(`(?!^A )${NOUN}(\\((?:${any})(?:,(?:${any}))*\\)|\\b(?:${any})\\b)${COUNTED}`, "g");
  return text.replace(pattern, (whole, noun, name, more, at) => {
    const some = at === 0 && /^[A-Z]/.test(whole) ? "Some" : "some";
    if (noun) return `${some} ${noun.toLowerCase()}${more ?? ""}`;
    if (more) return some + more;
    if (at && "(,".includes(text[at - 1])) return "_";
    return QUESTIONS[name] ?? some + (/^[A-Z][a-z]+$/.test(name) ? ` ${name.toLowerCase()}` : "thing");
  });
}

/* Say an atom, whose arguments are spelt, or undefined if they are open. */
export function say(says, name, args) {
  const [names, text] = says[name] ?? [[], ""];
  const sentence = leaveOpen(text, names.filter((_, at) => args[at] === undefined));
  const values = new Map(names.map((key, at) => [key, args[at]]).filter(([, value]) => value !== undefined));
  if (!values.size) return sentence;
  const wanted = longestFirst(values.keys());
  const pattern = new RegExp(`(?!^A )\\b(this much |these |this )?(${wanted})\\b${COUNTED}`, "g");
  return sentence.replace(pattern, (whole, before, key, more = "") => {
    const word = key.length > 1 ? key.toLowerCase() : key;
    const value = sayValue(parseAtom(values.get(key)));
    const isOne = value === "1" || value === "-1";
    const alone = (plural) => (isOne ? plural.replace(/s$/, "") : plural);
    if (before) return before === "this " ? `${word} ${value}${more}` : `${value} ${alone(word)}${more}`;
    // Numbers are called N, or by a word.
    return value + ((key === "N" || key.length > 2) ? alone(more) : more);
  });
}

/* A text without its quotes; a tuple that holds one is a sentence. */
function sayValue(value) {
  if (typeof value === "string") return value;
  if (value.name?.startsWith("#")) return "none";
  const isSentence = value.name === "" && value.args.some((part) => typeof part === "string");
  return isSentence ? value.args.map(sayPart).join(" ").replace(/ (?=[,:])/g, "") : spell(value);
}

const sayPart = (part) => (part.name === "" ? part.args.map(sayValue).join(",") : sayValue(part));
