// Ways to send a result: as a picture, and as a text.
import { drawCard as draw, drawDots } from "../kernel/card.ts";
import { title } from "../kernel/kb.ts";
import { saveFile, shareFile } from "../kernel/share.ts";
import { browserWays, save } from "../kernel/dom.ts";
import type { Answer } from "./answer.ts";
import { type Sheet, type State, WIDTH } from "./game.ts";

/** A name for a file of a game. */
function nameFile({ title: said, date }: State, ending: string) {
  const words = [said || "kingdom builder", date].filter(Boolean).join(" ").toLowerCase();
  return `${words.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "game"}.${ending}`;
}

/** Draw the picture of a result, as the text of an SVG file. */
export function drawCard(sheet: Sheet, state: State, answer: Answer, total: number[]) {
  const { data } = sheet;
  const cells = sheet.symbolsOf(state).map((symbol) => data.numbers[symbol]);
  const houses = answer.players.map((player) => data.looks[data.numbers[player] - 1].tile);
  // In the order of the table.
  const cards = answer.cards.filter(({ name }) => state.cards.includes(name));
  const details = [state.title, state.date, cards.map(({ name }) => title(name)).join(", ")];
  const board = { ...data, rows: WIDTH, columns: WIDTH, titles: sheet.titlesOf(state), cells };
  return draw(board, houses, details, { ...answer, total });
}

export const saveCard = (card: string, state: State) =>
  saveFile(() => drawDots(card), nameFile(state, "png"), browserWays());

export const shareCard = (card: string, state: State, text: string) =>
  shareFile(() => drawDots(card), nameFile(state, "png"), text, browserWays());

export const saveText = (text: string, state: State) => save(nameFile(state, "txt"), text);
