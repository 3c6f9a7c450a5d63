// @ts-check
// A finished game as it is entered on the sheet: the players, the board, the cards and the settlements.
import { Hexes, listFacts, writeBoard } from "./board.js";
import { join, listWays } from "./quadrants.js";

/**
 * A game as it is stored: a character for each hex, a digit where that player has a settlement.
 * @typedef {{step: string, names: string[], title: string, date: string, quadrants: string[], cards: string[], houses: string}} State
 */

export const SIDE = 10; // of a quadrant
export const PLACES = ["top left", "top right", "bottom left", "bottom right"]; // of the quadrants
const WIDTH = 2 * SIDE;
const EMPTY = ".".repeat(WIDTH * WIDTH);
const LONGEST_NAME = 30; // the longest that the command `score` reads
const LONGEST_TITLE = 120;
const TURNED = "/180";
// Characters that names must not contain, as in the files of boards.
const REFUSED = /[<>|`\p{C}\p{Zl}\p{Zp}]/gu;

export const STEPS = ["setup", "place", "result"];

/** "my-quadrant" and "my_quadrant" as people write them: "My quadrant". @param {string} name */
export const title = (name) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[_-]/g, " ");

export class SheetGame {
  /** @param {import("./data.js").SheetData} data */
  constructor(data) {
    this.data = data;
    this.hexes = new Hexes(data.symbols, data.pairs);
    this.quadrants = listWays(data.quadrants);
    /** @type {string[]} */
    this.undone = [];
    this.state = this.begin();
  }

  /** What a new game is like. @param {string[]} names of those who play, who may be the same people again @returns {State} */
  begin(names = ["", ""]) {
    return { step: "setup", names: [...names], title: "", date: "", quadrants: this.data.quadrants.slice(0, 4).map(({ name }) => name), cards: [], houses: EMPTY };
  }

  /** Take what was kept; whatever cannot be is an error. @param {any} kept */
  take(kept) {
    /** @param {unknown} list @param {(one: string) => boolean} isFit */
    const isList = (list, isFit) => Array.isArray(list) && list.every((one) => typeof one === "string" && isFit(one));
    const [least, most] = this.data.players;
    const { step, names, title: said, date, quadrants, cards, houses } = kept ?? {};
    const isFit = STEPS.includes(step) && isList(names, (name) => name.length <= LONGEST_NAME) && names.length >= least && names.length <= most
      && typeof said === "string" && said.length <= LONGEST_TITLE && /^(\d{4}-\d\d-\d\d)?$/.test(date)
      && isList(quadrants, (name) => this.quadrants.has(name)) && new Set(quadrants.map(bare)).size === 4
      && isList(cards, (name) => this.data.cards.some((card) => card.name === name)) && cards.length <= this.data.dealt
      && typeof houses === "string" && houses.length === EMPTY.length && /^[.1-5]*$/.test(houses);
    if (!isFit) throw new Error("it does not contain a game for this page");
    this.state = { step, names: names.map(clean), title: clean(said), date, quadrants, cards, houses: EMPTY };
    this.undone = [];
    this.state.houses = this.keepLegal(houses);
  }

  /** What a player is called. @param {number} player */
  name(player) { return this.state.names[player - 1].trim() || `Player ${player}`; }

  /** The players who have the name of another player. */
  findTwins() {
    const names = this.state.names.map((_, at) => this.name(at + 1));
    return names.filter((name, at) => names.indexOf(name) < at);
  }

  /** @param {number} player @param {string} name */
  rename(player, name) { this.state.names[player - 1] = clean(name); }

  addPlayer() { this.state.names.push(""); }

  /** Remove the last player, with all settlements of that player. */
  removePlayer() {
    this.state.names.pop();
    const player = String(this.state.names.length + 1);
    this.state.houses = this.state.houses.replaceAll(player, ".");
  }

  /** Lay a quadrant somewhere; one that lies elsewhere changes places with it. @param {number} at @param {string} name */
  lay(at, name) {
    const { quadrants } = this.state;
    const other = quadrants.findIndex((laid) => bare(laid) === bare(name));
    if (other >= 0) quadrants[other] = quadrants[at];
    quadrants[at] = name;
    this.state.houses = this.keepLegal(this.state.houses);
  }

  /** Turn the quadrant that lies somewhere. @param {number} at */
  turn(at) {
    const name = this.state.quadrants[at];
    this.state.quadrants[at] = name.endsWith(TURNED) ? bare(name) : name + TURNED;
    this.state.houses = this.keepLegal(this.state.houses);
  }

  /** The settlements that can still stand where they do. @param {string} houses */
  keepLegal(houses) {
    const grounds = this.grounds;
    return Array.from(houses, (player, place) => (player !== "." && Number(player) <= this.state.names.length && this.canStand(grounds[place]) ? player : ".")).join("");
  }

  /** Choose a card or leave it; what is wrong with that, or nothing. @param {string} name */
  choose(name) {
    const { cards } = this.state;
    if (cards.includes(name)) cards.splice(cards.indexOf(name), 1);
    else if (cards.length === this.data.dealt) return `You have picked ${this.data.dealt} cards: tap one to remove it first.`;
    else cards.push(name);
    return "";
  }

  /** The ground below the settlements, a symbol for each hex. */
  get grounds() { return join(this.state.quadrants.map((name) => this.quadrants.get(name) ?? [])).flat(); }

  /** Whether the rules let a settlement stand there. @param {string} ground */
  canStand(ground) { return this.hexes.pairs.has(`${ground}1`); }

  /** The board with its settlements. @returns {string[][]} */
  get rows() {
    const { houses } = this.state;
    const hexes = this.grounds.map((ground, place) => (houses[place] === "." ? ground : this.hexes.put(houses[place], ground)));
    return Array.from({ length: WIDTH }, (_, row) => hexes.slice(row * WIDTH, (row + 1) * WIDTH));
  }

  /** The names of the towns by place: the tiles of their quadrants. */
  get titles() {
    /** @type {Record<number, string>} */
    const titles = {};
    this.grounds.forEach((ground, place) => {
      if (ground !== this.data.town) return;
      const [row, column] = [Math.floor(place / WIDTH), place % WIDTH];
      titles[place] = bare(this.state.quadrants[2 * Number(row >= SIDE) + Number(column >= SIDE)]);
    });
    return titles;
  }

  /** How many settlements a player has. @param {number} player */
  count(player) { return this.state.houses.split(String(player)).length - 1; }

  /** Who has a settlement on a hex; 0 if nobody has. @param {number} place */
  at(place) { return Number(this.state.houses[place].replace(".", "0")); }

  /** Begin a stroke: the changes that follow are undone together. */
  remember() { this.undone.push(this.state.houses); }

  /** Put a settlement of a player on a hex, or take away what stands there; what is wrong with that, or nothing. @param {number} place @param {number} player 0 takes away */
  put(place, player) {
    const ground = this.grounds[place];
    if (player && !this.canStand(ground)) {
      const look = this.data.looks[this.data.numbers[ground] - 1].name;
      return `You can\u2019t build on ${look === "water" ? "water" : `a ${look}`}.`;
    }
    if (player && this.at(place) !== player && this.count(player) >= this.data.most) return `${this.name(player)} has all ${this.data.most} houses on the board.`;
    const { houses } = this.state;
    this.state.houses = houses.slice(0, place) + (player || ".") + houses.slice(place + 1);
    return "";
  }

  /** Forget the last stroke if it has changed nothing. */
  forgetIdle() { if (this.undone.at(-1) === this.state.houses) this.undone.pop(); }

  /** How many houses of a player stand where only tiles lead. @param {number} player */
  countOff(player) {
    const grounds = this.grounds;
    return Array.from(this.state.houses).filter((at, place) => at === String(player) && !this.data.land.includes(grounds[place])).length;
  }

  /** Go back to before the last stroke. */
  undo() { this.state.houses = this.undone.pop() ?? this.state.houses; }

  /** The facts for the rules. */
  get facts() {
    const { cards, names } = this.state;
    return `${listFacts(this.rows, this.hexes.meanings)} players(${names.length}). ${cards.map((name) => `chosen(${name}).`).join(" ")}`;
  }

  /** The game as a file that `kb-score score` reads. */
  get text() {
    const { cards, title: said, date, names } = this.state;
    const heading = [said, date].filter(Boolean).join(", ");
    const comments = [
      ...(heading ? [`% title: ${heading}`] : []),
      ...names.flatMap((name, at) => (name.trim() ? [`% player ${at + 1}: ${name.trim()}`] : [])),
      ...(cards.length ? [`% kb-score score board.txt --players ${names.length} --cards ${cards.join(",")}`] : []),
    ];
    return `${comments.map((line) => `${line}\n`).join("")}${writeBoard(this.rows)}`;
  }
}

/** The name of a quadrant, whichever way it lies. @param {string} name */
export const bare = (name) => name.replace(TURNED, "");

/** A text without what cannot be shown. @param {string} text */
const clean = (text) => text.replace(REFUSED, "").slice(0, LONGEST_TITLE);
