// @ts-check
/* What the rules are asked at a table: what is legal and why not, what comes of turns, what boards are worth. */

import { listFacts } from "./table_game.js";
import { readAtoms, write, writeSentence } from "./terms.js";

/**
 * @typedef {import("./table_game.js").Hex} Hex
 * @typedef {import("./table_game.js").Move} Move
 * @typedef {import("./table_game.js").Turn} Turn
 * @typedef {import("./terms.js").Term} Term
 *
 * A question about a turn: the position before it as facts, the turn, and the tiles that matter.
 * @typedef {{facts: string, turn: Turn, tiles: string[]}} Asking
 *
 * The legal choices: moves that begin an action, moves that go on with the last one, what stands where, whether one more
 * card has to be drawn, how many settlements are built of how many, and whether the player may build by the card.
 * @typedef {{moves: Move[], further: Move[], seen: Map<string, string>, needsCard: boolean, placed: number[] | undefined,
 *   builds: boolean}} Legal
 *
 * The position after turns; a fault says which of them is illegal, and why.
 * @typedef {{rows: import("./terms.js").Rows, fault: string, facts: string, seen: Map<string, string>, mover: number | undefined,
 *   finished: boolean, left: Map<number, number>, held: {player: number, tile: string}[],
 *   lying: {tile: string, hex: Hex, number: number}[], totals: Map<number, number>, winners: number[]}} Position
 *
 * Asks an engine as soon as it has answered the questions before.
 * @typedef {(program: string) => Promise<import("./engine.js").Answer>} Queue
 */

/** @param {any} value */
const toHex = (value) => (typeof value === "object" && value.name === "" ? value.args : null);
/** @param {Hex | null} hex */
const toTerm = (hex) => (hex ? `(${hex})` : "none");
// What stands on which hex: a player's settlement, or # for a wall.
/** @param {any[][]} rows @returns {Map<string, string>} */
const readSeen = (rows = []) => new Map(rows.map(([hex, what]) => [String(hex.args), what === "wall" ? "#" : String(what)]));
/** @param {any[]} row @returns {Move} */
const toMove = ([name, from, to]) => ({ name, from: toHex(from), to: toHex(to) });

/** A function that asks an engine, one question after the other. @param {import("./engine.js").Engine} engine @returns {Queue} */
function makeQueue(engine) {
  /** @type {Promise<any>} */
  let last = Promise.resolve();
  return (program) => (last = last.catch(() => {}).then(() => engine.run(program, ["--warn=none"])));
}

export class Rules {
  /**
   * `data` has the programs; what a person waits for does not wait for what is only told beside.
   * @param {import("./data.js").TableData} data
   * @param {import("./engine.js").Engine} engine
   */
  constructor(data, engine) {
    this.data = data;
    this.quick = makeQueue(engine);
    this.slow = makeQueue(engine.twin());
  }

  /**
   * Ask with the rules of only those tiles and cards that matter.
   * @param {Queue} queue
   * @param {import("./data.js").TableUse} use
   * @param {{tiles?: string[], cards?: string[]}} wanted
   * @param {string} facts
   */
  async ask(queue, use, { tiles = [], cards = [] }, facts) {
    const { uses: { [use]: { defined, files } }, whole } = this.data;
    /** @type {Record<string, (name: string) => boolean>} */
    const matters = {
      tiles: (name) => tiles.some((tile) => name.startsWith(tile.split("_")[0])),
      cards: (name) => cards.includes(name),
      deeds: (name) => cards.some((card) => name.startsWith(card)),
    };
    const texts = files.filter(({ folder, name }) => whole || (matters[folder]?.(name) ?? true)).map(({ text }) => text);
    const { models = [], err = "", stopped, isFull } = await queue([defined, facts, ...texts, ""].join("\n"));
    if (stopped || isFull || models.length !== 1) throw new Error(`the rules give no answer: ${stopped || isFull ? "they never end" : err.slice(0, 300)}`);
    return readAtoms(models[0]);
  }

  /**
   * The kind of a small set's pieces, and the hexes of each quadrant on which one may lie.
   * @param {import("./table_game.js").Game} game
   * @param {string} word
   * @returns {Promise<[string, Hex[][]]>}
   */
  async offers({ facts, places }, word) {
    const [terrain, kind] = this.data.queenies[word];
    const all = places.filter(([what]) => what === terrain).map(([, hex]) => `lies_on(${kind},(${hex})).`);
    const { "offers/3": rows = [] } = await this.ask(this.quick, "places", {}, `${facts} ${all.join(" ")}`);
    const offered = rows.filter(([what]) => what === kind).map(([, quadrant, { args }]) => [quadrant, args]).sort();
    return [kind, [...Map.groupBy(offered, ([quadrant]) => quadrant).values()].map((some) => some.map(([, hex]) => hex))];
  }

  /** All that may be done next: begin an action, or go on with the last one. @param {Asking} asking @returns {Promise<Legal>} */
  async moves({ facts, turn, tiles }) {
    const rows = await this.ask(this.quick, "moves", { tiles }, `${facts} ${listFacts([turn], { open: true, looks: true })}`);
    const [moves, further] = [rows["legal/3"], rows["goes_on_to/3"]].map((found = []) => found.map(toMove));
    return { moves, further, seen: readSeen(rows["now_on/2"]), needsCard: "needs_card/0" in rows, placed: rows["placed_of/2"]?.[0], builds: moves.some(({ name }) => name === "mandatory") };
  }

  /**
   * Why a turn, which need not be finished, is illegal: a code and a sentence; null if it is legal.
   * @param {Omit<Asking, "turn">} asking
   * @param {Turn} now
   */
  async why({ facts, tiles }, now) {
    const used = now.actions.map(({ name }) => name);
    const rows = await this.ask(this.quick, "why", { tiles: [...tiles, ...used] }, `${facts} ${listFacts([now], { open: true })}`);
    const [[, code, , detail] = []] = rows["illegal/4"] ?? [];
    return code ? { code: write(code), detail: writeSentence(detail) } : null;
  }

  /**
   * The position after turns, and its gold; an `open` turn is not finished.
   * @param {string[]} cards
   * @param {string} facts
   * @param {Turn[]} turns
   * @returns {Promise<Position>}
   */
  async after(cards, facts, turns, { open = false } = {}) {
    const tiles = turns.flatMap(({ actions }) => actions.map(({ name }) => name));
    const rows = await this.ask(this.slow, "live", { cards, tiles }, `${facts} ${listFacts(turns, { open })}`);
    /** @param {import("./terms.js").Signature} key @returns {any[]} */
    const take = (key) => rows[key] ?? [];
    /** @param {string} wanted */
    const carried = (wanted) => take("carried/1").filter(([{ name }]) => name === wanted).map(([{ args }]) => args);
    return {
      rows,
      fault: take("violation/4").map(([turn, code, , detail]) => `turn ${turn} is wrong (${write(code)}): ${writeSentence(detail)}`)[0] ?? "",
      facts: take("carried/1").map(({ text }) => `${text.slice("carried(".length, -1)}.`).join(" "),
      seen: readSeen([...carried("stood").map(([player, hex]) => [hex, player]), ...carried("walled").map(([hex]) => [hex, "wall"])]),
      mover: take("moves_next/1")[0]?.[0],
      finished: take("result/2").some(([key, value]) => key === "finished" && value === "yes"),
      left: new Map(take("supply_left/2")),
      held: take("in_hand/3").map(([player, tile]) => ({ player, tile })),
      lying: take("lies/3").map(([tile, hex, number]) => ({ tile, hex: hex.args, number })),
      totals: new Map(take("total/2")),
      winners: take("wins/1").map(([player]) => player).sort(),
    };
  }

  /**
   * The gain of each move for the player whose turn it is: gold at once, and tiles.
   * @param {Asking & {cards: string[]}} asking
   * @param {Move[]} moves
   */
  async worth({ cards, facts, turn, tiles }, moves) {
    const all = `0..${moves.length}`;
    // Board 0 is the board before the move; earlier moves of the turn are made on all boards.
    const done = listFacts([turn], { open: true, looks: true }).replaceAll(/\b(?:at|from|part|step)\(/g, `$&${all},`);
    const tried = moves.map(({ name, from, to }, i) => `trial(${i + 1},${name},${toTerm(from)},${toTerm(to)}).`);
    const rows = await this.ask(this.slow, "worth", { cards, tiles }, `${facts} board_id(${all}). ${done} ${tried.join(" ")}`);
    /** @type {Map<number, number>} */
    const found = new Map((rows["total/3"] ?? []).filter(([, who]) => who === turn.player).map(([board, , gold]) => [board, gold]));
    /** @type {Map<number, number>} */
    const tilesOf = new Map((rows["brings/2"] ?? []).map(([board, tiles]) => [board, tiles]));
    return moves.map((_, i) => ({ gold: (found.get(i + 1) ?? 0) - (found.get(0) ?? 0), tiles: tilesOf.get(i + 1) ?? 0 }));
  }
}
