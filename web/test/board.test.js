// Boards are read as the command reads them: tests/test_web.py holds it against the same file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Hexes, listFacts, parseBoard, ReadError, writeBoard } from "../mirror/board.ts";

const file = join(import.meta.dirname, "cases/boards.json");
const { symbols, pairs, boards, mistakes } = JSON.parse(readFileSync(file, "utf8"));
const hexes = new Hexes(symbols, pairs);

test("a board is written, and becomes facts, as by the command", () => {
  for (const { text, written, facts } of boards) {
    const board = parseBoard(text, hexes, 20);
    assert.equal(writeBoard(board), written);
    assert.deepEqual(listFacts(board, hexes.meanings).split(" ").sort(), facts.split(" "));
  }
});

test("what is no board is told at the place, and in the words, of the command", () => {
  for (const { text, says } of mistakes) {
    const isRight = (error) => error instanceof ReadError && error.message === says;
    assert.throws(() => parseBoard(text, hexes, 20), isRight, text);
  }
});
