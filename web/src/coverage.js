// @ts-check
// Shows which rules of a file are used, and an instance of each.
import { byId, make, makeButton, readData } from "./dom.js";
import { Sorted } from "./tables.js";

/** @typedef {import("./data.js").CoveredFile} File */
/** @typedef {import("./data.js").CoveredRule} Rule */

/** @param {Rule} one */
const isUsed = (one) => one.instance !== "";
/** @param {Rule[]} some */
const count = (some) => some.filter(isUsed).length;
/** @param {File} file */
const conditions = (file) => file.rules.flatMap((rule) => rule.conditions);

/** How far a rule is used: a class for styles, a sign, and words. @param {Rule} rule */
function judge(rule) {
  const number = `${count(rule.conditions)}/${rule.conditions.length}`;
  if (!isUsed(rule)) return ["never", "\u2717", "never used"];
  return count(rule.conditions) < rule.conditions.length
    ? ["some", `\u25D0 ${number}`, `used; ${number} conditions mattered`]
    : ["all", `\u2713 ${number}`, `used; ${number} conditions mattered`];
}

class Page {
  /** @param {import("./data.js").CoverageData} data */
  constructor({ files }) {
    this.files = files;
    this.links = new Map(files.map((file, number) => [file, make("a", file.name, { href: `#file-${number + 1}` })]));
    /** @type {import("./tables.js").Column<File>[]} */
    const columns = [
      { label: "game", heads: true, value: (file) => file.game },
      { label: "file", heads: true, value: (file) => file.name, cell: (file) => this.links.get(file) },
      { label: "rules", value: (file) => file.rules.length },
      { label: "used", value: (file) => count(file.rules) },
      { label: "conditions", value: (file) => conditions(file).length },
      { label: "decided", value: (file) => count(conditions(file)) },
    ];
    new Sorted(byId("files"), columns, files);
    addEventListener("hashchange", () => this.open(true));
    this.open();
  }

  /* Show the file that the address names, or the first one. */
  open(moves = false) {
    const file = this.files[Number(location.hash.replace("#file-", "")) - 1] ?? this.files[0];
    byId("name").textContent = file.name;
    byId("shown").hidden = true;
    /** @type {Map<number, Rule[]>} */
    const starts = new Map();
    for (const rule of file.rules) starts.set(rule.line, [...(starts.get(rule.line) ?? []), rule]);
    byId("text").replaceChildren(...file.text.map((text, at) => {
      const rules = starts.get(at + 1) ?? [];
      const within = file.rules.filter((rule) => rule.line <= at + 1 && at + 1 <= rule.end);
      // A line with several rules is shown as the rule that is used least.
      const states = within.map((rule) => judge(rule)[0]);
      const state = ["never", "some", "all"].find((one) => states.includes(one)) ?? "";
      const buttons = rules.map((rule) => {
        const [, sign, says] = judge(rule);
        /** @type {HTMLButtonElement} */
        const button = makeButton(sign, () => this.show(rule, button), { "aria-label": `line ${rule.line}: ${says}` });
        return button;
      });
      const parts = [make("span", buttons, { class: "count" }), make("span", String(at + 1), { class: "number" }), make("span", text || " ")];
      return make("div", parts, { class: state });
    }));
    for (const [other, link] of this.links) {
      if (other === file) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (moves) byId("name").focus();
  }

  /** Show an instance of a rule, and one of each of its conditions. @param {Rule} rule @param {HTMLButtonElement} button */
  show(rule, button) {
    byId("text").querySelector("[aria-current]")?.removeAttribute("aria-current");
    button.setAttribute("aria-current", "true");
    /** @param {Rule} one */
    const tell = (one) => (isUsed(one) ? [make("p", make("code", one.instance)), make("p", one.where, { class: "dim" })] : [make("p", "never")]);
    const decided = rule.conditions.map((one) => make("li", [make("h3", make("code", one.text)), ...tell(one)]));
    byId("shown").replaceChildren(
      make("h3", `Line ${rule.line} applies`), ...tell(rule),
      make("h3", decided.length ? "What its conditions have decided" : "It has no conditions"), make("ul", decided),
    );
    byId("shown").hidden = false;
  }
}

readData().then((/** @type {import("./data.js").CoverageData} */ data) => {
  window.coverage = new Page(data);
  document.documentElement.dataset.ready = "yes";
});
