// Globals: the worker as a text, and the objects that tests read.
declare module "virtual:worker" {
  const source: string;
  export default source;
}

interface Window {
  contest: any;
  playground: any;
  replay: any;
  report: any;
  sheet: any;
  table: any;
}
