// Builds the scripts of all pages: node build.js [FOLDER]
//
// Into FOLDER, by default that of the package, go the scripts, the wasm of clingo, gzipped, and the
// licences of all that is in them. The rules are not in it: the command puts them into the page.

import { build, transform } from "esbuild";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "..", "kb_score", "shell", "page");
const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
};

async function bundle(options) {
  const { outputFiles, metafile } = await build({ ...common, metafile: true, ...options });
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) };
}

// A worker from a Blob is a classic one, which has no import.meta.
const worker = await bundle({
  entryPoints: ["kernel/worker.ts"],
  format: "iife",
  define: { "import.meta.url": '"blob:"' },
  external: ["node:module"],
});

const asText = {
  name: "worker",
  setup(plugins) {
    plugins.onResolve({ filter: /^virtual:worker$/ }, ({ path }) => ({ path, namespace: "text" }));
    plugins.onLoad({ filter: /.*/, namespace: "text" }, () => ({
      contents: worker.text,
      loader: "text",
    }));
  },
};
// The script of each page, by the name of the page, and its styles below the tokens.
const pages = {
  contest: "contest/contest.tsx",
  coverage: null,
  playground: "playground/playground.ts",
  replay: "replay/replay.tsx",
  report: "report/report.tsx",
  sheet: "sheet/sheet.tsx",
  tabletop: "tabletop/tabletop.ts",
};
const onKernel = ["sheet"];
const read = (...path) =>
  existsSync(join(here, ...path)) ? readFileSync(join(here, ...path), "utf8") : "";
const inputs = [...worker.inputs];
mkdirSync(folder, { recursive: true });
for (const name of ["frame.html", "old_browser.js"])
  writeFileSync(join(folder, name), read("kernel", name));
for (const [name, source] of Object.entries(pages)) {
  const base = onKernel.includes(name) ? "base.css" : "page.css";
  const style = [read("kernel", "tokens.css"), read("kernel", base), read(name, `${name}.css`)];
  const { code } = await transform(style.join("\n"), {
    loader: "css",
    minify: true,
    target: "es2022",
  });
  writeFileSync(join(folder, `${name}.css`), code);
  writeFileSync(join(folder, `${name}.html`), read(name, `${name}.html`));
  if (!source) continue;
  const page = await bundle({ entryPoints: [source], format: "iife", plugins: [asText] });
  // Neither may stand in a script that is a part of a page.
  const script = page.text.replaceAll("<!--", "<\\!--").replaceAll(/<\/(script)/gi, "<\\/$1");
  if (script.includes("clingo-mt")) throw new Error("the build with threads is no use in a page");
  writeFileSync(join(folder, `${name}.js`), script);
  inputs.push(...page.inputs);
}

const names = [
  ...new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
];
const licences = names.sort().map((name) => {
  const at = join(here, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(at, "package.json"), "utf8"));
  return `${name} ${version}\n\n${readFileSync(join(at, "LICENSE"), "utf8").trim()}\n`;
});

const wasm = readFileSync(join(here, "node_modules/clingo-wasm/dist/clingo.wasm"));
writeFileSync(join(folder, "clingo.wasm.gz"), gzipSync(wasm, { level: 9 }));
writeFileSync(join(folder, "playground.licences.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));
