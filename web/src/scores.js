/* The table of gold: a figure that is pointed at tells its evidence, and marks it. */

import { byId, make } from "./dom.js";
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
    evidence.get(`${write(card)} ${write(player)}`)?.get(write(why))?.hexes.push(`${write(row)},${write(column)}`);
  }
  return { cards, players, gold, evidence, asked: rows.asked };
}

export class Scores {
  constructor(mark, why) {
    Object.assign(this, { mark, why, table: byId("gold"), current: null });
    this.table.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.show(null); });
  }

  fill(scores) {
    const hasFocus = this.table.contains(document.activeElement);
    this.scores = scores;
    const { cards, players } = scores;
    const head = make("tr", [make("th", "card", { scope: "col" }), ...players.map((p) => make("th", `player ${p}`, { scope: "col" }))]);
    const lines = cards.map((card) => make("tr", [make("th", nameCard(card), { scope: "row" }), ...players.map((p) => make("td", this.makeFigure(card, p)))]));
    this.table.replaceChildren(make("thead", head), make("tbody", lines));
    byId("nobody").hidden = players.length > 0;
    const again = this.current && this.find(this.current);
    const first = again ?? this.table.querySelector("td button");
    if (first) first.tabIndex = 0;
    this.show(again ? this.current : null);
    if (hasFocus) (first ?? byId("board")).focus();
  }

  find(key) {
    return [...this.table.querySelectorAll("button")].find((button) => button.dataset.key === key);
  }

  makeFigure(card, player) {
    const key = `${card.name} ${player}`;
    const gold = this.scores.gold.get(key) ?? "?";
    const label = `${card.name}, player ${player}: ${gold} gold`;
    const button = make("button", String(gold), { type: "button", tabindex: -1, "aria-label": label, "data-key": key });
    for (const kind of ["focus", "mouseenter", "click"]) button.addEventListener(kind, () => this.show(key));
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
    byId("reasons").replaceChildren(...lines.map(({ line, atom }) => {
      const reason = make("button", line, { type: "button" });
      reason.addEventListener("click", () => this.why(atom, this.scores.asked));
      return make("li", reason);
    }), ...(lines.length ? [] : [make("li", "nothing pays")]));
    this.mark(pieces.flatMap(({ hexes }) => hexes));
  }

  /* Arrow keys lead from figure to figure, Home and End to the first and the last of a row. */
  key(event) {
    const cell = event.target.closest("td");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const lines = [...this.table.querySelectorAll("tbody tr")];
    const at = lines.indexOf(cell.parentNode);
    const next = {
      ArrowLeft: cell.previousElementSibling,
      ArrowRight: cell.nextElementSibling,
      ArrowUp: lines[at - 1]?.children[cell.cellIndex],
      ArrowDown: lines[at + 1]?.children[cell.cellIndex],
      Home: cell.parentNode.querySelector("td"),
      End: cell.parentNode.lastElementChild,
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    const button = next[event.key]?.querySelector("button");
    if (!button) return;
    event.target.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  }
}
