/* Kingdom Builder: a board to change, its gold, and what somebody claims. */

import { byId, list, makeButton, on, reveal, save } from "../../kb_score/shell/page/dom.js";
import { BoardView } from "./view.js";
import { Claims } from "./claims.js";
import { offerQuadrants } from "./quadrants.js";
import { listFacts, writeBoard } from "./board.js";
import { readScores, Scores } from "./scores.js";
import { write, writeSentence } from "./terms.js";

export class Kingdom {
  constructor(data, change, why) {
    reveal("of-board");
    this.board = new BoardView(data, change);
    Object.assign(this, { why, drawn: data.drawn });
    this.scores = new Scores(this.board.picture, why, change);
    this.claims = new Claims(change);
    offerQuadrants(data.quadrants, (rows) => this.board.become(rows));
    on("save-board", () => save("board.txt", this.write()));
    on("save-drawn", () => this.board.picture.save("board.svg"));
  }

  /* Ask the rules; whether all that they were asked for is shown. */
  async answer(derive) {
    const chosen = [...this.scores.chosen].map((name) => `chosen(${name}).`).join(" ");
    const facts = `${listFacts(this.board.rows, this.board.hexes.meanings)} ${this.drawn} ${chosen}`;
    const rows = await derive("scores", facts);
    if (!rows) return false;
    const scores = readScores(rows, this.scores.chosen);
    await this.board.show(rows);
    this.scores.fill(scores);
    this.tellFindings(rows, scores.cards);
    return this.claims.check(scores, (claimed) => derive("claims", `${facts} ${claimed}`));
  }

  tellFindings(rows, cards) {
    const findings = (rows["violation/2"] ?? []).map((row) => ({ line: `${write(row[0])}: ${writeSentence(row[1])}`, atom: row.text }));
    findings.sort((a, b) => (a.line < b.line ? -1 : 1));
    const wrong = (rows["misuse/2"] ?? []).map(([, detail]) => writeSentence(detail));
    // Cards stand in order of their numbers.
    cards.slice(1).forEach(({ name, number }, i) => {
      if (number === cards[i].number) wrong.push(`the cards ${cards[i].name} and ${name} have the same number, ${number}: kb-score refuses them`);
    });
    list("findings", [...wrong, ...findings.map(({ line, atom }) => makeButton(line, () => this.why(atom, rows.asked)))]);
    byId("found").hidden = !findings.length && !wrong.length;
  }

  write() { return writeBoard(this.board.rows); }
  check(text) { this.board.check(text); }
  take(text) { this.board.take(text); }
}
