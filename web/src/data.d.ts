// The data of each page, as the Python side writes it. tests/test_web.py compares the keys, so one line holds each key.

type Pair = [number, number];

// What all pages with a board have: kb_score/shell/pages.py.

/** How the places of a board lie, in units of the picture. */
export interface Shape {
  /** Whether places are hexes, of which every second row lies half a hex to the right. */
  hexes: boolean;
  /** From a place to the next in its row. */
  width: number;
  /** From a row to the next. */
  height: number;
  /** From the top of a place to its bottom. */
  tall: number;
  /** The edge of a place around its middle, as an SVG path. */
  outline: string;
  /** The corners of the edge, x and y. */
  corners: Pair[];
}

/** How a symbol looks. */
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
  /** As CSS has it. */
  colour: string;
  /** The numbers of the looks that have this name, from 1. */
  symbols: number[];
  /** Whether it is of interest how many places look so. */
  counted: boolean;
}

/** What is needed to draw the places of a board, or of all boards of a replay. */
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

/** What looks are made of where the rules of the page say how symbols are drawn. */
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
  /** The turn to begin with: the first one that is against the rules, if there is one. */
  start: number;
  /** A step for each turn from the first one. */
  steps: ReplayStep[];
  /** What is against the rules: the turn, none of a record without turns; that whose picture shows it best; and a sentence. */
  violations: [turn: number | null, shown: number, text: string][];
}

/**
 * What differs from the picture before. Cells are pairs: how far the place is from that of the pair before, and the number
 * of its look. The tally has what is told beside the board and is new. The points are places.
 */
export type ReplayStep = [caption: string, cells: number[], tally: [label: string, value: string][], points: number[]];

// The playground: kb_score/web/playground.py, and kb_score/web/kingdom_builder.py.

export type PlaygroundData = BoardData | GameData | RecordData;

export interface PlaygroundBase {
  /** After how many milliseconds changed rules are taken to have no end. */
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
  /** What players are called, by their numbers. */
  names: Record<number, string>;
  /** The atoms that hold at first; nothing where rules of the user are in the page, which is to ask them itself. */
  answer: string[] | null;
  quadrants: Quadrant[];
  /** The longest side of a board that the page takes. */
  most: number;
  /** The files that answer each question of the page, by name. */
  uses: Record<"scores" | "gold", string[]>;
  /** The texts of the rules that look for a board on which two versions of a card differ. */
  compare: string[];
  /** A card in one line, to begin with. */
  card: CardFile;
}

export interface RecordBase extends PlaygroundBase {
  parts: RecordPart[];
  /** How whom a violation is about is called; {} stands for the number. */
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
  /** The text of the turns, behind the headings. */
  turns: string;
  /** How many play. */
  players: number;
  terrains: string[];
}

/** Some turns of a record that are asked about together. */
export interface RecordPart {
  facts: string;
  /** How many turns there are before these. */
  before: number;
  /** What a picture is called: {turn} is its turn in the record, {own} that in these facts. */
  caption: string;
}

export interface RuleFile {
  name: string;
  /** The heading below which it is listed, such as "cards". */
  folder: string;
  /** Where it lies in a folder of --rules. */
  place: string;
  text: string;
  /** The text as shipped; nothing for a file of the user. */
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
  /** Which it comes from; empty for the game itself. */
  expansion: string;
}

/** What is needed to tell why something holds. */
export interface ReasonsData {
  /** How many levels a tree of reasons has at most. */
  depth: number;
  /** How many parts of a sum are told at most. */
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

/** A rule that says with which values it applies. */
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
  /** The sign of a comparison of two sides; empty for all else. */
  operator: string;
}

export interface ClausePart extends ElementPart {
  /** Whether lifting the rule has added it. */
  added: boolean;
  /** Those of a sum. */
  elements: ClauseElement[];
}

export interface ClauseElement {
  /** The variables that the rule itself has not. */
  names: string[];
  parts: ElementPart[];
}

// The report: kb_score/web/kingdom_builder.py.

export interface ReportData {
  boards: ReportBoard[];
  /** The cards that are scored, in order. */
  cards: CardData[];
  /** The players of any board, and what each is called. */
  players: [player: number, name: string][];
}

export interface ReportBoard extends DrawnBoard {
  name: string;
  players: number[];
  /** The gold of each player, in the order of the players, for each card. */
  gold: Record<string, number[]>;
  /** That of a game with the chosen cards; nothing if all cards are scored. */
  total: number[] | null;
  /** What the players are called. */
  names: string[];
  /** The numbers of those who have won; nothing where there is no total. */
  winners: number[] | null;
  /** The sentence that tells who has won; may be empty. */
  saying: string;
  /** What is odd about the board. */
  findings: [code: string, detail: string][];
  /** What is paid for, for each card and player. */
  evidence: Record<string, Payment[][]>;
}

/** What a card pays for, with the hexes that show it. */
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
  /** How many can play. */
  players: [least: number, most: number];
  /** How many settlements a player has. */
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
  /** Who may play on a seat: "human", or the kind of a bot. */
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
  /** Whether all files are asked, since rules of the user may need any of them. */
  whole: boolean;
  uses: Record<TableUse, ProgramData>;
  /** The terrain that each small set lies on, and what its pieces are. */
  queenies: Record<string, [terrain: string, kind: string]>;
  constants: Record<string, string>;
  /** After how many milliseconds the rules are taken to have no end. */
  limit: number;
}

export type TableUse = "moves" | "why" | "live" | "places" | "worth";

/** What a game is played with. */
export interface TableSetup {
  seed: number;
  /** The names of four quadrants; those that are turned end with /180. */
  board: string[];
  /** None to have them drawn. */
  cards: string[];
  /** The small sets. */
  queenies: string[];
  /** Who plays on each seat. */
  players: string[];
}

export interface ProgramData {
  /** What is said of predicates that no file may derive. */
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
  /** What is played on, such as "map"; empty if nothing is. */
  field: string;
  /** The names of what is played on. */
  fields: string[];
  /** What is counted of a game. */
  figures: string[];
  /** The figure that is 0 in games whose other figures do not count; empty if all do. */
  countsIf: string;
  /** The kinds of faults. */
  faults: string[];
  /** The heads of the table. */
  columns: string[];
  /** The lines of the table, in the order of the bots. */
  rows: (string | number)[][];
  /** The first ones: the rating, its range, and whether it is above that of the next bot. */
  ratings: [rating: number, from: number, to: number, separated: boolean][];
  /** For each two of the first bots in how many games one came before the other, tied with it, and met it. */
  compared: [before: number, ties: number, met: number][][];
  mishaps: Mishap[];
  games: ContestGame[];
  /** How many games are left out, which ended before the others. */
  left: number;
  /** The address of the folder of replays. */
  replays: string;
  /** The address of the folder of records. */
  records: string;
  /** The address of the folder of each bot's words. */
  logs: string[];
  /** For each bot the numbers of the games in which it has said something. */
  said: number[][];
}

/** A bot, in how many turns it had each kind of fault, the median and the longest time for an answer, and some games with faults. */
export type Mishap = [bot: number, counts: number[], seconds: Pair, told: [game: number, counts: number[], detail: string][]];

/** A game: `replay` and `kept` are 1 if there is a replay, and a record, whose name may be empty. */
export type ContestGame = [
  number: number, field: number, turns: number, stays: Stay[], record: string, replay: number, kept: number,
];

/** A player of a game; who had faults has the counts of each kind, and what went wrong first. */
export type Stay = [bot: number, place: number, score: number[], counts?: number[], detail?: string];

// The coverage of rules: kb_score/lab/coverage.py.

export interface CoverageData {
  files: CoveredFile[];
}

export interface CoveredFile {
  game: string;
  name: string;
  /** Its lines. */
  text: string[];
  rules: CoveredRule[];
}

/** A rule, or a condition of one. */
export interface CoveredRule {
  /** The first line, from 1. */
  line: number;
  /** The last line. */
  end: number;
  text: string;
  /** With the values of its first use; empty if it was never used. */
  instance: string;
  /** On which board, or in which record or example that was. */
  where: string;
  /** Those of a rule; a condition has none. */
  conditions: CoveredRule[];
}
