// Questions to clingo: the newest one wins.
import type { Answer, Engine } from "./engine.ts";

const TELLING = 300; // milliseconds after which it is told that a question goes on
const PATIENCE = 600; // milliseconds that a question has if a newer one waits for it

/** What runs a program, one at a time, and can be made to stop. */
export type Clingo = Pick<Engine, "run" | "restart">;

export class Asker {
  private readonly clingo: Clingo;
  private readonly say: (isRunning: boolean) => void;
  private newest = 0;
  private began = 0;
  private running: Promise<unknown> | null = null;

  /** `say` is called when it is to be told that a question goes on, and when none does any more. */
  constructor(clingo: Clingo, say: (isRunning: boolean) => void = () => {}) {
    this.clingo = clingo;
    this.say = say;
  }

  /** The answer to a question; null as soon as a newer one has been asked. One that goes on too long is ended for it. */
  async ask(program: string, options: string[] = [], limit?: number): Promise<Answer | null> {
    const number = (this.newest += 1);
    while (this.running) {
      const left = Math.max(0, this.began + PATIENCE - Date.now());
      const isDone = await Promise.race([this.running.then(() => true), wait(left)]);
      if (number !== this.newest) return null;
      if (!isDone && this.running) {
        this.clingo.restart();
        this.running = null;
      }
    }
    this.began = Date.now();
    const telling = setTimeout(() => this.say(true), TELLING);
    const run = this.clingo.run(program, options, limit);
    const running = (this.running = run
      .catch(() => {})
      .finally(() => {
        if (this.running === running) this.running = null;
      }));
    try {
      const answer = await run;
      return number === this.newest ? answer : null;
    } catch (error) {
      if (number !== this.newest) return null; // it was ended
      throw error;
    } finally {
      clearTimeout(telling);
      if (number === this.newest) this.say(false);
    }
  }
}

const wait = (time: number): Promise<false> =>
  new Promise((resolve) => setTimeout(() => resolve(false), time));
