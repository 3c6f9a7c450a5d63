/* The table of gold: a figure that is pointed at tells its evidence, and marks it. */

import { byId, followKeys, make, makeButton, makeFigure, makeHead } from "../../kb_score/shell/page/dom.js";
import { sayWhy, write } from "./terms.js";

const nameCard = ({ name, number }) => (number ? `${number} ${name}` : name);

/* What the rules say: cards, players, gold, evidence and findings. */
export function readScores(rows) {
  const take = (key) => rows[key] ?? [];
  const cards = take("card/3").map(([name, number, text]) => ({ name: write(name), number, text: write(text) }));
  cards.sort((a, b) => a.number - b.number || (a.name < b.name ? -1 : 1));
  const players = take("player/1").map(([player]) => player).sort((a, b) => a - b);
  const gold = new Map(take("score/3").map(([card, player, value]) => [`${write(card)} ${player}`, value]));
  const evidence = new Map();
  for (const row of take("gold/4")) {
    const [card, player, why, points] = row;
    const key = `${write(card)} ${write(player)}`;
    if (!evidence.has(key)) evidence.set(key, new Map());
    evidence.get(key).set(write(why), { why: sayWhy(why), points, hexes: [], atom: row.text });
  }
  for (const [card, player, why, row, column] of take("mark/5")) {
    evidence.get(`${write(card)} ${write(player)}`)?.get(write(why))?.hexes.push([row, column]);
  }
  const winners = take("winner/1").map(([player]) => player).sort((a, b) => a - b);
  return { cards, players, gold, evidence, winners, totals: new Map(take("total/2")), asked: rows.asked };
}

export class Scores {
  constructor(mark, why, change) {
    Object.assign(this, { mark, why, change, chosen: new Set(), table: byId("gold"), current: null });
    followKeys(this.table);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.show(null); });
  }

  fill(scores) {
    const hasFocus = this.table.contains(document.activeElement);
    const { id } = document.activeElement;
    this.scores = scores;
    const { cards, players } = scores;
    const head = make("tr", [makeHead("card"), ...players.map((p) => makeHead(`player ${p}`))]);
    const lines = cards.map((card) => make("tr", [makeHead(this.makeChoice(card), "row"), ...players.map((p) => make("td", this.makeFigure(card, p)))]));
    this.table.replaceChildren(make("thead", head), make("tbody", lines), ...this.sumUp(scores));
    byId("nobody").hidden = players.length > 0;
    const again = this.current && this.find(this.current);
    const first = again ?? this.table.querySelector("td button");
    if (first) first.tabIndex = 0;
    this.show(again ? this.current : null);
    if (hasFocus) (byId(id) ?? first ?? byId("board")).focus();
  }

  find(key) { return [...this.table.querySelectorAll("button")].find((button) => button.dataset.key === key); }

  /* The name of a card, with a box for whether the game is played with it. */
  makeChoice(card) {
    const { name, number } = card;
    if (!number) return name;
    const box = make("input", "", { type: "checkbox", id: `card-${name}` });
    box.checked = this.chosen.has(name);
    box.addEventListener("change", () => { this.chosen[box.checked ? "add" : "delete"](name); this.change(); });
    return make("label", [box, nameCard(card)]);
  }

  /* The totals of the game, and who wins, once its cards are chosen. */
  sumUp({ cards, players, totals, winners }) {
    const isGame = cards.some(({ name }) => this.chosen.has(name)) && winners.length > 0;
    const names = winners.map((player) => `player ${player}`).join(" and ");
    byId("winner").textContent = isGame ? `${names} ${winners.length > 1 ? "tie" : "wins"} with ${totals.get(winners[0])} gold.` : "";
    return isGame ? [make("tfoot", make("tr", [makeHead("total", "row"), ...players.map((p) => make("td", String(totals.get(p))))]))] : [];
  }

  makeFigure(card, player) {
    const key = `${card.name} ${player}`;
    const gold = this.scores.gold.get(key) ?? "?";
    const button = makeFigure(gold, `${card.name}, player ${player}: ${gold} gold`, () => this.show(key));
    button.dataset.key = key;
    return button;
  }

  /* Tell what a figure is paid for, and mark the hexes; null takes the marks away. */
  show(key) {
    this.current = key;
    this.table.querySelector("[aria-current]")?.removeAttribute("aria-current");
    byId("why").hidden = !key;
    if (!key) {
      this.mark([]);
      return;
    }
    const button = this.find(key);
    button.setAttribute("aria-current", "true");
    byId("paid").textContent = button.getAttribute("aria-label");
    byId("pays").textContent = this.scores.cards.find(({ name }) => key.startsWith(`${name} `)).text;
    const pieces = [...(this.scores.evidence.get(key)?.values() ?? [])];
    const lines = pieces.map(({ why, points, atom }) => ({ line: `${write(points)} gold for ${why}`, atom }));
    lines.sort((a, b) => a.line.localeCompare(b.line, "en", { numeric: true }));
    const reasons = lines.map(({ line, atom }) => makeButton(line, () => this.why(atom, this.scores.asked)));
    byId("reasons").replaceChildren(...(lines.length ? reasons : ["nothing pays"]).map((reason) => make("li", reason)));
    this.mark(pieces.map(({ points, hexes }) => [points, hexes]));
  }
}
