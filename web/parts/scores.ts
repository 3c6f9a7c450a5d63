/* What the rules say of a board, for the table of gold. */

import { joinNames } from "../kernel/kb.ts";
import type { Rows, Signature, Row, Term } from "../mirror/terms.ts";
import type { CardData } from "../data.d.ts";
import type { Payment, Scores } from "./gold.tsx";
import { groupBy } from "../kernel/dom.ts";
import { sayWhy, write } from "../mirror/terms.ts";

export type Read = Scores & { winners: number[] };

/** The sentence that names the winners. */
export function sayWinners(names: string[], gold: number | undefined) {
  const who = joinNames(names);
  return `${who[0].toUpperCase()}${who.slice(1)} ${names.length > 1 ? "tie" : "wins"} with ${gold} gold.`;
}

/** Read cards, players, gold and evidence, and the totals of the cards that are chosen; players may have names. */
export function readScores(
  rows: Rows,
  chosen: Set<string>,
  named: Record<number, string> = {},
): Read & { cards: CardData[] } {
  const take = (key: Signature) => rows[key] ?? [];
  const cards = take("card/3").map(([name, number, text]) => ({
    name: write(name),
    number,
    text: write(text),
  }));
  cards.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1));
  const players = take("player/1")
    .map(([player]) => player)
    .sort((a, b) => a - b);
  const gold = new Map(
    take("score/3").map(([card, player, value]) => [`${write(card)} ${player}`, value]),
  );
  const key = (card: Term, player: number, why: Term) => `${write(card)} ${player} ${write(why)}`;
  const hexes = groupBy(take("mark/5"), ([card, player, why]) => key(card, player, why));
  const spans = new Map(take("span/5").map(([why, ...span]) => [write(why), span]));
  const paid = groupBy(take("gold/4"), ([card, player]) => `${write(card)} ${player}`);
  const sayPiece = (row: Row): Payment => {
    const [card, player, why, points] = row;
    const marked = (hexes.get(key(card, player, why)) ?? [])
      .map(([, , , ...hex]) => hex)
      .sort(([a, b], [c, d]) => a - c || b - d);
    return {
      why: sayWhy(why),
      gold: typeof points === "number" ? points : write(points),
      hexes: marked,
      span: spans.get(write(why)),
      atom: rows.asked && row.text,
    };
  };
  const list = <T>(found: (figure: string) => T): Record<string, T[]> =>
    Object.fromEntries(
      cards.map(({ name }) => [name, players.map((player) => found(`${name} ${player}`))]),
    );
  const winners = take("winner/1")
    .map(([player]) => player)
    .sort((a, b) => a - b);
  const isGame = winners.length > 0 && cards.some(({ name }) => chosen.has(name));
  const totals: Map<number, number> = new Map(
    take("total/2").map(([player, sum]) => [player, sum]),
  );
  return {
    cards,
    players,
    winners,
    asked: rows.asked,
    names: players.map((player) => named[player] ?? `player ${player}`),
    gold: list((figure) => gold.get(figure)),
    evidence: list((figure) =>
      (paid.get(figure) ?? [])
        .map(sayPiece)
        .sort((a, b) => a.why.localeCompare(b.why, "en", { numeric: true })),
    ),
    total: isGame ? players.map((player) => totals.get(player) ?? 0) : null,
    chosen: cards.filter(({ name, number }) => chosen.has(name) || !number).map(({ name }) => name),
  };
}
