// @ts-check
// The second step of the sheet: a tap for each settlement, one quadrant at a time on a phone, the whole board elsewhere.
import { byId, make, makeButton, on } from "./dom.js";
import { frameTile, Picture, Thumbnail } from "./picture.js";
import { PLACES, SIDE } from "./sheet_game.js";

const WIDTH = 2 * SIDE;
// The width of a hex in pixels: on the whole board where there is room, and on a quadrant.
const [LARGEST, LEAST, LEAST_OF_PART] = [56, 28, 37];
const [BELOW, BELOW_FLAT] = [156, 88]; // pixels below the board
const FLAT = "(max-height: 30rem) and (min-width: 40rem)"; // a phone that lies on its side: texts stand beside the board
/** @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Place {
  /** @param {import("./sheet_game.js").SheetGame} game @param {() => void} change is called when settlements have changed */
  constructor(game, change) {
    this.game = game;
    this.change = change;
    this.player = 1;
    this.quadrant = 0;
    this.isWhole = false;
    this.cursor = [0, 0];
    /** What a stroke puts: a player, or 0 to take away; null if there is none. @type {number | null} */
    this.stroke = null;
    /** @type {Thumbnail[]} */
    this.thumbnails = [];
    /** @type {HTMLElement[]} */
    this.parts = [];
    this.shown = ""; // the board, and the part of it, that the picture shows
    this.mapped = ""; // the board for which the small map was made
    /** @type {HTMLElement} */
    this.board = byId("board");
    this.picture = new Picture(this.board, { hasNumbers: false });
    on("board", (event) => this.begin(event), "pointerdown");
    on("board", (event) => this.go(event), "pointermove");
    for (const kind of ["pointerup", "pointercancel"]) addEventListener(kind, () => { this.stroke = null; });
    on("board", (event) => { if (this.key(event)) event.preventDefault(); }, "keydown");
    this.board.addEventListener("blur", () => this.picture.point(null));
    on("undo", () => {
      this.game.undo();
      this.say("");
      this.show();
      this.change();
    });
    addEventListener("resize", () => this.show());
  }

  /** The place on the board of a place in the picture. @param {number} shown */
  locate(shown) {
    if (this.isWhole) return shown;
    const [row, column] = [Math.floor(shown / SIDE), shown % SIDE];
    return (row + SIDE * Math.floor(this.quadrant / 2)) * WIDTH + column + SIDE * (this.quadrant % 2);
  }

  /** Begin a stroke: it puts settlements of the player, or takes them away if it begins on one. @param {PointerEvent} event */
  begin(event) {
    const shown = this.picture.placeAt(event);
    if (shown === null || event.button !== 0) return;
    event.preventDefault(); // so that no text is selected and no picture dragged
    this.stroke = this.game.at(this.locate(shown)) === this.player ? 0 : this.player;
    this.build(this.locate(shown), this.stroke);
  }

  /** Begin with a hex what is undone as one; who loses a house by it is told. @param {number} place @param {number} player */
  build(place, player) {
    const old = this.game.at(place);
    this.game.remember();
    this.put(place, player);
    this.game.forgetIdle();
    if (old && player && this.game.at(place) === player && old !== player) this.say(`${this.game.name(old)}\u2019s house is now ${this.game.name(player)}\u2019s.`);
    this.showUndo();
  }

  /** Forget a game that is over. */
  reset() {
    this.player = 1;
    this.quadrant = 0;
  }

  showUndo() { byId("undo").toggleAttribute("disabled", !this.game.undone.length); }

  /** Go on with a stroke, which passes by what it cannot change. @param {PointerEvent} event */
  go(event) {
    if (this.stroke === null) return;
    for (const one of [...event.getCoalescedEvents?.() ?? [], event]) {
      const shown = this.picture.placeAt(one);
      if (shown === null) continue;
      const place = this.locate(shown);
      if (this.game.at(place) === this.stroke || (!this.stroke && this.game.at(place) !== this.player)) continue;
      this.put(place, this.stroke);
    }
  }

  /** @param {number} place @param {number} player */
  put(place, player) {
    const before = this.game.state.houses;
    this.say(this.game.put(place, player));
    if (this.game.state.houses === before) return;
    this.show();
    this.change();
  }

  /** Do what a key is for, and tell whether it is for anything. @param {KeyboardEvent} event */
  key({ key, ctrlKey, metaKey, altKey }) {
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      if (key === "z") byId("undo").click();
      return key === "z";
    }
    const side = this.isWhole ? WIDTH : SIDE;
    if (key in STEPS) this.cursor = this.cursor.map((at, i) => Math.max(0, Math.min(side - 1, at + STEPS[key][i])));
    else if (key === " " || key === "Enter") {
      const place = this.locate(this.cursor[0] * side + this.cursor[1]);
      this.build(place, this.game.at(place) === this.player ? 0 : this.player);
    } else return false;
    this.picture.point(this.cursor[0] * side + this.cursor[1]);
    return true;
  }

  /** @param {string} text */
  say(text) { byId("refused").textContent = text; }

  /** Begin with a board that may be another one. */
  open() {
    this.player = Math.min(this.player, this.game.state.names.length);
    this.board.setAttribute("aria-label", "board");
    this.say("");
    this.shown = "";
    this.show();
  }

  /** How many pixels wide a hex is if so many rows and columns are shown: all are in sight, unless they would be too small for a finger. @param {number} side */
  fit(side) {
    const { shape } = this.game.data;
    const wide = this.board.clientWidth / (side + .5);
    const isFlat = matchMedia(FLAT).matches;
    const room = innerHeight - this.board.getBoundingClientRect().top - scrollY - (isFlat ? BELOW_FLAT : BELOW);
    const high = room / ((side - 1) * shape.height + shape.tall) * shape.width;
    const least = side === SIDE && !isFlat ? Math.min(wide, LEAST_OF_PART) : 0;
    return Math.min(LARGEST, wide, Math.max(high, least));
  }

  show() {
    if (!this.board.offsetParent) return; // another step is shown
    this.isWhole = this.fit(WIDTH) >= LEAST;
    const { data, grounds, rows, titles } = this.game;
    const side = this.isWhole ? WIDTH : SIDE;
    const places = Array.from({ length: side * side }, (_, shown) => this.locate(shown));
    const key = JSON.stringify([this.isWhole, this.quadrant, grounds, innerWidth, innerHeight]);
    if (key !== this.shown) {
      this.shown = key;
      this.cursor = [0, 0];
      const named = Object.fromEntries(places.flatMap((place, shown) => (titles[place] ? [[shown, titles[place]]] : [])));
      this.picture.begin({ rows: side, columns: side, shape: data.shape, looks: data.looks, signs: data.signs, titles: named });
      this.picture.resize(this.fit(side));
    }
    const symbols = rows.flat();
    this.picture.draw(places.map((place) => data.numbers[symbols[place]]));
    this.showPlayers();
    this.showMap(symbols);
    this.showUndo();
  }

  /** A button for each player who may build, with the number of settlements on the board. */
  showPlayers() {
    const { game } = this;
    byId("who").replaceChildren(...game.state.names.map((_, at) => {
      const player = at + 1;
      const texts = make("span", [make("b", game.name(player)), make("small", `${game.count(player)} of ${game.data.most}`)]);
      return makeButton([drawPlayer(game.data, player), texts], () => {
        this.player = player;
        this.say("");
        this.showPlayers();
      }, { "aria-pressed": String(player === this.player), id: `who-${player}` });
    }));
    byId("hint").textContent = `Tap each hex where ${game.name(this.player)} has a house, or drag over several. Tap a house to remove it.${this.isWhole ? "" : " Use the small map to switch boards."}`;
  }

  /** The four quadrants, one of which is shown large. @param {string[]} symbols */
  showMap(symbols) {
    byId("map").hidden = this.isWhole;
    if (this.isWhole) return;
    const parts = PLACES.map((_, at) => ({ ...this.game.data, rows: SIDE, columns: SIDE, cells: this.list(symbols, at) }));
    if (this.mapped !== this.shown) {
      this.mapped = this.shown;
      this.thumbnails = parts.map((part) => new Thumbnail(part));
      this.parts = this.thumbnails.map(({ element }, at) => makeButton(element, () => {
        this.quadrant = at;
        this.say("");
        this.show();
        byId(`map-${at}`).focus();
      }, { "aria-label": PLACES[at], id: `map-${at}` }));
      byId("map").replaceChildren(...this.parts);
    }
    parts.forEach(({ cells }, at) => {
      this.thumbnails[at].show(cells);
      this.parts[at].setAttribute("aria-pressed", String(at === this.quadrant));
    });
  }

  /** The numbers of the looks of a quadrant. @param {string[]} symbols @param {number} at */
  list(symbols, at) {
    const [top, left] = [SIDE * Math.floor(at / 2), SIDE * (at % 2)];
    return Array.from({ length: SIDE * SIDE }, (_, shown) => this.game.data.numbers[symbols[(top + Math.floor(shown / SIDE)) * WIDTH + left + (shown % SIDE)]]);
  }
}

/** The house of a player as a picture. @param {import("./data.js").SheetData} data @param {number} player */
export const drawPlayer = (data, player) => frameTile(data.looks[data.numbers[player] - 1].tile, data.shape);
