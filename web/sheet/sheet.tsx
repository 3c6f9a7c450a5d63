// The sheet: score a finished game in three steps, at the table and on a phone.
import { render } from "preact";
import { Asker } from "../kernel/ask.ts";
import { boot } from "../kernel/boot.ts";
import { Store } from "../kernel/store.ts";
import { copyText, nameStore, sayError } from "../kernel/dom.ts";
import { Engine } from "../kernel/engine.ts";
import type { SheetData } from "../data.d.ts";
import { type Deed, Sheet, type State, STEPS } from "./game.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { readGame } from "./read.ts";
import { drawCard, saveCard, saveText, shareCard } from "./send.ts";
import { View } from "./view.tsx";

const SHOWN = 6000; // milliseconds that a message is shown
export const NO_CARDS = "Choose your cards to see who wins.";

/** What is shown besides the game: it is neither kept nor undone. */
export interface Shown {
  /** Whose houses are placed, on which quadrant; or on the whole board, where there is room for it. */
  player: number;
  quadrant: number;
  isWhole: boolean;
  /** A message, whether it is about something that can be undone, and its number, since it may be told again. */
  told: { text: string; isUndo: boolean; number: number };
  /** What is asked for in the first step, and why a file could not be opened there. */
  asked: string;
  unread: string;
  /** What the rules say of the game, and the figure whose reasons are shown. */
  answer: Answer | null;
  figure: string;
  fault: string;
  isRunning: boolean;
}

/** What is shown of a game that has just been begun, or opened. */
const FRESH = { player: 1, quadrant: 0, asked: "", unread: "", answer: null, figure: "" };

/** Today, as dates are written in records. */
function sayToday() {
  const now = new Date();
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** A page: its state, what is shown besides, and a list of actions. */
export class Page {
  readonly data: SheetData;
  readonly sheet: Sheet;
  readonly store: Store<State>;
  shown: Shown = {
    ...FRESH,
    isWhole: false,
    told: { text: "", isUndo: false, number: 0 },
    fault: "",
    isRunning: false,
  };
  private readonly asker: Asker;
  private telling: ReturnType<typeof setTimeout> | undefined;
  /** The facts about which the rules were asked last. */
  private askedOf = "";
  private task: Promise<void> = Promise.resolve();
  private readonly place = document.getElementById("app") as HTMLElement;

  constructor(data: SheetData, wasm: string) {
    this.data = data;
    this.sheet = new Sheet(data);
    const begin = () => this.sheet.begin(undefined, sayToday());
    const check = (kept: unknown) => this.sheet.check(kept);
    this.store = new Store<State>(STEPS, { prefix: "#sheet=", key: nameStore(), begin, check });
    this.asker = new Asker(new Engine(data, wasm), (isRunning) => this.show({ isRunning }));
    this.store.subscribe(() => this.follow());
  }

  /** Show something else besides the game. */
  show(change: Partial<Shown>) {
    this.shown = { ...this.shown, ...change };
    render(<View page={this} />, this.place);
  }

  /** Show the game as it is now; where it is scored, the rules are asked anew. */
  private follow() {
    const { note, state, step } = this.store;
    if (note) this.tell(note);
    const player = Math.min(this.shown.player, state.names.length);
    if (step === "result") this.task = this.score();
    this.show({ player });
  }

  get state() {
    const { sheet, store, shown } = this;
    return {
      ...store.state,
      step: store.step,
      text: sheet.textOf(store.state),
      winners: shown.answer?.winners ?? [],
      said: shown.told.text,
      picture: this.picture?.(),
    };
  }

  /** The board that is shown, as plain data, for tests. */
  picture: (() => unknown) | undefined;

  async settled() {
    await this.store.settled();
    let task;
    while (task !== this.task) await (task = this.task);
    await this.store.settled();
  }

  async reset() {
    await this.settled();
    this.shown = { ...this.shown, ...FRESH };
    this.tell("");
    this.store.forget(this.sheet.begin());
    await this.settled();
  }

  // The actions.

  /** Tell something for a while. */
  tell(text: string, isUndo = false) {
    clearTimeout(this.telling);
    this.show({ told: { text, isUndo, number: this.shown.told.number + 1 } });
    if (text) this.telling = setTimeout(() => this.tell(""), SHOWN);
  }

  /** Do something to the game, or tell why it cannot be done. */
  act(deed: Deed | string, merge = "") {
    if (typeof deed === "string") {
      this.tell(deed);
      return;
    }
    this.store.change(deed.label, deed.change, merge);
    this.tell(deed.said ?? "", Boolean(deed.said));
  }

  undo() {
    const label = this.store.undo();
    if (label) this.tell(`Undone: ${label}.`);
  }

  redo() {
    const label = this.store.redo();
    if (label) this.tell(`Done again: ${label}.`);
  }

  begin() {
    this.shown = { ...this.shown, ...FRESH };
    this.store.restart(this.sheet.begin(this.store.state.names, sayToday()));
    this.tell("A new game. The last one can be taken back from the first step.");
  }

  takeLast() {
    this.store.takeLast();
    this.tell("This is your last game.");
  }

  /** Open what *Save as text* has written, or tell why it cannot be read. */
  open(file: File) {
    this.task = this.read(file);
  }

  private async read(file: File) {
    try {
      const change = readGame(this.sheet, await file.text());
      this.shown = { ...this.shown, ...FRESH };
      this.act({ label: "the opened game", change, said: `This is the game of ${file.name}.` });
    } catch (error) {
      this.show({ unread: `${file.name} cannot be opened: ${sayError(error)}.` });
    }
  }

  /** Go on to the next step, where nothing is missing; cards are asked for only once. */
  goOn() {
    const { step, state } = this.store;
    if (step === "setup") {
      if (this.sheet.findNameFault(state)) {
        document.getElementById("names-error")?.scrollIntoView({ block: "center" });
        return;
      }
      const { dealt } = this.data;
      if (state.cards.length !== dealt && !this.shown.asked) {
        this.askForCards();
        return;
      }
    }
    this.show({ figure: "" });
    this.store.go(STEPS[STEPS.indexOf(step as (typeof STEPS)[number]) + 1]);
    this.focus();
  }

  goTo(step: string) {
    this.store.go(step);
    this.focus();
  }

  /** A step begins at its heading, for those who do not see that it is another one. */
  private focus() {
    scrollTo(0, 0);
    document.querySelector<HTMLElement>("main h2")?.focus({ preventScroll: true });
  }

  askForCards() {
    this.show({ asked: `Which ${this.data.dealt} cards did you play with?` });
    document.getElementById("cards")?.scrollIntoView({ block: "center" });
  }

  /** Ask the rules about the game. */
  private async score() {
    const facts = this.sheet.factsOf(this.store.state);
    if (facts === this.askedOf && this.shown.answer) {
      this.show({ answer: { ...this.shown.answer, ...this.nameAnswer(this.shown.answer) } });
      return;
    }
    this.askedOf = facts;
    this.show({ answer: null, fault: "", figure: "" });
    try {
      const found = await this.asker.ask(`${this.data.program}\n${facts}\n`, ["--warn=none"]);
      if (!found) return; // a newer question has come
      this.show({ answer: readAnswer(found, this.sheet, this.store.state) });
    } catch (error) {
      this.show({ fault: error instanceof Error ? error.message : String(error) });
    }
  }

  private nameAnswer(answer: Answer) {
    return readAnswer(answer.from, this.sheet, this.store.state);
  }

  // The picture to send, and the other ways.

  private get card() {
    const { answer } = this.shown;
    return answer?.total ? drawCard(this.sheet, this.store.state, answer, answer.total) : null;
  }

  async share() {
    const { card } = this;
    const text = document.getElementById("verdict")?.textContent ?? "";
    this.tell(card ? await shareCard(card, this.store.state, text) : NO_CARDS);
  }

  async saveCard() {
    const { card } = this;
    this.tell(card ? await saveCard(card, this.store.state) : NO_CARDS);
  }

  saveText() {
    saveText(this.sheet.textOf(this.store.state), this.store.state);
    this.tell("The board is saved as a text file for kb-score.");
  }

  async copyLink() {
    if (!(await this.store.writeLink()))
      this.tell("This page has no address here that could be a link: save the game as text.");
    else if (await copyText(location.href)) this.tell("The link is copied.");
    else this.tell("Your browser does not allow that: copy the address of this page.");
  }
}

boot<SheetData>(async (data, wasm) => {
  const page = new Page(data, wasm);
  await page.store.open(location.hash);
  await page.settled();
  return page;
});
