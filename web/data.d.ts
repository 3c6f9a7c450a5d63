// The data of each page, as the Python side writes it. tests/test_web.py compares the keys, so one line holds each key.

type Pair = [number, number];

// What all pages with a board have: kb_score/shell/pages.py.

/** The layout of the places of a board, in units of the picture. */
export interface Shape {
  /** Whether places are hexes, of which every second row lies half a hex to the right. */
  hexes: boolean;
  /** The distance from a place to the next in its row. */
  width: number;
  /** The distance from a row to the next. */
  height: number;
  /** The height of a place. */
  tall: number;
  /** The edge of a place around its middle, as an SVG path. */
  outline: string;
  /** The corners of the edge, x and y. */
  corners: Pair[];
}

/** The look of a symbol. */
export interface LookData {
  symbol: string;
  name: string;
  /** A piece of SVG around 0,0. */
  tile: string;
  /** The name of the ground's colour: a border lies where neighbours differ in it. */
  ground: string;
}

/** A name in the legend. */
export interface LegendEntry {
  name: string;
  tile: string;
  /** As a CSS colour. */
  colour: string;
  /** The numbers of the looks that have this name, from 1. */
  symbols: number[];
  /** Whether the number of places with this look matters. */
  counted: boolean;
}

/** The data to draw the places of a board, or of all boards of a replay. */
export interface Drawn {
  rows: number;
  columns: number;
  shape: Shape;
  /** A piece of SVG for each place's own name that is a mark. */
  signs: Record<string, string>;
  looks: LookData[];
  legend: LegendEntry[];
}

export interface DrawnBoard extends Drawn {
  /** The number of each place's look, from 1, row by row; 0 for nothing. */
  cells: number[];
}

/** The parts of looks, for pages whose rules say how symbols are drawn. */
export interface Styles {
  shape: Shape;
  /** The fill of each colour, and the ink that can be read on it. */
  colours: Record<string, [fill: string, ink: string]>;
  /** Pieces of SVG around 0,0. */
  marks: Record<string, string>;
}

// The replay: kb_score/shell/pages.py.

export interface ReplayData extends Drawn {
  /** Names that places have of their own, by the numbers of the places. */
  titles: Record<number, string>;
  /** The turn of the first picture. */
  first: number;
  /** The turn to begin with: the first one that breaks the rules, if there is one. */
  start: number;
  /** A step for each turn from the first one. */
  steps: ReplayStep[];
  /** The violations: the turn, null in a record without turns; the turn whose picture shows it best; and a sentence. */
  violations: [turn: number | null, shown: number, text: string][];
}

/**
 * The differences from the picture before. Cells are pairs: the distance of the place from that of the pair before, and the number
 * of its look. The tally has the new values beside the board. The points are places.
 */
export type ReplayStep = [
  caption: string,
  cells: number[],
  tally: [label: string, value: string][],
  points: number[],
];

// The playground: kb_score/web/playground.py, and kb_score/web/kingdom_builder.py.

export type PlaygroundData = BoardData | GameData | RecordData;

export interface PlaygroundBase {
  /** Milliseconds after which changed rules are assumed not to end. */
  limit: number;
  /** The name of the file that is open at first. */
  open: string;
  /** The text of a new file. */
  template: string;
  styles: Styles;
  files: RuleFile[];
  /** The predicates that only our rules may derive, such as "gold/4", each with its file. */
  ours: Record<string, string>;
  why: ReasonsData;
  /** The values of rulings that the user has set. */
  constants: Record<string, string>;
}

export interface BoardData extends PlaygroundBase {
  kind: "board";
  /** The text of the board. */
  board: string;
  symbols: Meaning[];
  /** The hexes of two symbols that there are, such as "G2". */
  pairs: string[];
  /** The facts that say how hexes are drawn. */
  drawn: string;
  /** The names of players, by their numbers. */
  names: Record<number, string>;
  /** The atoms that hold at first; null if the page has rules of the user, which it has to ask itself. */
  answer: string[] | null;
  quadrants: Quadrant[];
  /** The longest side of a board that the page accepts. */
  most: number;
  /** The files that answer each question of the page, by name. */
  uses: Record<"scores" | "gold", string[]>;
  /** A card in one line, to begin with. */
  card: CardFile;
}

export interface RecordBase extends PlaygroundBase {
  parts: RecordPart[];
  /** The name of the player whom a violation is about; {} stands for the number. */
  who: string;
  size: [rows: number, columns: number];
  /** The program parts that are lifted from a turn to all of them. */
  lifted: string[];
  uses: Record<"record", string[]>;
}

export interface RecordData extends RecordBase {
  kind: "record";
}

export interface GameData extends RecordBase {
  kind: "game";
  /** The text of the turns, after the headings. */
  turns: string;
  /** The number of players. */
  players: number;
  terrains: string[];
}

/** Some turns of a record that are asked about together. */
export interface RecordPart {
  facts: string;
  /** The number of turns before these. */
  before: number;
  /** The caption of a picture: {turn} is its turn in the record, {own} its turn in these facts. */
  caption: string;
}

export interface RuleFile {
  name: string;
  /** The heading below which it is listed, such as "cards". */
  folder: string;
  /** Its path in a folder of --rules. */
  place: string;
  text: string;
  /** The text as shipped; null for a new file of the user. */
  shipped: string | null;
}

export interface CardFile {
  name: string;
  text: string;
}

/** A symbol of a board's text, with the predicate of its fact and the first arguments; "." has none. */
export type Meaning = [symbol: string, fact: [predicate: string, ...first: string[]] | null];

/** A quadrant of the published game, ten rows of ten symbols, as printed and turned by 180 degrees. */
export interface TableQuadrant {
  name: string;
  rows: string[];
  turned: string[];
}

export interface Quadrant extends TableQuadrant {
  /** The expansion that it comes from; empty for the game itself. */
  expansion: string;
}

/** The data to explain why an atom holds. */
export interface ReasonsData {
  /** The most levels of a tree of reasons. */
  depth: number;
  /** The most parts of a sum that are shown. */
  width: number;
  /** The names of each predicate's arguments, and a sentence that says what it means. */
  says: Record<string, [names: string[], sentence: string]>;
  /** The rules of each use. */
  rules: Record<string, TracedRules>;
}

export interface TracedRules {
  clauses: Clause[];
  /** The predicates that can be asked about. */
  shown: string[];
}

/** A rule, with the traced rules that find the values with which it applies. */
export interface Clause {
  number: number;
  /** The predicate that it gives, such as "gold/4". */
  name: string;
  /** The rules that derive why'/4 and counts'/7. */
  rules: string[];
  /** The predicates that it asks for. */
  asks: string[];
  file: string;
  line: number;
  /** Its text, on one line. */
  rule: string;
  /** The comment above it. */
  note: string;
  /** Its variables. */
  names: string[];
  parts: ClausePart[];
  /** Whether it is a choice. */
  chosen: boolean;
}

export type PartKind = "atom" | "absent" | "comparison" | "aggregate" | "all";

/** A condition of an element of a sum. */
export interface ElementPart {
  kind: PartKind;
  text: string;
  /** The operator of a comparison of two sides; empty for other conditions. */
  operator: string;
}

export interface ClausePart extends ElementPart {
  /** Whether it was added by lifting the rule. */
  added: boolean;
  /** The elements of a sum. */
  elements: ClauseElement[];
}

export interface ClauseElement {
  /** The variables that do not occur outside the element. */
  names: string[];
  parts: ElementPart[];
}

// The report: kb_score/web/kingdom_builder.py.

export interface ReportData {
  boards: ReportBoard[];
  /** The cards that are scored, in order. */
  cards: CardData[];
  /** The players of any board, and their names. */
  players: [player: number, name: string][];
}

export interface ReportBoard extends DrawnBoard {
  name: string;
  players: number[];
  /** The gold of each player, in the order of the players, for each card. */
  gold: Record<string, number[]>;
  /** The total of a game with the chosen cards; null if all cards are scored. */
  total: number[] | null;
  /** The names of the players. */
  names: string[];
  /** The numbers of the winners; null if there is no total. */
  winners: number[] | null;
  /** The sentence that names the winners; may be empty. */
  saying: string;
  /** The code and the detail of each violation. */
  findings: [code: string, detail: string][];
  /** The pieces that are paid for, for each card and player. */
  evidence: Record<string, Payment[][]>;
}

/** A piece that a card pays for, with the hexes that show it. */
export interface Payment {
  why: string;
  gold: number;
  hexes: Pair[];
  /** The first row and column and the last of the part of the board that it is about, if of one. */
  span: [number, number, number, number] | null;
}

export interface CardData {
  name: string;
  /** 0 for what pays in every game. */
  number: number;
  /** What it pays for. */
  text: string;
}

// The sheet: kb_score/web/sheet.py.

export interface SheetData {
  shape: Shape;
  looks: LookData[];
  signs: Record<string, string>;
  /** The number of each symbol's look, from 1. */
  numbers: Record<string, number>;
  symbols: Meaning[];
  /** The hexes of two symbols that there are, such as "G2". */
  pairs: string[];
  /** The symbol of a town. */
  town: string;
  /** The symbols of the land that terrain cards let one build on. */
  land: string[];
  quadrants: Quadrant[];
  cards: CardData[];
  /** With how many cards a game is played. */
  dealt: number;
  /** The fewest and the most players. */
  players: [least: number, most: number];
  /** The number of settlements of a player. */
  most: number;
  /** The rules, as one text. */
  program: string;
  constants: Record<string, string>;
  /** After how many milliseconds the rules are taken to have no end. */
  limit: number;
}

// The table to play at: kb_score/web/tabletop.py.

/** Its board is a row with each symbol, and a town for each tile, for the looks and the signs alone. */
export interface TableData extends DrawnBoard {
  /** The symbol of each of the first cells. */
  symbols: string[];
  setup: TableSetup;
  /** The players to choose from for a seat: "human", or the kind of a bot. */
  seats: string[];
  /** The fewest players. */
  least: number;
  /** The most players. */
  most: number;
  terrain: [symbol: string, kind: string][];
  land: [symbol: string, kind: string][];
  quadrants: TableQuadrant[];
  /** The manner of each tile, such as "move", and what it does. */
  tiles: Record<string, [manner: string, text: string]>;
  /** The terrain of each terrain card. */
  deck: string[];
  /** The nomad tiles. */
  nomads: string[];
  /** With how many cards a game is played. */
  dealt: number;
  /** The cards that may be chosen, and pay at the end. */
  cards: string[];
  /** The cards that pay in the game. */
  in_game: string[];
  /** What pays in every game. */
  always: string[];
  /** The options by which the rules were changed, as on the command line. */
  changes: string;
  /** Whether questions need all files, since rules of the user may use any of them. */
  whole: boolean;
  uses: Record<TableUse, ProgramData>;
  /** The terrain that each small set lies on, and what its pieces are. */
  queenies: Record<string, [terrain: string, kind: string]>;
  constants: Record<string, string>;
  /** After how many milliseconds the rules are taken to have no end. */
  limit: number;
}

export type TableUse = "moves" | "why" | "live" | "places" | "worth";

/** The setup of a game. */
export interface TableSetup {
  seed: number;
  /** The names of four quadrants; those that are turned end with /180. */
  board: string[];
  /** The cards; empty to draw them. */
  cards: string[];
  /** The small sets. */
  queenies: string[];
  /** Who plays on each seat. */
  players: string[];
}

export interface ProgramData {
  /** The #defined lines of predicates that no file may derive. */
  defined: string;
  files: ProgramFile[];
}

export interface ProgramFile {
  folder: string;
  name: string;
  text: string;
}

// The contest: kb_score/arena/contests/report.py. Bots are numbers, and so are fields.

export interface ContestData {
  /** A sentence: how many games have been played. */
  state: string;
  note: string;
  /** Their names. */
  bots: string[];
  /** The best bot first; empty before the first game. */
  order: number[];
  /** How many play a game. */
  seats: number;
  /** The noun for a field that games are played on, such as "map"; empty without fields. */
  field: string;
  /** The names of the fields. */
  fields: string[];
  /** The names of a game's figures. */
  figures: string[];
  /** The figure that is 0 in games whose other figures do not count; empty if all do. */
  countsIf: string;
  /** The kinds of faults. */
  faults: string[];
  /** The heads of the table. */
  columns: string[];
  /** The lines of the table, in the order of the bots. */
  rows: (string | number)[][];
  /** For the first bots: the rating, its range, and whether it is above that of the next bot. */
  ratings: [rating: number, from: number, to: number, separated: boolean][];
  /** For each two of the first bots: the numbers of games in which one came before the other, tied with it, and met it. */
  compared: [before: number, ties: number, met: number][][];
  mishaps: Mishap[];
  games: ContestGame[];
  /** The number of games that are left out, which ended before the others. */
  left: number;
  /** The address of the folder of replays. */
  replays: string;
  /** The address of the folder of records. */
  records: string;
  /** The address of the folder of each bot's logs. */
  logs: string[];
  /** For each bot the numbers of the games in which it has said something. */
  said: number[][];
}

/** A bot, in how many turns it had each kind of fault, the median and the longest time for an answer, and some games with faults. */
export type Mishap = [
  bot: number,
  counts: number[],
  seconds: Pair,
  told: [game: number, counts: number[], detail: string][],
];

/** A game: `replay` and `kept` are 1 if there is a replay, and a record, whose name may be empty. */
export type ContestGame = [
  number: number,
  field: number,
  turns: number,
  stays: Stay[],
  record: string,
  replay: number,
  kept: number,
];

/** A player of a game; after faults there are also the counts of each kind, and what went wrong first. */
export type Stay = [
  bot: number,
  place: number,
  score: number[],
  counts?: number[],
  detail?: string,
];
