/* clingo in a worker: gets the compiled module once, then one program at a time. */

import type { ClingoModule } from "../node_modules/clingo-wasm/dist/clingo.js";
import factory from "../node_modules/clingo-wasm/dist/clingo.js";

let clingo: ClingoModule | null = null;
let out: string[] = [];
let err: string[] = [];

const start = (module: WebAssembly.Module) =>
  factory({
    print: (line: string) => out.push(line),
    printErr: (line: string) => err.push(line),
    instantiateWasm: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
    ) => {
      WebAssembly.instantiate(module, imports).then((instance) => receive(instance, module));
      return {};
    },
  } as any);

function solve(program: string, options: string[]) {
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
