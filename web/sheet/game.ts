// A finished game as it is entered on the sheet: a state, and what can be done to it.
import {
  bare,
  clean,
  findNameFault,
  join,
  type Lying,
  LONGEST_NAME,
  LONGEST_TITLE,
  listWays,
  nameAll,
  SIDE,
  turn,
} from "../kernel/kb.ts";
import { Hexes, listFacts, writeBoard } from "../mirror/board.ts";
import type { SheetData } from "../data.d.ts";

/** A game: a character for each hex, a digit where that player has a settlement. */
export interface State {
  names: readonly string[];
  title: string;
  date: string;
  quadrants: readonly string[];
  cards: readonly string[];
  houses: string;
}

/** What an action does: a name for it, and what it changes; or why it cannot be done. */
export interface Deed {
  label: string;
  change: Partial<State>;
  /** What is to be told of it, besides what can be seen. */
  said?: string;
}

export const WIDTH = 2 * SIDE;
const EMPTY = ".".repeat(WIDTH * WIDTH);
export const STEPS = ["setup", "place", "result"] as const;

const say = (count: number, thing: string) => (count === 1 ? `1 ${thing}` : `${count} ${thing}s`);

/** The rules of entering a game, for the quadrants, cards and hexes that a page was made with. */
export class Sheet {
  readonly data: SheetData;
  readonly hexes: Hexes;
  readonly quadrants: Map<string, Lying>;
  /** The ground below the houses of the last board that was asked for. */
  private laid: { quadrants: string; grounds: string[] } = { quadrants: "", grounds: [] };

  constructor(data: SheetData) {
    this.data = data;
    this.hexes = new Hexes(data.symbols, data.pairs);
    this.quadrants = listWays(data.quadrants);
  }

  /** A new game, of people who may have played before. */
  begin(names: readonly string[] = ["", ""], date = ""): State {
    const quadrants = this.data.quadrants.slice(0, 4).map(({ name }) => name);
    return { names, title: "", date, quadrants, cards: [], houses: EMPTY };
  }

  /** A state that somebody else may have written; what cannot be a game is an error. */
  check(kept: any): State {
    const isList = (list: unknown, isFit: (one: string) => boolean) =>
      Array.isArray(list) && list.every((one) => typeof one === "string" && isFit(one));
    const [least, most] = this.data.players;
    const { names, title, date, quadrants, cards, houses } = kept ?? {};
    const isFit =
      isList(names, (name) => name.length <= LONGEST_NAME) &&
      names.length >= least &&
      names.length <= most &&
      typeof title === "string" &&
      title.length <= LONGEST_TITLE &&
      /^(\d{4}-\d\d-\d\d)?$/.test(date) &&
      isList(quadrants, (name) => this.quadrants.has(name)) &&
      new Set(quadrants.map(bare)).size === 4 &&
      isList(cards, (name) => this.data.cards.some((card) => card.name === name)) &&
      cards.length <= this.data.dealt &&
      typeof houses === "string" &&
      houses.length === EMPTY.length &&
      /^[.1-5]*$/.test(houses);
    if (!isFit) throw new Error("it does not contain a game for this page");
    const state = {
      names: names.map((name: string) => clean(name)),
      title: clean(title, LONGEST_TITLE),
      date,
      quadrants,
      cards,
      houses,
    };
    return { ...state, houses: this.keepLegal(state) };
  }

  /** Name a player. */
  rename({ names }: State, player: number, name: string): Deed {
    return {
      label: `the name of player ${player}`,
      change: { names: names.with(player - 1, clean(name)) },
    };
  }

  addPlayer({ names }: State): Deed {
    return { label: "a new player", change: { names: [...names, ""] } };
  }

  /** Remove the last player, with all houses of that player. */
  removePlayer({ names, houses }: State): Deed {
    const player = names.length;
    const label = nameAll(names)[player - 1];
    const count = houses.split(String(player)).length - 1;
    return {
      label: `${label} and ${say(count, "house")}`,
      change: { names: names.slice(0, -1), houses: houses.replaceAll(String(player), ".") },
      said: `${label} is gone${count ? `, with ${say(count, "house")}` : ""}.`,
    };
  }

  /** Lay a quadrant somewhere; one that lies elsewhere changes places with it. */
  lay(state: State, at: number, name: string): Deed {
    const quadrants = [...state.quadrants];
    const other = quadrants.findIndex((laid) => bare(laid) === bare(name));
    if (other >= 0) quadrants[other] = quadrants[at];
    quadrants[at] = name;
    return this.relay(state, quadrants, "the boards");
  }

  /** Turn the quadrant that lies somewhere. */
  turn(state: State, at: number): Deed {
    const name = state.quadrants[at];
    return this.relay(state, state.quadrants.with(at, turn(name)), `the turn of ${bare(name)}`);
  }

  /** Houses stay where they can; how many cannot is told. */
  private relay(state: State, quadrants: readonly string[], label: string): Deed {
    const houses = this.keepLegal({ ...state, quadrants });
    const lost = [...state.houses].filter((player, at) => player !== houses[at]).length;
    return {
      label,
      change: { quadrants, houses },
      said: lost ? `${say(lost, "house")} could not stay there.` : "",
    };
  }

  /** The houses that can stand where they do, of players that there are. */
  private keepLegal(state: State) {
    const grounds = this.groundsOf(state);
    const isLegal = (player: string, place: number) =>
      Number(player) <= state.names.length && this.canStand(grounds[place]);
    return Array.from(state.houses, (player, place) =>
      player !== "." && isLegal(player, place) ? player : ".",
    ).join("");
  }

  /** Choose a card, or leave it. */
  choose({ cards }: State, name: string): Deed | string {
    const { dealt } = this.data;
    if (cards.includes(name))
      return {
        label: `the card ${name}`,
        change: { cards: cards.filter((card) => card !== name) },
      };
    if (cards.length === dealt)
      return `You have picked ${dealt} cards: tap one to remove it first.`;
    return { label: `the card ${name}`, change: { cards: [...cards, name] } };
  }

  /** Tap a hex: put a house of a player there, or take away the house that the player has there. */
  tap(state: State, place: number, player: number): Deed | string {
    const owner = Number(state.houses[place].replace(".", "0"));
    const who = nameAll(state.names);
    if (owner === player)
      return {
        label: `${who[player - 1]}’s house`,
        change: { houses: put(state.houses, [place], 0) },
      };
    const refused = this.refuse(state, place, player);
    if (refused) return refused;
    return {
      label: `${who[player - 1]}’s house`,
      change: { houses: put(state.houses, [place], player) },
      said: owner ? `${who[owner - 1]}’s house is now ${who[player - 1]}’s.` : "",
    };
  }

  /** Go over hexes: fill empty ones, or, if the first has a house of the player, take away that player's. Others' stay. */
  stroke(state: State, places: readonly number[], player: number): Deed {
    const { houses } = state;
    const takes = houses[places[0]] === String(player);
    const left = this.data.most - this.count(state, player);
    const grounds = this.groundsOf(state);
    const wanted = places.filter((place) =>
      takes
        ? houses[place] === String(player)
        : houses[place] === "." && this.canStand(grounds[place]),
    );
    const done = takes ? wanted : wanted.slice(0, left);
    const name = nameAll(state.names)[player - 1];
    return {
      label: `${say(done.length, "house")} of ${name}`,
      change: { houses: put(houses, done, takes ? 0 : player) },
      said: done.length < wanted.length ? this.sayFull(state, player) : "",
    };
  }

  /** Why a house of a player cannot stand on a hex; nothing if it can. */
  private refuse(state: State, place: number, player: number) {
    const ground = this.groundsOf(state)[place];
    if (!this.canStand(ground)) {
      const look = this.data.looks[this.data.numbers[ground] - 1].name;
      return `You can’t build on ${look === "water" ? "water" : `a ${look}`}.`;
    }
    return this.count(state, player) >= this.data.most ? this.sayFull(state, player) : "";
  }

  private sayFull({ names }: State, player: number) {
    return `${nameAll(names)[player - 1]} has all ${this.data.most} houses on the board.`;
  }

  /** Whether the rules let a house stand on a ground. */
  canStand(ground: string) {
    return this.hexes.pairs.has(`${ground}1`);
  }

  /** The ground below the houses, a symbol for each hex. */
  groundsOf({ quadrants }: Pick<State, "quadrants">) {
    const key = quadrants.join();
    if (this.laid.quadrants !== key) {
      const grounds = join(quadrants.map((name) => this.quadrants.get(name) ?? [])).flat();
      this.laid = { quadrants: key, grounds };
    }
    return this.laid.grounds;
  }

  /** The board with its houses, a symbol for each hex. */
  symbolsOf(state: State) {
    return this.groundsOf(state).map((ground, place) => {
      const player = state.houses[place];
      return player === "." ? ground : this.hexes.put(player, ground);
    });
  }

  private rowsOf(state: State) {
    const symbols = this.symbolsOf(state);
    return Array.from({ length: WIDTH }, (_, row) => symbols.slice(row * WIDTH, (row + 1) * WIDTH));
  }

  /** The names of the towns by place: the tiles of their quadrants. */
  titlesOf(state: State): Record<number, string> {
    const towns = [...this.groundsOf(state).entries()].filter(
      ([, ground]) => ground === this.data.town,
    );
    return Object.fromEntries(
      towns.map(([place]) => [place, bare(state.quadrants[quadrantOf(place)])]),
    );
  }

  /** How many houses a player has. */
  count({ houses }: State, player: number) {
    return houses.split(String(player)).length - 1;
  }

  /** Houses where only some tiles let one build: they should be looked at before the scores. */
  listDoubts(state: State) {
    const names = nameAll(state.names);
    const { land } = this.data;
    const grounds = this.groundsOf(state);
    return names.flatMap((name, at) => {
      const isOff = (house: string, place: number) =>
        house === String(at + 1) && !land.includes(grounds[place]);
      const count = [...state.houses].filter(isOff).length;
      return count
        ? [`${name} has ${say(count, "house")} where only some tiles let you build.`]
        : [];
    });
  }

  /** What is wrong with the names; nothing if they can be used. */
  findNameFault({ names }: State) {
    return findNameFault(names);
  }

  /** The facts for the rules. */
  factsOf(state: State) {
    const cards = state.cards.map((name) => `chosen(${name}).`).join(" ");
    const facts = listFacts(this.rowsOf(state), this.hexes.meanings);
    return `${facts} players(${state.names.length}). ${cards}`;
  }

  /** The game as a file that `kb-score score` reads, and `readGame`. */
  textOf(state: State) {
    const { cards, title, date, names } = state;
    const heading = [title.trim(), date].filter(Boolean).join(", ");
    const chosen = cards.length ? ` --cards ${cards.join(",")}` : "";
    const comments = [
      ...(heading ? [`% title: ${heading}`] : []),
      ...names.flatMap((name, at) => (name.trim() ? [`% player ${at + 1}: ${name.trim()}`] : [])),
      `% kb-score score board.txt --players ${names.length}${chosen}`,
    ];
    return `${comments.map((line) => `${line}\n`).join("")}${writeBoard(this.rowsOf(state))}`;
  }
}

/** Which quadrant a hex of the whole board belongs to. */
const quadrantOf = (place: number) =>
  2 * Math.floor(place / WIDTH / SIDE) + Math.floor((place % WIDTH) / SIDE);

/** The place on the whole board of a place in a quadrant. */
export const placeIn = (quadrant: number, place: number) => {
  const [row, column] = [Math.floor(place / SIDE), place % SIDE];
  return (row + SIDE * Math.floor(quadrant / 2)) * WIDTH + column + SIDE * (quadrant % 2);
};

const put = (houses: string, places: readonly number[], player: number) => {
  const changed = new Set(places);
  return Array.from(houses, (old, at) => (changed.has(at) ? String(player || ".") : old)).join("");
};
