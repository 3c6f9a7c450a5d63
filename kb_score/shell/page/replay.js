// Shows a replay: the pictures of all turns, each kept as its difference from the one before.
"use strict";

const MOST_DOTS = 8192;
const [LEFT, TOP] = [28, 18]; // Room for the numbers of rows and columns.
const byId = (id) => document.getElementById(id);

async function unpack() {
  const bytes = Uint8Array.from(atob(byId("data").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/* The state of the board at one turn, which goes on and back by differences. */
class Game {
  constructor(data) {
    this.data = data;
    this.cells = new Uint16Array(data.rows * data.columns); // 0 is no symbol, n is looks[n - 1]
    this.counts = new Array(data.looks.length + 1).fill(0);
    this.counts[0] = this.cells.length;
    this.tally = new Map();
    this.step = -1;
    this.undo = [];
    this.go(0);
  }

  get turn() { return this.data.first + this.step; }
  get steps() { return this.data.steps; }

  /* Go to a step; returns the places that have changed. */
  go(step) {
    const changed = new Set();
    while (this.step < step) this.on(changed);
    while (this.step > step) this.back(changed);
    return changed;
  }

  on(changed) {
    const [, changes, tally, points] = this.steps[++this.step];
    const known = this.undo[this.step];
    const cells = known ? null : [];
    let place = 0;
    for (let i = 0; i < changes.length; i += 2) {
      place += changes[i];
      if (!known) cells.push(place, this.cells[place]);
      this.set(place, changes[i + 1], changed);
    }
    const before = known ? null : [];
    for (const [label, value] of tally) {
      if (!known) before.push([label, this.tally.get(label)]);
      this.tally.set(label, value);
    }
    if (!known) this.undo[this.step] = [cells, before];
    this.mark(this.step - 1, changed);
    for (const point of points) changed.add(point);
  }

  back(changed) {
    const [cells, tally] = this.undo[this.step];
    this.mark(this.step, changed);
    for (let i = 0; i < cells.length; i += 2) this.set(cells[i], cells[i + 1], changed);
    for (const [label, value] of tally) {
      if (value === undefined) this.tally.delete(label);
      else this.tally.set(label, value);
    }
    this.mark(--this.step, changed);
  }

  mark(step, changed) {
    if (step >= 0) for (const point of this.steps[step][3]) changed.add(point);
  }

  set(place, symbol, changed) {
    this.counts[this.cells[place]]--;
    this.counts[symbol]++;
    this.cells[place] = symbol;
    changed.add(place);
  }

  get points() { return new Set(this.steps[this.step][3]); }
  symbolAt(place) { const n = this.cells[place]; return n ? this.data.looks[n - 1] : null; }
}

/* Draws places on the canvas: each look is a small picture that is drawn once for a size. */
class Board {
  constructor(game) {
    this.game = game;
    this.canvas = byId("canvas");
    this.pen = this.canvas.getContext("2d", { alpha: false });
    this.tiles = [];
  }

  async resize(wanted) {
    const { rows, columns, shape } = this.game.data;
    const [wide, high] = [columns * shape.width + (shape.hexes ? shape.width / 2 : 0), rows * shape.height + shape.edge];
    const ratio = window.devicePixelRatio || 1;
    const room = this.canvas.closest("section").clientWidth - LEFT - 4;
    const fits = Math.min(room / wide, 1.5, Math.max(0.1, (innerHeight * 0.75) / high));
    // A canvas cannot have any number of dots.
    const most = MOST_DOTS / (Math.max(wide, high) * ratio);
    const scale = Math.min(most, wanted ? wanted / shape.width : Math.max(fits, 3 / shape.width));
    // Whole dots, so that no place draws over the edge of another.
    const dots = Math.max(1, Math.floor(scale * ratio * shape.width)) / shape.width;
    [this.scale, this.dots, this.ratio] = [dots / ratio, dots, ratio];
    this.canvas.width = Math.ceil(wide * dots + LEFT * ratio);
    this.canvas.height = Math.ceil(high * dots + TOP * ratio);
    this.canvas.style.width = `${this.canvas.width / ratio}px`;
    this.canvas.style.height = `${this.canvas.height / ratio}px`;
    const tiles = await Promise.all(this.game.data.looks.map((look) => this.tile(look.tile)));
    if (dots !== this.dots) return; // Meanwhile another size was asked for.
    this.tiles = tiles;
    this.drawAll();
  }

  async tile(svg) {
    const { width, tall } = this.game.data.shape;
    const [w, h] = [Math.max(1, Math.ceil(width * this.dots)), Math.max(1, Math.ceil(tall * this.dots))];
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="${-width / 2} ${-tall / 2} ${width} ${tall}" font-family="sans-serif" text-anchor="middle">${svg}</svg>`;
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [w, h];
    canvas.getContext("2d").drawImage(image, 0, 0, w, h);
    return canvas;
  }

  corner(place) {
    const { columns, shape } = this.game.data;
    const [row, column] = [Math.floor(place / columns), place % columns];
    const shift = shape.hexes && row % 2 ? shape.width / 2 : 0;
    const [x, y] = [(column * shape.width + shift) * this.dots, row * shape.height * this.dots];
    return [x + LEFT * this.ratio, y + TOP * this.ratio];
  }

  drawAll() {
    this.pen.fillStyle = "#ffffff";
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    this.number();
    this.paint(this.game.cells.keys());
  }

  /* Number rows and columns, not all of them where they are narrow. */
  number() {
    const { rows, columns, shape } = this.game.data;
    const { pen, ratio, dots } = this;
    const every = (size, least) => [1, 2, 5, 10, 20, 50].find((n) => n * size * dots >= least * ratio) ?? 100;
    pen.fillStyle = "#595959";
    pen.font = `${11 * ratio}px sans-serif`;
    pen.textAlign = "center";
    for (let column = 0; column < columns; column += every(shape.width, 24)) {
      pen.fillText(column, this.corner(column)[0] + (shape.width / 2) * dots, (TOP - 5) * ratio);
    }
    pen.textAlign = "right";
    for (let row = 0; row < rows; row += every(shape.height, 14)) {
      const line = this.corner(row * columns)[1] + (shape.tall / 2) * dots + 4 * ratio;
      if (line < this.canvas.height) pen.fillText(row, (LEFT - 4) * ratio, line);
    }
  }

  /* Draw the places that have changed; all hexes, for the edge of one lies over that of others. */
  draw(changed) {
    if (this.game.data.shape.hexes) this.drawAll();
    else this.paint(changed);
  }

  paint(places) {
    const { shape } = this.game.data;
    const [w, h] = [shape.width * this.dots, shape.tall * this.dots];
    for (const place of places) {
      const [x, y] = this.corner(place);
      const symbol = this.game.cells[place];
      if (symbol) this.pen.drawImage(this.tiles[symbol - 1], Math.round(x), Math.round(y));
      else if (!shape.hexes) { this.pen.fillStyle = "#ffffff"; this.pen.fillRect(x, y, w, h); }
    }
    for (const place of this.game.points) {
      const [x, y] = this.corner(place);
      const unit = Math.max(1, this.dots);
      if (shape.hexes) this.ring(x + w / 2, y + h / 2);
      else for (const [colour, width] of [["#000000", 3 * unit], ["#ffffff", unit]]) {
        this.pen.strokeStyle = colour;
        this.pen.lineWidth = width;
        this.pen.strokeRect(x + 1.5 * unit, y + 1.5 * unit, w - 3 * unit, h - 3 * unit);
      }
    }
  }

  /* Draw a ring within the hex around a point. */
  ring(x, y) {
    const { pen } = this;
    pen.save();
    pen.translate(x, y);
    pen.scale(0.8 * this.dots, 0.8 * this.dots);
    for (const [colour, width] of [["#000000", 5], ["#ffffff", 2]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.stroke(new Path2D(this.game.data.shape.outline));
    }
    pen.restore();
  }

  placeAt(event) {
    const { rows, columns, shape } = this.game.data;
    const row = Math.floor((event.offsetY - TOP) / (shape.height * this.scale));
    const shift = shape.hexes && row % 2 ? shape.width / 2 : 0;
    const column = Math.floor(((event.offsetX - LEFT) / this.scale - shift) / shape.width);
    return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : null;
  }
}

class Page {
  constructor(game) {
    this.game = game;
    this.board = new Board(game);
    this.timer = null;
    this.slider = byId("slider");
    this.slider.min = game.data.first;
    this.slider.max = game.data.first + game.steps.length - 1;
    this.listLegend();
    this.listViolations();
    this.listen();
  }

  listLegend() {
    const { width, tall } = this.game.data.shape;
    this.legend = this.game.data.legend.map(({ name, tile, symbols, counted }) => {
      const item = document.createElement("li");
      item.innerHTML = `<svg aria-hidden="true" width="${width}" height="${tall}" viewBox="${-width / 2} ${-tall / 2} ${width} ${tall}" font-family="sans-serif" text-anchor="middle">${tile}</svg>`;
      const text = document.createElement("span");
      item.append(text);
      byId("legend").append(item);
      return [name, symbols, text, counted];
    });
  }

  listViolations() {
    const { violations } = this.game.data;
    const n = violations.length;
    byId("verdict").textContent = n === 0 ? "Consistent with the rules" : n === 1 ? "1 violation" : `${n} violations`;
    this.buttons = violations.slice(0, 1000).map(([turn, shown, text]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.dataset.turn = turn;
      button.addEventListener("click", () => this.goTo(shown));
      const item = document.createElement("li");
      item.append(button);
      byId("violations").append(item);
      return [shown, button];
    });
  }

  listen() {
    byId("first").addEventListener("click", () => this.goTo(-Infinity));
    byId("last").addEventListener("click", () => this.goTo(Infinity));
    byId("back").addEventListener("click", () => this.goTo(this.game.turn - 1));
    byId("on").addEventListener("click", () => this.goTo(this.game.turn + 1));
    byId("play").addEventListener("click", () => this.play(!this.timer));
    byId("speed").addEventListener("change", () => { if (this.timer) this.play(true); });
    byId("size").addEventListener("change", (event) => this.board.resize(Number(event.target.value)));
    byId("text").addEventListener("toggle", () => this.writeRows());
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)));
    addEventListener("resize", () => this.board.resize(Number(byId("size").value)));
    this.board.canvas.addEventListener("mousemove", (event) => this.tell(event));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const on = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || on.tagName === "SELECT") return;
    if (event.key.startsWith("Arrow") && on.matches(".scroll, pre") && on.scrollWidth > on.clientWidth) return; // They scroll it.
    if (event.key === " " && (on.tagName === "BUTTON" || on.tagName === "SUMMARY")) return;
    const turns = { ArrowLeft: this.game.turn - 1, ArrowRight: this.game.turn + 1, Home: -Infinity, End: Infinity };
    if (on === this.slider && event.key !== " ") return;
    if (event.key in turns) this.goTo(turns[event.key]);
    else if (event.key === " ") this.play(!this.timer);
    else return;
    event.preventDefault();
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      if (this.game.step === this.game.steps.length - 1) this.goTo(-Infinity);
      this.timer = setInterval(() => {
        this.goTo(this.game.turn + 1, true);
        if (this.game.step === this.game.steps.length - 1) this.play(false);
      }, 1000 / Number(byId("speed").value));
    }
    byId("play").textContent = on ? "pause" : "play";
    byId("caption").setAttribute("aria-live", on ? "off" : "polite");
  }

  goTo(turn, playing = false) {
    if (!playing && this.timer) this.play(false);
    const last = this.game.steps.length - 1;
    const changed = this.game.go(Math.max(0, Math.min(last, turn - this.game.data.first)));
    if (this.board.tiles.length) this.board.draw(changed);
    this.write();
  }

  write() {
    const { game } = this;
    const [caption] = game.steps[game.step];
    byId("caption").textContent = caption;
    this.slider.value = game.turn;
    this.slider.setAttribute("aria-valuetext", caption);
    byId("count").textContent = `${game.step + 1} of ${game.steps.length}`;
    for (const [name, symbols, text, counted] of this.legend) {
      const count = symbols.reduce((sum, symbol) => sum + game.counts[symbol], 0);
      text.textContent = counted ? `${name}: ${count}` : name;
    }
    byId("tallies").hidden = game.tally.size === 0;
    byId("tally").replaceChildren(...[...game.tally].map(([label, value]) => {
      const [row, term, says] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
      term.textContent = label;
      says.textContent = value;
      row.append(term, says);
      row.classList.toggle("wide", label.length + value.length > 14);
      return row;
    }));
    for (const [turn, button] of this.buttons) button.setAttribute("aria-current", String(turn === game.turn));
    if (byId("text").open) this.writeRows();
  }

  /* Write the board as text; hexes stand as in a board's file, every second row half a hex to the right. */
  writeRows() {
    const { rows, columns, looks, shape } = this.game.data;
    const wide = shape.hexes ? Math.max(...looks.map(({ symbol }) => symbol.length)) : 0;
    const lines = [];
    for (let row = 0; row < rows; row++) {
      const symbols = Array.from({ length: columns }, (_, column) => this.game.symbolAt(row * columns + column)?.symbol ?? " ");
      const shift = row % 2 ? " ".repeat((wide + 1) / 2) : "";
      lines.push(shape.hexes ? shift + symbols.map((symbol) => symbol.padEnd(wide)).join(" ").trimEnd() : symbols.join(""));
    }
    byId("rows").textContent = lines.join("\n");
  }

  tell(event) {
    const place = this.board.placeAt(event);
    const look = place === null ? null : this.game.symbolAt(place);
    const { columns } = this.game.data;
    byId("place").textContent = look ? `row ${Math.floor(place / columns)}, column ${place % columns}: ${look.name}` : "";
  }
}

unpack().then(async (data) => {
  const page = new Page(new Game(data));
  page.goTo(data.start);
  await page.board.resize(0);
  document.documentElement.dataset.ready = "yes";
  window.replay = page;
});
