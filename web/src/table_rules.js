/* What the rules are asked at a table: what is legal and why not, what comes of turns, what boards are worth. */

import { listFacts } from "./table_game.js";
import { readAtoms, write, writeSentence } from "./terms.js";

const toHex = (value) => (typeof value === "object" && value.name === "" ? value.args : null);
const toMove = ([name, from, to]) => ({ name, from: toHex(from), to: toHex(to) });

/* A function that asks an engine, one question after the other. */
function makeQueue(engine) {
  let last = Promise.resolve();
  return (program) => (last = last.catch(() => {}).then(() => engine.run(program, ["--warn=none"])));
}

export class Rules {
  /* `data` has the programs; what a person waits for does not wait for what is only told beside. */
  constructor(data, engine) { Object.assign(this, { data, quick: makeQueue(engine), slow: makeQueue(engine.twin()) }); }

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

  /* All that may be done next: begin an action, or go on with the last one. */
  async moves({ facts, now, tiles }) {
    const rows = await this.ask(this.quick, "moves", { tiles }, `${facts} ${listFacts([now], { open: true, looks: true })}`);
    const [moves, further] = ["legal/3", "goes_on_to/3"].map((key) => (rows[key] ?? []).map(toMove));
    return { moves, further, needsCard: "needs_card/0" in rows, builds: moves.some(({ name }) => name === "mandatory") };
  }

  /* Why a turn is illegal, with which it may go on: a code and a sentence; null if it is legal. */
  async why({ facts, tiles }, now) {
    const used = now.actions.map(({ name }) => name);
    const rows = await this.ask(this.quick, "why", { tiles: [...tiles, ...used] }, `${facts} ${listFacts([now], { open: true })}`);
    const [[, code, , detail] = []] = rows["illegal/4"] ?? [];
    return code ? { code: write(code), detail: writeSentence(detail) } : null;
  }

  /* The position after turns, and what it is worth; of an `open` one there is more to come. */
  async after(cards, facts, turns, open = false) {
    const tiles = turns.flatMap(({ actions }) => actions.map(({ name }) => name));
    const rows = await this.ask(this.slow, "live", { cards, tiles }, `${facts} ${listFacts(turns, { open })}`);
    const take = (key) => rows[key] ?? [];
    const carried = (wanted) => take("carried/1").filter(([{ name }]) => name === wanted).map(([{ args }]) => args);
    return {
      rows,
      fault: take("violation/4").map(([turn, code, , detail]) => `turn ${turn} is ${write(code)}, ${writeSentence(detail)}`)[0] ?? "",
      facts: take("carried/1").map(({ text }) => `${text.slice("carried(".length, -1)}.`).join(" "),
      stood: carried("stood").map(([player, hex]) => [hex.args, player]),
      walled: carried("walled").map(([hex]) => hex.args),
      had: carried("had_before").map(([player, hex]) => `${player} ${hex.args}`),
      mover: take("moves_next/1")[0]?.[0],
      finished: take("result/2").some(([key, value]) => key === "finished" && value === "yes"),
      left: new Map(take("supply_left/2")),
      held: take("in_hand/3").map(([player, tile]) => ({ player, tile })),
      lying: take("lies/3").map(([tile, hex, number]) => ({ tile, hex: hex.args, number })),
      totals: new Map(take("total/2")),
      winners: take("wins/1").map(([player]) => player).sort(),
    };
  }

  /* The gold of a player on boards, each the settlements on it: a map from hexes, as texts, to players. */
  async worth({ cards, game }, player, boards) {
    const all = `0..${boards.length - 1}`;
    const shared = new Map([...boards[0]].filter(([hex, who]) => boards.every((board) => board.get(hex) === who)));
    const own = boards.map((board) => [...board].filter(([hex]) => !shared.has(hex)));
    const facts = [[all, [...shared]], ...own.entries()].flatMap(([board, stood]) => stood.map(([hex, who]) => `settlement(${board},${who},${hex}).`));
    const rows = await this.ask(this.slow, "worth", { cards }, `${game.facts} board(${all}). ${facts.join(" ")}`);
    const found = new Map((rows["total/3"] ?? []).filter(([, who]) => who === player).map(([board, , gold]) => [board, gold]));
    return boards.map((_, i) => found.get(i) ?? 0);
  }
}

/* The settlements after some actions of a player, as a map from hexes to players; `tiles` tell what each does. */
export function settle(tiles, stood, { player, actions }) {
  const found = new Map(stood.map(([hex, who]) => [String(hex), who]));
  for (const { name, targets } of actions) {
    const [manner] = tiles[name] ?? ["build"];
    for (const [from, to] of targets) {
      found.delete(String(from));
      if (manner === "take") found.delete(String(to));
      else if (manner !== "wall") found.set(String(to), player);
    }
  }
  return found;
}
