// @ts-check
// How a page begins, and what its tests may use of it.

/**
 * What tests may use of a page, as `window.kb`; web/README.md says what the state of each page is.
 * @typedef {object} Kb
 * @property {any} state what the page keeps and shows, as plain data
 * @property {() => Promise<unknown>} settled ends when what is shown and stored belongs to all that was done
 * @property {() => Promise<unknown>} reset takes the page back to how it was opened
 */

/** Let tests see a page, and nothing else of it. @param {Kb} page */
export function expose(page) {
  window.kb = { get state() { return page.state; }, settled: () => page.settled(), reset: () => page.reset() };
}
