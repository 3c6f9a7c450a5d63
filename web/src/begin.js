// @ts-check
/* What one can begin with: the examples and the rulings of the rule files, and a card in one line. */

import { byId, make, on } from "./dom.js";
import { ReadError } from "./board.js";

const EXAMPLE = /^%\*!\s*Example: *(.*)\n([^]*?)\*%/gm;
const CLAIM = /^(?:[a-z][^:\n]*:|with )/m; // the beginning of an example's assertions
const RULING = /^% ruling: (.*)\n(?:% \(with [01], ([^]*?)\)\n)?(?:% values: .*\n)?#const (\w+) = ([01])\./gm;

/** What is done when something is chosen; it may say something of it. @typedef {() => string | void} Act */
/** @typedef {import("./board.js").Board} Board */

/**
 * @param {import("./data.js").BoardData} data
 * @param {import("./rules.js").Rules} rules
 * @param {{check: (text: string) => Board, take: (rows: Board) => void}} board `check` throws an error if a text is not a board
 */
export function offerBeginnings({ card, uses }, rules, { check, take }) {
  /** @type {Record<"examples" | "rulings", Act[]>} */
  const acts = { examples: [], rulings: [] };
  /** @param {"examples" | "rulings"} id @param {string} name @param {[string, Act][]} found */
  const offer = (id, name, found) => {
    if (!found.length) return;
    byId(id).append(make("optgroup", found.map(([title, act]) => make("option", title, { value: acts[id].push(act) })), { label: name }));
  };
  for (const { name, text } of rules.of(uses.scores)) {
    offer("examples", name, [...text.matchAll(EXAMPLE)].flatMap(([, title, body]) => {
      const rows = readRows(body.split(CLAIM)[0], check);
      return rows ? [[title, () => { rules.open(name); take(rows); }]] : [];
    }));
    offer("rulings", name, [...text.matchAll(RULING)].map(([, title, other, constant, given]) => [`not: ${title}`, () => {
      /** @type {number | undefined} */
      let value;
      const line = new RegExp(`(#const ${constant} = )([01])\\.`);
      rules.write(name, rules.get(name).text.replace(line, (_, before, old) => `${before}${value = 1 - Number(old)}.`));
      return `${constant} is ${value} now, in ${name}: ${value === Number(given) ? title : other}. If no figure changes, nothing on this board depends on it.`;
    }]));
  }
  for (const [id, own] of Object.entries(acts)) {
    on(id, () => {
      const says = own[byId(id).value - 1]?.() ?? "";
      Object.assign(byId("note"), { textContent: says, hidden: !says });
      byId(id).value = "";
    }, "change");
  }
  on("one-line", () => rules.write(card.name, card.text));
}

/** The rows of a text; null if it is not a board. @param {string} text @param {(text: string) => Board} check */
function readRows(text, check) {
  try {
    return check(text);
  } catch (error) {
    if (error instanceof ReadError) return null; // such as a game
    throw error;
  }
}
