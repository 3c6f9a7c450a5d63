/* Questions why, asked by a click: the tree of a gold or a violation, as a list to unfold. */

import type { Engine } from "../kernel/engine.ts";
import type { PlaygroundData } from "../data.d.ts";
import type { Rules } from "./rules.ts";
import type { Asked } from "../mirror/terms.ts";
import type { Reason } from "../mirror/tree.ts";
import { byId, make, makeButton, on, sayError } from "../kernel/dom.ts";
import { describe, listShown, quote, sayLeftOut, Tree } from "../mirror/tree.ts";
import { Inquiry } from "../mirror/inquiry.ts";
import { join } from "../mirror/program.ts";
import { traceFile } from "../mirror/trace.ts";

const OPEN_LEVELS = 2;
// The rules of a changed file have numbers of their own.
const OTHERS = 1e6;
const CONSTANT = /^\s*#const\b.*$/gm;

/** Makes the tree of an atom where another tree ends; returns nothing if that is not possible. */
type More = (atom: string) => Promise<Reason | undefined>;

export class Reasons {
  data: PlaygroundData;
  uses: Record<string, string[]>;
  rules: Rules;
  twin: () => Engine;
  inquiries: Map<string, Promise<Inquiry>> = new Map();
  asked = 0;
  /** Started when it is needed. */
  engine: Engine | null = null;
  /** What goes on. */
  task: Promise<void> | undefined;

  /** `twin` starts a second clingo, so that a question why does not delay an answer. */
  constructor(data: PlaygroundData, rules: Rules, twin: () => Engine) {
    this.data = data;
    this.uses = data.uses;
    this.rules = rules;
    this.twin = twin;
    on("close-tree", () => this.forget());
  }

  /* What was found is of no use once the board or the rules have changed. */
  forget() {
    this.asked += 1;
    this.inquiries.clear();
    byId("tree").hidden = true;
  }

  /** Ask why an atom holds, and show the tree; a later question replaces an earlier one. */
  show(atom: string, asked: Asked) {
    this.task = this.tell(atom, asked);
    return this.task;
  }

  async tell(atom: string, asked: Asked) {
    this.asked += 1;
    const number = this.asked;
    byId("tree").hidden = false;
    byId("tree-list").replaceChildren();
    this.say("Asking the rules why.");
    byId("tree").scrollIntoView({ block: "nearest" });
    try {
      const tree = await this.explain(atom, asked);
      if (number !== this.asked) return;
      const more: More = (inner) =>
        this.explain(inner, asked).catch((error) => {
          this.say(`There is nothing more to show: ${sayError(error)}.`);
          return undefined;
        });
      byId("tree-list").replaceChildren(makeItem(tree, 0, more));
      this.say("Each line follows from the lines below it, by the rule named at its end.");
    } catch (error) {
      if (number === this.asked) this.say(`There is no tree: ${sayError(error)}.`);
    }
  }

  say(text: string) {
    byId("tree-status").textContent = text;
  }

  /** The tree of an atom that holds by some rules about some facts. */
  async explain(atom: string, { names, facts }: Asked) {
    const key = `${names} ${facts}`;
    const inquiry = this.inquiries.get(key) ?? this.open(names, facts);
    this.inquiries.set(key, inquiry);
    return new Tree(await inquiry, this.data.why).explain(atom);
  }

  async open(names: string, facts: string) {
    const { clauses, shown } = this.data.why.rules[names];
    const changed = this.rules.all().filter((file) => file.text !== file.given);
    if (
      changed.some(
        ({ text, given }) => String(text.match(CONSTANT)) !== String((given ?? "").match(CONSTANT)),
      )
    ) {
      throw new Error("a #const has changed here, but the tree is still based on its old value");
    }
    const constants = this.rules
      .all()
      .flatMap(({ text }) => text.match(CONSTANT) ?? [])
      .join("\n");
    const theirs = new Set(changed.map(({ name }) => name));
    const ours = clauses.filter(({ file }) => !theirs.has(file));
    const others = changed.flatMap((file, i) => traceFile(file, OTHERS * (i + 1)));
    const inquiry = new Inquiry([...ours, ...others], (program) =>
      this.solve(`${constants}\n${program}`),
    );
    const shows = shown.map((name) => `#show ${name}.`).join(" ");
    const { text } = join(facts, this.rules.of(this.uses[names]));
    inquiry.take(await this.solve(`${text}${shows}\n`), await this.solve(`${facts}\n`));
    return inquiry;
  }

  /** The atoms that a program shows. */
  async solve(program: string) {
    this.engine ??= this.twin();
    const {
      err = "",
      isFull,
      models = [],
      stopped,
    } = await this.engine.run(program, ["--warn=none"]);
    if (stopped || isFull) throw new Error("the question takes too long, or too much memory");
    const [atoms] = models;
    if (!atoms) throw new Error(`clingo rejects the question: ${err.split("\n")[0]}`);
    return atoms;
  }
}

/** A line with what it rests on. */
function makeItem(node: Reason, level: number, more: More): HTMLElement {
  const lines = listShown(node).map((inner) => makeItem(inner, level + 1, more));
  const { atom } = node;
  const ends = !lines.length && node.leftOut > 0 && node.origin && atom;
  if (node.leftOut) lines.push(make("li", ends ? "" : sayLeftOut(node), { class: "dim" }));
  if (!lines.length) return make("li", describe(node));
  const rule = level ? [] : quote(node).map((line) => make("p", line, { class: "dim" }));
  const unfolded = make("details", [make("summary", describe(node)), ...rule, make("ul", lines)]);
  unfolded.open = level < OPEN_LEVELS;
  const item = make("li", unfolded);
  if (ends) {
    lines[0].append(
      makeButton(sayLeftOut(node), async () => {
        const found = await more(atom);
        if (!found) return;
        const deeper = makeItem(found, 1, more);
        item.replaceWith(deeper);
        deeper.querySelector("summary")?.focus();
      }),
    );
  }
  return item;
}
