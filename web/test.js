// Runs the tests that need no page: node test.js [ARGUMENTS OF NODE]
//
// They are bundled first, since node does not read TypeScript, into one file each, next to their cases.

import { buildSync } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tests = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.js"));
const folder = mkdtempSync(join(tmpdir(), "kb-score-web-"));
buildSync({
  absWorkingDir: here,
  entryPoints: tests.map((name) => `test/${name}`),
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  define: { "import.meta.dirname": JSON.stringify(join(here, "test")) },
});
const files = tests.map((name) => join(folder, name.replace(/js$/, "mjs")));
const { status } = spawnSync("node", ["--test", ...process.argv.slice(2), ...files], {
  stdio: "inherit",
});
rmSync(folder, { recursive: true });
process.exit(status ?? 1);
