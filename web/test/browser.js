// A browser for the tests of stores: tabs with their histories, and what they keep together.
import { Store } from "../kernel/store.ts";

export class Browser {
  kept = new Map();
  tabs = [];
  /** What the storage does: "keeps", "full" (it refuses), "absent", or "forgets" (it takes all, and has nothing). */
  storage = "keeps";

  getStorage(tab) {
    if (this.storage === "absent") return null;
    return {
      getItem: (key) => this.kept.get(key) ?? null,
      removeItem: (key) => this.kept.delete(key),
      setItem: (key, text) => {
        if (this.storage === "full") throw new Error("QuotaExceededError");
        if (this.storage === "forgets") return;
        this.kept.set(key, text);
        for (const other of this.tabs) if (other !== tab) other.tell("storage", { key });
      },
    };
  }
}

export class Tab {
  hearers = { popstate: [], hashchange: [], storage: [] };
  entries = [{ state: null, hash: "" }];
  at = 0;
  /** Whether the address may change: not in a frame, whose address stays what it is. */
  isFrame = false;

  constructor(browser, hash = "") {
    this.browser = browser;
    this.entries[0].hash = hash;
    browser.tabs.push(this);
  }

  get entry() {
    return this.entries[this.at];
  }

  tell(kind, event) {
    for (const hear of this.hearers[kind]) hear(event);
  }

  surroundings() {
    const tab = this;
    const put = (state, fragment, isNew) => {
      if (tab.isFrame) throw new Error("SecurityError");
      const hash = fragment?.startsWith("#")
        ? fragment
        : fragment === undefined
          ? tab.entry.hash
          : "";
      if (isNew) tab.entries.splice((tab.at += 1), Infinity, { state, hash });
      else tab.entries[tab.at] = { state, hash };
    };
    return {
      storage: tab.browser.getStorage(tab),
      history: {
        get state() {
          return tab.entry.state;
        },
        pushState: (state, _, fragment) => put(state, fragment, true),
        replaceState: (state, _, fragment) => put(state, fragment, false),
        back: () => tab.back(),
      },
      location: {
        get hash() {
          return tab.entry.hash;
        },
        pathname: "/sheet.html",
      },
      listen: (kind, hear) => tab.hearers[kind].push(hear),
    };
  }

  /** The Back of the browser; false if it leaves the page. */
  back() {
    if (!this.at) return false;
    const { hash } = this.entry;
    this.at -= 1;
    this.tell("popstate", { state: this.entry.state });
    if (this.entry.hash !== hash)
      this.tell("hashchange", { newURL: `file:///sheet.html${this.entry.hash}` });
    return true;
  }

  /** Follow a link to the same page. */
  follow(hash) {
    this.entries.splice((this.at += 1), Infinity, { state: null, hash });
    this.tell("popstate", { state: null });
    this.tell("hashchange", { newURL: `file:///sheet.html${hash}` });
  }
}

/** Open a page of a sheet in a tab. */
export async function openPage(sheet, tab) {
  const store = new Store(["setup", "place", "result"], {
    prefix: "#sheet=",
    key: "sheet",
    begin: () => sheet.begin(),
    check: (kept) => sheet.check(kept),
    surroundings: tab.surroundings(),
  });
  await store.open(tab.entry.hash);
  await store.settled();
  return store;
}
