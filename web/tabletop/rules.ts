/* What the rules are asked at a table: what is legal and why not, what comes of turns, what boards are worth. */

import { groupBy } from "../kernel/dom.ts";
import type { Engine, Answer } from "../kernel/engine.ts";
import type { TableData, TableUse } from "../data.d.ts";
import type { Game, Hex, Move, Turn } from "./game.ts";
import type { Signature, Term, Rows } from "../mirror/terms.ts";
import { listFacts } from "./game.ts";
import { readAtoms, write, writeSentence } from "../mirror/terms.ts";

/** A question about a turn: the position before it as facts, the turn, and the tiles that matter. */
export type Asking = { facts: string; turn: Turn; tiles: string[] };

/** The legal choices: moves that begin an action, moves that go on with the last one, what stands where, whether one more
 * card has to be drawn, how many settlements are built of how many, and whether the player may build by the card. */
export type Legal = {
  moves: Move[];
  further: Move[];
  seen: Map<string, string>;
  needsCard: boolean;
  placed: number[] | undefined;
  builds: boolean;
};

/** The position after turns; a fault says which of them is illegal, and why. */
export type Position = {
  rows: Rows;
  fault: string;
  facts: string;
  seen: Map<string, string>;
  mover: number | undefined;
  finished: boolean;
  left: Map<number, number>;
  held: { player: number; tile: string }[];
  lying: { tile: string; hex: Hex; number: number }[];
  totals: Map<number, number>;
  winners: number[];
};

/** Asks an engine as soon as it has answered the questions before. */
type Queue = (program: string) => Promise<Answer>;

const toHex = (value: any) => (typeof value === "object" && value.name === "" ? value.args : null);
const toTerm = (hex: Hex | null) => (hex ? `(${hex})` : "none");
// What stands on which hex: a player's settlement, or # for a wall.
const readSeen = (rows: any[][] = []): Map<string, string> =>
  new Map(rows.map(([hex, what]) => [String(hex.args), what === "wall" ? "#" : String(what)]));
const toMove = ([name, from, to]: any[]): Move => ({ name, from: toHex(from), to: toHex(to) });

/** A function that asks an engine, one question after the other. */
function makeQueue(engine: Engine): Queue {
  let last: Promise<any> = Promise.resolve();
  return (program) =>
    (last = last.catch(() => {}).then(() => engine.run(program, ["--warn=none"])));
}

export class Rules {
  data: TableData;
  quick: Queue;
  slow: Queue;

  /** `data` has the programs; what a person waits for does not wait for what is only told beside. */
  constructor(data: TableData, engine: Engine) {
    this.data = data;
    this.quick = makeQueue(engine);
    this.slow = makeQueue(engine.twin());
  }

  /** Ask with the rules of only those tiles and cards that matter. */
  async ask(
    queue: Queue,
    use: TableUse,
    { tiles = [], cards = [] }: { tiles?: string[]; cards?: string[] },
    facts: string,
  ) {
    const {
      uses: {
        [use]: { defined, files },
      },
      whole,
    } = this.data;
    const matters: Record<string, (name: string) => boolean> = {
      tiles: (name) => tiles.some((tile) => name.startsWith(tile.split("_")[0])),
      cards: (name) => cards.includes(name),
      deeds: (name) => cards.some((card) => name.startsWith(card)),
    };
    const texts = files
      .filter(({ folder, name }) => whole || (matters[folder]?.(name) ?? true))
      .map(({ text }) => text);
    const {
      models = [],
      err = "",
      stopped,
      isFull,
    } = await queue([defined, facts, ...texts, ""].join("\n"));
    if (stopped || isFull || models.length !== 1)
      throw new Error(
        `the rules give no answer: ${stopped || isFull ? "they never end" : err.slice(0, 300)}`,
      );
    return readAtoms(models[0]);
  }

  /** The kind of a small set's pieces, and the hexes of each quadrant on which one may lie. */
  async offers({ facts, places }: Game, word: string): Promise<[string, Hex[][]]> {
    const [terrain, kind] = this.data.queenies[word];
    const all = places
      .filter(([what]) => what === terrain)
      .map(([, hex]) => `lies_on(${kind},(${hex})).`);
    const { "offers/3": rows = [] } = await this.ask(
      this.quick,
      "places",
      {},
      `${facts} ${all.join(" ")}`,
    );
    const offered = rows
      .filter(([what]) => what === kind)
      .map(([, quadrant, { args }]) => [quadrant, args])
      .sort();
    return [
      kind,
      [...groupBy(offered, ([quadrant]) => quadrant).values()].map((some) =>
        some.map(([, hex]) => hex),
      ),
    ];
  }

  /** All that may be done next: begin an action, or go on with the last one. */
  async moves({ facts, turn, tiles }: Asking): Promise<Legal> {
    const rows = await this.ask(
      this.quick,
      "moves",
      { tiles },
      `${facts} ${listFacts(facts, [turn], { looks: true })}`,
    );
    const [moves, further] = [rows["allowed/4"], rows["goes_on_to/4"]].map((found = []) =>
      found.map(toMove),
    );
    return {
      moves,
      further,
      seen: readSeen(rows["now_on/2"]),
      needsCard: "needs_card/0" in rows,
      placed: rows["placed_of/2"]?.[0],
      builds: moves.some(({ name }) => name === "mandatory"),
    };
  }

  /** Why a turn, which need not be finished, is illegal: a code and a sentence; null if it is legal. */
  async why({ facts, tiles }: Omit<Asking, "turn">, now: Turn) {
    const used = now.actions.map(({ name }) => name);
    const rows = await this.ask(
      this.quick,
      "why",
      { tiles: [...tiles, ...used] },
      `${facts} ${listFacts(facts, [now], { open: true })}`,
    );
    const illegal = (rows["illegal/4"] ?? []).sort(([step], [other]) => step - other);
    const [[, code, , detail] = []] = illegal;
    return code ? { code: write(code), detail: writeSentence(detail) } : null;
  }

  /** The position after turns, and its gold; an `open` turn is not finished. */
  async after(
    cards: string[],
    facts: string,
    turns: Turn[],
    { open = false } = {},
  ): Promise<Position> {
    const tiles = turns.flatMap(({ actions }) => actions.map(({ name }) => name));
    const rows = await this.ask(
      this.slow,
      "live",
      { cards, tiles },
      `${facts} ${listFacts(facts, turns, { open })}`,
    );
    const take = (key: Signature): any[] => rows[key] ?? [];
    const turnOf: Map<number, number> = new Map(take("turn_of/2"));
    const [last] = take("last/1")[0] ?? [0];
    const next = (key: Signature) => take(key).filter((row) => row.at(-1) === last + 1);
    return {
      rows,
      fault:
        take("violation/4").map(
          ([step, code, , detail]) =>
            `turn ${turnOf.get(step)} is wrong (${write(code)}): ${writeSentence(detail)}`,
        )[0] ?? "",
      facts: this.writeFacts(rows, last),
      seen: readSeen([
        ...take("carried_stands/3").map(([player, hex]) => [hex, player]),
        ...take("carried_blocked/2").map(([hex]) => [hex, "wall"]),
      ]),
      mover: next("mover/2")[0]?.[0],
      finished: take("result/2").some(([key, value]) => key === "finished" && value === "yes"),
      left: new Map(next("supply_left/3").map(([player, left]) => [player, left])),
      held: next("in_hand/4").map(([player, tile]) => ({ player, tile })),
      lying: next("lies/4").map(([tile, hex, number]) => ({ tile, hex: hex.args, number })),
      totals: new Map(take("total/2")),
      winners: take("result/2").find(([key]) => key === "winners")?.[1].args ?? [],
    };
  }

  /** The facts with which the next turns begin: the state after the last step, and the gold that cards have paid. */
  writeFacts(rows: Rows, last: number) {
    const paid = new Set((rows["deed/2"] ?? []).map(([card]) => card));
    const gold = (rows["score/3"] ?? []).filter(([card]) => paid.has(card));
    const turns = (rows["result/2"] ?? []).find(([key]) => key === "turns")?.[1];
    return [
      // listFacts goes on from the turn and the step that were played last.
      `step(${turns},${last}).`,
      ...gold.map((row) => `gold_before(${row}).`),
      ...this.data.states.flatMap((key) =>
        (rows[key as Signature] ?? []).map(
          ({ text }) => `${text?.replace("carried_", "before_")}.`,
        ),
      ),
    ].join(" ");
  }

  /** The gain of each move for the player whose turn it is: gold at once, and tiles. */
  async worth({ cards, facts, turn, tiles }: Asking & { cards: string[] }, moves: Move[]) {
    const all = `0..${moves.length}`;
    // Board 0 is the board before the move; earlier moves of the turn are made on all boards.
    const known = `${facts} ${listFacts(facts, [turn], { looks: true })}`.replaceAll(
      new RegExp(`\\b(?:${this.data.varying.join("|")})\\(`, "g"),
      `$&${all},`,
    );
    const tried = moves.map(
      ({ name, from, to }, i) => `trial(${i + 1},${name},${toTerm(from)},${toTerm(to)}).`,
    );
    const rows = await this.ask(
      this.slow,
      "worth",
      { cards, tiles },
      `${known} board_id(${all}). ${tried.join(" ")}`,
    );
    const found: Map<number, number> = new Map(
      (rows["total/3"] ?? [])
        .filter(([, who]) => who === turn.player)
        .map(([board, , gold]) => [board, gold]),
    );
    const tilesOf: Map<number, number> = new Map(
      (rows["brings/2"] ?? []).map(([board, tiles]) => [board, tiles]),
    );
    return moves.map((_, i) => ({
      gold: (found.get(i + 1) ?? 0) - (found.get(0) ?? 0),
      tiles: tilesOf.get(i + 1) ?? 0,
    }));
  }
}
