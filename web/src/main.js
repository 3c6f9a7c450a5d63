/* The playground: a board and its rules, and what follows from them, as one changes both. */

import { byId, make, pipe, save, toBytes } from "./dom.js";
import { BoardView } from "./view.js";
import { Claims } from "./table.js";
import { Engine, LIMIT } from "./engine.js";
import { listFacts, writeBoard } from "./board.js";
import { checkFile, join, readMessages } from "./program.js";
import { readFragment, writeFragment } from "./link.js";
import { readAtoms, write, writeSentence } from "./terms.js";
import { readScores, Scores } from "./scores.js";
import { Rules } from "./rules.js";

const MOST_PASTED = 1_000_000;
const TYPING = 150;

class Playground {
  constructor(data, engine) {
    Object.assign(this, { data, engine });
    this.runs = 0;
    this.wanted = false;
    this.idle = [];
    this.board = new BoardView(data, () => this.ask());
    this.rules = new Rules(data, () => this.askSoon());
    this.scores = new Scores((hexes) => this.board.picture.mark(hexes));
    this.claims = new Claims(() => this.ask());
    byId("save-board").addEventListener("click", () => save("board.txt", writeBoard(this.board.rows)));
    byId("make-link").addEventListener("click", () => this.makeLink());
    addEventListener("hashchange", () => this.openLink());
    document.addEventListener("paste", (event) => this.checkPaste(event), true);
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
    this.runs += 1;
    if (!this.timer) this.idle.splice(0).forEach((resolve) => resolve());
  }

  async answer() {
    const begin = performance.now();
    const found = this.rules.all().filter(({ isOurs }) => !isOurs).flatMap(checkFile);
    if (found.length) {
      this.rules.tell(found);
      this.say("The table is that of the rules before: they cannot be read now.", true);
      return;
    }
    const rows = await this.derive(this.data.uses.scores, "");
    if (!rows) return;
    const scores = readScores(rows);
    this.board.show(rows);
    this.scores.fill(scores);
    this.tellFindings(rows);
    await this.claims.check(scores, async (facts) => this.derive(this.data.uses.claims, facts));
    this.first ??= performance.now(); // for benchmarks
    if (!this.late) this.say(`Scored in ${Math.round(performance.now() - begin)} ms.`);
  }

  /* The rows that the files of a use derive; nothing if they derive none, which is told. */
  async derive(names, facts) {
    const { text, places } = join(`${listFacts(this.board.rows, this.board.meanings)} ${facts}`, this.rules.of(names));
    const constants = Object.entries(this.data.constants).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const answer = await this.engine.run(text, constants);
    this.late = answer.stopped;
    if (answer.stopped) {
      this.rules.tell([]);
      this.say(`Stopped after ${LIMIT / 1000} seconds: these rules have no end, or take too long. The table is that of the rules before.`, true);
      return null;
    }
    const messages = readMessages(answer.err, places);
    this.rules.tell(messages);
    const models = answer.out ? JSON.parse(answer.out).Call?.[0]?.Witnesses ?? [] : [];
    if (messages.some(({ kind }) => kind === "error")) this.say("The table is that of the rules before: clingo refuses them now.", true);
    else if (!models.length) this.say("There is no answer set: a constraint of the rules excludes this board.", true);
    else if (models.length > 1) this.say("There are several answer sets: rules of a score have to decide everything.", true);
    else return readAtoms(models[0].Value);
    this.late = true;
    return null;
  }

  tellFindings(rows) {
    const findings = (rows["violation/2"] ?? []).map(([code, detail]) => `${write(code)}: ${writeSentence(detail)}`);
    const tooMuch = (rows["too_much/1"] ?? []).map(([player]) => `the cards pay player ${write(player)} more gold than 32 bits can count`);
    byId("findings").replaceChildren(...[...tooMuch, ...findings.sort()].map((line) => make("li", line)));
    byId("found").hidden = !findings.length && !tooMuch.length;
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
    const fragment = await writeFragment({ board: writeBoard(this.board.rows), files });
    const link = byId("link");
    link.value = location.href.replace(/#.*$/, "") + fragment;
    byId("linked").hidden = false;
    link.focus();
    link.select();
  }

  /* Open what the address holds; whatever is wrong with it is told, and changes nothing. */
  async openLink() {
    try {
      const state = await readFragment(location.hash);
      if (!state) return;
      this.board.check(state.board);
      this.rules.replace(state.files);
      this.board.take(state.board);
      const names = [...state.files.keys()].join(", ");
      this.note(`The link has brought a board${names ? ` and these rules: ${names}` : ""}.`);
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
  const engine = new Engine(byId("wasm").textContent.trim());
  const packed = await pipe(toBytes(byId("data").textContent.trim()), new DecompressionStream("deflate"));
  const data = JSON.parse(new TextDecoder().decode(packed));
  window.playground = new Playground(data, engine);
  await window.playground.start();
}

start()
  .catch((error) => {
    byId("status").textContent = `This page needs a newer browser, with WebAssembly and DecompressionStream: ${error.message}`;
  })
  .finally(() => { document.documentElement.dataset.ready = "yes"; });
