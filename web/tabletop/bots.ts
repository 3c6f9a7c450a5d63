/* Bots at a table, as boards/kingdom_builder/bots has them: greedy and settler. They decide by what the rules answer. */

import type { Move } from "./game.ts";
import type { Asking, Rules, Legal } from "./rules.ts";
import type { TableData } from "../data.d.ts";
const TILE = 6; // the value of a tile to a settler, in future gold
const MOST = 120; // the most moves that are rated

/** At most MOST of the moves, evenly spread. */
export const sample = (moves: Move[]) =>
  moves.filter(
    (_, i) =>
      moves.length <= MOST ||
      Math.floor((i * MOST) / moves.length) !== Math.floor(((i - 1) * MOST) / moves.length),
  );

/** Choose the next legal move, and whether it goes on with the last action; null for none. `kind` of bot. */
export async function choose(
  table: Asking & { rules: Rules; cards: string[]; data: TableData },
  kind: string,
  { moves, further, builds }: Legal,
) {
  const tile = kind === "settler" ? TILE : 0;
  const uses = tile ? moves.filter(({ name, to }) => to || name === "treasure") : [];
  const wanted = builds
    ? moves.filter(({ name }) => name === "mandatory")
    : further.length
      ? further
      : uses;
  if (!wanted.length) return null;
  const isMore = wanted === further;
  const some = sample(wanted);
  const gains = (await table.rules.worth(table, some)).map((gain) => gain.gold + tile * gain.tiles);
  const best = Math.max(...gains);
  const move = some[gains.indexOf(best)];
  return wanted !== uses || best > 0 || ["build", "none"].includes(table.data.tiles[move.name][0])
    ? { move, isMore }
    : null;
}
