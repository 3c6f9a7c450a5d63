// @ts-check
/* A changed card beside the shipped one: the smallest board on which they pay differently, as `rules compare` finds it. */

import { byId, makeButton, on, sayError } from "./dom.js";
import { tokens } from "./program.js";
import { readAtoms } from "./terms.js";

const [LIMIT, MOST_PLAYERS, LONGEST, UNSATISFIABLE] = [20_000, 2, 20, 20];

/**
 * @typedef {import("./board.js").Rows} Rows
 *
 * A statement with its words, and the predicates or the constant that it is about; null for none.
 * @typedef {{text: string, words: string[], heads: string[] | null}} Statement
 *
 * Asks about some facts, with options, for a number of models; returns the answer, or why it was stopped.
 * @typedef {(facts: string, more: string[], count: number) => Promise<import("./engine.js").Answer | string>} Ask
 */

/** @param {string} text */
function split(text) {
  /** @type {Statement[]} */
  const found = [];
  /** @type {[string[], number]} */
  let [words, begin] = [[], 0];
  for (const [word, at] of tokens(text)) {
    if (words.push(word) && word !== ".") continue;
    found.push({ text: text.slice(begin, at + 1), words, heads: listHeads(words) });
    [words, begin] = [[], at + 1];
  }
  return found;
}

/** @param {string[]} words */
function listHeads(words) {
  if (words[0].startsWith("#")) return words[0] === "#const" ? [words[1]] : [];
  const head = words.slice(0, words.includes(":") ? words.indexOf(":") : -1);
  if (!head.length || head.includes("{")) return null;
  let depth = 0;
  return head.filter((word, i) => {
    depth += Number(head[i - 1] === "(") - Number(word === ")");
    return !depth && /^[a-z_]/.test(word);
  });
}

/** @param {string[]} words */
const listCalls = (words) => words.filter((_, i) => words[i + 1] === "(");

/** Put a mark behind some words of a text, from its end on. @param {string} text @param {Set<string>} names */
const rename = (text, names) => [...tokens(text)].reverse().reduce((made, [word, at]) => (
  names.has(word) ? `${made.slice(0, at + word.length)}_after${made.slice(at + word.length)}` : made), text);

/**
 * The program that looks for a board, the predicates that it asks for, and the predicates that it has twice: all that the versions
 * and the sums derive. The geometry of the board is there once.
 * @param {string} before
 * @param {string} after
 * @param {string[]} shared
 * @param {string} geometry
 * @param {string[]} search
 */
function pairVersions(before, after, shared, geometry, search) {
  const [first, second, ...more] = [before, after, geometry, ...shared].map(split);
  const [one, other] = [first, second].map((all) => JSON.stringify(all.map(({ words }) => words)));
  if (one === other) throw new Error("the same rules decide what both versions pay");
  const all = [first, second, ...more].flat();
  if (all.some(({ heads }) => !heads)) throw new Error("a constraint or a choice cannot be compared: write a rule for what follows from it");
  const names = new Set(all.filter((rule) => !more[0].includes(rule)).flatMap(({ heads }) => heads ?? []));
  const wanted = more[0].flatMap(({ words }) => listCalls(words)).find((name) => names.has(name));
  if (wanted) throw new Error(`board.lp uses ${wanted}, which a version derives: compare these with kb-score rules compare`);
  const copies = [after, ...shared].map((text) => rename(text, names));
  return { program: [geometry, before, ...shared, ...copies, ...search].join("\n"), asked: new Set(all.flatMap(({ words }) => listCalls(words))), names };
}

/* Sizes of boards that can be halved, in the order in which they are tried. */
function* listSizes() {
  for (let side = 2; side <= LONGEST; side += 2) {
    for (let other = 2; other < side; other += 2) yield* [[other, side], [side, other]];
    yield [side, side];
  }
}

export class Comparison {
  /**
   * @param {import("./data.js").BoardData} data
   * @param {import("./rules.js").Rules} rules
   * @param {import("./board.js").Hexes} hexes
   * @param {{twin: () => import("./engine.js").Engine, take: (rows: Rows) => void}} does `twin` starts another clingo, and
   *   `take` receives the board that was found
   */
  constructor(data, rules, hexes, { twin, take }) {
    this.data = data;
    this.rules = rules;
    this.hexes = hexes;
    this.twin = twin;
    this.take = take;
    /** @type {(says?: string) => void} */
    this.stop = () => {};
    on("compare", () => this.run().catch((error) => this.tell(`${sayError(error).charAt(0).toUpperCase()}${sayError(error).slice(1)}.`)));
    on("stop-comparing", () => this.stop());
  }

  /** @param {(string | Node)[]} said */
  tell(...said) { byId("compared").replaceChildren(...said); }

  /* What was found is of no use once the rules have changed. */
  forget() {
    this.stop("");
    this.tell();
  }

  async run() {
    this.forget();
    const { folder, name, text, shipped } = this.rules.current;
    if (folder !== "cards" || !shipped) throw new Error("open a card that comes with kb-score, and change it");
    const [[geometry], shared] = [["board.lp"], ["score.lp"]].map((wanted) => this.rules.of(wanted).map((file) => file.text));
    const { program, asked, names } = pairVersions(shipped, text, shared, geometry, this.data.compare);
    const card = split(text).find(({ heads }) => heads?.includes("card"))?.words[2];
    const constants = Object.entries(this.data.constants).filter(([key]) => names.has(key)).flatMap(([key, value]) => ["-c", `${key}_after=${value}`]);
    const engine = this.twin();
    /** @type {Promise<string>} */
    const over = new Promise((done) => { this.stop = (says = "stopped") => done(says); });
    const timer = setTimeout(this.stop, LIMIT, `stopped after ${LIMIT / 1000} seconds`);
    /** @type {Ask} */
    const ask = (facts, more, count) => Promise.race([engine.run(`two_versions(${card}).\n${facts}\n${program}\n`, ["--warn=none", "--configuration=handy", ...constants, ...more], Infinity, count), over]);
    byId("stop-comparing").hidden = false;
    try {
      await this.search(name, asked, ask);
    } finally {
      clearTimeout(timer);
      engine.worker.terminate();
      byId("stop-comparing").hidden = true;
    }
  }

  /** @param {string} name @param {Set<string>} asked @param {Ask} ask */
  async search(name, asked, ask) {
    /** @type {[number, string]} */
    let [most, proved] = [0, "nothing is proved yet"];
    for (const size of listSizes()) {
      for (let players = 1; players <= MOST_PLAYERS; players += 1) {
        this.tell(`${name}: looking at boards of ${size.join(" x ")}; ${proved}.`);
        const facts = this.listFacts(size, players, asked);
        const found = await ask(facts, ["--opt-mode=ignore"], 1);
        if (typeof found === "string") return found && this.tell(`${name}: ${found}; ${proved}.`);
        if (found.models?.length) {
          this.show(name, size, found.models[0], "; there may be a simpler one");
          const best = await ask(facts, [], 0);
          const fewest = typeof best === "string" ? undefined : best.models?.at(-1);
          return fewest && this.show(name, size, fewest, "");
        }
        if (found.status !== UNSATISFIABLE) throw new Error(found.isFull ? "out of memory" : "clingo rejects these rules");
      }
      if (size[0] * size[1] < most) continue; // all smaller boards were tried before
      [most, proved] = [size[0] * size[1], `no difference up to ${size.join(" x ")} with ${MOST_PLAYERS} players: proved`];
    }
    return this.tell(`${name}: ${proved}.`);
  }

  /**
   * The facts of all boards of a size; of symbols that these rules cannot tell apart, only the first.
   * @param {number[]} size
   * @param {number} players
   * @param {Set<string>} asked
   */
  listFacts([rows, columns], players, asked) {
    const { meanings, alone, pairs, players: known } = this.hexes;
    const absent = known.slice(players);
    /** @type {Map<string, [string, string[][]]>} */
    const symbols = new Map();
    for (const symbol of [...alone, ...pairs].filter((one) => (one[0] !== "." || one === ".") && !absent.some((player) => one.includes(player)))) {
      const facts = [...symbol].map((one) => meanings.get(one) ?? []).filter(([predicate]) => asked.has(predicate));
      if (!symbols.has(String(facts))) symbols.set(String(facts), [symbol, facts]);
    }
    const means = [...symbols.values()].flatMap(([symbol, facts]) => [
      `offered("${symbol}"). weighs("${symbol}",${symbol.replaceAll(".", "").length}).`,
      ...facts.map(([predicate, ...first]) => `symbol_${predicate}(${[`"${symbol}"`, ...first]}).`),
    ]);
    return `size(${rows},${columns}). open(0..${rows - 1},0..${columns - 1}). may_stand(R,C,S) :- open(R,C), offered(S). ${means.join(" ")}`;
  }

  /** @param {string} name @param {number[]} size @param {string[]} model @param {string} more */
  show(name, size, model, more) {
    const atoms = readAtoms(model);
    /** @type {Rows} */
    const rows = Array.from({ length: size[0] }, () => Array(size[1]).fill("."));
    for (const [row, column, symbol] of atoms["puts/3"]) rows[row][column] = symbol;
    /** @param {import("./terms.js").Signature} key */
    const say = (key) => (atoms[key] ?? []).sort((a, b) => a[1] - b[1]).map(([, player, gold]) => `${gold} to player ${player}`).join(", ") || "nobody";
    const says = `${name}: smallest board where it matters (${size.join("x")}${more}): the original pays ${say("score/3")}; yours pays ${say("score_after/3")}. `;
    this.tell(says, makeButton("open this board", () => this.take(rows)));
  }
}
