// @ts-check
// The first step of the sheet: the players, the quadrants, and the cards.
import { byId, make, makeButton, on } from "./dom.js";
import { Thumbnail } from "./picture.js";
import { bare, PLACES, SIDE, title } from "./sheet_game.js";
import { drawPlayer } from "./sheet_place.js";

export class Setup {
  /** @param {import("./sheet_game.js").SheetGame} game @param {() => void} change is called when anything has changed */
  constructor(game, change) {
    this.game = game;
    this.change = change;
    this.isAsked = false; // whether the user was asked for missing cards
    this.laying = 0; // which of the four quadrants is being chosen
    this.chooser = /** @type {HTMLDialogElement} */ (byId("chooser"));
    for (const id of ["title", "date"]) {
      on(id, () => {
        game.state[/** @type {"title" | "date"} */ (id)] = read(id).value;
        change();
      }, "input");
    }
    on("add-player", () => {
      game.addPlayer();
      this.showPlayers();
      byId(`name-${game.state.names.length}`).focus();
      change();
    });
    on("remove-player", () => {
      game.removePlayer();
      this.showPlayers();
      change();
    });
    on("close-chooser", () => this.chooser.close());
    this.listQuadrants();
  }

  show() {
    const { title: said, date } = this.game.state;
    read("title").value = said;
    read("date").value = date;
    this.showPlayers();
    this.showQuadrants();
    this.showCards();
  }

  /** Forget a game that is over. */
  reset() {
    byId("cards-error").textContent = "";
    this.isAsked = false;
  }

  /** Whether everything is filled in; the user is asked for what is missing, for cards only once. */
  isReady() {
    if (this.game.findTwins().length) {
      byId("names-error").scrollIntoView({ block: "center" });
      return false;
    }
    const { dealt } = this.game.data;
    if (this.game.state.cards.length === dealt || this.isAsked) return true;
    this.isAsked = true;
    this.askForCards();
    return false;
  }

  askForCards() {
    byId("cards-error").textContent = `Which ${this.game.data.dealt} cards did you play with?`;
    byId("cards").scrollIntoView({ block: "center" });
  }

  showPlayers() {
    const { game } = this;
    byId("names").replaceChildren(...game.state.names.map((name, at) => {
      const player = at + 1;
      const input = /** @type {HTMLInputElement} */ (make("input", [], { id: `name-${player}`, placeholder: `Player ${player}`, "aria-label": `name of player ${player}`, maxlength: 30, autocomplete: "off", autocapitalize: "words" }));
      input.value = name;
      input.addEventListener("input", () => {
        game.rename(player, input.value);
        this.checkNames();
        this.change();
      });
      return make("label", [drawPlayer(game.data, player), input]);
    }));
    const [least, most] = game.data.players;
    byId("add-player").hidden = game.state.names.length >= most;
    byId("remove-player").hidden = game.state.names.length <= least;
    this.checkNames();
  }

  checkNames() {
    const [twin] = this.game.findTwins();
    byId("names-error").textContent = twin ? `Two players are called ${twin}.` : "";
  }

  /** The four quadrants as they lie on the table, each with buttons to choose another one and to turn it. */
  showQuadrants() {
    const { game } = this;
    byId("quadrants").replaceChildren(...game.state.quadrants.map((name, at) => make("div", [
      makeButton([this.draw(name), make("span", title(bare(name)))], () => this.choose(at), { class: "quadrant", "aria-label": `${PLACES[at]}: ${title(bare(name))}; choose another one`, id: `quadrant-${at}` }),
      makeButton("turn", () => {
        game.turn(at);
        this.showQuadrants();
        byId(`turn-${at}`).focus();
        this.change();
      }, { class: "turn", "aria-label": `turn ${title(bare(name))}`, id: `turn-${at}` }),
    ])));
  }

  /** @param {string} name */
  draw(name) {
    const { data, quadrants } = this.game;
    const cells = (quadrants.get(name) ?? []).flatMap((row) => [...row].map((symbol) => data.numbers[symbol]));
    const titles = Object.fromEntries(cells.flatMap((number, at) => (number === data.numbers[data.town] ? [[at, bare(name)]] : [])));
    return new Thumbnail({ rows: SIDE, columns: SIDE, shape: data.shape, looks: data.looks, signs: data.signs, titles, cells }).element;
  }

  /** The quadrants that can be chosen, by the box that they come from. */
  listQuadrants() {
    const boxes = Map.groupBy(this.game.data.quadrants, ({ expansion }) => expansion);
    byId("offered").replaceChildren(...[...boxes].flatMap(([box, quadrants]) => [
      make("h3", box || "Base game"),
      make("div", quadrants.map(({ name }) => makeButton([this.draw(name), make("span", title(name))], () => {
        this.game.lay(this.laying, name);
        this.chooser.close();
        this.showQuadrants();
        byId(`quadrant-${this.laying}`).focus();
        this.change();
      }, { class: "quadrant", "data-name": name }))),
    ]));
  }

  /** @param {number} at */
  choose(at) {
    this.laying = at;
    byId("chooser-heading").textContent = `Which board is at the ${PLACES[at]}?`;
    const used = this.game.state.quadrants.map(bare);
    /** @type {NodeListOf<HTMLElement>} */
    const buttons = this.chooser.querySelectorAll("[data-name]");
    for (const { dataset, lastElementChild } of buttons) lastElementChild?.classList.toggle("used", used.includes(dataset.name ?? ""));
    this.chooser.showModal();
  }

  showCards() {
    const { game } = this;
    const { cards, dealt } = game.data;
    byId("chosen").textContent = `${game.state.cards.length} of ${dealt}`;
    byId("cards").replaceChildren(...cards.filter(({ number }) => number).map(({ name, text }) => makeButton(title(name), () => {
      byId("cards-error").textContent = game.choose(name);
      this.showCards();
      byId(`card-${name}`).focus();
      this.change();
    }, { "aria-pressed": String(game.state.cards.includes(name)), title: text, id: `card-${name}` })));
    const chosen = cards.filter(({ name }) => game.state.cards.includes(name));
    byId("cards-text").replaceChildren(...chosen.map(({ name, text }) => make("li", [make("b", title(name)), `: ${text}`])));
  }
}

/** @param {string} id */
const read = (id) => /** @type {HTMLInputElement} */ (byId(id));
