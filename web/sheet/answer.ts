// What the rules say of a game on the sheet, with the names of its players.
import { nameAll, PLACES } from "../kernel/kb.ts";
import type { Answer as Found } from "../kernel/engine.ts";
import { readScores } from "../parts/scores.ts";
import { readAtoms, write, writeSentence } from "../mirror/terms.ts";
import type { Piece } from "../kernel/picture.ts";
import type { Sheet, State } from "./game.ts";

/** What a card pays for, and the hexes that show it. */
export type Payment = Piece & { why: string; gold: number | string };

export interface Card {
  name: string;
  text?: string;
}

/** Gold and evidence by card, in the order of the players. */
export interface Answer {
  /** The answer of clingo, which stays the same when a player is renamed. */
  from: Found;
  cards: Card[];
  players: number[];
  names: string[];
  gold: Record<string, number[]>;
  evidence: Record<string, Payment[][]>;
  /** None before the cards are chosen. */
  total: number[] | null;
  winners: string[];
  findings: string[];
}

/** Read an answer of clingo; an error if the rules give none. */
export function readAnswer(from: Found, sheet: Sheet, state: State): Answer {
  const { err = "", models = [], stopped, isFull } = from;
  if (stopped || isFull) throw new Error("The rules give no answer: they never end.");
  if (models.length !== 1) throw new Error(`The rules give no answer: ${err.slice(0, 300)}`);
  const rows = readAtoms(models[0]);
  const scores = readScores(rows, new Set(state.cards));
  const all = nameAll(state.names);
  const name = (sentence: string) =>
    sentence.replace(/\bplayer ([1-5])\b/g, (said, player) => all[player - 1] ?? said);
  const broken = (rows["violation/2"] ?? []).map(
    ([code, detail]) => `${write(code)}: ${name(writeSentence(detail))}`,
  );
  const missing = (rows["missing/3"] ?? [])
    .sort(([a], [b]) => a - b)
    .map(([player, count, most]) => `${all[player - 1]} has ${count} of ${most} houses.`);
  return {
    from,
    cards: scores.cards.filter((card) => !card.number || state.cards.includes(card.name)),
    players: scores.players,
    names: scores.players.map((player) => all[player - 1]),
    gold: scores.gold as Record<string, number[]>,
    evidence: scores.evidence,
    total: scores.total,
    winners: scores.winners.map((player) => all[player - 1]),
    findings: [...missing, ...sheet.listDoubts(state), ...broken],
  };
}

/** What pays, in words; reasons of one kind that pay the same share a line. */
export function sayPayments(pieces: Payment[]) {
  const kinds = new Map<string, Payment[]>();
  for (const piece of pieces) {
    const key = `${piece.gold} ${kindOf(piece)}`;
    kinds.set(key, [...(kinds.get(key) ?? []), piece]);
  }
  return [...kinds.values()].map((all) => {
    const kind = kindOf(all[0]);
    const { gold } = all[0];
    if (kind === "quadrant") {
      const where = all.map(({ why }) => PLACES[Number(why.split(" ").at(-1)) - 1] ?? why);
      return `${gold} gold${all.length > 1 ? " each" : ""}: ${where.join(", ")}`;
    }
    const count = all.length > 1 ? `${all.length} × ` : "";
    const what = kind && kind !== "hex" ? ` for ${all.length > 1 ? "each" : "a"} ${kind}` : "";
    return `${count}${gold} gold${what}`;
  });
}

const kindOf = ({ why }: Payment) => why.split(" ").slice(0, -1).join(" ");
