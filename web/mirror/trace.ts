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

import type { Clause, ElementPart } from "../data.d.ts";
import { tokens } from "./program.ts";

const NONE = "none'";
const VARIABLE = /^_*[A-Z]/;
// The conditions that lifting a rule to all turns adds to it.
const ADDED = ["turn(Turn')", "opened(Turn')"];
// A sign comes before those that it begins with.
const COMPARISONS = ["!=", "<>", "<=", ">=", "==", "<", ">", "="];
const OTHER_SPELLINGS: Record<string, string> = { "==": "=", "<>": "!=" };

const tuple = (terms: string[]) => `(${terms.join(",")}${terms.length === 1 ? "," : ""})`;
const squeeze = (text: string) => text.replace(/\s+/g, " ").trim();

/** The clauses of a file, one for each atom in the head of a rule, and for each value of its pools, numbered from a given number. */
export function traceFile({ name: file, text }: { name: string; text: string }, first: number) {
  const lines = text.split("\n");
  const clauses: Clause[] = [];
  let isRun = true;
  for (const { begin, end } of findStatements(text)) {
    const [head, body = ""] = splitAt(text.slice(begin, end), ":-");
    if (/^#program\b/.test(head)) isRun = /^#program base( ?\( ?\))?$/.test(head);
    if (!isRun || !head || /^:|^#(?!count|sum|min\b|max\b)/.test(head)) continue;
    const line = text.slice(0, begin).split("\n").length;
    const origin = {
      file,
      line,
      rule: `${squeeze(text.slice(begin, end))}.`,
      note: findNote(lines, line),
    };
    const { heads, isChoice } = readHeads(head);
    for (const [pooled, ...conditions] of heads) {
      for (const [atom, ...literals] of unpoolAll([pooled, ...conditions, ...splitBody(body)])) {
        const clause = makeClause(first + clauses.length, atom, literals, isChoice);
        clauses.push({ ...clause, ...origin });
      }
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
    } else if (begin < 0 && !depth && word !== "[") begin = at; // a weight ends the statement before
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
  return pieces.map((piece) => piece.trim());
}

/** What stands before, in and after the braces of a text; null if it has none. */
function splitBraces(text: string) {
  const words = [...tokens(text)];
  const begin = words.find(([word]) => word === "{")?.[1];
  const end = words.findLast(([word]) => word === "}")?.[1];
  if (begin === undefined || end === undefined) return null;
  const before = text.slice(0, begin).trim();
  const inside = text.slice(begin + 1, end);
  return { before, inside, after: text.slice(end + 1), hasTuples: /#\w+\+?$/.test(before) };
}

/** The texts that a text with pools stands for, such as p(1) and p(2) for p(1;2). */
function unpool(text: string): string[] {
  /** Of each bracket that is open: its place, and those of its semicolons. */
  const open: number[][] = [];
  let pool: number[] | undefined;
  for (const [word, at] of tokens(text)) {
    if ("([{".includes(word)) open.push([at]);
    else if (word === ";") open.at(-1)?.push(at);
    else if (")]}".includes(word)) {
      const places = [...(open.pop() ?? []), at];
      // The outermost pool comes first.
      if (word === ")" && places.length > 2 && places[0] < (pool?.[0] ?? Infinity)) pool = places;
    }
  }
  if (!pool) return [text];
  const [begin, end] = [pool[0], pool[pool.length - 1]];
  return pool
    .slice(1)
    .flatMap((at, i) =>
      unpool(text.slice(0, begin + 1) + text.slice(pool[i] + 1, at) + text.slice(end)),
    );
}

/** All choices of values for the pools of a head and of conditions; those in conditions with a scope of their own are left. */
function unpoolAll(texts: string[]) {
  const values = texts.map((text) =>
    splitBraces(text) || splitAt(text, ":").length > 1 ? [text] : unpool(text),
  );
  return values.reduce<string[][]>(
    (found, own) => own.flatMap((text) => found.map((before) => [...before, text])),
    [[]],
  );
}

/** The conditions of a body; a comma after a colon goes on with what the colon began. */
function splitBody(body: string, ...signs: string[]) {
  return splitAt(body, ";", ...signs)
    .filter(Boolean)
    .flatMap((piece) => {
      const parts = splitAt(piece, ",");
      const at = parts.findIndex((part) => splitAt(part, ":").length > 1);
      return at < 0 ? parts : [...parts.slice(0, at), parts.slice(at).join(", ")];
    });
}

/** The atoms of a head, each with the conditions that it has there, and whether they are a choice. */
function readHeads(head: string) {
  const braces = splitBraces(head);
  const elements = braces ? splitAt(braces.inside, ";") : splitBody(head, "|");
  const pieces = elements.map((element) => {
    const [atom = "", conditions = ""] = splitAt(element, ":").slice(braces?.hasTuples ? 1 : 0);
    return [atom, ...splitBody(conditions)];
  });
  const isChoice = braces !== null || pieces.length > 1 || pieces[0].length > 1;
  return { heads: pieces.filter(([atom]) => /^(?!not\s)-?_*[a-z]/.test(atom)), isChoice };
}

function makeClause(number: number, head: string, body: string[], isChoice: boolean) {
  const naming = { count: 0 };
  const parts = body.map((text) => makePart(text, naming));
  // The variables of each argument of the head are sorted, as the command has them.
  const own = argumentsOf(head).flatMap((argument) => findNames(argument).sort());
  const names = [...new Set([...own, ...parts.flatMap((part) => part.names)])];
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
    added: ADDED.includes(text),
  };
  if (conditions.length)
    return {
      ...part,
      kind: "all",
      names: [],
      asks: [literal, ...splitBody(conditions[0])].flatMap((one) => makePart(one, naming).asks),
    };
  if (splitBraces(text)) return makeAggregate(part, naming);
  if (bare.startsWith("#")) return part;
  const sides = splitAt(bare, ...COMPARISONS);
  if (sides.length > 2 || (sides.length === 2 && (bare !== literal || /\.\.|;/.test(text))))
    return part;
  if (sides.length === 2) {
    const sign = COMPARISONS.find((one) => splitAt(text, one).length === 2) ?? "";
    const { text: body } = nameOpen(text, naming);
    const term = tuple(splitAt(body, sign));
    return { ...part, body, term, names: findNames(body), operator: OTHER_SPELLINGS[sign] ?? sign };
  }
  if (/^not\s/.test(bare)) return { ...part, asks: [nameOf(bare.replace(/^not\s+/, ""))] };
  const asks = [nameOf(bare)];
  if (bare !== literal)
    return {
      ...part,
      kind: "absent",
      term: bare.includes("..") ? NONE : rename(bare, () => "any'"),
      asks,
    };
  const { text: atom, also } = nameOpen(bare, naming);
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
  const { before, inside, after, hasTuples } = splitBraces(part.text)!;
  const elements = splitAt(inside, ";")
    .filter(Boolean)
    .flatMap(unpool)
    .map((element) => {
      const [terms, conditions = ""] = splitAt(element, ":");
      const literals = [...(hasTuples ? [] : [terms]), ...splitBody(conditions)];
      return {
        terms: hasTuples ? splitAt(terms, ",") : [terms],
        names: [],
        parts: literals.map((one) => makePart(one, naming)),
      };
    });
  const asks = elements.flatMap(({ parts }) => parts.flatMap((inner) => inner.asks));
  return { ...part, kind: "aggregate", names: findNames(`${before} ${after}`), asks, elements };
}

/** A condition with a name for all that it leaves open, and what these names stand for. */
function nameOpen(condition: string, naming: Naming) {
  const next = () => `Any${(naming.count += 1)}'`;
  const also: string[] = [];
  function nameTerm(term: string): string {
    if (splitAt(term, "..").length > 1) {
      const name = next();
      also.push(`${name} = (${term})`);
      return name;
    }
    let [text, depth, begin] = ["", 0, 0];
    for (const [word, at] of tokens(term)) {
      if (word === "(" && !depth) begin = at + 1;
      depth += Number(word === "(") - Number(word === ")");
      if (word === ")" && !depth) {
        const inner = term.slice(begin, at);
        text += `(${splitAt(inner, ",").map(nameTerm).join(",")})`;
      } else if (!depth) text += word === "_" ? next() : word;
    }
    return text;
  }
  return { text: nameTerm(condition), also };
}

const rename = (text: string, next: () => string) =>
  [...tokens(text)].map(([word]) => (word === "_" ? next() : word)).join("");
const findNames = (text: string) => [
  ...new Set([...tokens(text)].map(([word]) => word).filter((word) => VARIABLE.test(word))),
];

/** The predicate of an atom, such as "gold/4". */
const nameOf = (atom: string) => `${atom.split("(")[0].trim()}/${argumentsOf(atom).length}`;

function argumentsOf(atom: string) {
  const [, inside] = atom.match(/\((.*)\)$/s) ?? [];
  return inside ? splitAt(inside, ",") : [];
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
