// @ts-check
/* Questions to clingo: one at a time, and ended with its worker if it takes too long. */

import source from "virtual:worker";
import { toBytes } from "./dom.js";

const OUT_OF_MEMORY = 33;
const MOST_MODELS = 2;

/**
 * The answer to a question. A question that had to be ended is `stopped`, and has nothing else; one that has used up the memory is
 * `full`, and has no models.
 * @typedef {{models?: string[][], err?: string, out?: string, status?: number, isFull?: boolean, stopped?: boolean}} Answer
 */

export class Engine {
  /**
   * Start with a WebAssembly module, or with the compressed bytes of one.
   * @param {{constants: Record<string, string>, limit: number}} data after so many milliseconds a question is ended that says
   *   no other limit
   * @param {string} packed
   * @param {Promise<WebAssembly.Module>} [module]
   */
  constructor(data, packed, module) {
    this.data = data;
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.module = module ?? compile(packed);
    this.worker = new Worker(this.url);
    this.ready = this.prepare();
  }

  /** Another clingo, for questions that do not wait for each other. */
  twin() { return new Engine(this.data, "", this.module); }

  /** Send the module to the worker. */
  prepare() {
    const { worker } = this;
    const ready = this.module.then((module) => send(worker, { module }));
    ready.catch(() => {}); // the next question reports the error
    return ready;
  }

  /**
   * Run a program: return messages, and the atoms of at most two answer sets, since a second one is a mistake in the rules.
   * @param {string} program
   * @param {string[]} more options
   * @returns {Promise<Answer>}
   */
  async run(program, more = [], limit = this.data.limit) {
    await this.ready;
    const { constants } = this.data;
    const options = [...more, ...Object.entries(constants).flatMap(([name, value]) => ["-c", `${name}=${value}`]), MOST_MODELS];
    /** @type {number | undefined} */
    let timer;
    /** @type {Promise<Answer>} */
    const late = new Promise((resolve) => {
      if (limit < Infinity) timer = setTimeout(() => resolve({ stopped: true }), limit);
    });
    try {
      const answer = await Promise.race([send(this.worker, { program, options }), late]);
      answer.isFull = answer.status === OUT_OF_MEMORY;
      if (answer.stopped || answer.isFull) this.restart();
      else answer.models = readModels(answer.out ?? "");
      return answer;
    } catch (error) {
      this.restart(); // a clingo that has failed, such as for lack of memory, is not used again
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  restart() {
    this.worker.terminate();
    this.worker = new Worker(this.url);
    this.ready = this.prepare();
  }
}

/** The atoms of each answer set, of what clingo writes as JSON. @param {string} out @returns {string[][]} */
const readModels = (out) => (JSON.parse(out).Call?.[0]?.Witnesses ?? []).map((/** @type {{Value: string[]}} */ { Value }) => Value);

/** Compile while it is unpacked. @param {string} packed */
function compile(packed) {
  const unpacked = new Blob([toBytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
}

/** Send a message to a worker, and wait for the answer. @param {Worker} worker @param {object} message @returns {Promise<Answer>} */
const send = (worker, message) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => (data.failure ? reject(new Error(data.failure)) : resolve(data));
  worker.onerror = (event) => reject(new Error(event.message || "the worker failed"));
  worker.postMessage(message);
});
