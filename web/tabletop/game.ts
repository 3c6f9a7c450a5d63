/* A game at a table: how it is dealt, its turns so far, and the texts and facts that they make. */

import type { TableData, TableSetup } from "../data.d.ts";
import type { Board } from "../mirror/board.ts";
import { join, listWays } from "../kernel/kb.ts";

export type Data = TableData;

export type Hex = [number, number];

/** A move on a hex; a settlement that moves comes from another hex. */
type Target = [Hex | null, Hex];

/** An action: to build by the card, which is called mandatory, or to use a tile, on some hexes or on none. */
type Action = { name: string; targets: Target[] };

/** A turn with its cards; `before` is the number of moves before the last card was drawn, null if that is not known. */
export type Turn = { player: number; cards: string[]; actions: Action[]; before?: number | null };

/** A choice for the next step. One that goes on with an action may have no hex. */
export type Move = { name: string; from: Hex | null; to: Hex | null };

/** The setup of a game; the names of the players may be missing. */
export type Setup = TableSetup & { names?: string[] };

/** A game as it is stored: its turns as in a record, and the turn in progress. */
export type Saved = Setup & {
  lines: string[];
  now: { said: string; before: number | null } | null;
};

/** Numbers that look random, from 0 on below 1, the same ones for a seed. */
function makeRandom(seed: number) {
  let state = Math.imul(seed + 1, 0x9e3779b1) || 1;
  return () =>
    [13, -17, 5].reduce((_, by) => (state ^= by > 0 ? state << by : state >>> -by) >>> 0, 0) /
    2 ** 32;
}

/** Some of the values, all if no number is given, without order. */
export function draw<T>(values: T[], random: () => number, many = values.length) {
  const left = [...values];
  return Array.from(
    { length: Math.max(0, Math.min(many, left.length)) },
    () => left.splice(Math.floor(random() * left.length), 1)[0],
  );
}

export const hyphen = (name: string) => name.replaceAll("_", "-");
export const title = (name: string) => hyphen(name).replace(/^./, (letter) => letter.toUpperCase());
const underscore = (name: string) => name.replaceAll("-", "_");
/** How much is done. */
const count = (actions: Action[]) =>
  actions.reduce((sum, { targets }) => sum + Math.max(1, targets.length), 0);
const pair = (hex: Hex) => `(${hex})`;

/* Actions as a record has them, and the turn of a player; and the turn in words, with the gold that it gained. */
const writeTargets = (targets: Target[]) =>
  targets.map(([from, to]) => (from ? `${from}>${to}` : to));
export const writeActions = (actions: Action[]) =>
  actions
    .map(({ name, targets }) =>
      [...(name === "mandatory" ? [] : [hyphen(name)]), ...writeTargets(targets)].join(" "),
    )
    .join("; ");
export const writeTurn = ({ player, cards, actions }: Turn) =>
  `${player} ${hyphen(cards.join("/"))}: ${writeActions(actions)}`.trimEnd();
export function sayTurn({ player, actions }: Turn, gained: number, name = `Player ${player}`) {
  const done = actions.map(({ name, targets }) =>
    [name === "mandatory" ? "built" : `used the ${hyphen(name)}`, ...writeTargets(targets)].join(
      " ",
    ),
  );
  return `${name} ${done.join(", ") || "built nothing"}: ${gained < 0 ? "" : "+"}${gained} gold.`;
}

const HEX = String.raw`\d{1,3},\d{1,3}`;
const ACTION = new RegExp(
  `^(?:([a-z][a-z-]*)(?: |$))?((?:${HEX}>)?${HEX}(?: (?:${HEX}>)?${HEX})*)?$`,
);

/** Read a turn that was written here; an error if it is none. */
export function readTurn(text: string): Turn {
  const [, player, cards, said] = /^([1-9]) ([a-z-]+(?:\/[a-z-]+)*):(?: (.+))?$/.exec(text) ?? [];
  const parts = said?.split("; ").map((part) => ACTION.exec(part) ?? []) ?? [];
  if (!player || parts.some((part) => !part.length)) throw new Error("a turn in it cannot be read");
  const readTarget = (word: string) =>
    [null, ...word.split(">").map((hex) => hex.split(",").map(Number))].slice(-2) as Target;
  const actions = parts.map(([, name, hexes]) => ({
    name: underscore(name ?? "mandatory"),
    targets: hexes?.split(" ").map(readTarget) ?? [],
  }));
  return { player: Number(player), cards: cards.split("/").map(underscore), actions };
}

/** The actions with a move more: mandatory ones that follow each other are one, and `isMore` goes on with the last. */
export function addMove(actions: Action[], { name, from, to }: Move, isMore?: boolean): Action[] {
  const targets: Target[] = to ? [[from, to]] : [];
  const last = actions.at(-1);
  if (last?.name !== name || !(isMore || name === "mandatory"))
    return [...actions, { name, targets }];
  return actions.with(-1, { name, targets: [...last.targets, ...targets] });
}

/** The facts of turns after a position, which has facts: a step for each card, each hex of an action, and each end. An `open`
 * turn goes on; `looks` asks what is legal then. */
export function listFacts(position: string, turns: Turn[], { open = false, looks = false } = {}) {
  const facts: string[] = [];
  const [turnsBefore, stepsBefore] = /\bstep\((\d+),(\d+)\)/
    .exec(position)
    ?.slice(1)
    .map(Number) ?? [0, 0];
  let step = stepsBefore;
  turns.forEach(({ player, cards, actions, before = null }, i) => {
    const add = (...said: string[]) => {
      step += 1;
      facts.push(`turn(${step}). step(${turnsBefore + i + 1},${step}).`);
      facts.push(...said.map((fact) => `${fact},${step}).`));
    };
    cards.forEach((card, at) => add(`shows(${card}`, ...(at ? [] : [`said(${player}`])));
    // The newest card was drawn before the next step after so many moves, since a settlement was due.
    const late = before === null ? null : step + before + 1;
    for (const { name, targets } of actions) {
      const use = name === "mandatory" ? [] : [`uses_tile(${name}`];
      if (!targets.length) add(...use);
      targets.forEach(([from, to], at) => {
        add(...(at ? [] : use), `on(${pair(to)}`, ...(from ? [`from(${pair(from)}`] : []));
        if (at && use.length) facts.push(`continues(${step}).`);
      });
    }
    const isLast = i === turns.length - 1;
    if (isLast && looks) {
      add();
      facts.push(`queried(${step}).`);
    } else if (!isLast || !open) {
      add();
      facts.push(`done(${step}).`);
    }
    if (late !== null && late <= step) facts.push(`before_redrawn(${late}).`);
  });
  return facts.join(" ");
}

export class Game {
  setup: Setup;
  rows: Board;
  places: [string, Hex][];
  /** The pieces of the small sets. */
  queenies: { word: string; kind: string; hexes: Hex[] }[] = [];
  /** The turns that are over. */
  lines: Turn[] = [];
  /** The turn that goes on. */
  now: Turn | null = null;
  random: () => number;
  pile: string[] = [];
  discarded: string[];
  cards: string[];
  nomads: [Hex, string][];
  hands: string[];
  facts: string;
  titles: { [k: string]: string } | undefined;

  /** Deal for a setup: a seed, the names of four quadrants, cards or none, and the players. Small sets are placed later. */
  constructor(data: Data, setup: Setup) {
    const rows = joinQuadrants(data, setup.board);
    const kinds = new Map([...data.terrain, ...data.land]);
    const places: [string, Hex][] = rows.flatMap((row, r) =>
      row.map((symbol, c) => [kinds.get(symbol) ?? "", [r, c]] as [string, Hex]),
    );
    const spaces = places.filter(([kind]) => kind === "nomad").map(([, hex]) => hex);
    this.setup = setup;
    this.rows = rows;
    this.places = places;
    this.random = makeRandom(setup.seed);
    this.discarded = [...data.deck];
    const tiles = draw(data.nomads, this.random);
    this.cards = setup.cards.length
      ? setup.cards
      : draw(
          [...data.cards, ...(spaces.length ? data.in_game : [])],
          this.random,
          data.dealt,
        ).sort();
    this.nomads = spaces.slice(0, tiles.length).map((hex, i) => [hex, tiles[i]]);
    this.hands = setup.players.map(() => this.draw());
    this.facts = this.listBoard(places, new Set(data.land.map(([, kind]) => kind)));
  }

  listBoard(places: [string, Hex][], land: Set<string>) {
    const {
      cards,
      nomads,
      rows,
      setup: { board, players },
    } = this;
    const [height, width] = [rows.length, rows[0].length];
    const towns = places.filter(([kind]) => kind === "town").map(([, hex]) => hex);
    const nameAt = ([r, c]: Hex) =>
      underscore(
        board[2 * Math.floor((2 * r) / height) + Math.floor((2 * c) / width)].replace("/180", ""),
      );
    this.titles = Object.fromEntries(towns.map(([r, c]) => [r * width + c, nameAt([r, c])]));
    return [
      `size(${height},${width}). players(${players.length}). starter(1).`,
      ...places.map(([kind, hex]) => `${land.has(kind) ? "land" : "terrain"}(${kind},${hex}).`),
      ...towns.map((hex) => `yields(${pair(hex)},${nameAt(hex)}).`),
      ...cards.map((card) => `chosen(${card}).`),
      ...nomads.map(([hex, tile]) => `nomad(${pair(hex)},${tile}).`),
    ].join(" ");
  }

  /** Place the pieces of a small set: in each quadrant, one lies on one of the hexes where it may lie. */
  place(word: string, kind: string, quadrants: Hex[][]) {
    const hexes = quadrants.map((offered) => draw(offered, this.random, 1)[0]);
    if (hexes.length) this.queenies.push({ word, kind, hexes });
    this.facts += hexes.map((hex) => ` lies_on(${kind},${pair(hex)}).`).join("");
  }

  /** Draw a terrain card; if none is left, the cards that were shown become the next pile. */
  draw() {
    if (!this.pile.length) [this.pile, this.discarded] = [draw(this.discarded, this.random), []];
    return this.pile.pop() ?? "";
  }

  /** The turn in progress, where there has to be one. */
  get turn() {
    if (!this.now) throw new Error("no turn has begun");
    return this.now;
  }

  /** Begin the turn of a player, who shows the card in hand. */
  open(player: number) {
    this.now = { player, cards: [], actions: [], before: null };
    this.reveal(this.hands[player - 1]);
  }

  reveal(card: string) {
    for (const cards of [this.turn.cards, this.discarded]) cards.push(card);
  }

  /* Draw one more card, as no hex of those before is free; what was done before it stands. */
  drawFurther() {
    this.reveal(this.draw());
    this.turn.before = count(this.turn.actions);
  }

  add(move: Move, isMore?: boolean) {
    this.turn.actions = addMove(this.turn.actions, move, isMore);
  }
  get canUndo() {
    return count(this.now?.actions ?? []) > (this.now?.before ?? 0);
  }

  undo() {
    const { actions } = this.turn;
    const last = actions[actions.length - 1];
    const targets = last.targets.slice(0, -1);
    this.turn.actions = targets.length
      ? actions.with(-1, { ...last, targets })
      : actions.slice(0, -1);
  }

  close() {
    const { player, cards, actions } = this.turn;
    this.lines.push({ player, cards, actions });
    this.hands[player - 1] = this.draw();
    this.now = null;
  }

  /** Take turns that were played before, as `save` has them; an error if the cards cannot have been these. */
  take({ lines, now }: Saved) {
    for (const line of lines) {
      this.repeat(readTurn(line));
      this.close();
    }
    if (now) this.repeat(readTurn(now.said), now.before);
  }

  repeat({ player, cards, actions }: Turn, before: number | null = null) {
    if (player > this.hands.length) throw new Error("there are fewer players");
    this.open(player);
    cards.slice(1).forEach(() => this.drawFurther());
    if (String(this.turn.cards) !== String(cards))
      throw new Error("its cards are not those that were dealt");
    if (before !== null && !(Number.isInteger(before) && before >= 0 && before <= count(actions)))
      throw new Error("its turn cannot be read");
    Object.assign(this.turn, { actions, before });
  }

  save(): Saved {
    const { now, lines, setup } = this;
    return {
      ...setup,
      lines: lines.map(writeTurn),
      now: now && { said: writeTurn(now), before: now.before ?? null },
    };
  }

  /** The record so far; `gold` stands at its end. */
  write({ changes }: Data, gold: number[] | null) {
    const {
      cards,
      lines,
      nomads,
      queenies,
      setup: { board, names = [], players },
    } = this;
    return [
      ...(changes ? [`% check with ${changes}`] : []),
      ...names.flatMap((name, i) => (name ? [`% player ${i + 1}: ${name}`] : [])),
      `board ${board.join(" ")}`,
      `cards ${cards.join(" ")}`,
      `players ${players.length}`,
      "start 1",
      ...nomads.map(([hex, tile]) => `nomad ${hex} ${hyphen(tile)}`),
      ...queenies.map(({ word, hexes }) => [word, ...hexes].join(" ")),
      ...lines.map(writeTurn),
      ...(gold ? [`gold ${gold.join(" ")}`] : []),
      "",
    ].join("\n");
  }
}

/** The rows of a board of four quadrants, such as farm or farm/180; throws an error if there is no such board. */
export function joinQuadrants({ quadrants }: Data, words: string[]) {
  const known = listWays(quadrants);
  if (
    words.length !== 4 ||
    new Set(words.map((word) => word.replace("/180", ""))).size !== 4 ||
    !words.every((word) => known.has(word))
  )
    throw new Error("a board has four different quadrants");
  return join(words.map((word) => known.get(word) ?? []));
}
