/* The playground: a board or a record and its rules, and what follows from them. */

import type { Message } from "../mirror/program.ts";
import type { PlaygroundData } from "../data.d.ts";
import type { Why } from "./kingdom.ts";
import type { Answer } from "../kernel/engine.ts";
import type { State } from "../kernel/link.ts";
import { Asker } from "../kernel/ask.ts";
import { boot } from "../kernel/boot.ts";
import { byId, copyText, makeButton, nameStore, on, reveal, sayError } from "../kernel/dom.ts";
import { Engine } from "../kernel/engine.ts";
import { Kingdom } from "./kingdom.ts";
import { Game, Record } from "./record.tsx";
import { Reasons } from "./reasons.ts";
import { checkFile, join, readMessages } from "../mirror/program.ts";
import { readFragment, readOpen, writeFragment } from "../kernel/link.ts";
import { readAtoms } from "../mirror/terms.ts";
import { Rules } from "./rules.ts";

const COMPACT = new URLSearchParams(location.search).has("compact"); // as for a front page: the board, gold and one line of a rule
const STORE = nameStore();
const MOST_PASTED = 1_000_000;
const TYPING = 150;
const LINGERING = 300;
// clingo puts the text on its stack, which has room for little more.
const MOST_TEXT = 900_000;

/** Store the user's changes for when this page is opened again without its address; returns what is stored, if the browser allows it. */
function keep(fragment?: string) {
  try {
    if (fragment) localStorage.setItem(STORE, fragment);
    return localStorage.getItem(STORE);
  } catch {
    return null; // such as in a frame of another site
  }
}

class Playground {
  data: PlaygroundData;
  uses: { [use: string]: string[] };
  isBusy = true;
  /** Whether nothing is asked for now, since more changes follow. */
  isHeld = false;
  /** The number of the newest question. */
  asked = 0;
  isShown: boolean;
  /** Until the page has clingo there are none of these four. */
  engine: Engine | null = null;
  asker: Asker | null = null;
  rules: Rules | null = null;
  reasons: Reasons | null = null;
  /** A second clingo, for previews. */
  other: Engine | null = null;
  /** Those who wait until all is settled. */
  idle: (() => void)[] = [];
  /** The messages for the last question, each once. */
  told: Map<string, Message> = new Map();
  /** The state that the page was made with, and that of the address. */
  begun: string | null = null;
  known: string | null = null;
  /** What goes on with a link. */
  opening: Promise<void> | undefined;
  /** The most milliseconds that the rules as shipped have taken. */
  slowest: number | undefined;
  subject: Kingdom | Game | Record;
  timer: number | undefined;
  writing: number | undefined;

  /** Shows the results of the command; the page is busy until clingo has been loaded. */
  constructor(data: PlaygroundData) {
    this.data = data;
    this.uses = data.uses;
    this.isShown = data.kind === "board" && Boolean(data.answer);
    this.subject = this.makeSubject();
  }

  /** The parts of the page once it has begun. */
  get tools() {
    const { asker, engine, reasons, rules } = this;
    if (!asker || !engine || !reasons || !rules) throw new Error("the page has not started");
    return { asker, engine, reasons, rules };
  }

  begin(engine: Engine) {
    const { data, subject } = this;
    this.engine = engine;
    this.asker = new Asker(engine, (isRunning) => {
      if (isRunning) this.say("Running …", "busy");
    });
    this.isBusy = false;
    const rules = new Rules(
      data,
      () => {
        // The next difference is due to the rules.
        if (subject instanceof Kingdom)
          Object.assign(subject.board, { stroke: null, isOther: false });
        this.askSoon();
      },
      (what) => this.remember(what),
    );
    this.rules = rules;
    this.reasons = new Reasons(data, rules, () => engine.twin());
    if (subject instanceof Kingdom) subject.begin(rules, (what) => this.remember(what));
    this.begun = JSON.stringify(this.state);
    this.known = this.begun;
    on("copy-link", () => this.copyLink());
    byId("left").hidden = !keep() || location.hash.length > 1;
    on("left", () => {
      location.hash = keep() ?? "";
    });
    // The address may have changed since.
    addEventListener("hashchange", ({ newURL }) => {
      this.opening = this.openLink(new URL(newURL).hash);
    });
    document.addEventListener("paste", (event) => this.checkPaste(event), true);
  }

  makeSubject() {
    const { data } = this;
    const why: Why = (atom, asked) => {
      if (asked) this.reasons?.show(atom, asked);
    };
    if (data.kind === "board")
      return new Kingdom(
        data,
        () => this.ask(),
        why,
        (facts) => this.preview(facts),
      );
    return data.kind === "game" ? new Game(data, () => this.askSoon(), why) : new Record(data, why);
  }

  /** Wait until what is shown belongs to the board and the rules as they are, and the address to what is changed. */
  async settled() {
    await this.opening;
    await this.idled();
    await this.reasons?.task;
    await this.writeLink();
  }

  idled(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isBusy || this.timer) this.idle.push(resolve);
      else resolve();
    });
  }

  askSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), TYPING);
  }

  /* Ask the rules; the newest question wins. */
  async ask() {
    clearTimeout(this.timer);
    this.timer = undefined;
    byId("copied").textContent = "";
    clearTimeout(this.writing); // browsers do not let an address change at every step
    if (this.rules) this.writing = setTimeout(() => this.writeLink(), LINGERING);
    if (!this.asker || this.isHeld) return;
    const mine = (this.asked += 1);
    const isNewest = () => mine === this.asked;
    this.isBusy = true;
    await this.answer(isNewest).catch((error) => {
      if (isNewest()) this.halt(`clingo has failed: ${sayError(error)}.`);
    });
    if (!isNewest()) return;
    this.isBusy = false;
    if (!this.timer) this.idle.splice(0).forEach((resolve) => resolve());
  }

  async answer(isNewest: () => boolean) {
    const begin = performance.now();
    this.told = new Map();
    const { reasons, rules } = this.tools;
    const found = rules.changed().flatMap((file) => checkFile(file, this.data.ours));
    if (found.length) {
      rules.tell(found);
      this.halt("These rules cannot be read.");
      return;
    }
    reasons.forget();
    const isShown = await this.subject.answer(async (use, facts) => {
      const rows = isNewest() ? await this.derive(this.uses[use], facts, isNewest) : null;
      return rows && Object.assign(rows, { asked: { names: use, facts } });
    });
    const took = performance.now() - begin;
    if (!isShown || !isNewest()) return;
    if (!rules.changed().length) this.slowest = Math.max(this.slowest ?? 0, took);
    this.isShown = true;
    this.say(`Up to date (${Math.round(took)} ms).`);
    this.mark(false);
  }

  /** The rows that the files of a use derive; nothing if they derive none, which is told, or if a newer question has come. */
  async derive(names: string[], facts: string, isNewest: () => boolean) {
    const { asker, rules } = this.tools;
    const { text, places } = join(facts, rules.of(names));
    // Rules as shipped end; changed rules get several times the time that those needed.
    const limit = rules.changed().length
      ? Math.max(this.data.limit, 4 * (this.slowest ?? 0))
      : Infinity;
    const isLong = new Blob([text]).size > MOST_TEXT;
    const answer: Answer | null = isLong ? {} : await asker.ask(text, [], limit);
    // A newer question may have been refused without asking clingo.
    if (!answer || !isNewest()) return null;
    const { err = "", isFull, models = [], stopped } = answer;
    const messages = readMessages(stopped || isFull ? "" : err, places);
    // Several questions may be asked of the same rules.
    for (const message of messages) this.told.set(JSON.stringify(message), message);
    if (!isLong) rules.tell([...this.told.values()]);
    const troubles: [unknown, string][] = [
      [isLong, "These rules are too long for a page: 900 kB is the limit."],
      [
        stopped,
        `Stopped after ${Math.round(limit / 1000)} seconds: these rules never end, or take too long.`,
      ],
      [isFull, "Out of memory: these rules never end, or need too much."],
      [
        messages.some(({ kind }) => kind === "error"),
        "There is a mistake in the rules (see below).",
      ],
      [!models.length, 'A constraint (a rule that begins with ":-") rules this board out.'],
      [models.length > 1, "The rules leave a choice open. Scoring needs exactly one result."],
    ];
    const [, says] = troubles.find(([isSo]) => isSo) ?? [];
    if (says) this.halt(says);
    return says ? null : readAtoms(models[0]);
  }

  /** What the cards pay by some facts, from a clingo of its own; nothing if the rules cannot say. */
  async preview(facts: string) {
    if (this.isBusy || document.body.classList.contains("stale")) return null;
    const { engine, rules } = this.tools;
    this.other ??= engine.twin();
    const { text } = join(facts, rules.of(this.uses.gold));
    const { models = [] } = await this.other.run(text, ["--warn=none"]);
    return models.length === 1 ? readAtoms(models[0]) : null;
  }

  /** There is no answer: what is shown is an older one, and looks so. */
  halt(text: string) {
    this.say(
      `${text} ${this.isShown ? "The scores are from the last version that worked." : "So there is nothing to show."}`,
      "trouble",
    );
    this.mark(true);
  }

  mark(isOld: boolean) {
    reveal("before", isOld && this.isShown);
    byId("halted").textContent = isOld ? byId("status").textContent : "";
    document.body.classList.toggle("stale", isOld && this.isShown);
  }

  say(text: string, kind: "" | "busy" | "trouble" = "") {
    byId("status").textContent = text;
    byId("status").className = kind;
  }

  checkPaste(event: ClipboardEvent) {
    const length = event.clipboardData?.getData("text/plain").length ?? 0;
    if (length <= MOST_PASTED) return;
    event.preventDefault();
    event.stopPropagation();
    this.say(
      `${Math.round(length / 1e5) / 10} MB is too much to paste: 1 MB is the limit.`,
      "trouble",
    );
  }

  /** What one has changed: the board or the turns, rules, and which cards are ticked. */
  get state(): State {
    const { rules, subject } = this;
    const files = Object.fromEntries(
      (rules?.changed() ?? []).map(({ name, text }) => [name, text]),
    );
    return {
      board: subject.write(),
      files,
      cards: subject instanceof Kingdom ? [...subject.scores.chosen] : [],
    };
  }

  /** Take the page back to how it was made. */
  async reset() {
    const {
      data,
      subject,
      tools: { rules },
    } = this;
    await this.idled();
    this.isHeld = true; // one question is enough
    history.replaceState(null, "", location.pathname);
    subject.reset();
    rules.replace(new Map());
    rules.open(data.open);
    Object.assign(this, { slowest: undefined, isHeld: false });
    this.ask();
    await this.settled();
    if (subject instanceof Kingdom) subject.scores.tell(null);
  }

  /* Have the address follow what is changed, so that nothing is lost when the page is loaded again. */
  async writeLink() {
    clearTimeout(this.writing);
    const [state, { writing }] = [JSON.stringify(this.state), this];
    if (state === this.known) return;
    const fragment =
      state === this.begun ? location.pathname + location.search : await writeFragment(this.state);
    if (writing !== this.writing) return; // the state has changed in the meantime
    this.known = state;
    history.replaceState(null, "", fragment);
    if (state !== this.begun) keep(fragment);
  }

  /** Rules or a board are about to be discarded: offer to take them back. */
  remember(what: string) {
    const { board, cards, files } = this.state;
    const back = makeButton("Take it back", () => {
      this.tools.rules.replace(new Map(Object.entries(files)));
      this.subject.take(board, cards);
      byId("note").hidden = true;
    });
    byId("note").replaceChildren(`${what} `, back);
    byId("note").hidden = false;
  }

  async copyLink() {
    await this.writeLink();
    byId("copied").textContent = (await copyText(location.href))
      ? "Copied."
      : "Your browser does not allow that: copy the address of this page.";
  }

  /** Open what an address holds behind its #; whatever is wrong with it is told, and changes nothing. */
  async openLink(fragment: string) {
    let note = "";
    try {
      const { rules } = this.tools;
      const name = readOpen(fragment);
      if (name) rules.show(name);
      const state = await readFragment(fragment);
      if (!state && !name && fragment.length > 1) throw new Error("it is not a link to this page");
      if (state) {
        this.subject.check(state.board);
        rules.replace(state.files);
        this.subject.take(state.board, state.cards);
        this.known = null;
        note = state.files.size
          ? `Opened from a link, with changes to ${[...state.files.keys()].join(", ")}.`
          : "Opened from a link.";
      }
    } catch (error) {
      note = `The link cannot be opened: ${sayError(error)}. Ask for it again.`;
    }
    byId("note").textContent = note;
    byId("note").hidden = !note;
  }
}

boot<PlaygroundData>(async (data, wasm) => {
  document.body.classList.toggle("compact", COMPACT);
  const playground = new Playground(data);
  const { subject } = playground;
  if (subject instanceof Kingdom) await subject.drawn;
  playground.begin(new Engine(data, wasm));
  await playground.openLink(location.hash);
  playground.ask();
  await playground.idled();
  return {
    get state() {
      return { ...playground.state, ...subject.state };
    },
    settled: () => playground.settled(),
    reset: () => playground.reset(),
  };
});
