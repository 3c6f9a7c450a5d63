// A game from a file: what *Save as text* has written, or any board of four quadrants that the page knows.
import { bare, clean, LONGEST_TITLE, PLACES, SIDE, title as write } from "../kernel/kb.ts";
import { type Board, normalise, parseBoard, ReadError } from "../mirror/board.ts";
import { placeIn, type Sheet, type State, WIDTH } from "./game.ts";

// As in kb_score/games/labels.py.
const LABEL = /^[ \t]*%+[ \t]*(?:player[ \t]+([1-9])|title)[ \t]*:[ \t]*(\S.*)/i;
const COMMAND = /^[ \t]*%.*\bkb-score score\b/;
const DATED = /^(?:(.*), )?(\d{4}-\d\d-\d\d)$/;

/** Read a game; what is no game for this page is a ReadError. */
export function readGame(sheet: Sheet, text: string): State {
  const { names, title, date, cards } = readComments(sheet, normalise(text));
  const rows = parseBoard(text, sheet.hexes, WIDTH, true);
  if (rows.length !== WIDTH || rows[0].length !== WIDTH) {
    const size = `${rows.length} rows of ${rows[0].length} hexes`;
    throw new ReadError(`it has ${size}, but four quadrants have ${WIDTH} rows of ${WIDTH}`);
  }
  const { players } = sheet.hexes;
  const houses = rows.flat().map((hex) => players.find((player) => hex.endsWith(player)) ?? ".");
  const quadrants = findQuadrants(sheet, rows);
  const last = Math.max(...houses.map((player) => Number(player.replace(".", "0"))));
  while (names.length < last) names.push("");
  return { names, title, date, quadrants, cards, houses: houses.join("") };
}

/** What the comments say; the names are those of as many players as they tell of. */
function readComments(sheet: Sheet, text: string) {
  const { players, cards: known, dealt } = sheet.data;
  const [least, most] = players;
  const found = {
    names: Array<string>(least).fill(""),
    title: "",
    date: "",
    cards: [] as string[],
  };
  const addPlayers = (count: number, line: number, column: number) => {
    if (count > most)
      throw new ReadError(`a game has at most ${most} players, not ${count}`, line, column);
    while (found.names.length < count) found.names.push("");
  };
  for (const [i, line] of text.split("\n").entries()) {
    const [, player, label = ""] = LABEL.exec(line.trimEnd()) ?? [];
    if (player) {
      addPlayers(Number(player), i + 1, line.indexOf(player) + 1);
      found.names[Number(player) - 1] = clean(label);
    } else if (label) {
      const [, title = "", date] = DATED.exec(label) ?? ["", label, ""];
      Object.assign(found, { title: clean(title, LONGEST_TITLE), date });
    }
    if (!COMMAND.test(line)) continue;
    const count = /(?<=--players )\d+/.exec(line);
    if (count) addPlayers(Number(count[0]), i + 1, count.index + 1);
    const listed = /(?<=--cards )\S+/.exec(line);
    if (!listed) continue;
    const column = listed.index + 1;
    found.cards = [...new Set(listed[0].split(","))];
    const strange = found.cards.find((name) => !known.some((card) => card.name === name));
    if (strange) throw new ReadError(`this page has no card ${strange}`, i + 1, column);
    if (found.cards.length > dealt)
      throw new ReadError(`a game is played with ${dealt} cards`, i + 1, column);
  }
  return found;
}

/** The quadrants of a board, and how they lie. */
function findQuadrants(sheet: Sheet, rows: Board) {
  const { players } = sheet.hexes;
  const grounds = rows.flat().map((hex) => {
    if (hex.endsWith("#")) throw new ReadError("it has stone walls, which the sheet does not know");
    return players.includes(hex) ? "." : hex[0];
  });
  const found: string[] = [];
  for (const [at, where] of PLACES.entries()) {
    const hexes = Array.from({ length: SIDE * SIDE }, (_, place) => grounds[placeIn(at, place)]);
    const ways = [...sheet.quadrants.keys()].filter(
      (name) => sheet.quadrants.get(name)?.join("") === hexes.join(""),
    );
    if (!ways.length) throw new ReadError(`its ${where} part is no quadrant that this page knows`);
    const free = ways.find((name) => !found.map(bare).includes(bare(name)));
    if (!free) throw new ReadError(`it has the quadrant ${write(bare(ways[0]))} twice`);
    found.push(free);
  }
  return found;
}
