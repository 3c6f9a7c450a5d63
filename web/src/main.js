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
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.wanted) {
      this.wanted = false;
      try {
        await this.answer();
      } catch (error) {
        this.say(`clingo has failed: ${error.message}`, true);
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
      this.say("What is shown is that of the rules before: they cannot be read now.", true);
      return;
    }
    this.reasons.forget();
    const isShown = await this.subject.answer(async (use, facts) => {
      const rows = await this.derive(this.data.uses[use], facts);
      return rows && Object.assign(rows, { asked: { names: use, facts } });
    });
    this.first ??= performance.now(); // for benchmarks
    if (isShown) this.say(`Answered in ${Math.round(performance.now() - begin)} ms.`);
  }

  /* The rows that the files of a use derive; nothing if they derive none, which is told. */
  async derive(names, facts) {
    const { text, places } = join(facts, this.rules.of(names));
    if (new Blob([text]).size > MOST_TEXT) {
      this.say("These rules are too long for a page: 900 kB is the limit. What is shown is that of the rules before.", true);
      return null;
    }
    const answer = await this.engine.run(text);
    const messages = answer.stopped || answer.isFull ? [] : readMessages(answer.err, places);
    // Several questions may be asked of the same rules.
    for (const message of messages) this.told.set(JSON.stringify(message), message);
    this.rules.tell([...this.told.values()]);
    const before = "What is shown is that of the rules before";
    let says;
    if (answer.stopped) says = `Stopped after ${this.data.limit / 1000} seconds: these rules have no end, or take too long. ${before}.`;
    else if (answer.isFull) says = `There is no more memory: these rules have no end, or take too much. ${before}.`;
    else if (messages.some(({ kind }) => kind === "error")) says = `${before}: clingo refuses them now.`;
    else if (!answer.models.length) says = `There is no answer set: a constraint of the rules excludes this. ${before}.`;
    else if (answer.models.length > 1) says = `There are several answer sets: these rules have to decide everything. ${before}.`;
    else return readAtoms(answer.models[0]);
    this.say(says, true);
    return null;
  }

  say(text, isTrouble = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("trouble", isTrouble);
  }

  checkPaste(event) {
    const length = event.clipboardData?.getData("text/plain").length ?? 0;
    if (length <= MOST_PASTED) return;
    event.preventDefault();
    event.stopPropagation();
    this.say(`${Math.round(length / 1e5) / 10} MB are too much to paste: 1 MB is the limit.`, true);
  }

  async makeLink() {
    const files = Object.fromEntries(this.rules.changed().map(({ name, text }) => [name, text]));
    const fragment = await writeFragment({ board: this.subject.write(), files });
    const link = byId("link");
    link.value = location.href.replace(/#.*$/, "") + fragment;
    byId("linked").hidden = false;
    link.focus();
    link.select();
  }

  /* Open what the address holds; whatever is wrong with it is told, and changes nothing. */
  async openLink() {
    try {
      const name = readOpen(location.hash);
      if (name) this.rules.show(name);
      const state = await readFragment(location.hash);
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
