/* Questions to clingo: one at a time, and ended with its worker if it takes too long. */

import worker from "virtual:worker";
import { toBytes } from "../../kb_score/shell/page/dom.js";

const OUT_OF_MEMORY = 33;

export class Engine {
  /* `data` has constants, and after how many milliseconds a question is ended that says no other limit. */
  constructor(data, packed, module) {
    this.data = data;
    this.url = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
    this.module = module ?? this.compile(packed);
    this.module.catch(() => {}); // whoever asks hears of it
    this.start();
  }

  /* Compile while it is unpacked. */
  compile(packed) {
    const unpacked = new Blob([toBytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
    const headers = { "Content-Type": "application/wasm" };
    return WebAssembly.compileStreaming(new Response(unpacked, { headers }));
  }

  /* Another clingo, for questions that do not wait for each other. */
  twin() {
    return new Engine(this.data, null, this.module);
  }

  start() {
    const started = new Worker(this.url);
    this.worker = started;
    this.ready = this.module.then((module) => this.send(started, { module }));
    this.ready.catch(() => {});
  }

  /* Send a message, and wait for the answer. */
  send(to, message) {
    return new Promise((resolve, reject) => {
      to.onmessage = ({ data }) => (data.failure ? reject(new Error(data.failure)) : resolve(data));
      to.onerror = (event) => reject(new Error(event.message || "the worker failed"));
      to.postMessage(message);
    });
  }

  /* Run a program: messages, and the atoms of each answer set; or {stopped: true} if it had to be ended. */
  async run(program, more = [], limit = this.data.limit) {
    await this.ready;
    const { constants } = this.data;
    const options = [...more, ...Object.entries(constants).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
    let timer;
    const late = new Promise((resolve) => {
      if (limit < Infinity) timer = setTimeout(() => resolve({ stopped: true }), limit);
    });
    try {
      const answer = await Promise.race([this.send(this.worker, { program, options }), late]);
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
