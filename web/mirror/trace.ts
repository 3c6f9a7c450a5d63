/* Rules of a changed file, traced: what `kb_score.reasons.trace` does with clingo's syntax trees. */

/** A condition, with its parts in traced rules: its text and its term there, its variables, and
 * the predicates that it asks for. */
export type Part = ElementPart & {
  body: string;
  term: string;
  names: string[];
  asks: string[];
  elements: Element[];
  added: boolean;
};

export type Element = { terms: string[]; names: string[]; parts: Part[] };

/** Counts the names that are given to what a rule leaves open. */
type Naming = { count: number };

import type { ClauseData, ElementPart } from "../data.d.ts";
import { tokens } from "./program.ts";

const NONE = "none'";
const VARIABLE = /^_*[A-Z]/;
// The conditions that lifting a rule to all turns adds to it.
const ADDED = "turn(Turn')";

const tuple = (terms: string[]) => `(${terms.join(",")}${terms.length === 1 ? "," : ""})`;
const squeeze = (text: string) => text.replace(/\s+/g, " ").trim();

/** The clauses of a file, one for each atom in the head of a rule, numbered from a given number. */
export function traceFile({ name: file, text }: { name: string; text: string }, first: number) {
  const lines = text.split("\n");
  const clauses: ClauseData[] = [];
  for (const { begin, end } of findStatements(text)) {
    const [head, body = ""] = splitAt(text.slice(begin, end), ":-");
    if (!head || /^[#:]/.test(head)) continue;
    const line = text.slice(0, begin).split("\n").length;
    const origin = {
      file,
      line,
      rule: `${squeeze(text.slice(begin, end))}.`,
      note: findNote(lines, line),
    };
    const { heads, isChoice } = readHeads(head);
    for (const [atom, ...conditions] of heads) {
      const clause = makeClause(
        first + clauses.length,
        atom,
        [...conditions, ...splitBody(body)],
        isChoice,
      );
      clauses.push({ ...clause, ...origin });
    }
  }
  return clauses;
}

/** Where the statements of a text stand, without their full stops. */
function* findStatements(text: string) {
  let begin = -1;
  let depth = 0;
  for (const [word, at] of tokens(text)) {
    if (word === "." && !depth) {
      if (begin >= 0) yield { begin, end: at };
      begin = -1;
    } else if (begin < 0) begin = at;
    depth += Number("([{".includes(word)) - Number(")]}".includes(word));
  }
}

/** The pieces of a text between signs that stand in no brackets, each of one letter or two. */
function splitAt(text: string, ...signs: string[]) {
  const pieces = [""];
  let [depth, end] = [0, 0];
  for (const [word, at] of tokens(text)) {
    if (at < end) continue;
    const sign = depth ? "" : signs.find((one) => text.startsWith(one, at));
    depth += Number("([{".includes(word)) - Number(")]}".includes(word));
    const blank = at > end && end && !sign ? " " : "";
    end = at + (sign || word).length;
    if (sign) pieces.push("");
    else pieces.push(pieces.pop() + (pieces.at(-1) === "" ? "" : blank) + word);
  }
  return pieces.map(squeeze);
}

/** The conditions of a body; a comma after a colon goes on with what the colon began. */
function splitBody(body: string) {
  return splitAt(body, ";")
    .filter(Boolean)
    .flatMap((piece) => {
      const parts = splitAt(piece, ",");
      const at = parts.findIndex((part) => splitAt(part, ":").length > 1);
      return at < 0 ? parts : [...parts.slice(0, at), parts.slice(at).join(", ")];
    });
}

/** The atoms of a head, each with the conditions that it has there, and whether they are a choice. */
function readHeads(head: string) {
  const [, inside] = head.match(/^[^{]*\{(.*)\}[^}]*$/s) ?? [];
  const pieces = splitAt(inside ?? head, ";", "|").map((piece) => {
    const [atom, conditions = ""] = splitAt(piece, ":");
    return [atom, ...splitBody(conditions)];
  });
  const isChoice = inside !== undefined || pieces.length > 1 || pieces[0].length > 1;
  return { heads: pieces.filter(([atom]) => /^-?_*[a-z]/.test(atom)), isChoice };
}

function makeClause(number: number, head: string, body: string[], isChoice: boolean) {
  const naming = { count: 0 };
  const parts = body.map((text) => makePart(text, naming));
  const names = [...new Set([...findNames(head), ...parts.flatMap((part) => part.names)])];
  const row = tuple(names);
  const conditions =
    [...parts.map((part) => part.body), ...(isChoice ? [head] : [])].join("; ") || "#true";
  const rules = [
    `why'(${number},${head},${row},${tuple(parts.map(({ term }) => term))}) :- ${conditions}.`,
  ];
  parts.forEach((part, at) =>
    part.elements.forEach((element, i) => {
      element.names = [...new Set(element.parts.flatMap((inner) => inner.names))].filter(
        (name) => !names.includes(name),
      );
      const terms = [
        tuple(element.terms),
        i,
        tuple(element.names),
        tuple(element.parts.map(({ term }) => term)),
      ];
      const inner = [`why'(${number},_,${row},_)`, ...element.parts.map((one) => one.body)].join(
        "; ",
      );
      rules.push(`counts'(${number},${at},${row},${terms.join(",")}) :- ${inner}.`);
    }),
  );
  const asks = new Set([
    ...parts.flatMap((part) => part.asks),
    ...(isChoice ? [nameOf(head)] : []),
  ]);
  return { number, name: nameOf(head), rules, asks: [...asks], names, parts, chosen: isChoice };
}

function makePart(text: string, naming: Naming): Part {
  const [literal, ...conditions] = splitAt(text, ":");
  const bare = literal.replace(/^not\s+/, "");
  const part: Part = {
    kind: "comparison",
    text,
    body: text,
    term: NONE,
    operator: "",
    names: findNames(text),
    asks: [],
    elements: [],
    added: text === ADDED,
  };
  if (conditions.length)
    return {
      ...part,
      kind: "all",
      names: [],
      asks: [literal, ...splitBody(conditions[0])].flatMap((one) => makePart(one, naming).asks),
    };
  if (text.includes("{")) return makeAggregate(part, naming);
  const operator =
    ["!=", "<=", ">=", "<", ">", "="].find((sign) => splitAt(bare, sign).length > 1) ?? "";
  if (operator || bare.startsWith("#")) {
    const sides = splitAt(text, operator || "#");
    const isPlain = operator && bare === literal && sides.length === 2 && !/\.\.|;/.test(text);
    return isPlain ? { ...part, operator, term: tuple(sides) } : part;
  }
  if (/^not\s/.test(bare)) return { ...part, asks: [nameOf(bare.replace(/^not\s+/, ""))] };
  const asks = [nameOf(bare)];
  if (bare !== literal)
    return {
      ...part,
      kind: "absent",
      term: /\.\.|;/.test(bare) ? NONE : rename(bare, () => "any'"),
      asks,
    };
  const { atom, also } = nameOpen(bare, naming);
  return {
    ...part,
    kind: "atom",
    body: [atom, ...also].join("; "),
    term: atom,
    names: findNames(atom),
    asks,
  };
}

function makeAggregate(part: Part, naming: Naming): Part {
  const [, before = "", inside = "", after = ""] =
    part.text.match(/^([^{]*)\{(.*)\}([^}]*)$/s) ?? [];
  const elements = splitAt(inside, ";")
    .filter(Boolean)
    .map((element) => {
      const [terms, conditions = ""] = splitAt(element, ":");
      const isTuple = before.includes("#");
      const literals = [...(isTuple ? [] : [terms]), ...splitBody(conditions)];
      return {
        terms: isTuple ? splitAt(terms, ",") : [terms],
        names: [],
        parts: literals.map((one) => makePart(one, naming)),
      };
    });
  const asks = elements.flatMap(({ parts }) => parts.flatMap((inner) => inner.asks));
  return { ...part, kind: "aggregate", names: findNames(`${before} ${after}`), asks, elements };
}

/** An atom with a name for all that it leaves open, and what these names stand for. */
function nameOpen(text: string, naming: Naming) {
  const next = () => `Any${(naming.count += 1)}'`;
  const [, name, inside] = text.match(/^([^(]*)\((.*)\)$/s) ?? [];
  const also: string[] = [];
  if (inside === undefined) return { atom: text, also };
  const args = splitAt(inside, ",").map((arg) => {
    if (!/\.\.|;/.test(arg)) return rename(arg, next);
    also.push(`${next()} = (${arg})`);
    return `Any${naming.count}'`;
  });
  return { atom: `${name}(${args.join(",")})`, also };
}

const rename = (text: string, next: () => string) =>
  [...tokens(text)].map(([word]) => (word === "_" ? next() : word)).join("");
const findNames = (text: string) => [
  ...new Set([...tokens(text)].map(([word]) => word).filter((word) => VARIABLE.test(word))),
];

/** The predicate of an atom, such as "gold/4". */
function nameOf(atom: string) {
  const [, name = "", inside] = atom.match(/^([^(]*)(?:\((.*)\))?$/s) ?? [];
  return `${name.trim()}/${inside === undefined ? 0 : splitAt(inside, ",").length}`;
}

/** The comment above the paragraph in which a rule stands. */
function findNote(lines: string[], line: number) {
  let above = line - 2;
  while (lines[above]?.trim() && !lines[above].startsWith("%")) above -= 1;
  const note: string[] = [];
  for (; lines[above]?.startsWith("% ") && !lines[above].includes("---"); above -= 1)
    note.unshift(lines[above].slice(2).trim());
  return note.join(" ");
}
