// A series of pictures of a board, and the controls that move through it.
import type { Drawn, ReplayStep, LegendEntry } from "../data.d.ts";
import type { Bare } from "../kernel/picture.ts";
import { byId, list, make, makeButton, makeHead, on } from "../kernel/dom.ts";
import { frameTile, Picture } from "../kernel/picture.ts";
import { fillTable } from "./tables.ts";

const MOST_LISTED = 1000;

export const SAVES = [
  ["save-picture", "svg"],
  ["save-dots", "png"],
];

/** The data that a player shows: a replay, or the answer of the rules to a record in the page. */
type Played = Bare & {
  first: number;
  start: number;
  steps: ReplayStep[];
  violations: [turn: number | null, shown: number, text: string][];
  legend?: LegendEntry[];
};

/** The names of a board's looks, each with the number of its places. */
export function countLooks(
  { legend }: Pick<Drawn, "legend">,
  cells: Iterable<number>,
): [string, number][] {
  const counts: number[] = [];
  for (const number of cells) counts[number] = (counts[number] ?? 0) + 1;
  return legend
    .filter(({ counted }) => counted)
    .map(({ name, symbols }) => [
      name,
      symbols.reduce((sum, symbol) => sum + (counts[symbol] ?? 0), 0),
    ]);
}

/** Show the names of a board's looks, with the numbers of places where these matter. */
export function showLegend(data: Pick<Drawn, "legend" | "shape">, cells: Iterable<number>) {
  const counts = new Map(countLooks(data, cells));
  list(
    "legend",
    data.legend.map(({ name, tile }) => [
      frameTile(tile, data.shape),
      make("span", counts.has(name) ? `${name}: ${counts.get(name)}` : name),
    ]),
  );
}

/** Labels that cross, such as "player 1 tiles" and "player 2 gold": the words of the row, and of the column. */
export function crossLabels(labels: string[]) {
  const splits = labels.flatMap((label) =>
    [...label.matchAll(/ /g)].map(({ index }) => [label.slice(0, index), label.slice(index)]),
  );
  const isShared = (words: string, i: number) =>
    splits.filter((split) => split[i] === words).length > 1;
  return new Map(
    splits.filter((split) => split.every(isShared)).map((split) => [split.join(""), split]),
  );
}

/** Show the values beside a board; labels of rows and columns make a table, with the tile that has the name of a row. */
function showTally(tally: Map<string, string>, { legend = [], shape }: Played) {
  const crossed = crossLabels([...tally.keys()]);
  const [rows, columns] = [0, 1].map((i) => [
    ...new Set([...crossed.values()].map((split) => split[i])),
  ]);
  const plain = [...tally].filter(([label]) => !crossed.has(label));
  byId("tally").replaceChildren(
    ...plain.map(([label, value]) =>
      make(
        "div",
        [make("dt", label), make("dd", value)],
        label.length + value.length > 14 ? { class: "wide" } : {},
      ),
    ),
  );
  const lines = rows.map((row) =>
    make("tr", [
      makeHead(
        [
          ...legend.filter(({ name }) => name === row).map(({ tile }) => frameTile(tile, shape)),
          row,
        ],
        "row",
      ),
      ...columns.map((column) => make("td", tally.get(row + column) ?? "")),
    ]),
  );
  if (rows.length) fillTable(byId("crossed"), [make("td"), ...columns], lines);
  else byId("crossed").replaceChildren();
}

/** Shows a game: the pictures of all turns, each kept as its difference from the one before. */
export class Player {
  open: (number: number) => void;
  show: () => void;
  timer: number | undefined;
  step = 0;
  data: Played | null = null;
  cells: Uint16Array<ArrayBuffer>;
  /** The turn that shows a violation best, and its button. */
  buttons: [number, HTMLButtonElement][] = [];
  picture: Picture;

  /** `element`: whose keys lead from turn to turn. `does` `open` is called with the number of a violation that is clicked, and `show` when another turn is shown. */
  constructor(
    element: HTMLElement | Document,
    { open = () => {}, show = () => {} }: { open?: (number: number) => void; show?: () => void },
  ) {
    this.open = open;
    this.show = show;
    this.cells = new Uint16Array(0);
    this.picture = new Picture(byId("field"));
    on("first", () => this.goTo(-Infinity));
    on("last", () => this.goTo(Infinity));
    on("back", () => this.goTo(this.turn - 1));
    on("on", () => this.goTo(this.turn + 1));
    on("play", () => this.play(!this.timer));
    on(
      "speed",
      () => {
        if (this.timer) this.play(true);
      },
      "change",
    );
    on("size", () => this.picture.resize(Number(byId("size").value)), "change");
    for (const [id, ending] of SAVES)
      on(id, () => this.picture.save(`turn-${this.turn}.${ending}`));
    on("full", () => this.fill());
    document.addEventListener("fullscreenchange", () => this.picture.resize(0));
    on("slider", () => this.goTo(Number(byId("slider").value)), "input");
    element.addEventListener("keydown", (event: any) => this.key(event));
  }

  /** Show a game, at the turn where it says that it starts; ends when it is drawn. */
  load(data: Played) {
    this.data = data;
    Object.assign(byId("slider"), { min: data.first, max: data.first + data.steps.length - 1 });
    this.buttons = data.violations.slice(0, MOST_LISTED).map(([turn, shown, text], i) => [
      shown,
      makeButton(
        text,
        () => {
          this.goTo(shown);
          this.open(i);
        },
        { "data-turn": turn },
      ),
    ]);
    list(
      "violations",
      this.buttons.map(([, button]) => button),
    );
    if (data.steps.length) this.picture.begin(data);
    return this.goTo(data.start);
  }

  get turn() {
    return (this.data?.first ?? 0) + this.step;
  }
  get last() {
    return (this.data?.steps.length ?? 0) - 1;
  }

  key(event: KeyboardEvent & { target: HTMLElement }) {
    const at = event.target;
    if (event.ctrlKey || event.altKey || event.metaKey || at.matches("select, textarea")) return;
    if (
      event.key.startsWith("Arrow") &&
      at.matches(".scroll, pre") &&
      at.scrollWidth > at.clientWidth
    )
      return; // They scroll it.
    if (event.key === " " && at.matches("button, summary")) return;
    const turns: Record<string, number> = {
      ArrowLeft: this.turn - 1,
      ArrowRight: this.turn + 1,
      Home: -Infinity,
      End: Infinity,
    };
    if (at.id === "slider" && event.key !== " ") return;
    if (event.key in turns) this.goTo(turns[event.key]);
    else if (event.key === " ") this.play(!this.timer);
    else if (event.key === "f") this.fill();
    else return;
    event.preventDefault();
  }

  /* Fill the screen with the board and a line of what happens, or leave that. */
  fill() {
    if (document.fullscreenElement) document.exitFullscreen();
    else
      byId("field")
        .closest("section")
        .requestFullscreen?.()
        .catch(() => {}); // such as in a frame
  }

  play(isOn: boolean) {
    clearInterval(this.timer);
    this.timer = undefined;
    if (isOn) {
      if (this.step === this.last) this.goTo(-Infinity);
      this.timer = setInterval(
        () => {
          this.goTo(this.turn + 1, true);
          if (this.step === this.last) this.play(false);
        },
        1000 / Number(byId("speed").value),
      );
    }
    byId("play").textContent = isOn ? "Pause" : "Play";
    byId("caption").setAttribute("aria-live", isOn ? "off" : "polite");
  }

  /** The places after so many steps, and what stands beside them: put together from all that has changed. */
  stateAt(step: number) {
    const { rows = 0, columns = 0, steps = [] } = this.data ?? {};
    const cells = new Uint16Array(rows * columns);
    const tally: Map<string, string> = new Map();
    for (const [, changes, beside] of steps.slice(0, step + 1)) {
      for (let i = 0, place = 0; i < changes.length; i += 2)
        cells[(place += changes[i])] = changes[i + 1];
      for (const [label, value] of beside) tally.set(label, value);
    }
    return { cells, tally };
  }

  /** Show the picture of a turn; ends when it is drawn. */
  goTo(turn: number, playing = false) {
    if (!playing && this.timer) this.play(false);
    const { data } = this;
    if (!data?.steps.length) return null;
    const { first, steps } = data;
    this.step = Math.max(0, Math.min(this.last, turn - first));
    const { cells, tally } = this.stateAt(this.step);
    const [caption, , , points] = steps[this.step];
    this.cells = cells;
    this.picture.mark(points.map((place) => ({ hexes: [this.picture.split(place)] })));
    byId("caption").textContent = caption;
    byId("slider").value = this.turn;
    byId("slider").setAttribute("aria-valuetext", caption);
    byId("count").textContent = `${this.turn} of ${first + steps.length - 1}`;
    showTally(tally, data);
    for (const [shown, button] of this.buttons)
      button.setAttribute("aria-current", String(shown === this.turn));
    this.show();
    return this.picture.draw(cells);
  }
}
