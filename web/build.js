// Builds the scripts of all pages: node build.js [FOLDER]
//
// Into FOLDER, by default that of the package, go the scripts, the wasm of clingo, gzipped, and the
// licences of all that is in them. The rules are not in it: the command puts them into the page.

import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "..", "kb_score", "shell", "page");
const common = { absWorkingDir: here, bundle: true, minify: true, write: false, target: "es2022", charset: "ascii", legalComments: "none" };

async function bundle(options) {
  const { outputFiles, metafile } = await build({ ...common, metafile: true, ...options });
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

// A worker from a Blob is a classic one, which has no import.meta.
const worker = await bundle({
  entryPoints: ["src/worker.js"],
  format: "iife",
  define: { "import.meta.url": '"blob:"' },
  external: ["node:module"],
});

const asText = {
  name: "worker",
  setup(plugins) {
    plugins.onResolve({ filter: /^virtual:worker$/ }, ({ path }) => ({ path, namespace: "text" }));
    plugins.onLoad({ filter: /.*/, namespace: "text" }, () => ({ contents: worker.text, loader: "text" }));
  },
};
// The script of each page, by the name of the page.
const pages = { contest: "contest", playground: "main", replay: "replay", report: "report", sheet: "sheet", tabletop: "table" };
const inputs = [...worker.inputs];
mkdirSync(folder, { recursive: true });
for (const [name, source] of Object.entries(pages)) {
  const page = await bundle({ entryPoints: [`src/${source}.js`], format: "iife", plugins: [asText] });
  // Neither may stand in a script that is a part of a page.
  const script = page.text.replaceAll("<!--", "<\\!--").replaceAll(/<\/(script)/gi, "<\\/$1");
  if (script.includes("clingo-mt")) throw new Error("the build with threads is no use in a page");
  writeFileSync(join(folder, `${name}.js`), script);
  inputs.push(...page.inputs);
}

const names = [...new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []))];
const licences = names.sort().map((name) => {
  const at = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(at, "LICENSE"), "utf8").trim()}\n`;
});

const wasm = readFileSync(join(here, "node_modules/clingo-wasm/dist/clingo.wasm"));
writeFileSync(join(folder, "clingo.wasm.gz"), gzipSync(wasm, { level: 9 }));
writeFileSync(join(folder, "playground.licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
