/* The board: a palette, clicks, keys, undo and redo, and its text. */

import { byId, make, on } from "../../kb_score/shell/page/dom.js";
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
    byId("palette").append(...this.symbols.map((symbol) => {
      const input = make("input", "", { type: "radio", name: "symbol", value: symbol });
      input.checked = symbol === this.hexes.players[0];
      return make("label", [input, make("span", "", { class: "tile" }), make("span", symbol)]);
    }));
    board.addEventListener("click", (event) => this.click(this.picture.placeAt(event)));
    board.addEventListener("keydown", (event) => { if (this.key(event)) event.preventDefault(); });
    board.addEventListener("focus", () => this.point());
    board.addEventListener("blur", () => this.picture.point(null));
    on("undo", () => this.back(this.done, this.undone));
    on("redo", () => this.back(this.undone, this.done));
    on("read", () => this.read());
    on("as-text", () => { byId("text").value = writeBoard(this.rows); }, "toggle");
    this.showHistory();
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
    for (const label of byId("palette").querySelectorAll("label")) {
      const symbol = label.firstChild.value;
      const { name, tile } = this.looks.find(symbol === "#" ? ".#" : symbol);
      label.children[1].replaceChildren(frameTile(tile, this.data.styles.shape));
      label.lastChild.textContent = `${symbol} ${name}`;
    }
    return this.draw(drawn);
  }

  draw(symbols) {
    const { looks, picture, data: { styles: { shape } } } = this;
    const [rows, columns] = [symbols.length, symbols[0].length];
    const isNew = picture.looks !== looks.list || picture.rows !== rows || picture.columns !== columns;
    if (isNew) picture.begin({ rows, columns, shape, looks: looks.list });
    const drawn = picture.draw(symbols.flat().map((symbol) => looks.number(symbol)));
    if (byId("at").textContent) this.point();
    return drawn;
  }

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
    const text = byId("text");
    byId("text-error").textContent = "";
    try {
      this.become(this.check(text.value));
    } catch (error) {
      byId("text-error").textContent = error.message;
      if (!error.line) return;
      const at = text.value.split("\n").slice(0, error.line - 1).reduce((sum, line) => sum + line.length + 1, error.column - 1);
      text.focus();
      text.setSelectionRange(at, at + 1);
    }
  }

  point() {
    const [row, column] = this.cursor;
    this.picture.point(document.activeElement === this.picture.folder ? row * this.rows[0].length + column : null);
    // The picture may still be that of an answer about the board before.
    byId("at").textContent = `row ${row}, column ${column}: ${this.looks.find(this.rows[row][column]).name}`;
  }

  /* Do what a key is for, and tell whether it is for anything. */
  key({ key, altKey, ctrlKey, metaKey, shiftKey }) {
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      const isRedo = key === "y" || (key.toLowerCase() === "z" && shiftKey);
      if (!isRedo && key !== "z") return false;
      this.back(...(isRedo ? [this.undone, this.done] : [this.done, this.undone]));
      return true;
    }
    if (key in STEPS) {
      const sizes = [this.rows.length, this.rows[0].length];
      this.cursor = this.cursor.map((at, i) => Math.max(0, Math.min(sizes[i] - 1, at + STEPS[key][i])));
      this.point();
      return true;
    }
    const symbol = { " ": this.chosen, Enter: this.chosen, Delete: ".", Backspace: "." }[key] ?? key.toUpperCase();
    if (this.symbols.includes(symbol)) this.put(symbol);
    return this.symbols.includes(symbol);
  }
}
