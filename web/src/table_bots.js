/* Bots at a table, as boards/kingdom_builder/bots has them: greedy and settler. They decide by what the rules answer. */

import { addMove } from "./table_game.js";
import { settle } from "./table_rules.js";

const TILE = 6; // what a tile is worth to a settler, in gold that is not on the board yet
const MOST = 120; // moves that are looked at

/* Of many moves some, evenly. */
export const sample = (moves) => moves.filter((_, i) => moves.length <= MOST || Math.floor((i * MOST) / moves.length) !== Math.floor(((i - 1) * MOST) / moves.length));

/* What each move gains the player whose turn it is: gold at once, and so much for a tile. */
export async function value(table, moves, isMore, tile = 0) {
  const { data: { tiles }, now, position, rules } = table;
  const plans = [now.actions, ...moves.map((move) => addMove(now.actions, move, isMore))];
  const gold = await rules.worth(table, now.player, plans.map((actions) => settle(tiles, position.stood, { player: now.player, actions })));
  const [before, ...after] = plans.map((actions, i) => gold[i] + tile * countTiles(table, actions));
  return after.map((worth) => worth - before);
}

/* How many tiles some actions get: those that lie beside the hexes, and that the player has not had. */
function countTiles({ now, position, view: { neighbours } }, actions) {
  const near = new Set(actions.flatMap(({ targets }) => targets.flatMap(([, to]) => neighbours.get(String(to)))));
  return new Set(position.lying.map(({ hex }) => String(hex)).filter((hex) => near.has(hex) && !position.had.includes(`${now.player} ${hex}`))).size;
}

/* Choose what is done next of what is legal: a move, and whether it goes on with the last action; null for nothing. */
export async function choose(table, kind, { moves, further, builds }) {
  const tile = kind === "settler" ? TILE : 0;
  const uses = tile ? moves.filter(({ name, to }) => to || name === "treasure") : [];
  const wanted = builds ? moves.filter(({ name }) => name === "mandatory") : further.length ? further : uses;
  if (!wanted.length) return null;
  const isMore = wanted === further;
  const some = sample(wanted);
  const gains = await value(table, some, isMore, tile);
  const best = Math.max(...gains);
  const move = some[gains.indexOf(best)];
  return wanted !== uses || best > 0 || ["build", "none"].includes(table.data.tiles[move.name][0]) ? { move, isMore } : null;
}
