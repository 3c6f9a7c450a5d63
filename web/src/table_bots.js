// @ts-check
/* Bots at a table, as boards/kingdom_builder/bots has them: greedy and settler. They decide by what the rules answer. */

const TILE = 6; // what a tile is worth to a settler, in gold that is not on the board yet
const MOST = 120; // moves that are looked at

/** Of many moves some, evenly. @param {import("./table_game.js").Move[]} moves */
export const sample = (moves) => moves.filter((_, i) => moves.length <= MOST || Math.floor((i * MOST) / moves.length) !== Math.floor(((i - 1) * MOST) / moves.length));

/**
 * Choose what is done next of what is legal: a move, and whether it goes on with the last action; null for nothing.
 * @param {import("./table_rules.js").Asking & {rules: import("./table_rules.js").Rules, cards: string[],
 *   data: import("./data.js").TableData}} table
 * @param {string} kind of bot
 * @param {import("./table_rules.js").Legal} legal
 */
export async function choose(table, kind, { moves, further, builds }) {
  const tile = kind === "settler" ? TILE : 0;
  const uses = tile ? moves.filter(({ name, to }) => to || name === "treasure") : [];
  const wanted = builds ? moves.filter(({ name }) => name === "mandatory") : further.length ? further : uses;
  if (!wanted.length) return null;
  const isMore = wanted === further;
  const some = sample(wanted);
  const gains = (await table.rules.worth(table, some)).map((gain) => gain.gold + tile * gain.tiles);
  const best = Math.max(...gains);
  const move = some[gains.indexOf(best)];
  return wanted !== uses || best > 0 || ["build", "none"].includes(table.data.tiles[move.name][0]) ? { move, isMore } : null;
}
