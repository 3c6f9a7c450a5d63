/* Why an atom holds: a tree of steps, rules as they stand in their files, down to facts. */

import type { Inquiry, Step } from "./inquiry.ts";
import type { ReasonsData, ElementPart, ClauseData } from "../data.d.ts";
import type { Term } from "./terms.ts";
import { fill, say, spell, takeIn } from "./terms.ts";

type Atom = { text: string; name: string; args: Term[] };

/** The place of a rule, and its text. */
type Origin = Pick<ClauseData, "file" | "line" | "rule" | "note">;

/** A reason: the atom that holds, or the condition, its meaning, its own reasons, and the number of those left out. If the
 * same rules repeat many times, there is no atom. */
export type Reason = {
  kind: string;
  atom?: string;
  says: string;
  because: Reason[];
  leftOut: number;
  origin?: Origin;
};

/** A rule on the way down to an atom, and the place of the condition that led on. */
type Turning = { clause: ClauseData; at: number };

const BEGINNINGS: Record<string, string> = { absent: "not so: ", all: "for all: " };
// In a traced rule, an open argument.
const ANY = "any'";
const BARE = ["compared", "counted", "element", "all"];

export class Tree {
  inquiry: Inquiry;
  depth: number;
  width: number;
  says: Record<string, [names: string[], sentence: string]>;
  /** Atoms that are told. */
  shown: Set<string> = new Set();
  /** Atoms that the one that is being told leads up to. */
  above: string[] = [];

  constructor(inquiry: Inquiry, { depth, width, says }: ReasonsData) {
    this.inquiry = inquiry;
    this.depth = depth;
    this.width = width;
    this.says = says;
  }

  async explain(text: string, depth: number = this.depth, path: Turning[] = []): Promise<Reason> {
    const atom = takeIn(text);
    const step = await this.inquiry.choose(atom);
    const node: Omit<Reason, "kind"> = {
      atom: text,
      says: say(this.says, atom.name, atom.spelt),
      because: [],
      leftOut: 0,
    };
    if (!step) return { ...node, kind: "given" };
    if (!step.clause) return { ...node, kind: "held" };
    if (this.shown.has(text))
      return { ...node, kind: this.above.includes(text) ? "held" : "again" };
    const run = await this.followRun(atom, step.clause, depth, path);
    if (run) return { ...node, ...run };
    const { clause } = step;
    const parts = [...clause.parts.entries()].filter(([, part]) => !part.added);
    const kind = clause.chosen ? "chosen" : parts.length ? "follows" : "stated";
    const found: Reason = { ...node, kind, origin: clause };
    if (depth <= 0) return { ...found, leftOut: parts.length };
    this.shown.add(text);
    this.above.push(text);
    for (const [i, part] of parts) {
      const further = [...path, { clause, at: i }];
      if (part.kind === "aggregate") found.because.push(await this.explainSum(step, i, depth));
      else
        found.because.push(
          await this.explainPart(part, step.terms[i], step.values, depth, further),
        );
    }
    this.above.pop();
    return found;
  }

  async explainPart(
    { kind, text, operator }: ElementPart,
    term: Term | null,
    values: Map<string, string>,
    depth: number,
    path: Turning[] = [],
  ): Promise<Reason> {
    if (kind === "atom" && term) return this.explain(spell(term), depth - 1, path);
    const node = {
      kind: kind === "comparison" ? "compared" : kind,
      atom: fill(text, values),
      says: "",
      because: [],
      leftOut: 0,
    };
    if (typeof term !== "object" || !term) return node;
    if (operator)
      return { ...node, atom: `${spell(term.args[0])} ${operator} ${spell(term.args[1])}` };
    if (kind !== "absent") return node;
    const { name, args, spelt } = takeIn(spell(term));
    const shown = spelt.map((value) => (value === ANY ? "_" : value));
    const atom = args.length ? `not ${term.name}(${shown})` : `not ${term.name}`;
    return {
      ...node,
      atom,
      says: say(
        this.says,
        name,
        spelt.map((value) => (value === ANY ? undefined : value)),
      ),
    };
  }

  async explainSum(step: Step, at: number, depth: number): Promise<Reason> {
    const { text } = step.clause.parts[at];
    const elements = this.inquiry.count(step, at);
    let shown = elements.slice(0, this.width);
    if (text.includes("#min")) shown = elements.slice(0, 1);
    else if (text.includes("#max")) shown = elements.slice(-1);
    const because: Reason[] = [];
    for (const { text: key, parts, values, terms } of depth > 0 ? shown : []) {
      const reasons: Reason[] = [];
      for (const [i, inner] of parts.entries())
        reasons.push(await this.explainPart(inner, terms[i], values, depth));
      because.push(
        reasons.length === 1
          ? reasons[0]
          : { kind: "element", atom: key, says: "", because: reasons, leftOut: 0 },
      );
    }
    return {
      kind: "counted",
      atom: fill(text, step.values),
      says: "",
      because,
      leftOut: elements.length - because.length,
    };
  }

  /** Follow the same few rules as far as they lead, if they have just led to this atom. */
  async followRun(atom: Atom, clause: ClauseData, depth: number, path: Turning[]) {
    const begin = path.findLastIndex((step) => step.clause === clause);
    if (begin < 0) return null;
    const steps = path.slice(begin);
    let times = 0;
    let last = atom;
    for (let next = await this.follow(last, steps); next; next = await this.follow(last, steps))
      [times, last] = [times + 1, next];
    if (times < 2) return null;
    const rules = steps.length === 1 ? "rule" : `${steps.length} rules`;
    const because = [await this.explain(last.text, depth - 1)];
    return {
      kind: "steps",
      says: `the same ${rules} ${times} more times, down to`,
      origin: clause,
      because,
    };
  }

  /** The atom that some rules lead to from another one; null if they do not. */
  async follow(atom: Atom, steps: Turning[]) {
    let found = atom;
    for (const { clause, at } of steps) {
      const step = await this.inquiry.choose(found);
      if (!step?.clause || step.clause !== clause || clause.parts[at].kind !== "atom") return null;
      found = takeIn(spell(step.terms[at] ?? ""));
    }
    return found;
  }
}

/** The reasons to show, without obvious ones: that a value equals itself, is in its own range, or is less than
 * nothing at all. */
export const listShown = ({ because }: Reason) =>
  because.filter(
    ({ kind, atom = "" }) =>
      kind !== "compared" ||
      !/^(?:(.*) = \1|-?\d+ = .*\.\..*|.* (?:!=|<) #(?:sup|inf)|#(?:sup|inf) (?:!=|<) .*)$/s.test(
        atom,
      ),
  );

/** A reason on one line, without what it rests on. */
export function describe({ kind, atom: text, says, origin }: Reason) {
  const atom = text?.replace(/#(?:sup|inf)/g, "none");
  // The rules that look back at the turn before stand in no file.
  const looksBack = origin?.file === "<string>" && atom?.startsWith("before_");
  const where = looksBack ? "the turn before" : origin ? `${origin.file}:${origin.line}` : "";
  if (kind === "steps") return `${where}: ${says}`;
  if (BARE.includes(kind)) return `${BEGINNINGS[kind] ?? ""}${atom}`;
  const sources: Record<string, string> = {
    given: "given",
    again: "see above",
    held: "depends on itself",
    chosen: `chosen, ${where}`,
  };
  const aside = [says && atom, sources[kind] ?? where].filter(Boolean).join("; ");
  // The beginning of the line denies it already.
  const bare = kind === "absent" ? atom?.replace(/^not /, "") : atom;
  return `${BEGINNINGS[kind] ?? ""}${says || bare}${aside && ` [${aside}]`}`;
}

export function sayLeftOut({ kind, because, leftOut }: Reason) {
  const what = kind === "counted" ? "part" : "condition";
  return `… ${leftOut} ${because.length ? "more " : ""}${what}${leftOut === 1 ? "" : "s"}`;
}

/** The comment above a rule, and the rule. */
export const quote = ({ origin, kind }: Reason) =>
  origin && kind !== "steps" ? [origin.note, origin.rule].filter(Boolean) : [];
