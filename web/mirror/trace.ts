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
import {
  argumentsOf,
  findStatements,
  isHead,
  nameOf,
  readHeads,
  splitAt,
  splitBody,
  splitBraces,
  tokens,
  unpool,
  unpoolAll,
} from "./rules.ts";

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
  const clauses: ClauseData[] = [];
  let isRun = true;
  for (const { begin, end } of findStatements(text)) {
    const [head, body = ""] = splitAt(text.slice(begin, end), ":-");
    if (/^#program\b/.test(head)) isRun = /^#program base( ?\( ?\))?$/.test(head);
    if (!isRun || !isHead(head)) continue;
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

/** The comment above the paragraph in which a rule stands. */
function findNote(lines: string[], line: number) {
  let above = line - 2;
  while (lines[above]?.trim() && !lines[above].startsWith("%")) above -= 1;
  const note: string[] = [];
  for (; lines[above]?.startsWith("% ") && !lines[above].includes("---"); above -= 1)
    note.unshift(lines[above].slice(2).trim());
  return note.join(" ");
}
