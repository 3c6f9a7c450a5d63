// @ts-check
// The third step of the sheet: who has won, what each card pays and why, and ways to send it.
import { byId, list, make, on, save } from "./dom.js";
import { Gold } from "./gold.js";
import { Picture, rasterize } from "./picture.js";
import { drawCard, CARD } from "./sheet_card.js";
import { SIDE, title } from "./sheet_game.js";
import { readScores } from "./scores.js";
import { readAtoms, write, writeSentence } from "./terms.js";

/** "Anna", "Anna and Ben", "Anna, Ben and Cleo". @param {string[]} names */
const join = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

/** The sentence that tells who has won, and by how much. @param {string[]} winners @param {number[]} totals */
export function sayResult(winners, totals) {
  const [first, second] = [...totals].sort((a, b) => b - a);
  return winners.length > 1 ? `${join(winners)} tie with ${first} gold.` : `${winners[0]} wins by ${first - second} gold!`;
}

export class Result {
  /** @param {import("./sheet_game.js").SheetGame} game @param {any} engine */
  constructor(game, engine) {
    this.game = game;
    this.engine = engine;
    this.picture = new Picture(byId("field"), { hasNumbers: false });
    this.gold = new Gold(this.picture, { head: (card) => make("span", title(card.name)), name: title });
    on("share", () => this.share());
    on("save-card", async () => save(this.file("png"), await this.drawDots(), "image/png"));
    on("save-board", () => save(this.file("txt"), game.text));
    on("copy-link", () => this.copyLink());
    addEventListener("resize", () => this.fit());
  }

  /** A name for a file of the game. @param {string} ending */
  file(ending) {
    const { title: said, date } = this.game.state;
    const words = [said || "kingdom builder", date].filter(Boolean).join(" ");
    return `${words.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "game"}.${ending}`;
  }

  /** Ask the rules, and show what they say. */
  async show() {
    const { game } = this;
    byId("verdict").textContent = "Counting …";
    this.draw();
    const { err, models = [], stopped, isFull } = await this.engine.run(`${game.data.program}\n${game.facts}\n`, ["--warn=none"]);
    if (stopped || isFull || models.length !== 1) throw new Error(`the rules give no answer: ${stopped || isFull ? "they have no end" : err.slice(0, 300)}`);
    const rows = readAtoms(models[0]);
    const scores = readScores(rows, new Set(game.state.cards));
    const names = scores.players.map((player) => game.name(player));
    const shown = scores.cards.filter(({ name, number }) => game.state.cards.includes(name) || !number);
    const winners = scores.winners.map((player) => game.name(player));
    this.scores = { ...scores, names, cards: shown, winners };
    this.gold.fill(this.scores);
    this.say(rows);
  }

  /** @param {Record<string, any[][]>} rows */
  say(rows) {
    const { game, scores } = this;
    const { date, title: said } = game.state;
    byId("verdict").textContent = scores.total ? sayResult(scores.winners, scores.total) : "Choose your cards to see who wins.";
    const totals = [...scores.total ?? []].sort((a, b) => b - a).join(" : ");
    byId("when").textContent = [totals, said, date].filter(Boolean).join(" \u00B7 ");
    const few = scores.players.filter((player) => game.count(player) < game.data.most);
    const lines = [
      ...few.map((player) => `${game.name(player)} has ${game.count(player)} of ${game.data.most} houses on the board: is that right?`),
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
    this.picture.begin({ rows: 2 * SIDE, columns: 2 * SIDE, shape: data.shape, looks, signs: data.signs, titles, cells: [] });
    this.picture.draw(rows.flat().map((symbol) => data.numbers[symbol]));
    this.fit();
  }

  /** Have the board as large as there is room beside the numbers. */
  fit() {
    const { folder } = this.picture;
    if (folder.offsetParent && this.picture.svg) this.picture.resize(Math.min(folder.clientWidth, .575 * innerHeight) / (2 * SIDE + .5));
  }

  /** The picture to send. */
  async drawDots() {
    const dots = await rasterize(drawCard(this.game, this.scores), CARD, 1);
    return new Promise((resolve) => dots.toBlob(resolve, "image/png"));
  }

  /** Send the picture by what the phone has for that, or save it. */
  async share() {
    const file = new File([await this.drawDots()], this.file("png"), { type: "image/png" });
    const wish = { files: [file], title: byId("verdict").textContent ?? "" };
    if (!navigator.canShare?.(wish)) {
      save(file.name, file, "image/png");
      this.tell("The picture is saved.");
      return;
    }
    try {
      await navigator.share(wish);
    } catch (error) {
      if (error.name !== "AbortError") throw error; // whoever was asked has changed their mind
    }
  }

  async copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.tell("The link is copied.");
    } catch {
      this.tell("The browser forbids it: copy the address of this page.");
    }
  }

  /** @param {string} text */
  tell(text) { byId("shared").textContent = text; }
}
