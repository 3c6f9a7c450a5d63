// A series of pictures of a board, and the controls that move through it.
import type { Drawn, LegendEntry, ReplayStep } from "../data.d.ts";
import { make } from "../kernel/dom.ts";
import { type Bare, Picture } from "../kernel/picture.ts";
import { Part, Tile } from "../kernel/view.tsx";

const MOST_LISTED = 1000; // violations
const SPEEDS = [1, 4, 15, 60]; // turns a second
const SIZES: [number, string][] = [
  [0, "fits the page"],
  [8, "small"],
  [16, "medium"],
  [28, "large"],
];

/** The data that a player shows: a replay, or the answer of the rules to a record in the page. */
export type Played = Bare & {
  first: number;
  start: number;
  steps: ReplayStep[];
  violations: [turn: number | null, shown: number, text: string][];
  legend?: LegendEntry[];
};

/** The names of a board's looks, each with the number of its places. */
export function countLooks(legend: LegendEntry[], cells: Iterable<number>): [string, number][] {
  const counts: number[] = [];
  for (const number of cells) counts[number] = (counts[number] ?? 0) + 1;
  return legend
    .filter(({ counted }) => counted)
    .map(({ name, symbols }) => [
      name,
      symbols.reduce((sum, symbol) => sum + (counts[symbol] ?? 0), 0),
    ]);
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

/** A game that is shown turn by turn: the pictures of all turns, each kept as its difference from the one before. */
export class Player {
  data: Played | null = null;
  step = 0;
  cells: ArrayLike<number> & Iterable<number> = [];
  tally = new Map<string, string>();
  speed = SPEEDS[1];
  timer: number | undefined;
  readonly field = make("div", [], { id: "field" });
  readonly picture = new Picture(this.field);
  readonly draw: () => void;

  /** `draw` draws the views anew. */
  constructor(draw: () => void) {
    this.draw = draw;
    document.addEventListener("fullscreenchange", () => this.picture.resize(0));
  }

  /** Show a game, at the turn where it says that it starts; ends when it is drawn. */
  load(data: Played) {
    this.data = data;
    if (data.steps.length) this.picture.begin(data);
    return this.goTo(data.start);
  }

  get first() {
    return this.data?.first ?? 0;
  }
  get turn() {
    return this.first + this.step;
  }
  get last() {
    return (this.data?.steps.length ?? 0) - 1;
  }
  get caption() {
    return this.data?.steps[this.step]?.[0] ?? "";
  }

  /** The places after so many steps, and what stands beside them: put together from all that has changed. */
  stateAt(step: number) {
    const { rows = 0, columns = 0, steps = [] } = this.data ?? {};
    const cells = new Uint16Array(rows * columns);
    const tally = new Map<string, string>();
    for (const [, changes, beside] of steps.slice(0, step + 1)) {
      for (let i = 0, place = 0; i < changes.length; i += 2)
        cells[(place += changes[i])] = changes[i + 1];
      for (const [label, value] of beside) tally.set(label, value);
    }
    return { cells, tally };
  }

  /** Show the picture of a turn; ends when it is drawn. */
  goTo(turn: number, isPlaying = false) {
    if (!isPlaying) this.stop();
    const { steps = [] } = this.data ?? {};
    this.step = Math.max(0, Math.min(this.last, turn - this.first));
    const { cells, tally } = this.stateAt(this.step);
    this.cells = cells;
    this.tally = tally;
    this.draw();
    if (!steps.length) return null;
    const [, , , points] = steps[this.step];
    this.picture.mark(points.map((place) => ({ hexes: [this.picture.split(place)] })));
    return this.picture.draw(this.cells);
  }

  play(speed = this.speed) {
    this.stop();
    this.speed = speed;
    if (this.step === this.last) this.goTo(-Infinity);
    this.timer = setInterval(() => {
      this.goTo(this.turn + 1, true);
      if (this.step === this.last) this.pause();
    }, 1000 / speed);
    this.draw();
  }

  pause() {
    this.stop();
    this.draw();
  }

  private stop() {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
  }

  /** Choose how many turns a second there are. */
  choose(speed: number) {
    if (this.timer) this.play(speed);
    else this.speed = speed;
  }

  /** Fill the screen with the board and a line of what happens, or leave that. */
  fill() {
    if (document.fullscreenElement) {
      void document.exitFullscreen();
      return;
    }
    const screen = this.field.closest("section");
    screen?.requestFullscreen?.().catch(() => {}); // such as in a frame
  }

  /** Do what a key is for. */
  key(event: KeyboardEvent) {
    const at = event.target as HTMLElement;
    const isText = at.matches("select, textarea");
    const isArrow = event.key.startsWith("Arrow");
    const scrolls = isArrow && at.matches(".scroll, pre") && at.scrollWidth > at.clientWidth;
    const presses = event.key === " " && at.matches("button, summary");
    const slides = at.id === "slider" && event.key !== " ";
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (isText || scrolls || presses || slides) return;
    const turns: Record<string, number> = {
      ArrowLeft: this.turn - 1,
      ArrowRight: this.turn + 1,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key in turns) void this.goTo(turns[event.key]);
    else if (event.key === " ") this.toggle();
    else if (event.key === "f") this.fill();
    else return;
    event.preventDefault();
  }
}

/** The board at a turn, and the controls; `more` is what happens in the turn, which a whole screen shows. */
export function Screen({ player, more = "" }: { player: Player; more?: string }) {
  const { caption, first, last, turn } = player;
  const move = (id: string, label: string, sign: string, to: number) => (
    <button id={id} type="button" aria-label={label} onClick={() => void player.goTo(to)}>
      {sign}
    </button>
  );
  return (
    <>
      <p id="caption" class="line" aria-live={player.timer ? "off" : "polite"} data-more={more}>
        {caption}
      </p>
      <div class="scroll" tabIndex={0} role="region" aria-label="picture of the board">
        <Part element={player.field} />
      </div>
      <div class="controls">
        {move("first", "first turn", "|◀\uFE0E", -Infinity)}
        {move("back", "one turn back", "◀\uFE0E", turn - 1)}
        <button id="play" type="button" onClick={() => player.toggle()}>
          {player.timer ? "Pause" : "Play"}
        </button>
        {move("on", "one turn on", "▶\uFE0E", turn + 1)}
        {move("last", "last turn", "▶\uFE0E|", Infinity)}
        <button id="full" type="button" class="unprinted" onClick={() => player.fill()}>
          Full screen
        </button>
        <input
          id="slider"
          type="range"
          aria-label="turn"
          aria-valuetext={caption}
          min={first}
          max={first + last}
          value={turn}
          onInput={({ currentTarget }) => void player.goTo(Number(currentTarget.value))}
        />
        <span id="count" class="dim">
          {turn} of {first + last}
        </span>
      </div>
      <div class="controls">
        <label>
          speed{" "}
          <select
            id="speed"
            value={player.speed}
            onChange={({ currentTarget }) => player.choose(Number(currentTarget.value))}
          >
            {SPEEDS.map((speed) => (
              <option key={speed} value={speed}>
                {speed === 1 ? "1 turn" : `${speed} turns`} a second
              </option>
            ))}
          </select>
        </label>
        <label>
          size{" "}
          <select
            id="size"
            onChange={({ currentTarget }) => player.picture.resize(Number(currentTarget.value))}
          >
            {SIZES.map(([size, label]) => (
              <option key={size} value={size}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <Saves picture={player.picture} name={() => `turn-${player.turn}`} />
        <span id="place" class="dim" />
      </div>
      <p class="dim unprinted">
        Keys: arrows step, Space plays, Home and End jump to the ends, F fills the screen.
      </p>
    </>
  );
}

/** Buttons that save a picture. */
export function Saves({ picture, name }: { picture: Picture; name: () => string }) {
  return (
    <>
      <button id="save-picture" type="button" onClick={() => void picture.save(`${name()}.svg`)}>
        Save the picture
      </button>{" "}
      <button id="save-dots" type="button" onClick={() => void picture.save(`${name()}.png`)}>
        PNG
      </button>
    </>
  );
}

/** The values beside a board; labels of rows and columns make a table, with the tile that has the name of a row. */
export function Tally({ player: { tally, data } }: { player: Player }) {
  const crossed = crossLabels([...tally.keys()]);
  const part = (i: number) => [...new Set([...crossed.values()].map((split) => split[i]))];
  const [rows, columns] = [part(0), part(1)];
  const plain = [...tally].filter(([label]) => !crossed.has(label));
  return (
    <>
      <dl id="tally" class="tally">
        {plain.map(([label, value]) => (
          <div key={label} class={label.length + value.length > 14 ? "wide" : undefined}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {rows.length > 0 && (
        <table id="crossed">
          <thead>
            <tr>
              <td />
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row}>
                <th scope="row">
                  {(data?.legend ?? [])
                    .filter(({ name }) => name === row)
                    .map(({ tile }) => data && <Tile tile={tile} shape={data.shape} />)}
                  {row}
                </th>
                {columns.map((column) => (
                  <td key={column}>{tally.get(row + column) ?? ""}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** The violations, each of which leads to its turn; `open` is called with the number of one that is clicked. */
export function Violations(more: { player: Player; open?: (number: number) => void }) {
  const { player, open } = more;
  return (
    <ul id="violations" class="violations" aria-label="violations">
      {(player.data?.violations ?? []).slice(0, MOST_LISTED).map(([, shown, text], i) => (
        <li key={i}>
          <button
            type="button"
            aria-current={shown === player.turn}
            onClick={() => {
              void player.goTo(shown);
              open?.(i);
            }}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The names of a board's looks, with the numbers of places where these matter. */
export function Legend({
  legend,
  shape,
  cells,
}: { cells: Iterable<number> } & Pick<Drawn, "legend" | "shape">) {
  const counts = new Map(countLooks(legend, cells));
  return (
    <ul id="legend" class="legend">
      {legend.map(({ name, tile }) => (
        <li key={name}>
          <Tile tile={tile} shape={shape} />
          <span>{counts.has(name) ? `${name}: ${counts.get(name)}` : name}</span>
        </li>
      ))}
    </ul>
  );
}
