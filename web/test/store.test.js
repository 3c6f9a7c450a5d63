// What becomes of a game in the browser: transcripts of actions, each with what is seen after it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack } from "../kernel/link.ts";
import { Browser, openPage, Tab } from "./browser.js";
import { makeSheet } from "./sheet.js";

const sheet = makeSheet();

/** The actions of people, by name, and what they see. */
class Person {
  log = [];

  constructor(browser = new Browser(), hash = "") {
    this.browser = browser;
    this.tab = new Tab(browser, hash);
  }

  async open() {
    this.page = await openPage(sheet, this.tab);
    return this.say("open");
  }

  /** What is seen: the step, the names, the boards where they are not those of the beginning, and the houses. */
  see() {
    const { step, state, note } = this.page;
    const houses = [...state.houses].flatMap((player, at) =>
      player === "." ? [] : [`${player}@${at}`],
    );
    const boards = state.quadrants.join(" ") === "a b c d" ? [] : [state.quadrants.join(" ")];
    const names = state.names.map((name) => name || "-").join(",");
    return [step, names, ...boards, houses.join(" "), note].filter(Boolean).join(" | ");
  }

  say(action) {
    this.log.push(`${action}: ${this.see()}`);
    return this;
  }

  act(name, deed) {
    this.page.change(deed.label, deed.change);
    return this.say(name);
  }

  tap(place, player) {
    return this.act(`tap ${place} for ${player}`, sheet.tap(this.page.state, place, player));
  }

  turn(at) {
    return this.act(`turn ${at}`, sheet.turn(this.page.state, at));
  }

  rename(player, name) {
    return this.act(`name ${name}`, sheet.rename(this.page.state, player, name));
  }

  undo() {
    const label = this.page.undo();
    return this.say(`undo ${label}`);
  }

  redo() {
    const label = this.page.redo();
    return this.say(`redo ${label}`);
  }

  go(step) {
    this.page.go(step);
    return this.say(`go to ${step}`);
  }

  async back() {
    const stays = this.tab.back();
    await this.page.settled();
    return this.say(stays ? "back" : "back, away from the page");
  }

  /** Close the tab, and open another one. */
  async reopen(hash = "") {
    await this.page.settled();
    this.browser.tabs.splice(this.browser.tabs.indexOf(this.tab), 1);
    this.tab = new Tab(this.browser, hash);
    return this.open();
  }

  sees(...lines) {
    assert.deepEqual(this.log, lines);
  }
}

test("a board is turned, and the turn undone: the houses are back", async () => {
  const anna = await new Person().open();
  anna.tap(187, 1).tap(0, 2).turn(0).undo().undo().redo();
  await anna.reopen();
  anna.sees(
    "open: setup | -,-",
    "tap 187 for 1: setup | -,- | 1@187",
    "tap 0 for 2: setup | -,- | 2@0 1@187",
    "turn 0: setup | -,- | a/180 b c d | 2@0",
    "undo the turn of a: setup | -,- | 2@0 1@187",
    "undo Player 2’s house: setup | -,- | 1@187",
    "redo Player 2’s house: setup | -,- | 2@0 1@187",
    "open: setup | -,- | 2@0 1@187",
  );
});

test("a player is removed, and comes back with all houses", async () => {
  const anna = await new Person().open();
  anna.act("add", sheet.addPlayer(anna.page.state)).rename(3, "Cleo").tap(1, 3).tap(3, 1);
  anna.act("remove", sheet.removePlayer(anna.page.state)).undo();
  anna.sees(
    "open: setup | -,-",
    "add: setup | -,-,-",
    "name Cleo: setup | -,-,Cleo",
    "tap 1 for 3: setup | -,-,Cleo | 3@1",
    "tap 3 for 1: setup | -,-,Cleo | 3@1 1@3",
    "remove: setup | -,- | 1@3",
    "undo Cleo and 1 house: setup | -,-,Cleo | 3@1 1@3",
  );
});

const LINK = async () => `#sheet=${await pack({ ...sheet.begin(["Eve", "Fay"]), step: "result" })}`;

test("a friend's link in between takes nothing of mine", async () => {
  const anna = await new Person().open();
  anna.rename(1, "Anna").tap(0, 1).go("place");
  await anna.reopen(await LINK());
  await anna.reopen();
  anna.sees(
    "open: setup | -,-",
    "name Anna: setup | Anna,-",
    "tap 0 for 1: setup | Anna,- | 1@0",
    "go to place: place | Anna,- | 1@0",
    "open: result | Eve,Fay",
    "open: place | Anna,- | 1@0",
  );
});

test("a friend's game that is changed is kept, and mine can be taken back", async () => {
  const anna = await new Person().open();
  anna.rename(1, "Anna").tap(0, 1);
  await anna.reopen(await LINK());
  anna.tap(5, 2);
  await anna.reopen();
  anna.page.takeLast();
  anna.say("my last game");
  assert.deepEqual(anna.page.last.names, ["Eve", "Fay"]);
  await anna.reopen();
  anna.sees(
    "open: setup | -,-",
    "name Anna: setup | Anna,-",
    "tap 0 for 1: setup | Anna,- | 1@0",
    "open: result | Eve,Fay",
    "tap 5 for 2: result | Eve,Fay | 2@5",
    "open: result | Eve,Fay | 2@5",
    "my last game: setup | Anna,- | 1@0",
    "open: setup | Anna,- | 1@0",
  );
});

test("a new game leaves the last one to be taken back", async () => {
  const anna = await new Person().open();
  anna.rename(1, "Anna").tap(0, 1).go("result");
  anna.page.restart(sheet.begin(["Anna", ""]));
  anna.say("a new game");
  await anna.reopen();
  anna.page.takeLast();
  anna.say("my last game");
  anna.sees(
    "open: setup | -,-",
    "name Anna: setup | Anna,-",
    "tap 0 for 1: setup | Anna,- | 1@0",
    "go to result: result | Anna,- | 1@0",
    "a new game: setup | Anna,-",
    "open: setup | Anna,-",
    "my last game: result | Anna,- | 1@0",
  );
});

test("two tabs of one game show the same, and each can undo", async () => {
  const browser = new Browser();
  const [one, other] = [new Person(browser), new Person(browser)];
  await one.open();
  one.tap(0, 1);
  await other.open();
  one.tap(1, 1);
  other.say("look").tap(3, 2);
  one.say("look").undo();
  other.say("look");
  one.sees(
    "open: setup | -,-",
    "tap 0 for 1: setup | -,- | 1@0",
    "tap 1 for 1: setup | -,- | 1@0 1@1",
    "look: setup | -,- | 1@0 1@1 2@3",
    "undo what another tab has changed: setup | -,- | 1@0 1@1",
  );
  other.sees(
    "open: setup | -,- | 1@0",
    "look: setup | -,- | 1@0 1@1",
    "tap 3 for 2: setup | -,- | 1@0 1@1 2@3",
    "look: setup | -,- | 1@0 1@1",
  );
});

test("the browser's Back leads from step to step, and closes a dialog", async () => {
  const anna = await new Person().open();
  anna.tap(0, 1).go("place").tap(1, 1).go("result");
  await anna.back();
  anna.tap(3, 2);
  await anna.back();
  anna.page.go("setup:quadrant-1");
  assert.equal(anna.page.dialog, "quadrant-1");
  await anna.back();
  assert.equal(anna.page.dialog, "");
  await anna.back();
  anna.sees(
    "open: setup | -,-",
    "tap 0 for 1: setup | -,- | 1@0",
    "go to place: place | -,- | 1@0",
    "tap 1 for 1: place | -,- | 1@0 1@1",
    "go to result: result | -,- | 1@0 1@1",
    "back: place | -,- | 1@0 1@1",
    "tap 3 for 2: place | -,- | 1@0 1@1 2@3",
    "back: setup | -,- | 1@0 1@1 2@3",
    "back: setup | -,- | 1@0 1@1 2@3",
    "back, away from the page: setup | -,- | 1@0 1@1 2@3",
  );
});

test("a link that is followed in the page opens, and one that is none says why", async () => {
  const anna = await new Person().open();
  anna.rename(1, "Anna");
  await anna.page.settled();
  anna.tab.follow(await LINK());
  await anna.page.settled();
  anna.say("follow");
  anna.tab.follow("#sheet=abc");
  await anna.page.settled();
  anna.say("follow");
  anna.sees(
    "open: setup | -,-",
    "name Anna: setup | Anna,-",
    "follow: result | Eve,Fay",
    "follow: result | Eve,Fay | This link cannot be opened: it is incomplete. Ask for it again.",
  );
});

for (const storage of ["full", "absent", "forgets"]) {
  test(`where the storage is ${storage}, the address has the game, and nothing is said to be kept`, async () => {
    const browser = new Browser();
    browser.storage = storage;
    const anna = await new Person(browser).open();
    anna.tap(0, 1);
    await anna.page.settled();
    assert.deepEqual([anna.page.isKept, anna.page.isLinked], [false, true]);
    const { hash } = anna.tab.entry;
    await anna.reopen(hash);
    anna.sees("open: setup | -,-", "tap 0 for 1: setup | -,- | 1@0", "open: setup | -,- | 1@0");
  });
}

test("in a frame whose address cannot change, the game is kept, and there is no link", async () => {
  const anna = new Person();
  anna.tab.isFrame = true;
  await anna.open();
  anna.tap(0, 1).go("place");
  assert.equal(await anna.page.writeLink(), false);
  assert.deepEqual([anna.page.isKept, anna.page.isLinked], [true, false]);
  await anna.reopen();
  anna.sees(
    "open: setup | -,-",
    "tap 0 for 1: setup | -,- | 1@0",
    "go to place: place | -,- | 1@0",
    "open: place | -,- | 1@0",
  );
});

test("letters of a name are undone together", async () => {
  const anna = await new Person().open();
  for (const name of ["A", "An", "Ann"]) {
    const { label, change } = sheet.rename(anna.page.state, 1, name);
    anna.page.change(label, change, "name 1");
  }
  anna.undo();
  anna.sees("open: setup | -,-", "undo the name of player 1: setup | -,-");
});
