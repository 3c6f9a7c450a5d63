// @ts-check
/* What a new game is played with: who plays, the board and the cards. */

import { byId, make, on, sayError } from "./dom.js";
import { draw, joinQuadrants, readTurn } from "./table_game.js";

const PLACES = ["north-west", "north-east", "south-west", "south-east"];
const LONGEST = 30; // the most letters of a name, as in `kb-score`
const [RANDOM, NOBODY, NONE] = ["at random", "nobody", "none"];

/** @param {string} id @param {string[]} labels @param {(at: number) => string[]} listOptions */
const offer = (id, labels, listOptions) => byId(id).append(...labels.map((label, i) => make("label", [`${label} `, make("select", listOptions(i).map((text) => make("option", text)))])));
/** @param {string} id @returns {HTMLSelectElement[]} */
const selectsOf = (id) => [...byId(id).querySelectorAll("select")];
/** @param {string} id @param {string[]} values @param {string} [other] what is shown where there is no value */
const fill = (id, values, other = "") => selectsOf(id).forEach((select, i) => { select.value = values[i] ?? other; });
/** @param {string} id @param {string} [other] what is no value */
const read = (id, other) => selectsOf(id).map(({ value }) => value).filter((value) => value !== other);
/** @param {string} word @param {number} many */
const number = (word, many) => Array.from({ length: many }, (_, i) => `${word} ${i + 1}`);

export class Form {
  /**
   * @param {import("./data.js").TableData} data
   * @param {(setup: import("./table_game.js").Setup) => void} deal begins a game
   * @param {() => boolean} isBegun tells whether one would be lost
   */
  constructor(data, deal, isBegun) {
    this.data = data;
    this.seed = data.setup.seed;
    this.deal = deal;
    this.isBegun = isBegun;
    offer("seats", number("player", data.most), (i) => [...data.seats, ...(i < data.least ? [] : [NOBODY])]);
    [...byId("seats").children].forEach((label, i) => label.append(make("input", [], { type: "text", "aria-label": `name of player ${i + 1}`, placeholder: "name", maxlength: LONGEST, autocomplete: "off" })));
    offer("quarters", PLACES, () => data.quadrants.flatMap(({ name }) => [name, `${name}/180`]));
    offer("cards", number("card", data.dealt), () => [RANDOM, ...data.cards, ...data.in_game]);
    offer("queenies", number("small set", Object.keys(data.queenies).length), () => [NONE, ...Object.keys(data.queenies)]);
    on("setup", (event) => this.submit(event), "submit");
    /** @param {string[]} players */
    const begin = (players) => {
      fill("seats", players, NOBODY);
      if (!this.isBegun()) byId("setup").requestSubmit();
      else this.open(byId("begin"));
    };
    on("two-people", () => begin(["human", "human"]));
    on("one-computer", () => begin(["human", "settler"]));
    on("other-game", () => this.open(selectsOf("seats")[0]));
    on("shuffle", () => fill("quarters", draw(data.quadrants, Math.random, PLACES.length).map(({ name }) => name + (Math.random() < .5 ? "/180" : ""))));
  }

  /** Open the form, at a part of it. @param {HTMLElement} part */
  open(part) {
    byId("new").open = true;
    part.scrollIntoView({ block: "nearest" });
    part.focus();
  }

  /** Where the names of the players stand. @returns {HTMLInputElement[]} */
  get inputs() { return [...byId("seats").querySelectorAll("input")]; }

  /* The names of those who play, empty for those who have none. */
  get names() {
    const taken = selectsOf("seats").map(({ value }) => value !== NOBODY);
    return this.inputs.filter((_, i) => taken[i]).map(({ value }) => value.replace(/[<>|`\p{C}]/gu, "").trim());
  }

  /** Show the setup of a game. @param {import("./table_game.js").Setup} setup */
  show({ board, cards, names = [], players, queenies = [], seed }) {
    this.seed = seed;
    fill("seats", players, NOBODY);
    this.inputs.forEach((input, i) => { input.value = names[i] ?? ""; });
    fill("quarters", board);
    fill("cards", cards, RANDOM);
    fill("queenies", queenies, NONE);
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    const { data: { cards, dealt } } = this;
    const wanted = [...new Set(read("cards", RANDOM))];
    const others = cards.filter((card) => !wanted.includes(card));
    const setup = { seed: (this.seed + 1) % 2 ** 31, board: read("quarters"), players: read("seats", NOBODY), names: this.names, queenies: [...new Set(read("queenies", NONE))], cards: wanted.length ? [...wanted, ...draw(others, Math.random, dealt - wanted.length)] : [] };
    try {
      this.check({ ...setup, lines: [], now: null });
      byId("setup-error").textContent = "";
      byId("new").open = false;
      scrollTo(0, 0);
      this.deal(setup);
    } catch (error) {
      byId("setup-error").textContent = sayError(error);
    }
  }

  /** Check a game that somebody else may have written; an error says what is wrong with it. @param {any} state */
  check(state) {
    const { seats, least, most, cards, in_game: inGame, queenies } = this.data;
    /** @param {unknown} value @param {(one: any) => boolean} check */
    const isList = (value, check) => Array.isArray(value) && value.every(check);
    /** @param {unknown} value */
    const isText = (value) => typeof value === "string";
    /** @param {unknown} isSo @param {string} says */
    const need = (isSo, says) => { if (!isSo) throw new Error(says); };
    need(Number.isSafeInteger(state?.seed) && isList(state.board, isText) && isList(state.lines, isText) && (state.now === null || isText(state.now?.said)), "it contains no game");
    const names = state.names ?? [];
    need(isList(names, (name) => isText(name) && name.length <= LONGEST), "it has names that cannot be shown");
    /** @type {string[]} */
    const given = names.filter(Boolean);
    need(new Set(given).size === given.length, "two players have the same name");
    need(isList(state.players, (kind) => seats.includes(kind)) && state.players.length >= least && state.players.length <= most, `expected ${least} to ${most} players`);
    need(isList(state.cards, (card) => [...cards, ...inGame].includes(card)), "it has unknown cards");
    need(isList(state.queenies ?? [], (word) => Object.hasOwn(queenies, word)), "it has unknown small sets");
    joinQuadrants(this.data, state.board);
    state.lines.forEach(readTurn);
  }
}
