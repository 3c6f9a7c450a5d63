// The pictures of a board that follow each other, and the controls that lead from one to another.
import { byId, make, makeButton, makeRing, makeSvg } from "./dom.js";

const EDGE = 22; // for the numbers of rows and columns
const MOST_LISTED = 1000;
const LARGE = 5000; // places

/* A board as a picture: its places in a row, each with the number of its look, from 1, or 0. */
export class Picture {
  constructor(folder) {
    this.folder = folder;
  }

  middle(place) {
    const { columns, shape } = this;
    const [row, column] = [Math.floor(place / columns), place % columns];
    return [column * shape.width + (shape.hexes && row % 2) * (shape.width / 2), row * shape.height];
  }

  /* Begin with a board on which nothing lies; `looks` have a symbol, a name, and a piece of SVG. */
  begin({ rows, columns, shape, looks }) {
    Object.assign(this, { rows, columns, shape, looks, shown: [], tiles: [] });
    const { width, height, tall } = shape;
    const half = shape.hexes ? width / 2 : 0;
    const size = Math.max(1, (columns * width) / 800); // of the numbers, lest a large board makes them tiny
    const edge = EDGE * size;
    const [wide, high] = [columns * width + half + edge + 2, (rows - 1) * height + tall + edge + 2];
    const number = (value, x, y) => makeSvg("text", { x, y }, String(value));
    const list = (count, apart) => {
      const every = [1, 2, 5, 10, 20, 50].find((n) => n * apart >= size) ?? 100;
      return [...Array(count).keys()].filter((i) => i % every === 0);
    };
    const numbers = makeSvg("g", { "font-size": 10 * size, fill: "#595959" }, [
      ...list(columns, width / 22).map((c) => number(c, c * width + half / 2, -tall / 2 - 6 * size)),
      ...list(rows, height / 14).map((r) => number(r, -width / 2 - 12 * size, r * height + 4 * size)),
    ]);
    // In groups of rows: on a large board the browser paints only those that a change concerns.
    const isLarge = rows * columns > LARGE;
    const lines = Array.from({ length: rows }, (_, row) => makeSvg("g", isLarge ? { style: "will-change: transform" } : {}, Array.from({ length: columns }, (__, column) =>
      makeSvg("g", { "data-row": row, "data-column": column, "data-symbol": " ", transform: `translate(${this.middle(row * columns + column)})` }))));
    this.places = lines.flatMap((line) => [...line.children]);
    this.marks = makeSvg("g", { class: "marks" });
    const viewBox = `${-width / 2 - edge} ${-tall / 2 - edge} ${wide} ${high}`;
    this.svg = makeSvg("svg", { viewBox, role: "img", "aria-label": "board", "font-family": "sans-serif", "text-anchor": "middle" }, [numbers, ...lines, this.marks]);
    Object.assign(this.svg.style, { width: `min(${wide * 1.5}px, ${(75 * wide) / high}vh)`, minWidth: `${3 * columns}px` });
    this.wide = wide;
    this.folder.replaceChildren(this.svg);
  }

  /* Make a place so many dots wide; 0 fits the board to the page. */
  resize(dots) {
    this.svg.style.maxWidth = dots ? "none" : "";
    if (dots) this.svg.style.width = `${(this.wide * dots) / this.shape.width}px`;
  }

  draw(cells) {
    cells.forEach((number, place) => {
      if (number === (this.shown[place] ?? 0)) return;
      this.places[place].dataset.symbol = this.looks[number - 1]?.symbol ?? " ";
      this.places[place].replaceChildren(...this.copyTile(number));
    });
    this.shown = cells;
  }

  /* Make the tile of a look anew; each is read once. */
  copyTile(number) {
    this.tiles[number] ??= makeSvg("g");
    if (number && !this.tiles[number].firstElementChild) this.tiles[number].innerHTML = this.looks[number - 1].tile;
    return this.tiles[number].cloneNode(true).childNodes;
  }

  /* Put rings around places. */
  mark(places) {
    this.marks.replaceChildren(...[...places].flatMap((place) => this.ring(place, .86)));
  }

  /* Show where keys change the board; null hides it. */
  point(place) {
    this.svg.querySelector(".cursor")?.remove();
    if (place !== null) this.svg.append(makeSvg("g", { class: "cursor" }, this.ring(place, 1, ["#ffffff", "#d55e00"])));
  }

  ring(place, scale, colours) {
    const { row, column } = this.places[place].dataset;
    return makeRing(this.shape.outline, { transform: `translate(${this.middle(place)}) scale(${scale})`, "data-hex": `${row},${column}` }, colours);
  }
}

/* A piece of SVG around 0,0 as a picture of its own, beside a text. */
export function frameTile(tile, { width, tall }) {
  const svg = makeSvg("svg", { width, height: tall, viewBox: `${-width / 2} ${-tall / 2} ${width} ${tall}`, "font-family": "sans-serif", "text-anchor": "middle", "aria-hidden": "true" });
  svg.innerHTML = tile;
  return svg;
}

/* Shows a game: the pictures of all turns, each kept as its difference from the one before. */
export class Player {
  /* Keys are those that reach an element; `open` is called with the number of a violation that is clicked. */
  constructor(element, { open = () => {}, show = () => {} }) {
    Object.assign(this, { open, show, timer: null, step: 0 });
    this.picture = new Picture(byId("field"));
    for (const [id, find] of Object.entries({ first: () => -Infinity, last: () => Infinity, back: () => this.turn - 1, on: () => this.turn + 1 })) {
      byId(id).addEventListener("click", () => this.goTo(find()));
    }
    byId("play").addEventListener("click", () => this.play(!this.timer));
    byId("speed").addEventListener("change", () => { if (this.timer) this.play(true); });
    byId("size").addEventListener("change", () => this.resize());
    byId("slider").addEventListener("input", () => this.goTo(Number(byId("slider").value)));
    byId("field").addEventListener("mousemove", ({ target }) => this.tell(target.closest("[data-row]")));
    element.addEventListener("keydown", (event) => this.key(event));
  }

  /* Show a game, at the turn where it says that it starts. */
  load(data) {
    this.data = data;
    Object.assign(byId("slider"), { min: data.first, max: data.first + data.steps.length - 1 });
    this.buttons = data.violations.slice(0, MOST_LISTED).map(([turn, shown, text], i) => {
      const button = makeButton(text, () => {
        this.goTo(shown);
        this.open(i);
      });
      button.dataset.turn = turn;
      return [shown, button];
    });
    byId("violations").replaceChildren(...this.buttons.map(([, button]) => make("li", button)));
    if (!data.steps.length) return;
    this.picture.begin(data);
    this.resize();
    this.goTo(data.start);
  }

  get turn() { return this.data.first + this.step; }
  get last() { return this.data.steps.length - 1; }

  resize() {
    this.picture.resize(Number(byId("size").value));
  }

  key(event) {
    const on = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || on.matches("select, textarea")) return;
    if (event.key.startsWith("Arrow") && on.matches(".scroll, pre") && on.scrollWidth > on.clientWidth) return; // They scroll it.
    if (event.key === " " && on.matches("button, summary")) return;
    const turns = { ArrowLeft: this.turn - 1, ArrowRight: this.turn + 1, Home: -Infinity, End: Infinity };
    if (on.id === "slider" && event.key !== " ") return;
    if (event.key in turns) this.goTo(turns[event.key]);
    else if (event.key === " ") this.play(!this.timer);
    else return;
    event.preventDefault();
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      if (this.step === this.last) this.goTo(-Infinity);
      this.timer = setInterval(() => {
        this.goTo(this.turn + 1, true);
        if (this.step === this.last) this.play(false);
      }, 1000 / Number(byId("speed").value));
    }
    byId("play").textContent = on ? "pause" : "play";
    byId("caption").setAttribute("aria-live", on ? "off" : "polite");
  }

  /* Put the picture of a turn together from all that has changed up to it. */
  goTo(turn, playing = false) {
    if (!playing && this.timer) this.play(false);
    const { rows, columns, first, steps } = this.data;
    if (!steps.length) return;
    this.step = Math.max(0, Math.min(this.last, turn - first));
    const cells = new Uint16Array(rows * columns);
    const tally = new Map();
    for (const [, changes, beside] of steps.slice(0, this.step + 1)) {
      for (let i = 0, place = 0; i < changes.length; i += 2) cells[place += changes[i]] = changes[i + 1];
      for (const [label, value] of beside) tally.set(label, value);
    }
    const [caption, , , points] = steps[this.step];
    this.cells = cells;
    this.picture.draw(cells);
    this.picture.mark(points);
    byId("caption").textContent = caption;
    byId("slider").value = this.turn;
    byId("slider").setAttribute("aria-valuetext", caption);
    byId("count").textContent = `${this.step + 1} of ${steps.length}`;
    byId("tally").replaceChildren(...[...tally].map(([label, value]) =>
      make("div", [make("dt", label), make("dd", value)], label.length + value.length > 14 ? { class: "wide" } : {})));
    for (const [shown, button] of this.buttons) button.setAttribute("aria-current", String(shown === this.turn));
    this.show();
  }

  /* Tell what lies on a place. */
  tell(place) {
    const { row, column } = place?.dataset ?? {};
    const look = place && this.data.looks[this.cells[row * this.data.columns + Number(column)] - 1];
    byId("place").textContent = look ? `row ${row}, column ${column}: ${look.name}` : "";
  }
}
