/* The board: a palette, clicks, keys, undo and redo, and its text. */

import type { BoardData } from "../data.d.ts";
import type { Rows } from "../mirror/terms.ts";
import type { Board } from "../mirror/board.ts";
import { byId, make, on } from "../kernel/dom.ts";
import { frameTile, Picture } from "../kernel/picture.ts";
import { Hexes, parseBoard, ReadError, writeBoard } from "../mirror/board.ts";
import { Looks } from "../mirror/looks.ts";

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const MOST_UNDONE = 1000;

/** Where a pointer has been since the last event; not every browser tells, and no event that a script makes. */
const listMoves = (event: PointerEvent) => [...(event.getCoalescedEvents?.() ?? []), event];

export class BoardView {
  data: BoardData;
  change: () => void;
  hover: (place: number | null) => void;
  undone: Board[] = [];
  done: Board[] = [];
  cursor: number[];
  /** The board before a stroke that goes on. */
  stroke: Board | null = null;
  isDown = false;
  /** Whether most hexes have changed. */
  isOther = false;
  looks: Looks;
  hexes: Hexes;
  symbols: string[];
  rows: Board;
  picture: Picture;
  drawn: Promise<void> | undefined;

  /** `change` is called when the board has changed. `hover` is called with a place that a click would change. */
  constructor(data: BoardData, change: () => void, hover: (place: number | null) => void) {
    this.data = data;
    this.change = change;
    this.hover = hover;
    this.cursor = [0, 0];
    this.looks = new Looks([], data.styles);
    this.hexes = new Hexes(data.symbols, data.pairs);
    this.symbols = [...this.hexes.meanings.keys()];
    this.rows = this.check(data.board);
    const board = byId("board");
    this.picture = new Picture(board);
    byId("palette").append(
      ...this.symbols.map((symbol) => {
        const input = make("input", "", { type: "radio", name: "symbol", value: symbol });
        input.checked = symbol === this.hexes.players[0];
        return make("label", [input, make("span", "", { class: "tile" })]);
      }),
    );
    if (!data.answer) this.drawn = this.draw(this.rows);
    on("board", (event) => this.pointerdown(event), "pointerdown");
    on("board", (event) => this.pointermove(event), "pointermove");
    on("board", () => this.pointerleave(), "pointerleave");
    on("board", (event) => this.click(event));
    addEventListener("pointerup", () => {
      this.isDown = false;
    });
    on(
      "board",
      (event) => {
        if (this.key(event)) event.preventDefault();
      },
      "keydown",
    );
    board.addEventListener("focus", () => this.point());
    board.addEventListener("blur", () => {
      this.picture.point(null);
      this.hover(null);
    });
    on("undo", () => this.back(this.done, this.undone));
    on("redo", () => this.back(this.undone, this.done));
    on("clear", () => this.become(this.rows.map((row) => row.map(() => "."))));
    on("larger", () => this.zoom(1.25));
    on("smaller", () => this.zoom(0.8));
    on("read", () => this.read());
    on("resize", () =>
      this.resize(Number(byId("row-count").value), Number(byId("column-count").value)),
    );
    on("as-text", () => this.tell(), "toggle");
    this.showHistory();
  }

  /** Forget what was done to the board, and how. */
  reset() {
    for (const steps of [this.done, this.undone]) steps.length = 0;
    (
      document.querySelector(`#palette [value='${this.hexes.players[0]}']`) as HTMLInputElement
    ).checked = true;
    byId("fill").checked = false;
    if (this.picture.wanted) this.picture.resize(0);
    this.cursor = [0, 0];
  }

  get chosen() {
    return (document.querySelector("#palette input:checked") as HTMLInputElement).value;
  }

  /** A drag paints, but that of a finger moves what is shown: a tap is a click. */
  pointerdown(event: PointerEvent) {
    this.isDown = event.button === 0 && event.pointerType !== "touch";
    this.stroke = null;
    if (this.isDown) this.click(event);
  }

  pointermove(event: PointerEvent) {
    if (!this.isDown)
      this.hover(event.pointerType === "touch" ? null : this.picture.placeAt(event));
    else if (!byId("fill").checked) listMoves(event).forEach((one) => this.click(one));
  }

  pointerleave() {
    this.hover(null);
  }

  click(event: MouseEvent) {
    const place = this.picture.placeAt(event);
    if (place === null) return;
    this.cursor = this.picture.split(place);
    this.put(this.chosen);
  }

  zoom(by: number) {
    this.picture.resize(Math.min(96, this.picture.pixels * by));
  }

  /** Show the picture that the rules draw; if they draw nothing, the board's own symbols stay. */
  show(atoms: Rows) {
    const looks = new Looks([atoms], this.data.styles);
    if (looks.key !== this.looks.key) this.looks = looks;
    const drawn = this.rows.map((row) => [...row]);
    for (const [row, column, symbol] of atoms["cell/3"] ?? []) {
      if (drawn[row]?.[column]) drawn[row][column] = String(symbol);
    }
    for (const label of byId("palette").querySelectorAll("label")) {
      const symbol = label.firstChild.value;
      const { name, tile } = this.looks.find(symbol === "#" ? ".#" : symbol);
      label.lastChild.replaceChildren(frameTile(tile, this.data.styles.shape));
      label.title = `${symbol} ${name}`;
      label.firstChild.setAttribute("aria-label", label.title);
    }
    return this.draw(drawn);
  }

  draw(symbols: Board) {
    const {
      looks,
      picture,
      data: {
        styles: { shape },
      },
    } = this;
    const [rows, columns] = [symbols.length, symbols[0].length];
    const isNew =
      picture.looks !== looks.list || picture.rows !== rows || picture.columns !== columns;
    if (isNew) picture.begin({ rows, columns, shape, looks: looks.list });
    const drawn = picture.draw(symbols.flat().map((symbol) => looks.number(symbol)));
    if (byId("at").textContent) this.point();
    return drawn;
  }

  /** Put a symbol where the cursor is, or on the whole area of hexes of the same kind if areas are filled. */
  put(symbol: string) {
    const rows = this.with(symbol);
    if (rows) this.become(rows, this.isDown ? this.stroke : null);
    this.point();
  }

  /** The rows with a symbol at a place; nothing if they would be the same. */
  with(symbol: string, [row, column] = this.cursor) {
    const old = this.rows[row][column];
    const put = this.hexes.put(symbol, old);
    if (put === old) return null;
    const rows = this.rows.map((line) => [...line]);
    const found = [[row, column]];
    rows[row][column] = put;
    for (let hex = found.pop(); byId("fill").checked && hex; hex = found.pop()) {
      for (const [r, c] of this.around(hex)) {
        if (rows[r][c] !== old) continue;
        rows[r][c] = put;
        found.push([r, c]);
      }
    }
    return rows;
  }

  around([row, column]: number[]) {
    const west = column + (row % 2) - 1;
    const all = [
      [row, column - 1],
      [row, column + 1],
      [row - 1, west],
      [row - 1, west + 1],
      [row + 1, west],
      [row + 1, west + 1],
    ];
    return all.filter((hex) => this.picture.has(hex));
  }

  /** Take a board, which can be undone; what a stroke has painted is undone as one. */
  become(rows: Board, stroke: Board | null = null) {
    if (!stroke || stroke !== this.done.at(-1)) this.done.push(this.rows);
    if (this.done.length > MOST_UNDONE) this.done.shift();
    this.undone.length = 0;
    this.take(rows, this.done.at(-1));
  }

  /** Show a board, rows or a text, that cannot be undone; with a text, nothing is compared. */
  take(board: Board | string, stroke: Board | null = null) {
    this.stroke = stroke;
    const [old, rows] = [
      this.rows.flat(),
      typeof board === "string" ? this.check(board, true) : board,
    ];
    // If most hexes have changed there is nothing to compare.
    this.isOther =
      typeof board === "string" ||
      rows.flat().length !== old.length ||
      rows.flat().filter((hex, i) => hex !== old[i]).length > old.length / 2;
    this.rows = rows;
    this.cursor = this.cursor.map((at, i) =>
      Math.min(at, (i ? this.rows[0] : this.rows).length - 1),
    );
    this.draw(this.rows);
    this.tell();
    this.showHistory();
    this.change();
  }

  /* Write the board where its text and its size stand. */
  tell() {
    byId("text").value = writeBoard(this.rows);
    [byId("row-count").value, byId("column-count").value] = [this.rows.length, this.rows[0].length];
  }

  /** Cut the board, or put empty hexes at its south and its east. `sizes`: rows and columns. */
  resize(...sizes: number[]) {
    const [rows, columns] = sizes.map((size) =>
      Math.max(2, Math.min(this.data.most, size - (size % 2) || 2)),
    );
    this.become(
      Array.from({ length: rows }, (_, r) =>
        Array.from({ length: columns }, (__, c) => this.rows[r]?.[c] ?? "."),
      ),
    );
  }

  check(text: string, allowsOdd = false) {
    return parseBoard(text, this.hexes, this.data.most, allowsOdd);
  }

  back(from: Board[], to: Board[]) {
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
      if (!(error instanceof ReadError)) throw error;
      byId("text-error").textContent = error.message;
      const { line: number, column } = error;
      if (!number || !column) return;
      const before: string[] = text.value.split("\n").slice(0, number - 1);
      const at = before.reduce((sum, line) => sum + line.length + 1, column - 1);
      text.focus();
      text.setSelectionRange(at, at + 1);
    }
  }

  point() {
    const [row, column] = this.cursor;
    this.picture.point(
      document.activeElement === this.picture.folder ? row * this.rows[0].length + column : null,
    );
    // The picture may still show an answer about the board before.
    byId("at").textContent =
      `row ${row}, column ${column}: ${this.looks.find(this.rows[row][column]).name}`;
  }

  /** Do what a key is for, and tell whether it is for anything. */
  key({ key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent) {
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      const isRedo = key === "y" || (key.toLowerCase() === "z" && shiftKey);
      if (!isRedo && key !== "z") return false;
      if (isRedo) this.back(this.undone, this.done);
      else this.back(this.done, this.undone);
      return true;
    }
    if (key in STEPS) {
      const sizes = [this.rows.length, this.rows[0].length];
      this.cursor = this.cursor.map((at, i) =>
        Math.max(0, Math.min(sizes[i] - 1, at + STEPS[key][i])),
      );
      this.point();
      this.hover(this.cursor[0] * sizes[1] + this.cursor[1]);
      return true;
    }
    const symbols: Record<string, string> = {
      " ": this.chosen,
      Enter: this.chosen,
      Delete: ".",
      Backspace: ".",
    };
    const symbol = symbols[key] ?? key.toUpperCase();
    if (this.symbols.includes(symbol)) this.put(symbol);
    return this.symbols.includes(symbol);
  }
}
