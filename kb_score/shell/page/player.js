// The pictures of a board that follow each other, and the controls that lead from one to another.
import { byId, make, makeButton, makeMarks, makeRing, makeSvg, save, setAll } from "./dom.js";

const [LEFT, TOP] = [28, 18]; // pixels for the numbers of rows and columns
const MOST_DOTS = 8192; // of a side; a canvas cannot have any number of them
const MOST_LISTED = 1000;
const MOST_LARGE = 5; // times as large as in a picture, where there is room

/* A board as a picture: its places in a row, each with the number of its look, from 1, or 0.
   A canvas shows the places, and SVG above it their numbers, rings and the cursor. */
export class Picture {
  constructor(folder) {
    Object.assign(this, { folder, wanted: 0 });
    addEventListener("resize", () => { if (this.canvas) this.resize(this.wanted); });
  }

  /* The row and the column of a place. */
  split(place) { return [Math.floor(place / this.columns), place % this.columns]; }

  /* Where the middle of a place lies; that of the first lies at 0,0. */
  middle(place) {
    const { shape } = this;
    const [row, column] = this.split(place);
    return [column * shape.width + (shape.hexes && row % 2) * (shape.width / 2), row * shape.height];
  }

  /* Begin with a board on which nothing lies; `looks` have a symbol, a name, and a piece of SVG. */
  begin({ rows, columns, shape, looks }) {
    const wide = columns * shape.width + (shape.hexes ? shape.width / 2 : 0);
    const high = (rows - 1) * shape.height + shape.tall;
    Object.assign(this, { rows, columns, shape, looks, wide, high, cells: [] });
    this.numbers = makeSvg("g", { fill: "#595959", class: "numbers" });
    this.marks = makeSvg("g", { class: "marks" });
    this.svg = makeSvg("svg", { "aria-hidden": "true", "font-family": "sans-serif" }, [this.numbers, this.marks]);
    this.canvas = make("canvas", [], { role: "img", "aria-label": "board" });
    this.layers = make("div", [this.canvas, this.svg], { class: "layers" });
    this.resize(this.wanted);
  }

  /* Make a place so many pixels wide; 0 fits the board to the page. */
  resize(wanted) {
    const { canvas, shape, wide, high } = this;
    const room = this.folder.closest("section").clientWidth - LEFT - 4;
    const fits = Math.min(room / wide, MOST_LARGE, (0.75 * innerHeight) / high);
    const pixels = wanted || Math.max(3, fits * shape.width);
    const dots = Math.min(pixels * devicePixelRatio, (MOST_DOTS * shape.width) / Math.max(wide, high));
    // Whole dots for a place, so that none draws over the edge of another.
    const scale = Math.max(1, Math.floor(dots)) / shape.width;
    const pixel = devicePixelRatio / scale;
    const [left, top] = [shape.width / 2 + LEFT * pixel, shape.tall / 2 + TOP * pixel];
    canvas.width = Math.ceil((wide + LEFT * pixel) * scale);
    canvas.height = Math.ceil((high + TOP * pixel) * scale);
    canvas.style.width = `${canvas.width / devicePixelRatio}px`;
    this.svg.setAttribute("viewBox", `${-left} ${-top} ${canvas.width / scale} ${canvas.height / scale}`);
    this.number(pixel);
    Object.assign(this, { wanted, scale, left, top, tiles: [], shown: [] });
    return this.draw(this.cells);
  }

  /* Number rows and columns, not all of them where they are narrow. */
  number(pixel) {
    const { rows, columns, shape: { hexes, width, height, tall } } = this;
    const list = (count, apart, least, write) => {
      const every = [1, 2, 5, 10, 20, 50].find((n) => n * apart >= least * pixel) ?? 100;
      return Array.from({ length: Math.ceil(count / every) }, (_, i) => write(i * every));
    };
    const write = (value, x, y, anchor) => makeSvg("text", { x, y, "text-anchor": anchor }, String(value));
    const half = hexes ? width / 4 : 0;
    this.numbers.setAttribute("font-size", 11 * pixel);
    this.numbers.replaceChildren(
      ...list(columns, width, 24, (c) => write(c, c * width + half, -tall / 2 - 5 * pixel, "middle")),
      ...list(rows, height, 14, (r) => write(r, -width / 2 - 4 * pixel, r * height + 4 * pixel, "end")),
    );
  }

  /* Draw the places, as soon as the browser has read the tiles of their looks, each once;
     a symbol that XML cannot hold has none. */
  async draw(cells) {
    this.cells = cells;
    const { looks, tiles } = this;
    looks.forEach(({ tile }, i) => { tiles[i + 1] ??= this.makeTile(tile).catch(() => null); });
    const read = await Promise.all(tiles);
    if (tiles === this.tiles) this.paint(read); // else they are of a size or a board of before
  }

  async makeTile(tile) {
    const { shape, scale } = this;
    const size = { width: Math.ceil(shape.width * scale), height: Math.ceil(shape.tall * scale) };
    const svg = setAll(frameTile(tile, shape), size);
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
    await image.decode();
    const dots = make("canvas", [], size); // which are copied faster than SVG
    dots.getContext("2d").drawImage(image, 0, 0);
    return dots;
  }

  /* Paint the places that have changed; all hexes, for the edge of one lies over that of others. */
  paint(tiles) {
    const { cells, shown, shape, scale, left, top } = this;
    const pen = this.canvas.getContext("2d");
    if (shape.hexes) pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    cells.forEach((number, place) => {
      if (!shape.hexes && number === (shown[place] ?? 0)) return;
      const [x, y] = this.middle(place);
      const corner = [x + left - shape.width / 2, y + top - shape.tall / 2].map((at) => Math.round(at * scale));
      if (tiles[number]) pen.drawImage(tiles[number], ...corner);
      else pen.clearRect(...corner, shape.width * scale, shape.tall * scale);
    });
    this.shown = cells;
    if (!this.layers.isConnected) this.folder.replaceChildren(this.layers);
  }

  /* The place whose middle is nearest to a point of the window, if it lies on the board. */
  placeAt({ clientX, clientY }) {
    const { rows, columns, shape, svg } = this;
    if (!svg?.isConnected) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const near = Math.round(y / shape.height);
    const found = [near - 1, near, near + 1].map((row) => {
      const shift = shape.hexes && row % 2 ? shape.width / 2 : 0;
      const column = Math.round((x - shift) / shape.width);
      return { row, column, far: Math.hypot(x - shift - column * shape.width, y - row * shape.height) };
    });
    const { row, column } = found.sort((one, other) => one.far - other.far)[0];
    const isInside = row >= 0 && row < rows && column >= 0 && column < columns;
    return isInside ? row * columns + column : null;
  }

  /* Put rings around places. */
  mark(places) {
    this.marks.replaceChildren(...[...places].flatMap((place) => this.ring(place, .86)));
  }

  /* Mark the places that pay, by pieces of gold with their hexes. */
  pay(pieces) {
    const at = ([row, column]) => (row >= 0 && row < this.rows && column >= 0 && column < this.columns ? `translate(${this.middle(row * this.columns + column)})` : null);
    this.marks.replaceChildren(...makeMarks(pieces, this.shape.outline, at));
  }

  /* Save what is shown as SVG. */
  save(name) {
    const { left, top, wide, high, looks, numbers, marks } = this;
    const [width, height] = [left + wide, top + high - this.shape.tall / 2].map(Math.ceil);
    const used = new Set(this.cells);
    const tiles = looks.map(({ tile }, i) => (used.has(i + 1) ? `<g id="l${i + 1}">${tile}</g>` : "")).join("");
    const places = Array.from(this.cells, (number, place) => (number ? `<use href="#l${number}" transform="translate(${this.middle(place)})"/>` : ""));
    const more = [numbers, marks].map((part) => new XMLSerializer().serializeToString(part)).join("");
    save(name, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-left} ${-top} ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" text-anchor="middle"><rect x="${-left}" y="${-top}" width="${width}" height="${height}" fill="#ffffff"/><defs>${tiles}</defs>${places.join("")}${more}</svg>\n`, "image/svg+xml");
  }

  /* Show where keys change the board; null hides it. */
  point(place) {
    this.svg.querySelector(".cursor")?.remove();
    if (place !== null) this.svg.append(makeSvg("g", { class: "cursor" }, this.ring(place, 1, ["#ffffff", "#d55e00"])));
  }

  ring(place, scale, colours) {
    const transform = `translate(${this.middle(place)}) scale(${scale})`;
    return makeRing(this.shape.outline, { transform, "data-hex": this.split(place) }, colours);
  }
}

/* What stands beside a board; labels that cross, such as "player 1 tiles" and "player 2 gold", as a table. */
function listTally(tally) {
  const splits = [...tally.keys()].flatMap((label) => [...label.matchAll(/ /g)].map(({ index }) => [label.slice(0, index), label.slice(index)]));
  const isShared = (words, i) => splits.filter((split) => split[i] === words).length > 1;
  const crossed = new Map(splits.filter((split) => split.every(isShared)).map((split) => [split.join(""), split]));
  const [rows, columns] = [0, 1].map((i) => [...new Set([...crossed.values()].map((split) => split[i]))]);
  const entry = (label, words, more) => make("div", [make("dt", words), make("dd", tally.get(label))], more);
  const plain = [...tally].filter(([label]) => !crossed.has(label)).map(([label, value]) =>
    entry(label, label, columns.length || label.length + value.length > 14 ? { class: "wide" } : {}));
  const cells = [...crossed].map(([label, [row, column]]) => {
    const at = [rows.indexOf(row), columns.indexOf(column)];
    const style = `grid-row: ${plain.length + at[0] + 1}; grid-column: ${at[1] + 1}`;
    return entry(label, [make("span", row), make("span", column)], { style, class: `cell${at[0] ? "" : " top"}${at[1] ? "" : " left"}` });
  });
  byId("tally").style.gridTemplateColumns = columns.length ? `repeat(${columns.length}, auto)` : "";
  return [...plain, ...cells];
}

/* A piece of SVG around 0,0 as a picture of its own, beside a text. */
export function frameTile(tile, { width, tall }) {
  const viewBox = `${-width / 2} ${-tall / 2} ${width} ${tall}`;
  const font = { "font-family": "sans-serif", "text-anchor": "middle" };
  const svg = makeSvg("svg", { width, height: tall, viewBox, ...font, "aria-hidden": "true" });
  svg.innerHTML = tile;
  return svg;
}

/* Shows a game: the pictures of all turns, each kept as its difference from the one before. */
export class Player {
  /* Keys are those that reach an element; `open` is called with the number of a violation that is clicked. */
  constructor(element, { open = () => {}, show = () => {} }) {
    Object.assign(this, { open, show, timer: null, step: 0 });
    this.picture = new Picture(byId("field"));
    byId("first").addEventListener("click", () => this.goTo(-Infinity));
    byId("last").addEventListener("click", () => this.goTo(Infinity));
    byId("back").addEventListener("click", () => this.goTo(this.turn - 1));
    byId("on").addEventListener("click", () => this.goTo(this.turn + 1));
    byId("play").addEventListener("click", () => this.play(!this.timer));
    byId("speed").addEventListener("change", () => { if (this.timer) this.play(true); });
    byId("size").addEventListener("change", () => this.picture.resize(Number(byId("size").value)));
    byId("save-picture").addEventListener("click", () => this.picture.save(`turn-${this.turn}.svg`));
    byId("slider").addEventListener("input", () => this.goTo(Number(byId("slider").value)));
    byId("field").addEventListener("mousemove", (event) => this.tell(this.picture.placeAt(event)));
    element.addEventListener("keydown", (event) => this.key(event));
  }

  /* Show a game, at the turn where it says that it starts; ends when it is drawn. */
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
    if (data.steps.length) this.picture.begin(data);
    return this.goTo(data.start);
  }

  get turn() { return this.data.first + this.step; }
  get last() { return this.data.steps.length - 1; }

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

  /* Put the picture of a turn together from all that has changed up to it; ends when it is drawn. */
  goTo(turn, playing = false) {
    if (!playing && this.timer) this.play(false);
    const { rows, columns, first, steps } = this.data;
    if (!steps.length) return null;
    this.step = Math.max(0, Math.min(this.last, turn - first));
    const cells = new Uint16Array(rows * columns);
    const tally = new Map();
    for (const [, changes, beside] of steps.slice(0, this.step + 1)) {
      for (let i = 0, place = 0; i < changes.length; i += 2) cells[place += changes[i]] = changes[i + 1];
      for (const [label, value] of beside) tally.set(label, value);
    }
    const [caption, , , points] = steps[this.step];
    this.cells = cells;
    this.picture.mark(points);
    byId("caption").textContent = caption;
    byId("slider").value = this.turn;
    byId("slider").setAttribute("aria-valuetext", caption);
    byId("count").textContent = `${this.step + 1} of ${steps.length}`;
    this.tally = tally;
    byId("tally").replaceChildren(...listTally(tally));
    for (const [shown, button] of this.buttons) button.setAttribute("aria-current", String(shown === this.turn));
    this.show();
    return this.picture.draw(cells);
  }

  /* Tell what lies on a place. */
  tell(place) {
    const look = place === null ? null : this.data.looks[this.cells[place] - 1];
    const [row, column] = this.picture.split(place);
    const says = look && [look.name, this.data.titles[place]].filter(Boolean).join(", ");
    byId("place").textContent = look ? `row ${row}, column ${column}: ${says}` : "";
  }
}
