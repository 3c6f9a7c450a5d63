// What is there without being imported: the worker as a text, and what tests look at.
declare module "virtual:worker" {
  const source: string;
  export default source;
}

interface Window {
  contest: any;
  coverage: any;
  playground: any;
  replay: any;
  report: any;
  sheet: any;
  table: any;
}
