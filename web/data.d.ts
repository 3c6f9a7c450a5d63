// Written by python -m tools.page_types: change the Python sources instead.

// What kb_score/shell/pages.py makes.

export type Pair = [number, number];

/** The layout of the places of a board, in units of the picture. */
export interface Shape {
  /** from a place to the next in its row */
  width: number;
  /** from a row to the next */
  height: number;
  /** the height of a place */
  tall: number;
  /** the edge of a place around its middle, as an SVG path */
  outline: string;
  /** the corners of the edge, x and y */
  corners: Array<Pair>;
  /** whether every second row lies half a place to the right */
  hexes: boolean;
}

/** The look of a symbol. */
export interface LookData {
  symbol: string;
  name: string;
  /** a piece of SVG around 0,0 */
  tile: string;
  /** the name of the ground's colour: a border lies where neighbours differ in it */
  ground: string;
}

/** A name in the legend. */
export interface LegendEntry {
  name: string;
  /** a piece of SVG around 0,0 */
  tile: string;
  /** as CSS writes it */
  colour: string;
  /** the numbers of the looks that have this name, from 1 */
  symbols: Array<number>;
  /** whether the number of places with this look matters */
  counted: boolean;
}

/** The data to draw the places of a board, or of all boards of a replay. */
export interface Drawn {
  rows: number;
  columns: number;
  shape: Shape;
  /** a piece of SVG for each place's own name that is a mark */
  signs: Record<string, string>;
  looks: Array<LookData>;
  legend: Array<LegendEntry>;
}

/** The data to draw a board. */
export interface DrawnBoard extends Drawn {
  /** The number of each place's look, row by row: from 1, or 0 for no symbol. */
  cells: Array<number>;
}

/** The parts of looks, for pages whose rules say how symbols are drawn. */
export interface Styles {
  shape: Shape;
  /** The fill of each colour, and the ink that can be read on it. */
  colours: Record<string, [string, string]>;
  /** pieces of SVG around 0,0 */
  marks: Record<string, string>;
}

/** The differences of a picture from the one before; places are numbers, row by row. */
export type ReplayStep = [
  caption: string,
  /** Pairs: the distance of a place from that of the pair before, and the number of its look. */
  cells: Array<number>,
  /** the new values beside the board, each after its label */
  tally: Array<[string, string]>,
  /** the marked places */
  points: Array<number>,
];

/** A violation. */
export type ReplayViolation = [
  /** none in a record without turns */
  turn: number | null,
  /** the turn whose picture shows it best */
  shown: number,
  text: string,
];

/** The data of a replay. */
export interface ReplayData extends Drawn {
  /** names that places have of their own, by the numbers of the places */
  titles: Record<number, string>;
  /** the turn of the first picture */
  first: number;
  /** The turn to begin with: the first one that breaks the rules, if there is one. */
  start: number;
  /** one for each turn from the first one */
  steps: Array<ReplayStep>;
  violations: Array<ReplayViolation>;
}

// What kb_score/web/playground.py makes.

/** A rule file. */
export interface RuleFile {
  name: string;
  /** the heading below which it is listed, such as "cards" */
  folder: string;
  /** its path in a folder of --rules */
  place: string;
  text: string;
  /** the text as shipped; none for a new file of the user */
  shipped: string | null;
}

/** A condition of an element of a sum. */
export interface ElementPart {
  kind: "atom" | "absent" | "comparison" | "aggregate" | "all";
  text: string;
  /** the operator of a comparison of two sides; empty for other conditions */
  operator: string;
}

/** An element of a sum. */
export interface ClauseElement {
  /** the variables that do not occur outside the element */
  names: Array<string>;
  parts: Array<ElementPart>;
}

/** A condition of a rule. */
export interface ClausePart extends ElementPart {
  /** whether it was added by lifting the rule */
  added: boolean;
  /** the elements of a sum */
  elements: Array<ClauseElement>;
}

/** A rule, with the traced rules that find the values with which it applies. */
export interface ClauseData {
  number: number;
  /** the predicate that it derives, such as "gold/4" */
  name: string;
  /** the rules that derive why'/4 and counts'/7 */
  rules: Array<string>;
  /** the predicates that they ask for */
  asks: Array<string>;
  file: string;
  line: number;
  /** its text, on one line */
  rule: string;
  /** the comment above it */
  note: string;
  /** its variables */
  names: Array<string>;
  parts: Array<ClausePart>;
  /** whether it is a choice */
  chosen: boolean;
}

/** The rules of a use. */
export interface TracedRules {
  clauses: Array<ClauseData>;
  /** the predicates that can be asked about */
  shown: Array<string>;
}

/** The data to explain why an atom holds. */
export interface ReasonsData {
  /** the most levels of a tree of reasons */
  depth: number;
  /** the most parts of a sum that are shown */
  width: number;
  /** The names of each predicate's arguments, and a sentence that says what it means. */
  says: Record<string, [Array<string>, string]>;
  /** the rules of each use */
  rules: Record<string, TracedRules>;
}

/** What all playgrounds have. */
export interface PlaygroundBase {
  /** milliseconds after which changed rules are assumed not to end */
  limit: number;
  /** the name of the file that is open at first */
  open: string;
  /** the text of a new file */
  template: string;
  styles: Styles;
  files: Array<RuleFile>;
  /** The predicates that only our rules may derive, such as "gold/4", each with its file. */
  ours: Record<string, string>;
  why: ReasonsData;
  /** the values of rulings that the user has set */
  constants: Record<string, string>;
}

/** A symbol of a board's text, with the predicate and the first arguments of its fact; "." has none. */
export type Meaning = [string, Array<string> | null];

/** A quadrant of the published game, ten rows of ten symbols. */
export interface TableQuadrant {
  name: string;
  /** as printed */
  rows: Array<string>;
  /** turned by 180 degrees */
  turned: Array<string>;
}

/** A quadrant with its origin. */
export interface QuadrantData extends TableQuadrant {
  /** the expansion that it comes from; empty for the game itself */
  expansion: string;
}

/** A rule file of a card. */
export interface CardFile {
  name: string;
  text: string;
}

export type BoardUse = "scores" | "gold";

/** The data of a playground of a Kingdom Builder board. */
export interface BoardData extends PlaygroundBase {
  kind: "board";
  /** the text of the board */
  board: string;
  symbols: Array<Meaning>;
  /** the hexes of two symbols that there are, such as "G2" */
  pairs: Array<string>;
  /** the facts that say how hexes are drawn */
  drawn: string;
  /** the names of players, by their numbers */
  names: Record<number, string>;
  /** The atoms that hold at first; none if the page has rules of the user, which it has to ask itself. */
  answer: Array<string> | null;
  quadrants: Array<QuadrantData>;
  /** the longest side of a board that the page accepts */
  most: number;
  /** The files that answer each question of the page, by name. */
  uses: Record<BoardUse, Array<string>>;
  /** a card in one line, to begin with */
  card: CardFile;
}

/** Some turns of a record that are asked about together. */
export interface RecordPart {
  facts: string;
  /** the number of turns before these */
  before: number;
  /** The caption of a picture: {turn} is its turn in the record, {own} its turn in these facts. */
  caption: string;
  /** the turn of each step, if the rules count steps */
  turnOf: Array<number>;
}

/** What all playgrounds of records have. */
export interface RecordBase extends PlaygroundBase {
  parts: Array<RecordPart>;
  /** the numbers of rows and columns */
  size: [number, number];
  /** the program parts that are lifted from a turn to all of them */
  lifted: Array<string>;
  uses: Record<"record", Array<string>>;
}

/** The data of a playground of a record. */
export interface RecordData extends RecordBase {
  kind: "record";
}

/** The data of a playground of a game of Kingdom Builder. */
export interface GameData extends RecordBase {
  kind: "game";
  /** the text of the turns, after the headings */
  turns: string;
  /** the number of players */
  players: number;
  terrains: Array<string>;
}

export type PlaygroundData = BoardData | GameData | RecordData;

// What kb_score/web/kingdom_builder.py makes.

/** A piece that a card pays for, with the hexes that show it. */
export interface Payment {
  why: string;
  gold: number;
  hexes: Array<Pair>;
  /** The first row and column and the last of the part of the board that it is about, if of one. */
  span: [number, number, number, number] | null;
}

/** A board of the report. */
export interface ReportBoard extends DrawnBoard {
  name: string;
  players: Array<number>;
  /** The gold of each player, in the order of the players, for each card. */
  gold: Record<string, Array<number>>;
  /** The total of a game with the chosen cards; none if all cards are scored. */
  total: Array<number> | null;
  /** the names of the players */
  names: Array<string>;
  /** the numbers of the winners; none if there is no total */
  winners: Array<number> | null;
  /** the sentence that names the winners; may be empty */
  saying: string;
  /** the code and the detail of each violation */
  findings: Array<[string, string]>;
  /** The pieces that are paid for, for each card and player. */
  evidence: Record<string, Array<Array<Payment>>>;
}

/** A card. */
export interface CardData {
  name: string;
  /** 0 for what pays in every game */
  number: number;
  /** what it pays for */
  text: string;
}

/** The data of a report. */
export interface ReportData {
  boards: Array<ReportBoard>;
  /** the cards that are scored, in order */
  cards: Array<CardData>;
  /** the players of any board, and their names */
  players: Array<[number, string]>;
}

// What kb_score/web/sheet.py makes.

/** The data of a sheet. */
export interface SheetData {
  shape: Shape;
  looks: Array<LookData>;
  /** a piece of SVG for each name of a town */
  signs: Record<string, string>;
  /** the number of each symbol's look, from 1 */
  numbers: Record<string, number>;
  symbols: Array<Meaning>;
  /** the hexes of two symbols that there are, such as "G2" */
  pairs: Array<string>;
  /** the symbol of a town */
  town: string;
  /** the symbols of the land that terrain cards let one build on */
  land: Array<string>;
  quadrants: Array<QuadrantData>;
  cards: Array<CardData>;
  /** with how many cards a game is played */
  dealt: number;
  /** the fewest and the most players */
  players: [number, number];
  /** the number of settlements of a player */
  most: number;
  /** the rules, as one text */
  program: string;
  constants: Record<string, string>;
  /** after how many milliseconds the rules are taken to have no end */
  limit: number;
}

// What kb_score/web/tabletop.py makes.

/** What the page asks; `worth` rates the board after each possible move. */
export type TableUse = "moves" | "why" | "live" | "places" | "worth";

/** The setup of a game. */
export interface TableSetup {
  /** the names of four quadrants; those that are turned end with /180 */
  board: Array<string>;
  /** the cards; empty to draw them */
  cards: Array<string>;
  /** the small sets */
  queenies: Array<string>;
  /** from 0 */
  seed: number;
  /** the kind of player in each seat */
  players: Array<string>;
}

/** What a game is dealt from, and what each tile does. */
export interface TableBox {
  quadrants: Array<TableQuadrant>;
  /** the manner of each tile, such as "move", and its text */
  tiles: Record<string, [string, string]>;
  /** the terrain of each terrain card */
  deck: Array<string>;
  /** the nomad tiles */
  nomads: Array<string>;
  /** with how many cards a game is played */
  dealt: number;
  /** the cards that may be chosen, and pay at the end */
  cards: Array<string>;
  /** the cards that pay in the game */
  in_game: Array<string>;
  /** what pays in every game */
  always: Array<string>;
}

/** The rules of a file. */
export interface ProgramFile {
  folder: string;
  name: string;
  text: string;
}

/** A program, file by file. */
export interface ProgramData {
  /** the #defined lines of predicates that no file may derive */
  defined: string;
  files: Array<ProgramFile>;
}

/** The data of a table. Its board is a row with each symbol, and a town for each tile, for the looks and the signs. */
export interface TableData extends DrawnBoard, TableBox {
  /** the symbol of each of the first cells */
  symbols: Array<string>;
  setup: TableSetup;
  /** The players to choose from for a seat: "human", or the kind of a bot. */
  seats: Array<string>;
  /** the fewest players */
  least: number;
  /** the most players */
  most: number;
  /** symbols and their kinds */
  terrain: Array<[string, string]>;
  /** symbols and their kinds */
  land: Array<[string, string]>;
  /** the options by which the rules were changed, as on the command line */
  changes: string;
  /** Whether questions need all files, since rules of the user may use any of them. */
  whole: boolean;
  uses: Record<TableUse, ProgramData>;
  /** The predicates for the state after the last step, such as carried_stands/3. */
  states: Array<string>;
  /** the names of the predicates that differ on the boards of `worth` */
  varying: Array<string>;
  /** The terrain that each small set lies on, and what its pieces are. */
  queenies: Record<string, [string, string]>;
  constants: Record<string, string>;
  /** after how many milliseconds the rules are taken to have no end */
  limit: number;
}

// What kb_score/arena/contests/report.py makes.

/** The rating of a bot. */
export type BotRating = [
  rating: number,
  /** the beginning of its range */
  low: number,
  /** the end of its range */
  high: number,
  /** whether it is above the range of the next bot */
  separated: boolean,
];

/** A game in which a bot had faults. */
export type FaultExample = [
  number: number,
  /** in how many turns it had each kind of fault */
  counts: Array<number>,
  /** what went wrong first */
  detail: string,
];

/** The faults and the times of a bot. */
export type Mishap = [
  bot: number,
  /** in how many turns it had each kind of fault */
  counts: Array<number>,
  /** the median and the longest time for an answer */
  seconds: [number, number],
  /** games that show the kinds of faults */
  examples: Array<FaultExample>,
];

/** A player of a game. */
export type Stay = [
  bot: number,
  place: number,
  score: Array<number>,
  /** in how many turns it had each kind of fault, if there are any */
  counts?: Array<number>,
  /** what went wrong first */
  detail?: string,
];

/** A game. */
export type ContestGame = [
  number: number,
  field: number,
  turns: number,
  stays: Array<Stay>,
  /** the name of its record; may be empty */
  record: string,
  /** 1 if there is a replay */
  replay: number,
  /** 1 if there is a record */
  kept: number,
];

/** The data of a contest's page; bots are numbers, and so are fields. */
export interface ContestData {
  /** a sentence: how many games have been played */
  state: string;
  note: string;
  /** their names */
  bots: Array<string>;
  /** the best bot first; empty before the first game */
  order: Array<number>;
  /** how many play a game */
  seats: number;
  /** The noun for a field that games are played on, such as "map"; empty without fields. */
  field: string;
  /** the names of the fields */
  fields: Array<string>;
  /** the names of a game's figures */
  figures: Array<string>;
  /** The figure that is 0 in games whose other figures do not count; empty if all do. */
  countsIf: string;
  /** the kinds of faults */
  faults: Array<string>;
  /** the heads of the table */
  columns: Array<string>;
  /** the lines of the table, in the order of the bots */
  rows: Array<Array<string | number>>;
  /** of the first bots */
  ratings: Array<BotRating>;
  /** For each two of the first bots three numbers of games: in which one came before the other, tied with it, and met it. */
  compared: Array<Array<Array<number>>>;
  mishaps: Array<Mishap>;
  games: Array<ContestGame>;
  /** the number of games that are left out, which ended before the others */
  left: number;
  /** the address of the folder of replays */
  replays: string;
  /** the address of the folder of records */
  records: string;
  /** the address of the folder of each bot's logs */
  logs: Array<string>;
  /** For each bot the numbers of the games with a log of its error stream. */
  said: Array<Array<number>>;
}
