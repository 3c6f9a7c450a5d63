/* The board: a palette, clicks, keys, undo and redo, and its text. */

import { byId, make } from "../../kb_score/shell/page/dom.js";
import { frameTile, Picture } from "../../kb_score/shell/page/player.js";
import { Hexes, parseBoard, writeBoard } from "./board.js";
import { Looks } from "./looks.js";

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const MOST_UNDONE = 1000;

export class BoardView {
  constructor(data, change) {
    Object.assign(this, { data, change, undone: [], done: [], cursor: [0, 0], looks: new Looks([], data.styles) });
    this.hexes = new Hexes(data.symbols, data.pairs);
    this.symbols = [...this.hexes.meanings.keys()];
    this.rows = this.check(data.board);
    const board = byId("board");
    this.picture = new Picture(board);
    this.draw(this.rows);
    this.makePalette();
    board.addEventListener("click", (event) => this.click(this.picture.placeAt(event)));
    board.addEventListener("keydown", (event) => this.key(event));
    board.addEventListener("focus", () => this.point());
    board.addEventListener("blur", () => this.picture.point(null));
    byId("undo").addEventListener("click", () => this.back(this.done, this.undone));
    byId("redo").addEventListener("click", () => this.back(this.undone, this.done));
    byId("read").addEventListener("click", () => this.read());
    byId("as-text").addEventListener("toggle", () => { byId("text").value = writeBoard(this.rows); });
    this.showHistory();
  }

  makePalette() {
    for (const symbol of this.symbols) {
      const input = make("input", "", { type: "radio", name: "symbol", value: symbol });
      input.checked = symbol === this.hexes.players[0];
      const name = make("span", symbol);
      byId("palette").append(make("label", [input, make("span", "", { class: "tile" }), name]));
    }
  }

  get chosen() { return document.querySelector("#palette input:checked").value; }

  /* Show what the rules draw; where they draw nothing, the board's own symbols stay. */
  show(atoms) {
    const looks = new Looks([atoms], this.data.styles);
    if (looks.key !== this.looks.key) this.looks = looks;
    const drawn = this.rows.map((row) => [...row]);
    for (const [row, column, symbol] of atoms["cell/3"] ?? []) {
      if (drawn[row]?.[column]) drawn[row][column] = String(symbol);
    }
    const isDrawn = this.draw(drawn);
    for (const label of byId("palette").querySelectorAll("label")) {
      const { value } = label.firstChild;
      label.children[1].replaceChildren(frameTile(this.lookOf(value).tile, this.data.styles.shape));
      label.lastChild.textContent = `${value} ${this.lookOf(value).name}`;
    }
    return isDrawn;
  }

  draw(symbols) {
    const { looks, picture } = this;
    const [rows, columns] = [symbols.length, symbols[0].length];
    const isNew = picture.looks !== looks.list || picture.rows !== rows || picture.columns !== columns;
    if (isNew) picture.begin({ rows, columns, shape: this.data.styles.shape, looks: looks.list });
    if (byId("at").textContent) this.point();
    return picture.draw(symbols.flat().map((symbol) => looks.number(symbol)));
  }

  /* How a hex looks, or a symbol of the palette. */
  lookOf(symbol) { return this.looks.find(symbol === "#" ? ".#" : symbol); }

  click(place) {
    if (place === null) return;
    this.cursor = this.picture.split(place);
    this.put(this.chosen);
  }

  /* Put a symbol where the cursor is. */
  put(symbol) {
    const [row, column] = this.cursor;
    const old = this.rows[row];
    const hex = this.hexes.put(symbol, old[column]);
    if (old[column] !== hex) this.become(this.rows.with(row, old.with(column, hex)));
    this.point();
  }

  become(rows) {
    this.done.push(this.rows);
    if (this.done.length > MOST_UNDONE) this.done.shift();
    this.undone.length = 0;
    this.take(rows);
  }

  /* Show a board, rows or a text, that cannot be undone. */
  take(board) {
    this.rows = typeof board === "string" ? this.check(board) : board;
    this.cursor = this.cursor.map((at, i) => Math.min(at, (i ? this.rows[0] : this.rows).length - 1));
    this.draw(this.rows);
    byId("text").value = writeBoard(this.rows);
    this.showHistory();
    this.change();
  }

  check(text) { return parseBoard(text, this.hexes, this.data.most); }

  back(from, to) {
    const rows = from.pop();
    if (!rows) return;
    to.push(this.rows);
    this.take(rows);
  }

  showHistory() {
    byId("undo").setAttribute("aria-disabled", String(!this.done.length));
    byId("redo").setAttribute("aria-disabled", String(!this.undone.length));
  }

  /* Read the board's text; what is wrong with it is told, with its place. */
  read() {
    const said = byId("text-error");
    try {
      const rows = this.check(byId("text").value);
      said.textContent = "";
      this.become(rows);
    } catch (error) {
      said.textContent = error.message;
      if (!error.line) return;
      const lines = byId("text").value.split("\n");
      const at = lines.slice(0, error.line - 1).join("\n").length + (error.line > 1) + error.column - 1;
      byId("text").focus();
      byId("text").setSelectionRange(at, at + 1);
    }
  }

  point() {
    const [row, column] = this.cursor;
    this.picture.point(document.activeElement === byId("board") ? row * this.rows[0].length + column : null);
    byId("at").textContent = `Row ${row}, column ${column}: ${this.lookOf(this.rows[row][column]).name}`;
  }

  key(event) {
    if (event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      const isRedo = event.key === "y" || (event.key.toLowerCase() === "z" && event.shiftKey);
      if (!isRedo && event.key !== "z") return;
      event.preventDefault();
      this.back(...(isRedo ? [this.undone, this.done] : [this.done, this.undone]));
      return;
    }
    const symbol = { " ": this.chosen, Enter: this.chosen, Delete: ".", Backspace: "." }[event.key] ?? event.key.toUpperCase();
    if (event.key in STEPS) {
      const sizes = [this.rows.length, this.rows[0].length];
      this.cursor = this.cursor.map((at, i) => Math.max(0, Math.min(sizes[i] - 1, at + STEPS[event.key][i])));
      this.point();
    } else if (this.symbols.includes(symbol)) {
      this.put(symbol);
    } else {
      return;
    }
    event.preventDefault();
  }
}
