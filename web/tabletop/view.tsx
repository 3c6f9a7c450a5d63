/* What is shown of a table: the board with its hexes, whose turn it is, buttons, players, gold and turns. */

import type { Piece } from "../kernel/picture.ts";
import type { TableData } from "../data.d.ts";
import type { Table } from "./tabletop.ts";
import type { Game, Hex, Turn, Move } from "./game.ts";
import type { Legal, Position } from "./rules.ts";
import {
  browserWays,
  byId,
  groupBy,
  list,
  make,
  makeButton,
  makeHead,
  makeSvg,
  on,
  setAll,
} from "../kernel/dom.ts";
import { type Card, Gold, mountGold } from "../parts/gold.tsx";
import { frameTile, Picture } from "../kernel/picture.ts";
import { drawCard, drawDots } from "../kernel/card.ts";
import { shareFile } from "../kernel/share.ts";
import { readScores, sayWinners } from "../parts/scores.ts";
import { hyphen, title, writeTurn } from "./game.ts";

const LARGE = 30; // the width in pixels of a hex that a finger can hit
const MOST_TURNS = 20; // the most turns that are listed
/** The state of the hexes: the choice, the hex that was clicked before, and the moves that a click may mean. */
export type Shown = {
  chosen: string;
  from: Hex | null;
  game: Game;
  live: Position;
  offers: Move[];
  seen: Map<string, string>;
};

/** The actions of the buttons and the hexes. */
export type Act = {
  click: (hex: Hex) => void;
  point: (hex: Hex) => void;
  choose: (name: string) => void;
  drop: () => void;
  drag: (from: Hex, to: Hex) => void;
  build: () => void;
  undo: () => void;
  hint: () => void;
  end: () => void;
};

const STEPS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const POINTING = 150; // milliseconds that a pointer rests on a hex before the rules are asked about it

const disable = (element: Element, isOff: boolean) =>
  element.setAttribute("aria-disabled", String(isOff));
const isOpen = (element: Element) => element.getAttribute("aria-disabled") === "false";
const countTiles = (tiles: string[]): [string, number][] =>
  [...groupBy(tiles, (tile) => tile)].map(([tile, all]) => [tile, all.length]);
/** A move as a piece that is marked: where it leads to, and where from if a settlement moves. */
export const toPiece = ({
  from,
  to,
  ...more
}: {
  from: Hex | null;
  to: Hex | null;
  gold?: number;
  isPast?: boolean;
}) => ({ hexes: [to, from].flatMap((hex) => (hex ? [hex] : [])), arrow: Boolean(from), ...more });
const places = ({ actions }: Turn) =>
  actions.flatMap(({ targets }) =>
    targets.map(([from, to]) => toPiece({ from, to, isPast: true })),
  );

export class View {
  data: TableData;
  act: Act;
  /** What others have done since the last turn, in words. */
  rest: string[] = [];
  /** What is marked where nothing else is: the turns since that of the same player. */
  last: Piece[] = [];
  names: string[] | undefined;
  /** Whether the page is on a phone. */
  isNarrow: boolean;
  /** An element for each hex. */
  hexes: SVGElement[] = [];
  signs: any;
  /** The hex from which a settlement is dragged. */
  dragged: Hex | null = null;
  /** The position whose gold is shown. */
  live: Position | null = null;
  numbers: Map<string, number>;
  picture: Picture;
  gold: Gold;
  drawn: void | Promise<void> | undefined;
  pointing: number | undefined;

  constructor(data: TableData, act: Act) {
    this.data = data;
    this.act = act;
    this.signs = makeSvg("g", { class: "labels", "aria-hidden": "true" });
    this.numbers = new Map(data.symbols.map((symbol, i) => [symbol, data.cells[i]]));
    this.picture = new Picture(byId("field"));
    const head = ({ name, text }: Card) => (
      <>
        {text ? <b>{title(name)}</b> : title(name)}
        {text && <span class="dim">{text}</span>}
      </>
    );
    const mark = (pieces: Piece[]) => this.mark(pieces);
    this.gold = new Gold(this.picture, mountGold(), { head, mark });
    on("zoom", () => this.zoom());
    this.isNarrow = matchMedia("(max-width: 48rem)").matches;
    this.listen(byId("field"));
  }

  /** Tell something, or else what others have done, and the move that is refused, with its code. */
  tell(text: string, { code = "", move = "" } = {}) {
    byId("told").textContent = text || this.rest.join(" ");
    Object.assign(byId("told").dataset, { code, move });
  }

  /** A turn in words: "Player 2, canyon: 3 houses, paddock". */
  sayTurn({ player, cards, actions }: Turn) {
    const built = actions
      .filter(({ name }) => name === "mandatory")
      .flatMap(({ targets }) => targets).length;
    const tiles = actions
      .filter(({ name }) => name !== "mandatory")
      .map(({ name }) => hyphen(name));
    const houses = built === 1 ? "1 house" : `${built} houses`;
    return `${this.name(player)}, ${hyphen(cards.join(", then "))}: ${[houses, ...tiles].join(", ")}`;
  }

  /** What a player is called. */
  name(player: number | undefined) {
    return this.names?.[Number(player) - 1] || `Player ${player}`;
  }

  /** Say what a tile is good for. */
  describe(name: string) {
    return this.data.tiles[name] ? `${title(name)}: ${this.data.tiles[name][1]}.` : "";
  }

  /** Begin with the board of a game, each hex of which is an element. */
  begin({ rows, titles, setup: { names } }: Game) {
    const { picture } = this;
    this.rest = [];
    this.names = names;
    picture.begin({ ...this.data, rows: rows.length, columns: rows[0].length, titles });
    if (this.isNarrow) this.zoom(true);
    this.hexes = rows.flat().map((_, place) => {
      const [row, column] = picture.split(place);
      return makeSvg("path", {
        class: "hex",
        d: picture.shape.outline,
        transform: this.at(place),
        role: "button",
        tabindex: place ? "-1" : "0",
        "data-row": row,
        "data-column": column,
        "aria-disabled": "true",
      });
    });
    const { width, tall: height } = picture.shape;
    // Open hexes are filled with a dot, which stands out on any land.
    const [x, y] = [-width / 2, -height / 2];
    const open = makeSvg(
      "pattern",
      {
        id: "open",
        x,
        y,
        width,
        height,
        viewBox: [x, y, width, height].join(" "),
        patternUnits: "userSpaceOnUse",
      },
      [makeSvg("rect", { x, y, width, height }), makeSvg("circle", { r: 3.5 })],
    );
    for (const name of ["role", "aria-label"]) picture.svg.removeAttribute(name); // its hexes have their own

    picture.svg.append(
      open,
      makeSvg("g", { role: "group", "aria-label": "board" }, this.hexes),
      this.signs,
      picture.marks,
    );
  }

  at(place: number) {
    return `translate(${this.picture.middle(place)})`;
  }
  hexAt([row, column]: number[]) {
    return this.hexes[row * this.picture.columns + column];
  }
  /** The sign of a tile, if it has one. */
  sign(name: string) {
    return this.data.signs[name] ? frameTile(this.data.signs[name], this.data.shape) : "";
  }
  tile(symbol: string) {
    return this.data.looks[(this.numbers.get(symbol) ?? 1) - 1].tile;
  }
  icon(symbol: string) {
    return frameTile(this.tile(symbol), this.data.shape);
  }

  /** Mark hexes; without any, those of the turns since that of the same player. */
  mark(pieces: Piece[]) {
    this.picture.mark(pieces.length ? pieces : this.last);
  }

  show(table: Table) {
    const { game, kind, live, now, position } = table;
    Object.assign(document.body.dataset, {
      state: ["human", "over"].includes(kind) ? kind : "bot",
      player: position.mover ?? "",
    });
    this.last = [...game.lines.slice(1 - game.setup.players.length), ...(now ? [now] : [])].flatMap(
      places,
    );
    if (position.finished && this.isNarrow && this.picture.wanted) this.zoom(false);
    this.showTurn(table, kind, now);
    this.showBoard(table);
    this.showButtons(table, kind, now);
    this.showPlayers(game, live, position.finished ? position.winners : [position.mover]);
    byId("record").textContent = game.write(
      this.data,
      position.finished ? game.setup.players.map((_, i) => position.totals.get(i + 1) ?? 0) : null,
    );
    byId("turns").start = Math.max(0, game.lines.length - MOST_TURNS) + 1;
    list(
      "turns",
      game.lines.slice(-MOST_TURNS).map((line) => {
        const said = make("span", this.sayTurn(line), { title: writeTurn(line) });
        said.addEventListener("mouseenter", () => this.mark(places(line)));
        said.addEventListener("mouseleave", () => this.mark([]));
        return said;
      }),
    );
    byId("turns").scrollTop = byId("turns").scrollHeight;
    byId("gold-heading").textContent = position.finished ? "Gold" : "Gold so far";
    for (const id of ["again", "watch", "share"]) byId(id).hidden = !position.finished;
    if (live !== this.live) this.showGold(game, live);
    this.live = live;
  }

  showTurn(
    { chosen, closed, from, legal, position: { mover, totals, winners } }: Table,
    kind: string,
    now: Turn | null,
  ) {
    const uses =
      chosen === "mandatory"
        ? ""
        : `${hyphen(chosen)}: choose ${this.data.tiles[chosen][0] !== "move" ? "a hex" : from ? "where it goes" : "the settlement to move"}`;
    const does =
      kind !== "human"
        ? `the computer (${kind}) moves`
        : !legal
          ? ""
          : legal.needsCard
            ? "no hex is free: use a tile, or draw a card"
            : uses
              ? uses
              : legal.builds
                ? `build on a dotted hex (${legal.placed?.join(" of ")})`
                : legal.further.length
                  ? `go on${closed ? ", or end the turn" : ""}`
                  : legal.moves.length
                    ? "use a tile, or end the turn"
                    : "end the turn";
    const won =
      kind === "over"
        ? sayWinners(
            winners.map((player) => this.name(player)),
            totals.get(winners[0]),
          )
        : "";
    if (!now) byId("turn").textContent = `The game is over. ${won}`;
    else
      byId("turn").replaceChildren(
        this.icon(this.data.land.find(([, terrain]) => terrain === now.cards.at(-1))?.[0] ?? ""),
        ` ${this.name(mover)}, ${hyphen(now.cards.join(", then "))}${does && ": "}${does}`,
      );
  }

  showBoard({ chosen, from, game: { queenies, rows }, live, offers, seen }: Shown) {
    const { data, picture } = this;
    const pieces = queenies.flatMap(({ kind, hexes }) =>
      hexes.map((hex) => [hex, kind] as [Hex, string]),
    );
    const lying: Map<string, string> = new Map();
    for (const { tile, hex, number } of live.lying)
      lying.set(String(hex), `${number} ${hyphen(tile)}`);
    for (const [hex, kind] of pieces) lying.set(String(hex), kind);
    const open = new Set(offers.map((move) => String(from ? move.to : (move.from ?? move.to))));
    const movable = new Set(offers.map((move) => String(move.from)));
    const cells = rows.flat().map((symbol, place) => {
      const [row, column] = picture.split(place);
      const at = `${row},${column}`;
      const what = seen.get(at) ?? "";
      const number = this.numbers.get(symbol + what) ?? this.numbers.get(`.${what}`) ?? 0;
      const says = [
        data.looks[number - 1]?.name,
        lying.get(at),
        open.has(at) && `open to ${chosen === "mandatory" ? "build" : hyphen(chosen)}`,
      ];
      disable(this.hexes[place], !open.has(at));
      this.hexes[place].classList.toggle("from", String(from) === at);
      this.hexes[place].classList.toggle("movable", movable.has(at));
      this.hexes[place].setAttribute(
        "aria-label",
        `row ${row}, column ${column}: ${says.filter(Boolean).join(", ")}`,
      );
      return number;
    });
    const write = (text: string, x: number, y: number, [row, column]: Hex) =>
      makeSvg("text", { x, y, transform: this.at(row * picture.columns + column) }, text);
    this.signs.replaceChildren(
      ...live.lying.flatMap(({ tile, hex, number }) => [
        write(hyphen(tile).replace("donation-", "").slice(0, 9), 0, 14, hex),
        write(number > 1 ? String(number) : "", 10, -4, hex),
      ]),
      ...pieces.map(([hex, kind]) => write(kind, 0, 14, hex)),
    );
    this.mark([]);
    this.drawn = picture.draw(cells);
    picture.folder.classList.toggle("open", open.size > 0);
    this.seek();
  }

  /** Show the board after a turn of a game that is over. */
  showTurnOf(game: Game, turn: number, position: Position) {
    this.showBoard({
      chosen: "mandatory",
      from: null,
      game,
      live: position,
      offers: [],
      seen: position.seen,
    });
    this.mark(places(game.lines[turn]));
    this.tell(`Turn ${turn + 1} of ${game.lines.length}. ${this.sayTurn(game.lines[turn])}.`);
  }

  /** Send the picture of the result, or save it; says what has been done. */
  async shareCard({ game, position: { totals, winners } }: Table) {
    const { cards = [], gold = {}, players = [] } = this.gold.scores ?? {};
    const names = players.map((player) => this.name(player));
    const total = players.map((player) => totals.get(player) ?? 0);
    const scores = {
      players,
      names,
      winners: winners.map((player) => this.name(player)),
      total,
      cards,
      gold,
    };
    const { data } = this;
    const board = {
      ...data,
      rows: this.picture.rows,
      columns: this.picture.columns,
      titles: this.picture.titles,
      cells: this.picture.cells,
    };
    const houses = players.map((player) => this.tile(`.${player}`));
    const card = drawCard(board, houses, [game.cards.map(title).join(", ")], scores);
    const said = byId("turn").textContent;
    return shareFile(() => drawDots(card), "kingdom-builder.png", said, browserWays());
  }

  showButtons(
    { chosen, closed, from, game, held, isMine, legal, offers, won }: Table,
    kind: string,
    now: Turn | null,
  ) {
    const moves = isMine && legal ? legal.moves : [];
    const going = isMine && legal?.further.length ? now?.actions.at(-1)?.name : null;
    const may = (name: string) => name === going || moves.some((move) => move.name === name);
    const set = (button: HTMLElement, name: string) =>
      setAll(button, { "aria-disabled": !may(name), "aria-pressed": may(name) && chosen === name });
    set(byId("build"), "mandatory");
    // A click builds, unless a tile is chosen.
    byId("build").hidden = !(isMine && chosen !== "mandatory");
    // After a tile is chosen by keyboard, the focus moves to the first hex that it leads to.
    const use =
      (name: string): ((event: UIEvent) => void) =>
      ({ detail }) => {
        this.act.choose(name);
        if (!detail) this.hexes.find(isOpen)?.focus();
      };
    const known: Map<string, number> = new Map();
    for (const { name } of moves) if (name !== "mandatory") known.set(name, 1);
    for (const name of kind === "human" ? won : []) known.set(name, 0);
    for (const [name, many] of kind === "human" ? countTiles(held) : []) known.set(name, many);
    const focused = (document.activeElement as HTMLElement)?.dataset.tile;
    const later = (name: string, many: number) =>
      countTiles(won)
        .filter(([tile]) => tile === name)
        .map(([, more]) => `, ${many ? `${more} more ` : ""}next turn`)
        .join("");
    byId("tiles").replaceChildren(
      ...[...known]
        .sort()
        .map(([name, many]) =>
          set(
            makeButton(
              [
                this.sign(name),
                `${hyphen(name)}${many > 1 ? ` \u00D7 ${many}` : ""}${later(name, many)}`,
              ],
              use(name),
              { "data-tile": name, title: this.describe(name) },
            ),
            name,
          ),
        ),
    );
    if (focused)
      (byId("tiles").querySelector(`[data-tile="${focused}"]`) ?? byId("end-turn")).focus();
    disable(byId("undo"), !(isMine && (from || game.canUndo)));
    disable(byId("hint"), !offers.length);
    disable(byId("end-turn"), !(isMine && (closed || legal?.needsCard)));
    byId("end-turn").textContent = legal?.needsCard ? "Draw a card" : "End turn";
  }

  showPlayers(
    { setup: { players } }: Game,
    { totals, left, held }: Position,
    current: (number | undefined)[],
  ) {
    const heads = ["player", "gold", "to build", "tiles"].map((head) => makeHead(head));
    const lines: HTMLElement[] = players.map((kind, i) => {
      const player = i + 1;
      const said = countTiles(held.filter((one) => one.player === player).map(({ tile }) => tile))
        .map(([tile, many]) => (many > 1 ? `${many} ` : "") + hyphen(tile))
        .join(", ");
      const figures = [totals.get(player), left.get(player), said].map((figure) =>
        make("td", String(figure ?? "")),
      );
      return make(
        "tr",
        [
          makeHead(
            [
              this.icon(`.${player}`),
              ` ${this.names?.[i] || player} ${kind !== "human" ? `(${kind})` : this.names?.[i] ? "" : kind}`,
            ],
            "row",
          ),
          ...figures,
        ],
        current.includes(player) ? { "aria-current": "true" } : {},
      );
    });
    byId("players").replaceChildren(make("thead", make("tr", heads)), make("tbody", lines));
  }

  showGold({ cards, setup: { players } }: Game, { rows }: Position) {
    const deeds = (rows["deed/2"] ?? []).map(([name, text]) => [name, 0, text]);
    const paid = new Set(
      (rows["gold/4"] ?? []).filter(([, , , points]) => points).map(([card]) => card),
    );
    const shown = [
      ...(rows["card/3"] ?? []).filter(([name, number]) => !number || cards.includes(name)),
      ...deeds.filter(([name]) => cards.includes(name) || paid.has(name)),
    ];
    const named = Object.fromEntries(
      (this.names ?? []).flatMap((name, i) => (name ? [[i + 1, name]] : [])),
    );
    this.gold.fill(
      readScores(
        { ...rows, "card/3": shown, "player/1": players.map((_, i) => [i + 1]) },
        new Set(cards),
        named,
      ),
    );
  }

  /** Make the hexes large enough for a finger, or the board small enough for the window. */
  zoom(isLarge = !this.picture.wanted) {
    setAll(byId("zoom"), { "aria-pressed": isLarge });
    this.drawn = this.picture.resize(isLarge ? LARGE : 0);
  }

  /** Scroll the board to where one may go, if no such hex is in sight. */
  private seek() {
    const field = byId("field").closest(".scroll");
    const open = this.picture.wanted ? this.hexes.filter(isOpen) : [];
    if (!open.length) return;
    const room = field.getBoundingClientRect();
    const middles = open.map((hex) => {
      const { x, y, width, height } = hex.getBoundingClientRect();
      return [x + width / 2 - room.x, y + height / 2 - room.y];
    });
    const isSeen = ([x, y]: number[]) => x > 0 && y > 0 && x < room.width && y < room.height;
    if (middles.some(isSeen)) return;
    field.scrollLeft += middles[0][0] - room.width / 2;
    field.scrollTop += middles[0][1] - room.height / 2;
  }

  listen(field: HTMLElement) {
    const { act } = this;
    const listen = (kind: string, answer: (hex: Hex, event: any) => void) =>
      field.addEventListener(kind, (event: any) => {
        const { classList, dataset } = event.target;
        if (classList?.contains("hex"))
          answer([Number(dataset.row), Number(dataset.column)], event);
      });
    const point = (hex: Hex) => {
      if (!isOpen(this.hexAt(hex))) act.point(hex);
      else if (byId("told").dataset.code) this.tell("");
    };
    // No question is asked about the hex under the pointer: it has a settlement now.
    listen("click", (hex) => {
      clearTimeout(this.pointing);
      act.click(hex);
    });
    // A settlement that moves may be dragged, too.
    listen("pointerdown", (hex) => {
      this.dragged = this.hexAt(hex).classList.contains("movable") ? hex : null;
    });
    field.addEventListener("pointerup", (event) => {
      const from = this.dragged;
      const place = from ? this.picture.placeAt(event) : null;
      if (from && place !== null && String(this.picture.split(place)) !== String(from))
        act.drag(from, this.picture.split(place));
      this.dragged = null;
    });
    for (const kind of ["pointerover", "focusin"]) {
      on(
        "tiles",
        ({
          target: {
            dataset: { tile },
          },
        }) => {
          if (tile) this.tell(this.describe(tile));
        },
        kind,
      );
    }
    listen("pointerover", (hex, { pointerType }) => {
      clearTimeout(this.pointing);
      if (pointerType === "mouse") this.pointing = setTimeout(() => point(hex), POINTING);
    });
    listen("focusin", (hex, { target }) => {
      field.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
      target.setAttribute("tabindex", "0");
      point(hex);
    });
    listen("keydown", (hex, event) => {
      if (!event.altKey && !event.ctrlKey && !event.metaKey && this.key(event.key, hex))
        event.preventDefault();
    });
  }

  /** Do what a key is for, and tell whether it is for anything. */
  key(key: string, hex: Hex) {
    const { click, drop, end, hint, undo } = this.act;
    const here = this.hexes.indexOf(this.hexAt(hex));
    const next = STEPS[key]?.map((by, i) => hex[i] + by);
    const [before, after] = [this.hexes.slice(0, here), this.hexes.slice(here + 1)].map((some) =>
      some.filter(isOpen),
    );
    const act = next
      ? () => {
          if (this.picture.has(next)) this.hexAt(next).focus();
        }
      : {
          Enter: () => click(hex),
          " ": () => click(hex),
          Escape: drop,
          u: undo,
          h: hint,
          e: end,
          n: () => [...after, ...before][0]?.focus(),
          b: () => [...after, ...before].at(-1)?.focus(),
        }[key.length > 1 ? key : key.toLowerCase()];
    act?.();
    return Boolean(act);
  }
}
