// What pages know of Kingdom Builder beside its rules: players and their names, quadrants, and who has won.
import type { Board } from "../mirror/board.ts";
import type { TableQuadrant } from "../data.d.ts";

// As `kb-score` reads names and titles: kb_score/games/labels.py, and web/test/cases/names.json.
export const LONGEST_NAME = 30;
export const LONGEST_TITLE = 120;
const REFUSED = /[<>|`\p{C}\p{Zl}\p{Zp}]/gu;

/** How a quadrant lies: ten rows of ten symbols. */
export type Lying = string[];

const TURNED = "/180";
export const SIDE = 10; // of a quadrant
export const PLACES = ["top left", "top right", "bottom left", "bottom right"]; // of the quadrants

/** A text without what `kb-score` cannot show; any blank is a plain one. */
export const clean = (text: string, most = LONGEST_NAME) =>
  [...text.replace(/\p{Zs}/gu, " ").replace(REFUSED, "")].slice(0, most).join("");

/** What each player is called; those without a name have a number. */
export const nameAll = (names: readonly string[]) =>
  names.map((name, at) => name.trim() || `Player ${at + 1}`);

/** Why names cannot be used; nothing if they can. */
export function findNameFault(names: readonly string[]) {
  const all = nameAll(names);
  const twin = all.find((name, at) => all.indexOf(name) < at);
  if (twin) return `Two players are called ${twin}.`;
  const number = all.find((name) => /^player [1-9]$/.test(name));
  return number ? `“${number}” is the number of a player: choose another name.` : "";
}

/** "my-quadrant" and "my_quadrant" as people write them: "My quadrant". */
export const title = (name: string) =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[_-]/g, " ");

/** The name of a quadrant, whichever way it lies. */
export const bare = (name: string) => name.replace(TURNED, "");

/** The same quadrant the other way round. */
export const turn = (name: string) => (name.endsWith(TURNED) ? bare(name) : name + TURNED);

/** Each quadrant as printed, and as turned. */
export const listWays = (quadrants: readonly TableQuadrant[]): Map<string, Lying> =>
  new Map(
    quadrants.flatMap(({ name, rows, turned }): [string, Lying][] => [
      [name, rows],
      [name + TURNED, turned],
    ]),
  );

/** The rows of a board of four quadrants. */
export const join = ([northwest, northeast, southwest, southeast]: Lying[]): Board => [
  ...northwest.map((row, at) => [...row, ...northeast[at]]),
  ...southwest.map((row, at) => [...row, ...southeast[at]]),
];

/** "Anna", "Anna and Ben", "Anna, Ben and Cleo". */
export const joinNames = (names: readonly string[]) =>
  names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];

/** The places of players in a list, those with the most gold first. */
export const orderByGold = (total: readonly number[]) =>
  [...total.keys()].sort((a, b) => total[b] - total[a] || a - b);

/** Who has won, in two parts: "Anna wins" and "by 4 gold", or "Anna and Ben tie" and "with 40 gold". */
export function sayResult(winners: readonly string[], total: readonly number[]) {
  const [first, second] = [...total].sort((a, b) => b - a);
  return winners.length > 1
    ? [`${joinNames(winners)} tie`, `with ${first} gold`]
    : [`${winners[0]} wins`, `by ${first - (second ?? 0)} gold`];
}
