/* The turns of a game of Kingdom Builder, as docs/kingdom_builder.md has them: text to facts. */

import { normalise, ReadError } from "./board.ts";

const MAX_NUMBER = 2 ** 31 - 1;
/** The known words, and the places of the names of tiles, which only the rules can check. */
export type Names = {
  terrains: Set<string>;
  tiles: { name: string; fail: (message: string) => never }[];
};

/** The numbers of the last turn and step. */
export type Counts = { turn: number; step: number };

const WORDS: Record<string, RegExp> = {
  hex: /\d+,[ \t]*\d+/y,
  int: /\d+(?!\d|,[ \t]*\d)/y,
  number: /\d+\./y,
  field: /flowers|flower[ \t]+fields?/y,
  name: /[a-z][a-z-]*/y,
};
const TURN = 'a turn such as "1 grass: 4,11 4,12 5,11"';

/** Read turns, and a claim if there is one: returns facts, and a function that checks the names of tiles. */
export function readTurns(
  text: string,
  { terrains, players }: { terrains: string[]; players: number },
) {
  const facts: string[] = [];
  const tiles: Names["tiles"] = [];
  const names = { terrains: new Set(terrains), tiles };
  const counts = { turn: 0, step: 0 };
  let claimed = false;
  normalise(text)
    .split("\n")
    .forEach((whole, i) => {
      const line = new Line(whole, i + 1);
      if (line.ends()) return;
      if (claimed) line.fail("expected the end of the line after the gold");
      claimed = line.peek("name") === "gold";
      facts.push(...(claimed ? readClaim(line, players) : readTurn(line, names, counts)));
    });
  const check = (known: Set<string>) => {
    for (const { name, fail } of tiles)
      if (!known.has(name)) fail(`expected a tile: ${list(known)}`);
  };
  return { facts: facts.join(" "), check };
}

const list = (names: Iterable<string>) => [...names].sort().join(", ").replaceAll("_", "-");

/* The words of a line, one after the other: those of a kind, or signs. */
class Line {
  text: string;
  number: number;
  at = 0;

  /** `number`: from 1. */
  constructor(text: string, number: number) {
    this.text = text.replace(/%.*/, "").toLowerCase();
    this.number = number;
    this.move(0);
  }

  /** Go on by so many letters, and over the blanks behind them. */
  move(length: number) {
    this.at += length;
    while (" \t".includes(this.text.charAt(this.at) || ".")) this.at += 1;
  }

  ends() {
    return !this.text.slice(this.at).trim();
  }

  /** The word that stands next, if it is one of this kind, or a sign. */
  peek(kind: string) {
    if (!WORDS[kind]) return this.text.startsWith(kind, this.at) ? kind : null;
    WORDS[kind].lastIndex = this.at;
    return WORDS[kind].exec(this.text)?.[0] ?? null;
  }

  take(kind: string) {
    const word = this.peek(kind);
    if (word?.split(",").some((part) => Number(part) > MAX_NUMBER))
      this.fail("this number is too large");
    if (word) this.move(word.length);
    return word;
  }

  need(kind: string, says: string) {
    return this.take(kind) ?? this.fail(`expected ${says}`);
  }
  fail(message: string, at = this.at): never {
    throw new ReadError(message, this.number, at + 1);
  }

  /** Take a terrain that there is. */
  terrain({ terrains }: Names) {
    if (this.take("field")) return "flower";
    if (!terrains.has(this.peek("name") ?? "")) this.fail(`expected a terrain: ${list(terrains)}`);
    return this.take("name");
  }

  /** Take the name of a tile, which has underscores in the rules; only they know which there are. */
  tile({ tiles }: Names) {
    const { at } = this;
    const name = this.need("name", "the name of a tile").replaceAll("-", "_");
    tiles.push({ name, fail: (message) => this.fail(message, at) });
    return name;
  }

  hex(says: string) {
    return `(${this.need("hex", says).replace(/\s/g, "")})`;
  }
}

function readClaim(line: Line, players: number) {
  line.take("name");
  const gold: string[] = [];
  while (!line.ends()) gold.push(line.need("int", "a number"));
  if (gold.length !== players)
    line.fail(`expected gold for each of ${players} players, not for ${gold.length}`);
  return gold.map((value, i) => `claimed_gold(${i + 1},${Number(value)}).`);
}

function readTurn(line: Line, names: Names, counts: Counts) {
  const turn = (counts.turn += 1);
  if (parseInt(line.peek("number") ?? String(turn)) !== turn) line.fail(`this is turn ${turn}`);
  line.take("number");
  const player = line.need("int", TURN);
  const facts: string[] = [];
  do {
    const terrain = line.terrain(names);
    const said = facts.length ? "" : ` said(${Number(player)},${counts.step + 1}).`;
    facts.push(`${addStep(counts)} shows(${terrain},${counts.step}).${said}`);
  } while (line.take("/"));
  line.need(":", '":" after the terrain of the card');
  if (!line.ends()) {
    do facts.push(...readPart(line, names, counts));
    while (line.take(";"));
  }
  if (!line.ends()) line.fail('expected ";" before the next action, or the end of the line');
  facts.push(`${addStep(counts)} done(${counts.step}).`);
  return facts;
}

/** The facts of one more step. */
function addStep(counts: Counts) {
  counts.step += 1;
  return `turn(${counts.step}). step(${counts.turn},${counts.step}).`;
}

function readPart(line: Line, names: Names, counts: Counts) {
  const isTile = line.peek("name");
  const tile = isTile && line.tile(names);
  const facts: string[] = [];
  const first = counts.step + 1;
  const begin = () => {
    facts.push(addStep(counts));
    const { step } = counts;
    if (isTile) facts.push(step === first ? `uses_tile(${tile},${step}).` : `continues(${step}).`);
    return step;
  };
  while (line.peek("hex") || (!isTile && counts.step < first)) {
    const place = line.hex("a hex such as 4,11, or a tile");
    const step = begin();
    if (isTile && (line.take("->") || line.take(">")))
      facts.push(
        `from(${place},${step}).`,
        `on(${line.hex("the hex that a settlement moves to")},${step}).`,
      );
    else facts.push(`on(${place},${step}).`);
  }
  if (counts.step < first) begin();
  while (line.peek("+") || line.peek("-")) {
    const event = line.take("+") ? "got" : line.take("-") && "lost";
    const tile = line.tile(names);
    line.need("@", '"@" and the hex that a tile is from');
    const place = line.hex("the hex that a tile is from");
    facts.push(`noted(${event},${tile},${place},${first},${counts.step}).`);
  }
  return facts;
}
