/* Atoms as clingo prints them, to values: numbers, texts, {name, args}; a tuple has the name "". */

const TOKEN = /\s*(?:(-?\d+)|"((?:\\.|[^"\\])*)"|(-?[a-z_][\w']*)|(#inf|#sup)|([(),]))/y;

export function parseAtom(text) {
  TOKEN.lastIndex = 0;
  let token = next();
  function next() {
    return TOKEN.exec(text) ?? [];
  }
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

/* The rows of each predicate, such as rows["score/3"], each with its atom; constants are texts. */
export function readAtoms(atoms) {
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

/* The sentence that a tuple of words and numbers makes; a tuple in it is a place. */
export function writeSentence(detail) {
  const isTuple = (value) => typeof value === "object" && value.name === "";
  const parts = isTuple(detail) ? detail.args : [detail];
  return parts.map((part) => (isTuple(part) ? part.args.map(write).join(",") : write(part))).join(" ");
}

/* A reason in words: hex(3,4) is "hex 3,4", a group is named by its first hex. */
export function sayWhy(why) {
  if (typeof why !== "object" || !why.name || !why.args.length) return write(why);
  const [first] = why.args;
  if (why.name === "area" && why.args.length === 1 && first.name === "" && first.args.length === 2) {
    return `group from hex ${first.args.map(write).join(",")}`;
  }
  return `${why.name} ${why.args.map(write).join(",")}`;
}
