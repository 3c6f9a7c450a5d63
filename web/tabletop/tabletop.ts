/* A table to play at: people and bots make turns, and the rules say what is legal and what comes of it. */

import type { Legal, Position } from "./rules.ts";
import type { TableData } from "../data.d.ts";
import type { Act } from "./view.tsx";
import type { Saved, Setup, Hex, Move } from "./game.ts";
import { boot } from "../kernel/boot.ts";
import { byId, copyText, on, save, sayError } from "../kernel/dom.ts";
import { Engine } from "../kernel/engine.ts";
import { pack, unpack } from "../kernel/link.ts";
import { choose, sample } from "./bots.ts";
import { addMove, Game, hyphen, sayTurn, writeActions } from "./game.ts";
import { Rules } from "./rules.ts";
import { Form } from "./setup.ts";
import { toPiece, View } from "./view.tsx";

const PREFIX = "#game=";
const NAMED = 5; // the number of best moves that are named
const SHOWING = 250; // milliseconds between the settlements of a bot
const WATCHING = 700; // milliseconds for each turn of a game that is watched

const sign = (gold: number) => (gold < 0 ? `\u2212${-gold}` : `+${gold}`);
const isSame = (a: Hex | null, b: Hex | null) => String(a) === String(b);
/** The tiles of a list that another one lacks, as often as it does. */
const without = (tiles: string[], others: string[]) =>
  others.reduce(
    (left, tile) => (left.includes(tile) ? left.toSpliced(left.indexOf(tile), 1) : left),
    tiles,
  );

export class Table {
  /** When the first legal hexes are shown. */
  first: number | undefined;
  data: TableData;
  rules: Rules;
  version = 0;
  /** The milliseconds that each turn of a bot has taken. */
  botTimes: number[] = [];
  /** What is going on. */
  task: Promise<unknown> | null = null;
  /** The game: none until `start`, before which nothing asks for it but `setup`. */
  game: Game;
  /** The position before this turn, which comes with the game. */
  position: Position;
  /** The position as this turn has changed it. */
  live: Position;
  /** What stands where. */
  seen: Map<string, string> = new Map();
  /** The legal moves, as soon as they are known. */
  legal: Legal | null = null;
  /** The position after this turn, if it may end. */
  closed: Position | null = null;
  /** The hex of the settlement that is to move. */
  from: Hex | null = null;
  chosen = "mandatory";
  isWatched = false;
  /** What the moves gain of which the last hint told. */
  gains: { gold: number; tiles: number }[] = [];
  key: string;
  view: View;
  form: Form;
  /** Whether the address holds the game. */
  isLinked = false;

  constructor(data: TableData, engine: Engine) {
    this.data = data;
    this.rules = new Rules(data, engine);
    this.game = undefined as any;
    this.position = undefined as any;
    this.live = this.position;
    this.key = `kb-score ${JSON.stringify([data.setup, data.changes])}`;
    const act: Act = {
      click: (hex) => this.click(hex),
      point: (hex) => this.run(() => this.explain(hex)),
      choose: (name) => this.choose(name),
      drop: () => this.take(null),
      drag: (from, to) => {
        this.take(from);
        this.click(to);
      },
      build: () => this.choose("mandatory"),
      undo: () => this.undo(),
      hint: () => this.run(() => this.hint()),
      end: () => this.run(() => this.endTurn()),
    };
    this.view = new View(data, act);
    this.form = new Form(
      data,
      (setup) => this.run(() => this.deal(setup)),
      () => this.game?.lines.length > 0 && !this.position.finished,
    );
    for (const [id, does] of Object.entries({
      build: act.build,
      undo: act.undo,
      hint: act.hint,
      "end-turn": act.end,
    }))
      on(id, does);
    on("watch", () => this.run(() => this.watch()));
    on("share", () => this.run(async () => this.view.tell(await this.view.shareCard(this))));
    on("link", () => this.copyLink());
    on("copy", () => this.copy(byId("record").textContent));
    on("save", () => save("game.txt", byId("record").textContent));
    addEventListener("hashchange", ({ newURL }) =>
      this.run(() => this.begin(new URL(newURL).hash)),
    ); // the address may have changed since
  }

  /** The game as it is kept, its cards, tiles and board, what may be clicked, and how long it took. */
  get state() {
    const {
      botTimes,
      first,
      gains,
      game,
      isWatched,
      legal,
      live: { held, lying },
      offers,
      view,
    } = this;
    return {
      ...game.save(),
      nomads: game.nomads,
      held,
      lying,
      legal: Boolean(legal),
      offers,
      gains,
      isWatched,
      picture: view.picture.state,
      times: { first, bots: botTimes },
    };
  }

  async reset() {
    await this.settled();
    localStorage.clear();
    byId("note").hidden = true;
    await this.run(() => this.deal(this.data.setup));
    await this.settled();
  }

  /** Do something that asks the rules; what goes wrong is told. */
  async run(act: () => Promise<unknown>) {
    this.task = act();
    await this.task.catch((error) =>
      this.view.tell(`The rules cannot continue: ${sayError(error)}`),
    );
  }

  /* Wait until all is shown that follows from what was done. */
  async settled() {
    let task: Promise<unknown> | null = null;
    while (task !== this.task) await (task = this.task)?.catch(() => {});
  }

  get now() {
    return this.game.now;
  }
  get turn() {
    return this.game.turn;
  }
  get kind() {
    return this.position.finished
      ? "over"
      : this.game.setup.players[Number(this.position.mover) - 1];
  }
  get isMine() {
    return this.kind === "human" && Boolean(this.legal);
  }
  show() {
    this.view.show(this);
  }
  // The facts of the turn for the rules: the position before it, and the tiles and cards that matter.
  get facts() {
    return `${this.game.facts} ${this.position.facts}`;
  }
  get cards() {
    return [...this.data.always, ...this.game.cards];
  }
  /** The tiles that a player whose turn it is has in a position. */
  heldIn({ held }: Position) {
    return held.filter(({ player }) => player === this.now?.player).map(({ tile }) => tile);
  }
  get held() {
    return this.heldIn(this.position);
  }
  get won() {
    return without(this.heldIn(this.live), this.held);
  } // in this turn, for the next one
  get tiles() {
    return [...this.held, ...this.turn.actions.map(({ name }) => name)];
  }

  /** Begin with the game that an address holds behind its #, or the one that was kept, or that of the page. */
  async begin(fragment: string) {
    byId("note").hidden = true;
    for (const text of [fragment, this.read() ?? ""].filter((one) => one.startsWith(PREFIX))) {
      const failed = await unpack(text.slice(PREFIX.length))
        .then((state) => this.open(state))
        .then(
          () => "",
          ({ message }) => message,
        );
      if (!failed) return;
      byId("note").textContent = `This game cannot be opened: ${failed}.`;
      byId("note").hidden = false;
    }
    await this.deal(this.data.setup);
  }

  async open(state: Saved) {
    this.form.check(state);
    const game = await this.make(state);
    game.take(state);
    await this.start(game);
  }

  /** Make a game that is dealt, and place its small sets where the rules let them be. */
  async make(setup: Setup) {
    const game = new Game(this.data, setup);
    for (const word of new Set(setup.queenies))
      game.place(word, ...(await this.rules.offers(game, word)));
    return game;
  }

  async deal(setup: Setup) {
    await this.start(await this.make(setup));
    await this.keep();
  }

  /** Begin a game, or go on with one; an error if the rules refuse what was done in it. */
  async start(game: Game) {
    const { now } = game;
    const position = await this.rules.after(
      [...this.data.always, ...game.cards],
      game.facts,
      game.lines,
    );
    const isWrong = now && (position.finished || now.player !== position.mover);
    const tiles = position.held.map(({ tile }) => tile);
    const refused =
      now?.actions.length &&
      (await this.rules.why({ facts: `${game.facts} ${position.facts}`, tiles }, now));
    const fault =
      position.fault ||
      (refused
        ? `${refused.code}, ${refused.detail}`
        : isWrong && "its last turn is another player's");
    if (fault) throw new Error(fault);
    this.game = game;
    this.chosen = "mandatory";
    this.view.begin(game);
    this.view.tell("");
    byId("copied").textContent = "";
    this.form.show(game.setup);
    await this.goOn(position);
  }

  /** Go on with a position between two turns, or in the midst of one. */
  async goOn(position: Position) {
    this.position = position;
    this.live = position;
    this.seen = position.seen;
    if (!position.finished && !this.now) this.game.open(Number(position.mover));
    await (["human", "over"].includes(this.kind) ? this.refresh() : this.letBotPlay());
  }

  /* Keep the game in the address, and for the next time that the page is opened, as far as the browser does. */
  async keep() {
    const saved = PREFIX + (await pack(this.game.save()));
    try {
      localStorage.setItem(this.key, saved);
    } catch {
      // such as where it is full or forbidden: the address has the game
    }
    try {
      history.replaceState(null, "", saved); // browsers limit how often this is allowed
    } catch {
      // such as in a frame: the browser has the game
    }
    this.isLinked = location.hash === saved;
  }

  async copyLink() {
    await this.keep();
    if (this.isLinked) await this.copy(location.href);
    else
      byId("copied").textContent =
        "This page has no address here that could be a link: save the record.";
  }

  read() {
    try {
      return localStorage.getItem(this.key);
    } catch {
      return null;
    }
  }
  async copy(text: string) {
    byId("copied").textContent = (await copyText(text))
      ? "Copied."
      : "Your browser does not allow that: copy the address of this page, or save the record.";
  }

  /* Show the turn as it is, what is legal next, and then what it is worth. */
  async refresh() {
    const version = (this.version += 1);
    this.legal = null;
    this.closed = null;
    this.from = null;
    this.show();
    if (this.position.finished) return;
    const legal = await this.rules.moves(this);
    if (version !== this.version) return;
    if (legal.further.length) this.chosen = this.turn.actions[this.turn.actions.length - 1].name;
    else if (!legal.moves.some(({ name }) => name === this.chosen)) this.chosen = "mandatory";
    this.legal = legal;
    this.seen = legal.seen;
    this.show();
    this.first ??= performance.now(); // for benchmarks
    await this.weigh(version);
  }

  /** Find out what the turn is worth, and whether it may end. */
  async weigh(version: number) {
    const { cards, facts, legal, position, turn: now } = this;
    this.position = position;
    const done =
      legal && !legal.needsCard && !legal.builds && (await this.rules.after(cards, facts, [now]));
    const closed = done && !done.fault ? done : null;
    const live =
      closed ??
      (now.actions.length ? await this.rules.after(cards, facts, [now], { open: true }) : position);
    if (version !== this.version) return;
    const { won } = this;
    this.live = live;
    this.closed = closed;
    const [got] = without(this.won, won);
    if (got) this.view.tell(`You won the ${hyphen(got)}! You can use it from your next turn.`);
    this.show();
  }

  /* Whether what is chosen goes on with the last action. */
  get isMore() {
    return Boolean(this.legal?.further.length) && this.chosen === this.now?.actions.at(-1)?.name;
  }

  /* The moves that a click may mean: of what is chosen, from the hex that was clicked before. */
  get offers() {
    const { chosen, from, isMine, legal } = this;
    if (!isMine || !legal) return [];
    const all = this.isMore
      ? legal.further
      : legal.moves.filter(({ name, to }) => name === chosen && to);
    return from ? all.filter((move) => isSame(move.from, from)) : all;
  }

  click(hex: Hex) {
    const move = this.offers.find(({ from, to }) => isSame(this.from ? to : (from ?? to), hex));
    if (move && (this.from || !move.from)) this.run(() => this.act(move, this.isMore));
    else if (move) this.take(hex);
    else if (this.from && isSame(this.from, hex)) this.take(null);
    else this.run(() => this.explain(hex));
  }

  /** Take the settlement on a hex, which is to move; null puts it back. */
  take(hex: Hex | null) {
    this.from = hex;
    this.show();
  }

  /** `isMore`: whether it goes on with the last action. */
  act(move: Move, isMore?: boolean) {
    this.game.add(move, isMore);
    this.chosen = "mandatory";
    return this.change();
  }

  /* Go on after the turn has changed. */
  async change() {
    this.view.tell("");
    await Promise.all([this.keep(), this.refresh()]);
  }

  /** Choose what the next click does; a tile without hexes is used at once. */
  choose(name: string) {
    const { isMine, legal } = this;
    if (!isMine || !legal) return;
    const move = legal.moves.find((one) => one.name === name);
    if (move && !move.to) {
      this.run(() => this.act(move));
      return;
    }
    if (!move && !(legal.further.length && name === this.now?.actions.at(-1)?.name)) {
      this.run(() => this.explainUse(name));
      return;
    }
    this.chosen = name;
    this.from = null;
    this.show();
    this.view.tell(this.view.describe(name));
  }

  undo() {
    if (this.from) this.take(null);
    else if (this.isMine && this.game.canUndo) {
      this.game.undo();
      this.run(() => this.change());
    }
  }

  async endTurn() {
    const { isMine, legal } = this;
    if (!isMine || !legal) return;
    if (legal.needsCard) {
      this.game.drawFurther();
      await this.change();
    } else if (this.closed) await this.close(this.closed);
    else if (this.offers.length)
      this.view.tell(
        legal.builds ? "First build on a dotted hex." : "First finish using the tile.",
      );
  }

  async close(position: Position) {
    const {
      turn,
      turn: { player },
      view,
    } = this;
    const before = this.position;
    const goldIn = ({ totals }: Position) => totals.get(player) ?? 0;
    const said = sayTurn(turn, goldIn(position) - goldIn(before), view.name(player));
    view.rest = [...view.rest, said].slice(1 - this.game.setup.players.length);
    view.tell("");
    this.game.close();
    this.chosen = "mandatory";
    await Promise.all([this.goOn(position), this.keep()]);
  }

  async letBotPlay() {
    const { cards, facts, game, kind, turn: now } = this;
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : SHOWING;
    const begin = performance.now();
    this.legal = null;
    this.version = this.version + 1;
    this.show();
    for (let goes = true; goes;) {
      const legal = await this.rules.moves(this);
      if (game !== this.game) return;
      this.seen = legal.seen;
      this.show();
      const found = await choose(this, kind, legal);
      if (game !== this.game) return;
      if (found) game.add(found.move, found.isMore);
      else if (legal.needsCard) game.drawFurther();
      else goes = false;
      if (goes && pause) await new Promise((done) => setTimeout(done, pause));
    }
    const position = await this.rules.after(cards, facts, [now]);
    if (game !== this.game) return;
    if (position.fault) throw new Error(`a bot has made an illegal turn, ${position.fault}`);
    this.botTimes.push(performance.now() - begin); // for benchmarks
    await this.close(position);
  }

  /* Show the game that is over turn by turn, or stop that. */
  async watch() {
    const { cards, game, view } = this;
    const version = (this.version += 1);
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : WATCHING;
    this.isWatched = !this.isWatched;
    byId("watch").textContent = this.isWatched ? "Stop" : "Watch the game";
    for (let turn = 0; this.isWatched && turn < game.lines.length; turn += 1) {
      const position = await this.rules.after(cards, game.facts, game.lines.slice(0, turn + 1));
      if (version !== this.version) return;
      view.showTurnOf(game, turn, position);
      if (pause) await new Promise((done) => setTimeout(done, pause));
      if (version !== this.version) return;
    }
    this.isWatched = false;
    byId("watch").textContent = "Watch the game";
    view.tell("");
    this.show();
  }

  /** Tell why a hex is not open to what is chosen, and which tiles lie there. */
  async explain(hex: Hex) {
    if (!this.isMine) return;
    const { chosen, data, from, isMore, live, turn: now, version } = this;
    const move = {
      name: chosen,
      from: data.tiles[chosen]?.[0] === "move" ? (from ?? hex) : null,
      to: hex,
    };
    const actions = addMove(now.actions, move, isMore);
    const refused = await this.rules.why(this, { ...now, actions });
    if (version !== this.version) return;
    const lies = live.lying.find((one) => isSame(one.hex, hex));
    const why = refused ? refused.detail.replace(`${hex} `, "it ") : "choose another settlement";
    const offer = lies ? ` Build beside it to win its tile: ${this.view.describe(lies.tile)}` : "";
    this.view.tell(
      `Not here: ${why}.${offer}`,
      refused
        ? { code: refused.code, move: writeActions(isMore ? actions.slice(-1) : addMove([], move)) }
        : {},
    );
  }

  /** Tell why a tile cannot be used, or why nothing can be built. */
  async explainUse(name: string) {
    const { turn: now, version } = this;
    if (this.won.includes(name) && !this.held.includes(name)) {
      this.view.tell(`You can use the ${hyphen(name)} from your next turn.`);
      return;
    }
    if (name === "mandatory") {
      this.view.tell("You cannot build with the card now.");
      return;
    }
    const refused = await this.rules.why(this, {
      ...now,
      actions: [...now.actions, { name, targets: [] }],
    });
    if (version !== this.version) return;
    this.view.tell(
      refused && !refused.detail.startsWith("hexes ")
        ? `${refused.detail}.`
        : `No hex is available right now. ${this.view.describe(name)}`,
    );
  }

  /* Mark what gains most at once, by the cards that pay at the end: hexes, or some of the moves that do. */
  async hint() {
    const { offers, rules, version } = this;
    if (!offers.length) return;
    const moves = sample(offers);
    const gains = await rules.worth(this, moves);
    if (version !== this.version) return;
    this.gains = gains;
    const most = Math.max(...gains.map(({ gold }) => gold));
    const best = moves.filter((_, i) => gains[i].gold === most);
    const some = best.slice(0, NAMED);
    const isMove = Boolean(best[0].from);
    this.view.mark((isMove ? some : best).map(({ from, to }) => toPiece({ from, to, gold: most })));
    const isAll = best.length === moves.length && best.length > 1;
    this.view.tell(
      isAll
        ? `All ${isMove ? "moves" : "dotted hexes"} gain the same: ${sign(most)} gold.`
        : `Best now: the ${isMove ? "moves with arrows" : best.length > 1 ? "ringed hexes" : "ringed hex"}, ${sign(most)} gold.`,
    );
  }
}

boot<TableData>(async (data, wasm) => {
  const table = new Table(data, new Engine(data, wasm));
  await table.run(() => table.begin(location.hash));
  await table.view.drawn;
  return table;
});
