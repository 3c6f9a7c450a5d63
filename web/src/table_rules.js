/* What the rules are asked at a table: what is legal and why not, what comes of turns, what boards are worth. */

import { listFacts } from "./table_game.js";
import { readAtoms, write, writeSentence } from "./terms.js";

const toHex = (value) => (typeof value === "object" && value.name === "" ? value.args : null);
const toTerm = (hex) => (hex ? `(${hex})` : "none");
// What stands on which hex: a player's settlement, or # for a wall.
const readSeen = (rows = []) => new Map(rows.map(([hex, what]) => [String(hex.args), what === "wall" ? "#" : String(what)]));
const toMove = ([name, from, to]) => ({ name, from: toHex(from), to: toHex(to) });

/* A function that asks an engine, one question after the other. */
function makeQueue(engine) {
  /** @type {Promise<any>} */
  let last = Promise.resolve();
  return (program) => (last = last.catch(() => {}).then(() => engine.run(program, ["--warn=none"])));
}

export class Rules {
  /* `data` has the programs; what a person waits for does not wait for what is only told beside. */
  constructor(data, engine) {
    this.data = data;
    this.quick = makeQueue(engine);
    this.slow = makeQueue(engine.twin());
  }

  /* Ask with the tiles and cards that matter: the rules of others are left out. */
  async ask(queue, use, { tiles = [], cards = [] }, facts) {
    const { uses: { [use]: { defined, files } }, whole } = this.data;
    const matters = {
      tiles: (name) => tiles.some((tile) => name.startsWith(tile.split("_")[0])),
      cards: (name) => cards.includes(name),
      deeds: (name) => cards.some((card) => name.startsWith(card)),
    };
    const texts = files.filter(({ folder, name }) => whole || (matters[folder]?.(name) ?? true)).map(({ text }) => text);
    const { models, err, stopped, isFull } = await queue([defined, facts, ...texts, ""].join("\n"));
    if (stopped || isFull || models.length !== 1) throw new Error(`the rules give no answer: ${stopped || isFull ? "they have no end" : err.slice(0, 300)}`);
    return readAtoms(models[0]);
  }

  /* Of a small set: what its pieces are, and the hexes of each quadrant on which one may be. */
  async offers({ facts, places }, word) {
    const [terrain, kind] = this.data.queenies[word];
    const all = places.filter(([what]) => what === terrain).map(([, hex]) => `${kind}((${hex})).`);
    const { "offers/3": rows = [] } = await this.ask(this.quick, "places", {}, `${facts} ${all.join(" ")}`);
    const offered = rows.filter(([what]) => what === kind).map(([, quadrant, { args }]) => [quadrant, args]).sort();
    return [kind, [...Map.groupBy(offered, ([quadrant]) => quadrant).values()].map((some) => some.map(([, hex]) => hex))];
  }

  /* All that may be done next: begin an action, or go on with the last one. */
  async moves({ facts, now, tiles }) {
    const rows = await this.ask(this.quick, "moves", { tiles }, `${facts} ${listFacts([now], { open: true, looks: true })}`);
    const [moves, further] = ["legal/3", "goes_on_to/3"].map((key) => (rows[key] ?? []).map(toMove));
    return { moves, further, seen: readSeen(rows["now_on/2"]), needsCard: "needs_card/0" in rows, placed: rows["placed_of/2"]?.[0], builds: moves.some(({ name }) => name === "mandatory") };
  }

  /* Why a turn is illegal, with which it may go on: a code and a sentence; null if it is legal. */
  async why({ facts, tiles }, now) {
    const used = now.actions.map(({ name }) => name);
    const rows = await this.ask(this.quick, "why", { tiles: [...tiles, ...used] }, `${facts} ${listFacts([now], { open: true })}`);
    const [[, code, , detail] = []] = rows["illegal/4"] ?? [];
    return code ? { code: write(code), detail: writeSentence(detail) } : null;
  }

  /* The position in which a game begins, without what its own cards are worth: asked of the clingo that is asked next. */
  begin(facts) { return this.after(this.data.always, facts, [], { queue: this.quick }); }

  /* The position after turns, and what it is worth; of an `open` one there is more to come. */
  async after(cards, facts, turns, { open = false, queue = this.slow } = {}) {
    const tiles = turns.flatMap(({ actions }) => actions.map(({ name }) => name));
    const rows = await this.ask(queue, "live", { cards, tiles }, `${facts} ${listFacts(turns, { open })}`);
    /** @param {string} key @returns {any[]} */
    const take = (key) => rows[key] ?? [];
    const carried = (wanted) => take("carried/1").filter(([{ name }]) => name === wanted).map(([{ args }]) => args);
    return {
      rows,
      fault: take("violation/4").map(([turn, code, , detail]) => `turn ${turn} is ${write(code)}, ${writeSentence(detail)}`)[0] ?? "",
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

  /* What each move gains the player whose turn it is: gold at once, and tiles. */
  async worth({ cards, facts, now, tiles }, moves) {
    const all = `0..${moves.length}`;
    // Board 0 is that before the move; what is done already is so on all of them.
    const done = listFacts([now], { open: true, looks: true }).replaceAll(/\b(?:at|from|part|step)\(/g, `$&${all},`);
    const tried = moves.map(({ name, from, to }, i) => `trial(${i + 1},${name},${toTerm(from)},${toTerm(to)}).`);
    const rows = await this.ask(this.slow, "worth", { cards, tiles }, `${facts} board(${all}). ${done} ${tried.join(" ")}`);
    const found = new Map((rows["total/3"] ?? []).filter(([, who]) => who === now.player).map(([board, , gold]) => [board, gold]));
    const tilesOf = new Map(/** @type {any} */ (rows["brings/2"]));
    return moves.map((_, i) => ({ gold: found.get(i + 1) - found.get(0), tiles: tilesOf.get(i + 1) }));
  }
}
