/* Bots at a table: as boards/kingdom_builder/bots has them, greedy and settler. They decide by what the rules answer. */

import { addTarget } from "./table_game.js";
import { settle } from "./table_rules.js";

const TILE = 6; // what a tile is worth to a settler, in gold that is not on the board yet
const MOST = 120; // moves that are looked at, of more these, evenly

/* Of many moves some, evenly. */
export const sample = (moves) => moves.filter((_, i) => moves.length <= MOST || Math.floor((i * MOST) / moves.length) !== Math.floor(((i - 1) * MOST) / moves.length));

/* Value what moves lead to for the player whose turn it is: the gold of now, and a value for each. */
export async function value(table, moves, { isMore, tile = 0 } = {}) {
  const { now, rules, position } = table;
  const plans = moves.map((move) => addTarget(now.actions, move, isMore));
  const boards = [now.actions, ...plans].map((actions) => settle(table.data.tiles, position.stood, { player: now.player, actions }));
  const [before, ...gold] = await rules.worth(table, now.player, boards);
  const [own, ...more] = tile ? [now.actions, ...plans].map((actions) => tile * countTiles(table, actions)) : boards.map(() => 0);
  return { before: before + own, values: gold.map((paid, i) => paid + more[i]) };
}

/* How many tiles some actions get: those that lie beside the hexes, and that the player has not had. */
function countTiles({ now, position, view: { neighbours } }, actions) {
  const ends = actions.flatMap(({ targets }) => targets.map(([, to]) => String(to)));
  const near = new Set(ends.flatMap((hex) => neighbours.get(hex)));
  return new Set(position.lying.map(({ hex }) => String(hex)).filter((hex) => near.has(hex) && !position.had.includes(`${now.player} ${hex}`))).size;
}

/* Choose what is done next by what is legal: a move, and whether it goes on with the last action; null to end the turn. */
export async function choose(table, kind, { moves, further }) {
  const tile = kind === "settler" ? TILE : 0;
  const pick = async (all, isMore = false) => {
    const some = sample(all);
    const { before, values } = await value(table, some, { isMore, tile });
    const best = Math.max(...values);
    return { move: some[values.indexOf(best)], isMore, gains: best - before };
  };
  const owed = moves.filter(({ name }) => name === "mandatory");
  if (owed.length) return pick(owed);
  if (further.length) return pick(further, true);
  const uses = tile ? moves.filter(({ name, to }) => to || name === "treasure") : [];
  if (!uses.length) return null;
  const found = await pick(uses);
  return found.gains > 0 || ["build", "none"].includes(table.data.tiles[found.move.name][0]) ? found : null;
}
