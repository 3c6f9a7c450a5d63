// @ts-check
/* Questions to clingo: one at a time, and ended with its worker if it takes too long. */

import source from "virtual:worker";
import { toBytes } from "./dom.js";

const OUT_OF_MEMORY = 33;

export class Engine {
  /* `data` has constants, and after how many milliseconds a question is ended that says no other limit. */
  constructor(data, packed, module) {
    this.data = data;
    this.url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.module = module ?? compile(packed);
    this.start();
  }

  /* Another clingo, for questions that do not wait for each other. */
  twin() { return new Engine(this.data, null, this.module); }

  start() {
    const worker = new Worker(this.url);
    this.worker = worker;
    this.ready = this.module.then((module) => send(worker, { module }));
    this.ready.catch(() => {}); // whoever asks hears of it
  }

  /* Run a program: messages, and the atoms of each answer set, two at most, for a second one is a mistake in the
     rules; or {stopped: true} if it had to be ended. */
  async run(program, more = [], limit = this.data.limit, count = 2) {
    await this.ready;
    const { constants } = this.data;
    const options = [...more, ...Object.entries(constants).flatMap(([name, value]) => ["-c", `${name}=${value}`]), count];
    let timer;
    const late = new Promise((resolve) => {
      if (limit < Infinity) timer = setTimeout(() => resolve({ stopped: true }), limit);
    });
    try {
      const answer = await Promise.race([send(this.worker, { program, options }), late]);
      answer.isFull = answer.status === OUT_OF_MEMORY;
      if (answer.stopped || answer.isFull) this.restart();
      else answer.models = (JSON.parse(answer.out).Call?.[0]?.Witnesses ?? []).map(({ Value }) => Value);
      return answer;
    } catch (error) {
      this.restart(); // what has failed once, such as for want of memory, is not used again
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  restart() {
    this.worker.terminate();
    this.start();
  }
}

/* Compile while it is unpacked. */
function compile(packed) {
  const unpacked = new Blob([toBytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(new Response(unpacked, { headers: { "Content-Type": "application/wasm" } }));
}

/* Send a message to a worker, and wait for the answer. */
const send = (worker, message) => new Promise((resolve, reject) => {
  Object.assign(worker, {
    onmessage: ({ data }) => (data.failure ? reject(new Error(data.failure)) : resolve(data)),
    onerror: (event) => reject(new Error(event.message || "the worker failed")),
  });
  worker.postMessage(message);
});
