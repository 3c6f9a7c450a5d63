/* clingo in a worker: gets the compiled module once, then one program at a time. */

import factory from "../node_modules/clingo-wasm/dist/clingo.js";

let [clingo, out, err] = [null, [], []];

const start = (module) => factory(/** @type {any} */ ({
  print: (line) => out.push(line),
  printErr: (line) => err.push(line),
  instantiateWasm: (imports, receive) => {
    WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
    return {};
  },
}));

function solve(program, options) {
  [out, err] = [[], []];
  const words = ["--outf=2", ...options].join(" ");
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
