// @ts-check
// Draws the boards of all pages: as SVG, with an element for each look rather than for each place.
import { make, makeSvg, save, setAll } from "./dom.js";

/**
 * The layout of the places of a board, in units of the picture.
 * @typedef {import("./data.js").Shape} Shape
 *
 * The look of a symbol: its tile is a piece of SVG around 0,0, and its ground has a colour.
 * @typedef {{symbol: string, name: string, tile: string, ground?: string}} Look
 *
 * A board: its places row by row, each with the number of its look, from 1; 0 for none. Places may have names of their own,
 * titles, and for some of these there are pieces of SVG, too: signs.
 * @typedef {{rows: number, columns: number, shape: Shape, looks: Look[], titles?: Record<number, string>,
 *   signs?: Record<string, string>}} Bare
 * @typedef {Bare & {cells: ArrayLike<number>}} Board
 *
 * A mark: hexes, and perhaps gold, which stands on the first of them, and a span, the part of the board that the mark is
 * about: its first row and column, and its last. With `arrow`, something moves from the second hex to the first, and
 * `isPast` lets styles show that it has been done.
 * @typedef {{hexes: number[][], gold?: number | string, span?: number[] | null, arrow?: boolean, isPast?: boolean}} Piece
 */

const [LEFT, TOP] = [28, 18]; // the space for the numbers of rows and columns, in pixels
const EDGE = 4; // the space for marks at the edge of a saved picture
const LEAST_DOTS = 1200; // the least width or height of a saved picture
const MOST_DOTS = 8192; // the longest side of a saved picture: the size of a canvas is limited
const MOST_LARGE = 5; // the most times that places are enlarged if there is room
const COLOURS = ["#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73"]; // the colours of marks, as in pictures
const BORDER = { class: "borders", fill: "none", stroke: "#1a1a1a", "stroke-width": 1.8, "stroke-linecap": "round" };
const BLOCK = 2000; // the number of places that are drawn together
const SVG = "http://www.w3.org/2000/svg";
/** That of a picture which has no board yet. @type {Shape} */
const NO_SHAPE = { hexes: false, width: 1, height: 1, tall: 1, outline: "", corners: [[0, 0]] };

let count = 0; // the number of boards drawn so far, for the names of their elements

/** The row and the column of a place. @param {{columns: number}} board @param {number} place @returns {[number, number]} */
const split = ({ columns }, place) => [Math.floor(place / columns), place % columns];

/** Where the middle of a place lies; that of the first lies at 0,0. @param {Shape} shape @param {number[]} hex */
const locate = (shape, [row, column]) => [column * shape.width + (shape.hexes && row % 2 ? shape.width / 2 : 0), row * shape.height];

/** How wide and how high the places of a board are. @param {Pick<Bare, "rows" | "columns" | "shape">} board */
const measure = ({ rows, columns, shape }) => [columns * shape.width + (shape.hexes ? shape.width / 2 : 0), (rows - 1) * shape.height + shape.tall];

/** Rows and columns to the neighbours of a place, in the order of the sides of its outline. @param {Shape} shape @param {number} row */
function listSides(shape, row) {
  const east = row % 2;
  return shape.hexes ? [[-1, east], [0, 1], [1, east], [1, east - 1], [0, -1], [-1, east - 1]] : [[-1, 0], [0, 1], [1, 0], [0, -1]];
}

/** The path of a line where the grounds of neighbours differ, and around the board. @param {Board} board */
function findBorders({ cells, columns, looks, rows, shape }) {
  const grounds = Array.from(cells, (number) => (number ? looks[number - 1].ground ?? "" : null));
  const sides = [0, 1].map((row) => listSides(shape, row));
  /** @type {string[]} */
  const lines = [];
  for (let place = 0; place < grounds.length; place += 1) {
    const ground = grounds[place];
    if (ground === null) continue;
    const [row, column] = split({ columns }, place);
    sides[row % 2].forEach(([down, across], i) => {
      const [r, c] = [row + down, column + across];
      const other = r >= 0 && r < rows && c >= 0 && c < columns ? grounds[r * columns + c] : null;
      if (ground === other || (other !== null && r * columns + c < place)) return;
      const [x, y] = locate(shape, [row, column]);
      const [[x1, y1], [x2, y2]] = [shape.corners[i], shape.corners[(i + 1) % shape.corners.length]];
      lines.push(`M${x + x1} ${y + y1}L${x + x2} ${y + y2}`);
    });
  }
  return lines.join("");
}

/** The places of a board as SVG: the tile of each look fills the places that have it, as a pattern. */
class Places {
  /** @param {Shape} shape @param {number} columns @param {Look[]} looks */
  constructor(shape, columns, looks) {
    this.shape = shape;
    this.columns = columns;
    this.looks = looks;
    this.name = `b${count += 1}`;
    this.element = makeSvg("g", { class: "places" });
    // The rows of a block; a block in which no place changes is not drawn again.
    this.rows = Math.max(1, Math.floor(BLOCK / columns));
    /** @type {Map<number, any>[]} */
    this.blocks = [];
    this.made = new Set();
    /** @type {ArrayLike<number>} */
    this.shown = [];
    const [first, ...others] = shape.corners;
    const steps = others.map(([x, y], i) => `${x - shape.corners[i][0]} ${y - shape.corners[i][1]}`);
    this.start = first;
    this.outline = `l${steps.join(" ")}z`;
  }

  /** Show places; whether any has another ground than before. @param {ArrayLike<number>} cells */
  show(cells) {
    const { columns, looks, rows, shown } = this;
    const changed = new Set(); // blocks
    let isOther = shown.length !== cells.length;
    for (let place = 0; place < cells.length; place += 1) {
      const [old, now] = [shown[place] ?? 0, cells[place]];
      if (old === now) continue;
      changed.add(Math.floor(place / columns / rows));
      isOther ||= looks[old - 1]?.ground !== looks[now - 1]?.ground;
    }
    for (const block of changed) this.showBlock(block, cells);
    this.shown = Array.from(cells);
    return isOther;
  }

  /** Show some rows: a path for each look that they have. @param {number} block @param {ArrayLike<number>} cells */
  showBlock(block, cells) {
    const { columns, rows, shape, start } = this;
    /** @type {string[][]} */
    const outlines = [];
    const end = Math.min(cells.length, (block + 1) * rows * columns);
    for (let place = block * rows * columns; place < end; place += 1) {
      const number = cells[place];
      if (!number) continue;
      const [x, y] = locate(shape, split(this, place));
      (outlines[number] ??= []).push(`M${x + start[0]} ${y + start[1]}${this.outline}`);
    }
    const paths = outlines.map((some, number) => {
      const d = some.join("");
      const known = this.blocks[block]?.get(number);
      if (known?.getAttribute("d") === d) return known;
      return makeSvg("path", { fill: `url(#${this.findPattern(number)})`, d });
    });
    for (const [number, path] of this.blocks[block] ?? []) if (paths[number] !== path) path.remove();
    this.blocks[block] = new Map();
    paths.forEach((path, number) => {
      this.blocks[block].set(number, path);
      if (!path.isConnected) this.element.append(path);
    });
  }

  /** The name of a look's pattern, which is made when it is needed. @param {number} number */
  findPattern(number) {
    const id = `${this.name}-${number}`;
    if (this.made.has(number)) return id;
    this.made.add(number);
    const { shape: { width, height, hexes } } = this;
    const tile = makeSvg("g", { id: `${id}t` });
    tile.innerHTML = this.looks[number - 1].tile;
    const high = hexes ? 2 * height : height;
    const corners = [[0, 0], [width, 0], [0, high], [width, high], ...(hexes ? [[width / 2, height]] : [])];
    const uses = corners.map(([x, y]) => makeSvg("use", { href: `#${id}t`, x, y }));
    this.element.prepend(makeSvg("pattern", { id, width, height: high, patternUnits: "userSpaceOnUse" }, [makeSvg("defs", {}, tile), ...uses]));
    return id;
  }
}

/** Names and values as attributes. @param {Record<string, unknown>} attributes */
const write = (attributes) => Object.entries(attributes).map(([name, value]) => `${name}="${value}"`).join(" ");

/** Write parts of a picture as the text of an SVG file. @param {{x: number, y: number, width: number, height: number}} box @param {SVGElement[]} parts */
function writeFile(box, parts) {
  const serializer = new XMLSerializer();
  const texts = parts.map((part) => serializer.serializeToString(part)).join("");
  return `<svg xmlns="${SVG}" viewBox="${Object.values(box).join(" ")}" width="${box.width}" height="${box.height}" font-family="sans-serif" text-anchor="middle"><rect ${write(box)} fill="#ffffff"/>${texts}</svg>\n`;
}

/** The signs of the places that have one. @param {Pick<Bare, "shape" | "columns" | "titles" | "signs">} board */
function drawSigns({ shape, columns, titles = {}, signs = {} }) {
  const named = Object.entries(titles).filter(([, name]) => signs[name]);
  return makeSvg("g", { class: "signs" }, named.map(([place, name]) => {
    const sign = makeSvg("g", { transform: `translate(${locate(shape, split({ columns }, Number(place)))})` });
    sign.innerHTML = signs[name];
    return sign;
  }));
}

/** Make the elements of a board: its places with their signs, and the borders of its grounds. @param {Board} board */
export function drawBoard(board) {
  const places = new Places(board.shape, board.columns, board.looks);
  places.show(board.cells);
  return [places.element, drawSigns(board), makeSvg("path", { ...BORDER, d: findBorders(board) })];
}

/**
 * The part of the plane that a board covers, as a view box.
 * @param {Pick<Bare, "rows" | "columns" | "shape">} board
 * @param {number} more
 */
export function frameBoard(board, more = 0) {
  const [width, height] = measure(board);
  return { x: -board.shape.width / 2 - more, y: -board.shape.tall / 2 - more, width: width + 2 * more, height: height + 2 * more };
}

/** Write a board as an SVG file. @param {Board} board */
export const writeSvg = (board) => writeFile(frameBoard(board), drawBoard(board));

/** A small picture of a board, whose places may change. */
export class Thumbnail {
  /** @param {Board} board */
  constructor(board) {
    const { x, y, width, height } = frameBoard(board, 1);
    this.places = new Places(board.shape, board.columns, board.looks);
    this.places.show(board.cells);
    const parts = [this.places.element, drawSigns(board), makeSvg("path", { ...BORDER, d: findBorders(board) })];
    this.element = makeSvg("svg", { viewBox: [x, y, width, height].join(" "), "text-anchor": "middle", "font-family": "sans-serif", "aria-hidden": "true" }, parts);
  }

  /** Show other places on the same grounds. @param {ArrayLike<number>} cells */
  show(cells) { this.places.show(cells); }
}

/**
 * Number the rows and columns, but not all of them if they are narrow.
 * @param {Pick<Bare, "rows" | "columns" | "shape">} board
 * @param {number} pixel units that a pixel is wide
 */
function makeNumbers({ rows, columns, shape: { hexes, width, height, tall } }, pixel) {
  /** @param {number} number @param {number} apart @param {number} least @param {(value: number) => SVGElement} make */
  const listNumbers = (number, apart, least, make) => {
    const every = [1, 2, 5, 10, 20, 50].find((n) => n * apart >= least * pixel) ?? 100;
    return Array.from({ length: Math.ceil(number / every) }, (_, i) => make(i * every));
  };
  /** @param {number} value @param {number} x @param {number} y @param {string} anchor */
  const write = (value, x, y, anchor) => makeSvg("text", { x, y, "text-anchor": anchor }, String(value));
  const half = hexes ? width / 4 : 0;
  return makeSvg("g", { class: "numbers", fill: "#595959", "font-size": 11 * pixel }, [
    ...listNumbers(columns, width, 24, (c) => write(c, c * width + half, -tall / 2 - 5 * pixel, "middle")),
    ...listNumbers(rows, height, 14, (r) => write(r, -width / 2 - 4 * pixel, r * height + 4 * pixel, "end")),
  ]);
}

/** A picture of a board in the page, with numbers, marks and a cursor. */
export class Picture {
  /** @param {HTMLElement} folder where it stands @param {{hasNumbers?: boolean}} options whether rows and columns are numbered */
  constructor(folder, { hasNumbers = true } = {}) {
    this.folder = folder;
    this.hasNumbers = hasNumbers;
    this.wanted = 0; // the width of a place in pixels that was chosen; 0 fits the board to the page
    this.pixels = 0; // the actual width of a place
    this.rows = 0;
    this.columns = 0;
    this.shape = NO_SHAPE;
    /** @type {ArrayLike<number>} */
    this.cells = [];
    /** @type {Look[]} */
    this.looks = [];
    this.places = new Places(NO_SHAPE, 1, []);
    /** @type {Record<number, string>} */
    this.titles = {};
    /** @type {any} */
    this.svg = null;
    addEventListener("resize", () => { if (this.svg) this.resize(this.wanted); });
    const place = document.getElementById("place");
    folder.addEventListener("mousemove", (event) => { if (place) place.textContent = this.tell(this.placeAt(event)); });
  }

  /** @param {number} place */
  split(place) { return split(this, place); }
  /** @param {number} place */
  middle(place) { return locate(this.shape, this.split(place)); }

  /** The board as plain data: its symbols, and in pixels of the window where its first place lies and how far apart places are. */
  get state() {
    const { cells, columns, looks, rows, shape, svg } = this;
    const { a: zoom, e: x, f: y } = svg?.getScreenCTM() ?? new DOMMatrix();
    return {
      rows, columns, cells: Array.from(cells, (number) => looks[number - 1]?.symbol ?? " "),
      first: [x, y], step: [shape.width * zoom, shape.height * zoom], shift: shape.hexes ? (shape.width / 2) * zoom : 0,
    };
  }

  /** Begin with a board on which nothing lies. @param {Bare} board */
  begin({ rows, columns, shape, looks, titles = {}, signs = {} }) {
    this.rows = rows;
    this.columns = columns;
    this.shape = shape;
    this.looks = looks;
    this.titles = titles;
    this.cells = [];
    this.places = new Places(shape, columns, looks);
    this.signs = drawSigns({ shape, columns, titles, signs });
    this.borders = makeSvg("path", BORDER);
    this.numbers = makeSvg("g");
    this.marks = makeSvg("g", { class: "marks" });
    const drawn = [this.places.element, this.signs, this.borders, this.numbers, this.marks];
    for (const part of drawn) part.setAttribute("aria-hidden", "true");
    this.svg = makeSvg("svg", { class: "drawn", role: "img", "aria-label": "board", "font-family": "sans-serif", "text-anchor": "middle" }, drawn);
    this.layers = make("div", [this.svg], { class: "layers" });
    this.resize(this.wanted);
  }

  /** Make a place so many pixels wide; 0 fits the board to the page. @param {number} wanted */
  resize(wanted) {
    const { folder, hasNumbers, shape } = this;
    const [left, top] = hasNumbers ? [LEFT, TOP] : [0, 0];
    const [wide, high] = measure(this);
    const room = (folder.closest("section")?.clientWidth ?? innerWidth) - left - 4;
    // A page sets how much of its window the board may fill, or how much space stays below it.
    const [share, below] = ["--share", "--below"].map((name) => Number(getComputedStyle(folder).getPropertyValue(name)));
    const above = folder.getBoundingClientRect().top + scrollY + (folder.closest(".column")?.scrollTop ?? 0);
    const free = below ? Math.max(innerHeight / 3, innerHeight - above - below) : share * innerHeight;
    const fits = Math.min(room / wide, MOST_LARGE, (free - top) / high);
    this.wanted = wanted;
    this.pixels = wanted || Math.max(3, fits * shape.width);
    const scale = this.pixels / shape.width;
    if (hasNumbers) {
      const numbers = setAll(makeNumbers(this, 1 / scale), { "aria-hidden": "true" });
      this.numbers.replaceWith(numbers);
      this.numbers = numbers;
    }
    const box = [-shape.width / 2 - left / scale, -shape.tall / 2 - top / scale, wide + left / scale, high + top / scale];
    setAll(this.svg, { viewBox: box.join(" "), width: box[2] * scale, height: box[3] * scale });
  }

  /** Draw the places. @param {ArrayLike<number>} cells */
  async draw(cells) {
    this.cells = cells;
    if (this.places.show(cells)) this.borders.setAttribute("d", findBorders(this));
    if (!this.layers.isConnected) this.folder.replaceChildren(this.layers);
  }

  /** The place whose middle is nearest to a point of the window, if it lies on the board. @param {{clientX: number, clientY: number}} point */
  placeAt({ clientX, clientY }) {
    const { columns, shape, svg } = this;
    if (!svg?.isConnected) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
    const near = Math.round(y / shape.height);
    const found = [near - 1, near, near + 1].map((row) => {
      const [shift] = locate(shape, [Math.abs(row), 0]);
      const hex = [row, Math.round((x - shift) / shape.width)];
      return { hex, far: Math.hypot(x - shift - hex[1] * shape.width, y - row * shape.height) };
    });
    const { hex } = found.sort((one, other) => one.far - other.far)[0];
    return this.has(hex) ? hex[0] * columns + hex[1] : null;
  }

  /** @param {number[]} hex */
  has([row, column]) { return row >= 0 && row < this.rows && column >= 0 && column < this.columns; }

  /** Tell what lies on a place. @param {number | null} place */
  tell(place) {
    if (place === null) return "";
    const look = this.looks[this.cells[place] - 1];
    const [row, column] = this.split(place);
    return look ? `row ${row}, column ${column}: ${[look.name, this.titles[place]].filter(Boolean).join(", ")}` : "";
  }

  /** Mark pieces, as pictures do. @param {Piece[]} pieces */
  mark(pieces) {
    const said = new Map();
    let groups = 0;
    const marks = pieces.map(({ hexes, gold, span, arrow, isPast }) => {
      const here = hexes.filter((hex) => this.has(hex));
      const isPaid = here.length > 0 && typeof gold === "number" && Number.isFinite(gold);
      if (isPaid) said.set(String(here[0]), (said.get(String(here[0])) ?? 0) + gold);
      const colour = COLOURS[span || here.length > 1 ? groups++ % COLOURS.length : 0];
      const part = span ? listHexes(span) : here.length > 1 && !arrow ? here : [];
      const rings = part === here ? [] : here.map((hex) => this.ring(hex, .86, colour));
      return makeSvg("g", { "data-hexes": here.join(" "), class: isPast ? "past" : "" }, [...(part.length ? this.outline(part, colour, Boolean(span)) : []), ...rings.flat(), ...(arrow ? this.arrow(here, colour) : [])]);
    });
    const font = { y: 4.5, "font-size": 12, "font-weight": "bold", "text-anchor": "middle" };
    const halo = { stroke: "#ffffff", "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" };
    const texts = [...said].map(([hex, sum]) => makeSvg("text", { ...font, ...halo, transform: `translate(${locate(this.shape, hex.split(",").map(Number))})` }, String(sum)));
    this.marks.replaceChildren(...marks, ...texts);
  }

  /** The edges of hexes that they do not share, and their surface if they are to be shaded. @param {number[][]} hexes @param {string} colour @param {boolean} isShaded */
  outline(hexes, colour, isShaded) {
    const around = hexes.map((hex) => this.shape.corners.map(([x, y]) => [locate(this.shape, hex)[0] + x, locate(this.shape, hex)[1] + y]));
    const edges = new Set(around.flatMap((corners) => corners.map((corner, i) => `${corner} ${corners[(i + 1) % corners.length]}`)));
    /** @param {string} edge */
    const isOuter = (edge) => !edges.has(edge.split(" ").reverse().join(" "));
    const line = [...edges].filter(isOuter).map((edge) => `M${edge.replace(" ", "L")}`).join("");
    const surface = makeSvg("path", { d: around.map((corners) => `M${corners.join("L")}z`).join(""), fill: colour, opacity: .25 });
    return [...(isShaded ? [surface] : []), ...drawTwice(line, colour, { "stroke-linecap": "round" })];
  }

  /** A line from the second hex to the first, which ends beside what stands on it. @param {number[][]} hexes @param {string} colour */
  arrow(hexes, colour) {
    const [[x1, y1], [x0, y0]] = hexes.map((hex) => locate(this.shape, hex));
    const [dx, dy] = [x1 - x0, y1 - y0].map((far) => (9 * far) / (Math.hypot(x1 - x0, y1 - y0) || 1));
    const [x, y] = [x1 - dx, y1 - dy];
    const sides = [[dx - dy, dy + dx], [dx + dy, dy - dx]].map(([wide, high]) => `M${x - wide} ${y - high}L${x} ${y}`);
    return drawTwice(`M${x0} ${y0}L${x} ${y}${sides.join("")}`, colour, { "stroke-linecap": "round", "stroke-linejoin": "round" });
  }

  /** @param {number[]} hex @param {number} scale @param {string} colour @param {string} [outer] */
  ring(hex, scale, colour, outer) {
    return drawTwice(this.shape.outline, colour, { transform: `translate(${locate(this.shape, hex)}) scale(${scale})` }, outer);
  }

  /** Save what is shown, as SVG or as dots: the ending of the name decides. @param {string} name */
  async save(name) {
    const { borders, marks, places, signs } = this;
    const [{ x, y, width, height }, numbers] = [frameBoard(this, EDGE), makeNumbers(this, 1)];
    const box = { x: x - LEFT + EDGE, y: y - TOP + EDGE, width: width + LEFT - EDGE, height: height + TOP - EDGE };
    const text = writeFile(box, [places.element, signs, borders, numbers, marks]);
    if (name.endsWith(".svg")) return save(name, text, "image/svg+xml");
    const most = Math.max(box.width, box.height);
    const dots = await rasterize(text, box, Math.min(MOST_DOTS / most, Math.max(2, LEAST_DOTS / most)));
    return save(name, await writePng(dots), "image/png");
  }

  /** Show where keys change the board; null hides it. @param {number | null} place */
  point(place) {
    this.svg.querySelector(".cursor")?.remove();
    if (place !== null) this.svg.append(makeSvg("g", { class: "cursor" }, this.ring(this.split(place), 1, "#d55e00", "#ffffff")));
  }
}

/** Draw the text of an SVG file on a canvas. @param {string} text @param {{width: number, height: number}} size @param {number} zoom */
export async function rasterize(text, { width, height }, zoom) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const dots = /** @type {HTMLCanvasElement} */ (make("canvas", [], { width: Math.round(width * zoom), height: Math.round(height * zoom) }));
  dots.getContext("2d")?.drawImage(image, 0, 0, dots.width, dots.height);
  return dots;
}

/**
 * The drawing on a canvas as a file; throws an error if the browser has no room for it.
 * @param {HTMLCanvasElement} dots
 * @returns {Promise<Blob>}
 */
export const writePng = (dots) => new Promise((resolve, reject) => {
  dots.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the browser cannot draw the picture"))), "image/png");
});

/** A line of two colours, which stands out on any look. @param {string} d @param {string} colour @param {Record<string, unknown>} more */
const drawTwice = (d, colour, more, outer = "#000000") => [[outer, 6], [colour, 2.5]].map(([stroke, width]) => makeSvg("path", { d, fill: "none", stroke, "stroke-width": width, ...more }));

/** The hexes of a part of a board. @param {number[]} span */
const listHexes = ([top, left, bottom, right]) => Array.from({ length: bottom - top + 1 }, (_, i) => Array.from({ length: right - left + 1 }, (__, j) => [top + i, left + j])).flat();

/** A piece of SVG around 0,0 as a picture of its own, beside a text. @param {string} tile @param {Shape} shape */
export function frameTile(tile, { width, tall }) {
  const viewBox = `${-width / 2} ${-tall / 2} ${width} ${tall}`;
  const svg = makeSvg("svg", { width, height: tall, viewBox, "font-family": "sans-serif", "text-anchor": "middle", "aria-hidden": "true" });
  svg.innerHTML = tile;
  return svg;
}
