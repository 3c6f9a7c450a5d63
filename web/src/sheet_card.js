// @ts-check
// The picture that people send each other: the winner, the board, and the gold.
import { makeSvg, save } from "./dom.js";
import { drawBoard, frameBoard, rasterize, writePng } from "./picture.js";
import { title } from "./sheet_game.js";

export const CARD = { width: 1080, height: 1350 };
const EDGE = 60;
const BOARD = { x: EDGE, y: 215, width: CARD.width - 2 * EDGE, height: 830 };
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const [INK, DIM, PAPER, GOLD] = ["#1d1b16", "#6b6558", "#fbf3df", "#b07a00"];
const LETTER = .56; // the width of a letter at size 1

/** A line of text, which is smaller where it would not fit. @param {string} text @param {number} x @param {number} y @param {number} size @param {number} room @param {Record<string, unknown>} more */
function writeLine(text, x, y, size, room, more = {}) {
  const fits = Math.min(size, room / Math.max(1, text.length * LETTER));
  return makeSvg("text", { x, y, "font-size": Math.max(12, fits), "text-anchor": "start", fill: INK, ...more }, text);
}

/**
 * The result of a game that is over: gold for each card, in the order of the players.
 * @typedef {{players: number[], names: string[], winners: string[], total: number[], cards: {name: string}[],
 *   gold: Record<string, (number | undefined)[]>}} Result
 */

/**
 * Draw the picture, as the text of an SVG file.
 * @param {import("./picture.js").Board} board
 * @param {string[]} houses the tile of each player
 * @param {string[]} details what stands below the title
 * @param {Result} scores
 */
export function drawCard(board, houses, details, scores) {
  const box = frameBoard(board, 2);
  const scale = Math.min((BOARD.width - 40) / box.width, (BOARD.height - 40) / box.height);
  const [left, top] = [BOARD.x + (BOARD.width - box.width * scale) / 2, BOARD.y + (BOARD.height - box.height * scale) / 2];
  const subtitle = ["Kingdom Builder", ...details].filter(Boolean).join(" \u00B7 ");
  const ordered = orderByGold(scores.total);
  const width = (CARD.width - 2 * EDGE - 20 * (ordered.length - 1)) / ordered.length;
  const svg = makeSvg("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${CARD.width} ${CARD.height}`, ...CARD, "font-family": FONT, "text-anchor": "middle" }, [
    makeSvg("rect", { ...CARD, fill: PAPER }),
    writeLine(sayTitle(scores), EDGE, 120, 84, CARD.width - 2 * EDGE, { "font-weight": 700 }),
    writeLine(subtitle, EDGE, 176, 34, CARD.width - 2 * EDGE, { fill: DIM }),
    makeSvg("rect", { ...BOARD, rx: 24, fill: "#ffffff" }),
    makeSvg("g", { transform: `translate(${left} ${top}) scale(${scale}) translate(${-box.x} ${-box.y})` }, drawBoard(board)),
    ...ordered.map((at, i) => drawPlayer(houses[at], scores, at, EDGE + i * (width + 20), width)),
    writeLine("scored with kb-score", EDGE, 1318, 26, 500, { fill: DIM }),
  ]);
  return new XMLSerializer().serializeToString(svg);
}

/** The places of players in a list, those with the most gold first. @param {number[]} total */
export const orderByGold = (total) => [...total.keys()].sort((a, b) => total[b] - total[a] || a - b);

/** Make the dots of a picture. @param {string} card */
export async function drawDots(card) {
  return writePng(await rasterize(card, CARD, 1));
}

/** Send a picture by what the phone has for that, or save it; says what has been done. @param {string} card @param {string} name @param {string} text */
export async function shareCard(card, name, text) {
  const file = new File([await drawDots(card)], name, { type: "image/png" });
  const wish = { files: [file], title: text };
  if (!navigator.canShare?.(wish)) {
    save(name, file, "image/png");
    return "The picture is saved.";
  }
  try {
    await navigator.share(wish);
    return "";
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
    return ""; // the user has cancelled the dialog
  }
}

/** "Anna wins 51 : 40", or who ties. @param {Result} scores */
function sayTitle({ winners, total }) {
  const sorted = [...total].sort((a, b) => b - a);
  if (winners.length > 1) return `${winners.join(" and ")} tie ${sorted.join("\u2013")}`;
  return `${winners[0]} wins ${sorted.join("\u2013")}`;
}

/**
 * A box with a player: the house, the name, what the cards have paid, and the gold.
 * @param {string} tile
 * @param {Result} scores
 * @param {number} at
 * @param {number} x
 * @param {number} width
 */
function drawPlayer(tile, scores, at, x, width) {
  const house = makeSvg("g", { transform: `translate(${x + 50} 1130) scale(2)` });
  house.innerHTML = tile;
  const isWinner = scores.winners.includes(scores.names[at]);
  const cards = scores.cards.map(({ name }) => `${title(name)} ${scores.gold[name][at]}`);
  const lines = width > 300 ? chunk(cards, 2).map((some) => some.join(" · ")) : cards;
  return makeSvg("g", {}, [
    makeSvg("rect", { x, y: 1070, width, height: 200, rx: 20, fill: "#ffffff", stroke: isWinner ? GOLD : "#e4dfd0", "stroke-width": isWinner ? 6 : 2 }),
    house,
    writeLine(scores.names[at], x + 92, 1122, 34, width - 92 - 16, { "font-weight": 700 }),
    writeLine(String(scores.total[at]), x + 92, 1176, 52, width - 100, { "font-weight": 700, fill: isWinner ? GOLD : INK }),
    ...lines.map((line, i) => writeLine(line, x + 20, 1208 + i * (lines.length > 2 ? 18 : 26), lines.length > 2 ? 16 : 21, width - 40, { fill: DIM })),
  ]);
}

/** Parts of a list, each of so many. @param {string[]} all @param {number} size */
const chunk = (all, size) => Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
