// A small box for the tests of the sheet: five quadrants of grass with a lake, a mountain and a town.
import { Sheet } from "../sheet/game.ts";

const SYMBOLS = [
  [".", null],
  ["G", ["terrain", "grass"]],
  ["W", ["terrain", "water"]],
  ["T", ["terrain", "town"]],
  ["1", ["settlement", "1"]],
  ["2", ["settlement", "2"]],
  ["3", ["settlement", "3"]],
  ["#", ["wall"]],
];
/** The rows of a quadrant; another lake tells one from the others. */
const makeRows = (lake) => [
  "GGWGGGGGGW",
  ...Array(7).fill("GGGGGGGGGG"),
  "GGGGGGGGGG".slice(0, lake) + "W" + "GGGGGGGGGG".slice(lake + 1),
  "TGGGGGGGGG",
];
const turn = (rows) => rows.map((row) => [...row].reverse().join("")).reverse();

export const makeSheet = () =>
  new Sheet({
    symbols: SYMBOLS,
    pairs: ["G1", "G2", "G3"],
    town: "T",
    dealt: 3,
    land: ["G"],
    players: [2, 5],
    most: 3,
    looks: ["grass", "water", "town"].map((name) => ({ name })),
    numbers: { G: 1, W: 2, T: 3 },
    quadrants: ["a", "b", "c", "d", "e"].map((name, i) => ({
      name,
      expansion: "",
      rows: makeRows(i),
      turned: turn(makeRows(i)),
    })),
    cards: ["x", "y", "z", "w"].map((name, i) => ({ name, number: i + 1, text: "" })),
  });
