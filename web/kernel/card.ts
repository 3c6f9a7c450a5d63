// The picture that people send each other: the winner, the board, and the gold.
import { makeSvg } from "./dom.ts";
import type { Board } from "./picture.ts";
import { drawBoard, frameBoard, rasterize, writePng } from "./picture.ts";
import { joinNames, orderByGold, title } from "./kb.ts";

const CARD = { width: 1080, height: 1350 };
const EDGE = 60;
const ROOM = CARD.width - 2 * EDGE;
const BOARD = { x: EDGE, y: 215, width: ROOM, height: 830 };
const GAP = 20;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const [INK, DIM, PAPER, GOLD, LINE] = ["#1d1b16", "#6b6558", "#fbf8f1", "#b07a00", "#e2dccb"];
const SMALLEST = 15; // the smallest size of a text, which is cut if it needs a smaller one

/** The result of a game that is over: gold for each card, in the order of the players. */
export interface Result {
  players: number[];
  names: string[];
  winners: string[];
  total: number[];
  cards: { name: string }[];
  gold: Record<string, (number | undefined)[]>;
}

/** How wide a text is at a size, as the browser draws it. */
export function measure(text: string, size: number, weight = 400) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return text.length * size * 0.6;
  context.font = `${weight} ${size}px ${FONT}`;
  return context.measureText(text).width;
}

/** A text and its size that fit into a room: it becomes smaller, and is cut in the end. */
function fitText(text: string, size: number, room: number, weight = 400): [string, number] {
  const wide = measure(text, size, weight);
  if (wide <= room) return [text, size];
  const smaller = Math.floor((size * room) / wide);
  if (smaller >= SMALLEST) return [text, smaller];
  let cut = text;
  while (cut && measure(`${cut}…`, SMALLEST, weight) > room) cut = cut.slice(0, -1);
  return [`${cut.trimEnd()}…`, SMALLEST];
}

interface Style {
  size: number;
  room: number;
  weight?: number;
  fill?: string;
}

/** A line of text that fits into its room. */
function writeLine(
  text: string,
  x: number,
  y: number,
  { size, room, weight = 400, fill = INK }: Style,
) {
  const [shown, fits] = fitText(text, size, room, weight);
  const attributes = {
    x,
    y,
    "font-size": fits,
    "font-weight": weight,
    "text-anchor": "start",
    fill,
  };
  return makeSvg("text", attributes, shown);
}

/** Draw the picture, as the text of an SVG file: `houses` are the tiles of the players, `details` stand below the title. */
export function drawCard(board: Board, houses: string[], details: string[], result: Result) {
  const box = frameBoard(board, 2);
  const scale = Math.min((BOARD.width - 40) / box.width, (BOARD.height - 40) / box.height);
  const left = BOARD.x + (BOARD.width - box.width * scale) / 2;
  const top = BOARD.y + (BOARD.height - box.height * scale) / 2;
  const move = `translate(${left} ${top}) scale(${scale}) translate(${-box.x} ${-box.y})`;
  const subtitle = ["Kingdom Builder", ...details].filter(Boolean).join(" · ");
  const ordered = orderByGold(result.total);
  const width = (ROOM - GAP * (ordered.length - 1)) / ordered.length;
  const frame = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${CARD.width} ${CARD.height}`,
    ...CARD,
    "font-family": FONT,
    "text-anchor": "middle",
  };
  const svg = makeSvg("svg", frame, [
    makeSvg("rect", { ...CARD, fill: PAPER }),
    writeLine(sayTitle(result), EDGE, 120, { size: 84, room: ROOM, weight: 700 }),
    writeLine(subtitle, EDGE, 176, { size: 34, room: ROOM, fill: DIM }),
    makeSvg("rect", { ...BOARD, rx: 24, fill: "#ffffff", stroke: LINE }),
    makeSvg("g", { transform: move }, drawBoard(board)),
    ...ordered.map((at, i) => drawPlayer(houses[at], result, at, EDGE + i * (width + GAP), width)),
    writeLine("scored with kb-score", EDGE, 1318, { size: 26, room: 500, fill: DIM }),
  ]);
  return new XMLSerializer().serializeToString(svg);
}

/** "Anna wins 51–40", or who ties. */
function sayTitle({ winners, total }: Result) {
  const sorted = [...total].sort((a, b) => b - a).join("–");
  return winners.length > 1
    ? `${joinNames(winners)} tie ${sorted}`
    : `${winners[0]} wins ${sorted}`;
}

/** A box with a player: the house, the name, what the cards have paid, and the gold. */
function drawPlayer(tile: string, result: Result, at: number, x: number, width: number) {
  const house = makeSvg("g", { transform: `translate(${x + 50} 1130) scale(2)` });
  house.innerHTML = tile;
  const name = result.names[at];
  const isWinner = result.winners.includes(name);
  const cards = result.cards.map((card) => `${title(card.name)} ${result.gold[card.name][at]}`);
  const pairs = [0, 2, 4].map((from) => cards.slice(from, from + 2).join(" · ")).filter(Boolean);
  const lines = width > 300 && cards.length < 7 ? pairs : cards;
  const step = Math.min(26, 66 / (lines.length - 1 || 1));
  const box = { x, y: 1070, width, height: 210, rx: 20, fill: "#ffffff" };
  const edge = isWinner ? { stroke: GOLD, "stroke-width": 6 } : { stroke: LINE, "stroke-width": 2 };
  return makeSvg("g", {}, [
    makeSvg("rect", { ...box, ...edge }),
    house,
    writeLine(name, x + 92, 1122, { size: 34, room: width - 92 - 16, weight: 700 }),
    writeLine(String(result.total[at]), x + 92, 1176, {
      size: 52,
      room: width - 100,
      weight: 700,
      fill: isWinner ? GOLD : INK,
    }),
    ...lines.map((line, i) =>
      writeLine(line, x + 20, 1206 + i * step, {
        size: Math.min(21, step - 3),
        room: width - 40,
        fill: DIM,
      }),
    ),
  ]);
}

/** The dots of a picture; an error if the browser gives none. */
export const drawDots = async (card: string) => writePng(await rasterize(card, CARD, 1));
