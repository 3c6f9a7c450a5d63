/* Questions to clingo: one at a time, and ended with its worker if it takes too long. */

import source from "virtual:worker";
import { toBytes } from "./dom.ts";

const OUT_OF_MEMORY = 33;
const MOST_MODELS = 2;

/** The answer to a question. A question that had to be ended is `stopped`, and has nothing else; one that has used up the memory is
 * `full`, and has no models. */
export type Answer = {
  models?: string[][];
  err?: string;
  out?: string;
  status?: number;
  isFull?: boolean;
  stopped?: boolean;
};

/** A question was ended for another one. */
class Ended extends Error {}

export class Engine {
  data: { constants: Record<string, string>; limit: number };
  url: string;
  module: Promise<WebAssembly.Module>;
  worker: Worker;
  ready: Promise<Answer>;
  private end: (reason: Error) => void = () => {};

  /** Start with a WebAssembly module, or with the compressed bytes of one. `data`: after so many milliseconds a question is ended that says no other limit. */
  constructor(
    data: { constants: Record<string, string>; limit: number },
    packed: string,
    module?: Promise<WebAssembly.Module>,
  ) {
    this.data = data;
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.module = module ?? compile(packed);
    this.worker = new Worker(this.url);
    this.ready = this.prepare();
  }

  /** Another clingo, for questions that do not wait for each other. */
  twin() {
    return new Engine(this.data, "", this.module);
  }

  /** Send the module to the worker. */
  prepare() {
    const { worker } = this;
    const ready = this.module.then((module) => this.send(worker, { module }));
    ready.catch(() => {}); // the next question reports the error
    return ready;
  }

  /** Run a program: return messages, and the atoms of at most two answer sets, since a second one is a mistake in the rules. `more` options. */
  async run(program: string, more: string[] = [], limit = this.data.limit): Promise<Answer> {
    await this.ready;
    const { constants } = this.data;
    const options = [
      ...more,
      ...Object.entries(constants).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
      MOST_MODELS,
    ];
    let timer: number | undefined;
    const late: Promise<Answer> = new Promise((resolve) => {
      if (limit < Infinity) timer = setTimeout(() => resolve({ stopped: true }), limit);
    });
    try {
      const answer = await Promise.race([this.send(this.worker, { program, options }), late]);
      answer.isFull = answer.status === OUT_OF_MEMORY;
      if (answer.stopped || answer.isFull) this.restart();
      else answer.models = readModels(answer.out ?? "");
      return answer;
    } catch (error) {
      // A clingo that has failed, such as for lack of memory, is not used again.
      if (!(error instanceof Ended)) this.restart();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Send a message to a worker, and wait for the answer. */
  private send(worker: Worker, message: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.end = reject;
      worker.onmessage = ({ data }) =>
        data.failure ? reject(new Error(data.failure)) : resolve(data);
      worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
      worker.postMessage(message);
    });
  }

  /** Go on with a new worker; the question that the old one was asked fails. */
  restart() {
    this.worker.terminate();
    this.end(new Ended());
    this.worker = new Worker(this.url);
    this.ready = this.prepare();
  }
}

/** The atoms of each answer set, of what clingo writes as JSON. */
const readModels = (out: string): string[][] =>
  (JSON.parse(out).Call?.[0]?.Witnesses ?? []).map(({ Value }: { Value: string[] }) => Value);

/** Compile while it is unpacked. */
function compile(packed: string) {
  const unpacked = new Blob([toBytes(packed)])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(
    new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }),
  );
}
