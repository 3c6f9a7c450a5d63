/* A game at a table: how it is dealt, its turns so far, and the texts and facts that they make. */

/* Numbers that look random, from 0 on below 1, the same ones for a seed. */
function makeRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function shuffle(values, random) {
  const found = [...values];
  for (let i = found.length - 1; i > 0; i -= 1) {
    const j = Math.floor(random() * (i + 1));
    [found[i], found[j]] = [found[j], found[i]];
  }
  return found;
}

/* The terrain cards: a pile to draw from, and what was discarded, which is the next pile. */
class Deck {
  constructor(cards, random) { Object.assign(this, { random, discarded: [...cards], pile: [] }); }

  draw() {
    if (!this.pile.length) [this.pile, this.discarded] = [shuffle(this.discarded, this.random), []];
    return this.pile.pop();
  }
}

export const hyphen = (name) => name.replaceAll("_", "-");
const underscore = (name) => name.replaceAll("-", "_");
const count = (actions) => actions.reduce((sum, { targets }) => sum + Math.max(1, targets.length), 0);
const pair = ([row, column]) => `(${row},${column})`;

const writeAction = ({ name, targets }) => [...(name === "mandatory" ? [] : [hyphen(name)]), ...targets.map(([from, to]) => (from ? `${from}>${to}` : String(to)))].join(" ");

/* The turn of a player as a record has it. */
export const writeTurn = ({ player, cards, actions }) => `${player} ${hyphen(cards.join("/"))}: ${actions.map(writeAction).join("; ")}`.trimEnd();

/* Read a turn that was written here; an error if it is none. */
export function readTurn(text) {
  const [, player, cards, said] = /^([1-9]) ([a-z-]+(?:\/[a-z-]+)*):(.*)$/.exec(text) ?? [];
  if (!player) throw new Error("a turn in it cannot be read");
  const actions = said.split(";").map((part) => part.split(" ").filter(Boolean)).filter((words) => words.length).map((words) => {
    const name = /^[a-z][a-z-]*$/.test(words[0]) ? underscore(words.shift()) : "mandatory";
    const readHex = (word) => {
      if (!/^\d{1,3},\d{1,3}$/.test(word)) throw new Error("a hex in it cannot be read");
      return word.split(",").map(Number);
    };
    return { name, targets: words.map((word) => { const hexes = word.split(">").map(readHex); return hexes[1] ? hexes : [null, hexes[0]]; }) };
  });
  return { player: Number(player), cards: cards.split("/").map(underscore), actions };
}

/* The actions with one target more: mandatory ones that follow each other are one, and `isMore` goes on with a tile's. */
export function addTarget(actions, { name, from, to }, isMore) {
  const target = to ? [[from, to]] : [];
  const last = actions.at(-1);
  const joins = last?.name === name && (isMore || name === "mandatory");
  return joins ? actions.with(-1, { name, targets: [...last.targets, ...target] }) : [...actions, { name, targets: target }];
}

/* The actions without their last target. */
function dropTarget(actions) {
  const last = actions.at(-1);
  const targets = last.targets.slice(0, -1);
  return targets.length ? actions.with(-1, { ...last, targets }) : actions.slice(0, -1);
}

/* The facts of turns; of an `open` one there is more to come, which is looked at if `looks`. */
export function listFacts(turns, { open = false, looks = false } = {}) {
  const facts = [];
  let [moment, part] = [0, 0];
  turns.forEach(({ player, cards, actions, before }, i) => {
    const turn = i + 1;
    const opened = (moment += 1);
    if (player) facts.push(`line(${turn},${player}).`);
    facts.push(`opens(${turn},${opened}).`, ...cards.map((card, at) => `reveals(${turn},${at + 1},${card}).`));
    if (Number.isInteger(before)) facts.push(`further_card(${turn},${opened + 1 + before}).`);
    for (const { name, targets } of actions) {
      facts.push(`part(${(part += 1)},${turn},${name}).`);
      if (!targets.length) facts.push(`step(${(moment += 1)},${part},0).`);
      targets.forEach(([from, to], at) => {
        facts.push(`step(${(moment += 1)},${part},${at + 1}).`, `at(${moment},${pair(to)}).`);
        if (from) facts.push(`from(${moment},${pair(from)}).`);
      });
    }
    moment += 1;
    if (open && turn === turns.length) {
      facts.push(`unfinished(${turn}).`);
      if (looks) facts.push(`looks(${(moment += 1) - 1}).`);
    }
    facts.push(`closes(${turn},${moment}).`);
  });
  return facts.join(" ");
}

export class Game {
  /* Deal for a setup: a seed, the names of four quadrants, cards or none, and who plays. */
  constructor(data, setup) {
    const random = makeRandom(setup.seed);
    const rows = joinQuadrants(data, setup.board);
    const symbols = new Map(data.terrain);
    const places = rows.flatMap((row, r) => [...row].map((symbol, c) => [symbol, [r, c]]));
    const spaces = places.filter(([symbol]) => symbols.get(symbol) === "nomad").map(([, hex]) => hex);
    const cards = [...data.cards, ...(spaces.length ? data.in_game : [])];
    const tiles = shuffle(data.nomads, random);
    Object.assign(this, { setup, rows, lines: [], now: null });
    this.cards = setup.cards.length ? setup.cards : shuffle(cards, random).slice(0, data.dealt).sort();
    this.nomads = spaces.slice(0, tiles.length).map((hex, i) => [hex, tiles[i]]);
    this.deck = new Deck(data.deck, random);
    this.hands = setup.players.map(() => this.deck.draw());
    this.facts = this.listBoard(data, places);
  }

  listBoard(data, places) {
    const { cards, nomads, rows, setup: { board, players } } = this;
    const kinds = new Map([...data.terrain.map(([s, kind]) => [s, `terrain(${kind}`]), ...data.land.map(([s, kind]) => [s, `land(${kind}`])]);
    const [height, width] = [rows.length, rows[0].length];
    const nameAt = ([r, c]) => underscore(board[2 * Math.floor((2 * r) / height) + Math.floor((2 * c) / width)].replace("/180", ""));
    const town = data.terrain.find(([, kind]) => kind === "town")[0];
    return [
      `size(${height},${width}). players(${players.length}). starter(1).`,
      ...places.map(([symbol, hex]) => `${kinds.get(symbol)},${hex}).`),
      ...places.filter(([symbol]) => symbol === town).map(([, hex]) => `yields(${pair(hex)},${nameAt(hex)}).`),
      ...cards.map((card) => `chosen(${card}).`),
      ...nomads.map(([hex, tile]) => `nomad(${pair(hex)},${tile}).`),
    ].join(" ");
  }

  /* Begin the turn of a player, who shows the card in hand. */
  open(player) {
    this.now = { player, cards: [], actions: [], before: null, fixed: 0 };
    this.show(this.hands[player - 1]);
  }

  show(card) {
    this.now.cards.push(card);
    this.deck.discarded.push(card);
  }

  /* Draw one more card, as no hex of those before is free; what came before stands. */
  drawFurther() {
    this.show(this.deck.draw());
    this.now.before = this.now.fixed = count(this.now.actions);
  }

  add(move, isMore) { this.now.actions = addTarget(this.now.actions, move, isMore); }
  get canUndo() { return count(this.now?.actions ?? []) > this.now?.fixed; }
  undo() { this.now.actions = dropTarget(this.now.actions); }

  close() {
    const { player, cards, actions } = this.now;
    this.lines.push({ player, cards, actions });
    this.hands[player - 1] = this.deck.draw();
    this.now = null;
  }

  /* Take turns that were played before, as `save` has them; an error if they cannot have been. */
  take({ lines, now }) {
    for (const line of lines) {
      this.repeat(readTurn(line));
      this.close();
    }
    if (now) this.repeat({ ...readTurn(now.said), before: now.before });
  }

  repeat({ player, cards, actions, before = null }) {
    if (player > this.hands.length) throw new Error("there are not so many players");
    this.open(player);
    cards.slice(1).forEach(() => this.drawFurther());
    if (String(this.now.cards) !== String(cards)) throw new Error("its cards are not those that were dealt");
    if (before !== null && !(before >= 0 && before <= count(actions))) throw new Error("its turn cannot be read");
    Object.assign(this.now, { actions, before, fixed: before ?? 0 });
  }

  save() {
    const { now, lines, setup } = this;
    return { ...setup, lines: lines.map(writeTurn), now: now && { said: writeTurn(now), before: now.before } };
  }

  /* The record so far; `gold` stands at its end. */
  write({ changes }, gold) {
    const { cards, lines, nomads, setup: { board, players } } = this;
    return [
      ...(changes ? [`% check with ${changes}`] : []),
      `board ${board.join(" ")}`, `cards ${cards.join(" ")}`, `players ${players.length}`, "start 1",
      ...nomads.map(([hex, tile]) => `nomad ${hex} ${hyphen(tile)}`),
      ...lines.map(writeTurn),
      ...(gold ? [`gold ${gold.join(" ")}`] : []), "",
    ].join("\n");
  }
}

/* The rows of a board of four quadrants, such as farm or farm/180; an error if that cannot be. */
export function joinQuadrants({ quadrants }, words) {
  const known = new Map(quadrants.flatMap(({ name, rows, turned }) => [[name, rows], [`${name}/180`, turned]]));
  const names = new Set(words.map((word) => word.replace("/180", "")));
  if (words.length !== 4 || names.size !== 4 || !words.every((word) => known.has(word))) throw new Error("a board has four different quadrants");
  const [northwest, northeast, southwest, southeast] = words.map((word) => known.get(word));
  return [...northwest.map((row, at) => row + northeast[at]), ...southwest.map((row, at) => row + southeast[at])];
}
