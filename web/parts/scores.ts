/* What the rules say of a board, for the table of gold. */

import { joinNames } from "../kernel/kb.ts";
import type { Rows, Signature, Row, Term } from "../mirror/terms.ts";
import type { CardData } from "../data.d.ts";
import type { Payment, Sayings, Card, Shown } from "./gold.ts";
import type { Picture } from "../kernel/picture.ts";
import { byId, groupBy, make, makeHead } from "../kernel/dom.ts";
import { Gold, nameCard } from "./gold.ts";
import { sayWhy, write } from "../mirror/terms.ts";

const MOST_SAID = 12; // the most differences that are named; if there are more, only the sums are

export type Read = Shown & { winners: number[] };

/** "+4", or nothing for 0. */
const sayMore = (more: number) => (more ? `${more > 0 ? "+" : "\u2212"}${Math.abs(more)}` : "");

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

/* The table, with a box at each card for whether the game is played with it. */
export class Scores extends Gold {
  change: () => void;
  chosen: Set<string> = new Set();

  /** `change` is called when cards are chosen. */
  constructor(picture: Picture, why: Sayings["why"], change: () => void) {
    super(picture, { why, head: (card) => this.makeChoice(card) });
    this.change = change;
  }

  makeChoice({ name, number }: Card) {
    if (!number) return name;
    const box = make("input", "", { type: "checkbox", id: `card-${name}` });
    box.checked = this.chosen.has(name);
    box.addEventListener("change", () => {
      this.chosen[box.checked ? "add" : "delete"](name);
      this.change();
    });
    return make("label", [box, nameCard({ name, number })]);
  }

  /** Show the differences between two scores, in the table and in words: since a change, or for a preview of one. */
  tell(before: Shown | null | undefined, after = this.scores) {
    const isPreview = after !== this.scores;
    const found: Map<string, [number, string][]> = new Map();
    /** Of each card the changes of its players. */
    const changes: Map<string, [number, string][]> = new Map();
    for (const { name } of before && after ? after.cards : []) {
      after?.players.forEach((player, i) => {
        const more =
          (after.gold[name][i] ?? NaN) -
          (before?.gold[name]?.[before.players.indexOf(player)] ?? 0);
        if (!more) return;
        const says = sayMore(more);
        found.set(after.names[i], [
          ...(found.get(after.names[i]) ?? []),
          [more, `${says} ${name}`],
        ]);
        changes.set(name, [...(changes.get(name) ?? []), [player, says]]);
      });
    }
    if (changes.size && before?.total && after?.total) {
      const [old, sums, known] = [before.total, after.total, before.players];
      changes.set(
        "total",
        after.players.map((player, i) => [
          player,
          sayMore(sums[i] - (old[known.indexOf(player)] ?? 0)),
        ]),
      );
    }
    this.addChanges(changes);
    this.table.classList.toggle("preview", isPreview);
    const isMuch = [...found.values()].flat().length > MOST_SAID;
    const sum = (what: [number, string][]) => what.reduce((all, [more]) => all + more, 0);
    const lines = [...found].map(
      ([who, what]) =>
        `${who}: ${isMuch ? `${sum(what)} from ${what.length} cards` : what.map(([, says]) => says).join(", ")}`,
    );
    byId("changed").setAttribute("aria-live", isPreview ? "off" : "polite");
    byId("changed").textContent =
      lines.length || !isPreview ? lines.join("; ") : "This would change nothing.";
  }

  /** A last column with what each player has gained or lost by a card; none if nothing differs. */
  addChanges(changes: Map<string, [number, string][]>) {
    this.table.querySelectorAll(".change").forEach((cell) => cell.remove());
    if (!changes.size || !this.scores) return;
    const { cards, players, names } = this.scores;
    const heads = players.map((player, i) =>
      make("span", [
        this.drawPlayer(names[i]) || this.drawPlayer(`player ${player}`) || String(player),
      ]),
    );
    this.table.tHead?.rows[0].append(
      makeHead([make("span", "change", { class: "unseen" }), ...heads], "col", { class: "change" }),
    );
    for (const name of [...cards.map((card) => card.name), "total"]) {
      const said = new Map(changes.get(name));
      const row = this.find(`${name} ${players[0]}`)?.closest("tr");
      row?.append(
        make(
          "td",
          players.map((player, i) => {
            const text = said.get(player) ?? "";
            return make("span", text && [make("span", `${names[i]} `, { class: "unseen" }), text], {
              class: text.startsWith("+") ? "more" : "less",
            });
          }),
          { class: "change" },
        ),
      );
    }
  }

  fill(scores: Read) {
    super.fill(scores);
    const { names, players, total, winners } = scores;
    byId("winner").textContent = total
      ? sayWinners(
          winners.map((player) => names[players.indexOf(player)]),
          Math.max(...total),
        )
      : "";
    // This line stays visible when the table is out of sight.
    byId("totals").textContent = total
      ? `Total: ${total.map((sum, i) => `${names[i]} ${sum}`).join(", ")}`
      : "";
    byId("nobody").hidden = players.length > 0;
  }
}
