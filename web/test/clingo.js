// clingo in this process, and texts in which its own way of writing does not count.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// The package finds its WebAssembly beside itself: it is not bundled.
const RUN = pathToFileURL(join(import.meta.dirname, "../node_modules/clingo-wasm/dist/run.js"));

/** Start clingo; returns a function from a program to the atoms of its first answer set. */
export async function startClingo() {
  const { init } = await import(RUN.href);
  const run = await init({ singleThreaded: true });
  return async (program) => {
    const { Call, Error: message } = run(program, 1, ["--warn=none"]);
    if (!Call?.[0].Witnesses) throw new Error(message ?? "there is no answer set");
    return Call[0].Witnesses[0].Value;
  };
}

/** Remove what clingo writes in its own way: blanks, and brackets around a sum. */
export const squeeze = (text) =>
  text
    .replace(/("(?:\\.|[^"\\])*")|\s*([^\w\s'"])\s*/g, "$1$2")
    .replace(/(?<![\w'])\(([^(),"]+)\)/g, "$1");
