/* The board as a picture that can be changed: what the rules draw, and a cursor for the keys. */

import { makeSvg } from "./dom.js";

const EDGE = 22;

export class Picture {
  /* `styles` is how places are drawn; `pick` is called with row and column of a click. */
  constructor(folder, styles, pick) {
    Object.assign(this, { folder, styles, looks: new Map(), places: new Map() });
    folder.addEventListener("click", ({ target }) => {
      const place = target.closest("[data-row]");
      if (place) pick(Number(place.dataset.row), Number(place.dataset.column));
    });
  }

  middle(row, column) {
    const { width, height } = this.styles;
    return [column * width + (this.styles.hexes && row % 2) * (width / 2), row * height];
  }

  /* Draw the symbols, row by row; `looks` has colour, mark and name of a symbol, and what lies on it. */
  draw(rows, looks) {
    const size = `${rows.length},${rows[0].length}`;
    const changed = JSON.stringify([...looks]) !== JSON.stringify([...this.looks]);
    this.looks = looks;
    if (size !== this.size || changed) this.begin(rows.length, rows[0].length);
    this.size = size;
    rows.forEach((row, r) => [...row].forEach((symbol, c) => this.put(r, c, symbol)));
  }

  begin(rows, columns) {
    const { width, height, tall } = this.styles;
    const half = this.styles.hexes ? width / 2 : 0;
    const [across, down] = [columns * width + half, (rows - 1) * height + tall];
    const box = [-width / 2 - EDGE, -tall / 2 - EDGE, across + EDGE + 2, down + EDGE + 2];
    this.svg = makeSvg("svg", { viewBox: box.join(" "), "text-anchor": "middle", "aria-hidden": "true", style: `max-width:${box[2] * 1.5}px` });
    const numbers = makeSvg("g", { "font-size": 10, fill: "#595959" });
    const number = (value, x, y) => {
      const text = makeSvg("text", { x, y });
      text.textContent = value;
      numbers.append(text);
    };
    const by = Math.max(rows, columns) > 30 ? 5 : 1;
    for (let c = 0; c < columns; c += by) number(c, c * width + half / 2, -tall / 2 - 6);
    for (let r = 0; r < rows; r += by) number(r, -width / 2 - 12, r * height + 4);
    this.hexes = makeSvg("g");
    this.marks = makeSvg("g", { class: "marks" });
    this.svg.append(numbers, this.hexes, this.marks);
    this.places.clear();
    this.folder.replaceChildren(this.svg);
  }

  put(row, column, symbol) {
    const key = `${row},${column}`;
    let place = this.places.get(key);
    if (!place) {
      place = makeSvg("g", { "data-row": row, "data-column": column, transform: `translate(${this.middle(row, column)})` });
      this.places.set(key, place);
      this.hexes.append(place);
    }
    if (place.dataset.symbol === symbol) return;
    place.dataset.symbol = symbol;
    place.replaceChildren(...this.tile(symbol));
  }

  /* One place around 0,0; a symbol without a look is a letter on white. */
  tile(symbol) {
    const { colours, marks, outline } = this.styles;
    const { colour, mark, piece } = this.looks.get(symbol) ?? { colour: "white", mark: "text" };
    const [fill, ink] = colours[colour] ?? colours.white;
    const edge = makeSvg("path", { d: outline, fill, stroke: "#595959" });
    if (mark in marks) {
      const group = makeSvg("g", { fill: ink });
      group.innerHTML = marks[mark]; // ours, by name
      return [edge, group, ...this.piece(piece)];
    }
    const text = makeSvg("text", { y: 5, "font-size": symbol.length > 1 ? 9 : 15, fill: ink });
    text.textContent = symbol;
    return [edge, text];
  }

  /* What lies on a place: a shape with a white edge, if it is one of ours. */
  piece({ colour, mark } = {}) {
    const { colours, marks } = this.styles;
    if (!(mark in marks)) return [];
    const halo = makeSvg("g", { stroke: "#ffffff", "stroke-width": 5, "stroke-linejoin": "round" });
    const shape = makeSvg("g", { fill: (colours[colour] ?? colours.white)[0], stroke: "#000000", "stroke-width": 1.5 });
    for (const group of [halo, shape]) group.innerHTML = marks[mark];
    return [halo, shape];
  }

  /* Put rings around hexes: texts such as "3,4". */
  mark(hexes) {
    this.marks.replaceChildren(...[...new Set(hexes)].flatMap((key) => (this.places.has(key) ? this.ring(key, "#000000", "#ffffff", .86) : [])));
  }

  ring(key, outer, inner, scale) {
    const transform = `translate(${this.middle(...key.split(",").map(Number))}) scale(${scale})`;
    return [[outer, 6], [inner, 2.5]].map(([stroke, width]) =>
      makeSvg("path", { d: this.styles.outline, fill: "none", stroke, "stroke-width": width, transform, "data-hex": key }));
  }

  /* Show where keys change the board; null hides it. */
  point(place) {
    this.svg.querySelector(".cursor")?.remove();
    if (!place) return;
    const cursor = makeSvg("g", { class: "cursor" });
    cursor.append(...this.ring(place.join(","), "#ffffff", "#d55e00", 1));
    this.svg.append(cursor);
  }
}
