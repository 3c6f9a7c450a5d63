/* The playground: a board or a record and its rules, and what follows from them. */

import { byId, readData } from "../../kb_score/shell/page/dom.js";
import { Engine } from "./engine.js";
import { Game } from "./game.js";
import { Kingdom } from "./kingdom.js";
import { Record } from "./record.js";
import { Reasons } from "./reasons.js";
import { checkFile, join, readMessages } from "./program.js";
import { readFragment, readOpen, writeFragment } from "./link.js";
import { readAtoms } from "./terms.js";
import { Rules } from "./rules.js";

const MOST_PASTED = 1_000_000;
const TYPING = 150;
// clingo takes its text on the stack, which has room for little more.
const MOST_TEXT = 900_000;

class Playground {
  constructor(data, engine) {
    Object.assign(this, { data, engine });
    this.wanted = false;
    this.idle = [];
    this.subject = this.makeSubject();
    this.rules = new Rules(data, () => this.askSoon());
    this.reasons = new Reasons(data, this.rules, () => engine.twin());
    byId("make-link").addEventListener("click", () => this.makeLink());
    byId("copy-link").addEventListener("click", () => this.copyLink());
    addEventListener("hashchange", () => this.openLink());
    document.addEventListener("paste", (event) => this.checkPaste(event), true);
  }

  makeSubject() {
    const { data } = this;
    const why = (atom, asked) => this.reasons.show(atom, asked);
    if (data.kind === "board") return new Kingdom(data, () => this.ask(), why);
    return data.kind === "game" ? new Game(data, () => this.askSoon(), why) : new Record(data, why);
  }

  async start() {
    await this.openLink();
    this.ask();
    await this.settled();
  }

  /* Wait until what is shown belongs to the board and the rules as they are. */
  settled() {
    return new Promise((resolve) => {
      if (this.isBusy || this.timer) this.idle.push(resolve);
      else resolve();
    });
  }

  askSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), TYPING);
  }

  /* Ask the rules, now or as soon as the question before this one is answered. */
  async ask() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.wanted = true;
    if (!byId("linked").hidden) this.writeLink();
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.wanted) {
      this.wanted = false;
      try {
        await this.answer();
      } catch (error) {
        this.halt(`clingo has failed: ${error.message}.`);
      }
    }
    this.isBusy = false;
    if (!this.timer) this.idle.splice(0).forEach((resolve) => resolve());
  }

  async answer() {
    const begin = performance.now();
    this.told = new Map();
    const found = this.rules.all().filter(({ isOurs }) => !isOurs).flatMap(checkFile);
    if (found.length) {
      this.rules.tell(found);
      this.halt("These rules cannot be read.");
      return;
    }
    this.reasons.forget();
    const isShown = await this.subject.answer(async (use, facts) => {
      const rows = await this.derive(this.data.uses[use], facts);
      return rows && Object.assign(rows, { asked: { names: use, facts } });
    });
    const took = performance.now() - begin;
    this.first ??= performance.now(); // for benchmarks
    if (!isShown) return;
    if (!this.rules.changed().length) this.slowest = Math.max(this.slowest ?? 0, took);
    this.isShown = true;
    this.say(`Answered in ${Math.round(took)} ms.`);
  }

  /* The rows that the files of a use derive; nothing if they derive none, which is told. */
  async derive(names, facts) {
    const { text, places } = join(facts, this.rules.of(names));
    if (new Blob([text]).size > MOST_TEXT) {
      this.halt("These rules are too long for a page: 900 kB is the limit.");
      return null;
    }
    // Rules as shipped come to an end; others get the time that those needed, several times.
    const limit = this.rules.changed().length ? Math.max(this.data.limit, 4 * (this.slowest ?? 0)) : Infinity;
    const answer = await this.engine.run(text, [], limit);
    const messages = answer.stopped || answer.isFull ? [] : readMessages(answer.err, places);
    // Several questions may be asked of the same rules.
    for (const message of messages) this.told.set(JSON.stringify(message), message);
    this.rules.tell([...this.told.values()]);
    let says;
    if (answer.stopped) says = `Stopped after ${Math.round(limit / 1000)} seconds: these rules have no end, or take too long.`;
    else if (answer.isFull) says = "There is no more memory: these rules have no end, or take too much.";
    else if (messages.some(({ kind }) => kind === "error")) says = "clingo refuses these rules.";
    else if (!answer.models.length) says = "There is no answer set: a constraint of the rules excludes this.";
    else if (answer.models.length > 1) says = "There are several answer sets: these rules have to decide everything.";
    else return readAtoms(answer.models[0]);
    this.halt(says);
    return null;
  }

  /* There is no answer: what is shown is an older one, and looks so. */
  halt(text) {
    const rest = this.isShown ? "What is shown follows from the rules before." : "So there is nothing to show.";
    this.say(`${text} ${rest}`, true);
    document.querySelectorAll(".before").forEach((part) => { part.hidden = !this.isShown; });
    byId("halted").textContent = byId("status").textContent;
    byId("halted").hidden = false;
    document.body.classList.toggle("stale", this.isShown);
  }

  say(text, isTrouble = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("trouble", isTrouble);
    if (isTrouble) return;
    document.querySelectorAll(".before, #halted").forEach((part) => { part.hidden = true; });
    document.body.classList.remove("stale");
  }

  checkPaste(event) {
    const length = event.clipboardData?.getData("text/plain").length ?? 0;
    if (length <= MOST_PASTED) return;
    event.preventDefault();
    event.stopPropagation();
    this.say(`${Math.round(length / 1e5) / 10} MB are too much to paste: 1 MB is the limit.`, true);
  }

  async makeLink() {
    byId("linked").hidden = false;
    await this.writeLink();
    byId("link").focus();
    byId("link").select();
  }

  /* Write the link that is shown anew, for the board and the rules as they are. */
  async writeLink() {
    const files = Object.fromEntries(this.rules.changed().map(({ name, text }) => [name, text]));
    const state = { board: this.subject.write(), files };
    this.linked = state;
    byId("copied").textContent = "";
    const fragment = await writeFragment(state);
    if (this.linked === state) byId("link").value = location.href.replace(/#.*$/, "") + fragment;
  }

  copyLink() {
    byId("link").select();
    byId("copied").textContent = document.execCommand("copy") ? "copied" : "copy it with the keys";
  }

  /* Open what the address holds; whatever is wrong with it is told, and changes nothing. */
  async openLink() {
    try {
      const name = readOpen(location.hash);
      if (name) this.rules.show(name);
      const state = await readFragment(location.hash);
      if (!state && !name && location.hash.length > 1) throw new Error("it is none of this page");
      byId("note").hidden = true;
      if (!state) return;
      this.subject.check(state.board);
      this.rules.replace(state.files);
      this.subject.take(state.board);
      this.note(`The link has been opened; rules that it has brought: ${[...state.files.keys()].join(", ") || "none"}.`);
    } catch (error) {
      this.note(`The link cannot be opened: ${error.message}.`);
    }
  }

  note(text) {
    byId("note").textContent = text;
    byId("note").hidden = false;
  }
}

async function start() {
  const data = await readData();
  window.playground = new Playground(data, new Engine(data, byId("wasm").textContent.trim()));
  await window.playground.start();
}

start()
  .catch((error) => {
    byId("status").textContent = `This page needs a newer browser, with WebAssembly and DecompressionStream: ${error.message}`;
  })
  .finally(() => { document.documentElement.dataset.ready = "yes"; });
