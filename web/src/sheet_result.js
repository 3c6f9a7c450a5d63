// @ts-check
// The third step of the sheet: the winner, what each card pays and why, and ways to send the result.
import { byId, copyText, list, make, on, save } from "./dom.js";
import { Gold } from "./gold.js";
import { Picture } from "./picture.js";
import { drawCard, drawDots, orderByGold, shareCard } from "./sheet_card.js";
import { PLACES, SIDE, title } from "./sheet_game.js";
import { readScores, sayWinners } from "./scores.js";
import { readAtoms, write, writeSentence } from "./terms.js";

/** The sentence that tells who has won, and by how much. @param {string[]} winners @param {number[]} totals */
export function sayResult(winners, totals) {
  const [first, second] = [...totals].sort((a, b) => b - a);
  return winners.length > 1 ? sayWinners(winners, first) : `${winners[0]} wins by ${first - second} gold!`;
}

/** @param {number} count */
const sayHouses = (count) => (count === 1 ? "1 house" : `${count} houses`);

const SHOWN = 8000; // milliseconds that a message is shown
const NO_CARDS = "Choose your cards to see who wins.";

/**
 * The scores, with the names of the winners.
 * @typedef {import("./gold.js").Shown & {winners: string[]}} Found
 */

/**
 * A phrase for what pieces of one kind pay; the board marks the pieces.
 * @param {string} kind
 * @param {number | string} gold
 * @param {string[]} which
 */
function sayPaid(kind, gold, which) {
  if (kind === "quadrant") return `${gold} gold${which.length > 1 ? " each" : ""}: ${which.map((number) => PLACES[Number(number) - 1] ?? number).join(", ")}`;
  const count = which.length > 1 ? `${which.length} \u00D7 ` : "";
  return `${count}${gold} gold${kind && kind !== "hex" ? ` for ${which.length > 1 ? "each " : "a "}${kind}` : ""}`;
}

export class Result {
  /**
   * @param {import("./sheet_game.js").SheetGame} game
   * @param {import("./engine.js").Engine} engine
   * @param {() => Promise<void>} writeLink has the address hold the game
   */
  constructor(game, engine, writeLink) {
    this.writeLink = writeLink;
    this.game = game;
    this.engine = engine;
    /** Nothing until the rules have been asked. @type {Found | null} */
    this.scores = null;
    this.picture = new Picture(byId("field"), { hasNumbers: false });
    this.gold = new Gold(this.picture, { head: (card) => make("span", title(card.name)), name: title, sayPaid });
    on("save-card", async () => {
      const { card } = this;
      if (card) save(this.file("png"), await drawDots(card), "image/png");
      this.tell(card ? "The picture is saved." : NO_CARDS);
    });
    on("save-board", () => {
      save(this.file("txt"), game.text);
      this.tell("The board is saved as a text file for kb-score.");
    });
    on("copy-link", () => this.copyLink());
    addEventListener("resize", () => this.fit());
  }

  /** A name for a file of the game. @param {string} ending */
  file(ending) {
    const { title: said, date } = this.game.state;
    const words = [said || "kingdom builder", date].filter(Boolean).join(" ");
    return `${words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "game"}.${ending}`;
  }

  /** Forget a game that is over. */
  reset() {
    this.gold.key = null;
    this.tell("");
  }

  /** Ask the rules, and show the answer. */
  async show() {
    const { game } = this;
    byId("verdict").textContent = "Counting …";
    this.gold.key = null;
    this.draw();
    const { err = "", models = [], stopped, isFull } = await this.engine.run(`${game.data.program}\n${game.facts}\n`, ["--warn=none"]);
    if (stopped || isFull || models.length !== 1) throw new Error(`the rules give no answer: ${stopped || isFull ? "they never end" : err.slice(0, 300)}`);
    const rows = readAtoms(models[0]);
    const scores = readScores(rows, new Set(game.state.cards));
    const names = scores.players.map((player) => game.name(player));
    const shown = scores.cards.filter(({ name, number }) => game.state.cards.includes(name) || !number);
    const winners = scores.winners.map((player) => game.name(player));
    const found = { ...scores, names, cards: shown, winners };
    this.scores = found;
    this.gold.fill(found);
    this.say(rows, found);
  }

  /** @param {import("./terms.js").Rows} rows @param {Found} scores */
  say(rows, { names, players, total, winners }) {
    const { game } = this;
    const { date, title: said } = game.state;
    byId("verdict").textContent = total ? sayResult(winners, total) : NO_CARDS;
    const totals = total ? orderByGold(total).map((at) => `${names[at]} ${total[at]}`).join(", ") : "";
    byId("choose-cards").hidden = Boolean(total);
    byId("when").textContent = [totals, said, date].filter(Boolean).join(" \u00B7 ");
    const few = players.filter((player) => game.count(player) < game.data.most);
    const lines = [
      ...few.map((player) => `${game.name(player)} has ${game.count(player)} of ${game.data.most} houses on the board. Is that right?`),
      ...players.filter((player) => game.countOff(player)).map((player) => `${game.name(player)} has ${sayHouses(game.countOff(player))} where only some tiles let you build. Is that right?`),
      ...(rows["violation/2"] ?? []).map(([code, detail]) => `${write(code)}: ${this.name(writeSentence(detail))}`),
    ];
    list("findings", lines);
    byId("found").hidden = !lines.length;
  }

  /** Put the names of the players into a sentence. @param {string} sentence */
  name(sentence) { return sentence.replace(/\bplayer ([1-5])\b/g, (all, player) => (player <= this.game.state.names.length ? this.game.name(Number(player)) : all)); }

  /** Draw the board, whose looks have the names of the players. */
  draw() {
    const { data, rows, titles } = this.game;
    const looks = data.looks.map((look) => ({ ...look, name: this.name(look.name) }));
    this.picture.begin({ rows: 2 * SIDE, columns: 2 * SIDE, shape: data.shape, looks, signs: data.signs, titles });
    this.picture.draw(rows.flat().map((symbol) => data.numbers[symbol]));
    this.fit();
  }

  /** Make the board as large as the room beside the numbers allows. */
  fit() {
    const { folder } = this.picture;
    if (folder.offsetParent && this.picture.svg) this.picture.resize(Math.min(folder.clientWidth, (innerWidth < 768 ? .39 : .575) * innerHeight) / (2 * SIDE + .5));
  }

  /** The picture to send, as the text of an SVG file; nothing before the winner is known. */
  get card() {
    const { game: { data, rows, state, titles }, scores } = this;
    if (!scores?.total) return null;
    const cells = rows.flat().map((symbol) => data.numbers[symbol]);
    const houses = scores.players.map((player) => data.looks[data.numbers[player] - 1].tile);
    const details = [state.title, state.date, state.cards.map(title).join(", ")];
    return drawCard({ ...data, rows: 2 * SIDE, columns: 2 * SIDE, titles, cells }, houses, details, { ...scores, total: scores.total });
  }

  /** Share the picture as the phone allows, or save it. */
  async share() {
    const { card } = this;
    this.tell(card ? await shareCard(card, this.file("png"), byId("verdict").textContent ?? "") : NO_CARDS);
  }

  async copyLink() {
    await this.writeLink();
    this.tell(await copyText(location.href) ? "The link is copied." : "Your browser does not allow that: copy the address of this page.");
  }

  /** @param {string} text */
  tell(text) {
    byId("shared").textContent = text;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => { byId("shared").textContent = ""; }, SHOWN);
  }
}
