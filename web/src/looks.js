// @ts-check
/* How symbols are drawn, as rules say it: what the command writes into a replay, from their atoms. */

import { write } from "./terms.js";

const escape = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt()};`);
const find = (known, name) => (Object.hasOwn(known, name) ? known[name] : undefined);

export class Looks {
  constructor(answers, styles) {
    const list = (key) => answers.flatMap((rows) => rows[key] ?? []).map(([symbol, colour, mark, name]) => [String(symbol), { colour, mark, name: write(name) }]);
    const [known, pieces] = [list("look/4"), list("piece/4")];
    this.key = JSON.stringify([known, pieces]);
    this.styles = styles;
    this.known = new Map(known);
    this.pieces = new Map(pieces);
    this.list = [];
    this.numbers = new Map();
  }

  /* The number of a symbol's look in the list, from 1. */
  number(symbol) {
    if (!this.numbers.has(symbol)) this.numbers.set(symbol, this.list.push(this.find(symbol)));
    return this.numbers.get(symbol);
  }

  find(symbol) {
    const [look, piece] = [this.known.get(symbol), this.pieces.get(symbol)];
    const name = look ? [look.name, piece?.name].filter(Boolean).join(", ") : symbol;
    return { symbol, name, tile: this.draw(symbol, look, piece), ground: look?.colour };
  }

  /* One place around 0,0; a symbol without a look is a letter on white. */
  draw(symbol, { colour, mark } = { colour: "", mark: "" }, piece = undefined) {
    const { colours, marks, shape } = this.styles;
    const [fill, ink] = find(colours, colour) ?? colours.white;
    const size = symbol.length > 1 ? Math.max(5, Math.floor(24 / symbol.length)) : 15;
    const write = (y, font, paint) => `<text y="${y}" font-size="${font}" fill="${paint}">${escape(symbol)}</text>`;
    const text = write(size * 0.36, size, ink);
    const shown = find(marks, mark) === undefined ? text : `<g fill="${ink}">${marks[mark]}</g>`;
    const lies = find(marks, piece?.mark);
    const halo = `<g stroke="#ffffff" stroke-width="5" stroke-linejoin="round">${lies}</g>`;
    const [paint, letter] = find(colours, piece?.colour) ?? colours.white;
    const named = piece?.mark === "person" ? write(8, 12, letter) : "";
    const above = lies === undefined ? "" : `${halo}<g fill="${paint}" stroke="#000000" stroke-width="1.5">${lies}</g>${named}`;
    return `<path d="${shape.outline}" fill="${fill}" stroke="#595959" stroke-opacity=".35"/>${shown}${above}`;
  }
}
