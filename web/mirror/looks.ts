/* How symbols are drawn, as rules say it: what the command writes into a replay, from their atoms. */

import type { Look } from "../kernel/picture.ts";
import type { Rows, Signature } from "./terms.ts";
import type { Styles } from "../data.d.ts";
import { write } from "./terms.ts";

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const find = <T>(known: Record<string, T>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(known, name) ? known[name] : undefined;

/** What the rules say of how a symbol is drawn, or a piece on it. */
export type Said = { colour: string; mark: string; name: string };

export class Looks {
  key: string;
  styles: Styles;
  known: Map<string, Said>;
  pieces: Map<string, Said>;
  list: Look[] = [];
  numbers: Map<string, number> = new Map();

  constructor(answers: Rows[], styles: Styles) {
    const list = (key: Signature): [string, Said][] =>
      answers
        .flatMap((rows) => rows[key] ?? [])
        .map(([symbol, colour, mark, name]) => [
          String(symbol),
          { colour, mark, name: write(name) },
        ]);
    const [known, pieces] = [list("look/4"), list("piece/4")];
    this.key = JSON.stringify([known, pieces]);
    this.styles = styles;
    this.known = new Map(known);
    this.pieces = new Map(pieces);
  }

  /** The number of a symbol's look in the list, from 1. */
  number(symbol: string) {
    const known = this.numbers.get(symbol) ?? this.list.push(this.find(symbol));
    this.numbers.set(symbol, known);
    return known;
  }

  find(symbol: string) {
    const [look, piece] = [this.known.get(symbol), this.pieces.get(symbol)];
    const name = look ? [look.name, piece?.name].filter(Boolean).join(", ") : symbol;
    return { symbol, name, tile: this.draw(symbol, look, piece), ground: look?.colour };
  }

  /** A place around 0,0; a symbol without a look is drawn as a letter on white. */
  draw(symbol: string, { colour, mark }: Partial<Said> = {}, piece?: Said) {
    const { colours, marks, shape } = this.styles;
    const [fill, ink] = find(colours, colour) ?? colours.white;
    const size = symbol.length > 1 ? Math.max(5, Math.floor(24 / symbol.length)) : 15;
    const write = (y: number, font: number, paint: string) =>
      `<text y="${y}" font-size="${font}" fill="${paint}">${escape(symbol)}</text>`;
    const text = write(size * 0.36, size, ink);
    const drawn = find(marks, mark);
    const shown = drawn === undefined ? text : `<g fill="${ink}">${drawn}</g>`;
    const lies = find(marks, piece?.mark);
    const halo = `<g stroke="#ffffff" stroke-width="5" stroke-linejoin="round">${lies}</g>`;
    const [paint, letter] = find(colours, piece?.colour) ?? colours.white;
    const named = piece?.mark === "person" ? write(8, 12, letter) : "";
    const above =
      lies === undefined
        ? ""
        : `${halo}<g fill="${paint}" stroke="#000000" stroke-width="1.5">${lies}</g>${named}`;
    return `<path d="${shape.outline}" fill="${fill}" stroke="#595959" stroke-opacity=".35"/>${shown}${above}`;
  }
}
