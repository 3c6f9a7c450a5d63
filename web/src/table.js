/* A table to play at: the board, the turn, the gold so far and the record. What is shown, the rules say. */

import { byId, list, make, makeButton, makeHead, makeSvg, on, readData, save } from "../../kb_score/shell/page/dom.js";
import { Gold } from "../../kb_score/shell/page/gold.js";
import { frameTile, Picture } from "../../kb_score/shell/page/player.js";
import { fillTable } from "../../kb_score/shell/page/tables.js";
import { Engine } from "./engine.js";
import { pack, unpack } from "./link.js";
import { readScores } from "./scores.js";
import { choose, sample, value } from "./table_bots.js";
import { addTarget, Game, writeTurn } from "./table_game.js";
import { Rules, settle } from "./table_rules.js";
import { Setup } from "./table_setup.js";

const PREFIX = "#game=";
const POINTING = 150; // milliseconds that a pointer rests on a hex before the rules are asked about it
const SHOWING = 250; // milliseconds between the settlements of a bot
const MOST_TURNS = 12; // that are listed
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const hyphen = (name) => name.replaceAll("_", "-");
const disable = (element, isOff) => element.setAttribute("aria-disabled", String(isOff));
const isOff = (element) => element.getAttribute("aria-disabled") === "true";
const isSame = (a, b) => String(a) === String(b);

/* What the browser keeps for this page; it may keep nothing. */
const kept = {
  read(key) { try { return localStorage.getItem(key); } catch { return null; } },
  write(key, text) { try { localStorage.setItem(key, text); } catch { /* the link has it */ } },
};

class Table {
  constructor(data, engine) {
    Object.assign(this, { data, rules: new Rules(data, engine), version: 0, key: `kb-score ${JSON.stringify([data.setup, data.changes])}` });
    this.numbers = new Map(data.looks.map(({ symbol }, i) => [symbol, i + 1]));
    this.picture = new Picture(byId("field"));
    this.gold = new Gold({ mark: (pieces) => this.picture.mark(pieces.length ? pieces : this.last), folder: byId("field") });
    this.setup = new Setup(data, (setup) => this.run(() => this.deal(setup)));
    on("build", () => this.select("mandatory"));
    on("undo", () => this.undo());
    on("hint", () => this.run(() => this.hint()));
    on("end-turn", () => this.run(() => this.endTurn()));
    on("link", () => this.copy(location.href));
    on("copy", () => this.copy(byId("record").textContent));
    on("save", () => save("game.txt", byId("record").textContent));
    addEventListener("hashchange", () => { if (location.hash !== this.saved) this.run(() => this.begin()); });
    this.listen(byId("field"));
  }

  /* Do something that asks the rules; what goes wrong is told. */
  async run(act) {
    const task = act();
    this.task = task;
    await task.catch((error) => this.tell(`The rules cannot go on: ${error.message}`));
  }

  /* Wait until everything is shown that follows from what was done. */
  async settled() {
    for (let task = null; task !== this.task;) {
      task = this.task;
      await task?.catch(() => {});
    }
  }

  get now() { return this.game.now; }
  get kind() { return this.position.finished ? "over" : this.game.setup.players[this.position.mover - 1]; }
  get isMine() { return this.kind === "human" && Boolean(this.legal); }
  // What the rules are told of the turn: the board, the position before, and the tiles and cards that matter.
  get board() { return this.game.facts; }
  get facts() { return `${this.board} ${this.position.facts}`; }
  get cards() { return [...this.data.always, ...this.game.cards]; }
  get held() { return this.position.held.filter(({ player }) => player === this.now?.player).map(({ tile }) => tile); }
  get tiles() { return [...this.held, ...this.now.actions.map(({ name }) => name)]; }

  // ------------------------------------------------------------------------------ games

  /* Begin with the game of the address, or the one that was kept, or that of the page. */
  async begin() {
    for (const text of [location.hash, kept.read(this.key)].filter((one) => one?.startsWith(PREFIX))) {
      const failed = await this.open(text).then(() => "", ({ message }) => message);
      byId("note").textContent = failed && `The link cannot be opened: ${failed}.`;
      byId("note").hidden = !failed;
      if (!failed) return;
    }
    await this.deal(this.data.setup);
  }

  async open(text) {
    const state = this.setup.check(await unpack(text.slice(PREFIX.length)));
    const game = new Game(this.data, state);
    game.take(state);
    await this.start(game);
  }

  async deal(setup) {
    await this.start(new Game(this.data, setup));
    this.keep();
  }

  /* Begin a game, or go on with one; an error if the rules refuse what was done in it. */
  async start(game) {
    const cards = [...this.data.always, ...game.cards];
    const position = await this.rules.after({ cards }, game.facts, game.lines);
    const { now } = game;
    if (position.fault) throw new Error(position.fault);
    if (now && (position.finished || now.player !== position.mover)) throw new Error("its last turn is not by the rules");
    const tiles = position.held.filter(({ player }) => player === now?.player).map(({ tile }) => tile);
    const refused = now?.actions.length && await this.rules.why({ facts: `${game.facts} ${position.facts}`, tiles, cards }, now);
    if (refused) throw new Error(`${refused.code}, ${refused.detail}`);
    Object.assign(this, { game, version: this.version + 1, chosen: "mandatory" });
    this.picture.begin({ ...this.data, rows: game.rows.length, columns: game.rows[0].length, titles: {} });
    this.makeHexes();
    this.setup.show(game.setup);
    await this.goOn(position);
  }

  /* Go on with a position between two turns, or in the midst of one. */
  async goOn(position) {
    const { game } = this;
    Object.assign(this, { position, live: position, legal: null, closed: null, from: null });
    this.last = (game.lines.at(-1)?.actions ?? []).flatMap(({ targets }) => targets.flat().filter(Boolean)).map((hex) => ({ hexes: [hex] }));
    if (!position.finished && !game.now) game.open(position.mover);
    if (["human", "over"].includes(this.kind)) await this.refresh();
    else await this.letBotPlay();
  }

  // ------------------------------------------------------------------------------- turns

  /* Show the turn as it is, what is legal next, and then what it is worth. */
  async refresh() {
    const version = (this.version += 1);
    Object.assign(this, { legal: null, closed: null, from: null });
    this.show();
    if (this.position.finished) return;
    const legal = await this.rules.moves(this);
    if (version !== this.version) return;
    if (legal.further.length) this.chosen = this.now.actions.at(-1).name;
    else if (!legal.moves.some(({ name }) => name === this.chosen)) this.chosen = "mandatory";
    this.legal = legal;
    this.show();
    await this.weigh(version);
  }

  /* Find out what the turn is worth, and whether it may end. */
  async weigh(version) {
    const { legal, now } = this;
    const isDone = !legal.needsCard && !legal.moves.some(({ name }) => name === "mandatory");
    let live = isDone ? await this.rules.after(this, this.facts, [now]) : null;
    const closed = live && !live.fault ? live : null;
    if (!closed) live = now.actions.length ? await this.rules.after(this, this.facts, [now], true) : this.position;
    if (version !== this.version) return;
    Object.assign(this, { live, closed });
    this.show();
  }

  /* The moves that a click may mean: of what is chosen, from the hex that was clicked before. */
  get offers() {
    const { chosen, from, legal } = this;
    if (!this.isMine) return [];
    const isMore = legal.further.length > 0 && chosen === this.now.actions.at(-1)?.name;
    const all = isMore ? legal.further : legal.moves.filter(({ name, to }) => name === chosen && to);
    return all.map((move) => ({ ...move, isMore })).filter((move) => !from || isSame(move.from, from));
  }

  click(hex) {
    const move = this.offers.find(({ from, to }) => isSame(this.from ? to : from ?? to, hex));
    if (move && (this.from || !move.from)) this.run(() => this.act(move));
    else if (move) this.take(hex);
    else if (this.from && isSame(this.from, hex)) this.take(null);
    else this.run(() => this.explain(hex));
  }

  /* Take the settlement on a hex, which is to move; null puts it back. */
  take(hex) {
    this.from = hex;
    this.show();
  }

  async act(move) {
    this.game.add(move, move.isMore);
    this.keep();
    this.tell("");
    await this.refresh();
  }

  /* Choose what the next click does; a tile without hexes is used at once. */
  select(name) {
    if (!this.isMine) return;
    const moves = this.legal.moves.filter((move) => move.name === name);
    if (moves[0] && !moves[0].to) { this.run(() => this.act(moves[0])); return; }
    Object.assign(this, { chosen: name, from: null });
    this.show();
    if (this.offers.length) this.tell(this.data.tiles[name]?.[1] ?? "");
    else this.run(() => this.explainUse(name));
  }

  undo() {
    if (this.from) { this.take(null); return; }
    if (!this.isMine || !this.game.canUndo) return;
    this.game.undo();
    this.keep();
    this.tell("");
    this.run(() => this.refresh());
  }

  async endTurn() {
    if (!this.isMine) return;
    this.tell("");
    if (this.legal.needsCard) {
      this.game.drawFurther();
      this.keep();
      await this.refresh();
    } else if (this.closed) {
      await this.close(this.closed);
    } else {
      this.tell("The turn is not over: build, or go on with the tile.");
    }
  }

  async close(position) {
    this.game.close();
    this.chosen = "mandatory";
    const going = this.goOn(position);
    this.keep();
    await going;
  }

  async letBotPlay() {
    const { game, now } = this;
    const isGone = () => game !== this.game;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.version += 1;
    for (let goes = true; goes;) {
      this.show();
      const legal = await this.rules.moves(this);
      if (isGone()) return;
      const found = await choose(this, this.kind, legal);
      if (isGone()) return;
      if (found) game.add(found.move, found.isMore);
      else if (legal.needsCard) game.drawFurther();
      else goes = false;
      if (goes && !calm) await new Promise((done) => setTimeout(done, SHOWING));
    }
    const position = await this.rules.after(this, this.facts, [now]);
    if (isGone()) return;
    if (position.fault) throw new Error(`a bot has made an illegal turn, ${position.fault}`);
    await this.close(position);
  }

  // ----------------------------------------------------------------------- what is told

  tell(text, more = {}) {
    const told = byId("told");
    told.textContent = text;
    for (const key of ["code", "move"]) delete told.dataset[key];
    Object.assign(told.dataset, more);
  }

  /* Tell why a hex is not open to what is chosen. */
  async explain(hex) {
    const { chosen, from, now, version } = this;
    if (!this.isMine) return;
    const isMove = this.data.tiles[chosen]?.[0] === "move";
    const isMore = this.legal.further.length > 0 && chosen === now.actions.at(-1)?.name;
    const move = { name: chosen, from: isMove ? from ?? hex : null, to: hex };
    const refused = await this.rules.why(this, { ...now, actions: addTarget(now.actions, move, isMore) });
    if (version !== this.version) return;
    const said = writeTurn({ ...now, actions: addTarget([], move) }).replace(/^.*?: /, "");
    this.tell(`${hex}: ${refused ? refused.detail.replace(`${hex} `, "it ") : "another settlement has to be chosen"}`, refused ? { code: refused.code, move: said } : {});
  }

  /* Tell why a tile cannot be used, or why nothing can be built. */
  async explainUse(name) {
    const { now, version } = this;
    if (name === "mandatory") { this.tell("Nothing more is to be built in this turn."); return; }
    const refused = await this.rules.why(this, { ...now, actions: [...now.actions, { name, targets: [] }] });
    if (version !== this.version) return;
    const isLacking = !refused || refused.code === "too-few" && refused.detail.startsWith("hexes ");
    this.tell(isLacking ? `No hex is right for the ${hyphen(name)} now: ${this.data.tiles[name][1]}.` : `${refused.detail}.`);
  }

  /* Mark the hexes that gain most. */
  async hint() {
    const { offers, version } = this;
    if (!offers.length) { this.tell("Nothing is to be built: use a tile, or end the turn."); return; }
    const moves = sample(offers);
    const { before, values } = await value(this, moves, { isMore: offers[0].isMore });
    if (version !== this.version) return;
    const gain = Math.max(...values) - before;
    const best = moves.filter((_, i) => values[i] - before === gain);
    this.picture.mark(best.map(({ to }) => ({ hexes: [to], gold: gain })));
    const where = `${best.slice(0, 5).map(({ to }) => to).join(" ")}${best.length > 5 ? " and others" : ""}`;
    this.tell(best.length === moves.length ? `All hexes gain ${gain} gold by the cards.` : `Most is gained on ${where}: ${gain} gold.`);
  }

  async copy(text) {
    const isDone = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    byId("copied").textContent = isDone ? "copied" : "the browser does not let it be copied";
  }

  /* Keep the game in the address, and for the next time that the page is opened. */
  async keep() {
    const text = PREFIX + await pack(this.game.save());
    this.saved = text;
    history.replaceState(null, "", text);
    kept.write(this.key, text);
  }

  // ------------------------------------------------------------------------- what is shown

  makeHexes() {
    const { game: { rows }, picture } = this;
    const outline = picture.shape.outline;
    this.hexes = rows.flatMap((row, r) => [...row].map((_, c) => makeSvg("path", {
      class: "hex", d: outline, role: "button", tabindex: "-1", "data-row": r, "data-column": c, "aria-disabled": "true",
      transform: `translate(${picture.middle(r * row.length + c)})`,
    })));
    this.signs = makeSvg("g", { class: "signs" });
    picture.svg.removeAttribute("aria-hidden");
    for (const part of [picture.numbers, picture.marks, this.signs]) part.setAttribute("aria-hidden", "true");
    picture.canvas.setAttribute("aria-hidden", "true");
    picture.svg.append(this.signs, makeSvg("g", {}, this.hexes));
    this.hexes[0].setAttribute("tabindex", "0");
    // Places whose middles are as near as those of two in a row touch each other.
    const middles = this.hexes.map((_, place) => picture.middle(place));
    this.neighbours = new Map(middles.map(([x, y], place) => [String(picture.split(place)), middles.flatMap(([x1, y1], other) => (
      other !== place && Math.hypot(x - x1, y - y1) < 1.1 * picture.shape.width ? [String(picture.split(other))] : []))]));
  }

  hexAt(hex) { return this.hexes[hex[0] * this.game.rows[0].length + hex[1]]; }

  show() {
    const { game, kind, live, now, position } = this;
    Object.assign(document.body.dataset, { state: ["human", "over"].includes(kind) ? kind : "bot", player: position.mover ?? "" });
    this.showTurn(kind, now);
    this.showBoard();
    this.showButtons();
    this.showPlayers(live);
    byId("record").textContent = game.write(this.data, position.finished ? game.setup.players.map((_, i) => position.totals.get(i + 1)) : null);
    const first = Math.max(0, game.lines.length - MOST_TURNS);
    byId("turns").start = first + 1;
    list("turns", game.lines.slice(first).map(writeTurn));
    byId("turns").scrollTop = byId("turns").scrollHeight;
    if (live !== this.told) this.showGold(live);
    this.told = live;
  }

  showTurn(kind, now) {
    const { legal, position: { mover, totals, winners } } = this;
    const who = `Player ${mover}`;
    const card = now && hyphen(now.cards.join(", then "));
    const does = !legal || kind !== "human" ? "" : legal.needsCard ? ": no hex of it is free, draw another card"
      : legal.moves.some(({ name }) => name === "mandatory") ? ": build" : legal.further.length ? ": go on, or end the turn" : ": end the turn, or use a tile";
    const won = winners.length > 1 ? `players ${winners.join(" and ")} share the victory` : `player ${winners[0]} wins`;
    byId("turn").textContent = kind === "over" ? `The game is over: ${won} with ${totals.get(winners[0])} gold.`
      : kind === "human" ? `${who}, ${card}${does}` : `${who}, ${card}: the bot (${kind}) moves`;
  }

  showBoard() {
    const { chosen, data, from, game: { rows }, held, now, picture, position } = this;
    const player = now?.player;
    const stood = settle({ ...position, tiles: data.tiles }, { player, actions: now?.actions ?? [] });
    const walls = new Set([...position.walled, ...(now?.actions ?? []).filter(({ name }) => data.tiles[name]?.[0] === "wall").flatMap(({ targets }) => targets.map(([, to]) => to))].map(String));
    const lying = new Map(position.lying.map(({ tile, hex, number }) => [String(hex), [hyphen(tile), number]]));
    const open = new Set(this.offers.map((move) => String(from ? move.to : move.from ?? move.to)));
    const cells = rows.flatMap((row, r) => [...row].map((symbol, c) => {
      const at = `${r},${c}`;
      const lies = lying.get(at);
      picture.titles[r * row.length + c] = lies ? `${lies[1]} ${lies[0]}` : "";
      const shown = `${symbol}${walls.has(at) ? "#" : stood.get(at) ?? ""}`;
      const hex = this.hexAt([r, c]);
      disable(hex, !open.has(at));
      hex.classList.toggle("from", isSame(from, at));
      const number = this.numbers.get(shown);
      hex.setAttribute("aria-label", `row ${r}, column ${c}: ${data.looks[number - 1].name}${lies ? `, ${lies[1]} ${lies[0]}` : ""}${open.has(at) ? `, open to ${chosen === "mandatory" ? "build" : hyphen(chosen)}` : ""}`);
      return number;
    }));
    picture.mark(this.last);
    const sign = (hex, text) => makeSvg("text", { y: 13, transform: `translate(${picture.middle(hex[0] * rows[0].length + hex[1])})` }, text);
    this.signs.replaceChildren(...position.lying.map(({ tile, hex, number }) => sign(hex, `${hyphen(tile).slice(0, 4)}${number > 1 ? ` ${number}` : ""}`)));
    this.drawn = picture.draw(cells);
    this.open = open;
  }

  showButtons() {
    const { chosen, closed, held, isMine, legal } = this;
    const may = (name) => isMine && legal.moves.some((move) => move.name === name);
    const goes = (name) => isMine && legal.further.length > 0 && name === this.now.actions.at(-1).name;
    const names = [...new Set([...(this.kind === "human" ? held : []), ...(isMine ? legal.moves.map(({ name }) => name) : [])])].filter((name) => name !== "mandatory").sort();
    disable(byId("build"), !may("mandatory"));
    byId("build").setAttribute("aria-pressed", String(isMine && chosen === "mandatory" && may("mandatory")));
    const focused = document.activeElement?.dataset?.tile;
    byId("tiles").replaceChildren(...names.map((name) => {
      const many = held.filter((tile) => tile === name).length;
      const isOpen = may(name) || goes(name);
      return makeButton(`${hyphen(name)}${many > 1 ? ` \u00D7 ${many}` : ""}`, () => this.select(name), {
        "data-tile": name, "aria-disabled": String(!isOpen), "aria-pressed": String(isMine && chosen === name && isOpen), title: this.data.tiles[name][1],
      });
    }));
    if (focused) byId("tiles").querySelector(`[data-tile="${focused}"]`)?.focus();
    disable(byId("undo"), !(isMine && (this.from || this.game.canUndo)));
    disable(byId("hint"), !this.offers.length);
    disable(byId("end-turn"), !(isMine && (closed || legal.needsCard)));
    byId("end-turn").textContent = legal?.needsCard ? "draw another card" : "end the turn";
  }

  showPlayers({ totals, left, held }) {
    const { data, game: { setup: { players } }, position: { mover } } = this;
    const lefts = new Map(left);
    const lines = players.map((kind, i) => {
      const player = i + 1;
      const tiles = Object.entries(Object.groupBy(held.filter((one) => one.player === player), ({ tile }) => hyphen(tile))).map(([tile, all]) => (all.length > 1 ? `${all.length} ${tile}` : tile));
      const icon = frameTile(data.looks[this.numbers.get(String(player)) - 1].tile, data.shape);
      return make("tr", [makeHead([icon, ` ${player} ${kind}`], "row"), ...[totals.get(player), lefts.get(player)].map((figure) => make("td", String(figure ?? ""))), make("td", tiles.join(", "))], player === mover ? { "aria-current": "true" } : {});
    });
    fillTable(byId("players"), ["player", "gold", "left", "tiles"], lines);
  }

  showGold({ rows, winners }) {
    const { setup: { players } } = this.game;
    const deeds = (rows["deed/2"] ?? []).map(([name, text]) => [name, 0, text]);
    const paid = new Set((rows["gold/4"] ?? []).map(([card]) => card));
    const cards = [...rows["card/3"] ?? [], ...deeds].filter(([name]) => this.game.cards.includes(name) || paid.has(name));
    const scores = readScores({ ...rows, "card/3": cards, "player/1": players.map((_, i) => [i + 1]), "winner/1": winners.length ? winners.map((player) => [player]) : [[1]] }, new Set(this.game.cards));
    byId("gold-heading").textContent = winners.length ? "Gold" : "Gold so far";
    this.gold.fill(scores);
  }

  // ------------------------------------------------------------------- the pointer and keys

  listen(field) {
    const find = ({ target }) => (target.classList?.contains("hex") ? [Number(target.dataset.row), Number(target.dataset.column)] : null);
    field.addEventListener("click", (event) => { const hex = find(event); if (hex) this.click(hex); });
    field.addEventListener("pointerover", (event) => {
      clearTimeout(this.pointing);
      const hex = find(event);
      if (hex && event.pointerType === "mouse") this.pointing = setTimeout(() => this.point(hex), POINTING);
    });
    field.addEventListener("focusin", (event) => {
      const hex = find(event);
      if (!hex) return;
      for (const other of this.hexes) if (other !== event.target && other.tabIndex === 0) other.setAttribute("tabindex", "-1");
      event.target.setAttribute("tabindex", "0");
      this.point(hex);
    });
    field.addEventListener("keydown", (event) => { const hex = find(event); if (hex && this.key(event, hex)) event.preventDefault(); });
  }

  /* A hex that is pointed at, or has the focus: what is wrong with it is told. */
  point(hex) {
    if (isOff(this.hexAt(hex))) this.run(() => this.explain(hex));
    else if (byId("told").dataset.code) this.tell("");
  }

  key({ key, altKey, ctrlKey, metaKey }, hex) {
    if (altKey || ctrlKey || metaKey) return false;
    const step = (by) => {
      const marked = this.hexes.filter((one) => !isOff(one));
      const at = marked.indexOf(this.hexAt(hex));
      const before = at < 0 ? marked.findIndex((one) => this.hexes.indexOf(one) > this.hexes.indexOf(this.hexAt(hex))) - (by > 0 ? 1 : 0) : at;
      marked.at((before + by + marked.length) % marked.length)?.focus();
    };
    const act = {
      Enter: () => this.click(hex), " ": () => this.click(hex), Escape: () => this.take(null),
      n: () => step(1), b: () => step(-1), u: () => this.undo(), h: () => this.run(() => this.hint()), e: () => this.run(() => this.endTurn()),
    }[key.length > 1 ? key : key.toLowerCase()];
    const [down, across] = STEPS[key] ?? [];
    const next = STEPS[key] && this.game.rows[hex[0] + down]?.[hex[1] + across];
    if (next) this.hexAt([hex[0] + down, hex[1] + across]).focus();
    else act?.();
    return Boolean(act || STEPS[key]);
  }
}

async function start() {
  const data = await readData();
  const table = new Table(data, new Engine(data, byId("wasm").textContent.trim()));
  window.table = table;
  await table.run(() => table.begin());
  await table.drawn;
}

start()
  .catch((error) => { byId("turn").textContent = `This page needs a newer browser, with WebAssembly and DecompressionStream: ${error.message}`; })
  .finally(() => { document.documentElement.dataset.ready = "yes"; });
