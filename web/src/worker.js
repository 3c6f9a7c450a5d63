// @ts-check
/* clingo in a worker: gets the compiled module once, then one program at a time. */

import factory from "../node_modules/clingo-wasm/dist/clingo.js";

/** @type {import("../node_modules/clingo-wasm/dist/clingo.js").ClingoModule | null} */
let clingo = null;
/** @type {string[]} */
let out = [];
/** @type {string[]} */
let err = [];

/** @param {WebAssembly.Module} module */
const start = (module) => factory(/** @type {any} */ ({
  print: (/** @type {string} */ line) => out.push(line),
  printErr: (/** @type {string} */ line) => err.push(line),
  /** @param {WebAssembly.Imports} imports @param {(instance: WebAssembly.Instance, module: WebAssembly.Module) => void} receive */
  instantiateWasm: (imports, receive) => {
    WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
    return {};
  },
}));

/** @param {string} program @param {string[]} options */
function solve(program, options) {
  [out, err] = [[], []];
  const words = ["--outf=2", ...options].join(" ");
  if (!clingo) throw new Error("clingo has not started");
  const status = clingo.ccall("run", "number", ["string", "string"], [program, words]);
  return { status, out: out.join("\n"), err: err.join("\n") };
}

onmessage = async ({ data: { module, program, options } }) => {
  try {
    if (module) clingo = await start(module);
    postMessage(module ? { ready: true } : solve(program, options));
  } catch (error) {
    postMessage({ failure: String(error) });
  }
};
