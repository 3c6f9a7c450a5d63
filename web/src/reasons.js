/* Questions why, asked by a click: the tree of a gold or a violation, as a list to unfold. */

import { byId, make, makeButton, on } from "./dom.js";
import { describe, listShown, quote, sayLeftOut, Tree } from "./tree.js";
import { Inquiry } from "./inquiry.js";
import { join } from "./program.js";
import { traceFile } from "./trace.js";

const OPEN_LEVELS = 2;
// The rules of a changed file have numbers of their own.
const OTHERS = 1e6;
const CONSTANT = /^\s*#const\b.*$/gm;

export class Reasons {
  /* `twin` makes a second clingo, lest a question why stands in the way of an answer. */
  constructor(data, rules, twin) {
    this.data = data;
    this.rules = rules;
    this.twin = twin;
    this.inquiries = new Map();
    this.asked = 0;
    this.engine = null; // which is begun when it is needed
    on("close-tree", () => this.forget());
  }

  /* What was found is of no use once the board or the rules have changed. */
  forget() {
    this.asked += 1;
    this.inquiries.clear();
    byId("tree").hidden = true;
  }

  /* Ask why an atom holds, and show the tree; a later question comes before an earlier one. */
  async show(atom, asked) {
    this.asked += 1;
    const number = this.asked;
    byId("tree").hidden = false;
    byId("tree-list").replaceChildren();
    this.say("Asking the rules why.");
    byId("tree").scrollIntoView({ block: "nearest" });
    try {
      const tree = await this.explain(atom, asked);
      if (number !== this.asked) return;
      const more = (inner) => this.explain(inner, asked).catch((error) => this.say(`There is no more: ${error.message}.`));
      byId("tree-list").replaceChildren(makeItem(tree, 0, more));
      this.say("Each line holds by the rule that stands behind it, because of the lines below it.");
    } catch (error) {
      if (number === this.asked) this.say(`There is no tree: ${error.message}.`);
    }
  }

  say(text) { byId("tree-status").textContent = text; }

  /* The tree of an atom that holds by some rules about some facts. */
  async explain(atom, { names, facts }) {
    const key = `${names} ${facts}`;
    if (!this.inquiries.has(key)) this.inquiries.set(key, this.open(names, facts));
    return new Tree(await this.inquiries.get(key), this.data.why).explain(atom);
  }

  async open(names, facts) {
    const { clauses, shown } = this.data.why.rules[names];
    const changed = this.rules.all().filter((file) => file.text !== file.given);
    if (changed.some(({ text, given }) => String(text.match(CONSTANT)) !== String((given ?? "").match(CONSTANT)))) {
      throw new Error("a #const is changed here, and the rules were taken apart with the one before");
    }
    const constants = this.rules.all().flatMap(({ text }) => text.match(CONSTANT) ?? []).join("\n");
    const theirs = new Set(changed.map(({ name }) => name));
    const ours = clauses.filter(({ file }) => !theirs.has(file));
    const others = changed.flatMap((file, i) => traceFile(file, OTHERS * (i + 1)));
    const inquiry = new Inquiry([...ours, ...others], (program) => this.solve(`${constants}\n${program}`));
    const shows = shown.map((name) => `#show ${name}.`).join(" ");
    const { text } = join(facts, this.rules.of(this.data.uses[names]));
    inquiry.take(await this.solve(`${text}${shows}\n`), await this.solve(`${facts}\n`));
    return inquiry;
  }

  async solve(program) {
    this.engine ??= this.twin();
    const answer = await this.engine.run(program, ["--warn=none"]);
    if (answer.stopped || answer.isFull) throw new Error("the question takes too long, or too much memory");
    const [atoms] = answer.models;
    if (!atoms) throw new Error(`clingo refuses the question: ${answer.err.split("\n")[0]}`);
    return atoms;
  }
}

/* A line with what it rests on; `more` makes the tree of an atom where this one ends. */
function makeItem(node, level, more) {
  const lines = listShown(node).map((inner) => makeItem(inner, level + 1, more));
  const ends = !lines.length && node.leftOut > 0 && node.origin;
  if (node.leftOut) lines.push(make("li", ends ? "" : sayLeftOut(node), { class: "dim" }));
  if (!lines.length) return make("li", describe(node));
  const rule = level ? [] : quote(node).map((line) => make("p", line, { class: "dim" }));
  const unfolded = make("details", [make("summary", describe(node)), ...rule, make("ul", lines)]);
  unfolded.open = level < OPEN_LEVELS;
  const item = make("li", unfolded);
  if (ends) {
    lines[0].append(makeButton(sayLeftOut(node), async () => {
      const found = await more(node.atom);
      if (!found) return;
      const deeper = makeItem(found, 1, more);
      item.replaceWith(deeper);
      deeper.querySelector("summary")?.focus();
    }));
  }
  return item;
}
