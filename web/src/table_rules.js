/* What the rules are asked at a table: what is legal and why not, what comes of turns, what boards are worth. */

import { listFacts } from "./table_game.js";
import { readAtoms, write, writeSentence } from "./terms.js";

/* Questions that wait for each other. */
class Queue {
  constructor(engine) { Object.assign(this, { engine, last: Promise.resolve() }); }

  ask(program) {
    const answer = this.last.then(() => this.engine.run(program, ["--warn=none"]));
    this.last = answer.catch(() => {});
    return answer;
  }
}

const isHex = (value) => typeof value === "object" && value.name === "";
const toHex = (value) => (isHex(value) ? value.args : null);
const toMove = ([name, from, to]) => ({ name, from: toHex(from), to: toHex(to) });

export class Rules {
  /* `data` has the programs; what a person waits for does not wait for what is only told beside. */
  constructor(data, engine) { Object.assign(this, { data, quick: new Queue(engine), slow: new Queue(engine.twin()) }); }

  /* Ask about a game; of the tiles and cards only those that matter are loaded. */
  async ask(queue, use, { tiles = [], cards = [] }, facts) {
    const { uses: { [use]: { defined, files } }, whole } = this.data;
    const matters = {
      tiles: (name) => tiles.some((tile) => name.startsWith(tile.split("_")[0])),
      cards: (name) => cards.includes(name),
      deeds: (name) => cards.some((card) => name.startsWith(card)),
    };
    const texts = files.filter(({ folder, name }) => whole || (matters[folder]?.(name) ?? true)).map(({ text }) => text);
    const { models, err, stopped, isFull } = await queue.ask([defined, facts, ...texts, ""].join("\n"));
    if (stopped || isFull || models.length !== 1) throw new Error(`the rules give no answer: ${stopped || isFull ? "they have no end" : err.slice(0, 300)}`);
    return readAtoms(models[0]);
  }

  /* All that may be done next: begin an action, or go on with the last one. */
  async moves(table) {
    const facts = `${table.facts} ${listFacts([table.now], { open: true, looks: true })}`;
    const rows = await this.ask(this.quick, "moves", table, facts);
    return {
      moves: (rows["legal/3"] ?? []).map(toMove),
      further: (rows["goes_on_to/3"] ?? []).map(toMove),
      needsCard: "needs_card/0" in rows,
    };
  }

  /* Why a turn is illegal, with which it may go on: a code and a sentence; null if it is legal. */
  async why(table, now) {
    const rows = await this.ask(this.quick, "why", { tiles: [...table.tiles, ...now.actions.map(({ name }) => name)] }, `${table.facts} ${listFacts([now], { open: true })}`);
    const [[, code, , detail] = []] = rows["illegal/4"] ?? [];
    return code ? { code: write(code), detail: writeSentence(detail) } : null;
  }

  /* The position after turns, and what it is worth; of an `open` one there is more to come. */
  async after(table, facts, turns, open = false) {
    const tiles = turns.flatMap(({ actions }) => actions.map(({ name }) => name));
    const rows = await this.ask(this.slow, "live", { cards: table.cards, tiles }, `${facts} ${listFacts(turns, { open })}`);
    const take = (key) => rows[key] ?? [];
    const results = new Map(take("result/2"));
    return {
      rows,
      fault: take("violation/4").map(([turn, code, , detail]) => `turn ${turn} is ${write(code)}, ${writeSentence(detail)}`)[0] ?? "",
      facts: take("carried/1").map(({ text }) => `${text.slice("carried(".length, -1)}.`).join(" "),
      stood: take("carried/1").filter(([fact]) => fact.name === "stood").map(([{ args: [player, hex] }]) => [hex.args, player]),
      walled: take("carried/1").filter(([fact]) => fact.name === "walled").map(([{ args: [hex] }]) => hex.args),
      had: take("carried/1").filter(([fact]) => fact.name === "had_before").map(([{ args: [player, hex] }]) => `${player} ${hex.args}`),
      mover: take("moves_next/1")[0]?.[0],
      finished: results.get("finished") === "yes",
      left: take("supply_left/2"),
      held: take("in_hand/3").map(([player, tile, hex]) => ({ player, tile, hex: hex.args })),
      lying: take("lies/3").map(([tile, hex, number]) => ({ tile, hex: hex.args, number })),
      totals: new Map(take("total/2")),
      winners: take("wins/1").map(([player]) => player).sort(),
    };
  }

  /* The gold of a player on boards, each the settlements on it: a map from hexes, as texts, to players. */
  async worth(table, player, boards) {
    const everywhere = [...boards[0]].filter((one) => boards.every((board) => board.get(one[0]) === one[1]));
    const shared = new Set(everywhere.map(([hex]) => hex));
    const facts = [
      table.game.facts, `board(0..${boards.length - 1}).`,
      ...everywhere.map(([hex, who]) => `settlement(0..${boards.length - 1},${who},${hex}).`),
      ...boards.flatMap((board, i) => [...board].filter(([hex]) => !shared.has(hex)).map(([hex, who]) => `settlement(${i},${who},${hex}).`)),
    ];
    const rows = await this.ask(this.slow, "worth", table, facts.join(" "));
    const found = Array(boards.length).fill(0);
    for (const [board, who, gold] of rows["total/3"] ?? []) if (who === player) found[board] = gold;
    return found;
  }
}

/* The settlements after some actions of a player, as a map from hexes to players. */
export function settle(tiles, stood, { player, actions }) {
  const found = new Map(stood.map(([hex, who]) => [String(hex), who]));
  for (const { name, targets } of actions) {
    const manner = tiles[name]?.[0] ?? "build";
    for (const [from, to] of targets) {
      if (from) found.delete(String(from));
      if (manner === "take") found.delete(String(to));
      else if (manner !== "wall") found.set(String(to), player);
    }
  }
  return found;
}
