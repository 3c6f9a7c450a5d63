/* The claims: a pasted table, in which wrong figures are marked. */

import { byId, make } from "./dom.js";
import { claimFacts, parseClaims, readVerdict } from "./claims.js";

export class Claims {
  constructor(change) {
    byId("check").addEventListener("click", () => {
      this.text = byId("claims").value;
      change();
    });
  }

  /* Check what has been claimed; `derive` has the rules' rows for some facts. Whether it is shown. */
  async check({ cards, players }, derive) {
    if (this.text === undefined) return true;
    const table = byId("checked");
    try {
      const claims = parseClaims(this.text, cards, players);
      const rows = await derive(claimFacts(claims, players));
      if (rows) this.show(table, claims, players, cards, readVerdict(rows));
      return Boolean(rows);
    } catch (error) {
      table.replaceChildren();
      byId("claims-verdict").textContent = error.message;
      byId("blamed").replaceChildren();
      return true;
    }
  }

  show(table, claims, players, cards, { wrong, blamed }) {
    const names = new Map(cards.map(({ name, number }) => [number, name]));
    const head = make("tr", [make("th", "claim", { scope: "col" }), ...players.map((p) => make("th", `player ${p}`, { scope: "col" }))]);
    const lines = claims.map(({ line, numbers, gold, isTotal }) => {
      const name = isTotal ? `cards ${numbers.join(" ")}` : names.get(numbers[0]);
      const cells = gold.map((value, i) => {
        const derived = wrong.get(`${line},${players[i]}`);
        return derived === undefined ? make("td", String(value)) : make("td", `${value}, not ${derived}`, { class: "wrong" });
      });
      return make("tr", [make("th", `line ${line}: ${name}`, { scope: "row" }), ...cells]);
    });
    table.replaceChildren(make("thead", head), make("tbody", lines));
    const lineCount = new Set([...wrong.keys()].map((key) => key.split(",")[0])).size;
    byId("claims-verdict").textContent = lineCount ? `${lineCount} of ${claims.length} claims are wrong.` : `All ${claims.length} claims agree with the rules.`;
    byId("blamed").replaceChildren(...blamed.map((line) => make("li", line)));
  }
}
