/* clingo in a worker: gets the compiled module once, then one program at a time. */

import factory from "../node_modules/clingo-wasm/dist/clingo.js";

let clingo;
let out = [];
let err = [];

function start(module) {
  clingo = factory({
    print: (line) => out.push(line),
    printErr: (line) => err.push(line),
    instantiateWasm: (imports, receive) => {
      WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
      return {};
    },
  });
  return clingo;
}

async function solve(program, options) {
  const { ccall } = await clingo;
  [out, err] = [[], []];
  // Two answer sets at most: a second one is a mistake in the rules.
  const words = ["--outf=2", ...options, "2"].join(" ");
  const status = ccall("run", "number", ["string", "string"], [program, words]);
  return { status, out: out.join("\n"), err: err.join("\n") };
}

onmessage = async ({ data }) => {
  try {
    if (data.module) {
      await start(data.module);
      postMessage({ ready: true });
    } else {
      postMessage(await solve(data.program, data.options));
    }
  } catch (error) {
    postMessage({ failure: String(error) });
  }
};
