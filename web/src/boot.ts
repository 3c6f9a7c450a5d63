// How a page begins, and what its tests may use of it.

/** What tests may use of a page, as `window.kb`; web/README.md says what the state of each page is. */
export interface Kb {
  /** What the page keeps and shows, as plain data. */
  readonly state: unknown;
  /** Ends when what is shown and stored belongs to all that was done. */
  settled(): Promise<unknown>;
  /** Takes the page back to how it was opened. */
  reset(): Promise<unknown>;
}

/** Let tests see a page, and nothing else of it. */
export function expose(page: Kb) {
  window.kb = {
    get state() {
      return page.state;
    },
    settled: () => page.settled(),
    reset: () => page.reset(),
  };
}
