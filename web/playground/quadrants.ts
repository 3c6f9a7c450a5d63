/* Four quadrants of the published game, each as printed or turned, make a board. */

import { join, listWays } from "../kernel/kb.ts";
import type { QuadrantData } from "../data.d.ts";
import type { Board } from "../mirror/board.ts";
import { byId, make, on } from "../kernel/dom.ts";

const PLACES = ["northwest", "northeast", "southwest", "southeast"];

/** Let people choose quadrants; returns a function that makes the rows of a board of four at random. */
export function offerQuadrants(quadrants: QuadrantData[], become: (rows: Board) => void) {
  const known = listWays(quadrants);
  const selects = PLACES.map(byId);
  selects.forEach((select, at) => {
    for (const { name, expansion } of quadrants) {
      const shown = expansion ? `${name} (${expansion})` : name;
      select.append(
        make("option", shown, { value: name }),
        make("option", `${shown}, turned`, { value: `${name}/180` }),
      );
    }
    select.value = quadrants[at].name;
  });
  on("lay", () => {
    const names = selects.map(({ value }) => value.replace("/180", ""));
    const twice = names.find((name, at) => names.indexOf(name) < at);
    byId("quadrants-error").textContent = twice
      ? `${twice} is chosen twice: the four quadrants of a board must be different`
      : "";
    if (twice) return;
    become(join(selects.map(({ value }) => known.get(value) ?? [])));
  });
  return () => {
    const left = [...quadrants];
    return join(
      PLACES.map(() => {
        const [{ rows, turned }] = left.splice(Math.floor(Math.random() * left.length), 1);
        return Math.random() < 0.5 ? rows : turned;
      }),
    );
  };
}
