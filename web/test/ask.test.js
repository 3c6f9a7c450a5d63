// Questions: the newest one wins, and ends one that goes on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Asker } from "../kernel/ask.ts";
import { saveFile, shareFile } from "../kernel/share.ts";

/** A clingo that answers a program after so many milliseconds; "never" never ends. */
class Slow {
  ended = 0;
  asked = [];

  run(program) {
    this.asked.push(program);
    return new Promise((resolve, reject) => {
      this.end = reject;
      if (program !== "never")
        this.timer = setTimeout(() => resolve({ out: program }), Number(program));
    });
  }

  restart() {
    this.ended += 1;
    clearTimeout(this.timer);
    this.end(new Error("ended"));
  }
}

test("a correction of an endless rule is answered within a second", async () => {
  const clingo = new Slow();
  const said = [];
  const asker = new Asker(clingo, (isRunning) => said.push(isRunning));
  const endless = asker.ask("never");
  await new Promise((done) => setTimeout(done, 400));
  const begin = Date.now();
  const { out } = await asker.ask("10");
  assert.equal(out, "10");
  assert.equal(await endless, null);
  assert.ok(Date.now() - begin < 1000);
  assert.equal(clingo.ended, 1);
  assert.deepEqual(said, [true, false]);
});

test("of questions that wait, only the newest is asked", async () => {
  const clingo = new Slow();
  const asker = new Asker(clingo);
  const answers = await Promise.all(["50", "51", "52"].map((program) => asker.ask(program)));
  assert.deepEqual(
    answers.map((answer) => answer?.out ?? null),
    [null, null, "52"],
  );
  assert.deepEqual(clingo.asked, ["50", "52"]);
  assert.equal(clingo.ended, 0);
});

/** What a phone does when a picture is shared there. */
function makePhone(does) {
  const saved = [];
  const refuse = (name) => () => Promise.reject(new DOMException("no", name));
  const ways = {
    sends: { canShare: () => true, share: async () => {} },
    refuses: { canShare: () => true, share: refuse("NotAllowedError") },
    cancels: { canShare: () => true, share: refuse("AbortError") },
    cannot: {},
  }[does];
  return { ...ways, save: (name) => saved.push(name), saved };
}
const draw = async () => new Blob(["dots"], { type: "image/png" });

for (const [does, says, saves] of [
  ["sends", "", []],
  ["refuses", "The picture is saved.", ["a.png"]],
  ["cancels", "", []],
  ["cannot", "The picture is saved.", ["a.png"]],
]) {
  test(`share the result on a phone that ${does}`, async () => {
    const phone = makePhone(does);
    assert.equal(await shareFile(draw, "a.png", "Anna wins", phone), says);
    assert.deepEqual(phone.saved, saves);
  });
}

test("a canvas that gives nothing is told", async () => {
  const fail = () => Promise.reject(new Error("nothing"));
  const phone = makePhone("sends");
  assert.match(await shareFile(fail, "a.png", "", phone), /take one of the screen/);
  assert.match(await saveFile(fail, "a.png", phone), /take one of the screen/);
  assert.deepEqual(phone.saved, []);
});
