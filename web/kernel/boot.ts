// How a page starts, or says why it cannot; and what its tests may use of it.
import { byId, readData, sayError } from "./dom.ts";

/** What tests may use of a page, as `window.kb`; web/README.md says what the state of each page is. */
export interface Kb {
  /** What the page keeps and shows, as plain data. */
  readonly state: unknown;
  /** Ends when what is shown and stored belongs to all that was done. */
  settled(): Promise<unknown>;
  /** Takes the page back to how it was opened. */
  reset(): Promise<unknown>;
}

/** Start a page with its data, and with clingo where it asks rules, and let tests see it, and nothing else of it. */
export async function boot<Data>(start: (data: Data, wasm: string) => Promise<Kb>) {
  try {
    const wasm = document.getElementById("wasm")?.textContent?.trim() ?? "";
    const missing = [
      ...(typeof DecompressionStream === "undefined" ? ["DecompressionStream"] : []),
      ...(wasm && typeof WebAssembly === "undefined" ? ["WebAssembly"] : []),
    ];
    if (missing.length) throw new Error(`it has no ${missing.join(" and no ")}`);
    const page = await start(await readData<Data>(), wasm);
    window.kb = {
      get state() {
        return page.state;
      },
      settled: () => page.settled(),
      reset: () => page.reset(),
    };
  } catch (error) {
    sayCannot(sayError(error));
  } finally {
    document.documentElement.dataset.ready = "yes";
  }
}

/** Say that the page cannot start; the script in the frame says so where this one cannot be read. */
function sayCannot(why: string) {
  const text = `This page cannot start in this browser: ${why}. It needs Chrome or Edge 110, Firefox 115 or Safari 16.4, or a newer one.`;
  Object.assign(byId("cannot"), { textContent: text, hidden: false });
  for (const part of document.querySelectorAll("main, nav")) part.toggleAttribute("inert", true);
}
