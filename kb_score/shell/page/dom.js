// The few things that every page does with the document.

export const byId = (id) => document.getElementById(id);

export const setAll = (made, attributes) => {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

export function make(tag, content = [], attributes = {}) {
  const made = setAll(document.createElement(tag), attributes);
  made.append(...[content].flat());
  return made;
}

export function makeSvg(tag, attributes = {}, content = []) {
  const made = setAll(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes);
  made.append(...[content].flat());
  return made;
}

/* A cell at the head of a column or a row. */
export const makeHead = (content, scope = "col", more = {}) => make("th", content, { scope, ...more });

export function makeButton(content, click) {
  const button = make("button", content, { type: "button" });
  button.addEventListener("click", click);
  return button;
}

/* A ring of two colours around a place of a board, which stands out on any look. */
export function makeRing(outline, attributes, [outer, inner] = ["#000000", "#ffffff"]) {
  return [[outer, 6], [inner, 2.5]].map(([stroke, width]) =>
    makeSvg("path", { d: outline, fill: "none", stroke, "stroke-width": width, ...attributes }));
}

// Groups that pay have rings of different colours within.
const RINGS = ["#ffffff", "#f0e442", "#56b4e9", "#e69f00", "#cc79a7", "#009e73"];

/* Rings and gold on the hexes that pay, as `draw --card` has them; a piece is its gold and its hexes,
   and `at` says where a hex lies. */
export function makeMarks(pieces, outline, at) {
  const paid = new Map();
  let groups = 0;
  for (const [gold, hexes] of pieces) {
    const colour = RINGS[hexes.length > 1 ? groups++ % RINGS.length : 0];
    for (const hex of hexes) {
      const { sum = 0 } = paid.get(String(hex)) ?? {};
      paid.set(String(hex), { hex, colour, sum: sum + gold });
    }
  }
  return [...paid.values()].filter(({ hex }) => at(hex)).flatMap(({ hex, colour, sum }) => {
    const ring = makeRing(outline, { transform: `${at(hex)} scale(.86)`, "data-hex": hex }, ["#000000", colour]);
    const font = { y: 4.5, transform: at(hex), "font-size": 12, "font-weight": "bold", "text-anchor": "middle" };
    const halo = { stroke: "#ffffff", "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" };
    return Number.isFinite(sum) ? [...ring, makeSvg("text", { ...font, ...halo }, String(sum))] : ring;
  });
}

/* Have the browser save a text as a file. */
export function save(name, text, type = "text/plain") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  make("a", "", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Unpack base64 as bytes; a plain loop, for there may be millions. */
export function toBytes(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/* The data that the page was made with. */
export function readData() {
  const stream = new Blob([toBytes(byId("data").textContent.trim())]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/* A figure that tells more when one points at it, moves to it or clicks on it. */
export function makeFigure(gold, label, show) {
  const button = make("button", String(gold), { type: "button", tabindex: -1, "aria-label": label });
  for (const kind of ["focus", "mouseenter", "click"]) button.addEventListener(kind, show);
  return button;
}

/* Arrow keys lead from figure to figure of a table, Home and End to the first and the last of a row. */
export function followKeys(table) {
  table.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell || event.ctrlKey || event.altKey || event.metaKey) return;
    const line = cell.parentNode;
    const lines = [...table.querySelectorAll("tbody tr, tfoot tr")];
    const at = lines.indexOf(line);
    const next = {
      ArrowLeft: cell.previousElementSibling,
      ArrowRight: cell.nextElementSibling,
      ArrowUp: lines[at - 1]?.children[cell.cellIndex],
      ArrowDown: lines[at + 1]?.children[cell.cellIndex],
      Home: line.querySelector("td:has(button)"),
      End: line.lastElementChild,
    };
    if (!(event.key in next)) return;
    event.preventDefault();
    const button = next[event.key]?.querySelector("button");
    if (!button) return;
    event.target.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  });
}
