/* Boards: text to rows, rows to facts and back; what is wrong is said as `kb-score` says it. */

import type { Meaning } from "../data.d.ts";
const BLANK = "a blank is missing between two hexes: the other rows have one there";

/** A board: rows of hexes, each of one symbol or two. */
export type Board = string[][];

/** A text that cannot be read; line and column count from 1, or are missing. */
export class ReadError extends Error {
  line: number | undefined;
  column: number | undefined;

  constructor(message: string, line?: number, column?: number) {
    super(line ? `line ${line}, column ${column}: ${message}` : message);
    this.line = line;
    this.column = column;
  }
}

export const normalise = (text: string) => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");

/** The hexes of a notation: `symbols` with their facts, and `pairs`, the hexes of two symbols. */
export class Hexes {
  meanings: Map<string, string[] | null>;
  pairs: Set<string>;
  alone: string[];
  players: string[];
  settled: string[];
  walled: string[];

  constructor(symbols: Meaning[], pairs: string[]) {
    this.meanings = new Map(symbols);
    this.pairs = new Set(pairs);
    this.alone = [...this.meanings.keys()].filter((symbol) => symbol !== "#");
    this.players = this.alone.filter((symbol) => this.meanings.get(symbol)?.[0] === "settlement");
    const below = (piece: string) =>
      pairs.filter((pair) => pair[1] === piece).map(([ground]) => ground);
    this.settled = below(this.players[0]);
    this.walled = below("#");
  }

  has(word: string) {
    return this.alone.includes(word) || this.pairs.has(word);
  }

  /** Put a symbol on a hex: terrain replaces everything, a piece that can stand on the terrain is added to it. */
  put(symbol: string, old: string) {
    if (symbol !== "#" && !this.players.includes(symbol)) return symbol;
    const ground = this.players.includes(old) ? "." : old[0];
    return this.shorten(this.pairs.has(ground + symbol) ? ground + symbol : `.${symbol}`);
  }

  /** `.2` is the same hex as `2`. */
  shorten(hex: string) {
    return hex[0] === "." && this.players.includes(hex.slice(1)) ? hex[1] : hex;
  }

  /** What is wrong with a word that is no hex: at which of its symbols, and why. */
  findFault(word: string): [number, string] {
    const [first, second] = word;
    const isPlayer = this.players.includes(first);
    if (first === "#")
      return [0, "unexpected '#': a stone wall is a second symbol, after the terrain, as in G#"];
    const at = isPlayer ? 1 : 2;
    const more = word[at];
    const isLand = first !== "." && this.walled.includes(first);
    if (this.has(word.slice(0, at)) && (more === "#" || (isLand && this.players.includes(more)))) {
      return [at, `unexpected '${more}': a hex holds one settlement or one stone wall`];
    }
    const pair = `unexpected '${first}${second}'`;
    if (second === "#" && !this.walled.includes(first))
      return [0, `${pair}: a stone wall must stand on one of ${this.walled.join(" ")}`];
    if (this.players.includes(second) && !isPlayer && !this.settled.includes(first)) {
      return [0, `${pair}: a settlement must stand on one of ${this.settled.join(" ")}`];
    }
    return [first !== "." && this.has(word.slice(0, 2)) ? 2 : 1, BLANK];
  }
}

/** Read a board; no side may be longer than `most`, and those of an example may be odd. */
export function parseBoard(text: string, hexes: Hexes, most: number, allowsOdd = false): Board {
  const words = `each hex is one of ${hexes.alone.join(" ")}, or a pair such as G2 or G#`;
  const kept = normalise(text)
    .split("\n")
    .map((line, i) => ({ line: i + 1, text: line }))
    .filter(({ text: line }) => !/^[ \t]*%/.test(line))
    .map((line) => ({ ...line, text: line.text.replace(/[ \t]*%.*/, "") }));
  // A board may be in lowercase, but a lowercase letter among capitals is a mistake.
  const isLow = kept.every(({ text: line }) => line === line.toLowerCase());
  const raise = (word: string) => (isLow ? word.toUpperCase() : word);
  const blank = ({ text: line }: Line) => !line.trim();
  const begin = kept.findIndex((line) => !blank(line));
  if (begin < 0) throw new ReadError(`there is no board here: ${words}`);
  const found = kept.slice(begin, kept.findLastIndex((line) => !blank(line)) + 1);
  const gap = found.find(blank);
  for (const { text: line, line: number } of found) {
    const at = [...line].findIndex((c) => !" \t".includes(c) && !hexes.meanings.has(raise(c)));
    if (at >= 0) throw new ReadError(`unexpected '${[...line][at]}': ${words}`, number, at + 1);
  }
  if (gap) throw new ReadError("one board is expected, but a second one follows here", gap.line, 1);
  const rows = found.map((line) => ({ ...line, text: raise(line.text) }));
  return checkShape(rows, hexes, most, allowsOdd);
}

/** A line of a text, and its number from 1. */
export type Line = { line: number; text: string };

function readRow({ text, line }: Line, hexes: Hexes, isCompact: boolean) {
  if (isCompact) {
    const at = text.indexOf("#");
    if (at < 0) return [...text.trim()];
    const message = "a stone wall is a second symbol, as in G#, so spaces must separate the hexes";
    throw new ReadError(`unexpected '#': ${message}`, line, at + 1);
  }
  return [...text.matchAll(/[^ \t]+/g)].map(({ 0: word, index }) => {
    if (hexes.has(word)) return hexes.shorten(word);
    const [at, message] = hexes.findFault(word);
    throw new ReadError(message, line, index + at + 1);
  });
}

function checkShape(found: Line[], hexes: Hexes, most: number, allowsOdd: boolean) {
  const isCompact = !found.some(({ text }) => /[ \t]/.test(text.trim()));
  const rows = found.map((line) => readRow(line, hexes, isCompact));
  const width = rows[0].length;
  rows.forEach((row, i) => {
    if (row.length === width) return;
    const shown = row.length === 1 ? "1 hex" : `${row.length} hexes`;
    const message = `this row has ${shown}, but the first row of the board has ${width}`;
    throw new ReadError(message, found[i].line, found[i].text.trimEnd().length + 1);
  });
  const size = `${rows.length} rows of ${width} hexes`;
  if (!allowsOdd && (rows.length % 2 || width % 2)) {
    throw new ReadError(`${size} cannot be halved into quadrants: both numbers must be even`);
  }
  if (Math.max(rows.length, width) > most)
    throw new ReadError(`${size} are too many for a page: ${most} is the limit`);
  return rows;
}

export function writeBoard(rows: Board) {
  const width = Math.max(...rows.flat().map((hex) => hex.length));
  const line = (row: string[]) =>
    row
      .map((hex) => hex.padEnd(width))
      .join(" ")
      .trimEnd();
  return rows.map((row, i) => `${i % 2 ? " " : ""}${line(row)}\n`).join("");
}

/** The facts of a board on one line; `meanings` has the predicate and the first arguments of each symbol. */
export function listFacts(rows: Board, meanings: Hexes["meanings"]) {
  const facts = [`size(${rows.length},${rows[0].length}).`];
  rows.forEach((row, r) =>
    row.forEach((hex, c) =>
      [...hex].forEach((symbol) => {
        const [predicate, ...first] = meanings.get(symbol) ?? [];
        if (predicate) facts.push(`${predicate}(${[...first, r, c]}).`);
      }),
    ),
  );
  return facts.join(" ");
}
