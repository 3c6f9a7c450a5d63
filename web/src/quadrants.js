// @ts-check
/* Four quadrants of the published game, each as printed or turned, make a board. */

import { byId, make, on } from "./dom.js";

const PLACES = ["northwest", "northeast", "southwest", "southeast"];

/** How a quadrant lies: ten rows of ten symbols. @typedef {string[]} Lying */

/**
 * Let people choose quadrants; returns a function that makes the rows of a board of four at random.
 * @param {import("./data.js").Quadrant[]} quadrants
 * @param {(rows: import("./board.js").Board) => void} become
 */
export function offerQuadrants(quadrants, become) {
  const known = listWays(quadrants);
  const selects = PLACES.map(byId);
  selects.forEach((select, at) => {
    for (const { name, expansion } of quadrants) {
      const shown = expansion ? `${name} (${expansion})` : name;
      select.append(make("option", shown, { value: name }), make("option", `${shown}, turned`, { value: `${name}/180` }));
    }
    select.value = quadrants[at].name;
  });
  on("lay", () => {
    const names = selects.map(({ value }) => value.replace("/180", ""));
    const twice = names.find((name, at) => names.indexOf(name) < at);
    byId("quadrants-error").textContent = twice ? `${twice} is chosen twice: the four quadrants of a board must be different` : "";
    if (twice) return;
    become(join(selects.map(({ value }) => known.get(value) ?? [])));
  });
  return () => {
    const left = [...quadrants];
    return join(PLACES.map(() => {
      const [{ rows, turned }] = left.splice(Math.floor(Math.random() * left.length), 1);
      return Math.random() < .5 ? rows : turned;
    }));
  };
}

/** Each quadrant as printed, and as turned. @param {import("./data.js").TableQuadrant[]} quadrants @returns {Map<string, Lying>} */
export const listWays = (quadrants) => new Map(quadrants.flatMap(({ name, rows, turned }) => [[name, rows], [`${name}/180`, turned]]));

/** The rows of a board of four quadrants. @param {Lying[]} quadrants @returns {import("./board.js").Board} */
export const join = ([northwest, northeast, southwest, southeast]) => [...northwest.map((row, at) => [...row, ...northeast[at]]), ...southwest.map((row, at) => [...row, ...southeast[at]])];
