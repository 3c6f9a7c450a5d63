// The state of a page: changed in steps that can be undone, kept in the browser, and linked in the address.
import { pack, unpack } from "./link.ts";

const LINGERING = 300; // milliseconds: browsers do not let an address change at every tap
const MOST_UNDONE = 500;

/** What a store needs of a browser; tests without one have their own. */
interface Surroundings {
  storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;
  history: Pick<History, "pushState" | "replaceState" | "back" | "state">;
  location: Pick<Location, "hash" | "pathname">;
  listen: (kind: "popstate" | "hashchange" | "storage", hear: (event: any) => void) => void;
}

interface Options<State> {
  /** What stands before a state in the address, such as "#sheet=". */
  prefix: string;
  /** The name under which the browser keeps the state. */
  key: string;
  /** A state to begin with. */
  begin: () => State;
  /** What somebody else may have written as a state; an error says what is wrong with it. */
  check: (value: any) => State;
  surroundings?: Surroundings;
}

interface Past<State> {
  state: State;
  label: string;
  merge: string;
}

/** What the browser keeps: a game and its name, since tabs may have different ones. */
interface Kept {
  id: string;
  state: unknown;
  step?: string;
}

/** The browser around a page; where it is forbidden to keep something, there is no storage. */
function findSurroundings(): Surroundings {
  let storage = null;
  try {
    storage = window.localStorage;
  } catch {
    // such as in a frame of another site
  }
  const listen: Surroundings["listen"] = (kind, hear) => addEventListener(kind, hear);
  return { storage, history, location, listen };
}

const makeId = () => Math.random().toString(36).slice(2);

export class Store<State extends object> {
  /** What is shown. It is never changed, but replaced. */
  state: State;
  /** The step of the page that is shown, with the dialog that is open in it, if any: "setup:cards". It is not undone. */
  view: string;
  /** Why the link could not be opened, or what else is to be told of the beginning. */
  note = "";
  /** Whether the browser has kept the state, and whether the address holds it. */
  isKept = false;
  isLinked = false;
  private done: Past<State>[] = [];
  private undone: Past<State>[] = [];
  private id = makeId();
  /** Whether the state is one that somebody has sent, and is not kept until it is changed. */
  private isSent = false;
  /** The address as it was written here, and one that Back led to. */
  private written = "";
  private passed = "";
  private readonly hearers: (() => void)[] = [];
  private writing: ReturnType<typeof setTimeout> | undefined;
  private opening: Promise<void> = Promise.resolve();
  private readonly options: Options<State>;
  private readonly steps: readonly string[];
  private readonly around: Surroundings;

  constructor(steps: readonly string[], options: Options<State>) {
    this.options = options;
    this.steps = steps;
    this.around = options.surroundings ?? findSurroundings();
    this.state = options.begin();
    this.view = steps[0];
    const { listen } = this.around;
    listen("popstate", ({ state }) => {
      // An address that was typed or followed has no state of ours: it is a link. One that Back leads to
      // may hold an older state, which is not what was asked for.
      this.passed = state?.view ? this.around.location.hash : "";
      if (state?.view) this.show(state.view);
    });
    listen("hashchange", ({ newURL }) => {
      const { hash } = new URL(newURL); // the address may have changed since
      if (hash !== this.written && hash !== this.passed) this.opening = this.open(hash);
    });
    listen("storage", ({ key }) => {
      if (key === options.key) this.follow();
    });
  }

  /** The step that is shown, and the dialog that is open in it. */
  get step() {
    return this.view.split(":")[0];
  }

  get dialog() {
    return this.view.split(":")[1] ?? "";
  }

  /** Call a function whenever something is to be shown anew. */
  subscribe(hear: () => void) {
    this.hearers.push(hear);
  }

  /** Begin with the state of an address, or with the one that was kept. */
  async open(fragment: string) {
    const { begin, check, prefix } = this.options;
    const isLink = fragment.startsWith(prefix);
    this.note = "";
    try {
      if (isLink) {
        const sent = await unpack(fragment.slice(prefix.length));
        const state = check(sent);
        const kept = this.read();
        const isMine = JSON.stringify(kept?.state) === JSON.stringify(state);
        this.begin(state, isMine && kept ? kept.id : makeId());
        this.isSent = !isMine;
        this.view = this.findStep(sent.step);
      } else {
        const kept = this.read();
        this.begin(kept ? check(kept.state) : begin(), kept?.id);
        this.view = this.findStep(kept?.step);
      }
    } catch (error) {
      const says = error instanceof Error ? error.message : String(error);
      if (isLink) this.note = `This link cannot be opened: ${says}. Ask for it again.`;
    }
    this.replaceEntry();
    this.tell();
  }

  private findStep(step: string = "") {
    return this.steps.includes(step) ? step : this.steps[0];
  }

  private begin(state: State, id = makeId()) {
    [this.state, this.id, this.done, this.undone, this.isSent] = [state, id, [], [], false];
  }

  /** Begin anew; what was there can be taken back, by name. */
  restart(state: State) {
    this.saveLast();
    this.begin(state);
    this.go(this.steps[0]);
    this.keep();
  }

  /** Begin as if nothing had been kept. */
  forget(state: State) {
    clearTimeout(this.writing);
    for (const key of [this.options.key, this.lastKey]) this.around.storage?.removeItem(key);
    this.begin(state);
    this.view = this.steps[0];
    this.around.history.replaceState({ view: this.view }, "", this.around.location.pathname);
    this.tell();
  }

  /** Change the state; changes one after the other that merge, such as letters of a name, are undone together. */
  change(label: string, change: Partial<State>, merge = "") {
    const state = { ...this.state, ...change };
    if (JSON.stringify(state) === JSON.stringify(this.state)) return;
    if (!merge || this.done.at(-1)?.merge !== merge) {
      this.done.push({ state: this.state, label, merge });
      if (this.done.length > MOST_UNDONE) this.done.shift();
    }
    this.undone = [];
    this.state = state;
    this.keep();
    this.tell();
  }

  get canUndo() {
    return this.done.length > 0;
  }

  get canRedo() {
    return this.undone.length > 0;
  }

  /** Go back to before the last change; returns what it was, or nothing. */
  undo() {
    return this.move(this.done, this.undone);
  }

  /** Do again what was undone last; returns what it was, or nothing. */
  redo() {
    return this.move(this.undone, this.done);
  }

  private move(from: Past<State>[], to: Past<State>[]) {
    const past = from.pop();
    if (!past) return "";
    to.push({ ...past, state: this.state });
    this.state = past.state;
    this.keep();
    this.tell();
    return past.label;
  }

  /** Show a step, or a dialog in it; the browser's Back leads to what was shown before. */
  go(view: string) {
    if (view === this.view) return;
    this.view = view;
    try {
      this.around.history.pushState({ view }, "");
    } catch {
      // such as in a frame, where Back is not ours
    }
    this.keep();
    this.tell();
  }

  /** Close the dialog that is open. */
  close() {
    this.show(this.step);
    this.replaceEntry();
  }

  private show(view: string) {
    if (!this.steps.includes(view.split(":")[0])) return;
    this.view = view;
    this.keep();
    this.tell();
  }

  private replaceEntry() {
    try {
      this.around.history.replaceState({ view: this.view }, "");
    } catch {
      // see `go`
    }
  }

  /** The state that was kept before this one, if it is another game. */
  get last(): State | null {
    const kept = this.read(this.lastKey);
    if (!kept || kept.id === this.id) return null;
    try {
      return this.options.check(kept.state);
    } catch {
      return null;
    }
  }

  /** Go on with the game before this one, which becomes the last one. */
  takeLast() {
    const kept = this.read(this.lastKey);
    const state = this.last;
    if (!kept || !state) return;
    this.saveLast();
    this.begin(state, kept.id);
    this.view = this.findStep(kept.step);
    this.keep();
    this.tell();
  }

  /** Wait until everything is kept, and stands in the address. */
  async settled() {
    await this.opening;
    await this.writeLink();
  }

  /** A link to the state; nothing where the page has no address that could be one. */
  async writeLink() {
    clearTimeout(this.writing);
    const fragment = this.options.prefix + (await pack({ ...this.state, step: this.step }));
    const { history, location } = this.around;
    try {
      history.replaceState({ view: this.view }, "", fragment);
    } catch {
      // Some browsers limit how often the address may change; others let no frame change it.
    }
    this.isLinked = location.hash === fragment;
    this.written = location.hash;
    return this.isLinked;
  }

  private get lastKey() {
    return `${this.options.key} last`;
  }

  /** Keep the state in the browser at once, and soon in the address. */
  private keep() {
    if (this.isSent && !this.done.length) return; // a game that somebody has sent is only looked at
    const before = this.read();
    if (before && before.id !== this.id) this.write(this.lastKey, before);
    this.isKept = this.write(this.options.key, { id: this.id, state: this.state, step: this.step });
    clearTimeout(this.writing);
    this.writing = setTimeout(() => void this.writeLink(), LINGERING);
  }

  private saveLast() {
    const before = this.read();
    if (before && before.id === this.id) this.write(this.lastKey, before);
  }

  /** Another tab has kept something: of the same game it is shown here, too. */
  private follow() {
    const kept = this.read();
    if (kept?.id !== this.id) return;
    try {
      const state = this.options.check(kept.state);
      if (JSON.stringify(state) === JSON.stringify(this.state)) return;
      this.done.push({ state: this.state, label: "what another tab has changed", merge: "" });
      this.state = state;
      this.tell();
    } catch {
      // what cannot be read changes nothing
    }
  }

  private read(key = this.options.key): Kept | null {
    try {
      const kept = JSON.parse(this.around.storage?.getItem(key) ?? "null");
      return typeof kept?.id === "string" ? kept : null;
    } catch {
      return null;
    }
  }

  /** Write something into the storage; whether it is there then. */
  private write(key: string, kept: Kept) {
    const text = JSON.stringify(kept);
    try {
      this.around.storage?.setItem(key, text);
      return this.around.storage?.getItem(key) === text;
    } catch {
      return false; // full, or forbidden
    }
  }

  private tell() {
    for (const hear of this.hearers) hear();
  }
}
