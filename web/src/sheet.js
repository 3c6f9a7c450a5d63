// @ts-check
// The sheet: score a finished game in three steps, at the table and on a phone.
import { expose } from "./boot.js";
import { byId, make, nameStore, on, readData, sayError } from "./dom.js";
import { Engine } from "./engine.js";
import { pack, unpack } from "./link.js";
import { SheetGame, STEPS } from "./sheet_game.js";
import { Place } from "./sheet_place.js";
import { Result } from "./sheet_result.js";
import { Setup } from "./sheet_setup.js";

const PREFIX = "#sheet=";
const STORE = nameStore();
const LINGERING = 300; // milliseconds: browsers do not let an address change at every tap
/** @type {Record<string, string>} */
const FORWARD = { setup: "Place the houses", place: "Show the scores", result: "Share the result" };
/** @type {Record<string, string>} */
const BACK = { setup: "", place: "Back", result: "Fix something" };

/** The game that the browser has stored for this page; null if there is none. */
function recall() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? "null");
  } catch {
    return null; // such as in a frame of another site
  }
}

class Sheet {
  /** @param {import("./data.js").SheetData} data @param {string} wasm */
  constructor(data, wasm) {
    this.game = new SheetGame(data);
    this.setup = new Setup(this.game, () => this.keep());
    this.place = new Place(this.game, () => this.keep());
    this.result = new Result(this.game, new Engine(data, wasm), () => this.writeLink());
    on("forward", () => this.forward());
    on("back", () => this.go(STEPS[STEPS.indexOf(this.game.state.step) - 1]));
    on("new-game", () => /** @type {HTMLDialogElement} */ (byId("asking")).showModal());
    on("begin-anew", () => {
      this.begin(this.game.state.names);
    });
    // The address may have changed since.
    addEventListener("hashchange", ({ newURL }) => { this.task = this.open(new URL(newURL).hash); });
    on("choose-cards", async () => {
      await this.go("setup");
      this.setup.askForCards();
    });
    byId("copy-link").hidden = !location.protocol.startsWith("http");
  }

  /** Begin a new game. @param {string[]} [names] of those who play, who may be the same people again */
  begin(names) {
    this.game.state = this.game.begin(names);
    this.game.undone = [];
    for (const part of [this.setup, this.place, this.result]) part.reset();
    return this.go("setup");
  }

  /** Begin with the game of an address, or with the one that was kept. @param {string} fragment */
  async open(fragment) {
    const isLink = fragment.startsWith(PREFIX);
    byId("note").hidden = true;
    try {
      const state = isLink ? await unpack(fragment.slice(PREFIX.length)) : recall();
      if (state) this.game.take(state);
    } catch (error) {
      if (isLink) this.note(`This link cannot be opened: ${sayError(error)}. Ask for it again.`);
    }
    await this.go(this.game.state.step);
  }

  /** @param {string} text */
  note(text) {
    byId("note").textContent = text;
    byId("note").hidden = false;
  }

  /** Keep the game in the browser at once, and soon in the address of the page. */
  keep() {
    try {
      localStorage.setItem(STORE, JSON.stringify(this.game.state));
    } catch {
      // The address has it.
    }
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeLink(), LINGERING);
  }

  /** Write the game into the address of the page. */
  async writeLink() {
    clearTimeout(this.writing);
    const text = await pack(this.game.state);
    try {
      history.replaceState(null, "", PREFIX + text);
    } catch {
      // Some browsers limit how often the address may change; the game is stored all the same.
    }
  }

  /** Wait until everything is shown and stored. */
  async settled() {
    let task;
    while (task !== this.task) await (task = this.task)?.catch(() => {});
    await this.writeLink();
  }

  /** The game as it is kept, what is saved of it, who has won, and the board that is shown. */
  get state() {
    const { game, place, result } = this;
    const { picture } = game.state.step === "result" ? result : place;
    return { ...game.state, text: game.text, winners: result.scores?.winners ?? [], picture: picture.state };
  }

  async reset() {
    byId("note").hidden = true;
    await this.begin();
    await this.settled();
    localStorage.clear();
    history.replaceState(null, "", location.pathname);
  }

  /** Show a step. @param {string} step */
  go(step) {
    this.task = this.show(step).catch((error) => this.note(`The rules cannot score this: ${error.message}`));
    return this.task;
  }

  /** @param {string} step */
  async show(step) {
    this.game.state.step = step;
    for (const name of STEPS) byId(`step-${name}`).hidden = name !== step;
    const at = STEPS.indexOf(step);
    byId("steps").replaceChildren(...STEPS.map((_, i) => make("li", "", { class: i <= at ? "done" : "" })));
    byId("step").textContent = `Step ${at + 1} of ${STEPS.length}`;
    byId("forward").textContent = FORWARD[step];
    byId("back").textContent = BACK[step];
    byId("back").hidden = !BACK[step];
    document.body.dataset.step = step;
    scrollTo(0, 0);
    this.keep();
    if (step === "setup") this.setup.show();
    if (step === "place") this.place.open();
    if (step === "result") await this.result.show();
  }

  forward() {
    const { state } = this.game;
    if (state.step === "result") return this.result.share();
    if (state.step === "setup" && !this.setup.isReady()) return null;
    return this.go(STEPS[STEPS.indexOf(state.step) + 1]);
  }
}

async function start() {
  /** @type {import("./data.js").SheetData} */
  const data = await readData();
  const sheet = new Sheet(data, byId("wasm").textContent.trim());
  expose(sheet);
  await sheet.open(location.hash);
  await sheet.settled();
}

start()
  .catch((error) => {
    byId("note").textContent = `This page needs a newer browser, with WebAssembly and DecompressionStream: ${error.message}`;
    byId("note").hidden = false;
  })
  .finally(() => { document.documentElement.dataset.ready = "yes"; });
