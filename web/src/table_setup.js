/* What a new game is played with: who plays, the board and the cards. */

import { byId, make, on } from "../../kb_score/shell/page/dom.js";
import { joinQuadrants, readTurn } from "./table_game.js";

const PLACES = ["north-west", "north-east", "south-west", "south-east"];
const RANDOM = "at random";
const NOBODY = "nobody";

const offer = (label, options) => make("label", [`${label} `, make("select", options.map((text) => make("option", text, { value: text })))]);
const valuesOf = (id) => [...byId(id).querySelectorAll("select")].map(({ value }) => value);

/* Take values from a list without order until there are so many. */
function draw(values, many) {
  const left = [...values];
  return Array.from({ length: Math.min(many, left.length) }, () => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}

export class Setup {
  constructor(data, deal) {
    Object.assign(this, { data, deal });
    const seats = Array.from({ length: data.most }, (_, i) => offer(`player ${i + 1}`, i < data.least ? data.seats : [...data.seats, NOBODY]));
    byId("seats").append(...seats);
    const names = data.quadrants.flatMap(({ name }) => [name, `${name}/180`]);
    byId("quarters").append(...PLACES.map((place) => offer(place, names)));
    const cards = [RANDOM, ...data.cards, ...data.in_game];
    byId("cards").append(...Array.from({ length: data.dealt }, (_, i) => offer(`card ${i + 1}`, cards)));
    on("setup", (event) => {
      event.preventDefault();
      this.submit();
    }, "submit");
    on("shuffle", () => this.shuffle());
  }

  /* Show what a game is played with. */
  show({ board, cards, players, seed }) {
    this.seed = seed;
    this.fill("seats", players, NOBODY);
    this.fill("quarters", board);
    this.fill("cards", cards, RANDOM);
  }

  fill(id, values, other) { byId(id).querySelectorAll("select").forEach((select, i) => { select.value = values[i] ?? other; }); }

  shuffle() { this.fill("quarters", draw(this.data.quadrants, PLACES.length).map(({ name }) => name + (Math.random() < .5 ? "/180" : ""))); }

  submit() {
    const { data } = this;
    const wanted = [...new Set(valuesOf("cards").filter((card) => card !== RANDOM))];
    const others = data.cards.filter((card) => !wanted.includes(card));
    const setup = {
      seed: (this.seed + 1) % 2 ** 31,
      board: valuesOf("quarters"),
      cards: wanted.length ? [...wanted, ...draw(others, data.dealt - wanted.length)] : [],
      players: valuesOf("seats").filter((kind) => kind !== NOBODY),
    };
    try {
      this.check({ ...setup, lines: [], now: null });
      byId("setup-error").textContent = "";
      byId("new").open = false;
      this.deal(setup);
    } catch (error) {
      byId("setup-error").textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
    }
  }

  /* Check a game that somebody else may have written: give it back, or an error. */
  check(state) {
    const { data } = this;
    const need = (isSo, says) => { if (!isSo) throw new Error(says); };
    const isList = (value, check) => Array.isArray(value) && value.every(check);
    need(typeof state === "object" && state !== null && Number.isSafeInteger(state.seed), "it holds no game");
    need(isList(state.board, (name) => typeof name === "string"), "it holds no board");
    joinQuadrants(data, state.board);
    need(isList(state.players, (kind) => data.seats.includes(kind)) && state.players.length >= data.least && state.players.length <= data.most, `${data.least} to ${data.most} play`);
    need(isList(state.cards, (card) => [...data.cards, ...data.in_game].includes(card)), "it has cards that there are not");
    need(isList(state.lines, (line) => typeof line === "string"), "it holds no turns");
    state.lines.forEach(readTurn);
    need(state.now === null || typeof state.now?.said === "string", "it holds no turn");
    return state;
  }
}
