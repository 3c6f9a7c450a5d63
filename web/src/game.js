/* A game of Kingdom Builder: a record whose turns can be changed. */

import { byId } from "../../kb_score/shell/page/dom.js";
import { ReadError } from "./board.js";
import { Record } from "./record.js";
import { readTurns } from "./turns.js";

export class Game extends Record {
  constructor(data, change, why) {
    super(data, why);
    for (const part of document.querySelectorAll(".of-game")) part.hidden = false;
    byId("turns").value = data.turns;
    byId("turns").addEventListener("input", change);
  }

  /* Ask about the turns; what cannot be read is told, and then what is shown stays. */
  async answer(derive) {
    const [{ facts }] = this.data.parts;
    try {
      const said = this.read(byId("turns").value);
      const isShown = await this.answerAbout(derive, [`${facts} ${said.facts}`], ([rows]) => {
        said.check(new Set((rows["tile/4"] ?? []).map(([name]) => name)));
      });
      this.tellError("");
      return isShown;
    } catch (error) {
      if (!(error instanceof ReadError)) throw error;
      this.tellError(error.message);
      return true;
    }
  }

  read(text) { return readTurns(text, this.data); }

  tellError(message) {
    byId("turns-error").textContent = message;
    byId("turns-wrong").hidden = !message;
  }

  write() { return byId("turns").value; }

  check() {}

  take(text) { byId("turns").value = text; }
}
