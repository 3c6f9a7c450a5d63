// Globals: the worker as a text, and what tests may use.
declare module "virtual:worker" {
  const source: string;
  export default source;
}

interface Window {
  kb: import("./boot.ts").Kb;
}
