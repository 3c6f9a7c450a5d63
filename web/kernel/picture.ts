// Draws the boards of all pages: as SVG, with an element for each look rather than for each place.
import type { Shape } from "../data.d.ts";
import { make, makeSvg, save, setAll } from "./dom.ts";

/** The look of a symbol: its tile is a piece of SVG around 0,0, and its ground has a colour. */
export type Look = { symbol: string; name: string; tile: string; ground?: string };

/** A board: its places row by row, each with the number of its look, from 1; 0 for none. Places may have names of their own,
 * titles, and for some of these there are pieces of SVG, too: signs. */
export type Bare = {
  rows: number;
  columns: number;
  shape: Shape;
  looks: Look[];
  titles?: Record<number, string>;
  signs?: Record<string, string>;
};

export type Board = Bare & { cells: ArrayLike<number> };

/** A mark: hexes, and perhaps gold, which stands on the first of them, and a span, the part of the board that the mark is
 * about: its first row and column, and its last. With `arrow`, something moves from the second hex to the first, and
 * `isPast` lets styles show that it has been done. */
export type Piece = {
  hexes: number[][];
  gold?: number | string;
  span?: number[] | null;
  arrow?: boolean;
  isPast?: boolean;
};

const [LEFT, TOP] = [28, 18]; // the space for the numbers of rows and columns, in pixels
const EDGE = 4; // the space for marks at the edge of a saved picture
const LEAST_DOTS = 1200; // the least width or height of a saved picture
const MOST_DOTS = 8192; // the longest side of a saved picture: the size of a canvas is limited
const MOST_LARGE = 5; // the most times that places are enlarged if there is room
const COLOURS = ["#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73"]; // the colours of marks, as in pictures
const BORDER = {
  class: "borders",
  fill: "none",
  stroke: "#1a1a1a",
  "stroke-width": 1.8,
  "stroke-linecap": "round",
};
const BLOCK = 2000; // the number of places that are drawn together
const SVG = "http://www.w3.org/2000/svg";
/** That of a picture which has no board yet. */
const NO_SHAPE: Shape = {
  hexes: false,
  width: 1,
  height: 1,
  tall: 1,
  outline: "",
  corners: [[0, 0]],
};

let count = 0; // the number of boards drawn so far, for the names of their elements

/** The row and the column of a place. */
const split = ({ columns }: { columns: number }, place: number): [number, number] => [
  Math.floor(place / columns),
  place % columns,
];

/** Where the middle of a place lies; that of the first lies at 0,0. */
const locate = (shape: Shape, [row, column]: number[]) => [
  column * shape.width + (shape.hexes && row % 2 ? shape.width / 2 : 0),
  row * shape.height,
];

/** How wide and how high the places of a board are. */
const measure = ({ rows, columns, shape }: Pick<Bare, "rows" | "columns" | "shape">) => [
  columns * shape.width + (shape.hexes ? shape.width / 2 : 0),
  (rows - 1) * shape.height + shape.tall,
];

/** Rows and columns to the neighbours of a place, in the order of the sides of its outline. */
function listSides(shape: Shape, row: number) {
  const east = row % 2;
  return shape.hexes
    ? [
        [-1, east],
        [0, 1],
        [1, east],
        [1, east - 1],
        [0, -1],
        [-1, east - 1],
      ]
    : [
        [-1, 0],
        [0, 1],
        [1, 0],
        [0, -1],
      ];
}

/** The path of a line where the grounds of neighbours differ, and around the board. */
function findBorders({ cells, columns, looks, rows, shape }: Board) {
  const grounds = Array.from(cells, (number) => (number ? (looks[number - 1].ground ?? "") : null));
  const sides = [0, 1].map((row) => listSides(shape, row));
  const lines: string[] = [];
  for (let place = 0; place < grounds.length; place += 1) {
    const ground = grounds[place];
    if (ground === null) continue;
    const [row, column] = split({ columns }, place);
    sides[row % 2].forEach(([down, across], i) => {
      const [r, c] = [row + down, column + across];
      const other = r >= 0 && r < rows && c >= 0 && c < columns ? grounds[r * columns + c] : null;
      if (ground === other || (other !== null && r * columns + c < place)) return;
      const [x, y] = locate(shape, [row, column]);
      const [[x1, y1], [x2, y2]] = [
        shape.corners[i],
        shape.corners[(i + 1) % shape.corners.length],
      ];
      lines.push(`M${x + x1} ${y + y1}L${x + x2} ${y + y2}`);
    });
  }
  return lines.join("");
}

/** The places of a board as SVG: the tile of each look fills the places that have it, as a pattern. */
class Places {
  shape: Shape;
  columns: number;
  looks: Look[];
  name: string;
  element: any;
  rows: number;
  blocks: Map<number, any>[] = [];
  made: Set<any> = new Set();
  shown: ArrayLike<number> = [];
  start: [number, number];
  outline: string;

  constructor(shape: Shape, columns: number, looks: Look[]) {
    this.shape = shape;
    this.columns = columns;
    this.looks = looks;
    this.name = `b${(count += 1)}`;
    this.element = makeSvg("g", { class: "places" });
    // The rows of a block; a block in which no place changes is not drawn again.
    this.rows = Math.max(1, Math.floor(BLOCK / columns));
    const [first, ...others] = shape.corners;
    const steps = others.map(
      ([x, y], i) => `${x - shape.corners[i][0]} ${y - shape.corners[i][1]}`,
    );
    this.start = first;
    this.outline = `l${steps.join(" ")}z`;
  }

  /** Show places; whether any has another ground than before. */
  show(cells: ArrayLike<number>) {
    const { columns, looks, rows, shown } = this;
    const changed = new Set<number>(); // blocks
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

  /** Show some rows: a path for each look that they have. */
  showBlock(block: number, cells: ArrayLike<number>) {
    const { columns, rows, shape, start } = this;
    const outlines: string[][] = [];
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
    for (const [number, path] of this.blocks[block] ?? [])
      if (paths[number] !== path) path.remove();
    this.blocks[block] = new Map();
    paths.forEach((path, number) => {
      this.blocks[block].set(number, path);
      if (!path.isConnected) this.element.append(path);
    });
  }

  /** The name of a look's pattern, which is made when it is needed. */
  findPattern(number: number) {
    const id = `${this.name}-${number}`;
    if (this.made.has(number)) return id;
    this.made.add(number);
    const {
      shape: { width, height, hexes },
    } = this;
    const tile = makeSvg("g", { id: `${id}t` });
    tile.innerHTML = this.looks[number - 1].tile;
    const high = hexes ? 2 * height : height;
    const corners = [
      [0, 0],
      [width, 0],
      [0, high],
      [width, high],
      ...(hexes ? [[width / 2, height]] : []),
    ];
    const uses = corners.map(([x, y]) => makeSvg("use", { href: `#${id}t`, x, y }));
    this.element.prepend(
      makeSvg("pattern", { id, width, height: high, patternUnits: "userSpaceOnUse" }, [
        makeSvg("defs", {}, tile),
        ...uses,
      ]),
    );
    return id;
  }
}

/** Names and values as attributes. */
const write = (attributes: Record<string, unknown>) =>
  Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(" ");

/** Write parts of a picture as the text of an SVG file. */
function writeFile(
  box: { x: number; y: number; width: number; height: number },
  parts: SVGElement[],
) {
  const serializer = new XMLSerializer();
  const texts = parts.map((part) => serializer.serializeToString(part)).join("");
  return `<svg xmlns="${SVG}" viewBox="${Object.values(box).join(" ")}" width="${box.width}" height="${box.height}" font-family="sans-serif" text-anchor="middle"><rect ${write(box)} fill="#ffffff"/>${texts}</svg>\n`;
}

/** The signs of the places that have one. */
function drawSigns({
  shape,
  columns,
  titles = {},
  signs = {},
}: Pick<Bare, "shape" | "columns" | "titles" | "signs">) {
  const named = Object.entries(titles).filter(([, name]) => signs[name]);
  return makeSvg(
    "g",
    { class: "signs" },
    named.map(([place, name]) => {
      const sign = makeSvg("g", {
        transform: `translate(${locate(shape, split({ columns }, Number(place)))})`,
      });
      sign.innerHTML = signs[name];
      return sign;
    }),
  );
}

/** Make the elements of a board: its places with their signs, and the borders of its grounds. */
export function drawBoard(board: Board) {
  const places = new Places(board.shape, board.columns, board.looks);
  places.show(board.cells);
  return [places.element, drawSigns(board), makeSvg("path", { ...BORDER, d: findBorders(board) })];
}

/** The part of the plane that a board covers, as a view box. */
export function frameBoard(board: Pick<Bare, "rows" | "columns" | "shape">, more: number = 0) {
  const [width, height] = measure(board);
  return {
    x: -board.shape.width / 2 - more,
    y: -board.shape.tall / 2 - more,
    width: width + 2 * more,
    height: height + 2 * more,
  };
}

/** Write a board as an SVG file. */
export const writeSvg = (board: Board) => writeFile(frameBoard(board), drawBoard(board));

/** A small picture of a board, whose places may change. */
export class Thumbnail {
  places: Places;
  element: any;

  constructor(board: Board) {
    const { x, y, width, height } = frameBoard(board, 1);
    this.places = new Places(board.shape, board.columns, board.looks);
    this.places.show(board.cells);
    const parts = [
      this.places.element,
      drawSigns(board),
      makeSvg("path", { ...BORDER, d: findBorders(board) }),
    ];
    this.element = makeSvg(
      "svg",
      {
        viewBox: [x, y, width, height].join(" "),
        "text-anchor": "middle",
        "font-family": "sans-serif",
        "aria-hidden": "true",
      },
      parts,
    );
  }

  /** Show other places on the same grounds. */
  show(cells: ArrayLike<number>) {
    this.places.show(cells);
  }
}

/** Number the rows and columns, but not all of them if they are narrow. `pixel`: units that a pixel is wide. */
function makeNumbers(
  {
    rows,
    columns,
    shape: { hexes, width, height, tall },
  }: Pick<Bare, "rows" | "columns" | "shape">,
  pixel: number,
) {
  const listNumbers = (
    number: number,
    apart: number,
    least: number,
    make: (value: number) => SVGElement,
  ) => {
    const every = [1, 2, 5, 10, 20, 50].find((n) => n * apart >= least * pixel) ?? 100;
    return Array.from({ length: Math.ceil(number / every) }, (_, i) => make(i * every));
  };
  const write = (value: number, x: number, y: number, anchor: string) =>
    makeSvg("text", { x, y, "text-anchor": anchor }, String(value));
  const half = hexes ? width / 4 : 0;
  return makeSvg("g", { class: "numbers", fill: "#595959", "font-size": 11 * pixel }, [
    ...listNumbers(columns, width, 24, (c) =>
      write(c, c * width + half, -tall / 2 - 5 * pixel, "middle"),
    ),
    ...listNumbers(rows, height, 14, (r) =>
      write(r, -width / 2 - 4 * pixel, r * height + 4 * pixel, "end"),
    ),
  ]);
}

/** A picture of a board in the page, with numbers, marks and a cursor. */
export class Picture {
  folder: HTMLElement;
  hasNumbers: boolean;
  /** The width of a place in pixels that was chosen; 0 fits the board to the page. */
  wanted = 0;
  /** The actual width of a place. */
  pixels = 0;
  rows = 0;
  columns = 0;
  shape: Shape;
  cells: ArrayLike<number> = [];
  looks: Look[] = [];
  places: Places;
  titles: Record<number, string>;
  svg: any = null;
  signs: any;
  borders: any;
  numbers: any;
  marks: any;
  layers: any;

  /** `folder`: where it stands. `options`: whether rows and columns are numbered. */
  constructor(folder: HTMLElement, { hasNumbers = true }: { hasNumbers?: boolean } = {}) {
    this.folder = folder;
    this.hasNumbers = hasNumbers;
    this.shape = NO_SHAPE;
    this.places = new Places(NO_SHAPE, 1, []);
    this.titles = {};
    addEventListener("resize", () => {
      if (this.svg) this.resize(this.wanted);
    });
    folder.addEventListener("mousemove", (event) => {
      const place = document.getElementById("place");
      if (place) place.textContent = this.tell(this.placeAt(event));
    });
  }

  split(place: number) {
    return split(this, place);
  }
  middle(place: number) {
    return locate(this.shape, this.split(place));
  }

  /** The board as plain data: its symbols, and in pixels of the window where its first place lies and how far apart places are. */
  get state() {
    const { cells, columns, looks, rows, shape, svg } = this;
    const { a: zoom, e: x, f: y } = svg?.getScreenCTM() ?? new DOMMatrix();
    return {
      rows,
      columns,
      cells: Array.from(cells, (number) => looks[number - 1]?.symbol ?? " "),
      first: [x, y],
      step: [shape.width * zoom, shape.height * zoom],
      shift: shape.hexes ? (shape.width / 2) * zoom : 0,
    };
  }

  /** Begin with a board on which nothing lies. */
  begin({ rows, columns, shape, looks, titles = {}, signs = {} }: Bare) {
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
    this.svg = makeSvg(
      "svg",
      {
        class: "drawn",
        role: "img",
        "aria-label": "board",
        "font-family": "sans-serif",
        "text-anchor": "middle",
      },
      drawn,
    );
    this.layers = make("div", [this.svg], { class: "layers" });
    this.resize(this.wanted);
  }

  /** Make a place so many pixels wide; 0 fits the board to the page. */
  resize(wanted: number) {
    const { folder, hasNumbers, shape } = this;
    const [left, top] = hasNumbers ? [LEFT, TOP] : [0, 0];
    const [wide, high] = measure(this);
    const room = (folder.closest("section")?.clientWidth ?? innerWidth) - left - 4;
    // A page sets how much of its window the board may fill, or how much space stays below it.
    const [share, below] = ["--share", "--below"].map((name) =>
      Number(getComputedStyle(folder).getPropertyValue(name)),
    );
    const above =
      folder.getBoundingClientRect().top + scrollY + (folder.closest(".column")?.scrollTop ?? 0);
    const free = below
      ? Math.max(innerHeight / 3, innerHeight - above - below)
      : share * innerHeight;
    const fits = Math.min(room / wide, MOST_LARGE, (free - top) / high);
    this.wanted = wanted;
    this.pixels = wanted || Math.max(3, fits * shape.width);
    const scale = this.pixels / shape.width;
    if (hasNumbers) {
      const numbers = setAll(makeNumbers(this, 1 / scale), { "aria-hidden": "true" });
      this.numbers.replaceWith(numbers);
      this.numbers = numbers;
    }
    const box = [
      -shape.width / 2 - left / scale,
      -shape.tall / 2 - top / scale,
      wide + left / scale,
      high + top / scale,
    ];
    setAll(this.svg, { viewBox: box.join(" "), width: box[2] * scale, height: box[3] * scale });
  }

  /** Draw the places. */
  async draw(cells: ArrayLike<number>) {
    this.cells = cells;
    if (this.places.show(cells)) this.borders.setAttribute("d", findBorders(this));
    if (!this.layers.isConnected) this.folder.replaceChildren(this.layers);
  }

  /** The place whose middle is nearest to a point of the window, if it lies on the board. */
  placeAt({ clientX, clientY }: { clientX: number; clientY: number }) {
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

  has([row, column]: number[]) {
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns;
  }

  /** Tell what lies on a place. */
  tell(place: number | null) {
    if (place === null) return "";
    const look = this.looks[this.cells[place] - 1];
    const [row, column] = this.split(place);
    return look
      ? `row ${row}, column ${column}: ${[look.name, this.titles[place]].filter(Boolean).join(", ")}`
      : "";
  }

  /** Mark pieces, as pictures do. */
  mark(pieces: Piece[]) {
    const said = new Map();
    let groups = 0;
    const marks = pieces.map(({ hexes, gold, span, arrow, isPast }) => {
      const here = hexes.filter((hex) => this.has(hex));
      const isPaid = here.length > 0 && typeof gold === "number" && Number.isFinite(gold);
      if (isPaid) said.set(String(here[0]), (said.get(String(here[0])) ?? 0) + gold);
      const colour = COLOURS[span || here.length > 1 ? groups++ % COLOURS.length : 0];
      const part = span ? listHexes(span) : here.length > 1 && !arrow ? here : [];
      const rings = part === here ? [] : here.map((hex) => this.ring(hex, 0.86, colour));
      return makeSvg("g", { "data-hexes": here.join(" "), class: isPast ? "past" : "" }, [
        ...(part.length ? this.outline(part, colour, Boolean(span)) : []),
        ...rings.flat(),
        ...(arrow ? this.arrow(here, colour) : []),
      ]);
    });
    const font = { y: 4.5, "font-size": 12, "font-weight": "bold", "text-anchor": "middle" };
    const halo = {
      stroke: "#ffffff",
      "stroke-width": 4,
      "stroke-linejoin": "round",
      "paint-order": "stroke",
    };
    const texts = [...said].map(([hex, sum]) =>
      makeSvg(
        "text",
        {
          ...font,
          ...halo,
          transform: `translate(${locate(this.shape, hex.split(",").map(Number))})`,
        },
        String(sum),
      ),
    );
    this.marks.replaceChildren(...marks, ...texts);
  }

  /** The edges of hexes that they do not share, and their surface if they are to be shaded. */
  outline(hexes: number[][], colour: string, isShaded: boolean) {
    const around = hexes.map((hex) =>
      this.shape.corners.map(([x, y]) => [
        locate(this.shape, hex)[0] + x,
        locate(this.shape, hex)[1] + y,
      ]),
    );
    const edges = new Set(
      around.flatMap((corners) =>
        corners.map((corner, i) => `${corner} ${corners[(i + 1) % corners.length]}`),
      ),
    );
    const isOuter = (edge: string) => !edges.has(edge.split(" ").reverse().join(" "));
    const line = [...edges]
      .filter(isOuter)
      .map((edge) => `M${edge.replace(" ", "L")}`)
      .join("");
    const surface = makeSvg("path", {
      d: around.map((corners) => `M${corners.join("L")}z`).join(""),
      fill: colour,
      opacity: 0.25,
    });
    return [
      ...(isShaded ? [surface] : []),
      ...drawTwice(line, colour, { "stroke-linecap": "round" }),
    ];
  }

  /** A line from the second hex to the first, which ends beside what stands on it. */
  arrow(hexes: number[][], colour: string) {
    const [[x1, y1], [x0, y0]] = hexes.map((hex) => locate(this.shape, hex));
    const [dx, dy] = [x1 - x0, y1 - y0].map(
      (far) => (9 * far) / (Math.hypot(x1 - x0, y1 - y0) || 1),
    );
    const [x, y] = [x1 - dx, y1 - dy];
    const sides = [
      [dx - dy, dy + dx],
      [dx + dy, dy - dx],
    ].map(([wide, high]) => `M${x - wide} ${y - high}L${x} ${y}`);
    return drawTwice(`M${x0} ${y0}L${x} ${y}${sides.join("")}`, colour, {
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    });
  }

  ring(hex: number[], scale: number, colour: string, outer?: string) {
    return drawTwice(
      this.shape.outline,
      colour,
      { transform: `translate(${locate(this.shape, hex)}) scale(${scale})` },
      outer,
    );
  }

  /** Save what is shown, as SVG or as dots: the ending of the name decides. */
  async save(name: string) {
    const { borders, marks, places, signs } = this;
    const [{ x, y, width, height }, numbers] = [frameBoard(this, EDGE), makeNumbers(this, 1)];
    const box = {
      x: x - LEFT + EDGE,
      y: y - TOP + EDGE,
      width: width + LEFT - EDGE,
      height: height + TOP - EDGE,
    };
    const text = writeFile(box, [places.element, signs, borders, numbers, marks]);
    if (name.endsWith(".svg")) return save(name, text, "image/svg+xml");
    const most = Math.max(box.width, box.height);
    const dots = await rasterize(
      text,
      box,
      Math.min(MOST_DOTS / most, Math.max(2, LEAST_DOTS / most)),
    );
    return save(name, await writePng(dots), "image/png");
  }

  /** Show where keys change the board; null hides it. */
  point(place: number | null) {
    this.svg?.querySelector(".cursor")?.remove();
    if (place !== null)
      this.svg.append(
        makeSvg("g", { class: "cursor" }, this.ring(this.split(place), 1, "#d55e00", "#ffffff")),
      );
  }
}

/** Draw the text of an SVG file on a canvas. */
export async function rasterize(
  text: string,
  { width, height }: { width: number; height: number },
  zoom: number,
) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  const dots = make("canvas", [], {
    width: Math.round(width * zoom),
    height: Math.round(height * zoom),
  }) as HTMLCanvasElement;
  dots.getContext("2d")?.drawImage(image, 0, 0, dots.width, dots.height);
  return dots;
}

/** The drawing on a canvas as a file; throws an error if the browser has no room for it. */
export const writePng = (dots: HTMLCanvasElement): Promise<Blob> =>
  new Promise((resolve, reject) => {
    dots.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("the browser cannot draw the picture"))),
      "image/png",
    );
  });

/** A line of two colours, which stands out on any look. */
const drawTwice = (d: string, colour: string, more: Record<string, unknown>, outer = "#000000") =>
  [
    [outer, 6],
    [colour, 2.5],
  ].map(([stroke, width]) =>
    makeSvg("path", { d, fill: "none", stroke, "stroke-width": width, ...more }),
  );

/** The hexes of a part of a board. */
export const listHexes = ([top, left, bottom, right]: number[]) =>
  Array.from({ length: bottom - top + 1 }, (_, i) =>
    Array.from({ length: right - left + 1 }, (__, j) => [top + i, left + j]),
  ).flat();

/** A piece of SVG around 0,0 as a picture of its own, beside a text. */
export function frameTile(tile: string, { width, tall }: Shape) {
  const viewBox = `${-width / 2} ${-tall / 2} ${width} ${tall}`;
  const svg = makeSvg("svg", {
    width,
    height: tall,
    viewBox,
    "font-family": "sans-serif",
    "text-anchor": "middle",
    "aria-hidden": "true",
  });
  svg.innerHTML = tile;
  return svg;
}
