/* Kingdom Builder: a board to change, and its gold. */

import type { Rules } from "./rules.ts";
import type { Scores } from "../parts/gold.tsx";
import type { BoardData, CardData } from "../data.d.ts";
import type { Board } from "../mirror/board.ts";
import type { Rows, Asked } from "../mirror/terms.ts";
import { byId, list, makeButton, on, save } from "../kernel/dom.ts";
import { offerBeginnings } from "./begin.ts";
import { BoardView } from "./view.ts";
import { offerQuadrants } from "./quadrants.ts";
import { listFacts, writeBoard } from "../mirror/board.ts";
import { readScores } from "../parts/scores.ts";
import { ChosenGold } from "./scores.tsx";
import { readAtoms, write, writeSentence } from "../mirror/terms.ts";

/** Asks the rules of a use about some facts; returns nothing if there is no answer, which has then been reported. */
export type Derive = (use: string, facts: string) => Promise<Rows | null>;

/** Shows why an atom holds. */
export type Why = (atom: string, asked?: Asked) => void;

/** Offer the first rule of a card that pays gold as a line to change. */
function offerLine(rules: Rules, name: string) {
  const find = () => rules.files.get(name)?.text.match(/^gold\([^]*?\)\.$/m)?.[0] ?? "";
  const line = byId("line");
  line.value = find().replace(/\s+/g, " ");
  on(
    "line",
    () => {
      const old = find();
      if (old)
        rules.write(
          name,
          rules
            .get(name)
            .text.replace(old, () => (line.value.endsWith(".") ? line.value : `${line.value}.`)),
        );
    },
    "change",
  );
}

export class Kingdom {
  board: BoardView;
  data: BoardData;
  why: Why;
  preview: (facts: string) => Promise<Rows | null>;
  /** The place that a pointer is on. */
  pointed: number | null = null;
  isLooking = false;
  /** The stroke that has been told. */
  stroke: Board | null = null;
  /** The scores before the last change, for comparison. */
  before: Scores | null | undefined = null;
  scores: ChosenGold;
  drawn: Promise<void> | undefined;

  /** `change` is called when the board or the chosen cards have changed. `preview` answers which gold some facts would give, from a clingo of its own. */
  constructor(
    data: BoardData,
    change: () => void,
    why: Why,
    preview: (facts: string) => Promise<Rows | null>,
  ) {
    this.board = new BoardView(data, change, (place) => this.hover(place));
    this.data = data;
    this.why = why;
    this.preview = preview;
    this.scores = new ChosenGold(this.board.picture, why, change);
    const lay = offerQuadrants(data.quadrants, (rows) => this.board.become(rows));
    on("random", () => this.board.become(this.settle(lay())));
    on("save-board", () => save("board.txt", this.write()));
    on("save-drawn", () => this.board.picture.save("board.svg"));
    on("save-drawn-dots", () => this.board.picture.save("board.png"));
    this.drawn = data.answer ? this.show(readAtoms(data.answer)) : this.board.drawn;
  }

  /** Offer examples, rulings, quadrants and a card of one line to begin with. */
  begin(rules: Rules, drop: (what: string) => void) {
    const { board, data } = this;
    offerBeginnings(data, rules, {
      check: (text) => board.check(text, true),
      take: (rows) => board.become(rows),
    });
    offerLine(rules, data.open);
    // The ways to begin from an empty board.
    on("door-quadrants", () => {
      byId("of-quadrants").open = true;
      byId("northwest").focus();
    });
    on("door-random", () => byId("random").click());
    on("door-example", () => {
      byId("examples").value = "1";
      byId("examples").dispatchEvent(new Event("change"));
    });
    on("start-over", () => {
      drop("The board and all rules are as they were.");
      rules.replace(new Map());
      this.scores.chosen.clear();
      board.become(board.check(data.board));
    });
  }

  /** Put settlements of four players on a board, at random. */
  settle(rows: Board) {
    const players = this.board.hexes.players.slice(0, 4);
    const free = rows
      .flatMap((row, r) => row.map((_, c) => [r, c]))
      .filter(([r, c]) => this.board.hexes.walled.includes(rows[r][c]));
    const settled = rows.map((row) => [...row]);
    for (let i = 0; i < 48 && free.length; i += 1) {
      const [[r, c]] = free.splice(Math.floor(Math.random() * free.length), 1);
      settled[r][c] = this.board.hexes.put(players[i % 4], rows[r][c]);
    }
    return settled;
  }

  /** The facts of a board, and of the cards that are chosen. */
  list(rows: Board) {
    const chosen = [...this.scores.chosen].map((name) => `chosen(${name}).`).join(" ");
    return `${listFacts(rows, this.board.hexes.meanings)} ${this.data.drawn} ${chosen}`;
  }

  /** Ask the rules; whether all that they were asked for is shown. */
  async answer(derive: Derive) {
    const facts = this.list(this.board.rows);
    const { stroke } = this.board;
    // Changes are reported since the beginning of a stroke; for another board nothing is reported.
    if (!stroke || stroke !== this.stroke)
      this.before = this.board.isOther ? null : this.scores.scores;
    this.stroke = stroke;
    const rows = await derive("scores", facts);
    if (!rows) return false;
    await this.show(rows);
    this.scores.tell(this.before);
    return true;
  }

  /** Tell what a click on a place would change, without any; of those that come meanwhile, the last one. */
  async hover(place: number | null) {
    if (place === this.pointed) return;
    this.pointed = place;
    if (this.isLooking) return;
    this.isLooking = true;
    let asked: number | null | undefined;
    while (asked !== this.pointed) {
      asked = this.pointed;
      const {
        board,
        scores: { scores },
      } = this;
      const rows = asked === null ? null : board.with(board.chosen, board.picture.split(asked));
      const found = rows && (await this.preview(this.list(rows)));
      if (asked !== this.pointed || scores !== this.scores.scores) continue;
      if (found) this.scores.tell(scores, readScores(found, this.scores.chosen, this.data.names));
      else this.scores.tell(this.before);
    }
    this.isLooking = false;
  }

  /** Show what the rules say; ends when the board is drawn. */
  show(rows: Rows) {
    const drawn = this.board.show(rows);
    const scores = readScores(rows, this.scores.chosen, this.data.names);
    this.scores.fill(scores);
    this.tellFindings(rows, scores.cards);
    return drawn;
  }

  tellFindings(rows: Rows, cards: CardData[]) {
    const findings = (rows["violation/2"] ?? []).map((row) => ({
      line: `${write(row[0])}: ${writeSentence(row[1])}`,
      atom: rows.asked && row.text,
    }));
    findings.sort((a, b) => (a.line < b.line ? -1 : 1));
    const wrong = (rows["misuse/2"] ?? []).map(([, detail]) => writeSentence(detail));
    // Cards stand in order of their numbers.
    cards.slice(1).forEach(({ name, number }, i) => {
      if (number === cards[i].number)
        wrong.push(
          `the cards ${cards[i].name} and ${name} have the same number, ${number}: kb-score rejects them`,
        );
    });
    const named = new Set(cards.map(({ name }) => name));
    for (const name of new Set((rows["gold/4"] ?? []).map(([card]) => write(card))))
      if (!named.has(name))
        wrong.push(
          `gold for ${name}, but there is no card of that name: declare it: card(${name}, 11, "what it pays").`,
        );
    list("findings", [
      ...wrong,
      ...findings.map(({ line, atom }) =>
        atom ? makeButton(line, () => this.why(atom, rows.asked)) : line,
      ),
    ]);
    const count = findings.length + wrong.length;
    byId("found-count").textContent = count === 1 ? "1 thing" : `${count} things`;
    byId("found").hidden = !count;
    if (wrong.length) byId("found").open = true; // kb-score would refuse it
  }

  /** The evidence of each card for each player, and the board that is shown. */
  get state() {
    return { evidence: this.scores.scores?.evidence, picture: this.board.picture.state };
  }

  /** Take the page back to the board with which it was made. */
  reset() {
    const { board, data, scores } = this;
    board.reset();
    scores.chosen.clear();
    scores.show("");
    board.take(data.board);
  }

  write() {
    return writeBoard(this.board.rows);
  }
  check(text: string) {
    this.board.check(text, true);
  }
  take(text: string, cards: string[]) {
    this.scores.chosen = new Set(cards);
    this.board.take(text);
  }
}
