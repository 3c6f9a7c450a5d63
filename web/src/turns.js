// @ts-check
/* The turns of a game of Kingdom Builder, as docs/kingdom_builder.md has them: text to facts. */

import { normalise, ReadError } from "./board.js";

const MAX_NUMBER = 2 ** 31 - 1;
/**
 * The known words, and the places of the names of tiles, which only the rules can check.
 * @typedef {{terrains: Set<string>, tiles: {name: string, fail: (message: string) => never}[]}} Names
 *
 * The numbers of the last turn, part of a turn, and moment.
 * @typedef {{turn: number, part: number, moment: number}} Counts
 */

/** @type {Record<string, RegExp>} */
const WORDS = { hex: /\d+,[ \t]*\d+/y, int: /\d+(?!\d|,[ \t]*\d)/y, number: /\d+\./y, field: /flowers|flower[ \t]+fields?/y, name: /[a-z][a-z-]*/y };
const TURN = 'a turn such as "1 grass: 4,11 4,12 5,11"';

/**
 * Read turns, and a claim if there is one: returns facts, and a function that checks the names of tiles.
 * @param {string} text
 * @param {{terrains: string[], players: number}} data
 */
export function readTurns(text, { terrains, players }) {
  /** @type {string[]} */
  const facts = [];
  /** @type {Names["tiles"]} */
  const tiles = [];
  const names = { terrains: new Set(terrains), tiles };
  const counts = { turn: 0, part: 0, moment: 0 };
  let claimed = false;
  normalise(text).split("\n").forEach((whole, i) => {
    const line = new Line(whole, i + 1);
    if (line.ends()) return;
    if (claimed) line.fail("expected the end of the line after the gold");
    claimed = line.peek("name") === "gold";
    facts.push(...(claimed ? readClaim(line, players) : readTurn(line, names, counts)));
  });
  /** @param {Set<string>} known */
  const check = (known) => {
    for (const { name, fail } of tiles) if (!known.has(name)) fail(`expected a tile: ${list(known)}`);
  };
  return { facts: facts.join(" "), check };
}

/** @param {Iterable<string>} names */
const list = (names) => [...names].sort().join(", ").replaceAll("_", "-");

/* The words of a line, one after the other: those of a kind, or signs. */
class Line {
  /** @param {string} text @param {number} number from 1 */
  constructor(text, number) {
    this.text = text.replace(/%.*/, "").toLowerCase();
    this.number = number;
    this.at = 0;
    this.move(0);
  }

  /** Go on by so many letters, and over the blanks behind them. @param {number} length */
  move(length) {
    this.at += length;
    while (" \t".includes(this.text.charAt(this.at) || ".")) this.at += 1;
  }

  ends() { return !this.text.slice(this.at).trim(); }

  /** The word that stands next, if it is one of this kind, or a sign. @param {string} kind */
  peek(kind) {
    if (!WORDS[kind]) return this.text.startsWith(kind, this.at) ? kind : null;
    WORDS[kind].lastIndex = this.at;
    return WORDS[kind].exec(this.text)?.[0] ?? null;
  }

  /** @param {string} kind */
  take(kind) {
    const word = this.peek(kind);
    if (word?.split(",").some((part) => Number(part) > MAX_NUMBER)) this.fail("this number is too large");
    if (word) this.move(word.length);
    return word;
  }

  /** @param {string} kind @param {string} says */
  need(kind, says) { return this.take(kind) ?? this.fail(`expected ${says}`); }
  /** @param {string} message @returns {never} */
  fail(message, at = this.at) { throw new ReadError(message, this.number, at + 1); }

  /** Take a terrain that there is. @param {Names} names */
  terrain({ terrains }) {
    if (this.take("field")) return "flower";
    if (!terrains.has(this.peek("name") ?? "")) this.fail(`expected a terrain: ${list(terrains)}`);
    return this.take("name");
  }

  /** Take the name of a tile, which has underscores in the rules; only they know which there are. @param {Names} names */
  tile({ tiles }) {
    const { at } = this;
    const name = this.need("name", "the name of a tile").replaceAll("-", "_");
    tiles.push({ name, fail: (message) => this.fail(message, at) });
    return name;
  }

  /** @param {string} says */
  hex(says) { return `(${this.need("hex", says).replace(/\s/g, "")})`; }
}

/** @param {Line} line @param {number} players */
function readClaim(line, players) {
  line.take("name");
  /** @type {string[]} */
  const gold = [];
  while (!line.ends()) gold.push(line.need("int", "a number"));
  if (gold.length !== players) line.fail(`expected gold for each of ${players} players, not for ${gold.length}`);
  return gold.map((value, i) => `claimed_gold(${i + 1},${Number(value)}).`);
}

/** @param {Line} line @param {Names} names @param {Counts} counts */
function readTurn(line, names, counts) {
  const turn = (counts.turn += 1);
  if (parseInt(line.peek("number") ?? String(turn)) !== turn) line.fail(`this is turn ${turn}`);
  line.take("number");
  const player = line.need("int", TURN);
  const facts = [`line(${turn},${Number(player)}).`, `opens(${turn},${(counts.moment += 1)}).`];
  let card = 0;
  do facts.push(`reveals(${turn},${(card += 1)},${line.terrain(names)}).`);
  while (line.take("/"));
  line.need(":", '":" after the terrain of the card');
  if (!line.ends()) {
    do facts.push(...readPart(line, names, counts));
    while (line.take(";"));
  }
  if (!line.ends()) line.fail('expected ";" before the next action, or the end of the line');
  facts.push(`closes(${turn},${(counts.moment += 1)}).`);
  return facts;
}

/** @param {Line} line @param {Names} names @param {Counts} counts */
function readPart(line, names, counts) {
  const part = (counts.part += 1);
  const isTile = line.peek("name");
  const facts = [`part(${part},${counts.turn},${isTile ? line.tile(names) : "mandatory"}).`];
  let number = 0;
  while (line.peek("hex") || (!isTile && !number)) {
    const place = line.hex("a hex such as 4,11, or a tile");
    const moment = (counts.moment += 1);
    facts.push(`step(${moment},${part},${(number += 1)}).`);
    if (isTile && (line.take("->") || line.take(">"))) facts.push(`from(${moment},${place}).`, `at(${moment},${line.hex("the hex that a settlement moves to")}).`);
    else facts.push(`at(${moment},${place}).`);
  }
  if (!number) facts.push(`step(${(counts.moment += 1)},${part},0).`);
  while (line.peek("+") || line.peek("-")) {
    const event = line.take("+") ? "got" : line.take("-") && "lost";
    const tile = line.tile(names);
    line.need("@", '"@" and the hex that a tile is from');
    facts.push(`noted(${part},${event},${tile},${line.hex("the hex that a tile is from")}).`);
  }
  return facts;
}
