// The pictures of a board that follow each other, and the controls that lead from one to another.
import { byId, list, make, makeButton, makeHead, makeSvg, on, save, setAll } from "./dom.js";
import { fillTable } from "./tables.js";

const [LEFT, TOP] = [28, 18]; // pixels for the numbers of rows and columns
const MOST_DOTS = 8192; // of a side; a canvas cannot have any number of them
const MOST_LISTED = 1000;
const MOST_LARGE = 5; // times as large as in a picture, where there is room
const COLOURS = ["#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73"]; // of marks, as in pictures
const SVG = "http://www.w3.org/2000/svg";

export const SAVES = [["save-picture", "svg"], ["save-dots", "png"]];

/* The row and the column of a place. */
const split = ({ columns }, place) => [Math.floor(place / columns), place % columns];

/* Where the middle of the place in a row and a column lies; that of the first lies at 0,0. */
const locate = ({ shape }, [row, column]) => [column * shape.width + (shape.hexes && row % 2) * (shape.width / 2), row * shape.height];

const measure = ({ rows, columns, shape }) => [columns * shape.width + (shape.hexes ? shape.width / 2 : 0), (rows - 1) * shape.height + shape.tall];

/* Rows and columns to the neighbours of a place, in the order of the sides of its outline. */
const listSides = (shape, row) => {
  const east = row % 2;
  return shape.hexes ? [[-1, east], [0, 1], [1, east], [1, east - 1], [0, -1], [-1, east - 1]] : [[-1, 0], [0, 1], [1, 0], [0, -1]];
};

/* A line where the grounds of neighbours differ, and around the board. */
function drawBorders(board) {
  const { cells, columns, looks, rows, shape } = board;
  const grounds = Array.from(cells, (number) => (number ? looks[number - 1].ground ?? "" : null));
  const sides = [0, 1].map((row) => listSides(shape, row));
  const lines = [];
  grounds.forEach((ground, place) => {
    const [row, column] = split(board, place);
    sides[row % 2].forEach(([down, across], i) => {
      const [r, c] = [row + down, column + across];
      const other = r >= 0 && r < rows && c >= 0 && c < columns ? grounds[r * columns + c] : null;
      if (ground === null || ground === other || (other !== null && r * columns + c < place)) return;
      const [x, y] = locate(board, [row, column]);
      const [[x1, y1], [x2, y2]] = [shape.corners[i], shape.corners[(i + 1) % shape.corners.length]];
      lines.push(`M${x + x1} ${y + y1}L${x + x2} ${y + y2}`);
    });
  });
  return { class: "borders", d: lines.join(""), fill: "none", stroke: "#1a1a1a", "stroke-width": 1.8, "stroke-linecap": "round" };
}

const write = (attributes) => Object.entries(attributes).map(([name, value]) => `${name}="${value}"`).join(" ");

/* Write a board as SVG, with some room at its left and its top for more. */
export function writeSvg(board, [left, top] = [0, 0], more = "") {
  const { cells, looks, shape } = board;
  const [wide, high] = measure(board);
  const box = { x: -left - shape.width / 2, y: -top - shape.tall / 2, width: Math.ceil(left + wide), height: Math.ceil(top + high) };
  const used = new Set(cells);
  const tiles = looks.map(({ tile }, i) => (used.has(i + 1) ? `<g id="l${i + 1}">${tile}</g>` : "")).join("");
  const places = Array.from(cells, (number, place) => (number ? `<use href="#l${number}" transform="translate(${locate(board, split(board, place))})"/>` : ""));
  const paper = `<rect ${write(box)} fill="#ffffff"/>`;
  return `<svg xmlns="${SVG}" viewBox="${Object.values(box).join(" ")}" width="${box.width}" height="${box.height}" font-family="sans-serif" text-anchor="middle">${paper}<defs>${tiles}</defs>${places.join("")}${more || `<path ${write(drawBorders(board))}/>`}</svg>\n`;
}

/* A board as a picture: its places in a row, each with the number of its look, from 1, or 0.
   A canvas shows the places, and SVG above it their numbers, marks and the cursor. */
export class Picture {
  constructor(folder) {
    Object.assign(this, { folder, wanted: 0 });
    addEventListener("resize", () => { if (this.canvas) this.resize(this.wanted); });
    folder.addEventListener("mousemove", (event) => { if (byId("place")) byId("place").textContent = this.tell(this.placeAt(event)); });
  }

  split(place) { return split(this, place); }
  middle(place) { return locate(this, this.split(place)); }

  /* Begin with a board on which nothing lies; `looks` have a symbol, a name, and a piece of SVG. Places may
     have names of their own, titles, and for some of these there are pieces of SVG, too: signs. */
  begin({ rows, columns, shape, looks, titles = {}, signs = {} }) {
    Object.assign(this, { rows, columns, shape, looks, titles, cells: [] });
    this.signs = makeSvg("g", {}, Object.entries(titles).filter(([, name]) => signs[name]).map(([place, name]) => {
      const sign = makeSvg("g", { transform: `translate(${this.middle(place)})` });
      sign.innerHTML = signs[name];
      return sign;
    }));
    this.numbers = makeSvg("g", { fill: "#595959", class: "numbers" });
    this.marks = makeSvg("g", { class: "marks" });
    this.borders = makeSvg("path");
    this.svg = makeSvg("svg", { "aria-hidden": "true", "font-family": "sans-serif" }, [this.signs, this.borders, this.numbers, this.marks]);
    this.canvas = make("canvas", [], { role: "img", "aria-label": "board" });
    this.layers = make("div", [this.canvas, this.svg], { class: "layers" });
    this.resize(this.wanted);
  }

  /* Make a place so many pixels wide; 0 fits the board to the page. */
  resize(wanted) {
    const { canvas, folder, shape } = this;
    const [wide, high] = measure(this);
    const room = folder.closest("section").clientWidth - LEFT - 4;
    // A page says how much of its window the board may fill, or how much is to stay below it.
    const [share, below] = ["--share", "--below"].map((name) => Number(getComputedStyle(folder).getPropertyValue(name)));
    const above = folder.getBoundingClientRect().top + scrollY + (folder.closest(".column")?.scrollTop ?? 0);
    const free = below ? Math.max(innerHeight / 3, innerHeight - above - below) : share * innerHeight;
    const fits = Math.min(room / wide, MOST_LARGE, (free - TOP) / high);
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
    const listNumbers = (count, apart, least, write) => {
      const every = [1, 2, 5, 10, 20, 50].find((n) => n * apart >= least * pixel) ?? 100;
      return Array.from({ length: Math.ceil(count / every) }, (_, i) => write(i * every));
    };
    const write = (value, x, y, anchor) => makeSvg("text", { x, y, "text-anchor": anchor }, String(value));
    const half = hexes ? width / 4 : 0;
    this.numbers.setAttribute("font-size", 11 * pixel);
    this.numbers.replaceChildren(
      ...listNumbers(columns, width, 24, (c) => write(c, c * width + half, -tall / 2 - 5 * pixel, "middle")),
      ...listNumbers(rows, height, 14, (r) => write(r, -width / 2 - 4 * pixel, r * height + 4 * pixel, "end")),
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
    if (cells.length) setAll(this.borders, drawBorders(this));
    this.shown = cells;
    if (!this.layers.isConnected) this.folder.replaceChildren(this.layers);
  }

  /* The place whose middle is nearest to a point of the window, if it lies on the board. */
  placeAt({ clientX, clientY }) {
    const { columns, shape, svg } = this;
    if (!svg?.isConnected) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const near = Math.round(y / shape.height);
    const found = [near - 1, near, near + 1].map((row) => {
      const [shift] = locate(this, [Math.abs(row), 0]);
      const hex = [row, Math.round((x - shift) / shape.width)];
      return { hex, far: Math.hypot(x - shift - hex[1] * shape.width, y - row * shape.height) };
    });
    const { hex } = found.sort((one, other) => one.far - other.far)[0];
    return this.has(hex) ? hex[0] * columns + hex[1] : null;
  }

  has([row, column]) { return row >= 0 && row < this.rows && column >= 0 && column < this.columns; }

  /* Tell what lies on a place. */
  tell(place) {
    const look = place === null ? null : this.looks[this.cells[place] - 1];
    const [row, column] = this.split(place);
    return look ? `row ${row}, column ${column}: ${[look.name, this.titles[place]].filter(Boolean).join(", ")}` : "";
  }

  /* Mark pieces, as pictures do: each has hexes, and perhaps gold, which stands on the first of them, and a
     span, the part of the board that it is about: its first row and column, and its last. `arrow` says that
     something moves to the first hex, from the second, and `isPast` is for styles to tell that it has been done. */
  mark(pieces) {
    const said = new Map();
    let groups = 0;
    const marks = pieces.map(({ hexes, gold, span, arrow, isPast }) => {
      const here = hexes.filter((hex) => this.has(hex));
      if (here.length && Number.isFinite(gold)) said.set(String(here[0]), (said.get(String(here[0])) ?? 0) + gold);
      const colour = COLOURS[span || here.length > 1 ? groups++ % COLOURS.length : 0];
      const part = span ? listHexes(span) : here.length > 1 && !arrow ? here : [];
      const rings = part === here ? [] : here.map((hex) => this.ring(hex, .86, colour));
      return makeSvg("g", { "data-hexes": here.join(" "), class: isPast ? "past" : "" }, [...(part.length ? this.outline(part, colour, span) : []), ...rings.flat(), ...(arrow ? this.arrow(here, colour) : [])]);
    });
    const font = { y: 4.5, "font-size": 12, "font-weight": "bold", "text-anchor": "middle" };
    const halo = { stroke: "#ffffff", "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" };
    const texts = [...said].map(([hex, sum]) => makeSvg("text", { ...font, ...halo, transform: `translate(${locate(this, hex.split(","))})` }, String(sum)));
    this.marks.replaceChildren(...marks, ...texts);
  }

  /* The edges of hexes that they do not share, and their surface if they are to be shaded. */
  outline(hexes, colour, isShaded) {
    const around = hexes.map((hex) => this.shape.corners.map(([x, y], i) => [locate(this, hex)[0] + x, locate(this, hex)[1] + y]));
    const edges = new Set(around.flatMap((corners) => corners.map((corner, i) => `${corner} ${corners[(i + 1) % corners.length]}`)));
    const isOuter = (edge) => !edges.has(edge.split(" ").reverse().join(" "));
    const line = [...edges].filter(isOuter).map((edge) => `M${edge.replace(" ", "L")}`).join("");
    const surface = makeSvg("path", { d: around.map((corners) => `M${corners.join("L")}z`).join(""), fill: colour, opacity: .25 });
    return [...(isShaded ? [surface] : []), ...drawTwice(line, colour, { "stroke-linecap": "round" })];
  }

  /* A line from the second hex to the first, which ends beside what stands on it. */
  arrow(hexes, colour) {
    const [[x1, y1], [x0, y0]] = hexes.map((hex) => locate(this, hex));
    const [dx, dy] = [x1 - x0, y1 - y0].map((far) => (9 * far) / (Math.hypot(x1 - x0, y1 - y0) || 1));
    const [x, y] = [x1 - dx, y1 - dy];
    const sides = [[dx - dy, dy + dx], [dx + dy, dy - dx]].map(([wide, high]) => `M${x - wide} ${y - high}L${x} ${y}`);
    return drawTwice(`M${x0} ${y0}L${x} ${y}${sides.join("")}`, colour, { "stroke-linecap": "round", "stroke-linejoin": "round" });
  }

  ring(hex, scale, colour, outer) {
    return drawTwice(this.shape.outline, colour, { transform: `translate(${locate(this, hex)}) scale(${scale})` }, outer);
  }

  /* Save what is shown, as SVG or as dots: the ending of the name decides. */
  async save(name) {
    const { borders, left, top, numbers, marks, shape, signs } = this;
    const more = [signs, borders, numbers, marks].map((part) => new XMLSerializer().serializeToString(part)).join("");
    const text = writeSvg(this, [left - shape.width / 2, top - shape.tall / 2], more);
    if (name.endsWith(".svg")) return save(name, text, "image/svg+xml");
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const zoom = Math.min(2, MOST_DOTS / Math.max(image.width, image.height));
    const dots = make("canvas", [], { width: Math.round(image.width * zoom), height: Math.round(image.height * zoom) });
    dots.getContext("2d").drawImage(image, 0, 0, dots.width, dots.height);
    return dots.toBlob((data) => save(name, data, "image/png"));
  }

  /* Show where keys change the board; null hides it. */
  point(place) {
    this.svg.querySelector(".cursor")?.remove();
    if (place !== null) this.svg.append(makeSvg("g", { class: "cursor" }, this.ring(this.split(place), 1, "#d55e00", "#ffffff")));
  }
}

/* A line of two colours, which stands out on any look. */
const drawTwice = (d, colour, more, outer = "#000000") => [[outer, 6], [colour, 2.5]].map(([stroke, width]) => makeSvg("path", { d, fill: "none", stroke, "stroke-width": width, ...more }));

const listHexes = ([top, left, bottom, right]) => Array.from({ length: bottom - top + 1 }, (_, i) => Array.from({ length: right - left + 1 }, (__, j) => [top + i, left + j])).flat();

/* A piece of SVG around 0,0 as a picture of its own, beside a text. */
export function frameTile(tile, { width, tall }) {
  const viewBox = `${-width / 2} ${-tall / 2} ${width} ${tall}`;
  const svg = makeSvg("svg", { width, height: tall, viewBox, "font-family": "sans-serif", "text-anchor": "middle", "aria-hidden": "true" });
  svg.innerHTML = tile;
  return svg;
}

/* The names of a board's looks, each with how many there are. */
export function countLooks({ legend }, cells) {
  const counts = [];
  for (const number of cells) counts[number] = (counts[number] ?? 0) + 1;
  return legend.filter(({ counted }) => counted).map(({ name, symbols }) => [name, symbols.reduce((sum, symbol) => sum + (counts[symbol] ?? 0), 0)]);
}

/* Show what the looks of a board are called, and how many there are of those that count. */
export function showLegend(data, cells) {
  const counts = new Map(countLooks(data, cells));
  list("legend", data.legend.map(({ name, tile }) => [frameTile(tile, data.shape), make("span", counts.has(name) ? `${name}: ${counts.get(name)}` : name)]));
}

/* Labels that cross, such as "player 1 tiles" and "player 2 gold": the words of the row, and of the column. */
export function crossLabels(labels) {
  const splits = labels.flatMap((label) => [...label.matchAll(/ /g)].map(({ index }) => [label.slice(0, index), label.slice(index)]));
  const isShared = (words, i) => splits.filter((split) => split[i] === words).length > 1;
  return new Map(splits.filter((split) => split.every(isShared)).map((split) => [split.join(""), split]));
}

/* Show what stands beside a board; labels that cross as a table, with the tile that has the name of a row. */
function showTally(tally, { legend = [], shape }) {
  const crossed = crossLabels([...tally.keys()]);
  const [rows, columns] = [0, 1].map((i) => [...new Set([...crossed.values()].map((split) => split[i]))]);
  const plain = [...tally].filter(([label]) => !crossed.has(label));
  byId("tally").replaceChildren(...plain.map(([label, value]) => (
    make("div", [make("dt", label), make("dd", value)], label.length + value.length > 14 ? { class: "wide" } : {}))));
  const lines = rows.map((row) => make("tr", [makeHead([...legend.filter(({ name }) => name === row).map(({ tile }) => frameTile(tile, shape)), row], "row"), ...columns.map((column) => make("td", tally.get(row + column) ?? ""))]));
  if (rows.length) fillTable(byId("crossed"), [make("td"), ...columns], lines);
  else byId("crossed").replaceChildren();
}

/* Shows a game: the pictures of all turns, each kept as its difference from the one before. */
export class Player {
  /* Keys are those that reach an element; `open` is called with the number of a violation that is clicked. */
  constructor(element, { open = () => {}, show = () => {} }) {
    Object.assign(this, { open, show, timer: null, step: 0 });
    this.picture = new Picture(byId("field"));
    on("first", () => this.goTo(-Infinity));
    on("last", () => this.goTo(Infinity));
    on("back", () => this.goTo(this.turn - 1));
    on("on", () => this.goTo(this.turn + 1));
    on("play", () => this.play(!this.timer));
    on("speed", () => { if (this.timer) this.play(true); }, "change");
    on("size", () => this.picture.resize(Number(byId("size").value)), "change");
    for (const [id, ending] of SAVES) on(id, () => this.picture.save(`turn-${this.turn}.${ending}`));
    on("slider", () => this.goTo(Number(byId("slider").value)), "input");
    element.addEventListener("keydown", (event) => this.key(event));
  }

  /* Show a game, at the turn where it says that it starts; ends when it is drawn. */
  load(data) {
    this.data = data;
    Object.assign(byId("slider"), { min: data.first, max: data.first + data.steps.length - 1 });
    this.buttons = data.violations.slice(0, MOST_LISTED).map(([turn, shown, text], i) => [shown, makeButton(text, () => {
      this.goTo(shown);
      this.open(i);
    }, { "data-turn": turn })]);
    list("violations", this.buttons.map(([, button]) => button));
    if (data.steps.length) this.picture.begin(data);
    return this.goTo(data.start);
  }

  get turn() { return this.data.first + this.step; }
  get last() { return this.data.steps.length - 1; }

  key(event) {
    const at = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || at.matches("select, textarea")) return;
    if (event.key.startsWith("Arrow") && at.matches(".scroll, pre") && at.scrollWidth > at.clientWidth) return; // They scroll it.
    if (event.key === " " && at.matches("button, summary")) return;
    const turns = { ArrowLeft: this.turn - 1, ArrowRight: this.turn + 1, Home: -Infinity, End: Infinity };
    if (at.id === "slider" && event.key !== " ") return;
    if (event.key in turns) this.goTo(turns[event.key]);
    else if (event.key === " ") this.play(!this.timer);
    else return;
    event.preventDefault();
  }

  play(isOn) {
    clearInterval(this.timer);
    this.timer = null;
    if (isOn) {
      if (this.step === this.last) this.goTo(-Infinity);
      this.timer = setInterval(() => {
        this.goTo(this.turn + 1, true);
        if (this.step === this.last) this.play(false);
      }, 1000 / Number(byId("speed").value));
    }
    byId("play").textContent = isOn ? "pause" : "play";
    byId("caption").setAttribute("aria-live", isOn ? "off" : "polite");
  }

  /* The places after so many steps, and what stands beside them: put together from all that has changed. */
  stateAt(step) {
    const { rows, columns, steps } = this.data;
    const cells = new Uint16Array(rows * columns);
    const tally = new Map();
    for (const [, changes, beside] of steps.slice(0, step + 1)) {
      for (let i = 0, place = 0; i < changes.length; i += 2) cells[place += changes[i]] = changes[i + 1];
      for (const [label, value] of beside) tally.set(label, value);
    }
    return { cells, tally };
  }

  /* Show the picture of a turn; ends when it is drawn. */
  goTo(turn, playing = false) {
    if (!playing && this.timer) this.play(false);
    const { first, steps } = this.data;
    if (!steps.length) return null;
    this.step = Math.max(0, Math.min(this.last, turn - first));
    const { cells, tally } = this.stateAt(this.step);
    const [caption, , , points] = steps[this.step];
    this.cells = cells;
    this.picture.mark(points.map((place) => ({ hexes: [this.picture.split(place)] })));
    byId("caption").textContent = caption;
    byId("slider").value = this.turn;
    byId("slider").setAttribute("aria-valuetext", caption);
    byId("count").textContent = `${this.step + 1} of ${steps.length}`;
    showTally(tally, this.data);
    for (const [shown, button] of this.buttons) button.setAttribute("aria-current", String(shown === this.turn));
    this.show();
    return this.picture.draw(cells);
  }
}
