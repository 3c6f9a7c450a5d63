/* Boards: text to rows, rows to facts and back; what is wrong is said as `kb-score` says it. */

const TOUCHING = /[^ \t]{2}/;

/* A text that cannot be read; line and column count from 1, or are missing. */
export class ReadError extends Error {
  constructor(message, line, column) {
    super(line ? `line ${line}, column ${column}: ${message}` : message);
    Object.assign(this, { line, column });
  }
}

export const normalise = (text) => text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");

/* Read a board: an array of rows, each a text of symbols; no side may be longer than `most`. */
export function parseBoard(text, symbols, most) {
  const words = `each hex is one of ${symbols.join(" ")}`;
  const lines = normalise(text).split("\n").map((line, i) => ({ line: i + 1, text: line }));
  const kept = lines.filter(({ text: line }) => !/^[ \t]*%/.test(line));
  const blank = ({ text: line }) => !line.trim();
  const begin = kept.findIndex((line) => !blank(line));
  if (begin < 0) throw new ReadError(`there is no board in it: ${words}`);
  const found = kept.slice(begin, kept.findLastIndex((line) => !blank(line)) + 1);
  const gap = found.find(blank);
  for (const { text: line, line: number } of found) {
    const at = [...line].findIndex((c) => c !== " " && c !== "\t" && !symbols.includes(c));
    if (at >= 0) throw new ReadError(`unexpected '${[...line][at]}': ${words}`, number, at + 1);
  }
  if (gap) throw new ReadError("one board is expected, but here it ends, and another one follows", gap.line, 1);
  return checkShape(found, most);
}

function checkShape(found, most) {
  const isCompact = !found.some(({ text }) => /[ \t]/.test(text.trim()));
  const touching = isCompact ? undefined : found.find(({ text }) => TOUCHING.test(text));
  if (touching) {
    const message = "a blank is missing between two hexes, as the other rows have them";
    throw new ReadError(message, touching.line, TOUCHING.exec(touching.text).index + 2);
  }
  const rows = found.map(({ text }) => text.replace(/[ \t]/g, ""));
  const width = rows[0].length;
  rows.forEach((row, i) => {
    if (row.length === width) return;
    const message = `this row has ${row.length} hexes, the first row of the board has ${width}`;
    throw new ReadError(message, found[i].line, found[i].text.trimEnd().length + 1);
  });
  const size = `${rows.length} rows of ${width} hexes`;
  if (rows.length % 2 || width % 2) {
    throw new ReadError(`${size} cannot be halved into quadrants: both numbers must be even`);
  }
  if (Math.max(rows.length, width) > most) throw new ReadError(`${size} are too many for a page: ${most} is the limit`);
  return rows;
}

export const writeBoard = (rows) => rows.map((row, i) => `${i % 2 ? " " : ""}${[...row].join(" ")}\n`).join("");

/* The facts of a board on one line; `meanings` has predicate and first argument of each symbol. */
export function listFacts(rows, meanings) {
  const facts = [`size(${rows.length},${rows[0].length}).`];
  rows.forEach((row, r) => [...row].forEach((symbol, c) => {
    const meaning = meanings.get(symbol);
    if (meaning) facts.push(`${meaning[0]}(${meaning[1]},${r},${c}).`);
  }));
  return facts.join(" ");
}
