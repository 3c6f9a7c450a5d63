// How a page starts, or says why it cannot; and what its tests may use of it.
import { byId, readData } from "../src/dom.ts";
import { expose, type Kb } from "../src/boot.ts";

const NEEDED: [string, () => unknown][] = [
  ["WebAssembly", () => typeof WebAssembly],
  ["DecompressionStream", () => typeof DecompressionStream],
];

/** Start a page with its data and clingo, and let tests see it. */
export async function boot<Data>(start: (data: Data, wasm: string) => Promise<Kb>) {
  try {
    const missing = NEEDED.filter(([, find]) => find() === "undefined").map(([name]) => name);
    if (missing.length) throw new Error(`it has no ${missing.join(" and no ")}`);
    const wasm = document.getElementById("wasm")?.textContent?.trim() ?? "";
    expose(await start(await readData<Data>(), wasm));
    byId("cannot")?.remove();
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error);
    const text = `This page cannot start in this browser: ${says}. It needs Chrome or Edge 110, Firefox 115 or Safari 16.4, or a newer one.`;
    Object.assign(byId("cannot"), { textContent: text, hidden: false });
  } finally {
    document.documentElement.dataset.ready = "yes";
  }
}
